// Particles moved, stamped and asked for their first collisions, in blocks, each particle by itself.
//
// Where a particle stands after a step is a number of the caller's type. It is brought into the leaf in which the walk
// ended, be it by moving it to the next number: so that rounding never puts a particle beyond a face that it did not
// pass, and its label stays right.
//
// Most particles are far from the surface. The table says how many of its cells around a particle's are empty and
// without label; one look decides that a shorter motion meets nothing. This look is in float, and its threshold is
// lowered by what float's rounding can do.

#include "base/compress.h"
#include "hits/proxy_lanes.h"
#include "hits/proxy_walk.h"

enum { PARTICLES_A_BLOCK = 4096 };

typedef struct move_task {
    const mote_proxy *proxy;
    const mote_proxy_particles *particles;
    double dt;
    mote_proxy_response response;
    mote_proxy_counters *blocks;  // may be NULL
    mote_proxy_hit *hits;

    float origin[3], scale;    // finest leaves
    float slack, table_slack;  // what float's rounding does to coordinates in finest leaves, and in cells of the table
} move_task;

MOTE_INLINE double load(const mote_proxy_particles *set, void *const axis[3], ptrdiff_t stride, size_t i, int k)
{
    const char *at = (const char *)axis[k] + (ptrdiff_t)i * stride;
    return set->scalar == MOTE_F32 ? (double)mote_load_f32(at) : mote_load_f64(at);
}

MOTE_INLINE void store(const mote_proxy_particles *set, void *const axis[3], ptrdiff_t stride, size_t i, int k,
                       double value)
{
    char *at = (char *)axis[k] + (ptrdiff_t)i * stride;
    const float narrow = (float)value;
    if (set->scalar == MOTE_F32)
        memcpy(at, &narrow, sizeof narrow);
    else
        memcpy(at, &value, sizeof value);
}

static double next_number(mote_scalar scalar, double x, double towards)
{
    return scalar == MOTE_F32 ? (double)nextafterf((float)x, (float)towards) : nextafter(x, towards);
}

// The number of the particles' type nearest to x that lies in the leaf, along an axis; false if there is none near.
static bool fit(const mote_proxy *proxy, mote_scalar scalar, double origin, uint32_t low, uint32_t size, double *x)
{
    if (scalar == MOTE_F32) *x = (double)(float)*x;
    for (int tries = 0; tries < 64; ++tries) {
        const double cell = (*x - origin) * proxy->scale;
        if (cell >= low && cell < (double)low + size) return true;
        *x = next_number(scalar, *x, cell < low ? HUGE_VAL : -HUGE_VAL);
    }
    return false;
}

// What a particle starts with; false if that is not finite.
MOTE_INLINE bool begin_walk(const move_task *task, size_t i, double position[3], double velocity[3], mote_walk *w)
{
    const mote_proxy *proxy = task->proxy;
    const mote_proxy_particles *set = task->particles;
    const double origin[3] = {proxy->origin.x, proxy->origin.y, proxy->origin.z};
    uint32_t cell[3];
    bool inside = true, finite = true;
    for (int k = 0; k < 3; ++k) {
        position[k] = load(set, set->position, set->position_stride, i, k);
        velocity[k] = load(set, set->velocity, set->velocity_stride, i, k);
        w->at[k] = (position[k] - origin[k]) * proxy->scale;
        w->velocity[k] = velocity[k] * proxy->scale;
        finite &= isfinite(w->at[k]) && isfinite(w->velocity[k] * task->dt);
        inside &= mote_proxy_cell_1(proxy, w->at[k], cell + k);
    }
    if (!finite) return false;
    w->proxy = proxy;
    w->restitution = task->response.restitution;
    w->friction = task->response.friction;
    w->time = task->dt;
    w->label = set->labels ? set->labels[i] : MOTE_PROXY_UNKNOWN;
    w->labelled = set->labels != NULL;
    w->outside = !inside;
    w->bounces = w->walls = w->leaves = 0;
    w->dropped = false;
    if (inside) {
        const mote_spot spot = mote_proxy_find(proxy, cell);
        mote_walk_enter(w, &spot);
    }
    return true;
}

