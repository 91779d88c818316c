// SPDX-License-Identifier: MIT
// hits/advance_particle.h: moves a particle through a step, from hit to hit.
#ifndef MOTE_HITS_ADVANCE_PARTICLE_H
#define MOTE_HITS_ADVANCE_PARTICLE_H

#include "hits/internal.h"

// Data that all particles of a step share.
typedef struct hits_step {
    const mote_hits *hits;
    const mote_response *response;
    double time_step;
} hits_step;

typedef struct hits_traveller {
    mote_vec3 position, velocity;
    double radius;
    uint32_t particle;
    bool dead, is_squeezed, is_crushed;
    uint64_t hits;
    hits_contact_log *notes;
    // While it moves:
    double begin;                // the share of the step that is over
    double reach, near, finest;  // radius used in tests; distance that counts as touching; the least radius
                                 // that can be distinguished from 0 [internal]
} hits_traveller;

// Handles hits until the step is over. `hit` is the first one, on the way to `target`.
void mote_hits_advance_particle(const hits_step *step, hits_traveller *who, mote_vec3 target, mote_hit hit);

#endif
