// SPDX-License-Identifier: MIT
// The k nearest in a periodic box.
//
// One tree is used to search the images of all points: each image is searched by moving the query the opposite way.
// First the points are searched as they are in the tree; then, while fewer than k were found, shells of images;
// finally the images that can contain a point before the current k-th. These follow from the fractions of the box's
// edges of the query and of the points.
//
// Bounds are computed coordinate by coordinate. Coordinates that no period changes are subtracted as in the distance
// test. Coordinates that periods change are known except for the rounding errors of the test and of the move, and
// are reduced by these. Then both are squared and added with the test's own arithmetic, which is monotone: so bounds
// recognize ties, and ties are excluded by index and shift. Points far more periods away than the others are no part
// of the tree, and are tested last. Far away along an open axis, where very many periods
// tie, and where rounding errors exceed periods, every point is tested separately (best.c).

#include <math.h>
#include <string.h>

#include "neighbors/period_levels.h"
#include "neighbors/tree_nearest_box.h"

enum {
    BLOCK = 16384,
    MANY = 4096,  // with more images of all points than this, each point is tested in turn,
    MANY_A_POINT = 16,
    MANY_A_HIT = 64,
    FAR_MOST = 16  // points that are tested one by one; in large sets their number may grow with its square root
};

// ----------------------------------------------------------------------------------------------------------- index

// Tells whether a fraction is so close to 0 … 1 that the point need not be moved.
static bool is_about_inside(double fraction)
{
    return fraction >= -0.5 && fraction <= 1.5;
}

// Returns the periods by which a position is moved next to the middle points, and its fractions there.
static image find_wrap(const periodic_box *box, const int32_t base[3], const double at[3], double fraction[3])
{
    double from_origin[3];
    image wrap = {{0, 0, 0}};
    for (int k = 0; k < 3; ++k) from_origin[k] = at[k] - box->origin[k];
    mote_periodic_fractions(box, from_origin, fraction);
    for (int a = 0; a < 3; ++a) {
        if (!box->periodic[a]) continue;
        fraction[a] += (double)base[a];
        if (is_about_inside(fraction[a])) continue;
        const double whole = floor(fraction[a]);
        wrap.shift[a] = -(int32_t)whole;
        fraction[a] -= whole;
    }
    return wrap;
}

typedef struct wrap_task {
    const mote_neighbors *search;
    nearest_index *index;
    const uint32_t *members;  // the points of the tree; NULL: all
    double *at[3];            // the positions to which points are moved
    double *own[3];
    int32_t *shifts;
} wrap_task;

static uint32_t member_of(const wrap_task *task, size_t n)
{
    return task->members ? task->members[n] : (uint32_t)n;
}

static void find_wraps(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    wrap_task *task = data;
    const mote_neighbors *search = task->search;
    for (size_t i = begin; i < end; ++i) {
        double at[3], fraction[3], offset[3];
        mote_point_store_get(&search->points, member_of(task, i), at);
        const image wrap = find_wrap(&search->box, task->index->base, at, fraction);
        mote_periodic_offset(&search->box, wrap.shift, offset);
        for (int k = 0; k < 3; ++k) task->at[k][i] = at[k] + offset[k];
    }
}

// Stores positions and periods in leaf order.
static void order_wraps(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const wrap_task *task = data;
    for (size_t p = begin; p < end; ++p) {
        double at[3], fraction[3];
        mote_point_store_get(&task->search->points, task->index->tree.index[p], at);
        const image wrap = find_wrap(&task->search->box, task->index->base, at, fraction);
        for (int k = 0; k < 3; ++k) task->own[k][p] = at[k];
        memcpy(task->shifts + 3 * p, wrap.shift, sizeof wrap.shift);
    }
}

