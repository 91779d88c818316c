// SPDX-License-Identifier: MIT
// Overlapping boxes of every method: pairs, how they change when some move, and the rows of batch queries.

#include <stdio.h>

#include "golden.h"

enum { BOXES = 2000, MOVED = BOXES / 4, QUERIES = 300 };

// Of sizes in the ratio 1 : 16, in a cube or a square; every hundredth is long and thin.
static void fill(mote_random *random, mote_bounds *boxes, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k) {
            const double edge = i % 100 == 0 && k == 1 ? 0.5 : (i % 2 ? 0.01 : i % 8 ? 0.03 : 0.16);
            const double at = mote_random_unit(random);
            boxes[i].min[k] = (float)at;
            boxes[i].max[k] = (float)(at + edge * mote_random_unit(random));
        }
}

static uint64_t mix_pairs(uint64_t sum, const mote_pairs *pairs)
{
    golden_mix(&sum, pairs->pairs, pairs->count * sizeof *pairs->pairs);
    return sum;
}

static bool print_queries(mote_broadphase *broad, const mote_bounds *boxes, int dimensions, const char *what)
{
    mote_error error = {0};
    mote_id_rows rows;
    const mote_result result = mote_broadphase_query_boxes(broad, mote_boxes_bounds(boxes, QUERIES, dimensions),
                                                           mote_filter_all(), &rows, &error);
    if (!golden_is_ok(what, result, &error)) return false;
    uint64_t sum = GOLDEN_START;
    for (size_t i = 0; i < rows.count; ++i) {
        golden_mix(&sum, &rows.counts[i], sizeof rows.counts[i]);
        golden_mix(&sum, rows.ids + rows.first[i], rows.counts[i] * sizeof *rows.ids);
    }
    golden_print(what, (size_t)rows.total, sum);
    return true;
}

static bool print_pairs(mote_broadphase *broad, const char *what)
{
    mote_error error = {0};
    mote_pairs pairs;
    if (!golden_is_ok(what, mote_broadphase_pairs(broad, &pairs, &error), &error)) return false;
    golden_print(what, pairs.count, mix_pairs(GOLDEN_START, &pairs));
    return true;
}

// After every fourth box has moved.
static bool print_events(mote_broadphase *broad, const mote_bounds *moved, int dimensions, const char *what)
{
    mote_error error = {0};
    uint32_t ids[MOVED];
    mote_pair_events events;
    for (uint32_t i = 0; i < MOVED; ++i) ids[i] = 4 * i;
    mote_result result = mote_broadphase_events(broad, &events, &error);
    if (result == MOTE_OK)
        result = mote_broadphase_move_many(broad, ids, mote_boxes_bounds(moved, MOVED, dimensions), &error);
    if (result == MOTE_OK) result = mote_broadphase_update(broad, &error);
    if (result == MOTE_OK) result = mote_broadphase_events(broad, &events, &error);
    if (!golden_is_ok(what, result, &error)) return false;
    const uint64_t sum = mix_pairs(mix_pairs(mix_pairs(GOLDEN_START, &events.begun), &events.stayed), &events.ended);
    golden_print(what, events.begun.count + events.stayed.count + events.ended.count, sum);
    return true;
}

static bool print_method(mote_context *context, const char *method, int dimensions)
{
    static mote_bounds boxes[BOXES], moved[MOVED];
    char pairs[64], events[64], queries[64];
    mote_random random = {17};
    mote_error error = {0};
    mote_broadphase_def def = mote_broadphase_default_def();
    mote_broadphase *broad;
    def.method = method;
    def.dimensions = dimensions;
    fill(&random, boxes, BOXES);
    fill(&random, moved, MOVED);
    if (!golden_is_ok(method, mote_broadphase_create(context, &def, &broad, &error), &error)) return false;
    mote_result result = mote_broadphase_add_many(broad, mote_boxes_bounds(boxes, BOXES, dimensions),
                                                  MOTE_OBJECT_MOVING, mote_filter_all(), NULL, &error);
    if (result == MOTE_OK) result = mote_broadphase_update(broad, &error);
    snprintf(pairs, sizeof pairs, "pairs %s %dD", method, dimensions);
    snprintf(events, sizeof events, "events %s %dD", method, dimensions);
    snprintf(queries, sizeof queries, "boxes in boxes %s %dD", method, dimensions);
    bool done = golden_is_ok(method, result, &error) && print_pairs(broad, pairs);
    done = done && print_events(broad, moved, dimensions, events);
    done = done && print_queries(broad, moved, dimensions, queries);
    mote_broadphase_destroy(broad);
    return done;
}

bool golden_pairs(mote_context *context)
{
    const mote_broadphase_method_info *method;
    for (size_t m = 0; (method = mote_broadphase_method_at(m)) != NULL; ++m)
        for (int dimensions = 2; dimensions <= 3; ++dimensions)
            if (!print_method(context, method->name, dimensions)) return false;
    return true;
}
