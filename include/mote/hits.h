// SPDX-License-Identifier: MIT
/// mote/hits.h: the first triangle that a moving particle meets, and the closest point of a mesh. Exact.
///
/// Three headers let particles meet triangles; which to take:
/// - hits.h (this one) where every hit has to be right: points and spheres, meshes at rest and moving, closest points,
///   signed distances, inside or outside. About 90 bytes a triangle, 190 with closest points.
/// - proxy.h where the mesh is huge and an error of the size of an octree's leaf is fine: it never looks at triangles.
/// - raster.h where the mesh deforms anew in every step, as cloth does: the points are sorted, and triangles and edges
///   find those within a thickness. It knows no motions.
///
/// Motions are segments from where a particle is to where it would be, alone or a million at a time; particles are
/// points or spheres; the mesh stands still or its vertices move, too. On top of it, particles that bounce, stick,
/// slide, stop or vanish, and that never get through.
///
/// Points against a mesh at rest are exact: a segment from P to Q meets a triangle where the two, both closed, have a
/// point in common, by exact arithmetic on the coordinates as they were given. So a closed mesh has no leak, at its
/// edges and vertices neither. A segment in a triangle's own plane does not meet that triangle, but those beside it;
/// triangles without area are never met. Spheres and moving meshes are met by tolerance: see mote_hits_sphere.
///
/// The closest point of the surface, too, at any distance, with a sign that holes in the mesh do not spoil.
///
/// Calls on a const object may run concurrently. What is not here: an approximate and smaller structure (proxy.h);
/// triangles against triangles.
#ifndef MOTE_HITS_H
#define MOTE_HITS_H

#include "mote/mesh.h"
#include "mote/response.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Triangles in clusters of eight neighbours, in the leaves of an octree: two of its levels at a time, as cells of
/// 4 x 4 x 4 parts under a grid. Beside it, distances from the surface: what is far from it costs one look at them. And
/// a tree of boxes over the clusters, for long motions, spheres and meshes that move.
typedef struct mote_hits mote_hits;

typedef struct mote_hits_def {
    int32_t most_cells;     ///< of the grid on top, at least 64; fewer are made for few triangles
    int32_t leaf_clusters;  ///< a leaf with more is split, where that helps; at least 1
    uint32_t cookie;  ///< set by the default function; tells that it was called
} mote_hits_def;
MOTE_API mote_hits_def mote_hits_default_def(void);
MOTE_API const mote_field_table *mote_hits_fields(void);

/// Takes a copy of the mesh. Cost O(n log n), parallel but for the sorting and the tree; memory about 90 bytes a
/// triangle.
/// @param def      may be NULL: the default
/// @param error    may be NULL
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT (a def's value; a mesh whose size overflows), MOTE_ERROR_NOT_FINITE (a vertex)
///         or MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_hits_create(mote_context *context, const mote_hits_def *def, const mote_mesh *mesh,
                                      mote_hits **hits, mote_error *error);

/// The same for several meshes in one object: hits name the mesh, and the triangle by its number in it. Where triangles
/// are compared by their numbers, those of earlier meshes are lower. Updates take the vertices of all meshes, one after
/// the other.
MOTE_API mote_result mote_hits_create_many(mote_context *context, const mote_hits_def *def,
                                           const mote_mesh *const *meshes, size_t mesh_count, mote_hits **hits,
                                           mote_error *error);
MOTE_API void mote_hits_destroy(mote_hits *hits);

/// Takes over vertices that have moved; triangles stay. Costs a build without its sorting.
/// @param vertices     as many as the mesh has [m]
/// @return as mote_hits_create; unless MOTE_OK, the object is as it was
MOTE_API mote_result mote_hits_update(mote_hits *hits, const mote_vec3 *vertices, mote_error *error);

/// The same for vertices that move during the step: each along a straight line, from `start` at time 0 to `end` at 1.
MOTE_API mote_result mote_hits_update_moving(mote_hits *hits, const mote_vec3 *start, const mote_vec3 *end,
                                             mote_error *error);

// -------------------------------------------------------------------------------------------------------- hits

