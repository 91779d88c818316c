// SPDX-License-Identifier: MIT
// The shaders of all passes, in GLSL 3.30.
//
// View coordinates are x right, y up, z towards the viewer. The geometry passes write, for every sample, albedo (sRGB)
// with the kind of surface in alpha, the normal in view coordinates, and depth; the light pass reads them.

#include "render/internal.h"

// clang-format off

// For passes over whole pictures: the position of a pixel's surface, in view coordinates.
static const char view_position[] =
    "uniform mat4 projection;\n"
    "uniform vec2 half_size;\n"
    "uniform bool orthographic;\n"
    "vec3 view_position(vec2 at, float depth)\n"
    "{\n"
    "    float z = depth * 2.0 - 1.0;\n"
    "    if (orthographic) return vec3(at * half_size, (z - projection[3][2]) / projection[2][2]);\n"
    "    float d = projection[3][2] / (z + projection[2][2]);\n"
    "    return vec3(at * half_size * d, -d);\n"
    "}\n";

// ----------------------------------------------------------------------------------------------------- geometry

// A quad through the sphere's centre, facing the eye, that just holds the sphere's outline: in perspective the outline
// is where the cone of tangents cuts that plane, r·|c|/sqrt(|c|² − r²) from the centre. On the quad, `disc` is the
// unit disc inside the outline; the axes turn a normal there into view coordinates.
static const char sphere_vertex[] =
    "layout(location = 0) in vec3 position;\n"
    "layout(location = 1) in vec4 tint;\n"
    "uniform mat4 view, projection;\n"
    "uniform float radius;\n"
    "uniform bool orthographic;\n"
    "flat out float depth;\n"
    "flat out vec3 colour, right, up, towards;\n"
    "out vec2 disc;\n"
    "void main()\n"
    "{\n"
    "    disc = vec2(gl_VertexID & 1, (gl_VertexID >> 1) & 1) * 2.0 - 1.0;\n"
    "    vec3 centre = (view * vec4(position, 1.0)).xyz;\n"
    "    depth = centre.z;\n"
    "    colour = tint.rgb;\n"
    "    float square = dot(centre, centre) - radius * radius;\n"
    "    float size = orthographic ? radius : square > 0.0 ? radius * length(centre) * inversesqrt(square) : 0.0;\n"
    "    towards = orthographic ? vec3(0.0, 0.0, 1.0) : -normalize(centre);\n"
    "    right = normalize(cross(vec3(0.0, 1.0, 0.0), towards));\n"
    "    up = cross(towards, right);\n"
    "    gl_Position = projection * vec4(centre + size * (disc.x * right + disc.y * up), 1.0);\n"
    "}\n";

// The outline is exact; within it rays are treated as parallel, with an error of radius/distance times the radius.
static const char sphere_fragment[] =
    "uniform mat4 projection;\n"
    "uniform float radius;\n"
    "flat in float depth;\n"
    "flat in vec3 colour, right, up, towards;\n"
    "in vec2 disc;\n"
    "layout(location = 0) out vec4 albedo;\n"
    "layout(location = 1) out vec4 normal;\n"
    "void main()\n"
    "{\n"
    "    float rest = 1.0 - dot(disc, disc);\n"
    "    if (rest < 0.0) discard;\n"
    "    vec3 n = disc.x * right + disc.y * up + sqrt(rest) * towards;\n"
    "    float z = depth + radius * n.z;\n"
    "    float w = projection[2][3] * z + projection[3][3];\n"
    "    gl_FragDepth = 0.5 + 0.5 * (projection[2][2] * z + projection[3][2]) / w;\n"
    "    albedo = vec4(colour, 0.25);\n"
    "    normal = vec4(n * 0.5 + 0.5, 1.0);\n"
    "}\n";

// Spheres are drawn as flat discs through their centres, facing the sun: their lit halves lie before the disc, so
// that no sphere shadows itself, and depth need not be computed.
static const char sphere_shadow_fragment[] =
    "in vec2 disc;\n"
    "void main()\n"
    "{\n"
    "    if (dot(disc, disc) > 1.0) discard;\n"
    "}\n";

static const char mesh_vertex[] =
    "layout(location = 0) in vec3 position;\n"
    "layout(location = 1) in vec3 direction;\n"
    "uniform mat4 view, projection;\n"
    "out vec3 turned;\n"
    "out vec3 place;\n"
    "void main()\n"
    "{\n"
    "    turned = mat3(view) * direction;\n"
    "    place = (view * vec4(position, 1.0)).xyz;\n"
    "    gl_Position = projection * vec4(place, 1.0);\n"
    "}\n";

