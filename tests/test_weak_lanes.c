// SPDX-License-Identifier: MIT
// The sums over neighbours of the weakly compressible solver: all forms have the same bits, and are near plain loops in
// double, for every kernel and every length of a row up to some registers, and beyond a part of 64 neighbours.
// And the eigenvalues that tell surfaces.

#include "fluid/tested.h"
#include "support/test.h"

enum { RECORDS = 150, ROWS = 40, FORM_COUNT = 3 };

static const mote_simd all_forms[FORM_COUNT] = {MOTE_SIMD_PLAIN, MOTE_SIMD_128, MOTE_SIMD_AVX2};
static const double support = 0.1;

typedef struct cloud {
    fluid_place places[RECORDS + 1];
    fluid_motion motions[RECORDS + 1], shifts[RECORDS + 1];
    uint32_t indices[RECORDS];
    weak_self self;
    weak_kernel kernel;
    const mote_kernel *table;
} cloud;

static void make_cloud(cloud *made)
{
    mote_random random = {11};
    for (uint32_t i = 0; i < RECORDS; ++i) {
        float r[12];
        for (int k = 0; k < 12; ++k) r[k] = (float)mote_random_unit(&random);
        for (int k = 0; k < 3 && i % 50 == 5; ++k) r[k] = 0.5f;  // at the very place of the particle that looks
        made->places[i] = (fluid_place){0.12f * r[0], 0.12f * r[1], 0.12f * r[2], 1e-6f * (1 + r[3])};
        if (i % 7 == 3)  // a hair within the support
            made->places[i] = (fluid_place){0.06f, 0.06f, 0.06f + 0.0999999f, 1e-6f};
        made->motions[i] = (fluid_motion){r[4] - 0.5f, r[5] - 0.5f, r[6] - 0.5f, r[7] - 0.5f};
        made->shifts[i] = (fluid_motion){r[8] - 0.5f, r[9] - 0.5f, r[10] - 0.5f, r[11]};
        made->indices[i] = (i * 23) % RECORDS;
    }
    made->places[RECORDS] = (fluid_place){MOTE_FAR_AWAY, MOTE_FAR_AWAY, MOTE_FAR_AWAY, 0};
    made->motions[RECORDS] = made->shifts[RECORDS] = (fluid_motion){0};
    made->self = (weak_self){.place = {0.06f, 0.06f, 0.06f, 1e-6f},
                             .motion = {0.1f, 0.2f, 0.3f, 0.4f},
                             .shift = {-0.2f, 0.3f, 0.1f, 0.3f}};
}

static void choose_kernel(cloud *made, int id)
{
    made->table = mote_kernels[id];
    const double peak = mote_kernel_peak(made->table, 3, support), h = support;
    made->kernel = (weak_kernel){.id = (mote_kernel_id)id,
                                 .inverse_support = (float)(1 / h),
                                 .value = (float)peak,
                                 .gradient = (float)(made->table->steepness * peak / (h * h)),
                                 .tiny = (float)(1e-4 * h * h),
                                 .lattice_value = (float)(1 / made->table->shape(2 / 3.0))};
}

// How many neighbours a row has: all lengths up to some registers, then those around a part.
static uint32_t length_of(uint32_t row)
{
    return row < 30 ? row : row < 39 ? row + 31 : RECORDS;
}

// ------------------------------------------------------------------------------------------- the sums of a form

enum { RATES = 3, FORCES = 7 };

enum { MEANS = 2 };

// The pressure between phases: weighted by density, and the plain mean.
static const weak_across between[MEANS] = {{1e-3f, 2e-3f, 0.1f, 0.2f, 0.01f, 0}, {1e-3f, 2e-3f, 0.1f, 0.2f, 0.01f, 1}};

typedef struct row_sums {
    weak_rates rates[RATES];     // by detail
    weak_forces forces[FORCES];  // central 2, drag 1; the fifth has all, and the stress; the sixth the
                                 // exchange, the seventh eddies besides
    weak_averages averages;
    weak_forces across[MEANS];
    float stress[3];  // of a tension
    weak_gradients gradients;
} row_sums;

static const float central = 1e-5f, share = 2e-3f, eddies = 2e-5f, mass = 1e-3f;

