import { toIso } from '../dates.ts';
import { type SnapshotType, sourceOf } from '../event-types.ts';
import type { FeedKey, FeedName } from '../feeds.ts';
import type { PeriodFinder } from '../periods/members.ts';
import { type FeedDefinition, feedDefinition, showState } from '../records/feed-definition.ts';
import type { State } from '../records/fields.ts';
import type { StoredRow } from '../snapshot/row.ts';
import { readState } from '../snapshot/stored-state.ts';
import { hashToEventId, toEventText, toPosition } from './envelope.ts';
import { namePeriods } from './name-periods.ts';

const TYPES = {
  timesheets: 'timesheet.snapshot',
  'pay-periods': 'pay_period.snapshot',
  employees: 'employee.snapshot',
  departments: 'department.snapshot',
} as const satisfies Record<FeedName, SnapshotType>;

/**
 * The state of a stored record as a CloudEvent in JSON, with the position of its latest event; null for one that was never
 * readable. The same state in the same pay periods has the same bytes, whenever it is sent: the id is a hash of all else,
 * and the time is that of the epoch.
 */
export function buildSnapshotEvent(feed: FeedKey, row: StoredRow, find: PeriodFinder): string | null {
  const state = readState(feed.feed, row);
  if (state === null) return null;
  const { id: subject, epoch } = row;
  const time = toIso(epoch);
  const definition = feedDefinition(feed.feed);
  const current = showState(definition, state);
  const contents = {
    source: sourceOf(feed.connection, feed.feed),
    type: TYPES[feed.feed],
    subject,
    time,
    connection: feed.connection,
    ...toPosition(row),
    data: {
      ...buildIds(definition, subject, current),
      current,
      ...describeNoChange(time),
      ...namePeriods({ id: subject, state: current }, find),
    },
  };
  return toEventText({ id: hashToEventId(['snapshot', contents]), ...contents });
}

/** What the data of an event says where nothing changed at the source. `time`: RFC 3339. */
export function describeNoChange(time: string): object {
  return {
    previous: null,
    changed: [],
    observed: { after: null, by: time },
    occurredAt: null,
    collapsed: false,
    late: [],
  };
}

function buildIds({ name, idMember }: FeedDefinition, id: string, current: State): object {
  const own = { [idMember]: id };
  if (name !== 'timesheets') return own;
  const { employeeId = null, departmentId = null, organisationWorkedId = null } = current;
  return { ...own, employeeId, departmentId, organisationId: organisationWorkedId };
}
