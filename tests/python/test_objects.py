# SPDX-License-Identifier: MIT
"""Boxes, meshes, hits, proxies, rasters and pictures from Python."""

import copy
import errno
import gc
import inspect
import pickle

import numpy as np
import pytest

import mote
from mote import _fields
from mote._library import lib

rng = np.random.default_rng
CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


def tetrahedron():
    return mote.Mesh(CORNERS, FACES)


def boxes_at(random, count, d=3, size=0.1):
    low = random.random((count, d), dtype=np.float32)
    return np.stack([low, low + np.float32(size) * random.random((count, d), dtype=np.float32)], axis=1)


def overlapping(a, b):
    return np.all((a[:, None, 0] <= b[None, :, 1]) & (b[None, :, 0] <= a[:, None, 1]), axis=2)


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("method", [None] + [name for name, _, _ in mote.box_methods()])
def test_boxes(d, method):
    random = rng(d)
    boxes = boxes_at(random, 200, d)
    broad = mote.BroadPhase(dimensions=d, method=method)
    assert broad.add(boxes).tolist() == list(range(200)) and len(broad) == broad.id_end == 200
    expected = np.argwhere(np.triu(overlapping(boxes, boxes), 1))
    pairs = broad.pairs()
    assert np.array_equal(pairs, expected) and pairs.dtype == np.uint32
    events = broad.events()
    assert np.array_equal(events.begun, expected) and not len(events.stayed) and not len(events.ended)
    moved = boxes + random.normal(0, 0.05, (200, 1, d)).astype(np.float32)
    broad.move(None, moved)
    later = set(map(tuple, np.argwhere(np.triu(overlapping(moved, moved), 1)).tolist()))
    before = set(map(tuple, expected.tolist()))
    events = broad.events()
    assert set(map(tuple, events.begun.tolist())) == later - before
    assert set(map(tuple, events.ended.tolist())) == before - later
    assert set(map(tuple, events.stayed.tolist())) == before & later
    queries = boxes_at(random, 50, d, 0.3)
    rows = broad.query_boxes(queries)
    hit = overlapping(queries, moved)
    assert all(rows.row(k).tolist() == np.flatnonzero(hit[k]).tolist() for k in range(50))
    assert rows.offsets[-1] == hit.sum() == len(rows.ids) and len(rows) == 50 and "50 rows" in repr(rows)
    assert [row.tolist() for row in rows] == [rows[k].tolist() for k in range(50)]
    assert rows[-1].tolist() == rows.row(49).tolist() and [len(row) for row in rows[3:5]] == hit[3:5].sum(1).tolist()
    for beyond in (50, -51):
        with pytest.raises(IndexError, match=f"row {beyond}, expected one of 50"):
            rows.row(beyond)
    with pytest.raises(TypeError, match="not by 1.5"):
        rows[1.5]
    points = random.random((30, d))
    rows = broad.query_points(points)
    at = np.stack([points, points], 1).astype(np.float32)
    assert all(rows.row(k).tolist() == np.flatnonzero(overlapping(at, moved)[k]).tolist() for k in range(30))
    gaps = np.maximum(np.maximum(moved[None, :, 0] - at[:, None, 0], at[:, None, 0] - moved[None, :, 1]), 0)
    gaps = np.linalg.norm(gaps.astype(float), axis=2)
    rows = broad.query_spheres(points, 0.1)
    assert all(rows.row(k).tolist() == np.flatnonzero(gaps[k] <= np.float32(0.1)).tolist() for k in range(30))
    for k in range(5):
        found, distance = broad.closest(points[k])
        assert np.isclose(distance, gaps[k].min()) and gaps[k][found] == gaps[k].min()
    assert broad.closest(points[0] + 50, 1.0) is None
    assert broad.query_segments(points, points).ids.tolist() == broad.query_points(points).ids.tolist()
    assert broad.query_sweeps(queries, np.zeros((50, d))).ids.tolist() == broad.query_boxes(queries).ids.tolist()
    broad.remove([3, 5])
    assert len(broad) == 198 and not np.isin(broad.pairs(), [3, 5]).any()
    with pytest.raises(ValueError):
        broad.object(3)
    assert np.array_equal(broad.object(4)["box"], moved[4])
    broad.validate()
    assert broad.byte_count > 0 and broad.counters["hits"] >= 0 and broad.explain()


