// SPDX-License-Identifier: MIT
// Volumes of particles, signs of nodes, and the values at cut edges.
//
// Nodes are evaluated in clusters of 2³. A cluster whose nodes are inside by the particles nearby alone is done with:
// more particles only add to the sum, and its value is not needed unless the surface passes next to it. These few
// clusters are then summed in full: those with cut edges within their chunk at once, others in a second pass, when the
// signs around are known. So the values at cut edges, and the signs, are those that full sums have.

#include <math.h>

#include "surface/internal.h"

enum {
    BATCH = 256,
    ALL_EIGHT = 255,
    MOST_SUBCELLS = CHUNK / 2,
    GROUP = 2,  // clusters along each axis that share a list of particles
    EDGE = GROUP * CLUSTER,
    GROUPS = CHUNK / EDGE
};

static const double most_diagonal = 1.7321;  // of a cube, and a little more

bool mote_surface_gather_for(surface_job *job, const surface_chunk *chunk, surface_worker *worker)
{
    if (atomic_load(&job->out_of_memory)) return false;
    if (mote_surface_gather(job->context, job->sort, job->grid, job->scale, chunk, job->own_count, job->has_volumes,
                            !job->skips_numbers, job->lanes, job->forms, worker))
        return true;
    atomic_store(&job->out_of_memory, true);
    return false;
}

static bool is_empty(const surface_range *range)
{
    return range->low[0] > range->high[0] || range->low[1] > range->high[1] || range->low[2] > range->high[2];
}

// ----------------------------------------------------------------------------------------------------- volumes

// Sorted particles as targets, and the box around them.
static void set_places(const surface_job *job, const uint32_t *numbers, int count, surface_targets *targets)
{
    targets->reach = job->scale->reach;
    for (int k = 0; k < 3; ++k) {
        targets->low[k] = CHUNK, targets->high[k] = 0;
        for (int t = 0; t < TARGETS; ++t) {
            const float at = job->sort->at[k][numbers[MOTE_MIN(t, count - 1)]];
            targets->at[k][t] = at;
            targets->low[k] = MOTE_MIN(targets->low[k], at);
            targets->high[k] = MOTE_MAX(targets->high[k], at);
        }
    }
}

void mote_surface_take_targets(const surface_job *job, const surface_window *window, const uint32_t *numbers, int count,
                               surface_targets *targets, surface_range *range)
{
    set_places(job, numbers, count, targets);
    for (int k = 0; k < 3; ++k)
        mote_surface_range_of(job->scale, window, k, targets->low[k], targets->high[k], job->scale->reach, range);
}

// Particles of a cube of subcells.
typedef struct volume_cube {
    surface_targets box;
    uint32_t count, listed;  // of them, and of those around
} volume_cube;

static uint32_t list_around(const surface_job *job, const surface_worker *worker, const surface_targets *box)
{
    surface_range range;
    for (int k = 0; k < 3; ++k)
        mote_surface_range_of(job->scale, &worker->window, k, box->low[k], box->high[k], job->scale->reach, &range);
    return job->lanes->list_places(&job->scale->kernel, &worker->window, &range, box);
}

// Sums for up to eight particles of a cube side by side.
static void sum_volumes(const surface_job *job, const surface_worker *worker, volume_cube *cube,
                        const uint32_t *numbers, int count)
{
    surface_targets targets;
    set_places(job, numbers, count, &targets);
    const bool is_group = cube->count <= TARGETS;
    if (cube->listed == 0) cube->listed = list_around(job, worker, is_group ? &targets : &cube->box);
    float sums[TARGETS], alone[TARGETS], crowds[TARGETS];
    job->lanes->sum_kernel(&job->scale->kernel, &worker->window, cube->listed, &targets, is_group, sums, alone,
                           job->crowds ? crowds : NULL);
    for (int t = 0; t < count; ++t) {
        job->sort->volumes[numbers[t]] = (1 + job->scale->lone_more * MOTE_MAX(4 * alone[t] - 3, 0)) / sums[t];
        if (job->crowds) job->crowds[numbers[t]] = crowds[t] - 1;
    }
}

