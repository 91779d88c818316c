// SPDX-License-Identifier: MIT
// hits/sphere_sweep.h: spheres, and meshes that move: distances and first contacts.
#ifndef MOTE_HITS_SPHERE_SWEEP_H
#define MOTE_HITS_SPHERE_SWEEP_H

#include "hits/internal.h"
#include "hits/sphere_separation.h"

enum { HITS_CONTACTS = 12 };

// A triangle near a position at one time. Lengths are internal; the velocity is the displacement in a whole step.
typedef struct hits_near_triangle {
    mote_vec3 normal;    // unit vector away from the triangle
    mote_vec3 velocity;  // velocity of the surface there
    double gap;
    uint32_t triangle, original;
} hits_near_triangle;

// The nearest such triangles, in no order; one for each plane.
typedef struct hits_near_triangles {
    double reach;  // triangles farther away are not listed
    hits_near_triangle contact[HITS_CONTACTS];
    uint32_t count;
} hits_near_triangles;

static inline bool mote_hits_is_nearer(const hits_near_triangle *a, const hits_near_triangle *b)
{
    return a->gap < b->gap || (a->gap == b->gap && a->original < b->original);
}

// A bound of the rounding error of a position near the mesh, or of `from` or `to` [internal].
double mote_hits_rounding(const mote_hits *hits, mote_vec3 from, mote_vec3 to);

// The radius that sweeps use for a particle [internal], at most HITS_LARGEST_RADIUS. A radius that cannot be told
// from that of a point counts as 0 among triangles at rest, and as a least radius among triangles that move.
double mote_hits_sweep_radius(const mote_hits *hits, mote_vec3 from, mote_vec3 to, double radius);

// Sets the fields that sweeps need, for a ray whose ends and radius are known; false if it meets nothing.
bool mote_hits_sweep_begin(const mote_hits *hits, hits_ray *ray);

// Adds the triangle, as it is at the start of the motion, to the ray's contacts if it is near enough.
void mote_hits_sweep_add_near(const mote_hits *hits, const hits_ray *ray, uint32_t triangle,
                              const hits_separation *look);

#endif
