// SPDX-License-Identifier: MIT
// Compares rows of neighbours with brute force, which implements the definition of mote/neighbors.h independently.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "neighbors.h"

enum { ALL_UP_TO = 20000, SAMPLES = 1000 };

// A neighbour: a point, moved by whole periods.
typedef struct image {
    double squared;
    uint32_t index;
    int32_t shift[3];
} image;

// Images near a point, as found by brute force, and those that a row has.
typedef struct images {
    image *all;
    size_t count, room;
    bool failed;
} images;

typedef struct checker {
    const app_found *found;
    images expected, row;
} checker;

static void add(images *self, const image *one)
{
    if (self->count == self->room) {
        const size_t room = self->room ? 2 * self->room : 256;
        image *all = self->failed ? NULL : realloc(self->all, room * sizeof *all);
        self->failed = !all;
        if (!all) return;
        self->all = all;
        self->room = room;
    }
    self->all[self->count++] = *one;
}

// The squared distance of two points, in their own precision: the shift is the full sum of periods, rounded once.
static double squared_distance(const app_found *self, uint32_t i, const image *to)
{
    double shift[3] = {0, 0, 0};
    for (int k = 0; k < 3 && self->is_periodic; ++k) shift[k] = to->shift[k] * self->length[k];
    if (self->is_f64) {
        const double *a = self->data.xyz + 3 * (size_t)i, *b = self->data.xyz + 3 * (size_t)to->index;
        double x = (b[0] - a[0]) + shift[0], y = (b[1] - a[1]) + shift[1], z = (b[2] - a[2]) + shift[2];
        return (x * x + y * y) + z * z;
    }
    const float *a = self->f32 + 3 * (size_t)i, *b = self->f32 + 3 * (size_t)to->index;
    float x = b[0] - a[0], y = b[1] - a[1], z = b[2] - a[2];
    if (self->is_periodic) x += (float)shift[0], y += (float)shift[1], z += (float)shift[2];
    return (double)((x * x + y * y) + z * z);
}

static bool is_itself(uint32_t i, const image *one)
{
    return one->index == i && one->shift[0] == 0 && one->shift[1] == 0 && one->shift[2] == 0;
}

// By the order of nearest rows: squared distance, index, shift.
static int compare(const void *a, const void *b)
{
    const image *x = a, *y = b;
    if (x->squared != y->squared) return x->squared < y->squared ? -1 : 1;
    if (x->index != y->index) return x->index < y->index ? -1 : 1;
    for (int k = 0; k < 3; ++k)
        if (x->shift[k] != y->shift[k]) return x->shift[k] < y->shift[k] ? -1 : 1;
    return 0;
}

// The shifts along an axis that can bring j within the reach of i: one more on each side than arithmetic gives.
static void shifts_near(const app_found *self, uint32_t i, uint32_t j, double reach, int axis, int32_t range[2])
{
    range[0] = range[1] = 0;
    const double length = self->length[axis];
    if (length == 0) return;
    const double d = self->data.xyz[3 * (size_t)j + (size_t)axis] - self->data.xyz[3 * (size_t)i + (size_t)axis];
    range[0] = (int32_t)floor((-reach - d) / length) - 1;
    range[1] = (int32_t)ceil((reach - d) / length) + 1;
}

static void add_if_near(checker *self, uint32_t i, image *at, double limit)
{
    at->squared = squared_distance(self->found, i, at);
    if (at->squared <= limit && !is_itself(i, at)) add(&self->expected, at);
}

static void add_images(checker *self, uint32_t i, uint32_t j, double reach, double limit)
{
    int32_t range[3][2];
    image at = {.index = j};
    for (int k = 0; k < 3; ++k) shifts_near(self->found, i, j, reach, k, range[k]);
    for (at.shift[0] = range[0][0]; at.shift[0] <= range[0][1]; ++at.shift[0])
        for (at.shift[1] = range[1][0]; at.shift[1] <= range[1][1]; ++at.shift[1])
            for (at.shift[2] = range[2][0]; at.shift[2] <= range[2][1]; ++at.shift[2])
                add_if_near(self, i, &at, limit);
}

// All images with a squared distance of at most `limit`, all of which lie within `reach`.
static void find_near(checker *self, uint32_t i, double reach, double limit)
{
    const app_found *found = self->found;
    self->expected.count = 0;
    for (uint32_t j = 0; j < found->data.count; ++j) {
        image at = {.index = j};
        if (found->is_periodic) add_images(self, i, j, reach, limit);
        else add_if_near(self, i, &at, limit);
    }
    if (self->expected.count) qsort(self->expected.all, self->expected.count, sizeof(image), compare);
}

// @return false: the row names a point that does not exist
static bool take_row(checker *self, mote_row row)
{
    const app_found *found = self->found;
    self->row.count = 0;
    for (uint32_t k = 0; k < row.count; ++k) {
        image one = {.index = row.indices[k]};
        if (one.index >= found->data.count) return false;
        if (row.shifts) memcpy(one.shift, row.shifts + 3 * (size_t)k, sizeof one.shift);
        one.squared = squared_distance(found, row.index, &one);
        add(&self->row, &one);
    }
    return true;
}

static bool same_images(const checker *self, size_t count)
{
    for (size_t k = 0; k < count; ++k)
        if (compare(&self->row.all[k], &self->expected.all[k]) != 0) return false;
    return true;
}

// The row must have the same number of neighbours as brute force up to the distance of its last one, in the same
// order.
static bool nearest_row_holds(checker *self, mote_row row)
{
    const app_found *found = self->found;
    const uint64_t k = (uint64_t)found->nearest, others = found->data.count - 1;
    if (row.count != (found->is_periodic || k < others ? k : others)) return false;
    if (row.count == 0) return true;
    if (!take_row(self, row) || self->row.failed) return false;
    const double limit = self->row.all[row.count - 1].squared;
    find_near(self, row.index, 1.0001 * sqrt(limit), limit);
    return self->expected.count >= row.count && same_images(self, row.count);
}

// The row must have every image within the radius once, and no other.
static bool row_holds(checker *self, mote_row row)
{
    const app_found *found = self->found;
    const float single = (float)found->radius * (float)found->radius;
    find_near(self, row.index, found->radius, found->is_f64 ? found->radius * found->radius : (double)single);
    if (!take_row(self, row) || row.count != self->expected.count || self->row.failed) return false;
    if (self->row.count) qsort(self->row.all, self->row.count, sizeof(image), compare);
    return same_images(self, row.count);
}

int64_t app_found_check(const app_found *found, size_t *checked)
{
    checker self = {.found = found};
    size_t count = found->data.count;
    bool all = count <= ALL_UP_TO;
    *checked = all ? count : SAMPLES;
    mote_random random = {1};
    int64_t wrong = -1;
    for (size_t k = 0; k < *checked && wrong == -1; ++k) {
        uint32_t i = all ? (uint32_t)k : mote_random_below(&random, (uint32_t)count);
        mote_row row = mote_lists_row(&found->lists, i);
        const bool holds = found->nearest ? nearest_row_holds(&self, row) : row_holds(&self, row);
        if (!holds) wrong = i;
        if (self.expected.failed || self.row.failed) wrong = APP_FOUND_UNCHECKED;
    }
    free(self.expected.all);
    free(self.row.all);
    return wrong;
}
