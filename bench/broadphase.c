// SPDX-License-Identifier: MIT
// mote bench broadphase: methods and peers side by side: boxes that look in among objects, and all pairs of those that
// move.

#include <stdio.h>
#include <stdlib.h>

#include "box_checks.h"
#include "mote/broadphase.h"

// Without --full a minute or two have to do: one thread, fewer queries and repetitions.
enum { STEPS = 10, REPETITIONS = 5, SHORT_STEPS = 5, SHORT_REPETITIONS = 3, SHORT_QUERIES = 100000 };
static const double brute_force_limit = 2.5e9, short_brute_force_limit = 1e8;  // boxes tested; some ten seconds

// One row of the table: a method, or a peer.
typedef struct contender {
    const char *method;  // NULL: a peer
    const bench_box_peer *peer;
    mote_context *context;
    mote_broadphase *broad;  // of pairs, from step to step; and what the last build made
    void *structure;         // of a peer, likewise
    bench_samples samples;
    bench_row row;
} contender;

// What everyone works on.
typedef struct box_job {
    const bench_box_workload *workload;
    bench_boxes objects, queries;  // no queries: pairs
    float *velocities;
    uint32_t threads;
    bench_box_result right;
} box_job;

static bool is_pairs(const box_job *job)
{
    return job->workload->make_queries == NULL;
}

// --------------------------------------------------------------------------------------------------- repetitions

static mote_boxes view(const bench_boxes *boxes)
{
    mote_boxes all = mote_boxes_corners(boxes->corners, boxes->count, 3);
    all.dimensions = boxes->dimensions;
    return all;
}

static bool build_method(contender *entry, const box_job *job)
{
    mote_broadphase_def def = mote_broadphase_default_def();
    def.method = entry->method;
    def.dimensions = job->objects.dimensions;
    def.unordered_rows = true;
    return mote_broadphase_create(entry->context, &def, &entry->broad, NULL) == MOTE_OK &&
           mote_broadphase_add_many(entry->broad, view(&job->objects), MOTE_OBJECT_MOVING, mote_filter_all(), NULL,
                                    NULL) == MOTE_OK &&
           mote_broadphase_update(entry->broad, NULL) == MOTE_OK;
}

static bool query_method(contender *entry, const box_job *job, bool check, bench_box_result *result)
{
    mote_id_rows rows;
    if (mote_broadphase_query_boxes(entry->broad, view(&job->queries), mote_filter_all(), &rows, NULL) != MOTE_OK)
        return false;
    *result = (bench_box_result){rows.total, 0};
    for (size_t i = 0; check && i < rows.count; ++i)
        for (uint32_t k = 0; k < rows.counts[i]; ++k)
            result->checksum += bench_pair_hash((uint32_t)i, rows.ids[rows.first[i] + k]);
    return true;
}

// Where the objects are now, and all their pairs.
static bool find_pairs(contender *entry, const box_job *job, bool check, bench_box_result *result)
{
    if (entry->peer) {
        entry->peer->pairs(entry->structure, &job->objects, check, result);
        return true;
    }
    mote_pairs pairs;
    if (mote_broadphase_move_many(entry->broad, NULL, view(&job->objects), NULL) != MOTE_OK) return false;
    if (mote_broadphase_pairs(entry->broad, &pairs, NULL) != MOTE_OK) return false;
    *result = (bench_box_result){pairs.count, 0};
    for (size_t k = 0; check && k < pairs.count; ++k)
        result->checksum += bench_pair_hash(pairs.pairs[k].a, pairs.pairs[k].b);
    return true;
}

static void release_structure(contender *entry)
{
    mote_broadphase_destroy(entry->broad);
    entry->broad = NULL;
    if (entry->structure) entry->peer->release(entry->structure);
    entry->structure = NULL;
}

static bool build(contender *entry, const box_job *job)
{
    release_structure(entry);
    if (!entry->peer) return build_method(entry, job);
    entry->structure = entry->peer->build(&job->objects);
    return entry->structure != NULL;
}

