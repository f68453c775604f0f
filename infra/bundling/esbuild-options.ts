import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BuildOptions } from 'esbuild';
import { PROGRAM_ROOT } from '../project-root.ts';
import { buildCodeProps } from './bundling.ts';

/** Names of the functions: each is a file. */
export function listFunctions(): string[] {
  const files = readdirSync(join(PROGRAM_ROOT, 'functions'), { withFileTypes: true });
  return files.filter((entry) => entry.isFile()).map(({ name }) => name.replace(/\.ts$/, ''));
}

/** Options by which esbuild makes of a function what the CDK makes of it, to the byte. */
export function buildEsbuildOptions(name: string) {
  const { entry = '', bundling } = buildCodeProps(name);
  const aliases = [bundling?.esbuildArgs?.['--alias'] ?? []].flat().map((alias) => String(alias).split('='));
  return {
    absWorkingDir: PROGRAM_ROOT,
    entryPoints: [entry],
    alias: Object.fromEntries(aliases),
    mainFields: bundling?.mainFields ?? [],
    bundle: true,
    format: 'esm',
    legalComments: 'none',
    logLevel: 'warning',
    minify: true,
    platform: 'node',
    target: 'node24',
  } satisfies BuildOptions;
}
