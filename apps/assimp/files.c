// SPDX-License-Identifier: MIT
// The files that Assimp may open: glTF, LWS and others name further files, and their author could name any file on
// the machine. A name is resolved part by part from the folder's handle, so that it cannot leave it: no "..", no
// link.

#define _GNU_SOURCE  // O_PATH

#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if !defined(O_PATH)
#define O_PATH O_RDONLY
#endif

bool folder_files_open(folder_files *files, const char *path)
{
    struct stat state;
    const char *slash = strrchr(path, '/');
    *files = (folder_files){.named = path, .folder_length = slash ? (size_t)(slash - path) : 0};
    char *folder = !slash ? strdup(".") : slash == path ? strdup("/") : strndup(path, files->folder_length);
    if (!folder) return false;
    // The path that the user names may be a link; following it is the user's choice.
    files->named_handle = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    files->folder_handle = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    return files->named_handle >= 0 && files->folder_handle >= 0 && fstat(files->named_handle, &state) == 0 &&
           S_ISREG(state.st_mode);
}

// The part of a name after the folder's; NULL if the file is not in the folder.
static const char *name_below(const folder_files *files, const char *name)
{
    const size_t length = files->folder_length;
    if (length > 0 || *files->named == '/') {
        if (strncmp(name, files->named, length) != 0 || name[length] != '/') return NULL;
        name += length;
        return name + strspn(name, "/");
    }
    return *name == '/' ? NULL : name;
}

static int open_below(int folder, const char *name)
{
    int at = dup(folder);
    while (at >= 0) {
        char part[256];
        const size_t length = strcspn(name, "/");
        const bool is_last = name[length + strspn(name + length, "/")] == '\0';
        int next = -1;
        if (length < sizeof part) {
            memcpy(part, name, length);
            part[length] = '\0';
            if (length == 0 || strcmp(part, "..") == 0) next = -1;
            else if (is_last) next = openat(at, part, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
            else if (strcmp(part, ".") == 0) next = dup(at);
            else next = openat(at, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        }
        close(at);
        at = next;
        name += length + strspn(name + length, "/");
        if (is_last) break;
    }
    struct stat state;
    if (at >= 0 && (fstat(at, &state) != 0 || !S_ISREG(state.st_mode))) {
        close(at);
        return -1;
    }
    return at;
}

// Opens the named file again, with a position of its own; or, if the name is a link, duplicates the open handle.
static int open_named(const folder_files *files)
{
    const char *slash = strrchr(files->named, '/');
    const int handle = open_below(files->folder_handle, slash ? slash + 1 : files->named);
    struct stat named, found;
    if (handle >= 0 && fstat(handle, &found) == 0 && fstat(files->named_handle, &named) == 0 &&
        found.st_dev == named.st_dev && found.st_ino == named.st_ino)
        return handle;
    if (handle >= 0) close(handle);
    return dup(files->named_handle);
}

// ------------------------------------------------------------------------------------------------ Assimp's interface

static FILE *stream_of(const struct aiFile *file)
{
    return (FILE *)(void *)file->UserData;
}

static size_t read_file(struct aiFile *file, char *to, size_t size, size_t count)
{
    return fread(to, size, count, stream_of(file));
}

static size_t write_nothing(struct aiFile *file, const char *from, size_t size, size_t count)
{
    (void)file, (void)from, (void)size, (void)count;
    return 0;
}

static size_t tell(struct aiFile *file)
{
    const long at = ftell(stream_of(file));
    return at < 0 ? 0 : (size_t)at;
}

static size_t file_size(struct aiFile *file)
{
    struct stat state;
    return fstat(fileno(stream_of(file)), &state) == 0 && state.st_size > 0 ? (size_t)state.st_size : 0;
}

static enum aiReturn seek(struct aiFile *file, size_t offset, enum aiOrigin origin)
{
    const int from = origin == aiOrigin_SET ? SEEK_SET : origin == aiOrigin_CUR ? SEEK_CUR : SEEK_END;
    return fseek(stream_of(file), (long)offset, from) == 0 ? aiReturn_SUCCESS : aiReturn_FAILURE;
}

static void flush(struct aiFile *file)
{
    (void)file;
}

static struct aiFile *open_file(struct aiFileIO *io, const char *name, const char *mode)
{
    const folder_files *files = (const folder_files *)(void *)io->UserData;
    if (!name || !mode || *mode != 'r' || strchr(mode, '+')) return NULL;
    const bool is_named = strcmp(name, files->named) == 0;
    const char *below = is_named ? NULL : name_below(files, name);
    const int handle = is_named ? open_named(files) : below ? open_below(files->folder_handle, below) : -1;
    struct aiFile *file = handle >= 0 ? malloc(sizeof *file) : NULL;
    FILE *stream = file ? fdopen(handle, "rb") : NULL;
    if (!stream) {
        if (handle >= 0) close(handle);
        free(file);
        return NULL;
    }
    rewind(stream);  // a handle that was copied has a position already
    *file = (struct aiFile){read_file, write_nothing, tell, file_size, seek, flush, (aiUserData)(void *)stream};
    return file;
}

static void close_file(struct aiFileIO *io, struct aiFile *file)
{
    (void)io;
    if (file) fclose(stream_of(file));
    free(file);
}

struct aiFileIO folder_files_io(folder_files *files)
{
    return (struct aiFileIO){open_file, close_file, (aiUserData)(void *)files};
}
