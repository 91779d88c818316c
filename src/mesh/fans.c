// SPDX-License-Identifier: MIT
// Triangles around a place or an edge that so many share that not all pairs of them can be looked at.
//
// Around a place two triangles meet only where they are seen in the same directions from there. Around an edge they
// meet only where they have the same angle: sorted by angles, which signs of determinants decide, these are neighbours.

#include <math.h>

#include "mesh/exact.h"
#include "mesh/fans.h"

// 4 MB of counts. Places that share one seem to have more corners than they do, which costs time: few do in meshes of
// up to a million triangles, more in larger ones.
enum { COUNTS_MOST = 1 << 22 };

// ------------------------------------------------------------------------------------------------------- finding fans

static mote_vec3 corner_of(const mote_triangle *t, uint32_t k)
{
    return k == 0 ? t->a : k == 1 ? t->b : t->c;
}

static bool is_full(const mesh_corner_counts *counts, uint64_t place_hash)
{
    return ((const uint8_t *)counts->memory.data)[place_hash & (counts->count - 1)] == MESH_FAN_LEAST;
}

// The key of a corner or an edge, the same from both sides; false if too few triangles have it. Other places and edges
// may have it, too: that only costs time, as those with one key are compared with the first of them.
static bool find_key(const mesh_corner_counts *counts, const mote_triangle *t, uint32_t k, bool has_edge, uint64_t *key)
{
    const uint64_t at = mote_place_hash(corner_of(t, k));
    *key = at;
    if (!is_full(counts, at)) return false;
    if (!has_edge) return true;
    const uint64_t end = mote_place_hash(corner_of(t, (k + 1) % 3));
    *key = MOTE_MIN(at, end) << 32 | MOTE_MAX(at, end);
    return is_full(counts, end);
}

static bool is_in_fan(const mote_triangle *t, const mesh_fan *fan)
{
    return mote_mesh_has_corner(t, fan->at) && (!fan->has_edge || mote_mesh_has_corner(t, fan->end));
}

// Makes a fan of those that have the edge or corner of the first of them, unless they are too few.
static mote_result add_fan(mote_context *context, const mote_triangle *triangles, const uint32_t *corners, size_t n,
                           bool has_edge, uint32_t *of, mesh_fans *fans)
{
    const mote_triangle *first = &triangles[corners[0] / 3];
    const uint32_t k = corners[0] % 3;
    const mesh_fan fan = {corner_of(first, k), corner_of(first, (k + 1) % 3), has_edge};
    size_t found = 0;
    for (size_t i = 0; i < n; ++i) found += of[corners[i] / 3] == 0 && is_in_fan(&triangles[corners[i] / 3], &fan);
    if (found < MESH_FAN_LEAST) return MOTE_OK;
    const size_t bytes = mote_bytes(fans->count + 1, sizeof fan);
    const mote_result result = mote_buffer_reserve(context, &fans->list, bytes, fans->count * sizeof fan);
    if (result != MOTE_OK) return result;
    ((mesh_fan *)fans->list.data)[fans->count] = fan;
    for (size_t i = 0; i < n; ++i)
        if (of[corners[i] / 3] == 0 && is_in_fan(&triangles[corners[i] / 3], &fan)) of[corners[i] / 3] = fans->count;
    ++fans->count;
    return MOTE_OK;
}

static mote_result find(mote_context *context, const mote_triangle *triangles, size_t count,
                        const mesh_corner_counts *counts, bool has_edge, uint32_t *of, mesh_fans *fans)
{
    mote_buffer memory = {0};
    mote_result result = mote_buffer_reserve(context, &memory, mote_bytes(3 * count, 24), 0);
    if (result != MOTE_OK) return result;
    uint64_t *keys = memory.data, *spare = keys + 3 * count;
    uint32_t *corners = (uint32_t *)(spare + 3 * count);
    size_t n = 0;
    for (size_t t = 0; t < count; ++t)
        for (uint32_t k = 0; k < 3 && of[t] == 0; ++k) {
            corners[n] = (uint32_t)(3 * t + k);
            n += find_key(counts, &triangles[t], k, has_edge, &keys[n]);
        }
    result = mote_sort_u64(context, keys, corners, spare, corners + 3 * count, n);
    for (size_t begin = 0, end; begin < n && result == MOTE_OK; begin = end) {
        for (end = begin; end < n && keys[end] == keys[begin];) ++end;
        if (end - begin >= MESH_FAN_LEAST)
            result = add_fan(context, triangles, corners + begin, end - begin, has_edge, of, fans);
    }
    mote_buffer_release(context, &memory);
    return result;
}

