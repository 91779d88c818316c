// SPDX-License-Identifier: MIT
// Rows of fluid particles among fluid: kept for the step, or found again by each loop that reads them.
//
// A step reads the rows twice, for densities and for forces, and those of particles that reach another phase once more
// in between, for the gradients of tensions. Kept lists take 4 bytes a neighbour and 12 a particle, half of all memory
// with a hundred neighbours; to find them again takes 7 to 30 % of a step (docs/steps.md). Both have the same rows, so
// the same bits.
//
// A search that stores nothing may run out of memory half-way, when some rows have been worked on. A loop's work must
// therefore leave the state of the fluid alone: it writes what it finds into records that nobody reads yet.

#include "fluid/internal.h"
#include "neighbors/visits.h"

mote_result mote_fluid_create_search(const mote_fluid *fluid, mote_neighbors **search, mote_error *error)
{
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = fluid->def.support;
    def.method = fluid->def.neighbors;
    def.features = MOTE_NEIGHBORS_QUERY;
    const mote_result result = mote_neighbors_create(fluid->context, &def, search, NULL);
    if (result == MOTE_ERROR_OUT_OF_MEMORY) return mote_fail(error, result, 0, "fluid: no memory for neighbour search");
    if (result != MOTE_OK)
        return mote_fail(error, result, 0,
                         "fluid: neighbors is \"%s\", support %g: expected a method that answers "
                         "queries, and a support that it can search",
                         def.method ? def.method : "", def.radius);
    return MOTE_OK;
}

// Neighbours of a particle within the fluid from which on `auto` keeps no lists.
static const double most_kept = 50;

bool mote_fluid_keeps_lists(const mote_fluid *fluid)
{
    const mote_fluid_def *def = &fluid->def;
    const double reach = def->support / def->spacing, pi = 3.14159265358979323846;
    const double neighbors = def->dimensions == 3 ? 4 * pi / 3 * reach * reach * reach : pi * reach * reach;
    // Where densities are sums, the pressures of walls are read from the rows; so are options of the other solver.
    if (def->density != MOTE_DENSITY_CONTINUITY || def->neighbor_lists == MOTE_LISTS_KEPT) return true;
    if (def->solver == MOTE_SOLVER_WEAK &&
        (def->xsph > 0 || mote_weak_has_gradients(fluid) || mote_weak_has_eddies(fluid)))
        return true;
    return def->neighbor_lists == MOTE_LISTS_AUTO && neighbors < most_kept;
}

typedef struct row_task {
    mote_fluid *fluid;
    const mote_lists *lists;
    fluid_row_work *work;
} row_task;

static void walk_rows(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const row_task *task = data;
    fluid_row rows[FLUID_ROWS];
    for (size_t first = begin; first < end; first += FLUID_ROWS) {
        const uint32_t count = (uint32_t)MOTE_MIN(end - first, (size_t)FLUID_ROWS);
        for (uint32_t k = 0; k < count; ++k) rows[k] = mote_fluid_row(task->lists, (uint32_t)first + k);
        task->work(task->fluid, (uint32_t)first, rows, count);
    }
}

static void visit_row(void *data, mote_row row, uint32_t worker)
{
    (void)worker;
    const row_task *task = data;
    // Images have no rows of their own.
    const fluid_row one = {row.indices, row.count};
    if (row.index < task->fluid->particles.count) task->work(task->fluid, row.index, &one, 1);
}

mote_result mote_fluid_each_row(mote_fluid *fluid, mote_neighbors *search, const mote_lists *lists,
                                const uint8_t *wanted, fluid_row_work *work, double *seconds, mote_error *error)
{
    row_task task = {fluid, lists, work};
    const double start = mote_clock_seconds();
    mote_result result = MOTE_OK;
    if (mote_fluid_keeps_lists(fluid))
        mote_parallel_for(fluid->context, fluid->particles.count, FLUID_BLOCK, walk_rows, &task);
    else
        result = mote_neighbors_visit_some(search, 0, wanted, fluid->particles.count, visit_row, &task, error);
    *seconds += mote_clock_seconds() - start;
    return result;
}
