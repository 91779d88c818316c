# SPDX-License-Identifier: MIT
"""Simulations from scene files: stepped, looked at, and stopped."""

from __future__ import annotations

import ctypes
import math
import os
import signal
import sys
import threading
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Union

import numpy as np

from . import _abi
from ._checks import number, value_text
from ._context import Context, Native, context_for
from ._library import StateError, check, io, lib
from ._objects import Object, as_dict
from ._points import address_of, byte_array, text_of, view
from .mesh import Mesh

__all__ = ["Simulation", "SimulationObject", "StepArray"]

_SPHERE_EDGE = 2.5  # of triangles of solids that are spheres, in spacings of the fluid: as `mote run` has it
_TYPES = {
    _abi.MOTE_ARRAY_F32: "f4",
    _abi.MOTE_ARRAY_F64: "f8",
    _abi.MOTE_ARRAY_I8: "i1",
    _abi.MOTE_ARRAY_U8: "u1",
    _abi.MOTE_ARRAY_I16: "i2",
    _abi.MOTE_ARRAY_U16: "u2",
    _abi.MOTE_ARRAY_I32: "i4",
    _abi.MOTE_ARRAY_U32: "u4",
    _abi.MOTE_ARRAY_I64: "i8",
    _abi.MOTE_ARRAY_U64: "u8",
}


