// A particle that moves near a solid: it keeps a margin from the surface, slides, bounces and is braked by friction.
//
// The motion is walked in pieces that are shorter than the particle's clearance, its distance from the surface: no
// piece can cross it. Where the margin allows, a piece is as long as the clearance beyond it; else half the margin, or
// half the clearance if that is less. A particle that has come nearer than the margin is moved along the gradient of
// the distance until it is not; in a concave corner that takes several turns. Such a correction is never longer than
// the clearance either, so that it reaches no other sheet of the surface.

#include "hits/internal.h"

// Corrections at one place; pieces of one motion. Beyond them the particle stops: its motion is dropped, not its side.
enum { MAX_CORRECTIONS = 16, MAX_PIECES = 4096 };

typedef struct slide_walk {
    const mote_hits *hits;
    const mote_slide *slide;
    mote_vec3 position, velocity;
    mote_vec3 rest;    // of the motion
    double clearance;  // signed; a lower bound where the surface is out of reach
} slide_walk;

// Distance from the box, a lower bound for that from the mesh.
static double distance_to_box(mote_box box, mote_vec3 p)
{
    mote_vec3 zero = {0, 0, 0};
    mote_vec3 below = mote_vec3_max(mote_vec3_sub(box.min, p), zero),
              above = mote_vec3_max(mote_vec3_sub(p, box.max), zero);
    return mote_vec3_length_of_any(mote_vec3_max(below, above));
}

static bool look_around(const mote_hits *hits, mote_vec3 position, double *clearance, mote_closest *closest)
{
    if (mote_hits_find_closest(hits, position, hits->reach, closest)) {
        *clearance = closest->distance;
        return true;
    }
    double away = distance_to_box(hits->box, position);
    *clearance = MOTE_MAX(away, hits->reach);
    return false;
}

// Takes the part against the normal from velocity and rest of the motion but for the restitution, and brakes what is
// tangential by Coulomb's law for the impulse.
static void collide(slide_walk *walk, mote_vec3 normal)
{
    const double inward = mote_vec3_dot(walk->velocity, normal), restitution = walk->slide->restitution;
    double keeps = 1;
    if (inward < 0) {
        const mote_vec3 along = mote_vec3_add_scaled(walk->velocity, normal, -inward);
        keeps = mote_friction_keeps(along, inward, restitution, walk->slide->friction);
        walk->velocity = mote_vec3_bounce(along, normal, inward, restitution, keeps);
    }
    const double advance = mote_vec3_dot(walk->rest, normal);
    if (advance < 0) {
        const mote_vec3 along = mote_vec3_add_scaled(walk->rest, normal, -advance);
        walk->rest = mote_vec3_bounce(along, normal, advance, restitution, keeps);
    }
}

// Moves the particle to `to`, or from there along the gradient until its clearance is `target`. If that cannot be done
// it stays where it was.
static bool settle(slide_walk *walk, mote_vec3 to, double target)
{
    const mote_vec3 velocity = walk->velocity, rest = walk->rest;
    const bool from_outside = walk->clearance > 0;
    for (int k = 0; k < MAX_CORRECTIONS; ++k) {
        mote_closest closest;
        double clearance;
        look_around(walk->hits, to, &clearance, &closest);
        if (clearance >= target * (1 - 0x1p-30)) {
            walk->position = to;
            walk->clearance = clearance;
            return true;
        }
        if (from_outside && clearance <= 0) break;
        double push = target - clearance;
        if (from_outside) push = MOTE_MIN(push, clearance);
        collide(walk, closest.normal);
        to = mote_vec3_add_scaled(to, closest.normal, push);
    }
    walk->velocity = velocity;
    walk->rest = rest;
    return false;
}

// One piece of the motion; false when the particle cannot go on.
static bool advance(slide_walk *walk)
{
    const double margin = walk->slide->margin, length = mote_vec3_length_of_any(walk->rest);
    double target = MOTE_MIN(walk->clearance, margin), piece = walk->clearance - margin;
    piece = MOTE_MAX(piece, target / 2);
    if (!(piece > 0)) return false;
    double share = piece < length ? piece / length : 1;
    mote_vec3 to = mote_vec3_add_scaled(walk->position, walk->rest, share);
    walk->rest = mote_vec3_scale(walk->rest, 1 - share);
    return settle(walk, to, target);
}

static bool is_finite(mote_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

// All lengths are scaled.
static void slide_along(const mote_hits *hits, const mote_slide *slide, mote_vec3 from, mote_vec3 *position,
                        mote_vec3 *velocity)
{
    slide_walk walk = {hits, slide, from, *velocity, mote_vec3_sub(*position, from), 0};
    mote_closest closest;
    // Most particles come no nearer than the margin: they are let go by the cheapest question that tells. The factor is
    // for what rounding does to lengths and clearances.
    double concern = (slide->margin + mote_vec3_length_of_any(walk.rest)) * (1 + 0x1p-40);
    if (concern <= hits->reach && !mote_hits_find_closest(hits, from, concern, &closest)) return;
    bool near = look_around(hits, from, &walk.clearance, &closest);
    if (concern <= walk.clearance) return;

    if (near && walk.clearance < slide->margin) settle(&walk, from, slide->margin);
    bool moving = walk.clearance > 0;
    for (int piece = 0; moving && mote_vec3_dot(walk.rest, walk.rest) > 0; ++piece)
        moving = piece < MAX_PIECES && advance(&walk);
    *position = walk.position;
    *velocity = moving ? walk.velocity : mote_vec3_make(0, 0, 0);
}

void mote_hits_slide(const mote_hits *hits, const mote_slide *slide, mote_vec3 from, mote_vec3 *position,
                     mote_vec3 *velocity)
{
    if (!hits || !slide || !position || !velocity) return;
    if (!is_finite(from) || !is_finite(*position) || !is_finite(*velocity)) return;
    mote_slide scaled = *slide;
    scaled.margin *= hits->scale;
    MOTE_ASSERT(scaled.margin > 0 && scaled.margin <= hits->reach);
    mote_vec3 to = mote_vec3_scale(*position, hits->scale);
    const mote_vec3 wish = to;
    from = mote_vec3_scale(from, hits->scale);
    if (!is_finite(from) || !is_finite(to)) return;
    slide_along(hits, &scaled, from, &to, velocity);
    if (to.x != wish.x || to.y != wish.y || to.z != wish.z) *position = mote_vec3_scale(to, 1 / hits->scale);
}
