// SPDX-License-Identifier: MIT
// gauges.csv: the rows of all gauges, written while the run goes on, and their plot.
//
// A line has the time and the values of the gauges that have a new row; others are left empty. Numbers have as many
// digits as it takes to read the same number again. A checkpoint keeps how long the file was and its checksum: a run
// that is resumed goes on from there, whatever was written after it, and the whole file has the same bytes as if
// nothing had happened.

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "app.h"

static const char file_name[] = "gauges.csv";

static FILE *open_file(const char *folder, int flags)
{
    char *path = app_text("%s/%s", folder, file_name);
    const int handle = path ? open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666) : -1;
    free(path);
    if (handle < 0) return NULL;
    FILE *stream = fdopen(handle, flags & O_RDWR ? "r+b" : flags & O_WRONLY ? "wb" : "rb");
    if (!stream) close(handle);
    return stream;
}

// ------------------------------------------------------------------------------------------------------------ writing

static void put(app_gauges *gauges, const char *text)
{
    const size_t length = strlen(text);
    if (gauges->cause) return;
    if (fwrite(text, 1, length, gauges->stream) != length) gauges->cause = errno ? errno : EIO;
    gauges->sum = (uint32_t)crc32_z(gauges->sum, (const unsigned char *)text, length);
    gauges->length += length;
}

static void put_number(app_gauges *gauges, double value)
{
    char text[32];
    mote_number_text(value, text, sizeof text);
    put(gauges, isnan(value) ? "nan" : isinf(value) ? (value > 0 ? "inf" : "-inf") : text);
}

static const char *unit_of(const mote_gauge_view *view, size_t value)
{
    const mote_gauge_value *one = &view->kind->values[value];
    const char *unit = view->dimensions == 2 ? one->unit_2d : one->unit;
    return *unit ? unit : "1";
}

static void put_header(app_gauges *gauges, const mote_simulation *simulation)
{
    put(gauges, "time [s]");
    for (size_t k = 0; k < gauges->count; ++k) {
        mote_gauge_view view;
        if (mote_simulation_get_gauge(simulation, k, &view, NULL) != MOTE_OK) continue;
        for (size_t v = 0; v < view.kind->value_count; ++v) {
            const char *name = view.kind->values[v].name;
            put(gauges, ",");
            put(gauges, view.name);
            put(gauges, *name ? "." : "");
            put(gauges, name);
            put(gauges, " [");
            put(gauges, unit_of(&view, v));
            put(gauges, "]");
        }
    }
    put(gauges, "\n");
}

// Whether a gauge has a row that is not in the file.
static bool has_new_row(const app_gauges *gauges, const mote_simulation *simulation)
{
    mote_gauge_view view;
    for (size_t k = 0; k < gauges->count; ++k)
        if (mote_simulation_get_gauge(simulation, k, &view, NULL) == MOTE_OK && view.row_count > gauges->rows[k])
            return true;
    return false;
}

bool app_gauges_write(app_gauges *gauges, const mote_simulation *simulation)
{
    if (!gauges->stream || !has_new_row(gauges, simulation)) return !gauges->cause;
    put_number(gauges, mote_simulation_time(simulation));
    for (size_t k = 0; k < gauges->count; ++k) {
        mote_gauge_view view;
        if (mote_simulation_get_gauge(simulation, k, &view, NULL) != MOTE_OK) continue;
        const bool is_new = view.row_count > gauges->rows[k];
        for (size_t v = 0; v < view.kind->value_count; ++v) {
            put(gauges, ",");
            if (is_new) put_number(gauges, view.values[v]);
        }
        gauges->rows[k] = view.row_count;
    }
    put(gauges, "\n");
    return !gauges->cause;
}

bool app_gauges_flush(app_gauges *gauges, bool sync)
{
    if (!gauges->stream || gauges->cause) return !gauges->cause;
    if (fflush(gauges->stream) != 0 || (sync && fsync(fileno(gauges->stream)) != 0))
        gauges->cause = errno ? errno : EIO;
    return !gauges->cause;
}

// ------------------------------------------------------------------------------------------------------------ opening

// Whether the file begins with what a checkpoint knows of it.
static bool is_same(FILE *stream, uint64_t length, uint32_t sum)
{
    unsigned char bytes[4096];
    uLong own = 0;
    while (length > 0) {
        const size_t wanted = length < sizeof bytes ? (size_t)length : sizeof bytes;
        if (fread(bytes, 1, wanted, stream) != wanted) return false;
        own = crc32_z(own, bytes, wanted);
        length -= wanted;
    }
    return own == sum;
}

bool app_gauges_check(const app_gauges *gauges, const char *folder)
{
    FILE *stream = open_file(folder, O_RDONLY);
    if (!stream) return false;
    const bool same = is_same(stream, gauges->length, gauges->sum);
    fclose(stream);
    return same;
}