// Writes where the walk ended.
MOTE_INLINE void end_walk(const move_task *task, size_t i, const double position[3], const double velocity[3],
                          const mote_walk *w)
{
    const mote_proxy *proxy = task->proxy;
    const mote_proxy_particles *set = task->particles;
    const double origin[3] = {proxy->origin.x, proxy->origin.y, proxy->origin.z};
    const double left = w->dropped ? 0 : w->time;
    double to[3];
    bool stands = true;
    for (int k = 0; k < 3; ++k) {
        // Without a collision the particle ends where it would have without a proxy, to the bit.
        if (w->bounces == 0)
            to[k] = set->scalar == MOTE_F32 ? (double)((float)position[k] + (float)velocity[k] * (float)task->dt)
                                            : position[k] + velocity[k] * task->dt;
        else
            to[k] = origin[k] + (w->at[k] + w->velocity[k] * left) * proxy->leaf;
        if (!w->outside) stands &= fit(proxy, set->scalar, origin[k], w->spot.low[k], w->spot.size, to + k);
    }
    if (!stands) return;
    for (int k = 0; k < 3; ++k) {
        store(set, set->position, set->position_stride, i, k, to[k]);
        if (w->bounces) store(set, set->velocity, set->velocity_stride, i, k, w->velocity[k] * proxy->leaf);
    }
    set->labels[i] = w->label;
}

// Whether nothing is near, by one look at the table.
MOTE_INLINE bool is_clear(const move_task *task, const float position[3], const float motion[3])
{
    const float across = (float)(1u << task->proxy->def.max_depth);
    const int height = task->proxy->def.max_depth - task->proxy->def.table_depth;
    float longest = 0;
    uint32_t cell[3];
    bool inside = true, away = false, finite = true;
    for (int k = 0; k < 3; ++k) {
        const float at = (position[k] - task->origin[k]) * task->scale, by = motion[k] * task->scale, then = at + by;
        inside &= at >= 0 && at < across;
        away |=
            (at < -task->slack && then < -task->slack) || (at > across + task->slack && then > across + task->slack);
        cell[k] = inside ? (uint32_t)at >> height : 0;
        const float length = by < 0 ? -by : by;
        longest = length > longest ? length : longest;
        finite &= (at < 0 ? -at : at) + length <= MOTE_PROXY_LONGEST;
    }
    if (!finite || away || !inside) return finite && away;
    const uint32_t shift = (uint32_t)task->proxy->def.table_depth;
    const uint32_t entry = task->proxy->table[((size_t)cell[2] << 2 * shift) + ((size_t)cell[1] << shift) + cell[0]];
    const float in_cells = longest * (1 / (float)(1u << height));
    return (entry & 7) == MOTE_PROXY_EMPTY && in_cells <= (float)(entry >> 8) - task->table_slack;
}

// Moves a particle of which nothing is near.
MOTE_INLINE bool move_clear(const move_task *task, size_t i)
{
    const mote_proxy_particles *set = task->particles;
    float position[3], motion[3];
    double to[3];
    for (int k = 0; k < 3; ++k) {
        const double x = load(set, set->position, set->position_stride, i, k);
        const double v = load(set, set->velocity, set->velocity_stride, i, k);
        position[k] = (float)x;
        motion[k] = (float)v * (float)task->dt;
        to[k] = set->scalar == MOTE_F32 ? (double)(position[k] + motion[k]) : x + v * task->dt;
    }
    if (!is_clear(task, position, motion)) return false;
    for (int k = 0; k < 3; ++k) store(set, set->position, set->position_stride, i, k, to[k]);
    return true;
}

