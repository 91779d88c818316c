// SPDX-License-Identifier: MIT
// app.h: declarations that the files of the mote program share. They use only mote's public headers; their own names
// begin with app_.
#ifndef MOTE_APP_H
#define MOTE_APP_H

#include <stdio.h>

#include "mesh_file.h"
#include "mote/base.h"
#include "mote/hits.h"
#include "mote/import.h"
#include "mote/output.h"
#include "mote/render.h"
#include "mote/scene.h"
#include "mote/surface.h"
#include "processors.h"

// Exit statuses. Interrupted runs return 128 + the signal's number.
enum { APP_DONE = 0, APP_FAILED = 1, APP_BAD_INPUT = 2 };

// ---------------------------------------------------------------------------------------------------- commands

typedef struct app_command {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv);  // argv[0] is the command's name
} app_command;

int app_run(int argc, char **argv);
int app_scene(int argc, char **argv);
int app_bench(int argc, char **argv);
int app_neighbors(int argc, char **argv);
int app_surfaces(int argc, char **argv);
int app_broadphase(int argc, char **argv);
int app_mesh(int argc, char **argv);
int app_validate(int argc, char **argv);
int app_converge(int argc, char **argv);

// ----------------------------------------------------------------------------------------------------- options

typedef struct app_option {
    const char *name;     // "--frames"
    const char *value;    // the name of its value in help; NULL: it has none. An optional value follows
                          // a "=": "--weld=X"
    const char *meaning;
    char letter;          // 'o' for "-o"; 0: none
    bool *flag;           // exactly one of these three is set; or flag and text, if the value is optional
    int64_t *whole;       // a whole number from min to max
    const char **text;
    int64_t min, max;
} app_option;

typedef struct app_usage {
    const char *command;     // "run"
    const char *arguments;   // "SCENE"
    size_t argument_count;   // exactly so many, unless they may be left out
    const char *summary;
    const char *details;     // further lines, or NULL
    const app_option *options;
    size_t option_count;
    bool may_lack;           // there may be fewer arguments
} app_usage;

enum { APP_GO_ON = -1 };

// Reads the command line. Options may stand anywhere before "--".
// @param arguments  receives argument_count texts
// @return APP_GO_ON, or the exit status: help was printed, or an error was reported
int app_options_read(const app_usage *usage, int argc, char **argv, const char **arguments);
void app_usage_print(const app_usage *usage);

// ---------------------------------------------------------------------------------------------------- terminal

// Escape sequences, all empty if the stream is no terminal, or NO_COLOR is set.
typedef struct app_style {
    const char *bold, *dim, *red, *green, *reset;
} app_style;
app_style app_style_of(FILE *stream);
bool app_is_terminal(FILE *stream);
int app_terminal_width(FILE *stream);  // in characters

#if defined(__GNUC__)
#define APP_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define APP_PRINTF(text, first)
#endif

// Prints one line on standard error through app_text_put, so that any text from files and users is safe in it.
void app_complain(const char *format, ...) APP_PRINTF(1, 2);
// From here on it prints nothing, or does again: for what is tried before it is done, and would complain twice.
void app_complain_silence(bool is_wanted);

// Prints text from outside, such as file names: control characters and bytes that are not UTF-8 appear as "\x1b".
void app_text_put(FILE *stream, const char *text);
// The same after a label, on a line of its own: "written     out/run.json".
void app_line_put(const char *label, const char *text);

// Prints the line that memory has run out. @return APP_FAILED
int app_out_of_memory(void);

// "s", or "" after a count of one.
const char *app_plural(uint64_t count);

// Prints a line of a histogram on standard output: what is counted, a bar, the count.
// @param longest  the largest count of all
void app_bar_print(const char *what, size_t count, size_t longest);

// Prints a text as a JSON string, in quotes, on standard output; U+FFFD replaces bytes that are not UTF-8.
void app_json_print(const char *text);

// Text formatted as by printf, in memory of malloc; NULL if there is none.
char *app_text(const char *format, ...) APP_PRINTF(1, 2);

// Whether a path ends so, and has something before that.
bool app_ends_with(const char *path, const char *ending);

// ------------------------------------------------------------------------------------------------------ system

double app_clock(void);  // [s], from an arbitrary moment
uint64_t app_memory(void);  // that this process may use, in bytes; 0 if not known

