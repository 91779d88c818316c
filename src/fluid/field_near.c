// SPDX-License-Identifier: MIT
// What fields do to the particles near them, looked up for all of these before the loops over neighbours: most
// particles are far from all bodies, which a bit tells. Two places of a particle are asked for: where it was in the
// middle of the last step, and where it is.
//
// Fields that move, that have images or no grid of their blocks are looked up where they are needed, one place at a
// time (mote_field_find), and so are all if there are many, as what is looked up takes 32 bytes of each field for each
// particle near any. Both have the same bits.

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "base/wide4.h"
#include "fluid/field_near.h"
#include "fluid/internal.h"
#include "fluid/wall_field.h"

// The sides of a tank are up to six. To look all up at once spares onderik, which has few neighbours, 16 % of the
// instructions of a step, but weak only 4 %, for a fifth of the memory that a particle takes.
enum { MOST_FIELDS = 6 };
static const uint32_t most_fields[] = {[MOTE_SOLVER_ONDERIK] = MOST_FIELDS, [MOTE_SOLVER_WEAK] = 4};

typedef struct near_task {
    mote_fluid *fluid;
    const fluid_place *places, *half_places;
    field_still fields[MOST_FIELDS];
} near_task;

// What octants of the field tell of a particle's present place holds for its other place, too, if that is within the
// edge of a cell; less what floats round. False: floats are too coarse.
static bool place_octants(const wall_field *field, field_still *still)
{
    const double cell = field->edge / FIELD_STEPS;
    double rounding = 0;
    for (int k = 0; k < 3; ++k) {
        const double corner = still->corner[k] - still->origin[k];
        const double farthest = fabs(corner) + field->edge * field->size[k];
        rounding = fmax(rounding, 1e-6 * farthest + 1e-12 * fabs(still->origin[k]));
        still->near_corner[k] = (float)corner;
        still->last_octant[k] = (float)(2 * field->size[k]) - 1;
    }
    still->octants = field->octants.data;
    still->octants_per_edge = (float)(2 / field->edge);
    for (int k = 0; k < 4 * MOTE_WIDE_MOST; ++k)
        still->farthest[k] = k % 4 == 3 ? INFINITY : (float)(cell - 4 * rounding);
    return rounding < cell / 16;
}

// False: lanes cannot look it up.
static bool make_still(const mote_fluid *fluid, const wall_field *field, field_still *still)
{
    if (field->size[0] == 0 || mote_fluid_motion_of(fluid, field->boundary)->moves) return false;
    const double *low = &field->reached.min.x, *high = &field->reached.max.x;
    const double *corner = &field->corner.x, *origin = &fluid->origin.x;
    *still = (field_still){.per_edge = field->per_edge, .grid = field->grid.data, .cells = field->cells.data,
                           .nodes = field->nodes.data, .width = field->numbers, .is_flat = field->is_flat};
    memcpy(still->size, field->size, sizeof still->size);
    for (int k = 0; k < 3; ++k) {
        still->origin[k] = origin[k], still->corner[k] = corner[k];
        still->low[k] = low[k], still->high[k] = high[k];
    }
    if (!place_octants(field, still)) return false;
    for (int k = 0; k < 3; ++k) {
        still->near_low[k] = (float)(low[k] - origin[k] - field->edge / FIELD_STEPS);
        still->near_high[k] = (float)(high[k] - origin[k] + field->edge / FIELD_STEPS);
    }
    return true;
}

static void mark_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const near_task *task = data;
    const field_lanes *lanes = task->fluid->field_lanes;
    uint32_t *marks = (uint32_t *)task->fluid->near_fields.marks.data + begin / 32;
    const size_t count = end - begin, whole = count - count % lanes->width;
    memset(marks, 0, (count + 31) / 32 * sizeof *marks);
    const fluid_place *places = task->places + begin, *half_places = task->half_places + begin;
    for (uint32_t k = 0; k < task->fluid->field_count; ++k) {
        lanes->mark(&task->fields[k], places, half_places, whole, marks);
        for (size_t i = whole; i < count; ++i) {  // those left over, one by one
            uint32_t bit = 0;
            mote_field_lanes_plain.mark(&task->fields[k], places + i, half_places + i, 1, &bit);
            marks[i / 32] |= bit << i % 32;
        }
    }
}

