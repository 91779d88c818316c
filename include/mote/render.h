// SPDX-License-Identifier: MIT
/// mote/render.h: pictures of particles, meshes and the tank around them, without a display.
///
/// Particles are drawn as lit spheres, coloured by a number each (for example their speed), with a legend. Meshes are
/// smooth up to a crease angle, and opaque or transparent. Surfaces of liquids are drawn like water, or opaque and
/// coloured. A floor, shadows and ambient occlusion make depth visible;
/// title and time are written on top. Pictures are drawn off-screen by OpenGL 3.3 through EGL, on a graphics card or by
/// Mesa's software renderer. On one machine the same frame always gives the same bytes.
///
///     mote_render_def def = mote_render_default_def();
///     def.box = tank;                                             // the camera frames it
///     mote_render *render;
///     mote_error error;
///     if (mote_render_create(NULL, &def, &render, &error) != MOTE_OK) return 1;
///     mote_render_add_mesh(render, bunny, NULL, NULL, &error);    // NULL: with the usual look
///     mote_layer water = mote_layer_default();
///     water.points = mote_points_xyz(positions, count);
///     water.radius = 0.5 * spacing;
///     mote_picture picture = mote_picture_default();
///     picture.layers = &water, picture.layer_count = 1;
///     mote_render_frame(render, &picture, rgb, &error);           // 3 · width · height bytes
///
/// If the def does not place the camera, it shows the def's box and the box of the picture. mote_render_widen computes
/// a box with which no particle leaves the picture.
///
/// z is up. 2D simulations (in the plane y = 0, def.dimensions = 2) are seen from the front, without perspective. Use
/// mote_png_write (output.h) to write pictures to files. This header belongs to libmote-io.
#ifndef MOTE_RENDER_H
#define MOTE_RENDER_H

#include "mote/base.h"
#include "mote/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mote_render mote_render;

typedef enum mote_projection {
    MOTE_PROJECTION_AUTO,  ///< perspective in 3D, orthographic in 2D
    MOTE_PROJECTION_PERSPECTIVE,
    MOTE_PROJECTION_ORTHOGRAPHIC  ///< things at the target are as large as in perspective
} mote_projection;

/// How the liquids of a scene are drawn.
typedef enum mote_style {
    MOTE_STYLE_PARTICLES,  ///< as spheres
    MOTE_STYLE_SURFACE,    ///< by their surface, opaque and coloured
    MOTE_STYLE_WATER       ///< by their surface, clear like water
} mote_style;

/// What stays the same from picture to picture. mote_render_fields lists the fields that users set; the caller sets the
/// others.
typedef struct mote_render_def {
    int32_t width, height;            ///< [pixel]
    mote_vec3 eye;                    ///< place of the camera [m]; NaN: the box fills the picture
    mote_vec3 target;                 ///< what it looks at [m]; NaN: the middle of the box
    mote_vec3 up;                     ///< this direction points up in the picture
    double field_of_view;             ///< vertical [degree]
    int32_t projection;               ///< a mote_projection
    double speed_min;                 ///< the number with the first colour of the map
    double speed_max;                 ///< the one with the last; NaN: sqrt(2 g H), H the height of the box, rounded up
    double particle_radius;           ///< drawn radius [m]; NaN: that of each layer
    mote_vec3 background;             ///< colour, sRGB in 0 … 1
    const char *title;                ///< upper left; NULL or "": none
    bool floor, shadows, tank, text;  ///< whether each is drawn
    int32_t samples;                  ///< antialiasing: samples × samples a pixel
    const char *font;                 ///< TrueType file; NULL or "": DejaVu Sans
    int32_t style;                    ///< a mote_style, for whoever makes the layers: the renderer draws what it gets

    mote_box box;             ///< what the picture is about, usually the tank [m]
    int32_t dimensions;       ///< 2 or 3
    const char *scalar_name;  ///< in the legend: "speed"
    const char *scalar_unit;  ///< "m/s"
    uint32_t cookie;  ///< set by the default function; tells that it was called
} mote_render_def;

MOTE_API mote_render_def mote_render_default_def(void);
/// The fields of mote_render_def that a user sets, for scenes, checks and help.
MOTE_API const mote_field_table *mote_render_fields(void);

/// Checks all fields of the def except the font, and whether they fit together. Draws nothing and needs no OpenGL.
/// @param error    may be NULL; its text begins with "picture: " and the field at fault
/// @return MOTE_OK or MOTE_ERROR_ARGUMENT
MOTE_API mote_result mote_render_check(const mote_render_def *def, mote_error *error);

/// Checks the def and opens an OpenGL context. Texts of the def are copied.
/// @param error    may be NULL; names the field that is out of range, or what OpenGL lacks
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT, MOTE_ERROR_FILE (the def's font cannot be read), MOTE_ERROR_UNSUPPORTED (no
///         OpenGL 3.3; the text says what was tried) or MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_render_create(mote_context *context, const mote_render_def *def, mote_render **render,
                                        mote_error *error);
MOTE_API void mote_render_destroy(mote_render *render);

/// The def with every derived value filled in; eye and target are those of the latest picture. Its texts live as long
/// as the object.
MOTE_API mote_render_def mote_render_resolved_def(const mote_render *render);
/// The name and version of the OpenGL renderer.
MOTE_API const char *mote_render_device(const mote_render *render);
/// Whether pictures have title, time and legend; false when no font was found.
MOTE_API bool mote_render_has_text(const mote_render *render);

