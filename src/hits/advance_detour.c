// SPDX-License-Identifier: MIT
// The shortest motion that keeps a distance from all triangles near a particle: the least |d − wish|² with n·d ≥ b
// for each of their planes.
//
// The solution touches at most three planes. It is found among all choices of up to three: it is the one that
// satisfies all other planes and that each chosen plane pushes instead of pulling (Kuhn & Tucker 1951).

#include "hits/advance_detour.h"

typedef struct plane {
    mote_vec3 normal;
    double least;
} plane;

// Solves for the push of each chosen plane; false if the planes are nearly parallel, or if one of them would pull.
static bool push_by(const plane *chosen[3], int count, mote_vec3 wish, mote_vec3 *way)
{
    double a[3][4];
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < count; ++k) a[i][k] = mote_vec3_dot(chosen[i]->normal, chosen[k]->normal);
        a[i][count] = chosen[i]->least - mote_vec3_dot(chosen[i]->normal, wish);
    }
    // The matrix is symmetric and positive, so elimination needs no pivots.
    for (int i = 0; i < count; ++i) {
        if (!(a[i][i] > 0x1p-40)) return false;
        for (int r = 0; r < count; ++r) {
            if (r == i) continue;
            const double share = a[r][i] / a[i][i];
            for (int k = i; k <= count; ++k) a[r][k] -= share * a[i][k];
        }
    }
    *way = wish;
    for (int i = 0; i < count; ++i) {
        const double push = a[i][count] / a[i][i];
        if (!(push >= 0)) return false;
        *way = mote_vec3_add_scaled(*way, chosen[i]->normal, push);
    }
    return true;
}

static bool keeps_to(const plane *planes, uint32_t count, mote_vec3 way, double slack)
{
    for (uint32_t i = 0; i < count; ++i)
        if (!(mote_vec3_dot(planes[i].normal, way) >= planes[i].least - slack)) return false;
    return true;
}

bool mote_hits_find_detour(const hits_near_triangles *contacts, double room, double rest, mote_vec3 wish,
                           mote_vec3 *way)
{
    plane planes[HITS_CONTACTS];
    const uint32_t n = contacts->count;
    const double slack = 0x1p-4 * (contacts->reach - room);
    for (uint32_t i = 0; i < n; ++i) {
        const hits_near_triangle *at = &contacts->contact[i];
        planes[i] = (plane){at->normal, rest * mote_vec3_dot(at->normal, at->velocity) + room - at->gap};
    }
    *way = wish;
    if (keeps_to(planes, n, *way, slack)) return true;
    // Choices of one, two and three planes. Loops over planes that are not part of the choice run once.
    for (int count = 1; count <= 3; ++count)
        for (uint32_t i = 0; i < n; ++i)
            for (uint32_t j = count > 1 ? i + 1 : n - 1; j < n; ++j)
                for (uint32_t k = count > 2 ? j + 1 : n - 1; k < n; ++k) {
                    const plane *chosen[3] = {&planes[i], &planes[j], &planes[k]};
                    if (push_by(chosen, count, wish, way) && keeps_to(planes, n, *way, slack)) return true;
                }
    return false;
}