// The normal on the visible side, so that both sides are lit. A vertex without area around it has no normal: the
// triangle's normal is used instead.
static const char mesh_normal[] =
    "uniform vec4 tint;\n"
    "in vec3 turned;\n"
    "in vec3 place;\n"
    "vec3 seen_normal()\n"
    "{\n"
    "    vec3 flat_normal = normalize(cross(dFdx(place), dFdy(place)));\n"
    "    vec3 n = dot(turned, turned) > 1e-6 ? normalize(turned) : flat_normal;\n"
    "    return dot(n, flat_normal) < 0.0 && !gl_FrontFacing ? -n : n;\n"
    "}\n";

static const char mesh_fragment[] =
    "layout(location = 0) out vec4 albedo;\n"
    "layout(location = 1) out vec4 normal;\n"
    "void main()\n"
    "{\n"
    "    albedo = tint;\n"
    "    normal = vec4(seen_normal() * 0.5 + 0.5, 1.0);\n"
    "}\n";

// Glass blocks a share of the sun: as many of sixteen texels, spread evenly (Bayer's matrix), which the light pass
// averages. Its two walls block the same texels, and so act as one.
static const char mesh_shadow_fragment[] =
    "uniform float opacity;\n"
    "const int BAYER[16] = int[16](0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5);\n"
    "void main()\n"
    "{\n"
    "    ivec2 at = ivec2(gl_FragCoord.xy) & 3;\n"
    "    if (float(BAYER[at.y * 4 + at.x]) + 0.5 > 16.0 * opacity) discard;\n"
    "}\n";

// -------------------------------------------------------------------------------------------------- whole pictures

// One triangle that covers the picture.
static const char picture_vertex[] =
    "void main()\n"
    "{\n"
    "    gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0);\n"
    "}\n";

// Scalable ambient obscurance (McGuire, Mara & Luebke 2012, eq. 7), at half the picture's width and height: the share
// of the sky that is open, and the distance of the surface that it holds for. The spiral of taps is turned by one of
// sixteen angles, which the light pass averages out again.
static const char occlusion_fragment[] =
    "uniform sampler2D normals, depths;\n"
    "uniform int samples;\n"
    "uniform vec2 size;\n"
    "uniform float reach;\n"
    "out vec4 open;\n"
    "const int TAPS = 14;\n"
    "vec3 position_of(ivec2 pixel)\n"
    "{\n"
    "    vec2 device = (vec2(pixel) + 0.5) / size * 2.0 - 1.0;\n"
    "    return view_position(device, texelFetch(depths, pixel * samples + samples / 2, 0).r);\n"
    "}\n"
    "void main()\n"
    "{\n"
    "    ivec2 last = ivec2(size) - 1, pixel = min(ivec2(gl_FragCoord.xy) * 2, last);\n"
    "    vec3 p = position_of(pixel);\n"
    "    open = vec4(1.0, -p.z, 0.0, 1.0);\n"
    "    if (texelFetch(depths, pixel * samples + samples / 2, 0).r == 1.0) return;\n"
    "    vec3 n = normalize(texelFetch(normals, pixel * samples + samples / 2, 0).xyz * 2.0 - 1.0);\n"
    "    float pixels = reach * size.y * 0.5 / (half_size.y * (orthographic ? 1.0 : -p.z));\n"
    "    ivec2 four = ivec2(gl_FragCoord.xy) & 3;\n"
    "    float turn = float(four.x * 4 + four.y) * (6.2831853 / 16.0) * 7.0, sum = 0.0;\n"
    "    for (int i = 0; i < TAPS; ++i) {\n"
    "        float share = (float(i) + 0.5) / float(TAPS);\n"
    "        float angle = share * 6.2831853 * 5.0 + turn;\n"
    "        vec2 offset = share * max(pixels, 4.0) * vec2(cos(angle), sin(angle));\n"
    "        vec3 v = position_of(clamp(pixel + ivec2(round(offset)), ivec2(0), last)) - p;\n"
    "        float square = dot(v, v), rise = dot(v, n) - 0.01 * reach;\n"
    "        float fall = max(reach * reach - square, 0.0);\n"
    "        sum += fall * fall * fall * max(rise / (square + 1e-3 * reach * reach), 0.0);\n"
    "    }\n"
    "    float cube = reach * reach * reach;\n"
    "    open.r = max(0.0, 1.0 - 5.0 * reach * sum / (cube * cube * float(TAPS)));\n"
    "}\n";

