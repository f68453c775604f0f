import { hash } from 'node:crypto';
import * as z from 'zod';
import { toIso } from '../core/dates.ts';
import { EVENT_TYPES, type EventType, isSnapshotType, topicOf } from '../core/event-types.ts';
import { parseJsonOrNull } from '../core/parse-json.ts';
import type { Json } from '../core/records/fields.ts';
import type { Operation } from '../core/records/operation.ts';
import type { SliceHead } from '../core/snapshot/snapshot.ts';
import type { PublishedWatermark, WatermarkMemory } from '../core/snapshot/watermark-memory.ts';
import type { WatermarkClaim } from './claim.ts';
import { type CountedEvent, type EventsSince, tallyEvents } from './contents.ts';

/** Polls are not punctual to the second. */
const SLACK_MS = 15_000;
/** A watermark that follows none within this time begins anew: so much of the log is read at most. */
const MAX_GAP_MS = 86_400_000;
/** Longer than any poll lives, so that a batch that sorts before the last reading of the log is found by the next one. */
const OVERLAP_MS = 16 * 60_000;
/** Batches may be dated so far ahead: each later than those that waited when it was committed, and clocks differ. */
const AHEAD_MS = 60_000;
/** Batches within the overlap; with more of them no watermark is told until there are fewer. */
const MAX_COUNTED_BATCHES = 5_000;
const MARK_LENGTH = 8;

/** Whether a watermark is due; one that a clock ahead of now told is waited for. */
export function isWatermarkDue(
  last: PublishedWatermark | null,
  {
    now,
    everyMinutes,
    tableId,
  }: { readonly now: number; readonly everyMinutes: number; readonly tableId: string | null },
): boolean {
  return last === null || last.tableId !== tableId || now - last.at >= everyMinutes * 60_000 - SLACK_MS;
}

/** The watermark that the next one follows; null when it begins anew. */
export function findPredecessor(
  last: PublishedWatermark | null,
  { now, tableId }: { readonly now: number; readonly tableId: string | null },
): PublishedWatermark | null {
  return last !== null && last.tableId === tableId && now - last.readAt <= MAX_GAP_MS ? last : null;
}

/** The fence in front of a claim: it goes back only when a clock put it ahead of now. */
export function raiseFence(
  fence: WatermarkMemory['fence'] | undefined,
  { through }: Pick<WatermarkClaim, 'through'>,
  now: number,
): WatermarkMemory['fence'] {
  const raise = (name: 'hot' | 'all') => {
    const before = fence?.[name] ?? 0;
    return Math.max(before > now + AHEAD_MS ? 0 : before, through[name] ?? 0);
  };
  return { hot: raise('hot'), all: raise('all') };
}

/** Whether everything that is committed is published, as far as outboxes say. */
export function isNothingWaiting(
  heads: Iterable<Pick<SliceHead, 'outbox'>>,
  ofState: readonly string[] = [],
): boolean {
  return ofState.length === 0 && [...heads].every(({ outbox }) => outbox.length === 0);
}

/** What of the log a watermark reads. */
export function findReading(
  previous: PublishedWatermark | null,
  now: number,
): { readonly from: number; readonly to: number } {
  return { from: (previous?.readAt ?? now) - OVERLAP_MS, to: now + AHEAD_MS };
}

const eventSchema = z.object({
  id: z.string(),
  type: z.custom<EventType>((type) => EVENT_TYPES.includes(type as EventType)),
  epoch: z.string().optional(),
  sequence: z.int(),
});

/** Counts the batches of the log, each once in a row of watermarks. */
export class CommittedBatches {
  readonly #before: ReadonlySet<string>;
  readonly #counts: boolean;
  readonly #now: number;
  readonly #marks: string[] = [];
  readonly #events: CountedEvent[] = [];

  /** `previous`: null counts nothing, and remembers what was there. */
  constructor(previous: PublishedWatermark | null, now: number) {
    this.#before = new Set(previous?.counted);
    this.#counts = previous !== null;
    this.#now = now;
  }

  add({
    pointer,
    committedAt,
    texts,
  }: {
    readonly pointer: string;
    readonly committedAt: number;
    readonly texts: readonly string[];
  }): void {
    const mark = hash('sha256', pointer, 'base64url').slice(0, MARK_LENGTH);
    if (committedAt >= this.#now - OVERLAP_MS) this.#marks.push(mark);
    if (this.#counts && !this.#before.has(mark)) this.#events.push(...texts.flatMap(readCountedEvent));
  }

  /** Null when there are too many to remember. */
  get marks(): string[] | null {
    return this.#marks.length > MAX_COUNTED_BATCHES ? null : this.#marks;
  }

  get events(): EventsSince | null {
    return this.#counts ? tallyEvents(this.#events) : null;
  }
}

/** Changes of records; operations have a sequence without gaps, and snapshots repeat a state. */
function readCountedEvent(text: string): CountedEvent[] {
  const { data: event } = eventSchema.safeParse(parseJsonOrNull(text));
  if (event === undefined || isSnapshotType(event.type) || topicOf(event.type) === 'operations') return [];
  return [event];
}

/** The operation that tells a watermark. */
export function describeWatermark(
  { through, except, hot }: WatermarkClaim,
  {
    previous,
    events,
    window,
  }: {
    readonly previous: PublishedWatermark | null;
    readonly events: EventsSince | null;
    /** Null for a feed without dates. */
    readonly window: readonly string[] | null;
  },
): Operation {
  const describe = (dates: readonly string[], at: number | null) => ({
    from: dates[0] ?? '',
    to: dates.at(-1) ?? '',
    at: at === null ? null : toIso(at),
  });
  const data = {
    since: previous === null ? null : { id: previous.id, at: toIso(previous.at) },
    through:
      window === null
        ? { payPeriods: { at: through.all === null ? null : toIso(through.all) } }
        : { hotDates: describe(hot, through.hot), window: describe(window, through.all) },
    except,
    events,
  };
  return { type: 'feed.complete', subject: null, data: data as unknown as Readonly<Record<string, Json>> };
}
