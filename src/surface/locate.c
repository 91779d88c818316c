// SPDX-License-Identifier: MIT
// Coordinates by chunks, many at a time: what mote_surface_place_of finds for each.

#include "base/wide.h"
#include "surface/internal.h"

// Whole vectors are read and written.
void WIDE_NAME(mote_surface_locate)(const surface_scale *scale, const double *x, size_t count, uint32_t *chunks,
                                    float *local)
{
    const double chunk_units = scale->unit * CHUNK;
    const float cells_of_unit = (float)(1 / scale->unit);
    for (size_t i = 0; i < count; i += WIDE) {
        wide_f64 units[WIDE_PARTS], whole[WIDE_PARTS];
        for (size_t p = 0; p < WIDE_PARTS; ++p) {
            units[p] = wide_load_f64(x + i + p * WIDE_F64) / scale->cell * scale->unit + 0.5;
            whole[p] = units[p] * scale->chunks_of_unit;
        }
        const wide_i32 chunk = wide_floor_i32(whole);
        wide_i32_to_f64(chunk, whole);
        for (size_t p = 0; p < WIDE_PARTS; ++p) units[p] = units[p] - whole[p] * chunk_units;
        wide_store(chunks + i, wide_unsigned(chunk));
        wide_store(local + i, wide_i32_to_f32(wide_f64_to_i32(units)) * cells_of_unit);
    }
}
