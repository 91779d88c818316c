// SPDX-License-Identifier: MIT
// The k nearest of several queries that are near each other, in an open space.
//
// Walking down the tree costs more than testing points does, so a group of queries shares one walk, which gathers all
// points within some distance of the box around the queries. The distance is a guess: a little more than that of the
// k-th point from the middle of the box. A query whose k-th neighbour among the gathered points is within it is done.
// For the others, points are gathered once more, within the farthest of what they have found, which is sure.
//
// A query measures all gathered points, many at a time, and keeps the least squared distance of each of 16, 32 or 64
// columns of them. The k-th of these least ones bounds that of all, as k different points are within it. The points
// within the bound, about one and a half times as many as are wanted, are moved to the front. The number of hits before
// each is its place among them. There are hardly any branches, as prediction could not guess which point is nearer.
//
// Floats are measured by the distance test itself. Doubles are measured as floats relative to the middle of the box,
// with a margin for their rounding, and the hits are measured and compared as doubles. Bounds of boxes are exact in the
// points' precision (tree.h). The loops are compiled once for each form.

#include "base/wide.h"
#include "neighbors/tree_nearest_group.h"

#include <math.h>

enum {
    GATHERED = 640,  // most points around a group
    COLUMNS = 64,    // most columns of which the least is kept
    GATHERED_ROOM = GATHERED + COLUMNS + MOTE_WIDE_MOST,
    MOST_HITS = 96,  // a query with more points within its bound is not found
    HIT_ROOM = MOST_HITS + MOTE_WIDE_MOST
};

// By how much the squared distance of the k-th point from the middle is exceeded at first: with less, more queries are
// repeated, with more, there are more points to test.
static const double GUESS = 1.5;

_Static_assert(COLUMNS / 4 % MOTE_WIDE_MOST == 0, "vectors fill the columns");
_Static_assert((int)COLUMNS > (int)NEAREST_FEW, "the k-th least and the query itself are least ones of columns");

// Smaller or larger coordinates, relative to the middle, could not be squared as floats without loss.
static const double LEAST_SIZE = 1e-12, MOST_SIZE = 1e15;

typedef struct surroundings {
    kd_query box;                    // around the queries
    double limit;                    // squared distance from the box within which all points are gathered
    double middle[3];                // origin of relative coordinates; 0 for float points
    double error;                    // most error of a distance between floats; 0 for float points
    float low[3], high[3], limit_f;  // the box and the limit for floats, with the margin
    uint32_t count, columns;
    float at[3][GATHERED_ROOM];
    uint32_t mark[GATHERED_ROOM];  // index of a float point, place in the tree of a double point
    float squared[GATHERED_ROOM];  // distances from a query
} surroundings;

// -------------------------------------------------------------------------------------------------------- selection

// Returns the number-th least, from 1 on, of `count` numbers, a multiple of COLUMNS / 4.
static inline float select_least(const float *numbers, uint32_t count, uint32_t number)
{
    wide_f32 least = wide_all(HUGE_VALF);
    for (uint32_t n = 0; n < count; n += WIDE) {
        const wide_f32 here = wide_load(numbers + n);
        wide_u32 at_most = wide_all_u32(0);
        for (uint32_t k = 0; k < count; ++k) at_most = wide_count(at_most, wide_at_most(wide_all(numbers[k]), here));
        const wide_mask is_enough = wide_less(wide_all_u32(number - 1), at_most);
        least = wide_lesser(least, wide_select(is_enough, here, wide_all(HUGE_VALF)));
    }
    return wide_least(least);
}

