// SPDX-License-Identifier: MIT
// How many buckets a hash table of cells should have (Pouchol et al. 2009, section 4.3: a hundred for each polygon), if
// buckets do not tell apart what shares their number; beside tables that do.
//
// Boxes of five classes in a cube around the origin, asked by small ones as a moving particle has. False candidates are
// the objects that a query retrieves beyond those in the cells it looks at. One line of CSV for each size of the table
// and contender, on standard output; times are of the processor, medians, one query at a time. All must find the same,
// or the run fails.

#include <stdio.h>

#include "bare_hash.h"
#include "measure.h"

enum { MOST_REPEATS = 101, CLASS_COUNT = 5 };

typedef struct settings {
    size_t objects, queries;
    int repeats;
} settings;

static const double side = 4, finest = 0x1p-6;

// Buckets for each object.
static const double ratios[] = {0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000};

typedef struct outcome {
    double build_ms, query_ns;
    bare_work work;
    size_t bytes;
    uint64_t sum;  // of what was found, whatever its order
} outcome;

typedef struct finding {
    uint64_t query, sum;
} finding;

static bool note(void *data, uint32_t id)
{
    finding *found = data;
    found->sum += (2 * found->query + 1) * (id + 1);
    return true;
}

static mote_bounds make_box(mote_random *random, double shortest, double octaves)
{
    const double longest = shortest * exp2(octaves * mote_random_unit(random));
    mote_bounds box;
    for (int k = 0; k < 3; ++k) {
        const double edge = longest * (1 + mote_random_unit(random)) / 2, at = side * (mote_random_unit(random) - 0.5);
        box.min[k] = (float)(at - edge / 2);
        box.max[k] = (float)(at + edge / 2);
    }
    return box;
}

static bool measure_bare(const settings *chosen, bare_kind kind, double ratio, const mote_bounds *boxes,
                         const mote_bounds *queries, outcome *out)
{
    bare_hash hash;
    const uint64_t size = (uint64_t)(ratio * (double)chosen->objects) + 1;
    bool good = bare_create(&hash, kind, size, finest, CLASS_COUNT, boxes, chosen->objects) &&
                bare_build(&hash, chosen->objects);
    double built[MOST_REPEATS], asked[MOST_REPEATS];
    for (int k = 0; k < chosen->repeats && good; ++k) {
        const double start = cpu_milliseconds();
        good = bare_build(&hash, chosen->objects);
        const double middle = cpu_milliseconds();
        finding found = {0, 0};
        out->work = (bare_work){0};
        for (; found.query < chosen->queries && good; ++found.query)
            bare_query_box(&hash, queries + found.query, note, &found, &out->work);
        asked[k] = (cpu_milliseconds() - middle) * 1e6 / (double)chosen->queries;
        built[k] = middle - start;
        out->sum = found.sum;
    }
    if (good) {
        out->build_ms = median(built, chosen->repeats);
        out->query_ns = median(asked, chosen->repeats);
        out->bytes = bare_byte_count(&hash, chosen->objects);
    }
    bare_release(&hash);
    return good;
}

static bool ask_all(mote_broadphase *broad, const mote_bounds *queries, size_t count, outcome *out)
{
    finding found = {0, 0};
    bool good = true;
    for (; found.query < count && good; ++found.query)
        good =
            mote_broadphase_query_box(broad, queries + found.query, mote_filter_all(), note, &found, NULL) == MOTE_OK;
    out->sum = found.sum;
    return good;
}

static bool measure_exact(const settings *chosen, mote_context *context, const char *method, const mote_bounds *boxes,
                          const mote_bounds *queries, outcome *out)
{
    mote_broadphase_def def = mote_broadphase_default_def();
    def.method = method;
    def.finest = finest;
    def.classes = CLASS_COUNT;
    double built[MOST_REPEATS], asked[MOST_REPEATS];
    bool good = true;
    for (int k = 0; k < chosen->repeats && good; ++k) {
        mote_broadphase *broad;
        const double start = cpu_milliseconds();
        if (mote_broadphase_create(context, &def, &broad, NULL) != MOTE_OK) return false;
        const mote_boxes all = mote_boxes_bounds(boxes, chosen->objects, 3);
        good = mote_broadphase_add_many(broad, all, MOTE_OBJECT_MOVING, mote_filter_all(), NULL, NULL) == MOTE_OK &&
               mote_broadphase_update(broad, NULL) == MOTE_OK;
        const double middle = cpu_milliseconds();
        good = good && ask_all(broad, queries, chosen->queries, out);
        asked[k] = (cpu_milliseconds() - middle) * 1e6 / (double)chosen->queries;
        built[k] = middle - start;
        mote_id_rows rows;  // a batch tells of its work
        good = good && mote_broadphase_query_boxes(broad, mote_boxes_bounds(queries, chosen->queries, 3),
                                                   mote_filter_all(), &rows, NULL) == MOTE_OK;
        const mote_broadphase_counters counters = mote_broadphase_get_counters(broad);
        out->work = (bare_work){counters.lookups, counters.candidates, counters.candidates};
        out->bytes = mote_broadphase_byte_count(broad, NULL);
        mote_broadphase_destroy(broad);
    }
    if (!good) return false;
    out->build_ms = median(built, chosen->repeats);
    out->query_ns = median(asked, chosen->repeats);
    return true;
}

