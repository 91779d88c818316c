// SPDX-License-Identifier: MIT
// Smoothing kernels: normalisation, derivatives, what a lattice makes of them, and the sums over neighbours against
// plain loops in double.

#include "fluid/tested.h"
#include "support/test.h"

static const double pi = 3.14159265358979323846;

// ∫ W dV by the midpoint rule in r³ (2D: r²), where the viscosity kernel's pole at 0 is tame.
static void kernels_integrate_to_one(void **state)
{
    (void)state;
    for (size_t k = 0; k < KERNEL_COUNT; ++k)
        for (int dimensions = 2; dimensions <= 3; ++dimensions) {
            const double h = 0.7;
            const int n = 200000;
            double sum = 0;
            for (int i = 0; i < n; ++i) {
                double r = h * (i + 0.5) / n;
                const double shell = dimensions == 3 ? 4 * pi * r * r : 2 * pi * r;
                sum += mote_kernels[k]->value(dimensions, h, r) * shell * h / n;
            }
            CHECK(fabs(sum - 1) < 1e-6, "%s in %dD: %.9f", mote_kernels[k]->name, dimensions, sum);
        }
}

static void derivatives_are_those_of_finite_differences(void **state)
{
    (void)state;
    for (size_t k = 0; k < KERNEL_COUNT; ++k)
        for (int dimensions = 2; dimensions <= 3; ++dimensions)
            for (int i = 2; i < 19; ++i) {
                const double h = 1.3, step = 1e-4 * h;
                double r = h * (i + 0.3) / 20;  // not where splines are joined
                double below = mote_kernels[k]->value(dimensions, h, r - step);
                double here = mote_kernels[k]->value(dimensions, h, r);
                double above = mote_kernels[k]->value(dimensions, h, r + step);
                double slope = (above - below) / (2 * step);
                double laplacian = (above - 2 * here + below) / (step * step) + (dimensions - 1) / r * slope;
                double scale = fmax(fabs(here), fabs(mote_kernels[k]->value(dimensions, h, 0.3 * h)));
                CHECK(fabs(mote_kernels[k]->slope(dimensions, h, r) - slope) < 1e-4 * scale / h,
                      "%s %dD at %g h: slope %g, %g", mote_kernels[k]->name, dimensions, r / h,
                      mote_kernels[k]->slope(dimensions, h, r), slope);
                CHECK(fabs(mote_kernels[k]->laplacian(dimensions, h, r) - laplacian) < 1e-4 * scale / (h * h),
                      "%s %dD at %g h: Laplacian %g, %g", mote_kernels[k]->name, dimensions, r / h,
                      mote_kernels[k]->laplacian(dimensions, h, r), laplacian);
            }
}

// Figures of the documents' corrections: S in 3D with h = 2d and in 2D with h = 3d, γ in 3D with h = 2d.
static void lattice_sums_are_known(void **state)
{
    (void)state;
    mote_lattice_sums three = mote_kernel_lattice_sums(3, 2.0, 1.0), two = mote_kernel_lattice_sums(2, 3.0, 1.0);
    CHECK(fabs(three.full - 1.0098) < 1e-4, "%.6f", three.full);
    CHECK(fabs(two.full - 1.0023) < 1e-4, "%.6f", two.full);
    CHECK(fabs(three.surface_gamma - 0.62) < 0.01, "%.4f", three.surface_gamma);
    CHECK(fabs(three.gradient - 0.9563) < 1e-4 && fabs(two.gradient - 0.9628) < 1e-4, "%.4f, %.4f", three.gradient,
          two.gradient);
    CHECK(fabs(three.dense_gradient - 0.9056) < 1e-4 && fabs(two.dense_gradient - 0.9542) < 1e-4, "%.4f, %.4f",
          three.dense_gradient, two.dense_gradient);
    mote_lattice_sums small = mote_kernel_lattice_sums(3, 0.02, 0.01);
    CHECK(fabs(small.full - three.full) < 1e-12 && fabs(small.surface_gamma - three.surface_gamma) < 1e-12, "scale");
}

