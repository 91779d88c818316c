// SPDX-License-Identifier: MIT
// broadphase/size_classes.h: sizes of cells, 2^c, and which of them an object goes to (Pouchol et al. 2009, eq. 2).
//
// The class of an object is the smallest size not below its longest edge, by the bits of the exponent. Without
// rounding eight cells would then hold it, four in 2D; but the box from 0.99999994 to 2 has an edge of 1 in float,
// and spans three cells of 1. So a class is raised until its range of cells is small enough. Edges are powers of
// two, so that coordinates of cells are exact, and no class is so fine that coordinates do not fit at the object's
// position: such a class is still finer than the floats there.
#ifndef MOTE_BROADPHASE_SIZE_CLASSES_H
#define MOTE_BROADPHASE_SIZE_CLASSES_H

#include <math.h>

#include "broadphase/internal.h"
#include "cells/frame.h"

enum {
    CLASS_MIN = -149,  // exponent of the smallest float
    CLASS_MAX = 129,   // exponent of the longest edge, twice the largest float
    CLASSES = CLASS_MAX - CLASS_MIN + 1
};

// Classes by number from 0, which is 2^CLASS_MIN.
typedef struct size_classes {
    bool in_use[CLASSES];
    uint32_t finest;  // no class is below this
    bool are_given;   // by the def, and so independent of the objects
} size_classes;

static inline double mote_class_inverse_edge(uint32_t number)
{
    return ldexp(1, -(CLASS_MIN + (int)number));
}

// The classes from a preprocessing pass over all objects, or those of the def; at least one. If there are more than
// the def allows, the classes with the fewest objects are joined to the next larger ones.
void mote_classes_choose(const mote_broadphase *broad, size_classes *classes);

// The class of an object by eq. 2, but no finer than the finest. The next: whether a box spans at most two cells on
// every axis.
uint32_t mote_class_of(const size_classes *classes, const mote_bounds *box);
bool mote_class_suits(uint32_t number, const mote_bounds *box);

// Whether classes that were chosen for `built` objects should be chosen again.
bool mote_classes_are_outgrown(const mote_broadphase *broad, const size_classes *classes, uint32_t built);

#endif
