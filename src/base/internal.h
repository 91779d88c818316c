// SPDX-License-Identifier: MIT
// base/internal.h: errors, memory, parallel loops and sorting for the modules of the library.
//
// Vector and box arithmetic is in base/vector.h. Nothing here is visible to users of the library.
#ifndef MOTE_BASE_INTERNAL_H
#define MOTE_BASE_INTERNAL_H

#include <stdarg.h>
#include <string.h>

#include "mote/base.h"

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

// Checks of internal invariants: compiled out in release builds. MOTE_VALIDATE is for whole structures. A host that
// wants to handle failures itself, instead of the C library's message and abort, builds mote with MOTE_DEBUG and
// with MOTE_ASSERT_HANDLER set to the name of one of its functions:
//     void my_handler(const char *condition, const char *file, int line);
// If it returns, mote continues as if nothing were wrong.
#if defined(MOTE_DEBUG)
#if defined(MOTE_ASSERT_HANDLER)
void MOTE_ASSERT_HANDLER(const char *condition, const char *file, int line);
#define MOTE_ASSERT(condition) ((condition) ? (void)0 : MOTE_ASSERT_HANDLER(#condition, __FILE__, __LINE__))
#else
#include <assert.h>
#define MOTE_ASSERT(condition) assert(condition)
#endif
#define MOTE_VALIDATE(condition) MOTE_ASSERT(condition)
#else
#define MOTE_ASSERT(condition) ((void)sizeof(condition))
#define MOTE_VALIDATE(condition) ((void)sizeof(condition))
#endif

// GCC's plain "printf" means the host's format, which on Windows has no z; mote_format supports it everywhere.
#if defined(__GNUC__) && !defined(__clang__)
#define MOTE_PRINTF_KIND gnu_printf
#else
#define MOTE_PRINTF_KIND printf
#endif

#if defined(__GNUC__) || defined(__clang__)
#define MOTE_INLINE static inline __attribute__((always_inline))
#define MOTE_PRINTF(text, first) __attribute__((format(MOTE_PRINTF_KIND, text, first)))
#else
#define MOTE_INLINE static inline
#define MOTE_PRINTF(text, first)
#endif

// Functions that a shared libmote exports besides its public ones, for libmote-io, which is built from the same
// sources.
#define MOTE_FOR_IO MOTE_API

// Loops are compiled once more for AVX2 and AVX-512, or for 128-bit vectors (base/wide.h); mote_context_simd tells
// which of them runs. FMA stays off, so that results have the same bits on every instruction set. With MOTE_PLAIN, and
// on other processors, there are none.
#if (defined(__x86_64__) || defined(__i386__)) && (defined(__GNUC__) || defined(__clang__)) && !defined(MOTE_PLAIN)
#define MOTE_HAVE_AVX2 1
#define MOTE_TARGET_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt")))
#else
#define MOTE_HAVE_AVX2 0
#define MOTE_TARGET_AVX2
#endif
// NEON, which every arm64 processor has, and WebAssembly's SIMD128, if the compiler was told to use it (-msimd128).
#if ((defined(__aarch64__) && !defined(__AARCH64EB__)) || defined(__wasm_simd128__)) && \
    (defined(__GNUC__) || defined(__clang__)) && !defined(MOTE_PLAIN)
#define MOTE_HAVE_SIMD128 1
#else
#define MOTE_HAVE_SIMD128 0
#endif

// The most lanes that a vector of floats has (base/wide.h): what arrays are longer than their contents, so that whole
// vectors can be read and written at their ends.
enum { MOTE_WIDE_MOST = 16 };

// The number of set bits, and the index of the lowest set bit if not all are 0.
static inline uint32_t mote_count_bits(uint64_t bits)
{
#if defined(__GNUC__) || defined(__clang__)
    return (uint32_t)__builtin_popcountll(bits);
#else
    uint32_t count = 0;
    for (; bits; bits &= bits - 1) ++count;
    return count;
#endif
}

static inline uint32_t mote_lowest_bit(uint64_t bits)
{
#if defined(__GNUC__) || defined(__clang__)
    return (uint32_t)__builtin_ctzll(bits);
#else
    return mote_count_bits((bits & (0 - bits)) - 1);
#endif
}

// Asks for large pages for a block that begins at a multiple of their size. Does nothing if the system has none.
enum { MOTE_LARGE_PAGE = 2 << 20 };
void mote_prefer_large_pages(void *memory, size_t bytes);

// Seconds since some moment; for measuring, never for results.
double mote_clock_seconds(void);

// The value of every def's cookie: a def that was not made by its default function is rejected.
#define MOTE_COOKIE 0x65746F6Du

#define MOTE_MIN(a, b) ((a) < (b) ? (a) : (b))
#define MOTE_MAX(a, b) ((a) > (b) ? (a) : (b))

// ----------------------------------------------------------------------------------------------------- errors

