#!/usr/bin/env node
/**
 * Runs the whole notifier on one machine: `npm start -- --help`. What is compiled is kept for the next run. JavaScript,
 * because what strips types stays in memory, and a run whose modules are all kept does not load it.
 */
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Beside the program: in the folder for temporary files, other users of this machine could put there what we run.
enableCompileCache(fileURLToPath(new URL('../.cache/compiled', import.meta.url)));
await import('./start.ts');
