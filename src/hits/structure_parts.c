// SPDX-License-Identifier: MIT
// Finds the 4 x 4 x 4 parts of cells that triangles touch, by separating axes (Akenine-Möller 2001), rearranged
// (Schwarz & Seidel 2010): nine of the thirteen axes lie in the planes of two coordinate axes, three in each, so the
// squares that they leave in a plane are found once for all parts above each other. The box around the triangle
// covers three more axes, and the triangle's plane is the last.
//
// Rounding never drops a part: see triangle_box.h, whose bounds hold here with coordinates relative to a window's
// corner.

#include "hits/structure_parts.h"
#include "mesh/triangle_box.h"

enum { PARTS = 4, PARTS_MOST = HITS_WINDOW * PARTS };

static void bound(hits_shape *shape, mote_vec3 corner)
{
    const double at[3] = {corner.x, corner.y, corner.z};
    for (int k = 0; k < 3; ++k) {
        shape->low[k] = MOTE_MIN(shape->low[k], at[k]);
        shape->high[k] = MOTE_MAX(shape->high[k], at[k]);
    }
}

static mote_vec3 in_cells(const hits_grid *grid, mote_vec3 p)
{
    double at[3];
    mote_hits_to_cells(grid, p, at);
    return mote_vec3_make(at[0], at[1], at[2]);
}

static hits_shape make_shape(const mote_hits *hits, const hits_grid *grid, size_t triangle)
{
    hits_shape shape = {
        .low = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, .high = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, .is_box = hits->ends != NULL};
    const uint32_t *vertex = hits->triangles + 3 * triangle;
    mote_vec3 corner[3];
    for (int v = 0; v < 3; ++v) {
        corner[v] = in_cells(grid, hits->vertices[vertex[v]]);
        bound(&shape, corner[v]);
        if (hits->ends) bound(&shape, in_cells(grid, hits->ends[vertex[v]]));
    }
    shape.triangle = (mote_triangle){corner[0], corner[1], corner[2]};
    return shape;
}

uint32_t mote_hits_cluster_shapes(const mote_hits *hits, const hits_grid *grid, size_t cluster,
                                  hits_shape shapes[HITS_LANES])
{
    const size_t begin = cluster * HITS_LANES, end = MOTE_MIN(begin + HITS_LANES, hits->triangle_count);
    for (size_t t = begin; t < end; ++t) shapes[t - begin] = make_shape(hits, grid, t);
    return (uint32_t)(end - begin);
}

bool mote_hits_shape_touches(const hits_shape *shape, const double low[3], const double high[3])
{
    double center[3], half[3];
    for (int k = 0; k < 3; ++k) {
        center[k] = (low[k] + high[k]) * 0.5;
        half[k] = (high[k] - low[k]) * 0.5 + HITS_MARGIN;
        if (shape->low[k] > center[k] + half[k] || shape->high[k] < center[k] - half[k]) return false;
    }
    return shape->is_box || mote_triangle_meets_box(shape->triangle, mote_vec3_make(center[0], center[1], center[2]),
                                                    mote_vec3_make(half[0], half[1], half[2]));
}

// -------------------------------------------------------------------------------------------------------- window

void mote_hits_window_open(hits_window *window, const double low[3], double edge, const uint32_t size[3])
{
    memset(window, 0, sizeof *window);
    window->edge = edge;
    for (int k = 0; k < 3; ++k) {
        window->low[k] = low[k];
        window->size[k] = size[k];
    }
}

// A triangle in parts, relative to the window's corner.
typedef struct part_shape {
    double corner[3][3];
    double margin;           // parts are enlarged by this
    double error;            // rounding error of products of coordinates and edges: a share of the edges
    int32_t low[3], high[3];  // the parts of the window that its box touches, both included
    bool is_inside;           // the window contains the whole triangle
} part_shape;