class Simulation(Object):
    """A run of a scene file, step by step.

    ::

        run = mote.Simulation("scenes/dam-break-2d.json")
        run.run_until(0.5)
        fluid = run["particles"]
        print(run.time, fluid["velocity"].copy().max())

    Parameters
    ----------
    scene : path
        A scene file (JSON, see `mote scene --help`). Meshes that it names are OBJ, PLY, STL or VTP files.
    threads, max_bytes, context
        See `mote.Context`.

    Raises
    ------
    OSError
        A file cannot be read.
    ValueError
        The scene is not what its tables demand: the text says where, and what was expected.
    mote.Unsupported
        libmote-io is not there.
    """

    def __init__(
        self,
        scene: Union[str, "os.PathLike[str]"],
        *,
        threads: Optional[int] = None,
        max_bytes: Optional[int] = None,
        context: Optional[Context] = None,
    ) -> None:
        super().__init__(context_for(context, threads, max_bytes))
        self._epoch = 0
        self._meshes: List[Mesh] = []
        path = os.fspath(scene)
        made, error = ctypes.c_void_p(), _abi.mote_error()
        result = io.mote_scene_load(
            self._context.native.pointer, os.fsencode(path), None, 0, ctypes.byref(made), ctypes.byref(error)
        )
        if result:
            self._refuse(result, error, path)
        assert made.value is not None
        self._scene = Native(made.value, io.mote_scene_destroy, self._context.native)
        try:
            self._settings = _abi.mote_scene_settings.from_address(io.mote_scene_get_settings(made.value))
            folder = os.path.dirname(os.path.abspath(path))
            self._open_points(folder)
            self._open_meshes(folder)
            self._open_motions(folder)
            simulation = ctypes.c_void_p()
            result = lib.mote_simulation_create(
                self._context.native.pointer,
                ctypes.byref(self._settings.simulation),
                ctypes.byref(simulation),
                ctypes.byref(error),
            )
            if result:
                self._refuse(result, error, path)
            # The simulation reads the meshes and the scene's texts, so it ends before them.
            self._adopt(
                simulation.value,
                lib.mote_simulation_destroy,
                self._scene,
                *(mesh._native for mesh in self._meshes if mesh._native is not None),
            )
        finally:
            self._scene.release()

    @staticmethod
    def _refuse(result: int, error: _abi.mote_error, path: str) -> None:
        try:
            check(result, error)
        except Exception as refused:
            refused.args = (f"{path}: {refused.args[0]}",)
            raise

    def _open_points(self, folder: str) -> None:
        """The points of blocks, which the simulation reads while it is created."""
        definition = self._settings.simulation
        self._points: List[Any] = []
        if not definition.block_count:
            return
        assert definition.blocks
        blocks = (_abi.mote_block_def * definition.block_count).from_address(definition.blocks)
        for k, block in enumerate(blocks):
            if block.shape != _abi.MOTE_SHAPE_POINTS:
                continue
            try:
                points = self._read_points(block.points_file, folder)
            except (ValueError, OSError) as error:
                error.args = (f"blocks[{k}].points: {error.args[-1]}",)
                raise
            if points.shape[1] == 2 and definition.fluid.dimensions == 2:  # x and z, as `mote run` has it
                points = np.column_stack([points[:, 0], np.zeros(len(points)), points[:, 1]])
            points = np.ascontiguousarray(points, np.float64)
            self._points.append(points)
            io.mote_scene_set_points(self._scene.pointer, k, address_of(points), len(points))

    def _read_points(self, name: bytes, folder: str) -> Any:
        """A file's points, with as many columns as it has; three, unless it has two."""
        data, path, error = _abi.mote_point_data(), ctypes.create_string_buffer(4096), _abi.mote_error()
        context = self._context.native.pointer
        check(io.mote_import_find(name, os.fsencode(folder), path, len(path), ctypes.byref(error)), error)
        check(io.mote_import_points(context, path.value, ctypes.byref(data), ctypes.byref(error)), error)
        try:
            if not data.count:
                raise ValueError("the file has no points")
            points = np.array(view(data.xyz, (int(data.count), 3), "<f8", None))
            return points[:, :2] if data.dimensions == 2 else points
        finally:
            io.mote_point_data_release(ctypes.byref(data))

    def _open_motions(self, folder: str) -> None:
        """The tables of motions, which the simulation reads while it is created."""
        definition = self._settings.simulation
        motions = [("tank", -1, definition.tank.motion)]
        if definition.solid_count:
            assert definition.solids
            solids = (_abi.mote_solid_def * definition.solid_count).from_address(definition.solids)
            motions += [(f"solids[{k}]", k, solid.motion) for k, solid in enumerate(solids)]
        for owner, k, motion in motions:
            if not motion.table_file:
                continue
            try:
                rows = self._read_motion(motion.table_file, folder)
            except (ValueError, OSError) as error:
                error.args = (f"{owner}.motion_table: {error.args[-1]}",)
                raise
            self._points.append(rows)
            number = ctypes.c_size_t(k).value  # SIZE_MAX is the tank
            io.mote_scene_set_motion(self._scene.pointer, number, address_of(rows), len(rows))

    def _read_motion(self, name: bytes, folder: str) -> Any:
        data, path, error = _abi.mote_motion_data(), ctypes.create_string_buffer(4096), _abi.mote_error()
        context = self._context.native.pointer
        check(io.mote_import_find(name, os.fsencode(folder), path, len(path), ctypes.byref(error)), error)
        check(io.mote_import_motion(context, path.value, ctypes.byref(data), ctypes.byref(error)), error)
        try:
            return np.array(view(data.rows, (int(data.count), _abi.MOTE_MOTION_NUMBERS), "<f8", None))
        finally:
            io.mote_motion_data_release(ctypes.byref(data))

    def _open_meshes(self, folder: str) -> None:
        definition = self._settings.simulation
        if not definition.solid_count:
            return
        assert definition.solids
        solids = (_abi.mote_solid_def * definition.solid_count).from_address(definition.solids)
        for k, solid in enumerate(solids):
            try:
                mesh = self._open_mesh(solid, folder, definition.fluid.spacing)
            except (ValueError, OSError) as error:
                error.args = (f"solids[{k}]: {error.args[-1]}",)
                raise
            self._meshes.append(mesh)
            io.mote_scene_set_mesh(self._scene.pointer, k, mesh._pointer)

    def _open_mesh(self, solid: _abi.mote_solid_def, folder: str, spacing: float) -> Mesh:
        """A solid's mesh, made, welded, placed and cut in the order of `mote run`."""
        error = _abi.mote_error()
        place = solid.placement
        if solid.spheres.count:
            spheres: Any = (_abi.mote_sphere * solid.spheres.count)()
            check(
                lib.mote_spheres_arrange(
                    self._context.native.pointer, ctypes.byref(solid.spheres), spheres, ctypes.byref(error)
                ),
                error,
            )
            table = np.frombuffer(spheres, np.float64).reshape(-1, 4)
            mesh = Mesh._of_spheres(table, _SPHERE_EDGE * spacing, self._context)
        elif solid.shape.kind != _abi.MOTE_SOLID_OF_MESH:
            made = ctypes.c_void_p()
            dimensions = self._settings.simulation.fluid.dimensions
            check(
                lib.mote_mesh_create_shape(
                    self._context.native.pointer,
                    ctypes.byref(solid.shape),
                    dimensions,
                    spacing / place.scale,
                    ctypes.byref(made),
                    ctypes.byref(error),
                ),
                error,
            )
            assert made.value is not None
            mesh = Mesh._from(made.value, self._context)
        else:
            path = ctypes.create_string_buffer(4096)
            check(
                io.mote_import_find(solid.mesh_file, os.fsencode(folder), path, len(path), ctypes.byref(error)), error
            )
            mesh = Mesh.load(os.fsdecode(path.value), context=self._context)
            if not math.isnan(solid.weld):
                mesh = mesh.weld(solid.weld / place.scale)
        mesh = mesh.place(
            place.scale,
            (place.rotate.x, place.rotate.y, place.rotate.z),
            (place.translate.x, place.translate.y, place.translate.z),
        )
        normal = solid.cut_normal
        if normal.x or normal.y or normal.z:
            point = solid.cut_point
            mesh = mesh.cut((point.x, point.y, point.z), (normal.x, normal.y, normal.z))
        return mesh

    # ------------------------------------------------------------------------------------------------- what was told

    @property
    def title(self) -> str:
        """The scene's title."""
        return text_of(self._settings.title)

    @property
    def end_time(self) -> float:
        """When the scene ends [s]."""
        return float(self._settings.end_time)

    @property
    def frame_times(self) -> Any:
        """The times that the scene wants pictures of [s]; the first is the start."""
        return np.linspace(0.0, self.end_time, max(int(self._settings.frames), 1))

    @property
    def time(self) -> float:
        """The present time [s]."""
        return float(lib.mote_simulation_time(self._pointer))

    @property
    def meshes(self) -> List[Mesh]:
        """The solids, placed."""
        return list(self._meshes)

    # ------------------------------------------------------------------------------------------------------- going on

    def step(self, max_dt: float = math.inf) -> float:
        """Makes one step of the largest stable length, but at most `max_dt`; returns its length [s]. Arrays of earlier
        steps are stale from here on."""
        dt, most = ctypes.c_double(), min(number(max_dt, "max_dt", "a number above 0 [s]"), sys.float_info.max)
        self._epoch += 1
        self._call(lib.mote_simulation_step, most, ctypes.byref(dt))
        return float(dt.value)

    def run_until(self, time: float, stop: Optional[Callable[["Simulation"], Any]] = None) -> None:
        """Makes steps until exactly `time` [s].

        Parameters
        ----------
        stop : callable, optional
            Called with this simulation after every step; where it returns something true, the run ends early.

        Ctrl-C ends the run after the present step; the simulation is whole then, and may go on.
        """
        end = number(time, "time", "a finite number [s]")
        if stop is not None and not callable(stop):
            raise ValueError(f"stop: {value_text(stop)}, expected a function of the simulation")
        with _Interrupts() as interrupts:
            while True:
                before = self.counters["steps"]
                self._epoch += 1
                self._call(lib.mote_simulation_run_until, end, _AFTER_EACH_STEP, None)
                interrupts.raise_if_any()
                if self.counters["steps"] == before or (stop is not None and stop(self)):
                    return

    # ------------------------------------------------------------------------------------------------------- looking

    def _views(self) -> List[_abi.mote_object_view]:
        found = []
        for k in range(int(lib.mote_simulation_object_count(self._pointer))):
            one = _abi.mote_object_view()
            self._call(lib.mote_simulation_get_object, k, ctypes.byref(one))
            found.append(one)
        return found

    @property
    def objects(self) -> List["SimulationObject"]:
        """All objects: tank, solids, fluid, boundary, grains."""
        return [SimulationObject(self, k, one) for k, one in enumerate(self._views())]

    def __getitem__(self, name: str) -> "SimulationObject":
        names = []
        for k, one in enumerate(self._views()):
            names.append(text_of(one.name))
            if names[-1] == name:
                return SimulationObject(self, k, one)
        raise KeyError(f"{name!r}, expected one of {', '.join(names)}")

    def quantities(self) -> Dict[str, Any]:
        """Counts, totals and extreme values of all objects as they are now, by name; those of inlets, outlets and
        drains as "jet.mass_in". Costs a pass over all of them."""
        found: Dict[str, Any] = {}
        array, count = (_abi.mote_quantity * _abi.MOTE_OBJECT_QUANTITIES)(), ctypes.c_size_t()
        for k in range(int(lib.mote_simulation_object_count(self._pointer))):
            self._call(lib.mote_simulation_get_quantities, k, array, ctypes.byref(count))
            for one in array[: count.value]:
                values = tuple(one.value[: one.components])
                name = f"{text_of(one.of)}.{text_of(one.name)}" if one.of else text_of(one.name)
                found[name] = values[0] if one.components == 1 else values
        return found

    def gauges(self) -> Dict[str, Any]:
        """The latest row of each gauge by its name: a number, or numbers by their names. NaN: nothing to measure."""
        found: Dict[str, Any] = {}
        one = _abi.mote_gauge_view()
        for k in range(int(lib.mote_simulation_gauge_count(self._pointer))):
            self._call(lib.mote_simulation_get_gauge, k, ctypes.byref(one))
            kind = _abi.mote_gauge_kind_info.from_address(one.kind or 0)
            names = [text_of(value.name) for value in kind.values[: kind.value_count]]
            row = dict(zip(names, one.values))
            found[text_of(one.name)] = row if len(names) > 1 else one.values[0]
        return found

    @property
    def counters(self) -> Dict[str, Any]:
        """Work done so far: steps, particle_steps, search_seconds, total_seconds."""
        return as_dict(lib.mote_simulation_get_counters(self._pointer))

    @property
    def byte_count(self) -> int:
        """Bytes of all objects."""
        return int(lib.mote_simulation_byte_count(self._pointer))

    def validate(self) -> None:
        """Checks every invariant of all objects: RuntimeError says which is broken."""
        self._validate(lib.mote_simulation_validate)

    # ------------------------------------------------------------------------------------------------------- keeping

    def to_bytes(self) -> bytes:
        """The state, from which a simulation of the same scene continues with the same bits."""
        parts: List[bytes] = []

        def put(_user: Any, address: int, length: int) -> bool:
            parts.append(ctypes.string_at(address, length))
            return True

        self._call(lib.mote_simulation_write, _abi.CALLBACKS["mote_sink"](put), None)
        return b"".join(parts)

    def restore(self, data: bytes) -> None:
        """Replaces the state by one that to_bytes() wrote. ValueError: damaged, or of another scene."""
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise ValueError(f"data: {value_text(data)}, expected bytes that to_bytes() wrote")
        data = bytes(data)
        self._epoch += 1
        self._call(lib.mote_simulation_read, byte_array(data), len(data))

    def __repr__(self) -> str:
        return f"<mote.Simulation: {self.title!r} at {self.time:g} s>"


