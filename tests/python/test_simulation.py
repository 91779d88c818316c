# SPDX-License-Identifier: MIT
"""Simulations of scene files: steps, views that know when they are stale, Ctrl-C."""

import copy
import json
import operator
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import mote

SCENE = {
    "title": "A column",
    "dimensions": 2,
    "end_time": 0.2,
    "frames": 5,
    "fluid": {"spacing": 0.05},
    "tank": {"min": [0, 0, 0], "max": [1, 0, 1], "open_z_max": True},
    "blocks": [{"min": [0, 0, 0], "max": [0.3, 0, 0.6]}],
}


@pytest.fixture
def scene(tmp_path):
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(SCENE))
    try:
        mote.Simulation(path)
    except mote.Unsupported as error:
        pytest.skip(str(error))
    return path


def test_run(scene):
    run = mote.Simulation(scene, threads=1)
    assert (
        run.title == "A column"
        and run.end_time == 0.2
        and run.time == 0
        and np.allclose(run.frame_times, [0, 0.05, 0.1, 0.15, 0.2])
    )
    fluid = run["particles"]
    assert (
        fluid.kind == "fluid"
        and fluid.count == 72
        and {"position", "velocity", "id"} <= set(fluid)
        and len(fluid) >= 3
    )
    assert [one.kind for one in run.objects].count("boundary") == 1
    position = fluid["position"]
    assert (
        position.shape == (72, 3) and position.dtype == np.float64 and position.unit == "m" and "m" in repr(position)
    )
    start = np.asarray(position)
    assert start.shape == (72, 3) and np.allclose(position.copy(), start) and np.allclose((position + 1) - 1, start)
    assert np.allclose(position[:, 0].max(), start[:, 0].max()) and np.isclose(position.mean(), start.mean())
    assert len(list(position)) == 72 and np.allclose(np.sum(position, axis=0), start.sum(axis=0))
    for write in (
        lambda: operator.iadd(position, 1),
        lambda: operator.imul(position, 2),
        lambda: np.add(start, 1, out=position),
        lambda: np.divmod(start, 1, out=(None, position)),
        lambda: np.add.at(position, 0, 1),
        lambda: operator.setitem(position, 0, 1),
    ):
        with pytest.raises(ValueError, match="position: .* read-only, expected its copy"):
            write()
    sums = np.add(start, 1, out=np.zeros_like(start), where=position > 0)
    assert np.array_equal(np.add(position, 1, out=np.zeros_like(start), where=start > 0), sums)
    grown = start.copy()
    grown += position
    assert np.array_equal(grown, 2 * start) and np.array_equal(position.copy(), start)
    for one in (run, fluid, position):
        with pytest.raises(TypeError, match="cannot be .*pickled"):
            pickle.dumps(one)
    assert np.array_equal(copy.deepcopy(position), start)
    dt = run.step()
    assert 0 < dt and run.time == dt
    for use in (
        position.copy,
        lambda: np.asarray(position),
        lambda: position[0],
        lambda: position + 1,
        lambda: position.mean(),
        lambda: position > 0,
        lambda: mote.capped_distance(position, start, 0.1),
        lambda: mote.pairs("ij", position, 0.1),
        lambda: mote.KDTree(position),
        lambda: mote.primitive_neighbor_list("ij", False, np.eye(3), position, 0.1),
    ):
        with pytest.raises(mote.StateError, match="gone on"):
            use()
    assert fluid.is_stale and "stale" in repr(position)
    with pytest.raises(mote.StateError):
        fluid["position"].copy()
    with pytest.raises(KeyError, match="expected one of"):
        fluid["speed"]
    with pytest.raises(KeyError, match="particles"):
        run["water"]
    run.run_until(0.05)
    assert run.time == 0.05 and run.counters["steps"] > 1 and run.byte_count > 0
    assert not np.allclose(run["particles"]["position"].copy(), start)
    assert run.quantities()["particles"] == 72
    run.validate()
    with pytest.raises(ValueError):
        run.run_until(np.inf)
    with pytest.raises(ValueError):
        run.step(-1)
    position = run["particles"]["position"]
    for call, text in (
        (lambda: run.step(None), "max_dt is None, expected a number above 0"),
        (lambda: run.step(np.nan), "max_dt is nan, expected a number above 0"),
        (lambda: run.run_until("1"), "time is '1', expected a finite number"),
        (lambda: run.run_until(1, 3), "stop: 3, expected a function"),
        (lambda: run.restore(None), "data: None, expected bytes"),
    ):
        with pytest.raises(ValueError, match=text):
            call()
    assert len(position.copy()) == 72  # nothing has gone on


