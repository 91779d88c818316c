// SPDX-License-Identifier: MIT
/// mote/broadphase.h: which boxes overlap?
///
/// Objects are axis-aligned boxes of any size, with ids that stay. They are added, moved and removed; an update brings
/// the structure up to date; then boxes, points, spheres, segments and moving boxes look in, one at a time or in
/// batches, and all pairs are to be had, or what has changed about them since the last time. One interface over several
/// methods, every one of them exact: all find the very same ids, which are *defined* by these tests.
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
/// All comparisons are closed, nothing is divided and no multiply-add is fused. An object is found by a query, and two
/// objects pair up, if besides each one's category meets the other's mask:
/// (a.category & b.mask) && (b.category & a.mask). Two static objects never pair up.
///
/// In 2D the third axis plays no part. Corners must be finite, min <= max on every axis; edges of 0 are fine. There are
/// no bounds to the world.
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
/// Results never depend on the number of threads. Nothing is ever capped or dropped. The exact shapes inside the boxes
/// are the caller's business, particles and triangle meshes hits.h's.
#ifndef MOTE_BROADPHASE_H
#define MOTE_BROADPHASE_H

#include "mote/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mote_broadphase mote_broadphase;

/// No object.
#define MOTE_NO_OBJECT UINT32_MAX

// -------------------------------------------------------------------------------------------------------- boxes

/// A closed box; in 2D the third numbers are not looked at.
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

/// One method. The table of all of them is for lists, tests and benchmarks to loop over.
typedef struct mote_broadphase_method_info {
    const char *name;
    const char *source;   ///< the document that it follows
    const char *meaning;  ///< what it is, in a line
} mote_broadphase_method_info;

/// The methods, by index from 0; NULL beyond the last. The first is the default.
MOTE_API const mote_broadphase_method_info *mote_broadphase_method_at(size_t index);

typedef struct mote_broadphase_def {
    const char *method;   ///< name of a method; NULL: the default
    int32_t dimensions;   ///< 2 or 3; by default 3
    double cell_size;     ///< uniform_hash: edge of the cells [m]; 0: chosen from the objects
    double finest;        ///< multilevel_hash, hierarchical_hash: no cells are finer than this [m], rounded up to a
                          ///< power of two; 0: as fine as the objects and their distances ask for
    int32_t classes;      ///< the same: how many sizes of cells at most; 0: as many as the objects ask for. With
                          ///< `finest` they are finest·2^k, k < classes, whatever the objects are
    bool fixed_classes;   ///< multilevel_hash: sizes come from the objects of the first update alone (a preprocessing
                          ///< pass); objects whose size then turns up anew go to the next larger one. By default sizes
                          ///< are added as objects come
    bool pairs_on_insertion;  ///< hierarchical_hash: each update inserts all objects anew, and each looks for those
                              ///< before it on the way, as the document has it for particles: then pairs cost no more
    bool unordered_rows;  ///< rows of batch queries need not ascend: they come as the method has them
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
    uint64_t category;  ///< what it is
    uint64_t mask;      ///< what it meets
} mote_filter;

/// Category 1, which meets everything that has a category.
MOTE_API mote_filter mote_filter_all(void);

typedef enum mote_object_kind {
    MOTE_OBJECT_MOVING,
    MOTE_OBJECT_STATIC  ///< two of these never pair up; it may be moved all the same
} mote_object_kind;

/// Adds an object, or many of one kind and filter. Ids are given out as 0, 1, 2, …; those of removed objects are used
/// again, yet never before the events that tell of their pairs' end have been handed out. Of many, `ids` receives a
/// number each, and may be NULL.
/// @return MOTE_OK; MOTE_ERROR_ARGUMENT (a corner that is not finite, min > max: the error's index is the box's; other
///         dimensions) or MOTE_ERROR_OUT_OF_MEMORY (also beyond 2^32 − 2 objects), which change nothing
MOTE_API mote_result mote_broadphase_add(mote_broadphase *broad, const mote_bounds *box, mote_object_kind kind,
                                         mote_filter filter, uint32_t *id, mote_error *error);
MOTE_API mote_result mote_broadphase_add_many(mote_broadphase *broad, mote_boxes boxes, mote_object_kind kind,
                                              mote_filter filter, uint32_t *ids, mote_error *error);

/// Gives an object, or many, new boxes, near or far. Cost O(1) an object until the next update. Of many, `ids` has one
/// a box; where one stands twice, the later box counts; NULL means 0, 1, 2, …
/// @return MOTE_OK; MOTE_ERROR_ARGUMENT (as mote_broadphase_add; no such object), which changes nothing
MOTE_API mote_result mote_broadphase_move(mote_broadphase *broad, uint32_t id, const mote_bounds *box,
                                          mote_error *error);
MOTE_API mote_result mote_broadphase_move_many(mote_broadphase *broad, const uint32_t *ids, mote_boxes boxes,
                                               mote_error *error);

/// @return MOTE_OK; MOTE_ERROR_ARGUMENT (no such object; the same one twice), which changes nothing
MOTE_API mote_result mote_broadphase_remove(mote_broadphase *broad, uint32_t id, mote_error *error);
MOTE_API mote_result mote_broadphase_remove_many(mote_broadphase *broad, const uint32_t *ids, size_t count,
                                                 mote_error *error);

