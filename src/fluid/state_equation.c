// SPDX-License-Identifier: MIT
// Pressure from density: Tait's equation or the ideal gas (Onderik & Ďurikovič 2008, eq. 7), and the way back.
//
// The excess δ = ρ/ρ0 − 1 is what solvers carry: in single precision ρ itself has a last bit of 6e-5 kg/m³, which at
// c = 30 m/s is 0.05 Pa of noise.

#include "base/elementary.h"
#include "fluid/internal.h"

void mote_fluid_set_excess(mote_fluid *fluid, size_t i, double excess)
{
    mote_fluid_floats(fluid, FLUID_EXCESS)[i] = (float)excess;
    mote_fluid_floats(fluid, FLUID_DENSITY)[i] =
        (float)(mote_fluid_phase_of(fluid, i)->def.rest_density * (1 + excess));
}

double mote_fluid_power_less_one(double ratio, double exponent)
{
    const double q = ratio, q2 = q * q;
    return (exponent == 7 ? q2 * q2 * q2 * q : mote_pow(q, exponent)) - 1;
}

// (1 + δ)^7 − 1 = δ (7 + δ (21 + δ (35 + δ (35 + δ (21 + δ (7 + δ)))))): without the cancellation of 1.
double mote_fluid_pressure_at(const mote_fluid *fluid, const mote_phase_def *phase, double excess)
{
    const double e = excess, stiffness = phase->rest_density * phase->sound_speed * phase->sound_speed;
    double pressure = stiffness * e;
    if (!mote_fluid_is_linear(&fluid->def, phase) && phase->gamma != 7)
        pressure = stiffness / phase->gamma * mote_fluid_power_less_one(1 + e, phase->gamma);
    else if (!mote_fluid_is_linear(&fluid->def, phase))
        pressure = stiffness / 7 * e * (7 + e * (21 + e * (35 + e * (35 + e * (21 + e * (7 + e))))));
    return pressure > 0 || fluid->def.negative_pressure ? pressure : 0;
}

double mote_fluid_excess_at(const mote_fluid *fluid, const mote_phase_def *phase, double pressure)
{
    const double share = pressure / (phase->rest_density * phase->sound_speed * phase->sound_speed);
    if (mote_fluid_is_linear(&fluid->def, phase)) return share;
    return mote_fluid_power_less_one(1 + phase->gamma * share, 1 / phase->gamma);
}

// ∫ dp/ρ = c² ((1 + δ)^(γ−1) − 1)/(γ − 1) with Tait's equation, and c² log(1 + δ) with the other.
double mote_fluid_enthalpy_at(const mote_fluid *fluid, const mote_phase_def *phase, double excess)
{
    const double e = excess;
    if (mote_fluid_is_linear(&fluid->def, phase)) return e * (1 + e * (-1.0 / 2 + e * (1.0 / 3 + e * (-1.0 / 4))));
    if (phase->gamma != 7) return mote_fluid_power_less_one(1 + e, phase->gamma - 1) / (phase->gamma - 1);
    return e * (1 + e * (5.0 / 2 + e * (10.0 / 3 + e * (5.0 / 2 + e * (1 + e / 6)))));
}
