// SPDX-License-Identifier: MIT
// Chunks as keys of 64 bits, ascending by z, y, x: a number along each axis, side by side.
//
// Numbers leave out wide gaps between particles. So a few particles far from all others cost a few chunks, where their
// distance would not fit into a key.

#include "surface/internal.h"

// The last stretch that begins at `chunk` or before, and at `number` or before; INT64_MAX for what does not count.
static const surface_stretch *stretch_at(const surface_axis *axis, int64_t chunk, int64_t number)
{
    uint32_t low = 0, high = axis->count;
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        if (axis->stretches[middle].begin <= chunk && axis->stretches[middle].number <= number)
            low = middle;
        else
            high = middle;
    }
    return axis->stretches + low;
}

uint64_t mote_surface_pack(const surface_axis axes[3], const int32_t at[3])
{
    uint64_t key = 0;
    for (int k = 0; k < 3; ++k) {
        const surface_stretch *stretch = stretch_at(&axes[k], at[k], INT64_MAX);
        key |= (uint64_t)(stretch->number + at[k] - stretch->begin) << axes[k].shift;
    }
    return key;
}

void mote_surface_unpack(const surface_axis axes[3], uint64_t key, int32_t at[3])
{
    for (int k = 2; k >= 0; --k) {
        const int64_t number = (int64_t)(key >> axes[k].shift);
        const surface_stretch *stretch = stretch_at(&axes[k], INT64_MAX, number);
        at[k] = (int32_t)(stretch->begin + number - stretch->number);
        key -= (uint64_t)number << axes[k].shift;
    }
}

// Stretches keep at least a chunk between them, so that those in different ones are not neighbours.
size_t mote_surface_find_stretches(const uint64_t *above, size_t count, int64_t first, int ring,
                                   surface_stretch *stretches, int64_t *size)
{
    size_t found = 0;
    int64_t used = 0, begin = 0, last = 0;
    for (size_t i = 0; i < count; ++i) {
        const int64_t chunk = first + (int64_t)above[i];
        if (i == 0 || chunk - last > 2 * ring + 1) {
            if (i > 0) used += last + ring + 1 - begin;
            begin = chunk - ring;
            if (stretches) stretches[found] = (surface_stretch){begin, used};
            ++found;
        }
        last = chunk;
    }
    *size = used + last + ring + 1 - begin;
    return found;
}
