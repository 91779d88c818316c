// SPDX-License-Identifier: MIT
// Never through: points and spheres of any radius, in closed meshes that rest, move, turn, are squeezed or have every
// vertex go its own way, anywhere up to a million sizes from the origin. The mesh must wind as often around each centre
// at the end as at the start, by support/winding.h; those that are told to be crushed count apart.
//
// With MOTE_LONG_TESTS=1 a thousand steps each.

#include <stdlib.h>

#include "base/tested.h"
#include "mote/hits.h"
#include "support/shapes.h"
#include "support/test.h"
#include "support/winding.h"

enum { PARTICLES = SLOW_BUILD ? 12 : 60 };

typedef enum motion { REST, SHIFT, TURN, SQUEEZE, SLAM, WILD } motion;
static const char *const motion_names[] = {"rest", "shift", "turn", "squeeze", "slam", "wild"};

typedef struct ordeal {
    const char *shape;
    motion motion;
    double offset, radius;  // [sizes]
    mote_response_kind kind;
    double amount;  // of the motion, in a step [sizes]
} ordeal;

typedef struct crowd {
    mote_mesh *mesh;
    mote_vec3 *rest, *start, *end;
    double size;
    mote_hits *hits;
    double positions[3 * PARTICLES], velocities[3 * PARTICLES], radii[PARTICLES];
    uint8_t dead[PARTICLES];
    int winding[PARTICLES];
    bool is_out[PARTICLES];  // crushed, or on the surface from the start
    uint64_t hit_count, squeezed, crushed;
    mote_random random;
} crowd;

static double between(crowd *c, double low, double high)
{
    return low + (high - low) * mote_random_unit(&c->random);
}

static mote_mesh *make_shape(const char *name)
{
    if (strcmp(name, "cube") == 0) return shape_cube(NULL, 1);
    if (strcmp(name, "torus") == 0) return shape_torus(NULL, 1, 0.3, 20, 10);
    if (strcmp(name, "star") == 0) return shape_star(NULL);
    if (strcmp(name, "spike") == 0) return shape_spike(NULL);
    return shape_sphere(NULL, 2);
}

// Where a vertex is after so many steps.
static mote_vec3 vertex_at(crowd *c, const ordeal *o, size_t v, int number)
{
    const double s = c->size, much = o->amount;
    mote_vec3 p = c->rest[v];
    const double wave = sin(0.1 * number), phase = 3 * much * wave;
    switch (o->motion) {
    case REST: break;
    case SHIFT:
        p = mote_vec3_add(p, mote_vec3_make(5 * s * much * wave, s * much * cos(0.3 * number),
                                                        s * much * number));
        break;
    case TURN:
        p = mote_vec3_make(cos(phase) * p.x - sin(phase) * p.y, sin(phase) * p.x + cos(phase) * p.y, p.z);
        break;
    case SQUEEZE: p.z *= 1 - much * (1 - cos(0.2 * number)) / 2; break;
    case SLAM: p.z *= 1 - much * (1 - cos(1.2 * number)) / 2; break;  // the same in six times as few steps
    case WILD:
        p = mote_vec3_add(p, mote_vec3_make(between(c, -much, much) * s / 4, between(c, -much, much) * s / 4,
                                            between(c, -much, much) * s / 4));
        break;
    }
    const double away = o->offset * s;
    return mote_vec3_add(p, mote_vec3_make(away, -0.7 * away, 0.9 * away));
}

static void set_vertices(crowd *c, const ordeal *o, int number, mote_vec3 *to)
{
    for (size_t v = 0; v < c->mesh->vertex_count; ++v) to[v] = vertex_at(c, o, v, number);
}

static mote_vec3 position_of(const crowd *c, size_t i)
{
    return mote_vec3_make(c->positions[3 * i], c->positions[3 * i + 1], c->positions[3 * i + 2]);
}

// Most of them inside, some outside, none on the surface.
static void scatter(crowd *c)
{
    mote_box box = mote_box_empty();
    for (size_t v = 0; v < c->mesh->vertex_count; ++v) box = mote_box_add_point(box, c->end[v]);
    for (size_t i = 0; i < PARTICLES; ++i) {
        do {
            const double p[3] = {between(c, box.min.x, box.max.x), between(c, box.min.y, box.max.y),
                                 between(c, box.min.z, box.max.z)};
            memcpy(c->positions + 3 * i, p, sizeof p);
            c->winding[i] = winding_exact(c->mesh, c->end, position_of(c, i));
        } while (c->winding[i] == WINDING_ON_SURFACE || (i % 4 && c->winding[i] == 0));
        for (size_t k = 0; k < 3; ++k) c->velocities[3 * i + k] = between(c, -1, 1) * c->size;
    }
}

