// SPDX-License-Identifier: MIT
// Memory that is released without stating its size.

#include <string.h>

#include "base/sized.h"

// As large as the alignment, so that the block after it stays aligned.
enum { HEADER = 64 };

static size_t whole_bytes(const char *block)
{
    size_t bytes;
    memcpy(&bytes, block, sizeof bytes);
    return bytes;
}

void *mote_sized_allocate(const mote_context *context, size_t bytes)
{
    if (bytes > SIZE_MAX - HEADER) return NULL;
    bytes += HEADER;
    char *block = mote_allocate(context, bytes);
    if (!block) return NULL;
    memcpy(block, &bytes, sizeof bytes);
    return block + HEADER;
}

void *mote_sized_resize(const mote_context *context, void *memory, size_t bytes)
{
    char *moved = mote_sized_allocate(context, bytes);
    if (!moved || !memory) return moved;
    size_t held = whole_bytes((char *)memory - HEADER) - HEADER;
    memcpy(moved, memory, MOTE_MIN(held, bytes));
    mote_sized_release(context, memory);
    return moved;
}

void mote_sized_release(const mote_context *context, void *memory)
{
    if (!memory) return;
    char *block = (char *)memory - HEADER;
    mote_release(context, block, whole_bytes(block));
}
