import { describeFailure } from '#shared/core/errors.ts';
import { computeBackoff, WAITS } from '#shared/core/waits.ts';
import type { BatchResult, Clock, QueueMessage, Telemetry } from '#shared/flow/system.ts';
import { type BusEntry, splitIntoRequests, toBusEntry } from '../bus-entry.ts';

/**
 * What became of one entry. `refused`: it would be refused again, whenever. `busy`: it may be taken in a moment.
 * `unavailable`: not before somebody acts, such as a missing bus or permission. `reason` is a stable code.
 */
export type BusAnswer =
  | { readonly outcome: 'taken' }
  | { readonly outcome: 'refused' | 'busy' | 'unavailable'; readonly reason: string };

export interface EventBus {
  /** Puts entries in one request. Returns an answer for each, in their order. Never throws for what AWS does. */
  put(entries: readonly BusEntry[]): Promise<readonly BusAnswer[]>;
}

export interface BusDeadLetters {
  /** Moves a message to the dead-letter queue. Throws `NotifierError` `queue_unavailable`. */
  giveUp(message: QueueMessage): Promise<void>;
}

/** Upper bound for a request with the retries of the SDK. */
const MAX_REQUEST_MS = 5_000;

export interface BusPorts {
  readonly bus: EventBus;
  readonly deadLetters: BusDeadLetters;
  readonly clock: Clock;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly telemetry: Telemetry;
}

export interface BusBatch {
  readonly messages: readonly QueueMessage[];
  /** When the batch must be done, in milliseconds since 1970. */
  readonly deadline: number;
}

interface Outgoing {
  readonly message: QueueMessage;
  readonly entry: BusEntry;
}

/**
 * Puts the events of a queue on the bus: messages -> entries -> requests -> results. What the bus has not taken is
 * returned as failed, and the queue delivers it again, so that nothing leaves the queue before. An event that the bus
 * will never take goes to the dead letters; those beside it are put. EventBridge keeps no order, so neither does this.
 */
export async function deliverToBus(batch: BusBatch, ports: BusPorts): Promise<BatchResult> {
  return await new BusDelivery(batch, ports).run();
}

class BusDelivery {
  readonly #batch: BusBatch;
  readonly #ports: BusPorts;
  readonly #failed: string[] = [];
  readonly #reasons = new Set<string>();
  #taken = 0;
  #refused = 0;

  constructor(batch: BusBatch, ports: BusPorts) {
    this.#batch = batch;
    this.#ports = ports;
  }

  async run(): Promise<BatchResult> {
    const startedAt = this.#ports.clock.now();
    const outgoing: Outgoing[] = [];
    for (const message of this.#batch.messages) {
      const entry = toBusEntry(message.body, message.attributes);
      if (entry === null) await this.#refuse(message, { eventId: null, reason: 'message_invalid' });
      else outgoing.push({ message, entry });
    }
    await this.#putAll(outgoing);
    this.#ports.telemetry.report({
      outcome: 'events.forwarded',
      result: this.#failed.length === 0 ? 'complete' : 'incomplete',
      reason: [...this.#reasons].sort().join(', ') || null,
      messages: this.#batch.messages.length,
      taken: this.#taken,
      refused: this.#refused,
      left: this.#failed.length,
      duration_ms: this.#ports.clock.now() - startedAt,
    });
    return { failed: this.#failed };
  }

  async #putAll(outgoing: readonly Outgoing[]): Promise<void> {
    let left = outgoing;
    for (let tries = 1; left.length > 0; tries += 1) {
      const busy: Outgoing[] = [];
      for (const request of splitIntoRequests(left)) busy.push(...(await this.#put(request, tries)));
      left = busy;
      if (left.length > 0) await this.#pause(tries);
    }
  }

  /** Puts one request, and returns what to put again. */
  async #put(request: readonly Outgoing[], tries: number): Promise<Outgoing[]> {
    if (!this.#hasTime()) return this.#leave(request, 'no_time');
    const answers = await this.#ports.bus.put(request.map(({ entry }) => entry));
    const again: Outgoing[] = [];
    for (const [index, outgoing] of request.entries()) {
      const answer: BusAnswer = answers[index] ?? { outcome: 'busy', reason: 'answer_invalid' };
      const { message, entry } = outgoing;
      if (answer.outcome === 'taken') this.#taken += 1;
      else if (answer.outcome === 'refused')
        await this.#refuse(message, { eventId: entry.eventId, reason: answer.reason });
      else if (answer.outcome === 'busy' && tries < WAITS.bus.tries) again.push(outgoing);
      else this.#leave([outgoing], answer.reason);
    }
    return again;
  }

  #leave(outgoing: readonly Outgoing[], reason: string): [] {
    this.#reasons.add(reason);
    this.#failed.push(...outgoing.map(({ message }) => message.id));
    return [];
  }

  /** A message that cannot be given up stays in the queue. */
  async #refuse(
    message: QueueMessage,
    about: { readonly eventId: string | null; readonly reason: string },
  ): Promise<void> {
    const { deadLetters, telemetry } = this.#ports;
    try {
      await deadLetters.giveUp(message);
      this.#refused += 1;
      telemetry.report({ outcome: 'delivery.refused', messageId: message.id, ...about });
    } catch (error) {
      this.#reasons.add(describeFailure(error));
      this.#failed.push(message.id);
    }
  }

  #hasTime(): boolean {
    return this.#ports.clock.now() + MAX_REQUEST_MS <= this.#batch.deadline;
  }

  async #pause(tries: number): Promise<void> {
    const { sleep, random } = this.#ports;
    await sleep(random() * computeBackoff(tries, WAITS.bus));
  }
}
