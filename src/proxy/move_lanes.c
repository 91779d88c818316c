// SPDX-License-Identifier: MIT
// Eight particles at a time: blocks of steps and of first collisions, with the same results as in move.h, to the
// bit.
//
// First, all motions of a block are looked up in the table, in their order. Motions for which that does not show
// that they meet nothing are queued, and then moved eight at a time through at most one face, in float (lanes.h).
// The motions still left then go from leaf to leaf in double (walk_lanes.h), and rare cases go one by one.
//
// Positions in double are looked up as floats, too. That changes no result, since the first two stages decide with a
// margin for the rounding of floats. The end of a motion is always computed from the caller's own numbers.

#include "base/wide_compress.h"
#include "proxy/move.h"
#include "proxy/walk_lanes.h"

#if MOTE_HAVE_AVX2

// ---------------------------------------------------------------------------------------------------------- queues

enum { QUEUE = 128 };

// Queued motions; there is room for eight more than QUEUE.
typedef struct motion_queue {
    float from[3][QUEUE + 8], velocity[3][QUEUE + 8];
    uint32_t number[QUEUE + 8], label[QUEUE + 8], entry[QUEUE + 8];
    size_t count;
} motion_queue;

// Collisions with the normal of a leaf that is met at the start, or behind the face at `bound` along an axis.
typedef struct hit_queue {
    uint32_t number[QUEUE + 8], node[QUEUE + 8], packed[QUEUE + 8];
    uint32_t how[QUEUE + 8];                     // the axis, HIT_BACK, HIT_INSIDE
    uint32_t bound[QUEUE + 8];                   // finest leaves
    float from[QUEUE + 8], velocity[QUEUE + 8];  // along the axis
    size_t count;
} hit_queue;
enum { HIT_AXIS = 3, HIT_BACK = 4, HIT_INSIDE = 8 };

// Eight particles, numbered from the block's first, and the table's entries at their positions. For doubles,
// `velocity` is the motion, because in float the velocity could underflow where the motion does not.
typedef struct eight {
    mote_lanes_vec from, velocity;
    __m256i number, labels, entry;
} eight;

typedef struct lanes_block {
    const mote_move_task *task;
    mote_lanes_proxy lanes;
    size_t begin;
    float dt;     // from an eight's velocities to motions
    bool packed;  // positions and velocities are floats x, y, z, x, …
    mote_proxy_counters count;
    motion_queue near, far;  // for at most one face; for any number of them
    hit_queue found;
} lanes_block;

typedef void eight_task(lanes_block *b, const eight *e, uint32_t valid);

// All ones in the lanes whose bits are set.
MOTE_TARGET_AVX2 static inline __m256i mask_of(uint32_t lanes)
{
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)lanes), bit), bit);
}

MOTE_TARGET_AVX2 static inline __m256i load_ints(const uint32_t *at)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)at);
}

MOTE_TARGET_AVX2 static inline void store_ints(uint32_t *at, __m256i ints)
{
    _mm256_storeu_si256((__m256i *)(void *)at, ints);
}

// Appends the lanes of the mask, compressed, to an array.
MOTE_TARGET_AVX2 static inline void push_ints(uint32_t *at, __m256i ints, __m256i kept)
{
    store_ints(at, _mm256_permutevar8x32_epi32(ints, kept));
}

MOTE_TARGET_AVX2 static inline void push_floats(float *at, __m256 floats, __m256i kept)
{
    _mm256_storeu_ps(at, _mm256_permutevar8x32_ps(floats, kept));
}

MOTE_TARGET_AVX2 static inline void push(motion_queue *queue, const eight *e, uint32_t lanes)
{
    const size_t at = queue->count;
    const __m256i kept = mote_compress_lanes(lanes);
    for (int k = 0; k < 3; ++k) {
        push_floats(queue->from[k] + at, e->from.k[k], kept);
        push_floats(queue->velocity[k] + at, e->velocity.k[k], kept);
    }
    push_ints(queue->number + at, e->number, kept);
    push_ints(queue->label + at, e->labels, kept);
    push_ints(queue->entry + at, e->entry, kept);
    queue->count += (size_t)__builtin_popcount(lanes);
}

