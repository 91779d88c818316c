// SPDX-License-Identifier: MIT
// Walls that are fields (wall_field.c), for the weakly compressible solver. At a place the nodes have, of a body that
// continues the lattice of the fluid,
//
//     L = Σ V ∇W    and    F = Σ V W/α
//
// integrated over its true shape. n = L/|L| points into the body, and F says how far away it is: the other sums are
// those of a flat wall with the same F. Wall particles would have a pressure that is continued from the fluid (Adami et
// al. 2012), p + ρ (g − a)·(x − xi) at x, with the acceleration a of the wall. With S = Σ V ∇W⊗dx that makes
//
//     dvi/dt = −1/ρi ((Pi + p) L + S ρ (g − a))
//
// where p is the particle's own pressure, not below 0 in fluids with a free surface. Walls are rigid: neighbours that
// turn with them come no closer, so that the rate of density is −L·(u − vi), u the velocity that the wall has at the
// particle. Velocities of fluid go on in the wall, linearly across its surface (Morris et al. 1997): with the distance
// z of the particle from it, vj − vi = (u − vi) n·dx/z.
//
// A body that moves takes its field along: places are looked up where they are in the body at home.

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "fluid/field_near.h"
#include "fluid/internal.h"
#include "fluid/wall_field.h"

// Of F at a flat wall: where there is less, nothing is there. Numbers fade out to denormal ones, whose reciprocals and
// quotients would be no numbers.
static const float least_share = 1e-20F;

static const double least_distance = 0.4;  // that friction sees, in spacings: what is nearer would be too stiff

// In an inner edge there is more than a flat wall has: sums grow with it, and ratios stay.
static float on_curve(const weak_field_curves *curves, weak_field_curve which, float share)
{
    const float value = field_on_curve(curves->at[which], share);
    return which < WEAK_CROWDING ? value * MOTE_MAX(share, 1) : value;
}

// -------------------------------------------------------------------------------------------------------- at a place

// Adds what the nodes have at a place at home, and at its images in a periodic box.
static void add_images(const mote_fluid *fluid, const wall_field *field, mote_vec3 home, float sums[FIELD_NUMBERS])
{
    const mote_period_def *period = &fluid->period;
    const bool is_periodic[3] = {period->x, period->y, period->z};
    const double *low = &field->reached.min.x, *high = &field->reached.max.x;
    const double *from = &period->min.x, *to = &period->max.x;
    double at[3] = {home.x, home.y, home.z};
    if (!mote_fluid_is_periodic(fluid)) {
        if (mote_box_contains(field->reached, home)) mote_field_find(field, home, sums);
        return;
    }
    // From the first image within reach. A body may have gone round a narrow box more often than an int counts.
    int last[3] = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        if (!is_periodic[k]) continue;
        const double width = to[k] - from[k];
        at[k] += ceil((low[k] - at[k]) / width) * width;
        last[k] = (int)floor((high[k] - at[k]) / width);  // -1: none is; at most the body's width over the period's
    }
    for (int z = 0; z <= last[2]; ++z)
        for (int y = 0; y <= last[1]; ++y)
            for (int x = 0; x <= last[0]; ++x) {
                float values[FIELD_NUMBERS];
                const mote_vec3 image = {at[0] + (x ? x * (to[0] - from[0]) : 0),
                                         at[1] + (y ? y * (to[1] - from[1]) : 0),
                                         at[2] + (z ? z * (to[2] - from[2]) : 0)};
                if (!mote_box_contains(field->reached, image) || !mote_field_find(field, image, values)) continue;
                for (int c = 0; c < FIELD_NUMBERS; ++c) sums[c] += values[c];
            }
}

static mote_vec3 mean(mote_vec3 a, mote_vec3 b)
{
    return mote_vec3_scale(mote_vec3_add(a, b), 0.5);
}

// Where a place is in a body that moves, now or in the middle of the last step, and the velocity of the wall there: now
// with that of its belt, in the middle without (belt_of says why).
static mote_vec3 find_home(const fluid_boundary_motion *motion, bool is_middle, weak_field_point *found)
{
    const mote_vec3 home = mote_rigid_to_home(&motion->pose, found->at);
    if (!is_middle) {
        found->velocity = mote_vec3_add(found->velocity, mote_rigid_velocity(&motion->now, found->at));
        return home;
    }
    const mote_vec3 middle = mean(home, mote_rigid_to_home(&motion->before, found->at));
    const mote_vec3 way =
        mote_vec3_sub(mote_rigid_from_home(&motion->pose, middle), mote_rigid_from_home(&motion->before, middle));
    if (motion->step > 0) found->velocity = mote_vec3_add(found->velocity, mote_vec3_scale(way, 1 / motion->step));
    return middle;
}

