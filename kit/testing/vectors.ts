import { EVENT_TYPES } from '../../shared/core/event-types.ts';
import { BASE_HEADERS, type ReceiverRequest, Sender } from './vector-sender.ts';

/** `answer`: any status. `accept`: 2xx. `refuse`: 4xx, but not 410. `survive`: anything below 500, but not 410. */
export type Expectation = 'accept' | 'refuse' | 'survive' | 'answer';

/** Requests, and what each answer must be. */
export interface Vector {
  readonly expect: Expectation;
  /** What is sent, in words. */
  readonly sent: string;
  /** How to fix a receiver that fails. */
  readonly mend: string;
  readonly requests: readonly ReceiverRequest[];
  /** Sent concurrently. */
  readonly atOnce?: true;
  /** The sequence that the receiver must then hold of a record. */
  readonly holds?: { readonly record: string; readonly sequence: number };
}

/** Receivers allow 300 s: one with room for the time in transit, one beyond. */
const OLD_SECONDS = 240;
const TOO_OLD_SECONDS = 360;
/** Close to the 256 KB limit of SNS and SQS. */
const LARGE_BYTES = 200 * 1024;
const BURST = 50;
const SENT_AGAIN = { 'webhook-sent-again': 'true' };

const VERIFY =
  'verify the signature before anything else, with the Standard Webhooks library of your language';
const TOGETHER =
  'verify id, timestamp and body together: the signature is over `{webhook-id}.{webhook-timestamp}.{body}`';
const RECENT =
  'refuse a webhook-timestamp more than 5 minutes from now: otherwise a recorded message can be sent again';
const RAW =
  'verify the raw bytes of the body, decoded as UTF-8: JSON that was serialized again has another signature';
const EVERY_SIGNATURE =
  'try every signature of version v1 in webhook-signature: during a rotation there are two, separated by a space';
const REPEATED =
  'answer 2xx to an event that you already have and ignore it: every event can arrive more than once';
const ANY_ORDER = 'answer 2xx in any order of events: refused ones only come back later';
const DROP_REPEATS = 'remember event ids, or the last sequence of each record, and drop repeats';
const IN_ORDER = 'apply an event only when its sequence is higher than the last one of its record';
const LATER =
  'order the events of a record by epoch (as text), then by sequence: the first of a later epoch replaces all before it';

/** All that a receiver meets; each is signed as it is asked for. `holds`: also what it must then hold of records. */
export function* listVectors(secret: string, holds: boolean): Generator<Vector, void> {
  const sender = new Sender(secret);
  yield {
    expect: 'accept',
    sent: 'a valid event',
    mend: 'compare the secret with that of your receiver, verify the raw bytes of the body, and check the clock of its machine',
    requests: [sender.sign(sender.approved())],
  };
  for (const type of EVENT_TYPES) {
    const mend = 'answer 2xx to every type of event, also to those you do not use';
    const requests = [sender.sign(sender.example(type))];
    yield { expect: 'accept', sent: `an example of ${type}`, mend, requests };
  }
  for (const [sent, mend, ...requests] of [
    ...unusual(sender),
    ...signedTwice(sender),
    ...repeated(sender),
    ...reordered(sender),
  ])
    yield { expect: 'accept', sent, mend, requests };
  yield* atOnce(sender);
  for (const [sent, mend, ...requests] of [...unsigned(sender), ...forged(sender), ...tampered(sender)])
    yield { expect: 'refuse', sent, mend, requests };
  for (const method of ['GET', 'HEAD'] as const) {
    const mend = 'answer 405 to any method but POST; somebody will open the address in a browser';
    yield { expect: 'survive', sent: `a ${method}`, mend, requests: [{ method, headers: {}, body: '' }] };
  }
  yield {
    expect: 'accept',
    sent: 'a valid event after all that',
    mend: 'an earlier request broke the receiver; see its log',
    requests: [sender.sign(sender.approved())],
  };
  if (holds) yield* held(sender);
}

type Row = readonly [sent: string, mend: string, ...requests: ReceiverRequest[]];

