// SPDX-License-Identifier: MIT
// Loads a scene with all that it names: its settings, those of its pictures, its meshes, and makes the simulation.

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app.h"
#include "mote/import.h"

static const double sphere_edge = 2.5;  // of triangles of solids that are spheres, in spacings of the fluid

static void warn(void *user_data, const char *text)
{
    (void)user_data;
    app_complain("mote: warning: %s", text);
}

mote_context *app_context_create_within(int64_t threads, size_t max_bytes)
{
    mote_context_def def = mote_context_default_def();
    def.thread_count = threads > 0 ? (uint32_t)threads : app_processors();
    uint64_t memory = app_memory();
    if (memory > 0) def.max_bytes = (size_t)(memory / 10 * 8);  // with over-commit, allocations would not fail in time
    if (max_bytes < def.max_bytes) def.max_bytes = max_bytes;
    if (max_bytes == SIZE_MAX) def.log.message = warn;  // a budget of the program's own is not the user's concern
    mote_context *context;
    if (mote_context_create(&def, &context, NULL) == MOTE_OK) return context;
    app_complain("mote: there is no memory to begin with");
    return NULL;
}

mote_context *app_context_create(int64_t threads)
{
    return app_context_create_within(threads, SIZE_MAX);
}

const mote_field_table *app_output_fields(void)
{
    static const char *names[MOTE_FIELD_WORDS_MOST + 1];  // of all attributes, the same in every call
    static const mote_field fields[] = {
        {.name = "fields", .type = MOTE_FIELD_WORDS, .unit = "", .offset = offsetof(app_output, fields),
         .choices = names,
         .meaning = "attributes of the fluid's particles in particles_0000.vtp and so on, besides position and id; "
                    "default: velocity, density, pressure"},
    };
    static const mote_field_table table = {"output", "what is written of the fluid's particles", fields,
                                           sizeof fields / sizeof fields[0]};
    const mote_fluid_attribute *attribute;
    for (size_t k = 0; k < MOTE_FIELD_WORDS_MOST && (attribute = mote_fluid_attribute_at(k)) != NULL; ++k)
        names[k] = attribute->name;
    return &table;
}

const mote_field_table *app_surface_fields(void)
{
    static const char *const file_names[] = {"none", "vtp", NULL};
    static const char *const kernel_names[] = {"isotropic", "anisotropic", NULL};
    static const mote_field fields[] = {
        {.name = "cell", .type = MOTE_FIELD_NUMBER, .unit = "spacings", .offset = offsetof(app_liquid_surface, cell),
         .min = 1.0 / 64, .max = 4, .initial = {0.5}, .meaning = "edge of a cube of marching cubes"},
        {.name = "support", .type = MOTE_FIELD_NUMBER, .unit = "spacings",
         .offset = offsetof(app_liquid_surface, support), .min = 1, .max = 8, .initial = {2},
         .meaning = "of the kernel that spreads the particles"},
        {.name = "kernel", .type = MOTE_FIELD_CHOICE, .unit = "", .offset = offsetof(app_liquid_surface, kernel),
         .choices = kernel_names, .meaning = "isotropic, or anisotropic: flat where neighbours are (Yu & Turk 2013)"},
        {.name = "smooth", .type = MOTE_FIELD_INT, .unit = "", .offset = offsetof(app_liquid_surface, smooth), .min = 0,
         .max = 1000, .initial = {10}, .meaning = "rounds of Laplacian smoothing"},
        {.name = "weighted", .type = MOTE_FIELD_BOOL, .unit = "", .offset = offsetof(app_liquid_surface, weighted),
         .initial = {1}, .meaning = "smoothing spares drops and thin sheets (Löschner et al. 2023)"},
        {.name = "cleanup", .type = MOTE_FIELD_BOOL, .unit = "", .offset = offsetof(app_liquid_surface, cleanup),
         .meaning = "merges slivers, about half of the triangles (Moore & Warren 1992)"},
        {.name = "smooth_normals", .type = MOTE_FIELD_INT, .unit = "",
         .offset = offsetof(app_liquid_surface, smooth_normals), .min = 0, .max = 1000, .initial = {0},
         .meaning = "rounds of smoothing of the normals"},
        {.name = "min_particles", .type = MOTE_FIELD_INT, .unit = "",
         .offset = offsetof(app_liquid_surface, min_particles), .min = 0, .max = 1e9, .initial = {0},
         .meaning = "parts with fewer particles are left out"},
        {.name = "files", .type = MOTE_FIELD_CHOICE, .unit = "", .offset = offsetof(app_liquid_surface, files),
         .initial = {APP_SURFACE_VTP}, .choices = file_names,
         .meaning = "vtp: surface_0000.vtp and so on, and surface.pvd, beside the particles"},
    };
    static const mote_field_table table = {
        "surface", "the surface of the fluid; with it, pictures show water unless picture.style says otherwise", fields,
        sizeof fields / sizeof fields[0]};
    return &table;
}

