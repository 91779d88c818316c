// SPDX-License-Identifier: MIT
// Table 1 of Fan et al. 2013: size of the proxy, and time of a frame with one, two and three million particles.
//
// Meshes, as they are and subdivided, take epsilon (with the document's unweighted sum) and depths from the row of the
// document's mesh that comes nearest in triangles. Particles are poured over them; timed is what the document times,
// the collisions. A frame's time is its least among several runs, which alternate between the numbers of particles.
// CSV on standard output, a row for each mesh and number of particles.

#include "fan.h"

// A row of the document's table.
typedef struct row {
    const char *name;
    double triangles, tolerance;
    int min_depth, max_depth;
    double megabytes, least[3], most[3];  // [ms] of a frame with one, two, three million particles
} row;

static const row document[] = {
    {"Horse", 96966, 0.01, 4, 6, 0.06, {17.5, 21.9, 22.4}, {26.3, 33.1, 40.1}},
    {"Angel", 474048, 0.02, 5, 6, 0.05, {19.4, 21.1, 22.5}, {25.3, 33.4, 39.8}},
    {"Pegasus", 667474, 0.01, 5, 6, 0.11, {19.5, 22.1, 23.7}, {24.5, 36.1, 40.7}},
    {"Dragon", 871414, 0.02, 5, 7, 0.41, {20.0, 21.7, 23.3}, {23.6, 34.8, 41.3}},
    {"Buddha", 1087716, 0.01, 5, 7, 0.31, {20.6, 24.9, 30.9}, {23.5, 36.7, 50.5}},
    {"Neptune", 4007872, 0.02, 6, 8, 0.67, {22.3, 26.3, 37.6}, {29.7, 43.5, 56.7}},
};
enum { ROWS = sizeof document / sizeof *document, SIZES = 3, MOST_FRAMES = 10000 };

typedef struct options {
    long long particles, frames, repeat, levels;
} options;

static const row *nearest_row(size_t triangles)
{
    const row *best = document;
    for (const row *r = document; r < document + ROWS; ++r)
        if (fabs(log(r->triangles / (double)triangles)) < fabs(log(best->triangles / (double)triangles))) best = r;
    return best;
}

static mote_proxy *make_proxy(mote_context *context, const mote_mesh *mesh, const row *r,
                              mote_proxy_variation variation)
{
    mote_proxy_def def = mote_proxy_default_def();
    def.min_depth = r->min_depth;
    def.max_depth = r->max_depth;
    def.tolerance = r->tolerance;
    def.variation = variation;
    def.keep_triangles = false;
    mote_proxy *proxy;
    mote_error error;
    if (mote_proxy_create(context, &def, &mesh, 1, &proxy, &error) == MOTE_OK) return proxy;
    fprintf(stderr, "%s\n", error.text);
    return NULL;
}

// Pours once; least[f] becomes the time of frame f where that is shorter. False if it fails, or counts other
// collisions than the runs before.
static bool run_once(const mote_proxy *proxy, const mote_mesh *mesh, size_t count, int frames, double *least,
                     mote_proxy_counters *known)
{
    pour p;
    if (!pour_start(&p, mesh, count)) return false;
    mote_proxy_counters counters = {0};
    bool good = true;
    for (int f = 0; good && f < frames; ++f) {
        pour_push(&p);
        const double start = cpu_milliseconds();
        good = pour_move(&p, proxy, &counters);
        const double time = cpu_milliseconds() - start;
        if (known->particles == 0 || time < least[f]) least[f] = time;
    }
    if (good && known->particles && memcmp(known, &counters, sizeof counters) != 0) {
        fprintf(stderr, "fan_table_1: runs collide differently\n");
        good = false;
    }
    *known = counters;
    pour_release(&p);
    return good;
}

