// SPDX-License-Identifier: MIT
// Walls that are fields: their sums are the integrals over the body, and those of layers before a flat wall; the bits
// do not depend on the number of threads; water at rest stands before them and lifts them as it should.

#include "fluid/tested.h"
#include "mote/simulation.h"
#include "support/field.h"
#include "support/test.h"

static const double d = FIELD_SPACING;

// Σ V ∇W of all fields at a place.
static void add_leans(const mote_fluid *fluid, const fluid_place *own, float lean[3])
{
    weak_fields_here here;
    mote_weak_find_fields_at(fluid, own, &here);
    mote_weak_add_field_leans(fluid, own, &here, lean);
}

static mote_fluid *make_fluid_of(mote_context *context, int32_t solver, int dimensions, mote_box *box)
{
    return field_fluid(context, solver, dimensions, box, NULL, NULL);
}

static mote_fluid *make_fluid(mote_context *context, int dimensions, mote_box *box)
{
    return make_fluid_of(context, MOTE_SOLVER_ONDERIK, dimensions, box);
}

// Σ s²/r (both + slope·dx) dx over cells of a sixteenth or an eighth of a spacing.
static void integrate(int dimensions, double h, const mote_box *box, mote_vec3 at, const mote_wall_pressure *pressure,
                      double sums[3])
{
    const double e = d / (dimensions == 3 ? 8 : 16), volume = dimensions == 3 ? e * e * e : e * e;
    const int reach = (int)ceil(h / e);
    sums[0] = sums[1] = sums[2] = 0;
    for (int k = -reach; k < reach; ++k)
        for (int j = dimensions == 3 ? -reach : 0; j < (dimensions == 3 ? reach : 1); ++j)
            for (int i = -reach; i < reach; ++i) {
                const double dx[3] = {(i + 0.5) * e, dimensions == 3 ? (j + 0.5) * e : 0, (k + 0.5) * e};
                const double r = sqrt(dx[0] * dx[0] + dx[1] * dx[1] + dx[2] * dx[2]);
                const mote_vec3 p = {at.x + dx[0], at.y + dx[1], at.z + dx[2]};
                if (r >= h || !(p.x > box->min.x && p.x < box->max.x && p.y > box->min.y && p.y < box->max.y &&
                                p.z > box->min.z && p.z < box->max.z))
                    continue;
                double push = (double)pressure->both;
                for (int c = 0; c < 3; ++c) push += (double)pressure->slope[c] * dx[c];
                for (int c = 0; c < 3; ++c) sums[c] += volume * (h - r) * (h - r) / r * push * dx[c];
            }
    const double cell = dimensions == 3 ? d * d * d : d * d;
    for (int c = 0; c < 3; ++c) sums[c] /= cell;
}

// Places before two sides, an edge and a corner of a box, so many quarters of a spacing off.
enum { PLACES = 4, QUARTERS = 7 };
static const mote_box place_box = {{0.113, 0.117, 0.121}, {0.713, 0.717, 0.721}};
static const mote_vec3 places[PLACES] = {
    {0.4, 0.41, 0.721}, {0.113, 0.41, 0.41}, {0.713, 0.41, 0.721}, {0.713, 0.717, 0.721}};

static mote_vec3 place_before(int dimensions, int k, int quarters)
{
    static const mote_vec3 out[PLACES] = {{0, 0, 1}, {-1, 0, 0}, {0.7, 0, 0.7}, {0.6, 0.6, 0.6}};
    const double off = 0.25 * quarters * d;
    return (mote_vec3){places[k].x + off * out[k].x, dimensions == 3 ? places[k].y + off * out[k].y : 0,
                       places[k].z + off * out[k].z};
}

static void sums_are_integrals(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions) {
        mote_box box = place_box;
        mote_fluid *fluid = make_fluid(NULL, dimensions, &box);
        const double h = mote_fluid_resolved_def(fluid).support;
        field_curves curves;
        mote_field_find_curves(dimensions, h, d, &curves);
        const double scale = curves.middle / mote_field_half_space(dimensions, h, d);
        for (int k = 0; k < PLACES; ++k)
            for (int step = 1; step < QUARTERS; ++step) {
                const double off = 0.25 * step * d;
                const mote_vec3 at = place_before(dimensions, k, step);
                const fluid_place own = {(float)at.x, (float)at.y, (float)at.z, 1};
                const mote_wall_pressure pressure = {2, {0, 0, k == 0 ? -1.5F : 0}};
                const mote_wall_sums found = mote_field_sums_of(fluid, 0, &own, &pressure);
                double wanted[3], error = 0;
                integrate(dimensions, h, &box, at, &pressure, wanted);
                for (int c = 0; c < 3; ++c) error = fmax(error, fabs((double)found.pressure[c] - scale * wanted[c]));
                const double limit = 0.04 * 2 * curves.full;  // of what a wall does at its surface
                CHECK(error < limit, "%dD, place %d, %g d off: (%g, %g, %g), expected (%g, %g, %g)", dimensions, k,
                      off / d, (double)found.pressure[0], (double)found.pressure[1], (double)found.pressure[2],
                      scale * wanted[0], scale * wanted[1], scale * wanted[2]);
            }
        mote_fluid_destroy(fluid);
    }
}

