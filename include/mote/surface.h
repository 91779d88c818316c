// SPDX-License-Identifier: MIT
/// mote/surface.h: a closed triangle mesh around particles, and marching cubes on a grid or a function.
///
///     mote_surface_def def = mote_surface_default_def();
///     def.spacing = 0.01;                                             // of the particles at rest [m]
///     mote_surface *surface;
///     mote_surface_create(NULL, &def, &surface, &error);
///     mote_surface_cloud cloud = mote_surface_cloud_points(points);
///     mote_surface_update(surface, &cloud, &error);
///     mote_surface_view view = mote_surface_get_view(surface);        // vertices, triangles, normals, arrays
///
/// The particles fill space by c(x) = Σ V W(|x − xj|, support), with the cubic spline W and the volume V = 1/ΣW of a
/// particle among its neighbours, itself included; from a support of two spacings on, isotropic kernels give a particle
/// with none near it a ball with a radius of 0.66 spacings. The surface is where max(c, g) has the isovalue; g falls
/// from 1 at each particle to the isovalue at 0.45 spacings, so that every particle is inside. The isovalue is derived:
/// the mean of c in the plane half a spacing outside of a half space filled with a cubic lattice.
///
/// Meshes are closed, oriented and manifold, also where particles coincide or lie on nodes. The grid is anchored at the
/// origin of the coordinates, so that a mesh does not flicker while particles move. A mesh has the same bits for any
/// number of threads, any instruction set and any order of the particles.
///
/// Not here: files (import.h, output.h) and pictures (render.h).
#ifndef MOTE_SURFACE_H
#define MOTE_SURFACE_H

#include "mote/base.h"
#include "mote/neighbors.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Where the normals at the vertices come from.
typedef enum mote_surface_normals {
    MOTE_SURFACE_NORMALS_NONE,
    MOTE_SURFACE_NORMALS_ANGLE,  ///< of the triangles around, weighted by angle (Thürmer & Wüthrich 1998)
    MOTE_SURFACE_NORMALS_FIELD   ///< of the gradient of c; by angle where it is 0
} mote_surface_normals;

/// The kernels of the particles.
typedef enum mote_surface_kernel {
    MOTE_SURFACE_KERNEL_ISOTROPIC,
    MOTE_SURFACE_KERNEL_ANISOTROPIC  ///< ellipsoids, flat where neighbours are (Yu & Turk 2013); not with normals of
                                     ///< the field
} mote_surface_kernel;

typedef struct mote_surface_def {
    double spacing;    ///< of the particles at rest, up to 1e100 [m]
    double cell;       ///< edge of a cube of marching cubes, spacing/64 or more [m]; NaN: spacing/2
    double support;    ///< of the kernel, 1 to 8 spacings [m]; NaN: 2 spacings
    double isovalue;   ///< above 0, below 1; NaN: derived
    int32_t kernel;    ///< a mote_surface_kernel
    double centering;  ///< part of the way by which anisotropic kernels move to the mean of their neighbours, 0 to 1
    int32_t smooth;    ///< rounds of Laplacian smoothing
    bool weighted;     ///< smoothing spares vertices with few particles around (Löschner et al. 2023)
    int32_t normals;   ///< a mote_surface_normals
    int32_t smooth_normals;  ///< rounds in which normals become means over the vertices around
    bool cleanup;            ///< merges slivers: vertices near the same node become one (Moore & Warren 1992); the
                             ///< mesh stays closed and manifold, with about half of the triangles
    int32_t min_particles;  ///< parts that hold fewer particles are left out
    int32_t block;    ///< the grid keeps its values in blocks of that many nodes along each axis: 4, 8 or 16. Changes
                      ///< memory, not the mesh
    bool full;        ///< evaluates all nodes near particles, also where that cannot change the mesh; for tests
    uint32_t cookie;  ///< set by the default function; tells that it was called
} mote_surface_def;

MOTE_API mote_surface_def mote_surface_default_def(void);
MOTE_API const mote_field_table *mote_surface_fields(void);

/// A plane that cuts the body: what lies on the side that the normal points to remains.
typedef struct mote_surface_plane {
    mote_vec3 point, normal;  ///< a point of the plane [m]; the normal may have any length but 0
} mote_surface_plane;

/// The distance [m] of a place from a solid that cuts the body, negative inside the solid. Called concurrently. It may
/// change by no more than the place moves: it is asked for at few places away from the solid.
typedef double mote_surface_distance(void *user_data, mote_vec3 at);

