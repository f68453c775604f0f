import * as z from 'zod';
import { toLocalDate } from '../core/dates.ts';
import { type OperationType, toEventType } from '../core/event-types.ts';
import { envelope } from '../core/messages/record-events.ts';
import { parseJsonOrNull } from '../core/parse-json.ts';
import { isHot } from '../core/plan/agenda.ts';
import { CADENCE_MS } from '../core/plan/cadence.ts';
import { WHOLE_LIST } from '../core/records/feed-definition.ts';
import type { FeedState } from '../core/snapshot/feed-state.ts';
import type { MeasuredEvent } from './freshness.ts';

/** Why an event was late, in the words of the report. The first of several that fit counts. */
export const CAUSES = {
  unreadable: 'its date, or the record, could not be read',
  held: 'held by a guard, since too much went at once',
  form: 'the source changed the form of its records',
  outage: 'the source did not answer',
  limit: 'the source allowed fewer requests than were due',
  stalled: 'the source answered, but nothing could be read whole',
  counted: 'a closing waits until its dates are counted',
  cadence: 'its date is read no more often than that',
  stored: 'it was read in time, but the poll took long to store it',
  topic: 'the topic did not take it, or there was no time to publish',
  receiver: 'the receiver took it late, or not yet',
  unknown: 'no known cause',
} as const;
export type Cause = keyof typeof CAUSES;

/** Something that kept changes from being seen, from one instant to another in milliseconds since 1970. */
export interface Trouble {
  readonly cause: Cause;
  readonly from: number;
  readonly to: number;
  /** Of one slice, or of one record; of the whole feed without both. */
  readonly slice?: string;
  readonly record?: string;
}

/** Whether a type begins or ends a trouble, and the member of `data` that says since when, for those that have one. */
type Sign = readonly [cause: Cause, kind: 'begins' | 'ends', since?: string];

const SIGNS = new Map<string, Sign>(
  (
    [
      ['source.unreachable', 'outage', 'begins', 'failingSince'],
      ['source.recovered', 'outage', 'ends', 'unreachableSince'],
      ['poll.stalled', 'stalled', 'begins', 'completedAt'],
      ['poll.resumed', 'stalled', 'ends', 'stalledSince'],
      ['slice.unreadable', 'unreadable', 'begins', 'since'],
      ['slice.readable', 'unreadable', 'ends', 'since'],
      ['record.quarantined', 'unreadable', 'begins'],
      ['record.readable', 'unreadable', 'ends', 'since'],
      ['slice.shrunk', 'held', 'begins'],
      ['slice.whole', 'held', 'ends', 'since'],
      ['slice.mass_change', 'held', 'ends', 'firstSeenAt'],
      ['feed.lagging', 'limit', 'begins', 'since'],
      ['feed.caught_up', 'limit', 'ends', 'since'],
      ['source.form_changed', 'form', 'begins', 'since'],
      ['source.form_restored', 'form', 'ends', 'since'],
    ] as const satisfies readonly (readonly [OperationType, ...Sign])[]
  ).map(([type, ...sign]) => [toEventType(type), sign]),
);

/** What guards hold: that records, or what had happened to them, are gone. */
const MAY_BE_HELD = /(?:removed|revoked|reverted|reopened)$/;

const signSchema = z.object({
  ...envelope,
  type: z.string(),
  data: z.looseObject({ slice: z.string().optional(), recordId: z.string().nullish() }),
});

/** What is known of the troubles of a feed, from the events about them and what its state still holds. */
export class Troubles {
  readonly #ended: Trouble[] = [];
  readonly #open = new Map<string, Trouble>();

