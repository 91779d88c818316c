// SPDX-License-Identifier: MIT
// The broad phases of other libraries that were found when this was built.

#include "bench.h"

#if BENCH_BOOST
extern const bench_box_peer bench_peer_boost;
#endif
#if BENCH_BULLET
extern const bench_box_peer bench_peer_bullet;
#endif
#if BENCH_FCL
extern const bench_box_peer bench_peer_fcl;
#endif

size_t bench_box_peers(const bench_box_peer *const **peers)
{
    static const bench_box_peer *const list[] = {
#if BENCH_BOOST
        &bench_peer_boost,
#endif
#if BENCH_BULLET
        &bench_peer_bullet,
#endif
#if BENCH_FCL
        &bench_peer_fcl,
#endif
        NULL,
    };
    *peers = list;
    return sizeof list / sizeof *list - 1;
}
