// SPDX-License-Identifier: MIT
// Points sorted by radius class and cell.
//
// Radii are put into classes by powers of two, as in hierarchical grids (Pouchol et al., section 4), so that a few
// large points do not enlarge the cells of all others. In a periodic box, points many periods away form classes of
// their own (period_levels.h), because all of them have wide margins. Cells are also enlarged if there are too few
// points to fill them and other points search much farther than one cell, as these would visit many empty cells, and
// for a few hundred points, whose cells would hold so few that most of the work is looking for candidates. Cells are
// those of cells/frame.h; class and cell together form one 64-bit key if they fit, otherwise the sort handles one part
// after the other.
//
// The keys are stored where the sorted positions will be; positions are gathered last, so the sort needs no memory
// of its own.

#include "neighbors/grid_classes.h"

#include <math.h>
#include <string.h>

#include "cells/internal.h"

enum { BLOCK = 8192, BATCH = 256, EXPONENTS = 2048, SAMPLE = 255, CLASS_PART = 3 };
enum { FAR = 2 };  // cells that a reach may always span, however many there are
enum {
    A_FEW_HUNDRED = 256,  // points for which `auto` has cells as wide as suits their number: crowds cannot cost much
    FULL = 27             // points in such a cell, at most, before it is stretched
};

// What is known about the binned points of a block, and later of all blocks.
typedef struct bin_survey {
    bool wraps;
    double low[3], high[3];
    double fraction_low[3], fraction_high[3];
    level_range levels[PERIOD_LEVELS];
} bin_survey;

typedef struct class_task {
    const mote_neighbors *search;
    class_sort *sort;
    bool periodic;
    bin_survey survey;
    uint64_t *keys, *keys_spare;
    uint32_t *index_spare;
    uint16_t rank_of[EXPONENTS];  // of a radius; 0 if radii make no classes
    uint32_t rank_count;
    uint16_t *class_of;  // of a level and a rank; NULL: the rank is the class
    bool one_rank;
    int32_t low[3];
    unsigned bits[4];  // bits of x, y, z, class in a packed key
    int part;          // −1: all in one key
} class_task;

// ------------------------------------------------------------------------------------------------------ binning

// Computes where point i is binned, the image that leads there, and, unless NULL, its fractions of the box's edges.
// Without a box, only the position is computed.
MOTE_INLINE image bin_point(const class_task *task, uint32_t i, double at[3], double fraction[3])
{
    const mote_neighbors *search = task->search;
    image wrap = {{0, 0, 0}};
    double fractions[3];
    mote_point_store_get(&search->points, i, at);
    if (!task->periodic) return wrap;
    wrap = mote_periodic_locate(&search->box, at, fractions);
    if (!mote_image_is_zero(&wrap)) {
        double offset[3];
        mote_periodic_offset(&search->box, wrap.shift, offset);
        for (int k = 0; k < 3; ++k) at[k] = at[k] + offset[k];
        if (fraction) mote_periodic_locate(&search->box, at, fractions);
    }
    if (fraction) memcpy(fraction, fractions, sizeof fractions);
    return wrap;
}

static bin_survey empty_survey(void)
{
    bin_survey survey = {.wraps = false};
    for (int k = 0; k < 3; ++k) {
        survey.low[k] = survey.fraction_low[k] = HUGE_VAL;
        survey.high[k] = survey.fraction_high[k] = -HUGE_VAL;
    }
    for (int l = 0; l < PERIOD_LEVELS; ++l) survey.levels[l].is_empty = true;
    return survey;
}

static void widen_range(level_range *range, const image *low, const image *high)
{
    if (range->is_empty) *range = (level_range){*low, *high, false};
    for (int a = 0; a < 3; ++a) {
        range->low.shift[a] = MOTE_MIN(range->low.shift[a], low->shift[a]);
        range->high.shift[a] = MOTE_MAX(range->high.shift[a], high->shift[a]);
    }
}

