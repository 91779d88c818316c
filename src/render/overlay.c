// SPDX-License-Identifier: MIT
// Texts drawn over a picture: title, time, label, and the legend of the colour map.

#include <math.h>
#include <stdio.h>

#include "base/elementary.h"
#include "render/internal.h"

static const double ink[3] = {0.13, 0.16, 0.20};
static const double faint_ink[3] = {0.36, 0.40, 0.45};

void mote_image_blend(const mote_image *image, int x, int y, const double colour[3], int coverage)
{
    if (x < 0 || y < 0 || x >= image->width || y >= image->height) return;
    uint8_t *pixel = image->rgb + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
    for (int k = 0; k < 3; ++k) {
        int aim = (int)(colour[k] * 255 + 0.5);
        pixel[k] = (uint8_t)((pixel[k] * (255 - coverage) + aim * coverage + 127) / 255);
    }
}

void mote_image_fill(const mote_image *image, int x, int y, int width, int height, const double colour[3])
{
    for (int row = y; row < y + height; ++row)
        for (int column = x; column < x + width; ++column) mote_image_blend(image, column, row, colour, 255);
}

// Ticks at multiples of a plain step, about four.
static double tick_step(double range)
{
    double step = mote_plain_number_above(range / 5);
    double power = mote_pow(10, floor(mote_log10(step) + 1e-9)), digit = step / power;
    return (digit < 1.1 ? 1 : digit < 2.1 ? 2 : digit < 5.1 ? 5 : 10) * power;
}

static int decimals_of(double step)
{
    int decimals = (int)ceil(-mote_log10(step) - 1e-9);
    return decimals < 0 ? 0 : decimals > 9 ? 9 : decimals;
}

// The bar lies in the upper right corner: name and unit above, ticks and numbers beneath.
static void draw_legend(mote_text *text, const mote_image *image, const mote_render_def *def, int size)
{
    int margin = size * 3 / 2, width = MOTE_MIN(size * 15, image->width / 2), height = MOTE_MAX(size * 2 / 3, 3);
    int left = image->width - 2 * margin - width, top = margin + size * 3 / 2;
    char words[128];
    bool unit = *def->scalar_unit != '\0';
    snprintf(words, sizeof words, "%s%s%s%s", def->scalar_name, unit ? " [" : "", def->scalar_unit, unit ? "]" : "");
    mote_text_draw(text, image, left, top - size / 2, size, ink, words);

    for (int x = 0; x < width; ++x) {
        double rgb[3];
        mote_colormap_surf((x + 0.5) / width, rgb);
        mote_image_fill(image, left + x, top, 1, height, rgb);
    }
    int frame = MOTE_MAX(size / 16, 1);
    mote_image_fill(image, left - frame, top - frame, width + 2 * frame, frame, faint_ink);
    mote_image_fill(image, left - frame, top + height, width + 2 * frame, frame, faint_ink);
    mote_image_fill(image, left - frame, top, frame, height, faint_ink);
    mote_image_fill(image, left + width, top, frame, height, faint_ink);

    double range = def->speed_max - def->speed_min, step = tick_step(range);
    int decimals = decimals_of(step), small = size * 7 / 8;
    for (double k = ceil(def->speed_min / step - 1e-9); k * step <= def->speed_max + 1e-9 * range; k += 1) {
        int x = left + (int)((k * step - def->speed_min) / range * width + 0.5);
        mote_image_fill(image, x - (frame + 1) / 2, top + height, frame, size / 3, faint_ink);
        mote_fixed_text(k * step, decimals, words, sizeof words);
        int half = mote_text_width(text, small, words) / 2;
        mote_text_draw(text, image, x - half, top + height + size / 3 + small * 9 / 8, small, ink, words);
    }
}

mote_result mote_overlay_draw(mote_text *text, const mote_image *image, const mote_render_def *def,
                              const mote_picture *picture, mote_error *error)
{
    int size = MOTE_MAX(image->height / 40, 8), margin = size * 3 / 2, y = margin;
    if (def->title && *def->title) {
        int large = size * 4 / 3;
        y += large;
        mote_text_draw(text, image, margin, y, large, ink, def->title);
        y += size / 2;
    }
    if (isfinite(picture->time)) {
        char number[32], words[48];
        mote_fixed_text(picture->time, 2, number, sizeof number);
        snprintf(words, sizeof words, "t = %s s", number);
        y += size;
        mote_text_draw(text, image, margin, y, size, ink, words);
        y += size / 2;
    }
    if (picture->label && *picture->label)
        mote_text_draw(text, image, margin, y + size, size, faint_ink, picture->label);
    bool has_scalars = false;
    for (size_t k = 0; k < picture->layer_count; ++k) {
        const mote_layer *layer = &picture->layers[k];
        has_scalars |= layer->scalars && !mote_layer_has_color(layer);
    }
    for (size_t k = 0; k < picture->liquid_count; ++k)
        has_scalars |= !picture->liquids[k].is_clear && picture->liquids[k].scalars;
    if (has_scalars) draw_legend(text, image, def, size);
    if (mote_text_was_starved(text)) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "no memory to write texts");
    return MOTE_OK;
}
