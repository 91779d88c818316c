// SPDX-License-Identifier: MIT
// nanoflann (k-d tree) as a peer, called as its authors advise for speed: static dimensions, L2_Simple, uint32 indices,
// leaves of 20, unsorted results within a radius; queries in parallel. Its ball is open: the radius² is the next float
// above.

#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <nanoflann.hpp>
#include <utility>
#include <vector>

#if defined(_OPENMP)
#include <omp.h>
#endif

#include "bench.h"

namespace {

struct cloud {
    const float *xyz;
    size_t count;
    int dimensions;
    size_t kdtree_get_point_count() const { return count; }
    float kdtree_get_pt(size_t i, size_t axis) const { return xyz[i * (size_t)dimensions + axis]; }
    template <class Box> bool kdtree_get_bbox(Box &) const { return false; }
};

double seconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <int Dimensions>
bool search_in(const bench_points *points, uint32_t threads, bool with_checksum, bench_peer_result *result)
{
    using tree_type = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<float, cloud>, cloud, Dimensions,
                                                          uint32_t>;
    // Lists that stay from call to call, as ours do.
    static std::vector<std::vector<uint32_t>> lists;
    static std::vector<uint32_t> counts;
    lists.resize(threads);
    counts.resize(points->count);

    cloud set{points->xyz, points->count, points->dimensions};
    double start = seconds();
    tree_type tree(Dimensions, set, nanoflann::KDTreeSingleIndexAdaptorParams(20));
    double built = seconds();
    float squared = std::nextafter(points->radius * points->radius, std::numeric_limits<float>::infinity());
    uint64_t pairs = 0, checksum = 0;

#pragma omp parallel num_threads((int)threads) reduction(+ : pairs, checksum)
    {
#if defined(_OPENMP)
        std::vector<uint32_t> &list = lists[(size_t)omp_get_thread_num()];
#else
        std::vector<uint32_t> &list = lists[0];
#endif
        list.clear();
        std::vector<std::pair<uint32_t, float>> found;
#pragma omp for schedule(dynamic, 512)
        for (int64_t i = 0; i < (int64_t)points->count; ++i) {
            nanoflann::RadiusResultSet<float, uint32_t> hits(squared, found);
            tree.findNeighbors(hits, points->xyz + (size_t)i * Dimensions, nanoflann::SearchParams(32, 0, false));
            uint32_t count = 0;
            for (const auto &hit : found) {
                if (hit.first == (uint32_t)i) continue;
                list.push_back(hit.first);
                ++count;
                if (with_checksum) checksum += bench_pair_hash((uint32_t)i, hit.first);
            }
            counts[(size_t)i] = count;
            pairs += count;
        }
    }
    *result = {built - start, seconds() - built, pairs, checksum, tree.usedMemory(tree)};
    return true;
}

bool search(const bench_points *points, uint32_t threads, bool with_checksum, bench_peer_result *result)
{
    return points->dimensions == 2 ? search_in<2>(points, threads, with_checksum, result)
                                   : search_in<3>(points, threads, with_checksum, result);
}

template <int Dimensions>
bool nearest_in(const bench_points *points, uint32_t k, uint32_t threads, bool with_checksum,
                bench_peer_result *result)
{
    (void)threads;  // without OpenMP
    using tree_type = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<float, cloud>, cloud, Dimensions,
                                                          uint32_t>;
    static std::vector<uint32_t> rows;  // that stay from call to call, as ours do
    rows.resize(points->count * k);

    cloud set{points->xyz, points->count, points->dimensions};
    double start = seconds();
    tree_type tree(Dimensions, set, nanoflann::KDTreeSingleIndexAdaptorParams(20));
    double built = seconds();
    uint64_t pairs = 0, checksum = 0;

#pragma omp parallel num_threads((int)threads) reduction(+ : pairs, checksum)
    {
        std::vector<uint32_t> indices(k + 1);
        std::vector<float> squared(k + 1);
#pragma omp for schedule(dynamic, 512)
        for (int64_t i = 0; i < (int64_t)points->count; ++i) {
            nanoflann::KNNResultSet<float, uint32_t> hits(k + 1);  // the point itself is one of them
            hits.init(indices.data(), squared.data());
            tree.findNeighbors(hits, points->xyz + (size_t)i * Dimensions, nanoflann::SearchParams(32, 0, true));
            uint32_t count = 0;
            for (size_t n = 0; n < hits.size() && count < k; ++n) {
                if (indices[n] == (uint32_t)i) continue;
                rows[(size_t)i * k + count++] = indices[n];
                if (with_checksum) checksum += bench_distance_hash((uint32_t)i, squared[n]);
            }
            pairs += count;
        }
    }
    *result = {built - start, seconds() - built, pairs, checksum, tree.usedMemory(tree)};
    return true;
}

bool nearest(const bench_points *points, uint32_t k, uint32_t threads, bool with_checksum, bench_peer_result *result)
{
    return points->dimensions == 2 ? nearest_in<2>(points, k, threads, with_checksum, result)
                                   : nearest_in<3>(points, k, threads, with_checksum, result);
}

}  // namespace

extern "C" size_t bench_neighbor_peers(const bench_peer **peers)
{
    static const bench_peer list[] = {{"nanoflann (unsorted, uint32, leaf 20)", search, nearest}};
    *peers = list;
    return sizeof list / sizeof *list;
}
