import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest come first: at the end, one of them would keep a single worker busy for minutes. */
const LONGEST = /\/test\/simulation\//;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** They call functions in memory and leave nothing behind for the next file, but for the one that replaces a module. */
const IN_MEMORY = ['test/kit/**/*.test.ts', 'test/shared/{config,core,flow}/**/!(publish-speed).test.ts'];

export default defineConfig({
  // The package by its own name is its source here, and what is built of it elsewhere. The others are Vite's own.
  ssr: {
    resolve: {
      conditions: ['@workforce-change-notifier/source', 'node', 'development|production'],
    },
  },
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        // A worker for each file would take longer than its tests.
        test: { name: 'in memory', include: IN_MEMORY, isolate: false },
      },
      {
        extends: true,
        test: { name: 'isolated', include: ['test/**/*.test.ts'], exclude: IN_MEMORY },
      },
    ],
  },
});
