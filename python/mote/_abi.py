# SPDX-License-Identifier: MIT
"""What mote's public headers declare, for ctypes. Written by python/generate.py: do not edit.

All pointers but texts are plain addresses: c_void_p takes NULL, numbers, arrays, functions and byref()."""

from __future__ import annotations

from ctypes import (
    CFUNCTYPE, Array, Structure, c_bool, c_char, c_char_p, c_double, c_float, c_int, c_int8, c_int32, c_int64,
    c_size_t, c_ssize_t, c_uint8, c_uint32, c_uint64, c_void_p,
)
from typing import Any, Dict, Optional, Tuple

VERSION = "0.1.0"

MOTE_OK = 0
MOTE_ERROR_ARGUMENT = 1
MOTE_ERROR_OUT_OF_MEMORY = 2
MOTE_ERROR_NOT_FINITE = 3
MOTE_ERROR_UNSUPPORTED = 4
MOTE_ERROR_STATE = 5
MOTE_ERROR_FILE = 6
MOTE_ERROR_FORMAT = 7
MOTE_ERROR_UNSTABLE = 8
MOTE_RESULT_COUNT = 9
MOTE_SIMD_BEST = 0
MOTE_SIMD_PLAIN = 1
MOTE_SIMD_AVX2 = 2
MOTE_SIMD_AVX512 = 3
MOTE_SIMD_128 = 4
MOTE_F32 = 0
MOTE_F64 = 1
MOTE_FIELD_BOOL = 0
MOTE_FIELD_INT = 1
MOTE_FIELD_SEED = 2
MOTE_FIELD_NUMBER = 3
MOTE_FIELD_VECTOR = 4
MOTE_FIELD_CHOICE = 5
MOTE_FIELD_TEXT = 6
MOTE_FIELD_TOLERANCE = 7
MOTE_FIELD_WORDS = 8
MOTE_FIELD_CORNERS = 9
MOTE_FIELD_WORDS_MOST = 16
MOTE_FIELD_REQUIRED = 1
MOTE_FIELD_ABOVE_MIN = 2
MOTE_FIELD_BELOW_MAX = 4
MOTE_FIELD_DERIVED = 8
MOTE_FIELD_SHARED = 16
MOTE_FIELD_PRESET = 32
MOTE_FIELD_OPTIONAL = 64
MOTE_FIELD_FORMULA = 128
MOTE_ARRAY_F32 = 0
MOTE_ARRAY_F64 = 1
MOTE_ARRAY_I8 = 2
MOTE_ARRAY_U8 = 3
MOTE_ARRAY_I16 = 4
MOTE_ARRAY_U16 = 5
MOTE_ARRAY_I32 = 6
MOTE_ARRAY_U32 = 7
MOTE_ARRAY_I64 = 8
MOTE_ARRAY_U64 = 9
MOTE_ARRAY_COMPONENTS = 9
MOTE_STATE_TAIT = 0
MOTE_STATE_IDEAL_GAS = 1
MOTE_DENSITY_SUMMATION = 0
MOTE_DENSITY_CONTINUITY = 1
MOTE_DENSITY_NUMBER = 2
MOTE_SOLVER_ONDERIK = 0
MOTE_SOLVER_WEAK = 1
MOTE_VISCOSITY_CENTRAL = 0
MOTE_VISCOSITY_LAPLACIAN = 1
MOTE_SHIFTING_NONE = 0
MOTE_SHIFTING_TRANSPORT = 1
MOTE_SHIFTING_FREE_SURFACE = 2
MOTE_TENSILE_EXCHANGE = 0
MOTE_TENSILE_SWITCH = 1
MOTE_TENSILE_NONE = 2
MOTE_DIFFUSION_FOURTAKAS = 0
MOTE_DIFFUSION_MOLTENI = 1
MOTE_DIFFUSION_ANTUONO = 2
MOTE_LISTS_AUTO = 0
MOTE_LISTS_KEPT = 1
MOTE_LISTS_NONE = 2
MOTE_STEPS_GLOBAL = 0
MOTE_STEPS_INDIVIDUAL = 1
MOTE_STEPS_POSITIONS = 2
MOTE_PRESET_FAST = 0
MOTE_PRESET_DOCUMENT = 1
MOTE_PRESET_ENGINEERING = 2
MOTE_PHASES_MOST = 16
MOTE_BOUNDARY_AUTO = 0
MOTE_BOUNDARY_PLANES = 1
MOTE_BOUNDARY_LAYERS = 2
MOTE_BOUNDARY_SAMPLES = 3
MOTE_BOUNDARY_FIELD = 4
MOTE_BOUNDARY_PROXY = 5
MOTE_BOUNDARY_PROXY_PLANES = 6
MOTE_MOTION_COLUMNS = 5
MOTE_NO_OBJECT = 0xFFFFFFFF
MOTE_OBJECT_MOVING = 0
MOTE_OBJECT_STATIC = 1
MOTE_SOLID_OF_MESH = 0
MOTE_SOLID_BOX = 1
MOTE_SOLID_BALL = 2
MOTE_SOLID_CYLINDER = 3
MOTE_SOLID_POLYGON = 4
MOTE_SOLID_DISC = 5
MOTE_FEATURE_FACE = 0
MOTE_FEATURE_EDGE = 1
MOTE_FEATURE_VERTEX = 2
MOTE_RESPONSE_BOUNCE = 0
MOTE_RESPONSE_SLIDE = 1
MOTE_RESPONSE_STICK = 2
MOTE_RESPONSE_STOP = 3
MOTE_RESPONSE_KILL = 4
MOTE_PROXY_DEEPEST = 16
MOTE_PROXY_FOLLOWS = -1
MOTE_PROXY_MEAN = 0
MOTE_PROXY_SUM = 1
MOTE_PROXY_HEAD_BYTES = 144
MOTE_PROXY_UNKNOWN = 0
MOTE_PROXY_FRONT = 1
MOTE_PROXY_BACK = 2
MOTE_PROXY_TWO_SIDED = 4096
MOTE_PROXY_RIM = 8192
MOTE_PROXY_LEAF_DEPTH = 16
MOTE_PROXY_EMPTY = 0
MOTE_PROXY_LEAF = 4
MOTE_PROXY_INNER = 5
MOTE_PROXY_SAME_SHIFT = 8
MOTE_PROXY_CLEAR_SHIFT = 20
MOTE_PROXY_RINGS = 4095
MOTE_GRAINS_EXACT = 0
MOTE_GRAINS_PROXY = 1
MOTE_CONTACT_HIT = 0
MOTE_CONTACT_SQUEEZED = 1
MOTE_CONTACT_CRUSHED = 2
MOTE_SIGN_NORMAL = 0
MOTE_SIGN_WINDING = 1
MOTE_FRAME_LAST = -1
MOTE_MOTION_NUMBERS = 5
MOTE_NEIGHBORS_F64 = 1
MOTE_NEIGHBORS_QUERY = 2
MOTE_NEIGHBORS_SUBSET = 4
MOTE_NEIGHBORS_HALF = 8
MOTE_NEIGHBORS_ASCENDING = 16
MOTE_NEIGHBORS_DISTANCES = 32
MOTE_NEIGHBORS_DIFFERENCES = 64
MOTE_NEIGHBORS_RADII = 128
MOTE_NEIGHBORS_PERIODIC = 256
MOTE_NEIGHBORS_SKIN = 512
MOTE_NEIGHBORS_PERMUTATION = 1024
MOTE_NEIGHBORS_NEAREST = 2048
MOTE_NEIGHBORS_GROUPS = 4096
MOTE_RADIUS_MINE = 0
MOTE_RADIUS_LARGER = 1
MOTE_RADIUS_SUM = 2
MOTE_HASH_XOR = 0
MOTE_HASH_ADDITIVE = 1
MOTE_OPENINGS_MOST = 64
MOTE_PROJECTION_AUTO = 0
MOTE_PROJECTION_PERSPECTIVE = 1
MOTE_PROJECTION_ORTHOGRAPHIC = 2
MOTE_STYLE_PARTICLES = 0
MOTE_STYLE_SURFACE = 1
MOTE_STYLE_WATER = 2
MOTE_TENSION_STRESS = 0
MOTE_TENSION_CURVATURE = 1
MOTE_TENSION_WEIGHTED_STRESS = 2
MOTE_TENSION_DOCUMENT = 3
MOTE_TENSION_DOCUMENT_CURVATURE = 4
MOTE_TENSION_COHESION = 5
MOTE_TENSION_PLAIN_CURVATURE = 6
MOTE_OBJECT_ARRAYS = 16
MOTE_OBJECT_GROUPS = 16
MOTE_SHAPE_BOX = 0
MOTE_SHAPE_BALL = 1
MOTE_SHAPE_CYLINDER = 2
MOTE_SHAPE_POINTS = 3
MOTE_GAUGE_PRESSURE = 0
MOTE_GAUGE_WALL_PRESSURE = 1
MOTE_GAUGE_VELOCITY = 2
MOTE_GAUGE_HEIGHT = 3
MOTE_GAUGE_FRONT = 4
MOTE_GAUGE_FLOW = 5
MOTE_GAUGE_ENERGY = 6
MOTE_GAUGE_EXTREMES = 7
MOTE_GAUGE_FORCE = 8
MOTE_GAUGE_MOMENT = 9
MOTE_PARTICLES_APART = 0
MOTE_PARTICLES_LIQUID = 1
MOTE_PARTICLES_WALL = 2
MOTE_OBJECT_QUANTITIES = 16
MOTE_GAUGE_VALUES = 4
MOTE_GAUGE_NEEDS = 4
MOTE_SURFACE_NORMALS_NONE = 0
MOTE_SURFACE_NORMALS_ANGLE = 1
MOTE_SURFACE_NORMALS_FIELD = 2
MOTE_SURFACE_KERNEL_ISOTROPIC = 0
MOTE_SURFACE_KERNEL_ANISOTROPIC = 1

# The values of each enum, by name.
ENUMS: Dict[str, Tuple[str, ...]] = {
    "mote_result": ("MOTE_OK", "MOTE_ERROR_ARGUMENT", "MOTE_ERROR_OUT_OF_MEMORY", "MOTE_ERROR_NOT_FINITE",
        "MOTE_ERROR_UNSUPPORTED", "MOTE_ERROR_STATE", "MOTE_ERROR_FILE", "MOTE_ERROR_FORMAT", "MOTE_ERROR_UNSTABLE",
        "MOTE_RESULT_COUNT"),
    "mote_simd": ("MOTE_SIMD_BEST", "MOTE_SIMD_PLAIN", "MOTE_SIMD_AVX2", "MOTE_SIMD_AVX512", "MOTE_SIMD_128"),
    "mote_scalar": ("MOTE_F32", "MOTE_F64"),
    "mote_field_type": ("MOTE_FIELD_BOOL", "MOTE_FIELD_INT", "MOTE_FIELD_SEED", "MOTE_FIELD_NUMBER",
        "MOTE_FIELD_VECTOR", "MOTE_FIELD_CHOICE", "MOTE_FIELD_TEXT", "MOTE_FIELD_TOLERANCE", "MOTE_FIELD_WORDS",
        "MOTE_FIELD_CORNERS"),
    "mote_array_type": ("MOTE_ARRAY_F32", "MOTE_ARRAY_F64", "MOTE_ARRAY_I8", "MOTE_ARRAY_U8", "MOTE_ARRAY_I16",
        "MOTE_ARRAY_U16", "MOTE_ARRAY_I32", "MOTE_ARRAY_U32", "MOTE_ARRAY_I64", "MOTE_ARRAY_U64"),
    "mote_state_equation": ("MOTE_STATE_TAIT", "MOTE_STATE_IDEAL_GAS"),
    "mote_fluid_density": ("MOTE_DENSITY_SUMMATION", "MOTE_DENSITY_CONTINUITY", "MOTE_DENSITY_NUMBER"),
    "mote_fluid_solver": ("MOTE_SOLVER_ONDERIK", "MOTE_SOLVER_WEAK"),
    "mote_viscosity_model": ("MOTE_VISCOSITY_CENTRAL", "MOTE_VISCOSITY_LAPLACIAN"),
    "mote_shifting": ("MOTE_SHIFTING_NONE", "MOTE_SHIFTING_TRANSPORT", "MOTE_SHIFTING_FREE_SURFACE"),
    "mote_tensile_model": ("MOTE_TENSILE_EXCHANGE", "MOTE_TENSILE_SWITCH", "MOTE_TENSILE_NONE"),
    "mote_diffusion_model": ("MOTE_DIFFUSION_FOURTAKAS", "MOTE_DIFFUSION_MOLTENI", "MOTE_DIFFUSION_ANTUONO"),
    "mote_lists_kept": ("MOTE_LISTS_AUTO", "MOTE_LISTS_KEPT", "MOTE_LISTS_NONE"),
    "mote_steps": ("MOTE_STEPS_GLOBAL", "MOTE_STEPS_INDIVIDUAL", "MOTE_STEPS_POSITIONS"),
    "mote_fluid_preset": ("MOTE_PRESET_FAST", "MOTE_PRESET_DOCUMENT", "MOTE_PRESET_ENGINEERING"),
    "mote_boundary_kind": ("MOTE_BOUNDARY_AUTO", "MOTE_BOUNDARY_PLANES", "MOTE_BOUNDARY_LAYERS",
        "MOTE_BOUNDARY_SAMPLES", "MOTE_BOUNDARY_FIELD", "MOTE_BOUNDARY_PROXY", "MOTE_BOUNDARY_PROXY_PLANES"),
    "mote_object_kind": ("MOTE_OBJECT_MOVING", "MOTE_OBJECT_STATIC"),
    "mote_shape_kind": ("MOTE_SOLID_OF_MESH", "MOTE_SOLID_BOX", "MOTE_SOLID_BALL", "MOTE_SOLID_CYLINDER",
        "MOTE_SOLID_POLYGON", "MOTE_SOLID_DISC"),
    "mote_feature": ("MOTE_FEATURE_FACE", "MOTE_FEATURE_EDGE", "MOTE_FEATURE_VERTEX"),
    "mote_response_kind": ("MOTE_RESPONSE_BOUNCE", "MOTE_RESPONSE_SLIDE", "MOTE_RESPONSE_STICK", "MOTE_RESPONSE_STOP",
        "MOTE_RESPONSE_KILL"),
    "mote_proxy_variation": ("MOTE_PROXY_MEAN", "MOTE_PROXY_SUM"),
    "mote_grains_collision": ("MOTE_GRAINS_EXACT", "MOTE_GRAINS_PROXY"),
    "mote_contact_kind": ("MOTE_CONTACT_HIT", "MOTE_CONTACT_SQUEEZED", "MOTE_CONTACT_CRUSHED"),
    "mote_sign_rule": ("MOTE_SIGN_NORMAL", "MOTE_SIGN_WINDING"),
    "mote_radius_rule": ("MOTE_RADIUS_MINE", "MOTE_RADIUS_LARGER", "MOTE_RADIUS_SUM"),
    "mote_cell_hash_function": ("MOTE_HASH_XOR", "MOTE_HASH_ADDITIVE"),
    "mote_projection": ("MOTE_PROJECTION_AUTO", "MOTE_PROJECTION_PERSPECTIVE", "MOTE_PROJECTION_ORTHOGRAPHIC"),
    "mote_style": ("MOTE_STYLE_PARTICLES", "MOTE_STYLE_SURFACE", "MOTE_STYLE_WATER"),
    "mote_tension_model": ("MOTE_TENSION_STRESS", "MOTE_TENSION_CURVATURE", "MOTE_TENSION_WEIGHTED_STRESS",
        "MOTE_TENSION_DOCUMENT", "MOTE_TENSION_DOCUMENT_CURVATURE", "MOTE_TENSION_COHESION",
        "MOTE_TENSION_PLAIN_CURVATURE"),
    "mote_block_shape": ("MOTE_SHAPE_BOX", "MOTE_SHAPE_BALL", "MOTE_SHAPE_CYLINDER", "MOTE_SHAPE_POINTS"),
    "mote_gauge_kind": ("MOTE_GAUGE_PRESSURE", "MOTE_GAUGE_WALL_PRESSURE", "MOTE_GAUGE_VELOCITY", "MOTE_GAUGE_HEIGHT",
        "MOTE_GAUGE_FRONT", "MOTE_GAUGE_FLOW", "MOTE_GAUGE_ENERGY", "MOTE_GAUGE_EXTREMES", "MOTE_GAUGE_FORCE",
        "MOTE_GAUGE_MOMENT"),
    "mote_particle_role": ("MOTE_PARTICLES_APART", "MOTE_PARTICLES_LIQUID", "MOTE_PARTICLES_WALL"),
    "mote_surface_normals": ("MOTE_SURFACE_NORMALS_NONE", "MOTE_SURFACE_NORMALS_ANGLE", "MOTE_SURFACE_NORMALS_FIELD"),
    "mote_surface_kernel": ("MOTE_SURFACE_KERNEL_ISOTROPIC", "MOTE_SURFACE_KERNEL_ANISOTROPIC"),
}


