// SPDX-License-Identifier: MIT
// render/passes.h: the object of mote_render, and the passes that draw a frame.
#ifndef MOTE_RENDER_PASSES_H
#define MOTE_RENDER_PASSES_H

#include "render/internal.h"

struct mote_render {
    mote_context *context;
    mote_render_def def;  // resolved; its strings are in `words`
    mote_buffer words;
    mote_gl_context gl;
    mote_text *text;
    char device[160];

    mote_camera camera, sun_camera;
    mote_vec3 sun;  // direction towards the sun
    bool frames_box;   // the renderer chooses the camera
    mote_box framed;   // the box that it frames: the def's box, and what the latest picture adds
    mote_vec3 middle;  // of that box, in OpenGL's coordinates
    double extent;  // half its diagonal [m]
    double reach;   // of ambient occlusion [m]
    double grid;    // distance of the floor's lines [m]
    float view_to_light[16], view_to_world[16];

    GLuint programs[MOTE_PASS_COUNT];
    GLuint empty_array;  // for the pass that needs no vertices
    GLuint shadow_map, albedo, normals, depth, occlusion, picture;
    GLuint to_shadow_map, to_geometry, to_occlusion, to_picture;  // framebuffers
    // Solids and floor in shadow map and geometry: they are drawn once, and copied to each frame until one of them
    // changes.
    GLuint still_shadow_map, still_albedo, still_normals, still_depth;
    GLuint to_still_shadow_map, to_still_geometry;
    bool still_is_drawn;
    GLuint glass, to_glass;  // samples of meshes that are not opaque, over the geometry's depth; 0 before the first

    // Samples of clear liquids: the nearest surface (normal with the refractive index, depth), absorption and length of
    // the way of light through all, seen from the eye and from the sun; and the picture behind. 0 before the first.
    GLuint water_normals, water_depth, water_way, water_whole, water_shade, behind;
    GLuint to_water_front, to_water_way, to_water_shade, to_behind;

    mote_spheres spheres;
    mote_liquids liquids;
    mote_lines lines;
    mote_solid floor;
    mote_buffer solids;  // mote_solid[solid_count]
    size_t solid_count;
    mote_buffer walls;   // room for mote_wall[2 solid_count]
};

// One side of a mesh of glass: its triangles that face the viewer, or the others.
typedef struct mote_wall {
    double depth;  // along the view, from the eye: of its nearest or farthest place
    size_t solid;
    bool is_front;
} mote_wall;

// Creates programs, textures and framebuffers; after a failure mote_passes_destroy releases what was made.
mote_result mote_passes_create(mote_render *render, mote_error *error);
void mote_passes_destroy(mote_render *render);

// Applies changes of camera, sun and extent.
void mote_passes_aim(mote_render *render);

// Draws spheres and liquids (uploaded before), solids, floor and tank, into render->picture.
void mote_passes_draw(mote_render *render);

// What passes share: making one current with the camera of the pass, or with that and the light; drawing over a whole
// picture; the framebuffer of samples; copying framebuffers.
GLuint mote_pass_use(const mote_render *render, mote_pass pass, const mote_camera *camera);
GLuint mote_pass_use_light(const mote_render *render, mote_pass pass);
void mote_pass_fill(const mote_render *render, GLuint framebuffer, int width, int height);
void mote_pass_set_up_samples(const mote_render *render, GLuint framebuffer);
void mote_framebuffer_copy(GLuint from, GLuint to, int width, int height, int colours);
void mote_pass_draw_lines(const mote_render *render, mote_pass pass, GLuint depths);

enum { MOTE_SHADOW_MAP_SIZE = 1024 };

// Draws clear liquids over render->picture (water.c).
void mote_water_draw(mote_render *render);
void mote_water_destroy(mote_render *render);

#endif
