// SPDX-License-Identifier: MIT
// output/page.h: numbers of binary files, little-endian whatever the machine's own byte order, a page at a time.
#ifndef MOTE_OUTPUT_PAGE_H
#define MOTE_OUTPUT_PAGE_H

#include "output/internal.h"

// The caller sets `file`; the rest is 0.
typedef struct mote_page {
    mote_file *file;
    size_t used;
    unsigned char bytes[1 << 14];
} mote_page;

// The lowest `bytes` bytes of a number, 8 at most.
void mote_page_put(mote_page *page, uint64_t bits, size_t bytes);
void mote_page_put_f64(mote_page *page, double value);
void mote_page_put_f32(mote_page *page, double value);
// Writes the remaining bytes: call it once, at the end.
void mote_page_flush(mote_page *page);

#endif
