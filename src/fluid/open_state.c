// SPDX-License-Identifier: MIT
// Velocity and pressure of particles in buffers: prescribed, or those of the fluid.
//
// What the fluid has is found at the mirrored place m of a particle x, as far in the fluid as that is outside. Value
// and gradient there are those of the linear function that fits the fluid's own particles around m best, weighted with
// V W: like the corrected sums of Liu & Liu 2006, which Tafuni et al. 2018 have, it is exact where f is linear,
// whatever the particles' places. The pressure is continued along a straight line (their eq. 15):
// p(x) = p(m) + ∇p·(x − m).
// The velocity is that of m: continued like the pressure it drives waves at an end whose pressure is prescribed, until
// water at rest is gone; and buffers move along the normal only, where a flow without divergence has no gradient.
//
// Where the pressure alone is prescribed, p, sound that comes from the fluid leaves by the relation along its way out:
// v(x) = v(m) + (p − p(x)) / (ρc), v along the normal into the fluid.
//
// Where too few are around for a gradient there is their mean; where there are none, a velocity stays and the pressure
// is that of a free surface.

#include <math.h>

#include "base/vector.h"
#include "fluid/internal.h"

static const double least_pivot = 0.01;  // of the sum of weights, in units of the support: no gradient below

size_t mote_fluid_mirror_count(const mote_fluid *fluid)
{
    return fluid->open.held;
}

static const open_end *end_of(const mote_fluid *fluid, size_t i)
{
    return fluid->open.ends[mote_fluid_opening_numbers(fluid)[i] - 1];
}

static mote_vec3 place_of(const mote_fluid *fluid, size_t i)
{
    return mote_vec3_make(mote_fluid_doubles(fluid, FLUID_X)[i], mote_fluid_doubles(fluid, FLUID_Y)[i],
                          mote_fluid_doubles(fluid, FLUID_Z)[i]);
}

mote_result mote_fluid_place_mirrors(mote_fluid *fluid)
{
    open_ends *open = &fluid->open;
    const size_t own = mote_fluid_own_count(fluid), held = open->held;
    if (held == 0) return MOTE_OK;
    const mote_result result =
        mote_buffer_reserve(fluid->context, &open->mirrors, mote_bytes(held, sizeof(fluid_place)), 0);
    fluid_place *mirrors = open->mirrors.data;
    for (size_t k = 0; k < held && result == MOTE_OK; ++k) {
        const open_face *face = &end_of(fluid, own + k)->face;
        const mote_vec3 at = place_of(fluid, own + k);
        const mote_vec3 mirrored = mote_vec3_add_scaled(at, face->normal, -2 * mote_open_face_place(face, at).in);
        mirrors[k] = mote_fluid_make_record(fluid, mirrored.x, mirrored.y, mirrored.z, 0);
    }
    return result;
}

// Sums for the best linear function: of weights times 1, x, y, z and their products, and of those with the two values.
typedef struct fit_sums {
    double matrix[4][4], values[2][4];
} fit_sums;

// The weight is that of Wendland's C2 kernel, whatever the fluid's is.
static fit_sums sum_around(const mote_fluid *fluid, const fluid_place *places, const fluid_place *mirror, fluid_row row,
                           mote_vec3 normal)
{
    const weak_image *images = fluid->weak.images.data;
    const size_t own = mote_fluid_own_count(fluid), all = fluid->particles.count;
    const double scale = 1 / fluid->def.support;
    fit_sums sums = {{{0}}, {{0}}};
    for (uint32_t k = 0; k < row.count; ++k) {
        const uint32_t j = row.indices[k];
        const size_t source = j < all ? j : images[j - all].source;
        if (source >= own) continue;
        const double at[4] = {1, (double)(places[j].x - mirror->x) * scale, (double)(places[j].y - mirror->y) * scale,
                              (double)(places[j].z - mirror->z) * scale};
        const double r = sqrt(at[1] * at[1] + at[2] * at[2] + at[3] * at[3]);
        const double left = MOTE_MAX(1 - r, 0);
        const double weight = (double)places[j].volume * (left * left) * (left * left) * (1 + 4 * r);
        const mote_vec3 v = {(double)mote_fluid_floats(fluid, FLUID_VX)[source],
                             (double)mote_fluid_floats(fluid, FLUID_VY)[source],
                             (double)mote_fluid_floats(fluid, FLUID_VZ)[source]};
        const double found[2] = {mote_vec3_dot(v, normal), (double)mote_fluid_floats(fluid, FLUID_PRESSURE)[source]};
        for (int a = 0; a < 4; ++a) {
            for (int b = 0; b < 4; ++b) sums.matrix[a][b] += weight * at[a] * at[b];
            for (int f = 0; f < 2; ++f) sums.values[f][a] += weight * at[a] * found[f];
        }
    }
    return sums;
}

// Solves for both values by elimination; the matrix is symmetric and positive. False if it is nearly singular.
static bool solve(fit_sums *sums, bool is_flat, double result[2][4])
{
    double(*m)[4] = sums->matrix;
    const double least = least_pivot * m[0][0];
    if (is_flat) m[2][2] = m[0][0];
    for (int k = 0; k < 4; ++k) {
        if (!(m[k][k] > (k == 0 ? 0 : least))) return false;
        for (int row = k + 1; row < 4; ++row) {
            const double factor = m[row][k] / m[k][k];
            for (int c = k; c < 4; ++c) m[row][c] -= factor * m[k][c];
            for (int f = 0; f < 2; ++f) sums->values[f][row] -= factor * sums->values[f][k];
        }
    }
    for (int f = 0; f < 2; ++f)
        for (int k = 3; k >= 0; --k) {
            double rest = sums->values[f][k];
            for (int c = k + 1; c < 4; ++c) rest -= m[k][c] * result[f][c];
            result[f][k] = rest / m[k][k];
        }
    return true;
}