// The push of a flat layer of samples, half a spacing behind a surface, and of the layers of a lattice there, on places
// spread over a cell at a distance from the surface.
static double push_on(const mote_kernel *kernel, const double *terms, int dimensions, double support, double distance)
{
    enum { CELL = 4, REACH = 5 };
    const int rows = dimensions == 3 ? REACH : 0, places = dimensions == 3 ? CELL : 1;
    double sum = 0;
    for (int layer = 0; layer < (terms ? 1 : REACH); ++layer)
        for (int a = 0; a < CELL * places; ++a)
            for (int y = -rows; y <= rows; ++y)
                for (int x = -REACH; x <= REACH; ++x) {
                    const double dx = x + (a % CELL + 0.5) / CELL, dz = distance + 0.5 + layer;
                    const double dy = dimensions == 3 ? y + ((double)(a / CELL) + 0.5) / CELL : 0;
                    const double s = 1 - sqrt(dx * dx + dy * dy + dz * dz) / support;
                    if (s > 0) sum += dz * (terms ? mote_sample_lean(terms, s) : kernel->lean(s));
                }
    return sum / (CELL * places);
}

static void samples_push_as_layers_do(void **state)
{
    (void)state;
    static const struct { int kernel, dimensions; double support; } cases[] = {
        {KERNEL_WENDLAND_C2, 2, 4}, {KERNEL_WENDLAND_C2, 3, 3}, {KERNEL_WENDLAND_C2, 3, 3.46},
        {KERNEL_WENDLAND_C4, 2, 4}, {KERNEL_CUBIC, 3, 3}, {KERNEL_QUINTIC, 2, 4}, {KERNEL_WENDLAND_C2, 2, 2.5}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        const mote_kernel *kernel = mote_kernels[cases[k].kernel];
        const int dimensions = cases[k].dimensions;
        const double support = cases[k].support;
        double terms[MOTE_SAMPLE_TERMS];
        mote_sample_terms(kernel, dimensions, support, 1, terms);
        const double rest = push_on(kernel, NULL, dimensions, support, 0.5);
        for (double z = 0.1; z < support - 0.5; z += 0.1) {
            const double layers = push_on(kernel, NULL, dimensions, support, z);
            const double samples = push_on(kernel, terms, dimensions, support, z);
            const double most = fabs(z - 0.5) < 1e-9 ? 0.02 : 0.06;
            CHECK(fabs(samples - layers) < most * rest, "case %zu, %g: %g of %g", k, z, samples / rest, layers / rest);
        }
    }
}

enum { RECORDS = 61 };

typedef struct cloud {
    fluid_place points[RECORDS + 1];
    fluid_motion motions[RECORDS + 1];
    uint32_t indices[RECORDS];
    mote_pair_constants constants;
} cloud;

static void make_cloud(cloud *made)
{
    mote_random random = {7};
    made->constants = (mote_pair_constants){
        .h = 0.1f, .inverse_h_squared = 100, .tiny_squared = 1e-26f, .largest_volume = 1.6e-6f, .flow_limit = 1e3f};
    for (uint32_t i = 0; i < RECORDS; ++i) {
        float p[3], v[3];
        for (int k = 0; k < 3; ++k)
            p[k] = (float)(0.12 * mote_random_unit(&random)), v[k] = (float)mote_random_unit(&random);
        if (i == 5) p[0] = p[1] = p[2] = 0.05f;  // at the very place of the particle that looks
        made->points[i] = (fluid_place){p[0], p[1], p[2], 1e-6f * (1 + v[1])};
        made->motions[i] = (fluid_motion){v[0], v[1], v[2], 1e-3f * v[2]};
        made->indices[i] = (i * 23) % RECORDS;
    }
    made->points[RECORDS] = (fluid_place){MOTE_FAR_AWAY, MOTE_FAR_AWAY, MOTE_FAR_AWAY, 0};
    made->motions[RECORDS] = (fluid_motion){0};
}

static const mote_simd all_forms[] = {MOTE_SIMD_PLAIN, MOTE_SIMD_128, MOTE_SIMD_AVX2};

// The sums of a form, or NULL if this machine has none of it.
static const mote_pair_lanes *lanes_of(mote_simd form)
{
    return test_has_form(form) ? mote_pair_lanes_of(form) : NULL;
}

// The lanes that pair_sums.h promises, one float operation after the other.
static float lanes_sum(const float lanes[8])
{
    float four[4];
    for (int l = 0; l < 4; ++l) four[l] = lanes[l] + lanes[l + 4];
    return (four[0] + four[2]) + (four[1] + four[3]);
}

