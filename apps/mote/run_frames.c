// SPDX-License-Identifier: MIT
// A run from its first frame to its last: steps, frames, checkpoints, the report, and how it ends.

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>

#include "run.h"

mote_simulation_counters app_run_counters(const app_running *self)
{
    mote_simulation_counters counters = mote_simulation_get_counters(self->file.simulation);
    counters.steps += self->before.steps;
    counters.particle_steps += self->before.particle_steps;
    counters.search_seconds += self->before.search_seconds;
    counters.total_seconds += self->before.total_seconds;
    return counters;
}

double app_run_seconds(const app_running *self)
{
    return self->seconds_before + app_clock() - self->started;
}

// Frame k is at k times the scene's interval, even if --frames makes the run shorter or longer.
double app_run_frame_time(const app_running *self, int32_t frame)
{
    const mote_scene_settings *settings = self->file.settings;
    return settings->end_time * frame / (settings->frames - 1);
}

// ------------------------------------------------------------------------------------------------------ report

bool app_run_report(app_running *self, const char *status)
{
    app_report *report = &self->report;
    report->status = status;
    report->message = self->message;
    report->pictures = self->frames.render ? mote_render_device(self->frames.render) : NULL;
    report->seconds = app_run_seconds(self);
    report->counters = app_run_counters(self);
    if (!app_report_write(report, self->folder)) return false;
    self->reported = report->record_count;
    return true;
}

// The report is always written as a whole. While the run goes on, it is only written when the number of frames has
// grown by a 64th since the last time, so that n frames do not cost n^2 bytes. particles.pvd is written in the same
// way.
static bool report_is_due(const app_running *self)
{
    return self->report.record_count - self->reported > self->reported / 64;
}

void app_run_note_failure(app_running *self)
{
    if (self->has_folder && !app_run_report(self, "failed")) app_report_amend(self->folder);
}

// Makes a video of the existing frames if there are at least two, also if the run did not reach its end.
// @return why there is no video, or NULL
static const char *make_video(app_running *self)
{
    if (!self->frames.render) return "there are no pictures";
    if (self->report.record_count < 2) return "there is one picture alone";
    return app_video_make(&self->frames.video, self->folder, self->file.name);
}

// Makes the plot of the gauges. @return why there is none, or NULL
static const char *make_plot(app_running *self)
{
    if (self->no_images) return "no pictures are wanted";
    return app_gauges_draw(&self->gauges, self->file.simulation, self->folder);
}

// A run does not fail because it cannot be saved, but says so once. A state from which a run cannot go on is not saved.
static void save(app_running *self)
{
    if (mote_simulation_watch(self->file.simulation, NULL) != MOTE_OK || app_checkpoint_write(self)) return;
    if (!self->has_lost_checkpoint)
        app_complain("mote run: %s: a checkpoint cannot be written: %s; the run goes on", self->folder,
                     strerror(errno));
    self->has_lost_checkpoint = true;
    self->checkpoint_time = app_clock();
}

// Makes a video and a plot if the run ends early, and names them.
static void make_early_video(app_running *self)
{
    const bool has_plot = self->gauges.count > 0 && !make_plot(self);
    if (has_plot && !self->quiet) app_run_print_made(self, "plot", "gauges", ".png\n");
    if (!make_video(self) && !self->quiet) app_run_print_made(self, "video", self->file.name, ".mp4\n");
}

// Reports the reason on the terminal, and in the files if they can still be written.
int app_run_fail(app_running *self)
{
    app_progress_clear(&self->progress);
    app_complain("%s: %s", self->file.path, self->message);
    app_frames_flush(&self->frames, NULL);
    app_run_note_failure(self);
    if (self->has_folder) make_early_video(self);
    return APP_FAILED;
}

int app_run_fail_report(app_running *self)
{
    snprintf(self->message, sizeof self->message, "%s/run.json cannot be written: %s", self->folder, strerror(errno));
    return app_run_fail(self);
}

// If the reader of standard output has closed its pipe, the run ends without a message, as other programs do.
int app_run_interrupted(app_running *self)
{
    const int number = app_signal_take();
    const char *name = number == SIGINT    ? "SIGINT"
                       : number == SIGTERM ? "SIGTERM"
                       : number == SIGHUP  ? "SIGHUP"
                                           : "SIGPIPE";
    app_progress_clear(&self->progress);
    double time = self->file.simulation ? mote_simulation_time(self->file.simulation) : 0;
    size_t count = self->report.record_count;
    snprintf(self->message, sizeof self->message, "interrupted by %s at t = %.4g s: %zu whole frame%s", name, time,
             count, app_plural(count));
    app_frames_flush(&self->frames, NULL);
    if (self->has_folder) app_run_report(self, "interrupted");
    if (count > 0) save(self);
    const bool is_saved = self->checkpoint_number > 0 && !self->has_lost_checkpoint;
    if (number != SIGPIPE)
        app_complain("mote run: %s in %s%s", self->message, self->folder,
                     is_saved ? "; --resume goes on with them" : "");
    app_gauges_flush(&self->gauges, false);
    if (number == SIGINT && self->has_folder && self->frames.render && count > 1) {  // others want no video
        if (!self->quiet) printf("making a video of them (Control-C again: none)\n");
        fflush(stdout);
        make_early_video(self);
    }
    return 128 + number;
}

// ------------------------------------------------------------------------------------------------------ frames

