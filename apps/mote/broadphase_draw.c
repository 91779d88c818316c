// SPDX-License-Identifier: MIT
// Draws cells of a broad phase: as quads for ParaView, and as a picture.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "broadphase.h"

// --------------------------------------------------------------------------------------------------------- cells

static void take_cell(void *user_data, const mote_broadphase_cell *cell)
{
    app_cells *self = user_data;
    if (self->count == self->room) {
        size_t room = self->room ? 2 * self->room : 1024;
        mote_broadphase_cell *cells = realloc(self->cells, room * sizeof *cells);
        self->is_short |= !cells;
        if (!cells) return;
        self->cells = cells;
        self->room = room;
    }
    mote_broadphase_cell *copy = &self->cells[self->count++];
    *copy = *cell;
    for (int k = 0; k < 3; ++k) {
        if (isinf(copy->min[k]) || k >= self->dimensions) copy->min[k] = self->extents.min[k];
        if (isinf(copy->max[k]) || k >= self->dimensions) copy->max[k] = self->extents.max[k];
    }
}

int app_cells_collect(app_cells *cells, const mote_broadphase *broad)
{
    if (mote_broadphase_cells(broad, take_cell, cells, NULL) == MOTE_OK && !cells->is_short) return APP_DONE;
    return app_out_of_memory();
}

void app_cells_release(app_cells *cells)
{
    free(cells->cells);
    cells->cells = NULL;
}

// ----------------------------------------------------------------------------------------------------------- VTP

// Corner c of a box: bit k says whether coordinate k is the upper one. Faces go around.
static const uint8_t faces[6][4] = {{0, 1, 3, 2}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 3, 7, 5}};

typedef struct cell_quads {
    double *xyz;
    uint32_t *quads, *objects;
    int32_t *classes;
    uint8_t *parents;
} cell_quads;

static bool allocate_quads(cell_quads *quads, size_t points, size_t count)
{
    quads->xyz = malloc(3 * points * sizeof(double) + 1);
    quads->quads = malloc(4 * count * sizeof(uint32_t) + 1);
    quads->objects = malloc(count * sizeof(uint32_t) + 1);
    quads->classes = malloc(count * sizeof(int32_t) + 1);
    quads->parents = malloc(count + 1);
    return quads->xyz && quads->quads && quads->objects && quads->classes && quads->parents;
}

static void release_quads(cell_quads *quads)
{
    free(quads->xyz), free(quads->quads), free(quads->objects), free(quads->classes), free(quads->parents);
}

static void fill_quads(const app_cells *cells, const cell_quads *quads, size_t corner_count, size_t face_count)
{
    for (size_t i = 0; i < cells->count; ++i) {
        const mote_broadphase_cell *cell = &cells->cells[i];
        for (size_t c = 0; c < corner_count; ++c)
            for (size_t k = 0; k < 3; ++k)
                quads->xyz[3 * (corner_count * i + c) + k] = c >> k & 1 ? cell->max[k] : cell->min[k];
        for (size_t f = 0; f < face_count; ++f) {
            const size_t q = face_count * i + f;
            for (size_t c = 0; c < 4; ++c) quads->quads[4 * q + c] = (uint32_t)(corner_count * i + faces[f][c]);
            quads->classes[q] = cell->class_number;
            quads->objects[q] = cell->objects;
            quads->parents[q] = cell->has_children;
        }
    }
}

int app_cells_write(const app_cells *cells, mote_context *context, const char *path)
{
    const size_t corner_count = cells->dimensions == 2 ? 4 : 8, face_count = cells->dimensions == 2 ? 1 : 6;
    const size_t points = corner_count * cells->count, count = face_count * cells->count;
    cell_quads quads = {0};
    if (points > UINT32_MAX || !allocate_quads(&quads, points, count)) {
        release_quads(&quads);
        return app_out_of_memory();
    }
    fill_quads(cells, &quads, corner_count, face_count);
    const mote_array arrays[] = {mote_array_scalars("class", MOTE_ARRAY_I32, quads.classes),
                                 mote_array_scalars("objects", MOTE_ARRAY_U32, quads.objects),
                                 mote_array_scalars("has_children", MOTE_ARRAY_U8, quads.parents)};
    const mote_vtp data = {.points = mote_points_xyz_f64(quads.xyz, points),
                           .quads = quads.quads,
                           .quad_count = count,
                           .cell_arrays = arrays,
                           .cell_array_count = sizeof arrays / sizeof *arrays,
                           .time = NAN};
    mote_error error = {0};
    mote_result result = mote_vtp_write(context, path, &data, &error);
    release_quads(&quads);
    if (result == MOTE_OK) return APP_DONE;
    app_complain("mote broadphase: %s", error.text);
    return APP_FAILED;
}

// ------------------------------------------------------------------------------------------------------- picture

enum { LONG_SIDE = 1600, LEAST_SIDE = 64 };

typedef struct picture {
    int width, height;
    int drawn;            // columns that show boxes; the legend is to the right of them
    double scale, left, top;  // a point (x, y) lies at ((x − left) · scale, (top − y) · scale)
    uint8_t *rgb;
} picture;

