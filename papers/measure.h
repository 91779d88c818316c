// papers/measure.h: what the experiments that measure time share.
#ifndef PAPERS_MEASURE_H
#define PAPERS_MEASURE_H

#include <stdlib.h>
#include <time.h>

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

#endif
