// SPDX-License-Identifier: MIT
// Several sets of points in one search.
//
// Each set has a search of its own, made from the same def, so that `auto` chooses for each, and a set that has not
// changed keeps its structure. The lists of a pair of sets are lists of the one search where a set looks into itself,
// and else queries: points of one set look into the structure of the other. These points are those that were read when
// the set was built: its own search has them, or they are kept beside it.
//
// The memory of lists is kept for each pair. Pairs are numbered in shells, so that a pair keeps its number when sets
// are added: first the pair of set 0 with itself, then the others of sets 0 and 1, then the others of sets 0 to 2, and
// so on.

#include "neighbors/sets.h"

#include <string.h>

#include "neighbors/kept_lists.h"
#include "neighbors/rows.h"

#if defined(MOTE_DEBUG)
enum { COMPARES_UNCHANGED = 1 };
#else
enum { COMPARES_UNCHANGED = 0 };
#endif

enum {
    ROWS = 256,   // rows of a block of work
    SPARSE = 4    // neighbours of a row in another set for which the first call makes room
};

typedef struct set_entry {
    mote_neighbors *search;  // NULL: never built
    point_store points;      // its points as queries, unless `search` has them or no set may look into another
    uint64_t checksum;       // of its points and radii; debug builds only
} set_entry;

struct neighbors_sets {
    bool are_held;         // false: the sets were forgotten
    uint32_t count;        // sets held
    mote_buffer entries;   // set_entry, zeroed at first; more than `count` if there once were more sets
    mote_buffer memory;    // list_memory of the pairs, by number, zeroed at first
    mote_buffer pairs;     // mote_lists of the pairs, for rows as one
    mote_buffer first_row; // of each set among the rows as one, and behind the last the number of rows
};

// The sets that a call gives.
typedef struct given_sets {
    const mote_points *points;
    const void *const *radii;  // NULL: no radii
    ptrdiff_t stride;          // of all radii
    uint32_t count;
    const bool *changed;  // NULL: all have changed
} given_sets;

static set_entry *get_entry(const neighbors_sets *sets, uint32_t s)
{
    return (set_entry *)sets->entries.data + s;
}

static list_memory *get_memory(const neighbors_sets *sets, uint32_t s, uint32_t t)
{
    const size_t shell = MOTE_MAX(s, t);
    return (list_memory *)sets->memory.data + shell * shell + (s < t ? s : shell + t);
}

bool mote_sets_are_held(const mote_neighbors *search)
{
    return search->sets && search->sets->are_held;
}

void mote_sets_forget(mote_neighbors *search)
{
    neighbors_sets *sets = search->sets;
    if (!sets) return;
    sets->count = 0;
    sets->are_held = false;
}

void mote_sets_destroy(mote_neighbors *search)
{
    neighbors_sets *sets = search->sets;
    const mote_context *context = search->context;
    if (!sets) return;
    for (size_t s = 0; s < sets->entries.bytes / sizeof(set_entry); ++s) {
        set_entry *entry = (set_entry *)sets->entries.data + s;
        mote_neighbors_destroy(entry->search);
        mote_point_store_release(context, &entry->points);
    }
    for (size_t p = 0; p < sets->memory.bytes / sizeof(list_memory); ++p)
        mote_list_memory_release(context, (list_memory *)sets->memory.data + p);
    mote_buffer_release(context, &sets->entries);
    mote_buffer_release(context, &sets->memory);
    mote_buffer_release(context, &sets->pairs);
    mote_buffer_release(context, &sets->first_row);
    mote_release(context, sets, sizeof *sets);
    search->sets = NULL;
}

mote_result mote_sets_set_period(mote_neighbors *search, mote_error *error)
{
    const neighbors_sets *sets = search->sets;
    mote_result result = MOTE_OK;
    for (size_t s = 0; sets && s < sets->entries.bytes / sizeof(set_entry) && result == MOTE_OK; ++s) {
        mote_neighbors *inner = get_entry(sets, (uint32_t)s)->search;
        if (inner) result = mote_neighbors_set_period(inner, search->def.period, search->def.period_origin, error);
    }
    return result;
}

