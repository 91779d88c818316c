// SPDX-License-Identifier: MIT
// Output to the terminal, and its appearance.

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "app.h"

bool app_is_terminal(FILE *stream)
{
    const char *kind = getenv("TERM");
    return isatty(fileno(stream)) && kind && strcmp(kind, "dumb") != 0;
}

int app_terminal_width(FILE *stream)
{
    struct winsize size;
    return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

app_style app_style_of(FILE *stream)
{
    static const app_style plain = {"", "", "", "", ""};
    static const app_style coloured = {"\033[1m", "\033[2m", "\033[31m", "\033[32m", "\033[0m"};
    const char *wish = getenv("NO_COLOR");  // https://no-color.org: any text but the empty one
    return app_is_terminal(stream) && !(wish && *wish) ? coloured : plain;
}

static char *format_text(const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, arguments);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

// The code point of the UTF-8 sequence at `text`, and its length; length 0 if it is invalid (RFC 3629).
static uint32_t code_point(const unsigned char *text, size_t *length)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char first = *text;
    *length = first < 0x80 ? 1 : first >= 0xF0 && first < 0xF5 ? 4 : first >= 0xE0 ? 3 : 2;
    uint32_t code = first < 0x80 ? first : first & (0x7Fu >> *length);
    if (first >= 0x80 && (first < 0xC2 || first > 0xF4)) *length = 0;
    for (size_t k = 1; k < *length; ++k) {
        if ((text[k] & 0xC0) != 0x80) *length = 0;
        else code = code << 6 | (text[k] & 0x3F);
    }
    if (*length && (code < least[*length] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))) *length = 0;
    return code;
}

// Control characters, including C1, and characters that change the direction of writing: with these a text could
// control the terminal, or appear different from what it is.
static bool is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x202A && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0x2028 || code == 0x2029;
}

void app_text_put(FILE *stream, const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        size_t length;
        const uint32_t code = code_point(at, &length);
        if (length == 0) fprintf(stream, "\\x%02x", *at++);
        else if (is_control(code)) fprintf(stream, code < 0x80 ? "\\x%02x" : "\\u%04x", (unsigned)code);
        else fwrite(at, 1, length, stream);
        at += length;
    }
}

void app_line_put(const char *label, const char *text)
{
    const app_style style = app_style_of(stdout);
    printf("%s%-11s%s ", style.bold, label, style.reset);
    app_text_put(stdout, text);
    printf("\n");
}

static bool is_silent;

void app_complain_silence(bool is_wanted)
{
    is_silent = is_wanted;
}

void app_complain(const char *format, ...)
{
    if (is_silent) return;
    app_style style = app_style_of(stderr);
    va_list arguments;
    va_start(arguments, format);
    char *text = format_text(format, arguments);
    va_end(arguments);
    fputs(style.red, stderr);
    app_text_put(stderr, text ? text : "mote: memory ran out");
    fprintf(stderr, "%s\n", style.reset);
    free(text);
}

int app_out_of_memory(void)
{
    app_complain("mote: memory ran out");
    return APP_FAILED;
}

const char *app_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

bool app_ends_with(const char *path, const char *ending)
{
    const size_t length = strlen(path), n = strlen(ending);
    return length > n && strcmp(path + length - n, ending) == 0;
}

char *app_text(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = format_text(format, arguments);
    va_end(arguments);
    return text;
}

void app_bar_print(const char *what, size_t count, size_t longest)
{
    enum { WIDTH = 50 };
    app_style style = app_style_of(stdout);
    char bar[WIDTH + 1];
    size_t length = longest ? (count * WIDTH + longest - 1) / longest : 0;
    memset(bar, '#', length);
    bar[length] = '\0';
    printf("  %13s  %s%s%s %zu\n", what, style.bold, bar, style.reset, count);
}

void app_json_print(const char *text)
{
    putchar('"');
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        size_t length;
        const uint32_t code = code_point(at, &length);
        if (code == '"' || code == '\\') putchar('\\');
        if (length == 0) printf("\\ufffd"), ++at;  // file names need not be UTF-8, but JSON must be
        else if (is_control(code)) printf("\\u%04x", (unsigned)code);
        else fwrite(at, 1, length, stdout);
        at += length;
    }
    putchar('"');
}
