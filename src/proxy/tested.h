// SPDX-License-Identifier: MIT
// proxy/tested.h: the only header of this module's insides that tests may include. The comment behind
// each header says what is tested of it, and by which program in tests/.
#ifndef MOTE_PROXY_TESTED_H
#define MOTE_PROXY_TESTED_H

#include "proxy/internal.h"  // labels and sides: test_proxy, test_proxy_queries; lists and checksums: test_proxy_file,
                             // test_fuzz
#include "proxy/octree.h"    // has no test of its own: test_proxy visits leaves with it

#endif
