// SPDX-License-Identifier: MIT
/// mote/mesh.h: triangle meshes as plain arrays.
///
/// Vertices, triangles, what is wrong with them, points spread evenly over their surface, and whether a point is
/// inside. Reading files is import.h's business, hits are hits.h's. Calls on a const mesh may run concurrently.
#ifndef MOTE_MESH_H
#define MOTE_MESH_H

#include "mote/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A triangle mesh. Made by mote_mesh_create, owned by the caller, released by mote_mesh_destroy. Vertices may be
/// changed in place; triangles hold three vertex indices each, counter-clockwise seen from outside. Whoever changes
/// these keeps them below vertex_count: calls that answer a mote_result refuse others (MOTE_ERROR_ARGUMENT), calls that
/// answer a number or a box do not look.
typedef struct mote_mesh {
    mote_vec3 *vertices;
    uint32_t *triangles;
    size_t vertex_count;
    size_t triangle_count;
    mote_context *context;
} mote_mesh;

/// Copies the arrays. Indices out of range and coordinates that are not finite are refused.
/// @param triangles    3·triangle_count indices of vertices; at most (2^32 − 1)/3 triangles
/// @param error        may be NULL; its index is the first bad triangle's or vertex's
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT, MOTE_ERROR_NOT_FINITE or MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_mesh_create(mote_context *context, const mote_vec3 *vertices, size_t vertex_count,
                                      const uint32_t *triangles, size_t triangle_count, mote_mesh **mesh,
                                      mote_error *error);
MOTE_API void mote_mesh_destroy(mote_mesh *mesh);
MOTE_API size_t mote_mesh_byte_count(const mote_mesh *mesh);

/// One mesh of several: their vertices one after the other, and so their triangles.
/// @param error    may be NULL
/// @return as mote_mesh_create
MOTE_API mote_result mote_mesh_join(mote_context *context, const mote_mesh *const *meshes, size_t mesh_count,
                                    mote_mesh **joined, mote_error *error);

/// Where a mesh stands: x' = R·(scale·x) + translate, with R = Rz·Ry·Rx, angles in degrees.
typedef struct mote_placement {
    double scale;
    mote_vec3 rotate;     ///< about x, then y, then z [degree]
    mote_vec3 translate;  ///< [m]
} mote_placement;
MOTE_API void mote_mesh_place(mote_mesh *mesh, const mote_placement *placement);

