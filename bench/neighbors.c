// Neighbour benchmark: every method and every peer on the same points, warm, lists in full.
//
// A result counts only once it is checked: up to 20,000 points against all pairs; above, the rows of 1,000 sampled
// points against brute force, and an order-independent checksum of all pairs against a second search whose cells are
// a quarter wider and whose candidates are filtered by the distance test. Methods that are not exact must find
// neighbours alone; the row's name says how many of them.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "mote/neighbors.h"

enum { BRUTE_FORCE_LIMIT = 20000, SAMPLES = 1000 };

static mote_points as_points(const bench_points *set)
{
    return set->dimensions == 2 ? mote_points_xy(set->xyz, set->count) : mote_points_xyz(set->xyz, set->count);
}

static bool is_near(const bench_points *set, size_t i, size_t j)
{
    float sum = 0;
    for (int k = 0; k < set->dimensions; ++k) {
        float d = set->xyz[j * (size_t)set->dimensions + (size_t)k] - set->xyz[i * (size_t)set->dimensions + (size_t)k];
        sum = k == 0 ? d * d : sum + d * d;
    }
    return sum <= set->radius * set->radius;
}

// ----------------------------------------------------------------------------------------------------- checking

static uint64_t lists_checksum(const mote_lists *lists)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < lists->count; ++i) {
        mote_row row = mote_lists_row(lists, i);
        for (uint32_t k = 0; k < row.count; ++k) sum += bench_pair_hash(i, row.indices[k]);
    }
    return sum;
}

// Compares the rows of sampled points with brute force.
static bool samples_are_right(const bench_points *set, const mote_lists *lists)
{
    mote_random random = {99};
    unsigned char *seen = calloc(set->count ? set->count : 1, 1);
    bool right = seen != NULL;
    for (int s = 0; s < SAMPLES && right && set->count; ++s) {
        uint32_t i = mote_random_below(&random, (uint32_t)set->count);
        mote_row row = mote_lists_row(lists, i);
        for (uint32_t k = 0; k < row.count; ++k) seen[row.indices[k]] += 1;
        for (size_t j = 0; j < set->count; ++j) {
            unsigned char expected = j != i && is_near(set, i, j);
            right = right && seen[j] == expected;
            seen[j] = 0;
        }
    }
    free(seen);
    return right;
}

// Whether rows hold neighbours alone, each once: all that a method which is not exact promises.
static bool is_subset(const bench_points *set, const mote_lists *lists)
{
    uint32_t *last_row = calloc(set->count ? set->count : 1, sizeof *last_row);  // that a point stood in, and one more
    bool right = last_row != NULL;
    for (uint32_t i = 0; i < lists->count && right; ++i) {
        mote_row row = mote_lists_row(lists, i);
        for (uint32_t k = 0; k < row.count && right; ++k) {
            uint32_t j = row.indices[k];
            right = j != i && last_row[j] != i + 1 && is_near(set, i, j);
            last_row[j] = i + 1;
        }
    }
    free(last_row);
    return right;
}

typedef struct filter_task {
    const bench_points *set;
    uint64_t pairs[1024], checksum[1024];  // by worker
} filter_task;

static void filter_row(void *data, mote_row row, uint32_t worker)
{
    filter_task *task = data;
    for (uint32_t k = 0; k < row.count; ++k) {
        if (!is_near(task->set, row.index, row.indices[k])) continue;
        task->pairs[worker % 1024] += 1;
        task->checksum[worker % 1024] += bench_pair_hash(row.index, row.indices[k]);
    }
}

