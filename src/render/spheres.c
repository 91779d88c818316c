// Spheres as impostors: a quad each, on which the fragment shader finds where its ray meets the sphere.
//
// A vertex is a centre and a colour, the same four times; the corner follows from the vertex's number. Quads are drawn
// in batches that 16-bit indices reach, all through one index buffer.

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
    PIECE = 4096,             // spheres uploaded at a time
    SHADES = 1024
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

void mote_spheres_destroy(mote_spheres *spheres)
{
    glDeleteVertexArrays(1, &spheres->array);
    glDeleteBuffers(1, &spheres->vertices);
    glDeleteBuffers(1, &spheres->indices);
}

// The colours of even steps from speed_min to speed_max, and the one of a number that is none.
static void tabulate_colours(uint8_t shades[SHADES + 1][4])
{
    for (int i = 0; i <= SHADES; ++i) {
        double rgb[3];
        mote_colormap_surf(i < SHADES ? (double)i / (SHADES - 1) : NAN, rgb);
        for (int k = 0; k < 3; ++k) shades[i][k] = (uint8_t)(rgb[k] * 255 + 0.5);
        shades[i][3] = 255;
    }
}

static size_t shade_of(const mote_render_def *def, double value)
{
    double range = def->speed_max - def->speed_min, t = (value - def->speed_min) / range;
    if (isnan(t)) return SHADES;
    return (size_t)((t < 0 ? 0 : t > 1 ? 1 : t) * (SHADES - 1) + 0.5);
}

// Writes the spheres of points begin … end − 1 and returns how many there are.
static size_t fill_piece(vertex *out, const mote_camera *camera, const mote_render_def *def,
                         const mote_picture *picture, uint8_t shades[SHADES + 1][4], size_t begin, size_t end)
{
    const double origin[3] = {camera->origin.x, camera->origin.y, camera->origin.z};
    size_t count = 0;
    for (size_t i = begin; i < end; ++i) {
        vertex made;
        bool finite = true;
        for (int k = 0; k < 3; ++k) {
            double x = mote_points_get(&picture->points, i, k) - origin[k];
            finite = finite && fabs(x) <= FLT_MAX;
            made.centre[k] = finite ? (float)x : 0;
        }
        if (!finite) continue;
        float value = 0;
        const char *at = (const char *)picture->scalars;
        if (at) memcpy(&value, at + (ptrdiff_t)i * picture->scalar_stride, sizeof value);
        memcpy(made.colour, shades[at ? shade_of(def, value) : 0], sizeof made.colour);
        for (int corner = 0; corner < CORNERS; ++corner) out[count * CORNERS + (size_t)corner] = made;
        ++count;
    }
    return count;
}

mote_result mote_spheres_upload(mote_spheres *spheres, const mote_context *context, const mote_camera *camera,
                                const mote_render_def *def, const mote_picture *picture, mote_error *error)
{
    const size_t sphere_bytes = CORNERS * sizeof(vertex);
    size_t count = picture->points.count;
    spheres->count = 0;
    glBindBuffer(GL_ARRAY_BUFFER, spheres->vertices);
    if (spheres->room < count) {
        size_t room = count + count / 8;
        glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(room * sphere_bytes), NULL, GL_DYNAMIC_DRAW);
        spheres->room = 0;
        mote_result result = mote_gl_check("memory for the particles", error);
        if (result != MOTE_OK) return result;
        spheres->room = room;
    }
    uint8_t shades[SHADES + 1][4];
    tabulate_colours(shades);
    size_t piece_bytes = PIECE * sphere_bytes;
    vertex *piece = mote_allocate(context, piece_bytes);
    if (!piece) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "no memory to copy particles");
    for (size_t begin = 0; begin < count; begin += PIECE) {
        size_t end = MOTE_MIN(begin + PIECE, count);
        size_t made = fill_piece(piece, camera, def, picture, shades, begin, end);
        glBufferSubData(GL_ARRAY_BUFFER, (GLintptr)(spheres->count * sphere_bytes), (GLsizeiptr)(made * sphere_bytes),
                        piece);
        spheres->count += made;
    }
    mote_release(context, piece, piece_bytes);
    return MOTE_OK;
}

void mote_spheres_draw(const mote_spheres *spheres)
{
    glBindVertexArray(spheres->array);
    for (size_t first = 0; first < spheres->count; first += BATCH) {
        size_t count = MOTE_MIN(spheres->count - first, (size_t)BATCH);
        glDrawElementsBaseVertex(GL_TRIANGLES, (GLsizei)(count * QUAD_INDICES), GL_UNSIGNED_SHORT, NULL,
                                 (GLint)(first * CORNERS));
    }
    glBindVertexArray(0);
}
