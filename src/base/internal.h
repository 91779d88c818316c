// SPDX-License-Identifier: MIT
// base/internal.h: errors, memory, parallel loops and sorting for the modules of the library.
//
// Vector and box arithmetic is in base/vector.h. Everything here is hidden from users of the library.
#ifndef MOTE_BASE_INTERNAL_H
#define MOTE_BASE_INTERNAL_H

#include <stdarg.h>
#include <string.h>

#include "mote/base.h"

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

// Checks of our own invariants: compiled out in release builds. MOTE_VALIDATE is for whole structures.
// A host that wants to hear of failures itself, instead of the C library's line and abort, builds mote with MOTE_DEBUG
// and MOTE_ASSERT_HANDLER set to the name of a function of its own:
//     void my_handler(const char *condition, const char *file, int line);
// When it returns, mote goes on as if nothing were wrong.
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

// GCC's plain "printf" means the host's, which on Windows has no z; mote_format has it everywhere.
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

// What a shared libmote shows beside its public functions, for libmote-io, which comes from the same sources.
#define MOTE_FOR_IO MOTE_API

// Functions that are compiled once more for AVX2 and chosen at run time by mote_cpu_has_avx2. FMA stays off: results
// have the same bits on every instruction set. With MOTE_PLAIN there are none, as on other processors.
#if (defined(__x86_64__) || defined(__i386__)) && (defined(__GNUC__) || defined(__clang__)) && !defined(MOTE_PLAIN)
#define MOTE_HAVE_AVX2 1
#define MOTE_TARGET_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt")))
#else
#define MOTE_HAVE_AVX2 0
#define MOTE_TARGET_AVX2
#endif

bool mote_cpu_has_avx2(void);

// How many bits are set, and which is the lowest of bits that are not all 0.
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

// Asks for large pages under a block that begins at a multiple of them. Where there are none, nothing happens.
enum { MOTE_LARGE_PAGE = 2 << 20 };
void mote_prefer_large_pages(void *memory, size_t bytes);

// [s], from some moment on; for measuring, never for results.
double mote_clock_seconds(void);

// The value of every def's cookie: a def that was not made by its default function is refused.
#define MOTE_COOKIE 0x65746F6Du

#define MOTE_MIN(a, b) ((a) < (b) ? (a) : (b))
#define MOTE_MAX(a, b) ((a) > (b) ? (a) : (b))

// ----------------------------------------------------------------------------------------------------- errors

// MOTE_ERROR_ARGUMENT: a pointer that a call of a module needs is NULL.
MOTE_FOR_IO mote_result mote_fail_null(mote_error *error, const char *module, const char *what);

// Passes a result on; to one that says that memory ran out it adds the text.
mote_result mote_pass_memory(mote_error *error, mote_result result, const char *what);

// Fills `error` (if any) and returns `result`, so that a check reads `return mote_fail(error, …)`.
MOTE_FOR_IO mote_result mote_fail(mote_error *error, mote_result result, uint64_t index, const char *format, ...)
    MOTE_PRINTF(4, 5);

// The same with a place in a file or text.
MOTE_FOR_IO mote_result mote_fail_at(mote_error *error, mote_result result, uint32_t line, uint32_t column,
                                     const char *format, ...) MOTE_PRINTF(5, 6);

// As vsnprintf, but the same in every locale: decimal points are points. Knows the conversions d, u, x, c, s, e, f, g
// and %, the lengths l, ll and z, the flags - and 0, widths and precisions.
// @return the length of the whole text
MOTE_FOR_IO size_t mote_format(char *text, size_t size, const char *format, va_list arguments);

// The same with the arguments themselves: what snprintf is elsewhere.
MOTE_FOR_IO size_t mote_print(char *text, size_t size, const char *format, ...) MOTE_PRINTF(3, 4);

// Whether a file's name ends so, in any case of letters.
// @param ending  in small letters: ".ply"
MOTE_FOR_IO bool mote_path_ends_with(const char *path, const char *ending);

// A warning that a host wants: a fallback, a budget nearly spent. Never in a loop: once for what does not change.
void mote_log_message(const mote_context *context, const char *format, ...) MOTE_PRINTF(2, 3);

// ----------------------------------------------------------------------------------------------------- memory

// Memory aligned to 64 bytes, or NULL when the allocator or the budget has no more. Zero bytes give NULL, which
// mote_release takes: check `!memory && bytes`.
MOTE_FOR_IO void *mote_allocate(const mote_context *context, size_t bytes);
MOTE_FOR_IO void mote_release(const mote_context *context, void *memory, size_t bytes);

// The byte budget, and what is left of it now; SIZE_MAX: there is none.
size_t mote_budget(const mote_context *context);
size_t mote_budget_left(const mote_context *context);

