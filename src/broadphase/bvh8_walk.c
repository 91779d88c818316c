// Walks through the tree: what overlaps a reach, all pairs by going down two branches at once, the closest box.
//
// Walks recurse: the depth of the tree is bounded (bvh8_build.c), and nothing needs to be allocated. Each is one body,
// compiled once more for AVX2; what differs is how the eight lanes of a node are compared.

#include "base/order.h"
#include "broadphase/bvh8_tree.h"

#if MOTE_HAVE_AVX2
#include <immintrin.h>
#endif

enum { NODES = 16 };  // of a block of work

// Which lanes overlap a box.
typedef uint32_t lane_test(const bvh_node *node, const mote_bounds *box);

static inline uint32_t overlap_plain(const bvh_node *node, const mote_bounds *box)
{
    uint32_t lanes = 0;
    for (uint32_t lane = 0; lane < LANES; ++lane) {
        bool meet = true;
        for (int k = 0; k < 3; ++k)
            meet &= (node->min[k][lane] <= box->max[k]) & (box->min[k] <= node->max[k][lane]);
        lanes |= (uint32_t)meet << lane;
    }
    return lanes;
}

#if MOTE_HAVE_AVX2
MOTE_TARGET_AVX2 static inline uint32_t overlap_avx2(const bvh_node *node, const mote_bounds *box)
{
    __m256 meet = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
    for (int k = 0; k < 3; ++k) {
        const __m256 low = _mm256_cmp_ps(_mm256_loadu_ps(node->min[k]), _mm256_set1_ps(box->max[k]), _CMP_LE_OQ);
        const __m256 high = _mm256_cmp_ps(_mm256_set1_ps(box->min[k]), _mm256_loadu_ps(node->max[k]), _CMP_LE_OQ);
        meet = _mm256_and_ps(meet, _mm256_and_ps(low, high));
    }
    return (uint32_t)_mm256_movemask_ps(meet);
}
#endif

static inline uint32_t lowest_bit(uint32_t bits)
{
#if defined(__GNUC__) || defined(__clang__)
    return (uint32_t)__builtin_ctz(bits);
#else
    uint32_t place = 0;
    while (!(bits >> place & 1)) ++place;
    return place;
#endif
}

static inline uint32_t count_bits(uint32_t bits)
{
    uint32_t count = 0;
    for (; bits; bits &= bits - 1) ++count;
    return count;
}

// ------------------------------------------------------------------------------------------------------ queries

typedef bool visit_function(const bvh_tree *tree, uint32_t number, candidate_sink *sink);

MOTE_INLINE bool visit_body(const bvh_tree *tree, uint32_t number, candidate_sink *sink, lane_test *overlap,
                            visit_function *visit)
{
    const bvh_node *node = tree->nodes + number;
    const uint32_t lanes = overlap(node, &sink->probe->reach);
    sink->lookups += 1;
    sink->candidates += count_bits(node->objects);
    for (uint32_t left = lanes & node->objects; left; left &= left - 1)
        if (!mote_sink_meet(sink, node->child[lowest_bit(left)])) return false;
    for (uint32_t left = lanes & node->nodes; left; left &= left - 1)
        if (!visit(tree, node->child[lowest_bit(left)], sink)) return false;
    return true;
}

static bool visit_plain(const bvh_tree *tree, uint32_t number, candidate_sink *sink)
{
    return visit_body(tree, number, sink, overlap_plain, visit_plain);
}

#if MOTE_HAVE_AVX2
MOTE_TARGET_AVX2 static bool visit_avx2(const bvh_tree *tree, uint32_t number, candidate_sink *sink)
{
    return visit_body(tree, number, sink, overlap_avx2, visit_avx2);
}
#endif

void mote_bvh_candidates(const bvh_tree *tree, candidate_sink *sink)
{
    if (tree->node_count == 0) return;
#if MOTE_HAVE_AVX2
    if (mote_cpu_has_avx2()) {
        visit_avx2(tree, 0, sink);
        return;
    }
#endif
    visit_plain(tree, 0, sink);
}

// -------------------------------------------------------------------------------------------------------- pairs

// What a lane holds.
typedef struct bvh_branch {
    mote_bounds box;
    uint32_t child;
    bool is_object;
} bvh_branch;

typedef struct bvh_pairing {
    const bvh_tree *tree;
    pair_writer *writers;
    void (*meet)(const bvh_tree *tree, const bvh_branch *a, const bvh_branch *b, pair_writer *writer);
} bvh_pairing;

typedef void meet_function(const bvh_tree *tree, const bvh_branch *a, const bvh_branch *b, pair_writer *writer);

static inline bvh_branch branch_of(const bvh_node *node, uint32_t lane)
{
    bvh_branch branch = {mote_bvh_lane(node, lane), node->child[lane], (node->objects >> lane & 1) != 0};
    return branch;
}

