// SPDX-License-Identifier: MIT
// The cases of mote validate. A new one is a file, a folder in scenes/validation, and a line here.

#include "validate.h"

static const validate_case *const cases[] = {
    &validate_hydrostatic, &validate_poiseuille, &validate_couette,   &validate_poiseuille_re10,
    &validate_taylor_green, &validate_drop,      &validate_wave,      &validate_cavity,
    &validate_dam_break,   &validate_sloshing,   &validate_spheric2,  &validate_layers,
    &validate_laplace,     &validate_bubble,     &validate_swing,     &validate_piston,
    &validate_stream,       &validate_cylinder,
};

const validate_case *validate_case_at(size_t index)
{
    return index < sizeof cases / sizeof *cases ? cases[index] : NULL;
}
