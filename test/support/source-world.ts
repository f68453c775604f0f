import type { PollReport } from '#shared/config/requests/poll-report.ts';
import { type Connection, connectionSchema } from '#shared/config/schema/connection.ts';
import { addDays, type DateRange } from '#shared/core/dates.ts';
import type { SourceError } from '#shared/core/errors.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { walkPages } from '#shared/core/fetch/pages.ts';
import type { FeedState } from '#shared/core/snapshot/feed-state.ts';
import { poll } from '#shared/flow/poll.ts';
import type { SnapshotStore, SourceApi } from '#shared/ports/poll.ts';
import type { OutcomeLine } from '#shared/ports/system.ts';
import { createMemorySnapshotStore } from './memory-snapshot-store.ts';

const MINUTE_MS = 60_000;

/** A record as the source answers it. */
export type SourceRecord = Readonly<Record<string, unknown>> & { readonly id: string };

/** An event as it was published, as far as these tests look. */
export interface PublishedEvent {
  readonly type: string;
  readonly subject: string;
  readonly sequence: number;
  readonly time: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface SourceWorldOptions {
  readonly connection?: Record<string, unknown>;
  readonly startAt?: string;
  /** Milliseconds that one request takes. */
  readonly requestMs?: number;
  /** What a poll has, in milliseconds. */
  readonly pollMs?: number;
  readonly pageSize?: number;
}

/**
 * A source with timesheets, a memory store and a clock: polls are started by hand, each at a full minute, and a
 * request takes its time. What fails is decided by the test.
 */
export class SourceWorld {
  now: number;
  requests = 0;
  /** Milliseconds that one request takes. */
  requestMs: number;
  readonly connection: Connection;
  readonly store: SnapshotStore = createMemorySnapshotStore();
  readonly published: PublishedEvent[] = [];
  readonly lines: OutcomeLine[] = [];
  /** Walks that were begun, in their order. */
  readonly looks: { readonly range: DateRange; readonly at: number }[] = [];
  /** What the list of pay periods answers; null when this world has timesheets alone. */
  payPeriods: (() => readonly SourceRecord[]) | null = null;
  failPage: (range: DateRange, page: number) => SourceError | null = () => null;
  failLookUp: (id: string) => SourceError | null = () => null;
  readonly #options: Required<Pick<SourceWorldOptions, 'pollMs' | 'pageSize'>>;
  readonly #byDate = new Map<string, Map<string, SourceRecord>>();
  readonly #dates = new Map<string, string>();
  #polls = 0;

  constructor(options: SourceWorldOptions = {}) {
    const { connection = {}, startAt = '2026-03-05T01:00:00Z' } = options;
    this.now = Date.parse(startAt);
    this.requestMs = options.requestMs ?? 50;
    this.connection = connectionSchema.parse({
      name: 'main',
      baseUrl: 'https://workforce.example.com',
      timeZone: 'UTC',
      secretName: 'main',
      ...connection,
    });
    this.#options = { pollMs: 299_000, pageSize: 200, ...options };
  }

  /** The date so many days from the one on which the world began. */
  day(days: number): string {
    return addDays('2026-03-05', days);
  }

  put(record: SourceRecord & { readonly date: string }): void {
    this.remove(record.id);
    const records = this.#byDate.get(record.date) ?? new Map<string, SourceRecord>();
    records.set(record.id, record);
    this.#byDate.set(record.date, records);
    this.#dates.set(record.id, record.date);
  }

  remove(id: string): void {
    this.#byDate.get(this.#dates.get(id) ?? '')?.delete(id);
    this.#dates.delete(id);
  }

  get(id: string): SourceRecord | undefined {
    return this.#byDate.get(this.#dates.get(id) ?? '')?.get(id);
  }

  change(id: string, values: Record<string, unknown>): void {
    const record = this.get(id);
    if (record === undefined) throw new Error(`${id} is not there to be changed`);
    this.put({ ...record, ...values } as SourceRecord & { date: string });
  }

