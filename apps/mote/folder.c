// The folder that a run writes to. Nobody's files are lost in it: one that holds anything, or that another run writes
// to at this moment, is refused, and --overwrite removes only files that bear the names that mote gives.

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

// The number of letters at `name` that are digits, at least four, as %04d writes them; else 0.
static size_t number_length(const char *name)
{
    size_t length = strspn(name, "0123456789");
    return length >= 4 ? length : 0;
}

// "<prefix><number><ending>"
static bool is_numbered(const char *name, const char *prefix, const char *ending)
{
    size_t before = strlen(prefix);
    if (strncmp(name, prefix, before) != 0) return false;
    size_t digits = number_length(name + before);
    return digits > 0 && strcmp(name + before + digits, ending) == 0;
}

// True for names that mote gives in its folder, or to pictures in `frames`, and what is left of such files.
static bool is_ours(const char *entry, const char *scene_name, bool pictures)
{
    static const char *const fixed[] = {"run.json", "particles.pvd", "boundary.vtp", "grains.pvd"};
    static const char partial[] = ".partial";
    char name[512];
    size_t length = strlen(entry), tail = sizeof partial - 1, ending;
    if (length >= sizeof name) return false;
    if (length > tail && strcmp(entry + length - tail, partial) == 0) length -= tail;
    memcpy(name, entry, length);
    name[length] = '\0';

    if (pictures) return is_numbered(name, "", ".png");
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; ++i)
        if (strcmp(name, fixed[i]) == 0) return true;
    if (is_numbered(name, "particles_", ".vtp") || is_numbered(name, "grains_", ".vtp")) return true;
    if (strncmp(name, "mesh_", 5) == 0 && length > 9 && strcmp(name + length - 4, ".ply") == 0) return true;
    ending = strlen(scene_name);
    return strncmp(name, scene_name, ending) == 0 && strcmp(name + ending, ".mp4") == 0;
}

static bool remove_ours(const char *folder, const char *scene_name, bool pictures)
{
    DIR *entries = opendir(folder);
    if (!entries) return errno == ENOENT;
    bool done = true;
    const struct dirent *entry;
    while (done && (entry = readdir(entries))) {
        if (is_dot(entry->d_name) || !is_ours(entry->d_name, scene_name, pictures)) continue;
        char *path = app_text("%s/%s", folder, entry->d_name);
        done = path && (unlink(path) == 0 || errno == ENOENT);
        free(path);
    }
    closedir(entries);
    return done;
}

bool app_folder_create(const char *folder)
{
    char *path = app_text("%s", folder);
    if (!path) return false;
    for (char *c = path + 1; *c; ++c) {
        if (*c != '/') continue;
        *c = '\0';
        mkdir(path, 0777);  // where that fails for a reason that matters, the last one fails too
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

// Looks into the folder again once it is ours alone: of two runs started at once, one may have been there first.
int app_folder_take(const char *folder, bool overwrite, int *lock)
{
    if (!app_folder_create(folder)) return complain_unready(folder);
    if (app_folder_lock(folder, lock)) return app_folder_check(folder, overwrite);
    app_complain("%s: another mote is writing to this folder, expected one that nobody else writes to", folder);
    return APP_BAD_INPUT;
}

int app_folder_make(const char *folder, const char *scene_name, bool overwrite, bool pictures, int *lock)
{
    int status = app_folder_take(folder, overwrite, lock);
    if (status != APP_DONE) return status;
    char *frames = app_text("%s/frames", folder);
    if (!frames) return app_out_of_memory();
    bool ready = !overwrite || (remove_ours(folder, scene_name, false) && remove_ours(frames, scene_name, true));
    ready = ready && (!pictures || app_folder_create(frames));
    if (!ready) status = complain_unready(folder);
    free(frames);
    return status;
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

bool app_file_commit(app_file *file)
{
    const bool whole = mote_partial_close(&file->file, file->path, file->partial, true);
    const int cause = errno;
    free(file->path);
    free(file->partial);
    errno = cause;
    return whole;
}
