// SPDX-License-Identifier: MIT
// Ahmad's scan line: the cells that contain samples of a triangle. It misses cells; here it is only measured, not
// used.
//
// Lines run from the side p0 p1 to the side p0 p2, parallel to p1 p2, at distances of one cell's edge along p0 p1;
// samples on a line are one cell's edge apart. As in the original text, the lines overshoot by up to one sample, and
// on the side p0 p2 they may be farther apart than a cell. Three things are corrected: a cell's edge is not a whole
// number; the start point, which mixes an index with a length, is not needed; and the steps, which the text reduces
// by a small constant, are reduced by a small share of themselves, so that those of large triangles stay above 0.

#include "raster/internal.h"

#define SHORTENED (1 - 0x1p-20)

// The number of samples less than a cell's edge apart on 0 … `end` of a length; a double, since it may be very
// large.
static double count_samples(double end, double step)
{
    return floor(end / step) + 1;
}

// The share of a length that a cell's edge takes; for length 0, large enough that there is one sample.
static double step_along(double edge, double length)
{
    return length > 0 ? edge / length : 2;
}

// Adds the occupied cells that contain a line's samples to those in memory.
static mote_result note_line(const mote_raster *raster, mote_vec3 from, mote_vec3 along, mote_buffer *memory,
                             uint32_t *count, mote_raster_counters *counters)
{
    const double stride = step_along(raster->frame.edge * SHORTENED, mote_vec3_length(along));
    const double samples = count_samples(1, stride);
    // Far from the origin rounding may make a line longer than its share of the triangle, so room is checked.
    const size_t kept = *count * sizeof(uint32_t);
    mote_result result =
        mote_buffer_reserve(raster->context, memory, kept + mote_bytes((size_t)samples, sizeof(uint32_t)), kept);
    if (result != MOTE_OK) return result;
    uint32_t *cells = memory->data;
    for (double sample = 0; sample < samples; ++sample) {
        const mote_vec3 at = mote_vec3_add_scaled(from, along, sample * stride);
        const double xyz[3] = {at.x, at.y, at.z};
        const uint32_t cell = mote_raster_find_cell(raster, mote_frame_cell(&raster->frame, xyz));
        if (cell != UINT32_MAX && (*count == 0 || cells[*count - 1] != cell)) cells[(*count)++] = cell;
    }
    counters->rows += (uint64_t)samples;
    return MOTE_OK;
}

mote_result mote_raster_scan(const mote_raster *raster, const raster_shape *triangle, mote_buffer *memory,
                             raster_visitor *visit, void *data, mote_raster_counters *counters)
{
    if (raster->count == 0) return MOTE_OK;
    const mote_vec3 p0 = {triangle->corner[0][0], triangle->corner[0][1], triangle->corner[0][2]},
                    p1 = {triangle->corner[1][0], triangle->corner[1][1], triangle->corner[1][2]},
                    p2 = {triangle->corner[2][0], triangle->corner[2][1], triangle->corner[2][2]};
    const mote_vec3 v1 = mote_vec3_sub(p1, p0), v2 = mote_vec3_sub(p2, p0);
    const double edge = raster->frame.edge * SHORTENED, across = mote_vec3_length(mote_vec3_sub(p2, p1));
    const double step = step_along(edge, mote_vec3_length(v1));
    const double lines = count_samples(1 + step, step);
    const double most = count_samples(1 + step, step_along(edge, across));
    if (!(lines * most <= RASTER_SAMPLES)) return MOTE_ERROR_UNSUPPORTED;

    uint32_t count = 0;
    for (double line = 0; line < lines; ++line) {
        const double u = line * step;
        const mote_vec3 from = mote_vec3_add_scaled(p0, v1, u);
        const mote_vec3 along = mote_vec3_sub(mote_vec3_add_scaled(p0, v2, u), from);
        const mote_result result = note_line(raster, from, along, memory, &count, counters);
        if (result != MOTE_OK) return result;
    }
    uint32_t *cells = memory->data;
    count = mote_raster_order(cells, count);
    counters->cells += count;
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t begin = raster->cell_first[cells[k]], end = raster->cell_first[cells[k] + 1];
        counters->candidates += end - begin;
        visit(data, begin, end);
    }
    return MOTE_OK;
}
