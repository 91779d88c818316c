// SPDX-License-Identifier: MIT
// Whether blocks overlap. Boxes may touch, as their particles then are a spacing apart. Of other shapes no particle may
// lie inside another block, and none may come nearer than 0.75 spacings to another block's: where two lattices overlap
// in 2D, some particles always do. A broad phase lists the blocks that are near each other.

#include <math.h>

#include "base/vector.h"
#include "simulation/blocks.h"

static const double least_distance = 0.75;        // between particles of two blocks, in spacings
static const double least_within_points = 0.25;   // between points of one block: they are not on a lattice

// -------------------------------------------------------------------------------------- a particle against a lattice

typedef struct target {
    const mote_simulation_def *def;
    size_t block;
    block_lattice lattice;
} target;

static bool is_inside(const target *of, mote_vec3 p)
{
    const mote_block_def *block = &of->def->blocks[of->block];
    const double margin = -block_slack * of->def->fluid.spacing;
    double span[2];
    if (block->shape == MOTE_SHAPE_BOX) return mote_box_contains(mote_box_grow(of->lattice.extent, margin), p);
    return mote_shape_span(block, of->def->fluid.dimensions, margin, p.y, p.z, span) && span[0] <= p.x &&
           p.x <= span[1];
}

// The places along an axis of the lattice that may be nearest to a coordinate.
static block_row near_places(const block_lattice *lattice, int axis, double offset)
{
    const double nearest = floor(offset / lattice->pitch[axis] + 0.5), last = lattice->n[axis] - 1;
    if (!(nearest >= -1 && nearest <= last + 1)) return (block_row){0, 0};
    return (block_row){(size_t)fmax(nearest - 1, 0), (size_t)fmin(nearest + 1, last) + 1};
}

static bool is_near_particle(const target *of, mote_vec3 p)
{
    const block_lattice *lattice = &of->lattice;
    const mote_vec3 off = mote_vec3_sub(p, lattice->first);
    const block_row x = near_places(lattice, 0, off.x), y = near_places(lattice, 1, off.y);
    const block_row z = near_places(lattice, 2, off.z);
    const double least = least_distance * of->def->fluid.spacing;
    for (size_t iz = z.begin; iz < z.end; ++iz)
        for (size_t iy = y.begin; iy < y.end; ++iy) {
            const block_row row = mote_block_row(of->def, of->block, lattice, iy, iz);
            for (size_t ix = MOTE_MAX(x.begin, row.begin); ix < MOTE_MIN(x.end, row.end); ++ix) {
                const mote_vec3 away = {off.x - (double)ix * lattice->pitch[0], off.y - (double)iy * lattice->pitch[1],
                                        off.z - (double)iz * lattice->pitch[2]};
                if (mote_vec3_dot(away, away) < least * least) return true;
            }
        }
    return false;
}

// The places of a lattice's axis between two coordinates.
static block_row places_between(const block_lattice *lattice, int axis, double first, double low, double high)
{
    const double n = lattice->n[axis];
    const double begin = fmax(ceil((low - first) / lattice->pitch[axis]), 0);
    const double end = fmin(floor((high - first) / lattice->pitch[axis]) + 1, n);
    return begin < end ? (block_row){(size_t)begin, (size_t)end} : (block_row){0, 0};
}

// Whether a particle of a block is inside the target, or too near to one of its particles.
static bool meets(const mote_simulation_def *def, size_t k, const target *of, mote_vec3 *where)
{
    const mote_block_def *block = &def->blocks[k];
    const mote_box reach = mote_box_grow(of->lattice.extent, def->fluid.spacing);
    if (block->shape == MOTE_SHAPE_POINTS) {
        for (size_t i = 0; i < block->point_count; ++i) {
            const double *p = block->points + 3 * i;
            *where = mote_vec3_make(p[0], def->fluid.dimensions == 2 ? 0 : p[1], p[2]);
            if (!mote_box_contains(reach, *where)) continue;
            if (is_inside(of, *where) || is_near_particle(of, *where)) return true;
        }
        return false;
    }
    const block_lattice lattice = mote_block_lattice(def, k);
    const block_row x = places_between(&lattice, 0, lattice.first.x, reach.min.x, reach.max.x);
    const block_row y = places_between(&lattice, 1, lattice.first.y, reach.min.y, reach.max.y);
    const block_row z = places_between(&lattice, 2, lattice.first.z, reach.min.z, reach.max.z);
    for (size_t iz = z.begin; iz < z.end; ++iz)
        for (size_t iy = y.begin; iy < y.end; ++iy) {
            const block_row row = mote_block_row(def, k, &lattice, iy, iz);
            for (size_t ix = MOTE_MAX(x.begin, row.begin); ix < MOTE_MIN(x.end, row.end); ++ix) {
                *where = mote_vec3_add(lattice.first, mote_vec3_make((double)ix * lattice.pitch[0],
                                                                     (double)iy * lattice.pitch[1],
                                                                     (double)iz * lattice.pitch[2]));
                if (is_inside(of, *where) || is_near_particle(of, *where)) return true;
            }
        }
    return false;
}

