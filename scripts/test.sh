#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs what is missing, then builds and tests mote in stages: release, sanitizers, threads (by the other compiler).
# usage: scripts/test.sh [--long]      --long: also clang's, debug and a serial build's tests, all tests under TSan, and
#                                      libmote compiled for Windows (mingw-w64), and for browsers (Emscripten, WASI)
#                                      and arm64, where it runs in node and an emulator and has to find the same bits;
#                                      without it, only for arm64, and where the compiler and the emulator are there
# The last line is "N passed, N failed"; each build counts as one. Exit status 1 if anything failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2

long= limit=300  # seconds that a test may take
case ${1-} in
'') ;;
--long)
    long=--long limit=1800
    export MOTE_LONG_TESTS=1  # for tests that can do more
    ;;
*)
    echo 'usage: scripts/test.sh [--long]' >&2
    exit 2
    ;;
esac
scripts/setup.sh "${long:---all}" || exit

logs=build/logs
mkdir -p "$logs"
passed=0 failed=0
summary=()

count() { # STAGE PASSED FAILED SECONDS
    passed=$((passed + $2))
    failed=$((failed + $3))
    summary+=("$(printf '%-22s %5d passed %3d failed %5d s' "$1" "$2" "$3" "$4")")
    echo "   ${summary[-1]}"
}

targets=()  # of the next build; none: all
build() { # STAGE FOLDER CONFIGURE_ARGUMENT...
    local stage=$1 folder=$2 log=$logs/$1-build.log start=$SECONDS
    shift 2
    echo "== $stage: building in $folder"
    if cmake "$@" -DCMAKE_COMPILE_WARNING_AS_ERROR=ON >"$log" 2>&1 &&
        cmake --build "$folder" "${targets[@]}" >>"$log" 2>&1; then
        count "$stage build" 1 0 $((SECONDS - start))
        return 0
    fi
    # What is not the compiler's progress is what went wrong.
    grep -vE '^(\[[0-9]+/[0-9]+\] |-- )' "$log" | head -n 60
    echo "The whole log is $log."
    count "$stage build" 0 1 $((SECONDS - start))
    return 1
}

run_tests() { # STAGE FOLDER CTEST_ARGUMENT...
    local stage=$1 folder=$2 log=$logs/$1-tests.log start=$SECONDS totals bad all
    shift 2
    echo "== $stage: testing"
    # One more at a time than there are processors: some wait, for a file, a second, or the end of what they killed.
    ctest --test-dir "$folder" --output-on-failure --timeout "$limit" -j $(($(nproc) + 1)) "$@" >"$log" 2>&1
    # "97% tests passed, 1 tests failed out of 37"; tests that could not run are among the failed.
    totals=$(sed -n 's/^.* tests passed, \([0-9]*\) tests failed out of \([0-9]*\)$/\1 \2/p' "$log")
    read -r bad all <<<"${totals:-1 1}"
    if [ "$bad" -ne 0 ]; then
        grep -vE '^ *[0-9]+/[0-9]+ .* Passed |^ *Start ' "$log" | head -n 200
        echo "The whole log is $log."
    fi
    count "$stage tests" $((all - bad)) "$bad" $((SECONDS - start))
}

cross_compile() { # STAGE COMPILER [link | run EMULATOR]
    local stage=$1 log=$logs/$1-compile.log start=$SECONDS bad=0
    shift
    echo "== $stage: compiling libmote"
    bash tests/checks/cross_compile.sh "$1" . "${@:2}" >"$log" 2>&1 || bad=1
    [ $bad -eq 0 ] || tail -n 60 "$log"
    count "$stage compile" $((1 - bad)) $bad $((SECONDS - start))
}

build release build/release --preset release && run_tests release build/release
# This stage is built by clang, so that its warnings are seen, too. Experiments of papers/ are long for what they run;
# numbers after many steps, also of bodies in water, of tanks of fields and of momentum, were looked at before, as were
# validations with the presets beside; and other tests take these steps, too. Of runs that are killed sanitizers hear
# nothing; what goes on from a state is in other tests.
memory='^papers\.|balance_momentum|validate_(tells|forecasts)|^tank_field\.(tanks_hold|water_starts)'
memory+='|^solids\.(nothing_enters|still_water|water_fits|water_that_ends|moving_bodies|overlapping)|bodies_are_thick'
memory+='|^boundaries\.(pressures_of_fast|water_starts_at_rest_around)|bodies_that_move_give_way'
memory+='|stretched_water|a_level_holds|swings_by|bubbles_rise|layers_stay_close|^program\.[a-z_]*killed_run'
memory=(-E "$memory" -LE numbers)
[ -z "$long" ] || memory=()
build asan build/asan --preset asan && run_tests asan build/asan "${memory[@]}"
# Races are looked for where threads work together; under TSan the rest only takes long. In programs with threads, too,
# some long tests are left out whose threads do what they do in others: what many steps come to, sums that are compared
# with all pairs, warm calls that allocate nothing, and runs that go on from a state. With the benchmarks, as no other
# stage has clang's warnings of them; those of their peers in C++ are seen with --long.
numbers='balance_momentum|stretched_water|jump_is_sigma|swings_by|bubbles_rise|order_two|sums_over_all'
numbers+='|at_the_right_rate|couette_flow|a_level_holds|a_level_may_change|forces_equal_all|resumed_runs'
numbers+='|states_have_motions|warm_.*nothing|tanks_hold_water|water_starts_calm|bodies_that_move_give_way'
numbers+='|individual_steps_go_through|water_stands_before|bunny|a_uniform_stream|signs_hold_near'
parallel=(-L parallel -E "\.[a-z_]*($numbers)")
targets=(--target parallel_tests mote-bench)
[ -z "$long" ] || parallel=() targets=()
# Before a program with threads ends, TSan lets it sleep for a second, for races that may yet come. There are hundreds
# of programs, most of which run for less: a twentieth of a second is left.
export TSAN_OPTIONS="atexit_sleep_ms=50${TSAN_OPTIONS:+:$TSAN_OPTIONS}"
build tsan build/tsan --preset tsan && run_tests tsan build/tsan "${parallel[@]}"

if [ "$long" ]; then
    build clang build/clang -S . -B build/clang -G Ninja -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ &&
        run_tests clang build/clang
    build debug build/debug --preset debug && run_tests debug build/debug
    build serial build/serial -S . -B build/serial -G Ninja -DMOTE_THREADS=OFF -DMOTE_BENCH=OFF &&
        run_tests serial build/serial
    cross_compile mingw x86_64-w64-mingw32-gcc link
    cross_compile emscripten emcc run node
    cross_compile wasi 'clang --target=wasm32-wasi' run \
        'node --no-warnings --experimental-wasi-unstable-preview1 --single-threaded tests/checks/wasi.mjs'
fi
if [ "$long" ] || hash aarch64-linux-gnu-gcc qemu-aarch64 2>/dev/null; then
    cross_compile arm64 aarch64-linux-gnu-gcc run qemu-aarch64
else
    echo '== arm64: left out, as aarch64-linux-gnu-gcc or qemu-aarch64 is not there: scripts/setup.sh --long has them'
fi

echo
printf '%s\n' "${summary[@]}"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
