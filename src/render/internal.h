// SPDX-License-Identifier: MIT
// render/internal.h: the parts of a picture and their shared declarations.
//
// A frame is drawn in passes: shadow map, geometry (albedo, normal and depth of every sample), ambient occlusion at
// half the resolution, then lighting, which averages the samples of each pixel; edges of the tank; meshes of glass;
// then, on the CPU, texts and legend. Every function that calls OpenGL expects the object's context to be current.
#ifndef MOTE_RENDER_INTERNAL_H
#define MOTE_RENDER_INTERNAL_H

#include <epoxy/gl.h>
#include <math.h>

#include "base/internal.h"
#include "base/vector.h"
#include "mote/render.h"

// ----------------------------------------------------------------------------------------------------- context

// The library's own OpenGL context, without a window. Zero-initialised means none.
typedef struct mote_gl_context {
    void *display, *context, *surface;  // EGL handles; the surface only if the context needs one
} mote_gl_context;

// The context that was current before.
typedef struct mote_gl_saved {
    void *display, *context, *draw, *read;
    unsigned api;
} mote_gl_saved;

mote_result mote_gl_context_create(mote_gl_context *gl, mote_error *error);
void mote_gl_context_destroy(mote_gl_context *gl);
bool mote_gl_context_enter(const mote_gl_context *gl, mote_gl_saved *saved);
void mote_gl_context_leave(const mote_gl_context *gl, const mote_gl_saved *saved);

// ------------------------------------------------------------------------------------------------ OpenGL objects

// The sources of a pass's shaders, without the #version line. The fragment shader may have several parts.
enum { MOTE_SHADER_PARTS = 8 };
typedef struct mote_shader_text {
    const char *name, *vertex, *fragment[MOTE_SHADER_PARTS];
} mote_shader_text;

// Compiles and links a program; on failure returns 0, with the compiler's first line in `error`.
GLuint mote_gl_program(const mote_shader_text *text, mote_error *error);
// A texture without mipmaps, not repeated, unfiltered; and a framebuffer of up to two colours (0: none) and a depth.
GLuint mote_gl_texture(GLenum internal_format, GLenum format, GLenum type, int width, int height);
GLuint mote_gl_framebuffer(GLuint colour0, GLuint colour1, GLuint depth);

void mote_gl_set_int(GLuint program, const char *name, int value);
void mote_gl_set_float(GLuint program, const char *name, double value);
void mote_gl_set_vec2(GLuint program, const char *name, double x, double y);
void mote_gl_set_vec3(GLuint program, const char *name, mote_vec3 value);
void mote_gl_set_matrix(GLuint program, const char *name, const float matrix[16]);
// Binds the texture to the unit and sets the sampler to that unit.
void mote_gl_set_texture(GLuint program, const char *name, int unit, GLuint texture);

// MOTE_OK, or the error that OpenGL has reported since the last call.
mote_result mote_gl_check(const char *doing, mote_error *error);

typedef enum mote_pass {
    MOTE_PASS_SPHERES,
    MOTE_PASS_SPHERE_SHADOWS,
    MOTE_PASS_MESHES,
    MOTE_PASS_MESH_SHADOWS,
    MOTE_PASS_OCCLUSION,
    MOTE_PASS_LIGHT,
    MOTE_PASS_GLASS,
    MOTE_PASS_GLASS_PICTURE,
    MOTE_PASS_LINES,
    MOTE_PASS_SURFACES,
    MOTE_PASS_WATER_FRONT,
    MOTE_PASS_WATER_THICKNESS,
    MOTE_PASS_WATER_SHADOW,
    MOTE_PASS_WATER,
    MOTE_PASS_WATER_LINES,
    MOTE_PASS_COUNT
} mote_pass;

extern const mote_shader_text mote_shader_texts[MOTE_PASS_COUNT];

// ------------------------------------------------------------------------------------------------------ camera

// Looks along −back; right, up and back are orthonormal.
typedef struct mote_camera {
    mote_vec3 origin;  // world coordinates of OpenGL's origin
    mote_vec3 eye, right, up, back;
    bool orthographic;
    double half_width, half_height;  // tangents of half the angles of view; lengths [m] if orthographic
    double near, far;                // distances along the view [m]
    float view[16], projection[16];  // column by column, as in OpenGL
} mote_camera;

// Places the camera as the def says, or so that the box fills the picture, and fills in eye and target.
mote_result mote_camera_place(mote_camera *camera, mote_render_def *def, mote_error *error);
// Moves a camera that was placed by the box, so that another box fills the picture. The origin and the directions do
// not change; eye and target of the def do. The box must be finite and have an extent.
void mote_camera_move(mote_camera *camera, mote_render_def *def, mote_box box);
// Whether a box is finite and not empty, and more than a point.
bool mote_camera_can_frame(mote_box box);
// The sun's view of a ball, whose centre is in OpenGL's coordinates: orthographic, as wide and deep as the ball.
void mote_camera_from_light(mote_camera *camera, mote_vec3 light, mote_vec3 middle, double radius);
// View coordinates of a point of the world: x right, y up, z back.
mote_vec3 mote_camera_view(const mote_camera *camera, mote_vec3 point);

// ----------------------------------------------------------------------------------------------- spheres, meshes

