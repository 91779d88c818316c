// SPDX-License-Identifier: MIT
// Neighbour benchmarks: methods and peers on the same points, warm, in three jobs: full lists (neighbors), a sum over
// every point's neighbours without lists (visitor), and the k nearest (knn).
//
// A result counts only once it is checked (checks.c). Methods that are not exact must find neighbours alone; the row's
// name says how many of them.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "density.h"

enum { NEAREST = 8, SWEEP_COUNT = 100000, MOVES = 20 };

// What is measured.
typedef enum neighbor_job { FULL_LISTS, DENSITY_SUMS, NEAREST_POINTS } neighbor_job;
static const char *const job_names[] = {"neighbors", "visitor", "knn"};
static const uint32_t job_features[] = {0, MOTE_NEIGHBORS_DISTANCES, MOTE_NEIGHBORS_NEAREST};

// Methods that are measured unless others are named; up to BENCH_BRUTE_FORCE_LIMIT points all are.
static const char fast_methods[] = "auto,cell_grid,cell_index,kd_tree";
static const char moving_methods[] = "auto,cell_grid,cell_index,kd_tree,cell_hash_incremental";

// ---------------------------------------------------------------------------------------------------- measuring

// One row of the table while it is being measured.
typedef struct contender {
    neighbor_job job;
    const char *method;      // a method of ours, or
    bool is_approx;          // it may miss neighbours
    bool by_groups;          // sums over groups, not over rows
    const bench_peer *peer;  // a peer
    mote_context *context;
    mote_neighbors *search;
    float *densities;        // of the visitor
    bench_samples samples;
    bench_row row;
} contender;

static bool find_reference(neighbor_job job, const bench_points *set, bench_reference *right)
{
    return job == NEAREST_POINTS ? bench_find_nearest_reference(set, NEAREST, right) : bench_find_reference(set, right);
}

static bool measure_peer(contender *entry, const bench_points *set, const bench_reference *right, bool check)
{
    bench_peer_result result = {0};
    const uint32_t threads = entry->row.threads;
    bool done = entry->job == NEAREST_POINTS ? entry->peer->nearest(set, NEAREST, threads, check, &result)
                                             : entry->peer->search(set, threads, check, &result);
    if (!done) return false;
    if (check)
        entry->row.verified = result.pairs == right->pairs && result.checksum == right->checksum;
    else
        bench_samples_add(&entry->samples, result.build_s, result.query_s);
    entry->row.result = result.pairs;
    entry->row.bytes = result.bytes;
    return true;
}

// Does the job; answers the number of neighbours by `lists`, which has no rows where none are made.
static bool find(contender *entry, const bench_points *set, mote_lists *lists)
{
    *lists = (mote_lists){0};
    if (entry->job == FULL_LISTS) return mote_neighbors_lists(entry->search, lists, NULL) == MOTE_OK;
    if (entry->job == NEAREST_POINTS)
        return mote_neighbors_nearest(entry->search, NULL, NEAREST, lists, NULL) == MOTE_OK;
    bench_density task = {.limit = set->radius * set->radius, .densities = entry->densities};
    if (entry->by_groups) return mote_neighbors_visit_groups(entry->search, bench_sum_group, &task, NULL) == MOTE_OK;
    if (mote_neighbors_visit(entry->search, bench_sum_row, &task, NULL) != MOTE_OK) return false;
    for (int w = 0; w < BENCH_WORKERS; ++w) lists->total += task.pairs[w * BENCH_PADDING];
    return true;
}

static bool is_right(const contender *entry, const bench_points *set, const bench_reference *right,
                     const mote_lists *lists)
{
    if (entry->is_approx) return lists->total <= right->pairs && bench_is_subset(set, lists);
    const bool is_counted = !entry->by_groups;  // groups tell candidates, not neighbours
    if (is_counted && lists->total != right->pairs) return false;
    if (entry->job == DENSITY_SUMS) return bench_densities_are_right(set, entry->densities);
    if (entry->job == NEAREST_POINTS)
        return bench_nearest_checksum(set, lists) == right->checksum &&
               bench_nearest_samples_are_right(set, lists, NEAREST);
    return bench_lists_checksum(lists) == right->checksum && bench_samples_are_right(set, lists);
}

