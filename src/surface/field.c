// SPDX-License-Identifier: MIT
// Sums over the particles around eight places: the hot loops of surfaces.
//
// The eight places are the lanes, particles come one after the other. So a sum runs in the order of the window in every
// form, whatever the width of registers. Particles beyond the support add exactly 0: they may be left out. All terms
// are at least 0, and rounding is monotone: the sum of some of the particles in their order is never above that of all.

#include <math.h>

#include "base/wide.h"
#include "surface/window.h"

_Static_assert(TARGETS % WIDE == 0, "eight lanes are whole registers");

enum {
    SETS = TARGETS / WIDE,
    ALL_TARGETS = (1 << TARGETS) - 1,
    A_ROW = 16  // particles in a row of the window up to which rows are read in one go, with what is between them
};

typedef struct wide_targets {
    wide_f32 x[SETS], y[SETS], z[SETS];
} wide_targets;

typedef struct field_sums {
    wide_f32 c[SETS], own[SETS];  // of all particles, and of those that are no fill
    wide_f32 least[SETS];         // least squared distance
} field_sums;

// Fill counts where the particles themselves have an eighth of the whole or more: walls without water have no surface,
// and the corner of a tank, of which water fills one octant of eight, is filled.
static const float fill_share = 8;

static const float nothing = 1e30f;  // the squared distance of no particle

MOTE_INLINE wide_targets load_targets(const surface_targets *targets)
{
    wide_targets t;
    for (int s = 0; s < SETS; ++s) {
        t.x[s] = wide_load(targets->at[0] + s * WIDE);
        t.y[s] = wide_load(targets->at[1] + s * WIDE);
        t.z[s] = wide_load(targets->at[2] + s * WIDE);
    }
    return t;
}

// s = 1 − r/support, 0 beyond the support.
MOTE_INLINE wide_f32 nearness_of(wide_f32 squared, float inverse_support)
{
    return wide_max(1.0f - wide_sqrt(squared) * inverse_support, wide_all(0));
}

// Half of W(r)/W(0). The product by a power of two is exact: whether it is rounded before the sum makes no difference.
MOTE_INLINE wide_f32 half_shape_of(wide_f32 squared, float inverse_support)
{
    const wide_f32 s = nearness_of(squared, inverse_support), t = wide_max(s - 0.5f, wide_all(0));
    return wide_multiply_add(t * t * t, wide_all(-4), s * s * s);
}

MOTE_INLINE wide_f32 shape_of(wide_f32 squared, float inverse_support)
{
    return 2.0f * half_shape_of(squared, inverse_support);
}

MOTE_INLINE wide_f32 parabola_of(wide_f32 squared, float inverse_support)
{
    return wide_max(1.0f - squared * (inverse_support * inverse_support), wide_all(0));
}

// Adds the particles begin … end − 1 of arrays x, y, z, volume, far.
MOTE_INLINE void add_run(const surface_kernel *kernel, const wide_targets *t, float *const arrays[6], uint32_t begin,
                         uint32_t end, bool has_fill, field_sums *sums)
{
    const float *x = arrays[0], *y = arrays[1], *z = arrays[2], *volume = arrays[3], *far = arrays[4];
    for (uint32_t j = begin; j < end; ++j)
        for (int s = 0; s < SETS; ++s) {
            const wide_f32 dx = x[j] - t->x[s], dy = y[j] - t->y[s], dz = z[j] - t->z[s];
            const wide_f32 squared = wide_length_squared(dx, dy, dz);
            const wide_f32 share = volume[j] * shape_of(squared, kernel->inverse_support);
            sums->c[s] = sums->c[s] + share;
            if (has_fill && far[j] < nothing) sums->own[s] = sums->own[s] + share;
            sums->least[s] = wide_min(has_fill ? squared + far[j] : squared, sums->least[s]);
        }
}

