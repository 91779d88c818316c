// SPDX-License-Identifier: MIT
// What mote validate prints: its table, one JSON object, the list of cases with their checks.

#include <math.h>
#include <string.h>

#include "validate.h"

// ------------------------------------------------------------------------------------------------------ verdicts

static double tolerance_of(const validate_check *check, validate_level level)
{
    if (level == VALIDATE_TOLD) return NAN;
    if (check->kind == VALIDATE_BETWEEN) return 0;
    if (level == VALIDATE_FINEST && check->finest > 0) return check->finest;
    return level == VALIDATE_QUICK ? check->quick : check->full;
}

void validate_judge(validate_row *row, validate_level level)
{
    const validate_check *check = row->check;
    bool holds = false;
    row->tolerance = tolerance_of(check, level);
    row->error = NAN;
    switch (check->kind) {
    case VALIDATE_RELATIVE:
        row->error = row->value / row->reference - 1;
        holds = fabs(row->error) <= row->tolerance;
        break;
    case VALIDATE_ABSOLUTE:
        row->error = row->value - row->reference;
        holds = fabs(row->error) <= row->tolerance;
        break;
    case VALIDATE_AT_MOST: holds = row->value <= row->tolerance; break;
    case VALIDATE_AT_LEAST: holds = row->value >= row->tolerance; break;
    case VALIDATE_BETWEEN: holds = row->value >= check->low && row->value <= check->high; break;
    }
    row->verdict = isnan(row->tolerance) ? "told" : holds ? "pass" : "fail";
}

// -------------------------------------------------------------------------------------------------------- texts

// "± 2 %", "< 0.01", "1.36 to 1.53"; "" for values that are told only.
static void tolerance_text(const validate_check *check, double tolerance, char *text, size_t size)
{
    text[0] = '\0';
    if (isnan(tolerance)) return;
    switch (check->kind) {
    case VALIDATE_RELATIVE: snprintf(text, size, "± %.3g %%", 100 * tolerance); break;
    case VALIDATE_ABSOLUTE: snprintf(text, size, "± %.3g", tolerance); break;
    case VALIDATE_AT_MOST: snprintf(text, size, "≤ %.3g", tolerance); break;
    case VALIDATE_AT_LEAST: snprintf(text, size, "≥ %.3g", tolerance); break;
    case VALIDATE_BETWEEN: snprintf(text, size, "%.4g to %.4g", check->low, check->high); break;
    }
}

static void number_text(double value, char *text, size_t size)
{
    if (isnan(value)) text[0] = '\0';
    else snprintf(text, size, "%.4g", value);
}

static void error_text(const validate_row *row, char *text, size_t size)
{
    if (row->check->kind == VALIDATE_RELATIVE && !isnan(row->error))
        snprintf(text, size, "%+.2f %%", 100 * row->error);
    else if (!isnan(row->error)) snprintf(text, size, "%+.3g", row->error);
    else text[0] = '\0';
}

// Prints a text in a column: "%-*s" counts bytes, a column characters.
static void put_column(const char *text, int width, bool is_last)
{
    int characters = 0;
    for (const char *c = text; *c; ++c) characters += ((unsigned char)*c & 0xC0) != 0x80;
    printf("%s%*s", text, is_last ? 0 : width > characters ? width - characters + 1 : 1, "");
}

enum { SCENE = 22, PRESET = 11, CELLS = 5, QUANTITY = 44, NUMBER = 10, TOLERANCE = 13, VERDICT = 5 };

void validate_print_head(void)
{
    const app_style style = app_style_of(stdout);
    printf("%s", style.bold);
    put_column("scene", SCENE, false);
    put_column("preset", PRESET, false);
    put_column("cells", CELLS, false);
    put_column("quantity", QUANTITY, false);
    put_column("value", NUMBER, false);
    put_column("reference", NUMBER, false);
    put_column("error", NUMBER, false);
    put_column("tolerance", TOLERANCE, false);
    printf("verdict  seconds%s\n", style.reset);
}

