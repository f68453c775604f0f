import { CommitClock } from '#shared/core/commit/commit-order.ts';
import { planCommit } from '#shared/core/commit/commit-plan.ts';
import { type CommitOutcome, toRequestToken } from '#shared/core/commit/commit-step.ts';
import { KnownHeads } from '#shared/core/commit/known-heads.ts';
import { applyLastScan } from '#shared/core/compare/differing-leaves.ts';
import { isDate } from '#shared/core/dates.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { computeEventId, toPosition } from '#shared/core/events/envelope.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import { feedDefinition, toState } from '#shared/core/records/feed-definition.ts';
import { readEpochRule } from '#shared/core/snapshot/recognize-table.ts';
import {
  type Leaf,
  type LeafRef,
  type LeafRow,
  leavesMatchHeads,
  type SliceHead,
  type Tombstone,
  toLeafKey,
  toLeafRef,
} from '#shared/core/snapshot/snapshot.ts';
import { commitSteps } from '#shared/flow/poll/commit-and-publish.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import type { Clock } from '#shared/flow/system.ts';
import type { NameStore } from '#shared/names/flow/refresh-names.ts';
import type { EventLog } from '#shared/replay/flow/replay-events.ts';
import { walkRecords } from '#shared/snapshots/flow/walk-records.ts';
import type { SnapshotRecord } from '#shared/snapshots/snapshot-events.ts';
import type { Person } from '../forget-in.ts';
import { forgetRecord, isForgotten, loggedTimesheetSchema, tellsOf } from '../forgotten-event.ts';

/** Takes people out of all that is stored beside the records, their names and their feeds' states. */
export interface PersonEraser {
  /**
   * Rewrites or deletes what tells of a person, and leaves of timesheets that no head points to any more. Returns how many
   * items that were. A repetition changes nothing.
   */
  forgetPerson(person: Person, heads: ReadonlyMap<string, SliceHead>): Promise<number>;
  /** Deletes all that is stored of a connection, and returns how many items that were. */
  forgetConnection(name: string): Promise<number>;
}

const TIMESHEETS = feedDefinition('timesheets');
/** DynamoDB deletes expired items some days late. */
const EXPIRED_ITEMS_MS = 7 * 86_400_000;
/** Clocks of polls and of this machine differ by less. */
const CLOCKS_APART_MS = 3_600_000;
/** Tries to commit while polls commit to the same slice or state. */
const MAX_TRIES = 10;

export interface ForgetPorts {
  readonly store: Pick<
    SnapshotStore,
    'loadFeedState' | 'saveFeedState' | 'loadHeads' | 'readLeaves' | 'commit'
  >;
  readonly log: EventLog;
  readonly names: NameStore;
  readonly eraser: PersonEraser;
  readonly clock: Clock;
}

export interface ForgetRequest {
  readonly connection: string;
  readonly employeeId: string;
  readonly retentionMs: number;
  /** Unique to this run, at most 36 characters. */
  readonly runId: string;
}

/** What is stored of an employee. */
export interface FoundEmployee {
  /** Ids of his timesheets by slice, and of removed ones that are remembered. */
  readonly slices: ReadonlyMap<string, readonly string[]>;
  /** Dates of the timesheets that the source listed when it was last asked. */
  readonly dates: readonly string[];
  readonly person: Person;
  /** Ids of the last events of removed timesheets that are to be forgotten. */
  readonly removals: ReadonlySet<string>;
}

/** Looks for an employee in the rows of timesheets, in the event log and among the names. */
export async function findEmployee(request: ForgetRequest, ports: ForgetPorts): Promise<FoundEmployee> {
  const { connection, employeeId } = request;
  const logged = await readLog(request, ports);
  const stored = new StoredTimesheets(request, logged);
  const select = [{ feed: 'timesheets' } as const];
  for await (const { leaf } of walkRecords({ connection, select, after: null }, ports.store))
    stored.add(leaf);
  const { slices, dates, ids: timesheets, removals } = stored;
  const { employees } = await ports.names.load(connection, ['employees']);
  const name = employees.get(employeeId) ?? null;
  const person = { connection, employeeId, timesheets, events: logged.events, name };
  return { slices, dates: [...dates].sort(), person, removals };
}

