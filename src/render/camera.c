// SPDX-License-Identifier: MIT
// The position of the camera, and its matrices.
//
// All of OpenGL's coordinates are relative to the middle of the box: floats are then precise enough far from the
// origin.

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "render/internal.h"

static const double pi = 3.14159265358979323846;

// The shares of the picture's half width and height that the box may fill to the left and right of the middle, below
// and above it. Texts and legend are at the top: title, time and label, as overlay.c places them, take 0.31 of the half
// height.
typedef struct margins {
    double below[2], above[2];
} margins;
static const margins plain = {{0.95, 0.93}, {0.95, 0.93}};
static const margins with_text = {{0.95, 0.93}, {0.95, 0.68}};

static const mote_vec3 default_back = {0.30, -0.86, 0.42};  // from the front, a little from the right and above

static bool is_unset(mote_vec3 v)
{
    return isnan(v.x);
}

static void set_basis(mote_camera *camera, mote_vec3 back, mote_vec3 up)
{
    camera->back = mote_vec3_unit(back);
    mote_vec3 right = mote_vec3_cross(up, camera->back);
    if (mote_vec3_length(right) < 1e-9 * mote_vec3_length(up))  // straight up or down: any right vector works
        right = mote_vec3_cross(mote_vec3_make(0, 1, 0), camera->back);
    if (mote_vec3_length(right) < 1e-9) right = mote_vec3_make(1, 0, 0);
    camera->right = mote_vec3_unit(right);
    camera->up = mote_vec3_cross(camera->back, camera->right);
}

static mote_vec3 corner(mote_box box, int k)
{
    return mote_vec3_make(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z);
}

// The nearest eye position, for the given directions, with the box within the margins: for each axis either both
// sides of the view pyramid touch a corner, or the remaining space is divided equally between them. An orthographic
// camera shows there what a perspective camera would show of a flat box.
static void fit(mote_camera *camera, mote_box box, const margins *fill)
{
    double half[2] = {camera->half_width, camera->half_height}, distance = 0;
    double above[2] = {-HUGE_VAL, -HUGE_VAL}, below[2] = {-HUGE_VAL, -HUGE_VAL}, shift[2];
    for (int k = 0; k < 8; ++k) {
        mote_vec3 p = corner(box, k);
        double depth = camera->orthographic ? 0 : mote_vec3_dot(p, camera->back);
        double across[2] = {mote_vec3_dot(p, camera->right), mote_vec3_dot(p, camera->up)};
        for (int axis = 0; axis < 2; ++axis) {
            above[axis] = MOTE_MAX(above[axis], across[axis] + half[axis] * fill->above[axis] * depth);
            below[axis] = MOTE_MAX(below[axis], half[axis] * fill->below[axis] * depth - across[axis]);
        }
    }
    for (int axis = 0; axis < 2; ++axis)
        distance =
            MOTE_MAX(distance, (above[axis] + below[axis]) / (half[axis] * (fill->above[axis] + fill->below[axis])));
    for (int axis = 0; axis < 2; ++axis)
        shift[axis] = (above[axis] - below[axis] + half[axis] * distance * (fill->below[axis] - fill->above[axis])) / 2;

    mote_vec3 eye = mote_vec3_scale(camera->back, distance);
    eye = mote_vec3_add_scaled(eye, camera->right, shift[0]);
    camera->eye = mote_vec3_add_scaled(eye, camera->up, shift[1]);
}

static void set_matrices(mote_camera *camera)
{
    const mote_vec3 axes[3] = {camera->right, camera->up, camera->back};
    memset(camera->view, 0, sizeof camera->view);
    for (int row = 0; row < 3; ++row) {
        camera->view[row] = (float)axes[row].x;
        camera->view[4 + row] = (float)axes[row].y;
        camera->view[8 + row] = (float)axes[row].z;
        camera->view[12 + row] = (float)-mote_vec3_dot(axes[row], camera->eye);
    }
    camera->view[15] = 1;

    memset(camera->projection, 0, sizeof camera->projection);
    double near = camera->near, far = camera->far;
    camera->projection[0] = (float)(1 / camera->half_width);
    camera->projection[5] = (float)(1 / camera->half_height);
    if (camera->orthographic) {
        camera->projection[10] = (float)(-2 / (far - near));
        camera->projection[14] = (float)(-(far + near) / (far - near));
        camera->projection[15] = 1;
    } else {
        camera->projection[10] = (float)(-(far + near) / (far - near));
        camera->projection[14] = (float)(-2 * far * near / (far - near));
        camera->projection[11] = -1;
    }
}

bool mote_camera_can_frame(mote_box b)
{
    bool finite = isfinite(b.min.x) && isfinite(b.min.y) && isfinite(b.min.z) && isfinite(b.max.x) &&
                  isfinite(b.max.y) && isfinite(b.max.z);
    return finite && b.min.x <= b.max.x && b.min.y <= b.max.y && b.min.z <= b.max.z &&
           mote_vec3_length(mote_vec3_sub(b.max, b.min)) > 0;
}

static void set_lens(mote_camera *camera, const mote_render_def *def)
{
    camera->half_height = mote_tan(def->field_of_view * pi / 360);
    camera->half_width = camera->half_height * def->width / def->height;
}

