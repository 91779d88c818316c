// SPDX-License-Identifier: MIT
// neighbors/internal.h: what the search methods share: the object, the entry of the method table, and rows on their
// way to lists or to a visitor.
//
// A method builds a structure (build) and uses it to find rows. Most methods only have to name the candidates of a
// row: `candidates` passes each to the row's collector (collect.h), which tests the distance and so gives every
// method double points, half lists, distances, radii and the other features. A method that finds many rows together
// has its own find_rows.
#ifndef MOTE_NEIGHBORS_INTERNAL_H
#define MOTE_NEIGHBORS_INTERNAL_H

#include <string.h>

#include "base/internal.h"
#include "mote/neighbors.h"
#include "neighbors/tree_nearest.h"
#include "neighbors/periodic.h"
#include "neighbors/points.h"

typedef struct row_writer row_writer;        // rows.h
typedef struct row_collector row_collector;  // collect.h
typedef struct neighbors_skin neighbors_skin;  // skin.h
typedef struct neighbors_sets neighbors_sets;  // sets.h
typedef struct row_codes row_codes;            // pair_codes.h
typedef struct row_pairs row_pairs;            // pair_codes.h

// Points whose rows are wanted, if others may be left out: those of the first `count` with a flag, or all of these.
typedef struct row_filter {
    const uint8_t *flags;  // NULL: all of the first `count`
    size_t count;
} row_filter;

// The requested rows: of the set's own points, of a subset of them, or of queries.
typedef struct row_request {
    const mote_points *queries;  // NULL: own points
    const uint32_t *numbers;     // the row of each query; NULL: in their order
    point_radii query_radii;
    const uint32_t *subset;      // NULL: all of them
    size_t count;                // rows
    bool in_order;               // all own points: rows are numbered in the method's order_of_rows
    uint32_t nearest;            // k, or 0: all within the radius
    uint32_t guess;              // neighbours of a row for which the first call makes room, or 0: as many as usual
    uint64_t most;               // largest number of neighbours that lists may have room for, or 0: no limit
    row_codes *codes;            // rows hold codes instead of indices; NULL: ordinary rows
    const row_filter *filter;    // of visits of all own points; NULL: all rows are wanted
    row_pairs *pairs;            // of rows in order: pairs that may be written while rows are found; NULL: none
} row_request;

// The point that a row belongs to.
typedef struct row_query {
    uint32_t row;
    uint32_t self;  // index of that point in the set, or UINT32_MAX
    double at[3];
    double radius;  // the point's own radius, or the search's
} row_query;

typedef struct neighbors_method neighbors_method;
struct neighbors_method {
    mote_neighbors_method_info info;
    size_t state_bytes;  // size of the method's own state, zeroed on creation
    bool keeps_points;   // needs search->points before it builds, for any features
    bool finds_places;   // finds rows of some float points with one radius without search->points
    bool ignores_skin;   // has no structure that a skin could keep in use

    // Receives points (finite, of the right type). On failure the state must be fit for release or another build.
    mote_result (*build)(mote_neighbors *search, const mote_points *points, mote_error *error);

    // Passes every stored point that may be near to the collector, each once (each image once). Called concurrently.
    void (*candidates)(const mote_neighbors *search, row_collector *collector);

    // Used instead of `candidates`: writes every row of the request through the writers, one for each worker. If
    // memory runs out, the failure is recorded in the sink.
    void (*find_rows)(mote_neighbors *search, const row_request *request, row_writer *writers);

    // Used instead of `candidates` for a single row, the only one of the request: passes it through the writer. Nothing
    // but the writer and `memory`, which is kept from row to row, is written to. If memory runs out, the failure is
    // recorded in the sink.
    void (*find_row)(const mote_neighbors *search, const row_request *request, row_writer *writer, mote_buffer *memory);

    // Passes all points to the visitor in groups. NULL: not supported.
    mote_result (*visit_groups)(mote_neighbors *search, mote_neighbors_group_visitor *visitor, void *user_data,
                                mote_error *error);

    // Writes the rows of the k nearest. NULL: not supported.
    void (*find_nearest)(mote_neighbors *search, const row_request *request, row_writer *writers);

