// SPDX-License-Identifier: MIT
// The memory of lists.

#include "neighbors/list_memory.h"

void mote_list_memory_release(const mote_context *context, list_memory *memory)
{
    mote_buffer *buffers[] = {&memory->first,   &memory->counts,      &memory->indices,
                              &memory->squared, &memory->differences, &memory->shifts};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; ++k) mote_buffer_release(context, buffers[k]);
    memory->wanted = 0;
}

size_t mote_list_memory_byte_count(const list_memory *memory)
{
    return memory->first.bytes + memory->counts.bytes + memory->indices.bytes + memory->squared.bytes +
           memory->differences.bytes + memory->shifts.bytes;
}
