// SPDX-License-Identifier: MIT
// Smoothing kernels: normalisation, derivatives, what a lattice makes of them, and the sums over neighbours against
// plain loops in double.

#include "fluid/tested.h"
#include "support/test.h"

static const mote_kernel *const kernels[] = {&mote_kernel_poly6, &mote_kernel_spiky, &mote_kernel_viscosity};
static const double pi = 3.14159265358979323846;

// ∫ W dV by the midpoint rule in r³ (2D: r²), where the viscosity kernel's pole at 0 is tame.
static void kernels_integrate_to_one(void **state)
{
    (void)state;
    for (size_t k = 0; k < 3; ++k)
        for (int dimensions = 2; dimensions <= 3; ++dimensions) {
            const double h = 0.7;
            const int n = 200000;
            double sum = 0;
            for (int i = 0; i < n; ++i) {
                double r = h * (i + 0.5) / n;
                sum += kernels[k]->value(dimensions, h, r) * (dimensions == 3 ? 4 * pi * r * r : 2 * pi * r) * h / n;
            }
            CHECK(fabs(sum - 1) < 1e-6, "%s in %dD: %.9f", kernels[k]->name, dimensions, sum);
        }
}

static void derivatives_are_those_of_finite_differences(void **state)
{
    (void)state;
    for (size_t k = 0; k < 3; ++k)
        for (int dimensions = 2; dimensions <= 3; ++dimensions)
            for (int i = 2; i < 20; ++i) {
                const double h = 1.3, step = 1e-4 * h;
                double r = h * i / 20.0;
                double below = kernels[k]->value(dimensions, h, r - step), here = kernels[k]->value(dimensions, h, r);
                double above = kernels[k]->value(dimensions, h, r + step);
                double slope = (above - below) / (2 * step);
                double laplacian = (above - 2 * here + below) / (step * step) + (dimensions - 1) / r * slope;
                double scale = fmax(fabs(here), fabs(kernels[k]->value(dimensions, h, 0.3 * h)));
                CHECK(fabs(kernels[k]->slope(dimensions, h, r) - slope) < 1e-4 * scale / h,
                      "%s %dD at %g h: slope %g, %g", kernels[k]->name, dimensions, r / h,
                      kernels[k]->slope(dimensions, h, r), slope);
                CHECK(fabs(kernels[k]->laplacian(dimensions, h, r) - laplacian) < 1e-4 * scale / (h * h),
                      "%s %dD at %g h: Laplacian %g, %g", kernels[k]->name, dimensions, r / h,
                      kernels[k]->laplacian(dimensions, h, r), laplacian);
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
    mote_lattice_sums small = mote_kernel_lattice_sums(3, 0.02, 0.01);
    CHECK(fabs(small.full - three.full) < 1e-12 && fabs(small.surface_gamma - three.surface_gamma) < 1e-12, "scale");
}

enum { RECORDS = 61 };

typedef struct cloud {
    mote_point_record points[RECORDS + 1];
    mote_force_record forces[RECORDS + 1];
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
        made->points[i] = (mote_point_record){p[0], p[1], p[2], 0.5f + v[0]};
        made->forces[i] = (mote_force_record){p[0], p[1], p[2], 1e-6f * (1 + v[1]), v[0], v[1], v[2], 1e-3f * v[2]};
        made->indices[i] = (i * 23) % RECORDS;
    }
    made->points[RECORDS] = (mote_point_record){MOTE_FAR_AWAY, MOTE_FAR_AWAY, MOTE_FAR_AWAY, 0};
    made->forces[RECORDS] = (mote_force_record){MOTE_FAR_AWAY, MOTE_FAR_AWAY, MOTE_FAR_AWAY, 0, 0, 0, 0, 0};
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
    mote_point_record me = {0.05f, 0.05f, 0.05f, 1};
    for (uint32_t count = 0; count <= RECORDS; ++count) {
        float lanes[8] = {0}, weighted[8] = {0};
        for (uint32_t k = 0; k < count; ++k) {
            const mote_point_record *p = &made.points[made.indices[k]];
            float x = p->x - me.x, y = p->y - me.y, z = p->z - me.z;
            float q = 1.0f - ((x * x + y * y) + z * z) * made.constants.inverse_h_squared;
            q = q > 0 ? q : 0;
            lanes[k % 8] += q * q * q;
            weighted[k % 8] += q * q * q * p->weight;
        }
        mote_row row = {.count = count, .indices = made.indices};
        float sum = mote_sum_density(&made.constants, row, made.points, RECORDS, &me);
        float weighted_sum = mote_sum_weighted_density(&made.constants, row, made.points, RECORDS, &me);
        CHECK(sum == lanes_sum(lanes), "%u neighbours: %.9g, %.9g", count, (double)sum, (double)lanes_sum(lanes));
        CHECK(weighted_sum == lanes_sum(weighted), "%u weighted", count);
    }
}

