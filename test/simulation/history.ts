import type { FeedName } from '#shared/core/feeds.ts';
import { feedDefinition, parseRow, toState } from '#shared/core/records/feed-definition.ts';
import type { Head } from '#shared/core/snapshot/head.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import type { ConnectionState } from '#shared/core/snapshot/state.ts';
import type { Store } from '#shared/flow/poll/ports.ts';
import type { PollInput, PollPorts } from '#shared/flow/poll/run.ts';
import { poll } from '#shared/flow/poll.ts';
import { createMemoryStore, type MemoryStore } from '#test/support/memory-store.ts';
import { Faults } from './faults.ts';
import { Journal, type PollEntry } from './journal.ts';
import { fakePublisher } from './ports/fake-publisher.ts';
import { FakeSource, type SourceSite } from './ports/fake-source.ts';
import { faultyStore, StoreFailure } from './ports/faulty-store.ts';
import type { PollLife } from './ports/poll-life.ts';
import { Random } from './random.ts';
import { type PlannedPoll, planAgenda, planPoll, planPolls } from './schedule.ts';
import { type Life, Scheduler } from './scheduler.ts';
import { connectionAt, drawSettings, type Settings } from './settings.ts';
import { drawSpells, type Spells } from './spells.ts';
import { HostileWorld } from './world/hostile-world.ts';

/** A completed history: the truth at the source, what polls saw of it, and what they published. */
export interface History {
  readonly seed: number;
  readonly settings: Settings;
  readonly world: HostileWorld;
  readonly journal: Journal;
  readonly faults: Faults;
  readonly spells: Spells;
  /** The table in the end. */
  readonly end: {
    readonly state: ConnectionState | null;
    readonly heads: readonly Head[];
    readonly rows: ReadonlyMap<string, KnownRecord>;
    readonly doubled: ReadonlyMap<string, readonly string[]>;
  };
}

/** A record as the notifier has stored it. */
export interface KnownRecord {
  readonly feed: FeedName;
  readonly slice: string;
  readonly id: string;
  readonly row: StoredRow;
  /** Its watched values; null for one that was never readable. */
  readonly state: Readonly<Record<string, unknown>> | null;
}

/** Replaces ports of a poll to plant a mistake. */
type Rewire = (ports: PollPorts, settings: Settings) => PollPorts;

export interface Engine {
  readonly name: string;
  /** Begins a history. The result is applied to the ports of each poll. */
  start(): Rewire;
}

export const RIGHT_ENGINE: Engine = { name: 'right', start: () => (ports) => ports };

/** Bounds of the clock skew of a poll. */
const MAX_SKEW_MS = 5_000;
const DAY_MS = 86_400_000;
/** A frozen poll sleeps so long at least: by then its lease is over, and another poll has begun. */
const FREEZE_MS = 92_000;
const MAX_FREEZE_MS = 3_600_000;

/** What the polls of a history share. */
interface Stage {
  readonly settings: Settings;
  readonly site: SourceSite;
  readonly tables: Tables;
  readonly faults: Faults;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly rewire: Rewire;
}

/** Runs one history. It depends on the seed and the engine alone. */
export async function runHistory(seed: number, engine: Engine = RIGHT_ENGINE): Promise<History> {
  const stage = setUp(seed, engine);
  const { settings, faults, scheduler, tables, site } = stage;
  const { world, journal, spells } = site;
  for (const planned of planPolls(settings, stage.random, faults)) start(planned, stage);
  await scheduler.run();
  world.advanceTo(Number.POSITIVE_INFINITY);
  const store = tables.at(Number.POSITIVE_INFINITY);
  const { name } = settings.connection;
  const end = {
    state: await store.loadState(name),
    heads: await store.loadHeads(name),
    ...(await readRows(store, name)),
  };
  return { seed, settings, world, journal, faults, spells, end };
}

function setUp(seed: number, engine: Engine): Stage {
  const random = new Random(seed);
  const faults = new Faults(random.fork());
  const settings = drawSettings(random.fork(), faults);
  const spells = drawSpells(settings, random.fork(), faults);
  const agenda = planAgenda(settings, random.fork());
  const world = new HostileWorld(random.fork(), settings, agenda);
  const order = random.pick(['id', 'date'] as const);
  const scheduler = new Scheduler(settings.startAt - 1, random.fork());
  return {
    ...{ settings, faults, scheduler, random },
    site: { world, journal: new Journal(), settings, spells, order },
    tables: new Tables(settings, scheduler, faults),
    rewire: engine.start(),
  };
}

function start(planned: PlannedPoll, stage: Stage): void {
  const killedAt = planned.isKilled ? planned.at + planned.milliseconds : Number.POSITIVE_INFINITY;
  stage.scheduler.start({ at: planned.at, killedAt }, async (life) => {
    await live(planned, beginPoll(planned, stage), stage, life);
  });
}

function beginPoll(planned: PlannedPoll, { settings, faults, site, tables, scheduler }: Stage): PollEntry {
  if (planned.at >= settings.quietFrom) faults.end();
  const { polls } = site.journal;
  const entry: PollEntry = {
    number: polls.length,
    startedAt: scheduler.now(),
    skew: drawSkew(faults),
    table: tables.numberAt(planned.at),
    ...{ isTroubled: false, endedAt: null, report: null, failure: null },
  };
  polls.push(entry);
  return entry;
}

