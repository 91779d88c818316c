// SPDX-License-Identifier: MIT
// Bodies in a box that repeats itself: a particle on one side of the box is near a body on the other side, and a body
// that has moved through a side is in the box all the same.

#include <math.h>

#include "base/vector.h"
#include "simulation/internal.h"

body_images mote_body_images_near(const mote_period_def *period, mote_vec3 center, double reach, mote_vec3 place)
{
    const bool is_periodic[3] = {period->x, period->y, period->z};
    const mote_vec3 size = mote_vec3_sub(period->max, period->min), off = mote_vec3_sub(center, place);
    const double sizes[3] = {size.x, size.y, size.z}, offs[3] = {off.x, off.y, off.z};
    body_images images = {.along = {1, 1, 1}, .count = 1};
    for (int k = 0; k < 3; ++k) {
        if (!is_periodic[k]) continue;
        const double begin = ceil((offs[k] - reach) / sizes[k]), end = floor((offs[k] + reach) / sizes[k]);
        images.first[k] = begin * sizes[k], images.width[k] = sizes[k];
        images.along[k] = end >= begin ? (size_t)(end - begin) + 1 : 0;  // at most the body's width over the period's
        images.count *= images.along[k];
    }
    return images;
}

mote_vec3 mote_body_image_shift(const body_images *images, size_t k)
{
    const size_t *along = images->along;
    const size_t at[3] = {k % along[0], k / along[0] % along[1], k / (along[0] * along[1])};
    double shift[3];
    for (int a = 0; a < 3; ++a) shift[a] = images->first[a] + (double)at[a] * images->width[a];
    return mote_vec3_make(shift[0], shift[1], shift[2]);
}
