import {
  DescribeEventBusCommand,
  type EventBridgeClient,
  EventBridgeServiceException,
  PutEventsCommand,
  type PutEventsRequestEntry,
  type PutEventsResultEntry,
} from '@aws-sdk/client-eventbridge';
import { createEventBus } from '#shared/adapters/event-bus/event-bus.ts';
import { REPLAYED_ATTRIBUTE } from '#shared/config/names.ts';
import { deliverToBus } from '#shared/event-bus/flow/deliver-to-bus.ts';
import type { QueueMessage } from '#shared/flow/system.ts';
import type { History } from '../history.ts';
import { topicOf } from '../ports/fake-publisher.ts';
import { Random } from '../random.ts';
import { isAmong } from './share.ts';

/** What a bus got of a history, and what its queue did. */
export interface Bussed {
  /** Messages of the queue; a topic may send one twice. */
  readonly queued: readonly QueueMessage[];
  readonly taken: readonly TakenEntries[];
  /** How often each message was given to a function that was killed. */
  readonly killed: ReadonlyMap<string, number>;
  readonly dead: readonly string[];
  /** Texts that EventBridge never takes. */
  readonly isMalformed: (text: string) => boolean;
  /** The queue was not empty in the end. */
  readonly isStuck: boolean;
}

/** What EventBridge took of one request, in order. */
interface TakenEntries {
  readonly entries: readonly PutEventsRequestEntry[];
  /** The answer reached the function. */
  readonly isHeard: boolean;
}

/** Share of the events that EventBridge refuses for good. */
const MALFORMED_SHARE = 0.02;
const BATCH = 10;
const TIME_LIMIT_MS = 60_000;
const MAX_INVOCATIONS = 2_000;
/** So often each thing goes wrong, as long as anything does. */
const CHANCES = {
  killed: 0.06,
  request: 0.08,
  busy: 0.1,
  internal: 0.06,
  lost: 0.03,
  missing: 0.03,
} as const;

class Killed extends Error {}

/** Puts published events on a bus that fails in every way, through the function that AWS kills now and then. */
export async function putOnBus({ seed, journal }: History): Promise<Bussed> {
  const random = Random.of(seed, 'bus');
  const salt = random.between(0, 1_000_000);
  const isMalformed = (text: string) => isAmong(text, MALFORMED_SHARE, salt);
  const bridge = new Bridge(random.fork(), isMalformed);
  const texts = journal.publications.map(({ text }) => text).filter((text) => topicOf(text) !== 'operations');
  const queued = texts
    .flatMap((text) => (random.chance(0.05) ? [text, text] : [text]))
    .map((body, place) => ({
      ...{ id: `message-${place}`, body },
      attributes: random.chance(0.1) ? { [REPLAYED_ATTRIBUTE]: 'true' } : {},
    }));
  const queue = new Queue(queued, bridge, random.fork());
  await queue.drain();
  const { killed, dead, isStuck } = queue;
  return { queued, taken: bridge.taken, killed, dead, isMalformed, isStuck };
}

/** A queue that gives messages again until the function has them done. */
class Queue {
  readonly killed = new Map<string, number>();
  readonly dead: string[] = [];
  readonly #bridge: Bridge;
  readonly #random: Random;
  #waiting: readonly QueueMessage[];

  constructor(queued: readonly QueueMessage[], bridge: Bridge, random: Random) {
    this.#waiting = queued;
    this.#bridge = bridge;
    this.#random = random;
  }

  get isStuck(): boolean {
    return this.#waiting.length > 0;
  }

  async drain(): Promise<void> {
    for (let invocations = 0; this.isStuck && invocations < MAX_INVOCATIONS; invocations += 1) {
      // Later nothing fails, so that everything arrives in the end.
      this.#bridge.isFailing = invocations < MAX_INVOCATIONS / 2;
      // A standard queue keeps no order.
      const first = this.#random.between(0, Math.min(BATCH, this.#waiting.length - 1));
      const messages = this.#waiting.slice(first, first + BATCH);
      const failed = await this.#invoke(messages);
      this.#waiting = this.#waiting.filter((each) => !messages.includes(each) || failed.has(each.id));
    }
  }

  async #invoke(messages: readonly QueueMessage[]): Promise<ReadonlySet<string>> {
    const bridge = this.#bridge;
    const clock = { now: () => bridge.now };
    const ports = {
      bus: createEventBus({ client: bridge.client, bus: 'events', now: clock.now }),
      deadLetters: {
        giveUp: async ({ id }: QueueMessage) => {
          this.dead.push(id);
          bridge.killNowAndThen();
        },
      },
      clock,
      sleep: async (milliseconds: number) => bridge.pass(milliseconds),
      random: () => this.#random.next(),
      telemetry: { report: () => {} },
    };
    try {
      return new Set((await deliverToBus({ messages, deadline: bridge.now + TIME_LIMIT_MS }, ports)).failed);
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      for (const { id } of messages) this.killed.set(id, (this.killed.get(id) ?? 0) + 1);
      return new Set(messages.map(({ id }) => id));
    }
  }
}

/** EventBridge, as a client sees it. */
class Bridge {
  now = 0;
  isFailing = true;
  readonly taken: TakenEntries[] = [];
  readonly client = {
    send: async (command: unknown) => await this.#send(command),
  } as unknown as EventBridgeClient;
  readonly #random: Random;
  readonly #isMalformed: (text: string) => boolean;

  constructor(random: Random, isMalformed: (text: string) => boolean) {
    this.#random = random;
    this.#isMalformed = isMalformed;
  }

  pass(milliseconds: number): void {
    this.now += milliseconds;
  }

  killNowAndThen(): void {
    if (this.#happens('killed')) throw new Killed('the function was killed');
  }

  async #send(command: unknown): Promise<object> {
    this.now += this.#random.between(5, 400);
    if (command instanceof DescribeEventBusCommand) {
      if (this.#happens('missing')) throw namedError('ResourceNotFoundException');
      return {};
    }
    if (!(command instanceof PutEventsCommand)) throw new Error('the bus sends another command');
    this.killNowAndThen();
    if (this.#happens('request'))
      throw namedError(this.#random.pick(['ThrottlingException', 'TimeoutError']));
    const entries = command.input.Entries ?? [];
    const answers = entries.map((entry) => this.#answer(entry));
    const taken = entries.filter((_, place) => answers[place]?.ErrorCode === undefined);
    const isKilled = this.#happens('killed');
    const isLost = this.#happens('lost');
    if (taken.length > 0) this.taken.push({ entries: taken, isHeard: !isKilled && !isLost });
    if (isKilled) throw new Killed('the function was killed');
    if (isLost) throw namedError('TimeoutError');
    return { FailedEntryCount: entries.length - taken.length, Entries: answers };
  }

  #answer({ Detail = '' }: PutEventsRequestEntry): PutEventsResultEntry {
    if (this.#isMalformed(Detail)) return { ErrorCode: 'MalformedDetail', ErrorMessage: 'no' };
    if (this.#happens('busy')) return { ErrorCode: 'ThrottlingException', ErrorMessage: 'later' };
    if (this.#happens('internal')) return { ErrorCode: 'InternalFailure', ErrorMessage: 'later' };
    return { EventId: 'an-id-of-the-bus' };
  }

  #happens(kind: keyof typeof CHANCES): boolean {
    return this.isFailing && this.#random.chance(CHANCES[kind]);
  }
}

function namedError(name: string): Error {
  return new EventBridgeServiceException({ name, $fault: 'server', $metadata: {}, message: 'on purpose' });
}