// Sums for the particles of a cube of `step`³ subcells. Rows that have many are summed for on their own, so that the
// particles of a sum are close together.
static void volumes_of_cube(const surface_job *job, const surface_worker *worker, const uint32_t *start,
                            const int at[3], int step)
{
    const int n = job->scale->subcells, first = (at[2] * n + at[1]) * n + at[0], rows = step * step, many = 5;
    volume_cube cube = {.box.reach = job->scale->reach};
    for (int k = 0; k < 3; ++k) {
        cube.box.low[k] = (float)(at[k] * job->scale->subcell);
        cube.box.high[k] = (float)((at[k] + step) * job->scale->subcell);
    }
    for (int row = 0; row < rows; ++row) {
        const uint32_t *begin = start + first + (row / step * n + row % step) * n;
        cube.count += begin[step] - begin[0];
    }
    uint32_t numbers[TARGETS];
    int count = 0;
    for (int row = 0; row < rows; ++row) {
        const uint32_t *begin = start + first + (row / step * n + row % step) * n;
        for (uint32_t i = begin[0]; i < begin[step]; ++i) {
            numbers[count++] = i;
            if (count == TARGETS) sum_volumes(job, worker, &cube, numbers, count), count = 0;
        }
        if (count > 0 && (row == rows - 1 || cube.count >= (uint32_t)(many * rows)))
            sum_volumes(job, worker, &cube, numbers, count), count = 0;
    }
}

static void volumes_of_chunk(void *data, size_t begin, size_t end, uint32_t worker_number)
{
    surface_job *job = data;
    const surface_sort *sort = job->sort;
    surface_worker *worker = job->workers + worker_number;
    const int n = job->scale->subcells, step = n > 1 ? 2 : 1;
    for (size_t c = begin; c < end; ++c) {
        if (!mote_surface_gather_for(job, sort->chunks + c, worker)) return;
        uint32_t made[MOST_SUBCELLS * MOST_SUBCELLS * MOST_SUBCELLS + 1];
        const uint32_t *start = made;
        if (sort->chunks[c].starts != NONE)
            start = sort->starts + (size_t)sort->chunks[c].starts * (size_t)(n * n * n + 1);
        else
            mote_surface_fill_starts(sort, sort->chunks + c, n, made);
        for (int z = 0; z < n; z += step)
            for (int y = 0; y < n; y += step)
                for (int x = 0; x < n; x += step) volumes_of_cube(job, worker, start, (const int[3]){x, y, z}, step);
    }
}

mote_result mote_surface_volumes(surface_job *job)
{
    job->has_volumes = false;
    job->skips_numbers = true;
    mote_parallel_for(job->context, job->sort->chunk_count, 1, volumes_of_chunk, job);
    job->has_volumes = true;
    job->skips_numbers = false;
    return atomic_load(&job->out_of_memory) ? MOTE_ERROR_OUT_OF_MEMORY : MOTE_OK;
}

// ------------------------------------------------------------------------------------------------------- cutting

double mote_surface_cut_distance(const surface_cut *cut, size_t k, mote_vec3 at)
{
    if (k == cut->plane_count) return cut->distance(cut->distance_data, at);
    const mote_surface_plane *plane = cut->planes + k;
    const double x = (at.x - plane->point.x) * plane->normal.x, y = (at.y - plane->point.y) * plane->normal.y;
    return (x + y) + (at.z - plane->point.z) * plane->normal.z;
}

// Which of the planes may cut a chunk: all nodes lie beyond the others. At most 64 are told apart.
static uint64_t planes_near(const surface_cut *cut, const surface_chunk *chunk, double cell)
{
    uint64_t near = 0;
    const double half = 0.5 * CHUNK * cell;
    const mote_vec3 middle = {(chunk->at[0] + 0.5) * CHUNK * cell, (chunk->at[1] + 0.5) * CHUNK * cell,
                              (chunk->at[2] + 0.5) * CHUNK * cell};
    for (size_t k = 0; k < cut->plane_count; ++k) {
        const mote_vec3 n = cut->planes[k].normal;
        const double least =
            mote_surface_cut_distance(cut, k, middle) - (fabs(n.x) + fabs(n.y) + fabs(n.z)) * (half + cell);
        if (!(least > 0)) near |= UINT64_C(1) << (k < 63 ? k : 63);
    }
    return near;
}

// A place of a chunk, in cells from its corner.
static mote_vec3 place_in(const surface_chunk *chunk, double cell, double x, double y, double z)
{
    return (mote_vec3){((double)chunk->at[0] * CHUNK + x) * cell, ((double)chunk->at[1] * CHUNK + y) * cell,
                       ((double)chunk->at[2] * CHUNK + z) * cell};
}

