// SPDX-License-Identifier: MIT
// Boxes from files: CSV and JSON.
//
// JSON is read as a stream, without a tree of values: a million boxes take no more memory than their numbers, and
// errors are reported with their line. The reader accepts a part of JSON (RFC 8259): numbers, arrays of them and two
// names. jansson, which reads scenes, builds a tree (96 MB and 0.8 s for 300,000 boxes, before any of them is
// checked) and gives lines only for syntax errors: it could not report the line of a box whose min is above its max.

#include <math.h>
#include <string.h>

#include "import/internal.h"
#include "import/table.h"

enum { MOST_NUMBERS = 6, NO_COLUMN = MOST_NUMBERS };

// Boxes as they are read.
typedef struct box_builder {
    mote_context *context;
    const mote_source *source;
    mote_buffer corners;  // floats
    size_t count;
    int dimensions;  // 0: not known yet
} box_builder;

// The name of a field, "box 3: max y", as messages begin with it.
typedef struct box_field {
    char text[48];
} box_field;

static box_field field_of(const box_builder *builder, int slot)
{
    box_field field;
    const int axis = slot % builder->dimensions;
    mote_print(field.text, sizeof field.text, "box %zu: %s %c", builder->count, slot == axis ? "min" : "max",
               "xyz"[axis]);
    return field;
}

// Adds a box, given as 2 · dimensions numbers on line `line`.
static mote_result add_box(box_builder *builder, uint32_t line, const double numbers[MOST_NUMBERS])
{
    const size_t width = 2 * (size_t)builder->dimensions, bytes = width * sizeof(float);
    float corners[MOST_NUMBERS] = {0};
    for (int s = 0; s < (int)width; ++s) {
        corners[s] = (float)numbers[s];
        if (isinf(corners[s]))
            return mote_source_fail(builder->source, line, 1, "%s is %g, beyond what floats hold, expected at most "
                                    "3.4e38", field_of(builder, s).text, numbers[s]);
    }
    for (int a = 0; a < builder->dimensions; ++a)
        if (numbers[a] > numbers[a + builder->dimensions])
            return mote_source_fail(builder->source, line, 1, "%s is %g, expected at most max %c, which is %g",
                                    field_of(builder, a).text, numbers[a], "xyz"[a], numbers[a + builder->dimensions]);
    const size_t used = builder->count * bytes;
    if (used + bytes > builder->corners.bytes &&
        mote_buffer_reserve(builder->context, &builder->corners, MOTE_MAX(2 * used, 4096), used) != MOTE_OK)
        return mote_fail(builder->source->error, MOTE_ERROR_OUT_OF_MEMORY, builder->count,
                         "%s: no memory for its boxes", builder->source->name);
    memcpy((char *)builder->corners.data + used, corners, bytes);
    builder->count += 1;
    return MOTE_OK;
}

// Returns the boxes if `result` is MOTE_OK, and releases them otherwise.
static mote_result finish(box_builder *builder, mote_result result, mote_box_data *boxes)
{
    memset(boxes, 0, sizeof *boxes);
    if (result != MOTE_OK) {
        mote_buffer_release(builder->context, &builder->corners);
        return result;
    }
    boxes->count = builder->count;
    boxes->dimensions = builder->dimensions ? builder->dimensions : 3;
    boxes->corners = builder->corners.data;
    boxes->bytes = builder->corners.bytes;
    boxes->context = builder->context;
    return MOTE_OK;
}

void mote_box_data_release(mote_box_data *boxes)
{
    if (!boxes) return;
    mote_release(boxes->context, boxes->corners, boxes->bytes);
    memset(boxes, 0, sizeof *boxes);
}

// --------------------------------------------------------------------------------------------------------- CSV

// The columns of min x, y, z, max x, y, z; SIZE_MAX: none.
typedef struct box_columns {
    size_t at[MOST_NUMBERS];
    size_t known;  // of these, how many were found by name
} box_columns;

