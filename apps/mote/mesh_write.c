// SPDX-License-Identifier: MIT
// Files of a mesh and its proxy for viewing: for ParaView, and pictures.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "mesh.h"

// A leaf with triangles.
typedef struct leaf {
    uint32_t at[3];  // in leaves of its depth, from the root's corner
    int depth;
    uint32_t node;
} leaf;

typedef struct leaves {
    mote_proxy_arrays arrays;
    leaf *all;
    size_t count, room;
} leaves;

// ---------------------------------------------------------------------------------------------------------- leaves

static bool take_leaf(leaves *self, const leaf *found)
{
    if (self->count == self->room) {
        const size_t room = self->room ? 2 * self->room : 1024;
        leaf *all = realloc(self->all, room * sizeof *all);
        if (!all) return false;
        self->all = all;
        self->room = room;
    }
    self->all[self->count++] = *found;
    return true;
}

// Inner nodes have four masks of their octants: those that have a node, those that are inner, and two of empty ones.
static bool collect(leaves *self, const leaf *inner)
{
    const mote_proxy_node node = self->arrays.nodes[inner->node];
    uint32_t child = node.first;
    for (uint32_t octant = 0; octant < 8; ++octant) {
        if (!(node.bits >> octant & 1)) continue;
        leaf below = {.depth = inner->depth + 1, .node = child++};
        for (uint32_t k = 0; k < 3; ++k) below.at[k] = 2 * inner->at[k] + (octant >> k & 1);
        const bool is_inner = node.bits >> (8 + octant) & 1;
        if (!(is_inner ? collect(self, &below) : take_leaf(self, &below))) return false;
    }
    return true;
}

static double edge_of(const leaves *self, const leaf *one)
{
    return ldexp(self->arrays.leaf, self->arrays.max_depth - one->depth);
}

static mote_vec3 corner_of(const leaves *self, const leaf *one, uint32_t corner)
{
    const double edge = edge_of(self, one);
    const mote_vec3 origin = self->arrays.origin;
    const mote_vec3 at = {origin.x + edge * (one->at[0] + (corner & 1)),
                          origin.y + edge * (one->at[1] + (corner >> 1 & 1)),
                          origin.z + edge * (one->at[2] + (corner >> 2))};
    return at;
}

// Ten bits per component, two's complement, times 511.
static void normal_of(const leaves *self, const leaf *one, float normal[3])
{
    const uint32_t packed = self->arrays.nodes[one->node].first;
    for (int k = 0; k < 3; ++k) {
        const int bits = (int)(packed >> (10 * k) & 1023);
        normal[k] = (float)(bits < 512 ? bits : bits - 1024) / 511;
    }
}

// ------------------------------------------------------------------------------------------------------------- VTP

static int write_vtp(app_surface *surface, mote_context *context, const char *name, const mote_vtp *data)
{
    char *path = app_text("%s/%s", surface->output, name);
    if (!path) return app_out_of_memory();
    mote_error error = {0};
    mote_result result = mote_vtp_write(context, path, data, &error);
    free(path);
    if (result == MOTE_OK) {
        surface->written[surface->written_count++] = name;
        return APP_DONE;
    }
    app_complain("mote mesh: %s", error.text[0] ? error.text : mote_result_text(result));
    return APP_FAILED;
}

static int write_mesh(app_surface *surface, mote_context *context)
{
    const mote_mesh *mesh = surface->mesh;
    const mote_points vertices = {{&mesh->vertices->x, &mesh->vertices->y, &mesh->vertices->z},
                                  sizeof *mesh->vertices,
                                  mesh->vertex_count,
                                  MOTE_F64,
                                  3};
    const mote_vtp data = {
        .points = vertices, .triangles = mesh->triangles, .triangle_count = mesh->triangle_count, .time = NAN};
    return write_vtp(surface, context, "mesh.vtp", &data);
}

// Per leaf; quads have six of each.
typedef struct leaf_arrays {
    double *centers, *corners;
    float *normals;
    uint32_t *quads, *nodes, *quad_nodes;
    uint8_t *depths, *sides, *quad_depths, *quad_sides;
} leaf_arrays;

