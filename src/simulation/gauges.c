// SPDX-License-Identifier: MIT
// Gauges as objects of the simulation: they observe the state after each step, and have a row of values for it when one
// is due. Gauges of flows watch the particles as they move.
//
// A row is due at the start and at the multiples of `every`; it is measured after the first step that ends then or
// later. Steps are not shortened, so that gauges change no bit of a run.

#include <math.h>
#include <string.h>

#include "simulation/gauges.h"

static const double early = 1e-9;  // of `every`: how much sooner a row is taken, as times have rounding errors

static const object_kind kind_flow_gauge;

static bool is_gauge(const simulation_object *object)
{
    return object->kind == &mote_kind_gauge || object->kind == &kind_flow_gauge;
}

// ----------------------------------------------------------------------------------------------------------- creating

static mote_result check(mote_context *context, const mote_simulation_def *def, mote_error *error)
{
    return mote_gauges_check(context, def, error);
}

static mote_result create(mote_simulation *simulation, const mote_simulation_def *def, mote_error *error)
{
    for (size_t k = 0; k < def->gauge_count; ++k) {
        const mote_gauge_def *own = &def->gauges[k];
        const object_kind *kind = own->kind == MOTE_GAUGE_FLOW ? &kind_flow_gauge : &mote_kind_gauge;
        gauge_object *gauge = mote_simulation_add(simulation, kind, own->name, error);
        if (!gauge) return MOTE_ERROR_OUT_OF_MEMORY;
        gauge->def = *own;
        mote_gauge_prepare(gauge, def);
        mote_result result = mote_gauge_open_place(simulation->context, gauge, k, error);
        if (result == MOTE_OK) result = mote_gauge_move(gauge, 0, error);
        if (result != MOTE_OK) return result;
    }
    return MOTE_OK;
}

static void destroy(mote_simulation *simulation, void *state)
{
    gauge_object *gauge = state;
    mote_gauge_close_place(gauge);
    mote_gauge_scratch_release(simulation->context, &gauge->scratch);
}

// --------------------------------------------------------------------------------------------------------------- rows

static bool is_due(const gauge_object *gauge, double time)
{
    return gauge->row_count == 0 || !(gauge->def.every > 0) ||
           time >= ((double)gauge->next - early) * gauge->def.every;
}

static mote_result observe(mote_simulation *simulation, void *state, mote_error *error)
{
    gauge_object *gauge = state;
    const double time = simulation->time, every = gauge->def.every;
    mote_result result = mote_gauge_follow(simulation, gauge, error);
    if (result != MOTE_OK || !is_due(gauge, time)) return result;
    double values[MOTE_GAUGE_VALUES] = {NAN, NAN, NAN, NAN};
    result = mote_gauge_move(gauge, time, error);
    if (result != MOTE_OK) return result;
    result = mote_gauge_measure_of(gauge->def.kind)(simulation, gauge, values, error);
    if (result != MOTE_OK) return result;
    memcpy(gauge->values, values, sizeof values);
    gauge->time = time;
    ++gauge->row_count;
    if (every > 0) gauge->next = (uint64_t)MOTE_MIN(floor(time / every + early), 0x1p53) + 1;
    return MOTE_OK;
}

static mote_result refuse_field(const mote_simulation *simulation, const gauge_object *gauge,
                                const mote_simulation_def *def, mote_error *error)
{
    size_t solid;
    const size_t k = gauge->number;
    const mote_vec3 at = gauge->def.at;
    if (def->has_tank && def->tank.boundary == MOTE_BOUNDARY_FIELD &&
        fabs(mote_tank_distance_beyond(&def->tank, def->fluid.dimensions, at)) <= 1.5 * gauge->spacing)
        return mote_fail(error, MOTE_ERROR_UNSUPPORTED, k,
                         "gauges[%zu].at is [%g, %g, %g], expected a place farther than 1.5 spacings from the sides of "
                         "the tank, whose boundary \"field\" has no wall particles", k, at.x, at.y, at.z);
    if (!mote_gauge_is_beside_bare_solid(simulation, gauge, &solid)) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_UNSUPPORTED, k,
                     "gauges[%zu].at is [%g, %g, %g], expected a place farther than 1.5 spacings from solids[%zu], "
                     "whose boundary \"%s\" has no wall particles", k, at.x, at.y, at.z, solid,
                     mote_boundary_kind_at((size_t)def->solids[solid].boundary)->about.name);
}

// The first row; a gauge that should see walls, but does not, is refused.
static mote_result connect(mote_simulation *simulation, simulation_object *object, const mote_simulation_def *def,
                           mote_error *error)
{
    gauge_object *gauge = object->state;
    const bool is_wall = gauge->def.kind == MOTE_GAUGE_WALL_PRESSURE;
    size_t walls = 1;
    mote_result result = MOTE_OK;
    if (is_wall) result = refuse_field(simulation, gauge, def, error);
    if (is_wall && result == MOTE_OK) result = mote_gauge_count_walls(simulation, gauge, &walls, error);
    if (result == MOTE_OK && walls == 0) {
        const size_t k = gauge->number;
        const mote_vec3 at = gauge->def.at;
        return mote_fail(error, MOTE_ERROR_ARGUMENT, k,
                         "gauges[%zu].at is [%g, %g, %g], expected a place within 1.5 spacings of wall particles", k,
                         at.x, at.y, at.z);
    }
    return result == MOTE_OK ? observe(simulation, gauge, error) : result;
}

