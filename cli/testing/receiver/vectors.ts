import { EVENT_TYPES } from '#shared/core/event-types.ts';
import type { ReceiverRequest, Sender } from './vector-sender.ts';

/** `accept`: 2xx. `refuse`: 4xx. `survive`: below 500. `hold`: any, and then it holds a sequence. Never 410. */
export type Expectation = 'accept' | 'refuse' | 'survive' | 'hold';

/** Signs its requests at the time of the call. `record` is a new one. */
type Make = (sender: Sender, record: string) => readonly ReceiverRequest[];

/** Requests, and what each answer must be. */
export interface Vector {
  readonly expect: Expectation;
  /** What is sent, in words. */
  readonly sent: string;
  /** How to fix a receiver that fails. */
  readonly mend: string;
  readonly make: Make;
  /** Sent concurrently. */
  readonly atOnce?: true;
  /** The sequence of the record that the receiver must then hold. */
  readonly holds?: number;
}

const VALID =
  'compare the secret with that of your receiver, verify the raw bytes of the body, and check the clock of its machine';
const EVERY_TYPE = 'answer 2xx to every type of event, also to those you do not use';
const UNKNOWN_TYPE =
  'answer 2xx to unknown types: new ones are added, and refused events are retried for days';
const UNKNOWN_FIELD = 'ignore unknown fields: new ones are added, none is ever renamed or removed';
const RAW =
  'verify the raw bytes of the body, decoded as UTF-8: JSON that was serialized again has another signature';
const LARGE = 'accept bodies up to 256 KB; the default limit of many body parsers is 100 KB';
const CLOCK =
  'allow 5 minutes between webhook-timestamp and your clock; if you do, correct the clock of this machine';
const EVERY_SIGNATURE =
  'try every signature of version v1 in webhook-signature: during a rotation there are two, separated by a space';
const REPEATED =
  'answer 2xx to an event that you already have and ignore it: every event can arrive more than once';
const SENT_AGAIN =
  'answer 2xx to events that are sent again; whether you act on those you already have is up to you';
const ANY_ORDER = 'answer 2xx in any order of events: refused ones only come back later';
const QUICK =
  'answer before processing: store the event, answer 2xx, then process it; a pay run produces thousands of events';
const VERIFY =
  'verify the signature before anything else, with the Standard Webhooks library of your language';
const EMPTY = 'refuse an empty body: a webhook always carries an event';
const V1 = 'accept only signatures of version v1';
const THIS_SECRET = 'verify with the secret of this webhook only';
const TOGETHER =
  'verify id, timestamp and body together: the signature is over `{webhook-id}.{webhook-timestamp}.{body}`';
const RECENT =
  'refuse a webhook-timestamp more than 5 minutes from now: otherwise a recorded message can be sent again';
const SECONDS = 'refuse a webhook-timestamp that is not a number of seconds';
const POST_ONLY = 'answer 405 to any method but POST; somebody will open the address in a browser';
const BROKEN = 'an earlier request broke the receiver; see its log';
const DROP_REPEATS = 'remember event ids, or the last sequence of each record, and drop repeats';
const IN_ORDER = 'apply an event only when its sequence is higher than the last one of its record';
const LATER =
  'order the events of a record by epoch (as text), then by sequence: the first of a later epoch replaces all before it';
const VERIFY_FIRST = 'verify the signature before anything else, even before remembering the id';

/** Receivers allow 300 s: one with room for the time in transit, one beyond. */
const OLD_SECONDS = 240;
const TOO_OLD_SECONDS = 360;
/** Close to the 256 KB limit of SNS and SQS. */
const LARGE_BYTES = 200 * 1024;
const BURST = 50;
const APPROVED = 'workforce.timesheet.approved';
const CHANGED = 'workforce.timesheet.changed';
const TELEPORTED = {
  type: 'workforce.timesheet.teleported',
  dataschema: 'urn:workforce-change-notifier:schema:timesheet.teleported:1',
};
const HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
const AGAIN = { headers: { 'webhook-sent-again': 'true' } };

