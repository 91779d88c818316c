// SPDX-License-Identifier: MIT
// The passes of a frame, in order: shadow map, geometry, occlusion and its blur, light, lines, water (water.c), glass.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/passes.h"

static const float floor_tint[4] = {1, 1, 1, 0.75f};  // alpha: the kind of surface, as the light pass reads it
static const double solid_kind = 0.5;
static const float line_tint[4] = {0.24f, 0.29f, 0.34f, 0.75f};

// a · b, column by column.
static void multiply(const float a[16], const float b[16], float product[16])
{
    for (int column = 0; column < 4; ++column)
        for (int row = 0; row < 4; ++row) {
            float sum = 0;
            for (int k = 0; k < 4; ++k) sum += a[4 * k + row] * b[4 * column + k];
            product[4 * column + row] = sum;
        }
}

static void invert_view(const mote_camera *camera, float inverse[16])
{
    const mote_vec3 columns[4] = {camera->right, camera->up, camera->back, camera->eye};
    for (int c = 0; c < 4; ++c) {
        inverse[4 * c] = (float)columns[c].x;
        inverse[4 * c + 1] = (float)columns[c].y;
        inverse[4 * c + 2] = (float)columns[c].z;
        inverse[4 * c + 3] = c == 3 ? 1.0f : 0.0f;
    }
}

static void set_up_shadow_map(void)
{
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
}

mote_result mote_passes_create(mote_render *render, mote_error *error)
{
    for (int pass = 0; pass < MOTE_PASS_COUNT; ++pass) {
        render->programs[pass] = mote_gl_program(&mote_shader_texts[pass], error);
        if (!render->programs[pass]) return MOTE_ERROR_UNSUPPORTED;
    }
    const GLenum depth = GL_DEPTH_COMPONENT32F, depths = GL_DEPTH_COMPONENT, bytes = GL_UNSIGNED_BYTE;
    int width = render->def.width, height = render->def.height, samples = render->def.samples;
    GLuint *const shadow_maps[] = {&render->shadow_map, &render->still_shadow_map};
    GLuint *const albedos[] = {&render->albedo, &render->still_albedo};
    GLuint *const normals[] = {&render->normals, &render->still_normals};
    GLuint *const geometry_depths[] = {&render->depth, &render->still_depth};
    for (int still = 0; still < 2; ++still) {
        *shadow_maps[still] = mote_gl_texture(depth, depths, GL_FLOAT, MOTE_SHADOW_MAP_SIZE, MOTE_SHADOW_MAP_SIZE);
        set_up_shadow_map();
        *albedos[still] = mote_gl_texture(GL_RGBA8, GL_RGBA, bytes, width * samples, height * samples);
        *normals[still] = mote_gl_texture(GL_RGB10_A2, GL_RGBA, bytes, width * samples, height * samples);
        *geometry_depths[still] = mote_gl_texture(depth, depths, GL_FLOAT, width * samples, height * samples);
    }
    render->occlusion = mote_gl_texture(GL_RG16F, GL_RG, GL_FLOAT, (width + 1) / 2, (height + 1) / 2);
    render->picture = mote_gl_texture(GL_RGBA8, GL_RGBA, bytes, width, height);

    render->to_shadow_map = mote_gl_framebuffer(0, 0, render->shadow_map);
    render->to_geometry = mote_gl_framebuffer(render->albedo, render->normals, render->depth);
    render->to_still_shadow_map = mote_gl_framebuffer(0, 0, render->still_shadow_map);
    render->to_still_geometry =
        mote_gl_framebuffer(render->still_albedo, render->still_normals, render->still_depth);
    render->to_occlusion = mote_gl_framebuffer(render->occlusion, 0, 0);
    render->to_picture = mote_gl_framebuffer(render->picture, 0, 0);

    glGenVertexArrays(1, &render->empty_array);
    mote_spheres_create(&render->spheres);
    mote_lines_create(&render->lines);
    mote_passes_aim(render);

    mote_result result = mote_gl_check("memory for pictures", error);
    const GLuint targets[] = {render->to_shadow_map, render->to_geometry, render->to_picture};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0] && result == MOTE_OK; ++i) {
        glBindFramebuffer(GL_FRAMEBUFFER, targets[i]);
        if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
            result = mote_fail(error, MOTE_ERROR_UNSUPPORTED, 0, "OpenGL cannot draw %d x %d pixels of %d x %d samples",
                               width, height, samples, samples);
    }
    return result;
}

