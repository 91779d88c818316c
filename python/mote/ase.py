# SPDX-License-Identifier: MIT
"""Neighbour lists under ASE's names: the same arguments, results and types, from mote's search."""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import Any, Dict, Optional, Tuple

import numpy as np

from ._checks import number, real_array, value_text, whole
from ._context import Context
from .neighbors import Neighbors

__all__ = ["neighbor_list", "primitive_neighbor_list"]

_KEPT = 4  # searches that a thread keeps for its next calls, at most,
_KEPT_PAIRS = 1 << 20  # with their memory, unless it was large
_local = threading.local()


def neighbor_list(
    quantities: str,
    a: Any,
    cutoff: Any,
    self_interaction: bool = False,
    max_nbins: float = 1e6,
    *,
    threads: Optional[int] = None,
    max_bytes: Optional[int] = None,
    context: Optional[Context] = None,
) -> Any:
    """The neighbour list of atoms, as ``ase.neighborlist.neighbor_list`` gives it.

    Parameters
    ----------
    quantities : str
        ``i`` first atom, ``j`` second atom, ``d`` distance, ``D`` vector from i to j's image, ``S`` the cell shift:
        ``D = a.positions[j] - a.positions[i] + S @ a.cell``.
    a : ase.Atoms, or anything with `positions`, `cell`, `pbc` and, for cutoffs by species, `numbers`
        Atoms may lie outside the cell, the cell may be skewed, each direction periodic or not.
    cutoff : float, dict, or array (n,)
        One cutoff; one for each pair of species, ``{("H", "O"): 1.1, (8, 8): 2.4}``; or a radius for each atom, where
        atoms whose spheres overlap are neighbours. Atoms at exactly the cutoff are not neighbours, as with ASE.
    self_interaction : bool
        Whether each atom is its own neighbour, too.
    max_nbins
        Ignored: there is no limit to what a search can hold but `max_bytes`.
    threads, max_bytes, context
        See `mote.Context`.

    Returns
    -------
    array, or tuple of arrays
        i and j int64, S int64 (n, 3), d and D float64; ascending by i. As with ASE, a row has no order to rely on; it
        is the same in every call, and for any number of threads.

    Raises
    ------
    ValueError
        An unknown letter or species, positions that are not finite, a flat cell, a negative cutoff.

    Each thread keeps a few searches with their memory, so that calls for similar atoms need not make them again.
    """
    try:
        pbc, cell, positions = a.pbc, a.cell, a.positions
    except AttributeError:
        raise ValueError(f"a: {value_text(a)}, expected atoms, with positions, cell and pbc") from None
    cell = getattr(cell, "array", cell)  # of ASE's, which is slow to convert
    if hasattr(a, "get_cell") and not all(map(any, np.asarray(cell).tolist())):
        cell = a.get_cell(complete=True)
    numbers = getattr(a, "numbers", None)
    return primitive_neighbor_list(
        quantities,
        pbc,
        cell,
        positions,
        cutoff,
        numbers,
        self_interaction,
        threads=threads,
        max_bytes=max_bytes,
        context=context,
    )


