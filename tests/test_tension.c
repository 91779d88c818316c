// SPDX-License-Identifier: MIT
// Surface tension: forces against plain loops over all pairs, the jump of pressure across the surface of a drop, and
// bad input.
//
// The drop is a frozen, jittered lattice at pressure 0: what accelerates is tension alone. At rest ∇p would balance it,
// so that the jump is −∫ f dr of its force density f, on average over all directions: −Σ m a·r̂/(2π r) in 2D.

#include "mote/tension.h"
#include "mote/walls.h"
#include "support/test.h"
#include "support/water.h"
#include "support/weak.h"

static const double pi = 3.14159265358979323846;

enum { N = 56 };  // particles an axis of the box

typedef struct drop {
    double radius;           // of the inner fluid, in spacings
    double inside, outside;  // densities
    double support;          // in spacings
    int32_t model;
    bool is_alone;  // there is nothing around it
} drop;

static mote_fluid *frozen(const drop *of)
{
    mote_fluid_def def = def_of(2, 1);
    mote_fluid *fluid;
    mote_tension_def tension = mote_tension_default_def();
    uint32_t number;
    def.support = of->support, def.shifting = MOTE_SHIFTING_NONE;
    CHECK_OK(mote_fluid_create(NULL, &def, &fluid, NULL));
    for (int k = 0; k < 2; ++k) {
        mote_phase_def phase = mote_phase_default_def();
        phase.rest_density = k ? of->outside : of->inside, phase.sound_speed = k ? NAN : 10;
        CHECK_OK(mote_fluid_add_phase(fluid, &phase, &number, NULL));
    }
    tension.sigma = 1, tension.model = of->model;
    CHECK_OK(mote_fluid_set_tension(fluid, 0, of->is_alone ? 0 : 1, &tension, NULL));
    cloud block = block_of(2, N, 1, 0.2);
    for (size_t i = 0; i < block.count; ++i) {
        const double x = block.x[3 * i] - N / 2.0, z = block.x[3 * i + 2] - N / 2.0;
        const bool is_outside = hypot(x, z) > of->radius;
        if (is_outside && of->is_alone) continue;
        CHECK_OK(mote_fluid_add(fluid, is_outside, block.x + 3 * i, NULL, 1, NULL));
    }
    free(block.x);
    return fluid;
}

// The jump over σ/R.
static double jump_of(const drop *of, mote_fluid *fluid)
{
    mote_fluid_view view;
    double sum = 0;
    CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
    for (size_t i = 0; i < view.count; ++i) {
        const double x = view.x[i] - N / 2.0, z = view.z[i] - N / 2.0, r = hypot(x, z);
        if (r > of->radius + 3 * of->support) continue;
        const double outwards = (x * (double)view.ax[i] + z * (double)view.az[i]) / r;
        sum -= mote_fluid_phase_mass(fluid, view.phase[i]) * outwards / (2 * pi * r);
    }
    return sum * of->radius;
}

// ---------------------------------------------------------------------------------------------------- all pairs

static double slope_over_r(double support, double r)
{
    const double h = support / 2, s = r < support ? 1 - r / support : 0;
    return 5 * 7 / (4 * pi * h * h) * s * s * s / (h * h);
}

typedef struct colors {
    double g[N * N][2], length[N * N];
} colors;

static void find_colors(const drop *of, const mote_fluid_view *view, colors *all)
{
    const double rest[2] = {of->inside, of->outside};
    for (size_t i = 0; i < view->count; ++i) {
        const double own = rest[view->phase[i]], other = rest[!view->phase[i]];
        const bool is_weighted = of->model == MOTE_TENSION_CURVATURE || of->model == MOTE_TENSION_WEIGHTED_STRESS;
        const double weight = is_weighted ? 2 * own / (own + other) : 1;
        double *g = all->g[i];
        g[0] = g[1] = 0;
        for (size_t j = 0; j < view->count; ++j) {
            const double x = view->x[j] - view->x[i], z = view->z[j] - view->z[i];
            if (view->phase[i] == view->phase[j] || x * x + z * z >= of->support * of->support) continue;
            const double slope = weight * slope_over_r(of->support, hypot(x, z));
            g[0] += slope * x, g[1] += slope * z;
        }
        all->length[i] = hypot(g[0], g[1]);
        const bool is_curvature = of->model == MOTE_TENSION_CURVATURE || of->model == MOTE_TENSION_PLAIN_CURVATURE;
        const double least = is_curvature ? 0.1 / of->support : 0;
        if (all->length[i] <= least) g[0] = g[1] = all->length[i] = 0;
    }
}

