// SPDX-License-Identifier: MIT
// The boxes that moving bodies never leave, against points of bodies at many times: turns about the axes of the
// coordinates and about slanted ones, through the body and beside it, by expressions, numbers and tables, with shifts.

#include "simulation/tested.h"
#include "support/test.h"

enum { TIMES = SANITIZED ? 40 : 200, POINTS = 30, BOXES = SANITIZED ? 6 : 12 };

// How a body is moved.
typedef enum manner { BY_NOTHING, BY_TEXT, BY_NUMBER, BY_TABLE, WITH_SHIFT, MANNERS } manner;

static const double table[3 * MOTE_MOTION_COLUMNS] = {0, 0, 0, 0, 0, 0.5, 0, 0, 0, 200, 1, 0, 0, 0, 360};

static const mote_vec3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1},  {0, -3, 0},   {1, 1, 0},    {0, 1, -1},
                                 {2, 0, 1}, {1, 1, 1}, {1, -2, 3}, {1e-3, 1, 0}, {1, 1e-9, 0}, {-1, 20, 5}};

static mote_motion describe(manner how, mote_vec3 axis, mote_vec3 center)
{
    mote_motion motion = {.axis = axis, .center = center};
    if (how == BY_TEXT || how == WITH_SHIFT) motion.turn_text = "360*t";
    if (how == BY_NUMBER) motion.turn = 70;
    if (how == BY_TABLE) motion.table = table, motion.table_count = 3;
    if (how == WITH_SHIFT) motion.shift_text[1] = "3*t";
    return motion;
}

static mote_vec3 within(mote_box box, double x, double y, double z)
{
    return mote_vec3_make(box.min.x + x * (box.max.x - box.min.x), box.min.y + y * (box.max.y - box.min.y),
                          box.min.z + z * (box.max.z - box.min.z));
}

// A corner of a box, then places in it.
static mote_vec3 point_of(mote_box box, int number, mote_random *random)
{
    if (number < 8) return within(box, number & 1, number >> 1 & 1, number >> 2 & 1);
    const double x = mote_random_unit(random), y = mote_random_unit(random);
    return within(box, x, y, mote_random_unit(random));
}

// How far a place is outside a box.
static double distance_outside(mote_box box, mote_vec3 at)
{
    const double out[6] = {box.min.x - at.x, box.min.y - at.y, box.min.z - at.z,
                           at.x - box.max.x, at.y - box.max.y, at.z - box.max.z};
    double most = -HUGE_VAL;
    for (int k = 0; k < 6; ++k) most = MOTE_MAX(most, out[k]);
    return most;
}

// Holds the box of a body in `box` against places of the body; `filled` receives the box around these.
static void check_body(const mote_motion *def, mote_box box, mote_random *random, mote_box *filled)
{
    mote_error error = {0};
    simulation_motion motion = {.owner = "body", .spacing = 1, .reach = mote_motion_reach(box, def)};
    const mote_box swept = mote_motion_sweep(box, def);
    const double far = mote_vec3_length(mote_vec3_sub(box.min, def->center)) +
                       mote_vec3_length(mote_vec3_sub(box.max, box.min)) + mote_vec3_length(def->center);
    mote_vec3 home[POINTS];
    for (int p = 0; p < POINTS; ++p) home[p] = point_of(box, p, random);
    CHECK(mote_motion_open(NULL, def, &motion, &error) == MOTE_OK, "%s", error.text);
    *filled = mote_box_empty();
    for (int k = 0; k <= TIMES; ++k) {
        const double time = 1.1 * k / TIMES;
        CHECK(mote_motion_place(&motion, time, time, &error) == MOTE_OK, "%s", error.text);
        for (int p = 0; p < POINTS; ++p) {
            const mote_vec3 at = motion.moves ? mote_rigid_from_home(&motion.pose, home[p]) : home[p];
            const double outside = distance_outside(swept, at);
            CHECK(outside <= 1e-14 * far, "axis (%g, %g, %g), t = %g, (%g, %g, %g) is %g m outside", def->axis.x,
                  def->axis.y, def->axis.z, time, at.x, at.y, at.z, outside);
            *filled = mote_box_union(*filled, (mote_box){at, at});
        }
    }
    mote_motion_close(&motion);
}

// A body in a box of any shape, near the axis or far from it.
static mote_box make_box(int number, mote_random *random)
{
    const double offset = number % 3 == 0 ? 0 : number % 3 == 1 ? 2 : 1000;
    mote_box box;
    double *low = &box.min.x, *high = &box.max.x;
    for (int k = 0; k < 3; ++k) {
        low[k] = offset * (mote_random_unit(random) - 0.5) - mote_random_unit(random);
        high[k] = low[k] + (number % 4 == k ? 0.01 : 2 * mote_random_unit(random));
    }
    return box;
}

// A turn about an axis of the coordinates changes nothing along it, and its box is no larger than what a whole turn
// fills. About a slanted axis it is no larger than √2 times the ball around the center. Along a shift it has no end.
static void check_size(const mote_motion *motion, manner how, mote_box box, mote_box filled)
{
    const mote_box swept = mote_motion_sweep(box, motion);
    const double *low = &swept.min.x, *high = &swept.max.x, *along = &motion->axis.x, *center = &motion->center.x;
    const double *least = &filled.min.x, *most = &filled.max.x;
    const bool is_whole = how == BY_TEXT || how == BY_TABLE || how == WITH_SHIFT;
    const int slants = (along[0] != 0) + (along[1] != 0) + (along[2] != 0);
    double ball = 0;
    for (int p = 0; p < 8; ++p)
        ball = MOTE_MAX(ball, mote_vec3_length(mote_vec3_sub(point_of(box, p, NULL), motion->center)));
    for (int k = 0; k < 3; ++k) {
        if (how == WITH_SHIFT && k == 1) {
            CHECK(low[k] == -HUGE_VAL && high[k] == HUGE_VAL, "%g to %g along a shift", low[k], high[k]);
            continue;
        }
        if (how == BY_NOTHING || (slants == 1 && along[k] != 0))
            CHECK(low[k] == (&box.min.x)[k] && high[k] == (&box.max.x)[k], "%g to %g, not moved", low[k], high[k]);
        else
            CHECK(low[k] >= center[k] - sqrt(2) * ball && high[k] <= center[k] + sqrt(2) * ball,
                  "%g to %g, the ball has a radius of %g", low[k], high[k], ball);
        if (slants == 1 && is_whole)
            CHECK(low[k] >= least[k] - 0.01 * ball && high[k] <= most[k] + 0.01 * ball, "%g to %g, filled are %g to %g",
                  low[k], high[k], least[k], most[k]);
    }
}

static void bodies_stay_in_their_boxes(void **state)
{
    (void)state;
    mote_random random = {16};
    for (size_t a = 0; a < sizeof axes / sizeof *axes; ++a)
        for (int how = 0; how < MANNERS; ++how)
            for (int b = 0; b < BOXES; ++b) {
                const mote_box box = make_box(b, &random);
                const mote_vec3 middle = within(box, 0.5, 0.5, 0.5), beside = {0.3, -0.2, 0.1};
                const mote_motion motion = describe((manner)how, axes[a], b % 2 ? middle : beside);
                mote_box filled;
                check_body(&motion, box, &random, &filled);
                check_size(&motion, (manner)how, box, filled);
            }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_stay_in_their_boxes),
    };
    RUN_TESTS(tests, argc, argv);
}