MOTE_TARGET_AVX2 static inline eight pull(const motion_queue *queue, size_t at)
{
    eight e;
    e.number = load_ints(queue->number + at);
    e.labels = load_ints(queue->label + at);
    e.entry = load_ints(queue->entry + at);
    for (int k = 0; k < 3; ++k) {
        e.from.k[k] = _mm256_loadu_ps(queue->from[k] + at);
        e.velocity.k[k] = _mm256_loadu_ps(queue->velocity[k] + at);
    }
    return e;
}

// Processes the queue's motions; fewer than eight stay, unless `empty` is set.
MOTE_TARGET_AVX2 static void drain(lanes_block *b, motion_queue *queue, bool empty, eight_task *task)
{
    size_t done = 0;
    for (; done + 8 <= queue->count; done += 8) {
        const eight e = pull(queue, done);
        task(b, &e, 0xFF);
    }
    const uint32_t rest = (1u << (queue->count - done)) - 1;
    const eight e = pull(queue, done);
    queue->count = 0;
    if (empty && rest)
        task(b, &e, rest);
    else
        push(queue, &e, rest);
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

// Loads eight consecutive particles of any layout as x, y, z, x, …
static inline void narrow_eight(const lanes_block *b, size_t i, float from[24], float velocity[24])
{
    const mote_proxy_particles *set = b->task->particles;
    const double dt = set->scalar == MOTE_F64 ? b->task->dt : 1;
    for (size_t lane = 0; lane < 8; ++lane)
        for (int k = 0; k < 3; ++k) {
            const size_t to = 3 * lane + (size_t)k;
            from[to] = (float)mote_move_load(set, set->position, set->position_stride, i + lane, k);
            velocity[to] = (float)(mote_move_load(set, set->velocity, set->velocity_stride, i + lane, k) * dt);
        }
}

// Loads eight consecutive particles from i on, without the table's entries.
MOTE_TARGET_AVX2 static inline eight load_eight(const lanes_block *b, size_t i)
{
    const mote_proxy_particles *set = b->task->particles;
    const int number = (int)(i - b->begin);
    eight e;
    if (b->packed) {
        e.from = mote_lanes_load_xyz((const float *)set->position[0] + 3 * i);
        e.velocity = mote_lanes_load_xyz((const float *)set->velocity[0] + 3 * i);
    } else {
        float from[24], velocity[24];
        narrow_eight(b, i, from, velocity);
        e.from = mote_lanes_load_xyz(from);
        e.velocity = mote_lanes_load_xyz(velocity);
    }
    e.number = _mm256_add_epi32(_mm256_set1_epi32(number), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    e.labels = _mm256_setzero_si256();
    if (set->labels) e.labels = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(set->labels + i)));
    return e;
}

// The motions and their ends.
MOTE_TARGET_AVX2 static inline mote_lanes_vec motion_of(const lanes_block *b, const eight *e)
{
    const __m256 dt = _mm256_set1_ps(b->dt);
    mote_lanes_vec motion;
    for (int k = 0; k < 3; ++k) motion.k[k] = _mm256_mul_ps(e->velocity.k[k], dt);
    return motion;
}

MOTE_TARGET_AVX2 static inline mote_lanes_vec end_of(const eight *e, const mote_lanes_vec *motion)
{
    mote_lanes_vec to;
    for (int k = 0; k < 3; ++k) to.k[k] = _mm256_add_ps(e->from.k[k], motion->k[k]);
    return to;
}