/** The timesheets of an employee, as leaves are read. */
class StoredTimesheets {
  readonly slices = new Map<string, string[]>();
  readonly dates = new Set<string>();
  readonly removals = new Set<string>();
  readonly ids: Set<string>;
  readonly #request: ForgetRequest;
  readonly #logged: LoggedEvents;

  constructor(request: ForgetRequest, logged: LoggedEvents) {
    this.#request = request;
    this.#logged = logged;
    this.ids = new Set([...logged.own, ...logged.forgottenTimesheets]);
  }

  add({ slice, rows, tombstones }: Leaf): void {
    const { connection, employeeId } = this.#request;
    for (const row of rows) {
      const isOwn = employeeOf(row) === employeeId;
      if (isOwn) this.#addRecord(slice, row.id);
      if (isOwn) this.dates.add(slice);
      // Somebody else has it by now.
      else this.ids.delete(row.id);
    }
    for (const each of tombstones) {
      const last = lastEventOf(each, connection);
      if (!this.#logged.own.has(each.id) || this.#logged.forgotten.has(last)) continue;
      this.removals.add(last);
      this.#addRecord(slice, each.id);
    }
  }

  #addRecord(slice: string, id: string): void {
    this.ids.add(id);
    this.slices.set(slice, [...(this.slices.get(slice) ?? []), id]);
  }
}

function lastEventOf({ id, ...position }: Tombstone, connection: string): string {
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

async function readLog(request: ForgetRequest, { log, clock }: ForgetPorts): Promise<LoggedEvents> {
  const { connection, employeeId, retentionMs } = request;
  const logged = new LoggedEvents();
  const now = clock.now();
  const between = { from: now - retentionMs - EXPIRED_ITEMS_MS, to: now + CLOCKS_APART_MS };
  for await (const { texts } of log.read({ connection, feed: 'timesheets' }, between))
    for (const text of texts) logged.add(text, employeeId);
  return logged;
}

function employeeOf({ state }: LeafRow): unknown {
  return toState(TIMESHEETS, state).employeeId;
}

/** What was forgotten. */
export interface ForgetReport {
  /** Timesheets that are tombstones from now on, each with an event `record.forgotten`. */
  readonly timesheets: number;
  /** Items of the table that were rewritten or deleted besides. */
  readonly items: number;
  readonly isNameDeleted: boolean;
}

/**
 * Erases an employee: first the rows, as a commit of a poll does, so that no poll writes more about them; then all that
 * was derived from them; then the name, by which that was found. Run again after an interruption, it goes on.
 */
export async function forgetEmployee(
  found: FoundEmployee,
  request: ForgetRequest,
  ports: ForgetPorts,
): Promise<ForgetReport> {
  const feed = { connection: request.connection, feed: 'timesheets' } as const;
  const heads = new KnownHeads(await ports.store.loadHeads(feed, ''));
  const run: ForgetRun = { feed, found, request, ports, heads, forgotten: new Set(), timesheets: 0 };
  // Polls move timesheets to slices that were read already, and store new ones.
  for (let tries = 0; hasMore(run); tries += 1) {
    if (tries === MAX_TRIES) throw contendedError(`the timesheets of ${feed.connection}`);
    for (const slice of [...run.found.slices.keys()].sort()) await forgetSlice(slice, run);
    run.found = await findEmployee(request, ports);
  }
  await announceOutboxes(run);
  const { person } = run.found;
  const items = await ports.eraser.forgetPerson(person, heads.all);
  const isNameDeleted = await forgetName(person, ports);
  return { timesheets: run.timesheets, items, isNameDeleted };
}

/** One that this run forgot and a poll stored anew is of the source, and stays. */
function hasMore({ found, forgotten }: ForgetRun): boolean {
  return [...found.slices.values()].flat().some((id) => !forgotten.has(id));
}

interface ForgetRun {
  readonly feed: FeedKey;
  found: FoundEmployee;
  readonly request: ForgetRequest;
  readonly ports: ForgetPorts;
  readonly heads: KnownHeads;
  /** Ids of timesheets that were forgotten so far, and how many events tell so. */
  readonly forgotten: Set<string>;
  timesheets: number;
}

/** Forgets the timesheets of a slice; where a poll commits first, what it left. */
async function forgetSlice(slice: string, run: ForgetRun): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    if ((await tryToForget(slice, run)) === 'committed') return;
    run.heads.reload(await run.ports.store.loadHeads(run.feed, ''));
  }
  throw contendedError(`slice ${slice}`);
}

