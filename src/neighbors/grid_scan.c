// SPDX-License-Identifier: MIT
// The innermost loops of neighbour search: testing points against all candidates.
//
// WIDE distances are computed at a time and compared, and the hits are stored side by side: a few operations for each
// vector of candidates, without a branch.

#include "base/wide.h"
#include "neighbors/grid_scan.h"
#include "neighbors/internal.h"

// The squared distances of candidates from place k on. Differences have the opposite sign of those in the definition:
// their squares have the same bits, and the loads become operands of the subtraction.
static inline wide_f32 squared_of(point_columns from, size_t k, const wide_vec *point)
{
    return wide_length_squared(point->x - wide_load(from.x + k), point->y - wide_load(from.y + k),
                               point->z - wide_load(from.z + k));
}

static inline wide_vec point_at(point_columns from, size_t place)
{
    return (wide_vec){wide_all(from.x[place]), wide_all(from.y[place]), wide_all(from.z[place])};
}

// Writes those of these indices that are hits, and their squared distances if `with` is set. Returns what follows them.
static inline hit_columns put_hits(wide_u32 index, wide_hits hits, wide_f32 squared, bool with, hit_columns to)
{
    wide_store_front(to.indices, index, hits);
    if (with) wide_store_front(to.squared, squared, hits);
    return (hit_columns){wide_past(to.indices, hits), with ? wide_past(to.squared, hits) : NULL};
}

// Which of the places from k on is `self`. Places are below 2^32.
static inline wide_mask places_equal(size_t k, size_t self)
{
    return wide_equal(wide_lane_numbers(), wide_all_u32((uint32_t)self - (uint32_t)k));
}

// The largest squared distance of a hit so far, if hits may be doubtful.
static inline wide_f32 farther(wide_f32 most, wide_mask hits, wide_f32 squared, bool checked)
{
    return checked ? wide_max(most, wide_select(hits, squared, wide_all(0))) : most;
}

static inline void mark_doubt(uint32_t *doubts, size_t row, wide_f32 most, float sure, bool checked)
{
    if (checked) doubts[row] = wide_any(wide_less(wide_all(sure), most));
}

// The rows of a group or of a point: what is written, and how.
typedef struct scan_kind {
    bool with;     // squared distances, too
    bool apart;    // rows have a stride
    bool checked;  // doubtful rows are marked
} scan_kind;

// Scans a run of sorted points. Other points follow the run, and it may contain the point itself.
static inline hit_columns scan_run(point_columns from, size_t begin, size_t end, const wide_vec *point, size_t self,
                                   wide_f32 limit, scan_kind kind, wide_f32 *most, hit_columns to)
{
    for (size_t k = begin; k < end; k += WIDE) {
        const wide_f32 squared = squared_of(from, k, point);
        const wide_mask near = wide_at_most(squared, limit);
        const wide_hits hits = wide_hits_within(wide_except(near, places_equal(k, self)), end - k);
        *most = farther(*most, near, squared, kind.checked);
        to = put_hits(wide_load(from.index + k), hits, squared, kind.with, to);
    }
    return to;
}

static inline hit_columns columns_from(hit_columns columns, size_t at, bool with)
{
    return (hit_columns){columns.indices + at, with ? columns.squared + at : NULL};
}

// Copies hits to the end of the rows. Overwrites what follows them, up to a vector. Returns what follows them.
static inline hit_columns append_hits(hit_columns from, size_t count, bool with, hit_columns to)
{
    for (size_t k = 0; k < count; k += WIDE) {
        wide_store(to.indices + k, wide_load(from.indices + k));
        if (with) wide_store(to.squared + k, wide_load(from.squared + k));
    }
    return columns_from(to, count, with);
}

static inline kept_hits keep_hits(kept_hits kept, wide_hits hits, wide_f32 squared, bool with)
{
    *kept.hits = (uint32_t)hits;
    if (with) wide_store(kept.squared, squared);
    return (kept_hits){kept.hits + 1, with ? kept.squared + WIDE : NULL};
}

