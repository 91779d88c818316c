// SPDX-License-Identifier: MIT
// processors.h: how many processors this process should use.
#ifndef MOTE_APP_PROCESSORS_H
#define MOTE_APP_PROCESSORS_H

#include <stdint.h>

// Processors that the process may run on, or as many as its control groups let it use at a time, if that is fewer: a
// container with a share of two processors of a hundred gains nothing by a hundred threads.
uint32_t app_processors(void);

// The control groups' limit (version 2), rounded up: the least of cpu.max in the process's group and those above it.
// @param membership  file that names the group: /proc/self/cgroup
// @param root        where groups are mounted: /sys/fs/cgroup
// @return 0 if there is none
uint32_t app_processor_limit(const char *membership, const char *root);

#endif
