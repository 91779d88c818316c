// Points from files: tables of numbers (CSV, XYZ), the vertices of a PLY file, and what readers of their own find.

#include <string.h>

#include "import/ply.h"
#include "import/points.h"

// Hands the builder's vertices over if `result` is MOTE_OK, and releases the rest in any case.
static mote_result finish(mote_mesh_builder *builder, mote_result result, int dimensions, mote_point_data *points)
{
    mote_buffer_release(builder->context, &builder->triangles);
    memset(points, 0, sizeof *points);
    if (result != MOTE_OK) {
        mote_buffer_release(builder->context, &builder->vertices);
        return result;
    }
    points->count = builder->vertex_count;
    points->dimensions = dimensions;
    points->xyz = builder->vertices.data;
    points->bytes = builder->vertices.bytes;
    points->wide = builder->has_wide ? builder->wide : points->count;
    points->wide_line = builder->wide_line;
    return MOTE_OK;
}

void mote_point_data_release(mote_context *context, mote_point_data *points)
{
    mote_release(context, points->xyz, points->bytes);
    memset(points, 0, sizeof *points);
}

mote_result mote_import_points_ply(mote_context *context, const char *name, const void *data, size_t size,
                                   mote_point_data *points, mote_error *error)
{
    mote_source source = mote_source_make(name, data, size, error);
    mote_mesh_builder builder = {.context = context, .source = &source};
    mote_result result = mote_ply_read(&source, false, &builder);
    return finish(&builder, result, 3, points);
}

mote_result mote_import_points_vtp(mote_context *context, const char *name, const void *data, size_t size,
                                   mote_point_data *points, mote_error *error)
{
    mote_source source = mote_source_make(name, data, size, error);
    mote_mesh_builder builder = {.context = context, .source = &source};
    mote_result result = mote_vtp_read(&source, &builder);
    return finish(&builder, result, 3, points);
}

// --------------------------------------------------------------------------------------------------------- XYZ

static mote_result read_xyz_point(mote_scanner *scanner, mote_mesh_builder *builder)
{
    static const char *const names[3] = {"x", "y", "z"};
    double at[3];
    for (int k = 0; k < 3; ++k) {
        mote_result result = mote_scanner_number(scanner, names[k], &at[k]);
        if (result != MOTE_OK) return result;
    }
    builder->line = scanner->line;
    mote_scanner_skip_line(scanner);
    mote_scanner_next(scanner);  // its end
    return mote_builder_vertex(builder, (mote_vec3){at[0], at[1], at[2]});
}

// Atoms: their number stood on the first line.
static mote_result read_atoms(mote_scanner *scanner, int64_t count, mote_mesh_builder *builder)
{
    scanner->comment = 0;
    mote_scanner_skip_line(scanner);  // the comment
    mote_scanner_next(scanner);
    for (int64_t i = 0; i < count; ++i) {
        mote_token name = mote_scanner_next(scanner);
        if (name.kind != MOTE_TOKEN_WORD) return mote_token_fail(scanner->source, &name, "atom", "a name");
        mote_result result = read_xyz_point(scanner, builder);
        if (result != MOTE_OK) return result;
    }
    mote_token token;
    do token = mote_scanner_next(scanner);
    while (token.kind == MOTE_TOKEN_LINE_END);
    if (token.kind == MOTE_TOKEN_FILE_END) return MOTE_OK;
    return mote_token_fail(scanner->source, &token, "after the last atom", "end of file");
}

static mote_result read_xyz(mote_scanner *scanner, mote_mesh_builder *builder)
{
    for (;;) {
        mote_scanner before = *scanner;
        mote_token first = mote_scanner_next(scanner);
        if (first.kind == MOTE_TOKEN_FILE_END) return MOTE_OK;
        if (first.kind == MOTE_TOKEN_LINE_END) continue;
        int64_t count;
        if (builder->vertex_count == 0 && mote_integer_parse(first.text, first.length, 0, UINT32_MAX - 1, &count) &&
            mote_scanner_next(scanner).kind == MOTE_TOKEN_LINE_END)
            return read_atoms(scanner, count, builder);
        *scanner = before;
        mote_result result = read_xyz_point(scanner, builder);
        if (result != MOTE_OK) return result;
    }
}

mote_result mote_import_points_xyz(mote_context *context, const char *name, const void *data, size_t size,
                                   mote_point_data *points, mote_error *error)
{
    mote_source source = mote_source_make(name, data, size, error);
    mote_mesh_builder builder = {.context = context, .source = &source};
    mote_scanner scanner = {.source = &source, .line = 1, .comment = '#'};
    mote_result result = read_xyz(&scanner, &builder);
    return finish(&builder, result, 3, points);
}

// --------------------------------------------------------------------------------------------------------- CSV

// A table of fields, line by line.
typedef struct csv_table {
    const mote_source *source;
    size_t at;
    uint32_t line;
    char delimiter;
    size_t columns;    // of every line
    size_t column[3];  // that hold x, y, z; SIZE_MAX: none
} csv_table;

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

// Passes over blank lines and comments. False at the end of the file.
static bool find_line(csv_table *table)
{
    const char *text = table->source->data;
    for (; table->at < table->source->size; ++table->at) {
        char c = text[table->at];
        if (c == '#')
            while (table->at + 1 < table->source->size && !is_line_end(text[table->at + 1])) ++table->at;
        else if (is_line_end(c))
            table->line += c == '\n' || table->at + 1 == table->source->size || text[table->at + 1] != '\n';
        else if (c != ' ')
            return true;
    }
    return false;
}

