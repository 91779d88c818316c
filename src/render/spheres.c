// SPDX-License-Identifier: MIT
// Spheres as impostors: a quad for each, on which the fragment shader finds where its ray meets the sphere.
//
// A vertex consists of a centre and a colour, repeated four times; the corner follows from the vertex's number.
// Quads are drawn in batches that fit 16-bit indices, all with one index buffer.

#include <float.h>
#include <math.h>
#include <string.h>

#include "render/internal.h"

typedef struct vertex {
    float centre[3];
    uint8_t colour[4];
} vertex;

enum {
    CORNERS = 4,
    QUAD_INDICES = 6,
    BATCH = 65536 / CORNERS,  // spheres a draw call
    PIECE = 4096              // spheres uploaded at a time
};

void mote_spheres_create(mote_spheres *spheres)
{
    *spheres = (mote_spheres){0};
    glGenVertexArrays(1, &spheres->array);
    glBindVertexArray(spheres->array);
    glGenBuffers(1, &spheres->vertices);
    glBindBuffer(GL_ARRAY_BUFFER, spheres->vertices);
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(1);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, sizeof(vertex), (const void *)offsetof(vertex, centre));
    glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, sizeof(vertex), (const void *)offsetof(vertex, colour));

    glGenBuffers(1, &spheres->indices);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, spheres->indices);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, BATCH * QUAD_INDICES * sizeof(uint16_t), NULL, GL_STATIC_DRAW);
    static const uint16_t corners[QUAD_INDICES] = {0, 1, 2, 2, 1, 3};
    uint16_t piece[QUAD_INDICES * 256];
    for (size_t first = 0; first < BATCH; first += 256) {
        for (size_t i = 0; i < QUAD_INDICES * 256; ++i)
            piece[i] = (uint16_t)((first + i / QUAD_INDICES) * CORNERS + corners[i % QUAD_INDICES]);
        glBufferSubData(GL_ELEMENT_ARRAY_BUFFER, (GLintptr)(first * QUAD_INDICES * sizeof(uint16_t)), sizeof piece,
                        piece);
    }
    glBindVertexArray(0);
}

void mote_spheres_destroy(mote_spheres *spheres, const mote_context *context)
{
    mote_buffer_release(context, &spheres->ranges);
    glDeleteVertexArrays(1, &spheres->array);
    glDeleteBuffers(1, &spheres->vertices);
    glDeleteBuffers(1, &spheres->indices);
}

void mote_shades_fill(uint8_t shades[MOTE_SHADES + 1][4])
{
    for (int i = 0; i <= MOTE_SHADES; ++i) {
        double rgb[3];
        mote_colormap_surf(i < MOTE_SHADES ? (double)i / (MOTE_SHADES - 1) : NAN, rgb);
        for (int k = 0; k < 3; ++k) shades[i][k] = (uint8_t)(rgb[k] * 255 + 0.5);
        shades[i][3] = 255;
    }
}

size_t mote_shade_of(const mote_render_def *def, double value)
{
    double range = def->speed_max - def->speed_min, t = (value - def->speed_min) / range;
    if (isnan(t)) return MOTE_SHADES;
    return (size_t)((t < 0 ? 0 : t > 1 ? 1 : t) * (MOTE_SHADES - 1) + 0.5);
}

static uint8_t byte_of(double share)
{
    return (uint8_t)(MOTE_MIN(MOTE_MAX(share, 0), 1) * 255 + 0.5);
}

void mote_set_colour(uint8_t rgba[4], mote_vec3 color)
{
    rgba[0] = byte_of(color.x), rgba[1] = byte_of(color.y), rgba[2] = byte_of(color.z), rgba[3] = 255;
}

