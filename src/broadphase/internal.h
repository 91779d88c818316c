// SPDX-License-Identifier: MIT
// broadphase/internal.h: what the broad-phase methods share: the broad-phase object, the method table's entry, and
// the candidates that a method passes to its caller.
//
// A method keeps the places of the objects (update) and names candidates: all objects whose box overlaps a given box
// (the reach), each once, and possibly others. It passes them to a sink, which tests boxes, shapes, filters and
// kinds. So every method has every feature, and all methods find the same objects. A method provides further
// functions if it can enumerate pairs faster than by one query per object, or can find the closest box other than by
// growing spheres.
#ifndef MOTE_BROADPHASE_INTERNAL_H
#define MOTE_BROADPHASE_INTERNAL_H

#include "base/internal.h"
#include "broadphase/box_search.h"
#include "broadphase/pair_list.h"
#include "broadphase/probe.h"
#include "broadphase/query_order.h"
#include "broadphase/store.h"

// Takes an object that was found; returns whether the search should go on.
typedef struct candidate_sink candidate_sink;
typedef bool sink_taker(candidate_sink *sink, uint32_t id);

struct candidate_sink {
    const mote_broadphase *broad;  // the broad phase whose objects are offered
    const broadphase_probe *probe;
    const mote_bounds *before;     // objects that overlap this box were offered already; NULL: none were
    mote_filter filter;
    bool skips_static;  // the query is for a static object
    sink_taker *take;
    void *data;
    bool stopped;       // the caller wants no more objects
    uint64_t lookups, candidates, hits;
};

// Collects pairs for a list. There is one writer per worker; keys are a << 32 | b.
typedef struct pair_writer {
    const object_store *store;
    pair_list list;
    uint64_t *keys;
    size_t count;
    uint64_t lookups, candidates;
    bool has_ended;  // takes no more pairs
} pair_writer;

typedef struct broadphase_method broadphase_method;
struct broadphase_method {
    mote_broadphase_method_info info;
    size_t state_bytes;  // size of the method's own state, which is zeroed on creation: the state without objects

    // Applies the store's changes, or with `rebuild` takes in all of its objects. After a failure the state must
    // still allow a release or a rebuild.
    mote_result (*update)(mote_broadphase *broad, bool rebuild, mote_error *error);

    // Offers every object that overlaps the probe's reach to the sink, each once, until the sink has stopped. Is
    // called concurrently.
    void (*candidates)(const mote_broadphase *broad, candidate_sink *sink);

    // Offers every pair of objects whose boxes overlap once, in any order, to the writers, of which each worker has
    // one. NULL: pairs are found by one query per object.
    void (*pairs)(const mote_broadphase *broad, pair_writer *writers);

    // Finds the same pairs in one call, ascending, as keys a << 32 | b that stay valid until the next call; the
    // caller applies filters and kinds. If memory runs out, outcome->count is the number of pairs if it is known. May
    // be NULL.
    // @param held  bytes of buffers that the caller fills with the result
    mote_result (*sorted_pairs)(mote_broadphase *broad, size_t held, const uint64_t **keys, pair_outcome *outcome);

    // Finds for each of many boxes the row of all objects that overlap it, with the same rules. NULL: one query per
    // box.
    // @param is_batch  whether the rows of the last batch may be discarded; else they stay as they were handed out
    mote_result (*box_rows)(mote_broadphase *broad, const mote_bounds *boxes, size_t count, bool is_batch,
                            box_rows *rows);

    // Finds the closest object that the filter lets through. On entry closest->squared is above every distance that
    // counts. NULL: the closest object is found by growing spheres.
    void (*closest)(const mote_broadphase *broad, const double at[3], mote_filter filter, mote_closest_object *closest);

    void (*release)(mote_broadphase *broad);
    size_t (*byte_count)(const mote_broadphase *broad);
    mote_result (*validate)(mote_broadphase *broad, mote_error *error);
    size_t (*result_bytes)(const mote_broadphase *broad);  // bytes of rows and pairs; NULL: none
    // The rest may be NULL: cells and entries for the counters; a part of a sentence; cells to show.
    void (*count)(const mote_broadphase *broad, mote_broadphase_counters *counters);
    void (*explain)(const mote_broadphase *broad, char *text, size_t size);
    void (*cells)(const mote_broadphase *broad, void (*visitor)(void *, const mote_broadphase_cell *), void *data);

    // Only for a method that chooses another one, which then runs in its place; *reason receives the reason for the
    // choice. NULL: an ordinary method.
    const broadphase_method *(*choose)(const mote_broadphase *broad, const char **reason);
};

// A worker of a batch: the ids of its rows, one row after another.
typedef struct row_worker {
    const mote_context *context;
    mote_buffer memory;
    uint32_t *ids;
    size_t count;
    bool out_of_memory;
    size_t first_bad;  // first invalid query, or SIZE_MAX
    uint64_t lookups, candidates;
} row_worker;

// The results that a batch leaves with the broad phase, and the memory that its workers write to.
typedef struct id_row_store {
    mote_buffer first, counts, sources, starts, workers, ids, boxes;
    query_order order;
} id_row_store;

