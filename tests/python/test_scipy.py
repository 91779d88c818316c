# SPDX-License-Identifier: MIT
"""mote.KDTree against scipy's cKDTree: the same results as sets, the same types and shapes."""

import pickle

import numpy as np
import pytest

import mote

spatial = pytest.importorskip("scipy.spatial")

rng = np.random.default_rng


def grid(m, n):
    return np.stack(np.meshgrid(*[np.arange(n) / 8.0] * m, indexing="ij"), -1).reshape(-1, m)


SETS = [  # points, radii; coordinates of the adversarial ones are such that nothing is rounded
    ("uniform", lambda m: rng(1).random((120, m)), [0.1, 0.3, 2.0]),
    ("ties", lambda m: grid(m, {1: 40, 2: 7, 3: 4}[m]), [0.125, 0.25, 0.0]),
    ("same place", lambda m: np.zeros((30, m)), [0.0, 1e-3]),
    ("doubled", lambda m: np.repeat(rng(2).integers(0, 16, (60, m)) / 16.0, 2, axis=0), [0.0, 0.0625, 0.5]),
    ("clusters", lambda m: rng(3).normal(0, 1e-3, (90, m)) + rng(4).integers(0, 3, (90, 1)), [1e-3, 0.01, 3.0]),
    ("one point", lambda m: np.full((1, m), 0.5), [0.1]),
    ("line", lambda m: np.arange(100.0)[:, None] * np.ones(m), [1.0, 5.0, 20.0]),
]
IDS = [one[0] for one in SETS]


def boxes(name, points, m):
    yield None, points
    if name in ("uniform", "ties", "doubled"):
        size = 1.0 if name != "ties" else 8.0
        inside = points if points.max() < size else points / 2
        yield size, inside
        mixed = np.full(m, size)
        mixed[0] = 0
        yield mixed, inside


def cases(name, make, m):
    for box, points in boxes(name, make(m), m):
        yield points, mote.KDTree(points, boxsize=box), spatial.cKDTree(points, boxsize=box)


@pytest.mark.parametrize("m", [1, 2, 3])
@pytest.mark.parametrize("name, make, radii", SETS, ids=IDS)
def test_query(name, make, radii, m):
    for points, ours, theirs in cases(name, make, m):
        queries = np.concatenate([points[:20], rng(5).random((20, m)) * 0.9])
        all_d, all_i = theirs.query(queries, k=list(range(1, len(points) + 1)))
        dense = np.empty((len(queries), len(points)))
        np.put_along_axis(dense, all_i, all_d, axis=1)
        for k in (1, 2, 5, len(points) + 3, [1], [3, 1], range(2, 4)):
            for bound in (np.inf, 0.25, 0.0):
                k = list(k) if isinstance(k, range) else k
                d, i = ours.query(queries, k=k, distance_upper_bound=bound)
                e, j = theirs.query(queries, k=k, distance_upper_bound=bound)
                assert d.shape == e.shape and i.shape == j.shape and d.dtype == e.dtype and i.dtype == j.dtype
                assert np.array_equal(np.isinf(d), np.isinf(e)) and np.allclose(
                    d[np.isfinite(d)], e[np.isfinite(e)], 0, 1e-15
                )
                assert np.array_equal(i == len(points), j == len(points))
                # Whoever is named is as far away as the answer says: ties may be named in another order.
                flat_i, flat_d = i.reshape(len(queries), -1), d.reshape(len(queries), -1)
                for row in range(len(queries)):
                    real = np.isfinite(flat_d[row])
                    assert np.allclose(dense[row][flat_i[row][real]], flat_d[row][real], 0, 1e-15)
                    if k == 5:
                        assert len(set(flat_i[row][real])) == real.sum()


@pytest.mark.parametrize("m", [1, 2, 3])
@pytest.mark.parametrize("name, make, radii", SETS, ids=IDS)
def test_balls(name, make, radii, m):
    for points, ours, theirs in cases(name, make, m):
        queries = np.concatenate([points[:20], rng(6).random((10, m)) * 0.9])
        for radius in radii:
            found, expected = ours.query_ball_point(queries, radius), theirs.query_ball_point(queries, radius)
            assert found.shape == expected.shape and found.dtype == expected.dtype
            assert all(
                a == sorted(b) and type(a) is list and all(type(x) is int for x in a[:2])
                for a, b in zip(found, expected)
            )
            assert np.array_equal(
                ours.query_ball_point(queries, radius, return_length=True),
                theirs.query_ball_point(queries, radius, return_length=True),
            )
            assert ours.query_pairs(radius) == theirs.query_pairs(radius)
            pairs, wanted = (tree.query_pairs(radius, output_type="ndarray") for tree in (ours, theirs))
            assert pairs.dtype == wanted.dtype and pairs.shape == wanted.shape
            assert np.array_equal(pairs, wanted[np.lexsort(wanted.T[::-1])]) if len(pairs) else True
            assert ours.query_ball_tree(ours, radius) == [
                sorted(row) for row in theirs.query_ball_tree(theirs, radius)
            ]
        each = rng(7).random(len(queries)) * radii[-1]
        assert [sorted(a) for a in ours.query_ball_point(queries, each)] == [
            sorted(a) for a in theirs.query_ball_point(queries, each)
        ]


