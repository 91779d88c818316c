// SPDX-License-Identifier: MIT
// fluid/row_lanes.h: the eight lanes to which the neighbours of a row are added, in registers of any width.
//
// Neighbour k of a row is added to lane k mod 8; the sum of a row is ((l0+l4) + (l2+l6)) + ((l1+l5) + (l3+l7)). Rows
// are filled up to a multiple of eight with a record that adds exactly 0. So all forms have the same bits.
#ifndef MOTE_FLUID_ROW_LANES_H
#define MOTE_FLUID_ROW_LANES_H

#include "base/wide.h"
#include "fluid/row.h"

_Static_assert(8 % WIDE == 0, "eight lanes are whole registers");

enum { LANES = 8, SETS = LANES / WIDE };  // SETS registers hold the lanes

// The indices of the neighbours k … k + WIDE − 1 of a row, filled up with `filler` at its end.
MOTE_INLINE const uint32_t *indices_from(fluid_row row, uint32_t k, uint32_t filler, uint32_t spare[WIDE])
{
    if (k + WIDE <= row.count) return row.indices + k;
    const uint32_t rest = k < row.count ? row.count - k : 0;
    const wide_u32 own = wide_load_first_u32(row.indices + (rest ? k : 0), rest);
    wide_store(spare, wide_select(wide_less(wide_lane_numbers(), wide_all_u32(rest)), own, wide_all_u32(filler)));
    return spare;
}

// Sums of nothing, at most twelve. One by one: a loop would become a call, or an instruction, that fills memory, which
// takes as long as eight neighbours, and keeps the sums in memory.
MOTE_INLINE void start_lanes(wide_f32 sums[][SETS], int count)
{
    for (int set = 0; set < SETS; ++set) {
#define START(c) \
    if (c < count) sums[c][set] = wide_all(0)
        START(0);
        START(1);
        START(2);
        START(3);
        START(4);
        START(5);
        START(6);
        START(7);
        START(8);
        START(9);
        START(10);
        START(11);
#undef START
    }
}

// The sums of `count` rows of lanes, four at a time: turned into rows of four, they are added side by side.
MOTE_INLINE void sum_lanes(wide_f32 sums[][SETS], int count, float *totals)
{
    for (int first = 0; first < count; first += 4) {
        float l[LANES][4], four[4];
        for (int set = 0; set < SETS; ++set) {
            const wide_f32 none = wide_all(0);
            const wide_f32 columns[4] = {sums[first][set], first + 1 < count ? sums[first + 1][set] : none,
                                         first + 2 < count ? sums[first + 2][set] : none,
                                         first + 3 < count ? sums[first + 3][set] : none};
            wide_store_rows(l[set * WIDE], 4, columns);
        }
        for (int c = 0; c < 4; ++c)
            four[c] = ((l[0][c] + l[4][c]) + (l[2][c] + l[6][c])) + ((l[1][c] + l[5][c]) + (l[3][c] + l[7][c]));
        for (int c = 0; c < 4 && first + c < count; ++c) totals[first + c] = four[c];
    }
}

#endif
