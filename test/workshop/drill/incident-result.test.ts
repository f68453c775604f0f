import { describe, expect, test } from 'vitest';
import { INCIDENTS } from '#workshop/drill/incidents.ts';
import { type IncidentResult, isGood } from '#workshop/drill/play-incident.ts';

describe('a result is good', () => {
  const [incident] = INCIDENTS;
  const good = {
    incident,
    brokenAt: 0,
    repairedAt: 1,
    sounded: [{ heading: 'poll-silent', afterMs: 1 }],
    recoveryMs: 1,
    verdict: { changes: 1, told: 1, unseen: 0, untold: [], maxDelayMs: 1 },
    deliveries: { delivered: 0, maxDelayMs: 0, twice: 0 },
    twice: 0,
  } as unknown as IncidentResult;
  const lost = { at: 0, change: 'approve', id: '1_1' } as const;

  test.each([
    ['when everything sounded and was told once', {}, true],
    ['not when nothing sounded', { sounded: [] }, false],
    ['not when a change was not told', { verdict: { ...good.verdict, untold: [lost] } }, false],
    ['not when something came twice', { twice: 1 }, false],
    ['not when it did not recover', { recoveryMs: null }, false],
    [
      'not when something sounded although nobody has to act',
      { incident: { ...good.incident, sounds: [] } },
      false,
    ],
  ])('%s', (_, differences, expected) => {
    expect(isGood({ ...good, ...differences })).toBe(expected);
  });
});
