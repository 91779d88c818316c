# SPDX-License-Identifier: MIT
# What an installed mote consists of: its libraries, static and shared, their public headers, and how CMake and
# pkg-config find them.
include(CMakePackageConfigHelpers)

set(libraries mote mote_so)
if(TARGET mote_io)
    list(APPEND libraries mote_io mote_io_so)
endif()
install(TARGETS ${libraries} EXPORT mote-targets COMPONENT library)
file(GLOB public_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/mote/*.h)
if(NOT TARGET mote_io)
    foreach(module IN LISTS io_modules)
        list(REMOVE_ITEM public_headers ${PROJECT_SOURCE_DIR}/include/mote/${module}.h)
    endforeach()
endif()
install(FILES ${public_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mote COMPONENT library)

# find_package(mote), targets mote::mote and mote::io: the static libraries, or with BUILD_SHARED_LIBS the shared ones;
# mote::mote_static, mote::mote_shared and so on say which. Before 1.0 every minor version may break the interface.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mote)
install(EXPORT mote-targets NAMESPACE mote:: DESTINATION ${package_dir} COMPONENT library)
configure_package_config_file(cmake/mote-config.cmake.in ${PROJECT_BINARY_DIR}/mote-config.cmake
    INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mote-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mote-config.cmake ${PROJECT_BINARY_DIR}/mote-config-version.cmake
    DESTINATION ${package_dir} COMPONENT library)

# pkg-config: mote and mote-io are the shared libraries, mote-static and mote-io-static the archives with all that they
# need. The prefix is found from where the file lies, so that `cmake --install --prefix` works.
file(RELATIVE_PATH pc_up ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH pc_libdir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH pc_includedir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
set(archive_suffix ${CMAKE_STATIC_LIBRARY_SUFFIX})
function(add_pc name pc_libs pc_private pc_requires)
    set(pc_name ${name})
    configure_file(cmake/mote.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)
endfunction()

foreach(library IN LISTS mote_needs)
    if(IS_ABSOLUTE "${library}" OR library MATCHES "^-")
        string(APPEND needs " ${library}")
    else()
        string(APPEND needs " -l${library}")
    endif()
endforeach()
add_pc(mote "-L\${libdir} -lmote" "${needs}" "")
add_pc(mote-static "\${libdir}/libmote${archive_suffix}${needs}" "" "")
if(TARGET mote_io)
    string(REPLACE ";" ", " io_requires "${io_needs}")
    add_pc(mote-io "-L\${libdir} -lmote-io" "" "mote")
    add_pc(mote-io-static "\${libdir}/libmote-io${archive_suffix}" "" "mote-static, ${io_requires}")
endif()
