// What differs between platforms: the clock, which instruction sets the processor has, and large pages. No other file
// of libmote knows on what system it runs; threads are OpenMP's or the host's.

#if defined(__linux__)
#define _DEFAULT_SOURCE  // madvise
#include <sys/mman.h>
#endif

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <time.h>
#endif

#include "base/internal.h"

double mote_clock_seconds(void)
{
#if defined(_WIN32)
    LARGE_INTEGER frequency, count;
    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&count);
    return (double)count.QuadPart / (double)frequency.QuadPart;
#else
    struct timespec now;
#if defined(CLOCK_MONOTONIC)
    clock_gettime(CLOCK_MONOTONIC, &now);
#else
    timespec_get(&now, TIME_UTC);
#endif
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
#endif
}

// Asked for once per object, never stored globally.
bool mote_cpu_has_avx2(void)
{
#if MOTE_HAVE_AVX2
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
#else
    return false;
#endif
}

void mote_prefer_large_pages(void *memory, size_t bytes)
{
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    (void)madvise(memory, bytes / MOTE_LARGE_PAGE * MOTE_LARGE_PAGE, MADV_HUGEPAGE);  // advice: may be declined
#else
    (void)memory, (void)bytes;
#endif
}
