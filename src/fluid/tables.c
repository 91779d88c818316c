// SPDX-License-Identifier: MIT
// What a fluid can be asked for by name: presets, solvers, kernels and the arrays of its particles.

#include <string.h>

#include "fluid/internal.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

// ------------------------------------------------------------------------------------------------------------ choices

static const mote_fluid_choice presets[] = {
    [MOTE_PRESET_FAST] = {"fast", "Onderik & Ďurikovič 2008, Molteni & Colagrossi 2009, Fourtakas et al. 2019",
                          "few neighbours, densities by continuity, hyperviscosity: for pictures"},
    [MOTE_PRESET_DOCUMENT] = {"document", "Onderik & Ďurikovič 2008",
                              "the scheme of the paper, densities by summation"},
    [MOTE_PRESET_ENGINEERING] = {"engineering",
                                 "Molteni & Colagrossi 2009, Fourtakas et al. 2019, Adami et al. 2012, Sun et al. 2017",
                                 "Wendland's kernel, shifting, walls that carry pressure and friction: for numbers"},
};

static const mote_fluid_choice kernels[] = {
    {"poly6", "Müller et al. 2003", "densities by summation, of the solver onderik"},
    {"spiky", "Müller et al. 2003", "pressure and densities by continuity, of the solver onderik"},
    {"viscosity", "Müller et al. 2003", "viscosity, of the solver onderik"},
    {"wendland_c2", "Wendland 1995", "all sums of the solver weak"},
};

// The kernel that a fluid of a solver may ask for by name: one that does for all sums. The other solver needs three.
static const char *const kernel_of_solver[] = {[MOTE_SOLVER_ONDERIK] = NULL, [MOTE_SOLVER_WEAK] = "wendland_c2"};

mote_result mote_fluid_find_kernel(mote_fluid *fluid, mote_error *error)
{
    const char *wanted = fluid->def.kernel, *own = kernel_of_solver[fluid->def.solver];
    const char *names[COUNT(kernels) + 1] = {NULL};
    for (size_t k = 0; k < COUNT(kernels); ++k) names[k] = kernels[k].name;
    fluid->def.kernel = fluid->given.kernel = own;  // the name in the def given may not last
    if (!wanted || !*wanted || (own && strcmp(wanted, own) == 0)) return MOTE_OK;
    const char *solver = fluid->solver->about.name, *nearest = mote_nearest_word(wanted, names);
    if (!own)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "fluid.kernel is \"%.64s\", expected none with solver \"%s\", which uses poly6, spiky and "
                         "viscosity, each for its own sums",
                         wanted, solver);
    for (size_t k = 0; names[k]; ++k)
        if (strcmp(wanted, names[k]) == 0)
            return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                             "fluid.kernel is \"%s\", which is not of the solver \"%s\", expected \"%s\"", wanted,
                             solver, own);
    return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "fluid.kernel is \"%.64s\", expected \"%s\"%s", wanted, own,
                     nearest && strcmp(nearest, own) == 0 ? "; did you mean that?" : "");
}

const mote_fluid_choice *mote_fluid_preset_at(size_t index)
{
    return index < COUNT(presets) ? &presets[index] : NULL;
}

const mote_fluid_choice *mote_fluid_solver_at(size_t index)
{
    static const fluid_solver *const solvers[] = {
        [MOTE_SOLVER_ONDERIK] = &mote_solver_onderik, [MOTE_SOLVER_WEAK] = &mote_solver_weak};
    return index < COUNT(solvers) ? &solvers[index]->about : NULL;
}

const mote_fluid_choice *mote_fluid_kernel_at(size_t index)
{
    return index < COUNT(kernels) ? &kernels[index] : NULL;
}

// --------------------------------------------------------------------------------------------------------- attributes

// An attribute, and the first of the particle arrays that hold its components.
typedef struct attribute {
    mote_fluid_attribute about;
    int first;
} attribute;

#define ONDERIK (1u << MOTE_SOLVER_ONDERIK)
#define WEAK (1u << MOTE_SOLVER_WEAK)

static const attribute attributes[] = {
    {{"position", "m", "where it is", MOTE_ARRAY_F64, 3, ONDERIK | WEAK}, FLUID_X},
    {{"id", "", "its number, which never changes", MOTE_ARRAY_U64, 1, ONDERIK | WEAK}, FLUID_ID},
    {{"velocity", "m/s", "its velocity at the same instant", MOTE_ARRAY_F32, 3, ONDERIK | WEAK}, FLUID_VX},
    {{"acceleration", "m/s^2", "its acceleration", MOTE_ARRAY_F32, 3, ONDERIK | WEAK}, FLUID_AX},
    {{"density", "kg/m^3", "its density", MOTE_ARRAY_F32, 1, ONDERIK | WEAK}, FLUID_DENSITY},
    {{"pressure", "Pa", "its pressure", MOTE_ARRAY_F32, 1, ONDERIK | WEAK}, FLUID_PRESSURE},
    {{"rate", "1/s", "how fast its density grew in the last step, as a share of it", MOTE_ARRAY_F32, 1, ONDERIK | WEAK},
     FLUID_RATE},
    {{"shift", "m/s", "the velocity that spreads particles evenly, besides their own", MOTE_ARRAY_F32, 3, WEAK},
     FLUID_SHIFT_X},
    {{"excess", "", "its density over the rest density, less 1", MOTE_ARRAY_F32, 1, WEAK}, FLUID_EXCESS},
    {{"surface", "", "1 inside the fluid, about 0.5 at a flat free surface, near 0 in spray; by shifting free_surface",
      MOTE_ARRAY_F32, 1, WEAK},
     FLUID_SURFACE},
};

const mote_fluid_attribute *mote_fluid_attribute_at(size_t index)
{
    return index < COUNT(attributes) ? &attributes[index].about : NULL;
}

mote_result mote_fluid_get_array(mote_fluid *fluid, const char *name, mote_array *array, mote_error *error)
{
    if (!fluid || !name || !array) return mote_fail_null(error, "fluid", fluid ? "an argument" : "the object");
    const attribute *found = NULL;
    for (size_t k = 0; k < COUNT(attributes); ++k)
        if (strcmp(attributes[k].about.name, name) == 0) found = &attributes[k];
    if (!found || !(found->about.solvers & 1u << fluid->def.solver))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "fluid: no array \"%.64s\" of the solver \"%s\", expected an attribute of it, as \"pressure\"",
                         name, fluid->solver->about.name);
    const mote_result result = mote_fluid_evaluate(fluid, error);
    if (result != MOTE_OK) return result;
    const mote_fluid_attribute *about = &found->about;
    const mote_buffer *of = &fluid->particles.arrays[found->first];
    *array = about->components == 3
                 ? mote_array_axes(about->name, about->type, of[0].data, of[1].data, of[2].data)
                 : mote_array_scalars(about->name, about->type, of[0].data);
    array->unit = about->unit;
    return MOTE_OK;
}
