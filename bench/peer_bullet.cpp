// SPDX-License-Identifier: MIT
// Bullet as a peer: queries by its dynamic tree (btDbvt), built top-down; pairs by btDbvtBroadphase, which keeps pairs
// of fattened boxes up to date; those whose own boxes touch are taken.

#include <BulletCollision/BroadphaseCollision/btDbvt.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <memory>

#include "peer_boxes.hpp"

namespace {

struct bullet {
    btDbvt tree;
    std::unique_ptr<btDbvtBroadphase> broad;  // once pairs are asked for
    std::vector<btBroadphaseProxy *> proxies;
    std::vector<std::pair<uint32_t, uint32_t>> pairs;
};

btVector3 vector_of(const float *c)
{
    return btVector3(c[0], c[1], c[2]);
}

btDbvtVolume volume_of(const float *c)
{
    return btDbvtVolume::FromMM(vector_of(c), vector_of(c + 3));
}

void *build(const bench_boxes *objects)
{
    bullet *made = new bullet;
    for (size_t i = 0; i < objects->count; ++i)
        made->tree.insert(volume_of(objects->corners + 6 * i), (void *)(uintptr_t)i);
    made->tree.optimizeTopDown();
    return made;
}

void release(void *structure)
{
    bullet *of = (bullet *)structure;
    for (btBroadphaseProxy *proxy : of->proxies) of->broad->destroyProxy(proxy, nullptr);
    delete of;
}

struct collector : btDbvt::ICollide {
    std::vector<uint32_t> &list;
    explicit collector(std::vector<uint32_t> &to) : list(to) {}
    void Process(const btDbvtNode *leaf) override { list.push_back((uint32_t)(uintptr_t)leaf->data); }
};

void query(void *structure, const bench_boxes *queries, uint32_t threads, bool with_checksum, bench_box_result *result)
{
    const bullet *of = (const bullet *)structure;
    bench_query_all(queries, threads, with_checksum, result, [of](const float *corners, std::vector<uint32_t> &list) {
        collector into(list);
        of->tree.collideTV(of->tree.m_root, volume_of(corners), into);
    });
}

bool touch(const btBroadphaseProxy *a, const btBroadphaseProxy *b)
{
    bool all = true;
    for (int k = 0; k < 3; ++k) all &= a->m_aabbMin[k] <= b->m_aabbMax[k] && b->m_aabbMin[k] <= a->m_aabbMax[k];
    return all;
}

void pairs(void *structure, const bench_boxes *objects, bool with_checksum, bench_box_result *result)
{
    bullet *of = (bullet *)structure;
    if (!of->broad) of->broad.reset(new btDbvtBroadphase);
    for (size_t i = 0; i < objects->count; ++i) {
        const btVector3 low = vector_of(objects->corners + 6 * i), high = vector_of(objects->corners + 6 * i + 3);
        if (i < of->proxies.size())
            of->broad->setAabb(of->proxies[i], low, high, nullptr);
        else
            of->proxies.push_back(of->broad->createProxy(low, high, 0, (void *)(uintptr_t)i, 1, 1, nullptr));
    }
    of->broad->calculateOverlappingPairs(nullptr);
    const btBroadphasePairArray &found = of->broad->getOverlappingPairCache()->getOverlappingPairArray();
    of->pairs.clear();
    for (int k = 0; k < found.size(); ++k) {
        const btBroadphaseProxy *a = found[k].m_pProxy0, *b = found[k].m_pProxy1;
        if (touch(a, b))
            bench_add_pair(of->pairs, (uint32_t)(uintptr_t)a->m_clientObject, (uint32_t)(uintptr_t)b->m_clientObject);
    }
    bench_sum_pairs(of->pairs, with_checksum, result);
}

}  // namespace

extern "C" const bench_box_peer bench_peer_bullet;
const bench_box_peer bench_peer_bullet = {"Bullet (btDbvt, top-down)", build, release, query, pairs};
