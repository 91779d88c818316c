// SPDX-License-Identifier: MIT
// bench.h: what the benchmarks share: options, rows of results, workloads, clocks.
#ifndef MOTE_BENCH_H
#define MOTE_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mote/base.h"
#include "mote/mesh.h"
#include "mote/simulation.h"

// ----------------------------------------------------------------------------------------------------- options

typedef struct bench_options {
    const char *workloads, *methods;  // comma-separated names; NULL: all
    size_t count;                     // points; 0: each workload's own
    uint32_t threads;                 // 0: one, then all processors
    uint32_t repeat;                  // 0: as many as suit the row
    bool full, json;
    bool busy;                        // of threads: something else keeps every processor busy
    const char *plots;                // folder for the plots of --full
    const char *mesh;                 // of hits: a file; NULL: the bunny, or a sphere with bumps
    uint32_t subdivide;               // times that each of its triangles is cut into four
} bench_options;

// Whether `name` stands in a comma-separated list (NULL: everything does).
bool bench_wants(const char *list, const char *name);
// The same for a row, which may also be named without the remark in brackets behind its name.
bool bench_wants_row(const char *list, const char *name);
// The same for workloads, of which an entry may name several by what they start with up to an underscore.
bool bench_wants_workload(const char *list, const char *name);
// Every name in the list must be a workload's, or the start of some workloads' up to an underscore; else false, after a
// line that says so.
// @param name_at  the names of all workloads from 0, then NULL
bool bench_knows_workloads(const char *list, const char *(*name_at)(size_t number));

// ------------------------------------------------------------------------------------------------------ report

// One line of a benchmark's table, and one object of its JSON.
typedef struct bench_row {
    const char *bench, *workload;
    char name[64];
    bool is_peer;
    size_t count, queries;
    uint32_t threads;
    double build_ms, query_ms, total_ms;  // medians
    double spread;                        // of total_ms: max/min
    uint64_t result;
    double reports;  // of a row that is approximate: results for each true one; 0: not told
    size_t bytes;
    bool verified;
    bool is_mesh;         // `result` is its triangles, and
    bool is_closed;
    double volume_error;  // against the right volume
    // Of a step of a fluid; 0: not told.
    double neighbors;       // of a particle, walls included
    double shares[3];       // of the step: search, the loop over neighbours for densities, that for accelerations
    double bytes_each;      // of a particle; `bytes` is that of all
    double bytes_of_all;    // the same if wall particles count, too
    double simulated;       // wall-clock seconds for a second of the simulation
    double moved;           // bytes that a step has to read and write
    double walls_ms, guards_ms;  // what a body costs, without and in keeping particles out
    double walls_of_layers;      // walls_ms of a field over that of layers
    double setup_ms;
    double bandwidth;       // of the memory, measured [bytes/s]; 0 if it could not be
} bench_row;

typedef struct bench_report {
    bench_row *rows;
    size_t count, capacity;
    bool json;
} bench_report;

// Keeps a row and prints it at once: in a table, with its ratio to the default method, or into a JSON object.
void bench_report_add(bench_report *report, bench_row row);
void bench_report_end(const bench_report *report);
void bench_report_release(bench_report *report);

// Draws a sweep's times against the number of `what` there is, and of neighbours, by gnuplot, into options->plots, and
// says on stderr where, or why not. Times are those of building and queries together; of hits, of queries alone.
void bench_draw(const bench_options *options, const char *bench, const char *what, const bench_report *report);

// A line on stderr that says what is being measured, when a person watches.
void bench_progress(const bench_options *options, const char *format, ...);

// ----------------------------------------------------------------------------------------------------- contexts

// The instruction set that MOTE_SIMD in the environment names (plain, avx2, avx512, simd128); without it
// MOTE_SIMD_BEST; one that contexts refuse if nobody knows the name.
static inline mote_simd bench_wanted_simd(void)
{
    const char *wanted = getenv("MOTE_SIMD");
    int form = MOTE_SIMD_BEST;
    while (wanted && *wanted && form <= MOTE_SIMD_128 && strcmp(wanted, mote_simd_name((mote_simd)form)) != 0) ++form;
    return (mote_simd)form;
}
// What a context of the library is made from: for that many threads, and with the instruction set wanted.
mote_context_def bench_context_def(uint32_t threads);
// The instruction set of such contexts; NULL, after a line that says why, if there is none.
const char *bench_simd_name(void);

