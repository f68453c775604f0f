import { type Evidence, isOperation, type Told } from '../evidence.ts';

interface Figures {
  readonly people: number;
  readonly timesheets: number;
  readonly hours: number;
}

export interface Parts extends Figures {
  readonly ready: Figures;
  readonly notReady: Figures;
  readonly unprocessed: number;
}

interface SourceTotals {
  readonly timesheets: number;
  readonly employees: number;
  readonly hours: number;
}

interface Reserve {
  readonly kind: string;
  readonly dates: { readonly from: string; readonly to: string } | null;
  readonly timesheets: number | null;
}

/** What docs/events.md says that an account has, as far as it is judged. */
export interface Account extends Parts {
  readonly state: string;
  readonly verdict: string;
  readonly through: string;
  readonly asOf: string | null;
  readonly departments: number;
  readonly byDepartment: readonly (Parts & { readonly departmentId: string | null })[];
  readonly leftOver: readonly {
    readonly timesheetId: string;
    readonly employeeId: string | null;
    readonly departmentId: string | null;
    readonly hours: number;
  }[];
  readonly changes: {
    readonly since: string;
    readonly readyHours: number;
    readonly timesheets: number;
    readonly hours: number;
    readonly open: { readonly timesheets: number; readonly hours: number };
    readonly complete: boolean;
    readonly listed: readonly {
      readonly was: number | null;
      readonly now: number | null;
      readonly difference: number;
    }[];
  } | null;
  readonly source: SourceTotals | null;
  readonly difference: SourceTotals | null;
  readonly reserves: readonly Reserve[];
}

const WITH_ACCOUNT = /^pay_period\.(?<moment>due|closed|recounted|reopened|settled)$/;

/** An event with what its period comes to, and what was told of the period before. */
export interface ToldAccount {
  readonly event: Told;
  readonly moment: string;
  readonly about: string;
  readonly account: Account | null;
  /** All that whoever told it had told of the period, in its order. */
  readonly before: readonly ToldAccount[];
}

/** In the order of commits. */
export function listAccounts(evidence: Evidence): ToldAccount[] {
  const all: ToldAccount[] = [];
  for (const event of evidence.told) {
    const moment = isOperation(event.type) ? undefined : WITH_ACCOUNT.exec(event.type)?.groups?.moment;
    if (moment === undefined) continue;
    const before = all.filter(({ event: other }) => isOfSameLife(evidence, other, event));
    const account = event.data.account as Account | null;
    all.push({ event, moment, about: `${event.subject} ${event.sequence} ${event.type}`, account, before });
  }
  return all;
}

/** A record that comes back begins anew; so does each after a restore, which forgets nothing else of it. */
function isOfSameLife(evidence: Evidence, earlier: Told, event: Told): boolean {
  const isSame = earlier.epoch === event.epoch || earlier.table !== event.table;
  return earlier.subject === event.subject && isSame && isRemembered(evidence, earlier, event);
}

/** Whether the table from which an event was told has what was told before: a restored one has what its backup had. */
export function isRemembered(
  { history }: Evidence,
  earlier: Pick<Told, 'table' | 'at'>,
  { table }: Pick<Told, 'table'>,
): boolean {
  const backupAt = history.settings.renewal?.backupAt ?? Number.NEGATIVE_INFINITY;
  return earlier.table === table || earlier.at <= backupAt;
}

/** The last event before that says what a period came to, as later ones are held against it. */
export function findCountBefore({ before }: ToldAccount): ToldAccount | undefined {
  return before.findLast(
    ({ moment, account }) => account !== null && ['closed', 'recounted', 'settled'].includes(moment),
  );
}

/** A difference below this is the noise of fractions. */
export function isSameHours(one: number, other: number): boolean {
  return Math.abs(one - other) < 0.0001;
}

export function hasReserve({ reserves }: Account, ...kinds: readonly string[]): boolean {
  return reserves.some(({ kind }) => kinds.includes(kind));
}
