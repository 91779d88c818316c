// SPDX-License-Identifier: MIT
// validate.h: what the files of mote validate share. A case is a folder with scenes, published data and a page; a
// scene has checks, each a quantity that a run measures and what it may be. validate_cases.c lists the cases.
#ifndef MOTE_VALIDATE_H
#define MOTE_VALIDATE_H

#include "app.h"

// Stands wherever the word does, also within longer texts.
#define VALIDATE_TOLD_MEANS "told: a value to read; no tolerance is claimed, so that it neither passes nor fails.\n"

enum { VALIDATE_CHECKS = 16, VALIDATE_RESOLUTIONS = 3, VALIDATE_SCENES = 64 };

// How a value is judged.
typedef enum validate_kind {
    VALIDATE_RELATIVE,  // |value / reference − 1| ≤ the tolerance
    VALIDATE_ABSOLUTE,  // |value − reference| ≤ the tolerance
    VALIDATE_AT_MOST,   // value ≤ the tolerance
    VALIDATE_AT_LEAST,  // value ≥ the tolerance
    VALIDATE_BETWEEN    // low ≤ value ≤ high
} validate_kind;

// Which tolerance of a check holds for a run.
typedef enum validate_level {
    VALIDATE_TOLD,   // none: the values are told
    VALIDATE_QUICK,
    VALIDATE_FULL,
    VALIDATE_FINEST  // as VALIDATE_FULL, but for checks that have a narrower tolerance there
} validate_level;

typedef struct validate_check {
    const char *quantity;  // in words, with its unit
    validate_kind kind;
    double quick, full;  // tolerances; NaN: the value is told only
    double finest;       // that of VALIDATE_FINEST; 0: as full
    double low, high;    // of VALIDATE_BETWEEN
    bool is_across;      // found from the runs at all resolutions together
    const char *source;  // who says what the value should be
} validate_check;

typedef struct validate_resolution {
    int cells;      // spacings in the scene's length; 0: there is no further resolution
    bool is_quick;  // belongs to the quick set, too
    validate_level level;
} validate_resolution;

typedef struct validate_scene {
    const char *name;  // of its file, without ".json"
    double length;     // that the resolutions divide [m]
    double number;     // what sets it apart from the other scenes of its case, such as the Reynolds number
    validate_resolution resolutions[VALIDATE_RESOLUTIONS];
    const validate_check *checks;
    size_t check_count;
} validate_scene;

typedef struct validate_run validate_run;

// What the runs of a scene found, for checks across resolutions.
typedef struct validate_found {
    int cells;
    double values[VALIDATE_CHECKS];  // NaN: not found
} validate_found;

typedef struct validate_case {
    const char *name;     // and of its folder
    const char *meaning;  // in one line
    const validate_scene *scenes;
    size_t scene_count;
    bool (*measure)(validate_run *run);  // false: the run failed
    // Reports the checks across resolutions, through the last run; NULL: there are none.
    void (*compare)(validate_run *last, const validate_found *found, size_t count);
} validate_case;

const validate_case *validate_case_at(size_t index);  // NULL beyond the last

extern const validate_case validate_hydrostatic, validate_poiseuille, validate_couette, validate_poiseuille_re10,
    validate_taylor_green, validate_drop, validate_wave, validate_cavity, validate_dam_break, validate_sloshing,
    validate_spheric2, validate_layers, validate_laplace, validate_bubble, validate_swing, validate_piston,
    validate_stream, validate_cylinder;

// ---------------------------------------------------------------------------------------------------------- a run

struct validate_run {
    const validate_case *of;
    const validate_scene *scene;
    const validate_resolution *resolution;
    const char *preset;
    char *folder;           // of the case
    const char *out;        // folder for curves; NULL: none
    mote_context *context;
    app_scene_file file;
    mote_simulation *simulation;
    mote_fluid *fluid;
    mote_fluid_def def;     // resolved
    double spacing;         // d [m]
    double end;             // of the simulated time, for progress [s]
    bool is_forecast;       // how long it will take is told before it goes on
    app_stage stage;
    FILE *curve;
    mote_error error;
    double started, seconds;
    double values[VALIDATE_CHECKS], references[VALIDATE_CHECKS];  // NaN: not reported, or there is none
};

// Opens a scene of a case with another spacing and preset. Close it in any case.
int validate_run_open(validate_run *run, const char *scenes, bool is_quiet);
void validate_run_close(validate_run *run);

// Makes a few steps, and finds how long the whole run will take [s], in how many steps. @return false: they failed
bool validate_forecast(validate_run *run, double *seconds, double *steps);
// Advances to this time [s]. @return false if the run failed or was interrupted
bool validate_advance(validate_run *run, double time);
bool validate_view(validate_run *run, mote_fluid_view *view);
// Reports the value of a check, and what it should be; NaN for those without a reference.
void validate_report(validate_run *run, size_t check, double value, double reference);
// Begins a file of curves in the folder for output, with the names of its columns; and adds a line of numbers to it.
// Nothing happens without such a folder.
void validate_curve(validate_run *run, const char *columns);
void validate_point(validate_run *run, size_t count, const double *numbers);

// Reads a table of the case's folder: lines with at least `columns` numbers; others are comments.
// @param rows   receives their number
// @return the numbers, row by row, of malloc; NULL with run->error set
double *validate_table_read(validate_run *run, const char *name, size_t columns, size_t *rows);

// Writes the text of a scene with another spacing and preset. A preset other than that of the scene takes its own
// numerics: what the scene sets of these is left out.
// @return of malloc; NULL if the scene is no JSON object with a "fluid", or memory ran out
char *validate_scene_text(const char *path, double spacing, const char *preset);

// --------------------------------------------------------------------------------------- fields of the particles

// The field at a place by weighted linear least squares over the particles within `reach`; NaN where there are none.
double validate_fit(const mote_fluid_view *view, const float *field, int dimensions, const double place[3],
                    double reach);
// The rightmost particle below a height, plus half a spacing [m]; 0: there is none.
double validate_front(const mote_fluid_view *view, double height, double spacing);
// The height of the water at a vertical line: where the filling of cells of one spacing, within 1.5 spacings of it,
// last passes one half [m]; 0: nowhere.
double validate_height(const mote_fluid_view *view, int dimensions, double x, double y, double spacing);

// The least-squares line y(x) = offset + slope x of points.
typedef struct validate_line {
    double offset, slope;
} validate_line;
validate_line validate_fit_line(const double *x, const double *y, size_t count);

// ---------------------------------------------------------------------------------------------------------- output

// A judged value.
typedef struct validate_row {
    const char *case_name, *scene, *preset;
    int cells;
    const validate_check *check;
    double value, reference, error, tolerance;
    const char *verdict;  // "pass", "fail", "told"
    double seconds;
    char message[256];  // why there is no value
} validate_row;

// Scenes that a preset, which was to be told beside, cannot run: periodic ones, for instance, or several fluids.
typedef struct validate_unable {
    const char *preset, *scenes[VALIDATE_SCENES];
    size_t count;
} validate_unable;

void validate_judge(validate_row *row, validate_level level);
void validate_print_head(void);
void validate_print_row(const validate_row *row);
// Says below the table which scenes presets could not run, and what "told" means where there is such a row, and counts
// the verdicts.
void validate_print_foot(size_t passed, size_t failed, size_t told, const validate_unable *unable, size_t presets);
void validate_print_json(const validate_row *rows, size_t count, const validate_unable *unable, size_t presets,
                         double seconds);
void validate_print_list(const validate_case *const *cases, size_t count, bool is_json);

#endif
