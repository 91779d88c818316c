// SPDX-License-Identifier: MIT
// Kinds of boundaries side by side: water at rest before a flat wall, in an inner edge, around a ball and around a
// mesh, with every kind and solver that go together; and a Couette flow between two walls, the upper of which moves,
// with the solver that has walls that move. A line of CSV for each:
//
//     removed   particles that the body displaced, over its volume in spacings, less 1; as much as water there is
//               compressed is right
//     start     greatest speed in the first 0.1 s, over sqrt(gH)
//     gap       median distance of the nearest particles from the body, in spacings
//     rms       of the pressure within four spacings of the body, less that of the depth; over that at the bottom. Of
//               the Couette flow: of the velocity, less that of the line between the walls; over the upper one's
//     drift     change of kinetic and potential energy in the run, over m g H. Of the Couette flow: kinetic energy
//               over that of the line, less 1
//     escaped   particles inside a body or beyond a wall at the end
//
// With --impact MILLIONS instead: a dam breaks onto a box of each kind, in the tank of SPHERIC's test 2 (Kleefsman et
// al. 2005), for so many particle-steps and at least a second, of which water is at the box for half; and how many
// particles have passed a wall, looked for every 50 steps.
//
// and what it takes: processor time of a step [ms] and to set up [ms], memory of the fluid [MB].

#include <math.h>
#include <string.h>

#include "measure.h"
#include "mote/hits.h"
#include "mote/import.h"
#include "mote/simulation.h"

enum { MOST_SOLIDS = 2, LOOK_EVERY = 50 };  // steps, for escapes
static const double couette_speed = 1, couette_viscosity = 80, couette_end = 0.8;  // [m/s], [Pa s], [s]

typedef struct kind_row {
    int32_t preset, kind;
} kind_row;

static const kind_row kinds[] = {
    {MOTE_PRESET_FAST, MOTE_BOUNDARY_PLANES},        {MOTE_PRESET_FAST, MOTE_BOUNDARY_LAYERS},
    {MOTE_PRESET_FAST, MOTE_BOUNDARY_SAMPLES},       {MOTE_PRESET_FAST, MOTE_BOUNDARY_FIELD},
    {MOTE_PRESET_FAST, MOTE_BOUNDARY_PROXY},         {MOTE_PRESET_FAST, MOTE_BOUNDARY_PROXY_PLANES},
    {MOTE_PRESET_ENGINEERING, MOTE_BOUNDARY_LAYERS}, {MOTE_PRESET_ENGINEERING, MOTE_BOUNDARY_SAMPLES},
    {MOTE_PRESET_ENGINEERING, MOTE_BOUNDARY_FIELD},  {MOTE_PRESET_ENGINEERING, MOTE_BOUNDARY_PROXY},
};

// A body in the middle of a tank, or along its floor. Lengths are in spacings.
typedef struct body_case {
    const char *name;
    int dimensions;
    double width, depth;  // of the tank and of the water in it
    mote_shape shapes[MOST_SOLIDS];
    int shape_count;
    const char *mesh;  // a file instead, scaled to `size` along its longest side
    double size;
    bool is_couette;  // without gravity and tank, periodic along x; the second shape moves
    bool is_floor;    // with planes it is the tank's own floor that is looked at, and there is no body
} body_case;

typedef struct measured {
    double removed, start, gap, rms, drift, escaped, step_ms, setup_ms, megabytes;
} measured;

typedef struct experiment {
    const body_case *of;
    kind_row row;
    double spacing, end;
    mote_simulation_def def;
    mote_block_def block;
    mote_solid_def solids[MOST_SOLIDS];
    mote_mesh *meshes[MOST_SOLIDS];
    mote_simulation *simulation;
} experiment;

static bool is_of_tank(const experiment *run)
{
    return run->row.kind == MOTE_BOUNDARY_PLANES && run->of->is_floor;
}

