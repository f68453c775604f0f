import { beginEvents, type ChangeEvents } from '#shared/core/events/events.ts';
import type { Change } from '../core/compare/change.ts';
import type { KnownRow } from '../core/compare/classify-records.ts';
import { toIso } from '../core/dates.ts';
import { sourceOf } from '../core/event-types.ts';
import { computeEventId, toEventText, toPosition } from '../core/events/envelope.ts';
import type { FeedKey } from '../core/feeds.ts';
import { feedDefinition, toState } from '../core/records/feed-definition.ts';
import { type EpochRule, toPublishedPosition } from '../core/snapshot/epochs.ts';
import type { Readiness } from './readiness-data.ts';
import type { DueReadiness } from './readiness-moments.ts';

const TYPE = 'pay_period.readiness';

/** What is told of a pay period whose moment has come. */
export interface ReadinessNews {
  readonly known: KnownRow;
  readonly due: DueReadiness;
  readonly readiness: Readiness;
}

/**
 * The event of a moment, and the row that remembers it: time makes it, not a change of the record. It takes the next
 * sequence of the period. `now`: milliseconds since 1970.
 */
export function toReadinessEvent(
  { known, due, readiness }: ReadinessNews,
  { feed, epochs, now }: { readonly feed: FeedKey; readonly epochs: EpochRule; readonly now: number },
): ChangeEvents {
  const { row, slice } = known;
  const change: Change = {
    id: row.id,
    before: known,
    rowSlice: slice,
    after: { slice, row: row.state },
    ...toPublishedPosition(row),
    tombstoneSlice: null,
    observed: { after: due.momentAt, by: now },
    seenAt: row.seenAt ?? due.momentAt,
    // The row stays as it was seen.
    silent: true,
  };
  const beginning = beginEvents(change, { hasEvents: true, epochs });
  const sequence = beginning.sequence + 1;
  const next = { epoch: beginning.epoch, sequence };
  const position = toPosition(next);
  const text = toEventText({
    id: computeEventId(feed, row.id, position),
    source: sourceOf(feed.connection, feed.feed),
    type: TYPE,
    subject: row.id,
    time: toIso(now),
    connection: feed.connection,
    ...position,
    data: buildData({ known, due, readiness }, now),
  });
  const reminded = { ...row, ...next, sent: beginning.sent, remindedAt: due.momentAt };
  return { change, texts: [text], types: [TYPE], row: reminded, ...next };
}

function buildData({ known, due, readiness }: ReadinessNews, now: number): object {
  const { deadline, reminder, summaries, momentAt } = due;
  return {
    payPeriodId: known.row.id,
    current: toState(feedDefinition('pay-periods'), known.row.state),
    previous: {},
    changed: [],
    observed: { after: toIso(momentAt), by: toIso(now) },
    occurredAt: null,
    collapsed: false,
    late: [],
    deadline: deadline === null ? null : toIso(deadline),
    reminder: reminder === null ? null : { before: reminder.before, at: toIso(reminder.at) },
    summaries,
    readiness,
  };
}
