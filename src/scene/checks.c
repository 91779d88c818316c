// SPDX-License-Identifier: MIT
// Checks that field tables cannot express: fields that have to be consistent with each other.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene/internal.h"

static const double most_particles = 4294967294.0;  // of a point set: 2^32 − 2
static const double rounding = 1e-6;  // of a spacing: smaller gaps between boxes are treated as rounding errors

static const char axis_names[] = "xyz";

static double component(mote_vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// In 2D everything lies in the plane y = 0, and y is ignored.
static bool is_used(const mote_scene *scene, int axis)
{
    return axis != 1 || scene->settings.simulation.fluid.dimensions == 3;
}

// The member, or `object` itself if the scene omits the member. The result must not be used longer than `object`.
static scene_node member_or_self(const scene_node *object, const char *key)
{
    scene_node child;
    return mote_reader_child(object, key, &child) ? child : *object;
}

static mote_result check_tank(const mote_scene *scene, const scene_reader *reader, const scene_node *root)
{
    const mote_tank_def *tank = &scene->settings.simulation.tank;
    if (!scene->settings.simulation.has_tank) return MOTE_OK;
    scene_node section = member_or_self(root, "tank");
    for (int axis = 0; axis < 3; ++axis) {
        double min = component(tank->min, axis), max = component(tank->max, axis);
        if (!is_used(scene, axis) || max > min) continue;
        scene_node node = member_or_self(&section, "max");
        return mote_reader_unexpected(reader, &node, "more than tank.min along %c", axis_names[axis]);
    }
    return MOTE_OK;
}

// The fields that only some shapes have.
typedef struct shape_field {
    const char *name;
    bool is_of[4];      // of a box, a ball, a cylinder, points
    bool has_no_default;
} shape_field;

static const shape_field shape_fields[] = {
    {"min", {true, false, false, false}, true},   {"max", {true, false, false, false}, true},
    {"center", {false, true, true, false}, true}, {"radius", {false, true, true, false}, true},
    {"axis", {false, false, true, false}, false}, {"height", {false, false, true, false}, true},
    {"points", {false, false, false, true}, true},
};

// A block has the fields that its shape needs, and none of other shapes.
static mote_result check_shape(const scene_reader *reader, const scene_node *element, const mote_block_def *block)
{
    const char *shape = mote_fields_find(mote_block_fields(), "shape")->choices[block->shape];
    for (size_t k = 0; k < sizeof shape_fields / sizeof *shape_fields; ++k) {
        const shape_field *field = &shape_fields[k];
        const bool is_its = field->is_of[block->shape];
        scene_node node;
        const bool is_there = mote_reader_child(element, field->name, &node);
        if (is_there && !is_its)
            return mote_reader_unexpected(reader, &node, "no such key, for the shape is \"%s\"", shape);
        if (is_there || !is_its || !field->has_no_default) continue;
        char expected[128];
        mote_field_expected_text(mote_fields_find(mote_block_fields(), field->name), expected, sizeof expected);
        return mote_reader_missing(reader, element, field->name, expected);
    }
    scene_node node = member_or_self(element, "radius");
    if (block->shape != MOTE_SHAPE_BOX && block->shape != MOTE_SHAPE_POINTS && !(block->radius > 0))
        return mote_reader_unexpected(reader, &node, "a number above 0 [m]");
    node = member_or_self(element, "height");
    if (block->shape == MOTE_SHAPE_CYLINDER && !(block->height > 0))
        return mote_reader_unexpected(reader, &node, "a number above 0 [m]");
    node = member_or_self(element, "axis");
    const mote_vec3 axis = block->axis;
    if (block->shape == MOTE_SHAPE_CYLINDER && axis.x == 0 && axis.y == 0 && axis.z == 0)
        return mote_reader_unexpected(reader, &node, "a direction");
    node = member_or_self(element, "points");
    if (block->shape == MOTE_SHAPE_POINTS && !*block->points_file)
        return mote_reader_unexpected(reader, &node, "the name of a file");
    return MOTE_OK;
}

// The extent of a box, and whether it is inside the tank.
static mote_result check_extent(const mote_scene *scene, const scene_reader *reader, const scene_node *element,
                                size_t i)
{
    const mote_simulation_def *def = &scene->settings.simulation;
    const mote_block_def *block = &def->blocks[i];
    const bool open_min[3] = {def->tank.open_x_min, def->tank.open_y_min, def->tank.open_z_min};
    const bool open_max[3] = {def->tank.open_x_max, def->tank.open_y_max, def->tank.open_z_max};
    const double margin = def->fluid.spacing * rounding;
    scene_node min = member_or_self(element, "min"), max = member_or_self(element, "max");
    for (int axis = 0; axis < 3; ++axis) {
        if (!is_used(scene, axis)) continue;
        double low = component(block->min, axis), high = component(block->max, axis);
        double tank_low = component(def->tank.min, axis), tank_high = component(def->tank.max, axis);
        char name = axis_names[axis], bound[32];
        if (!(high - low >= def->fluid.spacing - margin))
            return mote_reader_unexpected(reader, &max, "at least fluid.spacing more than blocks[%zu].min along %c", i,
                                          name);
        bool too_low = def->has_tank && !open_min[axis] && low < tank_low - margin;
        bool too_high = def->has_tank && !open_max[axis] && high > tank_high + margin;
        mote_number_text(too_low ? tank_low : tank_high, bound, sizeof bound);
        if (too_low)
            return mote_reader_unexpected(reader, &min, "a block inside the tank: at least %s along %c", bound, name);
        if (too_high)
            return mote_reader_unexpected(reader, &max, "a block inside the tank: at most %s along %c", bound, name);
    }
    return MOTE_OK;
}

// What other shapes than boxes fill, and the values of expressions, are checked when a simulation is created.
static mote_result check_block(const mote_scene *scene, const scene_reader *reader, const scene_node *list, size_t i)
{
    const mote_simulation_def *def = &scene->settings.simulation;
    const mote_block_def *block = &def->blocks[i];
    scene_node element = mote_reader_element(list, i);
    const mote_result result = check_shape(reader, &element, block);
    if (result != MOTE_OK) return result;
    if (def->fluid.dimensions == 2 && block->velocity.y != 0) {
        scene_node velocity = member_or_self(&element, "velocity");
        return mote_reader_unexpected(reader, &velocity, "0 along y in 2D");
    }
    return block->shape == MOTE_SHAPE_BOX ? check_extent(scene, reader, &element, i) : MOTE_OK;
}

// Whether two boxes overlap by more than rounding along every axis.
static bool blocks_overlap(const mote_scene *scene, const mote_block_def *a, const mote_block_def *b)
{
    if (a->shape != MOTE_SHAPE_BOX || b->shape != MOTE_SHAPE_BOX) return false;
    if (strcmp(a->fluid, b->fluid) != 0) return false;  // the later one takes the place
    double margin = scene->settings.simulation.fluid.spacing * rounding;
    for (int axis = 0; axis < 3; ++axis) {
        double low = fmax(component(a->min, axis), component(b->min, axis));
        double high = fmin(component(a->max, axis), component(b->max, axis));
        if (is_used(scene, axis) && high - low <= margin) return false;
    }
    return true;
}

// Those of a box; others are counted when a simulation is created.
static double particles_in(const mote_scene *scene, const mote_block_def *block)
{
    double count = 1, spacing = scene->settings.simulation.fluid.spacing;
    if (block->shape != MOTE_SHAPE_BOX) return 0;
    for (int axis = 0; axis < 3; ++axis)
        if (is_used(scene, axis))
            count *= (component(block->max, axis) - component(block->min, axis)) / spacing;
    return count;
}

// A block's extent along an axis; that of other shapes than boxes is empty.
typedef struct block_span {
    double low, high;
    size_t block;
} block_span;

static int compare_spans(const void *a, const void *b)
{
    const block_span *x = a, *y = b;
    return x->low != y->low ? (x->low > y->low) - (x->low < y->low) : (x->block > y->block) - (x->block < y->block);
}

// Sorts the blocks along an axis; returns the number of pairs that overlap there by more than the margin.
static double sort_blocks(const mote_scene *scene, int axis, double margin, block_span *spans)
{
    const mote_block_def *blocks = scene->settings.simulation.blocks;
    const size_t count = scene->settings.simulation.block_count;
    double pairs = 0;
    for (size_t i = 0; i < count; ++i)
        spans[i] = blocks[i].shape == MOTE_SHAPE_BOX
                       ? (block_span){component(blocks[i].min, axis), component(blocks[i].max, axis), i}
                       : (block_span){HUGE_VAL, -HUGE_VAL, i};
    qsort(spans, count, sizeof *spans, compare_spans);
    for (size_t i = 0; i < count; ++i) {
        size_t first = i + 1, end = count;  // of those that begin before this one ends
        while (first < end) {
            const size_t middle = first + (end - first) / 2;
            if (spans[middle].low < spans[i].high - margin) first = middle + 1;
            else end = middle;
        }
        pairs += (double)(first - i - 1);
    }
    return pairs;
}

// Finds two blocks that overlap, if there are any: a sweep along the axis that leaves the fewest pairs to test.
static mote_result find_overlap(const mote_scene *scene, bool *found, size_t pair[2])
{
    const mote_block_def *blocks = scene->settings.simulation.blocks;
    const size_t count = scene->settings.simulation.block_count;
    const double margin = scene->settings.simulation.fluid.spacing * rounding;
    const size_t bytes = mote_bytes(count, sizeof(block_span));
    block_span *spans = mote_allocate(scene->context, bytes);
    if (!spans && bytes) return MOTE_ERROR_OUT_OF_MEMORY;
    int best = 0;
    double fewest = HUGE_VAL;
    for (int axis = 0; axis < 3; ++axis) {
        const double pairs = is_used(scene, axis) ? sort_blocks(scene, axis, margin, spans) : HUGE_VAL;
        if (pairs < fewest) fewest = pairs, best = axis;
    }
    sort_blocks(scene, best, margin, spans);
    *found = false;
    for (size_t i = 0; i < count && !*found; ++i)
        for (size_t j = i + 1; j < count && spans[j].low < spans[i].high - margin && !*found; ++j) {
            pair[0] = MOTE_MIN(spans[i].block, spans[j].block);
            pair[1] = MOTE_MAX(spans[i].block, spans[j].block);
            *found = blocks_overlap(scene, &blocks[pair[0]], &blocks[pair[1]]);
        }
    mote_release(scene->context, spans, bytes);
    return MOTE_OK;
}

static mote_result check_blocks(const mote_scene *scene, const scene_reader *reader, const scene_node *root)
{
    scene_node list = member_or_self(root, "blocks");
    size_t count = scene->settings.simulation.block_count;
    double particles = 0;
    const mote_simulation_def *def = &scene->settings.simulation;
    if (count == 0 && (def->has_grains || def->inlet_count > 0)) return MOTE_OK;
    if (count == 0) return mote_reader_unexpected(reader, &list, "at least one block of fluid, or an inlet");
    for (size_t i = 0; i < count; ++i) {
        mote_result result = check_block(scene, reader, &list, i);
        if (result != MOTE_OK) return result;
        particles += particles_in(scene, &scene->settings.simulation.blocks[i]);
    }
    bool found;
    size_t pair[2];
    mote_result result = find_overlap(scene, &found, pair);
    if (result != MOTE_OK) return mote_fail(reader->error, result, 0, "no memory to compare the blocks");
    if (found) {
        scene_node element = mote_reader_element(&list, pair[1]);
        return mote_reader_unexpected(reader, &element, "a block that does not overlap blocks[%zu]", pair[0]);
    }
    if (particles <= most_particles) return MOTE_OK;
    scene_node fluid = member_or_self(root, "fluid"), spacing = member_or_self(&fluid, "spacing");
    return mote_reader_unexpected(reader, &spacing, "at most 4294967294 particles in all blocks, not %.3g", particles);
}

// What may be part of file names, and of columns of tables.
static bool is_file_name(const char *name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    return *name && strspn(name, allowed) == strlen(name) && strlen(name) <= 64;
}

// Whether a solid has what its shape needs.
static mote_result check_solid_shape(const scene_reader *reader, const scene_node *element,
                                     const mote_solid_def *solid, int dimensions)
{
    mote_error found = {0};
    const bool has_shape = solid->shape.kind != MOTE_SOLID_OF_MESH;
    scene_node node;
    for (int k = 0; k < 3 && has_shape; ++k) {
        static const char *const others[] = {"mesh", "spheres", "weld"};
        if (mote_reader_child(element, others[k], &node))
            return mote_reader_unexpected(reader, &node, "none beside a shape");
    }
    const mote_placement *place = &solid->placement;
    if (dimensions == 2 && (place->rotate.x != 0 || place->rotate.z != 0) &&
        mote_reader_child(element, "rotate", &node))
        return mote_reader_unexpected(reader, &node, "[0, angle, 0] in 2D");
    if (dimensions == 2 && place->translate.y != 0 && mote_reader_child(element, "translate", &node))
        return mote_reader_unexpected(reader, &node, "0 along y in 2D");
    if (mote_mesh_check_shape(&solid->shape, dimensions, &found) == MOTE_OK) return MOTE_OK;
    // The text is "field: value, expected …".
    char field[32];
    snprintf(field, sizeof field, "%.*s", (int)MOTE_MIN(strcspn(found.text, ":"), sizeof field - 1), found.text);
    const char *expected = strstr(found.text, "expected ");
    const size_t text = strlen(field) + strlen(": ");
    if (!mote_reader_child(element, field, &node))
        return mote_reader_missing(reader, element, field, expected ? expected + strlen("expected ") : "");
    if (strcmp(field, "corners") == 0) return mote_reader_unsuited(reader, &node, found.text + text);
    return mote_reader_unexpected(reader, &node, "%s", expected ? expected + strlen("expected ") : found.text + text);
}

// Each solid is made from exactly one source: a mesh, a shape or spheres.
static mote_result check_making(const scene_reader *reader, const scene_node *element, const mote_solid_def *solid,
                                int dimensions)
{
    const mote_spheres_def *spheres = &solid->spheres;
    const bool has_mesh = *solid->mesh_file;
    const mote_result result = check_solid_shape(reader, element, solid, dimensions);
    if (result != MOTE_OK || solid->shape.kind != MOTE_SOLID_OF_MESH) return result;
    if (!has_mesh && spheres->count == 0)
        return mote_reader_missing(reader, element, "mesh", "the name of a file, or a shape or spheres instead");
    scene_node node = member_or_self(element, "spheres");
    if (has_mesh && spheres->count) return mote_reader_unexpected(reader, &node, "0, or no mesh beside them");
    if (spheres->count == 0) return MOTE_OK;
    if (!isnan(solid->weld)) {
        node = member_or_self(element, "weld");
        return mote_reader_unexpected(reader, &node, "false, for spheres have no vertices to merge");
    }
    if (spheres->radius_max < spheres->radius_min) {
        node = member_or_self(element, "radius_max");
        return mote_reader_unexpected(reader, &node, "at least radius_min");
    }
    for (int axis = 0; axis < 3; ++axis) {
        const double side = component(spheres->box.max, axis) - component(spheres->box.min, axis);
        if (side >= 2 * spheres->radius_max) continue;
        node = member_or_self(element, "box_max");
        return mote_reader_unexpected(reader, &node, "more than box_min along %c, by 2 radius_max at least",
                                      axis_names[axis]);
    }
    return MOTE_OK;
}

// A point alone does not define a cut: the normal is missing.
static mote_result check_cut(const scene_reader *reader, const scene_node *element, const mote_solid_def *solid)
{
    const mote_vec3 normal = solid->cut_normal;
    scene_node point;
    if (normal.x != 0 || normal.y != 0 || normal.z != 0 || !mote_reader_child(element, "cut_point", &point))
        return MOTE_OK;
    return mote_reader_unexpected(reader, &point, "a cut_normal beside it that is not 0");
}

// The name of an element of a list.
typedef struct element_name {
    const char *name;
    size_t element;
} element_name;

static int compare_names(const void *a, const void *b)
{
    const element_name *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    return order ? order : (x->element > y->element) - (x->element < y->element);
}

// Finds the first element whose name an earlier one has, pair[1], and the first with that name, pair[0]; both are
// SIZE_MAX if there is none.
static mote_result find_namesake(const mote_scene *scene, const mote_simulation_part *part, size_t pair[2])
{
    size_t count;
    const char *list = mote_simulation_part_structs(&scene->settings.simulation, part, &count);
    const size_t offset = mote_fields_find(part->fields(), "name")->offset;
    pair[0] = pair[1] = SIZE_MAX;
    if (count < 2) return MOTE_OK;
    element_name *names = mote_allocate(scene->context, mote_bytes(count, sizeof *names));
    if (!names) return MOTE_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; ++i) {
        memcpy(&names[i].name, list + i * part->size + offset, sizeof names[i].name);
        names[i].element = i;
    }
    qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 1, first = 0; i < count; ++i) {
        if (strcmp(names[i].name, names[first].name) != 0) {
            first = i;
        } else if (names[i].element < pair[1]) {
            pair[0] = names[first].element;
            pair[1] = names[i].element;
        }
    }
    mote_release(scene->context, names, mote_bytes(count, sizeof *names));
    return MOTE_OK;
}

