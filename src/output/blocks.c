// SPDX-License-Identifier: MIT
// VTK's compressed blocks (the XML formats' vtkZLibDataCompressor with 64-bit headers).
//
// Blocks have a fixed number of tuples and are independent of each other: a batch of them is compressed in parallel,
// and the bytes do not depend on the number of threads.

#include <zlib.h>

#include "base/sized.h"
#include "output/blocks.h"

enum {
    BLOCK_TUPLES = 16384,
    BATCH = 16,  // blocks in memory at a time
    LEVEL = 1    // particle data are mostly noise in the mantissas: higher levels cost much and save a few percent
};

typedef struct batch {
    const mote_context *context;
    const mote_tuples *tuples;
    unsigned char *raw, *packed;
    size_t raw_bytes, packed_bytes;  // room of a block
    size_t first_block;
    uint64_t *sizes;  // receives compressed sizes, 0 where memory ran out
} batch;

static voidpf zlib_allocate(voidpf context, uInt count, uInt size)
{
    return mote_sized_allocate(context, mote_bytes(count, size));
}

static void zlib_release(voidpf context, voidpf memory)
{
    mote_sized_release(context, memory);
}

static void compress_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const batch *work = data;
    for (size_t b = begin; b < end; ++b) {
        size_t first = (work->first_block + b) * BLOCK_TUPLES;
        size_t last = MOTE_MIN(first + BLOCK_TUPLES, work->tuples->count);
        unsigned char *raw = work->raw + b * work->raw_bytes;
        work->tuples->fill(work->tuples->source, first, last, raw);

        work->sizes[b] = 0;
        z_stream stream = {.zalloc = zlib_allocate, .zfree = zlib_release, .opaque = (voidpf)work->context};
        if (deflateInit(&stream, LEVEL) != Z_OK) continue;
        stream.next_in = raw;
        stream.avail_in = (uInt)((last - first) * work->tuples->tuple_bytes);
        stream.next_out = work->packed + b * work->packed_bytes;
        stream.avail_out = (uInt)work->packed_bytes;
        if (deflate(&stream, Z_FINISH) == Z_STREAM_END) work->sizes[b] = stream.total_out;
        deflateEnd(&stream);
    }
}

static mote_result out_of_memory(mote_error *error)
{
    return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "no memory to compress an array");
}

mote_result mote_blocks_write(mote_block_writer *writer, mote_file *file, const mote_tuples *tuples, mote_error *error)
{
    size_t block_bytes = BLOCK_TUPLES * tuples->tuple_bytes;
    size_t block_count = (tuples->count + BLOCK_TUPLES - 1) / BLOCK_TUPLES;
    size_t rest = tuples->count % BLOCK_TUPLES;
    size_t in_flight = MOTE_MIN(block_count, (size_t)BATCH);
    size_t packed_bytes = compressBound((uLong)block_bytes);
    size_t header_bytes = mote_bytes(3 + block_count, sizeof(uint64_t));
    if (mote_buffer_reserve(writer->context, &writer->sizes, header_bytes, 0) != MOTE_OK ||
        mote_buffer_reserve(writer->context, &writer->raw, in_flight * block_bytes, 0) != MOTE_OK ||
        mote_buffer_reserve(writer->context, &writer->packed, in_flight * packed_bytes, 0) != MOTE_OK)
        return out_of_memory(error);

    uint64_t *header = writer->sizes.data;
    header[0] = block_count;
    header[1] = block_bytes;
    header[2] = rest * tuples->tuple_bytes;
    for (size_t b = 0; b < block_count; ++b) header[3 + b] = 0;
    uint64_t header_at = file->position;
    mote_file_write(file, header, header_bytes);

    batch work = {writer->context, tuples, writer->raw.data, writer->packed.data, block_bytes, packed_bytes, 0, NULL};
    for (size_t first = 0; first < block_count; first += BATCH) {
        size_t count = MOTE_MIN(block_count - first, (size_t)BATCH);
        work.first_block = first;
        work.sizes = header + 3 + first;
        mote_parallel_for(writer->context, count, 1, compress_block, &work);
        for (size_t b = 0; b < count; ++b) {
            if (work.sizes[b] == 0) return out_of_memory(error);
            mote_file_write(file, work.packed + b * packed_bytes, (size_t)work.sizes[b]);
        }
    }
    mote_file_patch(file, header_at, header, header_bytes);
    return MOTE_OK;
}

void mote_block_writer_release(mote_block_writer *writer)
{
    mote_buffer_release(writer->context, &writer->sizes);
    mote_buffer_release(writer->context, &writer->raw);
    mote_buffer_release(writer->context, &writer->packed);
}
