// SPDX-License-Identifier: MIT
// A cloth against itself: a folded sheet, its vertices that come near its triangles, and edges that come near edges.
//
// The vertices are sorted into cells; triangles, thickened by a distance, visit the cells that they touch and meet the
// vertices there. Vertices and triangles alone miss edges that cross, so edges are put into the cells, too. Nothing but
// the sort has to be done again when the sheet moves.
//
// Prints:
//     fold 0.00: 0 vertices near triangles, 0 pairs of edges
//     fold 0.50: 0 vertices near triangles, 0 pairs of edges
//     fold 1.00: 240 vertices near triangles, 596 pairs of edges

#include <math.h>
#include <stdio.h>

#include "mote/raster.h"

enum { N = 40 };

// A strip that is bent around the y axis: flat, then a half circle, then almost a closed one.
static void fold(mote_mesh *mesh, double share)
{
    for (int i = 0; i <= N; ++i)
        for (int j = 0; j <= N; ++j) {
            const double s = (double)i / N - 0.5, angle = 6.28 * share * s, radius = share > 0 ? 1 / (6.28 * share) : 0;
            mesh->vertices[i * (N + 1) + j] = (mote_vec3){share > 0 ? radius * sin(angle) : s, (double)j / N,
                                                          share > 0 ? radius * (1 - cos(angle)) : 0};
        }
}

static mote_mesh *make_sheet(void)
{
    static mote_vec3 vertices[(N + 1) * (N + 1)];
    static uint32_t triangles[6 * N * N];
    uint32_t *at = triangles;
    for (uint32_t i = 0; i < N; ++i)
        for (uint32_t j = 0; j < N; ++j) {
            const uint32_t v = i * (N + 1) + j;
            *at++ = v, *at++ = v + N + 1, *at++ = v + 1;
            *at++ = v + 1, *at++ = v + N + 1, *at++ = v + N + 2;
        }
    mote_mesh *mesh = NULL;
    mote_mesh_create(NULL, vertices, (N + 1) * (N + 1), triangles, 2 * N * N, &mesh, NULL);
    return mesh;
}

// The vertices as points, in place.
static mote_points vertices_of(const mote_mesh *mesh)
{
    const mote_vec3 *v = mesh->vertices;
    return (mote_points){{&v->x, &v->y, &v->z}, sizeof *v, mesh->vertex_count, MOTE_F64, 3};
}

int main(void)
{
    mote_mesh *mesh = make_sheet();
    mote_raster_edge_list list = {0};
    if (!mesh || mote_raster_list_edges(mesh, &list, NULL) != MOTE_OK) return 1;
    fold(mesh, 0);
    mote_raster *points = NULL, *edges = NULL;
    mote_result result = mote_raster_create_for_mesh(NULL, mesh, &points, NULL);
    if (result == MOTE_OK) result = mote_raster_create_for_mesh(NULL, mesh, &edges, NULL);

    mote_raster_query query = mote_raster_query_default();
    query.thickness = 0.01;
    query.own = true;  // a vertex never meets its own triangles, an edge none that it shares a vertex with
    mote_raster_pairs near = {0}, crossing = {0};
    const mote_raster_edge_set set = {mesh->vertices, mesh->vertex_count, list.edges, list.count};
    for (int step = 0; step < 3 && result == MOTE_OK; ++step) {
        fold(mesh, 0.5 * step);
        result = mote_raster_update(points, vertices_of(mesh), NULL);
        if (result == MOTE_OK) result = mote_raster_triangles(points, mesh, &query, &near, NULL);
        if (result == MOTE_OK) result = mote_raster_update_edges(edges, &set, NULL);
        if (result == MOTE_OK) result = mote_raster_edges(edges, &set, &query, &crossing, NULL);
        if (result == MOTE_OK)
            printf("fold %.2f: %zu vertices near triangles, %zu pairs of edges\n", 0.5 * step, near.count,
                   crossing.count);
    }
    mote_raster_pairs_release(&near);
    mote_raster_pairs_release(&crossing);
    mote_raster_destroy(points);
    mote_raster_destroy(edges);
    mote_raster_edge_list_release(&list);
    mote_mesh_destroy(mesh);
    return result == MOTE_OK ? 0 : 1;
}
