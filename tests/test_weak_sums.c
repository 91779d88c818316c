// SPDX-License-Identifier: MIT
// The weakly compressible solver: its sums against plain loops over all pairs.

#include "mote/fluid.h"
#include "mote/simulation.h"
#include "support/test.h"
#include "support/water.h"
#include "support/weak.h"

// ------------------------------------------------------------------------------------------------- all pairs

typedef struct oracle {
    mote_fluid_def def;
    mote_phase_def phase;
    const mote_fluid_view *view;
    mote_period_def period;
    const double *walls, *volumes;  // in units of d^D
    size_t wall_count;
} oracle;

static void difference(const oracle *o, const double a[3], const double b[3], double d[3])
{
    const mote_period_def *p = &o->period;
    d[0] = nearest_image(b[0] - a[0], p->x, p->max.x - p->min.x);
    d[1] = nearest_image(b[1] - a[1], p->y, p->max.y - p->min.y);
    d[2] = nearest_image(b[2] - a[2], p->z, p->max.z - p->min.z);
}

// V and ∇W·(−1)/r of Wendland's C2 kernel, by its textbook form with the smoothing length H/2.
static double slope_over_r(const mote_fluid_def *def, double r)
{
    const double h = def->support / 2, q = r / h, pi = 3.14159265358979323846;
    const double alpha = def->dimensions == 2 ? 7 / (4 * pi * h * h) : 21 / (16 * pi * h * h * h);
    if (q >= 2) return 0;
    const double s = 1 - q / 2;
    return 5 * alpha * s * s * s / (h * h);  // −W'/r, of W = α (1 − q/2)^4 (2q + 1)
}

static double value_of(const mote_fluid_def *def, double r)
{
    const double h = def->support / 2, q = r / h, pi = 3.14159265358979323846;
    const double alpha = def->dimensions == 2 ? 7 / (4 * pi * h * h) : 21 / (16 * pi * h * h * h);
    const double s = q < 2 ? 1 - q / 2 : 0;
    return alpha * s * s * s * s * (2 * q + 1);
}

static void place_of(const mote_fluid_view *view, size_t i, double at[3])
{
    at[0] = view->x[i], at[1] = view->y[i], at[2] = view->z[i];
}

static void velocity_of(const mote_fluid_view *view, size_t i, double v[3])
{
    v[0] = (double)view->vx[i], v[1] = (double)view->vy[i], v[2] = (double)view->vz[i];
}