def test_shapes(tmp_path, scene):
    """Points of a file, which has x and z in 2D, and expressions."""
    (tmp_path / "drop.csv").write_text("0.5,0.5\n0.55,0.5\n0.6,0.5\n")
    ball = {"shape": "ball", "center": [0.7, 0, 0.8], "radius": 0.1, "velocity": ["2*x", 0, "-z"], "pressure": 0}
    path = tmp_path / "shapes.json"
    path.write_text(json.dumps({**SCENE, "blocks": [{"shape": "points", "points": "drop.csv"}, ball]}))
    fluid = mote.Simulation(path)["particles"]
    place, velocity = np.asarray(fluid["position"]), np.asarray(fluid["velocity"])
    order = np.argsort(np.asarray(fluid["id"]))
    assert np.allclose(place[order][:3], [[0.5, 0, 0.5], [0.55, 0, 0.5], [0.6, 0, 0.5]])
    assert np.allclose(velocity[order][3:, 0], 2 * place[order][3:, 0])
    for name in ("missing.csv", ""):
        path.write_text(json.dumps({**SCENE, "blocks": [{"shape": "points", "points": name}]}))
        with pytest.raises((ValueError, OSError), match=r"blocks\[0\].points"):
            mote.Simulation(path)


def test_motion_tables(tmp_path, scene):
    """A tank that a table moves takes its water along."""
    (tmp_path / "shake.csv").write_text("t,x\n0,0\n0.1,0.1\n0.2,0.3\n")
    path = tmp_path / "shake.json"
    fluid = {**SCENE["fluid"], "preset": "engineering"}
    path.write_text(json.dumps({**SCENE, "fluid": fluid, "tank": {**SCENE["tank"], "motion_table": "shake.csv"}}))
    run = mote.Simulation(path)
    start = np.asarray(run["particles"]["position"])[:, 0].mean()
    run.run_until(0.1)
    assert np.asarray(run["particles"]["position"])[:, 0].mean() > start
    path.write_text(json.dumps({**SCENE, "fluid": fluid, "tank": {**SCENE["tank"], "motion_table": "none.csv"}}))
    with pytest.raises((ValueError, OSError), match="tank.motion_table"):
        mote.Simulation(path)


def test_stop_and_exceptions(scene):
    run, times = mote.Simulation(scene), []

    def stop(simulation):
        times.append(simulation.time)
        simulation["particles"]["position"].copy()
        return len(times) == 3

    run.run_until(1, stop)
    assert len(times) == 3 and run.time == times[-1]

    class Wanted(Exception):
        pass

    def fail(simulation):
        raise Wanted

    with pytest.raises(Wanted):
        run.run_until(1, fail)
    assert run.counters["steps"] == 4


def test_same_bits_as_in_one_go(scene):
    """run_until stops after every step on this side, which changes nothing; and a state goes on where it was."""
    a, b = mote.Simulation(scene), mote.Simulation(scene)
    a.run_until(0.1)
    b.run_until(0.05)
    state = b.to_bytes()
    c = mote.Simulation(scene)
    c.restore(state)
    b.run_until(0.08)
    c.run_until(0.08)
    assert b["particles"]["position"].copy().tobytes() == c["particles"]["position"].copy().tobytes()
    with pytest.raises(ValueError):
        c.restore(state[:-3])
    assert a.time == 0.1


