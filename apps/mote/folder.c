// SPDX-License-Identifier: MIT
// The folder that a run writes to. No existing files are lost: a folder that is not empty, or that another run is
// writing to, is refused; made.c decides what --overwrite removes.

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app.h"

static bool is_dot(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

int app_folder_check(const char *folder, bool overwrite)
{
    DIR *entries = opendir(folder);
    if (!entries && errno == ENOENT) return APP_DONE;
    if (!entries) {
        app_complain("%s: cannot be written to: %s", folder,
                     errno == ENOTDIR ? "it is a file, expected a folder" : strerror(errno));
        return APP_BAD_INPUT;
    }
    const struct dirent *entry;
    bool empty = true;
    while (empty && (entry = readdir(entries))) empty = is_dot(entry->d_name);
    closedir(entries);
    if (empty || overwrite) return APP_DONE;
    app_complain("%s: the folder is not empty, expected an empty or a new one, or --overwrite", folder);
    return APP_BAD_INPUT;
}

bool app_folder_create(const char *folder)
{
    char *path = app_text("%s", folder);
    if (!path) return false;
    for (char *c = path + 1; *c; ++c) {
        if (*c != '/') continue;
        *c = '\0';
        mkdir(path, 0777);  // if this fails for a real reason, the last one fails too
        *c = '/';
    }
    bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
    free(path);
    return made;
}

static int complain_unready(const char *folder)
{
    app_complain("%s: cannot be made ready: %s", folder, strerror(errno));
    return APP_FAILED;
}

// Checks the folder again after locking it: of two runs started at the same time, the other may have been first.
int app_folder_take(const char *folder, bool overwrite, int *lock)
{
    if (!app_folder_create(folder)) return complain_unready(folder);
    if (app_folder_lock(folder, lock)) return app_folder_check(folder, overwrite);
    app_complain("%s: another mote is writing to this folder, expected one that nobody else writes to", folder);
    return APP_BAD_INPUT;
}

// ------------------------------------------------------------------------------------------------- whole files

bool app_file_open(app_file *file, const char *folder, const char *name)
{
    char *path = app_text("%s/%s", folder, name);
    bool is_open = path && app_file_create(file, path);
    free(path);
    return is_open;
}

bool app_file_create(app_file *file, const char *path)
{
    file->path = app_text("%s", path);
    file->partial = app_text("%s.partial", path);
    mote_partial made;
    if (file->path && file->partial && mote_partial_open(file->path, file->partial, &made)) {
        file->file = made;
        file->stream = made.stream;
        return true;
    }
    free(file->path);
    free(file->partial);
    return false;
}

bool app_file_sync(app_file *file)
{
    return fflush(file->stream) == 0 && fsync(fileno(file->stream)) == 0;
}

void app_file_discard(app_file *file)
{
    mote_partial_close(&file->file, file->path, file->partial, false);
    free(file->path);
    free(file->partial);
}

bool app_file_commit(app_file *file)
{
    const bool whole = mote_partial_close(&file->file, file->path, file->partial, true);
    const int cause = errno;
    free(file->path);
    free(file->partial);
    errno = cause;
    return whole;
}
