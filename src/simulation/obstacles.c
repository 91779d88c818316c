// SPDX-License-Identifier: MIT
// Obstacles: all objects that keep particles out, of any kind.

#include <float.h>

#include "base/vector.h"
#include "fluid/peek.h"
#include "simulation/internal.h"

enum { MAX_ROUNDS = 4, MORE_ROUNDS = 30, BLOCK = 64 };

// Lets an obstacle keep a particle out, and tells the fluid which boundaries have changed its velocity. `last` receives
// the last of them.
static void keep_out_and_tell(const simulation_object *object, mote_fluid *told, mote_vec3 from, mote_vec3 *position,
                              mote_vec3 *velocity, uint32_t *last)
{
    mote_vec3 changes[MOTE_WALL_PARTS] = {{0, 0, 0}};
    object->kind->keep_out(object->state, from, position, velocity, changes);
    for (uint32_t part = 0; part < MOTE_WALL_PARTS; ++part) {
        const mote_vec3 change = changes[part];
        if (change.x == 0 && change.y == 0 && change.z == 0) continue;
        *last = object->boundary + part;
        mote_fluid_add_impulse(told, *last, *position, change);
    }
}

// Calls an obstacle. True if it changed where the motion leads.
MOTE_INLINE bool obstruct(const simulation_object *object, mote_fluid *told, mote_vec3 from, mote_vec3 *position,
                          mote_vec3 *velocity, uint32_t *last)
{
    const mote_vec3 before = *position;
    if (told)
        keep_out_and_tell(object, told, from, position, velocity, last);
    else
        object->kind->keep_out(object->state, from, position, velocity, NULL);
    return !(position->x == before.x && position->y == before.y && position->z == before.z);
}

// Whether a place is in no solid and beyond no wall, and no solid is on the way to it.
static bool is_free(const mote_simulation *simulation, mote_vec3 from, mote_vec3 place)
{
    for (size_t k = 0; k < simulation->object_count; ++k) {
        const simulation_object *object = &simulation->objects[k];
        if (object->kind->contains && !object->kind->contains(object->state, place)) return false;
        if (object->kind->is_inside && object->kind->is_inside(object->state, place)) return false;
        if (object->kind->is_crossed && object->kind->is_crossed(object->state, from, place)) return false;
    }
    return true;
}

// Between an obstacle that moves and another, which meet at an acute angle, each round brings a particle nearer to a
// place that neither minds by a constant factor only. It may be where neither of them has it.
static bool find_way_out(const mote_simulation *simulation, mote_fluid *told, mote_vec3 from, mote_vec3 *position,
                         mote_vec3 *velocity, uint32_t *last)
{
    for (int round = 0; round < MORE_ROUNDS; ++round)
        for (size_t k = 0; k < simulation->object_count; ++k) {
            if (!simulation->objects[k].kind->keep_out) continue;
            if (is_free(simulation, from, *position)) return true;
            obstruct(&simulation->objects[k], told, from, position, velocity, last);
        }
    return is_free(simulation, from, *position);
}

// An obstacle that redirects a motion may redirect it into another obstacle. They are called in turn until all
// others have left the motion unchanged since the last change. If they never do, the particle stays where it is. Where
// obstacles move, one would soon run over it there: a place that all leave free comes first.
void mote_obstacles_keep_out(const mote_simulation *simulation, mote_fluid *told, mote_vec3 from, mote_vec3 *position,
                             mote_vec3 *velocity)
{
    uint32_t last = 0;
    size_t obstacles = 0, passed = 0;
    for (size_t round = 0; round < MAX_ROUNDS && (round == 0 || passed < obstacles); ++round)
        for (size_t k = 0; k < simulation->object_count && (round == 0 || passed < obstacles); ++k) {
            const simulation_object *object = &simulation->objects[k];
            if (!object->kind->keep_out) continue;
            obstacles += round == 0;
            passed = obstruct(object, told, from, position, velocity, &last) ? 1 : passed + 1;
        }
    if (passed == obstacles) return;
    const bool moves = mote_simulation_has_motions(simulation);
    if (moves && find_way_out(simulation, told, from, position, velocity, &last)) return;
    if (told) mote_fluid_add_impulse(told, last, from, mote_vec3_scale(*velocity, -1));
    *position = from;
    *velocity = (mote_vec3){0, 0, 0};
}

