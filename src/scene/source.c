// SPDX-License-Identifier: MIT
// Finds the positions of values in a scene's text.
//
// jansson gives a position for syntax errors only. Once it has accepted a text, a value is found again by walking
// that text along the ordinals of its members: no position needs to be stored, and a walk happens only for a
// message.

#include <string.h>

#include "scene/internal.h"

typedef struct cursor {
    const char *text;
    size_t at, length;
} cursor;

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static char peek(cursor *walk)
{
    while (walk->at < walk->length && is_space(walk->text[walk->at])) ++walk->at;
    return walk->at < walk->length ? walk->text[walk->at] : '\0';
}

static void skip_string(cursor *walk)
{
    for (++walk->at; walk->at < walk->length && walk->text[walk->at] != '"'; ++walk->at)
        if (walk->text[walk->at] == '\\') ++walk->at;
    ++walk->at;
}

static void skip_value(cursor *walk)
{
    size_t depth = 0;
    do {
        char c = peek(walk);
        if (c == '"') {
            skip_string(walk);
        } else if (c == '{' || c == '[') {
            ++depth;
            ++walk->at;
        } else if (c == '}' || c == ']') {
            --depth;
            ++walk->at;
        } else if (c == ',' || c == ':') {
            ++walk->at;
        } else {
            while (walk->at < walk->length && !is_space(walk->text[walk->at]) &&
                   !memchr(",]}", walk->text[walk->at], 3))  // not strchr: a NUL is none of these
                ++walk->at;
        }
    } while (depth > 0 && walk->at < walk->length);
}

// Moves from the beginning of an object or list to its n-th member: to the value, or to the key.
static void descend(cursor *walk, size_t ordinal, bool stop_at_key)
{
    bool object = peek(walk) == '{';
    ++walk->at;
    for (size_t i = 0;; ++i) {
        peek(walk);
        if (object) {
            if (i == ordinal && stop_at_key) return;
            skip_string(walk);
            peek(walk);
            ++walk->at;  // the colon
            peek(walk);
        }
        if (i == ordinal || walk->at >= walk->length) return;
        skip_value(walk);
        peek(walk);
        ++walk->at;  // the comma
    }
}

static void walk_to(cursor *walk, const scene_node *node, bool stop_at_key)
{
    if (!node->parent) {
        peek(walk);
        return;
    }
    walk_to(walk, node->parent, false);
    descend(walk, node->ordinal, stop_at_key);
}

scene_span mote_source_find(const char *text, size_t length, const scene_node *node, bool key)
{
    cursor walk = {text, 0, length};
    walk_to(&walk, node, key);
    scene_span span = {walk.at, walk.at};
    if (key) skip_string(&walk);
    else skip_value(&walk);
    span.end = walk.at < length ? walk.at : length;
    return span;
}

void mote_source_line(const char *text, size_t offset, uint32_t *line, uint32_t *column)
{
    *line = *column = 1;
    for (size_t i = 0; i < offset; ++i) {
        ++*column;
        if (text[i] != '\n') continue;
        ++*line;
        *column = 1;
    }
}

// A character of a string, at its place in the text, and in the string's value.
typedef struct string_character {
    size_t length, value_length;  // bytes
    bool is_break;
} string_character;

static string_character read_character(const char *at)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    if (at[0] != '\\') return (string_character){1, 1, false};
    if (at[1] != 'u') return (string_character){2, 1, at[1] == 'n'};
    unsigned code = 0;
    for (int k = 2; k < 6; ++k) code = 16 * code + (unsigned)((strchr(digits, at[k]) - digits) % 16);
    // UTF-8; a character beyond the first 2^16 has two codes here and four bytes there.
    const bool is_half = code >= 0xD800 && code < 0xE000;
    return (string_character){6, code < 0x80 ? 1 : code < 0x800 || is_half ? 2 : 3, code == '\n'};
}

size_t mote_source_in_string(const char *text, scene_span span, uint32_t line, uint32_t column)
{
    uint32_t row = 1, byte = 1;
    size_t at = span.begin + 1;  // behind the quote
    while (at + 1 < span.end && (row < line || byte < column)) {
        const string_character next = read_character(text + at);
        at += next.length;
        byte += (uint32_t)next.value_length;
        if (!next.is_break) continue;
        ++row;
        byte = 1;
    }
    return at;
}

void mote_source_excerpt(const char *text, scene_span span, char *excerpt, size_t size)
{
    static const char ellipsis[] = "…";
    size_t written = 0, room = size - sizeof ellipsis;
    for (size_t i = span.begin; i < span.end; ++i) {
        char c = is_space(text[i]) ? ' ' : text[i];
        if (c == ' ' && written > 0 && excerpt[written - 1] == ' ') continue;
        if (written == room) {
            // Cuts no character in half: bytes 10xxxxxx continue the previous one.
            while (written > 0 && ((unsigned char)text[i] & 0xC0) == 0x80) --i, --written;
            memcpy(excerpt + written, ellipsis, sizeof ellipsis);
            return;
        }
        excerpt[written++] = c;
    }
    excerpt[written] = '\0';
}
