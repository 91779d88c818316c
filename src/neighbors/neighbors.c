// The public face of neighbour search: checks, creation, and hand-over to the method.

#include <math.h>
#include <string.h>

#include "cells/internal.h"
#include "neighbors/internal.h"

mote_neighbors_def mote_neighbors_default_def(void)
{
    mote_neighbors_def def = {0};
    def.radius = NAN;  // there is no default radius
    def.cookie = MOTE_COOKIE;
    return def;
}

const mote_neighbors_method_info *mote_neighbors_method_at(size_t index)
{
    return index < mote_neighbors_method_count ? &mote_neighbors_method_table[index]->info : NULL;
}

static const neighbors_method *find_method(const char *name)
{
    if (!name) return mote_neighbors_method_table[0];
    for (size_t k = 0; k < mote_neighbors_method_count; ++k)
        if (strcmp(mote_neighbors_method_table[k]->info.name, name) == 0) return mote_neighbors_method_table[k];
    return NULL;
}

// radius² normal and finite, with room below: a difference whose square decides is then far from underflow, so that
// hosts that flush subnormal numbers to zero find the same neighbours.
static bool radius_is_legal(double radius, uint32_t features)
{
    if (features & MOTE_NEIGHBORS_F64) return radius >= 0x1p-480 && radius <= 0x1p511;
    return radius >= 0x1p-50 && radius <= 0x1p63;
}

mote_result mote_neighbors_create(mote_context *context, const mote_neighbors_def *def, mote_neighbors **search)
{
    if (!def || !search || def->cookie != MOTE_COOKIE) return MOTE_ERROR_ARGUMENT;
    const neighbors_method *method = find_method(def->method);
    if (!method || !radius_is_legal(def->radius, def->features)) return MOTE_ERROR_ARGUMENT;
    if (def->features & ~method->info.features) return MOTE_ERROR_UNSUPPORTED;

    mote_neighbors *made = mote_allocate(context, sizeof *made);
    if (!made) return MOTE_ERROR_OUT_OF_MEMORY;
    memset(made, 0, sizeof *made);
    made->state = mote_allocate(context, method->state_bytes);
    if (!made->state) {
        mote_release(context, made, sizeof *made);
        return MOTE_ERROR_OUT_OF_MEMORY;
    }
    memset(made->state, 0, method->state_bytes);
    made->context = context;
    made->method = method;
    made->def = *def;
    made->def.method = method->info.name;
    made->radius_squared = (float)def->radius * (float)def->radius;
    *search = made;
    return MOTE_OK;
}

void mote_neighbors_destroy(mote_neighbors *search)
{
    if (!search) return;
    const mote_context *context = search->context;
    search->method->release(search);
    mote_rows_release(search);
    mote_release(context, search->state, search->method->state_bytes);
    mote_release(context, search, sizeof *search);
}

const mote_error *mote_neighbors_error(const mote_neighbors *search)
{
    return &search->error;
}

static mote_result out_of_memory(mote_neighbors *search, const char *what)
{
    return mote_fail(&search->error, MOTE_ERROR_OUT_OF_MEMORY, 0, "neighbors: no memory for %s", what);
}

// The struct of a point set, and whether this search takes its type.
static mote_result check_points(mote_neighbors *search, mote_points points)
{
    mote_result result = mote_points_check(points, &search->error);
    if (result != MOTE_OK) return result;
    bool wants_f64 = (search->def.features & MOTE_NEIGHBORS_F64) != 0;
    if ((points.scalar == MOTE_F64) != wants_f64)
        return mote_fail(&search->error, MOTE_ERROR_UNSUPPORTED, 0, "points: %s coordinates, expected %s ones",
                         wants_f64 ? "float" : "double", wants_f64 ? "double" : "float");
    return MOTE_OK;
}