// Whether a body that neither moves nor has images is too far away from a place: the usual case, and soon told.
MOTE_INLINE bool is_far(const mote_fluid *fluid, const wall_field *field, const fluid_boundary_motion *motion,
                        mote_vec3 at)
{
    return !motion->moves && !mote_fluid_is_periodic(fluid) && !mote_box_contains(field->reached, at);
}

// What follows from the sums of a body's nodes at a place: all but where that is and how fast the wall moves there.
MOTE_INLINE bool find_sums(const mote_fluid *fluid, const wall_field *field, const float sums[FIELD_NUMBERS],
                           weak_field_point *found)
{
    const weak_field_curves *curves = fluid->field_curves.data;
    const mote_boundary_def *def = (const mote_boundary_def *)fluid->boundaries.data + field->boundary;
    found->share = sums[3] / (float)curves->full;
    if (!(found->share > least_share)) return false;
    found->boundary = field->boundary, found->slip = def->slip;
    found->filling = sums[3];
    const double x = (double)sums[0], y = (double)sums[1], z = (double)sums[2];
    found->size = (float)sqrt(x * x + y * y + z * z);  // as mote_field_length
    if (found->size < FLT_MIN) found->size = 0;        // where what is around cancels out
    for (int c = 0; c < 3; ++c) found->lean[c] = sums[c];
    return true;
}

MOTE_INLINE void find_normal(weak_field_point *found)
{
    const float inverse = found->size > 0 ? 1 / found->size : 0;
    for (int c = 0; c < 3; ++c) found->normal[c] = found->lean[c] * inverse;
}

// How fast a wall at rest runs along itself. That matters for friction, not for rates of density in the middle of a
// step, as nothing comes closer: at the ends of a belt, where L is not across it, it would press the fluid together.
static mote_vec3 belt_of(const mote_fluid *fluid, const wall_field *field, bool is_middle)
{
    if (is_middle) return (mote_vec3){0, 0, 0};
    return ((const mote_boundary_def *)fluid->boundaries.data)[field->boundary].velocity;
}

// Where what the nodes of a body that rests have was looked up.
MOTE_INLINE bool find_known_point(const mote_fluid *fluid, uint32_t number, bool is_middle, const float *known,
                                  weak_field_point *found)
{
    const wall_field *field = (const wall_field *)fluid->fields.data + number;
    if (!find_sums(fluid, field, known, found)) return false;
    found->velocity = belt_of(fluid, field, is_middle);
    find_normal(found);
    return true;
}

static bool find_point(const mote_fluid *fluid, uint32_t number, mote_vec3 at, bool is_middle, weak_field_point *found)
{
    const wall_field *field = (const wall_field *)fluid->fields.data + number;
    const fluid_boundary_motion *motion = mote_fluid_motion_of(fluid, field->boundary);
    if (is_far(fluid, field, motion, at)) return false;
    found->at = at, found->velocity = belt_of(fluid, field, is_middle);
    const mote_vec3 home = motion->moves ? find_home(motion, is_middle, found) : at;
    float sums[FIELD_NUMBERS] = {0};
    add_images(fluid, field, home, sums);
    if (!find_sums(fluid, field, sums, found)) return false;
    if (motion->pose.turns || motion->before.turns) {
        mote_vec3 lean = mote_vec3_make((double)sums[0], (double)sums[1], (double)sums[2]);
        const mote_vec3 now = mote_rigid_rotate(&motion->pose, lean);
        lean = is_middle ? mean(now, mote_rigid_rotate(&motion->before, lean)) : now;
        found->lean[0] = (float)lean.x, found->lean[1] = (float)lean.y, found->lean[2] = (float)lean.z;
    }
    find_normal(found);
    return true;
}

void mote_weak_find_fields_at(const mote_fluid *fluid, const fluid_place *own, weak_fields_here *here)
{
    const mote_vec3 at = mote_field_place(fluid, own);
    here->count = here->next = 0;
    for (; here->next < fluid->field_count && here->count < WEAK_FIELDS_AT_ONCE; ++here->next)
        here->count += find_point(fluid, here->next, at, false, &here->of[here->count]);
}

void mote_weak_find_fields(const mote_fluid *fluid, uint32_t i, weak_fields_here *here)
{
    const fluid_place *own = (const fluid_place *)fluid->weak.places.data + i;
    const float *known = mote_field_known(fluid, i, FIELD_NOW);
    if (!known) {
        mote_weak_find_fields_at(fluid, own, here);
        return;
    }
    here->count = here->next = 0;
    for (; here->next < fluid->field_count && here->count < WEAK_FIELDS_AT_ONCE; ++here->next) {
        weak_field_point *found = &here->of[here->count];
        found->at = mote_field_place(fluid, own);
        here->count += find_known_point(fluid, here->next, false, known + here->next * FIELD_STRIDE, found);
    }
}