/** Runs one poll until it ends or crashes. */
async function live(planned: PlannedPoll, entry: PollEntry, stage: Stage, life: Life): Promise<void> {
  const { scheduler, settings, faults } = stage;
  const around: PollLife = {
    ...{ entry, life, faults },
    now: () => scheduler.now() + entry.skew,
    time: () => scheduler.now(),
    freeze: () => freeze(stage, life),
  };
  const input: PollInput = {
    request: {
      connection: connectionAt(settings, planned.at),
      feeds: settings.feeds.map((name) => ({ name, silent: false })),
      summaries: [...settings.summaries],
      ...(planned.followUpUntil === undefined ? {} : { followUpUntil: planned.followUpUntil + entry.skew }),
    },
    deadline: planned.at + planned.milliseconds + entry.skew,
    guards: settings.guards,
  };
  try {
    entry.report = await poll(input, stage.rewire(portsOf(stage, planned.at, around), settings));
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error;
    entry.failure = error;
  }
  entry.endedAt = scheduler.now();
  startFollowUp(planned, entry, stage);
}

/** The machine of a poll sleeps. Once its lease is over another whole poll runs. */
async function freeze(stage: Stage, life: Life): Promise<void> {
  const { scheduler, random, faults } = stage;
  const longest = random.chance(0.3) ? MAX_FREEZE_MS : 2 * FREEZE_MS;
  start(planPoll(scheduler.now() + FREEZE_MS - 1_000, random, faults), stage);
  faults.note('lease_taken');
  await life.pause(random.between(FREEZE_MS, longest));
}

/** Delays are whole seconds; now and then the message is lost. */
function startFollowUp(planned: PlannedPoll, { report, skew }: PollEntry, stage: Stage): void {
  const { scheduler, faults } = stage;
  if (report?.followUpAt === undefined || faults.happens('follow_up_lost')) return;
  const delayMs = Math.max(0, Math.ceil((report.followUpAt - scheduler.now() - skew) / 1_000) * 1_000);
  const followUpUntil = planned.followUpUntil ?? planned.at + 50_000;
  start({ ...planned, at: scheduler.now() + delayMs, followUpUntil }, stage);
}

/** Clock skew of a poll in milliseconds: seconds or a whole day. */
function drawSkew(faults: Faults): number {
  if (faults.happens('clock_a_day_off')) return faults.random.chance(0.5) ? DAY_MS : -DAY_MS;
  return faults.happens('skewed_clock') ? faults.random.between(-MAX_SKEW_MS, MAX_SKEW_MS) : 0;
}

function portsOf({ site, tables }: Stage, at: number, around: PollLife): PollPorts {
  const { journal } = site;
  const { number, table } = around.entry;
  const store: Store = faultyStore(tables.at(at), around, ({ log, state }) => {
    for (const feed of Object.keys(state.baselined ?? {}))
      if (!journal.baselines.has(`${table} ${feed}`))
        journal.baselines.set(`${table} ${feed}`, around.time());
    for (const { topic, texts } of log)
      journal.committed.push({ poll: number, at: around.time(), topic, texts, table });
  });
  return {
    source: new FakeSource(site, around),
    store,
    publisher: fakePublisher(site, around),
    clock: { now: around.now },
    telemetry: { report: () => {} },
  };
}

/** The tables of a history: one, or two after a restore from a backup or a new installation. */
class Tables {
  readonly #renewal: Settings['renewal'];
  readonly #first = createMemoryStore();
  #second = createMemoryStore();

  constructor({ renewal }: Settings, scheduler: Scheduler, faults: Faults) {
    this.#renewal = renewal;
    if (renewal !== null) faults.note(renewal.backupAt === null ? 'installed_anew' : 'restored');
    if (renewal?.backupAt == null) return;
    scheduler.start({ at: renewal.backupAt, killedAt: Number.POSITIVE_INFINITY }, async () => {
      this.#second = this.#first.restored();
    });
  }

  numberAt(instant: number): number {
    return this.#renewal === null || instant < this.#renewal.at ? 1 : 2;
  }

  at(instant: number): MemoryStore {
    return this.numberAt(instant) === 1 ? this.#first : this.#second;
  }
}

/** Every row of a connection. A record has one row: who has several is in `doubled`, with their slices. */
async function readRows(
  store: Pick<Store, 'loadHeads' | 'readBuckets'>,
  connection: string,
): Promise<{
  readonly rows: ReadonlyMap<string, KnownRecord>;
  readonly doubled: ReadonlyMap<string, readonly string[]>;
}> {
  const rows = new Map<string, KnownRecord>();
  const doubled = new Map<string, string[]>();
  for (const { feed, slice, buckets } of await store.loadHeads(connection)) {
    const keys = buckets.filter(({ count }) => count > 0).map(({ from }) => ({ feed, slice, from }));
    for (const row of (await store.readBuckets(connection, keys)).flat()) {
      const key = `${feed}/${row.id}`;
      const before = rows.get(key);
      if (before !== undefined) doubled.set(key, [...(doubled.get(key) ?? [before.slice]), slice]);
      const state = row.text === null ? null : toState(feedDefinition(feed), parseRow(row.text));
      rows.set(key, { feed, slice, id: row.id, row, state });
    }
  }
  return { rows, doubled };
}
