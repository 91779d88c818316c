// SPDX-License-Identifier: MIT
// Prints the table of broad phases in Markdown, as docs/broadphase.md has it.

#include <stdio.h>

#include "mote/broadphase.h"

int main(void)
{
    const mote_broadphase_method_info *method;
    printf("| method | what it is | follows |\n|---|---|---|\n");
    for (size_t m = 0; (method = mote_broadphase_method_at(m)) != NULL; ++m)
        printf("| `%s` | %s | %s |\n", method->name, method->meaning, method->source);
    return 0;
}
