# SPDX-License-Identifier: MIT
"""scipy's KDTree by name: the same methods and results for points in one to three dimensions."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from ._checks import real_array
from ._context import Context
from .neighbors import Neighbors

__all__ = ["KDTree"]

_LEAST, _MOST = 2.0**-480, 2.0**511  # radii that a search of double points can have
_BLOCK = 1 << 15  # queries whose pairs are looked at together


class KDTree:
    """Nearest neighbours and fixed-radius queries, as ``scipy.spatial.KDTree`` and ``cKDTree`` have them.

    There is no tree: each call finds its answers with `mote.Neighbors` (in double precision), which is built for its
    radius. Calls with many points at once are many times as fast as scipy's; calls in a loop, one point at a time,
    are not: ask for all of them.

    Parameters
    ----------
    data : array_like, shape (n, 1), (n, 2) or (n, 3)
        The points. Unless they are float64, they are converted.
    leafsize, compact_nodes, balanced_tree
        Ignored.
    copy_data : bool
        Whether to copy data that need no conversion. Otherwise they must not change.
    boxsize : float, array (d,) or array (d, d), optional
        Periodic boxes: lengths, 0 for an open axis; beyond what scipy has, also the edges of a skewed box as rows.
        Points may lie outside. As in scipy, the nearest image of a point stands for all.
    threads, max_bytes, context
        See `mote.Context`.

    Attributes
    ----------
    data, n, m, leafsize, boxsize, mins, maxes : as scipy's

    Raises
    ------
    ValueError
        Of all methods: points of another shape or not finite; a norm `p` other than 2.

    Distances of exactly the radius count as within it. What scipy leaves open is by index: equally near points, and
    the order of all lists.
    """

    def __init__(
        self,
        data: Any,
        leafsize: int = 10,
        compact_nodes: bool = True,
        copy_data: bool = False,
        balanced_tree: bool = True,
        boxsize: Any = None,
        *,
        threads: Optional[int] = None,
        max_bytes: Optional[int] = None,
        context: Optional[Context] = None,
    ) -> None:
        array = real_array(data, "data", "real numbers")
        if copy_data:
            array = array.copy()
        if array.ndim != 2 or not 1 <= array.shape[1] <= 3:
            raise ValueError(
                f"data: shape {array.shape}, expected (n, 1), (n, 2) or (n, 3): mote finds neighbours in up "
                "to three dimensions"
            )
        self.data = array
        self.n, self.m = array.shape
        self.leafsize = leafsize
        self.boxsize: Any = None
        self._cell: Any = None
        self._width = np.inf
        if boxsize is not None:
            box = np.asarray(boxsize, dtype=np.float64)
            if box.shape not in ((), (self.m,), (self.m, self.m)) or not np.all(np.isfinite(box)):
                raise ValueError(
                    f"boxsize: {boxsize!r}, expected a length, one for each of {self.m} axes, or a matrix of edges"
                )
            if box.ndim < 2 and np.any(box < 0):
                raise ValueError(f"boxsize: a length of {box.min():g}, expected 0 (open) or more")
            self.boxsize = box if box.ndim == 2 else np.broadcast_to(box, (self.m,)).copy()
            self._cell = box if box.ndim == 2 else np.diag(self.boxsize)
            self._width = _narrowest(self._cell)
        self._options: Dict[str, Any] = dict(threads=threads, max_bytes=max_bytes, context=context)
        self._searches: List[Tuple[str, Neighbors]] = []
        self._search(None, "d")  # looks at the points, which may be refused

    @property
    def mins(self) -> Any:
        """The least coordinate along each axis."""
        return self.data.min(axis=0) if self.n else np.full(self.m, np.inf)

    @property
    def maxes(self) -> Any:
        """The largest coordinate along each axis."""
        return self.data.max(axis=0) if self.n else np.full(self.m, -np.inf)

    @property
    def size(self) -> int:
        """The number of nodes that scipy would have: 1."""
        return 1

    def __reduce__(self) -> Any:
        """For pickle and copy: the points and the box."""
        if self._options["context"] is not None:
            raise TypeError("mote.KDTree: a tree with a context= of its own cannot be pickled, expected one without")
        threads, max_bytes = self._options["threads"], self._options["max_bytes"]
        return _tree_again, (type(self), self.data, self.leafsize, self.boxsize, threads, max_bytes)

    def __repr__(self) -> str:
        return f"<mote.KDTree: {self.n} points in {self.m} dimensions>"

    def _search(self, radius: Optional[float], columns: str, half: bool = False) -> Neighbors:
        """A search of all points, with this radius as far as there is one; None: any."""
        usable = 1.0 if radius is None else min(max(radius, _LEAST), _MOST)
        name = columns + ("half" if half else "")
        for known, search in self._searches:
            if known == name:
                if radius is not None and search.radius != usable:
                    search.radius = usable
                    search.update(self.data)
                return search
        search = Neighbors(usable, periodic=self._cell, columns=columns, half=half, ascending=True, **self._options)
        search.update(self.data)
        self._searches = [(name, search)] + self._searches[:3]
        return search

    def _points(self, x: Any) -> Tuple[Any, Tuple[int, ...]]:
        """Query points (k, m), and the shape that they came in."""
        array = real_array(x, "x", f"vectors of length {self.m}")
        if array.ndim == 0 or array.shape[-1] != self.m:
            raise ValueError(f"x: shape {array.shape}, expected vectors of length {self.m}")
        return array.reshape(-1, self.m), array.shape[:-1]

    def _within(self, queries: Any, radius: float, squared_limit: Any) -> Tuple[Any, Any, Any]:
        """i, j and squared distances of all pairs within a radius, each pair of points once."""
        radius = min(radius, self._farthest(queries))
        rows = self._search(radius, "d").query(queries)
        i, j, squared = rows.squared_pairs()
        keep = squared <= (squared_limit if np.ndim(squared_limit) == 0 else squared_limit[i])
        if not np.all(keep):
            i, j, squared = i[keep], j[keep], squared[keep]
        if 2 * radius >= self._width:
            i, j, squared = _nearest_images(i, j, squared)
        return i, j, squared

    def _farthest(self, queries: Any) -> float:
        """No nearest image is farther away than this: beyond it, a larger radius would only find more images."""
        if self._cell is None or not len(queries) or not self.n:
            return float(np.inf)
        edges = self._cell[np.any(self._cell != 0, axis=1)]
        everything = np.concatenate([self.data, queries])
        open_part = everything - everything @ np.linalg.pinv(edges) @ edges if len(edges) else everything
        extent = np.linalg.norm(open_part.max(axis=0) - open_part.min(axis=0))
        inside = 0.5 * np.linalg.norm(edges, axis=1).sum()
        return float(np.hypot(extent, inside) * (1 + 1e-9)) + _LEAST

    # ------------------------------------------------------------------------------------------------- queries

    def query(
        self, x: Any, k: Any = 1, eps: float = 0, p: float = 2, distance_upper_bound: float = np.inf, workers: int = 1
    ) -> Tuple[Any, Any]:
        """The k nearest points of each of x.

        Parameters
        ----------
        x : array_like, shape (…, m)
        k : int or list of int
            How many, or which, counting from 1.
        eps : float
            Ignored: answers are exact.
        p : 2
        distance_upper_bound : float
            Only points nearer than this.
        workers
            Ignored, see `threads` of the tree.

        Returns
        -------
        d, i : array, shape (…, k), or (…) for k = 1
            Distances and int64 numbers of points, ascending by distance; inf and n where there are no more.
        """
        _check_norm(p, eps)
        queries, shape = self._points(x)
        which = np.atleast_1d(np.asarray(k))
        if (
            which.size == 0
            or which.dtype.kind not in "iu"
            or which.min() < 1
            or (np.ndim(k) == 0 and int(which[0]) < 1)
        ):
            raise ValueError(f"query: k is {k!r}, expected 1 or more, or a list of such numbers")
        wanted = np.arange(1, int(k) + 1) if np.ndim(k) == 0 else which
        squared, indices = self._nearest(queries, int(wanted.max()))
        bound = float(_radii(distance_upper_bound, "distance_upper_bound"))
        if np.isfinite(bound):
            beyond = ~(squared < bound * bound)
            squared[beyond], indices[beyond] = np.inf, self.n
        distances = np.sqrt(squared, out=squared)
        if np.ndim(k) > 0:
            distances, indices = distances[:, wanted - 1], indices[:, wanted - 1]
        width = () if np.ndim(k) == 0 and int(k) == 1 else (len(wanted),)
        d, i = distances.reshape(shape + width), indices.reshape(shape + width)
        return (float(d), int(i)) if d.ndim == 0 else (d, i)

    def _nearest(self, queries: Any, k: int) -> Tuple[Any, Any]:
        """Squared distances and numbers (queries, k) of the k nearest points, each point once."""
        most = min(k, max(self.n, 1))
        asked = most
        while True:
            rows = self._search(None, "d").nearest(asked, queries)
            i, j, squared = rows.squared_pairs()
            if self._cell is not None:
                i, j, squared = _nearest_images(i, j, squared)
            counts = np.bincount(i, minlength=len(queries))
            if self._cell is None or not len(counts) or counts.min() >= most or self.n == 0:
                break
            asked *= 2  # images of points that came already took the room of others
        if most == k and len(i) == len(queries) * k:
            return squared.reshape(-1, k), j.reshape(-1, k)
        table_d, table_i = np.full((len(queries), k), np.inf), np.full((len(queries), k), self.n, np.int64)
        first = np.concatenate([[0], np.cumsum(counts)])
        place = np.arange(len(i)) - first[i]
        fits = place < k
        table_d[i[fits], place[fits]], table_i[i[fits], place[fits]] = squared[fits], j[fits]
        return table_d, table_i

    def query_ball_point(
        self,
        x: Any,
        r: Any,
        p: float = 2.0,
        eps: float = 0,
        workers: int = 1,
        return_sorted: Optional[bool] = None,
        return_length: bool = False,
    ) -> Any:
        """The points within a distance of each of x.

        Parameters
        ----------
        x : array_like, shape (…, m)
        r : float or array_like
            One, or one for each of x.
        p, eps, workers
            As for `query`.
        return_sorted
            Ignored: rows are always sorted by index.
        return_length : bool
            Only their numbers.

        Returns
        -------
        list of int, or array of such lists of x's shape; or their lengths. `mote.Neighbors.query` gives flat arrays.
        """
        _check_norm(p, eps)
        queries, shape = self._points(x)
        radii = _radii(r, "r")
        try:
            radii = np.broadcast_to(radii, shape).reshape(-1)
        except ValueError:
            raise ValueError(f"r: shape {radii.shape}, expected a number, or one for each of x, {shape}") from None
        largest = float(radii.max(initial=0.0))
        with np.errstate(over="ignore"):
            limit: Any = radii * radii
        if radii.size and radii.min() == largest:
            limit = limit[0]
        i, j, _ = self._within(queries, largest, limit)
        counts = np.bincount(i, minlength=len(queries))
        if return_length:
            return int(counts[0]) if shape == () else counts.reshape(shape)
        if len(i) and not np.all((np.diff(i) > 0) | (np.diff(j) > 0)):
            j = j[np.lexsort((j, i))]
        flat, ends = j.tolist(), np.cumsum(counts).tolist()
        begins = [0] + ends[:-1]
        if shape == ():
            return flat
        result = np.empty(len(queries), object)
        for row, (begin, end) in enumerate(zip(begins, ends)):
            result[row] = flat[begin:end]
        return result.reshape(shape)

    def query_ball_tree(self, other: "KDTree", r: float, p: float = 2.0, eps: float = 0) -> List[List[int]]:
        """For each point of this tree, the points of the other within a distance."""
        _check_other(self, other)
        return list(other.query_ball_point(self.data, r, p=p, eps=eps))

    def query_pairs(self, r: float, p: float = 2.0, eps: float = 0, output_type: str = "set") -> Any:
        """All pairs of points within a distance, i < j: a set of tuples, or an array (pairs, 2) of int64 for
        ``output_type="ndarray"``, ascending by i, then j."""
        _check_norm(p, eps)
        if output_type not in ("set", "ndarray"):
            raise ValueError(f"query_pairs: output_type is {output_type!r}, expected 'set' or 'ndarray'")
        radius = float(_radii(r, "r"))
        if _LEAST <= radius <= _MOST and 2 * radius < self._width:
            rows = self._search(radius, "", half=True).rows()
            pairs = np.empty((rows.total, 2), np.int64)
            i, j = rows.pairs("ij", dtype=np.uint32)
            pairs[:, 0], pairs[:, 1] = i, j
        else:
            i, j, _ = self._within(self.data, radius, radius * radius)
            keep = i < j
            order = np.lexsort((j[keep], i[keep]))
            pairs = np.stack([i[keep][order], j[keep][order]], axis=1)
        return pairs if output_type == "ndarray" else set(map(tuple, pairs.tolist()))

    def sparse_distance_matrix(
        self, other: "KDTree", max_distance: float, p: float = 2.0, output_type: str = "dok_matrix"
    ) -> Any:
        """Distances of the points of both trees that are within `max_distance`: a scipy matrix (dok_matrix or
        coo_matrix), a dict, or a structured array with fields i, j, v (ndarray)."""
        _check_norm(p, 0)
        _check_other(self, other)
        if output_type not in ("dok_matrix", "coo_matrix", "dict", "ndarray"):
            raise ValueError(
                f"sparse_distance_matrix: output_type is {output_type!r}, expected 'dok_matrix', "
                "'coo_matrix', 'dict' or 'ndarray'"
            )
        radius = float(_radii(max_distance, "max_distance"))
        i, j, squared = other._within(self.data, radius, radius * radius)
        values = np.sqrt(squared)
        if output_type == "dict":
            return dict(zip(zip(i.tolist(), j.tolist()), values.tolist()))
        if output_type == "ndarray":
            table = np.empty(len(i), np.dtype([("i", np.intp), ("j", np.intp), ("v", np.float64)], align=True))
            table["i"], table["j"], table["v"] = i, j, values
            return table
        from scipy.sparse import coo_matrix

        matrix = coo_matrix((values, (i, j)), shape=(self.n, other.n))
        return matrix if output_type == "coo_matrix" else matrix.todok()

    def count_neighbors(
        self, other: "KDTree", r: Any, p: float = 2.0, weights: Any = None, cumulative: bool = True
    ) -> Any:
        """How many pairs of a point of this tree and one of the other are within r; for several r, ascending, an
        array. `weights`: of the points of both, or a pair of those of each, whose products are summed instead. Not
        `cumulative`: how many lie between one r and the next."""
        _check_norm(p, 0)
        _check_other(self, other)
        radii = _radii(r, "r")
        steps = np.atleast_1d(radii)
        if steps.ndim != 1 or (not cumulative and np.any(np.diff(steps) < 0)):
            raise ValueError("count_neighbors: r, expected a number or an ascending array (k,)")
        own, others = weights if isinstance(weights, tuple) else (weights, weights)
        w_own = None if own is None else _weights(own, self.n)
        w_other = None if others is None else _weights(others, other.n)
        order = np.argsort(steps, kind="stable")
        with np.errstate(over="ignore"):
            limits = steps[order] * steps[order]
        sums: Any = np.zeros(len(steps) + 1, np.int64 if weights is None else np.float64)
        largest = float(steps.max(initial=0.0))
        for begin in range(0, self.n, _BLOCK):
            i, j, squared = other._within(self.data[begin : begin + _BLOCK], largest, np.inf)
            places = np.searchsorted(limits, squared, side="left")
            if weights is None:
                sums += np.bincount(places, minlength=len(sums))
            else:
                product = (1.0 if w_own is None else w_own[begin + i]) * (1.0 if w_other is None else w_other[j])
                sums += np.bincount(places, np.broadcast_to(product, places.shape), minlength=len(sums))
        found = sums[:-1]
        if cumulative:
            found = np.empty_like(found)
            found[order] = np.cumsum(sums[:-1])
        return found if radii.ndim else found[0] if weights is not None else int(found[0])


def _tree_again(
    kind: Any, data: Any, leafsize: int, boxsize: Any, threads: Optional[int], max_bytes: Optional[int]
) -> Any:
    return kind(data, leafsize, boxsize=boxsize, threads=threads, max_bytes=max_bytes)


def _radii(values: Any, name: str) -> Any:
    """Distances of 0 or more."""
    array = real_array(values, name, "0 or more")
    if not np.all(array >= 0):
        raise ValueError(f"{name} is {array.reshape(-1)[np.argmin(array.reshape(-1) >= 0)]:g}, expected 0 or more")
    return array


def _check_norm(p: float, eps: float) -> None:
    if p != 2:
        raise ValueError(f"p is {p!r}, expected 2: mote knows the Euclidean norm alone")
    if not eps >= 0:
        raise ValueError(f"eps is {eps!r}, expected 0 or more")


def _check_other(one: KDTree, other: KDTree) -> None:
    if not isinstance(other, KDTree):
        raise ValueError(f"other is a {type(other).__name__}, expected a mote.KDTree")
    if one.m != other.m:
        raise ValueError(f"other has {other.m} dimensions, expected {one.m}")
    if (one._cell is None) != (other._cell is None) or (
        one._cell is not None and not np.array_equal(one._cell, other._cell)
    ):
        raise ValueError("other has another boxsize, expected the same")


def _weights(values: Any, count: int) -> Any:
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (count,):
        raise ValueError(f"weights: shape {array.shape}, expected ({count},)")
    return array


def _narrowest(cell: Any) -> float:
    """The least distance between opposite faces of a box, over its periodic axes."""
    edges = cell[np.any(cell != 0, axis=1)]
    if len(edges) == 0:
        return float(np.inf)
    # Rows of the pseudoinverse are normal to the faces, 1 / height long.
    heights = np.linalg.norm(np.linalg.pinv(edges), axis=0)
    return float(1.0 / heights.max()) if heights.max() > 0 else 0.0


def _nearest_images(i: Any, j: Any, squared: Any) -> Tuple[Any, Any, Any]:
    """Of each pair the nearest image; ascending by i, then distance, then j."""
    order = np.lexsort((squared, j, i))
    i, j, squared = i[order], j[order], squared[order]
    first = np.ones(len(i), bool)
    first[1:] = (i[1:] != i[:-1]) | (j[1:] != j[:-1])
    i, j, squared = i[first], j[first], squared[first]
    order = np.lexsort((j, squared, i))
    return i[order], j[order], squared[order]