  async poll(
    values: { feed?: FeedName; scope?: 'due' | 'window'; repeatForSeconds?: number } = {},
  ): Promise<PollReport> {
    const { feed = 'timesheets', ...request } = values;
    this.#polls += 1;
    return await poll(
      {
        feed,
        request: { connection: this.connection, scope: 'due', ...request },
        runId: `run-${this.#polls}`,
        deadline: this.now + this.#options.pollMs,
      },
      {
        store: this.store,
        clock: { now: () => this.now },
        telemetry: { report: (line) => this.lines.push(line) },
        publisher: {
          publish: async (texts) => {
            this.published.push(...texts.map((text) => JSON.parse(text) as PublishedEvent));
            return { published: texts.length, unpublished: [], requests: 1 };
          },
        },
        source: this.#source(),
        ...(request.repeatForSeconds === undefined ? {} : { sleep: async (ms) => this.#pass(ms) }),
      },
    );
  }

  /** A poll at each full minute, for so many minutes. Gives the last report. */
  async pollFor(minutes: number): Promise<PollReport | null> {
    let report: PollReport | null = null;
    for (const end = this.now + minutes * MINUTE_MS; this.now < end; this.nextMinute()) {
      report = await this.poll();
    }
    return report;
  }

  nextMinute(): void {
    this.now = Math.ceil((this.now + 1) / MINUTE_MS) * MINUTE_MS;
  }

  async state(feed: FeedName = 'timesheets'): Promise<FeedState> {
    const stored = await this.store.loadFeedState({ connection: 'main', feed });
    if (stored === null) throw new Error('nothing was polled yet');
    return stored.state;
  }

  /** Minutes since the last whole look at each of these dates; null for one that never had any. */
  async readAges(dates: readonly string[]): Promise<(number | null)[]> {
    const { coverage } = await this.state();
    const heads = await this.store.loadHeads({ connection: 'main', feed: 'timesheets' }, '');
    const observed = new Map(heads.map(({ slice, observedAt }) => [slice, observedAt ?? 0]));
    return dates.map((date) => {
      const at = Math.max(coverage[date]?.at ?? 0, observed.get(date) ?? 0);
      return at === 0 ? null : Math.round((this.now - at) / MINUTE_MS);
    });
  }

  /** Short types and records of what was published, in order. */
  get told(): string[] {
    return this.published.map(({ type, subject }) => `${type.replace('workforce.', '')} ${subject}`);
  }

  #pass(ms: number): void {
    this.now += ms;
  }

  #source(): SourceApi {
    return {
      counts: () => ({ requests: this.requests, throttled: 0 }),
      lookUp: async (_, id) => {
        const requestedAt = this.#request();
        const error = this.failLookUp(id);
        if (error !== null) throw error;
        const record = this.get(id);
        const times = { requestedAt, receivedAt: this.now };
        return record === undefined ? { outcome: 'gone', ...times } : { outcome: 'found', record, ...times };
      },
      pages: (_, range) =>
        walkPages(async (next) => {
          if (range === null) return this.#listOfPayPeriods();
          return this.#page(range, next === null ? 1 : Number(next));
        }),
    };
  }

  #listOfPayPeriods() {
    if (this.payPeriods === null) throw new Error('this world has timesheets alone');
    const requestedAt = this.#request();
    return { records: [...this.payPeriods()], pagination: null, requestedAt, receivedAt: this.now };
  }

  #request(): number {
    const requestedAt = this.now;
    this.requests += 1;
    this.now += this.requestMs;
    return requestedAt;
  }

  #page(range: DateRange, page: number) {
    const requestedAt = this.#request();
    if (page === 1) this.looks.push({ range, at: requestedAt });
    const error = this.failPage(range, page);
    if (error !== null) throw error;
    const dates = [...this.#byDate.keys()].filter((date) => range.from <= date && date <= range.to).sort();
    const records = dates.flatMap((date) => [...(this.#byDate.get(date)?.values() ?? [])]);
    const { pageSize } = this.#options;
    const totalPages = Math.max(1, Math.ceil(records.length / pageSize));
    const nextPage = page < totalPages ? String(page + 1) : '';
    return {
      records: records.slice((page - 1) * pageSize, page * pageSize),
      pagination: { page, pageSize, totalPages, totalRecords: records.length, nextPage },
      requestedAt,
      receivedAt: this.now,
    };
  }
}
