// SPDX-License-Identifier: MIT
// support/render.h: a renderer for tests of pictures. Inline, as only those tests link what it needs.
#ifndef MOTE_TESTS_RENDER_H
#define MOTE_TESTS_RENDER_H

#include "mote/render.h"
#include "support/test.h"

// Skips the case where no OpenGL is to be had.
static inline mote_render *make_render(mote_context *context, const mote_render_def *def)
{
    mote_render *render = NULL;
    mote_error error;
    mote_result result = mote_render_create(context, def, &render, &error);
    if (result == MOTE_ERROR_UNSUPPORTED) {
        print_message("skipped: %s\n", error.text);
        skip();
    }
    CHECK(result == MOTE_OK, "%s", error.text);
    return render;
}

#endif
