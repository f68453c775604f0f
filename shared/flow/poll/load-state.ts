import { CommitClock } from '#shared/core/commit/commit-order.ts';
import { toRequestToken } from '#shared/core/commit/commit-step.ts';
import { INSERT_FENCE } from '#shared/core/commit/insert-fence.ts';
import { KnownHeads } from '#shared/core/commit/known-heads.ts';
import { collectOutboxEntries, PublishState } from '#shared/core/commit/outbox.ts';
import {
  findSlicesToRenew,
  type RenewalRule,
  type RenewalState,
  renewLeaf,
} from '#shared/core/commit/renewal.ts';
import { applyLastScan } from '#shared/core/compare/differing-leaves.ts';
import { computeWindow, type DateRange } from '#shared/core/dates.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import { GUARDS } from '#shared/core/guards.ts';
import { readAbsenceRules } from '#shared/core/outcome/absence-periods.ts';
import type { StoredState } from '#shared/core/outcome/feed-memory.ts';
import { addRenewal, PollFindings } from '#shared/core/outcome/poll-findings.ts';
import { decodeRates } from '#shared/core/plan/change-rates.ts';
import { PaceMeter } from '#shared/core/plan/pace-meter.ts';
import { feedDefinition } from '#shared/core/records/feed-definition.ts';
import type { FeedState } from '#shared/core/snapshot/feed-state.ts';
import {
  beginFeedState,
  findFirstSliceToLoad,
  readEpochRule,
  recognizeTable,
} from '#shared/core/snapshot/recognize-table.ts';
import type { SliceHead } from '#shared/core/snapshot/snapshot.ts';
import { loadOtherState, RememberedPeriods } from '#shared/period/flow/known-periods.ts';
import { commitChanges } from './commit-changes.ts';
import { batchLeafRefs, LeafReader, listLeafRefs } from './compare/read-leaves.ts';
import { type Claim, type PollInput, type PollPorts, type PollRun, toFeedKey } from './poll-run.ts';
import type { StoredFeedState } from './ports.ts';

const DAY_MS = 86_400_000;
/** Of the time a poll has, the share kept for committing, publishing and saving what it found (rule 12). */
const RESERVED_SHARE = 0.25;
/** Of that share, the part in which nothing is published any more. */
const SAVING_SHARE = 0.05;
/** Of the time to fetch, the part that may still be used to commit after it: the rest is for publishing and saving. */
const COMMIT_SHARE = 0.2;

/** The single items with which a poll begins. */
export interface Opening {
  /** Null when the table cannot be recognized now. */
  readonly tableId: string | null;
  /** Whether another poll holds the lease of the whole feed; undefined where that is not read. */
  readonly isLeaseHeld: boolean | undefined;
  readonly stored: StoredFeedState | null;
  /** Of the other feed of the connection. */
  readonly sibling: FeedState | null;
  readonly rates: string | null;
  readonly insertFence: readonly SliceHead[];
}

/** Reads them at once. Only a feed of many slices has rates and a fence: in one of one slice its head is fence enough. */
export async function readOpening(input: PollInput, ports: PollPorts): Promise<Opening> {
  const { store, clock } = ports;
  const feed = toFeedKey(input);
  const hasDates = feed.feed === 'timesheets';
  const [tableId, isLeaseHeld, stored, sibling, rates = null, insertFence] = await Promise.all([
    store.tableId(),
    store.isLeaseHeld?.(feed, { owner: input.runId, now: clock.now() }),
    store.loadFeedState(feed),
    loadOtherState(feed, ports),
    hasDates ? store.loadChangeRates?.(feed, clock.now()) : null,
    hasDates ? readInsertFence(feed, store) : [],
  ]);
  return { tableId, isLeaseHeld, stored, sibling, rates, insertFence };
}

/**
 * Loads what is known of the feed, before the source is asked anything (rule 1). Null when the table does not say which
 * one it is: it may be a restored one, and what is written as if it were not would repeat ids (rule 16).
 */