// Adds the first particles of the list with their own kernels.
MOTE_INLINE void add_forms(const wide_targets *t, const surface_window *window, uint32_t count, bool has_fill,
                           field_sums *sums)
{
    float *const *list = window->list;
    for (uint32_t j = 0; j < count; ++j) {
        uint32_t rank;
        memcpy(&rank, &list[5][j], sizeof rank);
        const surface_form *form = window->forms + window->index[window->number[rank]];
        const float *m = form->matrix, *back = form->back;
        const float far = has_fill ? list[4][j] : 0;
        for (int s = 0; s < SETS; ++s) {
            const wide_f32 x = list[0][j] - t->x[s], y = list[1][j] - t->y[s], z = list[2][j] - t->z[s];
            const wide_f32 u = (m[0] * x + m[3] * y) + m[4] * z, v = (m[3] * x + m[1] * y) + m[5] * z;
            const wide_f32 w = (m[4] * x + m[5] * y) + m[2] * z;
            const wide_f32 share = list[3][j] * shape_of(wide_length_squared(u, v, w), 1);
            const wide_f32 squared = wide_length_squared(x + back[0], y + back[1], z + back[2]);
            sums->c[s] = sums->c[s] + share;
            if (far < nothing) sums->own[s] = sums->own[s] + share;
            sums->least[s] = wide_min(squared + far, sums->least[s]);
        }
    }
}

// Adds the first particles of the list.
MOTE_INLINE void add_list(const surface_kernel *kernel, const wide_targets *t, const surface_window *window,
                          uint32_t count, field_sums *sums)
{
    if (window->forms)
        add_forms(t, window, count, window->has_fill, sums);
    else if (window->has_fill)
        add_run(kernel, t, window->list, 0, count, true, sums);
    else
        add_run(kernel, t, window->list, 0, count, false, sums);
}

MOTE_INLINE field_sums no_sums(void)
{
    field_sums sums;
    for (int s = 0; s < SETS; ++s) sums.c[s] = sums.own[s] = wide_all(0), sums.least[s] = wide_all(nothing);
    return sums;
}

// Grows with each particle that is added, so that a place that is inside by some of them is inside by all.
MOTE_INLINE wide_f32 field_of(const surface_kernel *kernel, const field_sums *sums, bool has_fill, int s)
{
    const wide_f32 c = has_fill ? wide_min(fill_share * sums->own[s], sums->c[s]) : sums->c[s];
    return wide_max(c, 1.0f - kernel->slope * sums->least[s]);
}

MOTE_INLINE uint32_t inside_bits(const surface_kernel *kernel, const field_sums *sums, bool has_fill)
{
    uint32_t bits = 0;
    for (int s = 0; s < SETS; ++s)
        bits |= wide_bits(wide_at_most(wide_all(kernel->isovalue), field_of(kernel, sums, has_fill, s))) << s * WIDE;
    return bits;
}

MOTE_INLINE const uint32_t *row_of(const surface_window *window, int y, int z)
{
    return window->start + ((size_t)z * (size_t)window->size + (size_t)y) * (size_t)window->size;
}

// Beyond [low, high] along one axis, or 0.
MOTE_INLINE wide_f32 beyond(wide_f32 v, float low, float high)
{
    return wide_max(wide_max(low - v, v - high), wide_all(0));
}

// What the particles of a list add at most to any target: by their distance from the box around all.
typedef struct field_bound {
    wide_f32 c, least;
} field_bound;

// What is kept of listed particles.
typedef enum list_columns {
    LIST_PLACES,
    LIST_VOLUMES,  // and places
    LIST_ALL
} list_columns;

// What a list is made from, in variables: after a store, compilers read again what lies in memory.
typedef struct list_task {
    const float *in[6];
    float *out[6], low[3], high[3], limit, inverse_support;
} list_task;

MOTE_INLINE list_task list_task_of(const surface_kernel *kernel, float *const from[6], float *const to[6],
                                   const surface_targets *targets)
{
    const float *low = targets->low, *high = targets->high;
    return (list_task){.in = {from[0], from[1], from[2], from[3], from[4], from[5]},
                       .out = {to[0], to[1], to[2], to[3], to[4], to[5]},
                       .low = {low[0], low[1], low[2]},
                       .high = {high[0], high[1], high[2]},
                       .limit = targets->reach * targets->reach,
                       .inverse_support = kernel->inverse_support};
}