static bool is_octree(int32_t kind)
{
    return kind == MOTE_BOUNDARY_PROXY || kind == MOTE_BOUNDARY_PROXY_PLANES;
}

static bool complain(const char *what, const mote_error *error)
{
    fprintf(stderr, "boundaries: %s: %s\n", what, error->text);
    return false;
}

// ---------------------------------------------------------------------------------------------------------- set up

static bool make_mesh(experiment *run, int k, mote_error *error)
{
    const body_case *of = run->of;
    const double d = run->spacing;
    if (!of->mesh) {
        mote_shape shape = of->shapes[k];
        mote_result result = mote_mesh_create_shape(NULL, &shape, of->dimensions, 1, &run->meshes[k], error);
        if (result == MOTE_OK) mote_mesh_place(run->meshes[k], &(mote_placement){.scale = d});
        return result == MOTE_OK || complain(of->name, error);
    }
    if (mote_import_mesh(NULL, of->mesh, &run->meshes[k], error) != MOTE_OK ||
        mote_mesh_weld(run->meshes[k], error) != MOTE_OK)
        return complain(of->mesh, error);
    const mote_box box = mote_mesh_box(run->meshes[k]);
    const mote_vec3 extent = {box.max.x - box.min.x, box.max.y - box.min.y, box.max.z - box.min.z};
    const double scale = of->size * d / fmax(extent.x, fmax(extent.y, extent.z)), middle = of->width * d / 2;
    const mote_placement place = {.scale = scale,
                                  .translate = {middle - scale * (box.min.x + extent.x / 2),
                                                middle - scale * (box.min.y + extent.y / 2),
                                                middle - scale * (box.min.z + extent.z / 2)}};
    mote_mesh_place(run->meshes[k], &place);
    return true;
}

static void fill_def(experiment *run)
{
    const body_case *of = run->of;
    const double d = run->spacing, width = of->width * d, deep = of->dimensions == 3 ? width : 0;
    mote_simulation_def *def = &run->def;
    mote_vec3 *end = of->is_couette ? &def->periodic.max : &def->tank.max;
    *def = mote_simulation_default_def();
    mote_fluid_choose_preset(&def->fluid, run->row.preset, NULL);
    def->fluid.dimensions = of->dimensions;
    def->fluid.spacing = d;
    def->has_tank = !of->is_couette, def->has_periodic = def->periodic.x = of->is_couette;
    def->tank.min = def->periodic.min = (mote_vec3){0, 0, 0}, *end = (mote_vec3){width, deep, 1.5 * of->depth * d};
    def->tank.open_z_max = true;
    if (of->is_couette) {
        def->fluid.gravity.z = 0;
        def->phase.sound_speed = 10 * couette_speed, def->phase.viscosity = couette_viscosity;
        def->fluid.viscosity_model = MOTE_VISCOSITY_LAPLACIAN, def->fluid.shifting = MOTE_SHIFTING_TRANSPORT;
        def->fluid.viscosity_alpha = 0;
    }
    if (is_of_tank(run)) def->tank.boundary = MOTE_BOUNDARY_PLANES;
    run->block = mote_block_default_def();
    run->block.min = (mote_vec3){0, 0, 0}, run->block.max = (mote_vec3){width, deep, of->depth * d};
    def->blocks = &run->block, def->block_count = 1;
}

// Bodies, unless the tank's own sides are looked at.
static bool fill_solids(experiment *run)
{
    static const char *const names[MOST_SOLIDS] = {"body", "side"};
    mote_error error = {0};
    if (is_of_tank(run)) return true;
    const int count = run->of->mesh ? 1 : run->of->shape_count;
    for (int k = 0; k < count; ++k) {
        run->solids[k] = mote_solid_default_def();
        run->solids[k].name = names[k];
        run->solids[k].boundary = run->row.kind;
        if (!make_mesh(run, k, &error)) return false;
        run->solids[k].mesh = run->meshes[k];
    }
    if (run->of->is_couette) run->solids[1].motion.shift_text[0] = "t";  // at couette_speed
    run->def.solids = run->solids, run->def.solid_count = (size_t)count;
    return true;
}