static mote_result refuse_without_sets(mote_error *error)
{
    return mote_fail(error, MOTE_ERROR_STATE, 0,
                     "neighbors: no sets yet, expected mote_neighbors_update_sets before");
}

// Makes room for `count` elements; those that are new are zero.
static mote_result reserve_zeroed(const mote_context *context, mote_buffer *buffer, size_t count, size_t size)
{
    const size_t held = buffer->bytes / size;
    if (count <= held) return MOTE_OK;
    const mote_result result = mote_buffer_reserve(context, buffer, mote_bytes(count, size), held * size);
    if (result == MOTE_OK) memset((char *)buffer->data + held * size, 0, buffer->bytes - held * size);
    return result;
}

// ---------------------------------------------------------------------------------------------------- checks

// Tells whether a set is said to be as it was, and was there.
static bool is_kept(const mote_neighbors *search, const given_sets *given, uint32_t s)
{
    return given->changed && !given->changed[s] && mote_sets_are_held(search) && s < search->sets->count;
}

static const void *get_radii(const given_sets *given, uint32_t s)
{
    return given->radii ? given->radii[s] : NULL;
}

static uint64_t compute_checksum(const given_sets *given, uint32_t s)
{
    const mote_points *points = &given->points[s];
    const point_radii radii = {get_radii(given, s), given->stride, false};
    uint64_t sum = MOTE_CHECKSUM_START;
    for (size_t i = 0; i < points->count; ++i) {
        double values[4] = {0, 0, 0, 0};
        for (int k = 0; k < points->dimensions; ++k) values[k] = mote_points_get(points, i, k);
        if (radii.first) values[3] = mote_radii_get(radii, i, points->scalar);
        sum = mote_checksum(sum, values, sizeof values);
    }
    return sum;
}

static mote_result check_radii(const mote_neighbors *search, const given_sets *given, uint32_t s, mote_error *error)
{
    const bool wants_radii = mote_search_has(search, MOTE_NEIGHBORS_RADII);
    const size_t count = given->points[s].count;
    char name[32];
    mote_print(name, sizeof name, "radii of set %u", (unsigned)s);
    if (wants_radii && !given->radii)
        return mote_fail(error, MOTE_ERROR_STATE, s, "set %u: no radii, expected one for every point", (unsigned)s);
    if (!wants_radii && given->radii)
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, s,
                         "set %u: a radius each, expected MOTE_NEIGHBORS_RADII in the def's features", (unsigned)s);
    if (!wants_radii || is_kept(search, given, s)) return MOTE_OK;
    if (!given->radii[s])
        return mote_fail(error, MOTE_ERROR_ARGUMENT, s, "%s: NULL, expected an array of %llu", name,
                         (unsigned long long)count);
    return mote_radii_check((point_radii){given->radii[s], given->stride, false}, count, search->scalar, name, error);
}

// Checks that a set which is said to be as it was has as many points, and, in debug builds, the same ones.
static mote_result check_kept(const mote_neighbors *search, const given_sets *given, uint32_t s, mote_error *error)
{
    const set_entry *entry = get_entry(search->sets, s);
    const mote_points *points = &given->points[s];
    if (points->count != entry->search->count)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, s,
                         "set %u: said to be unchanged with %llu points, expected the %llu that it had", (unsigned)s,
                         (unsigned long long)points->count, (unsigned long long)entry->search->count);
    if (points->count && points->dimensions != entry->search->dimensions)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, s,
                         "set %u: said to be unchanged with %d dimensions, expected the %d that it had", (unsigned)s,
                         points->dimensions, entry->search->dimensions);
    if (COMPARES_UNCHANGED && compute_checksum(given, s) != entry->checksum)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, s,
                         "set %u: said to be unchanged, but its %llu points are not those that it had", (unsigned)s,
                         (unsigned long long)points->count);
    return MOTE_OK;
}

