import { afterAll, describe, expect, test } from 'vitest';
import { runHistories } from './run-histories.ts';
import { WRONG_ENGINES } from './wrong-engines.ts';

const SEED = 1;
/** Each engine must be caught within this many histories. */
const MAX_HISTORIES = 1_000;
const MAX_TEST_MS = 120_000;
const MIN_ENGINES = 20;

describe('an engine that', () => {
  const caught: string[] = [];

  test.each(WRONG_ENGINES.map((engine) => [engine.name, engine] as const))(
    '%s is caught',
    async (name, engine) => {
      const { histories, failures } = await runHistories({
        seed: SEED,
        histories: MAX_HISTORIES,
        engine,
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

  test('breaks a rule: there are many of them', () => {
    expect(WRONG_ENGINES.length).toBeGreaterThanOrEqual(MIN_ENGINES);
    expect(new Set(WRONG_ENGINES.map(({ name }) => name)).size).toBe(WRONG_ENGINES.length);
  });

  afterAll(() => {
    process.stdout.write(`${caught.join('\n')}\n`);
  });
});