static double squared_length(const double d[3])
{
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

// Adds what a neighbour with volume, pressure and velocity does to particle i.
static void add_pair(const oracle *o, double density, double own, const double vi[3], const double d[3], double volume,
                     double pressure, const double vj[3], bool is_wall, double a[3])
{
    const mote_fluid_def *def = &o->def;
    const double r2 = squared_length(d), g = slope_over_r(def, sqrt(r2)) * volume, D = def->dimensions;
    const double h = def->support;
    double along = 0;
    for (int k = 0; k < 3; ++k) along += d[k] * (vj[k] - vi[k]);
    const double physical = o->phase.viscosity, artificial =
        is_wall ? 0 : o->phase.rest_density * def->viscosity_alpha * o->phase.sound_speed * h / 2 / (2 * (D + 2));
    const double central = artificial + (def->viscosity_model == MOTE_VISCOSITY_CENTRAL ? physical : 0);
    for (int k = 0; k < 3; ++k) {
        a[k] -= g * (own + pressure) * d[k] / density;
        a[k] += 2 * (D + 2) * central / density * g * along / (r2 + 1e-4 * h * h) * d[k];
        if (def->viscosity_model == MOTE_VISCOSITY_LAPLACIAN) a[k] += 2 * physical / density * g * (vj[k] - vi[k]);
    }
}

// Pressure and velocity that a wall particle takes from the fluid (Adami et al. 2012, eq. 23 and 27).
static void wall_state(const oracle *o, const double at[3], double *pressure, double v[3])
{
    const mote_fluid_def *def = &o->def;
    const double mass = o->phase.rest_density * pow(def->spacing, def->dimensions);
    double weight = 0, sum = 0, velocity[3] = {0};
    for (size_t j = 0; j < o->view->count; ++j) {
        double place[3], d[3], vj[3];
        place_of(o->view, j, place);
        velocity_of(o->view, j, vj);
        difference(o, at, place, d);
        const double volume = mass / (double)o->view->density[j], w = value_of(def, sqrt(squared_length(d)));
        weight += volume * w;
        sum += volume * w * (double)o->view->pressure[j];
        sum -= mass * w * (def->gravity.x * d[0] + def->gravity.y * d[1] + def->gravity.z * d[2]);
        for (int k = 0; k < 3; ++k) velocity[k] += volume * w * vj[k];
    }
    *pressure = weight > 0 && sum > 0 ? sum / weight : 0;
    for (int k = 0; k < 3; ++k) v[k] = weight > 0 ? -velocity[k] / weight : 0;
}

static void acceleration(const oracle *o, size_t i, double a[3])
{
    const mote_fluid_view *view = o->view;
    const double mass = o->phase.rest_density * pow(o->def.spacing, o->def.dimensions);
    double at[3], vi[3];
    place_of(view, i, at);
    velocity_of(view, i, vi);
    a[0] = o->def.gravity.x, a[1] = o->def.gravity.y, a[2] = o->def.gravity.z;
    for (size_t j = 0; j < view->count; ++j) {
        double place[3], d[3], vj[3];
        if (j == i) continue;
        place_of(view, j, place);
        velocity_of(view, j, vj);
        difference(o, at, place, d);
        add_pair(o, (double)view->density[i], (double)view->pressure[i], vi, d, mass / (double)view->density[j],
                 (double)view->pressure[j], vj, false, a);
    }
    for (size_t w = 0; w < o->wall_count; ++w) {
        double d[3], v[3], pressure;
        difference(o, at, o->walls + 3 * w, d);
        wall_state(o, o->walls + 3 * w, &pressure, v);
        add_pair(o, (double)view->density[i], (double)view->pressure[i], vi, d,
                 o->volumes[w] * pow(o->def.spacing, o->def.dimensions), pressure, v, true, a);
    }
}

// At the first evaluation velocities are those of the instant, so that accelerations can be compared.
static void compare_with_all_pairs(mote_fluid *fluid, oracle *o)
{
    mote_fluid_view view;
    CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
    o->view = &view;
    o->def = mote_fluid_resolved_def(fluid);
    o->phase = mote_fluid_resolved_phase(fluid, 0);
    double largest = 0, worst = 0;
    for (size_t i = 0; i < view.count; ++i) {
        double a[3];
        acceleration(o, i, a);
        const double found[3] = {(double)view.ax[i], (double)view.ay[i], (double)view.az[i]};
        for (int k = 0; k < 3; ++k) {
            largest = fmax(largest, fabs(a[k]));
            worst = fmax(worst, fabs(a[k] - found[k]));
        }
    }
    CHECK(worst < 1e-4 * largest, "%zu particles: accelerations up to %g are off by %g", view.count, largest, worst);
}

static void forces_equal_all_pairs(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions)
        for (int model = 0; model < 2; ++model)
            for (int periodic = 0; periodic < 2; ++periodic) {
                const double d = 0.1;
                const int n = dimensions == 3 ? 9 : 20;
                if (SANITIZED && periodic != model) continue;
                mote_fluid_def def = def_of(dimensions, d);
                def.viscosity_model = model;
                liquid.viscosity = 20;
                def.viscosity_alpha = 0.05;
                def.gravity = (mote_vec3){1, 0, -9.81};
                def.shifting = MOTE_SHIFTING_NONE;
                mote_fluid *fluid = make_fluid(NULL, &def);
                oracle o = {.period = mote_period_default_def()};
                o.period.min = (mote_vec3){0, 0, 0};
                o.period.max = (mote_vec3){n * d, n * d, n * d};
                o.period.x = periodic, o.period.y = periodic && dimensions == 3;
                if (periodic) CHECK_OK(mote_fluid_set_period(fluid, &o.period, NULL));
                cloud block = block_of(dimensions, n, d, 0.3);
                CHECK_OK(mote_fluid_add(fluid, 0, block.x, block.v, block.count, NULL));
                set_random_pressures(fluid, block.count);
                // A floor of three layers under part of the fluid.
                double walls[3 * 27], volumes[27];
                for (int k = 0; k < 27; ++k) {
                    walls[3 * k] = d * (k % 9 + 0.5);
                    walls[3 * k + 1] = dimensions == 3 ? 0.45 : 0;
                    walls[3 * k + 2] = -d * (k / 9 + 0.5);
                    volumes[k] = 1;
                }
                CHECK_OK(mote_fluid_add_walls(fluid, walls, volumes, 27, NULL));
                o.walls = walls, o.volumes = volumes, o.wall_count = 27;
                compare_with_all_pairs(fluid, &o);
                mote_fluid_destroy(fluid);
                free(block.x);
            }
}

