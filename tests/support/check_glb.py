#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks a GLB file against the glTF 2.0 specification, and prints its positions, normals and triangles.

Checked are what sections 3.6.2 and 4.4 demand: heads, chunks and their padding, alignment and bounds of views and
accessors, min and max to the bit, unit normals, indices in range, and that every object is referred to in range.
"""
import json
import struct
import sys

SIZES = {5121: 1, 5123: 2, 5125: 4, 5126: 4}
FORMATS = {5121: "B", 5123: "H", 5125: "I", 5126: "f"}
PARTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}


def values(gltf, binary, index, target):
    accessor = gltf["accessors"][index]
    view = gltf["bufferViews"][accessor["bufferView"]]
    kind, parts, count = accessor["componentType"], PARTS[accessor["type"]], accessor["count"]
    offset = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    stride = view.get("byteStride", SIZES[kind] * parts)
    assert count >= 1 and view["target"] == target
    assert offset % SIZES[kind] == 0, "accessors are aligned to their component's size"
    assert target != 34962 or (offset % 4 == 0 and stride % 4 == 0), "elements of vertices begin at four bytes"
    assert (count - 1) * stride + SIZES[kind] * parts <= view["byteLength"]
    assert view.get("byteOffset", 0) + view["byteLength"] <= gltf["buffers"][0]["byteLength"]
    return accessor, [struct.unpack_from("<%d%s" % (parts, FORMATS[kind]), binary, offset + i * stride)
                      for i in range(count)]


def check_mesh(gltf, binary, primitive):
    attributes = primitive["attributes"]
    accessor, positions = values(gltf, binary, attributes["POSITION"], 34962)
    for k in range(3):
        column = [p[k] for p in positions]
        assert accessor["min"][k] == min(column) and accessor["max"][k] == max(column), "min and max are exact"
    if "NORMAL" in attributes:
        normals = values(gltf, binary, attributes["NORMAL"], 34962)[1]
        assert len(normals) == len(positions)
        assert all(abs(sum(c * c for c in n) - 1) < 1e-3 for n in normals), "normals are unit vectors"
    if "COLOR_0" in attributes:
        accessor, colors = values(gltf, binary, attributes["COLOR_0"], 34962)
        assert accessor["normalized"] and len(colors) == len(positions)
        print("color", *colors[0])
    accessor, indices = values(gltf, binary, primitive["indices"], 34963)
    assert len(indices) % 3 == 0 and all(i[0] < len(positions) for i in indices)
    assert 0 <= primitive["material"] < len(gltf["materials"]) and primitive["mode"] == 4
    print(len(positions), len(indices) // 3)
    for p in positions:
        print(*p)


def main():
    data = open(sys.argv[1], "rb").read()
    magic, version, length = struct.unpack_from("<III", data, 0)
    assert (magic, version, length) == (0x46546C67, 2, len(data)) and length % 4 == 0
    size, kind = struct.unpack_from("<II", data, 12)
    assert kind == 0x4E4F534A and size % 4 == 0, "the first chunk is JSON"
    gltf = json.loads(data[20:20 + size].decode("utf-8"))
    assert gltf["asset"]["version"] == "2.0"
    if "nodes" not in gltf:
        assert 20 + size == len(data) and gltf["scenes"] == [{}]
        print("empty")
        return
    binary_size, kind = struct.unpack_from("<II", data, 20 + size)
    assert kind == 0x004E4942 and binary_size % 4 == 0 and 28 + size + binary_size == len(data)
    assert 0 <= binary_size - gltf["buffers"][0]["byteLength"] < 4
    assert gltf["scenes"][gltf["scene"]]["nodes"] == [0]
    node = gltf["nodes"][0]
    assert abs(sum(q * q for q in node["rotation"]) - 1) < 1e-6
    print("translation", *node["translation"])
    check_mesh(gltf, data[28 + size:], gltf["meshes"][node["mesh"]]["primitives"][0])


main()
