// SPDX-License-Identifier: MIT
// Roots for motions of an octant, from which they descend instead of from the tree's. Sorted motions begin near one
// another, so few of the nodes high up matter to any of them. These are opened once for all, nearest first, as long as
// what they become fits into a node of HITS_ROOT children.
//
// No box that a motion meets is missed: left out is what lies apart from a box around all motions, which is enlarged by
// twice as much as the boxes that each of them is tested against (motion_ways.c).

#include "base/wide.h"
#include "hits/motion_stream.h"

// Children of nodes, the nearest first; with room for one that is not kept.
typedef struct entry_list {
    const hits_tree_node *node[HITS_ROOT + 1];
    uint32_t slot[HITS_ROOT + 1], count;
} entry_list;

// The bits of the children that the box meets.
static inline uint32_t meet_children(const hits_tree_node *node, const hits_box *box)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < HITS_TREE_FAN; i += WIDE) {
        wide_mask meets = wide_not(wide_none());
        for (int k = 0; k < 3; ++k) {
            const float *low = node->plane[k] + i, *high = node->plane[k + 3] + i;
            meets = wide_both(meets, wide_at_most(wide_load(low), wide_all(box->high[k])));
            meets = wide_both(meets, wide_at_most(wide_all(box->low[k]), wide_load(high)));
        }
        bits |= wide_bits(meets) << i;
    }
    return bits;
}

static inline void add_children(entry_list *list, const hits_tree_node *node, uint32_t bits, uint32_t octant)
{
    for (uint32_t place = 0; place < HITS_TREE_FAN; ++place) {
        const uint32_t slot = place ^ octant;
        list->node[list->count] = node;
        list->slot[list->count] = slot;
        list->count += bits >> slot & 1;
    }
}

// Opens the nodes of a list, as far as there is room, and counts those whose children are tested. Returns whether any
// was opened.
static bool open_entries(const hits_tree_node *nodes, uint32_t octant, const hits_box *box, const entry_list *list,
                         entry_list *opened, uint32_t *tested)
{
    uint32_t left = list->count;
    bool has_opened = false;
    opened->count = 0;
    for (uint32_t e = 0; e < list->count; ++e) {
        const uint32_t child = list->node[e]->child[list->slot[e]];
        --left;
        if (child & HITS_TREE_NODE) {
            const hits_tree_node *node = &nodes[child & ~HITS_TREE_NODE];
            const uint32_t bits = meet_children(node, box);
            ++*tested;
            if (opened->count + mote_count_bits(bits) + left <= HITS_ROOT) {
                add_children(opened, node, bits, octant);
                has_opened = true;
                continue;
            }
        }
        opened->node[opened->count] = list->node[e];
        opened->slot[opened->count++] = list->slot[e];
    }
    return has_opened;
}

// Sets the child at a place of a root; the first place is for the farthest of the list. Places beyond the list's count
// have no child.
static void set_child(hits_root *root, uint32_t place, uint32_t octant, const entry_list *list)
{
    const bool is_there = place < list->count;
    const uint32_t e = is_there ? list->count - 1 - place : 0, slot = is_there ? list->slot[e] : 0;
    const hits_tree_node *node = list->node[e];
    root->child[place] = is_there ? node->child[slot] : UINT32_MAX;
    for (uint32_t k = 0; k < 3; ++k) {
        const uint32_t down = octant >> k & 1;
        const float none = down ? -HUGE_VALF : HUGE_VALF;
        root->in[k][place] = is_there ? node->plane[k + 3 * down][slot] : none;
        root->out[k][place] = is_there ? node->plane[k + 3 - 3 * down][slot] : -none;
    }
}

uint32_t WIDE_NAME(mote_hits_stream_root)(const struct hits_tree *tree, const hits_box *box, uint32_t octant,
                                          hits_root *root)
{
    entry_list lists[2];
    uint32_t now = 0, tested = 1;
    lists[0].count = 0;
    add_children(&lists[0], tree->nodes, meet_children(tree->nodes, box), octant);
    while (lists[now].count > 0 && lists[now].count < HITS_ROOT - 1) {
        const bool has_opened = open_entries(tree->nodes, octant, box, &lists[now], &lists[!now], &tested);
        now = !now;
        if (!has_opened) break;
    }
    for (uint32_t place = 0; place < HITS_ROOT; ++place) set_child(root, place, octant, &lists[now]);
    return tested;
}
