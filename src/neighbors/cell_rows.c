// Rows with all features: double points, radii, periodic boxes, half lists, distances, subsets, queries.
//
// Points that follow each other and lie close together form a group. Whatever may be near any of them is gathered once,
// class by class, image by image: runs of cells, culled against the group's box. Gathered candidates stand as floats
// relative to the group, in units of its reach, so that a sieve of single precision, a little too wide, serves all
// precisions and boxes. What passes the sieve, little more than the neighbours, meets the test that defines them.
//
// Margins: the sieve and all boxes are wider than the reach by what the rounding of the test itself, of positions
// wrapped into the box and of the floats can amount to (the documents' cells leave none, and lose neighbours).

#include "neighbors/cell_rows.h"

#include <math.h>
#include <string.h>

#include "neighbors/collect.h"

#if MOTE_HAVE_AVX2
#include <immintrin.h>
#endif

enum {
    STRETCH = 512,  // rows of a block of work
    GROUP = 64,     // rows of a group, at most
    LANES = 8
};

// Candidates of one class around a group.
typedef struct section {
    uint32_t begin, end;
    double max_radius;
} section;

// What a worker keeps.
typedef struct rows_worker {
    mote_buffer runs, block, sections, images;
    float *u[3];        // of the block: relative positions,
    uint32_t *place;    // among the sorted points,
    uint32_t *image;    // among the images (periodic boxes),
    uint32_t *passed;   // and room for what passes the sieve
    size_t count, room;
    uint32_t section_count, image_count;
    uint32_t hint[CLASS_HINTS];
    char pad[64];
} rows_worker;

typedef struct rows_task {
    mote_neighbors *search;
    cell_rows *rows;
    const row_request *request;
    row_writer *writers;
    bool periodic;
} rows_task;

// A point whose row is wanted, where it was binned.
typedef struct group_entry {
    row_query query;
    double at[3];
    int32_t wrap[3];
    grid_cell cell;  // in the grid of its radius class
} group_entry;

typedef struct row_group {
    group_entry entries[GROUP];
    uint32_t count;
    double low[3], high[3];
    double max_radius;
    double center[3], half[3];
    double scale;      // 1 / the largest reach
    double magnitude;  // of all coordinates that take part
    double extent;     // of all differences
} row_group;

// -------------------------------------------------------------------------------------------------------- sieve

// Places in begin … end of candidates within √limit of u, ascending; returns their number.
typedef size_t sieve_function(const rows_worker *worker, uint32_t begin, uint32_t end, const float u[3], float limit,
                              uint32_t *passed);

static size_t sieve_plain(const rows_worker *worker, uint32_t begin, uint32_t end, const float u[3], float limit,
                          uint32_t *passed)
{
    size_t count = 0;
    for (uint32_t k = begin; k < end; ++k) {
        passed[count] = k;
        count += mote_within(worker->u[0][k] - u[0], worker->u[1][k] - u[1], worker->u[2][k] - u[2], limit);
    }
    return count;
}

#if MOTE_HAVE_AVX2
MOTE_TARGET_AVX2 static size_t sieve_avx2(const rows_worker *worker, uint32_t begin, uint32_t end, const float u[3],
                                          float limit, uint32_t *passed)
{
    const __m256 x = _mm256_set1_ps(u[0]), y = _mm256_set1_ps(u[1]), z = _mm256_set1_ps(u[2]);
    const __m256 most = _mm256_set1_ps(limit);
    size_t count = 0;
    for (uint32_t k = begin; k < end;) {
        uint64_t mask = 0;
        uint32_t first = k;
        for (uint32_t lane = 0; lane < 64 && k < end; lane += LANES, k += LANES) {
            __m256 dx = _mm256_sub_ps(_mm256_loadu_ps(worker->u[0] + k), x);
            __m256 dy = _mm256_sub_ps(_mm256_loadu_ps(worker->u[1] + k), y);
            __m256 dz = _mm256_sub_ps(_mm256_loadu_ps(worker->u[2] + k), z);
            __m256 squared = _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy)),
                                           _mm256_mul_ps(dz, dz));
            uint64_t near = (uint64_t)(uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(squared, most, _CMP_LE_OQ));
            mask |= near << lane;
        }
        if (k > end) mask &= UINT64_MAX >> (64 - (end - first));
        for (; mask; mask &= mask - 1) passed[count++] = first + (uint32_t)__builtin_ctzll(mask);
    }
    return count;
}
#endif

