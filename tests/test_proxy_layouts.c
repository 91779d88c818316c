// SPDX-License-Identifier: MIT
// Particles of every layout and type against the octree proxy: many at once as one by one, to the last bit; labels and
// numbers that are none, wherever they stand.

#include "base/tested.h"
#include "mote/proxy.h"
#include "support/shapes.h"
#include "support/test.h"

enum { COUNT = SANITIZED ? 1000 : 8000, STEPS = 20, FORMS = 4, LONG_WALK = 200 };

static const mote_response half_bounce = {.restitution = 0.5, .friction = 0.2, .most_hits = 16, .cookie = MOTE_COOKIE};

// How particles lie in memory. Batches take eight at a time; alone each is a call of its own, walked by itself.
typedef enum layout { PACKED, APART, PADDED, ALONE } layout;
static const char *const form_names[FORMS] = {"packed", "with axes apart", "among other data", "alone"};

typedef struct flock {
    layout form;
    mote_proxy_particles particles;
    unsigned char *memory;
    uint8_t labels[COUNT];
    mote_proxy_counters counters;
    size_t short_walks, long_walks;  // alone: through one leaf; through LONG_WALK or more
} flock;

static void put(void *const axis[3], ptrdiff_t stride, mote_scalar scalar, size_t i, int k, double value)
{
    const float narrow = (float)value;
    char *at = (char *)axis[k] + (ptrdiff_t)i * stride;
    if (scalar == MOTE_F32) memcpy(at, &narrow, sizeof narrow);
    else memcpy(at, &value, sizeof value);
}

static double get(void *const axis[3], ptrdiff_t stride, mote_scalar scalar, size_t i, int k)
{
    const char *at = (const char *)axis[k] + (ptrdiff_t)i * stride;
    return scalar == MOTE_F32 ? (double)mote_load_f32(at) : mote_load_f64(at);
}

// COUNT places and velocities, drawn as doubles: in and around the unit ball about (offset, offset, offset).
static flock *make_flock(layout form, mote_scalar scalar, double offset, double speed)
{
    flock *f = calloc(1, sizeof *f);
    const size_t size = scalar == MOTE_F32 ? sizeof(float) : sizeof(double), padded = 7 * size + 1;
    f->form = form;
    f->memory = calloc(COUNT, padded);
    mote_proxy_particles *set = &f->particles;
    *set = (mote_proxy_particles){.labels = f->labels, .count = COUNT, .scalar = scalar};
    set->position_stride = (ptrdiff_t)(form == APART ? size : form == PADDED ? padded : 3 * size);
    set->velocity_stride = set->position_stride;
    for (size_t k = 0; k < 3; ++k) {
        set->position[k] = f->memory + (form == APART ? k * COUNT * size : form == PADDED ? 1 + k * size : k * size);
        set->velocity[k] = f->memory + (form == APART    ? (3 + k) * COUNT * size
                                        : form == PADDED ? 1 + (6 - k) * size
                                                         : (3 * COUNT + k) * size);
    }
    mote_random random = {2};
    for (size_t i = 0; i < COUNT; ++i)
        for (int k = 0; k < 3; ++k) {
            const double x = offset + 2.6 * mote_random_unit(&random) - 1.3;
            put(set->position, set->position_stride, scalar, i, k, x);
            put(set->velocity, set->velocity_stride, scalar, i, k, speed * (2 * mote_random_unit(&random) - 1));
        }
    return f;
}

static void free_flock(flock *f)
{
    free(f->memory);
    free(f);
}

// The particle as a set of its own.
static mote_proxy_particles one_of(const mote_proxy_particles *set, size_t i)
{
    mote_proxy_particles one = *set;
    one.count = 1;
    if (set->labels) one.labels = set->labels + i;
    for (int k = 0; k < 3; ++k) {
        one.position[k] = (char *)set->position[k] + (ptrdiff_t)i * set->position_stride;
        one.velocity[k] = (char *)set->velocity[k] + (ptrdiff_t)i * set->velocity_stride;
    }
    return one;
}

static void move(const mote_proxy *proxy, flock *f, double dt, mote_response response)
{
    if (f->form != ALONE) {
        CHECK_OK(mote_proxy_advance(proxy, &f->particles, dt, &response, &f->counters, NULL));
        return;
    }
    for (size_t i = 0; i < COUNT; ++i) {
        const mote_proxy_particles one = one_of(&f->particles, i);
        const uint64_t before = f->counters.leaves;
        CHECK_OK(mote_proxy_advance(proxy, &one, dt, &response, &f->counters, NULL));
        f->short_walks += f->counters.leaves - before == 1;
        f->long_walks += f->counters.leaves - before >= LONG_WALK;
    }
}

