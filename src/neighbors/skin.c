// SPDX-License-Identifier: MIT
// A skin: rows for radius + skin are found once and then filtered by the exact test at the current positions (Verlet
// 1967), until a point has moved half the skin from its position when the rows were found.
//
// The wider rows come from an inner search with the same method. Two points that are neighbours now were at most
// radius + skin apart then, if neither has moved more than skin/2. The allowed movement is slightly smaller, so that
// rounding never decides. A different number of points, different radii or a different box always cause a rebuild.
// Rows keep the order of the inner search.
//
// Wide rows number points by their places in the order of the inner search, in which points near each other are
// close together. Positions are brought into this order once per update, and rows are filtered in it.

#include "neighbors/skin.h"

#include <string.h>

#include "neighbors/collect.h"
#include "neighbors/lanes.h"

enum { BLOCK = 8192, ROWS = 256, AHEAD = 24 };

struct neighbors_skin {
    mote_neighbors *inner;
    point_store reference;     // the points of the last rebuild
    bool is_built, has_lists;
    bool has_told;             // the warning that the skin is of no use was given
    mote_lists lists;          // lists of the inner search, found when first needed; their indices are places
    const uint32_t *order;     // order of the inner search: the point at each place; NULL: by index
    mote_buffer place_of;
    bool has_placed;
    mote_buffer placed;        // current positions, by place
    mote_buffer radii, query_radii;  // enlarged radii
};

// ------------------------------------------------------------------------------------------------------- staleness

typedef struct moved_task {
    const point_store *now, *then;
    double limit;
    atomic_bool moved;
} moved_task;

static void check_moved(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    moved_task *task = data;
    if (atomic_load(&task->moved)) return;
    bool radii = task->now->max_radius > 0;
    for (size_t i = begin; i < end; ++i) {
        double a[3], b[3];
        mote_point_store_get(task->now, (uint32_t)i, a);
        mote_point_store_get(task->then, (uint32_t)i, b);
        double squared = mote_difference(MOTE_F64, a, b, NULL, a);
        bool same = !radii || mote_point_store_radius(task->now, (uint32_t)i) ==
                                  mote_point_store_radius(task->then, (uint32_t)i);
        if (squared <= task->limit * task->limit && same) continue;
        atomic_store(&task->moved, true);
        return;
    }
}

// Returns how far a point may move: half the skin, minus the possible rounding errors of both distance tests.
// Differences across a periodic box have the rounding errors of the box's extent.
static double movement_limit(const mote_neighbors *search, const point_store *then)
{
    const mote_box *a = &search->points.bounds, *b = &then->bounds;
    double reach = mote_pair_reach(search, search->structure_radius, search->structure_radius) + search->def.skin;
    double extent = 0;
    if (mote_search_has(search, MOTE_NEIGHBORS_PERIODIC)) {
        extent += MOTE_MAX(a->max.x, b->max.x) - MOTE_MIN(a->min.x, b->min.x);
        extent += MOTE_MAX(a->max.y, b->max.y) - MOTE_MIN(a->min.y, b->min.y);
        extent += MOTE_MAX(a->max.z, b->max.z) - MOTE_MIN(a->min.z, b->min.z);
    }
    double rounding = search->scalar == MOTE_F32 ? 0x1p-20 : 0x1p-46;
    return 0.5 * search->def.skin - rounding * (reach + extent);
}

static bool is_stale(const mote_neighbors *search)
{
    neighbors_skin *skin = search->skin;
    const point_store *now = &search->points, *then = &skin->reference;
    if (!skin->is_built || now->count != then->count || now->dimensions != then->dimensions) return true;
    if (now->count == 0) return false;
    moved_task task = {.now = now, .then = then, .limit = movement_limit(search, then)};
    if (!(task.limit > 0)) {
        if (!skin->has_told)
            mote_log_message(search->context, "neighbors: coordinates are so large that rounding takes the skin of %g "
                             "away: every update rebuilds", search->def.skin);
        skin->has_told = true;
        return true;
    }
    atomic_init(&task.moved, false);
    mote_parallel_for(search->context, now->count, BLOCK, check_moved, &task);
    return atomic_load(&task.moved);
}

// -------------------------------------------------------------------------------------------------------- rebuilds

// According to the rule: if radii are summed, each of the two gets half of the skin.
double mote_skin_enlarged(const mote_neighbors *search, double radius)
{
    return radius + (search->def.radius_rule == MOTE_RADIUS_SUM ? 0.5 * search->def.skin : search->def.skin);
}

