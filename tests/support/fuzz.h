// SPDX-License-Identifier: MIT
// support/fuzz.h: readers fed with small files that were changed by chance: bits flipped, pieces cut out, put in again,
// repeated or taken from another file, words and numbers that readers stumble over, brackets without end.
//
// Every round has a random seed of its own. A complaint names the round; MOTE_FUZZ_ROUND=N runs that one alone. Its
// bytes stay in the build's folder as fuzz_<reader>.bytes; after a crash that file ends with a line that says the round
// and how many of its bytes count. MOTE_LONG_TESTS=1 runs sixty times as many rounds.
#ifndef MOTE_TEST_FUZZ_H
#define MOTE_TEST_FUZZ_H

#include "mote/base.h"

enum { FUZZ_LARGEST = 1 << 14 };  // bytes of a file

typedef struct fuzz_file {
    unsigned char bytes[FUZZ_LARGEST];
    size_t size;
} fuzz_file;

void fuzz_put(fuzz_file *file, const void *bytes, size_t size);
void fuzz_put_text(fuzz_file *file, const char *text);
// The lowest or the highest byte first.
void fuzz_put_word(fuzz_file *file, uint64_t word, size_t size, bool big);
void fuzz_put_f32(fuzz_file *file, float number, bool big);

typedef struct fuzz_target {
    const char *name;       // of the reader
    const fuzz_file *files; // good ones
    size_t file_count;
    const char *const *words;  // of the format, ended by NULL
    // Reads the file, checks what it has become and releases that. What should not be it says with fuzz_complain.
    mote_result (*read)(mote_context *context, const unsigned char *bytes, size_t size, mote_error *error);
    void (*repair)(fuzz_file *file);  // after each change, as of checksums; may be NULL
    size_t bytes, bytes_a_byte;       // memory that a reader may take: in any case, and for each byte of the file
    int rounds;
} fuzz_target;

// Notes what is wrong, in printf's form; the first complaint of a round counts.
void fuzz_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Fails the test at the first round with a complaint: of the reader; a refusal that is no MOTE_ERROR_FORMAT, or without
// one line of text; memory beyond the bound, or not released. Files that are good are read first, and must be accepted.
// @param folder  where bytes are left behind
void fuzz_run(const fuzz_target *target, const char *folder);

#endif