// Called after every step.
static bool must_stop(void *user_data, const mote_simulation *simulation)
{
    app_running *self = user_data;
    const mote_simulation_counters counters = app_run_counters(self);
    app_progress_step(&self->progress, mote_simulation_time(simulation), &counters);
    if (!app_gauges_write(&self->gauges, simulation)) return true;
    const double interval = 60 * self->file.checkpoints.minutes;
    if (interval > 0 && self->report.record_count > 0 && app_clock() - self->checkpoint_time > interval) save(self);
    return app_signal_caught() != 0;
}

static int write_frame(app_running *self, int32_t frame)
{
    app_report *report = &self->report;
    app_record *record = &report->records[report->record_count];
    *record = (app_record){.frame = frame, .time = app_run_frame_time(self, frame)};
    mote_error error = {0};
    mote_result result = app_frames_write(&self->frames, record, &error);
    if (result != MOTE_OK) {
        snprintf(self->message, sizeof self->message, "frame %d cannot be written: %s", frame,
                 error.text[0] ? error.text : mote_result_text(result));
        return app_run_fail(self);
    }
    ++report->record_count;
    const mote_simulation_counters counters = app_run_counters(self);
    app_progress_frame(&self->progress, record->time, &counters, record);
    app_run_print_compression(self);
    return !report_is_due(self) || app_run_report(self, "running") ? APP_DONE : app_run_fail_report(self);
}

// Checks at every frame that no particle is where none may be.
static int check(app_running *self)
{
    app_report *report = &self->report;
    double time = mote_simulation_time(self->file.simulation);
    mote_result result = mote_simulation_count_escaped(self->file.simulation, &report->inside, &report->beyond, NULL);
    report->has_checked = result == MOTE_OK;
    if (result != MOTE_OK)
        snprintf(self->message, sizeof self->message, "escaped particles cannot be counted at t = %.4g s: %s", time,
                 mote_result_text(result));
    else if (report->inside || report->beyond)
        snprintf(self->message, sizeof self->message,
                 "%zu particle%s inside a solid and %zu beyond a wall at t = %.4g s, expected none", report->inside,
                 app_plural(report->inside), report->beyond, time);
    else
        return APP_DONE;
    return app_run_fail(self);
}

// Whether the run is saved after this frame: the first, the last, and those that the scene wants.
static bool saves_frame(const app_running *self, int32_t frame)
{
    const int32_t every = self->file.checkpoints.frames;
    return frame == 0 || frame + 1 == self->frame_count || (every > 0 && frame % every == 0);
}

// Steps until the frame's time, and sees that what the frame is to show is sound.
static mote_result run_to_frame(app_running *self, int32_t frame, mote_error *error)
{
    mote_simulation *simulation = self->file.simulation;
    const mote_result result =
        mote_simulation_run_until(simulation, app_run_frame_time(self, frame), must_stop, self, error);
    return result == MOTE_OK && !app_signal_caught() ? mote_simulation_watch(simulation, error) : result;
}

static int tell_gauges(app_running *self)
{
    snprintf(self->message, sizeof self->message, "%s/gauges.csv cannot be written: %s", self->folder,
             strerror(self->gauges.cause));
    return app_run_fail(self);
}

static int make_frames(app_running *self)
{
    mote_error error = {0};
    mote_simulation *simulation = self->file.simulation;
    if ((int32_t)self->report.record_count == self->frame_count) return check(self);  // it was resumed at its end
    for (int32_t frame = (int32_t)self->report.record_count; frame < self->frame_count; ++frame) {
        const mote_result result = run_to_frame(self, frame, &error);
        if (result != MOTE_OK) {
            const char *cause = error.text[0] ? error.text : mote_result_text(result);
            if (result == MOTE_ERROR_UNSTABLE) return app_run_unstable(self, cause);
            snprintf(self->message, sizeof self->message, "the run failed at t = %.4g s after %llu steps: %s",
                     mote_simulation_time(simulation), (unsigned long long)app_run_counters(self).steps, cause);
            return app_run_fail(self);
        }
        if (self->gauges.cause) return tell_gauges(self);
        if (app_signal_caught()) return app_run_interrupted(self);
        int status = write_frame(self, frame);
        if (status == APP_DONE && !app_gauges_flush(&self->gauges, false)) status = tell_gauges(self);
        if (status == APP_DONE) status = check(self);
        if (status != APP_DONE) return status;
        if (saves_frame(self, frame))
            save(self);
        else
            app_checkpoint_keep(self);
    }
    return APP_DONE;
}

// -------------------------------------------------------------------------------------------------------- the end

static int finish(app_running *self)
{
    const char *no_plot = self->gauges.count > 0 ? make_plot(self) : NULL, *no_video = make_video(self);
    if (app_signal_caught()) return app_run_interrupted(self);
    mote_error error = {0};
    mote_result result = app_frames_flush(&self->frames, &error);
    if (result != MOTE_OK) {
        snprintf(self->message, sizeof self->message, "the frames cannot be listed: %s",
                 error.text[0] ? error.text : mote_result_text(result));
        return app_run_fail(self);
    }
    if (!app_run_report(self, "done")) return app_run_fail_report(self);
    app_progress_clear(&self->progress);
    if (!self->quiet) app_run_print_summary(self, no_video, no_plot);
    return APP_DONE;
}

int app_run_to_end(app_running *self)
{
    app_progress_start(&self->progress, self->quiet, (size_t)self->frame_count, self->end_time);
    const int status = make_frames(self);
    return status == APP_DONE ? finish(self) : status;
}