static void compare_places(const flock *f, const flock *alone, int step)
{
    const mote_proxy_particles *a = &f->particles, *b = &alone->particles;
    for (size_t i = 0; i < COUNT; ++i) {
        for (int k = 0; k < 3; ++k) {
            const double x = get(a->position, a->position_stride, a->scalar, i, k);
            const double v = get(a->velocity, a->velocity_stride, a->scalar, i, k);
            const double y = get(b->position, b->position_stride, b->scalar, i, k);
            const double u = get(b->velocity, b->velocity_stride, b->scalar, i, k);
            CHECK(memcmp(&x, &y, sizeof x) == 0 && memcmp(&v, &u, sizeof v) == 0,
                  "%s, step %d, particle %zu, axis %d: %.17g at velocity %.17g, alone %.17g at %.17g",
                  form_names[f->form], step, i, k, x, v, y, u);
        }
        CHECK(f->labels[i] == alone->labels[i], "%s, step %d, particle %zu: label %d, alone %d", form_names[f->form],
              step, i, f->labels[i], alone->labels[i]);
    }
}

static void compare_hits(const mote_proxy *proxy, const mote_proxy *of_alone, flock *const flocks[FORMS], double dt)
{
    mote_proxy_hit *hits = calloc(2 * COUNT, sizeof *hits), *own = hits + COUNT;
    for (int labels = 1; labels >= 0; --labels) {
        mote_proxy_particles set = flocks[ALONE]->particles;
        if (!labels) set.labels = NULL;
        for (size_t i = 0; i < COUNT; ++i) {
            const mote_proxy_particles one = one_of(&set, i);
            CHECK_OK(mote_proxy_hits(of_alone, &one, dt, hits + i, NULL));
        }
        for (int form = 0; form < ALONE; ++form) {
            set = flocks[form]->particles;
            if (!labels) set.labels = NULL;
            CHECK_OK(mote_proxy_hits(proxy, &set, dt, own, NULL));
            for (size_t i = 0; i < COUNT; ++i)
                CHECK(memcmp(hits + i, own + i, sizeof *hits) == 0,
                      "%s, particle %zu, labels %d: hit at %.9g of leaf %u, alone at %.9g of leaf %u",
                      form_names[form], i, labels, (double)own[i].time, own[i].leaf, (double)hits[i].time,
                      hits[i].leaf);
        }
    }
    free(hits);
}

static void compare_forms(const mote_proxy *proxy, mote_scalar scalar, double offset, double speed,
                          mote_response response)
{
    flock *flocks[FORMS];
    for (int form = 0; form < FORMS; ++form) {
        flocks[form] = make_flock((layout)form, scalar, offset, speed);
        CHECK_OK(mote_proxy_stamp(proxy, &flocks[form]->particles, NULL));
        // Some have no label where they need one.
        for (int i = 0; i < COUNT; i += 7) flocks[form]->labels[i] = MOTE_PROXY_UNKNOWN;
    }
    for (int step = 0; step < STEPS; ++step) {
        if (step % 5 == 0) compare_hits(proxy, proxy, flocks, 0.02);
        for (int form = 0; form < FORMS; ++form) move(proxy, flocks[form], 0.02, response);
        for (int form = 0; form < ALONE; ++form) compare_places(flocks[form], flocks[ALONE], step);
    }
    for (int form = 0; form < ALONE; ++form)
        assert_memory_equal(&flocks[form]->counters, &flocks[ALONE]->counters, sizeof flocks[form]->counters);
    CHECK(flocks[ALONE]->counters.bounces > COUNT / 100, "%d bounces", (int)flocks[ALONE]->counters.bounces);
    for (int form = 0; form < FORMS; ++form) free_flock(flocks[form]);
}

static void compare_layouts(mote_mesh *mesh, int max_depth, double offset, double speed, mote_response response)
{
    const mote_mesh *meshes[] = {mesh};
    const mote_placement place = {1, {0, 0, 0}, {offset, offset, offset}};
    mote_mesh_place(mesh, &place);
    mote_proxy_def def = mote_proxy_default_def();
    def.min_depth = 2;
    def.max_depth = max_depth;
    mote_proxy *proxy;
    CHECK_OK(mote_proxy_create(NULL, &def, meshes, 1, &proxy, NULL));
    compare_forms(proxy, MOTE_F32, offset, speed, response);
    compare_forms(proxy, MOTE_F64, offset, speed, response);
    mote_proxy_destroy(proxy);
    mote_mesh_destroy(mesh);
}

