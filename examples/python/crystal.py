# SPDX-License-Identifier: MIT
"""A crystal under shear: neighbours in a skewed periodic box, of which a skin keeps the lists from step to step.

Prints:
    shear 0.00: 12.0 neighbours each, nearest 1.000
    shear 0.05: 12.0 neighbours each, nearest 0.975
    shear 0.10: 12.0 neighbours each, nearest 0.951
    shear 0.15: 12.0 neighbours each, nearest 0.928
    shear 0.20: 12.0 neighbours each, nearest 0.906
"""

import numpy as np

import mote

# A face-centred cubic crystal with a nearest distance of 1: four atoms in each cell.
size = 6
base = np.array([[0, 0, 0], [0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]])
cells = np.stack(np.meshgrid(*[np.arange(size)] * 3, indexing="ij"), -1).reshape(-1, 1, 3)
scaled = ((cells + base) / size).reshape(-1, 3)
edge = size * np.sqrt(2)

for shear in (0.0, 0.05, 0.1, 0.15, 0.2):
    box = edge * np.array([[1, 0, 0], [shear, 1, 0], [0, 0, 1]])  # the edges as rows
    i, j, d, S = mote.pairs("ijdS", scaled @ box, 1.12, periodic=box)
    # The shifts say which image of j is near: this is how vectors are made of positions.
    vectors = (scaled[j] + S - scaled[i]) @ box
    assert np.allclose(np.linalg.norm(vectors, axis=1), d)
    print(f"shear {shear:.2f}: {len(i) / len(scaled):.1f} neighbours each, nearest {d.min():.3f}")