function unusual(sender: Sender): Row[] {
  const changed = 'workforce.timesheet.changed';
  const unknown = {
    type: 'workforce.timesheet.teleported',
    dataschema: 'urn:workforce-change-notifier:schema:timesheet.teleported:1',
  };
  const body = sender.approved();
  const { id } = JSON.parse(body) as { readonly id: string };
  const spaced = JSON.stringify(JSON.parse(body), null, 2).replace('workforce', '\\u0077orkforce');
  const large = { note: 'x'.repeat(LARGE_BYTES) };
  return [
    [
      'an unknown type',
      'answer 2xx to unknown types: new ones are added, and refused events are retried for days',
      sender.sign(sender.example(changed, unknown)),
    ],
    [
      'unknown fields',
      'ignore unknown fields: new ones are added, none is ever renamed or removed',
      sender.sign(sender.example(changed, { additional: { is: ['new'] } }, { additional: null })),
    ],
    ['a body with different whitespace and escapes', RAW, sender.sign(spaced, { id })],
    [
      'characters beyond ASCII',
      RAW,
      sender.sign(sender.example(changed, {}, { note: 'Küche · 厨房 · 👩‍🍳' })),
    ],
    [
      `a large event (${LARGE_BYTES / 1024} KB)`,
      'accept bodies up to 256 KB; the default limit of many body parsers is 100 KB',
      sender.sign(sender.example(changed, {}, large)),
    ],
    [
      `a message signed ${OLD_SECONDS / 60} minutes ago`,
      'allow 5 minutes between webhook-timestamp and your clock; if you do, correct the clock of this machine',
      sender.sign(sender.approved(), { age: OLD_SECONDS }),
    ],
  ];
}

function signedTwice(sender: Sender): Row[] {
  const withSignature = (combine: (own: string, foreign: string) => string) => {
    const body = sender.approved();
    const foreign = sender.sign(body, { key: sender.foreign }).headers['webhook-signature'] ?? '';
    return sender.sign(body, { signature: (own) => combine(own, foreign) });
  };
  return [
    [
      'two signatures, the second with your secret',
      EVERY_SIGNATURE,
      withSignature((own, foreign) => `${foreign} ${own}`),
    ],
    [
      'two signatures, the first with your secret',
      EVERY_SIGNATURE,
      withSignature((own, foreign) => `${own} ${foreign}`),
    ],
    [
      'a signature of another version next to yours',
      EVERY_SIGNATURE,
      withSignature((own) => `v2,${own.slice(3)} ${own}`),
    ],
  ];
}

function repeated(sender: Sender): Row[] {
  const [twice, again, sentAgain] = [sender.approved(), sender.approved(), sender.approved()];
  return [
    ['the same event twice is answered', REPEATED, sender.sign(twice), sender.sign(twice)],
    [
      'the same event twice, signed again, is answered',
      REPEATED,
      sender.sign(again, { age: 60 }),
      sender.sign(again),
    ],
    [
      'an event that was sent again (webhook-sent-again: true) is answered',
      'answer 2xx to events that are sent again; whether you act on those you already have is up to you',
      sender.sign(sentAgain),
      sender.sign(sentAgain, { headers: SENT_AGAIN }),
      sender.sign(sender.approved(), { headers: SENT_AGAIN }),
    ],
  ];
}

function reordered(sender: Sender): Row[] {
  const [first, second, third, fourth] = sender.live(sender.freshRecord());
  const later = sender.live(sender.freshRecord()).slice(2);
  const sign = (bodies: readonly string[]) => bodies.map((body) => sender.sign(body));
  return [
    ['the events of a record, reordered, are answered', ANY_ORDER, ...sign([third, first, fourth, second])],
    [
      'a record whose first events are missing, changed late and reversed, is answered',
      ANY_ORDER,
      ...sign(later),
    ],
  ];
}

function* atOnce(sender: Sender): Generator<Vector, void> {
  const twice = sender.approved();
  const requests = [sender.sign(twice), sender.sign(twice)];
  yield {
    expect: 'accept',
    sent: 'the same event twice at once is answered',
    mend: REPEATED,
    requests,
    atOnce: true,
  };
  yield {
    expect: 'accept',
    sent: `${BURST} events at once`,
    mend: 'answer before processing: store the event, answer 2xx, then process it; a pay run produces thousands of events',
    requests: Array.from({ length: BURST }, () =>
      sender.sign(sender.example('workforce.timesheet.clocked_in')),
    ),
    atOnce: true,
  };
}

function unsigned(sender: Sender): Row[] {
  const without = (names: readonly string[]): ReceiverRequest => {
    const signed = sender.sign(sender.approved());
    const headers = Object.entries(signed.headers).filter(([name]) => !names.includes(name));
    return { ...signed, headers: Object.fromEntries(headers) };
  };
  const all = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  const empty = 'refuse an empty body: a webhook always carries an event';
  return [
    ...all.map(
      (name): Row => [`no header ${name}`, `refuse requests without ${name}; ${VERIFY}`, without([name])],
    ),
    ['no webhook header at all', `refuse requests without ${all.join(', ')}; ${VERIFY}`, without(all)],
    ['an empty body', empty, { method: 'POST', headers: BASE_HEADERS, body: '' }],
    ['an empty body, signed', empty, sender.sign('', { id: sender.freshRecord() })],
  ];
}

