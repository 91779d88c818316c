# SPDX-License-Identifier: MIT
"""What a search finds: rows of neighbours in libmote's own memory, and pairs."""

from __future__ import annotations

import ctypes
import struct
from collections import deque
from typing import Any, Deque, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _abi
from ._checks import value_text
from ._context import Context, Native
from ._library import check, lib
from ._points import address_of, view

__all__ = ["Row", "Rows", "Stored"]

_BLOCK = 1 << 16  # rows that are looked at together, so that no large array is made
_empty = np.empty
_FEW = 1 << 13  # numbers in an array whose memory is not worth keeping
_SPARE = 8  # arrays whose memory is kept, at most


class Spare:
    """Memory of arrays that were handed out and that nothing refers to any more: the next ones lie in it.

    Fresh pages of memory cost more than what is written to them. Arrays may die in any thread, and at any moment; a
    deque gives each to one taker alone."""

    __slots__ = ("_memory",)

    def __init__(self) -> None:
        self._memory: Deque[Any] = deque()

    def give(self, memory: Any) -> None:
        self._memory.append(memory)
        while len(self._memory) > _SPARE:
            try:
                self._memory.popleft()
            except IndexError:
                return

    def take(self, size: int) -> Any:
        """The smallest that is large enough: else arrays of several sizes would take each other's memory."""
        others: List[Any] = []
        best: Any = None
        for _ in range(len(self._memory)):
            try:
                memory = self._memory.popleft()
            except IndexError:
                break
            if size <= memory.size <= (2 * size if best is None else best.size - 1):
                best, memory = memory, best
            if memory is not None:
                others.append(memory)
        self._memory.extend(others)
        return np.empty(size + size // 16, np.uint8) if best is None else best

    def array(self, shape: Any, dtype: Any) -> Any:
        """An array with any content, like numpy.empty."""
        few = shape[0] * shape[1] if isinstance(shape, tuple) else shape
        if few < _FEW:
            return _empty(shape, dtype)
        kind = np.dtype(dtype)
        size = kind.itemsize * few
        return np.asarray(Lent(self.take(size), shape if isinstance(shape, tuple) else (shape,), kind.str, self))


class Lent:
    """What an array in memory of `Spare` refers to."""

    __slots__ = ("__array_interface__", "_memory", "_spare")

    def __init__(self, memory: Any, shape: Tuple[int, ...], typestr: str, spare: Spare) -> None:
        address = memory.__array_interface__["data"][0]
        self.__array_interface__ = {"data": (address, False), "shape": shape, "typestr": typestr, "version": 3}
        self._memory, self._spare = memory, spare

    def __del__(self) -> None:
        self._spare.give(self._memory)


class SearchHandle:
    """A search of libmote's, and the lists that were taken from it and are not needed any more.

    An array may die in any thread, also while the search is at work; so its lists wait here for the next call. After
    the search they are destroyed. Whoever appends looks at `closed` behind that, and whoever closes drains behind
    that: no list is forgotten, and a deque gives each to one of them alone."""

    __slots__ = ("pointer", "native", "pending", "closed", "spare")

    def __init__(self, pointer: int, context: Context) -> None:
        self.pointer = pointer
        self.native = Native(pointer, lib.mote_neighbors_destroy, context.native)
        self.pending: Deque[int] = deque()
        self.closed = False
        self.spare = Spare()  # of pairs

    def give_back(self) -> None:
        """Lets the search use the memory of lists that nothing refers to. Only between two calls of the search."""
        while self.pending:
            try:
                kept = self.pending.popleft()
            except IndexError:
                return
            lib.mote_neighbors_give_lists(self.pointer, kept, None)

    def drain(self) -> None:
        while self.pending:
            try:
                kept = self.pending.popleft()
            except IndexError:
                return
            lib.mote_kept_lists_destroy(kept)

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            self.drain()
            self.native.release()


class Kept:
    """Lists that were taken from their search. Every array that shows them refers to this object."""

    __slots__ = ("search", "pointer", "context", "__weakref__")

    def __init__(self, search: SearchHandle, pointer: int, context: Native) -> None:
        context.hold()
        self.search, self.pointer, self.context = search, pointer, context

    def __del__(self) -> None:
        search = self.search
        search.pending.append(self.pointer)
        if search.closed:
            search.drain()
        self.context.release()


class Row(NamedTuple):
    """A row: the neighbours of one point; None for what was not asked for."""

    indices: Any  #: (m,) uint32
    distances: Optional[Any]  #: (m,) in the points' type [m]
    vectors: Optional[Any]  #: (m, 3) from the point to its neighbour [m]
    shifts: Optional[Any]  #: (m, 3) int32: periods to add to the neighbour


class Stored(NamedTuple):
    """Rows as they lie in memory: row i is ``indices[starts[i] : starts[i] + counts[i]]``, and so on.

    Rows lie in the order in which they were found. Between them there may be unused entries, which hold anything."""

    starts: Any  #: (n,) uint64
    counts: Any  #: (n,) uint32
    indices: Any  #: uint32
    squared: Optional[Any]  #: squared distances in the points' type [m²]
    vectors: Optional[Any]  #: (…, 3) in the points' type [m]
    shifts: Optional[Any]  #: (…, 3) int32


_LETTERS = "ijdDS"
_F32, _F64 = np.dtype(np.float32).str, np.dtype(np.float64).str
_INT32, _INT64, _UINT32 = np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.uint32)
# The members of mote_pair_arrays in their order, the last four of them flags; packing takes less than setting them.
_PLACES = {"i": 0, "j": 1, "d": 2, "2": 3, "D": 4, "S": 5}
_WIDE_SHIFTS = 6
PACKED_ARRAYS = struct.Struct("@PPPPPPPPQ????0P")
_pack_arrays = PACKED_ARRAYS.pack
_byref, _uint64, _int64 = ctypes.byref, ctypes.c_uint64, np.int64
_NAMES = {"d": "distances", "D": "vectors", "S": "shifts"}


