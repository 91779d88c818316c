# SPDX-License-Identifier: MIT
"""The generated table is what the headers say, and what a C compiler makes of them; and what is done with it."""

import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from mote import _abi
from mote._points import PACKED_POINTS
from mote.rows import PACKED_ARRAYS

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_table_is_up_to_date():
    done = subprocess.run(
        [sys.executable, str(ROOT / "python/generate.py"), "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def proven(tmp_path_factory):
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not compiler:
        pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("proof")
    subprocess.run([sys.executable, str(ROOT / "python/generate.py"), "--proof", str(folder / "proof.c")], check=True)
    subprocess.run(
        compiler.split() + ["-std=c17", f"-I{ROOT}/include", "-o", str(folder / "proof"), str(folder / "proof.c")],
        check=True,
    )
    lines = subprocess.run([str(folder / "proof")], capture_output=True, text=True, check=True).stdout.splitlines()
    found = {name: tuple(map(int, values)) for name, *values in (line.split() for line in lines)}
    assert len(found) > 700
    return found


def test_structs(proven):
    count = 0
    for name, kind in _abi.STRUCTS.items():
        assert proven.pop(f"sizeof.{name}") == (ctypes.sizeof(kind),), name
        for member, _ in kind._fields_:
            place = getattr(kind, member)
            assert proven.pop(f"{name}.{member}") == (place.offset, place.size), f"{name}.{member}"
            count += 1
    assert count > 400


@pytest.mark.parametrize("packed, kind", [(PACKED_POINTS, _abi.mote_points), (PACKED_ARRAYS, _abi.mote_pair_arrays)])
def test_packed_structs(packed, kind):
    """What is packed for a call lies where the struct has it."""
    codes = packed.format.lstrip("@").replace("0P", "")
    values = [bool(k % 2) if code == "?" else 100 + k for k, code in enumerate(codes)]
    found = kind.from_buffer_copy(packed.pack(*values))
    members = [getattr(found, name) for name, _ in kind._fields_]
    flat = [value for member in members for value in (member if isinstance(member, ctypes.Array) else [member])]
    assert packed.size == ctypes.sizeof(kind) and flat == values


def test_values(proven):
    sizes = {name: values for name, values in proven.items() if name.startswith("sizeof.") and name[7:] in _abi.ENUMS}
    assert len(sizes) == len(_abi.ENUMS) and all(size == (ctypes.sizeof(ctypes.c_int),) for size in sizes.values())
    for values in _abi.ENUMS.values():
        for name in values:
            assert proven[name] == (getattr(_abi, name),), name
    constants = [name for name in vars(_abi) if re.fullmatch(r"MOTE_\w+", name)]
    assert len(constants) > 100
    for name in constants:
        assert proven[name] == (getattr(_abi, name),), name


def test_members_of_every_struct():
    """No member that a header has is left out: a second, simpler reader counts them."""
    for path in (ROOT / "include/mote").glob("*.h"):
        text = re.sub(r"//[^\n]*", "", path.read_text())
        for name, body in re.findall(r"^typedef struct (mote_\w+) \{(.*?)^\} \1;", text, re.M | re.S):
            members = len(
                re.findall(
                    r"\w+(?:\[\w+(?: \+ 1)?\])?(?=\s*[,;])|\(\*\w+\)(?=\()", re.sub(r"\)\([^;]*\);", ")(", body)
                )
            )
            assert members == len(_abi.STRUCTS[name]._fields_), name


def declared():
    script = ROOT / "tests/checks/declarations.sh"
    return set(
        subprocess.run(["bash", str(script), str(ROOT)], capture_output=True, text=True, check=True).stdout.split()
    )


def test_every_function_is_in_the_table():
    assert declared() == set(_abi.FUNCTIONS)


def test_every_function_is_used_or_listed():
    """What Python does not call stands in python/unbound.txt with its reason, and nothing else does."""
    used = set()
    for path in (ROOT / "python/mote").glob("*.py"):
        if path.name != "_abi.py":
            used |= set(re.findall(r"\b(mote_[a-z0-9_]+)\b", path.read_text()))
    listed = {}
    for line in (ROOT / "python/unbound.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, reason = line.split(None, 1)
            assert name not in listed, f"{name} is listed twice"
            listed[name] = reason
    functions = set(_abi.FUNCTIONS)
    assert functions - used == set(listed), (
        sorted(functions - used - set(listed)),
        sorted(set(listed) - functions),
        sorted(set(listed) & used),
    )
    assert all(len(reason) > 10 for reason in listed.values())
