// SPDX-License-Identifier: MIT
/// mote/hits.h: the first triangle that a moving particle meets, and the closest point of a mesh. Exact.
///
/// Three headers deal with particles and triangles. Which one to take:
/// - hits.h (this one) if every hit must be right. It handles points and spheres, meshes at rest and meshes that move,
///   closest points, signed distances, and whether a point is inside. It takes 110 to 130 bytes a triangle, and 100
///   more with closest points.
/// - proxy.h if the mesh is huge and an error of the size of an octree's leaf does not matter. Particles then meet an
///   octree instead of triangles.
/// - raster.h if the mesh deforms in every step, as cloth does. It sorts the points, and finds the points and edges
///   within a thickness of each triangle or edge. It does not know motions.
///
/// A motion is a segment from where a particle is to where it wants to go. Motions come one at a time or by the
/// million. Particles are points or spheres; the mesh stands still, or its vertices move during the step.
/// mote_hits_advance moves particles that bounce, stick, slide, stop or vanish at the surface and never get through it.
///
/// Points against a mesh at rest are exact: exact arithmetic on the given coordinates decides whether a segment and a
/// triangle have a point in common, ends and edges included. Therefore a closed mesh has no leaks, not even at edges
/// and vertices. A segment in the plane of a triangle does not meet that triangle but its neighbours, and triangles
/// without area are never met. Spheres and moving meshes are found within a tolerance, see mote_hits_sphere.
///
/// The closest point of the surface is found at any distance, with a sign that stays right if the mesh has holes.
///
/// Calls on a const object may run concurrently. Triangles against triangles are not in this header.
#ifndef MOTE_HITS_H
#define MOTE_HITS_H

#include "mote/mesh.h"
#include "mote/response.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A mesh, prepared for hits. Triangles are kept in clusters of eight neighbours. The clusters are in the leaves of an
/// octree below a grid; the octree is stored two levels at a time, so that a node has 4 x 4 x 4 parts. The grid also
/// stores distances from the surface, so that motions far from it cost a single lookup. A tree of boxes over the
/// clusters serves long motions, spheres and meshes that move.
typedef struct mote_hits mote_hits;

typedef struct mote_hits_def {
    int32_t most_cells;     ///< of the grid on top, at least 64; fewer are made for few triangles
    int32_t leaf_clusters;  ///< a leaf with more clusters is split if that helps; at least 1
    uint32_t cookie;  ///< set by the default function; tells that it was called
} mote_hits_def;
MOTE_API mote_hits_def mote_hits_default_def(void);
MOTE_API const mote_field_table *mote_hits_fields(void);

/// Copies the mesh and builds the structure. Cost O(n log n), in parallel except for sorting and the tree; 110 to
/// 130 bytes a triangle.
/// @param def      NULL: the default
/// @param error    may be NULL
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT (a def's value; a mesh whose extent is 2^999 or more, or below 2^-1000 but not
///         0), MOTE_ERROR_NOT_FINITE (a vertex) or MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_hits_create(mote_context *context, const mote_hits_def *def, const mote_mesh *mesh,
                                      mote_hits **hits, mote_error *error);

/// The same for several meshes in one object. A hit names the mesh, and the triangle by its number in that mesh. Where
/// the lowest triangle counts, those of earlier meshes are lower. Updates take the vertices of all meshes, one mesh
/// after the other.
MOTE_API mote_result mote_hits_create_many(mote_context *context, const mote_hits_def *def,
                                           const mote_mesh *const *meshes, size_t mesh_count, mote_hits **hits,
                                           mote_error *error);
MOTE_API void mote_hits_destroy(mote_hits *hits);

/// Takes over new positions of the vertices; the triangles stay the same. Costs as much as building without sorting.
/// @param vertices     as many as the mesh has [m]
/// @return as mote_hits_create; unless MOTE_OK, the object is as it was
MOTE_API mote_result mote_hits_update(mote_hits *hits, const mote_vec3 *vertices, mote_error *error);

