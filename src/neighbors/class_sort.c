// Points sorted by radius class and cell.
//
// Radii are put into classes by powers of two, as hierarchical grids do (Pouchol et al., section 4): a few large points
// do not make the cells of all others large. Cells are those of cells/frame.h; class and cell together are one 64-bit
// key where they fit, else sorted part by part.

#include "neighbors/class_sort.h"

#include <math.h>
#include <string.h>

#include "cells/internal.h"

enum { BLOCK = 8192, EXPONENTS = 2400, EXPONENT_ZERO = 1200, SAMPLE = 255, CLASS_PART = 3 };

typedef struct class_task {
    const mote_neighbors *search;
    class_sort *sort;
    double *at[3];  // binned, by index
    uint64_t *keys;
    uint16_t class_of[EXPONENTS];
    bool one_class;
    int32_t low[3];
    unsigned bits[4];  // of x, y, z, class in a packed key
    int part;          // −1: all in one key
} class_task;

// ------------------------------------------------------------------------------------------------------ binning

static void bin_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const class_task *task = data;
    const mote_neighbors *search = task->search;
    bool periodic = mote_search_has(search, MOTE_NEIGHBORS_PERIODIC);
    for (size_t i = begin; i < end; ++i) {
        double at[3], vector[3] = {0, 0, 0};
        mote_point_store_get(&search->points, (uint32_t)i, at);
        if (periodic) {
            image wrap = mote_periodic_wrap(&search->box, at);
            mote_periodic_vector(&search->box, wrap.shift, MOTE_F64, vector);
        }
        for (int k = 0; k < 3; ++k) task->at[k][i] = at[k] + vector[k];
    }
}

static inline uint32_t class_of(const class_task *task, uint32_t i)
{
    if (task->one_class) return 0;
    int exponent;
    frexp(mote_point_store_radius(&task->search->points, i), &exponent);
    return task->class_of[exponent + EXPONENT_ZERO];
}

static grid_cell cell_of(const class_task *task, uint32_t i)
{
    const double at[3] = {task->at[0][i], task->at[1][i], task->at[2][i]};
    return mote_frame_cell(&task->sort->classes[class_of(task, i)].frame, at);
}

static void make_keys(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const class_task *task = data;
    for (size_t place = begin; place < end; ++place) {
        uint32_t i = task->sort->index[place], class = class_of(task, i);
        grid_cell cell = cell_of(task, i);
        uint64_t key = class;
        if (task->part >= 0 && task->part < CLASS_PART)
            key = (uint64_t)((int64_t)cell.at[task->part] - task->low[task->part]);
        for (int k = 2; k >= 0 && task->part < 0; --k)
            key = (key << task->bits[k]) | (uint64_t)((int64_t)cell.at[k] - task->low[k]);
        task->keys[place] = key;
    }
}

static void gather_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const class_task *task = data;
    class_sort *sort = task->sort;
    for (size_t place = begin; place < end; ++place) {
        uint32_t i = sort->index[place];
        for (int k = 0; k < 3; ++k) sort->at[k][place] = task->at[k][i];
        if (!sort->wrap[0]) continue;
        double at[3];
        mote_point_store_get(&task->search->points, i, at);
        image wrap = mote_periodic_wrap(&task->search->box, at);
        for (int k = 0; k < 3; ++k) sort->own[k][place] = at[k], sort->wrap[k][place] = wrap.shift[k];
    }
}

// ------------------------------------------------------------------------------------------------------ classes

static mote_points binned_points(const class_task *task)
{
    return (mote_points){{task->at[0], task->at[1], task->at[2]}, sizeof(double), task->search->count, MOTE_F64,
                         task->search->dimensions};
}

// The radius that a tenth of the points stay below, from a sample. Where everybody looks as far as its own radius, and
// nobody's else matters, cells for the small ones serve all.
static double small_radius(const mote_neighbors *search)
{
    double sample[SAMPLE];
    size_t n = search->count, count = MOTE_MIN(n, (size_t)SAMPLE);
    for (size_t s = 0; s < count; ++s) {
        double radius = mote_point_store_radius(&search->points, (uint32_t)(s * (n / count)));
        size_t place = s;
        for (; place > 0 && sample[place - 1] > radius; --place) sample[place] = sample[place - 1];
        sample[place] = radius;
    }
    return sample[count / 10];
}

