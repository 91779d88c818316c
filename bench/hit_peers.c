// SPDX-License-Identifier: MIT
// The ray casters of other libraries that were found when this was built.

#include "bench.h"

#if BENCH_EMBREE
extern const bench_hit_peer bench_peer_embree_1, bench_peer_embree_1_robust, bench_peer_embree_8,
    bench_peer_embree_8_robust;
#endif

#if BENCH_BULLET
extern const bench_hit_peer bench_peer_bullet_rays;
#endif

size_t bench_hit_peers(const bench_hit_peer *const **peers)
{
    static const bench_hit_peer *const list[] = {
#if BENCH_EMBREE
        &bench_peer_embree_1, &bench_peer_embree_1_robust, &bench_peer_embree_8, &bench_peer_embree_8_robust,
#endif
#if BENCH_BULLET
        &bench_peer_bullet_rays,
#endif
        NULL,
    };
    *peers = list;
    return sizeof list / sizeof *list - 1;
}
