// SPDX-License-Identifier: MIT
// Where the fluid ends: the height of its surface at a vertical line, and how far it has come along a direction.
//
// Positions of particles alone give both only to within a spacing, and jump. Here each particle fills a cube (in 2D a
// square) of one spacing around its place: on any lattice the height and the front are then exactly those of the water
// that it stands for, and they change continuously.

#include <math.h>

#include "base/vector.h"
#include "fluid/gauge.h"

static mote_result out_of_memory(mote_error *error)
{
    return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "fluid: no memory for a gauge");
}

static mote_vec3 place_of(const mote_fluid_view *view, uint32_t i)
{
    return mote_vec3_make(view->x[i], view->y[i], view->z[i]);
}

// ------------------------------------------------------------------------------------------------------------ height

enum { FINE = 8, DEEP = 256 };  // samples of the filling in a spacing, and in all that are looked at at a time

// The share of the interval that overlaps with one of length d around the middle.
static double overlap(double low, double high, double middle, double d)
{
    const double from = MOTE_MAX(low, middle - 0.5 * d), to = MOTE_MIN(high, middle + 0.5 * d);
    return to > from ? (to - from) / d : 0;
}

// A column of fluid: its particles, and the area that each fills of its cross-section.
typedef struct column {
    const mote_fluid_view *view;
    gauge_region region;
    const uint32_t *found;
    size_t count;
    mote_box box;
    double d, area;  // area: in units of d^(D−1)
    bool flat;
} column;

// The particle's area in the column; in 2D its width.
static double area_of(const column *in, uint32_t i)
{
    const mote_vec3 place = mote_gauge_image(&in->region, place_of(in->view, i));
    const double width = overlap(in->box.min.x, in->box.max.x, place.x, in->d);
    return in->flat ? width : width * overlap(in->box.min.y, in->box.max.y, place.y, in->d);
}

// The highest place at or below `top` where the filling is not 0; −HUGE_VAL if there is none.
static double next_top(const column *in, double top)
{
    double next = -HUGE_VAL;
    for (size_t k = 0; k < in->count; ++k) {
        const double z = in->view->z[in->found[k]];
        if (z - in->d < top && area_of(in, in->found[k]) > 0) next = MOTE_MAX(next, z + in->d);
    }
    return MOTE_MIN(next, top);
}

// The filling of a cell of one spacing around each of the samples, which go down from `top`. A particle fills a share
// of the cell that falls linearly with the distance, to 0 at one spacing.
static void fill_samples(const column *in, double top, double filling[DEEP + 1])
{
    const double step = in->d / FINE;
    for (int j = 0; j <= DEEP; ++j) filling[j] = 0;
    for (size_t k = 0; k < in->count; ++k) {
        const uint32_t i = in->found[k];
        const double middle = (top - in->view->z[i]) / step;  // in samples from the top
        if (!(middle > -FINE && middle < DEEP + FINE)) continue;
        const double share = area_of(in, i) / in->area;
        const int first = (int)MOTE_MAX(ceil(middle) - FINE, 0), last = (int)MOTE_MIN(floor(middle) + FINE, DEEP);
        for (int j = first; j <= last; ++j) filling[j] += share * MOTE_MAX(1 - fabs(j - middle) / FINE, 0);
    }
}

// Looks down from the top for where the filling first reaches one half.
static bool find_half(const column *in, double *height)
{
    const double step = in->d / FINE;
    double filling[DEEP + 1], top = HUGE_VAL, before = 0;
    while ((top = next_top(in, top)) > -HUGE_VAL) {
        fill_samples(in, top, filling);
        for (int j = 0; j <= DEEP; ++j) {
            if (!(filling[j] >= 0.5)) {
                before = filling[j];
                continue;
            }
            const double above = j > 0 ? (filling[j] - 0.5) / (filling[j] - before) : 0;
            *height = top - step * ((double)j - above);
            return true;
        }
        const double below = top - step * DEEP;
        if (!(below < top)) return false;  // so far away that a spacing is less than rounding
        top = below;
    }
    return false;
}

