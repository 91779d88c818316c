// SPDX-License-Identifier: MIT
// Numbers and names as text, the same in every locale.

#include "output/internal.h"

void mote_file_number(mote_file *file, double value)
{
    char text[32];
    mote_number_text(value, text, sizeof text);
    mote_file_text(file, text);
}

void mote_file_xml(mote_file *file, const char *text)
{
    for (const char *at = text; *at; ++at) switch (*at) {
        case '&': mote_file_text(file, "&amp;"); break;
        case '<': mote_file_text(file, "&lt;"); break;
        case '>': mote_file_text(file, "&gt;"); break;
        case '"': mote_file_text(file, "&quot;"); break;
        default: mote_file_write(file, at, 1);
        }
}