// One repetition; with `check`, the result is checked.
static bool measure(contender *entry, const bench_points *set, const bench_reference *right, bool check)
{
    if (entry->peer) return measure_peer(entry, set, right, check);
    double start = bench_seconds();
    if (mote_neighbors_update(entry->search, bench_points_view(set), NULL) != MOTE_OK) return false;
    double built = bench_seconds();
    mote_lists lists;
    if (!find(entry, set, &lists)) return false;
    double end = bench_seconds();
    entry->row.result = entry->by_groups ? right->pairs : lists.total;
    size_t list_bytes;
    entry->row.bytes = mote_neighbors_byte_count(entry->search, &list_bytes);
    if (!check) {
        bench_samples_add(&entry->samples, built - start, end - built);
        return true;
    }
    entry->row.verified = is_right(entry, set, right, &lists);
    if (entry->is_approx) {
        double share = right->pairs ? 100 * (double)lists.total / (double)right->pairs : 100;
        snprintf(entry->row.name, sizeof entry->row.name, "%s (finds %.0f %%)", entry->method, share);
    }
    return true;
}

static bool start(contender *entry, const bench_points *set, uint32_t threads)
{
    if (entry->peer) return true;
    mote_context_def context_def = bench_context_def(threads);
    if (mote_context_create(&context_def, &entry->context, NULL) != MOTE_OK) return false;
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = (double)set->radius;
    def.method = entry->method;
    def.features = entry->by_groups ? MOTE_NEIGHBORS_GROUPS : job_features[entry->job];
    if (entry->job == DENSITY_SUMS) entry->densities = malloc((set->count + 1) * sizeof *entry->densities);
    if (entry->job == DENSITY_SUMS && !entry->densities) return false;
    return mote_neighbors_create(entry->context, &def, &entry->search, NULL) == MOTE_OK;
}

static void stop(contender *entry)
{
    free(entry->densities);
    mote_neighbors_destroy(entry->search);
    mote_context_destroy(entry->context);
}

// Whether a method is measured. For sums and nearest ones the fast methods stand for all.
static bool wants_method(const bench_options *options, neighbor_job job, const bench_workload *workload,
                         const mote_neighbors_method_info *info, size_t count)
{
    if ((info->features & job_features[job]) != job_features[job]) return false;
    if (job != FULL_LISTS && !info->exact) return false;
    if (options->methods) return bench_wants(options->methods, info->name);
    bool is_small = job == FULL_LISTS && count <= BENCH_BRUTE_FORCE_LIMIT;
    return is_small || bench_wants(workload->move ? moving_methods : fast_methods, info->name);
}

// Who is measured: `count` of them, to be freed; NULL when memory ran out.
static contender *list_contenders(const bench_options *options, neighbor_job job, const bench_workload *workload,
                                  size_t point_count, size_t *count_out)
{
    size_t count = 0, most = 1;
    const mote_neighbors_method_info *info;
    const bench_peer *peers;
    size_t peer_count = job == DENSITY_SUMS ? 0 : bench_neighbor_peers(&peers);
    for (size_t m = 0; mote_neighbors_method_at(m); ++m) ++most;
    contender *entries = malloc((2 * most + peer_count) * sizeof *entries);
    if (!entries) return NULL;
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL; ++m)
        if (wants_method(options, job, workload, info, point_count)) {
            entries[count++] = (contender){.job = job, .method = info->name, .is_approx = !info->exact};
            if (job == DENSITY_SUMS && (info->features & MOTE_NEIGHBORS_GROUPS))
                entries[count++] = (contender){.job = job, .method = info->name, .by_groups = true};
        }
    for (size_t p = 0; p < peer_count; ++p) {
        if (bench_wants_row(options->methods, peers[p].name))
            entries[count++] = (contender){.job = job, .peer = peers + p};
    }
    *count_out = count;
    return entries;
}

// Makes everyone ready; once to warm up and be checked.
static int start_all(const bench_options *options, const bench_workload *workload, const bench_points *set,
                     const bench_reference *right, uint32_t threads, contender *entries, size_t count)
{
    int status = 0;
    for (size_t e = 0; e < count; ++e) {
        contender *entry = entries + e;
        bench_row row = {.bench = job_names[entry->job], .workload = workload->name, .is_peer = entry->peer != NULL};
        snprintf(row.name, sizeof row.name, "%s%s", entry->peer ? entry->peer->name : entry->method,
                 entry->by_groups ? " (groups)" : "");
        row.count = row.queries = set->count;
        row.threads = threads;
        entry->row = row;
        bench_progress(options, "%s, %zu points, %u threads: checking %s", workload->name, set->count, threads,
                       row.name);
        if (!start(entry, set, threads) || !measure(entry, set, right, true)) {
            fprintf(stderr, "mote bench: %s failed on %s\n", row.name, workload->name);
            status = 1;
        }
    }
    return status;
}

