// SPDX-License-Identifier: MIT
// Blocks of fluid: particles on a lattice with the spacing of the fluid. The first one is half a spacing inside the
// block's lowest corner. Between two sides of the tank the lattice is stretched to fit.

#include <math.h>

#include "base/vector.h"
#include "mote/broadphase.h"
#include "simulation/internal.h"

static const double slack = 1e-6;  // of a spacing: what rounding may add to or take from a block's edge

typedef struct lattice {
    mote_vec3 first;
    double n[3];      // particles along each axis
    double pitch[3];  // distance from one particle to the next
    mote_box extent;  // the cells of all particles: the volume that the block really fills
} lattice;

// Whether a block reaches from one closed side of the tank to the other.
static bool spans(const mote_block_def *block, const mote_tank_def *tank, int axis, double margin)
{
    const double low[3] = {block->min.x - tank->min.x, block->min.y - tank->min.y, block->min.z - tank->min.z};
    const double high[3] = {tank->max.x - block->max.x, tank->max.y - block->max.y, tank->max.z - block->max.z};
    const bool open[3] = {tank->open_x_min || tank->open_x_max, tank->open_y_min || tank->open_y_max,
                          tank->open_z_min || tank->open_z_max};
    return !open[axis] && fabs(low[axis]) <= margin && fabs(high[axis]) <= margin;
}

// Between two sides of the tank the pitch is that of the wall particles: a gap at a side would be filled at once,
// and would keep the water moving for a long time. The pitch along the other axes compensates for it, so that a cell
// has the volume d^D; if there is no other axis, nothing is stretched.
static void find_pitches(const mote_simulation_def *def, const mote_block_def *block, lattice *made)
{
    const double d = def->fluid.spacing;
    const bool flat = def->fluid.dimensions == 2;
    const double size[3] = {block->max.x - block->min.x, flat ? d : block->max.y - block->min.y,
                            block->max.z - block->min.z};
    bool free[3];
    int free_count = 0;
    for (int k = 0; k < 3; ++k) {
        made->pitch[k] = d;
        made->n[k] = floor(size[k] / d + slack);
        free[k] = !(flat && k == 1) && !(def->has_tank && spans(block, &def->tank, k, slack * d));
        free_count += free[k];
    }
    double volume = 1;  // of a cell, in units of d^D, after stretching between sides
    for (int k = 0; k < 3 && free_count > 0; ++k) {
        if (free[k] || !(made->n[k] >= 1) || fabs(made->n[k] * d - size[k]) <= slack * d) continue;
        made->n[k] = floor(size[k] / d + 0.5);
        made->pitch[k] = size[k] / made->n[k];
        volume *= made->pitch[k] / d;
    }
    for (int k = 0; k < 3 && volume != 1; ++k) {
        if (!free[k] || !(made->n[k] >= 1)) continue;
        made->pitch[k] = MOTE_MIN(d / (free_count == 1 ? volume : sqrt(volume)), size[k]);
        made->n[k] = floor(size[k] / made->pitch[k] + slack);
    }
}

