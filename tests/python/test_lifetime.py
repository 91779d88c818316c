# SPDX-License-Identifier: MIT
"""Arrays stay valid as long as anything refers to them. Run once more with AddressSanitizer's libmote, where it is
built: no array then reads memory that was freed."""

import gc
import os
import random as plain_random
import threading

import numpy as np
import pytest

import mote

gc.collect()
gc.freeze()  # what was imported is not looked at again, so that thousands of collections take no time
LENGTHS = [0, 1, 5, 30, 200]


class Held:
    """Something that was kept, and what it held then."""

    def __init__(self, thing, copy):
        self.thing, self.copy = thing, copy

    def check(self):
        assert all(np.array_equal(a, b) for a, b in zip(self.read(self.thing), self.copy))

    @staticmethod
    def read(thing):
        if isinstance(thing, np.ndarray):
            return [thing]
        if isinstance(thing, mote.Rows):
            return [thing.counts] + list(thing) + [thing.indices, thing.distances]
        return [np.asarray(array) for array in thing]


def keep(choose, rows):
    """One of the many things that one may hold on to."""
    kind = choose.randrange(6)
    if kind == 0:
        return rows
    if kind == 1:
        return rows.counts
    if kind == 2 and len(rows):
        return rows[choose.randrange(len(rows))]
    if kind == 3:
        return list(rows)
    if kind == 4 and len(rows):
        return rows[choose.randrange(len(rows))][::2]  # a view of a view
    return rows.indices


def one_sequence(seed, context):
    choose, numbers = plain_random.Random(seed), np.random.default_rng(seed)
    searches, held = [], []
    for _ in range(choose.randrange(5, 25)):
        step = choose.randrange(10)
        if step == 0 or not searches:
            box = choose.choice([None, 1.0])
            searches.append(
                mote.Neighbors(0.3, columns="d", periodic=box, context=choose.choice([None, context]), threads=None)
            )
            searches[-1].update(numbers.random((5, 3)))
        search = choose.choice(searches)
        if step == 1:
            searches.remove(search)
            if choose.random() < 0.5:
                del search
                continue
        if step in (2, 3):
            points = numbers.random((choose.choice(LENGTHS), 3)).astype(choose.choice([np.float32, np.float64]))
            search.update(points)
        elif step in (4, 5, 6):
            rows = choose.choice(
                [
                    search.rows,
                    lambda: search.query(numbers.random((7, 3))),
                    lambda: search.nearest(3),
                    lambda: search.subset([]),
                    lambda: next(iter(search.chunks(2000)), search.rows()),
                ]
            )()
            thing = keep(choose, rows)
            del rows
            held.append(Held(thing, [np.array(array) for array in Held.read(thing)]))
            del thing
        elif step == 7 and held:
            held.pop(choose.randrange(len(held)))
        elif step == 8:
            with pytest.raises(ValueError):
                search.update(np.full((3, 3), np.nan))
            search.update(numbers.random((3, 3)))
        else:
            gc.collect(choose.randrange(3))
        for one in held:
            one.check()
    choose.shuffle(searches)
    while searches:
        searches.pop()
        for one in held:
            one.check()
    return held


@pytest.mark.parametrize("block", range(10))
def test_random_sequences(block):
    for seed in range(100 * block, 100 * block + (100 if "MOTE_LONG_TESTS" in os.environ else 50)):
        context = mote.Context(threads=1, max_bytes=1 << 28)
        before = context.byte_count
        held = one_sequence(seed, context)
        for one in held:
            one.check()
        del held
        try:
            del one
        except NameError:
            pass
        gc.collect()
        assert context.byte_count == before, f"seed {seed}: memory was left behind"


def test_memory_is_used_again():
    context = mote.Context(threads=1)
    points = np.random.default_rng(0).random((20_000, 3))
    search = mote.Neighbors(0.05, context=context).update(points)
    places = set()
    for _ in range(20):
        rows = search.update(points).rows()
        places.add(rows[0].__array_interface__["data"][0])
        del rows
    assert len(places) <= 2
    kept = [search.rows() for _ in range(3)]
    addresses = {rows.counts.__array_interface__["data"][0] for rows in kept}
    assert len(addresses) == 3
    size = context.byte_count
    for _ in range(5):
        kept = [search.rows() for _ in range(3)]
    assert context.byte_count <= 2 * size


def test_arrays_outlive_everything():
    context = mote.Context(threads=2)
    search = mote.Neighbors(0.2, context=context, columns="dD", periodic=1).update(
        np.random.default_rng(1).random((500, 3))
    )
    rows = search.rows()
    arrays = [rows.counts, rows[3], *rows.stored, rows.row(4).vectors]
    copies = [array.copy() for array in arrays]
    del context, search, rows
    gc.collect()
    again = mote.Neighbors(0.2).update(np.random.default_rng(2).random((500, 3))).rows()
    for array, copy in zip(arrays, copies):
        assert np.array_equal(array, copy) and not array.flags.owndata
    del again


def test_arrays_die_in_other_threads():
    search = mote.Neighbors(0.2).update(np.random.default_rng(1).random((2000, 3)))
    alive, stop, failures = [], threading.Event(), []

    def drop():
        while not stop.is_set() or alive:
            try:
                alive.pop()
            except IndexError:
                continue

    threads = [threading.Thread(target=drop) for _ in range(2)]
    for thread in threads:
        thread.start()
    expected = np.sort(search.rows().counts)
    for _ in range(300):
        rows = search.rows()
        if not np.array_equal(np.sort(rows.counts), expected):
            failures.append(rows)
        alive.extend([rows, rows[0], rows.counts])
        del rows
    stop.set()
    for thread in threads:
        thread.join()
    assert not failures


def test_pickle_and_copy_make_arrays_of_their_own():
    import copy
    import pickle

    rows = mote.Neighbors(0.2).update(np.random.default_rng(1).random((100, 3))).rows()
    row = rows[0]
    for other in (pickle.loads(pickle.dumps(row)), copy.deepcopy(row)):
        assert np.array_equal(other, row) and (other.base is None or other.base is not row.base)
