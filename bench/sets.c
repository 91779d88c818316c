// SPDX-License-Identifier: MIT
// mote bench sets: a fluid and its walls, as particle codes have them: the lists of all four pairs of sets in one call,
// beside plain lists of all points as one set, and of each set by itself.
//
// The workload: a block of a jittered lattice, and walls around it, three layers of an undisturbed lattice at the same
// spacing. The pairs' neighbours together must be those of all points as one set.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "checks.h"

enum { LAYERS = 3 };

typedef struct tank {
    bench_points all;  // first the fluid, then the walls
    size_t fluid;
} tank;

static bool make_tank(size_t wanted, tank *made)
{
    const int side = (int)ceil(cbrt((double)wanted)), low = -LAYERS, high = side + LAYERS;
    const size_t fluid = (size_t)side * (size_t)side * (size_t)side, edge = (size_t)(high - low);
    *made = (tank){.fluid = fluid, .all = {.dimensions = 3, .radius = 2}};
    made->all.xyz = malloc(edge * edge * edge * 3 * sizeof(float));
    if (!made->all.xyz) return false;
    mote_random random = {2};
    size_t at[2] = {0, fluid};  // where the next fluid point and the next wall point go
    for (int z = low; z < high; ++z)
        for (int y = low; y < high; ++y)
            for (int x = low; x < high; ++x) {
                const bool is_wall = x < 0 || y < 0 || z < 0 || x >= side || y >= side || z >= side;
                if (is_wall && z >= side) continue;  // open at the top
                float *to = made->all.xyz + 3 * at[is_wall]++;
                const int place[3] = {x, y, z};
                for (int k = 0; k < 3; ++k) {
                    const double off = is_wall ? 0 : 0.2 * mote_random_unit(&random) - 0.1;
                    to[k] = (float)(place[k] + off);
                }
            }
    made->all.count = at[1];
    return true;
}

// One way to search.
typedef enum sets_form {
    AS_ONE_SET,
    FOUR_PAIRS,
    FLUID_ALONE,
    WALLS_ALONE,
    FLUID_INTO_WALLS,
    WALLS_INTO_FLUID
} sets_form;
enum { FORMS = WALLS_INTO_FLUID + 1 };
static const char *const names[FORMS] = {"auto",        "fluid and walls, four pairs", "fluid alone",
                                         "walls alone", "fluid into walls",            "walls into fluid"};

typedef struct contender {
    mote_neighbors *search;
    bench_samples samples;
    bench_row row;
} contender;

static mote_points part(const tank *basin, bool walls)
{
    const size_t fluid = basin->fluid;
    return walls ? mote_points_xyz(basin->all.xyz + 3 * fluid, basin->all.count - fluid)
                 : mote_points_xyz(basin->all.xyz, fluid);
}

// @param lists   four; those of a plain search come first
static bool search(const tank *basin, sets_form form, contender *entry, mote_lists lists[4])
{
    static const bool into_walls[4] = {false, true, false, false}, into_fluid[4] = {false, false, true, false};
    const mote_points all = bench_points_view(&basin->all), sets[2] = {part(basin, false), part(basin, true)};
    const double start = bench_seconds();
    for (int k = 0; k < 4; ++k) lists[k] = (mote_lists){.count = 0};
    mote_result result = MOTE_OK;
    if (form == AS_ONE_SET || form == FLUID_ALONE || form == WALLS_ALONE)
        result = mote_neighbors_update(entry->search, form == AS_ONE_SET ? all : sets[form == WALLS_ALONE], NULL);
    else
        result = mote_neighbors_update_sets(entry->search, sets, 2, NULL, NULL);
    const double built = bench_seconds();
    if (result != MOTE_OK) return false;
    if (form == AS_ONE_SET || form == FLUID_ALONE || form == WALLS_ALONE)
        result = mote_neighbors_lists(entry->search, lists, NULL);
    else
        result = mote_neighbors_lists_of_sets(entry->search,
                                              form == FLUID_INTO_WALLS   ? into_walls
                                              : form == WALLS_INTO_FLUID ? into_fluid
                                                                         : NULL,
                                              4, lists, NULL);
    bench_samples_add(&entry->samples, built - start, bench_seconds() - built);
    return result == MOTE_OK;
}

