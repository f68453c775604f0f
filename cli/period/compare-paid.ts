import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import type { Connection } from '#shared/config/schema/connection.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { Account } from '#shared/core/periods/account-data.ts';
import type { State } from '#shared/core/records/fields.ts';
import { covers } from '#shared/core/records/pay-period.ts';
import { roundNumber } from '#shared/core/records/values.ts';
import { walkRows } from '#shared/flow/stored-records.ts';
import { buildQueries, openEventLog } from '#shared/operator/log-query.ts';
import { openStore } from '#shared/operator/open-store.ts';
import { listReceivers, SYSTEMS } from '#shared/operator/receivers.ts';
import { readLogged } from '#shared/operator/send/events-to-send.ts';
import type { Target } from '#shared/operator/target.ts';
import { type AccountReader, listReserves } from '#shared/people/messages/account-sentences.ts';
import { formatChange } from '#shared/people/messages/numbers.ts';
import type { PeriodReading } from '#shared/period/reading.ts';
import { formatCommand } from '#shared/terminal/format-command.ts';
import { applyStyle, escapeUnprintable, print, table } from '#shared/terminal/output.ts';
import { findPeriod, TOLD_SINCE } from './find-period.ts';
import { readPaid } from './read-paid.ts';

/** Timesheets that a line lists; with --json all of them. */
const MAX_LISTED = 10;

/** What is to be paid for a pay period: hours that are ready. */
export interface Owed {
  /** By the ids of its own timesheets; 0 for one that is not ready. */
  readonly hours: ReadonlyMap<string, number>;
  /** Ids of those that were removed from its dates. */
  readonly removed: ReadonlySet<string>;
}

/** A timesheet on which the two differ. */
interface Difference {
  readonly timesheetId: string;
  readonly toPay: number;
  readonly paid: number;
  readonly removed: boolean;
}

export interface PaidComparison {
  readonly missing: readonly Difference[];
  readonly old: readonly Difference[];
  readonly tooMuch: readonly Difference[];
  readonly equal: number;
  /** What is to be paid, less what was. */
  readonly hours: number;
  /** Ids in the file that are not of this period. */
  readonly others: number;
}

interface CompareFlags {
  readonly file: string;
  readonly connection?: string;
  readonly json?: true;
}

/** Prints how what was paid differs from what is to be paid, and sets the exit code. Throws a `NotifierError`. */
export async function comparePaid(id: string, flags: CompareFlags, target: Target): Promise<void> {
  const paid = readPaid(await readFile(flags.file, 'utf8').catch(rethrow), flags.file);
  const { connection, reading } = await findPeriod(id, flags, target);
  const { name, timeZone } = connection;
  const { unknown } = reading;
  const owed = await readOwed(reading, { connection, paid, target });
  const comparison = compareHours(paid, owed);
  const same = comparison.missing.length + comparison.old.length + comparison.tooMuch.length === 0;
  if (!same) process.exitCode = 1;
  if (flags.json === true) {
    print(JSON.stringify({ id, connection: name, same, ...comparison, unknown }));
    return;
  }
  const { calendar, startDate, finishDate } = reading.period;
  print(
    applyStyle(
      'bold',
      escapeUnprintable(`pay period ${id} of ${name}: ${calendar} ${startDate} to ${finishDate}`),
    ),
    ...formatComparison(comparison).map(escapeUnprintable),
    ...listNotes(comparison, reading.account, { timeZone, now: Math.floor(target.system.now()) }),
    ...(same ? [] : adviseMending({ id, comparison }, target)),
  );
}

function rethrow(error: unknown): never {
  const why = error instanceof Error ? error.message : String(error);
  throw new NotifierError('paid_unreadable', `--compare cannot be read: ${why}`, { cause: error });
}

interface Known {
  readonly connection: Connection;
  readonly paid: ReadonlyMap<string, number>;
  readonly target: Target;
}

async function readOwed({ timesheets, period }: PeriodReading, known: Known): Promise<Owed> {
  const hours = new Map(timesheets.map(({ id, state }) => [id, countOwed(state)]));
  const gone = await readRemoved(period, known);
  return { hours, removed: new Set(gone.filter((id) => !hours.has(id))) };
}

