import type { Guards } from '#shared/core/compare/doubt.ts';
import type { Head } from '#shared/core/snapshot/head.ts';
import type { ConnectionState } from '#shared/core/snapshot/state.ts';
import type { Store } from '#shared/flow/poll/ports.ts';
import type { PollInput, PollPorts } from '#shared/flow/poll/run.ts';
import { poll } from '#shared/flow/poll.ts';
import { createMemoryStore, type MemoryStore } from '#test/support/memory-store.ts';
import { Faults } from './faults.ts';
import { Journal, type PollEntry } from './journal.ts';
import { checkLooks } from './oracle/looks.ts';
import { fakePublisher } from './ports/fake-publisher.ts';
import { FakeSource, type SourceSite } from './ports/fake-source.ts';
import { faultyStore, StoreFailure } from './ports/faulty-store.ts';
import type { PollLife } from './ports/poll-life.ts';
import { Random } from './random.ts';
import { type PlannedPoll, planAgenda, planPoll, planPolls } from './schedule.ts';
import { type Life, Scheduler } from './scheduler.ts';
import { connectionAt, drawSettings, type Settings } from './settings.ts';
import { drawSpells, type Spells } from './spells.ts';
import { type KnownRecord, readRows } from './stored-rows.ts';
import { World } from './world/world.ts';

/** A completed history: the truth at the source, what polls saw of it, and what they published. */
export interface History {
  readonly seed: number;
  readonly settings: Settings;
  readonly world: World;
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

/** Replaces ports of a poll to plant a mistake. */
type Rewire = (ports: PollPorts, settings: Settings) => PollPorts;

export interface Engine {
  readonly name: string;
  /** Begins a history. The result is applied to the ports of each poll. */
  start(): Rewire;
  readonly guards?: Guards;
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
  readonly engine: Engine;
  readonly rewire: Rewire;
  /** Polls that are under way, frozen ones too. */
  readonly active: Set<PollEntry>;
}

/** Runs one history. It depends on the seed and the engine alone. */
export async function runHistory(
  seed: number,
  engine: Engine = RIGHT_ENGINE,
  makeTable: () => Table = makeMemoryTable,
): Promise<History> {
  const stage = setUp(seed, engine, makeTable);
  const { settings, faults, scheduler, tables, site } = stage;
  const { world, journal, spells } = site;
  for (const planned of planPolls(settings, stage.random, faults)) start(planned, stage);
  await scheduler.run();
  world.advanceTo(Number.POSITIVE_INFINITY);
  const store = tables.at(Number.POSITIVE_INFINITY).open();
  const { name } = settings.connection;
  const end = {
    state: await store.loadState(name),
    heads: await store.loadHeads(name),
    ...(await readRows(store, name)),
  };
  return { seed, settings, world, journal, faults, spells, end };
}

/** A table of a history. Each poll is another process, which opens it anew. */
export interface Table {
  open(): Store;
  /** A backup of this moment, as another table. */
  restored(): Table;
}

function makeMemoryTable(): Table {
  return toTable(createMemoryStore());
}

function toTable(store: MemoryStore): Table {
  return { open: () => store, restored: () => toTable(store.restored()) };
}

function setUp(seed: number, engine: Engine, makeTable: () => Table): Stage {
  const random = new Random(seed);
  const faults = new Faults(random.fork());
  const settings = drawSettings(random.fork(), faults);
  const spells = drawSpells(settings, random.fork(), faults);
  const agenda = planAgenda(settings, random.fork());
  const world = new World(random.fork(), settings, agenda);
  const order = random.pick(['rank', 'id', 'date'] as const);
  const scheduler = new Scheduler(settings.startAt - 1, random.fork());
  return {
    ...{ settings, faults, scheduler, random, engine },
    site: { world, journal: new Journal(), settings, spells, order },
    tables: new Tables(settings, scheduler, makeTable, faults),
    rewire: engine.start(),
    active: new Set(),
  };
}

function start(planned: PlannedPoll, stage: Stage): void {
  const { scheduler, active } = stage;
  let entry: PollEntry | null = null;
  const killedAt = planned.isKilled ? planned.at + planned.milliseconds : Number.POSITIVE_INFINITY;
  scheduler.start(
    { at: planned.at, killedAt },
    async (life) => {
      entry = beginPoll(planned, stage);
      await live(planned, entry, stage, life);
      active.delete(entry);
    },
    () => entry !== null && active.delete(entry),
  );
}

function beginPoll(
  planned: PlannedPoll,
  { settings, faults, site, tables, active, scheduler }: Stage,
): PollEntry {
  if (planned.at >= settings.quietFrom) faults.end();
  const { polls } = site.journal;
  for (const other of active) other.isAlone = false;
  const entry: PollEntry = {
    number: polls.length,
    startedAt: scheduler.now(),
    skew: drawSkew(faults),
    table: tables.numberAt(planned.at),
    isAlone: active.size === 0,
    ...{ isTroubled: false, endedAt: null, report: null, failure: null },
  };
  active.add(entry);
  polls.push(entry);
  return entry;
}

/** Runs one poll until it ends or crashes. */
async function live(planned: PlannedPoll, entry: PollEntry, stage: Stage, life: Life): Promise<void> {
  const { scheduler, settings, engine, faults, tables, site } = stage;
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
    guards: engine.guards ?? settings.guards,
  };
  try {
    entry.report = await poll(input, stage.rewire(portsOf(stage, planned.at, around), settings));
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error;
    entry.failure = error;
  }
  entry.endedAt = scheduler.now();
  await checkLooks(entry, {
    ...site,
    store: tables.at(planned.at).open(),
    connection: settings.connection.name,
  });
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

function portsOf({ site, tables, scheduler }: Stage, at: number, around: PollLife): PollPorts {
  const { journal } = site;
  const { number, table } = around.entry;
  const store: Store = faultyStore(outside(tables.at(at).open(), scheduler), around, ({ log, state }) => {
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

/** A store that may take real time. */
function outside(store: Store, scheduler: Scheduler): Store {
  return new Proxy(store, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function' || name === 'readLog') return method;
      return (...given: unknown[]) => scheduler.outside(async () => await method.apply(target, given));
    },
  });
}

/** The tables of a history: one, or two after a restore from a backup or a new installation. */
class Tables {
  readonly #renewal: Settings['renewal'];
  readonly #first: Table;
  #second: Table;

  constructor({ renewal }: Settings, scheduler: Scheduler, makeTable: () => Table, faults: Faults) {
    this.#renewal = renewal;
    this.#first = makeTable();
    this.#second = makeTable();
    if (renewal !== null) faults.note(renewal.backupAt === null ? 'installed_anew' : 'restored');
    if (renewal?.backupAt == null) return;
    scheduler.start({ at: renewal.backupAt, killedAt: Number.POSITIVE_INFINITY }, async () => {
      this.#second = this.#first.restored();
    });
  }

  numberAt(instant: number): number {
    return this.#renewal === null || instant < this.#renewal.at ? 1 : 2;
  }

  at(instant: number): Table {
    return this.numberAt(instant) === 1 ? this.#first : this.#second;
  }
}
