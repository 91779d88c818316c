// SPDX-License-Identifier: MIT
// Rows as pairs: two parallel arrays of indices, and what the rows hold besides.
//
// Rows are divided into blocks. The pairs of each block are counted, their sum gives every block its place, and the
// blocks are written at the same time. What is written is as many bytes as the pairs have, once, one row after the
// other.
//
// A search that is asked for pairs finds rows of codes where it can (pair_codes.h), else ordinary lists.

#include <math.h>
#include <string.h>

#include "neighbors/collect.h"
#include "neighbors/kept_lists.h"
#include "neighbors/lanes.h"
#include "neighbors/rows.h"

enum { ROWS = 1024 };  // rows of a block

typedef struct pairs_task {
    const mote_lists *lists;
    const mote_pair_arrays *to;
    uint64_t *first;  // of each block: the number of its pairs, then where they begin; and where the last one ends
    const coded_rows *coded;  // what writes rows of codes; NULL: ordinary lists
    const neighbors_lanes *lanes;
} pairs_task;

static bool wants_shifts(const mote_pair_arrays *to)
{
    return to->shifts || to->shifts_64;
}

static inline uint32_t point_of(const pairs_task *task, size_t i)
{
    return task->to->points ? task->to->points[i] : (uint32_t)i;
}

// Row i, with the number of its point.
static inline mote_row get_row(const pairs_task *task, size_t i)
{
    mote_row row = mote_lists_row(task->lists, (uint32_t)i);
    row.index = point_of(task, i);
    return row;
}

static bool keeps(const mote_pair_arrays *to, const mote_row *row, size_t k)
{
    return mote_keeps_pair(to->half, row->index, row->indices[k], row->shifts ? row->shifts + 3 * k : NULL);
}

static uint64_t count_half(const pairs_task *task, size_t i)
{
    const mote_row row = get_row(task, i);
    uint64_t count = 0;
    for (size_t k = 0; k < row.count; ++k) count += keeps(task->to, &row, k);
    return count;
}

static void count_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const pairs_task *task = data;
    uint64_t count = 0;
    for (size_t i = begin; i < end; ++i) count += task->to->half ? count_half(task, i) : task->lists->counts[i];
    task->first[begin / ROWS] = count;
}

// Writes the indices of pairs from place `at` on: those of row i, whose neighbours are j. Compiled for each of its
// cases.
MOTE_INLINE void put_indices_any(void *to_i, void *to_j, uint64_t at, uint32_t i, const uint32_t *j, size_t count,
                                 const bool is_64, const bool ordered)
{
    for (size_t k = 0; k < count; ++k) {
        const uint32_t from = ordered ? MOTE_MIN(i, j[k]) : i, into = ordered ? MOTE_MAX(i, j[k]) : j[k];
        if (to_i && is_64) ((int64_t *)to_i)[at + k] = from;
        if (to_j && is_64) ((int64_t *)to_j)[at + k] = into;
        if (to_i && !is_64) ((uint32_t *)to_i)[at + k] = from;
        if (to_j && !is_64) ((uint32_t *)to_j)[at + k] = into;
    }
}

static void put_indices(const mote_pair_arrays *to, uint64_t at, uint32_t i, const uint32_t *j, size_t count)
{
    void *const to_i = to->i, *const to_j = to->j;  // which nothing that is written can change
    if (to->is_64)
        put_indices_any(to_i, to_j, at, i, j, count, true, to->ordered);
    else
        put_indices_any(to_i, to_j, at, i, j, count, false, to->ordered);
}

// Gives what was written of the pairs of row i, whose neighbours are j, the other direction if i > j.
static void turn_round(const mote_pair_arrays *to, uint64_t at, uint32_t i, const uint32_t *j, size_t count,
                       bool is_f32)
{
    for (size_t k = 0; k < count; ++k) {
        const size_t first = 3 * (size_t)(at + k);
        for (size_t a = first; a < first + 3 && i > j[k]; ++a) {
            if (to->differences && is_f32) ((float *)to->differences)[a] = 0 - ((float *)to->differences)[a];
            if (to->differences && !is_f32) ((double *)to->differences)[a] = 0 - ((double *)to->differences)[a];
            if (to->shifts) to->shifts[a] = -to->shifts[a];
            if (to->shifts_64) to->shifts_64[a] = -to->shifts_64[a];
        }
    }
}

// Numbers of a row are read and written one after the other. What is written lies apart from what is read, which
// compilers must be told before they use vectors.
static void put_squares_f32(float *restrict to, const float *restrict differences, size_t count)
{
    for (size_t k = 0; k < count; ++k) {
        const float *d = differences + 3 * k;
        to[k] = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
    }
}

