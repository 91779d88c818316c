// SPDX-License-Identifier: MIT
// surface/eigen.h: eigenvalues of symmetric 3 × 3 matrices.
#ifndef MOTE_SURFACE_EIGEN_H
#define MOTE_SURFACE_EIGEN_H

// Column k of `vectors` belongs to value k; in no order. The matrix is overwritten.
void mote_surface_eigen(double matrix[3][3], double values[3], double vectors[3][3]);

#endif
