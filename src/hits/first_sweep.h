// hits/first_sweep.h: spheres, and meshes that move: how near they come, and what they touch.
#ifndef MOTE_HITS_FIRST_SWEEP_H
#define MOTE_HITS_FIRST_SWEEP_H

#include "hits/first.h"
#include "hits/first_apart.h"

enum { FIRST_CONTACTS = 12 };

// A triangle that is near a place at a time. Lengths are ours; the velocity is that of a whole step.
typedef struct first_contact {
    mote_vec3 normal;    // unit, away from the triangle
    mote_vec3 velocity;  // of the surface there
    double gap;
    uint32_t triangle, original;
} first_contact;

// The nearest of them, in no order; one for each plane.
typedef struct first_contacts {
    double reach;  // what is farther away is none
    first_contact contact[FIRST_CONTACTS];
    uint32_t count;
} first_contacts;

static inline bool mote_first_is_nearer(const first_contact *a, const first_contact *b)
{
    return a->gap < b->gap || (a->gap == b->gap && a->original < b->original);
}

// How far rounding may put a place near the mesh, or one of these, off its coordinates [ours].
double mote_first_grain(const mote_first_hits *first, mote_vec3 from, mote_vec3 to);

// The radius by which a particle is looked at [ours]: what is too small to be told from a point is one, which has
// radius 0 among triangles at rest, and a least one among triangles that move; what is too large to go anywhere near
// the mesh is as large as can.
double mote_first_radius(const mote_first_hits *first, mote_vec3 from, mote_vec3 to, double radius);

// Sets what sweeps need of a ray whose ends and radius are known; false if it meets nothing.
bool mote_first_begin_sweep(const mote_first_hits *first, first_ray *ray);

// Adds the triangle to the ray's contacts if it is near enough, as it is at the motion's start.
void mote_first_add_contact(const mote_first_hits *first, const first_ray *ray, uint32_t triangle,
                            const first_look *look);

#endif