// --------------------------------------------------------------------------------------------------- optional terms

static const float *array_of(mote_fluid *fluid, const char *name, int component)
{
    mote_array array;
    CHECK_OK(mote_fluid_get_array(fluid, name, &array, NULL));
    return array.component[component];
}

// From particle i to j; V of j times −W'/r.
static double pair_of(const oracle *o, size_t i, size_t j, double d[3])
{
    double a[3], b[3];
    place_of(o->view, i, a);
    place_of(o->view, j, b);
    difference(o, a, b, d);
    const double mass = o->phase.rest_density * pow(o->def.spacing, o->def.dimensions);
    return mass / (double)o->view->density[j] * slope_over_r(&o->def, sqrt(squared_length(d)));
}

static double determinant_of(const double m[3][3])
{
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

// ∇δ at particle i: by Cramer's rule from Σ V (δj − δi) ∇W and Σ V ∇W⊗dx.
static void gradient_at(const oracle *o, const float *excess, size_t i, double gradient[3])
{
    double m[3][3] = {{0}}, b[3] = {0};
    for (size_t j = 0; j < o->view->count; ++j) {
        double d[3];
        const double g = pair_of(o, i, j, d);
        for (int k = 0; k < 3; ++k) b[k] += g * d[k] * ((double)excess[j] - (double)excess[i]);
        for (int k = 0; k < 9; ++k) m[k / 3][k % 3] += g * d[k / 3] * d[k % 3];
    }
    if (o->def.dimensions == 2) m[1][1] = 1;
    const double determinant = determinant_of((const double(*)[3])m);
    for (int k = 0; k < 3; ++k) {
        double c[3][3];
        memcpy(c, m, sizeof c);
        for (int row = 0; row < 3; ++row) c[row][k] = b[row];
        gradient[k] = determinant > 0.05 ? determinant_of((const double(*)[3])c) / determinant : 0;
    }
}

// The diffusion of density at particle i by a model.
static double diffusion_at(const oracle *o, const float *enthalpy, const double *gradients, size_t i)
{
    const mote_fluid_def *def = &o->def;
    const double c2 = o->phase.sound_speed * o->phase.sound_speed;
    double sum = 0;
    for (size_t j = 0; j < o->view->count; ++j) {
        double d[3], linear = 0;
        const double g = pair_of(o, i, j, d), *a = gradients + 3 * i, *b = gradients + 3 * j;
        if (def->diffusion_model == MOTE_DIFFUSION_ANTUONO)
            for (int k = 0; k < 3; ++k) linear += d[k] * (a[k] + b[k]) / 2;
        if (def->diffusion_model == MOTE_DIFFUSION_FOURTAKAS)
            linear = (def->gravity.y * d[1] + def->gravity.z * d[2]) / c2;  // nothing rests along a periodic axis
        sum += g * ((double)enthalpy[j] - (double)enthalpy[i] - linear);
    }
    return def->density_diffusion * def->support * o->phase.sound_speed * sum;
}

static mote_fluid *particles_with_pressures(mote_fluid_def *def, int n, bool has_velocities, oracle *o)
{
    def->shifting = MOTE_SHIFTING_NONE;
    mote_fluid *fluid = make_fluid(NULL, def);
    o->period = mote_period_default_def();
    o->period.min = (mote_vec3){0, 0, 0}, o->period.max = (mote_vec3){n * def->spacing, 0, 0}, o->period.x = true;
    CHECK_OK(mote_fluid_set_period(fluid, &o->period, NULL));
    cloud block = block_of(def->dimensions, n, def->spacing, 0.3);
    CHECK_OK(mote_fluid_add(fluid, 0, block.x, has_velocities ? block.v : NULL, block.count, NULL));
    set_random_pressures(fluid, block.count);
    free(block.x);
    o->def = mote_fluid_resolved_def(fluid);
    o->phase = mote_fluid_resolved_phase(fluid, 0);
    return fluid;
}

// The rates of density of particles at rest are those of diffusion alone.
static void diffusion_equals_all_pairs(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions)
        for (int32_t model = 0; model <= MOTE_DIFFUSION_ANTUONO; ++model) {
            mote_fluid_def def = def_of(dimensions, 0.1);
            def.gravity = (mote_vec3){1, 0, -9.81};
            def.diffusion_model = model;
            oracle o;
            mote_fluid *fluid = particles_with_pressures(&def, dimensions == 3 ? 8 : 16, false, &o);
            CHECK_OK(mote_fluid_advance(fluid, 1e-9, NULL, NULL, NULL));
            mote_fluid_view view;
            CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
            o.view = &view;
            const float *excess = array_of(fluid, "excess", 0), *rate = array_of(fluid, "rate", 0);
            double *gradients = calloc(3 * view.count, sizeof *gradients), largest = 0, worst = 0;
            float *enthalpy = malloc(view.count * sizeof *enthalpy);  // over c², by Tait's equation
            for (size_t i = 0; i < view.count; ++i) enthalpy[i] = (float)((pow(1 + (double)excess[i], 6) - 1) / 6);
            for (size_t i = 0; i < view.count; ++i) gradient_at(&o, enthalpy, i, gradients + 3 * i);
            for (size_t i = 0; i < view.count; ++i) {
                const double expected = diffusion_at(&o, enthalpy, gradients, i);
                largest = fmax(largest, fabs(expected));
                worst = fmax(worst, fabs(expected - (double)rate[i]));
            }
            CHECK(worst < 2e-4 * largest, "%dD, model %d: rates up to %g are off by %g", dimensions, (int)model,
                  largest, worst);
            free(gradients);
            free(enthalpy);
            mote_fluid_destroy(fluid);
        }
}

