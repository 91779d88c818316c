// Shapes that look into a broad phase. A moving box against one at rest: the separating axes of a segment and the sum
// of both boxes (Ericson 2005, section 5.3.3), without a division.

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

// Batches ask for many of these: what a box has no use for is not even cleared.
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
