// SPDX-License-Identifier: MIT
// Scenes: a text is parsed into a tree (jansson), and the tree is read into settings (field tables). Both are kept:
// the tree owns the strings of the settings, and later messages need positions.

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/internal.h"

// ------------------------------------------------------------------------------------------------------ tables

#define SETTING(member) offsetof(mote_scene_settings, member)

static const mote_field scene_fields[] = {
    {"title", MOTE_FIELD_TEXT, "", SETTING(title), 0, 0, 0, {0}, "", NULL, "title, also shown in pictures"},
    {"description", MOTE_FIELD_TEXT, "", SETTING(description), 0, 0, 0, {0}, "", NULL, "a description"},
    {"dimensions", MOTE_FIELD_INT, "", SETTING(simulation.fluid.dimensions), 0, 2, 3, {3}, NULL, NULL,
     "2 or 3; in 2D all particles lie in the plane y = 0 and z is up"},
    {"end_time", MOTE_FIELD_NUMBER, "s", SETTING(end_time), MOTE_FIELD_REQUIRED | MOTE_FIELD_ABOVE_MIN, 0, HUGE_VAL,
     {0}, NULL, NULL, "simulated time of the last frame"},
    {"frames", MOTE_FIELD_INT, "", SETTING(frames), 0, 2, 100000, {101}, NULL, NULL,
     "number of frames, evenly spaced from time 0 to end_time, both included"},
    {"video_speed", MOTE_FIELD_NUMBER, "", SETTING(video_speed), MOTE_FIELD_DERIVED | MOTE_FIELD_ABOVE_MIN, 0, 1e9,
     {NAN}, NULL, NULL, "simulated seconds per second of the video; default: 1 (real time), or by frame_rate"},
    {"frame_rate", MOTE_FIELD_NUMBER, "1/s", SETTING(frame_rate), MOTE_FIELD_DERIVED, 1, 240, {NAN}, NULL, NULL,
     "frames per second of the video; default: every frame once, at video_speed, but at most 60 (slow motion beyond); "
     "with both keys given, frames are dropped or repeated"},
    {"seed", MOTE_FIELD_SEED, "", SETTING(simulation.seed), 0, 0, 0, {1}, NULL, NULL,
     "random seed for wall particles on meshes and for grains"},
};
static const mote_field_table scene_table = {"scene", "the run as a whole", scene_fields,
                                             sizeof scene_fields / sizeof scene_fields[0]};

const mote_field_table *mote_scene_fields(void)
{
    return &scene_table;
}

// --------------------------------------------------------------------------------------------------- the tree

// jansson's own position is the end of the token that caused the error; its message ends with "near '<token>'".
static mote_result fail_syntax(const scene_reader *reader, const json_error_t *fault)
{
    enum json_error_code code = json_error_code(fault);
    if (code == json_error_out_of_memory) return MOTE_ERROR_OUT_OF_MEMORY;
    const char *near = strstr(fault->text, " near '");
    size_t token = near ? strlen(near) - strlen(" near ''") : 0;
    size_t end = fault->position > 0 ? (size_t)fault->position : 0;
    uint32_t line, column;
    mote_source_line(reader->text, end > token ? end - token : 0, &line, &column);
    if (code == json_error_duplicate_key)
        return mote_fail_at(reader->error, MOTE_ERROR_FORMAT, line, column, "the key %.*s stands twice, expected once",
                            (int)token, near ? near + strlen(" near '") : "");
    return mote_fail_at(reader->error, MOTE_ERROR_FORMAT, line, column, "broken JSON: %s", fault->text);
}

// jansson reads numbers with strtod, so this thread uses the "C" locale meanwhile, whatever locale the program has
// set.
static mote_result read_tree(const scene_reader *reader, json_t **root)
{
    json_error_t fault;
    locale_t neutral = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!neutral) return MOTE_ERROR_OUT_OF_MEMORY;
    locale_t before = uselocale(neutral);
    *root = json_loadb(reader->text, reader->length, JSON_REJECT_DUPLICATES, &fault);
    uselocale(before);
    freelocale(neutral);
    return *root ? MOTE_OK : fail_syntax(reader, &fault);
}

// ------------------------------------------------------------------------------------------------ the settings

