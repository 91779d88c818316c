// The video: ffmpeg as a child process, where it is there, makes one of the pictures.

#include <stdlib.h>

#include "app.h"

// ffmpeg runs in the folder of the pictures, so that no name of a folder is taken for a pattern. Sizes are made even:
// yuv420p, which every player knows, wants them so.
static int run_ffmpeg(const char *frames, const char *rate, const char *output)
{
    const char *const arguments[] = {
        "ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-framerate", rate, "-i", "%04d.png",
        "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-c:v", "libx264", "-crf", "18", "-pix_fmt", "yuv420p",
        "-movflags", "+faststart", "-f", "mp4", output, NULL,
    };
    return app_spawn(frames, arguments);
}

const char *app_video_make(const char *folder, const char *name, double frame_rate)
{
    char rate[32];
    mote_number_text(frame_rate, rate, sizeof rate);
    char *frames = app_text("%s/frames", folder), *output = app_text("../%s.mp4.partial", name);
    char *partial = app_text("%s/%s.mp4.partial", folder, name), *path = app_text("%s/%s.mp4", folder, name);
    const char *fault = "there is no memory for it";
    mote_partial file;
    if (frames && output && partial && path && !mote_partial_open(path, partial, &file)) {
        fault = "its file cannot be created";
    } else if (frames && output && partial && path) {
        int status = run_ffmpeg(frames, rate, output);  // which writes into that very file
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