MOTE_INLINE void walk_particle(const move_task *task, size_t i, mote_proxy_counters *count)
{
    double position[3], velocity[3];
    mote_walk w;
    w.only_first = false;
    if (!begin_walk(task, i, position, velocity, &w)) return;
    mote_walk_go(&w);
    end_walk(task, i, position, velocity, &w);
    count->leaves += w.leaves;
    count->bounces += w.bounces;
    count->walls += w.walls;
    count->collided += w.bounces > 0;
    count->dropped += w.dropped;
}

MOTE_INLINE void move_particles(const move_task *task, size_t begin, size_t end, mote_proxy_counters *count)
{
    for (size_t i = begin; i < end; ++i) {
        if (move_clear(task, i))
            ++count->clear;
        else
            walk_particle(task, i, count);
    }
}

// The hit of a motion that meets a leaf after `rest` of its time is left.
MOTE_INLINE void write_hit(const move_task *task, size_t i, double rest, mote_vec3 normal, uint32_t leaf)
{
    const double share = task->dt > 0 ? (task->dt - rest) / task->dt : 0;
    const mote_proxy_hit hit = {
        (float)MOTE_MAX(0, MOTE_MIN(share, 1)), {(float)normal.x, (float)normal.y, (float)normal.z}, leaf};
    task->hits[i] = hit;
}

static const mote_proxy_hit no_hit = {2, {0, 0, 0}, 0};

MOTE_INLINE void find_hit(const move_task *task, size_t i)
{
    double position[3], velocity[3];
    mote_walk w;
    w.only_first = true;
    task->hits[i] = no_hit;
    if (!begin_walk(task, i, position, velocity, &w)) return;
    mote_walk_go(&w);
    if (w.bounces) write_hit(task, i, w.time, mote_vec3_make(w.met_normal[0], w.met_normal[1], w.met_normal[2]), w.met);
}

// -------------------------------------------------------------------------------------------------- eight at a time

#if MOTE_HAVE_AVX2
// Whether positions and velocities are floats x, y, z, x, …
static bool is_packed(const mote_proxy_particles *set)
{
    const char *const x = set->position[0], *const u = set->velocity[0];
    return set->scalar == MOTE_F32 && set->position_stride == 12 && set->velocity_stride == 12 &&
           (const char *)set->position[1] == x + 4 && (const char *)set->position[2] == x + 8 &&
           (const char *)set->velocity[1] == u + 4 && (const char *)set->velocity[2] == u + 8 &&
           (uintptr_t)x % sizeof(float) == 0 && (uintptr_t)u % sizeof(float) == 0;
}

typedef struct eight {
    mote_lanes_vec from, to, motion;
    __m256i labels;
} eight;

MOTE_TARGET_AVX2 static inline void finish_eight(const move_task *task, eight *e)
{
    const __m256 dt = _mm256_set1_ps((float)task->dt);
    for (int k = 0; k < 3; ++k) {
        e->motion.k[k] = _mm256_mul_ps(e->motion.k[k], dt);
        e->to.k[k] = _mm256_add_ps(e->from.k[k], e->motion.k[k]);
    }
}

// Eight neighbours from i on.
MOTE_TARGET_AVX2 static inline eight load_eight(const move_task *task, size_t i)
{
    const mote_proxy_particles *set = task->particles;
    eight e = {.from = mote_lanes_load_xyz((const float *)set->position[0] + 3 * i),
               .motion = mote_lanes_load_xyz((const float *)set->velocity[0] + 3 * i)};
    finish_eight(task, &e);
    return e;
}

// Eight particles, numbered from the block's first.
MOTE_TARGET_AVX2 static inline eight gather_eight(const move_task *task, size_t begin, const uint32_t number[8])
{
    const mote_proxy_particles *set = task->particles;
    const float *x = (const float *)set->position[0] + 3 * begin, *v = (const float *)set->velocity[0] + 3 * begin;
    const __m256i i = _mm256_loadu_si256((const __m256i *)(const void *)number);
    const __m256i at = _mm256_add_epi32(i, _mm256_add_epi32(i, i));
    eight e = {.labels = _mm256_setzero_si256()};
    for (int k = 0; k < 3; ++k) {
        e.from.k[k] = _mm256_i32gather_ps(x + k, at, 4);
        e.motion.k[k] = _mm256_i32gather_ps(v + k, at, 4);
    }
    finish_eight(task, &e);
    if (set->labels) {
        const uint8_t *own = set->labels + begin;
        e.labels = _mm256_setr_epi32(own[number[0]], own[number[1]], own[number[2]], own[number[3]], own[number[4]],
                                     own[number[5]], own[number[6]], own[number[7]]);
    }
    return e;
}