    void (*release)(mote_neighbors *search);
    size_t (*byte_count)(const mote_neighbors *search);
    mote_result (*validate)(mote_neighbors *search, mote_error *error);
    void (*count)(const mote_neighbors *search, mote_neighbors_counters *counters);  // NULL: nothing to count
    const uint32_t *(*permutation)(const mote_neighbors *search);       // NULL: not supported
    // The points in the order of cells, and the index of each: float points that look from there into other points.
    // NULL: not supported; also if it answers false.
    bool (*sorted_points)(const mote_neighbors *search, mote_points *points, const uint32_t **numbers);
    // The points in the order in which find_rows finds them, if it can number rows in that order: tables are then
    // written and read from front to back. NULL: not supported; also if it answers NULL.
    const uint32_t *(*order_of_rows)(const mote_neighbors *search);
    // Records of the sorted points (grid_classes.h), if rows of codes can be found. NULL: not supported; also if it
    // answers NULL.
    const double *(*records)(const mote_neighbors *search);
    // Writes a sentence fragment: what the method does with the current points, and why. NULL: its description is
    // enough.
    void (*explain)(mote_neighbors *search, char *text, size_t size);

    // Only for a method that chooses another one, which then runs in its place. Double points are in search->points;
    // floats have not been checked yet (they may be invalid). Writes search->choice, which its `explain` describes.
    // NULL: an ordinary method.
    const neighbors_method *(*choose)(mote_neighbors *search, const mote_points *points, point_radii radii);
};

// What a method that chooses another one has measured (auto.c).
typedef struct method_choice {
    int reason;
    double measure;
} method_choice;

// The memory of lists, which its owner keeps from call to call.
typedef struct list_memory {
    mote_buffer first, counts, indices, squared, differences, shifts;
    uint64_t wanted;  // neighbours for which the last call would have needed room
} list_memory;

typedef struct lists_origin lists_origin;  // kept_lists.c

// The lists that the latest call returned, which can be taken, and handles that were given back.
typedef struct kept_memory {
    mote_lists latest;
    bool has_latest;
    mote_kept_lists *given;  // a chain
    lists_origin *origin;    // stands for this search in the handles; NULL: no lists were taken yet
} kept_memory;

// The rows that the latest mote_neighbors_pairs has found, from which more pairs can be written.
typedef struct found_pairs {
    mote_lists lists;
    bool are_found;
    bool are_codes;      // the lists' indices are codes
    bool are_in_order;   // rows are numbered in the method's order_of_rows
    uint64_t shifts[2];  // those that occur in codes
} found_pairs;

// The memory that finding rows takes besides.
typedef struct row_memory {
    mote_buffer writers, spans;
} row_memory;

struct mote_neighbors {
    const mote_context *context;
    const neighbors_method *method;   // the method that runs, and that `state` belongs to
    const neighbors_method *chooser;  // the method that chose it; NULL: the user did
    method_choice choice;             // and the reason
    char explanation[512];            // filled on request
    mote_neighbors_def def;
    void *state;
    bool has_points;
    bool is_plain;           // float points, one radius, indices only, no box: the case of the fast paths
    mote_scalar scalar;      // the type that points must have
    int dimensions;
    size_t count;
    double radius;           // in the points' precision; 0 with a radius per point
    float radius_squared;    // plain searches: float(radius)²
    double structure_radius; // the radius that the structure must support: the largest that any row of its own points
                             // may have (with MOTE_RADIUS_SUM twice that is needed)
    periodic_box box;        // with MOTE_NEIGHBORS_PERIODIC
    neighbors_skin *skin;    // with MOTE_NEIGHBORS_SKIN, unless the method ignores it
    bool is_within_skin;     // this is the inner search of a skin, whose radii include the skin
    neighbors_sets *sets;    // from the first mote_neighbors_update_sets on
    point_store points;      // empty if the search is plain and its method keeps no points
    nearest_index nearest;
    row_memory rows;
    list_memory lists;  // those of mote_neighbors_lists, subset, chunks, query and nearest
    kept_memory kept;
    found_pairs pairs;
    mote_buffer chunk_points;  // numbers of the points of a chunk
    size_t chunk_rows;         // of the next chunk, as the chunk before suggests
    mote_neighbors_counters counters;
};

// All features, which cell_grid and all_pairs have, and therefore `auto` too: it chooses the grid if another method
// lacks a requested feature.
enum {
    CELL_GRID_FEATURES = MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_QUERY | MOTE_NEIGHBORS_SUBSET | MOTE_NEIGHBORS_HALF |
                         MOTE_NEIGHBORS_ASCENDING | MOTE_NEIGHBORS_DISTANCES | MOTE_NEIGHBORS_DIFFERENCES |
                         MOTE_NEIGHBORS_RADII | MOTE_NEIGHBORS_PERIODIC | MOTE_NEIGHBORS_SKIN |
                         MOTE_NEIGHBORS_PERMUTATION | MOTE_NEIGHBORS_NEAREST | MOTE_NEIGHBORS_GROUPS
};

