// SPDX-License-Identifier: MIT
// import/points.h: readers of points that are in files of their own.
#ifndef MOTE_IMPORT_POINTS_H
#define MOTE_IMPORT_POINTS_H

#include "import/internal.h"

// Reads the points of a VTP file into a builder, which the caller releases in any case.
mote_result mote_vtp_read(const mote_source *source, mote_mesh_builder *builder);

// Whether the data begins as an NPY file does, or as a LAMMPS dump.
bool mote_npy_is(const mote_source *source);
bool mote_lammps_is(const mote_source *source);

// The same for an NPY file, whose rows have two or three numbers.
mote_result mote_npy_read(const mote_source *source, mote_mesh_builder *builder, int *dimensions);

// The same for a LAMMPS dump.
// @param frame  which snapshot, from 0; MOTE_FRAME_LAST: the last
// @param about  receives dimensions, box and periods; nothing else
mote_result mote_lammps_read(const mote_source *source, int64_t frame, mote_mesh_builder *builder,
                             mote_point_data *about);

#endif
