// SPDX-License-Identifier: MIT
// Section 5 of Fan et al. 2013: how much faster is the proxy with a look-up table of the nodes at depth d?
//
// Particles are poured over a mesh; the motions of one frame are then asked for with tables of every depth, 0 being
// the root alone. Twice: as the document describes it, only to find the leaf that a particle is in (a plain walk down
// the node array, in this file); and as mote's first collisions, whose table also knows how far from anything a cell
// is. Times are the least of several runs, which alternate between the depths. Answers must be the same for every
// depth. CSV on standard output, a row for each largest depth of the proxy and depth of the table.

#include "fan.h"

enum { MOST_TABLE = 7 };
static const uint32_t outside = UINT32_MAX;

// The frame's motions, and the answers of one table.
typedef struct answers {
    uint32_t *leaf;  // that each particle is in, as walk_down says
    mote_proxy_hit *hits;
} answers;

typedef struct result {
    double locate, hits;  // [ms]
    size_t table_bytes, node_bytes;
    uint64_t clear;
} result;

static mote_proxy *make_proxy(mote_context *context, const mote_mesh *mesh, int max_depth, int table_depth)
{
    mote_proxy_def def = mote_proxy_default_def();
    def.variation = MOTE_PROXY_SUM;
    def.max_depth = max_depth;
    def.min_depth = max_depth - 2;
    def.table_depth = table_depth;
    def.keep_triangles = false;
    mote_proxy *proxy;
    mote_error error;
    if (mote_proxy_create(context, &def, &mesh, 1, &proxy, &error) == MOTE_OK) return proxy;
    fprintf(stderr, "%s\n", error.text);
    return NULL;
}

static uint32_t bits_in(uint32_t mask)
{
    mask -= mask >> 1 & 0x55;
    mask = (mask & 0x33) + (mask >> 2 & 0x33);
    return (mask + (mask >> 4)) & 0xF;
}

// From the table down to the leaf of a cell of finest leaves: the label of an empty leaf, or 4 + its node of one with
// triangles.
static uint32_t walk_down(const mote_proxy_arrays *a, const uint32_t cell[3])
{
    const int height = a->max_depth - a->table_depth, d = a->table_depth;
    const uint32_t entry =
        a->table[((size_t)(cell[2] >> height) << 2 * d) + ((size_t)(cell[1] >> height) << d) + (cell[0] >> height)];
    if ((entry & 7) < MOTE_PROXY_LEAF) return entry & 3;
    uint32_t node = entry >> 3;
    bool inner = (entry & 7) == MOTE_PROXY_INNER;
    for (int h = height - 1; inner; --h) {
        const uint32_t octant = (cell[0] >> h & 1) | (cell[1] >> h & 1) << 1 | (cell[2] >> h & 1) << 2;
        const mote_proxy_node n = a->nodes[node];
        const uint32_t bit = 1u << octant;
        if (!(n.bits & bit)) return (n.bits >> 16 >> octant & 1) | (n.bits >> 24 >> octant & 1) << 1;
        inner = n.bits >> 8 & bit;
        node = n.first + bits_in(n.bits & 0xFF & (bit - 1));
    }
    return 4 + node;
}

static void locate_all(const mote_proxy *proxy, const pour *p, uint32_t *leaf)
{
    const mote_proxy_arrays a = mote_proxy_get_arrays(proxy);
    const float origin[3] = {(float)a.origin.x, (float)a.origin.y, (float)a.origin.z}, scale = (float)(1 / a.leaf);
    const float across = (float)(1u << a.max_depth);
    for (size_t i = 0; i < p->count; ++i) {
        uint32_t cell[3];
        bool inside = true;
        for (size_t k = 0; k < 3; ++k) {
            const float at = (p->at[3 * i + k] - origin[k]) * scale;
            inside = inside && at >= 0 && at < across;
            cell[k] = inside ? (uint32_t)at : 0;
        }
        leaf[i] = inside ? walk_down(&a, cell) : outside;
    }
}

// One run with one table; its answers have to be those of the root alone.
static bool run_once(const mote_proxy *proxy, const pour *p, bool first, const answers *root, const answers *own,
                     result *r)
{
    const double start = cpu_milliseconds();
    locate_all(proxy, p, own->leaf);
    const double middle = cpu_milliseconds();
    if (mote_proxy_hits(proxy, &p->particles, pour_step, own->hits, NULL) != MOTE_OK) return false;
    const double end = cpu_milliseconds();
    if (first || middle - start < r->locate) r->locate = middle - start;
    if (first || end - middle < r->hits) r->hits = end - middle;
    for (size_t i = 0; i < p->count; ++i) {
        const bool same_hit = own->hits[i].time > 1
                                  ? root->hits[i].time > 1
                                  : own->hits[i].time == root->hits[i].time && own->hits[i].leaf == root->hits[i].leaf;
        if (same_hit && own->leaf[i] == root->leaf[i]) continue;
        fprintf(stderr, "fan_lookup_table: particle %zu differs\n", i);
        return false;
    }
    return true;
}