// ---------------------------------------------------------------------------------------------------------- light

// Averages the samples of a pixel after lighting each, in linear colours. The sun gives key light and shadows, the
// sky ambient light from above and the floor from below, both reduced by occlusion. Where nothing shades it, the
// floor has the colour of the background, so that it has no visible edge.
static const char light_inputs[] =
    "uniform sampler2D albedos, normals, depths, occlusion;\n"
    "uniform sampler2DShadow shadow;\n"
    "uniform mat4 view_to_light, view_to_world;\n"
    "uniform vec3 sun, up, background;\n"
    "uniform vec2 size, middle;\n"
    "uniform int samples;\n"
    "uniform bool shadows;\n"
    "uniform float texel, extent, grid, reach;\n"
    "out vec4 colour;\n"
    "const vec3 KEY = vec3(1.0, 0.965, 0.91) * 0.80;\n"
    "const vec3 SKY = vec3(0.90, 0.96, 1.0) * 0.52;\n"
    "const vec3 GROUND = vec3(1.0, 0.97, 0.93) * 0.26;\n"
    // Sixteen even points of the unit disc (Vogel's spiral); any four consecutive ones are spread over all of it.
    "const vec2 DISC[16] = vec2[16](\n"
    "    vec2(0.18, 0.00), vec2(-0.52, -0.09), vec2(0.68, 0.25), vec2(-0.76, -0.44),\n"
    "    vec2(-0.23, 0.21), vec2(0.49, -0.31), vec2(-0.71, 0.29), vec2(0.90, -0.20),\n"
    "    vec2(0.03, -0.39), vec2(-0.17, 0.62), vec2(0.34, -0.73), vec2(-0.55, 0.78),\n"
    "    vec2(0.28, 0.37), vec2(-0.32, -0.61), vec2(0.25, 0.81), vec2(-0.13, -0.98));\n"
    "vec3 linear(vec3 c) { return pow(c, vec3(2.2)); }\n"
    "vec3 backdrop(float height) { return linear(background) * mix(1.06, 0.80, smoothstep(-0.2, 1.3, height)); }\n";

// The share of the sun that reaches p, by `taps` taps from the number given, each the mean of four texels; and that of
// the sky: the mean of the 4 × 4 nearest values of occlusion, of those about as far away as this pixel.
static const char light_reach[] =
    "float sunlit(vec3 p, vec3 n, int number, int taps)\n"
    "{\n"
    "    if (!shadows) return 1.0;\n"
    "    vec3 q = (view_to_light * vec4(p + n * texel * 1.5, 1.0)).xyz * 0.5 + 0.5;\n"
    "    if (any(lessThan(q, vec3(0.0))) || any(greaterThan(q, vec3(1.0)))) return 1.0;\n"
    "    float spread = 1.6 / float(textureSize(shadow, 0).x), sum = 0.0;\n"
    "    for (int k = 0; k < taps; ++k)\n"
    "        sum += texture(shadow, vec3(q.xy + DISC[(number + k) & 15] * spread, q.z));\n"
    "    return sum / float(taps);\n"
    "}\n"
    "float open_sky(ivec2 pixel, float here)\n"
    "{\n"
    "    ivec2 first = (pixel >> 1) - 2 + (pixel & 1), last = textureSize(occlusion, 0) - 1;\n"
    "    float sum = 0.0, weights = 0.0;\n"
    "    for (int y = 0; y < 4; ++y)\n"
    "        for (int x = 0; x < 4; ++x) {\n"
    "            vec2 there = texelFetch(occlusion, clamp(first + ivec2(x, y), ivec2(0), last), 0).rg;\n"
    "            float weight = max(0.0, 1.0 - abs(there.g - here) / (0.5 * reach)) + 1e-3;\n"
    "            sum += weight * there.r;\n"
    "            weights += weight;\n"
    "        }\n"
    "    return sum / weights;\n"
    "}\n";

// The floor with its lines.
static const char light_floor[] =
    "float lines(vec3 world, float footprint)\n"
    "{\n"
    "    vec2 off = abs(fract(world.xy / grid + 0.5) - 0.5) * grid;\n"
    "    vec2 cover = clamp(1.2 - off / footprint, 0.0, 1.0);\n"
    "    return max(cover.x, cover.y) * clamp(1.0 - 6.0 * footprint / grid, 0.0, 1.0);\n"
    "}\n"
    "vec3 floor_colour(vec3 p, vec3 n, vec3 empty, float light, float open)\n"
    "{\n"
    "    vec3 world = (view_to_world * vec4(p, 1.0)).xyz;\n"
    "    float pixel = 2.0 * half_size.y / size.y * (orthographic ? 1.0 : -p.z);\n"
    "    float facing = orthographic ? abs(n.z) : abs(dot(n, normalize(p)));\n"
    "    vec3 lit = empty * mix(vec3(0.56, 0.60, 0.66), vec3(1.0), light) * mix(0.35, 1.0, open);\n"
    "    lit *= 1.0 - 0.10 * lines(world, pixel / max(facing, 0.05));\n"
    "    return mix(lit, empty, smoothstep(1.6, 4.5, length(world.xy - middle) / extent));\n"
    "}\n";

