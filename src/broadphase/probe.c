// SPDX-License-Identifier: MIT
// The shapes of queries. For a moving box against one at rest the test uses the separating axes of a segment and the
// sum of both boxes (Ericson 2005, section 5.3.3), without a division.

#include "broadphase/probe.h"

#include <float.h>

static float round_down(double x)
{
    if (x >= (double)FLT_MAX) return FLT_MAX;
    if (x <= -(double)FLT_MAX) return -FLT_MAX;
    float near = (float)x;
    return (double)near > x ? nextafterf(near, -INFINITY) : near;
}

static float round_up(double x)
{
    return -round_down(-x);
}

// Batches make many of these, so parts that a box does not use are not even cleared.
bool mote_probe_box(broadphase_probe *probe, int dimensions, const mote_bounds *box)
{
    probe->shape = PROBE_BOX;
    probe->reach = *box;
    if (dimensions < 3) probe->reach.min[2] = probe->reach.max[2] = 0;
    bool fit = true;
    for (int k = 0; k < 3; ++k) {
        const float min = probe->reach.min[k], max = probe->reach.max[k];
        fit &= (min <= max) & (min - min == 0) & (max - max == 0);
    }
    return fit;
}

bool mote_probe_point(broadphase_probe *probe, int dimensions, const float point[3])
{
    mote_bounds box = {{0}, {0}};
    for (int k = 0; k < dimensions; ++k) box.min[k] = box.max[k] = point[k];
    return mote_probe_box(probe, dimensions, &box);
}

bool mote_probe_sphere(broadphase_probe *probe, int dimensions, const float center[3], float radius)
{
    *probe = (broadphase_probe){.shape = PROBE_SPHERE};
    bool fit = isfinite(radius) && radius >= 0;
    const double r = (double)radius, reach = r * (1 + 0x1p-40);
    for (int k = 0; k < dimensions; ++k) {
        probe->center[k] = (double)center[k];
        probe->reach.min[k] = round_down(probe->center[k] - reach);
        probe->reach.max[k] = round_up(probe->center[k] + reach);
        fit &= isfinite(center[k]) != 0;
    }
    probe->limit = r * r;
    return fit;
}

bool mote_probe_segment(broadphase_probe *probe, int dimensions, const float a[3], const float b[3])
{
    *probe = (broadphase_probe){.shape = PROBE_SWEEP};
    bool fit = true;
    for (int k = 0; k < dimensions; ++k) {
        probe->reach.min[k] = a[k] < b[k] ? a[k] : b[k];
        probe->reach.max[k] = a[k] < b[k] ? b[k] : a[k];
        probe->low[k] = (double)probe->reach.min[k];
        probe->high[k] = (double)probe->reach.max[k];
        probe->motion[k] = (double)b[k] - (double)a[k];
        probe->middle[k] = ((double)a[k] + (double)a[k]) + probe->motion[k];
        fit &= isfinite(a[k]) && isfinite(b[k]);
    }
    return fit;
}

bool mote_probe_sweep(broadphase_probe *probe, int dimensions, const mote_bounds *box, const float motion[3])
{
    *probe = (broadphase_probe){.shape = PROBE_SWEEP};
    broadphase_probe still;
    bool fit = mote_probe_box(&still, dimensions, box);
    for (int k = 0; k < dimensions; ++k) {
        const double min = (double)box->min[k], max = (double)box->max[k], v = (double)motion[k];
        probe->low[k] = min + (v < 0 ? v : 0);
        probe->high[k] = max + (v > 0 ? v : 0);
        probe->reach.min[k] = round_down(probe->low[k]);
        probe->reach.max[k] = round_up(probe->high[k]);
        probe->motion[k] = v;
        probe->middle[k] = (min + max) + v;
        probe->size[k] = max - min;
        fit &= isfinite(motion[k]) != 0;
    }
    return fit;
}

