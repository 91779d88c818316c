// SPDX-License-Identifier: MIT
// Outlines of particles in the plane, and what they enclose: marching squares.
//
// Of each square, the runs of corners inside are cut off by themselves, as on the faces of marching cubes. A run, from
// the cut edge before it to the one behind it, is a convex polygon: its last side is a segment of an outline, with the
// body to the left, and fans of triangles fill it. Segment k begins at vertex k.

#include <math.h>

#include "base/vector.h"
#include "surface/finish.h"
#include "surface/outline.h"

enum { LOWER = 0, RIGHT = 1, UPPER = 2, LEFT = 3 };  // edges of a square, in the order of its corners

struct mote_outline {
    mote_context *context;
    mote_vec3 *vertices;
    uint32_t *segments, *triangles;
    size_t vertex_count, segment_count, triangle_count;
    mote_buffer vertex_memory, segment_memory, triangle_memory;
    mote_outline_stats stats;
};

// The numbers of vertices on the edges that begin at the nodes of a block along x and y, and at nodes inside.
typedef struct block_numbers {
    uint32_t edge[2][PLANE_NODES], node[PLANE_NODES];
} block_numbers;

typedef struct march {
    const plane_field *field;
    mote_outline *outline;
    block_numbers *numbers;
    size_t next[4];  // of the block and those to the right, above, and both: UINT32_MAX where there is none
} march;

// ---------------------------------------------------------------------------------------------------------- blocks

static size_t find_block(const plane_field *field, int64_t x, int64_t y)
{
    const uint64_t key = mote_plane_key(x, y);
    size_t low = 0, high = field->block_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (field->keys[middle] < key) low = middle + 1;
        else high = middle;
    }
    return low < field->block_count && field->keys[low] == key ? low : SIZE_MAX;
}

static void find_next(march *self, size_t b)
{
    const int64_t x = mote_plane_block_at(self->field->keys[b], 0), y = mote_plane_block_at(self->field->keys[b], 1);
    for (int k = 0; k < 4; ++k) self->next[k] = find_block(self->field, x + (k & 1), y + (k >> 1));
}

// The block that has a node, whose coordinates count from the block that is marched, and its number there.
static size_t block_of(const march *self, int x, int y, int *node)
{
    *node = y % PLANE_BLOCK * PLANE_BLOCK + x % PLANE_BLOCK;
    return self->next[x / PLANE_BLOCK | y / PLANE_BLOCK << 1];
}

static bool is_inside(const march *self, int x, int y)
{
    int node;
    const size_t b = block_of(self, x, y, &node);
    return b != SIZE_MAX && self->field->rows[b][node / PLANE_BLOCK] >> node % PLANE_BLOCK & 1;
}

// --------------------------------------------------------------------------------------------------------- vertices

static mote_vec3 place_of(const march *self, size_t b, double x, double y)
{
    const double x0 = (double)mote_plane_block_at(self->field->keys[b], 0) * PLANE_BLOCK;
    const double y0 = (double)mote_plane_block_at(self->field->keys[b], 1) * PLANE_BLOCK;
    return mote_vec3_make((x0 + x) * self->field->cell, (y0 + y) * self->field->cell, 0);
}

static double value_at(const march *self, int x, int y)
{
    int node;
    const size_t b = block_of(self, x, y, &node);
    return b == SIZE_MAX ? -self->field->isovalue : (double)self->field->values[b * PLANE_NODES + (size_t)node];
}

static mote_vec3 vertex_on(const march *self, size_t b, int axis, int x, int y)
{
    const int x1 = x + (axis == 0), y1 = y + (axis == 1);
    const bool is_low = is_inside(self, x, y);
    const mote_vec3 low = place_of(self, b, x, y), high = place_of(self, b, x1, y1);
    int by;
    double t = is_low ? mote_surface_cut_at(self->field->cut, value_at(self, x, y), value_at(self, x1, y1), low, high,
                                            &by)
                      : mote_surface_cut_at(self->field->cut, value_at(self, x1, y1), value_at(self, x, y), high, low,
                                            &by);
    const double margin = by >= 0 ? CUT_MARGIN : VERTEX_MARGIN;
    t = MOTE_MIN(MOTE_MAX(t, margin), 1 - margin);
    if (!is_low) t = 1 - t;
    return place_of(self, b, axis == 0 ? x + t : x, axis == 1 ? y + t : y);
}