// The light that a surface of that colour and normal sends to the eye.
static const char light_surface[] =
    "vec3 surface_colour(vec3 albedo, vec3 p, vec3 n, bool wet, float light, float open)\n"
    "{\n"
    "    vec3 eye = orthographic ? vec3(0.0, 0.0, 1.0) : -normalize(p);\n"
    "    vec3 ambient = mix(GROUND, SKY, dot(n, up) * 0.5 + 0.5) * open;\n"
    "    vec3 lit = linear(albedo) * (KEY * max(dot(n, sun), 0.0) * light + ambient);\n"
    "    float gloss = pow(max(dot(n, normalize(sun + eye)), 0.0), wet ? 48.0 : 24.0) * (wet ? 0.30 : 0.06);\n"
    "    float rim = pow(1.0 - max(dot(n, eye), 0.0), 3.0) * (wet ? 0.10 : 0.06);\n"
    "    return min(lit + KEY * gloss * light + SKY * rim * open, vec3(1.0));\n"
    "}\n";

// The colour of one sample.
static const char light_shade[] =
    "vec3 shade(ivec2 sample_at, vec2 device, float open, int number, int taps)\n"
    "{\n"
    "    vec4 surface = texelFetch(albedos, sample_at, 0);\n"
    "    vec3 empty = backdrop(device.y);\n"
    "    if (surface.a < 0.125) return empty;\n"
    "    vec3 p = view_position(device, texelFetch(depths, sample_at, 0).r);\n"
    "    vec3 n = normalize(texelFetch(normals, sample_at, 0).xyz * 2.0 - 1.0);\n"
    "    float facing = dot(n, sun);\n"
    "    float light = facing > 0.0 ? sunlit(p, n, number, taps) : 0.0;\n"
    "    if (surface.a > 0.625) return floor_colour(p, n, empty, light, open);\n"
    "    return surface_colour(surface.rgb, p, n, surface.a < 0.375, light, open);\n"
    "}\n";

// Floor and backdrop change slowly: for a pixel that shows nothing else, one sample is enough.
static const char light_main[] =
    "void main()\n"
    "{\n"
    "    ivec2 pixel = ivec2(gl_FragCoord.xy), middle = pixel * samples + samples / 2;\n"
    "    bool plain = true, empty = true;\n"
    "    for (int y = 0; y < samples; ++y)\n"
    "        for (int x = 0; x < samples; ++x) {\n"
    "            float kind = texelFetch(albedos, pixel * samples + ivec2(x, y), 0).a;\n"
    "            plain = plain && (kind < 0.125 || kind > 0.625);\n"
    "            empty = empty && kind < 0.125;\n"
    "        }\n"
    "    float open = empty ? 1.0 : open_sky(pixel, -view_position(vec2(0.0), texelFetch(depths, middle, 0).r).z);\n"
    "    vec3 sum = vec3(0.0);\n"
    "    if (plain) {\n"
    "        sum = shade(middle, (vec2(pixel) + 0.5) / size * 2.0 - 1.0, open, 0, 12) * float(samples * samples);\n"
    "    } else {\n"
    "        int taps = samples == 1 ? 12 : 4;\n"
    "        for (int y = 0; y < samples; ++y)\n"
    "            for (int x = 0; x < samples; ++x) {\n"
    "                ivec2 sample_at = pixel * samples + ivec2(x, y);\n"
    "                vec2 device = (vec2(sample_at) + 0.5) / (size * float(samples)) * 2.0 - 1.0;\n"
    "                sum += shade(sample_at, device, open, (y * samples + x) * taps, taps);\n"
    "            }\n"
    "    }\n"
    "    colour = vec4(pow(sum / float(samples * samples), vec3(1.0 / 2.2)), 1.0);\n"
    "}\n";

// ---------------------------------------------------------------------------------------------------------- glass