// Spheres of one radius on the device.
typedef struct sphere_range {
    size_t first, count;
    double radius;
} sphere_range;

typedef struct mote_spheres {
    GLuint vertices, indices, array;
    size_t room;         // number of spheres that fit
    mote_buffer ranges;  // one per layer
    size_t range_count;
} mote_spheres;

void mote_spheres_create(mote_spheres *spheres);
void mote_spheres_destroy(mote_spheres *spheres, const mote_context *context);
// Copies centres and colours to the device, a piece at a time.
mote_result mote_spheres_upload(mote_spheres *spheres, const mote_context *context, const mote_camera *camera,
                                const mote_render_def *def, const mote_picture *picture, mote_error *error);
// @param program  in use; its uniform "radius" is set
void mote_spheres_draw(const mote_spheres *spheres, GLuint program);
// The radius of a layer's spheres.
double mote_layer_radius(const mote_render_def *def, const mote_layer *layer);
// Whether all its spheres have one colour.
static inline bool mote_layer_has_color(const mote_layer *layer)
{
    return !isnan(layer->color.x + layer->color.y + layer->color.z);
}

typedef struct mote_solid {
    GLuint vertices, indices, array;
    size_t index_count;
    mote_look_def look;  // with a colour
    mote_box box;        // around it, in OpenGL's coordinates
} mote_solid;

// Copies the mesh to the device, relative to the origin, with normals by the look's crease angle; also replaces an
// earlier mesh.
mote_result mote_solid_upload(mote_solid *solid, mote_context *context, mote_vec3 origin, const mote_mesh *mesh,
                              mote_error *error);
// A square in the plane z = height about the origin.
void mote_solid_upload_floor(mote_solid *solid, double height, double half_edge);
void mote_solid_draw(const mote_solid *solid);
void mote_solid_destroy(mote_solid *solid);

// The surface of a liquid on the device.
typedef struct mote_liquid_mesh {
    GLuint vertices, indices, array;
    size_t vertex_room, index_room, index_count;  // bytes, bytes, indices
    bool is_clear;
    mote_vec3 absorption;
    double refraction, cloudiness;
} mote_liquid_mesh;

typedef struct mote_liquids {
    mote_buffer meshes;  // mote_liquid_mesh[made]: the first `count` belong to the picture
    size_t made, count;
} mote_liquids;

// Whether the liquids of a picture can be drawn: arrays, indices, ranges.
mote_result mote_liquids_check(const mote_picture *picture, mote_error *error);
// Copies the liquids of a picture to the device.
mote_result mote_liquids_upload(mote_liquids *liquids, const mote_context *context, const mote_camera *camera,
                                const mote_render_def *def, const mote_picture *picture, mote_error *error);
bool mote_liquids_any(const mote_liquids *liquids, bool is_clear);
void mote_liquid_draw(const mote_liquid_mesh *mesh);
void mote_liquids_destroy(mote_liquids *liquids, const mote_context *context);

// The colours of equal steps from speed_min to speed_max, and the colour of NaN.
enum { MOTE_SHADES = 1024 };
void mote_shades_fill(uint8_t shades[MOTE_SHADES + 1][4]);
size_t mote_shade_of(const mote_render_def *def, double value);
void mote_set_colour(uint8_t rgba[4], mote_vec3 color);  // opaque

typedef struct mote_lines {
    GLuint vertices, array;
} mote_lines;

void mote_lines_create(mote_lines *lines);
void mote_lines_destroy(mote_lines *lines);
// Draws the edges of the def's box with the current program.
void mote_lines_draw_box(const mote_lines *lines, GLuint program, const mote_camera *camera,
                         const mote_render_def *def);

// ------------------------------------------------------------------------------------------------ image and text

// 8-bit RGB, rows from the top.
typedef struct mote_image {
    uint8_t *rgb;
    int width, height;
} mote_image;

// Blends a colour (sRGB) in with `coverage` 0 … 255. Pixels outside the image are ignored.
void mote_image_blend(const mote_image *image, int x, int y, const double colour[3], int coverage);
void mote_image_fill(const mote_image *image, int x, int y, int width, int height, const double colour[3]);

typedef struct mote_text mote_text;

// `*text` is NULL, with MOTE_OK, if no font is found and none was asked for.
mote_result mote_text_create(const mote_context *context, const char *font, mote_text **text, mote_error *error);
void mote_text_destroy(mote_text *text);
// Draws UTF-8 with its baseline's left end at (x, y), `size` pixels to the em.
void mote_text_draw(mote_text *text, const mote_image *image, int x, int y, int size, const double colour[3],
                    const char *words);
int mote_text_width(mote_text *text, int size, const char *words);

// Whether an allocation has failed since the last call.
bool mote_text_was_starved(mote_text *text);

// Title, time, label and the legend of the colour map.
mote_result mote_overlay_draw(mote_text *text, const mote_image *image, const mote_render_def *def,
                              const mote_picture *picture, mote_error *error);

// ------------------------------------------------------------------------------------------------------- numbers

// The smallest of 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8 times a power of ten that is not below the value (> 0).
double mote_plain_number_above(double value);
// A number with a fixed count of decimals (0 … 9) and a decimal point, in any locale.
void mote_fixed_text(double value, int decimals, char *text, size_t size);

#endif
