import { parseInstant } from '#shared/core/dates.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { parseDuration } from './duration.ts';

const DAYS = /^(\d+(?:\.\d+)?)d$/;
const DAY_MS = 86_400_000;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** The clock (ms since 1970) and zone in which a time on the command line is read. */
export interface TimeContext {
  readonly now: number;
  readonly timeZone: string;
}

/**
 * Milliseconds since 1970 for `2h` or `3d` (that long ago), `2026-11-17` (midnight in the zone) or an instant such as
 * `2026-11-17T09:30:00Z`. Throws a `NotifierError` (`time_invalid`) that names the option.
 */
export function parseInstantOption(option: string, text: string, { now, timeZone }: TimeContext): number {
  const days = DAYS.exec(text);
  const ago = days === null ? parseDuration(text) : Number(days[1]) * DAY_MS;
  if (ago !== null) return now - ago;
  const instant = parseInstant(DATE.test(text) ? `${text}T00:00:00` : text, timeZone);
  if (instant !== null) return instant;
  throw new NotifierError(
    'time_invalid',
    `${option} is ${JSON.stringify(text)}; use a time such as 2h, 3d, 2026-11-17 or 2026-11-17T09:30:00Z`,
  );
}
