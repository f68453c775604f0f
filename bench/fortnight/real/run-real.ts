import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { poll } from '#shared/flow/poll.ts';
import type { EventPublisher, SnapshotStore } from '#shared/ports/poll.ts';
import { createMemorySnapshotStore } from '#test/support/memory-snapshot-store.ts';
import { createCountingDynamo, type Units } from '../../counting-dynamo/counting-dynamo.ts';
import { DAY_MS, MINUTE_MS } from '../trace/calendar.ts';
import type { Trace } from '../trace/trace.ts';
import { ExpectedEvents } from './expected-events.ts';
import { computeFirstDate, type RequestCounts, TraceSource } from './trace-source.ts';
import { VirtualTime } from './virtual-time.ts';

/** Of the 300 s of a function, what a poll has. */
const POLL_MS = 300_000 - 1_000;
/** As the schedules ask for: busy dates are looked at several times within a minute. */
const REPEAT_FOR_SECONDS = 50;
/** The first looks are over long before; what changes from then on is counted. */
const SETTLING_MS = 30 * MINUTE_MS;

const CONNECTION = connectionSchema.parse({
  name: 'bench',
  baseUrl: 'https://workforce.example.com',
  timeZone: 'UTC',
  secretName: 'none',
});

export interface RealRunOptions {
  readonly trace: Trace;
  readonly requestMs: number;
  readonly pageSize: number;
  /** Day of the trace to begin on, and days to run; the whole trace by default. */
  readonly firstDay?: number;
  readonly days?: number;
  /** Count write units; without it the store is the plain one in memory. */
  readonly countsUnits: boolean;
}

export interface RealResult {
  readonly days: number;
  readonly asked: RequestCounts;
  /** Of records, and of our own operation. */
  readonly events: number;
  readonly units: Units;
  readonly unitsByOperation: ReadonlyMap<string, number>;
  readonly expected: ExpectedEvents;
  readonly missing: readonly string[];
  /** Events that the first looks brought. */
  readonly baselineEvents: number;
  readonly polls: number;
}

/** Runs the real flow over a trace: both feeds polled every minute in virtual time, against the source of the trace. */
export async function runReal(order: RealRunOptions): Promise<RealResult> {
  const { trace, firstDay = 0 } = order;
  const from = trace.from + firstDay * DAY_MS - SETTLING_MS;
  const end = order.days === undefined ? trace.to : from + SETTLING_MS + order.days * DAY_MS;
  const machine = new RealMachine(order, from);
  const polling = [machine.pollEveryMinute('timesheets', end), machine.pollEveryMinute('pay-periods', end)];
  await machine.time.runUntil(from + SETTLING_MS - 1);
  machine.beginCounting();
  await machine.time.runUntil(end);
  // What is under way comes to its end.
  await machine.time.runUntil(end + POLL_MS);
  await Promise.all(polling);
  return machine.result(end);
}

class RealMachine {
  readonly time: VirtualTime;
  readonly #source: TraceSource;
  readonly #store: SnapshotStore;
  readonly #expected: ExpectedEvents;
  readonly #from: number;
  readonly #dynamo = createCountingDynamo();
  #byOperation = new Map<string, number>();
  #events = 0;
  #baselineEvents = 0;
  #polls = 0;
  #unitsBefore: Units = { read: 0, write: 0 };
  #askedBefore: RequestCounts = { pages: 0, records: 0, payPeriods: 0 };
  #counts = false;

  constructor(order: RealRunOptions, from: number) {
    this.#from = from;
    this.time = new VirtualTime(from);
    this.#source = new TraceSource({ ...order, time: this.time });
    this.#expected = new ExpectedEvents(order.trace, from);
    this.#store = order.countsUnits ? this.#countingStore() : createMemorySnapshotStore();
  }

  beginCounting(): void {
    this.#counts = true;
    this.#unitsBefore = { ...this.#dynamo.units };
    this.#askedBefore = { ...this.#source.asked };
    this.#byOperation = new Map();
    this.#baselineEvents = this.#events;
  }

  async pollEveryMinute(feed: FeedName, end: number): Promise<void> {
    const polls: Promise<unknown>[] = [];
    for (let at = this.#from; at < end; at += MINUTE_MS) {
      await this.time.sleepUntil(at);
      this.#source.forgetBefore(computeFirstDate(at));
      polls.push(this.#poll(feed));
      if (polls.length > 10) await polls.shift();
    }
    await Promise.all(polls);
  }

  result(end: number): RealResult {
    const { units } = this.#dynamo;
    const { asked } = this.#source;
    const before = this.#askedBefore;
    return {
      days: (end - this.#from - SETTLING_MS) / DAY_MS,
      asked: {
        pages: asked.pages - before.pages,
        records: asked.records - before.records,
        payPeriods: asked.payPeriods - before.payPeriods,
      },
      events: this.#events - this.#baselineEvents,
      units: {
        read: units.read - this.#unitsBefore.read,
        write: units.write - this.#unitsBefore.write,
      },
      unitsByOperation: this.#byOperation,
      expected: this.#expected,
      // What changed before the first look was over was never to be told; the last changes may be under way.
      missing: this.#expected.missing(this.#from + SETTLING_MS, end - 40 * MINUTE_MS),
      baselineEvents: this.#baselineEvents,
      polls: this.#polls,
    };
  }

  async #poll(feed: FeedName): Promise<void> {
    this.#polls += 1;
    await poll(
      {
        feed,
        request: {
          connection: CONNECTION,
          scope: 'due',
          repeatForSeconds: feed === 'timesheets' ? REPEAT_FOR_SECONDS : 0,
        },
        runId: `run${this.#polls}`,
        deadline: this.time.now() + POLL_MS,
      },
      {
        source: this.#source.port(),
        store: this.#store,
        publisher: this.#publisher(),
        clock: { now: () => this.time.now() },
        telemetry: { report: () => {} },
        sleep: (milliseconds) => this.time.sleep(milliseconds),
      },
    );
  }

  #publisher(): EventPublisher {
    return {
      publish: async (texts) => {
        for (const text of texts) {
          const event = JSON.parse(text) as { type: string; subject?: string };
          this.#events += 1;
          if (event.type.startsWith('workforce.timesheet.') && event.subject !== undefined)
            this.#expected.tell({ type: event.type, subject: event.subject }, this.time.now());
        }
        return { published: texts.length, unpublished: [], requests: Math.ceil(texts.length / 10) };
      },
    };
  }

  #countingStore(): SnapshotStore {
    return createDynamoSnapshotStore({
      client: this.#dynamo.client,
      tableName: 'notifier',
      sleep: (milliseconds) => this.time.sleep(milliseconds),
      random: () => 0.5,
      onCapacity: ({ operation, kind, units }) => {
        if (!this.#counts || kind === 'read') return;
        this.#byOperation.set(operation, (this.#byOperation.get(operation) ?? 0) + units);
      },
    });
  }
}
