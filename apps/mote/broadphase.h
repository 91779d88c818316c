// SPDX-License-Identifier: MIT
// broadphase.h: declarations that the files of `mote broadphase` share.
#ifndef MOTE_APP_BROADPHASE_H
#define MOTE_APP_BROADPHASE_H

#include "mote/broadphase.h"
#include "mote/import.h"

// The box around all boxes; the third axis is 0 in 2D.
typedef struct app_extents {
    double min[3], max[3];
} app_extents;

// Results of a method for the boxes.
typedef struct app_method_row {
    const char *name;
    mote_result result;
    double build_seconds, pairs_seconds;  // the least of some runs
    size_t bytes, result_bytes, pair_count;
    bool agrees;  // with the pairs of the method that was asked for
    double skipped_seconds;  // not 0: it was left out, for it would take about so long
} app_method_row;

enum { APP_METHODS = 32 };

// The boxes of a file, and results about them.
typedef struct app_overlaps {
    const char *path;
    mote_box_data data;
    app_extents extents;
    mote_broadphase *broad;  // of the method that was asked for
    mote_pairs pairs;        // its own
    app_method_row own;
    app_method_row rows[APP_METHODS];  // of all methods
    size_t row_count;
    char explanation[512], suits[512];  // of that method, of auto
    bool has_checked;
    size_t checked;
    int64_t wrong;  // the first box whose partners are wrong, −1: none
    const char *pairs_path, *cells_path, *picture_path;
    const char *cells_method;
} app_overlaps;

// Cells of a structure. Those without bounds are cut off at the extents of the boxes.
typedef struct app_cells {
    int dimensions;
    app_extents extents;  // of the boxes
    mote_broadphase_cell *cells;
    size_t count, room;
    bool is_short;   // memory ran out
    bool are_nodes;  // of a tree
} app_cells;

// Some of many boxes, on which methods are tried. Zeroed, it is empty.
typedef struct app_slab {
    float *corners;
    int dimensions;
    size_t half, count, all;  // boxes in half of the slab, in the whole one, and altogether
} app_slab;

// Takes no boxes if there are so few that any method is fast. False: out of memory. Release it in any case.
bool app_slab_take(app_slab *slab, const mote_box_data *boxes);
void app_slab_release(app_slab *slab);

// The estimated time of a method for structure and pairs of all boxes [s]; 0: not known, or short.
double app_slab_predict(const app_slab *slab, mote_context *context, const char *method);

// Shows on a terminal what is being done, in a line that the next one replaces; NULL clears it.
void app_overlaps_say(const char *what, const char *method);

// Prints as text: boxes, pairs and cells, with the table's head; a row of it; what follows from the rows.
// @param cells  NULL: not wanted
void app_overlaps_print(const app_overlaps *overlaps, const app_cells *cells);
void app_overlaps_print_row(const app_method_row *row);
void app_overlaps_print_choice(const app_overlaps *overlaps);

// Prints all but the cells as one JSON object.
void app_overlaps_print_json(const app_overlaps *overlaps);

// Compares pairs with those of brute force: for all boxes up to 20,000, for 1,000 sampled boxes beyond.
// @param checked  receives the number of boxes whose partners were compared
// @return the first box whose partners are wrong; −1: none; APP_PAIRS_UNCHECKED: no memory
enum { APP_PAIRS_UNCHECKED = -2 };
int64_t app_pairs_check(const mote_box_data *boxes, mote_pairs pairs, size_t *checked);

// Writes pairs as CSV.
// @return an exit status, after a line on standard error if it is not APP_DONE
int app_pairs_write(mote_pairs pairs, const char *path);

// Copies the cells. Release them in any case.
// @return an exit status, after a line on standard error if it is not APP_DONE
int app_cells_collect(app_cells *cells, const mote_broadphase *broad);
void app_cells_release(app_cells *cells);

// Writes the cells as quads, six per box in 3D, with arrays of their class, the number of their objects, and whether
// there are objects in finer cells below. @return as app_pairs_write
int app_cells_write(const app_cells *cells, mote_context *context, const char *path);

// Draws boxes in white and cells in one colour per class, in 3D as seen from above, with a legend.
// @return as app_pairs_write
int app_cells_draw(const app_cells *cells, const mote_box_data *boxes, mote_context *context, const char *path);

// A strip of a picture, from `left` on.
enum { APP_LEGEND_WIDTH = 240 };
typedef struct app_legend {
    uint8_t *rgb;
    int picture_width, picture_height, left;
    const uint8_t *box_colour;
    const uint8_t *(*colour_of)(size_t ordinal);  // of a class, coarse ones first
} app_legend;

int app_legend_height(const app_cells *cells);
void app_legend_draw(const app_legend *legend, const app_cells *cells);

#endif