// The force on particle i by its stress and those of others.
static void stress_at(const drop *of, const mote_fluid_view *view, const colors *all, size_t i, double force[2])
{
    force[0] = force[1] = 0;
    for (size_t j = 0; j < view->count; ++j) {
        const double d[2] = {view->x[j] - view->x[i], view->z[j] - view->z[i]};
        if (j == i || d[0] * d[0] + d[1] * d[1] >= of->support * of->support) continue;
        const double slope = slope_over_r(of->support, hypot(d[0], d[1]));
        const size_t both[2] = {i, j};
        for (int s = 0; s < 2; ++s) {
            const double *g = all->g[both[s]], length = all->length[both[s]];
            if (length == 0) continue;
            const double along = (g[0] * d[0] + g[1] * d[1]) / length;
            for (int k = 0; k < 2; ++k) force[k] += slope * (length * d[k] - along * g[k]);
        }
    }
}

static void curvature_at(const drop *of, const mote_fluid_view *view, const colors *all, size_t i, double force[2])
{
    double turn[2][2] = {{0}}, spread[2][2] = {{0}};
    force[0] = force[1] = 0;
    if (all->length[i] == 0) return;
    for (size_t j = 0; j < view->count; ++j) {
        const double d[2] = {view->x[j] - view->x[i], view->z[j] - view->z[i]};
        if (d[0] * d[0] + d[1] * d[1] >= of->support * of->support || all->length[j] == 0) continue;
        double slope = slope_over_r(of->support, hypot(d[0], d[1]));
        if (of->model == MOTE_TENSION_PLAIN_CURVATURE) slope *= all->length[j] * all->length[j];
        const double sign = view->phase[i] == view->phase[j] ? 1 : -1;
        for (int k = 0; k < 2; ++k)
            for (int l = 0; l < 2; ++l) {
                turn[k][l] += slope * (sign * all->g[j][k] / all->length[j] - all->g[i][k] / all->length[i]) * d[l];
                spread[k][l] += slope * d[k] * d[l];
            }
    }
    // The line n = n0 + G d that fits best turns by the trace of G = turn spread⁻¹.
    double curvature = 2 * (turn[0][0] + turn[1][1]) / (spread[0][0] + spread[1][1]);
    if (of->model == MOTE_TENSION_PLAIN_CURVATURE)
        curvature = (turn[0][0] * spread[1][1] - turn[0][1] * spread[0][1] + turn[1][1] * spread[0][0] -
                     turn[1][0] * spread[0][1]) /
                    (spread[0][0] * spread[1][1] - spread[0][1] * spread[0][1]);
    for (int k = 0; k < 2; ++k) force[k] = -curvature * all->g[i][k];
}

// −σ (∇²C − c n·∇∇C·n) n, with c = 1 for the curvature and 0 otherwise; all second derivatives by differences.
static double poly6(double support, double x, double z)
{
    const double q = fmax(support * support - x * x - z * z, 0);
    return 4 / (pi * pow(support, 8)) * q * q * q;
}

static void document_at(const drop *of, const mote_fluid_view *view, const colors *all, size_t i, double force[2])
{
    const double e = 1e-3;
    double C[3][3] = {0};  // the colour at the particle and around it
    (void)all;
    for (size_t j = 0; j < view->count; ++j)
        for (int k = 0; k < 9 && view->phase[j] == 0; ++k)
            C[k / 3][k % 3] += poly6(of->support, view->x[i] + (k / 3 - 1) * e - view->x[j],
                                     view->z[i] + (k % 3 - 1) * e - view->z[j]);
    const double g[2] = {(C[2][1] - C[0][1]) / (2 * e), (C[1][2] - C[1][0]) / (2 * e)}, length = hypot(g[0], g[1]);
    const double xx = (C[2][1] + C[0][1] - 2 * C[1][1]) / (e * e), zz = (C[1][2] + C[1][0] - 2 * C[1][1]) / (e * e);
    const double xz = (C[2][2] + C[0][0] - C[2][0] - C[0][2]) / (4 * e * e);
    force[0] = force[1] = 0;
    if (length <= 0.1 / of->support) return;
    double bend = xx + zz;
    if (of->model == MOTE_TENSION_DOCUMENT_CURVATURE)
        bend -= (g[0] * g[0] * xx + 2 * g[0] * g[1] * xz + g[1] * g[1] * zz) / (length * length);
    for (int k = 0; k < 2; ++k) force[k] = -bend * g[k] / length;
}