def test_filters_and_other_sets():
    boxes = np.array([[[0, 0, 0], [1, 1, 1]]] * 4, np.float32)
    broad = mote.BroadPhase()
    broad.add(boxes[:2], static=True)
    broad.add(boxes[2:], category=2, mask=1)
    assert broad.pairs().tolist() == [[0, 2], [0, 3], [1, 2], [1, 3]]
    broad.set_filter([2, 3], 1, 2**64 - 1)
    broad.set_static(0, False)
    assert broad.pairs().tolist() == [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    other = mote.BroadPhase()
    other.add(boxes[:1])
    assert broad.pairs_between(other).tolist() == [[0, 0], [1, 0], [2, 0], [3, 0]]
    with pytest.raises(ValueError):
        broad.pairs_between(broad)


def test_boxes_are_rounded_outwards():
    """No overlap is lost where doubles become floats."""
    touching = np.array([[[0, 0, 0], [0.1, 1, 1]], [[0.1, 0, 0], [0.3, 1, 1]], [[0.7, 0, 0], [0.7, 0, 0]]])
    broad = mote.BroadPhase()
    broad.add(touching)
    assert broad.pairs().tolist() == [[0, 1]]
    for k in range(3):
        box = broad.object(k)["box"].astype(float)
        assert np.all(box[0] <= touching[k, 0]) and np.all(box[1] >= touching[k, 1])


@pytest.mark.parametrize(
    "bad, text",
    [
        (np.zeros((3, 3)), "boxes: shape"),
        (np.zeros((2, 2, 2)), "boxes: shape"),
        (np.full((2, 2, 3), np.nan), "box"),
        ([[[1, 0, 0], [0, 1, 1]]], "box"),
        (np.zeros((2, 2, 3), complex), "dtype"),
        ("boxes", "boxes: "),
    ],
)
def test_bad_boxes(bad, text):
    broad = mote.BroadPhase()
    with pytest.raises(ValueError, match=text):
        broad.add(bad)
    assert len(broad) == 0 and len(broad.add([])) == 0 and broad.pairs().shape == (0, 2)
    with pytest.raises(ValueError, match="unknown keyword 'methd', did you mean method"):
        mote.BroadPhase(methd="x")
    with pytest.raises(ValueError):
        mote.BroadPhase(dimensions=4)
    with pytest.raises(ValueError):
        broad.move([7], boxes_at(rng(0), 1))


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda broad: broad.add(np.zeros((1, 2, 3)), category=1.5), "category is 1.5, expected 64 bits"),
        (lambda broad: broad.add(np.zeros((1, 2, 3)), mask="a"), "mask is 'a', expected 64 bits"),
        (lambda broad: broad.add(np.zeros((1, 2, 3)), mask=2**64), "mask is 18446744073709551616, expected 64 bits"),
        (lambda broad: broad.add(np.zeros((1, 2, 3)), static="no"), "static is 'no', expected True, False"),
        (lambda broad: broad.query_points(CORNERS, category=-1), "category is -1, expected 64 bits"),
        (lambda broad: broad.set_filter(0, None, 1), "category is None, expected 64 bits"),
        (lambda broad: broad.set_static(0, None), "static is None, expected True, False"),
        (lambda broad: broad.object(None), "object is None, expected the id of an object"),
        (lambda broad: broad.object(1.5), "object is 1.5, expected the id of an object"),
        (lambda broad: broad.object(2**32), "object is 4294967296, expected the id of an object"),
        (lambda broad: broad.remove(None), "ids: "),
        (lambda broad: broad.closest("abc"), "point: 'abc', expected 3 numbers"),
        (lambda broad: broad.closest([0, 0, 1j]), "point: an array of shape .3,. and dtype complex128, expected 3"),
        (lambda broad: broad.closest([0, 0, 0], None), "distance is None, expected 0 or more"),
        (lambda broad: broad.closest([0, 0, 0], -1), "distance is -1, expected 0 or more"),
    ],
)
def test_bad_arguments_of_boxes(call, text):
    broad = mote.BroadPhase()
    broad.add(np.zeros((1, 2, 3)))
    with pytest.raises(ValueError, match=text):
        call(broad)
    assert len(broad) == 1


