# SPDX-License-Identifier: MIT
"""The arrays in the files that `mote run` writes, as checksums: three frames of a scene.

scenes.py MOTE SCENE THREADS [long]: runs the scene in a folder that is removed again, and prints a line per array of
each VTP file: a checksum of its values (not of compressed bytes, which depend on zlib), file and name. A PLY file is
one. No field or proxy of an earlier run is read. Exit status 77: this is for long runs (MOTE_LONG_TESTS).
"""
import glob
import hashlib
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib


def appended(data, offset):
    """The values of an array that begins there: blocks of compressed bytes (VTK's own format)."""
    count, _, _ = struct.unpack_from("<3Q", data, offset)
    sizes = struct.unpack_from("<%dQ" % count, data, offset + 24)
    at = offset + 24 + 8 * count
    values = b""
    for size in sizes:
        values += zlib.decompress(data[at:at + size])
        at += size
    return values


def checksum(values):
    return hashlib.sha256(values).hexdigest()[:16]


def arrays_of_vtp(path):
    with open(path, "rb") as file:
        text, _, rest = file.read().partition(b"<AppendedData")
    data = rest[rest.index(b"_") + 1:]
    yield "text", re.sub(rb' offset="\d+"', b"", text)
    for name, offset in re.findall(rb'Name="(\w+)"[^>]*? offset="(\d+)"', text):
        yield name.decode(), appended(data, int(offset))


def main(mote, scene, threads, when=None):
    if when == "long" and "MOTE_LONG_TESTS" not in os.environ:
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        done = subprocess.run([mote, "run", scene, "--frames", "3", "--no-images", "--quiet", "--threads", threads,
                               "-o", out], env=dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, "cache")))
        if done.returncode != 0:
            sys.exit("scenes.py: %s: exit status %d, expected 0" % (scene, done.returncode))
        for path in sorted(glob.glob(os.path.join(out, "*.vtp"))):
            for name, values in arrays_of_vtp(path):
                print(checksum(values), os.path.basename(path), name)
        for path in sorted(glob.glob(os.path.join(out, "*.ply"))):
            with open(path, "rb") as file:
                print(checksum(file.read()), os.path.basename(path))


main(*sys.argv[1:])