// Numbers the vertices of outlines, then those inside; with `to`, also places them.
static void number_vertices(march *self, mote_vec3 *to)
{
    size_t number = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (size_t b = 0; b < self->field->block_count; ++b) {
            find_next(self, b);
            for (int node = 0; node < PLANE_NODES; ++node) {
                const int x = node % PLANE_BLOCK, y = node / PLANE_BLOCK;
                const bool own = is_inside(self, x, y);
                if (pass == 1 && own) {
                    if (to) to[number] = place_of(self, b, x, y);
                    self->numbers[b].node[node] = (uint32_t)number++;
                }
                for (int axis = 0; axis < 2 && pass == 0; ++axis) {
                    if (is_inside(self, x + (axis == 0), y + (axis == 1)) == own) continue;
                    if (to) to[number] = vertex_on(self, b, axis, x, y);
                    self->numbers[b].edge[axis][node] = (uint32_t)number++;
                }
            }
        }
        if (pass == 0) self->outline->segment_count = number;
    }
    self->outline->vertex_count = number;
}

// ---------------------------------------------------------------------------------------------------------- squares

static uint32_t edge_number(const march *self, int x, int y, int edge)
{
    int node;
    const size_t b = block_of(self, x + (edge == RIGHT), y + (edge == UPPER), &node);
    return self->numbers[b].edge[edge == RIGHT || edge == LEFT][node];
}

static uint32_t corner_number(const march *self, int x, int y, int corner)
{
    int node;
    const size_t b = block_of(self, x + (corner == 1 || corner == 2), y + (corner >= 2), &node);
    return self->numbers[b].node[node];
}

static void add_fan(mote_outline *outline, const uint32_t *polygon, int count, bool counts_only)
{
    for (int k = 2; k < count; ++k) {
        const size_t number = outline->triangle_count++;
        if (counts_only) continue;
        uint32_t *to = outline->triangles + 3 * number;
        to[0] = polygon[0], to[1] = polygon[k - 1], to[2] = polygon[k];
    }
}

// The polygons of a square, whose corners run counter-clockwise from the lower left one.
static void march_square(march *self, int x, int y, bool counts_only)
{
    int inside = 0;
    for (int k = 0; k < 4; ++k) inside |= is_inside(self, x + (k == 1 || k == 2), y + (k >= 2)) << k;
    uint32_t polygon[6] = {0};
    if (inside == 0) return;
    if (inside == 15) {
        for (int k = 0; k < 4; ++k) polygon[k] = counts_only ? 0 : corner_number(self, x, y, k);
        add_fan(self->outline, polygon, 4, counts_only);
        return;
    }
    for (int first = 0; first < 4; ++first) {  // a run begins at this corner
        if (!(inside >> first & 1) || inside >> (first + 3) % 4 & 1) continue;
        int count = 0, k = first;
        polygon[count++] = counts_only ? 0 : edge_number(self, x, y, (first + 3) % 4);
        for (; inside >> k & 1; k = (k + 1) % 4) polygon[count++] = counts_only ? 0 : corner_number(self, x, y, k);
        polygon[count++] = counts_only ? 0 : edge_number(self, x, y, (k + 3) % 4);
        add_fan(self->outline, polygon, count, counts_only);
        if (counts_only) continue;
        uint32_t *segment = self->outline->segments + 2 * (size_t)polygon[count - 1];
        segment[0] = polygon[count - 1];
        segment[1] = polygon[0];
    }
}

static void march_all(march *self, bool counts_only)
{
    self->outline->triangle_count = 0;
    for (size_t b = 0; b < self->field->block_count; ++b) {
        find_next(self, b);
        for (int node = 0; node < PLANE_NODES; ++node)
            march_square(self, node % PLANE_BLOCK, node / PLANE_BLOCK, counts_only);
    }
}