/** Paid timesheets that the log tells to be removed from the dates of a period, and that are not stored again since. */
async function readRemoved(
  period: PeriodReading['period'],
  { connection, paid, target }: Known,
): Promise<string[]> {
  const removed = new Set<string>();
  const type = 'timesheet.removed';
  for (const query of buildQueries({ since: TOLD_SINCE, connection: connection.name, type }, target))
    for await (const { text } of readLogged(query, openEventLog(target), undefined)) {
      const { subject, data } = removedSchema.parse(JSON.parse(text));
      if (paid.has(subject) && covers(period, data.previous.date)) removed.add(subject);
    }
  if (removed.size === 0) return [];
  const selection = { feed: 'timesheets', ids: [...removed] } as const;
  for await (const { rows } of walkRows(connection.name, selection, openStore(target)))
    for (const { id } of rows) removed.delete(id);
  return [...removed];
}

const removedSchema = z.object({
  subject: z.string(),
  data: z.object({ previous: z.object({ date: z.string() }) }),
});

/** What was processed without an approval is paid already. */
function countOwed({ approvedHours, processed, hoursToPay }: State): number {
  const isReady = approvedHours != null || processed != null;
  return isReady && typeof hoursToPay === 'number' ? hoursToPay : 0;
}

/** Compares what was paid with what is to be paid, timesheet by timesheet. */
export function compareHours(paid: ReadonlyMap<string, number>, { hours, removed }: Owed): PaidComparison {
  const ids = [...new Set([...hours.keys(), ...removed])].sort();
  const all = ids.map((timesheetId): Difference => {
    const [toPay, had] = [hours.get(timesheetId) ?? 0, paid.get(timesheetId) ?? 0];
    return { timesheetId, toPay, paid: had, removed: removed.has(timesheetId) };
  });
  const different = all.filter((each) => each.toPay !== each.paid);
  return {
    missing: different.filter((each) => each.paid === 0),
    old: different.filter((each) => each.paid !== 0 && each.toPay !== 0),
    tooMuch: different.filter((each) => each.toPay === 0),
    equal: all.length - different.length,
    hours: sumMissing(different),
    others: [...paid.keys()].filter((id) => !hours.has(id) && !removed.has(id)).length,
  };
}

function sumMissing(differences: readonly Difference[]): number {
  return roundNumber(differences.reduce((sum, { toPay, paid }) => sum + toPay - paid, 0));
}

/** What differs, in readable lines. */
export function formatComparison({ missing, old, tooMuch, equal, hours }: PaidComparison): string[] {
  const isSame = missing.length + old.length + tooMuch.length === 0;
  return [
    ...table([
      describeKind('missing', missing, ({ toPay }) => `${toPay} h`),
      describeKind('old', old, ({ paid, toPay }) => `paid ${paid} h, to pay ${toPay} h`),
      describeKind('too much', tooMuch, ({ paid, removed }) => {
        return `paid ${paid} h, ${removed ? 'removed' : 'not ready'}`;
      }),
      ['equal', String(equal), '', ''],
    ]),
    '',
    isSame ? 'all is paid as it stands' : `to pay: ${formatChange(hours)} against what was paid`,
  ];
}

function describeKind(
  kind: string,
  differences: readonly Difference[],
  describe: (difference: Difference) => string,
): string[] {
  const listed = differences.slice(0, MAX_LISTED).map((each) => `${each.timesheetId} (${describe(each)})`);
  const more =
    differences.length > MAX_LISTED ? [`and ${differences.length - MAX_LISTED} more; --json lists all`] : [];
  const sum = differences.length === 0 ? '' : formatChange(sumMissing(differences));
  return [kind, String(differences.length), sum, [...listed, ...more].join(', ')];
}

function listNotes({ others }: PaidComparison, account: Account, reader: AccountReader): string[] {
  return [
    ...(others === 0 ? [] : [`${others} of other periods, or not known, not compared`]),
    ...listReserves(account, reader).map((reserve) => escapeUnprintable(`in doubt: ${reserve}`)),
  ];
}

/** The commands that send what the payer lacks, to each receiver that there is. */
function adviseMending(
  { id, comparison }: { readonly id: string; readonly comparison: PaidComparison },
  target: Target,
): string[] {
  const gone = comparison.tooMuch.filter(({ removed }) => removed).slice(0, MAX_LISTED);
  const isStored =
    comparison.missing.length + comparison.old.length + comparison.tooMuch.length > gone.length;
  const words = [
    ...(isStored ? [['--state', '--period', id]] : []),
    // What is stored no more is told by its events.
    ...gone.map(({ timesheetId }) => ['--events', '--record', timesheetId, '--since', TOLD_SINCE]),
  ];
  return listReceivers(SYSTEMS, target).flatMap(({ label }) =>
    words.map((each) => `to mend: ${formatCommand(target, 'send', ...each, '--to', label)}`),
  );
}
