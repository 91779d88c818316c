// SPDX-License-Identifier: MIT
// Forms groups: consecutive points that are near each other, have about the same reach and are about as many periods
// away. Their rows share the candidates.

#include "neighbors/grid_row_group.h"

#include <math.h>
#include <string.h>

enum {
    FEW = 4,    // rows up to which a group is continued in the next cell
    AHEAD = 24  // rows by which prefetching is ahead
};

// Appends the entry if it is near the others, its reach is about the same, and it is about as many periods away.
// `extent`: the largest allowed size of the group's box.
MOTE_INLINE bool accept_entry(const rows_task *task, row_group *group, double extent)
{
    const group_entry *entry = &group->entries[group->count];
    const class_sort *sort = &task->rows->sort;
    group_bounds *bounds = &group->bounds;
    const double radius = entry->query.radius;
    double low[3], high[3];
    uint32_t level = 0, blurred = 0;
    if (task->periodic && !task->is_sharp) {
        const double reach = mote_query_reach(task->search, &entry->query, task->search->points.max_radius);
        level = mote_period_level(&sort->periods, &entry->wrap, entry->at);
        blurred = mote_margin_blurred(task->search, sort, &entry->wrap, entry->at, reach);
    }
    if (group->count == 0) {
        memcpy(bounds->low, entry->at, sizeof bounds->low);
        memcpy(bounds->high, entry->at, sizeof bounds->high);
        bounds->wrap_low = bounds->wrap_high = entry->wrap;
        bounds->level = level, bounds->blurred = blurred;
        group->max_radius = radius;
        group->count = 1;
        return true;
    }
    const double first = group->entries[0].query.radius;
    bool fits = radius <= 2 * first && radius >= 0.5 * first;
    fits &= level == bounds->level && blurred == bounds->blurred;
    for (int k = 0; k < 3; ++k) {
        low[k] = MOTE_MIN(bounds->low[k], entry->at[k]);
        high[k] = MOTE_MAX(bounds->high[k], entry->at[k]);
        fits &= high[k] - low[k] <= extent;
    }
    if (!fits) return false;
    memcpy(bounds->low, low, sizeof low);
    memcpy(bounds->high, high, sizeof high);
    for (int a = 0; a < 3; ++a) {
        bounds->wrap_low.shift[a] = MOTE_MIN(bounds->wrap_low.shift[a], entry->wrap.shift[a]);
        bounds->wrap_high.shift[a] = MOTE_MAX(bounds->wrap_high.shift[a], entry->wrap.shift[a]);
    }
    group->max_radius = MOTE_MAX(group->max_radius, radius);
    group->count += 1;
    return true;
}

// The largest box of a group that spans several cells: as large as the reach of one of its points.
static double group_extent(const rows_task *task, const row_group *group)
{
    double radius = group->entries[0].query.radius;
    return mote_pair_reach(task->search, radius, radius) * (1 + 0x1p-17);
}

MOTE_INLINE void get_sorted(const rows_task *task, uint32_t place, group_entry *entry)
{
    const class_sort *sort = &task->rows->sort;
    uint32_t i = sort->index[place];
    entry->query.row = entry->query.self = i;
    entry->query.radius = sort->radii.f32 || sort->radii.f64 ? mote_sorted_radius(sort, place) : task->search->radius;
    mote_sorted_get(&sort->own, place, entry->query.at);
    mote_sorted_get(&sort->at, place, entry->at);
    entry->wrap = sort->wrap ? sort->wrap[place] : (image){{0, 0, 0}};
}

