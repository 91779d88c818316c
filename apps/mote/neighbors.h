// SPDX-License-Identifier: MIT
// neighbors.h: declarations that the files of `mote neighbors` share.
#ifndef MOTE_APP_NEIGHBORS_H
#define MOTE_APP_NEIGHBORS_H

#include "mote/import.h"
#include "mote/neighbors.h"

// Points of a file, and their rows.
typedef struct app_found {
    const char *path;
    mote_point_data data;
    mote_points points;  // float or double, as the user chooses
    float *f32;
    bool is_f64;
    double radius;     // as in the search; NAN if only the nearest are asked for
    int64_t nearest;   // k, or 0: all within the radius
    bool is_periodic;
    double low[3], length[3];  // of the periodic box, along each axis; a length of 0: open
    mote_neighbors *search;
    mote_lists lists;
} app_found;

// Reads --periodic, after the points.
// @param text  its value; NULL: the option was not given
// @return APP_BAD_INPUT, after a line on standard error, if that is not a valid box for these points
int app_found_read_period(app_found *self, const char *text);
void app_found_set_period(const app_found *self, mote_neighbors_def *def);
// Refuses a radius that reaches over so many periods that the lists would not fit into any memory: finding that out
// by searching would take hours.
// @return APP_DONE or APP_FAILED, after a line on standard error
int app_found_check_reach(const app_found *self);

// Compares rows with those of brute force: all of them up to 20,000 points, 1,000 sampled ones beyond.
// @param checked  receives the number of rows compared
// @return the first row that is wrong; −1: none; APP_FOUND_UNCHECKED: no memory
enum { APP_FOUND_UNCHECKED = -2 };
int64_t app_found_check(const app_found *self, size_t *checked);

// Writes all pairs (point, neighbour) in the format given by the file's ending: .csv or .npy (uint32, two columns).
// In a periodic box three more columns give the number of periods to add to the neighbour; .npy then has int64.
// @return an exit status, after a line on standard error if it is not APP_DONE
int app_found_write(const app_found *self, const char *path);
// APP_BAD_INPUT, after a line on standard error, if the ending is any other.
int app_found_check_path(const char *path);

#endif
