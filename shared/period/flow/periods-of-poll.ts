import { findTimesheetPeriods, type PeriodFinder } from '#shared/core/periods/learn-membership.ts';
import { type Membership, NO_MEMBERSHIP } from '#shared/core/periods/membership.ts';
import { WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import type { KnownPeriod } from '#shared/core/records/pay-period.ts';
import { nameSlice } from '#shared/core/snapshot/head.ts';
import type { Lease, Store } from '#shared/flow/poll/ports.ts';
import type { PollMemory } from '#shared/flow/poll/run.ts';
import { toKnownPeriod } from '../known-period.ts';

export const PERIODS_SLICE = { feed: 'pay-periods', slice: WHOLE_LIST } as const;

/** The pay periods of a connection as they are committed, read when something needs them, and again after a commit. */
export class PeriodsOfPoll {
  readonly #lease: Lease;
  readonly #store: Pick<Store, 'readBuckets' | 'loadMembership'>;
  #known: { readonly of: unknown; readonly periods: readonly KnownPeriod[] } | null = null;
  #membership: Membership = NO_MEMBERSHIP;
  #isMembershipLoaded = false;

  constructor(lease: Lease, store: Pick<Store, 'readBuckets' | 'loadMembership'>) {
    this.#lease = lease;
    this.#store = store;
  }

  async list({ heads }: Pick<PollMemory, 'heads'>): Promise<readonly KnownPeriod[]> {
    const head = heads.get(nameSlice(PERIODS_SLICE));
    if (head === undefined) return [];
    if (this.#known?.of === head.buckets) return this.#known.periods;
    const keys = head.buckets
      .filter(({ count }) => count > 0)
      .map(({ from }) => ({ ...PERIODS_SLICE, from }));
    const buckets = await this.#store.readBuckets(this.#lease.connection, keys);
    const periods = buckets.flat().flatMap((row) => toKnownPeriod(row) ?? []);
    this.#known = { of: head.buckets, periods };
    return periods;
  }

  /** Which pay periods a timesheet belongs to. Who belongs to which calendar is read where periods share dates. */
  async finder(memory: Pick<PollMemory, 'heads'>): Promise<PeriodFinder> {
    const periods = await this.list(memory);
    if (periods.length === 0) return () => null;
    const membership = await this.membership();
    return (timesheet) => findTimesheetPeriods(timesheet, { periods, membership });
  }

  async membership(): Promise<Membership> {
    if (!this.#isMembershipLoaded)
      this.#membership = await this.#store.loadMembership(this.#lease.connection);
    this.#isMembershipLoaded = true;
    return this.#membership;
  }

  learn(membership: Membership): void {
    this.#membership = membership;
    this.#isMembershipLoaded = true;
  }
}
