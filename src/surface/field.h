// SPDX-License-Identifier: MIT
// surface/field.h: the sums over particles, which are compiled once for each instruction set (base/wide.h).
#ifndef MOTE_SURFACE_FIELD_H
#define MOTE_SURFACE_FIELD_H

#include "base/internal.h"

enum { TARGETS = 8 };  // places that are summed for side by side: nodes of a cluster, or particles

// In cells. W(r)/W(0) = 2 s³ − 8 max(s − 1/2, 0)³ with s = 1 − r/support, the cubic spline; volumes have W(0) in them.
typedef struct surface_kernel {
    float inverse_support;
    float isovalue;
    float slope;     // g = 1 − slope·r²
    bool is_fine;    // cells are small beside the support, at most a sixth of it
    float farthest;  // from a kernel's centre to its particle; 0: they are in one place
} surface_kernel;

// An anisotropic kernel: it is shape(|matrix·(x − centre)|).
typedef struct surface_form {
    float matrix[6];  // xx, yy, zz, xy, xz, yz
    float back[3];    // from the centre to the particle
    float volume;     // times W(0)
    float crowd;
} surface_form;

// Particles around a chunk, in cells from its corner, in the order of subcells: x fastest, then y and z.
typedef struct surface_window {
    float *x, *y, *z, *volume;
    uint32_t *number;           // among the sorted particles
    float *far;                 // 0; large for fill points, which have no g
    float *rank;                // 0, 1, 2, … as the bits of uint32_t; where kernels are anisotropic
    const surface_form *forms;  // of the caller's particles; NULL: kernels are isotropic
    const uint32_t *index;      // of sorted particles: the caller's numbers
    bool has_fill;
    uint32_t count;
    uint32_t *start;      // of each subcell, and the end
    int size;             // subcells along each axis
    int low[3], high[3];  // of the subcells that hold any, inclusive; low above high: none does
    float *block[6];      // those of `x` … `rank`, without numbers, that are near a block of nodes,
    float *list[6];       // and near the targets
} surface_window;

// Subcells of a window, inclusive.
typedef struct surface_range {
    int low[3], high[3];
} surface_range;

typedef struct surface_targets {
    float at[3][TARGETS];
    float low[3], high[3];  // the box around them
    float reach;
} surface_targets;

enum { CORNERS_AT_ONCE = 64 };

// Triangles side by side.
typedef struct surface_corners {
    double at[3][3][CORNERS_AT_ONCE];    // of each corner its x, y, z
    double cross[3][CORNERS_AT_ONCE];    // the normal, as long as twice the area
    double twice[CORNERS_AT_ONCE];       // that length
    double weights[3][CORNERS_AT_ONCE];  // the angle at each corner, by that length; of no meaning where that is 0
} surface_corners;

typedef struct surface_gather surface_gather;  // window.h

struct surface_scale;  // internal.h

typedef struct surface_lanes {
    // Lists the particles of the range within reach of the box that targets lie in, and returns their number; or 0
    // where `may_skip` and all of the box is outside by a bound.
    uint32_t (*list_block)(const surface_kernel *kernel, const surface_window *window, const surface_range *range,
                           const surface_targets *box, bool may_skip);
    // The same with nothing but their places.
    uint32_t (*list_places)(const surface_kernel *kernel, const surface_window *window, const surface_range *range,
                            const surface_targets *box);
    // Of a cube of 4³ nodes that begins at `first`, the clusters of 2³ nodes that are known to be inside by the listed
    // particles: one bit each. `reach` of a cluster: how far particles are looked at.
    uint32_t (*find_inside)(const surface_kernel *kernel, const surface_window *window, uint32_t block_count,
                            const float first[3], float reach);
    // max(c, g) of each target; or false where `may_skip` and all targets are outside by a bound.
    bool (*sum_field)(const surface_kernel *kernel, const surface_window *window, uint32_t block_count,
                      const surface_targets *targets, bool may_skip, float field[TARGETS]);
    // ΣW/W(0) of each target over the listed particles, with all volumes 1; how much it is `alone`: the second of the
    // two sums that make up this one over the first, 1 if all others are where it is, 1/2 in a lattice; and, unless
    // `crowds` is NULL, Σ(1 − r²/support²) over those within the support. `are_near`: the list was made for just these
    // targets.
    void (*sum_kernel)(const surface_kernel *kernel, const surface_window *window, uint32_t block_count,
                       const surface_targets *targets, bool are_near, float sums[TARGETS], float alone[TARGETS],
                       float *crowds);
    // ΣVWw/ΣVW of each target, over the particles whose w is not negative; w stands in the window in place of `far`.
    void (*sum_weights)(const surface_kernel *kernel, const surface_window *window, const surface_range *range,
                        const surface_targets *targets, float means[TARGETS]);
    // Σw, Σwd and Σwdd (xx, yy, zz, xy, xz, yz) of each target, with w = 1 − (|d|/support)³.
    void (*sum_moments)(const surface_kernel *kernel, const surface_window *window, const surface_range *range,
                        const surface_targets *targets, float sums[10][TARGETS]);
    void (*gather_rows)(const surface_gather *gather);
    // The chunks in which coordinates lie (their bits), and where there [cells]. Arrays have room for whole vectors.
    void (*locate)(const struct surface_scale *scale, const double *x, size_t count, uint32_t *chunks, float *local);
    // Which of up to 16 values are at least the least one inside: a bit each. Whether one of them is not a number.
    uint32_t (*find_signs)(const float *values, size_t count, float least, bool *has_bad);
    // Finds what follows from the places of the corners, for all triangles there is room for.
    void (*weigh_corners)(surface_corners *corners);
} surface_lanes;

void mote_surface_locate_plain(const struct surface_scale *scale, const double *x, size_t count, uint32_t *chunks,
                               float *local);
void mote_surface_locate_avx2(const struct surface_scale *scale, const double *x, size_t count, uint32_t *chunks,
                              float *local);
void mote_surface_locate_128(const struct surface_scale *scale, const double *x, size_t count, uint32_t *chunks,
                             float *local);

uint32_t mote_surface_find_signs_plain(const float *values, size_t count, float least, bool *has_bad);
uint32_t mote_surface_find_signs_avx2(const float *values, size_t count, float least, bool *has_bad);
uint32_t mote_surface_find_signs_128(const float *values, size_t count, float least, bool *has_bad);

void mote_surface_weigh_corners_plain(surface_corners *corners);
void mote_surface_weigh_corners_avx2(surface_corners *corners);
void mote_surface_weigh_corners_128(surface_corners *corners);

extern const surface_lanes mote_surface_lanes_plain, mote_surface_lanes_avx2, mote_surface_lanes_128;
const surface_lanes *mote_surface_lanes_choose(const mote_context *context);

#endif