// One repetition: built anew and asked all, or, of pairs, a step. With `check`, the result is checked. A method is
// asked once before its time counts: peers write into lists that are there from the last time.
static bool measure(contender *entry, const box_job *job, bool check)
{
    bench_box_result result = {0, 0};
    const double start = bench_seconds();
    if ((!is_pairs(job) || (!entry->broad && !entry->structure)) && !build(entry, job)) return false;
    const double built = bench_seconds();
    bool done = is_pairs(job) || entry->peer || query_method(entry, job, false, &result);
    const double asked = bench_seconds();
    if (is_pairs(job))
        done &= find_pairs(entry, job, check, &result);
    else if (entry->peer)
        entry->peer->query(entry->structure, &job->queries, job->threads, check, &result);
    else
        done &= query_method(entry, job, check, &result);
    const double end = bench_seconds();
    entry->row.result = result.overlaps;
    if (entry->broad) entry->row.bytes = mote_broadphase_byte_count(entry->broad, NULL);
    if (check)
        entry->row.verified &= result.overlaps == job->right.overlaps && result.checksum == job->right.checksum;
    else
        bench_samples_add(&entry->samples, built - start, end - asked);
    return done;
}

// -------------------------------------------------------------------------------------------------------- rows

// Brute force, which looks at all objects for every query, goes without saying only where that is quick.
static bool wants_method(const bench_options *options, const char *name, const box_job *job)
{
    if (options->methods) return bench_wants(options->methods, name);
    const double queries = (double)(is_pairs(job) ? job->objects.count : job->queries.count);
    const double most = options->full ? brute_force_limit : short_brute_force_limit;
    return (double)job->objects.count * queries <= most || strcmp(name, "brute_force") != 0;
}

// Who is measured: `count` of them, to be freed; NULL when memory ran out.
static contender *list_contenders(const bench_options *options, const box_job *job, size_t *count_out)
{
    const bench_box_peer *const *peers;
    const size_t peer_count = bench_box_peers(&peers);
    const mote_broadphase_method_info *info;
    size_t most = peer_count + 1, count = 0;
    for (size_t m = 0; mote_broadphase_method_at(m); ++m) ++most;
    contender *entries = calloc(most, sizeof *entries);
    if (!entries) return NULL;
    for (size_t m = 0; (info = mote_broadphase_method_at(m)) != NULL; ++m)
        if (wants_method(options, info->name, job)) entries[count++].method = info->name;
    for (size_t p = 0; p < peer_count; ++p) {
        if (is_pairs(job) && (!peers[p]->pairs || job->threads > 1)) continue;
        if (bench_wants_row(options->methods, peers[p]->name)) entries[count++].peer = peers[p];
    }
    *count_out = count;
    return entries;
}

static bool start(contender *entry, const box_job *job)
{
    bench_row row = {.bench = "broadphase", .workload = job->workload->name, .is_peer = entry->peer != NULL};
    snprintf(row.name, sizeof row.name, "%s", entry->peer ? entry->peer->name : entry->method);
    row.count = job->objects.count;
    row.queries = is_pairs(job) ? job->objects.count : job->queries.count;
    row.threads = job->threads;
    row.verified = true;
    entry->row = row;
    if (entry->peer) return true;
    mote_context_def def = bench_context_def(job->threads);
    return mote_context_create(&def, &entry->context, NULL) == MOTE_OK;
}

static void stop(contender *entry)
{
    release_structure(entry);
    mote_context_destroy(entry->context);
}

static int fail(const contender *entry)
{
    fprintf(stderr, "mote bench: %s failed on %s\n", entry->row.name, entry->row.workload);
    return 1;
}

