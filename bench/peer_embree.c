// SPDX-License-Identifier: MIT
// Embree 3 as a peer: first hits of segments as rays from 0 to 1, one at a time and in packets of eight; flags as its
// manual advises for rays that have nothing to do with each other, and once more with its robust mode.

#include <embree3/rtcore.h>
#include <pmmintrin.h>
#include <stdlib.h>

#include "bench.h"

typedef struct embree {
    RTCDevice device;
    RTCScene scene;
} embree;

static void release(void *structure)
{
    embree *of = structure;
    if (of->scene) rtcReleaseScene(of->scene);
    if (of->device) rtcReleaseDevice(of->device);
    free(of);
}

static bool fill(embree *of, const mote_mesh *mesh, enum RTCSceneFlags flags)
{
    of->device = rtcNewDevice("threads=1");
    of->scene = of->device ? rtcNewScene(of->device) : NULL;
    if (!of->scene) return false;
    rtcSetSceneFlags(of->scene, flags);
    RTCGeometry geometry = rtcNewGeometry(of->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    float *vertices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float),
                                              mesh->vertex_count);
    uint32_t *triangles = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                                  3 * sizeof(uint32_t), mesh->triangle_count);
    if (vertices && triangles) {
        for (size_t v = 0; v < mesh->vertex_count; ++v) {
            vertices[3 * v] = (float)mesh->vertices[v].x;
            vertices[3 * v + 1] = (float)mesh->vertices[v].y;
            vertices[3 * v + 2] = (float)mesh->vertices[v].z;
        }
        memcpy(triangles, mesh->triangles, 3 * mesh->triangle_count * sizeof *triangles);
        rtcCommitGeometry(geometry);
        rtcAttachGeometry(of->scene, geometry);
        rtcCommitScene(of->scene);
    }
    rtcReleaseGeometry(geometry);
    return vertices && triangles;
}

static void *build_with(const mote_mesh *mesh, enum RTCSceneFlags flags)
{
    embree *made = calloc(1, sizeof *made);
    if (made && fill(made, mesh, flags)) return made;
    if (made) release(made);
    return NULL;
}

static void *build(const mote_mesh *mesh)
{
    return build_with(mesh, RTC_SCENE_FLAG_NONE);
}

static void *build_robust(const mote_mesh *mesh)
{
    return build_with(mesh, RTC_SCENE_FLAG_ROBUST);
}

static uint64_t query_1(void *structure, const float *from, const float *to, size_t count)
{
    const embree *of = structure;
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT;
    const unsigned int control = _mm_getcsr();
    _mm_setcsr(control | _MM_FLUSH_ZERO_ON | _MM_DENORMALS_ZERO_ON);
    uint64_t hits = 0;
    for (size_t i = 0; i < count; ++i) {
        const float *a = from + 3 * i, *b = to + 3 * i;
        struct RTCRayHit ray = {.ray = {.org_x = a[0], .org_y = a[1], .org_z = a[2], .tnear = 0, .dir_x = b[0] - a[0],
                                        .dir_y = b[1] - a[1], .dir_z = b[2] - a[2], .tfar = 1, .mask = UINT32_MAX}};
        ray.hit.geomID = ray.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
        rtcIntersect1(of->scene, &context, &ray);
        hits += ray.hit.geomID != RTC_INVALID_GEOMETRY_ID;
    }
    _mm_setcsr(control);
    return hits;
}

static uint64_t query_8(void *structure, const float *from, const float *to, size_t count)
{
    const embree *of = structure;
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT;
    const unsigned int control = _mm_getcsr();
    _mm_setcsr(control | _MM_FLUSH_ZERO_ON | _MM_DENORMALS_ZERO_ON);
    uint64_t hits = 0;
    for (size_t i = 0; i < count; i += 8) {
        struct RTCRayHit8 rays;
        _Alignas(32) int valid[8];
        for (size_t k = 0; k < 8; ++k) {
            const size_t at = 3 * (i + k < count ? i + k : i);
            valid[k] = i + k < count ? -1 : 0;
            rays.ray.org_x[k] = from[at];
            rays.ray.org_y[k] = from[at + 1];
            rays.ray.org_z[k] = from[at + 2];
            rays.ray.dir_x[k] = to[at] - from[at];
            rays.ray.dir_y[k] = to[at + 1] - from[at + 1];
            rays.ray.dir_z[k] = to[at + 2] - from[at + 2];
            rays.ray.tnear[k] = rays.ray.time[k] = 0;
            rays.ray.tfar[k] = 1;
            rays.ray.mask[k] = UINT32_MAX;
            rays.ray.flags[k] = 0;
            rays.hit.geomID[k] = rays.hit.instID[0][k] = RTC_INVALID_GEOMETRY_ID;
        }
        rtcIntersect8(valid, of->scene, &context, &rays);
        for (size_t k = 0; k < 8; ++k) hits += rays.hit.geomID[k] != RTC_INVALID_GEOMETRY_ID;
    }
    _mm_setcsr(control);
    return hits;
}

extern const bench_hit_peer bench_peer_embree_1, bench_peer_embree_1_robust, bench_peer_embree_8,
    bench_peer_embree_8_robust;
const bench_hit_peer bench_peer_embree_1 = {"embree (one ray)", false, false, build, release, query_1};
const bench_hit_peer bench_peer_embree_1_robust = {"embree (one ray, robust)", false, false, build_robust, release,
                                                           query_1};
const bench_hit_peer bench_peer_embree_8 = {"embree (packets of 8)", true, true, build, release, query_8};
const bench_hit_peer bench_peer_embree_8_robust = {"embree (packets of 8, robust)", false, false, build_robust, release,
                                                           query_8};
