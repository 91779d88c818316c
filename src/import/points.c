// SPDX-License-Identifier: MIT
// Points from files: tables of numbers (CSV and similar, XYZ), the vertices of a PLY file, and the results of
// readers in other files.

#include <stdio.h>
#include <string.h>

#include "import/cloud.h"
#include "import/ply.h"
#include "import/points.h"
#include "import/table.h"

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
    points->context = builder->context;
    points->wide = builder->has_wide ? builder->wide : points->count;
    points->wide_line = builder->wide_line;
    return MOTE_OK;
}

void mote_point_data_release(mote_point_data *points)
{
    if (!points) return;
    mote_release(points->context, points->xyz, points->bytes);
    memset(points, 0, sizeof *points);
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

// Reads atoms; their number was on the first line.
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

static mote_result xyz_read(const mote_source *source, mote_mesh_builder *builder)
{
    mote_scanner scanner = {.source = source, .line = 1, .comment = '#'};
    return read_xyz(&scanner, builder);
}

// ------------------------------------------------------------------------------------------------------ tables

// Which columns hold x, y, z; SIZE_MAX: none.
typedef struct point_columns {
    size_t axis[3];
} point_columns;

// The axis that a column's name stands for, or −1.
static int axis_of(const mote_token *name)
{
    static const char *const names[3][3] = {{"x", "X", "Points:0"}, {"y", "Y", "Points:1"}, {"z", "Z", "Points:2"}};
    for (int a = 0; a < 3; ++a)
        for (int k = 0; k < 3; ++k)
            if (mote_token_is(name, names[a][k])) return a;
    return -1;
}

// Reads the fields of a line as names of columns, and counts them. @return a name that occurs twice, if any
static bool read_names(mote_table *line, point_columns *at, mote_token *twice)
{
    bool is_twice = false;
    for (size_t k = 0; k < 3; ++k) at->axis[k] = SIZE_MAX;
    for (bool goes_on = true; goes_on; ++line->columns) {
        mote_token field;
        goes_on = mote_table_field(line, &field);
        const int axis = axis_of(&field);
        if (axis < 0) continue;
        if (at->axis[axis] != SIZE_MAX && !is_twice) *twice = field, is_twice = true;
        at->axis[axis] = line->columns;
    }
    return is_twice;
}

static bool has_axes(const point_columns *at)
{
    return at->axis[0] != SIZE_MAX && (at->axis[1] != SIZE_MAX || at->axis[2] == SIZE_MAX);
}

// Reads a comment above the first line that names its columns, as NumPy's savetxt writes it.
static bool read_comment(const mote_table *table, size_t columns, point_columns *at)
{
    mote_source source;
    mote_table comment = mote_table_comment(table, &source);
    mote_token twice;
    point_columns named;
    if (!mote_table_line(&comment) || read_names(&comment, &named, &twice)) return false;
    if (comment.columns != columns || !has_axes(&named)) return false;
    *at = named;
    return true;
}

// Determines from the first line what the columns are, and skips the line if it holds names.
static mote_result read_columns(mote_table *table, point_columns *at)
{
    mote_table line = *table, names = *table;
    mote_token first, twice;
    double number;
    mote_table_field(&line, &first);
    const bool has_names = !mote_number_parse(first.text, first.length, &number);
    const bool is_twice = read_names(&names, at, &twice);
    table->columns = names.columns;
    if (has_names) {
        table->at = names.at;
        if (is_twice) return mote_token_fail(table->source, &twice, "column", "each of x, y, z only once");
    } else if (!read_comment(table, table->columns, at)) {
        for (size_t k = 0; k < 3; ++k) at->axis[k] = k < table->columns ? k : SIZE_MAX;
    }
    if (has_axes(at)) return MOTE_OK;
    return mote_source_fail(table->source, table->line, 1, "no column x, or z without y, expected columns x, y, z");
}

// The arrays of a table: a number for each column, from 1, or 0 where the column has none.
typedef struct table_arrays {
    mote_buffer numbers;  // size_t[columns]
    size_t columns;       // with a number
} table_arrays;

// Declares an array for each column besides those of the coordinates whose first field is a number, as the line of
// names calls it, or "column 4". `line` is the first line of numbers.
static mote_result declare_columns(const mote_table *names, const mote_table *line, const point_columns *at,
                                   mote_mesh_builder *builder, table_arrays *arrays)
{
    mote_table head = names ? *names : *line, row = *line;
    const size_t columns = line->columns, bytes = mote_bytes(columns, sizeof(size_t));
    if (mote_buffer_reserve(builder->context, &arrays->numbers, bytes, 0) != MOTE_OK)
        return mote_fail(builder->source->error, MOTE_ERROR_OUT_OF_MEMORY, 0, "%s: no memory for its columns",
                         builder->source->name);
    size_t *numbers = arrays->numbers.data;
    memset(numbers, 0, bytes);
    arrays->columns = columns;
    bool goes_on = true;
    for (size_t k = 0; k < columns && goes_on; ++k) {
        mote_token name, field;
        double number;
        char plain[32];
        goes_on = mote_table_field(&row, &field);
        mote_table_field(&head, &name);
        if (k == at->axis[0] || k == at->axis[1] || k == at->axis[2]) continue;
        if (!mote_number_parse(field.text, field.length, &number)) continue;
        if (!names || name.length == 0) {
            name.text = plain;
            name.length = (size_t)snprintf(plain, sizeof plain, "column %zu", k + 1);
        }
        const size_t before = builder->cloud->count;
        const mote_result result =
            mote_cloud_declare(builder->cloud, &name, MOTE_ARRAY_F64, 1, names ? names->line : line->line, &numbers[k]);
        if (result != MOTE_OK) return result;
        if (numbers[k]++ < before) return mote_token_fail(builder->source, &name, "column", "each name only once");
    }
    return MOTE_OK;
}

static mote_result keep_field(const mote_table *table, const mote_token *field, size_t number,
                              mote_mesh_builder *builder)
{
    double value;
    if (mote_number_parse(field->text, field->length, &value))
        return mote_cloud_put_number(builder->cloud, number - 1, value);
    return mote_token_fail(table->source, field, "field", "a finite number, as this column began with one");
}

static mote_result read_row(mote_table *table, const point_columns *columns, const table_arrays *arrays,
                            mote_mesh_builder *builder)
{
    const size_t *numbers = arrays->numbers.data;
    static const char *const names[3] = {"x", "y", "z"};
    double at[3] = {0, 0, 0};
    size_t column = 0;
    mote_token field;
    for (bool goes_on = true; goes_on; ++column) {
        goes_on = mote_table_field(table, &field);
        for (int a = 0; a < 3; ++a)
            if (column == columns->axis[a] && !mote_number_parse(field.text, field.length, &at[a]))
                return mote_token_fail(table->source, &field, names[a], "a finite number");
        if (column >= arrays->columns || !numbers[column]) continue;
        const mote_result kept = keep_field(table, &field, numbers[column], builder);
        if (kept != MOTE_OK) return kept;
    }
    if (column != table->columns)
        return mote_table_fail_width(table, column);
    builder->line = table->line;
    return mote_builder_vertex(builder, (mote_vec3){at[0], at[1], at[2]});
}

// Reads the lines behind the first, which says what the columns are.
static mote_result read_rows(mote_table *table, mote_mesh_builder *builder, point_columns *columns,
                             table_arrays *arrays)
{
    const mote_table first = *table;
    mote_source line;
    mote_table comment = mote_table_comment(&first, &line);
    mote_result result = read_columns(table, columns);
    if (result != MOTE_OK) return result;
    const bool has_names = table->at != first.at;
    const bool has_comment = !has_names && mote_table_line(&comment) && read_comment(&first, table->columns, columns);
    for (bool is_first = true; mote_table_line(table); is_first = false) {
        if (is_first && builder->cloud)
            result = declare_columns(has_names ? &first : has_comment ? &comment : NULL, table, columns, builder,
                                     arrays);
        if (result == MOTE_OK) result = read_row(table, columns, arrays, builder);
        if (result != MOTE_OK) return result;
    }
    return MOTE_OK;
}

static mote_result csv_read(const mote_source *source, mote_mesh_builder *builder, int *dimensions)
{
    mote_table table = mote_table_make(source);
    point_columns columns = {{0, 1, 2}};
    table_arrays arrays = {0};
    mote_result result = MOTE_OK;
    if (mote_table_line(&table)) result = read_rows(&table, builder, &columns, &arrays);
    mote_buffer_release(builder->context, &arrays.numbers);
    *dimensions = columns.axis[2] != SIZE_MAX ? 3 : columns.axis[1] != SIZE_MAX ? 2 : 1;
    return result;
}

// -------------------------------------------------------------------------------------------------------- files

// A kind of files: how points of one are read, and by what else than its name's ending it is known.
typedef struct point_format {
    const char *ending;
    mote_result (*read)(const mote_source *source, mote_mesh_builder *builder);
    mote_result (*read_flat)(const mote_source *source, mote_mesh_builder *builder, int *dimensions);
    bool is_dump;  // of LAMMPS
} point_format;

static mote_result ply_read(const mote_source *source, mote_mesh_builder *builder)
{
    return mote_ply_read(source, false, builder);
}

static const point_format formats[] = {
    {".ply", ply_read, NULL, false},
    {".csv", NULL, csv_read, false},
    {".tsv", NULL, csv_read, false},
    {".txt", NULL, csv_read, false},
    {".dat", NULL, csv_read, false},
    {".xyz", xyz_read, NULL, false},
    {".vtp", mote_vtk_xml_read, NULL, false},
    {".vtu", mote_vtk_xml_read, NULL, false},
    {".vtk", mote_vtk_legacy_read, NULL, false},
    {".bgeo", mote_bgeo_read, NULL, false},
    {".bgeo.gz", mote_bgeo_read, NULL, false},
    {".raw", mote_raw_read, NULL, false},
    {".f32", mote_raw_read, NULL, false},
    {".npy", NULL, mote_npy_read, false},
    {".lammpstrj", NULL, NULL, true},
    {".dump", NULL, NULL, true},
};

static const point_format *format_of(const char *path)
{
    const point_format *found = NULL;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i)
        if (mote_path_ends_with(path, formats[i].ending)) found = &formats[i];
    return found;
}

