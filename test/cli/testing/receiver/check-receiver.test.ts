import { afterEach, expect, test } from 'vitest';
import { checkReceiver, type ReceiverCheck } from '#cli/testing/receiver/check-receiver.ts';
import { SHORT_EVENT_TYPES } from '#shared/core/event-types.ts';
import { type Flaw, type Receiver, startReceiver } from './flawed-receiver.ts';

const SECRET = `whsec_${Buffer.alloc(32, 'k').toString('base64')}`;

let receiver: Receiver | null = null;

afterEach(async () => {
  await receiver?.close();
  receiver = null;
});

test('a correct receiver passes every check, each about something else, and again whatever it stored', async () => {
  receiver = await startReceiver(SECRET);
  const { checks, wrong } = await check(receiver);
  expect(wrong).toEqual([]);
  const sent = checks.map((each) => each.sent);
  expect(new Set(sent).size).toBe(sent.length);
  expect(sent.length).toBeGreaterThanOrEqual(SHORT_EVENT_TYPES.length + 45);
  for (const type of SHORT_EVENT_TYPES) expect(sent).toContain(`an example of workforce.${type}`);
  expect((await check(receiver)).wrong).toEqual([]);
});

test('without a probe, what it holds is not asked for', async () => {
  receiver = await startReceiver(SECRET, 'applies in order of arrival');
  expect((await checkReceiver({ url: receiver.url, secret: SECRET })).wrong).toEqual([]);
});

test.each<[Flaw, readonly string[]]>([
  ['ignores timestamps', ['a message signed 6 minutes ago', 'a message signed 6 minutes ahead']],
  ['verifies parsed bodies', ['a body with different whitespace and escapes']],
  [
    'reads the first signature only',
    ['two signatures, the second with your secret', 'a signature of another version next to yours'],
  ],
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
      'an event that was sent again (webhook-sent-again: true) is answered',
      'the same event twice at once is answered',
    ],
  ],
  ['knows no epochs', ['the events of a record, then the first of a later epoch']],
  ['refuses earlier events', ['the events of a record, reordered, are answered']],
  ['applies in order of arrival', ['the events of a record in reverse', 'the last event of a record first']],
  ['remembers ids before it verifies', ['an event with a forged signature, then with the right one']],
  [
    'accepts bad signatures',
    [
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
    ],
  ],
])('a receiver that %s is caught by the checks for it', async (flaw, expected) => {
  receiver = await startReceiver(SECRET, flaw);
  expect((await check(receiver)).wrong.map(({ sent }) => sent)).toEqual(expected);
});

test.each<[Flaw, Partial<ReceiverCheck>]>([
  [
    'redirects',
    {
      ...{ sent: 'a valid event', answered: '308', expected: '2xx' },
      mend: 'answer at exactly the configured address: redirects are not followed; a proxy or a missing slash may cause them',
    },
  ],
  [
    'stops at an unknown type',
    {
      ...{ sent: 'an unknown type', answered: 'nothing (UND_ERR_SOCKET)' },
      mend: 'it ended or broke off: look for an uncaught error in the log of your receiver; what comes after was not sent',
    },
  ],
  [
    'says gone instead of no',
    {
      ...{ sent: 'no header webhook-id', expected: '4xx, but not 410' },
      mend: 'do not answer 410 unless you want no more events: it disables the webhook',
    },
  ],
  ['breaks after a refusal', { sent: 'no header webhook-timestamp', answered: '500' }],
])('a receiver that %s gets its advice', async (flaw, expected) => {
  receiver = await startReceiver(SECRET, flaw);
  const { wrong } = await check(receiver);
  expect(wrong[0]).toMatchObject(expected);
  expect(wrong.some(({ sent }) => sent === 'a valid event after all that')).toBe(
    flaw === 'breaks after a refusal',
  );
});

test('a receiver with another secret is told to compare it, once', async () => {
  receiver = await startReceiver(`whsec_${Buffer.alloc(32, 'o').toString('base64')}`);
  expect((await check(receiver)).checks).toEqual([
    {
      ...{ sent: 'a valid event', answered: '401', expected: '2xx' },
      mend: expect.stringMatching(/^compare the secret with that of your receiver, /),
    },
  ]);
});

test('a receiver that reports no state fails the checks of state, with how to report it', async () => {
  receiver = await startReceiver(SECRET);
  const { wrong } = await check({ ...receiver, probeUrl: receiver.url });
  expect(wrong[0]).toEqual({
    sent: 'the events of a record in order',
    answered: `no states at ${receiver.url}`,
    expected: expect.stringMatching(/^sequence 4 of record \d+_1$/),
    mend: 'your probe must answer with a JSON object: by record id, the sequence of the last applied event',
  });
});

test.each([
  [
    { url: 'http://127.0.0.1:65535/', secret: SECRET },
    'receiver_unreachable',
    /^http:\S+ does not answer \(\w+\); start your receiver/,
  ],
  [{ url: 'localhost:3000', secret: SECRET }, 'address_invalid', /no address of a receiver/],
  [{ url: 'http://127.0.0.1:1/', secret: SECRET, probe: 'x' }, 'address_invalid', /"x" is no address/],
  [{ url: 'http://127.0.0.1:1/', secret: 'canary' }, 'secret_invalid', /^(?!.*canary)/],
])('%j is refused', async (options, code, message) => {
  await expect(checkReceiver(options)).rejects.toMatchObject({
    code,
    message: expect.stringMatching(message),
  });
});

async function check({ url, probeUrl }: Receiver) {
  return await checkReceiver({ url, probe: probeUrl, secret: SECRET });
}
