// SPDX-License-Identifier: MIT
/// mote/broadphase.h: which boxes overlap?
///
/// Objects are axis-aligned boxes of any size with ids that stay the same. They are added, moved and removed, and an
/// update brings the structure up to date. Then it can be asked which objects overlap a box, a point, a sphere, a
/// segment or a moving box, one at a time or in batches; which pairs of objects overlap; and which pairs are new or
/// have ended. Several methods stand behind one interface. All are exact and find the same ids, namely those that pass
/// these tests:
///
///     box       closed, in float:  a.min <= b.max && b.min <= a.max on every axis; a point is a box without extent
///     sphere    in double, of float values:  d = max(min − c, c − max, 0) for each axis,
///               (dx*dx + dy*dy) + dz*dz <= r*r
///     sweep     a box that moves by v from its place, in double, of float values: on every axis
///                   min + lesser(v, 0) <= b.max  &&  b.min <= max + greater(v, 0),
///               and with m = ((min + max) + v) − (b.min + b.max), e = (max − min) + (b.max − b.min), for any two axes
///                   |mx*vy − my*vx| <= ex*|vy| + ey*|vx|
///     segment   from a to b: the sweep's test for a box without extent at a, with v = b − a in double, but for the
///               first two comparisons, which are the box test of the segment's own box
///
/// Boxes that only touch overlap. Nothing is divided, and no multiply-add is fused. A query finds an object, and two
/// objects form a pair, only if their filters allow it: (a.category & b.mask) && (b.category & a.mask). Two static
/// objects never form a pair.
///
/// In 2D the third axis is not used. Corners must be finite with min <= max on every axis; edges of length 0 are fine.
/// The world has no bounds.
///
///     mote_broadphase_def def = mote_broadphase_default_def();
///     mote_broadphase *broad;
///     mote_error error;  // a call that fails says why in error.text
///     if (mote_broadphase_create(NULL, &def, &broad, &error) != MOTE_OK) return 1;
///     mote_boxes boxes = mote_boxes_corners(corners, count, 3);
///     mote_broadphase_add_many(broad, boxes, MOTE_OBJECT_MOVING, mote_filter_all(), ids, &error);
///     for (;;) {
///         mote_broadphase_move_many(broad, ids, boxes, &error);
///         mote_pairs pairs;
///         mote_broadphase_pairs(broad, &pairs, &error);
///         for (size_t k = 0; k < pairs.count; ++k) collide(pairs.pairs[k].a, pairs.pairs[k].b);
///     }
///
/// Results never depend on the number of threads, and none is ever dropped. The shapes inside the boxes are for the
/// caller to test. For particles against triangle meshes, use hits.h.
#ifndef MOTE_BROADPHASE_H
#define MOTE_BROADPHASE_H

#include "mote/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mote_broadphase mote_broadphase;

/// The id of no object.
#define MOTE_NO_OBJECT UINT32_MAX

// -------------------------------------------------------------------------------------------------------- boxes

/// A closed box. In 2D the third numbers are not read.
typedef struct mote_bounds {
    float min[3], max[3];
} mote_bounds;

/// Boxes that the caller owns: corner coordinate k of box i lies at (const char *)min[k] + i * stride, aligned or not.
/// Read during a call only.
typedef struct mote_boxes {
    const void *min[3], *max[3];  ///< floats; one each for a dimension, those beyond `dimensions` are not read
    ptrdiff_t stride;             ///< bytes from a box to the next; any number
    size_t count;
    int dimensions;  ///< 2 or 3
} mote_boxes;

/// Boxes as min x, y, z, max x, y, z, … (in 2D min x, y, max x, y, …); as two arrays, of lower and of upper corners; as
/// an array of mote_bounds.
MOTE_API mote_boxes mote_boxes_corners(const float *corners, size_t count, int dimensions);
MOTE_API mote_boxes mote_boxes_min_max(const float *min, const float *max, size_t count, int dimensions);
MOTE_API mote_boxes mote_boxes_bounds(const mote_bounds *bounds, size_t count, int dimensions);

// ------------------------------------------------------------------------------------------------------ methods

/// A method. Lists, tests and benchmarks loop over the table of methods.
typedef struct mote_broadphase_method_info {
    const char *name;
    const char *source;   ///< the publication that it follows
    const char *meaning;  ///< what it is, in one line
} mote_broadphase_method_info;

/// The methods, by index from 0; NULL beyond the last. The first is the default.
MOTE_API const mote_broadphase_method_info *mote_broadphase_method_at(size_t index);

