// SPDX-License-Identifier: MIT
// Meshes of any format: the library's readers, or mote-assimp as a child process.
//
// The child writes to a pipe, which is read with a size limit and a deadline. In every case the child is waited for,
// and killed if it does not end by itself: neither a zombie process nor half a mesh remains.

#include "mesh_file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mote/import.h"

enum { REFUSED = 1, NO_MEMORY = 3 };  // exit statuses of mote-assimp, beside 0

static const char name_of_program[] = "mote-assimp";
static const double usual_seconds = 60, most_seconds = 1e6;
static const double usual_megabytes = 4096, most_megabytes = 1e9;

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static mote_result fail(mote_error *error, mote_result result, const char *format, ...)
{
    *error = (mote_error){.result = result};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return result;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

bool app_program_folder(char *path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, size);
    if (length <= 0 || (size_t)length >= size) return false;
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (slash) *slash = '\0';
    return slash != NULL;
}

// ---------------------------------------------------------------------------------------------------- the child

typedef struct child {
    pid_t id;
    int output;  // the pipe's end that is read
    double deadline;
    app_stop *stop;
    char *data;
    size_t size, capacity, most;
} child;

// The child's standard input and error are /dev/null, its output is the pipe; signals have their default handlers.
static int spawn(child *self, const char *program, char *const *arguments, int pipe_end)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    if (posix_spawn_file_actions_init(&actions) != 0) return ENOMEM;
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return ENOMEM;
    }
    sigset_t none, ours;
    sigemptyset(&none);
    sigemptyset(&ours);
    sigaddset(&ours, SIGPIPE);
    sigaddset(&ours, SIGALRM);
    sigaddset(&ours, SIGXCPU);
    int fault = posix_spawn_file_actions_adddup2(&actions, pipe_end, 1);
    if (!fault) fault = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!fault) fault = posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    if (!fault) fault = posix_spawnattr_setsigmask(&attributes, &none);
    if (!fault) fault = posix_spawnattr_setsigdefault(&attributes, &ours);
    if (!fault) fault = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    extern char **environ;
    if (!fault) fault = posix_spawn(&self->id, program, &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return fault;
}

// @return 0, or errno's number for what went wrong
static int start(child *self, const char *path, const app_mesh_reader *reader)
{
    char seconds[32], megabytes[32];
    snprintf(seconds, sizeof seconds, "%.0f", ceil(reader->seconds));
    snprintf(megabytes, sizeof megabytes, "%llu", (unsigned long long)reader->megabytes);
    // posix_spawn changes none of its arguments.
    char *const arguments[] = {(char *)(uintptr_t)reader->program, seconds, megabytes, (char *)(uintptr_t)path, NULL};
    int ends[2];
    if (pipe(ends) != 0) return errno;
    int fault = 0;
    for (int k = 0; k < 2 && !fault; ++k)
        if (fcntl(ends[k], F_SETFD, FD_CLOEXEC) != 0) fault = errno;
    if (!fault) fault = spawn(self, reader->program, arguments, ends[1]);
    close(ends[1]);
    if (fault) close(ends[0]);
    else self->output = ends[0];
    return fault;
}

typedef enum ending { ENDED, TOO_LATE, TOO_MUCH, NO_ROOM, STOPPED, BROKEN } ending;

static bool make_room(child *self)
{
    if (self->size < self->capacity) return true;
    // One byte more than allowed shows that the output was too long.
    size_t capacity = self->capacity ? 2 * self->capacity : (size_t)1 << 16;
    if (capacity > self->most) capacity = self->most + 1;
    char *data = realloc(self->data, capacity);
    if (!data) return false;
    self->data = data;
    self->capacity = capacity;
    return true;
}

