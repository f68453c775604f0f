import { type Language, languageOf } from '#shared/languages/language.ts';
import { say } from '#shared/languages/text.ts';
import type { SliceMemory } from '../account/period-account.ts';
import { type Alert, PROCESSING_FINISHED } from '../alerts/alert.ts';
import { fillWords, nameConnection } from '../alerts/fill-words.ts';
import type { FactualEvent, Match } from '../alerts/rules.ts';
import { toIso } from '../core/dates.ts';
import {
  type DescribableEvent,
  describeFinishedPeriod,
  toProcessingFinishedSentence,
} from '../core/definitions/sentences.ts';
import { fitsHeading } from '../core/messages/heading-length.ts';
import type { SliceHead } from '../core/snapshot/snapshot.ts';
import { readClosing } from './closing.ts';
import {
  computeProcessingFinishedId,
  countProcessedTimesheets,
  findRelevantPeriods,
  movesProcessing,
  type Period,
  type RelevantPeriod,
  readDates,
} from './processing.ts';

/** A pay period that is over with all its timesheets processed. */
export interface Finish {
  readonly connection: string;
  readonly period: Period;
  readonly sharesDates: boolean;
  readonly timesheets: number;
  /** How many times it has finished. */
  readonly times: number;
  /** When the last of its events was observed, in milliseconds since 1970. */
  readonly at: number;
  /** The closing that says that all timesheets are processed. */
  readonly closing: DescribableEvent | null;
}

/** What the conditions of rules are tested against. */
export function toFinishedFact({ connection, at }: Pick<Finish, 'connection' | 'at'>): FactualEvent {
  return { type: PROCESSING_FINISHED, connection, time: toIso(at), data: {} };
}

export interface FinishContext {
  readonly match: Match;
  readonly timeZone: string;
  /** Whether the line says which connection it is about: there are several. */
  readonly namesConnection: boolean;
  /** English without it. */
  readonly language?: Language | undefined;
}

/** The alert about a finish for one channel. */
export function toFinishedAlert(
  finish: Omit<Finish, 'closing'>,
  { match, timeZone, namesConnection, ...reader }: FinishContext,
): Alert {
  const { connection, period, sharesDates, timesheets, times, at } = finish;
  const language = languageOf(reader);
  const { finished } = language.payPeriods;
  const sentence = toProcessingFinishedSentence({ ...period, sharesDates, timesheets }, language);
  const words = namesConnection ? nameConnection(match.words) : match.words;
  const name = describeFinishedPeriod(period, language);
  const heading = say(finished.heading, { period: name });
  return {
    id: computeProcessingFinishedId(connection, period.id, times),
    type: PROCESSING_FINISHED,
    connection,
    timeZone,
    at,
    line: fillWords(words, { sentence, connection, type: PROCESSING_FINISHED }),
    heading: fitsHeading(heading) ? heading : finished.plain,
    strong: [name],
    urgent: match.urgent,
    subject: period.id,
    reverses: null,
    department: null,
  };
}

export interface ProcessedState {
  readonly connection: string;
  readonly periods: readonly Period[];
  /** Heads of the timesheets' slices. */
  readonly heads: readonly SliceHead[];
  /** What the feed of timesheets remembers of them. */
  readonly memory: SliceMemory;
  /** Calendar date in the connection's zone. */
  readonly today: string;
}

/**
 * Pay periods that are finished by the present state, at the last of the given events that moved their processing. That
 * one of them had finished before, and was undone, is not known.
 */
export function findFinishes(events: readonly DescribableEvent[], state: ProcessedState): Finish[] {
  const moving = events.filter((event) => event.connection === state.connection && movesProcessing(event));
  const relevant = findRelevantPeriods({
    dates: moving.flatMap(({ data }) => readDates(data)),
    closed: [],
    periods: state.periods,
    today: state.today,
  });
  return relevant.flatMap((each) => findFinish(each, moving, state));
}

function findFinish(
  { period, over, sharesDates }: RelevantPeriod,
  moving: readonly DescribableEvent[],
  { connection, heads, memory }: ProcessedState,
): Finish[] {
  const timesheets = over ? countProcessedTimesheets(period, heads, memory) : null;
  const about = moving.filter((event) => isAbout(event, period));
  const last = about.toSorted((a, b) => Date.parse(a.time) - Date.parse(b.time)).at(-1);
  if (timesheets === null || last === undefined) return [];
  const [closing] = readClosing(last);
  return [
    {
      connection,
      period,
      sharesDates,
      timesheets,
      times: 1,
      at: Date.parse(last.time),
      closing: closing?.saysProcessed === true ? last : null,
    },
  ];
}

function isAbout(event: DescribableEvent, { id, startDate, finishDate }: Period): boolean {
  const [closing] = readClosing(event);
  if (closing !== undefined) return closing.period.id === id;
  return readDates(event.data).some((date) => startDate <= date && date <= finishDate);
}