static mote_result check_set(const mote_neighbors *search, const given_sets *given, uint32_t s, uint32_t model,
                             mote_error *error)
{
    const mote_points *points = &given->points[s];
    const bool wants_f64 = search->scalar == MOTE_F64;
    char name[32];
    mote_print(name, sizeof name, "set %u", (unsigned)s);
    if (points->count) {  // an empty set has neither a type nor dimensions
        const mote_result result = mote_points_check(*points, name, error);
        if (result != MOTE_OK) return result;
        if (points->scalar != search->scalar)
            return mote_fail(error, MOTE_ERROR_UNSUPPORTED, s, "%s: %s coordinates, expected %s ones", name,
                             wants_f64 ? "float" : "double", wants_f64 ? "double" : "float");
        if (points->dimensions != given->points[model].dimensions)
            return mote_fail(error, MOTE_ERROR_ARGUMENT, s, "%s: %d dimensions, expected %d as set %u has", name,
                             points->dimensions, given->points[model].dimensions, (unsigned)model);
        const mote_result radii_result = check_radii(search, given, s, error);
        if (radii_result != MOTE_OK) return radii_result;
    }
    return is_kept(search, given, s) ? check_kept(search, given, s, error) : MOTE_OK;
}

// Returns the first set that has points, whose dimensions all others must have.
static uint32_t find_model(const given_sets *given)
{
    for (uint32_t s = 0; s < given->count; ++s)
        if (given->points[s].count) return s;
    return 0;
}

static mote_result check_given(const mote_neighbors *search, const given_sets *given, mote_error *error)
{
    const uint32_t model = find_model(given);
    mote_result result = MOTE_OK;
    for (uint32_t s = 0; s < given->count && result == MOTE_OK; ++s)
        result = check_set(search, given, s, model, error);
    return result;
}

// ---------------------------------------------------------------------------------------------------- structures

// Reports what a set's own search said, and which set it was.
static mote_result pass_error(mote_error *error, mote_result result, const mote_error *inner, const char *where)
{
    return mote_fail(error, result, inner->index, "%s: %s", where, inner->text[0] ? inner->text : "no memory for it");
}

static mote_result reserve_sets(mote_neighbors *search, uint32_t count, mote_error *error)
{
    const mote_context *context = search->context;
    mote_result result = MOTE_OK;
    if (!search->sets) {
        search->sets = mote_allocate(context, sizeof *search->sets);
        if (search->sets)
            memset(search->sets, 0, sizeof *search->sets);
        else
            result = MOTE_ERROR_OUT_OF_MEMORY;
    }
    if (result == MOTE_OK) result = reserve_zeroed(context, &search->sets->entries, count, sizeof(set_entry));
    if (result == MOTE_OK)
        result = reserve_zeroed(context, &search->sets->memory, mote_bytes(count, count), sizeof(list_memory));
    return mote_pass_memory(error, result, "neighbors: the sets themselves");
}

// Makes the search of a set, or gives it the present radius.
static mote_result prepare_search(const mote_neighbors *search, set_entry *entry, mote_error *error)
{
    if (entry->search && entry->search->radius == search->radius) return MOTE_OK;
    if (entry->search) return mote_neighbors_set_radius(entry->search, search->def.radius, error);
    mote_context *context = (mote_context *)(uintptr_t)search->context;
    return mote_neighbors_create(context, &search->def, &entry->search, error);
}

// The points of a set in the order of cells, if its search has them so: they need no copy, and those that are near each
// other come one after the other.
static bool get_sorted(const mote_neighbors *search, mote_points *points, const uint32_t **numbers)
{
    const neighbors_method *method = search->method;
    return !search->skin && method->sorted_points && method->sorted_points(search, points, numbers);
}

// Keeps the points of a set for looking into other sets, unless its own search has them.
static mote_result keep_queries(const mote_neighbors *search, set_entry *entry, const mote_points *points,
                                mote_error *error)
{
    mote_points sorted;
    const uint32_t *numbers;
    if (!mote_search_has(search, MOTE_NEIGHBORS_QUERY) || mote_search_keeps_points(entry->search)) return MOTE_OK;
    if (get_sorted(entry->search, &sorted, &numbers)) return MOTE_OK;
    return mote_point_store_fill(search->context, &entry->points, points, (point_radii){.first = NULL}, error);
}

