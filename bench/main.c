// mote-bench: measures mote beside its peers. `mote bench` starts it; it is a program of its own so that mote links
// none of the peers' libraries.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "hits.h"
#include "raster.h"

typedef struct benchmark {
    const char *name, *meaning;
    int (*run)(const bench_options *options, bench_report *report);
} benchmark;

static const benchmark benchmarks[] = {
    {"neighbors", "fixed-radius neighbours: methods and nanoflann, full lists", bench_neighbors},
    {"visitor", "a density sum over every point's neighbours, without lists", bench_visitor},
    {"knn", "the 8 nearest points of every point: methods and nanoflann", bench_nearest},
    {"broadphase", "boxes that overlap: methods, FCL, Bullet and Boost.Geometry", bench_broadphase},
    {"hits", "first hits of short motions with a mesh: ours, the proxy, Embree and Bullet", bench_hits},
    {"raster", "triangles and points that are near: rasterised into cells, or searched", bench_raster},
    {"fluid", "a step of a breaking dam in 3D (dam3d)", bench_fluid},
    {"threads", "neighbors, broadphase, hits and fluid by one thread and by several, in turns", bench_threads},
};
enum { BENCHMARKS = sizeof benchmarks / sizeof *benchmarks };

static void print_help(void)
{
    printf("usage: mote bench NAME [--json] [--workload A,B] [--method A,B] [--count N] [--threads N] [--repeat N] "
           "[--full] [--plots DIR] [--mesh FILE] [--subdivide N] [--busy]\n\nBenchmarks:\n");
    for (int b = 0; b < BENCHMARKS; ++b) printf("  %-12s %s\n", benchmarks[b].name, benchmarks[b].meaning);
    printf("\nWorkloads of neighbors, visitor and knn (* by default):\n");
    for (size_t w = 0; w < bench_point_workload_count; ++w)
        printf("  %-12s %s%s\n", bench_point_workloads[w].name, bench_point_workloads[w].meaning,
               bench_point_workloads[w].by_default ? " *" : "");
    printf("\nWorkloads of broadphase:\n");
    for (size_t w = 0; w < bench_box_workload_count; ++w)
        if (bench_box_workloads[w].meaning)
            printf("  %-12s %s\n", bench_box_workloads[w].name, bench_box_workloads[w].meaning);
    printf("\nWorkloads of hits: a million motions of length 0.005, packed, in random order; the mesh is 0.9\n"
           "large. With --full only the short ones, unless named.\n"
           "presorted: in Morton order, their sorting not counted; sorts: counted\n");
    for (size_t w = 0; w < bench_hit_workload_count; ++w)
        printf("  %-12s %s\n", bench_hit_workloads[w].name, bench_hit_workloads[w].meaning);
    printf("\nWorkloads of raster:\n");
    for (size_t w = 0; w < bench_raster_workload_count; ++w)
        printf("  %-12s %s\n", bench_raster_workloads[w].name, bench_raster_workloads[w].meaning);
    printf("\nOptions:\n"
           "  --json          one JSON object on standard output and nothing else\n"
           "  --workload A,B  only these workloads; sparse2d names all three\n"
           "  --method A,B    only these rows, peers included. Unless named, above 20,000 points only auto,\n"
           "                  cell_grid, cell_index and kd_tree are measured, of moving points also\n"
           "                  cell_hash_incremental: the other methods are slow. Of broadphase all but brute_force\n"
           "                  where that takes long\n"
           "  --count N       points; 100000 of fluid and the workloads crowd_*, else 1000000 unless told; objects\n"
           "                  of broadphase: the workloads' own unless told\n"
           "  --threads N     threads; default: one, then all processors; broadphase without --full: one. Of\n"
           "                  threads: how many beside one\n"
           "  --repeat N      repetitions (of moving points: steps), at most %d\n"
           "  --full          all workloads, 10^4 to 4*10^6 points or triangles, 10^3 to 10^5 objects, of broadphase\n"
           "                  with all their queries (10^6; else 10^5); with gnuplot,\n"
           "                  plots of time against points, triangles or objects and against neighbours\n"
           "  --mesh FILE     of hits: any kind that mote mesh reads; Debian's bunny unless told, or else a sphere\n"
           "                  with bumps, which --full takes. With --full, cut finer and finer\n"
           "  --subdivide N   of hits: cuts each triangle into four, N times (1 to 8)\n"
           "  --busy          of threads: while other processes keep every processor busy\n"
           "  --plots DIR     folder for the plots, made if need be; ./bench-NAME unless told\n\n"
           "Rows of hits and raster with one thread are in time of the processor, all others in that of the clock.\n"
           "Exit status: 0 done, 1 a result was wrong, 2 bad usage.\n",
           BENCH_MAX_REPEAT);
}

bool bench_wants(const char *list, const char *name)
{
    if (!list) return true;
    size_t length = strlen(name);
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == length && strncmp(at, name, length) == 0) return true;
    return false;
}

