// Numbers and names as text, the same in every locale.

#include <stdlib.h>
#include <string.h>

#include "output/internal.h"

// printf and strtod agree on the decimal point, whatever it is; it is exchanged for '.' once the digits are found.
void mote_file_number(mote_file *file, double value)
{
    char printed[64], text[64];
    for (int digits = 15; digits <= 17; ++digits) {
        snprintf(printed, sizeof printed, "%.*g", digits, value);
        if (strtod(printed, NULL) == value) break;
    }
    size_t length = 0;
    bool in_point = false;
    for (const char *at = printed; *at; ++at) {
        bool plain = strchr("0123456789+-e", *at) != NULL;
        if (plain || !in_point) text[length++] = plain ? *at : '.';
        in_point = !plain;  // a decimal point may be several bytes
    }
    mote_file_write(file, text, length);
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