// ---------------------------------------------------------------------------------------------------------- measuring

// The distance from the nearest body, or from the tank's floor, in spacings.
static double distance_of(const experiment *run, mote_hits *const hits[MOST_SOLIDS], mote_vec3 at)
{
    if (is_of_tank(run)) return at.z / run->spacing;
    double nearest = HUGE_VAL;
    for (size_t k = 0; k < run->def.solid_count; ++k) {
        mote_closest closest;
        mote_hits_closest(hits[k], at, 5 * run->spacing, MOTE_SIGN_NORMAL, &closest, NULL);
        if (closest.triangle != UINT32_MAX) nearest = fmin(nearest, closest.distance / run->spacing);
    }
    return nearest;
}

static bool look(experiment *run, mote_hits *const hits[MOST_SOLIDS], measured *found)
{
    enum { MOST = 100000 };
    static double gaps[MOST];
    mote_fluid_view view;
    mote_error error = {0};
    if (mote_fluid_get_view(mote_simulation_fluid(run->simulation), &view, &error) != MOTE_OK)
        return complain("a view", &error);
    const double d = run->spacing, deep = run->of->depth * d, weight = 9810 * deep;
    double squares = 0, top = 0;
    int count = 0, near = 0;
    for (size_t i = 0; i < view.count; ++i) top = fmax(top, view.z[i] + d / 2);
    for (size_t i = 0; i < view.count; ++i) {
        const double distance = distance_of(run, hits, (mote_vec3){view.x[i], view.y[i], view.z[i]});
        if (distance < 1.1 && count < MOST) gaps[count++] = distance;
        if (distance > 4) continue;
        const double error_here = run->of->is_couette
                                      ? (double)view.vx[i] / couette_speed - view.z[i] / deep
                                      : ((double)view.pressure[i] - 9810 * (top - view.z[i])) / weight;
        squares += error_here * error_here, ++near;
    }
    found->gap = count ? median(gaps, count) : NAN;
    found->rms = near ? sqrt(squares / near) : NAN;
    return true;
}

static bool follow(experiment *run, measured *found)
{
    mote_error error = {0};
    mote_fluid *fluid = mote_simulation_fluid(run->simulation);
    mote_fluid_totals first, now;
    if (mote_fluid_get_totals(fluid, &first, &error) != MOTE_OK) return complain("totals", &error);
    const double reference = mote_simulation_reference_speed(run->simulation);
    const double begin = cpu_milliseconds();
    const double end = run->of->is_couette ? fmax(couette_end, run->end) : run->end;
    while (mote_simulation_time(run->simulation) < end) {
        if (mote_simulation_step(run->simulation, 1, NULL, &error) != MOTE_OK) return complain(run->of->name, &error);
        if (mote_simulation_time(run->simulation) > 0.1) continue;
        if (mote_fluid_get_totals(fluid, &now, &error) != MOTE_OK) return complain("totals", &error);
        found->start = fmax(found->start, now.max_speed / reference);
    }
    found->step_ms = (cpu_milliseconds() - begin) / (double)mote_fluid_get_counters(fluid).steps;
    if (mote_fluid_get_totals(fluid, &now, &error) != MOTE_OK) return complain("totals", &error);
    const double before = first.kinetic_energy + first.potential_energy;
    found->drift = (now.kinetic_energy + now.potential_energy - before) /
                   (first.mass * 9.81 * run->of->depth * run->spacing);
    size_t inside, beyond;
    if (mote_simulation_count_escaped(run->simulation, &inside, &beyond, &error) != MOTE_OK)
        return complain("escapes", &error);
    found->escaped = (double)(inside + beyond);
    // Of velocities from 0 to U along a line the mean square is U²/3.
    const double of_line = now.mass * couette_speed * couette_speed / 6;
    if (run->of->is_couette) found->start = NAN, found->drift = now.kinetic_energy / of_line - 1;
    found->megabytes = 1e-6 * (double)mote_fluid_byte_count(fluid);
    return true;
}