static mote_mesh *thin_plate(void)
{
    mote_mesh *mesh = shape_cube(NULL, 8);
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        mote_vec3 *at = mesh->vertices + i;
        at->z = 0.003 * at->z + 0.37 * at->x;
    }
    return mesh;
}

// Closed and open meshes, plates thinner than a leaf; slow particles and fast ones; all responses.
static void layouts_do_not_matter(void **state)
{
    (void)state;
    compare_layouts(shape_star(NULL), 6, 0, 1, half_bounce);
    if (!SEEKS_RACES) compare_layouts(shape_star(NULL), 7, 0, 0.1, mote_response_bounce(0, 0));
    compare_layouts(shape_sphere(NULL, 5), 6, 0, 50, mote_response_bounce(1, 0));
    mote_mesh *mesh = shape_sphere(NULL, 4);
    mesh->triangle_count -= mesh->triangle_count / 3;
    compare_layouts(mesh, 6, 0, 2, mote_response_bounce(0, 0.3));
    mesh = shape_star(NULL);
    mesh->triangle_count -= 5;
    compare_layouts(mesh, 7, 0, 5, half_bounce);
    compare_layouts(thin_plate(), 5, 0, 3, half_bounce);
}

// Where what floats round off is nearly a twentieth of a leaf; and where they tell no leaves apart any more.
static void layouts_do_not_matter_far_from_the_origin(void **state)
{
    (void)state;
    compare_layouts(shape_star(NULL), 6, 1500, 1, half_bounce);
    compare_layouts(shape_sphere(NULL, 4), 6, 3e5, 2, half_bounce);
}

// A place and a velocity of one of many kinds, for a step of 0.02 s about the unit ball.
static void make_mixed(const mote_proxy *proxy, mote_random *random, double x[3], double v[3])
{
    static const double extremes[] = {1e30, 1e-40, 0, 1e9, 1e-9};
    const mote_proxy_arrays arrays = mote_proxy_get_arrays(proxy);
    const double origin[3] = {arrays.origin.x, arrays.origin.y, arrays.origin.z};
    const uint32_t kind = mote_random_below(random, 6);
    for (int k = 0; k < 3; ++k) {
        x[k] = 2.2 * mote_random_unit(random) - 1.1;
        v[k] = 2 * mote_random_unit(random) - 1;
        const uint32_t extreme = mote_random_below(random, 5), on_face = mote_random_below(random, 2);
        if (kind == 0) v[k] *= 5000;  // as far as collisions allow
        if (kind == 1) v[k] *= 2;     // some leaves
        if (kind == 2) x[k] *= 20, v[k] = 50 * (v[k] - x[k]);
        if (kind == 3) v[k] = copysign(extremes[extreme], v[k]);
        if (kind == 4) v[k] = extreme ? 40 * v[k] : -0.0;
        if (kind == 4 && on_face) x[k] = origin[k] + arrays.leaf * floor((x[k] - origin[k]) / arrays.leaf);
        if (kind == 5 && extreme == 0) x[k] = copysign(1e30, x[k]);
    }
}

static void mix_motions(const mote_proxy *proxy, flock *f, uint64_t seed)
{
    const mote_proxy_particles *set = &f->particles;
    mote_random random = {seed};
    for (size_t i = 0; i < COUNT; ++i) {
        double x[3], v[3];
        make_mixed(proxy, &random, x, v);
        for (int k = 0; k < 3; ++k) {
            put(set->position, set->position_stride, set->scalar, i, k, x[k]);
            put(set->velocity, set->velocity_stride, set->scalar, i, k, v[k]);
        }
    }
}

