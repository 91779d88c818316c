// SPDX-License-Identifier: MIT
// Fills structs from JSON, by field tables, with messages that give the position.

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "mote/expression.h"
#include "scene/internal.h"

enum { PATH_SIZE = 96, EXCERPT_SIZE = 56, KEYS_SIZE = 160, EXPECTED_SIZE = 224 };

// ---------------------------------------------------------------------------------------------------- messages

// "blocks[3].min"; "the scene" for the root.
static void write_path(const scene_node *node, char *path, size_t size)
{
    if (!node->parent) {
        snprintf(path, size, "the scene");
        return;
    }
    path[0] = '\0';
    if (node->parent->parent) write_path(node->parent, path, size);
    size_t length = strlen(path);
    if (node->key) snprintf(path + length, size - length, "%s%s", length ? "." : "", node->key);
    else snprintf(path + length, size - length, "[%zu]", node->ordinal);
}

static mote_result fail_at(const scene_reader *reader, const scene_node *node, bool key, const char *format, ...)
    MOTE_PRINTF(4, 5);
static mote_result fail_at(const scene_reader *reader, const scene_node *node, bool key, const char *format, ...)
{
    if (!reader->error) return MOTE_ERROR_FORMAT;
    uint32_t line, column;
    scene_span span = mote_source_find(reader->text, reader->length, node, key);
    mote_source_line(reader->text, span.begin, &line, &column);
    char message[sizeof reader->error->text];
    va_list arguments;
    va_start(arguments, format);
    mote_format(message, sizeof message, format, arguments);
    va_end(arguments);
    return mote_fail_at(reader->error, MOTE_ERROR_FORMAT, line, column, "%s", message);
}

mote_result mote_reader_unexpected(const scene_reader *reader, const scene_node *node, const char *format, ...)
{
    char path[PATH_SIZE], excerpt[EXCERPT_SIZE], expected[EXPECTED_SIZE];
    scene_span span = mote_source_find(reader->text, reader->length, node, false);
    mote_source_excerpt(reader->text, span, excerpt, sizeof excerpt);
    write_path(node, path, sizeof path);
    va_list arguments;
    va_start(arguments, format);
    mote_format(expected, sizeof expected, format, arguments);
    va_end(arguments);
    return fail_at(reader, node, false, "%s is %s, expected %s", path, excerpt, expected);
}

mote_result mote_reader_unsuited(const scene_reader *reader, const scene_node *node, const char *why)
{
    char path[PATH_SIZE];
    write_path(node, path, sizeof path);
    return fail_at(reader, node, false, "%s: %s", path, why);
}

mote_result mote_reader_missing(const scene_reader *reader, const scene_node *object, const char *key,
                                const char *expected)
{
    char path[PATH_SIZE];
    scene_node member = {object, NULL, key, 0};
    write_path(&member, path, sizeof path);
    return fail_at(reader, object, false, "%s is missing, expected %s", path, expected);
}

// ------------------------------------------------------------------------------------------------------- nodes

bool mote_reader_child(const scene_node *object, const char *key, scene_node *child)
{
    json_t *members = (json_t *)object->value;  // iterators take a non-const pointer; nothing is changed
    size_t ordinal = 0;
    for (void *at = json_object_iter(members); at; at = json_object_iter_next(members, at), ++ordinal) {
        if (strcmp(json_object_iter_key(at), key) != 0) continue;
        *child = (scene_node){object, json_object_iter_value(at), json_object_iter_key(at), ordinal};
        return true;
    }
    return false;
}

scene_node mote_reader_element(const scene_node *list, size_t i)
{
    scene_node element = {list, json_array_get(list->value, i), NULL, i};
    return element;
}

// -------------------------------------------------------------------------------------------------------- keys

// Finds a field that this object may have: fields of the run as a whole belong to another section.
static const mote_field *find_field(const mote_field_table *table, const char *key)
{
    const mote_field *field = mote_fields_find(table, key);
    return field && !(field->flags & MOTE_FIELD_SHARED) ? field : NULL;
}

// The known name nearest to a mistyped key.
static const char *nearest_key(const mote_field_table *table, const char *const *sections, const char *key)
{
    const char *section = sections ? mote_nearest_word(key, sections) : NULL;
    if (section) return section;
    const char *name = mote_fields_nearest(table, key);
    return name && find_field(table, name) ? name : NULL;
}

