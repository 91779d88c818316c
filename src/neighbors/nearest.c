// The k nearest points, ordered by (squared distance, index, shift), by a kd-tree.
//
// In an open space the leaves are visited near ones first until none can hold a point before the k-th; float points go
// a way of their own, nearest_keys.c. Bounds are exact in the points' precision (kd.h); at equal distance a subtree is
// visited if a smaller index is in it, so that ties fall by index, and sets of coincident points cost no more than
// others.
//
// In a periodic box the tree holds the points brought into the box, in double. Images of the query look into it, in
// shells of growing reach R: two points of the box lie at most one period apart along an axis, so that the images of a
// lateral distance up to R have at most R/height + 1 periods. The search ends when the next shell lies beyond the k-th:
// its lateral distance is more than R, and along open axes it is no less than to the points' box. Bounds there are
// computed in double and widened by what the distance test may round.
//
// Far off along an open axis that width is many periods, as is the rounding of the test itself: whatever lies less to
// the side than both is a tie. Where shells grow beyond the usual, bounds are therefore kept coordinate by coordinate,
// widened by what the test rounds in that one (nothing in one that no period changes), and then squared and added by
// the test's own arithmetic, which is monotone: they tell what ties, and ties are left out by index and shift. In a box
// of right angles the search ends by such a bound, too.

#include <float.h>
#include <math.h>
#include <string.h>

#include "neighbors/collect.h"
#include "neighbors/nearest_keys.h"

enum {
    ROWS = 64,
    ROOM_AT_FIRST = 32,
    BLOCK = 16384,
    USUAL_SHELLS = 3  // of images of a periodic box
};

typedef struct nearest_task {
    mote_neighbors *search;
    const nearest_index *index;  // NULL: an open space
    const kd_tree *tree;
    const row_request *request;
    row_writer *writers;
} nearest_task;

// ------------------------------------------------------------------------------------------------- the best so far

// A heap with the worst of the best at its root, in the writer's memory.
typedef struct best_hits {
    const mote_context *context;
    row_writer *writer;
    row_hit *hits;
    size_t count, room, wanted;
    double limit;   // squared distance beyond which nothing is wanted
    uint32_t last;  // at that distance: the largest index that may be
    bool failed;
} best_hits;

static bool best_grow(best_hits *best, size_t room)
{
    mote_buffer *buffer = &best->writer->hits;
    size_t bytes = mote_bytes(MOTE_MIN(room, best->wanted), sizeof(row_hit));
    if (mote_buffer_reserve(best->context, buffer, bytes, best->count * sizeof(row_hit)) != MOTE_OK) {
        atomic_store(&best->writer->sink->out_of_memory, true);
        best->failed = true;
        return false;
    }
    best->hits = buffer->data;
    best->room = buffer->bytes / sizeof(row_hit);
    return true;
}

static bool best_begin(best_hits *best, const mote_neighbors *search, row_writer *writer, size_t wanted)
{
    *best = (best_hits){.context = search->context, .writer = writer, .wanted = wanted};
    best->limit = INFINITY;
    best->last = UINT32_MAX;
    return best_grow(best, ROOM_AT_FIRST);
}

// Puts a hit into the hole at `at` or below.
static void sift_down(row_hit *hits, size_t count, size_t at, const row_hit *hit)
{
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && mote_hit_is_nearer(hits + child, hits + child + 1);
        if (!mote_hit_is_nearer(hit, hits + child)) break;
        hits[at] = hits[child];
    }
    hits[at] = *hit;
}

static void sift_up(row_hit *hits, size_t at, const row_hit *hit)
{
    for (size_t parent; at > 0 && mote_hit_is_nearer(hits + (parent = (at - 1) / 2), hit); at = parent)
        hits[at] = hits[parent];
    hits[at] = *hit;
}

static void best_add(best_hits *best, const row_hit *hit)
{
    if (best->count < best->wanted) {
        if (best->count == best->room && !best_grow(best, 2 * best->room)) return;
        sift_up(best->hits, best->count++, hit);
        if (best->count < best->wanted) return;
    } else if (mote_hit_is_nearer(hit, best->hits)) {
        sift_down(best->hits, best->count, 0, hit);
    }
    best->limit = best->hits[0].squared;
    best->last = best->hits[0].index;
}

