// SPDX-License-Identifier: MIT
// mote run: runs a scene and writes its particles, pictures, video and report.

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

static mote_simulation_counters counters_of(const app_running *self)
{
    return mote_simulation_get_counters(self->file.simulation);
}

// Frame k is at k times the scene's interval, even if --frames makes the run shorter or longer.
static double frame_time(const app_running *self, int32_t frame)
{
    const mote_scene_settings *settings = self->file.settings;
    return settings->end_time * frame / (settings->frames - 1);
}

// ------------------------------------------------------------------------------------------------------ report

static bool write_report(app_running *self, const char *status)
{
    app_report *report = &self->report;
    report->status = status;
    report->message = self->message;
    report->pictures = self->frames.render ? mote_render_device(self->frames.render) : NULL;
    report->seconds = app_clock() - self->started;
    report->counters = counters_of(self);
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

static void note_failure(app_running *self)
{
    if (self->has_folder && !write_report(self, "failed")) app_report_amend(self->folder);
}

// Makes a video of the existing frames if there are at least two, also if the run did not reach its end.
// @return why there is no video, or NULL
static const char *make_video(app_running *self)
{
    if (!self->frames.render) return "there are no pictures";
    if (self->report.record_count < 2) return "there is one picture alone";
    return app_video_make(&self->frames.video, self->folder, self->file.name);
}

// The status of a run that ends early.
static void make_early_video(app_running *self)
{
    if (!make_video(self) && !self->quiet) app_run_print_made(self, "video", self->file.name, ".mp4\n");
}

// Reports the reason on the terminal, and in the files if they can still be written.
static int fail(app_running *self)
{
    app_progress_clear(&self->progress);
    app_complain("%s: %s", self->file.path, self->message);
    app_frames_flush(&self->frames, NULL);
    note_failure(self);
    if (self->has_folder) make_early_video(self);
    return APP_FAILED;
}

static int fail_report(app_running *self)
{
    snprintf(self->message, sizeof self->message, "%s/run.json cannot be written: %s", self->folder, strerror(errno));
    return fail(self);
}

// If the reader of standard output has closed its pipe, the run ends without a message, as other programs do.
static int interrupted(app_running *self)
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
    if (self->has_folder) write_report(self, "interrupted");
    if (number != SIGPIPE) app_complain("mote run: %s in %s", self->message, self->folder);
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
    const mote_simulation_counters counters = counters_of(self);
    app_progress_step(&self->progress, mote_simulation_time(simulation), &counters);
    return app_signal_caught() != 0;
}

static int write_frame(app_running *self, int32_t frame)
{
    app_report *report = &self->report;
    app_record *record = &report->records[report->record_count];
    *record = (app_record){.frame = frame, .time = frame_time(self, frame)};
    mote_error error = {0};
    mote_result result = app_frames_write(&self->frames, record, &error);
    if (result != MOTE_OK) {
        snprintf(self->message, sizeof self->message, "frame %d cannot be written: %s", frame,
                 error.text[0] ? error.text : mote_result_text(result));
        return fail(self);
    }
    ++report->record_count;
    const mote_simulation_counters counters = counters_of(self);
    app_progress_frame(&self->progress, record->time, &counters, record);
    return !report_is_due(self) || write_report(self, "running") ? APP_DONE : fail_report(self);
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
    else return APP_DONE;
    return fail(self);
}

// "unstable at t = 0.49 s: the time step collapsed to 0 s (0.00024 s is normal); try ...; 12 frames were written"
static int tell_unstable(app_running *self, const char *cause)
{
    static const char prefix[] = "simulation: ";
    if (strncmp(cause, prefix, strlen(prefix)) == 0) cause += strlen(prefix);
    const size_t count = self->report.record_count;
    snprintf(self->message, sizeof self->message, "%s; %zu frame%s %s written until then", cause, count,
             app_plural(count), count == 1 ? "was" : "were");
    return fail(self);
}

static int make_frames(app_running *self)
{
    mote_error error = {0};
    mote_simulation *simulation = self->file.simulation;
    for (int32_t frame = 0; frame < self->frame_count; ++frame) {
        mote_result result = mote_simulation_run_until(simulation, frame_time(self, frame), must_stop, self, &error);
        if (result != MOTE_OK) {
            const char *cause = error.text[0] ? error.text : mote_result_text(result);
            if (result == MOTE_ERROR_UNSTABLE) return tell_unstable(self, cause);
            snprintf(self->message, sizeof self->message, "the run failed at t = %.4g s after %llu steps: %s",
                     mote_simulation_time(simulation), (unsigned long long)counters_of(self).steps, cause);
            return fail(self);
        }
        if (app_signal_caught()) return interrupted(self);
        int status = write_frame(self, frame);
        if (status == APP_DONE) status = check(self);
        if (status != APP_DONE) return status;
    }
    return APP_DONE;
}