// Reads a list of objects of `size` bytes each. `*objects` receives what was allocated, whatever the result.
static mote_result read_list(mote_scene *scene, const scene_reader *reader, const scene_node *list,
                             const mote_field_table *table, size_t size, void **objects, size_t *count)
{
    if (!json_is_array(list->value)) return mote_reader_unexpected(reader, list, "a list of objects: [{…}, …]");
    size_t wanted = json_array_size(list->value);
    if (wanted == 0) return MOTE_OK;
    *objects = mote_allocate(scene->context, mote_bytes(wanted, size));
    if (!*objects) return MOTE_ERROR_OUT_OF_MEMORY;
    *count = wanted;
    memset(*objects, 0, wanted * size);
    for (size_t i = 0; i < wanted; ++i) {
        scene_node element = mote_reader_element(list, i);
        void *object = (char *)*objects + i * size;
        mote_fields_set_defaults(table, object);
        mote_result result = mote_reader_check_keys(reader, &element, table, NULL);
        if (result == MOTE_OK) result = mote_reader_fill(reader, &element, table, object);
        if (result != MOTE_OK) return result;
    }
    return MOTE_OK;
}

// Whether there is a part that needs no other part.
static bool stands_alone(const scene_node *root)
{
    const mote_simulation_part *part;
    scene_node node;
    for (size_t k = 0; (part = mote_simulation_part_at(k)) != NULL; ++k)
        if (part->stands_alone && mote_reader_child(root, part->name, &node)) return true;
    return false;
}

static mote_result miss_part(const scene_reader *reader, const scene_node *root, const mote_simulation_part *part)
{
    scene_node other_node;
    if (!part->is_required || stands_alone(root)) return MOTE_OK;
    if (part->instead && mote_reader_child(root, part->instead, &other_node)) return MOTE_OK;
    char expected[128];
    size_t used = (size_t)snprintf(expected, sizeof expected, "%s", part->fields()->meaning);
    const mote_simulation_part *other;
    for (size_t k = 0; (other = mote_simulation_part_at(k)) != NULL; ++k)
        if (other->stands_alone && used < sizeof expected)
            used += (size_t)snprintf(expected + used, sizeof expected - used, "; or %s alone", other->name);
    if (part->instead && used < sizeof expected)
        snprintf(expected + used, sizeof expected - used, "; or %s", part->instead);
    return mote_reader_missing(reader, root, part->name, expected);
}

static mote_result read_part(mote_scene *scene, const scene_reader *reader, const scene_node *root,
                             const mote_simulation_part *part)
{
    char *def = (char *)&scene->settings.simulation;
    const mote_field_table *table = part->fields();
    scene_node node;
    if (!mote_reader_child(root, part->name, &node)) return miss_part(reader, root, part);
    if (part->count_offset) {
        void *list = NULL;
        size_t count = 0;
        const mote_result result = read_list(scene, reader, &node, table, part->size, &list, &count);
        memcpy(def + part->offset, &list, sizeof list);
        memcpy(def + part->count_offset, &count, sizeof count);
        return result;
    }
    const bool is_there = true;
    if (part->has_offset) memcpy(def + part->has_offset, &is_there, sizeof is_there);
    mote_result result = mote_reader_check_keys(reader, &node, table, NULL);
    if (result == MOTE_OK && part->use_presets) {
        result = mote_reader_fill_presets(reader, &node, table, def + part->offset);
        if (result == MOTE_OK) part->use_presets(def + part->offset);
    }
    return result == MOTE_OK ? mote_reader_fill(reader, &node, table, def + part->offset) : result;
}

static mote_result read_further(const scene_reader *reader, const scene_node *root, const mote_scene_section *section)
{
    scene_node node;
    if (!mote_reader_child(root, section->name, &node)) return MOTE_OK;
    mote_result result = mote_reader_check_keys(reader, &node, section->table, NULL);
    return result == MOTE_OK ? mote_reader_fill(reader, &node, section->table, section->object) : result;
}

// The fluid's steps, which may stand beside "fluids", where there are several.
static mote_result read_steps(const scene_reader *reader, const scene_node *root, mote_fluid_def *def)
{
    const mote_field_table *all = mote_fluid_fields();
    scene_node steps, fluid, other;
    if (!mote_reader_child(root, "steps", &steps)) return MOTE_OK;
    if (mote_reader_child(root, "fluid", &fluid) && mote_reader_child(&fluid, "steps", &other))
        return mote_reader_unexpected(reader, &steps, "steps here or in fluid, not both");
    mote_field_table one = {.name = all->name, .meaning = all->meaning, .fields = all->fields, .count = 1};
    while (strcmp(one.fields->name, "steps") != 0) ++one.fields;
    return mote_reader_fill(reader, root, &one, def);
}

