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
        target_compile_options(${target} PRIVATE -fsanitize=${MOTE_SANITIZE} -fno-omit-frame-pointer)
        target_link_options(${target} PUBLIC -fsanitize=${MOTE_SANITIZE})
        target_compile_definitions(${target} PRIVATE MOTE_SANITIZED)
    endif()
endfunction()

# A test program: one CTest case for each `cmocka_unit_test(name)` in its source, run alone by name.
function(mote_add_tests name)
    add_executable(${name} ${name}.c)
    mote_compile_options(${name})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
    target_compile_definitions(${name} PRIVATE _POSIX_C_SOURCE=200809L MOTE_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
        MOTE_BINARY_DIR="${PROJECT_BINARY_DIR}")
    target_link_libraries(${name} PRIVATE test_support ${ARGN})
    file(STRINGS ${name}.c lines REGEX "cmocka_unit_test\\(")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${name}.c)
    string(REGEX REPLACE "^test_" "" group ${name})
    foreach(line IN LISTS lines)
        if(line MATCHES "cmocka_unit_test\\(.*cmocka_unit_test\\(")
            message(FATAL_ERROR "${name}.c: two tests on a line, of which one would never run: ${line}")
        endif()
        string(REGEX REPLACE ".*cmocka_unit_test\\(([a-z0-9_]+)\\).*" "\\1" case "${line}")
        add_test(NAME ${group}.${case} COMMAND ${name} ${case})
    endforeach()
endfunction()
