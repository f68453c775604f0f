import { describe, expect, test } from 'vitest';
import { LATE_ENGINES } from './late-engines.ts';
import { LIVENESS_CHECKS } from './not-yet.ts';
import { testPlantedFaults } from './planted-faults.ts';

const MIN_ENGINES = 20;

describe('an engine that is never wrong, and', () => {
  testPlantedFaults(
    '%s, is caught',
    LATE_ENGINES.map((engine) => ({ name: engine.name, engine, checks: LIVENESS_CHECKS })),
  );

  test('is one of many', () => {
    expect(LATE_ENGINES.length).toBeGreaterThanOrEqual(MIN_ENGINES);
    expect(new Set(LATE_ENGINES.map(({ name }) => name)).size).toBe(LATE_ENGINES.length);
  });
});
