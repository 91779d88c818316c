# SPDX-License-Identifier: MIT
"""The interpreter's lock is free during calls, searches run beside each other, and forks work."""

import ctypes
import os
import sys
import threading

import numpy as np
import pytest

import mote
from mote import _abi
from mote._library import lib

POINTS = np.random.default_rng(0).random((100_000, 3)).astype(np.float32)


def test_another_thread_runs_during_a_search():
    """Threads change only where a call lets go of the lock: another one can count only during the search itself."""
    search = mote.Neighbors(0.05, threads=1).update(POINTS)
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            ctypes.CDLL(None).usleep(0)  # lets go, so that the search can return

    interval = sys.getswitchinterval()
    thread = threading.Thread(target=count)
    thread.start()
    try:
        sys.setswitchinterval(100)
        for _ in range(1000):
            lists, pointer, function = _abi.mote_lists(), search._search.pointer, lib.mote_neighbors_lists
            before = counted[0]
            function(pointer, ctypes.byref(lists), None)
            after = counted[0]
            if after > before:
                break
        assert after > before
    finally:
        sys.setswitchinterval(interval)
        stop.set()
        thread.join()


def test_two_searches_in_two_threads():
    expected = [mote.Neighbors(radius, threads=1).update(POINTS).rows() for radius in (0.02, 0.03)]
    failures = []

    def work(radius, right):
        search = mote.Neighbors(radius, threads=2)
        for _ in range(5):
            rows = search.update(POINTS).rows()
            if not (np.array_equal(rows.counts, right.counts) and np.array_equal(rows.indices, right.indices)):
                failures.append(radius)

    threads = [threading.Thread(target=work, args=(0.02 + 0.01 * k, expected[k])) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_one_search_in_many_threads():
    """Calls for one search wait for each other: nothing breaks, and every answer is that of some update."""
    search = mote.Neighbors(0.1).update(POINTS[:3000])
    totals = {mote.Neighbors(0.1).update(POINTS[:n]).rows().total for n in (1000, 3000)}
    failures = []

    def work(seed):
        random = np.random.default_rng(seed)
        for _ in range(30):
            try:
                if random.random() < 0.5:
                    search.update(POINTS[: random.choice([1000, 3000])])
                rows = search.rows()
                if rows.total not in totals:
                    failures.append(rows.total)
            except Exception as error:  # noqa: BLE001
                failures.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[:3]


def in_child(function):
    """Runs a function in a forked child; its exit status says whether it returned true."""
    child = os.fork()
    if child == 0:
        status = 3
        try:
            status = 0 if function() else 1
        except BaseException as error:  # noqa: BLE001
            print(repr(error), file=sys.stderr)
        os._exit(status)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.parametrize("threads", [None, 1, 3])
def test_fork(threads):
    search = mote.Neighbors(0.02, threads=threads).update(POINTS)
    rows = search.rows()
    expected = rows.total, rows.counts.copy()

    def again():
        fresh = mote.Neighbors(0.02, threads=threads).update(POINTS).rows()
        old = search.update(POINTS).rows()
        return fresh.total == old.total == expected[0] and np.array_equal(rows.counts, expected[1])

    assert in_child(again) == 0
    assert in_child(again) == 0
    assert again()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_fork_while_another_thread_searches():
    """The child is told that it cannot use that search, instead of waiting for ever; another one works."""
    search = mote.Neighbors(0.02).update(POINTS)
    inside, leave = threading.Event(), threading.Event()

    def hold():
        with search._guard:
            inside.set()
            leave.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    inside.wait(60)

    def use():
        try:
            search.rows()
        except RuntimeError as error:
            return "forked" in str(error) and mote.Neighbors(0.02).update(POINTS[:100]).rows() is not None
        return False

    try:
        assert in_child(use) == 0
    finally:
        leave.set()
        thread.join()
    assert search.rows().total > 0


def test_multiprocessing():
    import multiprocessing

    mote.Neighbors(0.02).update(POINTS).rows()
    with multiprocessing.get_context("fork").Pool(2) as pool:
        totals = pool.map(total_of, [0.01, 0.02, 0.03])
    assert totals == [total_of(radius) for radius in (0.01, 0.02, 0.03)]


def total_of(radius):
    return mote.Neighbors(radius).update(POINTS).rows().total
