# SPDX-License-Identifier: MIT
"""Whether every particle of every frame of a run is in its picture, and no camera stands closer than an earlier one.

in_view.py FOLDER: projects the points of FOLDER/particles_NNNN.vtp and grains_NNNN.vtp with the camera that run.json
has for the frame. Prints one line for whatever is wrong; exit status 1 then, 77: VTK is not installed.
"""
import glob
import json
import math
import sys

try:
    from vtkmodules.vtkIOXML import vtkXMLPolyDataReader
except ImportError:
    sys.exit(77)


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def sub(a, b):
    return [x - y for x, y in zip(a, b)]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def unit(a):
    return [x / math.sqrt(dot(a, a)) for x in a]


def points_of(path):
    reader = vtkXMLPolyDataReader()
    reader.SetFileName(path)
    reader.Update()
    data = reader.GetOutput()
    return [data.GetPoint(i) for i in range(data.GetNumberOfPoints())]


def main(folder):
    with open(folder + "/run.json") as file:
        run = json.load(file)
    picture = run["parameters"]["picture"]
    half_height = math.tan(math.radians(picture["field_of_view"]) / 2)
    half_width = half_height * picture["width"] / picture["height"]
    wrong, seen, closest = 0, 0, 0.0
    for frame in run["frames"]:
        to = sub(frame["eye"], frame["target"])
        back = unit(to)
        right = unit(cross([0, 0, 1], back))
        up = cross(back, right)
        if math.sqrt(dot(to, to)) < closest * (1 - 1e-9):
            wrong += 1
            print("frame %d: the camera has come closer" % frame["frame"])
        closest = math.sqrt(dot(to, to))
        for path in glob.glob("%s/*_%04d.vtp" % (folder, frame["frame"])):
            for point in points_of(path):
                d = sub(point, frame["eye"])
                depth = -dot(d, back)
                inside = abs(dot(d, right)) < depth * half_width and abs(dot(d, up)) < depth * half_height
                seen += 1
                if not inside:
                    wrong += 1
                    print("frame %d: %s is not in the picture" % (frame["frame"], list(point)))
    if seen == 0:
        print("there are no particles")
        wrong = 1
    sys.exit(1 if wrong else 0)


main(*sys.argv[1:])
