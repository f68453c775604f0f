import { toIso } from '../dates.ts';
import { type SnapshotType, sourceOf } from '../event-types.ts';
import type { FeedKey, FeedName } from '../feeds.ts';
import type { PeriodFinder } from '../periods/learn-membership.ts';
import {
  type FeedDefinition,
  feedDefinition,
  type State,
  showState,
  toState,
} from '../records/feed-definition.ts';
import type { LeafRow, Tombstone } from '../snapshot/snapshot.ts';
import { hashToEventId, toEventText, toPosition } from './envelope.ts';
import { namePeriods } from './name-periods.ts';
import { pickPublished } from './tellable-absences.ts';

const TYPES = {
  timesheets: 'timesheet.snapshot',
  'pay-periods': 'pay_period.snapshot',
  employees: 'employee.snapshot',
  departments: 'department.snapshot',
} as const satisfies Record<FeedName, SnapshotType>;

/** A stored record, or one that was removed. */
export type SnapshotRecord = LeafRow | Tombstone;

/**
 * The state of a stored record as a CloudEvent in JSON, with the position of its latest event; `current` is null for a
 * removed one. The same state in the same pay periods has the same bytes, whenever it is sent: the id is a hash of all
 * else, and the time is that of the epoch.
 */
export function buildSnapshotEvent(feed: FeedKey, record: SnapshotRecord, find: PeriodFinder): string {
  const type = TYPES[feed.feed];
  const time = toIso(record.epoch);
  const definition = feedDefinition(feed.feed);
  const current =
    'state' in record
      ? showState(definition, pickPublished(definition, toState(definition, record.state), record))
      : null;
  const contents = {
    source: sourceOf(feed.connection, feed.feed),
    type,
    subject: record.id,
    time,
    connection: feed.connection,
    ...toPosition(record),
    data: {
      ...buildIds(definition, record.id, current),
      current,
      ...describeNoChange(time),
      ...(current === null ? {} : namePeriods({ id: record.id, state: current }, find)),
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

function buildIds({ name, idMember }: FeedDefinition, id: string, current: State | null): object {
  const own = { [idMember]: id };
  if (name !== 'timesheets') return own;
  const { employeeId = null, departmentId = null, organisationWorkedId = null } = current ?? {};
  return { ...own, employeeId, departmentId, organisationId: organisationWorkedId };
}
