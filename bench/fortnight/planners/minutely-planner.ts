import { EMPTY_FEED_STATE, type FeedState } from '#shared/core/feed-state.ts';
import { type PlanPart, planPoll, pullForward } from '#shared/core/plan.ts';
import type { Known, Look, LookPlanner, Step } from '../model/planner.ts';
import { WINDOW } from '../model/run-model.ts';
import { MINUTE_MS } from '../trace/calendar.ts';

/** Of a function's 300 s, less the margin for its answer, the share in which it fetches. */
const FETCH_MS = (300_000 - 1_000) * 0.75;
/** Records processed in one poll that count as a burst. */
const BURST_OF_PROCESSING = 5;

/** A poll every minute that looks at what `planPoll` of the core finds due, part after part. */
export function createMinutelyPlanner(): LookPlanner {
  let state: FeedState = EMPTY_FEED_STATE;
  let parts: readonly PlanPart[] = [];
  let fetchUntil = 0;
  let pollsAt = 0;
  let processedOn: string[] = [];
  return {
    name: 'a poll every minute',
    lanes: ['poll'],
    readsPayPeriods: true,
    next(_lane: string, known: Known): Step {
      const [part, ...rest] = parts;
      if (part !== undefined && known.now < fetchUntil) {
        parts = rest;
        return { dates: part.slices, askUntil: fetchUntil };
      }
      parts = [];
      if (processedOn.length >= BURST_OF_PROCESSING) {
        const { now, payPeriods } = known;
        state = { ...state, pulls: pullForward(state.pulls, processedOn, { payPeriods, now }) };
      }
      processedOn = [];
      if (known.now < pollsAt) return { waitUntil: pollsAt };
      if (known.now > pollsAt) {
        pollsAt = Math.ceil(known.now / MINUTE_MS) * MINUTE_MS;
        if (known.now < pollsAt) return { waitUntil: pollsAt };
      }
      fetchUntil = known.now + FETCH_MS;
      pollsAt = known.now + MINUTE_MS;
      const plan = planPoll({
        feed: 'timesheets',
        scope: 'due',
        now: known.now,
        timeZone: 'UTC',
        window: WINDOW,
        state,
        heads: known.heads,
        payPeriods: known.payPeriods,
      });
      state = { ...state, pulls: plan.pulls };
      parts = plan.parts;
      const [first, ...others] = parts;
      if (first === undefined) return { waitUntil: pollsAt };
      parts = others;
      return { dates: first.slices, askUntil: fetchUntil };
    },
    learn({ changes }: Look): void {
      processedOn.push(
        ...changes.filter(({ type }) => type === 'timesheet.processed').map(({ date }) => date),
      );
    },
  };
}
