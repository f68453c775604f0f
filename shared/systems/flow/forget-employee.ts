import { bucketSize, planSteps } from '#shared/core/commit/steps.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { addToWatermark } from '#shared/core/events/watermark.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { countRecords, findBucket, type Head, hashId, nameSlice } from '#shared/core/snapshot/head.ts';
import type { ConnectionState } from '#shared/core/snapshot/state.ts';
import { LEASE_MS } from '#shared/flow/poll/lease.ts';
import type { Commit, Lease, Store } from '#shared/flow/poll/ports.ts';
import type { Person } from '../forget/forget-in.ts';
import { forgetRow, type LastTold, readLastTold, tellForgotten } from '../forget/forget-record.ts';
import { type FindPorts, type FindRequest, findEmployee, type TellingRecord } from './find-employee.ts';

/** Takes people out of all that is stored beside the rows of records. */
export interface PersonEraser {
  /** Rewrites or deletes what tells of a person, and returns how many items that were. A repetition changes nothing. */
  forgetPerson(person: Person): Promise<number>;
  /** Deletes all that is stored of a connection, and returns how many items that were. */
  forgetConnection(name: string): Promise<number>;
}

export interface ForgetPorts extends FindPorts {
  readonly store: Pick<
    Store,
    'loadHeads' | 'readBuckets' | 'loadState' | 'takeLease' | 'renewLease' | 'commit' | 'giveBack'
  >;
  readonly eraser: PersonEraser;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** What was forgotten. */
export interface ForgetReport {
  /** Timesheets of which an event `employee.forgotten` tells from now on. */
  readonly timesheets: number;
  /** Items and records that were rewritten or deleted besides. */
  readonly items: number;
}

/** A poll holds the lease for minutes at most. */
const WAIT_MS = 6 * 60_000;
const TRY_EVERY_MS = 1_000;
/** Timesheets that one transaction tells of. */
const MAX_TOLD = 500;

/**
 * Erases an employee: first the rows, under the lease, so that no poll writes more about them; then all that was derived
 * from them; then the employee's own row, with the name by which that was found. Run again after an interruption, it goes
 * on. Throws a `NotifierError`, `store_contended` (retryable) when polls hold the lease all the time.
 */
export async function forgetEmployee(request: FindRequest, ports: ForgetPorts): Promise<ForgetReport> {
  const { connection } = request;
  if ((await ports.store.loadState(connection)) === null) return { timesheets: 0, items: 0 };
  const forgotten = await underLease(connection, { request, ports }, async (run) => {
    const { records, removed, person } = await findEmployee(request, ports);
    const others = records.filter(({ feed }) => feed !== 'employees');
    await forgetRecords(others, run);
    await tellRemoved(removed, run);
    await forgetInState(run);
    const timesheets = removed.length + others.filter(({ feed }) => feed === 'timesheets').length;
    return { person, timesheets, items: removed.length + others.length - timesheets };
  });
  const items = await ports.eraser.forgetPerson(forgotten.person);
  const ownRows = await underLease(connection, { request, ports }, async (run) => {
    const { records } = await findEmployee(request, ports);
    const own = records.filter(({ feed }) => feed === 'employees');
    await forgetRecords(own, run);
    return own.length;
  });
  return { timesheets: forgotten.timesheets, items: forgotten.items + items + ownRows };
}

interface Forgetting {
  readonly request: FindRequest;
  readonly ports: ForgetPorts;
}

/** What is written under one lease. */
interface ForgetRun extends Forgetting {
  readonly lease: Lease;
  /** As last written. */
  state: ConnectionState;
  /** By `nameSlice`. */
  readonly heads: Map<string, Head>;
}

async function underLease<Result>(
  connection: string,
  { request, ports }: Forgetting,
  write: (run: ForgetRun) => Promise<Result>,
): Promise<Result> {
  const { store } = ports;
  const state = await waitForLease(connection, ports);
  const lease = { connection, token: state.token };
  const heads = (await store.loadHeads(connection)).map((head) => [nameSlice(head), head] as const);
  const run = { request, ports, lease, state, heads: new Map(heads) };
  try {
    return await write(run);
  } finally {
    // What another poll has taken over is not ours to give back, and the error that led here says more.
    await store.giveBack(lease, { topics: run.state.topics }).catch(() => {});
  }
}

async function waitForLease(
  connection: string,
  { store, clock, sleep }: ForgetPorts,
): Promise<ConnectionState> {
  const until = clock.now() + WAIT_MS;
  for (;;) {
    const now = clock.now();
    const state = await store.takeLease(connection, now + LEASE_MS, now);
    if (state !== null) return state;
    if (now >= until) break;
    await sleep(TRY_EVERY_MS);
  }
  throw new NotifierError(
    'store_contended',
    `polls of ${connection} hold its lease all the time; run the command again, which goes on from here`,
    { retryable: true },
  );
}

async function forgetRecords(records: readonly TellingRecord[], run: ForgetRun): Promise<void> {
  for (const [name, own] of Map.groupBy(records, nameSlice)) {
    const head = run.heads.get(name);
    if (head !== undefined) await forgetInSlice(head, new Set(own.map(({ id }) => id)), run);
  }
}

async function forgetInSlice(known: Head, ids: ReadonlySet<string>, run: ForgetRun): Promise<void> {
  const { feed, slice } = known;
  const head = forgetInHead(known, ids);
  const places = [...new Set([...ids].map((id) => findBucket(head.buckets, hashId(id))))].sort(
    (a, b) => a - b,
  );
  const keys = places.map((place) => ({ feed, slice, from: head.buckets[place]?.from ?? 0 }));
  const buckets = await run.ports.store.readBuckets(run.lease.connection, keys);
  const patches = places.map((index, place) => {
    const rows = buckets[place] ?? [];
    const own = rows.filter(({ id }) => ids.has(id));
    const texts = feed === 'timesheets' ? own.map((row) => tell(readLastTold(row), run)) : [];
    const left = rows.flatMap((row) => (ids.has(row.id) ? (forgetRow(feed, row) ?? []) : [row]));
    return { index, rows: left, texts };
  });
  for (const step of planSteps(head, patches, bucketSize(countRecords(head)))) {
    const written = step.buckets.map((bucket) => ({ feed, slice, ...bucket }));
    await commit({ heads: [step.head], buckets: written }, step.texts, run);
    run.heads.set(nameSlice(step.head), step.head);
  }
}

/** Heads name records that could not be read by their ids, which those of employees are. */
function forgetInHead(head: Head, ids: ReadonlySet<string>): Head {
  const keep = (id: string) => !ids.has(id);
  const { bad, unlisted } = head;
  const count = bad === null ? 0 : bad.count - bad.ids.filter((id) => ids.has(id)).length;
  return {
    ...head,
    bad: bad === null || count === 0 ? null : { ...bad, count, ids: bad.ids.filter(keep) },
    unlisted: unlisted === null ? null : { ...unlisted, ids: unlisted.ids.filter(keep) },
  };
}

/** Timesheets that are stored no more: their history is in the log alone. */
async function tellRemoved(removed: readonly LastTold[], run: ForgetRun): Promise<void> {
  for (let start = 0; start < removed.length; start += MAX_TOLD) {
    const texts = removed.slice(start, start + MAX_TOLD).map((last) => tell(last, run));
    await commit({}, texts, run);
  }
}

/** Troubles name the records that they concern. */
async function forgetInState(run: ForgetRun): Promise<void> {
  const { employeeId } = run.request;
  const { troubles } = run.state;
  const kept = troubles.map((trouble) => {
    if (trouble.feed !== 'employees') return trouble;
    return { ...trouble, about: trouble.about.filter((id) => id !== employeeId) };
  });
  const isNamed = troubles.some(({ about }, place) => about.length !== kept[place]?.about.length);
  if (isNamed) await commit({ state: { troubles: kept } }, [], run);
}

function tell(last: LastTold, { request, ports, state }: ForgetRun): string {
  const now = ports.clock.now();
  const { restoredAt } = state;
  return tellForgotten(request.connection, last, { now, clock: nextClock(now, state), restoredAt });
}

function nextClock(now: number, { clock }: ConnectionState): number {
  return Math.max(now, clock + 1);
}

/** Rows, events and what watermarks count of them, in one transaction. */
async function commit(changes: Partial<Commit>, texts: readonly string[], run: ForgetRun): Promise<void> {
  const { ports, lease, request, state } = run;
  const topic = 'operations';
  const feed: FeedName = 'timesheets';
  const ids = texts.map((text) => (JSON.parse(text) as { readonly id: string }).id);
  const watermark = state.watermarks[feed];
  const counted =
    watermark === undefined
      ? {}
      : { watermarks: { ...state.watermarks, [feed]: addToWatermark(watermark, ids) } };
  const now = ports.clock.now();
  const clock = nextClock(now, state);
  const written = { ...changes.state, ...counted };
  const [logged] = await ports.store.commit(
    lease,
    {
      ...{ heads: [], removedHeads: [], buckets: [], published: {}, ...changes },
      log: texts.length === 0 ? [] : [{ topic, texts }],
      state: written,
    },
    { clock, until: now + LEASE_MS, expiresAt: now + request.retentionMs },
  );
  const { published = '' } = state.topics[topic] ?? {};
  const topics = logged === undefined ? state.topics : { ...state.topics, [topic]: { logged, published } };
  run.state = { ...state, ...written, clock, topics };
}
