import { afterAll, describe, expect, test } from 'vitest';
import { LATE_ENGINES } from './late-engines.ts';
import { LIVENESS_CHECKS } from './not-yet.ts';
import { runHistories } from './run-histories.ts';

const SEED = 1;
/** Each engine must be caught within this many histories. */
const MAX_HISTORIES = 1_000;
const MIN_ENGINES = 20;

const MAX_TEST_MS = 120_000;

describe('an engine that is never wrong, and', () => {
  const caught: string[] = [];

  test.each(LATE_ENGINES.map((engine) => [engine.name, engine] as const))(
    '%s, is caught',
    async (name, engine) => {
      const { histories, failures } = await runHistories({
        seed: SEED,
        histories: MAX_HISTORIES,
        engine,
        checks: LIVENESS_CHECKS,
        maxFailures: 1,
      });
      const [failure] = failures;
      caught.push(
        `${name}: after ${histories} histories, ${failure?.violations[0]?.text.slice(0, 160) ?? 'never'}`,
      );
      expect(failure?.violations).not.toBeUndefined();
    },
    MAX_TEST_MS,
  );

  test('is one of many', () => {
    expect(LATE_ENGINES.length).toBeGreaterThanOrEqual(MIN_ENGINES);
    expect(new Set(LATE_ENGINES.map(({ name }) => name)).size).toBe(LATE_ENGINES.length);
  });

  afterAll(() => {
    process.stdout.write(`${caught.join('\n')}\n`);
  });
});
