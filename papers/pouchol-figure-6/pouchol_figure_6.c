// Figure 6 of Pouchol et al. 2009: particles fall through 2,000 spheres at rest and gather at the bottom of a box; the
// time that finding their collisions with the spheres takes, frame by frame, with the multilevel and the hierarchical
// hash.
//
// Particles are soft balls: they fall, bounce off spheres and walls with some loss, and push each other apart
// (neighbours from the uniform hash). Each frame every contender brings its structure up to date with all boxes, looks
// for the spheres that a particle's way may hit and computes the first hit. Either spheres alone are hashed, or spheres
// and particles. All must find the same hits, or the run fails. Times are of the processor, means over some frames;
// look-ups and candidates those of the last of them. CSV on standard output; a slice through the middle for pictures
// goes to the folder given.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "measure.h"
#include "mote/broadphase.h"
#include "mote/neighbors.h"

enum { CONTENDERS = 4, CLASS_COUNT = 5 };

static const double box_sides[3] = {2, 4, 2};  // [m], times the setting; the second axis points up
static const double radius = 0x1p-7;           // of a particle [m]
static const double time_step = 0.0025, gravity = 9.81, restitution = 0.3;

typedef struct settings {
    size_t particles, spheres;
    uint32_t steps, every;  // frames; between rows
    double box;             // times the sides
    const char *slices;     // folder; NULL: none
} settings;

typedef struct vec3 {
    double at[3];
} vec3;

typedef struct sphere {
    vec3 centre;
    double radius;
} sphere;

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
    sphere *spheres;
    vec3 *positions, *velocities, *pushes;
    float *xyz;
    mote_bounds *boxes;  // of the spheres, then of the particles' ways
    first_hit *hits, *others;
    mote_neighbors *search;
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

