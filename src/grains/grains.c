// SPDX-License-Identifier: MIT
// Grains: creation, their appearance over time, and motion. hits.h and proxy.h find their collisions with meshes;
// restitution and Coulomb friction are in response/.

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "grains/internal.h"

struct mote_grains {
    mote_context *context;
    mote_grains_def def;
    particle_store particles;        // grains that have appeared; there is room for all
    double *positions, *velocities;  // arrays of `particles`: x, y, z of each grain
    uint8_t *labels;                 // and sides, with a proxy
    mote_buffer old_memory, flag_memory;
    double *old_positions;  // before the step
    uint8_t *old_labels;
    uint8_t *buried;                 // of all grains by number: it would start inside a solid, and is left out
    size_t next;                     // number of the next grain to appear
    double time;
    const mote_proxy *proxy;  // one of these two, or neither if there are no meshes
    mote_hits *hits;
    mote_proxy *own_proxy;  // that proxy, unless it was lent
    mote_grains_counters stats;
};

enum { BLOCK = 1024 };

enum { GRAIN_ID, GRAIN_POSITION, GRAIN_VELOCITY, GRAIN_LABEL, GRAIN_ARRAYS };

static const particle_field grain_arrays[GRAIN_ARRAYS] = {
    [GRAIN_ID] = {"id", "", MOTE_ARRAY_U64, 1},
    [GRAIN_POSITION] = {"position", "m", MOTE_ARRAY_F64, 3},
    [GRAIN_VELOCITY] = {"velocity", "m/s", MOTE_ARRAY_F64, 3},
    [GRAIN_LABEL] = {"label", "", MOTE_ARRAY_U8, 1},
};

#define LIMIT 1e6  // no coordinate lies farther out [m]
#define NUMBER(member, unit_text, low, high, start, flag_bits, text)                                        \
    {.name = #member, .type = MOTE_FIELD_NUMBER, .unit = unit_text, .offset = offsetof(mote_grains_def, member), \
     .flags = flag_bits, .min = low, .max = high, .initial = {start}, .meaning = text}
#define VECTOR(member, unit_text, flag_bits, text)                                                          \
    {.name = #member, .type = MOTE_FIELD_VECTOR, .unit = unit_text, .offset = offsetof(mote_grains_def, member), \
     .flags = flag_bits, .min = -LIMIT, .max = LIMIT, .meaning = text}
#define WHOLE(member, low, high, start, flag_bits, text)                                                    \
    {.name = #member, .type = MOTE_FIELD_INT, .unit = "", .offset = offsetof(mote_grains_def, member),      \
     .flags = flag_bits, .min = low, .max = high, .initial = {start}, .meaning = text}

static const char *const collisions[] = {"exact", "proxy", NULL};

static const mote_field grain_fields[] = {
    WHOLE(count, 1, 1e8, 0, MOTE_FIELD_REQUIRED, "total number of grains"),
    VECTOR(min, "m", MOTE_FIELD_REQUIRED, "lower corner of the box in which grains start"),
    VECTOR(max, "m", MOTE_FIELD_REQUIRED, "upper corner of that box"),
    VECTOR(velocity, "m/s", 0, "initial velocity"),
    NUMBER(duration, "s", 0, LIMIT, 0, 0, "grains appear at a constant rate over this time; 0: all at the start"),
    {.name = "start_inside", .type = MOTE_FIELD_BOOL, .unit = "", .offset = offsetof(mote_grains_def, start_inside),
     .initial = {0}, .meaning = "keep grains that start inside a closed mesh, e.g. a container modelled as a single "
                                "surface; else they are removed"},
    NUMBER(size, "m", 0, LIMIT, 0.01, MOTE_FIELD_ABOVE_MIN, "diameter in pictures; grains collide as points"),
    NUMBER(time_step, "s", 0, 1, 0.002, MOTE_FIELD_ABOVE_MIN, "largest time step"),
    NUMBER(restitution, "", 0, 1, 0.2, 0, "fraction of the normal velocity kept after hitting a mesh"),
    NUMBER(friction, "", 0, 1e3, 0.3, 0, "Coulomb friction coefficient on meshes"),
    {.name = "collision", .type = MOTE_FIELD_CHOICE, .unit = "", .offset = offsetof(mote_grains_def, collision),
     .initial = {MOTE_GRAINS_EXACT}, .choices = collisions,
     .meaning = "exact: against the triangles themselves; proxy: against an octree that approximates them"},
    WHOLE(proxy_depth, 2, MOTE_PROXY_DEEPEST, 7, 0,
          "depth of the proxy octree: 2^proxy_depth of its smallest leaves span the meshes"),
};