void mote_passes_aim(mote_render *render)
{
    const mote_box box = render->def.box;
    const double thickness = 1e-3 * mote_vec3_length(mote_vec3_sub(box.max, box.min)) / 2;
    mote_solid_upload_floor(&render->floor, box.min.z - render->camera.origin.z - thickness,
                            6 * render->extent + mote_vec3_length(render->middle));
    float world_to_light[16];
    multiply(render->sun_camera.projection, render->sun_camera.view, world_to_light);
    invert_view(&render->camera, render->view_to_world);
    multiply(world_to_light, render->view_to_world, render->view_to_light);
    render->still_is_drawn = false;
}

void mote_passes_destroy(mote_render *render)
{
    const GLuint textures[] = {render->shadow_map,   render->albedo,       render->normals,     render->depth,
                               render->occlusion,    render->picture,      render->still_depth, render->still_albedo,
                               render->still_normals, render->still_shadow_map, render->glass};
    const GLuint framebuffers[] = {render->to_shadow_map, render->to_geometry,         render->to_occlusion,
                                   render->to_picture,    render->to_still_shadow_map, render->to_still_geometry,
                                   render->to_glass};
    glDeleteTextures(sizeof textures / sizeof textures[0], textures);
    glDeleteFramebuffers(sizeof framebuffers / sizeof framebuffers[0], framebuffers);
    for (int pass = 0; pass < MOTE_PASS_COUNT; ++pass) glDeleteProgram(render->programs[pass]);
    glDeleteVertexArrays(1, &render->empty_array);
    mote_spheres_destroy(&render->spheres, render->context);
    mote_liquids_destroy(&render->liquids, render->context);
    mote_water_destroy(render);
    mote_lines_destroy(&render->lines);
    mote_solid_destroy(&render->floor);
    for (size_t i = 0; i < render->solid_count; ++i) mote_solid_destroy((mote_solid *)render->solids.data + i);
}

// Makes a pass's program current, with the camera of the pass.
GLuint mote_pass_use(const mote_render *render, mote_pass pass, const mote_camera *camera)
{
    GLuint program = render->programs[pass];
    glUseProgram(program);
    mote_gl_set_matrix(program, "view", camera->view);
    mote_gl_set_matrix(program, "projection", camera->projection);
    mote_gl_set_int(program, "orthographic", camera->orthographic);
    mote_gl_set_vec2(program, "half_size", camera->half_width, camera->half_height);
    mote_gl_set_vec2(program, "size", render->def.width, render->def.height);
    mote_gl_set_int(program, "samples", render->def.samples);
    return program;
}

static void set_tint(GLuint program, const mote_solid *solid, double alpha)
{
    const mote_vec3 colour = solid->look.color;
    glUniform4f(glGetUniformLocation(program, "tint"), (float)colour.x, (float)colour.y, (float)colour.z, (float)alpha);
}

static void draw_solids(const mote_render *render, GLuint program)
{
    const mote_solid *solids = render->solids.data;
    for (size_t i = 0; i < render->solid_count; ++i) {
        if (!solids[i].look.visible || solids[i].look.opacity < 1) continue;
        set_tint(program, &solids[i], solid_kind);
        mote_solid_draw(&solids[i]);
    }
}

static void draw_solid_shadows(const mote_render *render, GLuint program)
{
    const mote_solid *solids = render->solids.data;
    for (size_t i = 0; i < render->solid_count; ++i) {
        if (!solids[i].look.visible) continue;
        mote_gl_set_float(program, "opacity", solids[i].look.opacity);
        mote_solid_draw(&solids[i]);
    }
}