/// Particles and what belongs to them. All pointers are read during a call only.
typedef struct mote_surface_cloud {
    mote_points points;  ///< [m], 3D
    mote_array volumes;  ///< mass/density of each [m³], finite, 0 or more; without components: V = 1/ΣW
    mote_array phases;   ///< the fluid of each: whole numbers from 0 to 31; each has a mesh. Without components: all 0
    mote_points fill;    ///< particles of walls: they fill space as those of `points` do, but at most to eight times
                         ///< the c of these alone, so that they have no surface of their own
    const mote_array *arrays;  ///< carried over to the vertices (Shepard 1968)
    size_t array_count;
    const mote_surface_plane *planes;  ///< all of them cut
    size_t plane_count;
    mote_surface_distance *distance;  ///< of solids that cut; NULL: there are none
    void *distance_data;
    /// A neighbour search that holds `points` since its latest update, alone or as its first set: if it is a cell_grid
    /// of floats with one radius, and `points` are floats, they are read in the order of its cells. The mesh is the
    /// same to the bit, and the time next to the same. May be NULL.
    const mote_neighbors *search;
} mote_surface_cloud;

/// A cloud of these points, without anything else.
MOTE_API mote_surface_cloud mote_surface_cloud_points(mote_points points);

typedef struct mote_surface mote_surface;

/// @param error    may be NULL
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT or MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_surface_create(mote_context *context, const mote_surface_def *def, mote_surface **surface,
                                         mote_error *error);
MOTE_API void mote_surface_destroy(mote_surface *surface);

/// Makes the mesh of these particles; no particles have an empty mesh. Cost O(particles + nodes near the surface).
/// Vertices ascend by the cell of 16³ nodes, then by node and axis; triangles by their cube in the same way.
///
/// Of several phases each has its mesh: the part of the body in which its own max(c, g) is the largest. Where two of
/// them touch, both meshes have the same triangles, turned around, and the same vertices also after smoothing: together
/// they fill the body without gaps. Particles of all phases have the volumes and the surface of one body, and arrays
/// are means over particles of the same phase. Near several phases nodes take 4 bytes more for each. Behind the
/// vertices on edges of a cell of 16³ nodes are those where three regions meet.
/// @param error    may be NULL; its index is the first bad particle's
/// @return MOTE_OK; MOTE_ERROR_ARGUMENT (also for particles 2^32 cells or more from the origin, for several phases
///         with cleanup, for more cells between particles, without wide gaps, than can be numbered, for a cell_grid
///         of floats that holds other points, and for more than (2^32 − 1)/3 triangles), MOTE_ERROR_NOT_FINITE,
///         MOTE_ERROR_UNSUPPORTED (not 3D) or MOTE_ERROR_OUT_OF_MEMORY, which leave an empty mesh
MOTE_API mote_result mote_surface_update(mote_surface *surface, const mote_surface_cloud *cloud, mote_error *error);

/// What an update found and did.
typedef struct mote_surface_stats {
    double isovalue;          ///< in use
    double volume, area;      ///< of the mesh [m³], [m²]
    uint64_t particles;       ///< of the phase, without fill points
    uint64_t parts;           ///< connected parts of the mesh; an air bubble is one. 0 where min_particles is 0
    uint64_t outside;         ///< particles whose place is outside the field's isovalue, by the nearest node; as parts
    uint64_t left_out_parts;  ///< with fewer than min_particles
    uint64_t left_out_particles;
    uint64_t chunks;  ///< cells of 16³ nodes that were looked at
    uint64_t nodes;   ///< nodes whose value was summed in full
    uint64_t blocks;  ///< of values that were kept
    uint64_t bytes;   ///< of the object, without the mesh
} mote_surface_stats;

/// The mesh; valid until the next update. Triangles are counter-clockwise seen from outside.
typedef struct mote_surface_view {
    const mote_vec3 *vertices;  ///< [m]
    const uint32_t *triangles;  ///< 3·triangle_count vertex numbers
    const mote_vec3 *normals;   ///< unit vectors, 0 where smoothing left no area around; or NULL
    const mote_array *arrays;   ///< the cloud's, at the vertices; floats. Their names are the cloud's texts
    size_t vertex_count, triangle_count, array_count;
    mote_surface_stats stats;
} mote_surface_view;

/// The mesh of phase 0, which is the only one where particles have no phases.
MOTE_API mote_surface_view mote_surface_get_view(const mote_surface *surface);
/// The largest phase of the latest update's particles, and one more; 0 for NULL.
MOTE_API int32_t mote_surface_phase_count(const mote_surface *surface);
/// The mesh of a phase; all zeros if there is no such phase. Of its stats, chunks, nodes, blocks and bytes are those of
/// the object.
MOTE_API mote_surface_view mote_surface_get_phase_view(const mote_surface *surface, int32_t phase);
MOTE_API mote_surface_stats mote_surface_get_stats(const mote_surface *surface);

