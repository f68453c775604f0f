import * as z from 'zod';
import { comparePositions } from '../core/events/event-order.ts';
import type { Account, ChangedTimesheet } from '../core/periods/account-data.ts';
import type { State } from '../core/records/fields.ts';
import type { PayPeriodState } from '../core/records/pay-period.ts';

/** A moment of a pay period, as it was published. */
export interface ToldMoment {
  /** RFC 3339. */
  readonly time: string;
  readonly moment: 'closed' | 'recounted' | 'reopened' | 'settled';
  /** Null where there was no time to count. */
  readonly account: Account | null;
}

/** A pay period as it is stored: what it was told as, and what it comes to now. */
export interface PeriodReading {
  readonly id: string;
  readonly connection: string;
  readonly period: PayPeriodState;
  /** What it comes to now. */
  readonly account: Account;
  /** In their order, as far back as the log was read. */
  readonly told: readonly ToldMoment[];
  /** Its own timesheets, which `account` counts, in the order of dates and ids. */
  readonly timesheets: readonly { readonly id: string; readonly state: State }[];
  /**
   * All timesheets whose ready hours are others than it was told with, the largest difference first; null where it was
   * not, and where what changed is not known.
   */
  readonly changed: readonly ChangedTimesheet[] | null;
  /** Ids of timesheets on its dates of which it is not known whether they are its own. */
  readonly unknown: readonly string[];
}

const TOLD = /^workforce\.pay_period\.(?<moment>closed|recounted|reopened|settled)$/;
const toldSchema = z.looseObject({
  type: z.string().regex(TOLD),
  subject: z.string(),
  time: z.string(),
  epoch: z.string().optional(),
  sequence: z.int(),
  data: z.looseObject({ account: z.looseObject({ state: z.string() }).nullable() }),
});

/** What logged events told of a pay period, in its order. */
export function parseToldMoments(texts: readonly string[], id: string): ToldMoment[] {
  // Most are of other records, and need no parsing.
  const found = texts
    .filter((text) => text.includes(JSON.stringify(id)))
    .flatMap((text) => toldSchema.safeParse(JSON.parse(text)).data ?? [])
    .filter(({ subject }) => subject === id);
  return found.sort(comparePositions).map(({ type, time, data }) => ({
    time,
    moment: TOLD.exec(type)?.groups?.moment as ToldMoment['moment'],
    account: data.account as Account | null,
  }));
}