mote_result mote_gauge_find_height(const mote_context *context, mote_fluid *fluid, mote_box box,
                                   gauge_scratch *scratch, double *height, mote_error *error)
{
    const mote_fluid_def def = mote_fluid_resolved_def(fluid);
    const double d = def.spacing, half = 0.5 * d;
    const bool flat = def.dimensions == 2;
    mote_fluid_view view;
    mote_result result = mote_fluid_get_view(fluid, &view, error);
    if (result != MOTE_OK) return result;
    mote_box wider = mote_gauge_everywhere();
    wider.min.x = box.min.x - half, wider.max.x = box.max.x + half;
    if (!flat) wider.min.y = box.min.y - half, wider.max.y = box.max.y + half;
    column in = {.view = &view, .region = mote_gauge_region_of(fluid, wider), .box = box, .d = d, .flat = flat};
    in.area = (box.max.x - box.min.x) / d * (flat ? 1 : (box.max.y - box.min.y) / d);
    result = mote_gauge_find(context, mote_gauge_points(&view), &in.region, scratch, &in.count, error);
    in.found = scratch->found.data;
    if (result == MOTE_OK && in.count > 0 && in.area > 0) find_half(&in, height);
    return result;
}

// ------------------------------------------------------------------------------------------------------------- front

enum { BLOCK = 8192, MOST = 64 };

static const double link = 2;        // spacings between particles that hang together
static const double first_depth = 8;  // spacings behind the furthest particle that are looked at first

// The furthest particle and the number of particles in the box, of each block.
typedef struct reach {
    double furthest;
    uint64_t count;
} reach;

typedef struct reach_task {
    const mote_fluid_view *view;
    mote_box box;
    mote_vec3 direction;
    reach *reaches;
} reach_task;

static void find_reach(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const reach_task *task = data;
    reach most = {-HUGE_VAL, 0};
    for (size_t i = begin; i < end; ++i) {
        const mote_vec3 place = place_of(task->view, (uint32_t)i);
        if (!mote_box_contains(task->box, place)) continue;
        most.furthest = MOTE_MAX(most.furthest, mote_vec3_dot(task->direction, place));
        ++most.count;
    }
    task->reaches[begin / BLOCK] = most;
}

// Particles near the front in bins along the direction, `link` wide, the furthest first. Those that were visited are
// taken out of their bins.
typedef struct front_search {
    const mote_fluid_view *view;
    mote_vec3 direction;
    double top, width;        // [m]: the furthest particle, and the width of a bin
    uint32_t *items, *first;  // bin b has items first[b] …
    uint32_t *left;           // … of which so many are left
    size_t bins;
    bool is_all;  // nothing is behind the last bin
} front_search;

static double along(const front_search *search, uint32_t i)
{
    return mote_vec3_dot(search->direction, place_of(search->view, i));
}

static size_t bin_of(const front_search *search, uint32_t i)
{
    const double place = (search->top - along(search, i)) / search->width;
    return MOTE_MIN((size_t)MOTE_MAX(place, 0), search->bins - 1);
}

// Counting sort: `first` has room for bins + 1 numbers, `left` for bins.
static void fill_bins(front_search *search, const uint32_t *found, size_t count)
{
    memset(search->left, 0, search->bins * sizeof *search->left);
    for (size_t k = 0; k < count; ++k) ++search->left[bin_of(search, found[k])];
    memcpy(search->first, search->left, search->bins * sizeof *search->left);
    mote_prefix_sum_u32(search->first, search->bins);
    memset(search->left, 0, search->bins * sizeof *search->left);
    for (size_t k = 0; k < count; ++k) {
        const size_t b = bin_of(search, found[k]);
        search->items[search->first[b] + search->left[b]++] = found[k];
    }
}

static uint32_t take_out(front_search *search, size_t bin, size_t k)
{
    uint32_t *items = search->items + search->first[bin];
    const uint32_t taken = items[k];
    items[k] = items[--search->left[bin]];
    return taken;
}

// The furthest particle that is left is in the first bin that has any.
static size_t furthest_in(const front_search *search, size_t bin)
{
    const uint32_t *items = search->items + search->first[bin];
    size_t best = 0;
    for (size_t k = 1; k < search->left[bin]; ++k)
        if (along(search, items[k]) > along(search, items[best])) best = k;
    return best;
}

