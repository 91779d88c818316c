// SPDX-License-Identifier: MIT
// LAMMPS dumps as text: snapshots one after the other, each made of sections that begin with a line "ITEM: ...".
//
// The format is that of the LAMMPS manual (command dump, styles atom and custom): TIMESTEP, NUMBER OF ATOMS, BOX
// BOUNDS and ATOMS, whose line names the columns. Snapshots before the wanted one are skipped line by line, so that
// a file is read once; to read the last snapshot, its position is stored.

#include <math.h>
#include <string.h>

#include "import/points.h"

static const char axes[] = "xyz";

// The columns that an axis may have, by their LAMMPS names; the first kind that is present is used.
enum { KINDS = 4 };
static const struct {
    const char *names[3];
    bool is_scaled;  // 0 … 1 from one side of the box to the other
} kinds[KINDS] = {{{"x", "y", "z"}, false},
                  {{"xu", "yu", "zu"}, false},
                  {{"xs", "ys", "zs"}, true},
                  {{"xsu", "ysu", "zsu"}, true}};

typedef struct dump_columns {
    size_t axis[KINDS][3];  // SIZE_MAX: there is none
    size_t count;
    int kind, dimensions;  // the ones that are read
} dump_columns;

typedef struct dump_reader {
    const mote_source *source;
    mote_scanner scanner;
    mote_mesh_builder *builder;
    mote_point_data *about;  // box and periods of the snapshot
    bool has_count;
    int64_t count;
    uint32_t count_line;
    bool is_passing;  // skipping a snapshot that is not wanted
    dump_columns columns;
} dump_reader;

bool mote_lammps_is(const mote_source *source)
{
    static const char first[] = "ITEM: ";
    return source->size >= sizeof first - 1 && memcmp(source->data, first, sizeof first - 1) == 0;
}

// -------------------------------------------------------------------------------------------------------- lines

// Skips the end of the line; `what` names, for the error, the text before it.
static mote_result expect_end(dump_reader *reader, const char *what)
{
    const mote_token token = mote_scanner_next(&reader->scanner);
    if (token.kind != MOTE_TOKEN_WORD) return MOTE_OK;
    return mote_token_fail(reader->source, &token, what, "end of line");
}

static mote_result read_whole(dump_reader *reader, const char *what, int64_t min, int64_t max, int64_t *value)
{
    const mote_token token = mote_scanner_next(&reader->scanner);
    if (token.kind == MOTE_TOKEN_WORD && mote_integer_parse(token.text, token.length, min, max, value))
        return expect_end(reader, "behind the number");
    return mote_token_fail(reader->source, &token, what, max == UINT32_MAX - 1 ? "a whole number from 0 to 4294967294"
                                                                               : "a whole number");
}

static mote_result fail_cut(const dump_reader *reader, int64_t atoms)
{
    return mote_source_fail(reader->source, reader->scanner.line, 1, "end of file after %lld of the %lld atoms that "
                            "line %u announces", (long long)atoms, (long long)reader->count, reader->count_line);
}

static mote_result pass_atoms(dump_reader *reader)
{
    mote_scanner *scanner = &reader->scanner;
    for (int64_t i = 0; i < reader->count; ++i) {
        if (scanner->at == scanner->source->size) return fail_cut(reader, i);
        mote_scanner_skip_line(scanner);
        mote_scanner_next(scanner);  // its end
    }
    return MOTE_OK;
}

// ---------------------------------------------------------------------------------------------------------- box

// Reads the text after "BOX BOUNDS": the two sides of each axis, p: periodic, f, s, m: not.
static mote_result read_flags(dump_reader *reader)
{
    mote_point_data *about = reader->about;
    mote_token token = mote_scanner_next(&reader->scanner);
    if (mote_token_is(&token, "xy") || mote_token_is(&token, "abc"))
        return mote_token_fail(reader->source, &token, "the box is triclinic: its first word",
                               "one with right angles: pp, ff, ...");
    about->has_periods = token.kind == MOTE_TOKEN_WORD;
    for (int k = 0; k < 3 && about->has_periods; ++k) {
        const bool is_pair = token.kind == MOTE_TOKEN_WORD && token.length == 2 && memchr("pfsm", token.text[0], 4) &&
                             memchr("pfsm", token.text[1], 4);
        if (!is_pair || (token.text[0] == 'p') != (token.text[1] == 'p'))
            return mote_token_fail(reader->source, &token, "a side of the box", "pp, or two of the letters f, s, m");
        about->periodic[k] = token.text[0] == 'p';
        if (k < 2) token = mote_scanner_next(&reader->scanner);
    }
    return about->has_periods ? expect_end(reader, "behind the flags of the box") : MOTE_OK;
}