// Reads until the child closes its output.
static ending collect(child *self)
{
    for (;;) {
        const double rest = self->deadline - now();
        if (rest <= 0) return TOO_LATE;
        if (self->stop && self->stop()) return STOPPED;
        struct pollfd ready = {self->output, POLLIN, 0};
        const int events = poll(&ready, 1, rest > 1 ? 1000 : (int)ceil(1000 * rest));
        if (events < 0 && errno != EINTR) return BROKEN;
        if (events <= 0) continue;
        if (!make_room(self)) return NO_ROOM;
        const ssize_t count = read(self->output, self->data + self->size, self->capacity - self->size);
        if (count == 0) return ENDED;
        if (count < 0 && errno != EINTR) return BROKEN;
        if (count > 0) self->size += (size_t)count;
        if (self->size > self->most) return TOO_MUCH;
    }
}

// Waits for the child's end until the deadline, then (or at once) kills it.
// @param status   receives what waitpid says; 0 where the host has its children forgotten (SIGCHLD ignored)
static ending finish(child *self, ending how, int *status)
{
    const struct timespec moment = {0, 1000000};
    *status = 0;
    while (how == ENDED) {
        const pid_t id = waitpid(self->id, status, WNOHANG);
        if (id == self->id || (id < 0 && errno != EINTR)) return ENDED;
        if (now() >= self->deadline) how = TOO_LATE;
        else if (self->stop && self->stop()) how = STOPPED;
        else nanosleep(&moment, NULL);
    }
    kill(self->id, SIGKILL);
    while (waitpid(self->id, status, 0) < 0 && errno == EINTR) continue;
    return how;
}

// ----------------------------------------------------------------------------------------------------- the answer

// The child's output as one line that can be part of a message.
static const char *line_of(child *self)
{
    size_t length = self->size;
    while (length > 0 && (unsigned char)self->data[length - 1] <= ' ') --length;
    if (length == 0) return "it does not say why";
    self->data[length < self->capacity ? length : length - 1] = '\0';
    for (char *at = self->data; *at; ++at)
        if ((unsigned char)*at < ' ' || *at == 0x7f) *at = ' ';
    return self->data;
}

static mote_result take_mesh(mote_context *context, const char *path, const child *self, mote_mesh **mesh,
                             mote_error *error)
{
    mote_result result = mote_import_ply(context, path, self->data, self->size, mesh, error);
    if (result == MOTE_ERROR_FORMAT)
        return fail(error, result, "%s: what %s makes of it is no mesh", path, name_of_program);
    if (result != MOTE_OK || mote_mesh_weld(*mesh, error) == MOTE_OK) return result;
    mote_mesh_destroy(*mesh);
    *mesh = NULL;
    return fail(error, MOTE_ERROR_OUT_OF_MEMORY, "%s: no memory to merge its vertices", path);
}

static mote_result answer(mote_context *context, const char *path, const app_mesh_reader *reader, child *self,
                          ending how, int status, mote_mesh **mesh, mote_error *error)
{
    const bool died = WIFSIGNALED(status);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1, signal_number = died ? WTERMSIG(status) : 0;
    const bool is_over = how == STOPPED || (how == ENDED && (signal_number == SIGINT || signal_number == SIGTERM));
    const bool is_slow = how == TOO_LATE || signal_number == SIGXCPU || signal_number == SIGALRM;
    if (how == NO_ROOM) return fail(error, MOTE_ERROR_OUT_OF_MEMORY, "%s: no memory to read it", path);
    if (is_over) return fail(error, MOTE_ERROR_FILE, "%s: reading it was interrupted", path);
    if (is_slow)
        return fail(error, MOTE_ERROR_FILE, "%s: Assimp takes longer than %g s to read it (MOTE_IMPORT_SECONDS)", path,
                    reader->seconds);
    if (how == TOO_MUCH || (how == ENDED && code == NO_MEMORY))
        return fail(error, MOTE_ERROR_FILE, "%s: Assimp takes more than %llu MB to read it (MOTE_IMPORT_MEGABYTES)",
                    path, (unsigned long long)reader->megabytes);
    if (died && how == ENDED)
        return fail(error, MOTE_ERROR_FORMAT, "%s: Assimp crashed while it read it (signal %d)", path, signal_number);
    if (how == ENDED && code == 0) return take_mesh(context, path, self, mesh, error);
    if (how == ENDED && code == REFUSED)
        return fail(error, MOTE_ERROR_FORMAT, "%s: %.180s", path, line_of(self));
    return fail(error, MOTE_ERROR_FILE, "%s: %s does not work (exit status %d)", path, reader->program, code);
}

