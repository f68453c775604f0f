import { appendFileSync, closeSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLog, rotateLog } from '#local/aws/functions/running-functions.ts';
import { createAttemptReporter, readAttempts } from '#local/run/output/attempts.ts';
import { createSeenEvents } from '#local/run/output/seen-events.ts';
import { createTemporaryFolder } from '#test/local/aws/fixture-assembly.ts';
import { eventually } from '#test/support/eventually.ts';
import { receivedText } from '#test/support/received-text.ts';

const TAKEN = {
  outcome: 'delivery.attempted',
  webhook: 'payroll',
  eventId: 'e-1',
  type: 'workforce.pay_period.closed',
  attempt: 1,
  result: 'delivered',
  status: 204,
  reason: null,
  sentAgain: false,
  example: false,
  due_ms: null,
} as const;
/** What was seen of the events that the attempts name. */
const EVENTS = createSeenEvents();
EVENTS.add(JSON.stringify({ id: 'e-1', subject: '9_1', sequence: 2 }));
const REFUSED = { ...TAKEN, result: 'retry', status: 401, due_ms: 5_200 } as const;
const WHAT = 'pay_period.closed of 9_1, sequence 2';

test.each([
  ['taken', TAKEN, `took (204) ${WHAT}`],
  ['taken once more', { ...TAKEN, sentAgain: true }, `took (204) ${WHAT}, sent again`],
  ['an example that was taken', { ...TAKEN, example: true }, `took (204) ${WHAT}, example`],
  ['refused', REFUSED, `refused (401), next try in 5 s: ${WHAT}`],
  ['refused again', { ...REFUSED, due_ms: 329_999 }, `refused (401), next try in 5 min: ${WHAT}`],
  ['refused often', { ...REFUSED, due_ms: 51_000_000 }, `refused (401), next try in 14 h: ${WHAT}`],
  [
    'not answered',
    { ...REFUSED, status: null, reason: 'connection_failed' },
    `not answered (connection_failed), next try in 5 s: ${WHAT}`,
  ],
  [
    'given up',
    { ...REFUSED, result: 'give_up', attempt: 10, due_ms: null },
    `refused (401), given up after 10 attempts: ${WHAT}`,
  ],
  [
    'refused for good',
    { ...REFUSED, result: 'disable', status: 410, due_ms: null },
    `refused (410), webhook disabled: ${WHAT}`,
  ],
] as const)('an attempt that was %s is one line', (_, attempt, text) => {
  expect(createAttemptReporter(EVENTS).report(attempt).map(receivedText)).toEqual([`payroll ${text}`]);
});

test('five identical failures are shown, and further ones counted until the result changes', () => {
  const { report, end } = createAttemptReporter(EVENTS);
  const failed = Array.from({ length: 20 }, () => report(REFUSED)).flat();
  expect(failed.map(receivedText).slice(4)).toEqual([
    `payroll refused (401), next try in 5 s: ${WHAT}`,
    'payroll refused (401) again; further ones are only counted',
  ]);
  expect(report({ ...REFUSED, webhook: 'other' }).map(receivedText)).toEqual([
    expect.stringContaining('other refused (401)'),
  ]);
  expect(report({ ...REFUSED, status: 500 }).map(receivedText)).toEqual([
    'payroll refused (401) 15 times more',
    `payroll refused (500), next try in 5 s: ${WHAT}`,
  ]);
  for (let times = 0; times < 6; times += 1) report({ ...REFUSED, status: 500 });
  expect(report(TAKEN).map(receivedText)[0]).toBe('payroll refused (500) 2 times more');
  expect(end()).toEqual([]);
  for (let times = 0; times < 7; times += 1) report(REFUSED);
  expect(end().map(receivedText)).toEqual(['payroll refused (401) 2 times more']);
});

test('every attempt is counted once, also those without a message of their own', () => {
  const { report, end } = createAttemptReporter(EVENTS);
  const many = Array.from({ length: 20 }, () => REFUSED);
  const messages = [...many, TAKEN, ...many.slice(0, 3), ...many.slice(0, 6)].flatMap(report);
  const counted = [...messages, ...end()];
  expect(counted.reduce((sum, { taken }) => sum + taken, 0)).toBe(1);
  expect(counted.reduce((sum, { refused }) => sum + refused, 0)).toBe(29);
});

test('attempts are read from the start of the run, in complete lines', async () => {
  const file = join(createTemporaryFolder('log'), 'functions.log');
  const before = `${JSON.stringify({ ...TAKEN, eventId: 'before' })}\n`;
  // The log omits nulls.
  const line = JSON.stringify({ ...TAKEN, eventId: 'new', reason: undefined, due_ms: undefined });
  writeFileSync(file, before);
  const seen: string[] = [];
  const reader = readAttempts(
    { file, from: Buffer.byteLength(before) },
    async (message) => void seen.push(receivedText(message)),
    EVENTS,
  );
  const slack = { outcome: 'delivery.attempted', channel: 'payroll', status: 200 };
  appendFileSync(file, `no JSON\n${JSON.stringify(slack)}\n${line}\n${line.slice(0, 40)}`);
  await reader.finish();
  expect(seen).toEqual(['payroll took (204) pay_period.closed of new']);
});

test('a rotation of the log in between loses no attempt and shows none twice', async () => {
  const file = join(createTemporaryFolder('log'), 'functions.log');
  const log = openLog(file);
  const attempt = (eventId: string) => `${JSON.stringify({ ...TAKEN, eventId })}\n`;
  writeSync(log, `${'x'.repeat(1_000)}\n${attempt('first')}`);
  const seen: string[] = [];
  const reader = readAttempts(
    { file, from: 0 },
    async (message) => void seen.push(receivedText(message)),
    EVENTS,
  );
  await eventually(() => expect(seen).toHaveLength(1));
  writeSync(log, attempt('before the rotation'));
  rotateLog(file, log, 1_000);
  writeSync(log, attempt('after it'));
  await reader.finish();
  closeSync(log);
  expect(seen.map((line) => / of (.*)$/.exec(line)?.[1])).toEqual([
    'first',
    'before the rotation',
    'after it',
  ]);
  expect(statSync(file).size).toBe(attempt('after it').length);
});

test('reading ends when the reader of the output is gone', async () => {
  const file = join(createTemporaryFolder('log'), 'functions.log');
  writeFileSync(file, `${JSON.stringify(TAKEN)}\n`);
  const reader = readAttempts({ file, from: 0 }, () => Promise.reject(new Error('gone')), EVENTS);
  await expect(reader.failed).rejects.toThrow('gone');
  await expect(reader.finish()).rejects.toThrow('gone');
});
