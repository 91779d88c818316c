// SPDX-License-Identifier: MIT
// Runs a WebAssembly program that asks for WASI, with this process's environment and standard streams, and no files.
// usage: node wasi.mjs PROGRAM [ARGUMENT...]
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { WASI } from 'node:wasi';

const wasi = new WASI({ version: 'preview1', args: process.argv.slice(2), env: process.env, returnOnExit: true });
const program = await WebAssembly.compile(await readFile(process.argv[2]));
process.exitCode = wasi.start(await WebAssembly.instantiate(program, { wasi_snapshot_preview1: wasi.wasiImport }));