def check_letters(letters: str) -> None:
    """Raises ValueError for a letter that pairs do not have, or none."""
    if not isinstance(letters, str):
        raise ValueError(f"pairs: letters are {value_text(letters)}, expected a text of some of i, j, d, D, S")
    for letter in letters:
        if letter not in _LETTERS:
            raise ValueError(f"pairs: letter {letter!r}, expected some of i, j, d, D, S")
    if not letters:
        raise ValueError("pairs: no letter, expected some of i, j, d, D, S")


class Rows(Sequence[Any]):
    """Neighbours of many points, in rows.

    ``rows[i]`` is the array of the neighbours of point i: a view of libmote's memory, without a copy. All arrays are
    read-only, and stay as they are as long as anything refers to them, whatever becomes of the search. When nothing
    does, the search uses their memory again.

    The flat arrays `offsets`, `indices`, `distances`, `vectors` and `shifts` hold the rows one behind the other, in
    the order of the points: row i is ``indices[offsets[i]:offsets[i + 1]]``. Searches find rows in another order, by
    cell; so each of these is put together when it is first asked for, in parallel (one copy of its size), unless the
    rows lie in this order anyway. `stored` shows the memory as it is, without any copy.
    """

    __slots__ = (
        "_kept", "_lists", "_context", "_typestr", "_first", "_cache", "_periodic", "_either", "_order", "_spare",
        "_shared", "_search", "_is_other", "_room",
    )  # fmt: skip

    def __init__(
        self,
        kept: Optional[Kept],
        lists: _abi.mote_lists,
        context: Context,
        is_f64: bool,
        first: Optional[int],
        periodic: bool,
        either: bool,
        order: Optional[int] = None,
        spare: Optional[Spare] = None,
    ) -> None:
        self._kept, self._lists, self._context = kept, lists, context
        self._first, self._is_other = first or 0, first is None  # other rows than those of all points, or a chunk
        self._typestr = _F64 if is_f64 else _F32
        self._periodic, self._either, self._order = periodic, either, order
        self._spare = spare if kept is None else kept.search.spare
        self._cache: Dict[str, Any] = {}
        self._shared: Any = None
        self._search: Optional[int] = None  # a search that writes the pairs itself
        self._room = 0  # pairs that are expected

    def share(self, to_lists: Any, error: Any, to_error: Any) -> None:
        """For rows that are asked by one call at a time: lets all of them pass the same references."""
        count = _uint64()
        self._shared = to_lists, count, _byref(count), error, to_error

    def _numbers(self) -> int:
        """Where the point of each row stands, as libmote wants it: 0 if row i is that of point i."""
        if self._order is None and self._first:
            points = np.arange(self._first, self._first + len(self), dtype=np.uint32)
            self._order = address_of(self._cache.setdefault("points", points))  # the first one, in any thread
        return self._order or 0

    def _references(self) -> Any:
        """The lists, a count and an error, and references to them, for a call of libmote's."""
        if self._shared is not None:
            return self._shared
        count, error = _uint64(), _abi.mote_error()
        return _byref(self._lists), count, _byref(count), error, _byref(error)

    # ---------------------------------------------------------------------------------------------- as they lie

    @property
    def first_point(self) -> int:
        """The point that row 0 belongs to: 0, but for chunks."""
        return self._first

    @property
    def total(self) -> int:
        """The number of neighbours in all rows."""
        return int(self._lists.total)

    def __len__(self) -> int:
        return int(self._lists.count)

    def __reduce__(self) -> Any:
        raise TypeError("mote.Rows: cannot be pickled or copied, expected their arrays (offsets, indices, …)")

    def __repr__(self) -> str:
        return f"<mote.Rows: {self.total} neighbours of {len(self)} points>"

    def _column(self, name: str, address: Optional[int], length: int, typestr: str, width: int = 0) -> Any:
        if name not in self._cache:
            self._cache[name] = view(address, (length, width) if width else (length,), typestr, self._kept)
        return self._cache[name]

    @property
    def counts(self) -> Any:
        """Neighbours of each point: (n,) uint32, without a copy."""
        return self._column("counts", self._lists.counts, len(self), "u4")

    @property
    def _starts(self) -> Any:
        return self._column("starts", self._lists.first, len(self), "u8")

    def _extent(self) -> int:
        """How far the rows reach in memory."""
        if "extent" not in self._cache:
            most, starts, counts = 0, self._starts, self.counts
            for begin in range(0, len(self), _BLOCK):
                some = counts[begin : begin + _BLOCK]
                ends = np.where(some > 0, starts[begin : begin + _BLOCK] + some, 0)
                most = max(most, int(ends.max()))
            self._cache["extent"] = most
        return int(self._cache["extent"])

    @property
    def stored(self) -> Stored:
        """The rows as they lie in memory, without a copy."""
        lists, extent = self._lists, self._extent()
        squared = lists.squared or lists.squared_f64
        vectors = lists.differences or lists.differences_f64
        return Stored(
            self._starts,
            self.counts,
            self._column("raw", lists.indices, extent, "u4"),
            self._column("raw squared", squared, extent, self._typestr) if squared else None,
            self._column("raw vectors", vectors, extent, self._typestr, 3) if vectors else None,
            self._column("raw shifts", lists.shifts, extent, "i4", 3) if self._periodic else None,
        )

    def _has(self, letter: str) -> bool:
        """Whether pairs can have vectors (D), or distances (d), which follow from vectors."""
        lists = self._lists
        has_vectors = bool(lists.differences or lists.differences_f64)
        return has_vectors or (letter == "d" and bool(lists.squared or lists.squared_f64))

    def _place(self, i: int) -> Tuple[int, int]:
        count = len(self)
        if not -count <= i < count:
            raise IndexError(f"row {i}, expected one of {count}")
        begin = int(self._starts[i])
        return begin, begin + int(self.counts[i])

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        try:
            begin, end = self._place(i.__index__())
        except AttributeError:
            raise TypeError(f"rows are numbered by whole numbers, not by {i!r}") from None
        return self._column("raw", self._lists.indices, self._extent(), "u4")[begin:end]

    def __iter__(self) -> Iterator[Any]:
        raw = self._column("raw", self._lists.indices, self._extent(), "u4")
        for begin in range(0, len(self), _BLOCK):
            starts = self._starts[begin : begin + _BLOCK].tolist()
            for start, count in zip(starts, self.counts[begin : begin + _BLOCK].tolist()):
                yield raw[start : start + count]

    def row(self, i: int) -> Row:
        """Row i with its distances, vectors and shifts, as far as they were asked for. Only distances are copied."""
        begin, end = self._place(i)
        stored = self.stored
        return Row(
            stored.indices[begin:end],
            None if stored.squared is None else np.sqrt(stored.squared[begin:end]),
            None if stored.vectors is None else stored.vectors[begin:end],
            None if stored.shifts is None else stored.shifts[begin:end],
        )

    # ------------------------------------------------------------------------------------------- one behind the other

    @property
    def offsets(self) -> Any:
        """Where the row of each point begins in the flat arrays: (n + 1,) int64."""
        if "offsets" not in self._cache:
            offsets = np.zeros(len(self) + 1, np.int64)
            np.cumsum(self.counts, out=offsets[1:])
            self._cache["offsets"] = _read_only(offsets)
        return self._cache["offsets"]

    def _is_in_order(self) -> bool:
        if "in order" not in self._cache:
            counts = self.counts
            self._cache["in order"] = self._extent() == self.total and bool(
                np.all((self._starts == self.offsets[:-1]) | (counts == 0))
            )
        return bool(self._cache["in order"])

    def _flat(self, letter: str, name: str) -> Any:
        if name in self._cache:
            return self._cache[name]
        if letter in "dD" and not self._has(letter) and self.total:
            raise ValueError(
                f"rows: {name}, which these rows do not have, expected Neighbors(…, columns={letter!r}) or "
                f"rows({letter!r})"
            )
        found = None
        if letter in "jDS" and self._is_in_order():
            stored = self.stored
            found = {"j": stored.indices, "D": stored.vectors, "S": stored.shifts}[letter]
        if found is None:
            (found,) = self._write(letter, self._new(letter, self.total, np.uint32))
        self._cache[name] = _read_only(found)
        return found

    @property
    def indices(self) -> Any:
        """The neighbours, row after row: (total,) uint32."""
        return self._flat("j", "indices")

    @property
    def distances(self) -> Any:
        """Their distances, row after row: (total,) in the points' type [m]. Only if they were asked for."""
        return self._flat("d", "distances")

    @property
    def vectors(self) -> Any:
        """Vectors from each point to its neighbours, row after row: (total, 3) in the points' type [m]."""
        return self._flat("D", "vectors")

    @property
    def shifts(self) -> Any:
        """Periods to add to each neighbour, row after row: (total, 3) int32; zeros without a periodic box."""
        return self._flat("S", "shifts")

    # ------------------------------------------------------------------------------------------------------- pairs

    def _write(self, letters: str, arrays: List[Any], half: bool = False, ordered: bool = False) -> List[Any]:
        """Lets libmote fill an array for each letter; returns the parts that are filled."""
        to_lists, count, to_count, error, to_error = self._references()
        first: Dict[str, Any] = {}
        zeros: List[Any] = []
        places = [0] * 7
        capacity = len(arrays[0]) if arrays else 0
        is_wide = False
        for letter, array in zip(letters, arrays):
            if len(array) < capacity:
                capacity = len(array)
            if letter == "S" and not self._periodic:
                zeros.append(array)
            elif letter not in first:  # a letter that comes twice is copied below
                first[letter] = array
                place = _PLACES[letter]
                if place < 2:
                    is_wide = array.itemsize == 8
                elif place == 5 and array.itemsize == 8:
                    place = _WIDE_SHIFTS
                places[place] = address_of(array)
        to = _pack_arrays(*places, self._numbers(), capacity, is_wide, half, ordered, False)
        if self._search is None:
            result = lib.mote_lists_to_pairs(self._context.native.pointer, to_lists, to, to_count, to_error)
        else:
            result = lib.mote_neighbors_pairs(self._search, to, to_count, to_error)
        if result:
            check(result, error)
        filled = count.value
        if zeros and capacity < filled:
            raise ValueError(f"pairs: room for {capacity}, expected at least {filled}")
        for array in zeros:
            array[:filled] = 0
        if len(first) + len(zeros) < len(arrays):
            for letter, array in zip(letters, arrays):
                if letter in first and first[letter] is not array:
                    array[:filled] = first[letter][:filled]
        return [array if len(array) == filled else array[:filled] for array in arrays]

    def squared_pairs(self) -> Tuple[Any, Any, Any]:
        """i, j (int64) and squared distances as the test has them, for comparisons with squared radii."""
        arrays = [np.empty(self.total, np.int64), np.empty(self.total, np.int64), np.empty(self.total, self._typestr)]
        i, j, squared = self._write("ij2", arrays)
        return i, j, squared

    def _new(self, letters: str, count: int, kind: Any, shift_kind: Any = np.int32) -> List[Any]:
        make: Any = _empty if self._spare is None or 3 * count < _FEW else self._spare.array
        if letters == "ij":
            return [make(count, kind), make(count, kind)]
        types = {"i": kind, "j": kind, "S": shift_kind, "d": self._typestr, "D": self._typestr}
        return [make((count, 3) if letter in "DS" else count, types[letter]) for letter in letters]

    def _half_count(self) -> int:
        to, count, error = _abi.mote_pair_arrays(), ctypes.c_uint64(), _abi.mote_error()
        to.half = True
        to.points = self._numbers() or None
        check(
            lib.mote_lists_to_pairs(
                self._context.native.pointer,
                ctypes.byref(self._lists),
                ctypes.byref(to),
                ctypes.byref(count),
                ctypes.byref(error),
            ),
            error,
        )
        return int(count.value)

    def fill_from_search(self, search: int, letters: str, out: Any, dtype: Any, shift_dtype: Any) -> Any:
        """All pairs of a search, which are found and written without rows that hold everything."""
        _, count, to_count, error, to_error = self._references()
        result = lib.mote_neighbors_pairs(search, None, to_count, to_error)
        if result:
            check(result, error)
        self._lists.total, self._search = count.value, search
        try:
            return self._fill(letters, False, out, dtype, shift_dtype, False)
        finally:
            self._search = None

    def pairs(
        self,
        letters: str = "ij",
        half: bool = False,
        out: Any = None,
        dtype: Any = np.int64,
        shift_dtype: Any = np.int32,
    ) -> Any:
        """The rows as pairs: an array for each letter, all of one length, in the order of the rows.

        Parameters
        ----------
        letters : str
            ``i`` the number of the row, ``j`` the neighbour, ``d`` the distance [m], ``D`` the vector from i to j's
            image (3 numbers [m]), ``S`` periods to add to j (3 numbers). Distances and vectors only if the search was
            asked for them; distances also if it was asked for vectors.
        half : bool
            Each pair once, j > i; and of a point's own images those with a positive shift. Not for rows of a subset, a
            query or the nearest points.
        out : array or sequence of arrays, optional
            Where to write, instead of new arrays: one for each letter, C-contiguous, of the types that this returns
            (i and j: int64 or uint32; shifts: int32 or int64), with room for all pairs.
        dtype : int64 or uint32
            Of new arrays for i and j.
        shift_dtype : int32 or int64
            Of a new array for shifts.

        Returns
        -------
        array, or tuple of arrays
            For several letters a tuple. Without `out` they belong to the caller and may be written to; with `out` they
            are the parts of those arrays that were filled.

        Raises
        ------
        ValueError
            An unknown letter, a column that the rows do not have, arrays of another type or with too little room.
        MemoryError
            No memory for the pairs.

        Cost: the pairs are read once and written once, in parallel.
        """
        check_letters(letters)
        if half and self._is_other:
            raise ValueError("pairs: half, of rows that are not those of all points, expected half=False")
        for letter in "dD":
            if letter in letters and not self._has(letter) and self.total:
                raise ValueError(
                    f"pairs: {_NAMES[letter]} ({letter!r}), which these rows do not have, expected "
                    f"Neighbors(…, columns={letter!r}) or rows({letter!r})"
                )
        return self._fill(letters, half, out, dtype, shift_dtype)

    def _fill(self, letters: str, half: bool, out: Any, dtype: Any, shift_dtype: Any, plain: bool = True) -> Any:
        """The same for letters that were checked and columns that the rows have."""
        if plain and letters == "ij" and out is None and dtype is _int64 and not half and not self._first:
            return self._plain_pairs()
        if out is None:
            kind = _INT64 if dtype is np.int64 else np.dtype(dtype)
            if kind is not _INT64 and kind not in (_INT64, _UINT32):
                raise ValueError(f"pairs: dtype is {kind}, expected int64 or uint32")
            shift_kind = _INT32 if shift_dtype is np.int32 else np.dtype(shift_dtype)
            if shift_kind is not _INT32 and shift_kind not in (_INT32, _INT64):
                raise ValueError(f"pairs: shift_dtype is {shift_kind}, expected int32 or int64")
            arrays = self._new(letters, self._half_count() if half else self._lists.total, kind, shift_kind)
        else:
            arrays = self._check_out(letters, [out] if isinstance(out, np.ndarray) else list(out))
        found = self._write(letters, arrays, half, self._either)
        return found[0] if len(letters) == 1 else tuple(found)

    def _plain_pairs(self) -> Tuple[Any, Any]:
        """i and j (int64) of all rows, without the detours of the general case: small calls are mostly these."""
        to_lists, _, to_count, error, to_error = self._references()
        total = self._lists.total
        make: Any = _empty if self._spare is None or total < _FEW else self._spare.array
        i, j = make(total, _INT64), make(total, _INT64)
        to = _pack_arrays(
            address_of(i), address_of(j), 0, 0, 0, 0, 0, self._order or 0, total, True, False, self._either, False
        )
        result = lib.mote_lists_to_pairs(self._context.native.pointer, to_lists, to, to_count, to_error)
        if result:
            check(result, error)
        return i, j

    def pairs_while_found(self, search: int) -> Tuple[Any, Any]:
        """i and j (int64) of a search with half rows, in the order of cells: written while rows are found.

        How many they are is known only then. Searches mostly find as many as before, so there is room for a few more;
        what was too short for them is filled in a second call."""
        _, count, to_count, error, to_error = self._references()
        make: Any = _empty if self._spare is None else self._spare.array
        room = self._room
        while True:
            i, j = make(room, _INT64), make(room, _INT64)
            to = _pack_arrays(address_of(i), address_of(j), 0, 0, 0, 0, 0, 0, room, True, False, True, True)
            result = lib.mote_neighbors_pairs(search, to, to_count, to_error)
            filled: int = count.value
            if not result:
                break
            if result != _abi.MOTE_ERROR_ARGUMENT or filled <= room:
                check(result, error)
            room = filled
        self._room = filled + filled // 64 + 1
        if 2 * filled < room:  # else a small result would hold the memory of a large one
            return i[:filled].copy(), j[:filled].copy()
        return (i, j) if filled == room else (i[:filled], j[:filled])

    def _check_out(self, letters: str, arrays: List[Any]) -> List[Any]:
        if len(arrays) != len(letters):
            raise ValueError(f"out: {len(arrays)} arrays, expected one for each of {', '.join(letters)}")
        kinds = set()
        for letter, array in zip(letters, arrays):
            allowed = {"i": ("int64", "uint32"), "j": ("int64", "uint32"), "S": ("int32", "int64")}.get(
                letter, (np.dtype(self._typestr).name,)
            )
            shape = (3,) if letter in "DS" else ()
            if (
                not isinstance(array, np.ndarray)
                or array.dtype.name not in allowed
                or array.shape[1:] != shape
                or array.ndim != 1 + len(shape)
            ):
                raise ValueError(
                    f"out: {getattr(array, 'dtype', type(array))} {getattr(array, 'shape', '')} for "
                    f"{letter}, expected {' or '.join(allowed)} of shape (pairs, 3)"[: -3 if not shape else None]
                    + ("" if shape else ")")
                )
            if not array.flags.c_contiguous or not array.flags.writeable or not array.flags.aligned:
                raise ValueError(f"out: the array for {letter}, expected a writable one in C order")
            if letter in "ij":
                kinds.add(array.dtype)
        for k, array in enumerate(arrays):
            if any(np.may_share_memory(array, other) for other in arrays[:k]):
                raise ValueError("out: arrays that share memory, expected one of its own for each letter")
        if len(kinds) > 1:
            raise ValueError("out: i and j of different types, expected int64 or uint32 for both")
        return arrays

    def table(self, k: int, fill: Optional[int] = None) -> Tuple[Any, Any]:
        """Rows of at most k entries as two arrays (n, k): distances, filled up with inf, and indices, filled up with
        `fill` (default: 2^32 - 1). For the k nearest."""
        count, missing = len(self), 0xFFFFFFFF if fill is None else fill
        if self.total == count * k:
            distances, indices = (
                self.pairs("dj") if count * k else (np.empty(0, self._typestr), np.empty(0, np.int64))
            )
            return distances.reshape(count, k), indices.reshape(count, k)
        full_d, full_i = np.full((count, k), np.inf, self._typestr), np.full((count, k), missing, np.int64)
        if self.total:
            if int(self.counts.max()) > k:
                raise ValueError(f"table: a row has {int(self.counts.max())} entries, expected at most {k}")
            places = np.arange(k) < self.counts[:, None]
            full_d[places], full_i[places] = self.pairs("dj")
        return full_d, full_i


def _read_only(array: Any) -> Any:
    array.flags.writeable = False
    return array