// Runs a program found in PATH, in `folder`, silent and without standard input, and waits for it. Interrupts end it.
// @param arguments  ended by NULL; the first is the program
// @return its exit status; 127: there is no such program; −1: interrupted, or it could not be started
int app_spawn(const char *folder, const char *const *arguments);

// Replaces standard streams that the caller closed by ones that cannot be written to: otherwise the next file that
// is opened would take their place, and printed text would go into it.
void app_streams_secure(void);

// From here on SIGINT, SIGTERM, SIGHUP (the terminal was closed) and SIGPIPE (the reader of our output has ended)
// are recorded instead of ending the program.
void app_signals_catch(void);
void app_signals_release(void);  // they end the program at once, as if never caught
int app_signal_caught(void);  // its number, 0: none
int app_signal_take(void);    // the same, and resets it: later signals count as new ones

// Locks a folder for this process, until it ends or closes the handle; the system releases the locks of ended
// processes. If the file system has no locks, or the folder cannot be read, other processes are not kept out.
// @return false if another process has locked it
bool app_folder_lock(const char *folder, int *handle);
void app_folder_unlock(int handle);

// ---------------------------------------------------------------------------------------- kept proxies and fields

// The path where a proxy is stored, or would be: in $XDG_CACHE_HOME/mote, otherwise in $HOME/.cache/mote.
typedef struct app_cache {
    char *folder, *path;  // NULL: nowhere
} app_cache;

// Does not look anything up yet. Close it in any case.
void app_cache_open(app_cache *cache, const mote_mesh *const *meshes, size_t count, const mote_proxy_def *def);
void app_cache_close(app_cache *cache);
// @param meshes  those that the cache was opened for, as mesh_count and def
// @return the proxy, or NULL if there is none, or its file is damaged or another's
mote_proxy *app_cache_read(const app_cache *cache, const mote_mesh *const *meshes, size_t mesh_count,
                           const mote_proxy_def *def, mote_context *context);
// @return whether the file exists now; it is no error if it does not
bool app_cache_write(const app_cache *cache, const mote_proxy *proxy);
// How many fields a simulation wanted, and how many of them had to be built.
typedef struct app_field_counts {
    uint32_t wanted, built;
} app_field_counts;
// The fields of solids in the same folder.
// @param counts  has to outlive the store
mote_wall_field_store app_cache_fields(app_field_counts *counts);

// ------------------------------------------------------------------------------------------------- opened scene

// A file's identity in the system.
typedef struct app_file_id {
    uint64_t device, number;
} app_file_id;

// How often a run is saved.
typedef struct app_checkpoints {
    int32_t frames;  // 0: not by frames
    double minutes;  // 0: not by time
} app_checkpoints;
const mote_field_table *app_checkpoint_fields(void);

// What a run writes of the fluid's particles, besides their positions and ids.
typedef struct app_output {
    const char *fields[MOTE_FIELD_WORDS_MOST];  // attributes of the fluid; none: velocity, density and pressure
} app_output;
const mote_field_table *app_output_fields(void);

// How surfaces of liquids are made: lengths in spacings of the particles. mote_surface_def says more.
typedef struct app_liquid_surface {
    double cell, support;
    int32_t kernel;  // a mote_surface_kernel
    int32_t smooth, smooth_normals, min_particles;
    bool weighted, cleanup;
    int32_t files;  // an app_surface_files
    bool is_wanted;  // the scene has the section
} app_liquid_surface;
enum app_surface_files { APP_SURFACE_NO_FILES, APP_SURFACE_VTP };
const mote_field_table *app_surface_fields(void);

// A scene file with everything that it names.
typedef struct app_scene_file {
    const char *path;
    app_file_id *inputs;  // the scene and the meshes that were read
    size_t input_count;
    char *name;  // the file's name without folder and ".json"
    mote_context *context;
    mote_scene *scene;
    const mote_scene *written;  // the scene in its file, if this one's text was changed: messages have places there
    const mote_scene_settings *settings;
    mote_render_def picture;  // with the box that is to be seen
    app_checkpoints checkpoints;
    app_output output;
    app_liquid_surface surface;
    mote_box content;         // around all blocks, grains and visible solids at the start
    mote_mesh **meshes;       // of the solids, placed
    mote_point_data *points;  // of the blocks; empty where a block has no file
    mote_motion_data *motions;  // of the solids and, last, of the tank; empty where there is no table
    mote_proxy *proxy;        // that grains collide with; NULL: none, or one that the simulation made
    double proxy_seconds;     // to read or to build it
    app_cache cache;          // that it was read from; closed if it was built
    app_field_counts fields;  // of solids
    mote_simulation *simulation;
} app_scene_file;