// Which classes there are, and their frames.
static mote_result make_classes(class_task *task)
{
    const mote_neighbors *search = task->search;
    class_sort *sort = task->sort;
    double largest[EXPONENTS];
    uint32_t classes = 1;
    bool radii = mote_search_has(search, MOTE_NEIGHBORS_RADII);
    task->one_class = !radii || search->def.radius_rule == MOTE_RADIUS_MINE;
    if (!task->one_class) {
        memset(largest, 0, sizeof largest);
        for (uint32_t i = 0; i < search->count; ++i) {
            int exponent;
            double radius = mote_point_store_radius(&search->points, i);
            frexp(radius, &exponent);
            largest[exponent + EXPONENT_ZERO] = MOTE_MAX(largest[exponent + EXPONENT_ZERO], radius);
        }
        classes = 0;
        for (int e = 0; e < EXPONENTS; ++e)
            if (largest[e] > 0) largest[classes] = largest[e], task->class_of[e] = (uint16_t)classes++;
    }
    const mote_context *context = search->context;
    mote_result result =
        mote_buffer_reserve(context, &sort->classes_memory, mote_bytes(classes, sizeof *sort->classes), 0);
    if (result != MOTE_OK) return result;
    sort->classes = sort->classes_memory.data;
    sort->class_count = classes;
    mote_points binned = binned_points(task);
    for (uint32_t c = 0; c < classes; ++c) {
        radius_class *class = &sort->classes[c];
        class->max_radius = task->one_class ? 0 : largest[c];
        double reach = task->one_class ? search->structure_radius : mote_pair_reach(search, largest[c], largest[c]);
        if (radii && task->one_class) reach = small_radius(search);
        class->frame = mote_frame_make(&binned, reach, 1);
    }
    return MOTE_OK;
}

// Bits of the keys, from the box around the binned points.
static void measure_keys(class_task *task)
{
    class_sort *sort = task->sort;
    mote_points binned = binned_points(task);
    mote_box box;
    mote_points_bounds(task->search->context, &binned, &box, NULL);
    const double min[3] = {box.min.x, box.min.y, box.min.z}, max[3] = {box.max.x, box.max.y, box.max.z};
    for (int k = 0; k < 3; ++k) {
        int32_t low = 0, high = 0;
        for (uint32_t c = 0; c < sort->class_count && k < binned.dimensions; ++c) {
            int32_t from = mote_frame_coordinate(&sort->classes[c].frame, k, min[k]);
            int32_t to = mote_frame_coordinate(&sort->classes[c].frame, k, max[k]);
            low = c ? MOTE_MIN(low, from) : from;
            high = c ? MOTE_MAX(high, to) : to;
        }
        task->low[k] = low;
        for (int64_t extent = (int64_t)high - low; extent > 0; extent >>= 1) task->bits[k] += 1;
    }
    for (uint32_t c = sort->class_count - 1; c > 0; c >>= 1) task->bits[CLASS_PART] += 1;
    task->part = task->bits[0] + task->bits[1] + task->bits[2] + task->bits[CLASS_PART] <= 64 ? -1 : 0;
}

// -------------------------------------------------------------------------------------------------------- cells

// Lists the occupied cells of the sorted points, each class's after the other.
static mote_result list_cells(class_task *task)
{
    class_sort *sort = task->sort;
    for (int pass = 0; pass < 2; ++pass) {  // count, then fill
        uint32_t cells = 0, last_class = UINT32_MAX;
        grid_cell last = {{0, 0, 0}};
        for (uint32_t p = 0; p < sort->count; ++p) {
            uint32_t c = class_of(task, sort->index[p]);
            const double at[3] = {sort->at[0][p], sort->at[1][p], sort->at[2][p]};
            grid_cell cell = mote_frame_cell(&sort->classes[c].frame, at);
            if (c == last_class && mote_cells_are_equal(cell, last)) continue;
            if (pass == 1) {
                radius_class *class = &sort->classes[c];
                if (c != last_class) class->cell_begin = cells, class->bounds = (grid_range){cell, cell};
                for (int k = 0; k < 3; ++k) {
                    class->bounds.low.at[k] = MOTE_MIN(class->bounds.low.at[k], cell.at[k]);
                    class->bounds.high.at[k] = MOTE_MAX(class->bounds.high.at[k], cell.at[k]);
                }
                class->cell_end = cells + 1;
                sort->cells[cells] = cell, sort->start[cells] = p;
            }
            last = cell, last_class = c;
            cells += 1;
        }
        sort->cell_count = cells;
        if (pass == 1) break;
        size_t bytes = mote_bytes((size_t)cells + 1, sizeof(grid_cell) + sizeof(uint32_t));
        mote_result result = mote_buffer_reserve(task->search->context, &sort->cells_memory, bytes, 0);
        if (result != MOTE_OK) return result;
        sort->cells = sort->cells_memory.data;
        sort->start = (uint32_t *)(void *)(sort->cells + cells + 1);
    }
    sort->start[sort->cell_count] = sort->count;
    return MOTE_OK;
}