static mote_result read_settings(mote_scene *scene, const scene_reader *reader, const mote_scene_section *sections,
                                 size_t section_count, const char **names)
{
    const mote_simulation_part *part;
    size_t count = 0;
    for (size_t k = 0; (part = mote_simulation_part_at(k)) != NULL; ++k) names[count++] = part->name;
    for (size_t k = 0; k < section_count; ++k) names[count++] = sections[k].name;
    names[count++] = "steps";
    names[count] = NULL;

    scene->settings.simulation = mote_simulation_default_def();
    mote_fields_set_defaults(&scene_table, &scene->settings);

    scene_node root = {NULL, scene->root, NULL, 0};
    mote_result result = mote_reader_check_keys(reader, &root, &scene_table, names);
    if (result == MOTE_OK) result = mote_reader_fill(reader, &root, &scene_table, &scene->settings);
    for (size_t k = 0; (part = mote_simulation_part_at(k)) != NULL && result == MOTE_OK; ++k)
        result = read_part(scene, reader, &root, part);
    for (size_t i = 0; i < section_count && result == MOTE_OK; ++i) result = read_further(reader, &root, &sections[i]);
    mote_simulation_def *def = &scene->settings.simulation;
    if (result == MOTE_OK) result = read_steps(reader, &root, &def->fluid);
    def->fluid.spacing = mote_simulation_resolve_spacing(def);
    return result == MOTE_OK ? mote_scene_check(scene, reader) : result;
}

// --------------------------------------------------------------------------------------------------- the scene

static mote_scene *scene_allocate(mote_context *context)
{
    mote_scene *scene = mote_allocate(context, sizeof *scene);
    if (!scene) return NULL;
    memset(scene, 0, sizeof *scene);
    scene->context = context;
    return scene;
}

// Reads everything else from the text, which is already in the scene.
static mote_result scene_finish(mote_scene *scene, const mote_scene_section *sections, size_t section_count,
                                mote_error *error)
{
    scene_reader reader = {scene->text.data, scene->length, error, scene->context, &scene->kept};
    mote_result result = read_tree(&reader, &scene->root);
    if (result != MOTE_OK) return result;
    size_t parts = 0;
    while (mote_simulation_part_at(parts)) ++parts;
    const size_t bytes = mote_bytes(parts + section_count + 2, sizeof(char *));
    const char **names = mote_allocate(scene->context, bytes);
    if (!names) return MOTE_ERROR_OUT_OF_MEMORY;
    result = read_settings(scene, &reader, sections, section_count, names);
    mote_release(scene->context, (void *)names, bytes);
    return result;
}

static const char *file_fault(int number)
{
    switch (number) {
    case ENOENT: return "there is no such file";
    case EACCES: return "permission is denied";
    case EISDIR: return "it is a folder, expected a file";
    default: return "reading it fails";
    }
}

static mote_result read_file(mote_scene *scene, const char *path, mote_error *error)
{
    FILE *file = fopen(path, "rb");
    if (!file) return mote_fail(error, MOTE_ERROR_FILE, 0, "cannot be opened: %s", file_fault(errno));
    mote_result result = MOTE_OK;
    size_t got = 1;
    while (result == MOTE_OK && got > 0) {
        result = mote_buffer_reserve(scene->context, &scene->text, scene->length + 4096, scene->length);
        if (result != MOTE_OK) break;
        got = fread((char *)scene->text.data + scene->length, 1, scene->text.bytes - scene->length, file);
        scene->length += got;
        if (ferror(file)) result = mote_fail(error, MOTE_ERROR_FILE, 0, "cannot be read: %s", file_fault(errno));
    }
    fclose(file);
    return result;
}

// A message contains parts of the file, and must not contain characters that control terminals. These are the bytes
// below ' ', DEL, and in UTF-8 the characters U+0080 to U+009F.
static void make_plain(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c; ++c) {
        if (c[0] == 0xC2 && c[1] >= 0x80 && c[1] < 0xA0) c[0] = c[1] = '?';
        if (*c < ' ' || *c == 0x7F) *c = '?';
    }
}

// Returns the scene, or destroys it. An out-of-memory error gets its text here.
static mote_result deliver(mote_scene *made, mote_result result, mote_scene **scene, mote_error *error)
{
    if (result == MOTE_OK) {
        *scene = made;
        return MOTE_OK;
    }
    mote_scene_destroy(made);
    if (result == MOTE_ERROR_OUT_OF_MEMORY) mote_fail(error, result, 0, "needs more memory than there is");
    if (error) make_plain(error->text);
    return result;
}

mote_result mote_scene_load(mote_context *context, const char *path, const mote_scene_section *sections,
                            size_t section_count, mote_scene **scene, mote_error *error)
{
    if (!path || !scene) return mote_fail_null(error, "scene", "the path, or where to put the scene");
    mote_scene *made = scene_allocate(context);
    mote_result result = made ? read_file(made, path, error) : MOTE_ERROR_OUT_OF_MEMORY;
    if (result == MOTE_OK) result = scene_finish(made, sections, section_count, error);
    return deliver(made, result, scene, error);
}

