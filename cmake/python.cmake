# SPDX-License-Identifier: MIT
# The Python package: Python files over the shared libraries. Nothing is compiled for it.

# In the build tree it is a link, so that what is edited is what runs: PYTHONPATH=build/release/python.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/python)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/python/mote ${PROJECT_BINARY_DIR}/python/mote SYMBOLIC COPY_ON_ERROR)

# A wheel has the library beside the package's files, once and under the name that it is looked for: archives know no
# links.
if(MOTE_WHEEL)
    if(UNIX AND NOT APPLE)  # smaller by a tenth: neither names of what is inside, nor tables for exceptions
        target_compile_options(mote_objects PRIVATE -fno-asynchronous-unwind-tables -fno-unwind-tables)
        target_link_options(mote_so PRIVATE -s)
    endif()
    install(PROGRAMS $<TARGET_FILE:mote_so> DESTINATION lib COMPONENT wheel RENAME $<TARGET_SONAME_FILE_NAME:mote_so>)
    return()
endif()

# Where the interpreter of this system looks for packages below a prefix; Debian's own looks in dist-packages.
find_package(Python3 COMPONENTS Interpreter)
set(python_folder lib/python3/site-packages)
if(Python3_FOUND)
    set(python_folder lib/python${Python3_VERSION_MAJOR}.${Python3_VERSION_MINOR}/site-packages)
endif()
set(MOTE_PYTHON_INSTALLDIR ${python_folder} CACHE STRING "where the Python package is installed, below the prefix")
file(GLOB python_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/mote/*.py)
install(FILES ${python_files} ${PROJECT_SOURCE_DIR}/python/mote/py.typed
    DESTINATION ${MOTE_PYTHON_INSTALLDIR}/mote COMPONENT python)
# The installed package finds the installed libraries, wherever the prefix is moved.
file(RELATIVE_PATH python_up ${CMAKE_INSTALL_PREFIX}/${MOTE_PYTHON_INSTALLDIR}/mote ${CMAKE_INSTALL_FULL_LIBDIR})
file(WRITE ${PROJECT_BINARY_DIR}/library_folder.txt "${python_up}\n")
install(FILES ${PROJECT_BINARY_DIR}/library_folder.txt DESTINATION ${MOTE_PYTHON_INSTALLDIR}/mote COMPONENT python)
