// SPDX-License-Identifier: MIT
// render/tested.h: the only header of this module's insides that tests may include. The comment behind
// each header says what is tested of it, and by which program in tests/.
#ifndef MOTE_RENDER_TESTED_H
#define MOTE_RENDER_TESTED_H

#include "render/internal.h"  // texts where memory runs out: test_render

#endif
