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
import {
  BUSY_FROM,
  FIRST_READING_MS,
  MINUTE_MS,
  QUIET_UNTIL,
  RECORDED_UNTIL,
  type Recording,
  recordCompany,
  SECOND_MS,
  type Size,
} from './company.ts';
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
export interface HandedOver {
  readonly at: number;
  readonly type: string;
  readonly subject: string;
  readonly text: string;
}

/** Until every timesheet of the window was known. */
interface FirstReading {
  readonly milliseconds: number;
  /** Longest time between two looks at a hot date. */
  readonly hotAgeMs: number;
  /** Events that were told until then. */
  readonly events: number;
}

export interface FlowResult {
  /** At each of the marks. */
  readonly counts: readonly Counts[];
  readonly handedOver: readonly HandedOver[];
  readonly first: FirstReading | null;
  /** Its last state. */
  readonly source: CompanySource;
  readonly store: Store;
}

export interface FlowOptions {
  readonly recording: Recording;
  readonly copies: number;
  readonly memoryMb: number;
  readonly pageSize: number;
  /** When the first poll begins: a full minute, `BEGINS` at the earliest. */
  readonly from: number;
  /** Instants at which is counted; polls end with the last one. */
  readonly marks: readonly number[];
}

/** What a flow did for a size of company. */
export interface SizeRun extends FlowResult {
  readonly size: Size;
  readonly pageSize: number;
  readonly recording: Recording;
  readonly from: number;
}

const known = new Map<string, Promise<SizeRun>>();

/** Counted before and after the quiet time, and before and after the busy one. Each run is done once. */
export function runSize(size: Size, pageSize: number): Promise<SizeRun> {
  const key = JSON.stringify([size, pageSize]);
  const run = known.get(key) ?? runOnce(size, pageSize);
  known.set(key, run);
  return run;
}

async function runOnce(size: Size, pageSize: number): Promise<SizeRun> {
  const recording = recordCompany({ people: size.people, until: RECORDED_UNTIL });
  const quietFrom = QUIET_UNTIL - size.quietMs;
  const from = quietFrom - FIRST_READING_MS;
  const marks = [quietFrom, QUIET_UNTIL, BUSY_FROM, BUSY_FROM + size.busyMs];
  const flow = await runFlow({ recording, ...size, pageSize, from, marks });
  return { ...flow, size, pageSize, recording, from };
}

/** Runs the real flow on a recording in virtual time: a poll every minute, and those that follow. */
export async function runFlow(options: FlowOptions): Promise<FlowResult> {
  const dynamo = await startEmbeddedDynamo();
  try {
    const machine = new FlowMachine(dynamo, options);
    const { time } = machine;
    const count = async () => {
      const counts: Counts[] = [];
      for (const mark of options.marks) {
        await time.sleep(mark - time.now());
        counts.push(machine.counts());
      }
      return counts;
    };
    const [counts] = await time.run(
      Promise.all([count(), machine.pollEveryMinute(options.from, options.marks.at(-1) ?? 0)]),
    );
    const { handedOver, first, source, store } = machine;
    return { counts, handedOver, first, source, store };
  } finally {
    await dynamo.stop();
  }
}

class FlowMachine {
  readonly time: VirtualTime;
  readonly source: CompanySource;
  readonly store: Store;
  readonly handedOver: HandedOver[] = [];
  first: FirstReading | null = null;
  readonly #from: number;
  readonly #processorShare: number;
  readonly #counts = { tableRequests: 0, read: 0, write: 0, pollMs: 0, followUps: 0 };
  readonly #ids = new Set<string>();
  /** Polls that messages start. */
  readonly #following: Promise<void>[] = [];

  constructor(dynamo: EmbeddedDynamo, { recording, copies, memoryMb, pageSize, from }: FlowOptions) {
    this.#from = from;
    this.time = createVirtualTime(from);
    this.#processorShare = Math.min(1, memoryMb / WHOLE_PROCESSOR_MB);
    const { time } = this;
    const timed = { now: time.now, sleep: time.sleep, random: () => 0.5 };
    const queue = createRequestQueue({ maxPerSecond: CONNECTION.requests.maxPerSecond, ...timed });
    this.source = new CompanySource({ recording, copies, time, queue, pageSize });
    this.store = createDynamoStore({
      ...{ ...timed, client: this.#count(dynamo.client), tableName: dynamo.tableName },
      onCapacity: ({ kind, units }) => (this.#counts[kind] += units),
    });
  }

  counts(): Counts {
    return { ...this.#counts, requests: this.source.requests, events: this.handedOver.length };
  }

  async pollEveryMinute(from: number, end: number): Promise<void> {
    const polls: Promise<void>[] = [];
    for (let at = from; at < end; at += MINUTE_MS) {
      await this.time.sleep(at - this.time.now());
      polls.push(this.#poll(REQUEST));
    }
    await Promise.all(polls);
    while (this.#following.length > 0) await this.#following.pop();
  }

  async #poll(request: PollRequest): Promise<void> {
    const { time, source, store } = this;
    const startedAt = time.now();
    const deadline = startedAt + POLL_MS;
    const compute = this.#startProcessor();
    await compute(CPU_MS.poll);
    const around = { clock: time, telemetry: { report: () => {} } };
    const port = source.port(deadline, (records) => compute(CPU_MS.request + CPU_MS.record * records));
    const ports = { ...around, source: port, store, publisher: this.#createPublisher(compute) };
    const report = await poll({ request, deadline }, ports);
    this.#counts.pollMs += time.now() - startedAt;
    const startLater = async (next: PollRequest, seconds: number) => {
      this.#following.push(this.#pollLater(next, seconds * SECOND_MS + MESSAGE_MS));
    };
    await startFollowUp({ request, report, startedAt }, { ...around, startLater });
  }

  async #pollLater(request: PollRequest, delayMs: number): Promise<void> {
    await this.time.sleep(delayMs);
    this.#counts.followUps += 1;
    await this.#poll(request);
  }

  /** One thing is computed after the other, and the slower the less memory the function has. */
  #startProcessor(): (cpuMs: number) => Promise<void> {
    let freeAt = 0;
    return async (cpuMs) => {
      const now = this.time.now();
      freeAt = Math.max(now, freeAt) + cpuMs / this.#processorShare;
      await this.time.sleep(freeAt - now);
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
      this.first = {
        milliseconds: at - this.#from,
        hotAgeMs: this.source.hotAgeMs,
        events: this.handedOver.length,
      };
    this.handedOver.push({ at, type: type.replace('workforce.', ''), subject, text });
  }

  /**
   * Sends one request after the other, so that every run is the same; for the flow each takes the same time. A write that
   * is refused is paid for as well, of which the engine says nothing: all of those here are below a KB.
   */
  #count(client: DynamoDBClient): DynamoDBClient {
    let last: Promise<unknown> = Promise.resolve();
    const send = async (command: Parameters<DynamoDBClient['send']>[0]) => {
      this.#counts.tableRequests += 1;
      const answer = last.then(() => client.send(command));
      last = answer.catch((error) => {
        if (error instanceof ConditionalCheckFailedException) this.#counts.write += 1;
      });
      const result = await this.time.outside(answer);
      await this.time.sleep(TABLE_MS);
      return result;
    };
    return { send } as unknown as DynamoDBClient;
  }
}