static void survey_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const class_task *task = data;
    bin_survey survey = empty_survey();
    image last = {{0, 0, 0}};
    uint32_t last_level = UINT32_MAX;
    for (size_t i = begin; i < end; ++i) {
        double at[3], fraction[3] = {0, 0, 0};
        image wrap = bin_point(task, (uint32_t)i, at, fraction);
        survey.wraps |= !mote_image_is_zero(&wrap);
        for (int k = 0; k < 3; ++k) {
            survey.low[k] = MOTE_MIN(survey.low[k], at[k]);
            survey.high[k] = MOTE_MAX(survey.high[k], at[k]);
            survey.fraction_low[k] = MOTE_MIN(survey.fraction_low[k], fraction[k]);
            survey.fraction_high[k] = MOTE_MAX(survey.fraction_high[k], fraction[k]);
        }
        const uint32_t level = mote_period_level(&task->sort->periods, &wrap, at);
        if (level == last_level && memcmp(&wrap, &last, sizeof last) == 0) continue;  // true for most points
        widen_range(&survey.levels[level], &wrap, &wrap);
        last = wrap, last_level = level;
    }
    ((bin_survey *)task->sort->surveys.data)[begin / BLOCK] = survey;
}

// The reach that margins should be small compared with: that of small radii.
static double smallest_reach(const mote_neighbors *search)
{
    if (!mote_search_has(search, MOTE_NEIGHBORS_RADII)) return search->structure_radius;
    const double small = mote_point_store_radius_quantile(&search->points, 0.1);
    return mote_pair_reach(search, small, small);
}

// Surveys the points of a periodic box.
static mote_result survey_points(class_task *task)
{
    class_sort *sort = task->sort;
    const mote_neighbors *search = task->search;
    const mote_box *box = &search->points.bounds;
    for (int l = 0; l < PERIOD_LEVELS; ++l) sort->levels[l] = (level_range){.is_empty = l > 0};
    sort->level_end = 1;
    if (!task->periodic) {
        task->survey =
            (bin_survey){.low = {box->min.x, box->min.y, box->min.z}, .high = {box->max.x, box->max.y, box->max.z}};
        return MOTE_OK;
    }
    uint32_t blocks = mote_block_count(search->count, BLOCK);
    mote_result result =
        mote_buffer_reserve(search->context, &sort->surveys, mote_bytes(blocks, sizeof(bin_survey)), 0);
    if (result != MOTE_OK) return result;
    sort->periods = mote_period_levels_make(search, smallest_reach(search));
    mote_parallel_for(search->context, search->count, BLOCK, survey_block, task);
    task->survey = empty_survey();
    memcpy(sort->levels, task->survey.levels, sizeof sort->levels);
    for (uint32_t b = 0; b < blocks; ++b) {
        const bin_survey *block = (const bin_survey *)sort->surveys.data + b;
        task->survey.wraps |= block->wraps;
        for (int k = 0; k < 3; ++k) {
            task->survey.low[k] = MOTE_MIN(task->survey.low[k], block->low[k]);
            task->survey.high[k] = MOTE_MAX(task->survey.high[k], block->high[k]);
            sort->fraction_low[k] = MOTE_MIN(b ? sort->fraction_low[k] : HUGE_VAL, block->fraction_low[k]);
            sort->fraction_high[k] = MOTE_MAX(b ? sort->fraction_high[k] : -HUGE_VAL, block->fraction_high[k]);
        }
        for (uint32_t l = 0; l < PERIOD_LEVELS; ++l) {
            if (block->levels[l].is_empty) continue;
            widen_range(&sort->levels[l], &block->levels[l].low, &block->levels[l].high);
            sort->level_end = MOTE_MAX(sort->level_end, l + 1);
        }
    }
    return MOTE_OK;
}

// Radii are normal doubles above 0, so the exponent's bits give the class of a power of two.
static inline uint32_t exponent_of(double radius)
{
    uint64_t bits;
    memcpy(&bits, &radius, sizeof bits);
    return (uint32_t)(bits >> 52) & (EXPONENTS - 1);
}