// How much of the bodies is under water, in spacings^D: all of them are, but for what is beyond the tank.
static double volume_of(const experiment *run)
{
    double volume = 0;
    const double d = run->spacing;
    for (size_t k = 0; k < run->def.solid_count; ++k) {
        const mote_box box = mote_mesh_box(run->meshes[k]);
        const bool is_box = !run->of->mesh && run->of->shapes[k].kind == MOTE_SOLID_BOX;
        const double low = fmax(box.min.z, 0), left = fmax(box.min.x, 0), right = fmin(box.max.x, run->of->width * d);
        if (is_box) volume += (right - left) * (fmin(box.max.z, run->of->depth * d) - low) / (d * d);
        else volume += mote_mesh_volume(run->meshes[k]) / (d * d * d);
    }
    if (run->def.solid_count == 2) volume -= 4 * 8;  // where they overlap
    return volume;
}

static bool measure(experiment *run, measured *found)
{
    mote_error error = {0};
    mote_hits *hits[MOST_SOLIDS] = {NULL, NULL};
    *found = (measured){.removed = NAN};
    fill_def(run);
    if (!fill_solids(run)) return false;
    const double begin = cpu_milliseconds();
    if (mote_simulation_create(NULL, &run->def, &run->simulation, &error) != MOTE_OK)
        return complain(run->of->name, &error);
    found->setup_ms = cpu_milliseconds() - begin;
    if (run->def.solid_count && !run->of->is_couette)
        found->removed = (double)mote_simulation_removed_count(run->simulation) / volume_of(run) - 1;
    bool is_good = follow(run, found);
    for (size_t k = 0; k < run->def.solid_count && is_good; ++k)
        is_good = mote_hits_create(NULL, NULL, run->meshes[k], &hits[k], &error) == MOTE_OK &&
                  mote_hits_prepare_closest(hits[k], &error) == MOTE_OK;
    is_good = is_good && look(run, hits, found);
    for (int k = 0; k < MOST_SOLIDS; ++k) mote_hits_destroy(hits[k]), mote_mesh_destroy(run->meshes[k]);
    mote_simulation_destroy(run->simulation);
    return is_good;
}

// ---------------------------------------------------------------------------------------------------------- the cases

static mote_shape box_of(double left, double low, double right, double high)
{
    mote_shape shape = mote_solid_default_def().shape;
    shape.kind = MOTE_SOLID_BOX;
    shape.box = (mote_box){{left, 0, low}, {right, 0, high}};
    return shape;
}

static mote_shape ball_of(double middle, double radius)
{
    mote_shape shape = mote_solid_default_def().shape;
    shape.kind = MOTE_SOLID_BALL;
    shape.center = (mote_vec3){middle, middle, middle}, shape.radius = radius;
    return shape;
}

static const char *name_of(int32_t preset)
{
    return mote_fluid_preset_at((size_t)preset)->name;
}

// Whether a name is one of these, or not given; otherwise says which there are.
static bool is_one_of(const char *option, const char *name, const char *const *names, size_t count)
{
    if (!name) return true;
    for (size_t k = 0; k < count; ++k)
        if (strcmp(names[k], name) == 0) return true;
    fprintf(stderr, "boundaries: %s is '%s', expected", option, name);
    for (size_t k = 0; k < count; ++k) fprintf(stderr, "%s %s", k ? "," : "", names[k]);
    fputc('\n', stderr);
    return false;
}

static const char *kind_name(int32_t kind)
{
    return mote_boundary_kind_at((size_t)kind)->about.name;
}

// ---------------------------------------------------------------------------------------------------------- an impact