// Writes the first hits in order. Room behind the end of the hits is overwritten.
static inline void put_in_order_f32(float *squared, uint32_t *index, uint32_t count, uint32_t wanted,
                                    double *to_squared, uint32_t *to_index)
{
    uint32_t place[HIT_ROOM];
    for (uint32_t n = count; n < count + WIDE; ++n) squared[n] = HUGE_VALF, index[n] = UINT32_MAX;
    for (uint32_t n = 0; n < count; n += WIDE) {
        const wide_f32 s = wide_load(squared + n);
        const wide_u32 i = wide_load(index + n);
        wide_u32 before = wide_all_u32(0);
        for (uint32_t k = 0; k < count; ++k) {
            const wide_f32 other = wide_all(squared[k]);
            const wide_mask is_tie = wide_both(wide_equal(other, s), wide_less(wide_all_u32(index[k]), i));
            before = wide_count(before, wide_either(wide_less(other, s), is_tie));
        }
        wide_store(place + n, before);
    }
    float squared_of[MOST_HITS];
    uint32_t index_of[MOST_HITS];
    for (uint32_t n = 0; n < count; ++n) squared_of[place[n]] = squared[n], index_of[place[n]] = index[n];
    for (uint32_t n = 0; n < wanted; ++n) to_squared[n] = (double)squared_of[n], to_index[n] = index_of[n];
}

static inline void put_in_order_f64(double *squared, double *index, uint32_t count, uint32_t wanted,
                                    double *to_squared, uint32_t *to_index)
{
    double place[HIT_ROOM];
    const wide_f64 one = wide_all_f64(1), zero = wide_all_f64(0);
    for (uint32_t n = count; n < count + WIDE_F64; ++n) squared[n] = HUGE_VAL, index[n] = (double)UINT32_MAX;
    for (uint32_t n = 0; n < count; n += WIDE_F64) {
        const wide_f64 s = wide_load(squared + n), i = wide_load(index + n);
        wide_f64 before = zero;
        for (uint32_t k = 0; k < count; ++k) {
            const wide_f64 other = wide_all_f64(squared[k]);
            const wide_mask_f64 is_tie = wide_both(wide_equal(other, s), wide_less(wide_all_f64(index[k]), i));
            before = before + wide_select(wide_either(wide_less(other, s), is_tie), one, zero);
        }
        wide_store(place + n, before);
    }
    double squared_of[MOST_HITS];
    uint32_t index_of[MOST_HITS];
    for (uint32_t n = 0; n < count; ++n) {
        const uint32_t at = (uint32_t)place[n];
        squared_of[at] = squared[n], index_of[at] = (uint32_t)index[n];
    }
    for (uint32_t n = 0; n < wanted; ++n) to_squared[n] = squared_of[n], to_index[n] = index_of[n];
}

// ------------------------------------------------------------------------------------------------------------ gather

// Coordinates of the points from a place of the tree on, as they are measured.
MOTE_INLINE wide_f32 load_tree(const surroundings *near, const kd_tree *tree, uint32_t place, int axis, bool is_f64)
{
    if (!is_f64) return wide_load(tree->f32[axis] + place);
    wide_f64 part[WIDE_PARTS];
    for (int p = 0; p < WIDE_PARTS; ++p)
        part[p] = wide_load(tree->f64[axis] + place + p * WIDE_F64) - near->middle[axis];
    return wide_f64_to_f32(part);
}

MOTE_INLINE wide_f32 gap_of(const surroundings *near, wide_f32 x, int axis)
{
    return wide_max(wide_max(wide_all(near->low[axis]) - x, x - wide_all(near->high[axis])), wide_all(0));
}

