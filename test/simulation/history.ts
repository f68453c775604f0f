import { FEED_NAMES } from '#shared/core/feeds.ts';
import type { AbsencePeriod } from '#shared/core/records/absences.ts';
import type { EventLog as CommittedLog } from '#shared/flow/event-log.ts';
import type { PollInput, PollPorts } from '#shared/flow/poll/poll-run.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import { poll } from '#shared/flow/poll.ts';
import { createMemorySnapshotStore, type MemorySnapshotStore } from '#test/support/memory-snapshot-store.ts';
import { packedStore } from '#test/support/packed-store.ts';
import { inForceStore } from './breadth/absences.ts';
import type { Breadth } from './breadth/breadth.ts';
import { EventLog } from './breadth/expiring-store.ts';
import { forgetful } from './breadth/ports.ts';
import { noteForgotten, startShortening } from './breadth/tables.ts';
import { drawHistory } from './draw-history.ts';
import { type FaultKind, Faults } from './faults.ts';
import { Journal, type PollEntry } from './journal.ts';
import { readBetween } from './knots/sent-again.ts';
import { countingStore, noItems } from './ports/counting-store.ts';
import { fakePublisher } from './ports/fake-publisher.ts';
import { FakeSource, type SourceSite } from './ports/fake-source.ts';
import { faultyStore, StoreFailure } from './ports/faulty-store.ts';
import { limitedSite } from './ports/limited.ts';
import type { PoisonedSpell } from './ports/poison.ts';
import type { PollLife } from './ports/poll-life.ts';
import { readSnapshot } from './ports/read-snapshot.ts';
import { Random } from './random.ts';
import { type HistoryPlan, type PlannedPoll, planFollowUps } from './schedule.ts';
import { type Life, Scheduler } from './scheduler.ts';
import { connectionAt, type Settings } from './settings.ts';
import { hidePayPeriods, type Spells } from './spells.ts';
import { World } from './world/world.ts';

/** A completed history: the truth at the source, what polls saw of it, and what they published. */
export interface History {
  readonly seed: number;
  readonly settings: Settings;
  readonly breadth: Breadth;
  readonly world: World;
  readonly journal: Journal;
  readonly faults: ReadonlyMap<FaultKind, number>;
  readonly spells: Spells;
  readonly poisons: readonly PoisonedSpell[];
  readonly outages: HistoryPlan['outages'];
  /** Thresholds for missing clockings over time, as the table has them at the end. */
  readonly absencePeriods: readonly AbsencePeriod[];
  /** Outbox pointers left at the end. */
  readonly waiting: number;
}

/** Replaces ports of a poll to plant a mistake; the right engine returns them unchanged. */
export type Rewire = (ports: PollPorts, settings: Settings) => PollPorts;

export interface Engine {
  readonly name: string;
  /** Begins a history. The result is applied to the ports of each poll. */
  start(): Rewire;
  /** The store as snapshots read it, to plant a mistake. */
  readonly snapshotOf?: (store: SnapshotStore) => SnapshotStore;
  /** What is sent again, to plant a mistake. */
  readonly sendAgain?: (texts: readonly string[]) => readonly string[];
  /** Every poll reads the whole window. */
  readonly always?: 'window';
  /** Its histories are about employees and departments. */
  readonly directory?: true;
}

export const RIGHT_ENGINE: Engine = { name: 'right', start: () => (ports) => ports };

/** Bounds of the clock skew of a poll. */
const MAX_SKEW_MS = 5_000;
const DAY_MS = 86_400_000;
/** More than clocks may be apart. */
const LARGE_STEP_MS = 60_000;
/** Share of slow commits, and how long they take at most. */
const SLOW_SHARE = 0.15;
const MAX_SLOW_MS = 120_000;
/** How long the clocks of polls are wrong after a step. */
const CLOCK_STEP_MS = 150_000;

/** Numbers of follow-ups begin behind those of all planned polls. */
const FIRST_FOLLOW_UP = 10_000;