static lattice lattice_of(const mote_simulation_def *def, size_t k)
{
    const mote_block_def *block = &def->blocks[k];
    lattice made;
    find_pitches(def, block, &made);
    const double *n = made.n, *pitch = made.pitch;
    made.extent.min = block->min;
    if (def->fluid.dimensions == 2) made.extent.min.y = -0.5 * def->fluid.spacing;
    made.first = mote_vec3_add(made.extent.min, mote_vec3_make(0.5 * pitch[0], 0.5 * pitch[1], 0.5 * pitch[2]));
    made.extent.max =
        mote_vec3_add(made.extent.min, mote_vec3_make(n[0] * pitch[0], n[1] * pitch[1], n[2] * pitch[2]));
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
    *made = lattice_of(def, k);
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

// A search for the first block before k that overlaps it.
typedef struct overlap_search {
    const mote_simulation_def *def;
    size_t k, first;
    mote_box extent;
} overlap_search;

static bool see_block(void *user_data, uint32_t id)
{
    overlap_search *search = user_data;
    if (id < search->k && id < search->first &&
        boxes_overlap(search->extent, lattice_of(search->def, id).extent, slack * search->def->fluid.spacing))
        search->first = id;
    return true;
}

// The float bounds around a box of doubles; they are rounded to nearest, which may cut off half a float's step.
static mote_bounds bounds_of(mote_box box)
{
    const double low[3] = {box.min.x, box.min.y, box.min.z}, high[3] = {box.max.x, box.max.y, box.max.z};
    mote_bounds bounds;
    for (int k = 0; k < 3; ++k) {
        bounds.min[k] = nextafterf((float)fmax(low[k], -1e38), -INFINITY);
        bounds.max[k] = nextafterf((float)fmin(high[k], 1e38), INFINITY);
    }
    return bounds;
}

// Checks that blocks do not overlap; they may touch. The broad phase lists the pairs that might overlap.
static mote_result check_overlaps(mote_context *context, const mote_simulation_def *def, mote_error *error)
{
    mote_broadphase_def boxes = mote_broadphase_default_def();
    boxes.dimensions = 3;  // blocks of a plane are a spacing thick
    mote_broadphase *broad = NULL;
    mote_result result = mote_broadphase_create(context, &boxes, &broad, NULL);
    for (size_t k = 0; k < def->block_count && result == MOTE_OK; ++k) {
        const mote_bounds bounds = bounds_of(lattice_of(def, k).extent);
        uint32_t id;  // k
        result = mote_broadphase_add(broad, &bounds, MOTE_OBJECT_STATIC, mote_filter_all(), &id, error);
    }
    if (result == MOTE_OK) result = mote_broadphase_update(broad, error);
    for (size_t k = 1; k < def->block_count && result == MOTE_OK; ++k) {
        overlap_search search = {def, k, k, lattice_of(def, k).extent};
        const mote_bounds bounds = bounds_of(search.extent);
        result = mote_broadphase_query_box(broad, &bounds, mote_filter_all(), see_block, &search, error);
        if (result == MOTE_OK && search.first < k)
            result = mote_fail(error, MOTE_ERROR_ARGUMENT, k,
                               "blocks[%zu]: overlaps blocks[%zu], expected blocks that at most touch", k,
                               search.first);
    }
    if (result == MOTE_ERROR_OUT_OF_MEMORY)
        mote_fail(error, result, 0, "blocks: no memory to compare %zu of them", def->block_count);
    mote_broadphase_destroy(broad);
    return result;
}

double mote_blocks_depth(const mote_simulation_def *def)
{
    double g = mote_vec3_length(def->fluid.gravity);
    if (!(g > 0) || def->block_count == 0) return 0;
    mote_vec3 up = mote_vec3_scale(def->fluid.gravity, -1 / g);
    double top = -HUGE_VAL, bottom = HUGE_VAL;
    for (size_t k = 0; k < def->block_count; ++k)
        for (int corner = 0; corner < 8; ++corner) {
            const mote_block_def *block = &def->blocks[k];
            mote_vec3 p = {corner & 1 ? block->max.x : block->min.x, corner & 2 ? block->max.y : block->min.y,
                           corner & 4 ? block->max.z : block->min.z};
            if (def->fluid.dimensions == 2) p.y = 0;
            top = MOTE_MAX(top, mote_vec3_dot(p, up));
            bottom = MOTE_MIN(bottom, mote_vec3_dot(p, up));
        }
    // The tank's floor counts if gravity is along an axis and there is a wall on that side.
    const mote_tank_def *tank = &def->tank;
    if (def->has_tank) {
        if (up.z == 1 && !tank->open_z_min) bottom = MOTE_MIN(bottom, tank->min.z);
        if (up.z == -1 && !tank->open_z_max) bottom = MOTE_MIN(bottom, -tank->max.z);
        if (up.x == 1 && !tank->open_x_min) bottom = MOTE_MIN(bottom, tank->min.x);
        if (up.x == -1 && !tank->open_x_max) bottom = MOTE_MIN(bottom, -tank->max.x);
        if (up.y == 1 && !tank->open_y_min) bottom = MOTE_MIN(bottom, tank->min.y);
        if (up.y == -1 && !tank->open_y_max) bottom = MOTE_MIN(bottom, -tank->max.y);
    }
    return MOTE_MAX(top - bottom, 0);
}

double mote_blocks_count(const mote_simulation_def *def)
{
    double total = 0;
    for (size_t k = 0; k < def->block_count; ++k) {
        const lattice made = lattice_of(def, k);
        total += made.n[0] * made.n[1] * made.n[2];
    }
    return total;
}

mote_result mote_blocks_check(mote_context *context, const mote_simulation_def *def, mote_error *error)
{
    for (size_t k = 0; k < def->block_count; ++k) {
        lattice made;
        mote_result result = check_block(def, k, &made, error);
        if (result != MOTE_OK) return result;
    }
    const double total = mote_blocks_count(def);
    if (total > (double)(UINT32_MAX - 2))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "blocks: %.0f particles, expected at most 2^32 - 2", total);
    return def->block_count > 1 ? check_overlaps(context, def, error) : MOTE_OK;
}

