# SPDX-License-Identifier: MIT
"""Fixed-radius neighbour search."""

from __future__ import annotations

import ctypes
import os
import threading
from functools import lru_cache
from typing import Any, FrozenSet, Iterator, List, NamedTuple, Optional, Tuple

import numpy as np

from . import _abi
from ._checks import value_text
from ._context import Context, context_for
from ._fields import fields_of, fill, with_fields
from ._library import StateError, Unsupported, check, lib
from ._points import Points, address_of, numbers, read_points, scalars_as_points, text_of, vec3, whole_numbers
from .rows import Kept, Rows, SearchHandle, check_letters

__all__ = ["MethodInfo", "Neighbors", "NeighborsCounters", "methods", "pairs"]


class NeighborsCounters(NamedTuple):
    """What a search's structure looks like, and the work of its last call (mote/neighbors.h)."""

    cells: int
    candidates: int
    hits: int
    collisions: int
    rebuilds: int
    moved: int


class MethodInfo(NamedTuple):
    """A search method: what it is called, what it follows, what it is and offers, and whether it misses nothing."""

    name: str
    source: str
    meaning: str
    features: FrozenSet[str]
    exact: bool


_FIELDS = fields_of(lib.mote_neighbors_fields)
_DISTANCES, _DIFFERENCES = _abi.MOTE_NEIGHBORS_DISTANCES, _abi.MOTE_NEIGHBORS_DIFFERENCES
_COLUMNS = {"d": _DISTANCES, "D": _DIFFERENCES}
_QUERY, _SUBSET = _abi.MOTE_NEIGHBORS_QUERY, _abi.MOTE_NEIGHBORS_SUBSET
_NEAREST, _ASCENDING = _abi.MOTE_NEIGHBORS_NEAREST, _abi.MOTE_NEIGHBORS_ASCENDING
_F64, _RADII, _PERIODIC = _abi.MOTE_NEIGHBORS_F64, _abi.MOTE_NEIGHBORS_RADII, _abi.MOTE_NEIGHBORS_PERIODIC
_float64 = np.dtype(np.float64)
_SMALL = 1 << 16  # bytes of points that are compared whole


def methods() -> List[MethodInfo]:
    """The search methods; the first is the default."""
    found: List[MethodInfo] = []
    while True:
        address = lib.mote_neighbors_method_at(len(found))
        if not address:
            return found
        info = _abi.mote_neighbors_method_info.from_address(address)
        features = set()
        for k in range(64):
            feature = lib.mote_neighbors_feature_at(k)
            if not feature:
                break
            one = _abi.mote_neighbors_feature_info.from_address(feature)
            if info.features & one.feature:
                features.add(text_of(one.name))
        found.append(
            MethodInfo(
                text_of(info.name), text_of(info.source), text_of(info.meaning), frozenset(features), info.exact
            )
        )


_process = 0  # which of the processes that were forked from one another this is


def _count_fork() -> None:
    global _process
    _process += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_count_fork)


@lru_cache(64)
def pair_bits(letters: str) -> int:
    """The columns that rows need for pairs with these letters. Distances follow from vectors."""
    check_letters(letters)
    return Neighbors._bits(letters.replace("d", "") if "D" in letters else letters)


class Guard:
    """A lock that says so in a child process, instead of waiting for a thread that is not there."""

    __slots__ = ("acquire", "release", "process")

    def __init__(self) -> None:
        lock = threading.RLock()
        self.acquire, self.release = lock.acquire, lock.release
        self.process = _process  # in which it was acquired last

    def wait(self) -> None:
        """Acquires the lock that somebody has."""
        if self.process != _process:
            raise RuntimeError(
                "another thread was using this object when the process was forked: make a new one in the child"
            )
        self.acquire()

    def __enter__(self) -> None:
        if not self.acquire(False):
            self.wait()
        self.process = _process

    def __exit__(self, *exception: Any) -> None:
        self.release()


