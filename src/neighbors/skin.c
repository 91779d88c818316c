// A skin: rows for radius + skin are found once and filtered by the exact test at the present positions (Verlet 1967),
// until a point has moved half the skin from where it was when they were found.
//
// The wider rows come from a search of the same method within this one. Two points that are neighbours now were at most
// radius + skin apart then, if neither has moved more than skin/2; so that rounding never decides, a point may move by
// a little less. Another number of points, other radii or another box always rebuild. Rows keep the order that the
// inner search has them in.

#include "neighbors/skin.h"

#include <math.h>
#include <string.h>

#include "neighbors/collect.h"

enum { BLOCK = 8192, ROWS = 256 };

struct neighbors_skin {
    mote_neighbors *inner;
    point_store reference;     // the points of the last rebuild
    bool is_built, has_lists;
    mote_lists lists;          // of the inner search, found when first needed
    mote_buffer radii, query_radii;  // enlarged
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

// How far a point may move: half the skin, less what the rounding of both distance tests can amount to. Differences
// across a periodic box are rounded as the box's extent has it.
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
    const neighbors_skin *skin = search->skin;
    const point_store *now = &search->points, *then = &skin->reference;
    if (!skin->is_built || now->count != then->count || now->dimensions != then->dimensions) return true;
    if (now->count == 0) return false;
    moved_task task = {.now = now, .then = then, .limit = movement_limit(search, then)};
    if (!(task.limit > 0)) return true;
    atomic_init(&task.moved, false);
    mote_parallel_for(search->context, now->count, BLOCK, check_moved, &task);
    return atomic_load(&task.moved);
}

// -------------------------------------------------------------------------------------------------------- rebuilds

static mote_points stored_points(const point_store *store)
{
    mote_points points = {.count = store->count, .scalar = store->scalar, .dimensions = store->dimensions};
    bool f64 = store->scalar == MOTE_F64;
    for (int k = 0; k < 3; ++k) points.axis[k] = f64 ? (const void *)store->f64[k] : (const void *)store->f32[k];
    points.stride = f64 ? sizeof(double) : sizeof(float);
    return points;
}

// Radii that take the skin in, by the rule: each of two shares it where they add up.
static mote_result enlarge(const mote_neighbors *search, point_radii radii, size_t count, mote_buffer *enlarged)
{
    double add = search->def.radius_rule == MOTE_RADIUS_SUM ? 0.5 * search->def.skin : search->def.skin;
    mote_result result = mote_buffer_reserve(search->context, enlarged, mote_bytes(count + 1, sizeof(double)), 0);
    if (result != MOTE_OK) return result;
    for (size_t i = 0; i < count; ++i) {
        double radius = mote_radii_get(radii, i, search->scalar) + add;
        if (search->scalar == MOTE_F32)
            ((float *)enlarged->data)[i] = (float)radius;
        else
            ((double *)enlarged->data)[i] = radius;
    }
    return MOTE_OK;
}

static mote_result rebuild(mote_neighbors *search)
{
    neighbors_skin *skin = search->skin;
    const point_store *now = &search->points;
    point_radii radii = {now->radii_f32, sizeof(float)};
    if (now->radii_f64) radii = (point_radii){now->radii_f64, sizeof(double)};
    mote_points points = stored_points(now);
    mote_result result =
        mote_point_store_fill(search->context, &skin->reference, &points, radii, &search->error);
    if (result != MOTE_OK) return result;
    if (!mote_search_has(search, MOTE_NEIGHBORS_RADII)) {
        result = mote_neighbors_update(skin->inner, points);
    } else {
        result = enlarge(search, radii, now->count, &skin->radii);
        if (result == MOTE_OK)
            result = mote_neighbors_update_radii(skin->inner, points, skin->radii.data, radii.stride);
    }
    if (result != MOTE_OK && result != MOTE_ERROR_OUT_OF_MEMORY) search->error = skin->inner->error;
    return result;
}

mote_result mote_skin_update(mote_neighbors *search, bool *rebuilt)
{
    neighbors_skin *skin = search->skin;
    *rebuilt = is_stale(search);
    if (!*rebuilt) return MOTE_OK;
    skin->has_lists = false;
    mote_result result = rebuild(search);
    skin->is_built = result == MOTE_OK;
    return result;
}

mote_result mote_skin_set_period(mote_neighbors *search)
{
    search->skin->is_built = false;
    return mote_neighbors_set_period(search->skin->inner, search->def.period, search->def.period_origin);
}

// ------------------------------------------------------------------------------------------------------------ rows

