// SPDX-License-Identifier: MIT
// The k nearest of float points in an open space, for one query.
//
// Squared distance and index form one 64-bit key: the bits of non-negative floats have the same order as the floats,
// so keys order neighbours by (squared distance, index). The best keys are kept sorted while there are few,
// otherwise in a heap with the farthest at its root.
//
// The search begins in a leaf near the query (its own leaf if the query is one of the set's points) and goes up:
// each node on the way to the root has a sibling subtree, which is entered unless all of it is beyond the current
// k-th. Near points are found first in this way, and the cost of a query depends on its surroundings, not on the
// height of the tree.

#include "neighbors/tree_nearest_floats.h"

#include <math.h>
#include <string.h>

#include "base/wide4.h"

enum { IN_ORDER = 32 };  // keys that are kept sorted; more form a heap

// -------------------------------------------------------------------------------------------------------- the keys

static inline uint64_t key_of(float squared, uint32_t index)
{
    uint32_t bits;
    memcpy(&bits, &squared, sizeof bits);
    return (uint64_t)bits << 32 | index;
}

static inline float squared_of(uint64_t key)
{
    uint32_t bits = (uint32_t)(key >> 32);
    float squared;
    memcpy(&squared, &bits, sizeof squared);
    return squared;
}

#define SORT_TYPE uint64_t
#define SORT_BEFORE(data, a, b) ((a) < (b))
#define SORT_NAME(verb) keys_##verb
#include "base/sorts.inl"

typedef struct best_keys {
    uint64_t *keys;
    size_t count;
    float limit;  // squared distance of the farthest
} best_keys;

// Starts as if infinitely distant points had been found: every point found comes before them.
static best_keys no_keys(uint64_t *keys, size_t count)
{
    for (size_t k = 0; k < count; ++k) keys[k] = key_of(HUGE_VALF, UINT32_MAX);
    return (best_keys){keys, count, HUGE_VALF};
}

static inline uint64_t worst_key(const best_keys *best)
{
    return best->keys[best->count <= IN_ORDER ? best->count - 1 : 0];
}

// Keeps the keys sorted: every key is moved or kept by comparisons without branches, as branch prediction could not
// guess its place.
static inline void add_key(best_keys *best, uint64_t key)
{
    uint64_t *keys = best->keys;
    if (best->count <= IN_ORDER) {
        for (size_t at = best->count - 1; at > 0; --at) {
            const uint64_t before = keys[at - 1] > key ? keys[at - 1] : key;
            keys[at] = keys[at] < before ? keys[at] : before;
        }
        keys[0] = keys[0] < key ? keys[0] : key;
    } else {
        keys_sift_down(NULL, keys, best->count, 0, key);
    }
    best->limit = squared_of(worst_key(best));
}

// -------------------------------------------------------------------------------------------------------- the tree

typedef struct key_search {
    const kd_tree *tree;
    float at[4];
    uint32_t self;
    best_keys best;
    uint64_t candidates;
} key_search;

// Computes the squared distances of a leaf's points, reading whole vectors, and returns one bit for each point
// within the limit.
static inline uint32_t measure_leaf(const key_search *search, uint32_t begin, float squared[KD_LEAF])
{
    const float *x = search->tree->f32[0] + begin, *y = search->tree->f32[1] + begin;
    const float *z = search->tree->f32[2] + begin;
    uint32_t near = 0;
    const mote_f4 at_x = f4_set(search->at[0]), at_y = f4_set(search->at[1]), at_z = f4_set(search->at[2]);
    const mote_f4 limit = f4_set(search->best.limit);
    for (uint32_t k = 0; k < KD_LEAF; k += 4) {
        const mote_f4 dx = f4_sub(f4_load(x + k), at_x), dy = f4_sub(f4_load(y + k), at_y);
        const mote_f4 dz = f4_sub(f4_load(z + k), at_z);
        const mote_f4 sum = f4_add(f4_add(f4_mul(dx, dx), f4_mul(dy, dy)), f4_mul(dz, dz));
        f4_store(squared + k, sum);
        near |= f4_at_most(sum, limit) << k;
    }
    return near;
}

