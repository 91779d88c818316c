// mesh/look.h: the fields of mote_look_def, for its own table and for those of structs that have one as a member.
#ifndef MOTE_MESH_LOOK_H
#define MOTE_MESH_LOOK_H

// `prefix` leads from the struct to the look: "look." or nothing.
#define MOTE_LOOK_FIELDS(struct_name, prefix)                                                                      \
    {.name = "color", .type = MOTE_FIELD_VECTOR, .unit = "", .offset = offsetof(struct_name, prefix color),        \
     .flags = MOTE_FIELD_DERIVED, .min = 0, .max = 1,                                                              \
     .meaning = "as drawn: red, green, blue (sRGB); default: the next of a small palette"},                        \
    {.name = "opacity", .type = MOTE_FIELD_NUMBER, .unit = "", .offset = offsetof(struct_name, prefix opacity),    \
     .min = 0, .max = 1, .initial = {1},                                                                           \
     .meaning = "as drawn: below 1 what is in it and behind it shows, as through glass"},                          \
    {.name = "crease_angle", .type = MOTE_FIELD_NUMBER, .unit = "degree",                                          \
     .offset = offsetof(struct_name, prefix crease_angle), .min = 0, .max = 180, .initial = {30},                  \
     .meaning = "as drawn: edges where the surface turns by more are sharp, others smooth"},                       \
    {.name = "visible", .type = MOTE_FIELD_BOOL, .unit = "", .offset = offsetof(struct_name, prefix visible),      \
     .initial = {1}, .meaning = "draw it; if not, it is there all the same"}

#endif
