// SPDX-License-Identifier: MIT
// Tests of a line of sight against eight triangles of a leaf: the same as look_at in label.c, to the last bit.

#include "base/wide.h"
#include "proxy/sight.h"

_Static_assert(LANES % WIDE_F64 == 0, "tiles are read in whole vectors");

typedef struct sight_vec {
    wide_f64 x, y, z;
} sight_vec;

static inline sight_vec load_vec(const double column[3][TILE], size_t at)
{
    return (sight_vec){wide_load(column[0] + at), wide_load(column[1] + at), wide_load(column[2] + at)};
}

static inline sight_vec cross_of(sight_vec a, sight_vec b)
{
    return (sight_vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline wide_f64 dot_of(sight_vec a, sight_vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// The corners from the line's point.
static inline sight_vec corners_from(const sight_tile *tile, size_t at, mote_vec3 point)
{
    const sight_vec corner = load_vec(tile->corner, at);
    return (sight_vec){corner.x - point.x, corner.y - point.y, corner.z - point.z};
}

static void cross_planes(const sight_tile *tile, size_t first, const sight_line *line, sight_planes *planes)
{
    const sight_vec way = {wide_all_f64(line->way.x), wide_all_f64(line->way.y), wide_all_f64(line->way.z)};
    const wide_f64 earliest = wide_all_f64(-MOTE_VIEW_NEAR_TIE);
    const wide_f64 latest =
        wide_all_f64(MOTE_MIN(1 + MOTE_VIEW_NEAR_TIE, line->gaze.nearest + MOTE_VIEW_NEAR_TIE));
    planes->crossed = planes->run_in = 0;
    for (size_t i = 0; i < LANES; i += WIDE_F64) {
        const sight_vec normal = load_vec(tile->cross, first + i);
        const wide_f64 along = dot_of(normal, way);
        const wide_f64 height = dot_of(normal, corners_from(tile, first + i, line->point));
        const wide_f64 square = wide_load(tile->square + first + i), time = height / along;
        const wide_f64 least = square * (MOTE_VIEW_NEAR_EDGE * MOTE_VIEW_NEAR_EDGE) * line->way2;
        const wide_mask_f64 level = wide_at_most(along * along, least);
        const wide_mask_f64 here = wide_both(wide_at_most(earliest, time), wide_at_most(time, latest));
        planes->crossed |= wide_bits(wide_except(here, level)) << i;
        planes->run_in |= wide_bits(wide_both(wide_at_most(height * height, least), level)) << i;
        wide_store(planes->time + i, time);
        wide_store(planes->along + i, along);
    }
}

static uint32_t within_edges(const sight_tile *tile, size_t first, const sight_line *line, const sight_planes *planes)
{
    const mote_vec3 way = line->way;
    uint32_t within = 0;
    for (size_t i = 0; i < LANES; i += WIDE_F64) {
        const sight_vec normal = load_vec(tile->cross, first + i), corner = corners_from(tile, first + i, line->point);
        const wide_f64 square = wide_load(tile->square + first + i), time = wide_load(planes->time + i);
        const sight_vec met = {time * way.x - corner.x, time * way.y - corner.y, time * way.z - corner.z};
        const wide_f64 b = dot_of(cross_of(met, load_vec(tile->other, first + i)), normal);
        const wide_f64 c = dot_of(cross_of(load_vec(tile->edge, first + i), met), normal);
        const wide_f64 least = square * -MOTE_VIEW_NEAR_EDGE;
        const wide_mask_f64 beyond = wide_either(wide_less(b, least), wide_less(c, least));
        within |= wide_bits(wide_not(wide_either(beyond, wide_less(square - b - c, least)))) << i;
    }
    return within;
}

const sight_lanes WIDE_NAME(mote_sight) = {cross_planes, within_edges};
