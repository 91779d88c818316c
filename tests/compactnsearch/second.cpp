// SPDX-License-Identifier: MIT
// A second source with the headers, as programs have many: nothing is defined twice. The header without an ending.
#include <CompactNSearch>

std::size_t count_pairs(CompactNSearch::NeighborhoodSearch const &search, unsigned int i, unsigned int j);

std::size_t count_pairs(CompactNSearch::NeighborhoodSearch const &search, unsigned int i, unsigned int j)
{
    std::size_t pairs = 0;
    CompactNSearch::PointSet const &set = search.point_set(i);
    for (unsigned int k = 0; k < set.n_points(); ++k) pairs += set.n_neighbors(j, k);
    return pairs;
}

#if defined(_OPENMP) && defined(__GLIBCXX__)
// Programs built with OpenMP use the parallel algorithms that CompactNSearch's headers bring along.
std::size_t count_points(std::vector<CompactNSearch::PointSet> const &sets);

std::size_t count_points(std::vector<CompactNSearch::PointSet> const &sets)
{
    std::atomic<std::size_t> points(0);
    __gnu_parallel::for_each(sets.begin(), sets.end(),
                             [&](CompactNSearch::PointSet const &set) { points += set.n_points(); });
    return points;
}
#endif