static void start_block(lanes_block *b, const mote_move_task *task, size_t begin)
{
    b->task = task;
    b->begin = begin;
    b->dt = task->particles->scalar == MOTE_F32 ? (float)task->dt : 1;
    b->packed = is_packed(task->particles);
    b->lanes = (mote_lanes_proxy){.proxy = task->proxy,
                                  .scale = task->scale,
                                  .slack = task->slack,
                                  .table_slack = task->table_slack,
                                  .usable = task->slack < 0.05F};
    memcpy(b->lanes.origin, task->origin, sizeof b->lanes.origin);
}

// Eight particles in the form that the walks take.
typedef struct wide_eight {
    mote_wide from[3], velocity[3];
} wide_eight;

MOTE_TARGET_AVX2 static inline mote_wide load_wide(const double doubles[8])
{
    mote_wide wide = {{_mm256_loadu_pd(doubles), _mm256_loadu_pd(doubles + 4)}};
    return wide;
}

// The caller's own numbers: doubles are loaded again from the caller's arrays. Lanes that are not valid are not
// used.
MOTE_TARGET_AVX2 static inline void widen_eight(const lanes_block *b, const eight *e, uint32_t valid, wide_eight *wide)
{
    const mote_proxy_particles *set = b->task->particles;
    if (set->scalar == MOTE_F32) {
        for (int k = 0; k < 3; ++k) wide->from[k] = mote_wide_from_floats(e->from.k[k]);
        for (int k = 0; k < 3; ++k) wide->velocity[k] = mote_wide_from_floats(e->velocity.k[k]);
        return;
    }
    uint32_t number[8];
    store_ints(number, _mm256_and_si256(e->number, mask_of(valid)));
    for (int k = 0; k < 3; ++k) {
        double from[8], velocity[8];
        for (int lane = 0; lane < 8; ++lane) {
            const size_t i = b->begin + number[lane];
            from[lane] = mote_move_load(set, set->position, set->position_stride, i, k);
            velocity[lane] = mote_move_load(set, set->velocity, set->velocity_stride, i, k);
        }
        wide->from[k] = load_wide(from);
        wide->velocity[k] = load_wide(velocity);
    }
}

// Walks eight particles to the end, or to their first collisions. Returns which lanes are left to the scalar walk.
MOTE_TARGET_AVX2 static inline uint32_t walk_eight(const lanes_block *b, const eight *e, const wide_eight *wide,
                                                   uint32_t valid, bool only_first, mote_walks *w)
{
    const mote_move_task *task = b->task;
    w->proxy = task->proxy;
    w->law = task->law;
    w->most_bounces = (int32_t)MOTE_MIN(task->most_bounces, (uint32_t)INT32_MAX);
    w->labelled = task->particles->labels != NULL;
    w->only_first = only_first;
    mote_walks_begin(w, wide->from, wide->velocity, e->labels, task->dt, mask_of(valid));
    mote_walks_go(w);
    return mote_lanes_bits(w->alone);
}

// ----------------------------------------------------------------------------------------------------------- moving

MOTE_TARGET_AVX2 static void move_alone(const mote_move_task *task, size_t i, mote_proxy_counters *count)
{
    mote_move_walk(task, i, count);
}

// Moves eight consecutive packed particles to the ends of their motions, in the lanes of a mask.
MOTE_TARGET_AVX2 static inline void drift_packed(const lanes_block *b, size_t i, __m256i lanes)
{
    const mote_proxy_particles *set = b->task->particles;
    float *x = (float *)set->position[0] + 3 * i;
    const float *v = (const float *)set->velocity[0] + 3 * i;
    const __m256 dt = _mm256_set1_ps(b->dt);
    const __m256i lane[3] = {_mm256_setr_epi32(0, 0, 0, 1, 1, 1, 2, 2), _mm256_setr_epi32(2, 3, 3, 3, 4, 4, 4, 5),
                             _mm256_setr_epi32(5, 5, 6, 6, 6, 7, 7, 7)};
    for (int k = 0; k < 3; ++k) {
        const __m256 from = _mm256_loadu_ps(x + 8 * k);
        const __m256 to = _mm256_add_ps(from, _mm256_mul_ps(_mm256_loadu_ps(v + 8 * k), dt));
        const __m256 mask = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(lanes, lane[k]));
        _mm256_storeu_ps(x + 8 * k, _mm256_blendv_ps(from, to, mask));
    }
}

