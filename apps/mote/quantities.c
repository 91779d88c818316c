// SPDX-License-Identifier: MIT
// The quantities of a simulation's objects, for reports and for the terminal.

#include <math.h>
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

void app_quantity_name(const mote_quantity *quantity, char name[APP_QUANTITY_NAME])
{
    if (quantity->of) snprintf(name, APP_QUANTITY_NAME, "%.64s.%s", quantity->of, quantity->name);
    else snprintf(name, APP_QUANTITY_NAME, "%s", quantity->name);
}

double app_quantities_sum(const app_quantities *quantities, const char *name)
{
    double sum = NAN;
    for (size_t k = 0; k < quantities->count; ++k) {
        const mote_quantity *one = &quantities->list[k];
        if (one->is_fixed || strcmp(one->name, name) != 0) continue;
        sum = isnan(sum) ? one->value[0] : sum + one->value[0];
    }
    return sum;
}

// A name's first letters, with spaces for its underscores.
static void print_words(const char *name, size_t length)
{
    for (size_t k = 0; k < length; ++k) putchar(name[k] == '_' ? ' ' : name[k]);
}

// "wall_particles" as "12 wall particles", "1 wall particle".
static void print_count(const mote_quantity *quantity)
{
    const uint64_t count = (uint64_t)quantity->value[0];
    const size_t length = strlen(quantity->name);
    const bool is_one = count == 1 && length && quantity->name[length - 1] == 's';
    printf("%llu ", (unsigned long long)count);
    print_words(quantity->name, length - is_one);
}

// A share is shown in percent.
static void print_value(const char *unit, double value)
{
    if (unit[0]) printf("%.2f %s", value, unit);
    else printf("%.2f %%", 100 * value);
}

void app_quantities_print_counts(const app_quantities *quantities, bool is_fixed)
{
    const mote_quantity *last = NULL;
    for (size_t k = 0; k < quantities->count; ++k) {
        const mote_quantity *one = &quantities->list[k];
        if (one->is_fixed != is_fixed || one->unit) continue;
        const bool is_of_last = last && last->of == one->of;
        if (last) printf(is_of_last ? ", " : "; ");
        if (one->of && !is_of_last) printf("%s: ", one->of);
        print_count(one);
        last = one;
    }
}

void app_quantities_print_vital(const app_quantities *quantities)
{
    for (size_t k = 0; k < quantities->count; ++k) {
        const mote_quantity *one = &quantities->list[k];
        if (!one->is_vital) continue;
        printf("  ");
        if (!one->unit) {
            print_count(one);
            continue;
        }
        print_words(one->name, strlen(one->name));
        printf(" ");
        print_value(one->unit, one->value[0]);
    }
}

// The largest value of all quantities with that name.
static double find_largest(const app_record *records, size_t count, const char *name)
{
    double largest = NAN;
    for (size_t i = 0; i < count; ++i)
        for (size_t k = 0; k < records[i].quantities.count; ++k) {
            const mote_quantity *one = &records[i].quantities.list[k];
            if (one->is_vital && strcmp(one->name, name) == 0) largest = fmax(largest, one->value[0]);
        }
    return largest;
}

static bool is_first_of_name(const app_quantities *quantities, size_t k)
{
    for (size_t i = 0; i < k; ++i)
        if (strcmp(quantities->list[i].name, quantities->list[k].name) == 0) return false;
    return true;
}

void app_records_print_largest(const app_record *records, size_t count)
{
    if (count == 0) return;
    const app_quantities *last = &records[count - 1].quantities;
    for (size_t k = 0; k < last->count; ++k) {
        const mote_quantity *one = &last->list[k];
        if (!one->is_vital || !one->unit || !is_first_of_name(last, k)) continue;
        printf("; ");
        print_words(one->name, strlen(one->name));
        printf(" at most ");
        print_value(one->unit, find_largest(records, count, one->name));
    }
}