static void density_sums_have_the_promised_bits(void **state)
{
    (void)state;
    cloud made;
    make_cloud(&made);
    const mote_pair_set set = {made.points, NULL, RECORDS};
    const fluid_place me = {0.05f, 0.05f, 0.05f, 1};
    for (uint32_t count = 0; count <= RECORDS; ++count) {
        float lanes[8] = {0}, weighted[8] = {0};
        for (uint32_t k = 0; k < count; ++k) {
            const fluid_place *p = &made.points[made.indices[k]];
            float x = p->x - me.x, y = p->y - me.y, z = p->z - me.z;
            float q = 1.0f - ((x * x + y * y) + z * z) * made.constants.inverse_h_squared;
            q = q > 0 ? q : 0;
            lanes[k % 8] += q * q * q;
            weighted[k % 8] += q * q * q * p->volume;
        }
        const fluid_row row = {made.indices, count};
        for (size_t f = 0; f < sizeof all_forms / sizeof *all_forms; ++f) {
            const mote_pair_lanes *form = lanes_of(all_forms[f]);
            if (!form) continue;
            const float sum = form->density(&made.constants, row, &set, &me, false);
            const float weighted_sum = form->density(&made.constants, row, &set, &me, true);
            const char *name = mote_simd_name(all_forms[f]);
            CHECK(sum == lanes_sum(lanes), "%s, %u neighbours: %.9g, %.9g", name, count, (double)sum,
                  (double)lanes_sum(lanes));
            CHECK(weighted_sum == lanes_sum(weighted), "%s, %u weighted", name, count);
        }
    }
}

// All sums of a row.
typedef struct row_sums {
    mote_force_sums forces;
    mote_wall_sums walls;
    mote_approach_sums approach;
    mote_pressure_sums pressures;
} row_sums;

static const fluid_place own_place = {0.05f, 0.05f, 0.05f, 1e-6f};
static const fluid_motion own_motion = {0.1f, 0.2f, 0.3f, 1e-3f};
static const mote_wall_pressure wall_pressure = {900, {1e3f, -2e3f, 4e3f}};
static const float own_pressure = 700;

static row_sums sums_of(const mote_pair_lanes *lanes, const cloud *made, uint32_t count)
{
    const mote_pair_set set = {made->points, made->motions, RECORDS};
    const fluid_row row = {made->indices, count};
    const mote_pair_rows of = {&row, &own_place, &own_motion, 1};
    const mote_pair_constants *constants = &made->constants;
    row_sums sums;
    memset(&sums, 0, sizeof sums);
    lanes->forces(constants, &of, &set, &own_pressure, &sums.forces);
    sums.walls = lanes->walls(constants, row, &set, &own_place, &wall_pressure);
    lanes->approach(constants, &of, &set, &sums.approach);
    sums.pressures = lanes->pressures(constants, row, &set, &own_place);
    return sums;
}

static void forms_have_the_same_bits(void **state)
{
    (void)state;
    cloud made;
    make_cloud(&made);
    for (uint32_t count = 0; count <= RECORDS; ++count) {
        const row_sums plain = sums_of(mote_pair_lanes_of(MOTE_SIMD_PLAIN), &made, count);
        for (size_t f = 1; f < sizeof all_forms / sizeof *all_forms; ++f) {
            const mote_pair_lanes *lanes = lanes_of(all_forms[f]);
            if (!lanes) continue;
            const row_sums sums = sums_of(lanes, &made, count);
            CHECK(memcmp(&sums, &plain, sizeof sums) == 0, "%s, %u neighbours", mote_simd_name(all_forms[f]), count);
        }
    }
}

// Rows of 0 to MANY − 1 neighbours in one call, each with a particle of its own, have the sums of calls one by one.
static void rows_together_have_the_bits_of_each(void **state)
{
    (void)state;
    enum { MANY = 30 };
    cloud made;
    make_cloud(&made);
    const mote_pair_set set = {made.points, made.motions, RECORDS};
    fluid_row rows[MANY];
    float pressures[MANY];
    for (uint32_t k = 0; k < MANY; ++k) rows[k] = (fluid_row){made.indices, k}, pressures[k] = 100 * (float)k;
    for (size_t f = 0; f < sizeof all_forms / sizeof *all_forms; ++f) {
        const mote_pair_lanes *lanes = lanes_of(all_forms[f]);
        if (!lanes) continue;
        mote_force_sums forces[MANY], force;
        mote_approach_sums approaches[MANY], approach;
        const mote_pair_rows all = {rows, made.points, made.motions, MANY};
        lanes->forces(&made.constants, &all, &set, pressures, forces);
        lanes->approach(&made.constants, &all, &set, approaches);
        for (uint32_t k = 0; k < MANY; ++k) {
            const mote_pair_rows one = {rows + k, made.points + k, made.motions + k, 1};
            lanes->forces(&made.constants, &one, &set, pressures + k, &force);
            lanes->approach(&made.constants, &one, &set, &approach);
            CHECK(memcmp(&force, &forces[k], sizeof force) == 0, "form %zu, row %u", f, k);
            CHECK(memcmp(&approach, &approaches[k], sizeof approach) == 0, "form %zu, row %u", f, k);
        }
    }
}

