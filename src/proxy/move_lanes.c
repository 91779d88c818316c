// SPDX-License-Identifier: MIT
// Groups of WIDE particles: blocks of steps and of first collisions, with the same results as in move.h, to the bit.
//
// First, all motions of a block are looked up in the table, in their order. Motions for which that does not show
// that they meet nothing are queued, and then moved, a group at a time, through at most one face, in float
// (move_lanes.h). The motions still left then go from leaf to leaf in double (walk_lanes.h): some walk long, so that
// others take the lanes of those that are over. Rare cases go one by one.
//
// Positions in double are looked up as floats, too. That changes no result, since the first two stages decide with a
// margin for the rounding of floats. The end of a motion is always computed from the caller's own numbers.

#include "base/wide.h"

#ifndef MOTE_WIDE_PLAIN  // there move.c moves particles, one at a time
#include "proxy/walk_lanes.h"

// ---------------------------------------------------------------------------------------------------------- queues

enum { QUEUE = 128, ALL_LANES = (1 << WIDE) - 1 };

// Lanes whose walks are over idle for so many steps, in sum, before motions of the queue take them: to take them costs
// as much as a few steps of all lanes, and where walks are short most are over by then.
enum { MOST_IDLE = 3 * WIDE };

// Queued motions; there is room for a group more than QUEUE.
typedef struct motion_queue {
    float from[3][QUEUE + WIDE], velocity[3][QUEUE + WIDE];
    uint32_t number[QUEUE + WIDE], label[QUEUE + WIDE], entry[QUEUE + WIDE];
    size_t count;
} motion_queue;

// Collisions with the normal of a leaf that is met at the start, or behind the face at `bound` along an axis.
typedef struct hit_queue {
    uint32_t number[QUEUE + WIDE], node[QUEUE + WIDE], packed[QUEUE + WIDE];
    uint32_t how[QUEUE + WIDE];                        // the axis, HIT_BACK, HIT_INSIDE
    uint32_t bound[QUEUE + WIDE];                      // finest leaves
    float from[QUEUE + WIDE], velocity[QUEUE + WIDE];  // along the axis
    size_t count;
} hit_queue;
enum { HIT_AXIS = 3, HIT_BACK = 4, HIT_INSIDE = 8 };

// Particles, numbered from the block's first, and the table's entries at their positions. For doubles, `velocity` is
// the motion, because in float the velocity could underflow where the motion does not.
typedef struct move_group {
    wide_f32 from[3], velocity[3];
    wide_u32 number, label, entry;
} move_group;

// The same particles' positions and velocities as the walks take them: the caller's own numbers.
typedef struct walk_group {
    wide_doubles from[3], velocity[3];
} walk_group;

// Walks through any number of leaves. Motions of the queue take the lanes of walks that are over.
typedef struct far_walks {
    mote_walks walks;
    move_group group;  // whose walks these are
    uint32_t busy;     // the lanes that have one
} far_walks;

typedef struct lanes_block {
    const mote_move_task *task;
    size_t begin;
    float dt;     // from a group's velocities to motions
    bool packed;  // positions and velocities are floats x, y, z, x, …
    mote_proxy_counters count;
    motion_queue near, far;  // for at most one face; for any number of them
    hit_queue found;
    far_walks walking;  // of motions from the queue far
} lanes_block;

// Processes the lanes of a group whose bits are set.
typedef void group_task(lanes_block *b, const move_group *g, uint32_t lanes);
// Writes the results of walks that are over.
typedef void finish_task(lanes_block *b, uint32_t lanes);

