// SPDX-License-Identifier: MIT
/// mote/mesh.h: triangle meshes as plain arrays.
///
/// Vertices and triangles; what is wrong with a mesh; points spread evenly over its surface; whether a point is inside.
/// import.h reads meshes from files, and hits.h finds hits. Calls on a const mesh may run concurrently.
#ifndef MOTE_MESH_H
#define MOTE_MESH_H

#include "mote/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A triangle mesh, made by mote_mesh_create and ended by mote_mesh_destroy. Vertices may be changed in place.
/// Triangles have three vertex indices each, counter-clockwise seen from outside. Indices may be changed too, but must
/// stay below vertex_count: calls that return a mote_result refuse other indices (MOTE_ERROR_ARGUMENT), all others do
/// not check.
typedef struct mote_mesh {
    mote_vec3 *vertices;
    uint32_t *triangles;
    size_t vertex_count;
    size_t triangle_count;
    mote_context *context;
} mote_mesh;

/// Makes a mesh from copies of the arrays. Indices out of range and coordinates that are not finite are refused.
/// @param triangles    3·triangle_count indices of vertices; at most (2^32 − 1)/3 triangles
/// @param error        may be NULL; its index is the first bad triangle's or vertex's
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT, MOTE_ERROR_NOT_FINITE or MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_mesh_create(mote_context *context, const mote_vec3 *vertices, size_t vertex_count,
                                      const uint32_t *triangles, size_t triangle_count, mote_mesh **mesh,
                                      mote_error *error);
MOTE_API void mote_mesh_destroy(mote_mesh *mesh);
MOTE_API size_t mote_mesh_byte_count(const mote_mesh *mesh);

/// Makes one mesh of several: first the vertices and triangles of the first mesh, then those of the second, and so on.
/// @param error    may be NULL
/// @return as mote_mesh_create
MOTE_API mote_result mote_mesh_join(mote_context *context, const mote_mesh *const *meshes, size_t mesh_count,
                                    mote_mesh **joined, mote_error *error);

/// The placement of a mesh: x' = R·(scale·x) + translate, with R = Rz·Ry·Rx, angles in degrees.
typedef struct mote_placement {
    double scale;
    mote_vec3 rotate;     ///< about x, then y, then z [degree]
    mote_vec3 translate;  ///< [m]
} mote_placement;
MOTE_API void mote_mesh_place(mote_mesh *mesh, const mote_placement *placement);

/// How a mesh is drawn (render.h). It has no influence on how anything moves.
typedef struct mote_look_def {
    mote_vec3 color;      ///< red, green, blue, sRGB in 0 … 1; NaN: the next of a small palette
    double opacity;       ///< 0 … 1; below 1 the mesh is transparent like glass
    double crease_angle;  ///< edges where the surface turns by more look sharp, others smooth [degree], 0 … 180
    bool visible;         ///< false: it is not drawn, and casts no shadow
} mote_look_def;

MOTE_API mote_look_def mote_look_default_def(void);
MOTE_API const mote_field_table *mote_look_fields(void);

/// The box around all vertices [m], and the area of all triangles [m²]. O(vertices), O(triangles).
MOTE_API mote_box mote_mesh_box(const mote_mesh *mesh);
MOTE_API double mote_mesh_area(const mote_mesh *mesh);
/// Signed volume [m³]; positive for a closed mesh whose triangles face outwards.
MOTE_API double mote_mesh_volume(const mote_mesh *mesh);
/// Unit normals at the vertices, weighted by angle (Thürmer & Wüthrich 1998); 0 where a vertex has no area around it.
/// @param normals  receives vertex_count vectors
MOTE_API void mote_mesh_vertex_normals(const mote_mesh *mesh, mote_vec3 *normals);

/// The triangles of a mesh with vertices that have one normal each. Vertices at sharp edges are split.
typedef struct mote_mesh_normals {
    uint32_t *triangles;    ///< three vertices each, in the order of the mesh's
    uint32_t *origins;      ///< the mesh's vertex that each vertex was made of
    mote_vec3 *normals;     ///< unit vectors; 0 where no triangle around a vertex has a normal
    size_t triangle_count;  ///< the mesh's
    size_t count;           ///< vertices
    mote_context *context;
} mote_mesh_normals;

