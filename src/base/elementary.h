// SPDX-License-Identifier: MIT
// base/elementary.h: functions that the C library has, too; but it chooses their code by processor, and the last
// bits differ from machine to machine. The functions here use additions, multiplications, divisions and square roots
// of doubles in a fixed order, each with one right answer everywhere. Results are off by less than one unit in their
// last place, those of sinh, cosh and tanh by less than two; infinities, not-a-numbers and zeros are those of C's
// annex F. They take 40 to 300 ns each: for set-up, expressions and prescribed motion, not for inner loops.
#ifndef MOTE_BASE_ELEMENTARY_H
#define MOTE_BASE_ELEMENTARY_H

#include "base/internal.h"

double mote_exp(double x);
double mote_ln(double x);
double mote_log2(double x);
MOTE_FOR_IO double mote_log10(double x);
MOTE_FOR_IO double mote_pow(double x, double y);
double mote_cbrt(double x);
double mote_sinh(double x);
double mote_cosh(double x);
double mote_tanh(double x);

// Angles are in radians and may be of any size.
double mote_sin(double x);
double mote_cos(double x);
MOTE_FOR_IO double mote_tan(double x);
double mote_atan2(double y, double x);

#endif
