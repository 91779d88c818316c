// SPDX-License-Identifier: MIT
// Gravity that changes between steps: of a tank that is shaken, in its own frame.

#include "fluid/internal.h"
#include "fluid/peek.h"
#include "fluid/solver.h"

mote_result mote_fluid_set_gravity(mote_fluid *fluid, mote_vec3 gravity, mote_error *error)
{
    if (!fluid) return mote_fail_null(error, "fluid", "the object");
    mote_fluid_def *def = &fluid->def;
    if (!(gravity.x - gravity.x == 0 && gravity.y - gravity.y == 0 && gravity.z - gravity.z == 0))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "fluid: gravity is (%g, %g, %g), expected finite numbers",
                         gravity.x, gravity.y, gravity.z);
    if (def->dimensions == 2 && gravity.y != 0)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "fluid: gravity has y = %g in 2D, expected 0", gravity.y);
    if (def->gravity.x == gravity.x && def->gravity.y == gravity.y && def->gravity.z == gravity.z) return MOTE_OK;
    const mote_vec3 before = def->gravity;
    def->gravity = gravity;
    const mote_result result = fluid->solver->resolve(fluid, error);  // what follows from the def
    if (result != MOTE_OK) {
        def->gravity = before;
        return result;
    }
    // Accelerations were found with the former gravity, and velocities are those of this instant: as at the start, the
    // next step finds new ones, and begins with a half step. Before there are accelerations, the last step is ended
    // with new ones.
    if (fluid->evaluated) fluid->previous_dt = 0;
    fluid->evaluated = false;
    return MOTE_OK;
}

void mote_fluid_tell_gravity(mote_fluid *fluid, mote_vec3 at_end)
{
    fluid->levels.has_next_gravity = true;
    fluid->levels.next_gravity = at_end;
}
