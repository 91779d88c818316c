// SPDX-License-Identifier: MIT
// Moves many motions of points down the tree together (ray streams: Barringer & Akenine-Möller 2014): each motion
// visits one node at a time, and while it waits for that node's memory the others are processed. Children of a node
// are pushed all at once, in the order that their slots have for the motion's octant (Ylitie, Karras & Laine 2017),
// which is nearly that of their distances.
//
// No box that a motion meets is missed: see motion_descent.c. Ends of motions come from the march, in cells and within
// HITS_FLOAT_ERROR, as are all points between them; so boxes are enlarged by twice that.

#include "hits/motion_stream.h"

// Motions parallel to an axis are tilted by this much, which is less than rounding errors.
#define LEAST_WAY 0x1p-30f

// Data shared by all motions: the conversion from cells to the tree's lengths along an axis, and the margin of
// boxes.
typedef struct stream_frame {
    float edge, corner[3], margin;
} stream_frame;

static stream_frame make_frame(const mote_hits *all)
{
    const hits_grid *grid = &all->grid;
    stream_frame frame = {.edge = (float)grid->edge};
    frame.margin = (float)(HITS_CAST_MARGIN + 2 * (double)HITS_FLOAT_ERROR * grid->edge);
    for (int k = 0; k < 3; ++k) frame.corner[k] = (float)(grid->origin[k] - all->tree->origin[k]);
    return frame;
}

static void clear(const hits_march *march, size_t first, hits_stream *stream)
{
    stream->first = first;
    stream->count = stream->active_count = MOTE_MIN(march->count - first, (size_t)HITS_STREAM);
    stream->alone_count = 0;
    for (size_t i = 0; i < stream->count; ++i) {
        stream->most[i] = 1;
        stream->stack_count[i] = 1;
        stream->active[i] = (uint16_t)i;
        stream->node[i][0] = 0;
        stream->enters[i][0] = 0;
    }
}

// Pops a motion's next node that is not behind its first hit so far; false if there is none.
MOTE_INLINE bool pop(hits_stream *stream, size_t i, uint32_t *node)
{
    uint32_t count = stream->stack_count[i];
    const float most = stream->most[i];
    do {
        if (count == 0) return false;
        --count;
    } while (stream->enters[i][count] > most);
    stream->stack_count[i] = count;
    *node = stream->node[i][count];
    return true;
}

// Pushes the children of a node, the farthest first.
typedef void open_function(const hits_tree_node *node, hits_stream *stream, size_t i);

MOTE_INLINE void step(const struct hits_tree *tree, hits_stream *stream, open_function *open)
{
    size_t kept = 0;
    stream->leaf_count = 0;
    for (size_t a = 0; a < stream->active_count; ++a) {
        const size_t i = stream->active[a];
        uint32_t at;
        if (!pop(stream, i, &at)) continue;
        open(&tree->nodes[at], stream, i);
        const uint32_t count = stream->stack_count[i];
        stream->active[kept] = (uint16_t)i;
        if (count > HITS_STREAM_STACK) {
            stream->alone[stream->alone_count++] = (uint16_t)i;
            continue;
        }
        kept += count > 0;
        const char *next = (const char *)&tree->nodes[stream->node[i][count ? count - 1 : 0]];
        for (size_t line = 0; line < sizeof(hits_tree_node); line += 64) mote_prefetch(next + line);
    }
    stream->active_count = kept;
}

// ------------------------------------------------------------------------------------------------------- scalar

static bool enters(const hits_tree_node *node, const hits_stream *stream, size_t i, uint32_t slot, float *share)
{
    float begin = 0, end = stream->most[i];
    for (uint32_t k = 0; k < 3; ++k) {
        const bool is_down = stream->octant[i] >> k & 1;
        const float per_way = stream->per_way[k][i];
        const float in = (node->plane[is_down ? k + 3 : k][slot] - stream->in_from[k][i]) * per_way;
        const float out = (node->plane[is_down ? k : k + 3][slot] - stream->out_from[k][i]) * per_way;
        begin = in > begin ? in : begin;
        end = out < end ? out : end;
    }
    *share = begin;
    return begin <= end;
}

