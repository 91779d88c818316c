// SPDX-License-Identifier: MIT
// Random spheres: their positions, a mesh of them, and points on them.
//
// The largest are placed first, each where it touches none of those placed before: random sequential addition, which
// fills more of the box the more sizes there are. A grid whose cells are as large as the largest sphere with its gap
// gives the spheres that a new one can touch.

#include "base/elementary.h"
#include "mesh/internal.h"

#define PI 3.14159265358979323846

enum {
    MOST_TRIES = 20000,  // for one sphere
    MOST_CELLS = 64,     // along an axis
    LEAST_LEVEL = 1,     // of subdivision
    MOST_LEVEL = 7
};

typedef struct sphere_grid {
    const mote_spheres_def *def;
    double edge[3];
    int count[3];
    uint32_t *first;  // first sphere of each cell, or none
    uint32_t *next;   // next sphere of the same cell
} sphere_grid;

static const uint32_t none = UINT32_MAX;

static double side_of(const mote_spheres_def *def, int axis)
{
    const double low[3] = {def->box.min.x, def->box.min.y, def->box.min.z};
    const double high[3] = {def->box.max.x, def->box.max.y, def->box.max.z};
    return high[axis] - low[axis];
}

static mote_result check_def(const mote_spheres_def *def, mote_error *error)
{
    const bool has_radii = def->radius_min > 0 && def->radius_max >= def->radius_min && isfinite(def->radius_max);
    if (!has_radii)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "spheres: radii from %g to %g m, expected numbers above 0, the "
                         "lower first", def->radius_min, def->radius_max);
    if (!(def->gap >= 0 && isfinite(def->gap)))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "spheres: a gap of %g m, expected at least 0", def->gap);
    for (int axis = 0; axis < 3; ++axis)
        if (!(side_of(def, axis) >= 2 * def->radius_max && isfinite(side_of(def, axis))))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "spheres: a box of %g m along %c, expected at least the "
                             "largest sphere's %g", side_of(def, axis), "xyz"[axis], 2 * def->radius_max);
    return MOTE_OK;
}

// The cell of a position along an axis.
static int cell_of(const sphere_grid *grid, double from_min, int axis)
{
    const int cell = (int)(from_min / grid->edge[axis]);
    return cell < grid->count[axis] ? cell : grid->count[axis] - 1;
}

static void cells_of(const sphere_grid *grid, mote_vec3 at, int cells[3])
{
    const mote_vec3 from = mote_vec3_sub(at, grid->def->box.min);
    cells[0] = cell_of(grid, from.x, 0);
    cells[1] = cell_of(grid, from.y, 1);
    cells[2] = cell_of(grid, from.z, 2);
}

static size_t number_of(const sphere_grid *grid, int x, int y, int z)
{
    return ((size_t)z * (size_t)grid->count[1] + (size_t)y) * (size_t)grid->count[0] + (size_t)x;
}

static bool is_free(const sphere_grid *grid, const mote_sphere *spheres, mote_vec3 at, double radius)
{
    int cells[3];
    cells_of(grid, at, cells);
    for (int z = MOTE_MAX(cells[2] - 1, 0); z <= MOTE_MIN(cells[2] + 1, grid->count[2] - 1); ++z)
        for (int y = MOTE_MAX(cells[1] - 1, 0); y <= MOTE_MIN(cells[1] + 1, grid->count[1] - 1); ++y)
            for (int x = MOTE_MAX(cells[0] - 1, 0); x <= MOTE_MIN(cells[0] + 1, grid->count[0] - 1); ++x)
                for (uint32_t s = grid->first[number_of(grid, x, y, z)]; s != none; s = grid->next[s]) {
                    const mote_vec3 apart = mote_vec3_sub(at, spheres[s].center);
                    const double least = radius + spheres[s].radius + grid->def->gap;
                    if (mote_vec3_dot(apart, apart) < least * least) return false;
                }
    return true;
}

