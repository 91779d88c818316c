// SPDX-License-Identifier: MIT
// Motions by tables: natural cubic splines through the rows, so that accelerations have no jumps between them (Press et
// al. 2007, section 3.3). Before its first row and behind its last one a table says that the body rests there.

#include <math.h>
#include <string.h>

#include "simulation/motion_table.h"

enum { COLUMNS = MOTE_MOTION_COLUMNS, CURVES = COLUMNS - 1 };

// The time of a row, and values and second derivatives of its curves.
typedef struct table_row {
    double time, value[CURVES], bend[CURVES];
} table_row;

struct motion_table {
    mote_context *context;
    table_row *rows;
    size_t count;
};

static const char *const names[COLUMNS] = {"t", "x", "y", "z", "turn"};
static const char *const units[COLUMNS] = {"s", "m", "m", "m", "degrees"};
static const double most = 1e6;  // of a number, as in the tables of fields

mote_result mote_motion_table_check(const mote_motion *motion, const char *field, mote_error *error)
{
    const double *rows = motion->table;
    if (!rows || motion->table_count == 0)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "%s has no rows, expected at least one", field);
    for (size_t i = 0; i < motion->table_count; ++i) {
        for (size_t k = 0; k < COLUMNS; ++k)
            if (!(fabs(rows[COLUMNS * i + k]) <= most))
                return mote_fail(error, MOTE_ERROR_ARGUMENT, i, "%s: row %zu: %s is %g %s, expected a number from "
                                 "-1000000 to 1000000", field, i + 1, names[k], rows[COLUMNS * i + k], units[k]);
        if (i > 0 && !(rows[COLUMNS * i] > rows[COLUMNS * (i - 1)]))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, i, "%s: row %zu: t is %g s, expected more than %g s, the time "
                             "of the row before", field, i + 1, rows[COLUMNS * i], rows[COLUMNS * (i - 1)]);
    }
    return MOTE_OK;
}

// The second derivatives of a curve, 0 at its ends: a system of three diagonals, whose upper one is kept in `upper`.
static void bend_curve(motion_table *table, size_t k, double *upper)
{
    table_row *rows = table->rows;
    const size_t last = table->count - 1;
    rows[0].bend[k] = upper[0] = 0;
    for (size_t i = 1; i < last; ++i) {
        const double before = rows[i].time - rows[i - 1].time, behind = rows[i + 1].time - rows[i].time;
        const double share = before / (before + behind);
        const double slope = (rows[i + 1].value[k] - rows[i].value[k]) / behind -
                             (rows[i].value[k] - rows[i - 1].value[k]) / before;
        const double pivot = share * upper[i - 1] + 2;
        upper[i] = (share - 1) / pivot;
        rows[i].bend[k] = (6 * slope / (before + behind) - share * rows[i - 1].bend[k]) / pivot;
    }
    rows[last].bend[k] = 0;
    for (size_t i = last; i-- > 1;) rows[i].bend[k] += upper[i] * rows[i + 1].bend[k];
}

mote_result mote_motion_table_create(mote_context *context, const mote_motion *motion, motion_table **table)
{
    const size_t count = motion->table_count, bytes = mote_bytes(count, sizeof(table_row));
    motion_table *made = mote_allocate(context, sizeof *made);
    if (!made) return MOTE_ERROR_OUT_OF_MEMORY;
    *made = (motion_table){.context = context, .rows = mote_allocate(context, bytes), .count = count};
    *table = made;
    const size_t upper_bytes = mote_bytes(count, sizeof(double));
    double *upper = mote_allocate(context, upper_bytes);
    if (made->rows && upper) {
        for (size_t i = 0; i < count; ++i) {
            made->rows[i] = (table_row){.time = motion->table[COLUMNS * i]};
            memcpy(made->rows[i].value, motion->table + COLUMNS * i + 1, sizeof made->rows[i].value);
        }
        for (size_t k = 0; k < CURVES; ++k) bend_curve(made, k, upper);
    }
    const mote_result result = made->rows && upper ? MOTE_OK : MOTE_ERROR_OUT_OF_MEMORY;
    mote_release(context, upper, upper_bytes);
    return result;
}

void mote_motion_table_destroy(motion_table *table)
{
    if (!table) return;
    mote_release(table->context, table->rows, mote_bytes(table->count, sizeof *table->rows));
    mote_release(table->context, table, sizeof *table);
}

size_t mote_motion_table_byte_count(const motion_table *table)
{
    return table ? sizeof *table + table->count * sizeof *table->rows : 0;
}

void mote_motion_table_derive(const motion_table *table, double time, double curves[CURVES][3])
{
    const table_row *rows = table->rows, *last = rows + table->count - 1;
    const table_row *still = time <= rows->time ? rows : time >= last->time ? last : NULL;
    for (int k = 0; still && k < CURVES; ++k) curves[k][0] = still->value[k], curves[k][1] = curves[k][2] = 0;
    if (still) return;
    size_t low = 0, high = table->count - 1;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (rows[middle].time > time) high = middle;
        else low = middle;
    }
    const table_row *from = &rows[low], *to = &rows[high];
    const double span = to->time - from->time, b = (time - from->time) / span, a = 1 - b;
    for (int k = 0; k < CURVES; ++k) {
        const double first = from->bend[k], second = to->bend[k];
        curves[k][0] = a * from->value[k] + b * to->value[k] +
                       ((a * a * a - a) * first + (b * b * b - b) * second) * span * span / 6;
        curves[k][1] = (to->value[k] - from->value[k]) / span +
                       ((3 * b * b - 1) * second - (3 * a * a - 1) * first) * span / 6;
        curves[k][2] = a * first + b * second;
    }
}

size_t mote_motion_table_find_jump(const motion_table *table, double spacing, double step, double reach)
{
    for (size_t i = 1; i < table->count; ++i) {
        const table_row *from = &table->rows[i - 1], *to = &table->rows[i];
        double squared = 0;
        for (int k = 0; k < 3; ++k) squared += (to->value[k] - from->value[k]) * (to->value[k] - from->value[k]);
        const double way = sqrt(squared) + reach * fabs(to->value[3] - from->value[3]);
        const double span = to->time - from->time;
        if (way * MOTE_MIN(1.0, step / span) > spacing) return i;
    }
    return 0;
}
