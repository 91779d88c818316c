// SPDX-License-Identifier: MIT
// FCL as a peer: its dynamic tree of boxes (DynamicAABBTreeCollisionManager) in double, as its library is compiled.

#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/narrowphase/collision_object.h>
#include <memory>

#include "peer_boxes.hpp"

namespace {

// A shape that is nothing but its box.
class box_geometry : public fcl::CollisionGeometryd {
public:
    void computeLocalAABB() override {}
    void set(const float *c)
    {
        aabb_local = fcl::AABBd(fcl::Vector3d(c[0], c[1], c[2]), fcl::Vector3d(c[3], c[4], c[5]));
    }
};

struct body {
    std::shared_ptr<box_geometry> geometry = std::make_shared<box_geometry>();
    fcl::CollisionObjectd object{geometry};
    void set(const float *corners)
    {
        geometry->set(corners);
        object.computeAABB();
    }
};

struct world {
    std::vector<std::unique_ptr<body>> bodies;
    fcl::DynamicAABBTreeCollisionManagerd tree;
    std::vector<std::pair<uint32_t, uint32_t>> pairs;
};

uint32_t id_of(const fcl::CollisionObjectd *object)
{
    return (uint32_t)(uintptr_t)object->getUserData();
}

void *build(const bench_boxes *objects)
{
    world *made = new world;
    std::vector<fcl::CollisionObjectd *> all;
    for (size_t i = 0; i < objects->count; ++i) {
        made->bodies.emplace_back(new body);
        made->bodies[i]->set(objects->corners + 6 * i);
        made->bodies[i]->object.setUserData((void *)(uintptr_t)i);
        all.push_back(&made->bodies[i]->object);
    }
    made->tree.registerObjects(all);
    made->tree.setup();
    return made;
}

void release(void *structure)
{
    delete (world *)structure;
}

struct query_hits {
    const fcl::CollisionObjectd *asker;
    std::vector<uint32_t> *list;
};

bool add_hit(fcl::CollisionObjectd *a, fcl::CollisionObjectd *b, void *data)
{
    query_hits *hits = (query_hits *)data;
    hits->list->push_back(id_of(a == hits->asker ? b : a));
    return false;
}

void query(void *structure, const bench_boxes *queries, uint32_t threads, bool with_checksum, bench_box_result *result)
{
    const world *of = (const world *)structure;
    std::vector<std::unique_ptr<body>> askers;
    for (uint32_t t = 0; t < threads; ++t) askers.emplace_back(new body);
    bench_query_all(queries, threads, with_checksum, result,
                    [of, &askers](const float *corners, std::vector<uint32_t> &list) {
#if defined(_OPENMP)
                        body &asker = *askers[(size_t)omp_get_thread_num()];
#else
                        body &asker = *askers[0];
#endif
                        asker.set(corners);
                        query_hits hits = {&asker.object, &list};
                        of->tree.collide(&asker.object, &hits, add_hit);
                    });
}

bool add_pair(fcl::CollisionObjectd *a, fcl::CollisionObjectd *b, void *data)
{
    bench_add_pair(*(std::vector<std::pair<uint32_t, uint32_t>> *)data, id_of(a), id_of(b));
    return false;
}

void pairs(void *structure, const bench_boxes *objects, bool with_checksum, bench_box_result *result)
{
    world *of = (world *)structure;
    for (size_t i = 0; i < objects->count; ++i) of->bodies[i]->set(objects->corners + 6 * i);
    of->tree.update();
    of->pairs.clear();
    of->tree.collide(&of->pairs, add_pair);
    bench_sum_pairs(of->pairs, with_checksum, result);
}

}  // namespace

extern "C" const bench_box_peer bench_peer_fcl;
const bench_box_peer bench_peer_fcl = {"FCL (dynamic AABB tree)", build, release, query, pairs};
