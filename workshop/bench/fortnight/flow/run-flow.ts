import { ConditionalCheckFailedException, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDynamoStore } from '#shared/adapters/dynamo/store.ts';
import { createRequestQueue } from '#shared/adapters/workforce-api/request-queue.ts';
import { POLL_TIMEOUT_SECONDS } from '#shared/config/poll-times.ts';
import type { PollRequest } from '#shared/config/requests/poll-request.ts';
import { addDays } from '#shared/core/dates.ts';
import { FEED_NAMES } from '#shared/core/feeds.ts';
import type { EventPublisher, Store } from '#shared/flow/poll/ports.ts';
import { poll } from '#shared/flow/poll.ts';
import { startFollowUp } from '#shared/flow/start-follow-up.ts';
import { createVirtualTime, type VirtualTime } from '#test/shared/adapters/workforce-api/virtual-time.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import { createConnection } from '../../poll-machine.ts';
import { DAY_MS, dateOf, MINUTE_MS } from '../trace/calendar.ts';
import type { ChangeType } from '../trace/life.ts';
import { createTrace, recordId, type Trace } from '../trace/trace.ts';
import { Delays } from './delays.ts';
import { EVENT_CPU_MS, POLL_CPU_MS, Processor, SNS_MS, TABLE_MS } from './function-time.ts';
import { listWebhookAcceptances } from './receivers.ts';
import { PACE, type Span, WINDOW } from './spans.ts';
import { TraceSource } from './trace-source.ts';

/** A function keeps a second for its answer. */
const POLL_MS = (POLL_TIMEOUT_SECONDS - 1) * 1_000;
/** From the end of its delay until a message has started the function. */
const MESSAGE_MS = 100;
/** The first looks are complete long before; counting starts then. */
const SETTLING_MS = 30 * MINUTE_MS;
/** Changes of the last minutes may not be published yet. */
const LAST_CHANGES_MS = 40 * MINUTE_MS;
const SEED = 1;

const CONNECTION = createConnection();
const REQUEST: PollRequest = {
  connection: CONNECTION,
  feeds: FEED_NAMES.map((name) => ({ name, silent: name === 'employees' || name === 'departments' })),
};

export interface FlowResult {
  readonly trace: Trace;
  /** Between these instants everything was counted. */
  readonly from: number;
  readonly to: number;
  readonly days: number;
  readonly requestsPerDay: number;
  /** Published events, including those of operations. */
  readonly events: number;
  /** Read and write units of DynamoDB. */
  readonly units: Readonly<Record<'read' | 'write', number>>;
  /** Milliseconds that polls ran, with what they computed. */
  readonly pollMs: number;
  /** Polls that a message started. */
  readonly followUps: number;
  readonly baseline: BaselineFacts;
  readonly expected: ExpectedEvents;
  /** Changes without an event, each as id and type. */
  readonly missing: readonly string[];
  /** Delays of all events until a webhook has accepted them. */
  readonly accepted: Delays;
}

/** Of the first poll until the timesheets of the whole window were read. */
interface BaselineFacts {
  readonly milliseconds: number;
  /** Longest time between two looks at a hot date meanwhile. */
  readonly hotAgeMs: number;
}

const known = new Map<string, Promise<FlowResult>>();

/** Runs the real flow over a span: polls every minute in virtual time. Each run is done once and kept. */
export function runFlow(span: Span, pageSize: number): Promise<FlowResult> {
  const key = JSON.stringify([span, pageSize]);
  const run = known.get(key) ?? runOnce(span, pageSize);
  known.set(key, run);
  return run;
}

async function runOnce(span: Span, pageSize: number): Promise<FlowResult> {
  const dynamo = await startEmbeddedDynamo();
  try {
    return await runOn(dynamo, span, pageSize);
  } finally {
    await dynamo.stop();
  }
}

async function runOn(dynamo: EmbeddedDynamo, span: Span, pageSize: number): Promise<FlowResult> {
  const { size, firstDay, days } = span;
  const trace = createTrace({ seed: SEED, size });
  const from = trace.from + firstDay * DAY_MS;
  const to = from + days * DAY_MS;
  const machine = new FlowMachine(dynamo, { span, pageSize, trace, from: from - SETTLING_MS });
  const { time, expected } = machine;
  const live = async () => {
    const polling = machine.pollEveryMinute(to);
    await time.sleep(from - 1 - time.now());
    const before = machine.counts();
    await time.sleep(to - time.now());
    const after = machine.counts();
    // Polls under way come to their end.
    await polling;
    return { before, after };
  };
  const { before, after } = await time.run(live());
  const less = (name: keyof typeof after) => after[name] - before[name];
  return {
    ...{ trace, from, to, days, expected, baseline: machine.baseline() },
    requestsPerDay: less('requests') / days,
    events: less('events'),
    units: { read: less('read'), write: less('write') },
    pollMs: less('pollMs'),
    followUps: less('followUps'),
    missing: expected.findMissing(from, to - LAST_CHANGES_MS),
    accepted: expected.delaysUntil(listWebhookAcceptances),
  };
}

