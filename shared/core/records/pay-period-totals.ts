/** What a pay period comes to. `hours`: payable hours. */
export interface PayPeriodTotals {
  readonly timesheets: number;
  readonly employees: number;
  readonly hours: number;
}

/** Sums of decimals are rounded to 1/10,000 hour, finer than anything people enter. */
const HOURS_PRECISION = 10_000;
/** Sources round the hours of a period; a difference below this is theirs. */
const MIN_HOURS_APART = 0.01;

/** A sum of hours without the noise of adding decimals. */
export function roundHours(hours: number): number {
  // `+ 0`: no negative zero.
  return Math.round(hours * HOURS_PRECISION) / HOURS_PRECISION + 0;
}

/** Of `hours/employees/timesheets`, as hints have it; null when the source did not give all three as numbers. */
export function parseTotals(text: string): PayPeriodTotals | null {
  const [hours, employees, timesheets, ...rest] = text.split('/').map(parseNumber);
  if (hours == null || !isCount(employees) || !isCount(timesheets) || rest.length > 0) return null;
  return { timesheets, employees, hours };
}

function parseNumber(text: string): number | null {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : null;
}

function isCount(value: number | null | undefined): value is number {
  return value != null && Number.isSafeInteger(value) && value >= 0;
}

export function subtractTotals(left: PayPeriodTotals, right: PayPeriodTotals): PayPeriodTotals {
  return {
    timesheets: left.timesheets - right.timesheets,
    employees: left.employees - right.employees,
    hours: roundHours(left.hours - right.hours),
  };
}

export function areTotalsEqual(left: PayPeriodTotals, right: PayPeriodTotals): boolean {
  const { timesheets, employees, hours } = subtractTotals(left, right);
  return timesheets === 0 && employees === 0 && Math.abs(hours) < MIN_HOURS_APART;
}