static mote_result build_set(mote_neighbors *search, const given_sets *given, uint32_t s, mote_error *error)
{
    set_entry *entry = get_entry(search->sets, s);
    mote_points points = given->points[s];
    mote_error inner = {.text = ""};
    if (points.count == 0) {
        const mote_points *model = &given->points[find_model(given)];
        points = (mote_points){.scalar = search->scalar, .dimensions = model->count ? model->dimensions : 3};
    }
    mote_result result = prepare_search(search, entry, &inner);
    if (result == MOTE_OK && points.count && given->radii)
        result = mote_neighbors_update_radii(entry->search, points, given->radii[s], given->stride, &inner);
    else if (result == MOTE_OK)
        result = mote_neighbors_update(entry->search, points, &inner);
    if (result == MOTE_OK) result = keep_queries(search, entry, &points, &inner);
    if (result == MOTE_OK && COMPARES_UNCHANGED) entry->checksum = compute_checksum(given, s);
    char name[32];
    mote_print(name, sizeof name, "set %u", (unsigned)s);
    return result == MOTE_OK ? result : pass_error(error, result, &inner, name);
}

static mote_result update_sets(mote_neighbors *search, const given_sets *given, mote_error *error)
{
    mote_result result = check_given(search, given, error);
    if (result == MOTE_OK) result = reserve_sets(search, given->count, error);
    if (result != MOTE_OK) return result;
    neighbors_sets *sets = search->sets;
    mote_latest_lists_forget(search);
    search->has_points = false;
    search->count = 0;
    for (uint32_t s = 0; s < given->count && result == MOTE_OK; ++s) {
        if (is_kept(search, given, s))
            get_entry(sets, s)->search->counters.moved = 0;
        else
            result = build_set(search, given, s, error);
    }
    sets->count = given->count;
    sets->are_held = true;
    if (result != MOTE_OK) mote_sets_forget(search);
    return result;
}

mote_result mote_neighbors_update_sets(mote_neighbors *search, const mote_points *sets, uint32_t count,
                                       const bool *changed, mote_error *error)
{
    if (!search || (!sets && count)) return mote_fail_null(error, "neighbors", search ? "sets" : "the object");
    return update_sets(search, &(given_sets){.points = sets, .count = count, .changed = changed}, error);
}

mote_result mote_neighbors_update_sets_radii(mote_neighbors *search, const mote_points *sets, const void *const *radii,
                                             ptrdiff_t stride, uint32_t count, const bool *changed, mote_error *error)
{
    if (!search || (!sets && count)) return mote_fail_null(error, "neighbors", search ? "sets" : "the object");
    if (!radii && count) return mote_fail_null(error, "neighbors", "radii");
    const given_sets given = {sets, radii, stride, count, changed};
    return update_sets(search, &given, error);
}

// ---------------------------------------------------------------------------------------------------------- lists

static bool is_active(const neighbors_sets *sets, const bool *active, uint32_t s, uint32_t t)
{
    return !active || active[(size_t)s * sets->count + t];
}

// The rows of set s with the points of set t.
static row_request request_pair(const neighbors_sets *sets, uint32_t s, uint32_t t, mote_points *queries)
{
    const set_entry *from = get_entry(sets, s);
    const point_store *store = mote_search_keeps_points(from->search) ? &from->search->points : &from->points;
    row_request request = {.count = from->search->count};
    if (s == t) return request;
    if (!get_sorted(from->search, queries, &request.numbers)) {
        *queries = mote_point_store_view(store);
        request.query_radii = mote_point_store_radii(store);
        MOTE_ASSERT(store->count == from->search->count);
    }
    request.queries = queries;
    request.guess = SPARSE;
    return request;
}

static mote_result find_pair(const neighbors_sets *sets, uint32_t s, uint32_t t, mote_lists *lists, mote_error *error)
{
    mote_points queries;
    const row_request request = request_pair(sets, s, t, &queries);
    return mote_rows_store(get_entry(sets, t)->search, &request, get_memory(sets, s, t), lists, error);
}

static mote_result refuse_looking_across(uint32_t s, uint32_t t, const neighbors_sets *sets, mote_error *error)
{
    return mote_fail(error, MOTE_ERROR_UNSUPPORTED, (uint64_t)s * sets->count + t,
                     "neighbors: set %u looks into set %u, expected MOTE_NEIGHBORS_QUERY in the def's features",
                     (unsigned)s, (unsigned)t);
}

