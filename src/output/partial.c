// SPDX-License-Identifier: MIT
// Files that appear under their name only when complete: written beside it under a temporary name, then renamed.
//
// The temporary file is always created, never reused: an existing file under its name was left by a killed run, or
// is a link that somebody has placed there, and is removed without being followed. Two processes that write at the
// same time have a file each, since the second removes the first one's name; at its end the first finds that the
// name is no longer its own, and fails.

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mote/output.h"

// A device or a pipe. Links to such are followed, as /dev/stdout is one.
static bool is_special(const struct stat *state)
{
    return !S_ISREG(state->st_mode) && !S_ISDIR(state->st_mode);
}

static int open_new(const char *partial)
{
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    const int handle = open(partial, flags, 0666);
    if (handle >= 0 || errno != EEXIST) return handle;
    return unlink(partial) == 0 || errno == ENOENT ? open(partial, flags, 0666) : -1;
}

bool mote_partial_open(const char *path, const char *partial, mote_partial *file)
{
    if (!path || !file) return false;
    struct stat state;
    const bool is_there = stat(path, &state) == 0;
    *file = (mote_partial){.in_place = is_there && is_special(&state)};
    if (is_there && S_ISDIR(state.st_mode)) {  // reported before anything is written, not after
        errno = EISDIR;
        return false;
    }
    const int handle = file->in_place ? open(path, O_WRONLY | O_CLOEXEC) : open_new(partial);
    if (handle < 0) return false;
    if (fstat(handle, &state) == 0) file->stream = fdopen(handle, "wb");
    if (!file->stream) {
        const int cause = errno;
        close(handle);
        if (!file->in_place) unlink(partial);
        errno = cause;
        return false;
    }
    file->device = (uint64_t)state.st_dev;
    file->number = (uint64_t)state.st_ino;
    return true;
}

static bool is_still_ours(const mote_partial *file, const char *partial)
{
    struct stat state;
    return lstat(partial, &state) == 0 && (uint64_t)state.st_dev == file->device &&
           (uint64_t)state.st_ino == file->number;
}

bool mote_partial_close(mote_partial *file, const char *path, const char *partial, bool keep)
{
    if (!file || !file->stream) return false;
    bool whole = keep && !ferror(file->stream);
    int cause = whole ? 0 : errno;
    if (fclose(file->stream) != 0 && whole) {
        whole = false;
        cause = errno;
    }
    file->stream = NULL;
    if (!file->in_place) {
        const bool is_ours = is_still_ours(file, partial);
        if (whole && !is_ours) {
            whole = false;
            cause = EBUSY;  // another process writes to the same path
        }
        if (whole && rename(partial, path) != 0) {
            whole = false;
            cause = errno;
        }
        if (!whole && is_ours) unlink(partial);
    }
    errno = cause;
    return whole;
}