/// The same for vertices that move during the step, each along a straight line from `start` at time 0 to `end` at time
/// 1.
MOTE_API mote_result mote_hits_update_moving(mote_hits *hits, const mote_vec3 *start, const mote_vec3 *end,
                                             mote_error *error);

// -------------------------------------------------------------------------------------------------------- hits

/// Where a motion meets the surface.
typedef struct mote_hit {
    double time;            ///< 0 at the start of the motion, 1 at its end; exact hits: right within 2^-40
    mote_vec3 point;        ///< on the surface, at that time; exact hits: within 2^-39 of the triangle's size and
                            ///< 2^-50 of its coordinates [m]
    mote_vec3 normal;       ///< unit, towards the side that the particle came from
    mote_vec3 velocity;     ///< of the surface there [m per step]; 0 where the mesh is at rest
    double barycentric[3];  ///< weights of the triangle's corners
    uint32_t triangle;      ///< its number in its mesh; the lowest if several are met at the same time
    uint32_t mesh;          ///< the number of the mesh, if the object has several
    uint32_t particle;      ///< the number of the particle in a batch
    int32_t side;           ///< where the particle came from: 1 in front of the triangle, -1 behind it
    mote_feature feature;   ///< what part of the triangle is met: exactly an edge or vertex, or its inside
} mote_hit;

/// Finds the first triangle that a point meets between `from` and `to`; false if it meets none. If the point lies on
/// the surface at the start, `side` says on which side of it: 1 in front, -1 behind. The point then meets the surface
/// at time 0 if it moves to the other side, and not at all if it moves away. At a vertex, and at an edge of more than
/// two triangles, only their planes are looked at: behind one of them counts as the other side. So a point never gets
/// through there, but meets a sharp corner that it could go around. With side 0 it always meets what it lies on, at
/// time 0. A motion whose ends are not finite, or farther away than 2^200 times the size of the mesh, meets nothing.
MOTE_API bool mote_hits_segment(const mote_hits *hits, mote_vec3 from, mote_vec3 to, int side, mote_hit *hit);

/// Finds the first triangle that a moving sphere touches, by conservative advancement (Mirtich 1996); false if it
/// touches none. `from` and `to` are places of its centre, and `point` is where it touches. The time is never late. It
/// may be early, by as long as sphere and triangle need to come closer by 2^-20 of the radius (or by 2^-44 of the
/// extent of the mesh, or 2^-48 of its coordinates, if that is more). If they move side by side within that distance,
/// it may be early by the whole motion. A sphere that touches a triangle at the start meets it only if it comes nearer.
/// If several triangles are touched within 2^-40 of the motion, the lowest is named, with the time of the first.
/// Against a moving mesh, points count as spheres of 2^-40 of its extent (2^-45 of its coordinates); smaller spheres
/// count as points. Triangles whose height is below 2^-36 of their longest edge are met by points alone, as rounding
/// decides their normal; of a closed surface, spheres meet those beside. The cost depends on the triangles that are
/// touched first, not on the radius or the distance.
/// @param radius   0 or more [m]
MOTE_API bool mote_hits_sphere(const mote_hits *hits, mote_vec3 from, mote_vec3 to, double radius, mote_hit *hit);

/// Motions of many particles.
typedef struct mote_motions {
    mote_points from, to;  ///< three dimensions, as many of each
    const double *radii;   ///< one a particle [m]; NULL: points
    const int8_t *sides;   ///< one a particle, as for mote_hits_segment; NULL: 0
} mote_motions;

/// First hits, sorted by particle. Particles that meet nothing are not in the list.
typedef struct mote_hit_list {
    const mote_hit *hits;
    size_t count;
} mote_hit_list;

/// Finds the first hits of all motions in parallel, with the same bits as the calls above and for any number of
/// threads. Only one batch may run on an object at a time. Once warm, it allocates nothing. Large batches are sorted
/// inside the call if that saves time.
/// @param list     owned by the object, valid until its next batch
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT or MOTE_ERROR_OUT_OF_MEMORY, which leaves the list empty
MOTE_API mote_result mote_hits_query(mote_hits *hits, const mote_motions *motions, mote_hit_list *list,
                                     mote_error *error);