// Names become parts of file names and columns: they are simple, and no two of a part are equal.
static mote_result check_names(const mote_scene *scene, const scene_reader *reader, const scene_node *root,
                               const char *part_name)
{
    const mote_simulation_part *part = NULL;
    for (size_t k = 0; (part = mote_simulation_part_at(k)) != NULL; ++k)
        if (strcmp(part->name, part_name) == 0) break;
    if (!part) return MOTE_OK;
    scene_node list = member_or_self(root, part_name);
    size_t count, namesakes[2];
    const char *at = mote_simulation_part_structs(&scene->settings.simulation, part, &count);
    const size_t offset = mote_fields_find(part->fields(), "name")->offset;
    if (find_namesake(scene, part, namesakes) != MOTE_OK)
        return mote_fail(reader->error, MOTE_ERROR_OUT_OF_MEMORY, 0, "no memory to compare the %s", part_name);
    for (size_t i = 0; i < count; ++i) {
        const char *name;
        memcpy(&name, at + i * part->size + offset, sizeof name);
        scene_node element = mote_reader_element(&list, i), node = member_or_self(&element, "name");
        if (!is_file_name(name))
            return mote_reader_unexpected(reader, &node, "1 to 64 of the characters a–z, A–Z, 0–9, _ and -");
        if (i == namesakes[1])
            return mote_reader_unexpected(reader, &node, "another name than that of %s[%zu]", part_name, namesakes[0]);
    }
    return MOTE_OK;
}