// By the name's ending; for tables and unknown endings also by the first bytes, since LAMMPS dumps have no fixed
// ending.
static const point_format *find_format(const mote_source *source, const char *given)
{
    const point_format *format = format_of(given ? given : source->name);
    if (given) return format;
    if ((!format || format->read_flat == csv_read) && mote_lammps_is(source)) return format_of(".dump");
    if (!format && mote_npy_is(source)) return format_of(".npy");
    return !format && mote_bgeo_is(source) ? format_of(".bgeo") : format;
}

static mote_result read_dump(mote_context *context, const mote_source *source, int64_t frame,
                             mote_cloud_builder *cloud, mote_point_data *points)
{
    mote_mesh_builder builder = {.context = context, .source = source, .cloud = cloud};
    mote_point_data about = {0};
    mote_result result = mote_lammps_read(source, frame, &builder, &about);
    result = finish(&builder, result, about.dimensions, points);
    if (result != MOTE_OK) return result;
    points->has_box = about.has_box;
    points->box = about.box;
    points->has_periods = about.has_periods;
    memcpy(points->periodic, about.periodic, sizeof points->periodic);
    return MOTE_OK;
}

static mote_result read_as(mote_context *context, const mote_source *source, const point_format *format,
                           mote_cloud_builder *cloud, mote_point_data *points)
{
    mote_mesh_builder builder = {.context = context, .source = source, .cloud = cloud};
    int dimensions = 3;
    const mote_result result =
        format->read ? format->read(source, &builder) : format->read_flat(source, &builder, &dimensions);
    return finish(&builder, result, dimensions, points);
}