// The same for any layout; also stamps them.
MOTE_TARGET_AVX2 static inline void move_clear(const lanes_block *b, size_t i, const eight *e,
                                               const mote_lanes_look *look)
{
    const mote_proxy_particles *set = b->task->particles;
    if (b->packed)
        drift_packed(b, i, look->clear);
    else
        for (uint32_t left = mote_lanes_bits(look->clear); left; left &= left - 1)
            mote_move_drift(set, b->task->dt, i + (uint32_t)__builtin_ctz(left));
    const __m256i labels = _mm256_blendv_epi8(e->labels, mote_lanes_stamp(e->labels, look->label), look->clear);
    const __m128i words = _mm_packus_epi32(_mm256_castsi256_si128(labels), _mm256_extracti128_si256(labels, 1));
    _mm_storel_epi64((__m128i *)(void *)(set->labels + i), _mm_packus_epi16(words, words));
}

MOTE_TARGET_AVX2 static inline uint32_t sum_lanes(__m256i counts, __m256i lanes)
{
    const __m256i kept = _mm256_and_si256(counts, lanes);
    __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(kept), _mm256_extracti128_si256(kept, 1));
    sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, _MM_SHUFFLE(1, 0, 3, 2)));
    return (uint32_t)_mm_cvtsi128_si32(sum) + (uint32_t)_mm_extract_epi32(sum, 1);
}

MOTE_TARGET_AVX2 static inline void count_walks(mote_proxy_counters *count, const mote_walks *w, __m256i done)
{
    const __m256i collided = _mm256_cmpgt_epi32(w->bounces, _mm256_setzero_si256());
    count->leaves += sum_lanes(w->leaves, done);
    count->bounces += sum_lanes(w->bounces, done);
    count->walls += sum_lanes(w->walls, done);
    count->collided += (uint32_t)__builtin_popcount(mote_lanes_bits(_mm256_and_si256(collided, done)));
    count->dropped += (uint32_t)__builtin_popcount(mote_lanes_bits(_mm256_and_si256(w->dropped, done)));
}

// The ends of eight walks, one in each lane, to be written.
typedef struct walks_end {
    double to[3][8], velocity[3][8];
    uint32_t low[3][8], high[3][8], label[8], number[8];
    uint32_t collided;
    uint32_t misfit;  // not in the leaf in which the walk ended
} walks_end;

// Where motions that meet nothing would end, as mote_move_free computes it.
MOTE_TARGET_AVX2 static inline void find_free(const lanes_block *b, const eight *e, const wide_eight *wide,
                                              mote_wide to[3])
{
    const mote_lanes_vec motion = motion_of(b, e), narrow = end_of(e, &motion);
    const __m256d dt = _mm256_set1_pd(b->task->dt);
    for (int k = 0; k < 3; ++k) {
        to[k] = mote_wide_from_floats(narrow.k[k]);
        for (int h = 0; h < 2 && b->task->particles->scalar == MOTE_F64; ++h)
            to[k].half[h] = _mm256_add_pd(wide->from[k].half[h], _mm256_mul_pd(wide->velocity[k].half[h], dt));
    }
}

