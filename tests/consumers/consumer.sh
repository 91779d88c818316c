#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs mote's libraries from the build that is tested, or builds and runs a program that uses them in one of the
# ways that users have. `serial` is a libmote without threads; `bare` knows no build system and gives the compiler
# nothing but include paths.
# usage: consumer.sh WAY static|shared|all SOURCE_DIR WORK_DIR CC HAS_IO BUILD_DIR     ways: labels of the `case` below
# What is built here is not optimised: it is linking that is tested.
set -euo pipefail
way=$1 kind=$2 source=$3 work=$4/$2 prefix=$4/prefix compiler=$5 has_io=$6 build=$7
consumers=$source/tests/consumers
shared=OFF
[ "$kind" = static ] || shared=ON
options=(-G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG= "-DCMAKE_C_COMPILER=$compiler"
    -DBUILD_SHARED_LIBS=$shared)
mkdir -p "$work"

# A program that links the shared library says so, one that links the static one does not.
expect_linked() { # PROGRAM LIBRARY
    local needs
    needs=$(readelf -d "$1" | grep -c "NEEDED.*\[$2\.so" || true)
    [ "$needs" -eq "$([ $shared = ON ] && echo 1 || echo 0)" ] ||
        { echo "$1 needs $needs shared $2, expected the other form of it: BUILD_SHARED_LIBS is $shared"; exit 1; }
}

# Passes standard input on, which has to hold a line that is so.
expect_line() { # PATTERN
    local printed
    printed=$(cat)
    echo "$printed"
    grep -q "$1" <<<"$printed" || { echo "expected a line like: $1"; exit 1; }
}

cmake_consumer() { # FOLDER OPTION...
    local folder=$1
    shift
    cmake --fresh -S "$consumers/$folder" -B "$work/$way" "${options[@]}" "$@"
    cmake --build "$work/$way"
    "$work/$way/consumer" | expect_line '^mote [0-9]'
    expect_linked "$work/$way/consumer" libmote
}

case $way in
install)
    rm -rf "$prefix"
    cmake --install "$build" --prefix "$prefix" --component library
    ;;
find_package)
    cmake_consumer find_package "-DCMAKE_PREFIX_PATH=$prefix"
    if [ "$has_io" = ON ]; then
        "$work/$way/consumer_io" "$work/$way.ply" | expect_line '^mote-io [0-9.]*, 4 triangles'
        expect_linked "$work/$way/consumer_io" libmote-io
    fi
    ;;
pkg_config)
    pc=$(find "$prefix" -name mote.pc)
    export PKG_CONFIG_PATH=${pc%/*}
    suffix=
    [ $shared = ON ] || suffix=-static
    LD_LIBRARY_PATH=$(pkg-config --variable=libdir mote)
    export LD_LIBRARY_PATH
    # Words of pkg-config are meant to be split.
    # shellcheck disable=SC2046
    "$compiler" "$consumers/main.c" $(pkg-config --cflags --libs "mote$suffix") -o "$work/consumer"
    "$work/consumer" | expect_line "^mote $(pkg-config --modversion mote)"
    expect_linked "$work/consumer" libmote
    if [ "$has_io" = ON ]; then
        # shellcheck disable=SC2046
        "$compiler" "$consumers/io.c" $(pkg-config --cflags --libs "mote-io$suffix") -o "$work/consumer_io"
        "$work/consumer_io" "$work/$way.ply" | expect_line '^mote-io [0-9.]*, 4 triangles'
        expect_linked "$work/consumer_io" libmote-io
    fi
    # Every example needs no header but those that were installed, and links.
    for example in "$source"/examples/*.c; do
        # shellcheck disable=SC2046
        "$compiler" -pthread "$example" $(pkg-config --cflags --libs "mote$suffix") -lm -o "$work/example"
    done
    ;;
bare)
    # A minute: a file after the other, of all modules.
    [ -n "${MOTE_LONG_TESTS-}" ] || exit 77
    modules=$(tr '\n' ' ' <"$source/CMakeLists.txt" | sed 's/.*set(library_modules *\([^)]*\)).*/\1/')
    mkdir -p "$work/bare"
    cd "$work/bare"
    rm -f ./*.o
    for module in $modules; do
        for file in "$source/src/$module"/*.c; do
            [ ! -e "$file" ] || "$compiler" -c "$file" "-I$source/include" "-I$source/src" \
                -o "$module-$(basename "$file" .c).o"
        done
    done
    "$compiler" "-I$source/include" "$source/examples/neighbors.c" ./*.o -lm -o consumer
    bash "$source/tests/examples/example.sh" ./consumer "$source/examples/neighbors.c"
    ;;
subdirectory)
    # The library's objects serve both forms: what is configured anew finds those of the other. They are of MOTE_PLAIN,
    # as the golden checksums are found with them, too. The usual library in a foreign build would be half a minute of
    # compiling more: it is seen with --long, by `serial`. Sources and options are the same, but for that macro.
    work=$4/either
    cmake_consumer subdirectory "-DMOTE_SOURCE_DIR=$source" -DCMAKE_C_FLAGS=-DMOTE_PLAIN
    ;;
serial)
    [ "${MOTE_LONG_TESTS-}" ] || exit 77
    cmake_consumer subdirectory "-DMOTE_SOURCE_DIR=$source" -DMOTE_THREADS=OFF | tee "$work/answer"
    expect_line ' 1 workers$' <"$work/answer"
    ;;
*)
    echo "consumer.sh: '$way' is no way to use mote" >&2
    exit 2
    ;;
esac
