import type { Change } from '../../core/compare/change.ts';
import { rewriteRow } from '../../core/compare/row-rewrite.ts';
import { toIso } from '../../core/dates.ts';
import { sourceOf, toEventType } from '../../core/event-types.ts';
import { computeEventId, toPosition } from '../../core/events/envelope.ts';
import { beginEvents, type ChangeEvents, toSilentChange } from '../../core/events/events.ts';
import type { SnapshotRecord } from '../../core/events/snapshot-events.ts';
import type { FeedKey, FeedName } from '../../core/feeds.ts';
import { isManagedBy, withoutManager } from '../../core/records/directory.ts';
import { feedDefinition, toState } from '../../core/records/feed-definition.ts';
import type { EpochRule } from '../../core/snapshot/epochs.ts';
import type { LeafRow, Tombstone } from '../../core/snapshot/snapshot.ts';
import type { Person } from './forget-in.ts';
import { toForgottenText } from './forgotten-event.ts';

/** Whom stored records may tell of. */
export type Forgettable = Pick<Person, 'connection' | 'employeeId' | 'name'>;

/** Whether a stored record tells of an employee. */
export function isRowOf(feed: FeedName, { id, state }: LeafRow, employee: Forgettable): boolean {
  const { employeeId } = employee;
  if (feed === 'employees') return id === employeeId;
  if (feed === 'departments') return isManagedBy(state, employee);
  return feed === 'timesheets' && toState(feedDefinition(feed), state).employeeId === employeeId;
}

/** Whether a removed record of the directory is an employee: of one, the id is all that is remembered. */
export function isRemovalOf(feed: FeedName, { id }: Tombstone, { employeeId }: Forgettable): boolean {
  return feed === 'employees' && id === employeeId;
}

export interface RecordToForget {
  readonly feed: FeedKey;
  readonly slice: string;
  readonly record: SnapshotRecord;
  readonly epochs: EpochRule;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * What becomes of a stored record. Of the directory there is no event, since it would name whom it says to forget: an
 * employee is gone without a tombstone, and a department has a manager of whom nothing is known.
 */
export function forgetRecord(input: RecordToForget): ChangeEvents {
  const { feed, slice, record, now } = input;
  if (feed.feed === 'timesheets') return forgetTimesheet(input);
  if (feed.feed === 'employees') return toSilentChange({ ...toRemoval(input), silent: true });
  const row = record as LeafRow;
  return toSilentChange(rewriteRow({ slice, row }, { ...row, state: withoutManager(row.state) }, now));
}

/** A stored timesheet becomes a tombstone, with an event that says so. */
function forgetTimesheet({ feed, slice, record, epochs, now }: RecordToForget): ChangeEvents {
  const { id } = record;
  const change = toRemoval({ slice, record, now });
  const begun = beginEvents(change, { hasEvents: true, epochs });
  const next = { epoch: begun.epoch, sequence: begun.sequence + 1 };
  const position = toPosition(next);
  const state = 'state' in record ? toState(feedDefinition(feed.feed), record.state) : {};
  const { departmentId, organisationWorkedId: organisationId } = state as Record<string, string | null>;
  const text = toForgottenText({
    ...{ id: computeEventId(feed, id, position), source: sourceOf(feed.connection, feed.feed) },
    ...{
      type: toEventType('employee.forgotten'),
      subject: id,
      time: toIso(now),
      connection: feed.connection,
    },
    ...position,
    data: { departmentId, organisationId },
  });
  return { change, texts: [text], types: ['employee.forgotten'], row: null, ...next };
}

function toRemoval({ slice, record, now }: Pick<RecordToForget, 'slice' | 'record' | 'now'>): Change {
  const { id, sequence, epoch } = record;
  const isRow = 'state' in record;
  return {
    ...{ id, sequence, epoch, rowSlice: slice, after: null, seenAt: now, observed: { after: null, by: now } },
    before: isRow ? { slice, row: record } : null,
    tombstoneSlice: isRow ? null : slice,
  };
}
