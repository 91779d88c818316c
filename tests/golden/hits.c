// SPDX-License-Identifier: MIT
// First hits of short and long motions, of points and spheres, against meshes at rest and moving ones; particles that
// are moved with each response; closest points, signs and winding numbers.

#include <math.h>

#include <stdio.h>
#include <stdlib.h>

#include "golden.h"

enum { MOTIONS = 3000 };

static void mix_hits(uint64_t *sum, const mote_hit *found, size_t count)
{
    for (size_t h = 0; h < count; ++h) {
        const mote_hit *hit = &found[h];
        const uint32_t numbers[5] = {hit->triangle, hit->mesh, hit->particle, (uint32_t)hit->side, hit->feature};
        golden_mix(sum, &hit->time, sizeof hit->time);
        golden_mix_vec3(sum, hit->point);
        golden_mix_vec3(sum, hit->normal);
        golden_mix_vec3(sum, hit->velocity);
        golden_mix(sum, hit->barycentric, sizeof hit->barycentric);
        golden_mix(sum, numbers, sizeof numbers);
    }
}

// A mesh, and a box around it in which motions begin.
typedef struct subject {
    const char *name;
    mote_hits *hits;
    mote_vec3 low, size;
} subject;

// Motions of that length.
static void fill(const subject *of, double *from, double *to, double length)
{
    const double low[3] = {of->low.x, of->low.y, of->low.z}, size[3] = {of->size.x, of->size.y, of->size.z};
    mote_random random = {29};
    for (size_t i = 0; i < 3 * MOTIONS; ++i) {
        from[i] = low[i % 3] + size[i % 3] * mote_random_unit(&random);
        to[i] = from[i] + length * size[i % 3] * (mote_random_unit(&random) - 0.5);
    }
}

static bool print_hits(const subject *of, double length, const double *radii, const char *what)
{
    static double from[3 * MOTIONS], to[3 * MOTIONS];
    fill(of, from, to, length);
    const mote_motions motions = {.from = mote_points_xyz_f64(from, MOTIONS), .to = mote_points_xyz_f64(to, MOTIONS),
                                  .radii = radii};
    mote_hit_list list;
    mote_error error = {0};
    if (!golden_is_ok(what, mote_hits_query(of->hits, &motions, &list, &error), &error)) return false;
    uint64_t sum = GOLDEN_START;
    mix_hits(&sum, list.hits, list.count);
    golden_print(what, list.count, sum);
    return true;
}

static bool print_motions(const subject *of)
{
    static double radii[MOTIONS];
    char what[128];
    const double lengths[3] = {0.02, 0.3, 3}, size = of->size.x;
    bool done = true;
    for (size_t i = 0; i < MOTIONS; ++i) radii[i] = size * (i % 3 ? 0.0005 * (double)(i % 7) : 0.02);
    for (int n = 0; n < 3 && done; ++n) {
        snprintf(what, sizeof what, "hits, %s, motions of %g", of->name, lengths[n]);
        done = print_hits(of, lengths[n], NULL, what);
        snprintf(what, sizeof what, "hits of spheres, %s, motions of %g", of->name, lengths[n]);
        done = done && print_hits(of, lengths[n], radii, what);
    }
    return done;
}

static bool print_advance(const subject *of)
{
    static double positions[3 * MOTIONS], velocities[3 * MOTIONS];
    static uint8_t dead[MOTIONS];
    bool done = true;
    for (int kind = MOTE_RESPONSE_BOUNCE; kind <= MOTE_RESPONSE_KILL && done; ++kind) {
        char what[128];
        uint64_t hit_count = 0, sum = GOLDEN_START;
        mote_error error = {0};
        mote_response response = mote_response_default();
        const mote_particles particles = {.positions = positions, .velocities = velocities, .dead = dead,
                                          .count = MOTIONS};
        response.kind = (mote_response_kind)kind;
        response.friction = 0.3;
        response.lists_hits = true;
        fill(of, positions, velocities, 1);
        for (size_t i = 0; i < 3 * MOTIONS; ++i) velocities[i] -= positions[i];
        for (size_t i = 0; i < MOTIONS; ++i) dead[i] = i % 50 == 0;
        snprintf(what, sizeof what, "advance, %s, response %d", of->name, kind);
        const mote_result result = mote_hits_advance(of->hits, &response, &particles, 0.5, &hit_count, &error);
        done = golden_is_ok(what, result, &error);
        const mote_contact_list list = mote_hits_get_contacts(of->hits);
        for (size_t c = 0; c < list.count; ++c) {
            const mote_contact *contact = &list.contacts[c];
            const uint32_t numbers[4] = {contact->particle, contact->triangle, contact->mesh, contact->kind};
            golden_mix(&sum, &contact->time, sizeof contact->time);
            golden_mix_vec3(&sum, contact->point);
            golden_mix_vec3(&sum, contact->normal);
            golden_mix(&sum, numbers, sizeof numbers);
        }
        golden_mix(&sum, positions, sizeof positions);
        golden_mix(&sum, velocities, sizeof velocities);
        golden_mix(&sum, dead, sizeof dead);
        if (done) golden_print(what, (size_t)hit_count, sum);
    }
    return done;
}