// Computes the ranges of the fractions and of the lengths of the moves, and whether any point is moved.
static void measure_points(const wrap_task *task, size_t count)
{
    const mote_neighbors *search = task->search;
    nearest_index *index = task->index;
    index->wraps = false;
    for (int a = 0; a < 3; ++a) index->low[a] = HUGE_VAL, index->high[a] = -HUGE_VAL, index->most[a] = 0;
    for (size_t i = 0; i < count; ++i) {
        double at[3], fraction[3], offset[3];
        mote_point_store_get(&search->points, member_of(task, i), at);
        const image wrap = find_wrap(&search->box, index->base, at, fraction);
        mote_periodic_offset(&search->box, wrap.shift, offset);
        index->wraps |= !mote_image_is_zero(&wrap);
        for (int a = 0; a < 3; ++a) {
            index->low[a] = MOTE_MIN(index->low[a], fraction[a]);
            index->high[a] = MOTE_MAX(index->high[a], fraction[a]);
            index->most[a] = MOTE_MAX(index->most[a], fabs(offset[a]));
        }
    }
}

// Returns the level of a point by the periods between it and the middle points.
static uint32_t level_of(const mote_neighbors *search, const period_levels *levels, uint32_t i)
{
    double at[3], offset[3];
    mote_point_store_get(&search->points, i, at);
    const image wrap = mote_periodic_wrap(&search->box, at);
    mote_periodic_offset(&search->box, wrap.shift, offset);
    for (int k = 0; k < 3; ++k) at[k] += offset[k];
    return mote_period_level(levels, &wrap, at);
}

// Separates the few points of the highest levels from the others.
static mote_result separate_far_points(wrap_task *task, const period_levels *levels)
{
    const mote_neighbors *search = task->search;
    nearest_index *index = task->index;
    const size_t n = search->count;
    size_t counts[PERIOD_LEVELS] = {0}, far = 0;
    index->far_count = 0, index->far = NULL;
    for (uint32_t i = 0; i < n; ++i) counts[level_of(search, levels, i)] += 1;
    uint32_t level = PERIOD_LEVELS;  // from this one on they are far
    const double most = FAR_MOST + 0.25 * sqrt((double)n);
    while (level > 1 && (double)(far + counts[level - 1]) <= most && far + counts[level - 1] < n)
        far += counts[--level];
    if (far == 0) return MOTE_OK;
    mote_result result = mote_buffer_reserve(search->context, &index->parts, mote_bytes(n, sizeof(uint32_t)), 0);
    if (result != MOTE_OK) return result;
    uint32_t *members = index->parts.data, *others = members + (n - far);
    task->members = members;
    index->far = others, index->far_count = (uint32_t)far;
    for (uint32_t i = 0; i < n; ++i)
        if (level_of(search, levels, i) < level)
            *members++ = i;
        else
            *others++ = i;
    return MOTE_OK;
}

// Returns about the spacing of as many points in the box.
static double find_spacing(const mote_neighbors *search)
{
    double least = HUGE_VAL;
    for (int a = 0; a < 3; ++a)
        if (search->box.periodic[a]) least = MOTE_MIN(least, search->box.height[a]);
    return ldexp(least, -ilogb((double)MOTE_MAX(search->count, 1u)) / 3);
}

// Makes a store of the points of the tree where they are, in the points' precision.
static mote_result copy_members(const wrap_task *task, size_t count, point_store *store)
{
    const point_store *points = &task->search->points;
    const bool f64 = points->f64[0] != NULL;
    const size_t size = f64 ? sizeof(double) : sizeof(float);
    mote_buffer *memory = &task->index->wrapped;
    mote_result result = mote_buffer_reserve(task->search->context, memory, mote_bytes(count, 3 * size), 0);
    *store = (point_store){.scalar = points->scalar, .dimensions = points->dimensions, .count = (uint32_t)count};
    for (size_t k = 0; k < 3 && result == MOTE_OK; ++k) {
        float *f32 = (float *)memory->data + k * count;
        double *doubles = (double *)memory->data + k * count;
        for (size_t i = 0; i < count; ++i) {
            if (f64)
                doubles[i] = points->f64[k][task->members[i]];
            else
                f32[i] = points->f32[k][task->members[i]];
        }
        store->f64[k] = f64 ? doubles : NULL, store->f32[k] = f64 ? NULL : f32;
    }
    return result;
}