// All lanes are moved to the front before the first is stored: compilers then work out only once where to.
static inline void push(motion_queue *queue, const move_group *g, uint32_t lanes)
{
    const size_t at = queue->count;
    move_group kept = {.number = wide_front(g->number, lanes), .label = wide_front(g->label, lanes)};
    kept.entry = wide_front(g->entry, lanes);
    for (int k = 0; k < 3; ++k) {
        kept.from[k] = wide_front(g->from[k], lanes);
        kept.velocity[k] = wide_front(g->velocity[k], lanes);
    }
    for (int k = 0; k < 3; ++k) {
        wide_store(queue->from[k] + at, kept.from[k]);
        wide_store(queue->velocity[k] + at, kept.velocity[k]);
    }
    wide_store(queue->number + at, kept.number);
    wide_store(queue->label + at, kept.label);
    wide_store(queue->entry + at, kept.entry);
    queue->count += wide_bit_count(lanes);
}

static inline move_group pull(const motion_queue *queue, size_t at)
{
    move_group g;
    g.number = wide_load(queue->number + at);
    g.label = wide_load(queue->label + at);
    g.entry = wide_load(queue->entry + at);
    for (int k = 0; k < 3; ++k) {
        g.from[k] = wide_load(queue->from[k] + at);
        g.velocity[k] = wide_load(queue->velocity[k] + at);
    }
    return g;
}

// Processes the queue's motions; less than a group stays, unless `empty` is set.
static void drain(lanes_block *b, motion_queue *queue, bool empty, group_task *task)
{
    size_t done = 0;
    for (; done + WIDE <= queue->count; done += WIDE) {
        const move_group g = pull(queue, done);
        task(b, &g, ALL_LANES);
    }
    const uint32_t rest = wide_first(ALL_LANES, queue->count - done);
    const move_group g = pull(queue, done);
    queue->count = 0;
    if (empty && rest)
        task(b, &g, rest);
    else
        push(queue, &g, rest);
}

// ------------------------------------------------------------------------------------------------------- particles

// Whether positions and velocities are floats x, y, z, x, …
static bool is_packed(const mote_proxy_particles *set)
{
    const char *const x = set->position[0], *const u = set->velocity[0];
    return set->scalar == MOTE_F32 && set->position_stride == 12 && set->velocity_stride == 12 &&
           (const char *)set->position[1] == x + 4 && (const char *)set->position[2] == x + 8 &&
           (const char *)set->velocity[1] == u + 4 && (const char *)set->velocity[2] == u + 8 &&
           (uintptr_t)x % sizeof(float) == 0 && (uintptr_t)u % sizeof(float) == 0;
}

// Loads a group of any layout, from particle i on, as x, y, z, x, …
static inline void load_narrow(const lanes_block *b, size_t i, float from[3 * WIDE], float velocity[3 * WIDE])
{
    const mote_proxy_particles *set = b->task->particles;
    const double dt = set->scalar == MOTE_F64 ? b->task->dt : 1;
    for (size_t lane = 0; lane < WIDE; ++lane)
        for (int k = 0; k < 3; ++k) {
            const size_t to = 3 * lane + (size_t)k;
            from[to] = (float)mote_move_load(set, set->position, set->position_stride, i + lane, k);
            velocity[to] = (float)(mote_move_load(set, set->velocity, set->velocity_stride, i + lane, k) * dt);
        }
}

// Loads the group from particle i on, without the table's entries.
static inline move_group load_group(const lanes_block *b, size_t i)
{
    const mote_proxy_particles *set = b->task->particles;
    move_group g;
    if (b->packed) {
        wide_load_xyz((const float *)set->position[0] + 3 * i, g.from);
        wide_load_xyz((const float *)set->velocity[0] + 3 * i, g.velocity);
    } else {
        float from[3 * WIDE], velocity[3 * WIDE];
        load_narrow(b, i, from, velocity);
        wide_load_xyz(from, g.from);
        wide_load_xyz(velocity, g.velocity);
    }
    g.number = wide_lane_numbers() + (uint32_t)(i - b->begin);
    g.label = set->labels ? wide_load_u8(set->labels + i) : wide_all_u32(0);
    return g;
}

// The motions and their ends.
static inline void motion_of(const lanes_block *b, const move_group *g, wide_f32 motion[3], wide_f32 to[3])
{
    for (int k = 0; k < 3; ++k) {
        motion[k] = g->velocity[k] * b->dt;
        to[k] = g->from[k] + motion[k];
    }
}