// qj − qi between 0 and what the volumes let flow.
static double bounded_flow(const mote_pair_constants *constants, const mote_force_record *me,
                           const mote_force_record *other)
{
    const double largest = (double)constants->largest_volume;
    const double difference = fmin((double)me->volume, largest) - fmin((double)other->volume, largest);
    const double limit = (double)constants->flow_limit * difference, flow = (double)other->extra - (double)me->extra;
    return fmax(fmin(flow, fmax(limit, 0)), fmin(limit, 0));
}

static void force_sums_are_those_of_plain_loops(void **state)
{
    (void)state;
    cloud made;
    make_cloud(&made);
    const mote_force_record me = {0.05f, 0.05f, 0.05f, 1e-6f, 0.1f, 0.2f, 0.3f, 1e-3f};
    const double h = (double)made.constants.h, own = 700, both = 900, slopes[3] = {1e3, -2e3, 4e3};
    const mote_wall_pressure wall_pressure = {900, {1e3f, -2e3f, 4e3f}};
    for (uint32_t count = 0; count <= RECORDS; ++count) {
        double push[3] = {0}, drag[3] = {0}, scale[2] = {1e-12, 1e-12}, mean[2] = {0, 0}, wall[4] = {0};
        double wall_scale = 1e-12, approach = 0, approach_scale = 1e-12;
        for (uint32_t k = 0; k < count; ++k) {
            const mote_force_record *p = &made.forces[made.indices[k]];
            double d[3] = {(double)(p->x - me.x), (double)(p->y - me.y), (double)(p->z - me.z)};
            double dv[3] = {(double)(p->vx - me.vx), (double)(p->vy - me.vy), (double)(p->vz - me.vz)};
            double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), s = r < h ? h - r : 0;
            double slope = r > 0 ? s * s / r : 0, volume = (double)p->volume,
                   weight = (double)made.points[made.indices[k]].weight;
            double at_wall = both + slopes[0] * d[0] + slopes[1] * d[1] + slopes[2] * d[2];
            for (int c = 0; c < 3; ++c) {
                push[c] += slope * (volume * own + (double)p->extra) * d[c];
                drag[c] += s * volume * dv[c];
                wall[c] += slope * weight * at_wall * d[c];
                wall_scale += fabs(slope * weight * at_wall * d[c]);
                approach -= slope * volume * d[c] * dv[c];
                scale[0] += fabs(slope * (volume * own + (double)p->extra) * d[c]);
                scale[1] += fabs(s * volume * dv[c]);
            }
            approach += (r > 0 ? fmin(slope, 2.25 * h) : 2.25 * h) * volume * bounded_flow(&made.constants, &me, p);
            approach_scale +=
                fmax(slope, 2.25 * h) * volume * (r * 10 + fabs((double)p->extra) + fabs((double)me.extra));
            mean[0] += s * volume;
            mean[1] += s * (double)p->extra;
            wall[3] += s * weight;
        }
        mote_row row = {.count = count, .indices = made.indices};
        mote_force_sums sums = mote_sum_forces(&made.constants, row, made.forces, RECORDS, &me, (float)own);
        mote_wall_sums walls = mote_sum_walls(&made.constants, row, made.points, RECORDS, &me, &wall_pressure);
        mote_approach_sums together = mote_sum_approach(&made.constants, row, made.forces, RECORDS, &me);
        mote_pressure_sums pressures = mote_sum_pressures(&made.constants, row, made.forces, RECORDS, &me);
        for (int c = 0; c < 3; ++c) {
            CHECK(fabs((double)sums.pressure[c] - push[c]) < 1e-5 * scale[0], "%u neighbours, pressure %d", count, c);
            CHECK(fabs((double)sums.viscosity[c] - drag[c]) < 1e-5 * scale[1], "%u neighbours, viscosity %d", count, c);
            CHECK(fabs((double)together.bend[c] - drag[c]) < 1e-5 * scale[1], "%u neighbours, bend %d", count, c);
            CHECK(fabs((double)walls.pressure[c] - wall[c]) < 1e-5 * wall_scale, "%u neighbours, wall %d", count, c);
        }
        CHECK(fabs((double)together.rate - approach) < 1e-5 * approach_scale, "%u neighbours: rate %g, expected %g",
              count, (double)together.rate, approach);
        CHECK(fabs((double)walls.drag - wall[3]) <= 1e-5 * wall[3], "%u neighbours, wall drag", count);
        CHECK(fabs((double)pressures.weight - mean[0]) <= 1e-5 * mean[0], "%u neighbours, weight", count);
        CHECK(fabs((double)pressures.weighted_pressure - mean[1]) <= 1e-5 * fabs(mean[1]) + 1e-12, "%u, mean", count);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_integrate_to_one),
        cmocka_unit_test(derivatives_are_those_of_finite_differences),
        cmocka_unit_test(lattice_sums_are_known),
        cmocka_unit_test(density_sums_have_the_promised_bits),
        cmocka_unit_test(force_sums_are_those_of_plain_loops),
    };
    RUN_TESTS(tests, argc, argv);
}
