// What goes to the terminal, and how it looks there.

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

void app_complain(const char *format, ...)
{
    app_style style = app_style_of(stderr);
    fputs(style.red, stderr);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "%s\n", style.reset);
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

char *app_text(const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
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
    for (; *text; ++text) {
        if (*text == '"' || *text == '\\') putchar('\\');
        if ((unsigned char)*text < ' ') printf("\\u%04x", (unsigned)*text);
        else putchar(*text);
    }
    putchar('"');
}
