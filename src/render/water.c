// SPDX-License-Identifier: MIT
// Clear liquids, drawn over the picture of everything opaque.
//
// First the shadow that they cast, coloured by the light that they let through; then, for every sample, the nearest
// surface and the way of light through all of them; at last their colours, for which the picture so far is what lies
// behind.

#include "render/passes.h"

static void create(mote_render *render)
{
    const int width = render->def.width, height = render->def.height, samples = render->def.samples;
    const int across = width * samples, down = height * samples, map = MOTE_SHADOW_MAP_SIZE;
    render->water_normals = mote_gl_texture(GL_RGBA16F, GL_RGBA, GL_FLOAT, across, down);
    render->water_depth = mote_gl_texture(GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, GL_FLOAT, across, down);
    render->water_way = mote_gl_texture(GL_RGBA32F, GL_RGBA, GL_FLOAT, across, down);
    render->water_whole = mote_gl_texture(GL_RGBA32F, GL_RGBA, GL_FLOAT, across, down);
    render->water_shade = mote_gl_texture(GL_RGBA32F, GL_RGBA, GL_FLOAT, map, map);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    render->behind = mote_gl_texture(GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, width, height);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    render->to_water_front = mote_gl_framebuffer(render->water_normals, 0, render->water_depth);
    render->to_water_way = mote_gl_framebuffer(render->water_way, render->water_whole, 0);
    render->to_water_shade = mote_gl_framebuffer(render->water_shade, 0, 0);
    render->to_behind = mote_gl_framebuffer(render->behind, 0, 0);
}

void mote_water_destroy(mote_render *render)
{
    const GLuint textures[] = {render->water_normals, render->water_depth, render->water_way, render->water_whole,
                               render->water_shade, render->behind};
    const GLuint framebuffers[] = {render->to_water_front, render->to_water_way, render->to_water_shade,
                                   render->to_behind};
    glDeleteTextures(sizeof textures / sizeof textures[0], textures);
    glDeleteFramebuffers(sizeof framebuffers / sizeof framebuffers[0], framebuffers);
}

static void clear_colour(void)
{
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT);
}

// Adds up the ways through all liquids. Triangles beyond the ends of the view count, too.
static void add_ways(const mote_render *render, GLuint program)
{
    const mote_liquid_mesh *meshes = render->liquids.meshes.data;
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    glEnable(GL_DEPTH_CLAMP);
    for (size_t k = 0; k < render->liquids.count; ++k) {
        if (!meshes[k].is_clear) continue;
        mote_gl_set_vec3(program, "absorption", meshes[k].absorption);
        mote_liquid_draw(&meshes[k]);
    }
    glDisable(GL_DEPTH_CLAMP);
    glDisable(GL_BLEND);
}

static void compare_depths(GLuint texture, GLint mode)
{
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, mode);
}

static void draw_shadow(const mote_render *render)
{
    glBindFramebuffer(GL_FRAMEBUFFER, render->to_water_shade);
    glViewport(0, 0, MOTE_SHADOW_MAP_SIZE, MOTE_SHADOW_MAP_SIZE);
    clear_colour();
    GLuint program = mote_pass_use(render, MOTE_PASS_WATER_THICKNESS, &render->sun_camera);
    mote_gl_set_vec2(program, "size", MOTE_SHADOW_MAP_SIZE, MOTE_SHADOW_MAP_SIZE);
    mote_gl_set_int(program, "samples", 1);
    mote_gl_set_texture(program, "depths", 0, render->shadow_map);
    compare_depths(render->shadow_map, GL_NONE);
    add_ways(render, program);
    compare_depths(render->shadow_map, GL_COMPARE_REF_TO_TEXTURE);

    program = mote_pass_use_light(render, MOTE_PASS_WATER_SHADOW);
    mote_gl_set_texture(program, "albedos", 0, render->albedo);
    mote_gl_set_texture(program, "normals", 1, render->normals);
    mote_gl_set_texture(program, "depths", 2, render->depth);
    mote_gl_set_texture(program, "shade", 3, render->water_shade);
    mote_gl_set_matrix(program, "view_to_world", render->view_to_world);
    mote_gl_set_vec2(program, "middle", render->middle.x, render->middle.y);
    mote_gl_set_float(program, "extent", render->extent);
    mote_gl_set_float(program, "reach", render->reach);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ZERO, GL_SRC_COLOR);
    mote_pass_fill(render, render->to_picture, render->def.width, render->def.height);
    glDisable(GL_BLEND);
}

// The nearest surfaces that face the viewer and are not hidden.
static void draw_front(const mote_render *render)
{
    const mote_liquid_mesh *meshes = render->liquids.meshes.data;
    const int across = render->def.width * render->def.samples, down = render->def.height * render->def.samples;
    mote_framebuffer_copy(render->to_geometry, render->to_water_front, across, down, 0);
    mote_pass_set_up_samples(render, render->to_water_front);
    glDrawBuffer(GL_COLOR_ATTACHMENT0);
    clear_colour();
    const GLuint program = mote_pass_use(render, MOTE_PASS_WATER_FRONT, &render->camera);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_CULL_FACE);
    for (size_t k = 0; k < render->liquids.count; ++k) {
        if (!meshes[k].is_clear) continue;
        mote_gl_set_float(program, "index", meshes[k].refraction);
        mote_liquid_draw(&meshes[k]);
    }
    glDisable(GL_CULL_FACE);
    glDisable(GL_DEPTH_TEST);
}

static void draw_way(const mote_render *render)
{
    mote_pass_set_up_samples(render, render->to_water_way);
    clear_colour();
    const GLuint program = mote_pass_use(render, MOTE_PASS_WATER_THICKNESS, &render->camera);
    mote_gl_set_texture(program, "depths", 0, render->depth);
    add_ways(render, program);
}

static double cloudiness_of(const mote_liquids *liquids)
{
    const mote_liquid_mesh *meshes = liquids->meshes.data;
    double most = 0;
    for (size_t k = 0; k < liquids->count; ++k)
        if (meshes[k].is_clear) most = MOTE_MAX(most, meshes[k].cloudiness);
    return most;
}

void mote_water_draw(mote_render *render)
{
    if (!render->water_normals) create(render);
    if (render->def.shadows) draw_shadow(render);
    mote_framebuffer_copy(render->to_picture, render->to_behind, render->def.width, render->def.height, 1);
    draw_front(render);
    draw_way(render);
    const GLuint program = mote_pass_use_light(render, MOTE_PASS_WATER);
    mote_gl_set_texture(program, "water", 0, render->water_normals);
    mote_gl_set_texture(program, "water_depths", 1, render->water_depth);
    mote_gl_set_texture(program, "depths", 2, render->depth);
    mote_gl_set_texture(program, "ways", 3, render->water_way);
    mote_gl_set_texture(program, "behind", 5, render->behind);
    mote_gl_set_texture(program, "wholes", 6, render->water_whole);
    mote_gl_set_vec3(program, "background", render->def.background);
    mote_gl_set_float(program, "cloudiness", cloudiness_of(&render->liquids));
    mote_pass_fill(render, render->to_picture, render->def.width, render->def.height);
    if (render->def.tank) mote_pass_draw_lines(render, MOTE_PASS_WATER_LINES, render->water_depth);
}