// Replaces the places in a store by the indices of its points, which ascend with them.
static void name_members(const wrap_task *task)
{
    kd_tree *tree = &task->index->tree;
    const uint32_t nodes = 2 * mote_kd_leaf_count(tree);
    if (!task->members) return;
    for (uint32_t p = 0; p < tree->count; ++p) tree->index[p] = task->members[tree->index[p]];
    for (uint32_t node = 1; node < nodes; ++node)
        if (tree->least[node] < tree->count) tree->least[node] = task->members[tree->least[node]];
}

mote_result mote_nearest_box_build(mote_neighbors *search, nearest_index *index)
{
    const mote_context *context = search->context;
    wrap_task task = {.search = search, .index = index};
    const period_levels levels = mote_period_levels_make(search, find_spacing(search));
    memcpy(index->base, levels.middle.shift, sizeof index->base);
    mote_result result = separate_far_points(&task, &levels);
    if (result != MOTE_OK) return result;
    const size_t n = search->count - index->far_count;
    measure_points(&task, n);
    if (!index->wraps) {
        point_store store = search->points;
        if (task.members) result = copy_members(&task, n, &store);
        if (result == MOTE_OK) result = mote_kd_build(context, &index->tree, &store);
        if (result == MOTE_OK) name_members(&task);
        return result;
    }
    const size_t each = 3 * sizeof(double);
    result = mote_buffer_reserve(context, &index->wrapped, mote_bytes(n, each), 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &index->leaves, mote_bytes(n, each + 3 * sizeof(int32_t)), 0);
    if (result != MOTE_OK) return result;
    point_store store = {.scalar = MOTE_F64, .dimensions = search->dimensions, .count = (uint32_t)n};
    for (size_t k = 0; k < 3; ++k) {
        store.f64[k] = task.at[k] = (double *)index->wrapped.data + k * n;
        index->own[k] = task.own[k] = (double *)index->leaves.data + k * n;
    }
    index->shifts = task.shifts = (int32_t *)(void *)((double *)index->leaves.data + 3 * n);
    mote_parallel_for(context, n, BLOCK, find_wraps, &task);
    result = mote_kd_build(context, &index->tree, &store);
    if (result != MOTE_OK) return result;
    name_members(&task);
    mote_parallel_for(context, n, BLOCK, order_wraps, &task);
    return MOTE_OK;
}

// ---------------------------------------------------------------------------------------------------------- images

static double rounding_of(const mote_neighbors *search)
{
    return search->scalar == MOTE_F32 ? 0x1p-22 : 0x1p-51;  // four units of rounding
}

box_query mote_box_query_make(const mote_neighbors *search, const nearest_index *index, const row_query *query)
{
    const periodic_box *box = &search->box;
    box_query in_box = {.search = search, .index = index, .query = query};
    double offset[3], open = 0, error = 0;
    in_box.wrap = find_wrap(box, index->base, query->at, in_box.fraction);
    mote_periodic_offset(box, in_box.wrap.shift, offset);
    for (int k = 0; k < 3; ++k) {
        in_box.at[k] = query->at[k] + offset[k];
        in_box.moved[k] = fabs(offset[k]) + index->most[k];
        if (box->is_shifted[k]) error += (0x1p-50 + box->roundoff) * (fabs(query->at[k]) + fabs(box->origin[k]));
    }
    for (int a = 0; a < 3; ++a) {
        if (box->periodic[a]) continue;
        const double above = index->low[a] - in_box.fraction[a], below = in_box.fraction[a] - index->high[a];
        open = MOTE_MAX(open, MOTE_MAX(above, below));
    }
    in_box.open = open * (1 - 0x1p-40) - error;
    return in_box;
}

