// Blocks of fluid: particles on a lattice of the spacing, from the block's lowest corner on, half a spacing inside.

#include <math.h>

#include "base/vector.h"
#include "simulation/internal.h"

static const double slack = 1e-6;  // of a spacing: what rounding may add to or take from a block's edge

typedef struct lattice {
    mote_vec3 first;
    double n[3];      // particles along each axis
    mote_box extent;  // the cells of all particles: what the block really fills
} lattice;

static lattice lattice_of(const mote_block_def *block, double d, int dimensions)
{
    lattice made;
    mote_vec3 size = mote_vec3_sub(block->max, block->min);
    made.n[0] = floor(size.x / d + slack);
    made.n[1] = dimensions == 2 ? 1 : floor(size.y / d + slack);
    made.n[2] = floor(size.z / d + slack);
    made.extent.min = block->min;
    if (dimensions == 2) made.extent.min.y = -0.5 * d;
    made.first = mote_vec3_add(made.extent.min, mote_vec3_make(0.5 * d, 0.5 * d, 0.5 * d));
    made.extent.max = mote_vec3_add(made.extent.min, mote_vec3_make(made.n[0] * d, made.n[1] * d, made.n[2] * d));
    return made;
}

static bool boxes_overlap(mote_box a, mote_box b, double margin)
{
    return a.min.x < b.max.x - margin && b.min.x < a.max.x - margin && a.min.y < b.max.y - margin &&
           b.min.y < a.max.y - margin && a.min.z < b.max.z - margin && b.min.z < a.max.z - margin;
}

static mote_result check_block(const mote_simulation_def *def, size_t k, lattice *made, mote_error *error)
{
    const mote_block_def *block = &def->blocks[k];
    double d = def->fluid.spacing;
    int dimensions = def->fluid.dimensions;
    mote_result result = mote_fields_check(mote_block_fields(), block, error);
    if (result != MOTE_OK) return result;
    *made = lattice_of(block, d, dimensions);
    if (!(made->n[0] >= 1 && made->n[1] >= 1 && made->n[2] >= 1))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, k,
                         "blocks[%zu]: from (%g, %g, %g) to (%g, %g, %g), expected at least "
                         "one spacing of %g each way",
                         k, block->min.x, block->min.y, block->min.z, block->max.x, block->max.y, block->max.z, d);
    if (dimensions == 2 && block->velocity.y != 0)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, k, "blocks[%zu]: velocity has y = %g in 2D, expected 0", k,
                         block->velocity.y);
    mote_box shrunk = mote_box_grow(made->extent, -slack * d);
    if (def->has_tank && !(mote_tank_contains(&def->tank, dimensions, shrunk.min) &&
                           mote_tank_contains(&def->tank, dimensions, shrunk.max)))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, k,
                         "blocks[%zu]: from (%g, %g, %g) to (%g, %g, %g), expected a block "
                         "inside the tank",
                         k, block->min.x, block->min.y, block->min.z, block->max.x, block->max.y, block->max.z);
    return MOTE_OK;
}

mote_result mote_blocks_check(const mote_simulation_def *def, mote_error *error)
{
    double total = 0, margin = slack * def->fluid.spacing;
    for (size_t k = 0; k < def->block_count; ++k) {
        lattice made;
        mote_result result = check_block(def, k, &made, error);
        if (result != MOTE_OK) return result;
        total += made.n[0] * made.n[1] * made.n[2];
        for (size_t j = 0; j < k; ++j) {
            lattice other = lattice_of(&def->blocks[j], def->fluid.spacing, def->fluid.dimensions);
            if (boxes_overlap(made.extent, other.extent, margin))
                return mote_fail(error, MOTE_ERROR_ARGUMENT, k,
                                 "blocks[%zu]: overlaps blocks[%zu], expected blocks that at most touch", k, j);
        }
    }
    if (total > (double)(UINT32_MAX - 2))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "blocks: %.0f particles, expected at most 2^32 - 2", total);
    return MOTE_OK;
}

