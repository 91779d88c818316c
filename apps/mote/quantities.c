// SPDX-License-Identifier: MIT
// The quantities of a simulation's objects, for reports and for the terminal.

#include <stdlib.h>
#include <string.h>

#include "app.h"

mote_result app_quantities_get(mote_simulation *simulation, app_quantities *quantities, mote_error *error)
{
    const size_t objects = mote_simulation_object_count(simulation);
    *quantities = (app_quantities){NULL, 0};
    for (size_t k = 0; k < objects; ++k) {
        mote_quantity told[MOTE_OBJECT_QUANTITIES];
        size_t count = 0;
        const mote_result result = mote_simulation_get_quantities(simulation, k, told, &count, error);
        if (result != MOTE_OK) return result;
        if (count == 0) continue;
        mote_quantity *list = realloc(quantities->list, (quantities->count + count) * sizeof *list);
        if (!list) return MOTE_ERROR_OUT_OF_MEMORY;
        memcpy(list + quantities->count, told, count * sizeof *list);
        quantities->list = list;
        quantities->count += count;
    }
    return MOTE_OK;
}

double app_quantity_of(const app_quantities *quantities, const char *name, bool is_fixed, double otherwise)
{
    for (size_t k = 0; k < quantities->count; ++k) {
        const mote_quantity *one = &quantities->list[k];
        if (one->is_fixed == is_fixed && strcmp(one->name, name) == 0) return one->value[0];
    }
    return otherwise;
}

// "wall_particles" as "12 wall particles", "1 wall particle".
static void print_count(const mote_quantity *quantity)
{
    const uint64_t count = (uint64_t)quantity->value[0];
    const size_t length = strlen(quantity->name);
    const bool is_one = count == 1 && length && quantity->name[length - 1] == 's';
    printf("%llu ", (unsigned long long)count);
    for (size_t k = 0; k < length - is_one; ++k) putchar(quantity->name[k] == '_' ? ' ' : quantity->name[k]);
}

void app_quantities_print_counts(const app_quantities *quantities, bool is_fixed)
{
    bool is_first = true;
    for (size_t k = 0; k < quantities->count; ++k) {
        const mote_quantity *one = &quantities->list[k];
        if (one->is_fixed != is_fixed || one->unit) continue;
        if (!is_first) printf(", ");
        print_count(one);
        is_first = false;
    }
}
