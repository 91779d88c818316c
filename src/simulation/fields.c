// SPDX-License-Identifier: MIT
// Field tables of the parts from which a simulation is made: tank, blocks of fluid, solids.

#include <math.h>

#include "base/internal.h"
#include "mesh/look.h"
#include "mote/simulation.h"

#define LIMIT 1e6  // no coordinate lies farther out [m]

#define VECTOR(struct_name, member, unit_text, flag_bits, text)                                               \
    {.name = #member, .type = MOTE_FIELD_VECTOR, .unit = unit_text, .offset = offsetof(struct_name, member), \
     .flags = flag_bits, .min = -LIMIT, .max = LIMIT, .meaning = text}
#define SHARE(struct_name, member, top, text)                                                              \
    {.name = #member, .type = MOTE_FIELD_NUMBER, .unit = "", .offset = offsetof(struct_name, member),      \
     .min = 0, .max = top, .initial = {0}, .meaning = text}
#define SPHERES(field_name, member, preset, text)                                                          \
    {.name = field_name, .type = MOTE_FIELD_NUMBER, .unit = "m",                                           \
     .offset = offsetof(mote_solid_def, spheres.member), .flags = MOTE_FIELD_ABOVE_MIN, .min = 0,          \
     .max = LIMIT, .initial = {preset}, .meaning = text}
#define OPEN_SIDE(member, text)                                                                            \
    {.name = #member, .type = MOTE_FIELD_BOOL, .unit = "", .offset = offsetof(mote_tank_def, member),      \
     .initial = {0}, .meaning = text}

static const char *const time[] = {"t", NULL};
static const char *const boundary_kinds[] = {"auto", "planes", "layers", "samples", "field", "proxy",
                                             "proxy_planes", NULL};  // as boundary.c lists them

#define BOUNDARY(struct_name, text)                                                                        \
    {.name = "boundary", .type = MOTE_FIELD_CHOICE, .unit = "", .offset = offsetof(struct_name, boundary), \
     .initial = {MOTE_BOUNDARY_AUTO}, .choices = boundary_kinds, .meaning = text}

#define MOTION_FIELDS(struct_name, what)                                                                            \
    {.name = "motion", .type = MOTE_FIELD_VECTOR, .unit = "m", .offset = offsetof(struct_name, motion.shift),      \
     .flags = MOTE_FIELD_FORMULA, .min = -LIMIT, .max = LIMIT, .choices = time,                                    \
     .meaning = "how far " what " is from its place, at the time t; for solver weak"},                             \
    {.name = "turn", .type = MOTE_FIELD_NUMBER, .unit = "degree", .offset = offsetof(struct_name, motion.turn),    \
     .flags = MOTE_FIELD_FORMULA, .min = -LIMIT, .max = LIMIT, .choices = time,                                    \
     .meaning = "how far " what " has turned about turn_axis through turn_center, before it is shifted; for solver " \
                "weak"},                                                                                           \
    {.name = "motion_table", .type = MOTE_FIELD_TEXT, .unit = "", .offset = offsetof(struct_name, motion.table_file), \
     .initial_text = "",                                                                                           \
     .meaning = "instead of motion and turn: a CSV file with the columns t [s], x, y, z [m] and turn [degree], or " \
                "some of them; between its rows cubic splines, before and behind them at rest"},                   \
    {.name = "turn_center", .type = MOTE_FIELD_VECTOR, .unit = "m", .offset = offsetof(struct_name, motion.center), \
     .min = -LIMIT, .max = LIMIT, .meaning = "a point on the axis, at the start"},                                 \
    {.name = "turn_axis", .type = MOTE_FIELD_VECTOR, .unit = "", .offset = offsetof(struct_name, motion.axis),     \
     .min = -LIMIT, .max = LIMIT, .initial = {0, 1, 0},                                                            \
     .meaning = "direction of the axis. A turn is counter-clockwise for those to whom it points; in pictures in 2D, " \
                "clockwise"}
#define BELT(side, index, text)                                                                                   \
    {.name = "velocity_" #side, .type = MOTE_FIELD_VECTOR, .unit = "m/s",                                         \
     .offset = offsetof(mote_tank_def, belts) + index * sizeof(mote_belt), .flags = MOTE_FIELD_FORMULA,       \
     .min = -LIMIT, .max = LIMIT, .choices = time, .meaning = text}
#define PISTON(side, index, text)                                                                                  \
    {.name = "motion_" #side, .type = MOTE_FIELD_NUMBER, .unit = "m",                                              \
     .offset = offsetof(mote_tank_def, pistons) + index * sizeof(mote_piston), .flags = MOTE_FIELD_FORMULA,    \
     .min = 0, .max = LIMIT, .choices = time, .meaning = text}

