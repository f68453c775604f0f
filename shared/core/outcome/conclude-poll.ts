import { toLocalDate } from '../dates.ts';
import { type Agenda, type AgendaInput, scheduleDate } from '../plan/agenda.ts';
import {
  type ChangeRates,
  classifyDistance,
  type Distance,
  encodeRates,
  learnChanges,
} from '../plan/change-rates.ts';
import { measureLag, updateLag } from '../plan/lag.ts';
import { pullPeriodsCovering } from '../plan/pulls.ts';
import { findFirstSliceToLoad } from '../plan/window.ts';
import { type AbsenceSetting, updateAbsencePeriods } from '../snapshot/absence-periods.ts';
import type { FeedState } from '../snapshot/feed-state.ts';
import type { HeldEvents } from '../snapshot/held-events.ts';
import type { LearnedPace } from '../snapshot/learned-state.ts';
import { recordNewestEpoch } from '../snapshot/recognize-table.ts';
import type { PollProgress } from './poll-progress.ts';
import { type HealthRule, type PollResult, type PollSummary, summarizePoll } from './summarize-poll.ts';

/** Records that payroll went over in one poll that count as a sweep: the dates of their pay periods are next. */
const SWEEP_RECORDS = 5;

/** A poll at its end, with what it was planned from. Instants are milliseconds since 1970. */
export interface PollEnd {
  /** As the agenda was made, at the end of the poll. */
  readonly input: AgendaInput;
  readonly agenda: Agenda;
  readonly progress: PollProgress;
  readonly startedAt: number;
  /** Since when the source failed, if it did. */
  readonly failingFrom: number;
  readonly complete: boolean;
  readonly health: HealthRule;
  /** What a page of the source took and held; undefined when none came. */
  readonly pages: PollResult['pages'];
  /** What remains of batches that were published in part. */
  readonly held: HeldEvents;
  readonly pace: LearnedPace | null;
  /** The setting of the connection. */
  readonly absences?: AbsenceSetting | undefined;
}

export interface PollConclusion extends PollSummary {
  /** What was learned of when changes come, as a text for the store; null while it holds that already. */
  readonly rates: string | null;
}

/** The feed's state after a poll, whichever poll wrote the one before, and the events about the watching itself. */
export function concludePoll(previous: FeedState, end: PollEnd): PollConclusion {
  const { input, agenda, progress } = end;
  const { now, timeZone } = input;
  const summary = summarizePoll(previous, toResult(end), { health: end.health, timeZone });
  const state = {
    ...recordNewestEpoch(summary.state, now),
    ...(end.pace === null ? {} : { pace: end.pace }),
  };
  if (input.feed !== 'timesheets') return { state, operations: summary.operations, rates: null };
  const absences = updateAbsencePeriods(previous, end.absences, now);
  const schedule = agenda.window
    .filter((slice) => state.failing[slice]?.told !== true)
    .map((slice) => scheduleDate(slice, { ...input, state }, {}));
  // While nothing is scanned completely, that is reported, and nothing about single dates.
  const late = progress.completeScans.size > 0 ? measureLag(schedule, now) : previous.lag.worst;
  const { lag, operations: lagOperations } = updateLag(previous.lag.since, late, now);
  const learned = learnChanges(input.rates, previous.changeCount, {
    now,
    timeZone,
    changes: new Map([...progress.changesOn].filter(([slice]) => !progress.pulled.has(slice))),
    records: countByDistance(agenda.window, input),
  });
  const operations = [...summary.operations, ...lagOperations];
  const sequence = previous.sequence + operations.length;
  return {
    state: {
      ...{ ...state, sequence, lag, changeCount: learned.count },
      ...(absences === undefined ? {} : { absences: [...absences] }),
    },
    operations,
    rates: encodeNewRates(learned.rates, input.rates),
  };
}

function encodeNewRates(learned: ChangeRates | null, known: ChangeRates): string | null {
  const text = learned === null ? null : encodeRates(learned);
  return text === encodeRates(known) ? null : text;
}

function toResult({ input, agenda, progress, ...end }: PollEnd): PollResult {
  const { now, heads, payPeriods } = input;
  const { sweptOn } = progress;
  return {
    ...progress,
    startedAt: end.startedAt,
    now,
    failingFrom: end.failingFrom,
    window: agenda.window,
    heads,
    pulls:
      sweptOn.length >= SWEEP_RECORDS
        ? pullPeriodsCovering(sweptOn, agenda.pulls, { payPeriods, now })
        : agenda.pulls,
    pages: end.pages,
    complete: end.complete,
    loadFrom: planNextLoadFrom(input, end.startedAt),
    held: end.held,
  };
}

function countByDistance(
  window: readonly string[],
  { now, timeZone, heads }: AgendaInput,
): Record<Distance, number> {
  const records = { today: 0, yesterday: 0, tomorrow: 0, recent: 0, older: 0, ahead: 0 };
  const today = toLocalDate(now, timeZone);
  for (const date of window) records[classifyDistance(date, today)] += heads.get(date)?.unsettledCount ?? 0;
  return records;
}

/** The next poll must load every head with events in its outbox, and every slice with records and without a baseline. */
function planNextLoadFrom({ heads, feed, timeZone, window, state }: AgendaInput, startedAt: number): string {
  const usual = findFirstSliceToLoad({
    feed,
    now: startedAt,
    timeZone,
    window,
    state: { ...state, loadFrom: null },
  });
  const needed = [...heads.values()].filter(({ outbox, baselinedAt, recordCount }) => {
    return outbox.length > 0 || (baselinedAt === null && recordCount > 0);
  });
  const [first = usual] = [usual, ...needed.map(({ slice }) => slice)].sort();
  return first;
}
