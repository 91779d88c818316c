// Prints a checksum of the rows that every method finds in several sets, with features and without: content, order,
// squared distances, differences and shifts to the last bit. It has to be the same text on every machine.

#include <stdio.h>
#include <stdlib.h>

#include "mote/neighbors.h"

enum { COUNT = 1000 };

typedef struct point_set {
    const char *name;
    float radius;
    int dimensions;
    float xyz[3 * COUNT];
    double xyz_f64[3 * COUNT];
    double radii_f64[COUNT];
    float radii[COUNT];
} point_set;

// Coordinates of a random set, of a lattice whose points lie exactly at the radius, and of a dense heap far from the
// origin in a thin cloud.
static void fill(point_set *set, const char *name)
{
    mote_random random = {7};
    for (int i = 0; i < 3 * COUNT; ++i) {
        double u = mote_random_unit(&random);
        int step = i % 3 == 0 ? i / 3 % 10 : i % 3 == 1 ? i / 30 % 10 : i / 300;
        set->xyz_f64[i] = name[0] == 'u' ? u : name[0] == 'l' ? 0.1 * step : 1000 + (i % 2 ? u : 0.05 * u);
        set->xyz[i] = (float)set->xyz_f64[i];
    }
    for (int i = 0; i < COUNT; ++i) {
        set->radii_f64[i] = set->radius * (0.2 + mote_random_unit(&random));
        set->radii[i] = (float)set->radii_f64[i];
    }
}

static void mix(uint64_t *sum, const void *data, size_t bytes)
{
    for (size_t b = 0; data && b < bytes; ++b) *sum = (*sum ^ ((const unsigned char *)data)[b]) * 0x100000001b3u;
}

static uint64_t checksum(const mote_lists *lists)
{
    uint64_t sum = 0xcbf29ce484222325u;
    for (uint32_t i = 0; i < lists->count; ++i) {
        mote_row row = mote_lists_row(lists, i);
        size_t n = row.count;
        mix(&sum, &row.count, sizeof row.count);
        mix(&sum, row.indices, n * sizeof *row.indices);
        mix(&sum, row.squared, n * sizeof *row.squared);
        mix(&sum, row.squared_f64, n * sizeof *row.squared_f64);
        mix(&sum, row.differences, 3 * n * sizeof *row.differences);
        mix(&sum, row.differences_f64, 3 * n * sizeof *row.differences_f64);
        mix(&sum, row.shifts, 3 * n * sizeof *row.shifts);
    }
    return sum;
}

static bool print_rows(const point_set *set, const char *method, uint32_t features)
{
    mote_neighbors_def def = mote_neighbors_default_def();
    def.method = method;
    def.radius = (double)set->radius;
    def.radius_rule = MOTE_RADIUS_LARGER;
    def.features = features;
    def.skin = 0.01;
    def.period[0] = (mote_vec3){1.1, 0, 0};
    def.period[1] = (mote_vec3){0.3, 1.2, 0};
    def.period[2] = (mote_vec3){0, 0.1, 1.3};
    mote_neighbors *search;
    mote_result result = mote_neighbors_create(NULL, &def, &search, NULL);
    if (result == MOTE_ERROR_UNSUPPORTED) return true;
    if (result != MOTE_OK) return false;
    bool is_f64 = features & MOTE_NEIGHBORS_F64;
    mote_points points = is_f64 ? mote_points_xyz_f64(set->xyz_f64, COUNT) : mote_points_xyz(set->xyz, COUNT);
    points.dimensions = set->dimensions;
    if (!(features & MOTE_NEIGHBORS_RADII)) result = mote_neighbors_update(search, points);
    else if (is_f64) result = mote_neighbors_update_radii(search, points, set->radii_f64, sizeof *set->radii_f64);
    else result = mote_neighbors_update_radii(search, points, set->radii, sizeof *set->radii);
    mote_lists lists;
    if (result == MOTE_OK) result = mote_neighbors_lists(search, &lists);
    if (result == MOTE_OK)
        printf("%s %dD %s %03x: %llu neighbours, bits %016llx\n", set->name, set->dimensions, method,
               (unsigned)features, (unsigned long long)lists.total, (unsigned long long)checksum(&lists));
    else fprintf(stderr, "%s: %s\n", method, mote_neighbors_error(search)->text);
    mote_neighbors_destroy(search);
    return result == MOTE_OK;
}

static bool print_set(const point_set *set)
{
    const uint32_t wanted[] = {
        0,
        MOTE_NEIGHBORS_ASCENDING,
        MOTE_NEIGHBORS_DISTANCES | MOTE_NEIGHBORS_DIFFERENCES,
        MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_DISTANCES,
        MOTE_NEIGHBORS_HALF | MOTE_NEIGHBORS_RADII,
        MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_RADII | MOTE_NEIGHBORS_DIFFERENCES,
        MOTE_NEIGHBORS_PERIODIC | MOTE_NEIGHBORS_DISTANCES,
        MOTE_NEIGHBORS_SKIN,
    };
    const mote_neighbors_method_info *method;
    for (size_t m = 0; (method = mote_neighbors_method_at(m)) != NULL; ++m)
        for (size_t f = 0; f < sizeof wanted / sizeof *wanted; ++f) {
            bool in_box = wanted[f] & MOTE_NEIGHBORS_PERIODIC;
            if ((!in_box || set->dimensions == 3) && !print_rows(set, method->name, wanted[f])) return false;
        }
    return true;
}

int main(void)
{
    const char *const names[] = {"uniform", "lattice", "heap"};
    point_set *set = calloc(1, sizeof *set);
    bool done = set != NULL;
    for (int n = 0; n < 3 && done; ++n) {
        for (set->dimensions = 2; set->dimensions <= 3 && done; ++set->dimensions) {
            set->name = names[n];
            set->radius = set->dimensions == 2 ? 0.02f : 0.1f;
            fill(set, names[n]);
            done = print_set(set);
        }
    }
    free(set);
    return done ? 0 : 1;
}