static bool sweep_meets(const broadphase_probe *probe, const mote_bounds *box)
{
    double m[3], e[3];
    for (int k = 0; k < 3; ++k) {
        const double min = (double)box->min[k], max = (double)box->max[k];
        if (!(probe->low[k] <= max && min <= probe->high[k])) return false;
        m[k] = probe->middle[k] - (min + max);
        e[k] = probe->size[k] + (max - min);
    }
    for (int k = 0; k < 3; ++k) {
        const int next = (k + 1) % 3;
        const double v = probe->motion[k], w = probe->motion[next];
        if (!(fabs(m[k] * w - m[next] * v) <= e[k] * fabs(w) + e[next] * fabs(v))) return false;
    }
    return true;
}

bool mote_probe_meets(const broadphase_probe *probe, const mote_bounds *box)
{
    if (probe->shape == PROBE_BOX) return true;
    if (probe->shape == PROBE_SPHERE) return mote_bounds_squared_distance(box, probe->center) <= probe->limit;
    return sweep_meets(probe, box);
}

// ------------------------------------------------------------------------------------------------------- pieces

// About how many cells are visited if the probe is cut into `pieces` pieces.
static double cells_of_pieces(const broadphase_probe *probe, const probed_cells *cells, size_t classes, double pieces)
{
    double sum = 0;
    for (size_t c = 0; c < classes; ++c) {
        double covered = 1;
        for (int k = 0; k < 3; ++k) {
            const double length = (double)probe->reach.max[k] - (double)probe->reach.min[k];
            covered *= (length - fabs(probe->motion[k]) * (1 - 1 / pieces)) * cells[c].inverse_edge + 1;
        }
        sum += pieces * fmin(covered, cells[c].count);
    }
    return sum;
}

uint32_t mote_probe_cut(const broadphase_probe *probe, const probed_cells *cells, size_t classes)
{
    enum { FEW = 64 };
    static const double rim = 0x1p29, most = 0x1p20;
    if (probe->shape != PROBE_SWEEP) return 1;
    double longest = 0, farthest = 0, best = 1;
    for (int k = 0; k < 3; ++k) {
        longest = fmax(longest, fabs(probe->motion[k]));
        farthest = fmax(farthest, fmax(fabs((double)probe->reach.min[k]), fabs((double)probe->reach.max[k])));
    }
    double least = cells_of_pieces(probe, cells, classes, 1);
    if (least <= FEW) return 1;
    for (size_t c = 0; c < classes; ++c) {
        if (!(farthest * cells[c].inverse_edge < rim)) return 1;  // the cells at the edge hold everything beyond
        const double pieces = ceil(longest * cells[c].inverse_edge);
        if (pieces < 2 || pieces > most) continue;
        const double looked = cells_of_pieces(probe, cells, classes, pieces);
        if (looked >= least) continue;
        least = looked;
        best = pieces;
    }
    return (uint32_t)best;
}

// The test rounds: with coordinates of a size M, a box that it accepts may be 2^-43 M away from what the moving box
// touches. A piece exceeds its part of the path by far more than that, and by the same for all pieces, and its ends
// ascend with its number: so the pieces that a box overlaps are consecutive.
mote_bounds mote_probe_piece(const broadphase_probe *probe, uint32_t at, uint32_t count, double largest)
{
    const double margin = 0x1p-36 * largest, first = (double)at / count, last = ((double)at + 1) / count;
    mote_bounds piece;
    for (int k = 0; k < 3; ++k) {
        const double v = probe->motion[k], way = fabs(v);
        const double before = way * (v < 0 ? 1 - last : first), behind = way * (v < 0 ? first : 1 - last);
        const float low = round_down(probe->low[k] + before - margin);
        const float high = round_up(probe->high[k] - behind + margin);
        piece.min[k] = low > probe->reach.min[k] ? low : probe->reach.min[k];
        piece.max[k] = high < probe->reach.max[k] ? high : probe->reach.max[k];
    }
    return piece;
}
