// SPDX-License-Identifier: MIT
// Ahmad's tutorial: the table that finds the neighbours of particles carries their surface, too.
//
// A jittered lattice of spacing 1 under waves, with drops above it, in the order of the lattice and shuffled; cubes of
// 0.25 to 2 spacings. The field is that of mote/surface.h, c = Σ V W with a support of 2 spacings, which is the range
// of the search, too. Three ways to the mesh: the surface sorts particles into a table of its own; it takes them from
// the cells of the search; and, as the tutorial has it, each node looks up the particles around it in the cells of the
// search. One line of CSV each; exit status 1 if the first two meshes differ in a bit, or the last one's volume is off.
// With --short 1, fewer particles.

#include <math.h>

#include "measure.h"
#include "mote/neighbors.h"
#include "mote/surface.h"

enum { DROPS = 100, PLANES = 4, MOST_REPEATS = 101 };
static const double support = 2;

typedef struct settings {
    long long is_short, repeats;
    size_t side;
} settings;

typedef struct nodes {
    double cell, low[3];
    int32_t size[3];
} nodes;

// ----------------------------------------------------------------------------------------------------------- cloud

static double wave(double x)
{
    return 1 - fabs(2 * (x - floor(x)) - 1);
}

// Particles under waves, side × side wide, and lone drops above.
static float *make_cloud(size_t side, size_t *count)
{
    const size_t most = side * side * side + DROPS;
    float *xyz = allocate(3 * most * sizeof *xyz);
    mote_random random = {61};
    size_t n = 0;
    for (size_t i = 0; i < side; ++i)
        for (size_t j = 0; j < side; ++j) {
            const double share =
                0.6 + 0.2 * wave(3.0 * (double)i / (double)side) + 0.2 * wave(2.0 * (double)j / (double)side);
            for (size_t k = 0; k < (size_t)(share * (double)side); ++k, ++n) {
                const double at[3] = {(double)i, (double)j, (double)k};
                for (size_t a = 0; a < 3; ++a)
                    xyz[3 * n + a] = (float)(at[a] + 0.5 + 0.4 * mote_random_unit(&random) - 0.2);
            }
        }
    for (int d = 0; d < DROPS; ++d, ++n)
        for (size_t a = 0; a < 3; ++a)
            xyz[3 * n + a] = (float)((double)side * (mote_random_unit(&random) + (a == 2 ? 1.2 : 0)));
    *count = n;
    return xyz;
}

static void shuffle(float *xyz, size_t count)
{
    mote_random random = {7};
    for (size_t i = count; i > 1; --i) {
        const size_t j = mote_random_below(&random, (uint32_t)i);
        float moved[3];
        memcpy(moved, xyz + 3 * (i - 1), sizeof moved);
        memcpy(xyz + 3 * (i - 1), xyz + 3 * j, sizeof moved);
        memcpy(xyz + 3 * j, moved, sizeof moved);
    }
}

// --------------------------------------------------------------------------------------------- looked up by each node

// The cubic spline, as a part of its value at the centre.
static double shape(double squared)
{
    const double s = fmax(1 - sqrt(squared) / support, 0), t = fmax(s - 0.5, 0);
    return 2 * s * s * s - 8 * t * t * t;
}

