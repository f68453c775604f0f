import type { Module } from '#test/support/modules.ts';

/** They run in memory, in milliseconds; the others start processes. */
const IN_MEMORY = /^test\/shared\/(?:core|flow)\/.*\.test\.ts$/;
/** One replaces modules by vitest's own means, one measures memory for a long time. */
const LEFT_OUT = /(?:publish-speed|flat-memory)\.test\.ts$/;

/** Test files that import one of these modules, however far away, the nearest first. */
export function findTests(modules: readonly Module[], paths: readonly string[]): string[] {
  const importers = new Map<string, string[]>();
  for (const { path, imports } of modules)
    for (const { target, typesOnly } of imports)
      if (!typesOnly) importers.set(target, [...(importers.get(target) ?? []), path]);
  const distances = new Map(paths.map((path) => [path, 0]));
  // Grows while it is walked.
  for (const [path, distance] of distances)
    for (const importer of importers.get(path) ?? [])
      if (!distances.has(importer)) distances.set(importer, distance + 1);
  return [...distances]
    .filter(([path]) => IN_MEMORY.test(path) && !LEFT_OUT.test(path))
    .sort(([, a], [, b]) => a - b)
    .map(([path]) => path);
}
