import { CommitClock } from '#shared/core/commit/commit-order.ts';
import { planCommit } from '#shared/core/commit/commit-plan.ts';
import { type CommitOutcome, toRequestToken } from '#shared/core/commit/commit-step.ts';
import { KnownHeads } from '#shared/core/commit/known-heads.ts';
import { applyLastScan } from '#shared/core/compare/differing-leaves.ts';
import { isDate } from '#shared/core/dates.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { SnapshotRecord } from '#shared/core/events/snapshot-events.ts';
import type { FeedKey, FeedName } from '#shared/core/feeds.ts';
import { feedDefinition, WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import type { FeedState } from '#shared/core/snapshot/feed-state.ts';
import { readEpochRule } from '#shared/core/snapshot/recognize-table.ts';
import {
  type Leaf,
  type LeafRef,
  leavesMatchHeads,
  type SliceHead,
  type Tombstone,
  toLeafKey,
  toLeafRef,
} from '#shared/core/snapshot/snapshot.ts';
import { commitSteps } from '#shared/flow/poll/commit-and-publish.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import type { Person } from '../forget/forget-in.ts';
import { forgetRecord, isRemovalOf, isRowOf } from '../forget/forget-record.ts';
import {
  type FindPorts,
  type FindRequest,
  type FoundEmployee,
  findEmployee,
  lastEventOf,
  TELLING_FEEDS,
  type TellingRecord,
} from './find-employee.ts';

export type HeadsByFeed = ReadonlyMap<string, ReadonlyMap<string, SliceHead>>;

/** Takes people out of all that is stored beside the records and their feeds' states. */
export interface PersonEraser {
  /**
   * Rewrites or deletes what tells of a person, and leaves of these feeds that no head points to any more. Returns how many
   * items that were. A repetition changes nothing.
   */
  forgetPerson(person: Person, heads: HeadsByFeed): Promise<number>;
  /** Deletes all that is stored of a connection, and returns how many items that were. */
  forgetConnection(name: string): Promise<number>;
}

/** Tries to commit while polls commit to the same slice or state. */
const MAX_TRIES = 10;

export interface ForgetPorts extends FindPorts {
  readonly store: Pick<
    SnapshotStore,
    'loadFeedState' | 'saveFeedState' | 'loadHeads' | 'readLeaves' | 'commit'
  >;
  readonly eraser: PersonEraser;
}

export interface ForgetRequest extends FindRequest {
  /** Unique to this run, at most 36 characters. */
  readonly runId: string;
}

/** What was forgotten. */
export interface ForgetReport {
  /** Timesheets that are tombstones from now on, each with an event `employee.forgotten`. */
  readonly timesheets: number;
  /** Items of the table that were rewritten or deleted besides. */
  readonly items: number;
}

/**
 * Erases an employee: first the rows, as a commit of a poll does, so that no poll writes more about them; then all that
 * was derived from them; then the employee's own row, with the name by which that was found. Run again after an
 * interruption, it goes on.
 */
export async function forgetEmployee(
  found: FoundEmployee,
  request: ForgetRequest,
  ports: ForgetPorts,
): Promise<ForgetReport> {
  const lists = new Map<FeedName, KnownList>();
  for (const feed of TELLING_FEEDS)
    lists.set(feed, await openList({ connection: request.connection, feed }, ports));
  const run: ForgetRun = { found, request, ports, lists, forgotten: new Set(), timesheets: 0, others: 0 };
  // Polls move timesheets to slices that were read already, and store new ones.
  for (let tries = 0; hasMore(run); tries += 1) {
    if (tries === MAX_TRIES) throw contendedError(`what is stored of ${request.connection}`);
    for (const { feed, slice } of listSlices(run.found))
      if (feed !== 'employees') await forgetSlice(feed, slice, run);
    run.found = await findEmployee(request, ports);
  }
  await announceOutboxes(run);
  await forgetInState(run);
  const { person } = run.found;
  const heads = new Map([...lists].map(([feed, list]) => [feed, list.heads.all] as const));
  const items = await ports.eraser.forgetPerson(person, heads);
  await forgetSlice('employees', WHOLE_LIST, run);
  return { timesheets: run.timesheets, items: run.others + items };
}

async function openList(feed: FeedKey, { store }: ForgetPorts): Promise<KnownList> {
  return { feed, heads: new KnownHeads(await store.loadHeads(feed, '')) };
}

/** Each slice once, those of timesheets first. */
function listSlices({ records }: FoundEmployee): TellingRecord[] {
  const slices = new Map(records.map((each) => [`${TELLING_FEEDS.indexOf(each.feed)}/${each.slice}`, each]));
  return [...slices].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}

/** One that this run forgot and a poll stored anew is of the source, and stays. */
function hasMore({ found, forgotten }: ForgetRun): boolean {
  return found.records.some(({ feed, id }) => feed !== 'employees' && !forgotten.has(`${feed}/${id}`));
}

interface KnownList {
  readonly feed: FeedKey;
  readonly heads: KnownHeads;
}

interface ForgetRun {
  found: FoundEmployee;
  readonly request: ForgetRequest;
  readonly ports: ForgetPorts;
  readonly lists: ReadonlyMap<FeedName, KnownList>;
  /** Feeds and ids of the records that were forgotten so far. */
  readonly forgotten: Set<string>;
  /** How many events tell so, and how many records were forgotten without one. */
  timesheets: number;
  others: number;
}

/** Forgets the records of a slice; where a poll commits first, what it left. */
async function forgetSlice(name: FeedName, slice: string, run: ForgetRun): Promise<void> {
  const list = run.lists.get(name);
  if (list === undefined) return;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    if ((await tryToForget(slice, list, run)) === 'committed') return;
    list.heads.reload(await run.ports.store.loadHeads(list.feed, ''));
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

async function tryToForget(
  slice: string,
  { feed, heads }: KnownList,
  run: ForgetRun,
): Promise<CommitOutcome> {
  const { found, request, ports } = run;
  const stored = await ports.store.loadFeedState(feed);
  const head = heads.get(slice);
  if (head === undefined || stored === null) return 'committed';
  const own = found.records.filter((each) => each.feed === feed.feed && each.slice === slice);
  const refs = new Map(own.map(({ id }) => toKeyed(toLeafRef(head, id))));
  const leaves = new Map((await ports.store.readLeaves(feed, [...refs.values()])).map(toKeyed));
  if (!leavesMatchHeads([...leaves.values()], heads.all)) return 'conflict';
  const records = [...leaves.values()].flatMap((leaf) => selectRecords(feed.feed, leaf, run));
  if (records.length === 0) return 'committed';
  const outboxes = [...heads.all.values()].flatMap(({ outbox }) => outbox);
  const now = new CommitClock([...outboxes, ...stored.outbox]).next(ports.clock.now());
  const epochs = readEpochRule(stored.state);
  const changeEvents = records.map((record) => forgetRecord({ feed, slice, record, epochs, now }));
  const plan = planCommit({
    ...{ feed, definition: feedDefinition(feed.feed), observed: new Map(), now, changeEvents },
    ...{ runId: request.runId, retentionMs: request.retentionMs },
    snapshot: {
      heads: new Map([...heads.all, [slice, applyLastScan(head, stored.state.coverage[slice])]]),
      leaves,
    },
  });
  const outcome = await commitSteps(plan.steps, { store: ports.store, heads }, ({ texts }) => {
    run.timesheets += texts.length;
  });
  if (outcome !== 'committed') return outcome;
  if (feed.feed !== 'timesheets') run.others += records.length;
  for (const { id } of records) run.forgotten.add(`${feed.feed}/${id}`);
  return outcome;
}

function toKeyed<Ref extends LeafRef>(ref: Ref): readonly [string, Ref] {
  return [toLeafKey(ref), ref];
}

/** Rows that tell of the employee, and removed records that are as they were found. */
function selectRecords(feed: FeedName, leaf: Leaf, { found, forgotten }: ForgetRun): SnapshotRecord[] {
  const { person, removals } = found;
  const isOwn = (each: Tombstone) =>
    feed === 'timesheets'
      ? removals.has(lastEventOf(each, person.connection))
      : isRemovalOf(feed, each, person);
  const records = [
    ...leaf.rows.filter((row) => isRowOf(feed, row, person)),
    ...leaf.tombstones.filter(isOwn),
  ];
  return records.filter(({ id }) => !forgotten.has(`${feed}/${id}`));
}

/** Polls read the outboxes of old dates only from where the state of the feed says (rule 3). */
async function announceOutboxes(run: ForgetRun): Promise<void> {
  const heads = run.lists.get('timesheets')?.heads.all.values() ?? [];
  const waiting = [...heads].filter(({ slice, outbox }) => isDate(slice) && outbox.length > 0);
  const [first] = waiting.map(({ slice }) => slice).sort();
  if (first === undefined) return;
  await changeState('timesheets', run, ({ loadFrom }) =>
    (loadFrom ?? '~') <= first ? null : { loadFrom: first },
  );
}

/** The state remembers records that could not be read by their ids, which those of employees are. */
async function forgetInState(run: ForgetRun): Promise<void> {
  const { employeeId } = run.request;
  await changeState('employees', run, ({ coverage, unreadable }) => {
    const { [WHOLE_LIST]: whole } = coverage;
    const { [employeeId]: unseenSince, ...unseen } = whole?.unseen ?? {};
    const { [employeeId]: bad, ...others } = unreadable;
    if (unseenSince === undefined && bad === undefined) return null;
    const covered = whole === undefined ? {} : { [WHOLE_LIST]: { ...whole, unseen } };
    return { unreadable: others, coverage: { ...coverage, ...covered } };
  });
}

/** Writes what is to change of the state of a feed; null for nothing. */
async function changeState(
  name: FeedName,
  { lists, request, ports }: ForgetRun,
  change: (state: FeedState) => Partial<FeedState> | null,
): Promise<void> {
  const feed = lists.get(name)?.feed;
  if (feed === undefined) return;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const stored = await ports.store.loadFeedState(feed);
    const changed = stored === null ? null : change(stored.state);
    if (stored === null || changed === null) return;
    const revision = stored.state.revision + 1;
    const outcome = await ports.store.saveFeedState({
      ...{ feed, token: toRequestToken([request.runId, 'state', name, revision]) },
      ...{ expectedRevision: stored.state.revision, events: null, eventsExpireAt: 0 },
      state: { ...stored.state, ...changed, revision },
    });
    if (outcome === 'committed') return;
  }
  throw contendedError(`the state of ${feed.connection}`);
}
