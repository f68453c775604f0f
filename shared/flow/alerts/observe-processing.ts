import { type Alert, PROCESSING_FINISHED } from '#shared/core/alerts/alert.ts';
import { type Closing, readClosing } from '#shared/core/alerts/closing.ts';
import {
  computeProcessingFinishedId,
  concludeProcessing,
  countProcessedTimesheets,
  findRelevantPeriods,
  isAwaited,
  type RelevantPeriod,
  readDates,
} from '#shared/core/alerts/processing.ts';
import {
  type FactualEvent,
  fillWords,
  type Match,
  matchRules,
  nameConnection,
  readFacts,
} from '#shared/core/alerts/rules.ts';
import { toIso, toLocalDate } from '#shared/core/dates.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { type DescribableEvent, toProcessingFinishedSentence } from '#shared/core/messages/sentences.ts';
import type { AlertCollection } from './collection.ts';

/** Times that a period is looked at while others note what they conclude. */
const MAX_TRIES = 3;

/**
 * Concludes from events of one connection which pay periods are over with all their timesheets processed, and tells it
 * once each time. A period is looked at as it is now, not as it was at the event: whoever comes last is right. Answers
 * how many alerts that made.
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
  const inSight = findRelevantPeriods({
    dates: events.flatMap(({ data }) => readDates(data)),
    closed: closings.map(({ period }) => period),
    periods: stored?.state.payPeriods ?? [],
    today: toLocalDate(clock.now(), observation.timeZone),
  });
  let added = 0;
  for (const each of inSight) {
    const told = findChannelsToldByClosing(each, closings, collection);
    const untold = matches.filter(({ channel }) => !told.has(channel));
    added += await observePeriod(each, { ...observation, matches: untold }, collection);
  }
  return added;
}

interface Observation {
  readonly connection: string;
  readonly timeZone: string;
  /** When the latest of the events was seen. */
  readonly at: number;
}

function matchProcessingFinished(
  { connection, timeZone, at }: Observation,
  collection: AlertCollection,
): Match[] {
  const event = { type: PROCESSING_FINISHED, connection, time: toIso(at), data: {} } as const;
  const matches = matchConfiguredRules(event, timeZone, collection);
  if (!collection.namesConnection) return matches;
  return matches.map((match) => ({ ...match, words: nameConnection(match.words) }));
}

function matchConfiguredRules(event: FactualEvent, timeZone: string, { settings }: AlertCollection): Match[] {
  const { rules, channels } = settings.alerting;
  return matchRules(
    readFacts(event, timeZone),
    rules,
    channels.map(({ name }) => name),
  );
}

/** Channels whose message of a closing says itself that all is processed. */
function findChannelsToldByClosing(
  { period }: RelevantPeriod,
  closings: readonly Closing[],
  collection: AlertCollection,
): ReadonlySet<string> {
  const saying = closings.filter((closing) => closing.period.id === period.id && closing.saysProcessed);
  const told = saying.flatMap(({ event }) =>
    matchConfiguredRules(event, collection.zoneOf(event.connection), collection),
  );
  return new Set(told.map(({ channel }) => channel));
}

/**
 * Told first, noted then: after a crash in between it is told again under the same id, which nobody hears twice. The
 * note is read before the heads, so that a conclusion from older heads cannot overwrite one from newer.
 */
async function observePeriod(
  inSight: RelevantPeriod,
  observation: Observation & { readonly matches: readonly Match[] },
  { ports, expiresAt }: AlertCollection,
): Promise<number> {
  const { period, over, moved } = inSight;
  const { connection } = observation;
  let added = 0;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const known = await ports.alertStore.loadProcessing(connection, period.id);
    if (!moved && !isAwaited(known)) return added;
    const heads = await ports.store.loadHeads({ connection, feed: 'timesheets' }, period.startDate);
    const timesheets = countProcessedTimesheets(period, heads);
    const next = concludeProcessing(known, { processed: timesheets !== null, over });
    if (next === null) return added;
    if (next.finished && timesheets !== null) {
      for (const match of observation.matches) {
        const alert = buildFinishedAlert(inSight, { ...observation, match, timesheets, times: next.times });
        added += await ports.alertStore.add(match.channel, [alert], expiresAt);
      }
    }
    const key = { connection, payPeriodId: period.id, expectedRevision: known?.revision ?? null };
    if ((await ports.alertStore.saveProcessing(key, next)) === 'committed') return added;
  }
  throw new NotifierError(
    'processing_contended',
    `whether pay period ${period.id} is processed cannot be noted: others note it all the time; it is tried again`,
    { retryable: true },
  );
}

interface FinishedProcessing extends Observation {
  readonly match: Match;
  readonly timesheets: number;
  readonly times: number;
}

function buildFinishedAlert({ period, sharesDates }: RelevantPeriod, finish: FinishedProcessing): Alert {
  const { match, connection, timeZone, at, timesheets, times } = finish;
  const sentence = toProcessingFinishedSentence({ ...period, sharesDates, timesheets });
  return {
    id: computeProcessingFinishedId(connection, period.id, times),
    type: PROCESSING_FINISHED,
    connection,
    timeZone,
    at,
    line: fillWords(match.words, { sentence, connection, type: PROCESSING_FINISHED }),
    urgent: match.urgent,
    subject: period.id,
    reverses: null,
    department: null,
  };
}
