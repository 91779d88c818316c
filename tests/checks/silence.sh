#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A release archive of ours neither prints to the host's streams nor ends its process: it refers to nothing that could.
# usage: silence.sh ARCHIVE...
set -eu
forbidden='stdin|stdout|stderr|v?printf|__v?printf_chk|puts|putchar|perror|getchar'
forbidden+='|exit|_exit|_Exit|quick_exit|abort|raise|kill|__assert_fail|__assert|atexit|signal|setlocale|system'
failed=0
for archive in "$@"; do
    if nm -A -u "$archive" 2>/dev/null | grep -E " U ($forbidden)(@.*)?\$"; then failed=1; fi
    nm -u "$archive" 2>/dev/null | grep -q ' U ' || { echo "$archive: nothing to look at"; failed=1; }
done
exit $failed