static void start_block(lanes_block *b, const mote_move_task *task, size_t begin, bool only_first)
{
    b->task = task;
    b->begin = begin;
    b->dt = task->particles->scalar == MOTE_F32 ? (float)task->dt : 1;
    b->packed = is_packed(task->particles);
    mote_walks *w = &b->walking.walks;
    w->proxy = task->proxy;
    w->law = task->law;
    w->most_bounces = task->most_bounces;
    w->labelled = task->particles->labels != NULL;
    w->only_first = only_first;
}

static inline wide_doubles load_doubles(const double at[WIDE])
{
    wide_doubles all;
    for (int p = 0; p < WIDE_PARTS; ++p) all.part[p] = wide_load(at + p * WIDE_F64);
    return all;
}

// Doubles are loaded again from the caller's arrays. Lanes whose bits are not set are not used.
static inline void load_walk_group(const lanes_block *b, const move_group *g, uint32_t lanes, walk_group *walks)
{
    const mote_proxy_particles *set = b->task->particles;
    if (set->scalar == MOTE_F32) {
        for (int k = 0; k < 3; ++k) walks->from[k] = mote_doubles_of_floats(g->from[k]);
        for (int k = 0; k < 3; ++k) walks->velocity[k] = mote_doubles_of_floats(g->velocity[k]);
        return;
    }
    uint32_t number[WIDE];
    wide_store(number, wide_select(wide_mask_of(lanes), g->number, wide_all_u32(0)));
    for (int k = 0; k < 3; ++k) {
        double from[WIDE], velocity[WIDE];
        for (int lane = 0; lane < WIDE; ++lane) {
            const size_t i = b->begin + number[lane];
            from[lane] = mote_move_load(set, set->position, set->position_stride, i, k);
            velocity[lane] = mote_move_load(set, set->velocity, set->velocity_stride, i, k);
        }
        walks->from[k] = load_doubles(from);
        walks->velocity[k] = load_doubles(velocity);
    }
}

static inline wide_f32 gather_floats(const float *at, wide_u32 offset)
{
    return wide_with_bits(wide_gather_bytes(at, offset));
}

// Takes motions of the queue, from the next on, to the lanes of a group whose bits are set; but not their entries,
// which walks do not use.
static inline void pull_to(const motion_queue *queue, size_t next, uint32_t lanes, move_group *g)
{
    uint32_t offset[WIDE] = {0};
    for (uint32_t left = lanes; left; left &= left - 1)
        offset[mote_lowest_bit(left)] = (uint32_t)(next++ * sizeof(float));
    const wide_u32 at = wide_load(offset);
    const wide_mask mask = wide_mask_of(lanes);
    for (int k = 0; k < 3; ++k) {
        g->from[k] = wide_select(mask, gather_floats(queue->from[k], at), g->from[k]);
        g->velocity[k] = wide_select(mask, gather_floats(queue->velocity[k], at), g->velocity[k]);
    }
    g->number = wide_select(mask, wide_gather_bytes(queue->number, at), g->number);
    g->label = wide_select(mask, wide_gather_bytes(queue->label, at), g->label);
}

// Gives motions of the queue, from the next on, to lanes that are not busy. Returns the next that is left.
static inline size_t take_lanes(lanes_block *b, size_t next)
{
    far_walks *walking = &b->walking;
    uint32_t lanes = ALL_LANES & ~walking->busy;
    while (wide_bit_count(lanes) > b->far.count - next) lanes &= lanes - 1;
    if (lanes == ALL_LANES)
        walking->group = pull(&b->far, next);
    else
        pull_to(&b->far, next, lanes, &walking->group);
    walk_group start;
    load_walk_group(b, &walking->group, lanes, &start);
    mote_walks_begin(&walking->walks, start.from, start.velocity, walking->group.label, b->task->dt,
                     wide_mask_of(lanes));
    walking->busy |= lanes;
    return next + wide_bit_count(lanes);
}

