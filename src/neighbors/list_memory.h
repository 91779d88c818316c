// SPDX-License-Identifier: MIT
// neighbors/list_memory.h: the memory of lists.
#ifndef MOTE_NEIGHBORS_LIST_MEMORY_H
#define MOTE_NEIGHBORS_LIST_MEMORY_H

#include "neighbors/internal.h"

void mote_list_memory_release(const mote_context *context, list_memory *memory);
size_t mote_list_memory_byte_count(const list_memory *memory);

#endif
