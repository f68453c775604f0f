import { createHmac, randomBytes } from 'node:crypto';
import { EXAMPLE_EVENTS } from '#kit/testing.ts';
import { type EventType, topicOf } from '#shared/core/event-types.ts';
import { hashToEventId, toPartitionKey, toTraceParent } from '#shared/core/events/envelope.ts';

/** A request to a receiver. Names of headers are in lower case. */
export interface ReceiverRequest {
  readonly method: 'POST' | 'GET' | 'HEAD';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How a message differs from a correct one. */
interface Signing {
  readonly id?: string;
  /** Seconds since it was signed; negative for the future. */
  readonly age?: number;
  /** In place of the seconds since 1970, and signed. */
  readonly timestamp?: string;
  /** Signed with another secret. */
  readonly isForged?: true;
  /** Maps the signature, and that with another secret, to what is sent. */
  readonly signature?: (own: string, foreign: string) => string;
  /** Set after it is signed; undefined for none. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** Tells where these events come from when they are found in a receiver. */
const CONNECTION = 'test';
const EPOCH = '2026-11-02T00:00:00.000Z';
/** As after the sender's table was restored. */
const LATER_EPOCH = '2026-11-09T00:00:00.000Z';

/** Makes and signs events of records that no receiver has seen before. */
export class Sender {
  readonly #key: Uint8Array;
  readonly #foreign: Uint8Array = randomBytes(32);
  readonly #run = String(Date.now());
  #records = 0;

  constructor(secret: string) {
    this.#key = Buffer.from(secret.trim().slice('whsec_'.length), 'base64');
  }

  freshRecord(): string {
    this.#records += 1;
    return `${this.#run}${String(this.#records).padStart(3, '0')}_1`;
  }

  /** The example of a type, of a record of its own, with further members. */
  example(type: EventType, members: object = {}, data: object = {}): string {
    const event = placeExample(type, { record: this.freshRecord() });
    return JSON.stringify({ ...event, ...members, data: { ...event.data, ...data } });
  }

  /** A timesheet in five events: created, approved, changed after approval, revoked, and changed in a later epoch. */
  live(record: string): string[] {
    const step = (type: EventType, sequence: number, data: object = {}, epoch = EPOCH) => {
      const event = placeExample(type, { record, epoch, sequence });
      return { ...event, data: { ...event.data, ...data } };
    };
    const approved = step('workforce.timesheet.approved', 2);
    const late = ['approval'];
    return [
      step('workforce.timesheet.created', 1),
      approved,
      step('workforce.timesheet.changed', 3, { late }),
      step('workforce.timesheet.approval_revoked', 4, { late, reverses: approved.id }),
      step('workforce.timesheet.changed', 1, {}, LATER_EPOCH),
    ].map((event) => JSON.stringify(event));
  }

  /** A message signed as a delivery is, at the time of the call. */
  sign(body: string, signing: Signing = {}): ReceiverRequest {
    const id = signing.id ?? (JSON.parse(body) as { readonly id: string }).id;
    const timestamp = signing.timestamp ?? String(Math.floor(Date.now() / 1_000) - (signing.age ?? 0));
    const signWith = (key: Uint8Array) =>
      `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
    const [own, foreign] = [signWith(this.#key), signWith(this.#foreign)];
    const headers = {
      'content-type': 'application/cloudevents+json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signing.signature?.(own, foreign) ?? (signing.isForged ? foreign : own),
      ...signing.headers,
    };
    const given = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    );
    return { method: 'POST', headers: Object.fromEntries(given), body };
  }

  /** The same of an approved event of a new record. */
  approved(signing: Signing = {}): ReceiverRequest {
    return this.sign(this.example('workforce.timesheet.approved'), signing);
  }
}

interface Place {
  readonly record: string;
  readonly epoch?: string;
  readonly sequence?: number;
}

/** The example of a type as an event of another record; what the notifier says of itself is of none. */
function placeExample(type: EventType, { record, ...position }: Place) {
  const example = EXAMPLE_EVENTS[type];
  const source = example.source.replace(/^\/connections\/[^/]+/, `/connections/${CONNECTION}`);
  const id = hashToEventId([record, type, position]);
  const { subject } = topicOf(type) === 'operations' ? example : { subject: record };
  return {
    ...example,
    ...{ id, source, connection: CONNECTION, ...position },
    ...(subject === undefined ? {} : { subject }),
    partitionkey: toPartitionKey(source, subject ?? null),
    traceparent: toTraceParent(id),
    data: subject === record ? { ...example.data, ...nameRecord(example.data, record) } : example.data,
  };
}

/** The first member of the data of a record is its id. */
function nameRecord(data: object, record: string): object {
  const [member = ''] = Object.keys(data);
  return { [member]: record };
}