// Walks until no motion waits in the queue; if `empty` is set, until all walks are over.
static void walk_far(lanes_block *b, bool empty, finish_task *finish)
{
    far_walks *walking = &b->walking;
    for (size_t next = 0;;) {
        if (next < b->far.count) next = take_lanes(b, next);
        const bool more = next < b->far.count;
        if (!more && (!empty || !walking->busy)) break;
        mote_walks_go(&walking->walks, more ? MOST_IDLE : UINT32_MAX);
        const uint32_t over = walking->busy & ~wide_bits(walking->walks.going);
        finish(b, over);
        walking->busy &= ~over;
    }
    b->far.count = 0;
}

// ----------------------------------------------------------------------------------------------------------- moving

static void move_alone(const mote_move_task *task, size_t i, mote_proxy_counters *count)
{
    mote_move_walk(task, i, count);
}

// Moves those of a group whose motions are clear to their ends, and stamps them.
static inline void move_clear(const lanes_block *b, size_t i, const move_group *g, const wide_f32 to[3],
                              const mote_lanes_look *look)
{
    const mote_proxy_particles *set = b->task->particles;
    if (b->packed) {
        wide_f32 at[3];
        for (int k = 0; k < 3; ++k) at[k] = wide_select(look->clear, to[k], g->from[k]);
        wide_store_xyz((float *)set->position[0] + 3 * i, at);
    } else {
        for (uint32_t left = wide_bits(look->clear); left; left &= left - 1)
            mote_move_drift(set, b->task->dt, i + mote_lowest_bit(left));
    }
    wide_store_u8(set->labels + i, wide_select(look->clear, mote_lanes_stamp(g->label, look->label), g->label));
}

static inline uint32_t sum_lanes(wide_u32 counts, wide_mask lanes)
{
    return wide_sum(wide_select(lanes, counts, wide_all_u32(0)));
}

static inline uint32_t count_lanes(wide_mask lanes)
{
    return wide_bit_count(wide_bits(lanes));
}

static inline wide_mask has_collided(const mote_walks *w)
{
    return wide_not(mote_lanes_equal(w->bounces, 0));
}

static inline void count_walks(mote_proxy_counters *count, const mote_walks *w, wide_mask done)
{
    count->leaves += sum_lanes(w->leaves, done);
    count->bounces += sum_lanes(w->bounces, done);
    count->walls += sum_lanes(w->walls, done);
    count->collided += count_lanes(wide_both(has_collided(w), done));
    count->dropped += count_lanes(wide_both(w->dropped, done));
}

// The ends of walks, one in each lane, to be written.
typedef struct walks_end {
    double to[3][WIDE], velocity[3][WIDE];
    uint32_t low[3][WIDE], high[3][WIDE], label[WIDE], number[WIDE];
    uint32_t collided;
    uint32_t misfit;  // not in the leaf in which the walk ended
} walks_end;

// Where motions that meet nothing would end, as mote_move_free computes it.
static inline void find_free(const lanes_block *b, const move_group *g, const walk_group *walks, wide_doubles free[3])
{
    wide_f32 motion[3], to[3];
    motion_of(b, g, motion, to);
    for (int k = 0; k < 3; ++k) {
        free[k] = mote_doubles_of_floats(to[k]);
        for (int p = 0; p < WIDE_PARTS && b->task->particles->scalar == MOTE_F64; ++p)
            free[k].part[p] = walks->from[k].part[p] + walks->velocity[k].part[p] * b->task->dt;
    }
}

