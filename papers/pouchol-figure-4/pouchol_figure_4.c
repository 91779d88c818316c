// SPDX-License-Identifier: MIT
// Figure 4 of Pouchol et al. 2009: broad phases among random boxes of three orders of magnitude in a square of side
// 2^13, asked which boxes a short motion may hit, against the share of motions that hit any.
//
// The document's sizes are averages, its distribution is not told: edges vary by a half, so that classes in a row are
// in use, or all are just below the averages, so that there are three classes far apart. Besides, all objects are put
// into a corner: most of the square is then empty. One line of CSV for each number of objects and method, on standard
// output; times are of the processor, medians. Queries are asked one at a time as they come, and all in one call, which
// may sort them. All must find the same, or the run fails.

#include <stdio.h>
#include <string.h>

#include "box_kd_tree.h"
#include "measure.h"

enum { MOST_REPEATS = 101 };

typedef struct settings {
    size_t queries, objects;  // objects at most
    int repeats;
} settings;

typedef struct setting {
    const char *name;
    double varied;  // edges differ from the averages by this part of them at most
    double scale;   // of the averages
    double side;    // of the square that objects lie in
    double finest;  // edge of the finest cells
} setting;

static const double square = 0x1p13, longest_motion = 0x1p4;

static const setting all_settings[] = {
    {"many_sizes", 0.5, 1, 0x1p13, 0x1p2},
    {"three_sizes", 0, 0.9375, 0x1p13, 0x1p3},
    {"corner", 0.5, 1, 0x1p11, 0x1p2},
};
static const size_t object_counts[] = {10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000};
static const char *const methods[] = {"multilevel_hash", "hierarchical_hash", "bvh8", "auto"};

typedef struct outcome {
    double build_ms, single_ns, batch_ns;  // ns per query
    mote_broadphase_counters work;
    size_t bytes;
    uint64_t single_sum, batch_sum;  // of what was found, whatever its order
    size_t colliding;                // queries that found any
} outcome;

// ------------------------------------------------------------------------------------------------------- scene

static mote_bounds make_box(mote_random *random, const setting *chosen)
{
    const double kind = mote_random_unit(random), mean = kind < 0.1 ? 0x1p10 : kind < 0.35 ? 0x1p6 : 0x1p3;
    mote_bounds box = {{0}, {0}};
    for (int k = 0; k < 2; ++k) {
        const double varied = chosen->varied * (2 * mote_random_unit(random) - 1);
        const double edge = mean * chosen->scale * (1 + varied), at = chosen->side * mote_random_unit(random);
        box.min[k] = (float)(at - edge / 2);
        box.max[k] = (float)(at + edge / 2);
    }
    return box;
}

// The box of a motion from a random place, by at most longest_motion.
static mote_bounds make_motion(mote_random *random)
{
    double from[2], by[2];
    do {
        for (int k = 0; k < 2; ++k) by[k] = longest_motion * (2 * mote_random_unit(random) - 1);
    } while (by[0] * by[0] + by[1] * by[1] > longest_motion * longest_motion);
    mote_bounds box = {{0}, {0}};
    for (int k = 0; k < 2; ++k) {
        from[k] = square * mote_random_unit(random);
        box.min[k] = (float)fmin(from[k], from[k] + by[k]);
        box.max[k] = (float)fmax(from[k], from[k] + by[k]);
    }
    return box;
}

// ----------------------------------------------------------------------------------------------------- contenders

typedef struct finding {
    uint64_t query, sum;
} finding;

static bool note(void *data, uint32_t id)
{
    finding *found = data;
    found->sum += (2 * found->query + 1) * (id + 1);
    return true;
}

static bool ask_one_by_one(const mote_broadphase *broad, const mote_bounds *queries, size_t count, uint64_t *sum)
{
    finding found = {0, 0};
    mote_result result = MOTE_OK;
    for (; found.query < count && result == MOTE_OK; ++found.query)
        result = mote_broadphase_query_box(broad, queries + found.query, mote_filter_all(), note, &found, NULL);
    *sum = found.sum;
    return result == MOTE_OK;
}

