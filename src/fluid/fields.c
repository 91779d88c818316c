// SPDX-License-Identifier: MIT
// The fluid's field table: names, units, ranges, defaults and meanings of the values that a user sets.

#include <math.h>

#include "fluid/internal.h"
#include "fluid/peek.h"
#include "fluid/section.h"

static const char *const densities[] = {"summation", "continuity", "number", NULL};
static const char *const state_equations[] = {"tait", "ideal_gas", NULL};

static const char *const presets[] = {"fast", "document", "engineering", NULL};
static const char *const solvers[] = {"onderik", "weak", NULL};
static const char *const viscosity_models[] = {"central", "laplacian", NULL};
static const char *const shiftings[] = {"none", "transport", "free_surface", NULL};

static const char *const steps[] = {"global", "individual", "individual_positions", NULL};
static const char *const kept_lists[] = {"auto", "kept", "none", NULL};
static const char *const tensile_models[] = {"exchange", "switch", "none", NULL};
static const char *const diffusion_models[] = {"fourtakas", "molteni", "antuono", NULL};

static const char *const gravity_variables[] = {"t", NULL};

#define AT(member) offsetof(mote_fluid_def, member)

_Static_assert(AT(gravity_text) == AT(gravity) + sizeof(mote_vec3), "expressions stand behind their numbers");

// What a phase consists of, at places from the beginning of some struct.
#define PHASE_FIELDS(PLACE)                                                                                            \
    {.name = "rest_density", .type = MOTE_FIELD_NUMBER, .unit = "kg/m^3", .offset = PLACE(rest_density),               \
     .flags = MOTE_FIELD_ABOVE_MIN, .min = 0, .max = 1e6, .initial = {1000}, .meaning = "density at zero pressure"},   \
    {.name = "sound_speed", .type = MOTE_FIELD_NUMBER, .unit = "m/s", .offset = PLACE(sound_speed),                    \
     .flags = MOTE_FIELD_DERIVED | MOTE_FIELD_ABOVE_MIN, .min = 0, .max = 1e6, .initial = {NAN},                       \
     .meaning = "artificial speed of sound c; default: 10 times the larger of sqrt(g H), where H is the fluid's "      \
                "depth, and the fastest block's speed"},                                                               \
    {.name = "viscosity", .type = MOTE_FIELD_NUMBER, .unit = "Pa s", .offset = PLACE(viscosity),                       \
     .flags = MOTE_FIELD_DERIVED, .min = 0, .max = 1e9, .initial = {NAN},                                              \
     .meaning = "dynamic viscosity mu; default: from viscosity_alpha"},                                                \
    {.name = "gamma", .type = MOTE_FIELD_NUMBER, .unit = "", .offset = PLACE(gamma), .min = 1, .max = 7,               \
     .initial = {7}, .meaning = "exponent of Tait's equation, as 1.4 of air; preset fast: 7 or 1"},                    \
    {.name = "color", .type = MOTE_FIELD_VECTOR, .unit = "", .offset = PLACE(color), .flags = MOTE_FIELD_DERIVED,      \
     .min = 0, .max = 1, .initial = {NAN, NAN, NAN},                                                                   \
     .meaning = "in pictures: red, green, blue in 0 ... 1; default: by speed"}
#define AT_PHASE(member) (offsetof(fluid_section, phase) + offsetof(mote_phase_def, member))
enum { PHASE_FIELD_COUNT = 5 };

