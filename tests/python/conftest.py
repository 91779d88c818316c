# SPDX-License-Identifier: MIT
"""What the tests of the Python package share. CTest sets PYTHONPATH; by hand, the build tree's package is found."""

import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

if "MOTE_TEST_INSTALLED" not in os.environ:  # else the package of the environment is tested
    folder = os.environ.get("MOTE_PYTHON_FOLDER", str(ROOT / "build" / "release" / "python"))
    if folder not in sys.path:
        sys.path.insert(0, folder)
    os.environ["PYTHONPATH"] = folder + os.pathsep + os.environ.get("PYTHONPATH", "")
