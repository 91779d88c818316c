// SPDX-License-Identifier: MIT
// The public calls of neighbour search: creation, checks, and calls of the method.

#include <string.h>

#include "cells/internal.h"
#include "neighbors/kept_lists.h"
#include "neighbors/rows.h"
#include "neighbors/sets.h"
#include "neighbors/skin.h"

// The features that a plain search may have: float points, one radius, no box, rows of indices only.
enum {
    PLAIN_FEATURES =
        MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_ASCENDING | MOTE_NEIGHBORS_PERMUTATION | MOTE_NEIGHBORS_SUBSET |
        MOTE_NEIGHBORS_NEAREST
};

// Replaces the running method by another one, with a new state.
static mote_result run_method(mote_neighbors *search, const neighbors_method *method)
{
    if (search->method == method) return MOTE_OK;
    void *state = mote_allocate(search->context, method->state_bytes);
    if (!state) return MOTE_ERROR_OUT_OF_MEMORY;
    memset(state, 0, method->state_bytes);
    if (search->method) {
        search->method->release(search);
        mote_release(search->context, search->state, search->method->state_bytes);
    }
    search->method = method;
    search->state = state;
    return MOTE_OK;
}

static void take_radius(mote_neighbors *search, double radius)
{
    const bool is_f32 = search->scalar == MOTE_F32;
    search->def.radius = radius;
    search->radius = is_f32 ? (double)(float)radius : radius;
    search->radius_squared = is_f32 ? (float)mote_limit_squared(search, search->radius) : 0;
}

mote_result mote_neighbors_create(mote_context *context, const mote_neighbors_def *def, mote_neighbors **search,
                                  mote_error *error)
{
    static const char no_memory[] = "neighbors: no memory for the search itself";
    const neighbors_method *method;
    periodic_box box = {0};
    if (!search) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "neighbors: nowhere to put the search");
    mote_result result = mote_neighbors_def_check(def, &method, &box, error);
    if (result != MOTE_OK) return result;

    mote_neighbors *made = mote_allocate(context, sizeof *made);
    if (!made) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, no_memory);
    memset(made, 0, sizeof *made);
    made->context = context;
    made->def = *def;
    made->chooser = method->choose ? method : NULL;
    if (run_method(made, method->choose ? &mote_neighbors_cell_grid : method) != MOTE_OK) {
        mote_release(context, made, sizeof *made);
        return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, no_memory);
    }
    made->def.method = method->info.name;
    made->box = box;
    made->is_plain = (def->features & ~(uint32_t)PLAIN_FEATURES) == 0;
    made->scalar = mote_search_has(made, MOTE_NEIGHBORS_F64) ? MOTE_F64 : MOTE_F32;
    if (!mote_search_has(made, MOTE_NEIGHBORS_RADII)) take_radius(made, def->radius);
    bool has_skin = mote_search_has(made, MOTE_NEIGHBORS_SKIN) && !method->ignores_skin;
    if (has_skin && mote_skin_create(made) != MOTE_OK) {
        mote_neighbors_destroy(made);
        return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, no_memory);
    }
    *search = made;
    return MOTE_OK;
}

void mote_neighbors_destroy(mote_neighbors *search)
{
    if (!search) return;
    const mote_context *context = search->context;
    search->method->release(search);
    mote_sets_destroy(search);
    mote_skin_destroy(search);
    mote_rows_release(search);
    mote_kept_memory_release(search);
    mote_nearest_release(search);
    mote_buffer_release(context, &search->chunk_points);
    mote_point_store_release(context, &search->points);
    mote_release(context, search->state, search->method->state_bytes);
    mote_release(context, search, sizeof *search);
}

// Returns the search that holds the structure: with a skin this is the inner search, whose method `auto` chooses for
// itself.
static mote_neighbors *built_search(const mote_neighbors *search)
{
    return search->skin ? mote_skin_inner(search) : (mote_neighbors *)(uintptr_t)search;
}

const char *mote_neighbors_explain(mote_neighbors *search)
{
    if (!search) return "";
    if (mote_sets_are_held(search)) return mote_sets_explain(search);
    mote_neighbors *built = built_search(search);
    char *text = search->explanation;
    const size_t size = sizeof search->explanation;
    const neighbors_method *method = built->chooser ? built->chooser : built->method;
    if (!search->has_points) return method->info.meaning;
    mote_print(text, size, "%s: ", method->info.name);
    size_t length = strlen(text);
    if (built->chooser) {
        built->chooser->explain(built, text + length, size - length);
        if (!built->method->explain) return text;
        length += strlen(text + length);
        length += mote_print(text + length, size - length, "; ");
    }
    if (built->method->explain)
        built->method->explain(built, text + length, size - length);
    else
        mote_print(text + length, size - length, "%s", method->info.meaning);
    return text;
}