// False if the box lies outside the window.
static bool place(part_shape *in, const hits_window *window, const hits_shape *shape)
{
    const double per_cell = PARTS / window->edge;
    in->margin = HITS_MARGIN * per_cell;
    in->is_inside = true;
    for (int k = 0; k < 3; ++k) {
        const double most = PARTS * window->size[k];
        const double low = (shape->low[k] - window->low[k]) * per_cell - in->margin;
        const double high = (shape->high[k] - window->low[k]) * per_cell + in->margin;
        if (!(low <= most && high >= 0)) return false;
        in->is_inside &= low >= 0 && high <= most;
        // A box that ends where a part begins touches that part, too.
        in->low[k] = low <= 0 ? 0 : (int32_t)ceil(low) - 1;
        in->high[k] = (int32_t)MOTE_MIN(high, most - 1);
    }
    return true;
}

static void place_corners(part_shape *in, const hits_window *window, const mote_triangle *triangle)
{
    const double per_cell = PARTS / window->edge;
    const double at[3][3] = {{triangle->a.x, triangle->a.y, triangle->a.z},
                             {triangle->b.x, triangle->b.y, triangle->b.z},
                             {triangle->c.x, triangle->c.y, triangle->c.z}};
    double farthest = PARTS_MOST;
    for (int v = 0; v < 3; ++v)
        for (int k = 0; k < 3; ++k) {
            in->corner[v][k] = (at[v][k] - window->low[k]) * per_cell;
            farthest = MOTE_MAX(farthest, fabs(in->corner[v][k]));
        }
    in->error = MOTE_TRIANGLE_BOX_MARGIN * farthest;
}

// Removes from rows of squares those that are beyond an edge of the triangle's projection by more than `beyond`
// (twice the area that a point spans with the edge), as seen from the side given by `sign`.
static void cut_rows(const part_shape *in, int across, int down, int edge, double sign, double beyond,
                     uint32_t rows[PARTS_MOST])
{
    const double *from = in->corner[edge], *to = in->corner[(edge + 1) % 3];
    const double step = sign * (to[across] - from[across]), rise = sign * (to[down] - from[down]);
    const double reach = (fabs(step) + fabs(rise)) * (0.5 + in->margin + in->error) + beyond;
    const double first = in->low[across], last = in->high[across], per_rise = 1 / fabs(rise);
    for (int32_t j = in->low[down]; j <= in->high[down]; ++j) {
        // Squares i with step·(j + ½ − from) − rise·(i + ½ − from) + reach ≥ 0. NaN removes nothing.
        const double width = (step * (j + 0.5 - from[down]) + reach) * per_rise;
        if (rise >= 0) {
            double most = width + (from[across] - 0.5);
            most = most < last ? most : last;
            most = most > first - 1 ? most : first - 1;
            rows[j] &= (1u << (int32_t)(most + 1)) - 1;
        } else {
            double below = width + (last - from[across] + 0.5);
            below = below < last - first ? below : last - first;
            below = below > -1 ? below : -1;
            rows[j] &= UINT32_MAX << (in->high[across] - (int32_t)(below + 1) + 1);
        }
    }
}

// For each row along axis `across`, by its place on axis `down`: bits of the squares that the triangle's projection
// touches.
static void touch_squares(const part_shape *in, int across, int down, uint32_t rows[PARTS_MOST])
{
    const int32_t first = in->low[across], last = in->high[across];
    for (int32_t j = in->low[down]; j <= in->high[down]; ++j) rows[j] = (2u << last) - (1u << first);
    if (in->is_inside && (first == last || in->low[down] == in->high[down])) return;
    const double *a = in->corner[0], *b = in->corner[1], *c = in->corner[2];
    const double x = b[across] - a[across], y = b[down] - a[down];
    const double height = x * (c[down] - a[down]) - y * (c[across] - a[across]);
    const double blur = in->error * (fabs(x) + fabs(y));
    for (int edge = 0; edge < 3; ++edge) {
        if (fabs(height) > blur) {
            cut_rows(in, across, down, edge, height > 0 ? 1 : -1, 0, rows);
            continue;
        }
        // The projection may be a line. Then the triangle is taken to lie on both sides.
        cut_rows(in, across, down, edge, 1, 2 * blur, rows);
        cut_rows(in, across, down, edge, -1, 2 * blur, rows);
    }
}