typedef struct mote_broadphase_def {
    const char *method;   ///< name of a method; NULL: the default
    int32_t dimensions;   ///< 2 or 3; by default 3
    double cell_size;     ///< uniform_hash: edge of the cells [m]; 0: chosen from the objects
    double finest;        ///< multilevel_hash, hierarchical_hash: no cells are finer than this [m], rounded up to a
                          ///< power of two; 0: as fine as suits the objects and their distances
    int32_t classes;      ///< the same: how many sizes of cells at most; 0: as many as suit the objects. With
                          ///< `finest` they are finest·2^k, k < classes, whatever the objects are
    bool fixed_classes;   ///< multilevel_hash: the sizes of cells follow from the objects of the first update; later
                          ///< objects go to the next larger size. By default sizes are added as objects need them
    bool pairs_on_insertion;  ///< hierarchical_hash: each update inserts all objects anew and finds pairs while doing
                              ///< so, as the publication does for particles; then pairs cost nothing more
    bool unordered_rows;  ///< rows of batch queries are not sorted by id
    uint32_t cookie;  ///< set by the default function; tells that it was called
} mote_broadphase_def;

MOTE_API mote_broadphase_def mote_broadphase_default_def(void);

/// The fields of mote_broadphase_def that a user sets, for files, checks and help.
MOTE_API const mote_field_table *mote_broadphase_fields(void);

/// @param broad  receives the object; left alone on failure
/// @param error  may be NULL; its text names the field, its value and what was expected
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT, MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_broadphase_create(mote_context *context, const mote_broadphase_def *def,
                                            mote_broadphase **broad, mote_error *error);
MOTE_API void mote_broadphase_destroy(mote_broadphase *broad);

// ------------------------------------------------------------------------------------------------------ objects

typedef struct mote_filter {
    uint64_t category;  ///< the categories that the object belongs to, as bits
    uint64_t mask;      ///< the categories that it collides with
} mote_filter;

/// Category 1, which meets everything that has a category.
MOTE_API mote_filter mote_filter_all(void);

typedef enum mote_object_kind {
    MOTE_OBJECT_MOVING,
    MOTE_OBJECT_STATIC  ///< two of these never form a pair; they may still be moved
} mote_object_kind;

/// Adds an object, or many with one kind and filter. Ids are 0, 1, 2, … The id of a removed object is used again, but
/// only after the events that report the end of its pairs. `id` receives the object's; `ids` receives one for each box,
/// and may be NULL.
/// @return MOTE_OK; MOTE_ERROR_ARGUMENT (a corner that is not finite, min > max: the error's index is the box's; other
///         dimensions) or MOTE_ERROR_OUT_OF_MEMORY (also beyond 2^32 − 2 objects), which change nothing
MOTE_API mote_result mote_broadphase_add(mote_broadphase *broad, const mote_bounds *box, mote_object_kind kind,
                                         mote_filter filter, uint32_t *id, mote_error *error);
MOTE_API mote_result mote_broadphase_add_many(mote_broadphase *broad, mote_boxes boxes, mote_object_kind kind,
                                              mote_filter filter, uint32_t *ids, mote_error *error);

/// Gives one object, or many, a new box. Costs O(1) for each object until the next update. `ids` has an id for each
/// box; if an id occurs twice, the later box counts. NULL means 0, 1, 2, …
/// @return MOTE_OK; MOTE_ERROR_ARGUMENT (as mote_broadphase_add; no such object), which changes nothing
MOTE_API mote_result mote_broadphase_move(mote_broadphase *broad, uint32_t id, const mote_bounds *box,
                                          mote_error *error);
MOTE_API mote_result mote_broadphase_move_many(mote_broadphase *broad, const uint32_t *ids, mote_boxes boxes,
                                               mote_error *error);

/// @return MOTE_OK; MOTE_ERROR_ARGUMENT (no such object; the same one twice), which changes nothing
MOTE_API mote_result mote_broadphase_remove(mote_broadphase *broad, uint32_t id, mote_error *error);
MOTE_API mote_result mote_broadphase_remove_many(mote_broadphase *broad, const uint32_t *ids, size_t count,
                                                 mote_error *error);

/// Changes the filter or the kind of an object. Pairs that are no longer allowed end with the next events.
/// @return MOTE_OK or MOTE_ERROR_ARGUMENT (no such object, no such kind)
MOTE_API mote_result mote_broadphase_set_filter(mote_broadphase *broad, uint32_t id, mote_filter filter,
                                                mote_error *error);