// The sum of the hashes of all pairs, numbered as one set.
static bench_reference sum_up(const tank *basin, sets_form form, const mote_lists lists[4])
{
    bench_reference sum = {0, 0};
    for (uint32_t k = 0; k < 4; ++k) {
        const bool is_pair = form == FOUR_PAIRS;
        const uint32_t rows_from = is_pair && k / 2 ? (uint32_t)basin->fluid : 0;
        const uint32_t points_from = is_pair && k % 2 ? (uint32_t)basin->fluid : 0;
        for (uint32_t i = 0; i < lists[k].count; ++i) {
            const mote_row row = mote_lists_row(&lists[k], i);
            sum.pairs += row.count;
            for (uint32_t n = 0; n < row.count; ++n)
                sum.checksum += bench_pair_hash(i + rows_from, row.indices[n] + points_from);
        }
    }
    return sum;
}

static bool check(const tank *basin, sets_form form, const mote_lists lists[4], bench_reference found,
                  bench_reference *right)
{
    if (form == AS_ONE_SET) {
        *right = found;
        return bench_samples_are_right(&basin->all, lists);
    }
    return form != FOUR_PAIRS || (found.pairs == right->pairs && found.checksum == right->checksum);
}

static int measure_all(const bench_options *options, const tank *basin, bench_report *report)
{
    contender entries[FORMS] = {{.search = NULL}};
    mote_context_def context_def = bench_context_def(options->threads ? options->threads : 1);
    mote_neighbors_def def = mote_neighbors_default_def();
    mote_context *context;
    bench_reference right = {0, 0};
    if (mote_context_create(&context_def, &context, NULL) != MOTE_OK) return 1;
    def.radius = (double)basin->all.radius;
    def.features = MOTE_NEIGHBORS_QUERY;
    int status = 0;
    const uint32_t repeat = options->repeat ? options->repeat : 7;
    for (uint32_t turn = 0; turn <= repeat && status == 0; ++turn)  // the first one warms up and is checked
        for (uint32_t f = 0; f < FORMS && status == 0; ++f) {
            mote_lists lists[4];
            contender *entry = entries + f;
            bench_progress(options, "tank: %s, repetition %u", names[f], turn);
            if (turn == 0 && mote_neighbors_create(context, &def, &entry->search, NULL) != MOTE_OK) status = 1;
            if (status == 0 && !search(basin, (sets_form)f, entry, lists)) status = 1;
            if (status != 0 || turn > 0) continue;
            const bench_reference found = sum_up(basin, (sets_form)f, lists);
            entry->row.verified = check(basin, (sets_form)f, lists, found, &right);
            entry->row.result = found.pairs;
            entry->samples.count = 0;
        }
    for (uint32_t f = 0; f < FORMS; ++f) {
        bench_row *row = &entries[f].row;
        row->bench = "sets";
        row->workload = "tank";
        snprintf(row->name, sizeof row->name, "%s", names[f]);
        row->count = row->queries = basin->all.count;
        row->threads = context_def.thread_count;
        row->bytes = entries[f].search ? mote_neighbors_byte_count(entries[f].search, NULL) : 0;
        if (entries[f].samples.count > 0) {
            bench_samples_finish(&entries[f].samples, row);
            if (!row->verified) status = 1;
            bench_report_add(report, *row);
        }
        mote_neighbors_destroy(entries[f].search);
    }
    mote_context_destroy(context);
    return status;
}

int bench_sets(const bench_options *options, bench_report *report)
{
    tank basin;
    if (!make_tank(options->count ? options->count : 1000000, &basin)) return 1;
    const int status = measure_all(options, &basin, report);
    free(basin.all.xyz);
    return status;
}
