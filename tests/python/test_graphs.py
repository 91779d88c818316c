# SPDX-License-Identifier: MIT
"""Graphs and capped distances: against scipy and brute force, and against scikit-learn and MDAnalysis where found."""

import numpy as np
import pytest

import mote

pytest.importorskip("scipy.sparse")
points = np.random.default_rng(0).random((150, 3))
GAPS = np.linalg.norm(points[:, None] - points[None], axis=2)


@pytest.mark.parametrize("mode", ["connectivity", "distance"])
@pytest.mark.parametrize("own", [False, True, "auto"])
def test_radius_graph(mode, own):
    graph = mote.radius_neighbors_graph(points, 0.3, mode=mode, include_self=own)
    graph.check_format()
    has_self = own is True or (own == "auto" and mode == "connectivity")
    inside = GAPS <= 0.3
    np.fill_diagonal(inside, has_self)
    assert graph.shape == (150, 150) and graph.dtype == np.float64 and graph.nnz == inside.sum()
    assert graph.has_sorted_indices or not has_self
    expected = np.where(inside, GAPS if mode == "distance" else 1.0, 0.0)
    assert np.allclose(graph.toarray(), expected)
    assert graph.indices.dtype == np.int32


@pytest.mark.parametrize("mode", ["connectivity", "distance"])
@pytest.mark.parametrize("own", [False, True])
def test_nearest_graph(mode, own):
    graph = mote.kneighbors_graph(points, 4, mode=mode, include_self=own)
    graph.check_format()
    gaps = GAPS + (0 if own else np.diag(np.full(150, np.inf)))
    order = np.argsort(gaps, axis=1, kind="stable")[:, :4]
    assert np.array_equal(graph.indices.reshape(150, 4), order)
    values = np.take_along_axis(GAPS, order, 1) if mode == "distance" else np.ones((150, 4))
    assert np.allclose(graph.data.reshape(150, 4), values)


def test_periodic_graph():
    graph = mote.radius_neighbors_graph(points, 0.7, mode="distance", periodic=1.0)
    wrapped = points[:, None] - points[None]
    wrapped = np.linalg.norm(wrapped - np.round(wrapped), axis=2)
    expected = np.where(wrapped <= 0.7, wrapped, 0.0)
    np.fill_diagonal(expected, 0)
    assert np.allclose(graph.toarray(), expected)
    assert mote.radius_neighbors_graph(points, 0.7, periodic=1.0, include_self=True).diagonal().min() == 1


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize(
    "box, pbc", [(1.0, None), ([1, 0.7, 0], None), ([[1, 0, 0], [0.4, 1, 0], [0, 0, 0.3]], [1, 0, 1])]
)
def test_periodic_nearest_graph(own, box, pbc):
    """The nearest images of other points, also where a point's own are nearer, and where points lie on each other."""
    cell = np.diag(np.broadcast_to(box, 3)) if np.ndim(box) < 2 else np.array(box)
    cell = cell if pbc is None else cell * np.array(pbc)[:, None]
    shifts = np.array(np.meshgrid(*[range(-4, 5)] * 3)).reshape(3, -1).T @ cell
    for places in (points[:40] * [1, 1, 0.3], np.repeat(points[:3], 4, axis=0), points[:2]):
        gaps = np.linalg.norm(places[None, :, None] - places[:, None, None] + shifts, axis=3).min(axis=2)
        np.fill_diagonal(gaps, -1 if own else np.inf)
        for k in range(1, min(len(places), 8) + (1 if own else 0)):
            graph = mote.kneighbors_graph(places, k, mode="distance", include_self=own, periodic=box, pbc=pbc)
            graph.check_format()
            expected = np.maximum(np.sort(gaps, axis=1)[:, :k], 0)
            found = graph.indices.reshape(-1, k)
            assert np.allclose(graph.data.reshape(-1, k), expected, 0, 1e-12)
            assert np.allclose(np.maximum(np.take_along_axis(gaps, found, 1), 0), expected, 0, 1e-12)
            assert all(len(set(row)) == k for row in found.tolist())
    assert mote.kneighbors_graph(points[:, :2], 3, periodic=box if np.ndim(box) < 1 else cell[:2, :2]).nnz == 450