class mote_error(Structure):
    result: int
    index: int
    line: int
    column: int
    text: bytes
    _fields_ = [
        ("result", c_int),
        ("index", c_uint64),
        ("line", c_uint32),
        ("column", c_uint32),
        ("text", c_char * 256),
    ]


class mote_allocator(Structure):
    allocate: Optional[int]
    release: Optional[int]
    user_data: Optional[int]
    _fields_ = [
        ("allocate", c_void_p),
        ("release", c_void_p),
        ("user_data", c_void_p),
    ]


class mote_log(Structure):
    message: Optional[int]
    user_data: Optional[int]
    _fields_ = [
        ("message", c_void_p),
        ("user_data", c_void_p),
    ]


class mote_tasks(Structure):
    run: Optional[int]
    worker_count: int
    user_data: Optional[int]
    _fields_ = [
        ("run", c_void_p),
        ("worker_count", c_uint32),
        ("user_data", c_void_p),
    ]


class mote_context_def(Structure):
    allocator: mote_allocator
    log: mote_log
    tasks: mote_tasks
    thread_count: int
    max_bytes: int
    simd: int
    cookie: int
    _fields_ = [
        ("allocator", mote_allocator),
        ("log", mote_log),
        ("tasks", mote_tasks),
        ("thread_count", c_uint32),
        ("max_bytes", c_size_t),
        ("simd", c_int),
        ("cookie", c_uint32),
    ]


class mote_vec3(Structure):
    x: float
    y: float
    z: float
    _fields_ = [
        ("x", c_double),
        ("y", c_double),
        ("z", c_double),
    ]


class mote_box(Structure):
    min: mote_vec3
    max: mote_vec3
    _fields_ = [
        ("min", mote_vec3),
        ("max", mote_vec3),
    ]


class mote_points(Structure):
    axis: Array[c_void_p]
    stride: int
    count: int
    scalar: int
    dimensions: int
    _fields_ = [
        ("axis", c_void_p * 3),
        ("stride", c_ssize_t),
        ("count", c_size_t),
        ("scalar", c_int),
        ("dimensions", c_int),
    ]


class mote_random(Structure):
    state: int
    _fields_ = [
        ("state", c_uint64),
    ]


class mote_corners(Structure):
    xz: Optional[int]
    count: int
    _fields_ = [
        ("xz", c_void_p),
        ("count", c_size_t),
    ]


class mote_field(Structure):
    name: Optional[bytes]
    type: int
    unit: Optional[bytes]
    offset: int
    flags: int
    min: float
    max: float
    initial: Array[c_double]
    initial_text: Optional[bytes]
    choices: Optional[int]
    meaning: Optional[bytes]
    _fields_ = [
        ("name", c_char_p),
        ("type", c_int),
        ("unit", c_char_p),
        ("offset", c_size_t),
        ("flags", c_int),
        ("min", c_double),
        ("max", c_double),
        ("initial", c_double * 3),
        ("initial_text", c_char_p),
        ("choices", c_void_p),
        ("meaning", c_char_p),
    ]


class mote_field_table(Structure):
    name: Optional[bytes]
    meaning: Optional[bytes]
    fields: Optional[int]
    count: int
    _fields_ = [
        ("name", c_char_p),
        ("meaning", c_char_p),
        ("fields", c_void_p),
        ("count", c_size_t),
    ]


class mote_array(Structure):
    name: Optional[bytes]
    component: Array[c_void_p]
    stride: int
    type: int
    components: int
    unit: Optional[bytes]
    _fields_ = [
        ("name", c_char_p),
        ("component", c_void_p * 9),
        ("stride", c_ssize_t),
        ("type", c_int),
        ("components", c_int),
        ("unit", c_char_p),
    ]


class mote_fluid_choice(Structure):
    name: Optional[bytes]
    source: Optional[bytes]
    meaning: Optional[bytes]
    _fields_ = [
        ("name", c_char_p),
        ("source", c_char_p),
        ("meaning", c_char_p),
    ]


class mote_fluid_def(Structure):
    preset: int
    solver: int
    viscosity_model: int
    shifting: int
    consistent_shifting: bool
    tensile_model: int
    diffusion_model: int
    smagorinsky: float
    xsph: float
    dimensions: int
    spacing: float
    support: float
    kernel: Optional[bytes]
    density: int
    density_diffusion: float
    state_equation: int
    negative_pressure: bool
    viscosity_alpha: float
    hyperviscosity: float
    wall_viscosity: float
    steps: int
    courant: float
    force_limit: float
    viscous_limit: float
    background_pressure: float
    interface_repulsion: float
    gravity: mote_vec3
    gravity_text: Array[c_char_p]
    neighbors: Optional[bytes]
    neighbor_lists: int
    cookie: int
    _fields_ = [
        ("preset", c_int32),
        ("solver", c_int32),
        ("viscosity_model", c_int32),
        ("shifting", c_int32),
        ("consistent_shifting", c_bool),
        ("tensile_model", c_int32),
        ("diffusion_model", c_int32),
        ("smagorinsky", c_double),
        ("xsph", c_double),
        ("dimensions", c_int32),
        ("spacing", c_double),
        ("support", c_double),
        ("kernel", c_char_p),
        ("density", c_int32),
        ("density_diffusion", c_double),
        ("state_equation", c_int32),
        ("negative_pressure", c_bool),
        ("viscosity_alpha", c_double),
        ("hyperviscosity", c_double),
        ("wall_viscosity", c_double),
        ("steps", c_int32),
        ("courant", c_double),
        ("force_limit", c_double),
        ("viscous_limit", c_double),
        ("background_pressure", c_double),
        ("interface_repulsion", c_double),
        ("gravity", mote_vec3),
        ("gravity_text", c_char_p * 3),
        ("neighbors", c_char_p),
        ("neighbor_lists", c_int32),
        ("cookie", c_uint32),
    ]


class mote_phase_def(Structure):
    rest_density: float
    viscosity: float
    sound_speed: float
    gamma: float
    color: mote_vec3
    cookie: int
    _fields_ = [
        ("rest_density", c_double),
        ("viscosity", c_double),
        ("sound_speed", c_double),
        ("gamma", c_double),
        ("color", mote_vec3),
        ("cookie", c_uint32),
    ]


class mote_period_def(Structure):
    min: mote_vec3
    max: mote_vec3
    x: bool
    y: bool
    z: bool
    cookie: int
    _fields_ = [
        ("min", mote_vec3),
        ("max", mote_vec3),
        ("x", c_bool),
        ("y", c_bool),
        ("z", c_bool),
        ("cookie", c_uint32),
    ]


class mote_fluid_view(Structure):
    count: int
    id: Optional[int]
    x: Optional[int]
    y: Optional[int]
    z: Optional[int]
    vx: Optional[int]
    vy: Optional[int]
    vz: Optional[int]
    density: Optional[int]
    pressure: Optional[int]
    ax: Optional[int]
    ay: Optional[int]
    az: Optional[int]
    phase: Optional[int]
    _fields_ = [
        ("count", c_size_t),
        ("id", c_void_p),
        ("x", c_void_p),
        ("y", c_void_p),
        ("z", c_void_p),
        ("vx", c_void_p),
        ("vy", c_void_p),
        ("vz", c_void_p),
        ("density", c_void_p),
        ("pressure", c_void_p),
        ("ax", c_void_p),
        ("ay", c_void_p),
        ("az", c_void_p),
        ("phase", c_void_p),
    ]


class mote_fluid_attribute(Structure):
    name: Optional[bytes]
    unit: Optional[bytes]
    meaning: Optional[bytes]
    type: int
    components: int
    solvers: int
    _fields_ = [
        ("name", c_char_p),
        ("unit", c_char_p),
        ("meaning", c_char_p),
        ("type", c_int),
        ("components", c_int),
        ("solvers", c_uint32),
    ]


class mote_fluid_totals(Structure):
    mass: float
    kinetic_energy: float
    potential_energy: float
    momentum: mote_vec3
    max_speed: float
    mean_compression: float
    max_compression: float
    _fields_ = [
        ("mass", c_double),
        ("kinetic_energy", c_double),
        ("potential_energy", c_double),
        ("momentum", mote_vec3),
        ("max_speed", c_double),
        ("mean_compression", c_double),
        ("max_compression", c_double),
    ]


class mote_fluid_counters(Structure):
    steps: int
    particle_steps: int
    search_seconds: float
    density_seconds: float
    force_seconds: float
    move_seconds: float
    total_seconds: float
    _fields_ = [
        ("steps", c_uint64),
        ("particle_steps", c_uint64),
        ("search_seconds", c_double),
        ("density_seconds", c_double),
        ("force_seconds", c_double),
        ("move_seconds", c_double),
        ("total_seconds", c_double),
    ]


class mote_boundary_def(Structure):
    velocity: mote_vec3
    slip: bool
    cookie: int
    _fields_ = [
        ("velocity", mote_vec3),
        ("slip", c_bool),
        ("cookie", c_uint32),
    ]


class mote_boundary_motion(Structure):
    place: mote_vec3
    velocity: mote_vec3
    acceleration: mote_vec3
    center: mote_vec3
    rotation: mote_vec3
    spin: mote_vec3
    spin_rate: mote_vec3
    belt: mote_vec3
    at_once: bool
    cookie: int
    _fields_ = [
        ("place", mote_vec3),
        ("velocity", mote_vec3),
        ("acceleration", mote_vec3),
        ("center", mote_vec3),
        ("rotation", mote_vec3),
        ("spin", mote_vec3),
        ("spin_rate", mote_vec3),
        ("belt", mote_vec3),
        ("at_once", c_bool),
        ("cookie", c_uint32),
    ]


class mote_boundary_kind_info(Structure):
    about: mote_fluid_choice
    for_tank: bool
    for_solid: bool
    solvers: int
    _fields_ = [
        ("about", mote_fluid_choice),
        ("for_tank", c_bool),
        ("for_solid", c_bool),
        ("solvers", c_uint32),
    ]


class mote_wall_field_store(Structure):
    open: Optional[int]
    read: Optional[int]
    close: Optional[int]
    keep: Optional[int]
    user_data: Optional[int]
    _fields_ = [
        ("open", c_void_p),
        ("read", c_void_p),
        ("close", c_void_p),
        ("keep", c_void_p),
        ("user_data", c_void_p),
    ]


class mote_motion(Structure):
    shift: mote_vec3
    shift_text: Array[c_char_p]
    turn: float
    turn_text: Optional[bytes]
    center: mote_vec3
    axis: mote_vec3
    table_file: Optional[bytes]
    table: Optional[int]
    table_count: int
    _fields_ = [
        ("shift", mote_vec3),
        ("shift_text", c_char_p * 3),
        ("turn", c_double),
        ("turn_text", c_char_p),
        ("center", mote_vec3),
        ("axis", mote_vec3),
        ("table_file", c_char_p),
        ("table", c_void_p),
        ("table_count", c_size_t),
    ]


class mote_piston(Structure):
    way: float
    text: Optional[bytes]
    _fields_ = [
        ("way", c_double),
        ("text", c_char_p),
    ]


class mote_belt(Structure):
    velocity: mote_vec3
    text: Array[c_char_p]
    _fields_ = [
        ("velocity", mote_vec3),
        ("text", c_char_p * 3),
    ]


class mote_damping_def(Structure):
    min: mote_vec3
    max: mote_vec3
    strength: float
    _fields_ = [
        ("min", mote_vec3),
        ("max", mote_vec3),
        ("strength", c_double),
    ]


class mote_bounds(Structure):
    min: Array[c_float]
    max: Array[c_float]
    _fields_ = [
        ("min", c_float * 3),
        ("max", c_float * 3),
    ]


class mote_boxes(Structure):
    min: Array[c_void_p]
    max: Array[c_void_p]
    stride: int
    count: int
    dimensions: int
    _fields_ = [
        ("min", c_void_p * 3),
        ("max", c_void_p * 3),
        ("stride", c_ssize_t),
        ("count", c_size_t),
        ("dimensions", c_int),
    ]


class mote_broadphase_method_info(Structure):
    name: Optional[bytes]
    source: Optional[bytes]
    meaning: Optional[bytes]
    _fields_ = [
        ("name", c_char_p),
        ("source", c_char_p),
        ("meaning", c_char_p),
    ]


class mote_broadphase_def(Structure):
    method: Optional[bytes]
    dimensions: int
    cell_size: float
    finest: float
    classes: int
    fixed_classes: bool
    pairs_on_insertion: bool
    unordered_rows: bool
    cookie: int
    _fields_ = [
        ("method", c_char_p),
        ("dimensions", c_int32),
        ("cell_size", c_double),
        ("finest", c_double),
        ("classes", c_int32),
        ("fixed_classes", c_bool),
        ("pairs_on_insertion", c_bool),
        ("unordered_rows", c_bool),
        ("cookie", c_uint32),
    ]


class mote_filter(Structure):
    category: int
    mask: int
    _fields_ = [
        ("category", c_uint64),
        ("mask", c_uint64),
    ]


class mote_object(Structure):
    box: mote_bounds
    filter: mote_filter
    kind: int
    _fields_ = [
        ("box", mote_bounds),
        ("filter", mote_filter),
        ("kind", c_int),
    ]


class mote_closest_object(Structure):
    id: int
    squared: float
    _fields_ = [
        ("id", c_uint32),
        ("squared", c_double),
    ]


class mote_id_rows(Structure):
    count: int
    first: Optional[int]
    counts: Optional[int]
    ids: Optional[int]
    total: int
    _fields_ = [
        ("count", c_size_t),
        ("first", c_void_p),
        ("counts", c_void_p),
        ("ids", c_void_p),
        ("total", c_uint64),
    ]


class mote_pair(Structure):
    a: int
    b: int
    _fields_ = [
        ("a", c_uint32),
        ("b", c_uint32),
    ]


class mote_pairs(Structure):
    pairs: Optional[int]
    count: int
    _fields_ = [
        ("pairs", c_void_p),
        ("count", c_size_t),
    ]


class mote_pair_events(Structure):
    begun: mote_pairs
    stayed: mote_pairs
    ended: mote_pairs
    _fields_ = [
        ("begun", mote_pairs),
        ("stayed", mote_pairs),
        ("ended", mote_pairs),
    ]


class mote_broadphase_counters(Structure):
    cells: int
    entries: int
    lookups: int
    candidates: int
    hits: int
    rebuilds: int
    _fields_ = [
        ("cells", c_uint64),
        ("entries", c_uint64),
        ("lookups", c_uint64),
        ("candidates", c_uint64),
        ("hits", c_uint64),
        ("rebuilds", c_uint64),
    ]


class mote_broadphase_cell(Structure):
    min: Array[c_double]
    max: Array[c_double]
    class_number: int
    objects: int
    has_children: bool
    _fields_ = [
        ("min", c_double * 3),
        ("max", c_double * 3),
        ("class_number", c_int32),
        ("objects", c_uint32),
        ("has_children", c_bool),
    ]


