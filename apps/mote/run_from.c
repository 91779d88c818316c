// SPDX-License-Identifier: MIT
// Runs that start from the state of another scene: water that has settled, then the gate is opened. Particles are those
// of a checkpoint; walls, solids, settings and the time are the new scene's own. What differs is listed.

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "run.h"

enum { VALUE = 48 };  // bytes of a value in the list; longer ones are cut off

// -------------------------------------------------------------------------------------------------- DIR[@FRAME]

static bool is_folder(const char *path)
{
    struct stat state;
    return stat(path, &state) == 0 && S_ISDIR(state.st_mode);
}

static bool is_same_folder(const char *one, const char *other)
{
    struct stat a, b;
    return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// Cuts "@12" off a folder's name, unless there is a folder of the whole name. @return 12, or −1 if there is none
static int64_t cut_frame(char *folder)
{
    char *at = strrchr(folder, '@');
    if (!at || is_folder(folder) || at[1] == '\0' || strlen(at + 1) > 7) return -1;
    if (strspn(at + 1, "0123456789") != strlen(at + 1)) return -1;
    *at = '\0';
    return strtol(at + 1, NULL, 10);
}

int app_from_open(app_running *self)
{
    char *folder = app_text("%s", self->from_wish);
    if (!folder) return app_out_of_memory();
    self->origin_folder = folder;
    const int64_t frame = cut_frame(folder);
    if (is_same_folder(folder, self->folder)) {
        app_complain("mote run: --from %s is the folder to be written to, expected another", folder);
        return APP_BAD_INPUT;
    }
    return app_checkpoint_read(folder, frame, &self->checkpoint);
}

int app_from_start(app_running *self)
{
    const app_checkpoint *checkpoint = &self->checkpoint;
    mote_simulation_origin origin;
    mote_error error = {0};
    const mote_result result = mote_simulation_read_start(self->file.simulation, checkpoint->state,
                                                          checkpoint->state_length, &origin, &error);
    if (result == MOTE_ERROR_OUT_OF_MEMORY) return app_out_of_memory();
    if (result != MOTE_OK) {
        static const char prefix[] = "simulation: ";
        const bool has_prefix = strncmp(error.text, prefix, strlen(prefix)) == 0;
        app_complain("%s: %s cannot start from it: %s", self->origin_folder, self->file.path,
                     error.text + (has_prefix ? strlen(prefix) : 0));
        return APP_BAD_INPUT;
    }
    self->report.origin = (app_origin){self->origin_folder, checkpoint->frame, origin.time};
    self->origin_sound_speed = origin.sound_speed;
    return APP_DONE;
}

// ----------------------------------------------------------------------------------------------- what differs

// A list that is being printed.
typedef struct difference_list {
    size_t count;
    bool has_files;        // a mesh, a block or a solid is another
    bool has_sound_speed;
} difference_list;

static void print_value(const mote_field *field, const void *object)
{
    char value[VALUE];
    const size_t length = mote_field_value_text(field, object, value, sizeof value);
    app_text_put(stdout, strcmp(value, "null") == 0 ? "default" : value);
    if (length >= sizeof value) printf("…");
}

// "  solids[0] (gate)", at the beginning of a line
static void print_owner(difference_list *list, const char *owner, const char *name)
{
    if (list->count++ == 0) printf("what differs from the scene there:\n");
    printf("  %s", owner);
    if (!name || !*name) return;
    printf(" (");
    app_text_put(stdout, name);
    printf(")");
}

static bool is_equal(const mote_field *field, const void *a, const void *b)
{
    char one[1024], other[1024];
    const size_t length = mote_field_value_text(field, a, one, sizeof one);
    return length == mote_field_value_text(field, b, other, sizeof other) && strcmp(one, other) == 0;
}

static void compare_structs(difference_list *list, const char *owner, const char *name, const mote_field_table *table,
                            const void *now, const void *then)
{
    for (size_t i = 0; i < table->count; ++i) {
        const mote_field *field = &table->fields[i];
        const bool is_text = strcmp(field->name, "title") == 0 || strcmp(field->name, "description") == 0;
        if (is_text || is_equal(field, now, then)) continue;
        if (strcmp(field->name, "sound_speed") == 0) list->has_sound_speed = true;
        print_owner(list, owner, name);
        printf("%s%s: ", *owner ? "." : "", field->name);
        print_value(field, now);
        printf(", was ");
        print_value(field, then);
        printf("\n");
    }
}

// The name of a struct that has one, or NULL.
static const char *name_of(const mote_field_table *table, const void *object)
{
    const mote_field *field = mote_fields_find(table, "name");
    const char *name = NULL;
    if (field && field->type == MOTE_FIELD_TEXT) memcpy(&name, (const char *)object + field->offset, sizeof name);
    return name;
}

// The struct of a list that corresponds to another: by name, or by index where there are no names. NULL: none.
static const char *find_like(const mote_simulation_part *part, const char *list, size_t count, size_t index,
                             const char *name)
{
    if (!name) return index < count ? list + index * part->size : NULL;
    for (size_t k = 0; k < count; ++k) {
        const char *other = name_of(part->fields(), list + k * part->size);
        if (other && strcmp(name, other) == 0) return list + k * part->size;
    }
    return NULL;
}

static void compare_part(difference_list *list, const mote_simulation_part *part, const mote_simulation_def *now,
                         const mote_simulation_def *then)
{
    size_t new_count, old_count;
    const char *news = mote_simulation_part_structs(now, part, &new_count);
    const char *olds = mote_simulation_part_structs(then, part, &old_count);
    const size_t before = list->count;
    for (size_t k = 0; k < new_count + old_count; ++k) {
        const bool is_new = k < new_count;
        const size_t index = is_new ? k : k - new_count;
        const char *own = is_new ? news + index * part->size : olds + index * part->size;
        const char *name = name_of(part->fields(), own);
        const char *like = is_new ? find_like(part, olds, old_count, index, name)
                                  : find_like(part, news, new_count, index, name);
        char owner[64];
        snprintf(owner, sizeof owner, part->count_offset ? "%s[%zu]" : "%s", part->name, index);
        if (like && is_new) compare_structs(list, owner, name, part->fields(), own, like);
        if (like) continue;
        print_owner(list, owner, name);
        printf(is_new ? ": new\n" : ": no longer there\n");
    }
    const bool has_files = strcmp(part->name, "solids") == 0 || strcmp(part->name, "blocks") == 0;
    list->has_files |= has_files && list->count > before;
}

static void compare(const app_running *self, const mote_scene_settings *then)
{
    const mote_scene_settings *now = self->file.settings;
    difference_list list = {0};
    const mote_simulation_part *part;
    compare_structs(&list, "", NULL, mote_scene_fields(), now, then);
    for (size_t k = 0; (part = mote_simulation_part_at(k)) != NULL; ++k)
        compare_part(&list, part, &now->simulation, &then->simulation);
    const double speed = self->report.resolved.phase.sound_speed;
    if (!list.has_sound_speed && self->origin_sound_speed > 0 && speed != self->origin_sound_speed) {
        print_owner(&list, "fluid", NULL);
        printf(".sound_speed, derived: %.4g, was %.4g\n", speed, self->origin_sound_speed);
    }
    const char *changed = list.has_files ? NULL : app_checkpoint_changed_file(self, &self->checkpoint);
    if (changed) print_owner(&list, changed, NULL), printf("\n");
    if (list.count == 0) printf("the scene is the same\n");
}

void app_from_print(const app_running *self)
{
    const app_origin *origin = &self->report.origin;
    printf("starts from ");
    app_text_put(stdout, origin->folder);
    if (origin->frame >= 0) printf(", frame %lld", (long long)origin->frame);
    printf(", t = %.4g s; ", origin->time);
    mote_render_def picture = mote_render_default_def();
    app_checkpoints checkpoints;
    app_output output;
    app_liquid_surface surface;
    mote_scene_section sections[APP_SECTIONS];
    app_scene_sections(&picture, &checkpoints, &output, &surface, sections);
    mote_scene *scene = NULL;
    const app_checkpoint *checkpoint = &self->checkpoint;
    if (mote_scene_parse(self->file.context, checkpoint->scene, checkpoint->scene_length, sections, APP_SECTIONS,
                         &scene, NULL) == MOTE_OK)
        compare(self, mote_scene_get_settings(scene));
    else
        printf("the scene there is of another version of mote\n");
    mote_scene_destroy(scene);
}