// MOTE_ERROR_ARGUMENT: a pointer that a function of this module needs is NULL.
MOTE_FOR_IO mote_result mote_fail_null(mote_error *error, const char *module, const char *what);

// MOTE_ERROR_ARGUMENT: a module has no method of this name, but those of `names`, which ends with NULL.
mote_result mote_fail_method(mote_error *error, const char *module, const char *name, const char *const *names);

// Returns the result unchanged; if it says that memory ran out, adds the error text.
mote_result mote_pass_memory(mote_error *error, mote_result result, const char *what);

// Fills `error` (if any) and returns `result`, so that a check reads `return mote_fail(error, …)`.
MOTE_FOR_IO mote_result mote_fail(mote_error *error, mote_result result, uint64_t index, const char *format, ...)
    MOTE_PRINTF(4, 5);

// The same with a place in a file or text.
MOTE_FOR_IO mote_result mote_fail_at(mote_error *error, mote_result result, uint32_t line, uint32_t column,
                                     const char *format, ...) MOTE_PRINTF(5, 6);

// Works like vsnprintf, but gives the same text in every locale: decimal points are points. Supports the conversions
// d, u, x, c, s, e, f, g and %, the lengths l, ll and z, the flags - and 0, widths and precisions.
// @return the length of the whole text
MOTE_FOR_IO size_t mote_format(char *text, size_t size, const char *format, va_list arguments);

// The same with variable arguments, like snprintf.
MOTE_FOR_IO size_t mote_print(char *text, size_t size, const char *format, ...) MOTE_PRINTF(3, 4);

// Whether a file's name has this ending, ignoring case.
// @param ending  in lower case: ".ply"
MOTE_FOR_IO bool mote_path_ends_with(const char *path, const char *ending);

// Sends the host a warning: a fallback, or a budget nearly used up. Never call it in a loop: warn once about a
// condition that does not change.
void mote_log_message(const mote_context *context, const char *format, ...) MOTE_PRINTF(2, 3);

// Warnings that a context gives only once, however often their causes occur.
typedef enum mote_warning {
    MOTE_WARNING_BUDGET = 1,   // little of the byte budget is left
    MOTE_WARNING_THREADS = 2,  // the system did not start all threads
    MOTE_WARNING_STAMPS = 4,   // particles cannot be sorted before a proxy labels them
} mote_warning;
// Whether this warning was not given before; marks it as given. False without a context.
bool mote_log_is_first(const mote_context *context, mote_warning warning);

// The checksum of bytes behind others, whose checksum is `sum`: FNV-1a (Fowler, Noll & Vo 1991), byte by byte.
#define MOTE_CHECKSUM_START UINT64_C(0xCBF29CE484222325)
static inline uint64_t mote_checksum(uint64_t sum, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    for (size_t k = 0; k < length; ++k) sum = (sum ^ at[k]) * UINT64_C(0x100000001B3);
    return sum;
}

// The checksum of a struct's fields, as texts.
uint64_t mote_fields_checksum(const mote_field_table *table, const void *object);

// ----------------------------------------------------------------------------------------------------- memory

// Memory aligned to 64 bytes, or NULL when the allocator or the budget has no more. Zero bytes give NULL, which
// mote_release accepts: check `!memory && bytes`.
MOTE_FOR_IO void *mote_allocate(const mote_context *context, size_t bytes);
MOTE_FOR_IO void mote_release(const mote_context *context, void *memory, size_t bytes);

// The byte budget, and how much of it is left now; SIZE_MAX: there is no budget.
size_t mote_budget(const mote_context *context);
size_t mote_budget_left(const mote_context *context);

// a · b, or SIZE_MAX if that overflows (an amount that no allocator grants).
static inline size_t mote_bytes(size_t count, size_t size)
{
    return size != 0 && count > SIZE_MAX / size ? SIZE_MAX : count * size;
}

// A growing block of memory. Zero-initialised is empty.
typedef struct mote_buffer {
    void *data;
    size_t bytes;
} mote_buffer;

// Makes room for `bytes`, with some to spare. When the buffer grows, the first `keep` bytes are kept and the rest is
// lost. On failure the buffer is unchanged if keep > 0, else it is empty.
MOTE_FOR_IO mote_result mote_buffer_reserve(const mote_context *context, mote_buffer *buffer, size_t bytes,
                                            size_t keep);

// Room for the data that each worker keeps from call to call: `size` bytes per worker, zeroed at first. Without a
// context the number of workers is the number of processors that the calling thread may use, which may have grown.
mote_result mote_buffer_reserve_workers(const mote_context *context, mote_buffer *buffer, size_t size);
MOTE_FOR_IO void mote_buffer_release(const mote_context *context, mote_buffer *buffer);

