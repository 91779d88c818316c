// SPDX-License-Identifier: MIT
/// mote/proxy.h: an octree that replaces meshes when millions of particles collide with them (Fan et al. 2013).
///
/// A leaf that contains triangles stores only their mean normal. An empty leaf beside it stores on which side of the
/// surface it lies. Each particle carries this side as a label, which it receives when it passes such a leaf; so
/// particles can collide with the outside or the inside of closed meshes, and with both sides of open ones. Collisions
/// are off by at most the size of a leaf. No particle ever gets to the other side, except around the rim of an open
/// mesh.
///
/// A motion follows these rules from leaf to leaf:
/// - An empty leaf beside the surface gives the particle its label. If it sees both sides of an open mesh, this happens
///   when the particle leaves, and depends on the face that it leaves through, or on the first triangle seen from
///   there.
/// - In a leaf with triangles, a particle that moves against the normal (for particles behind the surface, along it)
///   collides at the point where it entered or started, and goes on with the rest of its time.
/// - A leaf whose triangles face opposite ways even at the largest depth (a thin plate, a fold) is two-sided: it acts
///   as a solid box.
/// - A particle cannot go from a leaf with triangles into an empty leaf of the opposite side. It collides with the face
///   between the two.
/// - After as many collisions as the response allows, the rest of the step is dropped.
///
/// hits.h says which of hits.h, proxy.h and raster.h to take.
///
/// Queries change nothing in the proxy and may run concurrently. For meshes that move, make a new proxy, or transform
/// the particles into the frame of the mesh.
#ifndef MOTE_PROXY_H
#define MOTE_PROXY_H

#include "mote/mesh.h"
#include "mote/response.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    MOTE_PROXY_DEEPEST = 16,  ///< largest max_depth
    MOTE_PROXY_FOLLOWS = -1   ///< a depth that follows from max_depth
};

/// How the normals of a leaf's triangles vary about their mean n.
typedef enum mote_proxy_variation {
    MOTE_PROXY_MEAN,  ///< Σ aᵢ·|nᵢ − n|² / Σ aᵢ: does not depend on how finely the surface is cut into triangles
    MOTE_PROXY_SUM  ///< Σ |nᵢ − n|², as Fan et al. have it
} mote_proxy_variation;

typedef struct mote_proxy_def {
    int min_depth;     ///< leaves with triangles are deeper than this: 0 … max_depth − 1; MOTE_PROXY_FOLLOWS: 4 at most
    int max_depth;     ///< 2 … MOTE_PROXY_DEEPEST; an edge of the root is 2^max_depth finest leaves
    double tolerance;  ///< a leaf whose variation is below this is not split; 0 or more
    mote_proxy_variation variation;
    int table_depth;      ///< of the look-up table, 0 … max_depth, and 9 at most; MOTE_PROXY_FOLLOWS: 5 at most
    bool keep_triangles;  ///< in the leaves, for mote_proxy_stamp, mote_proxy_first_triangles
    uint32_t cookie;  ///< set by the default function; tells that it was called
} mote_proxy_def;

/// max_depth 6, from which the other depths follow (4 and 5); tolerance 0.01, mean, triangles kept.
MOTE_API mote_proxy_def mote_proxy_default_def(void);
MOTE_API const mote_field_table *mote_proxy_fields(void);

typedef struct mote_proxy mote_proxy;

/// Builds a proxy of one or more meshes, which are not needed afterwards. Triangles without area are ignored. The
/// result has the same bits for any number of threads. Cost O(r) for r references from nodes of the tree to triangles.
/// @param meshes   mesh_count of them
/// @param def      NULL: the default
/// @param error    may be NULL
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT, MOTE_ERROR_NOT_FINITE (a vertex) or MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_proxy_create(mote_context *context, const mote_proxy_def *def, const mote_mesh *const *meshes,
                                       size_t mesh_count, mote_proxy **proxy, mote_error *error);
