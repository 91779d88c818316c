# SPDX-License-Identifier: MIT
"""Finds and loads libmote and libmote-io, and turns their errors into exceptions."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from typing import Any, Dict, Iterator, List, Optional, Tuple

from . import _abi

__all__ = ["Library", "StateError", "Unstable", "Unsupported", "check", "io", "lib"]


class Unsupported(NotImplementedError):
    """What was asked for is not offered: by the method, by this build of libmote, or on this machine."""


class StateError(ValueError):
    """The object is not ready for this call: a search without points, a view of a step that is over."""


class Unstable(ArithmeticError):
    """A simulation blew up."""


_FOLDER = os.path.dirname(os.path.abspath(__file__))
_IO_HEADERS = ("scene.h", "import.h", "output.h", "render.h")
_IO_HINT = (
    "files, scenes and pictures need libmote-io, which {why}. It is built from mote's sources: install Debian's "
    "libjansson-dev, libpng-dev, zlib1g-dev, libepoxy-dev, libegl-dev and libfreetype-dev (scripts/setup.sh does), "
    "then cmake -DMOTE_PYTHON=ON and cmake --install, or name its folder in MOTE_LIBRARY"
)


def _file_names(stem: str) -> List[str]:
    if sys.platform == "darwin":
        return [f"lib{stem}.dylib"]
    if sys.platform == "win32":
        return [f"{stem}.dll", f"lib{stem}.dll"]
    return [f"lib{stem}.so"]


def _soname(stem: str) -> str:
    major, minor = _abi.VERSION.split(".")[:2]
    if sys.platform == "darwin":
        return f"lib{stem}.{major}.{minor}.dylib"
    return _file_names(stem)[0] + ("" if sys.platform == "win32" else f".{major}.{minor}")


def _below(folder: str, names: List[str]) -> List[str]:
    return [os.path.join(folder, name) for name in names]


def _candidates(stem: str) -> Iterator[Tuple[str, bool]]:
    """Files in the order in which they are tried, and whether that one was demanded."""
    names = [_soname(stem)] + _file_names(stem)
    asked = os.environ.get("MOTE_LIBRARY")
    if asked:
        if os.path.isdir(asked):
            found = [path for path in _below(asked, names) if os.path.exists(path)]
            yield found[0] if found else os.path.join(asked, names[-1]), True
        elif stem == "mote":
            yield asked, True
        else:
            for path in _below(os.path.dirname(asked), names):
                if os.path.exists(path):
                    yield path, True
        return
    # Beside the package's files: a wheel. Two folders up: build/release/python/mote. Then where CMake installed it.
    folders = [os.path.join(_FOLDER, "lib"), _FOLDER, os.path.dirname(os.path.dirname(_FOLDER))]
    note = os.path.join(_FOLDER, "library_folder.txt")
    if os.path.exists(note):
        with open(note, encoding="utf-8") as file:
            folders.insert(0, os.path.join(_FOLDER, file.read().strip()))
    for folder in folders:
        for path in _below(folder, names):
            if os.path.exists(path):
                yield path, False
    yield _soname(stem), False


class Library:
    """The functions of a shared library. They are bound at their first use, with the types of the table."""

    def __init__(self, stem: str) -> None:
        self._stem = stem
        self._handle: Optional[ctypes.CDLL] = None
        self.path = ""

    def load(self) -> ctypes.CDLL:
        """Loads the library if that was not done; ImportError says what was tried."""
        if self._handle is not None:
            return self._handle
        tried: List[str] = []
        for path, demanded in _candidates(self._stem):
            try:
                handle = ctypes.CDLL(path)
            except OSError as error:
                tried.append(str(error))
                continue
            self.path = path
            self._handle = handle
            return handle
        raise ImportError(
            f"mote {_abi.VERSION} for Python needs lib{self._stem} {_abi.VERSION}, but found none; tried: "
            + "; ".join(tried or ["the folder of MOTE_LIBRARY"])
            + ". MOTE_LIBRARY may name the file"
        )

    def __getattr__(self, name: str) -> Any:
        entry = _abi.FUNCTIONS.get(name)
        if entry is None:
            raise AttributeError(name)
        function = getattr(self.load(), name)
        function.restype, function.argtypes = entry[1], entry[2]
        setattr(self, name, function)
        return function


class _IoLibrary(Library):
    def load(self) -> ctypes.CDLL:
        if self._handle is None:
            try:
                super().load()
            except ImportError as error:
                raise Unsupported(_IO_HINT.format(why=f"could not be loaded ({error})")) from None
        assert self._handle is not None
        return self._handle


lib = Library("mote")
io = _IoLibrary("mote-io")


def _check_version() -> None:
    handle = lib.load()
    try:
        handle.mote_version.restype = ctypes.c_char_p
        found = handle.mote_version().decode()
    except AttributeError:
        found = "unknown (it has no mote_version)"
    if found != _abi.VERSION:
        raise ImportError(
            f"mote {_abi.VERSION} for Python needs libmote {_abi.VERSION}, but {lib.path} is version {found}",
            path=lib.path,
        )


_check_version()

_RESULTS = _abi.ENUMS["mote_result"]
_EXCEPTIONS: Dict[int, Any] = {
    _abi.MOTE_ERROR_OUT_OF_MEMORY: MemoryError,
    _abi.MOTE_ERROR_UNSUPPORTED: Unsupported,
    _abi.MOTE_ERROR_STATE: StateError,
    _abi.MOTE_ERROR_FILE: OSError,
    _abi.MOTE_ERROR_UNSTABLE: Unstable,
}


def fail(result: int, error: _abi.mote_error) -> None:
    """Raises what belongs to a result, with libmote's sentence. The exception's `index` is the element at fault."""
    text = error.text.decode("utf-8", "replace") if error.result == result else ""
    if not text:
        text = lib.mote_result_text(result).decode()
    if error.line and f"line {error.line}" not in text:
        text += f" (line {error.line}, column {error.column})" if error.column else f" (line {error.line})"
    kind = _EXCEPTIONS.get(result, ValueError)
    is_missing = kind is OSError and "there is no such file" in text
    exception = (FileNotFoundError if is_missing else kind)(text)
    if is_missing:
        exception.errno = errno.ENOENT
    exception.index, exception.line, exception.column = error.index, error.line, error.column
    raise exception


def check(result: int, error: _abi.mote_error) -> None:
    """Does nothing after MOTE_OK, else as fail()."""
    if result:
        fail(result, error)
