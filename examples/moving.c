// SPDX-License-Identifier: MIT
// A moving set: points drift, and the structure is built anew only when one of them has gone too far.
//
// With a skin the search gathers candidates up to radius + skin and filters them to the radius. They stay good until
// some point has moved half the skin; the search notices by itself. Every step is compared with a search without skin.
//
// Prints:
//     50 steps, 6 structures built, 0 rows differ

#include <stdio.h>
#include <string.h>

#include "mote/neighbors.h"

enum { COUNT = 2000, STEPS = 50 };

static float positions[3 * COUNT], velocities[3 * COUNT];  // [m], [m/step]

static void place_points(void)
{
    mote_random random = {2};
    for (int k = 0; k < 3 * COUNT; ++k) {
        positions[k] = (float)mote_random_unit(&random);
        velocities[k] = 0.001f * (float)(2 * mote_random_unit(&random) - 1);
    }
}

static size_t count_differences(const mote_lists *a, const mote_lists *b)
{
    size_t differences = 0;
    for (uint32_t i = 0; i < COUNT; ++i) {
        mote_row one = mote_lists_row(a, i), other = mote_lists_row(b, i);
        if (one.count != other.count || memcmp(one.indices, other.indices, one.count * sizeof *one.indices) != 0)
            ++differences;
    }
    return differences;
}

// Brings both searches up to date. @return rows that differ, or COUNT if a call failed
static size_t compare(mote_neighbors *skinned, mote_neighbors *plain)
{
    mote_points points = mote_points_xyz(positions, COUNT);
    mote_lists a, b;
    if (mote_neighbors_update(skinned, points, NULL) != MOTE_OK || mote_neighbors_lists(skinned, &a, NULL) != MOTE_OK ||
        mote_neighbors_update(plain, points, NULL) != MOTE_OK || mote_neighbors_lists(plain, &b, NULL) != MOTE_OK)
        return COUNT;
    return count_differences(&a, &b);
}

int main(void)
{
    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = 0.1;
    def.features = MOTE_NEIGHBORS_ASCENDING;  // so that rows can be compared
    mote_neighbors *plain, *skinned;
    if (mote_neighbors_create(NULL, &def, &plain, NULL) != MOTE_OK) return 1;
    def.features |= MOTE_NEIGHBORS_SKIN;
    def.skin = 0.03;
    if (mote_neighbors_create(NULL, &def, &skinned, NULL) != MOTE_OK) {
        mote_neighbors_destroy(plain);
        return 1;
    }

    place_points();
    size_t differences = 0;
    for (int step = 0; step < STEPS; ++step) {
        differences += compare(skinned, plain);
        for (int k = 0; k < 3 * COUNT; ++k) positions[k] += velocities[k];
    }
    printf("%d steps, %llu structures built, %zu rows differ\n", STEPS,
           (unsigned long long)mote_neighbors_get_counters(skinned).rebuilds, differences);
    mote_neighbors_destroy(skinned);
    mote_neighbors_destroy(plain);
    return differences == 0 ? 0 : 1;
}
