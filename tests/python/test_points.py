# SPDX-License-Identifier: MIT
"""Points in every layout that numpy has: the same answers, and no copies."""

import os
import tracemalloc

import numpy as np
import pytest

import mote

COUNT = 2000


def layouts(points):
    """The same points, in many layouts that libmote can read where they lie."""
    n, d = points.shape
    yield "C", np.ascontiguousarray(points)
    yield "Fortran", np.asfortranarray(points)
    wide = np.zeros((n, d + 3), points.dtype)
    wide[:, 2 : 2 + d] = points
    yield "columns of a table", wide[:, 2 : 2 + d]
    every = np.zeros((3 * n, d), points.dtype)
    every[::3] = points
    yield "every third", every[::3]
    yield "backwards", points[::-1].copy()[::-1]
    yield "axes backwards", points[:, ::-1].copy()[:, ::-1]
    record = np.zeros(n, [("mass", "u1"), ("at", points.dtype, (d,)), ("name", "S5")])
    record["at"] = points
    yield "field, unaligned", record["at"]
    names = ["x", "y", "z"][:d]
    table = np.zeros(n, [("id", "i8")] + [(name, points.dtype) for name in names] + [("flag", "u1")])
    for k, name in enumerate(names):
        table[name] = points[:, k]
    yield "structured", table
    yield "structured, every second", np.repeat(table, 2)[::2]
    yield "columns", mote.columns(*(points[:, k].copy() for k in range(d)))
    frozen = points.copy()
    frozen.flags.writeable = False
    yield "read-only", frozen
    yield "matrix", points.view(np.matrix)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_layouts(dtype, dimensions):
    random = np.random.default_rng(dimensions)
    points = random.random((COUNT, dimensions)).astype(dtype)
    radius = {1: 0.002, 2: 0.03, 3: 0.1}[dimensions]
    expected = None
    for name, given in layouts(points):
        i, j, d = mote.Neighbors(radius, ascending=True).update(given, copy=False).pairs("ijd")
        assert d.dtype == dtype
        if expected is None:
            expected = i, j, d
        assert all(np.array_equal(a, b) for a, b in zip((i, j, d), expected)), name


def test_memory_map(tmp_path):
    points = np.random.default_rng(0).random((COUNT, 3))
    points.tofile(tmp_path / "points")
    mapped = np.memmap(tmp_path / "points", np.float64, "r", shape=(COUNT, 3))
    expected = mote.pairs("ij", points, 0.1)
    found = mote.Neighbors(0.1).update(mapped, copy=False).pairs("ij")
    assert all(np.array_equal(a, b) for a, b in zip(expected, found))


@pytest.mark.parametrize("kind", ["i4", "u1", "f2", ">f4", ">f8", "g", "?"])
def test_conversion(kind):
    points = (np.random.default_rng(0).random((300, 3)) * 20).astype(kind)
    with pytest.raises(ValueError, match="copy=False"):
        mote.Neighbors(3).update(points, copy=False)
    wanted = np.float32 if kind in ("f2", ">f4") else np.float64
    expected = mote.pairs("ij", points.astype(wanted), 3)
    assert all(np.array_equal(a, b) for a, b in zip(mote.pairs("ij", points, 3), expected))


def test_lists_are_converted():
    points = [[0, 0, 0], [1, 0, 0], [5, 0, 0]]
    assert [a.tolist() for a in mote.pairs("ij", points, 1)] == [[0, 1], [1, 0]]
    with pytest.raises(ValueError, match="list would be copied"):
        mote.Neighbors(1).update(points, copy=False)


def test_columns():
    x, y, z = np.random.default_rng(0).random((3, 500))
    expected = mote.pairs("ij", np.stack([x, y, z], 1), 0.2)
    wide = np.zeros((500, 2))
    wide[:, 0] = y
    for given in (mote.columns(x, y, z), mote.columns(x, wide[:, 0], z), mote.columns(x, y, z.tolist())):
        assert all(np.array_equal(a, b) for a, b in zip(mote.pairs("ij", given, 0.2), expected))
    with pytest.raises(ValueError, match="strides"):
        mote.Neighbors(0.2).update(mote.columns(x, wide[:, 0], z), copy=False)
    with pytest.raises(ValueError, match="one length"):
        mote.columns(x, y[1:])
    with pytest.raises(ValueError, match="z without y"):
        mote.columns(x, z=z)