static row_sums sums_of(mote_simd form, const cloud *made, uint32_t count)
{
    const weak_lanes *lanes = mote_weak_lanes(form);
    const fluid_row row = {made->indices, count};
    weak_set set = {made->places, made->motions, NULL, RECORDS};
    weak_self self = made->self;
    row_sums sums;
    memset(&sums, 0, sizeof sums);
    for (int d = 0; d < RATES; ++d) lanes->rates(&made->kernel, &set, row, &self, (weak_detail)d, &sums.rates[d]);
    for (int f = 0; f < FORCES; ++f) {
        self.central = f & 2 || f >= 4 ? central : 0;
        set.shifts = f >= 4 ? made->shifts : NULL;
        self.exchange = f >= 5 ? share : 0, self.eddies = f == 6 ? eddies : 0;
        lanes->forces(&made->kernel, &set, row, &self, f & 1, &sums.forces[f]);
    }
    set.shifts = NULL, self.exchange = self.eddies = 0;
    lanes->averages(&made->kernel, &set, row, &self, mass, &sums.averages);
    for (int m = 0; m < MEANS; ++m) lanes->across(&made->kernel, &set, row, &self, &between[m], &sums.across[m]);
    lanes->stress(&made->kernel, &set, row, &self, sums.stress);
    lanes->gradients(&made->kernel, &set, row, &self, &sums.gradients);
    return sums;
}

static void forms_have_the_same_bits(void **state)
{
    (void)state;
    cloud made;
    make_cloud(&made);
    for (int id = 0; id < KERNEL_COUNT; ++id) {
        if (!mote_kernels[id]->shape) continue;
        choose_kernel(&made, id);
        for (uint32_t row = 0; row < ROWS; ++row) {
            const uint32_t count = length_of(row);
            const row_sums plain = sums_of(MOTE_SIMD_PLAIN, &made, count);
            for (int f = 1; f < FORM_COUNT; ++f) {
                if (!test_has_form(all_forms[f])) continue;
                const row_sums sums = sums_of(all_forms[f], &made, count);
                CHECK(memcmp(&sums, &plain, sizeof sums) == 0, "%s, %s, %u neighbours", made.table->name,
                      mote_simd_name(all_forms[f]), count);
            }
        }
    }
}

// ----------------------------------------------------------------------------------------------- plain loops

// A sum in double, and that of its terms' magnitudes, to which errors are compared.
typedef struct plain_sum {
    double value, size;
} plain_sum;

static void add(plain_sum *sum, double term)
{
    sum->value += term;
    sum->size += fabs(term);
}

typedef struct plain_sums {
    plain_sum compression, diffusion, lean[3], filling, spread[6], crowding[3];
    plain_sum push[4][3], drag[3], stress[3];  // push: without central viscosity, with it, with exchange, with eddies
    plain_sum gradient[9];
    plain_sum weight, scalar, offset[3], velocity[3];
    plain_sum across[MEANS][3], across_drag[3], tension[3];
} plain_sums;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Between phases (Hu & Adams 2006): (Vi² + Vj²)/Vj times the pressure between them, less the viscous part.
static void add_across(const cloud *made, const fluid_place *p, double pressure, double slope, const double d[3],
                       const double v[3], plain_sums *sums)
{
    const double vi = (double)made->self.place.volume, vj = (double)p->volume, own = (double)made->self.motion.scalar;
    const double along = dot(d, v) / (dot(d, d) + (double)made->kernel.tiny);
    for (int m = 0; m < MEANS; ++m) {
        const weak_across *pair = &between[m];
        const double density = (double)pair->mass / vi, other = (double)pair->other_mass / vj;
        const double weighted = (other * own + density * pressure) / (density + other);
        const double both = (pair->mean == 1 ? (own + pressure) / 2 : weighted) +
                            (double)pair->repulsion * (fabs(own) + fabs(pressure));
        for (int k = 0; k < 3; ++k) {
            add(&sums->across[m][k], slope * (vi * vi + vj * vj) / vj * both * d[k]);
            add(&sums->across[m][k], -slope * vi * (double)pair->central * along * d[k]);
            if (m == 0) add(&sums->across_drag[k], slope * vi * (double)pair->drag * v[k]);
        }
    }
}

// The divergence of the stress w (|g|² − g g), where g and w are a particle's motion and scalar.
static void add_tension(const double g[3], double w, double slope, const double d[3], plain_sums *sums)
{
    for (int k = 0; k < 3; ++k) {
        add(&sums->tension[k], slope * w * dot(g, g) * d[k]);
        add(&sums->tension[k], -slope * w * dot(g, d) * g[k]);
    }
}

