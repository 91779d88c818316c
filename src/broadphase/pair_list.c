// SPDX-License-Identifier: MIT
// Lists of pairs that grow up to the byte budget; beyond it pairs are only counted.

#include "broadphase/pair_list.h"

// Bytes for a pair in the result: its key in a worker's list, among all keys, in the spare array for sorting, and
// the pair.
enum { BYTES_OF_A_PAIR = 4 * sizeof(uint64_t) };

// The keys of a list that only counts: they stay in the processor's cache.
enum { ROOM_WHILE_COUNTING = 8192 };

// At least this many pairs are counted, a few seconds of work.
static const uint64_t most_counted = UINT64_C(1) << 32;

void mote_pair_tally_begin(pair_tally *tally, const mote_context *context, size_t held)
{
    const size_t left = mote_budget_left(context);
    tally->most = (left > SIZE_MAX - held ? SIZE_MAX : left + held) / BYTES_OF_A_PAIR;
    tally->enough = left == SIZE_MAX ? most_counted : MOTE_MAX(tally->most, most_counted);
    tally->pause = UINT64_MAX;
    atomic_init(&tally->found, 0);
}

void mote_pair_list_begin(pair_list *list, const mote_context *context, pair_tally *tally)
{
    list->context = context;
    list->tally = tally;
    list->told = list->left_out = 0;
    list->is_counting = list->has_ended = false;
}

// Reports the length of the list to the tally. @return the number of pairs in all lists, as far as it was reported
static uint64_t tell(pair_list *list, size_t count)
{
    if (!list->tally) return 0;
    const uint64_t fresh = count - list->told;
    list->told = count;
    return atomic_fetch_add(&list->tally->found, fresh) + fresh;
}

// Doubles the room each time, but not beyond what the budget has room for.
static bool keep_more(pair_list *list, size_t count, size_t room, uint64_t found)
{
    const uint64_t most = list->tally ? list->tally->most : UINT64_MAX;
    if (list->is_counting || found > most) return false;
    const size_t more = (size_t)MOTE_MIN(count, most - found);
    const size_t bytes = mote_bytes(count + MOTE_MAX(room, more), sizeof(uint64_t));
    return mote_buffer_reserve(list->context, &list->memory, bytes, count * sizeof(uint64_t)) == MOTE_OK;
}

// Discards the keys, and makes a little room for more of them.
static bool count_more(pair_list *list, size_t count, size_t room, uint64_t found)
{
    if (!list->is_counting) mote_buffer_release(list->context, &list->memory);
    list->is_counting = true;
    list->left_out += count;
    list->told = 0;
    const size_t bytes = mote_bytes(MOTE_MAX(room, (size_t)ROOM_WHILE_COUNTING), sizeof(uint64_t));
    return list->tally && found <= list->tally->enough &&
           mote_buffer_reserve(list->context, &list->memory, bytes, 0) == MOTE_OK;
}

bool mote_pair_list_grow(pair_list *list, size_t *count, size_t room)
{
    if (list->has_ended) return false;
    const uint64_t found = tell(list, *count);
    const bool has_paused = list->tally && found > list->tally->pause;
    if (!has_paused && keep_more(list, *count, room, found)) return true;
    list->has_ended = has_paused || !count_more(list, *count, room, found);
    *count = 0;
    return !list->has_ended;
}

void mote_pair_outcome_add(pair_outcome *outcome, const pair_list *list, size_t count)
{
    outcome->count += list->left_out + count;
    outcome->refused |= list->is_counting;
    outcome->has_more |= list->has_ended;
}

void mote_pair_outcome_end(pair_outcome *outcome, const pair_tally *tally)
{
    // A list that ended early had counted enough; otherwise the number is unknown.
    const bool has_ended = outcome->has_more;
    outcome->has_more = outcome->refused && outcome->count > tally->enough;
    if (outcome->has_more) outcome->count = tally->enough;
    else if (has_ended) outcome->count = 0;
}

mote_result mote_pairs_refuse(const mote_context *context, mote_error *error, const pair_outcome *outcome)
{
    const mote_result result = MOTE_ERROR_OUT_OF_MEMORY;
    if (outcome->count == 0) return mote_fail(error, result, 0, "broadphase: no memory for pairs");
    const double giga = 1e9, needed = (double)outcome->count * BYTES_OF_A_PAIR / giga;
    const char *more = outcome->has_more ? "more than " : "";
    const unsigned long long count = outcome->count;
    const size_t budget = mote_budget(context);
    if (budget == SIZE_MAX)
        return mote_fail(error, result, 0, "broadphase: no memory for %s%llu pairs, which take %s%.3g GB", more, count,
                         more, needed);
    return mote_fail(error, result, 0,
                     "broadphase: no memory for %s%llu pairs, which take %s%.3g GB; the byte budget is %.3g GB", more,
                     count, more, needed, (double)budget / giga);
}
