// SPDX-License-Identifier: MIT
/// mote/scene.h: scene files, which describe a run in JSON.
///
/// A scene is one object of settings: a few of its own (mote_scene_fields), and sections, each an object ("fluid",
/// "tank") or a list of objects ("blocks", "solids") whose keys are the fields of a def. Which keys there are, their
/// units, ranges and defaults stand in the field tables and nowhere else; mote_simulation_part_at lists the sections.
/// SI units, z is up.
///
///     {
///         "title": "A column of water", "dimensions": 2, "end_time": 1, "frames": 51,
///         "fluid": {"spacing": 0.02},
///         "tank": {"min": [0, 0, 0], "max": [2, 0, 1.5], "open_z_max": true},
///         "blocks": [{"min": [0, 0, 0], "max": [0.5, 0, 1]}]
///     }
///
/// Nothing is guessed. An unknown or repeated key, a wrong type, a value out of its range, or boxes that do not fit
/// into each other are errors, with line and column in the file.
///
/// Meshes and points are named here, not read (see import.h); pictures are described here, not made: a program that has
/// settings of its own hands their table and struct over, and they are read and refused like all others.
#ifndef MOTE_SCENE_H
#define MOTE_SCENE_H

#include "mote/base.h"
#include "mote/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mote_scene mote_scene;

/// What a scene says. Frame k = 0 … frames − 1 shows the time k · end_time / (frames − 1); frame 0 is the start.
typedef struct mote_scene_settings {
    const char *title, *description;  ///< "" where there is none
    double end_time;                  ///< [s]
    int32_t frames;                   ///< including the initial state
    double video_speed;               ///< simulated seconds per second of the video; NaN: not set
    double frame_rate;                ///< of the video [1/s]; NaN: not set
    mote_simulation_def simulation;   ///< its solids have no meshes until mote_scene_set_mesh, its blocks no points
                                      ///< until mote_scene_set_points, motions no tables until mote_scene_set_motion
} mote_scene_settings;

/// The settings beside the sections: fields of mote_scene_settings.
MOTE_API const mote_field_table *mote_scene_fields(void);

/// A section of a scene beside the parts of the simulation's def (mote_simulation_part_at), which every scene may have.
typedef struct mote_scene_section {
    const char *name;               ///< its key
    const mote_field_table *table;  ///< its fields
    void *object;                   ///< the struct to fill
} mote_scene_section;

/// Reads a scene file.
/// @param sections  further sections: for those that the scene has, the fields that it names are written into `object`;
///                  its texts belong to the scene. Not kept.
/// @param error     may be NULL. Its text names field, value and what was expected, in one line; line and column are
///                  where that stands in the file (0: nowhere). It does not name the file.
/// @return MOTE_OK, MOTE_ERROR_FILE (it cannot be read), MOTE_ERROR_FORMAT (it is no JSON, or not what the tables
///         demand) or MOTE_ERROR_OUT_OF_MEMORY. Objects of sections may have been written to even then.
MOTE_API mote_result mote_scene_load(mote_context *context, const char *path, const mote_scene_section *sections,
                                     size_t section_count, mote_scene **scene, mote_error *error);

/// The same from memory.
/// @param text   `length` bytes of UTF-8; need not be terminated; read during the call only
MOTE_API mote_result mote_scene_parse(mote_context *context, const char *text, size_t length,
                                      const mote_scene_section *sections, size_t section_count, mote_scene **scene,
                                      mote_error *error);
MOTE_API void mote_scene_destroy(mote_scene *scene);

/// The text that was read, `length` bytes of it. Owned by the scene.
MOTE_API const char *mote_scene_text(const mote_scene *scene, size_t *length);

/// What the scene says, defaults filled in. Owned by the scene.
MOTE_API const mote_scene_settings *mote_scene_get_settings(const mote_scene *scene);

/// Gives a solid of the scene its mesh, already placed. Not owned; must outlive the simulation made from the settings.
MOTE_API void mote_scene_set_mesh(mote_scene *scene, size_t solid, const mote_mesh *mesh);

/// Gives a solid of the scene, or its tank, the rows of its motion_table. Not owned, as points.
/// @param solid   its number; SIZE_MAX: the tank
MOTE_API void mote_scene_set_motion(mote_scene *scene, size_t solid, const double *rows, size_t count);

/// Gives a block of the scene the points of its file.
/// @param positions  3 · count [m]; not owned, must outlive the creation of a simulation from the settings
MOTE_API void mote_scene_set_points(mote_scene *scene, size_t block, const double *positions, size_t count);

/// Finds the place of a field in the text of the scene, for messages about its value.
/// @param path   "fluid.spacing", "blocks[2].min", "solids[0]"; everything after the first space is ignored, so a
///               message that begins with a path can be passed
/// @param line   receives line and column, from 1; those of the object around it if the scene does not have the field
/// @return false, with both 0, if not even the beginning of the path is in the scene
MOTE_API bool mote_scene_find_place(const mote_scene *scene, const char *path, uint32_t *line, uint32_t *column);

#ifdef __cplusplus
}
#endif

#endif
