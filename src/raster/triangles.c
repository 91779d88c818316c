// SPDX-License-Identifier: MIT
// Pairs of a triangle and a point within its reach. The points are those of the cells that the thickened triangle
// touches; they are tested against its box, then against its plane, and then by the closest point.

#include "mesh/foot.h"
#include "raster/internal.h"

// Triangles smaller than this, squared, count as segments: products of their edges would underflow. [m²]
#define LEAST2 0x1p-256

enum { SIFTED = 64 };

typedef struct meeting {
    const raster_task *task;
    raster_worker *worker;
    const uint32_t *own;  // the triangle's vertices, if they are among the points; otherwise NULL
    mote_triangle triangle;
    double low[3], high[3];  // the box that contains all points in reach
    double normal[3];        // unit; 0 for a triangle without area
    double beyond;           // distance from the plane beyond which no point is in reach
    bool is_flat;            // without area
} meeting;

static double distance2_to(const meeting *self, mote_vec3 point)
{
    const mote_triangle *triangle = &self->triangle;
    if (!self->is_flat) return mote_triangle_foot(*triangle, point).distance2;
    const double ab = mote_raster_point_segment2(point, triangle->a, triangle->b);
    const double bc = mote_raster_point_segment2(point, triangle->b, triangle->c);
    const double ca = mote_raster_point_segment2(point, triangle->c, triangle->a);
    return MOTE_MIN(ab, MOTE_MIN(bc, ca));
}

static bool is_own(const meeting *self, uint32_t point)
{
    return self->own && (point == self->own[0] || point == self->own[1] || point == self->own[2]);
}

static void take_all(void *data, uint32_t begin, uint32_t end)
{
    const meeting *self = data;
    const uint32_t *ids = self->task->raster->ids;
    for (uint32_t i = begin; i < end; ++i)
        if (!is_own(self, ids[i])) mote_raster_take(self->worker, ids[i]);
}

// Finds which of the points begin … end − 1, at most SIFTED, lie in the box and near the plane. About half of them
// do, so there is no branch.
static uint32_t sift(const meeting *self, uint32_t begin, uint32_t end, uint32_t kept[SIFTED])
{
    const mote_vec3 a = self->triangle.a;
    uint32_t count = 0;
    for (uint32_t i = begin; i < end; ++i) {
        const double *at = self->task->raster->at[i];
        const double height =
            (at[0] - a.x) * self->normal[0] + (at[1] - a.y) * self->normal[1] + (at[2] - a.z) * self->normal[2];
        const int below = (at[0] >= self->low[0]) & (at[1] >= self->low[1]) & (at[2] >= self->low[2]);
        const int above = (at[0] <= self->high[0]) & (at[1] <= self->high[1]) & (at[2] <= self->high[2]);
        kept[count] = i;
        count += (uint32_t)(below & above & (fabs(height) <= self->beyond));
    }
    return count;
}

static void take_near(void *data, uint32_t begin, uint32_t end)
{
    const meeting *self = data;
    const mote_raster *raster = self->task->raster;
    const double thickness = self->task->query->thickness;
    for (uint32_t next; begin < end; begin = next) {
        uint32_t kept[SIFTED];
        next = end - begin < SIFTED ? end : begin + SIFTED;
        const uint32_t count = sift(self, begin, next, kept);
        for (uint32_t k = 0; k < count; ++k) {
            const double *at = raster->at[kept[k]];
            const uint32_t id = raster->ids[kept[k]];
            if (is_own(self, id)) continue;
            if (distance2_to(self, mote_vec3_make(at[0], at[1], at[2])) <= thickness * thickness)
                mote_raster_take(self->worker, id);
        }
    }
}

// The thinner a sliver, the less exact are its normal and the heights above it.
static double sliver_margin(meeting *self, double thickness)
{
    const double longest2 = mote_triangle_longest2(self->triangle);
    self->is_flat = longest2 < LEAST2 || mote_triangle_is_flat(self->triangle);
    if (self->is_flat) return 0;
    const mote_vec3 cross = mote_triangle_cross(self->triangle), normal = mote_vec3_unit(cross);
    self->normal[0] = normal.x, self->normal[1] = normal.y, self->normal[2] = normal.z;
    return 0x1p-48 * (longest2 / mote_vec3_length(cross)) * (sqrt(longest2) + thickness);
}