@pytest.mark.parametrize(
    "kind, table",
    [
        (mote.BroadPhase, lib.mote_broadphase_fields),
        (mote.Hits, lib.mote_hits_fields),
        (mote.Proxy, lib.mote_proxy_fields),
    ],
)
def test_keywords_are_those_of_the_table(kind, table):
    parameters = inspect.signature(kind).parameters
    for name, field in _fields.fields_of(table).items():
        assert parameters[name].default == field.default and field.meaning in kind.__doc__, name


def test_mesh():
    mesh = tetrahedron()
    assert np.array_equal(mesh.vertices, CORNERS) and np.array_equal(mesh.triangles, FACES)
    assert np.isclose(mesh.volume, 1 / 6) and np.isclose(mesh.area, 1.5 + 3**0.5 / 2)
    assert mesh.box.tolist() == [[0, 0, 0], [1, 1, 1]] and mesh.examine()["closed"] and mesh.byte_count > 0
    assert not mesh.vertices.flags.writeable and "4 triangles" in repr(mesh)
    assert np.allclose(np.linalg.norm(mesh.vertex_normals(), axis=1), 1)
    points, triangles = mesh.sample(0.1, seed=3)
    assert len(points) == len(triangles) > 100 and np.all(points.sum(1) < 1 + 1e-12)
    assert np.allclose(mesh.winding_number([[0.1, 0.1, 0.1], [1, 1, 1]]), [1, 0], atol=1e-12)
    vertices = mesh.vertices
    del mesh
    gc.collect()
    assert np.array_equal(vertices, CORNERS)
    mesh = tetrahedron()
    assert np.allclose(mesh.place(2, (0, 0, 90), (1, 0, 0)).vertices[1], [1, 2, 0])
    cut = mesh.cut([0, 0, 0.5], [0, 0, 1])
    assert cut.vertices[:, 2].max() == 0.5 and not cut.examine()["closed"] and mesh.vertices[:, 2].max() == 1
    soup = mote.Mesh(CORNERS[FACES].reshape(-1, 3), np.arange(12).reshape(4, 3))
    assert not soup.examine()["closed"] and soup.weld().examine()["closed"] and len(soup.weld(0.01).vertices) == 4
    both = mote.Mesh.join([mesh, mesh.place(translate=(3, 0, 0))])
    assert len(both.triangles) == 8 and both.examine()["components"] == 2
    ball = mote.Mesh.spheres([[0, 0, 0], [5, 0, 0]], [1, 2], 0.2)
    assert np.isclose(ball.volume, 4 / 3 * np.pi * 9, rtol=0.02)
    fine = mote.Mesh.spheres([[0, 0, 0]], 1, 4 / 3 / 64)
    edges = fine.vertices[fine.triangles] - fine.vertices[np.roll(fine.triangles, 1, axis=1)]
    assert np.linalg.norm(edges, axis=2).max() <= 4 / 3 / 64 and len(fine.triangles) == 20 * 4**6
    empty = mote.Mesh(np.zeros((0, 3)), [])
    assert empty.triangles.shape == (0, 3) and empty.vertices.shape == (0, 3)