/** State that the polls of a history share. */
interface Stage {
  readonly settings: Settings;
  readonly breadth: Breadth;
  readonly log: EventLog;
  readonly site: SourceSite;
  /** The table of a poll that begins at an instant. */
  readonly storeAt: (at: number) => SnapshotStore;
  /** What that table keeps of committed events. */
  readonly logAt: (at: number) => CommittedLog;
  readonly faults: Faults;
  /** Null: commits take no longer than other calls. */
  readonly slowCommits: Random | null;
  readonly scheduler: Scheduler;
  readonly engine: Engine;
  readonly rewire: Rewire;
  /** What becomes of the messages that start follow-ups, and how many were started. */
  readonly followUps: { readonly random: Random; started: number };
}

/** Runs one history. It depends on the seed and the engine alone. */
export async function runHistory(seed: number, engine: Engine = RIGHT_ENGINE): Promise<History> {
  const random = new Random(seed);
  const faults = new Faults(random.fork());
  const { plan, knot, breadth, settings } = drawHistory(seed, {
    random,
    faults,
    ofDirectory: engine.directory === true,
  });
  const { polls, agenda, poisons, outages } = plan;
  const spells = hidePayPeriods(plan.spells, plan.settings, seed);
  const world = new World(random.fork(), settings, agenda);
  const journal = new Journal();
  const order = random.pick(['rank', 'id', 'date'] as const);
  const scheduler = new Scheduler(settings.startAt, random.fork());
  const tables = new Tables(settings, scheduler);
  startShortening(tables, { breadth, faults, settings, scheduler });
  const stage: Stage = {
    settings,
    breadth,
    log: new EventLog(),
    site: {
      world,
      journal,
      pageSize: settings.pageSize,
      latency: settings.latency,
      timeoutMs: settings.timeoutMs,
      order,
      poisons,
      outages,
      spells,
      form: breadth.form,
      notations: breadth.habits.rewrites ? Random.of(seed, 'notations') : null,
      doubled: breadth.habits.doubled,
      limited: breadth.habits.limited ? limitedSite(seed, settings) : null,
    },
    storeAt: (at) => {
      const store = inForceStore(tables.at(at), breadth);
      return settings.packed ? packedStore(store) : store;
    },
    logAt: (at) => tables.at(at).log,
    faults,
    slowCommits: breadth.watermark ? Random.of(seed, 'slow commits') : null,
    scheduler,
    engine,
    rewire: engine.start(),
    followUps: { random: Random.of(seed, 'follow-ups'), started: 0 },
  };
  const middle = polls[Math.floor(polls.length / 2)]?.at ?? 0;
  startSubscriber(knot?.features.has('snapshot') === true ? knot.at : middle, stage);
  if (knot?.features.has('sending again') === true) startSendingAgain(knot.at, stage);
  for (const [number, planned] of polls.entries()) {
    const times = { at: planned.at, killedAt: planned.at + planned.milliseconds };
    stage.scheduler.start(times, (life) => live(planned, stage, { number, life }));
  }
  await stage.scheduler.run();
  world.advanceTo(Number.POSITIVE_INFINITY);
  if (world.takenFacts > 0) faults.note('facts_taken');
  noteEndings(journal, faults);
  const absencePeriods = await readAbsencePeriods(
    inForceStore(tables.at(Number.POSITIVE_INFINITY), breadth),
    settings,
  );
  const waiting = await countWaiting(tables.at(Number.POSITIVE_INFINITY), settings);
  noteForgotten(journal, settings, faults);
  return {
    ...{ seed, settings, breadth, world, journal, faults: faults.counts },
    ...{ spells, poisons, outages, absencePeriods, waiting },
  };
}

/** A subscriber is connected, and then gets the state of all stored records. */
function startSubscriber(at: number, { scheduler, site, settings, storeAt, engine }: Stage): void {
  scheduler.start({ at, killedAt: Number.POSITIVE_INFINITY }, async () => {
    const { journal } = site;
    const place = journal.publications.length;
    const store = engine.snapshotOf?.(storeAt(at)) ?? storeAt(at);
    const texts = await readSnapshot(store, settings.connection.name);
    journal.snapshot = { at, place, texts };
  });
}