const to =
  (expect: Expectation, more: Pick<Vector, 'atOnce' | 'holds'> = {}) =>
  (sent: string, mend: string, make: Make): Vector => ({ expect, sent, mend, make, ...more });
const accept = to('accept');
const acceptAtOnce = to('accept', { atOnce: true });
const refuse = to('refuse');
/** The requests are those of the life of a record. */
const hold = (holds: number, sent: string, mend: string, order: (life: string[]) => readonly string[]) =>
  to('hold', { holds })(sent, mend, (s, record) => order(s.live(record)).map((body) => s.sign(body)));

/** All that a receiver meets, in the order in which it is sent. */
export const VECTORS: readonly Vector[] = [
  accept('a valid event', VALID, (s) => [s.approved()]),
  ...EVENT_TYPES.map((type) => accept(`an example of ${type}`, EVERY_TYPE, (s) => [s.sign(s.example(type))])),
  accept('an unknown type', UNKNOWN_TYPE, (s) => [s.sign(s.example(CHANGED, TELEPORTED))]),
  accept('unknown fields', UNKNOWN_FIELD, (s) => [
    s.sign(s.example(CHANGED, { additional: { is: ['new'] } }, { additional: null })),
  ]),
  accept('a body with different whitespace and escapes', RAW, (s) => [
    s.sign(JSON.stringify(JSON.parse(s.example(APPROVED)), null, 2).replace('workforce', '\\u0077orkforce')),
  ]),
  accept('characters beyond ASCII', RAW, (s) => [
    s.sign(s.example(CHANGED, {}, { note: 'Küche · 厨房 · 👩‍🍳' })),
  ]),
  accept(`a large event (${LARGE_BYTES / 1024} KB)`, LARGE, (s) => [
    s.sign(s.example(CHANGED, {}, { note: 'x'.repeat(LARGE_BYTES) })),
  ]),
  accept(`a message signed ${OLD_SECONDS / 60} minutes ago`, CLOCK, (s) => [
    s.approved({ age: OLD_SECONDS }),
  ]),
  accept('two signatures, the second with your secret', EVERY_SIGNATURE, (s) => [
    s.approved({ signature: (own, foreign) => `${foreign} ${own}` }),
  ]),
  accept('two signatures, the first with your secret', EVERY_SIGNATURE, (s) => [
    s.approved({ signature: (own, foreign) => `${own} ${foreign}` }),
  ]),
  accept('a signature of another version next to yours', EVERY_SIGNATURE, (s) => [
    s.approved({ signature: (own) => `v2,${own.slice(3)} ${own}` }),
  ]),
  accept('the same event twice is answered', REPEATED, (s) => twice(s.approved())),
  accept('the same event twice, signed again, is answered', REPEATED, (s) => {
    const body = s.example(APPROVED);
    return [s.sign(body, { age: 60 }), s.sign(body)];
  }),
  accept('an event that was sent again (webhook-sent-again: true) is answered', SENT_AGAIN, (s) => {
    const body = s.example(APPROVED);
    return [s.sign(body), s.sign(body, AGAIN), s.approved(AGAIN)];
  }),
  accept('the events of a record, reordered, are answered', ANY_ORDER, (s, record) => {
    const [first = '', second = '', third = '', fourth = ''] = s.live(record);
    return [third, first, fourth, second].map((body) => s.sign(body));
  }),
  accept(
    'a record whose first events are missing, changed late and reversed, is answered',
    ANY_ORDER,
    (s, record) =>
      s
        .live(record)
        .slice(2, 4)
        .map((body) => s.sign(body)),
  ),
  acceptAtOnce('the same event twice at once is answered', REPEATED, (s) => twice(s.approved())),
  acceptAtOnce(`${BURST} events at once`, QUICK, (s) => Array.from({ length: BURST }, () => s.approved())),
  ...HEADERS.map((name) =>
    refuse(`no header ${name}`, `refuse requests without ${name}; ${VERIFY}`, (s) => [
      s.approved({ headers: { [name]: undefined } }),
    ]),
  ),
  refuse('no webhook header at all', `refuse requests without ${HEADERS.join(', ')}; ${VERIFY}`, (s) => [
    s.approved({ headers: Object.fromEntries(HEADERS.map((name) => [name, undefined])) }),
  ]),
  refuse('an empty body', EMPTY, () => [{ method: 'POST', headers: {}, body: '' }]),
  refuse('an empty body, signed', EMPTY, (s, id) => [s.sign('', { id })]),
  refuse('a signature of zeros', VERIFY, (s) => [
    s.approved({ signature: () => `v1,${Buffer.alloc(32).toString('base64')}` }),
  ]),
  refuse('a signature that is not base64', VERIFY, (s) => [s.approved({ signature: () => 'v1,<script>' })]),
  refuse('an empty signature', VERIFY, (s) => [s.approved({ signature: () => 'v1,' })]),
  refuse('half of the right signature', VERIFY, (s) => [
    s.approved({ signature: (own) => own.slice(0, 20) }),
  ]),
  refuse('the right signature under another version', V1, (s) => [
    s.approved({ signature: (own) => `v2,${own.slice(3)}` }),
  ]),
  refuse('a signature with another secret', THIS_SECRET, (s) => [s.approved({ isForged: true })]),
  refuse('a body that was changed after it was signed', TOGETHER, (s) => {
    const signed = s.approved();
    return [{ ...signed, body: signed.body.replace('"sequence":', '"sequence":1') }];
  }),
  refuse('an id that was changed after it was signed', TOGETHER, (s, record) => [
    s.approved({ headers: { 'webhook-id': record } }),
  ]),
  refuse('a timestamp that was changed after it was signed', TOGETHER, (s) => [
    s.approved({ age: 2, headers: { 'webhook-timestamp': String(Math.floor(Date.now() / 1_000)) } }),
  ]),
  refuse(`a message signed ${TOO_OLD_SECONDS / 60} minutes ago`, RECENT, (s) => [
    s.approved({ age: TOO_OLD_SECONDS }),
  ]),
  refuse(`a message signed ${TOO_OLD_SECONDS / 60} minutes ahead`, RECENT, (s) => [
    s.approved({ age: -TOO_OLD_SECONDS }),
  ]),
  refuse('a timestamp that is not a number', SECONDS, (s) => [s.approved({ timestamp: 'yesterday' })]),
  ...(['GET', 'HEAD'] as const).map((method) =>
    to('survive')(`a ${method}`, POST_ONLY, () => [{ method, headers: {}, body: '' }]),
  ),
  accept('a valid event after all that', BROKEN, (s) => [s.approved()]),
  hold(4, 'the events of a record in order', IN_ORDER, (life) => life.slice(0, 4)),
  hold(4, 'every event of a record twice', DROP_REPEATS, (life) => life.slice(0, 4).flatMap(twice)),
  hold(4, 'all events of a record, then all of them again', DROP_REPEATS, (life) => [
    ...life.slice(0, 4),
    ...life.slice(0, 4),
  ]),
  hold(4, 'the events of a record in reverse', IN_ORDER, (life) => life.slice(0, 4).toReversed()),
  hold(4, 'the last event of a record first', IN_ORDER, (life) => [...life.slice(3, 4), ...life.slice(0, 3)]),
  hold(1, 'the events of a record, then the first of a later epoch', LATER, (life) => life),
  to('hold', { holds: 1 })('an event of a record, then a forged one', VERIFY_FIRST, (s, record) => {
    const [created = '', approved = ''] = s.live(record);
    return [s.sign(created), s.sign(approved, { isForged: true })];
  }),
  to('hold', { holds: 1 })(
    'an event with a forged signature, then with the right one',
    VERIFY_FIRST,
    (s, record) => {
      const [created = ''] = s.live(record);
      return [s.sign(created, { isForged: true }), s.sign(created)];
    },
  ),
];

function twice<Item>(item: Item): Item[] {
  return [item, item];
}
