// SPDX-License-Identifier: MIT
// Meshes from VTK's XML files of PolyData: the polygons of each piece, as fans. Connectivity and offsets are read as
// arrays of a cloud.

#include <stdio.h>
#include <string.h>

#include "import/cloud.h"

// Arrays are named after what they are.
static const mote_cloud_array *find_array(const mote_cloud_builder *cloud, const char *name)
{
    const mote_cloud_array *arrays = cloud->arrays.data;
    for (size_t a = 0; a < cloud->count; ++a)
        if (strcmp(arrays[a].name.data, name) == 0) return arrays + a;
    return NULL;
}

static size_t count_of(const mote_cloud_array *array)
{
    return array ? array->used / mote_array_type_bytes(array->type) : 0;
}

// A whole number of the array. Negative numbers become those from 2^63 on, which are larger than any that is expected.
static uint64_t number_at(const mote_cloud_array *array, size_t i)
{
    const size_t size = mote_array_type_bytes(array->type);
    const unsigned char *from = (const unsigned char *)array->data.data + i * size;
    int32_t whole;
    uint32_t natural;
    uint64_t wide;
    switch (array->type) {
    case MOTE_ARRAY_I8: return (uint64_t)(int8_t)*from;
    case MOTE_ARRAY_U8: return *from;
    case MOTE_ARRAY_I32: memcpy(&whole, from, size); return (uint64_t)whole;
    case MOTE_ARRAY_U32: memcpy(&natural, from, size); return natural;
    default: memcpy(&wide, from, sizeof wide); return wide;
    }
}

// A number as the file has it.
typedef struct number_text {
    char text[24];
} number_text;

static number_text print_number(const mote_cloud_array *array, uint64_t number)
{
    number_text print;
    if (array->type == MOTE_ARRAY_U64) snprintf(print.text, sizeof print, "%llu", (unsigned long long)number);
    else snprintf(print.text, sizeof print, "%lld", (long long)number);
    return print;
}

static mote_result add_corner(mote_mesh_builder *builder, const mote_vtk_piece *piece, size_t polygon,
                              const mote_cloud_array *corners, size_t corner, uint64_t nth, uint64_t base)
{
    const uint64_t own = number_at(corners, corner);
    if (own >= piece->points)
        return mote_source_fail(builder->source, piece->line, 1,
                                "connectivity: polygon %zu has point %s, expected one of the %llu from 0 on", polygon,
                                print_number(corners, own).text, (unsigned long long)piece->points);
    return mote_builder_corner(builder, nth, (uint32_t)(base + own));
}

// The polygons of a piece, whose points begin at `base`.
static mote_result add_piece(mote_mesh_builder *builder, const mote_vtk_piece *piece, size_t first_polygon,
                             size_t first_corner, uint64_t base)
{
    const mote_cloud_array *corners = find_array(builder->cloud, "connectivity");
    const mote_cloud_array *ends = find_array(builder->cloud, "offsets");
    uint64_t begin = 0;
    for (size_t p = 0; p < piece->polygons; ++p) {
        const uint64_t end = number_at(ends, first_polygon + p);
        if (end < begin || end > piece->corners)
            return mote_source_fail(builder->source, piece->line, 1,
                                    "offsets: polygon %zu ends at corner %s, expected %llu to %llu", p,
                                    print_number(ends, end).text, (unsigned long long)begin,
                                    (unsigned long long)piece->corners);
        if (end - begin < 3)
            return mote_source_fail(builder->source, piece->line, 1,
                                    "offsets: polygon %zu has %llu corners, expected at least 3", p,
                                    (unsigned long long)(end - begin));
        for (uint64_t k = begin; k < end; ++k) {
            const mote_result result =
                add_corner(builder, piece, p, corners, first_corner + (size_t)k, k - begin, base);
            if (result != MOTE_OK) return result;
        }
        begin = end;
    }
    if (begin == piece->corners) return MOTE_OK;
    return mote_source_fail(builder->source, piece->line, 1,
                            "connectivity has %llu corners, expected those of the polygons, which end at %llu",
                            (unsigned long long)piece->corners, (unsigned long long)begin);
}

static mote_result add_polygons(mote_mesh_builder *builder, const mote_vtk_pieces *pieces)
{
    const size_t all_ends = count_of(find_array(builder->cloud, "offsets"));
    size_t polygons = 0, corners = 0;
    uint64_t base = 0;
    const mote_vtk_piece *list = pieces->memory.data;
    mote_result result = MOTE_OK;
    for (size_t k = 0; k < pieces->count && result == MOTE_OK; ++k) {
        if (list[k].ends != list[k].polygons)
            return mote_source_fail(builder->source, list[k].line, 1,
                                    "NumberOfPolys is %llu, expected the number of the offsets, which is %llu",
                                    (unsigned long long)list[k].polygons, (unsigned long long)list[k].ends);
        MOTE_ASSERT(polygons + list[k].ends <= all_ends);
        result = add_piece(builder, list + k, polygons, corners, base);
        polygons += (size_t)list[k].ends;
        corners += (size_t)list[k].corners;
        base += list[k].points;
    }
    (void)all_ends;
    if (result == MOTE_OK && base != builder->vertex_count)
        result = mote_source_fail(builder->source, 0, 0, "its pieces announce %llu points, expected the %zu there are",
                                  (unsigned long long)base, builder->vertex_count);
    return result;
}

mote_result mote_vtp_read_mesh(mote_context *context, const mote_source *source, mote_mesh **mesh)
{
    mote_cloud_builder cloud = {.context = context, .source = source};
    mote_vtk_pieces pieces = {.memory = {0}};
    mote_mesh_builder builder = {.context = context, .cloud = &cloud, .source = source};
    mote_result result = mote_vtk_xml_read_cells(source, &builder, &pieces);
    if (result == MOTE_OK) result = add_polygons(&builder, &pieces);
    result = mote_builder_finish(&builder, result, mesh);
    mote_buffer_release(context, &pieces.memory);
    mote_cloud_release(&cloud);
    return result;
}

mote_result mote_import_vtp(mote_context *context, const char *name, const void *data, size_t size, mote_mesh **mesh,
                            mote_error *error)
{
    if (!mesh || (!data && size)) return mote_fail_null(error, "import", "the data, or where to put the mesh");
    const mote_source source = mote_source_make(name, data, size, error);
    return mote_vtp_read_mesh(context, &source, mesh);
}
