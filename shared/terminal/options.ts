import { type CommanderError, InvalidArgumentError } from 'commander';
import { parseInstant } from '#shared/core/dates.ts';
import { NotifierError } from '#shared/core/errors.ts';

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;
const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/;
const DAYS = /^(\d+(?:\.\d+)?)d$/;
const DAY_MS = 86_400_000;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** The form of a duration, for error messages. */
export const DURATION_FORM = 'a number with ms, s, m or h, such as 2s';

/** Milliseconds of a duration such as `500ms`, `2s`, `5m` or `1h`; `null` for any other text. */
export function parseDuration(text: string): number | null {
  const match = DURATION.exec(text);
  if (match === null) return null;
  return Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS];
}

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

/** A number of things, at least one. Throws commander's error for a wrong option. */
export function parseCount(text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new InvalidArgumentError('use a whole number above 0, such as 20');
}

/** An error of the command line, in one line that says how to fix it. */
export function createOptionsError(message: string, cause?: unknown): NotifierError {
  return new NotifierError('options_wrong', message, { cause });
}

/** What commander found wrong, in one line. */
export function describeUsageError({ message }: CommanderError): string {
  return `${message.replace(/^error: /, '').replaceAll('\n', ' ')}; see --help`;
}