// Checks everyone once more where the points have moved to.
static int check_moved(const bench_points *set, neighbor_job job, contender *entries, size_t count)
{
    bench_reference right;
    int status = !find_reference(job, set, &right);
    for (size_t e = 0; e < count && status == 0; ++e) {
        const bool before = entries[e].row.verified;
        if (!measure(entries + e, set, &right, true)) status = 1;
        entries[e].row.verified &= before;
    }
    return status;
}

// In turn, so that a drift of the machine's speed meets all alike. Moving points move before every turn.
static int measure_all(const bench_options *options, neighbor_job job, const bench_workload *workload,
                       bench_points *set, const bench_reference *right, uint32_t threads, bench_report *report)
{
    size_t count;
    contender *entries = list_contenders(options, job, workload, set->count, &count);
    if (!entries) return 1;
    const uint32_t repeat = options->repeat ? options->repeat : workload->move ? MOVES : 5;
    int status = start_all(options, workload, set, right, threads, entries, count);
    for (uint32_t turn = 0; turn < repeat && status == 0; ++turn) {
        if (workload->move) workload->move(turn + 1, set);
        for (size_t e = 0; e < count; ++e) {
            bool slow = entries[e].samples.count > 0 && entries[e].samples.total[0] > 1;
            if (slow && !options->repeat && !workload->move && turn >= 3) continue;
            bench_progress(options, "%s, %zu points, %u threads: %s, repetition %u", workload->name, set->count,
                           threads, entries[e].row.name, turn + 1);
            if (!measure(entries + e, set, right, false)) status = 1;
        }
    }
    if (workload->move && status == 0) status = check_moved(set, job, entries, count);
    for (size_t e = 0; e < count; ++e) {
        bench_samples_finish(&entries[e].samples, &entries[e].row);
        if (!entries[e].row.verified) status = 1;
        bench_report_add(report, entries[e].row);
        stop(entries + e);
    }
    free(entries);
    return status;
}

static int measure_with_threads(const bench_options *options, neighbor_job job, const bench_workload *workload,
                                size_t point_count, uint32_t threads, bench_report *report)
{
    bench_points set;
    bench_reference right;
    if (!workload->make(point_count, &set)) {
        fprintf(stderr, "mote bench: no memory for %zu points\n", point_count);
        return 1;
    }
    int status = 1;
    if (find_reference(job, &set, &right))
        status = measure_all(options, job, workload, &set, &right, threads, report);
    else
        fprintf(stderr, "mote bench: no memory to check %zu points\n", point_count);
    free(set.xyz);
    return status;
}

static int measure_workload(const bench_options *options, neighbor_job job, const bench_workload *workload,
                            size_t point_count, bench_report *report)
{
    const uint32_t all = mote_context_worker_count(NULL);
    int status = measure_with_threads(options, job, workload, point_count, options->threads ? options->threads : 1,
                                      report);
    if (!options->threads && all > 1)
        status |= measure_with_threads(options, job, workload, point_count, all, report);
    return status;
}

static int run_job(const bench_options *options, neighbor_job job, bench_report *report)
{
    static const size_t sweep[] = {10000, 31623, 100000, 316228, 1000000, 4000000};
    int status = 0;
    for (size_t w = 0; w < bench_point_workload_count; ++w) {
        const bench_workload *workload = bench_point_workloads + w;
        bool wanted = options->workloads ? bench_wants_workload(options->workloads, workload->name)
                                         : options->full || workload->by_default;
        if (!wanted) continue;
        size_t usual = workload->sweeps_neighbors ? SWEEP_COUNT : 1000000;
        if (options->full && !options->count && !workload->sweeps_neighbors) {
            for (size_t s = 0; s < sizeof sweep / sizeof *sweep; ++s)
                status |= measure_workload(options, job, workload, sweep[s], report);
        } else {
            status |= measure_workload(options, job, workload, options->count ? options->count : usual, report);
        }
    }
    return status;
}

static const char *workload_name(size_t number)
{
    return number < bench_point_workload_count ? bench_point_workloads[number].name : NULL;
}

static int measure_job(const bench_options *options, neighbor_job job, bench_report *report)
{
    if (!bench_knows_workloads(options->workloads, workload_name)) return 2;
    int status = run_job(options, job, report);
    if (options->full && report->count > 0) bench_draw(options, job_names[job], "points", report);
    return status;
}

int bench_neighbors(const bench_options *options, bench_report *report)
{
    return measure_job(options, FULL_LISTS, report);
}

int bench_visitor(const bench_options *options, bench_report *report)
{
    return measure_job(options, DENSITY_SUMS, report);
}

int bench_nearest(const bench_options *options, bench_report *report)
{
    return measure_job(options, NEAREST_POINTS, report);
}
