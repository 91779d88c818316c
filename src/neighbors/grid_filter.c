// SPDX-License-Identifier: MIT
// The exact test of a point against a list of others.
//
// The position and the index of a listed point are in one record, which is read at once. Vector forms turn the records
// of WIDE points into columns by shuffles, which is cheaper than gathering each column from memory.

#include "base/wide.h"
#include "neighbors/grid_filter.h"

_Static_assert(sizeof(placed_point) == 4 * sizeof(float), "a record is x, y, z and the index");
_Static_assert(sizeof(placed_point_f64) == 4 * sizeof(double), "a record is x, y, z and the index");

// The places of listed points; place 0 after the last.
typedef struct listed {
    uint32_t place[WIDE];
} listed;

static inline listed list_from(const filter_list *list, uint32_t n)
{
    listed made;
    wide_store(made.place, wide_load_first_u32(list->places + n, list->count - n));
    return made;
}

// Writes the hits among the listed points, as places or indices. Returns their number.
static inline uint32_t put_listed(const filter_list *list, uint32_t n, const listed *points, wide_u32 index,
                                  uint32_t hits, bool wants_places, uint32_t *out)
{
    hits = wide_first(hits, list->count - n);
    wide_store_front(out, wants_places ? wide_load(points->place) : index, hits);
    return wide_bit_count(hits);
}

static size_t filter_f32(const filter_list *list, bool wants_places, uint32_t *row)
{
    const float *records = list->points.f32->at;
    const wide_f32 x = wide_all((float)list->at[0]), y = wide_all((float)list->at[1]), z = wide_all((float)list->at[2]);
    const wide_f32 limit = wide_all((float)list->limit);
    uint32_t *out = row;
    for (uint32_t n = 0; n < list->count; n += WIDE) {
        const listed points = list_from(list, n);
        wide_f32 at[4];
        wide_load_columns(records, points.place, at);
        const wide_f32 squared = wide_length_squared(at[0] - x, at[1] - y, at[2] - z);
        const uint32_t hits = wide_bits(wide_at_most(squared, limit));
        out += put_listed(list, n, &points, wide_bits_of(at[3]), hits, wants_places, out);
    }
    return (size_t)(out - row);
}

static size_t filter_f64(const filter_list *list, bool wants_places, uint32_t *row)
{
    const double *records = list->points.f64->at;
    const double x = list->at[0], y = list->at[1], z = list->at[2];
    uint32_t *out = row;
    for (uint32_t n = 0; n < list->count; n += WIDE) {
        const listed points = list_from(list, n);
        wide_f64 index[WIDE_PARTS];
        uint32_t hits = 0;
        for (int part = 0; part < WIDE_PARTS; ++part) {
            wide_f64 at[4];
            wide_load_columns_f64(records, points.place + part * WIDE_F64, at);
            const wide_f64 dx = at[0] - x, dy = at[1] - y, dz = at[2] - z;
            const wide_f64 squared = (dx * dx + dy * dy) + dz * dz;
            hits |= wide_bits(wide_at_most(squared, wide_all_f64(list->limit))) << part * WIDE_F64;
            index[part] = at[3];
        }
        out += put_listed(list, n, &points, wide_low_halves(index), hits, wants_places, out);
    }
    return (size_t)(out - row);
}

size_t WIDE_NAME(mote_filter)(const filter_list *list, bool wants_places, uint32_t *row)
{
    return (list->points.f64 ? filter_f64 : filter_f32)(list, wants_places, row);
}
