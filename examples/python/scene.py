# SPDX-License-Identifier: MIT
"""A scene stepped and looked at: a dam breaks in 2D. With a file name, also a picture of it.
usage: scene.py [SCENE] [PICTURE.png]

Prints:
    A dam breaks, in 2D: 3200 particles
    0.1 s: the front at 0.61 m, the fastest particle at 2.1 m/s
    the array of an earlier step says so: stale
"""

import pathlib
import sys

import mote

scenes = pathlib.Path(__file__).resolve().parents[2] / "scenes"
run = mote.Simulation(sys.argv[1] if len(sys.argv) > 1 else scenes / "dam-break-2d.json")
fluid = run["particles"]
print(f"{run.title}: {fluid.count} particles")

run.run_until(0.1)  # Ctrl-C would end it after the present step
fluid = run["particles"]
velocity = fluid["velocity"]
speed = (velocity * velocity).sum(axis=1) ** 0.5
print(
    f"{run.time:.1f} s: the front at {fluid['position'][:, 0].max():.2f} m, "
    f"the fastest particle at {speed.max():.1f} m/s"
)

if len(sys.argv) > 2:
    picture = mote.render(
        fluid["position"].copy(),
        radius=fluid.particle_size / 2,
        colors=speed,
        scalar_name="speed",
        scalar_unit="m/s",
        time=run.time,
        eye=(1.2, -3, 0.9),
        target=(0.6, 0, 0.4),
    )
    picture.save(sys.argv[2])

run.step()
try:
    velocity.copy()
except mote.StateError:
    print("the array of an earlier step says so: stale")