static const mote_field_table grain_table = {"grains", "particles that collide with meshes, but not with each other",
                                             grain_fields, sizeof grain_fields / sizeof grain_fields[0]};

const mote_field_table *mote_grains_fields(void)
{
    return &grain_table;
}

mote_grains_def mote_grains_default_def(void)
{
    mote_grains_def def = {0};
    mote_fields_set_defaults(&grain_table, &def);
    def.gravity.z = -9.81;
    def.seed = 1;
    def.cookie = MOTE_COOKIE;
    return def;
}

// ---------------------------------------------------------------------------------------------------- creation

static mote_result check_def(const mote_grains_def *def, mote_error *error)
{
    if (!def || def->cookie != MOTE_COOKIE)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "grains: no def, or one that mote_grains_default_def did not make");
    mote_result result = mote_fields_check(&grain_table, def, error);
    if (result != MOTE_OK) return result;
    if (!(def->min.x <= def->max.x && def->min.y <= def->max.y && def->min.z <= def->max.z))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "grains: min is above max, expected a box");
    const double gravity = mote_vec3_length(def->gravity);
    if (!(gravity - gravity == 0))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "grains: gravity is not finite");
    return MOTE_OK;
}

static mote_result allocate(mote_grains *grains)
{
    const size_t count = (size_t)grains->def.count, vectors = mote_bytes(count, 3 * sizeof(double));
    mote_particles_init(&grains->particles, grains->context, grain_arrays, GRAIN_ARRAYS);
    mote_result result = mote_particles_reserve(&grains->particles, count);
    if (result == MOTE_OK) result = mote_buffer_reserve(grains->context, &grains->old_memory, vectors, 0);
    if (result == MOTE_OK) result = mote_buffer_reserve(grains->context, &grains->flag_memory, mote_bytes(count, 2), 0);
    if (result != MOTE_OK) return result;
    grains->positions = grains->particles.arrays[GRAIN_POSITION].data;
    grains->velocities = grains->particles.arrays[GRAIN_VELOCITY].data;
    grains->labels = grains->particles.arrays[GRAIN_LABEL].data;
    grains->old_positions = grains->old_memory.data;
    grains->old_labels = grains->flag_memory.data;
    grains->buried = grains->old_labels + count;
    return MOTE_OK;
}

mote_proxy_def mote_grains_proxy_def(const mote_grains_def *def)
{
    if (!def) return mote_proxy_default_def();
    mote_proxy_def proxy = mote_proxy_default_def();
    proxy.max_depth = def->proxy_depth;
    return proxy;
}

static mote_result make_collider(mote_grains *grains, const mote_mesh *const *meshes, size_t mesh_count,
                                 mote_error *error)
{
    if (mesh_count == 0) return MOTE_OK;
    if (grains->def.collision == MOTE_GRAINS_PROXY) {
        grains->proxy = grains->def.proxy;
        if (grains->proxy) return MOTE_OK;
        const mote_proxy_def proxy = mote_grains_proxy_def(&grains->def);
        mote_result made = mote_proxy_create(grains->context, &proxy, meshes, mesh_count, &grains->own_proxy, error);
        grains->proxy = grains->own_proxy;
        return made;
    }
    return mote_hits_create_many(grains->context, NULL, meshes, mesh_count, &grains->hits, error);
}

// The grains from `first` on, in the form that the proxy takes.
static mote_proxy_particles particles_from(mote_grains *grains, size_t first)
{
    mote_proxy_particles particles = {
        .labels = grains->labels + first, .count = grains->particles.count - first, .scalar = MOTE_F64};
    for (size_t k = 0; k < 3; ++k) {
        particles.position[k] = grains->positions + 3 * first + k;
        particles.velocity[k] = grains->velocities + 3 * first + k;
    }
    particles.position_stride = particles.velocity_stride = 3 * sizeof(double);
    return particles;
}