def test_graphs_like_scikit_learn():
    sklearn = pytest.importorskip("sklearn.neighbors")
    for mode in ("connectivity", "distance"):
        for own in (False, True):
            ours = mote.radius_neighbors_graph(points, 0.3, mode=mode, include_self=own)
            theirs = sklearn.radius_neighbors_graph(points, 0.3, mode=mode, include_self=own)
            assert abs(ours - theirs).max() < 1e-12 and type(ours) is type(theirs) and ours.dtype == theirs.dtype
            ours = mote.kneighbors_graph(points, 4, mode=mode, include_self=own)
            theirs = sklearn.kneighbors_graph(points, 4, mode=mode, include_self=own)
            assert abs(ours - theirs).max() < 1e-12


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda: mote.radius_neighbors_graph(points, -1), "radius is -1"),
        (lambda: mote.radius_neighbors_graph(points, 1, metric="cosine"), "metric is 'cosine'"),
        (lambda: mote.radius_neighbors_graph(points, 1, p=1), "p = 1"),
        (lambda: mote.radius_neighbors_graph(points, 1, mode="sum"), "mode is 'sum'"),
        (lambda: mote.radius_neighbors_graph(points, 1, n_jobs=0), "n_jobs is 0"),
        (lambda: mote.kneighbors_graph(points, 150), "n_neighbors is 150, expected 1 to 149"),
        (lambda: mote.kneighbors_graph(points, 0), "n_neighbors is 0"),
        (lambda: mote.kneighbors_graph(points, 3.7), "n_neighbors is 3.7, expected 1 to 149 for 150 points, a whole"),
        (lambda: mote.kneighbors_graph(points, "3"), "n_neighbors is '3', expected"),
        (lambda: mote.kneighbors_graph(points, None), "n_neighbors is None, expected"),
        (lambda: mote.kneighbors_graph(points, 3, include_self="yes"), "is 'yes', expected True, False, 'auto'"),
        (lambda: mote.kneighbors_graph(points, 3, include_self=None), "include_self is None, expected"),
        (lambda: mote.kneighbors_graph(points, 3, n_jobs=1.5), "n_jobs is 1.5, expected"),
        (lambda: mote.kneighbors_graph(points, 3, n_jobs="a"), "n_jobs is 'a', expected"),
        (lambda: mote.kneighbors_graph(points, 3, periodic=-1), "periodic: a length of -1"),
        (lambda: mote.capped_distance(points, points, -1), "max_cutoff is -1"),
        (lambda: mote.capped_distance(points, points, None), "max_cutoff is None, expected 0 or more"),
        (lambda: mote.capped_distance(points, points, "1"), "max_cutoff is '1', expected 0 or more"),
        (lambda: mote.capped_distance(points, points, [1, 2]), r"max_cutoff is \[1, 2\], expected 0 or more"),
        (lambda: mote.capped_distance(points, points, [1, [2]]), r"max_cutoff is \[1, \[2\]\], expected 0 or more"),
        (lambda: mote.capped_distance(points, points, 1j), "max_cutoff is 1j, expected 0 or more"),
        (lambda: mote.capped_distance(points, points, np.nan), "max_cutoff is nan"),
        (lambda: mote.capped_distance(points, points, 1, np.nan), "min_cutoff is nan, expected a number, or None"),
        (lambda: mote.capped_distance(points, points, 1, "a"), "min_cutoff is 'a', expected a number, or None"),
        (lambda: mote.capped_distance(points + 0j, points, 1), "reference: .*complex128, expected numbers"),
        (lambda: mote.capped_distance(points, points.astype(str), 1), "configuration: .*, expected numbers"),
        (lambda: mote.capped_distance(points, None, 1), "configuration: None, expected numbers"),
        (lambda: mote.capped_distance(points, points * np.nan, 1), "configuration: coordinate x of point 0 is nan"),
        (lambda: mote.self_capped_distance(points * np.inf, 1), "reference: coordinate x of point 0 is inf"),
        (lambda: mote.capped_distance(points, points, 1, box="abc"), "box: 'abc', expected six numbers"),
        (lambda: mote.capped_distance(points, points, 1, box=[1, 1, 1, 90, 90, 90 + 1j]), "box: .*complex128, exp"),
        (lambda: mote.capped_distance(points[:, :2], points, 1), "reference: shape"),
        (lambda: mote.capped_distance(points, points, 1, box=[1, 1, 1]), "box: shape"),
        (lambda: mote.capped_distance(points, points, 1, box=[1, 1, 1, 90, 90, 200]), "box: "),
        (lambda: mote.capped_distance(points, points, 1, box=[1, 1, 1, 30, 30, 170]), "which no box has"),
    ],
)
def test_refused(call, text):
    with pytest.raises(ValueError, match=text):
        call()


