// SPDX-License-Identifier: MIT
// simulation/tested.h: the only header of this module's insides that tests may include. The comment behind each header
// says what is tested of it, and by which program in tests/.
#ifndef MOTE_SIMULATION_TESTED_H
#define MOTE_SIMULATION_TESTED_H

#include "simulation/internal.h"  // parts of cubes and layers against queries for each cube: test_solid_layers;
                                  // how obstacles lead single particles: test_boundaries; boundaries of
                                  // objects: test_wall_shares; boxes that moving bodies never leave:
                                  // test_motion_sweep

#endif