static void set_up_shadow_pass(GLuint framebuffer)
{
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glViewport(0, 0, MOTE_SHADOW_MAP_SIZE, MOTE_SHADOW_MAP_SIZE);
    glEnable(GL_DEPTH_CLAMP);  // objects between the sun and the map cast a shadow too
}

void mote_pass_set_up_samples(const mote_render *render, GLuint framebuffer)
{
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glViewport(0, 0, render->def.width * render->def.samples, render->def.height * render->def.samples);
}

// Draws solids into the still shadow map, and solids and floor into the still geometry.
static void draw_still(const mote_render *render)
{
    if (render->def.shadows) {
        set_up_shadow_pass(render->to_still_shadow_map);
        glClear(GL_DEPTH_BUFFER_BIT);
        glEnable(GL_POLYGON_OFFSET_FILL);
        glPolygonOffset(1.5f, 4.0f);
        draw_solid_shadows(render, mote_pass_use(render, MOTE_PASS_MESH_SHADOWS, &render->sun_camera));
        glDisable(GL_POLYGON_OFFSET_FILL);
        glDisable(GL_DEPTH_CLAMP);
    }
    mote_pass_set_up_samples(render, render->to_still_geometry);
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    GLuint meshes = mote_pass_use(render, MOTE_PASS_MESHES, &render->camera);
    draw_solids(render, meshes);
    if (render->def.floor) {
        glEnable(GL_CULL_FACE);  // the floor does not hide anything from below
        glUniform4fv(glGetUniformLocation(meshes, "tint"), 1, floor_tint);
        mote_solid_draw(&render->floor);
        glDisable(GL_CULL_FACE);
    }
}

// Copies one framebuffer to another of the same kind: its depth and `colours` colours, which have to be copied
// singly.
void mote_framebuffer_copy(GLuint from, GLuint to, int width, int height, int colours)
{
    glBindFramebuffer(GL_READ_FRAMEBUFFER, from);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, to);
    glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_DEPTH_BUFFER_BIT, GL_NEAREST);
    GLenum all[2] = {GL_NONE, GL_NONE};
    for (int k = 0; k < colours; ++k) {
        GLenum one[2] = {GL_NONE, GL_NONE};
        one[k] = all[k] = GL_COLOR_ATTACHMENT0 + (GLenum)k;
        glReadBuffer(one[k]);
        glDrawBuffers(2, one);
        glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    }
    glReadBuffer(all[0]);
    glDrawBuffers(2, all);
}

// Draws liquids that are not clear.
static void draw_surfaces(const mote_render *render, GLuint program)
{
    const mote_liquid_mesh *meshes = render->liquids.meshes.data;
    glUseProgram(program);
    for (size_t k = 0; k < render->liquids.count; ++k)
        if (!meshes[k].is_clear) mote_liquid_draw(&meshes[k]);
}

static void draw_shadow_map(const mote_render *render)
{
    mote_framebuffer_copy(render->to_still_shadow_map, render->to_shadow_map, MOTE_SHADOW_MAP_SIZE,
                          MOTE_SHADOW_MAP_SIZE, 0);
    set_up_shadow_pass(render->to_shadow_map);
    mote_spheres_draw(&render->spheres, mote_pass_use(render, MOTE_PASS_SPHERE_SHADOWS, &render->sun_camera));
    if (mote_liquids_any(&render->liquids, false)) {
        const GLuint program = mote_pass_use(render, MOTE_PASS_MESH_SHADOWS, &render->sun_camera);
        mote_gl_set_float(program, "opacity", 1);
        glEnable(GL_POLYGON_OFFSET_FILL);
        glPolygonOffset(1.5f, 4.0f);
        draw_surfaces(render, program);
        glDisable(GL_POLYGON_OFFSET_FILL);
    }
    glDisable(GL_DEPTH_CLAMP);
}