typedef void force_at(const drop *of, const mote_fluid_view *view, const colors *all, size_t i, double force[2]);
static force_at *const oracles[] = {stress_at, curvature_at, stress_at, document_at, document_at, NULL, curvature_at};

static void forces_equal_all_pairs(void **state)
{
    (void)state;
    static colors all;
    for (int32_t model = 0; model < (int32_t)(sizeof oracles / sizeof *oracles); ++model) {
        if (!oracles[model]) continue;  // cohesion, below
        const drop of = {.radius = 12, .inside = 1000, .outside = 100, .support = 4, .model = model};
        mote_fluid *fluid = frozen(&of);
        mote_fluid_view view;
        CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
        find_colors(&of, &view, &all);
        double worst = 0, largest = 0, total[2] = {0, 0}, size = 0;
        for (size_t i = 0; i < view.count; ++i) {
            const double mass = mote_fluid_phase_mass(fluid, view.phase[i]);
            const double found[2] = {mass * (double)view.ax[i], mass * (double)view.az[i]};
            double force[2];
            oracles[model](&of, &view, &all, i, force);
            for (int k = 0; k < 2; ++k) {
                worst = fmax(worst, fabs(force[k] - found[k]));
                largest = fmax(largest, fabs(force[k]));
                total[k] += found[k], size += fabs(found[k]);
            }
        }
        CHECK(largest > 0 && worst < 1e-4 * largest, "model %d: forces up to %g are off by %g", (int)model, largest,
              worst);
        const double drift = fmax(fabs(total[0]), fabs(total[1])) / size;
        if (model == MOTE_TENSION_PLAIN_CURVATURE) print_message("plain_curvature: all forces add up to %.1e\n", drift);
        if (oracles[model] == stress_at) CHECK(drift < 2e-6, "momentum drifts by %g of all forces", drift);
        mote_fluid_destroy(fluid);
    }
}

// ------------------------------------------------------------------------------------------------ the law of Laplace

#define DROP(R, IN, OUT, SUPPORT, MODEL, IS_ALONE)                                                    \
    {                                                                                                 \
        .radius = R, .inside = IN, .outside = OUT, .support = SUPPORT, .model = MOTE_TENSION_##MODEL, \
        .is_alone = IS_ALONE                                                                          \
    }

static void jump_is_sigma_over_radius(void **state)
{
    (void)state;
    static const struct {
        drop of;
        double least, most;
    } cases[] = {
        {DROP(20, 1, 1, 4, STRESS, false), 0.96, 1.0},
        {DROP(20, 1, 1000, 4, STRESS, false), 0.96, 1.0},
        {DROP(20, 1000, 1, 4, STRESS, false), 0.96, 1.0},
        {DROP(20, 1, 1, 4, CURVATURE, false), 1.05, 1.15},
        {DROP(20, 1, 10, 4, CURVATURE, false), 0.95, 1.05},
        {DROP(20, 1, 1000, 4, CURVATURE, false), 0.92, 1.08},
        {DROP(20, 10, 1, 4, CURVATURE, false), 1.13, 1.31},
        {DROP(20, 1000, 1, 4, CURVATURE, false), 1.31, 1.56},
        {DROP(20, 1, 1, 4, PLAIN_CURVATURE, false), 0.97, 1.02},
        {DROP(20, 1, 1000, 4, PLAIN_CURVATURE, false), 0.97, 1.02},
        {DROP(20, 1000, 1, 4, PLAIN_CURVATURE, false), 0.97, 1.02},
        {DROP(20, 1, 1, 4, WEIGHTED_STRESS, false), 0.96, 1.0},
        {DROP(20, 1, 10, 4, WEIGHTED_STRESS, false), 0.90, 0.96},
        {DROP(20, 1, 1000, 4, WEIGHTED_STRESS, false), 0.90, 0.96},
        {DROP(20, 10, 1, 4, WEIGHTED_STRESS, false), 1.01, 1.07},
        {DROP(20, 1000, 1, 4, WEIGHTED_STRESS, false), 1.01, 1.07},
        // These are not what they should be; both grow with the radius.
        {DROP(10, 1, 1, 4, DOCUMENT, false), 1.2, 1.7},
        {DROP(20, 1, 1, 4, DOCUMENT, false), 1.6, 2.4},
        {DROP(20, 1, 1, 4, DOCUMENT, true), 5, 8},
        {DROP(10, 1, 1, 3, DOCUMENT, false), 2.3, 3.2},
        {DROP(20, 1, 1, 3, DOCUMENT, false), 4, 6},
        {DROP(20, 1, 1, 4, DOCUMENT_CURVATURE, false), 1.3, 1.7},
        {DROP(20, 1, 1, 3, DOCUMENT_CURVATURE, false), 2.5, 3.2},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k += SANITIZED ? 4 : 1) {
        mote_fluid *fluid = frozen(&cases[k].of);
        const double jump = jump_of(&cases[k].of, fluid);
        print_message("%s %g:%g, R = %g, support %g: jump of %.3f sigma/R\n",
                      mote_tension_model_at((size_t)cases[k].of.model)->name, cases[k].of.inside, cases[k].of.outside,
                      cases[k].of.radius, cases[k].of.support, jump);
        CHECK(jump > cases[k].least && jump < cases[k].most, "%g:%g, model %d: %g", cases[k].of.inside,
              cases[k].of.outside, (int)cases[k].of.model, jump);
        mote_fluid_destroy(fluid);
    }
}

