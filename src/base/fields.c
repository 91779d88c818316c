// SPDX-License-Identifier: MIT
// Field tables: defaults, checks and texts for structs that a table describes.
//
// Members are read and written by memcpy at their offset, so that one loop handles every def struct. A def that was
// never initialised may hold a bool that is neither true nor false: bools are read as bytes.

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/internal.h"

#define SEED_MAX (UINT64_C(1) << 53)  // whole numbers up to here are exact in a double, as JSON's readers need

// ------------------------------------------------------------------------------------------------------ texts

// A text that grows in the caller's memory; its length includes the part that did not fit.
typedef struct writer {
    char *text;
    size_t size, length;
} writer;

static void append(writer *to, const char *format, ...) MOTE_PRINTF(2, 3);
static void append(writer *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    bool room = to->length < to->size;
    to->length += mote_format(room ? to->text + to->length : NULL, room ? to->size - to->length : 0, format, arguments);
    va_end(arguments);
}

static void append_number(writer *to, double value)
{
    char digits[32];
    mote_number_text(value, digits, sizeof digits);
    append(to, "%s", isnan(value) ? "null" : digits);
}

static void append_quoted(writer *to, const char *text)
{
    append(to, "\"");
    for (; *text; ++text) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') append(to, "\\%c", c);
        else if (c < 0x20) append(to, "\\u%04x", (unsigned)c);
        else append(to, "%c", c);
    }
    append(to, "\"");
}

// ----------------------------------------------------------------------------------------------------- members

static const void *member(const mote_field *field, const void *object)
{
    return (const char *)object + field->offset;
}

static int32_t get_int(const mote_field *field, const void *object)
{
    int32_t value;
    memcpy(&value, member(field, object), sizeof value);
    return value;
}

static uint64_t get_seed(const mote_field *field, const void *object)
{
    uint64_t value;
    memcpy(&value, member(field, object), sizeof value);
    return value;
}

// The components of a number or a tolerance, or of a vector (three). Returns how many.
static int get_numbers(const mote_field *field, const void *object, double numbers[3])
{
    if (field->type != MOTE_FIELD_VECTOR) {
        memcpy(numbers, member(field, object), sizeof(double));
        return 1;
    }
    mote_vec3 vector;
    memcpy(&vector, member(field, object), sizeof vector);
    numbers[0] = vector.x, numbers[1] = vector.y, numbers[2] = vector.z;
    return 3;
}

static const char *get_text(const mote_field *field, const void *object)
{
    const char *text;
    memcpy(&text, member(field, object), sizeof text);
    return text;
}

static void get_words(const mote_field *field, const void *object, const char *words[MOTE_FIELD_WORDS_MOST])
{
    memcpy(words, member(field, object), MOTE_FIELD_WORDS_MOST * sizeof *words);
}

static mote_corners get_corners(const mote_field *field, const void *object)
{
    mote_corners corners;
    memcpy(&corners, member(field, object), sizeof corners);
    return corners;
}

// The number of expressions that stand behind a number or vector.
static size_t formula_count(const mote_field *field)
{
    if (!(field->flags & MOTE_FIELD_FORMULA) || field->type == MOTE_FIELD_TEXT) return 0;
    return field->type == MOTE_FIELD_VECTOR ? 3 : 1;
}

// The expressions of the components of a number or vector; NULL where there is none.
static void get_formulas(const mote_field *field, const void *object, const char *formulas[3])
{
    const size_t count = formula_count(field);
    formulas[0] = formulas[1] = formulas[2] = NULL;
    if (count > 0)
        memcpy(formulas, (const char *)member(field, object) + count * sizeof(double), count * sizeof *formulas);
}

static int32_t choice_count(const mote_field *field)
{
    int32_t count = 0;
    while (field->choices[count]) ++count;
    return count;
}

static bool is_bounded_below(const mote_field *field)
{
    return field->min != field->max && field->min > -HUGE_VAL;
}

static bool is_bounded_above(const mote_field *field)
{
    return field->min != field->max && field->max < HUGE_VAL;
}

static bool in_range(const mote_field *field, double value)
{
    if (!isfinite(value)) return false;
    if (is_bounded_below(field) && (value < field->min || (field->flags & MOTE_FIELD_ABOVE_MIN && value <= field->min)))
        return false;
    return !is_bounded_above(field) ||
           (value <= field->max && !(field->flags & MOTE_FIELD_BELOW_MAX && value >= field->max));
}