// All in turn, so that a drift of the machine's speed meets all alike. Objects that move do so before every turn.
static int measure_turns(const bench_options *options, box_job *job, contender *entries, size_t count)
{
    const uint32_t steps = options->full ? STEPS : SHORT_STEPS;
    const uint32_t repetitions = options->full ? REPETITIONS : SHORT_REPETITIONS;
    const uint32_t repeat = options->repeat ? options->repeat : is_pairs(job) ? steps : repetitions;
    for (uint32_t turn = 0; turn < repeat; ++turn) {
        if (job->workload->move) job->workload->move(&job->objects, job->velocities);
        for (size_t e = 0; e < count; ++e) {
            const bool slow = entries[e].samples.count > 0 && entries[e].samples.total[0] > 2;
            if (slow && !options->repeat && !is_pairs(job) && turn >= 2) continue;
            bench_progress(options, "%s, %zu objects, %u threads: %s, repetition %u", job->workload->name,
                           job->objects.count, job->threads, entries[e].row.name, turn + 1);
            if (!measure(entries + e, job, false)) return fail(entries + e);
        }
    }
    return 0;
}

// Once to warm up and be checked; of moving objects also where they end.
static int check_all(const bench_options *options, box_job *job, contender *entries, size_t count)
{
    if (!bench_find_box_reference(&job->objects, is_pairs(job) ? NULL : &job->queries, &job->right)) {
        fprintf(stderr, "mote bench: %s could not be checked\n", job->workload->name);
        return 1;
    }
    for (size_t e = 0; e < count; ++e) {
        bench_progress(options, "%s, %zu objects, %u threads: checking %s", job->workload->name, job->objects.count,
                       job->threads, entries[e].row.name);
        if (!measure(entries + e, job, true)) return fail(entries + e);
    }
    return 0;
}

static int measure_job(const bench_options *options, box_job *job, bench_report *report)
{
    size_t count;
    int status = 0;
    contender *entries = list_contenders(options, job, &count);
    if (!entries) return 1;
    for (size_t e = 0; e < count && status == 0; ++e)
        if (!start(entries + e, job)) status = fail(entries + e);
    if (status == 0) status = check_all(options, job, entries, count);
    if (status == 0) status = measure_turns(options, job, entries, count);
    if (status == 0 && is_pairs(job)) status = check_all(options, job, entries, count);
    for (size_t e = 0; e < count; ++e) {
        bench_samples_finish(&entries[e].samples, &entries[e].row);
        if (!entries[e].row.verified) status = 1;
        bench_report_add(report, entries[e].row);
        stop(entries + e);
    }
    free(entries);
    return status;
}

static int measure_with_threads(const bench_options *options, const bench_box_workload *workload, size_t count,
                                uint32_t threads, bench_report *report)
{
    box_job job = {.workload = workload, .threads = threads};
    bool made = workload->make(count, &job.objects);
    size_t queries = workload->queries;
    if (!options->full && queries > SHORT_QUERIES) queries = SHORT_QUERIES;
    if (made && workload->make_queries) made = workload->make_queries(queries, &job.queries);
    if (made && workload->make_velocities) {
        job.velocities = malloc((3 * count + 1) * sizeof *job.velocities);
        made = job.velocities != NULL;
        if (made) workload->make_velocities(&job.objects, job.velocities);
    }
    int status = 1;
    if (made)
        status = measure_job(options, &job, report);
    else
        fprintf(stderr, "mote bench: no memory for %zu boxes\n", count);
    free(job.objects.corners);
    free(job.queries.corners);
    free(job.velocities);
    return status;
}

static const char *workload_name(size_t number)
{
    return number < bench_box_workload_count ? bench_box_workloads[number].name : NULL;
}

int bench_broadphase(const bench_options *options, bench_report *report)
{
    if (!bench_knows_workloads(options->workloads, workload_name)) return 2;
    const uint32_t all = mote_context_worker_count(NULL);
    int status = 0;
    for (size_t w = 0; w < bench_box_workload_count; ++w) {
        const bench_box_workload *workload = bench_box_workloads + w;
        if (!bench_wants(options->workloads, workload->name)) continue;
        const bool is_first = workload->meaning != NULL;
        if (options->count ? !is_first : !options->full && !workload->by_default) continue;
        const size_t count = options->count ? options->count : workload->count;
        status |= measure_with_threads(options, workload, count, options->threads ? options->threads : 1, report);
        if (!options->threads && all > 1 && options->full)
            status |= measure_with_threads(options, workload, count, all, report);
    }
    if (options->full && report->count > 0) bench_draw(options, "broadphase", "objects", report);
    return status;
}
