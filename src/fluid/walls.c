// SPDX-License-Identifier: MIT
// Wall particles: static samples that push with the pressure of the particle that meets them (P_b = P_i). Tanks and
// solids of a simulation make them (make_walls in simulation/internal.h), pair_sums.c reads them.
//
// Layers on the lattice have the volume of a lattice cell. Samples of a surface, a single layer, get V = γ/ΣW,
// summed over the samples themselves, so that dense and sparse sampling have the same effect (Akinci et al. 2012); γ
// makes one layer replace a full half space at one distance from it; with the solver weak, a kernel of theirs makes it
// do so at all (samples.c).

#include <string.h>

#include "fluid/internal.h"

mote_points mote_fluid_record_points(const mote_fluid *fluid, const fluid_place *records, size_t count)
{
    static const fluid_place none;
    if (!records) records = &none;  // of an empty set
    mote_points points = {{&records->x, &records->y, &records->z}, sizeof *records, count, MOTE_F32, 3};
    if (fluid->def.dimensions == 2) {
        points.axis[1] = &records->z;
        points.dimensions = 2;
    }
    return points;
}

// Finds the rows of `search` for the records; the search and its lists must stay valid as long as the rows are used.
static mote_result find_rows(mote_fluid *fluid, mote_neighbors *search, const fluid_place *records, size_t count,
                             mote_lists *lists, mote_error *error)
{
    mote_result result = mote_neighbors_update(search, mote_fluid_record_points(fluid, records, count), error);
    if (result == MOTE_OK) result = mote_neighbors_lists(search, lists, error);
    return result;
}

// Volumes of surface samples, in units of d^D. `records` has room for count + 1.
static mote_result surface_volumes(mote_fluid *fluid, const double *positions, size_t count, fluid_place *records,
                                   double *volumes, mote_error *error)
{
    for (size_t i = 0; i < count; ++i)
        records[i] = mote_fluid_make_record(fluid, positions[3 * i], positions[3 * i + 1], positions[3 * i + 2], 1);
    records[count] = (fluid_place){MOTE_FAR_AWAY, MOTE_FAR_AWAY, MOTE_FAR_AWAY, 0};

    mote_neighbors_def def = mote_neighbors_default_def();
    def.radius = fluid->def.support;
    def.method = fluid->def.neighbors;
    mote_neighbors *search;
    mote_result result = mote_neighbors_create(fluid->context, &def, &search, NULL);
    if (result != MOTE_OK) return result;
    mote_lists lists;
    result = find_rows(fluid, search, records, count, &lists, error);
    const mote_pair_lanes *lanes = mote_pair_lanes_of(mote_context_simd(fluid->context));
    const mote_pair_set set = {records, NULL, (uint32_t)count};
    double peak = mote_kernel_poly6.value(fluid->def.dimensions, fluid->def.support, 0);
    for (uint32_t i = 0; result == MOTE_OK && i < count; ++i) {
        fluid_row row = mote_fluid_row(&lists, i);
        const double sum = 1 + (double)lanes->density(&fluid->pair, row, &set, &records[i], false);
        volumes[i] = fluid->surface_gamma / (peak * sum * fluid->cell_volume);
    }
    mote_neighbors_destroy(search);
    return result;
}

static mote_result check_walls(mote_fluid *fluid, const double *positions, const double *volumes, size_t count,
                               mote_error *error)
{
    for (size_t i = 0; i < count; ++i) {
        const double *p = positions + 3 * i;
        if (!(p[0] - p[0] == 0 && p[1] - p[1] == 0 && p[2] - p[2] == 0))
            return mote_fail(error, MOTE_ERROR_NOT_FINITE, i,
                             "walls: position %zu is (%g, %g, %g), expected "
                             "finite numbers",
                             i, p[0], p[1], p[2]);
        if (volumes && !(volumes[i] >= 0 && volumes[i] < 1e6))
            return mote_fail(error, MOTE_ERROR_ARGUMENT, i, "walls: volume %zu is %g, expected a number from 0 to 1e6",
                             i, volumes[i]);
    }
    if (count > UINT32_MAX - 2 - fluid->wall_count)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "walls: more than 2^32 - 2 particles");
    return MOTE_OK;
}