static void measure_fractions(const mote_neighbors *search, class_sort *sort)
{
    for (int a = 0; a < 3; ++a) sort->fraction_low[a] = HUGE_VAL, sort->fraction_high[a] = -HUGE_VAL;
    for (uint32_t p = 0; p < sort->count && sort->wrap[0]; ++p) {
        double d[3], fraction[3];
        for (int k = 0; k < 3; ++k) d[k] = sort->at[k][p] - search->box.origin[k];
        mote_periodic_fractions(&search->box, d, fraction);
        for (int a = 0; a < 3; ++a) {
            sort->fraction_low[a] = MOTE_MIN(sort->fraction_low[a], fraction[a]);
            sort->fraction_high[a] = MOTE_MAX(sort->fraction_high[a], fraction[a]);
        }
    }
}

// First cell of cell_begin … cell_end that is not less than `cell`, in steps that double from `from`.
static uint32_t lower_bound(const class_sort *sort, const radius_class *class, grid_cell cell, uint32_t from)
{
    if (from < class->cell_begin || from > class->cell_end) from = class->cell_begin;
    if (from > class->cell_begin && !mote_cell_is_less(sort->cells[from - 1], cell)) from = class->cell_begin;
    uint64_t low = from, step = 1;
    while (low + step <= class->cell_end && mote_cell_is_less(sort->cells[low + step - 1], cell)) {
        low += step;
        step *= 2;
    }
    uint64_t high = MOTE_MIN(low + step - 1, (uint64_t)class->cell_end);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (mote_cell_is_less(sort->cells[middle], cell))
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}

static bool add_run(const mote_context *context, mote_buffer *runs, size_t *count, sorted_run run)
{
    sorted_run *all = runs->data;
    if (*count && all[*count - 1].end == run.begin) {
        all[*count - 1].end = run.end;
        return true;
    }
    size_t bytes = (*count + 1) * sizeof run;
    if (runs->bytes < bytes &&
        mote_buffer_reserve(context, runs, 2 * bytes, *count * sizeof run) != MOTE_OK)
        return false;
    all = runs->data;
    all[(*count)++] = run;
    return true;
}

// All occupied cells of the class against the range.
static bool scan_cells(const mote_context *context, const class_sort *sort, const radius_class *class,
                       const grid_range *range, mote_buffer *runs, size_t *count)
{
    for (uint32_t c = class->cell_begin; c < class->cell_end; ++c) {
        bool inside = true;
        for (int k = 0; k < 3; ++k)
            inside &= sort->cells[c].at[k] >= range->low.at[k] && sort->cells[c].at[k] <= range->high.at[k];
        if (inside && !add_run(context, runs, count, (sorted_run){sort->start[c], sort->start[c + 1]})) return false;
    }
    return true;
}

