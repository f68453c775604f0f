import { describe, vi } from 'vitest';
import type * as TellableModule from '#shared/core/events/tellable-absences.ts';
import type * as PeriodsModule from '#shared/core/outcome/absence-periods.ts';
import type * as AbsencesModule from '#shared/core/records/absences.ts';
import { testPlantedFaults } from '../planted-faults.ts';

/** Mistakes with clockings that are missing. */
const PLANTED = {
  early: 'takes a clocking for missing before its time',
  blind: 'does not look at the clock',
  forgetful: 'forgets that it told what is missing',
  thresholds: 'judges what was planned before by the thresholds of now',
  unwatched: 'tells what is missing to those who did not ask for it',
} as const;

const EARLY_MS = 10 * 60_000;
const QUARTER_MS = 15 * 60_000;

const planted = vi.hoisted(() => ({ name: '' }));

vi.mock('#shared/core/records/absences.ts', async (original) => {
  const right = await original<typeof AbsencesModule>();
  const judgeAbsences: typeof right.judgeAbsences = (record, rules, at) => {
    if (planted.name === PLANTED.early) return right.judgeAbsences(record, rules, at + EARLY_MS);
    return right.judgeAbsences(record, rules, planted.name === PLANTED.blind ? 0 : at);
  };
  return { ...right, judgeAbsences };
});

vi.mock('#shared/core/events/tellable-absences.ts', async (original) => {
  const right = await original<typeof TellableModule>();
  const findTellableStates: typeof right.findTellableStates = (definition, states, telling) =>
    right.findTellableStates(
      definition,
      states,
      planted.name === PLANTED.forgetful ? { ...telling, before: null } : telling,
    );
  return { ...right, findTellableStates };
});

vi.mock('#shared/core/outcome/absence-periods.ts', async (original) => {
  const right = await original<typeof PeriodsModule>();
  const readAbsenceRules: typeof right.readAbsenceRules = (state, timeZone) => {
    const rules = right.readAbsenceRules(state, timeZone);
    const last = rules?.periods.at(-1);
    if (planted.name === PLANTED.unwatched && last === undefined)
      return { periods: [{ since: 0, clockInMs: QUARTER_MS }], timeZone, key: planted.name };
    return planted.name === PLANTED.thresholds && rules !== null && last !== undefined
      ? { ...rules, periods: [{ ...last, since: 0 }] }
      : rules;
  };
  return { ...right, readAbsenceRules };
});

describe('an engine that', () => {
  testPlantedFaults(
    '%s is caught',
    Object.values(PLANTED).map((name) => ({ name })),
    planted,
  );
});