typedef struct skin_task {
    mote_neighbors *search;
    const row_request *request;
    row_writer *writers;
} skin_task;

// Filters a row of the inner search for row k of the request. False when memory ran out.
static bool filter_row(const skin_task *task, size_t k, mote_row wide, uint32_t worker)
{
    const mote_neighbors *search = task->search;
    row_query query = mote_request_get(search, task->request, k);
    row_collector collector;
    if (!mote_collect_begin(&collector, search, &query, task->writers + worker)) return false;
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

static void filter_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    const skin_task *task = data;
    const uint32_t *subset = task->request->subset;
    for (size_t k = begin; k < end; ++k) {
        mote_row wide = mote_lists_row(&task->search->skin->lists, subset ? subset[k] : (uint32_t)k);
        if (!filter_row(task, k, wide, worker)) return;
    }
}

static void filter_query(void *data, mote_row wide, uint32_t worker)
{
    filter_row(data, wide.index, wide, worker);
}

// Queries look into the points of the last rebuild, with a radius that takes in where those are now.
static mote_result find_for_queries(const skin_task *task)
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
    return mote_rows_visit(skin->inner, &wide, filter_query, (void *)(uintptr_t)task);
}

void mote_skin_find_rows(mote_neighbors *search, const row_request *request, row_writer *writers)
{
    neighbors_skin *skin = search->skin;
    skin_task task = {search, request, writers};
    mote_result result = MOTE_OK;
    if (request->queries) {
        result = find_for_queries(&task);
    } else {
        if (!skin->has_lists) result = mote_neighbors_lists(skin->inner, &skin->lists);
        skin->has_lists = result == MOTE_OK;
        if (result == MOTE_OK) mote_parallel_for(search->context, request->count, ROWS, filter_block, &task);
    }
    if (result != MOTE_OK) atomic_store(&writers->sink->out_of_memory, true);
}

// ---------------------------------------------------------------------------------------------------------- public

mote_result mote_skin_create(mote_neighbors *search)
{
    const uint32_t shared = MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_RADII | MOTE_NEIGHBORS_PERIODIC | MOTE_NEIGHBORS_HALF |
                            MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_PERMUTATION;
    neighbors_skin *skin = mote_allocate(search->context, sizeof *skin);
    if (!skin) return MOTE_ERROR_OUT_OF_MEMORY;
    memset(skin, 0, sizeof *skin);
    mote_neighbors_def def = search->def;
    def.features &= shared;
    def.radius += def.skin;
    mote_result result = mote_neighbors_create((mote_context *)(uintptr_t)search->context, &def, &skin->inner);
    if (result != MOTE_OK) {
        mote_release(search->context, skin, sizeof *skin);
        return result;
    }
    search->skin = skin;
    return MOTE_OK;
}

void mote_skin_destroy(mote_neighbors *search)
{
    neighbors_skin *skin = search->skin;
    if (!skin) return;
    mote_neighbors_destroy(skin->inner);
    mote_point_store_release(search->context, &skin->reference);
    mote_buffer_release(search->context, &skin->radii);
    mote_buffer_release(search->context, &skin->query_radii);
    mote_release(search->context, skin, sizeof *skin);
}

size_t mote_skin_byte_count(const mote_neighbors *search)
{
    const neighbors_skin *skin = search->skin;
    size_t list_bytes, bytes = mote_neighbors_byte_count(skin->inner, &list_bytes);
    return sizeof *skin + bytes + list_bytes + skin->reference.memory.bytes + skin->radii.bytes +
           skin->query_radii.bytes;
}

mote_result mote_skin_validate(mote_neighbors *search)
{
    neighbors_skin *skin = search->skin;
    mote_result result = mote_neighbors_validate(skin->inner);
    if (result != MOTE_OK) {
        search->error = skin->inner->error;
        return result;
    }
    bool same_count = search->count == skin->reference.count && search->count == skin->inner->count;
    double limit = search->count ? movement_limit(search, &skin->reference) : 0;
    // Where the skin is lost in rounding every update rebuilds: then nothing has moved at all.
    moved_task task = {.now = &search->points, .then = &skin->reference, .limit = MOTE_MAX(limit, 0.0)};
    atomic_init(&task.moved, false);
    if (same_count) mote_parallel_for(search->context, search->count, BLOCK, check_moved, &task);
    if (same_count && !atomic_load(&task.moved)) return MOTE_OK;
    return mote_fail(&search->error, MOTE_ERROR_STATE, 0, "skin: the points have moved too far for the rows kept");
}

mote_neighbors *mote_skin_inner(const mote_neighbors *search)
{
    return search->skin->inner;
}
