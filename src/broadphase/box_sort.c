// SPDX-License-Identifier: MIT
// Sorts boxes by cells, top down, so that boxes near each other and of similar size are together.
//
// Cells are laid around the middle of a sample of the boxes, and boxes outside belong to the cells at the edge: a
// box far away costs the others nothing. One pass finds the cells, another moves the boxes there. Cells with too
// many boxes are divided in the same way, by a frame of their own. The order of the cells is that of halving the
// longest edge again and again (Morton 1966, for cells of any proportions).
//
// Blocks depend on the count alone, and each writes where its boxes belong, so the result does not depend on
// threads.

#include "broadphase/box_sort.h"

#include <float.h>
#include <math.h>

enum {
    SAMPLE = 256,       // boxes that a frame is laid around; fewer where these would cost more than they save
    SAMPLE_MIN = 32,
    CELLS_MAX = 4096,   // more streams than this would not stay in the second-level cache
    BLOCK = 65536,      // boxes in a block of work
    CROWD = 16,         // a cell is divided again if it holds more than this many times its target,
    CROWD_OF_MEAN = 8,  // and more than this many times the mean of the cells
    BINS_MAX = CELLS_MAX + BOX_BINS
};

// ------------------------------------------------------------------------------------------------------- frames

// Cells over a box, and the order in which their edges were halved.
typedef struct curve_frame {
    box_cells cells;
    uint8_t axes[32];  // the axes that were halved, in order
    int halvings;
} curve_frame;

// Divides the box into `target_cells` cells, or as many as suit it. Coordinates are doubled (low + high).
static curve_frame divide(const double low[3], const double width[3], size_t target_cells, double large)
{
    curve_frame frame = {.halvings = 0};
    uint32_t counts[3] = {1, 1, 1};
    double edges[3] = {width[0], width[1], width[2]};
    while ((size_t)1 << frame.halvings < target_cells) {
        int axis = edges[1] > edges[0];
        if (edges[2] > edges[axis]) axis = 2;
        if (!(edges[axis] > 0)) break;
        counts[axis] *= 2;
        edges[axis] /= 2;
        frame.axes[frame.halvings++] = (uint8_t)axis;
    }
    double longest = MOTE_MAX(MOTE_MAX(edges[0], edges[1]), edges[2]) / 2;
    for (int k = 0; k < 3; ++k) {
        frame.cells.origin[k] = (float)low[k];
        frame.cells.scale[k] = counts[k] > 1 ? (float)MOTE_MIN(counts[k] / width[k], (double)FLT_MAX) : 0;
        frame.cells.most[k] = (float)(counts[k] - 1);
        frame.cells.stride[k] = k == 0 ? 1 : frame.cells.stride[k - 1] * counts[k - 1];
    }
    frame.cells.cell_count = counts[0] * counts[1] * counts[2];
    const double limit = longest > 0 ? longest * large : HUGE_VAL;
    frame.cells.large = limit < (double)FLT_MAX ? (float)limit : INFINITY;
    return frame;
}

// The cell with number `step` along the curve: every halving adds a bit to a coordinate.
static uint32_t cell_at(const curve_frame *frame, uint32_t step)
{
    uint32_t at[3] = {0, 0, 0};
    for (int h = 0; h < frame->halvings; ++h) {
        uint32_t *axis = at + frame->axes[h];
        *axis = *axis << 1 | (step >> (frame->halvings - 1 - h) & 1);
    }
    return at[0] + at[1] * frame->cells.stride[1] + at[2] * frame->cells.stride[2];
}

// ------------------------------------------------------------------------------------------------------ passes

// Boxes or records (the other is NULL) that are moved to `to`.
typedef struct sort_pass {
    const box_lanes *lanes;
    curve_frame frame;
    const mote_bounds *boxes;
    box_record *records, *to;
    uint32_t *numbers;     // of boxes; records hold their own numbers
    uint32_t *histograms;  // per block: how many of each bin, then the position of the next of them
    size_t count, bins;
} sort_pass;

