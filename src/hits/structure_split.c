// SPDX-License-Identifier: MIT
// Splits boxes into two halves such that a motion that enters their common box is expected to hit the fewest boxes:
// the surface area heuristic (Goldsmith & Salmon 1987), with bins along one axis (Wald 2007), and without bins where
// boxes are few.
//
// Halves hold whole units, which become clusters of triangles: the rank that the heuristic chooses is rounded to a
// unit.

#include "hits/structure_split.h"

enum { BINS = 16, FEW = 32 };

typedef struct bin {
    hits_split_box box;
    size_t count;
} bin;

// A split: the number of boxes before it, in the order of their middles along an axis.
typedef struct cut_choice {
    float cost;
    int axis;
    size_t before;
} cut_choice;

void mote_hits_split_bound(const hits_split_box *boxes, size_t count, hits_split_box *made)
{
    hits_split_box box = mote_hits_split_empty();
    for (size_t i = 0; i < count; ++i) mote_hits_split_join(&box, &boxes[i]);
    *made = box;
}

// Twice the middle of the box.
static inline float middle_of(const hits_split_box *box, int axis)
{
    return box->low[axis] - box->minus_high[axis];
}

static inline bool is_before(const hits_split_box *a, const hits_split_box *b, int axis)
{
    const float x = middle_of(a, axis), y = middle_of(b, axis);
    return x < y || (x == y && a->number < b->number);
}

static void swap_boxes(hits_split_box *a, hits_split_box *b)
{
    const hits_split_box other = *a;
    *a = *b;
    *b = other;
}

static float cost_of(float area, size_t count, size_t unit)
{
    return area * (float)((count + unit - 1) / unit);
}

// ----------------------------------------------------------------------------------------------------------- few

// Sorts the indices of boxes along an axis.
static void sort_few(const hits_split_box *boxes, size_t count, int axis, uint8_t places[FEW])
{
    for (size_t i = 0; i < count; ++i) {
        size_t k = i;
        for (; k > 0 && is_before(&boxes[i], &boxes[places[k - 1]], axis); --k) places[k] = places[k - 1];
        places[k] = (uint8_t)i;
    }
}

static size_t split_few(hits_split_box *boxes, size_t count, size_t unit)
{
    cut_choice best = {HUGE_VALF, 0, unit};
    uint8_t places[3][FEW];
    for (int axis = 0; axis < 3; ++axis) {
        float behind[FEW];
        hits_split_box box = mote_hits_split_empty();
        sort_few(boxes, count, axis, places[axis]);
        for (size_t i = count; i-- > 0;) {
            mote_hits_split_join(&box, &boxes[places[axis][i]]);
            behind[i] = mote_hits_split_area(&box);
        }
        box = mote_hits_split_empty();
        for (size_t i = 1; i < count; ++i) {
            mote_hits_split_join(&box, &boxes[places[axis][i - 1]]);
            if (i % unit) continue;
            const float cost = cost_of(mote_hits_split_area(&box), i, unit) + cost_of(behind[i], count - i, unit);
            if (cost < best.cost) best = (cut_choice){cost, axis, i};
        }
    }
    hits_split_box sorted[FEW];
    for (size_t i = 0; i < count; ++i) sorted[i] = boxes[places[best.axis][i]];
    memcpy(boxes, sorted, count * sizeof *boxes);
    return best.before;
}

// ---------------------------------------------------------------------------------------------------------- many

// Bins along the axis on which the boxes' middles are farthest apart.
typedef struct bin_frame {
    int axis;
    float low, per_length;
} bin_frame;

static bin_frame make_frame(const hits_split_box *boxes, size_t count)
{
    bin_frame frame = {.per_length = 0};
    float low[4], high[4], length = 0x1p-60f;
    for (int k = 0; k < 4; ++k) low[k] = HUGE_VALF, high[k] = -HUGE_VALF;
    for (size_t i = 0; i < count; ++i)
        for (int k = 0; k < 4; ++k) {
            const float at = boxes[i].lane[k] - boxes[i].lane[k + 4];
            low[k] = at < low[k] ? at : low[k];
            high[k] = at > high[k] ? at : high[k];
        }
    for (int k = 0; k < 3; ++k) {
        if (!(high[k] - low[k] > length)) continue;
        length = high[k] - low[k];
        frame = (bin_frame){k, low[k], BINS / length};
    }
    return frame;
}

