// SPDX-License-Identifier: MIT
// base/sized.h: memory for libraries that release without saying how much (zlib, libpng, FreeType).
//
// Each block carries its size in front, so that the context's budget counts what those libraries hold.
#ifndef MOTE_BASE_SIZED_H
#define MOTE_BASE_SIZED_H

#include "base/internal.h"

// Memory aligned to 64 bytes, or NULL. Zero bytes give a block that can be released.
MOTE_FOR_IO void *mote_sized_allocate(const mote_context *context, size_t bytes);
// As realloc: on failure NULL, and the old block is as it was. NULL as the old block allocates.
MOTE_FOR_IO void *mote_sized_resize(const mote_context *context, void *memory, size_t bytes);
MOTE_FOR_IO void mote_sized_release(const mote_context *context, void *memory);

#endif
