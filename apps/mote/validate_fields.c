// SPDX-License-Identifier: MIT
// Quantities between the particles: fields at a place, the front of the water, its height; lines through points.

#include <math.h>
#include <stdlib.h>

#include "validate.h"

enum { MOST_UNKNOWNS = 4 };

// ------------------------------------------------------------------------------------------------ least squares

// Solves matrix · x = right by Gauss's elimination with pivots. @return false if it has no single solution
static bool solve(int n, double matrix[MOST_UNKNOWNS][MOST_UNKNOWNS], double right[MOST_UNKNOWNS])
{
    for (int k = 0; k < n; ++k) {
        int pivot = k;
        for (int i = k + 1; i < n; ++i)
            if (fabs(matrix[i][k]) > fabs(matrix[pivot][k])) pivot = i;
        if (!(fabs(matrix[pivot][k]) > 1e-6)) return false;
        for (int j = 0; j < n; ++j) {
            const double kept = matrix[k][j];
            matrix[k][j] = matrix[pivot][j], matrix[pivot][j] = kept;
        }
        const double kept = right[k];
        right[k] = right[pivot], right[pivot] = kept;
        for (int i = k + 1; i < n; ++i) {
            const double factor = matrix[i][k] / matrix[k][k];
            for (int j = k; j < n; ++j) matrix[i][j] -= factor * matrix[k][j];
            right[i] -= factor * right[k];
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        for (int j = k + 1; j < n; ++j) right[k] -= matrix[k][j] * right[j];
        right[k] /= matrix[k][k];
    }
    return true;
}

double validate_fit(const mote_fluid_view *view, const float *field, int dimensions, const double place[3],
                    double reach)
{
    const int n = dimensions + 1;
    double matrix[MOST_UNKNOWNS][MOST_UNKNOWNS] = {{0}}, right[MOST_UNKNOWNS] = {0}, total = 0;
    for (size_t i = 0; i < view->count; ++i) {
        const double dx = (view->x[i] - place[0]) / reach, dz = (view->z[i] - place[2]) / reach;
        const double dy = dimensions == 3 ? (view->y[i] - place[1]) / reach : 0, rr = dx * dx + dy * dy + dz * dz;
        if (!(rr < 1)) continue;
        const double weight = (1 - rr) * (1 - rr), base[MOST_UNKNOWNS] = {1, dx, dz, dy};
        for (int a = 0; a < n; ++a) {
            right[a] += weight * base[a] * (double)field[i];
            for (int b = 0; b < n; ++b) matrix[a][b] += weight * base[a] * base[b];
        }
        total += weight;
    }
    if (!(total > 0)) return NAN;
    const double mean = right[0] / total;
    for (int a = 0; a < n; ++a) {
        right[a] /= total;
        for (int b = 0; b < n; ++b) matrix[a][b] /= total;
    }
    return solve(n, matrix, right) ? right[0] : mean;  // particles in a line have no slope across it
}

validate_line validate_fit_line(const double *x, const double *y, size_t count)
{
    double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
    for (size_t k = 0; k < count; ++k) mean_x += x[k] / (double)count, mean_y += y[k] / (double)count;
    for (size_t k = 0; k < count; ++k) {
        xx += (x[k] - mean_x) * (x[k] - mean_x);
        xy += (x[k] - mean_x) * (y[k] - mean_y);
    }
    return (validate_line){mean_y - xy / xx * mean_x, xy / xx};
}

// ---------------------------------------------------------------------------------------------- front and height

double validate_front(const mote_fluid_view *view, double height, double spacing)
{
    double front = -HUGE_VAL;
    for (size_t i = 0; i < view->count; ++i)
        if (view->z[i] < height) front = fmax(front, view->x[i]);
    return front > -HUGE_VAL ? front + spacing / 2 : 0;
}

double validate_height(const mote_fluid_view *view, int dimensions, double x, double y, double spacing)
{
    const double reach = 1.5 * spacing, full = dimensions == 2 ? 3 : 9;  // particles in a cell that is full
    double top = 0;
    for (size_t i = 0; i < view->count; ++i)
        if (fabs(view->x[i] - x) < reach && (dimensions == 2 || fabs(view->y[i] - y) < reach))
            top = fmax(top, view->z[i]);
    const size_t cells = (size_t)(top / spacing) + 3;
    double *filling = calloc(cells + 1, sizeof *filling);
    if (!filling) return NAN;
    for (size_t i = 0; i < view->count; ++i) {
        if (view->z[i] < 0 || fabs(view->x[i] - x) >= reach || (dimensions == 3 && fabs(view->y[i] - y) >= reach))
            continue;
        // A particle is a cube of the spacing, which two cells share.
        const double bottom = fmax(view->z[i] / spacing - 0.5, 0), share = bottom - floor(bottom);
        filling[(size_t)bottom] += (1 - share) / full;
        filling[(size_t)bottom + 1] += share / full;
    }
    size_t last = cells;
    while (last > 0 && filling[last - 1] < 0.5) --last;
    double height = 0;
    if (last > 0) {  // between the centres of the last cell that is half full and of the next
        const double below = filling[last - 1], above = filling[last];
        height = spacing * ((double)last - 0.5 + fmin((below - 0.5) / (below - above), 1));
    }
    free(filling);
    return height;
}
