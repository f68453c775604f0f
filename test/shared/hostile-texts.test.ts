import { describe, expect, test } from 'vitest';
import { readPaid } from '#cli/period/read-paid.ts';
import { verifyWebhook } from '#kit/verify-webhook.ts';
import { toChatAnswer } from '#shared/adapters/chat/answer.ts';
import { parseToken } from '#shared/adapters/credential/credential.ts';
import { readBucketItem, toBucketItem } from '#shared/adapters/dynamo/bucket-items.ts';
import { createAddresses } from '#shared/adapters/workforce-api/addresses.ts';
import { parseAskedWait } from '#shared/adapters/workforce-api/http/asked-wait.ts';
import { toRefusalError } from '#shared/adapters/workforce-api/http/failures.ts';
import { parseInstant } from '#shared/core/dates.ts';
import { describeFailure } from '#shared/core/errors.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { toQueueSafeJson } from '#shared/core/queue-safe-json.ts';
import { checkRow, feedDefinition, parseRow, readRecordText } from '#shared/core/records/feed-definition.ts';
import { openDoor } from '#shared/core/records/values.ts';
import { isWellFormed, makeJsonWellFormed } from '#shared/core/records/well-formed.ts';
import { parseRetryAfter } from '#shared/core/retry-after.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import { buildMail } from '#shared/people/layout/mail.ts';
import { buildSlackPayload } from '#shared/people/layout/slack-blocks.ts';
import { buildTeamsPayload } from '#shared/people/layout/teams-card.ts';
import type { Message } from '#shared/people/message.ts';
import { cleanText, fitLine } from '#shared/people/messages/clean-text.ts';
import { buildCsvFiles } from '#shared/period/csv.ts';
import { escapeUnprintable } from '#shared/terminal/output.ts';
import { readable } from '#shared/terminal/readable-value.ts';

/** Where a pattern may begin, go on, and fail in the end. */
const PIECES = [
  ...['a', '-', ' ', '\t', '\n', '.', ',', ':', '/', '?', '&', '=', '"', '\\', '(', '{', '0', '1', '\u2028'],
  ...['secret', 'bearer ', 'eyJ', 'a.', 'aaaaaaaa.', ':a', ' (', '{{', '\\"', '00:', 'T00:00', ' of '],
  ...['a@a.aa ', 'https://', '\u0301', '\u0300\u0301\u0316', '\u200b', '\ud800'],
];
/** What comes before such a repetition, and what lets it fail. */
const STARTS = ['', '"2026-11-20T08:00:00.', 'error\n', 'token', 'Mon, '];
const END = '!1';

/** A quarter of a megabyte of one character that is repeated; other repetitions, of which there are many, have 16 KB. */
const CHARACTERS = 262_144;
const CHARACTERS_OF_OTHERS = 16_384;
/** Work that grows with the length takes as long for a text as for its parts; with its square, as many times as long. */
const PARTS = 64;
const MAX_RATIO = 8;
/** What takes less is not compared: it keeps nobody waiting, and times so short vary. */
const QUICK_MS = 25;
/** How often what seems slow is run again: a collection of garbage is counted as the time of the run that meets it. */
const RUNS = 10;

