// SPDX-License-Identifier: MIT
// Which of some numbered things are connected (union-find with paths halved, Tarjan 1975). The root of a set is its
// smallest number, so that roots do not depend on the order in which things are joined.

#ifndef MOTE_BASE_UNION_FIND_H
#define MOTE_BASE_UNION_FIND_H

#include <stdint.h>

// parent[i] is i at the start. Shortens the path that it takes.
static inline uint32_t mote_find_root(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static inline void mote_unite(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = mote_find_root(parent, a);
    b = mote_find_root(parent, b);
    parent[a > b ? a : b] = a < b ? a : b;
}

#endif