void validate_print_row(const validate_row *row)
{
    const app_style style = app_style_of(stdout);
    const char *colour = row->verdict[0] == 'p' ? style.green : row->verdict[0] == 'f' ? style.red : style.dim;
    char cells[16], value[32], reference[32], error[32], tolerance[64];
    snprintf(cells, sizeof cells, "%d", row->cells);
    number_text(row->value, value, sizeof value);
    number_text(row->reference, reference, sizeof reference);
    error_text(row, error, sizeof error);
    tolerance_text(row->check, row->tolerance, tolerance, sizeof tolerance);
    put_column(row->scene, SCENE, false);
    put_column(row->preset, PRESET, false);
    put_column(cells, CELLS, false);
    put_column(row->check->quantity, QUANTITY, false);
    if (row->message[0] && isnan(row->value)) {
        app_text_put(stdout, row->message);
        printf("  ");
    } else {
        put_column(value, NUMBER, false);
        put_column(reference, NUMBER, false);
        put_column(error, NUMBER, false);
        put_column(tolerance, TOLERANCE, false);
    }
    printf("%s%-7s%s %8.1f\n", colour, row->verdict, style.reset, row->seconds);
    fflush(stdout);
}

static void print_unable(const validate_unable *of)
{
    if (of->count == 0) return;
    printf("%s cannot run ", of->preset);
    for (size_t k = 0; k < of->count; ++k)
        printf("%s%s", k == 0 ? "" : k + 1 < of->count ? ", " : " and ", of->scenes[k]);
    printf("\n");
}

void validate_print_foot(size_t passed, size_t failed, size_t told, const validate_unable *unable, size_t presets)
{
    for (size_t p = 0; p < presets; ++p) print_unable(&unable[p]);
    if (told) printf("%s", VALIDATE_TOLD_MEANS);
    printf("%zu passed, %zu failed, %zu told\n", passed, failed, told);
}

// ---------------------------------------------------------------------------------------------------------- JSON

// JSON has no NaN.
static void json_number(const char *key, double value)
{
    if (isfinite(value)) printf(", \"%s\": %.9g", key, value);
    else printf(", \"%s\": null", key);
}

static void json_text(const char *key, const char *text)
{
    printf(", \"%s\": ", key);
    app_json_print(text);
}

static void json_row(const validate_row *row)
{
    printf("{\"case\": ");
    app_json_print(row->case_name);
    json_text("scene", row->scene);
    json_text("preset", row->preset);
    printf(", \"resolution\": %d", row->cells);
    json_text("quantity", row->check->quantity);
    json_number("value", row->value);
    json_number("reference", row->reference);
    json_number("error", row->error);
    if (row->check->kind == VALIDATE_BETWEEN) {
        json_number("low", row->check->low);
        json_number("high", row->check->high);
    } else json_number("tolerance", row->tolerance);
    json_text("verdict", row->verdict);
    json_text("source", row->check->source);
    if (row->message[0]) json_text("message", row->message);
    json_number("seconds", row->seconds);
    printf("}");
}

static void json_unable(const validate_unable *unable, size_t presets)
{
    printf(", \"cannot_run\": {");
    for (size_t p = 0; p < presets; ++p) {
        printf("%s\"%s\": [", p ? ", " : "", unable[p].preset);
        for (size_t k = 0; k < unable[p].count; ++k) {
            printf("%s", k ? ", " : "");
            app_json_print(unable[p].scenes[k]);
        }
        printf("]");
    }
    printf("}");
}

void validate_print_json(const validate_row *rows, size_t count, const validate_unable *unable, size_t presets,
                         double seconds)
{
    size_t passed = 0, failed = 0;
    printf("{\"mote\": \"%s\", \"rows\": [", mote_version());
    for (size_t k = 0; k < count; ++k) {
        passed += rows[k].verdict[0] == 'p';
        failed += rows[k].verdict[0] == 'f';
        printf("%s\n", k ? "," : "");
        json_row(&rows[k]);
    }
    printf("], \"passed\": %zu, \"failed\": %zu, \"told\": %zu", passed, failed, count - passed - failed);
    json_unable(unable, presets);
    json_number("seconds", seconds);
    printf("}\n");
}

// ---------------------------------------------------------------------------------------------------------- list

