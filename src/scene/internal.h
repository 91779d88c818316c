// SPDX-License-Identifier: MIT
// scene/internal.h: positions in a scene's text, the reader that fills structs from JSON, and the scene itself.
#ifndef MOTE_SCENE_INTERNAL_H
#define MOTE_SCENE_INTERNAL_H

#include <jansson.h>

#include "base/internal.h"
#include "mote/scene.h"

// ------------------------------------------------------------------------------------------------------ source

// A value and the path to it from the root, as a chain on the stack. Objects keep the order of their keys, so that
// the ordinal of a member is the same in the text and in the tree made from it.
typedef struct scene_node {
    const struct scene_node *parent;  // NULL for the root
    const json_t *value;
    const char *key;  // NULL for an element of a list
    size_t ordinal;   // among its parent's members
} scene_node;

// Bytes [begin, end) of the text.
typedef struct scene_span {
    size_t begin, end;
} scene_span;

// The position of the node's value, or with `key` of the quoted key before it. The text must be valid JSON.
scene_span mote_source_find(const char *text, size_t length, const scene_node *node, bool key);

// Line and column of a byte of the text, from 1.
void mote_source_line(const char *text, size_t offset, uint32_t *line, uint32_t *column);

// The byte of the text that stands for a place in the value of the string at a span, where escapes are resolved.
// @param line, column  of the value, from 1
size_t mote_source_in_string(const char *text, scene_span span, uint32_t line, uint32_t column);

// The text at a span, in one line, shortened with "…" if it is long. `size` is at least 16.
void mote_source_excerpt(const char *text, scene_span span, char *excerpt, size_t size);

// ------------------------------------------------------------------------------------------------------ reader

// Memory that belongs to a scene, as a list; what was asked for follows.
typedef struct scene_memory {
    struct scene_memory *next;
    size_t bytes;
} scene_memory;

typedef struct scene_reader {
    const char *text;
    size_t length;
    mote_error *error;  // may be NULL
    mote_context *context;
    scene_memory **kept;  // what the fields point to and the tree does not own
} scene_reader;

// The member of an object; false if there is none.
bool mote_reader_child(const scene_node *object, const char *key, scene_node *child);
// Element i of a list.
scene_node mote_reader_element(const scene_node *list, size_t i);

// Returns MOTE_ERROR_FORMAT with the message "<path> is <its text>, expected …" and the position.
mote_result mote_reader_unexpected(const scene_reader *reader, const scene_node *node, const char *format, ...)
    MOTE_PRINTF(3, 4);

// The same with the message "<path>: <why>".
mote_result mote_reader_unsuited(const scene_reader *reader, const scene_node *node, const char *why);

// The same for a missing key: "<path> is missing, expected …".
mote_result mote_reader_missing(const scene_reader *reader, const scene_node *object, const char *key,
                                const char *expected);

// Checks that the node is an object all of whose keys are fields of the table or names of sections (NULL: none).
mote_result mote_reader_check_keys(const scene_reader *reader, const scene_node *node, const mote_field_table *table,
                                   const char *const *sections);

// Writes the fields that the object has into the struct; required ones must be present. Other keys are ignored.
mote_result mote_reader_fill(const scene_reader *reader, const scene_node *node, const mote_field_table *table,
                             void *object);
// Only the fields that give others their defaults.
mote_result mote_reader_fill_presets(const scene_reader *reader, const scene_node *node, const mote_field_table *table,
                                     void *object);

// ------------------------------------------------------------------------------------------------------- scene

struct mote_scene {
    mote_context *context;
    mote_buffer text;
    size_t length;
    json_t *root;  // owns every text of the settings
    mote_scene_settings settings;  // owns the lists of its def
    scene_memory *kept;
};

// Checks what tables cannot express: invalid boxes, blocks outside the tank, repeated names, too many particles.
mote_result mote_scene_check(const mote_scene *scene, const scene_reader *reader);

#endif