// The next field of the line, without blanks and quotes around it. False when that was the last one of the line.
static bool next_field(csv_table *table, mote_token *field)
{
    const char *text = table->source->data;
    size_t begin = table->at, end = begin;
    bool quoted = false;
    for (; end < table->source->size && !is_line_end(text[end]); ++end) {
        if (text[end] == '"') quoted = !quoted;
        else if (text[end] == table->delimiter && !quoted) break;
    }
    bool goes_on = end < table->source->size && text[end] == table->delimiter;
    table->at = end + goes_on;
    while (begin < end && text[begin] == ' ') ++begin;
    while (begin < end && text[end - 1] == ' ') --end;
    if (end - begin > 1 && text[begin] == '"' && text[end - 1] == '"') ++begin, --end;
    *field = (mote_token){MOTE_TOKEN_WORD, text + begin, end - begin, table->line, 1};
    return goes_on;
}

static char find_delimiter(const csv_table *table)
{
    const char *text = table->source->data;
    for (size_t at = table->at; at < table->source->size && !is_line_end(text[at]); ++at)
        if (text[at] == ',' || text[at] == ';' || text[at] == '\t') return text[at];
    return ',';
}

// The axis that a column's name stands for, or −1.
static int axis_of(const mote_token *name)
{
    static const char *const names[3][3] = {{"x", "X", "Points:0"}, {"y", "Y", "Points:1"}, {"z", "Z", "Points:2"}};
    for (int a = 0; a < 3; ++a)
        for (int k = 0; k < 3; ++k)
            if (mote_token_is(name, names[a][k])) return a;
    return -1;
}

// Finds out from the first line what the columns are, and passes over it if it holds names.
static mote_result read_columns(csv_table *table)
{
    csv_table line = *table;
    mote_token field, first;
    bool goes_on = next_field(&line, &first);
    double number;
    const bool has_names = !mote_number_parse(first.text, first.length, &number);
    for (size_t k = 0; k < 3; ++k) table->column[k] = SIZE_MAX;
    for (field = first;; goes_on = next_field(&line, &field)) {
        int axis = has_names ? axis_of(&field) : table->columns < 3 ? (int)table->columns : -1;
        if (axis >= 0 && table->column[axis] != SIZE_MAX)
            return mote_token_fail(table->source, &field, "column", "each of x, y, z only once");
        if (axis >= 0) table->column[axis] = table->columns;
        ++table->columns;
        if (!goes_on) break;
    }
    if (has_names) table->at = line.at;
    if (table->column[0] != SIZE_MAX && (table->column[1] != SIZE_MAX || table->column[2] == SIZE_MAX)) return MOTE_OK;
    return mote_source_fail(table->source, table->line, 1, "no column x, or z without y, expected columns x, y, z");
}

static mote_result read_row(csv_table *table, mote_mesh_builder *builder)
{
    static const char *const names[3] = {"x", "y", "z"};
    double at[3] = {0, 0, 0};
    size_t column = 0;
    mote_token field;
    for (bool goes_on = true; goes_on; ++column) {
        goes_on = next_field(table, &field);
        for (int a = 0; a < 3; ++a)
            if (column == table->column[a] && !mote_number_parse(field.text, field.length, &at[a]))
                return mote_token_fail(table->source, &field, names[a], "a finite number");
    }
    if (column != table->columns)
        return mote_source_fail(table->source, table->line, 1, "%zu fields, expected %zu as in the first line", column,
                                table->columns);
    builder->line = table->line;
    return mote_builder_vertex(builder, (mote_vec3){at[0], at[1], at[2]});
}

mote_result mote_import_points_csv(mote_context *context, const char *name, const void *data, size_t size,
                                   mote_point_data *points, mote_error *error)
{
    mote_source source = mote_source_make(name, data, size, error);
    mote_mesh_builder builder = {.context = context, .source = &source};
    csv_table table = {.source = &source, .line = 1, .column = {0, 1, 2}};
    if (size >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0) table.at = 3;  // the mark that spreadsheets put there
    mote_result result = MOTE_OK;
    if (find_line(&table)) {
        table.delimiter = find_delimiter(&table);
        result = read_columns(&table);
    }
    while (result == MOTE_OK && find_line(&table)) result = read_row(&table, &builder);
    return finish(&builder, result, table.column[2] != SIZE_MAX ? 3 : table.column[1] != SIZE_MAX ? 2 : 1, points);
}

// -------------------------------------------------------------------------------------------------------- files

typedef mote_result read_function(mote_context *context, const char *name, const void *data, size_t size,
                                  mote_point_data *points, mote_error *error);

static const struct {
    const char *ending;
    read_function *read;
} formats[] = {{".ply", mote_import_points_ply},
               {".csv", mote_import_points_csv},
               {".xyz", mote_import_points_xyz},
               {".vtp", mote_import_points_vtp}};

mote_result mote_import_points(mote_context *context, const char *path, mote_point_data *points, mote_error *error)
{
    if (!path || !points) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "import: no path, or nowhere to put points");
    read_function *read = NULL;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; ++i)
        if (mote_path_ends_with(path, formats[i].ending)) read = formats[i].read;
    if (!read)
        return mote_fail(error, MOTE_ERROR_FORMAT, 0, "%s: unknown kind of points, expected .ply, .csv, .xyz or .vtp",
                         path);
    mote_buffer buffer = {0};
    size_t size;
    mote_result result = mote_file_load(context, path, &buffer, &size, error);
    if (result == MOTE_OK) result = read(context, path, buffer.data, size, points, error);
    mote_buffer_release(context, &buffer);
    return result;
}