static double side(const world *self, int axis)
{
    return box_sides[axis] * self->chosen->box;
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
    const sphere *ball = look->in->spheres + id;
    const vec3 apart = add_scaled(look->from, ball->centre, -1);
    const double reach = ball->radius + radius, distance = dot(apart, apart) - reach * reach;
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

static vec3 motion_of(const world *self, size_t particle)
{
    vec3 motion = self->velocities[particle];
    for (int k = 0; k < 3; ++k) motion.at[k] *= time_step;
    return motion;
}

// The box of a particle's way, rounded outwards.
static mote_bounds way_of(const world *self, size_t particle)
{
    const vec3 from = self->positions[particle], to = add_scaled(from, motion_of(self, particle), 1);
    mote_bounds box;
    for (int k = 0; k < 3; ++k) {
        box.min[k] = nextafterf((float)(fmin(from.at[k], to.at[k]) - radius), -INFINITY);
        box.max[k] = nextafterf((float)(fmax(from.at[k], to.at[k]) + radius), INFINITY);
    }
    return box;
}

static const mote_filter sphere_filter = {.category = 2, .mask = 1}, particle_filter = {.category = 1, .mask = 2};

// The whole collision detection of a frame.
static bool find_hits(const world *self, contender *who, first_hit *hits)
{
    const size_t spheres = self->chosen->spheres, count = self->chosen->particles;
    const size_t hashed = spheres + (who->with_particles ? count : 0);
    const double start = cpu_milliseconds();
    bool good = mote_broadphase_move_many(who->broad, NULL, mote_boxes_bounds(self->boxes, hashed, 3)) == MOTE_OK &&
                mote_broadphase_update(who->broad) == MOTE_OK;
    const double middle = cpu_milliseconds();
    for (size_t i = 0; i < count && good; ++i) {
        looking look = {.in = self, .from = self->positions[i], .motion = motion_of(self, i),
                        .first = {2, MOTE_NO_OBJECT}};
        good = mote_broadphase_query_box(who->broad, self->boxes + spheres + i, particle_filter, try_sphere, &look) ==
               MOTE_OK;
        hits[i] = look.first;
    }
    who->hash_ms += middle - start;
    who->find_ms += cpu_milliseconds() - middle;
    return good;
}

// ----------------------------------------------------------------------------------------------------- motion

// Moves a particle up to its hit, or out of the sphere that it is in, and turns it back.
static void move_particle(world *self, size_t i)
{
    vec3 *position = self->positions + i, *velocity = self->velocities + i;
    const first_hit hit = self->hits[i];
    *position = add_scaled(*position, motion_of(self, i), hit.time < 0 ? 0 : fmin(hit.time, 1));
    if (hit.sphere != MOTE_NO_OBJECT) {
        const sphere *ball = self->spheres + hit.sphere;
        vec3 normal = add_scaled(*position, ball->centre, -1);
        const double length = sqrt(dot(normal, normal));
        for (int k = 0; k < 3; ++k) normal.at[k] = length > 0 ? normal.at[k] / length : k == 1;
        if (hit.time < 0) *position = add_scaled(*position, normal, -hit.time);
        const double speed = dot(*velocity, normal);
        if (speed < 0) *velocity = add_scaled(*velocity, normal, -(1 + restitution) * speed);
    }
    for (int k = 0; k < 3; ++k) {
        const double inside = fmin(fmax(position->at[k], radius), side(self, k) - radius);
        if (inside != position->at[k]) velocity->at[k] *= -restitution;
        position->at[k] = inside;
    }
}

// Half of the way out of each particle that one overlaps, and half of the speed towards it, as means over them.
static void push_particle(const world *self, const mote_lists *lists, size_t i, vec3 *push, vec3 *kick)
{
    const mote_row row = mote_lists_row(lists, (uint32_t)i);
    *push = *kick = (vec3){{0, 0, 0}};
    for (uint32_t k = 0; k < row.count; ++k) {
        const uint32_t j = row.indices[k];
        const vec3 apart = add_scaled(self->positions[i], self->positions[j], -1);
        const double squared = dot(apart, apart), distance = sqrt(squared);
        if (distance <= 0) continue;
        const double speed = dot(add_scaled(self->velocities[i], self->velocities[j], -1), apart) / distance;
        *push = add_scaled(*push, apart, fmax(2 * radius - distance, 0) / (2 * distance * (double)row.count));
        *kick = add_scaled(*kick, apart, fmax(-speed, 0) / (2 * distance * (double)row.count));
    }
}

static bool push_apart(world *self)
{
    const size_t count = self->chosen->particles;
    for (size_t i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k) self->xyz[3 * i + (size_t)k] = (float)self->positions[i].at[k];
    mote_lists lists;
    if (mote_neighbors_update(self->search, mote_points_xyz(self->xyz, count)) != MOTE_OK ||
        mote_neighbors_lists(self->search, &lists) != MOTE_OK)
        return false;
    vec3 *kicks = self->pushes + count;
    for (size_t i = 0; i < count; ++i) push_particle(self, &lists, i, self->pushes + i, kicks + i);
    for (size_t i = 0; i < count; ++i) {
        self->positions[i] = add_scaled(self->positions[i], self->pushes[i], 1);
        self->velocities[i] = add_scaled(self->velocities[i], kicks[i], 1);
    }
    return true;
}

static bool step(world *self)
{
    const size_t spheres = self->chosen->spheres, count = self->chosen->particles;
    for (size_t i = 0; i < count; ++i) {
        self->velocities[i].at[1] -= gravity * time_step;
        self->boxes[spheres + i] = way_of(self, i);
    }
    for (int c = 0; c < CONTENDERS; ++c) {
        contender *who = self->contenders + c;
        first_hit *hits = c == 0 ? self->hits : self->others;
        if (!find_hits(self, who, hits)) return false;
        for (size_t i = 0; i < count; ++i)
            if (hits[i].time != self->hits[i].time || hits[i].sphere != self->hits[i].sphere) {
                fprintf(stderr, "pouchol_figure_6: %s of %s finds another hit of particle %zu than %s\n", who->method,
                        who->form, i, self->contenders[0].method);
                return false;
            }
    }
    for (size_t i = 0; i < count; ++i) move_particle(self, i);
    return push_apart(self);
}

// ------------------------------------------------------------------------------------------------------ set-up

static void place_all(world *self)
{
    mote_random random = {7};
    for (size_t s = 0; s < self->chosen->spheres; ++s) {
        sphere *ball = self->spheres + s;
        ball->radius = exp2(-5 + 2 * mote_random_unit(&random));
        for (int k = 0; k < 3; ++k) {
            ball->centre.at[k] = side(self, k) * mote_random_unit(&random);
            self->boxes[s].min[k] = nextafterf((float)(ball->centre.at[k] - ball->radius), -INFINITY);
            self->boxes[s].max[k] = nextafterf((float)(ball->centre.at[k] + ball->radius), INFINITY);
        }
    }
    for (size_t i = 0; i < self->chosen->particles; ++i) {
        bool is_free = false;
        while (!is_free) {
            for (int k = 0; k < 3; ++k) self->positions[i].at[k] = side(self, k) * mote_random_unit(&random);
            is_free = true;
            for (size_t s = 0; s < self->chosen->spheres && is_free; ++s) {
                const sphere *ball = self->spheres + s;
                const vec3 apart = add_scaled(self->positions[i], ball->centre, -1);
                is_free = dot(apart, apart) > (ball->radius + radius) * (ball->radius + radius);
            }
        }
        self->velocities[i] = (vec3){{0, 0, 0}};
        self->boxes[self->chosen->spheres + i] = way_of(self, i);
    }
}

static bool create_contender(const world *self, contender *who)
{
    mote_broadphase_def def = mote_broadphase_default_def();
    def.method = who->method;
    def.finest = 2 * radius;
    def.classes = CLASS_COUNT;
    const mote_boxes spheres = mote_boxes_bounds(self->boxes, self->chosen->spheres, 3);
    const mote_boxes ways = mote_boxes_bounds(self->boxes + self->chosen->spheres, self->chosen->particles, 3);
    return mote_broadphase_create(self->context, &def, &who->broad, NULL) == MOTE_OK &&
           mote_broadphase_add_many(who->broad, spheres, MOTE_OBJECT_MOVING, sphere_filter, NULL) == MOTE_OK &&
           (!who->with_particles ||
            mote_broadphase_add_many(who->broad, ways, MOTE_OBJECT_MOVING, particle_filter, NULL) == MOTE_OK);
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
    if (mote_context_create(&def, &self->context) != MOTE_OK) return false;
    mote_neighbors_def search = mote_neighbors_default_def();
    search.method = "spatial_hash";
    search.radius = 2 * radius;
    if (mote_neighbors_create(self->context, &search, &self->search, NULL) != MOTE_OK) return false;
    const size_t count = chosen->particles;
    self->spheres = malloc(chosen->spheres * sizeof *self->spheres);
    self->positions = malloc(count * sizeof *self->positions);
    self->velocities = malloc(count * sizeof *self->velocities);
    self->pushes = malloc(2 * count * sizeof *self->pushes);
    self->xyz = malloc(3 * count * sizeof *self->xyz);
    self->boxes = malloc((chosen->spheres + count) * sizeof *self->boxes);
    self->hits = malloc(count * sizeof *self->hits);
    self->others = malloc(count * sizeof *self->others);
    if (!self->spheres || !self->positions || !self->velocities || !self->pushes || !self->xyz || !self->boxes ||
        !self->hits || !self->others)
        return false;
    place_all(self);
    bool good = true;
    for (int c = 0; c < CONTENDERS && good; ++c) good = create_contender(self, self->contenders + c);
    return good;
}

static void release_world(world *self)
{
    for (int c = 0; c < CONTENDERS; ++c) mote_broadphase_destroy(self->contenders[c].broad);
    mote_neighbors_destroy(self->search);
    mote_context_destroy(self->context);
    void *arrays[] = {self->spheres, self->positions, self->velocities, self->pushes,
                      self->xyz,     self->boxes,     self->hits,       self->others};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) free(arrays[k]);
}

