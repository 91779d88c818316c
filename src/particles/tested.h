// SPDX-License-Identifier: MIT
// particles/tested.h: the only header of this module's insides that tests may include. The comment behind
// each header says what is tested of it, and by which program in tests/.
#ifndef MOTE_PARTICLES_TESTED_H
#define MOTE_PARTICLES_TESTED_H

#include "particles/store.h"  // adding, removing, ordering, bytes: test_particles

#endif
