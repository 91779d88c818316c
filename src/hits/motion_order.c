// SPDX-License-Identifier: MIT
// Sorts motions by position, so that data far apart in memory is read once and stays in the cache for neighbouring
// motions.
//
// A first pass picks the motions that may hit something and counts them by boxes of cells; a counting sort copies
// them box by box. Their hits are found in that order, and then put into the caller's order (motion_place.c).

#include "hits/motion_batch.h"
#include "hits/structure_tree.h"

enum {
    SLICES = 32,    // slices of the motions, each with its own counts
    BOX_SHIFT = 3,  // a box has 8 x 8 x 8 cells, or more where there would be too many boxes
    MOST_BOXES = 4096,
    // Sorting pays from so many motions and so much memory on: less for long motions, for spheres and for meshes that
    // move.
    WORTH_COUNT = 65536,
    WORTH_BYTES = 16 << 20,
    WORTH_BYTES_LONG = 4 << 20,
    WORTH_BYTES_SWEPT = 2 << 20,
    SAMPLES = 256,
    AHEAD = 16  // motions whose memory is prefetched
};

typedef struct ordering {
    const hits_queue *queue;
    uint16_t *boxes;    // of picked motions; those of a slice begin where the slice begins
    uint32_t *numbers;  // their numbers, in the same layout,
    hits_queue_shares *shares;
    char *records;      // sorted motions: six coordinates, the number and the shares
    size_t record_size;
    mote_scalar scalar;  // type of the records' coordinates
    uint32_t *places;   // per slice and box: the count, then the next place
    size_t slice_size, counts[SLICES];
    uint32_t shift, size[3], box_count;
} ordering;

static uint32_t box_of(const ordering *of, const float at[3])
{
    const uint32_t *cells = of->queue->hits->grid.size;
    uint32_t box = 0;
    for (int k = 2; k >= 0; --k) {
        // NaN counts as 0.
        const float most = (float)cells[k] - 1, within = at[k] > 0 ? at[k] < most ? at[k] : most : 0;
        box = box * of->size[k] + ((uint32_t)within >> of->shift);
    }
    return box;
}

// Adds a motion to its slice.
static void add_motion(const ordering *of, uint32_t box, size_t number, hits_queue_shares shares, size_t place,
                       uint32_t *counts)
{
    of->boxes[place] = (uint16_t)box;
    of->numbers[place] = (uint32_t)number;
    of->shares[place] = shares;
    counts[box]++;
}

// Adds a block's motions to their slice: short ones by their midpoints, long ones by where they come near the surface.
static size_t add_block(const ordering *of, size_t begin, hits_picked *picked, size_t place, uint32_t *counts)
{
    const hits_near_motions *near = &picked->near;
    const hits_march *march = &picked->march;
    const hits_march_places *places = &picked->places;
    const hits_queue_shares all = {0, HITS_SHARES};
    const mote_hits *hits = of->queue->hits;
    float at[3];
    for (size_t i = 0; i < near->count; ++i, ++place) {
        for (int k = 0; k < 3; ++k) at[k] = 0.5f * (near->end[k][i] + near->end[k + 3][i]);
        add_motion(of, box_of(of, at), begin + near->at[i], all, place, counts);
    }
    hits->motion_lanes->place_march(&hits->grid, march, 1 / (float)(1u << of->shift), of->size, &picked->places);
    for (size_t i = 0; i < march->count; ++i, ++place) {
        const hits_queue_shares shares = {(uint16_t)places->first[i], (uint16_t)places->last[i]};
        add_motion(of, places->box[i], begin + march->at[i], shares, place, counts);
    }
    return place;
}

static void pick_slice(void *data, size_t begin, size_t end, uint32_t worker)
{
    ordering *of = data;
    const size_t slice = begin / of->slice_size;
    uint32_t *counts = of->places + slice * of->box_count;
    hits_picked *picked = ((hits_worker *)of->queue->hits->workers.data)[worker].scratch.data;
    memset(counts, 0, of->box_count * sizeof *counts);
    size_t place = begin;
    for (size_t at = begin; at < end; at += HITS_MOTIONS) {
        mote_hits_batch_pick(of->queue, at, MOTE_MIN(at + HITS_MOTIONS, end), picked);
        place = add_block(of, at, picked, place, counts);
    }
    of->counts[slice] = place - begin;
}