export async function loadState(
  { claim, opening }: { readonly claim: Claim; readonly opening: Opening },
  input: PollInput,
  ports: PollPorts,
): Promise<PollRun | null> {
  const { connection, scope, summaries = [] } = input.request;
  const feed = toFeedKey(input);
  const startedAt = ports.clock.now();
  const { timeZone } = connection;
  const window = computeWindow(startedAt, timeZone, connection.window);
  const times = reserveTime(startedAt, input);
  const loaded = await loadStateAndHeads({ opening, now: startedAt, window }, input, ports);
  if (loaded === null) return null;
  const { state, expectedRevision, outbox, firstSlice } = loaded;
  const { sibling } = opening;
  const periods = new RememberedPeriods(feed, ports, sibling);
  resumePace(state, sibling, ports);
  const heads = new KnownHeads(withLastScans(loaded.heads, state));
  const backlog = [
    ...collectOutboxEntries(loaded.heads),
    ...outbox.map((pointer) => ({ slice: null, pointer })),
  ];
  const definition = feedDefinition(input.feed);
  return {
    ...{ ports, feed, connection, definition, id: input.runId, scope, summaries, startedAt },
    ...{ window, firstSlice, ...times },
    guards: input.guards ?? GUARDS,
    hasTimeLeft: () => ports.clock.now() < times.fetchUntil,
    retentionMs: connection.retentionDays * DAY_MS,
    ...{ state, expectedStateRevision: expectedRevision, backlog },
    rates: decodeRates(opening.rates),
    absences: readAbsenceRules(state, timeZone),
    eventContext: {
      feed,
      definition,
      timeZone,
      findPeriods: periods.find,
      manifests: new Map(),
      epochs: readEpochRule(state),
      isSilent: input.request.isSilent === true,
    },
    leaves: new LeafReader(feed, ports.store, heads),
    memory: {
      ...{ claim, heads, periods, findings: new PollFindings(), pace: new PaceMeter(state.pages) },
      commitClock: new CommitClock(backlog.map(({ pointer }) => pointer)),
      publishing: new PublishState(state.held),
    },
  };
}

/**
 * Both feeds use one credential: what was learned last, by whichever, is the pace to begin with. The size of pages is what
 * this feed itself learned: the other one hands on nothing of it.
 */
function resumePace(state: FeedState, sibling: FeedState | null, { source }: PollPorts): void {
  const paces = [state.pace, sibling?.pace].filter((pace) => pace !== undefined);
  const [latest] = paces.toSorted((a, b) => b.at - a.at);
  if (latest !== undefined) source.resumePace?.({ ...latest, tooLarge: state.pace?.tooLarge });
}

/** Until when a poll fetches, until when it commits, until when it publishes (rule 12), and until when it is repeated. */
function reserveTime(
  startedAt: number,
  { deadline, request }: PollInput,
): Pick<PollRun, 'fetchUntil' | 'commitUntil' | 'publishUntil' | 'repeatUntil'> {
  const reserve = (share: number) => deadline - (deadline - startedAt) * share;
  const fetchUntil = reserve(RESERVED_SHARE);
  const commitUntil = fetchUntil + (fetchUntil - startedAt) * COMMIT_SHARE;
  const repeatUntil = findRepeatEnd(startedAt, request);
  return { fetchUntil, commitUntil, publishUntil: reserve(SAVING_SHARE), repeatUntil };
}

/** An end later than this poll would set came from a clock ahead of ours, and counts as unknown. */
export function findRepeatEnd(
  startedAt: number,
  { repeatForSeconds = 0, repeatUntil }: PollInput['request'],
): number {
  const latest = startedAt + repeatForSeconds * 1_000;
  if (repeatUntil === undefined) return latest;
  return repeatUntil > latest ? startedAt : repeatUntil;
}

function withLastScans(heads: readonly SliceHead[], { coverage }: FeedState): SliceHead[] {
  return heads.map((head) => applyLastScan(head, coverage[head.slice]));
}

/** What was read, and what else is to be. `now`: the start of the poll, in milliseconds since 1970. */
interface StateLookup {
  readonly opening: Opening;
  /** The watched dates. */
  readonly window: DateRange;
  readonly now: number;
}

interface LoadedState extends StoredState {
  readonly outbox: readonly string[];
  readonly heads: readonly SliceHead[];
  readonly firstSlice: string;
}

/**
 * The state of the feed and its heads. The first poll of a table saves a state before anything else: else rows from a
 * backup without a state would look like those of a first poll that has not ended.
 */
async function loadStateAndHeads(
  lookup: StateLookup,
  input: PollInput,
  ports: PollPorts,
): Promise<LoadedState | null> {
  const { now } = lookup;
  const feed = toFeedKey(input);
  for (let { opening } = lookup; ; opening = await readOpening(input, ports)) {
    const loaded = await readHeadsOf(feed, { ...lookup, opening }, ports);
    if (loaded === null || loaded.expectedRevision !== null) return loaded;
    const state = beginFeedState(loaded.state, { found: loaded.heads.length > 0, now });
    const outcome = await ports.store.saveFeedState({
      feed,
      token: toRequestToken([input.runId, feed.connection, feed.feed, 'state', state.revision]),
      state,
      expectedRevision: null,
      events: null,
      eventsExpireAt: now,
    });
    // Else another first poll was faster: it knew whether there were rows before both, and its state is read.
    if (outcome === 'committed') return { ...loaded, state, expectedRevision: state.revision };
  }
}