MOTE_API void mote_proxy_destroy(mote_proxy *proxy);
/// The def that it was made with, with all depths filled in.
MOTE_API mote_proxy_def mote_proxy_resolved_def(const mote_proxy *proxy);

/// Releases the triangles of all leaves that do not need them to move particles. Only leaves that see both sides of the
/// surface through one face need theirs.
MOTE_API void mote_proxy_drop_triangles(mote_proxy *proxy);

// ------------------------------------------------------------------------------------------------------- keeping

/// Writes the proxy. The same version of mote can read it on any machine. Allocates nothing.
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT, or MOTE_ERROR_FILE if the sink returned false
MOTE_API mote_result mote_proxy_write(const mote_proxy *proxy, mote_sink *sink, void *user_data,
                                      mote_error *error);

/// Reads a proxy back, identical to the last bit. The checksum, all lengths and every index are checked first: files
/// that are damaged, cut short, or written by another version of mote are refused. The memory that is used is
/// proportional to the length of the file.
/// @param bytes    the whole file, at any address; not needed afterwards
/// @param error    may be NULL
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT, MOTE_ERROR_FORMAT or MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_proxy_read(mote_context *context, const void *bytes, size_t length, mote_proxy **proxy,
                                     mote_error *error);

/// Whether a file holds the proxy that mote_proxy_create would make of these meshes, as far as its first bytes tell:
/// the version of mote, key, def and place are the same, and the counts agree with the length of the file. Call this
/// before reading the rest. It does not detect damage; mote_proxy_read does.
/// @param bytes    the first MOTE_PROXY_HEAD_BYTES of the file
/// @param length   of the whole file
enum { MOTE_PROXY_HEAD_BYTES = 144 };
MOTE_API bool mote_proxy_is_of(const void *bytes, uint64_t length, const mote_mesh *const *meshes, size_t mesh_count,
                               const mote_proxy_def *def);

/// A name for the proxy that mote_proxy_create would make: a hash of 128 bits, as hexadecimal digits, of all vertices
/// and triangles as they are now, of the def, and of the version of mote. It is not a cryptographic hash. Cost
/// O(vertices + triangles).
/// @param def      NULL: the default
MOTE_API void mote_proxy_key(const mote_mesh *const *meshes, size_t mesh_count, const mote_proxy_def *def,
                             char text[33]);

// --------------------------------------------------------------------------------------------------- particles

/// The side of the surface on which a particle is: one byte for each particle, which the caller keeps.
enum { MOTE_PROXY_UNKNOWN = 0, MOTE_PROXY_FRONT = 1, MOTE_PROXY_BACK = 2 };

/// Particles that the caller owns, in arrays of any layout: coordinate k of particle i lies at
/// (char *)position[k] + i * position_stride; likewise velocities. Labels lie side by side.
typedef struct mote_proxy_particles {
    void *position[3];  ///< [m]
    void *velocity[3];  ///< [m/s]
    ptrdiff_t position_stride, velocity_stride;
    uint8_t *labels;
    size_t count;
    mote_scalar scalar;
} mote_proxy_particles;

/// Particles as x, y, z, x, y, z, … floats.
MOTE_API mote_proxy_particles mote_proxy_particles_xyz(float *positions, float *velocities, uint8_t *labels,
                                                       size_t count);

/// Gives each particle the label of the place where it is now. Call this once, for particles that are new or that were
/// moved by other means. In an empty leaf the label is that of the leaf; in a leaf with triangles it is exact, by the
/// first triangle seen; far from the surface and outside the root it is MOTE_PROXY_UNKNOWN, and the particle receives a
/// label before it meets the surface. Velocities are not read. Cost O(1) for each particle, or O(triangles of its
/// leaf).
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT, MOTE_ERROR_NOT_FINITE, or MOTE_ERROR_STATE if a particle lies in a leaf whose
///         triangles were not kept: the error's index is the first such particle; all others have their labels, these
///         have MOTE_PROXY_UNKNOWN
MOTE_API mote_result mote_proxy_stamp(const mote_proxy *proxy, const mote_proxy_particles *particles,
                                      mote_error *error);

