# SPDX-License-Identifier: MIT
# The Python package: Python files over the shared libraries. Nothing is compiled for it.

# In the build tree it is a link, so that what is edited is what runs: PYTHONPATH=build/release/python.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/python)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/python/mote ${PROJECT_BINARY_DIR}/python/mote SYMBOLIC COPY_ON_ERROR)

# A wheel has the library beside the package's files, once and under the name that it is looked for: archives know no
# links. It should be small: neither names of what is inside, nor tables for exceptions, and three levels. -O3, which
# makes code half as large again, is for hot loops (wheel_hot); -Os is for what runs once for an object or a file, for
# hashes, which others outdo, and for what simulates or makes surfaces (wheel_cold): without scene files, which are
# libmote-io's, wheels start no simulation, and the package has no surfaces yet, so that neither has loops for vectors
# there; and for loops of which there are faster forms, and exact determinants, which are seldom needed (wheel_plain).
# The rest, which runs at every call, has -O2.
set(wheel_cold
    base/angles.c base/context.c base/fields.c base/format.c base/number.c base/powers.c base/result.c base/text.c
    broadphase/broadphase.c broadphase/def.c broadphase/hierarchical_hash.c broadphase/methods.c
    broadphase/results.c fluid/*.c grains/*.c hits/advance_detour.c hits/closest_normals.c hits/closest_prepare.c
    hits/hits.c hits/structure_form.c hits/structure_split.c hits/winding_moments.c mesh/crossings.c mesh/cut.c
    mesh/exact.c mesh/fans.c mesh/foot.c mesh/join.c mesh/look.c mesh/mesh.c mesh/normals.c mesh/sample.c
    mesh/shapes.c mesh/spheres.c mesh/topology.c mesh/weld.c mesh/winding.c neighbors/auto.c neighbors/cell_hash.c
    neighbors/cell_hash_incremental.c neighbors/chunks.c neighbors/def.c neighbors/hash_*.c
    neighbors/hierarchical_hash.c neighbors/methods.c neighbors/sets.c neighbors/sets_lists.c
    neighbors/spatial_hash.c neighbors/spatial_hash_dynamic.c particles/*.c proxy/file.c proxy/label.c
    proxy/octree.c proxy/proxy.c proxy/sight.c proxy/triangles.c response/*.c simulation/*.c surface/*.c)
set(wheel_hot
    base/scan.c base/sort.c base/wide_compress.c broadphase/box_*.c broadphase/brute_force.c broadphase/bvh8_build.c
    broadphase/bvh8_lanes.c broadphase/bvh8_walk.c hits/closest_lanes.c hits/motion_*.c neighbors/best.c
    neighbors/collect.c neighbors/grid_*.c neighbors/images.c neighbors/list_memory.c neighbors/pairs.c
    neighbors/points.c neighbors/row_writer.c neighbors/rows.c neighbors/sorted.c neighbors/spans.c neighbors/tree.c
    neighbors/tree_nearest.c neighbors/tree_nearest_floats.c base/lanes*.c broadphase/lanes*.c hits/lanes*.c
    neighbors/lanes*.c proxy/lanes*.c)
set(wheel_plain
    broadphase/box_lanes.c broadphase/bvh8_lanes.c hits/closest_lanes.c hits/motion_cell_lanes.c hits/motion_certain.c
    hits/motion_descent.c hits/motion_faces.c hits/motion_filter.c hits/motion_lanes.c hits/motion_march.c
    hits/motion_orientation.c hits/motion_root.c hits/motion_stream.c hits/motion_triangle.c hits/motion_ways.c
    hits/winding_lanes.c
    neighbors/grid_classes.c neighbors/grid_filter.c neighbors/grid_gather.c neighbors/grid_keys.c
    neighbors/grid_scan.c neighbors/grid_sieve.c
    neighbors/tree_nearest_group.c)
function(wheel_optimize level)
    list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/src/)
    file(GLOB files CONFIGURE_DEPENDS ${ARGN})
    set_property(SOURCE ${files} APPEND PROPERTY COMPILE_OPTIONS ${level})
endfunction()
if(MOTE_WHEEL)
    if(UNIX AND NOT APPLE)
        target_compile_options(mote_objects PRIVATE -fno-asynchronous-unwind-tables -fno-unwind-tables -O2)
        target_link_options(mote_so PRIVATE -s LINKER:--build-id=none)
        wheel_optimize(-Os ${wheel_cold})
        wheel_optimize(-O3 ${wheel_hot})
        wheel_optimize(-Os ${wheel_plain})  # the last one counts
        file(GLOB plain CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/fluid/*.c ${PROJECT_SOURCE_DIR}/src/surface/*.c)
        set_property(SOURCE ${plain} APPEND PROPERTY COMPILE_DEFINITIONS MOTE_PLAIN)
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
