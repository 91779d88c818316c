// SPDX-License-Identifier: MIT
// Figure 7 of Fan et al. 2013: the proxy beside a general octree, over the number of particles.
//
// Particles are poured over a mesh by the proxy; all contenders then find the first hits of the same motions, those of
// one frame: the proxy; triangles kept in its leaves (the general octree); triangles in an octree as deep as suits it;
// and mote's exact first hits. Their times are the least of several runs, which alternate. Contenders with triangles
// have to agree on what is hit. CSV on standard output, a row for each number of particles and contender.

#include "fan.h"
#include "mote/hits.h"

enum { PROXY, SAME_LEAVES, DEEP, EXACT, CONTENDERS, HALVINGS = 5 };
static const char *const names[CONTENDERS] = {"proxy", "octree", "deep octree", "hits"};

typedef struct contenders {
    mote_proxy *proxy, *deep;  // the proxy keeps its triangles
    mote_hits *exact;
    size_t bytes[CONTENDERS];
} contenders;

// The motions of a frame, and what became of them.
typedef struct frame {
    pour particles;
    double *to;  // where the motions end
    mote_proxy_hit *near;
    mote_proxy_triangle_hit *triangles[CONTENDERS];
    size_t hits[CONTENDERS], different;
} frame;

static bool make_contenders(mote_context *context, const mote_mesh *mesh, int depth, contenders *made)
{
    mote_proxy_def def = mote_proxy_default_def();
    def.variation = MOTE_PROXY_SUM;
    mote_error error;
    mote_result result = mote_proxy_create(context, &def, &mesh, 1, &made->proxy, &error);
    if (result == MOTE_OK) {
        def.max_depth = depth;
        def.min_depth = depth - 1;
        result = mote_proxy_create(context, &def, &mesh, 1, &made->deep, &error);
    }
    if (result == MOTE_OK) result = mote_hits_create(context, NULL, mesh, &made->exact, &error);
    if (result != MOTE_OK) {
        fprintf(stderr, "fan_figure_7: %s\n", error.text);
        return false;
    }
    const mote_proxy_stats stats = mote_proxy_get_stats(made->proxy), deep = mote_proxy_get_stats(made->deep);
    made->bytes[PROXY] = stats.node_bytes + stats.table_bytes;
    made->bytes[SAME_LEAVES] = made->bytes[PROXY] + stats.triangle_bytes;
    made->bytes[DEEP] = deep.node_bytes + deep.table_bytes + deep.triangle_bytes;
    made->bytes[EXACT] = mote_hits_byte_count(made->exact);
    return true;
}

static void release_contenders(contenders *made)
{
    mote_proxy_destroy(made->proxy);
    mote_proxy_destroy(made->deep);
    mote_hits_destroy(made->exact);
}

static void release_frame(frame *f)
{
    pour_release(&f->particles);
    free(f->to);
    free(f->near);
    for (int c = 0; c < CONTENDERS; ++c) free(f->triangles[c]);
}

// With the motions of the frame after so many.
static bool make_frame(const mote_mesh *mesh, const mote_proxy *proxy, size_t count, int frames, frame *f)
{
    *f = (frame){.to = calloc(3 * count, sizeof *f->to), .near = calloc(count, sizeof *f->near)};
    bool good = pour_start(&f->particles, mesh, count) && f->to && f->near;
    for (int c = SAME_LEAVES; c < CONTENDERS; ++c) {
        f->triangles[c] = calloc(count, sizeof *f->triangles[c]);
        good = good && f->triangles[c];
    }
    if (!good || !pour_until(&f->particles, proxy, frames)) return false;
    for (size_t k = 0; k < 3 * count; ++k)
        f->to[k] = (double)f->particles.at[k] + (double)f->particles.velocities[k] * pour_step;
    return true;
}