// Σ V ∇W and Σ V W/α over cells of a sixteenth or an eighth of a spacing.
static void integrate_kernel(const mote_fluid *fluid, const mote_box *box, mote_vec3 at, double sums[4])
{
    const weak_kernel *kernel = &fluid->weak.kernel;
    const mote_kernel *of = mote_kernels[kernel->id];
    const bool is_deep = fluid->def.dimensions == 3;
    const double h = fluid->def.support, e = d / (is_deep ? 8 : 16), volume = is_deep ? e * e * e : e * e;
    const int reach = (int)ceil(h / e);
    memset(sums, 0, 4 * sizeof *sums);
    for (int k = -reach; k < reach; ++k)
        for (int j = is_deep ? -reach : 0; j < (is_deep ? reach : 1); ++j)
            for (int i = -reach; i < reach; ++i) {
                const double dx[3] = {(i + 0.5) * e, is_deep ? (j + 0.5) * e : 0, (k + 0.5) * e};
                const double s = 1 - sqrt(dx[0] * dx[0] + dx[1] * dx[1] + dx[2] * dx[2]) / h;
                const mote_vec3 p = {at.x + dx[0], at.y + dx[1], at.z + dx[2]};
                if (s <= 0 || !(p.x > box->min.x && p.x < box->max.x && p.y > box->min.y && p.y < box->max.y &&
                                p.z > box->min.z && p.z < box->max.z))
                    continue;
                for (int c = 0; c < 3; ++c) sums[c] += volume * (double)kernel->gradient * of->lean(s) * dx[c];
                sums[3] += volume * of->shape(s);
            }
}

// The same places, with the solver weak and a kernel.
static void check_weak_sums(int dimensions, const char *kernel)
{
    mote_box box = place_box;
    mote_fluid *fluid = field_fluid(NULL, MOTE_SOLVER_WEAK, dimensions, &box, kernel, NULL);
    const weak_field_curves *curves = fluid->field_curves.data;
    double at_wall[4];
    integrate_kernel(fluid, &box, places[0], at_wall);
    for (int k = 0; k < PLACES; ++k)
        for (int step = 1; step < QUARTERS; ++step) {
            const double off = 0.25 * step * d;
            const mote_vec3 at = place_before(dimensions, k, step);
            const fluid_place own = {(float)at.x, (float)at.y, (float)at.z, 1};
            float lean[3] = {0};
            add_leans(fluid, &own, lean);
            const double filling = (double)mote_weak_field_filling(fluid, &own);
            double wanted[4];
            integrate_kernel(fluid, &box, at, wanted);
            for (int c = 0; c < 3; ++c)
                CHECK(fabs((double)lean[c] - wanted[c]) < 0.08 * fabs(at_wall[2]),
                      "%s, %dD, place %d, %g d off: lean %d is %g, expected %g", kernel, dimensions, k, off / d, c,
                      (double)lean[c], wanted[c]);
            CHECK(fabs(filling - wanted[3]) < 0.07 * curves->full, "%s, %dD, place %d, %g d off: %g, expected %g",
                  kernel, dimensions, k, off / d, filling, wanted[3]);
        }
    mote_fluid_destroy(fluid);
}

static void weak_sums_are_integrals(void **state)
{
    (void)state;
    const char *usual = mote_kernels[KERNEL_WENDLAND_C2]->name;
    check_weak_sums(3, usual);
    for (int k = 0; k < KERNEL_COUNT; ++k)
        if (mote_kernels[k]->shape) check_weak_sums(2, mote_kernels[k]->name);
}

// At its rim a field fades out to denormal numbers: nothing is there, not a direction that is none.
static void a_field_fades_out(void **state)
{
    (void)state;
    const double spacing = 0.35;
    const mote_box box = {{6 * spacing, -10, 6 * spacing}, {12 * spacing, 10, 12 * spacing}};
    mote_fluid_def def = mote_fluid_default_def();
    mote_fluid_choose_preset(&def, MOTE_PRESET_ENGINEERING, NULL);
    def.dimensions = 2, def.spacing = spacing;
    for (int k = 0; k < 25; ++k) {
        mote_phase_def water = mote_phase_default_def();
        mote_fluid *fluid;
        uint32_t number;
        water.sound_speed = 20;
        CHECK_OK(mote_fluid_create(NULL, &def, &fluid, NULL));
        CHECK_OK(mote_fluid_add_phase(fluid, &water, &number, NULL));
        CHECK_OK(mote_fluid_add_field(fluid, 0, box, field_distance_from_box, &box, NULL, NULL));
        const float ulp = ldexpf(1, -23);
        const double at[3] = {0.875 + (double)ulp * (k % 5 - 2), 0, 1.0500000715 + (double)ulp * (k / 5 - 2)};
        const double rest[3] = {0, 0, 0};
        CHECK_OK(mote_fluid_add(fluid, number, at, rest, 1, NULL));
        CHECK_OK(mote_fluid_evaluate(fluid, NULL));
        const float a[2] = {mote_fluid_floats(fluid, FLUID_AX)[0], mote_fluid_floats(fluid, FLUID_AZ)[0]};
        CHECK(isfinite(a[0]) && isfinite(a[1]), "at (%.9g, %.9g): acceleration (%g, %g)", at[0], at[2], (double)a[0],
              (double)a[1]);
        mote_fluid_destroy(fluid);
    }
}

