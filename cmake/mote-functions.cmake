# SPDX-License-Identifier: MIT
# Functions that the build's lists share.

# All C files of the modules named, as a list.
function(mote_module_sources result)
    set(found)
    foreach(module IN LISTS ARGN)
        file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${module}/*.c)
        list(APPEND found ${files})
    endforeach()
    set(${result} ${found} PARENT_SCOPE)
endfunction()

# A library of the modules listed, in both forms from the same objects: NAME is static, NAME_so is shared. As part of
# another project only the form that is linked is built.
function(mote_add_library name modules)
    mote_module_sources(sources ${modules})
    string(REPLACE "_" "-" file ${name})
    string(REGEX REPLACE "^mote_?" "" short ${name})
    add_library(${name}_objects OBJECT ${sources})
    mote_compile_options(${name}_objects)
    target_compile_definitions(${name}_objects PRIVATE _POSIX_C_SOURCE=200809L)
    target_include_directories(${name}_objects PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
    set_target_properties(${name}_objects PROPERTIES C_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
    if(NOT MSVC)
        # Nobody replaces our functions: without this, code for shared libraries was 3 % slower in tree searches.
        target_compile_options(${name}_objects PRIVATE -fno-semantic-interposition)
    endif()
    add_library(${name} STATIC $<TARGET_OBJECTS:${name}_objects>)
    add_library(${name}_so SHARED $<TARGET_OBJECTS:${name}_objects>)
    foreach(form IN ITEMS ${name} ${name}_so)
        target_include_directories(${form} PUBLIC
            $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
        set_target_properties(${form} PROPERTIES OUTPUT_NAME ${file} LINKER_LANGUAGE C)
        if(MOTE_SANITIZE)
            target_link_options(${form} PUBLIC -fsanitize=${MOTE_SANITIZE})
        endif()
        if(NOT PROJECT_IS_TOP_LEVEL)
            set_target_properties(${form} PROPERTIES EXCLUDE_FROM_ALL ON)
        endif()
    endforeach()
    # Before 1.0 every minor version may break the interface.
    set_target_properties(${name}_so PROPERTIES VERSION ${PROJECT_VERSION}
        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} INSTALL_RPATH "$ORIGIN"
        WINDOWS_EXPORT_ALL_SYMBOLS ON)
    if(short)
        set(target mote::${short})
    else()
        set(target mote::mote)
    endif()
    if(MSVC)
        set_target_properties(${name} PROPERTIES OUTPUT_NAME ${file}_static)  # the other's import library has its name
    endif()
    if(NOT PROJECT_IS_TOP_LEVEL)
        set_target_properties(${name}_objects PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
    set_target_properties(${name} PROPERTIES EXPORT_NAME ${name}_static)
    set_target_properties(${name}_so PROPERTIES EXPORT_NAME ${name}_shared)
    add_library(mote::${name}_static ALIAS ${name})
    add_library(mote::${name}_shared ALIAS ${name}_so)
    if(BUILD_SHARED_LIBS)
        add_library(${target} ALIAS ${name}_so)
    else()
        add_library(${target} ALIAS ${name})
    endif()
endfunction()

# What every target of ours is compiled with. Contraction is off so that results have the same bits everywhere.
function(mote_compile_options target)
    if(MSVC)
        target_compile_options(${target} PRIVATE /W4 /fp:precise)
        return()
    endif()
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow
        $<$<COMPILE_LANGUAGE:C>:-Wconversion> -ffp-contract=off -fno-math-errno)
    target_compile_definitions(${target} PRIVATE $<$<CONFIG:Debug>:MOTE_DEBUG>)
    if(MOTE_SANITIZE)
        # clang's check of pointers refuses NULL + 0 too, which empty arrays have everywhere; gcc's does not. UBSan's
        # sizes of objects cost compilers a seventh of their time, and what they find is seen by ASan.
        target_compile_options(${target} PRIVATE -fsanitize=${MOTE_SANITIZE} -fno-omit-frame-pointer
            $<$<C_COMPILER_ID:Clang>:-fno-sanitize=pointer-overflow>)
        if(MOTE_SANITIZE MATCHES "address")
            target_compile_options(${target} PRIVATE -fno-sanitize=object-size)
        endif()
        target_link_options(${target} PUBLIC -fsanitize=${MOTE_SANITIZE} ${mote_linker})
        target_compile_definitions(${target} PRIVATE MOTE_SANITIZED)
    endif()
endfunction()

# A test program: one CTest case for each `cmocka_unit_test(name)` in its source, run alone by name. Further arguments
# are libraries, and: PARALLEL, threads work together in it, so that races are looked for; LONG, it has cases that take
# seconds; NUMBERS, it checks what many steps come to, and others take such steps under sanitizers. These three become
# CTest labels, parallel, numbers, and long or quick; a case with the comment `one thread` in that list is not
# parallel: it fails if it starts a thread (support/threads.c). Long ones are begun first, so that no processor is idle
# while another ends one. ORACLE, it calculates much itself, and is optimised like the library.
function(mote_add_tests name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "PARALLEL;LONG;NUMBERS;ORACLE" "" "")
    set(labels quick)
    set(cost 0)
    if(arg_LONG)
        set(labels long)
        set(cost 10)
    endif()
    if(arg_NUMBERS)
        list(APPEND labels numbers)
    endif()
    add_executable(${name} ${name}.c)
    if(arg_PARALLEL)
        list(APPEND labels parallel)
        if(NOT TARGET parallel_tests)
            add_custom_target(parallel_tests)
        endif()
        add_dependencies(parallel_tests ${name})
    endif()
    mote_compile_options(${name})
    if(NOT MSVC AND NOT arg_ORACLE)
        # The library does the work: without optimisation tests take as long, and are compiled in a fifth of the time.
        target_compile_options(${name} PRIVATE -O0)
    endif()
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
    target_compile_definitions(${name} PRIVATE _POSIX_C_SOURCE=200809L MOTE_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
        MOTE_BINARY_DIR="${PROJECT_BINARY_DIR}")
    target_link_libraries(${name} PRIVATE test_support ${arg_UNPARSED_ARGUMENTS})
    file(STRINGS ${name}.c lines REGEX "cmocka_unit_test\\(")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${name}.c)
    string(REGEX REPLACE "^test_" "" group ${name})
    foreach(line IN LISTS lines)
        if(line MATCHES "cmocka_unit_test\\(.*cmocka_unit_test\\(")
            message(FATAL_ERROR "${name}.c: two tests on a line, of which one would never run: ${line}")
        endif()
        string(REGEX REPLACE ".*cmocka_unit_test\\(([a-z0-9_]+)\\).*" "\\1" case "${line}")
        add_test(NAME ${group}.${case} COMMAND ${name} ${case})
        set(own_labels ${labels})
        if(line MATCHES "// one thread")
            list(REMOVE_ITEM own_labels parallel)
            set_property(TEST ${group}.${case} PROPERTY ENVIRONMENT MOTE_ONE_THREAD=1)
        endif()
        set_tests_properties(${group}.${case} PROPERTIES LABELS "${own_labels}" COST ${cost})
    endforeach()
endfunction()
