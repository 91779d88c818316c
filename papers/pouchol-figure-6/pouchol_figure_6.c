// SPDX-License-Identifier: MIT
// Figure 6 of Pouchol et al. 2009: water falls on 2,000 spheres at rest and runs down between them to the floor of a
// box; the time that finding its collisions with the spheres takes, frame by frame, with the multilevel and the
// hierarchical hash.
//
// The water is a scene, scenes/spheres.json, which `mote run` shows: an SPH fluid whose particles the solver keeps out
// of the spheres. A thousandth of its end time is a frame, and takes some steps of the solver. At its beginning every
// contender brings its structure up to date with all boxes, looks for the spheres that a particle's way through the
// frame may hit, and computes the first hit. Either spheres alone are hashed, or spheres and particles. All must find
// the same hits, or the run fails. Times are of the processor, means over some frames; look-ups and candidates those of
// the last of them. CSV on standard output; slices through the middle for pictures go to the folder given.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "measure.h"
#include "mote/broadphase.h"
#include "mote/scene.h"

enum { CONTENDERS = 4, CLASS_COUNT = 5, FRAMES = 1000 };

static const double edge = 2.5;  // of the spheres' triangles, in spacings

typedef struct settings {
    const char *scene;
    long long frames, every;  // of FRAMES; between rows
    const char *slices;       // folder; NULL: none
} settings;

typedef struct vec3 {
    double at[3];
} vec3;

// A particle's first hit in a frame. Time as a part of the frame; where it overlaps a sphere to begin with, the depth
// [m] below zero, and the deepest counts.
typedef struct first_hit {
    double time;
    uint32_t sphere;
} first_hit;

typedef struct contender {
    const char *method, *form;
    bool with_particles;  // hashed, too
    mote_broadphase *broad;
    double hash_ms, find_ms;  // since the last row
} contender;

typedef struct world {
    const settings *chosen;
    mote_context *context;
    mote_scene *scene;
    mote_mesh *mesh;
    mote_simulation *simulation;
    double radius, frame_time;  // of a particle [m]; a frame's [s]
    size_t sphere_count, count;  // spheres, particles
    mote_sphere *spheres;
    vec3 *positions, *motions;  // of the particles, by their ids; over the frame to come
    mote_bounds *boxes;         // of the spheres, then of the particles' ways
    first_hit *hits, *others;
    contender contenders[CONTENDERS];
} world;

static double dot(vec3 a, vec3 b)
{
    return a.at[0] * b.at[0] + a.at[1] * b.at[1] + a.at[2] * b.at[2];
}

static vec3 add_scaled(vec3 a, vec3 b, double factor)
{
    for (int k = 0; k < 3; ++k) a.at[k] += b.at[k] * factor;
    return a;
}

// ------------------------------------------------------------------------------------------------------- hits

// A particle on its way, and what it has hit so far.
typedef struct looking {
    const world *in;
    vec3 from, motion;
    first_hit first;
} looking;

static void keep_first(looking *look, double time, uint32_t id)
{
    if (time < look->first.time || (time == look->first.time && id < look->first.sphere))
        look->first = (first_hit){time, id};
}

// When a moving ball meets one at rest: |from + t·motion − centre| is the sum of the radii.
static bool try_sphere(void *data, uint32_t id)
{
    looking *look = data;
    const mote_sphere *ball = look->in->spheres + id;
    const vec3 centre = {{ball->center.x, ball->center.y, ball->center.z}};
    const vec3 apart = add_scaled(look->from, centre, -1);
    const double reach = ball->radius + look->in->radius, distance = dot(apart, apart) - reach * reach;
    const double approach = dot(apart, look->motion), length = dot(look->motion, look->motion);
    if (distance < 0) {
        keep_first(look, sqrt(dot(apart, apart)) - reach, id);
    } else if (approach < 0) {
        const double inner = approach * approach - length * distance;
        if (inner < 0) return true;
        const double time = distance / (sqrt(inner) - approach);
        if (time <= 1) keep_first(look, time, id);
    }
    return true;
}

