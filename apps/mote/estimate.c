// SPDX-License-Identifier: MIT
// mote scene --estimate: what a run of a scene will take. Some real steps and a real frame are made, in memory and in a
// folder that is removed again, and timed; the rest is multiplication. Where the work of a step will not stay what it
// is, a trial (trial.c) tells how it changes.

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "estimate.h"

enum { STEPS = APP_WARM_STEPS + APP_TIMED_STEPS };

// Frames of a video that is made for an estimate.
enum { VIDEO_FRAMES = 24 };

// What was measured.
typedef struct measure {
    app_steps steps;       // the last ones
    double frame_seconds;  // to write a frame, and to draw it, in the mean of all
    double video_seconds;  // for a frame of the video; 0: there is none
    bool has_pictures;
    bool is_full;          // of a simulation with all grains, for the frame only: no video is made
    bool lacks_full;       // no frame with all grains could be made
} measure;

// ------------------------------------------------------------------------------------------------------- measuring

static int make_steps(app_scene_file *file, measure *found)
{
    const mote_scene_settings *settings = file->settings;
    const double interval = settings->end_time / (settings->frames - 1);
    double ends[APP_TIMED_STEPS + 1], begun = 0, moved = 0;
    for (int k = 0; k < STEPS; ++k) {
        mote_error error = {0};
        if (k >= APP_WARM_STEPS) ends[k - APP_WARM_STEPS] = app_clock();
        if (k == APP_WARM_STEPS) {
            begun = mote_simulation_time(file->simulation);
            moved = (double)mote_simulation_get_counters(file->simulation).particle_steps;
        }
        const mote_result result = mote_simulation_step(file->simulation, interval, NULL, &error);
        if (result == MOTE_OK) continue;
        app_complain("%s: step %d of %d for an estimate: %s", file->path, k, STEPS,
                     error.text[0] ? error.text : mote_result_text(result));
        return APP_FAILED;
    }
    moved = (double)mote_simulation_get_counters(file->simulation).particle_steps - moved;
    ends[APP_TIMED_STEPS] = app_clock();
    app_steps_time(&found->steps, ends);
    found->steps.dt = (mote_simulation_time(file->simulation) - begun) / APP_TIMED_STEPS;
    found->steps.particles = moved / APP_TIMED_STEPS;
    return APP_DONE;
}

// Removes a folder with the files in it.
static void remove_folder(const char *folder)
{
    DIR *entries = opendir(folder);
    const struct dirent *entry;
    while (entries && (entry = readdir(entries))) {
        char *path = app_text("%s/%s", folder, entry->d_name);
        if (path) unlink(path);
        free(path);
    }
    if (entries) closedir(entries);
    rmdir(folder);
}

// Makes a video of the two pictures that are there, in turn, as long as the time that it takes can be measured.
static void make_video(const app_scene_file *file, const app_frames *frames, measure *found)
{
    bool is_ready = true;
    for (int k = 2; k < VIDEO_FRAMES && is_ready; ++k) {
        char *from = app_text("%s/frames/%04d.png", frames->folder, k % 2);
        char *to = app_text("%s/frames/%04d.png", frames->folder, k);
        is_ready = from && to && link(from, to) == 0;
        free(from);
        free(to);
    }
    const double start = app_clock();
    if (is_ready && !app_video_make(&frames->video, frames->folder, file->name))
        found->video_seconds = (app_clock() - start) / VIDEO_FRAMES;
}

static int write_frame(const app_scene_file *file, const app_derived *derived, const char *folder, bool pictures,
                       measure *found)
{
    app_frames frames = {0};
    app_record record = {0};
    mote_error error = {0};
    int status = app_frames_open(&frames, file, folder, derived, pictures, true);
    if (status == APP_DONE) status = app_frames_begin(&frames);
    for (int32_t k = 0; k < 2 && status == APP_DONE; ++k) {  // the first draws what others only show again
        const double start = app_clock();
        free(record.quantities.list);
        record = (app_record){.frame = k, .time = mote_simulation_time(file->simulation)};
        const mote_result result = app_frames_write(&frames, &record, &error);
        if (result != MOTE_OK) {
            app_complain("%s: a frame for an estimate: %s", file->path,
                         error.text[0] ? error.text : mote_result_text(result));
            status = APP_FAILED;
        }
        found->frame_seconds = app_clock() - start;
    }
    found->has_pictures = frames.render != NULL;
    if (status == APP_DONE && found->has_pictures && !found->is_full) make_video(file, &frames, found);
    free(record.quantities.list);
    app_frames_close(&frames);
    return status;
}

static int make_frame(const app_scene_file *file, const app_derived *derived, bool pictures, measure *found)
{
    const char *place = getenv("TMPDIR");
    char *folder = app_text("%s/mote-XXXXXX", place && *place ? place : "/tmp");
    if (!folder) return app_out_of_memory();
    int status = APP_FAILED;
    if (mkdtemp(folder)) {
        char *inner = app_text("%s/frames", folder);
        if (inner && app_folder_create(inner)) status = write_frame(file, derived, folder, pictures, found);
        if (inner) remove_folder(inner);
        free(inner);
        remove_folder(folder);
    } else
        app_complain("%s: no folder can be made for a frame", folder);
    free(folder);
    return status;
}

