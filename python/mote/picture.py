# SPDX-License-Identifier: MIT
"""Pictures of particles and meshes, drawn without a display."""

from __future__ import annotations

import ctypes
import os
from typing import Any, List, Optional, Sequence, Union

import numpy as np

from . import _abi
from ._checks import number, objects, real_array, value_text, whole
from ._context import Context, context_for
from ._fields import fields_of, fill
from ._library import check, io, lib
from ._points import address_of, numbers, read_points, vec3
from .mesh import Mesh

__all__ = ["Picture", "render"]


class Picture(np.ndarray):  # type: ignore[type-arg]
    """A picture: (height, width, 3) uint8, sRGB, rows from the top down. Notebooks show it."""

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        """What numpy makes of pictures: numbers, arrays, and pictures again."""
        if array is self:
            return array
        plain = np.asarray(array)
        return plain[()] if plain.ndim == 0 else plain.view(Picture) if _is_picture(plain) else plain

    def _repr_png_(self) -> Optional[bytes]:
        return png_bytes(self) if _is_picture(self) else None

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes a PNG file, complete or not at all. ValueError: a name that does not end in .png, or a part of a
        picture that is none itself."""
        if not os.fsencode(path).lower().endswith(b".png"):
            raise ValueError(f"save: {os.fspath(path)!r}, expected a name that ends in .png")
        if not _is_picture(self):
            raise ValueError(f"save: {value_text(np.asarray(self))}, expected (height, width, 3) of uint8")
        array, error = np.ascontiguousarray(self), _abi.mote_error()
        check(
            io.mote_png_write(
                None, os.fsencode(path), address_of(array), array.shape[1], array.shape[0], ctypes.byref(error)
            ),
            error,
        )


def _is_picture(array: Any) -> bool:
    return bool(array.ndim == 3 and array.shape[2] == 3 and array.dtype == np.uint8)


def png_bytes(rgb: Any) -> bytes:
    """A picture as the bytes of a PNG file, for those who have no file."""
    import struct
    import zlib

    array = np.ascontiguousarray(rgb)
    height, width = array.shape[:2]
    rows = np.zeros((height, 1 + 3 * width), np.uint8)
    rows[:, 1:] = array.reshape(height, -1)

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows.tobytes(), 6))
        + chunk(b"IEND", b"")
    )


def render(
    points: Any = None,
    *,
    radius: Optional[float] = None,
    colors: Any = None,
    meshes: Union[Mesh, Sequence[Mesh]] = (),
    box: Any = None,
    size: Any = (960, 720),
    time: Optional[float] = None,
    label: Optional[str] = None,
    scalar_name: Optional[str] = None,
    scalar_unit: str = "",
    context: Optional[Context] = None,
    **fields: Any,
) -> Picture:
    """Draws points as lit spheres, and meshes.

    Parameters
    ----------
    points : array_like, shape (n, d) [m], optional
        Those that are not finite are left out.
    radius : float, optional
        Of the spheres [m]; default: half of the mean distance of that many points in their box.
    colors : array_like, shape (n,), optional
        A number for each point, coloured from `speed_min` to `speed_max`; default: of the least and the largest.
    meshes : Mesh, or list of Mesh
    box : array_like, shape (2, 3), optional
        What the picture is about [m]; default: all that is drawn.
    size : (width, height) [pixel]
    time : float, optional
        Written into the picture [s].
    label, scalar_name, scalar_unit : str
        A text below the time, and what the colours are: the legend.
    context
        See `mote.Context`.

    Further keywords are the fields of `mote_render_def` (mote/render.h): eye, target, up, field_of_view, background,
    title, floor, shadows, tank, text, samples, …

    Returns
    -------
    Picture
        (height, width, 3) uint8.

    Raises
    ------
    ValueError
        A keyword or value that there is not.
    mote.Unsupported
        libmote-io is not there, or the machine has no OpenGL 3.3: the text says what was tried. On Debian, libegl1 and
        libgl1-mesa-dri draw without a graphics card.
    """
    table = fields_of(io.mote_render_fields)
    definition = io.mote_render_default_def()
    width, height = _size(size)
    texts: List[Any] = fill(definition, table, {"width": width, "height": height, **fields}, "render")
    listed: List[Mesh] = objects(meshes, Mesh, "meshes")
    owner = context_for(context, None, None)
    picture, layer, arrays = io.mote_picture_default(), io.mote_layer_default(), []
    dimensions = 3
    if points is not None:
        given = read_points(points, "points")
        arrays += list(given.arrays)
        layer.points = given.struct
        dimensions = given.dimensions
        if colors is not None:
            values = np.ascontiguousarray(numbers(colors, "colors", given.size, np.dtype(np.float32)))
            arrays.append(values)
            layer.scalars, layer.scalar_stride = address_of(values), values.strides[0]
            known = values[np.isfinite(values)]
            if "speed_min" not in fields and len(known):
                definition.speed_min = float(known.min())
            if "speed_max" not in fields and len(known):
                definition.speed_max = max(float(known.max()), definition.speed_min + 1e-30)
        picture.layers, picture.layer_count = ctypes.addressof(layer), 1
    corners = _box(box, points, listed)
    if radius is None:
        layer.radius = _usual_radius(corners, points)
    else:
        layer.radius = number(radius, "radius", "a number above 0 [m]")
    definition.box = _abi.mote_box(vec3(corners[0], "box"), vec3(corners[1], "box"))
    picture.box = definition.box
    definition.dimensions = 3
    if box is None:
        for name in ("tank", "floor"):
            if name not in fields:
                setattr(definition, name, False)
    names = [
        ctypes.c_char_p(_text(scalar_name or "", "scalar_name")),
        ctypes.c_char_p(_text(scalar_unit, "scalar_unit")),
        ctypes.c_char_p(_text(label or "", "label")),
    ]
    if scalar_name is not None:
        definition.scalar_name, definition.scalar_unit = names[0].value, names[1].value
    if label is not None:
        picture.label = names[2].value
    if time is not None:
        picture.time = number(time, "time", "a number [s]")
    made, error = ctypes.c_void_p(), _abi.mote_error()
    check(
        io.mote_render_create(
            owner.native.pointer, ctypes.byref(definition), ctypes.byref(made), ctypes.byref(error)
        ),
        error,
    )
    try:
        for mesh in listed:
            check(io.mote_render_add_mesh(made.value, mesh._pointer, None, None, ctypes.byref(error)), error)
        rgb = np.empty((definition.height, definition.width, 3), np.uint8)
        check(io.mote_render_frame(made.value, ctypes.byref(picture), address_of(rgb), ctypes.byref(error)), error)
    finally:
        io.mote_render_destroy(made.value)
    del texts, arrays, names, dimensions
    return rgb.view(Picture)


def _size(size: Any) -> Any:
    expected = "(width, height), two whole numbers [pixel]"
    try:
        width, height = size
    except (TypeError, ValueError):
        raise ValueError(f"size: {value_text(size)}, expected {expected}") from None
    return tuple(whole(one, "size", expected, -(2**31), 2**31 - 1) for one in (width, height))


def _text(value: Any, name: str) -> bytes:
    if not isinstance(value, str) or "\0" in value:
        raise ValueError(f"{name} is {value_text(value)}, expected a text without zero bytes")
    return value.encode()


def _box(box: Any, points: Any, meshes: List[Mesh]) -> Any:
    if box is not None:
        corners = real_array(box, "box", "(2, 3) numbers: the lower and the upper corner")
        if corners.shape != (2, 3):
            raise ValueError(f"box: shape {corners.shape}, expected (2, 3): the lower and the upper corner")
        return corners
    found = [mesh.box for mesh in meshes if len(mesh.vertices)]
    if points is not None:
        given = read_points(points, "points")
        if given.size:
            whole = np.zeros((2, 3))
            places = np.stack([axis for axis in given.arrays], 1) if len(given.arrays) > 1 else given.arrays[0]
            finite = places[np.all(np.isfinite(places), axis=1)]
            if len(finite):
                whole[0, : given.dimensions], whole[1, : given.dimensions] = finite.min(0), finite.max(0)
                found.append(whole)
    if not found:
        return np.array([[0.0, 0, 0], [1, 1, 1]])
    low, high = np.min([one[0] for one in found], 0), np.max([one[1] for one in found], 0)
    least = max(float((high - low).max()), 1e-6) * 1e-3
    return np.array([low - least, high + least])


def _usual_radius(corners: Any, points: Any) -> float:
    count = max(len(points) if points is not None and hasattr(points, "__len__") else 1, 1)
    extent = np.sort(corners[1] - corners[0])[::-1]
    flat = extent[2] < 0.01 * extent[0]
    mean = (extent[0] * extent[1] / count) ** 0.5 if flat else float(np.prod(extent) / count) ** (1 / 3)
    return float(0.5 * mean) or 1e-3