// Everything under one branch with everything under the other, whose boxes overlap. Both are opened together, or the
// one that is no object.
MOTE_INLINE void meet_body(const bvh_tree *tree, const bvh_branch *a, const bvh_branch *b, pair_writer *writer,
                           lane_test *overlap, meet_function *meet)
{
    if (a->is_object && b->is_object) {
        if (mote_pair_may_meet(writer->store, a->child, b->child)) mote_pair_add(writer, a->child, b->child);
        return;
    }
    const bvh_branch *open = a->is_object ? b : a, *other = a->is_object ? a : b;
    const bvh_node *node = tree->nodes + open->child;
    writer->lookups += 1;
    for (uint32_t lanes = overlap(node, &other->box); lanes; lanes &= lanes - 1) {
        const bvh_branch inner = branch_of(node, lowest_bit(lanes));
        writer->candidates += inner.is_object && other->is_object;
        if (other->is_object) {
            meet(tree, &inner, other, writer);
            continue;
        }
        const bvh_node *beside = tree->nodes + other->child;
        writer->lookups += 1;
        for (uint32_t left = overlap(beside, &inner.box); left; left &= left - 1) {
            const bvh_branch its = branch_of(beside, lowest_bit(left));
            writer->candidates += inner.is_object && its.is_object;
            meet(tree, &inner, &its, writer);
        }
    }
}

static void meet_plain(const bvh_tree *tree, const bvh_branch *a, const bvh_branch *b, pair_writer *writer)
{
    meet_body(tree, a, b, writer, overlap_plain, meet_plain);
}

#if MOTE_HAVE_AVX2
MOTE_TARGET_AVX2 static void meet_avx2(const bvh_tree *tree, const bvh_branch *a, const bvh_branch *b,
                                       pair_writer *writer)
{
    meet_body(tree, a, b, writer, overlap_avx2, meet_avx2);
}
#endif

// Pairs whose paths part at these nodes: two lanes of one, and what is below them.
static void pair_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    const bvh_pairing *task = data;
    pair_writer *writer = task->writers + worker;
    for (size_t k = begin; k < end && !writer->has_ended; ++k) {
        const bvh_node *node = task->tree->nodes + k;
        for (uint32_t lane = 0; lane + 1 < LANES; ++lane) {
            if (!((node->objects | node->nodes) >> lane & 1)) continue;
            const bvh_branch a = branch_of(node, lane);
            uint32_t lanes = overlap_plain(node, &a.box) & ~((2u << lane) - 1);
            for (; lanes; lanes &= lanes - 1) {
                const bvh_branch b = branch_of(node, lowest_bit(lanes));
                writer->candidates += a.is_object && b.is_object;
                task->meet(task->tree, &a, &b, writer);
            }
        }
    }
}

void mote_bvh_pairs(const bvh_tree *tree, const mote_context *context, pair_writer *writers)
{
    bvh_pairing task = {tree, writers, meet_plain};
#if MOTE_HAVE_AVX2
    if (mote_cpu_has_avx2()) task.meet = meet_avx2;
#endif
    mote_parallel_for(context, tree->node_count, NODES, pair_block, &task);
}

// ------------------------------------------------------------------------------------------------------ closest

// Near lanes first; what is farther than the best is left out, what is as far is not, for its id may be lower.
static void approach(const bvh_tree *tree, uint32_t number, const object_store *store, const double at[3],
                     mote_filter filter, mote_closest_object *closest)
{
    const bvh_node *node = tree->nodes + number;
    double distances[LANES];
    uint32_t order[LANES], count = 0;
    for (uint32_t lane = 0; lane < LANES; ++lane) {
        if (!((node->objects | node->nodes) >> lane & 1)) continue;
        const mote_bounds box = mote_bvh_lane(node, lane);
        distances[lane] = mote_bounds_squared_distance(&box, at);
        if (!(distances[lane] <= closest->squared)) continue;  // neither that of an empty node
        mote_insert_by_distance(order, count++, lane, distances);
    }
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t lane = order[k], child = node->child[lane];
        if (distances[lane] > closest->squared) return;
        if (node->nodes >> lane & 1) {
            approach(tree, child, store, at, filter, closest);
            continue;
        }
        const bool closer = distances[lane] < closest->squared || child < closest->id;
        if (closer && mote_filters_meet(filter, store->filters[child]))
            *closest = (mote_closest_object){child, distances[lane]};
    }
}

void mote_bvh_closest(const bvh_tree *tree, const object_store *store, const double at[3], mote_filter filter,
                      mote_closest_object *closest)
{
    if (tree->node_count) approach(tree, 0, store, at, filter, closest);
}