// Hands the row on, in order.
static void best_end(best_hits *best, const mote_neighbors *search, uint32_t row)
{
    row_hit *hits = best->hits;
    for (size_t end = best->count; end > 1;) {
        row_hit hit = hits[--end];
        hits[end] = hits[0];
        sift_down(hits, end, 0, &hit);
    }
    if (!search->is_plain || best->writer->sink->ascending) {
        mote_row_write_hits(best->writer, row, hits, best->count, (uint32_t)best->wanted);
        return;
    }
    uint32_t *indices = mote_row_begin(best->writer, best->count);
    if (!indices) {
        best->failed = true;
        return;
    }
    for (size_t k = 0; k < best->count; ++k) indices[k] = hits[k].index;
    mote_row_end(best->writer, row, indices, (uint32_t)best->count);
}

// ---------------------------------------------------------------------------------------------------- an open space

static void test_leaf_f64(const kd_tree *tree, uint32_t leaf, const row_query *query, best_hits *best)
{
    const double *x = tree->f64[0], *y = tree->f64[1], *z = tree->f64[2];
    uint32_t end = mote_kd_leaf_begin(tree, leaf + 1);
    for (uint32_t p = mote_kd_leaf_begin(tree, leaf); p < end; ++p) {
        double dx = x[p] - query->at[0], dy = y[p] - query->at[1], dz = z[p] - query->at[2];
        double squared = (dx * dx + dy * dy) + dz * dz;
        if (squared > best->limit || tree->index[p] == query->self) continue;
        row_hit hit = {tree->index[p], {0, 0, 0}, {dx, dy, dz}, squared};
        best_add(best, &hit);
    }
}

static void find_in_open_space(const nearest_task *task, const row_query *query, best_hits *best)
{
    const kd_tree *tree = task->tree;
    kd_walk walk;
    uint32_t leaf;
    mote_kd_walk_begin(&walk, tree, query->at);
    while (!best->failed && mote_kd_walk_next(&walk, best->limit, best->last, &leaf)) {
        test_leaf_f64(tree, leaf, query, best);
        best->writer->candidates += mote_kd_leaf_begin(tree, leaf + 1) - mote_kd_leaf_begin(tree, leaf);
    }
}

// --------------------------------------------------------------------------------------------------- a periodic box

// A query in a periodic box.
typedef struct box_query {
    const row_query *query;
    image wrap;         // the periods that bring it into the box
    double at[3];       // there
    double open;        // squared distance to the points along the open axes
    double margin;      // of what the distance test and the wrapping may round [m]
    double roundoff;    // the share of a distance that squaring may round
    bool is_shifted[3];  // whether any period changes the coordinate
    double margins[3];  // of the coordinates that are: what the test's difference may be off by
} box_query;

static box_query box_query_of(const nearest_task *task, const row_query *query)
{
    const mote_neighbors *search = task->search;
    const periodic_box *box = &search->box;
    const mote_box *bounds = &search->points.bounds;
    box_query in_box = {.query = query, .wrap = mote_periodic_wrap(box, query->at)};
    double vector[3], fraction[3], from_origin[3];
    mote_periodic_vector(box, in_box.wrap.shift, MOTE_F64, vector);
    const double low[3] = {bounds->min.x, bounds->min.y, bounds->min.z};
    const double high[3] = {bounds->max.x, bounds->max.y, bounds->max.z};
    double extent = 0, magnitude = 0;
    for (int k = 0; k < 3; ++k) {
        in_box.at[k] = query->at[k] + vector[k];
        from_origin[k] = in_box.at[k] - box->origin[k];
        in_box.margins[k] = fmax(fabs(high[k] - query->at[k]), fabs(low[k] - query->at[k]));
        in_box.is_shifted[k] = box->edge[0][k] != 0 || box->edge[1][k] != 0 || box->edge[2][k] != 0;
        extent += in_box.margins[k];
        magnitude += fmax(fmax(fabs(low[k]), fabs(high[k])), fabs(query->at[k])) + fabs(box->origin[k]);
    }
    const bool is_f32 = search->scalar == MOTE_F32;
    in_box.margin = (is_f32 ? 0x1p-21 : 0x1p-50) * extent + 0x1p-48 * magnitude;
    in_box.roundoff = is_f32 ? 0x1p-20 : 0x1p-48;
    for (int k = 0; k < 3; ++k)
        in_box.margins[k] = (is_f32 ? 0x1p-21 : 0x1p-50) * in_box.margins[k] + 0x1p-48 * magnitude;
    in_box.margin += is_f32 ? 0x1p-70 : 0x1p-530;  // the squares of smaller differences underflow
    mote_periodic_fractions(box, from_origin, fraction);
    for (int a = 0; a < 3; ++a) {
        if (box->periodic[a]) continue;
        double above = task->index->low[a] - fraction[a], below = fraction[a] - task->index->high[a];
        double gap = fmax(fmax(above, below), 0);
        in_box.open += gap * gap;
    }
    return in_box;
}

