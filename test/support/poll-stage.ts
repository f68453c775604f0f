import type { PollReport } from '#shared/config/requests/poll-report.ts';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import { isDate } from '#shared/core/dates.ts';
import type { SourceError } from '#shared/core/errors.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { walkPages } from '#shared/core/fetch/pages.ts';
import { poll } from '#shared/flow/poll.ts';
import type { SnapshotStore, SourceApi } from '#shared/ports/poll.ts';
import { MINUTE_MS, type SampleRecord } from './builders.ts';
import { createMemorySnapshotStore } from './memory-snapshot-store.ts';

/** The members of a published event that tests look at. */
export interface PublishedEvent {
  readonly type: string;
  readonly subject?: string;
  readonly sequence: number;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface PollStageOptions {
  readonly connection?: object;
  readonly startAt?: string;
  readonly store?: SnapshotStore;
  /** Milliseconds that a request takes. */
  readonly requestMs?: number;
}

/**
 * A source of timesheets and pay periods, a store in memory, and a clock that only requests and the test itself move
 * on: what real polls make of what happens at the source.
 */
export class PollStage {
  now: number;
  readonly connection;
  readonly store: SnapshotStore;
  readonly timesheets = new Map<string, SampleRecord>();
  readonly payPeriods = new Map<string, SampleRecord>();
  readonly published: PublishedEvent[] = [];
  readonly requests = { pages: 0, byId: 0 };
  /** What a list holds of the records on its dates. */
  listed: (records: readonly SampleRecord[]) => readonly SampleRecord[] = (records) => records;
  /** What happens before the answer to a request for a page: its number, from 1. */
  beforePage: (page: number) => void = () => {};
  /** How a question by id fails. */
  failsById: (id: string) => SourceError | null = () => null;
  readonly #requestMs: number;
  #runs = 0;

  constructor(options: PollStageOptions = {}) {
    const { connection, startAt = '2026-03-05T01:00:00Z', requestMs = 50 } = options;
    this.now = Date.parse(startAt);
    this.store = options.store ?? createMemorySnapshotStore();
    this.#requestMs = requestMs;
    this.connection = connectionSchema.parse({
      name: 'main',
      baseUrl: 'https://acme.workforce.example',
      timeZone: 'UTC',
      secretName: 'acme',
      ...connection,
    });
  }

  put(...records: readonly SampleRecord[]): void {
    for (const record of records) this.timesheets.set(record.id, record);
  }

  /** Changes every timesheet that is named, or all. */
  change(values: Partial<SampleRecord>, ids: Iterable<string> = [...this.timesheets.keys()]): void {
    for (const id of ids) {
      const before = this.timesheets.get(id);
      if (before !== undefined) this.timesheets.set(id, { ...before, ...values });
    }
  }

  /** One poll, which begins at the next full minute. */
  async poll(scope: 'due' | 'window' = 'due', feed: FeedName = 'timesheets'): Promise<PollReport> {
    this.now = Math.ceil((this.now + 1) / MINUTE_MS) * MINUTE_MS;
    this.#runs += 1;
    return await poll(
      {
        feed,
        request: { connection: this.connection, scope },
        runId: `run-${this.#runs}`,
        deadline: this.now + 5 * MINUTE_MS,
      },
      {
        store: this.store,
        clock: { now: () => this.now },
        telemetry: { report: () => {} },
        publisher: { publish: async (texts) => this.#publish(texts) },
        source: this.#source(feed),
      },
    );
  }

  /** Polls every minute for some time; the last report. */
  async pollFor(minutes: number): Promise<PollReport> {
    const end = this.now + minutes * MINUTE_MS;
    let report = await this.poll();
    while (this.now + MINUTE_MS <= end) report = await this.poll();
    return report;
  }

  /** Short types of what was published, and of whom, since the last call. */
  news(): readonly string[] {
    return this.published
      .splice(0)
      .map(({ type, subject }) => `${type.replace('workforce.', '')} ${subject ?? ''}`.trim());
  }

  async state() {
    const stored = await this.store.loadFeedState({ connection: 'main', feed: 'timesheets' });
    return stored?.state;
  }

  #publish(texts: readonly string[]) {
    this.published.push(...texts.map((text) => JSON.parse(text) as PublishedEvent));
    return { published: texts.length, unpublished: [], requests: 1 };
  }

  #ask(): { requestedAt: number; receivedAt: number } {
    const requestedAt = this.now;
    this.now += this.#requestMs;
    return { requestedAt, receivedAt: this.now };
  }

  #source(feed: FeedName): SourceApi {
    const records = feed === 'timesheets' ? this.timesheets : this.payPeriods;
    return {
      counts: () => ({ requests: this.requests.pages + this.requests.byId, throttled: 0 }),
      lookUp: async (_, id) => {
        this.requests.byId += 1;
        const times = this.#ask();
        const failure = this.failsById(id);
        if (failure !== null) throw failure;
        const record = records.get(id);
        return record === undefined ? { outcome: 'gone', ...times } : { outcome: 'found', record, ...times };
      },
      pages: (_, range) =>
        walkPages(async (next) => {
          this.requests.pages += 1;
          const page = next === null ? 1 : Number(next);
          this.beforePage(page);
          const times = this.#ask();
          if (range === null) return { records: [...records.values()], pagination: null, ...times };
          const { pageSize } = this.connection.requests;
          // What the source makes of a date that is none is its own affair: here it stands on every list.
          const isOn = ({ date }: SampleRecord) => {
            const day = String(date);
            return !isDate(day) || (range.from <= day && day <= range.to);
          };
          const all = this.listed([...records.values()].filter(isOn));
          const totalPages = Math.max(1, Math.ceil(all.length / pageSize));
          return {
            records: all.slice((page - 1) * pageSize, page * pageSize),
            pagination: {
              page,
              pageSize,
              totalPages,
              totalRecords: all.length,
              nextPage: page < totalPages ? String(page + 1) : '',
            },
            ...times,
          };
        }),
    };
  }
}
