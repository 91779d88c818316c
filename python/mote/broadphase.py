# SPDX-License-Identifier: MIT
"""Which boxes overlap?"""

from __future__ import annotations

import ctypes
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np

from . import _abi
from ._checks import flag, number, real_array, whole
from ._context import Context, context_for
from ._fields import fields_of, with_fields
from ._library import check, lib
from ._objects import IdRows, Object, as_dict, copied, filled, id_rows
from ._points import address_of, numbers, read_points, text_of, whole_numbers

__all__ = ["BroadPhase", "Events"]

_FIELDS = fields_of(lib.mote_broadphase_fields)
_EVERYTHING = 0xFFFFFFFFFFFFFFFF


class Events(NamedTuple):
    """How the pairs have changed since the last call: arrays (n, 2) of uint32, as `BroadPhase.pairs` has them."""

    begun: Any
    stayed: Any
    ended: Any


class BroadPhase(Object):
    """Boxes with ids that stay the same: which pairs overlap, which begin and end, and what lies in other boxes.

    ::

        broad = mote.BroadPhase()
        ids = broad.add(boxes)                # (n, 2, 3): the lower and the upper corner of each
        broad.move(ids, boxes + step)
        for a, b in broad.pairs(): ...

    Boxes that only touch overlap. Corners are float32; others are converted, rounded outwards, so that no overlap is
    lost. Results are arrays that belong to the caller, and do not depend on the number of threads.

    Parameters
    ----------
    threads, max_bytes, context
        See `mote.Context`.

    Further keywords are the fields of `mote_broadphase_def`:

    {fields}

    Raises
    ------
    ValueError
        A value out of its range; of all methods: corners that are not finite, a box whose minimum is above its maximum
        (the exception's `index` is its number), an id that no object has. Nothing has changed then.
    MemoryError
        More than `max_bytes`.
    """

    def __init__(
        self,
        *,
        threads: Optional[int] = None,
        max_bytes: Optional[int] = None,
        context: Optional[Context] = None,
        **fields: Any,
    ) -> None:
        super().__init__(context_for(context, threads, max_bytes))
        definition, self._texts = filled(lib.mote_broadphase_default_def, _FIELDS, fields, "broadphase")
        self._dimensions = int(definition.dimensions)
        self._adopt(self._create(lib.mote_broadphase_create, ctypes.byref(definition)), lib.mote_broadphase_destroy)

    def _boxes(self, boxes: Any, name: str = "boxes") -> Tuple[_abi.mote_boxes, Any]:
        d = self._dimensions
        array = np.asarray(boxes)
        if array.size == 0:
            array = np.zeros((0, 2, d), np.float32)
        if array.shape == (2, d) or array.shape == (2 * d,):
            array = array.reshape(1, 2, d)
        if array.ndim == 2 and array.shape[1] == 2 * d:
            array = array.reshape(-1, 2, d)
        if array.ndim != 3 or array.shape[1:] != (2, d):
            raise ValueError(f"{name}: shape {np.shape(boxes)}, expected (n, 2, {d}): the lower and the upper corner")
        if array.dtype.kind not in "fiub":
            raise ValueError(f"{name}: dtype {array.dtype}, expected float32")
        if array.dtype != np.float32 or not array.dtype.isnative:
            array = _outwards(array)
        struct = _abi.mote_boxes()
        base = address_of(array)
        for k in range(d):
            struct.min[k] = base + k * array.strides[2]
            struct.max[k] = base + array.strides[1] + k * array.strides[2]
        struct.stride, struct.count, struct.dimensions = array.strides[0], len(array), d
        return struct, array

    # -------------------------------------------------------------------------------------------------- objects

    def add(self, boxes: Any, static: bool = False, category: int = 1, mask: int = _EVERYTHING) -> Any:
        """Adds objects.

        Parameters
        ----------
        boxes : array_like, shape (n, 2, d) or (n, 2 d) [m]
            Lower and upper corners. float32 arrays of any strides are read where they lie.
        static : bool
            Two static objects never form a pair.
        category, mask : int
            Bits: two objects meet if each one's category has a bit of the other's mask.

        Returns
        -------
        array, shape (n,), uint32
            Their ids. Ids of removed objects are used again.
        """
        struct, array = self._boxes(boxes)
        ids = np.empty(len(array), np.uint32)
        kind = _abi.MOTE_OBJECT_STATIC if flag(static, "static") else _abi.MOTE_OBJECT_MOVING
        self._call(lib.mote_broadphase_add_many, struct, kind, _filter(category, mask), address_of(ids))
        return ids

    def move(self, ids: Any, boxes: Any) -> None:
        """Gives objects new boxes. `ids` None: 0, 1, 2, …"""
        struct, array = self._boxes(boxes)
        chosen = None if ids is None else self._ids(ids, len(array))
        self._call(lib.mote_broadphase_move_many, None if chosen is None else address_of(chosen), struct)

    def remove(self, ids: Any) -> None:
        """Removes objects."""
        chosen = self._ids(ids, None)
        self._call(lib.mote_broadphase_remove_many, address_of(chosen), len(chosen))

    @staticmethod
    def _ids(ids: Any, count: Optional[int]) -> Any:
        chosen = whole_numbers(np.atleast_1d(np.asarray(ids)), "ids")
        if count is not None and len(chosen) != count:
            raise ValueError(f"ids: {len(chosen)}, expected one for each of {count} boxes")
        return chosen

    def set_filter(self, ids: Any, category: int, mask: int) -> None:
        """Changes the category and the mask of objects."""
        for one in self._ids(ids, None).tolist():
            self._call(lib.mote_broadphase_set_filter, one, _filter(category, mask))

    def set_static(self, ids: Any, static: bool = True) -> None:
        """Makes objects static, or moving."""
        kind = _abi.MOTE_OBJECT_STATIC if flag(static, "static") else _abi.MOTE_OBJECT_MOVING
        for one in self._ids(ids, None).tolist():
            self._call(lib.mote_broadphase_set_kind, one, kind)

    def object(self, id: int) -> Dict[str, Any]:
        """What is known about an object: its box (2, d), category, mask, and whether it is static."""
        found = _abi.mote_object()
        id = whole(id, "object", "the id of an object", 0, 2**32 - 1)
        with self._guard:
            if not lib.mote_broadphase_object(self._pointer, id, ctypes.byref(found)):
                raise ValueError(f"object: {id}, expected the id of an object")
        d = self._dimensions
        box = np.array([found.box.min[:d], found.box.max[:d]], np.float32)
        return {
            "box": box,
            "category": found.filter.category,
            "mask": found.filter.mask,
            "static": found.kind == _abi.MOTE_OBJECT_STATIC,
        }

    def __len__(self) -> int:
        return int(lib.mote_broadphase_count(self._pointer))

    @property
    def id_end(self) -> int:
        """The lowest number that was never an id."""
        return int(lib.mote_broadphase_id_end(self._pointer))

    # ------------------------------------------------------------------------------------------------ questions

    def pairs(self) -> Any:
        """All pairs of objects that overlap: (n, 2) uint32, a < b, ascending by a, then b."""
        found, error = _abi.mote_pairs(), _abi.mote_error()
        with self._guard:
            check(lib.mote_broadphase_pairs(self._pointer, ctypes.byref(found), ctypes.byref(error)), error)
            return _pairs(found)

    def pairs_between(self, other: "BroadPhase") -> Any:
        """All pairs of an object of this set and one of another: (n, 2) uint32."""
        if not isinstance(other, BroadPhase) or other is self:
            raise ValueError("pairs_between: expected another BroadPhase; its own pairs are pairs()")
        first, second = sorted((self, other), key=id)
        found, error = _abi.mote_pairs(), _abi.mote_error()
        with first._guard, second._guard:
            check(
                lib.mote_broadphase_pairs_between(
                    self._pointer, other._pointer, ctypes.byref(found), ctypes.byref(error)
                ),
                error,
            )
            return _pairs(found)

    def events(self) -> Events:
        """Which pairs have begun, stayed and ended since the last call."""
        found, error = _abi.mote_pair_events(), _abi.mote_error()
        with self._guard:
            check(lib.mote_broadphase_events(self._pointer, ctypes.byref(found), ctypes.byref(error)), error)
            return Events(_pairs(found.begun), _pairs(found.stayed), _pairs(found.ended))

    def _rows(self, function: Any, *arguments: Any) -> IdRows:
        rows, error = _abi.mote_id_rows(), _abi.mote_error()
        with self._guard:
            check(function(self._pointer, *arguments, ctypes.byref(rows), ctypes.byref(error)), error)
            return id_rows(rows)

    def query_boxes(self, boxes: Any, category: int = 1, mask: int = _EVERYTHING) -> IdRows:
        """For each of other boxes, the objects that overlap it: ``rows[i]`` are the ids for box i."""
        struct, array = self._boxes(boxes)
        found = self._rows(lib.mote_broadphase_query_boxes, struct, _filter(category, mask))
        del array
        return found

    def query_points(self, points: Any, category: int = 1, mask: int = _EVERYTHING) -> IdRows:
        """For each point (n, d), the objects whose box contains it."""
        given = self._floats(points, "points")
        return self._rows(lib.mote_broadphase_query_points, given.struct, _filter(category, mask))

    def query_spheres(self, centers: Any, radii: Any, category: int = 1, mask: int = _EVERYTHING) -> IdRows:
        """For each sphere, centre (n, d) and radius, the objects whose box it touches."""
        given = self._floats(centers, "centers")
        own = numbers(radii, "radii", given.size, np.dtype(np.float32))
        return self._rows(
            lib.mote_broadphase_query_spheres, given.struct, address_of(own), own.strides[0], _filter(category, mask)
        )

    def query_segments(self, start: Any, end: Any, category: int = 1, mask: int = _EVERYTHING) -> IdRows:
        """For each segment, both ends (n, d), the objects whose box it meets."""
        a, b = self._floats(start, "start"), self._floats(end, "end")
        _same(a.size, b.size, "end")
        return self._rows(lib.mote_broadphase_query_segments, a.struct, b.struct, _filter(category, mask))

    def query_sweeps(self, boxes: Any, motions: Any, category: int = 1, mask: int = _EVERYTHING) -> IdRows:
        """For each box that moves by a vector (n, d), the objects whose box it meets on its way."""
        struct, array = self._boxes(boxes)
        by = self._floats(motions, "motions")
        _same(len(array), by.size, "motions")
        return self._rows(lib.mote_broadphase_query_sweeps, struct, by.struct, _filter(category, mask))

    def _floats(self, points: Any, name: str) -> Any:
        return read_points(points, name, True, np.dtype(np.float32), self._dimensions)

    def closest(self, point: Any, distance: float = np.inf, category: int = 1, mask: int = _EVERYTHING) -> Any:
        """The object whose box is closest to a point, no farther than a distance: (id, distance), or None."""
        place = np.zeros(3, np.float32)
        given = real_array(point, "point", f"{self._dimensions} numbers").astype(np.float32)
        most = number(distance, "distance", "0 or more [m]", 0.0)
        if given.shape != (self._dimensions,):
            raise ValueError(f"point: shape {given.shape}, expected ({self._dimensions},)")
        place[: self._dimensions] = given
        found = _abi.mote_closest_object()
        with self._guard:
            error = _abi.mote_error()
            check(lib.mote_broadphase_update(self._pointer, ctypes.byref(error)), error)
            check(
                lib.mote_broadphase_closest(
                    self._pointer,
                    address_of(place),
                    most,
                    _filter(category, mask),
                    ctypes.byref(found),
                    ctypes.byref(error),
                ),
                error,
            )
        return None if found.id == _abi.MOTE_NO_OBJECT else (int(found.id), float(found.squared) ** 0.5)

    # ------------------------------------------------------------------------------------------------ inspection

    def explain(self) -> str:
        """How the objects are stored, and why, in a sentence."""
        with self._guard:
            error = _abi.mote_error()
            check(lib.mote_broadphase_update(self._pointer, ctypes.byref(error)), error)
            return text_of(lib.mote_broadphase_explain(self._pointer))

    @property
    def counters(self) -> Dict[str, int]:
        """What the structure looks like, and the work of the last call (mote/broadphase.h)."""
        with self._guard:
            return as_dict(lib.mote_broadphase_get_counters(self._pointer))

    @property
    def byte_count(self) -> int:
        """Bytes held by objects, structure and results."""
        with self._guard:
            results = ctypes.c_size_t()
            return int(lib.mote_broadphase_byte_count(self._pointer, ctypes.byref(results))) + results.value

    def validate(self) -> None:
        """Checks every invariant: RuntimeError says which is broken."""
        self._validate(lib.mote_broadphase_validate)

    def __repr__(self) -> str:
        return f"<mote.BroadPhase: {len(self)} boxes in {self._dimensions} dimensions>"


