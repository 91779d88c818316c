// SPDX-License-Identifier: MIT
// Neighbours in 30 lines: who lies within 5 cm of whom, among 100,000 random points in a cube?
//
// Prints:
//     100000 points, 4943160 neighbours in all
//     point 0 has 51

#include <stdio.h>

#include "mote/neighbors.h"

enum { COUNT = 100000 };

int main(void)
{
    static float positions[3 * COUNT];  // x, y, z, x, y, z, … [m]
    mote_random random = {1};
    for (int k = 0; k < 3 * COUNT; ++k) positions[k] = (float)mote_random_unit(&random);

    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = 0.05;  // [m]
    mote_neighbors *search;
    mote_error error;
    if (mote_neighbors_create(NULL, &def, &search, &error) != MOTE_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }

    mote_lists lists;
    mote_result result = mote_neighbors_update(search, mote_points_xyz(positions, COUNT), &error);
    if (result == MOTE_OK) result = mote_neighbors_lists(search, &lists, &error);
    if (result == MOTE_OK) {
        mote_row row = mote_lists_row(&lists, 0);  // row.indices[0 … row.count − 1] are the neighbours of point 0
        printf("%d points, %llu neighbours in all\n", COUNT, (unsigned long long)lists.total);
        printf("point 0 has %u\n", (unsigned)row.count);
    } else {
        fprintf(stderr, "%s\n", error.text);
    }
    mote_neighbors_destroy(search);
    return result == MOTE_OK ? 0 : 1;
}