// ---------------------------------------------------------------------------------------------------- defaults

static void set_default(const mote_field *field, void *object)
{
    char *at = (char *)object + field->offset;
    bool unset = field->flags & (MOTE_FIELD_REQUIRED | MOTE_FIELD_DERIVED | MOTE_FIELD_OPTIONAL);
    bool flag = !unset && field->initial[0] != 0;
    int32_t integer = 0;
    uint64_t seed = 0;
    const char *text = unset ? NULL : field->initial_text;
    static const char *const no_words[MOTE_FIELD_WORDS_MOST] = {NULL};
    mote_vec3 vector = {NAN, NAN, NAN};
    if (!unset) vector = (mote_vec3){field->initial[0], field->initial[1], field->initial[2]};

    switch (field->type) {
    case MOTE_FIELD_BOOL: memcpy(at, &flag, sizeof flag); break;
    case MOTE_FIELD_INT:
    case MOTE_FIELD_CHOICE:
        if (!unset) integer = (int32_t)field->initial[0];
        memcpy(at, &integer, sizeof integer);
        break;
    case MOTE_FIELD_SEED:
        if (!unset) seed = (uint64_t)field->initial[0];
        memcpy(at, &seed, sizeof seed);
        break;
    case MOTE_FIELD_NUMBER:
    case MOTE_FIELD_TOLERANCE: memcpy(at, &vector.x, sizeof vector.x); break;
    case MOTE_FIELD_VECTOR: memcpy(at, &vector, sizeof vector); break;
    case MOTE_FIELD_TEXT: memcpy(at, &text, sizeof text); return;
    case MOTE_FIELD_WORDS: memcpy(at, no_words, sizeof no_words); return;
    case MOTE_FIELD_CORNERS: memcpy(at, &(mote_corners){NULL, 0}, sizeof(mote_corners)); return;
    }
    static const char *const none[3] = {NULL, NULL, NULL};
    const size_t count = formula_count(field);
    memcpy(at + count * sizeof(double), none, count * sizeof *none);
}

void mote_fields_set_defaults(const mote_field_table *table, void *object)
{
    if (!table || !object) return;
    for (size_t i = 0; i < table->count; ++i) set_default(&table->fields[i], object);
}

// ------------------------------------------------------------------------------------------------------ checks

// Whether all components are NaN: the field was never set.
static bool is_unset(const mote_field *field, const void *object)
{
    if (field->type != MOTE_FIELD_NUMBER && field->type != MOTE_FIELD_VECTOR) return false;
    double numbers[3];
    const char *formulas[3];
    int count = get_numbers(field, object, numbers);
    get_formulas(field, object, formulas);
    for (int k = 0; k < count; ++k)
        if (!isnan(numbers[k]) || formulas[k]) return false;
    return true;
}

// Whether every component is an expression, or in the range.
static bool are_valid(const mote_field *field, const void *object)
{
    double numbers[3];
    const char *formulas[3];
    const int count = get_numbers(field, object, numbers);
    get_formulas(field, object, formulas);
    for (int k = 0; k < count; ++k)
        if (formulas[k] ? !*formulas[k] : !in_range(field, numbers[k])) return false;
    return true;
}

static bool are_choices(const mote_field *field, const void *object)
{
    const char *words[MOTE_FIELD_WORDS_MOST];
    if (!field->choices) return true;  // any words
    get_words(field, object, words);
    for (size_t k = 0; k < MOTE_FIELD_WORDS_MOST && words[k]; ++k) {
        bool is_choice = false;
        for (size_t c = 0; field->choices[c] && !is_choice; ++c) is_choice = strcmp(words[k], field->choices[c]) == 0;
        if (!is_choice) return false;
    }
    return true;
}

