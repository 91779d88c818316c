#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs the drop-in for CompactNSearch from the build that is tested, or builds and runs a program on it.
# usage: drop_in.sh BUILD_DIR SOURCE_DIR WORK_DIR install | run|run_long CXX STANDARD float|double | find_package CXX
set -euo pipefail
build=$1 source=$2 work=$3 way=$4
prefix=$work/prefix

case $way in
install)
    # Over what CompactNSearch itself installs: files of the same names.
    rm -rf "$prefix"
    mkdir -p "$prefix/include" "$prefix/lib"
    for file in CompactNSearch CompactNSearch.h Config.h DataStructures.h PointSet.h; do
        echo '#error "not the drop-in"' >"$prefix/include/$file"
        touch -d 2000-01-01 "$prefix/include/$file"  # CMake leaves files alone that are as old as its own
    done
    cmake --install "$build" --prefix "$prefix" --component compactnsearch
    if grep -rl 'not the drop-in' "$prefix/include"; then
        echo '^ headers that were not replaced'
        exit 1
    fi
    # Nobody gets a Config.h who did not ask for it.
    rm -rf "$work/default"
    cmake --install "$build" --prefix "$work/default" >/dev/null
    [ ! -e "$work/default/include/Config.h" ] || { echo 'the default installs the drop-in'; exit 1; }
    rm -rf "$work/default"
    ;;
run | run_long)
    [ $way = run ] || [ "${MOTE_LONG_TESTS-}" ] || exit 77
    compiler=$5 standard=$6 real=$7
    program=$work/$(basename "$compiler")-$standard-$real
    # Some warnings are seen only when calls are inlined, as a program's own build does.
    options=(-O3 "-std=c++$standard" -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -ffp-contract=off -pthread)
    [ "$real" = float ] || options+=(-DUSE_DOUBLE)
    [ "$(basename "$compiler")" != g++ ] || options+=(-fopenmp)  # clang's needs a library of its own
    archive=$(find "$prefix" -name 'libCompactNSearch*.a')
    "$compiler" "${options[@]}" "-I$prefix/include" "$source/drop_in.cpp" "$source/second.cpp" "$archive" -o "$program"
    "$program"
    ;;
find_package)
    cmake --fresh -S "$source/find_package" -B "$work/find_package" -G Ninja -DCMAKE_BUILD_TYPE=Debug \
        "-DCMAKE_CXX_COMPILER=$5" "-DCMAKE_PREFIX_PATH=$prefix"
    cmake --build "$work/find_package"
    "$work/find_package/consumer"
    ;;
*)
    echo "drop_in.sh: '$way' is none of its ways" >&2
    exit 2
    ;;
esac