static nodes nodes_around(const float *xyz, size_t count, double cell)
{
    nodes grid = {.cell = cell, .low = {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
    double high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < 3 * count; ++i) {
        grid.low[i % 3] = fmin(grid.low[i % 3], (double)xyz[i]);
        high[i % 3] = fmax(high[i % 3], (double)xyz[i]);
    }
    for (int k = 0; k < 3; ++k) {
        grid.low[k] = cell * (floor((grid.low[k] - support) / cell) - 1);
        grid.size[k] = (int32_t)ceil((high[k] + support - grid.low[k]) / cell) + 2;
    }
    return grid;
}

// The volumes of the particles, times W(0).
static void find_volumes(mote_neighbors *search, double *volumes)
{
    mote_lists lists;
    require(mote_neighbors_lists(search, &lists, NULL));
    for (uint32_t i = 0; i < lists.count; ++i) {
        const mote_row row = mote_lists_row(&lists, i);
        double sum = 1;
        for (uint32_t k = 0; k < row.count; ++k) sum += shape((double)row.squared[k]);
        volumes[i] = 1 / sum;
    }
}

// c at the nodes, some planes at a time: what each finds in the cells around it.
static void find_values(mote_neighbors *search, const double *volumes, const nodes *grid, float *values)
{
    const size_t nx = (size_t)grid->size[0], ny = (size_t)grid->size[1], most = nx * ny * PLANES;
    float *at = allocate(3 * most * sizeof *at);
    for (int first = 0; first < grid->size[2]; first += PLANES) {
        size_t count = 0;
        for (int z = first; z < first + PLANES && z < grid->size[2]; ++z)
            for (size_t k = 0; k < nx * ny; ++k, ++count) {
                const double place[3] = {(double)(k % nx), (double)(k / nx), z};
                for (size_t a = 0; a < 3; ++a) at[3 * count + a] = (float)(grid->low[a] + grid->cell * place[a]);
            }
        mote_lists lists;
        require(mote_neighbors_query(search, mote_points_xyz(at, count), &lists, NULL));
        for (uint32_t i = 0; i < lists.count; ++i) {
            const mote_row row = mote_lists_row(&lists, i);
            double sum = 0;
            for (uint32_t k = 0; k < row.count; ++k) sum += volumes[row.indices[k]] * shape((double)row.squared[k]);
            values[(size_t)first * nx * ny + i] = (float)sum;
        }
    }
    free(at);
}

// The time [ms] that it takes, and the volume of the mesh.
static double look_up(mote_neighbors *search, const float *xyz, size_t count, double cell, double isovalue,
                      double *volume)
{
    const double start = cpu_milliseconds();
    const nodes grid = nodes_around(xyz, count, cell);
    const size_t all = (size_t)grid.size[0] * (size_t)grid.size[1] * (size_t)grid.size[2];
    double *volumes = allocate(count * sizeof *volumes);
    float *values = allocate(all * sizeof *values);
    find_volumes(search, volumes);
    find_values(search, volumes, &grid, values);
    mote_isosurface_def def = mote_isosurface_default_def();
    def.origin = (mote_vec3){grid.low[0], grid.low[1], grid.low[2]};
    def.cell = cell;
    memcpy(def.size, grid.size, sizeof def.size);
    def.values = values;
    def.isovalue = isovalue;
    mote_isosurface *made;
    require(mote_isosurface_create(NULL, &def, &made, NULL));
    const double took = cpu_milliseconds() - start;
    *volume = mote_isosurface_get_stats(made).volume;
    mote_isosurface_destroy(made);
    free(volumes);
    free(values);
    return took;
}

// ------------------------------------------------------------------------------------------------------------ rows

// The times of an update without and with the search [ms], in turns, the medians of the repetitions.
static void time_updates(mote_surface *const surfaces[2], const mote_surface_cloud clouds[2], const settings *options,
                         double took[2])
{
    double times[2][MOST_REPEATS];
    for (int turn = -1; turn < options->repeats; ++turn)
        for (int k = 0; k < 2; ++k) {
            const double start = cpu_milliseconds();
            require(mote_surface_update(surfaces[k], &clouds[k], NULL));
            if (turn >= 0) times[k][turn] = cpu_milliseconds() - start;
        }
    for (int k = 0; k < 2; ++k) took[k] = median(times[k], (int)options->repeats);
}

static double time_search(mote_neighbors *search, mote_points points, const settings *options)
{
    double times[MOST_REPEATS];
    for (int turn = -1; turn < options->repeats; ++turn) {
        const double start = cpu_milliseconds();
        require(mote_neighbors_update(search, points, NULL));
        if (turn >= 0) times[turn] = cpu_milliseconds() - start;
    }
    return median(times, (int)options->repeats);
}

// How many particles are outside of the surface.
static uint64_t count_outside(mote_context *context, mote_surface_def def, const mote_surface_cloud *cloud)
{
    mote_surface *surface;
    def.min_particles = 1;
    require(mote_surface_create(context, &def, &surface, NULL));
    require(mote_surface_update(surface, cloud, NULL));
    const uint64_t outside = mote_surface_get_stats(surface).outside;
    mote_surface_destroy(surface);
    return outside;
}

static bool is_same(const mote_surface_view *a, const mote_surface_view *b)
{
    return a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
           memcmp(a->vertices, b->vertices, a->vertex_count * sizeof *a->vertices) == 0 &&
           memcmp(a->triangles, b->triangles, 3 * a->triangle_count * sizeof *a->triangles) == 0;
}

static bool print_row(mote_context *context, const settings *options, const char *order, const float *xyz, size_t count,
                      double cell)
{
    mote_neighbors_def search_def = mote_neighbors_default_def();
    search_def.radius = support;
    search_def.features = MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_DISTANCES;
    mote_surface_def def = mote_surface_default_def();
    def.spacing = 1;
    def.cell = cell;
    mote_neighbors *search;
    mote_surface *surfaces[2];  // without and with the search
    mote_surface_view views[2];
    require(mote_neighbors_create(context, &search_def, &search, NULL));
    mote_surface_cloud clouds[2];
    for (int k = 0; k < 2; ++k) {
        require(mote_surface_create(context, &def, &surfaces[k], NULL));
        clouds[k] = mote_surface_cloud_points(mote_points_xyz(xyz, count));
    }
    clouds[1].search = search;
    const double search_ms = time_search(search, clouds[0].points, options);
    const size_t search_bytes = mote_neighbors_byte_count(search, NULL);
    double took[2], volume;
    time_updates(surfaces, clouds, options, took);
    for (int k = 0; k < 2; ++k) views[k] = mote_surface_get_view(surfaces[k]);
    const mote_surface_stats stats = views[0].stats;
    const double looked_up_ms = look_up(search, xyz, count, cell, stats.isovalue, &volume);
    const double outside = (double)count_outside(context, def, &clouds[0]), n = (double)count;
    printf("%s,%g,%zu,%zu,%.5f,%.5f,%.2f,%.2f,%.2f,%.2f,%.1f,%.1f,%.1f\n", order, cell, count, views[0].triangle_count,
           stats.volume / n - 1, outside / n, search_ms, took[0], took[1], looked_up_ms, (double)search_bytes / n,
           (double)stats.bytes / n, (double)views[1].stats.bytes / n);
    const bool is_right = is_same(&views[0], &views[1]) && fabs(volume / stats.volume - 1) < 0.01;
    for (int k = 0; k < 2; ++k) mote_surface_destroy(surfaces[k]);
    mote_neighbors_destroy(search);
    if (!is_right) fprintf(stderr, "ahmad_surface: %s, cell %g: the meshes differ\n", order, cell);
    return is_right;
}

int main(int count, char **arguments)
{
    static const double cells[] = {0.25, 0.5, 0.75, 1, 1.5, 2};
    settings options = {.repeats = 5};
    const argument known[] = {{"--short", "0|1", &options.is_short, NULL, 0, 1},
                              {"--repeat", "N", &options.repeats, NULL, 1, MOST_REPEATS}};
    if (!read_arguments("ahmad_surface", count, arguments, known, 2)) return 2;
    options.side = options.is_short ? 16 : 64;
    mote_context_def def = mote_context_default_def();
    def.thread_count = 1;
    mote_context *context;
    require(mote_context_create(&def, &context, NULL));
    size_t particles;
    float *xyz = make_cloud(options.side, &particles);
    bool is_right = true;
    puts("order,cell,particles,triangles,volume_error,outside,search_ms,own_ms,shared_ms,looked_up_ms,search_bytes,"
         "own_bytes,shared_bytes");
    for (int order = 0; order < 2; ++order) {
        if (order == 1) shuffle(xyz, particles);
        for (size_t c = options.is_short ? 1 : 0; c < sizeof cells / sizeof *cells; ++c)
            is_right &= print_row(context, &options, order ? "shuffled" : "lattice", xyz, particles, cells[c]);
    }
    free(xyz);
    mote_context_destroy(context);
    return is_right ? 0 : 1;
}
