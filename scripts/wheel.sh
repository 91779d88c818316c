#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the Python wheel of libmote, and checks what it promises: one file for every Python 3, at most 1 MB, for Linux
# with the C library of 2021 (glibc 2.34) or newer, which is what its name then says.
# usage: scripts/wheel.sh [FOLDER]      FOLDER: where the wheel goes; default: build/wheel
#        PYTHON=python3                 which has pip, and may download scikit-build-core
# exit status: 0 done; 1 the wheel is not what it should be; 2 the build back end cannot be had
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=${1:-build/wheel} python=${PYTHON:-python3}
newest=2.34  # where pthread_create and its kin have had their place since
mkdir -p "$folder"
rm -f "$folder"/mote-*.whl
log=$folder/wheel.log

platform=manylinux_${newest/./_}_$(uname -m)
if ! _PYTHON_HOST_PLATFORM=$platform "$python" -m pip wheel --no-deps --wheel-dir "$folder" . >"$log" 2>&1; then
    if grep -qE 'No matching distribution|Could not find a version|Connection|No module named pip' "$log"; then
        echo "wheel.sh: scikit-build-core cannot be had: see $log"
        exit 2
    fi
    tail -n 40 "$log"
    exit 1
fi
wheel=$(ls "$folder"/mote-*.whl)

fail() {
    echo "wheel.sh: $wheel: $*"
    exit 1
}
case $wheel in
*-py3-none-"$platform".whl) ;;
*) fail "expected a name that ends in -py3-none-$platform.whl" ;;
esac
[ "$(stat -c %s "$wheel")" -le 1000000 ] || fail "$(stat -c %s "$wheel") bytes, expected at most 1,000,000"
inside=$(mktemp -d)
trap 'rm -rf "$inside"' EXIT
"$python" -m zipfile -e "$wheel" "$inside"
libraries=$(find "$inside" -name '*.so*')
[ "$(wc -w <<<"$libraries")" -eq 1 ] || fail "holds $libraries, expected libmote alone"
# What it needs: the C library's own files, of no later version than its name says.
needs=$(objdump -p "$libraries" | awk '$1 == "NEEDED" { print $2 }' |
    grep -vE '^(libc|libm|libpthread|ld-linux[-a-z0-9_]*)\.so' || true)
[ -z "$needs" ] || fail "needs $needs"
found=$(objdump -T "$libraries" | grep -oE 'GLIBC_[0-9.]+' | sed 's/GLIBC_//' | sort -uV | tail -n 1)
[ "$(printf '%s\n' "$found" "$newest" | sort -V | tail -n 1)" = "$newest" ] || fail "needs glibc $found"
echo "$wheel"