// Appends the numbers of the lanes that are not clear.
MOTE_TARGET_AVX2 static inline size_t queue_lanes(uint32_t *queue, size_t count, uint32_t first, uint32_t clear)
{
    const uint32_t mask = ~clear & 0xFF;
    const __m256i number = _mm256_add_epi32(_mm256_set1_epi32((int)first), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    const __m256i packed = _mm256_permutevar8x32_epi32(number, mote_compress_lanes(mask));
    _mm256_storeu_si256((__m256i *)(void *)(queue + count), packed);
    return count + (size_t)__builtin_popcount(mask);
}

// Moves the lanes of the mask to where their motion ends.
MOTE_TARGET_AVX2 static inline void store_clear(const move_task *task, size_t i, const eight *e, uint32_t mask)
{
    const mote_proxy_particles *set = task->particles;
    float *x = (float *)set->position[0] + 3 * i;
    if (mask == 0xFF) {
        const float *v = (const float *)set->velocity[0] + 3 * i;
        const __m256 dt = _mm256_set1_ps((float)task->dt);
        for (int k = 0; k < 24; k += 8)
            _mm256_storeu_ps(x + k, _mm256_add_ps(_mm256_loadu_ps(x + k), _mm256_mul_ps(_mm256_loadu_ps(v + k), dt)));
        return;
    }
    float to[3][8];
    for (int k = 0; k < 3; ++k) _mm256_storeu_ps(to[k], e->to.k[k]);
    for (; mask; mask &= mask - 1) {
        const int lane = __builtin_ctz(mask);
        for (int k = 0; k < 3; ++k) x[3 * lane + k] = to[k][lane];
    }
}

static mote_lanes_proxy make_lanes(const move_task *task)
{
    mote_lanes_proxy p = {.proxy = task->proxy,
                          .scale = task->scale,
                          .slack = task->slack,
                          .table_slack = task->table_slack,
                          .usable = task->slack < 0.05F};
    memcpy(p.origin, task->origin, sizeof p.origin);
    return p;
}

MOTE_TARGET_AVX2 static void walk_with_avx2(const move_task *task, size_t i, mote_proxy_counters *count)
{
    walk_particle(task, i, count);
}

// Moves eight of the queue.
MOTE_TARGET_AVX2 static inline void move_eight(const move_task *task, const mote_lanes_proxy *p, size_t begin,
                                               const uint32_t number[8], mote_proxy_counters *count)
{
    const mote_proxy_particles *set = task->particles;
    const eight e = gather_eight(task, begin, number);
    const mote_lanes_result r = mote_lanes_go(p, &e.from, &e.to, &e.motion, e.labels, true);
    float to[3][8];
    uint32_t own[8];
    for (int k = 0; k < 3; ++k) _mm256_storeu_ps(to[k], e.to.k[k]);
    _mm256_storeu_si256((__m256i *)(void *)own, r.labels);
    for (uint32_t left = r.quiet; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const size_t i = begin + number[lane];
        for (size_t k = 0; k < 3; ++k) ((float *)set->position[0])[3 * i + k] = to[k][lane];
        set->labels[i] = (uint8_t)own[lane];
    }
    for (uint32_t left = ~r.quiet & 0xFF; left; left &= left - 1)
        walk_with_avx2(task, begin + number[__builtin_ctz(left)], count);
    count->leaves += (uint32_t)(__builtin_popcount(r.quiet) + __builtin_popcount(r.quiet & r.passed));
}

MOTE_TARGET_AVX2 static void move_lanes(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const move_task *task = data;
    const mote_lanes_proxy p = make_lanes(task);
    mote_proxy_counters count = {.particles = end - begin};
    uint32_t queue[PARTICLES_A_BLOCK + 8];
    size_t waiting = 0, i = begin, done = 0;
    for (; i + 8 <= end && p.usable; i += 8) {
        const eight e = load_eight(task, i);
        const uint32_t clear = mote_lanes_clear(&p, &e.from, &e.motion);
        waiting = queue_lanes(queue, waiting, (uint32_t)(i - begin), clear);
        store_clear(task, i, &e, clear);
        count.clear += (uint32_t)__builtin_popcount(clear);
    }
    for (; done + 8 <= waiting; done += 8) move_eight(task, &p, begin, queue + done, &count);
    for (; done < waiting; ++done) walk_with_avx2(task, begin + queue[done], &count);
    move_particles(task, i, end, &count);
    if (task->blocks) task->blocks[begin / PARTICLES_A_BLOCK] = count;
}

MOTE_TARGET_AVX2 static void find_with_avx2(const move_task *task, size_t i)
{
    find_hit(task, i);
}

// Writes the hits of the lanes that meet a normal: as the walk would, in double.
MOTE_TARGET_AVX2 static inline void write_lanes(const move_task *task, size_t begin, const uint32_t number[8],
                                                const mote_lanes_result *r)
{
    const mote_proxy *proxy = task->proxy;
    const mote_proxy_particles *set = task->particles;
    const double origin[3] = {proxy->origin.x, proxy->origin.y, proxy->origin.z};
    uint32_t node[8], axis[8], bound[8], label[8];
    _mm256_storeu_si256((__m256i *)(void *)node, r->node);
    _mm256_storeu_si256((__m256i *)(void *)axis, r->axis);
    _mm256_storeu_si256((__m256i *)(void *)bound, r->bound);
    _mm256_storeu_si256((__m256i *)(void *)label, r->labels);
    for (uint32_t left = r->hit; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const size_t i = begin + number[lane];
        double rest = task->dt;
        if (!(r->inside >> lane & 1)) {
            const uint32_t k = axis[lane];
            const double x = (double)((const float *)set->position[0])[3 * i + k];
            const double v = (double)((const float *)set->velocity[0])[3 * i + k] * proxy->scale;
            const double soonest = (bound[lane] - (x - origin[k]) * proxy->scale) / v;
            rest = task->dt - MOTE_MAX(soonest, 0);
        }
        mote_vec3 normal = mote_normal_unpack(proxy->nodes[node[lane]].first);
        if (label[lane] == MOTE_PROXY_BACK) normal = mote_vec3_scale(normal, -1);
        write_hit(task, i, rest, normal, node[lane]);
    }
}

MOTE_TARGET_AVX2 static void hits_lanes(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const move_task *task = data;
    const mote_lanes_proxy p = make_lanes(task);
    const bool labelled = task->particles->labels != NULL;
    uint32_t queue[PARTICLES_A_BLOCK + 8];
    size_t waiting = 0, i = begin, done = 0;
    for (; i + 8 <= end && p.usable; i += 8) {
        const eight e = load_eight(task, i);
        waiting = queue_lanes(queue, waiting, (uint32_t)(i - begin), mote_lanes_clear(&p, &e.from, &e.motion));
        for (size_t k = i; k < i + 8; ++k) task->hits[k] = no_hit;
    }
    for (; done + 8 <= waiting; done += 8) {
        const uint32_t *number = queue + done;
        const eight e = gather_eight(task, begin, number);
        const mote_lanes_result r = mote_lanes_go(&p, &e.from, &e.to, &e.motion, e.labels, labelled);
        if (r.hit) write_lanes(task, begin, number, &r);
        for (uint32_t left = ~(r.quiet | r.hit) & 0xFF; left; left &= left - 1)
            find_with_avx2(task, begin + number[__builtin_ctz(left)]);
    }
    for (; done < waiting; ++done) find_with_avx2(task, begin + queue[done]);
    for (; i < end; ++i) find_with_avx2(task, i);
}
#endif

// ------------------------------------------------------------------------------------------------------- the calls

static void move_plain(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const move_task *task = data;
    mote_proxy_counters count = {.particles = end - begin};
    move_particles(task, begin, end, &count);
    if (task->blocks) task->blocks[begin / PARTICLES_A_BLOCK] = count;
}

static void hits_plain(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    for (size_t i = begin; i < end; ++i) find_hit(data, i);
}

// The form of a loop that this processor runs fastest.
static mote_range_task *choose(const mote_proxy_particles *particles, mote_range_task *lanes, mote_range_task *plain)
{
#if MOTE_HAVE_AVX2
    if (mote_cpu_has_avx2() && is_packed(particles)) return lanes;
#endif
    (void)particles;
    (void)lanes;
    return plain;
}

#if !MOTE_HAVE_AVX2
#define move_lanes move_plain
#define hits_lanes hits_plain
#endif

mote_result mote_proxy_check_particles(const mote_proxy_particles *particles, bool need_labels)
{
    if (!particles || (particles->scalar != MOTE_F32 && particles->scalar != MOTE_F64)) return MOTE_ERROR_ARGUMENT;
    if (particles->count == 0) return MOTE_OK;
    if (particles->count > UINT32_MAX - 1 || (need_labels && !particles->labels)) return MOTE_ERROR_ARGUMENT;
    for (int k = 0; k < 3; ++k)
        if (!particles->position[k] || !particles->velocity[k]) return MOTE_ERROR_ARGUMENT;
    return MOTE_OK;
}

static move_task make_task(const mote_proxy *proxy, const mote_proxy_particles *particles, double dt)
{
    move_task task = {.proxy = proxy, .particles = particles, .dt = dt};
    const double origin[3] = {proxy->origin.x, proxy->origin.y, proxy->origin.z};
    double farthest = 0;
    for (int k = 0; k < 3; ++k) {
        task.origin[k] = (float)origin[k];
        farthest = MOTE_MAX(farthest, fabs(origin[k]));
    }
    task.scale = (float)proxy->scale;
    // Coordinates in the root are rounded by 2^-24 of themselves, their distance from the origin and its scaling by as
    // much of theirs.
    const double across = (double)(1u << proxy->def.max_depth);
    task.slack = (float)MOTE_MIN(1e30, (farthest * proxy->scale + across) * 0x1p-21);
    task.table_slack = task.slack / (float)(1u << (proxy->def.max_depth - proxy->def.table_depth));
    return task;
}

mote_result mote_proxy_move(const mote_proxy *proxy, const mote_proxy_particles *particles, double dt,
                            const mote_proxy_response *response, mote_proxy_counters *counters)
{
    if (!proxy || !response || !(dt >= 0) || !isfinite(dt)) return MOTE_ERROR_ARGUMENT;
    if (!(response->restitution >= 0 && response->restitution <= 1) || !(response->friction >= 0))
        return MOTE_ERROR_ARGUMENT;
    if (mote_proxy_check_particles(particles, true) != MOTE_OK) return MOTE_ERROR_ARGUMENT;
    if (particles->count == 0) return MOTE_OK;
    move_task task = make_task(proxy, particles, dt);
    task.response = *response;
    const size_t blocks = mote_block_count(particles->count, PARTICLES_A_BLOCK);
    if (counters) {
        task.blocks = mote_allocate(proxy->context, blocks * sizeof *task.blocks);
        if (!task.blocks) return MOTE_ERROR_OUT_OF_MEMORY;
    }
    mote_parallel_for(proxy->context, particles->count, PARTICLES_A_BLOCK, choose(particles, move_lanes, move_plain),
                      &task);
    for (size_t b = 0; counters && b < blocks; ++b) {
        counters->particles += task.blocks[b].particles;
        counters->clear += task.blocks[b].clear;
        counters->leaves += task.blocks[b].leaves;
        counters->collided += task.blocks[b].collided;
        counters->bounces += task.blocks[b].bounces;
        counters->walls += task.blocks[b].walls;
        counters->dropped += task.blocks[b].dropped;
    }
    mote_release(proxy->context, task.blocks, counters ? blocks * sizeof *task.blocks : 0);
    return MOTE_OK;
}

mote_result mote_proxy_hits(const mote_proxy *proxy, const mote_proxy_particles *particles, double dt,
                            mote_proxy_hit *hits)
{
    if (!proxy || !(dt >= 0) || !isfinite(dt) || mote_proxy_check_particles(particles, false) != MOTE_OK)
        return MOTE_ERROR_ARGUMENT;
    if (particles->count == 0) return MOTE_OK;
    if (!hits) return MOTE_ERROR_ARGUMENT;
    move_task task = make_task(proxy, particles, dt);
    task.hits = hits;
    mote_parallel_for(proxy->context, particles->count, PARTICLES_A_BLOCK, choose(particles, hits_lanes, hits_plain),
                      &task);
    return MOTE_OK;
}

// Whether the particle's label is known; as it is now, if so.
static bool stamp_particle(const mote_proxy *proxy, const mote_proxy_particles *particles, size_t i)
{
    double at[3];
    for (int k = 0; k < 3; ++k) at[k] = load(particles, particles->position, particles->position_stride, i, k);
    uint32_t cell[3];
    particles->labels[i] = MOTE_PROXY_UNKNOWN;
    const mote_vec3 point = {at[0], at[1], at[2]};
    if (!mote_proxy_cell(proxy, point, cell)) return true;
    const mote_spot spot = mote_proxy_find(proxy, cell);
    if (spot.kind == MOTE_PROXY_FRONT || spot.kind == MOTE_PROXY_BACK) particles->labels[i] = (uint8_t)spot.kind;
    if (spot.kind != MOTE_PROXY_LEAF) return true;
    mote_leaf_view view;
    if (!mote_proxy_view(proxy, spot.node, spot.low, spot.size, &view)) return false;
    const mote_vec3 in_leaves = mote_vec3_scale(mote_vec3_sub(point, proxy->origin), proxy->scale);
    particles->labels[i] = mote_view_side(&view, in_leaves);
    return true;
}

typedef struct stamp_task {
    const mote_proxy *proxy;
    const mote_proxy_particles *particles;
} stamp_task;

static void stamp_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const stamp_task *task = data;
    for (size_t i = begin; i < end; ++i) stamp_particle(task->proxy, task->particles, i);
}