static void put_squares_f64(double *restrict to, const double *restrict differences, size_t count)
{
    for (size_t k = 0; k < count; ++k) {
        const double *d = differences + 3 * k;
        to[k] = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
    }
}

static void take_roots_f32(float *restrict at, size_t count)
{
    for (size_t k = 0; k < count; ++k) at[k] = sqrtf(at[k]);
}

static void take_roots_f64(double *restrict at, size_t count)
{
    for (size_t k = 0; k < count; ++k) at[k] = sqrt(at[k]);
}

// Writes squared distances, or distances if `roots` is set: from the squared ones of the row, or else from its
// differences, whose squares have the same bits (mote_difference).
static void put_distances(void *to, uint64_t at, const mote_row *row, size_t first, size_t count, bool roots)
{
    if (row->squared || row->differences) {
        float *const place = (float *)to + at;
        if (row->squared)
            memcpy(place, row->squared + first, count * sizeof *place);
        else
            put_squares_f32(place, row->differences + 3 * first, count);
        if (roots) take_roots_f32(place, count);
    } else {
        double *const place = (double *)to + at;
        if (row->squared_f64)
            memcpy(place, row->squared_f64 + first, count * sizeof *place);
        else
            put_squares_f64(place, row->differences_f64 + 3 * first, count);
        if (roots) take_roots_f64(place, count);
    }
}

static void put_wide_shifts(int64_t *to, const int32_t *shifts, size_t count)
{
    for (size_t k = 0; k < 3 * count; ++k) to[k] = shifts[k];
}

// Writes the pairs first … first + count − 1 of a row to place `at`.
static void put_pairs(const mote_pair_arrays *to, uint64_t at, const mote_row *row, size_t first, size_t count)
{
    const size_t scalar = row->squared || row->differences ? sizeof(float) : sizeof(double);
    const char *differences = row->differences ? (const void *)row->differences : row->differences_f64;
    put_indices(to, at, row->index, row->indices + first, count);
    if (to->distances) put_distances(to->distances, at, row, first, count, true);
    if (to->squared) put_distances(to->squared, at, row, first, count, false);
    if (to->differences)
        memcpy((char *)to->differences + 3 * at * scalar, differences + 3 * first * scalar, 3 * count * scalar);
    if (to->shifts) memcpy(to->shifts + 3 * at, row->shifts + 3 * first, 3 * count * sizeof *to->shifts);
    if (to->shifts_64) put_wide_shifts(to->shifts_64 + 3 * at, row->shifts + 3 * first, count);
    if (to->ordered && (to->differences || wants_shifts(to)))
        turn_round(to, at, row->index, row->indices + first, count, scalar == sizeof(float));
}

// Rows of points in random order lie anywhere.
MOTE_INLINE void prefetch_row(const mote_lists *lists, size_t i)
{
    const uint32_t *row = lists->indices + lists->first[i];
    mote_prefetch(row);
    mote_prefetch(row + PAIRS_LINE);
}

// Whole rows of both indices and nothing else, the usual case.
static void fill_indices_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const pairs_task *task = data;
    const uint64_t *at = task->first + begin / ROWS;
    task->lanes->put_indices(task->lists, task->to, begin, end, at[0], at[1]);
}

static void fill_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const pairs_task *task = data;
    const mote_pair_arrays *to = task->to;
    uint64_t at = task->first[begin / ROWS];
    for (size_t i = begin; i < end; ++i) {
        const mote_row row = get_row(task, i);
        prefetch_row(task->lists, MOTE_MIN(i + PAIRS_AHEAD, end - 1));
        const size_t at_once = to->half ? 1 : row.count;
        for (size_t k = 0; k < row.count; k += at_once) {
            if (to->half && !keeps(to, &row, k)) continue;
            put_pairs(to, at, &row, k, at_once);
            at += at_once;
        }
    }
}

static void fill_coded_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const pairs_task *task = data;
    const uint64_t *at = task->first + begin / ROWS;
    task->lanes->put_coded(task->coded, begin, end, at[0], at[1]);
}

static bool writes_any(const mote_pair_arrays *to)
{
    return to->i || to->j || to->distances || to->squared || to->differences || wants_shifts(to);
}

// Which of these writes the pairs.
static mote_range_task *choose_fill(const pairs_task *task)
{
    const mote_pair_arrays *to = task->to;
    if (task->coded) return fill_coded_block;
    const bool has_columns = to->distances || to->squared || to->differences || wants_shifts(to);
    return to->i && to->j && !to->half && !has_columns ? fill_indices_block : fill_block;
}

static mote_result refuse_column(const char *column, const char *feature, mote_error *error)
{
    return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "pairs: %s, which the lists do not have, expected %s in the def's "
                     "features", column, feature);
}

