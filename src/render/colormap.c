// SPDX-License-Identifier: MIT
// The colour map "surf", in OKLab (Ottosson 2020): lightness increases evenly, hue goes from blue to cyan, and
// chroma decreases towards foam. All its colours are inside sRGB.

#include <math.h>

#include "base/elementary.h"
#include "render/internal.h"

enum { ANCHORS = 5 };

static const double lightness_range[2] = {0.38, 0.96};

// a and b at even steps of t: hues 263, 255, 236, 214, 200 degrees, chroma 0.160, 0.165, 0.135, 0.095, 0.020.
static const double anchors[ANCHORS][2] = {
    {-0.0195, -0.1588}, {-0.0427, -0.1594}, {-0.0755, -0.1119}, {-0.0788, -0.0531}, {-0.0188, -0.0068}};

static const double neutral_grey = 0.6;

static double encode_srgb(double linear)
{
    double value = linear <= 0.0031308 ? 12.92 * linear : 1.055 * mote_pow(linear, 1 / 2.4) - 0.055;
    return value < 0 ? 0 : value > 1 ? 1 : value;
}

static double cube(double x)
{
    return x * x * x;
}

void mote_colormap_surf(double t, double rgb[3])
{
    if (!rgb) return;
    if (isnan(t)) {
        rgb[0] = rgb[1] = rgb[2] = neutral_grey;
        return;
    }
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    int k = MOTE_MIN((int)(t * (ANCHORS - 1)), ANCHORS - 2);
    double u = t * (ANCHORS - 1) - k;
    double lightness = lightness_range[0] + (lightness_range[1] - lightness_range[0]) * t;
    double a = anchors[k][0] + (anchors[k + 1][0] - anchors[k][0]) * u;
    double b = anchors[k][1] + (anchors[k + 1][1] - anchors[k][1]) * u;

    double l = cube(lightness + 0.3963377774 * a + 0.2158037573 * b);
    double m = cube(lightness - 0.1055613458 * a - 0.0638541728 * b);
    double s = cube(lightness - 0.0894841775 * a - 1.2914855480 * b);
    rgb[0] = encode_srgb(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
    rgb[1] = encode_srgb(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
    rgb[2] = encode_srgb(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s);
}