// Linear densities do not diffuse by renormalised gradients, at a free surface neither; by plain differences they do.
static void linear_densities_stay(void **state)
{
    (void)state;
    double rates[2] = {0, 0};
    for (int k = 0; k < 2; ++k) {
        mote_fluid_def def = def_of(2, 0.1);
        def.diffusion_model = k == 0 ? MOTE_DIFFUSION_MOLTENI : MOTE_DIFFUSION_ANTUONO;
        liquid.gamma = 1;  // densities are as linear as pressures
        def.shifting = MOTE_SHIFTING_NONE;
        mote_fluid *fluid = make_fluid(NULL, &def);
        cloud block = block_of(2, 12, 0.1, 0.2);
        double pressures[144];
        for (int i = 0; i < 144; ++i) pressures[i] = 100 * (2 + block.x[3 * i] - 0.5 * block.x[3 * i + 2]);
        CHECK_OK(mote_fluid_add(fluid, 0, block.x, NULL, block.count, NULL));
        CHECK_OK(mote_fluid_set_pressures(fluid, pressures, NULL));
        CHECK_OK(mote_fluid_advance(fluid, 1e-9, NULL, NULL, NULL));
        const float *rate = array_of(fluid, "rate", 0);
        for (size_t i = 0; i < block.count; ++i) rates[k] = fmax(rates[k], fabs((double)rate[i]));
        mote_fluid_destroy(fluid);
        free(block.x);
    }
    CHECK(rates[1] < 1e-3 * rates[0], "rates of %g, by plain differences of %g", rates[1], rates[0]);
}

