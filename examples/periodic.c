// SPDX-License-Identifier: MIT
// A periodic box: a crystal that goes on for ever, so that every atom has its six nearest, those at the edge, too.
//
// Each axis is periodic or open. With a neighbour comes the image that it is: how many periods to add to its position.
//
// Prints:
//     periodic in x and y: 5.80 neighbours an atom; those of atom 0:
//       atom   1 at (1, 0, 0)
//       atom   9 at (-1, 0, 0)
//       atom  10 at (0, 1, 0)
//       atom  90 at (0, -1, 0)
//       atom 100 at (0, 0, 1)
//     in z, too: 6.00 neighbours an atom; those of atom 0:
//       atom   1 at (1, 0, 0)
//       atom   9 at (-1, 0, 0)
//       atom  10 at (0, 1, 0)
//       atom  90 at (0, -1, 0)
//       atom 100 at (0, 0, 1)
//       atom 900 at (0, 0, -1)

#include <stdio.h>

#include "mote/neighbors.h"

enum { SIDE = 10, COUNT = SIDE * SIDE * SIDE };

static float atoms[3 * COUNT];  // 10 × 10 × 10, x fastest, 1 nm apart [nm]

// Prints how many neighbours the crystal's atoms have, and those of atom 0, which lies at a corner.
// @return whether all went well
static bool print_neighbors(mote_neighbors *search)
{
    mote_error error = {0};
    mote_lists lists;
    if (mote_neighbors_update(search, mote_points_xyz(atoms, COUNT), &error) != MOTE_OK ||
        mote_neighbors_lists(search, &lists, &error) != MOTE_OK) {
        fprintf(stderr, "%s\n", error.text);
        return false;
    }
    printf("%.2f neighbours an atom; those of atom 0:\n", (double)lists.total / COUNT);
    mote_row row = mote_lists_row(&lists, 0);
    for (uint32_t k = 0; k < row.count; ++k) {
        const float *at = atoms + 3 * row.indices[k];
        const int32_t *shift = row.shifts + 3 * k;
        printf("  atom %3u at (%g, %g, %g)\n", (unsigned)row.indices[k], at[0] + (float)(shift[0] * SIDE),
               at[1] + (float)(shift[1] * SIDE), at[2] + (float)(shift[2] * SIDE));
    }
    return true;
}

int main(void)
{
    for (int i = 0; i < COUNT; ++i) {
        atoms[3 * i] = (float)(i % SIDE);
        atoms[3 * i + 1] = (float)(i / SIDE % SIDE);
        atoms[3 * i + 2] = (float)(i / SIDE / SIDE);
    }
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = 1;
    def.features = MOTE_NEIGHBORS_PERIODIC | MOTE_NEIGHBORS_ASCENDING;
    def.period[0] = (mote_vec3){SIDE, 0, 0};
    def.period[1] = (mote_vec3){0, SIDE, 0};  // period[2] stays zero: z is open
    mote_neighbors *search;
    if (mote_neighbors_create(NULL, &def, &search, NULL) != MOTE_OK) return 1;

    printf("periodic in x and y: ");
    bool done = print_neighbors(search);
    def.period[2] = (mote_vec3){0, 0, SIDE};
    printf("in z, too: ");
    done = done && mote_neighbors_set_period(search, def.period, def.period_origin, NULL) == MOTE_OK &&
           print_neighbors(search);
    mote_neighbors_destroy(search);
    return done ? 0 : 1;
}