static bool allocate_arrays(leaf_arrays *arrays, size_t count)
{
    const size_t n = count + 1;
    arrays->centers = malloc(3 * n * sizeof(double));
    arrays->corners = malloc(24 * n * sizeof(double));
    arrays->normals = malloc(3 * n * sizeof(float));
    arrays->quads = malloc(24 * n * sizeof(uint32_t));
    arrays->nodes = malloc(n * sizeof(uint32_t));
    arrays->quad_nodes = malloc(6 * n * sizeof(uint32_t));
    arrays->depths = malloc(14 * n);
    if (arrays->depths) {
        arrays->sides = arrays->depths + n;
        arrays->quad_depths = arrays->sides + n;
        arrays->quad_sides = arrays->quad_depths + 6 * n;
    }
    return arrays->centers && arrays->corners && arrays->normals && arrays->quads && arrays->nodes &&
           arrays->quad_nodes && arrays->depths;
}

static void release_arrays(leaf_arrays *arrays)
{
    free(arrays->centers), free(arrays->corners), free(arrays->normals), free(arrays->quads);
    free(arrays->nodes), free(arrays->quad_nodes), free(arrays->depths);
}

// Corner c of a cube: bit k says whether coordinate k is the upper one. Faces go around, counter-clockwise from
// outside.
static const uint8_t faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};

static void fill_arrays(const leaves *self, leaf_arrays *arrays)
{
    for (size_t i = 0; i < self->count; ++i) {
        const leaf *one = self->all + i;
        for (uint32_t c = 0; c < 8; ++c) {
            const mote_vec3 corner = corner_of(self, one, c);
            double *at = arrays->corners + 24 * i + 3 * c;
            at[0] = corner.x, at[1] = corner.y, at[2] = corner.z;
        }
        for (size_t k = 0; k < 3; ++k)
            arrays->centers[3 * i + k] = 0.5 * (arrays->corners[24 * i + k] + arrays->corners[24 * i + 21 + k]);
        normal_of(self, one, arrays->normals + 3 * i);
        arrays->nodes[i] = one->node;
        arrays->depths[i] = (uint8_t)one->depth;
        arrays->sides[i] = (self->arrays.nodes[one->node].bits & MOTE_PROXY_TWO_SIDED) != 0;
        for (size_t f = 0; f < 6; ++f) {
            const size_t q = 6 * i + f;
            for (size_t c = 0; c < 4; ++c) arrays->quads[4 * q + c] = (uint32_t)(8 * i + faces[f][c]);
            arrays->quad_nodes[q] = one->node;
            arrays->quad_depths[q] = arrays->depths[i];
            arrays->quad_sides[q] = arrays->sides[i];
        }
    }
}

static int write_leaves(app_surface *surface, mote_context *context, const leaves *self)
{
    leaf_arrays arrays = {0};
    if (8 * self->count > UINT32_MAX || !allocate_arrays(&arrays, self->count)) {
        release_arrays(&arrays);
        return app_out_of_memory();
    }
    fill_arrays(self, &arrays);
    const mote_array of_quads[] = {mote_array_scalars("depth", MOTE_ARRAY_U8, arrays.quad_depths),
                                   mote_array_scalars("node", MOTE_ARRAY_U32, arrays.quad_nodes),
                                   mote_array_scalars("two_sided", MOTE_ARRAY_U8, arrays.quad_sides)};
    const mote_array of_points[] = {mote_array_tuples("normal", MOTE_ARRAY_F32, arrays.normals, 3),
                                    mote_array_scalars("depth", MOTE_ARRAY_U8, arrays.depths),
                                    mote_array_scalars("node", MOTE_ARRAY_U32, arrays.nodes),
                                    mote_array_scalars("two_sided", MOTE_ARRAY_U8, arrays.sides)};
    const mote_vtp cubes = {.points = mote_points_xyz_f64(arrays.corners, 8 * self->count),
                            .quads = arrays.quads,
                            .quad_count = 6 * self->count,
                            .cell_arrays = of_quads,
                            .cell_array_count = sizeof of_quads / sizeof *of_quads,
                            .time = NAN};
    const mote_vtp normals = {.points = mote_points_xyz_f64(arrays.centers, self->count),
                              .arrays = of_points,
                              .array_count = sizeof of_points / sizeof *of_points,
                              .time = NAN};
    int status = write_vtp(surface, context, "leaves.vtp", &cubes);
    if (status == APP_DONE) status = write_vtp(surface, context, "normals.vtp", &normals);
    release_arrays(&arrays);
    return status;
}

// -------------------------------------------------------------------------------------------------------- pictures

static mote_result make_render(const app_surface *surface, mote_context *context, const char *title,
                               mote_render **render, mote_error *error)
{
    mote_render_def def = mote_render_default_def();
    def.box = surface->box;
    def.title = title;
    def.tank = false;
    return mote_render_create(context, &def, render, error);
}

