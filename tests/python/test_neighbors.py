# SPDX-License-Identifier: MIT
"""mote.Neighbors against all pairs, in every form that rows come in; and what it refuses."""

import copy
import gc
import inspect
import pickle

import numpy as np
import pytest

import mote
from mote import _fields, neighbors
from oracle import brute_pairs, cell_of, random_cell

rng = np.random.default_rng


def as_set(i, j, S=None):
    S = np.zeros((len(i), 3), int) if S is None else S
    found = set(zip(i.tolist(), j.tolist(), *S.T.tolist()))
    assert len(found) == len(i), "a pair comes twice"
    return found


CASES = [  # points, radius, box
    ("uniform", lambda r: r.random((300, 3)), 0.2, None),
    ("plane", lambda r: r.random((300, 2)), 0.1, None),
    ("line", lambda r: r.random((300, 1)), 0.02, None),
    ("same place", lambda r: np.zeros((40, 3)), 1e-3, None),
    (
        "lattice, ties at the radius",
        lambda r: np.stack(np.meshgrid(*[np.arange(6.0)] * 3), -1).reshape(-1, 3),
        1.0,
        None,
    ),
    ("far from the origin", lambda r: r.random((200, 3)) + 1e4, 0.2, None),
    ("negative", lambda r: r.random((200, 3)) - 5, 0.2, None),
    ("clusters", lambda r: r.normal(0, 0.01, (200, 3)) + r.integers(0, 3, (200, 1)), 0.02, None),
    ("one point", lambda r: np.zeros((1, 3)), 1.0, None),
    ("cube", lambda r: r.random((100, 3)) * 3 - 1, 0.3, 1.0),
    ("box smaller than the radius", lambda r: r.random((8, 3)), 1.7, [1.0, 0.8, 1.2]),
    ("open axis", lambda r: r.random((100, 3)) * 2, 0.4, [1.0, 0.0, 1.5]),
    ("skewed", lambda r: r.random((60, 3)) * 3, 0.5, [[1.5, 0, 0], [0.7, 1.2, 0], [0.1, -0.4, 1.0]]),
    ("skewed plane", lambda r: r.random((60, 2)) * 3, 0.3, [[1.5, 0], [0.7, 1.2]]),
    ("one point and its images", lambda r: np.zeros((1, 3)), 2.0, 1.0),
]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name, make, radius, box", CASES, ids=[case[0] for case in CASES])
def test_against_all_pairs(name, make, radius, box, dtype):
    points = make(rng(7)).astype(dtype)
    expected = brute_pairs(points, radius, cell_of(box))
    search = mote.Neighbors(radius, periodic=box).update(points)
    rows = search.rows("dD")
    i, j, d, D, S = rows.pairs("ijdDS")
    assert as_set(i, j, S) == expected
    assert i.dtype == j.dtype == np.int64 and d.dtype == D.dtype == dtype and S.dtype == np.int32
    assert np.array_equal(np.sort(i), i)
    # The vector leads to the image, and the distance is its length.
    cell = cell_of(box)[:, : points.shape[1]]
    scale = np.finfo(dtype).eps * (1 + np.abs(points).max() + radius) * 8
    lead = points[j].astype(float) + S @ cell - points[i].astype(float)
    assert np.all(np.abs(D[:, : points.shape[1]] - lead) <= scale)
    assert np.all(np.abs(np.linalg.norm(D.astype(float), axis=1) - d) <= scale)
    # Rows: one by one, flat, as stored, as an iterator.
    offsets = rows.offsets
    assert offsets.dtype == np.int64 and offsets[-1] == rows.total == len(i) and len(offsets) == len(points) + 1
    assert np.array_equal(np.diff(offsets), rows.counts) and np.array_equal(rows.indices, j)
    assert np.array_equal(rows.distances, d) and np.array_equal(rows.vectors, D) and np.array_equal(rows.shifts, S)
    stored = rows.stored
    for k, row in enumerate(rows):
        begin, end = offsets[k], offsets[k + 1]
        assert np.array_equal(row, j[begin:end]) and np.array_equal(rows[k], row)
        a, count = int(stored.starts[k]), int(stored.counts[k])
        assert np.array_equal(stored.indices[a : a + count], row)
        one = rows.row(k)
        assert np.array_equal(one.indices, row) and np.array_equal(one.distances, d[begin:end])
        assert np.array_equal(one.vectors, D[begin:end])
        assert (one.shifts is None and box is None) or np.array_equal(one.shifts, S[begin:end])
    assert np.array_equal(rows[-1], rows[len(rows) - 1])
    # Half of the pairs, in two ways.
    half = {(a, b, *s) for a, b, *s in expected if a < b or (a == b and tuple(s) > (0, 0, 0))}
    i, j, S = search.pairs("ijS", half=True)
    assert as_set(i, j, S) == half
    for either in (False, True):
        search = mote.Neighbors(radius, periodic=box, half=True, half_either=either)
        i, j, S = search.update(points).pairs("ijS")
        assert len(i) == len(half) and as_set(i, j, S) == half
    # Points at exactly the radius left out.
    i, j, S = mote.Neighbors(radius, periodic=box, open_ball=True).update(points).pairs("ijS")
    assert as_set(i, j, S) == brute_pairs(points, radius, cell_of(box), closed=False)
    search.validate()


