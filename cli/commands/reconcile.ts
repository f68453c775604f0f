import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import * as z from 'zod';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import { toIso } from '#shared/core/dates.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { toPosition } from '#shared/core/events/envelope.ts';
import { compareEpochs } from '#shared/core/events/event-order.ts';
import { formatCount } from '#shared/core/messages/numbers.ts';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import { feedDefinition, toState } from '#shared/core/records/feed-definition.ts';
import { roundNumber } from '#shared/core/records/values.ts';
import type { LeafRow } from '#shared/core/snapshot/snapshot.ts';
import type { EventLog } from '#shared/flow/event-log.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import { selectRecords, walkLeaves } from '#shared/flow/stored-records.ts';
import { openEventLog } from '#shared/operator/log-query.ts';
import { createUnknownPeriodError } from '#shared/operator/statement/members.ts';
import {
  selectConnections,
  type Target,
  type TargetFlags,
  toTableOptions,
  type WithTarget,
} from '#shared/operator/target.ts';
import { readStoredAccount } from '#shared/statements/flow/stored-account.ts';
import { formatCommand } from '#shared/terminal/format-command.ts';
import { applyStyle, escapeUnprintable, print, table } from '#shared/terminal/output.ts';
import { addTargetOptions } from '../options.ts';
import {
  type Comparison,
  compareHoldings,
  type Difference,
  type FindHours,
  isEqual,
  type StoredPeriod,
  type StoredTimesheet,
} from '../reconcile/compare-holdings.ts';
import { type Holding, readHoldings } from '../reconcile/read-holdings.ts';

interface ReconcileFlags extends TargetFlags {
  readonly period: string;
  readonly have: string;
  readonly connection?: string;
}

const STANDARD_INPUT = '-';
const DAY_MS = 86_400_000;

const HELP = `
Compares what a subscriber has of a pay period with what is stored. The file has a line
of JSON for each timesheet: {"id":"101206_1","epoch":"2026-11-08T18:58:00.000Z",
"sequence":5}, as fold of the package keeps them, and hoursToPay where its hours are to
be compared too. What it has of an event that is not the latest is worth the hours of
that event, as far as the log has them.

missing: stored, not in the file. behind: the file has an earlier event, or what was
removed. ahead: the file has a later event. unknown: in the file, not stored. What is
stored of other periods is counted, and not compared, so that the file may have
everything. The digest is the one of closeManifest: statementDigest of the package gives the
same for folded states, so that two equal digests prove the whole period.

send --state --period sends what is stored. The exit code is 0 when all is equal, else 1.

Examples:
  $ npm run notifier -- reconcile --period 9013_1 --have mine.ndjson
  $ npm run notifier -- reconcile --period 9013_1 --have - --json`;

export function reconcileCommand(withTarget: WithTarget): Command {
  const command = new Command('reconcile')
    .summary('compare what a subscriber has of a pay period with what is stored')
    .description('Compares what a subscriber has of a pay period with what is stored.')
    .requiredOption('--period <id>', 'id of a pay period')
    .requiredOption('--have <file>', 'what the subscriber has, a line of JSON each; - reads standard input')
    .option('--connection <name>', 'only this connection (default: all)')
    .addHelpText('after', HELP);
  return addTargetOptions(command).action(async (flags: ReconcileFlags) => {
    const holdings = await readHave(flags.have);
    await withTarget(flags, (target) => reconcile(flags, holdings, target));
  });
}

/** Prints what differs, and sets the exit code. Throws a `NotifierError`. */
async function reconcile(
  flags: ReconcileFlags,
  holdings: ReadonlyMap<string, Holding>,
  target: Target,
): Promise<void> {
  const period = await findPeriod(flags, target);
  const comparison = await compare(period, holdings, target);
  const { id, connection, unsure, unread } = period;
  if (flags.json === true)
    print(
      JSON.stringify({ period: id, connection, same: isEqual(comparison), ...comparison, unsure, unread }),
    );
  else print(...formatComparison(period, comparison, holdings.size));
  if (isEqual(comparison)) return;
  process.exitCode = 1;
  if (flags.json !== true) print(...adviseRepair(flags, comparison, target));
}

async function readHave(file: string): Promise<Map<string, Holding>> {
  const contents =
    file === STANDARD_INPUT ? await text(process.stdin) : await readFile(file, 'utf8').catch(rethrow);
  return readHoldings(contents, file === STANDARD_INPUT ? 'standard input' : file);
}

function rethrow(error: unknown): never {
  const why = error instanceof Error ? error.message : String(error);
  throw new NotifierError('have_unreadable', `--have cannot be read: ${why}`, { cause: error });
}

