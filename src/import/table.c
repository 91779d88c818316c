// SPDX-License-Identifier: MIT
// Tables of text, read field by field: CSV, and columns separated by blanks.

#include <string.h>

#include "import/table.h"

mote_table mote_table_make(const mote_source *source)
{
    mote_table table = {.source = source, .line = 1};
    // The byte order mark that spreadsheets write.
    if (source->size >= 3 && memcmp(source->data, "\xEF\xBB\xBF", 3) == 0) table.at = 3;
    return table;
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

// Whether the line holds only numbers, some of them separated by spaces: tabs in it are then treated as spaces.
static bool has_spaced_numbers(const mote_table *table)
{
    const char *text = table->source->data;
    bool has_space = false;
    char before = '\t';
    for (size_t at = table->at; at < table->source->size && !is_line_end(text[at]); ++at) {
        const char c = text[at];
        if (c == '\0' || !strchr("0123456789+-.eE \t", c)) return false;
        if (!is_blank(c) && before == ' ' && at > table->at + 1) has_space = has_space || !is_blank(text[at - 2]);
        before = c;
    }
    return has_space;
}

// The first ',', ';' or tab outside quotes; otherwise ' ' for blanks, any number of which separate two fields.
static char find_delimiter(const mote_table *table)
{
    const char *text = table->source->data;
    bool quoted = false;
    for (size_t at = table->at; at < table->source->size && !is_line_end(text[at]); ++at) {
        if (text[at] == '"') quoted = !quoted;
        if (quoted) continue;
        if (text[at] == '\t' && has_spaced_numbers(table)) return ' ';
        if (text[at] == ',' || text[at] == ';' || text[at] == '\t') return text[at];
    }
    return ' ';
}

// Skips from a '#' to the end of its line, which is kept if the table has not begun.
static void pass_comment(mote_table *table)
{
    const char *text = table->source->data;
    const size_t begin = table->at + 1;
    while (table->at + 1 < table->source->size && !is_line_end(text[table->at + 1])) ++table->at;
    if (!table->delimiter)
        table->comment = (mote_token){MOTE_TOKEN_WORD, text + begin, table->at + 1 - begin, table->line, 1};
}

bool mote_table_line(mote_table *table)
{
    const char *text = table->source->data;
    for (; table->at < table->source->size; ++table->at) {
        char c = text[table->at];
        if (c == '#') pass_comment(table);
        else if (is_line_end(c))
            table->line += c == '\n' || table->at + 1 == table->source->size || text[table->at + 1] != '\n';
        else if (c != ' ' && (c != '\t' || table->delimiter != ' '))
            break;
    }
    if (table->at == table->source->size) return false;
    if (!table->delimiter) table->delimiter = find_delimiter(table);
    return true;
}

// A field between blanks. Blanks after the last field, and a comment there, separate nothing.
static bool next_word(mote_table *table, mote_token *field)
{
    const char *text = table->source->data;
    const size_t size = table->source->size, begin = table->at;
    size_t end = begin;
    bool quoted = false;
    for (; end < size && !is_line_end(text[end]) && (quoted || !is_blank(text[end])); ++end)
        if (text[end] == '"') quoted = !quoted;
    *field = (mote_token){MOTE_TOKEN_WORD, text + begin, end - begin, table->line, 1};
    while (end < size && is_blank(text[end])) ++end;
    if (end < size && text[end] == '#')
        while (end < size && !is_line_end(text[end])) ++end;
    table->at = end;
    return end < size && !is_line_end(text[end]);
}

static bool next_field(mote_table *table, mote_token *field)
{
    const char *text = table->source->data;
    size_t begin = table->at, end = begin;
    bool quoted = false;
    for (; end < table->source->size && !is_line_end(text[end]); ++end) {
        if (text[end] == '"') quoted = !quoted;
        else if (text[end] == table->delimiter && !quoted) break;
    }
    bool goes_on = end < table->source->size && text[end] == table->delimiter;
    table->at = end + goes_on;
    while (begin < end && text[begin] == ' ') ++begin;
    while (begin < end && text[end - 1] == ' ') --end;
    *field = (mote_token){MOTE_TOKEN_WORD, text + begin, end - begin, table->line, 1};
    return goes_on;
}

bool mote_table_field(mote_table *table, mote_token *field)
{
    const bool goes_on = table->delimiter == ' ' ? next_word(table, field) : next_field(table, field);
    if (field->length > 1 && field->text[0] == '"' && field->text[field->length - 1] == '"') {
        field->text += 1;
        field->length -= 2;
    }
    return goes_on;
}

mote_result mote_table_fail_width(const mote_table *table, size_t fields)
{
    return mote_source_fail(table->source, table->line, 1, "%zu field%s, expected %zu as in the first line", fields,
                            fields == 1 ? "" : "s", table->columns);
}

mote_table mote_table_comment(const mote_table *table, mote_source *line)
{
    *line = *table->source;
    line->data = table->comment.length ? table->comment.text : "";
    line->size = table->comment.length;
    return (mote_table){.source = line, .line = table->comment.line};
}
