#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# From a fresh clone to pictures: installs what is missing, builds mote, and breaks a dam over the Stanford bunny.
# A shortened run, about five minutes on two cores beyond the download; the whole one is: mote run SCENE.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scene=dam-break-bunny
frames=46
out=out/$scene-demo

scripts/setup.sh
echo 'Building mote …'
mkdir -p build
cmake -S . -B build/demo -G Ninja -DCMAKE_BUILD_TYPE=Release -DMOTE_TESTS=OFF -DMOTE_BENCH=OFF >build/demo.log 2>&1 &&
    cmake --build build/demo >>build/demo.log 2>&1 || {
    tail -n 30 build/demo.log >&2
    echo 'mote did not build: see above, and build/demo.log.' >&2
    exit 1
}
build/demo/bin/mote run "scenes/$scene.json" --frames "$frames" -o "$out" --overwrite

last=$(printf '%04d' $((frames - 1)))
for file in "frames/0000.png" "frames/$last.png" "$scene.mp4" particles.pvd; do
    if [ ! -s "$out/$file" ]; then
        echo "The run ended, but $out/$file is missing." >&2
        exit 1
    fi
done
cat <<TEXT

Done. Look at what came out:
  pictures   $out/frames/0000.png to $last.png
  video      $out/$scene.mp4
  ParaView   $out/particles.pvd (open this one file; it names the others)
TEXT
