// SPDX-License-Identifier: MIT
// mote run: runs a scene and writes its particles, pictures, video and report.

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

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
    bool done = app_made_add(made, "run.json", -1, "") && app_made_add(made, "checkpoint_", 2, ".bin") &&
                app_made_add(made, "failed", -1, ".vtp");
    for (size_t k = 0; done && k < self->frames.object_count; ++k) {
        const char *name = self->frames.objects[k].name;
        if (self->frames.objects[k].is_fixed) {
            done = app_made_add(made, name, -1, ".vtp");
            continue;
        }
        char *prefix = app_text("%s_", name);
        done = prefix && app_made_add(made, name, -1, ".pvd") && app_made_add(made, prefix, self->frame_count, ".vtp");
        free(prefix);
    }
    for (size_t k = 0; done && k < mote_simulation_object_count(simulation); ++k) {
        mote_object_view view;
        if (mote_simulation_get_object(simulation, k, &view, NULL) != MOTE_OK || !view.mesh) continue;
        char *name = app_text(view.mesh_moves ? "mesh_%s_" : "mesh_%s", view.name);
        done = name && app_made_add(made, name, view.mesh_moves ? self->frame_count : -1, ".ply");
        free(name);
    }
    if (app_frames_write_surfaces(&self->frames))
        done = done && app_made_add(made, "surface", -1, ".pvd") &&
               app_made_add(made, "surface_", self->frame_count, ".vtp");
    if (mote_simulation_gauge_count(simulation) > 0) {
        done = done && app_made_add(made, "gauges", -1, ".csv");
        if (!self->no_images)
            done = done && app_made_add(made, "gauges", -1, ".gnuplot") && app_made_add(made, "gauges", -1, ".png");
    }
    if (!self->frames.render) return done;
    return done && app_made_add(made, "frames/", self->frame_count, ".png") &&
           app_made_add(made, self->file.name, -1, ".mp4");
}

// Locks the folder for this run and deletes an earlier run's files. Nothing is written before that.
static int make_folder(app_running *self)
{
    if (!list_files(self)) return app_out_of_memory();
    const bool resumes = self->resume_wish != NULL;
    int status = app_folder_take(self->folder, self->overwrite || resumes, &self->lock);
    if (status == APP_DONE) status = app_made_clear(&self->report.made, &self->file, self->folder, resumes);
    if (status != APP_DONE) return status;
    char *frames = app_text("%s/frames", self->folder);
    const bool is_made = frames && (!self->frames.render || app_folder_create(frames));
    if (!is_made) app_complain("%s/frames: cannot be made: %s", self->folder, strerror(errno));
    free(frames);
    if (!is_made) return APP_FAILED;
    self->has_folder = app_run_report(self, "running");
    return self->has_folder ? APP_DONE : app_run_fail_report(self);
}

// Runs a scene that was read and checked, and writes its frames.
static int simulate(app_running *self)
{
    app_scene_file *file = &self->file;
    app_report *report = &self->report;
    app_signals_release();  // nothing is written yet: a signal may end the program here
    int status = app_scene_fill(file);
    app_signals_catch();
    if (status == APP_DONE && self->resume_wish) status = app_checkpoint_restore_state(self, &self->checkpoint);
    if (status == APP_DONE && self->from_wish) status = app_from_start(self);
    if (status != APP_DONE) return status;
    report->file = file;
    report->derived = app_scene_derive(file, &report->resolved);
    status = forecast(self);
    if (status != APP_DONE) return status;
    report->records = calloc((size_t)self->frame_count, sizeof *report->records);
    if (!report->records) return app_out_of_memory();
    if (app_signal_caught()) return app_run_interrupted(self);

    status = app_frames_open(&self->frames, file, self->folder, &report->derived, !self->no_images, self->quiet);
    if (status == APP_DONE && self->resume_wish) status = app_checkpoint_restore(self, &self->checkpoint);
    if (status == APP_DONE) status = make_folder(self);
    if (status == APP_DONE && !self->quiet) app_run_print_beginning(self);
    app_checkpoint_release(&self->checkpoint);
    if (status != APP_DONE) return status;
    status = app_gauges_open(&self->gauges, file->simulation, self->folder, self->resume_wish != NULL);
    if (status != APP_DONE) {
        snprintf(self->message, sizeof self->message, "gauges.csv cannot be written");
        app_run_note_failure(self);
        return status;
    }
    status = app_frames_begin(&self->frames);
    if (status == APP_DONE && app_frames_resume(&self->frames, report->records, report->record_count, NULL) != MOTE_OK)
        status = APP_FAILED;
    if (status != APP_DONE) {
        snprintf(self->message, sizeof self->message, "the boundary, a mesh or a list of frames cannot be written");
        app_run_note_failure(self);
        return status;
    }
    return app_run_to_end(self);
}

