import type { PollReport } from '#shared/config/requests/poll-report.ts';
import type { PollRequest } from '#shared/config/requests/poll-request.ts';
import { type Connection, connectionSchema } from '#shared/config/schema/connection.ts';
import type { Guards } from '#shared/core/compare/doubt.ts';
import { addDays, type DateRange } from '#shared/core/dates.ts';
import type { SourceError } from '#shared/core/errors.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { type Head, nameSlice, type SliceKey } from '#shared/core/snapshot/head.ts';
import type { ConnectionState } from '#shared/core/snapshot/state.ts';
import type { EventPublisher, Page, PageRequest, SourceApi, Store } from '#shared/flow/poll/ports.ts';
import type { PollPorts } from '#shared/flow/poll/run.ts';
import { poll } from '#shared/flow/poll.ts';
import type { OutcomeLine } from '#shared/flow/system.ts';
import { DATE, MINUTE_MS, type SampleRecord } from './builders.ts';
import { createMemoryStore } from './memory-store.ts';

/** Milliseconds that a poll may take. */
const POLL_MS = 299_000;

/** The members of a published event that tests read. */
export interface PublishedEvent {
  readonly id: string;
  readonly type: string;
  readonly subject?: string;
  readonly epoch?: string;
  readonly sequence: number;
  readonly time: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface PollHarnessOptions {
  /** Settings of the connection besides the required ones. */
  readonly connection?: object;
  /** When the first poll begins: a full minute. */
  readonly startAt?: string;
  readonly store?: Store;
  /** Milliseconds that one request takes. */
  readonly requestMs?: number;
  readonly pollMs?: number;
  readonly guards?: Guards;
  /** Besides timesheets; pay periods are polled where the source has some. */
  readonly feeds?: PollRequest['feeds'];
}

/**
 * Polls a source that the test changes, with a store in memory and in virtual time: only requests and the test itself
 * move the clock.
 */
export class PollHarness {
  now: number;
  readonly connection: Connection;
  store: Store;
  /** Every event that went out, as its text. */
  readonly texts: string[] = [];
  /** The same parsed, since the last call of `news`. */
  readonly published: PublishedEvent[] = [];
  readonly lines: OutcomeLine[] = [];
  readonly requests = { pages: 0, byId: 0, members: 0 };
  /** The first pages that were asked for. */
  readonly asked: { readonly feed: FeedName; readonly range: DateRange | null; readonly at: number }[] = [];
  /** Lists that come whole; null when the source has no such feed. */
  readonly lists: Record<Exclude<FeedName, 'timesheets'>, readonly SampleRecord[] | null> = {
    'pay-periods': null,
    employees: null,
    departments: null,
  };
  /** Ids of the timesheets of an employee in a pay period. */
  members: (employeeId: string, payPeriodId: string) => readonly string[] = () => [];
  /** What a list contains of the records on its dates, page by page. */
  listed: (records: readonly SampleRecord[], page: number) => readonly SampleRecord[] = (records) => records;
  /** Called before a page is answered; an error that it returns is the answer. */
  onPage: (request: PageRequest) => SourceError | null = () => null;
  /** The same before a request by id. */
  onLookUp: (id: string) => SourceError | null = () => null;
  /** Whether its topic accepts an event. */
  accepts: (event: PublishedEvent) => boolean = () => true;
  /** Whether its topic refuses an event for good. */
  refuses: (event: PublishedEvent) => boolean = () => false;
  readonly timesheets = new Map<string, SampleRecord>();
  readonly #options: PollHarnessOptions;
  #lastPollAt: number | null = null;

  constructor(options: PollHarnessOptions = {}) {
    this.#options = options;
    this.now = Date.parse(options.startAt ?? '2026-03-05T01:00:00Z');
    this.store = options.store ?? createMemoryStore();
    this.connection = connectionSchema.parse({
      name: 'main',
      baseUrl: 'https://workforce.example.com',
      timeZone: 'UTC',
      secretName: 'main',
      window: { backDays: 1, forwardDays: 1 },
      ...options.connection,
    });
  }

  /** Puts timesheets into the source, each in the place of one with its id. */
  put(...records: readonly SampleRecord[]): void {
    for (const record of records) this.timesheets.set(record.id, record);
  }

  remove(...ids: readonly string[]): void {
    for (const id of ids) this.timesheets.delete(id);
  }

  /** Changes the timesheets with these ids, or all. */
  change(values: Partial<SampleRecord>, ids: Iterable<string> = [...this.timesheets.keys()]): void {
    for (const id of ids) {
      const record = this.timesheets.get(id);
      if (record === undefined) throw new Error(`there is no timesheet ${id} to change`);
      this.put({ ...record, ...values });
    }
  }

  /** The date so many days after the first one. */
  day(days: number): string {
    return addDays(DATE, days);
  }

  /** One poll, at the next full minute that had none; it reads what is due, or every slice. */
  async poll(values: Partial<PollRequest> & { readonly all?: boolean } = {}): Promise<PollReport> {
    const earliest = this.now === this.#lastPollAt ? this.now + 1 : this.now;
    this.now = Math.ceil(earliest / MINUTE_MS) * MINUTE_MS;
    this.#lastPollAt = this.now;
    return await this.pollNow(values);
  }

