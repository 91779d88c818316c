// SPDX-License-Identifier: MIT
// Eigenvalues and eigenvectors of symmetric 3 × 3 matrices, by Jacobi's rotations (1846; Golub & Van Loan, section
// 8.5).
//
// The number of sweeps is fixed, and only square roots are taken: the same bits everywhere.

#include <math.h>

#include "surface/eigen.h"

enum { SWEEPS = 6 };

// Turns the plane of axes p and q so that a[p][q] becomes 0.
static void rotate(double a[3][3], double v[3][3], int p, int q)
{
    if (a[p][q] == 0) return;
    const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
    const double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 3; ++k) {
        const double kp = a[k][p], kq = a[k][q];
        a[k][p] = c * kp - s * kq;
        a[k][q] = s * kp + c * kq;
    }
    for (int k = 0; k < 3; ++k) {
        const double pk = a[p][k], qk = a[q][k];
        a[p][k] = c * pk - s * qk;
        a[q][k] = s * pk + c * qk;
    }
    for (int k = 0; k < 3; ++k) {
        const double kp = v[k][p], kq = v[k][q];
        v[k][p] = c * kp - s * kq;
        v[k][q] = s * kp + c * kq;
    }
}

void mote_surface_eigen(double matrix[3][3], double values[3], double vectors[3][3])
{
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) vectors[i][k] = i == k;
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        rotate(matrix, vectors, 0, 1);
        rotate(matrix, vectors, 0, 2);
        rotate(matrix, vectors, 1, 2);
    }
    for (int k = 0; k < 3; ++k) values[k] = matrix[k][k];
}
