// SPDX-License-Identifier: MIT
// The surface of a ball of particles.
//
// Prints:
//     4224 particles: closed, volume 1.4 % above that of the particles

#include <stdio.h>

#include "mote/mesh.h"
#include "mote/surface.h"

enum { RADIUS = 10 };

int main(void)
{
    static float xyz[8 * RADIUS * RADIUS * RADIUS][3];
    size_t count = 0;
    for (int z = -RADIUS; z < RADIUS; ++z)
        for (int y = -RADIUS; y < RADIUS; ++y)
            for (int x = -RADIUS; x < RADIUS; ++x) {
                const float at[3] = {(float)x + 0.5f, (float)y + 0.5f, (float)z + 0.5f};
                if (at[0] * at[0] + at[1] * at[1] + at[2] * at[2] > RADIUS * RADIUS) continue;
                for (int k = 0; k < 3; ++k) xyz[count][k] = at[k];
                ++count;
            }
    mote_surface_def def = mote_surface_default_def();
    def.spacing = 1;
    mote_surface *surface;
    mote_error error;
    const mote_surface_cloud cloud = mote_surface_cloud_points(mote_points_xyz(xyz[0], count));
    if (mote_surface_create(NULL, &def, &surface, &error) != MOTE_OK ||
        mote_surface_update(surface, &cloud, &error) != MOTE_OK) {
        printf("%s\n", error.text);
        return 1;
    }
    const mote_surface_view view = mote_surface_get_view(surface);
    const bool is_closed = mote_surface_validate(surface, &error) == MOTE_OK;
    printf("%zu particles: %s, volume %.1f %% above that of the particles\n", count, is_closed ? "closed" : error.text,
           100 * (view.stats.volume / (double)count - 1));
    mote_surface_destroy(surface);
    return 0;
}
