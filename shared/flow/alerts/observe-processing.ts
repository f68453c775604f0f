import { type Alert, PROCESSING_FINISHED } from '#shared/core/alerts/alert.ts';
import { type Closing, closingOf } from '#shared/core/alerts/closing.ts';
import {
  datesIn,
  isAwaited,
  nextConclusion,
  type PeriodInSight,
  periodsInSight,
  processedTimesheets,
  processingFinishedId,
} from '#shared/core/alerts/processing.ts';
import {
  type FactualEvent,
  factsOf,
  type Match,
  matchesOf,
  namingConnection,
  worded,
} from '#shared/core/alerts/rules.ts';
import { dateIn, isoOf } from '#shared/core/dates.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { processingFinishedSentence, type TellableEvent } from '#shared/core/messages/sentences.ts';
import type { Collection } from './collection.ts';

/** Times that a period is looked at while others note what they conclude. */
const MOST_TRIES = 3;

/**
 * Concludes from events of one connection which pay periods are over with all their timesheets processed, and tells it
 * once each time. A period is looked at as it is now, not as it was at the event: whoever comes last is right. Answers
 * how many alerts that made.
 */
export async function observeProcessing(
  events: readonly TellableEvent[],
  collection: Collection,
): Promise<number> {
  const [first] = events;
  if (first === undefined) return 0;
  const { connection } = first;
  const at = Math.max(...events.map(({ time }) => Date.parse(time)));
  const observation = { connection, at, timeZone: collection.zoneOf(connection) };
  const matches = matchesFor(observation, collection);
  if (matches.length === 0) return 0;
  const { store, clock } = collection.ports;
  const stored = await store.loadFeedState({ connection, feed: 'pay-periods' });
  const closings = events.flatMap(closingOf);
  const inSight = periodsInSight({
    dates: events.flatMap(({ data }) => datesIn(data)),
    closed: closings.map(({ period }) => period),
    periods: stored?.state.payPeriods ?? [],
    today: dateIn(clock.now(), observation.timeZone),
  });
  let added = 0;
  for (const each of inSight) {
    const told = toldByClosing(each, closings, collection);
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

function matchesFor({ connection, timeZone, at }: Observation, collection: Collection): Match[] {
  const event = { type: PROCESSING_FINISHED, connection, time: isoOf(at), data: {} } as const;
  const matches = matching(event, timeZone, collection);
  if (!collection.namesConnection) return matches;
  return matches.map((match) => ({ ...match, words: namingConnection(match.words) }));
}

function matching(event: FactualEvent, timeZone: string, { settings }: Collection): Match[] {
  const { rules, channels } = settings.alerting;
  return matchesOf(
    factsOf(event, timeZone),
    rules,
    channels.map(({ name }) => name),
  );
}

/** Channels whose message of a closing says itself that all is processed. */
function toldByClosing(
  { period }: PeriodInSight,
  closings: readonly Closing[],
  collection: Collection,
): ReadonlySet<string> {
  const saying = closings.filter((closing) => closing.period.id === period.id && closing.saysProcessed);
  const told = saying.flatMap(({ event }) =>
    matching(event, collection.zoneOf(event.connection), collection),
  );
  return new Set(told.map(({ channel }) => channel));
}

/**
 * Told first, noted then: after a crash in between it is told again under the same id, which nobody hears twice. The
 * note is read before the heads, so that a conclusion from older heads cannot overwrite one from newer.
 */
async function observePeriod(
  inSight: PeriodInSight,
  observed: Observation & { readonly matches: readonly Match[] },
  { ports, expiresAt }: Collection,
): Promise<number> {
  const { period, over, moved } = inSight;
  const { connection } = observed;
  let added = 0;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const known = await ports.book.loadProcessing(connection, period.id);
    if (!moved && !isAwaited(known)) return added;
    const heads = await ports.store.loadHeads({ connection, feed: 'timesheets' }, period.startDate);
    const timesheets = processedTimesheets(period, heads);
    const next = nextConclusion(known, { processed: timesheets !== null, over });
    if (next === null) return added;
    if (next.finished && timesheets !== null) {
      for (const match of observed.matches) {
        const alert = finishedAlert(inSight, { ...observed, match, timesheets, times: next.times });
        added += await ports.book.add(match.channel, [alert], expiresAt);
      }
    }
    const key = { connection, payPeriodId: period.id, expectedRevision: known?.revision ?? null };
    if ((await ports.book.saveProcessing(key, next)) === 'committed') return added;
  }
  throw new NotifierError(
    'processing_contended',
    `whether pay period ${period.id} is processed cannot be noted: others note it all the time; it is tried again`,
    { retryable: true },
  );
}

interface Finish extends Observation {
  readonly match: Match;
  readonly timesheets: number;
  readonly times: number;
}

function finishedAlert({ period, sharesDates }: PeriodInSight, finish: Finish): Alert {
  const { match, connection, timeZone, at, timesheets, times } = finish;
  const sentence = processingFinishedSentence({ ...period, sharesDates, timesheets });
  return {
    id: processingFinishedId(connection, period.id, times),
    type: PROCESSING_FINISHED,
    connection,
    timeZone,
    at,
    line: worded(match.words, { sentence, connection, type: PROCESSING_FINISHED }),
    urgent: match.urgent,
    subject: period.id,
    reverses: null,
    department: null,
  };
}
