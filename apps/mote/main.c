// SPDX-License-Identifier: MIT
// mote: the program. This file lists the commands; each command has a file of its own.

#include <signal.h>
#include <string.h>

#include "app.h"

static const app_command commands[] = {
    {"run", "simulate a scene; writes pictures, a video and files for ParaView", app_run},
    {"scene", "check a scene file and print its parameters; --help lists all fields", app_scene},
    {"validate", "run cases with known results, and compare", app_validate},
    {"converge", "run a scene at three resolutions, and say how its totals converge", app_converge},
    {"neighbors", "find all neighbours of the points in a file", app_neighbors},
    {"broadphase", "find all overlapping boxes in a file, and the fastest method for them", app_broadphase},
    {"surface", "make closed meshes around the particles in files", app_surfaces},
    {"mesh", "check a mesh, weld or convert it, build its octree proxy", app_mesh},
    {"bench", "measure speed on this machine, beside other libraries", app_bench},
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static void print_help(FILE *stream)
{
    app_style style = app_style_of(stream);
    fprintf(stream,
            "%smote %s%s  particles that find each other and hit things\n\n"
            "%sUsage%s  mote COMMAND …\n\n"
            "%sCommands%s\n",
            style.bold, mote_version(), style.reset, style.bold, style.reset, style.bold, style.reset);
    for (size_t i = 0; i < COMMAND_COUNT; ++i)
        fprintf(stream, "  %s%-10s%s %s\n", style.bold, commands[i].name, style.reset, commands[i].summary);
    fprintf(stream,
            "\n%sOptions%s\n"
            "  %s--help%s     print this help; mote COMMAND --help explains a command\n"
            "  %s--version%s  print the version\n\n"
            "%sExample%s  mote run scenes/dam-break-2d.json\n\n"
            "Exit status: 0 success, 1 failure, 2 bad input or usage, 129, 130, 141, 143 interrupted.\n",
            style.bold, style.reset, style.bold, style.reset, style.bold, style.reset, style.bold, style.reset);
}

static int fail_unknown(const char *word)
{
    const char *names[COMMAND_COUNT + 3] = {"--help", "--version"};
    for (size_t i = 0; i < COMMAND_COUNT; ++i) names[i + 2] = commands[i].name;
    const char *nearest = mote_nearest_word(word, names);
    const char *kind = word[0] == '-' ? "option" : "command";
    if (nearest) app_complain("mote: unknown %s %s, did you mean %s?", kind, word, nearest);
    else app_complain("mote: unknown %s %s, see mote --help", kind, word);
    return APP_BAD_INPUT;
}

static const app_command *find_command(const char *word)
{
    for (size_t i = 0; i < COMMAND_COUNT; ++i)
        if (strcmp(word, commands[i].name) == 0) return &commands[i];
    return NULL;
}

// mote help, mote help COMMAND
static int help(char *word)
{
    static char option[] = "--help";
    const app_command *command = word ? find_command(word) : NULL;
    if (command) return command->run(2, (char *[]){word, option, NULL});
    if (word) return fail_unknown(word);
    print_help(stdout);
    return APP_DONE;
}

static int run_command(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return APP_BAD_INPUT;
    }
    const char *word = argv[1];
    if (strcmp(word, "help") == 0) return help(argv[2]);
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return help(NULL);
    if (strcmp(word, "--version") == 0) {
        printf("mote %s\n", mote_version());
        return APP_DONE;
    }
    const app_command *command = find_command(word);
    return command ? command->run(argc - 1, argv + 1) : fail_unknown(word);
}

// If the output could not be written, the command has failed. If the reader has closed the pipe, no message is
// printed.
int main(int argc, char **argv)
{
    app_streams_secure();
    int status = run_command(argc, argv);
    bool arrived = fflush(stdout) == 0 && !ferror(stdout);
    if (arrived || status != APP_DONE) return status;
    if (app_signal_caught() == SIGPIPE) return 128 + SIGPIPE;
    app_complain("mote: standard output cannot be written");
    return APP_FAILED;
}