// ------------------------------------------------------------------------------------------------------ output

// What cuts the plane half-way along the third axis: circles of spheres and particles, told apart by a number.
static bool write_slice(const world *self, uint32_t frame)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/slice_%04u.csv", self->chosen->slices, frame);
    FILE *file = fopen(path, "w");
    if (!file) {
        fprintf(stderr, "pouchol_figure_6: %s cannot be written\n", path);
        return false;
    }
    const double middle = side(self, 2) / 2;
    for (size_t s = 0; s < self->chosen->spheres; ++s) {
        const sphere *ball = self->spheres + s;
        const double off = ball->centre.at[2] - middle, squared = ball->radius * ball->radius - off * off;
        if (squared > 0) fprintf(file, "0,%.4f,%.4f,%.4f\n", ball->centre.at[0], ball->centre.at[1], sqrt(squared));
    }
    for (size_t i = 0; i < self->chosen->particles; ++i) {
        const vec3 at = self->positions[i];
        if (fabs(at.at[2] - middle) < 4 * radius) fprintf(file, "1,%.4f,%.4f,%.4f\n", at.at[0], at.at[1], radius);
    }
    return fclose(file) == 0;
}

static bool print_rows(world *self, uint32_t frame)
{
    const size_t spheres = self->chosen->spheres, count = self->chosen->particles;
    double height = 0;
    for (size_t i = 0; i < count; ++i) height += self->positions[i].at[1] / (double)count;
    for (int c = 0; c < CONTENDERS; ++c) {
        contender *who = self->contenders + c;
        mote_id_rows rows;  // a batch tells of its work
        if (mote_broadphase_query_boxes(who->broad, mote_boxes_bounds(self->boxes + spheres, count, 3),
                                        particle_filter, &rows) != MOTE_OK)
            return false;
        const mote_broadphase_counters work = mote_broadphase_get_counters(who->broad);
        const double frames = (double)self->chosen->every;
        printf("%u,%s,%s,%.3f,%.3f,%.2f,%.2f,%llu,%zu,%.3f\n", frame, who->method, who->form, who->hash_ms / frames,
               who->find_ms / frames, (double)work.lookups / (double)count, (double)work.candidates / (double)count,
               (unsigned long long)work.cells, mote_broadphase_byte_count(who->broad, NULL), height);
        who->hash_ms = who->find_ms = 0;
    }
    fflush(stdout);
    return true;
}