def box_methods() -> List[Tuple[str, str, str]]:
    """The methods: name, source and meaning; the first is the default."""
    found: List[Tuple[str, str, str]] = []
    while True:
        address = lib.mote_broadphase_method_at(len(found))
        if not address:
            return found
        info = _abi.mote_broadphase_method_info.from_address(address)
        found.append((text_of(info.name), text_of(info.source), text_of(info.meaning)))


def _filter(category: int, mask: int) -> _abi.mote_filter:
    expected = "64 bits: a whole number from 0 to 2^64 - 1"
    return _abi.mote_filter(whole(category, "category", expected), whole(mask, "mask", expected))


def _pairs(found: _abi.mote_pairs) -> Any:
    return copied(found.pairs, 2 * found.count, np.uint32).reshape(-1, 2)


def _same(count: int, other: int, name: str) -> None:
    if count != other:
        raise ValueError(f"{name}: {other}, expected {count}")


def _outwards(array: Any) -> Any:
    """Boxes as float32, none of them smaller than it was."""
    exact = array.astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = exact.astype(np.float32)
        low, high = rounded[:, 0], rounded[:, 1]
        rounded[:, 0] = np.where(low > exact[:, 0], np.nextafter(low, np.float32(-np.inf)), low)
        rounded[:, 1] = np.where(high < exact[:, 1], np.nextafter(high, np.float32(np.inf)), high)
    return np.ascontiguousarray(rounded)


with_fields(BroadPhase, _FIELDS)