class mote_expression_stats(Structure):
    instructions: int
    depth: int
    _fields_ = [
        ("instructions", c_size_t),
        ("depth", c_size_t),
    ]


class mote_mesh(Structure):
    vertices: Optional[int]
    triangles: Optional[int]
    vertex_count: int
    triangle_count: int
    context: Optional[int]
    _fields_ = [
        ("vertices", c_void_p),
        ("triangles", c_void_p),
        ("vertex_count", c_size_t),
        ("triangle_count", c_size_t),
        ("context", c_void_p),
    ]


class mote_placement(Structure):
    scale: float
    rotate: mote_vec3
    translate: mote_vec3
    _fields_ = [
        ("scale", c_double),
        ("rotate", mote_vec3),
        ("translate", mote_vec3),
    ]


class mote_look_def(Structure):
    color: mote_vec3
    opacity: float
    crease_angle: float
    visible: bool
    _fields_ = [
        ("color", mote_vec3),
        ("opacity", c_double),
        ("crease_angle", c_double),
        ("visible", c_bool),
    ]


class mote_mesh_normals(Structure):
    triangles: Optional[int]
    origins: Optional[int]
    normals: Optional[int]
    triangle_count: int
    count: int
    context: Optional[int]
    _fields_ = [
        ("triangles", c_void_p),
        ("origins", c_void_p),
        ("normals", c_void_p),
        ("triangle_count", c_size_t),
        ("count", c_size_t),
        ("context", c_void_p),
    ]


class mote_mesh_report(Structure):
    open_edges: int
    non_manifold_edges: int
    flipped_edges: int
    non_manifold_vertices: int
    degenerate: int
    duplicates: int
    components: int
    closed: bool
    _fields_ = [
        ("open_edges", c_size_t),
        ("non_manifold_edges", c_size_t),
        ("flipped_edges", c_size_t),
        ("non_manifold_vertices", c_size_t),
        ("degenerate", c_size_t),
        ("duplicates", c_size_t),
        ("components", c_size_t),
        ("closed", c_bool),
    ]


class mote_mesh_crossings(Structure):
    count: int
    first: Array[c_uint32]
    _fields_ = [
        ("count", c_uint64),
        ("first", c_uint32 * 2),
    ]


class mote_mesh_samples(Structure):
    points: Optional[int]
    triangles: Optional[int]
    count: int
    context: Optional[int]
    _fields_ = [
        ("points", c_void_p),
        ("triangles", c_void_p),
        ("count", c_size_t),
        ("context", c_void_p),
    ]


class mote_spheres_def(Structure):
    count: int
    radius_min: float
    radius_max: float
    box: mote_box
    gap: float
    seed: int
    _fields_ = [
        ("count", c_int32),
        ("radius_min", c_double),
        ("radius_max", c_double),
        ("box", mote_box),
        ("gap", c_double),
        ("seed", c_uint64),
    ]


class mote_sphere(Structure):
    center: mote_vec3
    radius: float
    _fields_ = [
        ("center", mote_vec3),
        ("radius", c_double),
    ]


class mote_shape(Structure):
    kind: int
    box: mote_box
    center: mote_vec3
    radius: float
    axis: mote_vec3
    height: float
    corners: mote_corners
    _fields_ = [
        ("kind", c_int32),
        ("box", mote_box),
        ("center", mote_vec3),
        ("radius", c_double),
        ("axis", mote_vec3),
        ("height", c_double),
        ("corners", mote_corners),
    ]


class mote_response(Structure):
    kind: int
    restitution: float
    friction: float
    most_hits: int
    lists_hits: bool
    cookie: int
    _fields_ = [
        ("kind", c_int),
        ("restitution", c_double),
        ("friction", c_double),
        ("most_hits", c_uint32),
        ("lists_hits", c_bool),
        ("cookie", c_uint32),
    ]


class mote_proxy_def(Structure):
    min_depth: int
    max_depth: int
    tolerance: float
    variation: int
    table_depth: int
    keep_triangles: bool
    cookie: int
    _fields_ = [
        ("min_depth", c_int),
        ("max_depth", c_int),
        ("tolerance", c_double),
        ("variation", c_int),
        ("table_depth", c_int),
        ("keep_triangles", c_bool),
        ("cookie", c_uint32),
    ]


class mote_proxy_particles(Structure):
    position: Array[c_void_p]
    velocity: Array[c_void_p]
    position_stride: int
    velocity_stride: int
    labels: Optional[int]
    count: int
    scalar: int
    _fields_ = [
        ("position", c_void_p * 3),
        ("velocity", c_void_p * 3),
        ("position_stride", c_ssize_t),
        ("velocity_stride", c_ssize_t),
        ("labels", c_void_p),
        ("count", c_size_t),
        ("scalar", c_int),
    ]


class mote_proxy_counters(Structure):
    particles: int
    clear: int
    leaves: int
    collided: int
    bounces: int
    walls: int
    dropped: int
    _fields_ = [
        ("particles", c_uint64),
        ("clear", c_uint64),
        ("leaves", c_uint64),
        ("collided", c_uint64),
        ("bounces", c_uint64),
        ("walls", c_uint64),
        ("dropped", c_uint64),
    ]


class mote_proxy_hit(Structure):
    time: float
    normal: Array[c_float]
    leaf: int
    _fields_ = [
        ("time", c_float),
        ("normal", c_float * 3),
        ("leaf", c_uint32),
    ]


class mote_proxy_triangle_hit(Structure):
    time: float
    triangle: int
    _fields_ = [
        ("time", c_double),
        ("triangle", c_uint32),
    ]


class mote_proxy_node(Structure):
    first: int
    bits: int
    _fields_ = [
        ("first", c_uint32),
        ("bits", c_uint32),
    ]


class mote_proxy_arrays(Structure):
    nodes: Optional[int]
    node_count: int
    table: Optional[int]
    table_depth: int
    max_depth: int
    origin: mote_vec3
    leaf: float
    _fields_ = [
        ("nodes", c_void_p),
        ("node_count", c_size_t),
        ("table", c_void_p),
        ("table_depth", c_int),
        ("max_depth", c_int),
        ("origin", mote_vec3),
        ("leaf", c_double),
    ]


class mote_proxy_place(Structure):
    box: mote_box
    depth: int
    kind: int
    node: int
    two_sided: bool
    normal: mote_vec3
    _fields_ = [
        ("box", mote_box),
        ("depth", c_int),
        ("kind", c_int),
        ("node", c_uint32),
        ("two_sided", c_bool),
        ("normal", mote_vec3),
    ]


class mote_proxy_stats(Structure):
    leaves: Array[c_uint64]
    front: int
    back: int
    both: int
    two_sided: int
    rims: int
    references: int
    node_bytes: int
    table_bytes: int
    triangle_bytes: int
    _fields_ = [
        ("leaves", c_uint64 * 17),
        ("front", c_uint64),
        ("back", c_uint64),
        ("both", c_uint64),
        ("two_sided", c_uint64),
        ("rims", c_uint64),
        ("references", c_uint64),
        ("node_bytes", c_size_t),
        ("table_bytes", c_size_t),
        ("triangle_bytes", c_size_t),
    ]


class mote_grains_def(Structure):
    count: int
    min: mote_vec3
    max: mote_vec3
    velocity: mote_vec3
    duration: float
    start_inside: bool
    size: float
    time_step: float
    restitution: float
    friction: float
    collision: int
    proxy_depth: int
    gravity: mote_vec3
    seed: int
    proxy: Optional[int]
    cookie: int
    _fields_ = [
        ("count", c_int32),
        ("min", mote_vec3),
        ("max", mote_vec3),
        ("velocity", mote_vec3),
        ("duration", c_double),
        ("start_inside", c_bool),
        ("size", c_double),
        ("time_step", c_double),
        ("restitution", c_double),
        ("friction", c_double),
        ("collision", c_int32),
        ("proxy_depth", c_int32),
        ("gravity", mote_vec3),
        ("seed", c_uint64),
        ("proxy", c_void_p),
        ("cookie", c_uint32),
    ]


class mote_grains_view(Structure):
    count: int
    positions: Optional[int]
    velocities: Optional[int]
    _fields_ = [
        ("count", c_size_t),
        ("positions", c_void_p),
        ("velocities", c_void_p),
    ]


class mote_grains_counters(Structure):
    steps: int
    grain_steps: int
    bounces: int
    removed: int
    collider_bytes: int
    _fields_ = [
        ("steps", c_uint64),
        ("grain_steps", c_uint64),
        ("bounces", c_uint64),
        ("removed", c_uint64),
        ("collider_bytes", c_size_t),
    ]


class mote_hits_def(Structure):
    most_cells: int
    leaf_clusters: int
    cookie: int
    _fields_ = [
        ("most_cells", c_int32),
        ("leaf_clusters", c_int32),
        ("cookie", c_uint32),
    ]


class mote_hit(Structure):
    time: float
    point: mote_vec3
    normal: mote_vec3
    velocity: mote_vec3
    barycentric: Array[c_double]
    triangle: int
    mesh: int
    particle: int
    side: int
    feature: int
    _fields_ = [
        ("time", c_double),
        ("point", mote_vec3),
        ("normal", mote_vec3),
        ("velocity", mote_vec3),
        ("barycentric", c_double * 3),
        ("triangle", c_uint32),
        ("mesh", c_uint32),
        ("particle", c_uint32),
        ("side", c_int32),
        ("feature", c_int),
    ]


class mote_motions(Structure):
    to: mote_points
    radii: Optional[int]
    sides: Optional[int]
    _fields_ = [
        ("from", mote_points),
        ("to", mote_points),
        ("radii", c_void_p),
        ("sides", c_void_p),
    ]


class mote_hit_list(Structure):
    hits: Optional[int]
    count: int
    _fields_ = [
        ("hits", c_void_p),
        ("count", c_size_t),
    ]


class mote_particles(Structure):
    positions: Optional[int]
    velocities: Optional[int]
    radii: Optional[int]
    dead: Optional[int]
    count: int
    _fields_ = [
        ("positions", c_void_p),
        ("velocities", c_void_p),
        ("radii", c_void_p),
        ("dead", c_void_p),
        ("count", c_size_t),
    ]


class mote_contact(Structure):
    time: float
    point: mote_vec3
    normal: mote_vec3
    particle: int
    triangle: int
    mesh: int
    kind: int
    _fields_ = [
        ("time", c_double),
        ("point", mote_vec3),
        ("normal", mote_vec3),
        ("particle", c_uint32),
        ("triangle", c_uint32),
        ("mesh", c_uint32),
        ("kind", c_int),
    ]


class mote_contact_list(Structure):
    contacts: Optional[int]
    count: int
    squeezed: int
    crushed: int
    _fields_ = [
        ("contacts", c_void_p),
        ("count", c_size_t),
        ("squeezed", c_uint64),
        ("crushed", c_uint64),
    ]


class mote_closest(Structure):
    distance: float
    point: mote_vec3
    normal: mote_vec3
    triangle: int
    mesh: int
    barycentric: Array[c_double]
    feature: int
    _fields_ = [
        ("distance", c_double),
        ("point", mote_vec3),
        ("normal", mote_vec3),
        ("triangle", c_uint32),
        ("mesh", c_uint32),
        ("barycentric", c_double * 3),
        ("feature", c_int),
    ]


class mote_hits_stats(Structure):
    cells: int
    occupied_cells: int
    nodes: int
    references: int
    longest_list: int
    cell_edge: float
    tree_nodes: int
    motions: int
    near: int
    clusters_tested: int
    triangles_tested: int
    hits: int
    nodes_tested: int
    _fields_ = [
        ("cells", c_uint64),
        ("occupied_cells", c_uint64),
        ("nodes", c_uint64),
        ("references", c_uint64),
        ("longest_list", c_uint64),
        ("cell_edge", c_double),
        ("tree_nodes", c_uint64),
        ("motions", c_uint64),
        ("near", c_uint64),
        ("clusters_tested", c_uint64),
        ("triangles_tested", c_uint64),
        ("hits", c_uint64),
        ("nodes_tested", c_uint64),
    ]


class mote_point_data(Structure):
    count: int
    dimensions: int
    xyz: Optional[int]
    bytes: int
    context: Optional[int]
    wide: int
    wide_line: int
    has_box: bool
    box: mote_box
    has_periods: bool
    periodic: Array[c_bool]
    _fields_ = [
        ("count", c_size_t),
        ("dimensions", c_int),
        ("xyz", c_void_p),
        ("bytes", c_size_t),
        ("context", c_void_p),
        ("wide", c_size_t),
        ("wide_line", c_uint32),
        ("has_box", c_bool),
        ("box", mote_box),
        ("has_periods", c_bool),
        ("periodic", c_bool * 3),
    ]


class mote_cloud_data(Structure):
    points: mote_point_data
    arrays: Optional[int]
    array_count: int
    storage: Optional[int]
    storage_bytes: int
    context: Optional[int]
    _fields_ = [
        ("points", mote_point_data),
        ("arrays", c_void_p),
        ("array_count", c_size_t),
        ("storage", c_void_p),
        ("storage_bytes", c_size_t),
        ("context", c_void_p),
    ]


class mote_box_data(Structure):
    count: int
    dimensions: int
    corners: Optional[int]
    bytes: int
    context: Optional[int]
    _fields_ = [
        ("count", c_size_t),
        ("dimensions", c_int),
        ("corners", c_void_p),
        ("bytes", c_size_t),
        ("context", c_void_p),
    ]


class mote_motion_data(Structure):
    rows: Optional[int]
    count: int
    bytes: int
    context: Optional[int]
    _fields_ = [
        ("rows", c_void_p),
        ("count", c_size_t),
        ("bytes", c_size_t),
        ("context", c_void_p),
    ]


class mote_row(Structure):
    index: int
    count: int
    indices: Optional[int]
    squared: Optional[int]
    squared_f64: Optional[int]
    differences: Optional[int]
    differences_f64: Optional[int]
    shifts: Optional[int]
    _fields_ = [
        ("index", c_uint32),
        ("count", c_uint32),
        ("indices", c_void_p),
        ("squared", c_void_p),
        ("squared_f64", c_void_p),
        ("differences", c_void_p),
        ("differences_f64", c_void_p),
        ("shifts", c_void_p),
    ]


class mote_lists(Structure):
    count: int
    first: Optional[int]
    counts: Optional[int]
    indices: Optional[int]
    squared: Optional[int]
    squared_f64: Optional[int]
    differences: Optional[int]
    differences_f64: Optional[int]
    shifts: Optional[int]
    total: int
    _fields_ = [
        ("count", c_size_t),
        ("first", c_void_p),
        ("counts", c_void_p),
        ("indices", c_void_p),
        ("squared", c_void_p),
        ("squared_f64", c_void_p),
        ("differences", c_void_p),
        ("differences_f64", c_void_p),
        ("shifts", c_void_p),
        ("total", c_uint64),
    ]


class mote_pair_arrays(Structure):
    i: Optional[int]
    j: Optional[int]
    distances: Optional[int]
    squared: Optional[int]
    differences: Optional[int]
    shifts: Optional[int]
    shifts_64: Optional[int]
    points: Optional[int]
    capacity: int
    is_64: bool
    half: bool
    ordered: bool
    any_order: bool
    _fields_ = [
        ("i", c_void_p),
        ("j", c_void_p),
        ("distances", c_void_p),
        ("squared", c_void_p),
        ("differences", c_void_p),
        ("shifts", c_void_p),
        ("shifts_64", c_void_p),
        ("points", c_void_p),
        ("capacity", c_uint64),
        ("is_64", c_bool),
        ("half", c_bool),
        ("ordered", c_bool),
        ("any_order", c_bool),
    ]


class mote_neighbors_feature_info(Structure):
    feature: int
    name: Optional[bytes]
    meaning: Optional[bytes]
    _fields_ = [
        ("feature", c_uint32),
        ("name", c_char_p),
        ("meaning", c_char_p),
    ]