function contendedError(what: string): NotifierError {
  return new NotifierError(
    'store_contended',
    `cannot rewrite ${what}: polls keep committing to it; run the command again, which goes on from here`,
    { retryable: true },
  );
}

async function tryToForget(slice: string, run: ForgetRun): Promise<CommitOutcome> {
  const { feed, found, request, ports, heads } = run;
  const stored = await ports.store.loadFeedState(feed);
  const head = heads.get(slice);
  if (head === undefined || stored === null) return 'committed';
  const refs = new Map((found.slices.get(slice) ?? []).map((id) => toKeyed(toLeafRef(head, id))));
  const leaves = new Map((await ports.store.readLeaves(feed, [...refs.values()])).map(toKeyed));
  if (!leavesMatchHeads([...leaves.values()], heads.all)) return 'conflict';
  const records = [...leaves.values()].flatMap((leaf) => selectRecords(leaf, run));
  if (records.length === 0) return 'committed';
  const outboxes = [...heads.all.values()].flatMap(({ outbox }) => outbox);
  const now = new CommitClock([...outboxes, ...stored.outbox]).next(ports.clock.now());
  const epochs = readEpochRule(stored.state);
  const plan = planCommit({
    ...{ feed, definition: TIMESHEETS, observed: new Map(), now },
    ...{ runId: request.runId, retentionMs: request.retentionMs },
    snapshot: {
      heads: new Map([...heads.all, [slice, applyLastScan(head, stored.state.coverage[slice])]]),
      leaves,
    },
    changeEvents: records.map((record) => forgetRecord({ feed, slice, record, epochs, now })),
  });
  const outcome = await commitSteps(plan.steps, { store: ports.store, heads }, ({ texts }) => {
    run.timesheets += texts.length;
  });
  if (outcome === 'committed') for (const { id } of records) run.forgotten.add(id);
  return outcome;
}

function toKeyed<Ref extends LeafRef>(ref: Ref): readonly [string, Ref] {
  return [toLeafKey(ref), ref];
}

/** Rows of the employee, and removed timesheets that are as they were found. */
function selectRecords(leaf: Leaf, { found: { person, removals }, forgotten }: ForgetRun): SnapshotRecord[] {
  const records = [
    ...leaf.rows.filter((row) => employeeOf(row) === person.employeeId),
    ...leaf.tombstones.filter((each) => removals.has(lastEventOf(each, person.connection))),
  ];
  return records.filter(({ id }) => !forgotten.has(id));
}

/** Polls read the outboxes of old dates only from where the state of the feed says (rule 3). */
async function announceOutboxes({ feed, heads, request, ports }: ForgetRun): Promise<void> {
  const waiting = [...heads.all.values()].filter(({ slice, outbox }) => isDate(slice) && outbox.length > 0);
  const [first] = waiting.map(({ slice }) => slice).sort();
  for (let tries = 0; first !== undefined && tries < MAX_TRIES; tries += 1) {
    const stored = await ports.store.loadFeedState(feed);
    if (stored === null || (stored.state.loadFrom ?? '~') <= first) return;
    const revision = stored.state.revision + 1;
    const outcome = await ports.store.saveFeedState({
      ...{ feed, token: toRequestToken([request.runId, 'state', revision]) },
      ...{ expectedRevision: stored.state.revision, events: null, eventsExpireAt: 0 },
      state: { ...stored.state, revision, loadFrom: first },
    });
    if (outcome === 'committed') return;
  }
  if (first !== undefined) throw contendedError(`the state of ${feed.connection}`);
}

/** A department may name its manager by id or by name. */
async function forgetName({ connection, employeeId }: Person, { names }: ForgetPorts): Promise<boolean> {
  const { employees, managers } = await names.load(connection, ['employees', 'managers']);
  const own = [employeeId, employees.get(employeeId)];
  const kept = new Map([...managers].filter(([, manager]) => !own.includes(manager)));
  if (kept.size < managers.size) await names.save(connection, 'managers', kept);
  if (!employees.has(employeeId)) return kept.size < managers.size;
  await names.save(connection, 'employees', new Map([...employees].filter(([id]) => id !== employeeId)));
  return true;
}
