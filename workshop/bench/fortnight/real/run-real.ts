import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import type { EventPublisher, SnapshotStore } from '#shared/flow/poll/ports.ts';
import { poll } from '#shared/flow/poll.ts';
import { createBenchConnection } from '../../bench-connection.ts';
import { createCountingDynamo, type Units } from '../../counting-dynamo/counting-dynamo.ts';
import { DAY_MS, MINUTE_MS } from '../trace/calendar.ts';
import type { Trace } from '../trace/trace.ts';
import { ExpectedEvents } from './expected-events.ts';
import { computeFirstDate, type RequestCounts, TraceSource } from './trace-source.ts';
import { VirtualTime } from './virtual-time.ts';

/** A function runs for 300 s and keeps a second for its answer. */
const POLL_MS = 300_000 - 1_000;
/** As the schedules set it: busy dates are read several times a minute. */
const REPEAT_FOR_SECONDS = 50;
/** The first scans are complete long before; counting starts then. */
const SETTLING_MS = 30 * MINUTE_MS;

const CONNECTION = createBenchConnection();

export interface RealRunOptions {
  readonly trace: Trace;
  readonly requestMs: number;
  readonly pageSize: number;
  /** Days from the start of the trace, and days to run. */
  readonly firstDay: number;
  readonly days: number;
}

export interface RealResult {
  readonly days: number;
  readonly requests: RequestCounts;
  /** Published events, including those of operations. */
  readonly events: number;
  readonly units: Units;
  readonly expected: ExpectedEvents;
  /** Changes without an event, each as id and type. */
  readonly missing: readonly string[];
}

/** Runs the real flow over a trace: polls both feeds every minute in virtual time. */
export async function runReal(order: RealRunOptions): Promise<RealResult> {
  const from = order.trace.from + order.firstDay * DAY_MS - SETTLING_MS;
  const end = from + SETTLING_MS + order.days * DAY_MS;
  const machine = new RealMachine(order, from);
  const polling = [machine.pollEveryMinute('timesheets', end), machine.pollEveryMinute('pay-periods', end)];
  await machine.time.runUntil(from + SETTLING_MS - 1);
  machine.beginCounting();
  await machine.time.runUntil(end);
  // Polls under way come to their end.
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
  #events = 0;
  #polls = 0;
  #eventsBefore = 0;
  #unitsBefore: Units = { read: 0, write: 0 };
  #requestsBefore: RequestCounts = { pages: 0, records: 0, payPeriods: 0 };

  constructor(order: RealRunOptions, from: number) {
    this.#from = from;
    this.time = new VirtualTime(from);
    this.#source = new TraceSource({ ...order, time: this.time });
    this.#expected = new ExpectedEvents(order.trace, from);
    this.#store = createDynamoSnapshotStore({
      client: this.#dynamo.client,
      tableName: 'notifier',
      sleep: (milliseconds) => this.time.sleep(milliseconds),
      random: () => 0.5,
    });
  }

  beginCounting(): void {
    this.#unitsBefore = { ...this.#dynamo.units };
    this.#requestsBefore = { ...this.#source.requests };
    this.#eventsBefore = this.#events;
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
    const { requests } = this.#source;
    const before = this.#requestsBefore;
    return {
      days: (end - this.#from - SETTLING_MS) / DAY_MS,
      requests: {
        pages: requests.pages - before.pages,
        records: requests.records - before.records,
        payPeriods: requests.payPeriods - before.payPeriods,
      },
      events: this.#events - this.#eventsBefore,
      units: {
        read: units.read - this.#unitsBefore.read,
        write: units.write - this.#unitsBefore.write,
      },
      expected: this.#expected,
      // Changes before the end of the first scan have no event; the last changes may not be published yet.
      missing: this.#expected.findMissing(this.#from + SETTLING_MS, end - 40 * MINUTE_MS),
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
            this.#expected.notePublished({ type: event.type, subject: event.subject }, this.time.now());
        }
        return { published: texts.length, unpublished: [], requests: Math.ceil(texts.length / 10) };
      },
    };
  }
}