/** What was committed since the table is there is sent again. */
function startSendingAgain(at: number, { scheduler, site, settings, logAt, engine }: Stage): void {
  scheduler.start({ at, killedAt: Number.POSITIVE_INFINITY }, async () => {
    const { journal } = site;
    const place = journal.publications.length;
    const range = { from: 0, to: at };
    const texts = await readBetween(logAt(at), settings.connection, range);
    journal.sentAgain = { ...range, place, texts: engine.sendAgain?.(texts) ?? texts };
  });
}

/** Starts what follows a poll. */
function startFollowUps(
  { report }: PollEntry,
  { planned, skew }: { readonly planned: PlannedPoll; readonly skew: number },
  stage: Stage,
): void {
  const { scheduler, faults, followUps } = stage;
  if (report?.followUp === undefined) return;
  const due = { ...report.followUp, now: scheduler.now(), skew };
  for (const next of planFollowUps(planned, due, { faults, random: followUps.random })) {
    followUps.started += 1;
    const number = FIRST_FOLLOW_UP + followUps.started;
    scheduler.start({ at: next.at, killedAt: next.at + next.milliseconds }, (life) =>
      live(next, stage, { number, life }),
    );
  }
}

/** Runs one poll until it ends or crashes. */
async function live(
  planned: PlannedPoll,
  stage: Stage,
  { number, life }: { readonly number: number; readonly life: Life },
): Promise<void> {
  const { scheduler, faults, settings, site, engine } = stage;
  const { journal } = site;
  if (planned.at >= settings.quietFrom) faults.end();
  const skew = stepOf(planned, stage) ?? drawSkew(faults);
  const { feed } = planned;
  const deadline = planned.at + planned.milliseconds;
  const entry: PollEntry = {
    number,
    feed,
    startedAt: scheduler.now(),
    clockAtStart: scheduler.now() + skew,
    scope: planned.scope,
    repeatUntil: planned.repeatUntil,
    deadline,
    troubles: new Set(),
    requests: 0,
    items: noItems(),
    membership: null,
    endedAt: null,
    report: null,
    failure: null,
  };
  const around: PollLife = {
    poll: number,
    entry,
    life,
    faults,
    now: () => scheduler.now() + skew,
    time: () => scheduler.now(),
  };
  journal.polls.push(entry);
  const input: PollInput = {
    feed,
    request: {
      connection: connectionAt(settings, planned.at),
      scope: engine.always ?? planned.scope,
      repeatForSeconds: stage.breadth.repeatForSeconds,
      ...(planned.repeatUntil === undefined ? {} : { repeatUntil: planned.repeatUntil }),
      summaries: [...(stage.breadth.reminders?.summaries ?? [])],
    },
    runId: `run-${number}`,
    ...{ deadline: deadline + skew, guards: settings.guards },
  };
  const ports = stage.rewire(portsOf(stage, planned.at, around), settings);
  try {
    entry.report = await poll(input, ports);
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error;
    entry.failure = error;
  }
  entry.endedAt = scheduler.now();
  startFollowUps(entry, { planned, skew }, stage);
}

/** How wrong the clock is in a poll of a clock step; null outside of one. */
function stepOf({ at }: PlannedPoll, { settings, breadth, faults }: Stage): number | null {
  const { knot, quietFrom } = settings;
  const { clockStep } = breadth.habits;
  const ofKnot =
    knot?.features.has('clock step') === true
      ? { from: knot.at, to: Math.min(quietFrom - 1, knot.at + CLOCK_STEP_MS), ms: knot.stepMs }
      : null;
  const step = [ofKnot, clockStep].find((each) => each !== null && each.from <= at && at <= each.to);
  if (step == null) return null;
  if (step === clockStep) faults.note('clock_stepped');
  faults.note(Math.abs(step.ms) < LARGE_STEP_MS ? 'skewed_clock' : 'clock_a_day_off');
  return step.ms;
}

/** Clock skew of a poll in milliseconds: seconds or a whole day. */
function drawSkew(faults: Faults): number {
  if (faults.happens('clock_a_day_off')) return faults.random.chance(0.5) ? DAY_MS : -DAY_MS;
  return faults.happens('skewed_clock') ? faults.random.between(-MAX_SKEW_MS, MAX_SKEW_MS) : 0;
}