static void open_crowd(crowd *c, const ordeal *o)
{
    *c = (crowd){.mesh = make_shape(o->shape), .random = {5}};
    const size_t bytes = c->mesh->vertex_count * sizeof(mote_vec3);
    const mote_box box = mote_mesh_box(c->mesh);
    const mote_vec3 sides = mote_vec3_sub(box.max, box.min);
    c->size = fmax(sides.x, fmax(sides.y, sides.z));
    c->rest = memcpy(malloc(bytes), c->mesh->vertices, bytes);
    c->start = malloc(bytes);
    c->end = malloc(bytes);
    set_vertices(c, o, 0, c->end);
    memcpy(c->mesh->vertices, c->end, bytes);
    CHECK_OK(mote_hits_create(NULL, NULL, c->mesh, &c->hits, NULL));
    for (size_t i = 0; i < PARTICLES; ++i) c->radii[i] = o->radius * c->size;
    scatter(c);
}

static void close_crowd(crowd *c)
{
    mote_hits_destroy(c->hits);
    mote_mesh_destroy(c->mesh);
    free(c->rest);
    free(c->start);
    free(c->end);
}

static void step(crowd *c, const ordeal *o, int number)
{
    const mote_particles view = {c->positions, c->velocities, c->radii, c->dead, PARTICLES};
    mote_response response = mote_response_default();
    response.kind = o->kind;
    response.restitution = 0.3;
    memcpy(c->start, c->end, c->mesh->vertex_count * sizeof(mote_vec3));
    set_vertices(c, o, number, c->end);
    if (o->motion != REST) CHECK_OK(mote_hits_update_moving(c->hits, c->start, c->end, NULL));
    for (size_t i = 0; i < PARTICLES; ++i) {
        c->velocities[3 * i + 2] -= 0.05 * c->size;
        for (size_t k = 0; k < 3 && number % 20 == 7; ++k) c->velocities[3 * i + k] += between(c, -3, 3) * c->size;
    }
    uint64_t hit_count;
    CHECK_OK(mote_hits_advance(c->hits, &response, &view, 0.1, &hit_count, NULL));
    const mote_contact_list list = mote_hits_get_contacts(c->hits);
    c->hit_count += hit_count;
    c->squeezed += list.squeezed;
    c->crushed += list.crushed;
    for (size_t k = 0; k < list.count; ++k)
        if (list.contacts[k].kind == MOTE_CONTACT_CRUSHED) c->is_out[list.contacts[k].particle] = true;
}

static size_t count_escapes(crowd *c)
{
    size_t escapes = 0;
    for (size_t i = 0; i < PARTICLES; ++i) {
        if (c->is_out[i] || c->dead[i]) continue;
        const int winding = winding_exact(c->mesh, c->end, position_of(c, i));
        if (winding == WINDING_ON_SURFACE || winding == c->winding[i]) continue;
        c->is_out[i] = true;
        ++escapes;
    }
    return escapes;
}

static void check_ordeal(const ordeal *o, int steps)
{
    crowd c;
    open_crowd(&c, o);
    size_t escapes = 0;
    for (int k = 1; k <= steps; ++k) {
        step(&c, o, k);
        escapes += count_escapes(&c);
    }
    CHECK(escapes == 0, "%s, %s by %g, %g sizes away, radius %g, response %d: %zu of %d escaped", o->shape,
          motion_names[o->motion], o->amount, o->offset, o->radius, (int)o->kind, escapes, PARTICLES);
    CHECK(c.crushed == 0 || o->motion == WILD, "%s, %s by %g, %g sizes away, radius %g, response %d: %llu crushed",
          o->shape, motion_names[o->motion], o->amount, o->offset, o->radius, (int)o->kind,
          (unsigned long long)c.crushed);
    close_crowd(&c);
}

// Of all combinations every so manieth.
static void check_motion(motion how, const double *amounts, size_t amount_count, size_t every, int steps)
{
    static const char *const shapes[] = {"cube", "torus", "star", "sphere", "spike"};
    static const double offsets[] = {0, 1, 1e3, 1e5, 1e6};
    static const double radii[] = {0, 1e-14, 1e-10, 1e-7, 1e-4, 1e-3, 1e-2, 0.1};
    static const mote_response_kind kinds[] = {MOTE_RESPONSE_BOUNCE, MOTE_RESPONSE_SLIDE, MOTE_RESPONSE_STICK,
                                               MOTE_RESPONSE_STOP, MOTE_RESPONSE_KILL};
    size_t number = 0;
    if (SLOW_BUILD) every = 4 * every + 1;
    if (test_is_long()) every = 7;
    for (size_t s = 0; s < 5; ++s)
        for (size_t a = 0; a < amount_count; ++a)
            for (size_t f = 0; f < 5; ++f)
                for (size_t r = 0; r < 8; ++r)
                    for (size_t k = 0; k < 5; ++k) {
                        const ordeal o = {shapes[s], how, offsets[f], radii[r], kinds[k], amounts[a]};
                        // Such spheres fill the torus: each touches hundreds of triangles all the time.
                        if (radii[r] == 0.1 && s == 1 && !test_is_long()) continue;
                        if (number++ % every == 0) check_ordeal(&o, test_is_long() ? 1000 : steps);
                    }
}

