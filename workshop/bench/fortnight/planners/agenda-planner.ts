import type { CompletedScan, PlannerInput, ScanPlanner, Step } from '../model/planner.ts';
import { MINUTE_MS } from '../trace/calendar.ts';
import { ModelledPoll } from './modelled-poll.ts';
import { type ClaimedDates, createMemory, type Memory } from './poll-memory.ts';

/** Concurrent walks of a poll, as in the flow. */
const REST_LANES = ['walk 1', 'walk 2', 'walk 3'];
const HOT_LANE = 'hot';
/** How long a poll that reads the hot dates keeps other polls from them, as in the flow. */
const HOT_CLAIM_MS = 55_000;

/** As the schedule of timesheets sets it. */
const REPEAT_MS = 50_000;

export interface AgendaPlannerOptions {
  /** How long a poll reads busy dates again and again; 0 for once. */
  readonly repeatMs?: number;
  /** Called with the duration of each poll in milliseconds. */
  readonly onPoll?: (durationMs: number) => void;
}

/**
 * The notifier: a poll every minute, which reads everything that is due, or only the hot dates while an earlier poll is
 * still running. The core decides what is due and how it is divided into walks.
 */
export function createAgendaPlanner(options: AgendaPlannerOptions = {}): ScanPlanner {
  return new AgendaPlanner(options);
}

class AgendaPlanner implements ScanPlanner {
  readonly lanes = [...REST_LANES, HOT_LANE];
  readonly readsPayPeriods = true;
  readonly #options: AgendaPlannerOptions;
  readonly #memory: Memory = createMemory();
  readonly #polls = new Map<ClaimedDates, ModelledPoll>();
  readonly #lastTick = new Map<ClaimedDates, number>();
  /** The poll that may read the hot dates besides the one that reads everything, and until when. */
  #hotClaim = { owner: Symbol('nobody'), until: 0 };

  constructor(options: AgendaPlannerOptions) {
    this.#options = options;
  }

  next(lane: string, known: PlannerInput): Step {
    const dates = lane === HOT_LANE ? 'hot' : 'all';
    const poll = this.#polls.get(dates) ?? this.#begin(dates, known);
    if (poll === undefined) return { waitUntil: nextTick(known.now) };
    const step = poll.next(lane, known);
    if (step !== 'over') return step;
    poll.end(known);
    this.#options.onPoll?.(known.now - poll.startedAt);
    this.#polls.delete(dates);
    return { waitUntil: nextTick(known.now) };
  }

  learn(scan: CompletedScan, known: PlannerInput): void {
    this.#polls.get(scan.lane === HOT_LANE ? 'hot' : 'all')?.learn(scan, known);
  }

  /** A poll begins on the minute, if the leases allow it. */
  #begin(dates: ClaimedDates, known: PlannerInput): ModelledPoll | undefined {
    const { now } = known;
    if (now % MINUTE_MS !== 0 || this.#lastTick.get(dates) === now) return undefined;
    this.#lastTick.set(dates, now);
    const owner = Symbol(dates);
    if (dates === 'hot' && !(this.#isEarlierPollRunning(now) && this.#claimHot(owner, now))) return undefined;
    const poll = new ModelledPoll(known, {
      dates,
      memory: this.#memory,
      repeatMs: this.#options.repeatMs ?? REPEAT_MS,
      claimHot: (at) => this.#claimHot(owner, at),
    });
    this.#polls.set(dates, poll);
    return poll;
  }

  /** Whether an earlier poll still reads everything. */
  #isEarlierPollRunning(now: number): boolean {
    const other = this.#polls.get('all');
    return other !== undefined && other.startedAt < now;
  }

  #claimHot(owner: symbol, now: number): boolean {
    const isForeign = this.#hotClaim.owner !== owner && this.#hotClaim.until > now;
    if (isForeign) return false;
    this.#hotClaim = { owner, until: now + HOT_CLAIM_MS };
    return true;
  }
}

function nextTick(now: number): number {
  return (Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS;
}