// A wall that absorbs `tint.a` of the light straight through it absorbs more at a slant, where the path through it
// is longer (Lambert). Colours are weighted by alpha, and gamma-encoded as in the picture.
static const char glass_fragment[] =
    "void main()\n"
    "{\n"
    "    vec3 n = seen_normal(), eye = orthographic ? vec3(0.0, 0.0, 1.0) : -normalize(place);\n"
    "    float light = dot(n, sun) > 0.0 ? sunlit(place, n, 0, 4) : 0.0;\n"
    "    float way = 1.0 / max(abs(dot(n, eye)), 0.125), alpha = 1.0 - pow(1.0 - tint.a, way);\n"
    "    vec3 seen = surface_colour(tint.rgb, place, n, true, light, 1.0);\n"
    "    colour = vec4(pow(seen, vec3(1.0 / 2.2)) * alpha, alpha);\n"
    "}\n";

// The mean of a pixel's samples.
static const char glass_picture_fragment[] =
    "uniform sampler2D glass;\n"
    "uniform int samples;\n"
    "out vec4 colour;\n"
    "void main()\n"
    "{\n"
    "    ivec2 first = ivec2(gl_FragCoord.xy) * samples;\n"
    "    colour = vec4(0.0);\n"
    "    for (int y = 0; y < samples; ++y)\n"
    "        for (int x = 0; x < samples; ++x) colour += texelFetch(glass, first + ivec2(x, y), 0);\n"
    "    colour /= float(samples * samples);\n"
    "}\n";

// ---------------------------------------------------------------------------------------------------------- lines

static const char line_vertex[] =
    "layout(location = 0) in vec4 place;\n"
    "out float across;\n"
    "void main()\n"
    "{\n"
    "    across = place.w;\n"
    "    gl_Position = vec4(place.xyz, 1.0);\n"
    "}\n";

// How much of a pixel a line covers that nothing is in front of: its own depth is interpolated, and compared with every
// sample of the pixel where it may be seen (can_be_seen).
static const char line_everywhere[] =
    "bool can_be_seen(ivec2 at) { return true; }\n";

static const char line_fragment[] =
    "uniform sampler2D depths;\n"
    "uniform int samples;\n"
    "uniform float half_width;\n"
    "uniform vec4 tint;\n"
    "in float across;\n"
    "out vec4 colour;\n"
    "void main()\n"
    "{\n"
    "    ivec2 first = ivec2(gl_FragCoord.xy) * samples;\n"
    "    float seen = 0.0;\n"
    "    for (int y = 0; y < samples; ++y)\n"
    "        for (int x = 0; x < samples; ++x) {\n"
    "            ivec2 at = first + ivec2(x, y);\n"
    "            if (can_be_seen(at)) seen += step(gl_FragCoord.z, texelFetch(depths, at, 0).r);\n"
    "        }\n"
    "    float cover = clamp(half_width + 0.5 - abs(across), 0.0, 1.0) * seen / float(samples * samples);\n"
    "    colour = vec4(tint.rgb, tint.a * cover);\n"
    "}\n";

// -------------------------------------------------------------------------------------------------------- liquids

// Surfaces that are not clear have a colour at each vertex.
static const char surface_vertex[] =
    "layout(location = 0) in vec3 position;\n"
    "layout(location = 1) in vec3 direction;\n"
    "layout(location = 2) in vec3 paint;\n"
    "uniform mat4 view, projection;\n"
    "out vec3 turned, place, painted;\n"
    "void main()\n"
    "{\n"
    "    turned = mat3(view) * direction;\n"
    "    place = (view * vec4(position, 1.0)).xyz;\n"
    "    painted = paint;\n"
    "    gl_Position = projection * vec4(place, 1.0);\n"
    "}\n";

static const char surface_fragment[] =
    "in vec3 painted;\n"
    "layout(location = 0) out vec4 albedo;\n"
    "layout(location = 1) out vec4 normal;\n"
    "void main()\n"
    "{\n"
    "    albedo = vec4(painted, 0.25);\n"
    "    normal = vec4(seen_normal() * 0.5 + 0.5, 1.0);\n"
    "}\n";

// The nearest surface of clear liquids.
static const char water_front_fragment[] =
    "uniform float index;\n"
    "out vec4 normal;\n"
    "void main()\n"
    "{\n"
    "    normal = vec4(seen_normal(), index);\n"
    "}\n";