// Returns the rank of a point's radius among the classes of radii.
static inline uint32_t rank_of(const class_task *task, uint32_t i)
{
    if (task->one_rank) return 0;
    return task->rank_of[exponent_of(mote_point_store_radius(&task->search->points, i))];
}

// Returns the class of a point and computes its cell.
static uint32_t find_point(const class_task *task, uint32_t i, grid_cell *cell)
{
    double at[3];
    const image wrap = bin_point(task, i, at, NULL);
    uint32_t class = rank_of(task, i);
    if (task->class_of)
        class += mote_period_level(&task->sort->periods, &wrap, at) * task->rank_count, class = task->class_of[class];
    *cell = mote_frame_cell(&task->sort->classes[class].frame, at);
    return class;
}

// --------------------------------------------------------------------------------------------------------- keys

// Makes keys of any kind, for the points in the current order.
static void make_keys(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const class_task *task = data;
    for (size_t place = begin; place < end; ++place) {
        uint32_t i = task->sort->index[place];
        grid_cell cell;
        uint64_t key = find_point(task, i, &cell);
        if (task->part >= 0 && task->part < CLASS_PART)
            key = (uint64_t)((int64_t)cell.at[task->part] - task->low[task->part]);
        for (int k = 2; k >= 0 && task->part < 0; --k)
            key = (key << task->bits[k]) | (uint64_t)((int64_t)cell.at[k] - task->low[k]);
        task->keys[place] = key;
    }
}

// Gets the binned positions, from `first` on.
static void get_batch(const class_task *task, size_t first, size_t count, double at[3][BATCH])
{
    const point_store *points = &task->search->points;
    for (size_t i = 0; i < count && task->survey.wraps; ++i) {
        double place[3];
        bin_point(task, (uint32_t)(first + i), place, NULL);
        for (int k = 0; k < 3; ++k) at[k][i] = place[k];
    }
    for (int k = 0; k < 3 && !task->survey.wraps; ++k) {
        if (points->f64[0])
            memcpy(at[k], points->f64[k] + first, count * sizeof(double));
        else
            for (size_t i = 0; i < count; ++i) at[k][i] = (double)points->f32[k][first + i];
    }
}

// Does the work of make_keys for points of one class in one key: one axis at a time, in loops that compilers vectorize.
static void make_simple_keys(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const class_task *task = data;
    const cell_frame *frame = &task->sort->classes[0].frame;
    const double limit = MOTE_CELL_LIMIT;
    for (size_t first = begin; first < end; first += BATCH) {
        const size_t count = MOTE_MIN(end - first, (size_t)BATCH);
        uint64_t *keys = task->keys + first;
        double at[3][BATCH];
        get_batch(task, first, count, at);
        memset(keys, 0, count * sizeof *keys);
        unsigned shift = 0;
        for (int k = 0; k < 3; shift += task->bits[k++]) {
            if (!task->bits[k]) continue;
            const double anchor = frame->anchor[k], inverse_edge = frame->inverse_edge;
            const int32_t low = task->low[k];
            double cells[BATCH];
            uint32_t coordinates[BATCH];
            for (size_t i = 0; i < count; ++i) cells[i] = (at[k][i] - anchor) * inverse_edge;
            for (size_t i = 0; i < count; ++i) {  // the same formula as in mote_frame_coordinate
                double v = cells[i] < limit ? cells[i] : limit;
                v = v > -limit ? v : -limit;
                int32_t whole = (int32_t)v;
                coordinates[i] = (uint32_t)whole - (uint32_t)(v < (double)whole) - (uint32_t)low;
            }
            for (size_t i = 0; i < count; ++i) keys[i] |= (uint64_t)coordinates[i] << shift;
        }
    }
}