// Adds the grains whose time has come: grain i of n at the share (i + 1) / n of the duration.
static void pour(mote_grains *grains)
{
    const mote_grains_def *def = &grains->def;
    const size_t before = grains->particles.count;
    const double share = def->duration > 0 ? grains->time / def->duration : 1;
    const size_t due = share < 1 ? (size_t)(share * def->count) : (size_t)def->count;
    for (; grains->next < due; ++grains->next) {
        if (grains->buried[grains->next]) continue;
        const size_t i = grains->particles.count;
        double *v = grains->velocities + 3 * i;
        mote_particles_add(&grains->particles, 1);  // there is room for it
        mote_grains_place(def, grains->next, grains->positions + 3 * i);
        v[0] = def->velocity.x, v[1] = def->velocity.y, v[2] = def->velocity.z;
        grains->labels[i] = MOTE_PROXY_UNKNOWN;
    }
    if (!grains->proxy || grains->particles.count == before) return;
    const mote_proxy_particles fresh = particles_from(grains, before);
    mote_proxy_stamp(grains->proxy, &fresh, NULL);  // triangles were kept
}

mote_result mote_grains_create(mote_context *context, const mote_grains_def *def, const mote_mesh *const *meshes,
                               size_t mesh_count, mote_grains **grains, mote_error *error)
{
    if (error) *error = (mote_error){0};
    if (!grains || (!meshes && mesh_count))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "grains: no meshes, or nowhere to put the grains");
    mote_result result = check_def(def, error);
    if (result != MOTE_OK) return result;
    for (size_t k = 0; k < mesh_count; ++k)
        if (!meshes[k]) return mote_fail(error, MOTE_ERROR_ARGUMENT, k, "grains: mesh %zu is NULL", k);
    mote_grains *made = mote_allocate(context, sizeof *made);
    if (!made) return mote_fail(error, MOTE_ERROR_OUT_OF_MEMORY, 0, "grains: no memory for the object");
    memset(made, 0, sizeof *made);
    made->context = context;
    made->def = *def;
    result = allocate(made);
    if (result == MOTE_OK) result = make_collider(made, meshes, mesh_count, error);
    if (result == MOTE_OK)
        result = mote_grains_find_buried(context, def, meshes, mesh_count, made->buried, &made->stats.removed, error);
    if (result != MOTE_OK) {
        if (error && !error->text[0]) mote_fail(error, result, 0, "grains: no memory for %d grains", (int)def->count);
        mote_grains_destroy(made);
        return result;
    }
    if (!(def->duration > 0)) pour(made);
    *grains = made;
    return MOTE_OK;
}

void mote_grains_destroy(mote_grains *grains)
{
    if (!grains) return;
    mote_proxy_destroy(grains->own_proxy);
    mote_hits_destroy(grains->hits);
    mote_particles_release(&grains->particles);
    mote_buffer_release(grains->context, &grains->old_memory);
    mote_buffer_release(grains->context, &grains->flag_memory);
    mote_release(grains->context, grains, sizeof *grains);
}

// ------------------------------------------------------------------------------------------------------- moving

typedef struct step_task {
    mote_grains *grains;
    double dt;
    mote_grains_keeper *keeper;
    void *user_data;
} step_task;

static void kick(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const step_task *task = data;
    mote_grains *grains = task->grains;
    const double change[3] = {grains->def.gravity.x * task->dt, grains->def.gravity.y * task->dt,
                              grains->def.gravity.z * task->dt};
    for (size_t i = begin; i < end; ++i)
        for (size_t k = 0; k < 3; ++k) grains->velocities[3 * i + k] += change[k];
}

static void drift(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const step_task *task = data;
    for (size_t i = 3 * begin; i < 3 * end; ++i)
        task->grains->positions[i] += task->dt * task->grains->velocities[i];
}

static void keep(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const step_task *task = data;
    mote_grains *grains = task->grains;
    for (size_t i = begin; i < end; ++i) {
        double *at = grains->positions + 3 * i, *v = grains->velocities + 3 * i;
        mote_vec3 velocity = {v[0], v[1], v[2]};
        if (task->keeper(task->user_data, mote_vec3_make(at[0], at[1], at[2]), &velocity)) continue;
        memcpy(at, grains->old_positions + 3 * i, 3 * sizeof *at);
        grains->labels[i] = grains->old_labels[i];
        v[0] = velocity.x, v[1] = velocity.y, v[2] = velocity.z;
    }
}