// The way of light through clear liquids: where it leaves one less where it enters, each cut off at the opaque surface
// behind. Added up over all triangles, this is the absorption for each colour, and the length. `whole` is the same as
// if nothing opaque were there.
static const char water_way_fragment[] =
    "uniform sampler2D depths;\n"
    "uniform vec2 size;\n"
    "uniform int samples;\n"
    "uniform vec3 absorption;\n"
    "in vec3 place;\n"
    "layout(location = 0) out vec4 way;\n"
    "layout(location = 1) out vec4 whole;\n"
    "float distance_of(vec3 p) { return orthographic ? -p.z : length(p); }\n"
    "void main()\n"
    "{\n"
    "    vec2 device = gl_FragCoord.xy / (size * float(samples)) * 2.0 - 1.0;\n"
    "    vec3 end = view_position(device, texelFetch(depths, ivec2(gl_FragCoord.xy), 0).r);\n"
    "    float at = min(distance_of(place), distance_of(end));\n"
    "    way = (gl_FrontFacing ? -at : at) * vec4(absorption, 1.0);\n"
    "    whole = (gl_FrontFacing ? -1.0 : 1.0) * distance_of(place) * vec4(absorption, 1.0);\n"
    "}\n";

// What clear liquids between the sun and opaque surfaces leave of the picture: the light that they absorb is missing,
// and some more that they bend to other places. The sun's share of the light is that of the floor.
static const char water_shadow_fragment[] =
    "uniform sampler2D shade;\n"
    "void main()\n"
    "{\n"
    "    ivec2 at = ivec2(gl_FragCoord.xy) * samples + samples / 2;\n"
    "    vec4 surface = texelFetch(albedos, at, 0);\n"
    "    colour = vec4(1.0);\n"
    "    if (surface.a < 0.125) return;\n"
    "    vec3 p = view_position(gl_FragCoord.xy / size * 2.0 - 1.0, texelFetch(depths, at, 0).r);\n"
    "    vec3 n = normalize(texelFetch(normals, at, 0).xyz * 2.0 - 1.0);\n"
    "    vec3 q = (view_to_light * vec4(p, 1.0)).xyz * 0.5 + 0.5;\n"
    "    if (any(lessThan(q, vec3(0.0))) || any(greaterThan(q, vec3(1.0))) || dot(n, sun) <= 0.0) return;\n"
    "    vec3 left = vec3(0.0);\n"
    "    for (int k = 0; k < 16; ++k) {\n"
    "        vec4 way = max(texture(shade, q.xy + DISC[k] * (2.5 / float(textureSize(shade, 0).x))), vec4(0.0));\n"
    "        left += exp(-way.rgb) * (0.80 + 0.20 * exp(-8.0 * way.a / reach)) / 16.0;\n"
    "    }\n"
    "    vec3 share = mix(vec3(0.56, 0.60, 0.66), vec3(1.0), left), world = (view_to_world * vec4(p, 1.0)).xyz;\n"
    "    share = mix(vec3(1.0), share, sunlit(p, n, 0, 8));\n"
    "    share = mix(share, vec3(1.0), smoothstep(1.6, 4.5, length(world.xy - middle) / extent));\n"
    "    colour = vec4(pow(share, vec3(1.0 / 2.2)), 1.0);\n"
    "}\n";

static const char water_sky[] =
    "uniform sampler2D water, water_depths, ways, wholes, behind;\n"
    "uniform float cloudiness;\n"
    "const vec3 ZENITH = vec3(0.26, 0.45, 0.74);\n"
    "vec3 sky(vec3 direction)\n"
    "{\n"
    "    float height = dot(direction, up);\n"
    "    vec3 horizon = linear(background);\n"
    "    if (height > 0.0) return mix(horizon, ZENITH, pow(height, 0.6));\n"
    "    return mix(horizon, horizon * 0.55, min(-4.0 * height, 1.0));\n"
    "}\n"
    // Unpolarised light that comes from air to a liquid of that index (Fresnel's equations).
    "float reflected(float in_air, float in_water, float index)\n"
    "{\n"
    "    float s = (in_air - index * in_water) / (in_air + index * in_water);\n"
    "    float p = (index * in_air - in_water) / (index * in_air + in_water);\n"
    "    return 0.5 * (s * s + p * p);\n"
    "}\n";

