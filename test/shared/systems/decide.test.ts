import { expect, test } from 'vitest';
import { computeDelaySeconds, decideDelivery } from '#shared/systems/decide.ts';
import { type EndpointAnswer, mayHaveRefusedSignature } from '#shared/systems/judge-answer.ts';

const NOW = 1_000_000;
const FAILURES = [199, 300, 301, 304, 308, 400, 401, 403, 404, 409, 413, 422, 429, 500, 503, 999];

test.each([
  ...[200, 201, 204, 299].map((status) => [status, { decision: 'delivered', attempts: 1 }] as const),
  // It wants no more.
  [410, { decision: 'disable', attempts: 1, reason: '410' }] as const,
  ...[...FAILURES, 'timeout', 'target_forbidden'].map((answer) => {
    const dueAt = NOW + 5_000;
    return [answer, { decision: 'retry', attempts: 1, reason: String(answer), dueAt }] as const;
  }),
])('what follows an answer: %s', (answer, expected) => {
  expect(decide(answer)).toEqual(expected);
});

test.each([
  [429, 60_000],
  [503, 60_000],
  [500, 5_000],
  [301, 5_000],
])('%i with Retry-After: 60 is tried again after %i ms', (status, wait) => {
  expect(decide(status, { retryAfterMs: 60_000 })).toMatchObject({ dueAt: NOW + wait });
});

test.each([500, 401, 302, 'timeout'])('%s to every attempt: given up after 21', (answer) => {
  const reason = String(answer);
  expect(decide(answer, { attempt: 20 })).toEqual({ decision: 'give_up', attempts: 21, reason });
  expect(decide(answer, { attempt: 19 })).toMatchObject({ decision: 'retry' });
});

test.each([
  [401, true],
  [403, true],
  [400, false],
  [200, false],
  ['401', false],
])('%j may mean a rejected signature: %s', (answer, expected) => {
  expect(mayHaveRefusedSignature(answerOf(answer))).toBe(expected);
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

function decide(answer: number | string, { attempt = 0, retryAfterMs = null as number | null } = {}) {
  return decideDelivery({ attempt }, answerOf(answer, retryAfterMs), { now: NOW, random: 0 });
}

/** A status, or the reason why there is none. */
function answerOf(answer: number | string, retryAfterMs: number | null = null): EndpointAnswer {
  if (typeof answer === 'string') return { outcome: 'unanswered', reason: answer };
  return { outcome: 'answered', status: answer, retryAfterMs };
}