// Determines the number of bits of the keys from the box around the binned points.
static void measure_keys(class_task *task)
{
    class_sort *sort = task->sort;
    memset(task->bits, 0, sizeof task->bits);
    for (int k = 0; k < 3; ++k) {
        int32_t low = 0, high = 0;
        for (uint32_t c = 0; c < sort->class_count && k < task->search->dimensions; ++c) {
            int32_t from = mote_frame_coordinate(&sort->classes[c].frame, k, task->survey.low[k]);
            int32_t to = mote_frame_coordinate(&sort->classes[c].frame, k, task->survey.high[k]);
            low = c ? MOTE_MIN(low, from) : from;
            high = c ? MOTE_MAX(high, to) : to;
        }
        task->low[k] = low;
        for (int64_t extent = (int64_t)high - low; extent > 0; extent >>= 1) task->bits[k] += 1;
    }
    for (uint32_t c = sort->class_count - 1; c > 0; c >>= 1) task->bits[CLASS_PART] += 1;
    task->part = task->bits[0] + task->bits[1] + task->bits[2] + task->bits[CLASS_PART] <= 64 ? -1 : 0;
}

static mote_result sort_points(class_task *task)
{
    const mote_context *context = task->search->context;
    class_sort *sort = task->sort;
    const size_t n = sort->count;
    const bool is_simple = task->part < 0 && sort->class_count == 1;
    for (size_t i = 0; i < n; ++i) sort->index[i] = (uint32_t)i;
    do {
        mote_parallel_for(context, n, BLOCK, is_simple ? make_simple_keys : make_keys, task);
        mote_result result = mote_sort_u64(context, task->keys, sort->index, task->keys_spare, task->index_spare, n);
        if (result != MOTE_OK) return result;
        task->part += task->part >= 0;
    } while (task->part > 0 && task->part <= CLASS_PART);
    return MOTE_OK;
}

// ------------------------------------------------------------------------------------------------------ classes

// If each point searches only within its own radius, and no other point's radius matters, cells for the small radii
// serve all points: those for the 10 % quantile of the radii, from a sample. The exception is a largest radius that
// is about as small: cells slightly narrower than the usual reach cost most, as two cells on each side are then
// occupied.
static double radius_of_cells(const mote_neighbors *search)
{
    const double small = mote_point_store_radius_quantile(&search->points, 0.1);
    return search->structure_radius <= 1.5 * small ? search->structure_radius : small;
}

// Returns the reach for which cells are made. Wider cells hold more points, which are one group: its candidates are
// gathered once, but more of them are too far away.
static double widen_reach(const class_task *task, double reach)
{
    static const double factors[] = {3, 2.5, 2, 1.5};
    const mote_neighbors *search = task->search;
    double points = (double)search->count;  // in a cell as wide as the reach
    const bool are_few = search->chooser && search->count <= A_FEW_HUNDRED;
    if (!are_few || mote_search_has(search, MOTE_NEIGHBORS_RADII)) return reach;
    for (int k = 0; k < search->dimensions; ++k)
        points *= reach / MOTE_MAX(task->survey.high[k] - task->survey.low[k], reach);
    for (size_t f = 0; f < sizeof factors / sizeof *factors; ++f) {
        double wide = points;
        for (int k = 0; k < search->dimensions; ++k) wide *= factors[f];
        if (wide <= FULL) return reach * factors[f];
    }
    return reach;
}

// Returns a factor for the edge of cells with which whole layers of them fill the longest side of the points' box, and
// the sixteenth of a cell below its corner (mote_frame_anchor): else the last layer may be nearly empty, and its small
// groups take as long as others. Cells that would grow by more than an eighth stay as they are, as they would hold too
// many points, and so do those of so many layers that the last one does not matter. Doubles alone: the order of rows of
// floats is an order in which sums were recorded.
static double stretch_cells(const class_task *task, double edge)
{
    if (task->search->scalar != MOTE_F64 || !mote_search_has(task->search, MOTE_NEIGHBORS_PERIODIC)) return 1;
    const double below = 1.0 / 16, most = 1.125;
    double longest = 0;
    for (int k = 0; k < 3; ++k) longest = MOTE_MAX(longest, task->survey.high[k] - task->survey.low[k]);
    const double layers = floor(longest / edge + below);
    if (!(layers >= 1 && layers < 1024)) return 1;
    const double factor = longest * (1 + 0x1p-20) / ((layers - below) * edge);  // roundings leave the last point inside
    return factor > 1 && factor < most ? factor : 1;
}