// What lies behind a surface is looked up where the refracted ray ends. If the liquid's other side is parallel to this
// one, as that of a slab is, the ray's length is the slab's thickness over the cosine in the liquid, exactly. Where
// something opaque in the liquid cuts off the straight ray, or may cut off the refracted one, that is followed step by
// step through the picture's depths: a body in the water is seen where the ray meets it, and not in front of what the
// ray meets beside it. A place that is hidden by something before the liquid cannot be looked up: there the ray goes
// straight on.
static const char water_follow[] =
    "ivec2 sample_of(vec2 at)\n"
    "{\n"
    "    return clamp(ivec2(at * size * float(samples)), ivec2(0), ivec2(size) * samples - 1);\n"
    "}\n"
    "vec2 picture_of(vec3 q)\n"
    "{\n"
    "    vec4 there = projection * vec4(q, 1.0);\n"
    "    return clamp(there.xy / there.w * 0.5 + 0.5, vec2(0.0), vec2(1.0));\n"
    "}\n"
    "bool is_cut_off(ivec2 at)\n"
    "{\n"
    "    return texelFetch(water, at, 0).w > 0.0 && texelFetch(ways, at, 0).a < 0.98 * texelFetch(wholes, at, 0).a;\n"
    "}\n"
    // How far a place is behind the opaque surface that is seen there.
    "float behind_of(vec3 q)\n"
    "{\n"
    "    vec2 at = picture_of(q);\n"
    "    vec3 seen = view_position(at * 2.0 - 1.0, texelFetch(depths, sample_of(at), 0).r);\n"
    "    return orthographic ? seen.z - q.z : length(q) - length(seen);\n"
    "}\n"
    // The length of the ray up to what it meets, at most `most`, and up to the last place on it that is seen. What is
    // farther behind a surface than a few steps is hidden by it, and does not touch it.
    "vec2 follow(vec3 p, vec3 ray, float most)\n"
    "{\n"
    "    const int STEPS = 32;\n"
    "    float step_length = most / float(STEPS), last = 0.0;\n"
    "    for (int k = 1; k <= STEPS; ++k) {\n"
    "        float t = step_length * float(k), behind_by = behind_of(p + t * ray);\n"
    "        if (behind_by <= 0.0) { last = t; continue; }\n"
    "        if (behind_by > 3.0 * step_length) continue;\n"
    "        float low = t - step_length;\n"
    "        for (int n = 0; n < 5; ++n) {\n"
    "            float middle = 0.5 * (low + t);\n"
    "            if (behind_of(p + middle * ray) > 0.0) t = middle; else low = middle;\n"
    "        }\n"
    "        return vec2(t);\n"
    "    }\n"
    "    return vec2(most, last);\n"
    "}\n";

static const char water_shade[] =
    // Light that the liquid scatters back from below its surface: sky from above, sun where the surface faces it.
    "vec3 scattered(vec3 n, float light)\n"
    "{\n"
    "    vec3 lit = SKY * (0.75 + 0.35 * dot(n, up)) + KEY * light * (0.15 + 0.85 * max(dot(n, sun), 0.0));\n"
    "    return vec3(0.22, 0.52, 0.66) * lit;\n"
    "}\n"
    "vec3 water_colour(ivec2 sample_at, vec2 device, vec4 front)\n"
    "{\n"
    "    vec3 p = view_position(device, texelFetch(water_depths, sample_at, 0).r);\n"
    "    vec3 end = view_position(device, texelFetch(depths, sample_at, 0).r);\n"
    "    vec3 eye = orthographic ? vec3(0.0, 0.0, 1.0) : -normalize(p), n = normalize(front.xyz);\n"
    "    float in_air = dot(n, eye), index = front.w;\n"
    "    if (in_air < 0.03) {\n"
    "        n = normalize(n + (0.03 - in_air) * eye);\n"
    "        in_air = max(dot(n, eye), 0.03);\n"
    "    }\n"
    "    vec3 ray = refract(-eye, n, 1.0 / index);\n"
    "    float in_water = max(-dot(ray, n), 1e-3);\n"
    "    vec4 way = texelFetch(ways, sample_at, 0);\n"
    "    if (way.a < 0.0) way *= orthographic ? (p.z - end.z) / way.a : (length(end) - length(p)) / way.a;\n"
    "    way = max(way, vec4(0.0)) * (in_air / in_water);\n"
    "    vec4 whole = max(texelFetch(wholes, sample_at, 0), vec4(0.0)) * (in_air / in_water);\n"
    "    vec2 at = picture_of(p + way.a * ray), here = device * 0.5 + 0.5;\n"
    "    if (whole.a > 0.0 && (is_cut_off(sample_at) || is_cut_off(sample_of(picture_of(p + whole.a * ray))) ||\n"
    "                          is_cut_off(sample_of(picture_of(p + 0.5 * whole.a * ray))))) {\n"
    "        vec2 lengths = follow(p, ray, whole.a);\n"
    "        way = whole * (lengths.x / whole.a);\n"
    "        at = picture_of(p + lengths.y * ray);\n"
    "    }\n"
    "    ivec2 hit = sample_of(at);\n"
    "    if (texelFetch(depths, hit, 0).r < texelFetch(water_depths, hit, 0).r - 1e-6 ||\n"
    "        texelFetch(depths, hit, 0).r < texelFetch(water_depths, sample_at, 0).r) at = here;\n"
    "    vec3 through = linear(texture(behind, at).rgb) * exp(-way.rgb);\n"
    "    float share = reflected(in_air, in_water, index), light = sunlit(p, n, 0, 2);\n"
    "    vec3 mirror = reflect(-eye, n);\n"
    "    through = mix(through, scattered(n, light), cloudiness * (1.0 - 0.7 * exp(-5.0 * way.a / extent)));\n"
    "    float glint = pow(max(dot(mirror, sun), 0.0), 350.0);\n"
    "    return min(mix(through, sky(mirror), share) + KEY * light * glint * 2.5 * (0.3 + share), vec3(1.0));\n"
    "}\n";