// The number of frames until the time that --end-time gives.
static int count_frames(app_running *self)
{
    char *end;
    const mote_scene_settings *settings = self->file.settings;
    const double time = strtod(self->end_wish, &end), frames = time / settings->end_time * (settings->frames - 1);
    if (*end != '\0' || !(time > 0 && frames < 1e6)) {
        app_complain("mote run: --end-time is %s, expected seconds, at most a million frames of %.4g s", self->end_wish,
                     settings->end_time / (settings->frames - 1));
        return APP_BAD_INPUT;
    }
    self->frame_count = 1 + (int32_t)(frames * (1 + 1e-9));
    return APP_DONE;
}

// How many frames are wanted, which may be more than the scene, or the run that is resumed, was to have.
static int choose_frames(app_running *self)
{
    const app_checkpoint *checkpoint = &self->checkpoint;
    const size_t frames_there = self->resume_wish ? checkpoint->record_count : 0;
    self->frame_count = self->resume_wish ? checkpoint->frame_count : self->file.settings->frames;
    if (self->frame_wish) self->frame_count = (int32_t)self->frame_wish;
    const int status = self->end_wish ? count_frames(self) : APP_DONE;
    if (status != APP_DONE) return status;
    self->end_time = app_run_frame_time(self, self->frame_count - 1);
    if ((size_t)self->frame_count >= frames_there) return APP_DONE;
    app_complain("%s: %zu frames are there, expected a run to be resumed to at least as many, not %d", self->folder,
                 frames_there, self->frame_count);
    return APP_BAD_INPUT;
}

// Opens the scene that a checkpoint holds.
static int open_checkpoint(app_running *self, mote_context *context)
{
    app_checkpoint *checkpoint = &self->checkpoint;
    char key[APP_SCENE_KEY];
    int status = app_checkpoint_read(self->folder, -1, checkpoint);
    if (status != APP_DONE) return status;
    app_made_scene_key(checkpoint->scene, checkpoint->scene_length, key);
    if (app_made_of_other_scene(self->folder, key)) {
        app_complain("%s: its checkpoints are of another scene than its run.json, expected those of this run; --from "
                     "starts a scene from the state of another",
                     self->folder);
        return APP_BAD_INPUT;
    }
    self->no_images |= checkpoint->no_images;
    self->full_path = app_text("%s", checkpoint->path);
    if (!self->full_path) return app_out_of_memory();
    return app_scene_open_text(&self->file, context, self->full_path, checkpoint->scene, checkpoint->scene_length);
}

static int open_scene(app_running *self, mote_context *context)
{
    const int status = app_scene_open(&self->file, context, self->scene_path);
    if (status != APP_DONE) return status;
    self->full_path = realpath(self->scene_path, NULL);
    return self->full_path || (self->full_path = app_text("%s", self->scene_path)) ? APP_DONE : app_out_of_memory();
}

static int open_run(app_running *self, mote_context *context)
{
    if (self->resume_wish) self->folder = app_text("%s", self->resume_wish);
    int status = self->resume_wish ? open_checkpoint(self, context) : open_scene(self, context);
    if (status != APP_DONE) return app_signal_caught() ? 128 + app_signal_caught() : status;
    if (!self->resume_wish)
        self->folder =
            app_text("%s%s", self->folder_wish ? "" : "out/", self->folder_wish ? self->folder_wish : self->file.name);
    if (!self->folder) return app_out_of_memory();
    size_t length = strlen(self->folder);
    while (length > 1 && self->folder[length - 1] == '/') self->folder[--length] = '\0';
    if (self->from_wish) status = app_from_open(self);
    if (status == APP_DONE) status = choose_frames(self);
    return status == APP_DONE ? app_folder_check(self->folder, self->overwrite || self->resume_wish) : status;
}

// Exactly one of a scene and a folder to go on with.
static int check_words(const app_running *self)
{
    if (!self->scene_path && !self->resume_wish)
        app_complain("mote run: SCENE is missing, see mote run --help");
    else if (self->scene_path && self->resume_wish)
        app_complain("mote run: --resume %s goes on with the scene in that folder, expected no SCENE: %s; --from %s "
                     "starts it from that state",
                     self->resume_wish, self->scene_path, self->resume_wish);
    else if (self->resume_wish && self->from_wish)
        app_complain("mote run: expected --resume or --from, not both");
    else if (self->resume_wish && (self->folder_wish || self->overwrite))
        app_complain("mote run: --resume %s goes on in that folder, expected no --output or --overwrite",
                     self->resume_wish);
    else if (self->frame_wish && self->end_wish)
        app_complain("mote run: expected --frames or --end-time, not both");
    else
        return APP_DONE;
    return APP_BAD_INPUT;
}