static void read_rows(const mote_id_rows *rows, outcome *out)
{
    finding found = {0, 0};
    out->colliding = 0;
    for (size_t k = 0; k < rows->count; ++k) {
        found.query = k;
        for (uint32_t j = 0; j < rows->counts[k]; ++j) note(&found, rows->ids[rows->first[k] + j]);
        out->colliding += rows->counts[k] > 0;
    }
    out->batch_sum = found.sum;
}

static mote_broadphase *build(mote_context *context, const char *method, const setting *scene, mote_boxes boxes)
{
    mote_broadphase_def def = mote_broadphase_default_def();
    def.method = method;
    def.dimensions = 2;
    def.finest = scene->finest;
    def.unordered_rows = true;
    mote_broadphase *broad;
    if (mote_broadphase_create(context, &def, &broad, NULL) != MOTE_OK) return NULL;
    if (mote_broadphase_add_many(broad, boxes, MOTE_OBJECT_MOVING, mote_filter_all(), NULL, NULL) == MOTE_OK &&
        mote_broadphase_update(broad, NULL) == MOTE_OK)
        return broad;
    mote_broadphase_destroy(broad);
    return NULL;
}

static bool measure_method(const settings *chosen, mote_context *context, const char *method, const setting *scene,
                           const mote_bounds *boxes, size_t count, const mote_bounds *queries, outcome *out)
{
    double built[MOST_REPEATS], single[MOST_REPEATS], batch[MOST_REPEATS];
    const double per_query = 1e6 / (double)chosen->queries;
    bool good = true;
    for (int k = 0; k < chosen->repeats && good; ++k) {
        const double start = cpu_milliseconds();
        mote_broadphase *broad = build(context, method, scene, mote_boxes_bounds(boxes, count, 2));
        built[k] = cpu_milliseconds() - start;
        if (!broad) return false;
        const mote_boxes asked = mote_boxes_bounds(queries, chosen->queries, 2);
        mote_id_rows rows;  // the first call makes room
        good = mote_broadphase_query_boxes(broad, asked, mote_filter_all(), &rows, NULL) == MOTE_OK;
        const double begin = cpu_milliseconds();
        good = good && ask_one_by_one(broad, queries, chosen->queries, &out->single_sum);
        const double middle = cpu_milliseconds();
        good = good && mote_broadphase_query_boxes(broad, asked, mote_filter_all(), &rows, NULL) == MOTE_OK;
        batch[k] = (cpu_milliseconds() - middle) * per_query;
        single[k] = (middle - begin) * per_query;
        if (good) read_rows(&rows, out);
        out->work = mote_broadphase_get_counters(broad);
        out->bytes = mote_broadphase_byte_count(broad, NULL);
        mote_broadphase_destroy(broad);
    }
    out->build_ms = median(built, chosen->repeats);
    out->single_ns = median(single, chosen->repeats);
    out->batch_ns = median(batch, chosen->repeats);
    return good;
}

static bool measure_kd_tree(const settings *chosen, const mote_bounds *boxes, size_t count,
                            const mote_bounds *queries, outcome *out)
{
    double built[MOST_REPEATS], single[MOST_REPEATS];
    for (int k = 0; k < chosen->repeats; ++k) {
        kd_tree tree;
        kd_work work = {0, 0};
        finding found = {0, 0};
        const double start = cpu_milliseconds();
        if (!kd_build(&tree, boxes, count, (float)square)) return false;
        const double middle = cpu_milliseconds();
        for (; found.query < chosen->queries; ++found.query)
            kd_query(&tree, queries + found.query, note, &found, &work);
        single[k] = (cpu_milliseconds() - middle) * 1e6 / (double)chosen->queries;
        built[k] = middle - start;
        out->single_sum = out->batch_sum = found.sum;
        out->work = (mote_broadphase_counters){.cells = tree.node_count, .entries = tree.item_count,
                                               .lookups = work.nodes, .candidates = work.candidates};
        out->bytes = kd_byte_count(&tree, count);
        kd_release(&tree);
    }
    out->build_ms = median(built, chosen->repeats);
    out->batch_ns = out->single_ns = median(single, chosen->repeats);
    return true;
}

