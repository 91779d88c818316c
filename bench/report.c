// SPDX-License-Identifier: MIT
// Rows of results: medians, the table for people, the JSON for programs.

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

mote_context_def bench_context_def(uint32_t threads)
{
    mote_context_def def = mote_context_default_def();
    def.thread_count = threads;
    def.simd = bench_wanted_simd();
    return def;
}

const char *bench_simd_name(void)
{
    const mote_context_def def = bench_context_def(1);
    mote_context *context;
    const mote_result result = mote_context_create(&def, &context, NULL);
    if (result == MOTE_OK) {
        const char *name = mote_simd_name(mote_context_simd(context));
        mote_context_destroy(context);
        return name;
    }
    const char *wanted = getenv("MOTE_SIMD");
    if (def.simd > MOTE_SIMD_128)
        fprintf(stderr, "mote bench: MOTE_SIMD is '%s', expected plain, avx2, avx512 or simd128\n", wanted);
    else if (result == MOTE_ERROR_UNSUPPORTED)
        fprintf(stderr, "mote bench: MOTE_SIMD is '%s', which this processor or build lacks\n", wanted);
    else fprintf(stderr, "mote bench: no memory for a context\n");
    return NULL;
}

double bench_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double bench_cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void bench_samples_add(bench_samples *samples, double build, double query)
{
    if (samples->count == BENCH_MAX_REPEAT) return;
    samples->build[samples->count] = build;
    samples->query[samples->count] = query;
    samples->total[samples->count] = build + query;
    samples->count += 1;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *values, uint32_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

void bench_samples_finish(bench_samples *samples, bench_row *row)
{
    if (samples->count == 0) return;
    row->build_ms = 1e3 * bench_median(samples->build, samples->count);
    row->query_ms = 1e3 * bench_median(samples->query, samples->count);
    row->total_ms = 1e3 * bench_median(samples->total, samples->count);
    row->spread = samples->total[samples->count - 1] / samples->total[0];
}

void bench_report_release(bench_report *report)
{
    free(report->rows);
}

void bench_progress(const bench_options *options, const char *format, ...)
{
    if (options->json || !isatty(STDERR_FILENO)) return;
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "\r\033[K");
    vfprintf(stderr, format, arguments);
    fflush(stderr);
    va_end(arguments);
}

// The processor's name as the system gives it, made safe for JSON.
static void processor_name(char *name, size_t size)
{
    snprintf(name, size, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file) return;
    char line[256];
    while (fgets(line, sizeof line, file)) {
        char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !value) continue;
        value += strspn(value, ": \t");
        value[strcspn(value, "\n\"\\")] = 0;
        snprintf(name, size, "%s", value);
        break;
    }
    fclose(file);
}

// In which the memory's bandwidth moves what a step has to read and write.
static double floor_ms(const bench_row *row)
{
    return row->bandwidth > 0 ? 1e3 * row->moved / row->bandwidth : 0;
}

static void print_json_row(const bench_row *row, bool is_first)
{
    char processor[256];
    if (is_first) {
        processor_name(processor, sizeof processor);
        printf("{\"mote\": \"%s\", \"machine\": {\"processor\": \"%s\", \"processors\": %u, \"simd\": \"%s\"}, "
               "\"rows\": [",
               mote_version(), processor, mote_context_worker_count(NULL), bench_simd_name());
    }
    printf("%s\n  {\"bench\": \"%s\", \"workload\": \"%s\", \"name\": \"%s\", \"kind\": \"%s\", "
           "\"count\": %zu, \"queries\": %zu, \"threads\": %u, "
           "\"build_ms\": %.4f, \"query_ms\": %.4f, \"total_ms\": %.4f, "
           "\"spread\": %.3f, \"result\": %llu, \"bytes\": %zu, \"verified\": %s",
           is_first ? "" : ",", row->bench, row->workload, row->name, row->is_peer ? "peer" : "method", row->count,
           row->queries, row->threads, row->build_ms, row->query_ms, row->total_ms, row->spread,
           (unsigned long long)row->result, row->bytes, row->verified ? "true" : "false");
    if (row->reports > 0) printf(", \"reports\": %.4f", row->reports);
    if (row->is_mesh)
        printf(", \"closed\": %s, \"volume_error\": %.5f", row->is_closed ? "true" : "false", row->volume_error);
    if (row->neighbors > 0)
        printf(", \"neighbors\": %.2f, \"interactions_per_s\": %.4g, \"search_share\": %.3f, "
               "\"density_share\": %.3f, \"force_share\": %.3f, "
               "\"bytes_per_particle\": %.1f, \"bytes_walls_counted\": %.1f, \"s_per_simulated_s\": %.1f, "
               "\"bytes_per_s\": %.4g, \"bandwidth\": %.4g, \"floor_ms\": %.3f",
               row->neighbors, 1e3 * row->neighbors * (double)row->count / row->total_ms, row->shares[0],
               row->shares[1], row->shares[2], row->bytes_each, row->bytes_of_all, row->simulated,
               1e3 * row->moved / row->total_ms, row->bandwidth, floor_ms(row));
    if (row->setup_ms > 0)
        printf(", \"walls_ms\": %.4f, \"guards_ms\": %.4f, \"walls_of_layers\": %.3f, \"setup_ms\": %.1f",
               row->walls_ms, row->guards_ms, row->walls_of_layers, row->setup_ms);
    printf("}");
}

