// SPDX-License-Identifier: MIT
// What objects tell of themselves, for reports and for the terminal.

#include <stdlib.h>
#include <string.h>

#include "app.h"

mote_result app_quantities_get(mote_simulation *simulation, app_quantities *quantities, mote_error *error)
{
    const size_t objects = mote_simulation_object_count(simulation);
    *quantities = (app_quantities){calloc(objects * MOTE_OBJECT_QUANTITIES + 1, sizeof(mote_quantity)), 0};
    if (!quantities->list) return MOTE_ERROR_OUT_OF_MEMORY;
    mote_result result = MOTE_OK;
    for (size_t k = 0; k < objects && result == MOTE_OK; ++k) {
        size_t count = 0;
        result = mote_simulation_get_quantities(simulation, k, quantities->list + quantities->count, &count, error);
        quantities->count += count;
    }
    return result;
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