def primitive_neighbor_list(
    quantities: str,
    pbc: Any,
    cell: Any,
    positions: Any,
    cutoff: Any,
    numbers: Any = None,
    self_interaction: bool = False,
    use_scaled_positions: bool = False,
    max_nbins: float = 1e6,
    *,
    threads: Optional[int] = None,
    max_bytes: Optional[int] = None,
    context: Optional[Context] = None,
) -> Any:
    """The same from arrays, as ``ase.neighborlist.primitive_neighbor_list``: periodic directions, the cell's vectors as
    rows, positions (n, 3), or scaled ones. See `neighbor_list`."""
    if not isinstance(quantities, str):
        raise ValueError(f"neighbor_list: quantities are {value_text(quantities)}, expected a text of i, j, d, D, S")
    letters, columns = _plan(quantities)
    box = real_array(cell, "cell", "its vectors as rows, shape (3, 3), or three lengths")
    box = np.diag(box) if box.shape == (3,) else box
    if box.shape != (3, 3):
        raise ValueError(f"cell: shape {box.shape}, expected its vectors as rows, shape (3, 3), or three lengths")
    where = real_array(positions, "positions", "numbers of shape (n, 3)")
    if where.shape == (0,):
        where = where.reshape(0, 3)
    if where.ndim != 2 or where.shape[1] != 3:
        raise ValueError(f"positions: shape {where.shape}, expected (n, 3)")
    if use_scaled_positions:
        where = where @ box
    largest, radii, by_species = _cutoffs(cutoff, numbers, len(where))
    needed = letters
    if by_species is not None or self_interaction:
        needed, columns = _plan("ij" + letters + ("d" if by_species is not None else ""))
    periodic = _directions(pbc)
    if not all(periodic.tolist()):
        box = np.where(periodic[:, None], box, 0.0)
    keywords: Dict[str, Any] = dict(
        periodic=box,
        pbc=periodic,
        columns=columns,
        open_ball=True,
        threads=threads,
        max_bytes=max_bytes,
        context=context,
    )
    if radii is None and largest <= 0:
        found = {
            letter: np.empty((0, 3) if letter in "DS" else 0, np.float64 if letter in "dD" else np.int64)
            for letter in needed
        }
    else:
        arrays = _pairs(needed, where, largest, radii, keywords)
        if needed == quantities and by_species is None and not self_interaction:
            return arrays
        found = dict(zip(needed, arrays if len(needed) > 1 else (arrays,)))
    if by_species is not None:
        species, limits = by_species
        within = found["d"] < limits[species[found["i"]], species[found["j"]]]
        found = {letter: array[within] for letter, array in found.items()}
    if self_interaction:
        found = _with_selves(found, len(where), largest, radii, by_species)
    result = tuple(found[letter] for letter in quantities)
    return result[0] if len(result) == 1 else result


def _directions(pbc: Any) -> Any:
    """Which directions are periodic: (3,) bool."""
    given: Any = pbc
    if type(given) is not np.ndarray:
        try:
            given = np.asarray(given)
        except ValueError:
            given = np.empty(0)
    if given.dtype.kind not in "biuf" or given.shape not in ((3,), (), (1,)):
        raise ValueError(f"pbc: {value_text(pbc)}, expected True, False, or one of them for each of 3 directions")
    given = given.astype(bool)
    return given if given.shape == (3,) else np.broadcast_to(given, (3,))


@lru_cache(64)
def _plan(quantities: str) -> Tuple[str, str]:
    """The quantities, each once, and the column of the rows that they need: distances follow from vectors."""
    for letter in quantities:
        if letter not in "ijdDS":
            raise ValueError(f"neighbor_list: quantity {letter!r}, expected some of i, j, d, D, S")
    if not quantities:
        raise ValueError("neighbor_list: no quantity, expected some of i, j, d, D, S")
    letters = "".join(dict.fromkeys(quantities))
    return letters, next((letter for letter in "Dd" if letter in letters), "")


def _pairs(letters: str, where: Any, radius: float, radii: Any, keywords: Dict[str, Any]) -> Any:
    """The pairs as `Neighbors.pairs` gives them, with shifts of 64 bits."""
    if radii is not None:
        search = Neighbors(radii=radii, radius_rule="sum", **keywords)
        return search.update(where).pairs(letters, shift_dtype=np.int64)
    if keywords["context"] is not None or keywords["max_bytes"] is not None:
        return Neighbors(radius, **keywords).update(where).pairs(letters, shift_dtype=np.int64)
    box = keywords["periodic"]
    shape = (box + 0.0).tobytes()  # no zero has a sign
    key = (keywords["columns"], keywords["threads"], any(shape))
    kept: Dict[Any, Any] = _local.__dict__.setdefault("kept", {})
    # Whoever interrupts this call finds none, and makes its own; so does the next call after an error.
    search, last = kept.pop(key, (None, None))
    if search is None:
        search = Neighbors(radius, **keywords)
    else:
        if search.radius != radius:
            search.radius = radius
        if shape != last:
            search.set_periodic(box)
    arrays = search.update(where).pairs(letters, shift_dtype=np.int64)
    pairs = len(arrays[0] if isinstance(arrays, tuple) else arrays)
    if pairs <= _KEPT_PAIRS and len(where) <= _KEPT_PAIRS:
        while len(kept) >= _KEPT:
            kept.pop(next(iter(kept)))
        kept[key] = (search, shape)
    return arrays


