// auto: the method that suits what there is.

#include "broadphase/internal.h"

enum { FEW = 48 };

static const broadphase_method *choose(const mote_broadphase *broad, const char **reason)
{
    *reason = broad->store.alive <= FEW ? "for a few objects no structure pays" : "nothing else is there";
    return &mote_broadphase_brute_force;
}

const broadphase_method mote_broadphase_auto = {
    .info = {"auto", "mote", "chooses the method that suits the objects"},
    .choose = choose,
};