// The box of a particle's way, rounded outwards.
static mote_bounds way_of(const world *self, size_t particle)
{
    const vec3 from = self->positions[particle], to = add_scaled(from, self->motions[particle], 1);
    mote_bounds box;
    for (int k = 0; k < 3; ++k) {
        box.min[k] = nextafterf((float)(fmin(from.at[k], to.at[k]) - self->radius), -INFINITY);
        box.max[k] = nextafterf((float)(fmax(from.at[k], to.at[k]) + self->radius), INFINITY);
    }
    return box;
}

static const mote_filter sphere_filter = {.category = 2, .mask = 1}, particle_filter = {.category = 1, .mask = 2};

// The whole collision detection of a frame.
static bool find_hits(const world *self, contender *who, first_hit *hits)
{
    const size_t spheres = self->sphere_count, count = self->count;
    const size_t hashed = spheres + (who->with_particles ? count : 0);
    const double start = cpu_milliseconds();
    bool good =
        mote_broadphase_move_many(who->broad, NULL, mote_boxes_bounds(self->boxes, hashed, 3), NULL) == MOTE_OK &&
        mote_broadphase_update(who->broad, NULL) == MOTE_OK;
    const double middle = cpu_milliseconds();
    for (size_t i = 0; i < count && good; ++i) {
        looking look = {.in = self, .from = self->positions[i], .motion = self->motions[i],
                        .first = {2, MOTE_NO_OBJECT}};
        good = mote_broadphase_query_box(who->broad, self->boxes + spheres + i, particle_filter, try_sphere, &look,
                                         NULL) == MOTE_OK;
        hits[i] = look.first;
    }
    who->hash_ms += middle - start;
    who->find_ms += cpu_milliseconds() - middle;
    return good;
}

// ---------------------------------------------------------------------------------------------------- frames

// Where the particles are and would be at the end of a frame if nothing were in their way.
static bool take_particles(world *self)
{
    mote_fluid_view view;
    if (mote_fluid_get_view(mote_simulation_fluid(self->simulation), &view, NULL) != MOTE_OK ||
        view.count != self->count)
        return false;
    for (size_t i = 0; i < view.count; ++i) {
        const size_t id = (size_t)view.id[i];
        const double velocity[3] = {(double)view.vx[i], (double)view.vy[i], (double)view.vz[i]};
        self->positions[id] = (vec3){{view.x[i], view.y[i], view.z[i]}};
        for (int k = 0; k < 3; ++k) self->motions[id].at[k] = velocity[k] * self->frame_time;
    }
    for (size_t i = 0; i < self->count; ++i) self->boxes[self->sphere_count + i] = way_of(self, i);
    return true;
}

static bool detect(world *self)
{
    for (int c = 0; c < CONTENDERS; ++c) {
        contender *who = self->contenders + c;
        first_hit *hits = c == 0 ? self->hits : self->others;
        if (!find_hits(self, who, hits)) return false;
        for (size_t i = 0; i < self->count; ++i)
            if (hits[i].time != self->hits[i].time || hits[i].sphere != self->hits[i].sphere) {
                fprintf(stderr, "pouchol_figure_6: %s of %s finds another hit of particle %zu than %s\n", who->method,
                        who->form, i, self->contenders[0].method);
                return false;
            }
    }
    return true;
}

// ------------------------------------------------------------------------------------------------------ set-up

static bool complain(const settings *chosen, const mote_error *error)
{
    fprintf(stderr, "%s:%u: %s\n", chosen->scene, error->line, error->text);
    return false;
}

// The scene with its spheres, as `mote run` makes them.
static bool open_scene(world *self)
{
    const settings *chosen = self->chosen;
    mote_error error = {0};
    if (mote_scene_load(self->context, chosen->scene, NULL, 0, &self->scene, &error) != MOTE_OK)
        return complain(chosen, &error);
    const mote_scene_settings *scene = mote_scene_get_settings(self->scene);
    const mote_simulation_def *def = &scene->simulation;
    if (def->solid_count != 1 || def->solids->spheres.count == 0) {
        fprintf(stderr, "%s: expected a scene with one solid, made of spheres\n", chosen->scene);
        return false;
    }
    self->sphere_count = (size_t)def->solids->spheres.count;
    self->spheres = malloc(self->sphere_count * sizeof *self->spheres);
    if (!self->spheres) return false;
    mote_result result = mote_spheres_arrange(self->context, &def->solids->spheres, self->spheres, &error);
    if (result == MOTE_OK) {
        mote_spheres_place(self->spheres, self->sphere_count, &def->solids->placement);
        result = mote_mesh_create_spheres(self->context, self->spheres, self->sphere_count, edge * def->fluid.spacing,
                                          &self->mesh, &error);
    }
    if (result != MOTE_OK) return complain(chosen, &error);
    mote_scene_set_mesh(self->scene, 0, self->mesh);
    if (mote_simulation_create(self->context, def, &self->simulation, &error) != MOTE_OK)
        return complain(chosen, &error);
    self->radius = def->fluid.spacing / 2;
    self->frame_time = scene->end_time / FRAMES;
    return true;
}