/// Adds a solid; its mesh is copied and may be open, non-manifold or degenerate. Both sides are lit. Transparent solids
/// are drawn last, from the farthest to the nearest, each with its back before its front. Cost O(n log n).
/// @param look     its colour, opacity, crease angle, and whether it is drawn; NULL: mote_look_default_def
/// @param index    receives its number for mote_render_update_mesh; may be NULL
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT (the error names the look's field), MOTE_ERROR_NOT_FINITE (a vertex) or
///         MOTE_ERROR_OUT_OF_MEMORY
MOTE_API mote_result mote_render_add_mesh(mote_render *render, const mote_mesh *mesh, const mote_look_def *look,
                                          uint32_t *index, mote_error *error);
/// Replaces the mesh of a solid, which keeps its look.
MOTE_API mote_result mote_render_update_mesh(mote_render *render, uint32_t index, const mote_mesh *mesh,
                                             mote_error *error);

/// Spheres of one size, for example the particles of an object. The arrays belong to the caller.
typedef struct mote_layer {
    mote_points points;       ///< centres of the spheres; those that are not finite are left out
    const float *scalars;     ///< a number each, coloured; NULL: all get the first colour
    ptrdiff_t scalar_stride;  ///< bytes from one to the next
    double radius;            ///< [m]; used unless the def has a particle_radius
    mote_vec3 color;          ///< of all spheres: red, green, blue, sRGB in 0 … 1; NaN: by scalars
} mote_layer;
MOTE_API mote_layer mote_layer_default(void);

/// The surface of a liquid. The arrays belong to the caller.
///
/// Clear liquids refract what is behind them by Snell's law, absorb light on its way through them (for each colour
/// exp(−absorption · length)), reflect sky and sun by Fresnel's equations, and cast shadows that let light through. The
/// way of light behind the first surface is straight: what is seen through several surfaces is refracted by the nearest
/// one alone, through the thickness of all. Meshes should be closed; below an open one, the liquid goes on to the next
/// opaque thing. Others than clear ones are drawn like meshes.
typedef struct mote_liquid {
    mote_points vertices;       ///< finite, in 3D
    const mote_vec3 *normals;   ///< unit vectors, one a vertex; NULL: averaged over the triangles
    const uint32_t *triangles;  ///< three vertices each, counter-clockwise seen from outside
    size_t triangle_count;
    bool is_clear;
    mote_vec3 absorption;     ///< of clear ones: red, green, blue [1/m], at least 0; NaN: such that depths show
    double refraction;        ///< of clear ones: refractive index, 1 … 3
    double cloudiness;        ///< of clear ones, 0 … 1: light that they scatter, which shows their shape; the largest
                              ///< of a picture's liquids counts. NaN: 0.4 with the usual absorption, else 0
    const float *scalars;     ///< of others: a number a vertex, coloured as in a layer; NULL: all have one colour
    ptrdiff_t scalar_stride;  ///< bytes from one to the next
    mote_vec3 color;          ///< of others without scalars: red, green, blue, sRGB in 0 … 1
} mote_liquid;
MOTE_API mote_liquid mote_liquid_default(void);

/// What changes from picture to picture. Layers and liquids are read during the call only.
typedef struct mote_picture {
    const mote_layer *layers;
    size_t layer_count;
    const mote_liquid *liquids;
    size_t liquid_count;
    double time;              ///< [s]; NaN: not shown
    const char *label;        ///< text below the time; NULL: none
    mote_box box;             ///< also shown by the camera unless the def places it, with room for spheres whose
                              ///< centres are in it [m]; NaN: nothing
} mote_picture;
MOTE_API mote_picture mote_picture_default(void);

/// The smallest box around a given one (NaN: none) and all that a picture draws by layers and liquids. Passed from
/// picture to picture, it lets the camera move back, but never to and fro. Cost O(points).
MOTE_API mote_box mote_render_widen(mote_box box, const mote_picture *picture);

/// Draws a picture. It needs memory for two copies of points and liquids on the device, and with clear liquids for 32
/// bytes a sample. Only one thread may draw with an object
/// at a time. The OpenGL context of the thread, if it has one, is restored afterwards.
/// @param rgb   receives 3 · width · height bytes: sRGB, rows from the top down
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT, MOTE_ERROR_NOT_FINITE (a liquid's vertex), MOTE_ERROR_OUT_OF_MEMORY or
///         MOTE_ERROR_UNSUPPORTED (the context was lost)
MOTE_API mote_result mote_render_frame(mote_render *render, const mote_picture *picture, uint8_t *rgb,
                                       mote_error *error);

// ------------------------------------------------------------------------------------------------- colour map

/// The colour map "surf", from a deep blue over cyan to white. Its lightness (in Ottosson's OKLab) rises evenly, so
/// that equal steps look equal, also to colour-blind people and in grey.
/// @param t     0 … 1, clamped; NaN gives a neutral grey
/// @param rgb   receives sRGB in 0 … 1
MOTE_API void mote_colormap_surf(double t, double rgb[3]);

#ifdef __cplusplus
}
#endif

#endif