static mote_result move_by_proxy(mote_grains *grains, double dt, mote_error *error)
{
    const mote_proxy_particles particles = particles_from(grains, 0);
    const mote_response response = mote_response_bounce(grains->def.restitution, grains->def.friction);
    mote_proxy_counters counters = {0};
    mote_result result = mote_proxy_advance(grains->proxy, &particles, dt, &response, &counters, error);
    grains->stats.bounces += counters.bounces;
    return result;
}

static mote_result move_exactly(mote_grains *grains, double dt, mote_error *error)
{
    const mote_particles particles = {grains->positions, grains->velocities, .count = grains->particles.count};
    const mote_response response = mote_response_bounce(grains->def.restitution, grains->def.friction);
    uint64_t hit_count = 0;
    mote_result result = mote_hits_advance(grains->hits, &response, &particles, dt, &hit_count, error);
    grains->stats.bounces += hit_count;
    return result;
}

static mote_result step(mote_grains *grains, double dt, mote_grains_keeper *keeper, void *user_data, mote_error *error)
{
    step_task task = {grains, dt, keeper, user_data};
    const size_t alive = grains->particles.count;
    memcpy(grains->old_positions, grains->positions, alive * 3 * sizeof(double));
    memcpy(grains->old_labels, grains->labels, alive);
    mote_parallel_for(grains->context, alive, BLOCK, kick, &task);
    mote_result result = MOTE_OK;
    if (grains->proxy)
        result = move_by_proxy(grains, dt, error);
    else if (grains->hits)
        result = move_exactly(grains, dt, error);
    else
        mote_parallel_for(grains->context, alive, BLOCK, drift, &task);
    if (result != MOTE_OK) return result;
    if (keeper) mote_parallel_for(grains->context, alive, BLOCK, keep, &task);
    grains->time += dt;
    grains->stats.steps += 1;
    grains->stats.grain_steps += alive;
    pour(grains);
    return MOTE_OK;
}

mote_result mote_grains_set_gravity(mote_grains *grains, mote_vec3 gravity, mote_error *error)
{
    if (!grains) return mote_fail_null(error, "grains", "the object");
    const double length = mote_vec3_length(gravity);
    if (!(length - length == 0)) return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "grains: gravity is not finite");
    grains->def.gravity = gravity;
    return MOTE_OK;
}

mote_result mote_grains_advance(mote_grains *grains, double dt, mote_grains_keeper *keeper, void *user_data,
                                mote_error *error)
{
    if (!grains) return mote_fail_null(error, "grains", "the object");
    const double steps = ceil(dt / grains->def.time_step);
    if (!(dt >= 0) || !(steps <= 1e9))
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0,
                         "grains: a step of %g s, expected 0 or more, and at most 10^9 of "
                         "%g s",
                         dt, grains->def.time_step);
    const uint32_t count = dt > 0 ? (uint32_t)steps : 0;
    mote_result result = MOTE_OK;
    for (uint32_t k = 0; k < count && result == MOTE_OK; ++k)
        result = step(grains, dt / count, keeper, user_data, error);
    return mote_pass_memory(error, result, "grains: a step");
}

// --------------------------------------------------------------------------------------------------- inspection

mote_grains_view mote_grains_get_view(const mote_grains *grains)
{
    if (!grains) return (mote_grains_view){0};
    const mote_grains_view view = {grains->particles.count, grains->positions, grains->velocities};
    return view;
}

mote_grains_counters mote_grains_get_counters(const mote_grains *grains)
{
    if (!grains) return (mote_grains_counters){0};
    mote_grains_counters stats = grains->stats;
    if (grains->proxy) stats.collider_bytes = mote_proxy_byte_count(grains->proxy);
    if (grains->hits) stats.collider_bytes = mote_hits_byte_count(grains->hits);
    return stats;
}

mote_result mote_grains_validate(const mote_grains *grains, mote_error *error)
{
    if (!grains) return mote_fail_null(error, "grains", "the object");
    mote_result result = mote_particles_validate(&grains->particles, "grains", error);
    if (result == MOTE_OK && grains->own_proxy) result = mote_proxy_validate(grains->own_proxy, error);
    return result == MOTE_OK && grains->hits ? mote_hits_validate(grains->hits, error) : result;
}