static bool is_valid(const mote_field *field, const void *object)
{
    switch (field->type) {
    case MOTE_FIELD_BOOL: return *(const unsigned char *)member(field, object) <= 1;
    case MOTE_FIELD_INT: return in_range(field, get_int(field, object));
    case MOTE_FIELD_SEED: return get_seed(field, object) <= SEED_MAX;
    case MOTE_FIELD_CHOICE: {
        int32_t choice = get_int(field, object);
        return choice >= 0 && choice < choice_count(field);
    }
    case MOTE_FIELD_NUMBER:
    case MOTE_FIELD_VECTOR:
        if (field->flags & (MOTE_FIELD_DERIVED | MOTE_FIELD_OPTIONAL) && is_unset(field, object)) return true;
        return are_valid(field, object);
    case MOTE_FIELD_TOLERANCE: {
        double tolerance[3];
        get_numbers(field, object, tolerance);
        return isnan(tolerance[0]) || in_range(field, tolerance[0]);
    }
    case MOTE_FIELD_TEXT: {
        const char *text = get_text(field, object);
        return !(field->flags & MOTE_FIELD_REQUIRED) || (text && *text);
    }
    case MOTE_FIELD_WORDS: return are_choices(field, object);
    case MOTE_FIELD_CORNERS: {
        const mote_corners corners = get_corners(field, object);
        for (size_t k = 0; k < 2 * corners.count; ++k)
            if (!in_range(field, corners.xz[k])) return false;
        return corners.count == 0 || corners.count >= 3;
    }
    }
    return false;
}

bool mote_field_is_valid(const mote_field *field, const void *object)
{
    return field && object && is_valid(field, object);
}

mote_result mote_fields_check(const mote_field_table *table, const void *object, mote_error *error)
{
    if (!table || !object) return mote_fail_null(error, "fields", "the table or the object");
    for (size_t i = 0; i < table->count; ++i) {
        const mote_field *field = &table->fields[i];
        if (is_valid(field, object)) continue;
        char expected[160], value[80];
        mote_field_expected_text(field, expected, sizeof expected);
        if (is_unset(field, object)) snprintf(value, sizeof value, "not set");
        else mote_field_value_text(field, object, value, sizeof value);
        return mote_fail(error, MOTE_ERROR_ARGUMENT, i, "%s.%s is %s, expected %s", table->name, field->name, value,
                         expected);
    }
    return MOTE_OK;
}

const mote_field *mote_fields_find(const mote_field_table *table, const char *name)
{
    if (!table || !name) return NULL;
    for (size_t i = 0; i < table->count; ++i)
        if (strcmp(table->fields[i].name, name) == 0) return &table->fields[i];
    return NULL;
}

// ------------------------------------------------------------------------------------------------ descriptions

static void append_range(writer *to, const mote_field *field)
{
    bool below = is_bounded_below(field), above = is_bounded_above(field);
    bool open_below = field->flags & MOTE_FIELD_ABOVE_MIN, open_above = field->flags & MOTE_FIELD_BELOW_MAX;
    if (field->type == MOTE_FIELD_VECTOR && (below || above)) append(to, ", each");
    if (below && above && !open_below && !open_above) {
        append(to, " from ");
        append_number(to, field->min);
        append(to, " to ");
        append_number(to, field->max);
        return;
    }
    if (below) {
        append(to, open_below ? " above " : " of at least ");
        append_number(to, field->min);
    }
    if (above) {
        append(to, "%s%s", below ? " and" : "", open_above ? " below " : below ? " at most " : " of at most ");
        append_number(to, field->max);
    }
}

// " or an expression in x, y, z"
static void append_formula(writer *to, const mote_field *field, const char *what)
{
    if (!(field->flags & MOTE_FIELD_FORMULA)) return;
    append(to, "%s", what);
    for (int k = 0; field->choices[k]; ++k) append(to, "%s%s", k ? ", " : " in ", field->choices[k]);
}

size_t mote_field_expected_text(const mote_field *field, char *text, size_t size)
{
    writer to = {text, text ? size : 0, 0};
    if (!field) return append(&to, "%s", ""), to.length;
    switch (field->type) {
    case MOTE_FIELD_BOOL: append(&to, "true or false"); break;
    case MOTE_FIELD_INT:
        append(&to, "a whole number");
        append_range(&to, field);
        break;
    case MOTE_FIELD_SEED: append(&to, "a whole number from 0 to %" PRIu64, SEED_MAX); break;
    case MOTE_FIELD_NUMBER:
        append(&to, "a number");
        append_range(&to, field);
        append_formula(&to, field, " or an expression");
        break;
    case MOTE_FIELD_TOLERANCE:
        append(&to, "true, false or a number");
        append_range(&to, field);
        break;
    case MOTE_FIELD_VECTOR:
        append(&to, "three numbers");
        append_range(&to, field);
        append_formula(&to, field, ", or expressions");
        break;
    case MOTE_FIELD_CORNERS:
        append(&to, "a list of at least 3 corners [x, z], numbers");
        append_range(&to, field);
        break;
    case MOTE_FIELD_WORDS:
    case MOTE_FIELD_CHOICE: {
        const int32_t count = field->choices ? choice_count(field) : 0;
        if (count == 0) append(&to, "a list of names: [\"…\", …]");
        if (count == 0) break;
        if (field->type == MOTE_FIELD_WORDS) append(&to, "a list of at most %d of ", MOTE_FIELD_WORDS_MOST);
        for (int32_t i = 0; i < count; ++i) {
            append(&to, "%s", i == 0 ? "" : i + 1 < count ? ", " : " or ");
            append_quoted(&to, field->choices[i]);
        }
        break;
    }
    case MOTE_FIELD_TEXT:
        if (field->flags & MOTE_FIELD_FORMULA) {
            append(&to, "a number%s", field->initial_text ? ", " : "");
            if (field->initial_text) append_quoted(&to, field->initial_text);
            append_formula(&to, field, " or an expression");
            break;
        }
        append(&to, field->flags & MOTE_FIELD_REQUIRED ? "a text that is not empty" : "a text");
        break;
    }
    if (field->unit && *field->unit) append(&to, " [%s]", field->unit);
    return to.length;
}