// Takes out particles that hang together with one, until `enough` are found. In the end, `*at_end` says whether one of
// them is so near to the end of the bins that others behind it may belong to them.
static size_t gather(front_search *search, uint32_t seed, size_t enough, bool *at_end)
{
    uint32_t queue[MOST] = {seed};
    size_t count = 1;
    for (size_t next = 0; next < count; ++next) {
        const mote_vec3 place = place_of(search->view, queue[next]);
        const size_t bin = bin_of(search, queue[next]), last = MOTE_MIN(bin + 1, search->bins - 1);
        if (bin + 2 > search->bins - 1) *at_end = !search->is_all;
        for (size_t b = bin > 0 ? bin - 1 : 0; b <= last; ++b)
            for (size_t k = 0; k < search->left[b];) {
                const mote_vec3 away =
                    mote_vec3_sub(place_of(search->view, search->items[search->first[b] + k]), place);
                if (mote_vec3_dot(away, away) > search->width * search->width) {
                    ++k;
                    continue;
                }
                if (count == enough) return count;
                queue[count++] = take_out(search, b, k);
            }
    }
    return count;
}

// Whether the front is found; if not, more bins are needed, unless they are all there are.
static bool find_tip(front_search *search, size_t enough, double *front)
{
    for (size_t bin = 0; bin < search->bins; ++bin)
        while (search->left[bin] > 0) {
            const uint32_t seed = take_out(search, bin, furthest_in(search, bin));
            bool at_end = false;
            const size_t count = gather(search, seed, enough, &at_end);
            if (count < enough && at_end) return false;
            if (count < enough) continue;
            *front = along(search, seed);
            return true;
        }
    return false;
}

// The furthest particle in the box, and the number of particles there.
static mote_result find_furthest(const mote_context *context, const mote_fluid_view *view, mote_box box,
                                 mote_vec3 direction, gauge_scratch *scratch, reach *most, mote_error *error)
{
    const size_t blocks = mote_block_count(view->count, BLOCK);
    if (mote_buffer_reserve(context, &scratch->sums, mote_bytes(blocks, sizeof(reach)), 0) != MOTE_OK)
        return out_of_memory(error);
    reach_task task = {view, box, direction, scratch->sums.data};
    mote_parallel_for(context, view->count, BLOCK, find_reach, &task);
    *most = (reach){-HUGE_VAL, 0};
    for (size_t b = 0; b < blocks; ++b) {
        most->furthest = MOTE_MAX(most->furthest, task.reaches[b].furthest);
        most->count += task.reaches[b].count;
    }
    return MOTE_OK;
}

static mote_result reserve_bins(const mote_context *context, front_search *search, gauge_scratch *scratch,
                                size_t count, mote_error *error)
{
    const size_t bins = search->bins;
    if (mote_buffer_reserve(context, &scratch->order, mote_bytes(count, sizeof(uint32_t)), 0) != MOTE_OK ||
        mote_buffer_reserve(context, &scratch->walls, mote_bytes(2 * bins, sizeof(uint32_t)), 0) != MOTE_OK)
        return out_of_memory(error);
    search->items = scratch->order.data;
    search->first = scratch->walls.data;
    search->left = search->first + bins;
    return MOTE_OK;
}

mote_result mote_gauge_find_front(const mote_context *context, mote_fluid *fluid, mote_box box, mote_vec3 direction,
                                  gauge_scratch *scratch, double *front, mote_error *error)
{
    const mote_fluid_def def = mote_fluid_resolved_def(fluid);
    const size_t enough = def.dimensions == 2 ? 16 : 64;
    mote_fluid_view view;
    reach most = {-HUGE_VAL, 0};
    mote_result result = mote_fluid_get_view(fluid, &view, error);
    if (result == MOTE_OK) result = find_furthest(context, &view, box, direction, scratch, &most, error);
    if (result != MOTE_OK || most.count < enough) return result;
    front_search search = {.view = &view, .direction = direction, .top = most.furthest, .width = link * def.spacing};
    double depth = first_depth * def.spacing;
    // Twice as deep each time, until something is found or nothing is behind. Particles that are far behind all
    // others are in the last bin.
    for (int round = 0; result == MOTE_OK && round < 64 && !search.is_all; ++round, depth *= 2) {
        gauge_region region = {.box = box, .direction = direction, .least = most.furthest - depth};
        size_t count;
        result = mote_gauge_find(context, mote_gauge_points(&view), &region, scratch, &count, error);
        search.is_all = count == most.count;
        search.bins = (size_t)MOTE_MIN(ceil(depth / search.width), 65536) + 1;
        if (result == MOTE_OK) result = reserve_bins(context, &search, scratch, count, error);
        if (result != MOTE_OK) break;
        fill_bins(&search, scratch->found.data, count);
        double tip;
        if (!find_tip(&search, enough, &tip)) continue;
        *front = tip + 0.5 * def.spacing;
        break;
    }
    return result;
}