// ------------------------------------------------------------------------------------------------ pairs of blocks

static bool is_of_points(const mote_simulation_def *def, size_t k)
{
    return def->blocks[k].shape == MOTE_SHAPE_POINTS;
}

// Two blocks of points are compared by check_points.
static bool blocks_overlap(const mote_simulation_def *def, size_t a, size_t b, mote_vec3 *where)
{
    const target first = {def, a, mote_block_lattice(def, a)}, second = {def, b, mote_block_lattice(def, b)};
    const bool a_is_box = def->blocks[a].shape == MOTE_SHAPE_BOX, b_is_box = def->blocks[b].shape == MOTE_SHAPE_BOX;
    if (a_is_box && b_is_box) {
        const mote_box common = {mote_vec3_max(first.lattice.extent.min, second.lattice.extent.min),
                                 mote_vec3_min(first.lattice.extent.max, second.lattice.extent.max)};
        *where = mote_vec3_scale(mote_vec3_add(common.min, common.max), 0.5);
        return mote_box_overlaps(first.lattice.extent, second.lattice.extent, block_slack * def->fluid.spacing);
    }
    return (!is_of_points(def, b) && meets(def, a, &second, where)) ||
           (!is_of_points(def, a) && meets(def, b, &first, where));
}

// A search for the first block before k that overlaps it.
typedef struct overlap_search {
    const mote_simulation_def *def;
    size_t k, first;
    mote_vec3 where;
} overlap_search;

static bool see_block(void *user_data, uint32_t id)
{
    overlap_search *search = user_data;
    mote_vec3 where;
    if (id < search->k && mote_block_fluid(search->def, id) != mote_block_fluid(search->def, search->k)) return true;
    if (id >= search->k || id >= search->first || !blocks_overlap(search->def, search->k, id, &where)) return true;
    search->first = id;
    search->where = where;
    return true;
}

// What a block fills, and for other shapes than boxes as much around it as keeps particles away.
static mote_bounds bounds_of_block(const mote_simulation_def *def, size_t k)
{
    const bool is_box = def->blocks[k].shape == MOTE_SHAPE_BOX;
    const mote_box extent = mote_block_lattice(def, k).extent;
    return mote_block_bounds(is_box ? extent : mote_box_grow(extent, least_distance * def->fluid.spacing));
}

static mote_result refuse(const overlap_search *search, mote_error *error)
{
    const mote_block_def *blocks = search->def->blocks;
    const size_t k = search->k, other = search->first;
    if (blocks[k].shape == MOTE_SHAPE_BOX && blocks[other].shape == MOTE_SHAPE_BOX)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, k,
                         "blocks[%zu]: overlaps blocks[%zu], expected blocks that at most touch", k, other);
    return mote_fail(error, MOTE_ERROR_ARGUMENT, k,
                     "blocks[%zu]: overlaps blocks[%zu] at (%g, %g, %g), expected blocks whose particles are at least "
                     "0.75 spacings apart",
                     k, other, search->where.x, search->where.y, search->where.z);
}

static mote_result check_blocks(const mote_simulation_def *def, mote_broadphase *broad, mote_error *error)
{
    mote_result result = MOTE_OK;
    for (size_t k = 0; k < def->block_count && result == MOTE_OK; ++k) {
        const mote_bounds bounds = bounds_of_block(def, k);
        uint32_t id;  // k
        result = mote_broadphase_add(broad, &bounds, MOTE_OBJECT_STATIC, mote_filter_all(), &id, error);
    }
    if (result == MOTE_OK) result = mote_broadphase_update(broad, error);
    for (size_t k = 1; k < def->block_count && result == MOTE_OK; ++k) {
        overlap_search search = {def, k, k, {0, 0, 0}};
        const mote_bounds bounds = bounds_of_block(def, k);
        result = mote_broadphase_query_box(broad, &bounds, mote_filter_all(), see_block, &search, error);
        if (result == MOTE_OK && search.first < k) result = refuse(&search, error);
    }
    return result;
}

