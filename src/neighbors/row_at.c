// SPDX-License-Identifier: MIT
// Single rows, from any number of threads at once: whatever is written belongs to the caller's scratch.

#include <math.h>
#include <string.h>

#include "neighbors/collect.h"
#include "neighbors/grid_rows.h"
#include "neighbors/rows.h"
#include "neighbors/sets.h"
#include "neighbors/skin.h"

struct mote_row_scratch {
    const mote_context *context;
    row_sink sink;
    row_writer writer;
    mote_buffer memory;       // of a method's find_row
    mote_row row;             // the last one found
    mote_row_scratch *inner;  // for the rows of a skin's inner search; NULL until one is needed
};

mote_result mote_row_scratch_create(mote_context *context, mote_row_scratch **scratch, mote_error *error)
{
    if (!scratch) return mote_fail_null(error, "row scratch", "scratch");
    mote_row_scratch *made = mote_allocate(context, sizeof *made);
    if (!made) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "row scratch: no memory");
    memset(made, 0, sizeof *made);
    made->context = context;
    *scratch = made;
    return MOTE_OK;
}

void mote_row_scratch_destroy(mote_row_scratch *scratch)
{
    if (!scratch) return;
    const mote_context *context = scratch->context;
    mote_row_scratch_destroy(scratch->inner);
    mote_row_writer_release(context, &scratch->writer);
    mote_cell_rows_release_memory(context, &scratch->memory);
    mote_release(context, scratch, sizeof *scratch);
}

size_t mote_row_scratch_byte_count(const mote_row_scratch *scratch)
{
    if (!scratch) return 0;
    const row_writer *writer = &scratch->writer;
    return sizeof *scratch + writer->scratch.bytes + writer->hits.bytes + writer->columns.bytes + writer->keys.bytes +
           mote_cell_rows_memory_bytes(&scratch->memory) + mote_row_scratch_byte_count(scratch->inner);
}

static void keep_row(void *user_data, mote_row row, uint32_t worker)
{
    (void)worker;
    mote_row_scratch *scratch = user_data;
    scratch->row = row;
}

static mote_result find_row(const mote_neighbors *search, const row_request *request, mote_row_scratch *scratch);

// Finds the inner search's row around the points of the last rebuild, and filters it.
static mote_result find_within_skin(const mote_neighbors *search, const row_request *request,
                                    mote_row_scratch *scratch)
{
    if (!scratch->inner) {
        mote_context *context = (mote_context *)(uintptr_t)scratch->context;
        mote_result result = mote_row_scratch_create(context, &scratch->inner, NULL);
        if (result != MOTE_OK) return result;
    }
    row_request wide = *request;
    float radius_f32;
    double radius;
    if (request->query_radii.first) {
        radius = mote_skin_enlarged(search, mote_radii_get(request->query_radii, 0, search->scalar));
        radius_f32 = (float)radius;
        const bool is_f32 = search->scalar == MOTE_F32;
        wide.query_radii.first = is_f32 ? (const void *)&radius_f32 : (const void *)&radius;
    }
    mote_result result = find_row(mote_skin_inner(search), &wide, scratch->inner);
    if (result == MOTE_OK) mote_skin_filter_row(search, request, scratch->inner->row, &scratch->writer);
    return result;
}

// Finds the only row of the request.
static mote_result find_row(const mote_neighbors *search, const row_request *request, mote_row_scratch *scratch)
{
    const neighbors_method *method = search->method;
    row_writer *writer = &scratch->writer;
    mote_result result = MOTE_OK;
    scratch->sink = mote_row_sink_make(search, request);
    scratch->sink.visitor = keep_row;
    scratch->sink.user_data = scratch;
    writer->sink = &scratch->sink;
    if (search->skin) {
        result = find_within_skin(search, request, scratch);
    } else if (method->find_row) {
        method->find_row(search, request, writer, &scratch->memory);
    } else {
        const row_query query = mote_request_get(search, request, 0);
        row_collector collector;
        if (!mote_collect_begin(&collector, search, &query, writer)) return MOTE_ERROR_OUT_OF_MEMORY;
        method->candidates(search, &collector);
        if (!mote_collect_end(&collector)) return MOTE_ERROR_OUT_OF_MEMORY;
    }
    return atomic_load(&scratch->sink.out_of_memory) ? MOTE_ERROR_OUT_OF_MEMORY : result;
}

