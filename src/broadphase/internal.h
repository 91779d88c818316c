// SPDX-License-Identifier: MIT
// broadphase/internal.h: what the methods share: the object, the method table's entry, and candidates on their way to
// whoever asked.
//
// A method keeps places of objects (update) and names candidates: all objects whose box overlaps a reach, each once,
// and maybe others. It offers them to a sink, which tests boxes, shapes, filters and kinds: so every method has every
// feature, and all find the same. A method that enumerates pairs better than by a query for each object, or that finds
// the closest box by other means than growing spheres, brings functions for these.
#ifndef MOTE_BROADPHASE_INTERNAL_H
#define MOTE_BROADPHASE_INTERNAL_H

#include "base/internal.h"
#include "broadphase/box_search.h"
#include "broadphase/pair_list.h"
#include "broadphase/probe.h"
#include "broadphase/query_order.h"
#include "broadphase/store.h"

// Takes an object that was found; answers whether to go on.
typedef struct candidate_sink candidate_sink;
typedef bool sink_taker(candidate_sink *sink, uint32_t id);

struct candidate_sink {
    const mote_broadphase *broad;  // whose objects are offered
    const broadphase_probe *probe;
    const mote_bounds *before;     // what overlaps it was offered already; NULL: nothing was
    mote_filter filter;
    bool skips_static;  // asked by a static object
    sink_taker *take;
    void *data;
    bool stopped;       // nothing more is wanted
    uint64_t lookups, candidates, hits;
};

// Pairs on their way to a list. One a worker; keys are a << 32 | b.
typedef struct pair_writer {
    const object_store *store;
    pair_list list;
    uint64_t *keys;
    size_t count;
    uint64_t lookups, candidates;
    bool has_ended;  // wants no more
} pair_writer;

typedef struct broadphase_method broadphase_method;
struct broadphase_method {
    mote_broadphase_method_info info;
    size_t state_bytes;  // of the method's own state, zeroed on creation: that of no objects

    // Takes in the store's changes, or with `rebuild` all of its objects. On failure the state must be fit for release
    // or a rebuild.
    mote_result (*update)(mote_broadphase *broad, bool rebuild, mote_error *error);

    // Offers every object that overlaps the probe's reach to the sink, each once, until it has stopped. Called
    // concurrently.
    void (*candidates)(const mote_broadphase *broad, candidate_sink *sink);

    // Offers every pair of objects whose boxes overlap once, in whatever order, to the writers, of which each worker
    // has one. NULL: by a query for each object.
    void (*pairs)(const mote_broadphase *broad, pair_writer *writers);

    // The same at once, ascending, as keys a << 32 | b that stay until the next call; filters and kinds are the
    // caller's business. Where memory runs out, outcome->count is their number if it is known. May be NULL.
    // @param held  bytes of buffers that the caller fills with the result
    mote_result (*sorted_pairs)(mote_broadphase *broad, size_t held, const uint64_t **keys, pair_outcome *outcome);

    // Rows of all objects that overlap each of many boxes, likewise. NULL: one by one.
    // @param is_batch  whether the rows of the last batch may go; else they stay as they were handed out
    mote_result (*box_rows)(mote_broadphase *broad, const mote_bounds *boxes, size_t count, bool is_batch,
                            box_rows *rows);

    // The closest that the filter lets through, with closest->squared above nothing that counts on entry. NULL: by
    // spheres that grow.
    void (*closest)(const mote_broadphase *broad, const double at[3], mote_filter filter, mote_closest_object *closest);

    void (*release)(mote_broadphase *broad);
    size_t (*byte_count)(const mote_broadphase *broad);
    mote_result (*validate)(mote_broadphase *broad, mote_error *error);
    size_t (*result_bytes)(const mote_broadphase *broad);  // of rows and pairs; NULL: none
    // The rest may be NULL: cells and entries of the counters; a part of a sentence; cells.
    void (*count)(const mote_broadphase *broad, mote_broadphase_counters *counters);
    void (*explain)(const mote_broadphase *broad, char *text, size_t size);
    void (*cells)(const mote_broadphase *broad, void (*visitor)(void *, const mote_broadphase_cell *), void *data);

    // A method that only chooses another one, which then runs in its place; *reason receives why. NULL: an ordinary
    // method.
    const broadphase_method *(*choose)(const mote_broadphase *broad, const char **reason);
};

// A worker of a batch: its rows' ids, one row behind the other.
typedef struct row_worker {
    const mote_context *context;
    mote_buffer memory;
    uint32_t *ids;
    size_t count;
    bool out_of_memory;
    size_t first_bad;  // query that makes no sense, or SIZE_MAX
    uint64_t lookups, candidates;
} row_worker;

