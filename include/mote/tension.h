// SPDX-License-Identifier: MIT
/// mote/tension.h: surface tension between two phases of a fluid (mote_fluid_add_phase), or of one phase with a void.
///
/// There is no contact angle: at walls an interface ends as it comes.
#ifndef MOTE_TENSION_H
#define MOTE_TENSION_H

#include "mote/fluid.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How tension is computed (docs/fluid.md has what each of them errs by).
typedef enum mote_tension_model {
    MOTE_TENSION_STRESS,     ///< the divergence of a stress along the interface (Hu & Adams 2006), without weights of
                             ///< density: conserves momentum, right at every ratio of densities; the default
    MOTE_TENSION_CURVATURE,  ///< by the curvature of the interface (Adami et al. 2010): the lighter phase has no force
    MOTE_TENSION_WEIGHTED_STRESS,  ///< MOTE_TENSION_STRESS with weights of density, as Hu & Adams have it
    MOTE_TENSION_DOCUMENT,  ///< by the Laplacian of the colour (Onderik & Ďurikovič 2008, eq. 9, a force density):
                            ///< 1.4 to 19 times too strong, growing with the radius over the spacing
    MOTE_TENSION_DOCUMENT_CURVATURE,  ///< the same less the second derivative across the interface
    MOTE_TENSION_COHESION,  ///< particles of one phase attract each other (Akinci et al. 2013): for water without air
    MOTE_TENSION_PLAIN_CURVATURE  ///< by the curvature, without weights of density: little noise in motion, right at
                                  ///< every ratio of densities; momentum is not conserved
} mote_tension_model;

typedef struct mote_tension_def {
    double sigma;     ///< σ [N/m]
    double adhesion;  ///< work of adhesion to walls, with MOTE_TENSION_COHESION [N/m]; 0: none
    int32_t model;    ///< a mote_tension_model
    uint32_t cookie;  ///< set by the default function; tells that it was called
} mote_tension_def;
MOTE_API mote_tension_def mote_tension_default_def(void);
MOTE_API const mote_field_table *mote_tension_fields(void);
/// The models by index from 0, in the order of the enum; NULL beyond the last.
MOTE_API const mote_fluid_choice *mote_tension_model_at(size_t index);

/// Gives two phases a tension, before particles; or a single one, at its free surface, with the models document,
/// document_curvature and cohesion (which is for a single one alone). With MOTE_SOLVER_ONDERIK there are the first two
/// of these, with MOTE_SOLVER_WEAK all models. The time step is then at most 0.25 sqrt(ρ h³/(2πσ)), with the mean of
/// their densities and half the support. Tensions by stress and curvature take 16 bytes each for a particle, and for an
/// image of one across a periodic face.
/// @param first, second  the phases, in any order, but for document and document_curvature, where the first has the
///                       colour; twice the same: at its free surface
/// @return MOTE_OK, MOTE_ERROR_ARGUMENT (no such phases, or they have one; a field is out of range; curvature and
///         plain_curvature in 2D with a support below 3.5 spacings, where they err by up to a half),
///         MOTE_ERROR_STATE (there are particles), MOTE_ERROR_UNSUPPORTED (the solver does not have the
///         model; cohesion at a support it is not calibrated for)
MOTE_API mote_result mote_fluid_set_tension(mote_fluid *fluid, uint32_t first, uint32_t second,
                                            const mote_tension_def *def, mote_error *error);

/// A phase, and a tension, as simulations (simulation.h) and scenes name them.
typedef struct mote_named_phase {
    const char *name;
    mote_phase_def phase;
} mote_named_phase;
typedef struct mote_named_tension {
    const char *between[MOTE_FIELD_WORDS_MOST];  ///< two names, or one for a free surface; NULL behind them
    mote_tension_def tension;
} mote_named_tension;
MOTE_API const mote_field_table *mote_named_phase_fields(void);
MOTE_API const mote_field_table *mote_named_tension_fields(void);

#ifdef __cplusplus
}
#endif

#endif
