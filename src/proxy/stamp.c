// Particles stamped with their sides: at once in empty leaves, leaf by leaf in those with triangles.
//
// Those in leaves with triangles are sorted by leaf. A leaf's triangles are then laid out for eight tests of a line of
// sight at a time, and serve for all its particles. Lines, tests and their order are those of mote_view_side, and so
// are the sides; to it goes whoever sees nothing clear along the first line, and all if there is no memory to sort in.

#include "proxy/move.h"

enum { LANES = 8, TILE = 64, STAMPS_A_BLOCK = 256, KEYS_A_BLOCK = 4096 };

// Triangles of a leaf, as the tests want them: a corner, the edges from it, their cross product and its square.
typedef struct sight_tile {
    double corner[3][TILE], edge[3][TILE], other[3][TILE], cross[3][TILE], square[TILE];
    size_t count;
} sight_tile;

// A particle's line of sight.
typedef struct sight_line {
    mote_vec3 point, way;
    double way2;
    mote_gaze gaze;
    bool is_clear;  // it runs in no triangle's plane
} sight_line;

// Where a line crosses the planes of eight triangles.
typedef struct sight_planes {
    double time[LANES], along[LANES];
    uint32_t crossed;  // bits of those that it does on its way, no later than what was met
    uint32_t run_in;   // bits of those that it runs in
} sight_planes;

typedef struct sight_functions {
    void (*cross_planes)(const sight_tile *tile, size_t first, const sight_line *line, sight_planes *planes);
    // Bits of the triangles within whose edges the line crosses the plane.
    uint32_t (*within_edges)(const sight_tile *tile, size_t first, const sight_line *line, const sight_planes *planes);
} sight_functions;

typedef struct stamp_task {
    const mote_proxy *proxy;
    const mote_proxy_particles *particles;
    const sight_functions *functions;
    uint64_t *keys;   // nodes
    uint32_t *order;  // particles in leaves with triangles
    atomic_size_t *unfit;  // the first particle that is nowhere
} stamp_task;

// ------------------------------------------------------------------------------------------------- eight triangles

// As look_at in label.c, to the last bit. Loops are cut where one of them, with all that depends on what it
// decides, would not be made into lanes.

static const double weights[LANES] = {1, 2, 4, 8, 16, 32, 64, 128};

MOTE_INLINE uint32_t bits_of(const double lanes[LANES])
{
    return (uint32_t)(((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
                      ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7])));
}

MOTE_INLINE void cross_planes(const sight_tile *tile, size_t first, const sight_line *line, sight_planes *planes)
{
    const mote_vec3 point = line->point, way = line->way;
    double times[LANES], slopes[LANES], rise2[LANES], least[LANES], crossed[LANES], run_in[LANES];
    const double latest = MOTE_MIN(1 + MOTE_VIEW_NEAR_TIE, line->gaze.nearest + MOTE_VIEW_NEAR_TIE);
    for (size_t i = 0; i < LANES; ++i) {
        const size_t t = first + i;
        const double nx = tile->cross[0][t], ny = tile->cross[1][t], nz = tile->cross[2][t];
        const double x = tile->corner[0][t] - point.x, y = tile->corner[1][t] - point.y,
                     z = tile->corner[2][t] - point.z;
        const double along = nx * way.x + ny * way.y + nz * way.z, height = nx * x + ny * y + nz * z;
        least[i] = MOTE_VIEW_NEAR_EDGE * MOTE_VIEW_NEAR_EDGE * tile->square[t] * line->way2;
        slopes[i] = along;
        rise2[i] = height * height;
        times[i] = height / along;
    }
    for (size_t i = 0; i < LANES; ++i) {
        const double slope2 = slopes[i] * slopes[i];
        double here = times[i] >= -MOTE_VIEW_NEAR_TIE ? weights[i] : 0;
        here = times[i] <= latest ? here : 0;
        crossed[i] = slope2 <= least[i] ? 0 : here;
        const double level = rise2[i] <= least[i] ? weights[i] : 0;
        run_in[i] = slope2 <= least[i] ? level : 0;
    }
    memcpy(planes->time, times, sizeof times);
    memcpy(planes->along, slopes, sizeof slopes);
    planes->crossed = bits_of(crossed);
    planes->run_in = bits_of(run_in);
}