  /** Learns from an event of the log, in the order of the log. Ignores what begins and ends no trouble. */
  learn(text: string): void {
    const event = signSchema.safeParse(parseJsonOrNull(text)).data;
    const sign = event === undefined ? undefined : SIGNS.get(event.type);
    if (event === undefined || sign === undefined) return;
    const [cause, kind, member = ''] = sign;
    const { slice, recordId, ...data } = event.data;
    const about = { ...(slice == null ? {} : { slice }), ...(recordId == null ? {} : { record: recordId }) };
    const key = [cause, slice, recordId].join(' ');
    const at = Date.parse(event.time);
    const since = data[member];
    const reported = typeof since === 'string' ? Date.parse(since) : at;
    const from = Math.min(reported, this.#open.get(key)?.from ?? reported);
    if (kind === 'begins') {
      this.#open.set(key, { cause, ...about, from, to: Number.POSITIVE_INFINITY });
      return;
    }
    this.#open.delete(key);
    this.#ended.push({ cause, ...about, from, to: at });
  }

  /** Adds what began before the log was read and has not ended. */
  learnState({ unreachableSince, stalledSince, failing, shrunk, lag, formChanged }: FeedState): void {
    const ofFeed = [
      ['outage', unreachableSince],
      ['stalled', stalledSince],
      ['limit', lag.since],
      ['form', formChanged?.since ?? null],
    ] as const;
    const ofSlices = [
      ['unreadable', failing],
      ['held', shrunk],
    ] as const;
    const to = Number.POSITIVE_INFINITY;
    for (const [cause, from] of ofFeed) if (from !== null) this.#ended.push({ cause, from, to });
    for (const [cause, slices] of ofSlices)
      for (const [slice, { since }] of Object.entries(slices))
        this.#ended.push({ cause, slice, from: since, to });
  }

  /** The troubles that an event may have been late by, while it waited to be seen. */
  find({ type, record, slices, startedAt, observed }: MeasuredEvent): ReadonlySet<Cause> {
    const all = [...this.#ended, ...this.#open.values()];
    return new Set(
      all
        .filter(({ from, to }) => from < observed.by && to > startedAt)
        .filter((each) => each.record === undefined || each.record === record)
        .filter((each) => each.slice === undefined || slices.includes(each.slice))
        .filter(({ cause }) => cause !== 'held' || MAY_BE_HELD.test(type))
        .map(({ cause }) => cause),
    );
  }
}

const CLOSED = toEventType('pay_period.closed');

/** A late event, and when it was committed and published, in milliseconds since 1970. */
export interface LateEvent {
  readonly event: MeasuredEvent;
  readonly committedAt: number;
  /** Null while it waits. */
  readonly publishedAt: number | null;
}

export interface CauseContext {
  readonly troubles: Troubles;
  readonly timeZone: string;
  readonly now: number;
  /** Time between two polls of the feed. */
  readonly pollEveryMs: number;
}

/** The known cause of a late publication: of the longest of its waits, for being seen, stored and taken by the topic. */
export function findCause({ event, committedAt, publishedAt }: LateEvent, context: CauseContext): Cause {
  const { startedAt, observed } = event;
  const seenMs = observed.by - startedAt;
  const storedMs = committedAt - observed.by;
  if ((publishedAt ?? context.now) - committedAt > Math.max(seenMs, storedMs)) return 'topic';
  const isClosing = event.type === CLOSED;
  if (storedMs > seenMs && !isClosing) return 'stored';
  const found = context.troubles.find(event);
  const trouble = (Object.keys(CAUSES) as Cause[]).find((cause) => found.has(cause));
  if (trouble !== undefined) return trouble;
  if (isClosing) return 'counted';
  return observed.by - observed.after <= findLongestGapMs(event, context) ? 'cadence' : 'unknown';
}

/** Longest time between two looks that the plan promises, with a poll that is skipped or ends later. */
function findLongestGapMs(
  { slices, observed }: MeasuredEvent,
  { timeZone, pollEveryMs }: CauseContext,
): number {
  const today = toLocalDate(observed.by, timeZone);
  const isSoon = slices.every((slice) => slice === WHOLE_LIST || isHot(slice, today));
  return (isSoon ? CADENCE_MS.hot.max : CADENCE_MS.settled.max) + pollEveryMs;
}
