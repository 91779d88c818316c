// SPDX-License-Identifier: MIT
// support/shapes.h: meshes to test with, made by formula; closed and facing outwards but where it says otherwise.
#ifndef MOTE_TEST_SHAPES_H
#define MOTE_TEST_SHAPES_H

#include "mote/mesh.h"

// Of the cube around the origin with edges of that size.
mote_vec3 shape_random_point(mote_random *random, double size);

// Cube from 0 to 1, each face cut into n × n squares of two triangles; vertices shared.
mote_mesh *shape_cube(mote_context *context, uint32_t n);

// Unit sphere: an octahedron whose triangles were cut into four `levels` times.
mote_mesh *shape_sphere(mote_context *context, uint32_t levels);

// Torus about z whose tube, of radius `tube`, has its middle `radius` from the axis: `around` × `across` quads of two
// triangles.
mote_mesh *shape_torus(mote_context *context, double radius, double tube, uint32_t around, uint32_t across);

// Thin tetrahedron: 1 long, a base of 0.002.
mote_mesh *shape_spike(mote_context *context);

// Prism over a five-pointed star, height 0.5: ten vertices at radius 1 and 0.38 by turns. Concave edges and sharp ones.
mote_mesh *shape_star(mote_context *context);

// Triangles of all sizes anywhere around the origin, some without area, some twice. Not closed.
mote_mesh *shape_soup(mote_context *context, uint32_t count);

#endif
