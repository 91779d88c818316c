// SPDX-License-Identifier: MIT
// The form of the tree over the clusters: which clusters and nodes are the children of which node.
//
// Clusters are first split into halves, and these into halves, by the surface area heuristic (structure_split.c). Of
// the nodes of this binary tree some become nodes of eight children, such that a motion is expected to meet the fewest
// of them: the sum of their boxes' areas is the least possible (Ylitie, Karras & Laine 2017, section 3.1). If a node's
// largest child were split until there are eight, there would be 1.6 times as many nodes, half empty at the bottom.

#include "hits/structure_form.h"

#include "hits/structure_split.h"

// A node of the binary tree, followed by its first child and all that is below that. Of its box, `number` is the
// cluster, or HITS_TREE_NODE, and `rest` its second child.
struct hits_binary_node {
    hits_split_box box;
    uint8_t first_share[HITS_TREE_FAN];  // [i]: how many of at most i + 1 children its first child becomes
};

// The sum of the areas of nodes that are made of a binary node and what is below it, if it becomes at most i + 1
// children of the node above it.
typedef struct form_costs {
    float of[HITS_TREE_FAN];
} form_costs;

// ------------------------------------------------------------------------------------------------------- binary tree

// Chooses how a node's children share so many places, at least two. Returns the sum of what they cost.
static float share_places(const form_costs *first, const form_costs *second, uint32_t places, uint8_t *share)
{
    float best = HUGE_VALF;
    for (uint32_t k = 1; k < places; ++k) {
        const float cost = first->of[k - 1] + second->of[places - k - 1];
        if (!(cost < best)) continue;
        best = cost;
        *share = (uint8_t)k;
    }
    return best;
}

// Appends the binary tree of `count` clusters. Returns what it costs.
static form_costs split_clusters(hits_tree_form *form, hits_split_box *boxes, size_t count, uint32_t depth)
{
    form_costs costs = {{0}};
    hits_binary_node *node = &form->binary[form->binary_count++];
    *node = (hits_binary_node){.box = boxes[0]};
    if (count == 1) return costs;
    const size_t before = mote_hits_split(boxes, count, 1, depth >= HITS_TREE_EVENLY);
    const uint32_t at = (uint32_t)form->binary_count;
    const form_costs first = split_clusters(form, boxes, before, depth + 1);
    const uint32_t second_at = (uint32_t)form->binary_count;
    const form_costs second = split_clusters(form, boxes + before, count - before, depth + 1);
    node->box = form->binary[at].box;
    mote_hits_split_join(&node->box, &form->binary[second_at].box);
    node->box.number = HITS_TREE_NODE;
    node->box.rest = second_at;
    for (uint32_t i = 1; i < HITS_TREE_FAN; ++i)
        costs.of[i] = share_places(&first, &second, i + 1, &node->first_share[i]);
    // With one place it becomes a node. More places pay if that saves something; eight always do, or cost nothing.
    costs.of[0] = costs.of[HITS_TREE_FAN - 1] + mote_hits_split_area(&node->box);
    for (uint32_t i = 1; i < HITS_TREE_FAN; ++i) {
        if (costs.of[i] <= costs.of[i - 1]) continue;
        costs.of[i] = costs.of[i - 1];
        node->first_share[i] = 0;
    }
    return costs;
}

// ------------------------------------------------------------------------------------------------------------- nodes

// Chooses slots for a node's children. Bit k of a slot's number is set if its child lies towards higher coordinates
// of axis k than others, as far as this is possible for all. So slots in the order of number ^ octant are nearly in
// the order of distance for motions of that octant. The child that lies farthest out in a slot's direction is placed
// first.
static void choose_slots(const hits_split_box *const boxes[HITS_TREE_FAN], uint32_t count, uint32_t slot[HITS_TREE_FAN])
{
    hits_split_box all = *boxes[0];
    for (uint32_t i = 1; i < count; ++i) mote_hits_split_join(&all, boxes[i]);
    uint32_t placed = 0, taken = 0;
    for (uint32_t turn = 0; turn < count; ++turn) {
        uint32_t best = 0, to = 0;
        float most = -HUGE_VALF;
        for (uint32_t at = 0; at < HITS_TREE_FAN * count; ++at) {
            const uint32_t i = at / HITS_TREE_FAN, s = at % HITS_TREE_FAN;
            float out = 0;
            for (uint32_t k = 0; k < 3; ++k) {
                const float middle = boxes[i]->low[k] - boxes[i]->minus_high[k];
                const float off = middle - (all.low[k] - all.minus_high[k]);
                out += s >> k & 1 ? off : -off;
            }
            if (placed >> i & 1 || taken >> s & 1 || !(out > most)) continue;
            most = out;
            best = i;
            to = s;
        }
        slot[best] = to;
        placed |= 1u << best;
        taken |= 1u << to;
    }
}