MOTE_TARGET_AVX2 static inline void find_end(const lanes_block *b, const eight *e, const wide_eight *wide,
                                             const mote_walks *w, walks_end *end)
{
    const mote_proxy *proxy = b->task->proxy;
    const double origins[3] = {proxy->origin.x, proxy->origin.y, proxy->origin.z};
    const bool narrow = b->task->particles->scalar == MOTE_F32;
    mote_wide plain[3];
    find_free(b, e, wide, plain);
    const __m256i collided = _mm256_cmpgt_epi32(w->bounces, _mm256_setzero_si256());
    const __m256d leaf = _mm256_set1_pd(proxy->leaf), scale = _mm256_set1_pd(proxy->scale);
    const mote_wide dropped = mote_wide_mask(w->dropped);
    const mote_wide has_collided = mote_wide_mask(collided);
    mote_wide fits = mote_wide_mask(_mm256_set1_epi32(-1));
    for (int k = 0; k < 3; ++k) {
        const __m256d origin = _mm256_set1_pd(origins[k]);
        mote_wide place, speed;
        for (int h = 0; h < 2; ++h) {
            const __m256d left = _mm256_andnot_pd(dropped.half[h], w->time.half[h]);
            const __m256d at = _mm256_add_pd(w->at[k].half[h], _mm256_mul_pd(w->velocity[k].half[h], left));
            place.half[h] = _mm256_add_pd(origin, _mm256_mul_pd(at, leaf));
            speed.half[h] = _mm256_mul_pd(w->velocity[k].half[h], leaf);
        }
        mote_wide to = mote_wide_blend(plain[k], place, has_collided);
        if (narrow) to = mote_wide_from_floats(mote_wide_to_floats(to));
        const mote_wide low = mote_wide_from_ints(w->low[k]), high = mote_wide_from_ints(w->high[k]);
        for (int h = 0; h < 2; ++h) {
            const __m256d cell = _mm256_mul_pd(_mm256_sub_pd(to.half[h], origin), scale);
            fits.half[h] = _mm256_and_pd(fits.half[h], _mm256_cmp_pd(cell, low.half[h], _CMP_GE_OQ));
            fits.half[h] = _mm256_and_pd(fits.half[h], _mm256_cmp_pd(cell, high.half[h], _CMP_LT_OQ));
        }
        for (int h = 0; h < 2; ++h) {
            _mm256_storeu_pd(end->to[k] + 4 * h, to.half[h]);
            _mm256_storeu_pd(end->velocity[k] + 4 * h, speed.half[h]);
        }
        store_ints(end->low[k], w->low[k]);
        store_ints(end->high[k], w->high[k]);
    }
    store_ints(end->label, w->label);
    store_ints(end->number, e->number);
    end->collided = mote_lanes_bits(collided);
    end->misfit = ~(mote_lanes_bits(mote_narrow_mask(fits)) | mote_lanes_bits(w->outside));
}

// Does the same as mote_move_end.
static inline void write_end(const lanes_block *b, walks_end *end, int lane)
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

// Moves eight particles through any number of leaves, with all their collisions.
MOTE_TARGET_AVX2 static void move_far(lanes_block *b, const eight *e, uint32_t valid)
{
    mote_walks w;
    wide_eight wide;
    widen_eight(b, e, valid, &wide);
    const uint32_t alone = walk_eight(b, e, &wide, valid, false, &w);
    walks_end end;
    find_end(b, e, &wide, &w, &end);
    for (uint32_t left = valid & ~alone; left; left &= left - 1) write_end(b, &end, __builtin_ctz(left));
    count_walks(&b->count, &w, mask_of(valid & ~alone));
    for (uint32_t left = alone; left; left &= left - 1)
        move_alone(b->task, b->begin + end.number[__builtin_ctz(left)], &b->count);
}

// Moves those of eight particles that pass at most one face and meet nothing; queues the others.
MOTE_TARGET_AVX2 static void move_near(lanes_block *b, const eight *e, uint32_t valid)
{
    const mote_proxy_particles *set = b->task->particles;
    const mote_lanes_vec motion = motion_of(b, e), end = end_of(e, &motion);
    const mote_lanes_result r = mote_lanes_go(&b->lanes, &e->from, &end, &motion, e->labels, e->entry, true);
    const uint32_t quiet = r.quiet & valid;
    uint32_t number[8], label[8];
    store_ints(number, e->number);
    store_ints(label, r.labels);
    for (uint32_t left = quiet; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const size_t i = b->begin + number[lane];
        mote_move_drift(set, b->task->dt, i);
        set->labels[i] = (uint8_t)label[lane];
    }
    b->count.leaves += (uint32_t)(__builtin_popcount(quiet) + __builtin_popcount(quiet & r.passed));
    push(&b->far, e, valid & ~quiet);
    if (b->far.count >= QUEUE) drain(b, &b->far, false, move_far);
}