static mote_result make_outline(mote_outline *made, const plane_field *field, mote_error *error)
{
    mote_buffer memory = {0};
    mote_result result =
        mote_buffer_reserve(made->context, &memory, mote_bytes(field->block_count, sizeof(block_numbers)), 0);
    if (result != MOTE_OK) return result;
    march self = {.field = field, .outline = made, .numbers = memory.data};
    number_vertices(&self, NULL);
    march_all(&self, true);
    if (made->vertex_count > UINT32_MAX)
        result = mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "outline: %zu vertices, expected at most %u",
                           made->vertex_count, UINT32_MAX);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(made->context, &made->vertex_memory,
                                     mote_bytes(made->vertex_count, sizeof *made->vertices), 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(made->context, &made->segment_memory,
                                     mote_bytes(made->segment_count, 2 * sizeof *made->segments), 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(made->context, &made->triangle_memory,
                                     mote_bytes(made->triangle_count, 3 * sizeof *made->triangles), 0);
    if (result == MOTE_OK) {
        made->vertices = made->vertex_memory.data;
        made->segments = made->segment_memory.data;
        made->triangles = made->triangle_memory.data;
        number_vertices(&self, made->vertices);
        march_all(&self, false);
    }
    mote_buffer_release(made->context, &memory);
    return result;
}

static double area_of_triangle(const mote_outline *outline, size_t t)
{
    const uint32_t *corner = outline->triangles + 3 * t;
    const mote_vec3 a = outline->vertices[corner[0]], b = outline->vertices[corner[1]];
    return mote_vec3_cross(mote_vec3_sub(b, a), mote_vec3_sub(outline->vertices[corner[2]], a)).z / 2;
}

// The area is that of the triangles, which are as exact far from the first vertex as near to it.
static void measure(mote_outline *made)
{
    mote_outline_stats *stats = &made->stats;
    for (size_t t = 0; t < made->triangle_count; ++t) stats->area += area_of_triangle(made, t);
    for (size_t k = 0; k < made->segment_count; ++k) {
        const mote_vec3 a = made->vertices[made->segments[2 * k]], b = made->vertices[made->segments[2 * k + 1]];
        stats->length += mote_vec3_length(mote_vec3_sub(b, a));
    }
    stats->bytes = mote_outline_byte_count(made);
}

// ---------------------------------------------------------------------------------------------------------- objects

static mote_result check_points(const mote_surface_cloud *cloud, mote_error *error)
{
    const mote_points *sets[2] = {&cloud->points, &cloud->fill};
    static const char *const names[2] = {"points", "fill points"};
    for (int k = 0; k < 2; ++k) {
        if (sets[k]->count == 0) continue;
        const mote_result result = mote_points_check(*sets[k], names[k], error);
        if (result != MOTE_OK) return result;
        if (sets[k]->dimensions != 2)
            return mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0, "outline: %s have %d dimensions, expected 2", names[k],
                             sets[k]->dimensions);
    }
    if (cloud->points.count + cloud->fill.count > UINT32_MAX - 1)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "outline: %zu points and %zu fill points, expected at most %u",
                         cloud->points.count, cloud->fill.count, UINT32_MAX - 1);
    return MOTE_OK;
}

static mote_result make(mote_outline *made, const mote_surface_def *def, const mote_surface_cloud *cloud,
                        mote_error *error)
{
    mote_buffer planes = {0};
    surface_cut cut;
    plane_field field = {.context = made->context,
                         .spacing = def->spacing,
                         .cell = def->cell,
                         .support = def->support / def->cell,
                         .isovalue = made->stats.isovalue};
    mote_result result = mote_surface_take_planes(made->context, &planes, cloud, &cut, error);
    field.cut = result == MOTE_OK && (cut.plane_count || cut.distance) ? &cut : NULL;
    if (result == MOTE_OK) result = mote_plane_field_make(&field, cloud, error);
    if (result == MOTE_OK) result = mote_pass_memory(error, make_outline(made, &field, error), "outline");
    mote_plane_field_release(&field);
    mote_buffer_release(made->context, &planes);
    if (result == MOTE_OK) measure(made);
    return result;
}

mote_result mote_outline_create(mote_context *context, const mote_surface_def *def, const mote_surface_cloud *cloud,
                                mote_outline **outline, mote_error *error)
{
    if (!outline) return mote_fail_null(error, "outline", "where to put the object");
    *outline = NULL;
    if (!def) return mote_fail_null(error, "outline", "the def");
    if (!cloud) return mote_fail_null(error, "outline", "the cloud");
    mote_surface_def checked = *def;
    mote_result result = mote_surface_check_def(&checked, error);
    if (result == MOTE_OK && cloud->phases.components > 0)
        result = mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0, "outline: particles in 2D have phases, expected none");
    if (result == MOTE_OK) result = check_points(cloud, error);
    if (result == MOTE_OK) result = mote_surface_check_volumes(cloud, error);
    if (result != MOTE_OK) return result;
    mote_outline *made = mote_allocate(context, sizeof *made);
    if (!made) return mote_pass_memory(error, MOTE_ERROR_OUT_OF_MEMORY, "outline");
    memset(made, 0, sizeof *made);
    made->context = context;
    made->stats.isovalue = isnan(checked.isovalue) ? mote_plane_derive_isovalue(checked.support / checked.spacing)
                                                   : checked.isovalue;
    result = make(made, &checked, cloud, error);
    if (result == MOTE_OK) *outline = made;
    else mote_outline_destroy(made);
    return result;
}

