# SPDX-License-Identifier: MIT
"""Points of the caller's, in any layout that numpy has, as libmote reads them: where they lie."""

from __future__ import annotations

import ctypes
import struct
from typing import Any, NamedTuple, Optional, Tuple

import numpy as np

from . import _abi
from ._library import StateError

__all__ = ["Points", "columns", "read_points", "vectors_f64", "view"]

_SCALARS = {"f4": _abi.MOTE_F32, "f8": _abi.MOTE_F64}
_F32, _F64 = np.dtype(np.float32), np.dtype(np.float64)
_NATIVE = {_F32: _abi.MOTE_F32, _F64: _abi.MOTE_F64}
_AXES = ("x", "y", "z")
_from_buffer, _address = ctypes.c_char.from_buffer, ctypes.addressof
PACKED_POINTS = struct.Struct("@PPPnNii")  # mote_points; packing it takes a third of setting its members
_pack_points = PACKED_POINTS.pack
_as_points = _abi.mote_points.from_buffer_copy


class Points(NamedTuple):
    """Points as libmote takes them, and the arrays that they lie in."""

    struct: _abi.mote_points
    arrays: Tuple[Any, ...]
    size: int
    dimensions: int
    dtype: Any  # float32 or float64


class columns:
    """Coordinates in an array for each axis: ``search.update(mote.columns(x, y, z))``.

    Parameters
    ----------
    x, y, z : array_like, shape (n,)
        One, two or three of them, as long as each other. They are read where they lie if all have the same type
        (float32 or float64) and stride; otherwise they are copied.
    """

    __slots__ = ("axes",)

    def __init__(self, x: Any, y: Any = None, z: Any = None) -> None:
        if y is None and z is not None:
            raise ValueError("columns: z without y, expected x, x and y, or x, y and z")
        self.axes = tuple(np.asanyarray(axis) for axis in (x, y, z) if axis is not None)
        lengths = [axis.shape for axis in self.axes]
        if any(len(shape) != 1 for shape in lengths) or len(set(lengths)) != 1:
            raise ValueError(f"columns: shapes {', '.join(map(str, lengths))}, expected arrays (n,) of one length")


def _describe(array: Any) -> str:
    return f"an array of shape {array.shape} and dtype {array.dtype}"


def _refuse_copy(name: str, array: Any, why: str) -> ValueError:
    return ValueError(
        f"{name}: {_describe(array)} {why}, expected float32 or float64 in this machine's byte order "
        "with copy=False"
    )


def _number_type(array: Any) -> Any:
    """The type that numbers of another type are converted to: float32 where it holds them all."""
    kind = array.dtype.kind
    if kind in "biu" or (kind == "f" and array.dtype.itemsize >= 8):
        return _F64
    return _F32 if kind == "f" else None


def _floats(array: Any, name: str, copy: bool, dtype: Any) -> Any:
    """The array itself if libmote can read it, else a copy."""
    if array.dtype in _NATIVE and array.dtype.isnative and (dtype is None or array.dtype == dtype):
        return array
    wanted = dtype or _number_type(array)
    if wanted is None or _number_type(array) is None:
        raise ValueError(f"{name}: {_describe(array)}, expected numbers: float32, float64, or integers")
    if not copy:
        raise _refuse_copy(name, array, "would be converted")
    return np.ascontiguousarray(array, dtype=wanted)


def _from_axes(axes: Tuple[Any, ...], name: str, copy: bool, dtype: Any) -> Points:
    kinds = {axis.dtype for axis in axes}
    wanted = dtype or (np.result_type(*axes) if len(kinds) > 1 else None)
    if wanted is not None and wanted not in _NATIVE:
        wanted = None
    axes = tuple(_floats(axis, name, copy, wanted) for axis in axes)
    if len({axis.strides for axis in axes}) != 1 or len({axis.dtype for axis in axes}) != 1:
        if not copy:
            raise ValueError(
                f"{name}: columns of different strides would be copied, expected equal ones with copy=False"
            )
        axes = tuple(np.ascontiguousarray(axis, dtype=max(kind.dtype for kind in axes)) for axis in axes)
    first = axes[0]
    addresses = [axis.__array_interface__["data"][0] for axis in axes] + [0, 0]
    packed = _as_points(
        _pack_points(*addresses[:3], first.strides[0], first.shape[0], _NATIVE[first.dtype], len(axes))
    )
    return Points(packed, axes, first.shape[0], len(axes), first.dtype)


def _structured(array: Any, name: str) -> Tuple[Any, ...]:
    """The coordinates of a structured array: its fields x, y, z, or all of them if there are no more than three."""
    names = array.dtype.names
    chosen = tuple(axis for axis in _AXES if axis in names)
    if chosen != _AXES[: len(chosen)] or not chosen:
        chosen = names if len(names) <= 3 else ()
    if not chosen or any(array.dtype[field].kind not in "fiub" for field in chosen):
        raise ValueError(f"{name}: fields {', '.join(names)}, expected x, y, z, or array['positions'] for one field")
    return tuple(array[field] for field in chosen)


def _as_array(points: Any, name: str, copy: bool) -> Any:
    if not copy and not hasattr(points, "__array_interface__"):
        try:
            points = memoryview(points)
        except TypeError:
            raise ValueError(
                f"{name}: a {type(points).__name__} would be copied, expected an array with copy=False"
            ) from None
    try:
        array = np.asarray(points)
    except StateError:  # an array of a simulation's step that is over
        raise
    except ValueError as error:
        raise ValueError(f"{name}: {error}, expected an array of shape (n, 1), (n, 2) or (n, 3)") from None
    if isinstance(points, np.ma.MaskedArray) and np.any(points.mask):
        raise ValueError(f"{name}: some values are masked, expected all of them, or points.compressed rows")
    return array