mote_result mote_proxy_stamp(const mote_proxy *proxy, const mote_proxy_particles *particles, mote_error *error)
{
    if (!proxy || !particles || (particles->count && (!particles->labels || !particles->position[0])))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "proxy: no proxy, no particles or no labels");
    stamp_task task = {proxy, particles};
    if (particles->count) mote_parallel_for(proxy->context, particles->count, PARTICLES_A_BLOCK, stamp_block, &task);
    // With all lists there, every leaf could be looked at.
    if (proxy->all.count) return MOTE_OK;
    for (size_t i = 0; i < particles->count; ++i)
        if (particles->labels[i] == MOTE_PROXY_UNKNOWN && !stamp_particle(proxy, particles, i))
            return mote_fail(error, MOTE_ERROR_STATE, i,
                             "proxy: particle %zu lies in a leaf whose triangles were not "
                             "kept",
                             i);
    return MOTE_OK;
}

mote_proxy_particles mote_proxy_particles_xyz(float *positions, float *velocities, uint8_t *labels, size_t count)
{
    mote_proxy_particles particles = {.position_stride = 3 * sizeof(float),
                                      .velocity_stride = 3 * sizeof(float),
                                      .labels = labels,
                                      .count = count,
                                      .scalar = MOTE_F32};
    for (int k = 0; k < 3; ++k) {
        particles.position[k] = positions ? positions + k : NULL;
        particles.velocity[k] = velocities ? velocities + k : NULL;
    }
    return particles;
}
