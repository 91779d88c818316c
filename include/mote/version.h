// SPDX-License-Identifier: MIT
/// The one place that holds mote's version; CMake, pkg-config and `mote --version` read it from here.
#ifndef MOTE_VERSION_H
#define MOTE_VERSION_H

#define MOTE_VERSION_MAJOR 0
#define MOTE_VERSION_MINOR 1
#define MOTE_VERSION_PATCH 0
#define MOTE_VERSION "0.1.0"

#endif