// How a fluid is computed, and then what it consists of.
static const mote_field section_fields[] = {
    {.name = "dimensions", .type = MOTE_FIELD_INT, .unit = "", .offset = AT(dimensions), .flags = MOTE_FIELD_SHARED,
     .min = 2, .max = 3, .initial = {3}, .meaning = "2 or 3; in 2D all particles lie in the plane y = 0 and z is up"},
    {.name = "spacing", .type = MOTE_FIELD_NUMBER, .unit = "m", .offset = AT(spacing),
     .flags = MOTE_FIELD_REQUIRED | MOTE_FIELD_ABOVE_MIN, .min = 0, .max = 1e6,
     .meaning = "distance between neighbouring particles at the start"},
    {.name = "support", .type = MOTE_FIELD_NUMBER, .unit = "m", .offset = AT(support),
     .flags = MOTE_FIELD_DERIVED | MOTE_FIELD_ABOVE_MIN, .min = 0, .max = 1e7, .initial = {NAN},
     .meaning = "radius h of the kernel, 1.2 to 6 spacings; default: 2 in 3D, 3 in 2D (2.4 with "
                "density by number); with solver weak 3 and 4"},
    {.name = "preset", .type = MOTE_FIELD_CHOICE, .unit = "", .offset = AT(preset), .flags = MOTE_FIELD_PRESET,
     .initial = {MOTE_PRESET_FAST}, .choices = presets,
     .meaning = "defaults of other fields. fast: few neighbours, for pictures. document: the scheme of Onderik 2008. "
                "engineering: Wendland's kernel, particles kept evenly spread, walls that carry pressure and friction; "
                "see mote validate"},
    {.name = "solver", .type = MOTE_FIELD_CHOICE, .unit = "", .offset = AT(solver), .initial = {MOTE_SOLVER_ONDERIK},
     .choices = solvers,
     .meaning = "equations. onderik: kernels of Onderik 2008; weak: weakly compressible, Wendland's kernel; the preset "
                "engineering sets it"},
    {.name = "viscosity_model", .type = MOTE_FIELD_CHOICE, .unit = "", .offset = AT(viscosity_model),
     .initial = {MOTE_VISCOSITY_CENTRAL}, .choices = viscosity_models,
     .meaning = "how viscosity acts. central: along the line between particles (Monaghan & Gingold 1983), for free "
                "surfaces; laplacian: along their relative velocity (Morris 1997), for shear between walls; for solver "
                "weak"},
    {.name = "shifting", .type = MOTE_FIELD_CHOICE, .unit = "", .offset = AT(shifting),
     .initial = {MOTE_SHIFTING_NONE}, .choices = shiftings,
     .meaning = "how particles are kept evenly spread. transport: by a background pressure (Adami 2013), for fluids "
                "without a free surface; free_surface: not near surfaces (after Sun 2017); for solver weak"},
    {.name = "consistent_shifting", .type = MOTE_FIELD_BOOL, .unit = "", .offset = AT(consistent_shifting),
     .meaning = "density and velocity are carried along when particles are shifted (Sun 2019), a tenth more work; for "
                "shifting free_surface"},
    {.name = "tensile_model", .type = MOTE_FIELD_CHOICE, .unit = "", .offset = AT(tensile_model),
     .initial = {MOTE_TENSILE_EXCHANGE}, .choices = tensile_models,
     .meaning = "what keeps particles apart where the pressure inside the fluid is below 0. exchange: neighbours push "
                "each other, momentum is conserved; switch: Pj - Pi in place of Pj + Pi (Sun 2018), momentum is not "
                "conserved; none: only shifting; for shifting free_surface and one fluid"},
    {.name = "smagorinsky", .type = MOTE_FIELD_NUMBER, .unit = "", .offset = AT(smagorinsky), .min = 0, .max = 1,
     .initial = {0},
     .meaning = "constant C of the eddy viscosity (C spacing)^2 |S| of turbulence, S the rate of strain, which walls "
                "feel, too (Smagorinsky 1963; Dalrymple & Rogers 2006 have 0.12); 0: off; for solver "
                "weak and one fluid"},
    {.name = "xsph", .type = MOTE_FIELD_NUMBER, .unit = "", .offset = AT(xsph), .min = 0, .max = 1, .initial = {0},
     .meaning = "share by which particles move with the mean velocity of their neighbours (Monaghan 1989); 0: off; for "
                "solver weak"},
    {.name = "kernel", .type = MOTE_FIELD_TEXT, .unit = "", .offset = AT(kernel), .initial_text = NULL,
     .meaning = "the kernel of all sums with solver weak: wendland_c2 (default), wendland_c4, cubic_spline, "
                "quintic_spline, poly6, spiky; solver onderik uses poly6, spiky and viscosity, and has no choice"},
    {.name = "density", .type = MOTE_FIELD_CHOICE, .unit = "", .offset = AT(density),
     .initial = {MOTE_DENSITY_CONTINUITY}, .choices = densities,
     .meaning = "how density is computed. continuity: integrated in time; conserves energy, and water comes to rest. "
                "summation: from positions, as in Onderik 2008; water never comes quite to rest. number: the same from "
                "number densities (Solenthaler & Pajarola 2008), for several fluids"},
    {.name = "density_diffusion", .type = MOTE_FIELD_NUMBER, .unit = "", .offset = AT(density_diffusion), .min = 0,
     .max = 0.2, .initial = {0.1},
     .meaning = "delta of the density diffusion, which smooths pressure noise where pressure is above 0; diffusivity = "
                "delta * support * sound_speed; 0: off; for density by continuity"},
    {.name = "diffusion_model", .type = MOTE_FIELD_CHOICE, .unit = "", .offset = AT(diffusion_model),
     .initial = {MOTE_DIFFUSION_FOURTAKAS}, .choices = diffusion_models,
     .meaning = "what density diffusion leaves alone. fourtakas: water at rest (Fourtakas 2019); molteni: nothing "
                "(Molteni & Colagrossi 2009); antuono: linear changes, by renormalised gradients, at about half the "
                "speed (Antuono 2012); for solver weak"},
    {.name = "state_equation", .type = MOTE_FIELD_CHOICE, .unit = "", .offset = AT(state_equation),
     .initial = {MOTE_STATE_TAIT}, .choices = state_equations,
     .meaning = "pressure as a function of density: Tait's equation or ideal gas"},
    {.name = "negative_pressure", .type = MOTE_FIELD_BOOL, .unit = "", .offset = AT(negative_pressure), .initial = {0},
     .meaning = "allow pressure below zero; with the preset fast, spray may then blow up"},
    {.name = "viscosity_alpha", .type = MOTE_FIELD_NUMBER, .unit = "", .offset = AT(viscosity_alpha),
     .flags = MOTE_FIELD_DERIVED, .min = 0, .max = 1e3, .initial = {NAN},
     .meaning = "artificial viscosity alpha: mu = rho0 alpha c (h/2) / (2 (dimensions + 2)); default: 0.1, with "
                "density by number 0.5; with solver weak 0.02, or 0 if viscosity is given; of several fluids 0.05"},
    {.name = "hyperviscosity", .type = MOTE_FIELD_NUMBER, .unit = "", .offset = AT(hyperviscosity), .min = 0,
     .max = 0.1, .initial = {0.035},
     .meaning = "damps velocity noise between neighbouring particles with coefficient kappa * sound_speed * "
                "spacing^3, so that water comes to rest; 0: off; for solver onderik and density by continuity"},
    {.name = "wall_viscosity", .type = MOTE_FIELD_NUMBER, .unit = "", .offset = AT(wall_viscosity), .min = 0, .max = 1,
     .initial = {0},
     .meaning = "fraction of the viscosity that acts at walls: 0 free slip, 1 no slip; for solver onderik"},
    {.name = "steps", .type = MOTE_FIELD_CHOICE, .unit = "", .offset = AT(steps), .initial = {MOTE_STEPS_GLOBAL},
     .choices = steps,
     .meaning = "which particles share a time step. global: all; individual: each takes a step that it allows itself, "
                "so that a light fluid's short steps do not slow a heavy one (Onderik 2008, eq. 12); "
                "individual_positions: the same with positions at half steps (eq. 13), to compare; for solver weak"},
    {.name = "courant", .type = MOTE_FIELD_NUMBER, .unit = "", .offset = AT(courant), .flags = MOTE_FIELD_ABOVE_MIN,
     .min = 0, .max = 1, .initial = {0.3}, .meaning = "limits the time step to courant * h / (c + |v|)"},
    {.name = "force_limit", .type = MOTE_FIELD_NUMBER, .unit = "", .offset = AT(force_limit),
     .flags = MOTE_FIELD_ABOVE_MIN, .min = 0, .max = 1, .initial = {0.25},
     .meaning = "limits the time step to force_limit * sqrt(h / |a|)"},
    {.name = "viscous_limit", .type = MOTE_FIELD_NUMBER, .unit = "", .offset = AT(viscous_limit),
     .flags = MOTE_FIELD_ABOVE_MIN, .min = 0, .max = 1, .initial = {0.06},
     .meaning = "limits the time step to viscous_limit * h^2 rho0 / mu; above 1/16 very viscous fluids blow up"},
    {.name = "background_pressure", .type = MOTE_FIELD_NUMBER, .unit = "Pa", .offset = AT(background_pressure),
     .flags = MOTE_FIELD_DERIVED, .min = 0, .max = 1e12, .initial = {NAN},
     .meaning = "pressure added for all fluids alike, in what pushes particles: keeps fluids without a free surface "
                "from being torn; for solver weak; default: 2 sigma/support, of a stress in 2D 3, where fluids with a "
                "tension between them, not of the document's models, fill a box that is periodic along all axes, or a "
                "block a closed tank without gravity, otherwise 0"},
    {.name = "interface_repulsion", .type = MOTE_FIELD_NUMBER, .unit = "", .offset = AT(interface_repulsion),
     .min = 0, .max = 1, .initial = {0},
     .meaning = "epsilon of a repulsion between two fluids, against mixing: epsilon (|Pi| + |Pj|) is added to the "
                "pressure between their particles (Grenier 2009); for solver weak"},
    {.name = "gravity", .type = MOTE_FIELD_VECTOR, .unit = "m/s^2", .offset = AT(gravity),
     .flags = MOTE_FIELD_FORMULA, .min = -1e6, .max = 1e6, .initial = {0, 0, -9.81}, .choices = gravity_variables,
     .meaning = "gravitational acceleration; acts on grains, too. Expressions of the time t shake a tank, in its own "
                "frame"},
    {.name = "neighbors", .type = MOTE_FIELD_TEXT, .unit = "", .offset = AT(neighbors), .initial_text = NULL,
     .meaning = "neighbour search method, see mote neighbors --help; default: auto"},
    {.name = "neighbor_lists", .type = MOTE_FIELD_CHOICE, .unit = "", .offset = AT(neighbor_lists),
     .initial = {MOTE_LISTS_AUTO}, .choices = kept_lists,
     .meaning = "whether lists of neighbours are kept during a step. kept: faster. none: each loop finds neighbours "
                "again, with half of the memory or less. auto: none if density is by continuity and a particle has 50 "
                "neighbours or more, otherwise kept. Summed densities, xsph, smagorinsky and gradients keep them "
                "anyway"},
    PHASE_FIELDS(AT_PHASE),
};