// ------------------------------------------------------------------------------------------------------ timing

double bench_seconds(void);
double bench_cpu_seconds(void);  // of this process, whatever else the machine does

// Medians of samples, kept row by row.
enum { BENCH_MAX_REPEAT = 64 };
typedef struct bench_samples {
    double build[BENCH_MAX_REPEAT], query[BENCH_MAX_REPEAT], total[BENCH_MAX_REPEAT];  // [s]
    uint32_t count;
} bench_samples;
void bench_samples_add(bench_samples *samples, double build, double query);
double bench_median(double *values, uint32_t count);  // sorts them
void bench_samples_finish(bench_samples *samples, bench_row *row);

// --------------------------------------------------------------------------------------------------- workloads

// A point set of the neighbour benchmarks. `xyz` is released by the caller with free.
typedef struct bench_points {
    float *xyz;
    size_t count;
    int dimensions;
    float radius;
} bench_points;

typedef struct bench_workload {
    const char *name;
    const char *meaning;
    bool by_default;  // measured when no workload is named
    bool sweeps_neighbors;  // one of those that differ in the number of neighbours alone: not swept over counts
    bool (*make)(size_t count, bench_points *points);
    void (*move)(uint32_t step, bench_points *points);  // before every repetition, from step 1 on; NULL: points stay
} bench_workload;

extern const bench_workload bench_point_workloads[];
extern const size_t bench_point_workload_count;

// A set of boxes of the broad-phase benchmarks. `corners` (released by the caller with free) holds six numbers a box:
// least x, y, z, greatest x, y, z; z is 0 in 2D.
typedef struct bench_boxes {
    float *corners;
    size_t count;
    int dimensions;
} bench_boxes;

// Objects and the boxes that are asked for; or objects that move, of which all pairs are. Several sizes share a name.
typedef struct bench_box_workload {
    const char *name;
    const char *meaning;
    bool by_default;
    size_t count, queries;
    bool (*make)(size_t count, bench_boxes *boxes);
    bool (*make_queries)(size_t count, bench_boxes *boxes);
    // Three numbers an object, and a step of all; NULL: objects stay.
    void (*make_velocities)(const bench_boxes *boxes, float *velocities);
    void (*move)(bench_boxes *boxes, float *velocities);
} bench_box_workload;

extern const bench_box_workload bench_box_workloads[];
extern const size_t bench_box_workload_count;

// A cube of about `count` particles of water on a lattice, in a tank twice as long.
// @param method   of its neighbour search; NULL: the default
mote_result bench_make_dam(mote_context *context, const char *method, size_t count, mote_simulation **simulation);

typedef struct bench_space {
    double min[3], max[3];  // [m]
} bench_space;
// Whether sums of densities are those over all pairs, of sampled particles.
// @param within  only those in this box: near a field densities hold what no sum over particles has; NULL: all
bool bench_fluid_is_right(mote_fluid *fluid, const bench_space *within);
// Makes steps of the largest stable length; false if one failed.
bool bench_take_steps(mote_simulation *simulation, int count);

// ------------------------------------------------------------------------------------------------------- peers

// Another library's neighbour search over the same arrays. `search` builds (timed apart), then finds all neighbours of
// all points, itself excluded, closed ball, into lists of its own.
typedef struct bench_peer_result {
    double build_s, query_s;
    uint64_t pairs, checksum;
    size_t bytes;  // of its structure, 0 where it does not tell
} bench_peer_result;

typedef struct bench_peer {
    const char *name;
    bool (*search)(const bench_points *points, uint32_t threads, bool with_checksum, bench_peer_result *result);
    // The same for the k nearest; `checksum` is that of the distances.
    bool (*nearest)(const bench_points *points, uint32_t k, uint32_t threads, bool with_checksum,
                    bench_peer_result *result);
} bench_peer;

