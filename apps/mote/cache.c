// SPDX-License-Identifier: MIT
// Proxies, and fields of bodies, are kept in the user's cache folder, under a name that is derived from the data they
// were built from.
//
// No result depends on the cache: if the folder is not available, or a file there is damaged or belongs to another
// user, the proxy or the field is built again, with the same result.

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app.h"

// "$XDG_CACHE_HOME/mote", otherwise "$HOME/.cache/mote"; relative paths are ignored (XDG Base Directory
// Specification). NULL: there is no such folder.
static char *cache_folder(void)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && cache[0] == '/') return app_text("%s/mote", cache);
    return home && home[0] == '/' ? app_text("%s/.cache/mote", home) : NULL;
}

// Whether a folder is its user's alone to write to. A link to one is none: others may turn it elsewhere.
static bool is_own_folder(const char *folder)
{
    struct stat state;
    return lstat(folder, &state) == 0 && S_ISDIR(state.st_mode) && state.st_uid == geteuid() &&
           (state.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// Opens a regular file of this user that is not empty, in a folder that nobody else writes to: another user's file
// could have a right checksum and anything else in it. Links and pipes are not opened.
static FILE *open_file(const char *folder, const char *path, uint64_t *length)
{
    if (!path || !is_own_folder(folder)) return NULL;
    const int handle = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    FILE *file = handle >= 0 ? fdopen(handle, "rb") : NULL;
    struct stat state;
    if (file && fstat(handle, &state) == 0 && S_ISREG(state.st_mode) && state.st_uid == geteuid() &&
        state.st_size > 0) {
        *length = (uint64_t)state.st_size;
        return file;
    }
    if (file) fclose(file);
    else if (handle >= 0) close(handle);
    return NULL;
}

// All bytes of the file with exactly this proxy, to be freed by the caller; NULL if none can be read. Memory is
// allocated only if the file's head is right.
static void *read_file(const app_cache *cache, const mote_mesh *const *meshes, size_t mesh_count,
                       const mote_proxy_def *def, size_t *length)
{
    uint64_t bytes_there = 0;
    FILE *file = open_file(cache->folder, cache->path, &bytes_there);
    if (!file) return NULL;
    unsigned char head[MOTE_PROXY_HEAD_BYTES], *bytes = NULL;
    if (bytes_there > sizeof head && fread(head, 1, sizeof head, file) == sizeof head &&
        mote_proxy_is_of(head, bytes_there, meshes, mesh_count, def)) {
        *length = (size_t)bytes_there;
        bytes = malloc(*length);
    }
    const size_t rest = bytes ? *length - sizeof head : 0;
    if (bytes) memcpy(bytes, head, sizeof head);
    if (bytes && fread(bytes + sizeof head, 1, rest, file) != rest) {
        free(bytes);
        bytes = NULL;
    }
    fclose(file);
    return bytes;
}

static bool put(void *user_data, const void *bytes, size_t length)
{
    return fwrite(bytes, 1, length, user_data) == length;
}

void app_cache_open(app_cache *cache, const mote_mesh *const *meshes, size_t count, const mote_proxy_def *def)
{
    char key[33];
    mote_proxy_key(meshes, count, def, key);
    cache->folder = cache_folder();
    cache->path = cache->folder ? app_text("%s/%s.proxy", cache->folder, key) : NULL;
}

void app_cache_close(app_cache *cache)
{
    free(cache->folder);
    free(cache->path);
    *cache = (app_cache){.folder = NULL};
}

mote_proxy *app_cache_read(const app_cache *cache, const mote_mesh *const *meshes, size_t mesh_count,
                           const mote_proxy_def *def, mote_context *context)
{
    size_t length = 0;
    mote_proxy *proxy = NULL;
    void *bytes = read_file(cache, meshes, mesh_count, def, &length);
    if (bytes && mote_proxy_read(context, bytes, length, &proxy, NULL) != MOTE_OK) proxy = NULL;
    free(bytes);
    return proxy;
}

// Makes the folder, accessible only to its user. A link, or a folder that others may write to, is not used.
static bool make_folder(const char *folder)
{
    char *parent = app_text("%s", folder);
    if (!parent) return false;
    *strrchr(parent, '/') = '\0';
    const bool has_parent = *parent == '\0' || app_folder_create(parent);
    free(parent);
    return has_parent && (mkdir(folder, 0700) == 0 || errno == EEXIST) && is_own_folder(folder);
}

// Begins a file of the cache. If two processes write it at the same time, one finds its temporary file removed when it
// commits, and the other's file is the same.
static bool create_file(app_file *file, const char *folder, const char *path)
{
    struct stat state;
    if (!path || !make_folder(folder)) return false;
    if (lstat(path, &state) == 0 && !S_ISREG(state.st_mode)) unlink(path);  // nothing to write into
    return app_file_create(file, path);
}

bool app_cache_write(const app_cache *cache, const mote_proxy *proxy)
{
    app_file file;
    if (!create_file(&file, cache->folder, cache->path)) return false;
    const bool is_whole = mote_proxy_write(proxy, put, file.stream, NULL) == MOTE_OK;  // else the stream knows, too
    return app_file_commit(&file) && is_whole;
}

// ---------------------------------------------------------------------------------------------------------- fields

static char *path_of_field(const char *folder, const char *key)
{
    return folder ? app_text("%s/%s.field", folder, key) : NULL;
}

static void *open_field(void *user_data, const char *key, uint64_t *length)
{
    app_field_counts *counts = user_data;
    char *folder = cache_folder(), *path = path_of_field(folder, key);
    FILE *file = open_file(folder, path, length);
    ++counts->wanted;
    free(path);
    free(folder);
    return file;
}

static bool read_field(void *opened, void *bytes, size_t length)
{
    return fread(bytes, 1, length, opened) == length;
}

static void close_field(void *opened)
{
    fclose(opened);
}

static void keep_field(void *user_data, const char *key, mote_wall_field_writer *write, const void *field)
{
    app_field_counts *counts = user_data;
    app_file file;
    char *folder = cache_folder(), *path = path_of_field(folder, key);
    ++counts->built;
    if (create_file(&file, folder, path)) {
        write(field, put, file.stream);  // if it fails, the stream knows
        app_file_commit(&file);
    }
    free(path);
    free(folder);
}

mote_wall_field_store app_cache_fields(app_field_counts *counts)
{
    return (mote_wall_field_store){open_field, read_field, close_field, keep_field, counts};
}
