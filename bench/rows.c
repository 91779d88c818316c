// SPDX-License-Identifier: MIT
// mote bench rows: rows as particle codes ask for them, beside the plain lists of the same points: double points,
// queries in order and in random order, half of the points, pairs, several sets.
//
// What a row of the table has found is compared with the plain lists before its time counts. Those are compared with
// brute force (checks.c).

#include <stdio.h>
#include <stdlib.h>

#include "checks.h"

typedef struct rows_job rows_job;

// One way to ask. `find` gives rows for the points `numbers` (NULL: all in order), without the points themselves.
typedef struct rows_form {
    const char *name;
    uint32_t features;
    bool is_f64;
    bool (*find)(const rows_job *job, mote_neighbors *search, mote_lists *lists);
    bool is_shuffled, is_half, has_selves, is_pairs;
} rows_form;

struct rows_job {
    const rows_form *form;
    const bench_points *set;
    double *exact;          // the points in double
    uint32_t *shuffled;     // their numbers in random order,
    float *shuffled_xyz;    // and they in that order
    uint32_t *half;         // every second number
    mote_pair_arrays pairs;
};

static mote_points view(const rows_job *job)
{
    const bench_points *set = job->set;
    if (!job->form->is_f64) return bench_points_view(set);
    return set->dimensions == 2 ? mote_points_xy_f64(job->exact, set->count)
                                : mote_points_xyz_f64(job->exact, set->count);
}

static bool find_lists(const rows_job *job, mote_neighbors *search, mote_lists *lists)
{
    (void)job;
    return mote_neighbors_lists(search, lists, NULL) == MOTE_OK;
}

static bool find_queries(const rows_job *job, mote_neighbors *search, mote_lists *lists)
{
    bench_points queries = *job->set;
    if (job->form->is_shuffled) queries.xyz = job->shuffled_xyz;
    return mote_neighbors_query(search, bench_points_view(&queries), lists, NULL) == MOTE_OK;
}

static bool find_subset(const rows_job *job, mote_neighbors *search, mote_lists *lists)
{
    return mote_neighbors_subset(search, job->half, job->set->count / 2, lists, NULL) == MOTE_OK;
}

static const rows_form forms[] = {
    {"auto", 0, false, find_lists, false, false, false, false},  // plain lists
    {"double points", MOTE_NEIGHBORS_F64, true, find_lists, false, false, false, false},
    {"lists with distances", MOTE_NEIGHBORS_DISTANCES, false, find_lists, false, false, false, false},
    {"double points with distances", MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_DISTANCES, true, find_lists, false, false,
     false, false},
    {"queries at all points", MOTE_NEIGHBORS_QUERY, false, find_queries, false, false, true, false},
    {"the same in random order", MOTE_NEIGHBORS_QUERY, false, find_queries, true, false, true, false},
    {"half of the points", MOTE_NEIGHBORS_SUBSET, false, find_subset, false, true, false, false},
    {"pairs from lists (query: pairs alone)", 0, false, find_lists, false, false, false, true},
};
enum { FORMS = sizeof forms / sizeof *forms };

// The sum of the hashes of all pairs that the rows hold, with the points' own numbers.
static uint64_t checksum(const rows_job *job, const mote_lists *lists, uint64_t *pairs)
{
    const rows_form *form = job->form;
    uint64_t sum = 0;
    *pairs = 0;
    for (uint32_t r = 0; r < lists->count; ++r) {
        const mote_row row = mote_lists_row(lists, r);
        const uint32_t i = form->is_shuffled ? job->shuffled[r] : form->is_half ? job->half[r] : r;
        for (uint32_t k = 0; k < row.count; ++k) {
            if (form->has_selves && row.indices[k] == i) continue;
            sum += bench_pair_hash(i, row.indices[k]);
            *pairs += 1;
        }
    }
    return sum;
}

// What the plain lists say about the rows of every second point.
static void halve(const mote_lists *lists, bench_reference *half)
{
    *half = (bench_reference){0, 0};
    for (uint32_t i = 0; i + 1 < lists->count; i += 2) {
        const mote_row row = mote_lists_row(lists, i);
        half->pairs += row.count;
        for (uint32_t k = 0; k < row.count; ++k) half->checksum += bench_pair_hash(i, row.indices[k]);
    }
}

// Pairs of doubles: those of floats but where the rounding of the radius or of a square decides.
static bool is_about(uint64_t found, uint64_t right)
{
    const double difference = found > right ? (double)(found - right) : (double)(right - found);
    return difference <= 1e-5 * (double)right + 16;
}

typedef struct contender {
    mote_neighbors *search;
    bench_samples samples;
    bench_row row;
} contender;

// Writes pairs, into arrays that grow once.
static bool write_pairs(rows_job *job, mote_context *context, const mote_lists *lists)
{
    mote_pair_arrays *to = &job->pairs;
    uint64_t count;
    if (to->capacity < lists->total) {
        free(to->i);
        free(to->j);
        to->i = malloc((size_t)lists->total * sizeof(uint32_t));
        to->j = malloc((size_t)lists->total * sizeof(uint32_t));
        to->capacity = lists->total;
    }
    return to->i && to->j && mote_lists_to_pairs(context, lists, to, &count, NULL) == MOTE_OK &&
           count == lists->total;
}

static uint64_t pairs_checksum(const rows_job *job, uint64_t count)
{
    uint64_t sum = 0;
    for (uint64_t k = 0; k < count; ++k)
        sum += bench_pair_hash(((const uint32_t *)job->pairs.i)[k], ((const uint32_t *)job->pairs.j)[k]);
    return sum;
}