static void meshes_at_rest(void **state)
{
    (void)state;
    check_motion(REST, (const double[]){0}, 1, 17, SLOW_BUILD ? 5 : 40);
}

static void meshes_that_move(void **state)
{
    (void)state;
    check_motion(SHIFT, (const double[]){0.003, 0.1}, 2, 23, SLOW_BUILD ? 5 : 25);
    check_motion(SHIFT, (const double[]){0.45}, 1, 67, SLOW_BUILD ? 5 : 12);  // half a size a step
}

static void meshes_that_turn(void **state)
{
    (void)state;
    check_motion(TURN, (const double[]){0.05, 0.5}, 2, 29, SLOW_BUILD ? 5 : 25);
    check_motion(TURN, (const double[]){3.4}, 1, 67, SLOW_BUILD ? 5 : 12);  // a radian a step: its rim goes half a size
}

static void meshes_that_are_squeezed(void **state)
{
    (void)state;
    check_motion(SQUEEZE, (const double[]){0.5, 0.95}, 2, 43, SLOW_BUILD ? 5 : 40);
    check_motion(SLAM, (const double[]){0.9}, 1, 67, SLOW_BUILD ? 5 : 12);  // half a size a step
}

static void meshes_whose_vertices_go_their_own_ways(void **state)
{
    (void)state;
    check_motion(WILD, (const double[]){0.01, 0.1, 0.5, 2}, 4, 101, SLOW_BUILD ? 5 : 12);
}

// Particles lie in corners of a mesh that shrinks and grows, nearer to both walls than their radius. Kicked, they meet
// both in the same 2^-40 of their motion: they may go no farther than to the first.
static void corners_of_squeezed_meshes_hold(void **state)
{
    (void)state;
    const ordeal o = {"spike", SQUEEZE, 0, 1e-14, MOTE_RESPONSE_SLIDE, 0.95};
    check_ordeal(&o, SLOW_BUILD ? 20 : 590);
}

// Puts the particles that close to corners, edges and faces, and throws them that far.
static void throw_from_walls(crowd *c, double off, double length)
{
    for (size_t i = 0; i < PARTICLES; ++i) {
        const uint32_t *of = c->mesh->triangles + 3 * mote_random_below(&c->random, (uint32_t)c->mesh->triangle_count);
        const double e = i % 3 > 0 ? between(c, 0, 1) : 0, f = i % 3 > 1 ? between(c, 0, 1 - e) : 0;
        mote_vec3 at = mote_vec3_add_scaled(c->end[of[0]], mote_vec3_sub(c->end[of[1]], c->end[of[0]]), e);
        at = mote_vec3_add_scaled(at, mote_vec3_sub(c->end[of[2]], c->end[of[0]]), f);
        const double p[3] = {at.x + between(c, -off, off), at.y + between(c, -off, off), at.z + between(c, -off, off)};
        memcpy(c->positions + 3 * i, p, sizeof p);
        for (size_t k = 0; k < 3; ++k) c->velocities[3 * i + k] = between(c, -10, 10) * length;
        c->winding[i] = winding_exact(c->mesh, c->end, position_of(c, i));
        c->is_out[i] = c->winding[i] == WINDING_ON_SURFACE;
    }
}

// Times are told apart by 2^-40 of a motion: these spheres are smaller than what they go in that time.
static void long_motions_from_corners(void **state)
{
    (void)state;
    static const char *const shapes[] = {"cube", "torus", "star", "spike"};
    static const mote_response_kind kinds[] = {MOTE_RESPONSE_BOUNCE, MOTE_RESPONSE_SLIDE, MOTE_RESPONSE_STICK};
    size_t number = 0;
    for (size_t s = 0; s < 4; ++s)
        for (int length = 4; length <= 20; length += 4)
            for (int how = REST; how <= WILD; ++how) {
                const ordeal o = {shapes[s], (motion)how, 0, ldexp(1, length - 44), kinds[number++ % 3], 0.05};
                crowd c;
                open_crowd(&c, &o);
                throw_from_walls(&c, 4 * o.radius * c.size, ldexp(c.size, length));
                step(&c, &o, 1);
                const size_t escapes = count_escapes(&c);
                CHECK(escapes == 0, "%s, %s, radius %g, motions of 2^%d sizes, response %d: %zu of %d escaped", o.shape,
                      motion_names[o.motion], o.radius, length, (int)o.kind, escapes, PARTICLES);
                close_crowd(&c);
            }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_at_rest),
        cmocka_unit_test(meshes_that_move),
        cmocka_unit_test(meshes_that_turn),
        cmocka_unit_test(meshes_that_are_squeezed),
        cmocka_unit_test(meshes_whose_vertices_go_their_own_ways),
        cmocka_unit_test(corners_of_squeezed_meshes_hold),
        cmocka_unit_test(long_motions_from_corners),
    };
    RUN_TESTS(tests, argc, argv);
}
