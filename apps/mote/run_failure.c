// SPDX-License-Identifier: MIT
// What a run that became unstable leaves: its last good state, and what surrounds the particle with which it began.

#include <stdlib.h>
#include <string.h>

#include "run.h"

// Writes failed.vtp. @return whether it is there
static bool write_surroundings(const app_running *self)
{
    const mote_simulation *simulation = self->file.simulation;
    mote_failure failure;
    mote_surroundings near = {0};
    if (!self->has_folder || !mote_simulation_get_failure(simulation, &failure)) return false;
    mote_result result =
        mote_simulation_get_surroundings(simulation, failure.position, failure.reach, &near, NULL);
    char *path = app_text("%s/failed.vtp", self->folder);
    if (result == MOTE_OK && path && near.count) {
        const mote_vtp data = {.points = mote_points_xyz_f64(near.arrays[0].component[0], near.count),
                               .arrays = near.arrays + 1,
                               .array_count = near.array_count - 1};
        result = mote_vtp_write(self->file.context, path, &data, NULL);
    }
    const bool is_there = result == MOTE_OK && path && near.count;
    mote_surroundings_release(&near);
    free(path);
    return is_there;
}

// "unstable at t = 0.49 s, step 812: particle 17 at (…) m: …; try …; 12 frames were written until then; …"
int app_run_unstable(app_running *self, const char *cause)
{
    static const char prefix[] = "simulation: ";
    if (strncmp(cause, prefix, strlen(prefix)) == 0) cause += strlen(prefix);
    const size_t count = self->report.record_count;
    const bool is_saved = app_checkpoint_write_kept(self), is_shown = write_surroundings(self);
    snprintf(self->message, sizeof self->message, "%s; %zu frame%s %s written until then%s%s", cause, count,
             app_plural(count), count == 1 ? "was" : "were", is_saved ? "; the last good state is saved" : "",
             is_shown ? "; failed.vtp shows what surrounds the particle" : "");
    return app_run_fail(self);
}
