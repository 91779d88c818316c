// SPDX-License-Identifier: MIT
// Numbers of binary files, collected and written a page at a time.

#include <string.h>

#include "output/page.h"

void mote_page_flush(mote_page *page)
{
    mote_file_write(page->file, page->bytes, page->used);
    page->used = 0;
}

void mote_page_put(mote_page *page, uint64_t bits, size_t bytes)
{
    if (page->used + bytes > sizeof page->bytes) mote_page_flush(page);
    for (size_t k = 0; k < bytes; ++k) page->bytes[page->used++] = (unsigned char)(bits >> (8 * k));
}

void mote_page_put_f64(mote_page *page, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    mote_page_put(page, bits, sizeof bits);
}

void mote_page_put_f32(mote_page *page, double value)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    mote_page_put(page, bits, sizeof bits);
}
