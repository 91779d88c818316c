// SPDX-License-Identifier: MIT
// Whether named arrays can be written.

#include "output/array.h"

mote_result mote_array_check(const mote_array *array, size_t index, size_t count, mote_error *error)
{
    const char *name = array->name ? array->name : "";
    if (!*name) return mote_fail(error, MOTE_ERROR_ARGUMENT, index, "array %zu has no name", index);
    if (mote_array_type_bytes(array->type) == 0)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, index, "array %s: type is %d, expected a mote_array_type", name,
                         (int)array->type);
    if (array->components < 1 || array->components > MOTE_ARRAY_COMPONENTS)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, index, "array %s: %d components, expected 1 to %d", name,
                         array->components, MOTE_ARRAY_COMPONENTS);
    for (int k = 0; k < array->components && count; ++k)
        if (!array->component[k])
            return mote_fail(error, MOTE_ERROR_ARGUMENT, index, "array %s: component[%d] is NULL", name, k);
    return MOTE_OK;
}
