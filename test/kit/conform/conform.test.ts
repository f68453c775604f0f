import { afterEach, describe, expect, test } from 'vitest';
import { buildSampleEvents } from '#cli/sample-events/sample-events.ts';
import { createEventMaker } from '#kit/conform/event-maker.ts';
import type { CheckVerdict } from '#kit/conform/judge.ts';
import { createProbe } from '#kit/conform/probe.ts';
import { type CheckRun, runChecks } from '#kit/conform/run-checks.ts';
import { createSender } from '#kit/conform/sender.ts';
import { parseSigningKey } from '#kit/conform/signing.ts';
import { SHORT_EVENT_TYPES } from '#shared/core/event-types.ts';
import { type Flaw, type Receiver, startReceiver } from './receivers.ts';

const SECRET = secretOf('current');
const PREVIOUS = secretOf('previous');
/** Enough for a receiver that answers on a busy machine. */
const TIMEOUT_MS = 10_000;

let receiver: Receiver | null = null;

afterEach(async () => {
  await receiver?.close();
  receiver = null;
});

test('a correct receiver passes every check', async () => {
  const verdicts = await verdictsOf([SECRET, PREVIOUS]);

  expect(verdicts.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
  expect(verdicts.length).toBeGreaterThanOrEqual(SHORT_EVENT_TYPES.length + 35);
});

test('every type has its own check, and every check its own description', async () => {
  const sent = (await verdictsOf([SECRET, PREVIOUS])).map((verdict) => verdict.sent);

  expect(sent.filter((text) => text.startsWith('an example of '))).toEqual(
    SHORT_EVENT_TYPES.map((type) => `an example of workforce.${type}`),
  );
  expect(new Set(sent).size).toBe(sent.length);
});

test('a receiver that passes also passes a second run, whatever it stored in the first', async () => {
  receiver = await startReceiver([SECRET]);
  await runAgainst(receiver, '1700000000000');

  expect(wrongOf(await runAgainst(receiver, '1700000000001'))).toEqual([]);
});

describe('a receiver that', () => {
  test.each<[Flaw, readonly string[]]>([
    ['ignores timestamps', ['a message signed 6 minutes ago', 'a message signed 6 minutes ahead']],
    ['verifies parsed bodies', ['a body with different whitespace and escapes']],
    [
      'reads the first signature only',
      ['two signatures, the second with your secret', 'a signature of another version next to yours'],
    ],
    ['knows no previous secret', ['a signature with the previous secret']],
    ['refuses unknown fields', ['unknown fields']],
    ['crashes on unknown types', ['an unknown type']],
    ['takes small bodies only', ['a large event (200 KB)']],
    ['fails when events come at once', ['50 events at once']],
    ['fails on a GET', ['a GET', 'a HEAD']],
    ['crashes on empty bodies', ['an empty body, signed']],
    ['refuses what is sent again', ['an event that was sent again (webhook-sent-again: true) is answered']],
    [
      'fails on duplicates',
      [
        'the same event twice is answered',
        'the same event twice, signed again, is answered',
        'the same event twice at once is answered',
        'an event that was sent again (webhook-sent-again: true) is answered',
      ],
    ],
    ['knows no epochs', ['the events of a record, then the first of a later epoch']],
    ['refuses earlier events', ['the events of a record, reordered, are answered']],
    [
      'applies in order of arrival',
      ['the events of a record in reverse', 'the last event of a record first'],
    ],
    ['remembers ids before it verifies', ['an event with a forged signature, then with the right one']],
  ])('%s is caught by the checks for it', async (flaw, expected) => {
    const wrong = wrongOf(await verdictsOf([SECRET, PREVIOUS], flaw));

    expect(wrong).toEqual(expected);
  });

  test('accepts bad signatures is caught by every check of a signature', async () => {
    expect(wrongOf(await verdictsOf([SECRET], 'accepts bad signatures'))).toEqual([
      'no header webhook-id',
      'no header webhook-timestamp',
      'no header webhook-signature',
      'no webhook header at all',
      'a signature of zeros',
      'a signature that is not base64',
      'an empty signature',
      'half of the right signature',
      'the right signature under another version',
      'a signature with another secret',
      'a body that was changed after it was signed',
      'an id that was changed after it was signed',
      'a timestamp that was changed after it was signed',
      'a message signed 6 minutes ago',
      'a message signed 6 minutes ahead',
      'a timestamp that is not a number',
      'an event of a record, then a forged one',
    ]);
  });

  test('stops working after it refused something is caught by a valid event', async () => {
    const wrong = wrongOf(await verdictsOf([SECRET], 'breaks after a refusal'));

    expect(wrong).toContain('a valid event after all that');
  });

  test.each<[Flaw, CheckVerdict]>([
    [
      'redirects',
      {
        outcome: 'wrong',
        sent: 'an example of workforce.timesheet.created',
        answered: '308 in 7 ms',
        expected: '2xx',
        mend: 'answer at exactly the configured address: redirects are not followed; a proxy or a missing slash may cause them',
      },
    ],
    [
      'answers never',
      {
        outcome: 'wrong',
        sent: 'an example of workforce.timesheet.created',
        answered: 'nothing within 7 ms',
        expected: '2xx',
        mend: 'answer before processing: store the event, answer 2xx, then process it',
      },
    ],
    [
      'breaks off',
      {
        outcome: 'wrong',
        sent: 'an example of workforce.timesheet.created',
        answered: 'nothing (UND_ERR_SOCKET after 7 ms)',
        expected: '2xx',
        mend: 'the connection broke: look for an uncaught error in the log of the receiver',
      },
    ],
  ])('%s gets its advice at the first event', async (flaw, expected) => {
    receiver = await startReceiver([SECRET], flaw);

    const timeoutMs = flaw === 'answers never' ? 20 : TIMEOUT_MS;
    expect(await firstVerdict(receiver, timeoutMs)).toEqual(expected);
  });

  test('answers 410 gets the advice that this disables the webhook', async () => {
    const verdicts = await verdictsOf([SECRET], 'says gone instead of no');

    expect(verdicts.find(({ outcome }) => outcome === 'wrong')).toMatchObject({
      sent: 'no header webhook-id',
      expected: '4xx, but not 410',
      mend: 'do not answer 410 unless you want no more events: it disables the webhook',
    });
  });

  test('does not exist is an error that says what to do', async () => {
    const gone = await startReceiver([SECRET]);
    await gone.close();

    await expect(runAgainst(gone, '1700000000000')).rejects.toMatchObject({
      code: 'receiver_unreachable',
      message: `nothing answers at ${gone.url} (ECONNREFUSED); start your receiver, or correct the address`,
    });
  });

  test('reports no state fails the checks of state, with how to report it', async () => {
    receiver = await startReceiver([SECRET]);
    const verdicts = await runAgainst({ ...receiver, probeUrl: receiver.url }, '1700000000000');

    expect(verdicts.find(({ outcome }) => outcome === 'wrong')).toEqual({
      outcome: 'wrong',
      sent: 'the events of a record in order',
      answered: 'the probe answered 405',
      expected: expect.stringMatching(/^sequence 4 of record 1700000000000\d{3}_1$/),
      mend: 'the probe must answer with a JSON object: by record id, the sequence of the last applied event',
    });
  });
});

async function verdictsOf(secrets: readonly string[], ...flaws: readonly Flaw[]): Promise<CheckVerdict[]> {
  receiver = await startReceiver(secrets, ...flaws);
  return await runAgainst(receiver, '1700000000000', secrets);
}

async function runAgainst(to: Receiver, run: string, secrets?: readonly string[]): Promise<CheckVerdict[]> {
  const verdicts: CheckVerdict[] = [];
  for await (const verdict of runChecks(optionsFor(to, run, secrets))) verdicts.push(verdict);
  return verdicts;
}

/** A clock on which every request takes 7 ms. */
async function firstVerdict(to: Receiver, timeoutMs: number): Promise<CheckVerdict | undefined> {
  let now = 0;
  const send = createSender({ url: to.url, timeoutMs, now: () => (now += 7) });
  const { value } = await runChecks({ ...optionsFor(to, '1700000000000'), send }).next();
  return value ?? undefined;
}

function optionsFor(
  { url, probeUrl }: Receiver,
  run: string,
  [current = SECRET, previous]: readonly string[] = [SECRET],
): CheckRun {
  return {
    url,
    kit: {
      types: SHORT_EVENT_TYPES,
      events: createEventMaker(buildSampleEvents(), run),
      key: parseSigningKey(current, '--secret'),
      previousKey: previous === undefined ? null : parseSigningKey(previous, '--previous-secret'),
      foreignKey: Buffer.from('0123456789abcdef01234567'),
    },
    send: createSender({ url, timeoutMs: TIMEOUT_MS, now: () => performance.now() }),
    probe: createProbe({ url: probeUrl, timeoutMs: TIMEOUT_MS, sleep: async () => {} }),
    now: Date.now,
  };
}

function wrongOf(verdicts: readonly CheckVerdict[]): string[] {
  return verdicts.filter(({ outcome }) => outcome === 'wrong').map(({ sent }) => sent);
}

function secretOf(seed: string): string {
  return `whsec_${Buffer.from(seed.padEnd(32, '.')).toString('base64')}`;
}