static mote_result check_pairs(const mote_neighbors *search, const bool *active, size_t pair_count, mote_error *error)
{
    const neighbors_sets *sets = search->sets;
    if (!mote_sets_are_held(search)) return refuse_without_sets(error);
    const size_t pairs = (size_t)sets->count * sets->count;
    if (pair_count != pairs)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, pair_count,
                         "neighbors: a table of %llu pairs, expected %llu for %u sets", (unsigned long long)pair_count,
                         (unsigned long long)pairs, (unsigned)sets->count);
    if (mote_search_has(search, MOTE_NEIGHBORS_QUERY)) return MOTE_OK;
    for (uint32_t s = 0; s < sets->count; ++s)
        for (uint32_t t = 0; t < sets->count; ++t)
            if (s != t && is_active(sets, active, s, t))
                return refuse_looking_across(s, t, sets, error);
    return MOTE_OK;
}

// Finds all active pairs; the lists of the others are zero.
static mote_result find_pairs(mote_neighbors *search, const bool *active, mote_lists *lists, mote_error *error)
{
    const neighbors_sets *sets = search->sets;
    const size_t bytes = (size_t)sets->count * sets->count * sizeof *lists;
    if (bytes) memset(lists, 0, bytes);
    search->counters.candidates = search->counters.hits = 0;
    for (uint32_t s = 0; s < sets->count; ++s)
        for (uint32_t t = 0; t < sets->count; ++t) {
            mote_error inner = {.text = ""};
            char name[48];
            if (!is_active(sets, active, s, t)) continue;
            const mote_result result = find_pair(sets, s, t, lists + (size_t)s * sets->count + t, &inner);
            if (result != MOTE_OK) {
                memset(lists, 0, bytes);
                mote_print(name, sizeof name, "set %u into set %u", (unsigned)s, (unsigned)t);
                return pass_error(error, result, &inner, name);
            }
            search->counters.candidates += get_entry(sets, t)->search->counters.candidates;
            search->counters.hits += get_entry(sets, t)->search->counters.hits;
        }
    return MOTE_OK;
}

mote_result mote_neighbors_lists_of_sets(mote_neighbors *search, const bool *active, size_t pair_count,
                                         mote_lists *lists, mote_error *error)
{
    if (!search || (!lists && pair_count)) return mote_fail_null(error, "neighbors", search ? "lists" : "the object");
    const mote_result result = check_pairs(search, active, pair_count, error);
    return result == MOTE_OK ? find_pairs(search, active, lists, error) : result;
}

mote_result mote_neighbors_visit_sets(mote_neighbors *search, uint32_t s, uint32_t t, mote_neighbors_visitor *visitor,
                                      void *user_data, mote_error *error)
{
    if (!search || !visitor) return mote_fail_null(error, "neighbors", search ? "visitor" : "the object");
    if (!mote_sets_are_held(search)) return refuse_without_sets(error);
    neighbors_sets *sets = search->sets;
    const uint32_t larger = MOTE_MAX(s, t);
    if (larger >= sets->count)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, larger, "neighbors: set is %u, expected one below %u",
                         (unsigned)larger, (unsigned)sets->count);
    if (s != t && !mote_search_has(search, MOTE_NEIGHBORS_QUERY)) return refuse_looking_across(s, t, sets, error);
    mote_points queries;
    const row_request request = request_pair(sets, s, t, &queries);
    mote_neighbors *into = get_entry(sets, t)->search;
    const mote_result result = mote_rows_visit(into, &request, visitor, user_data, error);
    search->counters.candidates = into->counters.candidates;
    search->counters.hits = into->counters.hits;
    return mote_pass_memory(error, result, "neighbors: a row");
}

// ---------------------------------------------------------------------------------------------------- rows as one

typedef struct join_task {
    const neighbors_sets *sets;
    const bool *active;
    const mote_lists *pairs;
    const uint64_t *first_row;
    uint64_t *first;
    uint32_t *counts, *indices;
    void *squared, *differences;
    int32_t *shifts;
    size_t scalar;  // bytes
} join_task;

