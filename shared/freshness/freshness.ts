import * as z from 'zod';
import { isDate } from '../core/dates.ts';
import { type RecordEventType, toEventType } from '../core/event-types.ts';
import { FEED_NAMES } from '../core/feeds.ts';
import { envelope, recordData } from '../core/messages/record-events.ts';
import { parseJsonOrNull } from '../core/parse-json.ts';
import { type FeedDefinition, feedDefinition, WHOLE_LIST } from '../core/records/feed-definition.ts';
import type { FreshnessClass } from './classes.ts';

/**
 * Freshness of an event: the seconds from its start to its publication, or to its acceptance by a receiver. It starts
 * when the source could first have been seen with the change: when the source says that it happened, but not before
 * the last look at the old state, since a clocking of 09:00 that is entered at 17:00 is not eight hours late.
 */

/** The class of each full type that is measured: changes of the source, not what the notifier tells at times of its own. */
const CLASSES: ReadonlyMap<string, FreshnessClass> = new Map(
  FEED_NAMES.flatMap((name) => listClasses(feedDefinition(name))),
);

function listClasses({ created, changed, removed, freshness, facts }: FeedDefinition) {
  const own = freshness === null ? [] : [created, changed, removed].map((type) => [type, freshness] as const);
  const entries: readonly (readonly [RecordEventType, FreshnessClass])[] = [
    ...own,
    ...facts.flatMap(({ forward, reversal, corrected = forward, ...fact }) =>
      [forward, reversal, corrected].map((type) => [type, fact.freshness] as const),
    ),
  ];
  return entries.map(([type, each]): [string, FreshnessClass] => [toEventType(type), each]);
}

/** The class of a full type; null when no event of it is measured. */
export function findFreshnessClass(type: string): FreshnessClass | null {
  return CLASSES.get(type) ?? null;
}

const measuredSchema = z.object({
  ...envelope,
  type: z.string(),
  data: z.object({
    ...recordData,
    current: recordData.current.optional(),
    previous: recordData.previous.optional(),
  }),
});

/** An event whose freshness counts. Instants in milliseconds since 1970. */
export interface MeasuredEvent {
  readonly id: string;
  /** Full name. */
  readonly type: string;
  readonly class: FreshnessClass;
  /** Id of its record. */
  readonly record: string | null;
  /** Slices on which it could be seen: its date, and the one that it left. */
  readonly slices: readonly string[];
  readonly startedAt: number;
  /** Between these two looks it happened. */
  readonly observed: { readonly after: number; readonly by: number };
}

/**
 * Why an event has no freshness. `untimed`: the notifier tells it at a time of its own, as a statement or what is about
 * the watching. `first_sight`: nobody looked before, so nobody knows how long it was there. `restore`: the last look
 * before it is from the time before the table was restored.
 */
export type Unmeasured = 'untimed' | 'first_sight' | 'restore';

/** Measures a CloudEvent, given as JSON. `restoredAt`: when the table was recognised as a restored one, if ever. */
export function measureEvent(
  text: string,
  { restoredAt }: { readonly restoredAt?: number | undefined },
): MeasuredEvent | Unmeasured {
  const event = measuredSchema.safeParse(parseJsonOrNull(text)).data;
  const freshnessClass = event === undefined ? null : findFreshnessClass(event.type);
  if (event === undefined || freshnessClass === null) return 'untimed';
  const { id, type, subject: record = null, data } = event;
  if (data.observed.after === null) return 'first_sight';
  const observed = { after: Date.parse(data.observed.after), by: Date.parse(data.observed.by) };
  if (isLastSeenBeforeRestore(observed, restoredAt)) return 'restore';
  const startedAt = findStart(observed, data.occurredAt);
  return { id, type, class: freshnessClass, record, slices: findSlices(data), startedAt, observed };
}

/** Whether an event was seen after a restore, and the last look before it was stored before that. */
export function isLastSeenBeforeRestore(
  { after, by }: MeasuredEvent['observed'],
  restoredAt: number | undefined,
): boolean {
  return restoredAt !== undefined && after < restoredAt && restoredAt <= by;
}

/** A date alone is no instant; an instant after the look that saw the change is of a wrong clock, or entered ahead. */
function findStart({ after, by }: MeasuredEvent['observed'], occurredAt: string | null): number {
  const occurred = occurredAt === null || isDate(occurredAt) ? Number.NaN : Date.parse(occurredAt);
  return occurred > after && occurred <= by ? occurred : after;
}

function findSlices({ current, previous }: z.output<typeof measuredSchema>['data']): readonly string[] {
  const dates = [current?.date, previous?.date].filter((date) => typeof date === 'string');
  return dates.length === 0 ? [WHOLE_LIST] : [...new Set(dates)];
}

/** Seconds from the start of an event to an instant; none before it, since the clocks of two functions differ. */
export function computeSeconds({ startedAt }: Pick<MeasuredEvent, 'startedAt'>, at: number): number {
  return Math.max(0, (at - startedAt) / 1_000);
}

/** The value that this share of the values, 0 to 1, does not exceed (nearest rank); null of none. */
export function findPercentile(values: readonly number[], share: number): number | null {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? null;
}
