// SPDX-License-Identifier: MIT
// Random numbers: splitmix64 (Steele, Lea & Flood 2014), and distributions based on it.

#include "base/internal.h"

uint64_t mote_random_next(mote_random *random)
{
    if (!random) return 0;
    uint64_t z = random->state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

double mote_random_unit(mote_random *random)
{
    return (double)(mote_random_next(random) >> 11) * 0x1p-53;
}

uint32_t mote_random_below(mote_random *random, uint32_t n)
{
    return (uint32_t)(((mote_random_next(random) >> 32) * n) >> 32);
}

double mote_random_gauss(mote_random *random)
{
    double sum = 0;
    for (int k = 0; k < 12; ++k) sum += mote_random_unit(random);
    return sum - 6;
}