// Appends the points of a leaf that are within the limit. False if there are too many.
MOTE_INLINE bool gather_leaf(surroundings *near, const kd_tree *tree, uint32_t leaf, bool is_f64)
{
    const uint32_t begin = mote_kd_leaf_begin(tree, leaf), end = mote_kd_leaf_begin(tree, leaf + 1);
    if (near->count + (end - begin) > GATHERED) return false;
    for (uint32_t place = begin; place < end; place += WIDE) {
        const wide_f32 x = load_tree(near, tree, place, 0, is_f64), y = load_tree(near, tree, place, 1, is_f64);
        const wide_f32 z = load_tree(near, tree, place, 2, is_f64);
        const wide_f32 bound = wide_length_squared(gap_of(near, x, 0), gap_of(near, y, 1), gap_of(near, z, 2));
        const wide_hits hits = wide_hits_within(wide_at_most(bound, wide_all(near->limit_f)), end - place);
        const wide_u32 mark = is_f64 ? wide_all_u32(place) + wide_lane_numbers() : wide_load(tree->index + place);
        wide_store_front(near->at[0] + near->count, x, hits);
        wide_store_front(near->at[1] + near->count, y, hits);
        wide_store_front(near->at[2] + near->count, z, hits);
        wide_store_front(near->mark + near->count, mark, hits);
        near->count += (uint32_t)wide_hit_count(hits);
    }
    return true;
}

MOTE_INLINE bool gather_below(surroundings *near, const kd_tree *tree, uint32_t top, bool is_f64)
{
    const uint32_t first_leaf = mote_kd_leaf_count(tree);
    uint32_t stack[KD_MAX_LEVELS + 2];
    int depth = 0;
    stack[depth++] = top;
    while (depth > 0) {
        const uint32_t node = stack[--depth];
        if (mote_kd_bound(tree, node, &near->box, is_f64) > near->limit) continue;
        if (node < first_leaf)
            stack[depth++] = 2 * node + 1, stack[depth++] = 2 * node;
        else if (!gather_leaf(near, tree, node - first_leaf, is_f64))
            return false;
    }
    return true;
}

// Sets how the points within the limit of the box are measured. False if they are too small or too large for floats.
MOTE_INLINE bool set_measure(surroundings *near, double limit, bool is_f64)
{
    const kd_query *box = &near->box;
    near->limit = limit, near->limit_f = (float)limit, near->error = 0;
    double size = 0;
    for (int k = 0; k < 3; ++k) {
        near->middle[k] = is_f64 ? box->low[k] / 2 + box->high[k] / 2 : 0;
        near->low[k] = (float)(box->low[k] - near->middle[k]), near->high[k] = (float)(box->high[k] - near->middle[k]);
        size = MOTE_MAX(size, box->high[k] - box->low[k]);
    }
    if (!is_f64) return true;
    const double distance = sqrt(limit);
    size += distance;
    if (!(size > LEAST_SIZE && size < MOST_SIZE)) return false;
    // Coordinates up to this size are rounded by 2^-24 of it, and so are differences, squares and sums: together less
    // than a fourth of this.
    near->error = ldexp(size, -19);
    near->limit_f = (float)((distance + 2 * near->error) * (distance + 2 * near->error) * (1 + 1e-6));
    return true;
}

// Gathers all points within a squared distance of the box. False if there are too many.
MOTE_INLINE bool gather_around(surroundings *near, const kd_tree *tree, uint32_t leaf, double limit, bool is_f64)
{
    near->count = 0;
    if (!set_measure(near, limit, is_f64)) return false;
    uint32_t node = mote_kd_leaf_count(tree) + leaf;
    if (!gather_below(near, tree, node, is_f64)) return false;
    for (; node > 1; node /= 2)
        if (!gather_below(near, tree, node ^ 1, is_f64)) return false;
    for (uint32_t n = near->count; n < near->count + near->columns; ++n)
        near->at[0][n] = HUGE_VALF, near->at[1][n] = near->at[2][n] = 0;
    return true;
}

// The smallest subtree around a leaf that has enough points for a guess.
static void find_start(const kd_tree *tree, uint32_t wanted, uint32_t leaf, uint32_t *begin, uint32_t *end)
{
    uint32_t leaves = 1, first = leaf;
    do {
        first = leaf / leaves * leaves;
        *begin = mote_kd_leaf_begin(tree, first), *end = mote_kd_leaf_begin(tree, first + leaves);
        leaves *= 2;
    } while (*end - *begin < wanted + wanted / 2 && leaves <= mote_kd_leaf_count(tree));
}

