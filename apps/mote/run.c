// mote run: a scene to particles, pictures, a video and a report.

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"

typedef struct run {
    const char *scene_path, *folder_wish;
    int64_t frame_wish, threads;
    bool no_images, overwrite, quiet;

    app_scene_file file;
    char *folder;
    int32_t frame_count;
    double end_time;  // of the last frame
    app_frames frames;
    app_progress progress;
    app_report report;
    double started;
    char message[400];  // why it failed
} run;

static mote_fluid_counters counters_of(const run *this_run)
{
    return mote_fluid_get_counters(mote_simulation_fluid(this_run->file.simulation));
}

// Frame k lies at k times the scene's interval, also when --frames makes the run shorter or longer.
static double frame_time(const run *this_run, int32_t frame)
{
    const mote_scene_settings *settings = this_run->file.settings;
    return settings->end_time * frame / (settings->frames - 1);
}

// ------------------------------------------------------------------------------------------------------ report

static int write_report(run *this_run, const char *status)
{
    app_report *report = &this_run->report;
    report->status = status;
    report->message = this_run->message;
    report->pictures = this_run->frames.render ? mote_render_device(this_run->frames.render) : NULL;
    report->seconds = app_clock() - this_run->started;
    report->counters = counters_of(this_run);
    if (app_report_write(report, this_run->folder)) return APP_DONE;
    app_complain("%s/run.json: cannot be written", this_run->folder);
    return APP_FAILED;
}

static int fail(run *this_run)
{
    app_progress_clear(&this_run->progress);
    app_complain("%s: %s", this_run->file.path, this_run->message);
    write_report(this_run, "failed");
    return APP_FAILED;
}

static int interrupted(run *this_run)
{
    int number = app_signal_caught();
    const char *name = number == SIGINT ? "SIGINT" : "SIGTERM";
    app_progress_clear(&this_run->progress);
    double time = this_run->file.simulation ? mote_simulation_time(this_run->file.simulation) : 0;
    snprintf(this_run->message, sizeof this_run->message, "interrupted by %s at t = %.4g s: %zu whole frames", name, time,
             this_run->report.record_count);
    if (this_run->report.record_count > 0) write_report(this_run, "interrupted");
    app_complain("mote run: %s in %s", this_run->message, this_run->folder);
    return 128 + number;
}

// ------------------------------------------------------------------------------------------------------ frames

// Asked after every step.
static bool must_stop(void *user_data, const mote_simulation *simulation)
{
    run *this_run = user_data;
    mote_fluid_counters counters = counters_of(this_run);
    app_progress_step(&this_run->progress, mote_simulation_time(simulation), &counters);
    return app_signal_caught() != 0;
}

static int write_frame(run *this_run, int32_t frame)
{
    app_report *report = &this_run->report;
    app_record *record = &report->records[report->record_count];
    *record = (app_record){.frame = frame, .time = frame_time(this_run, frame)};
    int status = app_frames_write(&this_run->frames, record);
    if (status != APP_DONE) return status;
    ++report->record_count;
    mote_fluid_counters counters = counters_of(this_run);
    app_progress_frame(&this_run->progress, record->time, &counters, record, report->derived.reference_speed);
    return write_report(this_run, "running");
}

static int make_frames(run *this_run)
{
    mote_simulation *simulation = this_run->file.simulation;
    for (int32_t frame = 0; frame < this_run->frame_count; ++frame) {
        mote_result result =
            mote_simulation_run_until(simulation, frame_time(this_run, frame), must_stop, this_run);
        if (result != MOTE_OK) {
            const mote_error *error = mote_simulation_error(simulation);
            snprintf(this_run->message, sizeof this_run->message, "%s at t = %.4g s after %llu steps: %s",
                     result == MOTE_ERROR_UNSTABLE ? "the run blew up" : "the run failed",
                     mote_simulation_time(simulation), (unsigned long long)counters_of(this_run).steps,
                     error && error->text[0] ? error->text : mote_result_text(result));
            return fail(this_run);
        }
        if (app_signal_caught()) return interrupted(this_run);
        int status = write_frame(this_run, frame);
        if (status != APP_DONE) return status;
    }
    return APP_DONE;
}