// Computes the rest after the eye is placed, `distance` from the target: the depth range of the box, and the
// matrices.
static void finish(mote_camera *camera, mote_box box, double distance)
{
    const mote_vec3 middle = mote_vec3_scale(mote_vec3_add(box.min, box.max), 0.5);
    const double size = mote_vec3_length(mote_vec3_sub(box.max, middle));
    camera->far = mote_vec3_length(mote_vec3_sub(camera->eye, middle)) + 12 * size;
    camera->near = 0.02 * size;
    if (camera->orthographic) {
        camera->half_height *= distance;
        camera->half_width *= distance;
        camera->near = -camera->far;  // without perspective, no point is behind the camera
    }
    set_matrices(camera);
}

static mote_box relative_box(const mote_camera *camera, const mote_render_def *def, mote_box box)
{
    if (def->dimensions == 2) box.min.y = box.max.y = 0;
    return (mote_box){mote_vec3_sub(box.min, camera->origin), mote_vec3_sub(box.max, camera->origin)};
}

mote_result mote_camera_place(mote_camera *camera, mote_render_def *def, mote_error *error)
{
    if (!mote_camera_can_frame(def->box))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "picture: the box to be framed is empty or not finite");
    bool flat = def->dimensions == 2;
    if (flat) def->box.min.y = def->box.max.y = 0;
    mote_vec3 middle = mote_vec3_scale(mote_vec3_add(def->box.min, def->box.max), 0.5);

    if (def->projection == MOTE_PROJECTION_AUTO)
        def->projection = flat ? MOTE_PROJECTION_ORTHOGRAPHIC : MOTE_PROJECTION_PERSPECTIVE;
    *camera = (mote_camera){.origin = middle, .orthographic = def->projection == MOTE_PROJECTION_ORTHOGRAPHIC};
    set_lens(camera, def);
    const mote_box box = relative_box(camera, def, def->box);

    double distance;
    bool own_target = !is_unset(def->target);
    if (!own_target) def->target = middle;
    mote_vec3 target = mote_vec3_sub(def->target, middle);
    if (is_unset(def->eye)) {
        set_basis(camera, flat ? mote_vec3_make(0, -1, 0) : default_back, def->up);
        fit(camera, box, def->text ? &with_text : &plain);
        distance = mote_vec3_dot(camera->eye, camera->back);
        if (own_target) camera->eye = mote_vec3_add_scaled(target, camera->back, distance);
        def->eye = mote_vec3_add(camera->eye, middle);
        if (!own_target) def->target = mote_vec3_add_scaled(def->eye, camera->back, -distance);
    } else {
        mote_vec3 back = mote_vec3_sub(def->eye, def->target);
        distance = mote_vec3_length(back);
        if (distance == 0)
            return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "picture: eye and target are the same point");
        set_basis(camera, back, def->up);
        camera->eye = mote_vec3_sub(def->eye, middle);
    }
    finish(camera, box, distance);
    return MOTE_OK;
}

void mote_camera_move(mote_camera *camera, mote_render_def *def, mote_box box)
{
    const mote_box relative = relative_box(camera, def, box);
    set_lens(camera, def);
    fit(camera, relative, def->text ? &with_text : &plain);
    const double distance = mote_vec3_dot(camera->eye, camera->back);
    def->eye = mote_vec3_add(camera->eye, camera->origin);
    def->target = mote_vec3_add_scaled(def->eye, camera->back, -distance);
    finish(camera, relative, distance);
}

static mote_box widen_by(mote_box box, const mote_points *points)
{
    for (size_t i = 0; i < points->count; ++i) {
        double p[3] = {0, 0, 0};
        bool is_drawn = true;
        for (int k = 0; k < points->dimensions; ++k) {
            p[k] = mote_points_get(points, i, k);
            is_drawn = is_drawn && fabs(p[k]) <= FLT_MAX;
        }
        if (is_drawn) box = mote_box_add_point(box, mote_vec3_make(p[0], p[1], p[2]));
    }
    return box;
}

mote_box mote_render_widen(mote_box box, const mote_picture *picture)
{
    if (!picture) return box;
    if (isnan(box.min.x)) box = mote_box_empty();
    for (size_t k = 0; k < picture->layer_count; ++k) box = widen_by(box, &picture->layers[k].points);
    for (size_t k = 0; k < picture->liquid_count; ++k) box = widen_by(box, &picture->liquids[k].vertices);
    const mote_box none = {{NAN, NAN, NAN}, {NAN, NAN, NAN}};
    return box.min.x <= box.max.x ? box : none;
}

void mote_camera_from_light(mote_camera *camera, mote_vec3 light, mote_vec3 middle, double radius)
{
    *camera = (mote_camera){.orthographic = true, .half_width = radius, .half_height = radius};
    set_basis(camera, light, mote_vec3_make(0, 0, 1));
    camera->eye = mote_vec3_add_scaled(middle, camera->back, 2 * radius);
    camera->near = radius;
    camera->far = 3 * radius;
    set_matrices(camera);
}

mote_vec3 mote_camera_view(const mote_camera *camera, mote_vec3 point)
{
    mote_vec3 d = mote_vec3_sub(mote_vec3_sub(point, camera->origin), camera->eye);
    return mote_vec3_make(mote_vec3_dot(d, camera->right), mote_vec3_dot(d, camera->up),
                          mote_vec3_dot(d, camera->back));
}