@pytest.mark.parametrize("seed", range(30))
def test_random_boxes(seed):
    random = rng(seed)
    cell = random_cell(random, flat=seed % 3 == 0)
    pbc = random.integers(0, 2, 3).astype(bool)
    points = random.uniform(-2, 2, (random.integers(1, 25), 3))
    radius = random.uniform(0.1, 1.2)
    i, j, S = mote.pairs("ijS", points, radius, periodic=cell, pbc=pbc)
    assert as_set(i, j, S) == brute_pairs(points, radius, np.where(pbc[:, None], cell, 0))


@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_cube_has_the_points_dimensions(dimensions):
    """A single length is a box along all axes of the points, whatever these were before."""
    search = mote.Neighbors(0.3, periodic=1.0)
    for d, kind in ((dimensions, np.float64), (3, np.float64), (dimensions, np.float32)):
        points = rng(d).random((40, d)).astype(kind)
        expected = brute_pairs(points, kind(0.3), np.diag([1.0] * d + [0.0] * (3 - d)))
        assert as_set(*search.update(points).pairs("ijS")) == expected
    some = [True, False, False][:dimensions]
    slab = mote.pairs("ijS", points, 0.3, periodic=1.0, pbc=some)
    assert as_set(*slab) == brute_pairs(points, kind(0.3), np.diag((some + [False, False])[:3]).astype(float))


def test_too_few_edges():
    """Which axes are open is said, not guessed; afterwards the search works on."""
    points = rng(1).random((40, 3))
    for box in ([1, 1], np.eye(2)):
        search = mote.Neighbors(0.3, periodic=box)
        with pytest.raises(ValueError, match="2 edges for points of 3 dimensions"):
            search.update(points)
        assert len(search.update(points[:, :2]).rows()) == 40
    with pytest.raises(ValueError, match="2 edges for points of 3"):
        mote.pairs("ij", points, 0.3, periodic=1, pbc=[True, False])


def test_half_pairs_of_chunks():
    points = rng(3).random((3000, 3))
    for box in (None, 1.0):
        for either in (False, True):
            search = mote.Neighbors(0.1, periodic=box, half=either, half_either=either).update(points)
            expected = as_set(*search.pairs("ijS", half=True))
            chunks = [as_set(*chunk.pairs("ijS", half=not either)) for chunk in search.chunks(20_000)]
            assert len(chunks) > 3 and sum(map(len, chunks)) == len(expected)
            assert set().union(*chunks) == expected
    for other in (search.query(points[:9]), mote.Neighbors(0.1).update(points).nearest(3)):
        with pytest.raises(ValueError, match="not those of all points"):
            other.pairs("ij", half=True)


