import { ConditionalCheckFailedException, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDynamoStore } from '#shared/adapters/dynamo/store.ts';
import { createRequestQueue } from '#shared/adapters/workforce-api/request-queue.ts';
import { POLL_TIMEOUT_SECONDS } from '#shared/config/poll-times.ts';
import type { PollRequest } from '#shared/config/requests/poll-request.ts';
import { FEED_NAMES, isDirectoryFeed } from '#shared/core/feeds.ts';
import type { EventPublisher, Store } from '#shared/flow/poll/ports.ts';
import { poll } from '#shared/flow/poll.ts';
import { startFollowUp } from '#shared/flow/start-follow-up.ts';
import { createVirtualTime, type VirtualTime } from '#test/shared/adapters/workforce-api/virtual-time.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import { BUSY_FROM, DATE, MINUTE_MS, openCompany, QUIET_UNTIL, SECOND_MS, type Size } from './company.ts';
import { createConnection } from './machine.ts';
import { CompanySource } from './source.ts';

/** A function keeps a second for its answer. */
const POLL_MS = (POLL_TIMEOUT_SECONDS - 1) * SECOND_MS;
/** Until DynamoDB has answered, and SNS; and from the end of its delay until a message has started the function. */
const [TABLE_MS, SNS_MS, MESSAGE_MS] = [10, 25, 100];
/** CPU of a poll, of a request, of each record of a page and of an event, in milliseconds of a whole processor. */
const CPU_MS = { poll: 10, request: 1.2, record: 0.009, event: 0.7 } as const;
/** https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html */
const WHOLE_PROCESSOR_MB = 1_769;
const FIRST_READING_MS = 30 * MINUTE_MS;

/** With the default window and pace. */
export const CONNECTION = createConnection();
const REQUEST: PollRequest = {
  connection: CONNECTION,
  feeds: FEED_NAMES.map((name) => ({ name, silent: isDirectoryFeed(name) })),
};

/** What was used up to an instant. */
export interface Counts {
  /** To the source, and to the table. */
  readonly requests: number;
  readonly tableRequests: number;
  /** Units of DynamoDB. */
  readonly read: number;
  readonly write: number;
  readonly events: number;
  /** Milliseconds that polls ran, with what they computed. */
  readonly pollMs: number;
  /** Polls that a message started. */
  readonly followUps: number;
}

/** An event, and when SNS got it. */
interface HandedOver {
  readonly at: number;
  readonly type: string;
  readonly subject: string;
}

export interface FlowOptions {
  readonly size: Size;
  readonly pageSize: number;
  /** When the first poll begins: a full minute, `BEGINS` at the earliest. */
  readonly from: number;
  /** Instants at which is counted; polls end with the last one. */
  readonly marks: readonly number[];
  /** When the pay periods that are over are closed. */
  readonly closesAt?: number;
}

/** What a flow did. */
export interface Flow {
  readonly options: FlowOptions;
  readonly company: ReturnType<typeof openCompany>;
  /** At each of the marks. */
  readonly counts: readonly Counts[];
  readonly handedOver: readonly HandedOver[];
  /** Until every timesheet of the window was known. */
  readonly firstMs: number | null;
}

const known = new Map<string, Promise<Flow>>();

/** Counted before and after the quiet time, and before and after the busy one. Each run is done once. */
export function runSize(size: Size, pageSize: number): Promise<Flow> {
  const key = `${size.name} ${pageSize}`;
  const quietFrom = QUIET_UNTIL - size.quietMs;
  const marks = [quietFrom, QUIET_UNTIL, BUSY_FROM, BUSY_FROM + size.busyMs];
  const flow = known.get(key) ?? runFlow({ size, pageSize, from: quietFrom - FIRST_READING_MS, marks });
  known.set(key, flow);
  return flow;
}

/** Runs the real flow on the company in virtual time: a poll every minute, and those that follow. */
export async function runFlow(options: FlowOptions): Promise<Flow> {
  const dynamo = await startEmbeddedDynamo();
  try {
    const machine = new FlowMachine(dynamo, options);
    await machine.time.run(Promise.all([machine.pollEveryMinute(), machine.count(), machine.close()]));
    const { company, counts, handedOver, firstMs } = machine;
    return { options, company, counts, handedOver, firstMs };
  } finally {
    await dynamo.stop();
  }
}

class FlowMachine {
  readonly time: VirtualTime;
  readonly company: Flow['company'];
  readonly counts: Counts[] = [];
  readonly handedOver: HandedOver[] = [];
  firstMs: Flow['firstMs'] = null;
  readonly #options: FlowOptions;
  readonly #source: CompanySource;
  readonly #store: Store;
  readonly #used = { tableRequests: 0, read: 0, write: 0, pollMs: 0, followUps: 0 };
  readonly #ids = new Set<string>();
  /** Polls that messages start. */
  readonly #following: Promise<void>[] = [];