// A context with the byte budget of this machine.
// @param threads  0: the number from app_processors
mote_context *app_context_create(int64_t threads);
// The same, but with at most this many bytes.
mote_context *app_context_create_within(int64_t threads, size_t max_bytes);

// Reads a scene and its meshes, and fills the simulation.
// @return APP_DONE, or a status after a line on standard error. Close it in any case.
int app_scene_open(app_scene_file *file, mote_context *context, const char *path);
// The same for the text of a scene that once was at this path.
int app_scene_open_text(app_scene_file *file, mote_context *context, const char *path, const char *text,
                        size_t length);
// The same for a text that was made from a scene in a file: messages have the lines of that file.
// @param original   must stay open until the scene is filled
int app_scene_open_changed(app_scene_file *file, const app_scene_file *original, const char *text, size_t length);
int app_scene_fill(app_scene_file *file);
void app_scene_close(app_scene_file *file);

// Reports an error in a scene, with the position of the field that the error's text begins with.
// @return the exit status
int app_scene_complain(const app_scene_file *file, mote_error *error);

// The sections of a scene that only the program uses.
enum { APP_SECTIONS = 4 };
void app_scene_sections(mote_render_def *picture, app_checkpoints *checkpoints, app_output *output,
                        app_liquid_surface *surface, mote_scene_section sections[APP_SECTIONS]);

// The quantities that all objects of a simulation report, one after the other.
typedef struct app_quantities {
    mote_quantity *list;  // of malloc
    size_t count;
} app_quantities;
enum { APP_QUANTITY_NAME = 128 };
// "kinetic_energy", or "jet.mass_in" of an inlet "jet".
void app_quantity_name(const mote_quantity *quantity, char name[APP_QUANTITY_NAME]);
mote_result app_quantities_get(mote_simulation *simulation, app_quantities *quantities, mote_error *error);
// The sum of all changing quantities with that name; NaN if there are none.
double app_quantities_sum(const app_quantities *quantities, const char *name);
// Prints what shows how a run is going: "  mean compression 0.31 %  max speed ratio 1.2 sqrt(gH)".
void app_quantities_print_vital(const app_quantities *quantities);
// The counts among them, as text: "250 grains, 0 grains removed"; "" if there are none.
void app_quantities_print_counts(const app_quantities *quantities, bool is_fixed);

// Values that follow from the settings.
typedef struct app_derived {
    app_quantities quantities;  // of the start; app_scene_derive's caller frees them
    double particles;           // of all objects, also those that are to come
    double depth;            // H: extent of the blocks along gravity [m]
    double reference_speed;  // sqrt(|g| H) [m/s]
    double time_step;        // [s]
    double steps;            // about so many to the end
} app_derived;
// @param resolved  receives the simulation's def with all values that follow from others
app_derived app_scene_derive(const app_scene_file *file, mote_simulation_def *resolved);

// estimate.c: makes some steps and a frame, and prints how long a run will take. The simulation has moved then.
// @param pictures  frames have them
int app_scene_estimate(app_scene_file *file, bool pictures);

// ---------------------------------------------------------------------------------------------------- the output

// Refuses a folder that is not empty, unless it is to be overwritten.
int app_folder_check(const char *folder, bool overwrite);
// Makes a folder and all its parents. @return false with errno set, unless it exists afterwards
bool app_folder_create(const char *folder);
// Makes DIR and locks it for this process, or refuses it.
// @param lock   receives the handle for app_folder_unlock
int app_folder_take(const char *folder, bool overwrite, int *lock);

// The files that a run makes, as families of names in its folder: "<prefix>0000<ending>" and so on, `count` of them,
// or, if that is -1, the single name "<prefix><ending>". Pictures are in "frames/".
typedef struct app_made_family {
    char *prefix, *ending;
    int32_t count;
} app_made_family;
typedef struct app_made {
    app_made_family *families;
    size_t count;
} app_made;
bool app_made_add(app_made *made, const char *prefix, int32_t count, const char *ending);  // false: no memory
void app_made_release(app_made *made);
// Removes the files that the folder's run.json lists. Refuses, without removing anything, if a file that is to be
// made already exists and is not in that list, or is an input of this run.
// @param keep  remove nothing, only refuse
int app_made_clear(const app_made *made, const app_scene_file *file, const char *folder, bool keep);
// The key by which a run.json says of which scene it is; and whether that in the folder has another key than this one.
enum { APP_SCENE_KEY = 9 };
void app_made_scene_key(const char *text, size_t length, char key[APP_SCENE_KEY]);
bool app_made_of_other_scene(const char *folder, const char *key);