// ---------------------------------------------------------------------------------------------------- advancing

/// Particles, in arrays that the caller owns.
typedef struct mote_particles {
    double *positions;    ///< x, y, z of each [m]
    double *velocities;   ///< x, y, z of each [m/s]
    const double *radii;  ///< [m]; NULL: points
    uint8_t *dead;        ///< particles with a number other than 0 do not move; NULL: all move, and
                          ///< MOTE_RESPONSE_KILL is refused
    size_t count;
} mote_particles;

/// Moves all particles by velocity · time_step and lets them respond to every hit. Unless the response stops it, a
/// particle goes on with the rest of its step after a hit; a moving surface carries it along.
///
/// A particle never gets through the surface: it is only put at places to which its way is proven to be free. Spheres
/// stay their radius away from the surface, however long they rest on it under a load. Points, and spheres that
/// count as points, stop on their way 2^-36 of the extent of the mesh before a surface at rest (2^-50 of coordinates,
/// if that is more); if they go on, the rest of their step takes them 2^-32 (2^-49) away. Near a moving surface, points
/// behave as spheres of 2^-40 of the extent of the mesh (or 2^-45 of its coordinates, if that is more). A particle that
/// is squeezed between surfaces goes on as a smaller sphere, and is pushed away as soon as there is room. If not even
/// 2^-41 of the extent (2^-46 of the coordinates) is left, because the mesh is flattened or turned inside out there,
/// the particle is crushed: it moves with the surface that it met last, and may end on either side.
/// mote_hits_get_contacts names squeezed and crushed particles.
///
/// Particles must not start on the surface, where they might stay, nor so near a moving surface that rounding hides the
/// side (2^-45 of the extent or 2^-50 of the coordinates), where they might leave to either side. Particles whose
/// motion is not finite, or leads farther away than 2^200 times the size of the mesh, stay where they are with their
/// velocity. The cost is that of a batch, and of one for each hit.
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

/// A particle and the triangle that it met.
typedef struct mote_contact {
    double time;        ///< of the step: 0 at its start, 1 at its end
    mote_vec3 point;    ///< on the surface, at that time [m]
    mote_vec3 normal;   ///< unit, towards the particle
    uint32_t particle, triangle, mesh;
    mote_contact_kind kind;
} mote_contact;

/// The contacts of a step, sorted by particle, and for each particle in the order in which they happened.
typedef struct mote_contact_list {
    const mote_contact *contacts;
    size_t count;
    uint64_t squeezed, crushed;  ///< particles
} mote_contact_list;
/// Contacts of the last mote_hits_advance: squeezed and crushed particles, and all hits if the response has
/// `lists_hits`.
/// @return owned by the object, valid until its next advance; empty if that failed
MOTE_API mote_contact_list mote_hits_get_contacts(const mote_hits *hits);

// ------------------------------------------------------------------------------------------- the closest point

/// What makes a distance negative.
typedef enum mote_sign_rule {
    MOTE_SIGN_NORMAL,  ///< behind the closest face, edge or vertex, by its pseudonormal (Bærentzen & Aanæs 2005): for
                       ///< closed meshes that do not cut through themselves
    MOTE_SIGN_WINDING  ///< a generalised winding number above 1/2 (Jacobson et al. 2013): for meshes with holes, too
} mote_sign_rule;

/// Builds what the calls below need: a tree over the clusters, normals and moments, and for closed meshes which cells
/// of the grid are inside; about 100 bytes a triangle. Later updates keep it up to date. Does nothing the second time.
/// Cost O(n log n).
/// @return MOTE_OK, or MOTE_ERROR_OUT_OF_MEMORY, which leaves the object as it was
MOTE_API mote_result mote_hits_prepare_closest(mote_hits *hits, mote_error *error);