MOTE_API mote_result mote_broadphase_set_kind(mote_broadphase *broad, uint32_t id, mote_object_kind kind,
                                              mote_error *error);

typedef struct mote_object {
    mote_bounds box;
    mote_filter filter;
    mote_object_kind kind;
} mote_object;

/// Copies what is known about an object. Returns false if there is no object with that id.
MOTE_API bool mote_broadphase_object(const mote_broadphase *broad, uint32_t id, mote_object *object);

/// The number of objects, and the lowest number that was never an id.
MOTE_API size_t mote_broadphase_count(const mote_broadphase *broad);
MOTE_API uint32_t mote_broadphase_id_end(const mote_broadphase *broad);

/// Brings the structure up to date with all changes since the last update. Batches, pairs and events do this
/// themselves.
/// @return MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY: the object stays valid, and queries return MOTE_ERROR_STATE until an
///         update succeeds
MOTE_API mote_result mote_broadphase_update(mote_broadphase *broad, mote_error *error);

// ------------------------------------------------------------------------------------------------ single queries
// These are const: any number of them may run at once. They return MOTE_OK, MOTE_ERROR_ARGUMENT (numbers that are not
// finite, min > max, a radius below 0) or MOTE_ERROR_STATE (objects have changed since the last update).

/// Receives the id of an object that was found. Each id comes once, in no particular order.
/// @return whether to go on
typedef bool mote_broadphase_visitor(void *user_data, uint32_t id);

MOTE_API mote_result mote_broadphase_query_box(const mote_broadphase *broad, const mote_bounds *box, mote_filter filter,
                                               mote_broadphase_visitor *visitor, void *user_data, mote_error *error);
MOTE_API mote_result mote_broadphase_query_point(const mote_broadphase *broad, const float point[3], mote_filter filter,
                                                 mote_broadphase_visitor *visitor, void *user_data, mote_error *error);
MOTE_API mote_result mote_broadphase_query_sphere(const mote_broadphase *broad, const float center[3], float radius,
                                                  mote_filter filter, mote_broadphase_visitor *visitor, void *user_data,
                                                  mote_error *error);
MOTE_API mote_result mote_broadphase_query_segment(const mote_broadphase *broad, const float a[3], const float b[3],
                                                   mote_filter filter, mote_broadphase_visitor *visitor,
                                                   void *user_data, mote_error *error);
/// A box that moves by `motion`.
MOTE_API mote_result mote_broadphase_query_sweep(const mote_broadphase *broad, const mote_bounds *box,
                                                 const float motion[3], mote_filter filter,
                                                 mote_broadphase_visitor *visitor, void *user_data, mote_error *error);

typedef struct mote_closest_object {
    uint32_t id;     ///< MOTE_NO_OBJECT: none within the distance
    double squared;  ///< its box's squared distance as the sphere's test has it [m²]; 0 where the point is inside
} mote_closest_object;

/// Finds the object whose box is closest to a point; among equals, the one with the lowest id.
/// @param distance  objects farther away than this are not found [m]; INFINITY: there is no limit
MOTE_API mote_result mote_broadphase_closest(const mote_broadphase *broad, const float point[3], float distance,
                                             mote_filter filter, mote_closest_object *closest, mote_error *error);

// ----------------------------------------------------------------------------------------------------- batches

/// A row of ids for every query: ids[first[i]] … ids[first[i] + counts[i] − 1], ascending. Where a row lies may depend
/// on threads, what is in it never does. Owned by the object until its next batch.
typedef struct mote_id_rows {
    size_t count;
    const uint64_t *first;
    const uint32_t *counts;
    const uint32_t *ids;
    uint64_t total;  ///< ids in all rows together
} mote_id_rows;

/// Many queries at once, in parallel. They need not be sorted.
/// @return MOTE_OK; MOTE_ERROR_ARGUMENT (as the single ones; the error's index is the query's) or
///         MOTE_ERROR_OUT_OF_MEMORY (the object stays valid, the rows are gone)
MOTE_API mote_result mote_broadphase_query_boxes(mote_broadphase *broad, mote_boxes boxes, mote_filter filter,
                                                 mote_id_rows *rows, mote_error *error);
/// @param points  float points of the object's dimensions
MOTE_API mote_result mote_broadphase_query_points(mote_broadphase *broad, mote_points points, mote_filter filter,
                                                  mote_id_rows *rows, mote_error *error);