// The default method's row of the same workload, count and threads: what the ratios of all others are taken against.
static const bench_row *default_row(const bench_report *report, const bench_row *other)
{
    for (size_t r = 0; r < report->count; ++r) {
        const bench_row *row = report->rows + r;
        if (row->threads != other->threads || row->count != other->count || strcmp(row->name, "auto") != 0) continue;
        if (strcmp(row->workload, other->workload) == 0 && strcmp(row->bench, other->bench) == 0) return row;
    }
    return NULL;
}

// The row of the same work by one thread.
static const bench_row *serial_row(const bench_report *report, const bench_row *other)
{
    for (size_t r = 0; r < report->count && other->threads > 1; ++r) {
        const bench_row *row = report->rows + r;
        if (row->threads == 1 && row->count == other->count && strcmp(row->name, other->name) == 0 &&
            strcmp(row->workload, other->workload) == 0)
            return row;
    }
    return NULL;
}

static void print_row(const bench_report *report, const bench_row *row, bool is_first)
{
    if (is_first)
        printf("%-12s %-40s %9s %7s %9s %9s %9s %6s %12s %8s  %s\n", "workload", "name", "count", "threads", "build ms",
               "query ms", "total ms", "spread", "result", "MB", "");
    printf("%-12s %-40s %9zu %7u %9.2f %9.2f %9.2f %6.2f %12llu %8.1f  ", row->workload, row->name, row->count,
           row->threads, row->build_ms, row->query_ms, row->total_ms, row->spread, (unsigned long long)row->result,
           (double)row->bytes * 1e-6);
    if (!row->verified) printf("NOT VERIFIED ");
    const bench_row *usual = default_row(report, row);
    if (usual && usual != row && usual->total_ms > 0) printf("%.2f x auto", row->total_ms / usual->total_ms);
    const bench_row *serial = serial_row(report, row);
    if (serial && serial->total_ms > 0)
        printf("%s%.2f x one thread", usual && usual != row ? ", " : "", row->total_ms / serial->total_ms);
    if (row->reports > 0) printf("%.2f for each true result", row->reports);
    if (row->is_mesh)
        printf("%s%s, volume %+.2f %%", serial ? ", " : "", row->is_closed ? "closed" : "open",
               100 * row->volume_error);
    if (row->neighbors > 0)
        printf("%s%.0f neighbours, %.0f M interactions/s; search %.0f %%, densities %.0f %%, forces %.0f %%; "
               "%.0f B/particle (%.0f, walls counted); %.1f of %.0f GB/s, floor %.1f ms; %.0f s for 1 s",
               serial ? "; " : "", row->neighbors, 1e-3 * row->neighbors * (double)row->count / row->total_ms,
               100 * row->shares[0], 100 * row->shares[1], 100 * row->shares[2], row->bytes_each, row->bytes_of_all,
               1e-6 * row->moved / row->total_ms, 1e-9 * row->bandwidth, floor_ms(row), row->simulated);
    if (row->setup_ms > 0) printf("%sset-up %.0f ms", serial ? ", " : "", row->setup_ms);
    if (row->walls_ms != 0) printf(", walls %.2f ms, guards %.2f ms", row->walls_ms, row->guards_ms);
    if (row->walls_of_layers != 0) printf("; walls %.2f x layers", row->walls_of_layers);
    printf("\n");
}

void bench_report_add(bench_report *report, bench_row row)
{
    if (report->count == report->capacity) {
        size_t capacity = report->capacity ? 2 * report->capacity : 16;
        bench_row *rows = realloc(report->rows, capacity * sizeof *rows);
        if (!rows) {
            fprintf(stderr, "mote-bench: no memory for the rows\n");
            exit(1);
        }
        report->rows = rows;
        report->capacity = capacity;
    }
    bench_row *added = &report->rows[report->count++];
    *added = row;
    if (!report->json && isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K");
    if (report->json) print_json_row(added, report->count == 1);
    else print_row(report, added, report->count == 1);
    fflush(stdout);  // whoever reads a pipe sees it now
}

void bench_report_end(const bench_report *report)
{
    if (report->count == 0) return;
    if (report->json) printf("\n]}\n");
    else
        printf("Medians; spread is the slowest repetition over the fastest. Every result was checked before it "
               "counted.\n");
}