// Returns the set that a row belongs to.
static uint32_t find_set(const join_task *task, uint64_t row)
{
    uint32_t low = 0, high = task->sets->count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (task->first_row[middle] <= row)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void count_rows(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const join_task *task = data;
    const uint32_t sets = task->sets->count;
    uint32_t s = find_set(task, begin);
    for (size_t row = begin; row < end; ++row) {
        uint64_t count = 0;
        while (row >= task->first_row[s + 1]) ++s;
        for (uint32_t t = 0; t < sets; ++t)
            if (is_active(task->sets, task->active, s, t))
                count += task->pairs[(size_t)s * sets + t].counts[row - task->first_row[s]];
        MOTE_ASSERT(count <= UINT32_MAX);
        task->counts[row] = (uint32_t)count;
        task->first[row] = count;
    }
}

// Copies a row of a pair behind the others; its points are numbered through all sets.
static uint64_t append_row(const join_task *task, uint64_t at, uint32_t t, mote_row row)
{
    const uint32_t offset = (uint32_t)task->first_row[t];
    const size_t count = row.count, scalar = task->scalar;
    if (!count) return at;
    for (size_t k = 0; k < count; ++k) task->indices[at + k] = row.indices[k] + offset;
    const void *squared = row.squared ? (const void *)row.squared : row.squared_f64;
    const void *differences = row.differences ? (const void *)row.differences : row.differences_f64;
    if (squared) memcpy((char *)task->squared + at * scalar, squared, count * scalar);
    if (differences) memcpy((char *)task->differences + 3 * at * scalar, differences, 3 * count * scalar);
    if (row.shifts) memcpy(task->shifts + 3 * at, row.shifts, 3 * count * sizeof(int32_t));
    return at + count;
}

static void join_rows(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const join_task *task = data;
    const uint32_t sets = task->sets->count;
    uint32_t s = find_set(task, begin);
    for (size_t row = begin; row < end; ++row) {
        uint64_t at = task->first[row];
        while (row >= task->first_row[s + 1]) ++s;
        const uint32_t i = (uint32_t)(row - task->first_row[s]);
        for (uint32_t t = 0; t < sets; ++t)
            if (is_active(task->sets, task->active, s, t))
                at = append_row(task, at, t, mote_lists_row(task->pairs + (size_t)s * sets + t, i));
        MOTE_ASSERT(at == task->first[row] + task->counts[row]);
    }
}

// Reserves what the rows as one need, in the memory of the search's own lists.
static mote_result reserve_joined(mote_neighbors *search, join_task *task, size_t rows, uint64_t total)
{
    list_memory *memory = &search->lists;
    if (total > SIZE_MAX / (3 * sizeof(double)) - 1) return MOTE_ERROR_OUT_OF_MEMORY;
    const size_t room = (size_t)total + 1;
    const struct {
        mote_buffer *buffer;
        bool is_wanted;
        size_t bytes;
    } columns[] = {
        {&memory->first, true, mote_bytes(rows + 1, sizeof(uint64_t))},
        {&memory->counts, true, mote_bytes(rows + 1, sizeof(uint32_t))},
        {&memory->indices, true, room * sizeof(uint32_t)},
        {&memory->squared, mote_search_has(search, MOTE_NEIGHBORS_DISTANCES), room * task->scalar},
        {&memory->differences, mote_search_has(search, MOTE_NEIGHBORS_DIFFERENCES), room * 3 * task->scalar},
        {&memory->shifts, mote_search_has(search, MOTE_NEIGHBORS_PERIODIC), room * 3 * sizeof(int32_t)},
    };
    for (size_t c = 0; c < sizeof columns / sizeof *columns; ++c)
        if (columns[c].is_wanted) {
            const mote_result result = mote_buffer_reserve(search->context, columns[c].buffer, columns[c].bytes, 0);
            if (result != MOTE_OK) return result;
        }
    task->first = memory->first.data;
    task->counts = memory->counts.data;
    task->indices = memory->indices.data;
    task->squared = memory->squared.data;
    task->differences = memory->differences.data;
    task->shifts = memory->shifts.data;
    return MOTE_OK;
}

// Numbers the rows of all sets; the error's index is the number of rows if there are too many.
static mote_result number_rows(mote_neighbors *search, uint64_t **first_row, mote_error *error)
{
    neighbors_sets *sets = search->sets;
    const size_t bytes = mote_bytes((size_t)sets->count + 1, sizeof(uint64_t));
    mote_result result = mote_buffer_reserve(search->context, &sets->first_row, bytes, 0);
    if (result != MOTE_OK) return mote_pass_memory(error, result, "neighbors: rows as one");
    uint64_t rows = 0, *first = sets->first_row.data;
    for (uint32_t s = 0; s < sets->count; ++s) {
        first[s] = rows;
        rows += get_entry(sets, s)->search->count;
    }
    first[sets->count] = rows;
    *first_row = first;
    if (rows < UINT32_MAX) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_ARGUMENT, rows,
                     "neighbors: the sets have %llu points together, expected at most 2^32 - 2 for rows as one",
                     (unsigned long long)rows);
}