/// Filters and kinds count from now on; pairs that they forbid end with the next events.
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

/// What is known of an object. False: there is none with that id.
MOTE_API bool mote_broadphase_object(const mote_broadphase *broad, uint32_t id, mote_object *object);

/// How many objects there are; and the first number that was never an id.
MOTE_API size_t mote_broadphase_count(const mote_broadphase *broad);
MOTE_API uint32_t mote_broadphase_id_end(const mote_broadphase *broad);

/// Takes in all changes since the last update. Batches, pairs and events do so themselves.
/// @return MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY: the object stays valid, queries answer MOTE_ERROR_STATE until an update
///         succeeds
MOTE_API mote_result mote_broadphase_update(mote_broadphase *broad, mote_error *error);

// ------------------------------------------------------------------------------------------------ single queries
// Const: any number may run at once. Return MOTE_OK, MOTE_ERROR_ARGUMENT (numbers that are not finite, min > max, a
// radius below 0) or MOTE_ERROR_STATE (changes that no update has taken in).

/// Takes the id of an object that was found, each once, in no certain order.
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
/// A box on its way from where it is to where it is plus `motion`.
MOTE_API mote_result mote_broadphase_query_sweep(const mote_broadphase *broad, const mote_bounds *box,
                                                 const float motion[3], mote_filter filter,
                                                 mote_broadphase_visitor *visitor, void *user_data, mote_error *error);

typedef struct mote_closest_object {
    uint32_t id;     ///< MOTE_NO_OBJECT: none within the distance
    double squared;  ///< its box's squared distance as the sphere's test has it [m²]; 0 where the point is inside
} mote_closest_object;

/// The object whose box is closest to a point, the lowest id among equals.
/// @param distance  farther ones do not count [m]: those that a sphere of that radius would not find. INFINITY: any
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

/// Many queries at once, in parallel, and in an order of their own: they need not be sorted.
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
/// Boxes on their way, each by a motion of its own.
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

/// All pairs of objects, a < b. More than the byte budget has room for are refused, and the error says how many.
/// @return MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY (the object stays valid)
MOTE_API mote_result mote_broadphase_pairs(mote_broadphase *broad, mote_pairs *pairs, mote_error *error);

/// All pairs of an object `a` of one set with an object `b` of another one of as many dimensions. The sets may be of
/// different methods; the pairs belong to the first. Of the other one rows and pairs stay as they were handed out;
/// the default method keeps memory in it for as many ids as there are pairs.
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT (other dimensions) or MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_broadphase_pairs_between(mote_broadphase *broad, mote_broadphase *other, mote_pairs *pairs,
                                                   mote_error *error);

/// How the pairs have changed since the last such call. A pair has ended, too, if one of the two was removed, was moved
/// away however far, or by a filter or kind. Each list is as mote_pairs has it; owned by the object until its next
/// events call.
typedef struct mote_pair_events {
    mote_pairs begun, stayed, ended;
} mote_pair_events;

/// @return MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY: the next call that succeeds then tells all since the last that did
MOTE_API mote_result mote_broadphase_events(mote_broadphase *broad, mote_pair_events *events, mote_error *error);

// --------------------------------------------------------------------------------------------------- inspection

/// What the structure looks like, and the work of the last batch, pairs, pairs_between or events call.
typedef struct mote_broadphase_counters {
    uint64_t cells;       ///< occupied cells; nodes of a tree
    uint64_t entries;     ///< references from cells or nodes to objects
    uint64_t lookups;     ///< cells that were looked for, nodes that were looked at
    uint64_t candidates;  ///< objects whose box was tested
    uint64_t hits;        ///< of them those that were found
    uint64_t rebuilds;    ///< updates so far that built the structure anew
} mote_broadphase_counters;
MOTE_API mote_broadphase_counters mote_broadphase_get_counters(const mote_broadphase *broad);

/// A cell that exists, or a node of a tree.
typedef struct mote_broadphase_cell {
    double min[3], max[3];  ///< [m]; infinite where it has no bounds
    int32_t class_number;   ///< cells: the edge is 2^class_number in the hashes that have classes; nodes: depth
    uint32_t objects;       ///< entries in it
    bool has_children;      ///< something lies in finer cells below it
} mote_broadphase_cell;

/// Shows every cell, coarse ones first. For drawing and tests; brute force has none.
/// @return as single queries
MOTE_API mote_result mote_broadphase_cells(const mote_broadphase *broad,
                                           void (*visitor)(void *user_data, const mote_broadphase_cell *cell),
                                           void *user_data, mote_error *error);

/// What the object does with what it holds, and why, in a sentence. Valid until this is called again.
MOTE_API const char *mote_broadphase_explain(mote_broadphase *broad);

/// Bytes held by objects and structure, and by results.
MOTE_API size_t mote_broadphase_byte_count(const mote_broadphase *broad, size_t *result_bytes);

/// Checks every invariant of the structure (O(n)). MOTE_OK, or MOTE_ERROR_STATE with the broken one in the error.
MOTE_API mote_result mote_broadphase_validate(mote_broadphase *broad, mote_error *error);

#ifdef __cplusplus
}
#endif

#endif