static inline uint32_t bin_of(const bin_frame *frame, const hits_split_box *box)
{
    const uint32_t at = (uint32_t)((middle_of(box, frame->axis) - frame->low) * frame->per_length);
    return at < BINS ? at : BINS - 1;
}

static void choose_cut(const bin bins[BINS], size_t count, size_t unit, cut_choice *best)
{
    float behind[BINS];
    hits_split_box box = mote_hits_split_empty();
    for (int b = BINS; b-- > 0;) {
        mote_hits_split_join(&box, &bins[b].box);
        behind[b] = mote_hits_split_area(&box);
    }
    box = mote_hits_split_empty();
    size_t before = 0;
    for (int b = 1; b < BINS; ++b) {
        mote_hits_split_join(&box, &bins[b - 1].box);
        before += bins[b - 1].count;
        if (before == 0 || before == count) continue;
        float cost = cost_of(mote_hits_split_area(&box), before, unit);
        cost += cost_of(behind[b], count - before, unit);
        if (cost < best->cost) *best = (cut_choice){cost, 0, before};
    }
}

// Moves the first `rank` boxes along an axis to the front (Hoare 1961).
static void select_rank(hits_split_box *boxes, size_t count, size_t rank, int axis)
{
    while (count > 1 && rank > 0 && rank < count) {
        swap_boxes(&boxes[0], &boxes[count / 2]);
        if (is_before(&boxes[count - 1], &boxes[0], axis)) swap_boxes(&boxes[0], &boxes[count - 1]);
        size_t before = 0;
        for (size_t i = 1; i < count; ++i)
            if (is_before(&boxes[i], &boxes[0], axis)) swap_boxes(&boxes[++before], &boxes[i]);
        swap_boxes(&boxes[0], &boxes[before]);
        if (rank <= before) {
            count = before;
        } else {
            boxes += before + 1;
            count -= before + 1;
            rank -= before + 1;
        }
    }
}

// Moves the first `rank` boxes along the axis to the front: by bins, and one by one in the bin that contains the
// rank.
static void part_at(hits_split_box *boxes, size_t count, size_t rank, const bin_frame *frame, const bin bins[BINS])
{
    uint32_t middle = 0;
    size_t before = 0;
    while (before + bins[middle].count <= rank) before += bins[middle++].count;
    size_t low = 0, high = count;
    for (size_t i = 0; i < high;) {
        const uint32_t at = bin_of(frame, &boxes[i]);
        if (at < middle) swap_boxes(&boxes[low++], &boxes[i++]);
        else if (at > middle) swap_boxes(&boxes[--high], &boxes[i]);
        else ++i;
    }
    select_rank(boxes + low, high - low, rank - low, frame->axis);
}

size_t mote_hits_split(hits_split_box *boxes, size_t count, size_t unit, bool evenly)
{
    if (count <= FEW && !evenly) return split_few(boxes, count, unit);
    const bin_frame frame = make_frame(boxes, count);
    bin bins[BINS];
    for (int b = 0; b < BINS; ++b) bins[b] = (bin){mote_hits_split_empty(), 0};
    for (size_t i = 0; i < count; ++i) {
        bin *of = &bins[bin_of(&frame, &boxes[i])];
        mote_hits_split_join(&of->box, &boxes[i]);
        of->count++;
    }
    cut_choice best = {HUGE_VALF, 0, count / 2};
    if (!evenly) choose_cut(bins, count, unit, &best);
    const size_t most = (count - 1) / unit * unit;
    const size_t rank = (best.before + unit / 2) / unit * unit, within = MOTE_MIN(MOTE_MAX(rank, unit), most);
    part_at(boxes, count, within, &frame, bins);
    return within;
}
