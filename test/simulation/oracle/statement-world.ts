import type { RawRecord } from '../world/truth.ts';
import type { Evidence, Told } from './evidence.ts';
import type { StatementData } from './statements.ts';

/** By then everything is committed that happened before it was quiet. */
const SETTLED_AFTER_MS = 95 * 60_000;

interface Story {
  readonly story: readonly Told[];
  readonly closed: StatementData | null;
}

/**
 * What a statement says is what the world was: each change that it lists is one that the source went through, and one
 * that is made when all is quiet has the sums of the source. What is settled by then has its final statement.
 */
export function judgeWorldOfStatement(evidence: Evidence, id: string, { story, closed }: Story): void {
  const { quietFrom } = evidence.history.settings;
  for (const event of story) {
    if (event.type !== 'pay_period.statement') continue;
    const statement = event.data.statement as StatementData;
    const wrong =
      wrongChange(evidence, statement) ??
      (event.by >= quietFrom + SETTLED_AFTER_MS ? wrongSums(evidence, event, statement) : null);
    if (wrong !== null) evidence.violate(`pay-periods ${id}`, `${event.type} ${event.sequence}: ${wrong}`);
  }
  const isAwaited = closed !== null && mustBeFinal(evidence, id, closed);
  if (isAwaited) evidence.violate(`pay-periods ${id}`, 'is processed, and has no final statement', 'late');
}

/** A timesheet can only have changed by what its versions differ by; where it was not counted it had no hours. */
function wrongChange(evidence: Evidence, { sinceClose }: StatementData): string | null {
  for (const { timesheetId, reason, hours } of sinceClose.timesheets) {
    const versions = evidence.history.world.truth.timesheets.get(timesheetId)?.versions ?? [];
    const had = [0, ...versions.map(({ record }) => Number(record?.hoursToPay ?? 0))];
    const isPossible = had.some((before) => had.some((after) => Math.abs(after - before - hours) < 0.001));
    // Of what happened for two reasons only the sum must be possible.
    const isAlone = sinceClose.timesheets.filter((each) => each.timesheetId === timesheetId).length === 1;
    if (isAlone && !isPossible) return `${timesheetId} never changed by ${hours} h (${reason})`;
  }
  return null;
}

function wrongSums(evidence: Evidence, event: Told, statement: StatementData): string | null {
  const { complete, members, sharesDatesWith, hours, timesheets } = statement;
  if (!complete || members !== 'all' || sharesDatesWith.length > 0 || evidence.isUncertain) return null;
  const period = event.data.current as RawRecord;
  if (!isWatched(evidence, period)) return null;
  const now = timesheetsOn(evidence, period);
  if (now.length !== timesheets) return `${timesheets} timesheets, the source has ${now.length}`;
  const due = now.reduce((sum, { hoursToPay }) => sum + Number(hoursToPay), 0);
  return Math.abs(due - hours) < 0.001 ? null : `${hours} h, the source has ${due} h`;
}

/** Whether its dates were still looked at when all became quiet: who looked before does not know of what came later. */
function isWatched(evidence: Evidence, { startDate, finishDate }: RawRecord): boolean {
  const { quietFrom } = evidence.history.settings;
  return [startDate, finishDate].every((date) => evidence.inWindow('timesheets', String(date), quietFrom));
}

/** The timesheets on the dates of a period in the end. */
function timesheetsOn({ history }: Evidence, { startDate, finishDate }: RawRecord): RawRecord[] {
  return [...history.world.truth.timesheets.values()].flatMap(({ versions }) => {
    const record = versions.at(-1)?.record ?? null;
    const date = String(record?.date);
    return record !== null && String(startDate) <= date && date <= String(finishDate) ? [record] : [];
  });
}

/** Whether a closed period was counted whole, has its dates for itself, and had nothing unprocessed when all became quiet. */
function mustBeFinal(evidence: Evidence, id: string, closed: StatementData): boolean {
  const { world } = evidence.history;
  if (evidence.isUncertain || closed.sharesDatesWith.length > 0 || !closed.complete) return false;
  const record = world.truth['pay-periods'].get(id);
  const period = record?.versions.at(-1)?.record ?? null;
  if (period === null || period.closed === null || period.closed === '') return false;
  const others = [...world.truth['pay-periods'].values()].some(
    (other) =>
      other.id !== id &&
      other.versions.some(
        ({ record: each }) =>
          each !== null &&
          String(each.startDate) <= String(period.finishDate) &&
          String(each.finishDate) >= String(period.startDate),
      ),
  );
  if (others || !isWatched(evidence, period)) return false;
  const own = timesheetsOn(evidence, period);
  return own.every(({ processed }) => processed !== null && processed !== '') && addsUp(id, own, evidence);
}

/** Whether the source comes to the same in the end: what differs waits longer than a history lasts. */
function addsUp(id: string, own: readonly RawRecord[], { history }: Evidence): boolean {
  const totals = history.journal.totals.get(id)?.at(-1)?.totals;
  const hours = own.reduce((sum, { hoursToPay }) => sum + Number(hoursToPay), 0);
  return (
    totals === undefined ||
    (totals.numberTimesheets === own.length &&
      totals.numberEmployees === new Set(own.map(({ employeeId }) => employeeId)).size &&
      Math.abs(Number(totals.hours) - hours) < 0.01)
  );
}
