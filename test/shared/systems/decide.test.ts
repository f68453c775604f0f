import { describe, expect, test } from 'vitest';
import { computeDelaySeconds, decideDelivery } from '#shared/systems/decide.ts';
import { mayHaveRefusedSignature } from '#shared/systems/judge-answer.ts';

const NOW = 1_000_000;
const DELIVERY = { attempt: 0 };

describe('an answer', () => {
  test.each([200, 201, 202, 204, 299])('%i: delivered', (status) => {
    expect(decided(status)).toEqual({ decision: 'delivered', attempts: 1 });
  });

  test('410: the endpoint wants no more', () => {
    expect(decided(410)).toEqual({ decision: 'disable', attempts: 1, reason: '410' });
  });

  test.each([
    199, 300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 409, 413, 422, 429, 500, 502, 503, 504, 999,
  ])('%i: tried again', (status) => {
    expect(decided(status)).toEqual({
      decision: 'retry',
      attempts: 1,
      reason: String(status),
      dueAt: NOW + 5_000,
    });
  });

  test.each(['timeout', 'connection_failed', 'target_forbidden'])('none, %s: tried again', (reason) => {
    const decision = decideDelivery(DELIVERY, { outcome: 'unanswered', reason }, { now: NOW, random: 0 });

    expect(decision).toEqual({ decision: 'retry', attempts: 1, reason, dueAt: NOW + 5_000 });
  });

  test.each([
    [429, 60_000],
    [503, 60_000],
    [500, 5_000],
    [301, 5_000],
  ])('%i with Retry-After: 60 is tried again after %i ms', (status, wait) => {
    expect(decided(status, 60_000)).toMatchObject({ dueAt: NOW + wait });
  });

  test.each([500, 401, 404, 429, 302, 400, 422])('%i to every attempt: given up after 21', (status) => {
    const attempts = 21;
    const answer = { outcome: 'answered', status, retryAfterMs: null } as const;
    const decideAfter = (attempt: number) =>
      decideDelivery({ ...DELIVERY, attempt }, answer, { now: NOW, random: 0 });

    expect(decideAfter(attempts - 1)).toEqual({ decision: 'give_up', attempts, reason: String(status) });
    expect(decideAfter(attempts - 2)).toMatchObject({ decision: 'retry' });
  });

  test.each([
    [401, true],
    [403, true],
    [400, false],
    [200, false],
  ])('%i may mean a rejected signature: %s', (status, expected) => {
    expect(mayHaveRefusedSignature({ outcome: 'answered', status, retryAfterMs: null })).toBe(expected);
  });

  test('that never came means nothing about it', () => {
    expect(mayHaveRefusedSignature({ outcome: 'unanswered', reason: '401' })).toBe(false);
  });
});

test.each([
  [0, 0],
  [-5_000, 0],
  [1, 1],
  [5_000, 5],
  [5_001, 6],
  [900_000, 900],
  [86_400_000, 900],
])('a message that is due in %i ms is kept back for %i s', (wait, seconds) => {
  expect(computeDelaySeconds(NOW + wait, NOW)).toBe(seconds);
});

function decided(status: number, retryAfterMs: number | null = null) {
  return decideDelivery(DELIVERY, { outcome: 'answered', status, retryAfterMs }, { now: NOW, random: 0 });
}