static bool measure(rows_job *job, mote_context *context, contender *entry, bool check, bench_reference right[2])
{
    mote_lists lists;
    const double start = bench_seconds();
    if (mote_neighbors_update(entry->search, view(job), NULL) != MOTE_OK) return false;
    double built = bench_seconds();
    if (!job->form->find(job, entry->search, &lists)) return false;
    if (job->form->is_pairs) built = bench_seconds();
    if (job->form->is_pairs && !write_pairs(job, context, &lists)) return false;
    const double end = bench_seconds();
    if (!check) {
        bench_samples_add(&entry->samples, built - start, end - built);
        return true;
    }
    bench_reference found = {.pairs = 0};
    found.checksum = checksum(job, &lists, &found.pairs);
    if (job->form->is_pairs) found.checksum = pairs_checksum(job, lists.total);
    if (job->form == forms) {
        entry->row.verified = found.pairs == right[0].pairs && found.checksum == right[0].checksum &&
                              bench_samples_are_right(job->set, &lists);
        halve(&lists, &right[1]);
    } else {
        const bench_reference *same = right + job->form->is_half;
        entry->row.verified = job->form->is_f64
                                  ? is_about(found.pairs, same->pairs)
                                  : found.pairs == same->pairs && found.checksum == same->checksum;
    }
    entry->row.result = found.pairs;
    entry->row.bytes = mote_neighbors_byte_count(entry->search, NULL);
    return true;
}

static bool start(const rows_job *job, mote_context *context, contender *entry)
{
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = (double)job->set->radius;
    def.features = job->form->features;
    return mote_neighbors_create(context, &def, &entry->search, NULL) == MOTE_OK;
}

static bool fill_job(rows_job *job, const bench_points *set)
{
    const size_t count = set->count, width = (size_t)set->dimensions;
    mote_random random = {7};
    *job = (rows_job){.set = set};
    job->exact = malloc((count * width + 1) * sizeof *job->exact);
    job->shuffled = malloc((count + 1) * sizeof *job->shuffled);
    job->shuffled_xyz = malloc((count * width + 1) * sizeof *job->shuffled_xyz);
    job->half = malloc((count + 1) * sizeof *job->half);
    if (!job->exact || !job->shuffled || !job->shuffled_xyz || !job->half) return false;
    for (size_t k = 0; k < count * width; ++k) job->exact[k] = (double)set->xyz[k];
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t other = mote_random_below(&random, i + 1);
        job->shuffled[i] = job->shuffled[other];
        job->shuffled[other] = i;
    }
    for (size_t i = 0; i < count; ++i)
        memcpy(job->shuffled_xyz + i * width, set->xyz + job->shuffled[i] * width, width * sizeof(float));
    for (size_t k = 0; k < count / 2; ++k) job->half[k] = (uint32_t)(2 * k);
    return true;
}

static void release_job(rows_job *job)
{
    free(job->exact);
    free(job->shuffled);
    free(job->shuffled_xyz);
    free(job->half);
    free(job->pairs.i);
    free(job->pairs.j);
}

static int measure_all(const bench_options *options, const bench_workload *workload, rows_job *job,
                       bench_reference *right, bench_report *report)
{
    contender entries[FORMS] = {{.search = NULL}};
    mote_context_def context_def = bench_context_def(options->threads ? options->threads : 1);
    mote_context *context;
    if (mote_context_create(&context_def, &context, NULL) != MOTE_OK) return 1;
    int status = 0;
    const uint32_t repeat = options->repeat ? options->repeat : 5;
    for (uint32_t turn = 0; turn <= repeat && status == 0; ++turn)  // the first one warms up and is checked
        for (size_t f = 0; f < FORMS && status == 0; ++f) {
            if (f > 0 && !bench_wants_row(options->methods, forms[f].name)) continue;
            job->form = forms + f;
            bench_progress(options, "%s: %s, repetition %u", workload->name, forms[f].name, turn);
            if (turn == 0 && !start(job, context, entries + f)) status = 1;
            if (status == 0 && !measure(job, context, entries + f, turn == 0, right)) status = 1;
        }
    for (size_t f = 0; f < FORMS; ++f) {
        bench_row *row = &entries[f].row;
        row->bench = "rows";
        row->workload = workload->name;
        snprintf(row->name, sizeof row->name, "%s", forms[f].name);
        row->count = row->queries = job->set->count;
        row->threads = context_def.thread_count;
        if (entries[f].samples.count > 0) {
            bench_samples_finish(&entries[f].samples, row);
            if (!row->verified) status = 1;
            bench_report_add(report, *row);
        }
        mote_neighbors_destroy(entries[f].search);
    }
    mote_context_destroy(context);
    return status;
}

static const char *workload_name(size_t number)
{
    return number < bench_point_workload_count ? bench_point_workloads[number].name : NULL;
}

int bench_rows(const bench_options *options, bench_report *report)
{
    int status = 0;
    if (!bench_knows_workloads(options->workloads, workload_name)) return 2;
    for (size_t w = 0; w < bench_point_workload_count; ++w) {
        const bench_workload *workload = bench_point_workloads + w;
        const char *usual = "lattice,uniform,shuffled";
        if (!bench_wants_workload(options->workloads ? options->workloads : usual, workload->name)) continue;
        bench_points set;
        bench_reference right[2];
        rows_job job = {.form = NULL};
        if (!workload->make(options->count ? options->count : 1000000, &set)) return 1;
        if (fill_job(&job, &set) && bench_find_reference(&set, right))
            status |= measure_all(options, workload, &job, right, report);
        else
            status = 1;
        release_job(&job);
        free(set.xyz);
    }
    return status;
}