// (across n⊗n + along (1 − n⊗n)) v
static void multiply(const weak_field_point *found, float across, float along, const float v[3], float result[3])
{
    const float *n = found->normal, part = (across - along) * ((n[0] * v[0] + n[1] * v[1]) + n[2] * v[2]);
    for (int c = 0; c < 3; ++c) result[c] = along * v[c] + part * n[c];
}

// -------------------------------------------------------------------------------------------------------- the sums

// What the velocity of the wall has over that of the particle, by the distance of the wall [1/s].
static void find_slopes_of_velocity(const mote_fluid *fluid, const weak_self *self, const weak_field_point *found,
                                    float against[3])
{
    const float least = (float)(least_distance * fluid->def.spacing);
    const float near = 1 / MOTE_MAX(on_curve(fluid->field_curves.data, WEAK_DISTANCE, found->share), least);
    against[0] = ((float)found->velocity.x - self->motion.x) * near;
    against[1] = ((float)found->velocity.y - self->motion.y) * near;
    against[2] = ((float)found->velocity.z - self->motion.z) * near;
}

MOTE_INLINE void add_rates(const weak_field_curves *curves, const weak_field_point *found, const weak_self *self,
                           weak_detail detail, weak_rates *sums)
{
    const float *n = found->normal;
    const float away[3] = {(float)found->velocity.x - self->motion.x, (float)found->velocity.y - self->motion.y,
                           (float)found->velocity.z - self->motion.z};
    sums->compression -= (found->lean[0] * away[0] + found->lean[1] * away[1]) + found->lean[2] * away[2];
    if (detail == WEAK_PLAIN) return;
    if (detail == WEAK_LEAN) {
        for (int c = 0; c < 3; ++c) sums->lean[c] += found->lean[c];
        sums->filling += found->filling;
        return;
    }
    const float along = on_curve(curves, WEAK_ALONG, found->share);
    const float more = on_curve(curves, WEAK_ACROSS, found->share) - along;
    const float crowding = on_curve(curves, WEAK_CROWDING, found->share);
    for (int c = 0; c < 3; ++c) {
        sums->spread[c] += along + more * n[c] * n[c];
        sums->spread[3 + c] += more * n[(c + 1) % 3] * n[(c + 2) % 3];
        sums->crowding[c] += crowding * found->lean[c];
    }
}

void mote_weak_add_field_rates(const mote_fluid *fluid, uint32_t i, const weak_self *self, weak_detail detail,
                               weak_rates *sums)
{
    const float *known = mote_field_known(fluid, i, FIELD_MIDDLE);
    for (uint32_t k = 0; k < fluid->field_count; ++k) {
        weak_field_point found;
        if (known ? find_known_point(fluid, k, true, known + k * FIELD_STRIDE, &found)
                  : find_point(fluid, k, mote_field_place(fluid, &self->place), true, &found))
            add_rates(fluid->field_curves.data, &found, self, detail, sums);
    }
}

// Friction sees the velocity of a wall continued linearly behind its surface: (n·dx) times `against`.
void mote_weak_add_field_gradients(const mote_fluid *fluid, const weak_self *self, weak_gradients *sums)
{
    const weak_field_curves *curves = fluid->field_curves.data;
    weak_field_point found;
    for (uint32_t k = 0; k < fluid->field_count; ++k) {
        if (!find_point(fluid, k, mote_field_place(fluid, &self->place), false, &found) || found.slip) continue;
        const float *n = found.normal, along = on_curve(curves, WEAK_ALONG, found.share);
        const float across = on_curve(curves, WEAK_ACROSS, found.share);
        float against[3];
        find_slopes_of_velocity(fluid, self, &found, against);
        for (int c = 0; c < 3; ++c) {
            for (int b = 0; b < 3; ++b) sums->velocity[3 * c + b] += against[c] * across * n[b];
            sums->spread[c] += along + (across - along) * n[c] * n[c];
            sums->spread[3 + c] += (across - along) * n[(c + 1) % 3] * n[(c + 2) % 3];
        }
    }
}

void mote_weak_add_field_lean(const mote_fluid *fluid, uint32_t number, const fluid_place *own, float lean[3])
{
    weak_field_point found;
    if (!find_point(fluid, number, mote_field_place(fluid, own), false, &found)) return;
    for (int c = 0; c < 3; ++c) lean[c] += found.lean[c];
}

void mote_weak_add_field_leans(const mote_fluid *fluid, const fluid_place *own, const weak_fields_here *here,
                               float lean[3])
{
    for (uint32_t k = 0; k < here->count; ++k)
        for (int c = 0; c < 3; ++c) lean[c] += here->of[k].lean[c];
    for (uint32_t k = here->next; k < fluid->field_count; ++k) mote_weak_add_field_lean(fluid, k, own, lean);
}

