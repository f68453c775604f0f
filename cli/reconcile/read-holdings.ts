import * as z from 'zod';
import { NotifierError } from '#shared/core/errors.ts';
import type { EventPosition } from '#shared/core/events/event-order.ts';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import { roundNumber } from '#shared/core/records/values.ts';

/** Wrong lines that an error names. */
const MAX_ISSUES = 5;

const lineSchema = z.looseObject({
  id: z.string().min(1),
  epoch: z.iso.datetime().nullish(),
  sequence: z.int().min(0),
  hoursToPay: z.number().nullish(),
});

/** What a subscriber has of a timesheet. */
export interface Holding extends EventPosition {
  readonly id: string;
  /** Payable hours; absent when the subscriber did not say. */
  readonly hoursToPay?: number;
}

/**
 * Reads what a subscriber has: a line of JSON for each timesheet, `{"id", "epoch", "sequence"}`, with `hoursToPay` where
 * it wants its hours compared. Throws a `NotifierError` (`have_invalid`) that names the wrong lines.
 */
export function readHoldings(text: string, name: string): Map<string, Holding> {
  const holdings = new Map<string, Holding>();
  const issues: string[] = [];
  for (const [index, line] of text
    .replace(/^\ufeff/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue;
    const holding = parseLine(line);
    if (typeof holding === 'string') issues.push(`line ${index + 1}: ${holding}`);
    else if (holdings.has(holding.id))
      issues.push(`line ${index + 1}: ${JSON.stringify(holding.id)} is there twice`);
    else holdings.set(holding.id, holding);
  }
  if (issues.length === 0) return holdings;
  const shown = issues.slice(0, MAX_ISSUES).join('; ');
  const more = issues.length > MAX_ISSUES ? `; and ${issues.length - MAX_ISSUES} more` : '';
  throw new NotifierError(
    'have_invalid',
    `${name}: ${shown}${more}; a line is such as {"id":"101206_1","epoch":"2026-11-08T18:58:00.000Z","sequence":5}`,
  );
}

/** What is wrong with a line, as a text. */
function parseLine(line: string): Holding | string {
  const value = parseJsonOrNull(line);
  if (value === null) return 'not JSON';
  const parsed = lineSchema.safeParse(value);
  if (!parsed.success)
    return parsed.error.issues
      .map(({ path, message }) => `${path.join('.') || 'line'}: ${message}`)
      .join(', ');
  const { id, epoch, sequence, hoursToPay } = parsed.data;
  return {
    id,
    sequence,
    ...(epoch == null ? {} : { epoch }),
    ...(hoursToPay == null ? {} : { hoursToPay: roundNumber(hoursToPay) }),
  };
}
