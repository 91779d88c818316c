// SPDX-License-Identifier: MIT
// hits/structure_form.h: which clusters and nodes are the children of which node of the tree.
#ifndef MOTE_HITS_STRUCTURE_FORM_H
#define MOTE_HITS_STRUCTURE_FORM_H

#include "hits/structure_split.h"
#include "hits/structure_tree.h"

typedef struct hits_binary_node hits_binary_node;

// The form while the tree is built. The memory is the caller's.
typedef struct hits_tree_form {
    const mote_hits *hits;
    hits_binary_node *binary;  // of mote_hits_form_bytes bytes
    hits_tree_node *nodes;
    size_t binary_count, node_count;
} hits_tree_form;

size_t mote_hits_form_bytes(size_t clusters);
// Finds the form of a tree of at least one cluster, and the number of its nodes.
// @param boxes   of the clusters, with their numbers; reordered
void mote_hits_form_split(hits_tree_form *form, hits_split_box *boxes, size_t clusters);
// Sets the children of the nodes, and the lowest triangles below these; their boxes are left open.
void mote_hits_form_nodes(hits_tree_form *form, hits_tree_node *nodes);

// The lowest of the caller's numbers of a cluster's triangles.
uint32_t mote_hits_cluster_lowest(const mote_hits *hits, size_t cluster);

#endif