// ------------------------------------------------------------------------------------------------ first collisions

MOTE_TARGET_AVX2 static void find_alone(const mote_move_task *task, size_t i)
{
    mote_move_find_hit(task, i);
}

// Writes the hits of the lanes of a mask. `rest` is the share of the time left when they meet a leaf.
MOTE_TARGET_AVX2 static inline void write_hits(const lanes_block *b, __m256i numbers, uint32_t lanes,
                                               const mote_wide *rest, const mote_wide normal[3], __m256i leaves)
{
    const __m256d dt = _mm256_set1_pd(b->task->dt), zero = _mm256_setzero_pd(), one = _mm256_set1_pd(1);
    __m128 rows[8];
    for (int h = 0; h < 2; ++h) {
        __m256d share = zero;
        if (b->task->dt > 0) share = _mm256_div_pd(_mm256_sub_pd(dt, rest->half[h]), dt);
        __m128 *row = rows + 4 * h;
        row[0] = _mm256_cvtpd_ps(_mm256_max_pd(zero, _mm256_min_pd(share, one)));
        for (int k = 0; k < 3; ++k) row[1 + k] = _mm256_cvtpd_ps(normal[k].half[h]);
        _MM_TRANSPOSE4_PS(row[0], row[1], row[2], row[3]);
    }
    uint32_t number[8], leaf[8];
    store_ints(number, numbers);
    store_ints(leaf, leaves);
    for (; lanes; lanes &= lanes - 1) {
        const int lane = __builtin_ctz(lanes);
        mote_proxy_hit *hit = &b->task->hits[b->begin + number[lane]];
        _mm_storeu_ps((float *)(void *)hit, rows[lane]);
        hit->leaf = leaf[lane];
    }
}

// Loads the caller's own numbers along the axes on which motions pass faces; doubles are loaded from the caller's
// arrays.
MOTE_TARGET_AVX2 static inline void load_along(const lanes_block *b, size_t at, uint32_t valid, mote_wide *from,
                                               mote_wide *velocity)
{
    const mote_proxy_particles *set = b->task->particles;
    const hit_queue *found = &b->found;
    if (set->scalar == MOTE_F32) {
        *from = mote_wide_from_floats(_mm256_loadu_ps(found->from + at));
        *velocity = mote_wide_from_floats(_mm256_loadu_ps(found->velocity + at));
        return;
    }
    double x[8] = {0}, v[8] = {0};
    for (uint32_t left = valid; left; left &= left - 1) {
        const size_t lane = (uint32_t)__builtin_ctz(left), i = b->begin + found->number[at + lane];
        const int axis = (int)(found->how[at + lane] & HIT_AXIS);
        x[lane] = mote_move_load(set, set->position, set->position_stride, i, axis);
        v[lane] = mote_move_load(set, set->velocity, set->velocity_stride, i, axis);
    }
    *from = load_wide(x);
    *velocity = load_wide(v);
}