static bool is_cut_off(const surface_cut *cut, uint64_t near, const surface_chunk *chunk, double cell, const int at[3])
{
    const mote_vec3 place = place_in(chunk, cell, at[0], at[1], at[2]);
    for (size_t k = 0; k < cut->plane_count; ++k)
        if (near >> (k < 63 ? k : 63) & 1 && !(mote_surface_cut_distance(cut, k, place) >= 0)) return true;
    return false;
}

bool mote_surface_is_far(const surface_cut *cut, const surface_chunk *chunk, double cell)
{
    const double half = 0.5 * CHUNK;
    const mote_vec3 middle = place_in(chunk, cell, half, half, half);
    return cut->distance(cut->distance_data, middle) >= most_diagonal * (half + 1) * cell;
}

// Takes the nodes of a cube that are inside solids out of the signs. A distance changes by no more than places move: it
// is asked for at the middle of a cube, and for parts of the cube only where solids may reach between its nodes.
static void cut_by_distance(const surface_job *job, const surface_chunk *chunk, const int first[3], int size,
                            surface_signs *signs)
{
    const uint32_t mask = ((1u << size) - 1) << first[0];
    uint32_t any = 0;
    for (int z = first[2]; z < first[2] + size; ++z)
        for (int y = first[1]; y < first[1] + size; ++y) any |= signs->rows[z][y] & mask;
    if (any == 0) return;
    const double cell = job->scale->cell, half = 0.5 * (size - 1), radius = most_diagonal * half * cell;
    const mote_vec3 middle = place_in(chunk, cell, first[0] + half, first[1] + half, first[2] + half);
    const double away = job->cut->distance(job->cut->distance_data, middle);
    const bool may_skip = size == 1 || !job->full;
    if (may_skip && away >= radius) return;
    if (size == 1 || (may_skip && away < -radius)) {
        for (int z = first[2]; z < first[2] + size; ++z)
            for (int y = first[1]; y < first[1] + size; ++y) signs->rows[z][y] &= (uint16_t)~mask;
        return;
    }
    for (int k = 0; k < 8; ++k) {
        const int part = size / 2, x = first[0] + part * (k & 1), y = first[1] + part * (k >> 1 & 1);
        const int low[3] = {x, y, first[2] + part * (k >> 2)};
        cut_by_distance(job, chunk, low, part, signs);
    }
}

// ---------------------------------------------------------------------------------------------------- first pass

void mote_surface_set_targets(const surface_scale *scale, const int cluster[3], surface_targets *targets)
{
    targets->reach = scale->reach;
    for (int k = 0; k < 3; ++k) {
        targets->low[k] = (float)(CLUSTER * cluster[k]);
        targets->high[k] = (float)(CLUSTER * cluster[k] + 1);
        for (int t = 0; t < TARGETS; ++t) targets->at[k][t] = (float)(CLUSTER * cluster[k] + (t >> k & 1));
    }
}

// Lists the particles within `reach` of nodes low … high that are in subcells within `around`.
static uint32_t list_within(const surface_job *job, const surface_worker *worker, const int low[3], const int high[3],
                            float around, float reach, bool may_skip)
{
    surface_targets box = {.reach = reach};
    surface_range range;
    for (int k = 0; k < 3; ++k) {
        box.low[k] = (float)low[k], box.high[k] = (float)high[k];
        mote_surface_range_of(job->scale, &worker->window, k, box.low[k], box.high[k], around, &range);
    }
    if (is_empty(&range)) return 0;
    return job->lanes->list_block(&job->scale->kernel, &worker->window, &range, &box, may_skip);
}

uint32_t mote_surface_list_block(const surface_job *job, const surface_worker *worker, const int low[3],
                                 const int high[3], float reach, bool may_skip)
{
    return list_within(job, worker, low, high, reach, reach, may_skip);
}

// Sums a cluster in full over the listed particles; its values less the isovalue. −INFINITY where all nodes are known
// to be outside, unless `values_needed`.
static void sum_cluster(const surface_job *job, surface_worker *worker, uint32_t listed, const surface_targets *targets,
                        bool values_needed, float values[TARGETS])
{
    const surface_scale *scale = job->scale;
    for (int t = 0; t < TARGETS; ++t) values[t] = 0;
    if (listed > 0) {
        if (!job->lanes->sum_field(&scale->kernel, &worker->window, listed, targets, !values_needed, values)) {
            for (int t = 0; t < TARGETS; ++t) values[t] = -INFINITY;
            return;
        }
        worker->nodes += TARGETS;
    }
    for (int t = 0; t < TARGETS; ++t) values[t] -= scale->kernel.isovalue;
}

