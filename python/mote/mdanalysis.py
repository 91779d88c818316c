# SPDX-License-Identifier: MIT
"""Pairs within a distance under MDAnalysis' names (MDAnalysis.lib.distances)."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np

from ._checks import check_finite, number, real_array
from ._context import Context
from .tree import KDTree

__all__ = ["capped_distance", "self_capped_distance"]


def capped_distance(
    reference: Any,
    configuration: Any,
    max_cutoff: float,
    min_cutoff: Optional[float] = None,
    box: Any = None,
    method: Optional[str] = None,
    return_distances: bool = True,
    *,
    threads: Optional[int] = None,
    max_bytes: Optional[int] = None,
    context: Optional[Context] = None,
) -> Any:
    """Pairs of a reference and a configuration position that are at most `max_cutoff` apart.

    Parameters
    ----------
    reference, configuration : array_like, shape (3,) or (n, 3), or an AtomGroup
        Compared in double precision, whatever their type.
    max_cutoff, min_cutoff : float
        Pairs with min_cutoff < distance <= max_cutoff.
    box : array_like, shape (6,), optional
        Lengths and angles in degrees, [lx, ly, lz, alpha, beta, gamma], as everywhere in MDAnalysis. Positions may lie
        outside. The nearest image counts, also where the cutoff exceeds half of the box.
    method
        Ignored.
    return_distances : bool
    threads, max_bytes, context
        See `mote.Context`.

    Returns
    -------
    pairs : array, shape (pairs, 2), int64
        Ascending by reference, then configuration.
    distances : array, shape (pairs,), float64
        If `return_distances`.
    """
    first, second = _positions(reference, "reference"), _positions(configuration, "configuration")
    tree = KDTree(second, boxsize=_cell(box), threads=threads, max_bytes=max_bytes, context=context)
    return _within(tree, first, max_cutoff, min_cutoff, return_distances, False)


def self_capped_distance(
    reference: Any,
    max_cutoff: float,
    min_cutoff: Optional[float] = None,
    box: Any = None,
    method: Optional[str] = None,
    return_distances: bool = True,
    *,
    threads: Optional[int] = None,
    max_bytes: Optional[int] = None,
    context: Optional[Context] = None,
) -> Any:
    """Pairs of positions of one set, each once, i < j. All else as `capped_distance`."""
    positions = _positions(reference, "reference")
    tree = KDTree(positions, boxsize=_cell(box), threads=threads, max_bytes=max_bytes, context=context)
    return _within(tree, positions, max_cutoff, min_cutoff, return_distances, True)


def _positions(values: Any, name: str) -> Any:
    array = real_array(getattr(values, "positions", values), name, "numbers of shape (3,) or (n, 3)")
    if array.shape == (3,):
        array = array[None, :]
    if array.shape == (0,):
        array = array.reshape(0, 3)
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"{name}: shape {array.shape}, expected (3,) or (n, 3)")
    check_finite((array,), name)
    return array


def _cell(box: Any) -> Any:
    """The edges of a box as rows: the first along x, the second in the plane of x and y."""
    if box is None:
        return None
    values = real_array(box, "box", "six numbers: lx, ly, lz, alpha, beta, gamma")
    if values.shape != (6,):
        raise ValueError(f"box: shape {values.shape}, expected (6,): lx, ly, lz, alpha, beta, gamma")
    lengths, angles = values[:3], values[3:]
    if not np.any(values):
        return None
    if np.any(lengths < 0) or np.any(angles <= 0) or np.any(angles >= 180) or not np.all(np.isfinite(values)):
        raise ValueError(
            f"box: {values.tolist()}, expected lengths of 0 or more and angles between 0 and 180 degrees"
        )
    alpha, beta, gamma = (0.0 if angle == 90 else float(np.cos(np.radians(angle))) for angle in angles)
    sine = float(np.sqrt(1 - gamma * gamma))
    lx, ly, lz = lengths
    third = np.array([beta, (alpha - beta * gamma) / sine, 0.0])
    rest = 1 - third @ third
    if rest <= 0:
        raise ValueError(f"box: angles {angles.tolist()}, which no box has")
    third[2] = np.sqrt(rest)
    return np.array([[lx, 0, 0], [ly * gamma, ly * sine, 0], lz * third])


def _within(tree: KDTree, queries: Any, most: float, least: Optional[float], distances: bool, own: bool) -> Any:
    radius = number(most, "max_cutoff", "0 or more", 0.0)
    least = None if least is None else number(least, "min_cutoff", "a number, or None")
    i, j, squared = tree._within(queries, radius, radius * radius)
    keep = i < j if own else np.ones(len(i), bool)
    found = np.sqrt(squared)
    if least is not None:
        keep &= found > least
    pairs, found = np.stack([i[keep], j[keep]], axis=1), found[keep]
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    result: Tuple[Any, Any] = (pairs[order], found[order])
    return result if distances else result[0]