// Lists particles begin … end − 1 that lie within reach of the box around the targets, behind those listed.
MOTE_INLINE uint32_t list_run(const list_task *task, uint32_t begin, uint32_t end, list_columns columns, uint32_t count,
                              field_bound *bound)
{
    const float *const *in = task->in, *low = task->low, *high = task->high;
    float *const *out = task->out;
    for (uint32_t j = begin; j < end; j += WIDE) {
        const wide_f32 x = wide_load(in[0] + j), y = wide_load(in[1] + j);
        const wide_f32 z = wide_load(in[2] + j);
        const wide_f32 dx = beyond(x, low[0], high[0]), dy = beyond(y, low[1], high[1]);
        const wide_f32 squared = wide_length_squared(dx, dy, beyond(z, low[2], high[2]));
        const wide_hits hits = wide_hits_within(wide_at_most(squared, wide_all(task->limit)), end - j);
        wide_store_front(out[0] + count, x, hits);
        wide_store_front(out[1] + count, y, hits);
        wide_store_front(out[2] + count, z, hits);
        if (columns >= LIST_VOLUMES) wide_store_front(out[3] + count, wide_load(in[3] + j), hits);
        if (columns == LIST_ALL) {
            wide_store_front(out[4] + count, wide_load(in[4] + j), hits);
            wide_store_front(out[5] + count, wide_load(in[5] + j), hits);
        }
        count += (uint32_t)wide_hit_count(hits);
        if (!bound) continue;
        // What lies behind the run only raises the bound: it is whatever was there, also a number below 0.
        const wide_f32 volume = wide_max(wide_load(in[3] + j), wide_all(0));
        bound->c = bound->c + volume * shape_of(squared, task->inverse_support);
        bound->least = wide_min(squared, bound->least);
    }
    return count;
}

// Lists the particles of the range that lie within reach of the box around the targets.
MOTE_INLINE uint32_t list_range(const surface_kernel *kernel, const surface_window *window, const surface_range *range,
                                const surface_targets *targets, float *const to[6], list_columns columns,
                                field_bound *bound)
{
    float *const from[6] = {window->x, window->y, window->z, window->volume, window->far, window->rank};
    const list_task task = list_task_of(kernel, from, to, targets);
    uint32_t count = 0;
    for (int z = range->low[2]; z <= range->high[2]; ++z) {
        const uint32_t rows = (uint32_t)(range->high[1] - range->low[1] + 1);
        const uint32_t begin = row_of(window, range->low[1], z)[range->low[0]];
        const uint32_t end = row_of(window, range->high[1], z)[range->high[0] + 1];
        if (end - begin <= A_ROW * rows) {
            count = list_run(&task, begin, end, columns, count, bound);
            continue;
        }
        for (int y = range->low[1]; y <= range->high[1]; ++y) {
            const uint32_t *row = row_of(window, y, z);
            count = list_run(&task, row[range->low[0]], row[range->high[0] + 1], columns, count, bound);
        }
    }
    return count;
}

// Lists those of the block's particles that lie within reach of the box around the targets.
MOTE_INLINE uint32_t list_near(const surface_kernel *kernel, const surface_window *window, uint32_t block_count,
                               const surface_targets *targets, field_bound *bound)
{
    const list_task task = list_task_of(kernel, window->block, window->list, targets);
    if (window->has_fill || window->forms) return list_run(&task, 0, block_count, LIST_ALL, 0, bound);
    return list_run(&task, 0, block_count, LIST_VOLUMES, 0, bound);
}

// Whether c and g are below the isovalue everywhere in the box. The bound's sum is rounded, in an order of its own: by
// less than 2^-24 of it for each of the particles.
MOTE_INLINE bool is_outside(const surface_kernel *kernel, const field_bound *bound, uint32_t count)
{
    float c[WIDE], sum = 0;
    wide_store(c, bound->c);
    for (int l = 0; l < WIDE; ++l) sum += c[l];
    if (!(sum * (1 + 0x1p-20f * (float)(count + 16)) < kernel->isovalue)) return false;
    float least = wide_least(bound->least) * (1 - 0x1p-16f);
    if (kernel->farthest > 0) {
        const float left = MOTE_MAX(sqrtf(least) - kernel->farthest, 0.0f);
        least = left * left;
    }
    return 1.0f - kernel->slope * least < kernel->isovalue;
}

