import { comparePositions } from '#shared/core/events/event-order.ts';
import { DIRECTORY_FEEDS, type FeedName } from '#shared/core/feeds.ts';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import { readState } from '#shared/core/snapshot/stored-state.ts';
import type { EventLog } from '#shared/flow/event-log.ts';
import { type RecordStore, walkRows } from '#shared/flow/stored-records.ts';
import type { Clock } from '#shared/flow/system.ts';
import type { Person } from '../forget/forget-in.ts';
import { isRowOf, type LastTold } from '../forget/forget-record.ts';
import {
  isForgotten,
  type LoggedTimesheet,
  loggedTimesheetSchema,
  tellsOf,
} from '../forget/forgotten-event.ts';

/** Feeds whose records may tell of an employee. */
const TELLING_FEEDS: readonly FeedName[] = ['timesheets', ...DIRECTORY_FEEDS];
/** DynamoDB deletes expired items some days late. */
const EXPIRED_ITEMS_MS = 7 * 86_400_000;
/** Clocks of polls and of this machine differ by less. */
const CLOCKS_APART_MS = 3_600_000;

export interface FindPorts {
  readonly store: RecordStore;
  readonly log: EventLog;
  readonly clock: Clock;
}

export interface FindRequest {
  readonly connection: string;
  readonly employeeId: string;
  /** As messages call the employee; without it, as the employee's row has it, which goes when the source lists them no more. */
  readonly name?: string | undefined;
  readonly retentionMs: number;
}

/** A stored record that tells of an employee: a timesheet, the employee, or a department that names them as its manager. */
export interface TellingRecord {
  readonly feed: FeedName;
  readonly slice: string;
  readonly id: string;
}

/** What is stored of an employee. */
export interface FoundEmployee {
  readonly records: readonly TellingRecord[];
  /** Timesheets that are stored no more, and of which no event says yet that they are forgotten. */
  readonly removed: readonly LastTold[];
  readonly person: Person;
}

/** Looks for an employee in the rows of timesheets and of the directory, and in the event log. */
export async function findEmployee(request: FindRequest, ports: FindPorts): Promise<FoundEmployee> {
  const { connection, employeeId } = request;
  const logged = await readLogged(request, ports);
  const name = request.name ?? (await findName(request, ports));
  const records: TellingRecord[] = [];
  const timesheets = new Set(logged.keys());
  for await (const { feed, slice, row } of readRows(request, ports.store)) {
    if (isRowOf(feed, row, { connection, employeeId, name })) records.push({ feed, slice, id: row.id });
    // Stored ones are the employee's, or somebody else's by now.
    if (feed === 'timesheets') timesheets.delete(row.id);
  }
  const removed = [...timesheets].flatMap((id) => toLastTold(logged.get(id)));
  for (const { feed, id } of records) if (feed === 'timesheets') timesheets.add(id);
  return { records, removed, person: { connection, employeeId, timesheets, name } };
}

interface ReadRow {
  readonly feed: FeedName;
  readonly slice: string;
  readonly row: StoredRow;
}

async function* readRows(
  { connection, employeeId }: FindRequest,
  store: RecordStore,
): AsyncGenerator<ReadRow, void> {
  for (const feed of TELLING_FEEDS) {
    const selection = { feed, ...(feed === 'employees' ? { ids: [employeeId] } : {}) };
    for await (const { slice, rows } of walkRows(connection, selection, store))
      for (const row of rows) yield { feed, slice, row };
  }
}

/** As the employee's row has it; null where there is none. */
async function findName(
  { connection, employeeId }: FindRequest,
  { store }: FindPorts,
): Promise<string | null> {
  for await (const { rows } of walkRows(connection, { feed: 'employees', ids: [employeeId] }, store))
    for (const row of rows) {
      const name = readState('employees', row)?.name;
      if (typeof name === 'string') return name;
    }
  return null;
}

/**
 * Of the event log: the last event of each timesheet that is or was the employee's, or was forgotten before. A run that
 * was interrupted left both what still tells of the employee and what was forgotten.
 */
async function readLogged(
  request: FindRequest,
  ports: FindPorts,
): Promise<ReadonlyMap<string, LoggedTimesheet>> {
  const last = new Map<string, LoggedTimesheet>();
  const own = new Set<string>();
  for await (const event of readTimesheetEvents(request, ports)) {
    const known = last.get(event.subject);
    if (known === undefined || comparePositions(known, event) < 0) last.set(event.subject, event);
    if (isForgotten(event) || tellsOf(event, request.employeeId)) own.add(event.subject);
  }
  for (const id of last.keys()) if (!own.has(id)) last.delete(id);
  return last;
}

async function* readTimesheetEvents(
  { connection, retentionMs }: FindRequest,
  { log, clock }: FindPorts,
): AsyncGenerator<LoggedTimesheet, void> {
  const now = clock.now();
  const stretch = { from: now - retentionMs - EXPIRED_ITEMS_MS, to: now + CLOCKS_APART_MS };
  for await (const { texts } of log.read(connection, stretch))
    for (const text of texts) {
      const event = loggedTimesheetSchema.safeParse(parseJsonOrNull(text));
      if (event.success) yield event.data;
    }
}

/** Nothing where its last event says already that it is forgotten. */
function toLastTold(event: LoggedTimesheet | undefined): LastTold[] {
  if (event === undefined || isForgotten(event)) return [];
  const { subject: id, epoch, sequence, data } = event;
  const { departmentId = null, organisationId = null } = data;
  return [{ id, epoch: Date.parse(epoch), sequence, departmentId, organisationId }];
}