void mote_outline_destroy(mote_outline *outline)
{
    if (!outline) return;
    mote_buffer_release(outline->context, &outline->vertex_memory);
    mote_buffer_release(outline->context, &outline->segment_memory);
    mote_buffer_release(outline->context, &outline->triangle_memory);
    mote_release(outline->context, outline, sizeof *outline);
}

mote_outline_view mote_outline_get_view(const mote_outline *outline)
{
    if (!outline) return (mote_outline_view){0};
    return (mote_outline_view){.vertices = outline->vertices,
                               .segments = outline->segments,
                               .triangles = outline->triangles,
                               .vertex_count = outline->vertex_count,
                               .segment_count = outline->segment_count,
                               .triangle_count = outline->triangle_count,
                               .stats = outline->stats};
}

mote_outline_stats mote_outline_get_stats(const mote_outline *outline)
{
    return outline ? outline->stats : (mote_outline_stats){0};
}

size_t mote_outline_byte_count(const mote_outline *outline)
{
    if (!outline) return 0;
    return sizeof *outline + outline->vertex_memory.bytes + outline->segment_memory.bytes +
           outline->triangle_memory.bytes;
}

// Every vertex of an outline is the end of one segment.
static mote_result check_loops(const mote_outline *outline, uint8_t *ends, mote_error *error)
{
    if (outline->segment_count) memset(ends, 0, outline->segment_count);
    for (size_t k = 0; k < outline->segment_count; ++k) {
        const uint32_t from = outline->segments[2 * k], to = outline->segments[2 * k + 1];
        if (from != k || to >= outline->segment_count || to == from || ends[to]++)
            return mote_fail(error, MOTE_ERROR_STATE, k, "outline: segment %zu goes from vertex %u to %u", k, from, to);
    }
    return MOTE_OK;
}

// Area by the shoelace formula, about the first vertex; the sum is that of Kahan 1965. What rounding of the terms makes
// is below 2^-50 of the farthest vertex's distance times the length.
static double enclosed_area(const mote_outline *outline, double *farthest)
{
    const mote_vec3 o = outline->vertex_count ? outline->vertices[0] : (mote_vec3){0, 0, 0};
    double sum = 0, rest = 0;
    *farthest = 0;
    for (size_t k = 0; k < outline->segment_count; ++k) {
        const mote_vec3 from = outline->vertices[outline->segments[2 * k]], a = mote_vec3_sub(from, o);
        const mote_vec3 way = mote_vec3_sub(outline->vertices[outline->segments[2 * k + 1]], from);
        const double part = (a.x * way.y - a.y * way.x) / 2 - rest, next = sum + part;
        rest = (next - sum) - part;
        sum = next;
        *farthest = MOTE_MAX(*farthest, mote_vec3_length(a));
    }
    return sum;
}

mote_result mote_outline_validate(const mote_outline *outline, mote_error *error)
{
    if (!outline) return mote_fail_null(error, "outline", "the object");
    mote_buffer memory = {0};
    mote_result result = mote_buffer_reserve(outline->context, &memory, outline->segment_count, 0);
    if (result != MOTE_OK) return mote_pass_memory(error, result, "outline");
    result = check_loops(outline, memory.data, error);
    mote_buffer_release(outline->context, &memory);
    for (size_t t = 0; t < outline->triangle_count && result == MOTE_OK; ++t)
        if (!(area_of_triangle(outline, t) > 0))
            result = mote_fail(error, MOTE_ERROR_STATE, t, "outline: triangle %zu has the area %g", t,
                               area_of_triangle(outline, t));
    if (result != MOTE_OK) return result;
    double farthest;
    const double area = outline->stats.area, enclosed = enclosed_area(outline, &farthest);
    if (fabs(area - enclosed) <= 1e-9 * area + 0x1p-50 * farthest * outline->stats.length) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_STATE, 0, "outline: triangles have the area %g, the outlines %g", area,
                     enclosed);
}