// The number that a column's name stands for: "min_x", "Max Y", "zmin", …; NO_COLUMN: none.
static int number_named(const mote_token *name)
{
    static const char *const names[2][MOST_NUMBERS] = {{"minx", "miny", "minz", "maxx", "maxy", "maxz"},
                                                       {"xmin", "ymin", "zmin", "xmax", "ymax", "zmax"}};
    char letters[5] = "";
    size_t count = 0;
    for (size_t i = 0; i < name->length; ++i) {
        char c = name->text[i];
        if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
        if (c == ' ' || c == '_' || c == '.' || c == '-' || c == ':') continue;
        if (count == 4) return NO_COLUMN;
        letters[count++] = c;
    }
    for (int form = 0; form < 2; ++form)
        for (int k = 0; k < MOST_NUMBERS; ++k)
            if (strcmp(letters, names[form][k]) == 0) return k;
    return NO_COLUMN;
}

// Counts the columns of the first line, and finds those with known names. Skips the line if it holds names.
static mote_result read_names(mote_table *table, box_columns *columns)
{
    mote_table line = *table;
    mote_token field;
    bool has_names = false;
    for (bool goes_on = true; goes_on; ++table->columns) {
        goes_on = mote_table_field(&line, &field);
        double number;
        if (table->columns == 0) has_names = !mote_number_parse(field.text, field.length, &number);
        const int k = has_names ? number_named(&field) : NO_COLUMN;
        if (k == NO_COLUMN) continue;
        if (columns->at[k] != SIZE_MAX)
            return mote_token_fail(table->source, &field, "column", "each of min x, y, z and max x, y, z only once");
        columns->at[k] = table->columns;
        columns->known += 1;
    }
    if (has_names) table->at = line.at;
    return MOTE_OK;
}

// If any names are known, they decide the columns; otherwise there must be four columns or six.
static mote_result read_columns(mote_table *table, box_columns *columns, int *dimensions)
{
    const uint32_t line = table->line;
    for (int k = 0; k < MOST_NUMBERS; ++k) columns->at[k] = SIZE_MAX;
    mote_result result = read_names(table, columns);
    if (result != MOTE_OK) return result;
    const size_t count = columns->known ? columns->known : table->columns;
    if (count != 4 && count != 6)
        return mote_source_fail(table->source, line, 1, "%zu columns of boxes, expected 4 (min x, y, max x, y) or 6 "
                                "(min x, y, z, max x, y, z)", count);
    *dimensions = (int)count / 2;
    const size_t flat = count / 2;
    for (size_t k = 0; k < count && !columns->known; ++k) columns->at[k / flat * 3 + k % flat] = k;
    for (size_t k = 0; k < MOST_NUMBERS; ++k)
        if ((k % 3 < flat) != (columns->at[k] != SIZE_MAX))
            return mote_source_fail(table->source, line, 1, "%s column %s %c, expected min and max of x and y, or of "
                                    "x, y and z", k % 3 < flat ? "no" : "a", k < 3 ? "min" : "max", "xyz"[k % 3]);
    return MOTE_OK;
}

static mote_result read_row(mote_table *table, const box_columns *columns, box_builder *builder)
{
    double numbers[MOST_NUMBERS] = {0};
    size_t column = 0;
    mote_token field;
    for (bool goes_on = true; goes_on; ++column) {
        goes_on = mote_table_field(table, &field);
        for (int k = 0; k < MOST_NUMBERS; ++k) {
            if (column != columns->at[k]) continue;
            const int slot = k / 3 * builder->dimensions + k % 3;
            if (!mote_number_parse(field.text, field.length, &numbers[slot]))
                return mote_token_fail(table->source, &field, field_of(builder, slot).text, "a finite number");
        }
    }
    if (column == table->columns) return add_box(builder, table->line, numbers);
    return mote_table_fail_width(table, column);
}

mote_result mote_import_boxes_csv(mote_context *context, const char *name, const void *data, size_t size,
                                  mote_box_data *boxes, mote_error *error)
{
    if (!boxes || (!data && size)) return mote_fail_null(error, "import", "the data, or where to put the boxes");
    mote_source source = mote_source_make(name, data, size, error);
    box_builder builder = {.context = context, .source = &source};
    mote_table table = mote_table_make(&source);
    box_columns columns = {.known = 0};
    mote_result result = MOTE_OK;
    if (mote_table_line(&table)) result = read_columns(&table, &columns, &builder.dimensions);
    while (result == MOTE_OK && mote_table_line(&table)) result = read_row(&table, &columns, &builder);
    return finish(&builder, result, boxes);
}

// -------------------------------------------------------------------------------------------------------- JSON