class mote_neighbors_method_info(Structure):
    name: Optional[bytes]
    source: Optional[bytes]
    meaning: Optional[bytes]
    features: int
    exact: bool
    _fields_ = [
        ("name", c_char_p),
        ("source", c_char_p),
        ("meaning", c_char_p),
        ("features", c_uint32),
        ("exact", c_bool),
    ]


class mote_neighbors_def(Structure):
    radius: float
    open_ball: bool
    half_either: bool
    method: Optional[bytes]
    features: int
    skin: float
    radius_rule: int
    period: Array[mote_vec3]
    period_origin: mote_vec3
    hash: int
    table_size: int
    subdivision: int
    classes: int
    cookie: int
    _fields_ = [
        ("radius", c_double),
        ("open_ball", c_bool),
        ("half_either", c_bool),
        ("method", c_char_p),
        ("features", c_uint32),
        ("skin", c_double),
        ("radius_rule", c_int),
        ("period", mote_vec3 * 3),
        ("period_origin", mote_vec3),
        ("hash", c_int),
        ("table_size", c_uint32),
        ("subdivision", c_int),
        ("classes", c_int),
        ("cookie", c_uint32),
    ]


class mote_group(Structure):
    x: Optional[int]
    y: Optional[int]
    z: Optional[int]
    indices: Optional[int]
    count: int
    first: int
    _fields_ = [
        ("x", c_void_p),
        ("y", c_void_p),
        ("z", c_void_p),
        ("indices", c_void_p),
        ("count", c_uint32),
        ("first", c_uint32),
    ]


class mote_neighbors_counters(Structure):
    cells: int
    candidates: int
    hits: int
    collisions: int
    rebuilds: int
    moved: int
    _fields_ = [
        ("cells", c_uint64),
        ("candidates", c_uint64),
        ("hits", c_uint64),
        ("collisions", c_uint64),
        ("rebuilds", c_uint64),
        ("moved", c_uint64),
    ]


class mote_face(Structure):
    center: mote_vec3
    normal: mote_vec3
    radius: float
    width: float
    height: float
    corners: mote_corners
    up: mote_vec3
    _fields_ = [
        ("center", mote_vec3),
        ("normal", mote_vec3),
        ("radius", c_double),
        ("width", c_double),
        ("height", c_double),
        ("corners", mote_corners),
        ("up", mote_vec3),
    ]


class mote_opening(Structure):
    face: mote_face
    phase: int
    sets_velocity: bool
    sets_pressure: bool
    starts_full: bool
    velocity: float
    pressure: float
    level: float
    velocity_at: Optional[int]
    pressure_at: Optional[int]
    level_at: Optional[int]
    user_data: Optional[int]
    cookie: int
    _fields_ = [
        ("face", mote_face),
        ("phase", c_uint32),
        ("sets_velocity", c_bool),
        ("sets_pressure", c_bool),
        ("starts_full", c_bool),
        ("velocity", c_double),
        ("pressure", c_double),
        ("level", c_double),
        ("velocity_at", c_void_p),
        ("pressure_at", c_void_p),
        ("level_at", c_void_p),
        ("user_data", c_void_p),
        ("cookie", c_uint32),
    ]


class mote_drain(Structure):
    min: mote_vec3
    max: mote_vec3
    center: mote_vec3
    radius: float
    normal: mote_vec3
    cookie: int
    _fields_ = [
        ("min", mote_vec3),
        ("max", mote_vec3),
        ("center", mote_vec3),
        ("radius", c_double),
        ("normal", mote_vec3),
        ("cookie", c_uint32),
    ]


class mote_flow_count(Structure):
    out: int
    mass_in: float
    mass_out: float
    buffered: int
    _fields_ = [
        ("in", c_uint64),
        ("out", c_uint64),
        ("mass_in", c_double),
        ("mass_out", c_double),
        ("buffered", c_size_t),
    ]


class mote_open_end(Structure):
    name: Optional[bytes]
    fluid: Optional[bytes]
    face: mote_face
    velocity: float
    velocity_text: Optional[bytes]
    flow_rate: float
    flow_rate_text: Optional[bytes]
    pressure: float
    pressure_text: Optional[bytes]
    level: float
    level_text: Optional[bytes]
    _fields_ = [
        ("name", c_char_p),
        ("fluid", c_char_p),
        ("face", mote_face),
        ("velocity", c_double),
        ("velocity_text", c_char_p),
        ("flow_rate", c_double),
        ("flow_rate_text", c_char_p),
        ("pressure", c_double),
        ("pressure_text", c_char_p),
        ("level", c_double),
        ("level_text", c_char_p),
    ]


class mote_named_drain(Structure):
    name: Optional[bytes]
    drain: mote_drain
    _fields_ = [
        ("name", c_char_p),
        ("drain", mote_drain),
    ]


class mote_partial(Structure):
    stream: Optional[int]
    in_place: bool
    device: int
    number: int
    _fields_ = [
        ("stream", c_void_p),
        ("in_place", c_bool),
        ("device", c_uint64),
        ("number", c_uint64),
    ]


class mote_vtp(Structure):
    points: mote_points
    arrays: Optional[int]
    array_count: int
    triangles: Optional[int]
    triangle_count: int
    quads: Optional[int]
    quad_count: int
    lines: Optional[int]
    line_count: int
    cell_arrays: Optional[int]
    cell_array_count: int
    time: float
    _fields_ = [
        ("points", mote_points),
        ("arrays", c_void_p),
        ("array_count", c_size_t),
        ("triangles", c_void_p),
        ("triangle_count", c_size_t),
        ("quads", c_void_p),
        ("quad_count", c_size_t),
        ("lines", c_void_p),
        ("line_count", c_size_t),
        ("cell_arrays", c_void_p),
        ("cell_array_count", c_size_t),
        ("time", c_double),
    ]


class mote_mesh_data(Structure):
    mesh: Optional[int]
    normals: Optional[int]
    colors: Optional[int]
    arrays: Optional[int]
    array_count: int
    lines: Optional[int]
    line_count: int
    time: float
    _fields_ = [
        ("mesh", c_void_p),
        ("normals", c_void_p),
        ("colors", c_void_p),
        ("arrays", c_void_p),
        ("array_count", c_size_t),
        ("lines", c_void_p),
        ("line_count", c_size_t),
        ("time", c_double),
    ]


class mote_mesh_format(Structure):
    ending: Optional[bytes]
    meaning: Optional[bytes]
    has_normals: bool
    has_colors: bool
    has_arrays: bool
    has_time: bool
    write: Optional[int]
    _fields_ = [
        ("ending", c_char_p),
        ("meaning", c_char_p),
        ("has_normals", c_bool),
        ("has_colors", c_bool),
        ("has_arrays", c_bool),
        ("has_time", c_bool),
        ("write", c_void_p),
    ]


class mote_raster_edge_set(Structure):
    vertices: Optional[int]
    vertex_count: int
    edges: Optional[int]
    edge_count: int
    _fields_ = [
        ("vertices", c_void_p),
        ("vertex_count", c_size_t),
        ("edges", c_void_p),
        ("edge_count", c_size_t),
    ]


class mote_raster_edge_list(Structure):
    edges: Optional[int]
    count: int
    context: Optional[int]
    _fields_ = [
        ("edges", c_void_p),
        ("count", c_size_t),
        ("context", c_void_p),
    ]


class mote_raster_query(Structure):
    thickness: float
    own: bool
    candidates: bool
    scan_line: bool
    cookie: int
    _fields_ = [
        ("thickness", c_double),
        ("own", c_bool),
        ("candidates", c_bool),
        ("scan_line", c_bool),
        ("cookie", c_uint32),
    ]


class mote_raster_pair(Structure):
    first: int
    second: int
    _fields_ = [
        ("first", c_uint32),
        ("second", c_uint32),
    ]


class mote_raster_counters(Structure):
    shapes: int
    rows: int
    cells: int
    candidates: int
    _fields_ = [
        ("shapes", c_uint64),
        ("rows", c_uint64),
        ("cells", c_uint64),
        ("candidates", c_uint64),
    ]


class mote_raster_pairs(Structure):
    pairs: Optional[int]
    count: int
    counters: mote_raster_counters
    memory: Optional[int]
    _fields_ = [
        ("pairs", c_void_p),
        ("count", c_size_t),
        ("counters", mote_raster_counters),
        ("memory", c_void_p),
    ]


class mote_raster_stats(Structure):
    points: int
    rows: int
    cells: int
    edge: float
    _fields_ = [
        ("points", c_uint64),
        ("rows", c_uint64),
        ("cells", c_uint64),
        ("edge", c_double),
    ]


class mote_render_def(Structure):
    width: int
    height: int
    eye: mote_vec3
    target: mote_vec3
    up: mote_vec3
    field_of_view: float
    projection: int
    speed_min: float
    speed_max: float
    particle_radius: float
    background: mote_vec3
    title: Optional[bytes]
    floor: bool
    shadows: bool
    tank: bool
    text: bool
    samples: int
    font: Optional[bytes]
    style: int
    box: mote_box
    dimensions: int
    scalar_name: Optional[bytes]
    scalar_unit: Optional[bytes]
    cookie: int
    _fields_ = [
        ("width", c_int32),
        ("height", c_int32),
        ("eye", mote_vec3),
        ("target", mote_vec3),
        ("up", mote_vec3),
        ("field_of_view", c_double),
        ("projection", c_int32),
        ("speed_min", c_double),
        ("speed_max", c_double),
        ("particle_radius", c_double),
        ("background", mote_vec3),
        ("title", c_char_p),
        ("floor", c_bool),
        ("shadows", c_bool),
        ("tank", c_bool),
        ("text", c_bool),
        ("samples", c_int32),
        ("font", c_char_p),
        ("style", c_int32),
        ("box", mote_box),
        ("dimensions", c_int32),
        ("scalar_name", c_char_p),
        ("scalar_unit", c_char_p),
        ("cookie", c_uint32),
    ]


class mote_layer(Structure):
    points: mote_points
    scalars: Optional[int]
    scalar_stride: int
    radius: float
    color: mote_vec3
    _fields_ = [
        ("points", mote_points),
        ("scalars", c_void_p),
        ("scalar_stride", c_ssize_t),
        ("radius", c_double),
        ("color", mote_vec3),
    ]


class mote_liquid(Structure):
    vertices: mote_points
    normals: Optional[int]
    triangles: Optional[int]
    triangle_count: int
    is_clear: bool
    absorption: mote_vec3
    refraction: float
    cloudiness: float
    scalars: Optional[int]
    scalar_stride: int
    color: mote_vec3
    _fields_ = [
        ("vertices", mote_points),
        ("normals", c_void_p),
        ("triangles", c_void_p),
        ("triangle_count", c_size_t),
        ("is_clear", c_bool),
        ("absorption", mote_vec3),
        ("refraction", c_double),
        ("cloudiness", c_double),
        ("scalars", c_void_p),
        ("scalar_stride", c_ssize_t),
        ("color", mote_vec3),
    ]


class mote_picture(Structure):
    layers: Optional[int]
    layer_count: int
    liquids: Optional[int]
    liquid_count: int
    time: float
    label: Optional[bytes]
    box: mote_box
    _fields_ = [
        ("layers", c_void_p),
        ("layer_count", c_size_t),
        ("liquids", c_void_p),
        ("liquid_count", c_size_t),
        ("time", c_double),
        ("label", c_char_p),
        ("box", mote_box),
    ]


class mote_tension_def(Structure):
    sigma: float
    adhesion: float
    model: int
    cookie: int
    _fields_ = [
        ("sigma", c_double),
        ("adhesion", c_double),
        ("model", c_int32),
        ("cookie", c_uint32),
    ]


class mote_named_phase(Structure):
    name: Optional[bytes]
    phase: mote_phase_def
    _fields_ = [
        ("name", c_char_p),
        ("phase", mote_phase_def),
    ]


class mote_named_tension(Structure):
    between: Array[c_char_p]
    tension: mote_tension_def
    _fields_ = [
        ("between", c_char_p * 16),
        ("tension", mote_tension_def),
    ]


class mote_tank_def(Structure):
    min: mote_vec3
    max: mote_vec3
    open_x_min: bool
    open_x_max: bool
    open_y_min: bool
    open_y_max: bool
    open_z_min: bool
    open_z_max: bool
    restitution: float
    friction: float
    slip: bool
    slip_x_min: bool
    slip_x_max: bool
    slip_y_min: bool
    slip_y_max: bool
    slip_z_min: bool
    slip_z_max: bool
    belts: Array[mote_belt]
    motion: mote_motion
    pistons: Array[mote_piston]
    boundary: int
    _fields_ = [
        ("min", mote_vec3),
        ("max", mote_vec3),
        ("open_x_min", c_bool),
        ("open_x_max", c_bool),
        ("open_y_min", c_bool),
        ("open_y_max", c_bool),
        ("open_z_min", c_bool),
        ("open_z_max", c_bool),
        ("restitution", c_double),
        ("friction", c_double),
        ("slip", c_bool),
        ("slip_x_min", c_bool),
        ("slip_x_max", c_bool),
        ("slip_y_min", c_bool),
        ("slip_y_max", c_bool),
        ("slip_z_min", c_bool),
        ("slip_z_max", c_bool),
        ("belts", mote_belt * 6),
        ("motion", mote_motion),
        ("pistons", mote_piston * 6),
        ("boundary", c_int32),
    ]


class mote_block_def(Structure):
    min: mote_vec3
    max: mote_vec3
    velocity: mote_vec3
    velocity_text: Array[c_char_p]
    shape: int
    center: mote_vec3
    radius: float
    axis: mote_vec3
    height: float
    points_file: Optional[bytes]
    points: Optional[int]
    point_count: int
    pressure: Optional[bytes]
    fluid: Optional[bytes]
    _fields_ = [
        ("min", mote_vec3),
        ("max", mote_vec3),
        ("velocity", mote_vec3),
        ("velocity_text", c_char_p * 3),
        ("shape", c_int32),
        ("center", mote_vec3),
        ("radius", c_double),
        ("axis", mote_vec3),
        ("height", c_double),
        ("points_file", c_char_p),
        ("points", c_void_p),
        ("point_count", c_size_t),
        ("pressure", c_char_p),
        ("fluid", c_char_p),
    ]


class mote_solid_def(Structure):
    name: Optional[bytes]
    mesh_file: Optional[bytes]
    weld: float
    spheres: mote_spheres_def
    shape: mote_shape
    mesh: Optional[int]
    placement: mote_placement
    cut_point: mote_vec3
    cut_normal: mote_vec3
    restitution: float
    friction: float
    motion: mote_motion
    boundary: int
    look: mote_look_def
    _fields_ = [
        ("name", c_char_p),
        ("mesh_file", c_char_p),
        ("weld", c_double),
        ("spheres", mote_spheres_def),
        ("shape", mote_shape),
        ("mesh", c_void_p),
        ("placement", mote_placement),
        ("cut_point", mote_vec3),
        ("cut_normal", mote_vec3),
        ("restitution", c_double),
        ("friction", c_double),
        ("motion", mote_motion),
        ("boundary", c_int32),
        ("look", mote_look_def),
    ]


class mote_gauge_def(Structure):
    name: Optional[bytes]
    kind: int
    every: float
    at: mote_vec3
    at_text: Array[c_char_p]
    min: mote_vec3
    max: mote_vec3
    direction: mote_vec3
    of: Optional[bytes]
    _fields_ = [
        ("name", c_char_p),
        ("kind", c_int32),
        ("every", c_double),
        ("at", mote_vec3),
        ("at_text", c_char_p * 3),
        ("min", mote_vec3),
        ("max", mote_vec3),
        ("direction", mote_vec3),
        ("of", c_char_p),
    ]


