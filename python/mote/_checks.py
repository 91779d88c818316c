# SPDX-License-Identifier: MIT
"""What callers give: each error says its name, what it is, and what was expected."""

from __future__ import annotations

from numbers import Real
from typing import Any, Iterable, Tuple

import numpy as np

from ._library import StateError

__all__ = ["at", "check_finite", "flag", "number", "objects", "real_array", "value_text", "whole"]

_SHOWN = 60  # characters of a value, at most


def value_text(value: Any) -> str:
    """A value as errors name it."""
    if isinstance(value, np.ndarray) and value.ndim > 0:
        return f"an array of shape {value.shape} and dtype {value.dtype}"
    text = repr(value.item() if isinstance(value, np.generic) else value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def at(index: int, text: str) -> Any:
    """An error with the number of the element at fault, as libmote's have it."""
    error: Any = ValueError(text)
    error.index = index
    return error


def number(value: Any, name: str, expected: str = "a number", least: float = -np.inf, finite: bool = False) -> float:
    """A real number, of Python's or numpy's, not below `least`; texts that look like one are none."""
    found = np.nan
    if not isinstance(value, (str, bytes, complex, np.complexfloating)):
        try:
            found = float(value) if np.ndim(value) == 0 else found
        except (TypeError, ValueError, OverflowError):
            pass
    if not found >= least or (finite and not np.isfinite(found)):
        raise ValueError(f"{name} is {value_text(value)}, expected {expected}")
    return found


def whole(value: Any, name: str, expected: str = "a whole number", least: int = 0, most: int = 2**64 - 1) -> int:
    """A whole number, of Python's or numpy's, from `least` to `most`."""
    try:
        found = int(value.__index__())
    except (AttributeError, TypeError):
        found = least - 1
    if not least <= found <= most:
        raise ValueError(f"{name} is {value_text(value)}, expected {expected}")
    return found


def flag(value: Any, name: str, *others: Any) -> Any:
    """True or False, or one of other values."""
    if isinstance(value, (bool, np.bool_)) or (isinstance(value, int) and value in (0, 1)):
        return bool(value)
    if not any(isinstance(value, type(other)) and value == other for other in others):
        raise ValueError(f"{name} is {value_text(value)}, expected {', '.join(map(repr, (True, False) + others))}")
    return value


def objects(values: Any, kind: Any, name: str) -> Any:
    """A list of objects of a kind, from one or several."""
    if isinstance(values, kind):
        return [values]
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise ValueError(f"{name}: {value_text(values)}, expected a mote.{kind.__name__}, or a list of them")
    found = list(values)
    for k, one in enumerate(found):
        if not isinstance(one, kind):
            raise ValueError(f"{name}: {value_text(one)} as number {k}, expected a mote.{kind.__name__}")
    return found


def real_array(values: Any, name: str, expected: str) -> Any:
    """An array of float64 from real numbers; the same array if it is one."""
    try:
        array = np.asarray(values)
    except StateError:
        raise
    except ValueError as error:
        raise ValueError(f"{name}: {error}, expected {expected}") from None
    if array.dtype.kind == "O" and all(isinstance(one, Real) for one in array.flat):
        array = array.astype(np.float64)
    if array.dtype.kind not in "fiub":
        what = value_text(array) if array.ndim else value_text(values)
        raise ValueError(f"{name}: {what}, expected {expected}")
    return np.asarray(array, np.float64)


def check_finite(arrays: Tuple[Any, ...], name: str, chosen: Any = None) -> None:
    """Refuses points with a coordinate that is not finite; the exception's `index` is the first of them.

    arrays  one (n, d), or one for each axis
    chosen  a mask of those that count; default: all
    """
    with np.errstate(all="ignore"):  # a sum may overflow, but no infinity or NaN gets lost in it
        if np.isfinite(sum(float(array.sum()) for array in arrays)):
            return
    bad = ~np.isfinite(arrays[0] if arrays[0].ndim == 2 else np.stack(arrays, axis=1))
    if chosen is not None:
        bad &= chosen[:, None]
    if not np.any(bad):
        return
    point, axis = divmod(int(np.argmax(bad)), bad.shape[1])
    value = arrays[0][point, axis] if arrays[0].ndim == 2 else arrays[axis][point]
    raise at(point, f"{name}: coordinate {'xyz'[axis]} of point {point} is {value:g}, expected a finite number")