/// Work done and its results, summed over all calls that were given these counters.
typedef struct mote_proxy_counters {
    uint64_t particles;  ///< that were moved
    uint64_t clear;      ///< of these, particles for which one table lookup showed that they meet nothing
    uint64_t leaves;     ///< that the others entered or started in
    uint64_t collided;   ///< particles that collided at least once in a step
    uint64_t bounces;    ///< all collisions
    uint64_t walls;      ///< of these, with the face of a leaf: two-sided ones, and empty ones of the opposite side
    uint64_t dropped;    ///< particles whose step ended because they had too many collisions
} mote_proxy_counters;

/// Moves every particle by its velocity for `dt`, with collisions, in place and in parallel. The result for a particle
/// does not depend on other particles, on the layout or on the number of threads. Motions are computed in double,
/// whatever the type of the particles. If no number of their type lies in the leaf where a step ends, the step is
/// dropped. A particle without a label in a leaf with triangles receives one there; if the triangles were not kept, it
/// counts as in front until it leaves. Floats stored as x, y, z, x, … are fastest.
/// @param dt        [s], 0 or more
/// @param response  of any kind but MOTE_RESPONSE_KILL: there is nothing to mark the dead with
/// @param counters  added to; may be NULL
/// @param error     may be NULL
/// @return MOTE_OK; MOTE_ERROR_ARGUMENT (also a label that is none: the error's index is the first such particle) or,
///         with counters, MOTE_ERROR_OUT_OF_MEMORY, which move nothing; or MOTE_ERROR_NOT_FINITE: the error's index is
///         the first particle whose position or motion is not finite. Such stay as they are, all others have moved
MOTE_API mote_result mote_proxy_advance(const mote_proxy *proxy, const mote_proxy_particles *particles, double dt,
                                        const mote_response *response, mote_proxy_counters *counters,
                                        mote_error *error);

/// The first collision of a motion.
typedef struct mote_proxy_hit {
    float time;       ///< 0 … 1 of the motion; 2: none
    float normal[3];  ///< unit, towards the particle's side
    uint32_t leaf;    ///< node number of the leaf with triangles that is met
} mote_proxy_hit;

/// Finds every particle's first collision during `dt` and changes nothing. Particles are stamped on the way as in
/// mote_proxy_advance. If `labels` is NULL, labels play no part: every particle counts as in front, everywhere. That is
/// the proxy without labels, to compare with: it reports several times the true hits.
/// @param hits     receives one for each particle; of those whose motion is not finite, none
/// @param error    may be NULL
/// @return as mote_proxy_advance
MOTE_API mote_result mote_proxy_hits(const mote_proxy *proxy, const mote_proxy_particles *particles, double dt,
                                     mote_proxy_hit *hits, mote_error *error);

/// A triangle that a motion meets first.
typedef struct mote_proxy_triangle_hit {
    double time;        ///< 0 … 1 of the motion; 2: none
    uint32_t triangle;  ///< numbered through all meshes in their order; the lowest, where times are equal
} mote_proxy_triangle_hit;

/// The general octree that the proxy is compared with: walks the same leaves, but tests the triangles kept in them.
/// Rounding decides at shared edges; hits.h has what is watertight.
/// @return as mote_proxy_hits, or MOTE_ERROR_STATE (triangles were not kept)
MOTE_API mote_result mote_proxy_first_triangles(const mote_proxy *proxy, const mote_proxy_particles *particles,
                                                double dt, mote_proxy_triangle_hit *hits, mote_error *error);

// --------------------------------------------------------------------------------------------- what was built

