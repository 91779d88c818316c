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
    double extent;  // half the diagonal of the box [m]
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

    mote_spheres spheres;
    mote_lines lines;
    mote_solid floor;
    mote_buffer solids;  // mote_solid[solid_count]
    size_t solid_count;
};

// Programs, textures, framebuffers; what was made stays for mote_passes_destroy.
mote_result mote_passes_create(mote_render *render, mote_error *error);
void mote_passes_destroy(mote_render *render);

// Draws spheres of that radius (uploaded before), solids, floor and tank, into render->picture.
void mote_passes_draw(mote_render *render, double radius);

#endif
