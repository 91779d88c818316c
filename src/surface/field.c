// SPDX-License-Identifier: MIT
// Sums over the particles around eight places: the hot loops of surfaces.
//
// The eight places are the lanes, particles come one after the other. So a sum runs in the order of the window in every
// form, whatever the width of registers. Particles beyond the support add exactly 0: they may be left out. All terms
// are at least 0, and rounding is monotone: the sum of some of the particles in their order is never above that of all.

#include "base/wide.h"
#include "surface/window.h"

_Static_assert(TARGETS % WIDE == 0, "eight lanes are whole registers");

enum { SETS = TARGETS / WIDE };

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

MOTE_INLINE wide_f32 shape_of(wide_f32 squared, float inverse_support)
{
    const wide_f32 s = wide_max(1.0f - wide_sqrt(squared) * inverse_support, wide_all(0));
    const wide_f32 t = wide_max(s - 0.5f, wide_all(0));
    return 2.0f * (s * s * s) - 8.0f * (t * t * t);
}

MOTE_INLINE wide_f32 parabola_of(wide_f32 squared, float inverse_support)
{
    return wide_max(1.0f - squared * (inverse_support * inverse_support), wide_all(0));
}

// Adds the particles begin … end − 1 of arrays x, y, z, volume, far.
MOTE_INLINE void add_run(const surface_kernel *kernel, const wide_targets *t, float *const arrays[5], uint32_t begin,
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

static uint32_t find_inside(const surface_kernel *kernel, const surface_window *window, const surface_range *range,
                            const surface_targets *targets)
{
    const wide_targets t = load_targets(targets);
    const bool has_fill = window->has_fill;
    float *const arrays[5] = {window->x, window->y, window->z, window->volume, window->far};
    field_sums sums = no_sums();
    uint32_t bits = 0;
    for (int z = range->low[2]; z <= range->high[2]; ++z) {
        for (int y = range->low[1]; y <= range->high[1]; ++y) {
            const uint32_t *row = row_of(window, y, z);
            add_run(kernel, &t, arrays, row[range->low[0]], row[range->high[0] + 1], has_fill, &sums);
        }
        if (z == range->low[2]) continue;
        bits = inside_bits(kernel, &sums, has_fill);
        if (bits == (1u << TARGETS) - 1) break;
    }
    return range->low[2] == range->high[2] ? inside_bits(kernel, &sums, has_fill) : bits;
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

// Lists the particles of the range that lie within reach of the box around the targets.
MOTE_INLINE uint32_t list_near(const surface_kernel *kernel, const surface_window *window, const surface_range *range,
                               const surface_targets *targets, bool has_bound, field_bound *bound)
{
    const float *low = targets->low, *high = targets->high, limit = targets->reach * targets->reach;
    uint32_t count = 0;
    for (int z = range->low[2]; z <= range->high[2]; ++z)
        for (int y = range->low[1]; y <= range->high[1]; ++y) {
            const uint32_t *row = row_of(window, y, z);
            const uint32_t end = row[range->high[0] + 1];
            for (uint32_t j = row[range->low[0]]; j < end; j += WIDE) {
                const wide_f32 x = wide_load(window->x + j), py = wide_load(window->y + j);
                const wide_f32 pz = wide_load(window->z + j), volume = wide_load(window->volume + j);
                const wide_f32 dx = beyond(x, low[0], high[0]), dy = beyond(py, low[1], high[1]);
                const wide_f32 squared = wide_length_squared(dx, dy, beyond(pz, low[2], high[2]));
                const wide_hits hits = wide_hits_within(wide_at_most(squared, wide_all(limit)), end - j);
                wide_store_front(window->list[0] + count, x, hits);
                wide_store_front(window->list[1] + count, py, hits);
                wide_store_front(window->list[2] + count, pz, hits);
                wide_store_front(window->list[3] + count, volume, hits);
                if (window->has_fill) wide_store_front(window->list[4] + count, wide_load(window->far + j), hits);
                count += (uint32_t)wide_hit_count(hits);
                if (!has_bound) continue;
                // What lies behind the row only raises the bound: it is whatever was there, also a number below 0.
                bound->c = bound->c + wide_max(volume, wide_all(0)) * shape_of(squared, kernel->inverse_support);
                bound->least = wide_min(squared, bound->least);
            }
        }
    return count;
}

// Whether c and g are below the isovalue everywhere in the box. The bound's sum is rounded, in an order of its own: by
// less than 2^-24 of it for each of the particles.
MOTE_INLINE bool is_outside(const surface_kernel *kernel, const field_bound *bound, uint32_t count)
{
    float c[WIDE], sum = 0;
    wide_store(c, bound->c);
    for (int l = 0; l < WIDE; ++l) sum += c[l];
    if (!(sum * (1 + 0x1p-20f * (float)(count + 16)) < kernel->isovalue)) return false;
    return 1.0f - kernel->slope * wide_least(bound->least) * (1 - 0x1p-16f) < kernel->isovalue;
}

static bool sum_field(const surface_kernel *kernel, const surface_window *window, const surface_range *range,
                      const surface_targets *targets, bool may_skip, float field[TARGETS])
{
    field_bound bound = {wide_all(0), wide_all(nothing)};
    const uint32_t count = may_skip ? list_near(kernel, window, range, targets, true, &bound)
                                    : list_near(kernel, window, range, targets, false, &bound);
    if (may_skip && is_outside(kernel, &bound, count)) return false;
    const wide_targets t = load_targets(targets);
    field_sums sums = no_sums();
    if (window->has_fill)
        add_run(kernel, &t, window->list, 0, count, true, &sums);
    else
        add_run(kernel, &t, window->list, 0, count, false, &sums);
    for (int s = 0; s < SETS; ++s) wide_store(field + s * WIDE, field_of(kernel, &sums, window->has_fill, s));
    return true;
}

static void sum_kernel(const surface_kernel *kernel, const surface_window *window, const surface_range *range,
                       const surface_targets *targets, bool is_parabola, float total[TARGETS])
{
    const wide_targets t = load_targets(targets);
    field_bound none = {wide_all(0), wide_all(0)};
    const uint32_t count = list_near(kernel, window, range, targets, false, &none);
    const float *x = window->list[0], *y = window->list[1], *z = window->list[2];
    wide_f32 sums[SETS];
    for (int s = 0; s < SETS; ++s) sums[s] = wide_all(0);
    for (uint32_t j = 0; j < count; ++j)
        for (int s = 0; s < SETS; ++s) {
            const wide_f32 squared = wide_length_squared(x[j] - t.x[s], y[j] - t.y[s], z[j] - t.z[s]);
            sums[s] = sums[s] + (is_parabola ? parabola_of(squared, kernel->inverse_support)
                                             : shape_of(squared, kernel->inverse_support));
        }
    for (int s = 0; s < SETS; ++s) wide_store(total + s * WIDE, sums[s]);
}

const surface_lanes WIDE_NAME(mote_surface_lanes) = {find_inside, sum_field, sum_kernel,
                                                     WIDE_NAME(mote_surface_gather_rows)};