  /** One poll, now, by these ports in the place of its own. */
  async pollNow(
    { all = false, ...values }: Partial<PollRequest> & { readonly all?: boolean } = {},
    rewire: (ports: PollPorts) => PollPorts = (ports) => ports,
  ): Promise<PollReport> {
    const { guards, pollMs = POLL_MS } = this.#options;
    const request = {
      connection: this.connection,
      feeds: this.#options.feeds ?? this.#listFeeds(),
      ...(all ? { freshSince: this.now } : {}),
      ...values,
    };
    const ports = {
      store: this.store,
      clock: { now: () => this.now },
      telemetry: { report: (line: OutcomeLine) => void this.lines.push(line) },
      publisher: this.#publisher(),
      source: this.source(),
    };
    return await poll(
      { request, deadline: this.now + pollMs, ...(guards === undefined ? {} : { guards }) },
      rewire(ports),
    );
  }

  #listFeeds(): PollRequest['feeds'] {
    const hasPeriods = this.lists['pay-periods'] !== null;
    return [...(hasPeriods ? ['pay-periods' as const] : []), 'timesheets' as const].map((name) => ({
      name,
      silent: false,
    }));
  }

  /** A poll at each full minute, for so many minutes. Returns the last report. */
  async pollFor(minutes: number): Promise<PollReport> {
    const end = this.now + minutes * MINUTE_MS;
    let report = await this.poll();
    while (this.now + MINUTE_MS <= end) report = await this.poll();
    return report;
  }

  /** Short type and subject of each published event; of a trouble, its kind as well. */
  get headings(): string[] {
    return this.published.map(({ type, subject = '', data }) =>
      `${type.replace('workforce.', '').replace('trouble.', '')} ${data.kind ?? ''} ${subject}`
        .replaceAll(/ +/g, ' ')
        .trim(),
    );
  }

  /** Headings since the last call. */
  news(): string[] {
    const { headings } = this;
    this.published.length = 0;
    return headings;
  }

  async state(): Promise<ConnectionState> {
    const state = await this.store.loadState('main');
    if (state === null) throw new Error('the connection was not polled yet');
    return state;
  }

  async head(slice: string, feed: FeedName = 'timesheets'): Promise<Head | undefined> {
    const key: SliceKey = { feed, slice };
    return (await this.store.loadHeads('main')).find((head) => nameSlice(head) === nameSlice(key));
  }

  #publisher(): EventPublisher {
    return {
      publish: async (_topic, texts) => {
        const unpublished: number[] = [];
        const refused: number[] = [];
        for (const [place, text] of texts.entries()) {
          const event = JSON.parse(text) as PublishedEvent;
          const isRefused = this.refuses(event);
          if (isRefused) refused.push(place);
          if (isRefused || !this.accepts(event)) {
            unpublished.push(place);
            continue;
          }
          this.texts.push(text);
          this.published.push(event);
        }
        return { published: texts.length - unpublished.length, unpublished, refused };
      },
    };
  }

  source(): SourceApi {
    return {
      counts: () => ({ requests: this.requests.pages + this.requests.byId, throttled: 0 }),
      learnedPace: () => null,
      resumePace: () => {},
      lookUp: async (feed, id) => {
        this.requests.byId += 1;
        const requestedAt = this.#request();
        const error = this.onLookUp(id);
        if (error !== null) throw error;
        const record =
          feed === 'timesheets' ? this.timesheets.get(id) : this.lists[feed]?.find((each) => each.id === id);
        return record === undefined
          ? { outcome: 'gone', requestedAt }
          : { outcome: 'found', record, requestedAt };
      },
      listMembers: async (employeeId, payPeriodId) => {
        this.requests.members += 1;
        this.#request();
        return this.members(employeeId, payPeriodId);
      },
      page: async (request) => this.#page(request),
    };
  }

  #request(): number {
    const requestedAt = this.now;
    this.now += this.#options.requestMs ?? 50;
    return requestedAt;
  }

  #page(request: PageRequest): Page {
    const { feed, range, page, size } = request;
    this.requests.pages += 1;
    const requestedAt = this.#request();
    if (page === 1) this.asked.push({ feed, range, at: requestedAt });
    const error = this.onPage(request);
    if (error !== null) throw error;
    const records = this.listed(
      feed === 'timesheets' ? this.#onDates(range) : (this.lists[feed] ?? []),
      page,
    );
    const perPage = feed === 'timesheets' ? (size ?? 100) : Number.POSITIVE_INFINITY;
    return {
      records: feed === 'timesheets' ? records.slice((page - 1) * perPage, page * perPage) : records,
      totalRecords: records.length,
      totalPages: feed === 'timesheets' ? Math.max(1, Math.ceil(records.length / perPage)) : 1,
      requestedAt,
      receivedAt: this.now,
    };
  }

  /** A record whose date is no date is in the list of every range. */
  #onDates(range: DateRange | null): readonly SampleRecord[] {
    const isListed = ({ date }: SampleRecord) =>
      range === null || typeof date !== 'string' || (range.from <= date && date <= range.to);
    return [...this.timesheets.values()].filter(isListed);
  }
}
