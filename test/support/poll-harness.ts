import type { PollReport } from '#shared/config/requests/poll-report.ts';
import { type Connection, connectionSchema } from '#shared/config/schema/connection.ts';
import { addDays, type DateRange, isDate } from '#shared/core/dates.ts';
import type { SourceError } from '#shared/core/errors.ts';
import type { DirectoryFeed, FeedName } from '#shared/core/feeds.ts';
import { walkPages } from '#shared/core/fetch/pages.ts';
import type { Guards } from '#shared/core/guards.ts';
import type { FeedState } from '#shared/core/snapshot/feed-state.ts';
import type { LearnedPace } from '#shared/core/snapshot/learned-state.ts';
import type { PollPorts } from '#shared/flow/poll/poll-run.ts';
import type { EventPublisher, SnapshotStore, SourceApi } from '#shared/flow/poll/ports.ts';
import { poll } from '#shared/flow/poll.ts';
import type { OutcomeLine } from '#shared/flow/system.ts';
import { DATE, MINUTE_MS, type SampleRecord } from './builders.ts';
import { createMemorySnapshotStore, type MemorySnapshotStore } from './memory-snapshot-store.ts';

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

export interface PollHarnessOptions<Store extends SnapshotStore = MemorySnapshotStore> {
  /** Settings of the connection besides the required ones. */
  readonly connection?: object;
  /** When the first poll begins: a full minute. */
  readonly startAt?: string;
  readonly store?: Store;
  /** Milliseconds that one request takes. */
  readonly requestMs?: number;
  /** Milliseconds from the beginning of a poll to its deadline. */
  readonly pollMs?: number;
  /** Records on a page of the source; what the connection asks for without it. */
  readonly pageSize?: number;
  readonly guards?: Guards;
}

export interface PollValues {
  readonly feed?: FeedName;
  readonly scope?: 'due' | 'owed' | 'window';
  /** Follow-ups come when a poll asks for them, and belong to it. */
  readonly repeatForSeconds?: number;
  readonly repeatUntil?: number;
  readonly summaries?: string[];
  /** Publishes nothing. */
  readonly isSilent?: boolean;
  /** Begins at once, not at the next full minute. */
  readonly atOnce?: boolean;
}

let harnesses = 0;

/**
 * Polls a source that the test changes, with a store in memory and in virtual time: only requests and the test itself
 * move the clock.
 */
export class PollHarness<Store extends SnapshotStore = MemorySnapshotStore> {
  now: number;
  requestMs: number;
  readonly connection: Connection;
  readonly store: Store;
  /** Every event that went out, as its text. */
  readonly texts: string[] = [];
  /** The same parsed, since the last call of `news`. */
  readonly published: PublishedEvent[] = [];
  readonly lines: OutcomeLine[] = [];
  readonly requests = { pages: 0, byId: 0, members: 0 };
  /** Walks over the pages of a range, in the order of their beginning. */
  readonly walks: { readonly range: DateRange; readonly at: number }[] = [];
  /** The list of pay periods; null when the source has none. */
  payPeriods: (() => readonly SampleRecord[]) | null = null;
  /** The lists of employees and departments. */
  readonly directory: Record<DirectoryFeed, readonly SampleRecord[]> = { employees: [], departments: [] };
  /** Ids of the timesheets of an employee in a pay period; null when the source does not say. */
  members: ((employeeId: string, payPeriodId: string) => readonly string[]) | null = null;
  /** Which of the records on its dates a list contains. */
  listed: (records: readonly SampleRecord[]) => readonly SampleRecord[] = (records) => records;
  /** Called before a page (from 1) is answered; an error that it returns is the answer. */
  onPage: (range: DateRange, page: number) => SourceError | null = () => null;
  /** Called before a request by id is answered; an error that it returns is the answer. */
  onLookUp: (id: string) => SourceError | null = () => null;
  /** Whether the topic accepts an event. */
  accepts: (event: PublishedEvent) => boolean = () => true;
  /** Whether the topic refuses an event for good. */
  refuses: (event: PublishedEvent) => boolean = () => false;
  /** The pace that its polls learned, each in a process of its own; null while none did. */
  pace: LearnedPace | null = null;
  /** The pace with which the last poll began, if any was known. */
  resumedPace: LearnedPace | null = null;
  /** Milliseconds that one call of the publisher takes. */
  publishMs = 0;
  readonly #byDate = new Map<string, Map<string, SampleRecord>>();
  readonly #dates = new Map<string, string>();
  readonly #pageSize: number;
  readonly #pollMs: number;
  readonly #guards: Guards | undefined;
  readonly #number: number;
  #polls = 0;
  #lastPollAt: number | null = null;

