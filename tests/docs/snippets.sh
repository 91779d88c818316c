#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compiles the C code of the README and of the pages, as somebody would who copies it, with every warning an error.
# usage: snippets.sh ROOT CC
set -u
root=$1 cc=$2 failed=0 found=0
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT

# What a page leaves to its reader.
cat >"$folder/before.h" <<'EOF'
#include <mote/hits.h>
#include <mote/neighbors.h>
#include <mote/proxy.h>
#include <mote/surface.h>
int example(mote_mesh *mesh, float *positions, float *velocities, uint8_t *labels, size_t count, int steps, double dt);
void interact(uint32_t i, uint32_t j);
void push(float *velocities);
EOF
for page in "$root"/README.md "$root"/docs/*.md; do
    code=$(awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside && !/^#include/' "$page")
    [ -n "$code" ] || continue
    found=$((found + 1))
    {
        echo '#include "before.h"'
        echo 'int example(mote_mesh *mesh, float *positions, float *velocities, uint8_t *labels, size_t count,'
        echo '            int steps, double dt)'
        echo '{'
        grep -q '^mote_error error;' <<<"$code" || echo '    mote_error error; (void)error;'
        echo '    (void)mesh, (void)positions, (void)velocities, (void)labels, (void)count, (void)steps, (void)dt;'
        echo "$code"
        echo '    return 0;'
        echo '}'
    } >"$folder/example.c"
    "$cc" -std=c17 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -fsyntax-only -I"$root/include" \
        "$folder/example.c" || { echo "^ the C code of $page"; failed=1; }
done
[ "$found" -ge 2 ] || { echo "expected C code in README.md and docs/proxy.md, found it in $found pages"; failed=1; }
exit $failed
