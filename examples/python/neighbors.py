# SPDX-License-Identifier: MIT
"""Neighbours of a gas: who lies within 5 cm of whom, among 100,000 random points in a periodic cube?

Prints:
    100000 points, 5240642 pairs
    point 0 has 56 neighbours, the nearest 17.6 mm away
    the gas is ideal: 1.001 of the pairs that chance would give
"""

import numpy as np

import mote

points = np.random.default_rng(1).random((100_000, 3))  # [m]
search = mote.Neighbors(0.05, periodic=1.0)
rows = search.update(points).rows("d")  # rows[i]: the neighbours of point i
print(f"{len(rows)} points, {rows.total} pairs")

row = rows.row(0)
print(f"point 0 has {len(row.indices)} neighbours, the nearest {1000 * row.distances.min():.1f} mm away")

distances = rows.distances  # of all pairs, row after row
expected = len(points) ** 2 * 4 / 3 * np.pi * 0.05**3
print(f"the gas is ideal: {len(distances) / expected:.3f} of the pairs that chance would give")
