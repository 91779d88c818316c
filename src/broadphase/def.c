// SPDX-License-Identifier: MIT
// The def: its fields, their names, and their checks.

#include "broadphase/internal.h"

#define NUMBER_FIELD(member, text)                                                                                \
    {.name = #member, .type = MOTE_FIELD_NUMBER, .unit = "m", .offset = offsetof(mote_broadphase_def, member),    \
     .min = 0, .max = HUGE_VAL, .initial = {0}, .meaning = text}
#define BOOL_FIELD(member, text)                                                                                  \
    {.name = #member, .type = MOTE_FIELD_BOOL, .unit = "", .offset = offsetof(mote_broadphase_def, member),       \
     .initial = {0}, .meaning = text}
#define INT_FIELD(member, least, most, usual, text)                                                               \
    {.name = #member, .type = MOTE_FIELD_INT, .unit = "", .offset = offsetof(mote_broadphase_def, member),        \
     .min = least, .max = most, .initial = {usual}, .meaning = text}

static const mote_field fields[] = {
    {.name = "method", .type = MOTE_FIELD_TEXT, .unit = "", .offset = offsetof(mote_broadphase_def, method),
     .initial_text = "auto", .meaning = "name of a method"},
    INT_FIELD(dimensions, 2, 3, 3, "2 or 3"),
    NUMBER_FIELD(cell_size, "uniform_hash: edge of the cells; 0: chosen from the objects"),
    NUMBER_FIELD(finest, "multilevel_hash, hierarchical_hash: edge of the finest cells, rounded up to a power of two; "
                         "0: as fine as the objects ask for"),
    INT_FIELD(classes, 0, 32, 0, "multilevel_hash, hierarchical_hash: sizes of cells at most; 0: as many as the "
                                 "objects ask for"),
    BOOL_FIELD(fixed_classes, "multilevel_hash: sizes of cells come from the objects of the first update alone"),
    BOOL_FIELD(pairs_on_insertion,
               "hierarchical_hash: every update inserts all objects anew and finds pairs on the way"),
    BOOL_FIELD(unordered_rows, "rows of batch queries need not ascend"),
};

static const mote_field_table table = {"broadphase", "which boxes overlap", fields, sizeof fields / sizeof *fields};

const mote_field_table *mote_broadphase_fields(void)
{
    return &table;
}

mote_broadphase_def mote_broadphase_default_def(void)
{
    mote_broadphase_def def = {0};
    mote_fields_set_defaults(&table, &def);
    def.cookie = MOTE_COOKIE;
    return def;
}

const mote_broadphase_method_info *mote_broadphase_method_at(size_t index)
{
    return index < mote_broadphase_method_count ? &mote_broadphase_method_table[index]->info : NULL;
}

static mote_result find_method(const char *name, const broadphase_method **method, mote_error *error)
{
    enum { MOST = 31 };  // names to choose from
    const char *names[MOST + 1] = {NULL};
    *method = mote_broadphase_method_table[0];
    if (!name) return MOTE_OK;
    for (size_t k = 0; k < mote_broadphase_method_count; ++k) {
        *method = mote_broadphase_method_table[k];
        if (strcmp((*method)->info.name, name) == 0) return MOTE_OK;
        if (k < MOST) names[k] = (*method)->info.name;
    }
    return mote_fail_method(error, "broadphase", name, names);
}

mote_result mote_broadphase_def_check(const mote_broadphase_def *def, const broadphase_method **method,
                                      mote_error *error)
{
    if (!def || def->cookie != MOTE_COOKIE)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "broadphase: no def, or one that mote_broadphase_default_def did not make");
    mote_result result = find_method(def->method, method, error);
    return result == MOTE_OK ? mote_fields_check(&table, def, error) : result;
}
