#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes the same three points with arrays as VTK's own writers do, in all their forms, to the folder given.

Exit status 3: VTK is missing."""
import sys

try:
    import vtk
except ImportError:
    sys.exit(3)


def array(kind, name, components, numbers):
    made = kind()
    made.SetName(name)
    made.SetNumberOfComponents(components)
    for i in range(0, len(numbers), components):
        made.InsertNextTuple(numbers[i:i + components])
    return made


def fill(data):
    points = vtk.vtkPoints()
    points.SetDataType(vtk.VTK_DOUBLE)
    for i in range(3):
        points.InsertNextPoint(i, 0 - 0.5 * i, 0.1)
    data.SetPoints(points)
    arrays = data.GetPointData()
    arrays.AddArray(array(vtk.vtkFloatArray, "velocity", 3, [0.5 * i for i in range(9)]))
    arrays.AddArray(array(vtk.vtkTypeInt64Array, "id", 1, [7, -8, 1 << 40]))
    arrays.AddArray(array(vtk.vtkDoubleArray, "density", 1, [1000.5, 1e-3, 998]))
    arrays.AddArray(array(vtk.vtkUnsignedCharArray, "kind", 1, [0, 255, 3]))
    return data


def write(writer, data, path):
    writer.SetInputData(data)
    writer.SetFileName(path)
    writer.Write()


def main():
    folder = sys.argv[1]
    grid, poly = fill(vtk.vtkUnstructuredGrid()), fill(vtk.vtkPolyData())
    cells = vtk.vtkCellArray()
    for i in range(3):
        cells.InsertNextCell(1, [i])
        grid.InsertNextCell(vtk.VTK_VERTEX, 1, [i])
    poly.SetVerts(cells)
    for data, ending, kind in ((grid, "vtu", vtk.vtkXMLUnstructuredGridWriter),
                               (poly, "vtp", vtk.vtkXMLPolyDataWriter)):
        for mode in ("Ascii", "Binary", "Appended"):
            for packed in (False, True):
                for encoded in (False, True):
                    for big in (False, True):
                        for wide in (False, True):
                            writer = kind()
                            getattr(writer, "SetDataModeTo" + mode)()
                            writer.SetCompressorTypeToZLib() if packed else writer.SetCompressorTypeToNone()
                            writer.SetEncodeAppendedData(encoded)
                            writer.SetByteOrderToBigEndian() if big else writer.SetByteOrderToLittleEndian()
                            writer.SetHeaderTypeToUInt64() if wide else writer.SetHeaderTypeToUInt32()
                            name = "%s/%s-%d%d%d%d.%s" % (folder, mode, packed, encoded, big, wide, ending)
                            write(writer, data, name)
    for data, name, kind in ((grid, "grid", vtk.vtkUnstructuredGridWriter), (poly, "poly", vtk.vtkPolyDataWriter)):
        for binary in (False, True):
            for version in (42, 51):
                writer = kind()
                writer.SetFileTypeToBinary() if binary else writer.SetFileTypeToASCII()
                writer.SetFileVersion(version)
                write(writer, data, "%s/%s-%d-%d.vtk" % (folder, name, binary, version))


main()
