// SPDX-License-Identifier: MIT
// Runs a WebAssembly program that asks for WASI, with this process's environment and standard streams, and no files.
// usage: node wasi.mjs PROGRAM [ARGUMENT...]      WASI_NAMES=1 in the environment: see scripts/instructions.sh
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { WASI } from 'node:wasi';

const wasi = new WASI({ version: 'preview1', args: process.argv.slice(2), env: process.env, returnOnExit: true });
const program = await WebAssembly.compile(await readFile(process.argv[2]));
// node writes names of functions for perf between two tasks.
if (process.env.WASI_NAMES) await new Promise(resolve => setTimeout(resolve, 300));
process.exitCode = wasi.start(await WebAssembly.instantiate(program, { wasi_snapshot_preview1: wasi.wasiImport }));
