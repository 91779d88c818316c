// SPDX-License-Identifier: MIT
// Builds the tree from the top by the surface area heuristic in bins (Wald 2007): the group of a node that costs
// most is cut in two until there are eight groups.
//
// The top is built by one thread, down to groups of a size that depends on the number of objects alone. These are
// built in parallel, each in its own memory, and put together in their order: the tree does not depend on the
// threads.

#include <math.h>

#include "broadphase/bvh8_tree.h"

enum { BINS = 16, TASK_MIN = 2048, TASKS = 128 };

typedef struct build_item {
    mote_bounds box;
    uint32_t id;
} build_item;

typedef struct build_group {
    size_t first, count;  // items
    mote_bounds box;
    double cost;
} build_group;

// Nodes of the top or of one task; node numbers count from its own first node.
typedef struct builder {
    const mote_context *context;
    build_item *items;
    mote_buffer memory;
    bvh_node *nodes;
    uint32_t count;
    size_t task_size;            // groups of at most this size become tasks; 0: none do
    struct build_task *tasks;    // the groups that became tasks
    mote_buffer task_memory;
    size_t task_count;
    bool out_of_memory;
} builder;

typedef struct build_task {
    build_group group;
    uint32_t place;  // lane of the top where its root belongs
    builder made;
} build_task;

// ------------------------------------------------------------------------------------------------------ splitting

static mote_bounds bounds_of(const build_item *items, size_t count)
{
    mote_bounds box = items[0].box;
    for (size_t k = 1; k < count; ++k) box = mote_bounds_union(&box, &items[k].box);
    return box;
}

static build_group make_group(const build_item *items, size_t first, size_t count)
{
    build_group group = {first, count, bounds_of(items + first, count), 0};
    group.cost = mote_bounds_half_area(&group.box) * (double)count;
    return group;
}

// The halves are added, so that the result is always finite.
static inline float centre(const mote_bounds *box, int axis)
{
    return box->min[axis] / 2 + box->max[axis] / 2;
}

typedef struct bin_axis {
    float low, scale;  // bin = (centre − low) · scale; scale 0: all centres agree
    uint32_t counts[BINS];
    mote_bounds boxes[BINS];
} bin_axis;

static inline int bin_of(const bin_axis *axis, float x)
{
    const float bin = (x / 2 - axis->low / 2) * axis->scale;
    return bin < BINS - 1 ? (int)bin : BINS - 1;
}