static double doubled_centre(const sort_pass *pass, size_t i, int axis)
{
    const float *low = pass->boxes ? pass->boxes[i].min : pass->records[i].low;
    const float *high = pass->boxes ? pass->boxes[i].max : pass->records[i].high;
    double centre = (double)low[axis] + (double)high[axis];
    return centre > -2.0 * (double)FLT_MAX ? MOTE_MIN(centre, 2.0 * (double)FLT_MAX) : -2.0 * (double)FLT_MAX;
}

static bool is_empty(const sort_pass *pass, size_t i)
{
    if (!pass->boxes) return false;
    const mote_bounds *box = pass->boxes + i;
    return !(box->min[0] <= box->max[0] && box->min[1] <= box->max[1] && box->min[2] <= box->max[2]);
}

static void sort_doubles(double *values, size_t count)
{
    static const size_t gaps[] = {132, 57, 23, 10, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; ++g)
        for (size_t i = gaps[g]; i < count; ++i) {
            double value = values[i];
            size_t k = i;
            for (; k >= gaps[g] && values[k - gaps[g]] > value; k -= gaps[g]) values[k] = values[k - gaps[g]];
            values[k] = value;
        }
}

// Lays cells around the middle of a sample.
static curve_frame frame_around(const sort_pass *pass, size_t target_cells, double large)
{
    size_t taken[SAMPLE], taken_count = 0;
    const size_t enough = MOTE_MIN(MOTE_MAX(pass->count / 16, (size_t)SAMPLE_MIN), (size_t)SAMPLE);
    const size_t tries = MOTE_MIN(pass->count, enough);
    for (size_t t = 0; t < tries; ++t) {
        size_t i = t * pass->count / tries;
        if (!is_empty(pass, i)) taken[taken_count++] = i;
    }
    double low[3] = {0, 0, 0}, width[3] = {0, 0, 0}, values[SAMPLE];
    for (int k = 0; k < 3 && taken_count; ++k) {
        for (size_t t = 0; t < taken_count; ++t) values[t] = doubled_centre(pass, taken[t], k);
        sort_doubles(values, taken_count);
        const size_t cut = taken_count / 32;
        double inner = values[taken_count - 1 - cut] - values[cut];
        low[k] = MOTE_MAX(values[cut] - inner / 16, -(double)FLT_MAX);
        width[k] = inner * 9 / 8;
    }
    return divide(low, width, target_cells, large);
}

static uint32_t *block_histogram(const sort_pass *pass, size_t begin)
{
    return pass->histograms + begin / BLOCK * pass->bins;
}

static void number_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const sort_pass *pass = data;
    uint32_t *histogram = block_histogram(pass, begin);
    memset(histogram, 0, pass->bins * sizeof *histogram);
    if (pass->boxes)
        pass->lanes->number_boxes(pass->boxes + begin, end - begin, &pass->frame.cells, pass->numbers + begin,
                                  histogram);
    else
        pass->lanes->number_records(pass->records + begin, end - begin, &pass->frame.cells, histogram);
}

static void move_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const sort_pass *pass = data;
    uint32_t *next = block_histogram(pass, begin);
    if (!pass->boxes) {
        for (size_t i = begin; i < end; ++i) pass->to[next[pass->records[i].cell]++] = pass->records[i];
        return;
    }
    pass->lanes->move_boxes(pass->boxes + begin, end - begin, (uint32_t)begin, pass->numbers + begin, next, pass->to);
}

static void copy_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const sort_pass *pass = data;
    memcpy(pass->records + begin, pass->to + begin, (end - begin) * sizeof *pass->to);
}

// The bin with number `step` in order: cells along the curve, then the other bins.
static uint32_t bin_at(const curve_frame *frame, uint32_t step)
{
    return step < frame->cells.cell_count ? cell_at(frame, step) : step;
}