// A box that is shifted and turned by a right angle is another box; and its velocity is that of the place.
static void a_field_moves_with_its_body(void **state)
{
    (void)state;
    mote_box box = {{0.1, 0.1, 0.1}, {0.5, 0.4, 0.7}}, turned = {{0.1, 0.1, 0.2}, {0.7, 0.4, 0.6}};
    mote_fluid *moving = make_fluid_of(NULL, MOTE_SOLVER_WEAK, 3, &box);
    mote_fluid *still = make_fluid_of(NULL, MOTE_SOLVER_WEAK, 3, &turned);
    mote_boundary_motion motion = mote_boundary_motion_default();
    motion.center = (mote_vec3){0.3, 0.25, 0.4}, motion.rotation = (mote_vec3){0, 1.5707963267948966, 0};
    motion.place = (mote_vec3){0.1, 0, 0}, motion.velocity = (mote_vec3){1, 2, 3}, motion.spin = (mote_vec3){0, 4, 0};
    motion.at_once = true;
    CHECK_OK(mote_fluid_set_boundary_motion(moving, 0, &motion, NULL));
    for (int k = 0; k < 40; ++k) {
        const fluid_place own = {0.1F + 0.02F * (float)k, 0.05F + 0.01F * (float)k, 0.64F - 0.005F * (float)k, 0};
        float first[3] = {0}, second[3] = {0};
        add_leans(moving, &own, first);
        add_leans(still, &own, second);
        // In the grid of the other box the same place lies elsewhere between nodes.
        for (int c = 0; c < 3; ++c)
            CHECK(fabs((double)(first[c] - second[c])) < 0.6, "place %d, axis %d: %g, expected %g", k, c,
                  (double)first[c], (double)second[c]);
    }
    // At its reach from the center it is faster than its center.
    CHECK(mote_fluid_wall_speed(moving) > 3.7 + 4 * 0.3, "speed %g", mote_fluid_wall_speed(moving));
    mote_fluid_destroy(moving);
    mote_fluid_destroy(still);
}

static mote_vec3 turned_by(mote_vec3 v, double angle)
{
    return (mote_vec3){cos(angle) * v.x + sin(angle) * v.z, v.y, cos(angle) * v.z - sin(angle) * v.x};
}

// A box that turns by 30 degrees about a place that is not its middle: L turns with it, and density changes by how fast
// it comes.
static void a_field_turns_with_its_body(void **state)
{
    (void)state;
    const double angle = 3.14159265358979323846 / 6, dt = 1e-3;
    const mote_vec3 center = {0.2, 0, 0.1}, shift = {0.3, 0, -0.2};
    mote_box box = {{0.113, 0, 0.121}, {0.713, 0, 0.421}};
    mote_fluid *moving = make_fluid_of(NULL, MOTE_SOLVER_WEAK, 2, &box);
    mote_fluid *still = make_fluid_of(NULL, MOTE_SOLVER_WEAK, 2, &box);
    mote_boundary_motion motion = mote_boundary_motion_default();
    motion.center = center, motion.velocity = (mote_vec3){1, 0, 2}, motion.spin = (mote_vec3){0, 4, 0};
    for (int step = 0; step < 2; ++step) {  // from a step before to there
        const double back = (1 - step) * dt;
        motion.rotation = (mote_vec3){0, angle - 4 * back, 0};
        motion.place = (mote_vec3){shift.x - back, 0, shift.z - 2 * back};
        motion.at_once = step == 0;
        CHECK_OK(mote_fluid_set_boundary_motion(moving, 0, &motion, NULL));
        if (step > 0) mote_fluid_move_walls(moving, dt);
    }
    for (int k = 0; k < 24; ++k) {
        // Along its upper face and around a corner, at home.
        const mote_vec3 home = {0.2 + 0.025 * k, 0, 0.421 + d * (0.3 + 0.05 * k)};
        const mote_vec3 arm = turned_by((mote_vec3){home.x - center.x, 0, home.z - center.z}, angle);
        const mote_vec3 at = {center.x + shift.x + arm.x, 0, center.z + shift.z + arm.z};
        weak_self self = {.place = {(float)at.x, 0, (float)at.z, 1}, .motion = {.x = 0.5F, .z = -0.25F}};
        const fluid_place own = {(float)home.x, 0, (float)home.z, 1};
        float lean[3] = {0}, expected[3] = {0};
        add_leans(moving, &self.place, lean);
        add_leans(still, &own, expected);
        const mote_vec3 now = turned_by((mote_vec3){(double)expected[0], 0, (double)expected[2]}, angle);
        const double size = hypot(now.x, now.z);
        CHECK(fabs((double)lean[0] - now.x) < 1e-3 * size && fabs((double)lean[2] - now.z) < 1e-3 * size,
              "place %d: (%g, %g), expected (%g, %g)", k, (double)lean[0], (double)lean[2], now.x, now.z);
        const mote_vec3 velocity = {1 + 4 * arm.z, 0, 2 - 4 * arm.x};
        const double rate = -now.x * (velocity.x - 0.5) - now.z * (velocity.z + 0.25);
        weak_rates sums = {0};
        mote_weak_add_field_rates(moving, 0, &self, WEAK_PLAIN, &sums);
        CHECK(fabs((double)sums.compression - rate) < 0.02 * size * 3, "place %d: compression %g, expected %g", k,
              (double)sums.compression, rate);
    }
    mote_fluid_destroy(moving);
    mote_fluid_destroy(still);
}

