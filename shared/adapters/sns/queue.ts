import type { EventTopicName } from '../../config/names.ts';
import type { Message } from './message.ts';

/** Bounds that SNS sets to one request. */
const MAX_BATCH_ENTRIES = 10;
const MAX_BATCH_BYTES = 256 * 1024;

/** Messages that go out in one request. */
export interface PublishBatch {
  readonly topic: EventTopicName;
  readonly messages: readonly Message[];
}

/**
 * Messages that wait to go out. Of each record only the earliest may: the next one is let go when `settle` says
 * that it is out, and none when it failed.
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
    for (const record of [...this.#waiting.keys()]) this.#letGo(record);
  }

  /** The next request that would be full; with `partial`, the fullest there is. Null when there is none. */
  next({ partial }: { readonly partial: boolean }): PublishBatch | null {
    const batches = [...this.#ready.keys()].flatMap((topic) => this.#buildBatch(topic));
    const full = batches.find((batch) => this.#isFull(batch));
    const chosen = full ?? (partial ? fullest(batches) : undefined);
    if (chosen === undefined) return null;
    const taken = new Set(chosen.messages);
    const rest = (this.#ready.get(chosen.topic) ?? []).filter((message) => !taken.has(message));
    this.#ready.set(chosen.topic, rest);
    return chosen;
  }

  /** Says what became of a message. One that is refused for good does not hold up the later ones of its record. */
  settle(message: Message, outcome: 'published' | 'failed' | 'refused'): void {
    if (outcome === 'failed') {
      const behind = this.#waiting.get(message.record) ?? [];
      this.#waiting.delete(message.record);
      this.#unpublished.push(message.position, ...behind.map(({ position }) => position));
      return;
    }
    if (outcome === 'published') this.#published += 1;
    else this.#refused.push(message.position);
    this.#letGo(message.record);
  }

  /** Nothing more goes to a topic that does not answer: what waits for it fails. */
  close(topic: EventTopicName): void {
    this.#closed.add(topic);
    const messages = this.#ready.get(topic) ?? [];
    this.#ready.delete(topic);
    for (const message of messages) this.settle(message, 'failed');
  }

  get outcome(): {
    readonly published: number;
    readonly unpublished: readonly number[];
    readonly refused: readonly number[];
  } {
    return { published: this.#published, unpublished: this.#unpublished, refused: this.#refused };
  }

  /** The earliest of a record's messages may go out now. */
  #letGo(record: string): void {
    const message = this.#waiting.get(record)?.shift();
    if (message === undefined) return;
    if (message.bytes > MAX_BATCH_BYTES) {
      this.settle(message, 'refused');
      return;
    }
    if (this.#closed.has(message.topic)) {
      this.settle(message, 'failed');
      return;
    }
    const ready = this.#ready.get(message.topic);
    if (ready === undefined) this.#ready.set(message.topic, [message]);
    else ready.push(message);
  }

  /** As many of the topic's messages as one request takes, the earliest first, passing over what does not fit. */
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

  /** Whether waiting could not make it fuller: it has all entries, or others did not fit. */
  #isFull({ topic, messages }: PublishBatch): boolean {
    return messages.length === MAX_BATCH_ENTRIES || messages.length < (this.#ready.get(topic)?.length ?? 0);
  }
}

function fullest(batches: readonly PublishBatch[]): PublishBatch | undefined {
  return [...batches].sort((a, b) => b.messages.length - a.messages.length)[0];
}
