// SPDX-License-Identifier: MIT
/// mote/grains.h: particles that fall and hit meshes, but not each other: sand, hail, sparks.
///
/// Grains start at random places in a box, all at once or poured over some time. They fall and collide with any number
/// of meshes, either exactly (hits.h) or with an octree proxy (proxy.h), which is smaller and faster but off by up to
/// the size of a leaf. No grain ever gets through a surface. Meshes may be open. Grains that would start inside a
/// closed mesh are removed, unless def.start_inside is set.
///
/// Grains do not form piles, because they do not feel each other. The meshes do not move.
#ifndef MOTE_GRAINS_H
#define MOTE_GRAINS_H

#include "mote/mesh.h"
#include "mote/proxy.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How grains meet meshes.
typedef enum mote_grains_collision {
    MOTE_GRAINS_EXACT,  ///< the first triangle along the motion
    MOTE_GRAINS_PROXY   ///< the octree proxy of Fan et al. 2013
} mote_grains_collision;

typedef struct mote_grains_def {
    int32_t count;       ///< in all
    mote_vec3 min, max;  ///< box that they start in [m]
    mote_vec3 velocity;  ///< that they start with [m/s]
    double duration;     ///< time over which they appear at a constant rate; 0: all at the start [s]
    bool start_inside;   ///< grains may start inside closed meshes, as in a container that is a single surface
    double size;         ///< diameter in pictures; they collide as points [m]
    double time_step;    ///< the longest time step [s]
    double restitution;  ///< fraction of the normal velocity kept after hitting a mesh, 0 … 1
    double friction;     ///< Coulomb's coefficient
    int32_t collision;   ///< a mote_grains_collision
    int32_t proxy_depth; ///< with a proxy: its root is 2^depth smallest leaves wide
    mote_vec3 gravity;   ///< [m/s²]; not in the field table, since a scene has one gravity
    uint64_t seed;       ///< of the places where they start; not in the field table either
    const mote_proxy *proxy;  ///< with a proxy: an existing one of the same meshes, with its triangles, to be used
                              ///< instead of a new one; not owned, must outlive the grains; NULL: a new one is made
    uint32_t cookie;  ///< set by the default function; tells that it was called
} mote_grains_def;

MOTE_API mote_grains_def mote_grains_default_def(void);
MOTE_API const mote_field_table *mote_grains_fields(void);

/// The def of the proxy that mote_grains_create makes.
MOTE_API mote_proxy_def mote_grains_proxy_def(const mote_grains_def *def);

typedef struct mote_grains mote_grains;

/// @param meshes   mesh_count of them, which are not needed afterwards
/// @param error    may be NULL
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT, MOTE_ERROR_NOT_FINITE or MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_grains_create(mote_context *context, const mote_grains_def *def,
                                        const mote_mesh *const *meshes, size_t mesh_count, mote_grains **grains,
                                        mote_error *error);
MOTE_API void mote_grains_destroy(mote_grains *grains);

/// Called for every grain after each motion, concurrently. If it returns false, the motion is undone: the grain stays
/// where it was, with the velocity that the function leaves in `velocity`.
typedef bool mote_grains_keeper(void *user_data, mote_vec3 to, mote_vec3 *velocity);

/// Replaces gravity, as between two steps in the frame of a tank that is shaken. A state (mote_grains_write) can be
/// read by grains that have the same gravity.
/// @return MOTE_OK, or MOTE_ERROR_ARGUMENT (not finite), which changes nothing
MOTE_API mote_result mote_grains_set_gravity(mote_grains *grains, mote_vec3 gravity, mote_error *error);

/// Moves all grains by `dt`, in equal steps of at most def.time_step, with the same bits for any number of threads. The
/// integration is symplectic Euler: velocities first. New grains start at the end of the step in which they appear.
/// @param keeper   may be NULL
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT, or MOTE_ERROR_OUT_OF_MEMORY, which leaves gravity's part of a step in the
///         velocities
MOTE_API mote_result mote_grains_advance(mote_grains *grains, double dt, mote_grains_keeper *keeper, void *user_data,
                                         mote_error *error);

/// The grains that have appeared so far, in the order of their numbers. Valid until the next advance.
typedef struct mote_grains_view {
    size_t count;
    const double *positions;   ///< x, y, z of each [m]
    const double *velocities;  ///< [m/s]
} mote_grains_view;
MOTE_API mote_grains_view mote_grains_get_view(const mote_grains *grains);

/// Writes the state of the grains, from which grains with the same def and meshes continue with the same bits. The
/// bytes can be read on machines with the same order of bytes. Cost O(grains); allocates nothing.
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT, or MOTE_ERROR_FILE if the sink returned false
MOTE_API mote_result mote_grains_write(const mote_grains *grains, mote_sink *sink, void *user_data, mote_error *error);
/// Replaces all grains by the state that was written.
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT, or MOTE_ERROR_FORMAT (damaged, cut short, or of grains with another def);
///         unless MOTE_OK the grains are as they were
MOTE_API mote_result mote_grains_read(mote_grains *grains, const void *bytes, size_t length, mote_error *error);

/// Work done so far.
typedef struct mote_grains_counters {
    uint64_t steps, grain_steps;
    uint64_t bounces;       ///< collisions with meshes
    uint64_t removed;       ///< of def.count: grains that would start inside a closed mesh
    size_t collider_bytes;  ///< of the proxy or the exact structure
} mote_grains_counters;
MOTE_API mote_grains_counters mote_grains_get_counters(const mote_grains *grains);
MOTE_API size_t mote_grains_byte_count(const mote_grains *grains);
/// Checks every invariant.
/// @return MOTE_OK or MOTE_ERROR_STATE
MOTE_API mote_result mote_grains_validate(const mote_grains *grains, mote_error *error);

#ifdef __cplusplus
}
#endif

#endif