void app_scene_sections(mote_render_def *picture, app_checkpoints *checkpoints, app_output *output,
                        app_liquid_surface *surface, mote_scene_section sections[APP_SECTIONS])
{
    sections[0] = (mote_scene_section){"picture", mote_render_fields(), picture};
    sections[1] = (mote_scene_section){"checkpoints", app_checkpoint_fields(), checkpoints};
    sections[2] = (mote_scene_section){"output", app_output_fields(), output};
    sections[3] = (mote_scene_section){"surface", app_surface_fields(), surface};
}

// "file:line:column: text"
static int complain_in(const char *path, const mote_error *error)
{
    if (error->line)
        app_complain("%s:%u:%u: %s", path, error->line, error->column, error->text);
    else
        app_complain("%s: %s", path, error->text);
    return error->result == MOTE_ERROR_OUT_OF_MEMORY ? APP_FAILED : APP_BAD_INPUT;
}

int app_scene_complain(const app_scene_file *file, mote_error *error)
{
    const mote_scene *scene = file->written ? file->written : file->scene;
    mote_scene_find_place(scene, error->text, &error->line, &error->column);
    return complain_in(file->path, error);
}

// -------------------------------------------------------------------------------------------------------- parts

// The file's name without folder and extension.
static char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *begin = slash ? slash + 1 : path;
    size_t length = strlen(begin);
    if (length > 5 && strcmp(begin + length - 5, ".json") == 0) length -= 5;
    return app_text("%.*s", (int)length, begin);
}

static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash) return app_text(".");
    return slash == path ? app_text("/") : app_text("%.*s", (int)(slash - path), path);
}

// Reports a bad field of an element of a list, with its position in the scene.
static int refuse_element(const app_scene_file *file, const char *list, size_t i, const char *field_name,
                          const char *text)
{
    char field[48];
    mote_error error = {0};
    snprintf(field, sizeof field, "%s[%zu].%s", list, i, field_name);
    mote_scene_find_place(file->scene, field, &error.line, &error.column);
    app_complain("%s:%u:%u: %s: %s", file->path, error.line, error.column, field, text);
    return APP_BAD_INPUT;
}

static int refuse_solid(const app_scene_file *file, size_t i, const char *field_name, const char *text)
{
    return refuse_element(file, "solids", i, field_name, text);
}

// Notes a file that was read, so that it is never overwritten.
static bool add_input(app_scene_file *file, const char *path)
{
    struct stat state;
    if (stat(path, &state) != 0) return true;
    app_file_id *grown = realloc(file->inputs, (file->input_count + 1) * sizeof *grown);
    if (!grown) return false;
    file->inputs = grown;
    file->inputs[file->input_count++] = (app_file_id){(uint64_t)state.st_dev, (uint64_t)state.st_ino};
    return true;
}

static int read_mesh(app_scene_file *file, const char *folder, size_t i)
{
    char path[4096];
    mote_error error = {0};
    const char *name = file->settings->simulation.solids[i].mesh_file;
    if (mote_import_find(name, folder, path, sizeof path, &error) != MOTE_OK)
        return refuse_solid(file, i, "mesh", error.text);
    if (!add_input(file, path)) return app_out_of_memory();
    mote_result result = app_mesh_read(file->context, path, app_signal_caught, &file->meshes[i], &error);
    if (result == MOTE_OK) return APP_DONE;
    app_complain("%s", error.text);
    return result == MOTE_ERROR_OUT_OF_MEMORY ? APP_FAILED : APP_BAD_INPUT;
}