// Makes a frame for the binned points.
static cell_frame make_frame(const class_task *task, double reach)
{
    double sample[SAMPLE][3];
    size_t n = task->search->count, count = MOTE_MIN(n, (size_t)SAMPLE);
    for (size_t s = 0; s < count; ++s) bin_point(task, (uint32_t)(s * (n / count)), sample[s], NULL);
    mote_points points = {
        {sample[0], sample[0] + 1, sample[0] + 2}, sizeof sample[0], count, MOTE_F64, task->search->dimensions};
    cell_frame frame = mote_frame_make(&points, reach, 1);
    const double factor = stretch_cells(task, frame.edge);
    if (factor > 1) frame = mote_frame_make(&points, reach * factor, 1);
    mote_frame_anchor(&frame, task->survey.low, task->survey.high);
    return frame;
}

// Finds the ranks of radii and the largest radius of each; `largest` has room for all exponents. Returns their number.
static uint32_t rank_radii(class_task *task, double *largest)
{
    const mote_neighbors *search = task->search;
    if (task->one_rank) return 1;
    memset(largest, 0, EXPONENTS * sizeof *largest);
    for (uint32_t i = 0; i < search->count; ++i) {
        double radius = mote_point_store_radius(&search->points, i), *most = largest + exponent_of(radius);
        *most = MOTE_MAX(*most, radius);
    }
    uint32_t count = 0;
    for (int e = 0; e < EXPONENTS; ++e)
        if (largest[e] > 0) largest[count] = largest[e], task->rank_of[e] = (uint16_t)count++;
    return count;
}

// Numbers the classes that have points, the levels of periods one after the other. Returns their number.
static uint32_t number_classes(const class_task *task)
{
    const class_sort *sort = task->sort;
    const uint32_t all = sort->level_end * task->rank_count;
    uint32_t count = 0;
    memset(task->class_of, 0, all * sizeof *task->class_of);
    for (uint32_t i = 0; i < task->search->count; ++i) {
        double at[3];
        const image wrap = bin_point(task, i, at, NULL);
        const uint32_t level = mote_period_level(&sort->periods, &wrap, at);
        task->class_of[level * task->rank_count + rank_of(task, i)] = 1;
    }
    for (uint32_t c = 0; c < all; ++c) task->class_of[c] = task->class_of[c] ? (uint16_t)count++ : UINT16_MAX;
    return count;
}

// Determines the classes and their frames.
static mote_result make_classes(class_task *task)
{
    const mote_neighbors *search = task->search;
    class_sort *sort = task->sort;
    double largest[EXPONENTS];
    const bool radii = mote_search_has(search, MOTE_NEIGHBORS_RADII);
    task->one_rank = !radii || search->def.radius_rule == MOTE_RADIUS_MINE;
    task->rank_count = rank_radii(task, largest);
    const uint32_t all = sort->level_end * task->rank_count;
    const mote_context *context = search->context;
    const size_t each = sizeof *sort->classes + sizeof *task->class_of;
    mote_result result = mote_buffer_reserve(context, &sort->classes_memory, mote_bytes(all, each), 0);
    if (result != MOTE_OK) return result;
    sort->classes = sort->classes_memory.data;
    sort->class_count = task->rank_count;
    if (sort->level_end > 1) {
        task->class_of = (uint16_t *)(void *)(sort->classes + all);
        sort->class_count = number_classes(task);
    }
    for (uint32_t k = 0; k < all; ++k) {
        const uint32_t c = task->class_of ? task->class_of[k] : k, rank = k % task->rank_count;
        if (c == UINT16_MAX) continue;
        radius_class *class = &sort->classes[c];
        class->level = k / task->rank_count;
        class->max_radius = task->one_rank ? 0 : largest[rank];
        double reach =
            task->one_rank ? search->structure_radius : mote_pair_reach(search, largest[rank], largest[rank]);
        if (radii && task->one_rank) reach = radius_of_cells(search);
        class->frame = make_frame(task, widen_reach(task, reach));
    }
    return MOTE_OK;
}