// A full lattice has the density of rest by every kernel that does for all sums (within 5 %, as the cusp of the spiky
// kernel counts for more than its share), and no pair pushes it; the others are refused.
static void every_kernel_serves_or_is_refused(void **state)
{
    (void)state;
    size_t served = 0;
    const mote_fluid_choice *kernel;
    for (size_t k = 0; (kernel = mote_fluid_kernel_at(k)) != NULL; ++k)
        for (int dimensions = 2; dimensions <= 3; ++dimensions) {
            mote_fluid_def def = def_of(dimensions, 0.1);
            def.kernel = kernel->name;
            def.gravity = (mote_vec3){0, 0, 0};
            def.shifting = MOTE_SHIFTING_TRANSPORT;
            mote_fluid *fluid = NULL;
            mote_error error = {0};
            const mote_result result = mote_fluid_create(NULL, &def, &fluid, &error);
            if (result == MOTE_ERROR_ARGUMENT && strstr(error.text, kernel->name)) continue;
            CHECK(result == MOTE_OK, "%s: %s", kernel->name, error.text);
            CHECK_OK(add_water(fluid, 10, NULL));
            ++served;
            CHECK(strcmp(mote_fluid_resolved_def(fluid).kernel, kernel->name) == 0, "%s", kernel->name);
            mote_period_def period = mote_period_default_def();
            period.min = (mote_vec3){0, 0, 0}, period.max = (mote_vec3){1, 1, 1};
            period.x = period.z = true, period.y = dimensions == 3;
            CHECK_OK(mote_fluid_set_period(fluid, &period, NULL));
            cloud block = block_of(dimensions, 10, 0.1, 0);
            CHECK_OK(mote_fluid_add(fluid, 0, block.x, NULL, block.count, NULL));
            mote_fluid_view view;
            CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
            float densities[1000];
            CHECK_OK(mote_fluid_sum_densities(fluid, densities, NULL));
            for (size_t i = 0; i < view.count; ++i) {
                CHECK(fabs((double)densities[i] / 1000 - 1) < 0.05, "%s, %dD: density %g", kernel->name, dimensions,
                      (double)densities[i]);
                CHECK(fabs((double)view.ax[i]) < 1e-3 && fabs((double)view.az[i]) < 1e-3, "%s, %dD: pushed",
                      kernel->name, dimensions);
            }
            free(block.x);
            mote_fluid_destroy(fluid);
        }
    CHECK(served == 12, "%zu of kernels times dimensions serve", served);
}

// What shifts carry (Sun et al. 2019): rates of density, and accelerations.
static void carried_at(const oracle *o, double u[][3], size_t i, double *rate, double a[3])
{
    const mote_fluid_view *view = o->view;
    double vi[3];
    velocity_of(view, i, vi);
    *rate = a[0] = a[1] = a[2] = 0;
    for (size_t j = 0; j < view->count; ++j) {
        double vj[3], pi[3], pj[3], d[3], now = 0, then = 0, apart = 0;
        velocity_of(view, j, vj);
        place_of(view, i, pi);
        place_of(view, j, pj);
        difference(o, pi, pj, d);
        const double volume = o->phase.rest_density * pow(o->def.spacing, o->def.dimensions) / (double)view->density[j];
        const double g = slope_over_r(&o->def, sqrt(squared_length(d))) * volume;
        for (int k = 0; k < 3; ++k) {
            now += u[j][k] * d[k], then += u[i][k] * d[k];
            apart += (u[j][k] - u[i][k]) * d[k];
        }
        *rate += g * (now + then - apart);
        for (int k = 0; k < 3; ++k) a[k] += g * (vj[k] * now + vi[k] * then - vi[k] * apart);
    }
}