function forged(sender: Sender): Row[] {
  const withSignature = (signature: (own: string) => string) => sender.sign(sender.approved(), { signature });
  return [
    ['a signature of zeros', VERIFY, withSignature(() => `v1,${Buffer.alloc(32).toString('base64')}`)],
    ['a signature that is not base64', VERIFY, withSignature(() => 'v1,<script>')],
    ['an empty signature', VERIFY, withSignature(() => 'v1,')],
    ['half of the right signature', VERIFY, withSignature((own) => own.slice(0, 20))],
    [
      'the right signature under another version',
      'accept only signatures of version v1',
      withSignature((own) => `v2,${own.slice(3)}`),
    ],
    [
      'a signature with another secret',
      'verify with the secret of this webhook only',
      sender.sign(sender.approved(), { key: sender.foreign }),
    ],
  ];
}

function tampered(sender: Sender): Row[] {
  const [body, id, timestamp] = [1, 2, 3].map(() => sender.sign(sender.approved())) as [
    ReceiverRequest,
    ReceiverRequest,
    ReceiverRequest,
  ];
  const withHeader = (request: ReceiverRequest, name: string, change: (value: string) => string) => ({
    ...request,
    headers: { ...request.headers, [name]: change(request.headers[name] ?? '') },
  });
  const minutes = TOO_OLD_SECONDS / 60;
  return [
    [
      'a body that was changed after it was signed',
      TOGETHER,
      { ...body, body: body.body.replace('"sequence":', '"sequence":1') },
    ],
    [
      'an id that was changed after it was signed',
      TOGETHER,
      withHeader(id, 'webhook-id', (value) => `${value}0`),
    ],
    [
      'a timestamp that was changed after it was signed',
      TOGETHER,
      withHeader(timestamp, 'webhook-timestamp', (value) => String(Number(value) - 1)),
    ],
    [
      `a message signed ${minutes} minutes ago`,
      RECENT,
      sender.sign(sender.approved(), { age: TOO_OLD_SECONDS }),
    ],
    [
      `a message signed ${minutes} minutes ahead`,
      RECENT,
      sender.sign(sender.approved(), { age: -TOO_OLD_SECONDS }),
    ],
    [
      'a timestamp that is not a number',
      'refuse a webhook-timestamp that is not a number of seconds',
      sender.sign(sender.approved(), { timestamp: 'yesterday' }),
    ],
  ];
}

/** What a receiver must hold of a record whose events arrive repeated, reordered, in a later epoch or forged. */
function* held(sender: Sender): Generator<Vector, void> {
  const rows: readonly (readonly [string, string, (life: readonly string[]) => readonly string[]])[] = [
    ['the events of a record in order', IN_ORDER, (life) => life],
    ['every event of a record twice', DROP_REPEATS, (life) => life.flatMap((each) => [each, each])],
    ['all events of a record, then all of them again', DROP_REPEATS, (life) => [...life, ...life]],
    ['the events of a record in reverse', IN_ORDER, (life) => life.toReversed()],
    ['the last event of a record first', IN_ORDER, (life) => [...life.slice(-1), ...life.slice(0, -1)]],
  ];
  for (const [sent, mend, order] of rows) {
    const record = sender.freshRecord();
    const requests = order(sender.live(record)).map((body) => sender.sign(body));
    yield { expect: 'answer', sent, mend, requests, holds: { record, sequence: 4 } };
  }
  const record = sender.freshRecord();
  const life = sender.live(record);
  yield {
    ...{
      expect: 'answer' as const,
      sent: 'the events of a record, then the first of a later epoch',
      mend: LATER,
    },
    requests: [...life, sender.restored(record)].map((body) => sender.sign(body)),
    holds: { record, sequence: 1 },
  };
  yield* heldOfForged(sender);
}

function* heldOfForged(sender: Sender): Generator<Vector, void> {
  const mend = 'verify the signature before anything else, even before remembering the id';
  const [record, awaited] = [sender.freshRecord(), sender.freshRecord()];
  const [created, changed] = sender.live(record);
  const [first] = sender.live(awaited);
  const key = sender.foreign;
  const sent = [
    'an event of a record, then a forged one',
    'an event with a forged signature, then with the right one',
  ] as const;
  const any = { expect: 'answer', mend } as const;
  yield {
    ...any,
    sent: sent[0],
    requests: [sender.sign(created), sender.sign(changed, { key })],
    holds: { record, sequence: 1 },
  };
  yield {
    ...any,
    sent: sent[1],
    requests: [sender.sign(first, { key }), sender.sign(first)],
    holds: { record: awaited, sequence: 1 },
  };
}
