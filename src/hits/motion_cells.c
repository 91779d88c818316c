// SPDX-License-Identifier: MIT
// Finds the clusters near short motions: those of the cells around them (motion_cell_lanes.c) that lie in the same
// parts of a cell as the motion.

#include "hits/motion_lanes.h"

// The clusters that were found last, indexed by the lowest bits of their numbers.
enum { SEEN = 256 };

// Lists the clusters of the visits that are left, as long as there is room; false if there is not. A cluster lies in
// several cells: it is skipped if the same motion has already found it, unless another cluster has replaced it in
// `seen`.
static bool list_clusters(const hits_grid *grid, uint64_t seen[SEEN + 1], hits_candidates *candidates)
{
    uint64_t *clusters = candidates->clusters;
    size_t found = candidates->cluster_count;
    for (; candidates->visit_at < candidates->visit_count; ++candidates->visit_at) {
        const hits_cell_visit visit = candidates->visits[candidates->visit_at];
        const hits_node *node = &grid->nodes[visit.node];
        if (node->count == 0 || node->count > HITS_SHORT_LISTS) {
            candidates->others[candidates->other_count++] = visit;
            continue;
        }
        if (found + node->count > HITS_JOBS) break;
        const uint64_t motion = (uint64_t)visit.motion << 32, mask = candidates->masks[candidates->visit_at];
        for (uint32_t r = node->first; r < node->first + node->count; ++r) {
            const uint64_t pair = motion | grid->clusters[r];
            const bool passes = (grid->masks[r] & mask) != 0;
            uint64_t *place = &seen[passes ? pair % SEEN : SEEN];
            clusters[found] = pair;
            found += passes & (*place != pair);
            *place = pair;
        }
    }
    candidates->cluster_count = found;
    return candidates->visit_at == candidates->visit_count;
}

size_t mote_hits_cells_find(const mote_hits *hits, const hits_near_motions *near, size_t begin,
                            hits_candidates *candidates)
{
    uint64_t seen[SEEN + 1];
    memset(seen, 0xFF, sizeof seen);
    candidates->cluster_count = candidates->other_count = 0;
    while (list_clusters(&hits->grid, seen, candidates)) {
        if (begin == near->count || candidates->other_count + HITS_VISITS > HITS_OTHERS) return begin;
        const size_t end = MOTE_MIN(begin + HITS_GROUP, near->count);
        candidates->visit_at = 0;
        hits->motion_lanes->visit_cells(&hits->grid, near, begin, end, candidates);
        begin = end;
    }
    return begin;
}