// Moves all records to `to` and appends the ranges of the nonempty cells and classes to `ranges`.
static size_t run_pass(const mote_context *context, sort_pass *pass, size_t offset, box_range *ranges, size_t *empty)
{
    mote_parallel_for(context, pass->count, BLOCK, number_block, pass);
    const uint32_t blocks = mote_block_count(pass->count, BLOCK);
    uint32_t sum = 0;
    size_t range_count = 0;
    *empty = 0;
    for (uint32_t step = 0; step < pass->bins; ++step) {
        const uint32_t bin = bin_at(&pass->frame, step), begin = sum;
        for (uint32_t b = 0; b < blocks; ++b) {
            uint32_t *of_block = pass->histograms + b * pass->bins + bin, own = *of_block;
            *of_block = sum;
            sum += own;
        }
        if (sum == begin) continue;
        if (step + 1 == pass->bins)
            *empty = sum - begin;
        else
            ranges[range_count++] = (box_range){offset + begin, sum - begin, step >= pass->frame.cells.cell_count};
    }
    MOTE_ASSERT(sum == pass->count);
    mote_parallel_for(context, pass->count, BLOCK, move_block, pass);
    return range_count;
}

// -------------------------------------------------------------------------------------------------------- sort

static mote_result reserve(const mote_context *context, box_sort *sort, size_t count, size_t range_room)
{
    size_t records = mote_bytes(count, sizeof(box_record));
    size_t ranges = mote_bytes(range_room, sizeof(box_range));
    size_t blocks = mote_block_count(count, BLOCK);
    size_t numbers = mote_bytes(count, sizeof(uint32_t));
    mote_result result = mote_buffer_reserve(context, &sort->record_memory, records, 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &sort->numbers, numbers, 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &sort->histograms, blocks * BINS_MAX * sizeof(uint32_t), 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &sort->range_memory, ranges, 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &sort->spare_ranges, ranges, 0);
    sort->records = sort->record_memory.data;
    sort->ranges = sort->range_memory.data;
    return result;
}

static size_t cells_for(size_t count, size_t target)
{
    return MOTE_MIN((count + target - 1) / target, (size_t)CELLS_MAX);
}

typedef struct sort_sizes {
    size_t target, crowd;  // records that a cell should hold, and a number that is too many
    double large;
} sort_sizes;

// Divides a range that is too large, in place. If all of it lies in one cell, it is cut into stretches.
static mote_result divide_range(const mote_context *context, box_sort *sort, sort_pass *pass, box_range range,
                                const sort_sizes *sizes, size_t *to_count)
{
    box_range *to = sort->spare_ranges.data;
    mote_result result = mote_buffer_reserve(context, &sort->spare, mote_bytes(range.count, sizeof(box_record)), 0);
    if (result != MOTE_OK) return result;
    pass->records = sort->records + range.begin;
    pass->to = sort->spare.data;
    pass->count = range.count;
    const double large = range.is_class ? HUGE_VAL : sizes->large;
    pass->frame = frame_around(pass, cells_for(range.count, sizes->target), large);
    pass->bins = pass->frame.cells.cell_count + BOX_BINS;
    size_t none, found = run_pass(context, pass, range.begin, to + *to_count, &none);
    mote_parallel_for(context, range.count, BLOCK, copy_block, pass);
    if (found > 1 || (to[*to_count].is_class && !range.is_class)) {
        *to_count += found;
        return MOTE_OK;
    }
    for (size_t at = 0; at < range.count; at += sizes->crowd)
        to[(*to_count)++] = (box_range){range.begin + at, MOTE_MIN(range.count - at, sizes->crowd), false};
    return MOTE_OK;
}

