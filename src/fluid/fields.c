// SPDX-License-Identifier: MIT
// The fluid's field table: names, units, ranges, defaults and meanings of the values that a user sets.

#include <math.h>

#include "fluid/internal.h"

static const char *const densities[] = {"summation", "continuity", NULL};
static const char *const state_equations[] = {"tait", "ideal_gas", NULL};

#define AT(member) offsetof(mote_fluid_def, member)

static const mote_field fluid_fields[] = {
    {.name = "dimensions", .type = MOTE_FIELD_INT, .unit = "", .offset = AT(dimensions), .flags = MOTE_FIELD_SHARED,
     .min = 2, .max = 3, .initial = {3}, .meaning = "2 or 3; in 2D all particles lie in the plane y = 0 and z is up"},
    {.name = "spacing", .type = MOTE_FIELD_NUMBER, .unit = "m", .offset = AT(spacing),
     .flags = MOTE_FIELD_REQUIRED | MOTE_FIELD_ABOVE_MIN, .min = 0, .max = 1e6,
     .meaning = "distance between neighbouring particles at the start"},
    {.name = "support", .type = MOTE_FIELD_NUMBER, .unit = "m", .offset = AT(support),
     .flags = MOTE_FIELD_DERIVED | MOTE_FIELD_ABOVE_MIN, .min = 0, .max = 1e7, .initial = {NAN},
     .meaning = "radius h of the smoothing kernel; default: 2 spacings in 3D, 3 in 2D"},
    {.name = "rest_density", .type = MOTE_FIELD_NUMBER, .unit = "kg/m^3", .offset = AT(rest_density),
     .flags = MOTE_FIELD_ABOVE_MIN, .min = 0, .max = 1e6, .initial = {1000}, .meaning = "density at zero pressure"},
    {.name = "sound_speed", .type = MOTE_FIELD_NUMBER, .unit = "m/s", .offset = AT(sound_speed),
     .flags = MOTE_FIELD_DERIVED | MOTE_FIELD_ABOVE_MIN, .min = 0, .max = 1e6, .initial = {NAN},
     .meaning = "artificial speed of sound c; default: 10 times the larger of sqrt(g H), where H is the fluid's depth, "
                "and the fastest block's speed"},
    {.name = "density", .type = MOTE_FIELD_CHOICE, .unit = "", .offset = AT(density),
     .initial = {MOTE_DENSITY_CONTINUITY}, .choices = densities,
     .meaning = "how density is computed. continuity: integrated in time; conserves energy, and water comes to rest. "
                "summation: from positions, as in Onderik 2008; water never comes quite to rest"},
    {.name = "density_diffusion", .type = MOTE_FIELD_NUMBER, .unit = "", .offset = AT(density_diffusion), .min = 0,
     .max = 0.2, .initial = {0.1},
     .meaning = "delta of the density diffusion, which smooths pressure noise where pressure is above 0; diffusivity = "
                "delta * support * sound_speed; 0: off; for density by continuity"},
    {.name = "state_equation", .type = MOTE_FIELD_CHOICE, .unit = "", .offset = AT(state_equation),
     .initial = {MOTE_STATE_TAIT}, .choices = state_equations,
     .meaning = "pressure as a function of density: Tait's equation or ideal gas"},
    {.name = "gamma", .type = MOTE_FIELD_INT, .unit = "", .offset = AT(gamma), .min = 1, .max = 7, .initial = {7},
     .meaning = "exponent of Tait's equation: 7 or 1"},
    {.name = "negative_pressure", .type = MOTE_FIELD_BOOL, .unit = "", .offset = AT(negative_pressure), .initial = {0},
     .meaning = "allow pressure below zero"},
    {.name = "viscosity_alpha", .type = MOTE_FIELD_NUMBER, .unit = "", .offset = AT(viscosity_alpha), .min = 0,
     .max = 1e3, .initial = {0.1},
     .meaning = "artificial viscosity alpha: mu = rho0 alpha c (h/2) / (2 (dimensions + 2))"},
    {.name = "viscosity", .type = MOTE_FIELD_NUMBER, .unit = "Pa s", .offset = AT(viscosity),
     .flags = MOTE_FIELD_DERIVED, .min = 0, .max = 1e9, .initial = {NAN},
     .meaning = "dynamic viscosity mu; default: from viscosity_alpha"},
    {.name = "hyperviscosity", .type = MOTE_FIELD_NUMBER, .unit = "", .offset = AT(hyperviscosity), .min = 0,
     .max = 0.1, .initial = {0.035},
     .meaning = "damps velocity noise between neighbouring particles with coefficient kappa * sound_speed * "
                "spacing^3, so that water comes to rest; 0: off; for density by continuity"},
    {.name = "wall_viscosity", .type = MOTE_FIELD_NUMBER, .unit = "", .offset = AT(wall_viscosity), .min = 0, .max = 1,
     .initial = {0}, .meaning = "fraction of the viscosity that acts at walls: 0 free slip, 1 no slip"},
    {.name = "courant", .type = MOTE_FIELD_NUMBER, .unit = "", .offset = AT(courant), .flags = MOTE_FIELD_ABOVE_MIN,
     .min = 0, .max = 1, .initial = {0.3}, .meaning = "limits the time step to courant * h / (c + |v|)"},
    {.name = "force_limit", .type = MOTE_FIELD_NUMBER, .unit = "", .offset = AT(force_limit),
     .flags = MOTE_FIELD_ABOVE_MIN, .min = 0, .max = 1, .initial = {0.25},
     .meaning = "limits the time step to force_limit * sqrt(h / |a|)"},
    {.name = "viscous_limit", .type = MOTE_FIELD_NUMBER, .unit = "", .offset = AT(viscous_limit),
     .flags = MOTE_FIELD_ABOVE_MIN, .min = 0, .max = 1, .initial = {0.06},
     .meaning = "limits the time step to viscous_limit * h^2 rho0 / mu; above 1/16 very viscous fluids blow up"},
    {.name = "gravity", .type = MOTE_FIELD_VECTOR, .unit = "m/s^2", .offset = AT(gravity), .min = -1e6, .max = 1e6,
     .initial = {0, 0, -9.81}, .meaning = "gravitational acceleration; acts on grains, too"},
    {.name = "neighbors", .type = MOTE_FIELD_TEXT, .unit = "", .offset = AT(neighbors), .initial_text = NULL,
     .meaning = "neighbour search method, see mote neighbors --help; default: auto"},
};

static const mote_field_table fluid_table = {
    .name = "fluid",
    .meaning = "the fluid's resolution, material and time steps",
    .fields = fluid_fields,
    .count = sizeof fluid_fields / sizeof fluid_fields[0],
};

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