// A file that appears under its name only when it is complete. On failure errno has the reason.
typedef struct app_file {
    FILE *stream;
    mote_partial file;
    char *path, *partial;
} app_file;
bool app_file_open(app_file *file, const char *folder, const char *name);
bool app_file_create(app_file *file, const char *path);
bool app_file_sync(app_file *file);  // what was written so far is on the disk
bool app_file_commit(app_file *file);
void app_file_discard(app_file *file);

// Statistics of a frame.
typedef struct app_record {
    int32_t frame;
    double time;
    uint64_t steps, fast;  // fast: particles of all objects above 2.2 sqrt(gH)
    bool has_picture;
    mote_vec3 eye, target;  // of its camera
    app_quantities quantities;
} app_record;
// What shows how a run went, with the largest values of all records: "; mean compression at most 0.31 %".
void app_records_print_largest(const app_record *records, size_t count);

// The state of another run that a run started from.
typedef struct app_origin {
    const char *folder;  // NULL: there is none
    int64_t frame;       // −1: between frames
    double time;         // [s]
} app_origin;

typedef struct app_report {
    const app_scene_file *file;
    app_origin origin;
    mote_simulation_def resolved;
    app_derived derived;
    app_record *records;
    size_t record_count;
    app_made made;       // all files of the run, before the first is there
    const char *status;  // "running", "done", "interrupted", "failed"
    const char *message;
    const char *pictures;  // who drew them; NULL: nobody
    bool has_checked;
    size_t inside, beyond;
    double seconds;
    mote_simulation_counters counters;
} app_report;
bool app_report_write(const app_report *report, const char *folder);
// Changes the status of a report on disk from "running" to "failed", in place: for when there is no space for a new
// one.
void app_report_amend(const char *folder);

// Progress on standard output: a live line on a terminal, otherwise a line per frame.
typedef struct app_progress {
    bool quiet, live;
    app_style style;
    size_t frame_count;
    double end_time;
    double started, shown;
    size_t frame;
} app_progress;
void app_progress_start(app_progress *progress, bool quiet, size_t frame_count, double end_time);
void app_progress_step(app_progress *progress, double time, const mote_simulation_counters *counters);
void app_progress_frame(app_progress *progress, double time, const mote_simulation_counters *counters,
                        const app_record *record);
void app_progress_clear(app_progress *progress);
void app_duration_text(double seconds, char *text, size_t size);

// The progress of a long operation, as a changing line on standard error: only on a terminal, and only after 0.5 s.
typedef struct app_stage {
    bool live;
    const char *what;  // is being done: "reading horse.ply"
    double started, shown;
} app_stage;
void app_stage_begin(app_stage *stage, const char *what);
void app_stage_show(void *stage, double share);  // a mote_import_watch; a share below 0 means unknown
void app_stage_end(app_stage *stage);

// gauges.csv, which grows while the run goes on. All zeros: no gauges, or not open yet.
typedef struct app_gauges {
    size_t count;     // gauges
    uint64_t *rows;   // of each gauge, that are in the file
    FILE *stream;     // NULL: there is no file
    uint64_t length;  // of the file [bytes]
    uint32_t sum;     // CRC-32 of its bytes
    int cause;        // errno of the first fault in writing; 0: none
} app_gauges;
// Begins the file with its header and the rows of the start; or goes on behind the first `length` bytes.
int app_gauges_open(app_gauges *gauges, const mote_simulation *simulation, const char *folder, bool resumes);
// Whether the file begins with bytes of this length and sum.
bool app_gauges_check(const app_gauges *gauges, const char *folder);
// Writes the rows that are new after a step. @return false if anything could not be written so far
bool app_gauges_write(app_gauges *gauges, const mote_simulation *simulation);
bool app_gauges_flush(app_gauges *gauges, bool sync);  // sync: the rows are on the disk, too
// Makes DIR/gauges.png, a panel for each quantity, and keeps the script that does it.
// @return NULL, or the reason why there is none
const char *app_gauges_draw(app_gauges *gauges, const mote_simulation *simulation, const char *folder);
void app_gauges_close(app_gauges *gauges);