// --------------------------------------------------------------------------------------------------- the checks

static int check(run *this_run)
{
    app_report *report = &this_run->report;
    mote_result result = mote_simulation_count_escaped(this_run->file.simulation, &report->inside, &report->beyond);
    report->has_checked = result == MOTE_OK;
    if (result != MOTE_OK)
        snprintf(this_run->message, sizeof this_run->message, "escaped particles cannot be counted: %s",
                 mote_result_text(result));
    else if (report->inside || report->beyond)
        snprintf(this_run->message, sizeof this_run->message,
                 "%zu particles are inside a solid and %zu beyond a wall, expected none", report->inside, report->beyond);
    else return APP_DONE;
    return fail(this_run);
}

static void print_checks(const run *this_run)
{
    const app_report *report = &this_run->report;
    double speed = 0, mean = 0, energy = -INFINITY;
    const mote_fluid_totals *first = &report->records[0].totals;
    double start = first->kinetic_energy + first->potential_energy;
    for (size_t i = 0; i < report->record_count; ++i) {
        const mote_fluid_totals *totals = &report->records[i].totals;
        speed = fmax(speed, totals->max_speed);
        mean = fmax(mean, totals->mean_compression);
        energy = fmax(energy, totals->kinetic_energy + totals->potential_energy - start);
    }
    printf("  checks     %sno particle inside a solid or beyond a wall%s; mean compression at most %.2f %%; ",
           this_run->progress.style.green, this_run->progress.style.reset, 100 * mean);
    if (report->derived.reference_speed > 0)
        printf("speed at most %.2f sqrt(gH); ", speed / report->derived.reference_speed);
    printf("energy at most %+.2f %% of its start\n", start > 0 ? 100 * energy / start : 0);
}

static void print_summary(const run *this_run, const char *no_video)
{
    const app_report *report = &this_run->report;
    const app_style *style = &this_run->progress.style;
    char duration[32];
    app_duration_text(report->seconds, duration, sizeof duration);
    printf("%sdone%s in %s: %d frames, %llu steps of %zu particles, %.2f M particle-steps/s, %.0f %% of the time in "
           "neighbour search\n",
           style->bold, style->reset, duration, this_run->frame_count, (unsigned long long)report->counters.steps,
           report->derived.particles,
           report->counters.total_seconds > 0
               ? 1e-6 * (double)report->counters.particle_steps / report->counters.total_seconds
               : 0.0,
           report->counters.total_seconds > 0
               ? 100 * report->counters.search_seconds / report->counters.total_seconds
               : 0.0);
    print_checks(this_run);
    if (this_run->frames.render)
        printf("  pictures   %s/frames/0000.png … %04d.png\n", this_run->folder, this_run->frame_count - 1);
    if (this_run->frames.render && no_video) printf("  video      none: %s\n", no_video);
    else if (this_run->frames.render) printf("  video      %s/%s.mp4\n", this_run->folder, this_run->file.name);
    printf("  ParaView   %s/particles.pvd\n  report     %s/run.json\n", this_run->folder, this_run->folder);
}

// ------------------------------------------------------------------------------------------------------ the run

static int finish(run *this_run)
{
    int status = check(this_run);
    if (status != APP_DONE) return status;
    const char *no_video = NULL;
    if (this_run->frames.render)
        no_video = app_video_make(this_run->folder, this_run->file.name, this_run->file.settings->frame_rate);
    if (app_signal_caught()) return interrupted(this_run);
    status = write_report(this_run, "done");
    app_progress_clear(&this_run->progress);
    if (status == APP_DONE && !this_run->quiet) print_summary(this_run, no_video);
    return status;
}

