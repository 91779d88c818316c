// SPDX-License-Identifier: MIT
// fluid/tested.h: the only header of this module's insides that tests may include. The comment behind
// each header says what is tested of it, and by which program in tests/.
#ifndef MOTE_FLUID_TESTED_H
#define MOTE_FLUID_TESTED_H

#include "fluid/field_near.h"  // what is looked up for all particles is what is looked up one by one: test_wall_field
#include "fluid/gauge.h"       // energies whose slope is the pressure: test_phases
#include "fluid/internal.h"   // places: test_wall_field; rows of sleepers: test_levels; eigenvalues: test_weak_lanes;
                              // bodies that ways are beside: test_fluid; eddy viscosities: test_eddies; full volumes of
                              // walls: test_wall_shares
#include "fluid/kernels.h"    // integrals, derivatives, sums over lattices, samples: test_kernels
#include "fluid/pair_sums.h"  // bits of densities and of forms, forces against plain loops: test_kernels
#include "fluid/state_lanes.h"  // bits of forms, formulas: test_state_lanes
#include "fluid/wall_field.h"  // sums against integrals over bodies: test_wall_field; files: test_field_files
#include "fluid/weak.h"       // kernels in lanes against those in double: test_kernels; all sums: test_weak_lanes

#endif
