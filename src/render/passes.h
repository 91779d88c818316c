// SPDX-License-Identifier: MIT
// render/passes.h: the object behind mote_render, and the passes that draw a frame.
#ifndef MOTE_RENDER_PASSES_H
#define MOTE_RENDER_PASSES_H

#include "render/internal.h"

struct mote_render {
    mote_context *context;
    mote_render_def def;  // resolved; its texts are in `words`
    mote_buffer words;
    mote_gl_context gl;
    mote_text *text;
    char device[160];

    mote_camera camera, sun_camera;
    mote_vec3 sun;  // direction towards the sun
    bool frames_box;   // the camera is ours to place
    mote_box framed;   // what it frames: the def's box, and what the latest picture adds
    mote_vec3 middle;  // of that box, in OpenGL's coordinates
    double extent;  // half its diagonal [m]
    double reach;   // of ambient occlusion [m]
    double grid;    // distance of the floor's lines [m]
    float view_to_light[16], view_to_world[16];

    GLuint programs[MOTE_PASS_COUNT];
    GLuint empty_array;  // for the pass that needs no vertices
    GLuint shadow_map, albedo, normals, depth, occlusion, picture;
    GLuint to_shadow_map, to_geometry, to_occlusion, to_picture;  // framebuffers
    // What solids and floor leave in shadow map and geometry: drawn once, copied to each frame until one changes.
    GLuint still_shadow_map, still_albedo, still_normals, still_depth;
    GLuint to_still_shadow_map, to_still_geometry;
    bool still_is_drawn;
    GLuint glass, to_glass;  // samples of meshes that are not opaque, over the geometry's depth; 0 until there are some

    mote_spheres spheres;
    mote_lines lines;
    mote_solid floor;
    mote_buffer solids;  // mote_solid[solid_count]
    size_t solid_count;
    mote_buffer walls;   // room for mote_wall[2 solid_count]
};

// One side of a mesh of glass: those of its triangles that face the viewer, or the others.
typedef struct mote_wall {
    double depth;  // along the view, from the eye: of its nearest or farthest place
    size_t solid;
    bool is_front;
} mote_wall;

// Programs, textures, framebuffers; what was made stays for mote_passes_destroy.
mote_result mote_passes_create(mote_render *render, mote_error *error);
void mote_passes_destroy(mote_render *render);

// Takes over camera, sun and extent when they have changed.
void mote_passes_aim(mote_render *render);

// Draws spheres (uploaded before), solids, floor and tank, into render->picture.
void mote_passes_draw(mote_render *render);

#endif