// What a batch leaves with its owner, and what its workers write to.
typedef struct id_row_store {
    mote_buffer first, counts, sources, starts, workers, ids, boxes;
    query_order order;
} id_row_store;

typedef struct pair_store {
    mote_buffer writers, keys, spare, pairs;
    pair_tally tally;
    mote_buffer before, begun, stayed, ended;  // pairs of the last events; those told of now
    size_t before_count;
} pair_store;

struct mote_broadphase {
    const mote_context *context;
    const broadphase_method *method;   // that runs, and whose state this is
    const broadphase_method *chooser;  // that chose it; NULL: the user did
    const char *reason;                // and why
    char explanation[512];             // once it was asked for
    mote_broadphase_def def;
    void *state;
    bool needs_rebuild;
    object_store store;
    id_row_store rows;
    pair_store pairs;
    mote_broadphase_counters counters;
};

// The table (methods.c): a new method is one file and one line there.
extern const broadphase_method *const mote_broadphase_method_table[];
extern const size_t mote_broadphase_method_count;
extern const broadphase_method mote_broadphase_auto;
extern const broadphase_method mote_broadphase_brute_force;
extern const broadphase_method mote_broadphase_uniform_hash;
extern const broadphase_method mote_broadphase_multilevel_hash;
extern const broadphase_method mote_broadphase_hierarchical_hash;
extern const broadphase_method mote_broadphase_bvh8;
extern const broadphase_method mote_broadphase_box_join;

// Checks every value of the def (def.c) and finds its method.
mote_result mote_broadphase_def_check(const mote_broadphase_def *def, const broadphase_method **method,
                                      mote_error *error);

// broadphase.c: whether queries find all that was added.
static inline bool mote_broadphase_is_current(const mote_broadphase *broad)
{
    return broad->store.changed_count == 0 && (!broad->needs_rebuild || broad->store.end == 0);
}

// results.c
mote_result mote_broadphase_refuse_state(mote_error *error);  // an update is missing
mote_result mote_broadphase_refuse_null(mote_broadphase *broad, const char *name, mote_error *error);
mote_result mote_broadphase_out_of_memory(const char *what, mote_error *error);

// Makes the method name its candidates. Needs an object that is current.
void mote_broadphase_offer(const mote_broadphase *broad, candidate_sink *sink);

void mote_id_rows_release(mote_broadphase *broad);
size_t mote_id_rows_byte_count(const mote_broadphase *broad);
void mote_pairs_release(mote_broadphase *broad);
size_t mote_pairs_byte_count(const mote_broadphase *broad);

// rows.c, pairs.c, joined.c
// All pairs as an array of its own in `pairs.pairs`, ascending.
mote_result mote_pairs_find(mote_broadphase *broad, mote_pairs *pairs, mote_error *error);

// By a method's box_rows or sorted_pairs, which it has.
mote_result mote_joined_rows(mote_broadphase *broad, const mote_boxes *boxes, mote_filter filter, mote_id_rows *rows,
                             mote_error *error);
mote_result mote_joined_pairs(mote_broadphase *broad, mote_pairs *pairs, mote_error *error);
mote_result mote_joined_pairs_between(mote_broadphase *broad, mote_broadphase *other, mote_pairs *pairs,
                                      mote_error *error);

// A moving box that is looked for piece by piece; of no use where cells at the rim of the world hold objects, whose
// coordinates may have any size. Begin, and search while there is a next one: the sink's probe is then the piece.
typedef struct probe_pieces {
    const broadphase_probe *whole;
    uint32_t count, next;
    double largest;  // coordinate of what is to be found
    mote_bounds before;
    broadphase_probe piece;
} probe_pieces;

void mote_pieces_begin(probe_pieces *pieces, const candidate_sink *sink, const probed_cells *cells, size_t classes);
bool mote_pieces_next(probe_pieces *pieces, candidate_sink *sink);

// What remains to be tested of an object whose box overlaps the reach; takes it if all holds.
bool mote_sink_meet(candidate_sink *sink, uint32_t id);

// Answers false where nothing more is wanted.
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

// Two objects of the store, in whatever order.
MOTE_INLINE void mote_pair_offer(pair_writer *writer, uint32_t a, uint32_t b)
{
    writer->candidates += 1;
    const object_store *store = writer->store;
    if (mote_bounds_overlap(store->boxes + a, store->boxes + b) && mote_pair_may_meet(store, a, b))
        mote_pair_add(writer, a, b);
}

#endif
