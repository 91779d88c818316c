// SPDX-License-Identifier: MIT
// The cells that a thickened point, segment or triangle touches, found row by row through clipping.
//
// A cell, grown by the reach on all sides, meets a convex shape if and only if the part of the shape between the
// grown cell's two planes of z, and then of y, has an x between those of x. The interval of x of that part gives all
// cells of a row at once: none is missed, and with reach 0 none is added needlessly. Ahmad's scan line takes samples
// instead, and misses cells between them.
//
// Rounding never loses a cell. Corners are in units of cells, with relative errors of 2^-52. The crossing of an edge
// and a plane is computed from differences of such numbers, each with a relative error of 2^-53: the crossing is off
// by about 2^-50 of the largest coordinate, along the edge. The reach is enlarged by RASTER_ROUNDING of it, and by
// 2^-20 of a cell for the cells of points (frame.h). The x cell of a point and the cells of the interval come from
// the same monotone function.

#include "raster/internal.h"

#define RASTER_ROUNDING 0x1p-46
#define CELL_ROUNDING 0x1p-20

typedef struct walk {
    const mote_raster *raster;
    double corner[3][3];  // [cells]
    int count;
    double reach;  // [cells]
    struct {
        double x, y;
    } slice[9];  // the shape's part in the current slice, in order around it
    int slice_count;
    raster_visitor *visit;
    void *data;
    mote_raster_counters *counters;
} walk;

static int32_t cell_of(double v)
{
    const double limit = MOTE_CELL_LIMIT;
    v = v < limit ? v : limit;
    v = v > -limit ? v : -limit;
    const int32_t whole = (int32_t)v;
    return whole - (v < (double)whole);
}

double mote_raster_margin(const mote_raster *raster, const raster_shape *shape)
{
    const cell_frame *frame = &raster->frame;
    double most = 0, away = 0;
    for (int i = 0; i < shape->count; ++i)
        for (int k = 0; k < 3; ++k) {
            most = MOTE_MAX(most, fabs(shape->corner[i][k]));
            away = MOTE_MAX(away, fabs(shape->corner[i][k] - frame->anchor[k]));
        }
    return CELL_ROUNDING * frame->edge + RASTER_ROUNDING * (most + away + shape->reach);
}

// The planes on both sides of a cell, at distance reach. The outermost cells include everything beyond.
static void find_planes(const walk *self, int32_t cell, double planes[2])
{
    planes[0] = cell > -MOTE_CELL_LIMIT ? (double)cell - self->reach : -HUGE_VAL;
    planes[1] = cell < MOTE_CELL_LIMIT ? (double)cell + 1 + self->reach : HUGE_VAL;
}

static void put(walk *self, double x, double y)
{
    self->slice[self->slice_count].x = x;
    self->slice[self->slice_count++].y = y;
}

static bool is_between(double a, double plane, double b)
{
    return (a < plane && plane < b) || (b < plane && plane < a);
}

// The part of the shape between two planes of z.
static void cut_slice(walk *self, int32_t z)
{
    double planes[2];
    find_planes(self, z, planes);
    self->slice_count = 0;
    for (int i = 0; i < self->count; ++i) {
        const double *a = self->corner[i], *b = self->corner[i + 1 < self->count ? i + 1 : 0];
        if (a[2] >= planes[0] && a[2] <= planes[1]) put(self, a[0], a[1]);
        for (int p = 0; p < 2; ++p) {
            const double plane = planes[a[2] < b[2] ? p : 1 - p];  // in the order along the edge
            if (!is_between(a[2], plane, b[2])) continue;
            const double t = (plane - a[2]) / (b[2] - a[2]);
            put(self, a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]));
        }
    }
}

// The x of the slice's part between two planes of y; false if there is none.
static bool find_interval(const walk *self, int32_t y, double interval[2])
{
    double planes[2], low = HUGE_VAL, high = -HUGE_VAL;
    find_planes(self, y, planes);
    for (int i = 0; i < self->slice_count; ++i) {
        const double ax = self->slice[i].x, ay = self->slice[i].y;
        const int next = i + 1 < self->slice_count ? i + 1 : 0;
        const double bx = self->slice[next].x, by = self->slice[next].y;
        if (ay >= planes[0] && ay <= planes[1]) {
            low = MOTE_MIN(low, ax);
            high = MOTE_MAX(high, ax);
        }
        for (int p = 0; p < 2; ++p) {
            if (!is_between(ay, planes[p], by)) continue;
            const double x = ax + (planes[p] - ay) / (by - ay) * (bx - ax);
            low = MOTE_MIN(low, x);
            high = MOTE_MAX(high, x);
        }
    }
    interval[0] = low - self->reach;
    interval[1] = high + self->reach;
    return low <= high;
}

