// SPDX-License-Identifier: MIT
// Bodies in a box that repeats itself: a particle on one side of the box is near a body on the other side, and a body
// that has moved through a side is in the box all the same.

#include <math.h>

#include "base/vector.h"
#include "simulation/internal.h"

// Of images along an axis. Within a step a particle moves less than a support, which is half of the box at most: there
// are about as many images as the body is boxes wide, and one or two more. Only a particle of a run that has become
// unstable, and is about to be refused, has a way that crosses more of them.
enum { MOST_ALONG = 1024 };

static size_t count_between(double begin, double end)
{
    if (!(end >= begin)) return 0;
    return (size_t)MOTE_MIN(end - begin, (double)(MOST_ALONG - 1)) + 1;
}

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
        images.along[k] = count_between(begin, end);
        images.count *= images.along[k];
    }
    return images;
}

mote_vec3 mote_body_image_shift(const body_images *images, size_t k)
{
    const size_t x = k % images->along[0], y = k / images->along[0] % images->along[1];
    const size_t z = k / (images->along[0] * images->along[1]);
    return mote_vec3_make(images->first[0] + (double)x * images->width[0],
                          images->first[1] + (double)y * images->width[1],
                          images->first[2] + (double)z * images->width[2]);
}