mote_result mote_neighbors_lists_as_one(mote_neighbors *search, const bool *active, size_t pair_count,
                                        mote_lists *lists, mote_error *error)
{
    if (!search || !lists) return mote_fail_null(error, "neighbors", search ? "lists" : "the object");
    memset(lists, 0, sizeof *lists);
    uint64_t *first_row = NULL;
    mote_result result = check_pairs(search, active, pair_count, error);
    if (result == MOTE_OK) result = number_rows(search, &first_row, error);
    if (result != MOTE_OK) return result;
    neighbors_sets *sets = search->sets;
    mote_latest_lists_forget(search);
    const size_t bytes = mote_bytes(pair_count + 1, sizeof(mote_lists));
    result = mote_buffer_reserve(search->context, &sets->pairs, bytes, 0);
    if (result != MOTE_OK) return mote_pass_memory(error, result, "neighbors: rows as one");
    result = find_pairs(search, active, sets->pairs.data, error);
    if (result != MOTE_OK) return result;

    join_task task = {.sets = sets, .active = active, .pairs = sets->pairs.data, .first_row = first_row};
    task.scalar = search->scalar == MOTE_F64 ? sizeof(double) : sizeof(float);
    const size_t rows = (size_t)first_row[sets->count];
    uint64_t total = 0;
    for (size_t p = 0; p < pair_count; ++p) total += task.pairs[p].total;
    result = reserve_joined(search, &task, rows, total);
    if (result != MOTE_OK)
        return mote_fail(error, result, 0, "neighbors: no memory for the rows as one: %llu neighbours",
                         (unsigned long long)total);
    mote_parallel_for(search->context, rows, ROWS, count_rows, &task);
    const uint64_t sum = mote_prefix_sum_u64(task.first, rows);
    MOTE_ASSERT(sum == total);
    (void)sum;
    mote_parallel_for(search->context, rows, ROWS, join_rows, &task);

    mote_lists joined = {.count = rows, .first = task.first, .counts = task.counts, .indices = task.indices};
    const bool is_f64 = search->scalar == MOTE_F64;
    if (mote_search_has(search, MOTE_NEIGHBORS_DISTANCES) && is_f64) joined.squared_f64 = task.squared;
    if (mote_search_has(search, MOTE_NEIGHBORS_DISTANCES) && !is_f64) joined.squared = task.squared;
    if (mote_search_has(search, MOTE_NEIGHBORS_DIFFERENCES) && is_f64) joined.differences_f64 = task.differences;
    if (mote_search_has(search, MOTE_NEIGHBORS_DIFFERENCES) && !is_f64) joined.differences = task.differences;
    if (mote_search_has(search, MOTE_NEIGHBORS_PERIODIC)) joined.shifts = task.shifts;
    joined.total = total;
    *lists = joined;
    mote_latest_lists_note(search, lists);
    return MOTE_OK;
}

// ----------------------------------------------------------------------------------------------------- inspection

const mote_neighbors *mote_neighbors_search_of_set(const mote_neighbors *search, uint32_t set)
{
    if (!search || !mote_sets_are_held(search) || set >= search->sets->count) return NULL;
    return get_entry(search->sets, set)->search;
}