// A frame with all grains, which takes several times as long as one with the few that have come in. They begin together
// in a simulation of their own. There may be no memory for it beside the first.
static bool make_full_frame(const app_scene_file *file, const app_derived *derived, bool pictures, double *seconds)
{
    app_scene_file full = *file;
    mote_simulation_def def = file->settings->simulation;
    mote_error error = {0};
    measure found = {.is_full = true};
    def.grains.duration = 0;
    def.grains.proxy = file->proxy;
    full.simulation = NULL;
    app_complain_silence(true);
    const bool is_made = mote_simulation_create(file->context, &def, &full.simulation, &error) == MOTE_OK &&
                         make_frame(&full, derived, pictures, &found) == APP_DONE;
    app_complain_silence(false);
    mote_simulation_destroy(full.simulation);
    *seconds = found.frame_seconds;
    return is_made;
}

// The mean of frames of a pour, by the mean number of grains.
static int make_frames(const app_scene_file *file, const app_derived *derived, bool pictures, measure *found)
{
    const mote_simulation_def *def = &file->settings->simulation;
    const double count = (double)mote_grains_get_view(mote_simulation_grains(file->simulation)).count;
    const double all = derived->particles, end = file->settings->end_time, last = def->grains.duration;
    const int status = make_frame(file, derived, pictures, found);
    if (status != APP_DONE || def->block_count + def->inlet_count > 0 || !(count < all)) return status;
    double full = 0;
    found->lacks_full = !make_full_frame(file, derived, pictures, &full);
    const double mean = all * (last < end ? 1 - last / end / 2 : end / last / 2);
    if (mean > count && !found->lacks_full)
        found->frame_seconds += (full - found->frame_seconds) * (mean - count) / (all - count);
    return status;
}

// ---------------------------------------------------------------------------------------------------------- telling

static void print_time(const char *name, double seconds, const char *more)
{
    char text[32];
    if (seconds < 10)
        snprintf(text, sizeof text, "%.2g s", seconds);
    else
        app_duration_text(seconds, text, sizeof text);
    printf("  %-18s about %s%s\n", name, text, more);
}

// All steps are like the first, or as a trial tells. The fluid may become faster than it is at first.
static app_forecast find_forecast(const app_scene_file *file, const app_derived *derived, const app_trial *trial,
                                  const measure *found)
{
    const mote_scene_settings *settings = file->settings;
    const app_steps *real = &found->steps;
    const bool is_tried = trial->time > 0;
    if (is_tried && app_trial_counts(&settings->simulation)) return app_trial_forecast(trial, real, settings->end_time);
    const double interval = settings->end_time / (settings->frames - 1), dt = fmin(derived->time_step, real->dt);
    const double steps = (settings->frames - 1) * ceil(interval / dt);
    const double slowdown = is_tried ? app_trial_slowdown(trial) : 1;
    // One step in eight puts particles in order: the mean of real ones has it, and so has the slowdown.
    const double seconds = slowdown > 1 ? slowdown * real->median : real->seconds;
    return (app_forecast){dt, steps, steps * real->particles, steps * seconds};
}

static void print(const app_scene_file *file, const app_derived *derived, const measure *found)
{
    const app_style style = app_style_of(stdout);
    const mote_scene_settings *settings = file->settings;
    printf("%sestimate%s\n  %-18s ", style.bold, style.reset, "particles");
    app_quantities_print_counts(&derived->quantities, true);
    printf("\n  %-18s %.1f MB\n", "memory", 1e-6 * (double)mote_context_byte_count(file->context));
    fflush(stdout);
    const bool is_due = app_trial_is_due(&settings->simulation);
    const app_trial trial = is_due ? app_trial_run(file) : (app_trial){0};
    const app_forecast forecast = find_forecast(file, derived, &trial, found);
    const double showing = settings->frames * found->frame_seconds;
    printf("  %-18s about %.3g s\n  %-18s about %.0f\n", "time step", forecast.dt, "steps", forecast.steps);
    printf("  %-18s about %.3g\n", "particle-steps", forecast.particle_steps);
    char text[128];
    snprintf(text, sizeof text, ", %.2g s each by %d real ones%s, with %u thread%s",
             forecast.seconds / forecast.steps, APP_TIMED_STEPS, trial.time > 0 ? " and those of a small copy" : "",
             (unsigned)mote_context_worker_count(file->context),
             app_plural(mote_context_worker_count(file->context)));
    print_time("time of all steps", forecast.seconds, text);
    snprintf(text, sizeof text, ", %d of %.2g s each, %s", settings->frames, found->frame_seconds,
             found->has_pictures ? "drawn and written" : "written without pictures");
    print_time("time of all frames", showing, text);
    const app_video video = app_video_of(settings);
    const double encoding = found->video_seconds * settings->frames * video.rate / video.shown;
    if (found->video_seconds > 0) print_time("time of the video", encoding, ", as one of 24 frames took");
    print_time("wall time", forecast.seconds + showing + encoding,
               found->has_pictures && encoding == 0 ? ", without a video: ffmpeg is not installed, or failed" : "");
    if (app_trial_counts(&settings->simulation) && !(trial.time > 0))
        printf("  %-18s particles that come in later are not counted: no small copy of the scene could be run\n",
               "note");
    if (found->lacks_full)
        printf("  %-18s frames with all grains may take longer: none could be made\n", "note");
}

int app_scene_estimate(app_scene_file *file, bool pictures)
{
    measure found = {0};
    mote_simulation_def resolved;
    app_derived derived = app_scene_derive(file, &resolved);
    int status = make_steps(file, &found);
    if (status == APP_DONE) status = make_frames(file, &derived, pictures, &found);
    if (status == APP_DONE) print(file, &derived, &found);
    free(derived.quantities.list);
    return status;
}
