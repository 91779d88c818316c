# SPDX-License-Identifier: MIT
"""How libmote is found, and what is said where it is not; contexts, and what becomes of errors."""

import logging
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

import mote
from mote import _context, _library


def run(code, **variables):
    """Runs Python code in a process of its own; returns what it printed, and its status."""
    environment = {**os.environ, **variables}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, timeout=120)
    return done.stdout + done.stderr, done.returncode


IMPORT = """
try:
    import mote
except ImportError as error:
    print(error)
else:
    print('ok', mote._library.lib.path)
"""


def test_version():
    assert mote.__version__ == mote._library.lib.mote_version().decode()


def test_library_is_named():
    text, _ = run(IMPORT, MOTE_LIBRARY=_library.lib.path)
    assert text.split() == ["ok", _library.lib.path]
    folder = str(pathlib.Path(_library.lib.path).resolve().parent)
    if pathlib.Path(folder, "libmote.so").exists():
        text, _ = run(IMPORT, MOTE_LIBRARY=folder)
        assert text.startswith("ok " + folder), text


def test_library_is_missing(tmp_path):
    missing = str(tmp_path / "libmote.so")
    text, _ = run(IMPORT, MOTE_LIBRARY=missing)
    assert missing in text and f"needs libmote {mote.__version__}" in text and "none" in text, text


def test_library_of_another_version(tmp_path):
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        pytest.skip("no C compiler")
    other = str(tmp_path / "libother.so")
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-x", "c", "-o", other, "-"],
        check=True,
        text=True,
        input='const char *mote_version(void); const char *mote_version(void) { return "9.8.7"; }\n',
    )
    text, _ = run(IMPORT, MOTE_LIBRARY=other)
    assert other in text and "9.8.7" in text and mote.__version__ in text, text
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-x", "c", "-o", other, "-"], check=True, text=True, input="int nothing;\n"
    )
    text, _ = run(IMPORT, MOTE_LIBRARY=other)
    assert other in text and "unknown" in text and mote.__version__ in text, text


def test_io_is_missing(tmp_path):
    """Without libmote-io everything but files and pictures works, and the error says what to install."""
    alone = tmp_path / "libmote.so"
    shutil.copy(os.path.realpath(_library.lib.path), alone)
    text, status = run(
        "import mote\ntry:\n    mote._library.io.mote_import_knows\nexcept mote.Unsupported as error:\n"
        "    print(error)",
        MOTE_LIBRARY=str(alone),
    )
    assert status == 0 and "libjansson-dev" in text and "MOTE_LIBRARY" in text, text


def test_import_is_quiet():
    text, status = run(
        "import numpy, sys\nbefore = set(sys.modules)\nimport mote\n"
        "new = {m.split('.')[0] for m in set(sys.modules) - before}\n"
        "assert not new & {'scipy', 'ase', 'freud', 'sklearn', 'MDAnalysis'}, new"
    )
    assert (text, status) == ("", 0)


def test_exceptions():
    with pytest.raises(ValueError, match="radius is -1, expected 2\\^-480"):
        mote.Neighbors(-1)
    with pytest.raises(mote.Unsupported, match="kd_tree does not offer .*periodic"):
        mote.Neighbors(1, method="kd_tree", periodic=1)
    with pytest.raises(ValueError, match="did you mean cell_grid"):
        mote.Neighbors(1, method="cell_gird")
    with pytest.raises(ValueError, match='method is "octopus", expected one of auto, cell_grid, .*kd_tree'):
        mote.Neighbors(1, method="octopus")
    with pytest.raises(ValueError, match='method is "octopus", expected one of auto, .*box_join'):
        mote.BroadPhase(method="octopus")
    with pytest.raises(ValueError, match="neither radius nor radii"):
        mote.Neighbors()
    with pytest.raises(mote.StateError, match="no points yet"):
        mote.Neighbors(1).rows()
    with pytest.raises(MemoryError):
        mote.Neighbors(1, max_bytes=10)
    assert issubclass(mote.StateError, ValueError) and issubclass(mote.Unsupported, NotImplementedError)