// The longest step is that of capillary waves.
static void steps_are_short_enough_for_waves(void **state)
{
    (void)state;
    const drop of = {.radius = 20, .inside = 2, .outside = 4, .support = 4, .model = MOTE_TENSION_STRESS};
    mote_fluid *fluid = frozen(&of);
    double dt;
    CHECK_OK(mote_fluid_time_step(fluid, &dt, NULL));
    CHECK(dt <= 0.25 * sqrt(3 * 8 / (2 * pi)) * (1 + 1e-12), "step %g", dt);
    for (int k = 0; k < 3; ++k) CHECK_OK(mote_fluid_advance(fluid, 1e-3, NULL, NULL, NULL));
    CHECK_OK(mote_fluid_validate(fluid, NULL));
    mote_fluid_destroy(fluid);
}

// ---------------------------------------------------------------------------------------------------------- cohesion

static double cohesion_shape(double q)
{
    const double bump = pow((1 - q) * q, 3);
    return q >= 1 ? 0 : q > 0.5 ? bump : 2 * bump - 1.0 / 64;
}

static double adhesion_shape(double q)
{
    return q > 0.5 && q < 1 ? pow(fmax(-4 * q * q + 6 * q - 2, 0), 0.25) : 0;
}

// Strengths of a pair for a tension of 1 at a spacing of 1 and a support of 4 in 2D, and of a wall particle.
static void find_strengths(double *pair, double *wall)
{
    double c[2] = {0, 0}, w[2] = {0, 0}, a = 0;
    for (int x = -4; x <= 4; ++x)
        for (int z = -4; z <= 4; ++z) {
            const double r = hypot(x, z), q = r / 4;
            if (r == 0 || r >= 4) continue;
            c[0] += r * cohesion_shape(q), c[1] += r * r * cohesion_shape(q), a += r * r * adhesion_shape(q);
            w[0] += r * q * pow(1 - q, 3), w[1] += r * r * q * pow(1 - q, 3);
        }
    *pair = 6 * pi / (1.12 * (c[1] - w[1] * c[0] / w[0])), *wall = 6 * pi / (2 * a);
}

static mote_fluid *cohesive(double adhesion)
{
    mote_fluid_def def = def_of(2, 1);
    mote_fluid *fluid;
    mote_tension_def tension = mote_tension_default_def();
    def.support = 4, def.shifting = MOTE_SHIFTING_NONE;
    CHECK_OK(mote_fluid_create(NULL, &def, &fluid, NULL));
    CHECK_OK(add_water(fluid, 10, NULL));
    tension.sigma = 1, tension.model = MOTE_TENSION_COHESION, tension.adhesion = adhesion;
    CHECK_OK(mote_fluid_set_tension(fluid, 0, 0, &tension, NULL));
    return fluid;
}

