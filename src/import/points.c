// SPDX-License-Identifier: MIT
// Points from files: tables of numbers (CSV and similar, XYZ), the vertices of a PLY file, and the results of
// readers in other files.

#include <string.h>

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

mote_result mote_import_points_ply(mote_context *context, const char *name, const void *data, size_t size,
                                   mote_point_data *points, mote_error *error)
{
    if (!points || (!data && size)) return mote_fail_null(error, "import", "the data, or where to put the points");
    mote_source source = mote_source_make(name, data, size, error);
    mote_mesh_builder builder = {.context = context, .source = &source};
    mote_result result = mote_ply_read(&source, false, &builder);
    return finish(&builder, result, 3, points);
}

mote_result mote_import_points_vtp(mote_context *context, const char *name, const void *data, size_t size,
                                   mote_point_data *points, mote_error *error)
{
    if (!points || (!data && size)) return mote_fail_null(error, "import", "the data, or where to put the points");
    mote_source source = mote_source_make(name, data, size, error);
    mote_mesh_builder builder = {.context = context, .source = &source};
    mote_result result = mote_vtp_read(&source, &builder);
    return finish(&builder, result, 3, points);
}

mote_result mote_import_points_npy(mote_context *context, const char *name, const void *data, size_t size,
                                   mote_point_data *points, mote_error *error)
{
    if (!points || (!data && size)) return mote_fail_null(error, "import", "the data, or where to put the points");
    mote_source source = mote_source_make(name, data, size, error);
    mote_mesh_builder builder = {.context = context, .source = &source};
    int dimensions;
    mote_result result = mote_npy_read(&source, &builder, &dimensions);
    return finish(&builder, result, dimensions, points);
}

mote_result mote_import_points_lammps(mote_context *context, const char *name, const void *data, size_t size,
                                      int64_t frame, mote_point_data *points, mote_error *error)
{
    if (!points || (!data && size)) return mote_fail_null(error, "import", "the data, or where to put the points");
    mote_source source = mote_source_make(name, data, size, error);
    mote_mesh_builder builder = {.context = context, .source = &source};
    mote_point_data about = {0};
    mote_result result = mote_lammps_read(&source, frame, &builder, &about);
    result = finish(&builder, result, about.dimensions, points);
    if (result != MOTE_OK) return result;
    points->has_box = about.has_box;
    points->box = about.box;
    points->has_periods = about.has_periods;
    memcpy(points->periodic, about.periodic, sizeof points->periodic);
    return MOTE_OK;
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

mote_result mote_import_points_xyz(mote_context *context, const char *name, const void *data, size_t size,
                                   mote_point_data *points, mote_error *error)
{
    if (!points || (!data && size)) return mote_fail_null(error, "import", "the data, or where to put the points");
    mote_source source = mote_source_make(name, data, size, error);
    mote_mesh_builder builder = {.context = context, .source = &source};
    mote_scanner scanner = {.source = &source, .line = 1, .comment = '#'};
    mote_result result = read_xyz(&scanner, &builder);
    return finish(&builder, result, 3, points);
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

static mote_result read_row(mote_table *table, const point_columns *columns, mote_mesh_builder *builder)
{
    static const char *const names[3] = {"x", "y", "z"};
    double at[3] = {0, 0, 0};
    size_t column = 0;
    mote_token field;
    for (bool goes_on = true; goes_on; ++column) {
        goes_on = mote_table_field(table, &field);
        for (int a = 0; a < 3; ++a)
            if (column == columns->axis[a] && !mote_number_parse(field.text, field.length, &at[a]))
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
    if (!points || (!data && size)) return mote_fail_null(error, "import", "the data, or where to put the points");
    mote_source source = mote_source_make(name, data, size, error);
    mote_mesh_builder builder = {.context = context, .source = &source};
    mote_table table = mote_table_make(&source);
    point_columns columns = {{0, 1, 2}};
    mote_result result = MOTE_OK;
    if (mote_table_line(&table)) result = read_columns(&table, &columns);
    while (result == MOTE_OK && mote_table_line(&table)) result = read_row(&table, &columns, &builder);
    return finish(&builder, result, columns.axis[2] != SIZE_MAX ? 3 : columns.axis[1] != SIZE_MAX ? 2 : 1, points);
}

// -------------------------------------------------------------------------------------------------------- files

typedef mote_result read_function(mote_context *context, const char *name, const void *data, size_t size,
                                  mote_point_data *points, mote_error *error);

static mote_result read_first_snapshot(mote_context *context, const char *name, const void *data, size_t size,
                                       mote_point_data *points, mote_error *error)
{
    return mote_import_points_lammps(context, name, data, size, 0, points, error);
}

static const struct {
    const char *ending;
    read_function *read;
} formats[] = {{".ply", mote_import_points_ply},    {".csv", mote_import_points_csv},
               {".tsv", mote_import_points_csv},    {".txt", mote_import_points_csv},
               {".dat", mote_import_points_csv},    {".xyz", mote_import_points_xyz},
               {".vtp", mote_import_points_vtp},    {".npy", mote_import_points_npy},
               {".lammpstrj", read_first_snapshot}, {".dump", read_first_snapshot}};

// By the name's ending; for tables and unknown endings also by the first bytes, since LAMMPS dumps have no fixed
// ending.
static read_function *find_reader(const char *path, const mote_source *source)
{
    read_function *read = NULL;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; ++i)
        if (mote_path_ends_with(path, formats[i].ending)) read = formats[i].read;
    if ((!read || read == mote_import_points_csv) && mote_lammps_is(source)) return read_first_snapshot;
    return !read && mote_npy_is(source) ? mote_import_points_npy : read;
}

static mote_result fail_kind(const char *path, mote_error *error)
{
    return mote_fail(error, MOTE_ERROR_FORMAT, 0,
                     "%s: unknown kind of points, expected .ply, .csv, .txt, .xyz, .vtp, .npy or a LAMMPS dump", path);
}

static mote_result read_frame(mote_context *context, const mote_source *source, int64_t frame, mote_point_data *points)
{
    mote_error *error = source->error;
    read_function *read = find_reader(source->name, source);
    if (!read) return fail_kind(source->name, error);
    if (read == read_first_snapshot)
        return mote_import_points_lammps(context, source->name, source->data, source->size, frame, points, error);
    if (frame == 0 || frame == MOTE_FRAME_LAST)
        return read(context, source->name, source->data, source->size, points, error);
    return mote_source_fail(source, 0, 0, "there is no frame %lld, for it holds one set of points, expected frame 0",
                            (long long)frame);
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
    if (result == MOTE_OK) result = read_frame(context, &source, frame, points);
    mote_buffer_release(context, &buffer);
    return result;
}

mote_result mote_import_points(mote_context *context, const char *path, mote_point_data *points, mote_error *error)
{
    return mote_import_points_frame(context, path, 0, points, error);
}