// The triangle's plane, relative to the middles of parts.
typedef struct part_plane {
    double normal[3], from[3], reach;
} part_plane;

static part_plane make_plane(const part_shape *in)
{
    part_plane plane;
    double e[3], f[3], size_e = 0, size_f = 0, size = 0;
    for (int k = 0; k < 3; ++k) {
        e[k] = in->corner[1][k] - in->corner[0][k];
        f[k] = in->corner[2][k] - in->corner[1][k];
        size_e += fabs(e[k]);
        size_f += fabs(f[k]);
        plane.from[k] = in->corner[0][k] - 0.5;
    }
    for (int k = 0; k < 3; ++k) {
        const int l = (k + 1) % 3, m = (k + 2) % 3;
        plane.normal[k] = e[l] * f[m] - e[m] * f[l];
        size += fabs(plane.normal[k]);
    }
    plane.reach = size * (0.5 + in->margin) + in->error * size_e * size_f;
    return plane;
}

// The parts of a row that the plane touches.
static uint32_t touch_plane(const part_plane *plane, uint32_t bits, int32_t y, int32_t z)
{
    const double row = plane->normal[1] * (y - plane->from[1]) + plane->normal[2] * (z - plane->from[2]);
    uint32_t touched = 0;
    for (uint32_t left = bits; left; left &= left - 1) {
        const uint32_t x = mote_lowest_bit(left);
        const double height = row + plane->normal[0] * (x - plane->from[0]);
        touched |= (uint32_t)(fabs(height) <= plane->reach) << x;
    }
    return touched;
}

static void mark_row(hits_window *window, uint32_t bits, int32_t y, int32_t z, uint32_t lane)
{
    const int32_t row = y / PARTS * HITS_WINDOW + z / PARTS * HITS_WINDOW * HITS_WINDOW;
    const int32_t shift = y % PARTS * PARTS + z % PARTS * PARTS * PARTS;
    for (int32_t x = 0; bits; bits >>= PARTS, ++x) {
        window->masks[row + x] |= (uint64_t)(bits & 0xF) << shift;
        if (bits & 0xF) window->lanes[row + x] |= (uint8_t)(1u << lane);
    }
}

void mote_hits_window_mark(hits_window *window, const hits_shape *shape, uint32_t lane)
{
    part_shape in;
    if (!place(&in, window, shape)) return;
    int extents = 0;
    for (int k = 0; k < 3; ++k) extents += in.high[k] > in.low[k];
    if (shape->is_box || (in.is_inside && extents <= 1)) {
        // A triangle that spans a row from end to end touches all of it.
        const uint32_t bits = (2u << in.high[0]) - (1u << in.low[0]);
        for (int32_t z = in.low[2]; z <= in.high[2]; ++z)
            for (int32_t y = in.low[1]; y <= in.high[1]; ++y) mark_row(window, bits, y, z, lane);
        return;
    }
    place_corners(&in, window, &shape->triangle);
    uint32_t by_y[PARTS_MOST], by_z[PARTS_MOST], y_by_z[PARTS_MOST];
    touch_squares(&in, 0, 1, by_y);
    touch_squares(&in, 0, 2, by_z);
    touch_squares(&in, 1, 2, y_by_z);
    const part_plane plane = make_plane(&in);
    for (int32_t z = in.low[2]; z <= in.high[2]; ++z)
        for (uint32_t left = by_z[z] ? y_by_z[z] : 0; left; left &= left - 1) {
            const int32_t y = (int32_t)mote_lowest_bit(left);
            const uint32_t bits = touch_plane(&plane, by_y[y] & by_z[z], y, z);
            if (bits) mark_row(window, bits, y, z, lane);
        }
}