def test_interrupt(scene):
    """Ctrl-C during a long run ends it after the step; the handler of before is back."""
    run, before = mote.Simulation(scene), signal.getsignal(signal.SIGINT)

    def stop(simulation):
        if simulation.counters["steps"] == 5:
            os.kill(os.getpid(), signal.SIGINT)
        return simulation.counters["steps"] > 100

    with pytest.raises(KeyboardInterrupt):
        run.run_until(10, stop)
    assert 5 <= run.counters["steps"] <= 7 and signal.getsignal(signal.SIGINT) is before
    run.validate()
    run.run_until(run.time + 0.001)
    script = (
        "import mote, os, signal, sys, threading\n"
        f"run = mote.Simulation({str(scene)!r})\n"
        "threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "try:\n    run.run_until(1e6)\nexcept KeyboardInterrupt:\n    print('ended', run.time > 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.stdout == "ended True\n" and done.stderr == ""


def test_in_another_thread(scene):
    run, failures = mote.Simulation(scene), []

    def work():
        try:
            run.run_until(0.02)
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    while thread.is_alive():
        try:
            run["particles"]["position"].copy()
        except mote.StateError:
            pass
    thread.join()
    assert not failures and run.time == 0.02


def test_solids(tmp_path, scene):
    mote.Mesh.spheres([[0, 0, 0]], 1.0, 0.5).save(tmp_path / "ball.ply")
    solid = {
        **SCENE,
        "dimensions": 3,
        "solids": [{"name": "ball", "mesh": "ball.ply", "scale": 0.1, "translate": [0.7, 0.5, 0.3]}],
        "tank": {"min": [0, 0, 0], "max": [1, 1, 1], "open_z_max": True},
        "blocks": [{"min": [0, 0, 0], "max": [0.3, 1, 0.3]}],
    }
    path = tmp_path / "solid.json"
    path.write_text(json.dumps(solid))
    run = mote.Simulation(path)
    assert np.allclose(run.meshes[0].box.mean(axis=0), [0.7, 0.5, 0.3]) and run["ball"].kind == "solid"
    run.step()
    solid["solids"][0]["mesh"] = "none.ply"
    path.write_text(json.dumps(solid))
    with pytest.raises(OSError, match="none.ply"):
        mote.Simulation(path)


@pytest.mark.parametrize(
    "change, text",
    [
        ({"dimensionz": 2}, "did you mean dimensions|dimensions"),
        ({"fluid": {"spacing": -1}}, "spacing"),
        ({"blocks": 3}, "blocks"),
    ],
)
def test_bad_scenes(tmp_path, scene, change, text):
    path = tmp_path / "bad.json"
    path.write_text(json.dumps({**SCENE, **change}, indent=1))
    with pytest.raises(ValueError, match=text) as caught:
        mote.Simulation(path)
    assert "bad.json" in str(caught.value) and caught.value.line > 0
    with pytest.raises(OSError, match="missing.json"):
        mote.Simulation(pathlib.Path(tmp_path) / "missing.json")


def test_gauges(tmp_path, scene):
    gauges = [
        {"name": "h", "kind": "height", "at": [0.2, 0, 0]},
        {"name": "v", "kind": "velocity", "at": [0.1, 0, 0.1]},
    ]
    path = tmp_path / "gauges.json"
    path.write_text(json.dumps({**SCENE, "gauges": gauges}))
    run = mote.Simulation(path)
    # 0.6 m of water that its weight compresses
    assert run.gauges()["h"] == pytest.approx(0.597, abs=2e-4) and run.gauges()["v"] == {"x": 0, "y": 0, "z": 0}
    run.run_until(0.1)
    assert run.gauges()["h"] < 0.6 and run.gauges()["v"]["x"] > 0
    assert mote.Simulation(scene).gauges() == {}
