// SPDX-License-Identifier: MIT
// import/tested.h: the only header of this module's insides that tests may include. The comment behind
// each header says what is tested of it, and by which program in tests/.
#ifndef MOTE_IMPORT_TESTED_H
#define MOTE_IMPORT_TESTED_H

#include "import/number.h"  // numbers against those of the C library: test_import, test_fuzz

#endif
