// SPDX-License-Identifier: MIT
// Layers of wall particles in a body: what one distance decides for many cubes is what a query for each of them finds;
// and bodies of two spacings are thick, wherever they are and however they are turned.

#include <string.h>

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

// Layers in a ball are what a query for each cube of the box around it finds, to the last bit; and none where only
// its thickness is asked for.
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
    const mote_box box = mote_mesh_box(mesh);
    for (int round = 0; round < 2; ++round) {
        point_list walls = {.count = 0};
        const wall_request request = {d, 3 * d, 3, 1, MOTE_SOLVER_WEAK, NULL, round == 1, NULL, false};
        bool is_thick;
        CHECK_OK(mote_solid_make_layers(&none, hits, box, &request, &walls, &is_thick));
        CHECK(is_thick, "a ball is thin");
        if (round == 1) CHECK(walls.count == 0, "%zu wall particles", walls.count);
        size_t count = 0;
        const int n = round == 1 ? 0 : (int)ceil((box.max.x - box.min.x) / d - 1e-9);
        for (int k = 0; k < n * n * n; ++k) {
            mote_vec3 at = {box.min.x + d * (k % n + 0.5), box.min.y + d * (k / n % n + 0.5),
                            box.min.z + d * (k / (n * n) + 0.5)};
            const double depth = -distance_from_mesh(hits, at, 3 * d);
            if (depth > 3 * d) continue;
            const double half = 0.5 * sqrt(3) * d, volume = depth >= half ? 1 : share_of_all(hits, at, 3, &at);
            if (!(volume > 0)) continue;
            CHECK(count < walls.count, "there are %zu wall particles only", walls.count);
            const double *found = (const double *)walls.positions.data + 3 * count;
            CHECK(found[0] == at.x && found[1] == at.y && found[2] == at.z &&
                      ((const double *)walls.volumes.data)[count] == volume,
                  "cube %d: another wall particle", k);
            ++count;
        }
        CHECK(count == walls.count, "%zu wall particles, expected %zu", walls.count, count);
        CHECK(round == 1 || count > 100, "%zu wall particles", count);
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

enum { PLATE, CUBE, ROUND, STRIP, SQUARE, WEDGE, SHAPES };

// A body as thick as that where it is thickest, in spacings; the last three are of 2D.
static mote_shape shape_of(int kind, double thickness, double corners[6])
{
    mote_shape shape = mote_solid_default_def().shape;
    const double t = thickness * d, long_edge = kind == CUBE || kind == SQUARE ? t : 9.3 * d;
    shape.kind = kind == ROUND ? MOTE_SOLID_CYLINDER : kind == WEDGE ? MOTE_SOLID_POLYGON : MOTE_SOLID_BOX;
    if (shape.kind == MOTE_SOLID_BOX) shape.box = (mote_box){{0, 0, 0}, {long_edge, kind < STRIP ? long_edge : 0, t}};
    if (kind == ROUND) shape.center = (mote_vec3){0, 0, 0}, shape.radius = 5 * d, shape.height = t;
    if (kind != WEDGE) return shape;
    // A triangle with a right angle, around a circle of this diameter.
    const double leg = 0.5 * t * (2 + sqrt(2));
    memset(corners, 0, 6 * sizeof *corners);
    corners[2] = corners[5] = leg;
    shape.corners = (mote_corners){corners, 3};
    return shape;
}

static bool is_thick_at(const mote_shape *shape, int dimensions, const mote_placement *placement)
{
    mote_simulation none = {.object_count = 0};
    mote_mesh *mesh, *deep = NULL;
    mote_hits *hits;
    point_list walls = {.count = 0};
    const wall_request request = {d, 3 * d, dimensions, 1, MOTE_SOLVER_WEAK, NULL, false, NULL, false};
    bool is_thick = false;
    CHECK_OK(mote_mesh_create_shape(NULL, shape, dimensions, d, &mesh, NULL));
    mote_mesh_place(mesh, placement);
    if (dimensions == 2) CHECK_OK(mote_solid_deepen(NULL, mesh, 3 * d, &deep, NULL));
    CHECK_OK(mote_hits_create(NULL, NULL, deep ? deep : mesh, &hits, NULL));
    CHECK_OK(mote_hits_prepare_closest(hits, NULL));
    CHECK_OK(mote_solid_make_layers(&none, hits, mote_mesh_box(mesh), &request, &walls, &is_thick));
    mote_buffer_release(NULL, &walls.positions);
    mote_buffer_release(NULL, &walls.volumes);
    mote_hits_destroy(hits);
    mote_mesh_destroy(deep);
    mote_mesh_destroy(mesh);
    return is_thick;
}

static void bodies_are_thick_from_two_spacings(void **state)
{
    (void)state;
    static const double thicknesses[] = {1.8, 1.9, 1.99, 2, 2.01, 2.1, 2.25, 2.4, 3};
    static const mote_vec3 turns[] = {{0, 0, 0}, {90, 0, 0}, {30, 20, 50}, {45, 45, 0}, {5, -3, 1}, {-71, 13, 33}};
    static const mote_vec3 places[] = {{0, 0, 0}, {0.013, 0.021, 0.037}, {-3.3, 1.7, 0.249}};
    for (int kind = 0; kind < SHAPES; ++kind)
        for (size_t k = 0; k < sizeof thicknesses / sizeof *thicknesses; ++k)
            for (size_t turn = 0; turn < 6; ++turn)
                for (size_t place = 0; place < 3; ++place) {
                    double corners[6];
                    const int dimensions = kind < STRIP ? 3 : 2;
                    const mote_shape shape = shape_of(kind, thicknesses[k], corners);
                    mote_placement placement = {.scale = 1, .rotate = turns[turn], .translate = places[place]};
                    if (dimensions == 2) placement.rotate.x = placement.rotate.z = placement.translate.y = 0;
                    CHECK(is_thick_at(&shape, dimensions, &placement) == (thicknesses[k] >= 2),
                          "shape %d of %g spacings, turn %zu, place %zu", kind, thicknesses[k], turn, place);
                }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_are_those_of_each_cube),
        cmocka_unit_test(bodies_are_thick_from_two_spacings),
    };
    RUN_TESTS(tests, argc, argv);
}