// The proxy's form against plain C, one by one. Adds up short walks and long ones.
static void compare_mixed(const mote_proxy *proxy, const mote_proxy *plain, mote_scalar scalar, uint64_t seed,
                          size_t walks[2])
{
    flock *flocks[FORMS];
    for (int form = 0; form < FORMS; ++form) {
        flocks[form] = make_flock((layout)form, scalar, 0, 0);
        mix_motions(plain, flocks[form], seed);
        CHECK_OK(mote_proxy_stamp(plain, &flocks[form]->particles, NULL));
        for (int i = 0; i < COUNT; i += 17) flocks[form]->labels[i] = MOTE_PROXY_UNKNOWN;
    }
    compare_hits(proxy, plain, flocks, 0.02);
    mote_response response = seed % 2 ? mote_response_bounce(1, 0) : mote_response_bounce(0.95, 0.01);
    response.most_hits = 100;
    for (int form = 0; form < FORMS; ++form) move(form == ALONE ? plain : proxy, flocks[form], 0.02, response);
    for (int form = 0; form < ALONE; ++form) {
        compare_places(flocks[form], flocks[ALONE], 0);
        assert_memory_equal(&flocks[form]->counters, &flocks[ALONE]->counters, sizeof flocks[form]->counters);
    }
    walks[0] += flocks[ALONE]->short_walks;
    walks[1] += flocks[ALONE]->long_walks;
    for (int form = 0; form < FORMS; ++form) free_flock(flocks[form]);
}

static mote_proxy *make_proxy_in(mote_context *context, const mote_mesh *mesh)
{
    mote_proxy_def def = mote_proxy_default_def();
    def.max_depth = 7;
    mote_proxy *proxy;
    CHECK_OK(mote_proxy_create(context, &def, &mesh, 1, &proxy, NULL));
    return proxy;
}

// Walks of one leaf and of hundreds, from outside the root, on faces, at rest and at any speed, in any order: those
// that wait take the lanes of those that are over, whatever these did before.
static void walks_of_all_lengths_share_lanes(void **state)
{
    (void)state;
    for (mote_simd form = MOTE_SIMD_PLAIN; form <= MOTE_SIMD_128; ++form) {
        if (!test_has_form(form)) continue;
        mote_context_def def = mote_context_default_def();
        def.thread_count = 1;
        mote_context *context, *plain_context;
        size_t walks[2] = {0};
        def.simd = form;
        CHECK_OK(mote_context_create(&def, &context, NULL));
        def.simd = MOTE_SIMD_PLAIN;
        CHECK_OK(mote_context_create(&def, &plain_context, NULL));
        for (uint64_t seed = 1; seed <= 4; ++seed) {
            mote_mesh *mesh = seed < 3 ? shape_sphere(NULL, 4) : shape_star(NULL);
            if (seed == 4) mesh->triangle_count -= 5;
            mote_proxy *proxy = make_proxy_in(context, mesh), *plain = make_proxy_in(plain_context, mesh);
            compare_mixed(proxy, plain, MOTE_F32, seed, walks);
            compare_mixed(proxy, plain, MOTE_F64, seed, walks);
            mote_proxy_destroy(proxy);
            mote_proxy_destroy(plain);
            mote_mesh_destroy(mesh);
        }
        CHECK(walks[0] > COUNT / 2 && walks[1] > COUNT / 10, "%zu short walks, %zu long", walks[0], walks[1]);
        mote_context_destroy(context);
        mote_context_destroy(plain_context);
    }
}

// --------------------------------------------------------------------------------------------------------- bad input

// Each label that is none, in the words of eight that are looked at together and behind them.
static void odd_labels_are_refused(void **state)
{
    (void)state;
    mote_mesh *mesh = shape_cube(NULL, 1);
    const mote_mesh *meshes[] = {mesh};
    mote_proxy *proxy;
    CHECK_OK(mote_proxy_create(NULL, NULL, meshes, 1, &proxy, NULL));
    enum { FEW = 21 };
    static float x[3 * FEW], v[3 * FEW];
    uint8_t labels[FEW];
    mote_proxy_hit hits[FEW];
    const mote_proxy_particles particles = mote_proxy_particles_xyz(x, v, labels, FEW);
    for (size_t i = 0; i < FEW; ++i)
        for (int label = 0; label < 256; ++label) {
            for (size_t k = 0; k < FEW; ++k) labels[k] = (uint8_t)(k % 3);
            labels[i] = (uint8_t)label;
            mote_error error;
            const mote_result expected = label > 2 ? MOTE_ERROR_ARGUMENT : MOTE_OK;
            CHECK(mote_proxy_advance(proxy, &particles, 0, &half_bounce, NULL, &error) == expected, "label %d", label);
            if (label > 2) assert_int_equal(error.index, i);
            CHECK(mote_proxy_hits(proxy, &particles, 0, hits, &error) == expected, "label %d", label);
            if (label == 7 && i == 20)
                assert_string_equal(error.text, "proxy: particle 20 has the label 7, expected 0 (unknown), 1 (front) "
                                                "or 2 (back)");
        }
    mote_proxy_destroy(proxy);
    mote_mesh_destroy(mesh);
}