// A block on a wall: forces of all pairs; the wall has those of the fluid with the other sign.
static void cohesion_equals_all_pairs(void **state)
{
    (void)state;
    enum { WALLS = 60 };
    double walls[3 * WALLS], volumes[WALLS], pair, wall, worst = 0, largest = 0, total[2] = {0, 0};
    mote_fluid *fluid = cohesive(3);
    cloud block = block_of(2, 12, 1, 0.2);
    mote_fluid_view view;
    mote_vec3 on_wall;
    for (int k = 0; k < WALLS; ++k) {
        walls[3 * k] = k % 20 - 3.5, walls[3 * k + 1] = 0, walls[3 * k + 2] = -0.5 - k / 20;
        volumes[k] = k % 2 ? 1 : 0.5;
    }
    CHECK_OK(mote_fluid_add_walls(fluid, walls, volumes, WALLS, NULL));
    CHECK_OK(mote_fluid_add(fluid, 0, block.x, NULL, block.count, NULL));
    CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
    CHECK_OK(mote_fluid_boundary_force(fluid, 0, &on_wall, NULL, NULL));
    find_strengths(&pair, &wall);
    for (size_t i = 0; i < view.count; ++i) {
        const double found[2] = {1000 * (double)view.ax[i], 1000 * (double)view.az[i]};
        double force[2] = {0, 0};
        for (size_t j = 0; j < view.count + WALLS; ++j) {
            const size_t k = j - view.count;
            const bool is_wall = j >= view.count;
            const double x = (is_wall ? walls[3 * k] : view.x[j]) - view.x[i];
            const double z = (is_wall ? walls[3 * k + 2] : view.z[j]) - view.z[i], r = hypot(x, z);
            if (r == 0) continue;
            const double pull = is_wall ? 3 * wall * volumes[k] * adhesion_shape(r / 4) : pair * cohesion_shape(r / 4);
            force[0] += pull * x / r, force[1] += pull * z / r;
        }
        for (int k = 0; k < 2; ++k) {
            worst = fmax(worst, fabs(force[k] - found[k])), largest = fmax(largest, fabs(force[k]));
            total[k] += found[k];
        }
    }
    CHECK(largest > 0 && worst < 1e-4 * largest, "forces up to %g are off by %g", largest, worst);
    CHECK(fabs(total[0] + on_wall.x) < 1e-4 * largest && fabs(total[1] + on_wall.z) < 1e-4 * largest,
          "(%g, %g) on the fluid, (%g, %g) on the wall", total[0], total[1], on_wall.x, on_wall.z);
    mote_fluid_destroy(fluid);
    free(block.x);
}

// How much longer a drop is than wide: positive or negative.
static double length_of(const mote_fluid_view *view)
{
    double sum = 0;
    for (size_t i = 0; i < view->count; ++i) sum += view->z[i] * view->z[i] - view->x[i] * view->x[i];
    return sum;
}

// An ellipse passes the circle after a quarter of the period of mode 2, ω² = 6 σ/(ρ R³) in 2D (Rayleigh 1879).
static void a_drop_swings_by_cohesion(void **state)
{
    (void)state;
    const double R = 10;
    mote_fluid_def def = def_of(2, 1);
    mote_fluid *fluid;
    mote_tension_def tension = mote_tension_default_def();
    mote_phase_def phase = mote_phase_default_def();
    mote_fluid_view view;
    uint32_t number;
    double time = 0, before = 0, now = 0, dt = 0;
    def.support = 4;
    CHECK_OK(mote_fluid_create(NULL, &def, &fluid, NULL));
    phase.rest_density = 1, phase.sound_speed = 45;
    CHECK_OK(mote_fluid_add_phase(fluid, &phase, &number, NULL));
    tension.sigma = 1, tension.model = MOTE_TENSION_COHESION;
    CHECK_OK(mote_fluid_set_tension(fluid, 0, 0, &tension, NULL));
    for (int k = 0; k < 1600; ++k) {
        const double at[3] = {k % 40 - 19.5, 0, k / 40 - 19.5};
        if (hypot(at[0] * 1.15, at[2] / 1.15) < R) CHECK_OK(mote_fluid_add(fluid, 0, at, NULL, 1, NULL));
    }
    do {
        CHECK_OK(mote_fluid_time_step(fluid, &dt, NULL));
        CHECK_OK(mote_fluid_advance(fluid, dt, NULL, NULL, NULL));
        CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
        before = now, now = length_of(&view), time += dt;
    } while (now > 0 && time < 40);
    time += dt * now / (before - now);  // linear between the last two steps
    const double sigma = R * R * R / 6 * (pi / 2 / time) * (pi / 2 / time);
    print_message("cohesion: a drop swings with %.3f of sigma\n", sigma);
    CHECK(fabs(sigma - 1) < 0.1, "%g of sigma", sigma);
    mote_fluid_destroy(fluid);
}

