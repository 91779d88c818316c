// SPDX-License-Identifier: MIT
// output/blocks.h: arrays as VTK's compressed blocks.
#ifndef MOTE_OUTPUT_BLOCKS_H
#define MOTE_OUTPUT_BLOCKS_H

#include "output/internal.h"

// The source of the tuples of one array: `fill` writes tuples begin … end − 1, packed, to `out`. It is called from
// several threads at once.
typedef struct mote_tuples {
    void (*fill)(const void *source, size_t begin, size_t end, unsigned char *out);
    const void *source;
    size_t count;
    size_t tuple_bytes;
} mote_tuples;

// Scratch memory of the compressor, reused for all arrays. Zero-initialised is empty.
typedef struct mote_block_writer {
    const mote_context *context;
    mote_buffer sizes;  // the header: one uint64_t a block and three in front
    mote_buffer raw;
    mote_buffer packed;
} mote_block_writer;

// Appends the array: its header (number of blocks, size of a block, size of the last one if it is smaller, compressed
// sizes), then its blocks. Failures of the file itself are remembered by it.
mote_result mote_blocks_write(mote_block_writer *writer, mote_file *file, const mote_tuples *tuples, mote_error *error);
void mote_block_writer_release(mote_block_writer *writer);

#endif