// Writes the spheres of points begin … end − 1 and returns how many there are.
static size_t fill_piece(vertex *out, const mote_camera *camera, const mote_render_def *def,
                         const mote_layer *layer, uint8_t shades[MOTE_SHADES + 1][4], size_t begin, size_t end)
{
    const double origin[3] = {camera->origin.x, camera->origin.y, camera->origin.z};
    const bool has_color = mote_layer_has_color(layer);
    size_t count = 0;
    for (size_t i = begin; i < end; ++i) {
        vertex made;
        bool finite = true;
        for (int k = 0; k < 3; ++k) {
            double x = mote_points_get(&layer->points, i, k) - origin[k];
            finite = finite && fabs(x) <= FLT_MAX;
            made.centre[k] = finite ? (float)x : 0;
        }
        if (!finite) continue;
        float value = 0;
        const char *at = (const char *)layer->scalars;
        if (at) memcpy(&value, at + (ptrdiff_t)i * layer->scalar_stride, sizeof value);
        memcpy(made.colour, shades[at ? mote_shade_of(def, value) : 0], sizeof made.colour);
        if (has_color) mote_set_colour(made.colour, layer->color);
        for (int corner = 0; corner < CORNERS; ++corner) out[count * CORNERS + (size_t)corner] = made;
        ++count;
    }
    return count;
}

static mote_result reserve(mote_spheres *spheres, const mote_context *context, const mote_picture *picture,
                           mote_error *error)
{
    size_t count = 0;
    for (size_t k = 0; k < picture->layer_count; ++k) count += picture->layers[k].points.count;
    if (spheres->room < count) {
        size_t room = count + count / 8;
        glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(room * CORNERS * sizeof(vertex)), NULL, GL_DYNAMIC_DRAW);
        spheres->room = 0;
        mote_result result = mote_gl_check("memory for the particles", error);
        if (result != MOTE_OK) return result;
        spheres->room = room;
    }
    const size_t bytes = mote_bytes(picture->layer_count, sizeof(sphere_range));
    if (mote_buffer_reserve(context, &spheres->ranges, bytes, 0) == MOTE_OK) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "no memory for %zu layers", picture->layer_count);
}

double mote_layer_radius(const mote_render_def *def, const mote_layer *layer)
{
    return isnan(def->particle_radius) ? layer->radius : def->particle_radius;
}

mote_result mote_spheres_upload(mote_spheres *spheres, const mote_context *context, const mote_camera *camera,
                                const mote_render_def *def, const mote_picture *picture, mote_error *error)
{
    const size_t sphere_bytes = CORNERS * sizeof(vertex), piece_bytes = PIECE * sphere_bytes;
    spheres->range_count = 0;
    glBindBuffer(GL_ARRAY_BUFFER, spheres->vertices);
    mote_result result = reserve(spheres, context, picture, error);
    if (result != MOTE_OK) return result;
    uint8_t shades[MOTE_SHADES + 1][4];
    mote_shades_fill(shades);
    vertex *piece = mote_allocate(context, piece_bytes);
    if (!piece) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "no memory to copy particles");
    size_t total = 0;
    for (size_t k = 0; k < picture->layer_count; ++k) {
        const mote_layer *layer = &picture->layers[k];
        sphere_range *range = (sphere_range *)spheres->ranges.data + spheres->range_count++;
        *range = (sphere_range){total, 0, mote_layer_radius(def, layer)};
        for (size_t begin = 0; begin < layer->points.count; begin += PIECE) {
            size_t end = MOTE_MIN(begin + PIECE, layer->points.count);
            size_t made = fill_piece(piece, camera, def, layer, shades, begin, end);
            glBufferSubData(GL_ARRAY_BUFFER, (GLintptr)(total * sphere_bytes), (GLsizeiptr)(made * sphere_bytes),
                            piece);
            range->count += made;
            total += made;
        }
    }
    mote_release(context, piece, piece_bytes);
    return MOTE_OK;
}

static void draw_range(const sphere_range *range)
{
    for (size_t done = 0; done < range->count; done += BATCH) {
        size_t count = MOTE_MIN(range->count - done, (size_t)BATCH);
        glDrawElementsBaseVertex(GL_TRIANGLES, (GLsizei)(count * QUAD_INDICES), GL_UNSIGNED_SHORT, NULL,
                                 (GLint)((range->first + done) * CORNERS));
    }
}

void mote_spheres_draw(const mote_spheres *spheres, GLuint program)
{
    const sphere_range *ranges = spheres->ranges.data;
    glBindVertexArray(spheres->array);
    for (size_t k = 0; k < spheres->range_count; ++k) {
        mote_gl_set_float(program, "radius", ranges[k].radius);
        draw_range(&ranges[k]);
    }
    glBindVertexArray(0);
}
