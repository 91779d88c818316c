// SPDX-License-Identifier: MIT
// The video: ffmpeg, if it is installed, makes one from the pictures as a child process.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"

static const double most_frames = 60;  // per second: the usual rate of screens

app_video app_video_of(const mote_scene_settings *settings)
{
    const double interval = settings->end_time / (settings->frames - 1);
    const bool has_speed = isfinite(settings->video_speed), has_rate = isfinite(settings->frame_rate);
    app_video video = {.rate = settings->frame_rate};
    if (has_speed || !has_rate) video.shown = (has_speed ? settings->video_speed : 1) / interval;
    else video.shown = settings->frame_rate;
    if (!has_rate) {
        video.is_slowed = video.shown > most_frames;
        if (video.is_slowed) video.shown = most_frames;
        video.rate = video.shown;
    }
    video.speed = video.shown * interval;
    snprintf(video.words, sizeof video.words, "%.3g × real time", video.speed);
    if (strncmp(video.words, "1 ", 2) == 0) snprintf(video.words, sizeof video.words, "real time");
    return video;
}

// ffmpeg runs in the folder of the pictures, so that no folder name is taken for a pattern. Sizes are made even,
// because yuv420p, which every player supports, requires it.
static int run_ffmpeg(const char *frames, const app_video *video, const char *output)
{
    char shown[32], rate[32];
    mote_number_text(video->shown, shown, sizeof shown);
    mote_number_text(video->rate, rate, sizeof rate);
    const char *const arguments[] = {
        "ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-framerate", shown, "-i", "%04d.png",
        "-r", rate, "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-c:v", "libx264", "-crf", "18", "-pix_fmt", "yuv420p",
        "-movflags", "+faststart", "-f", "mp4", output, NULL,
    };
    return app_spawn(frames, arguments);
}

const char *app_video_make(const app_video *video, const char *folder, const char *name)
{
    char *frames = app_text("%s/frames", folder), *output = app_text("../%s.mp4.partial", name);
    char *partial = app_text("%s/%s.mp4.partial", folder, name), *path = app_text("%s/%s.mp4", folder, name);
    const char *fault = "there is no memory for it";
    mote_partial file;
    if (frames && output && partial && path && !mote_partial_open(path, partial, &file)) {
        fault = "its file cannot be created";
    } else if (frames && output && partial && path) {
        int status = run_ffmpeg(frames, video, output);  // it writes into exactly that file
        fault = status == 0     ? NULL
                : status == 127 ? "ffmpeg is not installed"
                : status < 0    ? "ffmpeg was interrupted"
                                : "ffmpeg failed";
        if (!mote_partial_close(&file, path, partial, !fault) && !fault) fault = "it cannot be given its name";
    }
    free(frames);
    free(output);
    free(partial);
    free(path);
    return fault;
}
