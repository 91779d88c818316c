// SPDX-License-Identifier: MIT
// surface/phases.h: several fluids, each with a mesh of its own.
//
// A node inside the body belongs to the phase whose own max(c, g) is the largest there, the first of equal ones. Each
// phase then has the signs of its own nodes, and marching cubes makes its mesh from these alone. A vertex between two
// phases lies where both are equally strong, interpolated along the edge: it is the same for either mesh. Cubes where
// three regions meet are those of junctions.h.
#ifndef MOTE_SURFACE_PHASES_H
#define MOTE_SURFACE_PHASES_H

#include "surface/internal.h"

enum { MOST_PHASES = 32 };  // bits of a mask

// What is known of a chunk of the grid.
typedef struct phase_chunk {
    int32_t body;   // signs of all phases together
    uint32_t own;   // phases of its particles, a bit each
    uint32_t near;  // and of those around
    uint32_t set;   // values and signs: first of one set for each of `near`; UINT32_MAX: there are none
    uint32_t first_junction, junction_count;  // of the mesh that is made: keys,
    uint32_t junction_vertex;                 // and the vertex of the first one
} phase_chunk;

struct surface_phases {
    int count;          // 1: particles have no phases
    int chosen;         // the one whose signs the grid has
    const uint8_t *of;  // of each of the caller's particles
    uint64_t particles[MOST_PHASES];
    phase_chunk *chunks;
    float *values;         // max(c, g) of a phase at the nodes of a chunk
    uint32_t first_signs;  // of the first set, among the grid's
    uint16_t *junctions;   // of each chunk, ascending: 4·node + axis of a face, or + 3 for the centre of a cube
    mote_buffer of_memory, chunk_memory, value_memory, number_memory, junction_memory;
    mote_table vertices;  // by place, while meshes are smoothed together
};

static inline bool mote_surface_has_phase(const surface_phases *phases, uint32_t particle)
{
    return !phases || phases->of[particle] == phases->chosen;
}

void mote_surface_phases_release(const mote_context *context, surface_phases *phases);
size_t mote_surface_phases_byte_count(const surface_phases *phases);

// Reads the phase of each particle. Without any, or if all are of phase 0, the count is 1.
mote_result mote_surface_take_phases(const mote_context *context, const mote_surface_cloud *cloud,
                                     surface_phases *phases, mote_error *error);
// Finds the phase of each node inside the body, whose signs and values the grid has.
mote_result mote_surface_find_phases(surface_job *job);
// Replaces the signs of the grid by those of a phase.
void mote_surface_choose_phase(surface_job *job, int phase);
// The phase that a node belongs to, −1 outside the body. Nodes count from the corner of the first of eight chunks.
int mote_surface_phase_at(const surface_phases *phases, const surface_grid *grid, const surface_chunk *const next[8],
                          const int at[3]);
// Whether there are nodes of several phases in these chunks.
bool mote_surface_has_phases(const surface_phases *phases, const surface_grid *grid,
                             const surface_chunk *const next[8]);
// Whether both ends of an edge are inside the body; then `part` is where on its way from `low` both phases are equal.
bool mote_surface_phase_cut(const surface_phases *phases, const surface_grid *grid, const surface_chunk *const next[8],
                            const int low[3], const int high[3], double *part);

#endif