static bool run_all(const settings *chosen)
{
    world self;
    bool good = create_world(&self, chosen);
    if (good) puts("frame,method,form,hash_ms,find_ms,lookups,candidates,cells,bytes,height");
    for (uint32_t frame = 1; frame <= chosen->steps && good; ++frame) {
        good = step(&self);
        if (good && frame % chosen->every == 0) good = print_rows(&self, frame);
        const bool shown = frame == 1 || frame == chosen->steps / 4 || frame == chosen->steps;
        if (good && shown && chosen->slices) good = write_slice(&self, frame);
    }
    release_world(&self);
    return good;
}

static bool read_arguments(int count, char **arguments, settings *chosen)
{
    for (int k = 1; k < count; k += 2) {
        const char *name = arguments[k], *value = k + 1 < count ? arguments[k + 1] : "";
        char *end;
        long long number = strtoll(value, &end, 10);
        const bool good = *value && *end == 0 && number >= 1;
        if (good && strcmp(name, "--particles") == 0 && number <= 1000000)
            chosen->particles = (size_t)number;
        else if (good && strcmp(name, "--steps") == 0 && number <= 1000000)
            chosen->steps = (uint32_t)number;
        else if (good && strcmp(name, "--box") == 0 && number <= 100)
            chosen->box = (double)number;
        else if (good && strcmp(name, "--every") == 0 && number <= 1000000)
            chosen->every = (uint32_t)number;
        else if (*value && strcmp(name, "--slices") == 0)
            chosen->slices = value;
        else {
            fprintf(stderr,
                    "pouchol_figure_6: '%s %s' is not understood\n"
                    "usage: pouchol_figure_6 [--particles N] [--steps N] [--every N] [--box TIMES] "
                    "[--slices FOLDER]\n",
                    name, value);
            return false;
        }
    }
    return true;
}

int main(int count, char **arguments)
{
    settings chosen = {.particles = 20000, .spheres = 2000, .steps = 1000, .every = 20, .box = 1};
    if (!read_arguments(count, arguments, &chosen)) return 2;
    return run_all(&chosen) && fflush(stdout) == 0 ? 0 : 1;
}
