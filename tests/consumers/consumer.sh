#!/usr/bin/env bash
# Installs libmote, or builds and runs a program that uses it in one of the ways that users have. `program` is mote
# itself, with libmote-io; `serial` is a libmote without threads; `bare` knows no build system and gives the compiler
# nothing but include paths.
# usage: consumer.sh WAY static|shared SOURCE_DIR WORK_DIR CC      ways are the labels of the `case` below
# Unoptimised builds: it is linking that is tested.
set -euo pipefail
way=$1 kind=$2 source=$3 work=$4/$2 compiler=$5
consumers=$source/tests/consumers
shared=OFF
[ "$kind" = static ] || shared=ON
options=(-G Ninja -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_C_COMPILER=$compiler")

cmake_consumer() { # FOLDER OPTION...
    local folder=$1
    shift
    cmake -S "$consumers/$folder" -B "$work/$way" "${options[@]}" "$@"
    cmake --build "$work/$way"
    "$work/$way/consumer" | grep '^mote [0-9]'
}

case $way in
install)
    rm -rf "$work/prefix"
    cmake -S "$source" -B "$work/mote" "${options[@]}" -DBUILD_SHARED_LIBS=$shared \
        -DMOTE_PROGRAMS=OFF -DMOTE_TESTS=OFF -DMOTE_BENCH=OFF -DMOTE_PAPERS=OFF
    cmake --build "$work/mote"
    cmake --install "$work/mote" --prefix "$work/prefix"
    ;;
find_package)
    cmake_consumer find_package "-DCMAKE_PREFIX_PATH=$work/prefix"
    ;;
pkg_config)
    pc=$(find "$work/prefix" -name mote.pc)
    export PKG_CONFIG_PATH=${pc%/*}
    # Words of pkg-config are meant to be split.
    # shellcheck disable=SC2046
    "$compiler" "$consumers/main.c" $(pkg-config --cflags --libs mote) -o "$work/consumer"
    LD_LIBRARY_PATH=$(pkg-config --variable=libdir mote) "$work/consumer" | grep "^mote $(pkg-config --modversion mote)"
    # Every example needs no header but those that were installed, and links.
    for example in "$source"/examples/*.c; do
        # shellcheck disable=SC2046
        "$compiler" -pthread "$example" $(pkg-config --cflags --libs mote) -lm -o "$work/example"
    done
    ;;
bare)
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
    cmake_consumer subdirectory "-DMOTE_SOURCE_DIR=$source" -DBUILD_SHARED_LIBS=$shared
    ;;
serial)
    cmake_consumer subdirectory "-DMOTE_SOURCE_DIR=$source" -DMOTE_THREADS=OFF | tee "$work/answer"
    grep ' 1 workers$' "$work/answer"
    ;;
program)
    rm -rf "$work/program" "$work/program_prefix" "$work/out"
    cmake -S "$source" -B "$work/program" "${options[@]}" -DBUILD_SHARED_LIBS=$shared \
        -DMOTE_TESTS=OFF -DMOTE_BENCH=OFF -DMOTE_PAPERS=OFF -DMOTE_EXAMPLES=OFF
    cmake --build "$work/program"
    cmake --install "$work/program" --prefix "$work/program_prefix"
    "$work/program_prefix/bin/mote" run "$source/tests/scenes/drop.json" --frames 2 --threads 2 -o "$work/out"
    grep '"status": "done"' "$work/out/run.json"
    ;;
*)
    echo "consumer.sh: '$way' is no way to use mote" >&2
    exit 2
    ;;
esac