// As many as fill registers. What is found for those that fill up the last one has room, and nobody reads it.
static size_t round_up(size_t count, size_t width)
{
    return (count + width - 1) / width * width;
}

// The particles of a block that are marked; behind the last one it is repeated, to fill a register.
static size_t list_marked(const fluid_near_fields *near, size_t begin, size_t end, uint32_t listed[FLUID_BLOCK])
{
    const uint32_t *marks = near->marks.data;
    size_t count = 0;
    for (size_t w = begin / 32; w < (end + 31) / 32; ++w)
        for (uint32_t bits = marks[w]; bits != 0; bits &= bits - 1)
            listed[count++] = (uint32_t)(32 * w) + mote_lowest_bit(bits);
    for (size_t k = count; k % MOTE_WIDE_MOST != 0; ++k) listed[k] = listed[count - 1];
    return count;
}

// Of the marked particles of a block, keeps those on which a field acts, and numbers them.
static void keep_acting(const fluid_near_fields *near, size_t begin, size_t end, const uint32_t *listed,
                        const uint32_t acts[FLUID_BLOCK / 32], float *values, size_t stride)
{
    uint32_t *marks = near->marks.data, kept = 0;
    uint16_t *numbers = near->numbers.data;
    float *to = values;
    memset(marks + begin / 32, 0, (end - begin + 31) / 32 * sizeof *marks);
    memset(numbers + begin, 0xff, (end - begin) * sizeof *numbers);  // FIELD_ACTS_NOT
    for (uint32_t w = 0; w < FLUID_BLOCK / 32; ++w)
        for (uint32_t bits = acts[w]; bits != 0; bits &= bits - 1) {
            const uint32_t k = 32 * w + mote_lowest_bit(bits), i = listed[k];
            const float *from = values + k * stride;
            for (size_t c = 0; c < stride; c += FIELD_STRIDE, from += FIELD_STRIDE, to += FIELD_STRIDE) {
                const mote_f4 middle = f4_load(from + FIELD_MIDDLE * FIELD_VALUES);
                const mote_f4 now = f4_load(from + FIELD_NOW * FIELD_VALUES);
                f4_store(to + FIELD_MIDDLE * FIELD_VALUES, middle);
                f4_store(to + FIELD_NOW * FIELD_VALUES, now);
            }
            numbers[i] = (uint16_t)kept++;
            marks[i / 32] |= 1u << i % 32;
        }
}

static void look_up_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const near_task *task = data;
    const field_lanes *lanes = task->fluid->field_lanes;
    const fluid_near_fields *near = &task->fluid->near_fields;
    const uint32_t fields = task->fluid->field_count;
    const size_t stride = (size_t)fields * FIELD_STRIDE;
    uint32_t listed[FLUID_BLOCK], acts[FLUID_BLOCK / 32] = {0};
    const size_t count = list_marked(near, begin, end, listed), filled = round_up(count, lanes->width);
    float *values = (float *)near->values.data + ((const uint32_t *)near->firsts.data)[begin / FLUID_BLOCK] * stride;
    for (uint32_t k = 0; k < fields; ++k)
        for (int m = 0; m < FIELD_PLACES; ++m) {
            const fluid_place *places = m == FIELD_NOW ? task->places : task->half_places;
            float *to = values + k * FIELD_STRIDE + m * FIELD_VALUES;
            lanes->look(&task->fields[k], places, listed, filled, to, stride, acts);
        }
    if (count % 32 != 0) acts[count / 32] &= (1u << count % 32) - 1;
    keep_acting(near, begin, end, listed, acts, values, stride);
}