_Static_assert(offsetof(mote_motion, shift_text) == sizeof(mote_vec3) &&
                   offsetof(mote_motion, turn_text) == offsetof(mote_motion, turn) + sizeof(double) &&
                   offsetof(mote_belt, text) == sizeof(mote_vec3) && offsetof(mote_piston, text) == sizeof(double),
               "expressions stand behind their numbers");

static const mote_field tank_fields[] = {
    VECTOR(mote_tank_def, min, "m", MOTE_FIELD_REQUIRED, "lower corner; y is ignored in 2D"),
    VECTOR(mote_tank_def, max, "m", MOTE_FIELD_REQUIRED, "upper corner"),
    OPEN_SIDE(open_x_min, "no wall at min x"),
    OPEN_SIDE(open_x_max, "no wall at max x"),
    OPEN_SIDE(open_y_min, "no wall at min y"),
    OPEN_SIDE(open_y_max, "no wall at max y"),
    OPEN_SIDE(open_z_min, "no floor"),
    OPEN_SIDE(open_z_max, "no ceiling"),
    SHARE(mote_tank_def, restitution, 1, "fraction of the normal velocity kept after hitting a wall"),
    SHARE(mote_tank_def, friction, 1e3, "Coulomb friction coefficient"),
    OPEN_SIDE(slip, "free slip: no viscosity acts at the sides; for the fluid's solver weak"),
    OPEN_SIDE(slip_x_min, "free slip at the side at min x alone"),
    OPEN_SIDE(slip_x_max, "at the side at max x"),
    OPEN_SIDE(slip_y_min, "at the side at min y"),
    OPEN_SIDE(slip_y_max, "at the side at max y"),
    OPEN_SIDE(slip_z_min, "at the floor"),
    OPEN_SIDE(slip_z_max, "at the ceiling"),
    BELT(x_min, 0, "velocity of the side at min x along itself, at the time t; for solver weak"),
    BELT(x_max, 1, "of the side at max x"),
    BELT(y_min, 2, "of the side at min y"),
    BELT(y_max, 3, "of the side at max y"),
    BELT(z_min, 4, "of the floor"),
    BELT(z_max, 5, "of the ceiling"),
    MOTION_FIELDS(mote_tank_def, "the tank"),
    PISTON(x_min, 0, "how far the side at min x has moved into the tank, at the time t; for solver weak"),
    PISTON(x_max, 1, "the side at max x"),
    PISTON(y_min, 2, "the side at min y"),
    PISTON(y_max, 3, "the side at max y"),
    PISTON(z_min, 4, "the floor"),
    PISTON(z_max, 5, "the ceiling"),
    BOUNDARY(mote_tank_def, "how its sides hold the fluid back; auto: layers"),
};

static const char *const shapes[] = {"box", "ball", "cylinder", "points", NULL};
static const char *const place[] = {"x", "y", "z", NULL};

#define LENGTH(member, text)                                                                               \
    {.name = #member, .type = MOTE_FIELD_NUMBER, .unit = "m", .offset = offsetof(mote_block_def, member),  \
     .flags = MOTE_FIELD_OPTIONAL, .min = 0, .max = LIMIT, .initial = {NAN}, .meaning = text}

static const mote_field block_fields[] = {
    VECTOR(mote_block_def, min, "m", MOTE_FIELD_OPTIONAL,
           "of a box, required: lower corner; particles start half a spacing inside"),
    VECTOR(mote_block_def, max, "m", MOTE_FIELD_OPTIONAL, "of a box, required: upper corner"),
    {.name = "velocity", .type = MOTE_FIELD_VECTOR, .unit = "m/s", .offset = offsetof(mote_block_def, velocity),
     .flags = MOTE_FIELD_FORMULA, .min = -LIMIT, .max = LIMIT, .choices = place,
     .meaning = "initial velocity; x, y, z: the particle's position"},
    {.name = "pressure", .type = MOTE_FIELD_TEXT, .unit = "Pa", .offset = offsetof(mote_block_def, pressure),
     .flags = MOTE_FIELD_FORMULA, .initial_text = "hydrostatic", .choices = place,
     .meaning = "initial pressure; hydrostatic: of the water above in the block, which compresses a box of the only "
                "fluid that is not thrown; only with \"density\": \"continuity\""},
    {.name = "shape", .type = MOTE_FIELD_CHOICE, .unit = "", .offset = offsetof(mote_block_def, shape),
     .initial = {MOTE_SHAPE_BOX}, .choices = shapes,
     .meaning = "box: from min to max. ball: around center. cylinder: around a line through center. points: particles "
                "where a file has them"},
    VECTOR(mote_block_def, center, "m", MOTE_FIELD_OPTIONAL, "of a ball or a cylinder, required: its middle"),
    LENGTH(radius, "of a ball or a cylinder, required"),
    VECTOR(mote_block_def, axis, "", MOTE_FIELD_OPTIONAL, "of a cylinder: its direction; default: [0, 0, 1]"),
    LENGTH(height, "of a cylinder, required: its length along the axis"),
    {.name = "points", .type = MOTE_FIELD_TEXT, .unit = "", .offset = offsetof(mote_block_def, points_file),
     .initial_text = "", .meaning = "of points, required: the file: PLY, CSV, XYZ, VTP, NPY or a LAMMPS dump"},
    {.name = "fluid", .type = MOTE_FIELD_TEXT, .unit = "", .offset = offsetof(mote_block_def, fluid),
     .initial_text = "", .meaning = "with several fluids, required: the name of the one that it is of. Where blocks of "
                                    "different fluids overlap, the later one takes the place"},
};
_Static_assert(offsetof(mote_block_def, velocity_text) == offsetof(mote_block_def, velocity) + sizeof(mote_vec3),
               "expressions stand behind their numbers");

