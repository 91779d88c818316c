// SPDX-License-Identifier: MIT
/// mote/raster.h: which points, edges and triangles are closer than a thickness, by rasterising triangles into the
/// cells of points (after Ahmad's tutorial).
///
/// The points (particles, or the vertices of a mesh) are sorted into the cells of a hash. Triangles are not stored:
/// each, thickened by a distance, visits the occupied cells that it touches and is paired with the points there. When
/// points have moved, they are sorted again. The mesh is read during the call, so it may deform freely.
///
///     mote_raster *raster;
///     mote_raster_create_for_mesh(NULL, mesh, &raster, &error);
///     mote_raster_pairs pairs = {0};
///     for (each step) {
///         mote_raster_update(raster, mote_points_xyz(positions, count), &error);
///         mote_raster_query query = mote_raster_query_default();
///         query.thickness = 0.01;                                       // [m]
///         mote_raster_triangles(raster, mesh, &query, &pairs, &error);
///         for (size_t k = 0; k < pairs.count; ++k) respond(pairs.pairs[k].first, pairs.pairs[k].second);
///     }
///     mote_raster_pairs_release(&pairs);
///
/// Vertices against triangles are not enough: two meshes can pass through each other edge by edge. Therefore edges can
/// be put into the cells too, and are paired with edges.
///
/// All pairs are found, in the same order for any number of threads. The size of the cells changes only the cost.
/// Queries change nothing but the memory of their pairs; with pairs of their own they may run concurrently. hits.h says
/// which of hits.h, proxy.h and raster.h to take.
#ifndef MOTE_RASTER_H
#define MOTE_RASTER_H

#include "mote/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Points, or edges, sorted into the cells of an unbounded grid.
typedef struct mote_raster mote_raster;

/// The mean length of the edges of all triangles, which is a good size for cells. An edge of two triangles counts
/// twice. 0 for a mesh without triangles.
MOTE_API double mote_raster_mean_edge(const mote_mesh *mesh);

/// Makes a raster without points.
/// @param edge     of a cell [m], 2^-160 … 2^160
/// @param error    may be NULL
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT or MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_raster_create(mote_context *context, double edge, mote_raster **raster, mote_error *error);
/// Makes a raster with cells of the size mote_raster_mean_edge. The mesh is not kept.
/// @return as mote_raster_create; MOTE_ERROR_ARGUMENT where edges have no length
MOTE_API mote_result mote_raster_create_for_mesh(mote_context *context, const mote_mesh *mesh, mote_raster **raster,
                                                 mote_error *error);
MOTE_API void mote_raster_destroy(mote_raster *raster);

/// Sorts a copy of the points into the cells, replacing what was there. Cost O(points), about 56 bytes a point.
/// @param error    may be NULL; its index is the first bad point's
/// @return MOTE_OK; MOTE_ERROR_ARGUMENT or MOTE_ERROR_NOT_FINITE, which leave all as it was; MOTE_ERROR_OUT_OF_MEMORY,
///         which leaves it without points
MOTE_API mote_result mote_raster_update(mote_raster *raster, mote_points points, mote_error *error);

/// Edges as the caller has them: pairs of vertex numbers.
typedef struct mote_raster_edge_set {
    const mote_vec3 *vertices;  ///< [m]
    size_t vertex_count;
    const uint32_t *edges;  ///< 2·edge_count vertex numbers
    size_t edge_count;      ///< at most 2^31 − 2
} mote_raster_edge_set;

/// Every edge of a mesh once, by its smaller and then its larger vertex. Does not change while vertices move.
typedef struct mote_raster_edge_list {
    uint32_t *edges;  ///< 2·count vertex numbers, the smaller one first
    size_t count;
    mote_context *context;
} mote_raster_edge_list;

/// O(triangles). @param list  the caller's to release
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT (a triangle names a vertex that there is not) or MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_raster_list_edges(const mote_mesh *mesh, mote_raster_edge_list *list, mote_error *error);
MOTE_API void mote_raster_edge_list_release(mote_raster_edge_list *list);

/// Sorts edges into the cells, instead of what was there: in pieces no longer than a cell's edge or their mean length,
/// of which there are at most twice as many as edges. The arrays are copied. Results as mote_raster_update. About 140
/// to 220 bytes an edge.
MOTE_API mote_result mote_raster_update_edges(mote_raster *raster, const mote_raster_edge_set *edges,
                                              mote_error *error);

// ------------------------------------------------------------------------------------------------------- queries

