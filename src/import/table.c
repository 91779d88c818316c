// CSV, field by field.

#include <string.h>

#include "import/table.h"

mote_table mote_table_make(const mote_source *source)
{
    mote_table table = {.source = source, .line = 1};
    // The mark that spreadsheets put there.
    if (source->size >= 3 && memcmp(source->data, "\xEF\xBB\xBF", 3) == 0) table.at = 3;
    return table;
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

static char find_delimiter(const mote_table *table)
{
    const char *text = table->source->data;
    for (size_t at = table->at; at < table->source->size && !is_line_end(text[at]); ++at)
        if (text[at] == ',' || text[at] == ';' || text[at] == '\t') return text[at];
    return ',';
}

bool mote_table_line(mote_table *table)
{
    const char *text = table->source->data;
    for (; table->at < table->source->size; ++table->at) {
        char c = text[table->at];
        if (c == '#')
            while (table->at + 1 < table->source->size && !is_line_end(text[table->at + 1])) ++table->at;
        else if (is_line_end(c))
            table->line += c == '\n' || table->at + 1 == table->source->size || text[table->at + 1] != '\n';
        else if (c != ' ')
            break;
    }
    if (table->at == table->source->size) return false;
    if (!table->delimiter) table->delimiter = find_delimiter(table);
    return true;
}

bool mote_table_field(mote_table *table, mote_token *field)
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
    if (end - begin > 1 && text[begin] == '"' && text[end - 1] == '"') ++begin, --end;
    *field = (mote_token){MOTE_TOKEN_WORD, text + begin, end - begin, table->line, 1};
    return goes_on;
}