/// Splits vertices along edges where the surface turns by more than the crease angle, and averages the normals of the
/// triangles on the same side of such edges, weighted by angle. No normal differs by more than the crease angle from
/// those of its triangles. Works with any mesh; vertices at the same place count as different ones (mote_mesh_weld
/// merges them). Cost O(n log n), however many triangles meet.
/// @param crease_angle  0 … 180 [degree]
/// @param normals       the caller's to release with mote_mesh_normals_release
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT or MOTE_ERROR_OUT_OF_MEMORY, which leave `normals` as it was
MOTE_API mote_result mote_mesh_split(const mote_mesh *mesh, double crease_angle, mote_mesh_normals *normals,
                                     mote_error *error);
MOTE_API void mote_mesh_normals_release(mote_mesh_normals *normals);

/// What is wrong with a mesh.
typedef struct mote_mesh_report {
    size_t open_edges;          ///< edges with one triangle
    size_t non_manifold_edges;  ///< edges with more than two
    size_t flipped_edges;       ///< edges that both their triangles run through in the same direction
    size_t non_manifold_vertices;  ///< vertices where several fans of triangles meet that share no edge there
    size_t degenerate;          ///< triangles without area
    size_t duplicates;          ///< triangles with the same three vertices as an earlier one
    size_t components;          ///< parts connected through shared vertices
    bool closed;                ///< no open, non-manifold or flipped edge: the mesh has an inside
} mote_mesh_report;
/// O(n log n). @return MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY, which leaves the report as it was
MOTE_API mote_result mote_mesh_examine(const mote_mesh *mesh, mote_mesh_report *report, mote_error *error);

/// Pairs of triangles that cut through each other.
typedef struct mote_mesh_crossings {
    uint64_t count;
    uint32_t first[2];  ///< the pair with the lowest triangle, and with that the lowest other; 0, 0: there is none
} mote_mesh_crossings;

/// Counts the pairs of triangles that have a point in common besides corners and edges that both have, exactly:
/// triangles that cut through each other, touch, or lie on each other in a plane. Corners at the same place are the
/// same. Triangles without area, and pairs with the same three corners (duplicates), do not count. Exact where no
/// coordinate but 0 is below 2^-200 of the largest. Cost O(n log n + pairs whose boxes meet): at a place that 64 or
/// more triangles share, those whose directions from it do; around such an edge none, as they are sorted by angle. 116
/// bytes a triangle; 156 in a mesh of more than 4 million, 234 in one with such places.
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT or MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_mesh_find_crossings(const mote_mesh *mesh, mote_mesh_crossings *crossings, mote_error *error);

/// Merges vertices at exactly the same place, so that triangles of a soup (STL) share them, and drops vertices that no
/// triangle uses. O(n log n). @return MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY, which leaves the mesh as it was
MOTE_API mote_result mote_mesh_weld(mote_mesh *mesh, mote_error *error);

/// Merges vertices that are no farther apart than a tolerance. Each vertex is merged into the first earlier one that
/// was kept and is near enough. So no vertex moves farther than the tolerance, and the remaining ones are farther
/// apart. Triangles that lose a corner are dropped. With tolerance 0 it is mote_mesh_weld. Cost O(n), on one thread.
/// @param tolerance  [m], at least 0
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT or MOTE_ERROR_OUT_OF_MEMORY, which leave the mesh as it was
MOTE_API mote_result mote_mesh_weld_within(mote_mesh *mesh, double tolerance, mote_error *error);

/// Cuts off everything beyond a plane, on the side that `normal` points to. Triangles that cross the plane are cut, and
/// the mesh is open along the cut. Cost O(n log n).
/// @param normal   not 0
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT (no plane) or MOTE_ERROR_OUT_OF_MEMORY, which leave the mesh as it was
MOTE_API mote_result mote_mesh_cut(mote_mesh *mesh, mote_vec3 point, mote_vec3 normal, mote_error *error);

/// Points on the surface of a mesh.
typedef struct mote_mesh_samples {
    double *points;       ///< 3·count coordinates [m]
    uint32_t *triangles;  ///< the triangle that each point lies on
    size_t count;
    mote_context *context;
} mote_mesh_samples;

/// Spreads points evenly over the surface, as a maximal Poisson-disk set (Cook 1986; McCool & Fiume 1992) with one
/// point per spacing². The result depends only on the mesh, the spacing and the seed. Cost O(area/spacing²), on one
/// thread.
/// @param spacing  [m], above 0 and so large that 32-bit numbers count the points
/// @param samples  receives the points, the caller's to release with mote_mesh_samples_release
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT or MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_mesh_sample(const mote_mesh *mesh, double spacing, uint64_t seed, mote_mesh_samples *samples,
                                      mote_error *error);