static inline void test_leaf(key_search *search, uint32_t leaf)
{
    const kd_tree *tree = search->tree;
    const uint32_t begin = mote_kd_leaf_begin(tree, leaf), count = mote_kd_leaf_begin(tree, leaf + 1) - begin;
    float squared[KD_LEAF];
    uint32_t near = measure_leaf(search, begin, squared) & ((UINT32_C(1) << count) - 1);
    search->candidates += count;
    for (; near; near &= near - 1) {
        const uint32_t k = mote_lowest_bit(near), index = tree->index[begin + k];
        const uint64_t key = key_of(squared[k], index);
        if (key < worst_key(&search->best) && index != search->self) add_key(&search->best, key);
    }
}

// mote_kd_bound for float boxes.
static inline float bound_of(const key_search *search, uint32_t node)
{
    const float *box = search->tree->boxes_f32 + 6 * (size_t)node;
    const mote_f4 at = f4_load(search->at);
    const mote_f4 above = f4_sub(f4_load(box), at), below = f4_sub(at, f4_load(box + 3));  // and one more
    const mote_f4 gap = f4_max(f4_max(above, below), f4_set(0)), squared = f4_mul(gap, gap);
    return (f4_lane(squared, 0) + f4_lane(squared, 1)) + f4_lane(squared, 2);
}

// Tells whether everything below the node comes after the farthest wanted key; reads its smallest index only if that
// decides.
static inline bool is_beyond(const key_search *search, uint32_t node, float bound)
{
    const best_keys *best = &search->best;
    return bound > best->limit || (bound == best->limit && search->tree->least[node] > (uint32_t)worst_key(best));
}

// Tests the points below a node that may be wanted, near subtrees first.
static void search_below(key_search *search, uint32_t top, float top_bound)
{
    struct {
        uint32_t node;
        float bound;
    } stack[KD_MAX_LEVELS + 2];
    const uint32_t first_leaf = mote_kd_leaf_count(search->tree);
    int depth = 0;
    stack[depth].node = top, stack[depth++].bound = top_bound;
    while (depth > 0) {
        uint32_t node = stack[--depth].node;
        float bound = stack[depth].bound;
        while (!is_beyond(search, node, bound)) {
            if (node >= first_leaf) {
                test_leaf(search, node - first_leaf);
                break;
            }
            const float left = bound_of(search, 2 * node), right = bound_of(search, 2 * node + 1);
            const uint32_t far = 2 * node + (left <= right);
            const float far_bound = left <= right ? right : left;
            stack[depth].node = far, stack[depth].bound = far_bound;
            depth += !is_beyond(search, far, far_bound);
            node = far ^ 1, bound = left <= right ? left : right;
        }
    }
}

// Returns the leaf that contains the query, as far as the boxes show.
static uint32_t leaf_near(const key_search *search)
{
    const uint32_t first_leaf = mote_kd_leaf_count(search->tree);
    uint32_t node = 1;
    while (node < first_leaf) node = 2 * node + (bound_of(search, 2 * node + 1) < bound_of(search, 2 * node));
    return node - first_leaf;
}

uint64_t mote_nearest_keys_find(const kd_tree *tree, const row_query *query, uint32_t leaf, uint64_t *keys,
                                size_t wanted)
{
    key_search search = {.tree = tree, .self = query->self};
    search.best = no_keys(keys, wanted);
    for (int k = 0; k < 3; ++k) search.at[k] = (float)query->at[k];
    if (leaf == UINT32_MAX) leaf = leaf_near(&search);
    test_leaf(&search, leaf);
    for (uint32_t node = mote_kd_leaf_count(tree) + leaf; node > 1; node /= 2) {
        const float bound = bound_of(&search, node ^ 1);
        if (!is_beyond(&search, node ^ 1, bound)) search_below(&search, node ^ 1, bound);
    }
    if (wanted > IN_ORDER) keys_unheap(NULL, keys, wanted);
    return search.candidates;
}
