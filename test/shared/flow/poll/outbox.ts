import { toBatchPointer } from '#shared/core/commit/commit-step.ts';
import { collectOutboxEntries } from '#shared/core/commit/outbox.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import type { EventPublisher, SnapshotStore } from '#shared/flow/poll/ports.ts';
import { creation, freshFeed, sampleStep } from '#test/contracts/snapshot-samples.ts';
import { createMemorySnapshotStore } from '#test/support/memory-snapshot-store.ts';

const FIRST_COMMIT = Date.parse('2026-03-05T12:00:00.000Z');

/** An event as text; `n` is its sequence. */
export function eventText(record: string, n = 1, type = 'timesheet.changed'): string {
  return JSON.stringify({
    specversion: '1.0',
    id: `${record}/${n}`,
    source: '/connections/acme/timesheets',
    type: `workforce.${type}`,
    subject: record,
    connection: 'acme',
    data: {},
  });
}

function idOf(text: string): string {
  return JSON.parse(text).id;
}

/** A feed of which each batch of texts was committed a minute after the one before, on a slice of its own. */
export class Outbox {
  readonly feed: FeedKey = freshFeed();
  readonly #memory = createMemorySnapshotStore();
  /** Counts how often events are read, and forgets those of some pointers. */
  readonly store: SnapshotStore;
  readonly missing = new Set<string>();
  reads = 0;
  clears = 0;

  constructor() {
    const { readEvents, clearOutbox } = this.#memory;
    this.store = {
      ...this.#memory,
      readEvents: async (feed, pointer) => {
        this.reads += 1;
        return await readEvents(feed, this.missing.has(pointer) ? 'gone' : pointer);
      },
      clearOutbox: async (feed, entries) => {
        this.clears += 1;
        await clearOutbox(feed, entries);
      },
    };
  }

  /** Commits the batches and returns their pointers. */
  async commit(...batches: readonly (readonly string[])[]): Promise<string[]> {
    const pointers: string[] = [];
    for (const texts of batches) {
      const slice = `slice-${String(this.#batches).padStart(6, '0')}`;
      const at = new Date(FIRST_COMMIT + this.#batches * 60_000).toISOString();
      this.#batches += 1;
      const events = { key: `${at}/${slice}/1`, chunks: [texts] };
      await this.#memory.commit(sampleStep(this.feed, [creation({ slice, leafCount: 1 })], { events }));
      pointers.push(toBatchPointer(events));
    }
    return pointers;
  }
  #batches = 0;

  async entries() {
    return collectOutboxEntries(await this.#memory.loadHeads(this.feed, ''));
  }

  async pointers(): Promise<string[]> {
    return (await this.entries()).map(({ pointer }) => pointer);
  }
}

/** Takes events until told otherwise, those of one record in their order. */
export class Topics implements EventPublisher {
  readonly sent: string[] = [];
  calls = 0;
  /** Not taken now. */
  fails: (text: string) => boolean = () => false;
  /** Never taken. */
  refuses: (text: string) => boolean = () => false;

  async publish(texts: readonly string[]) {
    this.calls += 1;
    const held = new Set<string>();
    const unpublished: number[] = [];
    const refused: number[] = [];
    for (const [position, text] of texts.entries()) {
      const record = idOf(text).split('/')[0] ?? '';
      if (this.refuses(text)) refused.push(position);
      else if (held.has(record) || this.fails(text)) {
        held.add(record);
        unpublished.push(position);
      } else this.sent.push(idOf(text));
    }
    return {
      published: texts.length - unpublished.length - refused.length,
      unpublished: [...unpublished, ...refused].sort((a, b) => a - b),
      refused,
      requests: 1,
    };
  }
}
