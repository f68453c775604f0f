import { describe, expect, test } from 'vitest';
import { testPlantedFaults } from './planted-faults.ts';
import { WRONG_ENGINES } from './wrong-engines.ts';

const MIN_ENGINES = 20;

describe('an engine that', () => {
  testPlantedFaults(
    '%s is caught',
    WRONG_ENGINES.map((engine) => ({ name: engine.name, engine })),
  );

  test('breaks a rule: there are many of them', () => {
    expect(WRONG_ENGINES.length).toBeGreaterThanOrEqual(MIN_ENGINES);
    expect(new Set(WRONG_ENGINES.map(({ name }) => name)).size).toBe(WRONG_ENGINES.length);
  });
});
