import { NotifierError } from '#shared/core/errors.ts';

const MINUTE_MS = 60_000;
const UNIT_MS = { minute: MINUTE_MS, hour: 60 * MINUTE_MS, day: 1_440 * MINUTE_MS } as const;
const RATE = /^rate\((\d+) (minute|hour|day)s?\)$/;
const CRON = /^cron\((\S+) (\S+) \S+ \S+ \S+ \S+\)$/;
const STEP = /^(?:\*|\d+)\/(\d+)$/;

/**
 * Milliseconds between two runs of a schedule. A cron expression is reduced to its interval, because the clock may run
 * at any speed. Throws a `NotifierError` (`template_unsupported`) for anything without one, such as `at(...)`.
 */
export function parseInterval(expression: string): number {
  const rate = RATE.exec(expression);
  if (rate !== null) return Number(rate[1]) * UNIT_MS[rate[2] as keyof typeof UNIT_MS];
  const cron = CRON.exec(expression);
  const interval = cron === null ? null : parseCronInterval(cron[1] ?? '', cron[2] ?? '');
  if (interval !== null) return interval;
  throw new NotifierError(
    'template_unsupported',
    `schedule expression ${JSON.stringify(expression)} has no fixed interval; use rate(...) or a cron(...) by minutes or hours`,
  );
}

function parseCronInterval(minutes: string, hours: string): number | null {
  if (minutes === '*') return MINUTE_MS;
  const everyMinutes = STEP.exec(minutes)?.[1];
  if (everyMinutes !== undefined) return Number(everyMinutes) * MINUTE_MS;
  if (!/^\d+(?:,\d+)*$/.test(minutes)) return null;
  const times = minutes.split(',').length;
  if (hours === '*') return UNIT_MS.hour / times;
  const everyHours = STEP.exec(hours)?.[1];
  if (everyHours !== undefined) return Number(everyHours) * UNIT_MS.hour;
  return /^\d+(?:,\d+)*$/.test(hours) ? UNIT_MS.day / hours.split(',').length : null;
}
