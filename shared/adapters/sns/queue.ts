import type { EventTopicName } from '../../config/names.ts';
import { MAX_BATCH_BYTES, MAX_BATCH_ENTRIES, type Message } from './message.ts';

/** The messages of one request. */
export interface PublishBatch {
  readonly topic: EventTopicName;
  readonly messages: readonly Message[];
}

/**
 * Messages that wait to be published. Of each record only the earliest is ready: the next one follows when that is
 * published or refused, and none does if it failed.
 */
export class PublishQueue {
  readonly #ready = new Map<EventTopicName, Message[]>();
  readonly #waiting = new Map<string, Message[]>();
  readonly #closed = new Set<EventTopicName>();
  readonly #unpublished: number[] = [];
  readonly #refused: number[] = [];
  #published = 0;

  constructor(messages: readonly Message[]) {
    for (const message of messages) {
      const behind = this.#waiting.get(message.record);
      if (behind === undefined) this.#waiting.set(message.record, [message]);
      else behind.push(message);
    }
    for (const record of [...this.#waiting.keys()]) this.#release(record);
  }

  /** The next full request; with `partial`, the fullest one. Null if there is none. */
  next({ partial }: { readonly partial: boolean }): PublishBatch | null {
    const batches = [...this.#ready.keys()].flatMap((topic) => this.#buildBatch(topic));
    const full = batches.find((batch) => this.#isFull(batch));
    const chosen = full ?? (partial ? findFullest(batches) : undefined);
    if (chosen === undefined) return null;
    const taken = new Set(chosen.messages);
    const rest = (this.#ready.get(chosen.topic) ?? []).filter((message) => !taken.has(message));
    this.#ready.set(chosen.topic, rest);
    return chosen;
  }

  /** Records what became of a message. One that is refused does not hold up the later ones of its record. */
  record(message: Message, outcome: 'published' | 'failed' | 'refused'): void {
    if (outcome === 'failed') {
      const behind = this.#waiting.get(message.record) ?? [];
      this.#waiting.delete(message.record);
      this.#unpublished.push(message.position, ...behind.map(({ position }) => position));
      return;
    }
    if (outcome === 'published') this.#published += 1;
    else this.#refused.push(message.position);
    this.#release(message.record);
  }

  /** Gives a topic up: what waits for it fails. */
  close(topic: EventTopicName): void {
    this.#closed.add(topic);
    const messages = this.#ready.get(topic) ?? [];
    this.#ready.delete(topic);
    for (const message of messages) this.record(message, 'failed');
  }

  get outcome(): {
    readonly published: number;
    readonly unpublished: readonly number[];
    readonly refused: readonly number[];
  } {
    return { published: this.#published, unpublished: this.#unpublished, refused: this.#refused };
  }

  /** Makes the earliest message of a record ready. */
  #release(record: string): void {
    const message = this.#waiting.get(record)?.shift();
    if (message === undefined) return;
    if (message.bytes > MAX_BATCH_BYTES) {
      this.record(message, 'refused');
      return;
    }
    if (this.#closed.has(message.topic)) {
      this.record(message, 'failed');
      return;
    }
    const ready = this.#ready.get(message.topic);
    if (ready === undefined) this.#ready.set(message.topic, [message]);
    else ready.push(message);
  }

  /** As many messages of the topic as one request takes, the earliest first, skipping those that do not fit. */
  #buildBatch(topic: EventTopicName): PublishBatch[] {
    const messages: Message[] = [];
    let bytes = 0;
    for (const message of this.#ready.get(topic) ?? []) {
      if (messages.length === MAX_BATCH_ENTRIES) break;
      if (bytes + message.bytes > MAX_BATCH_BYTES) continue;
      bytes += message.bytes;
      messages.push(message);
    }
    return messages.length === 0 ? [] : [{ topic, messages }];
  }

  /** Whether waiting cannot make it fuller: it has all entries, or others did not fit. */
  #isFull({ topic, messages }: PublishBatch): boolean {
    return messages.length === MAX_BATCH_ENTRIES || messages.length < (this.#ready.get(topic)?.length ?? 0);
  }
}

function findFullest(batches: readonly PublishBatch[]): PublishBatch | undefined {
  return [...batches].sort((a, b) => b.messages.length - a.messages.length)[0];
}
