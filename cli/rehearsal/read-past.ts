import { createNameStore } from '#shared/adapters/dynamo/names/name-store.ts';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import { type Finish, findFinishes } from '#shared/core/alerts/finished-alert.ts';
import type { RehearsedPast } from '#shared/core/alerts/rehearsal.ts';
import { toLocalDate } from '#shared/core/dates.ts';
import { type DescribableEvent, describableEventSchema } from '#shared/core/definitions/sentences.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import { NAMED_KINDS, type Names } from '#shared/core/names/names.ts';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import { EMPTY_FEED_STATE } from '#shared/core/snapshot/feed-state.ts';
import type { LogQuery } from '#shared/operator/log-query.ts';
import { openEventLog } from '#shared/operator/log-query.ts';
import { type Target, toTableOptions } from '#shared/operator/target.ts';

/** Reads the events of the log, the stored names, and which pay periods are processed. Writes nothing. */
export async function readPast(queries: readonly LogQuery[], target: Target): Promise<RehearsedPast> {
  const events: DescribableEvent[] = [];
  const finishes: Finish[] = [];
  const names = new Map<string, Names>();
  const until = Math.floor(target.system.now());
  const directory = createNameStore({ ...toTableOptions(target), now: target.system.now });
  for (const query of queries) {
    const { name } = query.connection;
    const found = await readEvents(query, target);
    events.push(...found);
    finishes.push(...(await readFinishes(found, query, target)));
    names.set(name, await directory.load(name, NAMED_KINDS));
  }
  return { events, finishes, names, until: Math.min(until, ...queries.map(({ to }) => to)) };
}

/** Events that this version cannot describe are skipped, as they are by the function. */
async function readEvents(query: LogQuery, target: Target): Promise<DescribableEvent[]> {
  const log = openEventLog(target);
  const found = new Map<string, DescribableEvent>();
  for (const feed of query.feeds) {
    for await (const { texts } of log.read({ connection: query.connection.name, feed }, query)) {
      for (const text of texts) {
        const event = describableEventSchema.safeParse(parseJsonOrNull(text));
        if (event.success) found.set(event.data.id, event.data);
      }
    }
  }
  return [...found.values()];
}

async function readFinishes(
  events: readonly DescribableEvent[],
  { connection: { name: connection, timeZone } }: LogQuery,
  target: Target,
): Promise<Finish[]> {
  const store = createDynamoSnapshotStore(toTableOptions(target));
  const stored = await store.loadFeedState({ connection, feed: 'pay-periods' });
  const periods = stored?.state.payPeriods ?? [];
  const feed: FeedKey = { connection, feed: 'timesheets' };
  const { state: memory } = (await store.loadFeedState(feed)) ?? { state: EMPTY_FEED_STATE };
  const heads = await store.loadHeads(feed, '');
  const today = toLocalDate(target.system.now(), timeZone);
  return findFinishes(events, { connection, periods, heads, memory, today });
}