typedef struct pair_store {
    mote_buffer writers, keys, spare, pairs;
    pair_tally tally;
    mote_buffer before, begun, stayed, ended;  // pairs of the last events; pairs reported now
    size_t before_count;
} pair_store;

struct mote_broadphase {
    const mote_context *context;
    const broadphase_method *method;   // the method that runs; `state` is its state
    const broadphase_method *chooser;  // the method that chose it; NULL: the user did
    const char *reason;                // why it was chosen
    char explanation[512];             // filled when it is asked for
    mote_broadphase_def def;
    void *state;
    bool needs_rebuild;
    object_store store;
    id_row_store rows;
    pair_store pairs;
    mote_broadphase_counters counters;
};

// The table of methods (methods.c): a new method is one file and one line there.
extern const broadphase_method *const mote_broadphase_method_table[];
extern const size_t mote_broadphase_method_count;
extern const broadphase_method mote_broadphase_auto;
extern const broadphase_method mote_broadphase_brute_force;
extern const broadphase_method mote_broadphase_uniform_hash;
extern const broadphase_method mote_broadphase_multilevel_hash;
extern const broadphase_method mote_broadphase_hierarchical_hash;
extern const broadphase_method mote_broadphase_bvh8;
extern const broadphase_method mote_broadphase_box_join;

// Checks every value of the def and finds its method (def.c).
mote_result mote_broadphase_def_check(const mote_broadphase_def *def, const broadphase_method **method,
                                      mote_error *error);

// broadphase.c: whether queries find all objects that were added.
static inline bool mote_broadphase_is_current(const mote_broadphase *broad)
{
    return broad->store.changed_count == 0 && (!broad->needs_rebuild || broad->store.end == 0);
}

// results.c
mote_result mote_broadphase_refuse_state(mote_error *error);  // an update is missing
mote_result mote_broadphase_refuse_null(mote_broadphase *broad, const char *name, mote_error *error);
mote_result mote_broadphase_out_of_memory(const char *what, mote_error *error);

// Makes the method offer its candidates to the sink. The broad phase must be current.
void mote_broadphase_offer(const mote_broadphase *broad, candidate_sink *sink);

void mote_id_rows_release(mote_broadphase *broad);
size_t mote_id_rows_byte_count(const mote_broadphase *broad);
void mote_pairs_release(mote_broadphase *broad);
size_t mote_pairs_byte_count(const mote_broadphase *broad);

// rows.c, pairs.c, joined.c
// Finds all pairs and leaves them as an array in `pairs.pairs`, ascending.
mote_result mote_pairs_find(mote_broadphase *broad, mote_pairs *pairs, mote_error *error);

// Uses the method's box_rows or sorted_pairs, which it must have.
mote_result mote_joined_rows(mote_broadphase *broad, const mote_boxes *boxes, mote_filter filter, mote_id_rows *rows,
                             mote_error *error);
mote_result mote_joined_pairs(mote_broadphase *broad, mote_pairs *pairs, mote_error *error);
mote_result mote_joined_pairs_between(mote_broadphase *broad, mote_broadphase *other, mote_pairs *pairs,
                                      mote_error *error);

// A moving box whose path is searched in pieces. Not usable where cells at the edge of the grid hold objects,
// because their coordinates may have any size. Call begin, then search as long as there is a next piece: the sink's
// probe is then that piece.
typedef struct probe_pieces {
    const broadphase_probe *whole;
    uint32_t count, next;
    double largest;  // largest coordinate of the objects to be found
    mote_bounds before;
    broadphase_probe piece;
} probe_pieces;

void mote_pieces_begin(probe_pieces *pieces, const candidate_sink *sink, const probed_cells *cells, size_t classes);
bool mote_pieces_next(probe_pieces *pieces, candidate_sink *sink);

// Tests what remains to be tested of an object whose box overlaps the reach; takes it if all tests pass.
bool mote_sink_meet(candidate_sink *sink, uint32_t id);

// Returns false when the sink wants no more objects.
MOTE_INLINE bool mote_sink_offer(candidate_sink *sink, uint32_t id)
{
    sink->candidates += 1;
    if (!mote_bounds_overlap(sink->broad->store.boxes + id, &sink->probe->reach)) return true;
    return mote_sink_meet(sink, id);
}

void mote_pair_add_key(pair_writer *writer, uint64_t key);
// Adds a pair, the lower id first.
void mote_pair_add(pair_writer *writer, uint32_t a, uint32_t b);

static inline bool mote_pair_may_meet(const object_store *store, uint32_t a, uint32_t b)
{
    return mote_filters_meet(store->filters[a], store->filters[b]) &&
           !(mote_store_is_static(store, a) && mote_store_is_static(store, b));
}

// Offers a pair of two objects of the store, in any order.
MOTE_INLINE void mote_pair_offer(pair_writer *writer, uint32_t a, uint32_t b)
{
    writer->candidates += 1;
    const object_store *store = writer->store;
    if (mote_bounds_overlap(store->boxes + a, store->boxes + b) && mote_pair_may_meet(store, a, b))
        mote_pair_add(writer, a, b);
}

#endif