static mote_result draw(app_surface *surface, mote_context *context, mote_render *render, const char *name,
                        mote_error *error)
{
    const mote_render_def def = mote_render_resolved_def(render);
    uint8_t *rgb = malloc(3 * (size_t)def.width * (size_t)def.height);
    char *path = app_text("%s/%s", surface->output, name);
    const mote_picture picture = mote_picture_default();
    mote_result result = rgb && path ? MOTE_OK : MOTE_ERROR_OUT_OF_MEMORY;
    if (result == MOTE_OK) result = mote_render_frame(render, &picture, rgb, error);
    if (result == MOTE_OK)
        result = mote_png_write(context, path, rgb, (uint32_t)def.width, (uint32_t)def.height, error);
    if (result == MOTE_OK) surface->written[surface->written_count++] = name;
    free(path);
    free(rgb);
    return result;
}

// The cubes of the leaves of one depth as a mesh, with four vertices per face.
static mote_result make_cubes(const leaves *self, int depth, mote_context *context, mote_mesh **mesh)
{
    size_t count = 0, v = 0, t = 0;
    for (size_t i = 0; i < self->count; ++i) count += self->all[i].depth == depth;
    mote_vec3 *vertices = malloc((24 * count + 1) * sizeof *vertices);
    uint32_t *triangles = malloc((36 * count + 1) * sizeof *triangles);
    for (size_t i = 0; i < self->count && vertices && triangles; ++i) {
        if (self->all[i].depth != depth) continue;
        for (size_t f = 0; f < 6; ++f) {
            static const uint8_t halves[6] = {0, 1, 2, 0, 2, 3};
            for (size_t c = 0; c < 6; ++c) triangles[t++] = (uint32_t)(v + halves[c]);
            for (size_t c = 0; c < 4; ++c) vertices[v++] = corner_of(self, self->all + i, faces[f][c]);
        }
    }
    mote_result result = MOTE_ERROR_OUT_OF_MEMORY;
    if (vertices && triangles) result = mote_mesh_create(context, vertices, v, triangles, t / 3, mesh, NULL);
    free(vertices);
    free(triangles);
    return result;
}

static mote_result draw_leaves(app_surface *surface, mote_context *context, const leaves *self, mote_error *error)
{
    mote_render *render = NULL;
    mote_result result = make_render(surface, context, "leaves of the proxy, a colour a depth", &render, error);
    for (int depth = 0; depth <= self->arrays.max_depth && result == MOTE_OK; ++depth) {
        if (surface->stats.leaves[depth] == 0) continue;
        mote_mesh *cubes = NULL;
        result = make_cubes(self, depth, context, &cubes);
        if (result == MOTE_OK) result = mote_render_add_mesh(render, cubes, NULL, NULL, error);
        mote_mesh_destroy(cubes);
    }
    if (result == MOTE_OK) result = draw(surface, context, render, "leaves.png", error);
    mote_render_destroy(render);
    return result;
}

static mote_result draw_mesh(app_surface *surface, mote_context *context, mote_error *error)
{
    const char *name = strrchr(surface->path, '/');
    mote_render *render = NULL;
    mote_result result = make_render(surface, context, name ? name + 1 : surface->path, &render, error);
    if (result == MOTE_OK) result = mote_render_add_mesh(render, surface->mesh, NULL, NULL, error);
    if (result == MOTE_OK) result = draw(surface, context, render, "mesh.png", error);
    mote_render_destroy(render);
    return result;
}

// Pictures are optional: if they cannot be drawn, everything else is still written.
static int draw_all(app_surface *surface, mote_context *context, const leaves *self)
{
    mote_error error = {0};
    mote_result result = draw_mesh(surface, context, &error);
    if (result == MOTE_OK && surface->proxy) result = draw_leaves(surface, context, self, &error);
    if (result == MOTE_OK) return APP_DONE;
    const char *text = error.text[0] ? error.text : mote_result_text(result);
    app_complain(result == MOTE_ERROR_FILE ? "mote mesh: %s" : "note: no pictures: %s", text);
    return result == MOTE_ERROR_FILE ? APP_FAILED : APP_DONE;
}

int app_surface_write(app_surface *surface, mote_context *context)
{
    leaves self = {0};
    int status = write_mesh(surface, context);
    if (status == APP_DONE && surface->proxy) {
        self.arrays = mote_proxy_get_arrays(surface->proxy);
        status = collect(&self, &(leaf){.depth = 0}) ? write_leaves(surface, context, &self) : app_out_of_memory();
    }
    if (status == APP_DONE && !surface->no_images) status = draw_all(surface, context, &self);
    free(self.all);
    return status;
}