def test_order_of_points_counts():
    """A call that reads the points again notices every change since the update, also of their order alone."""
    for kind in (np.float32, np.float64):
        for radii in (None, True):
            points = rng(4).integers(0, 3, (9000, 3)).astype(kind)
            search = mote.Neighbors(None if radii else 0.5, radii=radii)
            own = np.full(9000, 0.5, kind) if radii else None
            search.update(points, own)
            points[[5, 7005]] = points[[7005, 5]] if np.any(points[5] != points[7005]) else points[[5, 7005]] + 1
            with pytest.raises(mote.StateError, match="have changed"):
                search.rows("d")
            if radii:
                search.update(points, own)
                own[8999] = 0.25
                with pytest.raises(mote.StateError, match="have changed"):
                    search.rows("d")


def test_refused_points_leave_an_empty_search():
    points = rng(1).random((40, 3))
    search = mote.Neighbors(0.3)
    for bad in (np.zeros((3, 4)), None, [["x"]], np.full((2, 3), np.nan)):
        search.update(points)
        with pytest.raises(ValueError):
            search.update(bad)
        with pytest.raises(mote.StateError, match="no points yet"):
            search.rows()


def test_a_refused_call_leaves_the_search():
    points = rng(1).random((400, 3))
    search = mote.Neighbors(0.2, columns="").update(points)
    total = search.rows().total
    assert search.nearest(3).total == 1200
    with pytest.raises(mote.StateError, match="from now on"):
        search.rows("d")
    assert search.rows().total == total
    assert search.update(points).rows("d").distances.max() <= 0.2
    vectors = mote.Neighbors(0.2, columns="D").update(points)
    assert np.array_equal(vectors.rows("d").distances, search.rows("d").distances)
    with pytest.raises(ValueError, match="columns='d'"):
        mote.Neighbors(0.2).update(points).rows().distances


def test_every_method():
    points = rng(0).random((400, 3)).astype(np.float32)
    expected = brute_pairs(points, 0.15)
    for method in mote.methods():
        search = mote.Neighbors(0.15, method=method.name).update(points)
        found = as_set(*search.pairs("ij"))
        assert found == expected if method.exact else found <= expected
        assert method.meaning and method.source and method.name in search.explain()
        rows = search.rows("d")  # learned on the way, by those that were not asked for it
        assert len(rows.distances) == rows.total
    assert mote.methods()[0].name == "auto"


def test_queries():
    random = rng(3)
    points, queries = random.random((300, 3)), random.random((77, 3)) * 1.5
    search = mote.Neighbors(0.2).update(points)
    expected = brute_pairs(points, 0.2, queries=queries)
    rows = search.query(queries, columns="d")
    i, j, d = rows.pairs("ijd")
    assert as_set(i, j) == expected and len(rows) == 77
    assert np.allclose(d, np.linalg.norm(points[j] - queries[i], axis=1), atol=1e-15)
    i, j = search.query(queries.astype(np.float32)).pairs("ij")  # converted to the points' type
    assert as_set(i, j) == brute_pairs(points, 0.2, queries=queries.astype(np.float32).astype(float))
    with pytest.raises(ValueError, match="copy=False"):
        search.query(queries.astype(np.float32), copy=False)
    with pytest.raises(ValueError, match="dimensions, expected the points' 3"):
        search.query(queries[:, :2])
    assert search.query(points[:5]).counts.min() >= 1  # a point at the same place counts


def test_nearest():
    random = rng(4)
    points, queries = random.random((200, 2)), random.random((50, 2))
    search = mote.Neighbors(1).update(points)
    for own, given in ((True, None), (False, queries)):
        at = points if own else queries
        distances = np.linalg.norm(at[:, None] - points[None], axis=2)
        if own:
            np.fill_diagonal(distances, np.inf)
        d, i = search.nearest(5, given).table(5)
        assert np.allclose(d, np.sort(distances, axis=1)[:, :5]) and np.array_equal(
            i, np.argsort(distances, axis=1)[:, :5]
        )
    d, i = search.nearest(300).table(300, fill=-1)
    assert (
        d.shape == (200, 300)
        and np.isinf(d[:, 199:]).all()
        and (i[:, 199:] == -1).all()
        and np.isfinite(d[:, :199]).all()
    )
    assert search.nearest(2**40).counts.max() == 199
    for bad in (0, -3, 1.5, None, "many"):
        with pytest.raises(ValueError, match="nearest: k is"):
            search.nearest(bad)
    with pytest.raises(ValueError, match="a row has 199 entries"):
        search.nearest(300).table(10)