static const char *const solid_shapes[] = {"mesh", "box", "ball", "cylinder", "polygon", "disc", NULL};

#define SHAPE_VECTOR(field_name, member, unit_text, text)                                                  \
    {.name = field_name, .type = MOTE_FIELD_VECTOR, .unit = unit_text,                                     \
     .offset = offsetof(mote_solid_def, shape.member), .flags = MOTE_FIELD_OPTIONAL, .min = -LIMIT,        \
     .max = LIMIT, .initial = {NAN}, .meaning = text}
#define SHAPE_LENGTH(member, text)                                                                         \
    {.name = #member, .type = MOTE_FIELD_NUMBER, .unit = "m",                                              \
     .offset = offsetof(mote_solid_def, shape.member), .flags = MOTE_FIELD_OPTIONAL, .min = 0,             \
     .max = LIMIT, .initial = {NAN}, .meaning = text}

static const mote_field solid_fields[] = {
    {.name = "name", .type = MOTE_FIELD_TEXT, .unit = "", .offset = offsetof(mote_solid_def, name),
     .flags = MOTE_FIELD_REQUIRED, .meaning = "name of the solid in files and messages"},
    {.name = "mesh", .type = MOTE_FIELD_TEXT, .unit = "", .offset = offsetof(mote_solid_def, mesh_file),
     .initial_text = "", .meaning = "mesh file; must be closed for fluid, may be open for grains"},
    {.name = "weld", .type = MOTE_FIELD_TOLERANCE, .unit = "m", .offset = offsetof(mote_solid_def, weld),
     .min = 0, .max = LIMIT, .initial = {NAN},
     .meaning = "merge vertices of the mesh: true merges those with equal coordinates, a number those within that "
                "distance, measured after scale"},
    {.name = "spheres", .type = MOTE_FIELD_INT, .unit = "", .offset = offsetof(mote_solid_def, spheres.count),
     .min = 0, .max = 1e6, .initial = {0}, .meaning = "instead of a mesh: number of randomly placed spheres"},
    SPHERES("radius_min", radius_min, 0.01, "smallest radius of the spheres"),
    SPHERES("radius_max", radius_max, 0.1, "largest radius of the spheres; radii are log-uniform"),
    {.name = "box_min", .type = MOTE_FIELD_VECTOR, .unit = "m", .offset = offsetof(mote_solid_def, spheres.box.min),
     .min = -LIMIT, .max = LIMIT, .meaning = "lower corner of the box that holds the spheres"},
    {.name = "box_max", .type = MOTE_FIELD_VECTOR, .unit = "m", .offset = offsetof(mote_solid_def, spheres.box.max),
     .min = -LIMIT, .max = LIMIT, .initial = {1, 1, 1}, .meaning = "upper corner of the box that holds the spheres"},
    {.name = "gap", .type = MOTE_FIELD_NUMBER, .unit = "m", .offset = offsetof(mote_solid_def, spheres.gap),
     .min = 0, .max = LIMIT, .initial = {0}, .meaning = "smallest gap between two spheres"},
    {.name = "seed", .type = MOTE_FIELD_SEED, .unit = "", .offset = offsetof(mote_solid_def, spheres.seed),
     .initial = {1}, .meaning = "random seed for placing the spheres"},
    {.name = "shape", .type = MOTE_FIELD_CHOICE, .unit = "", .offset = offsetof(mote_solid_def, shape.kind),
     .initial = {MOTE_SOLID_OF_MESH}, .choices = solid_shapes,
     .meaning = "instead of a mesh file. box: from min to max. ball (3D), disc (2D): around center. cylinder (3D): "
                "around a line through center. polygon (2D): its corners"},
    SHAPE_VECTOR("min", box.min, "m", "of a box, required: lower corner; y is ignored in 2D"),
    SHAPE_VECTOR("max", box.max, "m", "of a box, required: upper corner"),
    SHAPE_VECTOR("center", center, "m", "of a ball, a disc or a cylinder, required: its middle"),
    SHAPE_LENGTH(radius, "of a ball, a disc or a cylinder, required"),
    SHAPE_VECTOR("axis", axis, "", "of a cylinder: its direction; default: [0, 0, 1]"),
    SHAPE_LENGTH(height, "of a cylinder, required: its length along the axis"),
    {.name = "corners", .type = MOTE_FIELD_CORNERS, .unit = "m",
     .offset = offsetof(mote_solid_def, shape.corners), .min = -LIMIT, .max = LIMIT,
     .meaning = "of a polygon, required: its corners, in either order"},
    {.name = "scale", .type = MOTE_FIELD_NUMBER, .unit = "", .offset = offsetof(mote_solid_def, placement.scale),
     .flags = MOTE_FIELD_ABOVE_MIN, .min = 0, .max = LIMIT, .initial = {1}, .meaning = "scale factor; applied first"},
    {.name = "rotate", .type = MOTE_FIELD_VECTOR, .unit = "degree",
     .offset = offsetof(mote_solid_def, placement.rotate), .min = -LIMIT, .max = LIMIT,
     .meaning = "rotation about x, then y, then z; applied after scale"},
    {.name = "translate", .type = MOTE_FIELD_VECTOR, .unit = "m",
     .offset = offsetof(mote_solid_def, placement.translate), .min = -LIMIT, .max = LIMIT,
     .meaning = "translation; applied last"},
    {.name = "cut_point", .type = MOTE_FIELD_VECTOR, .unit = "m", .offset = offsetof(mote_solid_def, cut_point),
     .min = -LIMIT, .max = LIMIT, .meaning = "a point on the cutting plane, in scene coordinates"},
    {.name = "cut_normal", .type = MOTE_FIELD_VECTOR, .unit = "", .offset = offsetof(mote_solid_def, cut_normal),
     .min = -LIMIT, .max = LIMIT,
     .meaning = "cuts off the part of the mesh on this side of the plane; [0, 0, 0]: no cut"},
    SHARE(mote_solid_def, restitution, 1, "fraction of the normal velocity kept after hitting the solid"),
    SHARE(mote_solid_def, friction, 1e3, "Coulomb friction coefficient"),
    MOTION_FIELDS(mote_solid_def, "the solid"),
    BOUNDARY(mote_solid_def, "how it holds the fluid back; auto: layers for solver weak, samples for onderik and for "
                             "what is too thin for layers"),
    MOTE_LOOK_FIELDS(mote_solid_def, look.),
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const mote_field_table tank_table = {"tank", "a box with walls", tank_fields, COUNT(tank_fields)};
static const mote_field_table block_table = {"block", "fluid at the start: a box or another shape", block_fields,
                                             COUNT(block_fields)};
static const mote_field_table solid_table = {"solid", "a mesh, a shape or spheres, fixed or moving", solid_fields,
                                             COUNT(solid_fields)};

const mote_field_table *mote_tank_fields(void)
{
    return &tank_table;
}

const mote_field_table *mote_block_fields(void)
{
    return &block_table;
}

const mote_field_table *mote_solid_fields(void)
{
    return &solid_table;
}

mote_tank_def mote_tank_default_def(void)
{
    mote_tank_def def = {0};
    mote_fields_set_defaults(&tank_table, &def);
    return def;
}

mote_block_def mote_block_default_def(void)
{
    mote_block_def def = {0};
    mote_fields_set_defaults(&block_table, &def);
    return def;
}

mote_solid_def mote_solid_default_def(void)
{
    mote_solid_def def = {0};
    mote_fields_set_defaults(&solid_table, &def);
    return def;
}

mote_simulation_def mote_simulation_default_def(void)
{
    mote_simulation_def def = {0};
    def.fluid = mote_fluid_default_def();
    def.phase = mote_phase_default_def();
    def.tank = mote_tank_default_def();
    def.periodic = mote_period_default_def();
    def.grains = mote_grains_default_def();
    def.seed = 1;
    def.cookie = MOTE_COOKIE;
    return def;
}