// The values of a chunk, −INFINITY where they are not known, and its signs.
typedef struct chunk_nodes {
    float *values;
    surface_signs *signs;
} chunk_nodes;

static void keep_cluster(const chunk_nodes *nodes, const int cluster[3], uint32_t inside, const float *own)
{
    for (int pair = 0; pair < TARGETS / 2; ++pair) {
        const int y = CLUSTER * cluster[1] + pair % 2, z = CLUSTER * cluster[2] + pair / 2;
        nodes->signs->rows[z][y] |= (uint16_t)((inside >> 2 * pair & 3) << CLUSTER * cluster[0]);
        if (own)
            memcpy(nodes->values + (z * CHUNK + y) * CHUNK + CLUSTER * cluster[0], own + 2 * pair, sizeof(float[2]));
    }
}

static void fill_group(surface_signs *signs, const int first[3])
{
    const int edge = GROUP * CLUSTER;
    for (int z = first[2]; z < first[2] + edge; ++z)
        for (int y = first[1]; y < first[1] + edge; ++y)
            signs->rows[z][y] |= (uint16_t)(((1u << edge) - 1) << first[0]);
}

// Evaluates the clusters low … low + 1 along each axis. First those are left out that are inside by the particles
// nearby.
static void evaluate_group(const surface_job *job, surface_worker *worker, const int low[3], const chunk_nodes *nodes)
{
    const surface_scale *scale = job->scale;
    const int first[3] = {CLUSTER * low[0], CLUSTER * low[1], CLUSTER * low[2]}, more = GROUP * CLUSTER - 1;
    const int last[3] = {first[0] + more, first[1] + more, first[2] + more};
    uint32_t left = ALL_EIGHT;
    surface_targets targets;
    const uint32_t near = job->full ? 0 : list_within(job, worker, first, last, scale->near_rows, scale->near, false);
    if (near > 0) {
        const float corner[3] = {(float)first[0], (float)first[1], (float)first[2]};
        left &= ~job->lanes->find_inside(&scale->kernel, &worker->window, near, corner, scale->near);
        if (left == 0) {
            fill_group(nodes->signs, first);
            return;
        }
    }
    for (uint32_t inside = ALL_EIGHT & ~left; inside; inside &= inside - 1) {
        const int k = (int)mote_lowest_bit(inside);
        const int cluster[3] = {low[0] + (k & 1), low[1] + (k >> 1 & 1), low[2] + (k >> 2)};
        keep_cluster(nodes, cluster, ALL_EIGHT, NULL);
    }
    const uint32_t listed = mote_surface_list_block(job, worker, first, last, scale->reach, !job->full && near == 0);
    if (listed == 0) return;
    for (; left; left &= left - 1) {
        const int k = (int)mote_lowest_bit(left);
        const int cluster[3] = {low[0] + (k & 1), low[1] + (k >> 1 & 1), low[2] + (k >> 2)};
        float own[TARGETS];
        uint32_t inside = 0;
        mote_surface_set_targets(scale, cluster, &targets);
        sum_cluster(job, worker, listed, &targets, job->full, own);
        for (int t = 0; t < TARGETS; ++t) inside |= (uint32_t)(own[t] >= 0) << t;
        keep_cluster(nodes, cluster, inside, own);
    }
}

static void evaluate_nodes(const surface_job *job, surface_worker *worker, float *values, surface_signs *signs)
{
    const surface_scale *scale = job->scale;
    const chunk_nodes nodes = {values, signs};
    int low[3], high[3];  // clusters that particles reach, in groups
    memset(signs, 0, sizeof *signs);
    for (int n = 0; n < CHUNK_NODES; ++n) values[n] = -INFINITY;
    for (int k = 0; k < 3; ++k) {
        const float first = (float)((worker->window.low[k] - scale->margin) * scale->subcell) - scale->reach;
        const float last = (float)((worker->window.high[k] + 1 - scale->margin) * scale->subcell) + scale->reach;
        low[k] = MOTE_MAX((int)floorf(first / CLUSTER), 0) / GROUP * GROUP;
        high[k] = MOTE_MIN((int)floorf(last / CLUSTER), CLUSTERS - 1);
    }
    for (int z = low[2]; z <= high[2]; z += GROUP)
        for (int y = low[1]; y <= high[1]; y += GROUP)
            for (int x = low[0]; x <= high[0]; x += GROUP) evaluate_group(job, worker, (const int[3]){x, y, z}, &nodes);
}

