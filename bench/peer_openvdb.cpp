// SPDX-License-Identifier: MIT
// OpenVDB's surface of particles: spheres into a level set, one mean filter, and its mesh (Museth 2013). Spheres are of
// three quarters of a spacing, as those of 1.5 cells or less are dropped: the field is not that of mote.

#include <cstdlib>
#include <vector>

#include <openvdb/openvdb.h>
#include <openvdb/tools/LevelSetFilter.h>
#include <openvdb/tools/ParticlesToLevelSet.h>
#include <openvdb/tools/VolumeToMesh.h>
#include <tbb/global_control.h>

#include "bench.h"

namespace {

constexpr double sphere_radius = 0.75;

struct Particles {
    using PosType = openvdb::Vec3R;
    const float *xyz;
    size_t count;

    size_t size() const { return count; }
    void getPos(size_t n, openvdb::Vec3R &at) const { at = openvdb::Vec3R(xyz[3 * n], xyz[3 * n + 1], xyz[3 * n + 2]); }
};

struct Mesh {
    std::vector<openvdb::Vec3s> points;
    std::vector<openvdb::Vec3I> triangles;
    std::vector<openvdb::Vec4I> quads;
};

void *make(const float *xyz, size_t count, double cell, uint32_t threads)
{
    openvdb::initialize();
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    const Particles particles = {xyz, count};
    const openvdb::FloatGrid::Ptr grid = openvdb::createLevelSet<openvdb::FloatGrid>((float)cell);
    openvdb::tools::ParticlesToLevelSet<openvdb::FloatGrid> raster(*grid);
    raster.rasterizeSpheres(particles, sphere_radius);
    raster.finalize(true);
    openvdb::tools::LevelSetFilter<openvdb::FloatGrid> filter(*grid);
    filter.mean(1);
    auto *mesh = new Mesh;
    openvdb::tools::volumeToMesh(*grid, mesh->points, mesh->triangles, mesh->quads, 0.0);
    return mesh;
}

bool take(void *structure, bench_surface_mesh *to)
{
    const Mesh &mesh = *static_cast<Mesh *>(structure);
    to->vertex_count = mesh.points.size();
    to->triangle_count = mesh.triangles.size() + 2 * mesh.quads.size();
    to->vertices = (mote_vec3 *)std::malloc((to->vertex_count + 1) * sizeof *to->vertices);
    to->triangles = (uint32_t *)std::malloc((3 * to->triangle_count + 1) * sizeof *to->triangles);
    if (!to->vertices || !to->triangles) return false;
    for (size_t v = 0; v < to->vertex_count; ++v)
        to->vertices[v] = {(double)mesh.points[v].x(), (double)mesh.points[v].y(), (double)mesh.points[v].z()};
    uint32_t *corner = to->triangles;
    for (const auto &t : mesh.triangles)
        for (int k = 0; k < 3; ++k) *corner++ = t[k];
    for (const auto &q : mesh.quads)
        for (int k : {0, 1, 2, 0, 2, 3}) *corner++ = q[k];
    return true;
}

void release(void *structure)
{
    delete static_cast<Mesh *>(structure);
}

}  // namespace

extern "C" const bench_surface_peer bench_peer_openvdb;
const bench_surface_peer bench_peer_openvdb = {"OpenVDB", make, nullptr, take, release};
