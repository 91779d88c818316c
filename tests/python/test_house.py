# SPDX-License-Identifier: MIT
"""The package's own rules: types, docstrings, examples, pages; and that nothing is printed."""

import inspect
import os
import pathlib
import re
import subprocess
import sys

import pytest

import mote

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "mote"
EXAMPLES = sorted((ROOT / "examples" / "python").glob("*.py"))


def test_types():
    try:
        import mypy  # noqa: F401
    except ImportError:
        pytest.skip("mypy is not there (Debian: python3-mypy)")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, "python/mote"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (PACKAGE / "py.typed").exists()


def test_every_public_name_has_a_docstring():
    missing, count = [], 0
    for name in mote.__all__:
        thing = getattr(mote, name)
        if isinstance(thing, str):
            continue
        if not (inspect.getdoc(thing) or "").strip() or "{" in thing.__doc__.split("\n")[0]:
            missing.append(name)
        assert "{fields}" not in (thing.__doc__ or "") and "{radius}" not in (thing.__doc__ or ""), name
        if inspect.isclass(thing) and thing.__module__.startswith("mote"):
            for member, value in vars(thing).items():
                if member.startswith("_") or member in getattr(thing, "_fields", ()):
                    continue
                if inspect.isfunction(value) or isinstance(value, (property, classmethod, staticmethod)):
                    count += 1
                    if not (inspect.getdoc(getattr(thing, member)) or "").strip():
                        missing.append(f"{name}.{member}")
    assert not missing and count > 80


def test_all_is_all():
    """What mote/__init__.py has is public, and sorted as in a page."""
    public = {name for name, value in vars(mote).items() if not name.startswith("_") and not inspect.ismodule(value)}
    assert public | {"__version__"} == set(mote.__all__)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path):
    """Each prints what its opening says."""
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=120)
    if "needs libmote-io" in done.stderr or "need libmote-io" in done.stderr:
        pytest.skip("libmote-io is not there")
    assert done.returncode == 0, done.stderr
    expected = re.search(r"Prints:\n((?:    .*\n)+)", path.read_text()).group(1)
    assert done.stdout == "".join(line[4:] for line in expected.splitlines(keepends=True)) and not done.stderr


def test_there_are_examples():
    assert {path.stem for path in EXAMPLES} >= {"neighbors", "crystal", "boxes", "hits", "scene"}


def test_pages():
    """The Python code of docs/python.md and README.md runs as it stands, one block after the other."""
    for page in (ROOT / "docs" / "python.md", ROOT / "README.md", ROOT / "python" / "README.md"):
        blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.M | re.S)
        assert blocks, page
        names = {"__name__": "page"}
        folder = os.getcwd()
        os.chdir(ROOT)
        try:
            for block in blocks:
                exec(compile(block, str(page), "exec"), names)
        except mote.Unsupported as error:
            pytest.skip(str(error))
        finally:
            os.chdir(folder)


def test_nothing_prints():
    import ast

    for path in PACKAGE.glob("*.py"):
        if path.name != "bench.py":  # a program
            names = {node.id for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Name)}
            assert not names & {"print", "input"}, path.name


def test_older_pythons_can_read_it():
    """No syntax that Python 3.9 does not have."""
    import ast

    for path in PACKAGE.glob("*.py"):
        ast.parse(path.read_text(), feature_version=(3, 9))
        assert path.name == "__init__.py" or "from __future__ import annotations" in path.read_text(), path.name