// a · b, or SIZE_MAX where that overflows (an amount that no allocator grants).
static inline size_t mote_bytes(size_t count, size_t size)
{
    return size != 0 && count > SIZE_MAX / size ? SIZE_MAX : count * size;
}

// A growing block of memory. Zero-initialised is empty.
typedef struct mote_buffer {
    void *data;
    size_t bytes;
} mote_buffer;

// Makes room for `bytes`, with some to spare. The first `keep` bytes stay when it grows; the rest is lost.
// On failure the buffer is as it was if keep > 0, else it is empty.
MOTE_FOR_IO mote_result mote_buffer_reserve(const mote_context *context, mote_buffer *buffer, size_t bytes,
                                            size_t keep);

// Room for what each worker keeps from call to call, `size` bytes for every one of them, zeroed at first. Without a
// context the number of workers is that of the processors that the calling thread may use: it may have grown.
mote_result mote_buffer_reserve_workers(const mote_context *context, mote_buffer *buffer, size_t size);
MOTE_FOR_IO void mote_buffer_release(const mote_context *context, mote_buffer *buffer);

// Brings a buffer to at least `bytes` without any to spare; what it held is lost if it grows. For scratch memory that
// all workers are to have as much of as the one with the most.
static inline mote_result mote_buffer_level(const mote_context *context, mote_buffer *buffer, size_t bytes)
{
    if (bytes > buffer->bytes) mote_buffer_release(context, buffer);
    return mote_buffer_reserve(context, buffer, bytes, 0);
}

// --------------------------------------------------------------------------------------------------- parallel

typedef void mote_range_task(void *data, size_t begin, size_t end, uint32_t worker);

// Number of blocks that mote_parallel_for cuts [0, count) into; never depends on the number of workers.
static inline uint32_t mote_block_count(size_t count, size_t block_size)
{
    return (uint32_t)((count + block_size - 1) / block_size);
}

// Calls task(data, begin, end, worker) for consecutive blocks of block_size elements of [0, count). Block b starts at
// b · block_size, so that a task may store a partial result at index begin / block_size. A job of one block stays with
// the caller: choose blocks worth 10 us or more, as sharing costs a microsecond with a helper that is awake, and up to
// 15 with one that sleeps (docs/threads.md).
MOTE_FOR_IO void mote_parallel_for(const mote_context *context, size_t count, size_t block_size, mote_range_task *task,
                                   void *data);

// -------------------------------------------------------------------------------------------------- sort, scan

// Sorts keys ascending with their values, stably: a least-significant-digit radix sort that skips the digits in which
// all keys agree. Parallel; the result never depends on the number of workers. Cost O(count · digits that differ).
// `keys` and `values` receive the result; `keys_spare`, `values_spare` (count each) are scratch. `values` may be NULL.
// MOTE_OK, or MOTE_ERROR_OUT_OF_MEMORY (half a megabyte at most is asked for), which leaves everything as it was.
mote_result mote_sort_u64(const mote_context *context, uint64_t *keys, uint32_t *values, uint64_t *keys_spare,
                          uint32_t *values_spare, size_t count);

// Replaces each count by the sum of those before it and returns the sum of all. The sums of mote_prefix_sum_u32 are
// right only if that one fits 32 bits.
uint64_t mote_prefix_sum_u32(uint32_t *counts, size_t count);
uint64_t mote_prefix_sum_u64(uint64_t *counts, size_t count);

// ----------------------------------------------------------------------------------------------------- points

// MOTE_OK if the struct itself makes sense (dimensions, scalar, count, axes); says nothing about coordinates.
// @param what  begins the error's text: "points", or what else they are
MOTE_FOR_IO mote_result mote_points_check(mote_points points, const char *what, mote_error *error);

// Tells the processor that something will be read or written soon.
static inline void mote_prefetch(const void *at)
{
#if defined(__GNUC__) || defined(__clang__)
    __builtin_prefetch(at);
#else
    (void)at;
#endif
}

// 21 bits, with two zeros between each and the next: a coordinate's share of a Morton number (Morton 1966).
static inline uint64_t mote_spread_bits(uint64_t bits)
{
    bits = (bits | bits << 32) & UINT64_C(0x001F00000000FFFF);
    bits = (bits | bits << 16) & UINT64_C(0x001F0000FF0000FF);
    bits = (bits | bits << 8) & UINT64_C(0x100F00F00F00F00F);
    bits = (bits | bits << 4) & UINT64_C(0x10C30C30C30C30C3);
    return (bits | bits << 2) & UINT64_C(0x1249249249249249);
}

// Numbers of the caller's, which may lie at any address: points are packed among other data, at any stride.
MOTE_INLINE float mote_load_f32(const void *at)
{
    float value;
    memcpy(&value, at, sizeof value);
    return value;
}

// The number as a float holds it. By way of memory: where several of them follow each other, gcc 12 goes on with the
// doubles as they were (its vectorizer of straight code takes both conversions for none).
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