static void find_box(meeting *self, const raster_shape *shape, double reach)
{
    for (int k = 0; k < 3; ++k) {
        const double a = shape->corner[0][k], b = shape->corner[1][k], c = shape->corner[2][k];
        self->low[k] = MOTE_MIN(a, MOTE_MIN(b, c)) - reach;
        self->high[k] = MOTE_MAX(a, MOTE_MAX(b, c)) + reach;
    }
}

static mote_result meet(const raster_task *task, uint32_t t, raster_worker *worker)
{
    const mote_raster_query *query = task->query;
    const mote_mesh *mesh = task->mesh;
    if (mote_mesh_check_triangles(mesh->triangles + 3 * (size_t)t, 1, mesh->vertex_count, NULL) != MOTE_OK)
        return MOTE_ERROR_ARGUMENT;
    const mote_triangle triangle = mote_mesh_triangle(mesh, t);
    if (!mote_raster_is_legal(triangle.a) || !mote_raster_is_legal(triangle.b) || !mote_raster_is_legal(triangle.c))
        return MOTE_ERROR_NOT_FINITE;
    meeting self = {.task = task, .worker = worker, .triangle = triangle};
    if (query->own) self.own = mesh->triangles + 3 * (size_t)t;
    raster_shape shape = {{{triangle.a.x, triangle.a.y, triangle.a.z},
                           {triangle.b.x, triangle.b.y, triangle.b.z},
                           {triangle.c.x, triangle.c.y, triangle.c.z}},
                          3,
                          query->thickness};
    shape.reach += sliver_margin(&self, query->thickness);
    self.beyond = shape.reach + mote_raster_margin(task->raster, &shape);
    find_box(&self, &shape, self.beyond);
    raster_visitor *visit = query->candidates ? take_all : take_near;
    if (query->scan_line)
        return mote_raster_scan(task->raster, &shape, &worker->scratch, visit, &self, &worker->counters);
    mote_raster_walk(task->raster, &shape, visit, &self, &worker->counters);
    return MOTE_OK;
}

static mote_result fail_triangle(const raster_task *task, uint32_t t, mote_result result, mote_error *error)
{
    if (result == MOTE_ERROR_UNSUPPORTED)
        return mote_fail(error, result, t, "triangle %u: the scan line takes more than 2^24 samples of it", t);
    if (result == MOTE_ERROR_ARGUMENT)
        return mote_mesh_check_triangles(task->mesh->triangles, t + (size_t)1, task->mesh->vertex_count, error);
    const uint32_t *corner = task->mesh->triangles + 3 * (size_t)t;
    for (int k = 0; k < 2; ++k, ++corner)
        if (!mote_raster_is_legal(task->mesh->vertices[*corner])) break;
    return mote_raster_fail_vertex(error, "triangle", t, *corner, task->mesh->vertices[*corner]);
}

mote_result mote_raster_triangles(const mote_raster *raster, const mote_mesh *mesh, const mote_raster_query *query,
                                  mote_raster_pairs *pairs, mote_error *error)
{
    if (!raster || !mesh || !pairs)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "raster: no raster, mesh or pairs were given");
    const mote_raster_query plain = mote_raster_query_default();
    raster_task task = {
        .raster = raster, .query = query ? query : &plain, .mesh = mesh, .meet = meet, .fail = fail_triangle};
    mote_result result = mote_raster_begin_query(task.query, pairs, error);
    if (result != MOTE_OK) return result;
    if (raster->has_edges)
        return mote_fail(error, MOTE_ERROR_STATE, 0, "raster: edges are in the cells, expected points");
    if (task.query->own && raster->count != mesh->vertex_count)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "raster: %u points are in the cells, expected the %zu vertices of the mesh", raster->count,
                         mesh->vertex_count);
    return mote_raster_run(&task, mesh->triangle_count, pairs, error);
}
