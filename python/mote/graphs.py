# SPDX-License-Identifier: MIT
"""Neighbour graphs under scikit-learn's names: scipy's CSR matrices, for points in one to three dimensions."""

from __future__ import annotations

from typing import Any, Dict, Optional, Union

import numpy as np

from ._checks import flag, value_text, whole
from ._context import Context, context_for
from ._points import Points, read_points
from .neighbors import Neighbors, read_cell
from .rows import Rows
from .tree import KDTree

__all__ = ["kneighbors_graph", "radius_neighbors_graph"]


def radius_neighbors_graph(
    X: Any,
    radius: float,
    *,
    mode: str = "connectivity",
    metric: str = "minkowski",
    p: float = 2,
    metric_params: Optional[Dict[str, Any]] = None,
    include_self: Union[bool, str] = False,
    n_jobs: Optional[int] = None,
    periodic: Any = None,
    pbc: Any = None,
    max_bytes: Optional[int] = None,
    context: Optional[Context] = None,
) -> Any:
    """The graph of points within a radius, as ``sklearn.neighbors.radius_neighbors_graph`` gives it.

    Parameters
    ----------
    X : array_like, shape (n, 1), (n, 2) or (n, 3)
        float32 or float64 points, whose distances are compared in their own type.
    radius : float
        Points at exactly the radius are neighbours.
    mode : "connectivity" or "distance"
        What the entries are: ones, or distances.
    metric, p, metric_params
        Only the Euclidean metric: "euclidean", "l2", or "minkowski" with p = 2.
    include_self : bool or "auto"
        Whether each point is its own neighbour; "auto": with mode "connectivity".
    n_jobs : int, optional
        Threads; None: one, -1: all processors, -2: all but one, and so on, as there.
    periodic, pbc
        A periodic box, as of `mote.Neighbors`, which scikit-learn does not have. Entries are then one for each pair
        of points, with the distance of the nearest image.
    max_bytes, context
        See `mote.Context`.

    Returns
    -------
    scipy.sparse.csr_matrix, shape (n, n), float64, columns ascending in each row
    """
    _check(mode, metric, p, metric_params)
    search = Neighbors(
        radius,
        periodic=periodic,
        pbc=pbc,
        columns="d" if mode == "distance" or periodic is not None else "",
        ascending=True,
        threads=_threads(n_jobs, context),
        max_bytes=max_bytes,
        context=context,
    )
    return _graph(search.update(X).rows(), mode, _wants_self(include_self, mode), periodic is not None)


def kneighbors_graph(
    X: Any,
    n_neighbors: int,
    *,
    mode: str = "connectivity",
    metric: str = "minkowski",
    p: float = 2,
    metric_params: Optional[Dict[str, Any]] = None,
    include_self: Union[bool, str] = False,
    n_jobs: Optional[int] = None,
    periodic: Any = None,
    pbc: Any = None,
    max_bytes: Optional[int] = None,
    context: Optional[Context] = None,
) -> Any:
    """The graph of the nearest points, as ``sklearn.neighbors.kneighbors_graph`` gives it.

    `n_neighbors` entries in each row, the point itself among them if `include_self`; ascending by distance, then index.
    In a periodic box these are other points, by their nearest images, whose distances are compared in double precision.
    All else as `radius_neighbors_graph`. ValueError if there are not so many points.
    """
    _check(mode, metric, p, metric_params)
    own = _wants_self(include_self, mode)
    options: Dict[str, Any] = dict(threads=_threads(n_jobs, context), max_bytes=max_bytes, context=context)
    search = Neighbors(1.0, periodic=periodic, pbc=pbc, columns="d", **options)
    given = read_points(X)
    search.update(X)
    count = given.size
    most = count if own else count - 1
    n_neighbors = whole(n_neighbors, "n_neighbors", f"1 to {most} for {count} points, a whole number", 1, most)
    wanted = n_neighbors - (1 if own else 0)
    if wanted == 0:
        distances, indices = np.empty((count, 0)), np.empty((count, 0), np.int64)
    elif periodic is not None:
        distances, indices = _nearest_others(given, wanted, read_cell(periodic, pbc), options)
    else:
        distances, indices = search.nearest(wanted).table(wanted)
    if own:
        distances = np.concatenate([np.zeros((count, 1)), distances], axis=1)
        indices = np.concatenate([np.arange(count)[:, None], indices], axis=1)
    values = distances.astype(np.float64) if mode == "distance" else np.ones(distances.shape)
    return _csr(values.ravel(), indices.ravel(), np.arange(0, indices.size + 1, n_neighbors), count)


