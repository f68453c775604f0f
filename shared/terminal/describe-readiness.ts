import * as z from 'zod';
import { formatLocalMoment } from './readable-value.ts';

const readinessSchema = z.looseObject({
  deadline: z.string().nullable(),
  reminder: z.looseObject({ before: z.string() }).nullable(),
  summaries: z.array(z.string()),
  readiness: z.looseObject({ timesheets: z.int(), unapproved: z.int(), unapprovedHours: z.number() }),
});

/** `reminder 4h before 2026-11-20 10:30:00: 4 of 130 not approved, 28 h`; null for any other event. */
export function describeReadiness(data: unknown, timeZone: string): string | null {
  const read = readinessSchema.safeParse(data);
  if (!read.success) return null;
  const { deadline, reminder, summaries, readiness } = read.data;
  const { timesheets, unapproved, unapprovedHours } = readiness;
  const until = deadline === null ? '' : ` ${formatLocalMoment(deadline, timeZone)}`;
  const moments = [
    ...(reminder === null ? [] : [`reminder ${reminder.before} before${until}`]),
    ...summaries.map((time) => `daily summary of ${time}`),
  ];
  return `${moments.join(', ')}: ${unapproved} of ${timesheets} not approved, ${unapprovedHours} h`;
}
