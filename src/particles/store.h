// SPDX-License-Identifier: MIT
// particles/store.h: particles as named arrays that grow, shrink and are reordered together.
//
// A module with particles writes a const table of fields, one line per array, and uses the numbers of the lines as
// indices of the store's arrays. The first field is the id: a number that a particle keeps for life, assigned as 0,
// 1, 2, …
#ifndef MOTE_PARTICLES_STORE_H
#define MOTE_PARTICLES_STORE_H

#include "base/internal.h"

typedef struct particle_field {
    const char *name, *unit;  // "velocity", "m/s"
    mote_array_type type;
    int components;  // numbers per particle, stored together
} particle_field;

enum { PARTICLE_FIELDS = 32 };  // of a table, at most
enum { PARTICLE_BEYOND = 3 };   // bytes that may be read behind an array of bytes: wide_gather_bytes reads words

typedef struct particle_store {
    mote_context *context;
    const particle_field *fields;  // must outlive the store
    size_t field_count;
    size_t count;  // number of particles
    size_t unordered;  // of these, how many at the end keep their places when the others are put into order
    uint64_t next_id;
    mote_buffer arrays[PARTICLE_FIELDS];
    mote_buffer keys, spare_keys, order, spare_order, spare;  // for reordering
} particle_store;

// Makes an empty store. The first field must be one MOTE_ARRAY_U64.
void mote_particles_init(particle_store *store, mote_context *context, const particle_field *fields,
                         size_t field_count);
void mote_particles_release(particle_store *store);

// Bytes per particle in an array.
size_t mote_particle_bytes(const particle_field *field);

// Makes room for `count` particles in all. MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY, after which nothing has changed.
mote_result mote_particles_reserve(particle_store *store, size_t count);
// Adds particles after the others, with the next ids and zeros in all other arrays. Returns the same results as
// reserve.
mote_result mote_particles_add(particle_store *store, size_t count);
// Removes the particles whose mark is true; the others keep ids and order.
void mote_particles_remove(particle_store *store, const bool *marked);

// The positions of particles: three axes of doubles, with `stride` doubles from one particle to the next.
typedef struct particle_places {
    const double *axis[3];
    size_t stride;
} particle_places;

// Sorts particles by (cell, id), with cells of `edge` from `origin` along a Morton curve: neighbours in space become
// neighbours in memory. Two radix sorts, O(n). MOTE_OK or MOTE_ERROR_OUT_OF_MEMORY, after which nothing has moved.
mote_result mote_particles_order(particle_store *store, const particle_places *places, const double origin[3],
                                 double edge);

// An array to read, valid until the next call that changes the store.
mote_array mote_particles_array(const particle_store *store, size_t field);
size_t mote_particles_byte_count(const particle_store *store);
// Checks that ids were given out and that all floating-point numbers are finite; `who` begins the error's text.
mote_result mote_particles_validate(const particle_store *store, const char *who, mote_error *error);

// ------------------------------------------------------------------------------------------------------ as bytes

// Writes ids, arrays and the number of ids assigned. MOTE_OK, or MOTE_ERROR_FILE if the sink returned false.
mote_result mote_particles_write(const particle_store *store, mote_sink *sink, void *user_data);

// The same behind a head of the owner's: a struct of 64-bit words, of which the first names its form, and a checksum of
// them.
mote_result mote_particles_write_behind(const particle_store *store, const void *head, size_t head_bytes,
                                        mote_sink *sink, void *user_data);
// Reads such a head. Its particles are the bytes from head_bytes + 8 on.
// @param magic  its first word
// @param who    begins the error's text: "fluid"
// @return MOTE_OK or MOTE_ERROR_FORMAT (damaged, cut short, or something else)
mote_result mote_particles_read_head(const void *bytes, size_t length, void *head, size_t head_bytes, uint64_t magic,
                                     const char *who, mote_error *error);

// The number of particles in such bytes. MOTE_OK or MOTE_ERROR_FORMAT.
mote_result mote_particles_count_in(const void *bytes, size_t length, size_t *count, mote_error *error);

// Replaces the store's particles by those written from a store with the same table, exactly to the last bit.
// @return MOTE_OK, MOTE_ERROR_FORMAT (damaged, cut short, or of another table) or MOTE_ERROR_OUT_OF_MEMORY; unless
//         MOTE_OK the store is as it was
mote_result mote_particles_read(particle_store *store, const void *bytes, size_t length, mote_error *error);

#endif