static bool create_contender(const world *self, contender *who)
{
    mote_broadphase_def def = mote_broadphase_default_def();
    def.method = who->method;
    def.finest = 2 * self->radius;
    def.classes = CLASS_COUNT;
    const mote_boxes spheres = mote_boxes_bounds(self->boxes, self->sphere_count, 3);
    const mote_boxes ways = mote_boxes_bounds(self->boxes + self->sphere_count, self->count, 3);
    return mote_broadphase_create(self->context, &def, &who->broad, NULL) == MOTE_OK &&
           mote_broadphase_add_many(who->broad, spheres, MOTE_OBJECT_MOVING, sphere_filter, NULL, NULL) == MOTE_OK &&
           (!who->with_particles ||
            mote_broadphase_add_many(who->broad, ways, MOTE_OBJECT_MOVING, particle_filter, NULL, NULL) == MOTE_OK);
}

// What is needed beside the scene. Its blocks must be clear of the spheres: ids are then 0, 1, 2, …
static bool create_rest(world *self)
{
    if (mote_simulation_removed_count(self->simulation) > 0) {
        fprintf(stderr, "%s: spheres stand in the water at the start, expected them apart\n", self->chosen->scene);
        return false;
    }
    mote_fluid_view view;
    if (mote_fluid_get_view(mote_simulation_fluid(self->simulation), &view, NULL) != MOTE_OK) return false;
    const size_t count = self->count = view.count;
    self->positions = malloc(count * sizeof *self->positions);
    self->motions = malloc(count * sizeof *self->motions);
    self->boxes = malloc((self->sphere_count + count) * sizeof *self->boxes);
    self->hits = malloc(count * sizeof *self->hits);
    self->others = malloc(count * sizeof *self->others);
    if (!self->positions || !self->motions || !self->boxes || !self->hits || !self->others) return false;
    for (size_t s = 0; s < self->sphere_count; ++s) {
        const mote_sphere *ball = self->spheres + s;
        const double centre[3] = {ball->center.x, ball->center.y, ball->center.z};
        for (int k = 0; k < 3; ++k) {
            self->boxes[s].min[k] = nextafterf((float)(centre[k] - ball->radius), -INFINITY);
            self->boxes[s].max[k] = nextafterf((float)(centre[k] + ball->radius), INFINITY);
        }
    }
    bool good = take_particles(self);
    for (int c = 0; c < CONTENDERS && good; ++c) good = create_contender(self, self->contenders + c);
    return good;
}

static bool create_world(world *self, const settings *chosen)
{
    static const contender contenders[CONTENDERS] = {
        {.method = "multilevel_hash", .form = "spheres"},
        {.method = "hierarchical_hash", .form = "spheres"},
        {.method = "multilevel_hash", .form = "all", .with_particles = true},
        {.method = "hierarchical_hash", .form = "all", .with_particles = true},
    };
    *self = (world){.chosen = chosen};
    memcpy(self->contenders, contenders, sizeof contenders);
    mote_context_def def = mote_context_default_def();
    def.thread_count = 1;
    return mote_context_create(&def, &self->context, NULL) == MOTE_OK && open_scene(self) && create_rest(self);
}

static void release_world(world *self)
{
    for (int c = 0; c < CONTENDERS; ++c) mote_broadphase_destroy(self->contenders[c].broad);
    mote_simulation_destroy(self->simulation);
    mote_mesh_destroy(self->mesh);
    if (self->scene) mote_scene_destroy(self->scene);
    void *arrays[] = {self->spheres, self->positions, self->motions, self->boxes, self->hits, self->others};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) free(arrays[k]);
    mote_context_destroy(self->context);
}