static mote_result fail_kind(const char *path, mote_error *error)
{
    return mote_fail(error, MOTE_ERROR_FORMAT, 0, "%s: unknown kind of points, expected .ply, .csv, .txt, .xyz, .vtp, "
                     ".vtu, .vtk, .bgeo, .raw, .npy or a LAMMPS dump", path);
}

mote_result mote_points_read(mote_context *context, const mote_source *source, const char *ending, int64_t frame,
                             mote_cloud_builder *cloud, mote_point_data *points)
{
    const point_format *format = find_format(source, ending);
    if (!format) return fail_kind(ending ? ending : source->name, source->error);
    if (format->is_dump) return read_dump(context, source, frame, cloud, points);
    if (frame == 0 || frame == MOTE_FRAME_LAST) return read_as(context, source, format, cloud, points);
    return mote_source_fail(source, 0, 0, "there is no frame %lld, for it holds one set of points, expected frame 0",
                            (long long)frame);
}

static mote_result read_memory(mote_context *context, const char *name, const void *data, size_t size,
                               const char *ending, int64_t frame, mote_point_data *points, mote_error *error)
{
    if (!points || (!data && size)) return mote_fail_null(error, "import", "the data, or where to put the points");
    const mote_source source = mote_source_make(name, data, size, error);
    return mote_points_read(context, &source, ending, frame, NULL, points);
}