async function findPeriod({ period, connection }: ReconcileFlags, target: Target): Promise<KnownPeriod> {
  const store = createDynamoSnapshotStore(toTableOptions(target));
  const found: KnownPeriod[] = [];
  for (const { name } of selectConnections(target.connections, connection)) {
    const known = await readStoredPeriod(period, name, store);
    if (known !== null) found.push(known);
  }
  const [only, ...others] = found;
  if (only === undefined) throw createUnknownPeriodError(period);
  if (others.length === 0) return only;
  const names = found.map((each) => each.connection).join(', ');
  throw new NotifierError(
    'period_ambiguous',
    `pay period ${period} is in ${names}; choose one with --connection`,
  );
}

async function compare(
  period: KnownPeriod,
  holdings: ReadonlyMap<string, Holding>,
  target: Target,
): Promise<Comparison> {
  const store = createDynamoSnapshotStore(toTableOptions(target));
  const others = [...holdings.keys()].filter((id) => !period.timesheets.has(id));
  const compared = { ...period, elsewhere: await findStored(others, period.connection, store) };
  const without = compareHoldings(holdings, compared, () => null);
  const wanted = new Map(
    [...without.behind, ...without.unknown].flatMap(({ id, hours }) => {
      const holding = holdings.get(id);
      return hours === null && holding !== undefined ? [[id, holding] as const] : [];
    }),
  );
  const to = Math.floor(target.system.now());
  const { retentionDays = 0 } = target.connections.find(({ name }) => name === period.connection) ?? {};
  const range = { from: to - retentionDays * DAY_MS, to };
  const log = openEventLog(target);
  const findHours = await readFormerHours(period.connection, wanted, { log, range });
  return compareHoldings(holdings, compared, findHours);
}

function adviseRepair(
  { period }: ReconcileFlags,
  { missing, behind, unknown }: Comparison,
  target: Target,
): string[] {
  if (missing.length + behind.length + unknown.length === 0) return [];
  return [`to repair: ${formatCommand(target, 'send', '--state', '--period', period, '--to', '<name>')}`];
}

const eventSchema = z.looseObject({
  subject: z.string(),
  epoch: z.string().optional(),
  sequence: z.int().min(1),
  time: z.string(),
  data: z.looseObject({
    current: z.looseObject({ hoursToPay: z.number() }).nullable(),
    previous: z.looseObject({ hoursToPay: z.number().optional() }).nullable(),
  }),
});
type LoggedEvent = z.output<typeof eventSchema>;

/** The hours that timesheets had earlier, from the events since, as far as the log reaches back. */
export async function readFormerHours(
  connection: string,
  wanted: ReadonlyMap<string, Holding>,
  { log, range }: { readonly log: EventLog; readonly range: { readonly from: number; readonly to: number } },
): Promise<FindHours> {
  const events = new Map<string, LoggedEvent[]>();
  if (wanted.size > 0) {
    for await (const { texts } of log.read({ connection, feed: 'timesheets' }, range)) {
      for (const text of texts) {
        const event = eventSchema.safeParse(parseJsonOrNull(text));
        if (!(event.success && wanted.has(event.data.subject))) continue;
        const { subject } = event.data;
        events.set(subject, [...(events.get(subject) ?? []), event.data]);
      }
    }
  }
  return (holding) => findHoursAt(holding, events.get(holding.id) ?? []);
}

/**
 * From the event itself, else from the next one: what it changed, or what it left. Events of one look all show the record
 * after the last of them, so that any of those may say what it was before.
 */
function findHoursAt({ epoch, sequence }: Holding, events: readonly LoggedEvent[]): number | null {
  const bySequence = new Map(
    events.filter((event) => compareEpochs(event.epoch, epoch) === 0).map((event) => [event.sequence, event]),
  );
  const own = bySequence.get(sequence)?.data.current;
  if (own != null) return own.hoursToPay;
  const next = bySequence.get(sequence + 1);
  if (next === undefined) return null;
  for (let at = sequence + 1; bySequence.get(at)?.time === next.time; at += 1) {
    const before = bySequence.get(at)?.data.previous?.hoursToPay;
    if (before !== undefined) return before;
  }
  return next.data.current?.hoursToPay ?? null;
}

/** Ids that a line lists; with --json all of them. */
const MAX_LISTED = 10;

