// What differs between platforms: the clock, and which instruction sets the processor has. No other file of libmote
// knows on what system it runs; threads are OpenMP's or the host's.

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