static double within(mote_random *random, double low, double high, double radius)
{
    return low + radius + (high - low - 2 * radius) * mote_random_unit(random);
}

static bool place_sphere(sphere_grid *grid, mote_sphere *spheres, uint32_t s, mote_random *random)
{
    const mote_box box = grid->def->box;
    mote_sphere *sphere = &spheres[s];
    for (int tries = 0; tries < MOST_TRIES; ++tries) {
        sphere->center.x = within(random, box.min.x, box.max.x, sphere->radius);
        sphere->center.y = within(random, box.min.y, box.max.y, sphere->radius);
        sphere->center.z = within(random, box.min.z, box.max.z, sphere->radius);
        if (!is_free(grid, spheres, sphere->center, sphere->radius)) continue;
        int cells[3];
        cells_of(grid, sphere->center, cells);
        uint32_t *first = &grid->first[number_of(grid, cells[0], cells[1], cells[2])];
        grid->next[s] = *first;
        *first = s;
        return true;
    }
    return false;
}

#define SORT_TYPE mote_sphere
#define SORT_BEFORE(data, a, b) ((a).radius > (b).radius)
#define SORT_NAME(verb) larger_first_##verb
#include "base/sorts.inl"

mote_result mote_spheres_arrange(mote_context *context, const mote_spheres_def *def, mote_sphere *spheres,
                                 mote_error *error)
{
    if (!def || def->count < 0 || (def->count && !spheres))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "spheres: no def, a count below 0, or nowhere to put them");
    if (def->count == 0) return MOTE_OK;
    mote_result result = check_def(def, error);
    if (result != MOTE_OK) return result;
    sphere_grid grid = {.def = def};
    const double least_edge = 2 * def->radius_max + def->gap;
    size_t cells = 1, count = (size_t)def->count;
    for (int axis = 0; axis < 3; ++axis) {
        const double fitting = side_of(def, axis) / least_edge;
        grid.count[axis] = fitting < 1 ? 1 : fitting < MOST_CELLS ? (int)fitting : MOST_CELLS;
        grid.edge[axis] = side_of(def, axis) / grid.count[axis];
        cells *= (size_t)grid.count[axis];
    }
    const size_t bytes = (cells + count) * sizeof *grid.first;
    grid.first = mote_allocate(context, bytes);
    if (!grid.first) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "spheres: no memory for %zu of them", count);
    grid.next = grid.first + cells;
    for (size_t c = 0; c < cells; ++c) grid.first[c] = none;
    mote_random random = {def->seed};
    const double ratio = mote_log2(def->radius_max / def->radius_min);
    for (size_t s = 0; s < count; ++s) {
        const double radius = def->radius_min * mote_pow(2, ratio * mote_random_unit(&random));
        spheres[s].radius = MOTE_MIN(radius, def->radius_max);
    }
    larger_first_sort(NULL, spheres, count);
    size_t placed = 0;
    while (placed < count && place_sphere(&grid, spheres, (uint32_t)placed, &random)) ++placed;
    mote_release(context, grid.first, bytes);
    if (placed == count) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_ARGUMENT, placed, "spheres: no place for number %zu of %zu, %g m in radius; "
                     "expected fewer or smaller ones, a smaller gap or a larger box", placed + 1, count,
                     spheres[placed].radius);
}

// --------------------------------------------------------------------------------------------------------- mesh

// Cuts a triangle into four: 3 corners become 12, on the unit sphere.
static void cut_triangle(const mote_vec3 corners[3], mote_vec3 to[12])
{
    mote_vec3 middle[3];
    for (int k = 0; k < 3; ++k) middle[k] = mote_vec3_unit(mote_vec3_add(corners[k], corners[(k + 1) % 3]));
    for (int k = 0; k < 3; ++k) {
        to[3 * k] = corners[k];
        to[3 * k + 1] = middle[k];
        to[3 * k + 2] = middle[(k + 2) % 3];
        to[9 + k] = middle[k];
    }
}