static void append_words(writer *to, const mote_field *field, const void *object)
{
    const char *words[MOTE_FIELD_WORDS_MOST];
    get_words(field, object, words);
    append(to, "[");
    for (size_t k = 0; k < MOTE_FIELD_WORDS_MOST && words[k]; ++k) {
        if (k) append(to, ", ");
        append_quoted(to, words[k]);
    }
    append(to, "]");
}

static void append_corners(writer *to, const mote_field *field, const void *object)
{
    const mote_corners corners = get_corners(field, object);
    append(to, "[");
    for (size_t k = 0; k < 2 * corners.count; ++k) {
        append(to, k % 2 ? ", " : k ? ", [" : "[");
        append_number(to, corners.xz[k]);
        if (k % 2) append(to, "]");
    }
    append(to, "]");
}

size_t mote_field_value_text(const mote_field *field, const void *object, char *text, size_t size)
{
    writer to = {text, text ? size : 0, 0};
    if (!field || !object) return append(&to, "%s", ""), to.length;
    switch (field->type) {
    case MOTE_FIELD_BOOL: append(&to, "%s", *(const unsigned char *)member(field, object) ? "true" : "false"); break;
    case MOTE_FIELD_INT: append(&to, "%" PRId32, get_int(field, object)); break;
    case MOTE_FIELD_SEED: append(&to, "%" PRIu64, get_seed(field, object)); break;
    case MOTE_FIELD_NUMBER:
    case MOTE_FIELD_VECTOR: {
        double numbers[3];
        const char *formulas[3];
        int count = get_numbers(field, object, numbers);
        get_formulas(field, object, formulas);
        if (count == 3) append(&to, "[");
        for (int k = 0; k < count; ++k) {
            if (k) append(&to, ", ");
            if (formulas[k]) append_quoted(&to, formulas[k]);
            else append_number(&to, numbers[k]);
        }
        if (count == 3) append(&to, "]");
        break;
    }
    case MOTE_FIELD_TOLERANCE: {
        double tolerance[3];
        get_numbers(field, object, tolerance);
        if (isnan(tolerance[0]) || tolerance[0] == 0) append(&to, "%s", tolerance[0] == 0 ? "true" : "false");
        else append_number(&to, tolerance[0]);
        break;
    }
    case MOTE_FIELD_CHOICE: {
        int32_t choice = get_int(field, object);
        if (choice >= 0 && choice < choice_count(field)) append_quoted(&to, field->choices[choice]);
        else append(&to, "%" PRId32, choice);
        break;
    }
    case MOTE_FIELD_TEXT: {
        const char *held = get_text(field, object);
        if (!held && field->flags & MOTE_FIELD_FORMULA) held = field->initial_text;
        if (held) append_quoted(&to, held);
        else append(&to, "null");
        break;
    }
    case MOTE_FIELD_WORDS: append_words(&to, field, object); break;
    case MOTE_FIELD_CORNERS: append_corners(&to, field, object); break;
    }
    return to.length;
}

uint64_t mote_fields_checksum(const mote_field_table *table, const void *object)
{
    uint64_t sum = MOTE_CHECKSUM_START;
    for (size_t k = 0; k < table->count; ++k) {
        char text[128];
        const size_t length = mote_field_value_text(&table->fields[k], object, text, sizeof text);
        sum = mote_checksum(sum, text, MOTE_MIN(length, sizeof text - 1));
    }
    return sum;
}
