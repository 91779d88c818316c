#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# mote validate: its quick cases hold, and they fail where physics are broken.
# usage: validate.sh holds MOTE ROOT CASE              nothing fails
#        validate.sh fails MOTE ROOT CASE EXPRESSION   something does, after a sed expression changed the case's scenes
# With LONG in the environment the test is for long runs (MOTE_LONG_TESTS), and its exit status otherwise 77. With
# RESOLUTION it is judged by the full set's tolerances at that resolution.
set -u
wish=$1 mote=$2 root=$3 case=$4
[ "${LONG-}" ] && [ -z "${MOTE_LONG_TESTS-}" ] && { echo 'a long test: MOTE_LONG_TESTS=1 runs it'; exit 77; }
out=$(mktemp -d) || exit 2
trap 'rm -rf "$out"' EXIT
cp -r "$root/scenes/validation" "$out/scenes" || exit 2
if [ "$wish" = fails ]; then
    sed -i -E "$5" "$out"/scenes/*/"$case"*.json
    diff -rq "$root/scenes/validation" "$out/scenes" >"$out/changes" && { echo "$5 changes nothing"; exit 1; }
fi
"$mote" validate "$case" --preset engineering ${RESOLUTION:+--resolution "$RESOLUTION"} --scenes "$out/scenes" \
    >"$out/table" 2>"$out/err"
status=$?
cat "$out/table" "$out/err"
if grep -q '[^0-9]0 told$' "$out/table"; then words=0; else words=1; fi
[ "$(grep -c '^told: ' "$out/table")" -eq $words ] || { echo 'told is to be explained where it stands'; exit 1; }
if [ "$wish" = holds ]; then
    echo "expected: status 0 and nothing that failed; status is $status"
    [ $status -eq 0 ] && grep -q '^[1-9][0-9]* passed, 0 failed, [0-9]* told$' "$out/table"
else
    echo "expected: status 1 and something that failed; status is $status"
    [ $status -eq 1 ] && grep -Eq '^[0-9]+ passed, [1-9][0-9]* failed, [0-9]+ told$' "$out/table"
fi