static int make_spheres(app_scene_file *file, size_t i)
{
    const mote_spheres_def *def = &file->settings->simulation.solids[i].spheres;
    const size_t count = (size_t)def->count;
    mote_sphere *spheres = calloc(count, sizeof *spheres);
    mote_error error = {0};
    mote_result result = spheres ? mote_spheres_arrange(file->context, def, spheres, &error) : MOTE_ERROR_OUT_OF_MEMORY;
    if (result == MOTE_OK)
        result =
            mote_mesh_create_spheres(file->context, spheres, count,
                                     sphere_edge * file->settings->simulation.fluid.spacing, &file->meshes[i], &error);
    free(spheres);
    if (result == MOTE_OK) return APP_DONE;
    return result == MOTE_ERROR_OUT_OF_MEMORY ? app_out_of_memory() : refuse_solid(file, i, "spheres", error.text);
}

static int make_shape(app_scene_file *file, size_t i)
{
    const mote_simulation_def *def = &file->settings->simulation;
    mote_error error = {0};
    const mote_solid_def *solid = &def->solids[i];
    const double spacing = def->fluid.spacing / solid->placement.scale;
    const mote_result result = mote_mesh_create_shape(file->context, &solid->shape, def->fluid.dimensions, spacing,
                                                      &file->meshes[i], &error);
    if (result == MOTE_OK) return APP_DONE;
    return result == MOTE_ERROR_OUT_OF_MEMORY ? app_out_of_memory() : refuse_solid(file, i, "shape", error.text);
}

// Welds vertices before the mesh is moved to its place, as mote mesh --weld does: equal vertices stay equal, however
// their coordinates are rounded later.
static int weld_mesh(app_scene_file *file, size_t i)
{
    const mote_solid_def *solid = &file->settings->simulation.solids[i];
    if (isnan(solid->weld)) return APP_DONE;
    mote_result result = mote_mesh_weld_within(file->meshes[i], solid->weld / solid->placement.scale, NULL);
    if (result == MOTE_ERROR_OUT_OF_MEMORY) return app_out_of_memory();
    if (result == MOTE_OK && file->meshes[i]->triangle_count > 0) return APP_DONE;
    return refuse_solid(file, i, "weld", "it leaves no triangle of the mesh, expected a smaller tolerance");
}

static int open_mesh(app_scene_file *file, const char *folder, size_t i)
{
    const mote_solid_def *solid = &file->settings->simulation.solids[i];
    const bool has_shape = solid->shape.kind != MOTE_SOLID_OF_MESH;
    int status = has_shape ? make_shape(file, i) : solid->spheres.count ? make_spheres(file, i)
                                                                        : read_mesh(file, folder, i);
    if (status == APP_DONE && !has_shape && !solid->spheres.count) status = weld_mesh(file, i);
    if (status != APP_DONE) return status;
    mote_mesh_place(file->meshes[i], &solid->placement);
    const mote_vec3 normal = solid->cut_normal;
    if (normal.x != 0 || normal.y != 0 || normal.z != 0) {
        if (mote_mesh_cut(file->meshes[i], solid->cut_point, normal, NULL) != MOTE_OK) return app_out_of_memory();
        if (file->meshes[i]->triangle_count == 0)
            return refuse_solid(file, i, "cut_point", "the plane cuts everything off, expected one that leaves a part");
    }
    mote_scene_set_mesh(file->scene, i, file->meshes[i]);
    return APP_DONE;
}

static int open_meshes(app_scene_file *file)
{
    size_t count = file->settings->simulation.solid_count;
    if (count == 0) return APP_DONE;
    char *folder = folder_of(file->path);
    file->meshes = calloc(count, sizeof *file->meshes);
    int status = folder && file->meshes ? APP_DONE : app_out_of_memory();
    for (size_t i = 0; i < count && status == APP_DONE; ++i) status = open_mesh(file, folder, i);
    free(folder);
    return status;
}