  constructor(options: PollHarnessOptions<Store> = {}) {
    harnesses += 1;
    this.#number = harnesses;
    this.now = Date.parse(options.startAt ?? '2026-03-05T01:00:00Z');
    this.requestMs = options.requestMs ?? 50;
    // Without a store of its own, the type parameter is its default.
    this.store = options.store ?? (createMemorySnapshotStore() as SnapshotStore as Store);
    this.connection = connectionSchema.parse({
      name: 'main',
      baseUrl: 'https://workforce.example.com',
      timeZone: 'UTC',
      secretName: 'main',
      ...options.connection,
    });
    this.#pollMs = options.pollMs ?? POLL_MS;
    this.#guards = options.guards;
    this.#pageSize = options.pageSize ?? this.connection.requests.pageSize;
  }

  /** Goes on where another harness is, with the same timesheets, news and time; its store has to have the same as well. */
  resume(other: PollHarness<Store>): void {
    this.now = other.now;
    this.pace = other.pace;
    this.resumedPace = other.resumedPace;
    this.texts.push(...other.texts);
    this.published.push(...other.published);
    this.lines.push(...other.lines);
    this.walks.push(...other.walks);
    Object.assign(this.requests, other.requests);
    this.put(...other.timesheets);
    Object.assign(this.directory, other.directory);
    this.#polls = other.#polls;
    this.#lastPollAt = other.#lastPollAt;
  }

