// SPDX-License-Identifier: MIT
#include "support/shapes.h"

#include "base/tested.h"
#include "support/test.h"

static mote_mesh *make(mote_context *context, const mote_vec3 *vertices, size_t vertex_count, const uint32_t *triangles,
                       size_t triangle_count)
{
    mote_mesh *mesh;
    CHECK_OK(mote_mesh_create(context, vertices, vertex_count, triangles, triangle_count, &mesh, NULL));
    return mesh;
}

mote_vec3 shape_random_point(mote_random *random, double size)
{
    const double x = mote_random_unit(random), y = mote_random_unit(random), z = mote_random_unit(random);
    return mote_vec3_make(size * (x - 0.5), size * (y - 0.5), size * (z - 0.5));
}

mote_mesh *shape_cube(mote_context *context, uint32_t n)
{
    const uint32_t side = (n + 1) * (n + 1);
    mote_vec3 *vertices = calloc(6 * side, sizeof *vertices);
    uint32_t *triangles = calloc(36 * n * n, sizeof *triangles), *next = triangles;
    for (uint32_t face = 0; face < 6; ++face) {
        uint32_t axis = face / 2, high = face % 2;
        for (uint32_t j = 0; j <= n; ++j)
            for (uint32_t i = 0; i <= n; ++i) {
                double p[3];
                p[axis] = high;
                p[(axis + 1) % 3] = (double)i / n;
                p[(axis + 2) % 3] = (double)j / n;
                vertices[face * side + j * (n + 1) + i] = mote_vec3_make(p[0], p[1], p[2]);
            }
        for (uint32_t j = 0; j < n; ++j)
            for (uint32_t i = 0; i < n; ++i) {
                uint32_t a = face * side + j * (n + 1) + i, b = a + 1, c = a + n + 2, d = a + n + 1;
                uint32_t out[6] = {a, b, c, a, c, d}, in[6] = {a, c, b, a, d, c};
                memcpy(next, high ? out : in, sizeof out);
                next += 6;
            }
    }
    mote_mesh *mesh = make(context, vertices, 6 * side, triangles, 12 * n * n);
    free(vertices);
    free(triangles);
    CHECK_OK(mote_mesh_weld(mesh, NULL));
    return mesh;
}

mote_mesh *shape_sphere(mote_context *context, uint32_t levels)
{
    size_t count = 8;
    for (uint32_t k = 0; k < levels; ++k) count *= 4;
    mote_vec3 *soup = calloc(3 * count, sizeof *soup);
    for (size_t face = 0; face < 8; ++face) {
        mote_vec3 x = {face & 1 ? -1 : 1, 0, 0}, y = {0, face & 2 ? -1 : 1, 0}, z = {0, 0, face & 4 ? -1 : 1};
        bool odd = (face & 1) ^ (face >> 1 & 1) ^ (face >> 2 & 1);
        soup[3 * face] = x;
        soup[3 * face + 1] = odd ? z : y;
        soup[3 * face + 2] = odd ? y : z;
    }
    for (size_t done = 8; done < count; done *= 4)
        for (size_t t = done; t-- > 0;) {
            mote_vec3 a = soup[3 * t], b = soup[3 * t + 1], c = soup[3 * t + 2];
            mote_vec3 ab = mote_vec3_unit(mote_vec3_add(a, b)), bc = mote_vec3_unit(mote_vec3_add(b, c)),
                      ca = mote_vec3_unit(mote_vec3_add(c, a));
            mote_vec3 four[12] = {a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca};
            memcpy(soup + 12 * t, four, sizeof four);
        }
    uint32_t *triangles = calloc(3 * count, sizeof *triangles);
    for (uint32_t i = 0; i < 3 * count; ++i) triangles[i] = i;
    mote_mesh *mesh = make(context, soup, 3 * count, triangles, count);
    free(soup);
    free(triangles);
    CHECK_OK(mote_mesh_weld(mesh, NULL));
    return mesh;
}

mote_mesh *shape_torus(mote_context *context, double radius, double tube, uint32_t around, uint32_t across)
{
    const double pi = 3.14159265358979323846;
    mote_vec3 *vertices = calloc((size_t)around * across, sizeof *vertices);
    uint32_t *triangles = calloc((size_t)around * across, 6 * sizeof *triangles), *next = triangles;
    for (uint32_t i = 0; i < around; ++i)
        for (uint32_t j = 0; j < across; ++j) {
            double angle = 2 * pi * i / around, turn = 2 * pi * j / across, r = radius + tube * cos(turn);
            vertices[i * across + j] = mote_vec3_make(r * cos(angle), r * sin(angle), tube * sin(turn));
            uint32_t here = i * across, there = (i + 1) % around * across, up = (j + 1) % across;
            uint32_t quad[6] = {here + j, there + j, here + up, there + j, there + up, here + up};
            memcpy(next, quad, sizeof quad);
            next += 6;
        }
    mote_mesh *mesh = make(context, vertices, (size_t)around * across, triangles, 2 * (size_t)around * across);
    free(vertices);
    free(triangles);
    return mesh;
}

mote_mesh *shape_spike(mote_context *context)
{
    const mote_vec3 vertices[] = {{0, 0, 1}, {0.001, 0, 0}, {-0.0005, 0.0009, 0}, {-0.0005, -0.0009, 0}};
    const uint32_t triangles[] = {0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2};
    return make(context, vertices, 4, triangles, 4);
}

mote_mesh *shape_star(mote_context *context)
{
    enum { N = 10 };
    const double pi = 3.14159265358979323846;
    mote_vec3 vertices[2 * N + 2];
    uint32_t triangles[12 * N];
    for (uint32_t i = 0; i < N; ++i) {
        double radius = i % 2 ? 0.38 : 1, angle = 2 * pi * i / N;
        vertices[i] = mote_vec3_make(radius * cos(angle), radius * sin(angle), 0);
        vertices[N + i] = mote_vec3_make(vertices[i].x, vertices[i].y, 0.5);
        uint32_t j = (i + 1) % N, bottom = 2 * N, top = 2 * N + 1;
        uint32_t four[12] = {i, j, N + j, i, N + j, N + i, bottom, j, i, top, N + i, N + j};
        memcpy(triangles + 12 * i, four, sizeof four);
    }
    vertices[2 * N] = mote_vec3_make(0, 0, 0);
    vertices[2 * N + 1] = mote_vec3_make(0, 0, 0.5);
    return make(context, vertices, 2 * N + 2, triangles, 4 * N);
}

mote_mesh *shape_soup(mote_context *context, uint32_t count)
{
    mote_random random = {count};
    mote_vec3 *vertices = malloc(3 * count * sizeof *vertices);
    uint32_t *triangles = malloc(3 * count * sizeof *triangles);
    for (uint32_t t = 0; t < count; ++t) {
        const double size = ldexp(1, -(int)mote_random_below(&random, 10));
        const mote_vec3 center = shape_random_point(&random, 2);
        for (uint32_t k = 0; k < 3; ++k) {
            triangles[3 * t + k] = 3 * t + k;
            vertices[3 * t + k] = mote_vec3_add(center, shape_random_point(&random, size));
        }
        if (t % 17 == 3) vertices[3 * t + 2] = vertices[3 * t];
        for (uint32_t k = 0; t % 19 == 7 && k < 3; ++k) vertices[3 * t + k] = vertices[3 * (t - 1) + k];
    }
    mote_mesh *mesh = make(context, vertices, 3 * count, triangles, count);
    free(vertices);
    free(triangles);
    return mesh;
}
