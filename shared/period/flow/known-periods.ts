import type { FeedKey } from '#shared/core/feeds.ts';
import type { PayPeriodHint } from '#shared/core/records/pay-period.ts';
import type { FeedState } from '#shared/core/snapshot/feed-state.ts';
import { forgetMisdated } from '#shared/core/snapshot/recognize-table.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import type { Clock } from '#shared/flow/system.ts';
import {
  dependsOnEmployee,
  dropOutdated,
  findTimesheetPeriods,
  type PeriodFinder,
} from '../../core/periods/learn-membership.ts';
import { type Membership, NO_MEMBERSHIP } from '../../core/periods/membership.ts';

interface PeriodPorts {
  readonly store: Pick<SnapshotStore, 'loadFeedState' | 'loadMembership'>;
  readonly clock: Clock;
}

/**
 * What the other feed of the connection remembers. That of pay periods has the periods, for the plan and for the `late`
 * mark of timesheets; both have the pace of the credential.
 */
export async function loadOtherState(
  { connection, feed }: FeedKey,
  { store, clock }: PeriodPorts,
): Promise<FeedState | null> {
  const other = feed === 'timesheets' ? 'pay-periods' : 'timesheets';
  const stored = await store.loadFeedState({ connection, feed: other });
  return stored === null ? null : forgetMisdated(stored.state, clock.now());
}

/** Pay periods as a poll of timesheets knows them: read anew while it goes on. Any other feed knows none. */
export class RememberedPeriods {
  readonly #feed: FeedKey;
  readonly #ports: PeriodPorts;
  #all: readonly PayPeriodHint[];
  /** Instant of the scan that saw them; null when it is not known. */
  #seenAt: number | null;
  /** Who belongs to which calendar; null until a change needs it. */
  #membership: Membership | null = null;

  constructor(feed: FeedKey, ports: PeriodPorts, other: FeedState | null) {
    const loaded = feed.feed === 'timesheets' ? other : null;
    this.#feed = feed;
    this.#ports = ports;
    this.#all = loaded?.payPeriods ?? [];
    this.#seenAt = loaded?.payPeriodsAt ?? null;
  }

  get all(): readonly PayPeriodHint[] {
    return this.#all;
  }

  /** The periods of a timesheet as they are known when it is asked. */
  readonly find: PeriodFinder = (timesheet) =>
    this.#seenAt === null
      ? null
      : findTimesheetPeriods(timesheet, {
          periods: this.#all,
          membership: this.#membership ?? NO_MEMBERSHIP,
        });

  /** Takes pay periods as their own feed has seen them by now. */
  async reload(): Promise<void> {
    const other = await loadOtherState(this.#feed, this.#ports);
    const seenAt = other?.payPeriodsAt ?? null;
    if (other === null || seenAt === null || seenAt > this.#ports.clock.now()) return;
    this.#all = other.payPeriods;
    this.#seenAt = seenAt;
  }

  /** Reads who belongs to which calendar, once in a poll, when periods share one of these dates: before events say so. */
  async learnCalendars(dates: Iterable<string>): Promise<void> {
    const { connection, feed } = this.#feed;
    if (feed !== 'timesheets' || this.#membership !== null) return;
    if (![...new Set(dates)].some((date) => dependsOnEmployee(this.#all, date))) return;
    this.#membership = dropOutdated(await this.#ports.store.loadMembership(connection), this.#all);
  }
}