// A body that has gone round a periodic box 2^34 times is where it was.
static void bodies_go_round_periodic_boxes(void **state)
{
    (void)state;
    mote_box box = {{0.113, 0, 0.121}, {0.413, 0, 0.421}};
    mote_period_def period = mote_period_default_def();
    period.min = (mote_vec3){0, 0, 0}, period.max = (mote_vec3){0.625, 0, 0}, period.x = true;
    mote_fluid *fluid = field_fluid(NULL, MOTE_SOLVER_WEAK, 2, &box, NULL, &period);
    const fluid_place own = {0.45F, 0, 0.3F, 1};
    float lean[2][3] = {{0}, {0}};
    add_leans(fluid, &own, lean[0]);
    mote_boundary_motion motion = mote_boundary_motion_default();
    motion.place.x = 0.625 * 0x1p34, motion.at_once = true;
    CHECK_OK(mote_fluid_set_boundary_motion(fluid, 0, &motion, NULL));
    add_leans(fluid, &own, lean[1]);
    CHECK(lean[0][0] < -1, "lean %g at home", (double)lean[0][0]);
    CHECK(fabs((double)(lean[1][0] - lean[0][0])) < 1e-3 * fabs((double)lean[0][0]), "lean %g, at home %g",
          (double)lean[1][0], (double)lean[0][0]);
    mote_fluid_destroy(fluid);
}

// What the walls get is what the fluid loses: by pressure and friction, of a wall that moves.
static void forces_are_opposite(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions) {
        mote_box box = {{0, 0, 0}, {0.5, 0.5, 0.2}};
        mote_fluid *fluid = make_fluid_of(NULL, MOTE_SOLVER_WEAK, dimensions, &box);
        double at[64 * 3], v[64 * 3], pressures[64];
        for (int k = 0; k < 64; ++k) {
            at[3 * k] = 0.1 + d * (k % 4), at[3 * k + 1] = dimensions == 3 ? 0.1 + d * (k / 4 % 4) : 0;
            at[3 * k + 2] = 0.2 + d * (0.4 + (dimensions == 3 ? k / 16 : k / 4));
            v[3 * k] = 1, v[3 * k + 1] = 0, v[3 * k + 2] = 0.1 * k;
            pressures[k] = 1000 + 10 * k;
        }
        CHECK_OK(mote_fluid_add(fluid, 0, at, v, 64, NULL));
        CHECK_OK(mote_fluid_set_pressures(fluid, pressures, NULL));
        mote_boundary_motion motion = mote_boundary_motion_default();
        motion.velocity = (mote_vec3){-1, 0, 2}, motion.acceleration = (mote_vec3){3, 0, 4}, motion.at_once = true;
        CHECK_OK(mote_fluid_set_boundary_motion(fluid, 0, &motion, NULL));
        CHECK_OK(mote_fluid_set_gravity(fluid, (mote_vec3){0, 0, 0}, NULL));
        mote_vec3 force;
        CHECK_OK(mote_fluid_boundary_force(fluid, 0, &force, NULL, NULL));
        double sum[3] = {0}, size = 0;
        for (int k = 0; k < 64; ++k)
            for (int c = 0; c < 3; ++c) {
                const double one = fluid->mass * (double)mote_fluid_floats(fluid, FLUID_AX + c)[k];
                sum[c] += one, size += fabs(one);
            }
        const double found[3] = {force.x, force.y, force.z};
        CHECK(fabs(found[2]) > 1e-3 * size && fabs(found[0]) > 1e-3 * size, "%dD: hardly any force", dimensions);
        for (int c = 0; c < 3; ++c)
            CHECK(fabs(found[c] + sum[c]) < 1e-4 * size, "%dD, axis %d: %g on the wall, %g on the fluid", dimensions, c,
                  found[c], sum[c]);
        mote_fluid_destroy(fluid);
    }
}

// Places around two boxes: random ones, on faces of blocks and of what the field reaches, and nowhere.
enum { NEAR = 1100 };

static void make_near_places(const mote_fluid *fluid, mote_random *random, fluid_place now[NEAR])
{
    const wall_field *field = fluid->fields.data;
    const double *low = &field->reached.min.x, *high = &field->reached.max.x, *origin = &fluid->origin.x;
    for (int i = 0; i < NEAR; ++i) {
        float at[3];
        for (int k = 0; k < 3; ++k) {
            const double width = high[k] - low[k], share = 1.4 * mote_random_unit(random) - 0.2;
            double place = low[k] + share * width;
            if (i % 7 == 1) place = low[k] + floor(share * width / field->edge) * field->edge;
            if (i % 7 == 2) place = mote_random_below(random, 2) ? low[k] : high[k];
            at[k] = (float)(place - origin[k]);
            if (i % 50 == 49) at[k] = k == 1 ? NAN : MOTE_FAR_AWAY;
        }
        now[i] = (fluid_place){at[0], fluid->def.dimensions == 2 ? 0 : at[1], at[2], 1};
    }
}