// How the frames are made into a video.
typedef struct app_video {
    double shown;      // frames of the run per second
    double rate;       // frames of the video per second; others than `shown` are left out or repeated
    double speed;      // simulated seconds per second: 1 is real time
    bool is_slowed;    // the speed that was wanted needs more than 60 frames per second
    char words[48];    // "real time", "0.5 × real time"
} app_video;
app_video app_video_of(const mote_scene_settings *settings);

// Memory that grows when needed.
typedef struct app_memory_block {
    void *data;
    size_t bytes;
} app_memory_block;

enum { APP_OBJECT_NAME = 256 };

// An object's particles in the current frame, and the series that contains its files.
typedef struct app_object_frames {
    size_t number;               // of the object in the simulation
    bool is_fixed;               // written once; other objects have a file for each frame, and a series
    double size;                 // of a particle in pictures [m]; 0: they are not drawn
    mote_vec3 color;             // of all of them; NaN: by speed
    char name[APP_OBJECT_NAME];  // that its files begin with
    mote_series *series;
    mote_particle_role role;
    size_t count, array_count;
    mote_array arrays[MOTE_OBJECT_ARRAYS];  // packed, by id where there are ids; the first is the position
    app_memory_block memory[MOTE_OBJECT_ARRAYS], order, places, speeds;
    size_t group_count;  // of particles that have colours of their own
    mote_vec3 group_colors[MOTE_OBJECT_GROUPS];
    app_memory_block groups, grouped;  // of each particle its group; places, group by group
} app_object_frames;

// The outlines of particles in 2D.
typedef struct app_outline {
    mote_outline *outline;
    mote_vec3 *vertices;    // in space
    const uint32_t *lines;  // two vertices each
    size_t line_count;
} app_outline;

// Makes outlines, in place of those that were there.
// @param is_upright  the particles lie in the plane y = 0, not in the plane z = 0
// @param view        receives what they enclose; of the stats the area [m²]
mote_result app_outline_make(app_outline *outline, mote_context *context, const mote_surface_def *def,
                             const mote_surface_cloud *cloud, bool is_upright, mote_surface_view *view,
                             mote_error *error);
void app_outline_close(app_outline *outline);

// The meshes of several fluids in one: see frames_fluids.c.
typedef struct app_surface_join {
    mote_vec3 *vertices, *normals;
    uint32_t *triangles;
    float *values;    // of the arrays, one behind the other
    uint8_t *fluids;  // of each vertex
    mote_array arrays[MOTE_OBJECT_ARRAYS + 1];
    app_memory_block memory[5];
} app_surface_join;

// The surface of an object's particles.
typedef struct app_object_surface {
    mote_surface_def def;
    mote_surface *surface;   // in 3D
    app_outline outline;     // in 2D
    app_surface_join join;   // of several fluids, for files
    mote_surface_view view;  // of any of these
    mote_series *series;     // NULL: no files
    const app_object_frames *object;
} app_object_surface;

// Solids that cut a surface, up to some distance: those whose meshes are closed.
typedef struct app_cut {
    mote_hits *solids;  // NULL: there are none
    double reach;       // [m]
} app_cut;
enum { APP_CUT_REACH = 4 };  // of the kernel's supports; solids farther away cut nothing
mote_result app_cut_open(app_cut *cut, mote_context *context, const mote_mesh *const *meshes, size_t count,
                         mote_error *error);
double app_cut_distance(void *cut, mote_vec3 at);  // a mote_surface_distance
void app_cut_close(app_cut *cut);

// The surfaces of all liquids of a run, and what they need: see frames_surface.c.
typedef struct app_surfaces_made {
    app_object_surface *list;
    size_t count;
    mote_liquid *liquids;  // for the picture: one of each fluid that is drawn
    size_t liquid_count;
    bool is_flat;  // outlines for files alone: pictures show particles
    app_cut cut;
    bool solids_move;
    mote_surface_plane planes[6];
    size_t plane_count;
    app_memory_block speeds;  // at the vertices, for pictures
} app_surfaces_made;

// The files of a run besides its report: particles, meshes, pictures.
typedef struct app_frames {
    const app_scene_file *file;
    const char *folder;
    double reference_speed;
    app_object_frames *objects;  // those with particles
    mote_layer *layers;          // of the picture: see frames_layers.c
    size_t object_count, layer_count;
    app_surfaces_made surfaces;
    mote_render *render;  // NULL: no pictures
    uint8_t *rgb;
    mote_render_def picture;  // resolved
    mote_box seen;    // around the scene's content at the start and all particles so far
    app_video video;  // whose speed the pictures tell
} app_frames;