// Reads the points of a block. A file of two columns has x and z in a scene in 2D.
static int read_points(app_scene_file *file, const char *folder, size_t i)
{
    char path[4096];
    mote_error error = {0};
    const mote_simulation_def *def = &file->settings->simulation;
    mote_point_data *points = &file->points[i];
    if (mote_import_find(def->blocks[i].points_file, folder, path, sizeof path, &error) != MOTE_OK)
        return refuse_element(file, "blocks", i, "points", error.text);
    if (!add_input(file, path)) return app_out_of_memory();
    const mote_result result = mote_import_points(file->context, path, points, &error);
    if (result != MOTE_OK) {
        app_complain("%s", error.text);
        return result == MOTE_ERROR_OUT_OF_MEMORY ? APP_FAILED : APP_BAD_INPUT;
    }
    for (size_t p = 0; p < points->count && points->dimensions == 2 && def->fluid.dimensions == 2; ++p) {
        points->xyz[3 * p + 2] = points->xyz[3 * p + 1];
        points->xyz[3 * p + 1] = 0;
    }
    mote_scene_set_points(file->scene, i, points->xyz, points->count);
    return points->count ? APP_DONE : refuse_element(file, "blocks", i, "points", "the file has no points");
}

_Static_assert((int)MOTE_MOTION_NUMBERS == (int)MOTE_MOTION_COLUMNS, "tables are handed on as they are read");

// Reads the table of a motion, of a solid or (SIZE_MAX) of the tank.
static int read_motion(app_scene_file *file, const char *folder, size_t solid, mote_motion_data *rows)
{
    char path[4096];
    mote_error error = {0};
    const mote_simulation_def *def = &file->settings->simulation;
    const mote_motion *motion = solid == SIZE_MAX ? &def->tank.motion : &def->solids[solid].motion;
    if (!motion->table_file || !*motion->table_file) return APP_DONE;
    if (mote_import_find(motion->table_file, folder, path, sizeof path, &error) != MOTE_OK) {
        if (solid != SIZE_MAX) return refuse_solid(file, solid, "motion_table", error.text);
        app_complain("%s: tank.motion_table: %s", file->path, error.text);
        return APP_BAD_INPUT;
    }
    if (!add_input(file, path)) return app_out_of_memory();
    const mote_result result = mote_import_motion(file->context, path, rows, &error);
    if (result == MOTE_OK) mote_scene_set_motion(file->scene, solid, rows->rows, rows->count);
    else app_complain("%s", error.text);
    return result == MOTE_OK ? APP_DONE : result == MOTE_ERROR_OUT_OF_MEMORY ? APP_FAILED : APP_BAD_INPUT;
}

static int open_motions(app_scene_file *file)
{
    const mote_simulation_def *def = &file->settings->simulation;
    char *folder = folder_of(file->path);
    file->motions = calloc(def->solid_count + 1, sizeof *file->motions);  // the last one: the tank's
    int status = folder && file->motions ? APP_DONE : app_out_of_memory();
    for (size_t i = 0; i < def->solid_count && status == APP_DONE; ++i)
        status = read_motion(file, folder, i, &file->motions[i]);
    if (status == APP_DONE) status = read_motion(file, folder, SIZE_MAX, &file->motions[def->solid_count]);
    free(folder);
    return status;
}

static int open_points(app_scene_file *file)
{
    const mote_simulation_def *def = &file->settings->simulation;
    char *folder = folder_of(file->path);
    file->points = calloc(def->block_count + 1, sizeof *file->points);
    int status = folder && file->points ? APP_DONE : app_out_of_memory();
    for (size_t i = 0; i < def->block_count && status == APP_DONE; ++i)
        if (def->blocks[i].shape == MOTE_SHAPE_POINTS) status = read_points(file, folder, i);
    free(folder);
    return status;
}

// --------------------------------------------------------------------------------------------------------- view

static mote_box join(mote_box a, mote_box b)
{
    return (mote_box){{fmin(a.min.x, b.min.x), fmin(a.min.y, b.min.y), fmin(a.min.z, b.min.z)},
                      {fmax(a.max.x, b.max.x), fmax(a.max.y, b.max.y), fmax(a.max.z, b.max.z)}};
}

// The box where grains start. If it is a single point, it is as large as a grain.
static mote_box grains_box(const mote_grains_def *grains)
{
    mote_box box = {grains->min, grains->max};
    const bool is_point = box.min.x == box.max.x && box.min.y == box.max.y && box.min.z == box.max.z;
    const double more = is_point ? grains->size : 0;
    box.min.x -= more, box.min.y -= more, box.min.z -= more;
    box.max.x += more, box.max.y += more, box.max.z += more;
    return box;
}

