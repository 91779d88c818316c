# SPDX-License-Identifier: MIT
"""What mote costs from Python, beside C and beside other packages that are installed: ``python3 -m mote.bench``.

One process, and one thread for mote and for its peers; every result is compared before its time counts. Times are
medians, of mote and its peer in turns; `ratio` is the peer's time over mote's (for C: Python's over C's)."""

from __future__ import annotations

import argparse
import ctypes
import importlib
import inspect
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

import mote
from mote import _abi
from mote._library import lib

__all__ = ["main"]

Row = Dict[str, Any]


def _times(calls: List[Callable[[], Any]], repeat: int) -> List[List[float]]:
    """Seconds of each call, in turns, after one that is not counted."""
    found: List[List[float]] = [[] for _ in calls]
    for turn in range(repeat + 1):
        for k, call in enumerate(calls):
            start = time.perf_counter()
            result = call()
            spent = time.perf_counter() - start
            del result
            if turn:
                found[k].append(spent)
    return found


def _times_beside_slow(ours: Callable[[], Any], theirs: Callable[[], Any], repeat: int) -> List[List[float]]:
    """Seconds of both, where theirs are so many that it is called only three times: ours `repeat` times after each."""
    found: List[List[float]] = [[], []]
    for _ in range(3):
        start = time.perf_counter()
        theirs()
        found[1].append(time.perf_counter() - start)
        found[0] += _times([ours], repeat)[0]
    return found


def _row(job: str, peer: str, aim: str, ours: List[float], theirs: List[float], inverse: bool = False) -> Row:
    mine, other = statistics.median(ours), statistics.median(theirs)
    return {
        "job": job, "peer": peer, "mote_ms": 1e3 * mine, "peer_ms": 1e3 * other,
        "ratio": mine / other if inverse else other / mine, "aim": aim,
        "spread": max(max(ours) / min(ours), max(theirs) / min(theirs)),
    }


def _same(condition: Any, what: str) -> None:
    if not condition:
        raise SystemExit(f"mote.bench: {what}: the results differ")