// ----------------------------------------------------------------------------------------------- points of files

// A search for an earlier point that is too near to this one. Points are numbered block by block.
typedef struct point_search {
    const mote_simulation_def *def;
    size_t block, point, number;
    size_t other_block, other_point;  // of the one found; SIZE_MAX: none
} point_search;

static mote_vec3 point_of(const mote_simulation_def *def, size_t block, size_t i)
{
    const double *p = def->blocks[block].points + 3 * i;
    return mote_vec3_make(p[0], def->fluid.dimensions == 2 ? 0 : p[1], p[2]);
}

static bool see_point(void *user_data, uint32_t id)
{
    point_search *search = user_data;
    const mote_simulation_def *def = search->def;
    if (id >= search->number || search->other_block != SIZE_MAX) return true;
    size_t block = 0, point = id;
    for (; !is_of_points(def, block) || point >= def->blocks[block].point_count; ++block)
        if (is_of_points(def, block)) point -= def->blocks[block].point_count;
    const double least = (block == search->block ? least_within_points : least_distance) * def->fluid.spacing;
    const mote_vec3 away =
        mote_vec3_sub(point_of(def, search->block, search->point), point_of(def, block, point));
    if (mote_vec3_dot(away, away) >= least * least) return true;
    search->other_block = block;
    search->other_point = point;
    return true;
}

static mote_bounds bounds_of_point(const mote_simulation_def *def, size_t block, size_t i)
{
    const mote_vec3 p = point_of(def, block, i);
    return mote_block_bounds(mote_box_grow((mote_box){p, p}, 0.5 * least_distance * def->fluid.spacing));
}

// Checks that the points of files come neither too near to those of other files nor to each other.
static mote_result check_points(const mote_simulation_def *def, mote_broadphase *broad, mote_error *error)
{
    mote_result result = MOTE_OK;
    for (size_t k = 0; k < def->block_count; ++k)
        for (size_t i = 0; is_of_points(def, k) && i < def->blocks[k].point_count && result == MOTE_OK; ++i) {
            const mote_bounds bounds = bounds_of_point(def, k, i);
            uint32_t id;  // the point's number
            result = mote_broadphase_add(broad, &bounds, MOTE_OBJECT_STATIC, mote_filter_all(), &id, error);
        }
    if (result == MOTE_OK) result = mote_broadphase_update(broad, error);
    point_search search = {def, 0, 0, 0, SIZE_MAX, 0};
    for (size_t k = 0; k < def->block_count; ++k)
        for (size_t i = 0; is_of_points(def, k) && i < def->blocks[k].point_count && result == MOTE_OK; ++i) {
            const mote_bounds bounds = bounds_of_point(def, k, i);
            search.block = k, search.point = i;
            result = mote_broadphase_query_box(broad, &bounds, mote_filter_all(), see_point, &search, error);
            ++search.number;
            if (result != MOTE_OK || search.other_block == SIZE_MAX) continue;
            result = mote_fail(error, MOTE_ERROR_ARGUMENT, k,
                               "blocks[%zu].points: point %zu lies at point %zu of blocks[%zu], expected one at least "
                               "%g spacings away",
                               k, i, search.other_point, search.other_block,
                               search.other_block == k ? least_within_points : least_distance);
        }
    return result;
}

typedef mote_result broad_check(const mote_simulation_def *def, mote_broadphase *broad, mote_error *error);

static mote_result check_with(mote_context *context, const mote_simulation_def *def, broad_check *check,
                              mote_error *error)
{
    mote_broadphase_def boxes = mote_broadphase_default_def();
    boxes.dimensions = 3;  // blocks of a plane are a spacing thick
    mote_broadphase *broad = NULL;
    mote_result result = mote_broadphase_create(context, &boxes, &broad, NULL);
    if (result == MOTE_OK) result = check(def, broad, error);
    if (result == MOTE_ERROR_OUT_OF_MEMORY)
        mote_fail(error, result, 0, "blocks: no memory to compare %zu of them", def->block_count);
    mote_broadphase_destroy(broad);
    return result;
}

mote_result mote_blocks_check_overlaps(mote_context *context, const mote_simulation_def *def, mote_error *error)
{
    mote_result result = def->block_count > 1 ? check_with(context, def, check_blocks, error) : MOTE_OK;
    bool has_points = false;
    for (size_t k = 0; k < def->block_count; ++k) has_points = has_points || is_of_points(def, k);
    return result == MOTE_OK && has_points ? check_with(context, def, check_points, error) : result;
}