class mote_simulation_def(Structure):
    fluid: mote_fluid_def
    phase: mote_phase_def
    fluids: Optional[int]
    tensions: Optional[int]
    fluid_count: int
    tension_count: int
    has_tank: bool
    tank: mote_tank_def
    has_periodic: bool
    periodic: mote_period_def
    blocks: Optional[int]
    block_count: int
    solids: Optional[int]
    solid_count: int
    damping: Optional[int]
    inlets: Optional[int]
    outlets: Optional[int]
    drains: Optional[int]
    damping_count: int
    inlet_count: int
    outlet_count: int
    drain_count: int
    has_grains: bool
    grains: mote_grains_def
    gauges: Optional[int]
    gauge_count: int
    field_store: Optional[int]
    seed: int
    cookie: int
    _fields_ = [
        ("fluid", mote_fluid_def),
        ("phase", mote_phase_def),
        ("fluids", c_void_p),
        ("tensions", c_void_p),
        ("fluid_count", c_size_t),
        ("tension_count", c_size_t),
        ("has_tank", c_bool),
        ("tank", mote_tank_def),
        ("has_periodic", c_bool),
        ("periodic", mote_period_def),
        ("blocks", c_void_p),
        ("block_count", c_size_t),
        ("solids", c_void_p),
        ("solid_count", c_size_t),
        ("damping", c_void_p),
        ("inlets", c_void_p),
        ("outlets", c_void_p),
        ("drains", c_void_p),
        ("damping_count", c_size_t),
        ("inlet_count", c_size_t),
        ("outlet_count", c_size_t),
        ("drain_count", c_size_t),
        ("has_grains", c_bool),
        ("grains", mote_grains_def),
        ("gauges", c_void_p),
        ("gauge_count", c_size_t),
        ("field_store", c_void_p),
        ("seed", c_uint64),
        ("cookie", c_uint32),
    ]


class mote_simulation_part(Structure):
    name: Optional[bytes]
    fields: Optional[int]
    size: int
    offset: int
    count_offset: int
    has_offset: int
    is_required: bool
    stands_alone: bool
    instead: Optional[bytes]
    use_presets: Optional[int]
    _fields_ = [
        ("name", c_char_p),
        ("fields", c_void_p),
        ("size", c_size_t),
        ("offset", c_size_t),
        ("count_offset", c_size_t),
        ("has_offset", c_size_t),
        ("is_required", c_bool),
        ("stands_alone", c_bool),
        ("instead", c_char_p),
        ("use_presets", c_void_p),
    ]


class mote_failure(Structure):
    id: int
    position: mote_vec3
    speed: float
    density: float
    time: float
    reach: float
    _fields_ = [
        ("id", c_uint64),
        ("position", mote_vec3),
        ("speed", c_double),
        ("density", c_double),
        ("time", c_double),
        ("reach", c_double),
    ]


class mote_surroundings(Structure):
    count: int
    array_count: int
    arrays: Array[mote_array]
    memory: Optional[int]
    bytes: int
    context: Optional[int]
    _fields_ = [
        ("count", c_size_t),
        ("array_count", c_size_t),
        ("arrays", mote_array * 16),
        ("memory", c_void_p),
        ("bytes", c_size_t),
        ("context", c_void_p),
    ]


class mote_object_view(Structure):
    kind: Optional[bytes]
    name: Optional[bytes]
    count: int
    expected: int
    particle_size: float
    role: int
    color: mote_vec3
    group_count: int
    groups: Optional[int]
    group_colors: Array[mote_vec3]
    is_fixed: bool
    array_count: int
    arrays: Array[mote_array]
    mesh: Optional[int]
    mesh_moves: bool
    look: Optional[int]
    boundary: Optional[bytes]
    remark: Optional[bytes]
    _fields_ = [
        ("kind", c_char_p),
        ("name", c_char_p),
        ("count", c_size_t),
        ("expected", c_size_t),
        ("particle_size", c_double),
        ("role", c_int),
        ("color", mote_vec3),
        ("group_count", c_size_t),
        ("groups", c_void_p),
        ("group_colors", mote_vec3 * 16),
        ("is_fixed", c_bool),
        ("array_count", c_size_t),
        ("arrays", mote_array * 16),
        ("mesh", c_void_p),
        ("mesh_moves", c_bool),
        ("look", c_void_p),
        ("boundary", c_char_p),
        ("remark", c_char_p),
    ]


class mote_quantity(Structure):
    name: Optional[bytes]
    unit: Optional[bytes]
    value: Array[c_double]
    components: int
    is_fixed: bool
    is_vital: bool
    of: Optional[bytes]
    _fields_ = [
        ("name", c_char_p),
        ("unit", c_char_p),
        ("value", c_double * 3),
        ("components", c_int),
        ("is_fixed", c_bool),
        ("is_vital", c_bool),
        ("of", c_char_p),
    ]


class mote_gauge_value(Structure):
    name: Optional[bytes]
    quantity: Optional[bytes]
    unit: Optional[bytes]
    unit_2d: Optional[bytes]
    _fields_ = [
        ("name", c_char_p),
        ("quantity", c_char_p),
        ("unit", c_char_p),
        ("unit_2d", c_char_p),
    ]


class mote_gauge_kind_info(Structure):
    name: Optional[bytes]
    meaning: Optional[bytes]
    needs: Array[c_char_p]
    takes: Array[c_char_p]
    value_count: int
    values: Array[mote_gauge_value]
    _fields_ = [
        ("name", c_char_p),
        ("meaning", c_char_p),
        ("needs", c_char_p * 4),
        ("takes", c_char_p * 4),
        ("value_count", c_size_t),
        ("values", mote_gauge_value * 4),
    ]


class mote_gauge_view(Structure):
    name: Optional[bytes]
    kind: Optional[int]
    values: Array[c_double]
    time: float
    row_count: int
    dimensions: int
    _fields_ = [
        ("name", c_char_p),
        ("kind", c_void_p),
        ("values", c_double * 4),
        ("time", c_double),
        ("row_count", c_uint64),
        ("dimensions", c_int),
    ]


class mote_simulation_counters(Structure):
    steps: int
    particle_steps: int
    search_seconds: float
    total_seconds: float
    _fields_ = [
        ("steps", c_uint64),
        ("particle_steps", c_uint64),
        ("search_seconds", c_double),
        ("total_seconds", c_double),
    ]


class mote_simulation_origin(Structure):
    time: float
    steps: int
    particles: int
    grains: int
    sound_speed: float
    _fields_ = [
        ("time", c_double),
        ("steps", c_uint64),
        ("particles", c_size_t),
        ("grains", c_size_t),
        ("sound_speed", c_double),
    ]


class mote_scene_settings(Structure):
    title: Optional[bytes]
    description: Optional[bytes]
    end_time: float
    frames: int
    video_speed: float
    frame_rate: float
    simulation: mote_simulation_def
    _fields_ = [
        ("title", c_char_p),
        ("description", c_char_p),
        ("end_time", c_double),
        ("frames", c_int32),
        ("video_speed", c_double),
        ("frame_rate", c_double),
        ("simulation", mote_simulation_def),
    ]


class mote_scene_section(Structure):
    name: Optional[bytes]
    table: Optional[int]
    object: Optional[int]
    _fields_ = [
        ("name", c_char_p),
        ("table", c_void_p),
        ("object", c_void_p),
    ]


class mote_surface_def(Structure):
    spacing: float
    cell: float
    support: float
    isovalue: float
    kernel: int
    centering: float
    smooth: int
    weighted: bool
    normals: int
    smooth_normals: int
    cleanup: bool
    min_particles: int
    block: int
    full: bool
    cookie: int
    _fields_ = [
        ("spacing", c_double),
        ("cell", c_double),
        ("support", c_double),
        ("isovalue", c_double),
        ("kernel", c_int32),
        ("centering", c_double),
        ("smooth", c_int32),
        ("weighted", c_bool),
        ("normals", c_int32),
        ("smooth_normals", c_int32),
        ("cleanup", c_bool),
        ("min_particles", c_int32),
        ("block", c_int32),
        ("full", c_bool),
        ("cookie", c_uint32),
    ]


class mote_surface_plane(Structure):
    point: mote_vec3
    normal: mote_vec3
    _fields_ = [
        ("point", mote_vec3),
        ("normal", mote_vec3),
    ]


class mote_surface_cloud(Structure):
    points: mote_points
    volumes: mote_array
    phases: mote_array
    fill: mote_points
    arrays: Optional[int]
    array_count: int
    planes: Optional[int]
    plane_count: int
    distance: Optional[int]
    distance_data: Optional[int]
    search: Optional[int]
    _fields_ = [
        ("points", mote_points),
        ("volumes", mote_array),
        ("phases", mote_array),
        ("fill", mote_points),
        ("arrays", c_void_p),
        ("array_count", c_size_t),
        ("planes", c_void_p),
        ("plane_count", c_size_t),
        ("distance", c_void_p),
        ("distance_data", c_void_p),
        ("search", c_void_p),
    ]


class mote_surface_stats(Structure):
    isovalue: float
    volume: float
    area: float
    particles: int
    parts: int
    outside: int
    left_out_parts: int
    left_out_particles: int
    chunks: int
    nodes: int
    blocks: int
    bytes: int
    _fields_ = [
        ("isovalue", c_double),
        ("volume", c_double),
        ("area", c_double),
        ("particles", c_uint64),
        ("parts", c_uint64),
        ("outside", c_uint64),
        ("left_out_parts", c_uint64),
        ("left_out_particles", c_uint64),
        ("chunks", c_uint64),
        ("nodes", c_uint64),
        ("blocks", c_uint64),
        ("bytes", c_uint64),
    ]


class mote_surface_view(Structure):
    vertices: Optional[int]
    triangles: Optional[int]
    normals: Optional[int]
    arrays: Optional[int]
    vertex_count: int
    triangle_count: int
    array_count: int
    stats: mote_surface_stats
    _fields_ = [
        ("vertices", c_void_p),
        ("triangles", c_void_p),
        ("normals", c_void_p),
        ("arrays", c_void_p),
        ("vertex_count", c_size_t),
        ("triangle_count", c_size_t),
        ("array_count", c_size_t),
        ("stats", mote_surface_stats),
    ]


class mote_outline_stats(Structure):
    isovalue: float
    area: float
    length: float
    bytes: int
    _fields_ = [
        ("isovalue", c_double),
        ("area", c_double),
        ("length", c_double),
        ("bytes", c_uint64),
    ]


class mote_outline_view(Structure):
    vertices: Optional[int]
    segments: Optional[int]
    triangles: Optional[int]
    vertex_count: int
    segment_count: int
    triangle_count: int
    stats: mote_outline_stats
    _fields_ = [
        ("vertices", c_void_p),
        ("segments", c_void_p),
        ("triangles", c_void_p),
        ("vertex_count", c_size_t),
        ("segment_count", c_size_t),
        ("triangle_count", c_size_t),
        ("stats", mote_outline_stats),
    ]


class mote_isosurface_def(Structure):
    origin: mote_vec3
    cell: float
    size: Array[c_int32]
    values: Optional[int]
    function: Optional[int]
    user_data: Optional[int]
    isovalue: float
    open_border: bool
    cookie: int
    _fields_ = [
        ("origin", mote_vec3),
        ("cell", c_double),
        ("size", c_int32 * 3),
        ("values", c_void_p),
        ("function", c_void_p),
        ("user_data", c_void_p),
        ("isovalue", c_double),
        ("open_border", c_bool),
        ("cookie", c_uint32),
    ]


CALLBACKS: Dict[str, Any] = {
    "mote_sink": CFUNCTYPE(c_bool, c_void_p, c_void_p, c_size_t),
    "mote_task": CFUNCTYPE(None, c_void_p, c_uint32, c_uint32),
    "mote_fluid_mover": CFUNCTYPE(None, c_void_p, mote_vec3, c_void_p, c_void_p),
    "mote_wall_field_writer": CFUNCTYPE(c_bool, c_void_p, c_void_p, c_void_p),
    "mote_broadphase_visitor": CFUNCTYPE(c_bool, c_void_p, c_uint32),
    "mote_grains_keeper": CFUNCTYPE(c_bool, c_void_p, mote_vec3, c_void_p),
    "mote_import_watch": CFUNCTYPE(None, c_void_p, c_double),
    "mote_neighbors_visitor": CFUNCTYPE(None, c_void_p, mote_row, c_uint32),
    "mote_neighbors_group_visitor": CFUNCTYPE(None, c_void_p, c_void_p, c_uint32),
    "mote_neighbors_chunk_visitor": CFUNCTYPE(c_bool, c_void_p, c_void_p, c_uint32),
    "mote_opening_profile": CFUNCTYPE(c_double, c_void_p, mote_vec3, c_double),
    "mote_simulation_stop": CFUNCTYPE(c_bool, c_void_p, c_void_p),
    "mote_surface_distance": CFUNCTYPE(c_double, c_void_p, mote_vec3),
    "mote_isosurface_function": CFUNCTYPE(c_double, c_void_p, mote_vec3),
}

