// SPDX-License-Identifier: MIT
// mote bench hits: first hits of a million short motions with a mesh: ours, the octree proxy, and other libraries' ray
// casts beside them; with --full as a curve over the size of the mesh.
//
// What one thread takes is measured in time of the processor, so that others on the machine count less.

#include "hits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "mote/hits.h"
#include "mote/proxy.h"

enum { SAMPLES = 1000 };

// Who answers: ours, or a peer, which may be given motions in Morton order, sorted before or within its time.
typedef enum contender_kind {
    EXACT_HITS,
    PROXY,
    PROXY_WITHOUT_LABELS,
    PEER,
    PEER_PRESORTED,
    PEER_SORTING
} contender_kind;

typedef struct proxy_state {
    mote_proxy *tree;
    float *velocities;
    uint8_t *labels;
    mote_proxy_hit *hits;
    mote_proxy_particles particles;
} proxy_state;

typedef struct contender {
    contender_kind kind;
    const bench_hit_peer *peer;
    void *structure;  // the peer's
    bool borrows;     // that of the contender before
    mote_context *context;
    mote_hits *hits;
    proxy_state proxy;
    double built;  // [s]
    bench_samples samples;
    bench_row row;
} contender;

typedef struct hit_job {
    const bench_options *options;
    const mote_mesh *mesh;
    const bench_hit_workload *workload;
    bench_motions all;
    bench_sorted sorted;
    uint32_t threads;
    uint64_t hits;  // as they are, once known; UINT64_MAX: nobody has looked
} hit_job;

static double seconds_now(const hit_job *job)
{
    return job->threads == 1 ? bench_cpu_seconds() : bench_seconds();
}

// -------------------------------------------------------------------------------------------------------- proxy

static void release_proxy(proxy_state *proxy)
{
    mote_proxy_destroy(proxy->tree);
    free(proxy->velocities);
    free(proxy->labels);
    free(proxy->hits);
}

// Motions become velocities for a time step of 1; labels are stamped once, as a simulation does.
static bool build_proxy(contender *entry, const hit_job *job)
{
    proxy_state *proxy = &entry->proxy;
    const size_t n = job->all.count;
    const double start = seconds_now(job);
    if (mote_proxy_create(entry->context, NULL, &job->mesh, 1, &proxy->tree, NULL) != MOTE_OK) return false;
    entry->built = seconds_now(job) - start;
    const mote_proxy_stats stats = mote_proxy_get_stats(proxy->tree);
    entry->row.bytes = stats.node_bytes + stats.table_bytes;
    proxy->velocities = malloc(3 * n * sizeof *proxy->velocities);
    proxy->labels = calloc(n, 1);
    proxy->hits = malloc(n * sizeof *proxy->hits);
    if (!proxy->velocities || !proxy->labels || !proxy->hits) return false;
    for (size_t k = 0; k < 3 * n; ++k) proxy->velocities[k] = job->all.to[k] - job->all.from[k];
    proxy->particles = mote_proxy_particles_xyz(job->all.from, proxy->velocities, proxy->labels, n);
    if (mote_proxy_stamp(proxy->tree, &proxy->particles, NULL) != MOTE_OK) return false;
    if (entry->kind == PROXY_WITHOUT_LABELS) proxy->particles.labels = NULL;
    return true;
}

static bool query_proxy(contender *entry)
{
    const proxy_state *proxy = &entry->proxy;
    return mote_proxy_hits(proxy->tree, &proxy->particles, 1, proxy->hits, NULL) == MOTE_OK;
}

static uint64_t count_proxy_hits(const contender *entry)
{
    uint64_t hits = 0;
    for (size_t i = 0; i < entry->proxy.particles.count; ++i) hits += entry->proxy.hits[i].time <= 1;
    return hits;
}