// Enlarges all radii by the skin.
static mote_result enlarge(const mote_neighbors *search, point_radii radii, size_t count, mote_buffer *enlarged)
{
    mote_result result = mote_buffer_reserve(search->context, enlarged, mote_bytes(count + 1, sizeof(double)), 0);
    if (result != MOTE_OK) return result;
    for (size_t i = 0; i < count; ++i) {
        const double radius = mote_skin_enlarged(search, mote_radii_get(radii, i, search->scalar));
        if (search->scalar == MOTE_F32)
            ((float *)enlarged->data)[i] = (float)radius;
        else
            ((double *)enlarged->data)[i] = radius;
    }
    return MOTE_OK;
}

static mote_result rebuild(mote_neighbors *search, mote_error *error)
{
    neighbors_skin *skin = search->skin;
    const point_store *now = &search->points;
    point_radii radii = mote_point_store_radii(now);
    mote_points points = mote_point_store_view(now);
    mote_result result = mote_point_store_fill(search->context, &skin->reference, &points, radii, error);
    if (result != MOTE_OK) return result;
    if (!mote_search_has(search, MOTE_NEIGHBORS_RADII)) {
        result = mote_neighbors_update(skin->inner, points, error);
    } else {
        result = enlarge(search, radii, now->count, &skin->radii);
        if (result == MOTE_OK)
            result = mote_neighbors_update_radii(skin->inner, points, skin->radii.data, radii.stride, error);
    }
    return result;
}

mote_result mote_skin_update(mote_neighbors *search, bool *rebuilt, mote_error *error)
{
    neighbors_skin *skin = search->skin;
    *rebuilt = is_stale(search);
    skin->has_placed = false;
    if (!*rebuilt) return MOTE_OK;
    skin->has_lists = false;
    mote_result result = rebuild(search, error);
    skin->is_built = result == MOTE_OK;
    return result;
}

mote_result mote_skin_set_radius(mote_neighbors *search, mote_error *error)
{
    search->skin->is_built = false;
    return mote_neighbors_set_radius(search->skin->inner, search->def.radius + search->def.skin, error);
}

mote_result mote_skin_set_period(mote_neighbors *search, mote_error *error)
{
    search->skin->is_built = false;
    return mote_neighbors_set_period(search->skin->inner, search->def.period, search->def.period_origin, error);
}

// ------------------------------------------------------------------------------------------------------------ rows

typedef struct skin_task {
    mote_neighbors *search;
    const row_request *request;
    row_writer *writers;
    filter_lanes *filter;
    bool is_alike;      // the reach of a row is that of its point
    bool indices_only;  // rows hold only indices
} skin_task;

static placed_points get_placed(const mote_neighbors *search)
{
    void *placed = search->skin->placed.data;
    return search->scalar == MOTE_F64 ? (placed_points){.f64 = placed} : (placed_points){.f32 = placed};
}

static void place_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const mote_neighbors *search = data;
    const point_store *points = &search->points;
    const uint32_t *order = search->skin->order;
    const placed_points placed = get_placed(search);
    for (size_t place = begin; place < end; ++place) {
        const uint32_t i = order ? order[place] : (uint32_t)place;
        if (placed.f64)
            placed.f64[place] = (placed_point_f64){{points->f64[0][i], points->f64[1][i], points->f64[2][i]}, i};
        else
            placed.f32[place] = mote_point_place(points, i);
    }
}

static void name_places(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const neighbors_skin *skin = data;
    uint32_t *place_of = skin->place_of.data;
    for (size_t place = begin; place < end; ++place) place_of[skin->order[place]] = (uint32_t)place;
}

static void number_rows(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const neighbors_skin *skin = data;
    const uint32_t *place_of = skin->place_of.data;
    uint32_t *indices = skin->inner->lists.indices.data;
    for (size_t place = begin; place < end; ++place) {
        const uint32_t i = skin->order[place];
        uint32_t *row = indices + skin->lists.first[i];
        for (uint32_t k = 0; k < skin->lists.counts[i]; ++k) row[k] = place_of[row[k]];
    }
}

