import type { Faults } from './faults.ts';
import type { Random } from './random.ts';
import { MINUTE_MS, type Settings } from './settings.ts';

/** One invocation of the function that polls. */
export interface PlannedPoll {
  readonly at: number;
  /** How long it may take. */
  readonly milliseconds: number;
  /** It is killed when that is over; another one goes on as long as it likes. */
  readonly isKilled: boolean;
  /** Of a follow-up: until when others may follow it. */
  readonly followUpUntil?: number;
}

/** Minutes of the final polls, when nothing changes or fails any more. */
const QUIET_MINUTES = [
  ...Array.from({ length: 8 }, (_, minute) => minute),
  ...Array.from({ length: 20 }, (_, place) => 10 + place * 5),
  ...[110, 111, 112, 113, 130, 150, 151, 152],
];
/** How long a poll may take, without a short deadline. */
const POLL_MS = 240_000;

/** The polls of a history, drawn before it begins. */
export function planPolls({ ticks, quietFrom }: Settings, random: Random, faults: Faults): PlannedPoll[] {
  const planned = ticks.flatMap((tick) => {
    const polls = [planPoll(tick + random.between(0, 800), random, faults)];
    for (let others = random.chance(0.3) ? 2 : 1; others > 0; others -= 1)
      if (faults.happens('overlapping_polls'))
        polls.push(planPoll(tick + random.between(0, 2_500), random, faults));
    return polls;
  });
  const quiet = QUIET_MINUTES.map((minute) => ({
    at: quietFrom + minute * MINUTE_MS + random.between(0, 500),
    milliseconds: POLL_MS,
    isKilled: false,
  }));
  return [...planned, ...quiet];
}

/** One more poll, such as one that begins while another one is frozen. */
export function planPoll(at: number, random: Random, faults: Faults): PlannedPoll {
  const milliseconds = faults.happens('short_deadline') ? random.between(300, 3_000) : POLL_MS;
  return { at, milliseconds, isKilled: random.chance(0.5) };
}

/** Chances of a step during a poll and of a burst, and most milliseconds between the steps of a burst. */
const BUSY = { inPoll: 0.8, burst: 0.6, apartMs: 150 };
const CALM = { inPoll: 0.15, burst: 0.2, apartMs: 500 };

/** Instants at which the source changes: single steps and bursts; at a busy source mostly while it is being read. */
export function planAgenda({ ticks, startAt, quietFrom, busy }: Settings, random: Random): number[] {
  const { inPoll, burst, apartMs } = busy ? BUSY : CALM;
  const fewest = busy ? ticks.length * 3 : 0;
  const agenda: number[] = [];
  for (let steps = random.between(fewest, fewest + ticks.length * 3); steps > 0; steps -= 1) {
    let at = random.chance(inPoll)
      ? random.pick(ticks) + random.between(0, 2_500)
      : random.between(startAt, quietFrom - 1);
    for (let left = random.chance(burst) ? random.between(2, 5) : 1; left > 0; left -= 1) {
      agenda.push(at);
      at += random.between(1, apartMs);
    }
  }
  return agenda.filter((at) => at < quietFrom - 5_000).sort((a, b) => a - b);
}
