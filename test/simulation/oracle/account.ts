import { belongsTo } from '../world/books.ts';
import type { RawRecord, TrackedRecord } from '../world/truth.ts';
import { type Evidence, type Told, versionsBetween } from './evidence.ts';

/** What a closing or a statement says of the timesheets of its period, without a reserve. */
interface Account {
  readonly timesheets: number;
  readonly hours: number;
  readonly unapproved: number;
  readonly unprocessed: number;
  readonly members: string;
  readonly asOf: string;
}

/** Faults by which those who looked saw another world. */
const MISLEADING = [
  ...['lagging_list', 'hidden_record', 'other_dates', 'shuffled_pages', 'empty_list', 'duplicate_ids'],
  ...['poison_record', 'clock_a_day_off', 'moving_list', 'wrong_total', 'growing_pages'],
] as const;

/** Whether what complete looks show is what there was. */
export function isHonest({ history }: Evidence): boolean {
  return MISLEADING.every((kind) => !(history.faults.counts as ReadonlyMap<string, number>).has(kind));
}

/**
 * What is told of a pay period without a reserve is what the books have of it at some instant between its looks and its
 * commit. Returns how many accounts were judged.
 */
export function judgeAccounts(evidence: Evidence): number {
  if (!isHonest(evidence)) return 0;
  let judged = 0;
  for (const event of evidence.told) {
    const account = readAccount(event);
    if (account === null) continue;
    const wrong = compareWithBooks(evidence, event, account);
    if (wrong !== null) evidence.violate(`${event.subject} ${event.sequence} ${event.type}`, wrong);
    judged += 1;
  }
  return judged;
}

/** Null where nothing is told, or with a reserve. */
function readAccount({ data }: Told): Account | null {
  const said = (data.closeManifest ?? data.statement) as Record<string, unknown> | undefined;
  if (said === undefined || said.asOf === null) return null;
  const reserves = ['held', 'missing', 'asLastSeen', 'lookedAtBefore', 'membersUnknown'];
  const isSure =
    said.complete === true &&
    said.addsUp !== false &&
    reserves.every((name) => said[name] == null || said[name] === 0);
  const shares = (said.sharesDatesWith as readonly string[] | undefined) ?? [];
  if (!isSure || said.members === 'partly' || shares.length > 0) return null;
  return { ...said, hours: said.hoursToPay ?? said.hours } as unknown as Account;
}

function compareWithBooks(evidence: Evidence, event: Told, account: Account): string | null {
  const { world } = evidence.history;
  const from = Date.parse(account.asOf) - evidence.toleranceMs;
  const sums = new Map(Object.keys(VALUES).map((name) => [name as keyof Account, { least: 0, most: 0 }]));
  for (const record of world.truth.timesheets.values()) {
    const possible = statesIn(evidence, record, event, { from, to: event.at, account });
    if (possible.every((sheet) => sheet === null)) continue;
    for (const [name, value] of Object.entries(VALUES)) {
      const values = possible.map((sheet) => (sheet === null ? 0 : value(sheet)));
      const sum = sums.get(name as keyof Account) ?? { least: 0, most: 0 };
      sum.least += Math.min(...values);
      sum.most += Math.max(...values);
      sums.set(name as keyof Account, sum);
    }
  }
  for (const [name, { least, most }] of sums) {
    const said = Number(account[name]);
    if (said < least - 0.001 || said > most + 0.001)
      return `says ${name} ${said}, and the books have ${least} to ${most}`;
  }
  return null;
}

const VALUES: Readonly<Record<string, (sheet: RawRecord) => number>> = {
  timesheets: () => 1,
  hours: ({ hoursToPay }) => Number(hoursToPay),
  unapproved: ({ approvedHours }) => Number(approvedHours === null),
  unprocessed: ({ processed }) => Number(processed === null),
};

/** As what a timesheet may have been counted: null for not at all. */
function statesIn(
  { history }: Evidence,
  record: TrackedRecord,
  { subject, data }: Told,
  { from, to, account }: { readonly from: number; readonly to: number; readonly account: Account },
): (RawRecord | null)[] {
  const { startDate, finishDate } = data.current as {
    readonly startDate: string;
    readonly finishDate: string;
  };
  const { books } = history.world;
  return versionsBetween(record, from, to).flatMap(({ raw }) => {
    if (raw === null || String(raw.date) < startDate || String(raw.date) > finishDate) return [null];
    if (account.members === 'all') return [raw];
    // Whoever changes calendar is of the one or the other, until he is asked about again.
    if (books.changes.has(String(raw.employeeId))) return [raw, null];
    const period = { id: subject, startDate, finishDate };
    return [belongsTo(books, { sheet: raw, period, at: to }) ? raw : null];
  });
}