// Writes the kept hits among the candidates from `begin` on. Returns what follows them.
static inline hit_columns put_kept(point_columns from, size_t begin, size_t end, kept_hits *kept, bool with,
                                   hit_columns to)
{
    for (size_t k = begin; k < end; k += WIDE) {
        const wide_f32 squared = with ? wide_load(kept->squared) : wide_all(0);
        to = put_hits(wide_load(from.index + k), *kept->hits, squared, with, to);
        *kept = (kept_hits){kept->hits + 1, with ? kept->squared + WIDE : NULL};
    }
    return to;
}

// Copying hits has the fewer instructions, but nobody foresees where its loop ends, for which processors wait longer
// than the longest vectors save.
enum { COPIES_HITS = WIDE <= 8 };

// The rows of two points, which share the loads of the candidates. If rows follow each other, nobody knows where that
// of the second begins until that of the first is written, so its hits are kept until then. Returns what follows them.
MOTE_INLINE hit_columns scan_two(const group_scan *scan, size_t q, hit_columns row, uint32_t *counts,
                                 const scan_kind kind)
{
    const point_columns gathered = scan->gathered, sorted = scan->sorted;
    const size_t gathered_count = scan->gathered_count, own_end = scan->own_end, first = scan->first + q;
    const bool with = kind.with, apart = kind.apart, checked = kind.checked;
    const wide_f32 limit = wide_all(scan->radius_squared);
    const size_t place_a = scan->places ? scan->places[first] : first;
    const size_t place_b = scan->places ? scan->places[first + 1] : first + 1;
    const size_t own_begin = scan->forward ? place_a + 1 : scan->own_begin;
    const wide_vec a = point_at(scan->points, first), b = point_at(scan->points, first + 1);
    kept_hits kept = scan->kept;
    const hit_columns kept_row = {kept.hits, kept.squared};
    const hit_columns next_row = apart ? columns_from(row, scan->stride, with) : kept_row;
    hit_columns end = row, next_end = next_row;
    wide_f32 most_a = wide_all(0), most_b = wide_all(0);
    for (size_t k = 0; k < gathered_count; k += WIDE) {
        const wide_f32 from_a = squared_of(gathered, k, &a), from_b = squared_of(gathered, k, &b);
        const wide_mask mask_a = wide_at_most(from_a, limit), mask_b = wide_at_most(from_b, limit);
        most_a = farther(most_a, mask_a, from_a, checked);
        most_b = farther(most_b, mask_b, from_b, checked);
        const wide_u32 index = wide_load(gathered.index + k);
        end = put_hits(index, wide_hits_of(mask_a), from_a, with, end);
        if (apart || COPIES_HITS)
            next_end = put_hits(index, wide_hits_of(mask_b), from_b, with, next_end);
        else
            kept = keep_hits(kept, wide_hits_of(mask_b), from_b, with);
    }
    for (size_t k = own_begin; k < own_end; k += WIDE) {
        const wide_f32 from_a = squared_of(sorted, k, &a), from_b = squared_of(sorted, k, &b);
        const wide_mask mask_a = wide_at_most(from_a, limit), mask_b = wide_at_most(from_b, limit);
        most_a = farther(most_a, mask_a, from_a, checked);
        most_b = farther(most_b, mask_b, from_b, checked);
        const wide_u32 index = wide_load(sorted.index + k);
        const wide_hits near_a = wide_hits_within(wide_except(mask_a, places_equal(k, place_a)), own_end - k);
        const wide_hits near_b = wide_hits_within(wide_except(mask_b, places_equal(k, place_b)), own_end - k);
        end = put_hits(index, near_a, from_a, with, end);
        if (apart || COPIES_HITS)
            next_end = put_hits(index, near_b, from_b, with, next_end);
        else
            kept = keep_hits(kept, near_b, from_b, with);
    }
    mark_doubt(scan->doubts, q, most_a, scan->sure_squared, checked);
    mark_doubt(scan->doubts, q + 1, most_b, scan->sure_squared, checked);
    counts[q] = (uint32_t)(end.indices - row.indices);
    counts[q + 1] = (uint32_t)(next_end.indices - next_row.indices);
    if (apart) return end;
    if (COPIES_HITS) return append_hits(kept_row, counts[q + 1], with, end);
    const uint32_t *begin = end.indices;
    kept = scan->kept;
    end = put_kept(gathered, 0, gathered_count, &kept, with, end);
    end = put_kept(sorted, own_begin, own_end, &kept, with, end);
    counts[q + 1] = (uint32_t)(end.indices - begin);
    return end;
}