static sieve_function *choose_sieve(void)
{
#if MOTE_HAVE_AVX2
    if (mote_cpu_has_avx2()) return sieve_avx2;
#endif
    return sieve_plain;
}

// ------------------------------------------------------------------------------------------------------- groups

// The cell that a point with such a radius lies in.
static grid_cell cell_of(const class_sort *sort, double radius, const double at[3])
{
    uint32_t c = 0;
    if (sort->class_count == 0) return (grid_cell){{0, 0, 0}};
    while (c + 1 < sort->class_count && sort->classes[c].max_radius < radius) ++c;
    return mote_frame_cell(&sort->classes[c].frame, at);
}

// The point at place k of the sort.
static group_entry get_sorted(const rows_task *task, size_t k)
{
    const mote_neighbors *search = task->search;
    const class_sort *sort = &task->rows->sort;
    uint32_t i = sort->index[k];
    group_entry entry = {.query = {.row = i, .self = i, .radius = search->radius}, .wrap = {0, 0, 0}};
    if (search->points.max_radius > 0) entry.query.radius = mote_point_store_radius(&search->points, i);
    for (int a = 0; a < 3; ++a) {
        entry.query.at[a] = sort->own[a][k];
        entry.at[a] = sort->at[a][k];
        if (task->periodic) entry.wrap[a] = sort->wrap[a][k];
    }
    entry.cell = cell_of(sort, entry.query.radius, entry.at);
    return entry;
}

// Row k of the request. Rows of all points are taken in sorted order.
static group_entry get_entry(const rows_task *task, size_t k)
{
    if (!task->request->queries && !task->request->subset) return get_sorted(task, k);
    const mote_neighbors *search = task->search;
    group_entry entry = {.query = mote_request_get(search, task->request, k), .wrap = {0, 0, 0}};
    memcpy(entry.at, entry.query.at, sizeof entry.at);
    if (task->periodic) {
        image wrap = mote_periodic_wrap(&search->box, entry.at);
        double vector[3];
        mote_periodic_vector(&search->box, wrap.shift, MOTE_F64, vector);
        for (int a = 0; a < 3; ++a) {
            entry.wrap[a] = wrap.shift[a];
            entry.at[a] = entry.at[a] + vector[a];
        }
    }
    entry.cell = cell_of(&task->rows->sort, entry.query.radius, entry.at);
    return entry;
}

// Adds the entry if it lies in the cell of the others and looks about as far. (The outermost cells of a grid hold all
// that lies beyond: there, those near each other go together.)
static bool add_entry(row_group *group, const group_entry *entry)
{
    double radius = entry->query.radius;
    if (group->count == 0) {
        memcpy(group->low, entry->at, sizeof group->low);
        memcpy(group->high, entry->at, sizeof group->high);
        group->max_radius = radius;
    } else {
        double first = group->entries[0].query.radius, low[3], high[3];
        if (group->count == GROUP || radius > 2 * first || radius < 0.5 * first) return false;
        if (!mote_cells_are_equal(entry->cell, group->entries[0].cell)) return false;
        for (int k = 0; k < 3; ++k) {
            low[k] = MOTE_MIN(group->low[k], entry->at[k]);
            high[k] = MOTE_MAX(group->high[k], entry->at[k]);
            if (!(high[k] - low[k] <= 4 * first)) return false;
        }
        memcpy(group->low, low, sizeof low);
        memcpy(group->high, high, sizeof high);
        group->max_radius = MOTE_MAX(group->max_radius, radius);
    }
    group->entries[group->count++] = *entry;
    return true;
}