// The name of an opening by one number for inlets, then outlets, then drains; NULL beyond the last.
static const char *opening_name(const mote_simulation_def *def, size_t k, const char **part, size_t *element)
{
    *part = "inlets", *element = k;
    if (k < def->inlet_count) return def->inlets[k].name;
    *part = "outlets", *element = k -= def->inlet_count;
    if (k < def->outlet_count) return def->outlets[k].name;
    *part = "drains", *element = k -= def->outlet_count;
    return k < def->drain_count ? def->drains[k].name : NULL;
}

// Inlets, outlets and drains report what passes them by their names, so that no two of all these are equal.
static mote_result check_openings(const mote_scene *scene, const scene_reader *reader, const scene_node *root)
{
    static const char *const parts[] = {"inlets", "outlets", "drains"};
    const mote_simulation_def *def = &scene->settings.simulation;
    const char *name, *part, *other_name, *other_part;
    size_t element, other;
    for (int k = 0; k < 3; ++k) {
        const mote_result result = check_names(scene, reader, root, parts[k]);
        if (result != MOTE_OK) return result;
    }
    if (def->inlet_count + def->outlet_count > MOTE_OPENINGS_MOST || def->drain_count > MOTE_OPENINGS_MOST)
        return MOTE_OK;  // refused when a simulation is made
    for (size_t k = 1; (name = opening_name(def, k, &part, &element)) != NULL; ++k)
        for (size_t j = 0; j < k; ++j) {
            other_name = opening_name(def, j, &other_part, &other);
            if (strcmp(name, other_name) != 0) continue;
            scene_node list = member_or_self(root, part), at = mote_reader_element(&list, element);
            scene_node node = member_or_self(&at, "name");
            return mote_reader_unexpected(reader, &node, "another name than that of %s[%zu]", other_part, other);
        }
    return MOTE_OK;
}

