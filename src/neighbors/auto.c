// SPDX-License-Identifier: MIT
// auto: the default. Chooses another method by the points.
//
// The choice follows from the points (their number, dimensions, radii, and a sample of how densely they lie) and from
// what the def wants, never from time, threads or instruction set, so that rows, which come in the chosen method's
// order, are the same everywhere:
//
// - all_pairs for a few points, where building anything costs more than it saves;
// - cell_grid for everything else with one radius. Measured on 10^3 to 10^6 points with 0.001 to 250 neighbours it is
//   two to ten times as fast as the next: its table takes in the extent (explain says how), and its cells grow where
//   points are few and far between. Unless something lies so far off that no cells fit both: with a tenth of a
//   neighbour a point and an outlier cell_grid takes 1.6 times as long as kd_tree, which takes over for float points;
// - with a radius for every point cell_grid, too, whose classes of cells follow the radii: with the larger radius or
//   the sum of both as the rule it is 6 to 40 times as fast as kd_tree at 1 to 4 decades of radii and 3 neighbours or
//   more, wherever the points lie. kd_tree takes over in two cases:
//   - with the rule MINE cells have one size for all. Where the radii follow a density that goes over decades, no size
//     fits: at two decades cell_grid is twice as fast as kd_tree, at three a quarter, at four a twelfth;
//   - where there is less than a neighbour a point, looking through classes of cells is all the work: with four classes
//     both take as long, with seven kd_tree takes half the time, with eleven a half to a fifth.

#include <math.h>

#include "base/order.h"
#include "cells/internal.h"
#include "neighbors/internal.h"

enum {
    FEW = 24,       // points
    SPREAD = 16,    // times the average ball of the points' radii that the ball of the largest may hold
    CLASSES = 6,    // octaves of radii that are too many where neighbours are few
    SAMPLE = 128,   // points
    MANY = 16384    // points that are worth a sample, whatever their radius
};

static const double UNEVEN = 1e7;    // times the least density (90 % have more) that the greatest (10 % have) may be
static const double LONELY = 0.25;   // neighbours a point: below, one radius does not speak for cells
static const double EMPTIEST = 100;  // times the room that points take which their box may have

typedef enum choice_reason {
    FEW_POINTS,
    ONE_RADIUS,
    FAR_OUTLIERS,
    FITTING_CELLS,
    UNEVEN_POINTS,
    LONELY_POINTS
} choice_reason;

// What is looked at.
typedef struct points_survey {
    double spread;   // times that the average ball of the points' radii fits into the ball of the largest
    double mean;     // of the radii to the power of the dimensions
    int classes;     // octaves
    double uneven;   // the density that a tenth of the points exceed, by the one that nine tenths do
    double reached;  // points that the average ball holds at the median density
} points_survey;

static bool offers(const mote_neighbors *search, const neighbors_method *method)
{
    return (search->def.features & ~method->info.features) == 0;
}

static double power(double length, int dimensions)
{
    return dimensions == 1 ? length : dimensions == 2 ? length * length : length * length * length;
}

// Answers false where a radius is not legal: whichever method is chosen then refuses it.
static bool survey_radii(const mote_points *points, point_radii radii, points_survey *survey)
{
    double largest = 0, smallest = (double)INFINITY, sum = 0;
    for (size_t i = 0; i < points->count; ++i) {
        double radius = mote_radii_get(radii, i, points->scalar);
        if (!radii.is_enlarged && !mote_radius_is_legal(radius, points->scalar, true)) return false;
        largest = fmax(largest, radius);
        smallest = fmin(smallest, radius);
    }
    for (size_t i = 0; i < points->count; ++i)
        sum += power(mote_radii_get(radii, i, points->scalar) / largest, points->dimensions);
    survey->spread = (double)points->count / sum;
    survey->mean = power(largest, points->dimensions) / survey->spread;
    survey->classes = ilogb(largest) - ilogb(smallest) + 1;
    return true;
}

// Densities from a sample: around each of its points there is nothing up to the nearest other one. Of evenly spread
// points that empty ball is exponentially distributed, with ln 2 of the mean for its median.
static void survey_density(const mote_points *points, points_survey *survey)
{
    const int dimensions = points->dimensions;
    double at[SAMPLE][3], empty[SAMPLE];
    const int count = (int)MOTE_MIN(points->count, (size_t)SAMPLE);
    mote_random random = {1};
    for (int s = 0; s < count; ++s) {
        const size_t each = points->count / (size_t)count;  // one point of every stretch of so many
        const size_t i = (size_t)s * each + mote_random_below(&random, (uint32_t)each);
        for (int k = 0; k < 3; ++k) at[s][k] = mote_points_get(points, i, k);
    }
    for (int s = 0; s < count; ++s) {
        double least = (double)INFINITY;
        for (int t = 0; t < count; ++t) {
            const double x = at[t][0] - at[s][0], y = at[t][1] - at[s][1], z = at[t][2] - at[s][2];
            const double squared = (x * x + y * y) + z * z;
            if (t != s && squared < least) least = squared;
        }
        empty[s] = power(sqrt(least), dimensions);
    }
    mote_sort_doubles(empty, (size_t)count);
    survey->uneven = empty[count - 1 - count / 10] / empty[count / 10];
    const double share = (double)points->count / (double)count;
    survey->reached = survey->mean * share * 0.6931471805599453 / empty[count / 2];
}