// Reports a NULL pointer that a caller must not pass: the argument `name`, or, without a search, the object itself.
static mote_result refuse_null(mote_neighbors *search, const char *name, mote_error *error)
{
    return mote_fail_null(error, "neighbors", search ? name : "the object");
}

static mote_result out_of_memory(const char *what, mote_error *error)
{
    return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "neighbors: no memory for %s", what);
}

// --------------------------------------------------------------------------------------------------- taking points

// Checks the struct of a point set, and that this search accepts its type. The error's text begins with `what`.
static mote_result check_points(mote_neighbors *search, const mote_points *points, const char *what, mote_error *error)
{
    mote_result result = mote_points_check(*points, what, error);
    bool wants_f64 = search->scalar == MOTE_F64;
    if (result == MOTE_OK && points->scalar != search->scalar)
        result = mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0, "%s: %s coordinates, expected %s ones", what,
                           wants_f64 ? "float" : "double", wants_f64 ? "double" : "float");
    return result;
}

// Checks that points come with radii as required by the def.
static mote_result check_radii(mote_neighbors *search, const mote_points *points, point_radii radii, const char *what,
                               mote_error *error)
{
    bool wants_radii = mote_search_has(search, MOTE_NEIGHBORS_RADII);
    if (wants_radii && !radii.first && points->count)
        return mote_fail(error, MOTE_ERROR_STATE, 0, "%s: no radii, expected one for every point", what);
    if (!wants_radii && radii.first)
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0,
                         "%s: a radius each, expected MOTE_NEIGHBORS_RADII in the def's features", what);
    return MOTE_OK;
}

// Fills the search's own copy of the points, if it is needed, and what depends on it.
static mote_result keep_points(mote_neighbors *search, const mote_points *points, point_radii radii, mote_error *error)
{
    search->structure_radius = search->radius;
    if (!mote_search_keeps_points(search)) return MOTE_OK;
    mote_result result = mote_point_store_fill(search->context, &search->points, points, radii, error);
    if (result != MOTE_OK) return result;
    if (radii.first) search->structure_radius = search->points.max_radius;
    if (!mote_search_has(search, MOTE_NEIGHBORS_PERIODIC)) return result;
    double reach = mote_pair_reach(search, search->structure_radius, search->structure_radius);
    result = mote_periodic_reach_check(&search->box, reach, error);
    if (result != MOTE_OK) return result;
    return mote_periodic_box_check(&search->box, points->dimensions, &search->points.bounds, "points", error);
}

// Makes the object empty: an update must succeed before any other call.
static void forget_points(mote_neighbors *search)
{
    search->has_points = false;
    search->count = 0;
    mote_sets_forget(search);
    mote_latest_lists_forget(search);
}

static mote_result choose_method(mote_neighbors *search, const mote_points *points, point_radii radii)
{
    if (!search->chooser) return MOTE_OK;
    return run_method(search, search->chooser->choose(search, points, radii));
}

static mote_result update(mote_neighbors *search, mote_points points, point_radii radii, mote_error *error)
{
    forget_points(search);
    mote_result result = check_points(search, &points, "points", error);
    if (result == MOTE_OK) result = check_radii(search, &points, radii, "points", error);
    if (result != MOTE_OK) return result;
    search->count = points.count;
    search->dimensions = points.dimensions;
    search->counters.moved = 0;
    search->nearest.is_built = false;
    const bool by_box = search->scalar == MOTE_F64;  // double points are kept whatever the method, with their box
    if (!by_box) result = choose_method(search, &points, radii);
    if (result == MOTE_OK) result = keep_points(search, &points, radii, error);
    if (result == MOTE_OK && by_box) result = choose_method(search, &points, radii);
    bool rebuilt = true;
    if (result == MOTE_OK) result = search->skin ? mote_skin_update(search, &rebuilt, error) : MOTE_OK;
    bool builds = !search->skin || mote_search_has(search, MOTE_NEIGHBORS_NEAREST);  // the k nearest do not use a skin
    if (result == MOTE_OK && builds) result = search->method->build(search, &points, error);
    if (result == MOTE_OK && rebuilt) search->counters.rebuilds += 1;
    if (result == MOTE_ERROR_OUT_OF_MEMORY) out_of_memory("the points' structure", error);
    search->has_points = result == MOTE_OK;
    if (result != MOTE_OK) forget_points(search);
    MOTE_VALIDATE(result != MOTE_OK || mote_neighbors_validate(search, error) != MOTE_ERROR_STATE);
    return result;
}