static void add_plainly(const cloud *made, uint32_t j, plain_sums *sums)
{
    static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
    const fluid_place *p = &made->places[j], *o = &made->self.place;
    const fluid_motion *m = &made->motions[j], *own = &made->self.motion, *u = &made->shifts[j];
    const fluid_motion *us = &made->self.shift;
    const double d[3] = {(double)(p->x - o->x), (double)(p->y - o->y), (double)(p->z - o->z)};
    const double v[3] = {(double)m->x, (double)m->y, (double)m->z};
    const double vi[3] = {(double)own->x, (double)own->y, (double)own->z};
    const double squared = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], s = fmax(1 - sqrt(squared) / support, 0);
    const double shape = made->table->shape(s), lean = s > 0 ? made->table->lean(s) : 0, volume = (double)p->volume;
    const double slope = volume * (double)made->kernel.gradient * lean;
    const double crowd = 1 + 0.2 * pow(shape * (double)made->kernel.lattice_value, 4);
    double along = 0, theirs = 0, ours = 0;
    for (int k = 0; k < 3; ++k) along += d[k] * (v[k] - vi[k]);
    theirs = d[0] * (double)u->x + d[1] * (double)u->y + d[2] * (double)u->z;
    ours = d[0] * (double)us->x + d[1] * (double)us->y + d[2] * (double)us->z;
    const double both = (double)m->scalar + (double)own->scalar;
    const double resisted = both - (double)central * along / (squared + (double)made->kernel.tiny);
    const double exchanged = (double)share * (ours - theirs) / (squared + (double)made->kernel.tiny);
    const double turbulent = (double)eddies * ((double)us->scalar + (double)u->scalar) * along /
                             (squared + (double)made->kernel.tiny);
    add(&sums->compression, -slope * along);
    add(&sums->diffusion, slope * ((double)m->scalar - (double)own->scalar));
    add(&sums->filling, volume * shape);
    add(&sums->weight, volume * shape);
    add(&sums->scalar, volume * shape * (double)m->scalar);
    for (int k = 0; k < 3; ++k) {
        add(&sums->lean[k], slope * d[k]);
        add(&sums->crowding[k], crowd * slope * d[k]);
        add(&sums->push[0][k], slope * both * d[k]);
        add(&sums->push[1][k], slope * resisted * d[k]);
        add(&sums->push[2][k], slope * resisted * d[k]);
        add(&sums->push[2][k], -slope * exchanged * d[k]);
        add(&sums->push[3][k], slope * (resisted - turbulent) * d[k]);
        add(&sums->push[3][k], -slope * exchanged * d[k]);
        for (int c = 0; c < 3; ++c) add(&sums->gradient[3 * k + c], slope * (v[k] - vi[k]) * d[c]);
        add(&sums->drag[k], slope * (v[k] - vi[k]));
        add(&sums->stress[k], slope * (ours * vi[k] + theirs * v[k]));
        add(&sums->offset[k], (double)mass * shape * d[k]);
        add(&sums->velocity[k], volume * shape * v[k]);
    }
    for (int k = 0; k < 6; ++k) add(&sums->spread[k], slope * d[pairs[k][0]] * d[pairs[k][1]]);
    add_across(made, p, (double)m->scalar, slope, d, (double[]){v[0] - vi[0], v[1] - vi[1], v[2] - vi[2]}, sums);
    add_tension(v, (double)m->scalar, slope, d, sums);
    add_tension(vi, (double)own->scalar, slope, d, sums);
}

static void check(const cloud *made, uint32_t count, const char *name, float found, const plain_sum *expected)
{
    CHECK(fabs((double)found - expected->value) <= 1e-5 * expected->size + 1e-12,
          "%s, %u neighbours: %s %g, expected %g", made->table->name, count, name, (double)found, expected->value);
}

static void check_rates(const cloud *made, uint32_t count, const row_sums *sums, const plain_sums *plain)
{
    for (int d = 0; d < RATES; ++d) {
        check(made, count, "compression", sums->rates[d].compression, &plain->compression);
        check(made, count, "diffusion", sums->rates[d].diffusion, &plain->diffusion);
    }
    check(made, count, "filling", sums->rates[WEAK_LEAN].filling, &plain->filling);
    for (int k = 0; k < 3; ++k) {
        check(made, count, "lean", sums->rates[WEAK_LEAN].lean[k], &plain->lean[k]);
        check(made, count, "crowding", sums->rates[WEAK_SURFACE].crowding[k], &plain->crowding[k]);
    }
    for (int k = 0; k < 6; ++k) {
        check(made, count, "spread", sums->rates[WEAK_SURFACE].spread[k], &plain->spread[k]);
        check(made, count, "spread", sums->gradients.spread[k], &plain->spread[k]);
    }
}

static void check_phases(const cloud *made, uint32_t count, const row_sums *sums, const plain_sums *plain)
{
    for (int k = 0; k < 3; ++k) {
        for (int m = 0; m < MEANS; ++m) {
            check(made, count, m ? "plain mean" : "weighted", sums->across[m].push[k], &plain->across[m][k]);
            check(made, count, "drag between", sums->across[m].drag[k], &plain->across_drag[k]);
            CHECK(sums->across[m].stress[k] == 0, "no stress of shifts between phases");
        }
        check(made, count, "tension", sums->stress[k], &plain->tension[k]);
    }
}