// The table (methods.c): a new method is one file and one line in the table.
extern const neighbors_method *const mote_neighbors_method_table[];
extern const size_t mote_neighbors_method_count;
extern const neighbors_method mote_neighbors_all_pairs;
extern const neighbors_method mote_neighbors_auto;
extern const neighbors_method mote_neighbors_cell_grid;
extern const neighbors_method mote_neighbors_cell_hash;
extern const neighbors_method mote_neighbors_cell_hash_incremental;
extern const neighbors_method mote_neighbors_spatial_hash;
extern const neighbors_method mote_neighbors_spatial_hash_dynamic;
extern const neighbors_method mote_neighbors_cell_index;
extern const neighbors_method mote_neighbors_cell_index_approx;
extern const neighbors_method mote_neighbors_hierarchical_hash;
extern const neighbors_method mote_neighbors_kd_tree;

// Checks every value of the def (def.c) and finds its method, which must offer all requested features, and its
// periodic box.
mote_result mote_neighbors_def_check(const mote_neighbors_def *def, const neighbors_method **method, periodic_box *box,
                                     mote_error *error);

static inline bool mote_search_has(const mote_neighbors *search, uint32_t feature)
{
    return (search->def.features & feature) != 0;
}

// The largest squared distance of neighbours with this reach, in the points' precision. For an open ball it is the
// number just below reach²; squares of legal radii are normal numbers, so that is the same as being less than reach².
static inline double mote_limit_squared(const mote_neighbors *search, double reach)
{
    const bool is_open = search->def.open_ball;
    if (search->scalar == MOTE_F32) {
        float squared = (float)reach * (float)reach;
        uint32_t bits;
        memcpy(&bits, &squared, sizeof bits);
        bits -= is_open;
        memcpy(&squared, &bits, sizeof bits);
        return (double)squared;
    }
    double squared = reach * reach;
    uint64_t bits;
    memcpy(&bits, &squared, sizeof bits);
    bits -= is_open;
    memcpy(&squared, &bits, sizeof bits);
    return squared;
}

// Tells whether the search has its points in search->points.
static inline bool mote_search_keeps_points(const mote_neighbors *search)
{
    const uint32_t needs = MOTE_NEIGHBORS_NEAREST | MOTE_NEIGHBORS_F64 | MOTE_NEIGHBORS_RADII |
                           MOTE_NEIGHBORS_PERIODIC | MOTE_NEIGHBORS_SKIN;
    if (search->method->keeps_points || mote_search_has(search, needs)) return true;
    return mote_search_has(search, MOTE_NEIGHBORS_SUBSET) && !search->method->finds_places;
}

// The distance test that defines neighbours (see neighbors.h), for float points.
MOTE_INLINE bool mote_within(float dx, float dy, float dz, float radius_squared)
{
    return (dx * dx + dy * dy) + dz * dz <= radius_squared;
}

// Returns row number k of the request.
static inline row_query mote_request_get(const mote_neighbors *search, const row_request *request, size_t k)
{
    row_query query = {.row = (uint32_t)k, .self = UINT32_MAX, .radius = search->radius};
    if (request->queries) {
        if (request->numbers) query.row = request->numbers[k];
        for (int a = 0; a < 3; ++a) query.at[a] = mote_points_get(request->queries, k, a);
        if (request->query_radii.first) query.radius = mote_radii_get(request->query_radii, k, search->scalar);
        return query;
    }
    query.self = request->subset ? request->subset[k] : (uint32_t)k;
    mote_point_store_get(&search->points, query.self, query.at);
    if (search->points.max_radius > 0) query.radius = mote_point_store_radius(&search->points, query.self);
    return query;
}

// Returns the largest distance of neighbours with these radii, in the points' precision.
static inline double mote_pair_reach(const mote_neighbors *search, double mine, double other)
{
    if (!mote_search_has(search, MOTE_NEIGHBORS_RADII) || search->def.radius_rule == MOTE_RADIUS_MINE) return mine;
    if (search->def.radius_rule == MOTE_RADIUS_LARGER) return mine > other ? mine : other;
    return search->scalar == MOTE_F32 ? (double)((float)mine + (float)other) : mine + other;
}

// Returns an upper bound of the distance of a row's neighbours among points whose radii are at most max_radius.
static inline double mote_query_reach(const mote_neighbors *search, const row_query *query, double max_radius)
{
    return mote_pair_reach(search, query->radius, max_radius);
}

#endif