def test_budget():
    points = np.zeros((20000, 3), np.float32)  # all neighbours of each other: 4e8, 1.6 GB
    search = mote.Neighbors(1, max_bytes=100_000_000).update(points)
    with pytest.raises(
        MemoryError, match="20000 rows have 399980000 neighbours, which take 1.6 GB; the byte budget is 0.1"
    ):
        search.rows()
    assert search.update(points[:100]).rows().total == 9900
    most = mote.memory_limit()
    assert 1 << 26 < most and _context.default_max_bytes() == most // 10 * 8


def test_cgroup_limits(monkeypatch, tmp_path):
    """The least limit of all levels counts, whatever the version of the control groups."""
    files = {
        "/proc/self/cgroup": "0::/a/b\n5:cpu,memory:/c\n3:cpuset:/d\n",
        "/sys/fs/cgroup/a/memory.max": "123\n",
        "/sys/fs/cgroup/a/b/memory.max": "max\n",
        "/sys/fs/cgroup/memory/c/memory.limit_in_bytes": "200\n",
        "/sys/fs/cgroup/memory/d/memory.limit_in_bytes": "1\n",
    }
    real = open

    def fake(path, *arguments, **keywords):
        if str(path) in files:
            (tmp_path / "file").write_text(files[str(path)])
            return real(tmp_path / "file", *arguments, **keywords)
        if str(path).startswith(("/sys/fs", "/proc")):
            raise OSError(path)
        return real(path, *arguments, **keywords)

    monkeypatch.setattr("builtins.open", fake)
    assert sorted(_context._control_group_limits()) == [123, 200]
    assert mote.memory_limit() == 123


def test_contexts():
    context = mote.Context(threads=2, max_bytes=1 << 28)
    assert context.threads == 2 and context.simd in ("plain", "avx2", "avx512", "simd128")
    before = context.byte_count
    search = mote.Neighbors(0.5, context=context).update(np.random.default_rng(0).random((1000, 3)))
    assert context.byte_count > before and search.context is context
    rows = search.rows()
    del search
    kept = context.byte_count
    first = rows[0].copy()
    del context
    assert (rows[0] == first).all()
    assert kept > before
    with pytest.raises(ValueError, match="either a context or threads"):
        mote.Neighbors(1, context=mote.Context(), threads=2)
    for bad in (0, -1, 2.5, "two", 1 << 40):
        with pytest.raises(ValueError, match="threads"):
            mote.Context(threads=bad)
    for bad in (-1, 0.5, "all"):
        with pytest.raises(ValueError, match="max_bytes"):
            mote.Context(max_bytes=bad)
    assert mote.Context(max_bytes=1e9).threads >= 1


def test_context_gives_everything_back():
    context = mote.Context(threads=1)
    before = context.byte_count
    for _ in range(3):
        search = mote.Neighbors(0.3, context=context, periodic=1).update(np.random.default_rng(0).random((500, 3)))
        rows = [search.rows(), search.rows("d"), search.nearest(3)]
        del rows[0]
        del search, rows
    assert context.byte_count == before


def test_log(caplog):
    with caplog.at_level(logging.WARNING, logger="mote"):
        points, room = np.zeros((1400, 3), np.float32), mote.Context(threads=1)
        rows = [mote.Neighbors(1, context=room).update(points).rows()]
        while not caplog.records and room.threads:  # the peak is unknown, but above what is held
            budget = room.byte_count + len(rows) * 100_000
            try:
                rows.append(mote.Neighbors(1, threads=1, max_bytes=budget).update(points).rows())
            except MemoryError:
                rows.append(None)
            assert len(rows) < 300
    assert any(record.name == "mote" for record in caplog.records), caplog.records


def test_machine_that_says_nothing(monkeypatch):
    monkeypatch.setattr(os, "sysconf", lambda name: -1)
    monkeypatch.setattr(_context, "_control_group_limits", lambda: [])
    assert mote.memory_limit() == _context._SIZE_MAX