mote_result mote_neighbors_update(mote_neighbors *search, mote_points points, mote_error *error)
{
    if (!search) return mote_fail_null(error, "neighbors", "the object");
    return update(search, points, (point_radii){.first = NULL}, error);
}

mote_result mote_neighbors_update_radii(mote_neighbors *search, mote_points points, const void *radii, ptrdiff_t stride,
                                        mote_error *error)
{
    if (!search) return mote_fail_null(error, "neighbors", "the object");
    if (!radii && points.count) {
        forget_points(search);
        return refuse_null(search, "radii", error);
    }
    return update(search, points, (point_radii){radii, stride, search->is_within_skin}, error);
}

mote_result mote_neighbors_set_period(mote_neighbors *search, const mote_vec3 period[3], mote_vec3 origin,
                                      mote_error *error)
{
    if (!search || !period) return refuse_null(search, "period", error);
    if (!mote_search_has(search, MOTE_NEIGHBORS_PERIODIC))
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0,
                         "period: expected MOTE_NEIGHBORS_PERIODIC in the def's features");
    periodic_box box;
    mote_result result = mote_periodic_box_make(period, origin, &box, error);
    if (result != MOTE_OK) return result;
    search->box = box;
    for (int a = 0; a < 3; ++a) search->def.period[a] = period[a];
    search->def.period_origin = origin;
    forget_points(search);
    result = search->skin ? mote_skin_set_period(search, error) : MOTE_OK;
    return result == MOTE_OK ? mote_sets_set_period(search, error) : result;
}

mote_result mote_neighbors_set_radius(mote_neighbors *search, double radius, mote_error *error)
{
    if (!search) return refuse_null(search, "radius", error);
    if (mote_search_has(search, MOTE_NEIGHBORS_RADII))
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0, "radius: every point has its own (MOTE_NEIGHBORS_RADII)");
    mote_neighbors_def def = search->def;
    const neighbors_method *method;
    periodic_box box;
    def.radius = radius;
    mote_result result = mote_neighbors_def_check(&def, &method, &box, error);
    if (result != MOTE_OK) return result;
    take_radius(search, radius);
    forget_points(search);
    return search->skin ? mote_skin_set_radius(search, error) : MOTE_OK;
}

// ------------------------------------------------------------------------------------------------------------ rows

static mote_result check_ready(mote_neighbors *search, uint32_t feature, const char *what, mote_error *error)
{
    if (!mote_search_has(search, feature) && feature)
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0, "neighbors: %s in the def's features", what);
    if (search->has_points) return MOTE_OK;
    if (mote_sets_are_held(search)) return mote_sets_refuse(search, error);
    return mote_fail(error, MOTE_ERROR_STATE, 0, "neighbors: no points yet, expected an update before");
}

// Lists of the call before are gone from here on, even if this one fails.
static void begin_lists(mote_neighbors *search, mote_lists *lists)
{
    memset(lists, 0, sizeof *lists);
    mote_latest_lists_forget(search);
}

mote_result mote_rows_store_own(mote_neighbors *search, const row_request *request, mote_lists *lists,
                                mote_error *error)
{
    mote_latest_lists_forget(search);
    mote_kept_memory_use(search);
    mote_error failure = {0};  // the caller's error stays as it is if a second attempt succeeds
    mote_result result = mote_rows_store(search, request, &search->lists, lists, &failure);
    if (result == MOTE_ERROR_OUT_OF_MEMORY && mote_kept_memory_drop(search))  // it may be what is lacking
        result = mote_rows_store(search, request, &search->lists, lists, &failure);
    if (result != MOTE_OK && error) *error = failure;
    return result;
}

// Finds the rows of a request as the search's own lists, which can then be taken.
static mote_result store_latest(mote_neighbors *search, const row_request *request, mote_lists *lists,
                                mote_error *error)
{
    const mote_result result = mote_rows_store_own(search, request, lists, error);
    if (result == MOTE_OK) mote_latest_lists_note(search, lists);
    return result;
}

mote_result mote_neighbors_lists(mote_neighbors *search, mote_lists *lists, mote_error *error)
{
    if (!search || !lists) return refuse_null(search, "lists", error);
    begin_lists(search, lists);
    mote_result result = check_ready(search, 0, NULL, error);
    row_request request = {.count = search->count};
    return result == MOTE_OK ? store_latest(search, &request, lists, error) : result;
}

