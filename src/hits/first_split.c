// Boxes parted in two where a motion that comes to both halves' box is expected to meet the fewest of them: the surface
// area heuristic (Goldsmith & Salmon 1987), with bins along each axis (Wald 2007), and without where boxes are few.
//
// Halves hold whole units, which become clusters of triangles: the rank that the heuristic asks for is rounded to one.

#include "hits/first_split.h"

#include <math.h>

enum { BINS = 16, FEW = 32 };

typedef struct bin {
    first_split_box box;
    size_t count;
} bin;

// Where the heuristic would part the boxes: so many of them, in the order of their middles along an axis.
typedef struct cut_choice {
    float cost;
    int axis;
    size_t before;
} cut_choice;

static first_split_box empty_box(void)
{
    const first_split_box box = {.low = {HUGE_VALF, HUGE_VALF, HUGE_VALF}, .high = {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF}};
    return box;
}

static inline void add_box(first_split_box *to, const first_split_box *box)
{
    for (int k = 0; k < 3; ++k) {
        to->low[k] = MOTE_MIN(to->low[k], box->low[k]);
        to->high[k] = MOTE_MAX(to->high[k], box->high[k]);
    }
}

void mote_first_split_bound(const first_split_box *boxes, size_t count, first_split_box *made)
{
    *made = empty_box();
    for (size_t i = 0; i < count; ++i) add_box(made, &boxes[i]);
}

// Twice the middle.
static inline float middle_of(const first_split_box *box, int axis)
{
    return box->low[axis] + box->high[axis];
}

static inline bool is_before(const first_split_box *a, const first_split_box *b, int axis)
{
    const float x = middle_of(a, axis), y = middle_of(b, axis);
    return x < y || (x == y && a->number < b->number);
}

static void swap_boxes(first_split_box *a, first_split_box *b)
{
    const first_split_box other = *a;
    *a = *b;
    *b = other;
}

static float cost_of(float area, size_t count, size_t unit)
{
    return area * (float)((count + unit - 1) / unit);
}

// ----------------------------------------------------------------------------------------------------------- few

static void sort_few(first_split_box *boxes, size_t count, int axis)
{
    for (size_t i = 1; i < count; ++i) {
        const first_split_box moved = boxes[i];
        size_t k = i;
        for (; k > 0 && is_before(&moved, &boxes[k - 1], axis); --k) boxes[k] = boxes[k - 1];
        boxes[k] = moved;
    }
}

static size_t split_few(first_split_box *boxes, size_t count, size_t unit)
{
    cut_choice best = {HUGE_VALF, 0, unit};
    for (int axis = 0; axis < 3; ++axis) {
        float behind[FEW];
        first_split_box box = empty_box();
        sort_few(boxes, count, axis);
        for (size_t i = count; i-- > 0;) {
            add_box(&box, &boxes[i]);
            behind[i] = mote_first_split_area(&box);
        }
        box = empty_box();
        for (size_t i = 1; i < count; ++i) {
            add_box(&box, &boxes[i - 1]);
            if (i % unit) continue;
            const float cost = cost_of(mote_first_split_area(&box), i, unit) + cost_of(behind[i], count - i, unit);
            if (cost < best.cost) best = (cut_choice){cost, axis, i};
        }
    }
    sort_few(boxes, count, best.axis);
    return best.before;
}

// ---------------------------------------------------------------------------------------------------------- many

typedef struct bin_frame {
    float low[3], per_length[3];
} bin_frame;

static bin_frame make_frame(const first_split_box *boxes, size_t count)
{
    bin_frame frame;
    float high[3];
    for (int k = 0; k < 3; ++k) frame.low[k] = HUGE_VALF, high[k] = -HUGE_VALF;
    for (size_t i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k) {
            const float at = middle_of(&boxes[i], k);
            frame.low[k] = MOTE_MIN(frame.low[k], at);
            high[k] = MOTE_MAX(high[k], at);
        }
    for (int k = 0; k < 3; ++k) {
        const float length = high[k] - frame.low[k];
        frame.per_length[k] = length > 0x1p-60f ? BINS / length : 0;
    }
    return frame;
}

static inline uint32_t bin_of(const bin_frame *frame, const first_split_box *box, int axis)
{
    const uint32_t at = (uint32_t)((middle_of(box, axis) - frame->low[axis]) * frame->per_length[axis]);
    return at < BINS ? at : BINS - 1;
}

static void choose_cut(const bin bins[BINS], int axis, size_t count, size_t unit, cut_choice *best)
{
    float behind[BINS];
    first_split_box box = empty_box();
    for (int b = BINS; b-- > 0;) {
        add_box(&box, &bins[b].box);
        behind[b] = mote_first_split_area(&box);
    }
    box = empty_box();
    size_t before = 0;
    for (int b = 1; b < BINS; ++b) {
        add_box(&box, &bins[b - 1].box);
        before += bins[b - 1].count;
        if (before == 0 || before == count) continue;
        const float cost = cost_of(mote_first_split_area(&box), before, unit) + cost_of(behind[b], count - before, unit);
        if (cost < best->cost) *best = (cut_choice){cost, axis, before};
    }
}

// Brings the first `rank` boxes along an axis to the front (Hoare 1961).
static void select_rank(first_split_box *boxes, size_t count, size_t rank, int axis)
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

// Brings the first `rank` boxes along an axis to the front: by bins, and one by one in the bin that it falls into.
static void part_at(first_split_box *boxes, size_t count, size_t rank, int axis, const bin_frame *frame,
                    const bin bins[BINS])
{
    uint32_t middle = 0;
    size_t before = 0;
    while (before + bins[middle].count <= rank) before += bins[middle++].count;
    size_t low = 0, high = count;
    for (size_t i = 0; i < high;) {
        const uint32_t at = bin_of(frame, &boxes[i], axis);
        if (at < middle) swap_boxes(&boxes[low++], &boxes[i++]);
        else if (at > middle) swap_boxes(&boxes[--high], &boxes[i]);
        else ++i;
    }
    select_rank(boxes + low, high - low, rank - low, axis);
}

size_t mote_first_split(first_split_box *boxes, size_t count, size_t unit, bool evenly)
{
    if (count <= FEW && !evenly) return split_few(boxes, count, unit);
    const bin_frame frame = make_frame(boxes, count);
    bin bins[3][BINS];
    for (int k = 0; k < 3; ++k)
        for (int b = 0; b < BINS; ++b) bins[k][b] = (bin){empty_box(), 0};
    for (size_t i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k) {
            bin *of = &bins[k][bin_of(&frame, &boxes[i], k)];
            add_box(&of->box, &boxes[i]);
            of->count++;
        }
    cut_choice best = {HUGE_VALF, 0, count / 2};
    for (int k = 0; k < 3; ++k) choose_cut(bins[k], k, count, unit, &best);
    if (evenly) best.before = count / 2;
    const size_t most = (count - 1) / unit * unit;
    const size_t rank = (best.before + unit / 2) / unit * unit, within = MOTE_MIN(MOTE_MAX(rank, unit), most);
    part_at(boxes, count, within, best.axis, &frame, bins[best.axis]);
    return within;
}
