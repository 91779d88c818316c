// SPDX-License-Identifier: MIT
// Every operation of base/wide.h in the plain form, which defines them.

#include "wide/cases.inl"
