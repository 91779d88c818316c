// SPDX-License-Identifier: MIT
// What right answers of the broad-phase benchmark are: a sweep of its own, checked in turn by brute force.

#include "box_checks.h"

#include <stdlib.h>

enum { WIDTHS = 24, SAMPLES = 1000 };

bool bench_boxes_touch(const float *a, const float *b)
{
    bool touch = true;
    for (int k = 0; k < 3; ++k) touch &= a[k] <= b[k + 3] && b[k] <= a[k + 3];
    return touch;
}

// Objects by how wide they are along x, in factors of two, and among those by where they begin.
typedef struct sweep_entry {
    float low;
    uint32_t width;  // its class
    uint32_t object;
} sweep_entry;

typedef struct sweep {
    sweep_entry *entries;
    size_t begin[WIDTHS + 1];
    float widest[WIDTHS];
} sweep;

static int by_width_and_place(const void *a, const void *b)
{
    const sweep_entry *x = a, *y = b;
    if (x->width != y->width) return x->width < y->width ? -1 : 1;
    return (x->low > y->low) - (x->low < y->low);
}

static bool make_sweep(const bench_boxes *objects, sweep *made)
{
    *made = (sweep){.entries = malloc((objects->count + 1) * sizeof *made->entries)};
    if (!made->entries) return false;
    float widest = 0;
    for (size_t i = 0; i < objects->count; ++i) {
        const float *c = objects->corners + 6 * i;
        widest = c[3] - c[0] > widest ? c[3] - c[0] : widest;
    }
    for (size_t i = 0; i < objects->count; ++i) {
        const float *c = objects->corners + 6 * i, wide = c[3] - c[0];
        uint32_t width = 0;
        for (float limit = widest / 2; width + 1 < WIDTHS && wide < limit; limit /= 2) ++width;
        made->entries[i] = (sweep_entry){c[0], width, (uint32_t)i};
        made->widest[width] = wide > made->widest[width] ? wide : made->widest[width];
        made->begin[width + 1] += 1;
    }
    for (int w = 0; w < WIDTHS; ++w) made->begin[w + 1] += made->begin[w];
    qsort(made->entries, objects->count, sizeof *made->entries, by_width_and_place);
    return true;
}

// Adds what the box touches: all objects, or those of a greater number than `above`.
static void sweep_box(const sweep *of, const bench_boxes *objects, const float *box, uint32_t number, bool above,
                      bench_box_result *right)
{
    for (int w = 0; w < WIDTHS; ++w) {
        // A little farther than the widest reaches: the difference of its corners may have been rounded.
        const double first = (double)box[0] - 1.001 * (double)of->widest[w];
        size_t low = of->begin[w], high = of->begin[w + 1];
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if ((double)of->entries[middle].low < first)
                low = middle + 1;
            else
                high = middle;
        }
        for (; low < of->begin[w + 1] && of->entries[low].low <= box[3]; ++low) {
            const uint32_t object = of->entries[low].object;
            if ((above && object <= number) || !bench_boxes_touch(box, objects->corners + 6 * (size_t)object)) continue;
            right->overlaps += 1;
            right->checksum += bench_pair_hash(number, object);
        }
    }
}

// Compares what the sweep finds for sampled boxes with brute force.
static bool is_sweep_right(const sweep *of, const bench_boxes *objects, const bench_boxes *queries, bool above)
{
    const size_t samples = queries->count < SAMPLES ? queries->count : SAMPLES;
    for (size_t s = 0; s < samples; ++s) {
        const size_t i = s * (queries->count / samples);
        const float *box = queries->corners + 6 * i;
        bench_box_result swept = {0, 0}, brute = {0, 0};
        sweep_box(of, objects, box, (uint32_t)i, above, &swept);
        for (size_t j = above ? i + 1 : 0; j < objects->count; ++j) {
            if (!bench_boxes_touch(box, objects->corners + 6 * j)) continue;
            brute.overlaps += 1;
            brute.checksum += bench_pair_hash((uint32_t)i, (uint32_t)j);
        }
        if (swept.overlaps != brute.overlaps || swept.checksum != brute.checksum) return false;
    }
    return true;
}

bool bench_find_box_reference(const bench_boxes *objects, const bench_boxes *queries, bench_box_result *right)
{
    const bool is_pairs = !queries;
    const bench_boxes *asked = is_pairs ? objects : queries;
    sweep made;
    *right = (bench_box_result){0, 0};
    if (!make_sweep(objects, &made)) return false;
    for (size_t i = 0; i < asked->count; ++i)
        sweep_box(&made, objects, asked->corners + 6 * i, (uint32_t)i, is_pairs, right);
    const bool is_right = is_sweep_right(&made, objects, asked, is_pairs);
    free(made.entries);
    return is_right;
}