// What presets differ in: the values of `fast` are the defaults above.
typedef struct preset_values {
    int32_t solver, density, viscosity_model, shifting;
    double hyperviscosity, viscous_limit;
    bool negative_pressure;
} preset_values;

static const preset_values values_of_presets[] = {
    [MOTE_PRESET_FAST] = {MOTE_SOLVER_ONDERIK, MOTE_DENSITY_CONTINUITY, MOTE_VISCOSITY_CENTRAL, MOTE_SHIFTING_NONE,
                          0.035, 0.06, false},
    [MOTE_PRESET_DOCUMENT] = {MOTE_SOLVER_ONDERIK, MOTE_DENSITY_SUMMATION, MOTE_VISCOSITY_CENTRAL, MOTE_SHIFTING_NONE,
                              0, 0.06, false},
    [MOTE_PRESET_ENGINEERING] = {MOTE_SOLVER_WEAK, MOTE_DENSITY_CONTINUITY, MOTE_VISCOSITY_CENTRAL,
                                 MOTE_SHIFTING_FREE_SURFACE, 0, 0.025, true},
};

mote_result mote_fluid_choose_preset(mote_fluid_def *def, int32_t preset, mote_error *error)
{
    if (!def) return mote_fail_null(error, "fluid", "the def");
    if (preset < 0 || preset > MOTE_PRESET_ENGINEERING)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "fluid: preset is %d, expected 0 to %d", (int)preset,
                         (int)MOTE_PRESET_ENGINEERING);
    const preset_values *values = &values_of_presets[preset];
    def->preset = preset;
    def->solver = values->solver;
    def->density = values->density;
    def->viscosity_model = values->viscosity_model;
    def->shifting = values->shifting;
    def->hyperviscosity = values->hyperviscosity;
    def->viscous_limit = values->viscous_limit;
    def->negative_pressure = values->negative_pressure;
    return MOTE_OK;
}

