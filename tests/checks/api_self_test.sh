#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Does api.py find what breaks a rule? A header that breaks each of them must be told of, line by line.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/include/mote" "$folder/docs"
cp "$here/../../docs/api.md" "$folder/docs"
cat >"$folder/include/mote/bad.h" <<'END'
typedef struct mote_bad_def {
    int count;
} mote_bad_def;
MOTE_API mote_result mote_bad_create(const mote_bad_def *def, mote_bad **bad);
MOTE_API void mote_bad_destroy(mote_context *context, mote_bad *bad);
MOTE_API mote_result mote_bad_move(mote_bad *bad, int kind, void (*visitor)(void *data, int a), mote_error *error);
MOTE_API bool mote_bad_sort(mote_bad *bad, mote_error *error);
END

said=$(python3 "$here/api.py" "$folder" || true)
expect() {
    grep -qF "$1" <<<"$said" && return
    printf 'api.py did not say "%s", but:\n%s\n' "$1" "$said"
    exit 1
}
expect 'mote_bad_create can fail, but mote_error *error is not its last parameter'
expect 'mote_bad_create does not take a context first'
expect 'mote_bad_destroy needs more than what it ends'
expect 'mote_bad_move: int kind should be an enum'
expect 'mote_bad_sort takes an error, but does not return a mote_result'
expect 'mote_bad_def has no default function'
expect 'mote_bad_def has no field table'
expect 'mote_bad_def is not signed by a cookie'
expect 'mote_bad has no _byte_count'
expect 'mote_bad has no _get_counters or _get_stats'
expect 'mote_bad has no _validate'
expect 'the verb move is not this module'
expect 'the check has gone blind'
if grep -q 'mote_bad_move can fail' <<<"$said"; then
    echo 'api.py does not see the last parameter behind one with parentheses'
    exit 1
fi