size_t mote_grains_byte_count(const mote_grains *grains)
{
    if (!grains) return 0;
    const bool is_lent = grains->proxy && !grains->own_proxy;
    return sizeof *grains + mote_particles_byte_count(&grains->particles) + grains->old_memory.bytes +
           grains->flag_memory.bytes + (is_lent ? 0 : mote_grains_get_counters(grains).collider_bytes);
}

// ---------------------------------------------------------------------------------------------------- as bytes

#define MAGIC UINT64_C(0x6E696172676F6D31)  // "1mograin" backwards: the form of these bytes, and their order

// A head of 64-bit words, before the particles (particles/bytes.c).
typedef struct grains_head {
    uint64_t magic;
    uint64_t def_checksum, wanted, removed;  // of the def: grains with others cannot continue
    uint64_t next, steps, grain_steps, bounces;
    double time;
} grains_head;

static grains_head make_head(const mote_grains *grains)
{
    const mote_grains_counters *stats = &grains->stats;
    const mote_grains_def *def = &grains->def;
    uint64_t sum = mote_checksum(mote_fields_checksum(&grain_table, def), &def->gravity, sizeof def->gravity);
    return (grains_head){.magic = MAGIC,
                         .def_checksum = mote_checksum(sum, &def->seed, sizeof def->seed),
                         .wanted = (uint64_t)grains->def.count,
                         .removed = stats->removed,
                         .next = grains->next,
                         .steps = stats->steps,
                         .grain_steps = stats->grain_steps,
                         .bounces = stats->bounces,
                         .time = grains->time};
}

mote_result mote_grains_write(const mote_grains *grains, mote_sink *sink, void *user_data, mote_error *error)
{
    if (!grains || !sink) return mote_fail_null(error, "grains", grains ? "an argument" : "the object");
    const grains_head head = make_head(grains);
    const mote_result result = mote_particles_write_behind(&grains->particles, &head, sizeof head, sink, user_data);
    return result == MOTE_OK ? MOTE_OK : mote_fail(error, result, 0, "grains: the bytes were not taken");
}

mote_result mote_grains_read(mote_grains *grains, const void *bytes, size_t length, mote_error *error)
{
    if (!grains || !bytes) return mote_fail_null(error, "grains", grains ? "an argument" : "the object");
    grains_head head;
    size_t count;
    mote_result result = mote_particles_read_head(bytes, length, &head, sizeof head, MAGIC, "grains", error);
    if (result != MOTE_OK) return result;
    if (!(head.time >= 0 && head.time <= DBL_MAX))
        return mote_fail(error, MOTE_ERROR_FORMAT, 0, "grains: the time is %g s, expected 0 or more", head.time);
    if (head.wanted != (uint64_t)grains->def.count || head.removed != grains->stats.removed)
        return mote_fail(error, MOTE_ERROR_FORMAT, 0, "grains: a state of %llu of %llu grains, expected %llu of %llu",
                         (unsigned long long)(head.wanted - head.removed), (unsigned long long)head.wanted,
                         (unsigned long long)((uint64_t)grains->def.count - grains->stats.removed),
                         (unsigned long long)grains->def.count);
    if (head.def_checksum != make_head(grains).def_checksum)
        return mote_fail(error, MOTE_ERROR_FORMAT, 0, "grains: the state of grains with another def");
    const size_t behind = sizeof head + sizeof(uint64_t);
    const char *particles = (const char *)bytes + behind;
    result = mote_particles_count_in(particles, length - behind, &count, error);
    if (result == MOTE_OK && (count > head.next || head.next > head.wanted))  // there is room for those of the def
        return mote_fail(error, MOTE_ERROR_FORMAT, 0, "grains: %zu grains of the first %llu", count,
                         (unsigned long long)head.next);
    if (result == MOTE_OK)
        result = mote_particles_read(&grains->particles, particles, length - behind, error);
    if (result != MOTE_OK) return result;
    grains->next = (size_t)head.next;
    grains->time = head.time;
    grains->stats.steps = head.steps;
    grains->stats.grain_steps = head.grain_steps;
    grains->stats.bounces = head.bounces;
    return MOTE_OK;
}
