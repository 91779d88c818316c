// SPDX-License-Identifier: MIT
// Named arrays: the usual layouts.

#include "base/internal.h"

size_t mote_array_type_bytes(mote_array_type type)
{
    switch (type) {
    case MOTE_ARRAY_I8:
    case MOTE_ARRAY_U8: return 1;
    case MOTE_ARRAY_I16:
    case MOTE_ARRAY_U16: return 2;
    case MOTE_ARRAY_F32:
    case MOTE_ARRAY_I32:
    case MOTE_ARRAY_U32: return 4;
    case MOTE_ARRAY_F64:
    case MOTE_ARRAY_I64:
    case MOTE_ARRAY_U64: return 8;
    }
    return 0;
}

mote_array mote_array_tuples(const char *name, mote_array_type type, const void *data, int components)
{
    size_t bytes = mote_array_type_bytes(type);
    mote_array array = {.name = name, .type = type, .components = components};
    array.stride = (ptrdiff_t)bytes * components;
    for (int k = 0; k < components && k < MOTE_ARRAY_COMPONENTS && data; ++k)
        array.component[k] = (const char *)data + (size_t)k * bytes;
    return array;
}

mote_array mote_array_scalars(const char *name, mote_array_type type, const void *data)
{
    return mote_array_tuples(name, type, data, 1);
}

mote_array mote_array_axes(const char *name, mote_array_type type, const void *x, const void *y, const void *z)
{
    mote_array array = {.name = name, .component = {x, y, z}, .type = type, .components = 3};
    array.stride = (ptrdiff_t)mote_array_type_bytes(type);
    return array;
}