mote_result mote_neighbors_lists_in_order(mote_neighbors *search, mote_lists *lists, const uint32_t **order,
                                          mote_error *error)
{
    if (!search || !lists || !order) return refuse_null(search, lists ? "order" : "lists", error);
    begin_lists(search, lists);
    *order = NULL;
    mote_result result = check_ready(search, 0, NULL, error);
    if (result != MOTE_OK) return result;
    const uint32_t *found = mote_search_order(search);
    const row_request request = {.count = search->count, .in_order = found != NULL};
    result = store_latest(search, &request, lists, error);
    if (result == MOTE_OK) *order = found;
    return result;
}

mote_result mote_neighbors_visit(mote_neighbors *search, mote_neighbors_visitor *visitor, void *user_data,
                                 mote_error *error)
{
    if (!search || !visitor) return refuse_null(search, "visitor", error);
    mote_result result = check_ready(search, 0, NULL, error);
    if (result != MOTE_OK) return result;
    row_request request = {.count = search->count};
    result = mote_rows_visit(search, &request, visitor, user_data, error);
    return result == MOTE_ERROR_OUT_OF_MEMORY ? out_of_memory("a row", error) : result;
}

mote_result mote_neighbors_visit_groups(mote_neighbors *search, mote_neighbors_group_visitor *visitor, void *user_data,
                                        mote_error *error)
{
    if (!search || !visitor) return refuse_null(search, "visitor", error);
    mote_result result = check_ready(search, MOTE_NEIGHBORS_GROUPS, "groups, expected MOTE_NEIGHBORS_GROUPS", error);
    if (result != MOTE_OK) return result;
    search->counters.candidates = search->counters.hits = 0;
    result = search->method->visit_groups(search, visitor, user_data, error);
    return result == MOTE_ERROR_OUT_OF_MEMORY ? out_of_memory("a group", error) : result;
}

mote_result mote_neighbors_subset(mote_neighbors *search, const uint32_t *points, size_t count, mote_lists *lists,
                                  mote_error *error)
{
    if (!search || !lists || (!points && count)) return refuse_null(search, lists ? "points" : "lists", error);
    begin_lists(search, lists);
    mote_result result = check_ready(search, MOTE_NEIGHBORS_SUBSET, "a subset, expected MOTE_NEIGHBORS_SUBSET", error);
    if (result != MOTE_OK) return result;
    if (count > UINT32_MAX - 1u)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "subset: %llu points, expected at most 2^32 - 2",
                         (unsigned long long)count);
    uint32_t most = 0;
    for (size_t k = 0; k < count; ++k) most = MOTE_MAX(most, points[k]);
    for (size_t k = 0; k < count && most >= search->count; ++k)
        if (points[k] >= search->count)
            return mote_fail(error, MOTE_ERROR_ARGUMENT, k, "subset: point %u at place %llu, expected one below %llu",
                             points[k], (unsigned long long)k, (unsigned long long)search->count);
    const uint32_t none = 0;  // a request without a subset means all rows
    row_request request = {.subset = count ? points : &none, .count = count};
    return store_latest(search, &request, lists, error);
}

// Checks query points in the same way as those of an update.
static mote_result check_queries(mote_neighbors *search, const mote_points *queries, point_radii radii,
                                 mote_error *error)
{
    mote_result result = check_ready(search, MOTE_NEIGHBORS_QUERY, "queries, expected MOTE_NEIGHBORS_QUERY", error);
    if (result == MOTE_OK) result = check_points(search, queries, "queries", error);
    if (result != MOTE_OK) return result;
    if (queries->dimensions != search->dimensions && search->count)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "queries: %d dimensions, expected the points' %d",
                         queries->dimensions, search->dimensions);
    mote_box bounds;
    result = mote_points_bounds(search->context, queries, "queries", &bounds, error);
    if (result == MOTE_OK && mote_search_has(search, MOTE_NEIGHBORS_PERIODIC))
        result = mote_periodic_box_check(&search->box, queries->dimensions, &bounds, "queries", error);
    if (result == MOTE_OK && radii.first)
        result = mote_radii_check(radii, queries->count, search->scalar, "queries", error);
    if (result != MOTE_OK || !radii.first || !mote_search_has(search, MOTE_NEIGHBORS_PERIODIC)) return result;
    double largest = 0;
    for (size_t k = 0; k < queries->count; ++k)
        largest = MOTE_MAX(largest, mote_radii_get(radii, k, search->scalar));
    return mote_periodic_reach_check(&search->box, mote_pair_reach(search, largest, search->structure_radius), error);
}

