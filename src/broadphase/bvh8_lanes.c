// SPDX-License-Identifier: MIT
// Steps down the tree: each function has one body, compiled once more for AVX2; only the comparison of lanes
// differs.

#include "broadphase/bvh8_lanes.h"

typedef uint32_t lane_test(const bvh_node *node, const mote_bounds *box);

MOTE_INLINE bool visit_body(const bvh_tree *tree, uint32_t number, candidate_sink *sink, lane_test *overlap,
                            bvh_visit *visit)
{
    const bvh_node *node = tree->nodes + number;
    const uint32_t lanes = overlap(node, &sink->probe->reach);
    sink->lookups += 1;
    sink->candidates += mote_count_bits(node->objects);
    for (uint32_t left = lanes & node->objects; left; left &= left - 1)
        if (!mote_sink_meet(sink, node->child[mote_lowest_bit(left)])) return false;
    for (uint32_t left = lanes & node->nodes; left; left &= left - 1)
        if (!visit(tree, node->child[mote_lowest_bit(left)], sink)) return false;
    return true;
}

MOTE_INLINE void meet_body(const bvh_tree *tree, const bvh_branch *a, const bvh_branch *b, pair_writer *writer,
                           lane_test *overlap, bvh_meet *meet)
{
    if (a->is_object && b->is_object) {
        if (mote_pair_may_meet(writer->store, a->child, b->child)) mote_pair_add(writer, a->child, b->child);
        return;
    }
    const bvh_branch *open = a->is_object ? b : a, *other = a->is_object ? a : b;
    const bvh_node *node = tree->nodes + open->child;
    writer->lookups += 1;
    for (uint32_t lanes = overlap(node, &other->box); lanes; lanes &= lanes - 1) {
        const bvh_branch inner = mote_bvh_branch(node, mote_lowest_bit(lanes));
        writer->candidates += inner.is_object && other->is_object;
        if (other->is_object) {
            meet(tree, &inner, other, writer);
            continue;
        }
        const bvh_node *beside = tree->nodes + other->child;
        writer->lookups += 1;
        for (uint32_t left = overlap(beside, &inner.box); left; left &= left - 1) {
            const bvh_branch its = mote_bvh_branch(beside, mote_lowest_bit(left));
            writer->candidates += inner.is_object && its.is_object;
            meet(tree, &inner, &its, writer);
        }
    }
}

bool mote_bvh_visit_plain(const bvh_tree *tree, uint32_t number, candidate_sink *sink)
{
    return visit_body(tree, number, sink, mote_bvh_overlap, mote_bvh_visit_plain);
}

void mote_bvh_meet_plain(const bvh_tree *tree, const bvh_branch *a, const bvh_branch *b, pair_writer *writer)
{
    meet_body(tree, a, b, writer, mote_bvh_overlap, mote_bvh_meet_plain);
}

#if MOTE_HAVE_AVX2

#include <immintrin.h>

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

MOTE_TARGET_AVX2 bool mote_bvh_visit_avx2(const bvh_tree *tree, uint32_t number, candidate_sink *sink)
{
    return visit_body(tree, number, sink, overlap_avx2, mote_bvh_visit_avx2);
}

MOTE_TARGET_AVX2 void mote_bvh_meet_avx2(const bvh_tree *tree, const bvh_branch *a, const bvh_branch *b,
                                         pair_writer *writer)
{
    meet_body(tree, a, b, writer, overlap_avx2, mote_bvh_meet_avx2);
}

#endif