// The peers that were found when this was built.
#ifdef __cplusplus
extern "C"
#endif
size_t bench_neighbor_peers(const bench_peer **peers);

// Another library's broad phase. What it finds goes into lists of its own that stay from call to call.
typedef struct bench_box_result {
    uint64_t overlaps, checksum;
} bench_box_result;

typedef struct bench_box_peer {
    const char *name;
    void *(*build)(const bench_boxes *objects);  // a structure, NULL when memory ran out
    void (*release)(void *structure);
    // All objects that each query's box touches, closed.
    void (*query)(void *structure, const bench_boxes *queries, uint32_t threads, bool with_checksum,
                  bench_box_result *result);
    // Takes in where the objects are now and finds all pairs, a < b; NULL: not offered. One thread.
    void (*pairs)(void *structure, const bench_boxes *objects, bool with_checksum, bench_box_result *result);
} bench_box_peer;

// The peers that were found when this was built.
#ifdef __cplusplus
extern "C"
#endif
size_t bench_box_peers(const bench_box_peer *const **peers);

// Another library's ray caster: how many of the motions (x, y, z of each end) hit the mesh. One thread.
typedef struct bench_hit_peer {
    const char *name;
    bool in_sweeps;      // measured for every size of a mesh, too
    bool is_sorted_too;  // measured with motions in Morton order, too
    void *(*build)(const mote_mesh *mesh);  // a structure, NULL when memory ran out
    void (*release)(void *structure);
    uint64_t (*query)(void *structure, const float *from, const float *to, size_t count);
} bench_hit_peer;

// The peers that were found when this was built.
size_t bench_hit_peers(const bench_hit_peer *const **peers);

// A mesh that another library made; vertices and triangles are released by the caller with free.
typedef struct bench_surface_mesh {
    mote_vec3 *vertices;
    uint32_t *triangles;
    size_t vertex_count, triangle_count;
} bench_surface_mesh;

// Another library's surfaces: one of the two functions that make a structure, NULL when memory ran out.
typedef struct bench_surface_peer {
    const char *name;
    // Of particles of spacing 1; NULL: not offered.
    void *(*of_particles)(const float *xyz, size_t count, double cell, uint32_t threads);
    // Where values at the side³ nodes of a grid of cells of 1, x fastest, are 0; NULL: not offered.
    void *(*of_grid)(const float *values, int side, uint32_t threads);
    bool (*take)(void *structure, bench_surface_mesh *mesh);
    void (*release)(void *structure);
} bench_surface_peer;

// The peers that were found when this was built.
size_t bench_surface_peers(const bench_surface_peer *const **peers);

// One pair's share of the order-independent checksum: the sum over all directed pairs.
static inline uint64_t bench_pair_hash(uint32_t i, uint32_t j)
{
    uint64_t z = ((uint64_t)i << 32 | j) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 32)) * 0xD6E8FEB86659FD93u;
    return z ^ (z >> 32);
}

// The same for a neighbour's squared distance.
static inline uint64_t bench_distance_hash(uint32_t i, float squared)
{
    uint32_t bits;
    memcpy(&bits, &squared, sizeof bits);
    return bench_pair_hash(i, bits);
}

// -------------------------------------------------------------------------------------------------- benchmarks

// Each returns the exit status: 0, or 1 when a result was wrong.
int bench_neighbors(const bench_options *options, bench_report *report);
int bench_visitor(const bench_options *options, bench_report *report);
int bench_nearest(const bench_options *options, bench_report *report);
int bench_rows(const bench_options *options, bench_report *report);
int bench_sets(const bench_options *options, bench_report *report);
int bench_dam_break(const bench_options *options, bench_report *report);
int bench_bubble(const bench_options *options, bench_report *report);
int bench_bunny(const bench_options *options, bench_report *report);
int bench_fluid(const bench_options *options, bench_report *report);
int bench_hits(const bench_options *options, bench_report *report);
int bench_surface(const bench_options *options, bench_report *report);
int bench_raster(const bench_options *options, bench_report *report);
int bench_broadphase(const bench_options *options, bench_report *report);
int bench_threads(const bench_options *options, bench_report *report);

#endif