MOTE_RARE static mote_result check_columns(const mote_lists *lists, const mote_pair_arrays *to, mote_error *error)
{
    if (lists->total == 0) return MOTE_OK;
    const bool has_differences = lists->differences || lists->differences_f64;
    if ((to->distances || to->squared) && !lists->squared && !lists->squared_f64 && !has_differences)
        return refuse_column(to->distances ? "distances" : "squared distances", "MOTE_NEIGHBORS_DISTANCES", error);
    if (to->differences && !has_differences) return refuse_column("differences", "MOTE_NEIGHBORS_DIFFERENCES", error);
    if (wants_shifts(to) && !lists->shifts) return refuse_column("shifts", "MOTE_NEIGHBORS_PERIODIC", error);
    return MOTE_OK;
}

// Counts the pairs and writes them.
MOTE_RARE static mote_result write_pairs(const mote_context *context, pairs_task task, uint64_t *count,
                                         mote_error *error)
{
    const mote_lists *lists = task.lists;
    const mote_pair_arrays *to = task.to;
    const size_t blocks = mote_block_count(lists->count, ROWS), bytes = mote_bytes(blocks + 1, sizeof(uint64_t));
    mote_result result = MOTE_OK;
    task.first = mote_allocate(context, bytes);
    task.lanes = mote_neighbors_lanes_choose(context);
    if (!task.first) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "pairs: no memory to count them");
    mote_parallel_for(context, lists->count, ROWS, count_block, &task);
    uint64_t sum = 0;
    for (size_t b = 0; b < blocks; ++b) {
        const uint64_t pairs = task.first[b];
        task.first[b] = sum;
        sum += pairs;
    }
    task.first[blocks] = sum;
    MOTE_ASSERT(to->half ? sum <= lists->total : sum == lists->total);
    *count = sum;
    const bool writes = writes_any(to);
    if (writes && sum > to->capacity)
        result = mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "pairs: room for %llu, expected at least %llu",
                           (unsigned long long)to->capacity, (unsigned long long)sum);
    else if (writes && sum)
        mote_parallel_for(context, lists->count, ROWS, choose_fill(&task), &task);
    mote_release(context, task.first, bytes);
    return result;
}

mote_result mote_lists_to_pairs(mote_context *context, const mote_lists *lists, const mote_pair_arrays *to,
                                uint64_t *count, mote_error *error)
{
    if (!lists || !to || !count) return mote_fail_null(error, "pairs", !lists ? "lists" : !to ? "to" : "count");
    const mote_result result = check_columns(lists, to, error);
    return result == MOTE_OK ? write_pairs(context, (pairs_task){.lists = lists, .to = to}, count, error) : result;
}

// -------------------------------------------------------------------------------------------------- of a search

// The records from which pairs are computed; NULL if rows of codes cannot be found.
static const double *get_records(const mote_neighbors *search)
{
    const bool has_codes = search->has_points && !search->skin && search->method->records &&
                           search->count <= (size_t)1 << CODE_PLACE_BITS &&
                           !mote_search_has(search, MOTE_NEIGHBORS_HALF | MOTE_NEIGHBORS_ASCENDING);
    return has_codes ? search->method->records(search) : NULL;
}

// Finds rows of codes; there are none if they are unfit.
MOTE_RARE static mote_result find_codes(mote_neighbors *search, mote_error *error)
{
    found_pairs *pairs = &search->pairs;
    row_codes codes;
    const row_request request = {.count = search->count, .codes = &codes};
    atomic_init(&codes.is_unfit, false);
    for (int k = 0; k < 2; ++k) atomic_init(&codes.shifts[k], 0);
    const mote_result result = mote_rows_store_own(search, &request, &pairs->lists, error);
    pairs->are_in_order = false;
    pairs->are_found = pairs->are_codes = result == MOTE_OK && !atomic_load(&codes.is_unfit);
    for (int k = 0; k < 2; ++k) pairs->shifts[k] = atomic_load(&codes.shifts[k]);
    return result;
}

MOTE_RARE static mote_result find_pairs(mote_neighbors *search, bool takes_codes, mote_error *error)
{
    found_pairs *pairs = &search->pairs;
    if (pairs->are_found && !pairs->are_in_order && (takes_codes || !pairs->are_codes)) return MOTE_OK;
    mote_result result = takes_codes && get_records(search) ? find_codes(search, error) : MOTE_OK;
    if (result != MOTE_OK || (takes_codes && pairs->are_found)) return result;
    mote_lists lists;
    result = mote_neighbors_lists(search, &lists, error);
    mote_latest_lists_forget(search);  // whether lists can be taken does not depend on how pairs are found
    if (result == MOTE_OK) *pairs = (found_pairs){.lists = lists, .are_found = true};
    return result;
}