// A box around the faces of open ends, as wide as they are.
static mote_box faces_box(const mote_open_end *ends, size_t count, mote_box box)
{
    for (size_t k = 0; k < count; ++k) {
        const mote_face *face = &ends[k].face;
        double half = fmax(face->radius, fmax(face->width, face->height) / 2);
        for (size_t c = 0; c < 2 * face->corners.count; ++c) half = fmax(half, fabs(face->corners.xz[c]));
        const mote_vec3 at = face->center;
        box = join(box, (mote_box){{at.x - half, at.y - half, at.z - half}, {at.x + half, at.y + half, at.z + half}});
    }
    return box;
}

// The box around all blocks and grains at the start; without any, around the openings by which all comes in.
static mote_box particle_box(const mote_simulation_def *def)
{
    mote_box box = {{NAN, NAN, NAN}, {NAN, NAN, NAN}};  // fmin and fmax ignore NaN
    for (size_t i = 0; i < def->block_count; ++i)
        box = join(box, mote_block_box(&def->blocks[i], def->fluid.dimensions));
    if (def->has_grains) box = join(box, grains_box(&def->grains));
    if (!isnan(box.min.x)) return box;
    return faces_box(def->outlets, def->outlet_count, faces_box(def->inlets, def->inlet_count, box));
}

// What a camera given by the scene frames: the tank, else all blocks, else the place where grains start.
static mote_box own_camera_box(const mote_simulation_def *def)
{
    mote_simulation_def wet = *def;
    if (def->has_tank) return (mote_box){def->tank.min, def->tank.max};
    if (def->block_count) wet.has_grains = false;
    return particle_box(&wet);
}

static bool has_own_camera(const app_scene_file *file)
{
    return !isnan(file->picture.eye.x) || !isnan(file->picture.target.x);
}

// Whether the scene sets this field of the pictures, so that it is not the default.
static bool names_field(const app_scene_file *file, const char *path)
{
    uint32_t line, column, section_line, section_column;
    return mote_scene_find_place(file->scene, path, &line, &column) &&
           mote_scene_find_place(file->scene, "picture", &section_line, &section_column) &&
           (line != section_line || column != section_column);
}

// Whether a tank tilts or rises, so that a part of it may come to lie below the floor. One that turns about a vertical
// axis stays on it.
static bool leaves_floor(const mote_motion *motion)
{
    enum { Z = 3, TURN = 4 };  // columns of a table
    bool turns = motion->turn_text || motion->turn != 0, rises = motion->shift_text[2] || motion->shift.z != 0;
    for (size_t k = 0; k < motion->table_count; ++k) {
        const double *row = motion->table + MOTE_MOTION_COLUMNS * k;
        turns = turns || row[TURN] != 0, rises = rises || row[Z] != 0;
    }
    return rises || (turns && (motion->axis.x != 0 || motion->axis.y != 0));
}

// If the scene sets no camera, everything that exists at the start is framed; frames extend this as things move.
// Without a tank neither tank nor floor is drawn: things would fall through the floor and out of sight. No floor is
// drawn below a tank that tilts or rises, either: it would hide what is below it.
static void frame_content(app_scene_file *file)
{
    const mote_simulation_def *def = &file->settings->simulation;
    mote_render_def *picture = &file->picture;
    file->content = particle_box(def);
    for (size_t i = 0; i < def->solid_count; ++i)
        if (def->solids[i].look.visible) file->content = join(file->content, mote_mesh_box(file->meshes[i]));
    if (has_own_camera(file)) return;
    const bool has_floor = def->has_tank && !def->tank.open_z_min && !leaves_floor(&def->tank.motion);
    if (!has_floor && !names_field(file, "picture.floor")) picture->floor = false;
    const bool moves = def->has_tank && mote_motion_is_set(&def->tank.motion);  // its edges are not where they were
    if (moves && !names_field(file, "picture.tank")) picture->tank = false;
    if (def->has_tank) return;
    picture->tank = false;
    picture->box = file->content;
}

