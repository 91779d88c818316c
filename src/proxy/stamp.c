// SPDX-License-Identifier: MIT
// Stamps particles with their sides: directly in empty leaves, leaf by leaf in leaves with triangles.
//
// Particles in leaves with triangles are sorted by leaf. A leaf's triangles are then arranged for testing eight of
// them at a time against a line of sight, and are used for all its particles. Lines, tests and their order are those
// of mote_view_side, and so the sides are the same. Particles without a clear result along the first line use
// mote_view_side itself, as do all particles if there is no memory for sorting.

#include "proxy/lanes.h"

enum { STAMPS_A_BLOCK = 256, KEYS_A_BLOCK = 4096 };

typedef struct stamp_task {
    const mote_proxy *proxy;
    const mote_proxy_particles *particles;
    const sight_lanes *lanes;
    uint64_t *keys;   // nodes
    uint32_t *order;  // particles in leaves with triangles
    atomic_size_t *unfit;  // the first particle whose position is not finite
} stamp_task;

// ----------------------------------------------------------------------------------------------------------- leaves

static void put(double column[3][TILE], size_t i, mote_vec3 v)
{
    column[0][i] = v.x;
    column[1][i] = v.y;
    column[2][i] = v.z;
}

static void fill_tile(const mote_leaf_view *view, size_t first, sight_tile *tile)
{
    tile->count = MOTE_MIN(view->count - first, TILE);
    for (size_t i = 0; i < (tile->count + LANES - 1) / LANES * LANES; ++i) {
        // After the last triangle there are filling lanes whose results are not used.
        const size_t at = first + MOTE_MIN(i, tile->count - 1);
        const mote_triangle t = view->triangles[view->list[at]];
        const mote_vec3 e = mote_vec3_sub(t.b, t.a), f = mote_vec3_sub(t.c, t.a), cross = mote_vec3_cross(e, f);
        put(tile->corner, i, t.a);
        put(tile->edge, i, e);
        put(tile->other, i, f);
        put(tile->cross, i, cross);
        tile->square[i] = mote_vec3_dot(cross, cross);
    }
}

static void look_along(const sight_tile *tile, const sight_lanes *lanes, sight_line *line)
{
    for (size_t first = 0; first < tile->count; first += LANES) {
        sight_planes planes;
        lanes->cross_planes(tile, first, line, &planes);
        const uint32_t there = tile->count - first < LANES ? (1u << (tile->count - first)) - 1 : 0xFF;
        if (planes.run_in & there) {
            line->is_clear = false;
            return;
        }
        uint32_t bits = planes.crossed & there;
        if (bits) bits &= lanes->within_edges(tile, first, line, &planes);
        for (uint32_t i = 0; bits; ++i, bits >>= 1)
            if (bits & 1) mote_gaze_meet(&line->gaze, planes.time[i], -planes.along[i]);
    }
}

static mote_vec3 position_of(const mote_proxy_particles *particles, size_t i)
{
    double at[3];
    for (int k = 0; k < 3; ++k)
        at[k] = mote_move_load(particles, particles->position, particles->position_stride, i, k);
    return mote_vec3_make(at[0], at[1], at[2]);
}

static mote_vec3 in_leaves(const mote_proxy *proxy, mote_vec3 point)
{
    return mote_vec3_scale(mote_vec3_sub(point, proxy->origin), proxy->scale);
}

static bool find_spot(const mote_proxy *proxy, mote_vec3 point, mote_spot *spot)
{
    uint32_t cell[3];
    if (!mote_proxy_cell(proxy, point, cell)) return false;
    *spot = mote_proxy_find(proxy, cell);
    return true;
}

// Some particles of one leaf.
static void stamp_leaf(const stamp_task *task, const uint32_t *order, size_t count)
{
    const mote_proxy *proxy = task->proxy;
    mote_spot spot;
    mote_leaf_view view;
    if (!find_spot(proxy, position_of(task->particles, order[0]), &spot)) return;
    if (!mote_proxy_view(proxy, spot.node, spot.low, spot.size, &view)) return;
    mote_vec3 anchor = {0, 0, 0};
    const bool has_anchor = mote_view_anchor(&view, view.list[0], &anchor);
    sight_line lines[STAMPS_A_BLOCK];
    for (size_t i = 0; i < count; ++i) {
        const mote_vec3 point = in_leaves(proxy, position_of(task->particles, order[i]));
        const mote_vec3 way = mote_vec3_sub(anchor, point);
        lines[i] = (sight_line){point, way, mote_vec3_dot(way, way), {.nearest = HUGE_VAL}, has_anchor};
    }
    for (size_t first = 0; has_anchor && first < view.count; first += TILE) {
        sight_tile tile;
        fill_tile(&view, first, &tile);
        for (size_t i = 0; i < count; ++i)
            if (lines[i].is_clear) look_along(&tile, task->lanes, &lines[i]);
    }
    for (size_t i = 0; i < count; ++i) {
        const uint8_t side = lines[i].is_clear ? mote_gaze_side(&lines[i].gaze) : MOTE_PROXY_UNKNOWN;
        task->particles->labels[order[i]] =
            side == MOTE_PROXY_UNKNOWN ? mote_view_side(&view, lines[i].point) : side;
    }
}

static void stamp_leaves(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const stamp_task *task = data;
    for (size_t i = begin, next; i < end; i = next) {
        for (next = i + 1; next < end && task->keys[next] == task->keys[i]; ++next) continue;
        stamp_leaf(task, task->order + i, next - i);
    }
}

