import { beginEvents, type ChangeEvents } from '#shared/core/events/events.ts';
import type { Change } from '../core/compare/change.ts';
import type { KnownRow } from '../core/compare/classify-records.ts';
import { toUnchanged } from '../core/compare/row-rewrite.ts';
import { toIso } from '../core/dates.ts';
import { sourceOf } from '../core/event-types.ts';
import { computeEventId, toEventText, toPosition } from '../core/events/envelope.ts';
import type { FeedKey } from '../core/feeds.ts';
import type { Readiness, StillOpen } from '../core/periods/readiness-data.ts';
import { feedDefinition, toState } from '../core/records/feed-definition.ts';
import type { EpochRule } from '../core/snapshot/epochs.ts';
import type { DueReadiness } from './readiness-moments.ts';

/** What there is to report of a pay period whose moment has come. */
export interface ReadinessNews {
  readonly known: KnownRow;
  readonly due: DueReadiness;
  /** When it was counted, in milliseconds since 1970. */
  readonly now: number;
  readonly readiness: Readiness;
  readonly stillOpen: StillOpen | null;
}

/**
 * The event that tells how far an open period is, and the row that remembers it. It comes from time, not from a change of
 * the record, and takes the period's next sequence.
 */
export function toReadinessEvent(
  { known, due, now, readiness, stillOpen }: ReadinessNews,
  { feed, epochs }: { readonly feed: FeedKey; readonly epochs: EpochRule },
): ChangeEvents {
  const { row } = known;
  const change = toChange({ known, due }, now);
  const beginning = beginEvents(change, { hasEvents: true, epochs });
  const next = { epoch: beginning.epoch, sequence: beginning.sequence + 1 };
  const position = toPosition(next);
  const type = 'pay_period.readiness';
  const { deadline, reminder, summaries } = due;
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
      deadline: deadline === null ? null : toIso(deadline),
      reminder: reminder === null ? null : { before: reminder.before, at: toIso(reminder.at) },
      summaries,
      readiness,
      stillOpen,
    },
  });
  const reminded = { ...row, ...next, sent: beginning.sent, remindedAt: due.momentAt };
  return { change, texts: [text], types: [type], row: reminded, ...next };
}

/** The row stays as it was seen. */
function toChange({ known, due }: Pick<ReadinessNews, 'known' | 'due'>, now: number): Change {
  const observed = { after: due.momentAt, by: now };
  return { ...toUnchanged(known, { observed, seenAt: known.row.seenAt ?? due.momentAt }), silent: true };
}