def _nearest_others(given: Points, wanted: int, cell: Any, options: Dict[str, Any]) -> Any:
    """The nearest images of other points, (n, wanted): distances and numbers."""
    points = given.arrays[0] if given.arrays[0].ndim == 2 else np.stack(given.arrays, axis=1)
    d = given.dimensions
    edges = np.array([(edge.x, edge.y, edge.z)[:d] for edge in cell.of_dimensions(d)[:d]])
    tree = KDTree(points, boxsize=edges, **options)
    distances, indices = tree.query(tree.data, [*range(1, wanted + 2)])
    # Each row has the point itself, unless so many others are at its place that there was no room; then the last goes.
    others = indices != np.arange(len(indices))[:, None]
    others[:, -1] &= ~others.all(axis=1)
    return distances[others].reshape(-1, wanted), indices[others].reshape(-1, wanted)


def _check(mode: str, metric: str, p: float, metric_params: Optional[Dict[str, Any]]) -> None:
    if mode not in ("connectivity", "distance"):
        raise ValueError(f"mode is {mode!r}, expected 'connectivity' or 'distance'")
    if metric not in ("minkowski", "euclidean", "l2") or (metric == "minkowski" and p != 2) or metric_params:
        raise ValueError(f"metric is {metric!r} with p = {p!r}, expected the Euclidean one")


def _threads(n_jobs: Optional[int], context: Optional[Context]) -> Optional[int]:
    if context is not None:
        return None
    if n_jobs is None:
        return 1
    expected = "1 or more, -1 for all processors, -2 for all but one, …, or None for one"
    wanted = whole(n_jobs, "n_jobs", expected, -(2**31), 2**31 - 1)
    if wanted == 0:
        raise ValueError(f"n_jobs is {value_text(n_jobs)}, expected {expected}")
    if wanted >= -1:
        return None if wanted == -1 else wanted
    return max(context_for(None, None, None).threads + 1 + wanted, 1)


def _wants_self(include_self: Union[bool, str], mode: str) -> bool:
    chosen = flag(include_self, "include_self", "auto")
    return mode == "connectivity" if chosen == "auto" else bool(chosen)


def _csr(values: Any, columns: Any, offsets: Any, count: int) -> Any:
    from scipy.sparse import csr_matrix

    kind = np.int32 if max(len(columns), count) < 2**31 else np.int64
    matrix = csr_matrix((count, count), dtype=np.float64)
    matrix.data, matrix.indices, matrix.indptr = values, columns.astype(kind), offsets.astype(kind)
    return matrix


def _graph(rows: Rows, mode: str, own: bool, periodic: bool) -> Any:
    count = len(rows)
    if not own and not periodic:
        values = rows.distances.astype(np.float64) if mode == "distance" else np.ones(rows.total)
        return _csr(values, rows.indices, rows.offsets, count)
    i, j = rows.pairs("ij")
    d = rows.distances.astype(np.float64) if mode == "distance" or periodic else np.ones(rows.total)
    if periodic:
        order = np.lexsort((d, j, i))
        i, j, d = i[order], j[order], d[order]
        first = np.ones(len(i), bool)
        first[1:] = (i[1:] != i[:-1]) | (j[1:] != j[:-1])
        first &= i != j
        i, j, d = i[first], j[first], d[first]
    if own:
        i, j, d = (
            np.concatenate(pair) for pair in ((i, np.arange(count)), (j, np.arange(count)), (d, np.zeros(count)))
        )
        order = np.lexsort((j, i))
        i, j, d = i[order], j[order], d[order]
    offsets = np.concatenate([[0], np.cumsum(np.bincount(i, minlength=count))])
    return _csr(d if mode == "distance" else np.ones(len(j)), j, offsets, count)