// A proxy is approximate; but it must be sound, find of each motion alone what it finds of all together, and with
// labels as many as it turns back when it moves the particles.
static bool proxy_is_right(const contender *entry)
{
    const proxy_state *proxy = &entry->proxy;
    mote_proxy_particles some = proxy->particles;
    const size_t n = some.count, bytes = 3 * n * sizeof(float);
    bool right = mote_proxy_validate(proxy->tree, NULL) == MOTE_OK;
    mote_random random = {98};
    for (uint32_t s = 0; right && s < SAMPLES; ++s) {
        const size_t i = mote_random_below(&random, (uint32_t)n);
        mote_proxy_hit hit;
        const float *at = (const float *)proxy->particles.position[0] + 3 * i;
        float from[3], velocity[3];
        memcpy(from, at, sizeof from);
        memcpy(velocity, proxy->velocities + 3 * i, sizeof velocity);
        some = mote_proxy_particles_xyz(from, velocity, proxy->particles.labels ? proxy->labels + i : NULL, 1);
        right = mote_proxy_hits(proxy->tree, &some, 1, &hit, NULL) == MOTE_OK &&
                memcmp(&hit.time, &proxy->hits[i].time, sizeof hit.time) == 0 &&
                (hit.time > 1 || hit.leaf == proxy->hits[i].leaf);
    }
    if (!right || entry->kind == PROXY_WITHOUT_LABELS) return right;
    float *from = malloc(bytes), *velocities = malloc(bytes);
    uint8_t *labels = malloc(n);
    mote_proxy_counters counters = {0};
    const mote_response response = mote_response_bounce(0, 0);
    right = from && velocities && labels;
    if (right) {
        memcpy(from, proxy->particles.position[0], bytes);
        memcpy(velocities, proxy->velocities, bytes);
        memcpy(labels, proxy->labels, n);
        some = mote_proxy_particles_xyz(from, velocities, labels, n);
        right = mote_proxy_advance(proxy->tree, &some, 1, &response, &counters, NULL) == MOTE_OK &&
                counters.collided == count_proxy_hits(entry);
    }
    free(from);
    free(velocities);
    free(labels);
    return right;
}

// --------------------------------------------------------------------------------------------------- contenders

static bool is_ours(const contender *entry)
{
    return entry->kind < PEER;
}

static bool build(contender *entry, const contender *before, const hit_job *job)
{
    if (is_ours(entry)) {
        mote_context_def def = bench_context_def(job->threads);
        if (mote_context_create(&def, &entry->context, NULL) != MOTE_OK) return false;
    }
    if (entry->kind == PROXY || entry->kind == PROXY_WITHOUT_LABELS) return build_proxy(entry, job);
    const double start = seconds_now(job);
    if (entry->kind == EXACT_HITS) {
        if (mote_hits_create(entry->context, NULL, job->mesh, &entry->hits, NULL) != MOTE_OK) return false;
        entry->row.bytes = mote_hits_byte_count(entry->hits);
    } else if (entry->borrows) {
        entry->structure = before->structure;
        entry->built = before->built;
        return true;
    } else {
        entry->structure = entry->peer->build(job->mesh);
        if (!entry->structure) return false;
    }
    entry->built = seconds_now(job) - start;
    return true;
}

static void release(contender *entry)
{
    mote_hits_destroy(entry->hits);
    release_proxy(&entry->proxy);
    mote_context_destroy(entry->context);
    if (entry->structure && !entry->borrows) entry->peer->release(entry->structure);
}

static bool query_hits(contender *entry, const hit_job *job, mote_hit_list *list)
{
    const mote_motions view = {.from = mote_points_xyz(job->all.from, job->all.count),
                               .to = mote_points_xyz(job->all.to, job->all.count)};
    const bool done = mote_hits_query(entry->hits, &view, list, NULL) == MOTE_OK;
    entry->row.result = list->count;
    return done;
}

static bool query(contender *entry, hit_job *job)
{
    mote_hit_list list;
    if (entry->kind == EXACT_HITS) return query_hits(entry, job, &list);
    if (is_ours(entry)) return query_proxy(entry);
    if (entry->kind == PEER_SORTING) bench_sort_motions(&job->all, &job->sorted);
    const bench_motions *motions = entry->kind == PEER ? &job->all : &job->sorted.motions;
    entry->row.result = entry->peer->query(entry->structure, motions->from, motions->to, motions->count);
    return true;
}

static bool hits_are_right(contender *entry, const hit_job *job)
{
    mote_hit_list list = {0};
    uint32_t *found = malloc(job->all.count * sizeof *found), *hits = malloc(job->all.count * sizeof *hits);
    bool right = found && hits && query_hits(entry, job, &list);
    for (size_t i = 0; right && i < job->all.count; ++i) found[i] = UINT32_MAX;
    for (size_t h = 0; right && h < list.count; ++h) {
        hits[h] = list.hits[h].particle;
        found[hits[h]] = list.hits[h].triangle;
    }
    right = right && bench_hit_samples_are_right(job->mesh, &job->all, found, hits, list.count);
    free(found);
    free(hits);
    return right;
}