// Conflicting settings of pictures are bad input, even if no pictures are requested.
static int complete_picture(app_scene_file *file)
{
    mote_render_def *picture = &file->picture;
    picture->box = own_camera_box(&file->settings->simulation);
    picture->dimensions = file->settings->simulation.fluid.dimensions;
    uint32_t line, column;
    file->surface.is_wanted = mote_scene_find_place(file->scene, "surface", &line, &column);
    if (file->surface.is_wanted && !names_field(file, "picture.style")) picture->style = MOTE_STYLE_WATER;
    picture->scalar_name = "speed";
    picture->scalar_unit = "m/s";
    if (!picture->title || !*picture->title) picture->title = file->settings->title;
    mote_error error = {0};
    return mote_render_check(picture, &error) == MOTE_OK ? APP_DONE : app_scene_complain(file, &error);
}

// The attributes that a solver has: "position, id, …".
static void list_attributes(int32_t solver, char *text, size_t size)
{
    const mote_fluid_attribute *attribute;
    size_t used = 0;
    for (size_t k = 0; (attribute = mote_fluid_attribute_at(k)) != NULL && used < size; ++k)
        if (attribute->solvers & 1u << solver)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", attribute->name);
}

static bool has_attribute(int32_t solver, const char *name)
{
    const mote_fluid_attribute *attribute;
    for (size_t k = 0; (attribute = mote_fluid_attribute_at(k)) != NULL; ++k)
        if (strcmp(attribute->name, name) == 0) return attribute->solvers & 1u << solver;
    return false;
}

// Fields that the fluid's solver has, each once.
static int check_output(const app_scene_file *file)
{
    const int32_t solver = file->settings->simulation.fluid.solver;
    const char *const *fields = file->output.fields;
    mote_error error = {0};
    for (size_t k = 0; k < MOTE_FIELD_WORDS_MOST && fields[k] && !error.text[0]; ++k) {
        char known[128];
        list_attributes(solver, known, sizeof known);
        if (!has_attribute(solver, fields[k]))
            snprintf(error.text, sizeof error.text,
                     "output.fields[%zu] is \"%s\", which solver \"%.16s\" lacks, expected one of %s",
                     k, fields[k], mote_fluid_solver_at((size_t)solver)->name, known);
        for (size_t i = 0; i < k && !error.text[0]; ++i)
            if (strcmp(fields[i], fields[k]) == 0)
                snprintf(error.text, sizeof error.text, "output.fields[%zu] is \"%s\", as output.fields[%zu] is, "
                         "expected each attribute once", k, fields[k], i);
    }
    return error.text[0] ? app_scene_complain(file, &error) : APP_DONE;
}

static int check_surface(const app_scene_file *file)
{
    mote_error error = {0};
    const size_t fluids = file->settings->simulation.fluid_count;
    if (!file->surface.cleanup || fluids < 2) return APP_DONE;
    snprintf(error.text, sizeof error.text,
             "surface.cleanup is true with %zu fluids, expected false: their meshes would no longer touch", fluids);
    return app_scene_complain(file, &error);
}

static int open_scene(app_scene_file *file, mote_context *context, const char *path, const mote_scene *written,
                      const char *text, size_t length)
{
    *file = (app_scene_file){.path = path, .name = name_of(path), .context = context, .written = written};
    if (!file->name || !add_input(file, path)) return app_out_of_memory();
    file->picture = mote_render_default_def();
    mote_fields_set_defaults(app_checkpoint_fields(), &file->checkpoints);
    mote_fields_set_defaults(app_surface_fields(), &file->surface);
    mote_scene_section sections[APP_SECTIONS];
    app_scene_sections(&file->picture, &file->checkpoints, &file->output, &file->surface, sections);
    mote_error error = {0};
    mote_result result = text ? mote_scene_parse(context, text, length, sections, APP_SECTIONS, &file->scene, &error)
                              : mote_scene_load(context, path, sections, APP_SECTIONS, &file->scene, &error);
    if (result != MOTE_OK && written) return app_scene_complain(file, &error);
    if (result != MOTE_OK) return complain_in(path, &error);
    file->settings = mote_scene_get_settings(file->scene);
    int status = check_output(file);
    if (status == APP_DONE) status = check_surface(file);
    if (status == APP_DONE) status = open_points(file);
    if (status == APP_DONE) status = open_motions(file);
    if (status == APP_DONE) status = complete_picture(file);
    if (status == APP_DONE) status = open_meshes(file);
    if (status == APP_DONE) frame_content(file);
    return status;
}

