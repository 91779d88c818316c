#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The check of the repository's text finds what it is there for, and only that.
set -u
check=$(dirname "$0")/text.sh
house=$(mktemp -d)
trap 'rm -rf "$house"' EXIT
failed=0

expect() { # STATUS LINE: in a source file of its own
    printf '// SPDX-License-Identifier: MIT\n%b\n' "$2" >"$house/a.c"
    local answer status
    answer=$(bash "$check" "$house" 2>&1)
    status=$?
    if [ $status -ne "$1" ] || { [ "$1" -eq 1 ] && [[ $answer != *a.c:2:* ]]; }; then
        printf 'expected exit status %s, found %s for: %s\n%s\n' "$1" $status "$2" "$answer"
        failed=1
    fi
}

# Lines to refuse, and those that look like them, are put together here, so that this file does not hold them.
long=$(printf '%0120d' 0)
expect 0 '// See https://www.vtk.org/format and /usr/share/models, out/wo''rk/frames, ../sha''red_table'
expect 0 "$long"
expect 0 "${long/000/ρ·é}"
expect 1 "${long}x"
expect 1 '// '"/wo""rk/main/build"
expect 1 'open("'"/ho""me/me/a.obj\")"
expect 1 '// '"../sha""red/tools"
expect 1 '// '"https://local""host:8080/x"
expect 1 '// '"http://192.168"".1.20/debian"
expect 1 '// '"https:/""/mirror/debian"
expect 1 '// TO''DO: later'
expect 1 '\tx'
expect 1 'x '
printf 'int x;\n' >"$house/a.c"
bash "$check" "$house" | grep -q 'a.c:1: lacks the line' ||
    { echo 'a file without its licence was accepted'; failed=1; }
exit $failed