/** What differs, in readable lines. `have`: how many timesheets the subscriber has. */
export function formatComparison(period: KnownPeriod, comparison: Comparison, have: number): string[] {
  const { id, connection, calendar, startDate, finishDate, timesheets } = period;
  const { digests, hours, hoursUnknown } = comparison;
  const stored = roundNumber([...timesheets.values()].reduce((sum, { hoursToPay }) => sum + hoursToPay, 0));
  const unknown = hoursUnknown === 0 ? '' : `, without ${hoursUnknown} whose hours are not known`;
  return [
    applyStyle('bold', `pay period ${id} of ${connection}: ${calendar} ${startDate} to ${finishDate}`),
    ...table([
      ['stored', formatCount(timesheets.size, 'timesheet'), `${stored} h`, `digest ${digests.stored}`],
      [
        'have',
        formatCount(have, 'timesheet'),
        '',
        digests.have === null
          ? 'no digest, since hoursToPay is missing where it differs'
          : `digest ${digests.have}`,
      ],
    ]),
    '',
    ...table([
      describeKind('missing', comparison.missing),
      describeKind('behind', comparison.behind),
      describeKind('ahead', comparison.ahead),
      describeKind('unknown', comparison.unknown),
      describeKind('other hours', comparison.contradicting),
      ['equal', String(comparison.equal), '', ''],
    ]),
    '',
    isEqual(comparison)
      ? 'equal'
      : `different: ${describeHours(hours)} stored, against what you have${unknown}`,
    ...listNotes(period, comparison),
  ].map(escapeUnprintable);
}

function describeKind(name: string, differences: readonly Difference[]): string[] {
  const known = differences.flatMap(({ hours }) => hours ?? []);
  const hours = known.length === 0 ? '' : describeHours(known.reduce((sum, each) => sum + each, 0));
  const listed = differences.slice(0, MAX_LISTED).map(describeDifference).join(', ');
  const more =
    differences.length > MAX_LISTED ? ` and ${differences.length - MAX_LISTED} more; --json lists all` : '';
  return [name, String(differences.length), hours, `${listed}${more}`];
}

/** `101206_1 (has 3, stored 5)`. */
function describeDifference({ id, stored, have, removed }: Difference): string {
  if (removed === true) return `${id} (has ${have?.sequence}, removed)`;
  if (stored === null || have === null) return id;
  const epochs = stored.epoch === have.epoch ? '' : `, stored epoch ${stored.epoch ?? 'none'}`;
  return `${id} (has ${have.sequence}, stored ${stored.sequence}${epochs})`;
}

function describeHours(hours: number): string {
  return `${hours < 0 ? '' : '+'}${roundNumber(hours)} h`;
}

function listNotes({ unsure, unread }: KnownPeriod, { elsewhere }: Comparison): string[] {
  return [
    ...(elsewhere.length === 0 ? [] : [`${elsewhere.length} of other periods, not compared`]),
    ...(unsure.length === 0
      ? []
      : [`left out: ${formatCount(unsure.length, 'timesheet')} whose pay period is not known yet`]),
    ...(unread.length === 0
      ? []
      : [`never read completely: ${unread.length} of its dates, ${unread[0]} to ${unread.at(-1)}`]),
  ];
}

/** A pay period as it is stored, with its own timesheets. */
interface KnownPeriod extends StoredPeriod {
  readonly id: string;
  readonly connection: string;
  readonly calendar: string;
  readonly startDate: string;
  readonly finishDate: string;
  /** Timesheets on its dates of which it is not known to which period they belong: left out. */
  readonly unsure: readonly string[];
  /** Dates that were never read completely. */
  readonly unread: readonly string[];
}

/** Null when the connection has no such pay period. */
export async function readStoredPeriod(
  id: string,
  connection: string,
  store: SnapshotStore,
): Promise<KnownPeriod | null> {
  const stored = await readStoredAccount(id, connection, store);
  if (stored === null) return null;
  const { period, account, kept, unsure } = stored;
  const { calendar, startDate, finishDate } = period;
  const tombstones = kept.flatMap((date) => date.tombstones);
  const unread = account.views.filter(({ lookedAt }) => lookedAt === null).map(({ slice }) => slice);
  return {
    ...{ id, connection, calendar, startDate, finishDate, unsure, unread },
    timesheets: new Map(kept.flatMap(({ own }) => own).map((row) => [row.id, toStored(row)])),
    removed: new Map(tombstones.map(({ id: gone, ...tombstone }) => [gone, toPosition(tombstone)])),
  };
}

/** Those of the timesheets with these ids that are stored, on whatever date. */
async function findStored(
  ids: readonly string[],
  connection: string,
  store: SnapshotStore,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  if (ids.length === 0) return found;
  const selection = { feed: 'timesheets', ids } as const;
  for await (const leaf of walkLeaves(connection, selection, store))
    for (const record of selectRecords(leaf, selection)) if ('state' in record) found.add(record.id);
  return found;
}

function toStored({ id, state, sequence, epoch }: LeafRow): StoredTimesheet {
  const { hoursToPay } = toState(feedDefinition('timesheets'), state);
  const hours = typeof hoursToPay === 'number' ? hoursToPay : 0;
  return { id, sequence, hoursToPay: hours, epoch: toIso(epoch) };
}
