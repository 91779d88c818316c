// SPDX-License-Identifier: MIT
// What a run.json tells of an earlier run in its folder. The files that a run makes, by name: run.json lists them
// before the first one is made, and --overwrite removes only the files that the list of an earlier run names. And its
// scene: --resume goes on with no other.
//
// A run.json can be wrong, or have come from somebody else. So a name counts only if it is plain and refers to the
// folder itself or to its `frames`, only regular files are removed, and no link is followed. Other existing files
// belong to the user: a run that would overwrite one is refused before anything is removed, as is one that would
// overwrite its input.

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "app.h"

enum { NAME = 300 };
static const char frames_prefix[] = "frames/";
static const off_t largest_report = (off_t)1 << 30;  // [bytes]

bool app_made_add(app_made *made, const char *prefix, int32_t count, const char *ending)
{
    app_made_family *grown = realloc(made->families, (made->count + 1) * sizeof *grown);
    if (!grown) return false;
    made->families = grown;
    char *first = app_text("%s", prefix), *last = app_text("%s", ending);
    if (!first || !last) {
        free(first);
        free(last);
        return false;
    }
    made->families[made->count++] = (app_made_family){first, last, count};
    return true;
}

void app_made_release(app_made *made)
{
    for (size_t f = 0; f < made->count; ++f) {
        free(made->families[f].prefix);
        free(made->families[f].ending);
    }
    free(made->families);
    *made = (app_made){NULL, 0};
}

// ------------------------------------------------------------------------------------------------------- names

// The n-th name of a family; false if it is too long for a name.
static bool name_of(const app_made_family *family, int32_t n, char name[NAME])
{
    const int length = family->count < 0 ? snprintf(name, NAME, "%s%s", family->prefix, family->ending)
                                         : snprintf(name, NAME, "%s%04d%s", family->prefix, n, family->ending);
    return length > 0 && length < NAME;
}

// The folder of a name, and the name in it; -1 if a run never makes such a name.
static int place_of(const char *name, int folder, int frames, const char **plain)
{
    const size_t before = sizeof frames_prefix - 1;
    const bool in_frames = strncmp(name, frames_prefix, before) == 0;
    *plain = in_frames ? name + before : name;
    if (!**plain || strchr(*plain, '/') || strcmp(*plain, ".") == 0 || strcmp(*plain, "..") == 0) return -1;
    return in_frames ? frames : folder;
}

static bool is_input(const app_scene_file *file, const struct stat *state)
{
    for (size_t i = 0; i < file->input_count; ++i)
        if (file->inputs[i].device == (uint64_t)state->st_dev && file->inputs[i].number == (uint64_t)state->st_ino)
            return true;
    return false;
}

// -------------------------------------------------------------------------------------------- an earlier run's list

