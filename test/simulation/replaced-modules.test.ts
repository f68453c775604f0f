import { describe, expect, test } from 'vitest';
import { testPlantedFaults } from './planted-faults.ts';
// They replace modules of the product, which only a registry of their own undoes.
import { ACCOUNT_MISTAKES } from './replaced/accounts.ts';
import { CORE_MISTAKES } from './replaced/core.ts';
import { EVENT_MISTAKES } from './replaced/events.ts';
import { FLOW_MISTAKES } from './replaced/flow.ts';
import { planted } from './replaced/planted.ts';
import { WRONG_ENGINES } from './wrong-engines.ts';

const MIN_MISTAKES = 57;
const MISTAKES = [...ACCOUNT_MISTAKES, ...CORE_MISTAKES, ...EVENT_MISTAKES, ...FLOW_MISTAKES].map((name) => ({
  name,
}));
const FAULTS = [...WRONG_ENGINES.map((engine) => ({ name: engine.name, engine })), ...MISTAKES];

describe('an engine that', () => {
  testPlantedFaults(FAULTS, planted);

  test('breaks a rule: there are many of them, and the right one is not caught', async () => {
    expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length);
    expect(FAULTS.length).toBeGreaterThanOrEqual(MIN_MISTAKES);
    const { runHistories } = await import('./run-histories.ts');
    expect((await runHistories({ seed: 1, histories: 10 })).failures).toEqual([]);
  });
});