// Guesses a squared distance from the box within which the neighbours of its queries are.
MOTE_INLINE double guess_limit(const kd_tree *tree, const kd_query *box, uint32_t wanted, uint32_t leaf, bool is_f64)
{
    float squared[COLUMNS];
    uint32_t begin, end, count = 0;
    find_start(tree, wanted, leaf, &begin, &end);
    for (uint32_t p = begin; p < end && count < COLUMNS; ++p) {
        float sum = 0;
        for (int k = 0; k < 3; ++k) {
            const double x = is_f64 ? tree->f64[k][p] : (double)tree->f32[k][p];
            const double d = x - (box->low[k] / 2 + box->high[k] / 2);
            sum += (float)(d * d);
        }
        squared[count++] = sum;
    }
    while (count == 0 || count % (COLUMNS / 4) != 0) squared[count++] = HUGE_VALF;
    return GUESS * (double)select_least(squared, count, wanted);
}

// ----------------------------------------------------------------------------------------------------------- queries

// Measures the points; returns a bound of the number-th least squared distance.
MOTE_INLINE float measure_around(surroundings *near, const float at[3], uint32_t number, uint32_t columns)
{
    const wide_f32 x = wide_all(at[0]), y = wide_all(at[1]), z = wide_all(at[2]);
    wide_f32 least[COLUMNS / WIDE];
    float numbers[COLUMNS];
    for (uint32_t c = 0; c < columns / WIDE; ++c) least[c] = wide_all(HUGE_VALF);
    for (uint32_t n = 0; n < near->count; n += columns)  // room is filled up with points at infinity
        for (uint32_t c = 0; c < columns / WIDE; ++c) {
            const uint32_t k = n + c * WIDE;
            const wide_f32 dx = wide_load(near->at[0] + k) - x, dy = wide_load(near->at[1] + k) - y;
            const wide_f32 squared = wide_length_squared(dx, dy, wide_load(near->at[2] + k) - z);
            wide_store(near->squared + k, squared);
            least[c] = wide_lesser(least[c], squared);
        }
    for (uint32_t c = 0; c < columns / WIDE; ++c) wide_store(numbers + c * WIDE, least[c]);
    return select_least(numbers, columns, number);
}

static inline float measure_points(surroundings *near, const float at[3], uint32_t number)
{
    if (near->columns == COLUMNS / 4) return measure_around(near, at, number, COLUMNS / 4);
    if (near->columns == COLUMNS / 2) return measure_around(near, at, number, COLUMNS / 2);
    return measure_around(near, at, number, COLUMNS);
}

// Collects the marks, and for floats the squared distances, of points within a bound, except for one with mark `self`.
// Returns how many there are, at most one vector more than MOST_HITS.
static inline uint32_t collect(const surroundings *near, float bound, uint32_t self, float *squared, uint32_t *mark)
{
    uint32_t count = 0;
    for (uint32_t n = 0; n < near->count && count <= MOST_HITS; n += WIDE) {
        const wide_f32 s = wide_load(near->squared + n);
        const wide_u32 m = wide_load(near->mark + n);
        const wide_mask is_near = wide_except(wide_at_most(s, wide_all(bound)), wide_equal(m, wide_all_u32(self)));
        if (!wide_any(is_near)) continue;
        const wide_hits hits = wide_hits_of(is_near);
        wide_store_front(squared + count, s, hits);
        wide_store_front(mark + count, m, hits);
        count += (uint32_t)wide_hit_count(hits);
    }
    return count;
}

// Measures the hits as doubles and leaves out the query itself.
static inline uint32_t measure_hits(const nearest_group *group, uint32_t q, const uint32_t *places, uint32_t count,
                                    double *squared, double *index)
{
    const kd_tree *tree = group->tree;
    const double *at = group->at[q];
    uint32_t kept = 0;
    for (uint32_t n = 0; n < count; ++n) {
        const uint32_t p = places[n];
        const double dx = tree->f64[0][p] - at[0], dy = tree->f64[1][p] - at[1], dz = tree->f64[2][p] - at[2];
        squared[kept] = (dx * dx + dy * dy) + dz * dz, index[kept] = (double)tree->index[p];
        kept += tree->index[p] != group->self[q];
    }
    return kept;
}

