// SPDX-License-Identifier: MIT
// run.h: declarations that the files of `mote run` share.
#ifndef MOTE_APP_RUN_H
#define MOTE_APP_RUN_H

#include "app.h"

// What a run is resumed from: the newest whole checkpoint in its folder.
typedef struct app_checkpoint {
    char *bytes;  // of malloc; the rest points into it
    const char *scene, *path, *run, *records, *state;
    size_t scene_length, state_length;
    uint64_t number;
    int64_t frame;        // whose state it is; −1: of a time between frames
    int32_t frame_count;  // that the run was to have
    size_t record_count;  // frames that were written
    bool no_images;
    uint64_t gauges_length;  // of gauges.csv, and its checksum
    uint32_t gauges_sum;
    app_origin origin;  // of a run that was started with --from; its folder points into the bytes
} app_checkpoint;

// The state of a frame, in memory: what a run that blows up before the next checkpoint leaves.
typedef struct app_kept_state {
    char *bytes;  // of malloc
    size_t length, room;
    uint64_t steps;
    uint64_t gauges_length;  // of gauges.csv, and its checksum
    uint32_t gauges_sum;
    mote_simulation_counters counters;
} app_kept_state;

// A run, from its command line to its last frame.
typedef struct app_running {
    const char *scene_path, *folder_wish, *resume_wish, *from_wish, *end_wish;
    int64_t frame_wish, threads;
    bool no_images, overwrite, quiet;

    app_scene_file file;
    char *folder;
    int32_t frame_count;
    double end_time;  // of the last frame
    app_frames frames;
    app_gauges gauges;
    app_progress progress;
    app_report report;
    size_t reported;  // frames that run.json on disk tells of
    int lock;         // on the folder
    bool has_folder;  // with a run.json in it that has to tell the truth
    double started;
    char message[600];  // why it failed

    char *full_path;                  // of the scene, from the root
    app_checkpoint checkpoint;        // that the run is resumed from, or starts from
    char *origin_folder;              // of the report's origin
    double origin_sound_speed;        // of the fluid there [m/s]
    mote_simulation_counters before;  // work that was done before it was resumed
    double seconds_before;
    uint64_t checkpoint_number;  // of the next checkpoint
    double checkpoint_time;      // of the last one, by the clock
    uint64_t checkpoint_steps;   // that were made when it was written
    app_kept_state kept;         // of the last frame
    bool has_lost_checkpoint;    // one could not be written
} app_running;

// run_frames.c: the run itself, once its scene and its folder are there.
// Makes all frames that are still missing. @return the exit status
int app_run_to_end(app_running *self);
// When a frame is; frames beyond those of the scene follow at the same interval.
double app_run_frame_time(const app_running *self, int32_t frame);
// All work and all time of the run, also before it was resumed.
mote_simulation_counters app_run_counters(const app_running *self);
double app_run_seconds(const app_running *self);
bool app_run_report(app_running *self, const char *status);  // writes run.json
int app_run_fail_report(app_running *self);                  // it could not be written
void app_run_note_failure(app_running *self);                // self->message says why
int app_run_interrupted(app_running *self);

// checkpoint.c: files from which a run goes on.
// Saves the run as it is. @return false with errno set
bool app_checkpoint_write(app_running *self);
// Keeps the state of a frame in memory, unless it is large; and saves it, unless a newer one was saved.
void app_checkpoint_keep(app_running *self);
bool app_checkpoint_write_kept(app_running *self);  // whether there is a checkpoint now
// Finds the newest whole checkpoint in a folder. Release it in any case.
// @param frame  whose state it has to be; −1: any
int app_checkpoint_read(const char *folder, int64_t frame, app_checkpoint *checkpoint);
void app_checkpoint_release(app_checkpoint *checkpoint);
// Whether files that the scenes of checkpoint and run name have other contents now. @return what has changed, or NULL
const char *app_checkpoint_changed_file(const app_running *self, const app_checkpoint *checkpoint);
// Brings a run that was made of the checkpoint's scene to where it was: first its simulation, then its report.
int app_checkpoint_restore_state(app_running *self, const app_checkpoint *checkpoint);
int app_checkpoint_restore(app_running *self, const app_checkpoint *checkpoint);

// run_from.c: runs that start from the state of another scene.
int app_from_open(app_running *self);   // finds the checkpoint that --from names
int app_from_start(app_running *self);  // lets the simulation start from it
void app_from_print(const app_running *self);  // where it comes from, and in what the scenes differ

// run_failure.c: the end of a run that became unstable. @return the exit status
int app_run_unstable(app_running *self, const char *cause);
int app_run_fail(app_running *self);  // for the reason in self->message

// run_print.c: what a run prints on the terminal besides its progress.
void app_run_print_beginning(const app_running *self);
// @param no_video, no_plot  the reason why there is none, or NULL
void app_run_print_summary(const app_running *self, const char *no_video, const char *no_plot);
// Notes that the density varies by more than 1 % in this frame, if it did not before.
void app_run_print_compression(app_running *self);
// Prints a line that names a file which was made.
void app_run_print_made(const app_running *self, const char *label, const char *name, const char *ending);

#endif
