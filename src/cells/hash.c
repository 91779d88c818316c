// SPDX-License-Identifier: MIT
// Sizes of hash tables.

#include "cells/hash.h"

static bool is_prime(uint32_t odd)
{
    for (uint32_t divisor = 3; (uint64_t)divisor * divisor <= odd; divisor += 2)
        if (odd % divisor == 0) return false;
    return true;
}

uint32_t mote_hash_table_size(size_t count)
{
    uint32_t size = 16;
    while (size < count && size < UINT32_C(1) << 31) size *= 2;
    for (size += 1; !is_prime(size);) size += 2;
    return size;
}
