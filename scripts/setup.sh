#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs the Debian packages that mote needs and that are missing; nothing else.
# usage: scripts/setup.sh [--python | --all | --long | --wasm]      to build and run mote; and its Python package with
#        what the package is tested with; to test everything; for the long tests as well; for scripts/wasm.sh alone
# exit status: 0 all is there; 1 apt failed; 2 wrong usage, or no right to install (says what to run instead)
set -euo pipefail

# What `mote` is built from and with, Mesa's renderer, a font, an encoder, and the Stanford bunny (glmark2-data).
packages=(gcc libc6-dev cmake ninja-build pkg-config
    libjansson-dev libpng-dev zlib1g-dev libepoxy-dev libegl-dev libegl1 libgl1-mesa-dri libfreetype-dev libassimp-dev
    fonts-dejavu-core ffmpeg glmark2-data)
time='a minute or two'

# The other compiler, its linker and sanitizers, the test framework, the benchmarks' peers, VTK to read our files,
# plots, the reference (6 MB).
testing=(g++ clang lld libclang-rt-14-dev libcmocka-dev libnanoflann-dev libboost-dev libbullet-dev libfcl-dev
    libembree-dev python3-vtk9 gnuplot-nox doxygen)
# The Python package needs numpy; it is compared with scipy and ASE (30 MB without what they recommend).
python=(python3 python3-numpy python3-scipy python3-ase python3-pytest python3-mypy)
# WebAssembly without a browser: what clang lacks for it, and what runs it.
wasm=(clang lld wasi-libc libclang-rt-14-dev-wasm32 nodejs)
# Compilers for other systems: Windows, browsers, arm64 with an emulator that runs its programs (56 MB).
crossing=(gcc-mingw-w64-x86-64 emscripten gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user "${wasm[@]}")

case ${1-} in
'') ;;
--python)
    packages+=("${python[@]}")
    ;;
--all)
    packages+=("${testing[@]}" "${python[@]}")
    time='two to four minutes'
    ;;
--long)
    packages+=("${testing[@]}" "${python[@]}" "${crossing[@]}")
    time='four to eight minutes'
    ;;
--wasm)
    packages=("${wasm[@]}")
    ;;
*)
    echo 'usage: scripts/setup.sh [--python | --all | --long | --wasm]' >&2
    exit 2
    ;;
esac

is_installed() {
    # A line for each architecture that has it.
    dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "This script knows Debian and its kin only. mote needs what is called there: ${packages[*]}" >&2
    exit 2
fi
missing=()
for package in "${packages[@]}"; do
    is_installed "$package" || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
    echo 'Set-up: all packages are installed.'
    exit 0
fi

by_hand() {
    echo 'Packages are missing, and installing them takes root or sudo. Run this once, then try again:' >&2
    echo "apt-get update && apt-get install -y --no-install-recommends ${missing[*]}" >&2
    exit 2
}
as_root=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || by_hand
    sudo true </dev/null || by_hand
    as_root=(sudo)
fi
apt() { # variables are set inside sudo, which would drop them; nobody is there to answer questions
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -q "$@" </dev/null
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt_or_fail() {
    apt "$@" >"$log" 2>&1 && return
    tail -n 20 "$log" >&2
    echo "apt-get $1 failed: see above." >&2
    exit 1
}

echo "Set-up: missing packages: ${missing[*]}"
apt_or_fail update
size=$(apt install --assume-no --no-install-recommends "${missing[@]}" 2>/dev/null |
    sed -n 's/^Need to get \(.* [kMG]\?B\).*/\1/p') || true
echo "Set-up: downloading ${size:-an unknown amount}, then installing; usually $time."
apt_or_fail install -y --no-install-recommends "${missing[@]}"
echo "Set-up: installed ${#missing[@]} packages and what they need."