static void check_known(const mote_fluid *fluid, uint32_t i, const fluid_place *own, int place)
{
    const float *known = mote_field_may_act(fluid, i) ? mote_field_known(fluid, i, place) : NULL;
    const mote_vec3 at = mote_field_place(fluid, own);
    for (uint32_t k = 0; k < fluid->field_count; ++k) {
        const wall_field *field = (const wall_field *)fluid->fields.data + k;
        float expected[FIELD_NUMBERS] = {0};
        if (mote_box_contains(field->reached, at)) mote_field_find(field, at, expected);
        for (uint32_t c = 0; c < field->numbers; ++c) {
            const float found = known ? known[k * FIELD_STRIDE + c] : 0;
            CHECK(found == expected[c], "particle %u at (%g, %g, %g), field %u: number %u is %.9g, expected %.9g",
                  (unsigned)i, at.x, at.y, at.z, (unsigned)k, (unsigned)c, (double)found, (double)expected[c]);
        }
    }
}

static void lanes_find_what_a_place_has(void **state)
{
    (void)state;
    static fluid_place now[NEAR], half_places[NEAR];
    static double positions[3 * NEAR], at_rest[3 * NEAR];
    mote_random random = {11};
    // Races are sought with several threads, between which loops of any width share work alike.
    for (int form = 0; form < (SEEKS_RACES ? 1 : 4); ++form)
        for (int variant = SEEKS_RACES; variant < (SEEKS_RACES ? 2 : 4); ++variant) {
            const mote_simd forms[] = {MOTE_SIMD_PLAIN, MOTE_SIMD_128, MOTE_SIMD_AVX2, MOTE_SIMD_AVX512};
            mote_context_def def = mote_context_default_def();
            mote_context *context;
            def.simd = forms[form], def.thread_count = variant == 0 ? 1 : variant == 1 ? 2 : 5;
            if (!test_has_form(forms[form])) continue;
            CHECK_OK(mote_context_create(&def, &context, NULL));
            mote_box box = {{0.1, 0.1, 0.1}, {0.5, 0.4, 0.7}}, other = {{0.55, -10, 0.1}, {0.8, 10, 0.3}};
            mote_fluid *fluid = make_fluid_of(context, variant % 2 ? MOTE_SOLVER_WEAK : MOTE_SOLVER_ONDERIK,
                                              variant < 2 ? 2 : 3, &box);
            CHECK_OK(mote_fluid_add_field(fluid, 0, other, field_distance_from_box, &other, NULL, NULL));
            CHECK_OK(mote_fluid_add(fluid, 0, positions, at_rest, NEAR, NULL));
            make_near_places(fluid, &random, now);
            make_near_places(fluid, &random, half_places);
            CHECK_OK(mote_field_look_up(fluid, now, half_places));
            assert_true(fluid->near_fields.is_known);
            for (uint32_t i = 0; i < NEAR; ++i) {
                check_known(fluid, i, &now[i], FIELD_NOW);
                check_known(fluid, i, &half_places[i], FIELD_MIDDLE);
            }
            mote_fluid_destroy(fluid);
            mote_context_destroy(context);
        }
}

static void threads_give_the_same_bits(void **state)
{
    (void)state;
    uint64_t sums[2] = {0, 0};
    mote_wall_sums first[64];
    for (uint32_t threads = 1; threads <= 5; threads += threads == 1 ? 1 : 3) {
        mote_context *context = test_context_with_threads(threads);
        mote_box box = {{0.1, 0.1, 0.1}, {0.5, 0.6, 0.7}};
        mote_fluid *fluid = make_fluid(context, 3, &box);
        for (int k = 0; k < 64; ++k) {
            const fluid_place own = {0.1F + 0.006F * (float)k, 0.3F, 0.72F, 1};
            const mote_wall_pressure pressure = {1, {1, 2, 3}};
            const mote_wall_sums found = mote_field_walls(fluid, &own, NULL, &pressure);
            if (threads == 1) first[k] = found;
            CHECK(memcmp(&first[k], &found, sizeof found) == 0, "%u threads, place %d", threads, k);
        }
        CHECK(mote_fluid_byte_count(fluid) > 1000, "it takes no memory");
        mote_fluid_destroy(fluid);
        fluid = make_fluid_of(context, MOTE_SOLVER_WEAK, 3, &box);
        sums[threads > 1] = mote_field_checksum(fluid, 1);
        CHECK(threads == 1 || sums[0] == sums[1], "%u threads: another field", threads);
        mote_fluid_destroy(fluid);
        mote_context_destroy(context);
    }
}

// A body so large that its blocks are found in a table, instead of a grid, acts near its corner as a small one does.
static void large_bodies_have_no_grid(void **state)
{
    (void)state;
    const mote_box small = {{0.1, 0.1, 0.1}, {0.1 + 20 * d, 0.2, 0.1 + 20 * d}};
    const mote_box large = {{0.1, 0.1, 0.1}, {0.1 + 4400 * d, 0.2, 0.1 + 4400 * d}};
    const int32_t solvers[] = {MOTE_SOLVER_ONDERIK, MOTE_SOLVER_WEAK};
    for (int k = 0; k < 2; ++k) {
        const mote_box boxes[2] = {small, large};
        mote_fluid *fluids[2];
        const wall_field *fields[2];
        for (int b = 0; b < 2; ++b) {
            mote_box box = boxes[b];
            fluids[b] = make_fluid_of(NULL, solvers[k], 2, &box);
            fields[b] = fluids[b]->fields.data;
            CHECK_OK(mote_fluid_validate(fluids[b], NULL));
        }
        assert_true(fields[0]->size[0] > 0 && fields[1]->size[0] == 0);
        int found_count = 0;
        for (int i = 0; i < 400; ++i) {
            const mote_vec3 at = {0.1 + (0.613 * (i % 20) - 4) * d, 0, 0.1 + (0.613 * (i / 20) - 4) * d};
            float values[2][FIELD_NUMBERS] = {{0}};
            bool is_there[2];
            for (int b = 0; b < 2; ++b) is_there[b] = mote_field_find(fields[b], at, values[b]);
            found_count += is_there[0];
            CHECK(is_there[0] == is_there[1] && memcmp(values[0], values[1], sizeof values[0]) == 0,
                  "solver %d, at %g, %g: %g %g, expected %g %g", (int)solvers[k], at.x, at.z, (double)values[1][0],
                  (double)values[1][2], (double)values[0][0], (double)values[0][2]);
        }
        assert_true(found_count > 100);
        for (int b = 0; b < 2; ++b) mote_fluid_destroy(fluids[b]);
    }
}