static bool print_closest(const subject *of)
{
    static double from[3 * MOTIONS], to[3 * MOTIONS];
    static mote_closest closest[MOTIONS];
    const mote_points points = mote_points_xyz_f64(from, MOTIONS);
    bool done = true;
    fill(of, from, to, 0);
    for (int rule = MOTE_SIGN_NORMAL; rule <= MOTE_SIGN_WINDING && done; ++rule) {
        char what[128];
        uint64_t sum = GOLDEN_START;
        mote_error error = {0};
        snprintf(what, sizeof what, "closest points, %s, rule %d", of->name, rule);
        done = golden_is_ok(
            what, mote_hits_closest_all(of->hits, &points, HUGE_VAL, (mote_sign_rule)rule, closest, &error), &error);
        for (size_t i = 0; i < MOTIONS && done; ++i) {
            const uint32_t numbers[3] = {closest[i].triangle, closest[i].mesh, closest[i].feature};
            golden_mix(&sum, &closest[i].distance, sizeof closest[i].distance);
            golden_mix_vec3(&sum, closest[i].point);
            golden_mix_vec3(&sum, closest[i].normal);
            golden_mix(&sum, closest[i].barycentric, sizeof closest[i].barycentric);
            golden_mix(&sum, numbers, sizeof numbers);
        }
        if (done) golden_print(what, MOTIONS, sum);
    }
    return done;
}

// The mesh grows by a tenth in x and shrinks in y while it moves along z.
static mote_result set_in_motion(mote_hits *hits, const mote_mesh *mesh, mote_error *error)
{
    mote_vec3 *end = malloc(mesh->vertex_count * sizeof *end);
    if (!end) return MOTE_ERROR_OUT_OF_MEMORY;
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        const mote_vec3 at = mesh->vertices[v];
        end[v] = (mote_vec3){1.1 * at.x, 0.9 * at.y, at.z + 0.05};
    }
    const mote_result result = mote_hits_update_moving(hits, mesh->vertices, end, error);
    free(end);
    return result;
}

static bool print_mesh(mote_context *context, mote_mesh *mesh, subject of)
{
    char moving[64];
    mote_error error = {0};
    if (!mesh || !golden_is_ok(of.name, mote_hits_create(context, NULL, mesh, &of.hits, &error), &error)) return false;
    bool done = print_motions(&of) && print_advance(&of) && print_closest(&of);
    snprintf(moving, sizeof moving, "%s moving", of.name);
    of.name = moving;
    done = done && golden_is_ok(moving, set_in_motion(of.hits, mesh, &error), &error);
    done = done && print_motions(&of) && print_advance(&of);
    mote_hits_destroy(of.hits);
    return done;
}

bool golden_hits(mote_context *context)
{
    const subject subjects[3] = {{"sphere", NULL, {-1.2, -1.2, -1.2}, {2.4, 2.4, 2.4}},
                                 {"spike", NULL, {-0.002, -0.002, -0.2}, {0.004, 0.004, 1.4}},
                                 {"soup", NULL, {-1.2, -1.2, -1.2}, {2.4, 2.4, 2.4}}};
    mote_mesh *meshes[3] = {golden_sphere(), golden_spike(), golden_soup()};
    bool done = true;
    for (int m = 0; m < 3; ++m) {
        done = done && print_mesh(context, meshes[m], subjects[m]);
        mote_mesh_destroy(meshes[m]);
    }
    return done;
}
