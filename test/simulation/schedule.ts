import { SOURCE_ERROR_CODES, type SourceErrorCode } from '#shared/core/errors.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import type { Faults } from './faults.ts';
import { POISONS, type PoisonedSpell } from './ports/poison.ts';
import type { Random } from './random.ts';
import { drawSettings, MINUTE_MS, type Settings } from './settings.ts';

/** One invocation of a poll function. */
export interface PlannedPoll {
  readonly feed: FeedName;
  readonly at: number;
  readonly scope: 'due' | 'window';
  /** How long it may take before it is killed. */
  readonly milliseconds: number;
}

/** Who does what when in a history, drawn before it begins. */
export interface HistoryPlan {
  readonly settings: Settings;
  readonly polls: readonly PlannedPoll[];
  /** Instants at which something happens at the source, in order. */
  readonly agenda: readonly number[];
  readonly poisons: readonly PoisonedSpell[];
  readonly outages: readonly {
    readonly from: number;
    readonly to: number;
    readonly code: SourceErrorCode;
  }[];
}

/** Looks at the whole window at the end, far enough apart that doubted absences are believed. */
const QUIET_ROUNDS = 3;
/** Absent records that a poll asks for at most: a whole roster that is gone takes several. */
const ASKED_PER_POLL = 200;
const QUIET_GAP_MS = 40 * MINUTE_MS;
/** How long a poll may take before it is killed, when it is not hurried. */
export const LONGEST_POLL_MS = 60_000;

export function planHistory(random: Random, faults: Faults): HistoryPlan {
  const settings = drawSettings(random, faults);
  const polls = settings.ticks.flatMap((at) => pollsOf(at, random, faults));
  const rounds = QUIET_ROUNDS + Math.ceil(settings.rosterSize / ASKED_PER_POLL);
  for (let round = 0; round < rounds; round += 1) {
    polls.push(...quietRound(settings, { round, later: random.between(0, 500) }));
  }
  // Midnight may bring in a date with the last of them, which then asks for what one more poll is to tell.
  polls.push(...quietRound(settings, { round: rounds, later: 250 }));
  return {
    settings,
    polls,
    agenda: agendaOf(settings, random),
    poisons: faults.has('poison_record') ? poisonsOf(settings, random) : [],
    outages: faults.has('outage') ? [outageOf(settings, random)] : [],
  };
}

function quietRound(
  { quietFrom }: Settings,
  { round, later }: { readonly round: number; readonly later: number },
): PlannedPoll[] {
  const at = quietFrom + round * QUIET_GAP_MS;
  return [
    { feed: 'pay-periods', at, scope: 'window', milliseconds: LONGEST_POLL_MS },
    { feed: 'timesheets', at: at + later, scope: 'window', milliseconds: LONGEST_POLL_MS },
  ];
}

function pollsOf(at: number, random: Random, faults: Faults): PlannedPoll[] {
  const polls: PlannedPoll[] = [];
  const add = (feed: FeedName, later: number, takeOver: boolean) => {
    const short = faults.happens('short_deadline');
    polls.push({
      feed,
      at: at + later,
      scope: takeOver || random.chance(0.15) ? 'window' : 'due',
      milliseconds: short ? random.between(300, 3_000) : LONGEST_POLL_MS,
    });
  };
  const feeds: FeedName[] = random.chance(0.5) ? ['timesheets', 'pay-periods'] : ['timesheets'];
  for (const feed of feeds) {
    add(feed, random.between(0, 800), false);
    for (let others = random.chance(0.3) ? 2 : 1; others > 0; others -= 1) {
      if (!faults.strikes('overlapping_polls')) continue;
      add(feed, random.between(0, 2_500), faults.has('lease_taken_over') && random.chance(0.7));
    }
  }
  return polls;
}

/** How lively a source is: chances of a step within a poll and of a burst, and milliseconds within one. */
const BUSY = { inPoll: 0.8, burst: 0.6, apartMs: 150 };
const CALM = { inPoll: 0.15, burst: 0.2, apartMs: 500 };

/** Single steps, bursts, and, at a busy source, steps while it is being read. */
function agendaOf({ ticks, startAt, quietFrom, busy }: Settings, random: Random): number[] {
  const { inPoll, burst, apartMs } = busy ? BUSY : CALM;
  const fewest = busy ? ticks.length : 0;
  const agenda: number[] = [];
  for (let steps = random.between(fewest, fewest + ticks.length * 2); steps > 0; steps -= 1) {
    let at = random.chance(inPoll)
      ? random.pick(ticks) + random.between(0, 2_500)
      : random.between(startAt, quietFrom - 1);
    for (let left = random.chance(burst) ? random.between(2, 5) : 1; left > 0; left -= 1) {
      agenda.push(at);
      at += random.between(1, apartMs);
    }
  }
  return agenda.filter((at) => at < quietFrom - 1_000).sort((a, b) => a - b);
}

function poisonsOf(settings: Settings, random: Random): PoisonedSpell[] {
  return Array.from({ length: random.between(1, 3) }, () => {
    const from = random.pick(settings.ticks) - random.between(1, MINUTE_MS);
    const to = Math.min(settings.quietFrom, from + random.between(1, 12 * 60) * MINUTE_MS);
    const id = `${random.between(1, 8)}_${random.chance(0.8) ? 1 : 2}`;
    return { id, from, to, poison: random.pick(POISONS) };
  });
}

function outageOf(settings: Settings, random: Random): HistoryPlan['outages'][number] {
  const from = random.pick(settings.ticks) - random.between(0, 2_000);
  const to = Math.min(settings.quietFrom, from + random.between(1, 240) * MINUTE_MS);
  return { from, to: Math.max(to, from + 1), code: random.pick(SOURCE_ERROR_CODES) };
}