static const mote_field_table fluid_table = {
    .name = "fluid",
    .meaning = "how the fluid is computed: its resolution, its equations and time steps",
    .fields = section_fields,
    .count = sizeof section_fields / sizeof section_fields[0] - PHASE_FIELD_COUNT,
};

static const mote_field_table section_table = {
    .name = "fluid",
    .meaning = "the fluid's resolution, material and time steps",
    .fields = section_fields,
    .count = sizeof section_fields / sizeof section_fields[0],
};

const mote_field_table *mote_fluid_section_fields(void)
{
    return &section_table;
}

const mote_field_table *mote_fluid_fields(void)
{
    return &fluid_table;
}

mote_fluid_def mote_fluid_default_def(void)
{
    mote_fluid_def def = {0};
    mote_fields_set_defaults(&fluid_table, &def);
    def.cookie = MOTE_COOKIE;
    return def;
}

#define PERIOD_AT(member) offsetof(mote_period_def, member)

static const mote_field period_fields[] = {
    {.name = "min", .type = MOTE_FIELD_VECTOR, .unit = "m", .offset = PERIOD_AT(min), .flags = MOTE_FIELD_REQUIRED,
     .min = -1e6, .max = 1e6, .meaning = "lowest corner of the box that repeats; counts along periodic axes only"},
    {.name = "max", .type = MOTE_FIELD_VECTOR, .unit = "m", .offset = PERIOD_AT(max), .flags = MOTE_FIELD_REQUIRED,
     .min = -1e6, .max = 1e6, .meaning = "highest corner"},
    {.name = "x", .type = MOTE_FIELD_BOOL, .unit = "", .offset = PERIOD_AT(x), .meaning = "periodic along x"},
    {.name = "y", .type = MOTE_FIELD_BOOL, .unit = "", .offset = PERIOD_AT(y), .meaning = "periodic along y"},
    {.name = "z", .type = MOTE_FIELD_BOOL, .unit = "", .offset = PERIOD_AT(z), .meaning = "periodic along z"},
};

