import { ConditionalCheckFailedException, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import type { TableOptions } from '#shared/adapters/dynamo/table.ts';
import { createRateLimiter } from '#shared/adapters/workforce-api/rate-limiter.ts';
import { POLL_TIMEOUT_SECONDS, REREAD_FOR_SECONDS } from '#shared/config/poll-times.ts';
import type { PollReport } from '#shared/config/requests/poll-report.ts';
import { addDays, computeWindow } from '#shared/core/dates.ts';
import { FEED_NAMES, type FeedKey, type FeedName } from '#shared/core/feeds.ts';
import type { PollInput } from '#shared/flow/poll/poll-run.ts';
import type { EventPublisher, SnapshotStore } from '#shared/flow/poll/ports.ts';
import { poll } from '#shared/flow/poll.ts';
import { createVirtualTime, type VirtualTime } from '#test/shared/adapters/workforce-api/virtual-time.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import { createBenchConnection, createBenchPublisher } from '../../ports.ts';
import { DAY_MS, dateOf, MINUTE_MS } from '../trace/calendar.ts';
import type { ChangeType } from '../trace/life.ts';
import { createTrace, recordId, type Trace } from '../trace/trace.ts';
import { Delays } from './delays.ts';
import { EVENT_CPU_MS, POLL_CPU_MS, Processor, SNS_MS, TABLE_MS } from './function-time.ts';
import { listSlackPosts, listWebhookAcceptances } from './receivers.ts';
import { PACE, type Span, WINDOW } from './spans.ts';
import { computeFirstDate, type MaxAges, type RequestCounts, TraceSource } from './trace-source.ts';

/** A function keeps a second for its answer. */
const POLL_MS = (POLL_TIMEOUT_SECONDS - 1) * 1_000;
/** From the end of its delay until a message has started the function. */
const MESSAGE_MS = 100;
/** The first scans are complete long before; counting starts then. */
const SETTLING_MS = 30 * MINUTE_MS;
/** What was learned before is known from then on: the first scans of 50,000 people take six minutes. */
const LEARNING_MS = 15 * MINUTE_MS;
/** Changes of the last minutes may not be published yet. */
const LAST_CHANGES_MS = 40 * MINUTE_MS;
const SEED = 1;

const CONNECTION = createBenchConnection();
const TIMESHEETS: FeedKey = { connection: CONNECTION.name, feed: 'timesheets' };

export interface FlowOptions {
  readonly span: Span;
  readonly pageSize: number;
  /** Requests a second that the source allows. */
  readonly perSecond?: number;
  /** How long a poll reads busy dates again and again; as the schedule sets it by default. */
  readonly rereadForSeconds?: number;
  /** When changes are expected, as `learnWeek` tells it; by default nothing was learned yet. */
  readonly rates?: string | null;
}

export interface FlowResult {
  readonly trace: Trace;
  /** Between these instants everything was counted. */
  readonly from: number;
  readonly to: number;
  readonly days: number;
  readonly requests: RequestCounts;
  readonly requestsPerDay: number;
  /** Published events, including those of operations. */
  readonly events: number;
  /** Read and write units of DynamoDB. */
  readonly units: Readonly<Record<'read' | 'write', number>>;
  /** Requests to DynamoDB by command, such as `Query`. */
  readonly tableRequests: ReadonlyMap<string, number>;
  /** Milliseconds that polls of both feeds ran, with what they computed. */
  readonly pollMs: number;
  /** Polls of timesheets that a message started. */
  readonly followUps: number;
  readonly maxAgeMs: MaxAges;
  readonly baseline: BaselineFacts;
  readonly expected: ExpectedEvents;
  /** Changes without an event, each as id and type. */
  readonly missing: readonly string[];
  /** Delays of all events until a webhook has accepted them, and until Slack shows an alert of them. */
  readonly accepted: Delays;
  readonly posted: Delays;
  /** When changes are expected, as it was learned until the end; null where nothing was. */
  readonly rates: string | null;
}

/** Of the first poll of timesheets until the whole window was read. */
interface BaselineFacts {
  readonly milliseconds: number;
  /** Longest time between two reads of a hot date meanwhile. */
  readonly hotAgeMs: number;
}

const known = new Map<string, Promise<FlowResult>>();

/** Runs the real flow over a span: polls both feeds every minute in virtual time. Each run is done once and kept. */
export function runFlow(options: FlowOptions): Promise<FlowResult> {
  const { span, pageSize, rates = null } = options;
  const { perSecond = PACE.perSecond, rereadForSeconds = REREAD_FOR_SECONDS } = options;
  const all = { span, pageSize, perSecond, rereadForSeconds, rates };
  const key = JSON.stringify(all);
  const run = known.get(key) ?? runOnce(all);
  known.set(key, run);
  return run;
}

async function runOnce(order: Required<FlowOptions>): Promise<FlowResult> {
  const dynamo = await startEmbeddedDynamo();
  try {
    return await runOn(dynamo, order);
  } finally {
    await dynamo.stop();
  }
}

async function runOn(dynamo: EmbeddedDynamo, order: Required<FlowOptions>): Promise<FlowResult> {
  const { size, firstDay, days } = order.span;
  const trace = createTrace({ seed: SEED, size });
  const from = trace.from + firstDay * DAY_MS;
  const to = from + days * DAY_MS;
  const machine = new FlowMachine(dynamo, order, trace, from - SETTLING_MS);
  const { time, source, expected } = machine;
  const live = async () => {
    const polling = [machine.pollEveryMinute('timesheets', to), machine.pollEveryMinute('pay-periods', to)];
    await time.sleep(LEARNING_MS);
    await machine.saveRates();
    await time.sleep(from - 1 - time.now());
    const before = machine.counts();
    source.maxAgeMs = { hot: 0, active: 0, settled: 0 };
    await time.sleep(to - time.now());
    source.closeAges(computeWindow(to, 'UTC', WINDOW));
    const { maxAgeMs } = source;
    // Polls under way come to their end.
    await Promise.all(polling);
    return { before, after: machine.counts(), maxAgeMs, rates: await machine.loadRates() };
  };
  const { before, after, maxAgeMs, rates } = await time.run(live());
  const less = (read: (counts: typeof after) => number) => read(after) - read(before);
  const requests = {
    pages: less((counts) => counts.requests.pages),
    records: less((counts) => counts.requests.records),
    payPeriods: less((counts) => counts.requests.payPeriods),
  };
  return {
    ...{ trace, from, to, days, requests, maxAgeMs, expected, rates, baseline: machine.baseline() },
    requestsPerDay: (requests.pages + requests.records + requests.payPeriods) / days,
    events: less((counts) => counts.events),
    units: { read: less(({ units }) => units.read), write: less(({ units }) => units.write) },
    tableRequests: new Map(
      [...after.tableRequests.keys()].map((name) => [
        name,
        less(({ tableRequests }) => tableRequests.get(name) ?? 0),
      ]),
    ),
    pollMs: less((counts) => counts.pollMs),
    followUps: less((counts) => counts.followUps),
    missing: expected.findMissing(from, to - LAST_CHANGES_MS),
    accepted: expected.delaysUntil(listWebhookAcceptances),
    posted: expected.delaysUntil(listSlackPosts),
  };
}

class FlowMachine {
  readonly time: VirtualTime;
  readonly source: TraceSource;
  readonly expected: ExpectedEvents;
  readonly #order: Required<FlowOptions>;
  /** Each function has its own. */
  readonly #stores: ReadonlyMap<FeedName, SnapshotStore>;
  readonly #from: number;
  readonly #units = { read: 0, write: 0 };
  readonly #tableRequests = new Map<string, number>();
  readonly #published = new Set<string>();
  #events = 0;
  #polls = 0;
  #followUps = 0;
  #pollMs = 0;
  #baseline: BaselineFacts | null = null;

  constructor(dynamo: EmbeddedDynamo, order: Required<FlowOptions>, trace: Trace, from: number) {
    this.#order = order;
    this.#from = from;
    const time = createVirtualTime(from);
    const timed = { now: time.now, sleep: time.sleep, random: () => 0.5 };
    this.time = time;
    const limiter = createRateLimiter({ maxPerSecond: order.perSecond, ...timed });
    const { pageSize } = order;
    this.source = new TraceSource({ trace, time, limiter, pageSize, requestMs: PACE.requestMs });
    this.expected = new ExpectedEvents(trace, from, from + SETTLING_MS);
    const options: TableOptions = {
      ...timed,
      client: keepOrder(dynamo.client, time, {
        noteSent: (name) => this.#tableRequests.set(name, (this.#tableRequests.get(name) ?? 0) + 1),
        noteRefused: () => (this.#units.write += 1),
      }),
      tableName: dynamo.tableName,
      onCapacity: ({ kind, units }) => (this.#units[kind] += units),
    };
    this.#stores = new Map(FEED_NAMES.map((feed) => [feed, createDynamoSnapshotStore(options)]));
  }

  async saveRates(): Promise<void> {
    const { rates } = this.#order;
    if (rates !== null) await this.#storeOf('timesheets').saveChangeRates?.(TIMESHEETS, rates);
  }

  async loadRates(): Promise<string | null> {
    return (await this.#storeOf('timesheets').loadChangeRates?.(TIMESHEETS, this.time.now())) ?? null;
  }

  counts() {
    const { requests } = this.source;
    return {
      requests: { ...requests },
      units: { ...this.#units },
      tableRequests: new Map(this.#tableRequests),
      events: this.#events,
      pollMs: this.#pollMs,
      followUps: this.#followUps,
    };
  }

  /** Throws when it did not end within the span. */
  baseline(): BaselineFacts {
    if (this.#baseline === null) throw new Error('the baseline of timesheets did not end within the span');
    return this.#baseline;
  }

  async pollEveryMinute(feed: FeedName, end: number): Promise<void> {
    const polls: Promise<unknown>[] = [];
    for (let at = this.#from; at < end; at += MINUTE_MS) {
      await this.time.sleep(at - this.time.now());
      this.source.forgetBefore(computeFirstDate(at));
      polls.push(this.#poll(feed));
      if (polls.length > 10) await polls.shift();
    }
    await Promise.all(polls);
  }

  /** A poll and its follow-ups. */
  async #poll(feed: FeedName): Promise<void> {
    const repeatForSeconds = feed === 'timesheets' ? this.#order.rereadForSeconds : 0;
    const request = { connection: CONNECTION, repeatForSeconds };
    let { followUp } = await this.#pollOnce(feed, { ...request, scope: 'due' });
    while (followUp !== undefined) {
      const delayMs = Math.ceil((followUp.at - this.time.now()) / 1_000) * 1_000;
      await this.time.sleep(delayMs + MESSAGE_MS);
      const next = { ...request, scope: 'owed', repeatUntil: followUp.until } as const;
      this.#followUps += 1;
      ({ followUp } = await this.#pollOnce(feed, next));
    }
  }

  async #pollOnce(feed: FeedName, request: PollInput['request']): Promise<PollReport> {
    this.#polls += 1;
    const startedAt = this.time.now();
    const deadline = startedAt + POLL_MS;
    const processor = new Processor(this.time, this.#order.span.memoryMb);
    await processor.compute(POLL_CPU_MS);
    const report = await poll(
      { feed, request, runId: `run${this.#polls}`, deadline },
      {
        source: this.source.port(deadline, processor),
        store: this.#storeOf(feed),
        publisher: this.#createPublisher(feed, processor),
        clock: this.time,
        telemetry: { report: () => {} },
      },
    );
    this.#pollMs += this.time.now() - startedAt;
    return report;
  }

  #createPublisher(feed: FeedName, processor: Processor): EventPublisher {
    const publisher = createBenchPublisher((texts) => texts.map((text) => this.#notePublished(feed, text)));
    return {
      publish: async (texts) => {
        await processor.compute(EVENT_CPU_MS * texts.length);
        await this.time.sleep(SNS_MS);
        return publisher.publish(texts);
      },
    };
  }

  #storeOf(feed: FeedName): SnapshotStore {
    const store = this.#stores.get(feed);
    if (store === undefined) throw new Error(`${feed} is not polled`);
    return store;
  }

  #notePublished(feed: FeedName, text: string): void {
    const { id, type, subject } = JSON.parse(text) as { id: string; type: string; subject?: string };
    // Two polls may publish one event, while the outbox of the first is not cleared yet.
    if (this.#published.has(id)) return;
    this.#published.add(id);
    this.#events += 1;
    if (type === 'workforce.baseline.completed' && feed === 'timesheets')
      this.#baseline = { milliseconds: this.time.now() - this.#from, hotAgeMs: this.source.maxAgeMs.hot };
    if (type.startsWith('workforce.timesheet.') && subject !== undefined)
      this.expected.notePublished({ type, subject }, this.time.now());
  }
}

/**
 * Sends one request after the other, so that every run is the same; for the flow each of them takes the same time. A write
 * that is refused is paid for as well, of which the engine says nothing: all of those here are below a KB.
 */
function keepOrder(
  client: DynamoDBClient,
  time: VirtualTime,
  { noteSent, noteRefused }: { noteSent(command: string): void; noteRefused(): void },
): DynamoDBClient {
  let last: Promise<unknown> = Promise.resolve();
  const send = async (command: Parameters<DynamoDBClient['send']>[0]) => {
    noteSent(command.constructor.name.replace(/Command$/, ''));
    const answer = last.then(() => client.send(command));
    last = answer.catch((error) => {
      if (error instanceof ConditionalCheckFailedException) noteRefused();
    });
    const result = await time.outside(answer);
    await time.sleep(TABLE_MS);
    return result;
  };
  return { send } as unknown as DynamoDBClient;
}

/** What of an event is compared with the trace. */
interface EventSummary {
  readonly type: string;
  readonly subject: string;
}

/** Compares published events with the changes of a trace within the window, and measures their delays. */
class ExpectedEvents {
  readonly delays = new Delays();
  published = 0;
  /** Events without a change. */
  readonly invented: EventSummary[] = [];
  /** Of those that were expected: when each was handed to SNS, and after how long. */
  readonly #handedOver: { readonly at: number; readonly delayMs: number; readonly type: ChangeType }[] = [];
  readonly #open = new Map<string, number[]>();
  readonly #trace: Trace;
  readonly #from: number;
  readonly #countedFrom: number;
  #day: number;

  /** Expects the changes from an instant on, and measures how late those are told that happen from a later one on. */
  constructor(trace: Trace, from: number, countedFrom: number) {
    this.#trace = trace;
    this.#from = from;
    this.#countedFrom = countedFrom;
    this.#day = Math.floor(from / DAY_MS);
  }

  notePublished({ type, subject }: EventSummary, at: number): void {
    this.#expectUntil(at);
    const name = type.replace('workforce.', '');
    const times = this.#open.get(`${subject} ${name}`);
    const changedAt = times?.shift();
    if (changedAt === undefined || changedAt > at) {
      this.invented.push({ type, subject });
      return;
    }
    this.published += 1;
    const delayMs = at - changedAt;
    if (changedAt < this.#countedFrom) return;
    this.delays.add(delayMs, name as ChangeType);
    this.#handedOver.push({ at, delayMs, type: name as ChangeType });
  }

  /** Delays until these events came to somebody, by the instants at which SNS got them. */
  delaysUntil(listArrivals: (handedOver: readonly number[]) => readonly number[]): Delays {
    const delays = new Delays();
    const arrivals = listArrivals(this.#handedOver.map(({ at }) => at));
    for (const [place, { at, delayMs, type }] of this.#handedOver.entries())
      delays.add(delayMs + (arrivals[place] ?? at) - at, type);
    return delays;
  }

  /** Changes between two instants without an event. */
  findMissing(from: number, until: number): string[] {
    this.#expectUntil(until);
    const isDue = (at: number) => from <= at && at <= until;
    return [...this.#open].flatMap(([name, times]) => times.filter(isDue).map(() => name));
  }

  #expectUntil(at: number): void {
    for (; this.#day * DAY_MS <= at; this.#day += 1) {
      const today = dateOf(this.#day);
      const [first, last] = [addDays(today, -WINDOW.backDays), addDays(today, WINDOW.forwardDays)];
      for (const change of this.#trace.changesOnDay(today)) {
        if (change.at < this.#from || change.date < first || change.date > last) continue;
        const key = `${recordId(change.date, change.record)} ${change.type}`;
        const times = this.#open.get(key);
        if (times === undefined) this.#open.set(key, [change.at]);
        else times.push(change.at);
      }
    }
  }
}