// Lists what a binary node becomes if it has so many places.
static void list_children(const hits_tree_form *form, uint32_t at, uint32_t places, uint32_t children[HITS_TREE_FAN],
                          uint32_t *count)
{
    const hits_binary_node *node = &form->binary[at];
    while (places > 1 && node->first_share[places - 1] == 0) --places;
    if (places == 1) {
        children[(*count)++] = at;
        return;
    }
    const uint32_t share = node->first_share[places - 1];
    list_children(form, at + 1, share, children, count);
    list_children(form, node->box.rest, places - share, children, count);
}

uint32_t mote_hits_cluster_lowest(const mote_hits *hits, size_t cluster)
{
    const size_t begin = cluster * HITS_LANES, end = MOTE_MIN(begin + HITS_LANES, hits->triangle_count);
    uint32_t lowest = UINT32_MAX;
    for (size_t t = begin; t < end; ++t) lowest = MOTE_MIN(lowest, hits->original[t]);
    return lowest;
}

// Appends a node of eight children. Returns the lowest triangle below it.
static uint32_t make_node(hits_tree_form *form, uint32_t binary)
{
    uint32_t children[HITS_TREE_FAN], count = 0, slot[HITS_TREE_FAN], lowest = UINT32_MAX;
    const hits_split_box *boxes[HITS_TREE_FAN];
    list_children(form, binary, HITS_TREE_FAN, children, &count);
    for (uint32_t i = 0; i < count; ++i) boxes[i] = &form->binary[children[i]].box;
    choose_slots(boxes, count, slot);
    hits_tree_node *node = &form->nodes[form->node_count++];
    for (uint32_t i = 0; i < HITS_TREE_FAN; ++i) node->child[i] = node->lowest[i] = UINT32_MAX;
    for (uint32_t i = 0; i < count; ++i) {
        const bool is_cluster = boxes[i]->number != HITS_TREE_NODE;
        const uint32_t s = slot[i];
        node->child[s] = is_cluster ? boxes[i]->number : (uint32_t)form->node_count | HITS_TREE_NODE;
        node->lowest[s] =
            is_cluster ? mote_hits_cluster_lowest(form->hits, boxes[i]->number) : make_node(form, children[i]);
        lowest = MOTE_MIN(lowest, node->lowest[s]);
    }
    return lowest;
}

// The number of nodes that a binary node becomes.
static size_t count_nodes(const hits_tree_form *form, uint32_t binary)
{
    uint32_t children[HITS_TREE_FAN], count = 0;
    size_t nodes = 1;
    list_children(form, binary, HITS_TREE_FAN, children, &count);
    for (uint32_t i = 0; i < count; ++i)
        if (form->binary[children[i]].box.number == HITS_TREE_NODE) nodes += count_nodes(form, children[i]);
    return nodes;
}

size_t mote_hits_form_bytes(size_t clusters)
{
    return mote_bytes(2 * clusters, sizeof(hits_binary_node));
}

void mote_hits_form_split(hits_tree_form *form, hits_split_box *boxes, size_t clusters)
{
    form->binary_count = form->node_count = 0;
    (void)split_clusters(form, boxes, clusters, 0);
    form->node_count = count_nodes(form, 0);
}

void mote_hits_form_nodes(hits_tree_form *form, hits_tree_node *nodes)
{
    form->nodes = nodes;
    form->node_count = 0;
    (void)make_node(form, 0);
}
