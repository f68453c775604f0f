import { toLocalDate } from '#shared/core/dates.ts';
import { NO_PROGRESS } from '#shared/core/outcome/poll-progress.ts';
import { summarizePoll } from '#shared/core/outcome/summarize-poll.ts';
import {
  type Agenda,
  type AgendaInput,
  type DueSlice,
  planAgenda,
  scheduleDate,
  sortByUrgency,
} from '#shared/core/plan/agenda.ts';
import { CADENCE_MS } from '#shared/core/plan/cadence.ts';
import { type ChangeRates, classifyDistance, learnChanges } from '#shared/core/plan/change-rates.ts';
import { type PollCoverage, updateBursts, updateCoverage } from '#shared/core/plan/coverage.ts';
import { PaceMeter } from '#shared/core/plan/pace-meter.ts';
import type { PlanPart } from '#shared/core/plan/parts.ts';
import { pullMovedPeriods, pullPeriodsCovering } from '#shared/core/plan/pulls.ts';
import { WorkList } from '#shared/core/plan/work-list.ts';
import type { FeedState } from '#shared/core/snapshot/feed-state.ts';
import { isClaimed } from '#shared/flow/poll/claims.ts';
import type { CompletedScan, PlannerInput, Step } from '../model/planner.ts';
import { WINDOW } from '../model/run-model.ts';
import { MINUTE_MS } from '../trace/calendar.ts';
import { createFindings, type ModelledPollOptions, POLL_BOUNDS } from './poll-memory.ts';

/** A poll fetches during three quarters of its 300 s, less a second for its answer. */
const FETCH_MS = (300_000 - 1_000) * 0.75;
const SETTINGS = { health: { unreachableAfterPolls: 5, stalledAfterMinutes: 30 }, timeZone: 'UTC' };

/** A poll as the flow runs it, with the same plan, walks and repeats, but without records. */
export class ModelledPoll {
  readonly startedAt: number;
  readonly #order: ModelledPollOptions;
  readonly #state: FeedState;
  readonly #rates: ChangeRates;
  readonly #fetchUntil: number;
  readonly #repeatUntil: number;
  #agenda: Agenda;
  readonly #pulled = new Set<string>();
  readonly #pace: PaceMeter;
  readonly #found = createFindings();
  readonly #walks = new Map<string, { readonly part: PlanPart; readonly missing: number }>();
  #work: WorkList;
  /** When busy dates are read again; null while there is work. */
  #wakeAt: number | null = null;
  #isReadingPeriods = false;
  #hasReadPulled = false;

  constructor(known: PlannerInput, order: ModelledPollOptions) {
    this.startedAt = known.now;
    this.#order = order;
    this.#state = order.memory.state;
    this.#rates = order.memory.rates;
    this.#fetchUntil = known.now + FETCH_MS;
    this.#repeatUntil = known.now + order.repeatMs;
    this.#pace = new PaceMeter(this.#state.pages);
    this.#agenda = planAgenda(this.#input(known));
    const due = this.#agenda.due.filter((each) => isClaimed(each, this.#order));
    this.#work = new WorkList(this.#notePulled(due), this.#state.turn, this.#agenda.early);
  }

