import { expect, test } from 'vitest';
import { type Attempt, forward, parseForwardAddress } from '#cli/listen/forward.ts';
import { buildSampleEvent } from '#cli/sample-events/sample-events.ts';
import type { ReceiverAnswer } from '#kit/conform/sender.ts';
import { parseSigningKey } from '#kit/conform/signing.ts';
import { verifyWebhook } from '#kit/verify-webhook.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const TEXT = buildSampleEvent('timesheet.approved');
const NOW = Date.parse('2026-11-22T08:00:00Z');
const URL = 'http://localhost:3000/hook';

test.each([
  'http://localhost:3000/hook',
  'http://127.0.0.1/hook',
  'http://127.8.9.1:1/',
  'http://[::1]:3000/',
  'https://hooks.acme.example/dev',
])('%s may be forwarded to', (address) => {
  expect(parseForwardAddress(address)).toBe(address);
});

test.each([
  ['http://payroll.acme.example/hook', /^--forward is .* would send events in clear; use an https address/],
  ['http://192.168.1.7/hook', /in clear; use an https address/],
  ['http://localhost.acme.example/hook', /in clear; use an https address/],
  ['ftp://localhost/hook', /^--forward is "ftp:\/\/localhost\/hook"; use an https address/],
  ['localhost:3000', /^--forward is "localhost:3000"; use an https address/],
  ['https://ann:secret@acme.example/', /^--forward contains a password; leave it out/],
])('%s may not', (address, message) => {
  expect(() => parseForwardAddress(address)).toThrow(message);
});

test('an event is sent byte for byte, with a signature that the kit verifies', async () => {
  const world = createWorld([204]);
  await forward(TEXT, world.options(true));
  const [{ headers, body } = { headers: {}, body: '' }] = world.sent;
  expect(body).toBe(TEXT);
  expect(verifyWebhook({ headers, body }, SECRET, { now: NOW })).toMatchObject({ outcome: 'event' });
});

test('what is not accepted is tried again, less and less often', async () => {
  const world = createWorld([503, 'ECONNREFUSED', 302, 204]);
  await forward(TEXT, world.options(true));
  expect(world.slept).toEqual([1_000, 2_000, 4_000]);
  expect(world.attempts.map(({ attempt, retryMs }) => [attempt, retryMs])).toEqual([
    [1, 1_000],
    [2, 2_000],
    [3, 4_000],
    [4, null],
  ]);
});

test('with retries off, it is an error that says how to resume', async () => {
  const world = createWorld([503]);
  await expect(forward(TEXT, world.options(false))).rejects.toThrow(
    `${URL} did not accept an event (503); see the log of your receiver, then run the command again: it resumes with this one`,
  );
  expect(world.sent).toHaveLength(1);
});

test('410 ends it at once', async () => {
  const world = createWorld([410]);
  await expect(forward(TEXT, world.options(true))).rejects.toMatchObject({ code: 'forward_refused' });
  expect(world.slept).toEqual([]);
});

function createWorld(answers: (number | string)[]) {
  const sent: { headers: Readonly<Record<string, string>>; body: string }[] = [];
  const slept: number[] = [];
  const attempts: Attempt[] = [];
  const options = (retry: boolean) => ({
    url: URL,
    key: parseSigningKey(SECRET, 'secret'),
    retry,
    send: async (message: {
      headers: Readonly<Record<string, string>>;
      body: string;
    }): Promise<ReceiverAnswer> => {
      sent.push(message);
      const answer = answers.shift() ?? 204;
      return typeof answer === 'number'
        ? { outcome: 'answered', status: answer, durationMs: 3 }
        : { outcome: 'unanswered', reason: answer, durationMs: 3 };
    },
    sleep: async (milliseconds: number) => void slept.push(milliseconds),
    now: () => NOW,
    onAttempt: (attempt: Attempt) => void attempts.push(attempt),
  });
  return { sent, slept, attempts, options };
}