@pytest.mark.parametrize(
    "vertices, triangles, text",
    [
        (np.zeros((3, 2)), FACES, "vertices: "),
        (np.full((4, 3), np.nan), FACES, "."),
        (CORNERS, [[0, 1, 4]], "."),
        (CORNERS, [[0, 1]], "triangles: "),
        (CORNERS, [[0, 1, -1]], "triangles: "),
        (CORNERS, [[0.5, 1, 2]], "triangles: "),
        (CORNERS, [[0, 1, 2**40]], "triangles: "),
        (np.zeros((4, 3), complex), FACES, "vertices: "),
    ],
)
def test_bad_meshes(vertices, triangles, text):
    with pytest.raises(ValueError, match=text):
        mote.Mesh(vertices, triangles)


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda mesh: mesh.place(np.nan), "scale is nan, expected a finite number"),
        (lambda mesh: mesh.place(1, (0, np.inf, 0)), r"rotate: \[0.0, inf, 0.0\], expected finite"),
        (lambda mesh: mesh.place(translate=(0, 0, np.nan)), "translate: .* expected finite"),
        (lambda mesh: mesh.place(1e200).place(1e200), "place: coordinate x of point 1 is inf"),
        (lambda mesh: mesh.place(1, "abc"), "rotate: 'abc', expected three numbers"),
        (lambda mesh: mesh.cut([np.nan, 0, 0], [0, 0, 1]), "point: .* expected finite"),
        (lambda mesh: mesh.cut([0, 0, 0], [0, np.nan, 1]), "normal: .* expected finite"),
        (lambda mesh: mesh.cut([0, 0, 0], [0, 0, 0]), "normal of length 0"),
        (lambda mesh: mote.Mesh.spheres([[0, 0, 0]] * 2, [1, -1], 0.1), "radii: number 1 is -1, expected a finite"),
        (lambda mesh: mote.Mesh.spheres([[0, 0, 0]], 0, 0.1), "radii: number 0 is 0"),
        (lambda mesh: mote.Mesh.spheres([[0, 0, 0]], np.nan, 0.1), "radii: number 0 is nan"),
        (lambda mesh: mote.Mesh.spheres([[0, np.nan, 0]], 1, 0.1), "centers: coordinate y of point 0 is nan"),
        (lambda mesh: mote.Mesh.spheres([[0, 0, 0]], 1, 1e-3), "edge is 0.001, expected 0.0104167 or more"),
        (lambda mesh: mote.Mesh.spheres([[0, 0, 0]], 1, None), "edge is None, expected a number"),
        (lambda mesh: mote.Mesh.spheres([], [], 0), "edges of 0 m"),
        (lambda mesh: mesh.weld(None), "tolerance is None, expected a number"),
        (lambda mesh: mesh.sample("1"), "spacing is '1', expected a number"),
        (lambda mesh: mesh.sample(0.1, seed=-1), "seed is -1, expected a whole number from 0"),
        (lambda mesh: mesh.sample(0.1, seed=1.5), "seed is 1.5, expected a whole number from 0"),
        (lambda mesh: mesh.winding_number("a"), "points: 'a', expected numbers"),
        (lambda mesh: mote.Mesh(CORNERS, [[0, 1], [1]]), "^triangles: .*expected whole numbers"),
        (lambda mesh: mote.Mesh.join(None), "meshes: None, expected a mote.Mesh, or a list of them"),
        (lambda mesh: mote.Mesh.join([mesh, 3]), "meshes: 3 as number 1, expected a mote.Mesh"),
        (lambda mesh: mote.Hits(None), "mesh: None, expected a mote.Mesh"),
        (lambda mesh: mote.Hits(3), "mesh: 3, expected a mote.Mesh"),
        (lambda mesh: mote.Hits("abc"), "mesh: 'abc', expected a mote.Mesh"),
        (lambda mesh: mote.Proxy(None), "mesh: None, expected a mote.Mesh"),
        (lambda mesh: mote.Proxy.from_bytes(None), "data: None, expected bytes"),
        (lambda mesh: mote.Proxy.from_bytes("abc"), "data: 'abc', expected bytes"),
        (lambda mesh: mote.Proxy(mesh).stamp(None), "positions: None, expected a writable array"),
        (lambda mesh: mote.Proxy(mesh).hits(np.zeros((1, 3)), np.zeros((1, 3)), None, None), "dt is None, expected"),
        (lambda mesh: mote.Raster(None), "edge is None, expected a number above 0"),
        (lambda mesh: mote.Raster("1"), "edge is '1', expected a number above 0"),
        (lambda mesh: mote.Raster.list_edges(None), "mesh: None, expected a mote.Mesh"),
        (lambda mesh: mote.Raster(mesh).triangles(None, 0.1), "mesh: None, expected a mote.Mesh"),
        (lambda mesh: mote.Raster(mesh).triangles(mesh, None), "thickness is None, expected a number"),
        (lambda mesh: mote.Raster(mesh).triangles(mesh, 1, own="no"), "own is 'no', expected True, False"),
        (lambda mesh: mote.Raster(mesh).update_edges(CORNERS, [[0, -1]]), "edges: vertex -1, expected 0 to 3"),
        (lambda mesh: mote.Raster(mesh).update_edges(CORNERS, [[0, 2**32]]), "edges: vertex 4294967296, expected"),
        (lambda mesh: mote.Raster(mesh).update_edges(CORNERS * np.nan, [[0, 1]]), "vertices: coordinate x of point 0"),
    ],
)
def test_bad_arguments_of_meshes(call, text):
    with pytest.raises(ValueError, match=text):
        call(tetrahedron())


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda hits, at: hits.query(at, at, sides=9), "sides: number 0 is 9, expected 1 .in front"),
        (lambda hits, at: hits.query(at, at, sides=[1, 0, 1, -2]), "sides: number 3 is -2, expected 1"),
        (lambda hits, at: hits.query(at, at, sides=[1]), r"sides: an array of shape \(1,\) .*expected .* \(4,\)"),
        (lambda hits, at: hits.query(at, at, sides=0.5), "sides: 0.5, expected 1"),
        (lambda hits, at: hits.query(at, at, sides="a"), "sides: 'a', expected 1"),
        (lambda hits, at: hits.query(at, at, sides=np.full(4, 257)), "sides: number 0 is 257"),
        (lambda hits, at: hits.query(at, at, radii=-1), "radius of motion 0 is -1"),
        (lambda hits, at: hits.closest(at, reach=None), "reach is None, expected a number"),
        (lambda hits, at: hits.closest(at, reach="1"), "reach is '1', expected a number"),
        (lambda hits, at: hits.winding_number(at, accuracy=-1), "accuracy is -1, expected 0 or more"),
        (lambda hits, at: hits.winding_number(at, accuracy=np.nan), "accuracy is nan, expected 0 or more"),
        (lambda hits, at: hits.winding_number(at, accuracy=None), "accuracy is None, expected 0 or more"),
        (lambda hits, at: hits.advance(None, at, 1), "positions: None, expected a writable array"),
        (lambda hits, at: hits.advance(at, 3, 1), "velocities: int"),
        (lambda hits, at: hits.advance(at, at, None), "time_step is None, expected a number"),
        (lambda hits, at: hits.advance(at, at, 1, restitution=1j), "restitution is 1j, expected a number"),
        (lambda hits, at: hits.advance(at, at, 1, most_hits=1.5), "most_hits is 1.5, expected a whole number"),
        (lambda hits, at: hits.advance(at, at, 1, most_hits=0), "most_hits is 0, expected a whole number, 1 or"),
        (lambda hits, at: hits.advance(at, at, 1, contacts="no"), "contacts is 'no', expected True, False"),
    ],
)
def test_bad_arguments_of_hits(call, text):
    with pytest.raises(ValueError, match=text):
        call(mote.Hits(tetrahedron()), CORNERS.copy())