// The velocity along the normal and the pressure that the fluid has outside, at x. False, and they are left alone,
// where there is none.
static bool extrapolate(const mote_fluid *fluid, const fluid_place *places, size_t i, fluid_row row, double *velocity,
                        double *pressure)
{
    const open_end *end = end_of(fluid, i);
    const fluid_place *mirror = (const fluid_place *)fluid->open.mirrors.data + (i - mote_fluid_own_count(fluid));
    fit_sums sums = sum_around(fluid, places, mirror, row, end->face.normal);
    const double weight = sums.matrix[0][0], mean[2] = {sums.values[0][0], sums.values[1][0]};
    if (!(weight > 0)) return false;
    const double way = 2 * mote_open_face_place(&end->face, place_of(fluid, i)).in / fluid->def.support;
    const double n[3] = {end->face.normal.x, end->face.normal.y, end->face.normal.z};
    double fit[2][4] = {{0}};
    if (!solve(&sums, fluid->def.dimensions == 2, fit)) {
        *velocity = mean[0] / weight;
        *pressure = mean[1] / weight;
        return true;
    }
    *velocity = fit[0][0];
    *pressure = fit[1][0] + way * (fit[1][1] * n[0] + fit[1][2] * n[1] + fit[1][3] * n[2]);
    return true;
}

static double prescribed_pressure(const mote_fluid *fluid, const open_end *end, mote_vec3 at, double r)
{
    const mote_opening *def = &end->def;
    const double base = def->pressure_at ? def->pressure_at(def->user_data, at, r) : def->pressure;
    const double level = mote_opening_level(def, at, r);
    if (isnan(level)) return base;
    const double below = -fluid->def.gravity.z * (level - at.z);
    return base + MOTE_MAX(fluid->phases[def->phase].def.rest_density * below, 0);
}

typedef struct hold_task {
    mote_fluid *fluid;
    const mote_lists *lists;
    const fluid_place *places;
} hold_task;

// ρc [kg/(m² s)].
static double impedance(const mote_fluid *fluid, size_t i)
{
    const mote_phase_def *phase = &mote_fluid_phase_of(fluid, i)->def;
    return phase->rest_density * phase->sound_speed;
}

static void hold(const hold_task *task, size_t i)
{
    mote_fluid *fluid = task->fluid;
    const open_end *end = end_of(fluid, i);
    const mote_opening *def = &end->def;
    const mote_vec3 at = place_of(fluid, i), n = end->face.normal;
    const open_place place = mote_open_face_place(&end->face, at);
    const double r = sqrt(place.across * place.across + (fluid->def.dimensions == 2 ? 0 : place.up * place.up));
    const mote_vec3 before = {(double)mote_fluid_floats(fluid, FLUID_VX)[i],
                              (double)mote_fluid_floats(fluid, FLUID_VY)[i],
                              (double)mote_fluid_floats(fluid, FLUID_VZ)[i]};
    double velocity = mote_vec3_dot(before, n), pressure = 0;
    bool is_found = false;
    if (!def->sets_velocity || !def->sets_pressure) {
        const fluid_row row = mote_fluid_row(task->lists, (uint32_t)(i - mote_fluid_own_count(fluid)));
        is_found = extrapolate(fluid, task->places, i, row, &velocity, &pressure);
    }
    if (def->sets_velocity) velocity = def->velocity_at ? def->velocity_at(def->user_data, at, r) : def->velocity;
    if (def->sets_pressure) {
        const double set = prescribed_pressure(fluid, end, at, r);
        if (is_found && !def->sets_velocity) velocity += (set - pressure) / impedance(fluid, i);
        pressure = set;
    }
    const double least = mote_fluid_least_pressure(fluid, &mote_fluid_phase_of(fluid, i)->def);
    if (pressure < least) pressure = least;  // and NaN stays
    const mote_vec3 v = mote_vec3_scale(n, velocity);
    mote_fluid_floats(fluid, FLUID_VX)[i] = (float)v.x;
    mote_fluid_floats(fluid, FLUID_VY)[i] = (float)v.y;
    mote_fluid_floats(fluid, FLUID_VZ)[i] = (float)v.z;
    mote_fluid_floats(fluid, FLUID_RATE)[i] = 0;
    mote_fluid_floats(fluid, FLUID_PRESSURE)[i] = (float)pressure;
    fluid->solver->hold(fluid, i, v, pressure);
}

static void hold_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const hold_task *task = data;
    const size_t own = mote_fluid_own_count(task->fluid);
    for (size_t i = own + begin; i < own + end; ++i) hold(task, i);
}

// A value that is not finite, of a profile, is found where it moves particles (step.c).
void mote_fluid_hold_buffers(mote_fluid *fluid, const mote_lists *of_mirrors, const fluid_place *places)
{
    hold_task task = {fluid, of_mirrors, places};
    mote_parallel_for(fluid->context, fluid->open.held, FLUID_BLOCK / 8, hold_block, &task);
}