static void open_plain(const hits_tree_node *node, hits_stream *stream, size_t i)
{
    for (uint32_t place = HITS_TREE_FAN; place-- > 0;) {
        const uint32_t slot = place ^ stream->octant[i], child = node->child[slot];
        float share;
        if (!enters(node, stream, i, slot, &share)) continue;
        if (child & HITS_TREE_NODE) {
            const uint32_t count = stream->stack_count[i]++;
            stream->node[i][count] = child & ~HITS_TREE_NODE;
            stream->enters[i][count] = share;
        } else {
            stream->leaf[stream->leaf_count] = child;
            stream->leaf_of[stream->leaf_count++] = (uint32_t)i;
        }
    }
}

void mote_hits_stream_begin_plain(const mote_hits *all, const hits_march *march, size_t first, hits_stream *stream)
{
    const stream_frame frame = make_frame(all);
    clear(march, first, stream);
    for (size_t i = 0; i < stream->count; ++i) {
        const size_t n = first + i;
        const float begin = march->begin[n], length = (march->last[n] - begin) * frame.edge;
        stream->octant[i] = 0;
        for (int k = 0; k < 3; ++k) {
            const float along = length * march->way[k][n], least = along < 0 ? -LEAST_WAY : LEAST_WAY;
            const float at = (march->from[k][n] + begin * march->way[k][n]) * frame.edge + frame.corner[k];
            const float before = along < 0 ? -frame.margin : frame.margin;
            stream->per_way[k][i] = 1 / (fabsf(along) < LEAST_WAY ? least : along);
            stream->in_from[k][i] = at + before;
            stream->out_from[k][i] = at - before;
            stream->octant[i] |= (uint32_t)(along < 0) << k;
        }
    }
}

void mote_hits_stream_step_plain(const struct hits_tree *tree, hits_stream *stream)
{
    step(tree, stream, open_plain);
}

// --------------------------------------------------------------------------------------------------------- AVX2

#if MOTE_HAVE_AVX2

MOTE_TARGET_AVX2 static inline void open_avx2(const hits_tree_node *node, hits_stream *stream, size_t i)
{
    __m256 begin = _mm256_setzero_ps(), end = _mm256_set1_ps(stream->most[i]);
    const uint32_t octant = stream->octant[i];
    for (uint32_t k = 0; k < 3; ++k) {
        const uint32_t high = 3 * (octant >> k & 1);
        const float per_way = stream->per_way[k][i];
        begin = _mm256_max_ps(mote_hits_tree_share_lanes(node->plane[k + high], stream->in_from[k][i], per_way), begin);
        end =
            _mm256_min_ps(mote_hits_tree_share_lanes(node->plane[k + 3 - high], stream->out_from[k][i], per_way), end);
    }
    // Lane p below is slot p ^ 7 ^ octant: the farthest first.
    const __m256i slots = _mm256_set1_epi32((int)(octant ^ 7));
    const __m256i order = _mm256_xor_si256(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), slots);
    const __m256i children =
        _mm256_permutevar8x32_epi32(_mm256_load_si256((const __m256i *)(const void *)node->child), order);
    const __m256 passes = _mm256_permutevar8x32_ps(_mm256_cmp_ps(begin, end, _CMP_LE_OQ), order);
    begin = _mm256_permutevar8x32_ps(begin, order);
    const uint32_t bits = (uint32_t)_mm256_movemask_ps(passes);
    const uint32_t is_node = (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(children));
    const __m256i front = mote_compress_lanes(bits & is_node), leaves = mote_compress_lanes(bits & ~is_node);
    const uint32_t count = stream->stack_count[i];
    const __m256i nodes = _mm256_and_si256(children, _mm256_set1_epi32((int)~HITS_TREE_NODE));
    _mm256_storeu_si256((__m256i *)(void *)(stream->node[i] + count), _mm256_permutevar8x32_epi32(nodes, front));
    _mm256_storeu_ps(stream->enters[i] + count, _mm256_permutevar8x32_ps(begin, front));
    stream->stack_count[i] = count + mote_count_bits(bits & is_node);
    const size_t leaf_count = stream->leaf_count;
    _mm256_storeu_si256((__m256i *)(void *)(stream->leaf + leaf_count), _mm256_permutevar8x32_epi32(children, leaves));
    _mm256_storeu_si256((__m256i *)(void *)(stream->leaf_of + leaf_count), _mm256_set1_epi32((int)i));
    stream->leaf_count = leaf_count + mote_count_bits(bits & ~is_node);
}