/// Where a motion meets the surface.
typedef struct mote_hit {
    double time;            ///< 0 at the motion's start, 1 at its end; of exact hits within 2^-40
    mote_vec3 point;        ///< on the surface, at that time; of exact hits within 2^-40 of the triangle's size [m]
    mote_vec3 normal;       ///< unit, towards the side that the particle came from
    mote_vec3 velocity;     ///< of the surface there [m per step]; 0 where the mesh is at rest
    double barycentric[3];  ///< weights of the triangle's corners
    uint32_t triangle;      ///< the lowest, where several are met at the same time
    uint32_t mesh;          ///< of several in one object: its number; the triangle is numbered within it
    uint32_t particle;      ///< of a batch: its number
    int32_t side;           ///< where the particle came from: 1 in front of the triangle, -1 behind it
    mote_feature feature;   ///< what part of the triangle is met: exactly an edge or vertex, or its inside
} mote_hit;

/// The first triangle that a point meets between `from` and `to`.
/// A point that lies on a triangle at the start is at the side of it that `side` says: 1 in front, -1 behind. It meets
/// that triangle, at time 0, when it moves to the other side; on an edge, when it moves through the surface of both
/// triangles together; on a vertex, when it moves through any. With side 0 it meets what it lies on, at time 0.
/// Ends that are not finite, or 2^200 times farther away than the mesh is large, meet nothing.
MOTE_API bool mote_hits_segment(const mote_hits *hits, mote_vec3 from, mote_vec3 to, int side, mote_hit *hit);

/// The first triangle that a sphere meets whose centre moves so; `point` is where it touches. Found by conservative
/// advancement (Mirtich 1996): the time is never late. It is early by what sphere and triangle take to come closer by
/// 2^-20 of the radius, or by 2^-44 of the mesh's extent or 2^-48 of its coordinates if that is more; where both go
/// beside each other so near, that may be all of the motion. A point meets a moving mesh as a sphere of 2^-40 of the
/// extent (2^-45 of the coordinates), and smaller spheres count as points. A sphere that touches at the start meets the
/// triangle only if it comes nearer. Of several that it touches within 2^-40 of the motion the lowest is named, at the
/// time of the first. Cost of the triangles that it touches first, within these tolerances, however large it is and
/// from wherever it comes.
/// @param radius   0 or more [m]
MOTE_API bool mote_hits_sphere(const mote_hits *hits, mote_vec3 from, mote_vec3 to, double radius, mote_hit *hit);

/// Motions of many particles.
typedef struct mote_motions {
    mote_points from, to;  ///< three dimensions, as many of each
    const double *radii;   ///< one a particle [m]; NULL: points
    const int8_t *sides;   ///< one a particle, as for mote_hits_segment; NULL: 0
} mote_motions;

/// First hits, ascending by particle; those without are left out.
typedef struct mote_hit_list {
    const mote_hit *hits;
    size_t count;
} mote_hit_list;

/// Finds the first hits of all motions, in parallel; the same bits for any number of threads and as one by one.
/// One batch at a time on an object. No allocation once warm. Large batches are sorted inside the call, by what is near
/// each other, where that saves time.
/// @param list     owned by the object, until its next batch
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT or MOTE_ERROR_OUT_OF_MEMORY, which leaves the list empty
MOTE_API mote_result mote_hits_query(mote_hits *hits, const mote_motions *motions, mote_hit_list *list,
                                     mote_error *error);

// ---------------------------------------------------------------------------------------------------- advancing

/// Particles: arrays of the caller's.
typedef struct mote_particles {
    double *positions;    ///< x, y, z of each [m]
    double *velocities;   ///< x, y, z of each [m/s]
    const double *radii;  ///< [m]; NULL: points
    uint8_t *dead;        ///< not 0: is not moved; NULL: all move, and MOTE_RESPONSE_KILL is refused
    size_t count;
} mote_particles;

