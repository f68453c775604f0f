import { beginEvents, type ChangeEvents } from '#shared/core/events/events.ts';
import type { Change } from '../core/compare/change.ts';
import type { KnownRow } from '../core/compare/classify-records.ts';
import { toUnchanged } from '../core/compare/row-rewrite.ts';
import { toIso } from '../core/dates.ts';
import { sourceOf } from '../core/event-types.ts';
import { computeEventId, toEventText, toPosition } from '../core/events/envelope.ts';
import type { FeedKey } from '../core/feeds.ts';
import { feedDefinition, toState } from '../core/records/feed-definition.ts';
import { type EpochRule, toPublishedPosition } from '../core/snapshot/epochs.ts';
import type { OutstandingSum } from '../statements/outstanding-data.ts';
import type { Readiness } from './readiness-data.ts';
import type { DueReadiness } from './readiness-moments.ts';

/** A pay period whose moment has come. */
interface DuePeriod {
  readonly known: KnownRow;
  readonly due: DueReadiness;
}

interface EventPlace {
  readonly feed: FeedKey;
  readonly epochs: EpochRule;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What there is to report of a period; of a closed one with what was reported last, also where that is nothing. */
export interface ReadinessNews extends DuePeriod {
  /** When it was counted, in milliseconds since 1970. */
  readonly now: number;
  readonly content: { readonly readiness: Readiness } | { readonly outstanding: OutstandingSum | null };
}

/** Of a closed period nothing is published where nothing is open or was; nor that nothing is known, unless another is published. */
export function toReadinessEvents(
  news: readonly ReadinessNews[],
  place: Omit<EventPlace, 'now'>,
): ChangeEvents[] {
  const isOpen = ({ content, known }: Pick<ReadinessNews, 'content' | 'known'>) =>
    'readiness' in content || (content.outstanding?.timesheets ?? 0) + (known.row.statement?.open ?? 0) > 0;
  const isAnyOpen = news.some(isOpen);
  return news.map(({ content, now, ...period }) => {
    if ('readiness' in content) return toReadinessEvent({ ...period, ...content }, { ...place, now });
    const isPublished = isOpen({ content, ...period }) || (content.outstanding === null && isAnyOpen);
    return isPublished
      ? toOutstandingEvent({ ...period, ...content }, { ...place, now })
      : passMoment(period);
  });
}

/** Tells how far an open period is. */
export function toReadinessEvent(
  { readiness, ...period }: DuePeriod & { readonly readiness: Readiness },
  place: EventPlace,
): ChangeEvents {
  const { deadline, reminder, summaries } = period.due;
  const data = {
    deadline: deadline === null ? null : toIso(deadline),
    reminder: reminder === null ? null : { before: reminder.before, at: toIso(reminder.at) },
    summaries,
    readiness,
  };
  return toMomentEvent(period, { type: 'pay_period.readiness', data }, place);
}

/** Tells what is still open of a closed period; null: that is not known. */
export function toOutstandingEvent(
  { outstanding, ...period }: DuePeriod & { readonly outstanding: OutstandingSum | null },
  place: EventPlace,
): ChangeEvents {
  const data = { summaries: period.due.summaries, outstanding };
  const event = toMomentEvent(period, { type: 'pay_period.outstanding', data }, place);
  return rememberOpen(event, outstanding?.timesheets ?? 0);
}

/** Nothing is published at this moment, but it counts as done: no later poll counts the period for it again. */
function passMoment(period: DuePeriod): ChangeEvents {
  const { row } = period.known;
  const { momentAt } = period.due;
  const remindedRow = { ...row, remindedAt: momentAt };
  return {
    change: toChange(period, momentAt),
    texts: [],
    types: [],
    row: remindedRow,
    ...toPublishedPosition(row),
  };
}

/** The next event that says nothing is open any more then knows that something was. */
function rememberOpen(event: ChangeEvents, open: number): ChangeEvents {
  const { row } = event;
  if (row?.statement === undefined) return event;
  return { ...event, row: { ...row, statement: { ...row.statement, open } } };
}

interface MomentNews {
  readonly type: 'pay_period.readiness' | 'pay_period.outstanding';
  /** What `data` has besides the members of every event about a pay period. */
  readonly data: object;
}

/**
 * The event of a moment, and the row that remembers it. It comes from time, not from a change of the record, and takes
 * the period's next sequence.
 */
function toMomentEvent(
  { known, due }: DuePeriod,
  { type, data }: MomentNews,
  { feed, epochs, now }: EventPlace,
): ChangeEvents {
  const { row } = known;
  const change = toChange({ known, due }, now);
  const beginning = beginEvents(change, { hasEvents: true, epochs });
  const sequence = beginning.sequence + 1;
  const next = { epoch: beginning.epoch, sequence };
  const position = toPosition(next);
  const text = toEventText({
    id: computeEventId(feed, row.id, position),
    source: sourceOf(feed.connection, feed.feed),
    type,
    subject: row.id,
    time: toIso(now),
    connection: feed.connection,
    ...position,
    data: {
      payPeriodId: row.id,
      current: toState(feedDefinition('pay-periods'), row.state),
      previous: {},
      changed: [],
      observed: { after: toIso(due.momentAt), by: toIso(now) },
      occurredAt: null,
      collapsed: false,
      late: [],
      ...data,
    },
  });
  const reminded = { ...row, ...next, sent: beginning.sent, remindedAt: due.momentAt };
  return { change, texts: [text], types: [type], row: reminded, ...next };
}

/** The row stays as it was seen. */
function toChange({ known, due }: DuePeriod, now: number): Change {
  const observed = { after: due.momentAt, by: now };
  return { ...toUnchanged(known, { observed, seenAt: known.row.seenAt ?? due.momentAt }), silent: true };
}