void mote_obstacles_tell_free_ways(const mote_simulation *simulation, mote_fluid *fluid)
{
    mote_box box = {{-DBL_MAX, -DBL_MAX, -DBL_MAX}, {DBL_MAX, DBL_MAX, DBL_MAX}};
    for (size_t k = 0; k < simulation->object_count; ++k) {
        const simulation_object *object = &simulation->objects[k];
        if (!object->kind->keep_out || object->kind->body_box) continue;
        const mote_box own = object->kind->free_box ? object->kind->free_box(object->state) : mote_box_empty();
        box = (mote_box){mote_vec3_max(box.min, own.min), mote_vec3_min(box.max, own.max)};
    }
    mote_fluid_leave_alone(fluid, box);
    for (size_t k = 0; k < simulation->object_count; ++k) {
        const simulation_object *object = &simulation->objects[k];
        if (object->kind->body_box) mote_fluid_leave_alone_beside(fluid, object->kind->body_box(object->state));
    }
}

void mote_watchers_see(const mote_simulation *simulation, mote_vec3 from, mote_vec3 to)
{
    for (size_t k = 0; k < simulation->object_count; ++k) {
        const simulation_object *object = &simulation->objects[k];
        if (object->kind->watch) object->kind->watch(object->state, from, to);
    }
}

bool mote_watchers_exist(const mote_simulation *simulation)
{
    for (size_t k = 0; k < simulation->object_count; ++k)
        if (simulation->objects[k].kind->watch) return true;
    return false;
}

void mote_watchers_settle(const mote_simulation *simulation, bool holds)
{
    for (size_t k = 0; k < simulation->object_count; ++k) {
        const simulation_object *object = &simulation->objects[k];
        if (object->kind->settle) object->kind->settle(object->state, holds);
    }
}

void mote_dampers_slow(const mote_simulation *simulation, mote_vec3 place, mote_vec3 *velocity)
{
    for (size_t k = 0; k < simulation->object_count; ++k) {
        const simulation_object *object = &simulation->objects[k];
        if (object->kind->damp) object->kind->damp(object->state, place, velocity);
    }
}

bool mote_dampers_exist(const mote_simulation *simulation)
{
    for (size_t k = 0; k < simulation->object_count; ++k)
        if (simulation->objects[k].kind->damp) return true;
    return false;
}

bool mote_obstacles_contain(const mote_simulation *simulation, mote_vec3 place)
{
    for (size_t k = 0; k < simulation->object_count; ++k) {
        const simulation_object *object = &simulation->objects[k];
        if (object->kind->contains && !object->kind->contains(object->state, place)) return false;
    }
    return true;
}

bool mote_obstacles_are_clear(const mote_simulation *simulation, mote_vec3 place)
{
    for (size_t k = 0; k < simulation->object_count; ++k) {
        const simulation_object *object = &simulation->objects[k];
        if (object->kind->is_clear && !object->kind->is_clear(object->state, place)) return false;
    }
    return true;
}

bool mote_obstacles_have_bodies(const mote_simulation *simulation)
{
    for (size_t k = 0; k < simulation->object_count; ++k)
        if (simulation->objects[k].kind->is_clear) return true;
    return false;
}

typedef struct inside_task {
    const simulation_object *body;
    const mote_fluid_view *view;
    uint32_t *counts;
} inside_task;

static void count_block(void *data, size_t begin, size_t end, uint32_t worker)
{
    (void)worker;
    const inside_task *task = data;
    uint32_t count = 0;
    for (size_t i = begin; i < end; ++i) {
        const mote_vec3 place = {task->view->x[i], task->view->y[i], task->view->z[i]};
        count += task->body->kind->is_inside(task->body->state, place);
    }
    task->counts[begin / BLOCK] = count;
}

mote_result mote_obstacles_count_inside(const mote_simulation *simulation, const mote_fluid_view *view, size_t *inside)
{
    *inside = 0;
    if (view->count == 0) return MOTE_OK;
    const size_t blocks = mote_block_count(view->count, BLOCK), bytes = mote_bytes(blocks, sizeof(uint32_t));
    uint32_t *counts = mote_allocate(simulation->context, bytes);
    if (!counts) return MOTE_ERROR_OUT_OF_MEMORY;
    for (size_t k = 0; k < simulation->object_count; ++k) {
        const simulation_object *object = &simulation->objects[k];
        if (!object->kind->is_inside) continue;
        inside_task task = {object, view, counts};
        mote_parallel_for(simulation->context, view->count, BLOCK, count_block, &task);
        for (size_t b = 0; b < blocks; ++b) *inside += counts[b];
    }
    mote_release(simulation->context, counts, bytes);
    return MOTE_OK;
}
