import type { SentTotals } from '../journal.ts';
import { type Books, isOfCalendar } from '../world/books.ts';
import type { Evidence, Told } from './evidence.ts';
import type { Watched } from './reading.ts';

/** The manifest of a closing, as far as it can be compared with published events. */
export interface Manifest {
  /** Dates whose latest look began before the closing was seen. */
  readonly lookedAtBefore?: unknown;
  readonly complete: boolean;
  readonly asOf: string | null;
  readonly timesheets: number;
  readonly employees: number;
  readonly approved: number;
  readonly unapproved: number;
  readonly processed: number;
  readonly unprocessed: number;
  readonly hoursToPay: number;
  readonly leftovers: readonly Leftover[];
  readonly sharesDatesWith: readonly string[];
  readonly members: 'all' | 'asked' | 'partly';
  readonly membersUnknown: number;
  readonly source: Totals | null;
  readonly addsUp: boolean | null;
  readonly difference: Totals | null;
  readonly departments: number;
  readonly byDepartment: readonly (Totals & { readonly unapproved: number; readonly unprocessed: number })[];
}

interface Totals {
  readonly timesheets: number;
  readonly employees: number;
  readonly hours: number;
}

interface Leftover {
  readonly timesheetId: string;
  readonly employeeId: string;
  readonly hours: number;
  readonly epoch?: string;
  readonly sequence: number;
  readonly approved: boolean;
  readonly processed: boolean;
}

export const MAX_LEFTOVERS = 50;

/** What a closing was counted as; null when there was no time. */
export function countedManifest({ data }: Told): Manifest | null {
  return (data.closeManifest as Manifest | undefined) ?? null;
}

/** What is wrong with a manifest; null when nothing is, or without a manifest. */
export function wrongManifest(event: Told, manifest: unknown, evidence: Evidence): string | null {
  if (manifest === undefined) return null;
  if (event.type !== 'pay_period.closed') return `a close manifest on ${event.type}`;
  const counted = manifest as Manifest;
  return (
    wrongNumbers(counted) ??
    wrongDepartments(counted) ??
    wrongMembers(counted, event, evidence) ??
    wrongSource(counted, event, evidence) ??
    wrongLeftovers(counted, event.data.current as Watched, evidence)
  );
}

function wrongNumbers(manifest: Manifest): string | null {
  const { timesheets, employees, approved, unapproved, processed, unprocessed, leftovers } = manifest;
  if (
    approved + unapproved !== timesheets ||
    processed + unprocessed !== timesheets ||
    employees > timesheets
  )
    return `the numbers of the manifest do not add up: ${JSON.stringify(manifest)}`;
  const least = Math.min(MAX_LEFTOVERS, Math.max(unapproved, unprocessed));
  const most = Math.min(MAX_LEFTOVERS, unapproved + unprocessed);
  if (leftovers.length < least || leftovers.length > most)
    return `${leftovers.length} leftovers, between ${least} and ${most} are due`;
  return null;
}

/** The departments of a manifest are the whole of it. */
function wrongDepartments({ byDepartment, departments, hoursToPay, ...manifest }: Manifest): string | null {
  const sum = (name: 'timesheets' | 'hours' | 'unapproved' | 'unprocessed') =>
    byDepartment.reduce((total, each) => total + each[name], 0);
  const isWhole =
    departments === byDepartment.length &&
    (['timesheets', 'unapproved', 'unprocessed'] as const).every((name) => sum(name) === manifest[name]) &&
    Math.abs(sum('hours') - hoursToPay) < 0.001;
  return isWhole ? null : `the departments are ${JSON.stringify(byDepartment)}, which is not the whole`;
}

/**
 * Where the source was asked, leftovers are its own: of employees of a calendar that the period had at some time. The
 * source may have given a timesheet to another employee since the poll that stored it.
 */