static mote_result fill_block(mote_context *context, mote_fluid *fluid, const mote_simulation_def *def, size_t k,
                              mote_buffer *memory, mote_error *error)
{
    const mote_block_def *block = &def->blocks[k];
    lattice made = lattice_of(def, k);
    size_t nx = (size_t)made.n[0], ny = (size_t)made.n[1], nz = (size_t)made.n[2], count = nx * ny * nz;
    mote_result result = mote_buffer_reserve(context, memory, mote_bytes(count, 6 * sizeof(double)), 0);
    if (result != MOTE_OK)
        return mote_fail(error, result, 0, "simulation: no memory for a block of %zu particles", count);
    double *position = memory->data, *velocity = position + 3 * count;
    size_t i = 0;
    for (size_t iz = 0; iz < nz; ++iz)
        for (size_t iy = 0; iy < ny; ++iy)
            for (size_t ix = 0; ix < nx; ++ix, i += 3) {
                position[i] = made.first.x + (double)ix * made.pitch[0];
                position[i + 1] = made.first.y + (double)iy * made.pitch[1];
                position[i + 2] = made.first.z + (double)iz * made.pitch[2];
                velocity[i] = block->velocity.x;
                velocity[i + 1] = block->velocity.y;
                velocity[i + 2] = block->velocity.z;
            }
    return mote_fluid_add(fluid, position, velocity, count, error);
}

mote_result mote_blocks_fill(mote_context *context, mote_fluid *fluid, const mote_simulation_def *def,
                             mote_error *error)
{
    mote_buffer memory = {0};
    mote_result result = MOTE_OK;
    for (size_t k = 0; result == MOTE_OK && k < def->block_count; ++k)
        result = fill_block(context, fluid, def, k, &memory, error);
    mote_buffer_release(context, &memory);
    return result;
}

// Particles that carry their density start with the pressure of the water above them in their block: otherwise the
// column would collapse a little and oscillate with sound for a long time. `up` is against gravity.
static double depth_in(mote_box extent, mote_vec3 p, mote_vec3 up)
{
    mote_vec3 corner = {up.x > 0 ? extent.max.x : extent.min.x, up.y > 0 ? extent.max.y : extent.min.y,
                        up.z > 0 ? extent.max.z : extent.min.z};
    return mote_vec3_dot(mote_vec3_sub(corner, p), up);
}

// Finds the first id of each block's particles: ids are assigned block by block.
static void find_first_ids(const mote_simulation_def *def, uint64_t *first)
{
    uint64_t next = 0;
    for (size_t k = 0; k < def->block_count; ++k) {
        const lattice made = lattice_of(def, k);
        first[k] = next;
        next += (uint64_t)made.n[0] * (uint64_t)made.n[1] * (uint64_t)made.n[2];
    }
}

static size_t block_of(const uint64_t *first, size_t count, uint64_t id)
{
    size_t low = 0;
    for (size_t high = count; high - low > 1;) {
        const size_t middle = low + (high - low) / 2;
        if (first[middle] <= id) low = middle;
        else high = middle;
    }
    return low;
}

static void find_pressures(const mote_simulation_def *def, const mote_fluid_view *view, const uint64_t *first,
                           double *pressures)
{
    const double g = mote_vec3_length(def->fluid.gravity);
    const mote_vec3 up = g > 0 ? mote_vec3_scale(def->fluid.gravity, -1 / g) : mote_vec3_make(0, 0, 0);
    for (size_t i = 0; i < view->count; ++i) {
        const mote_vec3 p = {view->x[i], view->y[i], view->z[i]};
        const lattice made = lattice_of(def, block_of(first, def->block_count, view->id[i]));
        pressures[i] = def->fluid.rest_density * g * MOTE_MAX(depth_in(made.extent, p, up), 0);
    }
}

mote_result mote_blocks_set_pressures(mote_context *context, mote_fluid *fluid, const mote_simulation_def *def,
                                      mote_error *error)
{
    mote_fluid_view view;
    mote_result result = mote_fluid_get_view(fluid, &view, error);
    const size_t bytes = result == MOTE_OK ? mote_bytes(view.count, sizeof(double)) : 0;
    const size_t first_bytes = mote_bytes(def->block_count, sizeof(uint64_t));
    double *pressures = mote_allocate(context, bytes);
    uint64_t *first = mote_allocate(context, first_bytes);
    if (result == MOTE_OK && ((!pressures && bytes) || (!first && first_bytes))) result = MOTE_ERROR_OUT_OF_MEMORY;
    if (result == MOTE_OK) {
        find_first_ids(def, first);
        find_pressures(def, &view, first, pressures);
        result = mote_fluid_set_pressures(fluid, pressures, error);
    }
    mote_release(context, first, first_bytes);
    mote_release(context, pressures, bytes);
    if (result != MOTE_OK)
        mote_fail(error, result, 0, "simulation: pressures at the start: %s", mote_result_text(result));
    return result;
}