// Sets up axis k of eight motions from i on. Returns bit k of their octants.
MOTE_TARGET_AVX2 static inline __m256i place_lanes(const stream_frame *frame, const hits_march *march, size_t i, int k,
                                                   hits_stream *stream)
{
    const size_t n = stream->first + i;
    const __m256 begin = _mm256_loadu_ps(march->begin + n), edge = _mm256_set1_ps(frame->edge);
    const __m256 length = _mm256_mul_ps(_mm256_sub_ps(_mm256_loadu_ps(march->last + n), begin), edge);
    const __m256 way = _mm256_loadu_ps(march->way[k] + n), along = _mm256_mul_ps(length, way);
    const __m256 minus = _mm256_set1_ps(-0.0f), least = _mm256_set1_ps(LEAST_WAY);
    const __m256 down = _mm256_cmp_ps(along, _mm256_setzero_ps(), _CMP_LT_OQ), sign = _mm256_and_ps(down, minus);
    const __m256 at = _mm256_add_ps(_mm256_loadu_ps(march->from[k] + n), _mm256_mul_ps(begin, way));
    const __m256 from = _mm256_add_ps(_mm256_mul_ps(at, edge), _mm256_set1_ps(frame->corner[k]));
    const __m256 before = _mm256_xor_ps(_mm256_set1_ps(frame->margin), sign);
    const __m256 is_small = _mm256_cmp_ps(_mm256_andnot_ps(minus, along), least, _CMP_LT_OQ);
    const __m256 step = _mm256_blendv_ps(along, _mm256_xor_ps(least, sign), is_small);
    _mm256_storeu_ps(stream->per_way[k] + i, _mm256_div_ps(_mm256_set1_ps(1), step));
    _mm256_storeu_ps(stream->in_from[k] + i, _mm256_add_ps(from, before));
    _mm256_storeu_ps(stream->out_from[k] + i, _mm256_sub_ps(from, before));
    return _mm256_and_si256(_mm256_castps_si256(down), _mm256_set1_epi32(1 << k));
}

MOTE_TARGET_AVX2 void mote_hits_stream_begin_avx2(const mote_hits *all, const hits_march *march, size_t first,
                                                  hits_stream *stream)
{
    const stream_frame frame = make_frame(all);
    clear(march, first, stream);
    // The march's columns have room for eight more.
    for (size_t i = 0; i < stream->count; i += 8) {
        __m256i octant = place_lanes(&frame, march, i, 0, stream);
        octant = _mm256_or_si256(octant, place_lanes(&frame, march, i, 1, stream));
        octant = _mm256_or_si256(octant, place_lanes(&frame, march, i, 2, stream));
        _mm256_storeu_si256((__m256i *)(void *)(stream->octant + i), octant);
    }
}

MOTE_TARGET_AVX2 void mote_hits_stream_step_avx2(const struct hits_tree *tree, hits_stream *stream)
{
    step(tree, stream, open_avx2);
}

#endif