static void fill_bins(const build_item *items, size_t count, bin_axis axes[3])
{
    for (int k = 0; k < 3; ++k) {
        float low = centre(&items[0].box, k), high = low;
        for (size_t i = 1; i < count; ++i) {
            const float x = centre(&items[i].box, k);
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        const float extent = high / 2 - low / 2;
        axes[k].low = low;
        axes[k].scale = extent > 0 ? BINS * (1 - 0x1p-20f) / extent : 0;
        if (!isfinite(axes[k].scale)) axes[k].scale = 0;
        for (int b = 0; b < BINS; ++b) axes[k].counts[b] = 0, axes[k].boxes[b] = mote_bounds_empty();
    }
    for (size_t i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k) {
            const int b = bin_of(&axes[k], centre(&items[i].box, k));
            axes[k].counts[b] += 1;
            axes[k].boxes[b] = mote_bounds_union(&axes[k].boxes[b], &items[i].box);
        }
}

// The best cut of an axis, after bin *last; returns its cost, or HUGE_VAL if there is no cut.
static double best_cut(const bin_axis *axis, int *last)
{
    double right[BINS], best = HUGE_VAL;
    mote_bounds box = mote_bounds_empty();
    uint32_t count = 0;
    for (int b = BINS - 1; b > 0; --b) {
        box = mote_bounds_union(&box, &axis->boxes[b]);
        count += axis->counts[b];
        right[b] = count ? mote_bounds_half_area(&box) * count : -1;
    }
    box = mote_bounds_empty();
    count = 0;
    for (int b = 0; b + 1 < BINS; ++b) {
        box = mote_bounds_union(&box, &axis->boxes[b]);
        count += axis->counts[b];
        if (count == 0 || right[b + 1] < 0) continue;
        const double cost = mote_bounds_half_area(&box) * count + right[b + 1];
        if (cost >= best) continue;
        best = cost;
        *last = b;
    }
    return best;
}

// Orders the items so that the first ones are one side of the cut, and returns their number. If no cut separates
// them, it is half of them.
static size_t cut_items(build_item *items, size_t count)
{
    bin_axis axes[3];
    fill_bins(items, count, axes);
    int axis = -1, last = 0;
    double best = HUGE_VAL;
    for (int k = 0; k < 3; ++k) {
        int here = 0;
        const double cost = axes[k].scale > 0 ? best_cut(&axes[k], &here) : HUGE_VAL;
        if (cost >= best) continue;
        best = cost;
        axis = k;
        last = here;
    }
    if (axis < 0) return count / 2;
    size_t left = 0, right = count;
    while (left < right) {
        if (bin_of(&axes[axis], centre(&items[left].box, axis)) <= last) {
            ++left;
        } else {
            const build_item item = items[left];
            items[left] = items[--right];
            items[right] = item;
        }
    }
    return left;
}

// Cuts a group into at most eight; returns how many.
static uint32_t cut_group(build_item *items, build_group whole, build_group groups[LANES])
{
    uint32_t count = 1;
    groups[0] = whole;
    if (whole.count <= LANES) {
        for (count = 0; count < whole.count; ++count) groups[count] = make_group(items, whole.first + count, 1);
        return count;
    }
    while (count < LANES) {
        uint32_t dearest = LANES;
        for (uint32_t g = 0; g < count; ++g)
            if (groups[g].count > 1 && (dearest == LANES || groups[g].cost > groups[dearest].cost)) dearest = g;
        if (dearest == LANES) break;
        const build_group old = groups[dearest];
        const size_t left = cut_items(items + old.first, old.count);
        groups[dearest] = make_group(items, old.first, left);
        groups[count++] = make_group(items, old.first + left, old.count - left);
    }
    return count;
}

// --------------------------------------------------------------------------------------------------------- nodes

static uint32_t add_node(builder *self, uint32_t parent)
{
    const size_t room = self->memory.bytes / sizeof *self->nodes;
    if (self->count == room || self->count >= LANE_NONE / LANES) {
        const size_t wanted = MOTE_MAX(2 * room, (size_t)64);
        if (self->count >= LANE_NONE / LANES ||
            mote_buffer_reserve(self->context, &self->memory, mote_bytes(wanted, sizeof *self->nodes),
                                self->memory.bytes) != MOTE_OK) {
            self->out_of_memory = true;
            return LANE_NONE;
        }
        self->nodes = self->memory.data;
    }
    self->nodes[self->count] = mote_bvh_node_empty(parent);
    return self->count++;
}

static bool put_aside(builder *self, const build_group *group, uint32_t place)
{
    const size_t room = self->task_memory.bytes / sizeof *self->tasks;
    if (self->task_count == room) {
        const size_t wanted = MOTE_MAX(2 * room, (size_t)2 * TASKS);
        if (mote_buffer_reserve(self->context, &self->task_memory, mote_bytes(wanted, sizeof *self->tasks),
                                self->task_memory.bytes) != MOTE_OK)
            return false;
        self->tasks = self->task_memory.data;
    }
    self->tasks[self->task_count++] = (build_task){.group = *group, .place = place};
    return true;
}

// The depth is bounded by the range of floats: every cut except the even ones narrows the span of centres, or of
// their bins, which can happen a few hundred times at most.
static uint32_t build_node(builder *self, const build_group *whole, uint32_t parent)
{
    const uint32_t number = add_node(self, parent);
    if (self->out_of_memory) return LANE_NONE;
    build_group groups[LANES];
    const uint32_t count = cut_group(self->items, *whole, groups);
    for (uint32_t lane = 0; lane < count && !self->out_of_memory; ++lane) {
        const build_group *group = &groups[lane];
        const uint8_t bit = (uint8_t)(1u << lane);
        const uint32_t place = number * LANES + lane;
        uint32_t child = 0;
        if (group->count == 1)
            child = self->items[group->first].id;
        else if (self->task_size && group->count <= self->task_size)
            self->out_of_memory = !put_aside(self, group, place);
        else
            child = build_node(self, group, place);
        bvh_node *node = self->nodes + number;  // the array may have moved
        mote_bvh_set_lane(node, lane, &group->box);
        node->child[lane] = child;
        *(group->count == 1 ? &node->objects : &node->nodes) |= bit;
    }
    return number;
}

static void build_tasks(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const builder *top = data;
    build_task *task = top->tasks + block;
    task->made = (builder){.context = top->context, .items = top->items};
    build_node(&task->made, &task->group, LANE_NONE);
}

// Appends the nodes of a task to the tree.
static void append(bvh_tree *tree, const build_task *task)
{
    const uint32_t base = tree->node_count;
    for (uint32_t k = 0; k < task->made.count; ++k) {
        bvh_node *node = tree->nodes + base + k;
        *node = task->made.nodes[k];
        node->parent = k == 0 ? task->place : node->parent + base * LANES;
        for (uint32_t lane = 0; lane < LANES; ++lane)
            if (node->nodes >> lane & 1) node->child[lane] += base;
    }
    tree->nodes[task->place / LANES].child[task->place % LANES] = base;
    tree->node_count += task->made.count;
}

static void note_places(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const bvh_tree *tree = data;
    for (size_t k = begin; k < end; ++k)
        for (uint32_t lane = 0; lane < LANES; ++lane)
            if (tree->nodes[k].objects >> lane & 1)
                tree->places[tree->nodes[k].child[lane]] = (uint32_t)k * LANES + lane;
}

static mote_result assemble(const mote_broadphase *broad, bvh_tree *tree, const builder *top)
{
    size_t count = top->count;
    bool failed = top->out_of_memory;
    for (size_t t = 0; t < top->task_count; ++t) {
        count += top->tasks[t].made.count;
        failed |= top->tasks[t].made.out_of_memory;
    }
    if (failed || count >= LANE_NONE / LANES) return MOTE_ERROR_OUT_OF_MEMORY;
    mote_result result =
        mote_buffer_reserve(broad->context, &tree->node_memory, mote_bytes(count, sizeof(bvh_node)), 0);
    tree->nodes = tree->node_memory.data;
    if (result != MOTE_OK) return result;
    memcpy(tree->nodes, top->nodes, top->count * sizeof *top->nodes);
    tree->node_count = top->count;
    for (size_t t = 0; t < top->task_count; ++t) append(tree, &top->tasks[t]);
    mote_parallel_for(broad->context, tree->node_count, 1024, note_places, tree);
    return MOTE_OK;
}

mote_result mote_bvh_build(const mote_broadphase *broad, bvh_tree *tree)
{
    const object_store *store = &broad->store;
    const mote_context *context = broad->context;
    mote_buffer item_memory = {0};
    tree->node_count = tree->place_count = 0;
    const size_t places = (size_t)store->end + 1, items = (size_t)store->alive + 1;
    mote_result result =
        mote_buffer_reserve(context, &tree->place_memory, mote_bytes(places, sizeof(uint32_t)), 0);
    tree->places = tree->place_memory.data;
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &item_memory, mote_bytes(items, sizeof(build_item)), 0);
    if (result != MOTE_OK) return result;
    memset(tree->places, 0xFF, store->end * sizeof *tree->places);
    builder top = {.context = context, .items = item_memory.data};
    size_t count = 0;
    for (uint32_t id = 0; id < store->end; ++id)
        if (mote_store_has(store, id)) top.items[count++] = (build_item){store->boxes[id], id};
    top.task_size = MOTE_MAX(count / TASKS, (size_t)TASK_MIN);
    if (count) {
        const build_group all = make_group(top.items, 0, count);
        build_node(&top, &all, LANE_NONE);
    }
    if (!top.out_of_memory) mote_run_blocks(context, (uint32_t)top.task_count, build_tasks, &top);
    result = count ? assemble(broad, tree, &top) : MOTE_OK;
    if (result == MOTE_OK) tree->place_count = store->end;
    for (size_t t = 0; t < top.task_count; ++t) mote_buffer_release(context, &top.tasks[t].made.memory);
    mote_buffer_release(context, &top.task_memory);
    mote_buffer_release(context, &top.memory);
    mote_buffer_release(context, &item_memory);
    return result;
}
