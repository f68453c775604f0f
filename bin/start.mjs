#!/usr/bin/env node
/**
 * Runs the whole notifier on one machine: `npm start -- --help`. What is compiled is kept for the next run. JavaScript,
 * because what strips types stays in memory, and a run whose modules are all kept does not load it.
 */
import { enableCompileCache } from 'node:module';

enableCompileCache();
await import('./start.ts');