float mote_weak_field_filling(const mote_fluid *fluid, const fluid_place *own)
{
    weak_field_point found;
    float filling = 0;
    for (uint32_t k = 0; k < fluid->field_count; ++k)
        if (find_point(fluid, k, mote_field_place(fluid, own), false, &found)) filling += found.filling;
    return filling;
}

// The acceleration of a particle by a body: by pressure, and by friction.
static void accelerate(const mote_fluid *fluid, uint32_t i, const weak_self *self, const weak_field_point *found,
                       float push[3], float drag[3])
{
    const weak_field_curves *curves = fluid->field_curves.data;
    const fluid_phase *of = mote_fluid_phase_of(fluid, i);
    const float own = ((const fluid_motion *)fluid->weak.motions.data)[i].scalar, share = found->share;
    const float density = mote_fluid_floats(fluid, FLUID_DENSITY)[i], inverse = 1 / density;
    const bool may_pull = fluid->def.shifting == MOTE_SHIFTING_TRANSPORT;
    const fluid_boundary_motion *motion = mote_fluid_motion_of(fluid, found->boundary);
    mote_vec3 g = fluid->def.gravity;
    if (motion->moves) g = mote_vec3_sub(g, mote_rigid_acceleration(&motion->now, found->at));
    const float slope[3] = {density * (float)g.x, density * (float)g.y, density * (float)g.z};
    const float both = self->motion.scalar + (may_pull ? own : MOTE_MAX(own, 0));
    multiply(found, on_curve(curves, WEAK_ACROSS, share), on_curve(curves, WEAK_ALONG, share), slope, push);
    for (int c = 0; c < 3; ++c) push[c] = -inverse * (both * found->lean[c] + push[c]), drag[c] = 0;
    const float central = (float)mote_weak_central_at_walls(fluid, i);
    if (found->slip || !(central > 0 || of->drag > 0)) return;
    float against[3];
    find_slopes_of_velocity(fluid, self, found, against);
    const float rest = (float)of->def.rest_density * inverse;
    multiply(found, on_curve(curves, WEAK_STIFF_ACROSS, share), on_curve(curves, WEAK_STIFF_ALONG, share), against,
             drag);
    for (int c = 0; c < 3; ++c)
        drag[c] = rest * (central * drag[c] + (float)of->drag * found->size * against[c]);
}

static void add_force(const mote_fluid *fluid, uint32_t i, const weak_self *self, const weak_field_point *found,
                      float a[3])
{
    float push[3], drag[3];
    accelerate(fluid, i, self, found, push, drag);
    for (int c = 0; c < 3; ++c) a[c] += push[c] + drag[c];
}

void mote_weak_add_field_forces(const mote_fluid *fluid, uint32_t i, const weak_self *self,
                                const weak_fields_here *here, float a[3])
{
    weak_field_point found;
    for (uint32_t k = 0; k < here->count; ++k) add_force(fluid, i, self, &here->of[k], a);
    for (uint32_t k = here->next; k < fluid->field_count; ++k)
        if (find_point(fluid, k, mote_field_place(fluid, &self->place), false, &found))
            add_force(fluid, i, self, &found, a);
}

// Pressure acts along lines through the particle, friction as deep in the wall as it comes from.
void mote_weak_add_field_reactions(const mote_fluid *fluid, uint32_t i, const weak_self *self, double *sums)
{
    const weak_field_curves *curves = fluid->field_curves.data;
    const double mass = mote_fluid_phase_of(fluid, i)->mass;
    const mote_vec3 place = mote_field_place(fluid, &self->place);
    for (uint32_t k = 0; k < fluid->field_count; ++k) {
        weak_field_point found;
        float push[3], drag[3];
        if (!find_point(fluid, k, place, false, &found)) continue;
        accelerate(fluid, i, self, &found, push, drag);
        const float depth = found.size > 0 ? on_curve(curves, WEAK_ACROSS, found.share) / found.size : 0;
        const double at[3] = {found.at.x, found.at.y, found.at.z};
        double force[3], friction[3], there[3];
        for (int c = 0; c < 3; ++c) {
            const bool is_out = fluid->def.dimensions == 2 && c == 1;
            force[c] = is_out ? 0 : -mass * (double)push[c], friction[c] = is_out ? 0 : -mass * (double)drag[c];
            there[c] = at[c] + (double)(depth * found.normal[c]);
        }
        mote_fluid_add_reaction_at(found.boundary, at, force, sums);
        mote_fluid_add_reaction_at(found.boundary, there, friction, sums);
    }
}