// A fluid after a step that is so short that particles stay, with and without what shifts carry. In its middle there
// are particles that reach none of its surface, and are shifted.
static mote_fluid *carrying(bool is_consistent, int dimensions, oracle *o, mote_fluid_view *view, double u[][3])
{
    mote_fluid_def def = def_of(dimensions, 0.1);
    def.shifting = MOTE_SHIFTING_FREE_SURFACE;
    def.consistent_shifting = is_consistent;
    mote_fluid *fluid = make_fluid(NULL, &def);
    cloud block = block_of(dimensions, dimensions == 3 ? 11 : 16, def.spacing, 0.3);
    CHECK_OK(mote_fluid_add(fluid, 0, block.x, block.v, block.count, NULL));
    CHECK_OK(mote_fluid_advance(fluid, 1e-7, NULL, NULL, NULL));
    CHECK_OK(mote_fluid_get_view(fluid, view, NULL));  // now there is a greatest speed, and so shifts
    for (size_t i = 0; i < view->count; ++i)
        for (int k = 0; k < 3; ++k) u[i][k] = (double)array_of(fluid, "shift", k)[i];
    CHECK_OK(mote_fluid_advance(fluid, 1e-7, NULL, NULL, NULL));
    CHECK_OK(mote_fluid_get_view(fluid, view, NULL));
    *o = (oracle){.def = mote_fluid_resolved_def(fluid), .phase = mote_fluid_resolved_phase(fluid, 0), .view = view};
    free(block.x);
    return fluid;
}

static void consistent_shifting_equals_all_pairs(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions) {
        static double shifts[11 * 11 * 11][3];
        oracle o;
        mote_fluid_view with, without;
        mote_fluid *plain = carrying(false, dimensions, &o, &without, shifts);
        mote_fluid *fluid = carrying(true, dimensions, &o, &with, shifts);
        const float *rates[2] = {array_of(plain, "rate", 0), array_of(fluid, "rate", 0)};
        double worst[2] = {0, 0}, largest[2] = {0, 0};
        for (size_t i = 0; i < with.count; ++i) {
            double rate, a[3];
            CHECK(with.id[i] == without.id[i], "other orders");
            carried_at(&o, shifts, i, &rate, a);
            largest[0] = fmax(largest[0], fabs(rate)), largest[1] = fmax(largest[1], fabs(a[0]));
            worst[0] = fmax(worst[0], fabs((double)rates[1][i] - (double)rates[0][i] - rate));
            worst[1] = fmax(worst[1], fabs((double)with.ax[i] - (double)without.ax[i] - a[0]));
            worst[1] = fmax(worst[1], fabs((double)with.az[i] - (double)without.az[i] - a[2]));
        }
        for (int k = 0; k < 2; ++k)
            CHECK(largest[k] > 0 && worst[k] < 1e-3 * largest[k], "%dD: %s up to %g are off by %g", dimensions,
                  k ? "accelerations" : "rates", largest[k], worst[k]);
        mote_fluid_destroy(plain);
        mote_fluid_destroy(fluid);
    }
}

// Particles of a free surface are not shifted, nor are those that reach one; the others are.
static void surfaces_are_not_shifted(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions) {
        static double shifts[11 * 11 * 11][3];
        oracle o;
        mote_fluid_view view;
        mote_fluid *fluid = carrying(false, dimensions, &o, &view, shifts);
        const float *surface = array_of(fluid, "surface", 0);
        size_t shifted = 0, kept = 0;
        for (size_t i = 0; i < view.count; ++i) {
            double at[3], other[3], d[3], squared = 0;
            bool is_near = false;
            place_of(&view, i, at);
            for (size_t j = 0; j < view.count; ++j) {
                place_of(&view, j, other);
                difference(&o, at, other, d);
                is_near = is_near || (surface[j] <= 0.75f && squared_length(d) < o.def.support * o.def.support);
            }
            for (int k = 0; k < 3; ++k) squared += pow((double)array_of(fluid, "shift", k)[i], 2);
            CHECK((squared == 0) == is_near, "%dD: particle %zu, %g: shifted by %g m/s", dimensions, i,
                  (double)surface[i], sqrt(squared));
            kept += is_near, shifted += !is_near;
        }
        CHECK(shifted > 0 && kept > 0, "%dD: %zu shifted, %zu not", dimensions, shifted, kept);
        mote_fluid_destroy(fluid);
    }
}

