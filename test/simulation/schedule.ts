import { SOURCE_ERROR_CODES, type SourceErrorCode } from '#shared/core/errors.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import type { Faults } from './faults.ts';
import { POISONS, type PoisonedSpell } from './ports/poison.ts';
import type { Random } from './random.ts';
import { drawSettings, MINUTE_MS, type Settings } from './settings.ts';
import { drawSpells, type Spells } from './spells.ts';
import { feedsOf } from './world/lives.ts';

/** One invocation of a poll function. */
export interface PlannedPoll {
  readonly feed: FeedName;
  readonly at: number;
  readonly scope: 'due' | 'owed' | 'window';
  /** Of a follow-up: until when others may follow it. */
  readonly repeatUntil?: number;
  /** How long it may take before it is killed. */
  readonly milliseconds: number;
}

/** Polls, steps and faults of a history, drawn before it begins. */
export interface HistoryPlan {
  readonly settings: Settings;
  readonly polls: readonly PlannedPoll[];
  /** Instants at which the source changes, in order. */
  readonly agenda: readonly number[];
  readonly poisons: readonly PoisonedSpell[];
  readonly outages: readonly {
    readonly from: number;
    readonly to: number;
    readonly code: SourceErrorCode;
  }[];
  readonly spells: Spells;
}

/**
 * Minutes of the final polls, when nothing changes or fails any more: long enough for retries of failed dates, for
 * dates that are rarely read, and for removals that are held.
 */
const QUIET_MINUTES = [0, 1, 2, 5, 15, 30, 31, 32, 45, 61, 62, 63, 64, 80, 94, 95, 126, 127];
const QUIET_PAY_PERIOD_MINUTES: ReadonlySet<number> = new Set([0, 1, 31, 62, 126]);
/** For a window that takes several polls. */
const SLOW_QUIET_MINUTES = [
  ...minutes(0, 20),
  ...minutes(30, 45),
  ...minutes(60, 75),
  ...minutes(92, 100),
  126,
];
/** Absent records that a poll requests at most: a whole roster that is gone takes several polls. */
const MAX_LOOK_UPS = 200;
/** By then no removal is held any more. */
const RELEASED_MINUTE = 62;
/** How long a poll may take before it is killed, without a short deadline. */
export const MAX_POLL_MS = 60_000;

export function planHistory(random: Random, faults: Faults): HistoryPlan {
  const settings = drawSettings(random, faults);
  const polls = settings.ticks.flatMap((at) => pollsOf(at, random, faults));
  for (const minute of quietMinutes(settings)) {
    polls.push(...quietPolls(settings, { minute, later: random.between(0, 500) }));
  }
  return {
    settings,
    polls,
    agenda: agendaOf(settings, random),
    spells: drawSpells(settings, random, faults),
    poisons: faults.has('poison_record') ? poisonsOf(settings, random) : [],
    outages: faults.has('outage') ? [outageOf(settings, random)] : [],
  };
}

/** The same polls, faults and instants, of the other feeds. */
export function turnToDirectory({ settings, polls, ...plan }: HistoryPlan): HistoryPlan {
  const directory = { ...settings, directory: true, rosterSize: 0, passing: false } as const;
  const [many, few] = feedsOf(directory);
  const turned = polls.map((each) => ({ ...each, feed: each.feed === 'timesheets' ? many : few }));
  const topics = plan.spells.topics.map((spell) =>
    spell.topic === 'operations' ? spell : { ...spell, topic: 'directory' as const },
  );
  return { ...plan, settings: directory, polls: turned, spells: { ...plan.spells, topics } };
}

function quietMinutes({ wide, rosterSize }: Settings): readonly number[] {
  if (wide) return SLOW_QUIET_MINUTES;
  const more = Math.ceil(rosterSize / MAX_LOOK_UPS);
  return [...new Set([...QUIET_MINUTES, ...minutes(RELEASED_MINUTE, RELEASED_MINUTE + more)])].sort(
    (a, b) => a - b,
  );
}

function minutes(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

function quietPolls(
  { quietFrom }: Settings,
  { minute, later }: { readonly minute: number; readonly later: number },
): PlannedPoll[] {
  const at = quietFrom + minute * MINUTE_MS;
  const poll = (feed: FeedName, begins: number): PlannedPoll => {
    return { feed, at: begins, scope: 'due', milliseconds: MAX_POLL_MS };
  };
  const timesheets = poll('timesheets', at + later);
  return QUIET_PAY_PERIOD_MINUTES.has(minute) ? [poll('pay-periods', at), timesheets] : [timesheets];
}

function pollsOf(at: number, random: Random, faults: Faults): PlannedPoll[] {
  const polls: PlannedPoll[] = [];
  const add = (feed: FeedName, later: number, takeOver: boolean) => {
    const short = faults.happens('short_deadline');
    polls.push({
      feed,
      at: at + later,
      scope: takeOver || random.chance(0.15) ? 'window' : 'due',
      milliseconds: short ? random.between(300, 3_000) : MAX_POLL_MS,
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

/** Of the messages that start follow-ups. */
const LOST_SHARE = 0.1;
const DOUBLED_SHARE = 0.1;
const MAX_MESSAGE_MS = 500;

interface DueFollowUp {
  /** By the clock of the poll that asks for it, which is ahead by so much. */
  readonly at: number;
  readonly until: number;
  readonly skew: number;
  readonly now: number;
}

/** Delays are whole seconds, and a message takes a moment; now and then it is lost, or comes twice. */
export function planFollowUps(
  poll: PlannedPoll,
  { at, until, skew, now }: DueFollowUp,
  { faults, random }: { readonly faults: Faults; readonly random: Random },
): PlannedPoll[] {
  const delayMs = Math.max(0, Math.ceil((at - now - skew) / 1_000) * 1_000);
  const messages = random.chance(LOST_SHARE) ? 0 : random.chance(DOUBLED_SHARE) ? 2 : 1;
  if (messages > 0) faults.note('looked_again');
  if (messages !== 1) faults.note(messages === 0 ? 'follow_up_lost' : 'follow_up_doubled');
  return Array.from({ length: messages }, () => ({
    ...poll,
    at: now + delayMs + random.between(0, MAX_MESSAGE_MS),
    scope: 'owed',
    milliseconds: MAX_POLL_MS,
    repeatUntil: until,
  }));
}

/** Chances of a step during a poll and of a burst, and most milliseconds between the steps of a burst. */
const BUSY = { inPoll: 0.8, burst: 0.6, apartMs: 150 };
const CALM = { inPoll: 0.15, burst: 0.2, apartMs: 500 };

/** Single steps and bursts; at a busy source mostly while it is being read. */
function agendaOf({ ticks, startAt, quietFrom, busy }: Settings, random: Random): number[] {
  const { inPoll, burst, apartMs } = busy ? BUSY : CALM;
  const fewest = busy ? ticks.length * 3 : 0;
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
