// SPDX-License-Identifier: MIT
// proxy/octree.h: an octree over triangles, as the proxy builds it.
//
// Lengths are in finest leaves, measured from the root's lowest corner: a leaf of depth d has an edge of
// 2^(max_depth − d) and corners at whole numbers.
#ifndef MOTE_PROXY_OCTREE_H
#define MOTE_PROXY_OCTREE_H

#include "base/internal.h"
#include "mesh/triangle_box.h"
#include "mote/proxy.h"

// A leaf with triangles.
typedef struct mote_octree_leaf {
    uint32_t node;
    uint32_t low[3], size;  // its box
    uint32_t count;         // of its triangles
    uint64_t first;         // in the references
} mote_octree_leaf;

typedef struct mote_octree {
    mote_context *context;
    mote_proxy_def def;
    const mote_triangle *triangles;
    size_t triangle_count;

    mote_proxy_node *nodes;  // the root first; labels are not set
    size_t node_count;
    mote_octree_leaf *leaves;
    size_t leaf_count;
    uint32_t *references;  // numbers of triangles, ascending within a leaf
    size_t reference_count;
    mote_buffer node_memory, leaf_memory, reference_memory;
} mote_octree;

// Fills nodes, leaves and references. After a failure mote_octree_release releases what was made.
mote_result mote_octree_build(mote_octree *tree);
// Leaves and references; the nodes too, unless they were taken (node_memory emptied).
void mote_octree_release(mote_octree *tree);

// Number of bits set in a byte.
MOTE_INLINE uint32_t mote_octants_below(uint32_t mask, uint32_t octant)
{
    const uint32_t below = mask & ((1u << octant) - 1);
#if defined(__GNUC__) || defined(__clang__)
    return (uint32_t)__builtin_popcount(below);
#else
    uint32_t bits = below - (below >> 1 & 0x55);
    bits = (bits & 0x33) + (bits >> 2 & 0x33);
    return (bits + (bits >> 4)) & 0x0F;
#endif
}

// The node number of a child that has a node.
MOTE_INLINE uint32_t mote_octree_child(const mote_proxy_node *node, uint32_t octant)
{
    return node->first + mote_octants_below(node->bits & 0xFF, octant);
}

// Packs a unit vector into ten bits per component, and unpacks it.
uint32_t mote_normal_pack(mote_vec3 normal);

MOTE_INLINE mote_vec3 mote_normal_unpack(uint32_t packed)
{
    double component[3];
    for (int k = 0; k < 3; ++k) {
        const int32_t bits = (int32_t)(packed >> 10 * k & 0x3FF);
        component[k] = bits >= 512 ? bits - 1024 : bits;
    }
    return mote_vec3_unit(mote_vec3_make(component[0], component[1], component[2]));
}

#endif