function wrongMembers(manifest: Manifest, { envelope }: Told, evidence: Evidence): string | null {
  const { members, membersUnknown, leftovers, sharesDatesWith } = manifest;
  if ((members === 'partly') !== membersUnknown > 0) return `${members}, but ${membersUnknown} are unknown`;
  if (members === 'all') return null;
  if (sharesDatesWith.length > 0) return 'its own timesheets were asked for, and those of others are counted';
  const { truth, books } = evidence.history.world;
  const periods = truth['pay-periods'].get(String(envelope.subject))?.versions ?? [];
  const isOwn = (employeeId: unknown) =>
    periods.some(({ record }) =>
      wasOfCalendar(books, { employeeId: String(employeeId), calendar: record?.calendar }),
    );
  const stranger = leftovers.find(
    ({ timesheetId }) =>
      !truth.timesheets.get(timesheetId)?.versions.some(({ record }) => isOwn(record?.employeeId)),
  );
  return stranger === undefined ? null : `${stranger.timesheetId} belongs to another calendar`;
}

/** Whether an employee was in a calendar at some time. */
function wasOfCalendar(
  books: Books,
  who: { readonly employeeId: string; readonly calendar: unknown },
): boolean {
  const changes = books.changes.get(who.employeeId) ?? [];
  return [0, ...changes].some((at) => isOfCalendar(books, { ...who, at }));
}

/** Longer than a poll takes from its list to its commit. */
const MAX_POLL_MS = 65_000;

/** What the source said a period comes to at the time of an event: last, or to a poll that still ran. */
function currentTotals(id: string, by: number, { history, isUncertain }: Evidence): readonly SentTotals[] {
  const sent = history.journal.totals.get(id) ?? [];
  if (isUncertain) return sent;
  const before = sent.filter(({ at }) => at <= by);
  const last = before.at(-1)?.at ?? 0;
  return before.filter(({ at }) => at >= last - MAX_POLL_MS);
}

/** What the source says of a period must be what it said then, and be compared where no other period is counted too. */
function wrongSource(manifest: Manifest, { envelope, by }: Told, evidence: Evidence): string | null {
  const { source, addsUp, difference, sharesDatesWith, members, timesheets, employees, hoursToPay } =
    manifest;
  const said = currentTotals(String(envelope.subject), by, evidence).some(
    ({ totals }) =>
      totals.hours === source?.hours &&
      totals.numberEmployees === source?.employees &&
      totals.numberTimesheets === source?.timesheets,
  );
  // A period that the list left out, and that was read by its id, comes without totals.
  if (source !== null && !said) return `the source never said ${JSON.stringify(source)}`;
  if (source === null || sharesDatesWith.length > 0 || members === 'partly')
    return addsUp === null && difference === null ? null : 'what cannot be compared is compared';
  const apart = {
    timesheets: timesheets - source.timesheets,
    employees: employees - source.employees,
    // Without the noise of taking fractions apart.
    hours: Math.round((hoursToPay - source.hours) * 10_000) / 10_000,
  };
  const isEqual = apart.timesheets === 0 && apart.employees === 0 && Math.abs(apart.hours) < 0.01;
  const isRight =
    addsUp === isEqual &&
    difference?.timesheets === apart.timesheets &&
    difference.employees === apart.employees &&
    Math.abs(difference.hours - apart.hours) < 0.001;
  return isRight ? null : `the difference is ${JSON.stringify(difference)}, due is ${JSON.stringify(apart)}`;
}

function wrongLeftovers({ leftovers }: Manifest, period: Watched, evidence: Evidence): string | null {
  for (const leftover of leftovers) {
    const { timesheetId, epoch, sequence, approved, processed } = leftover;
    if (approved && processed) return `${timesheetId} is no leftover`;
    const told = evidence.told.timesheets
      .get(timesheetId)
      ?.find((each) => each.epoch === epoch && each.sequence === sequence);
    // Sequence 0: part of the baseline, without an event since.
    if (told === undefined && (sequence === 0 || evidence.isCommitted(timesheetId, sequence))) continue;
    const wrong = told === undefined ? 'was never told' : wrongLeftover(leftover, told, period);
    if (wrong !== null) return `leftover ${timesheetId} with sequence ${sequence} ${wrong}`;
  }
  return null;
}

/** A leftover must have the state of the event with its sequence, on a date of the period. */
function wrongLeftover({ approved, processed }: Leftover, { data }: Told, period: Watched): string | null {
  const told = data.current as Watched | null;
  if (told === null) return 'was removed by that event';
  if ((told.approvedHours !== null) !== approved || (told.processed !== null) !== processed)
    return 'is not as that event told it';
  const date = String(told.date);
  if (date < String(period.startDate) || date > String(period.finishDate)) return `is on ${date}, outside`;
  return null;
}
