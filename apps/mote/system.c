// SPDX-License-Identifier: MIT
// Requests to the operating system: time, memory, signals and child processes.

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app.h"

double app_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// A container's limit (control groups, version 2), if there is one.
static uint64_t container_memory(void)
{
    FILE *file = fopen("/sys/fs/cgroup/memory.max", "r");
    if (!file) return 0;
    unsigned long long bytes = 0;
    if (fscanf(file, "%llu", &bytes) != 1) bytes = 0;  // "max"
    fclose(file);
    return bytes;
}

uint64_t app_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    uint64_t machine = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
    uint64_t container = container_memory();
    if (machine == 0) return container;
    return container > 0 && container < machine ? container : machine;
}

void app_streams_secure(void)
{
    int handle;
    do handle = open("/dev/null", O_RDONLY);
    while (handle >= 0 && handle <= 2);
    if (handle > 2) close(handle);
}

// ----------------------------------------------------------------------------------------------------- signals

static volatile sig_atomic_t caught;  // a signal handler can write only to such a variable

static void note(int signal_number)
{
    caught = signal_number;
}

void app_signals_catch(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGPIPE, &action, NULL);
    struct sigaction before;
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)  // as under nohup
        sigaction(SIGHUP, &action, NULL);
    // Writing to a file beyond the size limit then fails like a write to a full disk.
    action.sa_handler = SIG_IGN;
    sigaction(SIGXFSZ, &action, NULL);
}

void app_signals_release(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGPIPE, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        struct sigaction action;
        if (sigaction(numbers[i], NULL, &action) != 0 || action.sa_handler != note) continue;
        action.sa_handler = SIG_DFL;
        sigaction(numbers[i], &action, NULL);
    }
}

int app_signal_caught(void)
{
    return caught;
}

int app_signal_take(void)
{
    const int number = caught;
    caught = 0;
    return number;
}

// ------------------------------------------------------------------------------------------------------- locks

bool app_folder_lock(const char *folder, int *handle)
{
    *handle = open(folder, O_RDONLY | O_CLOEXEC);
    if (*handle < 0 || flock(*handle, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return true;
    app_folder_unlock(*handle);
    *handle = -1;
    return false;
}

void app_folder_unlock(int handle)
{
    if (handle >= 0) close(handle);
}

// ---------------------------------------------------------------------------------------------------- children

enum { NOT_FOUND = 127 };

// Between fork and exec there are only calls that are safe after a fork of a program with threads.
static void become(const char *folder, const char *const *arguments)
{
    int nothing = open("/dev/null", O_RDWR);
    if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 || dup2(nothing, 2) < 0) _exit(NOT_FOUND - 1);
    if (chdir(folder) != 0) _exit(NOT_FOUND - 1);
    execvp(arguments[0], (char *const *)(uintptr_t)arguments);  // exec does not change them
    _exit(errno == ENOENT ? NOT_FOUND : NOT_FOUND - 1);
}

int app_spawn(const char *folder, const char *const *arguments)
{
    if (caught) return -1;
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) become(folder, arguments);

    int status = 0;
    bool stopped = false;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return -1;
        if (caught && !stopped) stopped = kill(child, SIGTERM) == 0;
    }
    return !stopped && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
