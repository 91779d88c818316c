// SPDX-License-Identifier: MIT
// What a fluid can be asked for by name: presets, solvers, kernels and the arrays of its particles.

#include <stdio.h>
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

// The viscosity kernel is infinite at 0, so that it cannot serve sums that contain the particle itself.
static const mote_fluid_choice kernels[KERNEL_COUNT] = {
    [KERNEL_POLY6] = {"poly6", "Müller et al. 2003", "densities by summation, of the solver onderik; all sums of weak"},
    [KERNEL_SPIKY] = {"spiky", "Müller et al. 2003",
                      "pressure and densities by continuity, of the solver onderik; all sums of weak"},
    [KERNEL_VISCOSITY] = {"viscosity", "Müller et al. 2003", "viscosity, of the solver onderik"},
    [KERNEL_CUBIC] = {"cubic_spline", "Monaghan & Lattanzio 1985", "all sums of the solver weak"},
    [KERNEL_QUINTIC] = {"quintic_spline", "Morris et al. 1997", "all sums of the solver weak"},
    [KERNEL_WENDLAND_C2] = {"wendland_c2", "Wendland 1995", "all sums of the solver weak; its default"},
    [KERNEL_WENDLAND_C4] = {"wendland_c4", "Wendland 1995", "all sums of the solver weak"},
};

// The solver onderik needs three kernels, each for its own sums; its stability is that of these three.
static mote_result refuse_kernel(const mote_fluid *fluid, const char *wanted, mote_error *error)
{
    const char *solver = fluid->solver->about.name, *names[KERNEL_COUNT + 1] = {NULL};
    char list[160];
    size_t count = 0, used = 0;
    if (fluid->def.solver == MOTE_SOLVER_ONDERIK)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "fluid.kernel is \"%.64s\", expected none with solver \"%s\", which uses poly6, spiky and "
                         "viscosity, each for its own sums",
                         wanted, solver);
    for (size_t k = 0; k < KERNEL_COUNT; ++k) {
        if (!mote_kernels[k]->shape) continue;
        names[count++] = kernels[k].name;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", kernels[k].name);
    }
    const char *nearest = mote_nearest_word(wanted, names);
    return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                     "fluid.kernel is \"%.64s\", expected one of %s with solver \"%s\"%s%s%s", wanted, list, solver,
                     nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

mote_result mote_fluid_find_kernel(mote_fluid *fluid, mote_error *error)
{
    const char *wanted = fluid->def.kernel;
    const bool has_choice = fluid->def.solver == MOTE_SOLVER_WEAK;
    fluid->kernel = KERNEL_WENDLAND_C2;
    // The name that was given may not last.
    fluid->def.kernel = fluid->given.kernel = has_choice ? kernels[fluid->kernel].name : NULL;
    if (!wanted || !*wanted) return MOTE_OK;
    for (int k = 0; k < KERNEL_COUNT && has_choice; ++k) {
        if (strcmp(wanted, kernels[k].name) != 0 || !mote_kernels[k]->shape) continue;
        fluid->kernel = (mote_kernel_id)k;
        fluid->def.kernel = fluid->given.kernel = kernels[k].name;
        return MOTE_OK;
    }
    return refuse_kernel(fluid, wanted, error);
}

const mote_fluid_choice *mote_fluid_preset_at(size_t index)
{
    return index < COUNT(presets) ? &presets[index] : NULL;
}

const fluid_solver *mote_fluid_solver_of(size_t number)
{
    static const fluid_solver *const solvers[] = {
        [MOTE_SOLVER_ONDERIK] = &mote_solver_onderik, [MOTE_SOLVER_WEAK] = &mote_solver_weak};
    return number < COUNT(solvers) ? solvers[number] : NULL;
}

const mote_fluid_choice *mote_fluid_solver_at(size_t index)
{
    const fluid_solver *solver = mote_fluid_solver_of(index);
    return solver ? &solver->about : NULL;
}

static bool is_own_setting(const fluid_solver *solver, const char *field)
{
    for (const char *const *name = solver->own_settings; *name; ++name)
        if (strcmp(*name, field) == 0) return true;
    return false;
}

bool mote_fluid_solver_reads(size_t number, const char *field)
{
    const fluid_solver *solver = mote_fluid_solver_of(number), *other;
    if (is_own_setting(solver, field)) return true;
    for (size_t k = 0; (other = mote_fluid_solver_of(k)) != NULL; ++k)
        if (is_own_setting(other, field)) return false;
    return true;
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
    {{"excess", "", "its density over the rest density, less 1", MOTE_ARRAY_F32, 1, ONDERIK | WEAK},
     FLUID_EXCESS},
    {{"surface", "", "1 inside the fluid, about 0.5 at a flat free surface, near 0 in spray; by shifting free_surface",
      MOTE_ARRAY_F32, 1, WEAK},
     FLUID_SURFACE},
    {{"phase", "", "the number of its fluid: 0 for the first", MOTE_ARRAY_U8, 1, ONDERIK | WEAK}, FLUID_PHASE},
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