class Cell(NamedTuple):
    """A periodic box."""

    edges: List[_abi.mote_vec3]  # three, zero where it is open
    periodic: bool  # along any of them
    axes: int  # how many edges it was given with; 0: a cube of the points' dimensions, whatever these are

    def fitted(self) -> int:
        """The dimensions of points for which `edges` are right as they are; 0: to be looked at."""
        return 3 if self.axes in (0, 3) else 0

    def of_dimensions(self, dimensions: int) -> List[_abi.mote_vec3]:
        """Its edges for points of so many dimensions."""
        if self.axes == 0:
            return self.edges[:dimensions] + [_abi.mote_vec3()] * (3 - dimensions)
        if self.axes < dimensions:
            raise ValueError(
                f"periodic: {self.axes} {'edge' if self.axes == 1 else 'edges'} for points of {dimensions} dimensions, "
                f"expected {dimensions}, of length 0 where the box is open"
            )
        return self.edges


def read_cell(periodic: Any, pbc: Any) -> Cell:
    """The box that a caller gave."""
    if periodic is None:
        if pbc is not None and np.any(pbc):
            raise ValueError(
                "periodic: none, but pbc, expected the box: its length, three lengths, or its edges as rows"
            )
        return Cell([_abi.mote_vec3()] * 3, False, 3)
    try:
        cell = np.asarray(periodic, dtype=np.float64)
        axes = np.asarray(True if pbc is None else pbc)
    except (TypeError, ValueError):
        raise ValueError(
            f"periodic: {periodic!r}, expected a length, up to three lengths, or a matrix of edges"
        ) from None
    is_cube = cell.ndim == 0 and axes.ndim == 0
    if cell.ndim < 2 and np.any(cell < 0):
        raise ValueError(f"periodic: a length of {cell.min():g}, expected 0 (open) or more [m]")
    if cell.ndim == 0:
        cell = np.full(min(axes.size, 3) if axes.ndim == 1 else 3, float(cell))
    if cell.ndim == 1 and 1 <= cell.size <= 3:
        cell = np.diag(cell)
    if cell.ndim != 2 or cell.shape[0] != cell.shape[1] or not 1 <= cell.shape[0] <= 3:
        raise ValueError(f"periodic: shape {cell.shape}, expected a length, up to three lengths, or a matrix (3, 3)")
    if axes.dtype != np.bool_ and not np.all((axes == 0) | (axes == 1)):
        raise ValueError(f"pbc: {pbc!r}, expected True, False, or one of them for each axis")
    if axes.ndim > 1 or (axes.ndim == 1 and axes.size != cell.shape[0]):
        raise ValueError(f"pbc: shape {axes.shape}, expected one for each of {cell.shape[0]} axes")
    if axes.ndim == 1 and np.any(axes.astype(bool) & np.all(cell == 0, axis=1)):
        raise ValueError(f"pbc: {pbc!r}, expected False for edges without length")
    edges = np.zeros((3, 3))
    edges[: cell.shape[0], : cell.shape[0]] = np.where(np.broadcast_to(axes, cell.shape[:1])[:, None], cell, 0.0)
    if not np.all(np.isfinite(edges)):
        raise ValueError("periodic: an edge that is infinite or not a number, expected finite lengths [m]")
    return Cell(
        [_abi.mote_vec3(*map(float, edge)) for edge in edges], bool(np.any(edges)), 0 if is_cube else cell.shape[0]
    )