// Prepares for frames, and writes nothing yet. Close them in any case.
// @param pictures  wanted; if they cannot be drawn, a note says so and the run continues
// @return an exit status, after a line on standard error if it is not APP_DONE
int app_frames_open(app_frames *frames, const app_scene_file *file, const char *folder, const app_derived *derived,
                    bool pictures, bool quiet);
// Writes what does not change, after the folder was made.
int app_frames_begin(app_frames *frames);
// Names the frames that are there in the series, before more are written.
mote_result app_frames_resume(app_frames *frames, const app_record *records, size_t count, mote_error *error);
// Writes the current state as frame record->frame at record->time, and fills in the rest of the record.
mote_result app_frames_write(app_frames *frames, app_record *record, mote_error *error);
// Makes sure that every series names all frames.
mote_result app_frames_flush(app_frames *frames, mote_error *error);
void app_frames_close(app_frames *frames);

// Memory of at least this many bytes; its previous content is lost. NULL if there is none.
void *app_memory_reserve(app_memory_block *block, size_t bytes);

// frames_layers.c: particles as layers of the picture.
mote_vec3 app_group_color(size_t group);                // of a group that has none of its own
size_t app_layers_of(const mote_object_view *view);     // how many an object needs
// Takes over the groups of an object's particles, in the order of its arrays. False: out of memory, also below.
bool app_layers_gather(app_object_frames *object, const mote_object_view *view, const uint32_t *order);
bool app_layers_add(app_frames *frames, app_object_frames *object);
// The length of tuple i of an array of three floats or doubles each.
float app_array_length(const mote_array *array, size_t i);

// frames_camera.c: what the picture's camera shall show: what it has shown, and what there is now but for the outermost
// particles.
mote_box app_frames_widen(const app_frames *frames, const mote_picture *picture);

// spread.c: where most of many places are.
enum { APP_SPREAD_MOST = 4096 };

// A sample of places, for the box of most of them.
typedef struct app_spread {
    double at[3][APP_SPREAD_MOST];
    size_t used, number, step;
} app_spread;

// @param count  of the places that will be added
void app_spread_begin(app_spread *spread, size_t count);
void app_spread_add(app_spread *spread, double x, double y, double z);
// The box of all but one in `part` of the places on each side; false if there are none.
bool app_spread_inner(app_spread *spread, size_t part, mote_box *box);
// The longest side.
double app_extent_of(mote_box box);
// The box around `before`, which may be NAN, and those parts of `all` that are no farther than the margin from `inner`.
mote_box app_join_within(mote_box before, mote_box inner, double margin, mote_box all);

// frames_surface.c: the surfaces of fluids.
// Prepares for surfaces if the scene or its pictures want them.
mote_result app_frames_open_surfaces(app_frames *frames, mote_error *error);
// Makes the surfaces of the particles that the frame has, and their files if the scene wants them.
mote_result app_frames_make_surfaces(app_frames *frames, const app_record *record, mote_error *error);
// Whether there are files of surfaces: if the scene has a section for them.
bool app_frames_write_surfaces(const app_frames *frames);
// Names the file of a frame in the series.
mote_result app_frames_name_surface(app_object_surface *surface, const app_record *record, mote_error *error);
void app_frames_close_surfaces(app_surfaces_made *surfaces);

// The fluids whose meshes a surface has, and the mesh of one.
size_t app_fluids_of(const app_object_surface *surface);
mote_surface_view app_fluid_view(const app_object_surface *surface, size_t fluid);
// How pictures show a fluid of a scene: not at all; clear, where the style is water.
bool app_fluid_is_gas(const mote_simulation_def *def, size_t fluid);
bool app_fluid_is_clear(const mote_simulation_def *def, size_t fluid);
// Brings the meshes of all fluids together in the view, with an array `phase`. False: out of memory.
bool app_fluids_join(app_object_surface *surface);
void app_fluids_close(app_surface_join *join);
// Whether the surface of this object is drawn, so that its particles are not.
bool app_frames_has_surface(const app_frames *frames, const app_object_frames *object);

// Makes DIR/<name>.mp4 of DIR/frames.
// @return NULL, or the reason why there is none
const char *app_video_make(const app_video *video, const char *folder, const char *name);

#endif
