import { inspect } from 'node:util';
import * as z from 'zod';
import { createEventLog } from '#shared/adapters/dynamo/snapshot/event-log.ts';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import type { Connection } from '#shared/config/schema/connection.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import { learnDeadline, type SeenClosing } from '#shared/readiness/learn-deadline.ts';
import { type Target, toTableOptions } from '../target.ts';
import { type Finding, finding, ok, warning } from './finding.ts';

const DAY_MS = 86_400_000;

const closingSchema = z.object({
  type: z.literal('workforce.pay_period.closed'),
  subject: z.string(),
  time: z.iso.datetime(),
  data: z.object({ current: z.object({ calendar: z.string(), finishDate: z.string() }) }),
});

/** Checks the names of `calendars`, and offers the deadlines of calendars that have none. */
export async function checkCalendars(connection: Connection, target: Target): Promise<Finding[]> {
  const feed: FeedKey = { connection: connection.name, feed: 'pay-periods' };
  const about = `calendars of ${connection.name}`;
  const found: Finding[] = [];
  const failed = await finding(about, async () => {
    const stored = await createDynamoSnapshotStore(toTableOptions(target)).loadFeedState(feed);
    const periods = stored?.state.payPeriods ?? [];
    const known = [...new Set(periods.map(({ calendar }) => calendar))].sort();
    if (known.length === 0) return ok(about, 'no pay period was seen yet');
    found.push(...findUnknownCalendars(connection, known));
    const { calendars = [] } = connection;
    const open = known.filter((name) => !calendars.some((calendar) => calendar.name === name));
    if (open.length > 0)
      found.push(...offerDeadlines(open, await readClosings(feed, connection, target), connection));
    return ok(about, describeCalendars(known, connection));
  });
  return [failed, ...found];
}

function describeCalendars(known: readonly string[], { calendars = [] }: Connection): string {
  const configured = calendars.filter(({ name }) => known.includes(name));
  if (configured.length === 0) return `${known.join(', ')}: none has a deadline, so nobody is reminded`;
  return configured.map(({ name, closesAt }) => `${name} closes ${closesAt}`).join(', ');
}

function findUnknownCalendars(
  { name: connection, calendars = [] }: Connection,
  known: readonly string[],
): Finding[] {
  return calendars
    .filter(({ name }) => !known.includes(name))
    .map(({ name }) =>
      warning(
        `calendar ${name} of ${connection}`,
        'the source has no pay calendar of this name, so nobody is reminded of it',
        `name one of ${known.join(', ')} in calendars`,
      ),
    );
}

/** The first closing of each period in the log, by calendar. */
async function readClosings(
  feed: FeedKey,
  { retentionDays }: Connection,
  target: Target,
): Promise<ReadonlyMap<string, readonly SeenClosing[]>> {
  const now = Math.floor(target.system.now());
  const range = { from: now - retentionDays * DAY_MS, to: now + DAY_MS };
  const first = new Map<string, SeenClosing & { readonly calendar: string }>();
  for await (const { texts } of createEventLog(toTableOptions(target)).read(feed, range)) {
    for (const text of texts) {
      const event = closingSchema.safeParse(JSON.parse(text));
      if (!event.success) continue;
      const { subject, time, data } = event.data;
      const at = Date.parse(time);
      if (at < (first.get(subject)?.at ?? Number.POSITIVE_INFINITY))
        first.set(subject, { ...data.current, at });
    }
  }
  return Map.groupBy(first.values(), ({ calendar }) => calendar);
}

/** Offered, never assumed: only people know whether a habit is a deadline. */
function offerDeadlines(
  names: readonly string[],
  closings: ReadonlyMap<string, readonly SeenClosing[]>,
  { name: connection, timeZone }: Connection,
): Finding[] {
  return names.flatMap((name) => {
    const learned = learnDeadline(closings.get(name) ?? [], timeZone);
    if (learned === null) return [];
    const { agreeing, closings: last, habit, closesAt } = learned;
    return [
      {
        ...ok(`calendar ${name} of ${connection}`, `closed ${agreeing} of the last ${last} times ${habit}`),
        mend: `to remind people before it, add { name: ${inspect(name)}, closesAt: '${closesAt}' } to calendars of ${connection}`,
      },
    ];
  });
}