class Neighbors:
    """Finds, for every point, all others within a radius; exactly, in any periodic box, for any input.

    ::

        search = mote.Neighbors(0.1)
        search.update(points)                       # (n, 1 … 3) float32 or float64, read where they lie
        rows = search.rows()                        # rows[i]: the neighbours of point i
        i, j, d = search.pairs("ijd")

    A point is a neighbour if ``(dx*dx + dy*dy) + dz*dz <= radius*radius``, computed in the points' own type; a point is
    not its own neighbour, and two points at the same place are. In a periodic box every image within the radius counts.
    `mote.methods` lists the methods; all but ``cell_index_approx`` are exact.

    Parameters
    ----------
    radius : float
        {radius}
    periodic : float, array (d,) or array (d, d), optional
        The periodic box: the length of a cube, the lengths of its edges, or the edges as rows, at any angles [m];
        an edge of length 0 leaves the box open.
        Points may lie anywhere; the radius may exceed the box.
    pbc : bool or sequence of bool, optional
        Along which edges the box repeats; default: all that have a length.
    skin : float, optional
        Keeps lists of radius + skin, and searches anew only when a point has moved half of it [m].
    radii : True or array (n,), optional
        Each point has a radius [m], in the type of the points: given here, or to each `update`.
    columns : str, optional
        What rows hold beside indices: ``d`` distances, ``D`` vectors; ``""``: nothing. Default: what calls turn out to
        ask for. Then the search remembers the array of its last update: a call that asks for something new reads it
        again (and refuses if it has changed), and later updates find that at once.
    half : bool
        Rows hold each pair once, in the row of the smaller index.
    ascending : bool
        Rows ascend by index, then by shift. Otherwise each method has an order of its own (mote/neighbors.h), which
        does not depend on threads.
    threads, max_bytes, context
        See `mote.Context`. Default: all processors, 80 % of the memory.

    Further keywords are the fields of `mote_neighbors_def`:

    {fields}

    Raises
    ------
    ValueError
        A value out of its range; the text says which.
    mote.Unsupported
        The method lacks a feature that was asked for.
    MemoryError
        No memory for the search itself.

    Different searches may run in several threads at once, and no call holds the interpreter's lock while it works.
    Calls for one search wait for each other.
    """

    def __init__(
        self,
        radius: Optional[float] = None,
        *,
        periodic: Any = None,
        pbc: Any = None,
        skin: Optional[float] = None,
        radii: Any = None,
        method: Optional[str] = None,
        columns: Optional[str] = None,
        half: bool = False,
        half_either: bool = False,
        ascending: bool = False,
        open_ball: bool = False,
        radius_rule: str = "mine",
        period_origin: Any = (0.0, 0.0, 0.0),
        hash: str = "xor",
        table_size: int = 0,
        subdivision: int = 1,
        classes: int = 3,
        threads: Optional[int] = None,
        max_bytes: Optional[int] = None,
        context: Optional[Context] = None,
    ) -> None:
        self._search: Optional[SearchHandle] = None
        if isinstance(method, bytes):
            method = method.decode()
        self._def = lib.mote_neighbors_default_def()
        self._texts = fill(
            self._def,
            _FIELDS,
            {
                "radius": radius,
                "open_ball": open_ball,
                "half_either": half_either,
                "method": method,
                "skin": skin,
                "radius_rule": radius_rule,
                "period_origin": period_origin,
                "hash": hash,
                "table_size": table_size,
                "subdivision": subdivision,
                "classes": classes,
            },
            "neighbors",
        )
        self._radii = None if radii is None or radii is True or radii is False else radii
        self._either = bool(half and half_either)
        self._cell = read_cell(periodic, pbc)
        self._periodic = self._cell.periodic
        for k, edge in enumerate(self._cell.edges):
            self._def.period[k] = edge
        self._dimensions = self._cell.fitted()
        has_radii = radii is not None and radii is not False
        if has_radii and radius is not None:
            raise ValueError("neighbors: radius and radii, expected one of them")
        if radius is None and not has_radii:
            raise ValueError("neighbors: neither radius nor radii, expected one of them")
        features = 0
        for wanted, bit in (
            (has_radii, _abi.MOTE_NEIGHBORS_RADII),
            (skin is not None, _abi.MOTE_NEIGHBORS_SKIN),
            (half, _abi.MOTE_NEIGHBORS_HALF),
            (ascending, _ASCENDING),
            (self._periodic, _abi.MOTE_NEIGHBORS_PERIODIC),
        ):
            features |= bit if wanted else 0
        if columns is not None and not isinstance(columns, str):
            raise ValueError(f"columns is {value_text(columns)}, expected some of d (distances) and D (vectors)")
        for letter in columns or "":
            if letter not in _COLUMNS:
                raise ValueError(f"columns: {letter!r}, expected some of d (distances) and D (vectors)")
            features |= _COLUMNS[letter]
        self._features = features | self._free_features(method, skin is not None)
        self._wanted = self._features  # from the next update on
        self._learns = columns is None
        self._context = context_for(context, threads, max_bytes)
        self._guard = Guard()
        self._points: Optional[Points] = None
        self._token: Any = None
        self._seen_radii: Any = None
        self._version = 0
        self._ready = False
        # What calls write to that hold the guard; making it anew takes a tenth of the time of a small call.
        self._lists, self._error = _abi.mote_lists(), _abi.mote_error()
        self._to_lists, self._to_error = ctypes.byref(self._lists), ctypes.byref(self._error)
        self._place = ctypes.c_void_p()
        self._to_place = ctypes.byref(self._place)
        self._adopt(self._make(self._features | _F64), True)  # here, so that bad values are refused here

    @staticmethod
    def _free_features(method: Optional[str], has_skin: bool) -> int:
        """What these methods offer at no cost: every search can then be asked for everything."""
        if method not in (None, "auto", "cell_grid", "all_pairs", "kd_tree"):
            return 0
        return _QUERY | _SUBSET | (0 if has_skin else _NEAREST)

    def __del__(self) -> None:
        if getattr(self, "_search", None) is not None:
            self._search.close()  # type: ignore[union-attr]

    def _make(self, features: int) -> SearchHandle:
        self._def.features = features
        made, error = ctypes.c_void_p(), _abi.mote_error()
        check(
            lib.mote_neighbors_create(
                self._context.native.pointer, ctypes.byref(self._def), ctypes.byref(made), ctypes.byref(error)
            ),
            error,
        )
        assert made.value is not None
        return SearchHandle(made.value, self._context)

    def _replace(self, features: int) -> None:
        """Another search, with other features; the old one stays if it cannot be made."""
        made = self._make(features)
        assert self._search is not None
        self._search.close()
        self._adopt(made, bool(features & _F64))
        self._ready = False

    def _adopt(self, search: SearchHandle, is_f64: bool) -> None:
        self._search, self._is_f64 = search, is_f64
        # Pairs of these are written as they are computed (mote_neighbors_pairs).
        features = self._def.features
        has_columns, is_general = features & (_DISTANCES | _DIFFERENCES), features & (_PERIODIC | _RADII)
        self._direct = bool(is_f64 and has_columns and is_general and not self._either)
        # The rows that `pairs` reads before anything else can happen to them.
        self._latest = Rows(
            None, self._lists, self._context, is_f64, 0, self._periodic, self._either, None, search.spare
        )
        self._latest.share(self._to_lists, self._error, self._to_error)

    # ---------------------------------------------------------------------------------------------------- points

    def update(self, points: Any, radii: Any = None, copy: bool = True) -> "Neighbors":
        """Takes points over: builds the structure, or brings it up to date.

        Parameters
        ----------
        points : array_like, shape (n, 1), (n, 2) or (n, 3) [m]
            float32 or float64 with any strides, also a field of a structured array, a structured array with fields
            x, y, z, a memory-mapped file, or `mote.columns`: read where they lie. Other types are converted once.
        radii : array_like, shape (n,) [m], optional
            A radius for each point, if the search has `radii`. Default: those of the constructor.
        copy : bool
            False: refuse points that would have to be converted.

        Returns
        -------
        Neighbors
            This search.

        Raises
        ------
        ValueError
            Another shape or type; a coordinate that is not finite (the exception's `index` is its point's), a radius
            out of its range. The search is empty after every error: it never answers with points of before.
        MemoryError
            More than `max_bytes`.

        Cost O(n). Once warm, libmote allocates nothing.
        """
        guard = self._guard  # its own __enter__ and __exit__ would take a twentieth of a small call
        if not guard.acquire(False):
            guard.wait()
        try:
            guard.process = _process
            self._forget()
            found = read_points(points, "points", copy)
            given = self._radii if radii is None else radii
            has_radii = bool(self._features & _RADII)
            if given is not None and not has_radii:
                raise ValueError("radii: given, but the search has one radius, expected Neighbors(radii=True)")
            if given is None and has_radii:
                raise ValueError("radii: none, expected one for each point")
            own = numbers(given, "radii", found.size, found.dtype, copy) if has_radii else None
            self._take(found, own)
            if self._learns:
                self._points, self._seen_radii = found, own
                self._token = _token(found, own)
        finally:
            guard.release()
        return self

    def _take(self, found: Points, radii: Any) -> None:
        if self._periodic and found.dimensions != self._dimensions:
            self._set_box(self._cell.of_dimensions(found.dimensions), self._def.period_origin)
            self._dimensions = found.dimensions
        is_f64 = found.dtype == _float64
        if is_f64 != self._is_f64 or self._wanted != self._features:
            self._replace(self._wanted | (_F64 if is_f64 else 0))
            self._features = self._wanted
        search = self._search
        assert search is not None
        if search.pending:
            search.give_back()
        if radii is None:
            result = lib.mote_neighbors_update(search.pointer, found.struct, self._to_error)
        else:
            result = lib.mote_neighbors_update_radii(
                search.pointer, found.struct, address_of(radii), radii.strides[0], self._to_error
            )
        if result:
            check(result, self._error)
        self._ready = True

    def _need(self, features: int) -> SearchHandle:
        """The search, ready for a call that needs these features."""
        search = self._search
        assert search is not None
        if not self._ready:
            raise StateError("neighbors: no points yet, expected an update before")
        missing = features & ~self._features
        if self._features & _DIFFERENCES:
            missing &= ~_DISTANCES  # they follow from vectors
        if missing:
            points, radii = self._points, self._seen_radii
            wanted = self._wanted | missing
            if points is None:
                self._make(wanted | (_F64 if self._is_f64 else 0)).close()  # or it says what the method lacks
                self._wanted = wanted
                raise StateError(
                    "neighbors: the points were taken without what this call needs, expected another "
                    "update: from now on the search has it"
                )
            if _token(points, radii) != self._token:
                raise StateError(
                    "neighbors: the points have changed since their update, and this call needs to read "
                    "them again, expected another update, or columns= in Neighbors(…)"
                )
            self._replace(wanted | (_F64 if self._is_f64 else 0))
            self._features = self._wanted = wanted
            self._take(points, radii)
            search = self._search
            assert search is not None
        if search.pending:
            search.give_back()
        return search

    # ------------------------------------------------------------------------------------------------------ rows

    def _keep(self, search: SearchHandle, lists: _abi.mote_lists, first: Optional[int] = None) -> Rows:
        """Rows of the points from `first` on, or of others."""
        result = lib.mote_neighbors_take_lists(search.pointer, self._to_place, self._to_error)
        if result:
            check(result, self._error)
        kept = self._place.value
        assert kept is not None
        owner = Kept(search, kept, self._context.native)
        return Rows(owner, lists, self._context, self._is_f64, first, self._periodic, self._either)

    @staticmethod
    def _bits(columns: str) -> int:
        if not isinstance(columns, str):
            raise ValueError(f"columns is {value_text(columns)}, expected some of d (distances) and D (vectors)")
        bits = 0
        for letter in columns:
            if letter not in _COLUMNS:
                if letter in "ijS":
                    continue
                raise ValueError(f"columns: {letter!r}, expected some of d (distances) and D (vectors)")
            bits |= _COLUMNS[letter]
        return bits

    def rows(self, columns: str = "") -> Rows:
        """The neighbours of every point.

        Parameters
        ----------
        columns : str
            What the rows must hold beside indices: ``d`` distances, ``D`` vectors.

        Returns
        -------
        Rows
            n rows, in libmote's memory.

        Raises
        ------
        mote.StateError
            There are no points yet.
        MemoryError
            The rows exceed `max_bytes`; the text says how many neighbours there are. See `chunks`.

        Cost O(n + neighbours). Once warm, and if earlier rows are not needed any more, nothing is allocated.
        """
        guard = self._guard  # its own __enter__ and __exit__ would take a twentieth of a small call
        if not guard.acquire(False):
            guard.wait()
        try:
            guard.process = _process
            search = self._need(self._bits(columns) if columns else 0)
            lists = _abi.mote_lists()
            result = lib.mote_neighbors_lists(search.pointer, ctypes.byref(lists), self._to_error)
            if result:
                check(result, self._error)
            return self._keep(search, lists, 0)
        finally:
            guard.release()

    def pairs(
        self,
        letters: str = "ij",
        half: bool = False,
        out: Any = None,
        dtype: Any = np.int64,
        shift_dtype: Any = np.int32,
    ) -> Any:
        """The neighbours of every point as pairs: ``i, j, d = search.pairs("ijd")``. See `Rows.pairs`."""
        if type(letters) is not str:
            check_letters(letters)
        bits = pair_bits(letters)
        guard = self._guard  # its own __enter__ and __exit__ would take a twentieth of a small call
        if not guard.acquire(False):
            guard.wait()
        try:
            guard.process = _process
            search = self._need(bits)
            rows = self._latest
            if not half and self._direct:
                return rows.fill_from_search(search.pointer, letters, out, dtype, shift_dtype)
            if self._either:
                if letters == "ij" and out is None and dtype is np.int64:
                    return rows.pairs_while_found(search.pointer)
                result = lib.mote_neighbors_lists_in_order(
                    search.pointer, self._to_lists, self._to_place, self._to_error
                )
                half, rows._order = False, self._place.value
            else:
                result = lib.mote_neighbors_lists(search.pointer, self._to_lists, self._to_error)
            if result:
                check(result, self._error)
            return rows._fill(letters, half, out, dtype, shift_dtype)
        finally:
            guard.release()

    def to_freud(self, box: Any = None) -> Any:
        """The neighbours of every point as a ``freud.locality.NeighborList``, for freud's own analyses.

        Parameters
        ----------
        box : freud.box.Box, optional
            If given, it has to be the box of this search (freud's lies around the origin, which does not matter here).

        Raises
        ------
        mote.Unsupported
            freud is not installed.
        """
        try:
            import freud
        except ImportError:
            raise Unsupported("to_freud: freud is not installed, expected freud-analysis") from None
        if box is not None:
            edges = np.array([[edge.x, edge.y, edge.z] for edge in self._def.period])
            given = np.asarray(freud.box.Box.from_box(box).to_matrix()).T
            if not np.allclose(edges, np.where(np.any(edges != 0, axis=1)[:, None], given, 0.0), 1e-6):
                raise ValueError("to_freud: box is not the search's, expected one with the same edges")
        rows = self.rows("dD")
        i, j, d, D = rows.pairs("ijdD", dtype=np.uint32)
        measures = D if int(str(freud.__version__).split(".")[0]) >= 3 else d
        return freud.locality.NeighborList.from_arrays(len(rows), len(rows), i, j, np.asarray(measures, np.float32))

    def subset(self, points: Any, columns: str = "") -> Rows:
        """The rows of some points: row k is that of point ``points[k]``.

        Parameters
        ----------
        points : array_like of int, shape (m,), or of bool, shape (n,)
            Numbers of points, in any order, also repeatedly; or a mask.
        columns : str
            As for `rows`.

        Raises
        ------
        ValueError
            There is no such point.
        """
        chosen = whole_numbers(points, "subset")
        if np.asarray(points).dtype == np.bool_ and self._points is not None and len(points) != self._points.size:
            raise ValueError(f"subset: a mask of {len(points)}, expected one for each of {self._points.size} points")
        with self._guard:
            search = self._need(self._bits(columns) | _SUBSET)
            lists, error = _abi.mote_lists(), _abi.mote_error()
            check(
                lib.mote_neighbors_subset(
                    search.pointer, address_of(chosen), len(chosen), ctypes.byref(lists), ctypes.byref(error)
                ),
                error,
            )
            return self._keep(search, lists)

    def query(self, points: Any, radii: Any = None, columns: str = "", copy: bool = True) -> Rows:
        """For each of other points, the points of the set within the radius, those at the same place included.

        Parameters
        ----------
        points : array_like, shape (m, d) [m]
            Of the set's dimensions, in any order. Those of another type than the set's are converted.
        radii : array_like, shape (m,) [m], optional
            One for each, if the search has `radii`.
        columns, copy
            As for `rows` and `update`.
        """
        with self._guard:
            search = self._need(self._bits(columns) | _QUERY)
            kind = np.dtype(np.float64 if self._is_f64 else np.float32)
            queries = read_points(points, "queries", copy, kind)
            lists, error = _abi.mote_lists(), _abi.mote_error()
            if radii is None:
                result = lib.mote_neighbors_query(
                    search.pointer, queries.struct, ctypes.byref(lists), ctypes.byref(error)
                )
            else:
                own = numbers(radii, "radii", queries.size, kind, copy)
                result = lib.mote_neighbors_query_radii(
                    search.pointer,
                    queries.struct,
                    address_of(own),
                    own.strides[0],
                    ctypes.byref(lists),
                    ctypes.byref(error),
                )
            check(result, error)
            return self._keep(search, lists)

    def nearest(self, k: int, points: Any = None, columns: Optional[str] = None, copy: bool = True) -> Rows:
        """The k nearest points, however far they are, ordered by distance, then index, then shift.

        Parameters
        ----------
        k : int
            A row has fewer entries only if there are no more points. In a periodic box images count as points.
        points : array_like, shape (m, d) [m], optional
            Where to look from; default: each point of the set, without itself.
        columns : str, optional
            As for `rows`; default: those that the search was made with, or ``d``.
        copy
            As for `update`.

        Returns
        -------
        Rows
            Rows of k entries; `Rows.table` makes arrays (n, k) of them.
        """
        try:
            wanted = int(k.__index__())
        except AttributeError:
            wanted = -1
        if wanted < 1:
            raise ValueError(f"nearest: k is {k!r}, expected 1 or more")
        with self._guard:
            bits = self._bits(columns) if columns is not None else _DISTANCES if self._learns else 0
            search = self._need(bits | _NEAREST | (0 if points is None else _QUERY))
            lists, error = _abi.mote_lists(), _abi.mote_error()
            queries = None
            if points is not None:
                queries = read_points(points, "queries", copy, np.dtype(np.float64 if self._is_f64 else np.float32))
            check(
                lib.mote_neighbors_nearest(
                    search.pointer,
                    ctypes.byref(queries.struct) if queries else None,
                    min(wanted, 0xFFFFFFFF),
                    ctypes.byref(lists),
                    ctypes.byref(error),
                ),
                error,
            )
            return self._keep(search, lists)

    def chunks(self, max_bytes: int, columns: str = "") -> Iterator[Rows]:
        """All rows, in chunks of consecutive points whose lists take at most so many bytes.

        ::

            for rows in search.chunks(1 << 30):
                i, j = rows.pairs("ij")             # i counts through all points

        A single row that is larger comes alone. Drop each chunk before the next one is found, or its memory cannot be
        used again. An update in between ends the loop with mote.StateError.
        """
        try:
            room = int(max_bytes)
        except (TypeError, ValueError, OverflowError):
            room = -1
        if room < 0:
            raise ValueError(f"chunks: max_bytes is {max_bytes!r}, expected 0 or more")
        with self._guard:
            self._need(self._bits(columns) | _SUBSET)
            version = self._version
        return self._chunks(min(room, ctypes.c_size_t(-1).value), version)

    def _chunks(self, room: int, version: int) -> Iterator[Rows]:
        first = 0
        while True:
            with self._guard:
                if self._version != version:
                    raise StateError("chunks: the points were updated meanwhile, expected all chunks before")
                search = self._need(_SUBSET)
                lists, error = _abi.mote_lists(), _abi.mote_error()
                check(
                    lib.mote_neighbors_chunk(search.pointer, first, room, ctypes.byref(lists), ctypes.byref(error)),
                    error,
                )
                if lists.count == 0:
                    return
                rows = self._keep(search, lists, first)
            first += int(lists.count)
            yield rows
            del rows  # before the next chunk is found

    # ------------------------------------------------------------------------------------------------ properties

    @property
    def radius(self) -> Optional[float]:
        """The radius [m]; None if each point has its own. Setting it empties the search until its next update."""
        return None if self._features & _abi.MOTE_NEIGHBORS_RADII else float(self._def.radius)

    @radius.setter
    def radius(self, value: float) -> None:
        with self._guard:
            assert self._search is not None
            error = _abi.mote_error()
            check(lib.mote_neighbors_set_radius(self._search.pointer, float(value), ctypes.byref(error)), error)
            self._def.radius = float(value)
            self._forget()

    def set_periodic(self, periodic: Any, pbc: Any = None, origin: Any = None) -> None:
        """Changes the box of a search that has one. The search is then empty until its next update."""
        cell = read_cell(periodic, pbc)
        corner = vec3((0, 0, 0) if origin is None else origin, "origin")
        with self._guard:
            if cell.periodic != self._periodic:
                raise Unsupported("periodic: a search is made with a box or without, expected another mote.Neighbors")
            self._set_box(cell.edges, corner)
            self._cell, self._dimensions = cell, cell.fitted()
            self._forget()

    def _set_box(self, edges: List[_abi.mote_vec3], corner: _abi.mote_vec3) -> None:
        assert self._search is not None
        error = _abi.mote_error()
        array = (_abi.mote_vec3 * 3)(*edges)
        check(lib.mote_neighbors_set_period(self._search.pointer, array, corner, ctypes.byref(error)), error)
        for k in range(3):
            self._def.period[k] = edges[k]
        self._def.period_origin = corner

    def _forget(self) -> None:
        self._version += 1
        self._ready = False
        self._points = self._token = self._seen_radii = None

    def explain(self) -> str:
        """What the search does with its present points, and why, in a sentence."""
        with self._guard:
            assert self._search is not None
            return text_of(lib.mote_neighbors_explain(self._search.pointer))

    @property
    def counters(self) -> NeighborsCounters:
        """What the structure looks like, and the work of the last call: cells, candidates, hits, collisions, rebuilds,
        moved (mote/neighbors.h). Cost O(cells)."""
        with self._guard:
            assert self._search is not None
            found = lib.mote_neighbors_get_counters(self._search.pointer)
            return NeighborsCounters(*(getattr(found, name) for name in NeighborsCounters._fields))

    @property
    def byte_count(self) -> int:
        """Bytes held by the structure and by lists, including what was given back; without rows that are in use."""
        with self._guard:
            assert self._search is not None
            self._search.give_back()
            lists = ctypes.c_size_t()
            return int(lib.mote_neighbors_byte_count(self._search.pointer, ctypes.byref(lists))) + lists.value

    def validate(self) -> None:
        """Checks every invariant of the structure: RuntimeError says which is broken. Cost O(n)."""
        with self._guard:
            assert self._search is not None
            error = _abi.mote_error()
            if lib.mote_neighbors_validate(self._search.pointer, ctypes.byref(error)):
                raise RuntimeError(text_of(error.text))

    @property
    def context(self) -> Context:
        """Threads and byte budget of this search."""
        return self._context

    def __reduce__(self) -> Any:
        raise TypeError("mote.Neighbors: cannot be pickled or copied, expected one for each process")

    def __repr__(self) -> str:
        size = f"radius {self.radius:g}" if self.radius is not None else "a radius for each point"
        return f"<mote.Neighbors: {size}{', periodic' if self._periodic else ''}>"


