// SPDX-License-Identifier: MIT
// Proxies are kept in the user's cache folder, under a name that is derived from the data they were built from.
//
// No result depends on the cache: if the folder is not available, or a file there is damaged or belongs to another
// user, the proxy is built again, with the same result.

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

// All bytes of the file with exactly this proxy, to be freed by the caller; NULL if none can be read. Links and
// pipes are not opened, and memory is allocated only if the file's head is right.
static void *read_file(const char *path, const mote_mesh *const *meshes, size_t mesh_count, const mote_proxy_def *def,
                       size_t *length)
{
    const int handle = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    FILE *file = handle >= 0 ? fdopen(handle, "rb") : NULL;
    if (!file) {
        if (handle >= 0) close(handle);
        return NULL;
    }
    struct stat state;
    unsigned char head[MOTE_PROXY_HEAD_BYTES], *bytes = NULL;
    if (fstat(handle, &state) == 0 && S_ISREG(state.st_mode) && state.st_size > (off_t)sizeof head &&
        fread(head, 1, sizeof head, file) == sizeof head &&
        mote_proxy_is_of(head, (uint64_t)state.st_size, meshes, mesh_count, def)) {
        *length = (size_t)state.st_size;
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
    void *bytes = cache->path ? read_file(cache->path, meshes, mesh_count, def, &length) : NULL;
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
    struct stat state;
    if (!has_parent || (mkdir(folder, 0700) != 0 && errno != EEXIST)) return false;
    return lstat(folder, &state) == 0 && S_ISDIR(state.st_mode) && state.st_uid == geteuid() &&
           (state.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// If two processes write at the same time, one finds its temporary file removed; the other's file is the same.
bool app_cache_write(const app_cache *cache, const mote_proxy *proxy)
{
    app_file file;
    struct stat state;
    if (!cache->path || !make_folder(cache->folder)) return false;
    if (lstat(cache->path, &state) == 0 && !S_ISREG(state.st_mode)) unlink(cache->path);  // nothing to write into
    if (!app_file_create(&file, cache->path)) return false;
    const bool is_whole = mote_proxy_write(proxy, put, file.stream, NULL) == MOTE_OK;  // else the stream knows, too
    return app_file_commit(&file) && is_whole;
}
