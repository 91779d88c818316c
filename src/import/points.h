// SPDX-License-Identifier: MIT
// import/points.h: readers of points that are in files of their own.
#ifndef MOTE_IMPORT_POINTS_H
#define MOTE_IMPORT_POINTS_H

#include "import/internal.h"

// Reads a file of any kind that holds points.
// @param format  the ending that says which kind it is; NULL: as the source's name and data say
// @param frame   of the files that have several
// @param cloud   receives the named arrays; may be NULL
mote_result mote_points_read(mote_context *context, const mote_source *source, const char *format, int64_t frame,
                             mote_cloud_builder *cloud, mote_point_data *points);

// Whether the data begins as an NPY file does, or as a LAMMPS dump.
bool mote_npy_is(const mote_source *source);
bool mote_lammps_is(const mote_source *source);

// Reads an NPY file into a builder, which the caller releases in any case; its rows have two or three numbers.
mote_result mote_npy_read(const mote_source *source, mote_mesh_builder *builder, int *dimensions);

// The same for a LAMMPS dump.
// @param frame  which snapshot, from 0; MOTE_FRAME_LAST: the last
// @param about  receives dimensions, box and periods; nothing else
mote_result mote_lammps_read(const mote_source *source, int64_t frame, mote_mesh_builder *builder,
                             mote_point_data *about);

#endif
