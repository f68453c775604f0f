import { describe, expect, test } from 'vitest';
import { SHORT_EVENT_TYPES } from '#shared/core/event-types.ts';
import { BREADTH_KINDS } from './breadth/kinds.ts';
import { FAULT_KINDS } from './faults.ts';
import { runHistory } from './history.ts';
import { rarestOf } from './knots/overlaps.ts';
import { describeTotals, runHistories } from './run-histories.ts';

const SEED = 1;
const HISTORIES = 600;
const MAX_TEST_MS = 600_000;

/** Operations of deliveries come from the functions that deliver, snapshots from the one that replays. */
const TOLD_BY_OTHERS = /^(?:delivery|webhook)\.|\.snapshot$|^record\.forgotten$/;
const TOLD_BY_POLLS = SHORT_EVENT_TYPES.filter((type) => !TOLD_BY_OTHERS.test(type));

function withoutMoment(kind: string): string {
  return kind.replace(/_(?:before|after):/, ':');
}

describe('simulated histories', () => {
  test(
    'lose nothing, invent nothing, repeat nothing under another id, and keep every order',
    async () => {
      const totals = await runHistories({ seed: SEED, histories: HISTORIES });
      process.stdout.write(`${describeTotals(totals)}\n`);
      expect(totals.failures).toEqual([]);
      expect(totals.histories).toBe(HISTORIES);
      expect(totals.polls).toBeGreaterThan(HISTORIES * 10);
      expect(totals.changes).toBeGreaterThan(HISTORIES * 5);
      expect(totals.faults.get('moving_list')).toBeGreaterThan(HISTORIES / 10);
      // The rarest calls are met a few times: failing before and after each is left to the 3,000 histories of .ci/run.
      const struck = new Set([...totals.faults.keys()].map(withoutMoment));
      expect(FAULT_KINDS.filter((kind) => !struck.has(withoutMoment(kind)))).toEqual([]);
      expect(BREADTH_KINDS.filter((kind) => !totals.faults.has(kind))).toEqual([]);
      // Each pair of features meets 200 times in 3,000 histories.
      expect(rarestOf(totals.pairs)).toBeGreaterThanOrEqual((HISTORIES * 200) / 3_000);
      expect(totals.statements.addUp).toBeGreaterThan(HISTORIES / 2);
      expect(totals.statements.accounts).toBeGreaterThan(HISTORIES / 4);
      expect(totals.downstream.histories).toBeGreaterThan(HISTORIES / 15);
      expect(totals.downstream.taken).toBeGreaterThan(HISTORIES);
      expect(totals.downstream.refusals).toBeGreaterThan(HISTORIES / 10);
      expect(totals.downstream.givenUp).toBeGreaterThan(0);
      expect(totals.downstream.told).toBeGreaterThan(HISTORIES / 10);
      expect(totals.downstream.atNight).toBeGreaterThan(HISTORIES / 20);
      expect(TOLD_BY_POLLS.filter((type) => !totals.types.has(type))).toEqual([]);
    },
    MAX_TEST_MS,
  );

  test('are the same whenever they are run from the same seed', async () => {
    for (let seed = SEED; seed < SEED + 20; seed += 1) {
      const [one, other] = [await runHistory(seed), await runHistory(seed)];
      expect(other.journal).toEqual(one.journal);
      expect(other.world.truth).toEqual(one.world.truth);
    }
  });
});