enum { BAD = 3 };
static const size_t bad[BAD] = {COUNT - 1, 77, 778};

static void spoil(const mote_proxy_particles *set)
{
    put(set->position, set->position_stride, set->scalar, bad[0], 1, (double)NAN);
    put(set->velocity, set->velocity_stride, set->scalar, bad[1], 2, HUGE_VAL);
    put(set->velocity, set->velocity_stride, set->scalar, bad[2], 0, (double)NAN);
}

static void copy_particle(flock *to, const flock *from, size_t i)
{
    const mote_proxy_particles *a = &to->particles, *b = &from->particles;
    for (int k = 0; k < 3; ++k) {
        put(a->position, a->position_stride, a->scalar, i, k, get(b->position, b->position_stride, b->scalar, i, k));
        put(a->velocity, a->velocity_stride, a->scalar, i, k, get(b->velocity, b->velocity_stride, b->scalar, i, k));
    }
    to->labels[i] = from->labels[i];
}

static void check_hits_of_the_spoilt(const mote_proxy *proxy, const mote_proxy_particles *set)
{
    mote_proxy_hit *hits = calloc(COUNT, sizeof *hits);
    mote_proxy_triangle_hit *exact = calloc(COUNT, sizeof *exact);
    mote_error error;
    assert_int_equal(mote_proxy_hits(proxy, set, 0.1, hits, &error), MOTE_ERROR_NOT_FINITE);
    assert_int_equal(error.index, 77);
    assert_int_equal(mote_proxy_first_triangles(proxy, set, 0.1, exact, &error), MOTE_ERROR_NOT_FINITE);
    assert_int_equal(error.index, 77);
    for (int b = 0; b < BAD; ++b)
        CHECK(hits[bad[b]].time == 2 && exact[bad[b]].time == 2, "particle %zu meets something", bad[b]);
    free(exact);
    free(hits);
}

static void check_moves_of_the_spoilt(const mote_proxy *proxy, layout form)
{
    flock *f = make_flock(form, MOTE_F64, 0, 2), *clean = make_flock(PACKED, MOTE_F64, 0, 2);
    flock *before = make_flock(PACKED, MOTE_F64, 0, 2);
    CHECK_OK(mote_proxy_stamp(proxy, &f->particles, NULL));
    CHECK_OK(mote_proxy_stamp(proxy, &clean->particles, NULL));
    CHECK_OK(mote_proxy_advance(proxy, &clean->particles, 0.1, &half_bounce, NULL, NULL));
    spoil(&f->particles);
    for (size_t i = 0; i < COUNT; ++i) copy_particle(before, f, i);
    check_hits_of_the_spoilt(proxy, &f->particles);
    mote_error error;
    assert_int_equal(mote_proxy_advance(proxy, &f->particles, 0.1, &half_bounce, NULL, &error), MOTE_ERROR_NOT_FINITE);
    assert_int_equal(error.index, 77);
    // Those stayed, the others moved.
    for (int b = 0; b < BAD; ++b) copy_particle(clean, before, bad[b]);
    compare_places(f, clean, 0);
    free_flock(before);
    free_flock(clean);
    free_flock(f);
}

// The first of several is named, whatever the threads; all others move as if those were not there.
static void what_is_not_finite_is_named_and_stays(void **state)
{
    (void)state;
    const uint32_t threads[] = {1, 5};
    for (int t = 0; t < 2; ++t) {
        mote_context *context = test_context_with_threads(threads[t]);
        mote_mesh *mesh = shape_sphere(context, 4);
        const mote_mesh *meshes[] = {mesh};
        mote_proxy *proxy;
        CHECK_OK(mote_proxy_create(context, NULL, meshes, 1, &proxy, NULL));
        for (int form = 0; form < ALONE; ++form) check_moves_of_the_spoilt(proxy, (layout)form);
        mote_proxy_destroy(proxy);
        mote_mesh_destroy(mesh);
        mote_context_destroy(context);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts_do_not_matter),
        cmocka_unit_test(layouts_do_not_matter_far_from_the_origin),
        cmocka_unit_test(walks_of_all_lengths_share_lanes),  // one thread
        cmocka_unit_test(odd_labels_are_refused),
        cmocka_unit_test(what_is_not_finite_is_named_and_stays),
    };
    RUN_TESTS(tests, argc, argv);
}
