import { describe, expect, test } from 'vitest';
import { SHORT_EVENT_TYPES } from '#shared/core/event-types.ts';
import { DIRECTORY_ENGINE, WRONG_DIRECTORIES } from './directory.ts';
import { testPlantedFaults } from './planted-faults.ts';
import { runHistories } from './run-histories.ts';

const HISTORIES = 60;
const MAX_TEST_MS = 600_000;
const OF_DIRECTORY = SHORT_EVENT_TYPES.filter((type) =>
  /^(?:employee|department)\.(?!snapshot|forgotten)/.test(type),
);
/** They found faults of the oracle: a topic that refuses, and two states of a department with the same manager. */
const JUDGED_WRONG_ONCE = [33, 338];

describe('employees and departments, with every fault of a source, a table and a topic', () => {
  test(
    'are baselined silently, and each change is told once and in order',
    async () => {
      const totals = await runHistories({ seed: 1, histories: HISTORIES, engine: DIRECTORY_ENGINE });
      expect(totals.failures).toEqual([]);
      expect(totals.changes).toBeGreaterThan(HISTORIES * 5);
      expect(totals.crashes).toBeGreaterThan(HISTORIES);
      expect(OF_DIRECTORY.filter((type) => !totals.types.has(type))).toEqual([]);
      expect([...totals.types.keys()].filter((type) => /^(?:timesheet|pay_period)\./.test(type))).toEqual([]);
    },
    MAX_TEST_MS,
  );

  test.each(JUDGED_WRONG_ONCE)('history %d', async (seed) => {
    const { failures } = await runHistories({ seed, histories: 1, engine: DIRECTORY_ENGINE });
    expect(failures).toEqual([]);
  });
});

/** What must be said of a mistake that shows in other ways as well. */
const SAID = new Map([['tells the employees of its baseline', /created|silently|as if/]]);

describe('an engine that', () => {
  testPlantedFaults(
    '%s is caught',
    WRONG_DIRECTORIES.map((engine) => ({ name: engine.name, engine, said: SAID.get(engine.name) ?? /^/ })),
  );
});