// One colour for each class that has cells; after the last colour the first is used again.
static const uint8_t palette[][3] = {{230, 159, 0},  {86, 180, 233}, {0, 158, 115}, {240, 228, 66},
                                     {0, 114, 178}, {213, 94, 0},   {204, 121, 167}};
enum { COLOURS = sizeof palette / sizeof *palette };
static const uint8_t box_colour[3] = {255, 255, 255}, background[3] = {18, 20, 26};

// The extent of the boxes, with a margin.
static bool make_picture(picture *self, const app_extents *extents, int legend_height)
{
    double x = extents->max[0] - extents->min[0], y = extents->max[1] - extents->min[1];
    double side = x > y ? x : y;
    if (!(side > 0)) side = 1;
    const double margin = 0.03 * side;
    self->scale = LONG_SIDE / (side + 2 * margin);
    self->drawn = (int)ceil((x + 2 * margin) * self->scale);
    self->height = (int)ceil((y + 2 * margin) * self->scale);
    if (self->drawn < LEAST_SIDE) self->drawn = LEAST_SIDE;
    if (self->height < legend_height) self->height = legend_height;
    self->width = self->drawn + APP_LEGEND_WIDTH;
    self->left = 0.5 * (extents->min[0] + extents->max[0]) - 0.5 * self->drawn / self->scale;
    self->top = 0.5 * (extents->min[1] + extents->max[1]) + 0.5 * self->height / self->scale;
    const size_t pixels = (size_t)self->width * (size_t)self->height;
    self->rgb = malloc(3 * pixels);
    for (size_t p = 0; self->rgb && p < pixels; ++p) memcpy(self->rgb + 3 * p, background, 3);
    return self->rgb != NULL;
}

// The pixels from (x0, y0) to (x1, y1), as far as they are in the picture.
static void blend(picture *self, int x0, int y0, int x1, int y1, const uint8_t colour[3], int percent)
{
    for (int y = y0 < 0 ? 0 : y0; y <= y1 && y < self->height; ++y)
        for (int x = x0 < 0 ? 0 : x0; x <= x1 && x < self->drawn; ++x) {
            uint8_t *pixel = self->rgb + 3 * ((size_t)y * (size_t)self->width + (size_t)x);
            for (int k = 0; k < 3; ++k) pixel[k] = (uint8_t)((pixel[k] * (100 - percent) + colour[k] * percent) / 100);
        }
}

// A pixel's number; places outside the picture are mapped to just outside it.
static int pixel_of(double at, int size)
{
    return at < 0 ? -1 : at >= size ? size : (int)at;
}

static void draw_outline(picture *self, const double min[2], const double max[2], const uint8_t colour[3], int percent)
{
    const int x0 = pixel_of((min[0] - self->left) * self->scale, self->drawn);
    const int x1 = pixel_of((max[0] - self->left) * self->scale, self->drawn);
    const int y0 = pixel_of((self->top - max[1]) * self->scale, self->height);
    const int y1 = pixel_of((self->top - min[1]) * self->scale, self->height);
    blend(self, x0, y0, x1, y0, colour, percent);
    if (y1 > y0) blend(self, x0, y1, x1, y1, colour, percent);
    blend(self, x0, y0 + 1, x0, y1 - 1, colour, percent);
    if (x1 > x0) blend(self, x1, y0 + 1, x1, y1 - 1, colour, percent);
}

static const uint8_t *colour_of(size_t ordinal)
{
    return palette[ordinal % COLOURS];
}

// Cells are sorted by class.
static void draw_cells(picture *self, const app_cells *cells)
{
    size_t ordinal = 0;
    for (size_t i = 0; i < cells->count; ++i) {
        const mote_broadphase_cell *cell = &cells->cells[i];
        ordinal += i > 0 && cell->class_number != cell[-1].class_number;
        draw_outline(self, cell->min, cell->max, colour_of(ordinal), 70);
    }
}

static void draw_boxes(picture *self, const mote_box_data *boxes)
{
    const size_t d = (size_t)boxes->dimensions;
    for (size_t i = 0; i < boxes->count; ++i) {
        const float *at = boxes->corners + 2 * d * i;
        const double min[2] = {(double)at[0], (double)at[1]}, max[2] = {(double)at[d], (double)at[d + 1]};
        draw_outline(self, min, max, box_colour, 50);
    }
}

int app_cells_draw(const app_cells *cells, const mote_box_data *boxes, mote_context *context, const char *path)
{
    picture self = {0};
    if (!make_picture(&self, &cells->extents, app_legend_height(cells))) return app_out_of_memory();
    draw_cells(&self, cells);
    draw_boxes(&self, boxes);
    const app_legend legend = {self.rgb, self.width, self.height, self.drawn, box_colour, colour_of};
    app_legend_draw(&legend, cells);
    mote_error error = {0};
    mote_result result =
        mote_png_write(context, path, self.rgb, (uint32_t)self.width, (uint32_t)self.height, &error);
    free(self.rgb);
    if (result == MOTE_OK) return APP_DONE;
    app_complain("mote broadphase: %s", error.text);
    return APP_FAILED;
}
