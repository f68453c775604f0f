import * as z from 'zod';
import { sayChanges, sayVerdict } from '#shared/people/messages/account-sentences.ts';
import { toldAccountSchema } from '#shared/people/read-events.ts';
import { formatLocalMoment } from './readable-value.ts';

const accountEventSchema = z.looseObject({
  time: z.iso.datetime(),
  data: z.looseObject({
    account: toldAccountSchema,
    reminder: z.looseObject({ before: z.string() }).nullish(),
    summaries: z.array(z.string()).default([]),
  }),
});

/**
 * What an event tells of a pay period, `reminder 4h before 2026-11-20 10:30:00: Not yet: 4 not approved (28 h); ...`; null for
 * any other event.
 */
export function describeAccount(event: object, timeZone: string): string | null {
  const read = accountEventSchema.safeParse(event);
  if (!read.success) return null;
  const { time, data } = read.data;
  const { account, reminder, summaries } = data;
  const until = account.closesAt === null ? '' : ` ${formatLocalMoment(account.closesAt, timeZone)}`;
  const moments = [
    ...(reminder == null ? [] : [`reminder ${reminder.before} before${until}`]),
    ...summaries.map((at) => `daily summary of ${at}`),
  ].join(', ');
  const verdict = sayVerdict(account, { timeZone, now: Date.parse(time) });
  const changes = account.changes === null ? '' : `; ${sayChanges(account, 'the last figures')}`;
  return `${moments === '' ? '' : `${moments}: `}${verdict}${changes}`;
}