def test_what_can_be_pickled():
    mesh = tetrahedron()
    for again in (pickle.loads(pickle.dumps(mesh)), copy.copy(mesh), copy.deepcopy([mesh])[0]):
        assert type(again) is mote.Mesh and again.volume == mesh.volume
        assert np.array_equal(again.vertices, CORNERS) and np.array_equal(again.triangles, FACES)
    empty = pickle.loads(pickle.dumps(mote.Mesh(np.zeros((0, 3)), [])))
    assert empty.vertices.shape == empty.triangles.shape == (0, 3)
    broad = mote.BroadPhase()
    broad.add(np.zeros((1, 2, 3)))
    rows = pickle.loads(pickle.dumps(broad.query_points(CORNERS)))
    assert [row.tolist() for row in rows] == [[0], [], [], []]
    for one in (mote.Hits(mesh), mote.Proxy(mesh), mote.Raster(mesh), broad):
        for function in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match=f"{type(one).__name__} cannot be copied or pickled: make one in each"):
                function(one)


def test_mesh_files(tmp_path):
    mesh = tetrahedron()
    try:
        mesh.save(tmp_path / "a.ply")
    except mote.Unsupported as error:
        pytest.skip(str(error))
    assert np.array_equal(mote.Mesh.load(tmp_path / "a.ply").vertices, CORNERS)
    with pytest.raises(OSError, match="none.ply"):
        mote.Mesh.load(tmp_path / "none.ply")
    (tmp_path / "bad.obj").write_text("v 1 2\n")
    with pytest.raises(ValueError, match="bad.obj") as caught:
        mote.Mesh.load(tmp_path / "bad.obj")
    assert caught.value.line == 1
    with pytest.raises(FileNotFoundError, match="there is no such file") as caught:
        mote.Mesh.load(tmp_path / "b.ply")
    assert caught.value.errno == errno.ENOENT