def test_nearest_counts_images():
    d, i = mote.Neighbors(1, periodic=1).update(np.zeros((1, 3))).nearest(7).table(7)
    assert np.allclose(d, [[1] * 6 + [2**0.5]]) and not i.any()


def test_subset():
    points = rng(5).random((300, 3))
    search = mote.Neighbors(0.2, ascending=True).update(points)
    rows, chosen = search.rows(), [5, 299, 5, 0]
    for given in (
        chosen,
        np.array(chosen),
        np.array(chosen, np.uint8 if False else np.uint32),
        np.array(chosen)[::-1][::-1],
    ):
        found = search.subset(given, "d")
        assert [row.tolist() for row in found] == [rows[k].tolist() for k in chosen]
    mask = points[:, 0] > 0.5
    assert [row.tolist() for row in search.subset(mask)] == [rows[k].tolist() for k in np.flatnonzero(mask)]
    with pytest.raises(ValueError, match="subset: point 300 at place 1") as caught:
        search.subset([0, 300])
    assert caught.value.index == 1
    for bad in ([-1], [2**32], [0.5], [[1]], ["a"], mask[:-1]):
        with pytest.raises(ValueError, match="subset: "):
            search.subset(bad)


@pytest.mark.parametrize("room", [0, 100, 10_000, 1 << 40])
def test_chunks(room):
    points = rng(6).random((500, 3))
    search = mote.Neighbors(0.2).update(points)
    whole = search.rows("d")
    first, pairs, chunks = 0, [], 0
    for rows in search.chunks(room, "d"):
        assert rows.first_point == first and len(rows) >= 1
        assert len(rows) == 1 or rows.total * 12 <= room
        for k, row in enumerate(rows):
            assert sorted(row) == sorted(whole[first + k])
        pairs.append(rows.pairs("ijd"))
        first += len(rows)
        chunks += 1
    assert first == 500 and (chunks == 500 if room <= 100 else chunks < 500)
    i, j, d = (np.concatenate(part) for part in zip(*pairs))
    assert as_set(i, j) == as_set(*whole.pairs("ij"))
    assert np.allclose(d, np.linalg.norm(points[i] - points[j], axis=1))


def test_chunks_are_bounded():
    """In chunks a search needs little memory, where all rows at once are refused."""
    points = rng(6).random((20_000, 3)).astype(np.float32)
    search = mote.Neighbors(0.5, max_bytes=30_000_000, threads=1).update(points)
    with pytest.raises(MemoryError, match="neighbours"):
        search.rows()
    total = 0
    for rows in search.chunks(5_000_000):
        total += rows.total
        del rows
    assert total == search.counters.hits or total > 100_000_000


def test_chunks_end_with_an_update():
    search = mote.Neighbors(0.2).update(rng(6).random((500, 3)))
    chunks = search.chunks(1000)
    next(chunks)
    search.update(rng(7).random((500, 3)))
    with pytest.raises(mote.StateError, match="updated meanwhile"):
        next(chunks)
    for bad in (-1, "x", None, float("inf"), float("nan")):
        with pytest.raises(ValueError, match="chunks: max_bytes"):
            search.chunks(bad)
    with pytest.raises(mote.StateError):
        mote.Neighbors(1).chunks(100)