static mote_result fill_block(const mote_simulation *simulation, const mote_block_def *block, mote_buffer *memory,
                              mote_error *error)
{
    lattice made = lattice_of(block, simulation->spacing, simulation->dimensions);
    size_t nx = (size_t)made.n[0], ny = (size_t)made.n[1], nz = (size_t)made.n[2], count = nx * ny * nz;
    mote_result result = mote_buffer_reserve(simulation->context, memory, mote_bytes(count, 6 * sizeof(double)), 0);
    if (result != MOTE_OK)
        return mote_fail(error, result, 0, "simulation: no memory for a block of %zu particles", count);
    double *position = memory->data, *velocity = position + 3 * count, d = simulation->spacing;
    size_t i = 0;
    for (size_t iz = 0; iz < nz; ++iz)
        for (size_t iy = 0; iy < ny; ++iy)
            for (size_t ix = 0; ix < nx; ++ix, i += 3) {
                position[i] = made.first.x + (double)ix * d;
                position[i + 1] = made.first.y + (double)iy * d;
                position[i + 2] = made.first.z + (double)iz * d;
                velocity[i] = block->velocity.x;
                velocity[i + 1] = block->velocity.y;
                velocity[i + 2] = block->velocity.z;
            }
    result = mote_fluid_add(simulation->fluid, position, velocity, count);
    if (result != MOTE_OK && error) *error = *mote_fluid_error(simulation->fluid);
    return result;
}

mote_result mote_blocks_fill(const mote_simulation *simulation, const mote_simulation_def *def, mote_error *error)
{
    mote_buffer memory = {0};
    mote_result result = MOTE_OK;
    for (size_t k = 0; result == MOTE_OK && k < def->block_count; ++k)
        result = fill_block(simulation, &def->blocks[k], &memory, error);
    mote_buffer_release(simulation->context, &memory);
    return result;
}

// Particles that carry their density start with the pressure of the water above them in their block: the column would
// otherwise fall into itself and ring with sound for long. `up` is against gravity.
static double depth_in_blocks(const mote_simulation *simulation, const mote_simulation_def *def, mote_vec3 p,
                              mote_vec3 up)
{
    for (size_t k = 0; k < def->block_count; ++k) {
        lattice made = lattice_of(&def->blocks[k], simulation->spacing, simulation->dimensions);
        if (!mote_box_contains(made.extent, p)) continue;
        mote_vec3 corner = {up.x > 0 ? made.extent.max.x : made.extent.min.x,
                            up.y > 0 ? made.extent.max.y : made.extent.min.y,
                            up.z > 0 ? made.extent.max.z : made.extent.min.z};
        return mote_vec3_dot(mote_vec3_sub(corner, p), up);
    }
    return 0;
}

mote_result mote_blocks_set_pressures(const mote_simulation *simulation, const mote_simulation_def *def,
                                      mote_error *error)
{
    double g = mote_vec3_length(def->fluid.gravity);
    mote_fluid_view view;
    mote_result result = mote_fluid_get_view(simulation->fluid, &view);
    size_t bytes = result == MOTE_OK ? mote_bytes(view.count, sizeof(double)) : 0;
    double *pressures = mote_allocate(simulation->context, bytes);
    if (result == MOTE_OK && !pressures && bytes) result = MOTE_ERROR_OUT_OF_MEMORY;
    if (result == MOTE_OK) {
        mote_vec3 up = g > 0 ? mote_vec3_scale(def->fluid.gravity, -1 / g) : mote_vec3_make(0, 0, 0);
        for (size_t i = 0; i < view.count; ++i) {
            mote_vec3 p = {view.x[i], view.y[i], view.z[i]};
            pressures[i] = def->fluid.rest_density * g * MOTE_MAX(depth_in_blocks(simulation, def, p, up), 0);
        }
        result = mote_fluid_set_pressures(simulation->fluid, pressures);
    }
    mote_release(simulation->context, pressures, bytes);
    if (result != MOTE_OK)
        mote_fail(error, result, 0, "simulation: pressures at the start: %s", mote_result_text(result));
    return result;
}
