// SPDX-License-Identifier: MIT
// auto: the default. It chooses one of the other methods for the given points.
//
// The choice depends on the points (their number, dimensions, radii, and a sample of their density) and on what the
// def requests, but never on time, threads or instruction set. Rows come in the order of the chosen method, so they
// are the same on every machine. The choices are:
//
// - all_pairs for a few points, where building any structure costs more than it saves;
// - cell_grid for all other points with one radius, however they are distributed. Measured on 2,000 to 200,000 float
//   points with 0.001 to 700 neighbours, even or with a density over six decades, on lines and sheets, with outliers up
//   to 10^9 radii away along one, two or three axes, kd_tree takes 1.2 to 12 times as long, and the best other method
//   0.86 of the time at least: its table covers the extent of the points (explain says how), or lists the cells that
//   are occupied, and its cells grow where points are sparse. Up to 128 points lie in one cell, and up to 256 in a
//   periodic box in wide cells (grid_points.c, grid_classes.c): looking into many cells that are nearly empty takes two
//   to three times as long;
// - cell_index for double points with one radius and hardly any neighbours, in a box too wide for floats relative to
//   its middle (grid_relative.h): with one neighbour per point or less cell_grid takes 1.3 to 2.9 times as long there,
//   with two both take equally long, with five or more, be it only where few points lie, cell_grid takes 0.1 to 0.8 of
//   cell_index's time;
// - cell_grid also with one radius per point. Its classes of cells follow the radii: if the rule is the larger
//   radius or the sum of both, it is 6 to 40 times as fast as kd_tree at 1 to 4 decades of radii and 3 neighbours or
//   more, however the points are distributed. kd_tree is chosen in two cases:
//   - with the rule MINE, all cells have the same size. If the radii follow a density that varies over decades, no
//     size fits: at two decades cell_grid is twice as fast as kd_tree, at three decades a quarter as fast, at four a
//     twelfth;
//   - with less than one neighbour per point, nearly all the work is searching the classes of cells: with four
//     classes both methods take equally long, with seven kd_tree takes half the time, with eleven a half to a fifth.

#include <math.h>

#include "base/order.h"
#include "cells/internal.h"
#include "neighbors/grid_relative.h"
#include "neighbors/internal.h"

enum {
    FEW = 24,       // points
    SPREAD = 16,    // most that (ball of the largest radius) / (average ball of the points' radii) may be
    CLASSES = 6,    // octaves of radii; more are too many if there are few neighbours
    SAMPLE = 128    // points
};

static const double UNEVEN = 1e7;  // most that (density that 10 % exceed) / (density that 90 % exceed) may be
static const double LONELY = 2;    // neighbours at the median density up to which doubles in a wide box are lonely,
static const double CROWDED = 64;  // and at the density that a 32nd of them exceed; estimated so, that is 22 times the
                                   // median's where points are evenly spread

typedef enum choice_reason {
    FEW_POINTS,
    ONE_RADIUS,
    WIDE_DOUBLES,
    FITTING_CELLS,
    UNEVEN_POINTS,
    LONELY_POINTS
} choice_reason;

// The properties of the points on which the choice depends.
typedef struct points_survey {
    double spread;   // the ball of the largest radius, in average balls of the points' radii
    double mean;     // mean of radius^dimensions
    int classes;     // octaves
    double uneven;   // (density that a tenth of the points exceed) / (density that nine tenths exceed)
    double reached;  // number of points in the average ball at the median density,
    double crowded;  // and at the density that a 32nd exceed
} points_survey;

static bool offers(const mote_neighbors *search, const neighbors_method *method)
{
    return (search->def.features & ~method->info.features) == 0;
}

static double power(double length, int dimensions)
{
    return dimensions == 1 ? length : dimensions == 2 ? length * length : length * length * length;
}

// Returns false if a radius is not legal. Any method that is chosen then will reject it.
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

// Estimates densities from a sample: around each sample point, the ball up to its nearest other point is empty. For
// evenly distributed points the volume of that ball is exponentially distributed, so its median is ln 2 times its mean.
static void survey_density(const mote_points *points, points_survey *survey)
{
    const int dimensions = points->dimensions;
    double at[SAMPLE][3], empty[SAMPLE];
    const int count = (int)MOTE_MIN(points->count, (size_t)SAMPLE);
    mote_random random = {1};
    for (int s = 0; s < count; ++s) {
        const size_t each = points->count / (size_t)count;  // one sample point from every stretch of this length
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
    survey->crowded = survey->mean * share * 0.6931471805599453 / empty[count / 32];
}

// Tells whether double points have hardly any neighbours, in a box too wide for floats relative to its middle.
static bool are_wide_doubles(mote_neighbors *search, const mote_points *points)
{
    points_survey survey = {.mean = power(search->radius, points->dimensions)};
    relative_frame frame;
    if (search->def.features != MOTE_NEIGHBORS_F64) return false;
    if (mote_relative_frame_make(&search->points.bounds, search->radius, &frame)) return false;
    survey_density(points, &survey);
    search->choice.measure = survey.reached;
    return survey.reached < LONELY && survey.crowded < CROWDED;
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
        if (!are_wide_doubles(search, points)) return &mote_neighbors_cell_grid;
        choice->reason = WIDE_DOUBLES;
        return &mote_neighbors_cell_index;
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
    case WIDE_DOUBLES:
        mote_print(text, size, "cell_index, as double points with %.2g neighbours lie too far apart for floats",
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
    .info = {"auto", "the points", "cell_grid, or all_pairs, cell_index or kd_tree where those are faster",
             CELL_GRID_FEATURES, true},
    .choose = choose,
    .explain = explain,
};
