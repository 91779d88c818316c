// hits/first_travel.h: a particle's way through a step, from hit to hit.
#ifndef MOTE_HITS_FIRST_TRAVEL_H
#define MOTE_HITS_FIRST_TRAVEL_H

#include "hits/first.h"

// What is the same for all particles of a step.
typedef struct first_step {
    const mote_first_hits *first;
    const mote_response *response;
    double time_step;
} first_step;

typedef struct first_traveller {
    mote_vec3 position, velocity;
    double radius;
    uint32_t particle;
    bool dead, is_squeezed, is_crushed;
    uint64_t hits;
    first_notes *notes;
    // On the way:
    double begin;                // how much of the step is over
    double reach, near, finest;  // the radius that it is looked at by; how near counts as touching; the least radius
                                 // that can be told from 0 [ours]
} first_traveller;

// Answers hits until the step is over; the first one, on the way to `target`, is known.
void mote_first_travel(const first_step *step, first_traveller *who, mote_vec3 target, mote_first_hit hit);

#endif