// ------------------------------------------------------------------------------------------------------ the run

static int finish(app_running *self)
{
    const char *no_video = make_video(self);
    if (app_signal_caught()) return interrupted(self);
    mote_error error = {0};
    mote_result result = app_frames_flush(&self->frames, &error);
    if (result != MOTE_OK) {
        snprintf(self->message, sizeof self->message, "the frames cannot be listed: %s",
                 error.text[0] ? error.text : mote_result_text(result));
        return fail(self);
    }
    if (!write_report(self, "done")) return fail_report(self);
    app_progress_clear(&self->progress);
    if (!self->quiet) app_run_print_summary(self, no_video);
    return APP_DONE;
}

// Refuses runs with more steps than counters hold before the first step, and warns about runs that take days.
static int forecast(app_running *self)
{
    const double most_steps = 9007199254740992, usual_rate = 1e6, day = 86400;  // 2^53; particle-steps/s by a thread
    const app_derived *derived = &self->report.derived;
    const double steps = derived->steps * self->end_time / self->file.settings->end_time;
    if (!(steps <= most_steps)) {
        mote_error error = {.result = MOTE_ERROR_ARGUMENT};
        char value[32];
        mote_number_text(self->file.settings->end_time, value, sizeof value);
        snprintf(error.text, sizeof error.text, "end_time is %s, expected one of at most 2^53 steps, not about %.3g",
                 value, steps);
        return app_scene_complain(&self->file, &error);
    }
    const double days = steps * derived->particles / (usual_rate * mote_context_worker_count(self->file.context)) / day;
    if (days > 1 && !self->quiet)
        printf("note: about %.3g steps of %.3g particles take days: %.3g at a million particle-steps/s a thread\n",
               steps, derived->particles, days);
    return APP_DONE;
}

// The names of all files that will be written: run.json lists them before they exist.
static bool list_files(app_running *self)
{
    mote_simulation *simulation = self->file.simulation;
    app_made *made = &self->report.made;
    bool done = app_made_add(made, "run.json", -1, "");
    for (size_t k = 0; done && k < self->frames.object_count; ++k) {
        const char *name = self->frames.objects[k].name;
        if (self->frames.objects[k].is_fixed) {
            done = app_made_add(made, name, -1, ".vtp");
            continue;
        }
        char *prefix = app_text("%s_", name);
        done = prefix && app_made_add(made, name, -1, ".pvd") &&
               app_made_add(made, prefix, self->frame_count, ".vtp");
        free(prefix);
    }
    for (size_t k = 0; done && k < mote_simulation_object_count(simulation); ++k) {
        mote_object_view view;
        if (mote_simulation_get_object(simulation, k, &view, NULL) != MOTE_OK || !view.mesh) continue;
        char *name = app_text("mesh_%s", view.name);
        done = name && app_made_add(made, name, -1, ".ply");
        free(name);
    }
    if (!self->frames.render) return done;
    return done && app_made_add(made, "frames/", self->frame_count, ".png") &&
           app_made_add(made, self->file.name, -1, ".mp4");
}

// Locks the folder for this run and deletes an earlier run's files. Nothing is written before that.
static int make_folder(app_running *self)
{
    if (!list_files(self)) return app_out_of_memory();
    int status = app_folder_take(self->folder, self->overwrite, &self->lock);
    if (status == APP_DONE) status = app_made_clear(&self->report.made, &self->file, self->folder);
    if (status != APP_DONE) return status;
    char *frames = app_text("%s/frames", self->folder);
    const bool is_made = frames && (!self->frames.render || app_folder_create(frames));
    if (!is_made) app_complain("%s/frames: cannot be made: %s", self->folder, strerror(errno));
    free(frames);
    if (!is_made) return APP_FAILED;
    self->has_folder = write_report(self, "running");
    return self->has_folder ? APP_DONE : fail_report(self);
}

