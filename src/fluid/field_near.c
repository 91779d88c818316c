// SPDX-License-Identifier: MIT
// What fields do to the particles near them, looked up for all of these before the loops over neighbours: most
// particles are far from all bodies, which a bit tells. Two places of a particle are asked for: where it was in the
// middle of the last step, and where it is.
//
// Fields that move, that have images or no grid of their blocks are looked up where they are needed, one place at a
// time (mote_field_find), and so are all if there are many. Both have the same bits.

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "fluid/field_near.h"
#include "fluid/internal.h"
#include "fluid/wall_field.h"

enum { MOST_FIELDS = 4 };

typedef struct near_task {
    mote_fluid *fluid;
    const fluid_place *places, *half_places;
    field_still fields[MOST_FIELDS];
} near_task;

// False: lanes cannot look it up.
static bool make_still(const mote_fluid *fluid, const wall_field *field, field_still *still)
{
    if (field->size[0] == 0 || mote_fluid_motion_of(fluid, field->boundary)->moves) return false;
    const double *low = &field->reached.min.x, *high = &field->reached.max.x;
    const double *corner = &field->corner.x, *origin = &fluid->origin.x;
    *still = (field_still){.per_edge = field->per_edge, .grid = field->grid.data, .nodes = field->nodes.data,
                           .width = field->numbers, .is_flat = field->is_flat};
    still->of_block = field->numbers * (size_t)mote_field_nodes_of_block(field);
    memcpy(still->size, field->size, sizeof still->size);
    for (int k = 0; k < 3; ++k) {
        still->origin[k] = origin[k], still->corner[k] = corner[k];
        still->low[k] = low[k], still->high[k] = high[k];
        const double beyond = 1e-6 * (fabs(low[k]) + fabs(high[k]) + fabs(origin[k]));  // more than floats round
        still->near_low[k] = (float)(low[k] - origin[k] - beyond);
        still->near_high[k] = (float)(high[k] - origin[k] + beyond);
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
    for (uint32_t k = 0; k < task->fluid->field_count; ++k)
        for (int m = 0; m < 2; ++m) {
            const fluid_place *places = (m ? task->half_places : task->places) + begin;
            lanes->mark(&task->fields[k], places, whole, marks);
            for (size_t i = whole; i < count; ++i) {  // those left over, one by one
                uint32_t bit = 0;
                mote_field_lanes_plain.mark(&task->fields[k], places + i, 1, &bit);
                marks[i / 32] |= bit << i % 32;
            }
        }
}

// The particles of a block that are marked.
static size_t list_marked(const near_task *task, size_t begin, size_t end, uint32_t listed[FLUID_BLOCK])
{
    const uint32_t *marks = task->fluid->near_fields.marks.data;
    size_t count = 0;
    for (size_t w = begin / 32; w < (end + 31) / 32; ++w)
        for (uint32_t bits = marks[w]; bits != 0; bits &= bits - 1)
            listed[count++] = (uint32_t)(32 * w) + mote_lowest_bit(bits);
    return count;
}

static bool is_any(const float *values, size_t count)
{
    uint32_t any = 0;
    for (size_t k = 0; k < count; ++k) {
        uint32_t bits;
        memcpy(&bits, values + k, sizeof bits);
        any |= bits << 1;  // without the sign
    }
    return any != 0;
}

static void look_up_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const near_task *task = data;
    const field_lanes *lanes = task->fluid->field_lanes;
    const fluid_near_fields *near = &task->fluid->near_fields;
    const uint32_t fields = task->fluid->field_count;
    const size_t stride = (size_t)fields * FIELD_STRIDE;
    uint32_t listed[FLUID_BLOCK];
    uint16_t *numbers = near->numbers.data;
    const size_t count = list_marked(task, begin, end, listed), whole = count - count % lanes->width;
    float *values = (float *)near->values.data + ((const uint32_t *)near->firsts.data)[begin / FLUID_BLOCK] * stride;
    for (uint32_t k = 0; k < fields; ++k)
        for (int m = 0; m < FIELD_PLACES; ++m) {
            const fluid_place *places = m == FIELD_NOW ? task->places : task->half_places;
            float *to = values + k * FIELD_STRIDE + m * FIELD_VALUES;
            lanes->look(&task->fields[k], places, listed, whole, to, stride);
            mote_field_lanes_plain.look(&task->fields[k], places, listed + whole, count - whole, to + whole * stride,
                                        stride);
        }
    memset(numbers + begin, 0xff, (end - begin) * sizeof *numbers);  // FIELD_ACTS_NOT
    for (size_t k = 0; k < count; ++k)
        if (is_any(values + k * stride, stride)) numbers[listed[k]] = (uint16_t)k;
}

// How many marked particles are before each block.
static size_t count_marked(fluid_near_fields *near, size_t n)
{
    const uint32_t *marks = near->marks.data;
    uint32_t *firsts = near->firsts.data, total = 0;
    for (size_t w = 0; w < (n + 31) / 32; ++w) {
        if (w % (FLUID_BLOCK / 32) == 0) firsts[w / (FLUID_BLOCK / 32)] = total;
        total += mote_count_bits(marks[w]);
    }
    return total;
}

mote_result mote_field_look_up(mote_fluid *fluid, const fluid_place *places, const fluid_place *half_places)
{
    fluid_near_fields *near = &fluid->near_fields;
    near_task task = {.fluid = fluid, .places = places, .half_places = half_places};
    near->is_known = false;
    if (fluid->field_count == 0 || fluid->field_count > MOST_FIELDS || mote_fluid_is_periodic(fluid)) return MOTE_OK;
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
    result = mote_buffer_reserve(context, &near->values, mote_bytes(count_marked(near, n), of_particle), 0);
    if (result != MOTE_OK) return result;
    mote_parallel_for(context, n, FLUID_BLOCK, look_up_block, &task);
    near->is_known = true;
    return MOTE_OK;
}

size_t mote_field_near_bytes(const mote_fluid *fluid)
{
    const fluid_near_fields *near = &fluid->near_fields;
    return near->marks.bytes + near->firsts.bytes + near->numbers.bytes + near->values.bytes;
}
