import { createHmac, randomBytes } from 'node:crypto';
import { type EventType, topicOf } from '../../shared/core/event-types.ts';
import { hashToEventId } from '../../shared/core/events/envelope.ts';
import { USER_AGENT } from '../../shared/core/user-agent.ts';
import { buildExample } from './example-event.ts';

/** A request to a receiver. Names of headers are in lower case. */
export interface ReceiverRequest {
  readonly method: 'POST' | 'GET' | 'HEAD';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Tells where these events come from when they are found in a receiver. */
const CONNECTION = 'test';
const EPOCH = '2026-11-02T00:00:00.000Z';
/** As after the sender's table was restored. */
const LATER_EPOCH = '2026-11-09T00:00:00.000Z';
export const BASE_HEADERS = { 'content-type': 'application/cloudevents+json', 'user-agent': USER_AGENT };

/** How a message differs from a correct one. */
interface Signing {
  /** Default: the key of the receiver. */
  readonly key?: Uint8Array;
  readonly id?: string;
  /** How long ago it was signed; negative for the future. */
  readonly age?: number;
  /** Replaces the seconds since 1970, and is signed. */
  readonly timestamp?: string;
  /** Maps the correct signature to the one sent. */
  readonly signature?: (own: string) => string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Signs and makes events of records that no receiver has seen before. */
export class Sender {
  readonly foreign: Uint8Array = randomBytes(32);
  readonly #key: Uint8Array;
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
    const record = this.freshRecord();
    const place = topicOf(type) === 'operations' ? { id: hashToEventId([record]) } : { subject: record };
    const event = buildExample(type, { connection: CONNECTION, ...place });
    return JSON.stringify({ ...event, ...members, data: { ...event.data, ...data } });
  }

  approved(): string {
    return this.example('workforce.timesheet.approved');
  }

  /** A message signed as a delivery is, at the time of the call. */
  sign(body: string, signing: Signing = {}): ReceiverRequest {
    const id = signing.id ?? (JSON.parse(body) as { readonly id: string }).id;
    const timestamp = signing.timestamp ?? String(Math.floor(Date.now() / 1_000) - (signing.age ?? 0));
    const hmac = createHmac('sha256', signing.key ?? this.#key).update(`${id}.${timestamp}.${body}`);
    const own = `v1,${hmac.digest('base64')}`;
    const headers = {
      ...BASE_HEADERS,
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signing.signature?.(own) ?? own,
      ...signing.headers,
    };
    return { method: 'POST', headers, body };
  }

  /** A timesheet in four events: created, approved, changed after approval, approval revoked. */
  live(record: string): readonly [string, string, string, string] {
    const step = (type: EventType, sequence: number, data: object = {}) =>
      buildExample(type, { connection: CONNECTION, subject: record, epoch: EPOCH, sequence, data });
    const approved = step('workforce.timesheet.approved', 2);
    const late = ['approval'];
    const events = [
      step('workforce.timesheet.created', 1),
      approved,
      step('workforce.timesheet.changed', 3, { late }),
      step('workforce.timesheet.approval_revoked', 4, { late, reverses: approved.id }),
    ] as const;
    const [first, second, third, fourth] = events.map((event) => JSON.stringify(event));
    return [first ?? '', second ?? '', third ?? '', fourth ?? ''];
  }

  /** The first event of a record in a later epoch. */
  restored(record: string): string {
    const place = { connection: CONNECTION, subject: record, epoch: LATER_EPOCH, sequence: 1 };
    return JSON.stringify(buildExample('workforce.timesheet.changed', place));
  }
}