// From the scene, which is whole, to the frames.
static int simulate(run *this_run)
{
    app_scene_file *file = &this_run->file;
    app_report *report = &this_run->report;
    int status = app_scene_fill(file);
    if (status != APP_DONE) return status;
    report->file = file;
    report->derived = app_scene_derive(file, &report->fluid);
    report->records = calloc((size_t)this_run->frame_count, sizeof *report->records);
    if (!report->records) return APP_FAILED;
    if (app_signal_caught()) return interrupted(this_run);

    status = app_folder_make(this_run->folder, file->name, this_run->overwrite, !this_run->no_images);
    if (status != APP_DONE) return status;
    if (!this_run->quiet) {
        printf("%s: %zu particles, %zu wall particles, %zu removed, %.3g steps to come\n", file->name,
               report->derived.particles, report->derived.wall_particles, report->derived.removed,
               report->derived.steps * this_run->end_time / file->settings->end_time);
        fflush(stdout);
    }
    status = app_frames_open(&this_run->frames, file, this_run->folder, &report->derived, !this_run->no_images,
                             this_run->quiet);
    if (status != APP_DONE) return status;
    app_progress_start(&this_run->progress, this_run->quiet, (size_t)this_run->frame_count, this_run->end_time);
    status = make_frames(this_run);
    return status == APP_DONE ? finish(this_run) : status;
}

static int open_run(run *this_run, mote_context *context)
{
    int status = app_scene_open(&this_run->file, context, this_run->scene_path);
    if (status != APP_DONE) return status;
    this_run->frame_count = this_run->frame_wish ? (int32_t)this_run->frame_wish : this_run->file.settings->frames;
    this_run->end_time = frame_time(this_run, this_run->frame_count - 1);
    this_run->folder = this_run->folder_wish ? app_text("%s", this_run->folder_wish) : app_text("out/%s", this_run->file.name);
    if (!this_run->folder) return APP_FAILED;
    size_t length = strlen(this_run->folder);
    while (length > 1 && this_run->folder[length - 1] == '/') this_run->folder[--length] = '\0';
    return app_folder_check(this_run->folder, this_run->overwrite);
}

int app_run(int argc, char **argv)
{
    run this_run = {0};
    const app_option options[] = {
        {"--output", "DIR", "folder to write to; out/<scene>/ unless told", 'o', .text = &this_run.folder_wish},
        {"--frames", "N", "exactly N frames, the initial state being the first", 0, .whole = &this_run.frame_wish,
         .min = 1, .max = 1000000},
        {"--threads", "N", "threads; as many as there are processors unless told", 0, .whole = &this_run.threads,
         .min = 1, .max = 4096},
        {"--no-images", NULL, "no pictures and no video", 0, .flag = &this_run.no_images},
        {"--overwrite", NULL, "replace the files of an earlier run in DIR", 0, .flag = &this_run.overwrite},
        {"--quiet", NULL, "print nothing but errors", 'q', .flag = &this_run.quiet},
    };
    const app_usage usage = {
        "run", "SCENE", 1, "Simulates a scene and writes what happens.",
        "In DIR: run.json (parameters, a record of every frame, a summary), particles.pvd with particles_NNNN.vtp\n"
        "(for ParaView: id, velocity, density, pressure), boundary.vtp, mesh_<name>.ply, frames/NNNN.png and, where\n"
        "ffmpeg is installed, <scene>.mp4. Frame k shows the time k · end_time / (frames − 1) of the scene, also with\n"
        "--frames: a shortened run is the beginning of the whole one, byte for byte. Results do not depend on --threads.\n\n"
        "Exit status: 0 done, 1 the run failed or a check did not hold, 2 bad input, 130 and 143 interrupted by SIGINT\n"
        "and SIGTERM, after the current step, with every frame whole.\n",
        options, sizeof options / sizeof options[0]};
    int status = app_options_read(&usage, argc, argv, &this_run.scene_path);
    if (status != APP_GO_ON) return status;

    app_signals_catch();
    this_run.started = app_clock();
    mote_context *context = app_context_create(this_run.threads);
    if (!context) return APP_FAILED;
    status = open_run(&this_run, context);
    if (status == APP_DONE) status = simulate(&this_run);
    app_frames_close(&this_run.frames);
    app_scene_close(&this_run.file);
    free(this_run.report.records);
    free(this_run.folder);
    mote_context_destroy(context);
    return status;
}
