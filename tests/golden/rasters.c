// SPDX-License-Identifier: MIT
// Pairs of triangles and points, and of edges, of the raster.

#include "golden.h"

enum { POINTS = 4000 };

static bool print_pairs(const mote_raster *raster, const mote_mesh *mesh, const mote_raster_edge_set *edges,
                        const mote_raster_query *query, const char *what)
{
    mote_raster_pairs pairs = {0};
    mote_error error = {0};
    const mote_result result = edges ? mote_raster_edges(raster, edges, query, &pairs, &error)
                                     : mote_raster_triangles(raster, mesh, query, &pairs, &error);
    const bool done = golden_is_ok(what, result, &error);
    if (done) {
        uint64_t sum = GOLDEN_START;
        golden_mix(&sum, pairs.pairs, pairs.count * sizeof *pairs.pairs);
        golden_print(what, pairs.count, sum);
    }
    mote_raster_pairs_release(&pairs);
    return done;
}

static bool print_points(mote_raster *raster, const mote_mesh *mesh)
{
    static float points[3 * POINTS];
    mote_random random = {53};
    mote_error error = {0};
    mote_raster_query query = mote_raster_query_default();
    for (size_t i = 0; i < 3 * POINTS; ++i) points[i] = (float)(2.2 * mote_random_unit(&random) - 1.1);
    if (!golden_is_ok("points", mote_raster_update(raster, mote_points_xyz(points, POINTS), &error), &error))
        return false;
    query.thickness = 0.05;
    bool done = print_pairs(raster, mesh, NULL, &query, "triangles and points");
    query.candidates = true;
    done = done && print_pairs(raster, mesh, NULL, &query, "triangles and points in their cells");
    query.scan_line = true;
    query.thickness = 0;
    return done && print_pairs(raster, mesh, NULL, &query, "triangles and points by the scan line");
}

static bool print_edges(mote_raster *raster, const mote_mesh *mesh)
{
    mote_raster_edge_list list;
    mote_error error = {0};
    mote_raster_query query = mote_raster_query_default();
    if (!golden_is_ok("list of edges", mote_raster_list_edges(mesh, &list, &error), NULL)) return false;
    const mote_raster_edge_set edges = {mesh->vertices, mesh->vertex_count, list.edges, list.count};
    query.thickness = 0.12;
    query.own = true;
    const bool done = golden_is_ok("edges", mote_raster_update_edges(raster, &edges, &error), &error) &&
                      print_pairs(raster, mesh, &edges, &query, "edges and edges");
    mote_raster_edge_list_release(&list);
    return done;
}

bool golden_rasters(mote_context *context)
{
    mote_mesh *mesh = golden_sphere();
    mote_raster *raster = NULL;
    mote_error error = {0};
    const bool done = mesh &&
                      golden_is_ok("raster", mote_raster_create_for_mesh(context, mesh, &raster, &error), &error) &&
                      print_points(raster, mesh) && print_edges(raster, mesh);
    mote_raster_destroy(raster);
    mote_mesh_destroy(mesh);
    return done;
}
