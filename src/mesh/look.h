// SPDX-License-Identifier: MIT
// mesh/look.h: the fields of mote_look_def, for its own table and for those of structs that have one as a member.
#ifndef MOTE_MESH_LOOK_H
#define MOTE_MESH_LOOK_H

// `prefix` is the path from the struct to the look: "look." or nothing.
#define MOTE_LOOK_FIELDS(struct_name, prefix)                                                                      \
    {.name = "color", .type = MOTE_FIELD_VECTOR, .unit = "", .offset = offsetof(struct_name, prefix color),        \
     .flags = MOTE_FIELD_DERIVED, .min = 0, .max = 1,                                                              \
     .meaning = "colour in pictures: red, green, blue (sRGB); default: from a small palette"},                     \
    {.name = "opacity", .type = MOTE_FIELD_NUMBER, .unit = "", .offset = offsetof(struct_name, prefix opacity),    \
     .min = 0, .max = 1, .initial = {1},                                                                           \
     .meaning = "opacity in pictures; below 1 what is inside and behind shows through"},                           \
    {.name = "crease_angle", .type = MOTE_FIELD_NUMBER, .unit = "degree",                                          \
     .offset = offsetof(struct_name, prefix crease_angle), .min = 0, .max = 180, .initial = {30},                  \
     .meaning = "in pictures, edges where the surface turns by more than this are sharp, others smooth"},          \
    {.name = "visible", .type = MOTE_FIELD_BOOL, .unit = "", .offset = offsetof(struct_name, prefix visible),      \
     .initial = {1}, .meaning = "draw the solid; an invisible one acts all the same"}

#endif
