import type { AlertCollection } from '#shared/alerts/flow/collection.ts';
import { type FactualEvent, type Match, matchRules, readFacts } from '#shared/alerts/rules.ts';
import { toIso, toLocalDate } from '#shared/core/dates.ts';
import type { DescribableEvent } from '#shared/core/definitions/sentences.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import { EMPTY_FEED_STATE } from '#shared/core/snapshot/feed-state.ts';
import { type Closing, findChannelsOfStatement, readClosing } from '../closing.ts';
import { toFinishedAlert, toFinishedFact } from '../finished-alert.ts';
import {
  concludeProcessing,
  countProcessedTimesheets,
  findRelevantPeriods,
  isAwaited,
  type RelevantPeriod,
  readDates,
} from '../processing.ts';

/** Attempts while concurrent runs save conclusions about the same period. */
const MAX_TRIES = 3;

/**
 * Adds an alert for each pay period, of one connection, that is over with all its timesheets processed: one each time
 * it becomes so. Looks at the present state and not at that of the event, so the last run is right. Returns the number
 * of alerts added.
 */
export async function observeProcessing(
  events: readonly DescribableEvent[],
  collection: AlertCollection,
): Promise<number> {
  const [first] = events;
  if (first === undefined) return 0;
  const { connection } = first;
  const at = Math.max(...events.map(({ time }) => Date.parse(time)));
  const observation = { connection, at, timeZone: collection.zoneOf(connection) };
  const matches = matchProcessingFinished(observation, collection);
  if (matches.length === 0) return 0;
  const { store, clock } = collection.ports;
  const stored = await store.loadFeedState({ connection, feed: 'pay-periods' });
  const closings = events.flatMap(readClosing);
  const relevant = findRelevantPeriods({
    dates: events.flatMap(({ data }) => readDates(data)),
    closed: closings.map(({ period }) => period),
    periods: stored?.state.payPeriods ?? [],
    today: toLocalDate(clock.now(), observation.timeZone),
  });
  let added = 0;
  for (const period of relevant) {
    const informed = findInformedChannels(period, { ...observation, closings }, collection);
    const remaining = matches.filter(({ channel }) => !informed.has(channel));
    added += await observePeriod(period, { ...observation, matches: remaining }, collection);
  }
  return added;
}

interface Observation {
  readonly connection: string;
  readonly timeZone: string;
  /** When the latest of the events was observed, in milliseconds since 1970. */
  readonly at: number;
}

function matchProcessingFinished(
  { connection, timeZone, at }: Observation,
  collection: AlertCollection,
): Match[] {
  const event = toFinishedFact({ connection, at });
  return matchConfiguredRules(event, timeZone, collection);
}

function matchConfiguredRules(event: FactualEvent, timeZone: string, { settings }: AlertCollection): Match[] {
  const { rules, channels } = settings.alerting;
  return matchRules(
    readFacts(event, timeZone),
    rules,
    channels.map(({ name }) => name),
  );
}

/** Channels to which the closing of a period, or its final statement, says the same. */
function findInformedChannels(
  relevant: RelevantPeriod,
  { connection, at, closings }: Observation & { readonly closings: readonly Closing[] },
  collection: AlertCollection,
): ReadonlySet<string> {
  const { period } = relevant;
  const time = toIso(at);
  const byStatement = findChannelsOfStatement(
    period,
    { connection, time },
    collection.channelRulesOf(connection),
  );
  return new Set([...findChannelsInformedByClosing(relevant, closings, collection), ...byStatement]);
}

/** Channels that get an alert of the closing which already says that all timesheets are processed. */
function findChannelsInformedByClosing(
  { period }: RelevantPeriod,
  closings: readonly Closing[],
  collection: AlertCollection,
): ReadonlySet<string> {
  const saying = closings.filter((closing) => closing.period.id === period.id && closing.saysProcessed);
  const matches = saying.flatMap(({ event }) =>
    matchConfiguredRules(event, collection.zoneOf(event.connection), collection),
  );
  return new Set(matches.map(({ channel }) => channel));
}

/**
 * Adds the alert, then saves the conclusion: after a crash in between the alert is added again under the same id, which
 * has no effect. The conclusion is read before the heads, so that one from older heads cannot overwrite one from newer.
 */
async function observePeriod(
  relevant: RelevantPeriod,
  observation: Observation & { readonly matches: readonly Match[] },
  { ports, settings, expiresAt, namesConnection }: AlertCollection,
): Promise<number> {
  const { period, over, moved, sharesDates } = relevant;
  const { connection, timeZone, at } = observation;
  let added = 0;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const known = await ports.alertStore.loadProcessing(connection, period.id);
    if (!moved && !isAwaited(known)) return added;
    const timesheets = await countProcessed(period, connection, ports.store);
    const next = concludeProcessing(known, { processed: timesheets !== null, over });
    if (next === null) return added;
    if (next.finished && timesheets !== null) {
      for (const match of observation.matches) {
        const finish = { connection, period, sharesDates, timesheets, times: next.times, at };
        const alert = toFinishedAlert(finish, {
          match,
          timeZone,
          namesConnection,
          language: settings.language,
        });
        added += await ports.alertStore.add(match.channel, [alert], expiresAt);
      }
    }
    const key = { connection, payPeriodId: period.id, expectedRevision: known?.revision ?? null };
    if ((await ports.alertStore.saveProcessing(key, next)) === 'committed') return added;
  }
  throw new NotifierError(
    'processing_contended',
    `cannot save whether pay period ${period.id} is processed, since concurrent runs keep saving it; it is tried again`,
    { retryable: true },
  );
}

/** By the present state; null while one is not processed, or a date is in doubt. */
async function countProcessed(
  period: RelevantPeriod['period'],
  connection: string,
  store: AlertCollection['ports']['store'],
): Promise<number | null> {
  const feed: FeedKey = { connection, feed: 'timesheets' };
  const { state } = (await store.loadFeedState(feed)) ?? { state: EMPTY_FEED_STATE };
  return countProcessedTimesheets(period, await store.loadHeads(feed, period.startDate), state);
}
