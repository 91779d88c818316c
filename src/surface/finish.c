// SPDX-License-Identifier: MIT
// The steps after marching cubes, and whether a mesh is what it should be.

#include "surface/finish.h"

void mote_surface_finish_release(const mote_context *context, surface_finish *finish)
{
    mote_buffer *buffers[] = {&finish->normal_memory, &finish->array_memory, &finish->value_memory,
                              &finish->part_memory,   &finish->ring_memory,  &finish->weight_memory,
                              &finish->moved_memory,  &finish->crowd_memory, &finish->cleanup_memory,
                              &finish->plane_memory};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; ++k) mote_buffer_release(context, buffers[k]);
}

size_t mote_surface_finish_byte_count(const surface_finish *finish)
{
    return finish->normal_memory.bytes + finish->array_memory.bytes + finish->value_memory.bytes +
           finish->part_memory.bytes + finish->ring_memory.bytes + finish->weight_memory.bytes +
           finish->moved_memory.bytes + finish->crowd_memory.bytes + finish->cleanup_memory.bytes +
           finish->plane_memory.bytes;
}

mote_result mote_surface_check_mesh(const mote_context *context, const surface_mesh *mesh, bool is_open,
                                    mote_error *error)
{
    const size_t edges = 3 * mesh->triangle_count;
    mote_buffer memory = {0};
    const mote_result reserved = mote_buffer_reserve(context, &memory, mote_bytes(edges, 2 * sizeof(uint64_t)), 0);
    if (reserved != MOTE_OK) return mote_pass_memory(error, reserved, "surface");
    uint64_t *keys = memory.data;
    mote_result result = MOTE_OK;
    for (size_t t = 0; t < mesh->triangle_count && result == MOTE_OK; ++t) {
        const uint32_t *corner = mesh->triangles + 3 * t;
        for (int k = 0; k < 3; ++k) {
            const uint64_t from = corner[k], to = corner[(k + 1) % 3];
            if (from >= mesh->vertex_count || from == to)
                result = mote_fail(error, MOTE_ERROR_STATE, t, "surface: triangle %zu has the corners %u, %u, %u", t,
                                   corner[0], corner[1], corner[2]);
            // An edge and its direction: sorted, both directions of an edge stand side by side.
            keys[3 * t + (size_t)k] = from < to ? from << 33 | to << 1 : to << 33 | from << 1 | 1;
        }
    }
    if (result == MOTE_OK) result = mote_sort_u64(context, keys, NULL, keys + edges, NULL, edges);
    for (size_t k = 0; k < edges && result == MOTE_OK; ++k) {
        const bool is_pair = k + 1 < edges && keys[k] + 1 == keys[k + 1] && !(keys[k] & 1);
        const bool is_shared = k + 1 < edges && keys[k] >> 1 == keys[k + 1] >> 1;
        if (is_pair)
            ++k;
        else if (!is_open || is_shared)
            result = mote_fail(error, MOTE_ERROR_STATE, k,
                               "surface: the edge of vertices %llu and %llu is not one of two triangles",
                               (unsigned long long)(keys[k] >> 33), (unsigned long long)(keys[k] >> 1 & UINT32_MAX));
    }
    mote_buffer_release(context, &memory);
    return result;
}

mote_result mote_surface_complete(surface_job *job, const mote_surface_def *def, const mote_surface_cloud *cloud,
                                  surface_part *part)
{
    surface_mesh *mesh = &part->mesh;
    surface_finish *finish = &part->finish;
    mote_result result = mote_surface_carry(job, def, cloud, mesh, finish);
    if (result == MOTE_OK && def->min_particles > 0)
        result = mote_surface_part(job, def->min_particles, mesh, finish, &part->stats);
    if (result == MOTE_OK && def->cleanup) result = mote_surface_clean_up(job, mesh, finish);
    mote_surface_place_arrays(cloud, mesh->vertex_count, finish);
    return result;
}

// Smooths with memory of what is not needed any more, or not yet: that of the particles' places, and of normals.
static mote_result smooth_in_place(surface_job *job, const mote_surface_def *def, surface_mesh *mesh,
                                   surface_finish *finish)
{
    const bool has_normals = def->normals == MOTE_SURFACE_NORMALS_ANGLE;
    mote_surface_swap_memory(&finish->ring_memory, &job->sort->particle_memory);
    if (has_normals) mote_surface_swap_memory(&finish->moved_memory, &finish->normal_memory);
    const mote_result result = mote_surface_smooth(job, def->smooth, mesh, finish);
    mote_surface_swap_memory(&finish->ring_memory, &job->sort->particle_memory);
    if (has_normals) {
        mote_surface_swap_memory(&finish->moved_memory, &finish->normal_memory);
        finish->normals = finish->normal_memory.data;
    }
    return result;
}

mote_result mote_surface_round_off(surface_job *job, const mote_surface_def *def, surface_part *parts, size_t count,
                                   surface_part *together)
{
    mote_result result = MOTE_OK;
    if (def->smooth > 0 && count > 1)
        result = mote_surface_smooth_phases(job, def->smooth, parts, count, together);
    else if (def->smooth > 0)
        result = smooth_in_place(job, def, &parts->mesh, &parts->finish);
    for (size_t k = 0; k < count && result == MOTE_OK; ++k) {
        surface_part *part = parts + k;
        if (def->normals == MOTE_SURFACE_NORMALS_ANGLE)
            mote_surface_angle_normals(job->lanes, &part->mesh, part->finish.normals);
        if (part->finish.normals && def->smooth_normals > 0)
            result = mote_surface_smooth_normals(job->context, def->smooth_normals, &part->mesh, &part->finish);
    }
    return result;
}