@pytest.mark.parametrize("rule", ["mine", "larger", "sum"])
def test_radii(rule):
    random = rng(8)
    points, radii = random.random((200, 3)), random.uniform(0.01, 0.2, 200)
    distance = np.linalg.norm(points[:, None] - points[None], axis=2)
    limit = {
        "mine": radii[:, None] + 0 * radii,
        "larger": np.maximum(radii[:, None], radii),
        "sum": radii[:, None] + radii,
    }[rule]
    expected = {(i, j, 0, 0, 0) for i, j in zip(*np.nonzero(distance <= limit)) if i != j}
    search = mote.Neighbors(radii=radii, radius_rule=rule).update(points)
    assert as_set(*search.pairs("ij")) == expected
    search = mote.Neighbors(radii=True, radius_rule=rule)
    wide = np.repeat(radii, 3)[::3]
    assert as_set(*search.update(points, radii=wide).pairs("ij")) == expected
    assert search.radius is None and "a radius for each" in repr(search)
    assert as_set(*search.query(points, radii=radii).pairs("ij")) == expected | {(k, k, 0, 0, 0) for k in range(200)}
    assert len(search.update(points, radii=0.1).pairs("i"))  # one number for all
    with pytest.raises(ValueError, match="one for each point"):
        search.update(points)
    with pytest.raises(ValueError, match=r"radii: .*shape \(199,\).*expected one for each point"):
        search.update(points, radii=radii[1:])
    with pytest.raises(ValueError, match="radius") as caught:
        search.update(points, radii=np.where(np.arange(200) == 7, -1, radii))
    assert caught.value.index == 7
    with pytest.raises(ValueError, match="one radius"):
        mote.Neighbors(1).update(points, radii=radii)
    with pytest.raises(ValueError, match="one of them"):
        mote.Neighbors(1, radii=radii)


def test_skin():
    random = rng(9)
    points = random.random((300, 3))
    search = mote.Neighbors(0.15, skin=0.05)
    for _ in range(10):
        points = points + random.normal(0, 0.002, points.shape)
        assert as_set(*search.update(points).pairs("ij")) == brute_pairs(points, 0.15)
    assert 1 <= search.counters.rebuilds < 10
    assert search.nearest(2).table(2)[0].shape == (300, 2)
    with pytest.raises(ValueError, match="skin is -1"):
        mote.Neighbors(1, skin=-1)


def test_radius_and_box_change():
    points = rng(10).random((200, 3))
    search = mote.Neighbors(0.1, periodic=1.0).update(points)
    search.radius = 0.2
    assert search.radius == 0.2
    with pytest.raises(mote.StateError):
        search.rows()
    assert as_set(*search.update(points).pairs("ijS")) == brute_pairs(points, 0.2, cell_of(1.0))
    search.set_periodic([[1, 0, 0], [0.3, 1, 0], [0, 0, 1]], pbc=[True, True, False])
    expected = brute_pairs(points, 0.2, np.array([[1, 0, 0], [0.3, 1, 0], [0, 0, 0.0]]))
    assert as_set(*search.update(points).pairs("ijS")) == expected
    assert as_set(*search.update(points.astype(np.float32)).pairs("ij")[:0] or search.pairs("ijS"))  # another type
    with pytest.raises(ValueError, match="radius is 0"):
        search.radius = 0
    with pytest.raises(mote.Unsupported):
        mote.Neighbors(1).set_periodic(1)


def test_types_change():
    points = rng(11).random((200, 3))
    search = mote.Neighbors(0.2)
    for kind in (np.float64, np.float32, np.float64, np.int64):
        given = (points * (10 if kind is np.int64 else 1)).astype(kind)
        assert as_set(*search.update(given).pairs("ij")) == brute_pairs(
            given.astype(float) if kind is np.int64 else given, 0.2
        )
    assert as_set(*search.update(points[:, :2]).pairs("ij")) == brute_pairs(points[:, :2], 0.2)


def test_columns_are_learned():
    points = rng(12).random((5000, 3))
    search = mote.Neighbors(0.05).update(points)
    assert search.counters.rebuilds == 1
    assert len(search.rows().pairs("ij")) == 2
    with pytest.raises(ValueError, match="expected Neighbors"):
        search.rows().pairs("d")
    d = search.pairs("d")
    assert search.counters.rebuilds == 1  # of the new structure
    assert len(search.rows().distances) == len(d)  # from now on always
    search = mote.Neighbors(0.05).update(points)
    points[17] += 1e-9
    with pytest.raises(mote.StateError, match="points have changed"):
        search.rows("d")
    assert len(search.update(points).rows("d").distances) == len(d)
    told = mote.Neighbors(0.05, columns="").update(points)
    with pytest.raises(mote.StateError, match="another update"):
        told.rows("d")
    assert len(told.update(points).rows("d").distances) == len(d)
    told = mote.Neighbors(0.05, columns="dD").update(points)
    assert told.rows().vectors.shape == (len(d), 3)
    with pytest.raises(ValueError, match="columns: 'x'"):
        mote.Neighbors(1, columns="x")
    with pytest.raises(ValueError, match="columns: 'x'"):
        told.rows("x")


