import * as z from 'zod';
import { beginEvents, type ChangeEvents } from '#shared/core/events/events.ts';
import { toIso } from '../core/dates.ts';
import { isSnapshotType, sourceOf, toEventType } from '../core/event-types.ts';
import { computeEventId, toEventText, toPosition } from '../core/events/envelope.ts';
import type { FeedKey } from '../core/feeds.ts';
import { feedDefinition, toState } from '../core/records/feed-definition.ts';
import type { EpochRule } from '../core/snapshot/epochs.ts';
import { describeNoChange, type SnapshotRecord } from '../snapshots/snapshot-events.ts';

/** Of an event about a timesheet, what stays once it is forgotten, and whose it is. */
export const loggedTimesheetSchema = z.object({
  id: z.string(),
  source: z.string(),
  type: z.string().regex(/^workforce\.(?:timesheet\.|record\.forgotten$)/),
  subject: z.string(),
  time: z.string(),
  connection: z.string(),
  epoch: z.string(),
  sequence: z.int(),
  data: z.object({
    employeeId: z.string().nullish(),
    departmentId: z.string().nullish(),
    organisationId: z.string().nullish(),
    current: z.object({ employeeId: z.string().nullish() }).nullish(),
    previous: z.object({ employeeId: z.string().nullish() }).nullish(),
  }),
});
type LoggedTimesheet = z.output<typeof loggedTimesheetSchema>;

/** Whether an event tells of an employee: also of one who had the timesheet before. */
export function tellsOf({ data }: Pick<LoggedTimesheet, 'data'>, employeeId: string): boolean {
  return [data, data.current, data.previous].some((each) => each?.employeeId === employeeId);
}

export function isForgotten({ type }: Pick<LoggedTimesheet, 'type'>): boolean {
  return type === toEventType('record.forgotten');
}

/**
 * The event that takes the place of another one in the log: with its id, position and time, so that order and `fold`
 * hold, and with its department, so that the same filters match. A snapshot says that the record is removed.
 */
export function toForgottenText({ data, ...event }: LoggedTimesheet): string {
  const { id, source, subject, time, connection, epoch, sequence } = event;
  const type = isSnapshotType(event.type) ? 'timesheet.snapshot' : 'record.forgotten';
  return toEventText({
    ...{ id, source, type, subject, time, connection, epoch, sequence },
    data: {
      timesheetId: subject,
      employeeId: null,
      departmentId: data.departmentId ?? null,
      organisationId: data.organisationId ?? null,
      current: null,
      ...describeNoChange(time),
    },
  });
}

export interface RecordToForget {
  readonly feed: FeedKey;
  readonly slice: string;
  readonly record: SnapshotRecord;
  readonly epochs: EpochRule;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A stored timesheet becomes a tombstone, with an event that says so. */
export function forgetRecord({ feed, slice, record, epochs, now }: RecordToForget): ChangeEvents {
  const { id, sequence, epoch } = record;
  const row = 'state' in record ? record : null;
  const change = {
    ...{ id, sequence, epoch, rowSlice: slice, after: null, seenAt: now, observed: { after: null, by: now } },
    before: row === null ? null : { slice, row },
    tombstoneSlice: row === null ? slice : null,
  };
  const begun = beginEvents(change, { hasEvents: true, epochs });
  const next = { epoch: begun.epoch, sequence: begun.sequence + 1 };
  const position = toPosition(next);
  const state = row === null ? {} : toState(feedDefinition('timesheets'), row.state);
  const { departmentId, organisationWorkedId: organisationId } = state as Record<string, string | null>;
  const text = toForgottenText({
    ...{ id: computeEventId(feed, id, position), source: sourceOf(feed.connection, feed.feed) },
    ...{ type: toEventType('record.forgotten'), subject: id, time: toIso(now), connection: feed.connection },
    ...position,
    data: { departmentId, organisationId },
  });
  return { change, texts: [text], types: ['record.forgotten'], row: null, ...next };
}
