import * as z from 'zod';
import type { Delivered } from '#local/run/session/delivery.ts';
import type { ChangeKind } from '#local/source/company/changes.ts';
import type { Company } from '#local/source/company/company.ts';
import type { HistoryEntry } from '#local/source/company/world.ts';
import { addDays } from '#shared/core/dates.ts';
import { comparePositions } from '#shared/core/events/event-order.ts';

const eventSchema = z.looseObject({
  id: z.string(),
  type: z.string(),
  subject: z.string().default(''),
  epoch: z.string().optional(),
  sequence: z.int(),
  data: z.looseObject({
    feed: z.string().optional(),
    current: z.looseObject({}).nullish(),
    observed: z.object({ after: z.string().nullable(), by: z.string() }).optional(),
  }),
});
type DrillEvent = z.output<typeof eventSchema>;

/** Types of events that a moment brings, without a change. */
const TOLD_BY_TIME: ReadonlySet<string> = new Set([
  'workforce.pay_period.readiness',
  'workforce.pay_period.statement',
  'workforce.pay_period.outstanding',
]);

/** What became of the changes that the company made in some time. */
export interface Verdict {
  readonly changes: number;
  readonly told: number;
  /** Undone, or changed again, before a poll could see them. */
  readonly unseen: number;
  /** Not told although the source still shows them. */
  readonly untold: readonly HistoryEntry[];
  /** Longest time from a change to its event at a subscriber, in milliseconds. */
  readonly maxDelayMs: number;
}

/** An event about the notifier's own operation. */
interface OperationNews {
  readonly id: string;
  /** Without the prefix `workforce.`. */
  readonly type: string;
  readonly feed: string;
}

/** Compares what a subscriber got with what the company did. */
export interface Ledger {
  /** Notes events that a subscriber got by an instant (ms since 1970). Returns those about operation. */
  note(delivered: readonly Delivered[], at: number): OperationNews[];
  /** Judges the changes from an instant until another one, both in milliseconds since 1970. */
  judge(from: number, until: number): Verdict;
  /** Events that came more than once, and events without a change. */
  readonly twice: string[];
  readonly invented: string[];
}

interface LedgerOptions {
  readonly company: Company;
  /** Days around today. */
  readonly window: { readonly backDays: number; readonly forwardDays: number };
}

interface Told {
  readonly event: DrillEvent;
  readonly at: number;
  readonly state: RecordState;
}

/** Begins with the present state of the company, which subscribers are taken to know. */
export function openLedger(options: LedgerOptions): Ledger {
  const { company } = options;
  const records = () => [...company.timesheets(), ...company.payPeriods()];
  const known = new Map(records().map((record) => [record.id, describeRecord(record)]));
  const dates = watchDates(company);
  const toldOf = new Map<string, Told[]>();
  const ids = new Set<string>();
  const ledger = { twice: [] as string[], invented: [] as string[] };
  return {
    ...ledger,
    note: (delivered, at) => {
      dates.update();
      const events = delivered.map(({ text }) => eventSchema.parse(JSON.parse(text)));
      for (const event of events) {
        if (ids.has(event.id)) ledger.twice.push(event.id);
        ids.add(event.id);
        if (!isOfRecord(event)) continue;
        const explained = company.history.some((entry) => explains(entry, event));
        if (!explained && !TOLD_BY_TIME.has(event.type)) ledger.invented.push(event.id);
        const told = toldOf.get(event.subject) ?? [];
        told.push({ event, at, state: describeRecord(event.data.current) });
        told.sort((a, b) => comparePositions(a.event, b.event));
        toldOf.set(event.subject, told);
      }
      return events.filter((event) => !isOfRecord(event)).map(toNews);
    },
    judge: (from, until) => {
      const changes = company.history.filter(
        (entry) => entry.at >= from && entry.at < until && isWatched(dates.of(entry.id), options),
      );
      return addUp(
        changes.map((entry) => judgeChange(entry, { company, known, told: toldOf.get(entry.id) ?? [] })),
      );
    },
  };
}

function isOfRecord({ subject, data }: DrillEvent): boolean {
  return data.observed !== undefined && subject !== '';
}

function toNews({ id, type, data }: DrillEvent): OperationNews {
  const { feed = '' } = data;
  return { id, type: type.replace('workforce.', ''), feed };
}

/** Whether an event may be about a change: it is of the same record, and seen between the two reads. */
function explains({ id, at }: HistoryEntry, { subject, data: { observed } }: DrillEvent): boolean {
  if (id !== subject || observed === undefined) return false;
  const { after, by } = observed;
  return (after === null || at >= Math.floor(Date.parse(after))) && at <= Date.parse(by);
}

interface Outcome {
  readonly entry: HistoryEntry;
  readonly outcome: 'told' | 'unseen' | 'untold';
  readonly delayMs: number;
}