/// @param radii   one a centre [m], `stride` bytes from one to the next
MOTE_API mote_result mote_broadphase_query_spheres(mote_broadphase *broad, mote_points centers, const float *radii,
                                                   ptrdiff_t stride, mote_filter filter, mote_id_rows *rows,
                                                   mote_error *error);
MOTE_API mote_result mote_broadphase_query_segments(mote_broadphase *broad, mote_points a, mote_points b,
                                                    mote_filter filter, mote_id_rows *rows, mote_error *error);
/// Moving boxes, each with its own motion.
/// @param motions  as many float vectors as there are boxes, of the object's dimensions [m]
MOTE_API mote_result mote_broadphase_query_sweeps(mote_broadphase *broad, mote_boxes boxes, mote_points motions,
                                                  mote_filter filter, mote_id_rows *rows, mote_error *error);

// ------------------------------------------------------------------------------------------------ pairs, events

typedef struct mote_pair {
    uint32_t a, b;
} mote_pair;

/// Each pair once, ascending by a, then b. Owned by the object until its next pairs, pairs_between or events call.
typedef struct mote_pairs {
    const mote_pair *pairs;
    size_t count;
} mote_pairs;

/// Finds all pairs of objects that overlap, a < b. If they exceed the byte budget, the error says how many there are.
/// @return MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY (the object stays valid)
MOTE_API mote_result mote_broadphase_pairs(mote_broadphase *broad, mote_pairs *pairs, mote_error *error);

/// Finds all pairs of an object `a` of this set with an object `b` of another set. Both must have the same dimensions,
/// but may use different methods. The pairs belong to the first set; rows and pairs of the other set stay valid. The
/// default method keeps memory for as many ids as there are pairs in the other set.
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT (other dimensions) or MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_broadphase_pairs_between(mote_broadphase *broad, mote_broadphase *other, mote_pairs *pairs,
                                                   mote_error *error);

/// How the pairs have changed since the last call. A pair also ends when one of its objects is removed, or when a
/// filter or a kind forbids it. Each list is ordered as mote_pairs is. Owned by the object until its next events call.
typedef struct mote_pair_events {
    mote_pairs begun, stayed, ended;
} mote_pair_events;

/// @return MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY: the next call that succeeds then reports everything since the last one
///         that did
MOTE_API mote_result mote_broadphase_events(mote_broadphase *broad, mote_pair_events *events, mote_error *error);

// --------------------------------------------------------------------------------------------------- inspection

/// What the structure looks like, and the work of the last batch, pairs, pairs_between or events call.
typedef struct mote_broadphase_counters {
    uint64_t cells;       ///< occupied cells; nodes of a tree
    uint64_t entries;     ///< references from cells or nodes to objects
    uint64_t lookups;     ///< cells that were looked up, or nodes that were visited
    uint64_t candidates;  ///< objects whose box was tested
    uint64_t hits;        ///< of them, objects that were found
    uint64_t rebuilds;    ///< updates so far that built the structure anew
} mote_broadphase_counters;
MOTE_API mote_broadphase_counters mote_broadphase_get_counters(const mote_broadphase *broad);

/// An occupied cell, or a node of a tree.
typedef struct mote_broadphase_cell {
    double min[3], max[3];  ///< [m]; infinite where it has no bounds
    int32_t class_number;   ///< cells: the edge is 2^class_number in the hashes that have classes; nodes: depth
    uint32_t objects;       ///< entries in it
    bool has_children;      ///< something lies in finer cells below it
} mote_broadphase_cell;

/// Visits every cell, coarse ones first. For drawing and for tests; brute_force has no cells.
/// @return as single queries
MOTE_API mote_result mote_broadphase_cells(const mote_broadphase *broad,
                                           void (*visitor)(void *user_data, const mote_broadphase_cell *cell),
                                           void *user_data, mote_error *error);

/// Says in a sentence how the objects are stored, and why. The text is valid until the next call of this function.
MOTE_API const char *mote_broadphase_explain(mote_broadphase *broad);

/// Bytes held by objects and structure, and by results.
MOTE_API size_t mote_broadphase_byte_count(const mote_broadphase *broad, size_t *result_bytes);

/// Checks every invariant of the structure (O(n)). MOTE_OK, or MOTE_ERROR_STATE with the broken one in the error.
MOTE_API mote_result mote_broadphase_validate(mote_broadphase *broad, mote_error *error);

#ifdef __cplusplus
}
#endif

#endif
