# SPDX-License-Identifier: MIT
"""Field tables of libmote: what keywords a def has, their defaults, ranges, units and meaning."""

from __future__ import annotations

import ctypes
import inspect
import math
from typing import Any, Callable, Dict, List, NamedTuple, Tuple

import numpy as np

from . import _abi
from ._library import lib
from ._points import text_of, vec3

__all__ = ["Field", "describe", "fields_of", "fill", "with_fields"]


class Field(NamedTuple):
    """A field of a def: a keyword, in Python."""

    name: str
    type: int
    unit: str
    offset: int
    required: bool
    derived: bool
    default: Any
    expected: str  # "a number above 0 [m]"
    choices: Tuple[str, ...]
    meaning: str
    native: int  # where libmote has it


def _choices(address: Any) -> Tuple[str, ...]:
    found: List[str] = []
    if address:
        names = ctypes.cast(address, ctypes.POINTER(ctypes.c_char_p))
        while names[len(found)] is not None:
            found.append(text_of(names[len(found)]))
    return tuple(found)


def _default(field: _abi.mote_field, choices: Tuple[str, ...]) -> Any:
    first = field.initial[0]
    if field.type == _abi.MOTE_FIELD_BOOL:
        return bool(first)
    if field.type in (_abi.MOTE_FIELD_INT, _abi.MOTE_FIELD_SEED):
        return int(first) if math.isfinite(first) else None
    if field.type == _abi.MOTE_FIELD_CHOICE:
        return choices[int(first)]
    if field.type == _abi.MOTE_FIELD_TEXT:
        return text_of(field.initial_text) or None
    if field.flags & (_abi.MOTE_FIELD_REQUIRED | _abi.MOTE_FIELD_DERIVED) or math.isnan(first):
        return None
    if field.type == _abi.MOTE_FIELD_VECTOR:
        return tuple(field.initial)
    return float(first)


def fields_of(table: Callable[[], Any]) -> Dict[str, Field]:
    """The fields of a table, by name."""
    struct = _abi.mote_field_table.from_address(table())
    assert struct.fields
    array = (_abi.mote_field * struct.count).from_address(struct.fields)
    found = {}
    for field in array:
        text = ctypes.create_string_buffer(200)
        lib.mote_field_expected_text(ctypes.byref(field), text, len(text))
        choices = _choices(field.choices)
        name = text_of(field.name)
        found[name] = Field(
            name,
            field.type,
            text_of(field.unit),
            field.offset,
            bool(field.flags & _abi.MOTE_FIELD_REQUIRED),
            bool(field.flags & _abi.MOTE_FIELD_DERIVED),
            _default(field, choices),
            text_of(text.value),
            choices,
            text_of(field.meaning),
            ctypes.addressof(field),
        )
    return found


def describe(fields: Dict[str, Field]) -> str:
    """The part of a docstring that follows from a table."""
    lines = []
    for field in fields.values():
        default = "required" if field.required else "derived" if field.derived else f"default {field.default!r}"
        lines.append(f"{field.name} : {field.expected}, {default}")
        lines.append(f"    {field.meaning}")
    return "\n".join(lines)


def _nearest(name: str, names: List[str]) -> str:
    words = (ctypes.c_char_p * (len(names) + 1))(*[one.encode() for one in names], None)
    found = lib.mote_nearest_word(name.encode("utf-8", "replace"), words)
    return f", did you mean {text_of(found)}?" if found else f", expected one of {', '.join(names)}"


def _value(field: Field, value: Any, what: str, kept: List[Any]) -> Any:
    """The ctypes value of a keyword; ValueError says what it should be."""
    try:
        if field.type == _abi.MOTE_FIELD_BOOL:
            if value not in (True, False):
                raise TypeError
            return ctypes.c_bool(bool(value))
        if field.type == _abi.MOTE_FIELD_INT:
            number = value.__index__()
            if not -(2**31) <= number < 2**31:
                raise TypeError
            return ctypes.c_int32(number)
        if field.type == _abi.MOTE_FIELD_SEED:
            return ctypes.c_uint64(value.__index__())
        if field.type == _abi.MOTE_FIELD_CHOICE:
            return ctypes.c_int32(field.choices.index(value))
        if field.type == _abi.MOTE_FIELD_TEXT:
            text = ctypes.c_char_p(value.encode())
            kept.append(text)
            return text
        if field.type == _abi.MOTE_FIELD_VECTOR:
            return vec3(value, f"{what}: {field.name}")
        if isinstance(value, (str, bytes, bool, np.bool_)):
            raise TypeError
        return ctypes.c_double(float(value))
    except (TypeError, ValueError, AttributeError, OverflowError):
        raise ValueError(f"{what}: {field.name} is {value!r}, expected {field.expected}") from None


def fill(struct: Any, fields: Dict[str, Field], values: Dict[str, Any], what: str) -> List[Any]:
    """Writes keywords into a def; None leaves the default. Returns what the def's texts lie in."""
    kept: List[Any] = []
    for name, value in values.items():
        field = fields.get(name)
        if field is None:
            raise ValueError(f"{what}: unknown keyword {name!r}{_nearest(name, list(fields))}")
        if value is None:
            continue
        made = _value(field, value, what, kept)
        ctypes.memmove(ctypes.addressof(struct) + field.offset, ctypes.addressof(made), ctypes.sizeof(made))
        if field.type == _abi.MOTE_FIELD_INT and not lib.mote_field_is_valid(field.native, ctypes.byref(struct)):
            raise ValueError(f"{what}: {field.name} is {value!r}, expected {field.expected}")
    return kept


def with_fields(function: Any, fields: Dict[str, Field], mark: str = "{fields}") -> None:
    """Puts a table into the docstring of a class or function at `mark`, and into the signature of its keywords."""
    text = inspect.cleandoc(function.__doc__ or "")
    function.__doc__ = text.replace(mark, describe(fields))
    target = function.__init__ if inspect.isclass(function) else function
    signature = inspect.signature(target)
    parameters = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
    known = {one.name for one in parameters}
    for field in fields.values():
        if field.name not in known:
            parameters.append(inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default))
    shown = [one for one in parameters if one.name != "self"] if inspect.isclass(function) else parameters
    order = sorted(shown, key=lambda one: one.kind)
    function.__signature__ = signature.replace(parameters=order, return_annotation=signature.empty)
