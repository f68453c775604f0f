import { describe, expect, test } from 'vitest';
import { faults } from '#workshop/prove/faults.ts';
import { hostile } from '#workshop/prove/hostile.ts';
import { overlaps } from '#workshop/prove/overlaps.ts';
import { type Plant, type Proof, spread } from '#workshop/prove/proof.ts';
import { stillOpen } from '#workshop/prove/still-open.ts';
import { zones } from '#workshop/prove/zones.ts';
import type { Settings } from '../../simulation/settings.ts';
import { WRONG_ENGINES } from '../../simulation/wrong-engines.ts';

/** A part of what `npm run prove` runs, and that each of it notices what it is there for. */

describe('of the proofs that are counted, some cases:', () => {
  test.each<[string, Proof, number]>([
    ['overlaps', overlaps, 80],
    ['faults', faults, 100],
    ['zones', zones, 30],
    ['hostile', hostile, 160],
    ['still-open', stillOpen, 20],
  ])('%s', async (_, proof, runs) => {
    const result = await proof.run({ runs, seed: 7 });
    expect(result.failures).toEqual([]);
    expect(result.ran).toBe(runs);
    expect(result.of ?? Number.POSITIVE_INFINITY).toBeGreaterThan(5_000);
  });
});

describe('a planted mistake is found by', () => {
  const forgetsWhatWasPaid: Plant = (ports) => ({
    ...ports,
    store: {
      ...ports.store,
      commit: (step) =>
        ports.store.commit({
          ...step,
          leaves: step.leaves.map((leaf) => ({
            ...leaf,
            rows: leaf.rows.map(({ sent: { 'open:paid': _, ...sent }, ...row }) => ({ ...row, sent })),
          })),
        }),
    },
  });
  const aDayBehind: Plant = (ports) => ({ ...ports, clock: { now: () => ports.clock.now() - 86_400_000 } });

  // As few cases as find it, with a seed that has one among them; where none does any more, try others.
  test.each<[string, Proof, Plant, [number, number]]>([
    [
      'faults: no pointer to events',
      faults,
      plantOf('keeps no pointer to what is not published yet'),
      [4, 2],
    ],
    ['faults: publishes first', faults, plantOf('publishes before it commits'), [2, 3]],
    ['faults: renders anew', faults, plantOf('renders an event anew when it is sent again'), [2, 4]],
    ['faults: believes the publisher', faults, plantOf('takes every event for published'), [4, 11]],
    ['overlaps: no fence', overlaps, plantOf('commits whatever revision the head has'), [2, 1]],
    ['overlaps: publishes first', overlaps, plantOf('publishes before it commits'), [2, 1]],
    ['zones: a day behind', zones, aDayBehind, [8, 7]],
    ['hostile: believes absences', hostile, plantOf('takes an absent record for a removed one'), [8, 13]],
    ['still-open: forgets what was paid', stillOpen, forgetsWhatWasPaid, [2, 1]],
  ])('%s', async (_, proof, plant, [runs, seed]) => {
    expect((await proof.run({ runs, seed })).failures).toEqual([]);
    expect((await proof.run({ runs, seed, plant })).failures).not.toEqual([]);
  });
});

test('a share of cases is spread over all of them, and never twice the same', () => {
  const numbers = [...spread(1_000, { runs: 100, seed: 3 })];
  expect(new Set(numbers).size).toBe(100);
  expect([Math.min(...numbers) < 10, Math.max(...numbers) >= 990]).toEqual([true, true]);
  expect([...spread(5, { runs: 100, seed: 3 })]).toEqual([0, 1, 2, 3, 4]);
});

function plantOf(mistake: string): Plant {
  const engine = WRONG_ENGINES.find(({ name }) => name === mistake);
  if (engine === undefined) throw new Error(`there is no mistake named ${mistake}`);
  const rewire = engine.start();
  // Those that are planted here do not look at the settings of a history.
  return (ports) => rewire(ports, {} as Settings);
}
