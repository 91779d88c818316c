// SPDX-License-Identifier: MIT
// hits/sphere_sweep.h: spheres, and meshes that move: how near they come, and what they touch.
#ifndef MOTE_HITS_SPHERE_SWEEP_H
#define MOTE_HITS_SPHERE_SWEEP_H

#include "hits/internal.h"
#include "hits/sphere_separation.h"

enum { HITS_CONTACTS = 12 };

// A triangle that is near a place at a time. Lengths are ours; the velocity is that of a whole step.
typedef struct hits_near_triangle {
    mote_vec3 normal;    // unit, away from the triangle
    mote_vec3 velocity;  // of the surface there
    double gap;
    uint32_t triangle, original;
} hits_near_triangle;

// The nearest of them, in no order; one for each plane.
typedef struct hits_near_triangles {
    double reach;  // what is farther away is none
    hits_near_triangle contact[HITS_CONTACTS];
    uint32_t count;
} hits_near_triangles;

static inline bool mote_hits_is_nearer(const hits_near_triangle *a, const hits_near_triangle *b)
{
    return a->gap < b->gap || (a->gap == b->gap && a->original < b->original);
}

// How far rounding may put a place near the mesh, or one of these, off its coordinates [ours].
double mote_hits_rounding(const mote_hits *hits, mote_vec3 from, mote_vec3 to);

// The radius by which a particle is looked at [ours]: what is too small to be told from a point is one, which has
// radius 0 among triangles at rest, and a least one among triangles that move; what is too large to go anywhere near
// the mesh is as large as can.
double mote_hits_sweep_radius(const mote_hits *hits, mote_vec3 from, mote_vec3 to, double radius);

// Sets what sweeps need of a ray whose ends and radius are known; false if it meets nothing.
bool mote_hits_sweep_begin(const mote_hits *hits, hits_ray *ray);

// Adds the triangle to the ray's contacts if it is near enough, as it is at the motion's start.
void mote_hits_sweep_add_near(const mote_hits *hits, const hits_ray *ray, uint32_t triangle,
                              const hits_separation *look);

#endif