function judgeChange(
  entry: HistoryEntry,
  {
    company,
    known,
    told,
  }: {
    readonly company: Company;
    readonly known: ReadonlyMap<string, RecordState>;
    readonly told: readonly Told[];
  },
): Outcome {
  const aspect = CHANGED_ASPECT[entry.change];
  const before = (index: number) => told[index - 1]?.state ?? known.get(entry.id) ?? NO_RECORD;
  const telling = told.find(
    ({ event, state }, index) => explains(entry, event) && state[aspect] !== before(index)[aspect],
  );
  if (telling !== undefined) return { entry, outcome: 'told', delayMs: telling.at - entry.at };
  const truth = describeRecord(company.timesheet(entry.id) ?? company.payPeriod(entry.id));
  const same = truth[aspect] === before(told.length)[aspect];
  return { entry, outcome: same ? 'unseen' : 'untold', delayMs: 0 };
}

function addUp(outcomes: readonly Outcome[]): Verdict {
  const count = (wanted: Outcome['outcome']) => outcomes.filter(({ outcome }) => outcome === wanted).length;
  return {
    changes: outcomes.length,
    told: count('told'),
    unseen: count('unseen'),
    untold: outcomes.flatMap(({ entry, outcome }) => (outcome === 'untold' ? [entry] : [])),
    maxDelayMs: Math.max(0, ...outcomes.map(({ delayMs }) => delayMs)),
  };
}

/** Remembers the dates of timesheets, also of those that were removed. */
function watchDates(company: Company) {
  const dates = new Map(company.timesheets().map(({ id, date }) => [id, date]));
  let seen = company.history.length;
  return {
    update: () => {
      for (const { id } of company.history.slice(seen)) {
        const date = company.timesheet(id)?.date;
        if (date !== undefined) dates.set(id, date);
      }
      seen = company.history.length;
    },
    of: (id: string) => company.timesheet(id)?.date ?? dates.get(id),
  };
}

/** A date outside the window is not read. Pay periods have none, nor has what was created and removed in one minute. */
function isWatched(date: string | undefined, { company, window }: LedgerOptions): boolean {
  if (date === undefined) return true;
  const today = company.today();
  return addDays(today, -window.backDays) <= date && date <= addDays(today, window.forwardDays);
}

/** An aspect of a record that one kind of change sets. */
type Aspect =
  | 'approvedHours'
  | 'approvedPayroll'
  | 'clockIn'
  | 'clockOut'
  | 'closed'
  | 'exists'
  | 'plan'
  | 'processed';

/** The aspects of a record as text, of the source and of an event alike: they have the same names. */
export type RecordState = Readonly<Record<Aspect, string>>;

const NOTHING = 'null';

export const NO_RECORD: RecordState = {
  approvedHours: NOTHING,
  approvedPayroll: NOTHING,
  clockIn: NOTHING,
  clockOut: NOTHING,
  closed: NOTHING,
  exists: NOTHING,
  plan: NOTHING,
  processed: NOTHING,
};

export function describeRecord(record: object | null | undefined): RecordState {
  if (record === null || record === undefined) return NO_RECORD;
  const members = record as Readonly<Record<string, unknown>>;
  const text = (value: unknown) => JSON.stringify(value ?? null);
  const timeOf = (clock: unknown) =>
    text(clock === null || typeof clock !== 'object' ? null : (clock as { localTime?: unknown }).localTime);
  const { date, startTime, finishTime, hoursToPay, calendar, startDate, finishDate } = members;
  return {
    approvedHours: text(members.approvedHours),
    approvedPayroll: text(members.approvedPayroll),
    clockIn: timeOf(members.clockIn),
    clockOut: timeOf(members.clockOut),
    closed: text(members.closed),
    exists: text(true),
    plan: text([date, startTime, finishTime, hoursToPay, calendar, startDate, finishDate]),
    processed: text(members.processed),
  };
}

const CHANGED_ASPECT: Readonly<Record<ChangeKind, Aspect>> = {
  approve: 'approvedHours',
  'revoke-approval': 'approvedHours',
  'approve-payroll': 'approvedPayroll',
  'revoke-payroll-approval': 'approvedPayroll',
  process: 'processed',
  'revert-processing': 'processed',
  'clock-in': 'clockIn',
  'correct-clock-in': 'clockIn',
  'remove-clock-in': 'clockIn',
  'clock-out': 'clockOut',
  'correct-clock-out': 'clockOut',
  'remove-clock-out': 'clockOut',
  create: 'exists',
  remove: 'exists',
  change: 'plan',
  'create-pay-period': 'exists',
  'remove-pay-period': 'exists',
  'change-pay-period': 'plan',
  'close-pay-period': 'closed',
  'reopen-pay-period': 'closed',
};