// A bound of distances at which the test may still find neighbours, from all that is rounded on the way.
static double widen(const rows_task *task, const row_group *group, double reach)
{
    const mote_neighbors *search = task->search;
    double margin = 0x1p-18 * reach + 0x1p-50 * group->magnitude;
    if (!task->periodic) return reach + margin;
    double rounding = search->scalar == MOTE_F32 ? 0x1p-21 : 0x1p-49;
    return reach + margin + rounding * (group->extent + reach) +
           (0x1p-46 + search->box.roundoff) * (group->magnitude + group->extent + reach);
}

// What follows from the group's box.
static void close_group(const rows_task *task, row_group *group)
{
    const mote_neighbors *search = task->search;
    const class_sort *sort = &task->rows->sort;
    const mote_box *box = &search->points.bounds;
    const double min[3] = {box->min.x, box->min.y, box->min.z}, max[3] = {box->max.x, box->max.y, box->max.z};
    group->magnitude = group->extent = 0;
    for (int k = 0; k < 3; ++k) {
        group->center[k] = 0.5 * group->low[k] + 0.5 * group->high[k];
        double below = group->center[k] - group->low[k], above = group->high[k] - group->center[k];
        group->half[k] = MOTE_MAX(below, above);
        group->magnitude = MOTE_MAX(group->magnitude, MOTE_MAX(fabs(group->low[k]), fabs(group->high[k])));
        if (!task->periodic) continue;
        double low = min[k], high = max[k];
        for (uint32_t e = 0; e < group->count; ++e) {
            low = MOTE_MIN(low, group->entries[e].query.at[k]);
            high = MOTE_MAX(high, group->entries[e].query.at[k]);
        }
        group->extent += high - low;
        group->magnitude += MOTE_MAX(fabs(low), fabs(high)) + fabs(search->box.origin[k]);
    }
    if (task->periodic) group->magnitude += 4 * mote_longest_edge(&search->box);
    double most = 0;
    for (uint32_t c = 0; c < sort->class_count; ++c)
        most = MOTE_MAX(most, mote_pair_reach(search, group->max_radius, sort->classes[c].max_radius));
    group->scale = 1 / widen(task, group, MOTE_MAX(most, group->max_radius));
}

// --------------------------------------------------------------------------------------------------- candidates

// Room for `more` candidates.
static bool reserve_block(const rows_task *task, rows_worker *worker, size_t more)
{
    size_t room = worker->count + more + 2 * LANES;
    if (room <= worker->room) return true;
    room = room + room / 2;
    mote_buffer old = worker->block, grown = {0};
    if (mote_buffer_reserve(task->search->context, &grown, mote_bytes(room, 6 * sizeof(uint32_t)), 0) != MOTE_OK)
        return false;
    float *to = grown.data;
    for (size_t k = 0; k < 5; ++k) {  // the sixth is filled anew by every sieving
        const void *from[5] = {worker->u[0], worker->u[1], worker->u[2], worker->place, worker->image};
        if (worker->count) memcpy(to + k * room, from[k], worker->count * sizeof(float));
    }
    for (size_t k = 0; k < 3; ++k) worker->u[k] = to + k * room;
    worker->place = (uint32_t *)(void *)(to + 3 * room);
    worker->image = (uint32_t *)(void *)(to + 4 * room);
    worker->passed = (uint32_t *)(void *)(to + 5 * room);
    worker->block = grown;
    worker->room = room;
    mote_buffer_release(task->search->context, &old);
    return true;
}

// Gathers the points of a run that, moved by `offset` from the group's center, are near its box.
static void gather_run(const class_sort *sort, const row_group *group, sorted_run run, const double offset[3],
                       double limit, uint32_t image_id, rows_worker *worker)
{
    const double scale = group->scale;
    const double half[3] = {group->half[0] * scale, group->half[1] * scale, group->half[2] * scale};
    size_t at = worker->count;
    for (uint32_t p = run.begin; p < run.end; ++p) {
        double u[3], squared = 0;
        for (int k = 0; k < 3; ++k) {
            u[k] = (sort->at[k][p] + offset[k]) * scale;
            double outside = fabs(u[k]) - half[k];
            outside = outside > 0 ? outside : 0;
            squared += outside * outside;
            worker->u[k][at] = (float)u[k];
        }
        worker->place[at] = p;
        worker->image[at] = image_id;
        at += squared <= limit;
    }
    worker->count = at;
}