/** Null when the table cannot be recognized now. */
async function readHeadsOf(
  feed: FeedKey,
  { opening, window, now }: StateLookup,
  { store }: PollPorts,
): Promise<LoadedState | null> {
  const { tableId, stored, insertFence } = opening;
  if (tableId === null) return null;
  const state = recognizeTable(stored?.state ?? null, { tableId, now });
  const firstSlice = findFirstSliceToLoad(feed.feed, window, state);
  const heads = joinHeads(insertFence, await store.loadHeads(feed, firstSlice));
  const expectedRevision = stored === null ? null : state.revision;
  return { state, expectedRevision, outbox: stored?.outbox ?? [], heads, firstSlice };
}

/** Reads the heads once more, after another poll committed. */
export async function reloadHeads({ feed, state, firstSlice, memory, ports }: PollRun): Promise<void> {
  const insertFence = feed.feed === 'timesheets' ? await readInsertFence(feed, ports.store) : [];
  const heads = joinHeads(insertFence, await ports.store.loadHeads(feed, firstSlice));
  memory.heads.reload(withLastScans(heads, state));
}

async function readInsertFence(feed: FeedKey, store: PollPorts['store']): Promise<readonly SliceHead[]> {
  if (store.loadInsertFence === undefined) return await store.loadHeads(feed, INSERT_FENCE);
  const fence = await store.loadInsertFence(feed);
  return fence === null ? [] : [fence];
}

/**
 * The fence as read before the slices: a query is not a snapshot of one moment, and an arrival must not count as known
 * before its slice is read.
 */
function joinHeads(insertFence: readonly SliceHead[], slices: readonly SliceHead[]): SliceHead[] {
  return [...slices.filter(({ slice }) => slice !== INSERT_FENCE), ...insertFence];
}

/** Snapshots of one poll: about 30 a second, so that changes do not wait behind them at a slow receiver. */
const MAX_RENEWED = 2_000;

/**
 * After a restore: the rows of slices that were looked at since begin their new epochs with snapshots, a bounded number
 * in each poll. Nothing is asked of the source.
 */
export async function renewRestored(run: PollRun): Promise<void> {
  const { restoredAt, renewal, coverage } = run.state;
  if (restoredAt === undefined || renewal === undefined || run.memory.claim.dates !== 'all') return;
  const renewed: Renewed = { slices: new Map(), next: null, records: 0 };
  const { findPeriods, isSilent = false } = run.eventContext;
  const due = findSlicesToRenew(run.state, run.memory.heads.all);
  await run.memory.periods.learnCalendars(due.map(({ slice }) => slice));
  for (const head of due) {
    const unseen = coverage[head.slice]?.unseen ?? {};
    const { next } = renewal;
    const isBegun = next?.slice === head.slice && next.generation === head.generation;
    const { leaf: from, doubted = true } = isBegun ? next : { leaf: 0, doubted: false };
    const rule = { feed: run.feed, restoredAt, unseen, findPeriods, isSilent };
    if (!(await renewSlice({ head, from, doubted, rule }, renewed, run))) break;
  }
  if (renewed.records > 0)
    run.ports.telemetry.report({ outcome: 'restore.renewed', ...run.feed, records: renewed.records });
  const { slices, next } = renewed;
  addRenewal(run.memory.findings, { slices, next });
}

/** What this poll has renewed so far. */
interface Renewed {
  readonly slices: Map<string, boolean>;
  next: RenewalState['next'] | null;
  records: number;
}

interface SliceToRenew {
  readonly head: SliceHead;
  /** Index of the first leaf that is not done. */
  readonly from: number;
  /** Whether a row before it was left, or may have been. */
  readonly doubted: boolean;
  readonly rule: RenewalRule;
}

/** False when the rest is left to the next poll: enough was published, time is up, or another poll committed. */
async function renewSlice(
  { head, from, doubted, rule }: SliceToRenew,
  renewed: Renewed,
  run: PollRun,
): Promise<boolean> {
  const { slice, generation } = head;
  let isDoubted = doubted;
  for (const refs of batchLeafRefs(listLeafRefs(head).slice(from))) {
    renewed.next = { slice, generation, leaf: refs[0]?.index ?? 0, doubted: isDoubted };
    if (renewed.records >= MAX_RENEWED || run.ports.clock.now() >= run.commitUntil) return false;
    const leaves = await run.leaves.readMatching(refs);
    if (leaves === null) return false;
    const renewedLeaves = leaves.map((leaf) => renewLeaf(leaf, rule));
    isDoubted ||= renewedLeaves.some((leaf) => leaf.isDoubted);
    const changeEvents = renewedLeaves.flatMap((leaf) => leaf.changeEvents);
    if (changeEvents.length === 0) continue;
    const snapshot = run.leaves.toSnapshot(leaves);
    if ((await commitChanges({ snapshot, changeEvents }, run)).outcome === 'conflict') return false;
    renewed.records += changeEvents.length;
  }
  renewed.next = null;
  renewed.slices.set(slice, !isDoubted);
  return true;
}