// A row for each number of particles. Beside the node bytes: what the document's form would take, four bytes for a leaf
// and eight for an inner node, and what the area-weighted mean makes of the same tolerance.
static bool measure_sizes(const char *name, const mote_mesh *mesh, const row *r, const options *o,
                          const mote_proxy *proxy, const mote_proxy *mean, double build)
{
    const mote_proxy_stats stats = mote_proxy_get_stats(proxy);
    const size_t nodes = mote_proxy_get_arrays(proxy).node_count;
    size_t leaves = 0;
    for (int d = 0; d <= MOTE_PROXY_DEEPEST; ++d) leaves += (size_t)stats.leaves[d];
    double *least = calloc((size_t)(SIZES * o->frames), sizeof *least);
    mote_proxy_counters known[SIZES] = {{0}};
    bool good = least != NULL;
    for (int run = 0; good && run < o->repeat; ++run)
        for (int s = 0; good && s < SIZES; ++s)
            good = run_once(proxy, mesh, (size_t)(o->particles * (s + 1)), (int)o->frames, least + s * o->frames,
                            known + s);
    for (int s = 0; good && s < SIZES; ++s) {
        double *times = least + s * o->frames;
        const double middle = median(times, (int)o->frames);
        printf("%s,%zu,%s,%g,%d,%d,%zu,%zu,%.4f,%zu,%zu,%zu,%.0f,%lld,%.3f,%.3f,%.3f,%.4f,%g,%g,%g\n", name,
               mesh->triangle_count, r->name, r->tolerance, r->min_depth, r->max_depth, nodes, leaves,
               (double)stats.leaves[r->max_depth] / (double)leaves, stats.node_bytes, 8 * (nodes - leaves) + 4 * leaves,
               mote_proxy_get_stats(mean).node_bytes, build, o->particles * (s + 1), times[0], middle,
               times[o->frames - 1], (double)known[s].collided / (double)known[s].particles, r->megabytes, r->least[s],
               r->most[s]);
    }
    fflush(stdout);
    free(least);
    return good;
}

static bool measure_mesh(mote_context *context, const char *name, const mote_mesh *mesh, const options *o)
{
    const row *r = nearest_row(mesh->triangle_count);
    const double start = cpu_milliseconds();
    mote_proxy *proxy = make_proxy(context, mesh, r, MOTE_PROXY_SUM);
    const double build = cpu_milliseconds() - start;
    mote_proxy *mean = make_proxy(context, mesh, r, MOTE_PROXY_MEAN);
    const bool good = proxy && mean && measure_sizes(name, mesh, r, o, proxy, mean, build);
    mote_proxy_destroy(proxy);
    mote_proxy_destroy(mean);
    return good;
}

static bool measure_file(mote_context *context, const char *file, const options *o)
{
    mote_mesh *mesh = read_mesh(file);
    bool good = mesh != NULL;
    for (int level = 0; good && level <= o->levels; ++level) {
        if (level) mesh = subdivide(mesh);
        good = mesh && measure_mesh(context, name_of(file), mesh, o);
    }
    mote_mesh_destroy(mesh);
    return good;
}

int main(int argc, char **argv)
{
    options o = {100000, 40, 3, 2};
    const argument known[] = {
        {"--particles", "N", &o.particles, NULL, 1, 100000000},
        {"--frames", "N", &o.frames, NULL, 1, MOST_FRAMES},
        {"--repeat", "N", &o.repeat, NULL, 1, 1000},
        {"--levels", "N", &o.levels, NULL, 0, 4},
    };
    const int first = first_file(argc, argv);
    if (!read_arguments("fan_table_1", first, argv, known, sizeof known / sizeof *known)) return 2;
    mote_context *context = one_thread();
    printf(
        "mesh,triangles,settings_of,tolerance,min_depth,max_depth,nodes,leaves,at_most,node_bytes,document_form_bytes,"
        "mean_bytes,build_ms,particles,least_ms,median_ms,most_ms,collided,document_mb,document_least_ms,"
        "document_most_ms\n");
    bool good = context != NULL;
    for (int k = first; good && k < argc; ++k) good = measure_file(context, argv[k], &o);
    if (good && first == argc) good = measure_file(context, "bunny.obj", &o);
    mote_context_destroy(context);
    return good ? 0 : 1;
}