def read_points(
    points: Any, name: str = "points", copy: bool = True, dtype: Any = None, dimensions: Optional[int] = None
) -> Points:
    """Looks at points: an array (n, 1 to 3), a structured one (n,), or columns().

    dtype      the only type that will do, or None for either
    dimensions the only number that will do; an empty list has that number, or 3
    """
    if type(points) is np.ndarray and points.ndim == 2:  # the usual case, without detours
        array = points
    elif isinstance(points, columns):
        return _from_axes(points.axes, name, copy, dtype)
    else:
        array = _as_array(points, name, copy)
        if array.ndim == 1 and array.dtype.names:
            return _from_axes(_structured(array, name), name, copy, dtype)
        if array.shape == (0,):
            array = np.zeros((0, dimensions or 3), dtype or _F64)
    shape = array.shape
    if array.ndim != 2 or not 1 <= shape[1] <= 3:
        raise ValueError(f"{name}: {_describe(array)}, expected shape (n, 1), (n, 2) or (n, 3)")
    if dimensions is not None and shape[1] != dimensions:
        raise ValueError(f"{name}: {_describe(array)}, expected shape (n, {dimensions})")
    kind = array.dtype
    if (kind is not _F64 and kind not in _NATIVE) or (dtype is not None and kind != dtype):
        array = _floats(array, name, copy, dtype)
        kind = array.dtype
    count, axes = shape
    address = address_of(array)
    stride, step = array.strides
    y = address + step if axes > 1 else 0
    z = address + 2 * step if axes > 2 else 0
    packed = _as_points(_pack_points(address, y, z, stride, count, _NATIVE[kind], axes))
    return Points(packed, (array,), count, axes, kind)


def numbers(values: Any, name: str, count: int, dtype: Any, copy: bool = True) -> Any:
    """An array (count,) of a type, read where it lies if it can be; a single number stands for all."""
    array = np.asarray(values)
    if array.ndim == 0:
        array = np.broadcast_to(array, (count,))
    if array.shape != (count,):
        raise ValueError(f"{name}: {_describe(array)}, expected one for each point, shape ({count},)")
    return _floats(array, name, copy, dtype)


def scalars_as_points(values: Any) -> Any:
    """Numbers as points on a line, for libmote."""
    return _as_points(
        _pack_points(address_of(values), 0, 0, values.strides[0], values.shape[0], _NATIVE[values.dtype], 1)
    )


def whole_numbers(values: Any, name: str) -> Any:
    """An array (n,) of uint32, contiguous."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{name}: {_describe(array)}, expected shape (n,)")
    if array.dtype == np.uint32:
        return np.ascontiguousarray(array)
    if array.dtype == np.bool_:
        return np.flatnonzero(array).astype(np.uint32)
    if array.size == 0:
        return np.zeros(0, np.uint32)
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name}: {_describe(array)}, expected whole numbers, or a mask of bools")
    lowest, highest = int(array.min()), int(array.max())
    if lowest < 0 or highest > 0xFFFFFFFF:
        raise ValueError(f"{name}: {lowest if lowest < 0 else highest}, expected numbers of points, 0 to 2^32 - 1")
    return array.astype(np.uint32)


def vectors_f64(values: Any, name: str, count: Optional[int] = None) -> Any:
    """An array (n, 3) of float64 in C order, as meshes have them; the same array if it is one."""
    array = _as_array(values, name, True)
    if array.shape == (0,):
        array = np.zeros((0, 3))
    if array.ndim != 2 or array.shape[1] != 3 or (count is not None and array.shape[0] != count):
        raise ValueError(f"{name}: {_describe(array)}, expected shape ({'n' if count is None else count}, 3)")
    if _number_type(array) is None:
        raise ValueError(f"{name}: {_describe(array)}, expected numbers")
    return np.ascontiguousarray(array, dtype=_F64)


def address_of(array: Any) -> int:
    """Where an array begins. The first way is the fastest, and open to arrays in C order that may be written to."""
    try:
        return _address(_from_buffer(array))
    except (TypeError, ValueError, BufferError):
        return int(array.ctypes.data)


class _Memory:
    """Memory that numpy may look at as long as `owner` lives."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, address: int, shape: Tuple[int, ...], typestr: str, owner: Any, read_only: bool) -> None:
        self.__array_interface__ = {"data": (address, read_only), "shape": shape, "typestr": typestr, "version": 3}
        self.owner = owner


def view(address: Optional[int], shape: Tuple[int, ...], typestr: str, owner: Any, read_only: bool = True) -> Any:
    """A numpy array over memory of libmote's, which keeps `owner` alive. Without memory, an empty array."""
    if not address or 0 in shape:
        array = np.empty(shape if 0 in shape else (0,) + shape[1:], typestr)
        array.flags.writeable = not read_only
        return array
    return np.asarray(_Memory(address, shape, typestr, owner, read_only))


def text_of(value: Optional[bytes]) -> str:
    """A text of libmote's."""
    return (value or b"").decode("utf-8", "replace")


def vec3(values: Any, name: str) -> _abi.mote_vec3:
    """Three numbers."""
    array = np.asarray(values, dtype=_F64)
    if array.shape != (3,):
        raise ValueError(f"{name}: {_describe(array)}, expected three numbers")
    return _abi.mote_vec3(*map(float, array))


def byte_array(data: bytes) -> Any:
    """Bytes that a call may read."""
    return (ctypes.c_char * max(len(data), 1)).from_buffer_copy(data or b"\0")
