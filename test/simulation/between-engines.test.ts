import { describe, expect, test } from 'vitest';
import { BETWEEN_ENGINES } from './between-engines.ts';
import { testPlantedFaults } from './planted-faults.ts';

const MIN_ENGINES = 30;

describe('an engine that', () => {
  testPlantedFaults(
    '%s is caught',
    BETWEEN_ENGINES.map((engine) => ({ name: engine.name, engine })),
  );

  test('is wrong between two features: there are many of them', () => {
    expect(BETWEEN_ENGINES.length).toBeGreaterThanOrEqual(MIN_ENGINES);
    expect(new Set(BETWEEN_ENGINES.map(({ name }) => name)).size).toBe(BETWEEN_ENGINES.length);
  });
});