// ------------------------------------------------------------------------------------------------------- bad input

static void refuses_what_makes_no_sense(void **state)
{
    (void)state;
    mote_fluid_def def = def_of(2, 1);
    mote_tension_def tension = mote_tension_default_def();
    mote_fluid *fluid;
    mote_error error;
    def.support = 3;
    CHECK_OK(mote_fluid_create(NULL, &def, &fluid, NULL));
    CHECK_OK(add_water(fluid, 10, NULL));
    CHECK_OK(add_water(fluid, 10, NULL));
    tension.sigma = -1;
    assert_int_equal(mote_fluid_set_tension(fluid, 0, 1, &tension, &error), MOTE_ERROR_ARGUMENT);
    CHECK(strstr(error.text, "tension.sigma is -1"), "%s", error.text);
    tension.sigma = 1;
    assert_int_equal(mote_fluid_set_tension(fluid, 0, 2, &tension, &error), MOTE_ERROR_ARGUMENT);
    CHECK(strstr(error.text, "between phases 0 and 2"), "%s", error.text);
    assert_int_equal(mote_fluid_set_tension(fluid, 1, 1, &tension, &error), MOTE_ERROR_ARGUMENT);
    tension.model = MOTE_TENSION_CURVATURE;
    assert_int_equal(mote_fluid_set_tension(fluid, 0, 1, &tension, &error), MOTE_ERROR_ARGUMENT);
    CHECK(strstr(error.text, "support of 3.5 or more"), "%s", error.text);
    tension.model = MOTE_TENSION_COHESION;
    assert_int_equal(mote_fluid_set_tension(fluid, 0, 1, &tension, &error), MOTE_ERROR_ARGUMENT);
    CHECK(strstr(error.text, "\"cohesion\" between two phases"), "%s", error.text);
    assert_int_equal(mote_fluid_set_tension(fluid, 0, 0, &tension, &error), MOTE_ERROR_ARGUMENT);
    CHECK(strstr(error.text, "a support of 3 spacings in 2D"), "%s", error.text);
    tension.model = MOTE_TENSION_STRESS, tension.adhesion = 2;
    assert_int_equal(mote_fluid_set_tension(fluid, 0, 1, &tension, &error), MOTE_ERROR_ARGUMENT);
    CHECK(strstr(error.text, "adhesion is 2 with model \"stress\""), "%s", error.text);
    tension.adhesion = 0;
    assert_int_equal(mote_fluid_set_tension(fluid, 0, 0, &tension, &error), MOTE_ERROR_ARGUMENT);
    CHECK(strstr(error.text, "\"stress\" with a single phase"), "%s", error.text);
    tension.model = MOTE_TENSION_STRESS;
    CHECK_OK(mote_fluid_set_tension(fluid, 0, 1, &tension, NULL));
    assert_int_equal(mote_fluid_set_tension(fluid, 1, 0, &tension, &error), MOTE_ERROR_ARGUMENT);
    CHECK(strstr(error.text, "have one already"), "%s", error.text);
    const double at[3] = {0, 0, 0};
    CHECK_OK(mote_fluid_add(fluid, 0, at, NULL, 1, NULL));
    assert_int_equal(mote_fluid_set_tension(fluid, 0, 1, &tension, &error), MOTE_ERROR_STATE);
    mote_fluid_destroy(fluid);
    const char *const *names = mote_fields_find(mote_tension_fields(), "model")->choices;
    size_t k = 0;
    for (; mote_tension_model_at(k); ++k) assert_string_equal(mote_tension_model_at(k)->name, names[k]);
    CHECK(!names[k], "more names than models");
}

// ----------------------------------------------------------------------------------------------- background pressure