// The row of one point. Returns what follows it.
MOTE_INLINE hit_columns scan_one(const group_scan *scan, size_t q, hit_columns row, uint32_t *counts,
                                 const scan_kind kind)
{
    const point_columns gathered = scan->gathered;
    const size_t first = scan->first + q, place = scan->places ? scan->places[first] : first;
    const wide_vec a = point_at(scan->points, first);
    const wide_f32 limit = wide_all(scan->radius_squared);
    wide_f32 most = wide_all(0);
    hit_columns end = row;
    for (size_t k = 0; k < scan->gathered_count; k += WIDE) {
        const wide_f32 squared = squared_of(gathered, k, &a);
        const wide_mask near = wide_at_most(squared, limit);
        most = farther(most, near, squared, kind.checked);
        end = put_hits(wide_load(gathered.index + k), wide_hits_of(near), squared, kind.with, end);
    }
    end = scan_run(scan->sorted, scan->forward ? place + 1 : scan->own_begin, scan->own_end, &a, place, limit, kind,
                   &most, end);
    mark_doubt(scan->doubts, q, most, scan->sure_squared, kind.checked);
    counts[q] = (uint32_t)(end.indices - row.indices);
    return end;
}

// Forward rows begin behind their points. The second point of two is then the first that is looked at, and left out as
// itself; but not if there are places between them.
MOTE_INLINE void scan_group_any(const group_scan *from, hit_columns rows, uint32_t *counts, const scan_kind kind)
{
    const group_scan scan = *from;  // the compiler knows that nothing else writes to it
    const bool goes_alone = scan.forward && scan.places;
    hit_columns end = rows;
    size_t q = 0;
    for (; q + 1 < scan.count && !goes_alone; q += 2)
        end = scan_two(&scan, q, kind.apart ? columns_from(rows, q * scan.stride, kind.with) : end, counts, kind);
    for (; q < scan.count; ++q)
        end = scan_one(&scan, q, kind.apart ? columns_from(rows, q * scan.stride, kind.with) : end, counts, kind);
}

// Up to so many points that are their own only candidates, as few points in one cell are, have hits in few vectors. So
// all vectors are tested first, and only those with hits are put; this takes a form whose hits are the bits of lanes.
enum { LONE = 128, FINDS_BITS = WIDE >= 8 };

// The rows of all points of such a run.
MOTE_INLINE void scan_lone(const group_scan *scan, hit_columns rows, uint32_t *counts, const scan_kind kind)
{
    const point_columns from = scan->sorted;
    const size_t own_begin = scan->own_begin, own_end = scan->own_end;
    const wide_f32 limit = wide_all(scan->radius_squared);
    const uint64_t lanes = ((uint64_t)1 << WIDE) - 1;
    hit_columns end = rows;
    for (size_t q = 0; q < scan->count; ++q) {
        const size_t place = scan->first + q;
        const wide_vec a = point_at(scan->points, place);
        const uint32_t *const row = end.indices;
        wide_f32 most = wide_all(0);
        for (size_t begin = own_begin; begin < own_end; begin += 64) {
            const size_t count = MOTE_MIN(own_end - begin, (size_t)64);
            uint64_t hits = 0;
            for (size_t k = 0; k < count; k += WIDE) {
                const wide_f32 squared = squared_of(from, begin + k, &a);
                const wide_mask near = wide_at_most(squared, limit);
                most = farther(most, near, squared, kind.checked);
                hits |= (uint64_t)wide_bits(near) << k;
            }
            hits &= ~(uint64_t)0 >> (64 - count);
            if (place - begin < 64) hits &= ~((uint64_t)1 << (place - begin));
            while (hits) {
                const size_t k = mote_lowest_bit(hits) / WIDE * WIDE;
                const wide_hits some = (wide_hits)(hits >> k & lanes);
                end = put_hits(wide_load(from.index + begin + k), some, most, false, end);
                hits &= ~(lanes << k);
            }
        }
        mark_doubt(scan->doubts, q, most, scan->sure_squared, kind.checked);
        counts[q] = (uint32_t)(end.indices - row);
    }
}