// Writes eight hits of the queue, computed in double as the walk would.
MOTE_TARGET_AVX2 static inline void write_found(const lanes_block *b, size_t at, uint32_t valid)
{
    const mote_proxy *proxy = b->task->proxy;
    const hit_queue *found = &b->found;
    const __m256i how = load_ints(found->how + at), axis = _mm256_and_si256(how, _mm256_set1_epi32(HIT_AXIS));
    const __m256i is_back = _mm256_and_si256(how, _mm256_set1_epi32(HIT_BACK));
    const __m256i is_inside = _mm256_and_si256(how, _mm256_set1_epi32(HIT_INSIDE));
    const mote_wide is_y = mote_wide_mask(mote_lanes_equal(axis, 1)), is_z = mote_wide_mask(mote_lanes_equal(axis, 2));
    const mote_wide inside = mote_wide_mask(mote_lanes_equal(is_inside, HIT_INSIDE));
    mote_wide from, velocity;
    load_along(b, at, valid, &from, &velocity);
    const mote_wide bound = mote_wide_from_ints(load_ints(found->bound + at));
    const __m256d dt = _mm256_set1_pd(b->task->dt), scale = _mm256_set1_pd(proxy->scale);
    mote_wide rest, normal[3];
    for (int h = 0; h < 2; ++h) {
        __m256d origin = _mm256_set1_pd(proxy->origin.x);
        origin = _mm256_blendv_pd(origin, _mm256_set1_pd(proxy->origin.y), is_y.half[h]);
        origin = _mm256_blendv_pd(origin, _mm256_set1_pd(proxy->origin.z), is_z.half[h]);
        const __m256d place = _mm256_mul_pd(_mm256_sub_pd(from.half[h], origin), scale);
        const __m256d soonest =
            _mm256_div_pd(_mm256_sub_pd(bound.half[h], place), _mm256_mul_pd(velocity.half[h], scale));
        const __m256d after = _mm256_sub_pd(dt, _mm256_max_pd(soonest, _mm256_setzero_pd()));
        rest.half[h] = _mm256_blendv_pd(after, dt, inside.half[h]);
    }
    mote_wide_normal(load_ints(found->packed + at), mote_lanes_equal(is_back, HIT_BACK), normal);
    write_hits(b, load_ints(found->number + at), valid, &rest, normal, load_ints(found->node + at));
}

MOTE_TARGET_AVX2 static inline __m256 along_axis(const mote_lanes_vec *v, __m256i axis)
{
    const __m256 is_y = _mm256_castsi256_ps(mote_lanes_equal(axis, 1)),
                 is_z = _mm256_castsi256_ps(mote_lanes_equal(axis, 2));
    return _mm256_blendv_ps(_mm256_blendv_ps(v->k[0], v->k[1], is_y), v->k[2], is_z);
}

MOTE_TARGET_AVX2 static inline void push_hits(lanes_block *b, const eight *e, const mote_lanes_result *r,
                                              uint32_t lanes)
{
    hit_queue *found = &b->found;
    const size_t at = found->count;
    const __m256i kept = mote_compress_lanes(lanes), back = mote_lanes_equal(r->labels, MOTE_PROXY_BACK);
    __m256i how = _mm256_or_si256(r->axis, _mm256_and_si256(r->inside, _mm256_set1_epi32(HIT_INSIDE)));
    how = _mm256_or_si256(how, _mm256_and_si256(back, _mm256_set1_epi32(HIT_BACK)));
    push_ints(found->number + at, e->number, kept);
    push_ints(found->node + at, r->node, kept);
    push_ints(found->packed + at, r->packed, kept);
    push_ints(found->how + at, how, kept);
    push_ints(found->bound + at, r->bound, kept);
    push_floats(found->from + at, along_axis(&e->from, r->axis), kept);
    push_floats(found->velocity + at, along_axis(&e->velocity, r->axis), kept);
    found->count += (size_t)__builtin_popcount(lanes);
}

// Writes all hits of the queue.
MOTE_TARGET_AVX2 static void drain_hits(lanes_block *b)
{
    for (size_t done = 0; done < b->found.count; done += 8) {
        const size_t rest = b->found.count - done;
        write_found(b, done, rest < 8 ? (1u << rest) - 1 : 0xFF);
    }
    b->found.count = 0;
}