// Runs a scene that was read and checked, and writes its frames.
static int simulate(app_running *self)
{
    app_scene_file *file = &self->file;
    app_report *report = &self->report;
    app_signals_release();  // nothing is written yet: a signal may end the program here
    int status = app_scene_fill(file);
    app_signals_catch();
    if (status != APP_DONE) return status;
    report->file = file;
    report->derived = app_scene_derive(file, &report->resolved);
    status = forecast(self);
    if (status != APP_DONE) return status;
    report->records = calloc((size_t)self->frame_count, sizeof *report->records);
    if (!report->records) return app_out_of_memory();
    if (app_signal_caught()) return interrupted(self);

    status = app_frames_open(&self->frames, file, self->folder, &report->derived, !self->no_images,
                             self->quiet);
    if (status != APP_DONE) return status;
    status = make_folder(self);
    if (status != APP_DONE) return status;
    if (!self->quiet) app_run_print_beginning(self);
    status = app_frames_begin(&self->frames);
    if (status != APP_DONE) {
        snprintf(self->message, sizeof self->message, "the boundary, a mesh or a list of frames cannot be written");
        note_failure(self);
        return status;
    }
    app_progress_start(&self->progress, self->quiet, (size_t)self->frame_count, self->end_time);
    status = make_frames(self);
    return status == APP_DONE ? finish(self) : status;
}

static int open_run(app_running *self, mote_context *context)
{
    int status = app_scene_open(&self->file, context, self->scene_path);
    if (status != APP_DONE) return app_signal_caught() ? 128 + app_signal_caught() : status;
    self->frame_count = self->frame_wish ? (int32_t)self->frame_wish : self->file.settings->frames;
    self->end_time = frame_time(self, self->frame_count - 1);
    self->folder = app_text("%s%s", self->folder_wish ? "" : "out/",
                            self->folder_wish ? self->folder_wish : self->file.name);
    if (!self->folder) return app_out_of_memory();
    size_t length = strlen(self->folder);
    while (length > 1 && self->folder[length - 1] == '/') self->folder[--length] = '\0';
    return app_folder_check(self->folder, self->overwrite);
}

int app_run(int argc, char **argv)
{
    app_running self = {.lock = -1};
    const app_option options[] = {
        {"--output", "DIR", "output folder; default: out/<scene>/", 'o', .text = &self.folder_wish},
        {"--frames", "N", "write N frames, counting the initial state", 0, .whole = &self.frame_wish,
         .min = 1, .max = 1000000},
        {"--threads", "N", "number of threads; default: all processors of this process or container", 0,
         .whole = &self.threads, .min = 1, .max = 4096},
        {"--no-images", NULL, "write no pictures and no video", 0, .flag = &self.no_images},
        {"--overwrite", NULL, "first remove the files of the earlier run in DIR", 0, .flag = &self.overwrite},
        {"--quiet", NULL, "print nothing but errors", 'q', .flag = &self.quiet},
    };
    const app_usage usage = {
        "run", "SCENE", 1, "Simulates a scene and writes its frames.",
        "Files in DIR:\n"
        "  run.json                              parameters, statistics of every frame, names of all files\n"
        "  particles.pvd, particles_NNNN.vtp     fluid, for ParaView: id, velocity, density, pressure\n"
        "  boundary.vtp                          wall particles\n"
        "  grains.pvd, grains_NNNN.vtp           grains, for ParaView: velocity\n"
        "  mesh_<name>.ply                       solids\n"
        "  frames/NNNN.png, <scene>.mp4          pictures; a video, if ffmpeg is installed\n"
        "Frame k shows the time k · end_time / (frames − 1), whatever --frames says. Results do not depend on\n"
        "--threads. Control-C stops the run after the current step; all frames written are complete, and a video is\n"
        "made of them. In runs of more than 64 frames, run.json and *.pvd may lag behind by one frame in 65 until the\n"
        "run ends. Proxies of meshes are cached in $XDG_CACHE_HOME/mote, or $HOME/.cache/mote.\n\n"
        "Exit status: 0 success, 1 the run or a check failed, 2 bad input; 129, 130, 141, 143 interrupted by SIGHUP,\n"
        "SIGINT, SIGPIPE, SIGTERM.\n",
        options, sizeof options / sizeof options[0]};
    int status = app_options_read(&usage, argc, argv, &self.scene_path);
    if (status != APP_GO_ON) return status;

    app_signals_catch();
    self.started = app_clock();
    mote_context *context = app_context_create(self.threads);
    if (!context) return APP_FAILED;
    status = open_run(&self, context);
    if (status == APP_DONE) status = simulate(&self);
    app_frames_close(&self.frames);
    app_scene_close(&self.file);
    app_folder_unlock(self.lock);
    for (int32_t k = 0; self.report.records && k < self.frame_count; ++k) free(self.report.records[k].quantities.list);
    free(self.report.records);
    free(self.report.derived.quantities.list);
    app_made_release(&self.report.made);
    free(self.folder);
    mote_context_destroy(context);
    return status;
}
