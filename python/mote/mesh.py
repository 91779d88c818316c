# SPDX-License-Identifier: MIT
"""Triangle meshes; the first triangle that a particle meets, closest points, winding numbers; proxies and rasters."""

from __future__ import annotations

import ctypes
import os
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _abi
from ._checks import at, check_finite, flag, number, objects, real_array, value_text, whole
from ._context import Context, Native, context_for
from ._fields import fields_of, with_fields
from ._library import check, io, lib
from ._objects import Object, as_dict, copied, dtype_of, filled, shown
from ._points import address_of, byte_array, numbers, read_points, vec3, vectors_f64

__all__ = ["Hits", "Mesh", "Proxy", "Raster"]

_HITS_FIELDS = fields_of(lib.mote_hits_fields)
_PROXY_FIELDS = fields_of(lib.mote_proxy_fields)
_F64 = np.dtype(np.float64)
_RESPONSES = ("bounce", "slide", "stick", "stop", "kill")
_RULES = ("normal", "winding")
_MOST_SPLITS = 7  # of the triangles of spheres into four, as mote/mesh.h has it


class Mesh(Object):
    """A triangle mesh, which never changes: what changes it makes another one. It can be pickled.

    Parameters
    ----------
    vertices : array_like, shape (n, 3) [m]
    triangles : array_like of int, shape (m, 3)
        Numbers of vertices, counter-clockwise seen from outside.
    max_bytes, context
        See `mote.Context`.

    Raises
    ------
    ValueError
        Another shape, a vertex that is not finite, a number that no vertex has: `index` says which.
    """

    def __init__(
        self, vertices: Any, triangles: Any, *, max_bytes: Optional[int] = None, context: Optional[Context] = None
    ) -> None:
        super().__init__(context_for(context, None, max_bytes))
        points = vectors_f64(vertices, "vertices")
        try:
            corners = np.asarray(triangles)
        except ValueError as error:
            raise ValueError(f"triangles: {error}, expected whole numbers of shape (m, 3)") from None
        if corners.size == 0:
            corners = np.zeros((0, 3), np.uint32)
        if corners.ndim != 2 or corners.shape[1] != 3 or corners.dtype.kind not in "iu":
            raise ValueError(
                f"triangles: an array of shape {corners.shape} and dtype {corners.dtype}, expected whole "
                "numbers of shape (m, 3)"
            )
        if corners.dtype != np.uint32 and corners.size and (corners.min() < 0 or corners.max() > 0xFFFFFFFF):
            raise ValueError("triangles: a number below 0 or above 2^32 - 1, expected numbers of vertices")
        corners = np.ascontiguousarray(corners, np.uint32)
        self._take(
            self._create(lib.mote_mesh_create, address_of(points), len(points), address_of(corners), len(corners))
        )

    def _take(self, pointer: int) -> None:
        self._adopt(pointer, lib.mote_mesh_destroy)
        self._struct = _abi.mote_mesh.from_address(pointer)

    @classmethod
    def _from(cls, pointer: int, context: Context) -> "Mesh":
        mesh = cls.__new__(cls)
        Object.__init__(mesh, context)
        mesh._take(pointer)
        return mesh

    @classmethod
    def load(
        cls,
        path: Union[str, "os.PathLike[str]"],
        *,
        max_bytes: Optional[int] = None,
        context: Optional[Context] = None,
    ) -> "Mesh":
        """Reads an OBJ, PLY, STL or VTP file. OSError: it cannot be read; ValueError: it is damaged, with the line."""
        owner = context_for(context, None, max_bytes)
        made, error = ctypes.c_void_p(), _abi.mote_error()
        check(
            io.mote_import_mesh(owner.native.pointer, os.fsencode(path), ctypes.byref(made), ctypes.byref(error)),
            error,
        )
        assert made.value is not None
        return cls._from(made.value, owner)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes an OBJ, PLY, STL, VTP or GLB file, complete or not at all."""
        error = _abi.mote_error()
        check(
            io.mote_mesh_write(self._context.native.pointer, os.fsencode(path), self._pointer, ctypes.byref(error)),
            error,
        )

    @classmethod
    def join(cls, meshes: Sequence["Mesh"]) -> "Mesh":
        """One mesh of several: first all of the first, then all of the second, and so on."""
        meshes = objects(meshes, Mesh, "meshes")
        owner = meshes[0]._context if meshes else context_for(None, None, None)
        made, error = ctypes.c_void_p(), _abi.mote_error()
        check(
            lib.mote_mesh_join(
                owner.native.pointer, _pointers(meshes), len(meshes), ctypes.byref(made), ctypes.byref(error)
            ),
            error,
        )
        assert made.value is not None
        return cls._from(made.value, owner)

    @classmethod
    def spheres(cls, centers: Any, radii: Any, edge: float, *, context: Optional[Context] = None) -> "Mesh":
        """Spheres, centres (n, 3) and radii, of triangles with edges no longer than `edge` [m].

        ValueError: a radius that is not above 0, or an edge below a 96th of the largest radius: no sphere has more than
        327,680 triangles."""
        owner = context_for(context, None, None)
        places = vectors_f64(centers, "centers")
        check_finite((places,), "centers")
        spheres = np.empty((len(places), 4))
        spheres[:, :3], spheres[:, 3] = places, numbers(radii, "radii", len(places), _F64)
        wrong = np.flatnonzero(~((spheres[:, 3] > 0) & np.isfinite(spheres[:, 3])))
        if len(wrong):
            k = int(wrong[0])
            raise at(k, f"radii: number {k} is {spheres[k, 3]:g}, expected a finite number above 0 [m]")
        largest = float(spheres[:, 3].max(initial=0.0))
        least = 4 * largest / 3 / 2**_MOST_SPLITS
        if not number(edge, "edge", "a number above 0 [m]") >= least:
            raise ValueError(
                f"edge is {edge:g}, expected {least:g} or more [m] for a radius of {largest:g}: no sphere has more "
                f"than {20 * 4**_MOST_SPLITS:,} triangles"
            )
        return cls._of_spheres(spheres, edge, owner)

    @classmethod
    def _of_spheres(cls, spheres: Any, edge: float, owner: Context) -> "Mesh":
        """The same for rows of x, y, z and radius that were checked; shorter edges than there are become the least."""
        made, error = ctypes.c_void_p(), _abi.mote_error()
        check(
            lib.mote_mesh_create_spheres(
                owner.native.pointer,
                address_of(spheres),
                len(spheres),
                float(edge),
                ctypes.byref(made),
                ctypes.byref(error),
            ),
            error,
        )
        assert made.value is not None
        return cls._from(made.value, owner)

    # ------------------------------------------------------------------------------------------------ properties

    @property
    def vertices(self) -> Any:
        """(n, 3) float64 [m], read-only, without a copy; they keep the mesh alive."""
        return shown(self._struct.vertices, (int(self._struct.vertex_count), 3), "f8", self)

    @property
    def triangles(self) -> Any:
        """(m, 3) uint32, read-only, without a copy; they keep the mesh alive."""
        return shown(self._struct.triangles, (int(self._struct.triangle_count), 3), "u4", self)

    @property
    def box(self) -> Any:
        """The box around all vertices: (2, 3) [m]."""
        box = lib.mote_mesh_box(self._pointer)
        return np.array([[box.min.x, box.min.y, box.min.z], [box.max.x, box.max.y, box.max.z]])

    @property
    def area(self) -> float:
        """The area of all triangles [m²]."""
        return float(lib.mote_mesh_area(self._pointer))

    @property
    def volume(self) -> float:
        """The signed volume [m³]: positive for a closed mesh whose triangles face outwards."""
        return float(lib.mote_mesh_volume(self._pointer))

    @property
    def byte_count(self) -> int:
        """Bytes of the mesh."""
        return int(lib.mote_mesh_byte_count(self._pointer))

    def examine(self) -> Dict[str, Any]:
        """What is wrong with the mesh: open_edges, non_manifold_edges, flipped_edges, non_manifold_vertices,
        degenerate, duplicates, components, and whether it is closed."""
        report = _abi.mote_mesh_report()
        self._call(lib.mote_mesh_examine, ctypes.byref(report))
        return as_dict(report)

    def vertex_normals(self) -> Any:
        """Unit normals at the vertices, (n, 3); 0 where a vertex has no area around it."""
        normals = np.zeros((int(self._struct.vertex_count), 3))
        lib.mote_mesh_vertex_normals(self._pointer, address_of(normals))
        return normals

    def sample(self, spacing: float, seed: int = 0) -> Tuple[Any, Any]:
        """Points spread evenly over the surface, one for each spacing²: points (k, 3) and the triangle of each."""
        samples = _abi.mote_mesh_samples()
        first = whole(seed, "seed", "a whole number from 0 to 2^64 - 1")
        self._call(lib.mote_mesh_sample, number(spacing, "spacing"), first, ctypes.byref(samples))
        try:
            return (
                copied(samples.points, 3 * samples.count, "f8").reshape(-1, 3),
                copied(samples.triangles, samples.count, "u4"),
            )
        finally:
            lib.mote_mesh_samples_release(ctypes.byref(samples))

    def winding_number(self, points: Any) -> Any:
        """How often the mesh winds around each point (n, 3): 1 inside a closed mesh, 0 outside. Sums over all
        triangles; `Hits.winding_number` is faster. ValueError: a point that is not finite, `index` says which."""
        places = vectors_f64(np.atleast_2d(real_array(points, "points", "numbers of shape (n, 3)")), "points")
        check_finite((places,), "points")
        return np.array(
            [lib.mote_mesh_winding_number(self._pointer, _abi.mote_vec3(*place)) for place in places.tolist()]
        )

    # ----------------------------------------------------------------------------------------------- other meshes

    def _changed(self, function: Any, *arguments: Any) -> "Mesh":
        copy = Mesh(self.vertices, self.triangles, context=self._context)
        copy._call(function, *arguments)
        return copy

    def weld(self, tolerance: float = 0.0) -> "Mesh":
        """The mesh with vertices merged that are no farther apart than a tolerance [m]."""
        return self._changed(lib.mote_mesh_weld_within, number(tolerance, "tolerance"))

    def cut(self, point: Any, normal: Any) -> "Mesh":
        """The mesh without everything beyond a plane, on the side that `normal` points to. ValueError: numbers that are
        not finite, or a normal without length."""
        return self._changed(lib.mote_mesh_cut, _finite_vec3(point, "point"), _finite_vec3(normal, "normal"))

    def place(self, scale: float = 1.0, rotate: Any = (0, 0, 0), translate: Any = (0, 0, 0)) -> "Mesh":
        """The mesh scaled, then turned about x, y and z [degree], then moved [m]. ValueError: numbers that are not
        finite, or vertices that would not be."""
        factor = number(scale, "scale", "a finite number", finite=True)
        placement = _abi.mote_placement(
            factor, _finite_vec3(rotate, "rotate"), _finite_vec3(translate, "translate")
        )
        copy = Mesh(self.vertices, self.triangles, context=self._context)
        lib.mote_mesh_place(copy._pointer, ctypes.byref(placement))
        check_finite((copy.vertices,), "place")
        return copy

    def __reduce__(self) -> Any:
        return Mesh, (np.array(self.vertices), np.array(self.triangles))

    def __repr__(self) -> str:
        return f"<mote.Mesh: {self._struct.vertex_count} vertices, {self._struct.triangle_count} triangles>"


def _finite_vec3(values: Any, name: str) -> _abi.mote_vec3:
    array = real_array(values, name, "three numbers")
    if array.shape == (3,) and not np.all(np.isfinite(array)):
        raise ValueError(f"{name}: {array.tolist()}, expected finite numbers")
    return vec3(array, name)


def _pointers(meshes: Sequence[Mesh]) -> Any:
    return (ctypes.c_void_p * max(len(meshes), 1))(*(mesh._pointer for mesh in meshes))


def _response(kind: str, restitution: float, friction: float, most_hits: int, lists_hits: bool) -> _abi.mote_response:
    if kind not in _RESPONSES:
        raise ValueError(f"response is {value_text(kind)}, expected one of {', '.join(_RESPONSES)}")
    response: _abi.mote_response = lib.mote_response_default()
    response.kind, response.restitution, response.friction = (
        _RESPONSES.index(kind),
        number(restitution, "restitution"),
        number(friction, "friction"),
    )
    response.most_hits = whole(most_hits, "most_hits", "a whole number, 1 or more", 1, 2**31 - 1)
    response.lists_hits = flag(lists_hits, "contacts")
    error = _abi.mote_error()
    check(lib.mote_response_check(ctypes.byref(response), ctypes.byref(error)), error)
    return response


def _rule(sign: str) -> int:
    if sign not in _RULES:
        raise ValueError(f"sign is {sign!r}, expected 'normal' or 'winding'")
    return _RULES.index(sign)


def _count(positions: Any) -> int:
    """The number of particles whose positions a call writes to."""
    if np.ndim(positions) == 0:
        raise ValueError(f"positions: {value_text(positions)}, expected a writable array of shape (n, 3) in C order")
    return len(positions)


def _in_place(array: Any, name: str, shape: Tuple[int, ...], dtype: Any) -> Any:
    """An array that a call writes to: it has to be one already."""
    if (
        not isinstance(array, np.ndarray)
        or array.dtype != dtype
        or array.shape != shape
        or not array.flags.c_contiguous
        or not array.flags.writeable
    ):
        raise ValueError(
            f"{name}: {getattr(array, 'dtype', type(array).__name__)} {getattr(array, 'shape', '')}, expected "
            f"a writable {np.dtype(dtype).name} array of shape {shape} in C order: it is changed in place"
        )
    return array


def _sides(values: Any, count: int) -> Any:
    array = np.asarray(values)
    if array.ndim == 0:
        array = np.broadcast_to(array, (count,))
    expected = f"1 (in front), -1 (behind) or 0 (unknown) for each point, shape ({count},)"
    if array.shape != (count,) or array.dtype.kind not in "iu":
        what = value_text(array) if np.ndim(values) else value_text(values)
        raise ValueError(f"sides: {what}, expected {expected}")
    wrong = np.flatnonzero((array < -1) | (array > 1))
    if len(wrong):
        k = int(wrong[0])
        raise at(k, f"sides: number {k} is {array[k]}, expected {expected}")
    return np.ascontiguousarray(array, np.int8)


class Hits(Object):
    """A mesh, or several, prepared for particles that move: exact first hits, closest points, inside or outside.

    ::

        hits = mote.Hits(mesh)
        found = hits.query(start, end)        # found["particle"], found["time"], found["normal"], …
        near = hits.closest(points)           # near["distance"]: negative inside

    Results are structured arrays that belong to the caller; docs/hits.md and mote/hits.h say what their fields are.
    Points that are not finite are a ValueError, whose `index` is the first of them.

    Parameters
    ----------
    mesh : Mesh, or list of Mesh
    threads, max_bytes, context
        See `mote.Context`.

    Further keywords are the fields of `mote_hits_def`:

    {fields}
    """

    def __init__(
        self,
        mesh: Union[Mesh, Sequence[Mesh]],
        *,
        threads: Optional[int] = None,
        max_bytes: Optional[int] = None,
        context: Optional[Context] = None,
        **fields: Any,
    ) -> None:
        super().__init__(context_for(context, threads, max_bytes))
        meshes = objects(mesh, Mesh, "mesh")
        definition, _ = filled(lib.mote_hits_default_def, _HITS_FIELDS, fields, "hits")
        self._vertex_count = sum(int(one._struct.vertex_count) for one in meshes)
        self._prepared = False
        self._adopt(
            self._create(lib.mote_hits_create_many, ctypes.byref(definition), _pointers(meshes), len(meshes)),
            lib.mote_hits_destroy,
        )

    def update(self, vertices: Any, end: Any = None) -> None:
        """New positions of all vertices, (n, 3) [m], of one mesh after the other. With `end`, they move there during
        the step: queries then meet the mesh as it moves."""
        start = vectors_f64(vertices, "vertices", self._vertex_count)
        if end is None:
            self._call(lib.mote_hits_update, address_of(start))
            return
        to = vectors_f64(end, "end", self._vertex_count)
        self._call(lib.mote_hits_update_moving, address_of(start), address_of(to))

    def query(self, start: Any, end: Any, radii: Any = None, sides: Any = None) -> Any:
        """The first triangle that each particle meets on its way.

        Parameters
        ----------
        start, end : array_like, shape (n, 3) [m]
            float32 or float64 of any strides, both of one type.
        radii : float or array (n,), optional
            Particles are spheres [m].
        sides : int or array (n,) of int8, optional
            Where particles that begin on the surface are: 1 in front, -1 behind, 0 unknown.

        Returns
        -------
        structured array
            One for each particle that meets something, ascending: time (0 to 1), point, normal, velocity, barycentric,
            triangle, mesh, particle, side, feature (0 face, 1 edge, 2 vertex).
        """
        a = read_points(start, "start", dimensions=3)
        b = read_points(end, "end", dtype=a.dtype, dimensions=3)
        if a.size != b.size:
            raise ValueError(f"end: {b.size} points, expected {a.size}")
        check_finite(a.arrays, "start")
        check_finite(b.arrays, "end")
        motions = _abi.mote_motions()
        setattr(motions, "from", a.struct)
        motions.to = b.struct
        own = None if radii is None else np.ascontiguousarray(numbers(radii, "radii", a.size, _F64))
        side = None if sides is None else _sides(sides, a.size)
        motions.radii = None if own is None else address_of(own)
        motions.sides = None if side is None else address_of(side)
        found, error = _abi.mote_hit_list(), _abi.mote_error()
        with self._guard:
            check(
                lib.mote_hits_query(self._pointer, ctypes.byref(motions), ctypes.byref(found), ctypes.byref(error)),
                error,
            )
            return copied(found.hits, found.count, dtype_of(_abi.mote_hit))

    def _prepare(self) -> None:
        if not self._prepared:
            self._call(lib.mote_hits_prepare_closest)
            self._prepared = True

    def closest(self, points: Any, reach: float = np.inf, sign: str = "normal") -> Any:
        """The closest point of the surface for each point (n, 3) [m].

        Parameters
        ----------
        reach : float
            No farther than this [m].
        sign : "normal" or "winding"
            What makes a distance negative: being behind the surface, for closed meshes; or a winding number above 1/2,
            for meshes with holes, too.

        Returns
        -------
        structured array (n,)
            distance (inf where nothing is within reach), point, normal, triangle, mesh, barycentric, feature.
        """
        given = read_points(points, "points", dimensions=3)
        check_finite(given.arrays, "points")
        found = np.zeros(given.size, dtype_of(_abi.mote_closest))
        most, rule = number(reach, "reach"), _rule(sign)
        self._call(lib.mote_hits_closest_all, ctypes.byref(given.struct), most, rule, address_of(found))
        self._prepared = True
        return found

    def is_inside(self, points: Any) -> Any:
        """Whether each point (n, 3) is inside of a closed mesh: (n,) bool. Nothing is inside a mesh with holes."""
        places = vectors_f64(points, "points")
        check_finite((places,), "points")
        self._prepare()
        found, inside, error = np.zeros(len(places), bool), ctypes.c_bool(), _abi.mote_error()
        with self._guard:
            for k, place in enumerate(places.tolist()):
                check(
                    lib.mote_hits_is_inside(
                        self._pointer, _abi.mote_vec3(*place), ctypes.byref(inside), ctypes.byref(error)
                    ),
                    error,
                )
                found[k] = inside.value
        return found

    def winding_number(self, points: Any, accuracy: float = 2.0) -> Any:
        """How often the mesh winds around each point (n, 3). Triangles that are `accuracy` times their size away are
        taken together."""
        places = vectors_f64(points, "points")
        check_finite((places,), "points")
        least = number(accuracy, "accuracy", "0 or more", 0.0)
        self._prepare()
        found, winding, error = np.zeros(len(places)), ctypes.c_double(), _abi.mote_error()
        with self._guard:
            for k, place in enumerate(places.tolist()):
                check(
                    lib.mote_hits_winding_number(
                        self._pointer,
                        _abi.mote_vec3(*place),
                        least,
                        ctypes.byref(winding),
                        None,
                        ctypes.byref(error),
                    ),
                    error,
                )
                found[k] = winding.value
        return found

    def advance(
        self,
        positions: Any,
        velocities: Any,
        time_step: float,
        *,
        radii: Any = None,
        dead: Any = None,
        response: str = "bounce",
        restitution: float = 0.5,
        friction: float = 0.0,
        most_hits: int = 16,
        contacts: bool = False,
    ) -> Any:
        """Moves particles by their velocity for a time step, in place; none gets through the surface.

        Parameters
        ----------
        positions, velocities : array, shape (n, 3), float64 in C order [m], [m/s]
            Changed in place.
        time_step : float [s]
        radii : float or array (n,), optional
        dead : array, shape (n,), uint8, optional
            Particles with another number than 0 do not move; response "kill" marks them.
        response : "bounce", "slide", "stick", "stop" or "kill"
        restitution, friction, most_hits
            Of the response.
        contacts : bool
            Whether every hit is wanted.

        Returns
        -------
        int, or structured array
            The number of hits; with `contacts` all of them: time, point, normal, particle, triangle, mesh, kind.
        """
        count = _count(positions)
        particles = _abi.mote_particles()
        particles.positions = address_of(_in_place(positions, "positions", (count, 3), _F64))
        particles.velocities = address_of(_in_place(velocities, "velocities", (count, 3), _F64))
        if dead is not None:
            particles.dead = address_of(_in_place(dead, "dead", (count,), np.dtype(np.uint8)))
        alive = None if dead is None else dead == 0
        check_finite((positions,), "positions", alive)
        check_finite((velocities,), "velocities", alive)
        own = None if radii is None else np.ascontiguousarray(numbers(radii, "radii", count, _F64))
        particles.radii = None if own is None else address_of(own)
        particles.count = count
        law = _response(response, restitution, friction, most_hits, contacts)
        hits, error = ctypes.c_uint64(), _abi.mote_error()
        with self._guard:
            check(
                lib.mote_hits_advance(
                    self._pointer,
                    ctypes.byref(law),
                    ctypes.byref(particles),
                    number(time_step, "time_step"),
                    ctypes.byref(hits),
                    ctypes.byref(error),
                ),
                error,
            )
            if not contacts:
                return int(hits.value)
            found = lib.mote_hits_get_contacts(self._pointer)
            return copied(found.contacts, found.count, dtype_of(_abi.mote_contact))

    @property
    def stats(self) -> Dict[str, Any]:
        """What the structure consists of, and the work of all queries so far (mote/hits.h)."""
        with self._guard:
            return as_dict(lib.mote_hits_get_stats(self._pointer))

    @property
    def byte_count(self) -> int:
        """Bytes of the structure."""
        return int(lib.mote_hits_byte_count(self._pointer))

    def validate(self) -> None:
        """Checks every invariant: RuntimeError says which is broken."""
        self._validate(lib.mote_hits_validate)

    def __repr__(self) -> str:
        return f"<mote.Hits: {self._vertex_count} vertices>"


class Proxy(Object):
    """An octree that stands for meshes when millions of particles collide with them: off by at most a leaf.

    Parameters
    ----------
    mesh : Mesh, or list of Mesh
    threads, max_bytes, context
        See `mote.Context`.

    Further keywords are the fields of `mote_proxy_def`:

    {fields}
    """

    def __init__(
        self,
        mesh: Union[Mesh, Sequence[Mesh]],
        *,
        threads: Optional[int] = None,
        max_bytes: Optional[int] = None,
        context: Optional[Context] = None,
        **fields: Any,
    ) -> None:
        super().__init__(context_for(context, threads, max_bytes))
        meshes = objects(mesh, Mesh, "mesh")
        definition, _ = filled(lib.mote_proxy_default_def, _PROXY_FIELDS, fields, "proxy")
        self._adopt(
            self._create(lib.mote_proxy_create, ctypes.byref(definition), _pointers(meshes), len(meshes)),
            lib.mote_proxy_destroy,
        )

    @classmethod
    def from_bytes(cls, data: bytes, *, context: Optional[Context] = None) -> "Proxy":
        """A proxy that to_bytes() wrote, identical to the last bit. ValueError: damaged, or of another version."""
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise ValueError(f"data: {value_text(data)}, expected bytes that to_bytes() wrote")
        data = bytes(data)
        proxy = cls.__new__(cls)
        Object.__init__(proxy, context_for(context, None, None))
        proxy._adopt(proxy._create(lib.mote_proxy_read, byte_array(data), len(data)), lib.mote_proxy_destroy)
        return proxy

    def to_bytes(self) -> bytes:
        """The proxy as bytes, for a file."""
        parts: List[bytes] = []

        def put(_user: Any, address: int, length: int) -> bool:
            parts.append(ctypes.string_at(address, length))
            return True

        self._call(lib.mote_proxy_write, _abi.CALLBACKS["mote_sink"](put), None)
        return b"".join(parts)

    def _particles(self, positions: Any, velocities: Any, labels: Any) -> _abi.mote_proxy_particles:
        count = _count(positions)
        kind = getattr(positions, "dtype", None)
        if kind not in (np.dtype(np.float32), _F64):
            kind = _F64
        particles = _abi.mote_proxy_particles()
        where = _in_place(positions, "positions", (count, 3), kind)
        moving = where if velocities is None else _in_place(velocities, "velocities", (count, 3), kind)
        for k in range(3):
            particles.position[k] = address_of(where) + k * kind.itemsize
            particles.velocity[k] = address_of(moving) + k * kind.itemsize
        particles.position_stride = particles.velocity_stride = 3 * kind.itemsize
        if labels is not None:
            particles.labels = address_of(_in_place(labels, "labels", (count,), np.dtype(np.uint8)))
        particles.count = count
        particles.scalar = _abi.MOTE_F64 if kind == _F64 else _abi.MOTE_F32
        return particles

    def stamp(self, positions: Any, labels: Any = None) -> Any:
        """The side of the surface on which particles (n, 3) are: labels (n,) uint8: 0 unknown, 1 front, 2 back."""
        sides = np.zeros(_count(positions), np.uint8) if labels is None else labels
        particles = self._particles(positions, None, sides)
        self._call(lib.mote_proxy_stamp, ctypes.byref(particles))
        return sides

    def advance(
        self,
        positions: Any,
        velocities: Any,
        labels: Any,
        dt: float,
        *,
        response: str = "bounce",
        restitution: float = 0.5,
        friction: float = 0.0,
        most_hits: int = 16,
    ) -> Dict[str, int]:
        """Moves particles by their velocity for `dt` [s], with collisions, in place.

        Parameters
        ----------
        positions, velocities : array, shape (n, 3), float32 or float64 in C order
        labels : array, shape (n,), uint8
            Of `stamp`; kept from call to call.

        Returns
        -------
        dict
            Work and results: particles, clear, leaves, collided, bounces, walls, dropped.
        """
        particles = self._particles(positions, velocities, labels)
        law = _response(response, restitution, friction, most_hits, False)
        counters = _abi.mote_proxy_counters()
        self._call(
            lib.mote_proxy_advance, ctypes.byref(particles), number(dt, "dt"), ctypes.byref(law), ctypes.byref(counters)
        )
        return as_dict(counters)

    def hits(self, positions: Any, velocities: Any, labels: Any, dt: float) -> Any:
        """The first collision of each particle during `dt`, nothing moves: time (0 to 1; 2: none), normal, leaf."""
        particles = self._particles(positions, velocities, labels)
        found = np.zeros(len(positions), dtype_of(_abi.mote_proxy_hit))
        self._call(lib.mote_proxy_hits, ctypes.byref(particles), number(dt, "dt"), address_of(found))
        return found

    @property
    def stats(self) -> Dict[str, Any]:
        """What was built (mote/proxy.h)."""
        return as_dict(lib.mote_proxy_get_stats(self._pointer))

    @property
    def byte_count(self) -> int:
        """Bytes of the proxy."""
        return int(lib.mote_proxy_byte_count(self._pointer))

    def validate(self) -> None:
        """Checks every invariant: RuntimeError says which is broken."""
        self._validate(lib.mote_proxy_validate)


def _one_mesh(mesh: Any) -> Mesh:
    if not isinstance(mesh, Mesh):
        raise ValueError(f"mesh: {value_text(mesh)}, expected a mote.Mesh")
    return mesh


class Raster(Object):
    """Points or edges in the cells of a grid, and the triangles and edges that come closer to them than a thickness:
    for meshes that deform in every step, as cloth does.

    Parameters
    ----------
    edge : float or Mesh
        Of the cells [m]; of a mesh, the mean length of its edges. It changes only the cost.
    threads, max_bytes, context
        See `mote.Context`.
    """

    def __init__(
        self,
        edge: Union[float, Mesh],
        *,
        threads: Optional[int] = None,
        max_bytes: Optional[int] = None,
        context: Optional[Context] = None,
    ) -> None:
        super().__init__(context_for(context, threads, max_bytes))
        if isinstance(edge, Mesh):
            made = self._create(lib.mote_raster_create_for_mesh, edge._pointer)
        else:
            made = self._create(lib.mote_raster_create, number(edge, "edge", "a number above 0 [m], or a mote.Mesh"))
        self._adopt(made, lib.mote_raster_destroy)

    def update(self, points: Any) -> None:
        """Sorts points (n, 3) [m] into the cells."""
        given = read_points(points, "points", dimensions=3)
        self._call(lib.mote_raster_update, given.struct)

    @staticmethod
    def list_edges(mesh: Mesh) -> Any:
        """Every edge of a mesh once: (n, 2) uint32, the smaller vertex first."""
        _one_mesh(mesh)
        found, error = _abi.mote_raster_edge_list(), _abi.mote_error()
        check(lib.mote_raster_list_edges(mesh._pointer, ctypes.byref(found), ctypes.byref(error)), error)
        try:
            return copied(found.edges, 2 * found.count, "u4").reshape(-1, 2)
        finally:
            lib.mote_raster_edge_list_release(ctypes.byref(found))

    @staticmethod
    def _edge_set(vertices: Any, edges: Any) -> Tuple[_abi.mote_raster_edge_set, Any, Any]:
        places = vectors_f64(vertices, "vertices")
        pairs = np.asarray(edges)
        if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
            raise ValueError(
                f"edges: shape {pairs.shape}, dtype {pairs.dtype}, expected whole numbers of shape (n, 2)"
            )
        if pairs.size and (pairs.min() < 0 or pairs.max() >= len(places)):
            raise ValueError(
                f"edges: vertex {pairs.min() if pairs.min() < 0 else pairs.max()}, expected 0 to {len(places) - 1}"
            )
        check_finite((places,), "vertices")
        pairs = np.ascontiguousarray(pairs, np.uint32)
        struct = _abi.mote_raster_edge_set(address_of(places), len(places), address_of(pairs), len(pairs))
        return struct, places, pairs

    def update_edges(self, vertices: Any, edges: Any) -> None:
        """Sorts edges (n, 2), pairs of vertex numbers, into the cells, instead of what was there."""
        struct, *arrays = self._edge_set(vertices, edges)
        self._call(lib.mote_raster_update_edges, ctypes.byref(struct))
        del arrays

    def _pairs(self, function: Any, argument: Any, thickness: float, own: bool, candidates: bool) -> Any:
        query = lib.mote_raster_query_default()
        query.thickness = number(thickness, "thickness")
        query.own, query.candidates = flag(own, "own"), flag(candidates, "candidates")
        found, error = _abi.mote_raster_pairs(), _abi.mote_error()
        try:
            with self._guard:
                check(
                    function(self._pointer, argument, ctypes.byref(query), ctypes.byref(found), ctypes.byref(error)),
                    error,
                )
            return copied(found.pairs, 2 * found.count, "u4").reshape(-1, 2)
        finally:
            lib.mote_raster_pairs_release(ctypes.byref(found))

    def triangles(self, mesh: Mesh, thickness: float, own: bool = False, candidates: bool = False) -> Any:
        """Pairs of a triangle of the mesh and a point within a thickness [m] of it: (n, 2) uint32.

        own         the points are the mesh's vertices: a vertex never meets its own triangles
        candidates  all that share a cell with the thickened triangle
        """
        return self._pairs(lib.mote_raster_triangles, _one_mesh(mesh)._pointer, thickness, own, candidates)

    def edges(self, vertices: Any, edges: Any, thickness: float, own: bool = False, candidates: bool = False) -> Any:
        """Pairs of an edge given and an edge in the cells within a thickness [m]: (n, 2) uint32."""
        struct, *arrays = self._edge_set(vertices, edges)
        found = self._pairs(lib.mote_raster_edges, ctypes.byref(struct), thickness, own, candidates)
        del arrays
        return found

    @property
    def stats(self) -> Dict[str, Any]:
        """Sizes of what was built: points, rows, cells, edge."""
        return as_dict(lib.mote_raster_get_stats(self._pointer))

    @property
    def byte_count(self) -> int:
        """Bytes of the raster."""
        return int(lib.mote_raster_byte_count(self._pointer))

    def validate(self) -> None:
        """Checks every invariant: RuntimeError says which is broken."""
        self._validate(lib.mote_raster_validate)


with_fields(Hits, _HITS_FIELDS)
with_fields(Proxy, _PROXY_FIELDS)
