// SPDX-License-Identifier: MIT
// Words of a text file, with their lines and columns, and the errors that name them.

#include <stdarg.h>
#include <string.h>

#include "import/internal.h"

mote_result mote_source_fail(const mote_source *source, uint32_t line, uint32_t column, const char *format, ...)
{
    // The end of a long path is the most useful part, and the message needs the space.
    enum { LONGEST_NAME = 100 };
    size_t length = strlen(source->name);
    const char *dots = length > LONGEST_NAME ? "..." : "";
    const char *name = source->name + (length > LONGEST_NAME ? length - LONGEST_NAME : 0);
    char message[256];
    va_list arguments;
    va_start(arguments, format);
    mote_format(message, sizeof message, format, arguments);
    va_end(arguments);
    if (line == 0) return mote_fail(source->error, MOTE_ERROR_FORMAT, 0, "%s%s: %s", dots, name, message);
    return mote_fail_at(source->error, MOTE_ERROR_FORMAT, line, column, "%s%s:%u: %s", dots, name, line, message);
}

// A line ends with LF, CR LF or CR.
static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

static void pass_line_end(mote_scanner *scanner)
{
    const char *text = scanner->source->data;
    bool two = text[scanner->at] == '\r' && scanner->at + 1 < scanner->source->size && text[scanner->at + 1] == '\n';
    scanner->at += two ? 2 : 1;
    scanner->line_start = scanner->at;
    ++scanner->line;
}

void mote_scanner_skip_line(mote_scanner *scanner)
{
    while (scanner->at < scanner->source->size && !is_line_end(scanner->source->data[scanner->at])) ++scanner->at;
}

static bool is_continuation(const mote_scanner *scanner)
{
    const char *text = scanner->source->data + scanner->at;
    return scanner->continues && *text == '\\' && scanner->at + 1 < scanner->source->size && is_line_end(text[1]);
}

static void pass_blanks(mote_scanner *scanner)
{
    for (; scanner->at < scanner->source->size; ++scanner->at) {
        char c = scanner->source->data[scanner->at];
        if (is_continuation(scanner)) {
            ++scanner->at;
            pass_line_end(scanner);
            --scanner->at;
        } else if (c != ' ' && c != '\t') {
            return;
        }
    }
}

mote_token mote_scanner_next(mote_scanner *scanner)
{
    const mote_source *source = scanner->source;
    pass_blanks(scanner);
    if (scanner->at < source->size && scanner->comment && source->data[scanner->at] == scanner->comment)
        mote_scanner_skip_line(scanner);

    mote_token token = {MOTE_TOKEN_WORD, source->data + scanner->at, 0, scanner->line,
                        (uint32_t)(scanner->at - scanner->line_start + 1)};
    if (scanner->at == source->size) {
        token.kind = MOTE_TOKEN_FILE_END;
    } else if (is_line_end(source->data[scanner->at])) {
        token.kind = MOTE_TOKEN_LINE_END;
        pass_line_end(scanner);
    } else {
        for (; scanner->at < source->size; ++scanner->at, ++token.length) {
            char c = source->data[scanner->at];
            if (c == ' ' || c == '\t' || is_line_end(c) || is_continuation(scanner)) break;
        }
    }
    return token;
}

mote_result mote_scanner_number(mote_scanner *scanner, const char *what, double *value)
{
    mote_token token = mote_scanner_next(scanner);
    if (token.kind == MOTE_TOKEN_WORD && mote_number_parse(token.text, token.length, value)) return MOTE_OK;
    return mote_token_fail(scanner->source, &token, what, "a finite number");
}

bool mote_token_is(const mote_token *token, const char *word)
{
    return token->kind == MOTE_TOKEN_WORD && token->length == strlen(word) &&
           memcmp(token->text, word, token->length) == 0;
}

enum { LONGEST_QUOTE = 32 };

// Copies the token's beginning without control characters. @return the end of the copy
static char *copy_plain(const mote_token *token, char *to)
{
    for (size_t i = 0; i < token->length && i < LONGEST_QUOTE; ++i) {
        unsigned char c = (unsigned char)token->text[i];
        *to++ = c < ' ' || c > '~' ? '?' : (char)c;
    }
    return to;
}

mote_quote mote_token_quote(const mote_token *token)
{
    mote_quote quote = {"end of line"};
    if (token->kind == MOTE_TOKEN_FILE_END) strcpy(quote.text, "end of file");
    if (token->kind != MOTE_TOKEN_WORD) return quote;
    quote.text[0] = '"';
    strcpy(copy_plain(token, quote.text + 1), token->length > LONGEST_QUOTE ? "...\"" : "\"");
    return quote;
}

mote_quote mote_token_plain(const mote_token *token)
{
    mote_quote plain;
    *copy_plain(token, plain.text) = '\0';
    return plain;
}

mote_result mote_token_fail(const mote_source *source, const mote_token *token, const char *what, const char *expected)
{
    return mote_source_fail(source, token->line, token->column, "%s is %s, expected %s", what,
                            mote_token_quote(token).text, expected);
}