static bool is_lone(const group_scan *scan)
{
    const bool has_all = scan->gathered_count == 0 && !scan->forward && !scan->places;
    return FINDS_BITS && has_all && scan->own_end - scan->own_begin <= LONE;
}

static void scan_group(const group_scan *scan, hit_columns rows, uint32_t *counts)
{
    if (is_lone(scan) && !scan->stride && !rows.squared) {
        if (scan->doubts)
            scan_lone(scan, rows, counts, (scan_kind){.checked = true});
        else
            scan_lone(scan, rows, counts, (scan_kind){.with = false});
    } else if (scan->stride) {
        if (scan->doubts)
            scan_group_any(scan, rows, counts, (scan_kind){.apart = true, .checked = true});
        else if (rows.squared)
            scan_group_any(scan, rows, counts, (scan_kind){.apart = true, .with = true});
        else
            scan_group_any(scan, rows, counts, (scan_kind){.apart = true});
    } else {
        if (scan->doubts)
            scan_group_any(scan, rows, counts, (scan_kind){.checked = true});
        else if (rows.squared)
            scan_group_any(scan, rows, counts, (scan_kind){.with = true});
        else
            scan_group_any(scan, rows, counts, (scan_kind){.with = false});
    }
}

MOTE_INLINE uint32_t scan_point_any(const point_scan *scan, hit_columns row, const scan_kind kind)
{
    const wide_vec point = {wide_all(scan->point[0]), wide_all(scan->point[1]), wide_all(scan->point[2])};
    const wide_f32 limit = wide_all(scan->radius_squared);
    wide_f32 most = wide_all(0);
    hit_columns end = row;
    for (int r = 0; r < scan->run_count; ++r)
        end = scan_run(scan->from, scan->runs[r].begin, scan->runs[r].end, &point, scan->self, limit, kind, &most, end);
    mark_doubt(scan->doubts, 0, most, scan->sure_squared, kind.checked);
    return (uint32_t)(end.indices - row.indices);
}

static uint32_t scan_point(const point_scan *scan, hit_columns row)
{
    if (scan->doubts) return scan_point_any(scan, row, (scan_kind){.checked = true});
    if (row.squared) return scan_point_any(scan, row, (scan_kind){.with = true});
    return scan_point_any(scan, row, (scan_kind){.with = false});
}

static size_t pick(point_columns from, size_t first, size_t count, const wanted_points *wanted, const uint32_t *rows,
                   point_columns to, uint32_t *places)
{
    size_t at = 0;
    for (size_t k = 0; k < count; k += WIDE) {
        const wide_u32 index = wide_load_first_u32(from.index + first + k, count - k);
        const wide_u32 bits = wide_gather_u32(&wanted->bits, index / 32 * 2) >> index % 32;
        const wide_hits picked = wide_hits_within(wide_less(wide_all_u32(0), bits & 1), count - k);
        wide_store_front(to.x + at, wide_load(from.x + first + k), picked);
        wide_store_front(to.y + at, wide_load(from.y + first + k), picked);
        wide_store_front(to.z + at, wide_load(from.z + first + k), picked);
        wide_store_front(to.index + at, index, picked);
        wide_store_front(places + at, wide_lane_numbers() + wide_all_u32((uint32_t)(first + k)), picked);
        at += wide_hit_count(picked);
    }
    for (size_t k = 0; k < at && rows; ++k) to.index[k] = rows[to.index[k]];
    for (size_t k = 0; k < at && !rows; ++k) {
        const wanted_points some = wanted[to.index[k] / 32];
        to.index[k] = some.before + mote_count_bits(some.bits & ~(UINT32_MAX << to.index[k] % 32));
    }
    return at;
}

// grid_gather.c has no form for AVX-512.
#ifdef MOTE_WIDE_AVX512
#define GATHER mote_gather_avx2
#else
#define GATHER WIDE_NAME(mote_gather)
#endif
gather_lanes GATHER;

const scan_lanes WIDE_NAME(mote_scan) = {GATHER, scan_group, scan_point, pick};