int app_scene_open_text(app_scene_file *file, mote_context *context, const char *path, const char *text, size_t length)
{
    return open_scene(file, context, path, NULL, text, length);
}

int app_scene_open_changed(app_scene_file *file, const app_scene_file *original, const char *text, size_t length)
{
    return open_scene(file, original->context, original->path, original->scene, text, length);
}

int app_scene_open(app_scene_file *file, mote_context *context, const char *path)
{
    return open_scene(file, context, path, NULL, NULL, 0);
}

// Reads the proxy of an earlier run, or makes one and keeps it for later runs. If none can be made, creating the
// simulation reports why.
static void find_proxy(app_scene_file *file)
{
    const mote_simulation_def *def = &file->settings->simulation;
    if (!def->has_grains || def->grains.collision != MOTE_GRAINS_PROXY || def->solid_count == 0) return;
    const mote_mesh *const *meshes = (const mote_mesh *const *)file->meshes;
    const mote_proxy_def proxy = mote_grains_proxy_def(&def->grains);
    double start = app_clock();
    app_cache_open(&file->cache, meshes, def->solid_count, &proxy);
    file->proxy = app_cache_read(&file->cache, meshes, def->solid_count, &proxy, file->context);
    file->proxy_seconds = app_clock() - start;
    if (file->proxy) return;
    start = app_clock();
    mote_result result = mote_proxy_create(file->context, &proxy, meshes, def->solid_count, &file->proxy, NULL);
    file->proxy_seconds = app_clock() - start;
    if (result == MOTE_OK) app_cache_write(&file->cache, file->proxy);
    app_cache_close(&file->cache);
}

int app_scene_fill(app_scene_file *file)
{
    mote_error error = {0};
    mote_simulation_def def = file->settings->simulation;
    const mote_wall_field_store fields = app_cache_fields(&file->fields);
    find_proxy(file);
    def.grains.proxy = file->proxy;
    def.field_store = &fields;
    mote_result result = mote_simulation_create(file->context, &def, &file->simulation, &error);
    if (result == MOTE_OK) return APP_DONE;
    if (!error.text[0]) snprintf(error.text, sizeof error.text, "%s", mote_result_text(result));
    error.result = result;
    return app_scene_complain(file, &error);
}

void app_scene_close(app_scene_file *file)
{
    mote_simulation_destroy(file->simulation);
    mote_proxy_destroy(file->proxy);
    app_cache_close(&file->cache);
    for (size_t i = 0; file->meshes && i < file->settings->simulation.solid_count; ++i)
        mote_mesh_destroy(file->meshes[i]);
    free(file->meshes);
    for (size_t i = 0; file->points && i < file->settings->simulation.block_count; ++i)
        mote_point_data_release(&file->points[i]);
    free(file->points);
    for (size_t i = 0; file->motions && i <= file->settings->simulation.solid_count; ++i)
        mote_motion_data_release(&file->motions[i]);
    free(file->motions);
    free(file->inputs);
    mote_scene_destroy(file->scene);
    free(file->name);
}

// ----------------------------------------------------------------------------------------------- derived values

app_derived app_scene_derive(const app_scene_file *file, mote_simulation_def *resolved)
{
    app_derived derived = {0};
    *resolved = file->settings->simulation;
    mote_simulation_resolve_def(file->simulation, resolved);
    app_quantities_get(file->simulation, &derived.quantities, NULL);
    for (size_t k = 0; k < mote_simulation_object_count(file->simulation); ++k) {
        mote_object_view view;
        if (mote_simulation_get_object(file->simulation, k, &view, NULL) == MOTE_OK)
            derived.particles += (double)view.expected;
    }
    derived.depth = mote_simulation_depth(file->simulation);
    derived.reference_speed = mote_simulation_reference_speed(file->simulation);
    derived.time_step = mote_simulation_usual_step(file->simulation);
    derived.steps = file->settings->end_time / derived.time_step;
    return derived;
}