// Finds the first hits of eight particles through any number of leaves.
MOTE_TARGET_AVX2 static void find_far(lanes_block *b, const eight *e, uint32_t valid)
{
    mote_walks w;
    wide_eight wide;
    widen_eight(b, e, valid, &wide);
    const uint32_t alone = walk_eight(b, e, &wide, valid, true, &w);
    const uint32_t hit = mote_lanes_bits(_mm256_cmpgt_epi32(w.bounces, _mm256_setzero_si256())) & valid & ~alone;
    if (hit) write_hits(b, e->number, hit, &w.time, w.met_normal, w.met);
    uint32_t number[8];
    store_ints(number, e->number);
    for (uint32_t left = alone; left; left &= left - 1) find_alone(b->task, b->begin + number[__builtin_ctz(left)]);
}

// Finds the first hits of those of eight particles that pass at most one face; queues the others.
MOTE_TARGET_AVX2 static void find_near(lanes_block *b, const eight *e, uint32_t valid)
{
    const mote_lanes_vec motion = motion_of(b, e), end = end_of(e, &motion);
    const mote_lanes_result r =
        mote_lanes_go(&b->lanes, &e->from, &end, &motion, e->labels, e->entry, b->task->particles->labels != NULL);
    push_hits(b, e, &r, r.hit & valid);
    push(&b->far, e, valid & ~(r.quiet | r.hit));
    if (b->found.count >= QUEUE) drain_hits(b);
    if (b->far.count >= QUEUE) drain(b, &b->far, false, find_far);
}

// Writes eight results without a hit.
MOTE_TARGET_AVX2 static inline void write_none(mote_proxy_hit *hits)
{
    static const float none[40] = {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0,
                                   2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0};
    _Static_assert(8 * sizeof *hits == sizeof none, "a hit is four floats and an integer, which is 0 as a float is");
    for (int k = 0; k < 40; k += 8) _mm256_storeu_ps((float *)(void *)hits + k, _mm256_loadu_ps(none + k));
}

// ----------------------------------------------------------------------------------------------------------- blocks

// Looks all motions of a block up, eight at a time, and takes those on of which that does not tell enough.
// @param moves  moves particles; else finds their first collisions
// @return the first particle that is left: fewer than eight are
MOTE_TARGET_AVX2 MOTE_INLINE size_t take_eights(lanes_block *b, size_t end, bool moves)
{
    eight_task *const near = moves ? move_near : find_near, *const far = moves ? move_far : find_far;
    size_t i = b->begin;
    for (; i + 8 <= end && b->lanes.usable; i += 8) {
        eight e = load_eight(b, i);
        const mote_lanes_vec motion = motion_of(b, &e);
        const mote_lanes_look look = mote_lanes_look_up(&b->lanes, &e.from, &motion,
                                                        moves ? MOTE_PROXY_SAME_SHIFT : MOTE_PROXY_CLEAR_SHIFT);
        const uint32_t clear = mote_lanes_bits(look.clear);
        e.entry = look.entry;
        if (!moves) write_none(b->task->hits + i);
        if (moves && clear) move_clear(b, i, &e, &look);
        b->count.clear += (uint32_t)__builtin_popcount(clear);
        push(&b->near, &e, ~clear & 0xFF);
        if (b->near.count >= QUEUE) drain(b, &b->near, false, near);
    }
    drain(b, &b->near, true, near);
    drain(b, &b->far, true, far);
    return i;
}

MOTE_TARGET_AVX2 void mote_move_avx2(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const mote_move_task *task = data;
    lanes_block b = {.count = {.particles = end - begin}};
    start_block(&b, task, begin);
    const size_t rest = take_eights(&b, end, true);
    mote_move_some(task, rest, end, &b.count);
    if (task->blocks) task->blocks[begin / MOTE_MOVE_BLOCK] = b.count;
}

MOTE_TARGET_AVX2 void mote_move_hits_avx2(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    lanes_block b = {.count = {0}};
    start_block(&b, data, begin);
    const size_t rest = take_eights(&b, end, false);
    drain_hits(&b);
    for (size_t i = rest; i < end; ++i) find_alone(data, i);
}

#endif