void mote_row_group_take_sorted(const rows_task *task, uint32_t begin, uint32_t end, uint32_t *cell, row_group *group,
                                const row_writer *writer)
{
    const class_sort *sort = &task->rows->sort;
    const uint32_t last = sort->count - 1;
    while (sort->start[*cell + 1] <= begin) *cell += 1;
    const radius_class *class = sort->classes;
    while (class->cell_end <= *cell) ++class;
    end = MOTE_MIN(end, sort->start[class->cell_end]);
    const uint32_t cell_end = sort->start[*cell + 1];
    group->count = 0;
    group->place = begin;
    double extent = 4 * class->frame.edge;
    for (uint32_t p = begin; p < end && group->count < ROW_GROUP; ++p) {
        if (p >= cell_end && group->count >= FEW) break;
        get_sorted(task, p, &group->entries[group->count]);
        if (p == cell_end) extent = group_extent(task, group);
        if (!accept_entry(task, group, extent)) break;
        mote_row_prefetch(writer, sort->index[MOTE_MIN(p + AHEAD, last)]);
    }
}

void mote_row_group_take_subset(const rows_task *task, size_t begin, size_t end, row_group *group,
                                const row_writer *writer)
{
    group->count = 0;
    group->place = UINT32_MAX;
    for (size_t k = begin; k < end && group->count < ROW_GROUP; ++k) {
        group_entry *entry = &group->entries[group->count];
        get_sorted(task, task->subset[k].place, entry);
        entry->query.row = task->subset[k].row;
        if (!accept_entry(task, group, group_extent(task, group))) break;
        mote_row_prefetch(writer, task->subset[MOTE_MIN(k + AHEAD, end - 1)].row);
    }
}

void mote_row_group_take_requested(const rows_task *task, size_t begin, size_t end, row_group *group)
{
    const mote_neighbors *search = task->search;
    group->count = 0;
    group->place = UINT32_MAX;
    for (size_t k = begin; k < end && group->count < ROW_GROUP; ++k) {
        group_entry *entry = &group->entries[group->count];
        image wrap = {{0, 0, 0}};
        entry->query = mote_request_get(search, task->request, k);
        memcpy(entry->at, entry->query.at, sizeof entry->at);
        if (task->periodic) {
            double offset[3];
            wrap = mote_periodic_wrap(&search->box, entry->at);
            mote_periodic_offset(&search->box, wrap.shift, offset);
            for (int a = 0; a < 3; ++a) entry->at[a] = entry->at[a] + offset[a];
        }
        entry->wrap = wrap;
        if (!accept_entry(task, group, group_extent(task, group))) break;
    }
}

// Computes the unit of the sieve's floats: the reach and the narrowest margin. The widest must not be so many of them
// that its square overflows.
static double find_scale(const rows_task *task, const row_group *group)
{
    const double most = 0x1p40;
    double least = HUGE_VAL, greatest = 0;
    for (uint32_t l = 0; l < task->rows->sort.level_end; ++l) {
        if (task->rows->sort.levels[l].is_empty || mote_row_group_is_blurred(group, l)) continue;
        const double reach = mote_row_group_widen(group, group->bounds.max_reach, l);
        least = MOTE_MIN(least, reach), greatest = MOTE_MAX(greatest, reach);
    }
    return 1 / MOTE_MAX(least, greatest / most);
}

void mote_row_group_close(const rows_task *task, row_group *group)
{
    const class_sort *sort = &task->rows->sort;
    group_bounds *bounds = &group->bounds;
    double most = group->max_radius;
    for (uint32_t c = 0; c < sort->class_count; ++c)
        most = MOTE_MAX(most, mote_pair_reach(task->search, group->max_radius, sort->classes[c].max_radius));
    bounds->max_reach = most;
    group->grow = mote_margin_grow(task->search);
    for (uint32_t l = 0; l < sort->level_end; ++l)
        if (!sort->levels[l].is_empty) group->margins[l] = mote_margin_of_level(task->search, sort, bounds, l);
    sieve_frame *frame = &group->frame;
    const bool f64 = sort->at.f64[0] != NULL;
    frame->scale = find_scale(task, group);
    if (!f64) frame->scale = mote_as_f32(frame->scale);
    for (int k = 0; k < 3; ++k) {
        double center = 0.5 * bounds->low[k] + 0.5 * bounds->high[k];
        if (!f64) center = mote_as_f32(center);
        double half = MOTE_MAX(center - bounds->low[k], bounds->high[k] - center);
        frame->center[k] = center;
        frame->half[k] = (float)(half * frame->scale);
    }
}
