// SPDX-License-Identifier: MIT
// Names and texts of results and of instruction sets, and how error structs are filled.

#include "base/internal.h"

const char *mote_version(void)
{
    return MOTE_VERSION;
}

const char *mote_result_name(mote_result result)
{
    switch (result) {
#define RESULT_NAME(id, text) \
    case id: return #id;
        MOTE_RESULTS(RESULT_NAME)
#undef RESULT_NAME
    case MOTE_RESULT_COUNT: break;
    }
    return "unknown result";
}

const char *mote_result_text(mote_result result)
{
    switch (result) {
#define RESULT_TEXT(id, text) \
    case id: return text;
        MOTE_RESULTS(RESULT_TEXT)
#undef RESULT_TEXT
    case MOTE_RESULT_COUNT: break;
    }
    return "unknown result";
}

const char *mote_simd_name(mote_simd simd)
{
    switch (simd) {
    case MOTE_SIMD_BEST: return "best";
    case MOTE_SIMD_PLAIN: return "plain";
    case MOTE_SIMD_AVX2: return "avx2";
    case MOTE_SIMD_AVX512: return "avx512";
    case MOTE_SIMD_128: return "simd128";
    }
    return "unknown simd";
}

static mote_result fail(mote_error *error, mote_result result, uint64_t index, uint32_t line, uint32_t column,
                        const char *format, va_list arguments)
{
    if (!error) return result;
    error->result = result;
    error->index = index;
    error->line = line;
    error->column = column;
    mote_format(error->text, sizeof error->text, format, arguments);
    return result;
}

mote_result mote_fail(mote_error *error, mote_result result, uint64_t index, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(error, result, index, 0, 0, format, arguments);
    va_end(arguments);
    return result;
}

mote_result mote_fail_at(mote_error *error, mote_result result, uint32_t line, uint32_t column, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(error, result, 0, line, column, format, arguments);
    va_end(arguments);
    return result;
}

mote_result mote_fail_null(mote_error *error, const char *module, const char *what)
{
    return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "%s: %s is NULL", module, what);
}

mote_result mote_fail_method(mote_error *error, const char *module, const char *name, const char *const *names)
{
    const char *nearest = mote_nearest_word(name, names);
    if (nearest)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "%s: method is \"%.64s\", did you mean %s?", module, name,
                         nearest);
    char known[200] = "";
    size_t length = 0;
    for (size_t k = 0; names[k] && length < sizeof known; ++k)
        length += mote_print(known + length, sizeof known - length, "%s%s", k ? ", " : "", names[k]);
    return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "%s: method is \"%.32s\", expected one of %s", module, name, known);
}

mote_result mote_pass_memory(mote_error *error, mote_result result, const char *what)
{
    if (result != MOTE_ERROR_OUT_OF_MEMORY) return result;
    return mote_fail(error, result, 0, "%s: memory, or the context's byte budget, ran out", what);
}