// Candidates of a class at one image of the box, moved by `vector`.
static bool gather_image(const rows_task *task, const row_group *group, const radius_class *class, double reach,
                         const double vector[3], uint32_t image_id, rows_worker *worker)
{
    const class_sort *sort = &task->rows->sort;
    double low[3], high[3], offset[3];
    for (int k = 0; k < 3; ++k) {
        offset[k] = vector[k] - group->center[k];
        low[k] = group->low[k] - vector[k] - reach;
        high[k] = group->high[k] - vector[k] + reach;
    }
    size_t run_count, points = 0;
    if (!mote_class_sort_runs(task->search->context, sort, class, low, high, worker->hint, &worker->runs, &run_count))
        return false;
    const sorted_run *runs = worker->runs.data;
    for (size_t r = 0; r < run_count; ++r) points += runs[r].end - runs[r].begin;
    if (!reserve_block(task, worker, points)) return false;
    double limit = reach * group->scale * (1 + 0x1p-16);
    for (size_t r = 0; r < run_count; ++r) gather_run(sort, group, runs[r], offset, limit * limit, image_id, worker);
    return true;
}

// The images of the box in which points can be within `reach` of the group.
static image_range images_near(const rows_task *task, const row_group *group, double reach)
{
    const periodic_box *box = &task->search->box;
    const class_sort *sort = &task->rows->sort;
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (uint32_t e = 0; e < group->count; ++e) {
        double d[3], fraction[3];
        for (int k = 0; k < 3; ++k) d[k] = group->entries[e].at[k] - box->origin[k];
        mote_periodic_fractions(box, d, fraction);
        for (int a = 0; a < 3; ++a) {
            low[a] = MOTE_MIN(low[a], fraction[a]);
            high[a] = MOTE_MAX(high[a], fraction[a]);
        }
    }
    image_range range = {{0, 0, 0}, {0, 0, 0}};
    for (int a = 0; a < 3; ++a) {
        if (!box->periodic[a]) continue;
        double span = reach / box->height[a] + 1e-9;
        range.low[a] = (int32_t)ceil(low[a] - sort->fraction_high[a] - span);
        range.high[a] = (int32_t)floor(high[a] - sort->fraction_low[a] + span);
    }
    return range;
}

static bool gather_images(const rows_task *task, const row_group *group, const radius_class *class, double reach,
                          rows_worker *worker)
{
    const mote_neighbors *search = task->search;
    image_range range = images_near(task, group, reach);
    image at;
    int32_t *k = at.shift;
    for (k[0] = range.low[0]; k[0] <= range.high[0]; ++k[0])
        for (k[1] = range.low[1]; k[1] <= range.high[1]; ++k[1])
            for (k[2] = range.low[2]; k[2] <= range.high[2]; ++k[2]) {
                double vector[3];
                mote_periodic_vector(&search->box, k, MOTE_F64, vector);
                size_t keep = worker->image_count * sizeof at;
                if (worker->images.bytes < keep + sizeof at &&
                    mote_buffer_reserve(search->context, &worker->images, 2 * (keep + sizeof at), keep) != MOTE_OK)
                    return false;
                ((image *)worker->images.data)[worker->image_count] = at;
                if (!gather_image(task, group, class, reach, vector, worker->image_count, worker)) return false;
                worker->image_count += 1;
            }
    return true;
}

// All that may be near the group, a section a class.
static bool gather(const rows_task *task, const row_group *group, rows_worker *worker)
{
    static const double zero[3] = {0, 0, 0};
    const mote_neighbors *search = task->search;
    const class_sort *sort = &task->rows->sort;
    size_t bytes = mote_bytes((size_t)sort->class_count + 1, sizeof(section));
    if (mote_buffer_reserve(search->context, &worker->sections, bytes, 0) != MOTE_OK) return false;
    worker->count = 0;
    worker->section_count = worker->image_count = 0;
    if (!reserve_block(task, worker, 0)) return false;
    for (uint32_t c = 0; c < sort->class_count; ++c) {
        const radius_class *class = &sort->classes[c];
        double reach = widen(task, group, mote_pair_reach(search, group->max_radius, class->max_radius));
        section *made = (section *)worker->sections.data + worker->section_count;
        made->begin = (uint32_t)worker->count;
        made->max_radius = class->max_radius;
        bool done = task->periodic ? gather_images(task, group, class, reach, worker)
                                   : gather_image(task, group, class, reach, zero, 0, worker);
        if (!done || worker->count > UINT32_MAX - LANES) return false;
        made->end = (uint32_t)worker->count;
        worker->section_count += made->end > made->begin;
    }
    for (size_t k = worker->count; k < worker->count + LANES; ++k)  // read by wide loads, never taken
        worker->u[0][k] = worker->u[1][k] = worker->u[2][k] = 0;
    return true;
}