// What a right answer is: number of pairs and checksum.
static bool find_reference(const bench_points *set, uint64_t *pairs, uint64_t *checksum)
{
    mote_neighbors_def def = mote_neighbors_default_def();
    bool brute = set->count <= BRUTE_FORCE_LIMIT;
    def.method = brute ? "all_pairs" : "cell_grid";
    def.radius = brute ? (double)set->radius : 1.25 * (double)set->radius;
    mote_context_def context_def = mote_context_default_def();
    context_def.thread_count = 1;
    mote_context *context;
    if (mote_context_create(&context_def, &context) != MOTE_OK) return false;
    mote_neighbors *search;
    filter_task *task = calloc(1, sizeof *task);
    bool done = task && mote_neighbors_create(context, &def, &search) == MOTE_OK;
    if (done) {
        task->set = set;
        done = mote_neighbors_update(search, as_points(set)) == MOTE_OK &&
               mote_neighbors_visit(search, filter_row, task) == MOTE_OK;
        *pairs = task->pairs[0];
        *checksum = task->checksum[0];
        mote_neighbors_destroy(search);
    }
    free(task);
    mote_context_destroy(context);
    return done;
}

// ---------------------------------------------------------------------------------------------------- measuring

typedef struct reference {
    uint64_t pairs, checksum;
} reference;

// One row of the table while it is being measured.
typedef struct contender {
    const char *method;      // a method of ours, or
    bool is_approx;          // it may miss neighbours
    const bench_peer *peer;  // a peer
    mote_context *context;
    mote_neighbors *search;
    bench_samples samples;
    bench_row row;
} contender;

// One repetition; with `check`, the result is checked.
static bool measure(contender *entry, const bench_points *set, const reference *right, bool check)
{
    if (entry->peer) {
        bench_peer_result result = {0};
        if (!entry->peer->search(set, entry->row.threads, check, &result)) return false;
        if (check)
            entry->row.verified = result.pairs == right->pairs && result.checksum == right->checksum;
        else
            bench_samples_add(&entry->samples, result.build_s, result.query_s);
        entry->row.result = result.pairs;
        entry->row.bytes = result.bytes;
        return true;
    }
    double start = bench_seconds();
    if (mote_neighbors_update(entry->search, as_points(set)) != MOTE_OK) return false;
    double built = bench_seconds();
    mote_lists lists;
    if (mote_neighbors_lists(entry->search, &lists) != MOTE_OK) return false;
    double end = bench_seconds();
    if (!check) bench_samples_add(&entry->samples, built - start, end - built);
    entry->row.result = lists.total;
    size_t list_bytes;
    entry->row.bytes = mote_neighbors_byte_count(entry->search, &list_bytes);
    if (check && entry->is_approx) {
        double share = right->pairs ? 100 * (double)lists.total / (double)right->pairs : 100;
        snprintf(entry->row.name, sizeof entry->row.name, "%s (finds %.0f %%)", entry->method, share);
        entry->row.verified = lists.total <= right->pairs && is_subset(set, &lists);
    } else if (check) {
        entry->row.verified = lists.total == right->pairs && lists_checksum(&lists) == right->checksum &&
                              samples_are_right(set, &lists);
    }
    return true;
}

static bool start(contender *entry, const bench_points *set, uint32_t threads)
{
    if (entry->peer) return true;
    mote_context_def context_def = mote_context_default_def();
    context_def.thread_count = threads;
    if (mote_context_create(&context_def, &entry->context) != MOTE_OK) return false;
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = (double)set->radius;
    def.method = entry->method;
    return mote_neighbors_create(entry->context, &def, &entry->search) == MOTE_OK;
}

static void stop(contender *entry)
{
    mote_neighbors_destroy(entry->search);
    mote_context_destroy(entry->context);
}

