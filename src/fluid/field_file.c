// SPDX-License-Identifier: MIT
// Writes and reads the field of a body (wall_field.c) as bytes, and computes the key of a file.
//
// The file consists of words (base/words.h): a head (its words are named below; the key is one of them, so that a file
// stored under a wrong name is detected), the keys of blocks, the values of their nodes, and a hash of all words before
// it as checksum. What follows from the body's box and the fluid is not stored, as the key stands for these.

#include <string.h>

#include "base/words.h"
#include "fluid/internal.h"
#include "fluid/wall_field.h"

// To be increased when, within a version of mote, the same body gives another field or the layout of the file changes.
enum { FORMAT = 1 };

enum { MAGIC, VERSION, KEY, SHAPE = KEY + 2, BLOCKS, HEAD };  // SHAPE: numbers of a node, nodes of a block

#define MAGIC_WORD UINT64_C(0x646C65694665746F)  // "oteField", the lowest byte first

static uint64_t shape_word(uint64_t numbers, uint64_t nodes)
{
    return numbers | nodes << 32;
}

void mote_field_make_key(const mote_fluid *fluid, const uint64_t body[MOTE_HASH_WORDS], uint64_t key[MOTE_HASH_WORDS])
{
    mote_word_hash h = MOTE_WORD_HASH_START;
    mote_word_hash_add(&h, mote_word_version(FORMAT));
    mote_word_hash_add(&h, body[0]);
    mote_word_hash_add(&h, body[1]);
    mote_word_hash_add(&h, (uint64_t)fluid->def.dimensions | (uint64_t)fluid->def.solver << 32);
    mote_word_hash_add(&h, mote_word_of(fluid->def.spacing));
    mote_word_hash_add(&h, mote_word_of(fluid->def.support));
    const bool is_weak = fluid->def.solver == MOTE_SOLVER_WEAK;
    mote_word_hash_add_text(&h, is_weak ? mote_kernels[fluid->weak.kernel.id]->name : "");
    mote_word_hash_end(&h, key);
}

// --------------------------------------------------------------------------------------------------------- writing

static void put_pair(mote_word_writer *to, const float *numbers, size_t left)
{
    uint32_t bits[2] = {0, 0};
    memcpy(bits, numbers, MOTE_MIN(left, (size_t)2) * sizeof *bits);
    mote_word_put(to, bits[0] | (uint64_t)bits[1] << 32);
}

static size_t numbers_of_block(const wall_field *field)
{
    return (size_t)mote_field_nodes_of_block(field) * field->numbers;
}

bool mote_field_write(const mote_fluid *fluid, uint32_t number, const uint64_t key[MOTE_HASH_WORDS], mote_sink *sink,
                      void *user_data)
{
    const wall_field *field = (const wall_field *)fluid->fields.data + number;
    const field_block *blocks = field->blocks.data;
    const float *nodes = field->nodes.data;
    const size_t keys = 3 * (size_t)field->block_count, count = field->block_count * numbers_of_block(field);
    mote_word_writer to = mote_word_writer_open(sink, user_data);
    mote_word_put(&to, MAGIC_WORD);
    mote_word_put(&to, mote_word_version(FORMAT));
    mote_word_put(&to, key[0]);
    mote_word_put(&to, key[1]);
    mote_word_put(&to, shape_word(field->numbers, (uint64_t)mote_field_nodes_of_block(field)));
    mote_word_put(&to, field->block_count);
    for (size_t k = 0; k < keys; k += 2) {
        const uint32_t low = (uint32_t)blocks[k / 3].key[k % 3];
        const uint32_t high = k + 1 < keys ? (uint32_t)blocks[(k + 1) / 3].key[(k + 1) % 3] : 0;
        mote_word_put(&to, low | (uint64_t)high << 32);
    }
    for (size_t n = 0; n < count; n += 2) put_pair(&to, nodes + n, count - n);
    return mote_word_writer_close(&to);
}

// --------------------------------------------------------------------------------------------------------- reading

// Takes words from a source, and hashes them.
typedef struct field_reader {
    mote_field_source *source;
    void *user_data;
    mote_word_hash hash;
    uint64_t left;    // words that the source still has
    size_t at, held;  // in `bytes`: words taken, and there
    bool failed;
    unsigned char bytes[8 * MOTE_WORDS_AT_ONCE];
} field_reader;

static void fetch(field_reader *from)
{
    from->at = 0, from->held = (size_t)MOTE_MIN(from->left, (uint64_t)MOTE_WORDS_AT_ONCE);
    from->failed = from->failed || from->held == 0 || !from->source(from->user_data, from->bytes, 8 * from->held);
    from->left -= from->held;
    if (from->failed) memset(from->bytes, 0, sizeof from->bytes);
}

static uint64_t take(field_reader *from)
{
    if (from->at >= from->held) fetch(from);
    const mote_word_reader here = {from->bytes, 0, MOTE_WORDS_AT_ONCE};
    const uint64_t word = mote_word_at(&here, from->at++);
    mote_word_hash_add(&from->hash, word);
    return word;
}

static bool is_at_end(field_reader *from)
{
    uint64_t checksum[MOTE_HASH_WORDS];
    mote_word_hash_end(&from->hash, checksum);
    for (int k = 0; k < MOTE_HASH_WORDS; ++k)
        if (take(from) != checksum[k]) return false;
    return !from->failed;
}

static mote_result refuse(mote_error *error, const char *what)
{
    return mote_fail(error, MOTE_ERROR_FORMAT, 0, "field file: %s", what);
}

