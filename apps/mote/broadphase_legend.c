// SPDX-License-Identifier: MIT
// The legend of a picture of boxes and cells: a strip of colours and their meanings, in letters of five by seven
// dots; only the letters that are needed are included.

#include <math.h>
#include <string.h>

#include "app.h"
#include "broadphase.h"

enum { DOT = 2, ROW = 24, LETTER = 6 * DOT, EDGE = 16, SWATCH = 14 };

typedef struct glyph {
    char letter;
    uint8_t rows[7];  // the uppermost first, the leftmost dot in bit 4
} glyph;

static const glyph glyphs[] = {
    {'0', {0x0E, 0x11, 0x13, 0x15, 0x19, 0x11, 0x0E}},
    {'1', {0x04, 0x0C, 0x04, 0x04, 0x04, 0x04, 0x0E}},
    {'2', {0x0E, 0x11, 0x01, 0x06, 0x08, 0x10, 0x1F}},
    {'3', {0x0E, 0x11, 0x01, 0x06, 0x01, 0x11, 0x0E}},
    {'4', {0x02, 0x06, 0x0A, 0x12, 0x1F, 0x02, 0x02}},
    {'5', {0x1F, 0x10, 0x1E, 0x01, 0x01, 0x11, 0x0E}},
    {'6', {0x06, 0x08, 0x10, 0x1E, 0x11, 0x11, 0x0E}},
    {'7', {0x1F, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08}},
    {'8', {0x0E, 0x11, 0x11, 0x0E, 0x11, 0x11, 0x0E}},
    {'9', {0x0E, 0x11, 0x11, 0x0F, 0x01, 0x02, 0x0C}},
    {'-', {0x00, 0x00, 0x00, 0x1F, 0x00, 0x00, 0x00}},
    {'+', {0x00, 0x04, 0x04, 0x1F, 0x04, 0x04, 0x00}},
    {'.', {0x00, 0x00, 0x00, 0x00, 0x00, 0x0C, 0x0C}},
    {'b', {0x10, 0x10, 0x1E, 0x11, 0x11, 0x11, 0x1E}},
    {'c', {0x00, 0x00, 0x0E, 0x10, 0x10, 0x11, 0x0E}},
    {'d', {0x01, 0x01, 0x0F, 0x11, 0x11, 0x11, 0x0F}},
    {'e', {0x00, 0x00, 0x0E, 0x11, 0x1F, 0x10, 0x0E}},
    {'f', {0x06, 0x09, 0x08, 0x1C, 0x08, 0x08, 0x08}},
    {'g', {0x00, 0x0F, 0x11, 0x11, 0x0F, 0x01, 0x0E}},
    {'h', {0x10, 0x10, 0x16, 0x19, 0x11, 0x11, 0x11}},
    {'i', {0x04, 0x00, 0x0C, 0x04, 0x04, 0x04, 0x0E}},
    {'l', {0x0C, 0x04, 0x04, 0x04, 0x04, 0x04, 0x0E}},
    {'n', {0x00, 0x00, 0x16, 0x19, 0x11, 0x11, 0x11}},
    {'o', {0x00, 0x00, 0x0E, 0x11, 0x11, 0x11, 0x0E}},
    {'p', {0x00, 0x1E, 0x11, 0x11, 0x1E, 0x10, 0x10}},
    {'s', {0x00, 0x00, 0x0E, 0x10, 0x0E, 0x01, 0x1E}},
    {'t', {0x08, 0x08, 0x1C, 0x08, 0x08, 0x09, 0x06}},
    {'x', {0x00, 0x00, 0x11, 0x0A, 0x04, 0x0A, 0x11}},
};

static void put_rectangle(const app_legend *legend, int x0, int y0, int width, int height, const uint8_t colour[3])
{
    for (int y = y0; y < y0 + height && y < legend->picture_height; ++y)
        for (int x = x0; x < x0 + width && x < legend->picture_width; ++x)
            memcpy(legend->rgb + 3 * ((size_t)y * (size_t)legend->picture_width + (size_t)x), colour, 3);
}

static void put_text(const app_legend *legend, int x, int y, const char *text)
{
    static const uint8_t white[3] = {235, 235, 235};
    for (; *text; ++text, x += LETTER)
        for (size_t g = 0; g < sizeof glyphs / sizeof *glyphs; ++g)
            for (int dot = 0; dot < 35 && glyphs[g].letter == *text; ++dot)
                if (glyphs[g].rows[dot / 5] >> (4 - dot % 5) & 1)
                    put_rectangle(legend, x + DOT * (dot % 5), y + DOT * (dot / 5), DOT, DOT, white);
}

// What a class is: depths of trees, edges of cells.
static void describe(const app_cells *cells, const mote_broadphase_cell *cell, char *text, size_t size)
{
    if (cells->are_nodes) snprintf(text, size, "depth %d", cell->class_number);
    else snprintf(text, size, "cells of %.4g", cell->max[0] - cell->min[0]);
}

// Cells come by class.
static size_t count_classes(const app_cells *cells)
{
    size_t count = 0;
    for (size_t i = 0; i < cells->count; ++i)
        count += i == 0 || cells->cells[i].class_number != cells->cells[i - 1].class_number;
    return count;
}

int app_legend_height(const app_cells *cells)
{
    return 2 * EDGE + ROW * (int)(1 + count_classes(cells));
}

void app_legend_draw(const app_legend *legend, const app_cells *cells)
{
    const int x = legend->left + EDGE, text_x = x + SWATCH + 10;
    int y = EDGE;
    size_t ordinal = 0;
    put_rectangle(legend, x, y, SWATCH, SWATCH, legend->box_colour);
    put_text(legend, text_x, y, "boxes");
    for (size_t i = 0; i < cells->count; ++i) {
        const mote_broadphase_cell *cell = &cells->cells[i];
        if (i > 0 && cell->class_number == cell[-1].class_number) continue;
        char text[32];
        describe(cells, cell, text, sizeof text);
        y += ROW;
        put_rectangle(legend, x, y, SWATCH, SWATCH, legend->colour_of(ordinal++));
        put_text(legend, text_x, y, text);
    }
}
