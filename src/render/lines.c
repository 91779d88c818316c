// SPDX-License-Identifier: MIT
// The edges of the tank: thin, smooth lines over the lit picture, hidden by nearer surfaces.
//
// Edges are clipped and projected here; each becomes a quad a little wider than the line, so that the fragment shader
// can smooth its sides.

#include "render/internal.h"

enum { EDGES = 12, CORNERS = 6 };

typedef struct vertex {
    float x, y, z;  // normalised device coordinates
    float across;   // distance from the middle of the line [pixel]
} vertex;

void mote_lines_create(mote_lines *lines)
{
    glGenVertexArrays(1, &lines->array);
    glBindVertexArray(lines->array);
    glGenBuffers(1, &lines->vertices);
    glBindBuffer(GL_ARRAY_BUFFER, lines->vertices);
    glBufferData(GL_ARRAY_BUFFER, EDGES * CORNERS * sizeof(vertex), NULL, GL_DYNAMIC_DRAW);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, sizeof(vertex), NULL);
    glBindVertexArray(0);
}

void mote_lines_destroy(mote_lines *lines)
{
    glDeleteVertexArrays(1, &lines->array);
    glDeleteBuffers(1, &lines->vertices);
}

// From view coordinates to normalised device coordinates.
static mote_vec3 project(const mote_camera *camera, mote_vec3 p)
{
    double w = camera->orthographic ? 1 : -p.z;
    double z = (double)camera->projection[10] * p.z + (double)camera->projection[14];
    return mote_vec3_make(p.x / (camera->half_width * w), p.y / (camera->half_height * w), z / w);
}

// Cuts off the part before the near plane; false if nothing is left.
static bool clip(const mote_camera *camera, mote_vec3 *a, mote_vec3 *b)
{
    double da = -a->z - camera->near, db = -b->z - camera->near;
    if (da < 0 && db < 0) return false;
    if (da >= 0 && db >= 0) return true;
    mote_vec3 cut = mote_vec3_add_scaled(*a, mote_vec3_sub(*b, *a), da / (da - db));
    *(da < 0 ? a : b) = cut;
    return true;
}

// Writes an edge's two triangles; false if it is not visible.
static bool add_edge(const mote_camera *camera, const mote_render_def *def, mote_vec3 from, mote_vec3 to,
                     double half_width, vertex out[CORNERS])
{
    mote_vec3 a = mote_camera_view(camera, from), b = mote_camera_view(camera, to);
    if (!clip(camera, &a, &b)) return false;
    mote_vec3 ends[2] = {project(camera, a), project(camera, b)};
    double dx = (ends[1].x - ends[0].x) * def->width, dy = (ends[1].y - ends[0].y) * def->height;
    double length = sqrt(dx * dx + dy * dy);
    if (length == 0) return false;
    double reach = half_width + 1;
    static const int order[CORNERS] = {0, 1, 2, 2, 1, 3};
    for (int k = 0; k < CORNERS; ++k) {
        const mote_vec3 *end = &ends[order[k] >> 1];
        double across = order[k] & 1 ? reach : -reach;
        out[k] = (vertex){(float)(end->x - across * 2 * dy / (length * def->width)),
                          (float)(end->y + across * 2 * dx / (length * def->height)), (float)end->z, (float)across};
    }
    return true;
}

void mote_lines_draw_box(const mote_lines *lines, GLuint program, const mote_camera *camera, const mote_render_def *def)
{
    vertex vertices[EDGES * CORNERS];
    double half_width = MOTE_MAX(def->height / 900.0, 0.5);
    const mote_vec3 bound[2] = {def->box.min, def->box.max};
    int count = 0;
    for (int corner = 0; corner < 8; ++corner)
        for (int axis = 0; axis < 3; ++axis) {
            int other = corner | 1 << axis;
            if (other == corner || (def->dimensions == 2 && (axis == 1 || corner & 2))) continue;
            mote_vec3 from = {bound[corner & 1].x, bound[corner >> 1 & 1].y, bound[corner >> 2].z};
            mote_vec3 to = {bound[other & 1].x, bound[other >> 1 & 1].y, bound[other >> 2].z};
            if (add_edge(camera, def, from, to, half_width, vertices + count * CORNERS)) ++count;
        }
    glBindVertexArray(lines->array);
    glBindBuffer(GL_ARRAY_BUFFER, lines->vertices);
    glBufferSubData(GL_ARRAY_BUFFER, 0, (GLsizeiptr)((size_t)count * CORNERS * sizeof(vertex)), vertices);
    mote_gl_set_float(program, "half_width", half_width);
    glDrawArrays(GL_TRIANGLES, 0, count * CORNERS);
    glBindVertexArray(0);
}