  constructor(dynamo: EmbeddedDynamo, options: FlowOptions) {
    const { size, pageSize, from } = options;
    this.#options = options;
    this.time = createVirtualTime(from);
    this.company = openCompany(size.people);
    const { time, company } = this;
    const timed = { now: time.now, sleep: time.sleep, random: () => 0.5 };
    const queue = createRequestQueue({ maxPerSecond: CONNECTION.requests.maxPerSecond, ...timed });
    this.#source = new CompanySource({ company, copies: size.copies, time, queue, pageSize });
    this.#store = createDynamoStore({
      ...{ ...timed, client: this.#countRequests(dynamo.client), tableName: dynamo.tableName },
      onCapacity: ({ kind, units }) => (this.#used[kind] += units),
    });
  }

  async count(): Promise<void> {
    for (const mark of this.#options.marks) {
      await this.#sleepUntil(mark);
      this.counts.push({
        ...this.#used,
        requests: this.#source.requests,
        events: this.handedOver.length,
      });
    }
  }

  async close(): Promise<void> {
    const { closesAt } = this.#options;
    if (closesAt === undefined) return;
    await this.#sleepUntil(closesAt);
    this.company.advanceTo(closesAt);
    for (const { id, closed, finishDate } of this.company.payPeriods())
      if (closed === null && finishDate < DATE) this.company.apply({ change: 'close-pay-period', id });
  }

  async pollEveryMinute(): Promise<void> {
    const polls: Promise<void>[] = [];
    const { from, marks } = this.#options;
    for (let at = from; at < (marks.at(-1) ?? 0); at += MINUTE_MS) {
      await this.#sleepUntil(at);
      polls.push(this.#poll(REQUEST));
    }
    await Promise.all(polls);
    while (this.#following.length > 0) await this.#following.pop();
  }

  #sleepUntil(instant: number): Promise<void> {
    return this.time.sleep(instant - this.time.now());
  }

  async #poll(request: PollRequest): Promise<void> {
    const { time } = this;
    const startedAt = time.now();
    const deadline = startedAt + POLL_MS;
    const compute = this.#startProcessor();
    await compute(CPU_MS.poll);
    const around = { clock: time, telemetry: { report: () => {} } };
    const source = this.#source.port(deadline, (records) =>
      compute(CPU_MS.request + CPU_MS.record * records),
    );
    const publisher = this.#createPublisher(compute);
    const report = await poll({ request, deadline }, { ...around, source, store: this.#store, publisher });
    this.#used.pollMs += time.now() - startedAt;
    const startLater = async (next: PollRequest, seconds: number) => {
      this.#following.push(this.#pollLater(next, seconds * SECOND_MS + MESSAGE_MS));
    };
    await startFollowUp({ request, report, startedAt }, { ...around, startLater });
  }

  async #pollLater(request: PollRequest, delayMs: number): Promise<void> {
    await this.time.sleep(delayMs);
    this.#used.followUps += 1;
    await this.#poll(request);
  }

  /** One thing is computed after the other, and the slower the less memory the function has. */
  #startProcessor(): (cpuMs: number) => Promise<void> {
    const share = Math.min(1, this.#options.size.memoryMb / WHOLE_PROCESSOR_MB);
    let freeAt = 0;
    return async (cpuMs) => {
      freeAt = Math.max(this.time.now(), freeAt) + cpuMs / share;
      await this.#sleepUntil(freeAt);
    };
  }

  #createPublisher(compute: (cpuMs: number) => Promise<void>): EventPublisher {
    return {
      publish: async (_topic, texts) => {
        await compute(CPU_MS.event * texts.length);
        await this.time.sleep(SNS_MS);
        for (const text of texts) this.#notePublished(text);
        return { published: texts.length, unpublished: [], refused: [] };
      },
    };
  }

  #notePublished(text: string): void {
    const { id, type, subject = '', data } = JSON.parse(text);
    if (this.#ids.has(id)) return;
    this.#ids.add(id);
    const at = this.time.now();
    if (type === 'workforce.baseline.completed' && data.feed === 'timesheets')
      this.firstMs = at - this.#options.from;
    this.handedOver.push({ at, type: type.replace('workforce.', ''), subject });
  }

  /**
   * Sends one request after the other, so that every run is the same; for the flow each takes the same time. A write that
   * is refused is paid for as well, of which the engine says nothing: all of those here are below a KB.
   */
  #countRequests(client: DynamoDBClient): DynamoDBClient {
    let last: Promise<unknown> = Promise.resolve();
    const send = async (command: Parameters<DynamoDBClient['send']>[0]) => {
      this.#used.tableRequests += 1;
      const answer = last.then(() => client.send(command));
      last = answer.catch((error) => {
        if (error instanceof ConditionalCheckFailedException) this.#used.write += 1;
      });
      const result = await this.time.outside(answer);
      await this.time.sleep(TABLE_MS);
      return result;
    };
    return { send } as unknown as DynamoDBClient;
  }
}
