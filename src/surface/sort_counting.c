// SPDX-License-Identifier: MIT
// Particles sorted by counting: first by chunk, then those of each chunk by subcell. Threads put particles into chunks
// in any order; in the end those of a subcell are in the order of their coordinates.
//
// Whoever has searched for neighbours has sorted the particles already (Ahmad): in the order of the search's cells,
// which are as wide as a few subcells, particles of the same chunk come many at a time, so that both passes touch
// memory in stretches.

#include <string.h>

#include "surface/sort.h"

enum {
    MOST_SUBCELLS = CHUNK_NODES / 8,  // they are cubes of 2³ nodes or more
    CHUNKS_A_PARTICLE = 2,            // with a larger table, a radix sort takes less
    CHUNKS_AT_LEAST = 4096,
    BATCH = 256
};

typedef struct chunk_record {
    float at[3];
    uint32_t index;
} chunk_record;

typedef struct count_task {
    const sort_task *sort;
    const surface_lanes *lanes;
    uint32_t *chunk_of;     // the chunk of each particle, by its number in the box
    chunk_record *records;  // by chunk
    atomic_uint *next;      // of each chunk of the box: how many it has, then where its next one is put
} count_task;

size_t mote_surface_count_bytes(const sort_task *task)
{
    const double most = (double)task->sort->count * CHUNKS_A_PARTICLE + CHUNKS_AT_LEAST;
    if ((double)task->size[0] * (double)task->size[1] * (double)task->size[2] > MOTE_MIN(most, 0x1p31)) return 0;
    return (size_t)(task->size[0] * task->size[1] * task->size[2]) * sizeof(atomic_uint);
}

// Counts the particles of each chunk, those that follow each other in the same one together.
static void count_chunks(const count_task *task, const uint32_t *numbers, size_t count)
{
    for (size_t k = 0, end = 0; k < count; k = end) {
        while (end < count && numbers[end] == numbers[k]) ++end;
        atomic_fetch_add_explicit(&task->next[numbers[k]], (unsigned)(end - k), memory_order_relaxed);
    }
}

// Finds chunks and coordinates.
static void locate(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const count_task *task = data;
    const sort_task *sort = task->sort;
    double at[3][BATCH] = {{0}};
    uint32_t chunks[3][BATCH];
    for (size_t first = begin; first < end; first += BATCH) {
        const size_t count = MOTE_MIN(end - first, (size_t)BATCH);
        for (size_t p = 0; p < count; ++p) {
            double point[3];
            mote_surface_get_point(sort->sets, first + p, point);
            for (int k = 0; k < 3; ++k) at[k][p] = point[k];
        }
        for (int k = 0; k < 3; ++k)
            task->lanes->locate(sort->scale, at[k], count, chunks[k], sort->sort->at[k] + first);
        uint32_t *numbers = task->chunk_of + first;
        for (size_t p = 0; p < count; ++p) {
            int64_t number = 0;
            for (int k = 2; k >= 0; --k) number = number * sort->size[k] + ((int32_t)chunks[k][p] - sort->first[k]);
            numbers[p] = (uint32_t)number;
        }
        count_chunks(task, numbers, count);
    }
}

// Lists the chunks that have particles, and says where those of each begin.
static mote_result list_occupied(const mote_context *context, const count_task *task)
{
    const sort_task *sort = task->sort;
    surface_sort *sorted = sort->sort;
    uint32_t count = 0, begin = 0;
    const int64_t *size = sort->size;
    for (int64_t c = 0; c < size[0] * size[1] * size[2]; ++c)
        count += atomic_load_explicit(&task->next[c], memory_order_relaxed) > 0;
    const mote_result result =
        mote_buffer_reserve(context, &sorted->chunk_memory, mote_bytes(count, sizeof *sorted->chunks), 0);
    if (result != MOTE_OK) return result;
    sorted->chunks = sorted->chunk_memory.data;
    sorted->chunk_count = 0;
    atomic_uint *next = task->next;
    for (int64_t z = 0; z < size[2]; ++z)
        for (int64_t y = 0; y < size[1]; ++y)
            for (int64_t x = 0; x < size[0]; ++x, ++next) {
                const uint32_t own = atomic_load_explicit(next, memory_order_relaxed);
                if (own == 0) continue;
                atomic_store_explicit(next, begin, memory_order_relaxed);
                sorted->chunks[sorted->chunk_count++] = (surface_chunk){
                    .at = {(int32_t)(sort->first[0] + x), (int32_t)(sort->first[1] + y), (int32_t)(sort->first[2] + z)},
                    .starts = NONE,
                    .begin = begin,
                    .end = begin + own};
                begin += own;
            }
    MOTE_ASSERT(begin == sorted->count);
    return MOTE_OK;
}

