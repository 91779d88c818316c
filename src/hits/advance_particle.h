// SPDX-License-Identifier: MIT
// hits/advance_particle.h: a particle's way through a step, from hit to hit.
#ifndef MOTE_HITS_ADVANCE_PARTICLE_H
#define MOTE_HITS_ADVANCE_PARTICLE_H

#include "hits/internal.h"

// What is the same for all particles of a step.
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
    // On the way:
    double begin;                // how much of the step is over
    double reach, near, finest;  // the radius that it is looked at by; how near counts as touching; the least radius
                                 // that can be told from 0 [ours]
} hits_traveller;

// Answers hits until the step is over; the first one, on the way to `target`, is known.
void mote_hits_advance_particle(const hits_step *step, hits_traveller *who, mote_vec3 target, mote_hit hit);

#endif
