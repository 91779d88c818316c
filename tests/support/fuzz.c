// SPDX-License-Identifier: MIT
#include "support/fuzz.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/test.h"

// ------------------------------------------------------------------------------------------------------- files

void fuzz_put(fuzz_file *file, const void *bytes, size_t size)
{
    CHECK(size <= FUZZ_LARGEST - file->size, "a file of more than %d bytes", FUZZ_LARGEST);
    if (size) memcpy(file->bytes + file->size, bytes, size);
    file->size += size;
}

void fuzz_put_text(fuzz_file *file, const char *text)
{
    fuzz_put(file, text, strlen(text));
}

void fuzz_put_word(fuzz_file *file, uint64_t word, size_t size, bool big)
{
    for (size_t k = 0; k < size; ++k) {
        const unsigned char byte = (unsigned char)(word >> 8 * (big ? size - 1 - k : k));
        fuzz_put(file, &byte, 1);
    }
}

void fuzz_put_f32(fuzz_file *file, float number, bool big)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    fuzz_put_word(file, bits, sizeof bits, big);
}

// ----------------------------------------------------------------------------------------------------- changes

typedef struct mutation {
    const fuzz_target *target;
    mote_random random;
    fuzz_file file;
} mutation;

static size_t below(mutation *self, size_t n)
{
    return n ? mote_random_below(&self->random, (uint32_t)n) : 0;
}

// Short ones more often than long ones.
static size_t some_length(mutation *self)
{
    return 1 + below(self, (size_t)1 << below(self, 10));
}

static void cut_out(mutation *self, size_t at, size_t size)
{
    fuzz_file *file = &self->file;
    if (size > file->size - at) size = file->size - at;
    memmove(file->bytes + at, file->bytes + at + size, file->size - at - size);
    file->size -= size;
}

// What does not fit is left out.
static void put_in(mutation *self, size_t at, const void *bytes, size_t size)
{
    fuzz_file *file = &self->file;
    if (size > FUZZ_LARGEST - file->size) size = FUZZ_LARGEST - file->size;
    memmove(file->bytes + at + size, file->bytes + at, file->size - at);
    if (size) memcpy(file->bytes + at, bytes, size);
    file->size += size;
}

static void flip_bit(mutation *self, size_t at)
{
    if (at < self->file.size) self->file.bytes[at] ^= (unsigned char)(1 << below(self, 8));
}

static void put_random_bytes(mutation *self, size_t at)
{
    unsigned char bytes[16];
    for (size_t k = 0; k < sizeof bytes; ++k) bytes[k] = (unsigned char)mote_random_next(&self->random);
    const size_t size = 1 + below(self, sizeof bytes);
    if (below(self, 2)) cut_out(self, at, size);
    put_in(self, at, bytes, size);
}

static void cut_piece(mutation *self, size_t at)
{
    cut_out(self, at, some_length(self));
}

static void cut_short(mutation *self, size_t at)
{
    self->file.size = at;
}

// A piece of this file, or of another good one.
static void copy_piece(mutation *self, size_t at)
{
    static unsigned char piece[FUZZ_LARGEST];
    const fuzz_file *from = &self->file;
    if (below(self, 2)) from = self->target->files + below(self, self->target->file_count);
    const size_t begin = below(self, from->size + 1), most = from->size - begin;
    size_t size = some_length(self);
    if (size > most) size = most;
    memcpy(piece, from->bytes + begin, size);
    if (below(self, 2)) cut_out(self, at, size);
    put_in(self, at, piece, size);
}

static void repeat_piece(mutation *self, size_t at)
{
    unsigned char piece[64];
    size_t size = 1 + below(self, sizeof piece);
    if (size > self->file.size - at) size = self->file.size - at;
    memcpy(piece, self->file.bytes + at, size);
    for (size_t times = (size_t)1 << below(self, 9); times > 0; --times) put_in(self, at, piece, size);
}

static const char *const numbers[] = {
    "0",          "-1",         "1",         "255",        "256",      "65536",    "2147483647", "-2147483648",
    "4294967295", "4294967296", "-0",        "1e308",      "1e309",    "-1e308",   "5e-324",     "1e-400",
    "1e-1199",    "1e39",       "nan",       "inf",        "0x10",     "1e",       ".",          "0.1.2",
    "9223372036854775807", "18446744073709551616", "1.7976931348623159e308", "00000000000000000000000000000001",
    "1e+99999999999", "+"};

