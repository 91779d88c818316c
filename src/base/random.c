// Random numbers beyond the inline generator.

#include "base/internal.h"

double mote_random_gauss(mote_random *random)
{
    double sum = 0;
    for (int k = 0; k < 12; ++k) sum += mote_random_unit(random);
    return sum - 6;
}