bool mote_class_sort_runs(const mote_context *context, const class_sort *sort, const radius_class *class,
                          const double low[3], const double high[3], uint32_t *hint, mote_buffer *runs,
                          size_t *run_count)
{
    grid_range range = class->bounds;
    *run_count = 0;
    for (int k = 0; k < class->frame.dimensions; ++k) {
        range.low.at[k] = MOTE_MAX(range.low.at[k], mote_frame_coordinate(&class->frame, k, low[k]));
        range.high.at[k] = MOTE_MIN(range.high.at[k], mote_frame_coordinate(&class->frame, k, high[k]));
        if (range.low.at[k] > range.high.at[k]) return true;
    }
    uint64_t height = (uint64_t)((int64_t)range.high.at[1] - range.low.at[1] + 1);
    uint64_t depth = (uint64_t)((int64_t)range.high.at[2] - range.low.at[2] + 1);
    if (height * depth > class->cell_end - class->cell_begin)
        return scan_cells(context, sort, class, &range, runs, run_count);
    uint32_t row = 0;
    for (int32_t z = range.low.at[2]; z <= range.high.at[2]; ++z)
        for (int32_t y = range.low.at[1]; y <= range.high.at[1]; ++y, ++row) {
            grid_cell left = {{range.low.at[0], y, z}};
            uint32_t first = lower_bound(sort, class, left, hint[row % CLASS_HINTS]), end = first;
            hint[row % CLASS_HINTS] = first;
            while (end < class->cell_end && sort->cells[end].at[2] == z && sort->cells[end].at[1] == y &&
                   sort->cells[end].at[0] <= range.high.at[0])
                ++end;
            if (end == first) continue;
            if (!add_run(context, runs, run_count, (sorted_run){sort->start[first], sort->start[end]})) return false;
        }
    return true;
}

// ------------------------------------------------------------------------------------------------------- public

static mote_result sort_points(class_task *task, uint64_t *spare, uint32_t *index_spare)
{
    const mote_context *context = task->search->context;
    class_sort *sort = task->sort;
    size_t n = sort->count;
    for (size_t i = 0; i < n; ++i) sort->index[i] = (uint32_t)i;
    do {
        mote_parallel_for(context, n, BLOCK, make_keys, task);
        mote_result result = mote_sort_u64(context, task->keys, sort->index, spare, index_spare, n);
        if (result != MOTE_OK) return result;
        task->part += task->part >= 0;
    } while (task->part > 0 && task->part <= CLASS_PART);
    return MOTE_OK;
}

static mote_result build(const mote_neighbors *search, class_sort *sort)
{
    const mote_context *context = search->context;
    size_t n = search->count;
    bool periodic = mote_search_has(search, MOTE_NEIGHBORS_PERIODIC);
    size_t each = 3 * sizeof(double) + sizeof(uint32_t);
    if (periodic) each += 3 * (sizeof(double) + sizeof(int32_t));
    mote_result result = mote_buffer_reserve(context, &sort->sorted, mote_bytes(n + 1, each), 0);
    each = 3 * sizeof(double) + 2 * sizeof(uint64_t) + sizeof(uint32_t);
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &sort->scratch, mote_bytes(n + 1, each), 0);
    if (result != MOTE_OK) return result;
    class_task task = {.search = search, .sort = sort};
    const size_t columns = periodic ? 6 : 3;
    for (size_t k = 0; k < 3; ++k) {
        sort->at[k] = (double *)sort->sorted.data + k * n;
        sort->own[k] = sort->at[k] + (columns - 3) * n;
        task.at[k] = (double *)sort->scratch.data + k * n;
    }
    sort->index = (uint32_t *)(void *)((double *)sort->sorted.data + columns * n);
    for (size_t k = 0; k < 3; ++k) sort->wrap[k] = periodic ? (int32_t *)(sort->index + (k + 1) * n) : NULL;
    task.keys = (uint64_t *)(void *)((double *)sort->scratch.data + 3 * n);

    mote_parallel_for(context, n, BLOCK, bin_block, &task);
    result = make_classes(&task);
    if (result != MOTE_OK) return result;
    measure_keys(&task);
    sort->count = (uint32_t)n;
    result = sort_points(&task, task.keys + n, (uint32_t *)(void *)(task.keys + 2 * n));
    if (result != MOTE_OK) return result;
    mote_parallel_for(context, n, BLOCK, gather_block, &task);
    measure_fractions(search, sort);
    return list_cells(&task);
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
    mote_buffer_release(context, &sort->scratch);
}

size_t mote_class_sort_byte_count(const class_sort *sort)
{
    return sort->sorted.bytes + sort->classes_memory.bytes + sort->cells_memory.bytes + sort->scratch.bytes;
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
                const double at[3] = {sort->at[0][p], sort->at[1][p], sort->at[2][p]};
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