// What is certainly nearer than any point at this squared distance in the tree can be by the distance test, squared.
static double surely_within(const box_query *query, double squared)
{
    double distance = sqrt(squared) * (1 - query->roundoff) - query->margin;
    return distance > 0 ? distance * distance : 0;
}

// The reverse: no point that the distance test puts within the limit is farther in the tree, squared.
static double widened(const box_query *query, double limit)
{
    double distance = (sqrt(limit) + query->margin) * (1 + 2 * query->roundoff);
    return distance * distance;
}

// Tests the points of a leaf from the image of the query that is moved by −shift, so that theirs are moved by +shift.
static void test_leaf_in_image(const nearest_task *task, const box_query *query, const int32_t shift[3], uint32_t leaf,
                               best_hits *best)
{
    const mote_neighbors *search = task->search;
    const kd_tree *tree = task->tree;
    const int32_t *wraps = task->index->shifts.data;
    const uint32_t begin = mote_kd_leaf_begin(tree, leaf), end = mote_kd_leaf_begin(tree, leaf + 1);
    for (uint32_t p = begin; p < end; ++p) {
        row_hit hit = {.index = tree->index[p]};
        for (int a = 0; a < 3; ++a) hit.shift[a] = shift[a] + wraps[3 * (size_t)hit.index + (size_t)a];
        for (int a = 0; a < 3; ++a) hit.shift[a] -= query->wrap.shift[a];
        if (!mote_keeps_pair(false, query->query->self, hit.index, hit.shift)) continue;
        double other[3], vector[3];
        mote_point_store_get(&search->points, hit.index, other);
        mote_periodic_vector(&search->box, hit.shift, search->scalar, vector);
        hit.squared = mote_difference(search->scalar, query->query->at, other, vector, hit.d);
        best_add(best, &hit);
    }
    best->writer->candidates += end - begin;
}

// All points seen from there.
static void find_in_image(const nearest_task *task, const box_query *query, const int32_t shift[3], best_hits *best)
{
    double vector[3], at[3];
    mote_periodic_vector(&task->search->box, shift, MOTE_F64, vector);
    for (int k = 0; k < 3; ++k) at[k] = query->at[k] - vector[k];
    kd_walk walk;
    uint32_t leaf;
    mote_kd_walk_begin(&walk, task->tree, at);
    while (!best->failed && mote_kd_walk_next(&walk, widened(query, best->limit), UINT32_MAX, &leaf))
        test_leaf_in_image(task, query, shift, leaf, best);
}

// ------------------------------------------------------------------------------------ bounds by coordinates

// An image of the points, as find_in_image has it.
typedef struct exact_image {
    const nearest_task *task;
    const box_query *query;
    int32_t shift[3];
    double vector[3];   // in length
    double margins[3];  // of differences
    best_hits *best;
} exact_image;

static exact_image exact_image_of(const nearest_task *task, const box_query *query, const int32_t shift[3],
                                  best_hits *best)
{
    const periodic_box *box = &task->search->box;
    exact_image here = {.task = task, .query = query, .best = best};
    mote_periodic_vector(box, shift, MOTE_F64, here.vector);
    for (int k = 0; k < 3; ++k) {
        double length = 0;
        for (int a = 0; a < 3; ++a) length += fabs((double)shift[a] * box->edge[a][k]);
        here.shift[k] = shift[k];
        here.margins[k] = query->margins[k] + 0x1p-48 * length;
    }
    return here;
}

// The least differences, in size, that the test may find to points below a node.
static void find_gaps(const exact_image *here, uint32_t node, double gaps[3])
{
    const double *box = here->task->tree->boxes_f64 + 6 * (size_t)node;
    const box_query *query = here->query;
    double low[3], high[3];
    mote_difference(here->task->search->scalar, query->query->at, box, NULL, low);
    mote_difference(here->task->search->scalar, query->query->at, box + 3, NULL, high);
    for (int k = 0; k < 3; ++k) {
        if (query->is_shifted[k]) {
            low[k] = (box[k] - query->at[k]) + here->vector[k];
            high[k] = (box[3 + k] - query->at[k]) + here->vector[k];
        }
        const double gap = low[k] > 0 ? low[k] : high[k] < 0 ? -high[k] : 0;
        gaps[k] = query->is_shifted[k] ? fmax(gap * (1 - query->roundoff) - here->margins[k], 0) : gap;
    }
}

