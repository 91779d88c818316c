// SPDX-License-Identifier: MIT
// mote validate: runs cases with known results, and judges what the fluid makes of them.

#include "validate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_CASES = 32, BESIDE = 2 };

static const char judged[] = "engineering";
static const char *const told_beside[BESIDE] = {"fast", "document"};

typedef struct validate_command {
    const char *words[MOST_CASES];  // of the command line: cases or scenes
    const char *out, *scenes_wish, *preset_wish;
    int64_t threads, resolution;  // resolution: the only one that runs; 0: all
    bool full, json, list;
    char *scenes;  // the folder of the cases' folders
    mote_context *context;
    const validate_case *cases[MOST_CASES];  // those that run
    size_t case_count;
    validate_row *rows;
    size_t row_count;
    validate_unable unable[BESIDE];
    double started;
    int status;
} validate_command;

// --------------------------------------------------------------------------------------------------- what to run

// The case that a word names, or the case of the scene that it names.
static const validate_case *find_case(const char *word)
{
    const validate_case *one;
    for (size_t k = 0; (one = validate_case_at(k)) != NULL; ++k) {
        if (strcmp(one->name, word) == 0) return one;
        for (size_t s = 0; s < one->scene_count; ++s)
            if (strcmp(one->scenes[s].name, word) == 0) return one;
    }
    return NULL;
}

static int refuse_case(const char *word)
{
    const char *names[4 * MOST_CASES] = {0};
    const validate_case *one;
    size_t count = 0;
    for (size_t k = 0; (one = validate_case_at(k)) != NULL; ++k) {
        names[count++] = one->name;
        for (size_t s = 0; s < one->scene_count && count < 4 * MOST_CASES - 1; ++s)
            if (strcmp(one->scenes[s].name, one->name) != 0) names[count++] = one->scenes[s].name;
    }
    const char *nearest = mote_nearest_word(word, names);
    if (nearest) app_complain("mote validate: unknown case %s, did you mean %s?", word, nearest);
    else app_complain("mote validate: unknown case %s, expected one of those that mote validate --list names", word);
    return APP_BAD_INPUT;
}

// Cases run in the order of their table, each once.
static int choose_cases(validate_command *self)
{
    const validate_case *one;
    for (size_t w = 0; w < MOST_CASES && self->words[w]; ++w)
        if (!find_case(self->words[w])) return refuse_case(self->words[w]);
    for (size_t k = 0; (one = validate_case_at(k)) != NULL; ++k) {
        bool is_wanted = !self->words[0];
        for (size_t w = 0; w < MOST_CASES && self->words[w]; ++w) is_wanted |= find_case(self->words[w]) == one;
        if (is_wanted) self->cases[self->case_count++] = one;
    }
    return APP_DONE;
}

// Words that name scenes of a case leave its other scenes out.
static bool is_scene_wanted(const validate_command *self, const validate_case *one, const validate_scene *scene)
{
    bool is_any = !self->words[0];
    for (size_t w = 0; w < MOST_CASES && self->words[w]; ++w)
        is_any |= strcmp(self->words[w], one->name) == 0 || strcmp(self->words[w], scene->name) == 0;
    return is_any;
}

static bool is_resolution_wanted(const validate_command *self, const validate_resolution *one)
{
    return self->resolution ? one->cells == self->resolution : self->full || one->is_quick;
}

// The presets of each scene: the one that is judged or wanted, and those that are told beside it.
static size_t preset_count(const validate_command *self)
{
    return 1 + (!self->preset_wish && (self->full || !self->resolution) ? BESIDE : 0);
}

static const char *preset_at(const validate_command *self, size_t p)
{
    return p > 0 ? told_beside[p - 1] : self->preset_wish ? self->preset_wish : judged;
}

// Presets that are told beside run at all resolutions but the finest: that is where the hours are.
static bool is_run_wanted(const validate_command *self, const validate_scene *scene, size_t k, size_t p)
{
    const bool is_finest = k > 0 && (k + 1 == VALIDATE_RESOLUTIONS || !scene->resolutions[k + 1].cells);
    return is_resolution_wanted(self, &scene->resolutions[k]) && !(p > 0 && is_finest && !self->resolution);
}

