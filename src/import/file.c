// SPDX-License-Identifier: MIT
// Finds files, reads them, and calls the reader for the ending of their name.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "import/internal.h"

static const struct {
    const char *ending;
    mote_source_reader *read;
} formats[] = {{".obj", mote_obj_read_mesh}, {".ply", mote_ply_read_mesh}, {".stl", mote_stl_read_mesh},
               {".vtp", mote_vtp_read_mesh}};

static mote_source_reader *reader_of(const char *path)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; ++i)
        if (mote_path_ends_with(path, formats[i].ending)) return formats[i].read;
    return NULL;
}

static mote_result fail_file(const char *path, mote_error *error)
{
    const char *why = "it cannot be read";
    if (errno == ENOENT) why = "there is no such file";
    if (errno == EACCES) why = "reading it is not permitted";
    if (errno == EISDIR) why = "it is a folder, expected a file";
    return mote_fail(error, MOTE_ERROR_FILE, 0, "%s: %s", path, why);
}

// Reads to the end without asking for the size first, because the file may be a pipe.
static mote_result read_whole(mote_context *context, FILE *file, const char *path, mote_buffer *buffer, size_t *size,
                              mote_error *error)
{
    *size = 0;
    do {
        size_t wanted = *size ? 2 * buffer->bytes : (size_t)1 << 16;
        if (*size == buffer->bytes && mote_buffer_reserve(context, buffer, wanted, *size) != MOTE_OK)
            return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "%s: no memory to read it", path);
        errno = 0;
        *size += fread((char *)buffer->data + *size, 1, buffer->bytes - *size, file);
        if (ferror(file)) return fail_file(path, error);
    } while (!feof(file));
    return MOTE_OK;
}

mote_result mote_file_load(mote_context *context, const char *path, mote_buffer *buffer, size_t *size,
                           mote_error *error)
{
    FILE *file = fopen(path, "rb");
    if (!file) return fail_file(path, error);
    mote_result result = read_whole(context, file, path, buffer, size, error);
    fclose(file);
    return result;
}

bool mote_import_knows(const char *path)
{
    return path && reader_of(path);
}

mote_result mote_import_mesh(mote_context *context, const char *path, mote_mesh **mesh, mote_error *error)
{
    return mote_import_mesh_watched(context, path, NULL, NULL, mesh, error);
}

mote_result mote_import_mesh_watched(mote_context *context, const char *path, mote_import_watch *watch,
                                     void *user_data, mote_mesh **mesh, mote_error *error)
{
    if (!path || !mesh) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "import: no path, or nowhere to put the mesh");
    mote_source_reader *read = reader_of(path);
    if (!read)
        return mote_fail(error, MOTE_ERROR_FORMAT, 0, "%s: unknown kind of mesh, expected .obj, .ply, .stl or .vtp",
                         path);
    mote_buffer buffer = {0};
    size_t size;
    mote_result result = mote_file_load(context, path, &buffer, &size, error);
    if (result == MOTE_OK) {
        mote_source source = mote_source_make(path, buffer.data, size, error);
        source.watch = watch;
        source.watch_data = user_data;
        result = read(context, &source, mesh);
    }
    mote_buffer_release(context, &buffer);
    return result;
}

// -------------------------------------------------------------------------------------------------------- find

static const char *const system_folders[] = {"/usr/share/glmark2/models"};

// Models that come with known packages.
static const struct {
    const char *name, *package;
} packages[] = {{"bunny.obj", "glmark2-data"}};

typedef struct file_search {
    const char *name;
    char *path;
    size_t size;
    char folders[160];  // searched so far, for the message
} file_search;

static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static bool look_in(file_search *search, const char *folder, size_t length)
{
    size_t used = strlen(search->folders);
    snprintf(search->folders + used, sizeof search->folders - used, "%s%.*s", used ? ", " : "", (int)length, folder);
    const char *slash = length && folder[length - 1] == '/' ? "" : "/";
    int written = snprintf(search->path, search->size, "%.*s%s%s", (int)length, folder, slash, search->name);
    return written > 0 && (size_t)written < search->size && is_file(search->path);
}

static bool look_in_path(file_search *search, const char *folders)
{
    while (folders && *folders) {
        size_t length = strcspn(folders, ":");
        if (length && look_in(search, folders, length)) return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

static mote_result fail_search(const file_search *search, mote_error *error)
{
    const char *base = strrchr(search->name, '/');
    base = base ? base + 1 : search->name;
    for (size_t i = 0; i < sizeof packages / sizeof packages[0]; ++i)
        if (strcmp(base, packages[i].name) == 0)
            return mote_fail(error, MOTE_ERROR_FILE, 0, "%s: not found (Debian's package %s has it); looked in %s",
                             search->name, packages[i].package, search->folders);
    return mote_fail(error, MOTE_ERROR_FILE, 0, "%s: not found; looked in %s", search->name, search->folders);
}

mote_result mote_import_find(const char *name, const char *folder, char *path, size_t size, mote_error *error)
{
    if (!name || !path || size == 0) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "import: no name, or no room");
    file_search search = {name, path, size, ""};
    if (name[0] == '/') {
        int written = snprintf(path, size, "%s", name);
        if (written > 0 && (size_t)written < size && is_file(path)) return MOTE_OK;
        return mote_fail(error, MOTE_ERROR_FILE, 0, "%s: there is no such file", name);
    }
    if (!folder || !*folder) folder = ".";
    if (look_in(&search, folder, strlen(folder))) return MOTE_OK;
    if (look_in_path(&search, getenv("MOTE_MESH_PATH"))) return MOTE_OK;
    for (size_t i = 0; i < sizeof system_folders / sizeof system_folders[0]; ++i)
        if (look_in(&search, system_folders[i], strlen(system_folders[i]))) return MOTE_OK;
    return fail_search(&search, error);
}
