// SPDX-License-Identifier: MIT
// run.h: declarations that the files of `mote run` share.
#ifndef MOTE_APP_RUN_H
#define MOTE_APP_RUN_H

#include "app.h"

// A run, from its command line to its last frame.
typedef struct app_running {
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
    size_t reported;  // frames that run.json on disk tells of
    int lock;         // on the folder
    bool has_folder;  // with a run.json in it that has to tell the truth
    double started;
    char message[600];  // why it failed
} app_running;

// run_print.c: what a run prints on the terminal besides its progress.
void app_run_print_beginning(const app_running *self);
// @param no_video  the reason why there is none, or NULL
void app_run_print_summary(const app_running *self, const char *no_video);
// Prints a line that names a file which was made.
void app_run_print_made(const app_running *self, const char *label, const char *name, const char *ending);

#endif
