// SPDX-License-Identifier: MIT
// sandbox.h: what mote-assimp takes from itself before it looks at a file that somebody else has written.
#ifndef MOTE_ASSIMP_SANDBOX_H
#define MOTE_ASSIMP_SANDBOX_H

// Limits of time and memory; no core files, no files written, an end with the parent.
void sandbox_limit(unsigned long long seconds, unsigned long long megabytes);

// From here on nothing can be opened but through handles that are open already (a folder's), no socket made, no program
// or process started. Where the system does not offer it, nothing happens.
void sandbox_enter(void);

#endif
