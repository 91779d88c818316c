// SPDX-License-Identifier: MIT
// support/surface.h: what tests of surfaces share: whether a mesh is a closed manifold, checksums, clouds.
#ifndef MOTE_TEST_SURFACE_H
#define MOTE_TEST_SURFACE_H

#include "mote/surface.h"

// Fails unless every edge has two triangles, which run through it in opposite directions, the triangles around every
// vertex form one ring, and none is degenerate.
void surface_check_manifold(const mote_surface_view *view, const char *what);
// How many pairs of triangles cut through each other.
uint64_t surface_count_crossings(const mote_surface_view *view);
// Fails if triangles of a mesh from marching cubes, not smoothed, cut through each other: in a small part of the time
// of counting all crossings. Each triangle is in one closed cube, without lying in a face of it; triangles of two cubes
// can then only meet in a face, along sides, which both cubes have in common where the mesh is closed. So it is enough
// to compare those of the same cube, which follow each other, by ascending chunks of 16³ cubes and cubes.
void surface_check_cubes(const mote_surface_view *view, double cell, const char *what);
// FNV-1a of vertices, normals where there are any, and triangles.
uint64_t surface_checksum(const mote_surface_view *view);

// Points of a cubic lattice of spacing 1 within a ball around `center`; each moved by at most `jitter` along each axis.
// @return how many; xyz is the caller's to free
size_t surface_ball(double radius, double jitter, const double center[3], float **xyz);

// A surface of points with spacing 1, by a def; fails the test if that fails.
mote_surface *surface_of(mote_context *context, const mote_surface_def *def, const float *xyz, size_t count);
mote_surface_def surface_def(void);  // spacing 1
// The checksum of that surface with so many threads and a form of SIMD; 0 where the processor does not have that.
uint64_t surface_checksum_with(uint32_t threads, mote_simd simd, const mote_surface_def *def, const float *xyz,
                               size_t count);
// Fails unless the surface of a ball of lattice is closed, has all particles inside, and the volume of these times a
// cube of the spacing, but for a part of at most `most`.
void surface_check_ball(const mote_surface_def *def, double radius, double jitter, double most);

#endif
