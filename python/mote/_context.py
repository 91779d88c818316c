# SPDX-License-Identifier: MIT
"""Contexts: how many threads and how much memory the objects made with them may use, and where their log goes."""

from __future__ import annotations

import ctypes
import os
import threading
from typing import Any, Callable, Dict, List, Optional

from . import _abi
from ._library import check, lib

__all__ = ["Context", "Native", "memory_limit"]

_SIZE_MAX = ctypes.c_size_t(-1).value


def _tell(_user_data: Any, text: bytes) -> None:
    import logging  # at the first warning: it takes a tenth of the time that importing mote does

    logger = logging.getLogger("mote")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())  # without one, logging itself would print
    logger.warning("%s", text.decode("utf-8", "replace"))


_log = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)(_tell)  # kept for ever, as contexts hold its address
_LOG_ADDRESS = ctypes.cast(_log, ctypes.c_void_p).value


class Native:
    """A libmote object, and the call that ends it once nothing needs it any more.

    Kept lists outlive their search and everything outlives its user's names, but nothing may outlive its context.
    Python calls finalizers of a cycle in any order, so objects count who needs them themselves. Lists are counters
    whose append and pop are one step, in threads of any kind of Python."""

    __slots__ = ("pointer", "_destroy", "_parents", "_holds", "_alive", "__weakref__")

    def __init__(self, pointer: Any, destroy: Callable[[Any], Any], *parents: "Native") -> None:
        self.pointer = pointer
        self._destroy = destroy
        self._parents = parents
        self._holds: List[None] = [None]
        self._alive: List[None] = [None]
        for parent in parents:
            parent.hold()

    def hold(self) -> None:
        self._holds.append(None)

    def release(self) -> None:
        """Takes back a hold, or the one that the object began with."""
        try:
            self._holds.pop()
            if self._holds:
                return
            self._alive.pop()
        except IndexError:
            return
        self._destroy(self.pointer)
        for parent in self._parents:
            parent.release()


def _read_number(path: str) -> Optional[int]:
    try:
        with open(path, encoding="ascii") as file:
            text = file.read().strip()
    except (OSError, ValueError):
        return None
    return int(text) if text.isdigit() else None


def _control_group_limits() -> List[int]:
    """Limits of this process' control groups, of both versions and on every level."""
    folders = [("/sys/fs/cgroup", "memory.max"), ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")]
    try:
        with open("/proc/self/cgroup", encoding="utf-8") as file:
            lines = file.read().splitlines()
    except OSError:
        lines = []
    for line in lines:
        _, controllers, path = (line.split(":", 2) + ["", ""])[:3]
        root, name = folders[0] if not controllers else folders[1]
        if controllers and "memory" not in controllers.split(","):
            continue
        parts = [part for part in path.split("/") if part and part != ".."]
        for depth in range(1, len(parts) + 1):
            folders.append(("/".join([root] + parts[:depth]), name))
    found = [_read_number(f"{folder}/{name}") for folder, name in folders]
    return [limit for limit in found if limit]


def memory_limit() -> int:
    """The bytes of memory of the machine, or of the container that this process runs in, whichever is less."""
    try:
        pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        pages = size = 0
    limits = _control_group_limits() + ([pages * size] if pages > 0 and size > 0 else [])
    return min(limits) if limits else _SIZE_MAX


_default_bytes: List[int] = []


def default_max_bytes() -> int:
    """80 % of memory_limit(), found out once."""
    if not _default_bytes:
        limit = memory_limit()
        _default_bytes.append(limit if limit == _SIZE_MAX else limit // 10 * 8)
    return _default_bytes[0]


class Context:
    """Threads and a byte budget that objects share.

    Every class takes `threads` and `max_bytes`, and makes a context of its own from them; objects that shall share
    their threads and one budget are given the same `context` instead. What libmote warns of goes to the logger
    "mote".

    Parameters
    ----------
    threads : int, optional
        Threads that work, including the calling one. Default: one for each processor that the process may use.
    max_bytes : int, optional
        Memory that all objects of the context may hold together [bytes]; a call that needs more raises MemoryError
        and leaves the object usable. Default: 80 % of the machine's memory, or of the container's.

    Raises
    ------
    ValueError
        `threads` is not 1 or more, or `max_bytes` is negative.
    MemoryError
        The budget has no room for the context itself.
    """

    __slots__ = ("native", "__weakref__")

    def __init__(self, threads: Optional[int] = None, max_bytes: Optional[int] = None) -> None:
        definition = lib.mote_context_default_def()
        if threads is not None:
            if not 1 <= _whole("threads", threads) <= 4096:
                raise ValueError(f"context: threads is {threads}, expected 1 to 4096")
            definition.thread_count = threads
        if max_bytes is not None and _whole("max_bytes", max_bytes) < 0:
            raise ValueError(f"context: max_bytes is {max_bytes}, expected 0 or more")
        definition.max_bytes = min(default_max_bytes() if max_bytes is None else int(max_bytes), _SIZE_MAX)
        definition.log.message = _LOG_ADDRESS
        made, error = ctypes.c_void_p(), _abi.mote_error()
        check(lib.mote_context_create(ctypes.byref(definition), ctypes.byref(made), ctypes.byref(error)), error)
        self.native = Native(made.value, lib.mote_context_destroy)

    def __del__(self) -> None:
        native = getattr(self, "native", None)
        if native is not None:
            native.release()

    @property
    def byte_count(self) -> int:
        """The bytes that the objects of this context hold now."""
        return int(lib.mote_context_byte_count(self.native.pointer))

    @property
    def allocation_count(self) -> int:
        """How often the objects of this context have allocated memory so far."""
        return int(lib.mote_context_allocation_count(self.native.pointer))

    @property
    def threads(self) -> int:
        """The number of threads that work, including the calling one."""
        return int(lib.mote_context_worker_count(self.native.pointer))

    @property
    def simd(self) -> str:
        """The instruction set of the loops: "avx2", "avx512", "simd128", "plain". Results have the same bits."""
        name: bytes = lib.mote_simd_name(lib.mote_context_simd(self.native.pointer))
        return name.decode()

    def __repr__(self) -> str:
        return f"<mote.Context: {self.threads} threads, {self.byte_count} bytes in use>"


def _whole(name: str, value: Any) -> int:
    try:
        return int(value.__index__())
    except (AttributeError, TypeError):
        pass
    if isinstance(value, float) and value.is_integer():  # 1e9 bytes
        return int(value)
    raise ValueError(f"context: {name} is {value!r}, expected a whole number")


_shared: Dict[Optional[int], Context] = {}
_shared_lock = threading.Lock()


def _forget_shared_lock() -> None:
    global _shared_lock
    _shared_lock = threading.Lock()


if hasattr(os, "register_at_fork"):  # another thread may have held it
    os.register_at_fork(after_in_child=_forget_shared_lock)


def context_for(context: Optional[Context], threads: Optional[int], max_bytes: Optional[int]) -> Context:
    """The context that an object is made with: the one given, one of its own, or one that all of them share."""
    if context is not None:
        if not isinstance(context, Context):
            raise ValueError(f"context is {context!r}, expected a mote.Context")
        if threads is not None or max_bytes is not None:
            raise ValueError("context: expected either a context or threads and max_bytes, which it has already")
        return context
    if max_bytes is not None:
        return Context(threads, max_bytes)
    try:
        return _shared[threads]
    except (KeyError, TypeError):
        pass
    with _shared_lock:
        if threads not in _shared:
            _shared[threads] = Context(threads)
        return _shared[threads]
