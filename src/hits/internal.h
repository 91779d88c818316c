// hits/internal.h: what mote_hits holds.
#ifndef MOTE_HITS_INTERNAL_H
#define MOTE_HITS_INTERNAL_H

#include "base/internal.h"
#include "base/vector.h"
#include "mesh/foot.h"
#include "mesh/internal.h"
#include "mote/hits.h"

// Around a point of the surface, so that all of a triangle, or cluster of triangles, is inside.
typedef struct mote_ball {
    mote_vec3 center;
    double radius;
} mote_ball;

// Normals whose sides decide what is inside. They need not have length 1.
typedef struct mote_features {
    mote_vec3 *faces;     // triangle_count; 0 for a triangle without area
    mote_vec3 *edges;     // edge_count
    mote_vec3 *vertices;  // vertex_count
    uint32_t *edge_of;    // 3 · triangle_count: the edge from corner k to the next
    uint32_t edge_count;
    bool closed;
} mote_features;

// Triangles 8c … 8c + 7 are cluster c.
enum { MOTE_CLUSTER = 8 };

// Lists of clusters in the occupied cells of a grid.
typedef struct mote_hits_grid {
    mote_box box;  // all points that have the surface within reach
    double cell;   // edge
    uint64_t size[3];
    struct mote_hits_slot {
        uint64_t key;   // UINT64_MAX: empty
        uint64_t list;  // number of the cell's list
    } * table;          // open addressing
    size_t table_size;  // a power of two, at least twice list_count
    uint64_t *first;    // list_count + 1
    size_t list_count;
    uint32_t *references;
} mote_hits_grid;

// All lengths are the caller's times `scale`, a power of two: 1 unless their products would leave the range of numbers.
struct mote_hits {
    mote_context *context;
    double scale;
    mote_mesh *mesh;     // a copy, its triangles sorted into clusters
    uint32_t *original;  // per triangle: its number in the mesh that was given
    mote_box box;        // of the mesh
    double reach;
    mote_ball *balls;     // per triangle; infinitely far away if it has no area
    mote_ball *clusters;  // per cluster
    size_t cluster_count;
    mote_features features;
    mote_hits_grid grid;
};

// Normals of faces, edges and vertices. What is half made is released by mote_features_release.
mote_result mote_features_build(const mote_mesh *mesh, mote_features *features);
void mote_features_release(const mote_mesh *mesh, mote_features *features);

// A coordinate's share of a Morton number of 63 bits.
static inline uint64_t mote_hits_morton(double from_min, double extent)
{
    const double most = 0x1FFFFF;
    double share = extent > 0 ? from_min / extent * most : 0;
    return mote_spread_bits((uint64_t)MOTE_MIN(MOTE_MAX(share, 0), most));
}

// Sorts the mesh's triangles into clusters, and makes all balls.
mote_result mote_hits_make_clusters(mote_hits *hits);

// As mote_hits_closest, but all lengths are scaled.
bool mote_hits_find_closest(const mote_hits *hits, mote_vec3 point, double reach, mote_closest *closest);

// Chooses the cells. About how many references their lists would take while they are made, and how many are served.
double mote_hits_grid_references(mote_hits *hits, double *most);
mote_result mote_hits_grid_build(mote_hits *hits);
void mote_hits_grid_release(mote_hits *hits);

// The clusters of the cell that the point lies in; false if there is none.
bool mote_hits_grid_list(const mote_hits_grid *grid, mote_vec3 point, const uint32_t **list, size_t *count);

// What a foot on a triangle makes of a query, with the sign of its feature's normal.
// @param triangles    three vertices each
// @param tiny         a distance below which the difference of point and foot is all rounding
void mote_hits_fill_closest(const mote_features *features, const uint32_t *triangles, mote_vec3 point,
                            uint32_t triangle, const mote_foot *foot, double tiny, mote_closest *closest);

#endif
