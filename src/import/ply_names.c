// SPDX-License-Identifier: MIT
// Finds names that occur twice in the header of a PLY file.
//
// A header may hold as many names as its size allows, and they may have been chosen to make checks slow. So names
// are sorted, for which there is no bad case, and equal names are then neighbours.

#include <string.h>

#include "import/ply.h"

// A name and its scope, in which it must be unique: 0 for elements, otherwise 1 + the element with the property.
typedef struct scoped_name {
    size_t scope;
    const mote_token *token;
} scoped_name;

static int compare(const scoped_name *a, const scoped_name *b)
{
    if (a->scope != b->scope) return a->scope < b->scope ? -1 : 1;
    if (a->token->length != b->token->length) return a->token->length < b->token->length ? -1 : 1;
    return memcmp(a->token->text, b->token->text, a->token->length);
}

// Equal names in the order of the file.
static bool comes_before(const scoped_name *a, const scoped_name *b)
{
    const int order = compare(a, b);
    return order != 0 ? order < 0 : a->token->text < b->token->text;
}

#define SORT_TYPE scoped_name
#define SORT_BEFORE(data, a, b) comes_before(&(a), &(b))
#define SORT_NAME(verb) names_##verb
#include "base/sorts.inl"

static void collect(const mote_ply_header *header, scoped_name *names)
{
    const mote_ply_element *elements = header->elements.data;
    const mote_ply_property *properties = header->properties.data;
    for (size_t i = 0; i < header->element_count; ++i) {
        *names++ = (scoped_name){0, &elements[i].name};
        for (size_t k = 0; k < elements[i].property_count; ++k)
            *names++ = (scoped_name){i + 1, &properties[elements[i].first + k].name};
    }
}

// The repeated name that comes first in the file, or NULL.
static const scoped_name *find_repeated(const scoped_name *names, size_t count)
{
    const scoped_name *first = NULL;
    for (size_t i = 1; i < count; ++i) {
        if (compare(names + i - 1, names + i) != 0) continue;
        if (!first || names[i].token->text < first->token->text) first = names + i;
    }
    return first;
}

mote_result mote_ply_names_check(mote_context *context, const mote_source *source, const mote_ply_header *header)
{
    const size_t count = header->element_count + header->property_count;
    if (count < 2) return MOTE_OK;
    const size_t bytes = mote_bytes(count, sizeof(scoped_name));
    scoped_name *names = mote_allocate(context, bytes);
    if (!names)
        return mote_fail(source->error, MOTE_ERROR_OUT_OF_MEMORY, 0, "%s: no memory for its header", source->name);
    collect(header, names);
    names_sort(NULL, names, count);
    const scoped_name *repeated = find_repeated(names, count);
    mote_result result = MOTE_OK;
    if (repeated)
        result = mote_token_fail(source, repeated->token, repeated->scope ? "property: name" : "element: name",
                                 "each only once");
    mote_release(context, names, bytes);
    return result;
}