mote_result mote_scene_parse(mote_context *context, const char *text, size_t length,
                             const mote_scene_section *sections, size_t section_count, mote_scene **scene,
                             mote_error *error)
{
    if (!text || !scene || (!sections && section_count))
        return mote_fail_null(error, "scene", "the text, the sections, or where to put the scene");
    mote_scene *made = scene_allocate(context);
    mote_result result = made ? mote_buffer_reserve(context, &made->text, length + 1, 0) : MOTE_ERROR_OUT_OF_MEMORY;
    if (result == MOTE_OK) {
        if (length > 0) memcpy(made->text.data, text, length);
        made->length = length;
        result = scene_finish(made, sections, section_count, error);
    }
    return deliver(made, result, scene, error);
}

void mote_scene_destroy(mote_scene *scene)
{
    if (!scene) return;
    const mote_simulation_part *part;
    for (size_t k = 0; (part = mote_simulation_part_at(k)) != NULL; ++k) {
        size_t count;
        const void *list = mote_simulation_part_structs(&scene->settings.simulation, part, &count);
        if (part->count_offset) mote_release(scene->context, (void *)list, count * part->size);
    }
    while (scene->kept) {
        scene_memory *next = scene->kept->next;
        mote_release(scene->context, scene->kept, scene->kept->bytes);
        scene->kept = next;
    }
    json_decref(scene->root);
    mote_buffer_release(scene->context, &scene->text);
    mote_release(scene->context, scene, sizeof *scene);
}

const char *mote_scene_text(const mote_scene *scene, size_t *length)
{
    if (length) *length = scene ? scene->length : 0;
    return scene ? scene->text.data : NULL;
}

const mote_scene_settings *mote_scene_get_settings(const mote_scene *scene)
{
    return scene ? &scene->settings : NULL;
}

void mote_scene_set_mesh(mote_scene *scene, size_t solid, const mote_mesh *mesh)
{
    if (!scene) return;
    MOTE_ASSERT(solid < scene->settings.simulation.solid_count);
    ((mote_solid_def *)scene->settings.simulation.solids)[solid].mesh = mesh;  // the scene's own
}

void mote_scene_set_motion(mote_scene *scene, size_t solid, const double *rows, size_t count)
{
    if (!scene) return;
    mote_simulation_def *def = &scene->settings.simulation;
    MOTE_ASSERT(solid == SIZE_MAX || solid < def->solid_count);
    mote_motion *of = solid == SIZE_MAX ? &def->tank.motion : &((mote_solid_def *)def->solids)[solid].motion;
    of->table = rows;
    of->table_count = count;
}

void mote_scene_set_points(mote_scene *scene, size_t block, const double *positions, size_t count)
{
    if (!scene) return;
    MOTE_ASSERT(block < scene->settings.simulation.block_count);
    mote_block_def *of = (mote_block_def *)&scene->settings.simulation.blocks[block];  // the scene's own
    of->points = positions;
    of->point_count = count;
}

// ------------------------------------------------------------------------------------------------------ places

enum { DEEPEST_PATH = 8 };  // no field lies deeper than "solids[0].mesh"

// One step of a path, "key", ".key", ": key" or "[3]", down from a node. Returns the text after it, or NULL if there
// is no such member.
static const char *step(const char *path, const scene_node *from, scene_node *to)
{
    if (*path == '[') {
        size_t index = 0;
        for (++path; *path >= '0' && *path <= '9' && index < SIZE_MAX / 100; ++path)
            index = index * 10 + (size_t)(*path - '0');
        if (*path != ']' || index >= json_array_size(from->value)) return NULL;
        *to = mote_reader_element(from, index);
        return path + 1;
    }
    if (*path == '.') ++path;
    else if (path[0] == ':' && path[1] == ' ') path += 2;
    size_t length = strspn(path, "abcdefghijklmnopqrstuvwxyz_0123456789");
    char key[64];
    if (length == 0 || length >= sizeof key || !json_is_object(from->value)) return NULL;
    memcpy(key, path, length);
    key[length] = '\0';
    return mote_reader_child(from, key, to) ? path + length : NULL;
}

bool mote_scene_find_place(const mote_scene *scene, const char *path, uint32_t *line, uint32_t *column)
{
    if (!scene || !path) return false;
    scene_node nodes[DEEPEST_PATH] = {{NULL, scene->root, NULL, 0}};
    size_t depth = 0;
    while (depth + 1 < DEEPEST_PATH && path && *path && *path != ' ') {
        path = step(path, &nodes[depth], &nodes[depth + 1]);
        if (path) ++depth;
    }
    *line = *column = 0;
    if (depth == 0) return false;
    scene_span span = mote_source_find(scene->text.data, scene->length, &nodes[depth], false);
    mote_source_line(scene->text.data, span.begin, line, column);
    return true;
}