static const char water_main[] =
    "void main()\n"
    "{\n"
    "    ivec2 first = ivec2(gl_FragCoord.xy) * samples;\n"
    "    vec3 sum = vec3(0.0), empty = linear(texelFetch(behind, ivec2(gl_FragCoord.xy), 0).rgb);\n"
    "    bool is_wet = false;\n"
    "    for (int y = 0; y < samples; ++y)\n"
    "        for (int x = 0; x < samples; ++x) {\n"
    "            ivec2 at = first + ivec2(x, y);\n"
    "            vec4 front = texelFetch(water, at, 0);\n"
    "            vec2 device = (vec2(at) + 0.5) / (size * float(samples)) * 2.0 - 1.0;\n"
    "            is_wet = is_wet || front.w > 0.0;\n"
    "            sum += front.w > 0.0 ? water_colour(at, device, front) : empty;\n"
    "        }\n"
    "    if (!is_wet) discard;\n"
    "    colour = vec4(pow(sum / float(samples * samples), vec3(1.0 / 2.2)), 1.0);\n"
    "}\n";

// Lines before the water, where there is some: those behind it have been drawn.
static const char line_before_water[] =
    "uniform sampler2D water;\n"
    "bool can_be_seen(ivec2 at) { return texelFetch(water, at, 0).w > 0.0; }\n";

const mote_shader_text mote_shader_texts[MOTE_PASS_COUNT] = {
    [MOTE_PASS_SPHERES] = {"spheres", sphere_vertex, {sphere_fragment}},
    [MOTE_PASS_SPHERE_SHADOWS] = {"shadows of spheres", sphere_vertex, {sphere_shadow_fragment}},
    [MOTE_PASS_MESHES] = {"meshes", mesh_vertex, {mesh_normal, mesh_fragment}},
    [MOTE_PASS_MESH_SHADOWS] = {"shadows of meshes", mesh_vertex, {mesh_shadow_fragment}},
    [MOTE_PASS_OCCLUSION] = {"occlusion", picture_vertex, {view_position, occlusion_fragment}},
    [MOTE_PASS_LIGHT] = {"light", picture_vertex, {view_position, light_inputs, light_reach, light_floor,
                                                 light_surface, light_shade, light_main}},
    [MOTE_PASS_GLASS] = {"glass", mesh_vertex, {view_position, light_inputs, light_reach, light_surface, mesh_normal,
                                                glass_fragment}},
    [MOTE_PASS_GLASS_PICTURE] = {"picture of glass", picture_vertex, {glass_picture_fragment}},
    [MOTE_PASS_LINES] = {"lines", line_vertex, {line_everywhere, line_fragment}},
    [MOTE_PASS_SURFACES] = {"surfaces", surface_vertex, {mesh_normal, surface_fragment}},
    [MOTE_PASS_WATER_FRONT] = {"front of water", mesh_vertex, {mesh_normal, water_front_fragment}},
    [MOTE_PASS_WATER_THICKNESS] = {"thickness of water", mesh_vertex, {view_position, water_way_fragment}},
    [MOTE_PASS_WATER_SHADOW] = {"shadow of water", picture_vertex, {view_position, light_inputs, light_reach,
                                                                  water_shadow_fragment}},
    [MOTE_PASS_WATER] = {"water", picture_vertex, {view_position, light_inputs, light_reach, water_sky, water_follow,
                                                 water_shade, water_main}},
    [MOTE_PASS_WATER_LINES] = {"lines before water", line_vertex, {line_before_water, line_fragment}},
};