static const char explanation[] =
    "Files in DIR:\n"
    "  run.json                              parameters, statistics of every frame, names of all files\n"
    "  particles.pvd, particles_NNNN.vtp     fluid, for ParaView: id, velocity, density, pressure\n"
    "  boundary.vtp                          wall particles\n"
    "  surface.pvd, surface_NNNN.vtp         surface of the fluid, if the scene has a section \"surface\"\n"
    "  grains.pvd, grains_NNNN.vtp           grains, for ParaView: velocity\n"
    "  mesh_<name>.ply                       solids; mesh_moving_sides_NNNN.ply: sides of the tank that move\n"
    "  gauges.csv, gauges.png                rows of the scene's gauges; their plot, if gnuplot is installed\n"
    "  frames/NNNN.png, <scene>.mp4          pictures; a video, if ffmpeg is installed\n"
    "  checkpoint_000N.bin                   the last two states that --resume can go on from\n"
    "  failed.vtp                            what surrounds the particle with which a run became unstable\n"
    "Frame k shows the time k · end_time / (frames − 1), whatever --frames says. Results do not depend on\n"
    "--threads. Control-C stops the run after the current step; all frames written are complete, and a video is\n"
    "made of them. In runs of more than 64 frames, run.json and *.pvd may lag behind by one frame in 65 until the\n"
    "run ends. A run that was killed or interrupted ends with --resume as if nothing had happened: all files have\n"
    "the same bytes, but for the times in run.json. With --from another scene, with other walls or settings,\n"
    "starts at t = 0 from the particles of a run in DIR, which has the last two states that it saved. Proxies of\n"
    "meshes and fields of solids are cached in $XDG_CACHE_HOME/mote, or $HOME/.cache/mote.\n\n"
    "Exit status: 0 success, 1 the run or a check failed, 2 bad input; 129, 130, 141, 143 interrupted by SIGHUP,\n"
    "SIGINT, SIGPIPE, SIGTERM.\n";

static void close_run(app_running *self)
{
    app_frames_close(&self->frames);
    app_gauges_close(&self->gauges);
    app_scene_close(&self->file);
    app_folder_unlock(self->lock);
    for (int32_t k = 0; self->report.records && k < self->frame_count; ++k)
        free(self->report.records[k].quantities.list);
    free(self->report.records);
    free(self->report.derived.quantities.list);
    app_made_release(&self->report.made);
    app_checkpoint_release(&self->checkpoint);
    free(self->folder);
    free(self->full_path);
    free(self->origin_folder);
    free(self->kept.bytes);
}

int app_run(int argc, char **argv)
{
    app_running self = {.lock = -1};
    const app_option options[] = {
        {"--output", "DIR", "output folder; default: out/<scene>/", 'o', .text = &self.folder_wish},
        {"--frames", "N", "write N frames, counting the initial state", 0, .whole = &self.frame_wish, .min = 1,
         .max = 1000000},
        {"--end-time", "S", "write frames until this time [s], at the scene's interval", 0, .text = &self.end_wish},
        {"--resume", "DIR", "instead of SCENE: go on with the run in DIR, which was interrupted, or is to last longer",
         0, .text = &self.resume_wish},
        {"--from", "DIR[@FRAME]",
         "start SCENE from the last state of the run in DIR, or that of a frame, instead of its own blocks and grains",
         0, .text = &self.from_wish},
        {"--threads", "N", "number of threads; default: all processors of this process or container", 0,
         .whole = &self.threads, .min = 1, .max = 4096},
        {"--no-images", NULL, "write no pictures and no video", 0, .flag = &self.no_images},
        {"--overwrite", NULL, "first remove the files of the earlier run in DIR", 0, .flag = &self.overwrite},
        {"--quiet", NULL, "print nothing but errors", 'q', .flag = &self.quiet},
    };
    const app_usage usage = {
        "run",
        "SCENE",
        1,
        "Simulates a scene and writes its frames.",
        explanation,
        options,
        sizeof options / sizeof options[0],
        true};
    int status = app_options_read(&usage, argc, argv, &self.scene_path);
    if (status != APP_GO_ON) return status;
    status = check_words(&self);
    if (status != APP_DONE) return status;

    app_signals_catch();
    self.started = app_clock();
    mote_context *context = app_context_create(self.threads);
    if (!context) return APP_FAILED;
    status = open_run(&self, context);
    if (status == APP_DONE) status = simulate(&self);
    close_run(&self);
    mote_context_destroy(context);
    return status;
}