MOTE_INLINE uint32_t within_edges(const sight_tile *tile, size_t first, const sight_line *line,
                                  const sight_planes *planes)
{
    const mote_vec3 point = line->point, way = line->way;
    double share[3][LANES], least[LANES], within[LANES];
    for (size_t i = 0; i < LANES; ++i) {
        const size_t t = first + i;
        const double nx = tile->cross[0][t], ny = tile->cross[1][t], nz = tile->cross[2][t];
        const double ex = tile->edge[0][t], ey = tile->edge[1][t], ez = tile->edge[2][t];
        const double fx = tile->other[0][t], fy = tile->other[1][t], fz = tile->other[2][t];
        const double time = planes->time[i];
        const double mx = way.x * time - (tile->corner[0][t] - point.x),
                     my = way.y * time - (tile->corner[1][t] - point.y),
                     mz = way.z * time - (tile->corner[2][t] - point.z);
        const double b = (my * fz - mz * fy) * nx + (mz * fx - mx * fz) * ny + (mx * fy - my * fx) * nz;
        const double c = (ey * mz - ez * my) * nx + (ez * mx - ex * mz) * ny + (ex * my - ey * mx) * nz;
        share[0][i] = tile->square[t] - b - c;
        share[1][i] = b;
        share[2][i] = c;
        least[i] = -MOTE_VIEW_NEAR_EDGE * tile->square[t];
    }
    for (size_t i = 0; i < LANES; ++i) {
        double here = share[0][i] < least[i] ? 0 : weights[i];
        here = share[1][i] < least[i] ? 0 : here;
        within[i] = share[2][i] < least[i] ? 0 : here;
    }
    return bits_of(within);
}

static void cross_planes_plain(const sight_tile *tile, size_t first, const sight_line *line, sight_planes *planes)
{
    cross_planes(tile, first, line, planes);
}

static uint32_t within_edges_plain(const sight_tile *tile, size_t first, const sight_line *line,
                                   const sight_planes *planes)
{
    return within_edges(tile, first, line, planes);
}

static const sight_functions functions_plain = {cross_planes_plain, within_edges_plain};

#if MOTE_HAVE_AVX2
MOTE_TARGET_AVX2 static void cross_planes_avx2(const sight_tile *tile, size_t first, const sight_line *line,
                                               sight_planes *planes)
{
    cross_planes(tile, first, line, planes);
}

MOTE_TARGET_AVX2 static uint32_t within_edges_avx2(const sight_tile *tile, size_t first, const sight_line *line,
                                                   const sight_planes *planes)
{
    return within_edges(tile, first, line, planes);
}

static const sight_functions functions_avx2 = {cross_planes_avx2, within_edges_avx2};
#endif

static const sight_functions *choose_functions(void)
{
#if MOTE_HAVE_AVX2
    if (mote_cpu_has_avx2()) return &functions_avx2;
#endif
    return &functions_plain;
}

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
        // Behind the last triangle come lanes that nobody looks at.
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

static void look_along(const sight_tile *tile, const sight_functions *functions, sight_line *line)
{
    for (size_t first = 0; first < tile->count; first += LANES) {
        sight_planes planes;
        functions->cross_planes(tile, first, line, &planes);
        const uint32_t there = tile->count - first < LANES ? (1u << (tile->count - first)) - 1 : 0xFF;
        if (planes.run_in & there) {
            line->is_clear = false;
            return;
        }
        uint32_t bits = planes.crossed & there;
        if (bits) bits &= functions->within_edges(tile, first, line, &planes);
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
            if (lines[i].is_clear) look_along(&tile, task->functions, &lines[i]);
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

// Labels of empty leaves, and MOTE_PROXY_LEAF in others.
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

// False without memory.
static bool stamp_sorted(stamp_task *task, size_t count)
{
    const mote_context *context = task->proxy->context;
    mote_buffer memory = {0};
    if (mote_buffer_reserve(context, &memory, mote_bytes(count, 24), 0) != MOTE_OK) return false;
    task->keys = memory.data;  // and as many to spare
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

// The side of a particle in a leaf with triangles, by itself.
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

// The first particle in a leaf whose triangles were not kept.
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
    stamp_task task = {.proxy = proxy, .particles = particles, .functions = choose_functions(), .unfit = &unfit};
    mote_parallel_for(proxy->context, particles->count, MOTE_MOVE_BLOCK, stamp_empty, &task);
    size_t in_leaf = 0;
    for (size_t i = 0; i < particles->count; ++i) in_leaf += particles->labels[i] == MOTE_PROXY_LEAF;
    // With all lists there, every leaf can be looked at.
    if (in_leaf && (!proxy->all.count || !stamp_sorted(&task, in_leaf)))
        mote_parallel_for(proxy->context, particles->count, MOTE_MOVE_BLOCK, stamp_alone, &task);
    if (atomic_load(&unfit) != SIZE_MAX) return mote_proxy_report_unfit(particles, atomic_load(&unfit), -1, error);
    return in_leaf && !proxy->all.count ? check_kept(proxy, particles, error) : MOTE_OK;
}