// The first cell of begin … end − 1 whose x is at least `x`.
static uint32_t lower_cell(const mote_raster *raster, uint32_t begin, uint32_t end, int32_t x)
{
    while (begin < end) {
        const uint32_t middle = begin + (end - begin) / 2;
        if (raster->cell_x[middle] < x)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

static void visit_row(const walk *self, const raster_row *row)
{
    const mote_raster *raster = self->raster;
    double interval[2];
    if (!find_interval(self, mote_raster_row_y(row->key), interval)) return;
    const int32_t last = cell_of(interval[1]);
    const uint32_t begin = lower_cell(raster, row->begin, row->end, cell_of(interval[0]));
    uint32_t end = begin;
    while (end < row->end && raster->cell_x[end] <= last) ++end;
    if (begin == end) return;
    self->counters->cells += end - begin;
    self->counters->candidates += raster->cell_first[end] - raster->cell_first[begin];
    self->visit(self->data, raster->cell_first[begin], raster->cell_first[end]);
}

MOTE_INLINE bool is_row(const void *raster, uint32_t row, const void *key)
{
    return ((const mote_raster *)raster)->rows[row].key == *(const uint64_t *)key;
}

static const raster_row *find_row(const mote_raster *raster, uint64_t key)
{
    const uint32_t row = mote_table_find(&raster->table, mote_raster_row_hash(key), is_row, raster, &key);
    return row == MOTE_TABLE_NONE ? NULL : raster->rows + row;
}

uint32_t mote_raster_find_cell(const mote_raster *raster, grid_cell cell)
{
    const raster_row *row = raster->row_count ? find_row(raster, mote_raster_row_key(cell.at[1], cell.at[2])) : NULL;
    if (!row) return UINT32_MAX;
    const uint32_t found = lower_cell(raster, row->begin, row->end, cell.at[0]);
    return found < row->end && raster->cell_x[found] == cell.at[0] ? found : UINT32_MAX;
}

// Visits the rows of a slice that its part of the shape touches: by look-up, or by a loop over all rows if these are
// fewer.
static void visit_slice(walk *self, const raster_slice *slice)
{
    const mote_raster *raster = self->raster;
    cut_slice(self, slice->z);
    if (self->slice_count == 0) return;
    double low = self->slice[0].y, high = low;
    for (int i = 1; i < self->slice_count; ++i) {
        low = MOTE_MIN(low, self->slice[i].y);
        high = MOTE_MAX(high, self->slice[i].y);
    }
    const int64_t first = cell_of(low - self->reach), last = cell_of(high + self->reach);
    const uint32_t end = slice[1].first;
    if (last - first < (int64_t)end - slice->first) {
        self->counters->rows += (uint64_t)(last - first) + 1;
        for (int64_t y = first; y <= last; ++y) {
            const raster_row *row = find_row(raster, mote_raster_row_key((int32_t)y, slice->z));
            if (row) visit_row(self, row);
        }
        return;
    }
    self->counters->rows += end - slice->first;
    for (uint32_t r = slice->first; r < end; ++r) {
        const int32_t y = mote_raster_row_y(raster->rows[r].key);
        if (y >= first && y <= last) visit_row(self, raster->rows + r);
    }
}

static uint32_t lower_slice(const mote_raster *raster, int32_t z)
{
    uint32_t begin = 0, end = raster->slice_count;
    while (begin < end) {
        const uint32_t middle = begin + (end - begin) / 2;
        if (raster->slices[middle].z < z)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

void mote_raster_walk(const mote_raster *raster, const raster_shape *shape, raster_visitor *visit, void *data,
                      mote_raster_counters *counters)
{
    const cell_frame *frame = &raster->frame;
    walk self = {.raster = raster, .count = shape->count, .visit = visit, .data = data, .counters = counters};
    self.reach = (shape->reach + mote_raster_margin(raster, shape)) * frame->inverse_edge;
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int i = 0; i < shape->count; ++i) {
        for (int k = 0; k < 3; ++k) self.corner[i][k] = (shape->corner[i][k] - frame->anchor[k]) * frame->inverse_edge;
        low = MOTE_MIN(low, self.corner[i][2]);
        high = MOTE_MAX(high, self.corner[i][2]);
    }
    const int32_t last = cell_of(high + self.reach);
    for (uint32_t s = lower_slice(raster, cell_of(low - self.reach));
         s < raster->slice_count && raster->slices[s].z <= last; ++s)
        visit_slice(&self, raster->slices + s);
}
