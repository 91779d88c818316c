// SPDX-License-Identifier: MIT
// surface/window.h: what it takes to bring the particles around a chunk side by side.
#ifndef MOTE_SURFACE_WINDOW_H
#define MOTE_SURFACE_WINDOW_H

#include "surface/field.h"

// Sorted particles, and where those of each chunk around begin by subcells. Arrays are readable MOTE_WIDE_MOST numbers
// beyond their ends.
struct surface_gather {
    const float *sorted[4];  // x, y, z, volume; the last is NULL while there are no volumes
    const uint32_t *index;
    surface_window *window;
    uint32_t own_count;           // of particles that are not fill points
    bool has_numbers;             // whether `number` of the window is needed
    int subcells, margin, chunk;  // chunk: nodes along its edge
    int shift;                    // there are 2^shift subcells
    int ring, chunks;             // around the chunk, and along each axis
    const uint32_t **tables;      // of each of the chunks around; NULL: it has no particles
};

// The loop for each instruction set.
void mote_surface_gather_rows_plain(const surface_gather *g);
void mote_surface_gather_rows_avx2(const surface_gather *g);
void mote_surface_gather_rows_128(const surface_gather *g);

#endif
