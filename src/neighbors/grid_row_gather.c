// SPDX-License-Identifier: MIT
// Gathers the candidates of a group, class by class and image by image, and lists the points about which cells say
// nothing.

#include "neighbors/grid_row_group.h"

#include <string.h>

// Records the shifts of the slots from `first` on, which were gathered at one image of the box.
static bool add_spans(const rows_task *task, const image *at, size_t first, rows_worker *worker)
{
    const class_sort *sort = &task->rows->sort;
    const candidate_set *block = &worker->block;
    const size_t most = worker->span_count + (sort->wrap ? block->count - first : 1);
    if (!mote_cell_rows_reserve(task, &worker->span_memory, most, sizeof(shift_span), worker->span_count)) return false;
    shift_span *spans = worker->span_memory.data;
    for (size_t slot = first, end = block->count; slot < block->count; slot = end) {
        image shift = *at;
        if (sort->wrap) {
            const image *wrap = sort->wrap + block->place[slot];
            for (end = slot + 1; end < block->count; ++end)
                if (memcmp(wrap, sort->wrap + block->place[end], sizeof *wrap) != 0) break;
            for (int k = 0; k < 3; ++k) shift.shift[k] += wrap->shift[k];
        }
        spans[worker->span_count++] = (shift_span){(uint32_t)slot, (uint32_t)end, shift};
    }
    return true;
}

// Gathers the candidates of a class at one image of the box.
static bool gather_image(const rows_task *task, const row_group *group, const radius_class *class, double reach,
                         const image *at, rows_worker *worker)
{
    const class_sort *sort = &task->rows->sort;
    candidate_set *block = &worker->block;
    const group_bounds *bounds = &group->bounds;
    const level_margin *margin = &group->margins[class->level];
    double offset[3] = {0, 0, 0}, low[3], high[3];
    if (task->periodic) mote_periodic_offset(&task->search->box, at->shift, offset);
    for (int k = 0; k < 3; ++k) {
        low[k] = bounds->low[k] - offset[k] - (reach + margin->along[k]);
        high[k] = bounds->high[k] - offset[k] + (reach + margin->along[k]);
    }
    size_t run_count, points = 0, first = block->count;
    if (!mote_class_sort_runs(task->search->context, sort, class, low, high, worker->hint, &worker->runs, &run_count))
        return false;
    const sorted_run *runs = worker->runs.data;
    for (size_t r = 0; r < run_count; ++r) points += runs[r].end - runs[r].begin;
    if (points > UINT32_MAX - 1024 - first) return false;
    if (mote_candidates_reserve(task->search->context, block, points) != MOTE_OK) return false;
    gather_span span = {runs, run_count, .shift = {offset[0], offset[1], offset[2]}};
    span.wants_radius = task->rule != SIEVE_ALIKE;
    span.limit = mote_sieve_outer((float)(reach * group->frame.scale * (1 + 0x1p-16)));
    task->lanes->gather(block, sort, &group->frame, &span);
    if (!task->periodic) return true;
    return add_spans(task, at, first, worker);
}

static bool gather_class(const rows_task *task, const row_group *group, const radius_class *class, rows_worker *worker)
{
    const class_sort *sort = &task->rows->sort;
    const double pair = mote_pair_reach(task->search, group->max_radius, class->max_radius);
    const double reach = mote_row_group_widen(group, pair, class->level);
    image_range range = {{0, 0, 0}, {0, 0, 0}};
    if (task->periodic)
        range = mote_margin_images(task->search, &group->bounds, &group->margins[class->level],
                                   pair * (1 + group->grow), sort->fraction_low, sort->fraction_high);
    image at;
    int32_t *k = at.shift;
    for (k[0] = range.low[0]; k[0] <= range.high[0]; ++k[0])
        for (k[1] = range.low[1]; k[1] <= range.high[1]; ++k[1])
            for (k[2] = range.low[2]; k[2] <= range.high[2]; ++k[2])
                if (!gather_image(task, group, class, reach, &at, worker)) return false;
    return true;
}