// @param counts  particle-steps, time, the most that were inside or beyond at once
static bool follow_impact(experiment *run, double least_steps, double counts[3])
{
    mote_error error = {0};
    mote_fluid *fluid = mote_simulation_fluid(run->simulation);
    counts[2] = 0;
    do {
        size_t inside, beyond;
        mote_result result = MOTE_OK;
        for (int k = 0; k < LOOK_EVERY && result == MOTE_OK; ++k)
            result = mote_simulation_step(run->simulation, 1, NULL, &error);
        if (result == MOTE_OK) result = mote_simulation_count_escaped(run->simulation, &inside, &beyond, &error);
        if (result != MOTE_OK) return complain("impact", &error);
        counts[0] = (double)mote_fluid_get_counters(fluid).particle_steps;
        counts[1] = mote_simulation_time(run->simulation);
        counts[2] = fmax(counts[2], (double)(inside + beyond));
    } while (counts[0] < least_steps || counts[1] < 1);
    return true;
}

static bool break_dam(kind_row row, double spacing, double least_steps, double counts[3])
{
    static const mote_box box = {{2.3955, 0.295, 0}, {2.5565, 0.698, 0.161}};
    experiment run = {.of = &(body_case){.name = "impact", .dimensions = 3, .shape_count = 1}, .row = row,
                      .spacing = spacing};
    mote_error error = {0};
    mote_shape shape = mote_solid_default_def().shape;
    fill_def(&run);
    run.def.tank.min = (mote_vec3){0, 0, 0}, run.def.tank.max = (mote_vec3){3.22, 1, 1};
    run.block.min = (mote_vec3){0, 0, 0}, run.block.max = (mote_vec3){1.228, 1, 0.55};
    shape.kind = MOTE_SOLID_BOX, shape.box = box;
    if (mote_mesh_create_shape(NULL, &shape, 3, 1, &run.meshes[0], &error) != MOTE_OK) return complain("box", &error);
    run.solids[0] = mote_solid_default_def();
    run.solids[0].name = "body", run.solids[0].boundary = row.kind, run.solids[0].mesh = run.meshes[0];
    run.def.solids = run.solids, run.def.solid_count = 1;
    bool is_good = mote_simulation_create(NULL, &run.def, &run.simulation, &error) == MOTE_OK;
    if (is_good) is_good = follow_impact(&run, least_steps, counts);
    else (void)complain("impact", &error);
    mote_simulation_destroy(run.simulation);
    mote_mesh_destroy(run.meshes[0]);
    return is_good;
}

// Whether what is asked for exists.
static bool check_names(const char *mesh, const char *only_case, const char *only_kind, const char *only_preset)
{
    static const char *const case_names[] = {"plane", "edge", "couette", "ball", "mesh"};
    const char *const kind_names[] = {kind_name(MOTE_BOUNDARY_PLANES), kind_name(MOTE_BOUNDARY_LAYERS),
                                      kind_name(MOTE_BOUNDARY_SAMPLES), kind_name(MOTE_BOUNDARY_FIELD),
                                      kind_name(MOTE_BOUNDARY_PROXY), kind_name(MOTE_BOUNDARY_PROXY_PLANES)};
    const char *const preset_names[] = {name_of(MOTE_PRESET_FAST), name_of(MOTE_PRESET_ENGINEERING)};
    return is_one_of("--case", only_case, case_names, mesh ? 5 : 4) &&
           is_one_of("--kind", only_kind, kind_names, sizeof kind_names / sizeof *kind_names) &&
           is_one_of("--preset", only_preset, preset_names, sizeof preset_names / sizeof *preset_names);
}

static int measure_impacts(double least_steps, const char *only_kind, const char *only_preset)
{
    double escaped = 0;
    size_t rows = 0;
    printf("preset,boundary,particle_steps,time,escaped\n");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        const char *kind = kind_name(kinds[k].kind), *preset = name_of(kinds[k].preset);
        double counts[3];
        if ((only_kind && strcmp(only_kind, kind) != 0) || (only_preset && strcmp(only_preset, preset) != 0)) continue;
        if (!break_dam(kinds[k], 0.55 / 15, least_steps, counts)) return 1;
        printf("%s,%s,%.0f,%.3f,%g\n", preset, kind, counts[0], counts[1], counts[2]);
        fflush(stdout);
        escaped += counts[2], ++rows;
    }
    if (rows == 0) return fputs("boundaries: no row has this kind and preset together\n", stderr), 2;
    return escaped > 0 ? 1 : 0;
}