static void copy_motion(const ordering *of, size_t i, char *record)
{
    const mote_motions *motions = of->queue->motions;
    const uint32_t number = of->numbers[i];
    if (of->scalar == MOTE_F32) {
        for (int k = 0; k < 3; ++k) {
            const float from = (float)mote_points_get(&motions->from, number, k);
            const float to = (float)mote_points_get(&motions->to, number, k);
            memcpy(record + (size_t)k * sizeof from, &from, sizeof from);
            memcpy(record + (size_t)(k + 3) * sizeof to, &to, sizeof to);
        }
        record += 6 * sizeof(float);
    } else {
        for (int k = 0; k < 3; ++k) {
            const double from = mote_points_get(&motions->from, number, k);
            const double to = mote_points_get(&motions->to, number, k);
            memcpy(record + (size_t)k * sizeof from, &from, sizeof from);
            memcpy(record + (size_t)(k + 3) * sizeof to, &to, sizeof to);
        }
        record += 6 * sizeof(double);
    }
    memcpy(record, &number, sizeof number);
    memcpy(record + sizeof number, &of->shares[i], sizeof of->shares[i]);
}

// Prefetches where a motion is copied from and to. Its place may be a few records farther by then.
MOTE_INLINE void prefetch_copy(const ordering *of, size_t i, const uint32_t *places)
{
    const mote_points *from = &of->queue->motions->from, *to = &of->queue->motions->to;
    const ptrdiff_t number = (ptrdiff_t)of->numbers[i];
    mote_prefetch((const char *)from->axis[0] + number * from->stride);
    mote_prefetch((const char *)to->axis[0] + number * to->stride);
    mote_prefetch(of->records + places[of->boxes[i]] * of->record_size);
}

// Whether x, y and z of points are floats side by side.
static bool are_floats(const mote_points *points)
{
    const char *x = points->axis[0], *y = points->axis[1], *z = points->axis[2];
    return points->scalar == MOTE_F32 && y == x + sizeof(float) && z == y + sizeof(float);
}

// Copies motions whose ends are floats side by side. What does not change is in variables of its own: as far as the
// compiler knows, storing a record may change everything else. Records are stored once and not read again: what was
// stored in parts is slow to load as a whole, and would wait for all that was stored far apart before.
static void copy_floats(const ordering *of, size_t begin, size_t last, uint32_t *places)
{
    const char *from = of->queue->motions->from.axis[0], *to = of->queue->motions->to.axis[0];
    const ptrdiff_t from_stride = of->queue->motions->from.stride, to_stride = of->queue->motions->to.stride;
    const uint32_t *numbers = of->numbers;
    const uint16_t *boxes = of->boxes;
    const hits_queue_shares *shares = of->shares;
    char *records = of->records;
    enum { END = 3 * sizeof(float), RECORD = 8 * sizeof(float) };
    MOTE_ASSERT(of->record_size == RECORD);
    for (size_t i = begin; i < last; ++i) {
        const size_t ahead = MOTE_MIN(i + AHEAD, last - 1);
        mote_prefetch(from + (ptrdiff_t)numbers[ahead] * from_stride);
        mote_prefetch(to + (ptrdiff_t)numbers[ahead] * to_stride);
        mote_prefetch(records + (size_t)places[boxes[ahead]] * RECORD);
        const uint32_t number = numbers[i];
        char *record = records + (size_t)places[boxes[i]]++ * RECORD;
        memcpy(record, from + (ptrdiff_t)number * from_stride, END);
        memcpy(record + END, to + (ptrdiff_t)number * to_stride, END);
        memcpy(record + 2 * END, &number, sizeof number);
        memcpy(record + 2 * END + sizeof number, &shares[i], sizeof *shares);
    }
}

static void copy_slice(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)end, (void)worker;
    const ordering *of = data;
    const size_t slice = begin / of->slice_size, last = begin + of->counts[slice];
    uint32_t *places = of->places + slice * of->box_count;
    if (are_floats(&of->queue->motions->from) && are_floats(&of->queue->motions->to)) {
        copy_floats(of, begin, last, places);
        return;
    }
    for (size_t i = begin; i < last; ++i) {
        if (i + AHEAD < last) prefetch_copy(of, i + AHEAD, places);
        copy_motion(of, i, of->records + places[of->boxes[i]]++ * of->record_size);
    }
}

static void choose_boxes(ordering *of)
{
    const hits_grid *grid = &of->queue->hits->grid;
    for (of->shift = BOX_SHIFT;; ++of->shift) {
        uint64_t count = 1;
        for (int k = 0; k < 3; ++k) {
            of->size[k] = ((grid->size[k] - 1) >> of->shift) + 1;
            count *= of->size[k];
        }
        of->box_count = (uint32_t)MOTE_MIN(count, UINT32_MAX);
        if (count <= MOST_BOXES) return;
    }
}