// A peer's count of hits may differ where rounding decides. Of several that nothing was found out about, the first
// stands for what is right.
static bool is_right(contender *entry, hit_job *job)
{
    if (entry->kind == EXACT_HITS) {
        const bool right = hits_are_right(entry, job);
        job->hits = entry->row.result;
        return right;
    }
    if (is_ours(entry)) {
        entry->row.result = count_proxy_hits(entry);
        return proxy_is_right(entry);
    }
    if (job->hits == UINT64_MAX) job->hits = entry->row.result;
    const uint64_t result = entry->row.result, right = job->hits;
    const uint64_t apart = result > right ? result - right : right - result;
    return apart * 10000 <= right + 10000;
}

// ---------------------------------------------------------------------------------------------------------- rows

static const char *const our_names[] = {"hits", "proxy (approx)", "proxy (approx, no labels)"};
static const char *const name_ends[] = {"", ", presorted)", ", sorts)"};  // in place of a closing bracket

static void add_contender(const hit_job *job, contender *entries, size_t *count, contender entry)
{
    bench_row *row = &entry.row;
    *row = (bench_row){.bench = "hits", .workload = job->workload->name, .count = job->mesh->triangle_count,
                       .queries = job->all.count, .threads = job->threads, .is_peer = entry.peer != NULL};
    if (entry.peer) {
        const char *end = name_ends[entry.kind - PEER];
        const int length = (int)strlen(entry.peer->name) - (*end != '\0');
        snprintf(row->name, sizeof row->name, "%.*s%s", length, entry.peer->name, end);
    } else {
        snprintf(row->name, sizeof row->name, "%s", our_names[entry.kind]);
    }
    // A sweep takes long: what is alike is left out unless named.
    const bool is_usual = entry.peer ? entry.peer->in_sweeps && entry.kind == PEER : entry.kind != PROXY_WITHOUT_LABELS;
    const bool is_left_out = job->options->full && !is_usual;
    if (job->options->methods ? !bench_wants_row(job->options->methods, row->name) : is_left_out) return;
    entry.borrows = entry.peer && *count > 0 && entries[*count - 1].peer == entry.peer;
    entries[(*count)++] = entry;
}

// To be freed; NULL without memory.
static contender *list_contenders(const hit_job *job, size_t *count)
{
    const bench_hit_peer *const *peers;
    const size_t peer_count = bench_hit_peers(&peers);
    contender *entries = calloc(3 + 3 * peer_count, sizeof *entries);
    *count = 0;
    for (int k = EXACT_HITS; entries && k < PEER; ++k)
        add_contender(job, entries, count, (contender){.kind = (contender_kind)k});
    for (size_t p = 0; entries && job->threads == 1 && p < peer_count; ++p)
        for (int k = PEER; k <= (peers[p]->is_sorted_too ? PEER_SORTING : PEER); ++k)
            add_contender(job, entries, count, (contender){.kind = (contender_kind)k, .peer = peers[p]});
    return entries;
}

// In turn, so that a drift of the machine's speed meets all alike.
static bool measure_all(hit_job *job, contender *entries, size_t count)
{
    const uint32_t repeat = job->options->repeat ? job->options->repeat : 7;
    bool done = true;
    for (size_t e = 0; done && e < count; ++e) {
        contender *entry = &entries[e];
        bench_progress(job->options, "%s, %zu triangles: %s, built and checked", job->workload->name,
                       job->mesh->triangle_count, entry->row.name);
        done = build(entry, e > 0 ? entry - 1 : NULL, job) && query(entry, job);
        entry->row.verified = done && is_right(entry, job);
    }
    for (uint32_t turn = 0; done && turn < repeat; ++turn)
        for (size_t e = 0; done && e < count; ++e) {
            bench_progress(job->options, "%s, %zu triangles: %s, repetition %u", job->workload->name,
                           job->mesh->triangle_count, entries[e].row.name, turn + 1);
            const double before = seconds_now(job);
            done = query(&entries[e], job);
            bench_samples_add(&entries[e].samples, entries[e].built, seconds_now(job) - before);
        }
    return done;
}