/// A node in eight bytes, after figure 5 of Fan et al.. Nodes exist for inner nodes and leaves with triangles; empty
/// leaves are bits of their parent. Octant k of a node is at x = k & 1, y = k >> 1 & 1, z = k >> 2.
/// Inner: `first` is the number of its first child; `bits` are four masks of octants, from the lowest byte: that have a
/// node, that are inner, empty ones in front, empty ones behind. Child k is node first + (octants below k that have
/// one).
/// Leaf: `first` is the unit normal, each component times 511 in ten bits, two's complement, x lowest; `bits`: for each
/// face (x low, x high, y low, …) two bits, front and back, of the empty leaves seen through it; MOTE_PROXY_TWO_SIDED;
/// MOTE_PROXY_RIM: a face where one empty leaf sees both sides; from bit 16 its depth.
typedef struct mote_proxy_node {
    uint32_t first, bits;
} mote_proxy_node;
enum { MOTE_PROXY_TWO_SIDED = 1 << 12, MOTE_PROXY_RIM = 1 << 13, MOTE_PROXY_LEAF_DEPTH = 16 };

/// The look-up table's entries: the node that holds the cell, or the empty leaf that does.
/// Bits 0–2: what it is; from bit 3 the node's number, of an empty leaf its depth (5 bits) and how many cells of the
/// table around this one are empty leaves, too: with its labels (from bit MOTE_PROXY_SAME_SHIFT), or any (from
/// MOTE_PROXY_CLEAR_SHIFT); Chebyshev distances, of at most MOTE_PROXY_RINGS.
enum {
    MOTE_PROXY_EMPTY = 0,  ///< 0 … 3: an empty leaf with the bits MOTE_PROXY_FRONT and MOTE_PROXY_BACK
    MOTE_PROXY_LEAF = 4,
    MOTE_PROXY_INNER = 5,
    MOTE_PROXY_SAME_SHIFT = 8,
    MOTE_PROXY_CLEAR_SHIFT = 20,
    MOTE_PROXY_RINGS = 4095
};

/// Plain arrays for whoever walks the tree, here or on another device. Owned by the proxy.
typedef struct mote_proxy_arrays {
    const mote_proxy_node *nodes;  ///< the root first, which is always inner
    size_t node_count;
    const uint32_t *table;  ///< 8^table_depth entries, x fastest
    int table_depth, max_depth;
    mote_vec3 origin;  ///< the root's lowest corner [m]
    double leaf;       ///< edge of a finest leaf [m]; the root's is 2^max_depth times that
} mote_proxy_arrays;
MOTE_API mote_proxy_arrays mote_proxy_get_arrays(const mote_proxy *proxy);

/// The leaf that holds a point.
typedef struct mote_proxy_place {
    mote_box box;   ///< its box; not set outside the root
    int depth;      ///< −1 outside the root
    int kind;       ///< MOTE_PROXY_LEAF, or as an empty one in the table
    uint32_t node;  ///< of a leaf with triangles
    bool two_sided;
    mote_vec3 normal;  ///< of a leaf with triangles
} mote_proxy_place;
MOTE_API mote_proxy_place mote_proxy_locate(const mote_proxy *proxy, mote_vec3 point);

/// Counts of what was built, and its bytes.
typedef struct mote_proxy_stats {
    uint64_t leaves[MOTE_PROXY_DEEPEST + 1];  ///< with triangles, by depth
    uint64_t front, back, both;               ///< empty leaves by label
    uint64_t two_sided, rims;                 ///< leaves with triangles
    uint64_t references;                      ///< triangles in leaves when it was built
    size_t node_bytes, table_bytes, triangle_bytes;
} mote_proxy_stats;
MOTE_API mote_proxy_stats mote_proxy_get_stats(const mote_proxy *proxy);
MOTE_API size_t mote_proxy_byte_count(const mote_proxy *proxy);

/// Checks every invariant of what was built; debug builds do so themselves after mote_proxy_create.
/// @param error    may be NULL; names what does not hold
/// @return MOTE_OK or MOTE_ERROR_STATE
MOTE_API mote_result mote_proxy_validate(const mote_proxy *proxy, mote_error *error);

#ifdef __cplusplus
}
#endif

#endif