// -------------------------------------------------------------------------------------------------------- cells

// Returns the class and the cell of the point at a place.
static uint32_t find_cell(const class_task *task, uint32_t place, grid_cell *cell)
{
    if (task->part >= 0) return find_point(task, task->sort->index[place], cell);
    uint64_t key = task->keys[place];
    for (int k = 0; k < 3; ++k) {
        uint64_t part = key & ((UINT64_C(1) << task->bits[k]) - 1);
        cell->at[k] = (int32_t)((int64_t)part + task->low[k]);
        key >>= task->bits[k];
    }
    return (uint32_t)key;
}

// Tells whether the point at a place is in another cell or class than the point before it.
static inline bool starts_cell(const class_task *task, uint32_t place)
{
    if (place == 0) return true;
    if (task->part < 0) return task->keys[place] != task->keys[place - 1];
    grid_cell before, cell;
    return find_cell(task, place - 1, &before) != find_cell(task, place, &cell) || !mote_cells_are_equal(before, cell);
}

// Lists the occupied cells of the sorted points, class after class.
static mote_result list_cells(class_task *task)
{
    class_sort *sort = task->sort;
    uint32_t count = 0, last_class = UINT32_MAX, next = 0;
    for (uint32_t p = 0; p < sort->count; ++p) count += starts_cell(task, p);
    size_t bytes = mote_bytes((size_t)count + 1, sizeof(grid_cell) + sizeof(uint32_t));
    mote_result result = mote_buffer_reserve(task->search->context, &sort->cells_memory, bytes, 0);
    if (result != MOTE_OK) return result;
    sort->cells = sort->cells_memory.data;
    sort->start = (uint32_t *)(void *)(sort->cells + count + 1);
    sort->cell_count = count;
    for (uint32_t p = 0; p < sort->count; ++p) {
        if (!starts_cell(task, p)) continue;
        grid_cell cell;
        uint32_t c = find_cell(task, p, &cell);
        radius_class *class = &sort->classes[c];
        if (c != last_class) class->cell_begin = next, class->bounds = (grid_range){cell, cell};
        for (int k = 0; k < 3; ++k) {
            class->bounds.low.at[k] = MOTE_MIN(class->bounds.low.at[k], cell.at[k]);
            class->bounds.high.at[k] = MOTE_MAX(class->bounds.high.at[k], cell.at[k]);
        }
        class->cell_end = next + 1;
        last_class = c;
        sort->cells[next] = cell, sort->start[next++] = p;
    }
    sort->start[count] = sort->count;
    MOTE_ASSERT(next == count);
    return MOTE_OK;
}

// Enlarges the cells of those classes that hold few points per cell and are small compared with the reach of other
// points. Returns whether there are any such classes; points must then be sorted again.
static bool coarsen(const class_task *task)
{
    class_sort *sort = task->sort;
    const double radius = task->search->structure_radius, most = mote_pair_reach(task->search, radius, radius);
    bool any = false;
    for (uint32_t c = 0; c < sort->class_count; ++c) any |= sort->classes[c].frame.edge * FAR <= most;
    if (!any) return false;
    for (uint32_t c = 0; c < sort->class_count; ++c) sort->classes[c].cell_begin = sort->classes[c].cell_end = 0;
    uint32_t c = 0;
    for (uint32_t p = 0; p < sort->count; ++p) {  // for now: the numbers of cells and of points
        grid_cell cell;
        if (starts_cell(task, p)) c = find_cell(task, p, &cell), sort->classes[c].cell_begin += 1;
        sort->classes[c].cell_end += 1;
    }
    any = false;
    for (c = 0; c < sort->class_count; ++c) {
        radius_class *class = &sort->classes[c];
        const double cells = class->cell_begin, points = class->cell_end;
        if (points >= 2 * cells || class->frame.edge * FAR > most) continue;
        class->frame = make_frame(task, class->frame.edge * (points < 1.1 * cells ? 4 : 2));
        any = true;
    }
    return any;
}