static uint32_t list_block(const surface_kernel *kernel, const surface_window *window, const surface_range *range,
                           const surface_targets *box, bool may_skip)
{
    field_bound bound = {wide_all(0), wide_all(nothing)};
    uint32_t count;
    if (window->has_fill || window->forms)
        count = list_range(kernel, window, range, box, window->block, LIST_ALL, may_skip ? &bound : NULL);
    else if (may_skip)
        count = list_range(kernel, window, range, box, window->block, LIST_VOLUMES, &bound);
    else
        count = list_range(kernel, window, range, box, window->block, LIST_VOLUMES, NULL);
    return may_skip && is_outside(kernel, &bound, count) ? 0 : count;
}

// The corners of a cube, as lanes.
static const float corners[3][TARGETS] = {{0, 1, 0, 1, 0, 1, 0, 1}, {0, 0, 1, 1, 0, 0, 1, 1}, {0, 0, 0, 0, 1, 1, 1, 1}};

MOTE_INLINE wide_targets corners_at(const float at[3], float edge)
{
    wide_targets t;
    for (int s = 0; s < SETS; ++s) {
        t.x[s] = at[0] + edge * wide_load(corners[0] + s * WIDE);
        t.y[s] = at[1] + edge * wide_load(corners[1] + s * WIDE);
        t.z[s] = at[2] + edge * wide_load(corners[2] + s * WIDE);
    }
    return t;
}

// Where nodes are known to be inside, W is not needed, but something that is never above it and takes no root:
//     W(r)/W(0) >= low_share·(1 − (r/H)²)⁵;
// the two are the closest at r = 0.2 H. The share is less than what is proved by a thousandth: more than what is
// rounded in a term. Sums are of volumes times (H² − r²)⁵, and so multiplied by what makes of them a share of c.
static const float low_share = 0.9895f;

MOTE_INLINE float low_scale(const surface_kernel *kernel)
{
    const float k = kernel->inverse_support * kernel->inverse_support;
    return low_share * (k * k) * (k * k) * k;
}

// What is rounded in a sum is less than 2^-20 of it for each particle. Near the rim H² − r² is rounded by more of
// itself, but there W is several times what is summed: 0.0020 for 0.00024 at 0.9 H.
MOTE_INLINE float rounded_in(uint32_t count)
{
    return 0x1p-20f * (float)(count + 64);
}

// The clusters of a group that are inside by a bound of c from their centres. With v = H² − r² there and a node at d
// from there, max(v − e, 0)⁵ is at least v⁵ − 5v⁴e, its tangent: it is convex. e = −2 x·d + |d|², for the particle at x
// from the centre; where v is below 0, it is 0 in this.
static uint32_t inside_by_centers(const surface_kernel *kernel, const surface_window *window, uint32_t block_count,
                                  const float first[3])
{
    const float *x = window->block[0], *y = window->block[1], *z = window->block[2], *volume = window->block[3];
    const float center[3] = {first[0] + 0.5f, first[1] + 0.5f, first[2] + 0.5f};
    const float support = 1 / kernel->inverse_support, squared_support = support * support;
    const wide_targets t = corners_at(center, 2);
    wide_f32 sum[SETS], slope[SETS], g[SETS][3];  // of V v⁵, V v⁴, V v⁴ x
    for (int s = 0; s < SETS; ++s) sum[s] = slope[s] = g[s][0] = g[s][1] = g[s][2] = wide_all(0);
    for (uint32_t j = 0; j < block_count; ++j)
        for (int s = 0; s < SETS; ++s) {
            const wide_f32 dx = x[j] - t.x[s], dy = y[j] - t.y[s], dz = z[j] - t.z[s];
            const wide_f32 v = wide_max(squared_support - wide_length_squared(dx, dy, dz), wide_all(0));
            const wide_f32 vv = v * v, part = volume[j] * (vv * vv);
            sum[s] = sum[s] + part * v;
            slope[s] = slope[s] + part;
            g[s][0] = g[s][0] + part * dx;
            g[s][1] = g[s][1] + part * dy;
            g[s][2] = g[s][2] + part * dz;
        }
    const float rounded = rounded_in(block_count), scale = low_scale(kernel);
    uint32_t bits = 0;
    for (int s = 0; s < SETS; ++s) {
        const wide_f32 along = wide_abs(g[s][0]) + wide_abs(g[s][1]) + wide_abs(g[s][2]);
        const wide_f32 lost = 5.0f * along + (3.75f + 15 * support * rounded) * slope[s];
        const wide_f32 least = sum[s] * (1 - rounded) - lost * (1 + rounded);
        bits |= wide_bits(wide_less(wide_all(kernel->isovalue), scale * least)) << s * WIDE;
    }
    return bits;
}

