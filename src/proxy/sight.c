// SPDX-License-Identifier: MIT
// Tests of a line of sight against eight triangles of a leaf: one body, compiled once more for AVX2.

#include "proxy/sight.h"

// The same as look_at in label.c, to the last bit. Loops are split where a compiler could not vectorise one loop
// with a condition and everything that depends on it.

static const double weights[LANES] = {1, 2, 4, 8, 16, 32, 64, 128};

MOTE_INLINE uint32_t bits_of(const double lanes[LANES])
{
    return (uint32_t)(((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
                      ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7])));
}

MOTE_INLINE void cross_planes(const sight_tile *tile, size_t first, const sight_line *line, sight_planes *planes)
{
    const mote_vec3 point = line->point, way = line->way;
    double times[LANES], slopes[LANES], rise2[LANES], least[LANES], crossed[LANES], run_in[LANES];
    const double latest = MOTE_MIN(1 + MOTE_VIEW_NEAR_TIE, line->gaze.nearest + MOTE_VIEW_NEAR_TIE);
    for (size_t i = 0; i < LANES; ++i) {
        const size_t t = first + i;
        const double nx = tile->cross[0][t], ny = tile->cross[1][t], nz = tile->cross[2][t];
        const double x = tile->corner[0][t] - point.x, y = tile->corner[1][t] - point.y,
                     z = tile->corner[2][t] - point.z;
        const double along = nx * way.x + ny * way.y + nz * way.z, height = nx * x + ny * y + nz * z;
        least[i] = MOTE_VIEW_NEAR_EDGE * MOTE_VIEW_NEAR_EDGE * tile->square[t] * line->way2;
        slopes[i] = along;
        rise2[i] = height * height;
        times[i] = height / along;
    }
    for (size_t i = 0; i < LANES; ++i) {
        const double slope2 = slopes[i] * slopes[i];
        double here = times[i] >= -MOTE_VIEW_NEAR_TIE ? weights[i] : 0;
        here = times[i] <= latest ? here : 0;
        crossed[i] = slope2 <= least[i] ? 0 : here;
        const double level = rise2[i] <= least[i] ? weights[i] : 0;
        run_in[i] = slope2 <= least[i] ? level : 0;
    }
    memcpy(planes->time, times, sizeof times);
    memcpy(planes->along, slopes, sizeof slopes);
    planes->crossed = bits_of(crossed);
    planes->run_in = bits_of(run_in);
}

MOTE_INLINE uint32_t within_edges(const sight_tile *tile, size_t first, const sight_line *line,
                                  const sight_planes *planes)
{
    const mote_vec3 point = line->point, way = line->way;
    double share[3][LANES], least[LANES], within[LANES];
    for (size_t i = 0; i < LANES; ++i) {
        const size_t t = first + i;
        const double nx = tile->cross[0][t], ny = tile->cross[1][t], nz = tile->cross[2][t];
        const double ex = tile->edge[0][t], ey = tile->edge[1][t], ez = tile->edge[2][t];
        const double fx = tile->other[0][t], fy = tile->other[1][t], fz = tile->other[2][t];
        const double time = planes->time[i];
        const double mx = way.x * time - (tile->corner[0][t] - point.x),
                     my = way.y * time - (tile->corner[1][t] - point.y),
                     mz = way.z * time - (tile->corner[2][t] - point.z);
        const double b = (my * fz - mz * fy) * nx + (mz * fx - mx * fz) * ny + (mx * fy - my * fx) * nz;
        const double c = (ey * mz - ez * my) * nx + (ez * mx - ex * mz) * ny + (ex * my - ey * mx) * nz;
        share[0][i] = tile->square[t] - b - c;
        share[1][i] = b;
        share[2][i] = c;
        least[i] = -MOTE_VIEW_NEAR_EDGE * tile->square[t];
    }
    for (size_t i = 0; i < LANES; ++i) {
        double here = share[0][i] < least[i] ? 0 : weights[i];
        here = share[1][i] < least[i] ? 0 : here;
        within[i] = share[2][i] < least[i] ? 0 : here;
    }
    return bits_of(within);
}

static void cross_planes_plain(const sight_tile *tile, size_t first, const sight_line *line, sight_planes *planes)
{
    cross_planes(tile, first, line, planes);
}

static uint32_t within_edges_plain(const sight_tile *tile, size_t first, const sight_line *line,
                                   const sight_planes *planes)
{
    return within_edges(tile, first, line, planes);
}

const sight_lanes mote_sight_plain = {cross_planes_plain, within_edges_plain};

#if MOTE_HAVE_AVX2
MOTE_TARGET_AVX2 static void cross_planes_avx2(const sight_tile *tile, size_t first, const sight_line *line,
                                               sight_planes *planes)
{
    cross_planes(tile, first, line, planes);
}

MOTE_TARGET_AVX2 static uint32_t within_edges_avx2(const sight_tile *tile, size_t first, const sight_line *line,
                                                   const sight_planes *planes)
{
    return within_edges(tile, first, line, planes);
}

const sight_lanes mote_sight_avx2 = {cross_planes_avx2, within_edges_avx2};
#endif