def test_hits():
    mesh = tetrahedron()
    hits = mote.Hits(mesh)
    start = np.array([[-1, 0.2, 0.2], [-1, 5, 5], [0.1, 0.1, 0.1]])
    found = hits.query(start, start + [2, 0, 0])
    assert found["particle"].tolist() == [0, 2] and np.allclose(found["time"], [0.5, 0.35])
    assert np.allclose(found["point"][0], [0, 0.2, 0.2]) and found["side"].tolist() == [1, -1]
    single = hits.query(start.astype(np.float32), (start + [2, 0, 0]).astype(np.float32))
    assert len(single) == 2
    for sides in (0, [0, 0, 0], np.zeros(3, np.int64)):
        assert np.array_equal(hits.query(start, start + [2, 0, 0], sides=sides), found)
    touched = hits.query(start, start + [2, 0, 0], radii=0.1)
    assert touched["time"][0] < 0.5
    near = hits.closest([[0.1, 0.1, 0.1], [2, 2, 2], [9, 9, 9]], reach=5)
    assert np.allclose(near["distance"][:2], [-0.1, (6 - 1) / 3**0.5]) and near["distance"][2] == np.inf
    assert near["triangle"][2] == 0xFFFFFFFF
    assert hits.is_inside([[0.1, 0.1, 0.1], [1, 1, 1]]).tolist() == [True, False]
    assert np.allclose(hits.winding_number([[0.1, 0.1, 0.1], [1, 1, 1]]), [1, 0], atol=1e-9)
    assert np.allclose(hits.closest([[0.1, 0.1, 0.1]], sign="winding")["distance"], -0.1)
    hits.update(CORNERS + [0, 0, 5])
    assert len(hits.query(start, start + [2, 0, 0])) == 0
    hits.update(CORNERS, CORNERS + [0, 0, 1])
    moving = hits.query([[0.2, 0.2, -0.5 + 1.2]], [[0.2, 0.2, 0.7]])
    assert len(moving) == 1
    assert len(hits.query(np.zeros((0, 3)), np.zeros((0, 3)))) == 0 and len(hits.closest(np.zeros((0, 3)))) == 0
    hits.validate()
    assert hits.stats["motions"] > 0 and hits.byte_count > 0 and "4 vertices" in repr(hits)
    for call in (
        lambda: hits.query(start, start[:2]),
        lambda: hits.closest(start, sign="odd"),
        lambda: hits.update(CORNERS[:3]),
        lambda: hits.query(start[:, :2], start),
        lambda: hits.closest(start, -1),
        lambda: mote.Hits([1]),
        lambda: mote.Hits(mesh, most_cells=1),
    ):
        with pytest.raises(ValueError):
            call()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_points_that_are_not_finite(value, dtype):
    """No query answers for them: the error names the first."""
    mesh, points = tetrahedron(), rng(4).random((100, 3)).astype(dtype)
    hits, bad = mote.Hits(mesh), points.copy()
    bad[77, 1] = value
    for name, call in (
        ("points", lambda: hits.closest(bad)),
        ("points", lambda: hits.closest(mote.columns(*bad.T))),
        ("points", lambda: hits.is_inside(bad)),
        ("points", lambda: hits.winding_number(bad)),
        ("points", lambda: mesh.winding_number(bad)),
        ("start", lambda: hits.query(bad, points)),
        ("end", lambda: hits.query(points, bad)),
        ("positions", lambda: hits.advance(bad.astype(float), points.astype(float), 1)),
        ("velocities", lambda: hits.advance(points.astype(float), bad.astype(float), 1)),
    ):
        with pytest.raises(ValueError, match=f"^{name}: coordinate y of point 77 is {value:g}, expected") as caught:
            call()
        assert caught.value.index == 77
    dead = np.zeros(100, np.uint8)
    dead[77] = 1
    hits.advance(bad.astype(float), points.astype(float), 1, dead=dead)  # nobody asks where it is
    assert len(hits.closest(np.full((3, 3), 3e38, dtype))) == 3  # their sum is too large, and they are not