def test_out():
    points = rng(13).random((300, 3)).astype(np.float32)
    search = mote.Neighbors(0.2, columns="dD").update(points)
    rows = search.rows()
    expected = rows.pairs("ijdDS")
    room = rows.total + 10
    out = [
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty(room, np.float32),
        np.empty((room, 3), np.float32),
        np.empty((room, 3), np.int32),
    ]
    found = rows.pairs("ijdDS", out=out)
    assert all(np.array_equal(a, b) and a.base is c for a, b, c in zip(found, expected, out))
    small = np.empty(room, np.uint32)
    assert np.array_equal(search.pairs("j", out=small), expected[1])
    assert rows.pairs("j", dtype=np.uint32).dtype == np.uint32
    half = rows.pairs("ij", half=True, out=out[:2])
    assert len(half[0]) == rows.total // 2
    frozen = np.empty(room, np.int64)
    frozen.flags.writeable = False
    for letters, bad, text in [
        ("ij", out[:1], "1 arrays"),
        ("i", np.empty(room, np.int32), "int64 or uint32"),
        ("i", frozen, "writable"),
        ("d", np.empty(room), "float32"),
        ("D", np.empty((room, 2), np.float32), "out: "),
        ("i", out[0][::2], "C order"),
        ("i", np.empty(rows.total - 1, np.int64), "room for"),
        ("ij", [out[0], small], "different types"),
        ("i", [[1]], "out: "),
        ("d", np.empty((room, 3), np.float32), "out: "),
    ]:
        with pytest.raises(ValueError, match=text):
            rows.pairs(letters, out=bad)
    with pytest.raises(ValueError, match="dtype is float64"):
        rows.pairs("i", dtype=float)
    with pytest.raises(ValueError, match="shift_dtype is float64"):
        rows.pairs("S", shift_dtype=float)


@pytest.mark.parametrize("box", [None, 0.7])
@pytest.mark.parametrize("half", [False, True])
def test_shifts_of_64_bits(box, half):
    search = mote.Neighbors(0.3, columns="D", periodic=box).update(rng(14).random((200, 3)))
    j, S, D = search.pairs("jSD", half=half)
    j_wide, wide, D_wide = search.pairs("jSD", half=half, shift_dtype=np.int64)
    assert S.dtype == np.int32 and wide.dtype == np.int64 and np.array_equal(S, wide)
    assert np.array_equal(j, j_wide) and np.array_equal(D, D_wide)
    assert bool(np.any(S)) == (box is not None)
    room = np.full((len(S) + 3, 3), 7, np.int64)
    assert np.array_equal(search.rows().pairs("S", half=half, out=room), wide) and np.all(room[len(S) :] == 7)
    with pytest.raises(ValueError, match="room for"):
        search.rows().pairs("S", half=half, out=room[: len(S) - 1])
    narrow, again, wide_too = search.pairs("SSS", half=half, out=[S.copy(), S.copy(), room])
    assert all(np.array_equal(one, S) for one in (narrow, again, wide_too))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_distances_follow_from_vectors(dtype):
    points = rng(15).random((300, 3)).astype(dtype)
    expected = mote.Neighbors(0.2, periodic=1, columns="d").update(points).pairs("d")
    search = mote.Neighbors(0.2, periodic=1, columns="D").update(points)
    assert np.array_equal(search.pairs("d"), expected) and np.array_equal(search.pairs("dD")[0], expected)
    assert np.array_equal(search.rows("D").distances, expected) and search.rows("D").stored.squared is None
    with pytest.raises(ValueError, match="room for 0, expected at least"):
        search.pairs("ij", out=[np.empty(0, np.int64), np.empty(0, np.int64)])