// Grows a buffer to at least `bytes` without any to spare; its contents are lost if it grows. For scratch memory of
// which all workers need as much as the one that needs most.
static inline mote_result mote_buffer_level(const mote_context *context, mote_buffer *buffer, size_t bytes)
{
    if (bytes > buffer->bytes) mote_buffer_release(context, buffer);
    return mote_buffer_reserve(context, buffer, bytes, 0);
}

// --------------------------------------------------------------------------------------------------- parallel

typedef void mote_range_task(void *data, size_t begin, size_t end, uint32_t worker);

// The number of blocks that mote_parallel_for divides [0, count) into; it never depends on the number of workers.
static inline uint32_t mote_block_count(size_t count, size_t block_size)
{
    return (uint32_t)((count + block_size - 1) / block_size);
}

// Calls task(data, begin, end, worker) for consecutive blocks of block_size elements of [0, count). Block b starts
// at b · block_size, so that a task may store a partial result at index begin / block_size. A job of one block is
// run by the caller: choose blocks that take 10 us or more, as sharing costs a microsecond with a helper that is
// awake, and up to 15 with one that sleeps (docs/threads.md).
MOTE_FOR_IO void mote_parallel_for(const mote_context *context, size_t count, size_t block_size, mote_range_task *task,
                                   void *data);

// -------------------------------------------------------------------------------------------------- sort, scan

// Sorts keys ascending with their values, stably: a least-significant-digit radix sort that skips the digits in which
// all keys agree. Parallel; the result never depends on the number of workers. Cost O(count · digits that differ).
// `keys` and `values` receive the result; `keys_spare`, `values_spare` (count each) are scratch. `values` may be NULL.
// MOTE_OK, or MOTE_ERROR_OUT_OF_MEMORY (half a megabyte at most is asked for), which leaves everything as it was.
mote_result mote_sort_u64(const mote_context *context, uint64_t *keys, uint32_t *values, uint64_t *keys_spare,
                          uint32_t *values_spare, size_t count);

// Replaces each count by the sum of those before it and returns the sum of all. The results of mote_prefix_sum_u32
// are correct only if the total fits 32 bits.
uint64_t mote_prefix_sum_u32(uint32_t *counts, size_t count);
uint64_t mote_prefix_sum_u64(uint64_t *counts, size_t count);

// The same for counts that blocks of work have made, a row of `bins` for each block: a bin's elements follow those of
// the bins before it, and among them a block's follow those of the blocks before it.
uint64_t mote_prefix_sum_rows(uint32_t *counts, size_t blocks, size_t bins);

// ----------------------------------------------------------------------------------------------------- points

// MOTE_OK if the struct itself is valid (dimensions, scalar, count, axes); does not check coordinates.
// @param what  begins the error's text: "points", or another name for them
MOTE_FOR_IO mote_result mote_points_check(mote_points points, const char *what, mote_error *error);

// Tells the processor to prefetch memory that will be read or written soon. Functions that do nothing else have to be
// MOTE_INLINE: gcc takes them for functions without effect, and drops calls of them.
static inline void mote_prefetch(const void *at)
{
#if defined(__GNUC__) || defined(__clang__)
    __builtin_prefetch(at);
#else
    (void)at;
#endif
}

// Spreads 21 bits, with two zeros between neighbouring bits: the part of one coordinate in a Morton number (Morton
// 1966).
static inline uint64_t mote_spread_bits(uint64_t bits)
{
    bits = (bits | bits << 32) & UINT64_C(0x001F00000000FFFF);
    bits = (bits | bits << 16) & UINT64_C(0x001F0000FF0000FF);
    bits = (bits | bits << 8) & UINT64_C(0x100F00F00F00F00F);
    bits = (bits | bits << 4) & UINT64_C(0x10C30C30C30C30C3);
    return (bits | bits << 2) & UINT64_C(0x1249249249249249);
}

// Reads numbers of the caller, which may be at any address: points may be packed among other data, with any stride.
MOTE_INLINE float mote_load_f32(const void *at)
{
    float value;
    memcpy(&value, at, sizeof value);
    return value;
}

// The number rounded to a float. It goes through memory because with several of them in succession gcc 12 keeps the
// unrounded doubles (its vectorizer of straight-line code treats the two conversions as no operation).
MOTE_INLINE double mote_as_f32(double x)
{
    volatile float rounded = (float)x;
    return (double)rounded;
}

MOTE_INLINE double mote_load_f64(const void *at)
{
    double value;
    memcpy(&value, at, sizeof value);
    return value;
}

// Coordinate `axis` of point i, widened to double; 0 beyond the set's dimensions.
static inline double mote_points_get(const mote_points *points, size_t i, int axis)
{
    if (axis >= points->dimensions) return 0.0;
    const char *at = (const char *)points->axis[axis] + (ptrdiff_t)i * points->stride;
    return points->scalar == MOTE_F32 ? (double)mote_load_f32(at) : mote_load_f64(at);
}

#endif