# Each function's header, result and parameters.
FUNCTIONS: Dict[str, Tuple[str, Any, Tuple[Any, ...]]] = {
    "mote_version": ("base.h", c_char_p, ()),
    "mote_result_name": ("base.h", c_char_p, (c_int,)),
    "mote_result_text": ("base.h", c_char_p, (c_int,)),
    "mote_simd_name": ("base.h", c_char_p, (c_int,)),
    "mote_context_default_def": ("base.h", mote_context_def, ()),
    "mote_context_create": ("base.h", c_int, (c_void_p, c_void_p, c_void_p)),
    "mote_context_destroy": ("base.h", None, (c_void_p,)),
    "mote_context_byte_count": ("base.h", c_size_t, (c_void_p,)),
    "mote_context_allocation_count": ("base.h", c_uint64, (c_void_p,)),
    "mote_context_simd": ("base.h", c_int, (c_void_p,)),
    "mote_context_worker_count": ("base.h", c_uint32, (c_void_p,)),
    "mote_run_blocks": ("base.h", None, (c_void_p, c_uint32, c_void_p, c_void_p)),
    "mote_points_xyz": ("base.h", mote_points, (c_void_p, c_size_t)),
    "mote_points_xyz_f64": ("base.h", mote_points, (c_void_p, c_size_t)),
    "mote_points_xy": ("base.h", mote_points, (c_void_p, c_size_t)),
    "mote_points_xy_f64": ("base.h", mote_points, (c_void_p, c_size_t)),
    "mote_points_axes": ("base.h", mote_points, (c_void_p, c_void_p, c_void_p, c_size_t)),
    "mote_points_axes_f64": ("base.h", mote_points, (c_void_p, c_void_p, c_void_p, c_size_t)),
    "mote_points_checksum": ("base.h", c_uint64, (mote_points,)),
    "mote_random_next": ("base.h", c_uint64, (c_void_p,)),
    "mote_random_unit": ("base.h", c_double, (c_void_p,)),
    "mote_random_below": ("base.h", c_uint32, (c_void_p, c_uint32)),
    "mote_random_gauss": ("base.h", c_double, (c_void_p,)),
    "mote_number_text": ("base.h", c_size_t, (c_double, c_void_p, c_size_t)),
    "mote_nearest_word": ("base.h", c_char_p, (c_char_p, c_void_p)),
    "mote_fields_set_defaults": ("base.h", None, (c_void_p, c_void_p)),
    "mote_fields_check": ("base.h", c_int, (c_void_p, c_void_p, c_void_p)),
    "mote_field_is_valid": ("base.h", c_bool, (c_void_p, c_void_p)),
    "mote_fields_find": ("base.h", c_void_p, (c_void_p, c_char_p)),
    "mote_fields_nearest": ("base.h", c_char_p, (c_void_p, c_char_p)),
    "mote_field_expected_text": ("base.h", c_size_t, (c_void_p, c_void_p, c_size_t)),
    "mote_field_value_text": ("base.h", c_size_t, (c_void_p, c_void_p, c_void_p, c_size_t)),
    "mote_array_type_bytes": ("base.h", c_size_t, (c_int,)),
    "mote_array_scalars": ("base.h", mote_array, (c_char_p, c_int, c_void_p)),
    "mote_array_tuples": ("base.h", mote_array, (c_char_p, c_int, c_void_p, c_int)),
    "mote_array_axes": ("base.h", mote_array, (c_char_p, c_int, c_void_p, c_void_p, c_void_p)),
    "mote_fluid_preset_at": ("fluid.h", c_void_p, (c_size_t,)),
    "mote_fluid_solver_at": ("fluid.h", c_void_p, (c_size_t,)),
    "mote_fluid_kernel_at": ("fluid.h", c_void_p, (c_size_t,)),
    "mote_fluid_default_def": ("fluid.h", mote_fluid_def, ()),
    "mote_fluid_choose_preset": ("fluid.h", c_int, (c_void_p, c_int32, c_void_p)),
    "mote_fluid_fields": ("fluid.h", c_void_p, ()),
    "mote_fluid_create": ("fluid.h", c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "mote_fluid_destroy": ("fluid.h", None, (c_void_p,)),
    "mote_fluid_resolved_def": ("fluid.h", mote_fluid_def, (c_void_p,)),
    "mote_fluid_particle_mass": ("fluid.h", c_double, (c_void_p,)),
    "mote_phase_default_def": ("fluid.h", mote_phase_def, ()),
    "mote_phase_fields": ("fluid.h", c_void_p, ()),
    "mote_fluid_add_phase": ("fluid.h", c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "mote_fluid_resolved_phase": ("fluid.h", mote_phase_def, (c_void_p, c_uint32)),
    "mote_fluid_phase_count": ("fluid.h", c_uint32, (c_void_p,)),
    "mote_fluid_phase_mass": ("fluid.h", c_double, (c_void_p, c_uint32)),
    "mote_fluid_add": ("fluid.h", c_int, (c_void_p, c_uint32, c_void_p, c_void_p, c_size_t, c_void_p)),
    "mote_fluid_set_pressures": ("fluid.h", c_int, (c_void_p, c_void_p, c_void_p)),
    "mote_fluid_set_gravity": ("fluid.h", c_int, (c_void_p, mote_vec3, c_void_p)),
    "mote_fluid_remove": ("fluid.h", c_int, (c_void_p, c_void_p, c_void_p)),
    "mote_period_default_def": ("fluid.h", mote_period_def, ()),
    "mote_period_fields": ("fluid.h", c_void_p, ()),
    "mote_fluid_set_period": ("fluid.h", c_int, (c_void_p, c_void_p, c_void_p)),
    "mote_fluid_evaluate": ("fluid.h", c_int, (c_void_p, c_void_p)),
    "mote_fluid_time_step": ("fluid.h", c_int, (c_void_p, c_void_p, c_void_p)),
    "mote_fluid_advance": ("fluid.h", c_int, (c_void_p, c_double, c_void_p, c_void_p, c_void_p)),
    "mote_fluid_get_view": ("fluid.h", c_int, (c_void_p, c_void_p, c_void_p)),
    "mote_fluid_attribute_at": ("fluid.h", c_void_p, (c_size_t,)),
    "mote_fluid_get_array": ("fluid.h", c_int, (c_void_p, c_char_p, c_void_p, c_void_p)),
    "mote_fluid_sum_densities": ("fluid.h", c_int, (c_void_p, c_void_p, c_void_p)),
    "mote_fluid_get_totals": ("fluid.h", c_int, (c_void_p, c_void_p, c_void_p)),
    "mote_fluid_write": ("fluid.h", c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "mote_fluid_read": ("fluid.h", c_int, (c_void_p, c_void_p, c_size_t, c_void_p)),
    "mote_fluid_get_counters": ("fluid.h", mote_fluid_counters, (c_void_p,)),
    "mote_fluid_byte_count": ("fluid.h", c_size_t, (c_void_p,)),
    "mote_fluid_validate": ("fluid.h", c_int, (c_void_p, c_void_p)),
    "mote_fluid_add_walls": ("walls.h", c_int, (c_void_p, c_void_p, c_void_p, c_size_t, c_void_p)),
    "mote_fluid_surface_gamma": ("walls.h", c_double, (c_void_p,)),
    "mote_fluid_get_walls": ("walls.h", None, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "mote_boundary_default_def": ("walls.h", mote_boundary_def, ()),
    "mote_boundary_fields": ("walls.h", c_void_p, ()),
    "mote_fluid_add_boundary": ("walls.h", c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "mote_fluid_add_boundary_walls": ("walls.h", c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_size_t, c_void_p)),
    "mote_boundary_motion_default": ("walls.h", mote_boundary_motion, ()),
    "mote_fluid_set_boundary_motion": ("walls.h", c_int, (c_void_p, c_uint32, c_void_p, c_void_p)),
    "mote_fluid_boundary_force": ("walls.h", c_int, (c_void_p, c_uint32, c_void_p, c_void_p, c_void_p)),
    "mote_fluid_add_impulse": ("walls.h", None, (c_void_p, c_uint32, mote_vec3, mote_vec3)),
    "mote_fluid_wants_impulses": ("walls.h", c_bool, (c_void_p,)),
    "mote_boundary_kind_at": ("boundary.h", c_void_p, (c_size_t,)),
    "mote_boundary_kind_of": ("boundary.h", c_int, (c_int, c_bool)),
    "mote_motion_is_set": ("boundary.h", c_bool, (c_void_p,)),
    "mote_damping_default_def": ("boundary.h", mote_damping_def, ()),
    "mote_damping_fields": ("boundary.h", c_void_p, ()),
    "mote_boxes_corners": ("broadphase.h", mote_boxes, (c_void_p, c_size_t, c_int)),
    "mote_boxes_min_max": ("broadphase.h", mote_boxes, (c_void_p, c_void_p, c_size_t, c_int)),
    "mote_boxes_bounds": ("broadphase.h", mote_boxes, (c_void_p, c_size_t, c_int)),
    "mote_broadphase_method_at": ("broadphase.h", c_void_p, (c_size_t,)),
    "mote_broadphase_default_def": ("broadphase.h", mote_broadphase_def, ()),
    "mote_broadphase_fields": ("broadphase.h", c_void_p, ()),
    "mote_broadphase_create": ("broadphase.h", c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "mote_broadphase_destroy": ("broadphase.h", None, (c_void_p,)),
    "mote_filter_all": ("broadphase.h", mote_filter, ()),
    "mote_broadphase_add": ("broadphase.h", c_int, (c_void_p, c_void_p, c_int, mote_filter, c_void_p, c_void_p)),
    "mote_broadphase_add_many": ("broadphase.h", c_int, (c_void_p, mote_boxes, c_int, mote_filter, c_void_p, c_void_p)),
    "mote_broadphase_move": ("broadphase.h", c_int, (c_void_p, c_uint32, c_void_p, c_void_p)),
    "mote_broadphase_move_many": ("broadphase.h", c_int, (c_void_p, c_void_p, mote_boxes, c_void_p)),
    "mote_broadphase_remove": ("broadphase.h", c_int, (c_void_p, c_uint32, c_void_p)),
    "mote_broadphase_remove_many": ("broadphase.h", c_int, (c_void_p, c_void_p, c_size_t, c_void_p)),
    "mote_broadphase_set_filter": ("broadphase.h", c_int, (c_void_p, c_uint32, mote_filter, c_void_p)),
    "mote_broadphase_set_kind": ("broadphase.h", c_int, (c_void_p, c_uint32, c_int, c_void_p)),
    "mote_broadphase_object": ("broadphase.h", c_bool, (c_void_p, c_uint32, c_void_p)),
    "mote_broadphase_count": ("broadphase.h", c_size_t, (c_void_p,)),
    "mote_broadphase_id_end": ("broadphase.h", c_uint32, (c_void_p,)),
    "mote_broadphase_update": ("broadphase.h", c_int, (c_void_p, c_void_p)),
    "mote_broadphase_query_box": ("broadphase.h", c_int, (c_void_p, c_void_p, mote_filter, c_void_p, c_void_p,
        c_void_p)),
    "mote_broadphase_query_point": ("broadphase.h", c_int, (c_void_p, c_void_p, mote_filter, c_void_p, c_void_p,
        c_void_p)),
    "mote_broadphase_query_sphere": ("broadphase.h", c_int, (c_void_p, c_void_p, c_float, mote_filter, c_void_p,
        c_void_p, c_void_p)),
    "mote_broadphase_query_segment": ("broadphase.h", c_int, (c_void_p, c_void_p, c_void_p, mote_filter, c_void_p,
        c_void_p, c_void_p)),
    "mote_broadphase_query_sweep": ("broadphase.h", c_int, (c_void_p, c_void_p, c_void_p, mote_filter, c_void_p,
        c_void_p, c_void_p)),
    "mote_broadphase_closest": ("broadphase.h", c_int, (c_void_p, c_void_p, c_float, mote_filter, c_void_p, c_void_p)),
    "mote_broadphase_query_boxes": ("broadphase.h", c_int, (c_void_p, mote_boxes, mote_filter, c_void_p, c_void_p)),
    "mote_broadphase_query_points": ("broadphase.h", c_int, (c_void_p, mote_points, mote_filter, c_void_p, c_void_p)),
    "mote_broadphase_query_spheres": ("broadphase.h", c_int, (c_void_p, mote_points, c_void_p, c_ssize_t, mote_filter,
        c_void_p, c_void_p)),
    "mote_broadphase_query_segments": ("broadphase.h", c_int, (c_void_p, mote_points, mote_points, mote_filter,
        c_void_p, c_void_p)),
    "mote_broadphase_query_sweeps": ("broadphase.h", c_int, (c_void_p, mote_boxes, mote_points, mote_filter, c_void_p,
        c_void_p)),
    "mote_broadphase_pairs": ("broadphase.h", c_int, (c_void_p, c_void_p, c_void_p)),
    "mote_broadphase_pairs_between": ("broadphase.h", c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "mote_broadphase_events": ("broadphase.h", c_int, (c_void_p, c_void_p, c_void_p)),
    "mote_broadphase_get_counters": ("broadphase.h", mote_broadphase_counters, (c_void_p,)),
    "mote_broadphase_cells": ("broadphase.h", c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "mote_broadphase_explain": ("broadphase.h", c_char_p, (c_void_p,)),
    "mote_broadphase_byte_count": ("broadphase.h", c_size_t, (c_void_p, c_void_p)),
    "mote_broadphase_validate": ("broadphase.h", c_int, (c_void_p, c_void_p)),
    "mote_expression_create": ("expression.h", c_int, (c_void_p, c_char_p, c_void_p, c_void_p, c_void_p)),
    "mote_expression_destroy": ("expression.h", None, (c_void_p,)),
    "mote_expression_check": ("expression.h", c_int, (c_char_p, c_void_p, c_void_p)),
    "mote_expression_evaluate": ("expression.h", c_double, (c_void_p, c_void_p)),
    "mote_expression_derive": ("expression.h", None, (c_void_p, c_void_p, c_size_t, c_void_p)),
    "mote_expression_uses": ("expression.h", c_bool, (c_void_p, c_size_t)),
    "mote_expression_get_stats": ("expression.h", mote_expression_stats, (c_void_p,)),
    "mote_expression_byte_count": ("expression.h", c_size_t, (c_void_p,)),
    "mote_expression_validate": ("expression.h", c_int, (c_void_p, c_void_p)),
    "mote_mesh_create": ("mesh.h", c_int, (c_void_p, c_void_p, c_size_t, c_void_p, c_size_t, c_void_p, c_void_p)),
    "mote_mesh_destroy": ("mesh.h", None, (c_void_p,)),
    "mote_mesh_byte_count": ("mesh.h", c_size_t, (c_void_p,)),
    "mote_mesh_join": ("mesh.h", c_int, (c_void_p, c_void_p, c_size_t, c_void_p, c_void_p)),
    "mote_mesh_place": ("mesh.h", None, (c_void_p, c_void_p)),
    "mote_look_default_def": ("mesh.h", mote_look_def, ()),
    "mote_look_fields": ("mesh.h", c_void_p, ()),
    "mote_mesh_box": ("mesh.h", mote_box, (c_void_p,)),
    "mote_mesh_area": ("mesh.h", c_double, (c_void_p,)),
    "mote_mesh_volume": ("mesh.h", c_double, (c_void_p,)),
    "mote_mesh_vertex_normals": ("mesh.h", None, (c_void_p, c_void_p)),
    "mote_mesh_split": ("mesh.h", c_int, (c_void_p, c_double, c_void_p, c_void_p)),
    "mote_mesh_normals_release": ("mesh.h", None, (c_void_p,)),
    "mote_mesh_examine": ("mesh.h", c_int, (c_void_p, c_void_p, c_void_p)),
    "mote_mesh_find_crossings": ("mesh.h", c_int, (c_void_p, c_void_p, c_void_p)),
    "mote_mesh_weld": ("mesh.h", c_int, (c_void_p, c_void_p)),
    "mote_mesh_weld_within": ("mesh.h", c_int, (c_void_p, c_double, c_void_p)),
    "mote_mesh_cut": ("mesh.h", c_int, (c_void_p, mote_vec3, mote_vec3, c_void_p)),
    "mote_mesh_sample": ("mesh.h", c_int, (c_void_p, c_double, c_uint64, c_void_p, c_void_p)),
    "mote_mesh_samples_release": ("mesh.h", None, (c_void_p,)),
    "mote_mesh_winding_number": ("mesh.h", c_double, (c_void_p, mote_vec3)),
    "mote_spheres_place": ("mesh.h", None, (c_void_p, c_size_t, c_void_p)),
    "mote_spheres_arrange": ("mesh.h", c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "mote_mesh_create_spheres": ("mesh.h", c_int, (c_void_p, c_void_p, c_size_t, c_double, c_void_p, c_void_p)),
    "mote_spheres_sample": ("mesh.h", c_int, (c_void_p, c_void_p, c_size_t, c_double, c_void_p, c_void_p)),
    "mote_mesh_check_shape": ("mesh.h", c_int, (c_void_p, c_int, c_void_p)),
    "mote_mesh_create_shape": ("mesh.h", c_int, (c_void_p, c_void_p, c_int, c_double, c_void_p, c_void_p)),
    "mote_response_default": ("response.h", mote_response, ()),
    "mote_response_bounce": ("response.h", mote_response, (c_double, c_double)),
    "mote_response_check": ("response.h", c_int, (c_void_p, c_void_p)),
    "mote_response_apply": ("response.h", mote_vec3, (c_void_p, mote_vec3, mote_vec3, mote_vec3)),
    "mote_proxy_default_def": ("proxy.h", mote_proxy_def, ()),
    "mote_proxy_fields": ("proxy.h", c_void_p, ()),
    "mote_proxy_create": ("proxy.h", c_int, (c_void_p, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p)),
    "mote_proxy_destroy": ("proxy.h", None, (c_void_p,)),
    "mote_proxy_resolved_def": ("proxy.h", mote_proxy_def, (c_void_p,)),
    "mote_proxy_drop_triangles": ("proxy.h", None, (c_void_p,)),
    "mote_proxy_write": ("proxy.h", c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "mote_proxy_read": ("proxy.h", c_int, (c_void_p, c_void_p, c_size_t, c_void_p, c_void_p)),
    "mote_proxy_is_of": ("proxy.h", c_bool, (c_void_p, c_uint64, c_void_p, c_size_t, c_void_p)),
    "mote_proxy_key": ("proxy.h", None, (c_void_p, c_size_t, c_void_p, c_void_p)),
    "mote_proxy_particles_xyz": ("proxy.h", mote_proxy_particles, (c_void_p, c_void_p, c_void_p, c_size_t)),
    "mote_proxy_stamp": ("proxy.h", c_int, (c_void_p, c_void_p, c_void_p)),
    "mote_proxy_advance": ("proxy.h", c_int, (c_void_p, c_void_p, c_double, c_void_p, c_void_p, c_void_p)),
    "mote_proxy_hits": ("proxy.h", c_int, (c_void_p, c_void_p, c_double, c_void_p, c_void_p)),
    "mote_proxy_first_triangles": ("proxy.h", c_int, (c_void_p, c_void_p, c_double, c_void_p, c_void_p)),
    "mote_proxy_get_arrays": ("proxy.h", mote_proxy_arrays, (c_void_p,)),
    "mote_proxy_locate": ("proxy.h", mote_proxy_place, (c_void_p, mote_vec3)),
    "mote_proxy_get_stats": ("proxy.h", mote_proxy_stats, (c_void_p,)),
    "mote_proxy_byte_count": ("proxy.h", c_size_t, (c_void_p,)),
    "mote_proxy_validate": ("proxy.h", c_int, (c_void_p, c_void_p)),
    "mote_grains_default_def": ("grains.h", mote_grains_def, ()),
    "mote_grains_fields": ("grains.h", c_void_p, ()),
    "mote_grains_proxy_def": ("grains.h", mote_proxy_def, (c_void_p,)),
    "mote_grains_create": ("grains.h", c_int, (c_void_p, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p)),
    "mote_grains_destroy": ("grains.h", None, (c_void_p,)),
    "mote_grains_set_gravity": ("grains.h", c_int, (c_void_p, mote_vec3, c_void_p)),
    "mote_grains_advance": ("grains.h", c_int, (c_void_p, c_double, c_void_p, c_void_p, c_void_p)),
    "mote_grains_get_view": ("grains.h", mote_grains_view, (c_void_p,)),
    "mote_grains_write": ("grains.h", c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "mote_grains_read": ("grains.h", c_int, (c_void_p, c_void_p, c_size_t, c_void_p)),
    "mote_grains_get_counters": ("grains.h", mote_grains_counters, (c_void_p,)),
    "mote_grains_byte_count": ("grains.h", c_size_t, (c_void_p,)),
    "mote_grains_validate": ("grains.h", c_int, (c_void_p, c_void_p)),
    "mote_hits_default_def": ("hits.h", mote_hits_def, ()),
    "mote_hits_fields": ("hits.h", c_void_p, ()),
    "mote_hits_create": ("hits.h", c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "mote_hits_create_many": ("hits.h", c_int, (c_void_p, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p)),
    "mote_hits_destroy": ("hits.h", None, (c_void_p,)),
    "mote_hits_update": ("hits.h", c_int, (c_void_p, c_void_p, c_void_p)),
    "mote_hits_update_moving": ("hits.h", c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "mote_hits_segment": ("hits.h", c_bool, (c_void_p, mote_vec3, mote_vec3, c_int, c_void_p)),
    "mote_hits_sphere": ("hits.h", c_bool, (c_void_p, mote_vec3, mote_vec3, c_double, c_void_p)),
    "mote_hits_query": ("hits.h", c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "mote_hits_advance": ("hits.h", c_int, (c_void_p, c_void_p, c_void_p, c_double, c_void_p, c_void_p)),
    "mote_hits_get_contacts": ("hits.h", mote_contact_list, (c_void_p,)),
    "mote_hits_prepare_closest": ("hits.h", c_int, (c_void_p, c_void_p)),
    "mote_hits_closest": ("hits.h", c_int, (c_void_p, mote_vec3, c_double, c_int, c_void_p, c_void_p)),
    "mote_hits_closest_all": ("hits.h", c_int, (c_void_p, c_void_p, c_double, c_int, c_void_p, c_void_p)),
    "mote_hits_is_inside": ("hits.h", c_int, (c_void_p, mote_vec3, c_void_p, c_void_p)),
    "mote_hits_slide": ("hits.h", c_int, (c_void_p, c_double, c_void_p, mote_vec3, c_void_p, c_void_p, c_void_p)),
    "mote_hits_winding_number": ("hits.h", c_int, (c_void_p, mote_vec3, c_double, c_void_p, c_void_p, c_void_p)),
    "mote_hits_get_stats": ("hits.h", mote_hits_stats, (c_void_p,)),
    "mote_hits_byte_count": ("hits.h", c_size_t, (c_void_p,)),
    "mote_hits_validate": ("hits.h", c_int, (c_void_p, c_void_p)),
    "mote_import_mesh": ("import.h", c_int, (c_void_p, c_char_p, c_void_p, c_void_p)),
    "mote_import_mesh_watched": ("import.h", c_int, (c_void_p, c_char_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "mote_import_knows": ("import.h", c_bool, (c_char_p,)),
    "mote_import_obj": ("import.h", c_int, (c_void_p, c_char_p, c_void_p, c_size_t, c_void_p, c_void_p)),
    "mote_import_ply": ("import.h", c_int, (c_void_p, c_char_p, c_void_p, c_size_t, c_void_p, c_void_p)),
    "mote_import_stl": ("import.h", c_int, (c_void_p, c_char_p, c_void_p, c_size_t, c_void_p, c_void_p)),
    "mote_import_vtp": ("import.h", c_int, (c_void_p, c_char_p, c_void_p, c_size_t, c_void_p, c_void_p)),
    "mote_import_points": ("import.h", c_int, (c_void_p, c_char_p, c_void_p, c_void_p)),
    "mote_import_points_frame": ("import.h", c_int, (c_void_p, c_char_p, c_int64, c_void_p, c_void_p)),
    "mote_point_data_release": ("import.h", None, (c_void_p,)),
    "mote_import_cloud": ("import.h", c_int, (c_void_p, c_char_p, c_char_p, c_void_p, c_void_p)),
    "mote_import_cloud_memory": ("import.h", c_int, (c_void_p, c_char_p, c_char_p, c_void_p, c_size_t, c_void_p,
        c_void_p)),
    "mote_cloud_data_release": ("import.h", None, (c_void_p,)),
    "mote_import_points_csv": ("import.h", c_int, (c_void_p, c_char_p, c_void_p, c_size_t, c_void_p, c_void_p)),
    "mote_import_points_xyz": ("import.h", c_int, (c_void_p, c_char_p, c_void_p, c_size_t, c_void_p, c_void_p)),
    "mote_import_points_ply": ("import.h", c_int, (c_void_p, c_char_p, c_void_p, c_size_t, c_void_p, c_void_p)),
    "mote_import_points_vtp": ("import.h", c_int, (c_void_p, c_char_p, c_void_p, c_size_t, c_void_p, c_void_p)),
    "mote_import_points_npy": ("import.h", c_int, (c_void_p, c_char_p, c_void_p, c_size_t, c_void_p, c_void_p)),
    "mote_import_points_lammps": ("import.h", c_int, (c_void_p, c_char_p, c_void_p, c_size_t, c_int64, c_void_p,
        c_void_p)),
    "mote_import_boxes": ("import.h", c_int, (c_void_p, c_char_p, c_void_p, c_void_p)),
    "mote_box_data_release": ("import.h", None, (c_void_p,)),
    "mote_import_boxes_csv": ("import.h", c_int, (c_void_p, c_char_p, c_void_p, c_size_t, c_void_p, c_void_p)),
    "mote_import_boxes_json": ("import.h", c_int, (c_void_p, c_char_p, c_void_p, c_size_t, c_void_p, c_void_p)),
    "mote_import_motion": ("import.h", c_int, (c_void_p, c_char_p, c_void_p, c_void_p)),
    "mote_import_motion_csv": ("import.h", c_int, (c_void_p, c_char_p, c_void_p, c_size_t, c_void_p, c_void_p)),
    "mote_motion_data_release": ("import.h", None, (c_void_p,)),
    "mote_import_find": ("import.h", c_int, (c_char_p, c_char_p, c_void_p, c_size_t, c_void_p)),
    "mote_lists_to_csr": ("rows.h", None, (c_void_p, c_void_p, c_void_p)),
    "mote_kept_lists_get": ("rows.h", c_void_p, (c_void_p,)),
    "mote_kept_lists_byte_count": ("rows.h", c_size_t, (c_void_p,)),
    "mote_kept_lists_destroy": ("rows.h", None, (c_void_p,)),
    "mote_lists_to_pairs": ("rows.h", c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "mote_neighbors_pairs": ("rows.h", c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "mote_points_order_by_cell": ("rows.h", c_int, (c_void_p, mote_points, c_double, c_void_p, c_void_p)),
    "mote_permute": ("rows.h", c_int, (c_void_p, c_void_p, c_size_t, c_void_p, c_size_t, c_void_p)),
    "mote_row_scratch_create": ("rows.h", c_int, (c_void_p, c_void_p, c_void_p)),
    "mote_row_scratch_destroy": ("rows.h", None, (c_void_p,)),
    "mote_row_scratch_byte_count": ("rows.h", c_size_t, (c_void_p,)),
    "mote_neighbors_feature_at": ("neighbors.h", c_void_p, (c_size_t,)),
    "mote_neighbors_method_at": ("neighbors.h", c_void_p, (c_size_t,)),
    "mote_neighbors_default_def": ("neighbors.h", mote_neighbors_def, ()),
    "mote_neighbors_fields": ("neighbors.h", c_void_p, ()),
    "mote_neighbors_create": ("neighbors.h", c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "mote_neighbors_destroy": ("neighbors.h", None, (c_void_p,)),
    "mote_neighbors_explain": ("neighbors.h", c_char_p, (c_void_p,)),
    "mote_neighbors_update": ("neighbors.h", c_int, (c_void_p, mote_points, c_void_p)),
    "mote_neighbors_update_radii": ("neighbors.h", c_int, (c_void_p, mote_points, c_void_p, c_ssize_t, c_void_p)),
    "mote_neighbors_set_period": ("neighbors.h", c_int, (c_void_p, c_void_p, mote_vec3, c_void_p)),
    "mote_neighbors_set_radius": ("neighbors.h", c_int, (c_void_p, c_double, c_void_p)),
    "mote_neighbors_lists": ("neighbors.h", c_int, (c_void_p, c_void_p, c_void_p)),
    "mote_neighbors_lists_in_order": ("neighbors.h", c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "mote_neighbors_visit": ("neighbors.h", c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "mote_neighbors_visit_groups": ("neighbors.h", c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "mote_neighbors_subset": ("neighbors.h", c_int, (c_void_p, c_void_p, c_size_t, c_void_p, c_void_p)),
    "mote_neighbors_chunks": ("neighbors.h", c_int, (c_void_p, c_size_t, c_void_p, c_void_p, c_void_p)),
    "mote_neighbors_chunk": ("neighbors.h", c_int, (c_void_p, c_uint32, c_size_t, c_void_p, c_void_p)),
    "mote_neighbors_query": ("neighbors.h", c_int, (c_void_p, mote_points, c_void_p, c_void_p)),
    "mote_neighbors_query_radii": ("neighbors.h", c_int, (c_void_p, mote_points, c_void_p, c_ssize_t, c_void_p,
        c_void_p)),
    "mote_neighbors_row_of": ("neighbors.h", c_int, (c_void_p, c_uint32, c_void_p, c_void_p, c_void_p)),
    "mote_neighbors_row_at": ("neighbors.h", c_int, (c_void_p, c_void_p, c_double, c_void_p, c_void_p, c_void_p)),
    "mote_neighbors_update_sets": ("neighbors.h", c_int, (c_void_p, c_void_p, c_uint32, c_void_p, c_void_p)),
    "mote_neighbors_update_sets_radii": ("neighbors.h", c_int, (c_void_p, c_void_p, c_void_p, c_ssize_t, c_uint32,
        c_void_p, c_void_p)),
    "mote_neighbors_lists_of_sets": ("neighbors.h", c_int, (c_void_p, c_void_p, c_size_t, c_void_p, c_void_p)),
    "mote_neighbors_visit_sets": ("neighbors.h", c_int, (c_void_p, c_uint32, c_uint32, c_void_p, c_void_p, c_void_p)),
    "mote_neighbors_lists_as_one": ("neighbors.h", c_int, (c_void_p, c_void_p, c_size_t, c_void_p, c_void_p)),
    "mote_neighbors_search_of_set": ("neighbors.h", c_void_p, (c_void_p, c_uint32)),
    "mote_neighbors_nearest": ("neighbors.h", c_int, (c_void_p, c_void_p, c_uint32, c_void_p, c_void_p)),
    "mote_neighbors_take_lists": ("neighbors.h", c_int, (c_void_p, c_void_p, c_void_p)),
    "mote_neighbors_give_lists": ("neighbors.h", c_int, (c_void_p, c_void_p, c_void_p)),
    "mote_neighbors_permutation": ("neighbors.h", c_int, (c_void_p, c_void_p, c_void_p)),
    "mote_neighbors_permutation_of_set": ("neighbors.h", c_int, (c_void_p, c_uint32, c_void_p, c_void_p)),
    "mote_neighbors_get_counters": ("neighbors.h", mote_neighbors_counters, (c_void_p,)),
    "mote_neighbors_byte_count": ("neighbors.h", c_size_t, (c_void_p, c_void_p)),
    "mote_neighbors_validate": ("neighbors.h", c_int, (c_void_p, c_void_p)),
    "mote_opening_default": ("opening.h", mote_opening, ()),
    "mote_fluid_add_opening": ("opening.h", c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "mote_drain_default": ("opening.h", mote_drain, ()),
    "mote_fluid_add_drain": ("opening.h", c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "mote_fluid_opening_count": ("opening.h", mote_flow_count, (c_void_p, c_uint32)),
    "mote_fluid_drain_count": ("opening.h", mote_flow_count, (c_void_p, c_uint32)),
    "mote_open_end_default": ("opening.h", mote_open_end, ()),
    "mote_inlet_fields": ("opening.h", c_void_p, ()),
    "mote_outlet_fields": ("opening.h", c_void_p, ()),
    "mote_named_drain_fields": ("opening.h", c_void_p, ()),
    "mote_partial_open": ("output.h", c_bool, (c_char_p, c_char_p, c_void_p)),
    "mote_partial_close": ("output.h", c_bool, (c_void_p, c_char_p, c_char_p, c_bool)),
    "mote_vtp_write": ("output.h", c_int, (c_void_p, c_char_p, c_void_p, c_void_p)),
    "mote_series_create": ("output.h", c_int, (c_void_p, c_char_p, c_void_p, c_void_p)),
    "mote_series_destroy": ("output.h", None, (c_void_p,)),
    "mote_series_add": ("output.h", c_int, (c_void_p, c_double, c_char_p, c_void_p)),
    "mote_series_flush": ("output.h", c_int, (c_void_p, c_void_p)),
    "mote_mesh_data_default": ("output.h", mote_mesh_data, ()),
    "mote_mesh_format_at": ("output.h", c_void_p, (c_size_t,)),
    "mote_mesh_format_of": ("output.h", c_void_p, (c_char_p,)),
    "mote_mesh_data_write": ("output.h", c_int, (c_void_p, c_char_p, c_void_p, c_void_p)),
    "mote_mesh_write": ("output.h", c_int, (c_void_p, c_char_p, c_void_p, c_void_p)),
    "mote_output_knows_mesh": ("output.h", c_bool, (c_char_p,)),
    "mote_ply_write": ("output.h", c_int, (c_void_p, c_char_p, c_void_p, c_void_p, c_void_p)),
    "mote_obj_write": ("output.h", c_int, (c_void_p, c_char_p, c_void_p, c_void_p)),
    "mote_stl_write": ("output.h", c_int, (c_void_p, c_char_p, c_void_p, c_void_p)),
    "mote_glb_write": ("output.h", c_int, (c_void_p, c_char_p, c_void_p, c_void_p)),
    "mote_png_write": ("output.h", c_int, (c_void_p, c_char_p, c_void_p, c_uint32, c_uint32, c_void_p)),
    "mote_raster_mean_edge": ("raster.h", c_double, (c_void_p,)),
    "mote_raster_create": ("raster.h", c_int, (c_void_p, c_double, c_void_p, c_void_p)),
    "mote_raster_create_for_mesh": ("raster.h", c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "mote_raster_destroy": ("raster.h", None, (c_void_p,)),
    "mote_raster_update": ("raster.h", c_int, (c_void_p, mote_points, c_void_p)),
    "mote_raster_list_edges": ("raster.h", c_int, (c_void_p, c_void_p, c_void_p)),
    "mote_raster_edge_list_release": ("raster.h", None, (c_void_p,)),
    "mote_raster_update_edges": ("raster.h", c_int, (c_void_p, c_void_p, c_void_p)),
    "mote_raster_query_default": ("raster.h", mote_raster_query, ()),
    "mote_raster_pairs_release": ("raster.h", None, (c_void_p,)),
    "mote_raster_triangles": ("raster.h", c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "mote_raster_edges": ("raster.h", c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "mote_raster_get_stats": ("raster.h", mote_raster_stats, (c_void_p,)),
    "mote_raster_byte_count": ("raster.h", c_size_t, (c_void_p,)),
    "mote_raster_validate": ("raster.h", c_int, (c_void_p, c_void_p)),
    "mote_render_default_def": ("render.h", mote_render_def, ()),
    "mote_render_fields": ("render.h", c_void_p, ()),
    "mote_render_check": ("render.h", c_int, (c_void_p, c_void_p)),
    "mote_render_create": ("render.h", c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "mote_render_destroy": ("render.h", None, (c_void_p,)),
    "mote_render_resolved_def": ("render.h", mote_render_def, (c_void_p,)),
    "mote_render_device": ("render.h", c_char_p, (c_void_p,)),
    "mote_render_has_text": ("render.h", c_bool, (c_void_p,)),
    "mote_render_add_mesh": ("render.h", c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "mote_render_update_mesh": ("render.h", c_int, (c_void_p, c_uint32, c_void_p, c_void_p)),
    "mote_layer_default": ("render.h", mote_layer, ()),
    "mote_liquid_default": ("render.h", mote_liquid, ()),
    "mote_picture_default": ("render.h", mote_picture, ()),
    "mote_render_widen": ("render.h", mote_box, (mote_box, c_void_p)),
    "mote_render_frame": ("render.h", c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "mote_colormap_surf": ("render.h", None, (c_double, c_void_p)),
    "mote_tension_default_def": ("tension.h", mote_tension_def, ()),
    "mote_tension_fields": ("tension.h", c_void_p, ()),
    "mote_tension_model_at": ("tension.h", c_void_p, (c_size_t,)),
    "mote_fluid_set_tension": ("tension.h", c_int, (c_void_p, c_uint32, c_uint32, c_void_p, c_void_p)),
    "mote_named_phase_fields": ("tension.h", c_void_p, ()),
    "mote_named_tension_fields": ("tension.h", c_void_p, ()),
    "mote_simulation_default_def": ("simulation.h", mote_simulation_def, ()),
    "mote_simulation_part_at": ("simulation.h", c_void_p, (c_size_t,)),
    "mote_simulation_part_structs": ("simulation.h", c_void_p, (c_void_p, c_void_p, c_void_p)),
    "mote_simulation_resolve_spacing": ("simulation.h", c_double, (c_void_p,)),
    "mote_tank_default_def": ("simulation.h", mote_tank_def, ()),
    "mote_block_default_def": ("simulation.h", mote_block_def, ()),
    "mote_block_box": ("simulation.h", mote_box, (c_void_p, c_int)),
    "mote_solid_default_def": ("simulation.h", mote_solid_def, ()),
    "mote_gauge_default_def": ("simulation.h", mote_gauge_def, ()),
    "mote_tank_fields": ("simulation.h", c_void_p, ()),
    "mote_block_fields": ("simulation.h", c_void_p, ()),
    "mote_solid_fields": ("simulation.h", c_void_p, ()),
    "mote_gauge_fields": ("simulation.h", c_void_p, ()),
    "mote_simulation_create": ("simulation.h", c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "mote_simulation_destroy": ("simulation.h", None, (c_void_p,)),
    "mote_simulation_resolve_def": ("simulation.h", None, (c_void_p, c_void_p)),
    "mote_simulation_step": ("simulation.h", c_int, (c_void_p, c_double, c_void_p, c_void_p)),
    "mote_simulation_run_until": ("simulation.h", c_int, (c_void_p, c_double, c_void_p, c_void_p, c_void_p)),
    "mote_simulation_watch": ("simulation.h", c_int, (c_void_p, c_void_p)),
    "mote_simulation_get_failure": ("simulation.h", c_bool, (c_void_p, c_void_p)),
    "mote_simulation_get_surroundings": ("simulation.h", c_int, (c_void_p, mote_vec3, c_double, c_void_p, c_void_p)),
    "mote_surroundings_release": ("simulation.h", None, (c_void_p,)),
    "mote_simulation_time": ("simulation.h", c_double, (c_void_p,)),
    "mote_simulation_depth": ("simulation.h", c_double, (c_void_p,)),
    "mote_simulation_reference_speed": ("simulation.h", c_double, (c_void_p,)),
    "mote_simulation_usual_step": ("simulation.h", c_double, (c_void_p,)),
    "mote_simulation_fluid": ("simulation.h", c_void_p, (c_void_p,)),
    "mote_simulation_grains": ("simulation.h", c_void_p, (c_void_p,)),
    "mote_simulation_object_count": ("simulation.h", c_size_t, (c_void_p,)),
    "mote_simulation_get_object": ("simulation.h", c_int, (c_void_p, c_size_t, c_void_p, c_void_p)),
    "mote_simulation_get_array": ("simulation.h", c_int, (c_void_p, c_size_t, c_char_p, c_void_p, c_void_p)),
    "mote_simulation_get_quantities": ("simulation.h", c_int, (c_void_p, c_size_t, c_void_p, c_void_p, c_void_p)),
    "mote_gauge_kind_at": ("simulation.h", c_void_p, (c_size_t,)),
    "mote_simulation_gauge_count": ("simulation.h", c_size_t, (c_void_p,)),
    "mote_simulation_get_gauge": ("simulation.h", c_int, (c_void_p, c_size_t, c_void_p, c_void_p)),
    "mote_simulation_get_counters": ("simulation.h", mote_simulation_counters, (c_void_p,)),
    "mote_simulation_write": ("simulation.h", c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "mote_simulation_read": ("simulation.h", c_int, (c_void_p, c_void_p, c_size_t, c_void_p)),
    "mote_simulation_read_start": ("simulation.h", c_int, (c_void_p, c_void_p, c_size_t, c_void_p, c_void_p)),
    "mote_simulation_validate": ("simulation.h", c_int, (c_void_p, c_void_p)),
    "mote_simulation_byte_count": ("simulation.h", c_size_t, (c_void_p,)),
    "mote_simulation_removed_count": ("simulation.h", c_size_t, (c_void_p,)),
    "mote_simulation_count_escaped": ("simulation.h", c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "mote_scene_fields": ("scene.h", c_void_p, ()),
    "mote_scene_load": ("scene.h", c_int, (c_void_p, c_char_p, c_void_p, c_size_t, c_void_p, c_void_p)),
    "mote_scene_parse": ("scene.h", c_int, (c_void_p, c_char_p, c_size_t, c_void_p, c_size_t, c_void_p, c_void_p)),
    "mote_scene_destroy": ("scene.h", None, (c_void_p,)),
    "mote_scene_text": ("scene.h", c_char_p, (c_void_p, c_void_p)),
    "mote_scene_get_settings": ("scene.h", c_void_p, (c_void_p,)),
    "mote_scene_set_mesh": ("scene.h", None, (c_void_p, c_size_t, c_void_p)),
    "mote_scene_set_motion": ("scene.h", None, (c_void_p, c_size_t, c_void_p, c_size_t)),
    "mote_scene_set_points": ("scene.h", None, (c_void_p, c_size_t, c_void_p, c_size_t)),
    "mote_scene_find_place": ("scene.h", c_bool, (c_void_p, c_char_p, c_void_p, c_void_p)),
    "mote_surface_default_def": ("surface.h", mote_surface_def, ()),
    "mote_surface_fields": ("surface.h", c_void_p, ()),
    "mote_surface_cloud_points": ("surface.h", mote_surface_cloud, (mote_points,)),
    "mote_surface_create": ("surface.h", c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "mote_surface_destroy": ("surface.h", None, (c_void_p,)),
    "mote_surface_update": ("surface.h", c_int, (c_void_p, c_void_p, c_void_p)),
    "mote_surface_get_view": ("surface.h", mote_surface_view, (c_void_p,)),
    "mote_surface_phase_count": ("surface.h", c_int32, (c_void_p,)),
    "mote_surface_get_phase_view": ("surface.h", mote_surface_view, (c_void_p, c_int32)),
    "mote_surface_get_stats": ("surface.h", mote_surface_stats, (c_void_p,)),
    "mote_surface_byte_count": ("surface.h", c_size_t, (c_void_p,)),
    "mote_surface_validate": ("surface.h", c_int, (c_void_p, c_void_p)),
    "mote_outline_create": ("surface.h", c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "mote_outline_destroy": ("surface.h", None, (c_void_p,)),
    "mote_outline_get_view": ("surface.h", mote_outline_view, (c_void_p,)),
    "mote_outline_get_stats": ("surface.h", mote_outline_stats, (c_void_p,)),
    "mote_outline_byte_count": ("surface.h", c_size_t, (c_void_p,)),
    "mote_outline_validate": ("surface.h", c_int, (c_void_p, c_void_p)),
    "mote_isosurface_default_def": ("surface.h", mote_isosurface_def, ()),
    "mote_isosurface_create": ("surface.h", c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "mote_isosurface_destroy": ("surface.h", None, (c_void_p,)),
    "mote_isosurface_get_view": ("surface.h", mote_surface_view, (c_void_p,)),
    "mote_isosurface_get_stats": ("surface.h", mote_surface_stats, (c_void_p,)),
    "mote_isosurface_byte_count": ("surface.h", c_size_t, (c_void_p,)),
    "mote_isosurface_validate": ("surface.h", c_int, (c_void_p, c_void_p)),
}

STRUCTS: Dict[str, Any] = {
    "mote_error": mote_error,
    "mote_allocator": mote_allocator,
    "mote_log": mote_log,
    "mote_tasks": mote_tasks,
    "mote_context_def": mote_context_def,
    "mote_vec3": mote_vec3,
    "mote_box": mote_box,
    "mote_points": mote_points,
    "mote_random": mote_random,
    "mote_corners": mote_corners,
    "mote_field": mote_field,
    "mote_field_table": mote_field_table,
    "mote_array": mote_array,
    "mote_fluid_choice": mote_fluid_choice,
    "mote_fluid_def": mote_fluid_def,
    "mote_phase_def": mote_phase_def,
    "mote_period_def": mote_period_def,
    "mote_fluid_view": mote_fluid_view,
    "mote_fluid_attribute": mote_fluid_attribute,
    "mote_fluid_totals": mote_fluid_totals,
    "mote_fluid_counters": mote_fluid_counters,
    "mote_boundary_def": mote_boundary_def,
    "mote_boundary_motion": mote_boundary_motion,
    "mote_boundary_kind_info": mote_boundary_kind_info,
    "mote_wall_field_store": mote_wall_field_store,
    "mote_motion": mote_motion,
    "mote_piston": mote_piston,
    "mote_belt": mote_belt,
    "mote_damping_def": mote_damping_def,
    "mote_bounds": mote_bounds,
    "mote_boxes": mote_boxes,
    "mote_broadphase_method_info": mote_broadphase_method_info,
    "mote_broadphase_def": mote_broadphase_def,
    "mote_filter": mote_filter,
    "mote_object": mote_object,
    "mote_closest_object": mote_closest_object,
    "mote_id_rows": mote_id_rows,
    "mote_pair": mote_pair,
    "mote_pairs": mote_pairs,
    "mote_pair_events": mote_pair_events,
    "mote_broadphase_counters": mote_broadphase_counters,
    "mote_broadphase_cell": mote_broadphase_cell,
    "mote_expression_stats": mote_expression_stats,
    "mote_mesh": mote_mesh,
    "mote_placement": mote_placement,
    "mote_look_def": mote_look_def,
    "mote_mesh_normals": mote_mesh_normals,
    "mote_mesh_report": mote_mesh_report,
    "mote_mesh_crossings": mote_mesh_crossings,
    "mote_mesh_samples": mote_mesh_samples,
    "mote_spheres_def": mote_spheres_def,
    "mote_sphere": mote_sphere,
    "mote_shape": mote_shape,
    "mote_response": mote_response,
    "mote_proxy_def": mote_proxy_def,
    "mote_proxy_particles": mote_proxy_particles,
    "mote_proxy_counters": mote_proxy_counters,
    "mote_proxy_hit": mote_proxy_hit,
    "mote_proxy_triangle_hit": mote_proxy_triangle_hit,
    "mote_proxy_node": mote_proxy_node,
    "mote_proxy_arrays": mote_proxy_arrays,
    "mote_proxy_place": mote_proxy_place,
    "mote_proxy_stats": mote_proxy_stats,
    "mote_grains_def": mote_grains_def,
    "mote_grains_view": mote_grains_view,
    "mote_grains_counters": mote_grains_counters,
    "mote_hits_def": mote_hits_def,
    "mote_hit": mote_hit,
    "mote_motions": mote_motions,
    "mote_hit_list": mote_hit_list,
    "mote_particles": mote_particles,
    "mote_contact": mote_contact,
    "mote_contact_list": mote_contact_list,
    "mote_closest": mote_closest,
    "mote_hits_stats": mote_hits_stats,
    "mote_point_data": mote_point_data,
    "mote_cloud_data": mote_cloud_data,
    "mote_box_data": mote_box_data,
    "mote_motion_data": mote_motion_data,
    "mote_row": mote_row,
    "mote_lists": mote_lists,
    "mote_pair_arrays": mote_pair_arrays,
    "mote_neighbors_feature_info": mote_neighbors_feature_info,
    "mote_neighbors_method_info": mote_neighbors_method_info,
    "mote_neighbors_def": mote_neighbors_def,
    "mote_group": mote_group,
    "mote_neighbors_counters": mote_neighbors_counters,
    "mote_face": mote_face,
    "mote_opening": mote_opening,
    "mote_drain": mote_drain,
    "mote_flow_count": mote_flow_count,
    "mote_open_end": mote_open_end,
    "mote_named_drain": mote_named_drain,
    "mote_partial": mote_partial,
    "mote_vtp": mote_vtp,
    "mote_mesh_data": mote_mesh_data,
    "mote_mesh_format": mote_mesh_format,
    "mote_raster_edge_set": mote_raster_edge_set,
    "mote_raster_edge_list": mote_raster_edge_list,
    "mote_raster_query": mote_raster_query,
    "mote_raster_pair": mote_raster_pair,
    "mote_raster_counters": mote_raster_counters,
    "mote_raster_pairs": mote_raster_pairs,
    "mote_raster_stats": mote_raster_stats,
    "mote_render_def": mote_render_def,
    "mote_layer": mote_layer,
    "mote_liquid": mote_liquid,
    "mote_picture": mote_picture,
    "mote_tension_def": mote_tension_def,
    "mote_named_phase": mote_named_phase,
    "mote_named_tension": mote_named_tension,
    "mote_tank_def": mote_tank_def,
    "mote_block_def": mote_block_def,
    "mote_solid_def": mote_solid_def,
    "mote_gauge_def": mote_gauge_def,
    "mote_simulation_def": mote_simulation_def,
    "mote_simulation_part": mote_simulation_part,
    "mote_failure": mote_failure,
    "mote_surroundings": mote_surroundings,
    "mote_object_view": mote_object_view,
    "mote_quantity": mote_quantity,
    "mote_gauge_value": mote_gauge_value,
    "mote_gauge_kind_info": mote_gauge_kind_info,
    "mote_gauge_view": mote_gauge_view,
    "mote_simulation_counters": mote_simulation_counters,
    "mote_simulation_origin": mote_simulation_origin,
    "mote_scene_settings": mote_scene_settings,
    "mote_scene_section": mote_scene_section,
    "mote_surface_def": mote_surface_def,
    "mote_surface_plane": mote_surface_plane,
    "mote_surface_cloud": mote_surface_cloud,
    "mote_surface_stats": mote_surface_stats,
    "mote_surface_view": mote_surface_view,
    "mote_outline_stats": mote_outline_stats,
    "mote_outline_view": mote_outline_view,
    "mote_isosurface_def": mote_isosurface_def,
}
