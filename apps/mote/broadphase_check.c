// SPDX-License-Identifier: MIT
// Compares pairs with brute force, which implements the definition of mote/broadphase.h independently; writes pairs.

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "broadphase.h"

enum { ALL_UP_TO = 20000, SAMPLES = 1000 };

static bool overlap(const mote_box_data *boxes, size_t i, size_t j)
{
    const size_t d = (size_t)boxes->dimensions;
    const float *a = boxes->corners + 2 * d * i, *b = boxes->corners + 2 * d * j;
    bool meets = true;
    for (size_t k = 0; k < d; ++k) meets &= a[k] <= b[d + k] && b[k] <= a[d + k];
    return meets;
}

static int compare(const void *key, const void *element)
{
    const mote_pair *a = key, *b = element;
    if (a->a != b->a) return a->a < b->a ? -1 : 1;
    return (a->b > b->b) - (a->b < b->b);
}

// As many partners as are counted, and each of them among the pairs.
static bool box_holds(const mote_box_data *boxes, mote_pairs pairs, uint32_t i, uint64_t counted)
{
    uint64_t met = 0;
    for (uint32_t j = 0; j < boxes->count; ++j) {
        if (j == i || !overlap(boxes, i, j)) continue;
        const mote_pair pair = i < j ? (mote_pair){i, j} : (mote_pair){j, i};
        if (!bsearch(&pair, pairs.pairs, pairs.count, sizeof pair, compare)) return false;
        ++met;
    }
    return met == counted;
}

// Counts the partners of each box. @return the first box of a pair that is invalid or out of order; −1: none
static int64_t count_partners(const mote_box_data *boxes, mote_pairs pairs, uint64_t *counts)
{
    for (size_t k = 0; k < pairs.count; ++k) {
        const mote_pair *pair = &pairs.pairs[k];
        if (pair->a >= pair->b || pair->b >= boxes->count || (k > 0 && compare(pair - 1, pair) >= 0)) return pair->a;
        ++counts[pair->a];
        ++counts[pair->b];
    }
    return -1;
}

int64_t app_pairs_check(const mote_box_data *boxes, mote_pairs pairs, size_t *checked)
{
    bool all = boxes->count <= ALL_UP_TO;
    *checked = all ? boxes->count : SAMPLES;
    uint64_t *counts = calloc(boxes->count + 1, sizeof *counts);
    if (!counts) return APP_PAIRS_UNCHECKED;
    mote_random random = {1};
    int64_t wrong = count_partners(boxes, pairs, counts);
    for (size_t k = 0; k < *checked && wrong < 0; ++k) {
        uint32_t i = all ? (uint32_t)k : mote_random_below(&random, (uint32_t)boxes->count);
        if (!box_holds(boxes, pairs, i, counts[i])) wrong = i;
    }
    free(counts);
    return wrong;
}

int app_pairs_write(mote_pairs pairs, const char *path)
{
    app_file file;
    errno = 0;
    bool whole = app_file_create(&file, path);
    if (whole) {
        fprintf(file.stream, "a,b\n");
        for (size_t k = 0; k < pairs.count; ++k) fprintf(file.stream, "%u,%u\n", pairs.pairs[k].a, pairs.pairs[k].b);
        whole = app_file_commit(&file);
    }
    if (whole) return APP_DONE;
    app_complain("mote broadphase: %s cannot be written: %s", path, errno ? strerror(errno) : "out of memory");
    return APP_FAILED;
}
