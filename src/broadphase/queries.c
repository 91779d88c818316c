// SPDX-License-Identifier: MIT
// Queries one at a time: a probe, a sink, and the method's candidates.

#include <float.h>

#include "broadphase/internal.h"

enum { LONGEST_IN_CELLS = 1024 };  // longest object, in cells of its class: COVERED_MOST and more

void mote_broadphase_offer(const mote_broadphase *broad, candidate_sink *sink)
{
    if (broad->store.alive) broad->method->candidates(broad, sink);
}

bool mote_sink_meet(candidate_sink *sink, uint32_t id)
{
    const object_store *store = &sink->broad->store;
    if (sink->before && mote_bounds_overlap(store->boxes + id, sink->before)) return true;
    if (!mote_probe_meets(sink->probe, store->boxes + id)) return true;
    if (!mote_filters_meet(sink->filter, store->filters[id])) return true;
    if (sink->skips_static && mote_store_is_static(store, id)) return true;
    sink->hits += 1;
    sink->stopped = !sink->take(sink, id);
    return !sink->stopped;
}

void mote_pieces_begin(probe_pieces *pieces, const candidate_sink *sink, const probed_cells *cells, size_t classes)
{
    const mote_bounds *reach = &sink->probe->reach;
    double coarsest = 0, largest = 0;
    pieces->whole = sink->probe;
    pieces->next = 0;
    pieces->count = classes ? mote_probe_cut(sink->probe, cells, classes) : 1;
    if (pieces->count == 1) return;
    for (size_t c = 0; c < classes; ++c) coarsest = fmax(coarsest, 1 / cells[c].inverse_edge);
    for (int k = 0; k < 3; ++k)
        largest = fmax(largest, fmax(fabs((double)reach->min[k]), fabs((double)reach->max[k])));
    pieces->largest = largest + LONGEST_IN_CELLS * coarsest;
    pieces->piece = *sink->probe;
}

bool mote_pieces_next(probe_pieces *pieces, candidate_sink *sink)
{
    const uint32_t at = pieces->next++;
    sink->probe = pieces->whole;
    sink->before = NULL;
    if (at == pieces->count || sink->stopped) return false;
    if (pieces->count == 1) return true;
    pieces->before = pieces->piece.reach;
    pieces->piece.reach = mote_probe_piece(pieces->whole, at, pieces->count, pieces->largest);
    sink->probe = &pieces->piece;
    sink->before = at ? &pieces->before : NULL;
    return true;
}

typedef struct visit {
    mote_broadphase_visitor *visitor;
    void *user_data;
} visit;

static bool hand_over(candidate_sink *sink, uint32_t id)
{
    const visit *to = sink->data;
    return to->visitor(to->user_data, id);
}

static mote_result look(const mote_broadphase *broad, const broadphase_probe *probe, mote_filter filter,
                        mote_broadphase_visitor *visitor, void *user_data, mote_error *error)
{
    visit to = {visitor, user_data};
    if (!mote_broadphase_is_current(broad)) return mote_broadphase_refuse_state(error);
    candidate_sink sink = {.broad = broad, .probe = probe, .filter = filter, .take = hand_over, .data = &to};
    mote_broadphase_offer(broad, &sink);
    return MOTE_OK;
}

static mote_result refuse_shape(mote_error *error)
{
    return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                     "broadphase: the query's shape: expected finite numbers, the minimum not "
                     "above the maximum and no radius below 0");
}

mote_result mote_broadphase_query_box(const mote_broadphase *broad, const mote_bounds *box, mote_filter filter,
                                      mote_broadphase_visitor *visitor, void *user_data, mote_error *error)
{
    broadphase_probe probe;
    if (!broad || !box || !visitor) return mote_fail_null(error, "broadphase", "the object or an argument");
    const bool fits = mote_probe_box(&probe, broad->def.dimensions, box);
    return fits ? look(broad, &probe, filter, visitor, user_data, error) : refuse_shape(error);
}

mote_result mote_broadphase_query_point(const mote_broadphase *broad, const float point[3], mote_filter filter,
                                        mote_broadphase_visitor *visitor, void *user_data, mote_error *error)
{
    broadphase_probe probe;
    if (!broad || !point || !visitor) return mote_fail_null(error, "broadphase", "the object or an argument");
    const bool fits = mote_probe_point(&probe, broad->def.dimensions, point);
    return fits ? look(broad, &probe, filter, visitor, user_data, error) : refuse_shape(error);
}

