# SPDX-License-Identifier: MIT
"""What ASE's plug-ins find (entry point group "ase.plugins"): neighbour lists by mote, under the name "mote".

ASE before version 4 has no such plug-ins: then nothing is registered, and nothing breaks."""

from __future__ import annotations

from typing import Any, Set


def neighbor_list(quantities: str, atoms: Any, cutoff: Any, *, self_interaction: bool = False) -> Any:
    """`mote.neighbor_list`, as ASE calls its plug-ins. mote is imported when it is first called."""
    from mote.ase import neighbor_list as find

    return find(quantities, atoms, cutoff, self_interaction=self_interaction)


__ase_plugins__: Set[Any] = set()
try:
    from ase._4.plugins.neighborlist import NeighborListPlugin
except ImportError:
    pass
else:
    __ase_plugins__.add(
        NeighborListPlugin(
            "mote",
            long_name="mote's neighbour search",
            citation="https://github.com/mote",
            implementation="mote._ase_plugin.neighbor_list",
        )
    )