static void cut_signs(const surface_job *job, const surface_chunk *chunk, surface_signs *signs)
{
    if (!job->cut) return;
    const uint64_t near = planes_near(job->cut, chunk, job->scale->cell);
    for (int z = 0; z < CHUNK; ++z)
        for (int y = 0; y < CHUNK; ++y)
            for (uint32_t left = near ? signs->rows[z][y] : 0; left; left &= left - 1) {
                const int at[3] = {(int)mote_lowest_bit(left), y, z};
                if (is_cut_off(job->cut, near, chunk, job->scale->cell, at))
                    signs->rows[z][y] &= (uint16_t) ~(1u << at[0]);
            }
    if (job->cut->distance) cut_by_distance(job, chunk, (const int[3]){0, 0, 0}, CHUNK, signs);
}

// The nodes of a row that have a cut edge to another node of the chunk.
static uint32_t cut_within(const surface_signs *signs, int z, int y)
{
    const uint32_t own = signs->rows[z][y], along = (own ^ own >> 1) & (UINT16_MAX >> 1);
    uint32_t cut = along | along << 1;
    if (y > 0) cut |= own ^ signs->rows[z][y - 1];
    if (y < CHUNK - 1) cut |= own ^ signs->rows[z][y + 1];
    if (z > 0) cut |= own ^ signs->rows[z - 1][y];
    if (z < CHUNK - 1) cut |= own ^ signs->rows[z + 1][y];
    return cut;
}

// Sums some clusters of a group in full, a bit each.
static void complete_group(const surface_job *job, surface_worker *worker, const int group[3], uint32_t clusters,
                           float *values)
{
    int low[3] = {CLUSTERS, CLUSTERS, CLUSTERS}, high[3] = {0, 0, 0};
    for (uint32_t left = clusters; left; left &= left - 1)
        for (int k = 0; k < 3; ++k) {
            const int at = GROUP * group[k] + (int)(mote_lowest_bit(left) >> k & 1);
            low[k] = MOTE_MIN(low[k], CLUSTER * at);
            high[k] = MOTE_MAX(high[k], CLUSTER * at + CLUSTER - 1);
        }
    const uint32_t listed = mote_surface_list_block(job, worker, low, high, job->scale->reach, false);
    for (uint32_t left = clusters; left; left &= left - 1) {
        int cluster[3];
        for (int k = 0; k < 3; ++k) cluster[k] = GROUP * group[k] + (int)(mote_lowest_bit(left) >> k & 1);
        surface_targets targets;
        float own[TARGETS];
        mote_surface_set_targets(job->scale, cluster, &targets);
        sum_cluster(job, worker, listed, &targets, true, own);
        for (int t = 0; t < TARGETS; ++t) {
            const int x = CLUSTER * cluster[0] + (t & 1), y = CLUSTER * cluster[1] + (t >> 1 & 1);
            values[((CLUSTER * cluster[2] + (t >> 2)) * CHUNK + y) * CHUNK + x] = own[t];
        }
    }
}

// Sums the clusters with cut edges within the chunk whose values are not known, while its particles are at hand.
// @param[out] has_cuts  whether a group has such edges
static void complete_within(const surface_job *job, surface_worker *worker, const surface_signs *signs, float *values,
                            bool has_cuts[GROUPS][GROUPS][GROUPS])
{
    uint8_t clusters[GROUPS][GROUPS][GROUPS] = {{{0}}};
    memset(has_cuts, 0, sizeof(bool[GROUPS][GROUPS][GROUPS]));
    for (int z = 0; z < CHUNK; ++z)
        for (int y = 0; y < CHUNK; ++y)
            for (uint32_t left = cut_within(signs, z, y); left; left &= left - 1) {
                const int x = (int)mote_lowest_bit(left);
                has_cuts[z / EDGE][y / EDGE][x / EDGE] = true;
                if (isfinite(values[(z * CHUNK + y) * CHUNK + x])) continue;
                const int bit = x / CLUSTER % 2 + y / CLUSTER % 2 * 2 + z / CLUSTER % 2 * 4;
                clusters[z / EDGE][y / EDGE][x / EDGE] |= (uint8_t)(1u << bit);
            }
    for (int z = 0; z < GROUPS; ++z)
        for (int y = 0; y < GROUPS; ++y)
            for (int x = 0; x < GROUPS; ++x)
                if (clusters[z][y][x]) complete_group(job, worker, (const int[3]){x, y, z}, clusters[z][y][x], values);
}