// In the test's arithmetic. What rounds a gap up there is less than find_gaps takes off.
static double square_of_gaps(const nearest_task *task, const double gaps[3])
{
    static const double zero[3] = {0, 0, 0};
    double same[3];
    return mote_difference(task->search->scalar, zero, gaps, NULL, same);
}

static double exact_bound(const exact_image *here, uint32_t node)
{
    double gaps[3];
    find_gaps(here, node, gaps);
    return square_of_gaps(here->task, gaps);
}

// Whether nothing below the node comes before the worst of the best.
static bool is_beyond(const exact_image *here, uint32_t node, double bound)
{
    const best_hits *best = here->best;
    const uint32_t least = here->task->tree->least[node];
    if (bound != best->limit || least != best->last)
        return mote_kd_is_beyond(here->task->tree, node, bound, best->limit, best->last);
    const int32_t *wrap = (const int32_t *)here->task->index->shifts.data + 3 * (size_t)least;
    int32_t shift[3];
    for (int a = 0; a < 3; ++a) shift[a] = here->shift[a] + wrap[a] - here->query->wrap.shift[a];
    return best->count == best->wanted && !mote_shift_is_less(shift, best->hits[0].shift);
}

static void find_below(const exact_image *here, uint32_t node, double bound)
{
    const uint32_t first_leaf = mote_kd_leaf_count(here->task->tree);
    if (here->best->failed || is_beyond(here, node, bound)) return;
    if (node >= first_leaf) {
        test_leaf_in_image(here->task, here->query, here->shift, node - first_leaf, here->best);
        return;
    }
    const double left = exact_bound(here, 2 * node), right = exact_bound(here, 2 * node + 1);
    const uint32_t far = 2 * node + (left <= right);
    find_below(here, far ^ 1, left <= right ? left : right);
    find_below(here, far, left <= right ? right : left);
}

static void find_in_image_exactly(const nearest_task *task, const box_query *query, const int32_t shift[3],
                                  best_hits *best)
{
    const exact_image here = exact_image_of(task, query, shift, best);
    find_below(&here, 1, exact_bound(&here, 1));
}

// Whether all images beyond these many periods come after the worst of the best, in a box of right angles.
static bool is_last_shell(const nearest_task *task, const box_query *query, const int32_t most[3], best_hits *best)
{
    const periodic_box *box = &task->search->box;
    for (int a = 0; a < 3; ++a)
        for (int k = 0; k < 3; ++k)
            if (k != a && box->edge[a][k] != 0) return false;
    for (int a = 0; a < 3; ++a)
        for (int side = -1; side <= 1 && box->periodic[a]; side += 2) {
            int32_t shift[3] = {0, 0, 0};
            double gaps[3];
            shift[a] = side * (most[a] + 1);
            const exact_image here = exact_image_of(task, query, shift, best);
            find_gaps(&here, 1, gaps);
            for (int k = 0; k < 3; ++k)
                if (k != a && box->periodic[k]) gaps[k] = 0;  // some image is right there
            if (!(square_of_gaps(task, gaps) > best->limit)) return false;
        }
    return true;
}

// ------------------------------------------------------------------------------------------------------------ shells

// Periods along each axis of the images within the reach.
static void shell_of(const periodic_box *box, double reach, int32_t most[3])
{
    for (int a = 0; a < 3; ++a)
        most[a] = box->periodic[a] ? (int32_t)fmin(reach / box->height[a] + 1 + 1e-6, 0x1p29) : 0;
}

