// SPDX-License-Identifier: MIT
// Processors: affinity, which the library takes into account itself, and the limits of control groups (cpu.max),
// which containers and services have.

#include "processors.h"

#include <stdio.h>
#include <string.h>

#include "mote/base.h"

// cpu.max holds a quota and a period [us]: "150000 100000" is one and a half processors, "max 100000" has no limit.
static uint32_t limit_in(const char *folder)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/cpu.max", folder);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    unsigned long long quota = 0, period = 0;
    const int read = fscanf(file, "%llu %llu", &quota, &period);
    fclose(file);
    if (read != 2 || quota == 0 || period == 0) return 0;
    const unsigned long long processors = quota / period + (quota % period > 0);
    return processors > UINT32_MAX ? UINT32_MAX : (uint32_t)processors;
}

// The group as "/a/b"; empty if there is none, or if it is outside the part that this process can see.
static void find_group(const char *membership, char *group, size_t size)
{
    group[0] = '\0';
    FILE *file = fopen(membership, "r");
    if (!file) return;
    char line[2048];
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, "0::/", 4) != 0) continue;
        line[strcspn(line, "\n")] = '\0';
        if (!strstr(line, "/..")) snprintf(group, size, "%s", line + 3);
        break;
    }
    fclose(file);
}

uint32_t app_processor_limit(const char *membership, const char *root)
{
    char group[2048], folder[4096];
    find_group(membership, group, sizeof group);
    uint32_t least = 0;
    for (;;) {
        snprintf(folder, sizeof folder, "%s%s", root, group);
        const uint32_t limit = limit_in(folder);
        if (limit > 0 && (least == 0 || limit < least)) least = limit;
        char *last = strrchr(group, '/');
        if (!last) return least;
        *last = '\0';
    }
}

uint32_t app_processors(void)
{
    const uint32_t allowed = mote_context_worker_count(NULL);
    const uint32_t limit = app_processor_limit("/proc/self/cgroup", "/sys/fs/cgroup");
    return limit > 0 && limit < allowed ? limit : allowed;
}