// The clusters of a group that particles j … j + WIDE − 1 of the block reach: bit l of `near[k]` for lane l.
MOTE_INLINE void find_near(const surface_window *window, uint32_t j, const float first[3], float reach,
                           wide_mask near[TARGETS])
{
    wide_f32 squared[3][2];
    for (int a = 0; a < 3; ++a)
        for (int side = 0; side < 2; ++side) {
            const float low = first[a] + (float)(2 * side);
            const wide_f32 away = beyond(wide_load(window->block[a] + j), low, low + 1);
            squared[a][side] = away * away;
        }
    const wide_f32 limit = wide_all(reach * reach);
    for (int k = 0; k < TARGETS; ++k)
        near[k] = wide_at_most((squared[0][k & 1] + squared[1][k >> 1 & 1]) + squared[2][k >> 2], limit);
}

// Whether all sums of a cluster reach `enough` with those of up to 64 particles whose bits are set.
MOTE_INLINE bool add_near(float squared_support, float enough, const surface_window *window, uint32_t begin,
                          uint64_t near, const wide_targets *t, float sums[TARGETS])
{
    const float *x = window->block[0] + begin, *y = window->block[1] + begin, *z = window->block[2] + begin;
    const float *volume = window->block[3] + begin;
    wide_f32 c[SETS];
    uint32_t inside = 0;
    for (int s = 0; s < SETS; ++s) c[s] = wide_load(sums + s * WIDE);
    for (; near; near &= near - 1) {
        const uint32_t j = mote_lowest_bit(near);
        for (int s = 0; s < SETS; ++s) {
            const wide_f32 squared = wide_length_squared(x[j] - t->x[s], y[j] - t->y[s], z[j] - t->z[s]);
            const wide_f32 v = wide_max(squared_support - squared, wide_all(0)), vv = v * v;
            c[s] = c[s] + (volume[j] * v) * (vv * vv);
        }
    }
    for (int s = 0; s < SETS; ++s) {
        wide_store(sums + s * WIDE, c[s]);
        inside |= wide_bits(wide_at_most(wide_all(enough), c[s])) << s * WIDE;
    }
    return inside == ALL_TARGETS;
}

// The clusters that are inside by a bound of c from the particles within reach.
static uint32_t inside_by_sums(const surface_kernel *kernel, const surface_window *window, uint32_t block_count,
                               const float first[3], float reach)
{
    enum { AT_ONCE = 64 };
    const float support = 1 / kernel->inverse_support, squared_support = support * support;
    const float left = 1 - rounded_in(block_count);
    const float enough = left > 0 ? kernel->isovalue / (low_scale(kernel) * left) : INFINITY;
    float sums[TARGETS][TARGETS] = {{0}};
    uint32_t inside = 0;
    for (uint32_t begin = 0; begin < block_count; begin += AT_ONCE) {
        uint64_t near[TARGETS] = {0};
        const uint32_t end = MOTE_MIN(begin + AT_ONCE, block_count);
        for (uint32_t j = begin; j < end; j += WIDE) {
            wide_mask own[TARGETS];
            find_near(window, j, first, reach, own);
            for (int k = 0; k < TARGETS; ++k) near[k] |= (uint64_t)wide_hits_within(own[k], end - j) << (j - begin);
        }
        for (int k = 0; k < TARGETS; ++k) {
            if (inside >> k & 1) continue;
            const float corner[3] = {first[0] + 2 * corners[0][k], first[1] + 2 * corners[1][k],
                                     first[2] + 2 * corners[2][k]};
            const wide_targets t = corners_at(corner, 1);
            inside |= (uint32_t)add_near(squared_support, enough, window, begin, near[k], &t, sums[k]) << k;
        }
    }
    return inside;
}

