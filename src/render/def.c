// SPDX-License-Identifier: MIT
// The settings of a picture, their defaults, and round numbers for legends.

#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "base/elementary.h"
#include "render/internal.h"

static const char *const projections[] = {"auto", "perspective", "orthographic", NULL};
static const char *const styles[] = {"particles", "surface", "water", NULL};

// clang-format off
static const mote_field fields[] = {
    {"width", MOTE_FIELD_INT, "pixel", offsetof(mote_render_def, width), 0, 16, 8192, {1280}, NULL, NULL,
     "width of the pictures"},
    {"height", MOTE_FIELD_INT, "pixel", offsetof(mote_render_def, height), 0, 16, 8192, {720}, NULL, NULL,
     "height of the pictures"},
    {"eye", MOTE_FIELD_VECTOR, "m", offsetof(mote_render_def, eye), MOTE_FIELD_DERIVED, -HUGE_VAL, HUGE_VAL, {NAN},
     NULL, NULL,
     "camera position; default: such that tank, particles and visible solids fill the picture; the camera moves back "
     "when particles leave it"},
    {"target", MOTE_FIELD_VECTOR, "m", offsetof(mote_render_def, target), MOTE_FIELD_DERIVED, -HUGE_VAL, HUGE_VAL,
     {NAN}, NULL, NULL,
     "point that the camera looks at; default: the centre of all that. If eye or target is set, the camera is fixed"},
    {"up", MOTE_FIELD_VECTOR, "", offsetof(mote_render_def, up), 0, -HUGE_VAL, HUGE_VAL, {0, 0, 1}, NULL, NULL,
     "direction that points up in the picture"},
    {"field_of_view", MOTE_FIELD_NUMBER, "degree", offsetof(mote_render_def, field_of_view), 0, 1, 150, {28}, NULL,
     NULL, "vertical angle of view"},
    {"projection", MOTE_FIELD_CHOICE, "", offsetof(mote_render_def, projection), 0, 0, 0, {MOTE_PROJECTION_AUTO}, NULL,
     projections, "auto is perspective in 3D and orthographic in 2D"},
    {"speed_min", MOTE_FIELD_NUMBER, "m/s", offsetof(mote_render_def, speed_min), 0, -HUGE_VAL, HUGE_VAL, {0}, NULL,
     NULL, "speed shown in the first colour"},
    {"speed_max", MOTE_FIELD_NUMBER, "m/s", offsetof(mote_render_def, speed_max), MOTE_FIELD_DERIVED, -HUGE_VAL,
     HUGE_VAL, {NAN}, NULL, NULL,
     "speed shown in the last colour; default: that of a free fall from the top of the tank, rounded up"},
    {"particle_radius", MOTE_FIELD_NUMBER, "m", offsetof(mote_render_def, particle_radius),
     MOTE_FIELD_DERIVED | MOTE_FIELD_ABOVE_MIN, 0, HUGE_VAL, {NAN}, NULL, NULL,
     "radius of the spheres drawn for particles; default: half the spacing"},
    {"background", MOTE_FIELD_VECTOR, "", offsetof(mote_render_def, background), 0, 0, 1, {0.93, 0.945, 0.955}, NULL,
     NULL, "background and floor colour: red, green, blue (sRGB)"},
    {"title", MOTE_FIELD_TEXT, "", offsetof(mote_render_def, title), 0, 0, 0, {0}, NULL, NULL,
     "text in the upper left corner; default: the scene's title"},
    {"floor", MOTE_FIELD_BOOL, "", offsetof(mote_render_def, floor), 0, 0, 0, {1}, NULL, NULL,
     "draw a floor (3D); without a tank, or with one that is open below, tilts or rises, only if floor, eye or target "
     "is set"},
    {"shadows", MOTE_FIELD_BOOL, "", offsetof(mote_render_def, shadows), 0, 0, 0, {1}, NULL, NULL,
     "draw shadows (3D)"},
    {"tank", MOTE_FIELD_BOOL, "", offsetof(mote_render_def, tank), 0, 0, 0, {1}, NULL, NULL,
     "draw the edges of the tank, if there is one"},
    {"text", MOTE_FIELD_BOOL, "", offsetof(mote_render_def, text), 0, 0, 0, {1}, NULL, NULL,
     "write title, time and legend"},
    {"samples", MOTE_FIELD_INT, "", offsetof(mote_render_def, samples), 0, 1, 4, {2}, NULL, NULL,
     "antialiasing: samples per pixel along each axis"},
    {"style", MOTE_FIELD_CHOICE, "", offsetof(mote_render_def, style), 0, 0, 0, {MOTE_STYLE_PARTICLES}, NULL, styles,
     "how the fluid is drawn: as particles, by its surface, or by its surface as clear water"},
    {"font", MOTE_FIELD_TEXT, "", offsetof(mote_render_def, font), 0, 0, 0, {0}, NULL, NULL,
     "TrueType font file; default: DejaVu Sans"},
};
// clang-format on

static const mote_field_table table = {"picture", "how frames are drawn", fields, sizeof fields / sizeof fields[0]};

const mote_field_table *mote_render_fields(void)
{
    return &table;
}

mote_render_def mote_render_default_def(void)
{
    mote_render_def def = {0};
    mote_fields_set_defaults(&table, &def);
    def.box = (mote_box){{0, 0, 0}, {1, 1, 1}};
    def.dimensions = 3;
    def.scalar_name = "speed";
    def.scalar_unit = "m/s";
    def.cookie = MOTE_COOKIE;
    return def;
}

mote_layer mote_layer_default(void)
{
    mote_layer layer = {.points = mote_points_xyz(NULL, 0), .scalar_stride = sizeof(float), .color = {NAN, NAN, NAN}};
    return layer;
}

mote_liquid mote_liquid_default(void)
{
    return (mote_liquid){.vertices = mote_points_xyz(NULL, 0),
                         .is_clear = true,
                         .absorption = {NAN, NAN, NAN},
                         .refraction = 1.333,
                         .cloudiness = NAN,
                         .scalar_stride = sizeof(float),
                         .color = {0.20, 0.50, 0.78}};
}

mote_picture mote_picture_default(void)
{
    mote_picture picture = {.time = NAN};
    picture.box = (mote_box){{NAN, NAN, NAN}, {NAN, NAN, NAN}};
    return picture;
}

double mote_plain_number_above(double value)
{
    static const double plain[] = {1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10};
    double power = mote_pow(10, floor(mote_log10(value)));
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; ++i)
        if (plain[i] * power >= value * (1 - 1e-12)) return plain[i] * power;
    return 10 * power;
}

// The digits are printed as a whole number; the decimal point is inserted afterwards.
void mote_fixed_text(double value, int decimals, char *text, size_t size)
{
    double scaled = round(fabs(value) * mote_pow(10, decimals));
    if (!(scaled < 1e15)) {
        mote_number_text(value, text, size);
        return;
    }
    unsigned long long whole = (unsigned long long)scaled, power = 1;
    for (int k = 0; k < decimals; ++k) power *= 10;
    const char *sign = value < 0 && whole ? "-" : "";
    if (decimals == 0)
        snprintf(text, size, "%s%llu", sign, whole);
    else
        snprintf(text, size, "%s%llu.%0*llu", sign, whole / power, decimals, whole % power);
}