/// Moves all particles by velocity · time_step, and answers every hit. What no hit stops goes on with the rest of the
/// step; where vertices move, the surface carries it along.
///
/// No centre ever changes sides: a particle is only ever put where its way from its last place is proven to meet
/// nothing. A sphere stays its radius away from the surface, however long it rests there under a load. So do points
/// from a surface that moves: to it they are spheres of 2^-40 of the mesh's extent, or of 2^-45 of its coordinates if
/// that is more. What is squeezed between surfaces goes on as a smaller sphere, and is pushed away from them as soon as
/// there is room. When not even 2^-41 of the extent (2^-46 of the coordinates) is left to it, since the mesh is
/// flattened or turned inside out there, it is crushed: it goes with the surface that it met last, and may be on any
/// side. mote_hits_get_contacts names both.
///
/// Particles must not start on the surface: they may stay there. Nor may they start so near to one that moves that
/// rounding hides the side, within 2^-45 of the mesh's extent or 2^-50 of its coordinates: they may leave to any side.
/// Those whose motion is not finite, or leads 2^200 times farther away than the mesh is large, stay where they are,
/// with their velocity. Cost of a batch, and of each hit.
/// @param time_step    [s], above 0; also that of a mesh that moves
/// @param hits         receives the number of all hits; may be NULL
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT or MOTE_ERROR_OUT_OF_MEMORY, which leaves the particles as they were
MOTE_API mote_result mote_hits_advance(mote_hits *hits, const mote_response *response, const mote_particles *particles,
                                       double time_step, uint64_t *hit_count, mote_error *error);

/// What has happened to a particle.
typedef enum mote_contact_kind {
    MOTE_CONTACT_HIT,
    MOTE_CONTACT_SQUEEZED,  ///< a sphere had no room between surfaces that move, and overlaps them
    MOTE_CONTACT_CRUSHED    ///< no place was left on its side: it may be on any side now
} mote_contact_kind;

/// Who met what.
typedef struct mote_contact {
    double time;        ///< of the step: 0 at its start, 1 at its end
    mote_vec3 point;    ///< on the surface, at that time [m]
    mote_vec3 normal;   ///< unit, towards the particle
    uint32_t particle, triangle, mesh;
    mote_contact_kind kind;
} mote_contact;

/// Those of a step: ascending by particle, those of a particle in the order in which they happened, for any number of
/// threads.
typedef struct mote_contact_list {
    const mote_contact *contacts;
    size_t count;
    uint64_t squeezed, crushed;  ///< particles
} mote_contact_list;
/// Contacts of the last mote_hits_advance: those squeezed and crushed, and with `lists_hits` all hits.
/// @return owned by the object, until its next advance; nothing if that failed
MOTE_API mote_contact_list mote_hits_get_contacts(const mote_hits *hits);

// ------------------------------------------------------------------------------------------- the closest point

/// What makes a distance negative.
typedef enum mote_sign_rule {
    MOTE_SIGN_NORMAL,  ///< behind the closest face, edge or vertex, by its pseudonormal (Bærentzen & Aanæs 2005): for
                       ///< closed meshes that do not cut through themselves
    MOTE_SIGN_WINDING  ///< a generalised winding number above 1/2 (Jacobson et al. 2013): for meshes with holes, too
} mote_sign_rule;

/// Makes what the calls below need: a tree over the clusters, normals, moments, and of closed meshes which cells of the
/// grid are inside; about 100 bytes a triangle. Kept up by update and move from then on. Does nothing the second time.
/// O(n log n)
/// @return MOTE_OK, or MOTE_ERROR_OUT_OF_MEMORY, which leaves the object as it was
MOTE_API mote_result mote_hits_prepare_closest(mote_hits *hits, mote_error *error);

/// The closest point of the surface.
typedef struct mote_closest {
    double distance;        ///< signed: negative inside (behind, if the mesh is not closed) [m]
    mote_vec3 point;        ///< on the surface
    mote_vec3 normal;       ///< unit: the way in which `distance` grows; where faces lie back to back, and so have no
                            ///< front together, `distance` is positive, and on them it is the triangle's own
    uint32_t triangle;      ///< the lowest one, where several are equally close
    uint32_t mesh;          ///< of several in one mote_hits: its number; the triangle is numbered within it
    double barycentric[3];  ///< weights of its corners
    mote_feature feature;
} mote_closest;