// Assimp gives little detail about these.
static mote_result check_file(const char *path, mote_error *error)
{
    struct stat about;
    const char *why = NULL;
    if (stat(path, &about) != 0) why = errno == ENOENT ? "there is no such file" : "it cannot be read";
    else if (S_ISDIR(about.st_mode)) why = "it is a folder, expected a file";
    else if (!S_ISREG(about.st_mode)) why = "it is no ordinary file";
    else if (access(path, R_OK) != 0) why = "reading it is not permitted";
    return why ? fail(error, MOTE_ERROR_FILE, "%s: %s", path, why) : MOTE_OK;
}

mote_result app_mesh_read_by(mote_context *context, const char *path, const app_mesh_reader *reader, mote_mesh **mesh,
                             mote_error *error)
{
    mote_result result = check_file(path, error);
    if (result != MOTE_OK) return result;
    child self = {.deadline = now() + reader->seconds, .stop = reader->stop, .most = SIZE_MAX / 4};
    if (reader->megabytes < self.most >> 20) self.most = (size_t)reader->megabytes << 20;
    const int fault = start(&self, path, reader);
    if (fault)
        return fail(error, MOTE_ERROR_FILE, "%s: %s cannot be started: %s", path, reader->program, strerror(fault));
    int status;
    const ending how = finish(&self, collect(&self), &status);
    close(self.output);
    result = answer(context, path, reader, &self, how, status, mesh, error);
    free(self.data);
    return result;
}

// ------------------------------------------------------------------------------------------------ any kind of mesh

// A limit from the environment.
static mote_result read_limit(const char *name, double usual, double least, double most, double *value,
                              mote_error *error)
{
    const char *text = getenv(name);
    *value = usual;
    if (!text || !*text) return MOTE_OK;
    char *end;
    *value = strtod(text, &end);
    if (*end == '\0' && *value >= least && *value <= most) return MOTE_OK;
    return fail(error, MOTE_ERROR_ARGUMENT, "%s is %.40s, expected a number from %g to %g", name, text, least, most);
}

static bool find_program(char *path, size_t size)
{
    static const char *const places[] = {"", "/" APP_LIBEXEC};
    char folder[2048];
    if (!app_program_folder(folder, sizeof folder)) return false;
    for (size_t k = 0; k < sizeof places / sizeof *places; ++k) {
        const int length = snprintf(path, size, "%s%s/%s", folder, places[k], name_of_program);
        if (length > 0 && (size_t)length < size && access(path, X_OK) == 0) return true;
    }
    return false;
}

mote_result app_mesh_read(mote_context *context, const char *path, app_stop *stop, mote_mesh **mesh,
                          mote_error *error)
{
    if (mote_import_knows(path)) return mote_import_mesh(context, path, mesh, error);
    char program[4096];
    double seconds, megabytes;
    mote_result result = check_file(path, error);
    if (result == MOTE_OK)
        result = read_limit("MOTE_IMPORT_SECONDS", usual_seconds, 0.001, most_seconds, &seconds, error);
    if (result == MOTE_OK)
        result = read_limit("MOTE_IMPORT_MEGABYTES", usual_megabytes, 1, most_megabytes, &megabytes, error);
    if (result != MOTE_OK) return result;
    if (!find_program(program, sizeof program))
        return fail(error, MOTE_ERROR_FORMAT,
                    "%s: unknown kind of mesh, expected .obj, .ply, .stl or .vtp; other kinds take %s, which is built "
                    "where Assimp is found (Debian: libassimp-dev)",
                    path, name_of_program);
    const app_mesh_reader reader = {program, seconds, (uint64_t)megabytes, stop};
    return app_mesh_read_by(context, path, &reader, mesh, error);
}