mote_result mote_broadphase_query_sphere(const mote_broadphase *broad, const float center[3], float radius,
                                         mote_filter filter, mote_broadphase_visitor *visitor, void *user_data,
                                         mote_error *error)
{
    broadphase_probe probe;
    if (!broad || !center || !visitor) return mote_fail_null(error, "broadphase", "the object or an argument");
    const bool fits = mote_probe_sphere(&probe, broad->def.dimensions, center, radius);
    return fits ? look(broad, &probe, filter, visitor, user_data, error) : refuse_shape(error);
}

mote_result mote_broadphase_query_segment(const mote_broadphase *broad, const float a[3], const float b[3],
                                          mote_filter filter, mote_broadphase_visitor *visitor, void *user_data,
                                          mote_error *error)
{
    broadphase_probe probe;
    if (!broad || !a || !b || !visitor) return mote_fail_null(error, "broadphase", "the object or an argument");
    const bool fits = mote_probe_segment(&probe, broad->def.dimensions, a, b);
    return fits ? look(broad, &probe, filter, visitor, user_data, error) : refuse_shape(error);
}

mote_result mote_broadphase_query_sweep(const mote_broadphase *broad, const mote_bounds *box, const float motion[3],
                                        mote_filter filter, mote_broadphase_visitor *visitor, void *user_data,
                                        mote_error *error)
{
    broadphase_probe probe;
    if (!broad || !box || !motion || !visitor) return mote_fail_null(error, "broadphase", "the object or an argument");
    const bool fits = mote_probe_sweep(&probe, broad->def.dimensions, box, motion);
    return fits ? look(broad, &probe, filter, visitor, user_data, error) : refuse_shape(error);
}

// ------------------------------------------------------------------------------------------------------ closest

typedef struct closest_search {
    const double *at;
    mote_closest_object best;
} closest_search;

static bool take_closest(candidate_sink *sink, uint32_t id)
{
    closest_search *search = sink->data;
    double squared = mote_bounds_squared_distance(sink->broad->store.boxes + id, search->at);
    bool closer = squared < search->best.squared || (squared == search->best.squared && id < search->best.id);
    if (closer) search->best = (mote_closest_object){id, squared};
    return true;
}

// Searches with growing spheres until one finds something: nothing outside it can then be closer.
static void grow_spheres(const mote_broadphase *broad, const float point[3], float distance, mote_filter filter,
                         closest_search *search)
{
    broadphase_probe probe;
    candidate_sink sink = {.broad = broad, .probe = &probe, .filter = filter, .take = take_closest, .data = search};
    const float start = mote_store_spacing(&broad->store, broad->def.dimensions);
    for (float radius = 0;; radius = radius > 0 ? 2 * radius : start > FLT_MIN ? start : FLT_MIN) {
        bool is_last = radius >= distance;
        if (is_last) radius = distance;
        if (isfinite(radius)) {
            mote_probe_sphere(&probe, broad->def.dimensions, point, radius);
        } else {  // then searches everything
            const mote_bounds world = {{-FLT_MAX, -FLT_MAX, -FLT_MAX}, {FLT_MAX, FLT_MAX, FLT_MAX}};
            mote_probe_box(&probe, broad->def.dimensions, &world);
            is_last = true;
        }
        mote_broadphase_offer(broad, &sink);
        if (search->best.id != MOTE_NO_OBJECT || is_last) return;
    }
}

mote_result mote_broadphase_closest(const mote_broadphase *broad, const float point[3], float distance,
                                    mote_filter filter, mote_closest_object *closest, mote_error *error)
{
    if (!broad || !point || !closest) return mote_fail_null(error, "broadphase", "the object, the point or closest");
    if (!(distance >= 0))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "broadphase: a distance of %g, expected 0 or more",
                         (double)distance);
    double at[3] = {0, 0, 0};
    for (int k = 0; k < broad->def.dimensions; ++k) {
        if (!isfinite(point[k])) return refuse_shape(error);
        at[k] = (double)point[k];
    }
    if (!mote_broadphase_is_current(broad)) return mote_broadphase_refuse_state(error);
    closest_search search = {at, {MOTE_NO_OBJECT, HUGE_VAL}};
    if (broad->store.alive && broad->method->closest) {
        search.best.squared = (double)distance * (double)distance;
        broad->method->closest(broad, at, filter, &search.best);
    } else if (broad->store.alive) {
        grow_spheres(broad, point, distance, filter, &search);
    }
    if (search.best.id == MOTE_NO_OBJECT) search.best.squared = HUGE_VAL;
    *closest = search.best;
    return MOTE_OK;
}