/// Finds the closest point of the surface that is no farther than `reach`; of a mesh that moves, where it is at the
/// step's start. Exact: the least distance but for rounding, and the lowest triangle. What is within reach of nothing
/// costs a look or two.
/// @param reach    0 or more [m]; HUGE_VAL: any distance
/// @param closest  where none is found, `triangle` is UINT32_MAX and `distance` HUGE_VAL: if no triangle with an area
///                 is within reach, the point is not finite, or 2^200 times farther away than the mesh is large
/// @param error    may be NULL
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT, or MOTE_ERROR_STATE (mote_hits_prepare_closest was not called)
MOTE_API mote_result mote_hits_closest(const mote_hits *hits, mote_vec3 point, double reach, mote_sign_rule rule,
                                       mote_closest *closest, mote_error *error);

/// The same for many points, in parallel, sorted inside the call; the same bits for any number of threads and as one by
/// one. Prepares the object where that was not done. One batch at a time on an object.
/// @param points   three dimensions
/// @param closest  receives one a point
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT or MOTE_ERROR_OUT_OF_MEMORY, which leave `closest` as it was
MOTE_API mote_result mote_hits_closest_all(mote_hits *hits, const mote_points *points, double reach,
                                           mote_sign_rule rule, mote_closest *closest, mote_error *error);

/// Whether a point is inside of a closed mesh, at any depth; of meshes with holes nothing is, see MOTE_SIGN_WINDING.
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT, or MOTE_ERROR_STATE (mote_hits_prepare_closest was not called)
MOTE_API mote_result mote_hits_is_inside(const mote_hits *hits, mote_vec3 point, bool *inside, mote_error *error);

/// Moves a particle from `from` to `position`, but no nearer to a closed surface at rest than the margin: there it
/// answers as `response` says, and the rest of its motion slides along. Who starts outside never gets inside. Who
/// starts nearer than the margin is pushed away, where there is room. In corners too narrow for the margin the particle
/// stops, with velocity 0, at the last good position. Positions that are not finite are left as they are.
/// @param margin   distance that it keeps from the surface [m], above 0
/// @param position, velocity   in: where the motion would lead, unhindered; out: where it does
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT, or MOTE_ERROR_STATE (mote_hits_prepare_closest was not called)
MOTE_API mote_result mote_hits_slide(const mote_hits *hits, double margin, const mote_response *response,
                                     mote_vec3 from, mote_vec3 *position, mote_vec3 *velocity, mote_error *error);

/// Winding number of the mesh about a point: far triangles by their moments, to the second order (Barill et al. 2018).
/// The signs above use it only where its error cannot change them.
/// @param accuracy     moments serve for what is so many times farther away than it is large: 2 as the paper has it
/// @param winding      receives the number; 0 for points that are not finite and for meshes without triangles
/// @param bound        receives a bound of the difference to mote_mesh_winding_number, but for rounding; may be NULL
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT, or MOTE_ERROR_STATE (mote_hits_prepare_closest was not called)
MOTE_API mote_result mote_hits_winding_number(const mote_hits *hits, mote_vec3 point, double accuracy, double *winding,
                                              double *bound, mote_error *error);

// ------------------------------------------------------------------------------------------------------- sizes

typedef struct mote_hits_stats {
    uint64_t cells, occupied_cells;  ///< of the grid on top
    uint64_t nodes, references;      ///< parts of 4 x 4 x 4; entries of clusters in leaves
    uint64_t longest_list;           ///< clusters in a leaf
    double cell_edge;                ///< of the grid [m]
    uint64_t tree_nodes;             ///< of the tree over the clusters
    uint64_t motions, near, clusters_tested, triangles_tested, hits;  ///< of all batches so far: motions; those that
                                                                      ///< were not sorted out by their distance
    uint64_t nodes_tested;           ///< of the tree, by all batches so far
} mote_hits_stats;
MOTE_API mote_hits_stats mote_hits_get_stats(const mote_hits *hits);
/// Bytes of the structure, without what batches need for their results.
MOTE_API size_t mote_hits_byte_count(const mote_hits *hits);
/// Checks every invariant of what was built; debug builds do so themselves.
/// @param error    may be NULL; names what does not hold
/// @return MOTE_OK or MOTE_ERROR_STATE
MOTE_API mote_result mote_hits_validate(const mote_hits *hits, mote_error *error);

#ifdef __cplusplus
}
#endif

#endif
