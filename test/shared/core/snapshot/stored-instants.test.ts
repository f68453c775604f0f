import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { isMisdated, stillLasts } from '#shared/core/clock-tolerance.ts';
import { type FeedState, feedStateSchema } from '#shared/core/snapshot/feed-state.ts';
import { forgetMisdated } from '#shared/core/snapshot/recognize-table.ts';
import { DAY_MS, hint, MINUTE_MS, NOW } from '#test/support/builders.ts';

/** Members that may be ahead of now, and who bounds them instead. */
const AHEAD_ON_PURPOSE: Readonly<Record<string, string>> = {
  epoch: 'rule 16',
  newestEpoch: 'rule 16',
  restoredAt: 'rule 16',
  nextAt: 'planAgenda',
  blockedUntil: 'resumePace',
  absences: 'readAbsenceRules',
};
/** Numbers that are no instants, by the name of their member. */
const COUNTED =
  /^(revision|sequence|failedPolls|records|attempts|lateMs|bursts|turn|ms|size|pageSize|rate|climbed|width|refusalCost|halfHour|changes|held|clockInMs|clockOutMs)$/;

describe('an instant is unknown', () => {
  test('when it is ahead of now, or of the end of a wait, by more than a minute', () => {
    expect(isMisdated(NOW + MINUTE_MS, NOW)).toBe(false);
    expect(isMisdated(NOW + MINUTE_MS + 1, NOW)).toBe(true);
    expect([5, 6, 7].map((minutes) => isMisdated(NOW + minutes * MINUTE_MS, NOW, 5 * MINUTE_MS))).toEqual([
      false,
      false,
      true,
    ]);
  });

  test('and nothing that was taken until then lasts', () => {
    const untils = [NOW - 1, NOW, NOW + 1, NOW + 6 * MINUTE_MS, NOW + 6 * MINUTE_MS + 1];
    expect(untils.map((until) => stillLasts(until, NOW, 5 * MINUTE_MS))).toEqual([
      false,
      false,
      true,
      true,
      false,
    ]);
  });
});

describe("a feed's state", () => {
  const instants: string[] = [];
  const ahead = sampleOf(feedStateSchema, '', (name) => {
    instants.push(name);
    return NOW + DAY_MS;
  }) as FeedState;

  test('holds no instant ahead of now, whichever of its members a wrong clock wrote', () => {
    expect(new Set(instants).size).toBeGreaterThanOrEqual(20);
    expect(findAhead(ahead)).not.toEqual([]);
    expect(findAhead(forgetMisdated(ahead, NOW))).toEqual([]);
  });

  test('that a right clock wrote stays as it is', () => {
    const state = sampleOf(feedStateSchema, '', () => NOW + MINUTE_MS) as FeedState;

    expect(forgetMisdated(state, NOW)).toEqual(state);
  });

  test('forgets looks, tries and pulls of a wrong clock, and counts from now what has lasted', () => {
    const state = forgetMisdated(ahead, NOW);

    expect(state).toMatchObject({ coverage: {}, tried: {}, pulls: {} });
    expect(state).not.toHaveProperty('pace');
    expect(state).not.toHaveProperty('payPeriodsAt');
    expect(state).not.toHaveProperty('remindedUntil');
    expect(state.payPeriods).toHaveLength(1);
    expect(state.payPeriods[0]).not.toHaveProperty('totalsSince');
    expect(state.baseline).toMatchObject({ startedAt: NOW, completedAt: NOW });
    expect(state.shrunk.sample?.since).toBe(NOW);
    expect(state.payPeriods[0]).not.toHaveProperty('closedBetween');
    expect(feedStateSchema.parse(state)).toEqual(state);
  });

  test('keeps what is ahead on purpose, whose readers bound it', () => {
    const { epoch, newestEpoch, restoredAt, absences, failing } = forgetMisdated(ahead, NOW);

    expect({ epoch, newestEpoch, restoredAt }).toEqual({
      epoch: NOW + DAY_MS,
      newestEpoch: NOW + DAY_MS,
      restoredAt: NOW + DAY_MS,
    });
    expect(absences).toEqual(ahead.absences);
    expect(failing.sample).toEqual({ ...ahead.failing.sample, since: NOW });
    const pace = { ...ahead.pace, at: NOW } as NonNullable<FeedState['pace']>;
    expect(forgetMisdated({ ...ahead, pace }, NOW).pace?.blockedUntil).toBe(NOW + DAY_MS);
  });

  test('knows the closing that a right clock saw, since an unknown look when a wrong one came before', () => {
    const closedBetween = { after: NOW + DAY_MS, by: NOW };
    const [period] = forgetMisdated({ ...ahead, payPeriods: [hint({ closedBetween })] }, NOW).payPeriods;

    expect(period?.closedBetween).toEqual({ after: null, by: NOW });
  });

  test('forgets one try of a wrong clock, and keeps the others', () => {
    const tried = { '2026-03-05': NOW + DAY_MS, '2026-03-06': NOW };

    expect(forgetMisdated({ ...ahead, tried }, NOW).tried).toEqual({ '2026-03-06': NOW });
  });

  test('keeps what a scan could not see, since an unknown instant', () => {
    const coverage = { '2026-03-05': { at: NOW, revision: 3, unseen: { '1_7': NOW + DAY_MS, '2_7': NOW } } };
    const state = forgetMisdated({ ...ahead, coverage }, NOW);

    expect(state.coverage['2026-03-05']?.unseen).toEqual({ '1_7': null, '2_7': NOW });
  });

  /** Paths of numbers that are as large as an instant, and ahead of now. */
  function findAhead(value: unknown, path = ''): string[] {
    if (typeof value === 'number') return isMisdated(value, NOW) ? [path] : [];
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([name, member]) =>
      name in AHEAD_ON_PURPOSE ? [] : findAhead(member, `${path}/${name}`),
    );
  }
});

/** A value with every optional member, of which each instant is what `at` says. */
function sampleOf(schema: z.core.$ZodType, name: string, at: (name: string) => number): unknown {
  const { def } = schema as z.ZodType;
  const inner = (type: z.core.$ZodType, member = name) => sampleOf(type, member, at);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return inner(schema.unwrap() as z.core.$ZodType);
  if (schema instanceof z.ZodObject)
    return Object.fromEntries(
      Object.entries(schema.shape as Record<string, z.core.$ZodType>).map(([key, type]) => [
        key,
        inner(type, key),
      ]),
    );
  if (schema instanceof z.ZodRecord) return { sample: inner(schema.valueType as z.core.$ZodType) };
  if (schema instanceof z.ZodArray) return [inner(schema.element as z.core.$ZodType)];
  if (schema instanceof z.ZodTuple) return [0, 'topic', 'mark'];
  if (schema instanceof z.ZodNumber) return COUNTED.test(name) ? 1 : at(name);
  if (schema instanceof z.ZodEnum) return Object.values(schema.enum)[0];
  if (schema instanceof z.ZodLiteral) return [...schema.values][0];
  if (schema instanceof z.ZodBoolean) return true;
  if (schema instanceof z.ZodString) return '2026-03-05';
  throw new Error(`no sample of ${def.type} for ${name}`);
}