// Along an axis; the same as in mote_move_end. Returns which particles lie in the leaf in which the walk ended.
static inline mote_doubles_mask find_end_along(const lanes_block *b, const mote_walks *w, int k, double origin,
                                               wide_doubles free, walks_end *end)
{
    const mote_proxy *proxy = b->task->proxy;
    const mote_doubles_mask collided = mote_doubles_mask_of(has_collided(w));
    const mote_doubles_mask dropped = mote_doubles_mask_of(w->dropped);
    const wide_doubles low = mote_doubles_of_integers(w->low[k]), high = mote_doubles_of_integers(w->high[k]);
    wide_doubles to;
    mote_doubles_mask fits;
    for (int p = 0; p < WIDE_PARTS; ++p) {
        const wide_f64 velocity = w->velocity[k].part[p];
        const wide_f64 left = wide_select(dropped.part[p], wide_all_f64(0), w->time.part[p]);
        const wide_f64 place = (w->at[k].part[p] + velocity * left) * proxy->leaf + origin;
        to.part[p] = wide_select(collided.part[p], place, free.part[p]);
        wide_store(end->velocity[k] + p * WIDE_F64, velocity * proxy->leaf);
    }
    if (b->task->particles->scalar == MOTE_F32) to = mote_doubles_of_floats(wide_f64_to_f32(to.part));
    for (int p = 0; p < WIDE_PARTS; ++p) {
        const wide_f64 cell = (to.part[p] - origin) * proxy->scale;
        fits.part[p] = wide_both(wide_at_most(low.part[p], cell), wide_less(cell, high.part[p]));
        wide_store(end->to[k] + p * WIDE_F64, to.part[p]);
    }
    return fits;
}

static inline void find_end(const lanes_block *b, const move_group *g, const walk_group *walks, const mote_walks *w,
                            walks_end *end)
{
    const mote_proxy *proxy = b->task->proxy;
    const double origin[3] = {proxy->origin.x, proxy->origin.y, proxy->origin.z};
    wide_doubles free[3];
    mote_doubles_mask fits = mote_doubles_mask_of(wide_not(wide_none()));
    find_free(b, g, walks, free);
    for (int k = 0; k < 3; ++k) {
        const mote_doubles_mask along = find_end_along(b, w, k, origin[k], free[k], end);
        for (int p = 0; p < WIDE_PARTS; ++p) fits.part[p] = wide_both(fits.part[p], along.part[p]);
        wide_store(end->low[k], w->low[k]);
        wide_store(end->high[k], w->high[k]);
    }
    wide_store(end->label, w->label);
    wide_store(end->number, g->number);
    end->collided = wide_bits(has_collided(w));
    end->misfit = ~(wide_bits(wide_mask_from_f64(fits.part)) | wide_bits(w->outside));
}

// Does the same as mote_move_end.
static inline void write_end(const lanes_block *b, walks_end *end, uint32_t lane)
{
    const mote_proxy *proxy = b->task->proxy;
    const mote_proxy_particles *set = b->task->particles;
    const double origin[3] = {proxy->origin.x, proxy->origin.y, proxy->origin.z};
    const size_t i = b->begin + end->number[lane];
    for (int k = 0; end->misfit >> lane & 1 && k < 3; ++k) {
        const uint32_t low = end->low[k][lane], size = end->high[k][lane] - low;
        if (!mote_move_fit(proxy, set->scalar, origin[k], low, size, &end->to[k][lane])) return;
    }
    for (int k = 0; k < 3; ++k) {
        mote_move_store(set, set->position, set->position_stride, i, k, end->to[k][lane]);
        if (end->collided >> lane & 1)
            mote_move_store(set, set->velocity, set->velocity_stride, i, k, end->velocity[k][lane]);
    }
    set->labels[i] = (uint8_t)end->label[lane];
}

// Moves particles whose walks, with all their collisions, are over.
static void finish_moves(lanes_block *b, uint32_t lanes)
{
    const mote_walks *w = &b->walking.walks;
    const uint32_t alone = wide_bits(w->alone) & lanes;
    walk_group start;
    walks_end end;
    load_walk_group(b, &b->walking.group, lanes, &start);
    find_end(b, &b->walking.group, &start, w, &end);
    for (uint32_t left = lanes & ~alone; left; left &= left - 1) write_end(b, &end, mote_lowest_bit(left));
    count_walks(&b->count, w, wide_mask_of(lanes & ~alone));
    for (uint32_t left = alone; left; left &= left - 1)
        move_alone(b->task, b->begin + end.number[mote_lowest_bit(left)], &b->count);
}