  /** What a lane of this poll does next. */
  next(lane: string, known: PlannerInput): Step | 'over' {
    const { now } = known;
    if (this.#wakeAt !== null) {
      if (now < this.#wakeAt) return { waitUntil: this.#wakeAt };
      if (now - known.payPeriodsAt >= POLL_BOUNDS.maxPeriodsAgeMs) return this.#readPeriods(now);
      this.#isReadingPeriods = false;
      this.#work = this.#planAgain(known, () => true);
      this.#wakeAt = null;
    }
    const part = this.#takePart(known);
    if (part !== null) return this.#beginWalk(lane, part, now);
    // A lane that ends its walk wakes the others up.
    if (this.#walks.size > 0) return { waitUntil: now + MINUTE_MS };
    this.#found.turn = this.#work.turn;
    this.#found.remainingSlices += this.#work.remaining.length;
    if (!this.#hasReadPulled) return this.#readPulled(lane, known);
    this.#wakeAt = this.#computeNextWake(known);
    return this.#wakeAt === null ? 'over' : { waitUntil: this.#wakeAt };
  }

  #readPeriods(now: number): Step {
    if (this.#isReadingPeriods) return { waitUntil: now + MINUTE_MS };
    this.#isReadingPeriods = true;
    return { readsPayPeriods: true };
  }

  /** Once, without a wait: the pay periods were read beside the first walks. */
  #readPulled(lane: string, known: PlannerInput): Step | 'over' {
    this.#hasReadPulled = true;
    this.#work = this.#planAgain(known, ({ isPulled }) => isPulled === true);
    return this.next(lane, known);
  }

  learn(
    { lane, dates, startedAt, endedAt, complete, pages, changes }: CompletedScan,
    known: PlannerInput,
  ): void {
    const walk = this.#walks.get(lane);
    if (walk === undefined) throw new Error(`${lane} has no walk`);
    this.#walks.delete(lane);
    const { isHot } = walk.part;
    const size = pages > 1 ? known.pageSize : null;
    for (let page = 0; page < pages; page += 1) this.#pace.arrive(endedAt);
    this.#pace.end(endedAt, { isHot, startedAt, size, missing: walk.missing });
    for (const { date, type } of changes) {
      this.#found.changesOn.set(date, (this.#found.changesOn.get(date) ?? 0) + 1);
      if (type === 'timesheet.processed' || type === 'timesheet.payroll_approved')
        this.#found.sweptOn.push(date);
    }
    if (!complete) return;
    for (const date of dates) {
      this.#found.attempted.add(date);
      this.#found.completeScans.set(date, { at: startedAt, unseen: {} });
    }
  }

  /** Saves what the next polls need. */
  end(known: PlannerInput): void {
    const { memory } = this.#order;
    const { now } = known;
    const { pulls, window } = this.#agenda;
    const { sweptOn, changesOn } = this.#found;
    const isSwept = sweptOn.length >= POLL_BOUNDS.sweepRecords;
    const { state } = summarizePoll(
      memory.state,
      {
        ...NO_PROGRESS,
        ...this.#found,
        ...this.#coverage(known),
        failingFrom: this.startedAt,
        pulls: isSwept ? pullPeriodsCovering(sweptOn, pulls, { payPeriods: known.payPeriods, now }) : pulls,
        pages: this.#pace.remembered,
        complete: this.#found.remainingSlices === 0,
        sourceAnswered: true,
        loadRange: { loadFrom: null },
        held: {},
      },
      SETTINGS,
    );
    const records = { today: 0, yesterday: 0, tomorrow: 0, recent: 0, older: 0, ahead: 0 };
    for (const date of window)
      records[classifyDistance(date, toLocalDate(now, 'UTC'))] += known.heads.get(date)?.unsettledCount ?? 0;
    const changes = new Map([...changesOn].filter(([date]) => !this.#pulled.has(date)));
    const seen = { now, timeZone: 'UTC', changes, records };
    const learned = learnChanges(this.#rates, memory.state.changeCount, seen);
    memory.state = { ...state, changeCount: learned.count };
    memory.rates = learned.rates ?? memory.rates;
  }

  #beginWalk(lane: string, part: PlanPart, now: number): Step {
    const missing = Math.max(1, Math.ceil(part.expectedRecords / this.#pace.cost.size));
    this.#pace.begin(now);
    this.#pace.expect(missing);
    this.#walks.set(lane, { part, missing });
    return { dates: part.slices, askUntil: this.#fetchUntil };
  }

  /** The next part while there is time; hot dates are fetched alone, and again when their minute is over. */
  #takePart(known: PlannerInput): PlanPart | null {
    const isHotUnderWay = [...this.#walks.values()].some(({ part }) => part.isHot);
    const isFull =
      this.#walks.size >= POLL_BOUNDS.maxWalks || this.#pace.pledgedPages >= POLL_BOUNDS.maxPagesUnderWay;
    if (isFull || isHotUnderWay || known.now >= this.#fetchUntil) return null;
    this.#requeueHotDates(known);
    const { ms, size } = this.#pace.cost;
    const given = this.#work.next({
      leftMs: Math.max(0, this.#fetchUntil - known.now - this.#pace.pledgedMs),
      wholeMs: this.#fetchUntil - this.startedAt,
      hotMs: this.#pace.hotMs,
      msPerPage: ms,
      pageSize: size,
    });
    return given?.part ?? null;
  }

  #requeueHotDates(known: PlannerInput): void {
    const over = this.#agenda.due.filter((each) => {
      const at = this.#found.completeScans.get(each.slice)?.at;
      return each.class === 'hot' && at !== undefined && known.now - at >= each.cadenceMs;
    });
    if (over.length === 0 || this.#work.hasHot || !this.#work.hasOthers || !this.#order.claimHot(known.now))
      return;
    const input = this.#input(known);
    this.#work.addDue(over.map(({ slice }) => scheduleDate(slice, input, this.#agenda.pulls)));
  }

  /** When busy dates are due again before the next poll. */
  #computeNextWake(known: PlannerInput): number | null {
    const { now } = known;
    const busy = this.#schedule(known).filter(
      ({ slice, cadenceMs }) => cadenceMs < CADENCE_MS.hot.max && this.#found.completeScans.has(slice),
    );
    if (busy.length === 0) return null;
    const at = Math.max(Math.min(...busy.map(({ owedSince }) => owedSince)), now + POLL_BOUNDS.minPauseMs);
    return at >= Math.min(this.#repeatUntil, this.#fetchUntil) ? null : at;
  }

  /** What is due now, with the pay periods as they are now. */
  #planAgain(known: PlannerInput, isWanted: (slice: DueSlice) => boolean): WorkList {
    const pulls = pullMovedPeriods(this.#agenda, known.payPeriods, this.#input(known));
    this.#agenda = { ...this.#agenda, pulls };
    const scheduled = this.#schedule(known);
    const isDue = ({ owedSince }: DueSlice) => owedSince <= known.now;
    const due = scheduled.filter((each) => isDue(each) && isWanted(each));
    const early = scheduled.filter((each) => !isDue(each));
    return new WorkList(
      this.#notePulled(sortByUrgency(due, this.#input(known))),
      this.#found.turn ?? 0,
      early,
    );
  }

  #notePulled(due: readonly DueSlice[]): readonly DueSlice[] {
    for (const { slice, isPulled } of due) if (isPulled) this.#pulled.add(slice);
    return due;
  }

  #schedule(known: PlannerInput): DueSlice[] {
    const seen = this.#coverage(known);
    const [coverage, bursts] = [updateCoverage(this.#state, seen), updateBursts(this.#state, seen)];
    const input = { ...this.#input(known), state: { ...this.#state, coverage, bursts } };
    return this.#agenda.window
      .map((slice) => scheduleDate(slice, input, this.#agenda.pulls))
      .filter((each) => isClaimed(each, this.#order));
  }

  #coverage({ now, heads }: PlannerInput): PollCoverage {
    return { ...this.#found, startedAt: this.startedAt, now, window: this.#agenda.window, heads };
  }

  #input({ now, heads, payPeriods }: PlannerInput): AgendaInput {
    return {
      feed: 'timesheets',
      scope: 'due',
      now,
      timeZone: 'UTC',
      window: WINDOW,
      state: this.#state,
      heads,
      payPeriods,
      rates: this.#rates,
      pageSize: this.#pace.cost.size,
    };
  }
}
