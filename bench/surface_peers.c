// SPDX-License-Identifier: MIT
// The makers of surfaces of other libraries that were found when this was built.

#include "bench.h"

#if BENCH_OPENVDB
extern const bench_surface_peer bench_peer_openvdb;
#endif

#if BENCH_VTK
extern const bench_surface_peer bench_peer_flying_edges;
#endif

size_t bench_surface_peers(const bench_surface_peer *const **peers)
{
    static const bench_surface_peer *const list[] = {
#if BENCH_OPENVDB
        &bench_peer_openvdb,
#endif
#if BENCH_VTK
        &bench_peer_flying_edges,
#endif
        NULL,
    };
    *peers = list;
    return sizeof list / sizeof *list - 1;
}