def test_letters():
    search = mote.Neighbors(1).update(np.zeros((3, 3)))
    for bad in ("x", "ijk", "ij ", "I"):
        with pytest.raises(ValueError, match="letter '.', expected some of i, j, d, D, S"):
            search.pairs(bad)
        with pytest.raises(ValueError, match="letter"):
            search.rows("dD").pairs(bad)
    with pytest.raises(ValueError, match="no letter"):
        search.pairs("")
    i, again, j = search.pairs("iij")
    assert np.array_equal(i, again) and i is not again


def test_results_are_read_only():
    search = mote.Neighbors(0.5, periodic=1).update(rng(14).random((50, 3)))
    rows = search.rows("dD")
    stored = rows.stored
    for array in (
        rows[0],
        rows.indices,
        rows.distances,
        rows.vectors,
        rows.shifts,
        rows.counts,
        rows.offsets,
        *stored,
        rows.row(0).indices,
        rows.row(0).vectors,
    ):
        assert not array.flags.writeable
        with pytest.raises(ValueError):
            array[...] = 0
        if not array.flags.owndata and not isinstance(array.base, np.ndarray):  # libmote's own memory
            with pytest.raises(ValueError):
                array.flags.writeable = True
    for array in rows.pairs("ijdDS"):
        assert array.flags.writeable and array.flags.c_contiguous


def test_rows_behave_as_sequences():
    rows = mote.Neighbors(0.2, ascending=True).update(rng(15).random((50, 3))).rows()
    assert [r.tolist() for r in rows[10:13]] == [rows[k].tolist() for k in (10, 11, 12)]
    for bad in (50, -51):
        with pytest.raises(IndexError, match="expected one of 50"):
            rows[bad]
    with pytest.raises(TypeError):
        rows["a"]
    with pytest.raises(TypeError):
        rows[1.5]
    assert "neighbours of 50 points" in repr(rows) and rows.first_point == 0
    assert np.array_equal(rows[np.int32(3)], rows[3])


@pytest.mark.parametrize(
    "bad, text",
    [
        (dict(radius=0), "radius is 0"),
        (dict(radius=-2), "radius is -2"),
        (dict(radius=np.nan), "radius is -?nan"),
        (dict(radius=np.inf), "radius is inf"),
        (dict(radius="x"), "radius is 'x'"),
        (dict(radius=None), "neither radius nor radii"),
        (dict(radius=float("nan")), "radius is -?nan"),
        (dict(periodic=[[1, 0, 0], [0, 1, 0], [1, 1, 0]]), "."),
        (dict(periodic=[1, 2, 3, 4]), "periodic: shape"),
        (dict(periodic=np.nan), "not a number"),
        (dict(periodic="cube"), "periodic: 'cube'"),
        (dict(periodic=np.zeros((2, 3))), "periodic: shape"),
        (dict(periodic=[[1, 0, 0], [2, 0, 0], [0, 0, 1]]), r"\(2, 0, 0\) and \(0, 0, 1\) span no volume"),
        (dict(periodic=-1), "a length of -1"),
        (dict(periodic=[1, -2, 1]), "a length of -2"),
        (dict(pbc=True), "periodic: none, but pbc"),
        (dict(periodic=1, pbc=[True] * 4), "pbc: shape"),
        (dict(periodic=[1, 1], pbc=[True]), "pbc: shape"),
        (dict(periodic=1, pbc=2), "pbc: 2"),
        (dict(radius_rule="most"), "radius_rule is 'most'"),
        (dict(subdivision=9), "subdivision"),
        (dict(classes=0, method="hierarchical_hash"), "classes"),
        (dict(table_size=2**40), "table_size"),
        (dict(table_size=-1), "table_size is -1"),
        (dict(open_ball="yes"), "open_ball is 'yes'"),
        (dict(period_origin=[1, 2]), "period_origin"),
        (dict(method=""), "method"),
        (dict(columns=3), "columns is 3"),
        (dict(radius="0.1"), "radius is '0.1'"),
        (dict(radius=np.bool_(True)), "radius is "),
        (dict(periodic=[1, 1, 0], pbc=[True, True, True]), "edges without length"),
        (dict(context=3), "context is 3"),
    ],
    ids=str,
)
def test_bad_keywords(bad, text):
    with pytest.raises(ValueError, match=text):
        mote.Neighbors(**{"radius": 1, **bad})