static mote_result reserve_walls(mote_fluid *fluid, size_t total)
{
    mote_context *context = fluid->context;
    size_t old = fluid->wall_count;
    mote_result result = mote_buffer_reserve(context, &fluid->wall_boundaries, mote_bytes(total, sizeof(uint32_t)),
                                             old * sizeof(uint32_t));
    if (result == MOTE_OK)
        result = mote_buffer_reserve(context, &fluid->wall_positions, mote_bytes(total, 3 * sizeof(double)),
                                     old * 3 * sizeof(double));
    if (result == MOTE_OK)
        result =
            mote_buffer_reserve(context, &fluid->wall_volumes, mote_bytes(total, sizeof(double)), old * sizeof(double));
    if (result == MOTE_OK) result = mote_buffer_reserve(context, &fluid->wall_samples, total, old);
    if (result == MOTE_OK && fluid->has_homes) result = mote_fluid_keep_homes(fluid, total);
    if (result == MOTE_OK) {
        fluid->solver->forget_walls(fluid);
        result =
            mote_buffer_reserve(context, &fluid->wall_records, mote_bytes(total + 1, sizeof(fluid_place)), 0);
    }
    return result;
}

// ---------------------------------------------------------------------------------------------------- boundaries

mote_result mote_fluid_create_boundaries(mote_fluid *fluid, mote_error *error)
{
    const mote_boundary_def still = mote_boundary_default_def();
    uint32_t boundary;
    return mote_fluid_add_boundary(fluid, &still, &boundary, error);
}

mote_result mote_fluid_add_boundary(mote_fluid *fluid, const mote_boundary_def *def, uint32_t *boundary,
                                    mote_error *error)
{
    if (!fluid || !def || !boundary) return mote_fail_null(error, "fluid", fluid ? "an argument" : "the object");
    if (def->cookie != MOTE_COOKIE)
        return mote_fail(error, MOTE_ERROR_ARGUMENT, 0, "fluid: the def was not made by mote_boundary_default_def");
    const mote_result result = mote_fields_check(mote_boundary_fields(), def, error);
    if (result != MOTE_OK) return result;
    const size_t used = fluid->boundary_count * sizeof *def, all = (size_t)fluid->boundary_count + 1;
    const size_t motions = fluid->boundary_count * sizeof(fluid_boundary_motion);
    if (mote_buffer_reserve(fluid->context, &fluid->boundaries, used + sizeof *def, used) != MOTE_OK ||
        mote_buffer_reserve(fluid->context, &fluid->boundary_motions, mote_bytes(all, sizeof(fluid_boundary_motion)),
                            motions) != MOTE_OK ||
        mote_fluid_reserve_reactions(fluid, all) != MOTE_OK)
        return mote_fluid_out_of_memory(fluid, "boundaries", error);
    ((mote_boundary_def *)fluid->boundaries.data)[fluid->boundary_count] = *def;
    ((fluid_boundary_motion *)fluid->boundary_motions.data)[fluid->boundary_count] = (fluid_boundary_motion){0};
    *boundary = fluid->boundary_count++;
    return MOTE_OK;
}

// New wall particles of boundaries that have moved already: positions are those where they are now.
static void add_homes(mote_fluid *fluid, size_t count)
{
    for (size_t i = fluid->wall_count; fluid->has_homes && i < fluid->wall_count + count; ++i) {
        const mote_vec3 by =
            mote_fluid_motion_of(fluid, ((const uint32_t *)fluid->wall_boundaries.data)[i])->now.place;
        const double *at = (const double *)fluid->wall_positions.data + 3 * i;
        double *home = (double *)fluid->wall_homes.data + 3 * i;
        home[0] = at[0] - by.x, home[1] = at[1] - by.y, home[2] = at[2] - by.z;
    }
}

mote_result mote_fluid_add_walls(mote_fluid *fluid, const double *positions, const double *volumes, size_t count,
                                 mote_error *error)
{
    return mote_fluid_add_boundary_walls(fluid, positions, volumes, NULL, count, error);
}

// Takes samples away that are not to be there, and gives those of thin plates another volume.
static size_t keep_samples(const mote_fluid *fluid, const fluid_sample *samples, size_t count, size_t old)
{
    double *at = (double *)fluid->wall_positions.data + 3 * old, *volumes = (double *)fluid->wall_volumes.data + old;
    uint32_t *boundaries = (uint32_t *)fluid->wall_boundaries.data + old;
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        if (!(samples[i].share > 0)) continue;
        memmove(at + 3 * kept, at + 3 * i, 3 * sizeof *at);
        volumes[kept] = volumes[i] * samples[i].share * mote_fluid_sample_share(fluid, &samples[i]);
        boundaries[kept++] = boundaries[i];
    }
    return kept;
}

