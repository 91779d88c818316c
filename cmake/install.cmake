# What an installed mote consists of: the library, its public headers, and how CMake and pkg-config find both.
include(CMakePackageConfigHelpers)

install(TARGETS mote EXPORT mote-targets COMPONENT library)
# All public headers but those of level 6, which is not installed: a module may have more than one.
file(GLOB public_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/mote/*.h)
foreach(module IN LISTS io_modules)
    list(REMOVE_ITEM public_headers ${PROJECT_SOURCE_DIR}/include/mote/${module}.h)
endforeach()
install(FILES ${public_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mote COMPONENT library)

# find_package(mote), target mote::mote. Before 1.0 every minor version may break the interface.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mote)
install(EXPORT mote-targets NAMESPACE mote:: DESTINATION ${package_dir} COMPONENT library)
configure_package_config_file(cmake/mote-config.cmake.in ${PROJECT_BINARY_DIR}/mote-config.cmake
    INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mote-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mote-config.cmake ${PROJECT_BINARY_DIR}/mote-config-version.cmake
    DESTINATION ${package_dir} COMPONENT library)

# pkg-config mote. The prefix is found from where the file lies, so that `cmake --install --prefix` works. A static
# libmote needs its libraries from everyone, a shared one from nobody.
set(pc_needs)
foreach(library IN LISTS mote_needs)
    if(IS_ABSOLUTE "${library}")
        string(APPEND pc_needs " ${library}")
    else()
        string(APPEND pc_needs " -l${library}")
    endif()
endforeach()
set(pc_libs "-L\${libdir} -lmote")
if(BUILD_SHARED_LIBS)
    set(pc_libs_private "${pc_needs}")
else()
    string(APPEND pc_libs "${pc_needs}")
    set(pc_libs_private)
endif()
file(RELATIVE_PATH pc_up ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH pc_libdir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH pc_includedir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(cmake/mote.pc.in ${PROJECT_BINARY_DIR}/mote.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/mote.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)
