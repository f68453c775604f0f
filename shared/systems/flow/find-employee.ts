import { computeEventId, toPosition } from '#shared/core/events/envelope.ts';
import { DIRECTORY_FEEDS, type FeedName } from '#shared/core/feeds.ts';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import { feedDefinition, toState } from '#shared/core/records/feed-definition.ts';
import type { Leaf, Tombstone } from '#shared/core/snapshot/snapshot.ts';
import type { EventLog } from '#shared/flow/event-log.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import { walkLeaves } from '#shared/flow/stored-records.ts';
import type { Clock } from '#shared/flow/system.ts';
import type { Person } from '../forget/forget-in.ts';
import { type Forgettable, isRemovalOf, isRowOf } from '../forget/forget-record.ts';
import { isForgotten, loggedTimesheetSchema, tellsOf } from '../forget/forgotten-event.ts';

/** Feeds whose records may tell of an employee. */
export const TELLING_FEEDS: readonly FeedName[] = ['timesheets', ...DIRECTORY_FEEDS];
/** DynamoDB deletes expired items some days late. */
const EXPIRED_ITEMS_MS = 7 * 86_400_000;
/** Clocks of polls and of this machine differ by less. */
const CLOCKS_APART_MS = 3_600_000;

export interface FindPorts {
  readonly store: Pick<SnapshotStore, 'loadHeads' | 'readLeaves'>;
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

/** A stored record, or a removed one that is remembered. */
export interface TellingRecord {
  readonly feed: FeedName;
  readonly slice: string;
  readonly id: string;
}

/** What is stored of an employee. */
export interface FoundEmployee {
  /** His timesheets, himself, and departments that name him as their manager. */
  readonly records: readonly TellingRecord[];
  /** Dates of the timesheets that the source listed when it was last asked. */
  readonly dates: readonly string[];
  /** Of the directory, as the source listed it when it was last asked: himself, and departments that he manages. */
  readonly listed: readonly TellingRecord[];
  readonly person: Person;
  /** Ids of the last events of removed timesheets that are to be forgotten. */
  readonly removals: ReadonlySet<string>;
}

/** Looks for an employee in the rows of timesheets and of the directory, and in the event log. */
export async function findEmployee(request: FindRequest, ports: FindPorts): Promise<FoundEmployee> {
  const { connection, employeeId } = request;
  const logged = await readLog(request, ports);
  const name = request.name ?? (await findName(request, ports));
  const stored = new StoredRecords({ connection, employeeId, name }, logged);
  for (const feed of TELLING_FEEDS) {
    const selection = { feed, ...(feed === 'employees' ? { ids: [employeeId] } : {}) };
    for await (const leaf of walkLeaves(connection, selection, ports.store)) stored.add(feed, leaf);
  }
  const { records, dates, listed, timesheets, removals } = stored;
  const person = { connection, employeeId, timesheets, events: logged.events, name };
  return { records, dates: [...dates].sort(), listed, person, removals };
}

/** As the employee's row has it; null where there is none. */
async function findName(
  { connection, employeeId }: FindRequest,
  { store }: FindPorts,
): Promise<string | null> {
  for await (const { rows } of walkLeaves(connection, { feed: 'employees', ids: [employeeId] }, store)) {
    const row = rows.find(({ id }) => id === employeeId);
    const { name } = row === undefined ? {} : toState(feedDefinition('employees'), row.state);
    if (typeof name === 'string') return name;
  }
  return null;
}

/** The records that tell of an employee, as leaves are read. */
class StoredRecords {
  readonly records: TellingRecord[] = [];
  readonly listed: TellingRecord[] = [];
  readonly dates = new Set<string>();
  readonly removals = new Set<string>();
  readonly timesheets: Set<string>;
  readonly #employee: Forgettable;
  readonly #logged: LoggedEvents;

  constructor(employee: Forgettable, logged: LoggedEvents) {
    this.#employee = employee;
    this.#logged = logged;
    this.timesheets = new Set([...logged.own, ...logged.forgottenTimesheets]);
  }

  add(feed: FeedName, leaf: Leaf): void {
    if (feed === 'timesheets') this.#addTimesheets(leaf);
    else this.#addDirectory(feed, leaf);
  }

  #addTimesheets({ slice, rows, tombstones }: Leaf): void {
    for (const row of rows) {
      const isOwn = isRowOf('timesheets', row, this.#employee);
      if (isOwn) this.#addTimesheet(slice, row.id);
      if (isOwn) this.dates.add(slice);
      // Somebody else has it by now.
      else this.timesheets.delete(row.id);
    }
    for (const each of tombstones) {
      const last = lastEventOf(each, this.#employee.connection);
      if (!this.#logged.own.has(each.id) || this.#logged.forgotten.has(last)) continue;
      this.removals.add(last);
      this.#addTimesheet(slice, each.id);
    }
  }

  #addTimesheet(slice: string, id: string): void {
    this.timesheets.add(id);
    this.records.push({ feed: 'timesheets', slice, id });
  }

  #addDirectory(feed: FeedName, { slice, rows, tombstones }: Leaf): void {
    const own = rows.filter((row) => isRowOf(feed, row, this.#employee));
    this.listed.push(...own.map(({ id }) => ({ feed, slice, id })));
    const removed = tombstones.filter((each) => isRemovalOf(feed, each, this.#employee));
    this.records.push(...[...own, ...removed].map(({ id }) => ({ feed, slice, id })));
  }
}

export function lastEventOf({ id, ...position }: Tombstone, connection: string): string {
  return computeEventId({ connection, feed: 'timesheets' }, id, toPosition(position));
}

/** Of the event log. A run that was interrupted left both what still tells of the employee and what was forgotten. */
class LoggedEvents {
  /** Timesheets of which events tell that they are or were of the employee. */
  readonly own = new Set<string>();
  readonly forgottenTimesheets = new Set<string>();
  /** Ids of the events of both. */
  readonly events = new Set<string>();
  readonly forgotten = new Set<string>();

  add(text: string, employeeId: string): void {
    const { data: event } = loggedTimesheetSchema.safeParse(parseJsonOrNull(text));
    if (event === undefined) return;
    const { id, subject } = event;
    if (isForgotten(event)) {
      this.forgottenTimesheets.add(subject);
      this.forgotten.add(id);
      this.events.add(id);
    } else if (tellsOf(event, employeeId)) {
      this.own.add(subject);
      this.events.add(id);
    }
  }
}

async function readLog(request: FindRequest, { log, clock }: FindPorts): Promise<LoggedEvents> {
  const { connection, employeeId, retentionMs } = request;
  const logged = new LoggedEvents();
  const now = clock.now();
  const between = { from: now - retentionMs - EXPIRED_ITEMS_MS, to: now + CLOCKS_APART_MS };
  for await (const { texts } of log.read({ connection, feed: 'timesheets' }, between))
    for (const text of texts) logged.add(text, employeeId);
  return logged;
}
