// SPDX-License-Identifier: MIT
// Estimates the time of a method for many boxes from its time for some of them.
//
// The boxes that begin in a slab of space are as dense, and of as many sizes, as all boxes; half of the slab
// contains half of them. The growth of the time from half the slab to the whole slab is extrapolated.

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app.h"
#include "broadphase.h"

// For fewer boxes than this the method is simply run. A slab has one of so many boxes.
enum { LEAST_BOXES = 20000, SHARE = 16, SAMPLES = 1024, RUNS = 3 };

// Largest increase of the exponent by noise alone.
static const double slack = 0.15;

static int compare(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

bool app_slab_take(app_slab *slab, const mote_box_data *boxes)
{
    const size_t width = 2 * (size_t)boxes->dimensions, most = boxes->count / SHARE;
    *slab = (app_slab){.dimensions = boxes->dimensions, .all = boxes->count};
    if (boxes->count < LEAST_BOXES) return true;
    float begins[SAMPLES];
    for (size_t k = 0; k < SAMPLES; ++k) begins[k] = boxes->corners[k * boxes->count / SAMPLES * width];
    qsort(begins, SAMPLES, sizeof *begins, compare);
    const float low = begins[SAMPLES / 2], high = begins[SAMPLES / 2 + SAMPLES / SHARE];
    const float middle = begins[SAMPLES / 2 + SAMPLES / SHARE / 2];
    slab->corners = malloc(2 * most * width * sizeof *slab->corners);
    if (!slab->corners) return false;
    // The first half is moved to the front, the second follows; each up to its share, if many begin in one place.
    float *second = slab->corners + most * width;
    size_t counts[2] = {0, 0};
    for (size_t i = 0; i < boxes->count; ++i) {
        const float *box = boxes->corners + i * width;
        if (!(box[0] >= low && box[0] <= high)) continue;
        const int half = box[0] > middle;
        if (counts[half] == most) continue;
        memcpy((half ? second : slab->corners) + counts[half]++ * width, box, width * sizeof *box);
    }
    memmove(slab->corners + counts[0] * width, second, counts[1] * width * sizeof *second);
    slab->half = counts[0];
    slab->count = counts[0] + counts[1];
    return true;
}

void app_slab_release(app_slab *slab)
{
    free(slab->corners);
    slab->corners = NULL;
}

// The time of structure and pairs for the first boxes of a slab [s]; 0 if that fails. It is the smaller of
// wall-clock and processor time: the first includes the time of other programs, the second adds up all threads.
static double measure_once(const app_slab *slab, mote_context *context, const char *method, size_t count)
{
    mote_broadphase_def def = mote_broadphase_default_def();
    def.method = method;
    def.dimensions = slab->dimensions;
    mote_broadphase *broad;
    if (mote_broadphase_create(context, &def, &broad, NULL) != MOTE_OK) return 0;
    const double start = app_clock();
    const clock_t worked = clock();
    const mote_boxes boxes = mote_boxes_corners(slab->corners, count, slab->dimensions);
    mote_pairs pairs;
    mote_result result = mote_broadphase_add_many(broad, boxes, MOTE_OBJECT_MOVING, mote_filter_all(), NULL, NULL);
    if (result == MOTE_OK) result = mote_broadphase_pairs(broad, &pairs, NULL);
    const double seconds = fmin(app_clock() - start, (double)(clock() - worked) / CLOCKS_PER_SEC);
    mote_broadphase_destroy(broad);
    return result == MOTE_OK ? seconds : 0;
}

// The minimum of several runs, because other work of the machine must not count.
static double measure(const app_slab *slab, mote_context *context, const char *method, size_t count)
{
    double least = INFINITY;
    for (int run = 0; run < RUNS; ++run) least = fmin(least, measure_once(slab, context, method, count));
    return least;
}

double app_slab_predict(const app_slab *slab, mote_context *context, const char *method)
{
    if (slab->half == 0 || slab->half == slab->count) return 0;
    const double first = measure(slab, context, method, slab->half);
    const double second = measure(slab, context, method, slab->count);
    if (!(first > 0 && second > 0)) return 0;
    const double growth = log(second / first) / log((double)slab->count / (double)slab->half);
    return second * pow((double)slab->all / (double)slab->count, fmin(fmax(growth - slack, 1), 2));
}
