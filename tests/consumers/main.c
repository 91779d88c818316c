// SPDX-License-Identifier: MIT
// What a program that uses mote starts with: if this links and runs, mote was found.
#include <stdio.h>

#include "mote/base.h"

int main(void)
{
    mote_context_def def = mote_context_default_def();
    mote_context *context;
    if (mote_context_create(&def, &context, NULL) != MOTE_OK) return 1;
    printf("mote %s, %u workers\n", mote_version(), (unsigned)mote_context_worker_count(context));
    mote_context_destroy(context);
    return 0;
}
