#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Programs with errors in their sums fail the cases of mote validate that claim to see them: each is compiled from a
# copy of the sources in which one line is changed.
# usage: mutants.sh ROOT           exit status 77: this is for long runs (MOTE_LONG_TESTS)
#        mutants.sh ROOT --lines   only whether the lines that are to be changed are still there
set -u
root=$1 only_lines=${2-} failed=0
[ "${MOTE_LONG_TESTS-}" ] || [ "$only_lines" ] || { echo 'a long test: MOTE_LONG_TESTS=1 runs it'; exit 77; }
out=$(mktemp -d) || exit 2
trap 'rm -rf "$out"' EXIT

prepare() {
    local only=(-DMOTE_TESTS=OFF -DMOTE_BENCH=OFF -DMOTE_PAPERS=OFF)
    mkdir "$out/source"
    tar -C "$root" --exclude=./build --exclude=./.git -cf - . | tar -C "$out/source" -xf - || exit 2
    cmake -S "$out/source" -B "$out/build" -DCMAKE_BUILD_TYPE=Release "${only[@]}" >"$out/log" 2>&1 ||
        { cat "$out/log"; exit 1; }
}

# WHAT FILE EXPRESSION: a line that was reworded would make a mutant that is none.
must_change_a_line() {
    sed -E "$3" "$root/$2" | cmp -s - "$root/$2" || return
    echo "$1: $3 changes nothing in $2"
    failed=1
}

must_fail() { # WHAT CASE FILE EXPRESSION
    [ "$only_lines" ] && { must_change_a_line "$1" "$3" "$4"; return; }
    local what=$1 case=$2 file=$out/source/$3 status
    cp "$file" "$out/kept"
    sed -i -E "$4" "$file"
    if cmp -s "$file" "$out/kept"; then
        echo "$what: $4 changes nothing in $3"
        failed=1
        return
    fi
    if cmake --build "$out/build" --target mote-program >"$out/log" 2>&1; then
        "$out/build/bin/mote" validate "$case" --preset engineering --scenes "$root/scenes/validation" \
            >"$out/table" 2>&1
        status=$?
        echo "$what: $case ends with status $status, $(tail -n 1 "$out/table")"
        [ $status -eq 1 ] && grep -Eq ' [1-9][0-9]* failed' "$out/table" || failed=1
    else
        cat "$out/log"
        failed=1
    fi
    cp "$out/kept" "$file"
}

[ "$only_lines" ] || prepare
must_fail "the kernel's factor is 5 % too large" poiseuille src/fluid/kernels.c \
    's,7 / \(pi \* h \* h\),7.35 / (pi * h * h),'
must_fail "the kernel's factor in 3D is 10 % too large" hydrostatic-3d src/fluid/kernels.c \
    's,21 / \(2 \* pi,23.1 / (2 * pi,'
must_fail "density diffuses the wrong way" hydrostatic-2d src/fluid/solver_weak.c \
    's/phase->diffusivity = def/phase->diffusivity = -def/'
must_fail "velocities of walls are not mirrored" couette src/fluid/weak_walls.c \
    's/2 \* \(double\)own->/1 * (double)own->/'
must_fail "pressures of neighbours are subtracted" drop src/fluid/weak_pairs.c \
    's/push = seen->scalar \+ self->motion.scalar/push = seen->scalar - self->motion.scalar/'
must_fail "areas of inlets are 10 % too large" stream src/fluid/open_face.c \
    's,/ face->area;,/ (1.1 * face->area);,'
must_fail "tension has the other sign" laplace src/fluid/tension_stress.c 's/a\[k\] \+= factor/a[k] -= factor/'
must_fail "normals of the other fluid are not turned" swing src/fluid/tension_curvature.c \
    's/== phase \? 1 : -1/== phase ? 1 : 1/'
exit $failed