static mote_result read_box(dump_reader *reader)
{
    double low[3], high[3];
    memset(reader->about, 0, sizeof *reader->about);
    mote_result result = read_flags(reader);
    for (int k = 0; k < 3 && result == MOTE_OK; ++k) {
        const uint32_t line = reader->scanner.line;
        result = mote_scanner_number(&reader->scanner, "the low end of the box", &low[k]);
        if (result == MOTE_OK) result = mote_scanner_number(&reader->scanner, "the high end of the box", &high[k]);
        if (result == MOTE_OK) result = expect_end(reader, "behind the ends of the box (a tilt?)");
        if (result == MOTE_OK && !(low[k] <= high[k] && isfinite(high[k] - low[k])))
            result = mote_source_fail(reader->source, line, 1, "the box is %g to %g along %c, expected a low end and "
                                      "a high one", low[k], high[k], axes[k]);
    }
    if (result != MOTE_OK) return result;
    reader->about->has_box = true;
    reader->about->box = (mote_box){{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
    return MOTE_OK;
}

// -------------------------------------------------------------------------------------------------------- atoms

static void find_column(dump_columns *columns, const mote_token *name)
{
    for (int kind = 0; kind < KINDS; ++kind)
        for (int k = 0; k < 3; ++k)
            if (mote_token_is(name, kinds[kind].names[k]) && columns->axis[kind][k] == SIZE_MAX)
                columns->axis[kind][k] = columns->count;
}

// The kind that has all three axes, otherwise the one that has x and y.
static bool choose_kind(dump_columns *columns)
{
    for (columns->dimensions = 3; columns->dimensions >= 2; --columns->dimensions)
        for (columns->kind = 0; columns->kind < KINDS; ++columns->kind) {
            const size_t *axis = columns->axis[columns->kind];
            if (axis[0] != SIZE_MAX && axis[1] != SIZE_MAX && (columns->dimensions == 2 || axis[2] != SIZE_MAX))
                return true;
        }
    return false;
}

static mote_result read_columns(dump_reader *reader)
{
    dump_columns *columns = &reader->columns;
    const uint32_t line = reader->scanner.line;
    columns->count = 0;
    for (int kind = 0; kind < KINDS; ++kind)
        for (int k = 0; k < 3; ++k) columns->axis[kind][k] = SIZE_MAX;
    for (;; ++columns->count) {
        const mote_token name = mote_scanner_next(&reader->scanner);
        if (name.kind != MOTE_TOKEN_WORD) break;
        find_column(columns, &name);
    }
    if (!choose_kind(columns))
        return mote_source_fail(reader->source, line, 1,
                                "no columns x y z, xu yu zu, xs ys zs or xsu ysu zsu, expected those of one kind");
    if (!kinds[columns->kind].is_scaled || reader->about->has_box) return MOTE_OK;
    return mote_source_fail(reader->source, line, 1,
                            "columns %s and on are scaled by a box, expected ITEM: BOX BOUNDS before them",
                            kinds[columns->kind].names[0]);
}

static mote_result read_atom(dump_reader *reader, int64_t i)
{
    const dump_columns *columns = &reader->columns;
    const size_t *axis = columns->axis[columns->kind];
    const double low[3] = {reader->about->box.min.x, reader->about->box.min.y, reader->about->box.min.z};
    const double high[3] = {reader->about->box.max.x, reader->about->box.max.y, reader->about->box.max.z};
    double at[3] = {0, 0, 0};
    const uint32_t line = reader->scanner.line;
    for (size_t column = 0; column < columns->count; ++column) {
        const mote_token token = mote_scanner_next(&reader->scanner);
        if (token.kind == MOTE_TOKEN_FILE_END && column == 0) return fail_cut(reader, i);
        if (token.kind != MOTE_TOKEN_WORD)
            return mote_source_fail(reader->source, line, 1, "%zu field%s, expected %zu as ITEM: ATOMS names them",
                                    column, column == 1 ? "" : "s", columns->count);
        for (int k = 0; k < columns->dimensions; ++k) {
            if (axis[k] != column) continue;
            const char *name = kinds[columns->kind].names[k];
            bool is_good = mote_number_parse(token.text, token.length, &at[k]);
            if (is_good && kinds[columns->kind].is_scaled) at[k] = low[k] + at[k] * (high[k] - low[k]);
            if (!is_good || !isfinite(at[k])) return mote_token_fail(reader->source, &token, name, "a finite number");
        }
    }
    mote_result result = expect_end(reader, "behind the last column");
    reader->builder->line = line;
    return result == MOTE_OK ? mote_builder_vertex(reader->builder, (mote_vec3){at[0], at[1], at[2]}) : result;
}

static mote_result read_atoms(dump_reader *reader)
{
    if (!reader->has_count)
        return mote_source_fail(reader->source, reader->scanner.line, 1,
                                "ITEM: ATOMS without their number, expected ITEM: NUMBER OF ATOMS before it");
    if (reader->is_passing) {
        mote_scanner_skip_line(&reader->scanner);
        mote_scanner_next(&reader->scanner);
        return pass_atoms(reader);
    }
    mote_result result = read_columns(reader);
    for (int64_t i = 0; i < reader->count && result == MOTE_OK; ++i) result = read_atom(reader, i);
    return result;
}

// ---------------------------------------------------------------------------------------------------- snapshots

// Goes to the next line that is not empty. False at the end of the file.
static bool find_line(dump_reader *reader)
{
    for (;;) {
        const mote_scanner before = reader->scanner;
        const mote_token token = mote_scanner_next(&reader->scanner);
        if (token.kind == MOTE_TOKEN_LINE_END) continue;
        reader->scanner = before;
        return token.kind != MOTE_TOKEN_FILE_END;
    }
}

static mote_result expect_item(dump_reader *reader)
{
    const mote_token token = mote_scanner_next(&reader->scanner);
    return mote_token_is(&token, "ITEM:") ? MOTE_OK : mote_token_fail(reader->source, &token, "line", "ITEM: ...");
}

static mote_result read_count(dump_reader *reader)
{
    mote_scanner_skip_line(&reader->scanner);
    mote_scanner_next(&reader->scanner);
    reader->count_line = reader->scanner.line;
    reader->has_count = true;
    return read_whole(reader, "the number of atoms", 0, UINT32_MAX - 1, &reader->count);
}

static mote_result read_timestep(dump_reader *reader)
{
    int64_t step;
    mote_result result = expect_end(reader, "behind TIMESTEP");
    return result == MOTE_OK ? read_whole(reader, "the time step", INT64_MIN, INT64_MAX, &step) : result;
}

// Skips a section without data on points (UNITS, TIME, future ones), or one that is not wanted.
static void pass_section(dump_reader *reader)
{
    mote_token first;
    do {
        mote_scanner_skip_line(&reader->scanner);
        mote_scanner_next(&reader->scanner);
        if (!find_line(reader)) return;
        mote_scanner ahead = reader->scanner;
        first = mote_scanner_next(&ahead);
    } while (!mote_token_is(&first, "ITEM:"));
}

// Reads from one ITEM to the end of the atoms.
static mote_result read_snapshot(dump_reader *reader)
{
    reader->has_count = false;
    memset(reader->about, 0, sizeof *reader->about);
    while (find_line(reader)) {
        mote_result result = expect_item(reader);
        if (result != MOTE_OK) return result;
        const mote_token title = mote_scanner_next(&reader->scanner);
        if (mote_token_is(&title, "ATOMS")) return read_atoms(reader);
        if (mote_token_is(&title, "NUMBER")) result = read_count(reader);
        else if (mote_token_is(&title, "TIMESTEP")) result = read_timestep(reader);
        else if (mote_token_is(&title, "BOX") && !reader->is_passing) {
            mote_scanner_next(&reader->scanner);  // BOUNDS
            result = read_box(reader);
        } else if (title.kind == MOTE_TOKEN_WORD) {
            pass_section(reader);
        }
        if (result != MOTE_OK) return result;
    }
    return mote_source_fail(reader->source, reader->scanner.line, 1, "end of file, expected ITEM: ATOMS");
}

static mote_result fail_frame(const dump_reader *reader, int64_t wanted, int64_t count)
{
    return mote_source_fail(reader->source, 0, 0, "there is no frame %lld, for it holds %lld, expected 0 to %lld",
                            (long long)wanted, (long long)count, (long long)(count - 1));
}

// Skips snapshots up to the wanted one.
static mote_result find_snapshot(dump_reader *reader, int64_t wanted)
{
    mote_scanner last = reader->scanner;
    int64_t count = 0;
    reader->is_passing = true;
    for (; count != wanted && find_line(reader); ++count) {
        last = reader->scanner;
        mote_result result = read_snapshot(reader);
        if (result != MOTE_OK) return result;
    }
    if (wanted != MOTE_FRAME_LAST && !find_line(reader) && count > 0) return fail_frame(reader, wanted, count);
    if (wanted == MOTE_FRAME_LAST) reader->scanner = last;
    reader->is_passing = false;
    return MOTE_OK;
}

mote_result mote_lammps_read(const mote_source *source, int64_t frame, mote_mesh_builder *builder,
                             mote_point_data *about)
{
    dump_reader reader = {.source = source, .builder = builder, .about = about};
    reader.scanner = (mote_scanner){.source = source, .line = 1};
    reader.columns.dimensions = 3;
    mote_result result = find_snapshot(&reader, frame);
    if (result == MOTE_OK) result = read_snapshot(&reader);
    about->dimensions = reader.columns.dimensions;
    if (result != MOTE_OK || !find_line(&reader)) return result;
    mote_token after = mote_scanner_next(&reader.scanner);
    if (mote_token_is(&after, "ITEM:")) return MOTE_OK;
    return mote_token_fail(source, &after, "after the last atom", "ITEM: or end of file");
}