// Whether a scene has a resolution that is judged like this. VALIDATE_FULL: or like the finest.
static bool has_level(const validate_scene *scene, validate_level level)
{
    for (size_t k = 0; k < VALIDATE_RESOLUTIONS && scene->resolutions[k].cells; ++k) {
        const validate_level own = scene->resolutions[k].level;
        if (own == level || (own == VALIDATE_FINEST && level == VALIDATE_FULL)) return true;
    }
    return false;
}

static void list_check(const validate_scene *scene, const validate_check *check)
{
    char quick[64] = "", full[64] = "";
    if (has_level(scene, VALIDATE_QUICK))
        tolerance_text(check, tolerance_of(check, VALIDATE_QUICK), quick, sizeof quick);
    if (has_level(scene, VALIDATE_FULL))
        tolerance_text(check, tolerance_of(check, VALIDATE_FULL), full, sizeof full);
    printf("      ");
    put_column(check->quantity, QUANTITY, false);
    put_column(quick[0] ? quick : "told", TOLERANCE, false);
    put_column(full[0] ? full : "told", TOLERANCE, false);
    printf("%s", check->source);
    if (check->finest > 0) printf("; %g at the finest resolution", check->finest);
    printf("\n");
}

static void list_scene(const validate_scene *scene)
{
    const app_style style = app_style_of(stdout);
    printf("  %s%s%s  cells across %g m:", style.bold, scene->name, style.reset, scene->length);
    for (size_t k = 0; k < VALIDATE_RESOLUTIONS && scene->resolutions[k].cells; ++k) {
        const validate_resolution *one = &scene->resolutions[k];
        printf("%s %d%s%s", k ? "," : "", one->cells, one->is_quick ? " (quick)" : "",
               one->level == VALIDATE_TOLD ? " (told)" : "");
    }
    printf("\n");
    for (size_t k = 0; k < scene->check_count; ++k) list_check(scene, &scene->checks[k]);
}

static void list_json_scene(const validate_scene *scene)
{
    printf("\n{\"scene\": ");
    app_json_print(scene->name);
    json_number("length", scene->length);
    printf(", \"resolutions\": [");
    for (size_t k = 0; k < VALIDATE_RESOLUTIONS && scene->resolutions[k].cells; ++k)
        printf("%s{\"resolution\": %d, \"quick\": %s, \"told\": %s}", k ? ", " : "", scene->resolutions[k].cells,
               scene->resolutions[k].is_quick ? "true" : "false",
               scene->resolutions[k].level == VALIDATE_TOLD ? "true" : "false");
    printf("], \"checks\": [");
    for (size_t k = 0; k < scene->check_count; ++k) {
        const validate_check *check = &scene->checks[k];
        printf("%s{\"quantity\": ", k ? ", " : "");
        app_json_print(check->quantity);
        if (check->kind == VALIDATE_BETWEEN) {
            json_number("low", check->low);
            json_number("high", check->high);
        } else {
            json_number("quick", check->quick);
            json_number("full", check->full);
            if (check->finest > 0) json_number("finest", check->finest);
        }
        json_text("source", check->source);
        printf("}");
    }
    printf("]}");
}

static void list_json(const validate_case *const *cases, size_t count)
{
    printf("{\"mote\": \"%s\", \"cases\": [", mote_version());
    for (size_t k = 0; k < count; ++k) {
        printf("%s\n{\"case\": ", k ? "," : "");
        app_json_print(cases[k]->name);
        json_text("meaning", cases[k]->meaning);
        printf(", \"scenes\": [");
        for (size_t s = 0; s < cases[k]->scene_count; ++s) {
            printf("%s", s ? "," : "");
            list_json_scene(&cases[k]->scenes[s]);
        }
        printf("]}");
    }
    printf("]}\n");
}

void validate_print_list(const validate_case *const *cases, size_t count, bool is_json)
{
    const app_style style = app_style_of(stdout);
    if (is_json) {
        list_json(cases, count);
        return;
    }
    for (size_t k = 0; k < count; ++k) {
        printf("%s%s%s  %s\n", style.bold, cases[k]->name, style.reset, cases[k]->meaning);
        for (size_t s = 0; s < cases[k]->scene_count; ++s) list_scene(&cases[k]->scenes[s]);
    }
    printf("Behind each quantity: its tolerance in the quick and in the full set, and who says what it should be.\n"
           VALIDATE_TOLD_MEANS);
}
