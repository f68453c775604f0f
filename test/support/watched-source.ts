import { type Connection, connectionSchema } from '#shared/config/schema/connection.ts';
import { walkPages } from '#shared/core/fetch/pages.ts';
import { poll } from '#shared/flow/poll.ts';
import type { SnapshotStore, SourceApi } from '#shared/ports/poll.ts';
import { createMemorySnapshotStore, type MemorySnapshotStore } from './memory-snapshot-store.ts';

const REQUEST_MS = 40;
const MINUTE_MS = 60_000;
const TIME_LIMIT_MS = 300_000;

/** An event as a subscriber gets it. */
export interface PublishedEvent {
  readonly id: string;
  readonly type: string;
  readonly subject?: string;
  readonly epoch?: string;
  readonly sequence: number;
  readonly time: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface SourceRow {
  readonly id: string;
  readonly [member: string]: unknown;
}

/** A source whose timesheets a test changes, and a notifier that polls it, in virtual time. */
export class WatchedSource<Store extends SnapshotStore = MemorySnapshotStore> {
  now: number;
  readonly timesheets = new Map<string, SourceRow>();
  /** Events as they went out, each as its text. */
  readonly texts: string[] = [];
  readonly connection: Connection;
  readonly store: Store;
  #polls = 0;

  constructor(store: Store, startAt: string, settings: object = {}) {
    this.store = store;
    this.now = Date.parse(startAt);
    const required = { name: 'main', baseUrl: 'https://a.example', timeZone: 'UTC', secretName: 'main' };
    this.connection = connectionSchema.parse({ ...required, ...settings });
  }

  static inMemory(startAt: string, settings: object = {}): WatchedSource {
    return new WatchedSource(createMemorySnapshotStore(), startAt, settings);
  }

  get events(): readonly PublishedEvent[] {
    return this.texts.map((text) => JSON.parse(text) as PublishedEvent);
  }

  /** Puts records into the source, or others in their place, and looks at the whole window. */
  async see(...records: readonly SourceRow[]): Promise<readonly PublishedEvent[]> {
    for (const record of records) this.timesheets.set(record.id, record);
    const before = this.texts.length;
    this.#polls += 1;
    await poll(
      {
        feed: 'timesheets',
        request: { connection: this.connection, scope: 'window' },
        runId: `run-${this.now}-${this.#polls}`,
        deadline: this.now + TIME_LIMIT_MS,
      },
      {
        store: this.store,
        clock: { now: () => this.now },
        telemetry: { report: () => {} },
        publisher: { publish: async (texts) => this.#publish(texts) },
        source: this.#api(),
      },
    );
    this.now = Math.ceil((this.now + 1) / MINUTE_MS) * MINUTE_MS;
    return this.events.slice(before);
  }

  async #publish(texts: readonly string[]) {
    this.texts.push(...texts);
    return { published: texts.length, unpublished: [], requests: 1 };
  }

  #api(): SourceApi {
    const ask = () => {
      const requestedAt = this.now;
      this.now += REQUEST_MS;
      return { requestedAt, receivedAt: this.now };
    };
    return {
      counts: () => ({ requests: 0, throttled: 0 }),
      lookUp: async (_, id) => {
        const record = this.timesheets.get(id);
        return record === undefined ? { outcome: 'gone', ...ask() } : { outcome: 'found', record, ...ask() };
      },
      pages: (_, range) =>
        walkPages(async () => {
          const isAsked = ({ date }: SourceRow) =>
            range !== null && String(date) >= range.from && String(date) <= range.to;
          const records = [...this.timesheets.values()].filter(isAsked);
          const { length } = records;
          const pagination = { page: 1, pageSize: 1_000, totalPages: 1, totalRecords: length, nextPage: '' };
          return { records, pagination, ...ask() };
        }),
    };
  }
}