mote_result mote_mesh_corner_counts_begin(mote_context *context, size_t triangle_count, mesh_corner_counts *counts)
{
    counts->count = 1024;
    while (counts->count < 4 * triangle_count && counts->count < COUNTS_MOST) counts->count *= 2;
    const mote_result result = mote_buffer_reserve(context, &counts->memory, counts->count, 0);
    if (result == MOTE_OK) memset(counts->memory.data, 0, counts->count);
    counts->is_any_full = false;
    return result;
}

mote_result mote_mesh_fans_find(mote_context *context, const mote_triangle *triangles, size_t count,
                                const mesh_corner_counts *counts, uint32_t *of, mesh_fans *fans)
{
    memset(of, 0, count * sizeof *of);
    fans->count = 1;
    mote_result result = mote_buffer_reserve(context, &fans->list, sizeof(mesh_fan), 0);
    if (result == MOTE_OK) memset(fans->list.data, 0, sizeof(mesh_fan));
    if (result == MOTE_OK) result = find(context, triangles, count, counts, true, of, fans);
    if (result == MOTE_OK) result = find(context, triangles, count, counts, false, of, fans);
    return result;
}

// --------------------------------------------------------------------------------------------------------- directions

// Where the edge opposite passes so close to the corner, beside its size, a point of it is known to some 1e-16 of that
// size, and its direction to no more than 1e-10. Boxes of directions are wider by more than that.
static const double shortest = 1e-6, slack = 1e-9;
// Coordinates are near 1: directions to corners that are nearer than this might be divided by 0, or by what has lost
// its bits.
static const double nothing = 1e-200;

// Adds the direction to a point. @return false: it is too near, below `least`, for a direction to be known
static bool add_direction(mote_box *box, mote_vec3 to, double least)
{
    const double sum = fabs(to.x) + fabs(to.y) + fabs(to.z);
    if (!(sum > least)) return false;
    *box = mote_box_add_point(*box, mote_vec3_scale(to, 1 / sum));
    return true;
}

mote_box mote_mesh_directions(const mote_triangle *triangle, mote_vec3 at)
{
    const mote_box all = {{-2, -2, -2}, {2, 2, 2}};
    const mote_vec3 *corners[3] = {&triangle->a, &triangle->b, &triangle->c};
    int apex = 0;
    while (apex < 2 && !mote_same_place(*corners[apex], at)) ++apex;
    const mote_vec3 from = mote_vec3_sub(*corners[(apex + 1) % 3], at);
    const mote_vec3 to = mote_vec3_sub(*corners[(apex + 2) % 3], at);
    const double a[3] = {from.x, from.y, from.z}, b[3] = {to.x, to.y, to.z};
    mote_box box = mote_box_empty();
    if (!add_direction(&box, from, nothing) || !add_direction(&box, to, nothing)) return all;
    // Where the edge opposite passes from one octant into another, the line of directions has a bend.
    for (int k = 0; k < 3; ++k) {
        if (!((a[k] < 0 && b[k] > 0) || (a[k] > 0 && b[k] < 0))) continue;
        const double share = a[k] / (a[k] - b[k]);
        double bend[3];
        for (int j = 0; j < 3; ++j) bend[j] = j == k ? 0 : a[j] + share * (b[j] - a[j]);
        const double size = mote_vec3_length(from) + mote_vec3_length(to);
        if (!add_direction(&box, mote_vec3_make(bend[0], bend[1], bend[2]), shortest * size)) return all;
    }
    const mote_vec3 more = {slack, slack, slack};
    box.min = mote_vec3_sub(box.min, more), box.max = mote_vec3_add(box.max, more);
    return box;
}

