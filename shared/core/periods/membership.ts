import { hash } from 'node:crypto';
import * as z from 'zod';
import { isMisdated } from '../clock-tolerance.ts';
import { groupBy } from '../group-by.ts';

/** What the source answered last when it was asked for the pay calendar of an employee. */
const employeeMembershipSchema = z.object({
  /** Name of the pay calendar; null when no single one is known. */
  calendar: z.string().nullable(),
  /** The pay period whose answer named the calendar; without one, the period that was asked about last. */
  periodId: z.string(),
  /** When the source was asked last, in milliseconds since 1970. */
  askedAt: z.number(),
  /** Answers in a row that named no calendar, and of a known one questions in a row that failed; absent for none. */
  tries: z.int().optional(),
  /** When the answer came that named the calendar; absent for `askedAt`. */
  namedAt: z.number().optional(),
  /** By pay period: when the source answered about it since, without naming a calendar; absent for none. */
  besides: z.record(z.string(), z.number()).optional(),
});
export type EmployeeMembership = z.output<typeof employeeMembershipSchema>;

/** When the source last said what is known; a question that failed, or was about another period, says none of it. */
export function namedAtOf({ namedAt, askedAt }: EmployeeMembership): number {
  return namedAt ?? askedAt;
}

/**
 * Which employee is paid by which calendar, as far as it was asked. A cache: what is lost of it is asked again, and
 * what is not in it is unknown.
 */
export interface Membership {
  /** By the id of the employee. */
  readonly employees: ReadonlyMap<string, EmployeeMembership>;
  /** By pay period: when all employees on its dates had been asked or were not yet to be asked again. */
  readonly surveys: ReadonlyMap<string, number>;
}

export const NO_MEMBERSHIP: Membership = { employees: new Map(), surveys: new Map() };

/** Rows that store the membership of a connection. */
const MEMBERSHIP_BUCKETS = 16;
/**
 * An employee who was not asked about for so long is forgotten: three of the longest pay periods, so that the last
 * period of somebody who left is settled long before. Who still has timesheets is asked about again (`isDueToAsk`).
 */
export const MEMBERSHIP_RETENTION_MS = 186 * 86_400_000;
/** Bounds a row to about 100 KB; beyond it, those asked longest ago are forgotten. */
const MAX_EMPLOYEES_PER_BUCKET = 4_000;

/** One of the rows. */
export const membershipBucketSchema = z.object({
  employees: z.record(z.string(), employeeMembershipSchema),
  /** In the first row only. */
  surveys: z.record(z.string(), z.number()).optional(),
});
export interface MembershipBucket extends z.output<typeof membershipBucketSchema> {
  /** From 0 to 15. */
  readonly index: number;
}

export function joinBuckets(buckets: Iterable<Omit<MembershipBucket, 'index'>>): Membership {
  const employees = new Map<string, EmployeeMembership>();
  const surveys = new Map<string, number>();
  for (const bucket of buckets) {
    for (const [id, entry] of Object.entries(bucket.employees)) employees.set(id, entry);
    for (const [id, at] of Object.entries(bucket.surveys ?? {})) surveys.set(id, at);
  }
  return { employees, surveys };
}

/** What a poll learned, over what was stored. */
export interface MembershipUpdate {
  /** In milliseconds since 1970. */
  readonly now: number;
  readonly employees: ReadonlyMap<string, EmployeeMembership>;
  /** All surveys, when they changed. */
  readonly surveys?: ReadonlyMap<string, number>;
}

/** The rows that an update changes, whole, without employees who were last asked about too long ago. */
export function updateBuckets(
  stored: Membership,
  { now, employees, surveys }: MembershipUpdate,
): MembershipBucket[] {
  const changed = new Set([...employees.keys()].map(findBucket));
  if (surveys !== undefined) changed.add(0);
  const known = [...stored.employees].filter(([, entry]) => isKept(entry, now));
  const kept = new Map([...known, ...employees]);
  const all = groupBy(kept, ([id]) => findBucket(id));
  return [...changed]
    .sort((a, b) => a - b)
    .map((index) => ({
      index,
      employees: Object.fromEntries(keepLatest(all.get(index) ?? [])),
      ...(index === 0 ? { surveys: Object.fromEntries(surveys ?? stored.surveys) } : {}),
    }));
}

function isKept(entry: EmployeeMembership, now: number): boolean {
  const { askedAt } = entry;
  return now - askedAt < MEMBERSHIP_RETENTION_MS && !isMisdated(Math.max(askedAt, namedAtOf(entry)), now);
}

/** When everything in a row has ended, in milliseconds since 1970. */
export function computeBucketEnd({ employees, surveys = {} }: Omit<MembershipBucket, 'index'>): number {
  const instants = [...Object.values(employees).map(({ askedAt }) => askedAt), ...Object.values(surveys)];
  return instants.reduce((latest, at) => Math.max(latest, at), 0) + MEMBERSHIP_RETENTION_MS;
}

type Entry = readonly [id: string, entry: EmployeeMembership];

function keepLatest(entries: readonly Entry[]): readonly Entry[] {
  if (entries.length <= MAX_EMPLOYEES_PER_BUCKET) return entries;
  return entries.toSorted(([, a], [, b]) => b.askedAt - a.askedAt).slice(0, MAX_EMPLOYEES_PER_BUCKET);
}

function findBucket(employeeId: string): number {
  return Number.parseInt(hash('sha256', employeeId, 'hex').slice(0, 8), 16) % MEMBERSHIP_BUCKETS;
}