int main(int argc, char **argv)
{
    const char *mesh = NULL, *only_case = NULL, *only_kind = NULL, *only_preset = NULL;
    long long is_long = 0, milli = 400, millions = 0;
    const argument known[] = {{"--mesh", "FILE", NULL, &mesh, 0, 0},
                              {"--long", "0|1", &is_long, NULL, 0, 1},
                              {"--end", "MILLISECONDS", &milli, NULL, 100, 100000},
                              {"--impact", "MILLIONS", &millions, NULL, 0, 1000},
                              {"--case", "NAME", NULL, &only_case, 0, 0},
                              {"--kind", "NAME", NULL, &only_kind, 0, 0},
                              {"--preset", "NAME", NULL, &only_preset, 0, 0}};
    if (!read_arguments("boundaries", argc, argv, known, 7)) return 2;
    if (!check_names(mesh, only_case, only_kind, only_preset)) return 2;
    const double ball = is_long ? 20 : 12, tank = is_long ? 36 : 22;
    const body_case cases[] = {
        {.name = "plane", .dimensions = 2, .width = 40, .depth = 30, .shapes = {box_of(-5, -5, 45, 4)},
         .shape_count = 1, .is_floor = true},
        {.name = "edge", .dimensions = 2, .width = 40, .depth = 30,
         .shapes = {box_of(-5, -5, 45, 4), box_of(32, -5, 45, 50)}, .shape_count = 2},
        {.name = "couette", .dimensions = 2, .width = 10, .depth = 10,
         .shapes = {box_of(0, -5, 10, 0), box_of(0, 10, 10, 15)}, .shape_count = 2, .is_couette = true},
        {.name = "ball", .dimensions = 3, .width = tank, .depth = tank, .shapes = {ball_of(tank / 2, ball / 2)},
         .shape_count = 1},
        {.name = "mesh", .dimensions = 3, .width = tank, .depth = tank, .mesh = mesh, .size = ball},
    };
    if (millions > 0) return measure_impacts(1e6 * (double)millions, only_kind, only_preset);
    printf("case,preset,boundary,removed,start,gap,rms,drift,escaped,step_ms,setup_ms,mb\n");
    size_t escaped = 0, rows = 0;
    for (size_t c = 0; c < (mesh ? 5 : 4); ++c)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
            if (is_octree(kinds[k].kind) && cases[c].dimensions == 2) continue;
            if (cases[c].is_couette && kinds[k].preset != MOTE_PRESET_ENGINEERING) continue;  // for walls that move
            if (only_case && strcmp(only_case, cases[c].name) != 0) continue;
            const char *kind = kind_name(kinds[k].kind);
            if (only_kind && strcmp(only_kind, kind) != 0) continue;
            if (only_preset && strcmp(only_preset, name_of(kinds[k].preset)) != 0) continue;
            experiment run = {.of = &cases[c], .row = kinds[k], .spacing = 0.02, .end = 1e-3 * (double)milli};
            measured found;
            if (!measure(&run, &found)) return 1;
            printf("%s,%s,%s,%.4f,%.4f,%.3f,%.4f,%.5f,%g,%.3f,%.1f,%.2f\n", cases[c].name, name_of(kinds[k].preset),
                   kind, found.removed, found.start, found.gap, found.rms, found.drift, found.escaped, found.step_ms,
                   found.setup_ms, found.megabytes);
            fflush(stdout);
            escaped += (size_t)found.escaped;
            ++rows;
        }
    if (rows == 0) return fputs("boundaries: no row has this case, kind and preset together\n", stderr), 2;
    return escaped ? 1 : 0;
}