/// What is to meet what.
typedef struct mote_raster_query {
    double thickness;  ///< how far apart the two may be [m], 0 … 2^160
    bool own;          ///< both are of one mesh (self-collision). The points are the mesh's vertices, in their order: a
                       ///< vertex never meets its own triangles. The edges are the ones in the cells: none meets itself
                       ///< or one with which it shares a vertex, and a pair comes once, the smaller number first
    bool candidates;   ///< all that share a cell with the thickened triangle or edge, whatever their distance: what a
                       ///< test of the caller's own (a swept one, say) starts from. A superset of the pairs
    bool scan_line;    ///< triangles as Ahmad's tutorial has them: samples along lines, a cell's edge apart, without
                       ///< thickness. Skips cells, and with them pairs: only to see how many
    uint32_t cookie;  ///< set by the default function; tells that it was called
} mote_raster_query;

/// Thickness 0, nothing else.
MOTE_API mote_raster_query mote_raster_query_default(void);

/// A triangle and a point, or two edges, that of the query first.
typedef struct mote_raster_pair {
    uint32_t first, second;
} mote_raster_pair;

/// Work that a query did.
typedef struct mote_raster_counters {
    uint64_t shapes;      ///< triangles or edges that were asked for
    uint64_t rows;        ///< lines of cells along x that were looked for or at
    uint64_t cells;       ///< occupied cells that were visited, one by each shape
    uint64_t candidates;  ///< points, or pieces of edges, in them
} mote_raster_counters;

/// What a query found. Zero-initialised is empty; it keeps its memory from call to call, so that queries that find no
/// more than before allocate nothing.
typedef struct mote_raster_pairs {
    const mote_raster_pair *pairs;  ///< ascending by first, then second; valid until the next query
    size_t count;
    mote_raster_counters counters;
    struct raster_memory *memory;  ///< private
} mote_raster_pairs;
MOTE_API void mote_raster_pairs_release(mote_raster_pairs *pairs);

/// Finds all pairs of a triangle and a point within `thickness` of it: the distance is that of the closest point of the
/// triangle, in double. Triangles without area count as the segments that they are. In parallel over triangles. Cost
/// O(cells that the thickened triangles touch + points in them + pairs·log pairs of a triangle); a triangle however
/// large costs at most the occupied cells.
/// Pairs take 16 bytes, 8 with one thread, and up to twice as much while they grow. Their number grows with the cube of
/// the thickness, where points fill space: a thickness of four edges may be thousands for each triangle. More than the
/// byte budget has room for are counted, not kept, and refused by their number.
/// @param mesh     as it is now; its context runs nothing
/// @param query    NULL: the default
/// @param error    may be NULL; its index is the first bad triangle's
/// @return MOTE_OK; MOTE_ERROR_ARGUMENT; MOTE_ERROR_NOT_FINITE (a vertex); MOTE_ERROR_STATE (edges are in the cells);
///         MOTE_ERROR_UNSUPPORTED (a triangle of more than 2^24 samples by the scan line); MOTE_ERROR_OUT_OF_MEMORY.
///         On failure there are no pairs
MOTE_API mote_result mote_raster_triangles(const mote_raster *raster, const mote_mesh *mesh,
                                           const mote_raster_query *query, mote_raster_pairs *pairs,
                                           mote_error *error);

/// Finds all pairs of edges within `thickness`: of each of `edges`, and of those in the cells. Cost and results as
/// mote_raster_triangles; MOTE_ERROR_STATE where points are in the cells, MOTE_ERROR_UNSUPPORTED for the scan line.
MOTE_API mote_result mote_raster_edges(const mote_raster *raster, const mote_raster_edge_set *edges,
                                       const mote_raster_query *query, mote_raster_pairs *pairs, mote_error *error);

// ----------------------------------------------------------------------------------------------------- inspection

/// Sizes of what was built.
typedef struct mote_raster_stats {
    uint64_t points;  ///< or pieces of edges
    uint64_t rows;    ///< lines of cells along x that hold any
    uint64_t cells;   ///< that hold any
    double edge;      ///< of a cell [m]: a little more than was asked for
} mote_raster_stats;
MOTE_API mote_raster_stats mote_raster_get_stats(const mote_raster *raster);
MOTE_API size_t mote_raster_byte_count(const mote_raster *raster);
/// Checks every invariant. @param error  may be NULL; names what does not hold @return MOTE_OK or MOTE_ERROR_STATE
MOTE_API mote_result mote_raster_validate(const mote_raster *raster, mote_error *error);

#ifdef __cplusplus
}
#endif

#endif