const asked = { purpose: 'read', place: 'x', secretName: 's', secrets: ['canary-token'] } as const;
const addresses = createAddresses('https://acme.example');
const door = openDoor('Pacific/Auckland', 0);
const CSV = { names: { employees: new Map(), departments: new Map() }, timeZone: 'UTC' } as const;
const reading = { timeZone: 'UTC', day: null };

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  'the start of a refusal': (text) => toRefusalError(500, text, asked),
  'headers about quota': (text) => parseAskedWait({ get: () => text }, 0),
  'Retry-After of a receiver': (text) => parseRetryAfter(text, 0),
  'an address of a next page': (text) => attempt(() => addresses.nextPage(text)),
  'a token': (text) => attempt(() => parseToken({ access_token: text }, 0)),
  'a timesheet': (text) => read('timesheets', recordOf(text)),
  'a pay period': (text) => read('pay-periods', { calendar: text }),
  'a well-formed text': (text) => [isWellFormed(text), makeJsonWellFormed(JSON.stringify(text))],
  'a date-time': (text) => [parseInstant(text, 'UTC'), readable(text, reading)],
  'a row that is stored': (text) =>
    readBucketItem(toBucketItem({ partition: 'a', sort: '0' }, [rowOf(text)])),
  'a text in a message': (text) => [cleanText(text), fitLine(text)],
  names: (text) => read('employees', { id: '1', contractedHours: [], firstNames: text, lastName: text }),
  'a mail': (text) => buildMail(messageOf(text), { channel: 'a', stackName: 'b' }),
  'a message in Slack': (text) => buildSlackPayload(messageOf(text)),
  'a card in Teams': (text) => buildTeamsPayload(messageOf(text)),
  'an answer of a chat': (text) => toChatAnswer({ status: 400, text, retryAfterMs: null }),
  'JSON for a queue': (text) => toQueueSafeJson([text]),
  'a failure with a foreign message': (text) => describeFailure(new Error(text)),
  'a line on a terminal': escapeUnprintable,
  'a cell of a spreadsheet': (text) =>
    buildCsvFiles({ id: '1', timesheets: [memberOf(text)], changed: null }, CSV),
  'what a payer has paid': (text) => attempt(() => readPaid(text, 'paid')),
  'a signature': (text) =>
    verifyWebhook(
      { headers: { 'webhook-id': text, 'webhook-timestamp': text, 'webhook-signature': text }, body: text },
      `whsec_${'a'.repeat(32)}`,
      { now: 0 },
    ),
};

describe('work grows with the length of a foreign text, not with its square:', () => {
  test.each(Object.entries(READERS))('%s', (_what, readRecordText) => {
    const slow = STARTS.flatMap((start) => PIECES.map((piece) => ({ start, piece }))).filter((shape) =>
      isSlow(readRecordText, shape),
    );

    expect(slow).toEqual([]);
  });

  test('which a pattern that begins anew at every character does not', () => {
    expect(isSlow((text) => /a+b/.test(text), { start: '', piece: 'a' })).toBe(true);
  });
});

interface Shape {
  readonly start: string;
  readonly piece: string;
}

/**
 * Compares a text with its parts, never a time with the clock alone: a slow machine is slow for both. From short to long,
 * so that what is slow is found before it takes minutes.
 */
function isSlow(readRecordText: (text: string) => unknown, shape: Shape): boolean {
  const longest = shape.start === '' && shape.piece.length === 1 ? CHARACTERS : CHARACTERS_OF_OTHERS;
  for (let length = longest / 4 ** 4; length <= longest; length *= 4) {
    const [text, part] = [length, length / PARTS].map((each) => write(shape, each));
    const readWhole = () => readRecordText(text ?? '');
    const readParts = () => Array.from({ length: PARTS }, () => readRecordText(part ?? ''));
    if (measure(readWhole) >= QUICK_MS && staysSlower(readWhole, readParts)) return true;
  }
  return false;
}

function write({ start, piece }: Shape, length: number): string {
  return `${start}${piece.repeat(length / piece.length)}${END}`;
}

/** Whether the quickest of all runs of the whole takes too long beside the quickest of its parts. */
function staysSlower(readWhole: () => unknown, readParts: () => unknown): boolean {
  let [whole, parts] = [measure(readWhole), measure(readParts)];
  for (let run = 1; run < RUNS && whole > MAX_RATIO * parts; run += 1) {
    [whole, parts] = [Math.min(whole, measure(readWhole)), Math.min(parts, measure(readParts))];
  }
  return whole > MAX_RATIO * parts;
}

function measure(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

function attempt(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

function read(feed: FeedName, record: Record<string, unknown>) {
  const definition = feedDefinition(feed);
  return checkRow(definition, parseRow(readRecordText(definition, record, door)));
}

/** The text once, where all that reads a record meets it: every further place would take as long again. */
function recordOf(text: string): Record<string, unknown> {
  return { id: '1', date: '2026-11-20', startTime: text };
}

function messageOf(text: string): Message {
  const lines = [{ spans: [text, { bold: text }] }];
  return { id: '1', heading: text, lines, more: 0, urgent: false, at: 0, timeZone: 'UTC' };
}

function memberOf(text: string) {
  return { id: '1', state: { departmentId: '1', employeeId: text } };
}

function rowOf(id: string): StoredRow {
  return { id, epoch: 1, sequence: 1, sent: {}, text: JSON.stringify([id]) };
}