// Finds the nearest gathered points of a query; false if too few or too many are near.
MOTE_INLINE bool find_nearest(nearest_group *group, surroundings *near, uint32_t q, bool is_f64)
{
    const uint32_t number = group->wanted + (group->self[q] != UINT32_MAX);
    float at[3], squared[HIT_ROOM + MOTE_WIDE_MOST];
    uint32_t mark[HIT_ROOM + MOTE_WIDE_MOST];
    for (int k = 0; k < 3; ++k) at[k] = (float)(group->at[q][k] - near->middle[k]);
    float bound = measure_points(near, at, number);
    group->candidates += near->count;
    if (!(bound < HUGE_VALF)) return false;
    if (is_f64) {
        const double distance = sqrt((double)bound) + 2 * near->error;
        bound = (float)(distance * distance * (1 + 1e-6));
    }
    uint32_t count = collect(near, bound, is_f64 ? UINT32_MAX : group->self[q], squared, mark);
    if (count > MOST_HITS) return false;
    if (is_f64) {
        double exact[HIT_ROOM], index[HIT_ROOM];
        count = measure_hits(group, q, mark, count, exact, index);
        if (count < group->wanted) return false;
        put_in_order_f64(exact, index, count, group->wanted, group->squared[q], group->index[q]);
        return true;
    }
    if (count < group->wanted) return false;
    put_in_order_f32(squared, mark, count, group->wanted, group->squared[q], group->index[q]);
    return true;
}

static kd_query box_of(const nearest_group *group, const uint32_t *queries, uint32_t count)
{
    kd_query box = mote_kd_query_point(group->at[queries[0]]);
    for (uint32_t n = 1; n < count; ++n)
        for (int k = 0; k < 3; ++k) {
            box.low[k] = MOTE_MIN(box.low[k], group->at[queries[n]][k]);
            box.high[k] = MOTE_MAX(box.high[k], group->at[queries[n]][k]);
        }
    for (int k = 0; k < 3; ++k) box.low_f32[k] = (float)box.low[k], box.high_f32[k] = (float)box.high[k];
    return box;
}

MOTE_INLINE void find_all(nearest_group *group, uint32_t leaf, bool is_f64)
{
    surroundings near;
    const kd_tree *tree = group->tree;
    uint32_t open[NEAREST_GROUP], count = group->count;
    for (uint32_t q = 0; q < count; ++q) open[q] = q, group->is_found[q] = false;
    // Little more than half of the least ones are wanted, so that few points come before the last of them.
    near.columns = group->wanted < 10 ? COLUMNS / 4 : group->wanted < 20 ? COLUMNS / 2 : COLUMNS;
    near.box = box_of(group, open, count);
    double limit = guess_limit(tree, &near.box, group->wanted + (group->self[0] != UINT32_MAX), leaf, is_f64);
    for (int pass = 0; pass < 2 && count > 0; ++pass) {
        if (!gather_around(&near, tree, leaf, limit, is_f64)) return;
        const double gathered = limit;
        const uint32_t tried = count;
        for (uint32_t n = count = 0; n < tried; ++n) {
            const uint32_t q = open[n];
            if (!find_nearest(group, &near, q, is_f64)) continue;
            const double farthest = group->squared[q][group->wanted - 1];
            group->is_found[q] = farthest <= gathered;
            if (group->is_found[q]) continue;
            limit = MOTE_MAX(limit, farthest);
            open[count++] = q;
        }
        if (count > 0) near.box = box_of(group, open, count);
    }
}

void WIDE_NAME(mote_nearest_group)(nearest_group *group, uint32_t leaf)
{
    if (group->tree->is_f64)
        find_all(group, leaf, true);
    else
        find_all(group, leaf, false);
}