// ------------------------------------------------------------------------------------------------------ columns

static void gather_f32(const float *from, const uint32_t *index, size_t begin, size_t end, float *to)
{
    for (size_t place = begin; place < end; ++place) to[place] = from[index[place]];
}

static void gather_f64(const double *from, const uint32_t *index, size_t begin, size_t end, double *to)
{
    for (size_t place = begin; place < end; ++place) to[place] = from[index[place]];
}

static void gather_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const class_task *task = data;
    const point_store *points = &task->search->points;
    class_sort *sort = task->sort;
    for (int k = 0; k < 3; ++k) {
        if (points->f64[0])
            gather_f64(points->f64[k], sort->index, begin, end, sort->own.f64[k]);
        else
            gather_f32(points->f32[k], sort->index, begin, end, sort->own.f32[k]);
    }
    for (size_t place = begin; place < end && sort->records; ++place) {
        double *record = sort->records + 4 * place;
        for (int k = 0; k < 3; ++k) record[k] = sort->own.f64[k][place];
        const uint64_t index = sort->index[place];
        memcpy(record + 3, &index, sizeof index);
    }
    if (sort->radii.f32) gather_f32(points->radii_f32, sort->index, begin, end, sort->radii.f32);
    if (sort->radii.f64) gather_f64(points->radii_f64, sort->index, begin, end, sort->radii.f64);
    for (size_t place = begin; place < end && sort->wrap; ++place) {
        double at[3];
        sort->wrap[place] = bin_point(task, sort->index[place], at, NULL);
        for (int k = 0; k < 3; ++k) sort->at.f64[k][place] = at[k];
    }
}

// Sets up the columns, and places the keys where most of the columns will be.
static mote_result reserve_columns(class_task *task)
{
    class_sort *sort = task->sort;
    const mote_neighbors *search = task->search;
    const bool f64 = search->scalar == MOTE_F64, wraps = task->survey.wraps;
    const bool radii = mote_search_has(search, MOTE_NEIGHBORS_RADII);
    const bool records = f64 && mote_search_has(search, MOTE_NEIGHBORS_DISTANCES | MOTE_NEIGHBORS_DIFFERENCES);
    const size_t n = mote_bytes((search->count + CLASS_PADDING + 15) / 16, 16);
    const size_t scalar = f64 ? sizeof(double) : sizeof(float);
    size_t each = (radii ? 4 : 3) * scalar;
    if (wraps) each += 3 * sizeof(double) + sizeof(image);
    if (records) each += 4 * sizeof(double);
    each = MOTE_MAX(each, 2 * sizeof(uint64_t) + sizeof(uint32_t));
    mote_result result = mote_buffer_reserve(search->context, &sort->sorted, mote_bytes(n, each + sizeof(uint32_t)), 0);
    if (result != MOTE_OK) return result;

    sort->index = sort->sorted.data;
    task->keys = (uint64_t *)(void *)(sort->index + n);
    task->keys_spare = task->keys + n;
    task->index_spare = (uint32_t *)(void *)(task->keys_spare + n);

    char *next = (char *)(sort->index + n);
    sort->at = sort->own = (sorted_axes){.f32 = {NULL}};
    sort->radii.f32 = NULL, sort->radii.f64 = NULL;
    for (size_t k = 0; k < 3; ++k, next += wraps ? n * sizeof(double) : 0)
        if (wraps) sort->at.f64[k] = (double *)(void *)next;
    for (size_t k = 0; k < 3; ++k, next += n * scalar) {
        if (f64)
            sort->own.f64[k] = (double *)(void *)next;
        else
            sort->own.f32[k] = (float *)(void *)next;
    }
    if (!wraps) sort->at = sort->own;
    if (radii && f64) sort->radii.f64 = (double *)(void *)next;
    if (radii && !f64) sort->radii.f32 = (float *)(void *)next;
    next += radii ? n * scalar : 0;
    sort->records = records ? (double *)(void *)next : NULL;
    next += records ? n * 4 * sizeof(double) : 0;
    sort->wrap = wraps ? (image *)(void *)next : NULL;
    return MOTE_OK;
}

