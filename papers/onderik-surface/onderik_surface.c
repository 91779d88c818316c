// SPDX-License-Identifier: MIT
// The isovalue of Onderik & Ďurikovič 2008, who extract the zero level of the density, beside others.
//
// Three clouds of particles of spacing 1: a ball of jittered lattice, a block, and drops of one particle each above a
// sheet one particle thick. Two fields: c = Σ V W with V = spacing³, which is the document's density over that at rest,
// and with V = 1/ΣW; and the surface of the library, max(c, g). Marching cubes with cells of half a spacing. One line
// of CSV each: the isovalue, the volume that is enclosed over that of the particles, less one, and the share of
// particles whose centre is outside. With --short, smaller clouds.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mote/surface.h"

enum { MOST = 20000 };
static const double support = 2, cell = 0.5, pi = 3.14159265358979323846;

typedef struct particles {
    const char *name;
    float xyz[3 * MOST];
    size_t count;
    double volumes[MOST];
} particles;

static double jitter(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 33) / 2147483648.0 - 0.5;
}

static void add(particles *to, double x, double y, double z)
{
    const double at[3] = {x, y, z};
    for (size_t k = 0; k < 3; ++k) to->xyz[3 * to->count + k] = (float)at[k];
    ++to->count;
}

static void fill_ball(particles *to, int radius)
{
    uint64_t state = 7;
    to->name = "ball";
    for (int z = -radius; z < radius; ++z)
        for (int y = -radius; y < radius; ++y)
            for (int x = -radius; x < radius; ++x) {
                const double at[3] = {x + 0.5, y + 0.5, z + 0.5};
                if (at[0] * at[0] + at[1] * at[1] + at[2] * at[2] > radius * radius) continue;
                add(to, at[0] + 0.6 * jitter(&state), at[1] + 0.6 * jitter(&state), at[2] + 0.6 * jitter(&state));
            }
}

static void fill_block(particles *to, int side)
{
    to->name = "block";
    for (int i = 0; i < side * side * side; ++i)
        add(to, i % side + 0.17, i / side % side + 0.17, i / (side * side) + 0.17);
}

static void fill_spray(particles *to)
{
    uint64_t state = 3;
    to->name = "spray";
    for (int i = 0; i < 400; ++i) add(to, i % 20 + 0.5 * jitter(&state), i / 20 + 0.5 * jitter(&state), 0.13);
    for (int i = 0; i < 100; ++i)
        add(to, 5 * (i % 5) + jitter(&state), 5 * (i / 5 % 5) + jitter(&state), 6 + 5 * (i / 25) + jitter(&state));
}

// The cubic spline, normalised for the support.
static double kernel(double r)
{
    const double s = fmax(1 - r / support, 0), t = fmax(s - 0.5, 0);
    return 8 / (pi * support * support * support) * (2 * s * s * s - 8 * t * t * t);
}

static double distance_from(const float *xyz, const double at[3])
{
    const double x = (double)xyz[0] - at[0], y = (double)xyz[1] - at[1], z = (double)xyz[2] - at[2];
    return sqrt(x * x + y * y + z * z);
}

// c at a place: over all particles, with volumes of 1 where `volumes` is NULL.
static double sum_at(const particles *from, const double *volumes, const double at[3])
{
    double sum = 0;
    for (size_t i = 0; i < from->count; ++i)
        if (fabs((double)from->xyz[3 * i] - at[0]) < support)
            sum += (volumes ? volumes[i] : 1) * kernel(distance_from(from->xyz + 3 * i, at));
    return sum;
}

static void find_volumes(particles *to)
{
    for (size_t i = 0; i < to->count; ++i) {
        const double at[3] = {(double)to->xyz[3 * i], (double)to->xyz[3 * i + 1], (double)to->xyz[3 * i + 2]};
        to->volumes[i] = 1 / sum_at(to, NULL, at);
    }
}

static void print_row(const particles *of, const char *field, const char *isovalue, double value, double volume,
                      double lost)
{
    printf("%s,%s,%s,%.3f,%.5f,%.5f\n", of->name, field, isovalue, value, volume / (double)of->count - 1,
           lost / (double)of->count);
}

