import type { PayPeriod, Timesheet } from '#local/source/schemas.ts';
import type { Checked, ClaimContext } from './claim.ts';
import { findClosings } from './since-close.ts';
import type { WorldFigures } from './world-figures.ts';

/** The line about closed pay periods in a daily summary, held against the company's own records. */

const LINE =
  /^Closed (?<calendar>.+) periods: (?<count>\d+) timesheets?, (?<sum>[+-][\d.,]+) h still open\.?$/;

interface Open {
  readonly count: number;
  readonly hours: number;
}

/** Null where it is no such line. */
export function checkOpenLine(text: string, minutes: readonly ClaimContext[]): Checked | null {
  const groups = LINE.exec(text)?.groups;
  if (groups === undefined) return null;
  const { calendar, count = '0', sum = '0' } = groups;
  const said = { count: Number(count), hours: Number(sum.replaceAll(',', '')) };
  const isTrue = minutes.some((context) => {
    const told = listOpen(context).filter((each) => each.calendar === calendar);
    const total = told.reduce(
      (sums, { open }) => ({ count: sums.count + open.count, hours: sums.hours + open.hours }),
      { count: 0, hours: 0 },
    );
    return total.count === said.count && Math.abs(total.hours - said.hours) < 0.001;
  });
  const [latest] = minutes;
  const world = latest === undefined ? '' : JSON.stringify(listOpen(latest));
  return isTrue
    ? { wrong: null, figures: text.match(/\d[\d,.:]*/g)?.length ?? 0 }
    : { wrong: `${text}\n  in the world: ${world}`, figures: 0 };
}

/** What is open of each period that closed while it was watched. */
function listOpen({ figures, at }: ClaimContext): { readonly calendar: string; readonly open: Open }[] {
  return figures.record.periodsAt(at).flatMap((period) => {
    const closing = findClosings(period.id, { figures, at }).at(-1);
    if (period.closed === null || closing === undefined) return [];
    const { calendar } = period;
    return [{ calendar, open: sumOpen(period, { figures, closedAt: closing.at, at }) }];
  });
}

interface Since {
  readonly figures: WorldFigures;
  readonly closedAt: number;
  readonly at: number;
}

function sumOpen(period: PayPeriod, { figures, closedAt, at }: Since): Open {
  const before = new Map(figures.membersOf(period, closedAt).map((each) => [each.id, each]));
  const now = new Map(figures.membersOf(period, at).map((each) => [each.id, each]));
  const differences = [...new Set([...before.keys(), ...now.keys()])].map((id) => {
    const [was, is] = [before.get(id), now.get(id)];
    const states = figures.record.statesOf(id).filter((state) => state.at <= at);
    return is === undefined ? -(was?.hoursToPay ?? 0) : differ(is, was, { states, closedAt });
  });
  const open = differences.filter((difference) => difference !== 0);
  return { count: open.length, hours: open.reduce((sum, difference) => sum + difference, 0) };
}

function differ(
  is: Timesheet,
  was: Timesheet | undefined,
  {
    states,
    closedAt,
  }: { readonly states: ReturnType<WorldFigures['record']['statesOf']>; readonly closedAt: number },
): number {
  const turns = (field: 'processed' | 'approvedHours', isSet: boolean) =>
    states.filter(
      ({ value }, place) =>
        (value?.[field] != null) === isSet && (states[place - 1]?.value?.[field] != null) === !isSet,
    );
  if (is.processed !== null) {
    const paid = turns('processed', true).at(-1)?.value;
    return paid == null ? 0 : is.hoursToPay - paid.hoursToPay;
  }
  if (turns('processed', false).some((state) => state.at > closedAt)) return is.hoursToPay;
  if (was === undefined) return is.hoursToPay;
  if (was.approvedHours === null && is.approvedHours !== null) return is.hoursToPay;
  const isRevoked =
    is.approvedHours === null && turns('approvedHours', false).some((state) => state.at > closedAt);
  return was.approvedHours !== null && isRevoked ? -was.hoursToPay : is.hoursToPay - was.hoursToPay;
}