// What a fluid that fills `share` of a box of 16 spacings, periodic along x and `z`, resolves.
static double background_of(int dimensions, int32_t model, double given, double share, bool z)
{
    static bool marked[16 * 16 * 16];
    mote_fluid_def def = def_of(dimensions, 1);
    mote_tension_def tension = mote_tension_default_def();
    mote_period_def period = mote_period_default_def();
    mote_fluid *fluid;
    def.support = 4;
    if (!isnan(given)) def.background_pressure = given;
    tension.sigma = 3, tension.model = model;
    period.min = (mote_vec3){0, 0, 0}, period.max = (mote_vec3){16, 16, 16}, period.x = true, period.z = z;
    period.y = dimensions == 3;
    CHECK_OK(mote_fluid_create(NULL, &def, &fluid, NULL));
    CHECK(mote_fluid_resolved_def(fluid).background_pressure == (isnan(given) ? 0 : given), "%g Pa",
          mote_fluid_resolved_def(fluid).background_pressure);
    CHECK_OK(add_water(fluid, 10, NULL));
    CHECK_OK(add_water(fluid, 10, NULL));
    CHECK_OK(mote_fluid_set_tension(fluid, 0, 1, &tension, NULL));
    CHECK_OK(mote_fluid_set_period(fluid, &period, NULL));
    cloud block = block_of(dimensions, 16, 1, 0.2);
    const size_t half = block.count / 2, all = (size_t)(share * (double)block.count);
    CHECK_OK(mote_fluid_add(fluid, 0, block.x, NULL, half, NULL));
    CHECK_OK(mote_fluid_add(fluid, 1, block.x + 3 * half, NULL, all - half, NULL));
    const double found = mote_fluid_resolved_def(fluid).background_pressure;
    CHECK_OK(mote_fluid_evaluate(fluid, NULL));
    CHECK(mote_fluid_resolved_def(fluid).background_pressure == found, "%g Pa after an evaluation, expected %g",
          mote_fluid_resolved_def(fluid).background_pressure, found);
    for (size_t i = 0; i < all; ++i) marked[i] = i < half;
    CHECK_OK(mote_fluid_remove(fluid, marked, NULL));
    CHECK_OK(mote_fluid_evaluate(fluid, NULL));
    CHECK(mote_fluid_resolved_def(fluid).background_pressure == (isnan(given) ? 0 : given), "%g Pa",
          mote_fluid_resolved_def(fluid).background_pressure);
    free(block.x);
    mote_fluid_destroy(fluid);
    return found;
}

static void a_full_periodic_box_has_the_pressure_that_tensions_need(void **state)
{
    (void)state;
    static const struct {
        int32_t model;
        double given, share;
        bool z;
        double expected;
    } cases[] = {
        {MOTE_TENSION_STRESS, NAN, 1, true, 3 * 3 / 4.0},   {MOTE_TENSION_WEIGHTED_STRESS, NAN, 1, true, 3 * 3 / 4.0},
        {MOTE_TENSION_STRESS, NAN, 0.96, true, 3 * 3 / 4.0}, {MOTE_TENSION_STRESS, NAN, 0.9, true, 0},  // voids
        {MOTE_TENSION_STRESS, NAN, 1, false, 0},  // a free surface
        {MOTE_TENSION_PLAIN_CURVATURE, NAN, 1, true, 2 * 3 / 4.0}, {MOTE_TENSION_CURVATURE, NAN, 1, true, 2 * 3 / 4.0},
        {MOTE_TENSION_DOCUMENT, NAN, 1, true, 0},           {MOTE_TENSION_STRESS, 0, 1, true, 0},
        {MOTE_TENSION_STRESS, 7, 0.9, true, 7},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        const double found = background_of(2, cases[k].model, cases[k].given, cases[k].share, cases[k].z);
        CHECK(found == cases[k].expected, "case %zu: %g Pa, expected %g", k, found, cases[k].expected);
    }
    const double found = background_of(3, MOTE_TENSION_STRESS, NAN, 1, true);
    CHECK(found == 2 * 3 / 4.0, "3D: %g Pa", found);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_equal_all_pairs),
        cmocka_unit_test(jump_is_sigma_over_radius),
        cmocka_unit_test(steps_are_short_enough_for_waves),
        cmocka_unit_test(cohesion_equals_all_pairs),
        cmocka_unit_test(a_drop_swings_by_cohesion),
        cmocka_unit_test(refuses_what_makes_no_sense),
        cmocka_unit_test(a_full_periodic_box_has_the_pressure_that_tensions_need),
    };
    RUN_TESTS(tests, argc, argv);
}