// Whether points with one radius lie alone in a box that is nearly empty: cells wide enough to hold some of them would
// be too many for a table, or hold too many of them.
static bool have_far_outliers(const mote_neighbors *search, const mote_points *points, double *emptiness)
{
    static const double balls[4] = {0, 2, 3.141592653589793, 4.1887902047863905};
    points_survey survey = {.mean = power(search->radius, points->dimensions)};
    mote_box box;
    survey_density(points, &survey);
    if (!(survey.reached < LONELY)) return false;
    if (mote_points_bounds(search->context, points, "points", &box, NULL) != MOTE_OK) return false;
    const double size[3] = {box.max.x - box.min.x, box.max.y - box.min.y, box.max.z - box.min.z};
    double volume = 1;
    for (int k = 0; k < points->dimensions; ++k) volume *= size[k];
    const double room = survey.reached / survey.mean * volume / balls[points->dimensions];  // for so many points
    *emptiness = room / (double)points->count;
    return *emptiness > EMPTIEST;
}

static const neighbors_method *choose(mote_neighbors *search, const mote_points *points, point_radii radii)
{
    method_choice *choice = &search->choice;
    if (points->count <= FEW) {
        choice->reason = FEW_POINTS;
        return &mote_neighbors_all_pairs;
    }
    choice->reason = ONE_RADIUS;
    if (!radii.first) {
        const bool is_suspect = search->is_plain && points->count >= MANY && offers(search, &mote_neighbors_kd_tree);
        if (!is_suspect || !have_far_outliers(search, points, &choice->measure)) return &mote_neighbors_cell_grid;
        choice->reason = FAR_OUTLIERS;
        return &mote_neighbors_kd_tree;
    }
    const bool is_mine = search->def.radius_rule == MOTE_RADIUS_MINE;
    points_survey survey;
    if (!survey_radii(points, radii, &survey)) return &mote_neighbors_cell_grid;
    choice->reason = FITTING_CELLS;
    choice->measure = survey.spread;
    const bool is_suspect = is_mine ? survey.spread >= SPREAD : survey.classes >= CLASSES;
    if (!is_suspect || !offers(search, &mote_neighbors_kd_tree)) return &mote_neighbors_cell_grid;
    survey_density(points, &survey);
    if (!(is_mine ? survey.uneven >= UNEVEN : survey.reached < 1)) return &mote_neighbors_cell_grid;
    choice->reason = is_mine ? UNEVEN_POINTS : LONELY_POINTS;
    choice->measure = is_mine ? survey.uneven : survey.reached;
    return &mote_neighbors_kd_tree;
}

static void explain(mote_neighbors *search, char *text, size_t size)
{
    const double measure = search->choice.measure;
    const unsigned long long count = search->count;
    switch ((choice_reason)search->choice.reason) {
    case FEW_POINTS:
        mote_print(text, size, "all_pairs, as %llu points are few (at most %d)", count, FEW);
        break;
    case ONE_RADIUS:
        mote_print(text, size, "cell_grid, the fastest for more than %d points with equal radii", FEW);
        break;
    case FAR_OUTLIERS:
        mote_print(text, size, "kd_tree, as the points fill only 1/%.2g of their bounding box and have few neighbours",
                   measure);
        break;
    case FITTING_CELLS:
        mote_print(text, size, "cell_grid, as cells suit these radii: the largest ball is %.3g times the average",
                   measure);
        break;
    case UNEVEN_POINTS:
        mote_print(text, size, "kd_tree, as radii or densities vary by a factor of %.2g, too much for cells", measure);
        break;
    case LONELY_POINTS:
        mote_print(text, size, "kd_tree, as cells would need %d or more sizes for %.2g neighbours per point", CLASSES,
                   measure);
        break;
    }
}

const neighbors_method mote_neighbors_auto = {
    .info = {"auto", "the points", "cell_grid, or all_pairs or kd_tree where those are faster",
             CELL_GRID_FEATURES, true},
    .choose = choose,
    .explain = explain,
};
