// SPDX-License-Identifier: MIT
// base/sized.h: memory for libraries whose release functions are not given a size (zlib, libpng, FreeType).
//
// Each block stores its size in front, so that the context's budget includes the memory of those libraries.
#ifndef MOTE_BASE_SIZED_H
#define MOTE_BASE_SIZED_H

#include "base/internal.h"

// Memory aligned to 64 bytes, or NULL. Zero bytes give a block that can be released.
MOTE_FOR_IO void *mote_sized_allocate(const mote_context *context, size_t bytes);
// Works like realloc: on failure it returns NULL, and the old block is unchanged. With NULL as the old block it
// allocates.
MOTE_FOR_IO void *mote_sized_resize(const mote_context *context, void *memory, size_t bytes);
MOTE_FOR_IO void mote_sized_release(const mote_context *context, void *memory);

#endif