// @param samples  as in mote_fluid_add_samples; NULL: they are whole and as deep as they should be, or no samples
static mote_result add_walls(mote_fluid *fluid, const double *positions, const double *volumes,
                             const fluid_sample *samples, const uint32_t *boundaries, size_t count, mote_error *error)
{
    if (!fluid || (!positions && count)) return mote_fail_null(error, "fluid", fluid ? "an argument" : "the object");
    if (count == 0) return MOTE_OK;
    mote_result result = check_walls(fluid, positions, volumes, count, error);
    for (size_t i = 0; boundaries && result == MOTE_OK && i < count; ++i)
        if (boundaries[i] >= fluid->boundary_count)
            result = mote_fail(error, MOTE_ERROR_ARGUMENT, i,
                               "walls: particle %zu belongs to boundary %u, expected one below %u", i, boundaries[i],
                               fluid->boundary_count);
    if (result == MOTE_OK) result = mote_fluid_synchronise(fluid, error);
    if (result != MOTE_OK) return result;
    mote_fluid_set_origin(fluid, positions, count);

    size_t old = fluid->wall_count, total = old + count;
    result = reserve_walls(fluid, total);
    double *at = (double *)fluid->wall_positions.data + 3 * old;
    double *volume = (double *)fluid->wall_volumes.data + old;
    if (result == MOTE_OK) {
        memcpy(at, positions, count * 3 * sizeof(double));
        for (size_t i = 0; fluid->def.dimensions == 2 && i < count; ++i) at[3 * i + 1] = 0;
        for (size_t i = 0; i < count; ++i)
            ((uint32_t *)fluid->wall_boundaries.data)[old + i] = boundaries ? boundaries[i] : 0;
        memset((uint8_t *)fluid->wall_samples.data + old, !volumes, count);
        if (volumes)
            memcpy(volume, volumes, count * sizeof(double));
        else
            result = surface_volumes(fluid, at, count, fluid->wall_records.data, volume, error);
    }
    if (result == MOTE_ERROR_OUT_OF_MEMORY) return mote_fluid_out_of_memory(fluid, "wall particles", error);
    if (result != MOTE_OK) return result;
    if (samples && fluid->def.solver == MOTE_SOLVER_WEAK)
        result = mote_weak_shape_samples(fluid, at, samples, count, volume);
    if (result == MOTE_ERROR_OUT_OF_MEMORY) return mote_fluid_out_of_memory(fluid, "wall particles", error);
    if (result != MOTE_OK) return mote_fail(error, result, 0, "walls: volumes of samples could not be found");
    const size_t kept = samples ? keep_samples(fluid, samples, count, old) : count;
    add_homes(fluid, kept);
    fluid->wall_count = old + kept;
    fluid->evaluated = false;
    return MOTE_OK;
}

mote_result mote_fluid_add_boundary_walls(mote_fluid *fluid, const double *positions, const double *volumes,
                                          const uint32_t *boundaries, size_t count, mote_error *error)
{
    return add_walls(fluid, positions, volumes, NULL, boundaries, count, error);
}

mote_result mote_fluid_add_samples(mote_fluid *fluid, const double *positions, const fluid_sample *samples,
                                   const uint32_t *boundaries, size_t count, mote_error *error)
{
    return add_walls(fluid, positions, NULL, samples, boundaries, count, error);
}

mote_result mote_fluid_prepare_walls(mote_fluid *fluid, mote_error *error)
{
    if (fluid->walls_ready) return MOTE_OK;
    size_t n = fluid->wall_count;
    mote_result result =
        mote_buffer_reserve(fluid->context, &fluid->wall_records, mote_bytes(n + 1, sizeof(fluid_place)), 0);
    if (result != MOTE_OK) return mote_fluid_out_of_memory(fluid, "wall particles", error);
    const double *p = fluid->wall_positions.data, *volumes = fluid->wall_volumes.data;
    fluid_place *records = fluid->wall_records.data;
    for (size_t i = 0; i < n; ++i)
        records[i] = mote_fluid_make_record(fluid, p[3 * i], p[3 * i + 1], p[3 * i + 2], volumes[i]);
    records[n] = (fluid_place){MOTE_FAR_AWAY, MOTE_FAR_AWAY, MOTE_FAR_AWAY, 0};
    return MOTE_OK;
}

void mote_fluid_get_walls(const mote_fluid *fluid, const double **positions, const double **volumes, size_t *count)
{
    if (positions) *positions = fluid ? fluid->wall_positions.data : NULL;
    if (volumes) *volumes = fluid ? fluid->wall_volumes.data : NULL;
    if (count) *count = fluid ? fluid->wall_count : 0;
}