// A box on the floor of a tank, down to a depth below it: what its field does beside it, above the floor.
static void sum_beside(double depth, float pressure[2])
{
    mote_simulation_def def = mote_simulation_default_def();
    def.fluid.dimensions = 2, def.fluid.spacing = d;
    def.has_tank = true;
    def.tank.min = (mote_vec3){0, 0, 0}, def.tank.max = (mote_vec3){1.5, 0, 1};
    mote_block_def block = mote_block_default_def();
    block.min = (mote_vec3){0, 0, 0}, block.max = (mote_vec3){0.4, 0, 0.5};
    mote_solid_def solid = mote_solid_default_def();
    solid.name = "box", solid.shape.kind = MOTE_SOLID_BOX, solid.boundary = MOTE_BOUNDARY_FIELD;
    solid.shape.box = (mote_box){{0.6, 0, -depth}, {1.1, 0, 0.5}};
    mote_mesh *mesh;
    CHECK_OK(mote_mesh_create_shape(NULL, &solid.shape, 2, d, &mesh, NULL));
    solid.mesh = mesh;
    def.blocks = &block, def.block_count = 1, def.solids = &solid, def.solid_count = 1;
    mote_simulation *simulation;
    mote_error error = {0};
    CHECK(mote_simulation_create(NULL, &def, &simulation, &error) == MOTE_OK, "%s", error.text);
    const mote_fluid *fluid = mote_simulation_fluid(simulation);
    const fluid_place own = {(float)(0.6 - 0.5 * d - fluid->origin.x), 0, (float)(0.5 * d - fluid->origin.z), 1};
    const mote_wall_pressure both = {2, {0, 0, 0}};
    const mote_wall_sums found = mote_field_sums_of(fluid, 0, &own, &both);
    pressure[0] = found.pressure[0], pressure[1] = found.pressure[2];
    mote_simulation_destroy(simulation);
    mote_mesh_destroy(mesh);
}

// What is below the floor is the floor's.
static void a_body_ends_at_the_tank(void **state)
{
    (void)state;
    float shallow[2], deep[2];
    sum_beside(0, shallow);
    sum_beside(0.4, deep);
    const double push = fabs((double)shallow[0]);
    CHECK(push > 0, "the box does nothing beside it");
    for (int k = 0; k < 2; ++k)
        CHECK(fabs((double)(deep[k] - shallow[k])) < 0.05 * push, "axis %d: %g with a body below the floor, %g without",
              2 * k, (double)deep[k], (double)shallow[k]);
}

// A box that is half outside the tank at home, and moves in, pushes to both sides alike.
static void a_body_that_comes_in_is_whole(void **state)
{
    (void)state;
    field_boxes made;
    field_boxes_fill(&made, (mote_box){{0.6, 0, 0}, {1.4, 0, 0.5}});
    made.def.has_tank = true;
    made.def.tank.min = (mote_vec3){0, 0, 0}, made.def.tank.max = (mote_vec3){1.5, 0, 1};
    field_boxes_add(&made, (mote_box){{-0.3, 0, 0.3}, {0.1, 0, 0.7}})->motion.shift.x = 0.4;
    mote_simulation *simulation = field_boxes_make(&made);
    const mote_fluid *fluid = mote_simulation_fluid(simulation);
    float lean[2][3] = {{0}, {0}};
    for (int k = 0; k < 2; ++k) {
        const double x = k ? 0.5 + 0.5 * d : 0.1 - 0.5 * d;
        const fluid_place own = {(float)(x - fluid->origin.x), 0, (float)(0.5 - fluid->origin.z), 1};
        add_leans(fluid, &own, lean[k]);
    }
    CHECK(lean[1][0] < -1 && fabs((double)(lean[0][0] + lean[1][0])) < 1e-2 * fabs((double)lean[1][0]),
          "%g on the left, %g on the right", (double)lean[0][0], (double)lean[1][0]);
    field_boxes_release(&made, simulation);
}

