// SPDX-License-Identifier: MIT
// Boxes that move: at every step, which of them begin to overlap, still do, and no longer do.
//
// A room of still boxes (static: two of them never pair up) and of moving ones that bounce off its walls. Events tell
// how the pairs have changed since the step before; each pair is told once, in ascending order, whatever the number of
// threads. What begins less what ends is what there is. At last a segment looks for the boxes in its way.
//
// Prints:
//     200 steps: 2704 pairs began, 2454 ended, 250 are left
//     6 boxes lie between two corners of the room

#include <stdio.h>

#include "mote/broadphase.h"

enum { STILL = 200, MOVING = 1000, COUNT = STILL + MOVING, STEPS = 200 };

static mote_bounds boxes[COUNT];
static float velocities[COUNT][3];  // [m/step]
static uint32_t ids[COUNT];

// Boxes of 0.01 to 0.06 m in a room of 1 m; the first ones stay where they are.
static void place_boxes(void)
{
    mote_random random = {3};
    for (int i = 0; i < COUNT; ++i)
        for (int k = 0; k < 3; ++k) {
            boxes[i].min[k] = (float)(0.94 * mote_random_unit(&random));
            boxes[i].max[k] = boxes[i].min[k] + (float)(0.01 + 0.05 * mote_random_unit(&random));
            velocities[i][k] = i < STILL ? 0 : (float)(0.004 * (mote_random_unit(&random) - 0.5));
        }
}

static void move_boxes(void)
{
    for (int i = STILL; i < COUNT; ++i)
        for (int k = 0; k < 3; ++k) {
            const float v = velocities[i][k];
            if ((v < 0 && boxes[i].min[k] < 0) || (v > 0 && boxes[i].max[k] > 1)) velocities[i][k] = -v;
            boxes[i].min[k] += velocities[i][k];
            boxes[i].max[k] += velocities[i][k];
        }
}

static bool add_boxes(mote_broadphase *broad)
{
    const mote_filter all = mote_filter_all();
    const mote_boxes still = mote_boxes_bounds(boxes, STILL, 3), moving = mote_boxes_bounds(boxes + STILL, MOVING, 3);
    return mote_broadphase_add_many(broad, still, MOTE_OBJECT_STATIC, all, ids, NULL) == MOTE_OK &&
           mote_broadphase_add_many(broad, moving, MOTE_OBJECT_MOVING, all, ids + STILL, NULL) == MOTE_OK;
}

// @return false if a call failed, or the events do not add up
static bool run(mote_broadphase *broad)
{
    size_t begun = 0, ended = 0, left = 0;
    for (int step = 0; step < STEPS; ++step) {
        if (step > 0) move_boxes();
        mote_pair_events events;
        if (mote_broadphase_move_many(broad, ids + STILL, mote_boxes_bounds(boxes + STILL, MOVING, 3), NULL) !=
                MOTE_OK ||
            mote_broadphase_events(broad, &events, NULL) != MOTE_OK)
            return false;
        if (events.stayed.count + events.ended.count != left) return false;
        begun += events.begun.count;
        ended += events.ended.count;
        left = events.begun.count + events.stayed.count;
    }
    printf("%d steps: %zu pairs began, %zu ended, %zu are left\n", STEPS, begun, ended, left);
    return begun - ended == left;
}

static bool count_box(void *user_data, uint32_t id)
{
    (void)id;
    size_t *count = user_data;
    *count += 1;
    return true;  // false would end the search
}

int main(void)
{
    const mote_broadphase_def def = mote_broadphase_default_def();
    mote_broadphase *broad;
    if (mote_broadphase_create(NULL, &def, &broad, NULL) != MOTE_OK) return 1;
    place_boxes();
    bool done = add_boxes(broad) && run(broad);

    const float from[3] = {0, 0, 0}, to[3] = {1, 1, 1};
    size_t count = 0;
    done =
        done && mote_broadphase_query_segment(broad, from, to, mote_filter_all(), count_box, &count, NULL) == MOTE_OK;
    if (done) printf("%zu boxes lie between two corners of the room\n", count);
    mote_broadphase_destroy(broad);
    return done ? 0 : 1;
}
