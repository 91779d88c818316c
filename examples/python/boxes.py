# SPDX-License-Identifier: MIT
"""Boxes that fly about: which pairs begin to overlap, and which end.

Prints:
    step 0: 90 pairs, 90 began, 0 ended
    step 1: 99 pairs, 49 began, 40 ended
    step 2: 99 pairs, 44 began, 44 ended
"""

import numpy as np

import mote

random = np.random.default_rng(3)
low = random.random((1000, 3), dtype=np.float32)
boxes = np.stack([low, low + 0.03], axis=1)  # lower and upper corner of each
motion = random.normal(0, 0.01, (1000, 1, 3)).astype(np.float32)

broad = mote.BroadPhase()
ids = broad.add(boxes)
for step in range(3):
    broad.move(ids, boxes + step * motion)
    events = broad.events()
    print(f"step {step}: {len(broad.pairs())} pairs, {len(events.begun)} began, {len(events.ended)} ended")