static void draw_geometry(const mote_render *render)
{
    mote_framebuffer_copy(render->to_still_geometry, render->to_geometry, render->def.width * render->def.samples,
                     render->def.height * render->def.samples, 2);
    mote_pass_set_up_samples(render, render->to_geometry);
    mote_spheres_draw(&render->spheres, mote_pass_use(render, MOTE_PASS_SPHERES, &render->camera));
    if (mote_liquids_any(&render->liquids, false))
        draw_surfaces(render, mote_pass_use(render, MOTE_PASS_SURFACES, &render->camera));
}

// Draws over the whole picture with the current program.
void mote_pass_fill(const mote_render *render, GLuint framebuffer, int width, int height)
{
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glViewport(0, 0, width, height);
    glBindVertexArray(render->empty_array);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glBindVertexArray(0);
}

// In 2D, where everything lies in one plane, nothing hides the sky.
static void draw_occlusion(const mote_render *render)
{
    if (render->def.dimensions == 2) {
        glBindFramebuffer(GL_FRAMEBUFFER, render->to_occlusion);
        glClearColor(1, 0, 0, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        return;
    }
    GLuint program = mote_pass_use(render, MOTE_PASS_OCCLUSION, &render->camera);
    mote_gl_set_texture(program, "normals", 0, render->normals);
    mote_gl_set_texture(program, "depths", 1, render->depth);
    mote_gl_set_float(program, "reach", render->reach);
    mote_pass_fill(render, render->to_occlusion, (render->def.width + 1) / 2, (render->def.height + 1) / 2);
}

static mote_vec3 turn_to_view(const mote_camera *camera, mote_vec3 v)
{
    return mote_vec3_make(mote_vec3_dot(v, camera->right), mote_vec3_dot(v, camera->up),
                          mote_vec3_dot(v, camera->back));
}

// Makes a pass current that lights the surfaces it draws.
GLuint mote_pass_use_light(const mote_render *render, mote_pass pass)
{
    const mote_camera *camera = &render->camera;
    GLuint program = mote_pass_use(render, pass, camera);
    mote_gl_set_texture(program, "shadow", 4, render->shadow_map);
    mote_gl_set_matrix(program, "view_to_light", render->view_to_light);
    mote_gl_set_vec3(program, "sun", turn_to_view(camera, render->sun));
    mote_gl_set_vec3(program, "up", turn_to_view(camera, mote_vec3_make(0, 0, 1)));
    mote_gl_set_int(program, "shadows", render->def.shadows);
    mote_gl_set_float(program, "texel", 2 * render->sun_camera.half_width / MOTE_SHADOW_MAP_SIZE);
    return program;
}

static void draw_light(const mote_render *render)
{
    GLuint program = mote_pass_use_light(render, MOTE_PASS_LIGHT);
    mote_gl_set_texture(program, "albedos", 0, render->albedo);
    mote_gl_set_texture(program, "normals", 1, render->normals);
    mote_gl_set_texture(program, "depths", 2, render->depth);
    mote_gl_set_texture(program, "occlusion", 3, render->occlusion);
    mote_gl_set_matrix(program, "view_to_world", render->view_to_world);
    mote_gl_set_vec3(program, "background", render->def.background);
    mote_gl_set_vec2(program, "middle", render->middle.x, render->middle.y);
    mote_gl_set_float(program, "extent", render->extent);
    mote_gl_set_float(program, "grid", render->grid);
    mote_gl_set_float(program, "reach", render->reach);
    mote_pass_fill(render, render->to_picture, render->def.width, render->def.height);
}

void mote_pass_draw_lines(const mote_render *render, mote_pass pass, GLuint depths)
{
    GLuint program = mote_pass_use(render, pass, &render->camera);
    mote_gl_set_texture(program, "depths", 0, depths);
    mote_gl_set_texture(program, "water", 1, render->water_normals);
    glUniform4fv(glGetUniformLocation(program, "tint"), 1, line_tint);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    mote_lines_draw_box(&render->lines, program, &render->camera, &render->def);
    glDisable(GL_BLEND);
}

// Depth of the solid's box along the view: of its nearest or its farthest corner.
static double depth_of(const mote_camera *camera, mote_box box, bool nearest)
{
    const mote_vec3 middle = mote_vec3_scale(mote_vec3_add(box.min, box.max), 0.5);
    const mote_vec3 half = mote_vec3_sub(box.max, middle), back = camera->back;
    const double reach = fabs(half.x * back.x) + fabs(half.y * back.y) + fabs(half.z * back.z);
    const double depth = -mote_vec3_dot(mote_vec3_sub(middle, camera->eye), back);
    return nearest ? depth - reach : depth + reach;
}

// Farthest first; if equally far, the one that was added first, and its back before its front.
static int compare_walls(const void *a, const void *b)
{
    const mote_wall *x = a, *y = b;
    if (x->depth != y->depth) return (x->depth < y->depth) - (x->depth > y->depth);
    if (x->solid != y->solid) return (x->solid > y->solid) - (x->solid < y->solid);
    return x->is_front - y->is_front;
}

// Lists the walls of all glass in drawing order: a ball in a bottle comes after the bottle's back and before its
// front, and a bottle behind another comes completely before it.
static size_t sort_walls(const mote_render *render, mote_wall *walls)
{
    const mote_solid *solids = render->solids.data;
    size_t count = 0;
    for (size_t i = 0; i < render->solid_count; ++i) {
        const mote_look_def *look = &solids[i].look;
        if (!look->visible || look->opacity == 0 || look->opacity == 1 || solids[i].index_count == 0) continue;
        for (int front = 0; front < 2; ++front)
            walls[count++] = (mote_wall){depth_of(&render->camera, solids[i].box, front), i, front};
    }
    if (count) qsort(walls, count, sizeof *walls, compare_walls);
    return count;
}

static void create_glass(mote_render *render)
{
    render->glass = mote_gl_texture(GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, render->def.width * render->def.samples,
                                    render->def.height * render->def.samples);
    render->to_glass = mote_gl_framebuffer(render->glass, 0, render->depth);
}

// Draws the walls over each other into an empty picture of samples, hidden by nearer opaque surfaces; then over the
// picture.
static void draw_glass(mote_render *render)
{
    mote_wall *walls = render->walls.data;
    const mote_solid *solids = render->solids.data;
    const size_t count = sort_walls(render, walls);
    if (count == 0) return;
    if (!render->glass) create_glass(render);
    mote_pass_set_up_samples(render, render->to_glass);
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT);
    GLuint program = mote_pass_use_light(render, MOTE_PASS_GLASS);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glEnable(GL_DEPTH_TEST);
    glDepthMask(GL_FALSE);
    glEnable(GL_CULL_FACE);
    for (size_t i = 0; i < count; ++i) {
        const mote_solid *solid = &solids[walls[i].solid];
        glCullFace(walls[i].is_front ? GL_BACK : GL_FRONT);
        set_tint(program, solid, solid->look.opacity);
        mote_solid_draw(solid);
    }
    glCullFace(GL_BACK);
    glDisable(GL_CULL_FACE);
    glDepthMask(GL_TRUE);
    glDisable(GL_DEPTH_TEST);
    mote_gl_set_texture(mote_pass_use(render, MOTE_PASS_GLASS_PICTURE, &render->camera), "glass", 0, render->glass);
    mote_pass_fill(render, render->to_picture, render->def.width, render->def.height);
    glDisable(GL_BLEND);
}

void mote_passes_draw(mote_render *render)
{
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LESS);
    if (!render->still_is_drawn) draw_still(render);
    render->still_is_drawn = true;
    if (render->def.shadows) draw_shadow_map(render);
    draw_geometry(render);
    glDisable(GL_DEPTH_TEST);
    draw_occlusion(render);
    draw_light(render);
    if (render->def.tank) mote_pass_draw_lines(render, MOTE_PASS_LINES, render->depth);
    if (mote_liquids_any(&render->liquids, true)) mote_water_draw(render);
    draw_glass(render);
}