// Moves those of a group that pass at most one face and meet nothing; queues the others.
static void move_near(lanes_block *b, const move_group *g, uint32_t lanes)
{
    const mote_proxy_particles *set = b->task->particles;
    wide_f32 motion[3], to[3];
    motion_of(b, g, motion, to);
    const mote_lanes_result r = mote_lanes_go(b->task, g->from, to, motion, g->label, g->entry, true);
    const uint32_t quiet = wide_bits(r.quiet) & lanes;
    uint32_t number[WIDE], label[WIDE];
    wide_store(number, g->number);
    wide_store(label, r.labels);
    for (uint32_t left = quiet; left; left &= left - 1) {
        const uint32_t lane = mote_lowest_bit(left);
        const size_t i = b->begin + number[lane];
        mote_move_drift(set, b->task->dt, i);
        set->labels[i] = (uint8_t)label[lane];
    }
    b->count.leaves += wide_bit_count(quiet) + wide_bit_count(quiet & wide_bits(r.passed));
    push(&b->far, g, lanes & ~quiet);
    if (b->far.count >= QUEUE) walk_far(b, false, finish_moves);
}

// ------------------------------------------------------------------------------------------------ first collisions

static void find_alone(const mote_move_task *task, size_t i)
{
    mote_move_find_hit(task, i);
}

_Static_assert(offsetof(mote_proxy_hit, time) == 0 && offsetof(mote_proxy_hit, normal) == 4 &&
                   offsetof(mote_proxy_hit, leaf) == 16 && sizeof(mote_proxy_hit) == 20,
               "a hit is four floats, which are written as a row, and an integer");

// Writes hits. `rest` is the time left when a particle meets its leaf.
static inline void write_hits(const lanes_block *b, wide_u32 numbers, uint32_t lanes, const wide_doubles *rest,
                              const wide_doubles normal[3], wide_u32 leaves)
{
    const double dt = b->task->dt;
    wide_doubles share;
    for (int p = 0; p < WIDE_PARTS; ++p) {
        const wide_f64 zero = wide_all_f64(0), all = dt > 0 ? (dt - rest->part[p]) / dt : zero;
        share.part[p] = wide_max(zero, wide_min(all, wide_all_f64(1)));
    }
    const wide_f32 columns[4] = {wide_f64_to_f32(share.part), wide_f64_to_f32(normal[0].part),
                                 wide_f64_to_f32(normal[1].part), wide_f64_to_f32(normal[2].part)};
    float rows[WIDE][4];
    uint32_t number[WIDE], leaf[WIDE];
    wide_store_rows(rows[0], 4, columns);
    wide_store(number, numbers);
    wide_store(leaf, leaves);
    for (; lanes; lanes &= lanes - 1) {
        const uint32_t lane = mote_lowest_bit(lanes);
        mote_proxy_hit *hit = &b->task->hits[b->begin + number[lane]];
        memcpy(hit, rows[lane], sizeof rows[lane]);
        hit->leaf = leaf[lane];
    }
}

// Loads the caller's own numbers along the axes on which motions pass faces; doubles are loaded from the caller's
// arrays.
static inline void load_along(const lanes_block *b, size_t at, uint32_t lanes, wide_doubles *from,
                              wide_doubles *velocity)
{
    const mote_proxy_particles *set = b->task->particles;
    const hit_queue *found = &b->found;
    if (set->scalar == MOTE_F32) {
        *from = mote_doubles_of_floats(wide_load(found->from + at));
        *velocity = mote_doubles_of_floats(wide_load(found->velocity + at));
        return;
    }
    double x[WIDE] = {0}, v[WIDE] = {0};
    for (uint32_t left = lanes; left; left &= left - 1) {
        const size_t lane = mote_lowest_bit(left), i = b->begin + found->number[at + lane];
        const int axis = (int)(found->how[at + lane] & HIT_AXIS);
        x[lane] = mote_move_load(set, set->position, set->position_stride, i, axis);
        v[lane] = mote_move_load(set, set->velocity, set->velocity_stride, i, axis);
    }
    *from = load_doubles(x);
    *velocity = load_doubles(v);
}