// In the place of a number of the text, if there is one behind.
static void put_number(mutation *self, size_t at)
{
    const char *number = numbers[below(self, sizeof numbers / sizeof *numbers)];
    const fuzz_file *file = &self->file;
    while (at < file->size && !(file->bytes[at] >= '0' && file->bytes[at] <= '9')) ++at;
    size_t end = at;
    while (end < file->size && file->bytes[end] && strchr("0123456789.eE+-", file->bytes[end])) ++end;
    cut_out(self, at, end - at);
    put_in(self, at, number, strlen(number));
}

static void put_word(mutation *self, size_t at)
{
    size_t count = 0;
    while (self->target->words[count]) ++count;
    if (count == 0) return;
    const char *word = self->target->words[below(self, count)];
    if (below(self, 2)) cut_out(self, at, strlen(word));
    put_in(self, at, word, strlen(word));
}

// A number of a binary file.
static void put_binary(mutation *self, size_t at)
{
    static const uint64_t words[] = {0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF,
                                     0x7F800000, 0x7FC00000, 0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000,
                                     0x7FF8000000000000, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, UINT64_MAX};
    uint64_t word = words[below(self, sizeof words / sizeof *words)];
    if (below(self, 4) == 0) word = below(self, self->file.size + 2);
    const size_t size = (size_t)1 << below(self, 4), big = below(self, 2);
    if (below(self, 2)) at = at / size * size;
    for (size_t k = 0; k < size && at + k < self->file.size; ++k)
        self->file.bytes[at + k] = (unsigned char)(word >> 8 * (big ? size - 1 - k : k));
}

static void put_nesting(mutation *self, size_t at)
{
    static const char *const openings[] = {"[", "{\"a\":", "(", "<a>", "\"", "[{\"min\":", "{"};
    const char *opening = openings[below(self, sizeof openings / sizeof *openings)];
    for (size_t times = (size_t)1 << below(self, 12); times > 0; --times) put_in(self, at, opening, strlen(opening));
}

static void put_odd_byte(mutation *self, size_t at)
{
    static const char bytes[] = "\0\n\r\t \\\"'<>&,;:#{}[]()-+.eE/\x7f\x1b\xff\x80\xc2";
    const char byte = bytes[below(self, sizeof bytes)];
    if (below(self, 2)) cut_out(self, at, 1);
    put_in(self, at, &byte, 1);
}

static void change(mutation *self)
{
    static void (*const changes[])(mutation *, size_t) = {flip_bit,   put_random_bytes, cut_piece,  copy_piece,
                                                          repeat_piece, put_number,     put_number, put_word,
                                                          put_word,   put_binary,       put_binary, put_odd_byte,
                                                          put_odd_byte};
    const size_t at = below(self, self->file.size + 1), kind = below(self, 200);
    if (kind < 3) put_nesting(self, at);
    else if (kind < 6) cut_short(self, at);
    else changes[kind % (sizeof changes / sizeof *changes)](self, at);
}

static void make_round(mutation *self, int round)
{
    self->random.state = (uint64_t)round;
    self->file = self->target->files[below(self, self->target->file_count)];
    for (size_t changes = 1 + below(self, 5); changes > 0; --changes) change(self);
    if (self->target->repair) self->target->repair(&self->file);
}

// --------------------------------------------------------------------------------------------------- complaints

static char complaint[1024];

void fuzz_complain(const char *format, ...)
{
    if (complaint[0]) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(complaint, sizeof complaint, format, arguments);
    va_end(arguments);
}

static void check_refusal(mote_result result, const mote_error *error)
{
    if (result != MOTE_ERROR_FORMAT) fuzz_complain("%s: %s", mote_result_name(result), error->text);
    if (!memchr(error->text, '\0', sizeof error->text)) {
        fuzz_complain("a message without an end");
        return;
    }
    if (!error->text[0]) fuzz_complain("a refusal without a message");
    for (const char *c = error->text; *c; ++c)
        if ((unsigned char)*c < ' ' || *c == 0x7F) fuzz_complain("byte %d in the message %s", *c, error->text);
}

