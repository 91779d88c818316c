# SPDX-License-Identifier: MIT
"""All pairs by trying every one, in numpy: what searches are compared with."""

import itertools

import numpy as np


def cell_of(periodic):
    cell = np.zeros((3, 3))
    if periodic is None:
        return cell
    given = np.asarray(periodic, float)
    given = np.diag(np.full(3, float(given))) if given.ndim == 0 else np.diag(given) if given.ndim == 1 else given
    cell[: len(given), : len(given)] = given
    return cell


def brute_pairs(points, radius, cell=None, queries=None, closed=True):
    """The set of (i, j, sx, sy, sz) within a radius, by the distance test of mote/neighbors.h."""
    points = np.asarray(points)
    own = queries is None
    queries = points if own else np.asarray(queries, points.dtype)
    cell = np.zeros((3, 3)) if cell is None else cell
    dims = points.shape[1]
    kind = points.dtype.type
    limit = kind(radius) * kind(radius)
    reach = []
    everything = np.concatenate([points, queries]).astype(float)
    extent = np.linalg.norm(everything.max(0) - everything.min(0)) if len(everything) else 0.0
    edges = cell[np.any(cell != 0, axis=1)]
    heights = 1 / np.linalg.norm(np.linalg.pinv(edges), axis=0) if len(edges) else []
    heights = iter(heights)
    for axis in range(3):
        if np.any(cell[axis]):
            most = int(np.ceil((radius + extent) / next(heights))) + 1
            reach.append(range(-most, most + 1))
        else:
            reach.append((0,))
    found = set()
    if not len(points) or not len(queries):
        return found
    # Most shifts lead all points too far away to be near any query, which a box around them tells at once.
    shifts = np.array(list(itertools.product(*reach)))
    moves = (shifts @ cell)[:, :dims]
    slack = 1.01 * float(radius) + 1e-5 * extent
    low, high = points.min(0) - queries.max(0) - slack, points.max(0) - queries.min(0) + slack
    for shift in map(tuple, shifts[np.all((moves + low <= 0) & (moves + high >= 0), axis=1)].tolist()):
        move = (np.array(shift, float) @ cell).astype(kind)
        total = None
        for k in range(dims):
            d = (points[None, :, k] - queries[:, None, k]) + move[k]
            square = d * d
            total = square if total is None else total + square
        if total is None:
            continue
        inside = total <= limit if closed else total < limit
        if own and shift == (0, 0, 0):
            np.fill_diagonal(inside, False)
        for i, j in zip(*np.nonzero(inside)):
            found.add((int(i), int(j)) + shift)
    return found


def random_cell(random, flat=False):
    """A box at random angles; `flat`: ten times as wide as it is high."""
    while True:
        cell = np.diag(random.uniform(0.5, 2.0, 3)) + random.uniform(-0.7, 0.7, (3, 3)) * random.integers(0, 2)
        if flat:
            cell[random.integers(3)] *= 0.1
        if abs(np.linalg.det(cell)) > 0.05 * np.prod(np.linalg.norm(cell, axis=1)):
            return cell