// Keeps the values of blocks with cut edges.
static void keep_blocks(surface_grid *grid, surface_chunk *chunk, const float *values,
                        bool has_cuts[GROUPS][GROUPS][GROUPS])
{
    const int b = grid->block, n = grid->blocks, groups = b / EDGE;
    for (int block = 0; block < n * n * n; ++block) {
        const int first[3] = {block % n * b, block / n % n * b, block / (n * n) * b};
        bool is_cut = false;
        for (int k = 0; k < groups * groups * groups; ++k)
            is_cut |= has_cuts[first[2] / EDGE + k / (groups * groups)][first[1] / EDGE + k / groups % groups]
                              [first[0] / EDGE + k % groups];
        if (!is_cut) continue;
        mote_surface_open_block(grid, chunk, block);
        float *to = mote_surface_value(grid, chunk, first[0], first[1], first[2]);
        for (int z = first[2]; z < first[2] + b; ++z)
            for (int y = first[1]; y < first[1] + b; ++y, to += b)
                memcpy(to, values + (z * CHUNK + y) * CHUNK + first[0], (size_t)b * sizeof *values);
    }
}

static void find_signs(void *data, size_t begin, size_t end, uint32_t worker_number)
{
    surface_job *job = data;
    surface_worker *worker = job->workers + worker_number;
    for (size_t c = begin; c < end; ++c) {
        surface_chunk *chunk = job->grid->chunks + job->first + c;
        if (!mote_surface_gather_for(job, chunk, worker)) return;
        if (worker->window.count == 0) continue;
        float values[CHUNK_NODES];
        surface_signs signs;
        evaluate_nodes(job, worker, values, &signs);
        cut_signs(job, chunk, &signs);
        uint32_t all = UINT16_MAX, any = 0;
        for (int r = 0; r < CHUNK * CHUNK; ++r) {
            all &= signs.rows[r / CHUNK][r % CHUNK];
            any |= signs.rows[r / CHUNK][r % CHUNK];
        }
        chunk->signs = any == 0 ? ALL_OUTSIDE : all == UINT16_MAX ? ALL_INSIDE : 0;
        if (chunk->signs != 0) continue;
        chunk->signs = (int32_t)atomic_fetch_add(&job->grid->sign_sets, 1u);
        job->grid->signs[chunk->signs] = signs;
        bool has_cuts[GROUPS][GROUPS][GROUPS];
        complete_within(job, worker, &signs, values, has_cuts);
        keep_blocks(job->grid, chunk, values, has_cuts);
    }
}

// --------------------------------------------------------------------------------------------------- second pass

bool mote_surface_rows(const surface_grid *grid, const surface_chunk *chunk, surface_rows *rows)
{
    bool has_inside = false, has_outside = false;
    const surface_chunk *around[27];
    if (chunk->is_alike) return false;
    mote_surface_find_around(grid, chunk, around);
    for (int k = 0; k < 27; ++k) {
        has_inside |= around[k] && around[k]->signs != ALL_OUTSIDE;
        has_outside |= !around[k] || around[k]->signs != ALL_INSIDE;
    }
    if (!has_inside || !has_outside) return false;
    static const uint32_t from[3] = {CHUNK - 1, 0, 0}, to[3] = {0, 1, CHUNK + 1}, length[3] = {1, CHUNK, 1};
    memset(rows, 0, sizeof *rows);
    for (int k = 0; k < 27; ++k) {
        if (!around[k] || around[k]->signs == ALL_OUTSIDE) continue;
        const surface_signs *signs = around[k]->signs == ALL_INSIDE ? NULL : grid->signs + around[k]->signs;
        const int a = k % 3, b = k / 3 % 3, c = k / 9;
        const uint32_t mask = (1u << length[a]) - 1;
        for (uint32_t z = 0; z < length[c]; ++z)
            for (uint32_t y = 0; y < length[b]; ++y) {
                const uint32_t row = signs ? signs->rows[from[c] + z][from[b] + y] : UINT16_MAX;
                rows->at[to[c] + z][to[b] + y] |= (row >> from[a] & mask) << to[a];
            }
    }
    return true;
}