bool bench_wants_row(const char *list, const char *name)
{
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(name, " "), name);
    return bench_wants(list, name) || bench_wants(list, word);
}

bool bench_wants_workload(const char *list, const char *name)
{
    if (bench_wants(list, name)) return true;
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',') {
        size_t length = strcspn(at, ",");
        if (length > 0 && strncmp(at, name, length) == 0 && name[length] == '_') return true;
    }
    return false;
}

bool bench_knows_workloads(const char *list, const char *(*name_at)(size_t number))
{
    for (const char *at = list; at && *at; at += strcspn(at, ","), at += *at == ',') {
        char name[64];
        bool is_known = false;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
        for (size_t w = 0; name_at(w) && !is_known; ++w) is_known = bench_wants_workload(name, name_at(w));
        if (is_known) continue;
        fprintf(stderr, "mote bench: unknown workload '%s', expected one of those of mote bench --help\n", name);
        return false;
    }
    return true;
}

// The text behind an option; exits with a line where there is none.
static const char *parse_text(const char *option, const char *text, const char *expected)
{
    if (text && *text && strncmp(text, "--", 2) != 0) return text;
    fprintf(stderr, "mote bench: %s has no value, expected %s\n", option, expected);
    exit(2);
}

// Reads a number from 1 to `most`; exits with a line that says what was wrong.
static unsigned long long parse_count(const char *option, const char *text, unsigned long long most)
{
    char *end;
    errno = 0;
    unsigned long long value = text && *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
    if (value == 0 || errno || *end || value > most) {
        fprintf(stderr, "mote bench: %s is '%s', expected a number from 1 to %llu\n", option, text ? text : "", most);
        exit(2);
    }
    return value;
}

static bench_options parse_options(int argc, char **argv)
{
    bench_options options = {0};
    for (int a = 2; a < argc; ++a) {
        const char *value = a + 1 < argc ? argv[a + 1] : NULL;
        if (strcmp(argv[a], "--json") == 0) {
            options.json = true;
        } else if (strcmp(argv[a], "--busy") == 0) {
            options.busy = true;
        } else if (strcmp(argv[a], "--full") == 0) {
            options.full = true;
        } else if (strcmp(argv[a], "--workload") == 0) {
            options.workloads = parse_text(argv[a], value, "names of workloads, separated by commas");
            ++a;
        } else if (strcmp(argv[a], "--method") == 0) {
            options.methods = parse_text(argv[a], value, "names of methods or peers, separated by commas");
            ++a;
        } else if (strcmp(argv[a], "--plots") == 0) {
            options.plots = parse_text(argv[a], value, "a folder");
            ++a;
        } else if (strcmp(argv[a], "--mesh") == 0) {
            options.mesh = parse_text(argv[a], value, "a file");
            ++a;
        } else if (strcmp(argv[a], "--subdivide") == 0) {
            options.subdivide = (uint32_t)parse_count(argv[a], value, 8);
            ++a;
        } else if (strcmp(argv[a], "--count") == 0) {
            options.count = (size_t)parse_count(argv[a], value, 100000000);
            ++a;
        } else if (strcmp(argv[a], "--threads") == 0) {
            options.threads = (uint32_t)parse_count(argv[a], value, 1024);
            ++a;
        } else if (strcmp(argv[a], "--repeat") == 0) {
            options.repeat = (uint32_t)parse_count(argv[a], value, BENCH_MAX_REPEAT);
            ++a;
        } else {
            fprintf(stderr, "mote bench: unknown option '%s', expected one of those of mote bench --help\n", argv[a]);
            exit(2);
        }
    }
    return options;
}

int main(int argc, char **argv)
{
    bool asks_for_help = argc < 2;
    for (int a = 1; a < argc && a < 3; ++a)
        asks_for_help |= strcmp(argv[a], "--help") == 0 || strcmp(argv[a], "-h") == 0;
    if (asks_for_help) {
        print_help();
        return argc < 2 ? 2 : 0;
    }
    for (int b = 0; b < BENCHMARKS; ++b) {
        if (strcmp(argv[1], benchmarks[b].name) != 0) continue;
        bench_options options = parse_options(argc, argv);
        bench_report report = {.json = options.json};
        int status = benchmarks[b].run(&options, &report);
        if (!options.json && isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K");
        if (status == 0 && report.count == 0) {
            fprintf(stderr, "mote bench: no row is called '%s', expected methods or peers of %s\n", options.methods,
                    argv[1]);
            status = 2;
        }
        bench_report_end(&report);
        bench_report_release(&report);
        if (fflush(stdout) == 0 && !ferror(stdout)) return status;
        fprintf(stderr, "mote bench: standard output cannot be written\n");
        return status ? status : 1;
    }
    fprintf(stderr, "mote bench: unknown benchmark '%s', expected one of those of mote bench --help\n", argv[1]);
    return 2;
}