// Without shifts, of water at rest, nothing is carried; masses stay as they are in any case.
static void nothing_is_carried_at_rest(void **state)
{
    (void)state;
    double sums[2] = {0, 0};
    for (int k = 0; k < 2; ++k) {
        mote_fluid_def def = def_of(2, 0.1);
        def.shifting = MOTE_SHIFTING_FREE_SURFACE;
        def.consistent_shifting = k == 1;
        mote_fluid *fluid = make_fluid(NULL, &def);
        cloud block = block_of(2, 12, 0.1, 0.2);
        CHECK_OK(mote_fluid_add(fluid, 0, block.x, NULL, block.count, NULL));
        for (int step = 0; step < 5; ++step) CHECK_OK(mote_fluid_advance(fluid, 1e-4, NULL, NULL, NULL));
        mote_fluid_view view;
        mote_fluid_totals totals;
        CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
        CHECK_OK(mote_fluid_get_totals(fluid, &totals, NULL));
        CHECK(fabs(totals.mass / (1000 * 1.44) - 1) < 1e-12, "mass %g", totals.mass);
        for (size_t i = 0; i < view.count; ++i) sums[k] += view.x[i] + 3 * view.z[i] + (double)view.density[i];
        free(block.x);
        mote_fluid_destroy(fluid);
    }
    CHECK(sums[0] == sums[1], "%.17g, %.17g", sums[0], sums[1]);
    mote_fluid_def def = def_of(2, 0.1);
    def.shifting = MOTE_SHIFTING_TRANSPORT, def.consistent_shifting = true;
    mote_fluid *fluid;
    mote_error error;
    CHECK(mote_fluid_create(NULL, &def, &fluid, &error) == MOTE_ERROR_ARGUMENT, "accepted");
    CHECK(strstr(error.text, "consistent_shifting is true"), "%s", error.text);
}

static void smoothing_equals_all_pairs(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions) {
        mote_fluid_def def = def_of(dimensions, 0.1);
        def.xsph = 0.4;
        oracle o;
        mote_fluid *fluid = particles_with_pressures(&def, dimensions == 3 ? 8 : 16, true, &o);
        mote_fluid_view view;
        CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
        o.view = &view;
        const double mass = liquid.rest_density * pow(def.spacing, dimensions);
        double largest = 0, worst = 0;
        for (int k = 0; k < 3; ++k) {
            const float *shift = array_of(fluid, "shift", k), *v = k == 0 ? view.vx : k == 1 ? view.vy : view.vz;
            for (size_t i = 0; i < view.count; ++i) {
                double sum = 0, d[3];
                for (size_t j = 0; j < view.count; ++j) {
                    (void)pair_of(&o, i, j, d);
                    sum += mass / (double)view.density[j] * value_of(&o.def, sqrt(squared_length(d))) *
                           ((double)v[j] - (double)v[i]);
                }
                largest = fmax(largest, fabs(0.4 * sum));
                worst = fmax(worst, fabs(0.4 * sum - (double)shift[i]));
            }
        }
        CHECK(worst < 1e-5 * largest, "%dD: velocities up to %g are off by %g", dimensions, largest, worst);
        // Particles move with it.
        const double from = view.x[0], along = (double)view.vx[0] + (double)array_of(fluid, "shift", 0)[0];
        const uint64_t id = view.id[0];
        CHECK_OK(mote_fluid_advance(fluid, 1e-6, NULL, NULL, NULL));
        CHECK_OK(mote_fluid_get_view(fluid, &view, NULL));
        size_t at = 0;
        while (view.id[at] != id) ++at;
        CHECK(fabs((view.x[at] - from) / 1e-6 - along) < 0.01, "moves at %g, expected %g", (view.x[at] - from) / 1e-6,
              along);
        mote_fluid_destroy(fluid);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_equal_all_pairs),
        cmocka_unit_test(diffusion_equals_all_pairs),
        cmocka_unit_test(linear_densities_stay),
        cmocka_unit_test(every_kernel_serves_or_is_refused),
        cmocka_unit_test(consistent_shifting_equals_all_pairs),
        cmocka_unit_test(surfaces_are_not_shifted),
        cmocka_unit_test(nothing_is_carried_at_rest),
        cmocka_unit_test(smoothing_equals_all_pairs),
    };
    RUN_TESTS(tests, argc, argv);
}