// The same where there is fill, or particles have kernels of their own.
static uint32_t inside_by_fields(const surface_kernel *kernel, const surface_window *window, uint32_t block_count,
                                 const float first[3], float reach)
{
    uint32_t inside = 0;
    for (int k = 0; k < TARGETS; ++k) {
        surface_targets box = {.reach = reach};
        for (int a = 0; a < 3; ++a) {
            box.low[a] = first[a] + 2 * corners[a][k];
            box.high[a] = box.low[a] + 1;
        }
        const uint32_t count = list_near(kernel, window, block_count, &box, NULL);
        const wide_targets t = corners_at(box.low, 1);
        field_sums sums = no_sums();
        add_list(kernel, &t, window, count, &sums);
        inside |= (uint32_t)(inside_bits(kernel, &sums, window->has_fill) == ALL_TARGETS) << k;
    }
    return inside;
}

static uint32_t find_inside(const surface_kernel *kernel, const surface_window *window, uint32_t block_count,
                            const float first[3], float reach)
{
    if (window->has_fill || window->forms) return inside_by_fields(kernel, window, block_count, first, reach);
    if (kernel->is_fine) return inside_by_centers(kernel, window, block_count, first);
    return inside_by_sums(kernel, window, block_count, first, reach);
}

static bool sum_field(const surface_kernel *kernel, const surface_window *window, uint32_t block_count,
                      const surface_targets *targets, bool may_skip, float field[TARGETS])
{
    const bool has_fill = window->has_fill;
    field_bound bound = {wide_all(0), wide_all(nothing)};
    const uint32_t count = list_near(kernel, window, block_count, targets, may_skip ? &bound : NULL);
    if (may_skip && is_outside(kernel, &bound, count)) return false;
    const wide_targets t = load_targets(targets);
    field_sums sums = no_sums();
    add_list(kernel, &t, window, count, &sums);
    for (int s = 0; s < SETS; ++s) wide_store(field + s * WIDE, field_of(kernel, &sums, has_fill, s));
    return true;
}

MOTE_INLINE void sum_listed(const surface_kernel *kernel, float *const list[6], uint32_t count,
                            const surface_targets *targets, float total[TARGETS], float alone[TARGETS], float *crowds)
{
    const wide_targets t = load_targets(targets);
    const float *x = list[0], *y = list[1], *z = list[2];
    wide_f32 wide[SETS], narrow[SETS], crowd[SETS];  // Σs³, Σmax(s − 1/2, 0)³
    for (int k = 0; k < SETS; ++k) wide[k] = narrow[k] = crowd[k] = wide_all(0);
    for (uint32_t j = 0; j < count; ++j)
        for (int k = 0; k < SETS; ++k) {
            const wide_f32 squared = wide_length_squared(x[j] - t.x[k], y[j] - t.y[k], z[j] - t.z[k]);
            const wide_f32 s = nearness_of(squared, kernel->inverse_support), half = wide_max(s - 0.5f, wide_all(0));
            wide[k] = wide[k] + s * s * s;
            narrow[k] = narrow[k] + half * half * half;
            if (crowds) crowd[k] = crowd[k] + parabola_of(squared, kernel->inverse_support);
        }
    for (int k = 0; k < SETS; ++k) {
        wide_store(total + k * WIDE, 2.0f * wide[k] - 8.0f * narrow[k]);
        wide_store(alone + k * WIDE, 8.0f * narrow[k] / wide_max(wide[k], wide_all(1e-30f)));
        if (crowds) wide_store(crowds + k * WIDE, crowd[k]);
    }
}