static const mote_field_table period_table = {
    .name = "periodic",
    .meaning = "the box in which the fluid repeats itself",
    .fields = period_fields,
    .count = sizeof period_fields / sizeof period_fields[0],
};

const mote_field_table *mote_period_fields(void)
{
    return &period_table;
}

mote_period_def mote_period_default_def(void)
{
    mote_period_def def = {0};
    mote_fields_set_defaults(&period_table, &def);
    def.cookie = MOTE_COOKIE;
    return def;
}

static const mote_field boundary_fields[] = {
    {.name = "velocity", .type = MOTE_FIELD_VECTOR, .unit = "m/s", .offset = offsetof(mote_boundary_def, velocity),
     .min = -1e6, .max = 1e6, .meaning = "velocity of the wall along itself"},
    {.name = "slip", .type = MOTE_FIELD_BOOL, .unit = "", .offset = offsetof(mote_boundary_def, slip),
     .meaning = "free slip: no viscosity acts between fluid and wall"},
};

static const mote_field_table boundary_table = {
    .name = "boundary",
    .meaning = "a part of the walls",
    .fields = boundary_fields,
    .count = sizeof boundary_fields / sizeof boundary_fields[0],
};

const mote_field_table *mote_boundary_fields(void)
{
    return &boundary_table;
}

mote_boundary_def mote_boundary_default_def(void)
{
    mote_boundary_def def = {0};
    mote_fields_set_defaults(&boundary_table, &def);
    def.cookie = MOTE_COOKIE;
    return def;
}

#define PHASE_AT(member) offsetof(mote_phase_def, member)

static const mote_field phase_fields[] = {PHASE_FIELDS(PHASE_AT)};
_Static_assert(sizeof phase_fields / sizeof phase_fields[0] == PHASE_FIELD_COUNT, "all of them");

static const mote_field_table phase_table = {
    .name = "phase",
    .meaning = "what a fluid consists of",
    .fields = phase_fields,
    .count = sizeof phase_fields / sizeof phase_fields[0],
};

const mote_field_table *mote_phase_fields(void)
{
    return &phase_table;
}

mote_phase_def mote_phase_default_def(void)
{
    mote_phase_def def = {0};
    mote_fields_set_defaults(&phase_table, &def);
    def.cookie = MOTE_COOKIE;
    return def;
}

