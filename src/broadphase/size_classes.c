// SPDX-License-Identifier: MIT
// The sizes of cells.

#include "broadphase/size_classes.h"

enum { COORDINATE_BITS = 29 };

// The number of the smallest power of two that is not below `length`.
static uint32_t class_of_length(double length)
{
    if (!(length > 0)) return 0;
    int exponent;
    const double part = frexp(length, &exponent);  // 0.5 … 1
    exponent -= part == 0.5;
    return (uint32_t)(MOTE_MIN(MOTE_MAX(exponent, (int)CLASS_MIN), (int)CLASS_MAX) - CLASS_MIN);
}

uint32_t mote_class_of(const size_classes *classes, const mote_bounds *box)
{
    double longest = 0, farthest = 0;
    for (int k = 0; k < 3; ++k) {
        longest = fmax(longest, (double)box->max[k] - (double)box->min[k]);
        farthest = fmax(farthest, fmax(fabs((double)box->min[k]), fabs((double)box->max[k])));
    }
    const uint32_t by_length = class_of_length(longest), by_place = class_of_length(ldexp(farthest, -COORDINATE_BITS));
    return MOTE_MAX(MOTE_MAX(by_length, by_place), classes->finest);
}

bool mote_class_suits(uint32_t number, const mote_bounds *box)
{
    const cell_frame frame = {.dimensions = 3, .inverse_edge = mote_class_inverse_edge(number)};
    bool few = true;
    for (int k = 0; k < 3; ++k)
        few &= mote_frame_coordinate(&frame, k, (double)box->max[k]) -
               mote_frame_coordinate(&frame, k, (double)box->min[k]) <= 1;
    return few;
}

// Joins the class with the fewest objects to the next larger one.
static void join_rarest(uint32_t objects[CLASSES])
{
    uint32_t rarest = CLASSES, top = CLASSES - 1;
    while (objects[top] == 0) --top;
    for (uint32_t k = 0; k < top; ++k)
        if (objects[k] && (rarest == CLASSES || objects[k] < objects[rarest])) rarest = k;
    uint32_t next = rarest + 1;
    while (objects[next] == 0) ++next;
    objects[next] += objects[rarest];
    objects[rarest] = 0;
}

void mote_classes_choose(const mote_broadphase *broad, size_classes *classes)
{
    const mote_broadphase_def *def = &broad->def;
    const object_store *store = &broad->store;
    uint32_t objects[CLASSES] = {0}, used = 0;
    const uint32_t most = (uint32_t)def->classes;
    memset(classes, 0, sizeof *classes);
    classes->finest = class_of_length(def->finest > 0 ? def->finest
                                                      : (double)mote_store_spacing(store, def->dimensions) / 8);
    classes->are_given = def->finest > 0 && most > 0;
    if (classes->are_given) {
        for (uint32_t k = classes->finest; k < classes->finest + most && k < CLASSES; ++k) classes->in_use[k] = true;
        return;
    }
    for (uint32_t id = 0; id < store->end; ++id) {
        if (!mote_store_has(store, id)) continue;
        uint32_t number = mote_class_of(classes, store->boxes + id);
        while (number + 1 < CLASSES && !mote_class_suits(number, store->boxes + id)) ++number;
        used += objects[number]++ == 0;
    }
    for (; most > 0 && used > most; --used) join_rarest(objects);
    for (uint32_t k = 0; k < CLASSES; ++k) classes->in_use[k] = objects[k] > 0;
    classes->in_use[classes->finest] |= used == 0;
}

bool mote_classes_are_outgrown(const mote_broadphase *broad, const size_classes *classes, uint32_t built)
{
    if (classes->are_given || broad->def.finest > 0) return false;
    return broad->store.alive / 4 > built || broad->store.alive < built / 8;
}