static void sums_are_those_of_plain_loops(void **state)
{
    (void)state;
    cloud made;
    make_cloud(&made);
    for (int id = 0; id < KERNEL_COUNT; ++id) {
        if (!mote_kernels[id]->shape) continue;
        choose_kernel(&made, id);
        for (uint32_t row = 0; row < ROWS; ++row) {
            const uint32_t count = length_of(row);
            plain_sums plain;
            memset(&plain, 0, sizeof plain);
            for (uint32_t k = 0; k < count; ++k) add_plainly(&made, made.indices[k], &plain);
            const row_sums sums = sums_of(MOTE_SIMD_PLAIN, &made, count);
            check_rates(&made, count, &sums, &plain);
            check_phases(&made, count, &sums, &plain);
            check(&made, count, "weight", sums.averages.weight, &plain.weight);
            check(&made, count, "scalar", sums.averages.scalar, &plain.scalar);
            for (int k = 0; k < 3; ++k) {
                check(&made, count, "offset", sums.averages.offset[k], &plain.offset[k]);
                check(&made, count, "velocity", sums.averages.velocity[k], &plain.velocity[k]);
                for (int f = 0; f < FORCES; ++f)
                    check(&made, count, "push", sums.forces[f].push[k], &plain.push[f >= 5 ? f - 3 : f >= 2][k]);
                for (int f = 1; f < FORCES; f += 2) check(&made, count, "drag", sums.forces[f].drag[k], &plain.drag[k]);
                for (int c = 3 * k; c < 3 * k + 3; ++c)
                    check(&made, count, "gradient", sums.gradients.velocity[c], &plain.gradient[c]);
                check(&made, count, "stress", sums.forces[4].stress[k], &plain.stress[k]);
            }
        }
    }
}

// ------------------------------------------------------------------------------------------------ eigenvalues

// Whether M − λ has only positive eigenvalues: its leading minors are positive.
static bool is_below_all(const float m[6], double lambda)
{
    const double x = (double)m[0] - lambda, y = (double)m[1] - lambda, z = (double)m[2] - lambda;
    const double yz = (double)m[3], xz = (double)m[4], xy = (double)m[5];
    const double two = x * y - xy * xy;
    return x > 0 && two > 0 && z * two - x * yz * yz - y * xz * xz + 2 * xy * xz * yz > 0;
}

static void check_eigenvalue(const float m[6], double size)
{
    const double found = mote_weak_least_eigenvalue(m), slack = 3e-8 * size;
    CHECK(is_below_all(m, found - slack) && !is_below_all(m, found + slack), "%g %g %g, %g %g %g: %.12g", (double)m[0],
          (double)m[1], (double)m[2], (double)m[3], (double)m[4], (double)m[5], found);
}

// Of matrices at random; near the unit matrix, as inside the fluid; and with one or two eigenvalues that are far less.
static void least_eigenvalues_are_those_of_minors(void **state)
{
    (void)state;
    mote_random random = {5};
    for (int round = 0; round < 3000; ++round) {
        float m[6];
        const float near = round % 3 == 0 ? 1 : round % 3 == 1 ? 1e-3f : 1e-6f;
        for (int k = 0; k < 6; ++k) m[k] = near * ((float)mote_random_unit(&random) - 0.5f) + (k < 3 ? 1.0f : 0.0f);
        check_eigenvalue(m, 1 + (double)near);
        const float n[3] = {m[3] / near, m[4] / near, m[5] / near}, by = round % 2 ? 0.5f : -0.5f;
        const float pairs[6] = {1 + by * n[0] * n[0], 1 + by * n[1] * n[1], 1 + by * n[2] * n[2],
                                by * n[1] * n[2],     by * n[0] * n[2],     by * n[0] * n[1]};
        check_eigenvalue(pairs, 1);
    }
    const float unit[6] = {1, 1, 1, 0, 0, 0}, none[6] = {0}, flat[6] = {1, 0, 1, 0, 0, 0};
    CHECK(mote_weak_least_eigenvalue(unit) == 1 && mote_weak_least_eigenvalue(none) == 0, "alike on all sides");
    CHECK(fabs(mote_weak_least_eigenvalue(flat)) < 1e-8, "flat");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_have_the_same_bits),
        cmocka_unit_test(sums_are_those_of_plain_loops),
        cmocka_unit_test(least_eigenvalues_are_those_of_minors),
    };
    RUN_TESTS(tests, argc, argv);
}
