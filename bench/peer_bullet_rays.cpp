// SPDX-License-Identifier: MIT
// Bullet as a peer of first hits: btBvhTriangleMeshShape and a ray cast of its own for every motion (performRaycast,
// without a world around it). Its tree is the quantised one, as long as that can number the triangles: with 21 bits.

#include <BulletCollision/NarrowPhaseCollision/btRaycastCallback.h>
#include <btBulletCollisionCommon.h>
#include <memory>
#include <vector>

extern "C" {
#include "bench.h"
}

namespace {

struct bullet {
    std::vector<btScalar> vertices;
    std::vector<int> triangles;
    std::unique_ptr<btTriangleIndexVertexArray> mesh;
    std::unique_ptr<btBvhTriangleMeshShape> shape;
};

void *build(const mote_mesh *mesh)
{
    bullet *made = new bullet;
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        const mote_vec3 p = mesh->vertices[v];
        for (double x : {p.x, p.y, p.z}) made->vertices.push_back((btScalar)x);
    }
    for (size_t k = 0; k < 3 * mesh->triangle_count; ++k) made->triangles.push_back((int)mesh->triangles[k]);
    made->mesh.reset(new btTriangleIndexVertexArray((int)mesh->triangle_count, made->triangles.data(), 3 * sizeof(int),
                                                    (int)mesh->vertex_count, made->vertices.data(),
                                                    3 * sizeof(btScalar)));
    const bool is_quantised = mesh->triangle_count < (size_t)1 << 21;
    made->shape.reset(new btBvhTriangleMeshShape(made->mesh.get(), is_quantised));
    return made;
}

void release(void *structure)
{
    delete (bullet *)structure;
}

// Bullet keeps the fraction of the first hit so far, and looks no farther.
struct first_hit : btTriangleRaycastCallback {
    bool found = false;
    first_hit(const btVector3 &from, const btVector3 &to) : btTriangleRaycastCallback(from, to) {}
    btScalar reportHit(const btVector3 &, btScalar fraction, int, int) override
    {
        found = true;
        return fraction;
    }
};

uint64_t query(void *structure, const float *from, const float *to, size_t count)
{
    bullet *of = (bullet *)structure;
    uint64_t hits = 0;
    for (size_t i = 0; i < count; ++i) {
        const btVector3 a(from[3 * i], from[3 * i + 1], from[3 * i + 2]), b(to[3 * i], to[3 * i + 1], to[3 * i + 2]);
        first_hit hit(a, b);
        of->shape->performRaycast(&hit, a, b);
        hits += hit.found;
    }
    return hits;
}

}  // namespace

extern "C" const bench_hit_peer bench_peer_bullet_rays;
const bench_hit_peer bench_peer_bullet_rays = {"bullet (btBvhTriangleMeshShape)", true, false, build, release, query};
