// SPDX-License-Identifier: MIT
// sandbox.h: the rights that mote-assimp gives up before it reads a file of unknown origin.
#ifndef MOTE_ASSIMP_SANDBOX_H
#define MOTE_ASSIMP_SANDBOX_H

// Sets limits of time and memory; no core files, no file writing, and the process ends with its parent.
void sandbox_limit(unsigned long long seconds, unsigned long long megabytes);

// After this call files can be opened only through handles that are already open (a folder's), and no socket,
// program or process can be created. On systems that do not offer this, the call does nothing.
void sandbox_enter(void);

#endif
