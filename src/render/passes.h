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

    mote_spheres spheres;
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

// Draws spheres (uploaded before), solids, floor and tank, into render->picture.
void mote_passes_draw(mote_render *render);

#endif
