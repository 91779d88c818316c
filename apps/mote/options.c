// SPDX-License-Identifier: MIT
// Command lines: options from a table, help from the same table, and errors in one line with a suggestion.

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"

// -------------------------------------------------------------------------------------------------------- help

// An optional value must follow a '='; otherwise it could not be distinguished from the next word.
static bool is_optional(const app_option *option)
{
    return option->flag && option->text;
}

static void print_option(const app_style *style, const app_option *option)
{
    char call[64], value[32] = "";
    char short_form[5] = "    ";
    if (option->letter) snprintf(short_form, sizeof short_form, "-%c, ", option->letter);
    if (option->value) snprintf(value, sizeof value, is_optional(option) ? "[=%s]" : " %s", option->value);
    snprintf(call, sizeof call, "%s%s%s", short_form, option->name, value);
    printf("  %s%-22s%s %s\n", style->bold, call, style->reset, option->meaning);
}

void app_usage_print(const app_usage *usage)
{
    app_style style = app_style_of(stdout);
    printf("%s\n\n%sUsage%s  mote %s%s %s\n\n%sOptions%s\n", usage->summary, style.bold, style.reset, usage->command,
           usage->option_count ? " [options]" : "", usage->arguments, style.bold, style.reset);
    for (size_t i = 0; i < usage->option_count; ++i) print_option(&style, &usage->options[i]);
    print_option(&style, &(app_option){.name = "--help", .letter = 'h', .meaning = "print this help"});
    if (usage->details) printf("\n%s", usage->details);
}

// ------------------------------------------------------------------------------------------------------ reading

static int fail_unknown(const app_usage *usage, const char *word, size_t length)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    const char **names = calloc(usage->option_count + 2, sizeof *names);
    for (size_t i = 0; names && i < usage->option_count; ++i) names[i + 1] = usage->options[i].name;
    if (names) names[0] = "--help";
    const char *nearest = names ? mote_nearest_word(name, names) : NULL;
    free((void *)names);
    if (nearest) app_complain("mote %s: unknown option %s, did you mean %s?", usage->command, name, nearest);
    else app_complain("mote %s: unknown option %s, see mote %s --help", usage->command, name, usage->command);
    return APP_BAD_INPUT;
}

// The option that a word names: "--frames", "--frames=3", "-o" or "-oDIR". Its value, if the word holds one, starts at
// `*value`.
static const app_option *find_option(const app_usage *usage, const char *word, size_t length, const char **value)
{
    for (size_t i = 0; i < usage->option_count; ++i) {
        const app_option *option = &usage->options[i];
        if (strlen(option->name) == length && strncmp(option->name, word, length) == 0) {
            *value = word[length] == '=' ? word + length + 1 : NULL;
            return option;
        }
        if (option->letter && word[1] == option->letter && (option->value || word[2] == '\0')) {
            *value = word[2] ? word + 2 : NULL;
            return option;
        }
    }
    return NULL;
}

static int set_option(const app_usage *usage, const app_option *option, const char *value)
{
    if (option->flag) *option->flag = true;
    if (option->flag && !value) return APP_GO_ON;
    if (option->text) {
        *option->text = value;
        if (*value) return APP_GO_ON;
        app_complain("mote %s: %s is empty, expected %s", usage->command, option->name, option->value);
        return APP_BAD_INPUT;
    }
    char *end;
    errno = 0;
    long long number = strtoll(value, &end, 10);
    if (end != value && *end == '\0' && errno == 0 && number >= option->min && number <= option->max) {
        *option->whole = number;
        return APP_GO_ON;
    }
    app_complain("mote %s: %s is %s, expected a whole number from %lld to %lld", usage->command, option->name, value,
                 (long long)option->min, (long long)option->max);
    return APP_BAD_INPUT;
}

// Reads the option at argv[*at], and the value after it.
static int read_option(const app_usage *usage, int argc, char **argv, int *at)
{
    const char *word = argv[*at], *value = NULL;
    size_t length = strcspn(word, "=");
    const app_option *option = find_option(usage, word, length, &value);
    if (!option) return fail_unknown(usage, word, length);
    if (!option->value && value) {
        app_complain("mote %s: %s takes no value, not %s", usage->command, option->name, value);
        return APP_BAD_INPUT;
    }
    if (option->value && !value && !is_optional(option)) {
        if (*at + 1 >= argc) {
            app_complain("mote %s: %s is the last word, expected %s behind it", usage->command, option->name,
                         option->value);
            return APP_BAD_INPUT;
        }
        value = argv[++*at];
    }
    return set_option(usage, option, value);
}

int app_options_read(const app_usage *usage, int argc, char **argv, const char **arguments)
{
    size_t count = 0;
    bool options_end = false;
    for (int at = 1; at < argc; ++at) {
        const char *word = argv[at];
        if (!options_end && strcmp(word, "--") == 0) {
            options_end = true;
        } else if (!options_end && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
            app_usage_print(usage);
            return APP_DONE;
        } else if (!options_end && word[0] == '-' && word[1]) {
            int status = read_option(usage, argc, argv, &at);
            if (status != APP_GO_ON) return status;
        } else if (count < usage->argument_count) {
            arguments[count++] = word;
        } else {
            app_complain("mote %s: %s is one word too many, expected mote %s %s", usage->command, word, usage->command,
                         usage->arguments);
            return APP_BAD_INPUT;
        }
    }
    if (count == usage->argument_count || usage->may_lack) return APP_GO_ON;
    app_complain("mote %s: %s is missing, see mote %s --help", usage->command, usage->arguments, usage->command);
    return APP_BAD_INPUT;
}
