// SPDX-License-Identifier: MIT
// Layers of wall particles in a body: what one distance decides for many cubes is what a query for each of them finds.

#include "mote/hits.h"
#include "simulation/tested.h"
#include "support/test.h"

static const double d = 0.05;

static double distance_from_mesh(const void *body, mote_vec3 place, double reach)
{
    mote_closest closest;
    bool is_inside = false;
    mote_hits_closest(body, place, reach, MOTE_SIGN_NORMAL, &closest, NULL);
    if (closest.triangle != UINT32_MAX) return closest.distance;
    mote_hits_is_inside(body, place, &is_inside, NULL);
    return is_inside ? -HUGE_VAL : HUGE_VAL;
}

// The part of a cube in a body, by the distance of each of 4^D smaller cubes.
static double share_of_all(const mote_hits *hits, mote_vec3 middle, int dimensions, mote_vec3 *center)
{
    const double step = d / 4;
    double filled = 0;
    mote_vec3 sum = {0, 0, 0};
    for (int y = 0; y < (dimensions == 2 ? 1 : 4); ++y)
        for (int z = 0; z < 4; ++z)
            for (int x = 0; x < 4; ++x) {
                const mote_vec3 at = {middle.x + step * (x - 1.5), dimensions == 2 ? 0 : middle.y + step * (y - 1.5),
                                      middle.z + step * (z - 1.5)};
                const double share = fmax(0, fmin(0.5 - distance_from_mesh(hits, at, step) / step, 1));
                filled += share;
                sum.x += share * at.x, sum.y += share * at.y, sum.z += share * at.z;
            }
    if (filled > 0) *center = (mote_vec3){sum.x / filled, sum.y / filled, sum.z / filled};
    return filled / (dimensions == 2 ? 16 : 64);
}

// Layers in a ball are what a query for each cube of the box around it finds, to the last bit; and of fields only those
// in the box where they matter.
static void layers_are_those_of_each_cube(void **state)
{
    (void)state;
    mote_simulation none = {.object_count = 0};
    mote_shape shape = mote_solid_default_def().shape;
    shape.kind = MOTE_SOLID_BALL, shape.radius = 6.3 * d, shape.center = (mote_vec3){0.1, 0.2, 0.3};
    mote_mesh *mesh;
    mote_hits *hits;
    CHECK_OK(mote_mesh_create_shape(NULL, &shape, 3, d, &mesh, NULL));
    CHECK_OK(mote_hits_create(NULL, NULL, mesh, &hits, NULL));
    CHECK_OK(mote_hits_prepare_closest(hits, NULL));
    const mote_box box = mote_mesh_box(mesh), part = {{0, 0, 0.1}, {0.3, 0.3, 0.9}};
    for (int round = 0; round < 2; ++round) {
        point_list walls = {.count = 0};
        const wall_request request = {d, 3 * d, 3, 1, MOTE_SOLVER_WEAK, NULL, round ? &part : NULL};
        bool is_thick;
        CHECK_OK(mote_solid_make_layers(&none, hits, box, &request, &walls, &is_thick));
        CHECK(is_thick, "a ball is thin");
        size_t count = 0;
        const int n = (int)ceil((box.max.x - box.min.x) / d - 1e-9);
        for (int k = 0; k < n * n * n; ++k) {
            mote_vec3 at = {box.min.x + d * (k % n + 0.5), box.min.y + d * (k / n % n + 0.5),
                            box.min.z + d * (k / (n * n) + 0.5)};
            const double depth = -distance_from_mesh(hits, at, 3 * d);
            if (round && !mote_box_contains(part, at)) continue;
            if (depth > 3 * d) continue;
            const double half = 0.5 * sqrt(3) * d, volume = depth >= half ? 1 : share_of_all(hits, at, 3, &at);
            if (!(volume > 0)) continue;
            CHECK(count < walls.count, "there are %zu wall particles only", walls.count);
            const double *found = (const double *)walls.positions.data + 3 * count;
            CHECK(found[0] == at.x && found[1] == at.y && found[2] == at.z &&
                      ((const double *)walls.volumes.data)[count] == volume,
                  "round %d, cube %d: another wall particle", round, k);
            ++count;
        }
        CHECK(count == walls.count && count > 100, "%zu wall particles, expected %zu", walls.count, count);
        mote_buffer_release(NULL, &walls.positions);
        mote_buffer_release(NULL, &walls.volumes);
    }
    for (int k = 0; k < 200; ++k) {
        const mote_vec3 at = {0.1 + 0.0031 * k, 0, 0.3 - 0.0013 * k};
        mote_vec3 own = {0, 0, 0}, all = {0, 0, 0};
        const double share = mote_cube_share(distance_from_mesh, hits, at, d, 2, &own);
        CHECK(share == share_of_all(hits, at, 2, &all) && own.x == all.x && own.z == all.z, "square %d", k);
    }
    mote_hits_destroy(hits);
    mote_mesh_destroy(mesh);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_are_those_of_each_cube),
    };
    RUN_TESTS(tests, argc, argv);
}
