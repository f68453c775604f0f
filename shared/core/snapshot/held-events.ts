import { hash } from 'node:crypto';
import * as z from 'zod';
import { EVENT_TYPES, type EventType, topicOf } from '../event-types.ts';
import { parseJsonOrNull } from '../parse-json.ts';

/** Events of partly published batches that a feed remembers (about 10 compressed bytes each in its state). */
const MAX_HELD_EVENTS = 2_000;
const HASH_LENGTH = 8;

/** An unpublished event of a batch: its position in the batch, its topic, and a hash of its record. */
const heldEventSchema = z.tuple([z.int().min(0), z.string(), z.string()]);
export type HeldEvent = z.output<typeof heldEventSchema>;

/**
 * Unpublished events of partly published batches, by pointer (ADR 11). With it the next poll neither publishes the
 * others again, nor reads a batch only to learn which records must wait. Losing it costs repeated events only.
 */
export const heldEventsSchema = z.record(z.string(), z.array(heldEventSchema));
export type HeldEvents = z.output<typeof heldEventsSchema>;

/** What publishing needs to know of an event; members are null when the text is not an event of the notifier. */
export interface EventAddress {
  readonly id: string | null;
  /** Id of the record or slice that it is about. */
  readonly subject: string | null;
  readonly topic: string;
  /** Short hash of the record, within which order is kept; two records with the same hash only wait for each other. */
  readonly recordHash: string;
}

const envelopeSchema = z.object({
  id: z.string(),
  source: z.string(),
  subject: z.string().optional(),
  type: z.custom<EventType>((type) => EVENT_TYPES.includes(type as EventType)),
});

export function readEventAddress(text: string): EventAddress {
  const { data: envelope } = envelopeSchema.safeParse(parseJsonOrNull(text));
  if (envelope === undefined) return { id: null, subject: null, topic: '', recordHash: hashRecord(text) };
  const { id, source, subject, type } = envelope;
  const topic = topicOf(type);
  // Operational events of a feed are in one order, whatever their subject.
  const record = topic === 'operations' ? source : `${source}\n${subject}`;
  return { id, subject: subject ?? null, topic, recordHash: hashRecord(record) };
}

function hashRecord(record: string): string {
  return hash('sha256', record, 'base64url').slice(0, HASH_LENGTH);
}

/** Publishing during one poll, shared by its commits and its work on the outbox. */
export class PublishState {
  /** Hashes of records with an unpublished event: their later events wait (rule 3). */
  readonly blocked = new Set<string>();
  /** Topics to which this poll publishes nothing more. */
  readonly closed = new Set<string>();
  #isBehind = false;
  readonly #held: Map<string, readonly HeldEvent[]>;
  #heldEvents = 0;

  constructor(held: HeldEvents = {}) {
    this.#held = new Map(Object.entries(held));
    for (const events of this.#held.values()) this.#heldEvents += events.length;
  }

  /** A batch in an outbox was not read: later events may be of the same records, so they wait. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  fallBehind(): void {
    this.#isBehind = true;
  }

  /** Unpublished events of a batch; null when it is not remembered. */
  heldOf(pointer: string): readonly HeldEvent[] | null {
    return this.#held.get(pointer) ?? null;
  }

  /** Remembers the unpublished events of a batch. Beyond the bound, later batches wait unread. */
  hold(pointer: string, events: readonly HeldEvent[]): void {
    this.forget(pointer);
    if (this.#heldEvents + events.length > MAX_HELD_EVENTS) {
      this.#isBehind = true;
      return;
    }
    this.#held.set(pointer, events);
    this.#heldEvents += events.length;
  }

  forget(pointer: string): void {
    this.#heldEvents -= this.#held.get(pointer)?.length ?? 0;
    this.#held.delete(pointer);
  }

  /** Forgets the batches that are no longer in an outbox. */
  keepOnly(pointers: ReadonlySet<string>): void {
    for (const pointer of [...this.#held.keys()]) if (!pointers.has(pointer)) this.forget(pointer);
  }

  isStuck(topic: string, recordHash: string): boolean {
    return this.closed.has(topic) || this.blocked.has(recordHash);
  }

  get held(): HeldEvents {
    return Object.fromEntries([...this.#held].map(([pointer, events]) => [pointer, [...events]]));
  }
}