// Finds the wide rows, and converts their indices into places.
static mote_result find_wide_rows(const mote_neighbors *search, mote_error *error)
{
    neighbors_skin *skin = search->skin;
    const mote_neighbors *inner = skin->inner;
    if (skin->has_lists) return MOTE_OK;
    skin->order = inner->method->permutation ? inner->method->permutation(inner) : NULL;
    mote_result result = MOTE_OK;
    if (skin->order)
        result = mote_buffer_reserve(search->context, &skin->place_of, mote_bytes(search->count, sizeof(uint32_t)), 0);
    if (result == MOTE_OK) result = mote_neighbors_lists(skin->inner, &skin->lists, error);
    if (result != MOTE_OK || !skin->order) return result;
    mote_parallel_for(search->context, search->count, BLOCK, name_places, skin);
    mote_parallel_for(search->context, search->count, ROWS, number_rows, skin);
    return MOTE_OK;
}

// Prepares the wide rows, and the current positions in their order.
static mote_result prepare_rows(mote_neighbors *search, mote_error *error)
{
    neighbors_skin *skin = search->skin;
    mote_result result = find_wide_rows(search, error);
    skin->has_lists = result == MOTE_OK;
    if (result != MOTE_OK || skin->has_placed) return result;
    size_t each = search->scalar == MOTE_F64 ? sizeof(placed_point_f64) : sizeof(placed_point);
    result = mote_buffer_reserve(search->context, &skin->placed, mote_bytes(search->count, each), 0);
    if (result != MOTE_OK) return result;
    mote_parallel_for(search->context, search->count, BLOCK, place_block, search);
    skin->has_placed = true;
    return MOTE_OK;
}

// Computes what rows hold besides indices; `vector`: the shift as a length, or NULL.
MOTE_INLINE void measure(const mote_neighbors *search, const placed_points *placed, const row_query *query,
                         uint32_t place, const double vector[3], row_hit *hit)
{
    double at[3];
    hit->index = placed->f64 ? (uint32_t)placed->f64[place].index : placed->f32[place].index;
    for (int k = 0; k < 3; ++k) at[k] = placed->f64 ? placed->f64[place].at[k] : (double)placed->f32[place].at[k];
    hit->squared = mote_difference(search->scalar, query->at, at, vector, hit->d);
}

static row_hit *reserve_hits(const skin_task *task, row_writer *writer, size_t count)
{
    const size_t bytes = mote_bytes(count + 1, sizeof(row_hit));
    if (mote_buffer_reserve(task->search->context, &writer->hits, bytes, 0) == MOTE_OK) return writer->hits.data;
    atomic_store(&writer->sink->out_of_memory, true);
    return NULL;
}

// Filters a wide row one neighbour at a time: with shifts, or by the radii of both points.
static bool filter_any(const skin_task *task, const row_query *query, mote_row wide, row_writer *writer)
{
    const mote_neighbors *search = task->search;
    const placed_points placed = get_placed(search);
    const bool periodic = wide.shifts != NULL;
    double limit = mote_limit_squared(search, query->radius), vector[3] = {0, 0, 0};
    int32_t shift[3] = {0, 0, 0};
    row_hit *hits = reserve_hits(task, writer, wide.count);
    if (!hits) return false;
    size_t count = 0;
    for (uint32_t n = 0; n < wide.count; ++n) {
        row_hit *hit = hits + count;
        if (periodic && memcmp(shift, wide.shifts + 3 * (size_t)n, sizeof shift) != 0) {  // rarely a different one
            memcpy(shift, wide.shifts + 3 * (size_t)n, sizeof shift);
            mote_periodic_vector(&search->box, shift, search->scalar, vector);
        }
        memcpy(hit->shift, shift, sizeof shift);
        measure(search, &placed, query, wide.indices[n], periodic ? vector : NULL, hit);
        if (!task->is_alike) {
            double other = mote_point_store_radius(&search->points, hit->index);
            limit = mote_limit_squared(search, mote_pair_reach(search, query->radius, other));
        }
        count += hit->squared <= limit;
    }
    writer->candidates += wide.count;
    mote_row_write_hits(writer, query->row, hits, count, 0);
    return true;
}