/// How a mesh is drawn, for whoever draws it (render.h). Nothing of it changes how anything moves.
typedef struct mote_look_def {
    mote_vec3 color;      ///< red, green, blue, sRGB in 0 … 1; NaN: the next of a small palette
    double opacity;       ///< 0 … 1; below 1 it is like glass: what is in it and behind it shows
    double crease_angle;  ///< where the surface turns by more it has a sharp edge, else it is smooth [degree], 0 … 180
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

/// The triangles of a mesh over vertices that have one normal each: split where the surface has sharp edges.
typedef struct mote_mesh_normals {
    uint32_t *triangles;    ///< three vertices each, in the order of the mesh's
    uint32_t *origins;      ///< the mesh's vertex that each vertex was made of
    mote_vec3 *normals;     ///< unit vectors; 0 where no triangle around a vertex has a normal
    size_t triangle_count;  ///< the mesh's
    size_t count;           ///< vertices
    mote_context *context;
} mote_mesh_normals;

/// Splits vertices along edges where the surface turns by more than the crease angle, and averages normals, weighted by
/// angle, of triangles on the same side of these. No normal is farther than the crease angle from those of its
/// triangles. Takes any mesh; vertices at the same place are different ones (mote_mesh_weld merges them). O(n log n),
/// however many triangles meet.
/// @param crease_angle  0 … 180 [degree]
/// @param normals       the caller's to release with mote_mesh_normals_release
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT or MOTE_ERROR_OUT_OF_MEMORY, which leave `normals` as it was
MOTE_API mote_result mote_mesh_split(const mote_mesh *mesh, double crease_angle, mote_mesh_normals *normals,
                                     mote_error *error);
MOTE_API void mote_mesh_normals_release(mote_mesh_normals *normals);

/// What a look at the mesh found.
typedef struct mote_mesh_report {
    size_t open_edges;          ///< edges with one triangle
    size_t non_manifold_edges;  ///< edges with more than two
    size_t flipped_edges;       ///< edges that both their triangles run through in the same direction
    size_t degenerate;          ///< triangles without area
    size_t duplicates;          ///< triangles with the same three vertices as an earlier one
    size_t components;          ///< parts connected through shared vertices
    bool closed;                ///< no open, non-manifold or flipped edge: the mesh has an inside
} mote_mesh_report;
/// O(n log n). @return MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY, which leaves the report as it was
MOTE_API mote_result mote_mesh_examine(const mote_mesh *mesh, mote_mesh_report *report, mote_error *error);

/// Merges vertices at exactly the same place, so that triangles of a soup (STL) share them, and drops vertices that no
/// triangle uses. O(n log n). @return MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY, which leaves the mesh as it was
MOTE_API mote_result mote_mesh_weld(mote_mesh *mesh, mote_error *error);

/// The same of vertices that are no farther apart than a tolerance: each joins the first one before it that was kept
/// and is so near, so that none moves farther than that, and any two that are left are farther apart. Triangles two of
/// whose corners become one are dropped. With 0 it is mote_mesh_weld. O(n), one thread.
/// @param tolerance  [m], at least 0
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT or MOTE_ERROR_OUT_OF_MEMORY, which leave the mesh as it was
MOTE_API mote_result mote_mesh_weld_within(mote_mesh *mesh, double tolerance, mote_error *error);

/// Cuts off all that lies beyond a plane, on the side that `normal` points to: triangles across it end there, and the
/// mesh is open along the cut. O(n log n).
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

/// Spreads points evenly over the surface: a maximal Poisson-disk set (Cook 1986; McCool & Fiume 1992) whose density is
/// one point per spacing². Depends only on the mesh, the spacing and the seed. O(area/spacing²), one thread.
/// @param spacing  [m], above 0 and so large that 32-bit numbers count the points
/// @param samples  receives the points, the caller's to release with mote_mesh_samples_release
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT or MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_mesh_sample(const mote_mesh *mesh, double spacing, uint64_t seed, mote_mesh_samples *samples,
                                      mote_error *error);
MOTE_API void mote_mesh_samples_release(mote_mesh_samples *samples);

/// Generalised winding number of the mesh about a point (Jacobson et al. 2013, eq. 5; solid angles by van Oosterom &
/// Strackee 1983): 1 inside a closed mesh, 0 outside. Brute force, O(triangles): the oracle.
MOTE_API double mote_mesh_winding_number(const mote_mesh *mesh, mote_vec3 point);

/// Spheres placed by chance in a box, none nearer to another than the gap. Their sizes are spread evenly over the
/// logarithm of the radius.
typedef struct mote_spheres_def {
    int32_t count;                  ///< 0: none
    double radius_min, radius_max;  ///< [m], above 0
    mote_box box;                   ///< that they lie in, wholly [m]
    double gap;                     ///< between any two, at least 0 [m]
    uint64_t seed;
} mote_spheres_def;

typedef struct mote_sphere {
    mote_vec3 center;  ///< [m]
    double radius;     ///< [m]
} mote_sphere;

/// The same as mote_mesh_place, of spheres.
MOTE_API void mote_spheres_place(mote_sphere *spheres, size_t count, const mote_placement *placement);

/// Places the spheres, the largest first, each where it fits, by trial.
/// @param spheres  receives `count` spheres, largest first
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT (the error says what is wrong, or which sphere found no place in 20,000 trials)
///         or MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_spheres_arrange(mote_context *context, const mote_spheres_def *def, mote_sphere *spheres,
                                          mote_error *error);

/// One mesh of many spheres: icosahedra whose triangles were cut into four once or more often, up to seven times, so
/// that no edge is longer than `edge` [m]. All vertices lie on their sphere.
MOTE_API mote_result mote_mesh_create_spheres(mote_context *context, const mote_sphere *spheres, size_t count,
                                              double edge, mote_mesh **mesh, mote_error *error);

/// Points spread evenly over spheres, one for each spacing², each sphere's along a spiral with equal area between two
/// turns (Swinbank & Purser 2006): mote_mesh_sample takes minutes
/// where this takes a second. O(count + points)
/// @param samples  as mote_mesh_sample has them, but that `triangles` are numbers of spheres
MOTE_API mote_result mote_spheres_sample(mote_context *context, const mote_sphere *spheres, size_t count,
                                         double spacing, mote_mesh_samples *samples, mote_error *error);

/// What part of a triangle a point lies on.
typedef enum mote_feature { MOTE_FEATURE_FACE, MOTE_FEATURE_EDGE, MOTE_FEATURE_VERTEX } mote_feature;

#ifdef __cplusplus
}
#endif

#endif
