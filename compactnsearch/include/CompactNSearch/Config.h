// SPDX-License-Identifier: MIT
/// Config.h: the number that points consist of. With USE_DOUBLE it is double, else float: define it, or not, alike in
/// all sources of a program.
#ifndef MOTE_COMPACTNSEARCH_CONFIG_H
#define MOTE_COMPACTNSEARCH_CONFIG_H

// Programs count on what CompactNSearch's own headers include: also on __gnu_parallel, if they are built with OpenMP.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iostream>
#include <limits>
#include <vector>
#if defined(_OPENMP) && defined(__GLIBCXX__)
#include <parallel/algorithm>
#endif

namespace CompactNSearch
{

#ifdef USE_DOUBLE
using Real = double;
#else
using Real = float;
#endif

}  // namespace CompactNSearch

#endif