static void print_row(const settings *chosen, const char *name, double ratio, const outcome *out, const outcome *exact)
{
    const double queries = (double)chosen->queries;
    printf("%s,%g,%.3f,%.1f,%.2f,%.3f,%.3f,%.3f,%.2f\n", name, ratio, out->build_ms, out->query_ns,
           (double)out->work.lookups / queries, (double)out->work.retrieved / queries,
           (double)out->work.candidates / queries,
           ((double)out->work.candidates - (double)exact->work.candidates) / queries, (double)out->bytes / 1e6);
    fflush(stdout);
}

static bool agrees(const char *name, double ratio, bool good, const outcome *out, const outcome *exact)
{
    if (good && out->sum == exact->sum && out->work.candidates >= exact->work.candidates) return true;
    fprintf(stderr, "pouchol_hash_size: %s, %g buckets an object: %s\n", name, ratio,
            good ? "does not find what multilevel_hash does" : "has failed");
    return false;
}

static bool compare(const settings *chosen, mote_context *context, const mote_bounds *boxes,
                    const mote_bounds *queries)
{
    static const char *const exact_names[] = {"multilevel_hash", "hierarchical_hash"};
    static const char *const bare_names[] = {[BARE_EQ_3] = "eq_3", [BARE_EQ_4] = "eq_4", [BARE_MIXED] = "mixed"};
    outcome exact = {0}, out = {0};
    puts("name,buckets_an_object,build_ms,query_ns,lookups,retrieved,candidates,false_candidates,megabytes");
    for (int m = 0; m < 2; ++m) {
        const bool good = measure_exact(chosen, context, exact_names[m], boxes, queries, &out);
        if (m == 0) exact = out;
        if (!agrees(exact_names[m], 0, good, &out, &exact)) return false;
        print_row(chosen, exact_names[m], 0, &out, &exact);
    }
    for (size_t r = 0; r < sizeof ratios / sizeof *ratios; ++r)
        for (bare_kind kind = BARE_EQ_3; kind <= BARE_MIXED; ++kind) {
            const bool good = measure_bare(chosen, kind, ratios[r], boxes, queries, &out);
            if (!agrees(bare_names[kind], ratios[r], good, &out, &exact)) return false;
            print_row(chosen, bare_names[kind], ratios[r], &out, &exact);
        }
    return true;
}

static bool run_all(const settings *chosen)
{
    mote_context_def def = mote_context_default_def();
    def.thread_count = 1;
    mote_context *context;
    if (mote_context_create(&def, &context, NULL) != MOTE_OK) return false;
    mote_bounds *boxes = malloc(chosen->objects * sizeof *boxes), *queries = malloc(chosen->queries * sizeof *queries);
    bool good = boxes && queries;
    mote_random random = {6};
    for (size_t k = 0; k < chosen->objects && good; ++k) boxes[k] = make_box(&random, finest, CLASS_COUNT - 1);
    for (size_t k = 0; k < chosen->queries && good; ++k) queries[k] = make_box(&random, finest, 1);
    good = good && compare(chosen, context, boxes, queries);
    free(boxes);
    free(queries);
    mote_context_destroy(context);
    return good;
}

int main(int count, char **arguments)
{
    long long objects = 10000, queries = 200000, repeats = 3;
    const argument known[] = {
        {"--objects", "N", .number = &objects, .min = 1, .max = 1000000},
        {"--queries", "N", .number = &queries, .min = 1, .max = 100000000},
        {"--repeat", "N", .number = &repeats, .min = 1, .max = MOST_REPEATS},
    };
    if (!read_arguments("pouchol_hash_size", count, arguments, known, (int)(sizeof known / sizeof *known))) return 2;
    const settings chosen = {(size_t)objects, (size_t)queries, (int)repeats};
    return run_all(&chosen) && fflush(stdout) == 0 ? 0 : 1;
}