static int measure_job(hit_job *job, bench_report *report)
{
    size_t count = 0;
    contender *entries = list_contenders(job, &count);
    job->hits = UINT64_MAX;
    const bool done = entries && measure_all(job, entries, count);
    int status = !done;
    if (!done) fprintf(stderr, "mote bench: hits, %s: no memory\n", job->workload->name);
    for (size_t e = 0; entries && e < count; ++e) {
        contender *entry = &entries[e];
        if (done) {
            const bool is_approx = is_ours(entry) && entry->kind != EXACT_HITS;
            if (is_approx && job->hits != UINT64_MAX && job->hits > 0)
                entry->row.reports = (double)entry->row.result / (double)job->hits;
            bench_samples_finish(&entry->samples, &entry->row);
            bench_report_add(report, entry->row);
            status |= !entry->row.verified;
        }
        release(entry);
    }
    free(entries);
    return status;
}

static int measure_workload(const bench_options *options, const mote_mesh *mesh, const bench_hit_workload *workload,
                            bench_report *report)
{
    hit_job job = {.options = options, .mesh = mesh, .workload = workload};
    const size_t count = options->count ? options->count : 1000000;
    const uint32_t processors = mote_context_worker_count(NULL);
    int status = 1;
    if (bench_motions_make(mesh, workload, count, &job.all) && bench_sorted_allocate(count, &job.sorted)) {
        bench_sort_motions(&job.all, &job.sorted);
        job.threads = options->threads ? options->threads : 1;
        status = measure_job(&job, report);
        job.threads = processors;
        if (!options->threads && processors > 1) status |= measure_job(&job, report);
    } else {
        fprintf(stderr, "mote bench: no memory for %zu motions\n", count);
    }
    bench_motions_release(&job.all);
    bench_sorted_release(&job.sorted);
    return status;
}

static int measure_mesh(const bench_options *options, const mote_mesh *mesh, bench_report *report)
{
    int status = 0;
    for (size_t w = 0; w < bench_hit_workload_count; ++w) {
        const bench_hit_workload *workload = &bench_hit_workloads[w];
        if (!bench_wants(options->workloads, workload->name)) continue;
        if (options->full && !options->workloads && workload->length > 0.005) continue;
        status |= measure_workload(options, mesh, workload, report);
    }
    return status;
}

// Meshes of ten thousand to four million triangles: a given one cut finer and finer, or a sphere with bumps.
static int sweep(const bench_options *options, bench_report *report)
{
    static const size_t sizes[] = {10000, 31623, 100000, 316228, 1000000, 4000000};
    const size_t most = sizes[sizeof sizes / sizeof *sizes - 1];
    int status = 0;
    if (options->mesh) {
        mote_mesh *mesh = bench_hit_mesh(options);
        if (!mesh) return 2;
        while (mesh && (report->count == 0 || mesh->triangle_count <= most)) {
            status |= measure_mesh(options, mesh, report);
            mesh = bench_subdivide(mesh);
        }
        if (!mesh) fprintf(stderr, "mote bench: no memory for a finer mesh\n");
        status |= mesh == NULL;
        mote_mesh_destroy(mesh);
        return status;
    }
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        mote_mesh *mesh = bench_bumps(sizes[s]);
        if (mesh) status |= measure_mesh(options, mesh, report);
        else fprintf(stderr, "mote bench: no memory for %zu triangles\n", sizes[s]);
        status |= mesh == NULL;
        mote_mesh_destroy(mesh);
    }
    return status;
}

static const char *workload_name(size_t number)
{
    return number < bench_hit_workload_count ? bench_hit_workloads[number].name : NULL;
}

int bench_hits(const bench_options *options, bench_report *report)
{
    if (!bench_knows_workloads(options->workloads, workload_name)) return 2;
    if (options->full) {
        const int status = sweep(options, report);
        if (status != 2 && report->count > 0) bench_draw(options, "hits", "triangles", report);
        return status;
    }
    mote_mesh *mesh = bench_hit_mesh(options);
    if (!mesh) return 2;
    const int status = measure_mesh(options, mesh, report);
    mote_mesh_destroy(mesh);
    return status;
}
