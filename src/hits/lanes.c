// SPDX-License-Identifier: MIT
// The table of this module's loops for each instruction set.

#include "hits/lanes.h"

#define MOTIONS(form, eight) \
    { \
        .unpack = mote_hits_unpack_##form, \
        .unpack_records = mote_hits_unpack_records_##form, \
        .march_records = mote_hits_march_records_##form, \
        .pick = mote_hits_pick_##form, \
        .shorten_march = mote_hits_march_shorten_##form, \
        .place_march = mote_hits_march_place_##form, \
        .place_stream = mote_hits_stream_place_##form, \
        .certain_results = mote_hits_certain_results_##form, \
        .list_firsts = mote_hits_list_firsts_##form, \
        .make_lines = mote_hits_stream_lines_##form, \
        .enter_stream = mote_hits_stream_enter_##form, \
        .filter_leaves = mote_hits_filter_leaves_##form, \
        .visit_cells = mote_hits_cells_visit_##eight, \
        .filter_cluster = mote_hits_filter_cluster_##eight, \
        .filter_pairs = mote_hits_filter_pairs_##eight, \
        .make_root = mote_hits_stream_root_##eight, \
        .step_stream = mote_hits_stream_step_##eight, \
        .cut_stream = mote_hits_stream_cut_##eight, \
        .cast_tree = mote_hits_tree_cast_##eight, \
        .meet_triangle = mote_hits_meet_triangle_##eight, \
    }

const hits_motion_lanes mote_hits_motion_plain = MOTIONS(plain, plain);
const hits_lanes mote_hits_lanes_plain = {&mote_hits_motion_plain, &mote_hits_closest_plain, mote_hits_lower_plain};
#if MOTE_HAVE_AVX2
static const hits_motion_lanes motion_avx2 = MOTIONS(avx2, avx2), motion_avx512 = MOTIONS(avx512, avx2);
static const hits_lanes avx2 = {&motion_avx2, &mote_hits_closest_avx2, mote_hits_lower_avx2};
static const hits_lanes avx512 = {&motion_avx512, &mote_hits_closest_avx2, mote_hits_lower_avx2};
#endif
#if MOTE_HAVE_SIMD128
static const hits_motion_lanes motion_128 = MOTIONS(128, 128);
static const hits_lanes simd128 = {&motion_128, &mote_hits_closest_128, mote_hits_lower_128};
#endif

const hits_lanes *mote_hits_lanes_choose(const mote_context *context)
{
    switch (mote_context_simd(context)) {
#if MOTE_HAVE_AVX2
    case MOTE_SIMD_AVX2: return &avx2;
    case MOTE_SIMD_AVX512: return &avx512;
#endif
#if MOTE_HAVE_SIMD128
    case MOTE_SIMD_128: return &simd128;
#endif
    default: return &mote_hits_lanes_plain;
    }
}