mote_result mote_import_points_ply(mote_context *context, const char *name, const void *data, size_t size,
                                   mote_point_data *points, mote_error *error)
{
    return read_memory(context, name, data, size, ".ply", 0, points, error);
}

mote_result mote_import_points_vtp(mote_context *context, const char *name, const void *data, size_t size,
                                   mote_point_data *points, mote_error *error)
{
    return read_memory(context, name, data, size, ".vtp", 0, points, error);
}

mote_result mote_import_points_npy(mote_context *context, const char *name, const void *data, size_t size,
                                   mote_point_data *points, mote_error *error)
{
    return read_memory(context, name, data, size, ".npy", 0, points, error);
}

mote_result mote_import_points_xyz(mote_context *context, const char *name, const void *data, size_t size,
                                   mote_point_data *points, mote_error *error)
{
    return read_memory(context, name, data, size, ".xyz", 0, points, error);
}

mote_result mote_import_points_csv(mote_context *context, const char *name, const void *data, size_t size,
                                   mote_point_data *points, mote_error *error)
{
    return read_memory(context, name, data, size, ".csv", 0, points, error);
}

mote_result mote_import_points_lammps(mote_context *context, const char *name, const void *data, size_t size,
                                      int64_t frame, mote_point_data *points, mote_error *error)
{
    return read_memory(context, name, data, size, ".dump", frame, points, error);
}

mote_result mote_import_points_frame(mote_context *context, const char *path, int64_t frame, mote_point_data *points,
                                     mote_error *error)
{
    if (!path || !points) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "import: no path, or nowhere to put points");
    memset(points, 0, sizeof *points);
    if (frame < MOTE_FRAME_LAST)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "import: frame is %lld, expected 0 or more, or MOTE_FRAME_LAST",
                         (long long)frame);
    if (mote_path_ends_with(path, ".obj") || mote_path_ends_with(path, ".stl")) return fail_kind(path, error);
    mote_buffer buffer = {0};
    size_t size;
    mote_result result = mote_file_load(context, path, &buffer, &size, error);
    const mote_source source = mote_source_make(path, buffer.data, result == MOTE_OK ? size : 0, error);
    if (result == MOTE_OK) result = mote_points_read(context, &source, NULL, frame, NULL, points);
    mote_buffer_release(context, &buffer);
    return result;
}

mote_result mote_import_points(mote_context *context, const char *path, mote_point_data *points, mote_error *error)
{
    return mote_import_points_frame(context, path, 0, points, error);
}
