import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest come first: at the end, one of them would keep a single worker busy for many seconds. */
const LONGEST = /\/test\/(?:simulation|end-to-end|local\/run|examples\/payer)\//;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLongest = ({ moduleId }: TestSpecification) => LONGEST.test(moduleId);
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))];
  }
}

/** What CONTRIBUTING.md calls long: `npm run test:long`, which .ci/run does after `npm test`. */
const LONG = ['test/**/*.long.test.ts'];

/**
 * Modules are loaded once, and not once for each file, which would take longer than its tests; Node imports them itself.
 * The module runner of Vite, which replaces modules, reaches every import by way of an object and maps each stack trace,
 * of which the CDK notes one for every construct: a seventh of all time.
 */
const IN_ONE_PROCESS = { isolate: false, experimental: { viteModuleRunner: false } };

export default defineConfig({
  test: {
    // No test is about how fast this machine is: these only end what hangs.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    // Two more than there are cores: a third of the time, tests wait for processes that they started.
    maxWorkers: 4,
    // The young generation of a process that runs most files, in MB: a large one is collected less often. It must not
    // begin larger than what the thread of a function has, or that is collected all the time: a poll takes five times as long.
    execArgv: ['--min-semi-space-size=8', '--max-semi-space-size=64'],
    // Not `Intl`: a formatter that is kept takes the instant 0 for now, also in the tests after it.
    fakeTimers: {
      toFake: [
        'setTimeout',
        'clearTimeout',
        'setInterval',
        'clearInterval',
        'setImmediate',
        'clearImmediate',
        'Date',
      ],
    },
    sequence: { sequencer: LongestFirst },
    env: {
      // The rules of CloudFormation are checked in validation.long.test.ts: they take seconds for each stack.
      CDK_VALIDATION: 'false',
    },
    globalSetup: ['test/support/temporary-folder.ts'],
    setupFiles: ['test/support/leave-no-trace.ts'],
    projects: [
      {
        extends: true,
        test: { ...IN_ONE_PROCESS, name: 'short', include: ['test/**/*.test.ts'], exclude: LONG },
      },
      // Each has modules of its own: some of them replace those of the product.
      { extends: true, test: { name: 'long', include: LONG } },
    ],
  },
});