// Writes hits of the queue, computed in double as the walk would.
static inline void write_found(const lanes_block *b, size_t at, uint32_t lanes)
{
    const mote_proxy *proxy = b->task->proxy;
    const hit_queue *found = &b->found;
    const wide_u32 how = wide_load(found->how + at), axis = how & HIT_AXIS;
    const mote_doubles_mask is_y = mote_doubles_mask_of(mote_lanes_equal(axis, 1));
    const mote_doubles_mask is_z = mote_doubles_mask_of(mote_lanes_equal(axis, 2));
    const mote_doubles_mask inside = mote_doubles_mask_of(mote_lanes_equal(how & HIT_INSIDE, HIT_INSIDE));
    const wide_f64 zero = wide_all_f64(0), dt = wide_all_f64(b->task->dt);
    const wide_f64 origin_x = wide_all_f64(proxy->origin.x), origin_y = wide_all_f64(proxy->origin.y);
    const wide_f64 origin_z = wide_all_f64(proxy->origin.z);
    const wide_doubles bound = mote_doubles_of_integers(wide_load(found->bound + at));
    wide_doubles from, velocity, rest, normal[3];
    load_along(b, at, lanes, &from, &velocity);
    for (int p = 0; p < WIDE_PARTS; ++p) {
        const wide_f64 origin = wide_select(is_z.part[p], origin_z, wide_select(is_y.part[p], origin_y, origin_x));
        const wide_f64 place = (from.part[p] - origin) * proxy->scale;
        const wide_f64 soonest = (bound.part[p] - place) / (velocity.part[p] * proxy->scale);
        rest.part[p] = wide_select(inside.part[p], dt, dt - wide_max(soonest, zero));
    }
    mote_doubles_normal(wide_load(found->packed + at), mote_lanes_equal(how & HIT_BACK, HIT_BACK), normal);
    write_hits(b, wide_load(found->number + at), lanes, &rest, normal, wide_load(found->node + at));
}

static inline wide_f32 along_axis(const wide_f32 v[3], wide_u32 axis)
{
    return wide_select(mote_lanes_equal(axis, 2), v[2], wide_select(mote_lanes_equal(axis, 1), v[1], v[0]));
}

static inline void push_hits(lanes_block *b, const move_group *g, const mote_lanes_result *r, uint32_t lanes)
{
    hit_queue *found = &b->found;
    const size_t at = found->count;
    const wide_u32 zero = wide_all_u32(0);
    const wide_u32 inside = wide_select(r->inside, wide_all_u32(HIT_INSIDE), zero);
    const wide_u32 back = wide_select(mote_lanes_equal(r->labels, MOTE_PROXY_BACK), wide_all_u32(HIT_BACK), zero);
    wide_store_front(found->number + at, g->number, lanes);
    wide_store_front(found->node + at, r->node, lanes);
    wide_store_front(found->packed + at, r->packed, lanes);
    wide_store_front(found->how + at, r->axis | inside | back, lanes);
    wide_store_front(found->bound + at, r->bound, lanes);
    wide_store_front(found->from + at, along_axis(g->from, r->axis), lanes);
    wide_store_front(found->velocity + at, along_axis(g->velocity, r->axis), lanes);
    found->count += wide_bit_count(lanes);
}

// Writes all hits of the queue.
static void drain_hits(lanes_block *b)
{
    for (size_t done = 0; done < b->found.count; done += WIDE)
        write_found(b, done, wide_first(ALL_LANES, b->found.count - done));
    b->found.count = 0;
}

