// SPDX-License-Identifier: MIT
// Motions of bodies from tables of text: times, shifts and angles.

#include <string.h>

#include "import/internal.h"
#include "import/table.h"

enum { COLUMNS = MOTE_MOTION_NUMBERS };

static const char *const names[COLUMNS] = {"t", "x", "y", "z", "turn"};

typedef struct motion_columns {
    size_t at[COLUMNS];  // the column of each; SIZE_MAX: none
} motion_columns;

static int column_named(const mote_token *name)
{
    for (int k = 0; k < COLUMNS; ++k)
        if (mote_token_is(name, names[k])) return k;
    return COLUMNS;
}

// The names of the first line decide the columns. Without names they are in order, as many as there are.
static mote_result read_columns(mote_table *table, motion_columns *columns)
{
    mote_table line = *table;
    mote_token field;
    bool has_names = false;
    for (int k = 0; k < COLUMNS; ++k) columns->at[k] = SIZE_MAX;
    for (bool goes_on = true; goes_on; ++table->columns) {
        goes_on = mote_table_field(&line, &field);
        double number;
        if (table->columns == 0) has_names = !mote_number_parse(field.text, field.length, &number);
        if (!has_names && table->columns < COLUMNS) columns->at[table->columns] = table->columns;
        const int k = has_names ? column_named(&field) : COLUMNS;
        if (has_names && k == COLUMNS)
            return mote_token_fail(table->source, &field, "column", "t, x, y, z or turn");
        if (k == COLUMNS) continue;
        if (columns->at[k] != SIZE_MAX)
            return mote_token_fail(table->source, &field, "column", "each of t, x, y, z and turn only once");
        columns->at[k] = table->columns;
    }
    if (columns->at[0] == SIZE_MAX || table->columns < 2 || table->columns > COLUMNS)
        return mote_source_fail(table->source, table->line, 1, "%zu columns, expected t, and x, y, z or turn beside it",
                                table->columns);
    if (has_names) table->at = line.at;
    return MOTE_OK;
}

static mote_result read_row(mote_table *table, const motion_columns *columns, double numbers[COLUMNS])
{
    size_t column = 0;
    mote_token field;
    memset(numbers, 0, COLUMNS * sizeof *numbers);
    for (bool goes_on = true; goes_on; ++column) {
        goes_on = mote_table_field(table, &field);
        for (int k = 0; k < COLUMNS; ++k)
            if (column == columns->at[k] && !mote_number_parse(field.text, field.length, &numbers[k]))
                return mote_token_fail(table->source, &field, names[k], "a finite number");
    }
    if (column == table->columns) return MOTE_OK;
    return mote_table_fail_width(table, column);
}

static mote_result add_row(mote_context *context, const mote_source *source, uint32_t line,
                           const double numbers[COLUMNS], mote_buffer *rows, size_t *count)
{
    const size_t bytes = COLUMNS * sizeof *numbers, used = *count * bytes;
    const double *before = *count ? (const double *)rows->data + COLUMNS * (*count - 1) : NULL;
    if (before && !(numbers[0] > before[0]))
        return mote_source_fail(source, line, 1, "t is %g, expected more than %g, the time of the row before",
                                numbers[0], before[0]);
    if (used + bytes > rows->bytes &&
        mote_buffer_reserve(context, rows, MOTE_MAX(2 * used, (size_t)4096), used) != MOTE_OK)
        return mote_fail(source->error, MOTE_ERROR_OUT_OF_MEMORY, *count, "%s: no memory for its rows", source->name);
    memcpy((char *)rows->data + used, numbers, bytes);
    *count += 1;
    return MOTE_OK;
}

mote_result mote_import_motion_csv(mote_context *context, const char *name, const void *data, size_t size,
                                   mote_motion_data *motion, mote_error *error)
{
    if (!motion || (!data && size)) return mote_fail_null(error, "import", "the data, or where to put the motion");
    mote_source source = mote_source_make(name, data, size, error);
    mote_table table = mote_table_make(&source);
    mote_buffer rows = {0};
    size_t count = 0;
    motion_columns columns;
    mote_result result = MOTE_OK;
    memset(motion, 0, sizeof *motion);
    if (mote_table_line(&table)) result = read_columns(&table, &columns);
    while (result == MOTE_OK && mote_table_line(&table)) {
        double numbers[COLUMNS];
        const uint32_t line = table.line;
        result = read_row(&table, &columns, numbers);
        if (result == MOTE_OK) result = add_row(context, &source, line, numbers, &rows, &count);
    }
    if (result == MOTE_OK && count == 0) result = mote_source_fail(&source, 0, 0, "no rows, expected at least one");
    if (result == MOTE_OK) *motion = (mote_motion_data){rows.data, count, rows.bytes, context};
    else mote_buffer_release(context, &rows);
    return result;
}

mote_result mote_import_motion(mote_context *context, const char *path, mote_motion_data *motion, mote_error *error)
{
    if (!path || !motion) return mote_fail_null(error, "import", "the path, or where to put the motion");
    mote_buffer buffer = {0};
    size_t size;
    memset(motion, 0, sizeof *motion);
    mote_result result = mote_file_load(context, path, &buffer, &size, error);
    if (result == MOTE_OK) result = mote_import_motion_csv(context, path, buffer.data, size, motion, error);
    mote_buffer_release(context, &buffer);
    return result;
}

void mote_motion_data_release(mote_motion_data *motion)
{
    if (!motion) return;
    mote_release(motion->context, motion->rows, motion->bytes);
    memset(motion, 0, sizeof *motion);
}