// -------------------------------------------------------------------------------------------------------- rows

// Tests what passed the sieve, and adds the neighbours to `hits`, which have the room. Compiled for each of its cases.
MOTE_INLINE size_t test_passed(const rows_task *task, const group_entry *entry, const rows_worker *worker,
                               size_t passed, bool half, double limit, row_hit *hits, const mote_scalar scalar,
                               const bool periodic, const bool own_limits)
{
    const mote_neighbors *search = task->search;
    const class_sort *sort = &task->rows->sort;
    const image *images = worker->images.data;
    const uint32_t self = entry->query.self;
    size_t count = 0;
    for (size_t n = 0; n < passed; ++n) {
        uint32_t slot = worker->passed[n], p = worker->place[slot], j = sort->index[p];
        row_hit *hit = hits + count;
        const double at[3] = {sort->own[0][p], sort->own[1][p], sort->own[2][p]};
        double vector[3];
        if (periodic) {
            const int32_t *shift = images[worker->image[slot]].shift;
            for (int k = 0; k < 3; ++k) hit->shift[k] = shift[k] + sort->wrap[k][p] - entry->wrap[k];
            if (!mote_keeps_pair(half, self, j, hit->shift)) continue;
            mote_periodic_vector(&search->box, hit->shift, scalar, vector);
        } else if (j == self || (half && j < self)) {
            continue;
        }
        hit->squared = mote_difference(scalar, entry->query.at, at, periodic ? vector : NULL, hit->d);
        if (own_limits)
            limit = mote_square(scalar, mote_pair_reach(search, entry->query.radius,
                                                        mote_point_store_radius(&search->points, j)));
        hit->index = j;
        count += hit->squared <= limit;
    }
    return count;
}

typedef size_t test_function(const rows_task *task, const group_entry *entry, const rows_worker *worker,
                             size_t passed, bool half, double limit, row_hit *hits);

#define DEFINE_TEST(name, scalar, periodic, own_limits)                                                          \
    static size_t name(const rows_task *task, const group_entry *entry, const rows_worker *worker, size_t passed, \
                       bool half, double limit, row_hit *hits)                                                   \
    {                                                                                                            \
        return test_passed(task, entry, worker, passed, half, limit, hits, scalar, periodic, own_limits);        \
    }
DEFINE_TEST(test_f32, MOTE_F32, false, false)
DEFINE_TEST(test_f32_radii, MOTE_F32, false, true)
DEFINE_TEST(test_f32_periodic, MOTE_F32, true, false)
DEFINE_TEST(test_f32_periodic_radii, MOTE_F32, true, true)
DEFINE_TEST(test_f64, MOTE_F64, false, false)
DEFINE_TEST(test_f64_radii, MOTE_F64, false, true)
DEFINE_TEST(test_f64_periodic, MOTE_F64, true, false)
DEFINE_TEST(test_f64_periodic_radii, MOTE_F64, true, true)

static test_function *const test_functions[2][2][2] = {  // f64, periodic, by the radii of the two
    {{test_f32, test_f32_radii}, {test_f32_periodic, test_f32_periodic_radii}},
    {{test_f64, test_f64_radii}, {test_f64_periodic, test_f64_periodic_radii}},
};

