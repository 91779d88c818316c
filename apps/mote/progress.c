// SPDX-License-Identifier: MIT
// The progress of a run: a changing line on a terminal, otherwise a line for every frame. Also that of other work.

#include <math.h>
#include <string.h>

#include "app.h"

static const double refresh_interval = 0.1, short_work = 0.5;  // [s]

void app_progress_start(app_progress *progress, bool quiet, size_t frame_count, double end_time)
{
    *progress = (app_progress){.quiet = quiet, .frame_count = frame_count, .end_time = end_time};
    progress->live = !quiet && app_is_terminal(stdout);
    progress->style = app_style_of(stdout);
    progress->started = progress->shown = app_clock();
}

void app_duration_text(double seconds, char *text, size_t size)
{
    long whole = seconds < 1e9 ? lround(seconds) : 1000000000;
    if (whole >= 3600) snprintf(text, size, "%ld h %02ld min", whole / 3600, whole % 3600 / 60);
    else if (whole >= 60) snprintf(text, size, "%ld min %02ld s", whole / 60, whole % 60);
    else snprintf(text, size, "%.1f s", seconds);
}

// "1.9 M" and similar, to be followed by a unit.
static void rate_text(double rate, char *text, size_t size)
{
    if (rate >= 1e6) snprintf(text, size, "%.1f M", rate * 1e-6);
    else if (rate >= 1e3) snprintf(text, size, "%.1f k", rate * 1e-3);
    else snprintf(text, size, "%.0f", rate);
}

// "1:05", "2:01:05"
static void remaining_text(double seconds, char *text, size_t size)
{
    long whole = seconds < 1e9 ? lround(seconds) : 1000000000;
    if (whole >= 3600) snprintf(text, size, "%ld:%02ld:%02ld", whole / 3600, whole % 3600 / 60, whole % 60);
    else snprintf(text, size, "%ld:%02ld", whole / 60, whole % 60);
}

// The text after the frame's number; with it the line has 80 characters. Rates are those of the solver alone; the
// remaining time includes everything that the run does.
static void write_state(const app_progress *progress, double time, const mote_simulation_counters *counters, char *text,
                        size_t size)
{
    int used = snprintf(text, size, "  %.3f s", time);
    if (time <= 0) return;
    double solving = fmax(counters->total_seconds, 1e-9);
    double passed = app_clock() - progress->started;
    char rate[32], left[32];
    remaining_text(passed * fmax(progress->end_time / time - 1, 0), left, sizeof left);
    used += snprintf(text + used, size - (size_t)used, "  ETA %s", left);
    rate_text((double)counters->particle_steps / solving, rate, sizeof rate);
    used += snprintf(text + used, size - (size_t)used, "  %.0f steps/s  %s particle-steps/s",
                     (double)counters->steps / solving, rate);
    if (counters->search_seconds > 0)
        snprintf(text + used, size - (size_t)used, "  search %.0f %%", 100 * counters->search_seconds / solving);
}

// A line wider than the terminal could not be overwritten.
static void print_live(const app_progress *progress, const char *frame, const char *state)
{
    int width = app_terminal_width(stdout), first = (int)strlen(frame);
    int rest = width > first ? width - first : 0;
    printf("\r\033[K%s%.*s%s%.*s", progress->style.bold, width, frame, progress->style.reset, rest, state);
    fflush(stdout);
}

void app_progress_step(app_progress *progress, double time, const mote_simulation_counters *counters)
{
    double now = app_clock();
    if (!progress->live || now - progress->shown < refresh_interval) return;
    progress->shown = now;
    char frame[64], state[192];
    snprintf(frame, sizeof frame, "frame %zu/%zu", progress->frame, progress->frame_count);
    write_state(progress, time, counters, state, sizeof state);
    print_live(progress, frame, state);
}

void app_progress_frame(app_progress *progress, double time, const mote_simulation_counters *counters,
                        const app_record *record)
{
    progress->frame = (size_t)record->frame + 1;
    if (progress->quiet) return;
    if (progress->live) {
        progress->shown = 0;
        app_progress_step(progress, time, counters);
        return;
    }
    char state[192];
    write_state(progress, time, counters, state, sizeof state);
    printf("frame %zu/%zu%s", progress->frame, progress->frame_count, state);
    app_quantities_print_vital(&record->quantities);
    printf("\n");
    fflush(stdout);
}

void app_progress_clear(app_progress *progress)
{
    if (!progress->live) return;
    printf("\r\033[K");
    fflush(stdout);
}

// ------------------------------------------------------------------------------------------------------- stages

void app_stage_begin(app_stage *stage, const char *what)
{
    *stage = (app_stage){.live = app_is_terminal(stderr), .what = what, .started = app_clock()};
}

void app_stage_show(void *user_data, double share)
{
    app_stage *stage = user_data;
    const double now = app_clock(), passed = now - stage->started;
    if (!stage->live || (share >= 0 && passed < short_work) || now - stage->shown < refresh_interval) return;
    stage->shown = now;
    char text[4096], left[32];
    if (share > 0) {
        remaining_text(passed * (1 / share - 1), left, sizeof left);
        snprintf(text, sizeof text, "%3.0f %%  ETA %s  %s", 100 * share, left, stage->what);
    } else snprintf(text, sizeof text, "%s", stage->what);
    fprintf(stderr, "\r\033[K%.*s", app_terminal_width(stderr), text);
    fflush(stderr);
}

void app_stage_end(app_stage *stage)
{
    if (!stage->live || stage->shown <= 0) return;
    fprintf(stderr, "\r\033[K");
    fflush(stderr);
}