bool mote_row_group_gather(const rows_task *task, const row_group *group, rows_worker *worker)
{
    const class_sort *sort = &task->rows->sort;
    candidate_set *block = &worker->block;
    block->count = worker->span_count = worker->segment_count = 0;
    if (mote_candidates_reserve(task->search->context, block, 0) != MOTE_OK) return false;
    for (uint32_t c = 0; c < sort->class_count;) {
        const uint32_t level = sort->classes[c].level;
        level_segment segment = {block->count, block->count, group->margins[level].slack};
        for (; c < sort->class_count && sort->classes[c].level == level; ++c)
            if (!mote_row_group_is_blurred(group, level) && !gather_class(task, group, &sort->classes[c], worker))
                return false;
        segment.end = block->count;
        if (segment.end == segment.begin) continue;
        worker->segments[worker->segment_count++] = segment;
        if (c == sort->class_count) break;
        mote_candidates_close(block);
        block->count += MOTE_WIDE_MOST;
        if (mote_candidates_reserve(task->search->context, block, 0) != MOTE_OK) return false;
    }
    mote_candidates_close(block);
    return true;
}

// Tells whether the group and a point cannot be near each other, as axes that are not blurred show.
static bool is_apart(const rows_task *task, const row_group *group, uint32_t place, const radius_class *class)
{
    const mote_neighbors *search = task->search;
    const periodic_box *box = &search->box;
    const double pair = mote_pair_reach(search, group->max_radius, class->max_radius);
    const double reach = mote_row_group_widen(group, pair, class->level);
    double at[3], from_origin[3], fraction[3];
    mote_sorted_get(&task->rows->sort.at, place, at);
    for (int k = 0; k < 3; ++k) {
        const double near = reach + group->margins[class->level].along[k];
        if (!box->is_shifted[k] && (at[k] < group->bounds.low[k] - near || at[k] > group->bounds.high[k] + near))
            return true;
        from_origin[k] = at[k] - box->origin[k];
    }
    mote_periodic_fractions(box, from_origin, fraction);
    const image_range range = mote_margin_images(search, &group->bounds, &group->margins[class->level],
                                                 pair * (1 + group->grow), fraction, fraction);
    return mote_image_count(&range) == 0;
}

bool mote_row_group_gather_blurred(const rows_task *task, const row_group *group, rows_worker *worker)
{
    const class_sort *sort = &task->rows->sort;
    worker->blurred_count = 0;
    for (uint32_t c = 0; c < sort->class_count; ++c) {
        const radius_class *class = &sort->classes[c];
        if (!mote_row_group_is_blurred(group, class->level)) continue;
        const uint32_t begin = sort->start[class->cell_begin], end = sort->start[class->cell_end];
        const size_t count = worker->blurred_count;
        if (!mote_cell_rows_reserve(task, &worker->blurred, count + (end - begin), sizeof(uint32_t), count))
            return false;
        uint32_t *points = worker->blurred.data;
        for (uint32_t place = begin; place < end; ++place)
            if (!is_apart(task, group, place, class)) points[worker->blurred_count++] = sort->index[place];
    }
    return true;
}

// Returns the first of the slots begin … end − 1, whose places ascend, that is not before a place.
static uint32_t lower_slot(const candidate_set *block, uint32_t begin, uint32_t end, uint32_t place)
{
    for (uint32_t count = end - begin; count > 0;) {
        const uint32_t half = count / 2, is_before = block->place[begin + half] < place;
        begin += is_before * (half + 1);
        count = is_before ? count - half - 1 : half;
    }
    return begin;
}

uint32_t mote_row_group_first_slot(const rows_task *task, const row_group *group, const rows_worker *worker)
{
    const candidate_set *block = &worker->block;
    const shift_span *spans = worker->span_memory.data, whole = {0, (uint32_t)block->count, {{0, 0, 0}}};
    const group_entry *first = &group->entries[0];
    if (group->place == UINT32_MAX) return UINT32_MAX;
    const size_t span_count = task->periodic ? worker->span_count : 1;
    for (size_t n = 0; n < span_count; ++n) {
        const shift_span *span = task->periodic ? spans + n : &whole;
        if (memcmp(&span->shift, &first->wrap, sizeof first->wrap) != 0) continue;
        const uint32_t slot = lower_slot(block, span->begin, span->end, group->place);
        if (slot < span->end && block->place[slot] == group->place) return slot;
    }
    return UINT32_MAX;
}