// ------------------------------------------------------------------------------------------------------ output

// What cuts the plane half-way along the second axis: circles of spheres and particles, told apart by a number.
static bool write_slice(const world *self, long long frame)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/slice_%04lld.csv", self->chosen->slices, frame);
    FILE *file = fopen(path, "w");
    if (!file) {
        fprintf(stderr, "pouchol_figure_6: %s cannot be written\n", path);
        return false;
    }
    const mote_tank_def *tank = &mote_scene_get_settings(self->scene)->simulation.tank;
    const double middle = (tank->min.y + tank->max.y) / 2;
    for (size_t s = 0; s < self->sphere_count; ++s) {
        const mote_sphere *ball = self->spheres + s;
        const double off = ball->center.y - middle, squared = ball->radius * ball->radius - off * off;
        if (squared > 0) fprintf(file, "0,%.4f,%.4f,%.4f\n", ball->center.x, ball->center.z, sqrt(squared));
    }
    for (size_t i = 0; i < self->count; ++i) {
        const vec3 at = self->positions[i];
        if (fabs(at.at[1] - middle) < 2 * self->radius)
            fprintf(file, "1,%.4f,%.4f,%.4f\n", at.at[0], at.at[2], self->radius);
    }
    return fclose(file) == 0;
}

static bool print_rows(world *self, long long frame)
{
    double height = 0;
    size_t touching = 0;
    for (size_t i = 0; i < self->count; ++i) {
        height += self->positions[i].at[2] / (double)self->count;
        touching += self->hits[i].sphere != MOTE_NO_OBJECT;
    }
    for (int c = 0; c < CONTENDERS; ++c) {
        contender *who = self->contenders + c;
        mote_id_rows rows;  // a batch tells of its work
        if (mote_broadphase_query_boxes(who->broad, mote_boxes_bounds(self->boxes + self->sphere_count, self->count, 3),
                                        particle_filter, &rows, NULL) != MOTE_OK)
            return false;
        const mote_broadphase_counters work = mote_broadphase_get_counters(who->broad);
        const double frames = (double)self->chosen->every, count = (double)self->count;
        printf("%lld,%s,%s,%.3f,%.3f,%.2f,%.2f,%llu,%zu,%.3f,%.3f\n", frame, who->method, who->form,
               who->hash_ms / frames, who->find_ms / frames, (double)work.lookups / count,
               (double)work.candidates / count, (unsigned long long)work.cells,
               mote_broadphase_byte_count(who->broad, NULL), height, (double)touching / count);
        who->hash_ms = who->find_ms = 0;
    }
    fflush(stdout);
    return true;
}

static bool run_frames(world *self)
{
    mote_error error = {0};
    const settings *chosen = self->chosen;
    puts("frame,method,form,hash_ms,find_ms,lookups,candidates,cells,bytes,height,touching");
    for (long long frame = 1; frame <= chosen->frames; ++frame) {
        if (!take_particles(self) || !detect(self)) return false;
        if (frame % chosen->every == 0 && !print_rows(self, frame)) return false;
        const bool shown = frame == 1 || frame == chosen->frames / 4 || frame == chosen->frames;
        if (shown && chosen->slices && !write_slice(self, frame)) return false;
        const double time = (double)frame * self->frame_time;
        if (mote_simulation_run_until(self->simulation, time, NULL, NULL, &error) != MOTE_OK)
            return complain(chosen, &error);
    }
    return true;
}

int main(int count, char **arguments)
{
    settings chosen = {.scene = "../../scenes/spheres.json", .frames = 250, .every = 10};
    const argument known[] = {
        {"--scene", "FILE", .text = &chosen.scene},
        {"--frames", "N", .number = &chosen.frames, .min = 1, .max = FRAMES},
        {"--every", "N", .number = &chosen.every, .min = 1, .max = FRAMES},
        {"--slices", "FOLDER", .text = &chosen.slices},
    };
    if (!read_arguments("pouchol_figure_6", count, arguments, known, (int)(sizeof known / sizeof *known))) return 2;
    world self;
    const bool good = create_world(&self, &chosen) && run_frames(&self);
    release_world(&self);
    return good && fflush(stdout) == 0 ? 0 : 1;
}
