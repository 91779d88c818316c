# SPDX-License-Identifier: MIT
"""mote: particles that find each other and hit things.

::

    import mote
    search = mote.Neighbors(0.1).update(points)     # points: (n, 3), float32 or float64
    i, j, d = search.pairs("ijd")

docs/python.md has the whole story.
"""

from ._abi import VERSION as __version__
from ._library import StateError, Unstable, Unsupported
from ._context import Context, memory_limit
from ._points import columns
from .rows import Row, Rows, Stored
from .neighbors import MethodInfo, Neighbors, NeighborsCounters, methods, pairs
from .ase import neighbor_list, primitive_neighbor_list
from .tree import KDTree
from .graphs import kneighbors_graph, radius_neighbors_graph
from .mdanalysis import capped_distance, self_capped_distance

from .broadphase import BroadPhase, Events, box_methods
from .mesh import Hits, Mesh, Proxy, Raster
from ._objects import IdRows
from .picture import Picture, render
from .simulation import Simulation, SimulationObject, StepArray

__all__ = [
    "BroadPhase",
    "Context",
    "Events",
    "Hits",
    "IdRows",
    "KDTree",
    "Mesh",
    "MethodInfo",
    "Neighbors",
    "NeighborsCounters",
    "Picture",
    "Proxy",
    "Raster",
    "Row",
    "Rows",
    "Simulation",
    "SimulationObject",
    "StateError",
    "StepArray",
    "Stored",
    "Unstable",
    "Unsupported",
    "__version__",
    "box_methods",
    "capped_distance",
    "columns",
    "kneighbors_graph",
    "memory_limit",
    "methods",
    "neighbor_list",
    "pairs",
    "primitive_neighbor_list",
    "radius_neighbors_graph",
    "render",
    "self_capped_distance",
]