// Lists the known keys, as many as there is room for.
static void list_keys(const mote_field_table *table, const char *const *sections, char *text, size_t size)
{
    size_t used = 0, room = size - sizeof ", …";
    text[0] = '\0';
    for (size_t i = 0; i < table->count || (sections && sections[i - table->count]); ++i) {
        const char *name = i < table->count ? table->fields[i].name : sections[i - table->count];
        if (i < table->count && table->fields[i].flags & MOTE_FIELD_SHARED) continue;
        if (used + strlen(name) + 2 > room) {
            snprintf(text + used, size - used, ", …");
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", name);
    }
}

static mote_result fail_unknown(const scene_reader *reader, const scene_node *node, const mote_field_table *table,
                                const char *const *sections)
{
    char path[PATH_SIZE], key[EXCERPT_SIZE], known[KEYS_SIZE];
    mote_source_excerpt(reader->text, mote_source_find(reader->text, reader->length, node, true), key, sizeof key);
    write_path(node->parent, path, sizeof path);
    const char *nearest = nearest_key(table, sections, node->key);
    if (nearest) return fail_at(reader, node, true, "%s has the unknown key %s, expected \"%s\"", path, key, nearest);
    list_keys(table, sections, known, sizeof known);
    return fail_at(reader, node, true, "%s has the unknown key %s, expected one of %s", path, key, known);
}

static bool is_named(const char *const *names, const char *name)
{
    for (size_t i = 0; names && names[i]; ++i)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

mote_result mote_reader_check_keys(const scene_reader *reader, const scene_node *node, const mote_field_table *table,
                                   const char *const *sections)
{
    if (!json_is_object(node->value))
        return mote_reader_unexpected(reader, node, "an object: {\"%s\": …}", table->fields[0].name);
    json_t *members = (json_t *)node->value;
    size_t ordinal = 0;
    for (void *at = json_object_iter(members); at; at = json_object_iter_next(members, at), ++ordinal) {
        const char *key = json_object_iter_key(at);
        if (find_field(table, key) || is_named(sections, key)) continue;
        scene_node child = {node, json_object_iter_value(at), key, ordinal};
        return fail_unknown(reader, &child, table, sections);
    }
    return MOTE_OK;
}

// ------------------------------------------------------------------------------------------------------ values

// A number without a fraction, in any notation: 100, 100.0 or 1e2.
static bool read_whole(const json_t *value, double min, double max, double *whole)
{
    if (!json_is_number(value)) return false;
    *whole = json_number_value(value);
    return *whole >= min && *whole <= max && floor(*whole) == *whole;
}

static bool read_choice(const json_t *value, const mote_field *field, int32_t *choice)
{
    if (!json_is_string(value)) return false;
    for (*choice = 0; field->choices[*choice]; ++*choice)
        if (strcmp(json_string_value(value), field->choices[*choice]) == 0) return true;
    return false;
}

// A number or, if the field may have them, an expression, whose number becomes 0.
static bool read_component(const json_t *value, const mote_field *field, double *number, const char **formula)
{
    const bool is_formula = field->flags & MOTE_FIELD_FORMULA && json_is_string(value);
    *number = json_number_value(value);  // 0 if it is none
    *formula = is_formula ? json_string_value(value) : NULL;
    return json_is_number(value) || is_formula;
}

static bool store_number(const json_t *value, const mote_field *field, char *at)
{
    double number;
    const char *formula;
    if (!read_component(value, field, &number, &formula)) return false;
    memcpy(at, &number, sizeof number);
    if (field->flags & MOTE_FIELD_FORMULA) memcpy(at + sizeof number, &formula, sizeof formula);
    return true;
}

static const char *const axes[] = {"x", "y", "z", NULL};

// Vectors that may have expressions may be objects of their components, as {"x": "sin(t)"}; what is missing keeps its
// default.
static bool is_of_components(const json_t *value, const mote_field *field)
{
    return field->type == MOTE_FIELD_VECTOR && field->flags & MOTE_FIELD_FORMULA && json_is_object(value);
}

static bool store_vector(const json_t *value, const mote_field *field, char *at)
{
    const bool is_object = is_of_components(value, field);
    if (is_object ? json_object_size(value) == 0 : json_array_size(value) != 3) return false;
    double numbers[3];
    const char *formulas[3] = {NULL, NULL, NULL};
    memcpy(numbers, at, sizeof numbers);
    if (field->flags & MOTE_FIELD_FORMULA) memcpy(formulas, at + sizeof numbers, sizeof formulas);
    for (size_t k = 0; k < 3; ++k) {
        const json_t *component = is_object ? json_object_get(value, axes[k]) : json_array_get(value, k);
        if (is_object && !component) continue;
        if (!read_component(component, field, &numbers[k], &formulas[k])) return false;
    }
    const mote_vec3 vector = {numbers[0], numbers[1], numbers[2]};
    memcpy(at, &vector, sizeof vector);
    if (field->flags & MOTE_FIELD_FORMULA) memcpy(at + sizeof vector, formulas, sizeof formulas);
    return true;
}

static bool store_words(const json_t *value, char *at)
{
    const char *words[MOTE_FIELD_WORDS_MOST] = {NULL};
    const size_t count = json_array_size(value);  // 0 if it is none
    if (!json_is_array(value) || count > MOTE_FIELD_WORDS_MOST) return false;
    for (size_t k = 0; k < count; ++k) {
        words[k] = json_string_value(json_array_get(value, k));
        if (!words[k]) return false;
    }
    memcpy(at, words, sizeof words);
    return true;
}

static bool is_corner(const json_t *value)
{
    return json_array_size(value) == 2 && json_is_number(json_array_get(value, 0)) &&
           json_is_number(json_array_get(value, 1));
}

// Corners become an array that the scene keeps.
static mote_result store_corners(const scene_reader *reader, const json_t *value, char *at)
{
    mote_corners corners = {NULL, 0};
    const size_t count = json_array_size(value);  // 0 if it is none
    for (size_t k = 0; k < count; ++k)
        if (!is_corner(json_array_get(value, k))) return MOTE_ERROR_FORMAT;
    if (count == 0) return MOTE_ERROR_FORMAT;
    const size_t bytes = mote_bytes(2 * count + sizeof(scene_memory) / sizeof(double), sizeof(double));
    scene_memory *memory = mote_allocate(reader->context, bytes);
    if (!memory) return MOTE_ERROR_OUT_OF_MEMORY;
    *memory = (scene_memory){*reader->kept, bytes};
    *reader->kept = memory;
    double *xz = (double *)(memory + 1);
    for (size_t k = 0; k < 2 * count; ++k)
        xz[k] = json_number_value(json_array_get(json_array_get(value, k / 2), k % 2));
    corners.xz = xz, corners.count = count;
    memcpy(at, &corners, sizeof corners);
    return MOTE_OK;
}

// Writes a value into the struct if it has the field's type.
static bool store(const json_t *value, const mote_field *field, void *object)
{
    char *at = (char *)object + field->offset;
    double whole;
    switch (field->type) {
    case MOTE_FIELD_BOOL: {
        bool flag = json_is_true(value);
        memcpy(at, &flag, sizeof flag);
        return json_is_boolean(value);
    }
    case MOTE_FIELD_INT: {
        if (!read_whole(value, INT32_MIN, INT32_MAX, &whole)) return false;
        int32_t integer = (int32_t)whole;
        memcpy(at, &integer, sizeof integer);
        return true;
    }
    case MOTE_FIELD_SEED: {
        if (!read_whole(value, 0, 0x1p53, &whole)) return false;
        uint64_t seed = (uint64_t)whole;
        memcpy(at, &seed, sizeof seed);
        return true;
    }
    case MOTE_FIELD_NUMBER: return store_number(value, field, at);
    case MOTE_FIELD_TOLERANCE: {
        double tolerance = json_is_boolean(value) ? json_is_true(value) ? 0 : (double)NAN : json_number_value(value);
        memcpy(at, &tolerance, sizeof tolerance);
        return json_is_boolean(value) || json_is_number(value);
    }
    case MOTE_FIELD_VECTOR: return store_vector(value, field, at);
    case MOTE_FIELD_CHOICE: {
        int32_t choice;
        if (!read_choice(value, field, &choice)) return false;
        memcpy(at, &choice, sizeof choice);
        return true;
    }
    case MOTE_FIELD_TEXT: {
        const char *text = json_string_value(value);
        memcpy(at, &text, sizeof text);
        return text != NULL;
    }
    case MOTE_FIELD_WORDS: return store_words(value, at);
    case MOTE_FIELD_CORNERS: break;
    }
    return false;
}

// ------------------------------------------------------------------------------------------------- expressions

// Checks the expression that a node is; the error has the place in the file, and the text the place in the expression.
static mote_result check_formula(const scene_reader *reader, const scene_node *node, const mote_field *field)
{
    static const char module[] = "expression: ";
    mote_error found = {0};
    const mote_result result = mote_expression_check(json_string_value(node->value), field->choices, &found);
    if (result == MOTE_OK) return MOTE_OK;
    char path[PATH_SIZE];
    write_path(node, path, sizeof path);
    const size_t skip = strncmp(found.text, module, sizeof module - 1) == 0 ? sizeof module - 1 : 0;
    const scene_span span = mote_source_find(reader->text, reader->length, node, false);
    const size_t at = mote_source_in_string(reader->text, span, found.line, found.column);
    mote_source_line(reader->text, at, &found.line, &found.column);
    return mote_fail_at(reader->error, MOTE_ERROR_FORMAT, found.line, found.column, "%s is no expression: %s", path,
                        found.text + skip);
}

static mote_result check_formulas(const scene_reader *reader, const scene_node *node, const mote_field *field)
{
    mote_result result = MOTE_OK;
    for (size_t k = 0; k < json_array_size(node->value) && result == MOTE_OK; ++k) {
        const scene_node component = mote_reader_element(node, k);
        if (json_is_string(component.value)) result = check_formula(reader, &component, field);
    }
    for (size_t k = 0; axes[k] && is_of_components(node->value, field) && result == MOTE_OK; ++k) {
        scene_node component;
        if (mote_reader_child(node, axes[k], &component) && json_is_string(component.value))
            result = check_formula(reader, &component, field);
    }
    if (!json_is_string(node->value)) return result;
    const bool is_default = field->initial_text && strcmp(json_string_value(node->value), field->initial_text) == 0;
    return is_default ? MOTE_OK : check_formula(reader, node, field);
}

// A text that is an expression may be written as a number: it becomes a text in the tree, which owns it.
static mote_result make_text(scene_node *node, const mote_field *field)
{
    char digits[32];
    if (field->type != MOTE_FIELD_TEXT || !(field->flags & MOTE_FIELD_FORMULA) || !json_is_number(node->value))
        return MOTE_OK;
    mote_number_text(json_number_value(node->value), digits, sizeof digits);
    json_t *parent = (json_t *)node->parent->value;  // the scene's own
    if (json_object_set_new(parent, field->name, json_string(digits)) != 0) return MOTE_ERROR_OUT_OF_MEMORY;
    node->value = json_object_get(parent, field->name);
    return MOTE_OK;
}

// Refuses a choice, or the first word of a list that is none of the choices, and offers the one that was meant.
static mote_result refuse_choice(const scene_reader *reader, const scene_node *node, const mote_field *field,
                                 const char *expected)
{
    scene_node word = *node;
    for (size_t k = 0; field->choices && k < json_array_size(node->value) && field->type == MOTE_FIELD_WORDS; ++k) {
        const scene_node element = mote_reader_element(node, k);
        int32_t choice;
        if (read_choice(element.value, field, &choice)) continue;
        word = element;
        break;
    }
    const bool is_word = field->choices && !(field->flags & MOTE_FIELD_FORMULA) && json_is_string(word.value);
    const char *nearest = is_word ? mote_nearest_word(json_string_value(word.value), field->choices) : NULL;
    if (nearest) return mote_reader_unexpected(reader, &word, "%s; did you mean \"%s\"?", expected, nearest);
    return mote_reader_unexpected(reader, &word, "%s", expected);
}

static mote_result read_field(const scene_reader *reader, const scene_node *parent, const mote_field *field,
                              void *object)
{
    char expected[EXPECTED_SIZE];
    mote_field_expected_text(field, expected, sizeof expected);
    scene_node node;
    if (!mote_reader_child(parent, field->name, &node)) {
        if (!(field->flags & MOTE_FIELD_REQUIRED)) return MOTE_OK;
        return mote_reader_missing(reader, parent, field->name, expected);
    }
    if (make_text(&node, field) != MOTE_OK) return MOTE_ERROR_OUT_OF_MEMORY;
    const mote_field_table nothing = {.count = 0};
    if (is_of_components(node.value, field)) {
        const mote_result result = mote_reader_check_keys(reader, &node, &nothing, axes);
        if (result != MOTE_OK) return result;
    }
    if (field->type == MOTE_FIELD_CORNERS) {
        const mote_result result = store_corners(reader, node.value, (char *)object + field->offset);
        if (result == MOTE_ERROR_OUT_OF_MEMORY) return result;
        if (result == MOTE_OK && mote_field_is_valid(field, object)) return MOTE_OK;
        return mote_reader_unexpected(reader, &node, "%s", expected);
    }
    if (store(node.value, field, object) && mote_field_is_valid(field, object))
        return field->flags & MOTE_FIELD_FORMULA ? check_formulas(reader, &node, field) : MOTE_OK;
    return refuse_choice(reader, &node, field, expected);
}

mote_result mote_reader_fill(const scene_reader *reader, const scene_node *node, const mote_field_table *table,
                             void *object)
{
    for (size_t i = 0; i < table->count; ++i) {
        if (table->fields[i].flags & MOTE_FIELD_SHARED) continue;
        mote_result result = read_field(reader, node, &table->fields[i], object);
        if (result != MOTE_OK) return result;
    }
    return MOTE_OK;
}

mote_result mote_reader_fill_presets(const scene_reader *reader, const scene_node *node, const mote_field_table *table,
                                     void *object)
{
    mote_result result = MOTE_OK;
    for (size_t i = 0; i < table->count && result == MOTE_OK; ++i)
        if (table->fields[i].flags & MOTE_FIELD_PRESET) result = read_field(reader, node, &table->fields[i], object);
    return result;
}
