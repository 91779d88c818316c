// Rows of neighbours beside brute force: the definition of mote/neighbors.h, written down once more.

#include <stdlib.h>

#include "app.h"
#include "neighbors.h"

enum { ALL_UP_TO = 20000, SAMPLES = 1000 };

// The squared distance of two points, in their own precision.
static double squared_distance(const app_found *self, uint32_t i, uint32_t j)
{
    if (self->is_f64) {
        const double *a = self->data.xyz + 3 * (size_t)i, *b = self->data.xyz + 3 * (size_t)j;
        double x = b[0] - a[0], y = b[1] - a[1], z = b[2] - a[2];
        return (x * x + y * y) + z * z;
    }
    const float *a = self->f32 + 3 * (size_t)i, *b = self->f32 + 3 * (size_t)j;
    float x = b[0] - a[0], y = b[1] - a[1], z = b[2] - a[2];
    return (double)((x * x + y * y) + z * z);
}

// Whether a comes before b among the nearest of i; equal ones do not.
static bool is_nearer(const app_found *self, uint32_t i, uint32_t a, uint32_t b)
{
    double at_a = squared_distance(self, i, a), at_b = squared_distance(self, i, b);
    return at_a < at_b || (at_a == at_b && a < b);
}

// As many as there are, each once, and none before the last one is missing.
static bool nearest_row_holds(const app_found *self, mote_row row)
{
    size_t others = self->data.count - 1, before = 0;
    if (row.count != ((uint64_t)self->nearest < others ? (size_t)self->nearest : others)) return false;
    if (row.count == 0) return true;
    uint32_t i = row.index, last = row.indices[row.count - 1];
    for (uint32_t k = 0; k < row.count; ++k)
        if (row.indices[k] == i || (k > 0 && !is_nearer(self, i, row.indices[k - 1], row.indices[k]))) return false;
    for (uint32_t j = 0; j < self->data.count; ++j) before += j != i && is_nearer(self, i, j, last);
    return before == row.count - 1;
}

// Every point within the radius once, and no other one. `seen`: a flag a point, all 0 before and after.
static bool row_holds(const app_found *self, mote_row row, unsigned char *seen)
{
    double limit = self->is_f64 ? self->radius * self->radius : (double)((float)self->radius * (float)self->radius);
    bool holds = true;
    for (uint32_t k = 0; k < row.count; ++k) {
        holds = holds && row.indices[k] < self->data.count && !seen[row.indices[k]];
        if (holds) seen[row.indices[k]] = 1;
    }
    for (uint32_t j = 0; j < self->data.count; ++j) {
        bool is_near = j != row.index && squared_distance(self, row.index, j) <= limit;
        holds = holds && is_near == (seen[j] != 0);
        seen[j] = 0;
    }
    return holds;
}

int64_t app_found_check(const app_found *self, size_t *checked)
{
    size_t count = self->data.count;
    bool all = count <= ALL_UP_TO;
    *checked = all ? count : SAMPLES;
    unsigned char *seen = calloc(count + 1, 1);
    if (!seen) return APP_FOUND_UNCHECKED;
    mote_random random = {1};
    int64_t wrong = -1;
    for (size_t k = 0; k < *checked && wrong < 0; ++k) {
        uint32_t i = all ? (uint32_t)k : mote_random_below(&random, (uint32_t)count);
        mote_row row = mote_lists_row(&self->lists, i);
        bool holds = self->nearest ? nearest_row_holds(self, row) : row_holds(self, row, seen);
        if (!holds) wrong = i;
    }
    free(seen);
    return wrong;
}