function portsOf(stage: Stage, at: number, around: PollLife): PollPorts {
  const { site, storeAt, breadth, log } = stage;
  const { entry, poll: number } = around;
  const broad = { breadth, journal: site.journal, log };
  const noteEvents = (texts: readonly string[]) => {
    for (const text of texts) site.journal.committed.push({ poll: number, at: around.time(), text });
  };
  return {
    source: new FakeSource(site, around),
    store: nameless(
      slowly(
        faultyStore(countingStore(forgetful(storeAt(at), broad, around), entry.items, noteEvents), around),
        stage,
        around,
      ),
      around,
    ),
    publisher: fakePublisher({ journal: site.journal, refusals: site.spells.topics, breadth }, around),
    clock: { now: around.now },
    telemetry: { report: () => {} },
  };
}

/** Some commits take long, in histories with watermarks: what was seen long before is still committed, or not. */
function slowly(
  store: SnapshotStore,
  { slowCommits, settings }: Stage,
  { time, life }: PollLife,
): SnapshotStore {
  if (slowCommits === null) return store;
  return {
    ...store,
    commit: async (step) => {
      const isSlow = time() < settings.quietFrom && slowCommits.chance(SLOW_SHARE);
      if (isSlow) await life.pause(slowCommits.between(10_000, MAX_SLOW_MS));
      return await store.commit(step);
    },
  };
}

/** A store that may not say to a poll which table it is: that poll commits nothing. */
function nameless(store: SnapshotStore, { faults, entry }: PollLife): SnapshotStore {
  if (!faults.strikes('table_unknown')) return store;
  return {
    ...store,
    tableId: async () => {
      faults.note('table_unknown');
      entry.troubles.add('table');
      return null;
    },
  };
}

/** The tables of a history: one, or two after a restore from a backup or a new installation. */
class Tables {
  readonly #renewal: Settings['renewal'];
  readonly #first = createMemorySnapshotStore();
  #second = createMemorySnapshotStore();

  constructor({ renewal }: Settings, scheduler: Scheduler) {
    this.#renewal = renewal;
    if (renewal?.backupAt == null) return;
    scheduler.start({ at: renewal.backupAt, killedAt: Number.POSITIVE_INFINITY }, async () => {
      this.#second = this.#first.restored();
    });
  }

  at(instant: number): MemorySnapshotStore {
    return this.#renewal === null || instant < this.#renewal.at ? this.#first : this.#second;
  }
}

async function readAbsencePeriods(
  store: SnapshotStore,
  { connection }: Settings,
): Promise<History['absencePeriods']> {
  const stored = await store.loadFeedState({ connection: connection.name, feed: 'timesheets' });
  return stored?.state.absences ?? [];
}

async function countWaiting(store: SnapshotStore, { connection }: Settings): Promise<number> {
  let waiting = 0;
  for (const feed of FEED_NAMES) {
    const key = { connection: connection.name, feed };
    waiting += (await store.loadFeedState(key))?.outbox.length ?? 0;
    for (const { outbox } of await store.loadHeads(key, '')) waiting += outbox.length;
  }
  return waiting;
}

/** Counts faults that show only afterwards: killed polls and overlapping polls. */
function noteEndings({ polls }: Journal, faults: Faults): void {
  const died = polls.filter(({ endedAt }) => endedAt === null).length;
  const crashed = [...faults.counts].filter(([kind]) => kind.startsWith('crash_'));
  const killed = died - crashed.reduce((sum, [, count]) => sum + count, 0);
  for (let count = 0; count < killed; count += 1) faults.note('killed_at_deadline');
  for (const [index, one] of polls.entries()) {
    const other = polls.slice(index + 1).find((each) => each.feed === one.feed);
    if (one.endedAt === null || other === undefined || isSkipped(one) || isSkipped(other)) continue;
    if (other.startedAt < one.endedAt) faults.note('overlapping_polls');
  }
}

function isSkipped({ report }: PollEntry): boolean {
  return report?.outcome === 'skipped';
}