interface FlowOrder {
  readonly span: Span;
  readonly pageSize: number;
  readonly trace: Trace;
  readonly from: number;
}

class FlowMachine {
  readonly time: VirtualTime;
  readonly expected: ExpectedEvents;
  readonly #source: TraceSource;
  readonly #order: FlowOrder;
  readonly #store: Store;
  readonly #counts = { read: 0, write: 0, events: 0, pollMs: 0, followUps: 0 };
  readonly #published = new Set<string>();
  /** Polls that messages start. */
  readonly #following: Promise<void>[] = [];
  #baseline: BaselineFacts | null = null;

  constructor(dynamo: EmbeddedDynamo, order: FlowOrder) {
    const { trace, from, pageSize } = order;
    this.#order = order;
    this.time = createVirtualTime(from);
    const timed = { now: this.time.now, sleep: this.time.sleep, random: () => 0.5 };
    const queue = createRequestQueue({ maxPerSecond: PACE.perSecond, ...timed });
    const { requestMs } = PACE;
    this.#source = new TraceSource({ trace, time: this.time, queue, pageSize, requestMs });
    this.expected = new ExpectedEvents(trace, from, from + SETTLING_MS);
    this.#store = createDynamoStore({
      ...timed,
      client: keepOrder(dynamo.client, this.time, () => (this.#counts.write += 1)),
      tableName: dynamo.tableName,
      onCapacity: ({ kind, units }) => (this.#counts[kind] += units),
    });
  }

  counts() {
    return { ...this.#counts, requests: this.#source.requests };
  }

  /** Throws when it did not end within the span. */
  baseline(): BaselineFacts {
    if (this.#baseline === null) throw new Error('the baseline of timesheets did not end within the span');
    return this.#baseline;
  }

  async pollEveryMinute(end: number): Promise<void> {
    const polls: Promise<void>[] = [];
    for (let at = this.#order.from; at < end; at += MINUTE_MS) {
      await this.time.sleep(at - this.time.now());
      this.#source.forgetBefore(at);
      polls.push(this.#poll(REQUEST));
    }
    await Promise.all(polls);
    while (this.#following.length > 0) await this.#following.pop();
  }

  async #poll(request: PollRequest): Promise<void> {
    const { time } = this;
    const startedAt = time.now();
    const deadline = startedAt + POLL_MS;
    const processor = new Processor(time, this.#order.span.memoryMb);
    await processor.compute(POLL_CPU_MS);
    const around = { clock: time, telemetry: { report: () => {} } };
    const report = await poll(
      { request, deadline },
      {
        ...around,
        source: this.#source.port(deadline, processor),
        store: this.#store,
        publisher: this.#createPublisher(processor),
      },
    );
    this.#counts.pollMs += time.now() - startedAt;
    const startLater = async (next: PollRequest, delaySeconds: number) => {
      this.#following.push(this.#pollLater(next, delaySeconds));
    };
    await startFollowUp({ request, report, startedAt }, { ...around, startLater });
  }

  async #pollLater(request: PollRequest, delaySeconds: number): Promise<void> {
    await this.time.sleep(delaySeconds * 1_000 + MESSAGE_MS);
    this.#counts.followUps += 1;
    await this.#poll(request);
  }

  #createPublisher(processor: Processor): EventPublisher {
    return {
      publish: async (_topic, texts) => {
        await processor.compute(EVENT_CPU_MS * texts.length);
        await this.time.sleep(SNS_MS);
        for (const text of texts) this.#notePublished(text);
        return { published: texts.length, unpublished: [], refused: [] };
      },
    };
  }

  #notePublished(text: string): void {
    const { id, type, subject, data } = JSON.parse(text) as PublishedEvent;
    if (this.#published.has(id)) return;
    this.#published.add(id);
    this.#counts.events += 1;
    const now = this.time.now();
    if (type === 'workforce.baseline.completed' && data.feed === 'timesheets')
      this.#baseline = { milliseconds: now - this.#order.from, hotAgeMs: this.#source.hotAgeMs };
    if (type.startsWith('workforce.timesheet.') && subject !== undefined)
      this.expected.notePublished({ type, subject }, now);
  }
}

interface PublishedEvent extends EventSummary {
  readonly id: string;
  readonly data: { readonly feed?: string };
}

/**
 * Sends one request after the other, so that every run is the same; for the flow each of them takes the same time. A write
 * that is refused is paid for as well, of which the engine says nothing: all of those here are below a KB.
 */
function keepOrder(client: DynamoDBClient, time: VirtualTime, noteRefused: () => void): DynamoDBClient {
  let last: Promise<unknown> = Promise.resolve();
  const send = async (command: Parameters<DynamoDBClient['send']>[0]) => {
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
