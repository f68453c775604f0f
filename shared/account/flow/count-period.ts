import { computeWindow } from '#shared/core/plan/window.ts';
import {
  dateHints,
  isOfUsualLength,
  type PayPeriodHint,
  type SeenPayPeriod,
} from '#shared/core/records/pay-period.ts';
import { parseTotals } from '#shared/core/records/pay-period-totals.ts';
import { hasTimeLeft, type PollRun } from '#shared/flow/poll/poll-run.ts';
import { findMembers } from '#shared/membership/flow/find-members.ts';
import { findSharing } from '#shared/membership/learn-membership.ts';
import { toManifest } from '#shared/statements/manifest.ts';
import type { PeriodCount } from '#shared/statements/plan-statement.ts';
import { type AccountedPeriod, type PeriodAccount, toStatementMember } from '../period-account.ts';
import { type ClosingMoment, findLookedAtBefore } from '../standing.ts';
import { type AccountSource, type PeriodView, readAccount, viewPeriod } from './read-account.ts';

/** A pay period to count. */
export interface PeriodToCount {
  readonly id: string;
  readonly period: AccountedPeriod;
}

/** What a pay period comes to, with the account that it was counted from. */
export interface CountedPeriod extends PeriodCount {
  readonly account: PeriodAccount;
}

/** Where a poll reads accounts. */
function toAccountSource(run: PollRun): AccountSource {
  const { feed, ports } = run;
  return { connection: feed.connection, store: ports.store, hasTimeLeft: () => hasTimeLeft(run) };
}

/** Pay periods as this poll knows them: as stored, and as its scan saw them, with when that was. */
export class PollPeriods {
  readonly all: readonly PayPeriodHint[];
  readonly #seen: ReadonlyMap<string, PayPeriodHint>;
  readonly #views = new Map<string, Promise<PeriodView>>();
  readonly #source: AccountSource;

  constructor(seen: readonly SeenPayPeriod[], run: PollRun) {
    const { state, startedAt, ports, connection } = run;
    this.#source = toAccountSource(run);
    const look = { scannedAt: startedAt, now: ports.clock.now(), timeZone: connection.timeZone };
    const dated = dateHints(seen, state, look);
    const shown = new Set(seen.filter(({ look: each }) => each !== undefined).map(({ id }) => id));
    this.#seen = new Map(dated.filter(({ id }) => shown.has(id)).map((hint) => [hint.id, hint]));
    this.all = [...new Map([...state.payPeriods, ...dated].map((hint) => [hint.id, hint])).values()];
  }

  /** As the scan of this poll saw it. */
  seen(id: string): PayPeriodHint | undefined {
    return this.#seen.get(id);
  }

  /** When its closing was first seen; null where no look before showed it open. */
  closedAt(id: string): number | null {
    const between = this.#seen.get(id)?.closedBetween;
    return between?.after == null ? null : between.by;
  }

  /** What is known of its dates, read once: it is counted from the view by which it was judged that it may be told. */
  async view({ id, period }: PeriodToCount): Promise<PeriodView> {
    const view = this.#views.get(id) ?? viewPeriod(period, this.#source);
    this.#views.set(id, view);
    return await view;
  }
}

/** The moment of a closing in this poll. */
export function toClosingMoment(seenAt: number | null, { ports, connection }: PollRun): ClosingMoment {
  const now = ports.clock.now();
  return { seenAt, now, window: computeWindow(now, connection.timeZone, connection.window) };
}

/**
 * Counts a pay period from its view. `closedAt`: when its closing was first seen; null when no look has to be later.
 * Null when there is no time, or the period is of no usual length.
 */
export async function countPayPeriod(
  { id, period, closedAt = null }: PeriodToCount & { readonly closedAt?: number | null },
  periods: PollPeriods,
  run: PollRun,
): Promise<CountedPeriod | null> {
  if (!isOfUsualLength(period)) return null;
  const account = await readAccount(await periods.view({ id, period }), toAccountSource(run));
  if (account === null) return null;
  const own = { ...period, id };
  const sharing = findSharing(own, periods.all);
  const { totals = '', totalsSince = null } = periods.seen(id) ?? {};
  const source = parseTotals(totals);
  // With one calendar all timesheets on its dates are its own, and nothing is asked.
  const members =
    sharing.length === 0
      ? null
      : await findMembers({ period: own, sharing, account, source, totalsSince }, run);
  const lookedAtBefore = findLookedAtBefore(account.views, toClosingMoment(closedAt, run));
  const manifest = toManifest(account, {
    ...{ source, members, lookedAtBefore },
    sharing: sharing.map((each) => each.id),
  });
  return { account, manifest, members: account.select(members).counted.map(toStatementMember) };
}

/** Whether these timesheets are processed, as far as they are on the dates of a period. False when there is no time. */
export async function areProcessed(
  period: AccountedPeriod,
  timesheets: ReadonlySet<string>,
  run: PollRun,
): Promise<boolean> {
  const account = isOfUsualLength(period) ? await readPollAccount(period, run) : null;
  const members = { timesheets, unknownEmployees: new Set<string>() };
  return account?.select(members).counted.every(({ processed }) => processed) === true;
}

/** The account of a period, also of its first dates alone. Null when there is no time. */
export async function readPollAccount(period: AccountedPeriod, run: PollRun): Promise<PeriodAccount | null> {
  const source = toAccountSource(run);
  return await readAccount(await viewPeriod(period, source), source);
}
