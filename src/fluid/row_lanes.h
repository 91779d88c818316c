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

// The sums of four rows of lanes: turned into rows of four, they are added side by side.
MOTE_INLINE void sum_four(const wide_f32 a[SETS], const wide_f32 b[SETS], const wide_f32 c[SETS],
                          const wide_f32 d[SETS], float four[4])
{
    float l[LANES][4];
    for (int set = 0; set < SETS; ++set) {
        const wide_f32 columns[4] = {a[set], b[set], c[set], d[set]};
        wide_store_rows(l[set * WIDE], 4, columns);
    }
    for (int k = 0; k < 4; ++k)
        four[k] = ((l[0][k] + l[4][k]) + (l[2][k] + l[6][k])) + ((l[1][k] + l[5][k]) + (l[3][k] + l[7][k]));
}

// The sums of rows first … first + 3, of which those from `count` on are 0.
MOTE_INLINE void sum_from(wide_f32 sums[][SETS], int first, int count, float *totals)
{
    wide_f32 none[SETS];
    for (int set = 0; set < SETS; ++set) none[set] = wide_all(0);
    if (first >= count) return;
    sum_four(sums[first], first + 1 < count ? sums[first + 1] : none, first + 2 < count ? sums[first + 2] : none,
             first + 3 < count ? sums[first + 3] : none, totals + first);
}

// The sums of `count` rows of lanes, at most twelve. `totals` has room for a multiple of four: what is behind `count`
// is overwritten. Not a loop: with constants for numbers, rows stay in registers.
MOTE_INLINE void sum_lanes(wide_f32 sums[][SETS], int count, float *totals)
{
    sum_from(sums, 0, count, totals);
    sum_from(sums, 4, count, totals);
    sum_from(sums, 8, count, totals);
}

#endif
