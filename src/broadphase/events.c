// SPDX-License-Identifier: MIT
// Pair events: merges the present pairs with those of the last call.
//
// The state is the list of pairs that the last call reported. It does not change before all memory is allocated: a
// call that fails changes nothing.

#include "broadphase/internal.h"

static int compare(mote_pair x, mote_pair y)
{
    if (x.a != y.a) return x.a < y.a ? -1 : 1;
    if (x.b != y.b) return x.b < y.b ? -1 : 1;
    return 0;
}

static mote_result reserve(mote_broadphase *broad, size_t now, size_t before)
{
    pair_store *store = &broad->pairs;
    const size_t size = sizeof(mote_pair), told = before * size;
    mote_result result = mote_buffer_reserve(broad->context, &store->begun, mote_bytes(now, size), 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(broad->context, &store->stayed, mote_bytes(MOTE_MIN(now, before), size), 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(broad->context, &store->ended, told, 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(broad->context, &store->before, mote_bytes(now, size), told);
    return result;
}

mote_result mote_broadphase_events(mote_broadphase *broad, mote_pair_events *events, mote_error *error)
{
    if (!broad || !events) return mote_broadphase_refuse_null(broad, "events", error);
    memset(events, 0, sizeof *events);
    pair_store *store = &broad->pairs;
    mote_pairs now;
    mote_result result = mote_pairs_find(broad, &now, error);
    if (result != MOTE_OK) return result;
    if (reserve(broad, now.count, store->before_count) != MOTE_OK)
        return mote_broadphase_out_of_memory("events", error);

    mote_pair *before = store->before.data, *begun = store->begun.data;
    mote_pair *stayed = store->stayed.data, *ended = store->ended.data;
    size_t begun_count = 0, stayed_count = 0, ended_count = 0, old = 0;
    for (size_t k = 0; k < now.count; ++k) {
        while (old < store->before_count && compare(before[old], now.pairs[k]) < 0)
            ended[ended_count++] = before[old++];
        if (old < store->before_count && compare(before[old], now.pairs[k]) == 0) {
            stayed[stayed_count++] = now.pairs[k];
            ++old;
        } else {
            begun[begun_count++] = now.pairs[k];
        }
    }
    while (old < store->before_count) ended[ended_count++] = before[old++];

    if (now.count) memcpy(before, now.pairs, now.count * sizeof *before);
    store->before_count = now.count;
    mote_store_events_told(&broad->store, now.pairs, now.count);
    events->begun = (mote_pairs){begun, begun_count};
    events->stayed = (mote_pairs){stayed, stayed_count};
    events->ended = (mote_pairs){ended, ended_count};
    return MOTE_OK;
}
