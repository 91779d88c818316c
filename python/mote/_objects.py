# SPDX-License-Identifier: MIT
"""What classes over libmote's objects share: their making and ending, arrays of structs, and rows of ids."""

from __future__ import annotations

import ctypes
from typing import Any, Dict, Iterator, List, Optional, Tuple, Type

import numpy as np

from . import _abi
from ._context import Context, Native
from ._fields import Field, fill
from ._library import check, lib
from ._points import address_of, text_of, view
from .neighbors import Guard

__all__ = ["IdRows", "Object", "copied", "dtype_of"]

_TYPES = {
    ctypes.c_double: "f8",
    ctypes.c_float: "f4",
    ctypes.c_uint32: "u4",
    ctypes.c_int32: "i4",
    ctypes.c_uint64: "u8",
    ctypes.c_int: "i4",
    ctypes.c_size_t: "u8",
    ctypes.c_uint8: "u1",
    ctypes.c_bool: "?",
    ctypes.c_int8: "i1",
}
_dtypes: Dict[Any, Any] = {}


def dtype_of(struct: Type[ctypes.Structure]) -> Any:
    """The numpy type of a plain C struct; vectors are (3,) float64."""
    if struct not in _dtypes:
        names: List[str] = []
        formats: List[Any] = []
        offsets: List[int] = []
        for name, kind, *_ in struct._fields_:
            if kind is _abi.mote_vec3:
                form: Any = ("f8", (3,))
            elif hasattr(kind, "_length_"):
                form = (_TYPES[getattr(kind, "_type_")], (getattr(kind, "_length_"),))
            else:
                form = _TYPES[kind]
            names.append(name)
            formats.append(form)
            offsets.append(getattr(struct, name).offset)
        _dtypes[struct] = np.dtype(
            {"names": names, "formats": formats, "offsets": offsets, "itemsize": ctypes.sizeof(struct)}
        )
    return _dtypes[struct]


def copied(address: Optional[int], count: int, dtype: Any) -> Any:
    """A copy of an array of libmote's, which is valid until the next call only."""
    kind = np.dtype(dtype)
    if not address or not count:
        return np.empty(0, kind)
    memory: Any = (ctypes.c_char * (count * kind.itemsize)).from_address(address)
    return np.frombuffer(memory, kind).copy()


class IdRows:
    """Rows of numbers, one behind the other: ``rows[i]`` is ``ids[offsets[i]:offsets[i + 1]]``.

    Attributes
    ----------
    offsets : array, shape (n + 1,), uint64
    ids : array, uint32, ascending in each row
    """

    __slots__ = ("offsets", "ids")

    def __init__(self, offsets: Any, ids: Any) -> None:
        self.offsets, self.ids = offsets, ids

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, i: Any) -> Any:
        return [self.row(k) for k in range(*i.indices(len(self)))] if isinstance(i, slice) else self.row(i)

    def __iter__(self) -> Iterator[Any]:
        return (self.row(k) for k in range(len(self)))

    def row(self, i: int) -> Any:
        """The numbers of row i, which counts from the end below 0."""
        count = len(self)
        try:
            k = int(i.__index__())
        except (AttributeError, TypeError):
            raise TypeError(f"rows are numbered by whole numbers, not by {i!r}") from None
        if not -count <= k < count:
            raise IndexError(f"row {k}, expected one of {count}")
        k %= count
        return self.ids[int(self.offsets[k]) : int(self.offsets[k + 1])]

    def __repr__(self) -> str:
        return f"<mote.IdRows: {len(self)} rows, {len(self.ids)} numbers>"


def id_rows(rows: _abi.mote_id_rows) -> IdRows:
    """Copies rows that an object owns."""
    lists = _abi.mote_lists(rows.count, rows.first, rows.counts, rows.ids)
    lists.total = rows.total
    offsets, ids = np.zeros(rows.count + 1, np.uint64), np.empty(rows.total, np.uint32)
    lib.mote_lists_to_csr(ctypes.byref(lists), address_of(offsets), address_of(ids))
    return IdRows(offsets, ids)


class Object:
    """An object of libmote's, with the context that it was made in. Calls for one object wait for each other."""

    _native: Optional[Native] = None

    def __init__(self, context: Context) -> None:
        self._context = context
        self._guard = Guard()

    def _adopt(self, pointer: Any, destroy: Any, *parents: Native) -> None:
        self._native = Native(pointer, destroy, self._context.native, *parents)

    def __del__(self) -> None:
        if self._native is not None:
            self._native.release()

    @property
    def _pointer(self) -> Any:
        assert self._native is not None
        return self._native.pointer

    def __reduce__(self) -> Any:
        name = type(self).__name__
        raise TypeError(f"a mote.{name} cannot be copied or pickled: make one in each process")

    @property
    def context(self) -> Context:
        """Threads and byte budget of this object."""
        return self._context

    def _call(self, function: Any, *arguments: Any) -> None:
        """Calls a function of the object that can fail."""
        error = _abi.mote_error()
        with self._guard:
            check(function(self._pointer, *arguments, ctypes.byref(error)), error)

    def _create(self, function: Any, *arguments: Any) -> int:
        """Calls a function that makes an object."""
        made, error = ctypes.c_void_p(), _abi.mote_error()
        check(function(self._context.native.pointer, *arguments, ctypes.byref(made), ctypes.byref(error)), error)
        assert made.value is not None
        return made.value

    def _validate(self, function: Any) -> None:
        error = _abi.mote_error()
        with self._guard:
            if function(self._pointer, ctypes.byref(error)):
                raise RuntimeError(text_of(error.text))


def filled(default: Any, fields: Dict[str, Field], values: Dict[str, Any], what: str) -> Tuple[Any, List[Any]]:
    """A def with keywords, and what its texts lie in."""
    definition = default()
    return definition, fill(definition, fields, values, what)


def as_dict(struct: ctypes.Structure) -> Dict[str, Any]:
    """The members of a struct, by name."""
    found = {}
    for name, *_ in struct._fields_:
        value = getattr(struct, name)
        if isinstance(value, _abi.mote_vec3):
            value = (value.x, value.y, value.z)
        elif isinstance(value, ctypes.Array):
            value = list(value)
        found[name] = value
    return found


def shown(address: Optional[int], shape: Tuple[int, ...], typestr: str, owner: Any) -> Any:
    """A read-only view of memory that `owner` keeps alive."""
    return view(address, shape, typestr, owner)