// The same for a row without shifts, if the point's reach is the row's reach.
static bool filter_alike(const skin_task *task, const row_query *query, mote_row wide, row_writer *writer)
{
    static const double none[3] = {0, 0, 0};
    const mote_neighbors *search = task->search;
    filter_list list = {get_placed(search), wide.indices, wide.count, {query->at[0], query->at[1], query->at[2]}, 0};
    list.limit = mote_limit_squared(search, query->radius);
    writer->candidates += wide.count;
    if (task->indices_only) {
        uint32_t *row = mote_row_begin(writer, (size_t)wide.count + MOTE_WIDE_MOST);
        if (row) mote_row_end(writer, query->row, row, (uint32_t)task->filter(&list, false, row));
        return row != NULL;
    }
    uint32_t *places = mote_row_reserve(writer, (size_t)wide.count + MOTE_WIDE_MOST);
    row_hit *hits = reserve_hits(task, writer, wide.count);
    if (!places || !hits) return false;
    size_t count = task->filter(&list, true, places);
    for (size_t n = 0; n < count; ++n) {
        memset(hits[n].shift, 0, sizeof hits[n].shift);
        measure(search, &list.points, query, places[n], wide.shifts ? none : NULL, &hits[n]);
    }
    mote_row_write_hits(writer, query->row, hits, count, 0);
    return true;
}

// Returns the point at a place as the query of its own row.
static row_query get_placed_query(const mote_neighbors *search, uint32_t place)
{
    const placed_points placed = get_placed(search);
    row_query query = {.radius = search->radius};
    query.row = query.self = placed.f64 ? (uint32_t)placed.f64[place].index : placed.f32[place].index;
    for (int k = 0; k < 3; ++k) query.at[k] = placed.f64 ? placed.f64[place].at[k] : (double)placed.f32[place].at[k];
    if (search->points.max_radius > 0) query.radius = mote_point_store_radius(&search->points, query.self);
    return query;
}

static bool has_shifts(mote_row wide)
{
    int32_t any = 0;
    for (size_t k = 0; k < 3 * (size_t)wide.count && wide.shifts; ++k) any |= wide.shifts[k];
    return any != 0;
}

static void filter_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    const skin_task *task = data;
    const mote_neighbors *search = task->search;
    const mote_lists *lists = &search->skin->lists;
    const uint32_t *subset = task->request->subset, *order = subset ? NULL : search->skin->order;
    row_writer *writer = task->writers + worker;
    for (size_t k = begin; k < end; ++k) {
        row_query query;
        if (order) {
            query = get_placed_query(search, (uint32_t)k);
            const uint32_t ahead = order[MOTE_MIN(k + AHEAD, end - 1)];
            mote_row_prefetch(writer, ahead);
            mote_prefetch(lists->first + ahead);
            mote_prefetch(lists->counts + ahead);
        } else {
            query = mote_request_get(search, task->request, k);
        }
        const mote_row wide = mote_lists_row(lists, query.self);
        bool done = task->is_alike && !has_shifts(wide) ? filter_alike(task, &query, wide, writer)
                                                         : filter_any(task, &query, wide, writer);
        if (!done) return;
    }
}

// Filters a row of the inner search for a point or a query.
static bool filter_single(const mote_neighbors *search, const row_query *query, mote_row wide, row_writer *writer)
{
    row_collector collector;
    if (!mote_collect_begin(&collector, search, query, writer)) return false;
    for (uint32_t n = 0; n < wide.count; ++n) {
        if (!wide.shifts) {
            mote_collect_general(&collector, wide.indices[n]);
            continue;
        }
        const int32_t *shift = wide.shifts + 3 * (size_t)n;
        double vector[3];
        mote_periodic_vector(&search->box, shift, search->scalar, vector);
        mote_collect_image(&collector, wide.indices[n], shift, vector);
    }
    return mote_collect_end(&collector);
}

// Filters a row of the inner search for a query.
static void filter_query(void *data, mote_row wide, uint32_t worker)
{
    const skin_task *task = data;
    const mote_neighbors *search = task->search;
    const row_query query = mote_request_get(search, task->request, wide.index);
    filter_single(search, &query, wide, task->writers + worker);
}

// Finds the rows of queries among the points of the last rebuild, with a radius that includes their movement since
// then.
static mote_result find_for_queries(const skin_task *task, mote_error *error)
{
    const mote_neighbors *search = task->search;
    neighbors_skin *skin = search->skin;
    row_request wide = *task->request;
    if (wide.query_radii.first) {
        mote_result result = enlarge(search, wide.query_radii, wide.count, &skin->query_radii);
        if (result != MOTE_OK) return result;
        wide.query_radii.first = skin->query_radii.data;
        wide.query_radii.stride = search->scalar == MOTE_F32 ? sizeof(float) : sizeof(double);
    }
    return mote_rows_visit(skin->inner, &wide, filter_query, (void *)(uintptr_t)task, error);
}