// qj − qi between 0 and what the volumes let flow.
static double bounded_flow(const mote_pair_constants *constants, float volume, float extra)
{
    const double largest = (double)constants->largest_volume;
    const double difference = fmin((double)own_place.volume, largest) - fmin((double)volume, largest);
    const double limit = (double)constants->flow_limit * difference, flow = (double)extra - (double)own_motion.scalar;
    return fmax(fmin(flow, fmax(limit, 0)), fmin(limit, 0));
}

// A row's sums in double, and the sums of magnitudes to which their errors are compared.
typedef struct plain_sums {
    double push[3], drag[3], mean[2], wall[4], approach;
    double push_scale, drag_scale, wall_scale, approach_scale;
} plain_sums;

static void add_plainly(const cloud *made, uint32_t j, plain_sums *sums)
{
    const fluid_place *p = &made->points[j], *me = &own_place;
    const fluid_motion *q = &made->motions[j];
    const double h = (double)made->constants.h, both = (double)wall_pressure.both;
    const double d[3] = {(double)(p->x - me->x), (double)(p->y - me->y), (double)(p->z - me->z)};
    const double dv[3] = {(double)(q->x - own_motion.x), (double)(q->y - own_motion.y), (double)(q->z - own_motion.z)};
    const double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), s = r < h ? h - r : 0;
    const double slope = r > 0 ? s * s / r : 0, volume = (double)p->volume, extra = (double)q->scalar;
    double at_wall = both;
    for (int c = 0; c < 3; ++c) at_wall += (double)wall_pressure.slope[c] * d[c];
    for (int c = 0; c < 3; ++c) {
        const double push = slope * (volume * (double)own_pressure + extra) * d[c];
        sums->push[c] += push;
        sums->drag[c] += s * volume * dv[c];
        sums->wall[c] += slope * volume * at_wall * d[c];
        sums->wall_scale += fabs(slope * volume * at_wall * d[c]);
        sums->approach -= slope * volume * d[c] * dv[c];
        sums->push_scale += fabs(push);
        sums->drag_scale += fabs(s * volume * dv[c]);
    }
    const double steepest = 2.25 * h, bounded = r > 0 ? fmin(slope, steepest) : steepest;
    sums->approach += bounded * volume * bounded_flow(&made->constants, p->volume, q->scalar);
    sums->approach_scale += fmax(slope, steepest) * volume * (r * 10 + fabs(extra) + fabs((double)own_motion.scalar));
    sums->mean[0] += s * volume;
    sums->mean[1] += s * extra;
    sums->wall[3] += s * volume;
}

static void force_sums_are_those_of_plain_loops(void **state)
{
    (void)state;
    cloud made;
    make_cloud(&made);
    for (uint32_t count = 0; count <= RECORDS; ++count) {
        plain_sums plain = {.push_scale = 1e-12, .drag_scale = 1e-12, .wall_scale = 1e-12, .approach_scale = 1e-12};
        for (uint32_t k = 0; k < count; ++k) add_plainly(&made, made.indices[k], &plain);
        const row_sums sums = sums_of(mote_pair_lanes_of(MOTE_SIMD_PLAIN), &made, count);
        for (int c = 0; c < 3; ++c) {
            CHECK(fabs((double)sums.forces.pressure[c] - plain.push[c]) < 1e-5 * plain.push_scale,
                  "%u neighbours, pressure %d", count, c);
            CHECK(fabs((double)sums.forces.viscosity[c] - plain.drag[c]) < 1e-5 * plain.drag_scale,
                  "%u neighbours, viscosity %d", count, c);
            CHECK(fabs((double)sums.approach.bend[c] - plain.drag[c]) < 1e-5 * plain.drag_scale,
                  "%u neighbours, bend %d", count, c);
            CHECK(fabs((double)sums.walls.pressure[c] - plain.wall[c]) < 1e-5 * plain.wall_scale,
                  "%u neighbours, wall %d", count, c);
        }
        CHECK(fabs((double)sums.approach.rate - plain.approach) < 1e-5 * plain.approach_scale,
              "%u neighbours: rate %g, expected %g", count, (double)sums.approach.rate, plain.approach);
        CHECK(fabs((double)sums.walls.drag - plain.wall[3]) <= 1e-5 * plain.wall[3], "%u neighbours, wall drag", count);
        CHECK(fabs((double)sums.pressures.weight - plain.mean[0]) <= 1e-5 * plain.mean[0], "%u neighbours, weight",
              count);
        CHECK(fabs((double)sums.pressures.weighted_pressure - plain.mean[1]) <= 1e-5 * fabs(plain.mean[1]) + 1e-12,
              "%u, mean", count);
    }
}

