import { expect, test } from 'vitest';
import { runHistory } from './history.ts';
import { describeTotals, runHistories } from './run-histories.ts';

/** `.ci/run` plays others, by `npm run simulate`. */
const SEED = 1;
const HISTORIES = 30;
const MAX_TEST_MS = 600_000;

test(
  'simulated histories lose nothing, invent nothing, repeat nothing under another id, and keep every order',
  async () => {
    const totals = await runHistories({ seed: SEED, histories: HISTORIES, maxFailures: 5 });
    process.stdout.write(`from seed ${SEED}: ${describeTotals(totals)}\n`);
    expect(totals.failures).toEqual([]);
    expect(totals.polls).toBeGreaterThan(HISTORIES * 10);
    expect(totals.crashes).toBeGreaterThan(HISTORIES / 2);
    expect(totals.changes).toBeGreaterThan(HISTORIES * 5);
    expect(totals.faults.get('lease_taken')).toBeGreaterThan(HISTORIES / 3);
  },
  MAX_TEST_MS,
);

test('a history is the same whenever it is run from the same seed', async () => {
  for (let seed = 1; seed < 3; seed += 1) {
    const [one, other] = [await runHistory(seed), await runHistory(seed)];
    expect(other.journal).toEqual(one.journal);
    expect(other.world.records).toEqual(one.world.records);
  }
});