// -------------------------------------------------------------------------------------------------------- particles

// Writes the labels of empty leaves, and MOTE_PROXY_LEAF for others.
static void stamp_empty(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const stamp_task *task = data;
    for (size_t i = begin; i < end; ++i) {
        mote_spot spot;
        uint32_t kind = MOTE_PROXY_UNKNOWN;
        const mote_vec3 point = position_of(task->particles, i);
        if (!isfinite(point.x) || !isfinite(point.y) || !isfinite(point.z)) mote_move_note_unfit(task->unfit, i);
        else if (find_spot(task->proxy, point, &spot)) kind = spot.kind;
        const bool is_known = kind == MOTE_PROXY_FRONT || kind == MOTE_PROXY_BACK || kind == MOTE_PROXY_LEAF;
        task->particles->labels[i] = (uint8_t)(is_known ? kind : MOTE_PROXY_UNKNOWN);
    }
}

static void find_keys(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const stamp_task *task = data;
    for (size_t i = begin; i < end; ++i) {
        mote_spot spot = {.node = 0};
        (void)find_spot(task->proxy, position_of(task->particles, task->order[i]), &spot);
        task->keys[i] = spot.node;
    }
}

// False if there is not enough memory.
static bool stamp_sorted(stamp_task *task, size_t count)
{
    const mote_context *context = task->proxy->context;
    mote_buffer memory = {0};
    if (mote_buffer_reserve(context, &memory, mote_bytes(count, 24), 0) != MOTE_OK) {
        if (mote_log_is_first(context, MOTE_WARNING_STAMPS))
            mote_log_message(context, "proxy: no memory to sort %zu particles by leaf: they are stamped one by one",
                             count);
        return false;
    }
    task->keys = memory.data;  // and as many again as scratch
    task->order = (uint32_t *)(task->keys + 2 * count);
    size_t found = 0;
    for (size_t i = 0; i < task->particles->count; ++i)
        if (task->particles->labels[i] == MOTE_PROXY_LEAF) task->order[found++] = (uint32_t)i;
    mote_parallel_for(context, count, KEYS_A_BLOCK, find_keys, task);
    const bool sorted = mote_sort_u64(context, task->keys, task->order, task->keys + count, task->order + count,
                                      count) == MOTE_OK;
    if (sorted) mote_parallel_for(context, count, STAMPS_A_BLOCK, stamp_leaves, task);
    mote_buffer_release(context, &memory);
    return sorted;
}

// The side of a single particle in a leaf with triangles.
static void stamp_alone(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const stamp_task *task = data;
    for (size_t i = begin; i < end; ++i) {
        if (task->particles->labels[i] != MOTE_PROXY_LEAF) continue;
        const mote_vec3 point = position_of(task->particles, i);
        mote_spot spot;
        mote_leaf_view view;
        const bool has_view = find_spot(task->proxy, point, &spot) &&
                              mote_proxy_view(task->proxy, spot.node, spot.low, spot.size, &view);
        task->particles->labels[i] =
            has_view ? mote_view_side(&view, in_leaves(task->proxy, point)) : MOTE_PROXY_UNKNOWN;
    }
}

// Reports the first particle in a leaf whose triangles were not kept.
static mote_result check_kept(const mote_proxy *proxy, const mote_proxy_particles *particles, mote_error *error)
{
    for (size_t i = 0; i < particles->count; ++i) {
        mote_spot spot;
        mote_leaf_view view;
        if (particles->labels[i] != MOTE_PROXY_UNKNOWN || !find_spot(proxy, position_of(particles, i), &spot)) continue;
        if (spot.kind == MOTE_PROXY_LEAF && !mote_proxy_view(proxy, spot.node, spot.low, spot.size, &view))
            return mote_fail(error, MOTE_ERROR_STATE, i,
                             "proxy: particle %zu lies in a leaf whose triangles were not kept", i);
    }
    return MOTE_OK;
}

mote_result mote_proxy_stamp(const mote_proxy *proxy, const mote_proxy_particles *particles, mote_error *error)
{
    if (error) *error = (mote_error){0};
    const mote_result result = mote_proxy_check_arrays(proxy, particles, false, error);
    if (result != MOTE_OK || particles->count == 0) return result;
    if (!particles->labels) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "proxy: particles without labels");
    atomic_size_t unfit;
    atomic_init(&unfit, SIZE_MAX);
    stamp_task task = {
        .proxy = proxy, .particles = particles, .lanes = mote_proxy_lanes_choose(proxy->context)->sight,
        .unfit = &unfit};
    mote_parallel_for(proxy->context, particles->count, MOTE_MOVE_BLOCK, stamp_empty, &task);
    size_t in_leaf = 0;
    for (size_t i = 0; i < particles->count; ++i) in_leaf += particles->labels[i] == MOTE_PROXY_LEAF;
    // If all lists were kept, every leaf can be stamped.
    if (in_leaf && (!proxy->all.count || !stamp_sorted(&task, in_leaf)))
        mote_parallel_for(proxy->context, particles->count, MOTE_MOVE_BLOCK, stamp_alone, &task);
    if (atomic_load(&unfit) != SIZE_MAX) return mote_proxy_report_unfit(particles, atomic_load(&unfit), -1, error);
    return in_leaf && !proxy->all.count ? check_kept(proxy, particles, error) : MOTE_OK;
}