def _token(points: Points, radii: Any) -> Any:
    """What tells whether points have changed: small ones themselves, a checksum of large ones."""
    arrays = points.arrays + (() if radii is None else (radii,))
    if sum(array.nbytes for array in arrays) <= _SMALL:
        return tuple(array.tobytes() for array in arrays)
    found = lib.mote_points_checksum(points.struct)
    return found if radii is None else (found, lib.mote_points_checksum(scalars_as_points(radii)))


def pairs(letters: str, points: Any, radius: Optional[float] = None, half: bool = False, **keywords: Any) -> Any:
    """Pairs of points within a radius, in one call: ``i, j, d = mote.pairs("ijd", points, 0.1)``.

    `letters` and `half` are those of `Rows.pairs`, `points` those of `Neighbors.update`; all other keywords are those
    of `Neighbors`. A search that is kept and updated saves its memory's first use, which costs more than a search.
    """
    check_letters(letters)
    keywords.setdefault("columns", next((letter for letter in "Dd" if letter in letters), ""))
    if half and keywords.get("radii") is None:  # else a pair may hold one way alone
        keywords.update(half=True, half_either=True)
    return Neighbors(radius, **keywords).update(points).pairs(letters, half=half)


Neighbors.__doc__ = (Neighbors.__doc__ or "").replace(
    "{radius}", f"{_FIELDS['radius'].meaning.capitalize()}: {_FIELDS['radius'].expected}."
)
with_fields(
    Neighbors,
    {
        name: field
        for name, field in _FIELDS.items()
        if name
        in (
            "open_ball",
            "half_either",
            "method",
            "radius_rule",
            "period_origin",
            "hash",
            "table_size",
            "subdivision",
            "classes",
        )
    },
)
