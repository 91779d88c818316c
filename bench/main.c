// SPDX-License-Identifier: MIT
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
    {"visitor", "a density sum over the neighbours of every point, without lists", bench_visitor},
    {"knn", "the 8 nearest points of every point: methods and nanoflann", bench_nearest},
    {"rows", "rows as particle codes ask for them: double points, queries, subsets, pairs", bench_rows},
    {"sets", "a fluid and its walls: lists of four pairs of sets, beside plain lists", bench_sets},
    {"broadphase", "overlapping boxes: methods, FCL, Bullet and Boost.Geometry", bench_broadphase},
    {"hits", "first hit of short motions on a mesh: mote, its proxy, Embree and Bullet", bench_hits},
    {"raster", "triangles near points: rasterised into cells, or searched", bench_raster},
    {"surface", "the surface of particles, and of a grid: cells, smoothing, OpenVDB and VTK", bench_surface},
    {"fluid", "a step of a breaking dam: presets (dam_break), search methods (dam3d), a body (bunny)", bench_fluid},
    {"threads", "neighbors, broadphase, hits and fluid with one thread and several, alternating", bench_threads},
    {"python", "the Python package beside C and beside packages that are installed: options of its own", NULL},
};
enum { BENCHMARKS = sizeof benchmarks / sizeof *benchmarks };

static void print_help(void)
{
    printf("Measures speed on this machine. Every result is checked before its time counts.\n\n"
           "Usage  mote bench NAME [options]\n\nBenchmarks:\n");
    for (int b = 0; b < BENCHMARKS; ++b) printf("  %-12s %s\n", benchmarks[b].name, benchmarks[b].meaning);
    printf("\nWorkloads of neighbors, visitor, knn and rows (* by default):\n");
    for (size_t w = 0; w < bench_point_workload_count; ++w)
        printf("  %-12s %s%s\n", bench_point_workloads[w].name, bench_point_workloads[w].meaning,
               bench_point_workloads[w].by_default ? " *" : "");
    printf("\nWorkloads of broadphase:\n");
    for (size_t w = 0; w < bench_box_workload_count; ++w)
        if (bench_box_workloads[w].meaning)
            printf("  %-12s %s\n", bench_box_workloads[w].name, bench_box_workloads[w].meaning);
    printf("\nWorkloads of hits: a million motions of length 0.005 in random order; the mesh is 0.9 large. With\n"
           "--full only the short ones, unless named. Rows: presorted, in Morton order, without the time to sort;\n"
           "sorts, with it\n");
    for (size_t w = 0; w < bench_hit_workload_count; ++w)
        printf("  %-12s %s\n", bench_hit_workloads[w].name, bench_hit_workloads[w].meaning);
    printf("\nWorkloads of raster:\n");
    for (size_t w = 0; w < bench_raster_workload_count; ++w)
        printf("  %-12s %s\n", bench_raster_workloads[w].name, bench_raster_workloads[w].meaning);
    printf("\nOptions:\n"
           "  --json          print one JSON object instead of a table\n"
           "  --workload A,B  run only these workloads; sparse2d and crowd name all of their kind\n"
           "  --method A,B    run only these methods or other libraries. Default: all; above 20,000 points only auto,\n"
           "                  cell_grid, cell_index, kd_tree (and cell_hash_incremental for moving points), as the\n"
           "                  others are slow; brute_force only where it is quick\n"
           "  --count N       number of points or particles; default: 1000000, for fluid and crowd_* 100000; number\n"
           "                  of boxes; default: as the workload has it\n"
           "  --threads N     number of threads; default: one, then all processors; broadphase without --full: one;\n"
           "                  threads: all processors beside one\n"
           "  --repeat N      repetitions, or steps for moving points; at most %d\n"
           "  --full          run all workloads and sizes: 10^4 to 4*10^6 points or triangles, 10^3 to 10^5 boxes\n"
           "                  with 10^6 queries instead of 10^5; draws plots if gnuplot is installed\n"
           "  --mesh FILE     mesh for hits and fluid, any format that mote mesh reads; default: Debian's bunny, or a\n"
           "                  bumpy sphere, which --full takes\n"
           "  --subdivide N   split each triangle of the mesh into four, N times (1 to 8)\n"
           "  --busy          for threads: keep every processor busy with another process\n"
           "  --plots DIR     folder for the plots; default: ./bench-NAME\n\n"
           "MOTE_SIMD=plain, avx2, avx512 or simd128 in the environment takes that instruction set, not the best.\n"
           "Times of hits and raster with one thread are processor time, all others wall-clock time.\n"
           "Exit status: 0 success, 1 a result was wrong, 2 bad usage.\n",
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

// Becomes `python3 -m mote.bench`, with the package of this build if there is one beside the programs' folder; or says
// that there is no numpy.
static int become_python(int argc, char **argv)
{
    char path[4096], *slash = NULL;
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 32);
    if (length > 0) {
        path[length] = 0;
        for (int up = 0; up < 2 && (slash = strrchr(path, '/')); ++up) *slash = 0;
    }
    if (slash) {
        strcat(path, "/python");
        if (access(path, X_OK) == 0 && !getenv("PYTHONPATH")) setenv("PYTHONPATH", path, 1);
    }
    char **words = calloc((size_t)argc + 3, sizeof *words);
    if (!words) return 1;
    static char python[] = "python3", option[] = "-c";
    static char program[] = "import sys\n"
                            "try:\n"
                            "    import numpy\n"
                            "except ImportError:\n"
                            "    sys.exit('mote bench: python3 has no numpy, expected numpy for ' + sys.executable)\n"
                            "import runpy\n"
                            "runpy.run_module('mote.bench', run_name='__main__', alter_sys=True)\n";
    words[0] = python, words[1] = option, words[2] = program;
    for (int a = 2; a < argc; ++a) words[a + 1] = argv[a];
    execvp(python, words);
    fprintf(stderr, "mote bench: python3 cannot be started: %s\n", strerror(errno));
    free(words);
    return 1;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "python") == 0) return become_python(argc, argv);
    if (argc < 2) {
        fprintf(stderr, "mote bench: NAME is missing, see mote bench --help\n");
        return 2;
    }
    bool asks_for_help = false;
    for (int a = 1; a < argc && a < 3; ++a)
        asks_for_help |= strcmp(argv[a], "--help") == 0 || strcmp(argv[a], "-h") == 0;
    if (asks_for_help) {
        print_help();
        return 0;
    }
    for (int b = 0; b < BENCHMARKS; ++b) {
        if (strcmp(argv[1], benchmarks[b].name) != 0) continue;
        bench_options options = parse_options(argc, argv);
        if (!bench_simd_name()) return 2;
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