def test_graph_without_edges():
    for empty in (np.zeros((0, 3)), points[:1]):
        assert mote.radius_neighbors_graph(empty, 0.1).nnz == 0
        assert mote.radius_neighbors_graph(empty, 0.1, include_self=True).nnz == len(empty)
    assert mote.kneighbors_graph(points[:1], 1, include_self=True).toarray().tolist() == [[1]]
    assert (
        mote.radius_neighbors_graph(points, 0.3, n_jobs=-1).nnz
        == mote.radius_neighbors_graph(points, 0.3, n_jobs=2).nnz
    )


def test_jobs_and_metrics():
    expected = mote.kneighbors_graph(points, 3)
    assert abs(mote.kneighbors_graph(mote.columns(*points.T), 3) - expected).nnz == 0
    for more in (dict(n_jobs=-2), dict(n_jobs=-5000), dict(metric="l2", p=1), dict(metric="minkowski", p=2.0)):
        assert abs(mote.kneighbors_graph(points, np.int64(3), **more) - expected).nnz == 0
        assert mote.radius_neighbors_graph(points, 0.3, include_self=np.True_, **more).nnz > 0


def brute_capped(a, b, cell):
    shifts = np.zeros((1, 3))
    if cell is not None:
        shifts = np.array(np.meshgrid(*[range(-5, 6)] * 3)).reshape(3, -1).T @ cell
    return np.linalg.norm(b[None, :, None] - a[:, None, None] + shifts, axis=3).min(axis=2)


def box_of(lengths, angles):
    from mote.mdanalysis import _cell

    cell = _cell([*lengths, *angles])
    norms = np.linalg.norm(cell, axis=1)
    assert np.allclose(norms, lengths)
    for k, (a, b) in enumerate(((1, 2), (0, 2), (0, 1))):
        assert np.isclose(np.degrees(np.arccos(cell[a] @ cell[b] / norms[a] / norms[b])), angles[k])
    return cell


@pytest.mark.parametrize("box", [None, [1, 1, 1, 90, 90, 90], [1, 1.2, 0.8, 80, 70, 110], [0.7, 0.9, 1, 60, 60, 90]])
def test_capped_distance(box):
    cell = None if box is None else box_of(box[:3], box[3:])
    a, b = points[:40] * 1.4 - 0.2, points[40:80]
    gaps = brute_capped(a, b, cell)
    for most, least in ((0.2, None), (0.4, 0.1), (0.9, None), (0.0, None)):
        pairs, distances = mote.capped_distance(a, b, most, min_cutoff=least, box=box)
        inside = (gaps <= most) & (gaps > (-1 if least is None else least))
        assert np.array_equal(pairs, np.argwhere(inside)) and np.allclose(distances, gaps[inside], 0, 1e-12)
        assert pairs.dtype == np.int64 and distances.dtype == np.float64
        assert np.array_equal(mote.capped_distance(a, b, most, least, box, return_distances=False), pairs)
    own = brute_capped(a, a, cell)
    pairs, distances = mote.self_capped_distance(a.astype(np.float32), 0.3, box=box)
    inside = np.triu(
        brute_capped(a.astype(np.float32).astype(float), a.astype(np.float32).astype(float), cell) <= 0.3, 1
    )
    assert np.array_equal(pairs, np.argwhere(inside)) and own.shape == (40, 40)
    pairs, _ = mote.capped_distance(a[0], b, 0.5, box=box)
    assert np.array_equal(pairs[:, 1], np.flatnonzero(gaps[0] <= 0.5))
    assert mote.self_capped_distance(np.zeros((0, 3)), 1, box=box)[0].shape == (0, 2)


def test_capped_distance_like_mdanalysis():
    distances = pytest.importorskip("MDAnalysis.lib.distances")
    for box in (None, np.array([1, 1, 1, 90, 90, 90], np.float32)):
        a, b = points[:40].astype(np.float32), points[40:].astype(np.float32)
        ours, theirs = mote.capped_distance(a, b, 0.3, box=box), distances.capped_distance(a, b, 0.3, box=box)
        assert set(map(tuple, ours[0].tolist())) == set(map(tuple, theirs[0].tolist()))