/// Bytes of the object with its mesh.
MOTE_API size_t mote_surface_byte_count(const mote_surface *surface);
/// Checks that the mesh is closed, oriented and without degenerate triangles, and what it was made from.
/// @param error    may be NULL; names what does not hold
/// @return MOTE_OK, MOTE_ERROR_STATE or MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_surface_validate(const mote_surface *surface, mote_error *error);

// ------------------------------------------------------------------------------------------------ in the plane

typedef struct mote_outline_stats {
    double isovalue;      ///< in use; the derived one is that of a square lattice
    double area, length;  ///< of what the outlines enclose [m²], of all of them [m]
    uint64_t bytes;       ///< of the object
} mote_outline_stats;

/// Closed outlines of particles in the plane, and what they enclose. Valid as long as the object.
typedef struct mote_outline_view {
    const mote_vec3 *vertices;  ///< [m], z is 0: those of the outlines, one a segment, then nodes inside
    const uint32_t *segments;   ///< two vertices each, the body to the left; segment k begins at vertex k
    const uint32_t *triangles;  ///< of what is inside, counter-clockwise
    size_t vertex_count, segment_count, triangle_count;
    mote_outline_stats stats;
} mote_outline_view;

typedef struct mote_outline mote_outline;

/// Makes the outlines of particles in 2D, by marching squares on the same field as in space, with areas in place of
/// volumes. Every vertex of an outline has two segments. The same bits for any number of threads and any order of the
/// particles. Cost O(particles · nodes in the support).
/// @param def      spacing, cell, support and isovalue count
/// @param cloud    points, fill points (all in 2D), volumes [m²], planes and distance (their z is 0) count; phases are
///                 refused
/// @param error    may be NULL; its index is the first bad particle's
/// @return MOTE_OK; MOTE_ERROR_ARGUMENT (also for particles 2^30 cells or more from the origin, and for more than
///         2^32 − 1 vertices), MOTE_ERROR_NOT_FINITE, MOTE_ERROR_UNSUPPORTED (not 2D, or with phases) or
///         MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_outline_create(mote_context *context, const mote_surface_def *def,
                                         const mote_surface_cloud *cloud, mote_outline **outline, mote_error *error);
MOTE_API void mote_outline_destroy(mote_outline *outline);
MOTE_API mote_outline_view mote_outline_get_view(const mote_outline *outline);
MOTE_API mote_outline_stats mote_outline_get_stats(const mote_outline *outline);
MOTE_API size_t mote_outline_byte_count(const mote_outline *outline);
/// Checks that outlines are closed, triangles have areas above 0, and both enclose the same area.
/// @return as mote_surface_validate
MOTE_API mote_result mote_outline_validate(const mote_outline *outline, mote_error *error);

// ---------------------------------------------------------------------------------------- grids and functions

/// A value at a place. Called concurrently.
typedef double mote_isosurface_function(void *user_data, mote_vec3 at);

/// Marching cubes on values at the nodes of a grid. Inside is where values are at least the isovalue.
typedef struct mote_isosurface_def {
    mote_vec3 origin;                    ///< place of node 0, 0, 0 [m]
    double cell;                         ///< distance of nodes [m]
    int32_t size[3];                     ///< nodes along x, y and z, 1 or more
    const float *values;                 ///< of the nodes, x fastest; or NULL
    mote_isosurface_function *function;  ///< in place of values
    void *user_data;
    double isovalue;
    bool open_border;  ///< the mesh ends at the border of the grid, instead of being closed there
    uint32_t cookie;   ///< set by the default function; tells that it was called
} mote_isosurface_def;

MOTE_API mote_isosurface_def mote_isosurface_default_def(void);

typedef struct mote_isosurface mote_isosurface;

/// Makes the mesh of a grid. Closed at the border: nodes beyond it count as outside, and the mesh ends 2^-10 of a cell
/// beyond the outermost nodes. Takes 4 bytes a node of a function, less than one of values. O(nodes).
/// @param error    may be NULL; its index is the first bad node's
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT, MOTE_ERROR_NOT_FINITE (a value is not a number) or MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_isosurface_create(mote_context *context, const mote_isosurface_def *def,
                                            mote_isosurface **isosurface, mote_error *error);
MOTE_API void mote_isosurface_destroy(mote_isosurface *isosurface);

/// The mesh, without normals and arrays; of the stats volume and area are known.
MOTE_API mote_surface_view mote_isosurface_get_view(const mote_isosurface *isosurface);
MOTE_API mote_surface_stats mote_isosurface_get_stats(const mote_isosurface *isosurface);
MOTE_API size_t mote_isosurface_byte_count(const mote_isosurface *isosurface);
/// Checks that the mesh is closed, unless its border is open, oriented and without degenerate triangles.
/// @return as mote_surface_validate
MOTE_API mote_result mote_isosurface_validate(const mote_isosurface *isosurface, mote_error *error);

#ifdef __cplusplus
}
#endif

#endif