@pytest.mark.parametrize(
    "bad",
    [
        np.zeros(3),
        np.zeros((5, 4)),
        np.zeros((5, 0)),
        np.zeros((2, 3, 3)),
        3.0,
        np.zeros((4, 3), complex),
        np.zeros((4, 3), object),
        np.array([["a", "b", "c"]]),
        [[1, 2, 3], [1, 2]],
        None,
        "text",
        {"x": 1},
        np.zeros(3, [("a", "f4"), ("b", "f4"), ("c", "f4"), ("d", "f4")]),
        np.zeros(3, [("x", "S4")]),
        np.ma.masked_greater(np.random.default_rng(0).random((5, 3)), 0.5),
        np.zeros((4, 3), "M8[s]"),
    ],
    ids=repr,
)
def test_refused(bad):
    search = mote.Neighbors(1).update(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="points: "):
        search.update(bad)
    assert search.update(np.zeros((2, 3))).rows().total == 2  # and the search works


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_not_finite(value, dtype):
    points = np.zeros((100, 3), dtype)
    points[57, 1] = value
    search = mote.Neighbors(1)
    with pytest.raises(ValueError, match="57") as caught:
        search.update(points)
    assert caught.value.index == 57
    with pytest.raises(mote.StateError):
        search.rows()
    search.update(points[:57])
    with pytest.raises(ValueError, match="queries.*57") as caught:
        search.query(points)
    assert caught.value.index == 57


def test_no_points():
    for empty in (np.zeros((0, 3)), np.zeros((0, 2), np.float32), [], np.zeros(0)):
        search = mote.Neighbors(1).update(empty)
        rows = search.rows("dD")
        assert len(rows) == 0 and rows.total == 0 and rows.offsets.tolist() == [0] and list(rows) == []
        assert [len(a) for a in rows.pairs("ijdDS")] == [0] * 5
        assert list(search.chunks(1000)) == [] and len(search.nearest(3)) == 0 and len(search.subset([])) == 0
        with pytest.raises(IndexError):
            rows[0]
    assert len(mote.Neighbors(1).update(np.zeros((5, 3))).query(np.zeros((0, 3)))) == 0


def numpy_domain():
    """Where numpy's arrays count in tracemalloc."""
    return getattr(np.lib, "tracemalloc_domain", 389047)


def peak_of(function):
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    result = function()
    peak = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    return peak, result


def test_no_copies(tmp_path):
    count = 200_000 if "MOTE_SANITIZED" in os.environ else 1_000_000  # a copy takes more than a mebibyte
    base = np.random.default_rng(0).random((count, 3)).astype(np.float32) * 100
    base.tofile(tmp_path / "points")
    mapped = np.memmap(tmp_path / "points", np.float32, "r", shape=base.shape)
    told, learning = mote.Neighbors(0.5, columns=""), mote.Neighbors(0.5)  # which remembers sums of the bits
    for name, given in (*layouts(base), ("mapped", mapped)):
        for search in (told, learning):
            peak, _ = peak_of(lambda: search.update(given))
            assert peak < 1 << 20, f"{name}: {peak} bytes"


@pytest.mark.parametrize("columns", ["", "dD"])
def test_warm_calls_allocate_nothing(columns):
    points = np.random.default_rng(0).random((200_000, 3)).astype(np.float32)
    context = mote.Context(threads=1)
    search = mote.Neighbors(0.03, columns=columns, context=context)
    for _ in range(3):
        rows = search.update(points).rows()
        del rows
    before = context.allocation_count
    peak, rows = peak_of(lambda: search.update(points).rows())
    assert context.allocation_count == before
    assert peak < 4096, peak  # a few small Python objects
    tracemalloc.start()
    again = search.update(points).rows()
    in_numpy = tracemalloc.take_snapshot().filter_traces([tracemalloc.DomainFilter(True, numpy_domain())])
    tracemalloc.stop()
    assert sum(trace.size for trace in in_numpy.traces) < 1024
    del again
    before = context.allocation_count  # of the second rows
    peak, first = peak_of(lambda: (rows.counts, rows._starts))
    assert peak < 4096 and first[0].base is not None
    del rows, first
    search.rows()
    assert context.allocation_count == before