// A box that sticks out of a side of a periodic box is on the other side, too: it displaces as much as in the middle,
// and nothing gets into it from there, whether it rests or moves.
static void images_of_bodies_hold(void **state)
{
    (void)state;
    const double length = 20 * d, height = 12 * d, half = 2.5 * d;
    for (int kind = 0; kind < 8; ++kind) {
        const bool moves = kind >= 4;
        field_boxes made;
        field_boxes_fill(&made, (mote_box){{0, 0, 0}, {length, 0, height}});
        made.def.fluid.gravity.z = 0, made.def.phase.sound_speed = 10;
        made.block.velocity.x = 0.5;
        made.def.has_periodic = true;
        made.def.periodic.min = (mote_vec3){0, 0, 0}, made.def.periodic.max = (mote_vec3){length, 0, height};
        made.def.periodic.x = made.def.periodic.z = true;
        const double start = kind % 2 ? 0 : length / 2, z = height / 2, x = moves ? start - 0.05 : start;
        const mote_box box = {{start - half, 0, z - half}, {start + half, 0, z + half}};
        mote_solid_def *solid = field_boxes_add(&made, box);
        solid->boundary = kind / 2 % 2 ? MOTE_BOUNDARY_LAYERS : MOTE_BOUNDARY_FIELD;
        if (moves) solid->motion.shift_text[0] = "-5*t*t";
        mote_simulation *simulation = field_boxes_make(&made);
        const size_t removed = mote_simulation_removed_count(simulation);
        CHECK(removed == 25, "kind %d: %zu particles are displaced, expected 25", kind, removed);
        CHECK_OK(mote_simulation_run_until(simulation, 0.1, NULL, NULL, NULL));
        size_t inside = 1, beyond = 1;
        CHECK_OK(mote_simulation_count_escaped(simulation, &inside, &beyond, NULL));
        CHECK(inside == 0, "kind %d: %zu particles are inside", kind, inside);
        mote_fluid_view view;
        CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &view, NULL));
        for (size_t i = 0; i < view.count; ++i) {
            const double away = fabs(view.x[i] - x), across = fmin(away, length - away);
            CHECK(across > half || fabs(view.z[i] - z) > half, "kind %d: a particle is at (%g, %g)", kind, view.x[i],
                  view.z[i]);
        }
        field_boxes_release(&made, simulation);
    }
}

// A plane Couette flow between two fields, the upper of which moves: u = U z/H, and a stress of η U/H on both.
static void friction_makes_a_couette_flow(void **state)
{
    (void)state;
    const double height = 10 * d, length = 10 * d, speed = 1, viscosity = 200;
    field_boxes made;
    field_boxes_fill(&made, (mote_box){{0, 0, 0}, {length, 0, height}});
    made.def.fluid.gravity.z = 0, made.def.phase.sound_speed = 10, made.def.phase.viscosity = viscosity;
    made.def.has_periodic = true;
    made.def.periodic.min = (mote_vec3){0, 0, 0}, made.def.periodic.max = (mote_vec3){length, 0, 0};
    made.def.periodic.x = true;
    field_boxes_add(&made, (mote_box){{0, 0, -5 * d}, {length, 0, 0}});
    field_boxes_add(&made, (mote_box){{0, 0, height}, {length, 0, height + 5 * d}})->motion.shift_text[0] = "t";
    mote_gauge_def gauges[2];
    for (int k = 0; k < 2; ++k) {
        gauges[k] = mote_gauge_default_def();
        gauges[k].name = gauges[k].of = made.solids[k].name, gauges[k].kind = MOTE_GAUGE_FORCE, gauges[k].every = 0.1;
    }
    made.def.gauges = gauges, made.def.gauge_count = 2;
    mote_simulation *simulation = field_boxes_make(&made);
    CHECK_OK(mote_simulation_run_until(simulation, 0.9, NULL, NULL, NULL));
    mote_fluid_view view;
    CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &view, NULL));
    CHECK(view.count == 100, "%zu particles", view.count);
    double squares = 0, along = 0, across = 0;  // of what is off the line, and of a line through its middle
    for (size_t i = 0; i < view.count; ++i) {
        const double off = (double)view.vx[i] - speed * view.z[i] / height, z = view.z[i] / height - 0.5;
        squares += off * off, along += z * (double)view.vx[i], across += z * z;
    }
    const double rms = sqrt(squares / (double)view.count) / speed, slope = along / across / speed;
    CHECK(rms < 0.04 && fabs(slope - 1) < 0.05, "velocities are off the line by %g, with %g of its slope", rms, slope);
    for (size_t k = 0; k < 2; ++k) {
        mote_gauge_view gauge;
        CHECK_OK(mote_simulation_get_gauge(simulation, k, &gauge, NULL));
        const double expected = (k ? -1 : 1) * viscosity * speed / height * length;
        CHECK(fabs(gauge.values[0] / expected - 1) < 0.1, "the %s wall is pulled by %g N/m, expected %g",
              made.solids[k].name, gauge.values[0], expected);
    }
    field_boxes_release(&made, simulation);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Water at rest around a disc: its gap, its lift, and how calm it is from the first step on.
