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
