/// mote/hits.h: where points meet a triangle mesh.
///
/// The closest point on the surface, exact, with its sign (negative inside), for points that are within a reach that is
/// fixed when the object is made: all others learn with one look-up that nothing is near. On top of it: whether a point
/// is inside, and how a moving particle slides along a solid that it can never enter.
///
/// Queries change nothing and may run concurrently. What is not here: triangles against triangles; first hits along
/// long rays; meshes that move (make a new object, or move the points into the mesh's frame).
#ifndef MOTE_HITS_H
#define MOTE_HITS_H

#include "mote/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Triangles of a mesh in clusters of eight neighbours, and these listed in the cells of a uniform grid that they are
/// within reach of. A cell lists only clusters that can hold the closest triangle to a point in it.
typedef struct mote_hits mote_hits;

/// Takes a copy of the mesh. Triangles without area are left out: their edges belong to their neighbours.
/// Cost O(r log r), memory O(occupied cells + r), where r counts pairs of a cluster and a cell within reach: about
/// 30 for each cluster that is smaller than the reach.
/// A reach for which r is above 4 million and 256 for each cluster is refused, by an error that names one that is not:
/// a thousandth of a mesh's size is too little for a few thousand triangles; first_hits.h has closest points at any
/// distance. Coordinates may be as large or small as numbers go.
/// @param reach    how far from the surface it is looked for [m], above 0; also the edge of a cell
/// @param error    may be NULL
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT (reach; a triangle names a vertex that there is not), MOTE_ERROR_NOT_FINITE (a
///         vertex) or MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_hits_create(mote_context *context, const mote_mesh *mesh, double reach, mote_hits **hits,
                                      mote_error *error);
MOTE_API void mote_hits_destroy(mote_hits *hits);

/// The closest point of the surface.
typedef struct mote_closest {
    double distance;        ///< signed: negative inside (behind, if the mesh is not closed) [m]
    mote_vec3 point;        ///< on the surface
    mote_vec3 normal;       ///< unit: the way in which `distance` grows; where faces lie back to back, and so have no
                            ///< front together, `distance` is positive, and on them it is the triangle's own
    uint32_t triangle;      ///< the lowest one, where several are equally close
    uint32_t mesh;          ///< of several in one mote_first_hits: its number; the triangle is numbered within it
    double barycentric[3];  ///< weights of its corners
    mote_feature feature;
} mote_closest;

/// Finds the closest point of the surface to `point`. The sign is that of the pseudonormal of the face, edge or vertex
/// (Bærentzen & Aanæs 2005), exact for closed meshes that do not cut through themselves.
/// @param reach    [m]; more than the object's reach counts as that
/// @return false if the surface is farther than `reach`, or the point is not finite
MOTE_API bool mote_hits_closest(const mote_hits *hits, mote_vec3 point, double reach, mote_closest *closest);

/// True if the point is inside: exact at any depth, for closed meshes. Walks from the point to the surface in steps of
/// the reach; where these would be millions, it looks at all triangles instead.
MOTE_API bool mote_hits_is_inside(const mote_hits *hits, mote_vec3 point);

/// How a particle meets the surface.
typedef struct mote_slide {
    double margin;       ///< distance that it keeps [m], above 0 and at most the object's reach
    double restitution;  ///< share of the normal velocity that comes back, 0 … 1
    double friction;     ///< Coulomb's coefficient
} mote_slide;

/// Moves a particle from `from` to `position`, but no nearer to the surface than the margin: there it loses its inward
/// velocity but for the restitution, and tangential velocity by friction; the rest of the motion slides along.
/// Who starts outside never gets inside. Who starts nearer than the margin is pushed away, where there is room. In
/// corners too narrow for the margin the particle stops, with velocity 0, at the last good position.
/// Not finite positions are left as they are.
/// @param position, velocity   in: where the motion would lead, unhindered; out: where it does
MOTE_API void mote_hits_slide(const mote_hits *hits, const mote_slide *slide, mote_vec3 from, mote_vec3 *position,
                              mote_vec3 *velocity);

/// Sizes of what was built.
typedef struct mote_hits_stats {
    bool closed;             ///< the mesh has an inside
    uint64_t cells;          ///< that list a cluster
    uint64_t references;     ///< entries of all lists
    uint64_t longest_list;
    double cell_edge;        ///< [m]: the reach, or more where the mesh is a million times larger
} mote_hits_stats;
MOTE_API mote_hits_stats mote_hits_get_stats(const mote_hits *hits);
MOTE_API size_t mote_hits_byte_count(const mote_hits *hits);
/// Checks every invariant of what was built; debug builds do so themselves after mote_hits_create.
/// @param error    may be NULL; names what does not hold
/// @return MOTE_OK or MOTE_ERROR_STATE
MOTE_API mote_result mote_hits_validate(const mote_hits *hits, mote_error *error);

#ifdef __cplusplus
}
#endif

#endif