// The values at the nodes of a grid around the cloud; each particle adds to those within the support.
static float *make_grid(const particles *from, const double *volumes, mote_isosurface_def *grid)
{
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < 3 * from->count; ++i) {
        low[i % 3] = fmin(low[i % 3], (double)from->xyz[i]);
        high[i % 3] = fmax(high[i % 3], (double)from->xyz[i]);
    }
    *grid = mote_isosurface_default_def();
    grid->cell = cell;
    for (int k = 0; k < 3; ++k) {
        low[k] = cell * (floor((low[k] - support) / cell) - 1);
        grid->size[k] = (int32_t)ceil((high[k] + support - low[k]) / cell) + 2;
    }
    grid->origin = (mote_vec3){low[0], low[1], low[2]};
    const size_t nx = (size_t)grid->size[0], ny = (size_t)grid->size[1], nz = (size_t)grid->size[2];
    float *values = calloc(nx * ny * nz, sizeof *values);
    const int reach = (int)(support / cell) + 1;
    for (size_t i = 0; values && i < from->count; ++i) {
        int first[3];
        for (int k = 0; k < 3; ++k) first[k] = (int)(((double)from->xyz[3 * i + (size_t)k] - low[k]) / cell) - reach;
        for (int n = 0; n < 8 * (reach + 1) * (reach + 1) * (reach + 1); ++n) {
            const int side = 2 * (reach + 1), z = first[2] + n / (side * side);
            const int at[3] = {first[0] + n % side, first[1] + n / side % side, z};
            if (at[0] < 0 || at[1] < 0 || at[2] < 0 || at[0] >= grid->size[0] || at[1] >= grid->size[1] ||
                at[2] >= grid->size[2])
                continue;
            const double place[3] = {low[0] + cell * at[0], low[1] + cell * at[1], low[2] + cell * at[2]};
            values[((size_t)at[2] * ny + (size_t)at[1]) * nx + (size_t)at[0]] +=
                (float)((volumes ? volumes[i] : 1) * kernel(distance_from(from->xyz + 3 * i, place)));
        }
    }
    grid->values = values;
    return values;
}

static bool measure(const particles *of, const double *volumes, const char *field, const char *isovalue, double value)
{
    mote_isosurface_def grid;
    mote_isosurface *isosurface = NULL;
    float *values = make_grid(of, volumes, &grid);
    grid.isovalue = value;
    const bool made = values && mote_isosurface_create(NULL, &grid, &isosurface, NULL) == MOTE_OK;
    size_t lost = 0;
    for (size_t i = 0; i < of->count; ++i) {
        const double at[3] = {(double)of->xyz[3 * i], (double)of->xyz[3 * i + 1], (double)of->xyz[3 * i + 2]};
        lost += sum_at(of, volumes, at) < value;
    }
    if (made) print_row(of, field, isovalue, value, mote_isosurface_get_stats(isosurface).volume, (double)lost);
    mote_isosurface_destroy(isosurface);
    free(values);
    return made;
}

static bool measure_library(mote_surface *surface, const particles *of)
{
    const mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xyz(of->xyz, of->count));
    if (mote_surface_update(surface, &cloud, NULL) != MOTE_OK) return false;
    const mote_surface_stats stats = mote_surface_get_stats(surface);
    print_row(of, "max(c; g)", "derived", stats.isovalue, stats.volume, (double)stats.outside);
    return true;
}

int main(int count, char **arguments)
{
    const int size = count > 1 && strcmp(arguments[1], "--short") == 0 ? 5 : 10;
    mote_surface_def def = mote_surface_default_def();
    mote_surface *surface;
    particles *clouds = calloc(3, sizeof *clouds);
    def.spacing = 1;
    def.min_particles = 1;  // counts those outside
    if (!clouds || mote_surface_create(NULL, &def, &surface, NULL) != MOTE_OK) return 1;
    fill_ball(&clouds[0], size);
    fill_block(&clouds[1], 2 * size);
    fill_spray(&clouds[2]);
    const double derived = mote_surface_get_stats(surface).isovalue;
    // The zero level of a density that is nowhere below 0 is the end of all kernels: a number just above it.
    const double zero = 1e-30;
    bool is_done = true;
    puts("cloud,field,isovalue,value,volume_error,lost");
    for (int k = 0; k < 3 && is_done; ++k) {
        find_volumes(&clouds[k]);
        is_done = measure(&clouds[k], NULL, "density", "0", zero) && measure(&clouds[k], NULL, "density", "1/2", 0.5) &&
                  measure(&clouds[k], clouds[k].volumes, "c", "0", zero) &&
                  measure(&clouds[k], clouds[k].volumes, "c", "1/2", 0.5) &&
                  measure(&clouds[k], clouds[k].volumes, "c", "derived", derived) &&
                  measure_library(surface, &clouds[k]);
    }
    mote_surface_destroy(surface);
    free(clouds);
    return is_done ? 0 : 1;
}