/// The closest point of the surface.
typedef struct mote_closest {
    double distance;        ///< signed: negative inside (behind, if the mesh is not closed) [m]
    mote_vec3 point;        ///< on the surface
    mote_vec3 normal;       ///< unit: the direction in which `distance` grows. Where faces lie back to back, so that
                            ///< they have no common front, `distance` is positive
    uint32_t triangle;      ///< its number in its mesh; the lowest if several are equally close
    uint32_t mesh;          ///< the number of the mesh, if the object has several
    double barycentric[3];  ///< weights of its corners
    mote_feature feature;
} mote_closest;

/// Finds the closest point of the surface that is no farther than `reach`. A moving mesh counts as it is at the start
/// of the step. Exact except for rounding. Points that are far from everything within reach cost almost nothing.
/// @param reach    0 or more [m]; HUGE_VAL: any distance
/// @param closest  if no triangle with an area is within reach, or the point is not finite or farther away than 2^200
///                 times the size of the mesh, `triangle` is UINT32_MAX and `distance` HUGE_VAL
/// @param error    may be NULL
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT, or MOTE_ERROR_STATE (mote_hits_prepare_closest was not called)
MOTE_API mote_result mote_hits_closest(const mote_hits *hits, mote_vec3 point, double reach, mote_sign_rule rule,
                                       mote_closest *closest, mote_error *error);

/// The same for many points in parallel, with the same bits as one by one and for any number of threads. Prepares the
/// object if that was not done. Only one batch may run on an object at a time.
/// @param points   three dimensions
/// @param closest  receives one a point
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT or MOTE_ERROR_OUT_OF_MEMORY, which leave `closest` as it was
MOTE_API mote_result mote_hits_closest_all(mote_hits *hits, const mote_points *points, double reach,
                                           mote_sign_rule rule, mote_closest *closest, mote_error *error);

/// Finds whether a point is inside a closed mesh. Nothing is inside a mesh with holes; see MOTE_SIGN_WINDING for those.
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT, or MOTE_ERROR_STATE (mote_hits_prepare_closest was not called)
MOTE_API mote_result mote_hits_is_inside(const mote_hits *hits, mote_vec3 point, bool *inside, mote_error *error);

/// Moves a particle from `from` towards `position`, but keeps it at least the margin away from a closed surface at
/// rest. There the velocity changes as `response` says, and the rest of the motion slides along the surface. A particle
/// that starts outside never gets inside, and one that starts nearer than the margin is pushed away if there is room.
/// In corners that are too narrow for the margin it stops, with velocity 0, at the last good position. Positions that
/// are not finite are left as they are.
/// @param margin   distance to keep from the surface [m], above 0
/// @param position, velocity   in: where the motion would lead without the surface; out: where it leads
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT, or MOTE_ERROR_STATE (mote_hits_prepare_closest was not called)
MOTE_API mote_result mote_hits_slide(const mote_hits *hits, double margin, const mote_response *response,
                                     mote_vec3 from, mote_vec3 *position, mote_vec3 *velocity, mote_error *error);

/// Computes the winding number of the mesh about a point, with moments of the second order for triangles that are far
/// away (Barill et al. 2018). Signs of distances use it only where its error cannot change them.
/// @param accuracy     moments replace triangles that are this many times their size away; the paper uses 2
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
    uint64_t motions, near, clusters_tested, triangles_tested, hits;  ///< of all batches so far; near: motions that
                                                                      ///< the grid's distances did not rule out
    uint64_t nodes_tested;           ///< of the tree, by all batches so far; a root that motions share is one for each;
                                     ///< each test of a node to make it counts, once for all of them
} mote_hits_stats;
MOTE_API mote_hits_stats mote_hits_get_stats(const mote_hits *hits);
/// Bytes of the structure, without the results of batches.
MOTE_API size_t mote_hits_byte_count(const mote_hits *hits);
/// Checks every invariant of the structure. Debug builds do this themselves after every build.
/// @param error    may be NULL; says what is wrong
/// @return MOTE_OK or MOTE_ERROR_STATE
MOTE_API mote_result mote_hits_validate(const mote_hits *hits, mote_error *error);

#ifdef __cplusplus
}
#endif

#endif