static const char *const tension_models[] = {"stress",          "curvature",          "weighted_stress",
                                             "document",        "document_curvature", "cohesion",
                                             "plain_curvature", NULL};

#define TENSION_FIELDS(PLACE)                                                                                          \
    {.name = "sigma", .type = MOTE_FIELD_NUMBER, .unit = "N/m", .offset = PLACE(sigma),                                \
     .flags = MOTE_FIELD_REQUIRED, .min = 0, .max = 1e6, .meaning = "surface tension"},                                \
    {.name = "adhesion", .type = MOTE_FIELD_NUMBER, .unit = "N/m", .offset = PLACE(adhesion), .min = 0, .max = 1e6,    \
     .meaning = "work of adhesion to walls, for model cohesion; 0: none"},                                             \
    {.name = "model", .type = MOTE_FIELD_CHOICE, .unit = "", .offset = PLACE(model),                                   \
     .initial = {MOTE_TENSION_STRESS}, .choices = tension_models,                                                      \
     .meaning = "stress: divergence of a stress along the interface, which conserves momentum (Hu & Adams 2006). "     \
                "curvature: by the curvature of the interface (Adami 2010). weighted_stress: stress with weights of "  \
                "density. document: the Laplacian of the colour (Onderik 2008, eq. 9), too strong by a factor; "       \
                "document_curvature: the same less its part across the interface; both for any solver. "      \
                "cohesion: attraction within a fluid without air (Akinci 2013). "                                      \
                "plain_curvature: by the curvature, without weights of density, with little noise"}
#define TENSION_AT(member) offsetof(mote_tension_def, member)
#define NAMED_TENSION_AT(member) (offsetof(mote_named_tension, tension) + offsetof(mote_tension_def, member))
#define NAMED_PHASE_AT(member) (offsetof(mote_named_phase, phase) + offsetof(mote_phase_def, member))

static const mote_field tension_fields[] = {TENSION_FIELDS(TENSION_AT)};

static const mote_field named_tension_fields[] = {
    {.name = "between", .type = MOTE_FIELD_WORDS, .unit = "", .offset = offsetof(mote_named_tension, between),
     .flags = MOTE_FIELD_REQUIRED, .meaning = "the names of the two fluids; or of one, at its free surface"},
    TENSION_FIELDS(NAMED_TENSION_AT),
};

static const mote_field named_phase_fields[] = {
    {.name = "name", .type = MOTE_FIELD_TEXT, .unit = "", .offset = offsetof(mote_named_phase, name),
     .flags = MOTE_FIELD_REQUIRED, .meaning = "its name, for blocks and tensions"},
    PHASE_FIELDS(NAMED_PHASE_AT),
};

static const mote_field_table named_phase_table = {
    .name = "fluid",
    .meaning = "one of several fluids, with preset engineering or document; the section fluid then has no material",
    .fields = named_phase_fields,
    .count = sizeof named_phase_fields / sizeof named_phase_fields[0],
};

static const mote_field_table named_tension_table = {
    .name = "tension",
    .meaning = "surface tension between two fluids",
    .fields = named_tension_fields,
    .count = sizeof named_tension_fields / sizeof named_tension_fields[0],
};

const mote_field_table *mote_named_phase_fields(void)
{
    return &named_phase_table;
}

const mote_field_table *mote_named_tension_fields(void)
{
    return &named_tension_table;
}

static const mote_field_table tension_table = {
    .name = "tension",
    .meaning = "surface tension between two fluids",
    .fields = tension_fields,
    .count = sizeof tension_fields / sizeof tension_fields[0],
};

const mote_field_table *mote_tension_fields(void)
{
    return &tension_table;
}

mote_tension_def mote_tension_default_def(void)
{
    mote_tension_def def = {0};
    mote_fields_set_defaults(&tension_table, &def);
    def.cookie = MOTE_COOKIE;
    return def;
}

double mote_fluid_support_of(const mote_fluid_def *def)
{
    double spacings = (def->dimensions == 3 ? 2 : 3) + (def->solver == MOTE_SOLVER_WEAK);
    if (def->solver == MOTE_SOLVER_ONDERIK && def->density == MOTE_DENSITY_NUMBER) spacings = MOTE_MIN(spacings, 2.4);
    return isnan(def->support) ? spacings * def->spacing : def->support;
}