// What no chosen scene has is refused: nothing would run, and nothing would fail.
static int check_resolutions(const validate_command *self)
{
    bool is_there = false;
    for (size_t c = 0; c < self->case_count; ++c)
        for (size_t s = 0; s < self->cases[c]->scene_count; ++s)
            for (size_t k = 0; k < VALIDATE_RESOLUTIONS && self->cases[c]->scenes[s].resolutions[k].cells; ++k)
                is_there |= is_scene_wanted(self, self->cases[c], &self->cases[c]->scenes[s]) &&
                            is_resolution_wanted(self, &self->cases[c]->scenes[s].resolutions[k]);
    if (is_there) return APP_DONE;
    if (self->resolution)
        app_complain("mote validate: --resolution %lld: no chosen case has it, expected one that mote validate --list "
                     "names", (long long)self->resolution);
    else app_complain("mote validate: no chosen case is in the quick set, expected --full or --resolution");
    return APP_BAD_INPUT;
}

// What no scene takes is refused, too: a preset that there is not fails nowhere, as only engineering is judged.
static int check_preset(const validate_command *self)
{
    const char *names[8] = {NULL}, *nearest;
    const mote_fluid_choice *one;
    if (!self->preset_wish) return APP_DONE;
    for (size_t k = 0; k + 1 < sizeof names / sizeof *names && (one = mote_fluid_preset_at(k)) != NULL; ++k) {
        names[k] = one->name;
        if (strcmp(one->name, self->preset_wish) == 0) return APP_DONE;
    }
    nearest = mote_nearest_word(self->preset_wish, names);
    app_complain("mote validate: --preset is %s, expected one of those that mote scene --help names%s%s%s",
                 self->preset_wish, nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
    return APP_BAD_INPUT;
}

static bool has_cases(const char *folder)
{
    char *path = app_text("%s/%s", folder, validate_case_at(0)->name);
    const bool is_there = path && access(path, R_OK) == 0;
    free(path);
    return is_there;
}

// The folder of the cases: as told, here, beside the program's sources, or where they were installed.
static int find_scenes(validate_command *self)
{
    static const char *const places[] = {"../share/mote/validation", "../../../scenes/validation"};
    char program[4096];
    self->scenes = app_text("%s", self->scenes_wish ? self->scenes_wish : "scenes/validation");
    if (!self->scenes) return app_out_of_memory();
    if (has_cases(self->scenes)) return APP_DONE;
    const bool is_known = app_program_folder(program, sizeof program);
    for (size_t k = 0; !self->scenes_wish && is_known && k < sizeof places / sizeof *places; ++k) {
        free(self->scenes);
        self->scenes = app_text("%s/%s", program, places[k]);
        if (!self->scenes) return app_out_of_memory();
        if (has_cases(self->scenes)) return APP_DONE;
    }
    app_complain("mote validate: %s has no case %s, expected the folder scenes/validation of mote's sources; --scenes "
                 "names it", self->scenes_wish ? self->scenes_wish : "scenes/validation", validate_case_at(0)->name);
    return APP_BAD_INPUT;
}

// ------------------------------------------------------------------------------------------------------ running

static bool add_row(validate_command *self, const validate_run *run, size_t check, const char *message)
{
    validate_row *grown = realloc(self->rows, (self->row_count + 1) * sizeof *grown);
    if (!grown) return false;
    self->rows = grown;
    validate_row *row = &grown[self->row_count++];
    *row = (validate_row){.case_name = run->of->name, .scene = run->scene->name, .preset = run->preset,
                          .cells = run->resolution->cells, .check = &run->scene->checks[check],
                          .value = run->values[check], .reference = run->references[check], .seconds = run->seconds};
    if (message) snprintf(row->message, sizeof row->message, "%s", message);
    const bool is_judged = strcmp(run->preset, judged) == 0;
    validate_judge(row, is_judged ? run->resolution->level : VALIDATE_TOLD);
    if (!self->json) validate_print_row(row);
    return true;
}

// Runs a scene at a resolution, and adds its rows. A run that fails gives a row without a value for every check; one
// that is told beside gives none if its preset cannot run the scene.
// @param is_unable   receives whether the preset cannot run the scene
static int run_one(validate_command *self, validate_run *run, bool is_beside, validate_found *found, bool *is_unable)
{
    run->context = self->context;
    run->out = self->out;
    run->is_forecast = self->full || self->resolution;
    if (is_beside) app_complain_silence(true);
    int status = validate_run_open(run, self->scenes, false);
    if (is_beside) app_complain_silence(false);
    *is_unable = is_beside && status == APP_BAD_INPUT;
    const bool is_measured = status == APP_DONE && run->of->measure(run);
    validate_run_close(run);
    if (app_signal_caught()) return 128 + app_signal_caught();
    if (*is_unable) return APP_DONE;
    if (status != APP_DONE && is_beside) return app_out_of_memory();  // the only other reason
    if (status != APP_DONE && strcmp(run->preset, judged) == 0) return status;
    const char *message = is_measured ? NULL : run->error.text[0] ? run->error.text : "it cannot be run";
    for (size_t k = 0; k < run->scene->check_count; ++k)
        if (!run->scene->checks[k].is_across && !add_row(self, run, k, message)) return app_out_of_memory();
    found->cells = run->resolution->cells;
    memcpy(found->values, run->values, sizeof found->values);
    return APP_DONE;
}

// What a preset cannot run, it cannot run at any resolution.
// @param p   the number of the preset
static int run_scene(validate_command *self, const validate_case *one, const validate_scene *scene, size_t p)
{
    validate_found found[VALIDATE_RESOLUTIONS];
    validate_run run = {0};
    size_t count = 0;
    for (size_t k = 0; k < VALIDATE_RESOLUTIONS && scene->resolutions[k].cells; ++k) {
        bool is_unable;
        if (!is_run_wanted(self, scene, k, p)) continue;
        run = (validate_run){
            .of = one, .scene = scene, .resolution = &scene->resolutions[k], .preset = preset_at(self, p)};
        const int status = run_one(self, &run, p > 0, &found[count++], &is_unable);
        if (status != APP_DONE) return status;
        if (!is_unable) continue;
        validate_unable *unable = &self->unable[p - 1];
        if (unable->count < VALIDATE_SCENES) unable->scenes[unable->count++] = scene->name;  // there are fewer
        return APP_DONE;
    }
    if (!one->compare || count < 2) return APP_DONE;
    one->compare(&run, found, count);
    for (size_t k = 0; k < scene->check_count; ++k)
        if (scene->checks[k].is_across && !add_row(self, &run, k, NULL)) return app_out_of_memory();
    return APP_DONE;
}

static int run_case(validate_command *self, const validate_case *one)
{
    for (size_t s = 0; s < one->scene_count; ++s) {
        if (!is_scene_wanted(self, one, &one->scenes[s])) continue;
        int status = APP_DONE;
        for (size_t p = 0; p < preset_count(self) && status == APP_DONE; ++p)
            status = run_scene(self, one, &one->scenes[s], p);
        if (status != APP_DONE) return status;
    }
    return APP_DONE;
}

// @param tried     of these runs, some steps could be made
// @param seconds   that those will take
static void print_forecast(size_t tried, size_t count, double seconds)
{
    char duration[32];
    app_duration_text(seconds, duration, sizeof duration);
    if (tried == 0) fprintf(stderr, "none of %zu run%s can be made\n", count, app_plural(count));
    else if (tried < count)
        fprintf(stderr, "%zu of %zu runs: about %s, by the first steps of each; the others cannot be made\n", tried,
                count, duration);
    else fprintf(stderr, "all %zu run%s: about %s, by the first steps of each\n", count, app_plural(count), duration);
}

// How long all runs of the full set will take, by a few steps of each. A run of the wanted preset that cannot be made
// says why later.
static int forecast_all(validate_command *self)
{
    app_complain_silence(true);
    double all = 0;
    size_t count = 0, tried = 0;
    for (size_t c = 0; c < self->case_count; ++c) {
        const validate_case *one = self->cases[c];
        for (size_t s = 0; s < one->scene_count; ++s) {
            const validate_scene *scene = &one->scenes[s];
            if (!is_scene_wanted(self, one, scene)) continue;
            for (size_t k = 0; k < VALIDATE_RESOLUTIONS && scene->resolutions[k].cells; ++k) {
                for (size_t p = 0; p < preset_count(self) && !app_signal_caught(); ++p) {
                    if (!is_run_wanted(self, scene, k, p)) continue;
                    double seconds = 0, steps;
                    validate_run run = {.of = one, .scene = scene, .resolution = &scene->resolutions[k],
                                        .preset = preset_at(self, p), .context = self->context};
                    const int status = validate_run_open(&run, self->scenes, true);
                    if (status == APP_DONE && validate_forecast(&run, &seconds, &steps)) all += seconds, ++tried;
                    count += status == APP_DONE || p == 0;
                    validate_run_close(&run);
                }
            }
        }
    }
    app_complain_silence(false);
    if (app_signal_caught()) return 128 + app_signal_caught();
    print_forecast(tried, count, all);
    return APP_DONE;
}

static size_t count_verdicts(const validate_command *self, char first)
{
    size_t count = 0;
    for (size_t k = 0; k < self->row_count; ++k) count += self->rows[k].verdict[0] == first;
    return count;
}

static int run_cases(validate_command *self)
{
    int status = find_scenes(self);
    if (status == APP_DONE && self->out && !app_folder_create(self->out)) {
        app_complain("mote validate: %s cannot be made, expected a folder for curves", self->out);
        status = APP_BAD_INPUT;
    }
    if (status != APP_DONE) return status;
    self->context = app_context_create(self->threads);
    if (!self->context) return APP_FAILED;
    app_signals_catch();
    self->started = app_clock();
    if (self->full) status = forecast_all(self);
    if (!self->json && status == APP_DONE) validate_print_head();
    for (size_t k = 0; k < self->case_count && status == APP_DONE; ++k) status = run_case(self, self->cases[k]);
    mote_context_destroy(self->context);
    const size_t passed = count_verdicts(self, 'p'), failed = count_verdicts(self, 'f');
    const size_t told = self->row_count - passed - failed;
    if (status == APP_BAD_INPUT) return status;
    for (size_t p = 0; p < BESIDE; ++p) self->unable[p].preset = told_beside[p];
    if (self->json)
        validate_print_json(self->rows, self->row_count, self->unable, BESIDE, app_clock() - self->started);
    else validate_print_foot(passed, failed, told, self->unable, BESIDE);
    return status != APP_DONE ? status : failed ? APP_FAILED : APP_DONE;
}

int app_validate(int argc, char **argv)
{
    validate_command self = {0};
    const app_option options[] = {
        {"--full", NULL, "all resolutions; hours", 0, .flag = &self.full},
        {"--json", NULL, "print one JSON object", 0, .flag = &self.json},
        {"--list", NULL, "list cases, resolutions, tolerances and their sources, and run nothing", 0,
         .flag = &self.list},
        {"--preset", "NAME", "run this preset only; values of others than engineering are told, not judged", 0,
         .text = &self.preset_wish},
        {"--resolution", "N", "run this resolution of each case only, as --list names them, with one preset", 0,
         .whole = &self.resolution, .min = 1, .max = 100000},
        {"--scenes", "DIR", "folder of the cases; default: scenes/validation here or of mote's sources", 0,
         .text = &self.scenes_wish},
        {"--threads", "N", "number of threads; default: all processors of this process or container", 0,
         .whole = &self.threads, .min = 1, .max = 4096},
        {"--output", "DIR", "write curves and profiles to DIR, for the plots of the cases", 'o', .text = &self.out},
    };
    const app_usage usage = {
        .command = "validate",
        .arguments = "[CASE...]",
        .argument_count = MOST_CASES,
        .may_lack = true,
        .summary = "Runs cases with known results, and compares: a table of values, references, errors and verdicts.",
        .details = "A case is a folder of scenes/validation: scenes, published data with their source, a page. CASE\n"
                   "is a case or one of its scenes; default: all. Values are judged for the preset engineering at\n"
                   "the resolutions that a case names. All others are told, among them those of the presets fast\n"
                   "and document, which run beside it, but not at the finest of a scene's resolutions. The last\n"
                   "line: \"N passed, N failed, N told\".\n" VALIDATE_TOLD_MEANS "\n"
                   "Exit status: 0 nothing failed, 1 a value is beyond its tolerance, 2 bad input.\n",
        .options = options,
        .option_count = sizeof options / sizeof options[0],
    };
    int status = app_options_read(&usage, argc, argv, self.words);
    if (status != APP_GO_ON) return status;
    status = check_preset(&self);
    if (status == APP_DONE) status = choose_cases(&self);
    if (status == APP_DONE && !self.list) status = check_resolutions(&self);
    if (status != APP_DONE) return status;
    if (self.list) validate_print_list(self.cases, self.case_count, self.json);
    else status = run_cases(&self);
    free(self.rows);
    free(self.scenes);
    return status;
}
