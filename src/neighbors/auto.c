// auto: the default. Looks at the points and lets another method do the work.
//
// The choice follows from the points and from what the def wants, never from time, threads or instruction set, so that
// rows, which come in the chosen method's order, are the same everywhere:
//
// - all_pairs for a few points, where building anything costs more than it saves;
// - kd_tree where every point has its own radius and most of them are far below the largest: cells must be as wide as
//   that one, and hold far too many points for all others;
// - cell_grid for everything else. With one radius for all it is never behind: what a tree skips by its boxes the grid
//   skips by its cells, without looking for them.

#include <math.h>

#include "neighbors/internal.h"

enum {
    FEW = 24,        // points
    SPREAD = 32      // times the balls of the points' own radii that the ball of the largest may hold
};

typedef enum choice_reason { FEW_POINTS, ONE_RADIUS, ALIKE_RADII, SPREAD_RADII } choice_reason;

static bool offers(const mote_neighbors *search, const neighbors_method *method)
{
    return (search->def.features & ~method->info.features) == 0;
}

// How many times the average ball of the points' radii fits into the ball of the largest.
static double radius_spread(const mote_points *points, point_radii radii)
{
    double largest = 0, sum = 0;
    for (size_t i = 0; i < points->count; ++i) largest = fmax(largest, mote_radii_get(radii, i, points->scalar));
    for (size_t i = 0; i < points->count; ++i) {
        double share = mote_radii_get(radii, i, points->scalar) / largest, volume = share;
        for (int k = 1; k < points->dimensions; ++k) volume *= share;
        sum += volume;
    }
    return (double)points->count / sum;
}

static const neighbors_method *choose(mote_neighbors *search, const mote_points *points, point_radii radii)
{
    method_choice *choice = &search->choice;
    if (points->count <= FEW && offers(search, &mote_neighbors_all_pairs)) {
        choice->reason = FEW_POINTS;
        return &mote_neighbors_all_pairs;
    }
    choice->reason = radii.first ? ALIKE_RADII : ONE_RADIUS;
    choice->measure = radii.first ? radius_spread(points, radii) : 1;
    if (!(choice->measure >= SPREAD) || !offers(search, &mote_neighbors_kd_tree)) return &mote_neighbors_cell_grid;
    choice->reason = SPREAD_RADII;
    return &mote_neighbors_kd_tree;
}

static void explain(mote_neighbors *search, char *text, size_t size)
{
    const double measure = search->choice.measure;
    const unsigned long long count = search->count;
    switch ((choice_reason)search->choice.reason) {
    case FEW_POINTS:
        mote_print(text, size, "all_pairs, as %llu points (at most %d) are met faster than sorted", count, FEW);
        break;
    case ONE_RADIUS:
        mote_print(text, size, "cell_grid, the fastest for %llu points (more than %d) in %dD with one radius", count,
                   FEW, search->dimensions);
        break;
    case ALIKE_RADII:
        mote_print(text, size, "cell_grid, as the ball of the largest of %llu radii is %.3g times the average", count,
                   measure);
        break;
    case SPREAD_RADII:
        mote_print(text, size, "kd_tree, as the ball of the largest of %llu radii is %.3g times the average (at least "
                   "%d), and so are cells for it", count, measure, SPREAD);
        break;
    }
}

const neighbors_method mote_neighbors_auto = {
    .info = {"auto", "the points", "cell_grid, or all_pairs or kd_tree where the points speak for them",
             CELL_GRID_FEATURES, true},
    .choose = choose,
    .explain = explain,
};
