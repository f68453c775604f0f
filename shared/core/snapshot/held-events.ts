import { hash } from 'node:crypto';
import * as z from 'zod';
import { EVENT_TYPES, type EventType, topicOf } from '../event-types.ts';
import type { Json } from '../records/fields.ts';

/** Events of partly published batches that a feed remembers (about 10 compressed bytes each in its state). */
const MAX_HELD_EVENTS = 2_000;
const MARK_LENGTH = 8;

/** An event of a batch that waits: its position in the batch, its topic, and a mark of its record. */
const heldEventSchema = z.tuple([z.int().min(0), z.string(), z.string()]);
export type HeldEvent = z.output<typeof heldEventSchema>;

/**
 * By pointer: what is left of a batch whose other events are out. So the next poll neither repeats these, nor reads
 * a batch again only to learn whose later events must wait. Losing it costs repetitions and nothing else.
 */
export const heldEventsSchema = z.record(z.string(), z.array(heldEventSchema));
export type HeldEvents = z.output<typeof heldEventsSchema>;

/** What publishing must know of an event; null members when the text is no event of ours. */
export interface EventAddress {
  readonly id: string | null;
  /** Id of the record, or of the slice, that it is about. */
  readonly subject: string | null;
  readonly topic: string;
  /** Short mark of whose events keep their order; two records that share one only wait for each other. */
  readonly mark: string;
}

const envelopeSchema = z.object({
  id: z.string(),
  source: z.string(),
  subject: z.string().optional(),
  type: z.custom<EventType>((type) => EVENT_TYPES.includes(type as EventType)),
});

/** Reads the address of an event from its text. */
export function readEventAddress(text: string): EventAddress {
  const { data: envelope } = envelopeSchema.safeParse(parseJson(text));
  if (envelope === undefined) return { id: null, subject: null, topic: '', mark: toOrderMark(text) };
  const { id, source, subject, type } = envelope;
  const topic = topicOf(type);
  // Operational events are in one order for the whole feed, whatever they are about.
  const record = topic === 'operations' ? source : `${source}\n${subject}`;
  return { id, subject: subject ?? null, topic, mark: toOrderMark(record) };
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function toOrderMark(record: string): string {
  return hash('sha256', record, 'base64url').slice(0, MARK_LENGTH);
}

/** What one poll knows about publishing; its commits share it with its work on the outbox. */
export class PublishState {
  /** Marks of records with an event that waits: their later ones wait too (rule 3). */
  readonly blocked = new Set<string>();
  /** Topics that take nothing in this poll. */
  readonly closed = new Set<string>();
  /** Something that waits was not read: whatever comes after it may be of the same records. */
  isBehind = false;
  readonly #held: Map<string, readonly HeldEvent[]>;
  #heldEvents = 0;

  constructor(held: HeldEvents = {}) {
    this.#held = new Map(Object.entries(held));
    for (const events of this.#held.values()) this.#heldEvents += events.length;
  }

  /** What is left of a batch; null when nothing is known of it. */
  heldOf(pointer: string): readonly HeldEvent[] | null {
    return this.#held.get(pointer) ?? null;
  }

  /** Remembers what is left of a batch. With more than a feed can remember, what comes later waits unread. */
  hold(pointer: string, events: readonly HeldEvent[]): void {
    this.forget(pointer);
    if (this.#heldEvents + events.length > MAX_HELD_EVENTS) {
      this.isBehind = true;
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

  isStuck(topic: string, mark: string): boolean {
    return this.closed.has(topic) || this.blocked.has(mark);
  }

  get held(): HeldEvents {
    return Object.fromEntries([...this.#held].map(([pointer, events]) => [pointer, [...events]]));
  }
}