// Makes the unit sphere from an icosahedron, each of whose triangles is cut into four repeatedly.
static mote_result make_unit_sphere(mote_context *context, int level, mote_mesh **mesh, mote_error *error)
{
    static const uint8_t faces[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                         {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                         {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                         {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    const double golden = (1 + sqrt(5)) / 2;
    size_t count = 20;
    for (int k = 0; k < level; ++k) count *= 4;
    const size_t bytes = 3 * count * (sizeof(mote_vec3) + sizeof(uint32_t));
    mote_vec3 *corners = mote_allocate(context, bytes);
    if (!corners) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "spheres: no memory for a mesh of one");
    for (size_t f = 0; f < 20; ++f)
        for (size_t k = 0; k < 3; ++k) {
            // Four corners in each of three planes: (±1, ±golden, 0) and its cyclic permutations.
            const int v = faces[f][k], plane = v / 4;
            const double one = v % 2 ? 1 : -1, long_one = v % 4 < 2 ? golden : -golden;
            const mote_vec3 at = plane == 0   ? mote_vec3_make(one, long_one, 0)
                                 : plane == 1 ? mote_vec3_make(0, one, long_one)
                                              : mote_vec3_make(long_one, 0, one);
            corners[3 * f + k] = mote_vec3_unit(at);
        }
    for (size_t have = 20; have < count; have *= 4)
        for (size_t f = have; f-- > 0;) {  // from the last: a triangle is stored before the four made from it
            const mote_vec3 own[3] = {corners[3 * f], corners[3 * f + 1], corners[3 * f + 2]};
            cut_triangle(own, corners + 12 * f);
        }
    uint32_t *triangles = (uint32_t *)(corners + 3 * count);
    for (uint32_t k = 0; k < 3 * count; ++k) triangles[k] = k;
    mote_result result = mote_mesh_create(context, corners, 3 * count, triangles, count, mesh, error);
    mote_release(context, corners, bytes);
    if (result != MOTE_OK) return result;
    result = mote_mesh_weld(*mesh, NULL);
    if (result == MOTE_OK) return MOTE_OK;
    mote_mesh_destroy(*mesh);
    *mesh = NULL;
    return mote_fail(error, result, 0, "spheres: no memory for a mesh of one");
}

// How often an icosahedron is cut to get edges no longer than `edge`: its edges are at most 4/3 radii, and each cut
// halves them.
static int level_of(double radius, double edge)
{
    int level = LEAST_LEVEL;
    for (double longest = ldexp(4 * radius / 3, -level); longest > edge && level < MOST_LEVEL; longest /= 2) ++level;
    return level;
}

// Copies the meshes of the unit sphere that belong to the spheres' levels.
static mote_result copy_units(mote_context *context, const mote_sphere *spheres, size_t count, double edge,
                              mote_mesh *const *units, mote_mesh **mesh, mote_error *error)
{
    size_t vertex_count = 0, triangle_count = 0;
    for (size_t s = 0; s < count; ++s) {
        const mote_mesh *unit = units[level_of(spheres[s].radius, edge)];
        vertex_count += unit->vertex_count;
        triangle_count += unit->triangle_count;
    }
    const size_t bytes = vertex_count * sizeof(mote_vec3) + 3 * triangle_count * sizeof(uint32_t);
    mote_vec3 *vertices = mote_allocate(context, bytes);
    if (!vertices && bytes)
        return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "spheres: no memory for a mesh of %zu", count);
    uint32_t *corners = (uint32_t *)(vertices + vertex_count);
    size_t vertex = 0, corner = 0;
    for (size_t s = 0; s < count; ++s) {
        const mote_mesh *unit = units[level_of(spheres[s].radius, edge)];
        for (size_t c = 0; c < 3 * unit->triangle_count; ++c) corners[corner++] = (uint32_t)vertex + unit->triangles[c];
        for (size_t v = 0; v < unit->vertex_count; ++v)
            vertices[vertex++] = mote_vec3_add_scaled(spheres[s].center, unit->vertices[v], spheres[s].radius);
    }
    mote_result result = mote_mesh_create(context, vertices, vertex_count, corners, triangle_count, mesh, error);
    mote_release(context, vertices, bytes);
    return result;
}

mote_result mote_mesh_create_spheres(mote_context *context, const mote_sphere *spheres, size_t count, double edge,
                                     mote_mesh **mesh, mote_error *error)
{
    if (!mesh || (count && !spheres) || !(edge > 0))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "spheres: edges of %g m, expected a number above 0, and "
                         "spheres, and somewhere to put the mesh", edge);
    mote_mesh *units[MOST_LEVEL + 1] = {0};
    mote_result result = MOTE_OK;
    for (size_t s = 0; s < count && result == MOTE_OK; ++s) {
        const int level = level_of(spheres[s].radius, edge);
        if (!units[level]) result = make_unit_sphere(context, level, &units[level], error);
    }
    if (result == MOTE_OK) result = copy_units(context, spheres, count, edge, units, mesh, error);
    for (int level = 0; level <= MOST_LEVEL; ++level) mote_mesh_destroy(units[level]);
    return result;
}

// ------------------------------------------------------------------------------------------------------ samples

void mote_spheres_place(mote_sphere *spheres, size_t count, const mote_placement *placement)
{
    if (!spheres || !placement) return;
    for (size_t s = 0; s < count; ++s) {
        mote_mesh point = {.vertices = &spheres[s].center, .vertex_count = 1};
        mote_mesh_place(&point, placement);
        spheres[s].radius *= placement->scale;
    }
}

static size_t samples_of(const mote_sphere *sphere, double spacing)
{
    const double in_spacings = sphere->radius / spacing, count = floor(4 * PI * in_spacings * in_spacings + 0.5);
    return count > 1 ? (size_t)MOTE_MIN(count, (double)UINT32_MAX) : 1;
}

// Goes from pole to pole: each point is a golden angle farther around the axis, and the area between successive
// points is equal.
static void sample_sphere(const mote_sphere *sphere, size_t count, double *points)
{
    const double golden_angle = PI * (3 - sqrt(5));
    for (size_t i = 0; i < count; ++i, points += 3) {
        const double z = 1 - (2 * (double)i + 1) / (double)count, off_axis = sqrt(1 - z * z);
        const double angle = fmod((double)i * golden_angle, 2 * PI);
        points[0] = sphere->center.x + sphere->radius * off_axis * mote_cos(angle);
        points[1] = sphere->center.y + sphere->radius * off_axis * mote_sin(angle);
        points[2] = sphere->center.z + sphere->radius * z;
    }
}

mote_result mote_spheres_sample(mote_context *context, const mote_sphere *spheres, size_t count, double spacing,
                                mote_mesh_samples *samples, mote_error *error)
{
    if (!samples || (count && !spheres))
        return mote_fail_null(error, "spheres", samples ? "the spheres" : "the samples");
    if (!(spacing > 0))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "spheres: samples %g m apart, expected a number above 0",
                         spacing);
    size_t total = 0;
    for (size_t s = 0; s < count; ++s) total += samples_of(&spheres[s], spacing);
    if (total >= UINT32_MAX)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "spheres: samples %g m apart are too many to be numbered",
                         spacing);
    mote_mesh_samples made = {mote_allocate(context, total * 3 * sizeof(double)),
                              mote_allocate(context, total * sizeof(uint32_t)), total, context};
    if (total && (!made.points || !made.triangles)) {
        mote_mesh_samples_release(&made);
        return mote_pass_memory(error, MOTE_ERROR_OUT_OF_MEMORY, "spheres: sampling them");
    }
    for (size_t s = 0, from = 0; s < count; ++s) {
        const size_t own = samples_of(&spheres[s], spacing);
        sample_sphere(&spheres[s], own, made.points + 3 * from);
        for (size_t i = 0; i < own; ++i) made.triangles[from + i] = (uint32_t)s;
        from += own;
    }
    *samples = made;
    return MOTE_OK;
}