// The nodes of a row that have a cut edge to a node of another chunk.
static uint32_t cut_across(const surface_rows *rows, int z, int y)
{
    const uint32_t own = rows->at[z + 1][y + 1];
    uint32_t cut = ((own ^ own << 1) & 2u) | ((own ^ own >> 1) & 1u << CHUNK);
    if (y == 0) cut |= own ^ rows->at[z + 1][y];
    if (y == CHUNK - 1) cut |= own ^ rows->at[z + 1][y + 2];
    if (z == 0) cut |= own ^ rows->at[z][y + 1];
    if (z == CHUNK - 1) cut |= own ^ rows->at[z + 2][y + 1];
    return cut >> 1 & UINT16_MAX;
}

static bool is_known(const surface_grid *grid, const surface_chunk *chunk, const int at[3])
{
    const float *value = mote_surface_value(grid, chunk, at[0], at[1], at[2]);
    return value && isfinite(*value);
}

static bool complete_cluster(surface_job *job, surface_chunk *chunk, surface_worker *worker, const int cluster[3])
{
    surface_grid *grid = job->grid;
    const int b = grid->block, n = grid->blocks;
    int first[3];
    for (int k = 0; k < 3; ++k) first[k] = CLUSTER * cluster[k];
    mote_surface_open_block(grid, chunk, (first[2] / b * n + first[1] / b) * n + first[0] / b);
    surface_targets targets;
    float values[TARGETS];
    mote_surface_set_targets(job->scale, cluster, &targets);
    const int last[3] = {first[0] + CLUSTER - 1, first[1] + CLUSTER - 1, first[2] + CLUSTER - 1};
    const uint32_t listed = mote_surface_list_block(job, worker, first, last, job->scale->reach, false);
    sum_cluster(job, worker, listed, &targets, true, values);
    for (int t = 0; t < TARGETS; ++t)
        *mote_surface_value(grid, chunk, first[0] + (t & 1), first[1] + (t >> 1 & 1), first[2] + (t >> 2)) = values[t];
    return true;
}

// Sums the clusters with cut edges to other chunks whose values are not known.
static void complete_values(void *data, size_t begin, size_t end, uint32_t worker_number)
{
    surface_job *job = data;
    surface_worker *worker = job->workers + worker_number;
    for (size_t c = begin; c < end; ++c) {
        surface_chunk *chunk = job->grid->chunks + job->first + c;
        surface_rows rows;
        if (!mote_surface_rows(job->grid, chunk, &rows)) {
            chunk->is_alike = true;
            continue;
        }
        bool is_gathered = false;
        for (int z = 0; z < CHUNK; ++z)
            for (int y = 0; y < CHUNK; ++y)
                for (uint32_t left = cut_across(&rows, z, y); left; left &= left - 1) {
                    const int at[3] = {(int)mote_lowest_bit(left), y, z};
                    if (is_known(job->grid, chunk, at)) continue;
                    if (!is_gathered && !mote_surface_gather_for(job, chunk, worker)) return;
                    is_gathered = true;
                    complete_cluster(job, chunk, worker, (const int[3]){at[0] / CLUSTER, y / CLUSTER, z / CLUSTER});
                }
    }
}

static mote_result run_batches(surface_job *job, mote_range_task *task)
{
    for (size_t first = 0; first < job->grid->chunk_count; first += BATCH) {
        const size_t count = MOTE_MIN(job->grid->chunk_count - first, (size_t)BATCH);
        const mote_result result = mote_surface_grid_reserve(job->context, job->grid, count);
        if (result != MOTE_OK) return result;
        job->first = first;
        mote_parallel_for(job->context, count, 1, task, job);
        if (atomic_load(&job->out_of_memory)) return MOTE_ERROR_OUT_OF_MEMORY;
    }
    return MOTE_OK;
}

mote_result mote_surface_evaluate(surface_job *job)
{
    surface_grid *grid = job->grid;
    atomic_store(&grid->value_blocks, 0u);
    atomic_store(&grid->slot_sets, 0u);
    atomic_store(&grid->sign_sets, 0u);
    job->skips_numbers = !job->forms;
    mote_result result = run_batches(job, find_signs);
    if (result == MOTE_OK) result = run_batches(job, complete_values);
    job->skips_numbers = false;
    return result;
}
