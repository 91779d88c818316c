// Which instruction sets this processor has. Asked for once per object, never stored globally.

#include "base/internal.h"

bool mote_cpu_has_avx2(void)
{
#if MOTE_HAVE_AVX2
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
#else
    return false;
#endif
}