static void find_in_box(const nearest_task *task, const row_query *query, best_hits *best)
{
    const periodic_box *box = &task->search->box;
    const double farthest = task->search->scalar == MOTE_F32 ? (double)FLT_MAX : DBL_MAX;
    box_query in_box = box_query_of(task, query);
    double least = INFINITY;  // height
    for (int a = 0; a < 3; ++a)
        if (box->periodic[a]) least = fmin(least, box->height[a]);
    int32_t done[3] = {-1, -1, -1}, most[3], shift[3];
    int shells = 0;
    for (double reach = 0;; reach = fmax(reach + least, 1.25 * reach)) {
        const bool is_exact = shells++ >= USUAL_SHELLS;
        shell_of(box, reach, most);
        for (shift[0] = -most[0]; shift[0] <= most[0]; ++shift[0])
            for (shift[1] = -most[1]; shift[1] <= most[1]; ++shift[1])
                for (shift[2] = -most[2]; shift[2] <= most[2]; ++shift[2]) {
                    bool is_done = true;  // in an earlier shell
                    for (int a = 0; a < 3; ++a) is_done &= shift[a] >= -done[a] && shift[a] <= done[a];
                    if (is_done) {
                        shift[2] = done[2];
                        continue;
                    }
                    if (is_exact)
                        find_in_image_exactly(task, &in_box, shift, best);
                    else
                        find_in_image(task, &in_box, shift, best);
                }
        memcpy(done, most, sizeof done);
        double beyond = surely_within(&in_box, reach * reach + in_box.open);
        if (best->failed) return;
        if (best->count < best->wanted) continue;
        if (beyond > fmin(best->limit, farthest) || (is_exact && is_last_shell(task, &in_box, most, best))) return;
    }
}

// ------------------------------------------------------------------------------------------------------------- rows

// Writes a row of keys that ascend.
static bool write_keys(const mote_neighbors *search, row_writer *writer, const row_query *query, const uint64_t *keys,
                       size_t count)
{
    if (search->is_plain && !writer->sink->ascending) {
        uint32_t *indices = mote_row_begin(writer, count);
        if (!indices) return false;
        for (size_t k = 0; k < count; ++k) indices[k] = (uint32_t)keys[k];
        mote_row_end(writer, query->row, indices, (uint32_t)count);
        return true;
    }
    if (mote_buffer_reserve(search->context, &writer->hits, mote_bytes(count + 1, sizeof(row_hit)), 0) != MOTE_OK) {
        atomic_store(&writer->sink->out_of_memory, true);
        return false;
    }
    row_hit *hits = writer->hits.data;
    for (size_t k = 0; k < count; ++k) {
        double other[3];
        hits[k] = (row_hit){.index = (uint32_t)keys[k]};
        mote_point_store_get(&search->points, hits[k].index, other);
        hits[k].squared = mote_difference(MOTE_F32, query->at, other, NULL, hits[k].d);
    }
    mote_row_write_hits(writer, query->row, hits, count, (uint32_t)count);
    return true;
}

static bool find_keys(const nearest_task *task, const row_query *query, uint32_t leaf, size_t wanted,
                      row_writer *writer)
{
    const mote_neighbors *search = task->search;
    mote_buffer *keys = &writer->keys;
    if (mote_buffer_reserve(search->context, keys, mote_bytes(wanted + 1, sizeof(uint64_t)), 0) != MOTE_OK) {
        atomic_store(&writer->sink->out_of_memory, true);
        return false;
    }
    if (wanted) writer->candidates += mote_nearest_keys_find(task->tree, query, leaf, keys->data, wanted);
    return write_keys(search, writer, query, keys->data, wanted);
}

static bool find_hits(const nearest_task *task, const row_query *query, size_t wanted, row_writer *writer)
{
    best_hits best;
    if (!best_begin(&best, task->search, writer, wanted)) return false;
    if (wanted && task->index)
        find_in_box(task, query, &best);
    else if (wanted)
        find_in_open_space(task, query, &best);
    if (!best.failed) best_end(&best, task->search, query->row);
    return !best.failed;
}

// Rows of the set's own points are found in leaf order, so that neighbouring rows meet the same leaves.
static void find_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    const nearest_task *task = data;
    const row_request *request = task->request;
    const kd_tree *tree = task->tree;
    const bool has_keys = !task->index && !tree->is_f64;
    const bool is_own = !request->queries && !request->subset;
    uint32_t leaf = is_own ? mote_kd_leaf_of(tree, (uint32_t)begin) : UINT32_MAX;
    for (size_t k = begin; k < end; ++k) {
        row_query query = mote_request_get(task->search, request, is_own ? tree->index[k] : k);
        size_t others = tree->count - (size_t)(query.self != UINT32_MAX);
        size_t wanted = task->index && tree->count ? request->nearest : MOTE_MIN((size_t)request->nearest, others);
        while (is_own && mote_kd_leaf_begin(tree, leaf + 1) <= k) ++leaf;
        bool is_done = has_keys ? find_keys(task, &query, leaf, wanted, task->writers + worker)
                                : find_hits(task, &query, wanted, task->writers + worker);
        if (!is_done) return;
    }
}

