// SPDX-License-Identifier: MIT
// Kinds of boundaries: how a side of a tank or a solid holds a fluid back. All kinds keep particles from passing the
// surface (obstacles.c); they differ in the wall particles behind it, which have pressure and friction. A new kind is
// a line here, a word in fields.c, and what tank.c or solids.c makes for it.

#include <math.h>
#include <stdio.h>

#include "simulation/internal.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ONDERIK (1u << MOTE_SOLVER_ONDERIK)
#define WEAK (1u << MOTE_SOLVER_WEAK)

// Walls of the solver weak take their pressure from the fluid: without wall particles they would have none, and the
// fluid would fall into a heap on the plane.
static const mote_boundary_kind_info kinds[] = {
    [MOTE_BOUNDARY_AUTO] = {{"auto", "", "what is right for the solver"}, true, true, ONDERIK | WEAK},
    [MOTE_BOUNDARY_PLANES] = {{"planes", "Onderik & Ďurikovič 2008, section 5",
                               "no wall particles: restitution and friction at a side, or near the surface of a "
                               "solid"},
                              true, true, ONDERIK},
    [MOTE_BOUNDARY_LAYERS] = {{"layers", "Onderik & Ďurikovič 2008, section 3.3; Adami et al. 2012",
                               "wall particles behind the surface, as deep as the kernel's support"},
                              true, true, ONDERIK | WEAK},
    [MOTE_BOUNDARY_SAMPLES] = {{"samples", "Akinci et al. 2012",
                                "one layer of wall particles about half a spacing behind the surface, with corrected "
                                "volumes"},
                               true, true, ONDERIK | WEAK},
    [MOTE_BOUNDARY_FIELD] = {{"field",
                              "Onderik & Ďurikovič 2008, section 3.3; Harada et al. 2007; Koschier & Bender 2017",
                              "no wall particles: what the body does at a place, computed once on a grid near it"},
                             true, true, ONDERIK | WEAK},
    [MOTE_BOUNDARY_PROXY] = {{"proxy", "Fan et al. 2013; Akinci et al. 2012",
                              "an octree stops particles, to a quarter of a spacing, instead of the mesh; pressure by "
                              "samples; in 3D"},
                             false, true, ONDERIK | WEAK},
    [MOTE_BOUNDARY_PROXY_PLANES] = {{"proxy_planes", "Fan et al. 2013; Onderik & Ďurikovič 2008, section 5",
                                     "the octree of proxy without wall particles: restitution and friction alone; in "
                                     "3D"},
                                    false, true, ONDERIK},
};

const mote_boundary_kind_info *mote_boundary_kind_at(size_t index)
{
    return index < COUNT(kinds) ? &kinds[index] : NULL;
}

mote_boundary_kind mote_boundary_kind_of(mote_fluid_solver solver, bool is_tank)
{
    return is_tank || solver == MOTE_SOLVER_WEAK ? MOTE_BOUNDARY_LAYERS : MOTE_BOUNDARY_SAMPLES;
}

mote_boundary_kind mote_boundary_resolve(int32_t kind, mote_fluid_solver solver, bool is_tank)
{
    return kind == MOTE_BOUNDARY_AUTO ? mote_boundary_kind_of(solver, is_tank) : (mote_boundary_kind)kind;
}

static bool is_taken(const mote_boundary_kind_info *kind, mote_fluid_solver solver, bool is_tank)
{
    return (is_tank ? kind->for_tank : kind->for_solid) && kind->solvers & 1u << solver;
}

mote_result mote_boundary_check(int32_t kind, mote_fluid_solver solver, bool is_tank, const char *field,
                                mote_error *error)
{
    const mote_boundary_kind_info *chosen = mote_boundary_kind_at((size_t)kind);
    if (!mote_fluid_solver_at((size_t)solver)) return MOTE_OK;  // which the fluid refuses
    if (chosen && is_taken(chosen, solver, is_tank)) return MOTE_OK;
    char list[96];
    size_t used = 0;
    for (size_t k = 0; k < COUNT(kinds) && used < sizeof list; ++k)
        if (is_taken(&kinds[k], solver, is_tank))
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", kinds[k].about.name);
    return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0, "%s is \"%s\", expected one of %s for %s with solver \"%s\"",
                     field, chosen ? chosen->about.name : "unknown", list, is_tank ? "tanks" : "solids",
                     mote_fluid_solver_at((size_t)solver)->name);
}

mote_result mote_boundary_check_adhesion(const mote_simulation_def *def, const char *field, size_t index,
                                         mote_error *error)
{
    for (size_t t = 0; t < def->tension_count; ++t)
        if (def->tensions[t].tension.adhesion != 0)
            return mote_fail(error, MOTE_ERROR_UNSUPPORTED, index,
                             "%s is \"field\", expected \"layers\" or \"samples\" with tensions that have adhesion: "
                             "it acts on wall particles",
                             field);
    return MOTE_OK;
}

bool mote_boundary_pushes(mote_boundary_kind kind)
{
    return kind != MOTE_BOUNDARY_PLANES && kind != MOTE_BOUNDARY_PROXY_PLANES;
}

size_t mote_boundary_layers(mote_boundary_kind kind, double spacing, double support)
{
    switch (kind) {
    case MOTE_BOUNDARY_PLANES:
    case MOTE_BOUNDARY_PROXY_PLANES:
    case MOTE_BOUNDARY_FIELD: return 0;
    case MOTE_BOUNDARY_SAMPLES: return 1;
    default: return (size_t)MOTE_MIN(ceil(support / spacing - 1e-9), 0x1p53);
    }
}