def _find(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def rows_against_c(repeat: int) -> List[Row]:
    """update() and rows() of 10^6 floats, beside the same two calls of libmote."""
    count = 1_000_000
    points = np.random.default_rng(1).random((count, 3), dtype=np.float32)
    radius = (28 / (count * 4 / 3 * np.pi)) ** (1 / 3)
    rows = []
    for label, keywords in (("", {}), (", columns=''", {"columns": ""})):
        ours, plain = (mote.Neighbors(radius, threads=1, **keywords) for _ in range(2))  # type: ignore[arg-type]
        struct = _abi.mote_points()
        for k in range(3):
            struct.axis[k] = points.ctypes.data + 4 * k
        struct.stride, struct.count, struct.dimensions = 12, count, 3
        plain.update(points)
        lists, pointer = _abi.mote_lists(), plain._search.pointer  # type: ignore[union-attr]

        def call_c() -> None:
            if lib.mote_neighbors_update(pointer, struct, None) or lib.mote_neighbors_lists(
                pointer, ctypes.byref(lists), None
            ):
                raise SystemExit("mote.bench: a call of libmote failed")

        found = ours.update(points).rows()
        call_c()
        _same(found.total == lists.total, "rows")
        del found
        a, b = _times([lambda: ours.update(points).rows(), call_c], repeat)
        rows.append(_row(f"rows, 10^6 float32 points{label}", "C", "<= 1.05", a, b, inverse=True))
    return rows


def pairs_against_scipy(repeat: int) -> List[Row]:
    """Pairs i < j of 10^5 doubles with 28 neighbours, beside a cKDTree that is built already."""
    spatial = _find("scipy.spatial")
    if spatial is None:
        return []
    count = 100_000
    points = np.random.default_rng(2).random((count, 3))
    radius = (28 / (count * 4 / 3 * np.pi)) ** (1 / 3)
    tree = spatial.cKDTree(points)
    search = mote.Neighbors(radius, half=True, half_either=True, threads=1, columns="")
    i, j = search.update(points).pairs("ij")
    order = np.lexsort((j, i))
    theirs = tree.query_pairs(radius, output_type="ndarray")
    _same(np.array_equal(np.stack([i, j], 1)[order], theirs[np.lexsort(theirs.T[::-1])]), "pairs")
    a, b = _times(
        [lambda: search.update(points).pairs("ij"), lambda: tree.query_pairs(radius, output_type="ndarray")], repeat
    )
    return [_row('pairs "ij", 10^5 float64 points', "cKDTree.query_pairs", ">= 15", a, b)]


def _atoms() -> Tuple[Any, Any, float]:
    """4,096 atoms on a jittered lattice, 28 neighbours each."""
    size = 16
    grid = np.stack(np.meshgrid(*[np.arange(size)] * 3, indexing="ij"), -1).reshape(-1, 3) + 0.5
    points = grid + np.random.default_rng(3).uniform(-0.2, 0.2, grid.shape)
    return points, np.eye(3) * size, (28 / (4 / 3 * np.pi)) ** (1 / 3)


def atoms_against_others(repeat: int) -> List[Row]:
    """"ijdDS" of periodic atoms, beside whatever neighbour lists are installed."""
    points, cell, cutoff = _atoms()
    search = mote.Neighbors(cutoff, periodic=cell, columns="D", threads=1)  # distances follow from vectors

    def ours() -> Any:
        return search.update(points).pairs("ijdDS")

    def as_set(i: Any, j: Any, S: Any) -> Any:
        return set(zip(i.tolist(), j.tolist(), map(tuple, np.asarray(S).astype(int).tolist())))

    expected = ours()
    expected = as_set(expected[0], expected[1], expected[4])
    peers: List[Tuple[str, str, Callable[[], Any]]] = []
    ase, rows = _find("ase.neighborlist"), []
    if ase is not None:
        pbc = [True] * 3
        peers.append(("ASE", ">= 500", lambda: ase.primitive_neighbor_list("ijdDS", pbc, cell, points, cutoff)))
        shape = importlib.import_module("ase").Atoms(
            numbers=np.ones(len(points), int), positions=points, cell=cell, pbc=True
        )
        peers.append(("ASE, by mote.neighbor_list", ">= 500", lambda: ase.neighbor_list("ijdDS", shape, cutoff)))
    matscipy = _find("matscipy.neighbours")
    if matscipy is not None:
        peers.append(("matscipy", ">= 5", lambda: matscipy.neighbour_list(
            "ijdDS", positions=points, cell=cell, pbc=[True] * 3, cutoff=cutoff)))
    vesin = _find("vesin")
    if vesin is not None:
        has_threads = "n_threads" in inspect.signature(vesin.NeighborList).parameters  # it takes all processors
        calculator = vesin.NeighborList(cutoff=cutoff, full_list=True, **({"n_threads": 1} if has_threads else {}))
        peers.append(("vesin", ">= 3", lambda: calculator.compute(
            points=points, box=cell, periodic=True, quantities="ijdDS")))
    freud = _find("freud")
    if freud is not None:
        freud.parallel.set_num_threads(1)
        box, middle = freud.box.Box.cube(cell[0, 0]), points - cell[0, 0] / 2

        def by_freud() -> Any:
            query = freud.locality.AABBQuery(box, middle)
            return query.query(middle, dict(mode="ball", r_max=cutoff, exclude_ii=True)).toNeighborList()

        peers.append(("freud (i, j, d, D)", ">= 3", by_freud))
    for name, aim, theirs in peers:
        found, mine = theirs(), ours
        if name.startswith("freud"):  # which computes in floats: it may decide about pairs at the cutoff otherwise
            theirs_too = set(zip(found.query_point_indices.tolist(), found.point_indices.tolist()))
            others = np.array(sorted(theirs_too ^ {pair[:2] for pair in expected}), np.int64).reshape(-1, 2)
            apart = points[others[:, 1]] - points[others[:, 0]]
            apart -= cell[0, 0] * np.round(apart / cell[0, 0])
            _same(np.all(np.abs(np.linalg.norm(apart, axis=1) - cutoff) < 1e-5 * cutoff), name)
        else:
            _same(as_set(found[0], found[1], found[4]) == expected, name)
        if "by mote" in name:
            def mine() -> Any:  # noqa: F811
                return mote.neighbor_list("ijdDS", shape, cutoff, threads=1)
        slow = name.startswith("ASE")
        a, b = _times_beside_slow(mine, theirs, repeat) if slow else _times([mine, theirs], repeat)
        rows.append(_row('"ijdDS", 4,096 periodic atoms', name, aim, a, b))
    return rows


def nearest_against_scipy(repeat: int, count: int = 1_000_000) -> List[Row]:
    """The 8 nearest of 10^6 points, beside a cKDTree that is built already."""
    spatial = _find("scipy.spatial")
    if spatial is None:
        return []
    points, k = np.random.default_rng(4).random((count, 3)), 8
    tree, search = spatial.cKDTree(points), mote.Neighbors(1.0, threads=1, columns="d").update(points)

    def ours() -> Any:
        return search.nearest(k, points).table(k)

    d, e = ours()[0], tree.query(points, k=k)[0]
    _same(np.allclose(d, e, 0, 1e-14), "k nearest")
    del d, e
    a, b = _times([ours, lambda: tree.query(points, k=k)], min(repeat, 2))
    return [_row("8 nearest of 10^6 float64 points", "cKDTree.query", ">= 8", a, b)]


def small_calls(repeat: int) -> List[Row]:
    """100 points: update, rows and their arrays; and the calls of libmote in it."""
    points = np.random.default_rng(5).random((100, 3), dtype=np.float32)
    rows = []
    for name in ("update, rows", 'update, pairs("ij")'):
        search, plain = (mote.Neighbors(0.2, threads=1, columns="") for _ in range(2))
        struct = _abi.mote_points()
        for axis in range(3):
            struct.axis[axis] = points.ctypes.data + 4 * axis
        struct.stride, struct.count, struct.dimensions = 12, 100, 3
        plain.update(points)
        lists, pointer = _abi.mote_lists(), plain._search.pointer  # type: ignore[union-attr]

        def thousand(work: Callable[[], Any]) -> Callable[[], None]:
            def run() -> None:
                for _ in range(1000):
                    work()

            return run

        def by_c() -> None:
            lib.mote_neighbors_update(pointer, struct, None)
            lib.mote_neighbors_lists(pointer, ctypes.byref(lists), None)

        def ours() -> Any:
            search.update(points)
            return search.pairs("ij") if "pairs" in name else search.rows()

        a, b = _times([thousand(ours), thousand(by_c)], repeat)
        row = _row(f"100 points, {name} [us]", "C through ctypes", "<= 25 us", a, b, inverse=True)
        rows.append(row)  # of a thousand calls: ms here are us of one
    return rows


def importing(repeat: int) -> List[Row]:
    """import mote beyond numpy, each in a process of its own, with bytecode kept as that of installed packages is."""
    code = "import numpy, time\ns = time.perf_counter()\nimport mote\nprint(time.perf_counter() - s)"
    found = []
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, PYTHONPYCACHEPREFIX=folder, PYTHONDONTWRITEBYTECODE="")
        for turn in range(repeat + 1):
            text = subprocess.run(
                [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
            ).stdout
            if turn:
                found.append(float(text))
    return [{"job": "import mote", "peer": "numpy imported before", "mote_ms": 1e3 * statistics.median(found),
             "peer_ms": 0.0, "ratio": None, "aim": "<= 60 ms", "spread": max(found) / min(found)}]


JOBS: Dict[str, Callable[[int], List[Row]]] = {
    "rows": rows_against_c, "pairs": pairs_against_scipy, "atoms": atoms_against_others,
    "nearest": nearest_against_scipy, "small": small_calls, "import": importing,
}


def main(arguments: Optional[List[str]] = None) -> int:
    """Measures and writes a table; returns the exit status."""
    parser = argparse.ArgumentParser(prog="mote bench python", description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    parser.add_argument("--workload", metavar="A,B", default=",".join(JOBS), help=f"some of {', '.join(JOBS)}")
    parser.add_argument("--repeat", metavar="N", type=int, default=5, help="repetitions; default: 5")
    options = parser.parse_args(arguments)
    names = options.workload.split(",")
    for name in names:
        if name not in JOBS:
            parser.error(f"unknown workload '{name}', expected some of {', '.join(JOBS)}")
    rows = [row for name in names for row in JOBS[name](max(options.repeat, 1))]
    write = sys.stdout.write
    if options.json:
        write(json.dumps({"mote": mote.__version__, "numpy": np.__version__, "rows": rows}) + "\n")
        return 0
    write(f"{'job':<44} {'beside':<26} {'mote ms':>9} {'peer ms':>9} {'ratio':>7}  {'aim':<9} spread\n")
    for row in rows:
        ratio = "" if row["ratio"] is None else f"{row['ratio']:.2f}"
        write(f"{row['job']:<44} {row['peer']:<26} {row['mote_ms']:9.3f} {row['peer_ms']:9.3f} {ratio:>7}  "
              f"{row['aim']:<9} {row['spread']:.2f}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
