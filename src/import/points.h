// import/points.h: readers of points that have a file of their own.
#ifndef MOTE_IMPORT_POINTS_H
#define MOTE_IMPORT_POINTS_H

#include "import/internal.h"

// Reads the points of a VTP file into a builder, which the caller releases in any case.
mote_result mote_vtp_read(const mote_source *source, mote_mesh_builder *builder);

#endif
