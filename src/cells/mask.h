// SPDX-License-Identifier: MIT
// cells/mask.h: the H-mask, exact (Onderik & Ďurikovič 2008, eq. 16, corrected).
//
// The mask consists of the cells around a cell that may hold points within a reach of some point in it: those whose
// offset s has ‖max(|s| − 1, 0)‖ ≤ reach, in cell edges. Onderik & Ďurikovič measure ‖s‖ with edges of h/(2H + 1),
// and so omit cells that it needs. With edges slightly above h/H, a reach of h gives 27, 125, 311 and 613 cells for
// H = 1 … 4 in 3D. The mask is the same for every cell, and is divided into lines along x: offsets (−width … width,
// y, z).
#ifndef MOTE_CELLS_MASK_H
#define MOTE_CELLS_MASK_H

#include <math.h>

#include "base/internal.h"

// Returns the gap between two cells with this offset, in edges.
static inline double mote_mask_gap(int64_t offset)
{
    double steps = fabs((double)offset);
    return steps > 1 ? steps - 1 : 0;
}

// Returns half the width of the mask's line at (y, z), or −1 if it has none.
// @param reach  in edges, with room for rounding (mote_frame_reach)
static inline int64_t mote_mask_width(double reach, int64_t y, int64_t z)
{
    double gap_y = mote_mask_gap(y), gap_z = mote_mask_gap(z);
    double rest = reach * reach - gap_y * gap_y - gap_z * gap_z;
    if (rest < 0) return -1;
    return rest < 0x1p100 ? (int64_t)sqrt(rest) + 1 : (int64_t)1 << 51;
}

// Returns how many cells the mask extends along an axis.
static inline int64_t mote_mask_steps(double reach)
{
    return mote_mask_width(reach, 0, 0);
}

#endif