// Finds the row of one entry of the group.
static bool find_row(const rows_task *task, const row_group *group, const group_entry *entry, rows_worker *worker,
                     sieve_function *sieve, row_writer *writer)
{
    const mote_neighbors *search = task->search;
    bool half = mote_search_has(search, MOTE_NEIGHBORS_HALF) && entry->query.self != UINT32_MAX;
    bool alike = !mote_search_has(search, MOTE_NEIGHBORS_RADII) || search->def.radius_rule == MOTE_RADIUS_MINE;
    double limit = mote_square(search->scalar, entry->query.radius);  // where all pairs are alike
    test_function *test = test_functions[search->scalar == MOTE_F64][task->periodic][!alike];
    float u[3];
    for (int k = 0; k < 3; ++k) u[k] = (float)((entry->at[k] - group->center[k]) * group->scale);
    size_t count = 0;
    const section *sections = worker->sections.data;
    for (uint32_t s = 0; s < worker->section_count; ++s) {
        double reach = widen(task, group, mote_pair_reach(search, entry->query.radius, sections[s].max_radius));
        double wide = reach * group->scale * (1 + 0x1p-16);
        size_t passed =
            sieve(worker, sections[s].begin, sections[s].end, u, (float)(wide * wide), worker->passed);
        size_t keep = count * sizeof(row_hit), bytes = keep + (passed + 1) * sizeof(row_hit);
        if (bytes > writer->hits.bytes &&
            mote_buffer_reserve(search->context, &writer->hits, bytes, keep) != MOTE_OK)
            return false;
        count += test(task, entry, worker, passed, half, limit, (row_hit *)writer->hits.data + count);
    }
    writer->candidates += worker->count;
    mote_row_write_hits(writer, entry->query.row, writer->hits.data, count, 0);
    return true;
}

static void find_stretch(void *data, size_t begin, size_t end, uint32_t worker_id)
{
    const rows_task *task = data;
    rows_worker *worker = (rows_worker *)task->rows->workers.data + worker_id;
    row_writer *writer = task->writers + worker_id;
    sieve_function *sieve = choose_sieve();
    row_group group;
    for (size_t k = begin; k < end;) {
        group.count = 0;
        for (; k < end; ++k) {
            group_entry entry = get_entry(task, k);
            if (!add_entry(&group, &entry)) break;
        }
        close_group(task, &group);
        bool done = gather(task, &group, worker);
        for (uint32_t e = 0; e < group.count && done; ++e)
            done = find_row(task, &group, &group.entries[e], worker, sieve, writer);
        if (done) continue;
        atomic_store(&writer->sink->out_of_memory, true);
        return;
    }
}

void mote_cell_rows_find(mote_neighbors *search, cell_rows *rows, const row_request *request, row_writer *writers)
{
    if (mote_workers_reserve(search->context, &rows->workers, sizeof(rows_worker)) != MOTE_OK) {
        atomic_store(&writers->sink->out_of_memory, true);
        return;
    }
    rows_task task = {search, rows, request, writers, mote_search_has(search, MOTE_NEIGHBORS_PERIODIC)};
    mote_parallel_for(search->context, request->count, STRETCH, find_stretch, &task);
}

mote_result mote_cell_rows_build(const mote_neighbors *search, cell_rows *rows)
{
    return mote_class_sort_build(search, &rows->sort);
}

void mote_cell_rows_release(const mote_context *context, cell_rows *rows)
{
    rows_worker *workers = rows->workers.data;
    for (size_t w = 0; w < rows->workers.bytes / sizeof *workers; ++w) {
        mote_buffer_release(context, &workers[w].runs);
        mote_buffer_release(context, &workers[w].block);
        mote_buffer_release(context, &workers[w].sections);
        mote_buffer_release(context, &workers[w].images);
    }
    mote_buffer_release(context, &rows->workers);
    mote_class_sort_release(context, &rows->sort);
}

size_t mote_cell_rows_byte_count(const cell_rows *rows)
{
    const rows_worker *workers = rows->workers.data;
    size_t bytes = mote_class_sort_byte_count(&rows->sort) + rows->workers.bytes;
    for (size_t w = 0; w < rows->workers.bytes / sizeof *workers; ++w)
        bytes += workers[w].runs.bytes + workers[w].block.bytes + workers[w].sections.bytes + workers[w].images.bytes;
    return bytes;
}