mote_result mote_neighbors_update(mote_neighbors *search, mote_points points)
{
    if (!search) return MOTE_ERROR_ARGUMENT;
    mote_result result = check_points(search, points);
    if (result != MOTE_OK) return result;

    search->has_points = false;
    search->count = points.count;
    search->dimensions = points.dimensions;
    result = search->method->build(search, &points);
    if (result == MOTE_ERROR_OUT_OF_MEMORY) out_of_memory(search, "the points' structure");
    search->has_points = result == MOTE_OK;
    if (result != MOTE_OK) search->count = 0;
    return result;
}

static mote_result check_ready(mote_neighbors *search)
{
    if (search->has_points) return MOTE_OK;
    return mote_fail(&search->error, MOTE_ERROR_STATE, 0, "neighbors: no points yet, expected an update before");
}

mote_result mote_neighbors_lists(mote_neighbors *search, mote_lists *lists)
{
    if (!search || !lists) return MOTE_ERROR_ARGUMENT;
    memset(lists, 0, sizeof *lists);
    mote_result result = check_ready(search);
    if (result != MOTE_OK) return result;
    result = mote_rows_store(search, NULL, lists);
    return result == MOTE_ERROR_OUT_OF_MEMORY ? out_of_memory(search, "the lists") : result;
}

mote_result mote_neighbors_visit(mote_neighbors *search, mote_neighbors_visitor *visitor, void *user_data)
{
    if (!search || !visitor) return MOTE_ERROR_ARGUMENT;
    mote_result result = check_ready(search);
    if (result != MOTE_OK) return result;
    result = mote_rows_visit(search, visitor, user_data);
    return result == MOTE_ERROR_OUT_OF_MEMORY ? out_of_memory(search, "a row") : result;
}

mote_result mote_neighbors_query(mote_neighbors *search, mote_points queries, mote_lists *lists)
{
    if (!search || !lists) return MOTE_ERROR_ARGUMENT;
    memset(lists, 0, sizeof *lists);
    mote_result result = check_ready(search);
    if (result == MOTE_OK) result = check_points(search, queries);
    if (result != MOTE_OK) return result;
    if (!(search->def.features & MOTE_NEIGHBORS_QUERY))
        return mote_fail(&search->error, MOTE_ERROR_UNSUPPORTED, 0,
                         "neighbors: queries by other points, expected MOTE_NEIGHBORS_QUERY in the def's features");
    if (queries.dimensions != search->dimensions)
        return mote_fail(&search->error, MOTE_ERROR_ARGUMENT, 0, "queries: %d dimensions, expected the points' %d",
                         queries.dimensions, search->dimensions);
    mote_box box;
    result = mote_points_bounds(search->context, &queries, &box, &search->error);
    if (result == MOTE_OK) result = mote_rows_store(search, &queries, lists);
    return result == MOTE_ERROR_OUT_OF_MEMORY ? out_of_memory(search, "the lists") : result;
}

mote_result mote_neighbors_permutation(const mote_neighbors *search, const uint32_t **order)
{
    if (!search || !order) return MOTE_ERROR_ARGUMENT;
    if (!(search->def.features & MOTE_NEIGHBORS_PERMUTATION)) return MOTE_ERROR_UNSUPPORTED;
    if (!search->has_points) return MOTE_ERROR_STATE;
    *order = search->method->permutation(search);
    return MOTE_OK;
}

mote_neighbors_counters mote_neighbors_get_counters(const mote_neighbors *search)
{
    mote_neighbors_counters counters = search->counters;
    counters.cells = search->has_points && search->method->cell_count ? search->method->cell_count(search) : 0;
    return counters;
}

size_t mote_neighbors_byte_count(const mote_neighbors *search, size_t *list_bytes)
{
    if (list_bytes) *list_bytes = mote_rows_byte_count(search);
    return sizeof *search + search->method->state_bytes + search->method->byte_count(search);
}

mote_result mote_neighbors_validate(mote_neighbors *search)
{
    if (!search) return MOTE_ERROR_ARGUMENT;
    return search->has_points ? search->method->validate(search) : MOTE_OK;
}
