// SPDX-License-Identifier: MIT
// mote bench: starts mote-bench, a separate program that links the benchmark peers, so that mote need not link them.

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app.h"

int app_bench(int argc, char **argv)
{
    (void)argc;
    char folder[4096];
    if (!app_program_folder(folder, sizeof folder)) {
        app_complain("mote bench: the folder that mote lies in cannot be found out");
        return APP_FAILED;
    }
    char *path = app_text("%s/mote-bench", folder);
    if (!path) return app_out_of_memory();
    argv[0] = path;
    execv(path, argv);
    if (errno == ENOENT)
        app_complain("mote bench: %s is not there: it is built with -DMOTE_BENCH=ON, beside mote", path);
    else app_complain("mote bench: %s cannot be started: %s", path, strerror(errno));
    free(path);
    return APP_FAILED;
}