// A pair at a distance of r: W/peak and −W'/r by the lanes of all forms, and by the table.
static void check_pair_lanes(const weak_kernel *kernel, const mote_kernel *table, int dimensions, double h, double r)
{
    const fluid_place places[2] = {{(float)r, 0, 0, 1}, {MOTE_FAR_AWAY, MOTE_FAR_AWAY, MOTE_FAR_AWAY, 0}};
    const fluid_motion motions[2] = {{1, 0, 0, 0}, {0, 0, 0, 0}};
    const weak_set set = {places, motions, NULL, 1};
    const weak_self self = {.place = {0, 0, 0, 1}};
    const uint32_t index = 0;
    const double at = (double)(float)r, scale = table->value(dimensions, h, 0);
    const double slope = at > 0 ? -table->slope(dimensions, h, at) : 0;
    weak_rates plain = {0}, rates = {0};
    for (size_t f = 0; f < sizeof all_forms / sizeof *all_forms; ++f) {
        if (!lanes_of(all_forms[f])) continue;
        const weak_lanes *lanes = mote_weak_lanes(all_forms[f]);
        lanes->rates(kernel, &set, (fluid_row){&index, 1}, &self, WEAK_LEAN, &rates);
        if (f == 0) plain = rates;
        CHECK(memcmp(&rates, &plain, sizeof rates) == 0, "%s: other bits", mote_simd_name(all_forms[f]));
        const double value = (double)(rates.filling * kernel->value);
        CHECK(fabs(value - table->value(dimensions, h, at)) < 1e-6 * scale, "%s %dD at %g h: W %g, %g", table->name,
              dimensions, r / h, value, table->value(dimensions, h, at));
        CHECK(fabs((double)rates.lean[0] - slope) < 2e-6 * scale / h, "%s %dD at %g h: slope %g, %g", table->name,
              dimensions, r / h, (double)rates.lean[0], slope);
    }
}

static void kernels_in_lanes_are_those_of_the_table(void **state)
{
    (void)state;
    for (int k = 0; k < KERNEL_COUNT; ++k)
        for (int dimensions = 2; dimensions <= 3 && mote_kernels[k]->shape; ++dimensions) {
            const double h = 0.7, peak = mote_kernel_peak(mote_kernels[k], dimensions, h);
            const weak_kernel kernel = {.id = (mote_kernel_id)k,
                                        .inverse_support = (float)(1 / h),
                                        .value = (float)peak,
                                        .gradient = (float)(mote_kernels[k]->steepness * peak / (h * h)),
                                        .lattice_value = 1};
            for (int i = 0; i <= 120; ++i) check_pair_lanes(&kernel, mote_kernels[k], dimensions, h, h * i / 100);
            for (int i = 1; i < 20; ++i) {  // what the table says of its shape and slope
                const double s = i / 20.0, r = h * (1 - s);
                const double value = peak * mote_kernels[k]->shape(s);
                const double slope = -peak * mote_kernels[k]->steepness / (h * h) * mote_kernels[k]->lean(s) * r;
                CHECK(fabs(value - mote_kernels[k]->value(dimensions, h, r)) < 1e-12 * peak, "%s at %g: shape",
                      mote_kernels[k]->name, s);
                CHECK(fabs(slope - mote_kernels[k]->slope(dimensions, h, r)) < 1e-11 * peak / h, "%s at %g: lean",
                      mote_kernels[k]->name, s);
            }
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_push_as_layers_do),
        cmocka_unit_test(kernels_integrate_to_one),
        cmocka_unit_test(derivatives_are_those_of_finite_differences),
        cmocka_unit_test(lattice_sums_are_known),
        cmocka_unit_test(density_sums_have_the_promised_bits),
        cmocka_unit_test(forms_have_the_same_bits),
        cmocka_unit_test(rows_together_have_the_bits_of_each),
        cmocka_unit_test(force_sums_are_those_of_plain_loops),
        cmocka_unit_test(kernels_in_lanes_are_those_of_the_table),
    };
    RUN_TESTS(tests, argc, argv);
}