// Checks what both calls share.
static mote_result check_call(const mote_neighbors *search, uint32_t feature, const char *name,
                              const mote_row_scratch *scratch, const mote_row *row, mote_error *error)
{
    if (!search) return mote_fail_null(error, "neighbors", "the object");
    if (!scratch || !row) return mote_fail_null(error, "neighbors", scratch ? "row" : "scratch");
    if (!mote_search_has(search, feature))
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0, "neighbors: a single row, expected %s in the def's features",
                         name);
    if (search->has_points) return MOTE_OK;
    if (mote_sets_are_held(search))
        return mote_fail(error, MOTE_ERROR_STATE, 0,
                         "neighbors: a single row of a search that holds sets, expected that of one set "
                         "(mote_neighbors_search_of_set)");
    return mote_fail(error, MOTE_ERROR_STATE, 0, "neighbors: no points yet, expected an update before");
}

static mote_result hand_over(mote_result result, uint32_t number, const mote_row_scratch *scratch, mote_row *row,
                             mote_error *error)
{
    if (result != MOTE_OK) return mote_fail(error, result, 0, "neighbors: no memory for a row");
    *row = scratch->row;
    row->index = number;
    return MOTE_OK;
}

mote_result mote_neighbors_row_of(const mote_neighbors *search, uint32_t point, mote_row_scratch *scratch,
                                  mote_row *row, mote_error *error)
{
    mote_result result = check_call(search, MOTE_NEIGHBORS_SUBSET, "MOTE_NEIGHBORS_SUBSET", scratch, row, error);
    if (result != MOTE_OK) return result;
    if (point >= search->count)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "row: point %u, expected one below %llu", point,
                         (unsigned long long)search->count);
    const row_request request = {.subset = &point, .count = 1};
    return hand_over(find_row(search, &request, scratch), point, scratch, row, error);
}

static mote_result check_radius(const mote_neighbors *search, double radius, mote_error *error)
{
    const bool has_radii = mote_search_has(search, MOTE_NEIGHBORS_RADII);
    if (!has_radii && radius != 0)
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0,
                         "row: radius is %g, expected 0, as the def does not ask for MOTE_NEIGHBORS_RADII", radius);
    if (has_radii && !mote_radius_is_legal(radius, search->scalar, true))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "row: radius is %g, expected %s", radius,
                         search->scalar == MOTE_F32 ? "2^-50 to 2^62" : "2^-480 to 2^510");
    if (!has_radii || !mote_search_has(search, MOTE_NEIGHBORS_PERIODIC)) return MOTE_OK;
    return mote_periodic_reach_check(&search->box, mote_pair_reach(search, radius, search->structure_radius), error);
}

mote_result mote_neighbors_row_at(const mote_neighbors *search, const double at[3], double radius,
                                  mote_row_scratch *scratch, mote_row *row, mote_error *error)
{
    if (search && !at) return mote_fail_null(error, "neighbors", "at");
    mote_result result = check_call(search, MOTE_NEIGHBORS_QUERY, "MOTE_NEIGHBORS_QUERY", scratch, row, error);
    if (result == MOTE_OK) result = check_radius(search, radius, error);
    if (result != MOTE_OK) return result;
    const bool is_f32 = search->scalar == MOTE_F32;
    const float radius_f32 = (float)radius;
    float at_f32[3] = {0, 0, 0};
    double at_f64[3] = {0, 0, 0};
    mote_points points = {.count = 1, .scalar = search->scalar, .dimensions = search->dimensions};
    for (int k = 0; k < search->dimensions; ++k) {
        at_f32[k] = (float)at[k];
        at_f64[k] = is_f32 ? (double)at_f32[k] : at[k];
        if (!isfinite(at_f64[k]))
            return mote_fail(error, MOTE_ERROR_NOT_FINITE, (size_t)k, "row: coordinate %c is %g, expected a finite %s",
                             "xyz"[k], at[k], is_f32 ? "float" : "number");
        points.axis[k] = is_f32 ? (const void *)(at_f32 + k) : (const void *)(at_f64 + k);
    }
    const mote_vec3 corner = {at_f64[0], at_f64[1], at_f64[2]};
    const mote_box bounds = {corner, corner};
    if (mote_search_has(search, MOTE_NEIGHBORS_PERIODIC))
        result = mote_periodic_box_check(&search->box, search->dimensions, &bounds, "row", error);
    if (result != MOTE_OK) return result;
    row_request request = {.queries = &points, .count = 1};
    if (mote_search_has(search, MOTE_NEIGHBORS_RADII))
        request.query_radii.first = is_f32 ? (const void *)&radius_f32 : (const void *)&radius;
    return hand_over(find_row(search, &request, scratch), 0, scratch, row, error);
}
