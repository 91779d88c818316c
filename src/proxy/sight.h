// SPDX-License-Identifier: MIT
// proxy/sight.h: lines of sight from particles to a leaf's triangles, eight triangles at a time.
#ifndef MOTE_PROXY_SIGHT_H
#define MOTE_PROXY_SIGHT_H

#include "proxy/internal.h"

enum { LANES = 8, TILE = 64 };

// Triangles of a leaf, in the form for the tests: a corner, the edges from it, their cross product and its square.
typedef struct sight_tile {
    double corner[3][TILE], edge[3][TILE], other[3][TILE], cross[3][TILE], square[TILE];
    size_t count;
} sight_tile;

// A particle's line of sight.
typedef struct sight_line {
    mote_vec3 point, way;
    double way2;
    mote_gaze gaze;
    bool is_clear;  // it runs in no triangle's plane
} sight_line;

// Where a line crosses the planes of eight triangles.
typedef struct sight_planes {
    double time[LANES], along[LANES];
    uint32_t crossed;  // bits of the planes that are crossed within the line, no later than the nearest hit so far
    uint32_t run_in;   // bits of the planes in which the line runs
} sight_planes;

typedef struct sight_lanes {
    void (*cross_planes)(const sight_tile *tile, size_t first, const sight_line *line, sight_planes *planes);
    // Bits of the triangles within whose edges the line crosses the plane.
    uint32_t (*within_edges)(const sight_tile *tile, size_t first, const sight_line *line, const sight_planes *planes);
} sight_lanes;

#endif