// Moves particles to their chunks, those that follow each other in the same one together.
static void spread(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const count_task *task = data;
    const surface_sort *sort = task->sort->sort;
    const uint32_t *numbers = task->sort->numbers;
    const size_t numbered = numbers ? task->sort->sets[0].count : 0;
    for (size_t p = begin, run = begin; p < end; p = run) {
        const uint32_t chunk = task->chunk_of[p];
        while (run < end && task->chunk_of[run] == chunk) ++run;
        chunk_record *to =
            task->records + atomic_fetch_add_explicit(&task->next[chunk], (unsigned)(run - p), memory_order_relaxed);
        for (size_t from = p; from < run; ++from)
            *to++ = (chunk_record){{sort->at[0][from], sort->at[1][from], sort->at[2][from]},
                                   from < numbered ? numbers[from] : (uint32_t)from};
    }
}

static uint32_t subcell_of(const sort_task *task, const chunk_record *record)
{
    uint32_t subcell = 0;
    for (int k = 2; k >= 0; --k)
        subcell = subcell << task->subcell_bits | (uint32_t)(record->at[k] * task->scale->inverse_subcell);
    return subcell;
}

// Puts the particles of a chunk into the order of subcells and coordinates.
static void arrange_chunk(const count_task *task, const surface_chunk *chunk)
{
    const sort_task *own = task->sort;
    surface_sort *sort = own->sort;
    const uint32_t count = 1u << 3 * own->subcell_bits;
    uint32_t ends[MOST_SUBCELLS + 1], *starts = NULL;
    memset(ends, 0, (count + 1) * sizeof *ends);
    for (uint32_t i = chunk->begin; i < chunk->end; ++i) ++ends[subcell_of(own, task->records + i) + 1];
    ends[0] = chunk->begin;
    for (uint32_t s = 0; s < count; ++s) ends[s + 1] += ends[s];
    if (chunk->starts != NONE) {
        starts = sort->starts + (size_t)chunk->starts * (count + 1);
        memcpy(starts, ends, (count + 1) * sizeof *starts);
    }
    for (uint32_t i = chunk->begin; i < chunk->end; ++i) {
        const chunk_record *record = task->records + i;
        const uint32_t subcell = subcell_of(own, record), to = ends[subcell]++;
        for (int k = 0; k < 3; ++k) sort->at[k][to] = record->at[k];
        sort->index[to] = record->index;
        sort->subcell[to] = (uint16_t)subcell;
    }
    for (uint32_t s = 0, begin = chunk->begin; s < count; begin = ends[s++])
        if (ends[s] - begin > 1) mote_surface_order_subcell(sort, begin, ends[s]);
}

static void arrange(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const count_task *task = data;
    for (size_t c = begin; c < end; ++c) arrange_chunk(task, task->sort->sort->chunks + c);
}

mote_result mote_surface_sort_by_counting(const mote_context *context, const sort_task *task)
{
    surface_sort *sort = task->sort;
    const size_t n = sort->count, chunks = mote_surface_count_bytes(task) / sizeof(atomic_uint);
    count_task own = {.sort = task, .lanes = mote_surface_lanes_choose(context), .records = sort->key_memory->data};
    own.next = (atomic_uint *)(void *)(own.records + n);
    own.chunk_of = sort->index + n;  // where subcells are put in the end
    for (size_t c = 0; c < chunks; ++c) atomic_init(&own.next[c], 0);
    mote_parallel_for(context, n, SORT_BLOCK, locate, &own);
    mote_result result = list_occupied(context, &own);
    if (result == MOTE_OK) result = mote_surface_reserve_starts(context, sort, task->scale);
    if (result != MOTE_OK) return result;
    mote_parallel_for(context, n, SORT_BLOCK, spread, &own);
    mote_parallel_for(context, sort->chunk_count, 16, arrange, &own);
    return MOTE_OK;
}