// How many particles a look at the table is enough for.
static bool count_clear(const mote_proxy *proxy, const pour *p, result *r)
{
    pour copy;
    mote_proxy_counters counters = {0};
    if (!pour_copy(&copy, p)) return false;
    const bool good = pour_move(&copy, proxy, &counters);
    r->clear = counters.clear;
    pour_release(&copy);
    return good;
}

static bool measure(mote_proxy *const *proxies, int depths, const pour *p, int repeat, const answers *root,
                    const answers *own, result *results)
{
    locate_all(proxies[0], p, root->leaf);
    if (mote_proxy_hits(proxies[0], &p->particles, pour_step, root->hits, NULL) != MOTE_OK) return false;
    for (int run = 0; run < repeat; ++run)
        for (int d = 0; d < depths; ++d)
            if (!run_once(proxies[d], p, run == 0, root, own, results + d)) return false;
    return true;
}

static bool make_tables(mote_context *context, const mote_mesh *mesh, int max_depth, int depths, mote_proxy **proxies,
                        result *results)
{
    for (int d = 0; d < depths; ++d) {
        proxies[d] = make_proxy(context, mesh, max_depth, d);
        if (!proxies[d]) return false;
        const mote_proxy_stats stats = mote_proxy_get_stats(proxies[d]);
        results[d].table_bytes = stats.table_bytes;
        results[d].node_bytes = stats.node_bytes;
    }
    return true;
}

static bool measure_depth(mote_context *context, const mote_mesh *mesh, int max_depth, size_t count, int frames,
                          int repeat)
{
    const int depths = (max_depth < MOST_TABLE ? max_depth : MOST_TABLE) + 1;
    mote_proxy *proxies[MOST_TABLE + 1] = {NULL};
    result results[MOST_TABLE + 1] = {{0}};
    answers both[2] = {{0}};
    pour p = {0};
    bool good = make_tables(context, mesh, max_depth, depths, proxies, results) && pour_start(&p, mesh, count) &&
                pour_until(&p, proxies[0], frames);
    for (int k = 0; k < 2; ++k) {
        both[k] = (answers){calloc(count, sizeof *both[k].leaf), calloc(count, sizeof *both[k].hits)};
        good = good && both[k].leaf && both[k].hits;
    }
    for (int d = 0; good && d < depths; ++d) good = count_clear(proxies[d], &p, results + d);
    good = good && measure(proxies, depths, &p, repeat, both, both + 1, results);
    for (int d = 0; good && d < depths; ++d)
        printf("%d,%d,%zu,%zu,%.2f,%.2f,%.4f\n", max_depth, d, results[d].node_bytes, results[d].table_bytes,
               results[d].locate * 1e6 / (double)count, results[d].hits * 1e6 / (double)count,
               (double)results[d].clear / (double)count);
    fflush(stdout);
    pour_release(&p);
    for (int k = 0; k < 2; ++k) {
        free(both[k].leaf);
        free(both[k].hits);
    }
    for (int d = 0; d < depths; ++d) mote_proxy_destroy(proxies[d]);
    return good;
}

int main(int argc, char **argv)
{
    long long particles = 256000, frames = 30, repeat = 9, most_depth = 8;
    const argument known[] = {
        {"--particles", "N", &particles, NULL, 1, 100000000},
        {"--frames", "N", &frames, NULL, 0, 10000},
        {"--repeat", "N", &repeat, NULL, 1, 1000},
        {"--most-depth", "N", &most_depth, NULL, 6, 10},
    };
    mote_context *context;
    mote_mesh *mesh;
    const int options = sizeof known / sizeof *known;
    const int status = begin_with_mesh("fan_lookup_table", argc, argv, known, options, &context, &mesh);
    if (status != 0) return status;
    printf("max_depth,table_depth,node_bytes,table_bytes,locate_ns,hits_ns,clear\n");
    bool good = true;
    for (int depth = 6; good && depth <= most_depth; depth += 2)
        good = measure_depth(context, mesh, depth, (size_t)particles, (int)frames, (int)repeat);
    mote_mesh_destroy(mesh);
    mote_context_destroy(context);
    return good ? 0 : 1;
}
