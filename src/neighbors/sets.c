// SPDX-License-Identifier: MIT
// Several sets of points in one search.
//
// Each set has a search of its own, made from the same def, so that `auto` chooses for each, and a set that has not
// changed keeps its structure. The lists of a pair of sets are lists of the one search where a set looks into itself,
// and else queries: points of one set look into the structure of the other. These points are those that were read when
// the set was built: its own search has them, or they are kept beside it.

#include <string.h>

#include "neighbors/kept_lists.h"
#include "neighbors/sets_state.h"

#if defined(MOTE_DEBUG)
enum { COMPARES_UNCHANGED = 1 };
#else
enum { COMPARES_UNCHANGED = 0 };
#endif

// The sets that a call gives.
typedef struct given_sets {
    const mote_points *points;
    const void *const *radii;  // NULL: no radii
    ptrdiff_t stride;          // of all radii
    uint32_t count;
    const bool *changed;  // NULL: all have changed
} given_sets;

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
    mote_buffer_release(context, &sets->turned);
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
        mote_neighbors *inner = mote_set_get(sets, (uint32_t)s)->search;
        if (inner) result = mote_neighbors_set_period(inner, search->def.period, search->def.period_origin, error);
    }
    return result;
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
    if (!wants_radii) return MOTE_OK;
    if (!given->radii[s])
        return mote_fail(error, MOTE_ERROR_ARGUMENT, s, "%s: NULL, expected an array of %llu", name,
                         (unsigned long long)count);
    if (is_kept(search, given, s)) return MOTE_OK;
    return mote_radii_check((point_radii){given->radii[s], given->stride, false}, count, search->scalar, name, error);
}

// Checks that a set which is said to be as it was has as many points, and, in debug builds, the same ones.
static mote_result check_kept(const mote_neighbors *search, const given_sets *given, uint32_t s, mote_error *error)
{
    const set_entry *entry = mote_set_get(search->sets, s);
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

// Keeps the points of a set for looking into other sets, unless its own search has them.
static mote_result keep_queries(const mote_neighbors *search, set_entry *entry, const mote_points *points,
                                mote_error *error)
{
    mote_points sorted;
    const uint32_t *numbers;
    if (!mote_search_has(search, MOTE_NEIGHBORS_QUERY) || mote_search_keeps_points(entry->search)) return MOTE_OK;
    if (mote_set_get_sorted(entry->search, &sorted, &numbers)) return MOTE_OK;
    return mote_point_store_fill(search->context, &entry->points, points, (point_radii){.first = NULL}, error);
}

static mote_result build_set(mote_neighbors *search, const given_sets *given, uint32_t s, mote_error *error)
{
    set_entry *entry = mote_set_get(search->sets, s);
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
    return result == MOTE_OK ? result : mote_set_pass_error(error, result, &inner, name);
}

static mote_result update_sets(mote_neighbors *search, const given_sets *given, mote_error *error)
{
    mote_result result = check_given(search, given, error);
    if (result != MOTE_OK) return result;
    mote_latest_lists_forget(search);
    search->has_points = false;
    search->count = 0;
    result = reserve_sets(search, given->count, error);
    neighbors_sets *sets = search->sets;
    for (uint32_t s = 0; s < given->count && result == MOTE_OK; ++s) {
        if (is_kept(search, given, s))
            mote_set_get(sets, s)->search->counters.moved = 0;
        else
            result = build_set(search, given, s, error);
    }
    if (result != MOTE_OK) {
        mote_sets_forget(search);
        return result;
    }
    sets->count = given->count;
    sets->are_held = true;
    return MOTE_OK;
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

// ----------------------------------------------------------------------------------------------------- inspection

const mote_neighbors *mote_neighbors_search_of_set(const mote_neighbors *search, uint32_t set)
{
    if (!search || !mote_sets_are_held(search) || set >= search->sets->count) return NULL;
    return mote_set_get(search->sets, set)->search;
}

mote_result mote_neighbors_permutation_of_set(mote_neighbors *search, uint32_t set, const uint32_t **order,
                                              mote_error *error)
{
    if (!search || !order) return mote_fail_null(error, "neighbors", search ? "order" : "the object");
    if (!mote_sets_are_held(search)) return mote_sets_refuse_none(error);
    if (set >= search->sets->count)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, set, "neighbors: set is %u, expected one below %u", (unsigned)set,
                         (unsigned)search->sets->count);
    return mote_neighbors_permutation(mote_set_get(search->sets, set)->search, order, error);
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
        const char *inner = mote_neighbors_explain(mote_set_get(sets, s)->search);
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
        const set_entry *entry = mote_set_get(sets, (uint32_t)s);
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
    bytes += sets->turned.bytes;
    size_t lists = 0, of_search = 0;
    for (size_t s = 0; s < sets->entries.bytes / sizeof(set_entry); ++s) {
        const set_entry *entry = mote_set_get(sets, (uint32_t)s);
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
        const set_entry *entry = mote_set_get(sets, s);
        mote_error inner = {.text = ""};
        char name[32];
        mote_print(name, sizeof name, "set %u", (unsigned)s);
        if (!entry->search || !entry->search->has_points)
            return mote_fail(error, MOTE_ERROR_STATE, s, "%s: held, but not built", name);
        const mote_result result = mote_neighbors_validate(entry->search, &inner);
        if (result != MOTE_OK) return mote_set_pass_error(error, result, &inner, name);
        mote_points sorted;
        const uint32_t *numbers;
        const bool needs_points = mote_search_has(search, MOTE_NEIGHBORS_QUERY) &&
                                  !mote_search_keeps_points(entry->search) &&
                                  !mote_set_get_sorted(entry->search, &sorted, &numbers);
        if (needs_points && entry->points.count != entry->search->count)
            return mote_fail(error, MOTE_ERROR_STATE, s, "%s: %llu points kept of %llu", name,
                             (unsigned long long)entry->points.count, (unsigned long long)entry->search->count);
    }
    return MOTE_OK;
}
