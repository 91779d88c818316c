// SPDX-License-Identifier: MIT
// papers/measure.h: what the experiments that measure time share.
#ifndef PAPERS_MEASURE_H
#define PAPERS_MEASURE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mote/base.h"

// Memory, or the end of the program.
static inline void *allocate(size_t bytes)
{
    void *memory = malloc(bytes);
    if (memory) return memory;
    fprintf(stderr, "out of memory\n");
    exit(1);
}

// Success, or the end of the program.
static inline void require(mote_result result)
{
    if (result == MOTE_OK) return;
    fprintf(stderr, "%s\n", mote_result_text(result));
    exit(1);
}

static inline double milliseconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

// Of the process alone, whatever else the machine does.
static inline double cpu_milliseconds(void)
{
    return (double)clock() * 1e3 / (double)CLOCKS_PER_SEC;
}

static inline int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Sorts the values.
static inline double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, by_size);
    return values[count / 2];
}

// An option with a value: a whole number from min to max, or a text that is not empty.
typedef struct argument {
    const char *name, *value;  // "--count", "N"
    long long *number;
    const char **text;
    long long min, max;
} argument;

static inline bool take_argument(const argument *known, const char *value)
{
    char *end;
    const long long number = strtoll(value, &end, 10);
    if (*value == 0 || (known->number && (*end || number < known->min || number > known->max))) return false;
    if (known->number) *known->number = number;
    else *known->text = value;
    return true;
}

// Reads options in pairs of name and value; false, with a line that says how, where they are not understood.
static inline bool read_arguments(const char *program, int count, char **arguments, const argument *known, int most)
{
    for (int k = 1; k < count; k += 2) {
        const char *name = arguments[k], *value = k + 1 < count ? arguments[k + 1] : "";
        int place = 0;
        while (place < most && strcmp(known[place].name, name) != 0) ++place;
        if (place < most && take_argument(&known[place], value)) continue;
        fprintf(stderr, "%s: '%s %s' is not understood\nusage: %s", program, name, value, program);
        for (int i = 0; i < most; ++i) fprintf(stderr, " [%s %s]", known[i].name, known[i].value);
        fputc('\n', stderr);
        return false;
    }
    return true;
}

#endif
