// SPDX-License-Identifier: MIT
// PNG by libpng: 8-bit RGB marked as sRGB, without a time stamp, so that the same picture gives the same bytes.

#include <png.h>
#include <setjmp.h>

#include "base/sized.h"
#include "output/internal.h"

// Level 4 with the "up" filter: a third of the default's time for a few percent more bytes.
enum { LEVEL = 4 };

static png_voidp allocate(png_structp png, png_alloc_size_t bytes)
{
    return mote_sized_allocate(png_get_mem_ptr(png), bytes);
}

static void release(png_structp png, png_voidp memory)
{
    mote_sized_release(png_get_mem_ptr(png), memory);
}

static void write_bytes(png_structp png, png_bytep data, size_t bytes)
{
    mote_file_write(png_get_io_ptr(png), data, bytes);
}

// mote_file stores its failures itself.
static void flush_bytes(png_structp png)
{
    (void)png;
}

static void on_error(png_structp png, png_const_charp message)
{
    (void)message;
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
    (void)png, (void)message;
}

// False if libpng failed: memory ran out.
static bool write_image(png_structp png, png_infop info, mote_file *file, const uint8_t *rgb, uint32_t width,
                        uint32_t height)
{
    if (setjmp(png_jmpbuf(png))) return false;
    png_set_write_fn(png, file, write_bytes, flush_bytes);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_IHDR(png, info, width, height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_set_compression_level(png, LEVEL);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_UP);
    png_write_info(png, info);
    for (uint32_t y = 0; y < height; ++y) png_write_row(png, rgb + (size_t)3 * width * y);
    png_write_end(png, info);
    return true;
}

mote_result mote_png_write(mote_context *context, const char *path, const uint8_t *rgb, uint32_t width, uint32_t height,
                           mote_error *error)
{
    if (!path || !rgb) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "path or rgb is NULL");
    if (width == 0 || height == 0 || width > PNG_UINT_31_MAX / 3 || height > PNG_UINT_31_MAX)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "%s: a picture of %u x %u pixels cannot be a PNG", path, width,
                         height);
    mote_file file;
    mote_result result = mote_file_create(context, path, &file, error);
    if (result != MOTE_OK) return result;

    png_structp png =
        png_create_write_struct_2(PNG_LIBPNG_VER_STRING, NULL, on_error, on_warning, context, allocate, release);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info || !write_image(png, info, &file, rgb, width, height))
        result = mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "no memory to compress a picture");
    png_destroy_write_struct(png ? &png : NULL, info ? &info : NULL);
    return mote_file_finish(&file, result, error);
}