// Returns the images of the points that can contain a point within a reach of the query, along the periodic axes.
static image_range images_beside(const box_query *query, double reach)
{
    const periodic_box *box = &query->search->box;
    const nearest_index *index = query->index;
    const double rounding = rounding_of(query->search);
    double margin = 0;
    image_range range = {{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < 3; ++k) {
        if (!box->is_shifted[k]) continue;
        double length = query->moved[k] + reach;
        for (int a = 0; a < 3; ++a) {
            const double away = fmax(index->high[a] - query->fraction[a], query->fraction[a] - index->low[a]) + 1;
            if (box->periodic[a]) length += fabs(box->edge[a][k]) * (away + reach / box->height[a]);
        }
        margin += rounding * length + (0x1p-49 + box->roundoff) * (length + fabs(query->at[k]) + fabs(box->origin[k]));
    }
    for (int a = 0; a < 3; ++a) {
        if (!box->periodic[a]) continue;
        const double span = (reach + margin) / box->height[a] + 1e-9;
        mote_image_range_set(&range, a, query->fraction[a] - index->high[a] - span,
                             query->fraction[a] - index->low[a] + span);
    }
    return range;
}

// Returns the images that can contain a point within a squared distance, as computed by the test.
static image_range images_within(const box_query *query, double limit)
{
    const bool is_f32 = query->search->scalar == MOTE_F32;
    const double whole = sqrt(limit) * (1 + 4 * rounding_of(query->search)) + (is_f32 ? 0x1p-70 : 0x1p-530);
    const double open = query->open;
    if (!(open > 0) || whole == (double)INFINITY) return images_beside(query, whole);
    return images_beside(query, open < whole ? sqrt(whole - open) * sqrt(whole + open) + 0x1p-40 * whole : 0);
}

bool mote_box_query_is_inner(const box_query *query, double limit)
{
    const image_range range = images_within(query, limit);
    int32_t any = 0;
    for (int a = 0; a < 3; ++a) any |= range.low[a] | range.high[a];
    return any == 0;
}

// The tree as seen from one image of the query: the query is moved by −shift, which has the effect of moving the
// points by +shift.
typedef struct image_view {
    const box_query *query;
    int32_t shift[3];
    double at[3];       // position of that image
    double margins[3];  // error bounds of differences in coordinates that periods change
    double shrink;      // factor that covers the relative error of their last rounding
    bool is_f32;
    double vector[3];  // the shift of points that were not moved, as a length
    best_hits *best;
} image_view;

static image_view make_view(const box_query *query, const int32_t shift[3], best_hits *best)
{
    const periodic_box *box = &query->search->box;
    image_view view = {.query = query, .best = best, .is_f32 = query->search->scalar == MOTE_F32};
    const double rounding = rounding_of(query->search);
    int32_t whole[3];
    double offset[3];
    mote_periodic_offset(box, shift, offset);
    view.shrink = 1 - 2 * rounding;
    for (int k = 0; k < 3; ++k) {
        view.shift[k] = shift[k], whole[k] = shift[k] - query->wrap.shift[k];
        view.at[k] = query->at[k] - offset[k];
        double length = query->moved[k];
        for (int a = 0; a < 3; ++a) length += fabs((double)shift[a] * box->edge[a][k]);
        view.margins[k] = rounding * length + 0x1p-49 * (length + fabs(query->at[k]));
        view.margins[k] *= length > 0;  // without periods the tree and the test have the same values
    }
    mote_periodic_vector(box, whole, query->search->scalar, view.vector);
    return view;
}

// Returns a lower bound of the squared distances, as computed by the test, to points below a node.
static double bound_node(const image_view *view, uint32_t node)
{
    const kd_tree *tree = &view->query->index->tree;
    double gap[3];
    for (size_t k = 0; k < 3; ++k) {
        const size_t at = 6 * (size_t)node + k;
        const double low = tree->is_f64 ? tree->boxes_f64[at] : (double)tree->boxes_f32[at];
        const double high = tree->is_f64 ? tree->boxes_f64[at + 3] : (double)tree->boxes_f32[at + 3];
        double above = low - view->at[k], below = view->at[k] - high;
        const bool is_shifted = view->query->search->box.is_shifted[k];
        if (!is_shifted && view->is_f32) {
            above = (double)((float)low - (float)view->at[k]);
            below = (double)((float)view->at[k] - (float)high);
        }
        gap[k] = above > below ? above : below;
        if (is_shifted) gap[k] = (gap[k] - view->margins[k]) * view->shrink;
        gap[k] = gap[k] > 0 ? gap[k] : 0;
    }
    if (!view->is_f32) return (gap[0] * gap[0] + gap[1] * gap[1]) + gap[2] * gap[2];
    const float x = (float)gap[0], y = (float)gap[1], z = (float)gap[2];
    return (double)((x * x + y * y) + z * z);
}

// Tells whether nothing below the node comes before the farthest of the best hits.
static bool is_beyond(const image_view *view, uint32_t node, double bound)
{
    const best_hits *best = view->best;
    const nearest_index *index = view->query->index;
    const uint32_t least = index->tree.least[node];
    if (best->count < best->wanted) return false;
    if (bound != best->limit || least != best->last || index->wraps)
        return mote_kd_is_beyond(&index->tree, node, bound, best->limit, best->last);
    int32_t shift[3];
    for (int a = 0; a < 3; ++a) shift[a] = view->shift[a] - view->query->wrap.shift[a];
    return !mote_shift_is_less(shift, best->hits[0].shift);
}

// Tests the points of a leaf.
static void test_leaf(const image_view *view, uint32_t leaf)
{
    const box_query *query = view->query;
    const nearest_index *index = query->index;
    const kd_tree *tree = &index->tree;
    const mote_scalar scalar = query->search->scalar;
    const uint32_t begin = mote_kd_leaf_begin(tree, leaf), end = mote_kd_leaf_begin(tree, leaf + 1);
    double vector[3] = {view->vector[0], view->vector[1], view->vector[2]};
    int32_t last[3] = {0, 0, 0};  // the periods to which `vector` belongs
    for (uint32_t p = begin; p < end; ++p) {
        row_hit hit = {.index = tree->index[p]};
        double other[3];
        for (int k = 0; k < 3; ++k) {
            hit.shift[k] = view->shift[k] - query->wrap.shift[k];
            if (index->wraps)
                other[k] = index->own[k][p], hit.shift[k] += index->shifts[3 * (size_t)p + (size_t)k];
            else
                other[k] = tree->is_f64 ? tree->f64[k][p] : (double)tree->f32[k][p];
        }
        if (index->wraps && memcmp(last, index->shifts + 3 * (size_t)p, sizeof last) != 0) {
            memcpy(last, index->shifts + 3 * (size_t)p, sizeof last);
            mote_periodic_vector(&query->search->box, hit.shift, scalar, vector);
        }
        hit.squared = mote_difference(scalar, query->query->at, other, vector, hit.d);
        if (hit.squared > view->best->limit) continue;
        if (mote_keeps_pair(false, query->query->self, hit.index, hit.shift)) mote_best_add(view->best, &hit);
    }
    view->best->writer->candidates += end - begin;
}

static void find_below(const image_view *view, uint32_t node, double bound)
{
    const uint32_t first_leaf = mote_kd_leaf_count(&view->query->index->tree);
    while (!view->best->failed && !is_beyond(view, node, bound)) {
        if (node >= first_leaf) {
            test_leaf(view, node - first_leaf);
            return;
        }
        const double left = bound_node(view, 2 * node), right = bound_node(view, 2 * node + 1);
        const uint32_t near = 2 * node + (right < left);
        find_below(view, near, left < right ? left : right);
        node = near ^ 1, bound = left < right ? right : left;
    }
}

static bool holds(const image_range *range, const int32_t shift[3])
{
    bool inside = true;
    for (int a = 0; a < 3; ++a) inside &= shift[a] >= range->low[a] && shift[a] <= range->high[a];
    return inside;
}

// Returns a range that contains both ranges; the second one was searched already.
static image_range join_ranges(const image_range *range, const image_range *done)
{
    if (mote_image_count(range) == 0) return *done;
    if (mote_image_count(done) == 0) return *range;
    image_range joined;
    for (int a = 0; a < 3; ++a) {
        joined.low[a] = MOTE_MIN(range->low[a], done->low[a]);
        joined.high[a] = MOTE_MAX(range->high[a], done->high[a]);
    }
    return joined;
}

// Searches the images of a range, except those that were searched already.
static void find_in_range(const box_query *query, const image_range *range, const image_range *done, best_hits *best)
{
    int32_t shift[3];
    for (shift[0] = range->low[0]; shift[0] <= range->high[0]; ++shift[0])
        for (shift[1] = range->low[1]; shift[1] <= range->high[1]; ++shift[1])
            for (shift[2] = range->low[2]; shift[2] <= range->high[2]; ++shift[2]) {
                if (holds(done, shift)) {
                    shift[2] = done->high[2];
                    continue;
                }
                const image_view view = make_view(query, shift, best);
                find_below(&view, 1, bound_node(&view, 1));
                if (best->failed) return;
            }
}

// Tells whether rounding errors exceed whole periods, so that places in the box say little about which points are near.
static bool is_blurred(const box_query *query)
{
    const periodic_box *box = &query->search->box;
    for (int a = 0; a < 3; ++a) {
        double blur = 0;
        for (int k = 0; k < 3; ++k) {
            const double length = rounding_of(query->search) * query->moved[k] + 0x1p-49 * fabs(query->at[k]);
            blur += box->is_shifted[k] ? fabs(box->inverse[a][k]) * length : 0;
        }
        if (box->periodic[a] && !(blur < 0.25)) return true;
    }
    return false;
}

// Discards what was found, and tests every point separately instead.
static void find_one_by_one(const box_query *query, best_hits *best)
{
    best->count = 0;
    best->limit = HUGE_VAL;
    best->last = UINT32_MAX;
    mote_best_of_all(best, query->query);
}

void mote_box_query_find(const box_query *query, bool has_own, best_hits *best)
{
    const periodic_box *box = &query->search->box;
    if (is_blurred(query)) {
        find_one_by_one(query, best);
        return;
    }
    image_range done = {{1, 1, 1}, {0, 0, 0}};
    if (has_own) memset(&done, 0, sizeof done);
    const double most = MANY + MANY_A_POINT * (double)query->search->count;
    double least = HUGE_VAL;  // least height
    for (int a = 0; a < 3; ++a)
        if (box->periodic[a]) least = fmin(least, box->height[a]);
    for (double reach = 0; best->count < best->wanted && !best->failed; reach = fmax(reach + least, 1.25 * reach)) {
        const image_range beside = images_beside(query, reach), range = join_ranges(&beside, &done);
        if (mote_image_count(&range) > most + MANY_A_HIT * (double)best->wanted) {  // their distances are not numbers
            find_one_by_one(query, best);
            return;
        }
        find_in_range(query, &range, &done, best);
        done = range;
    }
    const image_range within = images_within(query, best->limit), range = join_ranges(&within, &done);
    if (best->failed) return;
    if (mote_image_count(&range) > most) {
        find_one_by_one(query, best);
        return;
    }
    find_in_range(query, &range, &done, best);
    mote_best_of_points(best, query->query, query->index->far, query->index->far_count);
}