static mote_result check_solids(const mote_scene *scene, const scene_reader *reader, const scene_node *root)
{
    scene_node list = member_or_self(root, "solids");
    mote_result result = check_names(scene, reader, root, "solids");
    for (size_t i = 0; i < scene->settings.simulation.solid_count && result == MOTE_OK; ++i) {
        scene_node element = mote_reader_element(&list, i);
        result = check_making(reader, &element, &scene->settings.simulation.solids[i],
                              scene->settings.simulation.fluid.dimensions);
        if (result == MOTE_OK) result = check_cut(reader, &element, &scene->settings.simulation.solids[i]);
    }
    return result;
}

// Checks that grains start where they are allowed to be.
static mote_result check_grains(const mote_scene *scene, const scene_reader *reader, const scene_node *root)
{
    const mote_simulation_def *def = &scene->settings.simulation;
    const bool open_min[3] = {def->tank.open_x_min, def->tank.open_y_min, def->tank.open_z_min};
    const bool open_max[3] = {def->tank.open_x_max, def->tank.open_y_max, def->tank.open_z_max};
    if (!def->has_grains || !def->has_tank) return MOTE_OK;
    scene_node section = member_or_self(root, "grains");
    for (int axis = 0; axis < 3; ++axis) {
        const double low = component(def->tank.min, axis), high = component(def->tank.max, axis);
        const bool too_low = !open_min[axis] && component(def->grains.min, axis) < low;
        if (!too_low && (open_max[axis] || component(def->grains.max, axis) <= high)) continue;
        char bound[32];
        mote_number_text(too_low ? low : high, bound, sizeof bound);
        scene_node node = member_or_self(&section, too_low ? "min" : "max");
        return mote_reader_unexpected(reader, &node, "a box inside the tank: at %s %s along %c",
                                      too_low ? "least" : "most", bound, axis_names[axis]);
    }
    return MOTE_OK;
}