void mote_nearest_in_tree(mote_neighbors *search, const kd_tree *tree, const row_request *request, row_writer *writers)
{
    nearest_task task = {search, NULL, tree, request, writers};
    mote_parallel_for(search->context, request->count, ROWS, find_block, &task);
}

// ------------------------------------------------------------------------------------------------------------ index

typedef struct wrap_task {
    const mote_neighbors *search;
    double *at[3];
    int32_t *shifts;
} wrap_task;

static void wrap_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const wrap_task *task = data;
    const periodic_box *box = &task->search->box;
    for (size_t i = begin; i < end; ++i) {
        double at[3], vector[3];
        mote_point_store_get(&task->search->points, (uint32_t)i, at);
        image wrap = mote_periodic_wrap(box, at);
        mote_periodic_vector(box, wrap.shift, MOTE_F64, vector);
        for (int k = 0; k < 3; ++k) task->at[k][i] = at[k] + vector[k];
        memcpy(task->shifts + 3 * i, wrap.shift, sizeof wrap.shift);
    }
}

// The range of the points' fractions along every edge.
static void measure_fractions(const periodic_box *box, nearest_index *index)
{
    for (int a = 0; a < 3; ++a) index->low[a] = INFINITY, index->high[a] = -INFINITY;
    for (uint32_t i = 0; i < index->in_box.count; ++i) {
        double at[3], fraction[3];
        mote_point_store_get(&index->in_box, i, at);
        for (int k = 0; k < 3; ++k) at[k] -= box->origin[k];
        mote_periodic_fractions(box, at, fraction);
        for (int a = 0; a < 3; ++a) {
            index->low[a] = fmin(index->low[a], fraction[a]);
            index->high[a] = fmax(index->high[a], fraction[a]);
        }
    }
}

static mote_result build_in_box(mote_neighbors *search, nearest_index *index)
{
    size_t n = search->count;
    const mote_context *context = search->context;
    mote_result result = mote_buffer_reserve(context, &index->wrapped, mote_bytes(3 * n + 1, sizeof(double)), 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &index->shifts, mote_bytes(3 * n + 1, sizeof(int32_t)), 0);
    if (result != MOTE_OK) return result;
    wrap_task task = {.search = search, .shifts = index->shifts.data};
    for (size_t k = 0; k < 3; ++k) task.at[k] = (double *)index->wrapped.data + k * n;
    mote_parallel_for(context, n, BLOCK, wrap_block, &task);
    index->in_box = (point_store){.scalar = MOTE_F64, .dimensions = search->dimensions, .count = (uint32_t)n};
    for (int k = 0; k < 3; ++k) index->in_box.f64[k] = task.at[k];
    measure_fractions(&search->box, index);
    return mote_kd_build(context, &index->tree, &index->in_box);
}

static bool is_periodic(const mote_neighbors *search)
{
    const bool *periodic = search->box.periodic;
    return mote_search_has(search, MOTE_NEIGHBORS_PERIODIC) && (periodic[0] || periodic[1] || periodic[2]);
}

void mote_nearest_find(mote_neighbors *search, const row_request *request, row_writer *writers)
{
    nearest_index *index = &search->nearest;
    if (!index->is_built) {
        mote_result result = is_periodic(search) ? build_in_box(search, index)
                                                 : mote_kd_build(search->context, &index->tree, &search->points);
        if (result != MOTE_OK) {
            atomic_store(&writers->sink->out_of_memory, true);
            return;
        }
        index->is_built = true;
    }
    nearest_task task = {search, is_periodic(search) ? index : NULL, &index->tree, request, writers};
    mote_parallel_for(search->context, request->count, ROWS, find_block, &task);
}

void mote_nearest_release(mote_neighbors *search)
{
    mote_kd_release(search->context, &search->nearest.tree);
    mote_buffer_release(search->context, &search->nearest.wrapped);
    mote_buffer_release(search->context, &search->nearest.shifts);
}

size_t mote_nearest_byte_count(const mote_neighbors *search)
{
    const nearest_index *index = &search->nearest;
    return mote_kd_byte_count(&index->tree) + index->wrapped.bytes + index->shifts.bytes;
}