void mote_skin_filter_row(const mote_neighbors *search, const row_request *request, mote_row wide, row_writer *writer)
{
    const row_query query = mote_request_get(search, request, 0);
    if (!filter_single(search, &query, wide, writer)) atomic_store(&writer->sink->out_of_memory, true);
}

void mote_skin_find_rows(mote_neighbors *search, const row_request *request, row_writer *writers, mote_error *error)
{
    const uint32_t columns = MOTE_NEIGHBORS_DISTANCES | MOTE_NEIGHBORS_DIFFERENCES | MOTE_NEIGHBORS_PERIODIC;
    skin_task task = {search, request, writers, .filter = mote_neighbors_lanes_choose(search->context)->filter};
    task.is_alike = !mote_search_has(search, MOTE_NEIGHBORS_RADII) || search->def.radius_rule == MOTE_RADIUS_MINE;
    task.indices_only = !mote_search_has(search, columns);
    if (request->queries) mote_rows_clear(writers->sink);  // the inner search passes on rows with neighbours alone
    mote_result result = request->queries ? find_for_queries(&task, error) : prepare_rows(search, error);
    if (result == MOTE_OK && !request->queries)
        mote_parallel_for(search->context, request->count, ROWS, filter_block, &task);
    if (result != MOTE_OK) atomic_store(&writers->sink->out_of_memory, true);
}

// ---------------------------------------------------------------------------------------------------------- public

mote_result mote_skin_create(mote_neighbors *search)
{
    const uint32_t shared = MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_RADII | MOTE_NEIGHBORS_PERIODIC | MOTE_NEIGHBORS_HALF |
                            MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_SUBSET | MOTE_NEIGHBORS_PERMUTATION;
    neighbors_skin *skin = mote_allocate(search->context, sizeof *skin);
    if (!skin) return MOTE_ERROR_OUT_OF_MEMORY;
    memset(skin, 0, sizeof *skin);
    mote_neighbors_def def = search->def;
    def.features &= shared;
    def.radius += def.skin;
    def.open_ball = false;  // this search's own test decides
    def.half_either = false;
    mote_result result = mote_neighbors_create((mote_context *)(uintptr_t)search->context, &def, &skin->inner, NULL);
    if (result != MOTE_OK) {
        mote_release(search->context, skin, sizeof *skin);
        return result;
    }
    skin->inner->is_within_skin = true;
    search->skin = skin;
    return MOTE_OK;
}

void mote_skin_destroy(mote_neighbors *search)
{
    neighbors_skin *skin = search->skin;
    if (!skin) return;
    mote_neighbors_destroy(skin->inner);
    mote_point_store_release(search->context, &skin->reference);
    mote_buffer_release(search->context, &skin->place_of);
    mote_buffer_release(search->context, &skin->placed);
    mote_buffer_release(search->context, &skin->radii);
    mote_buffer_release(search->context, &skin->query_radii);
    mote_release(search->context, skin, sizeof *skin);
}

size_t mote_skin_byte_count(const mote_neighbors *search)
{
    const neighbors_skin *skin = search->skin;
    size_t list_bytes, bytes = mote_neighbors_byte_count(skin->inner, &list_bytes);
    return sizeof *skin + bytes + list_bytes + skin->reference.memory.bytes + skin->place_of.bytes +
           skin->placed.bytes + skin->radii.bytes + skin->query_radii.bytes;
}

mote_result mote_skin_validate(mote_neighbors *search, mote_error *error)
{
    neighbors_skin *skin = search->skin;
    mote_result result = mote_neighbors_validate(skin->inner, error);
    if (result != MOTE_OK) return result;
    bool same_count = search->count == skin->reference.count && search->count == skin->inner->count;
    double limit = search->count ? movement_limit(search, &skin->reference) : 0;
    // If the skin is lost in rounding, every update rebuilds, so nothing can have moved since the last one.
    moved_task task = {.now = &search->points, .then = &skin->reference, .limit = MOTE_MAX(limit, 0.0)};
    atomic_init(&task.moved, false);
    if (same_count) mote_parallel_for(search->context, search->count, BLOCK, check_moved, &task);
    if (same_count && !atomic_load(&task.moved)) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_STATE, 0, "skin: the points have moved too far for the rows kept");
}

mote_neighbors *mote_skin_inner(const mote_neighbors *search)
{
    return search->skin->inner;
}
