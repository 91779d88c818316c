// SPDX-License-Identifier: MIT
// Draws text into a picture with FreeType.

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_MODULE_H

#include <string.h>

#include "base/sized.h"
#include "render/internal.h"

struct mote_text {
    const mote_context *context;
    struct FT_MemoryRec_ memory;
    FT_Library library;
    FT_Face face;
    bool starved;  // an allocation has failed
};

// Usual paths of the font: Debian, Arch, Fedora, openSUSE and others, and manual installation.
static const char *const usual_places[] = {
    "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
    "/usr/share/fonts/TTF/DejaVuSans.ttf",
    "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",
    "/usr/share/fonts/truetype/DejaVuSans.ttf",
    "/usr/share/fonts/dejavu/DejaVuSans.ttf",
    "/usr/local/share/fonts/DejaVuSans.ttf",
};

static void *allocate(FT_Memory memory, long bytes)
{
    mote_text *text = memory->user;
    void *block = mote_sized_allocate(text->context, (size_t)bytes);
    text->starved |= !block;
    return block;
}

static void *resize(FT_Memory memory, long held, long bytes, void *block)
{
    (void)held;
    mote_text *text = memory->user;
    void *moved = mote_sized_resize(text->context, block, (size_t)bytes);
    text->starved |= !moved;
    return moved;
}

static void release(FT_Memory memory, void *block)
{
    const mote_text *text = memory->user;
    mote_sized_release(text->context, block);
}

static FT_Error open_face(mote_text *text, const char *font)
{
    if (font && *font) return FT_New_Face(text->library, font, 0, &text->face);
    FT_Error result = FT_Err_Cannot_Open_Resource;
    for (size_t i = 0; i < sizeof usual_places / sizeof usual_places[0]; ++i) {
        result = FT_New_Face(text->library, usual_places[i], 0, &text->face);
        if (result == FT_Err_Ok || text->starved) break;
    }
    return result;
}

static mote_result open_library(mote_text *text, const char *font, bool *found, mote_error *error)
{
    FT_Error failed = FT_New_Library(&text->memory, &text->library);
    if (!failed) {
        FT_Add_Default_Modules(text->library);
        failed = open_face(text, font);
    }
    *found = !failed && !text->starved;
    if (text->starved) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "no memory for a font");
    if (failed && font && *font) return mote_fail(error, MOTE_ERROR_FILE, 0,
                         "picture: font is \"%.150s\", expected a TrueType file that can be read", font);
    return MOTE_OK;
}

mote_result mote_text_create(const mote_context *context, const char *font, mote_text **text, mote_error *error)
{
    *text = NULL;
    mote_text *made = mote_allocate(context, sizeof *made);
    if (!made) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "no memory for a font");
    memset(made, 0, sizeof *made);
    made->context = context;
    made->memory = (struct FT_MemoryRec_){made, allocate, release, resize};
    bool found = false;
    mote_result result = open_library(made, font, &found, error);
    if (found)
        *text = made;
    else
        mote_text_destroy(made);
    return result;
}

void mote_text_destroy(mote_text *text)
{
    if (!text) return;
    if (text->library) FT_Done_Library(text->library);
    mote_release(text->context, text, sizeof *text);
}

// The next character of UTF-8 text; bytes that are not UTF-8 count as one character each.
static FT_ULong next_character(const char **at)
{
    const unsigned char *p = (const unsigned char *)*at;
    int more = p[0] >= 0xF0 ? 3 : p[0] >= 0xE0 ? 2 : p[0] >= 0xC0 ? 1 : 0;
    FT_ULong code = more == 3 ? p[0] & 0x07u : more == 2 ? p[0] & 0x0Fu : more == 1 ? p[0] & 0x1Fu : p[0];
    for (int k = 1; k <= more; ++k) {
        if ((p[k] & 0xC0) != 0x80) {
            *at += 1;
            return p[0];
        }
        code = code << 6 | (p[k] & 0x3Fu);
    }
    *at += more + 1;
    return code;
}

static void draw_glyph(const mote_image *image, const FT_GlyphSlot glyph, int x, int y, const double colour[3])
{
    const FT_Bitmap *bitmap = &glyph->bitmap;
    if (bitmap->pixel_mode != FT_PIXEL_MODE_GRAY) return;
    for (int row = 0; row < (int)bitmap->rows; ++row)
        for (int column = 0; column < (int)bitmap->width; ++column)
            mote_image_blend(image, x + glyph->bitmap_left + column, y - glyph->bitmap_top + row, colour,
                             bitmap->buffer[row * bitmap->pitch + column]);
}

// Walks along the text, drawing it if there is an image, and returns its width. A glyph that cannot be loaded from a
// damaged font is left out.
static int walk(mote_text *text, const mote_image *image, int x, int y, int size, const double colour[3],
                const char *words)
{
    if (FT_Set_Pixel_Sizes(text->face, 0, (FT_UInt)size)) return 0;
    FT_Pos pen = 0;  // 1/64 pixel
    FT_UInt before = 0;
    while (*words) {
        FT_UInt glyph = FT_Get_Char_Index(text->face, next_character(&words));
        FT_Vector kerning = {0, 0};
        if (before && glyph) FT_Get_Kerning(text->face, before, glyph, FT_KERNING_DEFAULT, &kerning);
        before = glyph;
        if (FT_Load_Glyph(text->face, glyph, image ? FT_LOAD_RENDER | FT_LOAD_TARGET_LIGHT : FT_LOAD_TARGET_LIGHT))
            continue;
        pen += kerning.x;
        if (image) draw_glyph(image, text->face->glyph, x + (int)((pen + 32) >> 6), y, colour);
        pen += text->face->glyph->advance.x;
    }
    return (int)((pen + 32) >> 6);
}

void mote_text_draw(mote_text *text, const mote_image *image, int x, int y, int size, const double colour[3],
                    const char *words)
{
    walk(text, image, x, y, size, colour, words);
}

bool mote_text_was_starved(mote_text *text)
{
    bool starved = text->starved;
    text->starved = false;
    return starved;
}

int mote_text_width(mote_text *text, int size, const char *words)
{
    return walk(text, NULL, 0, 0, size, NULL, words);
}