// How many values there are before each block: one of each marked particle of the blocks before it, each block rounded
// up to whole registers.
static size_t count_marked(fluid_near_fields *near, size_t n)
{
    const uint32_t *marks = near->marks.data;
    uint32_t *firsts = near->firsts.data, total = 0;
    for (size_t w = 0; w < (n + 31) / 32; ++w) {
        if (w % (FLUID_BLOCK / 32) == 0)
            firsts[w / (FLUID_BLOCK / 32)] = total = (uint32_t)round_up(total, MOTE_WIDE_MOST);
        if (marks[w] != 0) total += mote_count_bits(marks[w]);
    }
    return round_up(total, MOTE_WIDE_MOST);
}

mote_result mote_field_look_up(mote_fluid *fluid, const fluid_place *places, const fluid_place *half_places)
{
    fluid_near_fields *near = &fluid->near_fields;
    near_task task = {.fluid = fluid, .places = places, .half_places = half_places};
    near->is_known = false;
    if (fluid->field_count == 0 || fluid->field_count > most_fields[fluid->def.solver]) return MOTE_OK;
    if (mote_fluid_is_periodic(fluid)) return MOTE_OK;
    for (uint32_t k = 0; k < fluid->field_count; ++k)
        if (!make_still(fluid, (const wall_field *)fluid->fields.data + k, &task.fields[k])) return MOTE_OK;
    mote_context *context = fluid->context;
    const size_t n = fluid->particles.count, blocks = mote_block_count(n, FLUID_BLOCK);
    const size_t marks = mote_bytes(blocks, FLUID_BLOCK / 8), firsts = mote_bytes(blocks, sizeof(uint32_t));
    mote_result result = mote_buffer_reserve(context, &near->marks, marks, 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &near->firsts, firsts, 0);
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &near->numbers, mote_bytes(n, sizeof(uint16_t)), 0);
    if (result != MOTE_OK) return result;
    mote_parallel_for(context, n, FLUID_BLOCK, mark_block, &task);
    const size_t of_particle = (size_t)fluid->field_count * FIELD_STRIDE * sizeof(float);
    const size_t values = count_marked(near, n) + FIELD_AHEAD;
    result = mote_buffer_reserve(context, &near->values, mote_bytes(values, of_particle), 0);
    if (result != MOTE_OK) return result;
    mote_parallel_for(context, n, FLUID_BLOCK, look_up_block, &task);
    near->is_known = true;
    return MOTE_OK;
}

typedef struct push_task {
    const mote_fluid *fluid;
    const field_push *of;
} push_task;

static void push_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const push_task *task = data;
    const field_lanes *lanes = task->fluid->field_lanes;
    const fluid_near_fields *near = &task->fluid->near_fields;
    const size_t stride = (size_t)task->of->field_count * FIELD_STRIDE;
    uint32_t listed[FLUID_BLOCK];
    const size_t count = list_marked(near, begin, end, listed);
    float *values = (float *)near->values.data + ((const uint32_t *)near->firsts.data)[begin / FLUID_BLOCK] * stride;
    lanes->push(task->of, listed, round_up(count, lanes->width), values + FIELD_NOW * FIELD_VALUES, stride,
                values + FIELD_MIDDLE * FIELD_VALUES);
}

void mote_field_push_near(mote_fluid *fluid, const field_push *of)
{
    push_task task = {fluid, of};
    MOTE_ASSERT(fluid->near_fields.is_known);
    mote_parallel_for(fluid->context, fluid->particles.count, FLUID_BLOCK, push_block, &task);
}

size_t mote_field_near_bytes(const mote_fluid *fluid)
{
    const fluid_near_fields *near = &fluid->near_fields;
    return near->marks.bytes + near->firsts.bytes + near->numbers.bytes + near->values.bytes;
}