// Whether so many blocks make up the rest of a file, of so many words. Nothing wraps, as blocks are few enough.
static bool is_count_right(uint64_t blocks, uint64_t node_numbers, uint64_t left)
{
    return blocks <= FIELD_MOST_BLOCKS && mote_word_spend(&left, (3 * blocks + 1) / 2, 1) &&
           mote_word_spend(&left, (blocks * node_numbers + 1) / 2, 1) && left == 0;
}

// Afterwards nothing beyond the file's length is read, and no more than about that is allocated.
static mote_result take_head(field_reader *from, uint64_t length, const wall_field *field,
                             const uint64_t key[MOTE_HASH_WORDS], uint32_t *blocks, mote_error *error)
{
    const size_t numbers = numbers_of_block(field);
    uint64_t head[HEAD];
    if (length % 8 != 0 || length / 8 < HEAD + MOTE_HASH_WORDS) return refuse(error, "it is none, or cut short");
    for (int k = 0; k < HEAD; ++k) head[k] = take(from);
    if (head[MAGIC] != MAGIC_WORD) return refuse(error, "it is none, or cut short");
    if (head[VERSION] != mote_word_version(FORMAT)) return refuse(error, "it was made by another version of mote");
    if (head[KEY] != key[0] || head[KEY + 1] != key[1] ||
        head[SHAPE] != shape_word(field->numbers, (uint64_t)mote_field_nodes_of_block(field)))
        return refuse(error, "it is of another body, or for another fluid");
    if (!is_count_right(head[BLOCKS], numbers, length / 8 - HEAD - MOTE_HASH_WORDS))
        return refuse(error, "its counts do not make up its length");
    *blocks = (uint32_t)head[BLOCKS];
    return MOTE_OK;
}

// Whether a block comes before another one when a cube is divided: by the highest bit in which their keys differ, of
// those along z, y and x in this order.
static bool is_before(const int32_t a[3], const int32_t b[3])
{
    int axis = 2;
    uint32_t most = (uint32_t)a[2] ^ (uint32_t)b[2];
    for (int k = 1; k >= 0; --k) {
        const uint32_t differ = (uint32_t)a[k] ^ (uint32_t)b[k];
        if (most < differ && most < (most ^ differ)) most = differ, axis = k;
    }
    return a[axis] < b[axis];
}

static bool take_blocks(field_reader *from, const uint32_t most[3], uint32_t count, field_block *blocks)
{
    uint64_t word = 0;
    bool are_right = true;
    for (size_t k = 0; k < 3 * (size_t)count; ++k) {
        word = k % 2 ? word >> 32 : take(from);
        const uint32_t key = (uint32_t)word;
        are_right = are_right && key < most[k % 3];
        blocks[k / 3].key[k % 3] = are_right ? (int32_t)key : 0;
    }
    for (uint32_t b = 0; b < count; ++b) {
        blocks[b].nodes = b, blocks[b].distance = 0, blocks[b].is_whole = false;
        are_right = are_right && (b == 0 || is_before(blocks[b - 1].key, blocks[b].key));
    }
    return are_right;
}

static bool take_nodes(field_reader *from, size_t count, float *nodes)
{
    bool are_finite = true;
    for (size_t n = 0; n < count; n += 2) {
        const uint64_t word = take(from);
        const uint32_t bits[2] = {(uint32_t)word, (uint32_t)(word >> 32)};
        const size_t here = MOTE_MIN(count - n, (size_t)2);
        memcpy(nodes + n, bits, here * sizeof *bits);
        for (size_t k = 0; k < here; ++k) are_finite = are_finite && nodes[n + k] - nodes[n + k] == 0;
    }
    return are_finite;
}

static mote_result take_content(mote_context *context, field_reader *from, uint32_t blocks, wall_field *field,
                                mote_error *error)
{
    if (numbers_of_block(field) > SIZE_MAX / sizeof(float) / MOTE_MAX(blocks, 1U))
        return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "field file: no memory");
    const size_t numbers = blocks * numbers_of_block(field);
    mote_result result = mote_buffer_reserve(context, &field->blocks, mote_bytes(blocks, sizeof(field_block)), 0);
    if (result == MOTE_OK) result = mote_field_reserve_nodes(context, field, blocks);
    if (result == MOTE_OK) result = mote_table_reserve(context, &field->table, blocks);
    if (result != MOTE_OK) return mote_fail(error, result, 0, "field file: no memory");
    const bool has_blocks = take_blocks(from, field->most, blocks, field->blocks.data);
    const bool has_nodes = take_nodes(from, numbers, field->nodes.data);
    if (!is_at_end(from)) return refuse(error, "it is damaged or cut short: the checksum does not hold");
    if (!has_blocks) return refuse(error, "its blocks are none that a field can have");
    if (!has_nodes) return refuse(error, "its nodes have values that are not finite");
    field->block_count = field->node_blocks = blocks;
    result = mote_field_finish(context, field);
    return result == MOTE_OK ? MOTE_OK : mote_fail(error, result, 0, "field file: no memory");
}

mote_result mote_fluid_read_field(mote_fluid *fluid, uint32_t boundary, mote_box box,
                                  const uint64_t key[MOTE_HASH_WORDS], mote_field_source *source, void *user_data,
                                  uint64_t length, mote_error *error)
{
    field_reader from = {.source = source, .user_data = user_data, .hash = MOTE_WORD_HASH_START, .left = length / 8};
    wall_field made = mote_field_empty(fluid, boundary, box), *field;
    uint32_t blocks = 0;
    mote_result result = take_head(&from, length, &made, key, &blocks, error);
    if (result == MOTE_OK) result = take_content(fluid->context, &from, blocks, &made, error);
    if (result == MOTE_OK) result = mote_field_begin(fluid, boundary, box, &field, error);
    if (result == MOTE_OK) *field = made;
    else mote_field_release(fluid->context, &made);
    return result;
}