# libmote returns after every step: what follows runs outside of it, and may use the simulation.
_AFTER_EACH_STEP = _abi.CALLBACKS["mote_simulation_stop"](lambda _user, _simulation: True)


class _Interrupts:
    """While steps are made, SIGINT only notes that it came: an exception inside of a callback would be lost."""

    def __init__(self) -> None:
        self._before: Any = None
        self._came = False

    def __enter__(self) -> "_Interrupts":
        if threading.current_thread() is threading.main_thread():
            self._before = signal.getsignal(signal.SIGINT)
            if callable(self._before):
                signal.signal(signal.SIGINT, self._note)
        return self

    def _note(self, number: int, frame: Any) -> None:
        self._came = True

    def raise_if_any(self) -> None:
        """Does what Ctrl-C does elsewhere, if it came: raises KeyboardInterrupt, unless the program says otherwise."""
        if self._came:
            self._came = False
            self._before(signal.SIGINT, None)

    def __exit__(self, *exception: Any) -> None:
        if callable(self._before):
            signal.signal(signal.SIGINT, self._before)
            if self._came and exception[0] is None:
                self.raise_if_any()


class SimulationObject(Mapping[str, Any]):
    """An object of a simulation as it is at this step: its arrays by name.

    ``run["particles"]["velocity"]`` is a `StepArray`: use it as an array. After the next step everything here raises
    mote.StateError."""

    def __init__(self, simulation: Simulation, number: int, one: _abi.mote_object_view) -> None:
        self._simulation, self._number, self._view, self._epoch = simulation, number, one, simulation._epoch
        self.kind = text_of(one.kind)  #: "fluid", "boundary", "tank", "solid", "grains"
        self.name = text_of(one.name)
        self.count = int(one.count)  #: particles
        self.particle_size = float(one.particle_size)  #: diameter for pictures [m]
        self.is_fixed = bool(one.is_fixed)  #: nothing of it ever changes
        self._arrays = {text_of(array.name): array for array in one.arrays[: one.array_count]}

    @property
    def is_stale(self) -> bool:
        """Whether the simulation has gone on."""
        return self._epoch != self._simulation._epoch

    def __getitem__(self, name: str) -> "StepArray":
        if name not in self._arrays:
            raise KeyError(f"{name!r}, expected one of {', '.join(self._arrays)}")
        return StepArray(self, self._arrays[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __reduce__(self) -> Any:
        raise TypeError("an object of a simulation cannot be copied or pickled: take copies of its arrays")

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name!r}: {self.count} particles, {', '.join(self._arrays)}>"


class StepArray(np.lib.mixins.NDArrayOperatorsMixin):
    """A named array of a simulation's object, valid until the next step; then it says so and shows no old numbers.

    It acts as a read-only numpy array wherever numpy takes one: ``np.asarray(a)``, ``a[i]``, ``a.copy()``, ``a + b``.
    Memory is read when the array is used, and what numpy makes of it is a copy: no array of numpy's can know that the
    simulation has gone on.
    """

    def __init__(self, owner: SimulationObject, array: _abi.mote_array) -> None:
        self._owner, self._array = owner, array
        self.name, self.unit = text_of(array.name), text_of(array.unit)
        self.dtype = np.dtype(_TYPES[array.type])
        self.shape = (owner.count,) if array.components == 1 else (owner.count, int(array.components))
        self.ndim = len(self.shape)

    def _check(self) -> None:
        if self._owner.is_stale:
            raise StateError(
                f"{self.name}: the simulation has gone on since this array was taken, expected "
                f"simulation[{self._owner.name!r}][{self.name!r}] anew"
            )

    def _columns(self) -> List[Any]:
        self._check()
        array, owner = self._array, self._owner
        if not owner.count:
            return [np.empty(0, self.dtype)] * int(array.components)
        found = []
        for k in range(int(array.components)):
            first = view(
                array.component[k],
                ((owner.count - 1) * (array.stride // self.dtype.itemsize) + 1,),
                self.dtype.str,
                owner._simulation,
            )
            found.append(first[:: array.stride // self.dtype.itemsize])
        return found

    def copy(self) -> Any:
        """The array as numpy's, the caller's own."""
        with self._owner._simulation._guard:
            columns = self._columns()
            return columns[0].copy() if self.ndim == 1 else np.stack(columns, axis=1)

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> Any:
        if copy is False:
            raise ValueError(f"{self.name}: a view of a step can only be copied")
        made = self.copy()
        return made if dtype is None else made.astype(dtype)

    def __getitem__(self, key: Any) -> Any:
        return self.copy()[key]

    def __reduce__(self) -> Any:
        raise TypeError(f"{self.name}: an array of a step cannot be pickled, expected its copy()")

    def __deepcopy__(self, memo: Any) -> Any:
        return self.copy()

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.copy())

    def __setitem__(self, key: Any, value: Any) -> None:
        self._refuse_writing()

    def _refuse_writing(self) -> None:
        raise ValueError(f"{self.name}: an array of a step is read-only, expected its copy() to write to")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        for one in tuple(keywords.get("out", ())) + (inputs[:1] if method == "at" else ()):
            if isinstance(one, StepArray):
                one._refuse_writing()
        plain = [one.copy() if isinstance(one, StepArray) else one for one in inputs]
        if isinstance(keywords.get("where"), StepArray):
            keywords["where"] = keywords["where"].copy()
        return getattr(ufunc, method)(*plain, **keywords)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.copy(), name)

    def __repr__(self) -> str:
        state = "stale" if self._owner.is_stale else f"{self.dtype} {self.shape}"
        return f"<{self.name}{f' [{self.unit}]' if self.unit else ''}: {state}>"
