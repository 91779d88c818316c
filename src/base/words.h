// SPDX-License-Identifier: MIT
// base/words.h: files of words of 64 bits, lowest byte first, so that they are the same on every machine; and the hash
// that ends them and makes their keys. Numbers of 32 bits are stored two in a word, the first in the lower half.
#ifndef MOTE_BASE_WORDS_H
#define MOTE_BASE_WORDS_H

#include <string.h>

#include "base/internal.h"

enum { MOTE_HASH_WORDS = 2, MOTE_WORDS_AT_ONCE = 512 };

static inline uint64_t mote_word_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double mote_word_number(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline bool mote_word_is_number(double value)
{
    return value - value == 0;
}

// --------------------------------------------------------------------------------------------------------- hashing

// Two hashes of 64 bits, side by side. A word enters by exclusive or, and all following operations are invertible:
// two sequences that differ in one word never have the same hash.
typedef struct mote_word_hash {
    uint64_t a, b;
} mote_word_hash;

#define MOTE_WORD_HASH_START ((mote_word_hash){UINT64_C(0x243F6A8885A308D3), UINT64_C(0x13198A2E03707344)})  // pi

MOTE_INLINE void mote_word_hash_add(mote_word_hash *h, uint64_t word)
{
    h->a = (h->a ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    h->a ^= h->a >> 32;
    h->b = (h->b ^ word) * UINT64_C(0xD1B54A32D192ED03);
    h->b ^= h->b >> 29;
}

static inline void mote_word_hash_end(const mote_word_hash *h, uint64_t words[MOTE_HASH_WORDS])
{
    mote_random a = {h->a}, b = {h->b};
    words[0] = mote_random_next(&a);
    words[1] = mote_random_next(&b);
}

static inline void mote_word_hash_add_text(mote_word_hash *h, const char *text)
{
    do mote_word_hash_add(h, (unsigned char)*text);
    while (*text++);
}

// 32 hexadecimal digits.
static inline void mote_word_hash_text(const uint64_t words[MOTE_HASH_WORDS], char text[33])
{
    for (int k = 0; k < 32; ++k) text[k] = "0123456789abcdef"[words[k / 16] >> (60 - 4 * (k % 16)) & 15];
    text[32] = '\0';
}

// A word of the version of mote and of a format of files.
static inline uint64_t mote_word_version(uint64_t format)
{
    mote_word_hash h = MOTE_WORD_HASH_START;
    uint64_t words[MOTE_HASH_WORDS];
    mote_word_hash_add_text(&h, mote_version());
    mote_word_hash_add(&h, format);
    mote_word_hash_end(&h, words);
    return words[0];
}

// --------------------------------------------------------------------------------------------------------- writing

typedef struct mote_word_writer {
    mote_sink *sink;
    void *user_data;
    mote_word_hash hash;
    size_t used;
    bool failed;
    unsigned char bytes[8 * MOTE_WORDS_AT_ONCE];
} mote_word_writer;

static inline mote_word_writer mote_word_writer_open(mote_sink *sink, void *user_data)
{
    return (mote_word_writer){.sink = sink, .user_data = user_data, .hash = MOTE_WORD_HASH_START};
}

static inline void mote_word_flush(mote_word_writer *to)
{
    if (to->used && !to->failed) to->failed = !to->sink(to->user_data, to->bytes, to->used);
    to->used = 0;
}

static inline void mote_word_put(mote_word_writer *to, uint64_t word)
{
    mote_word_hash_add(&to->hash, word);
    for (int k = 0; k < 8; ++k) to->bytes[to->used++] = (unsigned char)(word >> 8 * k);
    if (to->used == sizeof to->bytes) mote_word_flush(to);
}

static inline void mote_word_put_u32(mote_word_writer *to, const uint32_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i += 2)
        mote_word_put(to, numbers[i] | (i + 1 < count ? (uint64_t)numbers[i + 1] << 32 : 0));
}

// Ends the file with the hash of all words before.
// @return whether the sink has taken everything
static inline bool mote_word_writer_close(mote_word_writer *to)
{
    uint64_t checksum[MOTE_HASH_WORDS];
    mote_word_hash_end(&to->hash, checksum);
    for (int k = 0; k < MOTE_HASH_WORDS; ++k) mote_word_put(to, checksum[k]);
    mote_word_flush(to);
    return !to->failed;
}

// --------------------------------------------------------------------------------------------------------- reading

typedef struct mote_word_reader {
    const unsigned char *bytes;
    size_t at, count;  // words
} mote_word_reader;

MOTE_INLINE uint64_t mote_word_at(const mote_word_reader *from, size_t i)
{
    const unsigned char *b = from->bytes + 8 * i;
    return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 | (uint64_t)b[4] << 32 |
           (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 | (uint64_t)b[7] << 56;
}

MOTE_INLINE uint64_t mote_word_take(mote_word_reader *from)
{
    return mote_word_at(from, from->at++);
}

static inline void mote_word_take_u32(mote_word_reader *from, uint32_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i += 2) {
        const uint64_t word = mote_word_take(from);
        numbers[i] = (uint32_t)word;
        if (i + 1 < count) numbers[i + 1] = (uint32_t)(word >> 32);
    }
}

static inline void mote_word_checksum(const void *bytes, size_t words, uint64_t checksum[MOTE_HASH_WORDS])
{
    const mote_word_reader from = {bytes, 0, words};
    mote_word_hash h = MOTE_WORD_HASH_START;
    for (size_t i = 0; i < words; ++i) mote_word_hash_add(&h, mote_word_at(&from, i));
    mote_word_hash_end(&h, checksum);
}

// Whether a file, which has more words than its hash, ends with the hash of the others.
static inline bool mote_word_is_intact(const mote_word_reader *from)
{
    const size_t content = from->count - MOTE_HASH_WORDS;
    uint64_t checksum[MOTE_HASH_WORDS];
    mote_word_checksum(from->bytes, content, checksum);
    return mote_word_at(from, content) == checksum[0] && mote_word_at(from, content + 1) == checksum[1];
}

// Subtracts `count` items of `each` words from the words left; false if there are not enough.
static inline bool mote_word_spend(uint64_t *left, uint64_t count, uint64_t each)
{
    if (count > *left / each) return false;
    *left -= count * each;
    return true;
}

#endif
