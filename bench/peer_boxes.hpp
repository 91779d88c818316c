// SPDX-License-Identifier: MIT
// peer_boxes.hpp: what the broad-phase peers share: all queries in parallel, what they find into lists that stay.
#ifndef MOTE_BENCH_PEER_BOXES_HPP
#define MOTE_BENCH_PEER_BOXES_HPP

#include <vector>

#if defined(_OPENMP)
#include <omp.h>
#endif

#include "bench.h"

// Calls find(corners of a query, list) for every query; it appends the ids that it finds to the list.
template <class Find>
void bench_query_all(const bench_boxes *queries, uint32_t threads, bool with_checksum, bench_box_result *result,
                     Find find)
{
    static std::vector<std::vector<uint32_t>> lists;
    static std::vector<uint32_t> counts;
    lists.resize(threads);
    counts.resize(queries->count);
    uint64_t overlaps = 0, checksum = 0;
#pragma omp parallel num_threads((int)threads) reduction(+ : overlaps, checksum)
    {
#if defined(_OPENMP)
        std::vector<uint32_t> &list = lists[(size_t)omp_get_thread_num()];
#else
        std::vector<uint32_t> &list = lists[0];
#endif
        list.clear();
#pragma omp for schedule(dynamic, 512)
        for (int64_t i = 0; i < (int64_t)queries->count; ++i) {
            const size_t before = list.size();
            find(queries->corners + 6 * i, list);
            counts[(size_t)i] = (uint32_t)(list.size() - before);
            overlaps += counts[(size_t)i];
            for (size_t k = before; with_checksum && k < list.size(); ++k)
                checksum += bench_pair_hash((uint32_t)i, list[k]);
        }
    }
    *result = {overlaps, checksum};
}

// Adds a pair of ids in any order.
inline void bench_add_pair(std::vector<std::pair<uint32_t, uint32_t>> &pairs, uint32_t a, uint32_t b)
{
    pairs.push_back(a < b ? std::make_pair(a, b) : std::make_pair(b, a));
}

inline void bench_sum_pairs(const std::vector<std::pair<uint32_t, uint32_t>> &pairs, bool with_checksum,
                            bench_box_result *result)
{
    *result = {pairs.size(), 0};
    for (size_t k = 0; with_checksum && k < pairs.size(); ++k)
        result->checksum += bench_pair_hash(pairs[k].first, pairs[k].second);
}

#endif
