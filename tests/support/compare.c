// SPDX-License-Identifier: MIT
#include "support/compare.h"

#include "support/test.h"

static void check_same_lists(const mote_lists *expected, const mote_lists *found, const char *method, const char *set)
{
    CHECK(expected->count == found->count && expected->total == found->total, "%s, %s: %llu pairs, expected %llu",
          method, set, (unsigned long long)found->total, (unsigned long long)expected->total);
    for (uint32_t i = 0; i < expected->count; ++i) {
        mote_row a = mote_lists_row(expected, i), b = mote_lists_row(found, i);
        CHECK(a.count == b.count, "%s, %s: row %u holds %u, expected %u", method, set, i, b.count, a.count);
        size_t n = a.count;
        bool same = memcmp(a.indices, b.indices, n * sizeof *a.indices) == 0;
        if (a.squared) same &= memcmp(a.squared, b.squared, n * sizeof *a.squared) == 0;
        if (a.squared_f64) same &= memcmp(a.squared_f64, b.squared_f64, n * sizeof *a.squared_f64) == 0;
        if (a.differences) same &= memcmp(a.differences, b.differences, 3 * n * sizeof *a.differences) == 0;
        if (a.differences_f64)
            same &= memcmp(a.differences_f64, b.differences_f64, 3 * n * sizeof *a.differences_f64) == 0;
        CHECK(same, "%s, %s: row %u differs", method, set, i);
    }
}

static mote_neighbors *start(const mote_neighbors_def *def, const test_case *set, ptrdiff_t stride)
{
    mote_neighbors *search;
    CHECK_OK(mote_neighbors_create(NULL, def, &search, NULL));
    CHECK_OK(set->radii ? mote_neighbors_update_radii(search, set->points, set->radii, stride, NULL)
                        : mote_neighbors_update(search, set->points, NULL));
    CHECK_OK(mote_neighbors_validate(search, NULL));
    return search;
}

static void query(mote_neighbors *search, const test_case *set, ptrdiff_t stride, mote_lists *lists)
{
    CHECK_OK(set->query_radii ? mote_neighbors_query_radii(search, set->queries, set->query_radii, stride, lists, NULL)
                              : mote_neighbors_query(search, set->queries, lists, NULL));
}

mote_neighbors *test_make_search(mote_context *context, const char *method, double radius, uint32_t features)
{
    mote_neighbors_def def = mote_neighbors_default_def();
    def.method = method;
    def.radius = radius;
    def.features = features;
    mote_neighbors *search;
    CHECK_OK(mote_neighbors_create(context, &def, &search, NULL));
    return search;
}

void test_check_same_rows(const mote_lists *a, const mote_lists *b, const char *method, const char *set)
{
    CHECK(a->count == b->count, "%s, %s: %zu rows", method, set, b->count);
    for (uint32_t i = 0; i < a->count; ++i) {
        mote_row x = mote_lists_row(a, i), y = mote_lists_row(b, i);
        CHECK(x.count == y.count, "%s, %s: point %u has %u neighbours, expected %u", method, set, i, y.count, x.count);
        for (uint32_t k = 0; k < x.count; ++k)
            CHECK(x.indices[k] == y.indices[k], "%s, %s: row %u differs at %u", method, set, i, k);
    }
    CHECK(a->total == b->total, "%s, %s: %llu pairs", method, set, (unsigned long long)b->total);
}

void test_compare_with_all_pairs(mote_neighbors_def def, const test_case *set)
{
    ptrdiff_t stride = set->points.scalar == MOTE_F32 ? sizeof(float) : sizeof(double);
    def.features |= MOTE_NEIGHBORS_ASCENDING;
    const char *method = def.method;
    mote_neighbors *search = start(&def, set, stride);
    def.method = "all_pairs";
    mote_neighbors *oracle = start(&def, set, stride);
    mote_lists expected, found;
    CHECK_OK(mote_neighbors_lists(oracle, &expected, NULL));
    CHECK_OK(mote_neighbors_lists(search, &found, NULL));
    check_same_lists(&expected, &found, method, set->name);
    if (def.features & MOTE_NEIGHBORS_QUERY) {
        query(oracle, set, stride, &expected);
        query(search, set, stride, &found);
        check_same_lists(&expected, &found, method, set->name);
    }
    mote_neighbors_destroy(search);
    mote_neighbors_destroy(oracle);
}
