// SPDX-License-Identifier: MIT
// surface/finish.h: what becomes of a mesh after marching cubes: parts, smoothing, normals, arrays.
#ifndef MOTE_SURFACE_FINISH_H
#define MOTE_SURFACE_FINISH_H

#include "surface/internal.h"

static const double SURFACE_ON_PLANE = 4e-6;  // vertices as near as that lie on a plane [cells]

enum { SURFACE_LAST_PLANE = 63 };  // bit of all planes from that number on, and of solids
enum { SURFACE_COLUMNS = 62 };  // most numbers of a vertex in all arrays

typedef struct surface_finish {
    mote_vec3 *normals;  // NULL: none were asked for
    mote_array *arrays;
    size_t array_count, columns;  // numbers of each vertex in all arrays
    float *values;                // of the arrays, one after the other
    float *weights;               // of smoothing, NULL: all are 1
    mote_buffer normal_memory, array_memory, value_memory, part_memory, ring_memory, weight_memory, moved_memory,
        crowd_memory, cleanup_memory, plane_memory;
} surface_finish;

// A mesh and what is known of it: one for each phase.
typedef struct surface_part {
    surface_mesh mesh;
    surface_finish finish;
    mote_surface_stats stats;
} surface_part;

void mote_surface_finish_release(const mote_context *context, surface_finish *finish);
size_t mote_surface_finish_byte_count(const surface_finish *finish);

// Arrays, weights, parts and cleanup of a mesh just made, as the def asks.
mote_result mote_surface_complete(surface_job *job, const mote_surface_def *def, const mote_surface_cloud *cloud,
                                  surface_part *part);
// Smoothing of all meshes, and their normals.
// @param together  where they are smoothed
mote_result mote_surface_round_off(surface_job *job, const mote_surface_def *def, surface_part *parts, size_t count,
                                   surface_part *together);
// Smooths the meshes of several phases as one, so that those who touch still do.
mote_result mote_surface_smooth_phases(surface_job *job, int32_t rounds, surface_part *parts, size_t count,
                                       surface_part *together);

// Describes the arrays at the vertices.
void mote_surface_place_arrays(const mote_surface_cloud *cloud, size_t vertex_count, surface_finish *finish);
// Finds the parts of the mesh, and leaves out those with too few particles.
mote_result mote_surface_part(const surface_job *job, int32_t min_particles, surface_mesh *mesh, surface_finish *finish,
                              mote_surface_stats *stats);
// Moves the vertices that stay to the front, with all that belongs to them, and drops the triangles of others. `number`
// has UINT32_MAX for those that go; it is overwritten.
void mote_surface_compact(surface_mesh *mesh, surface_finish *finish, uint32_t *number);
// Merges vertices near the same node.
mote_result mote_surface_clean_up(const surface_job *job, surface_mesh *mesh, surface_finish *finish);
// The planes that a vertex lies on, and a move without what leads off these.
uint64_t mote_surface_planes_at(const surface_cut *cut, double cell, mote_vec3 at);
mote_vec3 mote_surface_move_along(const surface_cut *cut, uint64_t planes, mote_vec3 move);
// Moves every vertex towards the mean of its neighbours, by its weight; on planes that cut, along these.
mote_result mote_surface_smooth(const surface_job *job, int32_t rounds, surface_mesh *mesh, surface_finish *finish);
// Turns crowds into weights.
void mote_surface_weigh_particles(const surface_job *job, const mote_surface_def *def);
// Makes room for the crowds, from which the weights of smoothing follow, if these are asked for.
mote_result mote_surface_reserve_crowds(surface_job *job, const mote_surface_def *def, surface_finish *finish);
// Normals of the triangles around each vertex, weighted by angle.
void mote_surface_angle_normals(const surface_lanes *lanes, const surface_mesh *mesh, mote_vec3 *normals);
// Turns every normal to the mean of itself and those of the neighbours.
mote_result mote_surface_smooth_normals(const mote_context *context, int32_t rounds, const surface_mesh *mesh,
                                        surface_finish *finish);
// Brings arrays, weights and the field's gradient from the particles to the vertices.
mote_result mote_surface_carry(surface_job *job, const mote_surface_def *def, const mote_surface_cloud *cloud,
                               surface_mesh *mesh, surface_finish *finish);

// Whether the mesh is closed (or has a border, where `is_open`), oriented and manifold at its edges, and has no
// degenerate triangles.
mote_result mote_surface_check_mesh(const mote_context *context, const surface_mesh *mesh, bool is_open,
                                    mote_error *error);

#endif