// @param nearest  no particle is nearer than this [d]
static void stand_before_a_field(int32_t preset, double nearest)
{
    const double size = 28 * d, radius = 7.2 * d;
    mote_simulation_def def = mote_simulation_default_def();
    mote_fluid_choose_preset(&def.fluid, preset, NULL);
    def.fluid.dimensions = 2, def.fluid.spacing = d;
    def.has_tank = true;
    def.tank.min = (mote_vec3){0, 0, 0}, def.tank.max = (mote_vec3){size, 0, size}, def.tank.open_z_max = true;
    mote_block_def block = mote_block_default_def();
    block.min = (mote_vec3){0, 0, 0}, block.max = (mote_vec3){size, 0, size};
    mote_solid_def solid = mote_solid_default_def();
    solid.name = "disc", solid.shape.kind = MOTE_SOLID_DISC, solid.shape.radius = radius;
    solid.shape.center = (mote_vec3){size / 2, 0, size / 2}, solid.boundary = MOTE_BOUNDARY_FIELD;
    mote_gauge_def gauge = mote_gauge_default_def();
    gauge.name = "lift", gauge.kind = MOTE_GAUGE_FORCE, gauge.of = "disc", gauge.every = 0.2;
    mote_mesh *mesh;
    CHECK_OK(mote_mesh_create_shape(NULL, &solid.shape, 2, d, &mesh, NULL));
    solid.mesh = mesh;
    def.blocks = &block, def.block_count = 1, def.solids = &solid, def.solid_count = 1;
    def.gauges = &gauge, def.gauge_count = 1;
    mote_simulation *simulation;
    CHECK_OK(mote_simulation_create(NULL, &def, &simulation, NULL));
    const double fastest = 0.05 * mote_simulation_reference_speed(simulation);
    while (mote_simulation_time(simulation) < 0.2) {
        mote_fluid_totals totals;
        CHECK_OK(mote_simulation_step(simulation, 1, NULL, NULL));
        CHECK_OK(mote_fluid_get_totals(mote_simulation_fluid(simulation), &totals, NULL));
        CHECK(totals.max_speed < fastest, "speed %g, expected less than %g", totals.max_speed, fastest);
    }
    mote_gauge_view view;
    CHECK_OK(mote_simulation_get_gauge(simulation, 0, &view, NULL));
    const double lift = view.values[2], weight = 9810 * 3.14159265 * radius * radius;
    CHECK(fabs(lift / weight - 1) < 0.1, "lift %g, expected %g", lift, weight);
    mote_fluid_view fluid;
    double gaps[200];
    size_t count = 0;
    CHECK_OK(mote_fluid_get_view(mote_simulation_fluid(simulation), &fluid, NULL));
    for (size_t i = 0; i < fluid.count; ++i) {
        const double gap = (hypot(fluid.x[i] - size / 2, fluid.z[i] - size / 2) - radius) / d;
        if (gap < 1 && count < 200) gaps[count++] = gap;
    }
    CHECK(count > 40 && count < 70, "%zu particles are nearer than a spacing", count);
    qsort(gaps, count, sizeof *gaps, compare);
    CHECK(gaps[0] > nearest && gaps[0] < 0.6, "preset %d: the nearest particle is %g d off", (int)preset, gaps[0]);
    CHECK(gaps[count / 2] > 0.4 && gaps[count / 2] < 0.6, "preset %d: median gap %g d", (int)preset, gaps[count / 2]);
    mote_simulation_destroy(simulation);
    mote_mesh_destroy(mesh);
}

static void water_stands_before_a_field(void **state)
{
    (void)state;
    stand_before_a_field(MOTE_PRESET_FAST, 0.35);
    stand_before_a_field(MOTE_PRESET_ENGINEERING, 0.25);
}

static mote_result make_with(mote_context *context, bool is_weak, void *box)
{
    mote_fluid_def def = mote_fluid_default_def();
    mote_phase_def phase = mote_phase_default_def();
    mote_fluid *fluid = NULL;
    uint32_t number;
    if (is_weak) mote_fluid_choose_preset(&def, MOTE_PRESET_ENGINEERING, NULL);
    def.spacing = d, phase.sound_speed = 20;
    mote_result result = mote_fluid_create(context, &def, &fluid, NULL);
    if (result == MOTE_OK) result = mote_fluid_add_phase(fluid, &phase, &number, NULL);
    if (result == MOTE_OK)
        result = mote_fluid_add_field(fluid, 0, *(mote_box *)box, field_distance_from_box, box, NULL, NULL);
    mote_fluid_destroy(fluid);
    return result;
}

static mote_result make_many(mote_context *context, void *box)
{
    return make_with(context, false, box);
}

static mote_result make_many_weak(mote_context *context, void *box)
{
    return make_with(context, true, box);
}

static void failing_allocations(void **state)
{
    (void)state;
    mote_box box = {{0, 0, 0}, {0.2, 0.2, 0.2}};
    test_failing_allocations(make_many, &box);
    test_failing_allocations(make_many_weak, &box);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_integrals),
        cmocka_unit_test(weak_sums_are_integrals),
        cmocka_unit_test(a_field_fades_out),
        cmocka_unit_test(a_field_moves_with_its_body),
        cmocka_unit_test(a_field_turns_with_its_body),
        cmocka_unit_test(bodies_go_round_periodic_boxes),
        cmocka_unit_test(forces_are_opposite),
        cmocka_unit_test(lanes_find_what_a_place_has),
        cmocka_unit_test(threads_give_the_same_bits),
        cmocka_unit_test(large_bodies_have_no_grid),
        cmocka_unit_test(a_body_ends_at_the_tank),
        cmocka_unit_test(a_body_that_comes_in_is_whole),
        cmocka_unit_test(images_of_bodies_hold),
        cmocka_unit_test(friction_makes_a_couette_flow),
        cmocka_unit_test(water_stands_before_a_field),
        cmocka_unit_test(failing_allocations),
    };
    RUN_TESTS(tests, argc, argv);
}
