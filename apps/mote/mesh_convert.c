// SPDX-License-Identifier: MIT
// mote mesh -o OUT.ply, .obj, .stl, .vtp or .glb: writes only the mesh, in a form that other programs read.

#include <sys/stat.h>

#include "app.h"
#include "mesh.h"

int app_surface_check_output(app_surface *surface)
{
    struct stat output, input;
    const bool is_there = stat(surface->output, &output) == 0;
    surface->is_file = mote_output_knows_mesh(surface->output) && !(is_there && S_ISDIR(output.st_mode));
    if (!surface->is_file) return app_folder_check(surface->output, surface->overwrite);
    if (!is_there || !S_ISREG(output.st_mode)) return APP_DONE;
    if (stat(surface->path, &input) == 0 && input.st_dev == output.st_dev && input.st_ino == output.st_ino) {
        app_complain("%s: would be written over, but is the file that is read, expected another name", surface->output);
        return APP_BAD_INPUT;
    }
    if (surface->overwrite) return APP_DONE;
    app_complain("%s: the file is there already, expected a new name, or --overwrite", surface->output);
    return APP_BAD_INPUT;
}

int app_surface_write_mesh(const app_surface *surface, mote_context *context)
{
    mote_error error = {0};
    const mote_result result = mote_mesh_write(context, surface->output, surface->mesh, &error);
    if (result == MOTE_OK) return APP_DONE;
    app_complain("mote mesh: %s", error.text[0] ? error.text : mote_result_text(result));
    return result == MOTE_ERROR_ARGUMENT ? APP_BAD_INPUT : APP_FAILED;
}