// Makes the tables of the shifts that occur.
MOTE_RARE static void make_shifts(const mote_neighbors *search, coded_rows *rows)
{
    int32_t shift[3];
    uint32_t number = 0;
    for (shift[0] = -CODE_MOST_SHIFT; shift[0] <= CODE_MOST_SHIFT; ++shift[0])
        for (shift[1] = -CODE_MOST_SHIFT; shift[1] <= CODE_MOST_SHIFT; ++shift[1])
            for (shift[2] = -CODE_MOST_SHIFT; shift[2] <= CODE_MOST_SHIFT; ++shift[2], ++number) {
                if (!(search->pairs.shifts[number / 64] >> number % 64 & 1)) continue;
                mote_periodic_vector(&search->box, shift, MOTE_F64, rows->vectors[number]);
                for (int k = 0; k < 3; ++k) rows->shifts_64[number][k] = rows->shifts[number][k] = shift[k];
            }
}

MOTE_RARE static mote_result write_coded(const mote_neighbors *search, const mote_pair_arrays *to, uint64_t *count,
                                         mote_error *error)
{
    const mote_lists *lists = &search->pairs.lists;
    const double *const *at = search->points.f64;
    coded_rows rows;
    rows.count = lists->count;
    rows.first = lists->first, rows.counts = lists->counts, rows.codes = lists->indices;
    rows.records = get_records(search);
    for (int k = 0; k < 3; ++k) rows.at[k] = at[k];
    rows.is_periodic = mote_search_has(search, MOTE_NEIGHBORS_PERIODIC);
    if (rows.is_periodic) make_shifts(search, &rows);
    rows.to = *to;
    return write_pairs(search->context, (pairs_task){lists, to, .coded = &rows}, count, error);
}

// Checks that the rows of a search have what is asked for.
MOTE_RARE static mote_result check_features(const mote_neighbors *search, const mote_pair_arrays *to, mote_error *error)
{
    static const double some[3];
    static const int32_t shift[3];
    mote_lists lists = {.total = 1};
    if (mote_search_has(search, MOTE_NEIGHBORS_DISTANCES)) lists.squared_f64 = some;
    if (mote_search_has(search, MOTE_NEIGHBORS_DIFFERENCES)) lists.differences_f64 = some;
    if (mote_search_has(search, MOTE_NEIGHBORS_PERIODIC)) lists.shifts = shift;
    return check_columns(&lists, to, error);
}

// Finds rows in the order of cells, and writes their pairs, at the same time if that can be done.
MOTE_RARE static mote_result pairs_of_cells(mote_neighbors *search, const uint32_t *order, const mote_pair_arrays *to,
                                            uint64_t *count, mote_error *error)
{
    found_pairs *pairs = &search->pairs;
    mote_pair_arrays in_order = *to;
    in_order.points = order;
    pairs_task task = {.lists = &pairs->lists, .to = &in_order};
    row_pairs at_once = {.to = &in_order, .put = mote_neighbors_lanes_choose(search->context)->put_indices};
    const row_request request = {.count = search->count, .in_order = true,
                                 .pairs = choose_fill(&task) == fill_indices_block ? &at_once : NULL};
    if (!pairs->are_found || !pairs->are_in_order) {
        const mote_result result = mote_rows_store_own(search, &request, &pairs->lists, error);
        pairs->are_found = pairs->are_in_order = result == MOTE_OK;
        pairs->are_codes = false;
        if (result != MOTE_OK) return result;
    }
    if (!at_once.is_whole) return write_pairs(search->context, task, count, error);
    *count = at_once.count;
    return MOTE_OK;
}

mote_result mote_neighbors_pairs(mote_neighbors *search, const mote_pair_arrays *to, uint64_t *count,
                                 mote_error *error)
{
    static const mote_pair_arrays none;
    if (!search || !count) return mote_fail_null(error, "neighbors", search ? "count" : "the object");
    if (!to) to = &none;
    mote_result result = check_features(search, to, error);
    if (result == MOTE_OK && to->any_order && to->points)
        result = mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "pairs: points and any_order, expected one of them");
    const uint32_t *order = result == MOTE_OK && to->any_order ? mote_search_order(search) : NULL;
    if (order) return pairs_of_cells(search, order, to, count, error);
    if (result == MOTE_OK) result = find_pairs(search, !to->half && !to->ordered && !to->points, error);
    if (result != MOTE_OK) return result;
    const found_pairs *pairs = &search->pairs;
    if (!writes_any(to) && !to->half) {
        *count = pairs->lists.total;
        return MOTE_OK;
    }
    if (pairs->are_codes) return write_coded(search, to, count, error);
    return write_pairs(search->context, (pairs_task){.lists = &pairs->lists, .to = to}, count, error);
}
