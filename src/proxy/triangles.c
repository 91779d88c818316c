// SPDX-License-Identifier: MIT
// First triangles by the general octree (Fan et al. 2013, figure 7): the proxy's leaves, with all triangles kept and
// tested.
//
// A motion goes from leaf to leaf. A leaf's nearest hit counts if it lies before the end of the leaf; otherwise a
// nearer one may be in the next leaf. A triangle listed in several leaves is tested in each. Rays are tested against
// triangles after Möller & Trumbore 1997, in double.

#include "proxy/move.h"

enum { PARTICLES_A_BLOCK = 1024 };

typedef struct first_task {
    const mote_proxy *proxy;
    const mote_proxy_particles *particles;
    double dt;
    mote_proxy_triangle_hit *hits;
    atomic_size_t *unfit;
} first_task;

// The share of the way at which the ray meets the triangle, or 2.
static double meet(mote_triangle triangle, mote_vec3 from, mote_vec3 way)
{
    const mote_vec3 e = mote_vec3_sub(triangle.b, triangle.a), f = mote_vec3_sub(triangle.c, triangle.a);
    const mote_vec3 p = mote_vec3_cross(way, f), s = mote_vec3_sub(from, triangle.a);
    const double det = mote_vec3_dot(e, p);
    if (det == 0) return 2;
    const mote_vec3 q = mote_vec3_cross(s, e);
    const double b = mote_vec3_dot(s, p) / det, c = mote_vec3_dot(way, q) / det, time = mote_vec3_dot(f, q) / det;
    return b >= 0 && c >= 0 && b + c <= 1 && time >= 0 && time <= 1 ? time : 2;
}

static void test_leaf(const mote_leaf_view *view, mote_vec3 from, mote_vec3 way, mote_proxy_triangle_hit *hit)
{
    for (size_t i = 0; i < view->count; ++i) {
        const uint32_t number = view->list[i];
        const double time = meet(view->triangles[number], from, way);
        if (time > 1 || time > hit->time || (time == hit->time && number >= hit->triangle)) continue;
        hit->time = time;
        hit->triangle = number;
    }
}

// The share of the way at which the ray leaves the leaf, and the finest cell behind that face; false if the way ends
// in the leaf or leaves the root.
static bool leave(const mote_spot *spot, const double from[3], const double way[3], uint32_t across, double *time,
                  uint32_t cell[3])
{
    int axis = -1;
    double soonest = 1;
    for (int k = 0; k < 3; ++k) {
        if (way[k] == 0) continue;
        const double to = ((way[k] > 0 ? spot->low[k] + spot->size : spot->low[k]) - from[k]) / way[k];
        if (to >= soonest) continue;
        soonest = to;
        axis = k;
    }
    *time = soonest;
    if (axis < 0) return false;
    for (int k = 0; k < 3; ++k) {
        const double low = spot->low[k], high = low + spot->size - 1, at = floor(from[k] + way[k] * soonest);
        cell[k] = (uint32_t)(at < low ? low : (at > high ? high : at));
    }
    if (way[axis] > 0) {
        cell[axis] = spot->low[axis] + spot->size;
        return cell[axis] < across;
    }
    if (spot->low[axis] == 0) return false;
    cell[axis] = spot->low[axis] - 1;
    return true;
}

// The finest cell in which the way enters the root; false if it never does.
static bool begin(const double from[3], const double way[3], double across, uint32_t cell[3])
{
    double enter = 0, end = 1;
    for (int k = 0; k < 3; ++k) {
        if (way[k] == 0) {
            if (!(from[k] >= 0 && from[k] < across)) return false;
            continue;
        }
        enter = MOTE_MAX(enter, ((way[k] > 0 ? 0 : across) - from[k]) / way[k]);
        end = MOTE_MIN(end, ((way[k] > 0 ? across : 0) - from[k]) / way[k]);
    }
    if (!(enter <= end)) return false;
    for (int k = 0; k < 3; ++k) {
        const double at = from[k] + way[k] * enter;
        cell[k] = (uint32_t)(at < 0 ? 0 : MOTE_MIN(at, across - 1));
    }
    return true;
}

static mote_proxy_triangle_hit find_first(const mote_proxy *proxy, const double from[3], const double way[3])
{
    mote_proxy_triangle_hit hit = {2, 0};
    const uint32_t across = 1u << proxy->def.max_depth;
    const mote_vec3 start = {from[0], from[1], from[2]}, by = {way[0], way[1], way[2]};
    uint32_t cell[3];
    if (!begin(from, way, across, cell)) return hit;
    for (;;) {
        const mote_spot spot = mote_proxy_find(proxy, cell);
        mote_leaf_view view;
        if (spot.kind == MOTE_PROXY_LEAF && mote_proxy_view(proxy, spot.node, spot.low, spot.size, &view))
            test_leaf(&view, start, by, &hit);
        double time;
        if (!leave(&spot, from, way, across, &time, cell) || hit.time < time) return hit;
    }
}

static void find_all(void *data, size_t first, size_t end, uint32_t worker)
{
    (void)worker;
    const first_task *task = data;
    const mote_proxy_particles *set = task->particles;
    const mote_proxy *proxy = task->proxy;
    const double origin[3] = {proxy->origin.x, proxy->origin.y, proxy->origin.z};
    for (size_t i = first; i < end; ++i) {
        double from[3], way[3];
        bool finite = true;
        for (int k = 0; k < 3; ++k) {
            from[k] = (mote_move_load(set, set->position, set->position_stride, i, k) - origin[k]) * proxy->scale;
            way[k] = mote_move_load(set, set->velocity, set->velocity_stride, i, k) * task->dt * proxy->scale;
            finite &= isfinite(from[k]) && isfinite(way[k]);
        }
        task->hits[i] = finite ? find_first(proxy, from, way) : (mote_proxy_triangle_hit){2, 0};
        if (!finite) mote_move_note_unfit(task->unfit, i);
    }
}

mote_result mote_proxy_first_triangles(const mote_proxy *proxy, const mote_proxy_particles *particles, double dt,
                                       mote_proxy_triangle_hit *hits, mote_error *error)
{
    mote_result result = mote_proxy_check_motion(proxy, particles, dt, error);
    if (result != MOTE_OK) return result;
    if (particles->count && !hits) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "proxy: nowhere to put the hits");
    if (!proxy->def.keep_triangles || (proxy->all.count == 0 && proxy->stats.references))
        return mote_fail(error, MOTE_ERROR_STATE, 0, "proxy: its triangles were not kept");
    atomic_size_t unfit;
    atomic_init(&unfit, SIZE_MAX);
    first_task task = {proxy, particles, dt, hits, &unfit};
    mote_parallel_for(proxy->context, particles->count, PARTICLES_A_BLOCK, find_all, &task);
    return mote_proxy_report_unfit(particles, atomic_load(&unfit), dt, error);
}