// --------------------------------------------------------------------------------------------------------- run

static void print_row(const settings *chosen, const setting *scene, size_t count, const char *method, size_t colliding,
                      const outcome *out)
{
    const double queries = (double)chosen->queries;
    printf("%s,%zu,%.2f,%s,%.3f,%.1f,%.1f,%llu,%llu,%.2f,%.2f,%zu\n", scene->name, count,
           100 * (double)colliding / queries, method, out->build_ms, out->single_ns, out->batch_ns,
           (unsigned long long)out->work.cells, (unsigned long long)out->work.entries,
           (double)out->work.lookups / queries, (double)out->work.candidates / queries, out->bytes);
    fflush(stdout);
}

// All contenders among the same objects, asked the same.
static bool compare(const settings *chosen, mote_context *context, const setting *scene, const mote_bounds *boxes,
                    size_t count, const mote_bounds *queries)
{
    outcome first = {0}, out = {0};
    const size_t method_count = sizeof methods / sizeof *methods;
    for (size_t m = 0; m <= method_count; ++m) {
        const char *name = m < method_count ? methods[m] : "kd_tree";
        const bool good = m < method_count
                              ? measure_method(chosen, context, name, scene, boxes, count, queries, &out)
                              : measure_kd_tree(chosen, boxes, count, queries, &out);
        if (m == 0) first = out;
        if (!good || out.single_sum != first.batch_sum || out.batch_sum != first.batch_sum) {
            fprintf(stderr, "pouchol_figure_4: %s, %zu objects: %s %s\n", scene->name, count, name,
                    good ? "finds something else than multilevel_hash" : "has failed");
            return false;
        }
        print_row(chosen, scene, count, name, first.colliding, &out);
    }
    return true;
}

static bool run_all(const settings *chosen)
{
    mote_context_def def = mote_context_default_def();
    def.thread_count = 1;
    mote_context *context;
    if (mote_context_create(&def, &context, NULL) != MOTE_OK) return false;
    const size_t sizes = sizeof object_counts / sizeof *object_counts, most = object_counts[sizes - 1];
    mote_bounds *boxes = malloc(most * sizeof *boxes), *queries = malloc(chosen->queries * sizeof *queries);
    bool good = boxes && queries;
    mote_random random = {4};
    for (size_t k = 0; good && k < chosen->queries; ++k) queries[k] = make_motion(&random);
    puts("setting,objects,share,method,build_ms,single_ns,batch_ns,cells,entries,lookups,candidates,bytes");
    for (size_t s = 0; good && s < sizeof all_settings / sizeof *all_settings; ++s) {
        random.state = 5;
        for (size_t k = 0; k < most; ++k) boxes[k] = make_box(&random, all_settings + s);
        for (size_t n = 0; good && n < sizes && object_counts[n] <= chosen->objects; ++n)
            good = compare(chosen, context, all_settings + s, boxes, object_counts[n], queries);
    }
    free(boxes);
    free(queries);
    mote_context_destroy(context);
    return good;
}

int main(int count, char **arguments)
{
    long long queries = 400000, objects = 10000, repeats = 3;
    const argument known[] = {
        {"--queries", "N", .number = &queries, .min = 1, .max = 100000000},
        {"--objects", "N", .number = &objects, .min = 1, .max = 4000000000},
        {"--repeat", "N", .number = &repeats, .min = 1, .max = MOST_REPEATS},
    };
    if (!read_arguments("pouchol_figure_4", count, arguments, known, (int)(sizeof known / sizeof *known))) return 2;
    const settings chosen = {(size_t)queries, (size_t)objects, (int)repeats};
    return run_all(&chosen) && fflush(stdout) == 0 ? 0 : 1;
}