typedef struct json_text {
    const mote_source *source;
    size_t at;
    uint32_t line;
} json_text;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_mark(char c)
{
    return c == '[' || c == ']' || c == '{' || c == '}' || c == ',' || c == ':';
}

// The next mark, string with its quotes, or word.
static mote_token next_token(json_text *text)
{
    const char *data = text->source->data;
    const size_t size = text->source->size;
    for (; text->at < size && is_blank(data[text->at]); ++text->at) text->line += data[text->at] == '\n';
    mote_token token = {MOTE_TOKEN_WORD, data + text->at, 0, text->line, 1};
    if (text->at == size) {
        token.kind = MOTE_TOKEN_FILE_END;
        return token;
    }
    size_t end = text->at + 1;
    if (data[text->at] == '"') {
        while (end < size && data[end] != '"' && data[end] != '\n') end += data[end] == '\\' && end + 1 < size ? 2 : 1;
        if (end < size && data[end] == '"') ++end;
    } else if (!is_mark(data[text->at])) {
        while (end < size && !is_blank(data[end]) && !is_mark(data[end]) && data[end] != '"') ++end;
    }
    token.length = end - text->at;
    text->at = end;
    return token;
}

// RFC 8259 allows no sign +, no zeros before a digit, and requires digits on both sides of a point.
static bool read_number(const mote_token *token, double *number)
{
    const char *at = token->text, *end = at + token->length;
    if (at < end && *at == '-') ++at;
    if (at == end || *at < '0' || *at > '9') return false;
    if (*at == '0' && at + 1 < end && at[1] >= '0' && at[1] <= '9') return false;
    const char *point = memchr(at, '.', (size_t)(end - at));
    if (point && (point + 1 == end || point[1] < '0' || point[1] > '9')) return false;
    return mote_number_parse(token->text, token->length, number);
}

// A string is put into the message without quotes of its own.
static mote_result refuse(const json_text *text, mote_token token, const char *what, const char *expected)
{
    if (token.length > 1 && token.text[0] == '"' && token.text[token.length - 1] == '"') {
        ++token.text;
        token.length -= 2;
    }
    return mote_token_fail(text->source, &token, what, expected);
}

static mote_result expect(json_text *text, const char *mark, const char *what, const char *expected)
{
    mote_token token = next_token(text);
    return mote_token_is(&token, mark) ? MOTE_OK : refuse(text, token, what, expected);
}

// Reads numbers up to the closing bracket; the opening one has been read.
static mote_result read_numbers(json_text *text, const char *what, double numbers[MOST_NUMBERS], int most, int *count)
{
    for (*count = 0;; ++*count) {
        mote_token token = next_token(text);
        if (*count == 0 && mote_token_is(&token, "]")) return MOTE_OK;
        double beyond;
        if (!read_number(&token, *count < most ? &numbers[*count] : &beyond)) {
            char field[64];
            mote_print(field, sizeof field, "%s: number %d", what, *count + 1);
            return refuse(text, token, field, "a finite number");
        }
        token = next_token(text);
        if (mote_token_is(&token, "]")) {
            ++*count;
            return MOTE_OK;
        }
        if (!mote_token_is(&token, ",")) return refuse(text, token, what, "a comma or ]");
    }
}

// The first box decides the dimensions of all.
static mote_result check_dimensions(box_builder *builder, uint32_t line, const char *what, int count, int corners)
{
    const int dimensions = count / corners;
    if (count % corners == 0 && (builder->dimensions ? dimensions == builder->dimensions
                                                     : dimensions == 2 || dimensions == 3)) {
        builder->dimensions = dimensions;
        return MOTE_OK;
    }
    if (builder->dimensions)
        return mote_source_fail(builder->source, line, 1, "%s: %d numbers, expected %d as before", what,
                                count, corners * builder->dimensions);
    return mote_source_fail(builder->source, line, 1, "%s: %d numbers, expected %d or %d", what, count, 2 * corners,
                            3 * corners);
}

