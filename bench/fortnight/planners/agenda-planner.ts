import type { CompletedScan, PlannerInput, ScanPlanner, Step } from '../model/planner.ts';
import { MINUTE_MS } from '../trace/calendar.ts';
import { ModelledPoll } from './modelled-poll.ts';
import { createMemory, type Extent, type Memory } from './poll-memory.ts';

/** Walks of a poll that are under way at the same time, as in the flow. */
const REST_LANES = ['walk 1', 'walk 2', 'walk 3'];
const HOT_LANE = 'hot';
/** How long a hot look keeps other polls from one, as in the flow. */
const HOT_CLAIM_MS = 55_000;

/**
 * The notifier itself: a poll every minute, which looks at everything that is due or, while an earlier one is still
 * busy with that, at the hot dates alone. What is due, and how it is cut into walks, is decided by the core.
 */
export function createAgendaPlanner(): ScanPlanner {
  return new AgendaPlanner();
}

class AgendaPlanner implements ScanPlanner {
  readonly name = 'a poll every minute';
  readonly lanes = [...REST_LANES, HOT_LANE];
  readonly readsPayPeriods = true;
  readonly #memory: Memory = createMemory();
  readonly #polls = new Map<Extent, ModelledPoll>();
  readonly #lastTick = new Map<Extent, number>();
  /** Who may look at hot dates besides the poll that looks at everything, and until when. */
  #hotClaim = { owner: Symbol('nobody'), until: 0 };

  next(lane: string, known: PlannerInput): Step {
    const extent = lane === HOT_LANE ? 'hot' : 'everything';
    const poll = this.#polls.get(extent) ?? this.#begin(extent, known);
    if (poll === undefined) return { waitUntil: nextTick(known.now) };
    const step = poll.next(lane, known);
    if (step !== 'over') return step;
    poll.conclude(known);
    this.#polls.delete(extent);
    return { waitUntil: nextTick(known.now) };
  }

  learn(look: CompletedScan, known: PlannerInput): void {
    this.#polls.get(look.lane === HOT_LANE ? 'hot' : 'everything')?.learn(look, known);
  }

  /** A poll begins on the minute, with what the leases leave to it. */
  #begin(extent: Extent, known: PlannerInput): ModelledPoll | undefined {
    const { now } = known;
    if (now % MINUTE_MS !== 0 || this.#lastTick.get(extent) === now) return undefined;
    this.#lastTick.set(extent, now);
    const owner = Symbol(extent);
    if (extent === 'hot' && !(this.#isBusy(now) && this.#claimHot(owner, now))) return undefined;
    const poll = new ModelledPoll(known, {
      extent,
      memory: this.#memory,
      claimHot: (at) => this.#claimHot(owner, at),
    });
    this.#polls.set(extent, poll);
    return poll;
  }

  /** Whether an earlier poll is still at everything. */
  #isBusy(now: number): boolean {
    const other = this.#polls.get('everything');
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
