// SPDX-License-Identifier: MIT
// Faces of openings: rectangles, discs and polygons in a plane, in 2D segments; and the columns of particles behind
// them.
//
// Columns stand on a grid over the rectangle around the face, where that covers the grid's cell's middle. Of a
// rectangle the grid is stretched to fit. The distance of particles in a column makes up for what the cells have too
// much or too little of the area: N columns with a particle of volume V every V N / A let pass what the area A does.

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "fluid/open.h"

static const double slack = 1e-9;       // of a face's size: rounding
static const double least_pitch = 0.5, most_pitch = 1.6;  // of a spacing; 1.53: a disc of 1.6 spacings
static const double most_cells = 1e7;

static mote_result refuse(const char *who, const char *what, double value, const char *expected, mote_error *error)
{
    return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "%s: %s is %g, expected %s", who, what, value, expected);
}

static bool is_finite(mote_vec3 v)
{
    return v.x - v.x == 0 && v.y - v.y == 0 && v.z - v.z == 0;
}

static mote_result find_axes(const mote_face *def, const char *who, open_face *face, mote_error *error)
{
    const double length = mote_vec3_length_of_any(def->normal);
    if (!is_finite(def->center)) return refuse(who, "center", def->center.x, "finite numbers", error);
    if (!(length > 0) || !is_finite(def->normal))
        return refuse(who, "the length of normal", length, "a number above 0", error);
    face->center = def->center;
    face->normal = mote_vec3_unit(def->normal);
    if (face->dimensions == 2) {
        if (def->normal.y != 0) return refuse(who, "normal y", def->normal.y, "0 in 2D", error);
        face->center.y = 0;
        face->up = (mote_vec3){0, 1, 0};
        face->across = (mote_vec3){face->normal.z, 0, -face->normal.x};
        return MOTE_OK;
    }
    mote_vec3 up = def->up;
    if (isnan(up.x)) up = fabs(face->normal.z) < 0.7 ? (mote_vec3){0, 0, 1} : (mote_vec3){0, 1, 0};
    up = mote_vec3_add_scaled(up, face->normal, -mote_vec3_dot(up, face->normal));
    if (!(mote_vec3_length_of_any(up) > 1e-6 * mote_vec3_length_of_any(def->up)) && !isnan(def->up.x))
        return refuse(who, "the part of up across normal", mote_vec3_length_of_any(up), "more than 0", error);
    face->up = mote_vec3_unit(up);
    face->across = mote_vec3_cross(face->up, face->normal);
    return MOTE_OK;
}

static double polygon_area(const double *corners, size_t count)
{
    double twice = 0;
    for (size_t i = 0; i < count; ++i) {
        const double *a = corners + 2 * i, *b = corners + 2 * ((i + 1) % count);
        twice += a[0] * b[1] - b[0] * a[1];
    }
    return fabs(twice) / 2;
}

static mote_result take_polygon(mote_context *context, const mote_corners *corners, const char *who, open_face *face,
                                mote_error *error)
{
    const size_t bytes = mote_bytes(corners->count, 2 * sizeof(double));
    if (face->dimensions == 2) return refuse(who, "the number of corners", (double)corners->count, "none in 2D", error);
    if (corners->count < 3) return refuse(who, "the number of corners", (double)corners->count, "3 or more", error);
    face->area = polygon_area(corners->xz, corners->count);
    if (!(face->area > 0)) return refuse(who, "the area of its corners", face->area, "a number above 0", error);
    face->corners = mote_allocate(context, bytes);
    if (!face->corners) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "%s: no memory for its corners", who);
    memcpy(face->corners, corners->xz, bytes);
    face->corner_count = corners->count;
    for (size_t i = 0; i < 2 * corners->count; ++i) {
        face->low[i % 2] = i < 2 ? corners->xz[i] : MOTE_MIN(face->low[i % 2], corners->xz[i]);
        face->high[i % 2] = i < 2 ? corners->xz[i] : MOTE_MAX(face->high[i % 2], corners->xz[i]);
    }
    return MOTE_OK;
}

mote_result mote_open_face_create(mote_context *context, const mote_face *def, int dimensions, const char *who,
                                  open_face *face, mote_error *error)
{
    const double pi = 3.14159265358979323846;
    const bool is_flat = dimensions == 2;
    *face = (open_face){.dimensions = dimensions, .radius = NAN, .half_width = NAN, .half_height = NAN};
    mote_result result = find_axes(def, who, face, error);
    if (result != MOTE_OK) return result;
    const int shapes = !isnan(def->radius) + !isnan(def->width) + (def->corners.count > 0);
    if (shapes != 1)
        return refuse(who, "the number of shapes", shapes, "one of radius, width (with height) and corners", error);
    if (def->corners.count > 0) return take_polygon(context, &def->corners, who, face, error);
    if (!isnan(def->radius) && !(def->radius > 0)) return refuse(who, "radius", def->radius, "a number above 0", error);
    if (!isnan(def->width) && !(def->width > 0)) return refuse(who, "width", def->width, "a number above 0", error);
    if (!isnan(def->width) && !is_flat && !(def->height > 0))
        return refuse(who, "height", def->height, "a number above 0 beside width", error);
    if (isnan(def->radius) || is_flat) {
        face->half_width = isnan(def->radius) ? def->width / 2 : def->radius;
        face->half_height = is_flat ? HUGE_VAL : def->height / 2;
        face->area = is_flat ? 2 * face->half_width : def->width * def->height;
    } else {
        face->radius = def->radius;
        face->area = pi * def->radius * def->radius;
    }
    const double high = isnan(face->radius) ? face->half_width : face->radius;
    const double top = isnan(face->radius) ? face->half_height : face->radius;
    face->low[0] = -high, face->high[0] = high;
    face->low[1] = is_flat ? 0 : -top, face->high[1] = is_flat ? 0 : top;
    return MOTE_OK;
}