static mote_result query(mote_neighbors *search, mote_points queries, point_radii radii, mote_lists *lists,
                         mote_error *error)
{
    begin_lists(search, lists);
    mote_result result = check_radii(search, &queries, radii, "queries", error);
    if (result == MOTE_OK) result = check_queries(search, &queries, radii, error);
    row_request request = {.queries = &queries, .query_radii = radii, .count = queries.count};
    return result == MOTE_OK ? store_latest(search, &request, lists, error) : result;
}

mote_result mote_neighbors_query(mote_neighbors *search, mote_points queries, mote_lists *lists, mote_error *error)
{
    if (!search || !lists) return refuse_null(search, "lists", error);
    return query(search, queries, (point_radii){.first = NULL}, lists, error);
}

mote_result mote_neighbors_query_radii(mote_neighbors *search, mote_points queries, const void *radii, ptrdiff_t stride,
                                       mote_lists *lists, mote_error *error)
{
    if (!search || !lists || (!radii && queries.count)) return refuse_null(search, lists ? "radii" : "lists", error);
    return query(search, queries, (point_radii){radii, stride, false}, lists, error);
}

// The largest number of the k nearest that a row can have, but at least 1: without periods it cannot exceed the
// number of points.
static uint32_t most_nearest(const mote_neighbors *search, const mote_points *queries, uint32_t k)
{
    const bool is_periodic = mote_search_has(search, MOTE_NEIGHBORS_PERIODIC) && mote_box_is_periodic(&search->box);
    const size_t others = search->count - (!queries && search->count);
    if (is_periodic && search->count) return k;
    return (uint32_t)MOTE_MAX(MOTE_MIN((size_t)k, others), (size_t)1);
}

mote_result mote_neighbors_nearest(mote_neighbors *search, const mote_points *queries, uint32_t k, mote_lists *lists,
                                   mote_error *error)
{
    if (!search || !lists) return refuse_null(search, "lists", error);
    begin_lists(search, lists);
    mote_result result =
        check_ready(search, MOTE_NEIGHBORS_NEAREST, "k nearest, expected MOTE_NEIGHBORS_NEAREST", error);
    if (result != MOTE_OK) return result;
    if (k == 0) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "nearest: k is 0, expected 1 or more");
    row_request request = {.queries = queries, .count = search->count, .nearest = most_nearest(search, queries, k)};
    if (queries) {
        result = check_queries(search, queries, (point_radii){.first = NULL}, error);
        request.count = queries->count;
    }
    return result == MOTE_OK ? store_latest(search, &request, lists, error) : result;
}

// ----------------------------------------------------------------------------------------------------- inspection

mote_result mote_neighbors_permutation(mote_neighbors *search, const uint32_t **order, mote_error *error)
{
    if (!search || !order) return refuse_null(search, "order", error);
    mote_result result =
        check_ready(search, MOTE_NEIGHBORS_PERMUTATION, "a permutation, expected MOTE_NEIGHBORS_PERMUTATION", error);
    if (result != MOTE_OK) return result;
    const mote_neighbors *built = built_search(search);
    *order = built->method->permutation(built);
    return MOTE_OK;
}

mote_neighbors_counters mote_neighbors_get_counters(const mote_neighbors *search)
{
    if (!search) return (mote_neighbors_counters){0};
    mote_neighbors_counters counters = search->counters;
    counters.cells = counters.collisions = 0;
    const mote_neighbors *built = built_search(search);
    if (search->has_points && built->method->count) built->method->count(built, &counters);
    mote_sets_count(search, &counters);
    return counters;
}

size_t mote_neighbors_byte_count(const mote_neighbors *search, size_t *list_bytes)
{
    if (list_bytes) *list_bytes = 0;
    if (!search) return 0;
    if (list_bytes)
        *list_bytes = mote_rows_byte_count(search) + mote_kept_memory_byte_count(search) + search->chunk_points.bytes;
    size_t own = sizeof *search + search->method->state_bytes + search->points.memory.bytes;
    own += mote_nearest_byte_count(search);
    if (search->skin) own += mote_skin_byte_count(search);
    own += mote_sets_byte_count(search, list_bytes);
    return own + search->method->byte_count(search);
}

mote_result mote_neighbors_validate(mote_neighbors *search, mote_error *error)
{
    if (!search) return mote_fail_null(error, "neighbors", "the object");
    if (mote_sets_are_held(search)) return mote_sets_validate(search, error);
    if (!search->has_points) return MOTE_OK;
    return search->skin ? mote_skin_validate(search, error) : search->method->validate(search, error);
}