@pytest.mark.parametrize("m", [1, 3])
@pytest.mark.parametrize("name, make, radii", SETS, ids=IDS)
def test_matrices_and_counts(name, make, radii, m):
    for points, ours, theirs in cases(name, make, m):
        box = theirs.boxsize
        other = points[: len(points) // 2 + 1]
        our_other, their_other = mote.KDTree(other, boxsize=box), spatial.cKDTree(other, boxsize=box)
        for radius in radii:
            for kind in ("dok_matrix", "coo_matrix", "dict", "ndarray"):
                a = ours.sparse_distance_matrix(our_other, radius, output_type=kind)
                b = theirs.sparse_distance_matrix(their_other, radius, output_type=kind)
                assert type(a) is type(b)
                if kind == "dict":
                    assert a.keys() == b.keys() and all(abs(a[key] - b[key]) < 1e-15 for key in a)
                elif kind == "ndarray":
                    assert a.dtype == b.dtype and a.shape == b.shape
                    assert set(zip(a["i"].tolist(), a["j"].tolist())) == set(zip(b["i"].tolist(), b["j"].tolist()))
                else:
                    assert a.shape == b.shape and a.dtype == b.dtype and a.nnz == b.nnz
                    assert abs(a - b).max() < 1e-15 if a.nnz else True
        steps = sorted(radii + [10.0])
        weights = rng(8).random(len(points)), rng(9).random(len(other))
        for r in (steps[0], steps):
            a, b = ours.count_neighbors(our_other, r), theirs.count_neighbors(their_other, r)
            assert np.array_equal(a, b) and type(a) is type(b)
            a, b = ours.count_neighbors(our_other, r, weights=weights), theirs.count_neighbors(
                their_other, r, weights=weights
            )
            assert np.allclose(a, b, 1e-12) and type(a) is type(b)
            half = (None, weights[1])
            assert np.allclose(
                ours.count_neighbors(our_other, r, weights=half),
                theirs.count_neighbors(their_other, r, weights=half),
                1e-12,
            )
        a, b = (t.count_neighbors(o, steps, cumulative=False) for t, o in ((ours, our_other), (theirs, their_other)))
        assert np.array_equal(a, b) and a.dtype == b.dtype


def test_pickle():
    tree = mote.KDTree(rng(5).random((50, 2)), boxsize=1, threads=1)
    again = pickle.loads(pickle.dumps(tree))
    assert np.array_equal(again.query_pairs(0.2, output_type="ndarray"), tree.query_pairs(0.2, output_type="ndarray"))
    mine = type("Mine", (mote.KDTree,), {"__module__": __name__})
    globals()["Mine"] = mine
    assert type(pickle.loads(pickle.dumps(mine(np.zeros((3, 2)))))) is mine
    assert mote.KDTree(np.array([[0, 1.5], [1, 2]], dtype=object)).n == 2
    with pytest.raises(TypeError, match="context="):
        pickle.dumps(mote.KDTree(np.zeros((3, 2)), context=mote.Context()))


def test_shapes():
    points = rng(0).random((50, 3))
    ours, theirs = mote.KDTree(points), spatial.cKDTree(points)
    for queries in (points[0], points[:1], points[:4].reshape(2, 2, 3), points[:0]):
        for k in (1, 3, [2]):
            a, b = ours.query(queries, k=k), theirs.query(queries, k=k)
            assert [np.shape(x) for x in a] == [np.shape(x) for x in b]
        if len(queries):
            a, b = ours.query_ball_point(queries, 0.3), theirs.query_ball_point(queries, 0.3)
            assert type(a) is type(b) and np.shape(a)[:0] == np.shape(b)[:0]
            if queries.ndim == 3:
                assert a.shape == b.shape == (2, 2)
    d, i = ours.query(points[0])
    assert type(d) is float and type(i) is int
    assert ours.query_ball_point(points[0], 0.3, return_length=True) == theirs.query_ball_point(
        points[0], 0.3, return_length=True
    )
    empty = mote.KDTree(np.zeros((0, 3)))
    assert empty.query([0, 0, 0], k=2)[1].tolist() == [0, 0] and empty.query_ball_point([0, 0, 0], 1) == []
    assert (ours.n, ours.m, ours.leafsize) == (50, 3, 10) and np.array_equal(ours.mins, theirs.mins)
    assert (
        np.array_equal(ours.maxes, theirs.maxes) and np.array_equal(ours.data, points) and "50 points" in repr(ours)
    )


def test_beyond_scipy():
    """Points outside of the box, and skewed boxes."""
    points = rng(1).random((60, 3))
    straight, moved = mote.KDTree(points, boxsize=1), mote.KDTree(points + 3, boxsize=1)
    assert straight.query_pairs(0.2) == moved.query_pairs(0.2)
    cell = np.array([[1, 0, 0], [0.4, 1, 0], [0.2, -0.3, 1]])
    tree = mote.KDTree(points @ cell, boxsize=cell)
    for radius in (0.2, 0.7, 1.5):
        i, j = np.triu_indices(60, 1)
        shifts = np.array(np.meshgrid(*[range(-4, 5)] * 3)).reshape(3, -1).T @ cell
        gaps = np.array([np.linalg.norm(tree.data[b] - tree.data[a] + shifts, axis=1).min() for a, b in zip(i, j)])
        assert tree.query_pairs(radius) == {(a, b) for a, b, g in zip(i.tolist(), j.tolist(), gaps) if g <= radius}
    d, k = tree.query(tree.data, k=60)
    assert all(sorted(row) == list(range(60)) for row in k.tolist()) and np.all(np.diff(d, axis=1) >= 0)


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda t: t.query([[0, 0, 0]], p=1), "p is 1, expected 2"),
        (lambda t: t.query_pairs(1, p=np.inf), "p is inf"),
        (lambda t: t.query_ball_point([0, 0, 0], 1, p=3), "p is 3"),
        (lambda t: t.query([[0, 0, 0]], eps=-1), "eps"),
        (lambda t: t.query([[0, 0, 0]], distance_upper_bound=np.nan), "distance_upper_bound is nan"),
        (lambda t: t.query([[0, 0, 1j]]), r"x: .* dtype complex128, expected vectors of length 3"),
        (lambda t: t.query_pairs(-1), "r is -1, expected 0 or more"),
        (lambda t: t.query_ball_point([[0, 0, 0]], -0.5), "r is -0.5"),
        (lambda t: t.query_ball_point([[0, 0, 0]] * 2, [1, np.nan]), "r is nan"),
        (lambda t: t.query_ball_point([[0, 0, 0]] * 2, [1, 2, 3]), r"r: shape \(3,\)"),
        (lambda t: t.sparse_distance_matrix(t, -1), "max_distance is -1"),
        (lambda t: t.count_neighbors(t, [1, -1]), "r is -1"),
        (lambda t: mote.KDTree([["a", "b", "c"]]), "data: an array of .* dtype <U1, expected real numbers"),
        (lambda t: t.query([[0, 0]]), "vectors of length 3"),
        (lambda t: t.query(3.0), "vectors of length 3"),
        (lambda t: t.query([[0, 0, 0]], k=0), "k is 0"),
        (lambda t: t.query([[0, 0, 0]], k=[]), "k is"),
        (lambda t: t.query([[0, 0, 0]], k=1.5), "k is 1.5"),
        (lambda t: t.query([[0, 0, np.nan]]), "queries"),
        (lambda t: t.query_pairs(1, output_type="list"), "output_type"),
        (lambda t: t.sparse_distance_matrix(t, 1, output_type="csr"), "output_type"),
        (lambda t: t.count_neighbors(t, [[1]]), "count_neighbors: r"),
        (lambda t: t.count_neighbors(t, 1, weights=[1]), "weights"),
        (lambda t: t.count_neighbors(mote.KDTree(np.zeros((3, 2))), 1), "2 dimensions"),
        (lambda t: t.count_neighbors(mote.KDTree(np.zeros((3, 3)), boxsize=1), 1), "boxsize"),
        (lambda t: t.query_ball_tree(3, 1), "expected a mote.KDTree"),
        (lambda t: mote.KDTree(np.zeros((3, 4))), "three dimensions"),
        (lambda t: mote.KDTree([[0, 0, np.inf]]), "point"),
        (lambda t: mote.KDTree(np.zeros(3)), "shape"),
        (lambda t: mote.KDTree(np.zeros((4, 3)), boxsize=-1), "boxsize: a length of -1"),
        (lambda t: mote.KDTree(np.zeros((4, 3)), boxsize=[1, 1]), "one for each of 3 axes"),
        (lambda t: mote.KDTree(np.zeros((4, 3)), boxsize=np.nan), "boxsize: nan"),
    ],
)
def test_refused(call, text):
    with pytest.raises(ValueError, match=text):
        call(mote.KDTree(np.zeros((4, 3))))