// ----------------------------------------------------------------------------------------------------------- overlaps

// What angles around an edge are compared with: the half plane of the first triangle.
typedef struct half_planes {
    mote_vec3 at, end, first;
    int u, v;  // axes in whose plane the first triangle has an area
    const mesh_fan *fan;
    const mote_triangle *triangles;
    uint64_t examined;
} half_planes;

static mote_vec3 third_corner(const mesh_fan *fan, const mote_triangle *t)
{
    if (!mote_same_place(t->a, fan->at) && !mote_same_place(t->a, fan->end)) return t->a;
    return !mote_same_place(t->b, fan->at) && !mote_same_place(t->b, fan->end) ? t->b : t->c;
}

// 0: in the first half plane; 1: up to half a turn on; 2: opposite; 3: beyond.
static int quarter_of(half_planes *of, mote_vec3 corner)
{
    ++of->examined;
    const int side = mote_side_of_plane(of->at, of->end, of->first, corner);
    if (side != 0) return side > 0 ? 1 : 3;
    return mote_side_of_line(of->at, of->end, of->first, of->u, of->v) ==
                   mote_side_of_line(of->at, of->end, corner, of->u, of->v)
               ? 0
               : 2;
}

// The sign of an angle minus another.
static int compare_angles(half_planes *of, uint32_t a, uint32_t b)
{
    const mote_vec3 one = third_corner(of->fan, &of->triangles[a]), other = third_corner(of->fan, &of->triangles[b]);
    const int quarter = quarter_of(of, one), its = quarter_of(of, other);
    if (quarter != its) return quarter < its ? -1 : 1;
    if (quarter == 0 || quarter == 2) return 0;
    ++of->examined;
    return -mote_side_of_plane(of->at, of->end, one, other);
}

static void sink(half_planes *of, uint32_t *by_angle, uint32_t i, uint32_t n)
{
    for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && compare_angles(of, by_angle[child], by_angle[child + 1]) < 0) ++child;
        if (compare_angles(of, by_angle[i], by_angle[child]) >= 0) return;
        const uint32_t swap = by_angle[i];
        by_angle[i] = by_angle[child], by_angle[child] = swap;
    }
}

// Heap sort.
static void sort_by_angle(half_planes *of, uint32_t *by_angle, uint32_t n)
{
    for (uint32_t i = 0; i < n; ++i) by_angle[i] = i;
    for (uint32_t i = n / 2; i-- > 0;) sink(of, by_angle, i, n);
    for (uint32_t left = n; left-- > 1;) {
        const uint32_t swap = by_angle[0];
        by_angle[0] = by_angle[left], by_angle[left] = swap;
        sink(of, by_angle, 0, left);
    }
}

void mote_mesh_overlaps_add(const mesh_fan *fan, const mote_triangle *triangles, const uint32_t *indices,
                            const uint32_t *weights, uint32_t n, uint32_t *by_angle, crossing_sums *sums)
{
    half_planes of = {fan->at, fan->end, third_corner(fan, &triangles[0]), 0, 1, fan, triangles, 0};
    while (mote_side_of_line(of.at, of.end, of.first, of.u, of.v) == 0 && of.u < 2) of.u = of.v, of.v = (of.v + 1) % 3;
    sort_by_angle(&of, by_angle, n);
    for (uint32_t begin = 0, end; begin < n; begin = end) {
        uint64_t sum = 0, squares = 0;
        uint32_t least[2] = {UINT32_MAX, UINT32_MAX};
        for (end = begin; end < n; ++end) {
            if (end > begin && compare_angles(&of, by_angle[begin], by_angle[end]) != 0) break;
            const uint64_t weight = weights[by_angle[end]];
            const uint32_t index = indices[by_angle[end]];
            sum += weight, squares += weight * weight;
            if (index < least[0]) least[1] = least[0], least[0] = index;
            else least[1] = MOTE_MIN(least[1], index);
        }
        if (end - begin < 2) continue;
        sums->count += (sum * sum - squares) / 2;
        sums->first = MOTE_MIN(sums->first, (uint64_t)least[0] << 32 | least[1]);
    }
    sums->examined += of.examined;
}
