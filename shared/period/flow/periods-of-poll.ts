import type { DateRange } from '#shared/core/dates.ts';
import {
  findSharing,
  findTimesheetPeriods,
  type KnownAnswers,
  type MemberAnswers,
  type PeriodFinder,
  type PeriodSpan,
  spanUnread,
} from '#shared/core/periods/members.ts';
import { WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import type { KnownPeriod } from '#shared/core/records/pay-period.ts';
import { type Head, nameSlice } from '#shared/core/snapshot/head.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import { readKnownPeriod } from '#shared/core/snapshot/stored-state.ts';
import type { Lease, Store } from '#shared/flow/poll/ports.ts';

/** MemberAnswers that are loaded at once. */
const LOADS_AT_ONCE = 25;

export const PERIODS_SLICE = { feed: 'pay-periods', slice: WHOLE_LIST } as const;

interface Heads {
  /** By the names of their slices. */
  readonly heads: ReadonlyMap<string, Head>;
}

/** The pay periods of a connection as they are committed, read when something needs them, and again after a commit. */
export class PeriodsOfPoll {
  readonly #lease: Lease;
  readonly #store: Pick<Store, 'readBuckets' | 'loadAnswers'>;
  /** The watched dates: timesheets of others have no events. */
  readonly #window: DateRange;
  #known: {
    readonly of: unknown;
    readonly rows: readonly StoredRow[];
    readonly periods: KnownPeriod[];
  } | null = null;
  #seen: readonly KnownPeriod[] | null = null;
  readonly #answers = new Map<string, MemberAnswers>();
  /** For the periods and the answers that are known. */
  #finder: PeriodFinder | null = null;

  constructor(lease: Lease, store: Pick<Store, 'readBuckets' | 'loadAnswers'>, window: DateRange) {
    this.#lease = lease;
    this.#store = store;
    this.#window = window;
  }

  /** As the last complete look of this poll showed them; null before it. A closing may not be told yet. */
  get seen(): readonly KnownPeriod[] | null {
    return this.#seen;
  }

  see(periods: readonly KnownPeriod[]): void {
    this.#seen = periods;
  }

  /** As they are committed: closed is what was told, or was closed before. */
  async list(memory: Heads): Promise<readonly KnownPeriod[]> {
    return (await this.#load(memory)).periods;
  }

  async rows(memory: Heads): Promise<readonly StoredRow[]> {
    return (await this.#load(memory)).rows;
  }

  /** All that are known: as they were seen, or else as they are committed. */
  async all(memory: Heads): Promise<readonly KnownPeriod[]> {
    const periods = [...(await this.list(memory)), ...(this.#seen ?? [])];
    return [...new Map(periods.map((period) => [period.id, period])).values()];
  }

  /** All of them by their dates, also those that were never readable. */
  async spans(memory: Heads): Promise<readonly PeriodSpan[]> {
    const periods = await this.all(memory);
    const read = new Set(periods.map(({ id }) => id));
    const unread = (await this.rows(memory)).filter(({ id }) => !read.has(id));
    return [...periods, ...unread.map(({ id }) => spanUnread(id))];
  }

  /** Which pay periods a timesheet belongs to. What the source answered of it is read where periods share dates. */
  async finder(memory: Heads): Promise<PeriodFinder> {
    const periods = await this.list(memory);
    this.#finder ??= await this.#createFinder(periods);
    return this.#finder;
  }

  async #createFinder(periods: readonly KnownPeriod[]): Promise<PeriodFinder> {
    if (periods.length === 0) return () => null;
    const { from, to } = this.#window;
    const watched = periods.filter(({ startDate, finishDate }) => startDate <= to && finishDate >= from);
    const answers = await this.answers(watched.filter((each) => findSharing(each, periods).length > 0));
    return (timesheet) => findTimesheetPeriods(timesheet, { periods, answers });
  }

  /** What the source answered about the members of some periods. */
  async answers(periods: readonly Pick<KnownPeriod, 'id'>[]): Promise<KnownAnswers> {
    const missing = periods.filter(({ id }) => !this.#answers.has(id));
    const load = async ({ id }: Pick<KnownPeriod, 'id'>) =>
      this.#answers.set(id, await this.#store.loadAnswers(this.#lease.connection, id));
    for (let start = 0; start < missing.length; start += LOADS_AT_ONCE)
      await Promise.all(missing.slice(start, start + LOADS_AT_ONCE).map(load));
    return new Map(periods.map(({ id }) => [id, this.#answers.get(id) ?? new Map()]));
  }

  /** What was answered about a period from now on. */
  keep(periodId: string, answers: MemberAnswers): void {
    this.#answers.set(periodId, answers);
    this.#finder = null;
  }

  async #load({ heads }: Heads) {
    const head = heads.get(nameSlice(PERIODS_SLICE));
    if (head === undefined) return { rows: [], periods: [] };
    if (this.#known?.of === head.buckets) return this.#known;
    const filled = head.buckets.filter(({ count }) => count > 0);
    const keys = filled.map(({ from }) => ({ ...PERIODS_SLICE, from }));
    const rows = (await this.#store.readBuckets(this.#lease.connection, keys)).flat();
    this.#finder = null;
    this.#known = { of: head.buckets, rows, periods: rows.flatMap((row) => readKnownPeriod(row) ?? []) };
    return this.#known;
  }
}