def test_particles_never_get_out():
    ball = mote.Mesh.spheres([[0, 0, 0]], 1.0, 0.3)
    hits, proxy = mote.Hits(ball), mote.Proxy(ball)
    random = rng(1)
    positions, velocities = random.uniform(-0.4, 0.4, (300, 3)), random.normal(0, 1, (300, 3))
    for _ in range(10):
        assert hits.advance(positions, velocities, 0.3) >= 0
    assert hits.is_inside(positions).all()
    found = hits.advance(positions, velocities, 5.0, contacts=True)
    assert len(found) > 100 and np.all(np.diff(found["particle"].astype(int)) >= 0)
    dead = np.zeros(300, np.uint8)
    hits.advance(positions, velocities, 50.0, response="kill", dead=dead)
    assert dead.any()
    for dtype in (np.float32, np.float64):
        positions = random.uniform(-0.4, 0.4, (300, 3)).astype(dtype)
        velocities = random.normal(0, 1, (300, 3)).astype(dtype)
        labels = proxy.stamp(positions)
        first = proxy.hits(positions, velocities, labels, 5.0)
        assert (first["time"] <= 2).all() and (first["time"] < 2).any()
        for _ in range(10):
            work = proxy.advance(positions, velocities, labels, 0.1, restitution=1.0)
        assert work["particles"] == 300 and np.linalg.norm(positions, axis=1).max() < 1.2
    again = mote.Proxy.from_bytes(proxy.to_bytes())
    assert again.to_bytes() == proxy.to_bytes() and again.stats == proxy.stats and proxy.byte_count > 0
    proxy.validate()
    for call in (
        lambda: hits.advance(positions[:, :2], velocities, 1),
        lambda: hits.advance(positions.tolist(), velocities, 1),
        lambda: hits.advance(np.asfortranarray(positions), velocities, 1),
        lambda: hits.advance(positions, velocities, 1, response="melt"),
        lambda: hits.advance(positions, velocities, 1, restitution=2),
        lambda: hits.advance(positions, velocities, -1),
        lambda: proxy.advance(positions, velocities, dead[:3], 1),
        lambda: proxy.advance(positions, velocities, np.full(300, 9, np.uint8), 1),
        lambda: mote.Proxy.from_bytes(b"nothing"),
        lambda: mote.Proxy.from_bytes(proxy.to_bytes()[:-5]),
    ):
        with pytest.raises(ValueError):
            call()