// Reads {"min": [x, y, z], "max": [x, y, z]}; the opening brace has been read.
static mote_result read_object(json_text *text, const char *what, box_builder *builder, double numbers[MOST_NUMBERS])
{
    static const char *const names[2] = {"\"min\"", "\"max\""};
    double corner[2][3] = {{0}};
    bool has[2] = {false, false};
    while (!has[0] || !has[1]) {
        mote_token name = next_token(text);
        const int k = mote_token_is(&name, names[1]);
        if ((k == 0 && !mote_token_is(&name, names[0])) || has[k])
            return refuse(text, name, what, "\"min\" and \"max\", each once");
        char field[48];
        mote_print(field, sizeof field, "%s: %s", what, k ? "max" : "min");
        int count = 0;
        mote_result result = expect(text, ":", field, "a colon");
        if (result == MOTE_OK) result = expect(text, "[", field, "an array of numbers");
        const uint32_t line = text->line;
        if (result == MOTE_OK) result = read_numbers(text, field, corner[k], 3, &count);
        if (result == MOTE_OK) result = check_dimensions(builder, line, field, count, 1);
        if (result != MOTE_OK) return result;
        has[k] = true;
        if (!has[1 - k] && (result = expect(text, ",", field, "a comma and the other corner")) != MOTE_OK)
            return result;
    }
    for (int a = 0; a < builder->dimensions; ++a) {
        numbers[a] = corner[0][a];
        numbers[a + builder->dimensions] = corner[1][a];
    }
    return expect(text, "}", what, "} behind \"min\" and \"max\"");
}

static mote_result read_box(json_text *text, box_builder *builder)
{
    char what[32];
    mote_print(what, sizeof what, "box %zu", builder->count);
    double numbers[MOST_NUMBERS] = {0};
    mote_token token = next_token(text);
    mote_result result;
    if (mote_token_is(&token, "[")) {
        int count = 0;
        result = read_numbers(text, what, numbers, MOST_NUMBERS, &count);
        if (result == MOTE_OK) result = check_dimensions(builder, token.line, what, count, 2);
    } else if (mote_token_is(&token, "{")) {
        result = read_object(text, what, builder, numbers);
    } else {
        result = refuse(text, token, what, "[ and 4 or 6 numbers, or {\"min\": [...], \"max\": [...]}");
    }
    return result == MOTE_OK ? add_box(builder, token.line, numbers) : result;
}

static mote_result read_boxes(json_text *text, box_builder *builder)
{
    mote_result result = expect(text, "[", "file", "[, an array of boxes");
    json_text before = *text;
    mote_token token = next_token(text);
    if (result == MOTE_OK && !mote_token_is(&token, "]")) {
        *text = before;
        do {
            result = read_box(text, builder);
            token = next_token(text);
        } while (result == MOTE_OK && mote_token_is(&token, ","));
        if (result == MOTE_OK && !mote_token_is(&token, "]"))
            result = refuse(text, token, "behind a box", "a comma or ]");
    }
    if (result != MOTE_OK) return result;
    token = next_token(text);
    if (token.kind == MOTE_TOKEN_FILE_END) return MOTE_OK;
    return refuse(text, token, "behind the last box", "end of file");
}

mote_result mote_import_boxes_json(mote_context *context, const char *name, const void *data, size_t size,
                                   mote_box_data *boxes, mote_error *error)
{
    if (!boxes || (!data && size)) return mote_fail_null(error, "import", "the data, or where to put the boxes");
    mote_source source = mote_source_make(name, data, size, error);
    box_builder builder = {.context = context, .source = &source};
    json_text text = {.source = &source, .line = 1};
    mote_result result = read_boxes(&text, &builder);
    return finish(&builder, result, boxes);
}

mote_result mote_import_boxes(mote_context *context, const char *path, mote_box_data *boxes, mote_error *error)
{
    if (!path || !boxes) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "import: no path, or nowhere to put boxes");
    const bool is_csv = mote_path_ends_with(path, ".csv");
    if (!is_csv && !mote_path_ends_with(path, ".json"))
        return mote_fail(error, MOTE_ERROR_FORMAT, 0, "%s: unknown kind of boxes, expected .csv or .json", path);
    mote_buffer buffer = {0};
    size_t size;
    mote_result result = mote_file_load(context, path, &buffer, &size, error);
    if (result == MOTE_OK)
        result = (is_csv ? mote_import_boxes_csv : mote_import_boxes_json)(context, path, buffer.data, size, boxes,
                                                                          error);
    mote_buffer_release(context, &buffer);
    return result;
}
