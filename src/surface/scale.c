// SPDX-License-Identifier: MIT
// The lengths of a surface in cells, and its isovalue.
//
// With V = 1/ΣW particles near a surface count for more than inner ones, so c is above 1/2 in the plane where a body
// ends. The isovalue is its mean there: for a half space of cubic lattice whose last layer is half a spacing below.

#include <math.h>

#include "surface/internal.h"

enum { SAMPLES = 16, MOST_LAYERS = 10 };

// The sum over a layer of lattice at a height, seen from above the place (x, y) of its square.
static double layer_sum(double support, double x, double y, double height)
{
    const int reach = (int)ceil(support) + 1;
    double sum = 0;
    for (int j = -reach; j <= reach; ++j)
        for (int i = -reach; i <= reach; ++i) {
            const double dx = i - x, dy = j - y;
            sum += mote_surface_shape(sqrt((dx * dx + dy * dy) + height * height) / support);
        }
    return sum;
}

double mote_surface_mean_at_end(double support, const double *sink)
{
    const int layers = (int)ceil(support) + 1;
    double volume[MOST_LAYERS], own[MOST_LAYERS];
    MOTE_ASSERT(layers <= MOST_LAYERS);
    for (int k = 0; k < layers; ++k) own[k] = layer_sum(support, 0, 0, k);
    for (int k = 0; k < layers; ++k) {
        double sum = 0;
        for (int other = 0; other < k + layers; ++other) sum += own[other > k ? other - k : k - other];
        volume[k] = 1 / sum;
    }
    double mean = 0;
    for (int b = 0; b < SAMPLES; ++b)
        for (int a = 0; a < SAMPLES; ++a)
            for (int k = 0; k < layers; ++k)
                mean += volume[k] * layer_sum(support, (a + 0.5) / SAMPLES, (b + 0.5) / SAMPLES, k + 0.5 + sink[k]);
    return mean / (SAMPLES * SAMPLES);
}

double mote_surface_derive_isovalue(double support)
{
    static const double sink[MOST_LAYERS] = {0};
    return mote_surface_mean_at_end(support, sink);
}

// What is added to the volume 1/ΣW of a particle without others near it, as a share of this; the less it is alone, the
// less, and nothing in a corner of a lattice. Its ball then has a radius of 0.66 spacings at any support, of which a
// mesh with cells of half a spacing, whose edges cut corners off, has 0.74 to 0.84 spacing³. 0 where neighbours in a
// lattice are hardly within the support, and for anisotropic kernels, which are as wide as it takes.
static float lone_more(const mote_surface_def *def)
{
    static const double radius = 0.66;
    const double support = def->support / def->spacing;
    if (support < 2 || def->kernel == MOTE_SURFACE_KERNEL_ANISOTROPIC) return 0;
    return (float)(mote_surface_derive_isovalue(support) / mote_surface_shape(radius / support) - 1);
}

surface_scale mote_surface_scale(const mote_surface_def *def)
{
    static const double inner = 0.45;  // spacings from a particle to where g has the isovalue
    surface_scale scale = {.spacing = def->spacing, .cell = def->cell};
    scale.support = def->support / def->cell;
    scale.isovalue = isnan(def->isovalue) ? mote_surface_derive_isovalue(def->support / def->spacing) : def->isovalue;
    const double spacing = def->spacing / def->cell;
    scale.subcell = 2;
    while (scale.subcell < CHUNK && scale.subcell * 1.6 < spacing) scale.subcell *= 2;
    scale.subcells = CHUNK / scale.subcell;
    scale.inverse_subcell = 1 / (float)scale.subcell;
    scale.reach = (float)(scale.support * (1 + 0x1p-16));
    // The kernel is 0 from the support on: subcells that begin there are not needed.
    scale.margin = (int)ceil(scale.support / scale.subcell);
    scale.ring = (int)(((double)scale.reach + 1) / CHUNK) + 1;
    scale.unit = 0x1p24;
    for (double most = 1; most < CHUNK + 2 + scale.margin * scale.subcell; most *= 2) scale.unit *= 0.5;
    scale.chunks_of_unit = 1 / (scale.unit * CHUNK);
    // A little more than the inverse, so that distances of the support or more give exactly 0 after rounding.
    scale.kernel.inverse_support = (float)((1 + 0x1p-21) / scale.support);
    scale.kernel.isovalue = (float)scale.isovalue;
    scale.kernel.is_fine = scale.support >= 6;
    scale.near = (float)(scale.support * (scale.kernel.is_fine ? 0.6 : 0.55));
    const int near_subcells = MOTE_MAX((int)scale.near / scale.subcell, 1);
    scale.near_rows = (float)(near_subcells * scale.subcell) * (1 - 0x1p-10f);
    scale.lone_more = lone_more(def);
    scale.kernel.slope = (float)((1 - scale.isovalue) / (inner * spacing * (inner * spacing)));
    return scale;
}