// Writes the hits of walks that are over.
static void finish_hits(lanes_block *b, uint32_t lanes)
{
    const mote_walks *w = &b->walking.walks;
    const wide_u32 numbers = b->walking.group.number;
    const uint32_t alone = wide_bits(w->alone) & lanes, hit = wide_bits(has_collided(w)) & lanes & ~alone;
    if (hit) write_hits(b, numbers, hit, &w->time, w->met_normal, w->met);
    uint32_t number[WIDE];
    wide_store(number, numbers);
    for (uint32_t left = alone; left; left &= left - 1) find_alone(b->task, b->begin + number[mote_lowest_bit(left)]);
}

// Finds the first hits of those of a group that pass at most one face; queues the others.
static void find_near(lanes_block *b, const move_group *g, uint32_t lanes)
{
    const bool labelled = b->task->particles->labels != NULL;
    wide_f32 motion[3], to[3];
    motion_of(b, g, motion, to);
    const mote_lanes_result r = mote_lanes_go(b->task, g->from, to, motion, g->label, g->entry, labelled);
    push_hits(b, g, &r, wide_bits(r.hit) & lanes);
    push(&b->far, g, wide_bits(wide_not(wide_either(r.quiet, r.hit))) & lanes);
    if (b->found.count >= QUEUE) drain_hits(b);
    if (b->far.count >= QUEUE) walk_far(b, false, finish_hits);
}

// Writes that a group's motions have no hit.
static inline void write_none(mote_proxy_hit hits[WIDE])
{
#define NONE 2, 0, 0, 0, 0  // an integer that is 0 is as a float that is 0
    static const float none[5 * MOTE_WIDE_MOST] = {NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE,
                                                   NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE};
#undef NONE
    for (int k = 0; k < 5 * WIDE; k += WIDE) wide_store((float *)(void *)hits + k, wide_load(none + k));
}

// ----------------------------------------------------------------------------------------------------------- blocks

// Looks all motions of a block up, a group at a time, and takes those on of which that does not tell enough.
// @param moves  moves particles; else finds their first collisions
// @return the first particle that is left: fewer than a group are
MOTE_INLINE size_t take_groups(lanes_block *b, size_t end, bool moves)
{
    group_task *const near = moves ? move_near : find_near;
    const uint32_t shift = moves ? MOTE_PROXY_SAME_SHIFT : MOTE_PROXY_CLEAR_SHIFT;
    const bool usable = b->task->slack < 0.05F;
    size_t i = b->begin;
    for (; i + WIDE <= end && usable; i += WIDE) {
        move_group g = load_group(b, i);
        wide_f32 motion[3], to[3];
        motion_of(b, &g, motion, to);
        const mote_lanes_look look = mote_lanes_look_up(b->task, g.from, motion, shift);
        const uint32_t clear = wide_bits(look.clear);
        g.entry = look.entry;
        if (!moves) write_none(b->task->hits + i);
        if (moves && clear) move_clear(b, i, &g, to, &look);
        b->count.clear += wide_bit_count(clear);
        push(&b->near, &g, ~clear & ALL_LANES);
        if (b->near.count >= QUEUE) drain(b, &b->near, false, near);
    }
    drain(b, &b->near, true, near);
    walk_far(b, true, moves ? finish_moves : finish_hits);
    return i;
}

void WIDE_NAME(mote_move)(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const mote_move_task *task = data;
    lanes_block b = {.count = {.particles = end - begin}};
    start_block(&b, task, begin, false);
    const size_t rest = take_groups(&b, end, true);
    mote_move_some(task, rest, end, &b.count);
    if (task->blocks) task->blocks[begin / MOTE_MOVE_BLOCK] = b.count;
}

void WIDE_NAME(mote_move_hits)(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    lanes_block b = {.count = {0}};
    start_block(&b, data, begin, true);
    const size_t rest = take_groups(&b, end, false);
    drain_hits(&b);
    for (size_t i = rest; i < end; ++i) find_alone(data, i);
}

#endif