  get timesheets(): readonly SampleRecord[] {
    return [...this.#byDate.values()].flatMap((records) => [...records.values()]);
  }

  get(id: string): SampleRecord | undefined {
    return this.#byDate.get(this.#dates.get(id) ?? '')?.get(id);
  }

  /** Puts timesheets into the source, each in the place of one with its id. */
  put(...records: readonly SampleRecord[]): void {
    for (const record of records) {
      const date = String(record.date);
      if (this.#dates.get(record.id) !== date) this.remove(record.id);
      const onDate = this.#byDate.get(date) ?? new Map<string, SampleRecord>();
      this.#byDate.set(date, onDate.set(record.id, record));
      this.#dates.set(record.id, date);
    }
  }

  remove(id: string): void {
    this.#byDate.get(this.#dates.get(id) ?? '')?.delete(id);
    this.#dates.delete(id);
  }

  /** Changes the timesheets with these ids, or all. */
  change(values: Partial<SampleRecord>, ids: Iterable<string> = [...this.#dates.keys()]): void {
    for (const id of ids) {
      const record = this.get(id);
      if (record === undefined) throw new Error(`there is no timesheet ${id} to change`);
      this.put({ ...record, ...values });
    }
  }

  /** The date so many days after the first one. */
  day(days: number): string {
    return addDays(DATE, days);
  }

  /** The timer of a poll, which a test may let run out; by default it never does. */
  after: (milliseconds: number, action: () => void) => () => void = () => () => {};

  /** One poll, at the next full minute that had none. */
  async poll({ feed = 'timesheets', atOnce = false, ...values }: PollValues = {}): Promise<PollReport> {
    if (!atOnce) this.nextMinute();
    this.#lastPollAt = this.now;
    let report = await this.pollOnce({ feed, ...values });
    for (let next = report.followUp; next !== undefined; next = report.followUp) {
      this.now = next.at;
      report = await this.pollOnce({ feed, ...values, scope: 'owed', repeatUntil: next.until });
    }
    return report;
  }

  /** One poll, now, without its follow-ups, by these ports in the place of its own. */
  pollOnce(
    { feed = 'timesheets', atOnce: _, ...values }: PollValues = {},
    rewire: (ports: PollPorts) => PollPorts = (ports) => ports,
  ): Promise<PollReport> {
    this.#polls += 1;
    return poll(
      {
        feed,
        request: { connection: this.connection, scope: 'due', ...values },
        runId: `run-${this.#number}-${this.#polls}`,
        deadline: this.now + this.#pollMs,
        ...(this.#guards === undefined ? {} : { guards: this.#guards }),
      },
      rewire({
        store: this.store,
        clock: { now: () => this.now },
        telemetry: { report: (line) => void this.lines.push(line) },
        publisher: this.#publisher(),
        source: this.#source(),
        after: (ms, action) => this.after(ms, action),
      }),
    );
  }

  /** A poll at each full minute, for so many minutes. Returns the last report. */
  async pollFor(minutes: number): Promise<PollReport> {
    const end = this.now + minutes * MINUTE_MS;
    let report = await this.poll();
    while (this.now + MINUTE_MS <= end) report = await this.poll();
    return report;
  }

  /** Puts timesheets into the source and polls its whole window. Returns the new events. */
  async see(...records: readonly SampleRecord[]): Promise<readonly PublishedEvent[]> {
    this.put(...records);
    const before = this.published.length;
    await this.poll({ scope: 'window' });
    return this.published.slice(before);
  }

  /** Moves the clock to the next full minute at which no poll began. */
  nextMinute(): void {
    const earliest = this.now === this.#lastPollAt ? this.now + 1 : this.now;
    this.now = Math.ceil(earliest / MINUTE_MS) * MINUTE_MS;
  }

  /** Short type and subject of each published event, since the last call of `news`; of a trouble, the first word of it. */
  get headings(): string[] {
    return this.published.map(({ type, subject = '', data }) =>
      `${type.replace('workforce.', '').replace('trouble.', '')} ${data.kind ?? ''} ${subject.split(' ')[0]}`
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

  /** The state of a feed that was polled before. */
  async state(feed: FeedName = 'timesheets'): Promise<FeedState> {
    const stored = await this.store.loadFeedState({ connection: 'main', feed });
    if (stored === null) throw new Error(`${feed} were not polled yet`);
    return stored.state;
  }

  #publisher(): EventPublisher {
    return {
      publish: async (texts) => {
        this.now += this.publishMs;
        const unpublished: number[] = [];
        const refused: number[] = [];
        for (const [position, text] of texts.entries()) {
          const event = JSON.parse(text) as PublishedEvent;
          const isRefused = this.refuses(event);
          if (isRefused) refused.push(position);
          if (isRefused || !this.accepts(event)) {
            unpublished.push(position);
            continue;
          }
          this.texts.push(text);
          this.published.push(event);
        }
        return { published: texts.length - unpublished.length, unpublished, refused, requests: 1 };
      },
    };
  }

  #source(): SourceApi {
    return {
      counts: () => ({ requests: this.requests.pages + this.requests.byId, throttled: 0 }),
      learnedPace: () => this.pace,
      resumePace: (pace) => {
        this.resumedPace = pace;
      },
      lookUp: async (feed, id) => {
        this.requests.byId += 1;
        const times = this.#request();
        const error = this.onLookUp(id);
        if (error !== null) throw error;
        const record =
          feed === 'timesheets' ? this.get(id) : this.#readWhole(feed)?.find((each) => each.id === id);
        return record === undefined ? { outcome: 'gone', ...times } : { outcome: 'found', record, ...times };
      },
      ...this.#memberList(),
      pages: (feed, range) =>
        walkPages(async (next) => {
          this.requests.pages += 1;
          return feed === 'timesheets' && range !== null
            ? this.#listTimesheets(range, Number(next ?? 1))
            : this.#listWhole(feed);
        }),
    };
  }

  #memberList(): Pick<SourceApi, 'listMembers'> {
    const { members } = this;
    if (members === null) return {};
    return {
      listMembers: async (employeeId, payPeriodId) => {
        this.requests.members += 1;
        this.#request();
        return members(employeeId, payPeriodId);
      },
    };
  }

  #request(): { readonly requestedAt: number; readonly receivedAt: number } {
    const requestedAt = this.now;
    this.now += this.requestMs;
    return { requestedAt, receivedAt: this.now };
  }

  /** A list that comes whole. */
  #readWhole(feed: FeedName): readonly SampleRecord[] | undefined {
    return feed === 'employees' || feed === 'departments' ? this.directory[feed] : this.payPeriods?.();
  }

  #listWhole(feed: FeedName) {
    const records = this.#readWhole(feed);
    if (records === undefined) throw new Error('this source has no pay periods');
    const times = this.#request();
    return { records: [...records], pagination: null, ...times };
  }

  #listTimesheets(range: DateRange, page: number) {
    const times = this.#request();
    if (page === 1) this.walks.push({ range, at: times.requestedAt });
    const error = this.onPage(range, page);
    if (error !== null) throw error;
    // A list of any range has the records whose date is no date.
    const dates = [...this.#byDate.keys()].filter(
      (date) => !isDate(date) || (range.from <= date && date <= range.to),
    );
    const records = this.listed(
      dates.sort().flatMap((date) => [...(this.#byDate.get(date)?.values() ?? [])]),
    );
    const pageSize = this.#pageSize;
    const totalPages = Math.max(1, Math.ceil(records.length / pageSize));
    const nextPage = page < totalPages ? String(page + 1) : '';
    return {
      records: records.slice((page - 1) * pageSize, page * pageSize),
      pagination: { page, pageSize, totalPages, totalRecords: records.length, nextPage },
      ...times,
    };
  }
}
