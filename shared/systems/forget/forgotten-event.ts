import * as z from 'zod';
import {
  EVENT_TYPES,
  type EventType,
  isSnapshotType,
  sourceOf,
  toEventType,
  toShortType,
} from '../../core/event-types.ts';
import { toEventText } from '../../core/events/envelope.ts';
import { describeNoChange } from '../../core/events/snapshot-events.ts';
import { DIRECTORY_FEEDS, type DirectoryFeed } from '../../core/feeds.ts';
import { isRecord } from '../../core/records/fields.ts';

/** Of an event about a timesheet, what stays once it is forgotten, and whose it is. */
export const loggedTimesheetSchema = z.object({
  id: z.string(),
  source: z.string(),
  type: z.string().regex(/^workforce\.(?:timesheet\.|employee\.forgotten$)/),
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
export type LoggedTimesheet = z.output<typeof loggedTimesheetSchema>;

/** Whether an event tells of an employee: also of one who had the timesheet before. */
export function tellsOf({ data }: Pick<LoggedTimesheet, 'data'>, employeeId: string): boolean {
  return [data, data.current, data.previous].some((each) => each?.employeeId === employeeId);
}

export function isForgotten({ type }: Pick<LoggedTimesheet, 'type'>): boolean {
  return type === toEventType('employee.forgotten');
}

/**
 * The event that takes the place of another one in the log: with its id, position and time, so that order and `fold`
 * hold, and with its department, so that the same filters match. A snapshot says that the record is removed.
 */
export function toForgottenText({ data, ...event }: LoggedTimesheet): string {
  const { id, source, subject, time, connection, epoch, sequence } = event;
  const type = isSnapshotType(event.type) ? 'timesheet.snapshot' : 'employee.forgotten';
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

/** Stands for what told of a forgotten person. */
export const FORGOTTEN_TEXT = '(forgotten)';

/** An event of the directory, as far as an employee may be in it. */
const loggedDirectorySchema = z.object({
  id: z.string(),
  source: z.string(),
  type: z.custom<EventType>((type) => EVENT_TYPES.includes(type as EventType)),
  subject: z.string().nullable().default(null),
  time: z.string(),
  connection: z.string(),
  epoch: z.string().exactOptional(),
  sequence: z.int(),
  data: z.looseObject({ current: z.unknown().optional() }),
});

/** Members that may hold the id of an employee. */
const ID_MEMBERS = {
  employees: ['employeeId', 'about', 'records'],
  departments: ['managerId'],
} as const satisfies Record<DirectoryFeed, readonly string[]>;

/**
 * An event of the directory without an employee; null where he is not in it. One about himself keeps its id, position and
 * time, and says that somebody left of whom nothing is known.
 */
export function forgetInDirectory(
  value: unknown,
  { connection, employeeId }: { readonly connection: string; readonly employeeId: string },
): string | null {
  const { data: event } = loggedDirectorySchema.safeParse(value);
  const feed = DIRECTORY_FEEDS.find((each) => event?.source === sourceOf(connection, each));
  if (event === undefined || feed === undefined) return null;
  const isOwn = feed === 'employees' && event.subject === employeeId;
  const data = replaceId(event.data, employeeId, ID_MEMBERS[feed]);
  if (!isOwn)
    return data === event.data ? null : toEventText({ ...event, type: toShortType(event.type), data });
  const isOfRecord = 'current' in event.data;
  const type = isOfRecord && !isSnapshotType(event.type) ? 'employee.left' : toShortType(event.type);
  const nothing = isOfRecord ? { current: null, previous: isSnapshotType(event.type) ? null : {} } : {};
  return toEventText({ ...event, type, subject: FORGOTTEN_TEXT, data: { ...data, ...nothing } });
}

/** The same object where no such member, or an entry of it, is the id. */
function replaceId<Data extends object>(data: Data, id: string, members: readonly string[]): Data {
  const replace = (value: unknown, name: string): unknown => {
    if (Array.isArray(value)) return value.map((each) => replace(each, name));
    if (isRecord(value))
      return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, replace(each, key)]));
    return value === id && members.includes(name) ? FORGOTTEN_TEXT : value;
  };
  const kept = replace(data, '') as Data;
  return JSON.stringify(kept) === JSON.stringify(data) ? data : kept;
}