static uint32_t list_places(const surface_kernel *kernel, const surface_window *window, const surface_range *range,
                            const surface_targets *box)
{
    return list_range(kernel, window, range, box, window->block, LIST_PLACES, NULL);
}

static void sum_kernel(const surface_kernel *kernel, const surface_window *window, uint32_t block_count,
                       const surface_targets *targets, bool are_near, float sums[TARGETS], float alone[TARGETS],
                       float *crowds)
{
    float *const *list = window->block;
    if (!are_near) {
        const list_task task = list_task_of(kernel, window->block, window->list, targets);
        list = window->list;
        block_count = list_run(&task, 0, block_count, LIST_PLACES, 0, NULL);
    }
    if (crowds)
        sum_listed(kernel, list, block_count, targets, sums, alone, crowds);
    else
        sum_listed(kernel, list, block_count, targets, sums, alone, NULL);
}

static void sum_weights(const surface_kernel *kernel, const surface_window *window, const surface_range *range,
                        const surface_targets *targets, float means[TARGETS])
{
    const uint32_t count = list_range(kernel, window, range, targets, window->list, LIST_ALL, NULL);
    const float *x = window->list[0], *y = window->list[1], *z = window->list[2];
    const float *volume = window->list[3], *weight = window->list[4];
    const wide_targets t = load_targets(targets);
    wide_f32 all[SETS], part[SETS];
    for (int s = 0; s < SETS; ++s) all[s] = part[s] = wide_all(0);
    for (uint32_t j = 0; j < count; ++j) {
        if (weight[j] < 0) continue;
        for (int s = 0; s < SETS; ++s) {
            const wide_f32 squared = wide_length_squared(x[j] - t.x[s], y[j] - t.y[s], z[j] - t.z[s]);
            const wide_f32 share = volume[j] * shape_of(squared, kernel->inverse_support);
            all[s] = all[s] + share;
            part[s] = part[s] + weight[j] * share;
        }
    }
    for (int s = 0; s < SETS; ++s) wide_store(means + s * WIDE, part[s] / wide_max(all[s], wide_all(1e-30f)));
}

static void sum_moments(const surface_kernel *kernel, const surface_window *window, const surface_range *range,
                        const surface_targets *targets, float total[10][TARGETS])
{
    const uint32_t count = list_range(kernel, window, range, targets, window->list, LIST_PLACES, NULL);
    const float *x = window->list[0], *y = window->list[1], *z = window->list[2];
    const wide_targets t = load_targets(targets);
    for (int s = 0; s < SETS; ++s) {
        wide_f32 sums[10];
        for (int k = 0; k < 10; ++k) sums[k] = wide_all(0);
        for (uint32_t j = 0; j < count; ++j) {
            const wide_f32 dx = x[j] - t.x[s], dy = y[j] - t.y[s], dz = z[j] - t.z[s];
            const wide_f32 q = wide_sqrt(wide_length_squared(dx, dy, dz)) * kernel->inverse_support;
            const wide_f32 w = wide_max(1.0f - q * q * q, wide_all(0));
            const wide_f32 wx = w * dx, wy = w * dy, wz = w * dz;
            const wide_f32 parts[10] = {w, wx, wy, wz, wx * dx, wy * dy, wz * dz, wx * dy, wx * dz, wy * dz};
            for (int k = 0; k < 10; ++k) sums[k] = sums[k] + parts[k];
        }
        for (int k = 0; k < 10; ++k) wide_store(total[k] + s * WIDE, sums[k]);
    }
}

const surface_lanes WIDE_NAME(mote_surface_lanes) = {
    list_block, list_places, find_inside, sum_field,
    sum_kernel, sum_weights, sum_moments, WIDE_NAME(mote_surface_gather_rows), WIDE_NAME(mote_surface_locate),
    WIDE_NAME(mote_surface_find_signs), WIDE_NAME(mote_surface_weigh_corners)};