static json_t *read_report(int folder)
{
    const int handle = openat(folder, "run.json", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat state;
    json_t *report = NULL;
    if (handle < 0) return NULL;
    if (fstat(handle, &state) == 0 && S_ISREG(state.st_mode) && state.st_size <= largest_report)
        report = json_loadfd(handle, 0, NULL);
    close(handle);
    return report;
}

void app_made_scene_key(const char *text, size_t length, char key[APP_SCENE_KEY])
{
    snprintf(key, APP_SCENE_KEY, "%08lx", (unsigned long)crc32_z(0, (const Bytef *)text, length));
}

bool app_made_of_other_scene(const char *folder, const char *key)
{
    const int handle = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    json_t *report = handle < 0 ? NULL : read_report(handle);
    const char *there = json_string_value(json_object_get(report, "scene_key"));
    const bool is_other = there && strcmp(there, key) != 0;
    json_decref(report);
    if (handle >= 0) close(handle);
    return is_other;
}

static bool add_listed(const json_t *entry, app_made *made)
{
    if (json_is_string(entry)) return app_made_add(made, json_string_value(entry), -1, "");
    const char *prefix = json_string_value(json_array_get(entry, 0));
    const char *ending = json_string_value(json_array_get(entry, 2));
    const json_int_t count = json_integer_value(json_array_get(entry, 1));
    if (!prefix || !ending || count < 0 || count > INT32_MAX) return true;  // says nothing that we know
    return app_made_add(made, prefix, (int32_t)count, ending);
}

// The names that the run.json in the folder lists; none if there is no such file.
static bool read_listed(int folder, app_made *made)
{
    json_t *report = read_report(folder);
    const json_t *files = json_object_get(report, "files");
    bool done = true;
    for (size_t k = 0; done && k < json_array_size(files); ++k)
        done = add_listed(json_array_get(files, k), made);
    json_decref(report);
    return done;
}

static bool lists(const app_made *listed, const char *name)
{
    char other[NAME];
    for (size_t f = 0; f < listed->count; ++f) {
        const app_made_family *family = &listed->families[f];
        const size_t before = strlen(family->prefix);
        if (family->count < 0) {
            if (name_of(family, 0, other) && strcmp(other, name) == 0) return true;
        } else if (strncmp(name, family->prefix, before) == 0) {
            const long n = strtol(name + before, NULL, 10);
            if (n >= 0 && n < family->count && name_of(family, (int32_t)n, other) && strcmp(other, name) == 0)
                return true;
        }
    }
    return false;
}

// -------------------------------------------------------------------------------------------------- looking ahead

static int refuse(const char *folder, const char *name, const char *why)
{
    app_complain("%s/%s: %s", folder, name, why);
    return APP_BAD_INPUT;
}

static int check_name(const app_scene_file *file, const char *folder, const int places[2], const app_made *listed,
                      const char *name)
{
    const char *plain;
    struct stat state;
    const int place = place_of(name, places[0], places[1], &plain);
    if (place < 0 || fstatat(place, plain, &state, AT_SYMLINK_NOFOLLOW) != 0) return APP_DONE;
    if (is_input(file, &state)) return refuse(folder, name, "would be written over, but is an input of this run");
    if (!S_ISREG(state.st_mode)) return refuse(folder, name, "is in the way, expected a file or nothing");
    if (lists(listed, name)) return APP_DONE;
    return refuse(folder, name, "would be written over, but was not made by the run that run.json there tells of");
}

static int check_names(const app_scene_file *file, const char *folder, const int places[2], const app_made *listed,
                       const app_made *made)
{
    char name[NAME];
    for (size_t f = 0; f < made->count; ++f)
        for (int32_t n = 0; n < abs(made->families[f].count); ++n) {
            if (!name_of(&made->families[f], n, name)) return refuse(folder, name, "is too long for a name");
            const int status = check_name(file, folder, places, listed, name);
            if (status != APP_DONE) return status;
        }
    return APP_DONE;
}

// ------------------------------------------------------------------------------------------------------- removing

static bool remove_name(const app_scene_file *file, const int places[2], const char *name)
{
    const char *plain;
    struct stat state;
    const int place = place_of(name, places[0], places[1], &plain);
    if (place < 0 || fstatat(place, plain, &state, AT_SYMLINK_NOFOLLOW) != 0) return true;
    if (!S_ISREG(state.st_mode) || is_input(file, &state)) return true;
    return unlinkat(place, plain, 0) == 0 || errno == ENOENT;
}

// run.json is removed last, so that an interrupted removal can be continued.
static bool remove_listed(const app_scene_file *file, const int places[2], const app_made *listed)
{
    char name[NAME], partial[NAME + 16];
    for (size_t f = 0; f < listed->count; ++f)
        for (int32_t n = 0; n < abs(listed->families[f].count); ++n) {
            if (!name_of(&listed->families[f], n, name) || strcmp(name, "run.json") == 0) continue;
            snprintf(partial, sizeof partial, "%s.partial", name);
            if (!remove_name(file, places, partial) || !remove_name(file, places, name)) return false;
        }
    return listed->count == 0 ||
           (remove_name(file, places, "run.json.partial") && remove_name(file, places, "run.json"));
}

int app_made_clear(const app_made *made, const app_scene_file *file, const char *folder, bool keep)
{
    struct stat state;
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int places[2] = {open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), -1}, status = APP_DONE;
    app_made listed = {NULL, 0};
    if (places[0] < 0) {
        app_complain("%s: cannot be made ready: %s", folder, strerror(errno));
        return APP_FAILED;
    }
    places[1] = openat(places[0], "frames", flags);
    if (places[1] < 0 && fstatat(places[0], "frames", &state, AT_SYMLINK_NOFOLLOW) == 0)
        status = refuse(folder, "frames", "is a link or a file, expected a folder or nothing");
    if (status == APP_DONE && !read_listed(places[0], &listed)) status = app_out_of_memory();
    if (status == APP_DONE) status = check_names(file, folder, places, &listed, made);
    if (status == APP_DONE && !keep && !remove_listed(file, places, &listed)) {
        app_complain("%s: the files of an earlier run cannot be removed: %s", folder, strerror(errno));
        status = APP_FAILED;
    }
    app_made_release(&listed);
    if (places[1] >= 0) close(places[1]);
    close(places[0]);
    return status;
}