// ------------------------------------------------------------------------------------------------------- rounds

static mote_result read_once(const fuzz_target *target, const fuzz_file *file)
{
    mote_context_def def = mote_context_default_def();
    def.thread_count = 1;
    def.max_bytes = target->bytes + target->bytes_a_byte * file->size;
    mote_context *context;
    CHECK_OK(mote_context_create(&def, &context, NULL));
    const size_t before = mote_context_byte_count(context);
    unsigned char *exact = malloc(file->size + !file->size);  // so that sanitizers see what is read beyond
    if (file->size) memcpy(exact, file->bytes, file->size);
    mote_error error;
    memset(&error, 0, sizeof error);
    const mote_result result = target->read(context, exact, file->size, &error);
    free(exact);
    if (result != MOTE_OK) check_refusal(result, &error);
    const size_t after = mote_context_byte_count(context);
    if (after != before) fuzz_complain("%zu bytes are not released", after - before);
    mote_context_destroy(context);
    return result;
}

// The file that holds the bytes of the present round, and at its end a line about it: memory that outlives a crash.
enum { LINE = 64, REMAINS = FUZZ_LARGEST + LINE };

typedef struct remains {
    char path[512];
    unsigned char *bytes;
    int handle;
} remains;

static void open_remains(remains *of, const fuzz_target *target, const char *folder)
{
    snprintf(of->path, sizeof of->path, "%s/fuzz_%s.bytes", folder, target->name);
    of->handle = open(of->path, O_RDWR | O_CREAT | O_TRUNC, 0644);
    CHECK(of->handle >= 0 && ftruncate(of->handle, REMAINS) == 0, "%s cannot be written", of->path);
    of->bytes = mmap(NULL, REMAINS, PROT_READ | PROT_WRITE, MAP_SHARED, of->handle, 0);
    CHECK(of->bytes != MAP_FAILED, "%s cannot be mapped", of->path);
}

static void close_remains(remains *of, const fuzz_file *kept)
{
    munmap(of->bytes, REMAINS);
    const bool is_cut = !kept || ftruncate(of->handle, (off_t)kept->size) == 0;
    close(of->handle);
    if (!kept) remove(of->path);
    CHECK(is_cut, "%s cannot be cut", of->path);
}

static bool run_round(const fuzz_target *target, const fuzz_file *file, int round, remains *left, bool *accepted)
{
    memcpy(left->bytes, file->bytes, file->size);
    snprintf((char *)left->bytes + FUZZ_LARGEST, LINE, "\nround %d, %zu bytes\n", round, file->size);
    complaint[0] = '\0';
    *accepted = read_once(target, file) == MOTE_OK;
    if (round < 0 && !*accepted) fuzz_complain("a good file is refused");
    if (!complaint[0]) return true;
    print_error("%s, round %d, %zu bytes in %s: %s\n", target->name, round, file->size, left->path, complaint);
    close_remains(left, file);
    return false;
}

void fuzz_run(const fuzz_target *target, const char *folder)
{
    static mutation round_of;
    const char *only = getenv("MOTE_FUZZ_ROUND");
    const int rounds = target->rounds / (SANITIZED ? 12 : 2) * (getenv("MOTE_LONG_TESTS") ? 60 : 1);
    remains left;
    open_remains(&left, target, folder);
    size_t accepted_count = 0;
    bool accepted;
    for (size_t k = 0; k < target->file_count && !only; ++k)
        if (!run_round(target, target->files + k, -1 - (int)k, &left, &accepted)) fail();
    round_of.target = target;
    for (int round = only ? atoi(only) : 0; round < (only ? atoi(only) + 1 : rounds); ++round) {
        make_round(&round_of, round);
        if (!run_round(target, &round_of.file, round, &left, &accepted)) fail();
        accepted_count += accepted;
    }
    close_remains(&left, NULL);
    const bool is_mixed = accepted_count > 0 && accepted_count < (size_t)rounds;
    CHECK(only || is_mixed, "%zu of %d accepted", accepted_count, rounds);
    print_message("%s: %d rounds, %zu accepted\n", target->name, rounds, accepted_count);
}