static size_t list_contenders(const bench_options *options, const bench_points *set, contender *entries, size_t most)
{
    size_t count = 0;
    const mote_neighbors_method_info *info;
    for (size_t m = 0; (info = mote_neighbors_method_at(m)) != NULL && count < most; ++m) {
        bool named = options->methods && bench_wants(options->methods, info->name);
        bool brute = strcmp(info->name, "all_pairs") == 0;
        if (named || (!options->methods && !(brute && set->count > BRUTE_FORCE_LIMIT)))
            entries[count++] = (contender){.method = info->name, .is_approx = !info->exact};
    }
    const bench_peer *peers;
    size_t peer_count = bench_neighbor_peers(&peers);
    for (size_t p = 0; p < peer_count && count < most; ++p) {
        char short_name[32];  // up to the remark in brackets that says how it is called
        snprintf(short_name, sizeof short_name, "%.*s", (int)strcspn(peers[p].name, " "), peers[p].name);
        if (bench_wants(options->methods, peers[p].name) || bench_wants(options->methods, short_name))
            entries[count++] = (contender){.peer = peers + p};
    }
    return count;
}

// Everyone once to warm up and be checked, then in turn, so that a drift of the machine's speed meets all alike.
static int measure_all(const bench_options *options, const bench_workload *workload, const bench_points *set,
                       const reference *right, uint32_t threads, bench_report *report)
{
    enum { MOST = 16 };
    contender entries[MOST];
    size_t count = list_contenders(options, set, entries, MOST);
    uint32_t repeat = options->repeat ? options->repeat : 5;
    int status = 0;
    for (size_t e = 0; e < count; ++e) {
        contender *entry = entries + e;
        bench_row row = {.bench = "neighbors", .workload = workload->name, .is_peer = entry->peer != NULL};
        snprintf(row.name, sizeof row.name, "%s", entry->peer ? entry->peer->name : entry->method);
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
    for (uint32_t turn = 0; turn < repeat && status == 0; ++turn)
        for (size_t e = 0; e < count; ++e) {
            bool slow = entries[e].samples.count > 0 && entries[e].samples.total[0] > 1;
            if (slow && !options->repeat && turn >= 3) continue;
            bench_progress(options, "%s, %zu points, %u threads: %s, repetition %u", workload->name, set->count,
                           threads, entries[e].row.name, turn + 1);
            if (!measure(entries + e, set, right, false)) status = 1;
        }
    for (size_t e = 0; e < count; ++e) {
        bench_samples_finish(&entries[e].samples, &entries[e].row);
        if (!entries[e].row.verified) status = 1;
        bench_report_add(report, entries[e].row);
        stop(entries + e);
    }
    return status;
}

static int measure_workload(const bench_options *options, const bench_workload *workload, size_t point_count,
                            bench_report *report)
{
    bench_points set;
    reference right;
    if (!workload->make(point_count, &set)) {
        fprintf(stderr, "mote bench: no memory for %zu points\n", point_count);
        return 1;
    }
    int status = find_reference(&set, &right.pairs, &right.checksum) ? 0 : 1;
    uint32_t all = mote_context_worker_count(NULL);
    if (options->threads || all == 1) {
        status |= measure_all(options, workload, &set, &right, options->threads ? options->threads : 1, report);
    } else {
        status |= measure_all(options, workload, &set, &right, 1, report);
        status |= measure_all(options, workload, &set, &right, all, report);
    }
    free(set.xyz);
    return status;
}

int bench_neighbors(const bench_options *options, bench_report *report)
{
    static const size_t sweep[] = {10000, 31623, 100000, 316228, 1000000, 4000000};
    int status = 0;
    bool any = false;
    for (size_t w = 0; w < bench_point_workload_count; ++w) {
        const bench_workload *workload = bench_point_workloads + w;
        bool wanted = options->workloads ? bench_wants(options->workloads, workload->name)
                                         : options->full || workload->by_default;
        if (!wanted) continue;
        any = true;
        if (options->full && !options->count) {
            for (size_t s = 0; s < sizeof sweep / sizeof *sweep; ++s)
                status |= measure_workload(options, workload, sweep[s], report);
        } else {
            status |= measure_workload(options, workload, options->count ? options->count : 1000000, report);
        }
    }
    if (any) return status;
    fprintf(stderr, "mote bench: unknown workload '%s', expected one of those of mote bench --help\n",
            options->workloads);
    return 2;
}
