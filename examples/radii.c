// SPDX-License-Identifier: MIT
// A radius per point: grains of different sizes, and which of them touch.
//
// Two grains touch where their distance is at most the sum of their radii. Half lists have each contact once; squared
// distances come with them. A loop over all pairs, with the very test that mote documents, counts the same.
//
// Prints:
//     974 contacts, the deepest 11.82 mm
//     974 by a loop over all pairs

#include <math.h>
#include <stdio.h>

#include "mote/neighbors.h"

enum { COUNT = 4000 };

static float centres[3 * COUNT], radii[COUNT];  // [m]

// Radii from 1 to 10 mm, the small ones by far the most.
static void place_grains(void)
{
    mote_random random = {4};
    for (int i = 0; i < COUNT; ++i) {
        double u = mote_random_unit(&random);
        radii[i] = (float)(0.01 / (1 + 9 * u));
        for (int k = 0; k < 3; ++k) centres[3 * i + k] = (float)(0.2 * mote_random_unit(&random));
    }
}

static unsigned long long count_by_all_pairs(void)
{
    unsigned long long contacts = 0;
    for (int i = 0; i < COUNT; ++i) {
        for (int j = i + 1; j < COUNT; ++j) {
            float dx = centres[3 * j] - centres[3 * i], dy = centres[3 * j + 1] - centres[3 * i + 1];
            float dz = centres[3 * j + 2] - centres[3 * i + 2], reach = radii[i] + radii[j];
            if ((dx * dx + dy * dy) + dz * dz <= reach * reach) ++contacts;
        }
    }
    return contacts;
}

static void print_contacts(const mote_lists *lists)
{
    float deepest = 0;
    for (uint32_t i = 0; i < COUNT; ++i) {
        mote_row row = mote_lists_row(lists, i);
        for (uint32_t k = 0; k < row.count; ++k) {
            float depth = radii[i] + radii[row.indices[k]] - sqrtf(row.squared[k]);
            if (depth > deepest) deepest = depth;
        }
    }
    printf("%llu contacts, the deepest %.2f mm\n", (unsigned long long)lists->total, 1000 * (double)deepest);
    printf("%llu by a loop over all pairs\n", count_by_all_pairs());
}

int main(void)
{
    mote_error error = {0};
    place_grains();
    mote_neighbors_def def = mote_neighbors_default_def();
    def.features = MOTE_NEIGHBORS_RADII | MOTE_NEIGHBORS_HALF | MOTE_NEIGHBORS_DISTANCES;
    def.radius_rule = MOTE_RADIUS_SUM;
    mote_neighbors *search;
    if (mote_neighbors_create(NULL, &def, &search, &error) != MOTE_OK) return 1;

    mote_lists lists;
    mote_points points = mote_points_xyz(centres, COUNT);
    mote_result result = mote_neighbors_update_radii(search, points, radii, sizeof *radii, &error);
    if (result == MOTE_OK) result = mote_neighbors_lists(search, &lists, &error);
    if (result == MOTE_OK) print_contacts(&lists);
    else
        fprintf(stderr, "%s\n", error.text);
    mote_neighbors_destroy(search);
    return result == MOTE_OK ? 0 : 1;
}
