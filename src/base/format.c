// SPDX-License-Identifier: MIT
// Numbers, and texts that contain numbers, formatted in the same way in every locale.
//
// The C library writes and reads numbers with the decimal separator of the host's locale. Here the C library writes
// each number separately, so that the separator can be found and replaced by a point. Around that there is a small
// form of vsnprintf, which all error texts use.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

// ---------------------------------------------------------------------------------------------------- numbers

static bool is_number_char(char c)
{
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == 'e' || c == ' ';
}

// Replaces the locale's decimal separator, which may have several bytes, by a point.
static void make_point(char *digits)
{
    char *separator = digits;
    while (*separator && is_number_char(*separator)) ++separator;
    if (!*separator) return;
    char *rest = separator;
    while (*rest && !is_number_char(*rest)) ++rest;
    *separator = '.';
    memmove(separator + 1, rest, strlen(rest) + 1);
}

// Returns "nan", "inf", "-inf", or NULL for any other value.
static const char *special_name(double value)
{
    if (value != value) return "nan";
    if (value - value == 0) return NULL;
    return value > 0 ? "inf" : "-inf";
}

size_t mote_number_text(double value, char *text, size_t size)
{
    const char *special = special_name(value);
    if (!text) size = 0;
    if (special) return (size_t)snprintf(text, size, "%s", special);
    char digits[64];
    for (int precision = 15; precision <= 17; ++precision) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value) break;  // read by the same locale that wrote it
    }
    make_point(digits);
    return (size_t)snprintf(text, size, "%s", digits);
}

// ------------------------------------------------------------------------------------------------ conversions

// The part between '%' and the letter, with '*' replaced by its value.
typedef struct conversion {
    bool left, zero;
    int width, precision;  // -1: none
    char length;           // 'l', 'q' for "ll", 'z' or 0
    char letter;
} conversion;

// The caller's memory, and the length that was written or would have been with more memory.
typedef struct writer {
    char *text;
    size_t size, length;
} writer;

static void put(writer *to, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; ++i, ++to->length)
        if (to->length + 1 < to->size) to->text[to->length] = bytes[i];
}

static void put_padded(writer *to, const conversion *how, const char *bytes, size_t count)
{
    size_t width = how->width > 0 ? (size_t)how->width : 0;
    if (how->left) put(to, bytes, count);
    for (size_t k = count; k < width; ++k) put(to, " ", 1);
    if (!how->left) put(to, bytes, count);
}

static int read_count(const char **at, va_list *arguments)
{
    int count = 0;
    if (**at == '*') {
        ++*at;
        return va_arg(*arguments, int);
    }
    for (; **at >= '0' && **at <= '9'; ++*at) count = 10 * count + (**at - '0');
    return count;
}

static conversion read_conversion(const char **at, va_list *arguments)
{
    conversion how = {.precision = -1};
    for (; **at == '-' || **at == '0'; ++*at) {
        how.left = how.left || **at == '-';
        how.zero = how.zero || **at == '0';
    }
    how.width = read_count(at, arguments);
    if (**at == '.') {
        ++*at;
        how.precision = read_count(at, arguments);
    }
    if (**at == 'l' || **at == 'z') how.length = *(*at)++;
    if (how.length == 'l' && **at == 'l') how.length = 'q', ++*at;
    how.letter = **at;
    if (how.letter) ++*at;
    return how;
}

static void put_integer(writer *to, const conversion *how, va_list *arguments)
{
    char digits[64];
    int zeros = how->zero ? MOTE_MIN(how->width, (int)sizeof digits - 1) : MOTE_MIN(how->precision, 32);
    if (how->letter == 'd') {
        long long value = how->length == 'q'   ? va_arg(*arguments, long long)
                          : how->length == 'l' ? va_arg(*arguments, long)
                          : how->length == 'z' ? (long long)va_arg(*arguments, ptrdiff_t)
                                               : va_arg(*arguments, int);
        snprintf(digits, sizeof digits, how->zero ? "%0*lld" : "%.*lld", MOTE_MAX(zeros, 1), value);
    } else {
        unsigned long long value = how->length == 'q'   ? va_arg(*arguments, unsigned long long)
                                   : how->length == 'l' ? va_arg(*arguments, unsigned long)
                                   : how->length == 'z' ? va_arg(*arguments, size_t)
                                                        : va_arg(*arguments, unsigned);
        snprintf(digits, sizeof digits, how->letter == 'x' ? "%.*llx" : "%.*llu", MOTE_MAX(zeros, 1), value);
    }
    put_padded(to, how, digits, strlen(digits));
}

static void put_real(writer *to, const conversion *how, double value)
{
    char digits[512];  // the longest output of %f has 309 digits before the point
    const char *special = special_name(value);
    int precision = how->precision < 0 ? 6 : MOTE_MIN(how->precision, 100);
    if (special) snprintf(digits, sizeof digits, "%s", special);
    else if (how->letter == 'g') snprintf(digits, sizeof digits, "%.*g", precision, value);
    else if (how->letter == 'e') snprintf(digits, sizeof digits, "%.*e", precision, value);
    else snprintf(digits, sizeof digits, "%.*f", precision, value);
    if (!special) make_point(digits);
    put_padded(to, how, digits, strlen(digits));
}

static void put_text(writer *to, const conversion *how, const char *text)
{
    size_t length = 0, most = how->precision < 0 ? SIZE_MAX : (size_t)how->precision;
    while (length < most && text[length]) ++length;
    put_padded(to, how, text, length);
}

static void put_conversion(writer *to, const conversion *how, va_list *arguments)
{
    char letter;
    switch (how->letter) {
    case 'd':
    case 'u':
    case 'x': put_integer(to, how, arguments); break;
    case 'e':
    case 'f':
    case 'g': put_real(to, how, va_arg(*arguments, double)); break;
    case 's': put_text(to, how, va_arg(*arguments, const char *)); break;
    case 'c':
        letter = (char)va_arg(*arguments, int);
        put_padded(to, how, &letter, 1);
        break;
    case '%': put(to, "%", 1); break;
    default: MOTE_ASSERT(false && "a conversion that mote_format does not know");
    }
}

size_t mote_format(char *text, size_t size, const char *format, va_list arguments)
{
    writer to = {text, size, 0};
    va_list rest;  // a copy, because the address of a parameter cannot be passed on everywhere
    va_copy(rest, arguments);
    while (*format) {
        size_t plain = strcspn(format, "%");
        put(&to, format, plain);
        format += plain;
        if (!*format) break;
        ++format;
        conversion how = read_conversion(&format, &rest);
        put_conversion(&to, &how, &rest);
    }
    va_end(rest);
    if (size > 0) text[MOTE_MIN(to.length, size - 1)] = '\0';
    return to.length;
}

size_t mote_print(char *text, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t length = mote_format(text, size, format, arguments);
    va_end(arguments);
    return length;
}
