// SPDX-License-Identifier: MIT
// import/table.h: a text as a table of fields, line by line: CSV, or columns separated by blanks.
#ifndef MOTE_IMPORT_TABLE_H
#define MOTE_IMPORT_TABLE_H

#include "import/internal.h"

typedef struct mote_table {
    const mote_source *source;
    size_t at;
    uint32_t line;
    char delimiter;      // 0: not known yet; ' ': blanks, any number of them
    size_t columns;      // of every line, for the reader to set
    mote_token comment;  // the last comment before the first line, without its '#'; length 0: there was none
} mote_table;

mote_table mote_table_make(const mote_source *source);

// Skips blank lines and comments, which begin with '#'. The first line decides what separates fields: ',', ';' or a
// tab, whichever comes first, otherwise blanks. False at the end of the file.
bool mote_table_line(mote_table *table);

// The next field of the line, without blanks and quotes around it. False when that was the last one of the line.
bool mote_table_field(mote_table *table, mote_token *field);

// The error of a line that has not as many fields as the first one.
mote_result mote_table_fail_width(const mote_table *table, size_t fields);

// The comment as a table of its own, which often contains the names of columns.
// @param line  receives the source of this table, and must stay valid as long as the table
mote_table mote_table_comment(const mote_table *table, mote_source *line);

#endif