// With several fluids the section fluid says how they are computed, but not what they are.
static mote_result check_material(const mote_scene *scene, const scene_reader *reader, const scene_node *root)
{
    if (scene->settings.simulation.fluid_count == 0) return MOTE_OK;
    const mote_field_table *table = mote_phase_fields();
    const scene_node section = member_or_self(root, "fluid");
    for (size_t k = 0; k < table->count; ++k) {
        scene_node node;
        if (mote_reader_child(&section, table->fields[k].name, &node))
            return mote_reader_unexpected(reader, &node, "no such key beside \"fluids\", which have it");
    }
    return MOTE_OK;
}

mote_result mote_scene_check(const mote_scene *scene, const scene_reader *reader)
{
    scene_node root = {NULL, scene->root, NULL, 0};
    mote_result result = check_tank(scene, reader, &root);
    if (result == MOTE_OK) result = check_blocks(scene, reader, &root);
    if (result == MOTE_OK) result = check_solids(scene, reader, &root);
    if (result == MOTE_OK) result = check_grains(scene, reader, &root);
    if (result == MOTE_OK) result = check_names(scene, reader, &root, "gauges");
    if (result == MOTE_OK) result = check_names(scene, reader, &root, "fluids");
    if (result == MOTE_OK) result = check_openings(scene, reader, &root);
    if (result == MOTE_OK) result = check_material(scene, reader, &root);
    return result;
}