static bool find_exact(const contenders *made, frame *f)
{
    const size_t count = f->particles.count;
    const mote_motions motions = {.from = mote_points_xyz(f->particles.at, count),
                                  .to = mote_points_xyz_f64(f->to, count)};
    mote_hit_list list;
    if (mote_hits_query(made->exact, &motions, &list, NULL) != MOTE_OK) return false;
    for (size_t i = 0; i < count; ++i) f->triangles[EXACT][i].time = 2;
    for (size_t k = 0; k < list.count; ++k) {
        const mote_proxy_triangle_hit hit = {list.hits[k].time, list.hits[k].triangle};
        f->triangles[EXACT][list.hits[k].particle] = hit;
    }
    return true;
}

static bool find(const contenders *made, int contender, frame *f)
{
    const mote_proxy_particles *particles = &f->particles.particles;
    if (contender == PROXY) return mote_proxy_hits(made->proxy, particles, pour_step, f->near, NULL) == MOTE_OK;
    if (contender == EXACT) return find_exact(made, f);
    const mote_proxy *tree = contender == DEEP ? made->deep : made->proxy;
    return mote_proxy_first_triangles(tree, particles, pour_step, f->triangles[contender], NULL) == MOTE_OK;
}

// Counts hits, and motions of which not all with triangles say the same. Those round at edges and at ends, the exact
// one does not: one in 10,000 may differ.
static bool compare(frame *f)
{
    for (size_t i = 0; i < f->particles.count; ++i) {
        f->hits[PROXY] += f->near[i].time <= 1;
        bool same = true;
        for (int c = SAME_LEAVES; c < CONTENDERS; ++c) {
            f->hits[c] += f->triangles[c][i].time <= 1;
            same = same && fabs(f->triangles[c][i].time - f->triangles[EXACT][i].time) < 1e-3;
        }
        f->different += !same;
    }
    if (f->different <= 1 + f->particles.count / 10000) return true;
    fprintf(stderr, "fan_figure_7: %zu motions of %zu hit something else\n", f->different, f->particles.count);
    return false;
}

static bool measure(const contenders *made, const mote_mesh *mesh, size_t count, int frames, int repeat)
{
    frame f;
    double least[CONTENDERS] = {0};
    bool good = make_frame(mesh, made->proxy, count, frames, &f);
    for (int run = 0; good && run < repeat; ++run)
        for (int c = 0; good && c < CONTENDERS; ++c) {
            const double start = cpu_milliseconds();
            good = find(made, c, &f);
            const double time = cpu_milliseconds() - start;
            if (run == 0 || time < least[c]) least[c] = time;
        }
    good = good && compare(&f);
    for (int c = 0; good && c < CONTENDERS; ++c)
        printf("%zu,%s,%.3f,%.2f,%zu,%zu,%zu\n", count, names[c], least[c], least[c] * 1e6 / (double)count, f.hits[c],
               f.different, made->bytes[c]);
    fflush(stdout);
    release_frame(&f);
    return good;
}

int main(int argc, char **argv)
{
    long long most = 400000, frames = 30, repeat = 5, depth = 9;
    const argument known[] = {
        {"--most", "N", &most, NULL, 1, 100000000},
        {"--frames", "N", &frames, NULL, 0, 10000},
        {"--repeat", "N", &repeat, NULL, 1, 1000},
        {"--depth", "N", &depth, NULL, 5, 12},
    };
    mote_context *context;
    mote_mesh *mesh;
    const int options = sizeof known / sizeof *known;
    const int status = begin_with_mesh("fan_figure_7", argc, argv, known, options, &context, &mesh);
    if (status != 0) return status;
    contenders made = {0};
    bool good = make_contenders(context, mesh, (int)depth, &made);
    printf("particles,contender,ms,ns_each,hits,different,bytes\n");
    for (int h = HALVINGS; good && h >= 0; --h)
        if (most >> h > 0) good = measure(&made, mesh, (size_t)(most >> h), (int)frames, (int)repeat);
    release_contenders(&made);
    mote_mesh_destroy(mesh);
    mote_context_destroy(context);
    return good ? 0 : 1;
}