void mote_open_face_release(mote_context *context, open_face *face)
{
    mote_release(context, face->corners, face->corner_count * 2 * sizeof(double));
    face->corners = NULL;
}

open_place mote_open_face_place(const open_face *face, mote_vec3 at)
{
    const mote_vec3 way = mote_vec3_sub(at, face->center);
    return (open_place){mote_vec3_dot(way, face->normal), mote_vec3_dot(way, face->across),
                        mote_vec3_dot(way, face->up)};
}

// By the number of edges that a line across from the place meets.
static bool is_in_polygon(const open_face *face, double across, double up)
{
    bool is_in = false;
    for (size_t i = 0; i < face->corner_count; ++i) {
        const double *a = face->corners + 2 * i, *b = face->corners + 2 * ((i + 1) % face->corner_count);
        if ((a[1] > up) == (b[1] > up)) continue;
        if (across < a[0] + (up - a[1]) / (b[1] - a[1]) * (b[0] - a[0])) is_in = !is_in;
    }
    return is_in;
}

bool mote_open_face_covers(const open_face *face, const open_place *place)
{
    if (face->corner_count > 0) return is_in_polygon(face, place->across, place->up);
    if (!isnan(face->radius)) {
        const double reach = face->radius * (1 + slack);
        return place->across * place->across + place->up * place->up <= reach * reach;
    }
    return fabs(place->across) <= face->half_width * (1 + slack) && fabs(place->up) <= face->half_height * (1 + slack);
}

// Cells of the grid along an axis, and their width.
static size_t cells(const open_face *face, double spacing, int axis, double *width)
{
    const double extent = face->high[axis] - face->low[axis];
    const bool fits = isnan(face->radius) && face->corner_count == 0;
    double count = fits ? floor(extent / spacing + 0.5) : ceil(extent / spacing - slack);
    if (axis == 1 && face->dimensions == 2) count = 1;
    count = MOTE_MIN(MOTE_MAX(count, 1), 1e9);  // more than mote_open_face_check lets pass
    *width = fits ? extent / count : spacing;
    return (size_t)count;
}

size_t mote_open_face_grid(const open_face *face, double spacing)
{
    double width;
    const size_t across = cells(face, spacing, 0, &width);
    return across * cells(face, spacing, 1, &width);
}

bool mote_open_face_column(const open_face *face, double spacing, size_t index, mote_vec3 *foot)
{
    double width[2], at[2];
    const size_t across = cells(face, spacing, 0, &width[0]), up = cells(face, spacing, 1, &width[1]);
    const size_t numbers[2] = {index % across, index / across}, counts[2] = {across, up};
    for (int k = 0; k < 2; ++k)
        at[k] = (face->low[k] + face->high[k]) / 2 + ((double)numbers[k] + 0.5 - (double)counts[k] / 2) * width[k];
    const open_place place = {0, at[0], at[1]};
    *foot = mote_vec3_add_scaled(mote_vec3_add_scaled(face->center, face->across, at[0]), face->up, at[1]);
    return mote_open_face_covers(face, &place);
}

size_t mote_open_face_cell(const open_face *face, double spacing, const open_place *place)
{
    const double at[2] = {place->across, place->up};
    size_t numbers[2], counts[2];
    for (int k = 0; k < 2; ++k) {
        double width;
        counts[k] = cells(face, spacing, k, &width);
        const double way = counts[k] > 1 ? (at[k] - (face->low[k] + face->high[k]) / 2) / width : 0;
        const double number = floor(way + (double)counts[k] / 2);
        numbers[k] = (size_t)MOTE_MIN(MOTE_MAX(number, 0), (double)counts[k] - 1);
    }
    return numbers[0] + numbers[1] * counts[0];
}

size_t mote_open_face_columns(const open_face *face, double spacing)
{
    const size_t all = mote_open_face_grid(face, spacing);
    size_t count = 0;
    mote_vec3 foot;
    for (size_t k = 0; k < all; ++k) count += mote_open_face_column(face, spacing, k, &foot);
    return count;
}

double mote_open_face_pitch(const open_face *face, double spacing)
{
    const double volume = face->dimensions == 2 ? spacing * spacing : spacing * spacing * spacing;
    const double pitch = volume * (double)mote_open_face_columns(face, spacing) / face->area;
    return pitch >= least_pitch * spacing && pitch <= most_pitch * spacing ? pitch : 0;
}

mote_result mote_open_face_check(const open_face *face, double spacing, const char *who, mote_error *error)
{
    const double count = (double)mote_open_face_grid(face, spacing);
    if (count > most_cells)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "%s: its face has %.3g cells of a spacing of %g, expected at most %g", who, count, spacing,
                         most_cells);
    if (mote_open_face_pitch(face, spacing) > 0) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                     "%s: its area is %g, expected room for particles with a spacing of %g", who, face->area, spacing);
}

size_t mote_open_face_layers(const open_face *face, double spacing, double support)
{
    const double pitch = mote_open_face_pitch(face, spacing);
    return pitch > 0 ? (size_t)ceil(support / pitch - slack) : 0;
}