mote_result mote_neighbors_permutation_of_set(mote_neighbors *search, uint32_t set, const uint32_t **order,
                                              mote_error *error)
{
    if (!search || !order) return mote_fail_null(error, "neighbors", search ? "order" : "the object");
    if (!mote_sets_are_held(search)) return refuse_without_sets(error);
    if (set >= search->sets->count)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, set, "neighbors: set is %u, expected one below %u", (unsigned)set,
                         (unsigned)search->sets->count);
    return mote_neighbors_permutation(get_entry(search->sets, set)->search, order, error);
}

mote_result mote_sets_refuse(const mote_neighbors *search, mote_error *error)
{
    return mote_fail(error, MOTE_ERROR_STATE, 0,
                     "neighbors: the search holds %u sets, expected a call for sets, or mote_neighbors_update before",
                     (unsigned)search->sets->count);
}

const char *mote_sets_explain(mote_neighbors *search)
{
    const neighbors_sets *sets = search->sets;
    char *text = search->explanation;
    const size_t size = sizeof search->explanation, room_for_rest = 48;
    size_t length = mote_print(text, size, "%u sets", (unsigned)sets->count);
    for (uint32_t s = 0; s < sets->count; ++s) {
        const char *inner = mote_neighbors_explain(get_entry(sets, s)->search);
        if (length + strlen(inner) + room_for_rest > size) {
            mote_print(text + length, size - length, "; and %u more", (unsigned)(sets->count - s));
            break;
        }
        length += mote_print(text + length, size - length, "; set %u: %s", (unsigned)s, inner);
    }
    return text;
}

void mote_sets_count(const mote_neighbors *search, mote_neighbors_counters *counters)
{
    const neighbors_sets *sets = search->sets;
    if (!sets) return;
    if (sets->are_held) counters->moved = 0;
    for (size_t s = 0; s < sets->entries.bytes / sizeof(set_entry); ++s) {
        const set_entry *entry = get_entry(sets, (uint32_t)s);
        const mote_neighbors_counters inner = mote_neighbors_get_counters(entry->search);
        counters->rebuilds += inner.rebuilds;
        if (s >= sets->count) continue;
        counters->cells += inner.cells;
        counters->collisions += inner.collisions;
        counters->moved += inner.moved;
    }
}

size_t mote_sets_byte_count(const mote_neighbors *search, size_t *list_bytes)
{
    const neighbors_sets *sets = search->sets;
    if (!sets) return 0;
    size_t bytes = sizeof *sets + sets->entries.bytes + sets->memory.bytes + sets->pairs.bytes + sets->first_row.bytes;
    size_t lists = 0, of_search = 0;
    for (size_t s = 0; s < sets->entries.bytes / sizeof(set_entry); ++s) {
        const set_entry *entry = get_entry(sets, (uint32_t)s);
        bytes += mote_neighbors_byte_count(entry->search, &of_search) + entry->points.memory.bytes;
        lists += of_search;
    }
    for (size_t p = 0; p < sets->memory.bytes / sizeof(list_memory); ++p)
        lists += mote_list_memory_byte_count((const list_memory *)sets->memory.data + p);
    if (list_bytes) *list_bytes += lists;
    return bytes;
}

mote_result mote_sets_validate(mote_neighbors *search, mote_error *error)
{
    const neighbors_sets *sets = search->sets;
    for (uint32_t s = 0; s < sets->count; ++s) {
        const set_entry *entry = get_entry(sets, s);
        mote_error inner = {.text = ""};
        char name[32];
        mote_print(name, sizeof name, "set %u", (unsigned)s);
        if (!entry->search || !entry->search->has_points)
            return mote_fail(error, MOTE_ERROR_STATE, s, "%s: held, but not built", name);
        const mote_result result = mote_neighbors_validate(entry->search, &inner);
        if (result != MOTE_OK) return pass_error(error, result, &inner, name);
        mote_points sorted;
        const uint32_t *numbers;
        const bool needs_points = mote_search_has(search, MOTE_NEIGHBORS_QUERY) &&
                                  !mote_search_keeps_points(entry->search) &&
                                  !get_sorted(entry->search, &sorted, &numbers);
        if (needs_points && entry->points.count != entry->search->count)
            return mote_fail(error, MOTE_ERROR_STATE, s, "%s: %llu points kept of %llu", name,
                             (unsigned long long)entry->points.count, (unsigned long long)entry->search->count);
    }
    return MOTE_OK;
}