def test_keywords_are_those_of_the_table():
    """Names, defaults and meanings come from libmote; what is not a keyword has another form here."""
    fields = _fields.fields_of(neighbors.lib.mote_neighbors_fields)
    parameters = inspect.signature(mote.Neighbors).parameters
    for name, field in fields.items():
        if name in ("features", "radius", "skin") or name.startswith("period_") and name != "period_origin":
            continue
        assert parameters[name].default == field.default, name
        assert field.meaning in mote.Neighbors.__doc__ and field.expected in mote.Neighbors.__doc__, name


def test_small_results_do_not_hold_the_memory_of_large_ones():
    search = mote.Neighbors(0.05, half=True, half_either=True)
    assert len(search.update(rng(1).random((30_000, 3))).pairs("ij")[0]) > 200_000
    for few in search.update(rng(1).random((500, 3))).pairs("ij"):
        assert few.base is None or few.base.size < 1000


def test_what_cannot_be_pickled():
    search = mote.Neighbors(0.2).update(rng(1).random((20, 3)))
    for one in (search, search.rows()):
        for call in (pickle.dumps, copy.deepcopy):
            with pytest.raises(TypeError, match="cannot be pickled"):
                call(one)
    kept = pickle.loads(pickle.dumps(search.rows().indices))
    assert np.array_equal(kept, search.rows().indices)


def test_after_a_failure():
    """A search that ran out of memory, or met bad points, works with the next ones."""
    search = mote.Neighbors(0.1, max_bytes=5_000_000)
    good = rng(16).random((500, 3))
    for bad in (np.full((500, 3), np.nan), rng(0).random((400_000, 3))):
        with pytest.raises((ValueError, MemoryError)):
            search.update(bad)
        with pytest.raises(mote.StateError):
            search.rows()
        assert as_set(*search.update(good).pairs("ij")) == brute_pairs(good, 0.1)


def test_same_bits_for_any_threads():
    points = rng(17).random((30_000, 3))
    results = [mote.Neighbors(0.05, threads=t, periodic=1).update(points).rows("dD") for t in (1, 2, 5)]
    for rows in results[1:]:
        for name in ("offsets", "indices", "distances", "vectors", "shifts"):
            assert getattr(rows, name).tobytes() == getattr(results[0], name).tobytes(), name
    assert mote.Neighbors(1).byte_count > 0 and "periodic" in repr(mote.Neighbors(1, periodic=1))


def test_collector_in_the_middle():
    """Cycles of searches and arrays end in any order that the collector likes."""
    for _ in range(20):
        search = mote.Neighbors(0.3, max_bytes=1 << 26).update(rng(1).random((100, 3)))
        rows = search.rows()
        holder = [search, rows, rows[3], rows.counts]
        holder.append(holder)
        del search, rows, holder
        gc.collect()


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_pairs_in_the_rows_of_either_point(kind):
    points = np.random.default_rng(11).random((3000, 3)).astype(kind)
    expected = mote.Neighbors(0.08, half=True, columns="dD").update(points).pairs("ijdD")
    order = np.lexsort(expected[1::-1])
    search = mote.Neighbors(0.08, half=True, half_either=True, columns="dD").update(points)
    for _ in range(2):  # the second time in the memory of the first
        found = search.pairs("ijdD")
        assert np.all(found[0] < found[1]) and all(array.flags.writeable for array in found)
        for one, other in zip(found, expected):
            assert one.dtype == other.dtype and np.array_equal(one[np.lexsort(found[1::-1])], other[order])
    i, j = mote.pairs("ij", points, 0.08, half=True)
    assert np.array_equal(np.stack([i, j])[:, np.lexsort((j, i))], np.stack(expected[:2])[:, order])