def _cutoffs(cutoff: Any, numbers: Any, count: int) -> Tuple[float, Any, Any]:
    """The largest cutoff; radii of the atoms; or the species of the atoms with a table of cutoffs."""
    if isinstance(cutoff, dict):
        if numbers is None:
            raise ValueError("cutoff: given by species, expected atomic numbers, too")
        species = np.asarray(numbers)
        if species.shape != (count,) or (count and species.dtype.kind not in "iu"):
            raise ValueError(
                f"numbers: {value_text(species)}, expected an atomic number for each atom, shape ({count},)"
            )
        return _by_species(cutoff, species)
    if np.ndim(cutoff) == 0:
        return _checked(cutoff, "cutoff"), None, None
    radii = real_array(cutoff, "cutoff", f"a radius for each atom, shape ({count},)")
    if radii.shape != (count,):
        raise ValueError(
            f"cutoff: an array of shape {radii.shape}, expected a radius for each atom, shape ({count},)"
        )
    for value in radii[~(np.isfinite(radii) & (radii >= 0))][:1]:
        _checked(float(value), "cutoff")
    # A sphere without radius still meets others; libmote's radii are larger than 0.
    return float(radii.max(initial=0.0)), np.maximum(radii, 2.0**-480), None


def _checked(value: Any, name: str) -> float:
    return number(value, name, "a finite number, 0 or more", 0.0, finite=True)


def _by_species(cutoff: Dict[Any, Any], numbers: Any) -> Tuple[float, Any, Any]:
    kinds, species = np.unique(numbers, return_inverse=True)
    place = {int(kind): k for k, kind in enumerate(kinds)}
    limits = np.zeros((len(kinds), len(kinds)))
    largest = 0.0
    for pair, value in cutoff.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ValueError(f"cutoff: key {pair!r}, expected a pair of species, ('H', 'O') or (1, 8)")
        limit = _checked(value, f"cutoff of {pair}")
        first, second = (place.get(_atomic_number(one)) for one in pair)
        if first is None or second is None:
            continue
        limits[first, second] = limits[second, first] = limit
    largest = float(limits.max(initial=0.0))
    return largest, None, (species, limits)


def _atomic_number(species: Any) -> int:
    if isinstance(species, str):
        from ase.data import atomic_numbers

        if species not in atomic_numbers:
            raise ValueError(f"cutoff: species {species!r}, expected a chemical symbol or an atomic number")
        return int(atomic_numbers[species])
    return whole(species, "cutoff: species", "a chemical symbol or an atomic number")


def _with_selves(found: Dict[str, Any], count: int, largest: float, radii: Any, by_species: Any) -> Dict[str, Any]:
    """Adds every atom as its own neighbour, in front of its row, where the cutoff has room for a distance of 0."""
    own = np.arange(count)
    if by_species is not None:
        species, limits = by_species
        own = own[limits[species, species] > 0]
    elif radii is None and largest <= 0:
        own = own[:0]
    keys = np.concatenate([own, found["i"]])
    order = np.argsort(keys, kind="stable")
    empty = {
        "i": own,
        "j": own,
        "d": np.zeros(len(own)),
        "D": np.zeros((len(own), 3)),
        "S": np.zeros((len(own), 3), np.int64),
    }
    return {letter: np.concatenate([empty[letter], array])[order] for letter, array in found.items()}
