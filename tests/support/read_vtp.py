# SPDX-License-Identifier: MIT
"""Reads a VTP file with VTK's own reader, for the tests to compare with what was written.

read_vtp.py FILE OUT: writes to OUT.txt a line per array (name, type as f32 or u64, components, tuples; then cells and
time), and to OUT.bin the arrays' bytes one after the other. Exit status 77: VTK is not installed.
"""
import sys

try:
    from vtkmodules.vtkIOXML import vtkXMLPolyDataReader
except ImportError:
    sys.exit(77)


def type_name(array):
    name = array.GetDataTypeAsString()
    letter = "f" if name in ("float", "double") else "u" if "unsigned" in name else "i"
    return "%s%d" % (letter, 8 * array.GetDataTypeSize())


def main(path, out):
    reader = vtkXMLPolyDataReader()
    failures = []
    reader.AddObserver("ErrorEvent", lambda *_: failures.append(1))
    reader.SetFileName(path)
    reader.Update()
    if failures:
        sys.exit(1)
    data = reader.GetOutput()
    arrays = [data.GetPointData().GetArray(k) for k in range(data.GetPointData().GetNumberOfArrays())]
    arrays.append(data.GetPoints().GetData())
    arrays += [data.GetCellData().GetArray(k) for k in range(data.GetCellData().GetNumberOfArrays())]
    cells = data.GetVerts() if data.GetNumberOfVerts() else data.GetPolys()
    with open(out + ".txt", "w") as text, open(out + ".bin", "wb") as binary:
        for array in arrays:
            text.write("%s %s %d %d\n" % (array.GetName(), type_name(array), array.GetNumberOfComponents(),
                                          array.GetNumberOfTuples()))
            if array.GetNumberOfTuples():
                binary.write(memoryview(array))
        text.write("verts %d polys %d\n" % (data.GetNumberOfVerts(), data.GetNumberOfPolys()))
        if cells.GetNumberOfCells():
            binary.write(memoryview(cells.GetConnectivityArray()))
            binary.write(memoryview(cells.GetOffsetsArray()))
        time = data.GetFieldData().GetArray("TimeValue")
        if time:
            text.write("time %r\n" % time.GetValue(0))


main(*sys.argv[1:])