def test_raster():
    mesh, points = tetrahedron(), rng(2).random((200, 3))
    raster = mote.Raster(mesh)
    raster.update(points)
    pairs = raster.triangles(mesh, 0.05)
    hits = [mote.Hits(mote.Mesh(CORNERS, FACES[k : k + 1])) for k in range(4)]
    near = np.stack([np.abs(one.closest(points)["distance"]) <= 0.05 for one in hits])
    assert np.array_equal(pairs, np.argwhere(near))
    edges = mote.Raster.list_edges(mesh)
    assert edges.tolist() == [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    raster = mote.Raster(0.3)
    raster.update_edges(CORNERS, edges)
    assert len(raster.edges(CORNERS + 0.01, edges, 0.1)) > 6 and raster.stats["points"] > 0 and raster.byte_count > 0
    raster.validate()
    for call in (
        lambda: mote.Raster(-1.0),
        lambda: raster.update(points[:, :2]),
        lambda: raster.edges(CORNERS, [[0, 9]], 1),
        lambda: raster.edges(CORNERS, [0, 1], 1),
        lambda: raster.triangles(mesh, 0.1),
    ):
        with pytest.raises(ValueError):
            call()


def test_render(tmp_path):
    points = rng(3).random((200, 3))
    try:
        picture = mote.render(
            points,
            meshes=tetrahedron(),
            size=(160, 120),
            colors=points[:, 0],
            time=1.5,
            label="now",
            scalar_name="speed",
            scalar_unit="m/s",
            title="A test",
        )
    except mote.Unsupported as error:
        assert "libmote-io" in str(error) or "OpenGL" in str(error)
        pytest.skip(str(error))
    assert picture.shape == (120, 160, 3) and picture.dtype == np.uint8 and picture.std() > 1
    picture.save(tmp_path / "a.png")
    data = (tmp_path / "a.png").read_bytes()
    assert data.startswith(b"\x89PNG") and picture._repr_png_().startswith(b"\x89PNG")
    import struct
    import zlib

    shown = picture._repr_png_()
    start = shown.index(b"IDAT")
    raw = zlib.decompress(shown[start + 4 : start + 4 + struct.unpack(">I", shown[start - 4 : start])[0]])
    rows = np.frombuffer(raw, np.uint8).reshape(120, 1 + 3 * 160)
    assert not rows[:, 0].any() and np.array_equal(rows[:, 1:].reshape(120, 160, 3), picture)
    assert mote.render(points[:, :2], size=(64, 64)).shape == (64, 64, 3)
    assert mote.render(size=(64, 64)).shape == (64, 64, 3)
    for bad in (dict(sizes=3), dict(size=(0, 5)), dict(box=[1, 2]), dict(colors=[1]), dict(background=(2, 0, 0))):
        with pytest.raises(ValueError):
            mote.render(points, **bad)
    for bad, text in (
        (dict(meshes=[3]), "meshes: 3 as number 0, expected a mote.Mesh"),
        (dict(meshes=3), "meshes: 3, expected a mote.Mesh"),
        (dict(label=3), "label is 3, expected a text"),
        (dict(label="a\0b"), "label is .*, expected a text"),
        (dict(scalar_name=3), "scalar_name is 3, expected a text"),
        (dict(scalar_unit=None), "scalar_unit is None, expected a text"),
        (dict(size=100), "size: 100, expected .width, height."),
        (dict(size="ab"), "size is 'a', expected .width, height."),
        (dict(size=(64.5, 32)), "size is 64.5, expected .width, height."),
        (dict(size=(64, 32, 1)), "size: .64, 32, 1., expected .width, height."),
        (dict(radius=points[:, 0]), r"radius is an array of shape \(200,\) .*, expected a number above 0"),
        (dict(radius="1"), "radius is '1', expected a number above 0"),
        (dict(radius=-1), "radius is not a number above 0"),
        (dict(time="now"), "time is 'now', expected a number"),
        (dict(box="a"), "box: 'a', expected"),
    ):
        with pytest.raises(ValueError, match=text):
            mote.render(points, **bad)


@pytest.mark.filterwarnings("error")
def test_colors_that_are_not_finite():
    points = rng(3).random((5, 3))
    try:
        mote.render(points, size=(64, 32), colors=np.full(5, np.nan))
    except mote.Unsupported as error:
        pytest.skip(str(error))
    some = dict(size=(64, 32), colors=[0, 1, np.nan, np.inf, -np.inf])
    assert np.array_equal(mote.render(points, **some), mote.render(points, **some, speed_min=0, speed_max=1))


def test_pictures_are_arrays(tmp_path):
    """What is no picture any more is a number or an array, and is not saved as one."""
    picture = np.arange(48, dtype=np.uint8).reshape(4, 4, 3).view(mote.Picture)
    for number in (picture.mean(), picture.sum(), picture.max(), picture.std(), np.median(picture)):
        assert not isinstance(number, np.ndarray) and float(number) >= 0
    assert picture.mean() == 23.5 and str(picture.max()) == "47"
    for array in (picture / 2, picture.mean(axis=0), picture > 3):
        assert type(array) is np.ndarray
    assert type(picture + np.uint8(1)) is type(picture[::2]) is mote.Picture and type(picture[0, 0, 0]) is np.uint8
    same = picture
    same += 1
    assert same is picture and picture[0, 0, 0] == 1
    for name in ("a.jpg", "a", "png"):
        with pytest.raises(ValueError, match="expected a name that ends in .png"):
            picture.save(tmp_path / name)
    with pytest.raises(ValueError, match=r"shape \(4, 3\) .*, expected \(height, width, 3\)"):
        picture[0].save(tmp_path / "a.png")
    assert picture[0]._repr_png_() is None and not list(tmp_path.iterdir())