int app_gauges_open(app_gauges *gauges, const mote_simulation *simulation, const char *folder, bool resumes)
{
    gauges->count = mote_simulation_gauge_count(simulation);
    if (gauges->count == 0) return APP_DONE;
    gauges->rows = calloc(gauges->count, sizeof *gauges->rows);
    if (!gauges->rows) return app_out_of_memory();
    gauges->stream = open_file(folder, resumes ? O_RDWR : O_WRONLY | O_CREAT | O_TRUNC);
    if (gauges->stream && resumes) {
        const bool is_cut = ftruncate(fileno(gauges->stream), (off_t)gauges->length) == 0 &&
                            fseek(gauges->stream, 0, SEEK_END) == 0;
        if (!is_cut) gauges->cause = errno;
    }
    if (!gauges->stream || gauges->cause) {
        app_complain("%s/%s: cannot be written: %s", folder, file_name, strerror(errno));
        return APP_FAILED;
    }
    for (size_t k = 0; k < gauges->count && resumes; ++k) {
        mote_gauge_view view;
        if (mote_simulation_get_gauge(simulation, k, &view, NULL) == MOTE_OK) gauges->rows[k] = view.row_count;
    }
    if (resumes) return APP_DONE;
    put_header(gauges, simulation);
    app_gauges_write(gauges, simulation);
    return APP_DONE;
}

void app_gauges_close(app_gauges *gauges)
{
    if (gauges->stream) fclose(gauges->stream);
    free(gauges->rows);
    *gauges = (app_gauges){0};
}

// --------------------------------------------------------------------------------------------------------------- plot

// A quantity has a panel: "pressure" in "Pa".
typedef struct panel {
    const char *quantity, *unit;
} panel;

static bool is_of(const panel *one, const mote_gauge_view *view, size_t value)
{
    return strcmp(one->quantity, view->kind->values[value].quantity) == 0 &&
           strcmp(one->unit, unit_of(view, value)) == 0;
}

// The quantities of all gauges, each once, in the order of columns. @return how many; 0 if there is no memory
static size_t list_panels(const app_gauges *gauges, const mote_simulation *simulation, panel **panels)
{
    size_t count = 0;
    *panels = calloc(gauges->count * MOTE_GAUGE_VALUES + 1, sizeof **panels);
    for (size_t k = 0; *panels && k < gauges->count; ++k) {
        mote_gauge_view view;
        if (mote_simulation_get_gauge(simulation, k, &view, NULL) != MOTE_OK) continue;
        for (size_t v = 0; v < view.kind->value_count; ++v) {
            bool is_known = false;
            for (size_t p = 0; p < count; ++p) is_known |= is_of(&(*panels)[p], &view, v);
            if (!is_known) (*panels)[count++] = (panel){view.kind->values[v].quantity, unit_of(&view, v)};
        }
    }
    return count;
}

// One panel: a curve for each column of its quantity.
static void put_panel(FILE *to, const app_gauges *gauges, const mote_simulation *simulation, const panel *one)
{
    size_t column = 1;
    const char *separator = "plot ";
    fprintf(to, "set ylabel '%s%s%s%s'\n", one->quantity, strcmp(one->unit, "1") ? " [" : "",
            strcmp(one->unit, "1") ? one->unit : "", strcmp(one->unit, "1") ? "]" : "");
    for (size_t k = 0; k < gauges->count; ++k) {
        mote_gauge_view view;
        if (mote_simulation_get_gauge(simulation, k, &view, NULL) != MOTE_OK) continue;
        for (size_t v = 0; v < view.kind->value_count; ++v) {
            ++column;
            if (!is_of(one, &view, v)) continue;
            const char *name = view.kind->values[v].name;
            fprintf(to, "%s'%s' skip 1 using 1:%zu with lines linewidth 1.5 title '%s%s%s'", separator, file_name,
                    column, view.name, *name ? "." : "", name);
            separator = ", \\\n     ";
        }
    }
    fprintf(to, "\n");
}

static bool put_script(const app_gauges *gauges, const mote_simulation *simulation, const char *folder)
{
    app_file file;
    panel *panels;
    const size_t count = list_panels(gauges, simulation, &panels);
    if (count == 0 || !app_file_open(&file, folder, "gauges.gnuplot")) {
        free(panels);
        return false;
    }
    const size_t across = count > 3 ? 2 : 1, down = (count + across - 1) / across;
    fprintf(file.stream,
            "# Draws gauges.csv: gnuplot gauges.gnuplot\n"
            "if (!exists('picture')) picture = 'gauges.png'\n"
            "set terminal pngcairo size %zu,%zu font 'DejaVu Sans,11' background 'white' noenhanced\n"
            "set output picture\n"
            "set datafile separator ','\n"
            "set grid lc rgb '#dddddd'\n"
            "set key above samplen 2\n"
            "set xlabel 'time [s]'\n"
            "set multiplot layout %zu,%zu\n",
            across == 1 ? (size_t)1000 : 720 * across, 320 * down, down, across);
    for (size_t p = 0; p < count; ++p) put_panel(file.stream, gauges, simulation, &panels[p]);
    fprintf(file.stream, "unset multiplot\n");
    free(panels);
    return app_file_commit(&file);
}

const char *app_gauges_draw(app_gauges *gauges, const mote_simulation *simulation, const char *folder)
{
    if (!app_gauges_flush(gauges, false)) return "gauges.csv could not be written";
    if (!put_script(gauges, simulation, folder)) return "gauges.gnuplot cannot be written";
    app_file picture;
    if (!app_file_open(&picture, folder, "gauges.png")) return "its file cannot be created";
    const char *const arguments[] = {"gnuplot", "-e", "picture = 'gauges.png.partial'", "gauges.gnuplot", NULL};
    const int status = app_spawn(folder, arguments);
    if (status != 0) {
        app_file_discard(&picture);
        return status == 127 ? "gnuplot is not installed" : status < 0 ? "gnuplot was interrupted" : "gnuplot failed";
    }
    return app_file_commit(&picture) ? NULL : "it cannot be given its name";
}
