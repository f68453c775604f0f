import * as z from 'zod';
import { NotifierError } from '#shared/core/errors.ts';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import { roundNumber } from '#shared/core/records/values.ts';

/** Wrong lines that an error names. */
const MAX_ISSUES = 5;

const lineSchema = z.looseObject({ timesheetId: z.string().min(1), hours: z.number() });

/**
 * Reads what a payer has paid: hours by timesheet, a line of JSON for each. Throws a `NotifierError` (`paid_invalid`) that
 * names the wrong lines.
 */
export function readPaid(text: string, name: string): Map<string, number> {
  const paid = new Map<string, number>();
  const issues: string[] = [];
  for (const [index, line] of text
    .replace(/^\ufeff/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue;
    const { data, error } = lineSchema.safeParse(parseJsonOrNull(line));
    if (data === undefined) issues.push(`line ${index + 1}: ${describeIssue(error)}`);
    else if (paid.has(data.timesheetId))
      issues.push(`line ${index + 1}: ${JSON.stringify(data.timesheetId)} is there twice`);
    else paid.set(data.timesheetId, roundNumber(data.hours));
  }
  if (issues.length === 0) return paid;
  const shown = issues.slice(0, MAX_ISSUES).join('; ');
  const more = issues.length > MAX_ISSUES ? `; and ${issues.length - MAX_ISSUES} more` : '';
  throw new NotifierError(
    'paid_invalid',
    `${name}: ${shown}${more}; a line is such as {"timesheetId":"101206_1","hours":8}`,
  );
}

function describeIssue({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => `${path.join('.') || 'line'}: ${message}`).join(', ');
}