MOTE_API void mote_mesh_samples_release(mote_mesh_samples *samples);

/// Generalised winding number of the mesh about a point (Jacobson et al. 2013, eq. 5; solid angles by van Oosterom &
/// Strackee 1983): 1 inside a closed mesh, 0 outside. It sums over all triangles, and hits.h's faster one is tested
/// against it.
MOTE_API double mote_mesh_winding_number(const mote_mesh *mesh, mote_vec3 point);

/// Spheres at random places in a box, no two nearer to each other than the gap. The logarithms of their radii are
/// evenly distributed.
typedef struct mote_spheres_def {
    int32_t count;                  ///< 0: none
    double radius_min, radius_max;  ///< [m], above 0
    mote_box box;                   ///< that contains all spheres [m]
    double gap;                     ///< smallest distance between two spheres, at least 0 [m]
    uint64_t seed;
} mote_spheres_def;

typedef struct mote_sphere {
    mote_vec3 center;  ///< [m]
    double radius;     ///< [m]
} mote_sphere;

/// As mote_mesh_place, for spheres.
MOTE_API void mote_spheres_place(mote_sphere *spheres, size_t count, const mote_placement *placement);

/// Finds places for the spheres by trial, the largest first.
/// @param spheres  receives `count` spheres, largest first
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT (the error says what is wrong, or which sphere found no place in 20,000 trials)
///         or MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_spheres_arrange(mote_context *context, const mote_spheres_def *def, mote_sphere *spheres,
                                          mote_error *error);

/// Makes one mesh of many spheres. Each is an icosahedron whose triangles are split into four, up to seven times, until
/// no edge is longer than `edge` [m]. All vertices lie on their sphere.
MOTE_API mote_result mote_mesh_create_spheres(mote_context *context, const mote_sphere *spheres, size_t count,
                                              double edge, mote_mesh **mesh, mote_error *error);

/// Spreads points evenly over spheres, one for each spacing², along a spiral on each sphere (Swinbank & Purser 2006).
/// Much faster than mote_mesh_sample. Cost O(count + points).
/// @param samples  as for mote_mesh_sample, but `triangles` has the numbers of spheres
MOTE_API mote_result mote_spheres_sample(mote_context *context, const mote_sphere *spheres, size_t count,
                                         double spacing, mote_mesh_samples *samples, mote_error *error);

/// What a body may be.
typedef enum mote_shape_kind {
    MOTE_SOLID_OF_MESH,   ///< no shape: it has a mesh, or consists of spheres
    MOTE_SOLID_BOX,       ///< from `box.min` to `box.max`; in 2D y is ignored
    MOTE_SOLID_BALL,      ///< `radius` around `center`; in 3D
    MOTE_SOLID_CYLINDER,  ///< `radius` around a line along `axis` through `center`, `height` long; in 3D
    MOTE_SOLID_POLYGON,   ///< `corners`; in 2D
    MOTE_SOLID_DISC       ///< `radius` around `center`; in 2D
} mote_shape_kind;

/// A shape of a body. What its kind does not have is NaN, and without corners.
typedef struct mote_shape {
    int32_t kind;          ///< a mote_shape_kind
    mote_box box;          ///< [m]
    mote_vec3 center;      ///< [m]
    double radius;         ///< [m]
    mote_vec3 axis;        ///< of any length but 0; NaN: along z
    double height;         ///< [m]
    mote_corners corners;  ///< [m], in either order; not owned
} mote_shape;

/// Looks for what is wrong with a shape.
/// @param error   its text begins with the field: "radius: 0, expected a number above 0"
/// @return MOTE_OK or MOTE_ERROR_ARGUMENT
MOTE_API mote_result mote_mesh_check_shape(const mote_shape *shape, int dimensions, mote_error *error);

/// Makes the mesh of a shape, closed and of its volume. In 2D it is a prism along y, one spacing deep, half of that on
/// each side of y = 0.
/// @param spacing  about how long edges are of what is round [m]
/// @param error    as of mote_mesh_check_shape
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT or MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_mesh_create_shape(mote_context *context, const mote_shape *shape, int dimensions,
                                            double spacing, mote_mesh **mesh, mote_error *error);

/// What part of a triangle a point lies on.
typedef enum mote_feature { MOTE_FEATURE_FACE, MOTE_FEATURE_EDGE, MOTE_FEATURE_VERTEX } mote_feature;

#ifdef __cplusplus
}
#endif

#endif
