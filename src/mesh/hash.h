// SPDX-License-Identifier: MIT
// mesh/hash.h: the part that a mesh has in the key of a file of what was computed from it.
#ifndef MOTE_MESH_HASH_H
#define MOTE_MESH_HASH_H

#include "base/words.h"
#include "mote/mesh.h"

static inline void mote_mesh_add_to_hash(mote_word_hash *h, const mote_mesh *mesh)
{
    mote_word_hash_add(h, mesh->vertex_count);
    mote_word_hash_add(h, mesh->triangle_count);
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        mote_word_hash_add(h, mote_word_of(mesh->vertices[v].x));
        mote_word_hash_add(h, mote_word_of(mesh->vertices[v].y));
        mote_word_hash_add(h, mote_word_of(mesh->vertices[v].z));
    }
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t *corner = mesh->triangles + 3 * t;
        mote_word_hash_add(h, corner[0] | (uint64_t)corner[1] << 32);
        mote_word_hash_add(h, corner[2]);
    }
}

#endif