// Makes room for what is found.
// @param n   the number of all particles
static mote_result reserve_marks(hits_queue *queue, size_t n)
{
    mote_hits *hits = queue->hits;
    const size_t all = hits->worker_count + 1;
    queue->words = (n + 63) / 64;
    const size_t bytes_a_word = all * sizeof(uint64_t) + (1 + 64) * sizeof(uint32_t);
    const mote_result result =
        mote_buffer_reserve(hits->context, &hits->order, mote_bytes(queue->words, bytes_a_word), 0);
    if (result != MOTE_OK) return result;
    queue->marks = hits->order.data;
    queue->marks_of_all = queue->marks + hits->worker_count * queue->words;
    queue->ranks = (uint32_t *)(queue->marks + all * queue->words);
    queue->firsts = queue->ranks + queue->words;
    return MOTE_OK;
}

// Sets the queue to the sorted records.
static void requeue(const ordering *of, hits_queue *queue)
{
    const size_t size = of->scalar == MOTE_F32 ? sizeof(float) : sizeof(double);
    mote_points *ends[2] = {&queue->from, &queue->to};
    for (size_t e = 0; e < 2; ++e) {
        *ends[e] = (mote_points){.stride = (ptrdiff_t)of->record_size, .scalar = of->scalar, .dimensions = 3};
        for (size_t k = 0; k < 3; ++k) ends[e]->axis[k] = of->records + (3 * e + k) * size;
        ends[e]->count = queue->count;
    }
    queue->numbers = of->records + 6 * size;
}

// Whether most motions of a sample are long.
static bool are_long(const hits_queue *queue)
{
    const mote_hits *hits = queue->hits;
    const double longest = (double)HITS_LENGTH * hits->grid.edge / hits->scale;
    uint32_t longer = 0;
    for (size_t s = 0; s < SAMPLES; ++s) {
        const size_t i = queue->count / SAMPLES * s;
        double length2 = 0;
        for (int k = 0; k < 3; ++k) {
            const double way = mote_points_get(&queue->to, i, k) - mote_points_get(&queue->from, i, k);
            length2 += way * way;
        }
        longer += length2 > longest * longest;
    }
    return longer > SAMPLES / 2;
}

bool mote_hits_is_worth_sorting(const hits_queue *queue)
{
    const mote_hits *hits = queue->hits;
    if (hits->sorting != HITS_SORT_WHERE_WORTH) return hits->sorting == HITS_SORT_ALWAYS;
    const size_t bytes = mote_hits_byte_count(hits);
    if (queue->count < WORTH_COUNT) return false;
    if (hits->ends || queue->motions->radii) return bytes >= WORTH_BYTES_SWEPT;
    // Short motions do not read the tree's triangles.
    const size_t of_short = bytes - hits->tree->face_count * sizeof *hits->tree->faces;
    return of_short >= WORTH_BYTES || (bytes >= WORTH_BYTES_LONG && are_long(queue));
}

mote_result mote_hits_sort_queue(hits_queue *queue)
{
    mote_hits *hits = queue->hits;
    const size_t n = queue->count, blocks = mote_block_count(n, HITS_MOTIONS);
    const bool in_float = queue->from.scalar == MOTE_F32 && queue->to.scalar == MOTE_F32;
    ordering of = {.queue = queue, .slice_size = (blocks + SLICES - 1) / SLICES * HITS_MOTIONS};
    of.scalar = in_float ? MOTE_F32 : MOTE_F64;
    of.record_size = (in_float ? 6 * sizeof(float) : 6 * sizeof(double)) + sizeof(uint64_t);
    choose_boxes(&of);
    const size_t slices = mote_block_count(n, of.slice_size), places = slices * of.box_count;
    const size_t bytes = mote_bytes(n + places, 2 * sizeof(uint32_t) + sizeof(uint16_t));
    mote_result result = mote_buffer_reserve(hits->context, &hits->order, bytes, 0);
    if (result != MOTE_OK) return result;
    of.places = hits->order.data;
    of.numbers = of.places + places;
    of.shares = (hits_queue_shares *)(of.numbers + n);
    of.boxes = (uint16_t *)(of.shares + n);
    mote_parallel_for(hits->context, n, of.slice_size, pick_slice, &of);
    const size_t count = (size_t)mote_prefix_sum_rows(of.places, slices, of.box_count);
    result = mote_buffer_reserve(hits->context, &hits->sorted, mote_bytes(count, of.record_size), 0);
    if (result != MOTE_OK) return result;
    of.records = hits->sorted.data;
    mote_parallel_for(hits->context, n, of.slice_size, copy_slice, &of);
    queue->count = count;
    requeue(&of, queue);
    // The boxes and numbers are no longer needed.
    return reserve_marks(queue, n);
}
