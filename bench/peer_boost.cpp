// SPDX-License-Identifier: MIT
// Boost.Geometry's R-tree as a peer, bulk-loaded (the packing constructor), nodes of 16.

#include <boost/geometry.hpp>
#include <boost/geometry/index/rtree.hpp>
#include <boost/iterator/function_output_iterator.hpp>
#include <utility>

#include "peer_boxes.hpp"

namespace {

namespace bg = boost::geometry;
namespace bgi = boost::geometry::index;

// In 2D the third axis is 0 for all.
using corner = bg::model::point<float, 3, bg::cs::cartesian>;
using flat_corner = bg::model::point<float, 2, bg::cs::cartesian>;

bg::model::box<corner> make_box(const float *c, corner *)
{
    return {corner(c[0], c[1], c[2]), corner(c[3], c[4], c[5])};
}
bg::model::box<flat_corner> make_box(const float *c, flat_corner *)
{
    return {flat_corner(c[0], c[1]), flat_corner(c[3], c[4])};
}

template <class Corner> struct box_tree {
    using entry = std::pair<bg::model::box<Corner>, uint32_t>;
    bgi::rtree<entry, bgi::rstar<16>> tree;

    static std::vector<entry> entries(const bench_boxes *objects)
    {
        std::vector<entry> all;
        all.reserve(objects->count);
        for (size_t i = 0; i < objects->count; ++i)
            all.emplace_back(make_box(objects->corners + 6 * i, (Corner *)nullptr), (uint32_t)i);
        return all;
    }
    explicit box_tree(const bench_boxes *objects) : tree(entries(objects)) {}

    void find(const float *corners, std::vector<uint32_t> &list) const
    {
        auto add = boost::make_function_output_iterator([&list](const entry &hit) { list.push_back(hit.second); });
        tree.query(bgi::intersects(make_box(corners, (Corner *)nullptr)), add);
    }
};

struct either_tree {
    box_tree<flat_corner> *flat;
    box_tree<corner> *solid;
};

void *build(const bench_boxes *objects)
{
    if (objects->dimensions == 2) return new either_tree{new box_tree<flat_corner>(objects), nullptr};
    return new either_tree{nullptr, new box_tree<corner>(objects)};
}

void release(void *structure)
{
    either_tree *tree = (either_tree *)structure;
    delete tree->flat;
    delete tree->solid;
    delete tree;
}

void query(void *structure, const bench_boxes *queries, uint32_t threads, bool with_checksum, bench_box_result *result)
{
    const either_tree *tree = (const either_tree *)structure;
    bench_query_all(queries, threads, with_checksum, result, [tree](const float *corners, std::vector<uint32_t> &list) {
        if (tree->flat)
            tree->flat->find(corners, list);
        else
            tree->solid->find(corners, list);
    });
}

}  // namespace

extern "C" const bench_box_peer bench_peer_boost;
const bench_box_peer bench_peer_boost = {"Boost (R-tree, bulk, 16 a node)", build, release, query, nullptr};
