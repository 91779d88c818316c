// grains/internal.h: what the files of the grains share.
#ifndef MOTE_GRAINS_INTERNAL_H
#define MOTE_GRAINS_INTERNAL_H

#include "base/internal.h"
#include "mote/first_hits.h"
#include "mote/grains.h"
#include "mote/proxy.h"

struct mote_grains {
    mote_context *context;
    mote_grains_def def;
    mote_buffer position_memory, velocity_memory, old_memory, label_memory;
    double *positions, *velocities;  // x, y, z of each grain
    double *old_positions;           // before the step
    uint8_t *labels, *old_labels;    // sides, with a proxy
    size_t alive;                    // grains that have come
    double time;
    mote_proxy *proxy;       // one of these two, or neither: there are no meshes
    mote_first_hits *first;
    mote_grains_stats stats;
};

// The grains from `first` on, for the proxy.
mote_proxy_particles mote_grains_particles(mote_grains *grains, size_t first);

// exact.c: moves all grains with their velocities; they bounce off the first triangles that they meet.
void mote_grains_move_exactly(mote_grains *grains, double dt);

#endif