// ------------------------------------------------------------------------------------------------------- public

static mote_result build(const mote_neighbors *search, class_sort *sort)
{
    class_task task = {.search = search, .sort = sort};
    task.periodic = mote_search_has(search, MOTE_NEIGHBORS_PERIODIC);
    sort->count = (uint32_t)search->count;
    mote_result result = survey_points(&task);
    if (result == MOTE_OK) result = reserve_columns(&task);
    if (result == MOTE_OK) result = make_classes(&task);
    if (result != MOTE_OK) return result;
    do {
        measure_keys(&task);
        result = sort_points(&task);
        if (result != MOTE_OK) return result;
    } while (coarsen(&task));
    result = list_cells(&task);
    if (result == MOTE_OK) result = mote_class_tables_make(search->context, sort);
    if (result == MOTE_OK) mote_parallel_for(search->context, search->count, BLOCK, gather_block, &task);
    return result;
}

mote_result mote_class_sort_build(const mote_neighbors *search, class_sort *sort)
{
    sort->count = sort->class_count = sort->cell_count = 0;
    if (search->count == 0) return MOTE_OK;
    mote_result result = build(search, sort);
    if (result != MOTE_OK) sort->count = sort->class_count = sort->cell_count = 0;
    return result;
}

void mote_class_sort_release(const mote_context *context, class_sort *sort)
{
    mote_buffer_release(context, &sort->sorted);
    mote_buffer_release(context, &sort->classes_memory);
    mote_buffer_release(context, &sort->cells_memory);
    mote_buffer_release(context, &sort->tables);
    mote_buffer_release(context, &sort->surveys);
}

size_t mote_class_sort_byte_count(const class_sort *sort)
{
    return sort->sorted.bytes + sort->classes_memory.bytes + sort->cells_memory.bytes + sort->tables.bytes +
           sort->surveys.bytes;
}

mote_result mote_class_sort_validate(const class_sort *sort, mote_error *error)
{
    uint32_t next = 0;
    for (uint32_t c = 0; c < sort->class_count; ++c) {
        const radius_class *class = &sort->classes[c];
        if (class->cell_begin != next || class->cell_end <= next || class->cell_end > sort->cell_count)
            return mote_fail(error, MOTE_ERROR_STATE, c, "cell_grid: class %u has no cells of its own", c);
        next = class->cell_end;
        for (uint32_t n = class->cell_begin; n < class->cell_end; ++n) {
            if (n > class->cell_begin && !mote_cell_is_less(sort->cells[n - 1], sort->cells[n]))
                return mote_fail(error, MOTE_ERROR_STATE, n, "cell_grid: cell %u is out of order", n);
            if (sort->start[n] >= sort->start[n + 1])
                return mote_fail(error, MOTE_ERROR_STATE, n, "cell_grid: cell %u is empty", n);
            for (uint32_t p = sort->start[n]; p < sort->start[n + 1]; ++p) {
                double at[3];
                mote_sorted_get(&sort->at, p, at);
                bool in_order = p == sort->start[n] || sort->index[p - 1] < sort->index[p];
                if (!in_order || !mote_cells_are_equal(mote_frame_cell(&class->frame, at), sort->cells[n]))
                    return mote_fail(error, MOTE_ERROR_STATE, p, "cell_grid: sorted point %u is out of its cell", p);
            }
        }
    }
    if (next == sort->cell_count && (!next || sort->start[next] == sort->count)) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_STATE, next, "cell_grid: %u cells, of which classes hold %u", sort->cell_count,
                     next);
}