// Divides ranges until none is too large.
static mote_result divide_crowds(const mote_context *context, box_sort *sort, sort_pass *pass, size_t range_room,
                                 const sort_sizes *sizes)
{
    for (bool crowded = true; crowded;) {
        crowded = false;
        size_t to_count = 0;
        for (size_t r = 0; r < sort->range_count; ++r) {
            const box_range range = sort->ranges[r];
            if (range.count <= sizes->crowd) {
                ((box_range *)sort->spare_ranges.data)[to_count++] = range;
                continue;
            }
            size_t needed = to_count + (sort->range_count - r) + BINS_MAX + range.count / sizes->crowd + 1;
            if (needed > range_room) {
                range_room = needed;
                mote_result result = mote_buffer_reserve(context, &sort->spare_ranges, needed * sizeof range,
                                                         to_count * sizeof range);
                if (result == MOTE_OK)
                    result = mote_buffer_reserve(context, &sort->range_memory, needed * sizeof range,
                                                 sort->range_count * sizeof range);
                sort->ranges = sort->range_memory.data;
                if (result != MOTE_OK) return result;
            }
            mote_result result = divide_range(context, sort, pass, range, sizes, &to_count);
            if (result != MOTE_OK) return result;
            crowded = true;
        }
        mote_buffer swap = sort->range_memory;
        sort->range_memory = sort->spare_ranges;
        sort->spare_ranges = swap;
        sort->ranges = sort->range_memory.data;
        sort->range_count = to_count;
    }
    return MOTE_OK;
}

mote_result mote_box_sort_build(const mote_context *context, box_sort *sort, const box_lanes *lanes,
                                const mote_bounds *boxes, size_t count, size_t target, double large)
{
    const size_t range_room = BINS_MAX + 1;
    sort->range_count = sort->filled = sort->empty = 0;
    mote_result result = reserve(context, sort, count, range_room);
    if (result != MOTE_OK || count == 0) return result;
    sort_pass pass = {.lanes = lanes, .boxes = boxes, .to = sort->records, .count = count};
    pass.numbers = sort->numbers.data;
    pass.histograms = sort->histograms.data;
    pass.frame = frame_around(&pass, cells_for(count, target), large);
    pass.bins = pass.frame.cells.cell_count + BOX_BINS;
    sort->range_count = run_pass(context, &pass, 0, sort->ranges, &sort->empty);
    sort->filled = count - sort->empty;
    pass.boxes = NULL;
    const size_t mean = count / pass.frame.cells.cell_count;
    const sort_sizes sizes = {target, MOTE_MAX(CROWD * target, CROWD_OF_MEAN * mean), large};
    return divide_crowds(context, sort, &pass, range_room, &sizes);
}

void mote_box_sort_release(const mote_context *context, box_sort *sort)
{
    mote_buffer *buffers[] = {&sort->record_memory, &sort->spare,        &sort->numbers,
                              &sort->histograms,    &sort->range_memory, &sort->spare_ranges};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; ++k) mote_buffer_release(context, buffers[k]);
}

size_t mote_box_sort_byte_count(const box_sort *sort)
{
    return sort->record_memory.bytes + sort->spare.bytes + sort->numbers.bytes + sort->histograms.bytes +
           sort->range_memory.bytes + sort->spare_ranges.bytes;
}

// ------------------------------------------------------------------------------------------------------- parts

size_t mote_box_split(const box_lanes *lanes, box_record *records, size_t count, const box_bounds *bounds,
                      size_t target, box_record *to, size_t starts[BOX_PARTS + BOX_BINS + 1])
{
    double low[3], width[3];
    for (int k = 0; k < 3; ++k) {
        low[k] = (double)bounds->centre_low[k];
        width[k] = (double)bounds->centre_high[k] - low[k];
    }
    const size_t cells = MOTE_MIN((count + target - 1) / target, (size_t)BOX_PARTS);
    const curve_frame frame = divide(low, width, cells, HUGE_VAL);
    uint32_t next[BOX_PARTS + BOX_BINS];
    const uint32_t bins = frame.cells.cell_count + BOX_BINS;
    memset(next, 0, bins * sizeof *next);
    lanes->number_records(records, count, &frame.cells, next);
    uint32_t sum = 0;
    for (uint32_t step = 0; step < bins; ++step) {
        uint32_t *bin = next + bin_at(&frame, step), own = *bin;
        starts[step] = sum;
        *bin = sum;
        sum += own;
    }
    starts[bins] = sum;
    for (size_t i = 0; i < count; ++i) to[next[records[i].cell]++] = records[i];
    for (uint32_t step = 0; step < bins; ++step) MOTE_ASSERT(next[bin_at(&frame, step)] == starts[step + 1]);
    return bins;
}