// A particle passes a rectangle if it changes from one side of its plane to the other within the rectangle. What lies
// exactly on the plane is on its upper side, and what lies on an edge belongs to one of two rectangles that share it.
static void watch(void *state, mote_vec3 from, mote_vec3 to)
{
    gauge_passes *passes = &((gauge_object *)state)->passes;
    double a[3] = {from.x, from.y, from.z}, b[3] = {to.x, to.y, to.z};
    const int axis = passes->axis;
    const double period = passes->period[axis];
    if (period > 0) {  // the image that is nearest to the plane
        const double away = period * floor((a[axis] - passes->plane) / period + 0.5);
        a[axis] -= away;
        b[axis] -= away;
    }
    const bool was_below = a[axis] < passes->plane, is_below = b[axis] < passes->plane;
    if (was_below == is_below) return;
    const double low[3] = {passes->min.x, passes->min.y, passes->min.z};
    const double high[3] = {passes->max.x, passes->max.y, passes->max.z};
    const double share = (passes->plane - a[axis]) / (b[axis] - a[axis]);
    for (int k = 0; k < 3; ++k) {
        double place = a[k] + share * (b[k] - a[k]);
        if (k == axis) continue;
        if (passes->period[k] > 0) place -= passes->period[k] * floor((place - low[k]) / passes->period[k]);
        if (!(place >= low[k] && place < high[k])) return;
    }
    atomic_fetch_add_explicit(&passes->in_step, was_below ? 1 : -1, memory_order_relaxed);
}

// A step that was undone is tried again, and then its particles pass again.
static void settle(void *state, bool holds)
{
    gauge_passes *passes = &((gauge_object *)state)->passes;
    const int64_t passed = atomic_load_explicit(&passes->in_step, memory_order_relaxed);
    atomic_store_explicit(&passes->in_step, 0, memory_order_relaxed);
    if (holds) passes->count += passed;
}

// ----------------------------------------------------------------------------------------------------------- the state

typedef struct gauge_bytes {
    uint64_t row_count, next;
    int64_t passes, passes_at_row;
    double time, values[MOTE_GAUGE_VALUES];
    gauge_load load;
} gauge_bytes;

static mote_result write(const void *state, mote_sink *sink, void *user_data, mote_error *error)
{
    const gauge_object *gauge = state;
    gauge_bytes bytes = {gauge->row_count, gauge->next, gauge->passes.count, gauge->passes.at_row,
                         gauge->time, {0}, gauge->load};
    memcpy(bytes.values, gauge->values, sizeof bytes.values);
    if (sink(user_data, &bytes, sizeof bytes)) return MOTE_OK;
    return mote_fail(error, MOTE_ERROR_FILE, 0, "gauge: the bytes were not taken");
}

static mote_result read(void *state, const void *from, size_t length, mote_error *error)
{
    gauge_object *gauge = state;
    gauge_bytes bytes;
    if (length != sizeof bytes)
        return mote_fail(error, MOTE_ERROR_FORMAT, 0, "gauge %s: a state of %zu bytes, expected %zu", gauge->def.name,
                         length, sizeof bytes);
    memcpy(&bytes, from, sizeof bytes);
    gauge->row_count = bytes.row_count;
    gauge->next = bytes.next;
    gauge->time = bytes.time;
    gauge->passes.at_row = bytes.passes_at_row;
    gauge->passes.count = bytes.passes;
    memcpy(gauge->values, bytes.values, sizeof gauge->values);
    gauge->load = bytes.load;
    return MOTE_OK;
}

// The first row again. What passed until now did so in another simulation.
static mote_result restart(mote_simulation *simulation, void *state, mote_error *error)
{
    gauge_object *gauge = state;
    gauge->row_count = gauge->next = 0;
    gauge->passes.at_row = 0;
    gauge->passes.count = 0;
    return observe(simulation, gauge, error);
}

static size_t byte_count(const void *state)
{
    const gauge_object *gauge = state;
    size_t bytes = mote_gauge_scratch_bytes(&gauge->scratch);
    for (int k = 0; k < 3; ++k) bytes += mote_expression_byte_count(gauge->place[k]);
    return bytes;
}

#define GAUGE_FUNCTIONS                                                                                      \
    .name = "gauge", .state_bytes = sizeof(gauge_object), .check = check, .create = create,                  \
    .connect = connect, .destroy = destroy, .observe = observe, .write = write, .read = read,                \
    .restart = restart, .byte_count = byte_count

const object_kind mote_kind_gauge = {GAUGE_FUNCTIONS};
static const object_kind kind_flow_gauge = {GAUGE_FUNCTIONS, .watch = watch, .settle = settle};

// ------------------------------------------------------------------------------------------------ the simulation's own

size_t mote_simulation_gauge_count(const mote_simulation *simulation)
{
    size_t count = 0;
    for (size_t k = 0; simulation && k < simulation->object_count; ++k) count += is_gauge(&simulation->objects[k]);
    return count;
}

mote_result mote_simulation_get_gauge(const mote_simulation *simulation, size_t gauge, mote_gauge_view *view,
                                      mote_error *error)
{
    if (!simulation || !view) return mote_fail_null(error, "simulation", simulation ? "an argument" : "the object");
    const size_t count = mote_simulation_gauge_count(simulation);
    if (gauge >= count)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, gauge, "simulation: gauge %zu of %zu", gauge, count);
    // Gauges are the last objects, in their own order.
    const gauge_object *of = simulation->objects[simulation->object_count - count + gauge].state;
    *view = (mote_gauge_view){.name = of->def.name,
                              .kind = mote_gauge_kind_at((size_t)of->def.kind),
                              .time = of->time,
                              .row_count = of->row_count,
                              .dimensions = of->dimensions};
    memcpy(view->values, of->values, sizeof view->values);
    return MOTE_OK;
}
