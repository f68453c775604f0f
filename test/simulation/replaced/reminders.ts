import { describe, vi } from 'vitest';
import type * as CountModule from '#shared/period/readiness.ts';
import type * as MomentsModule from '#shared/period/readiness-moments.ts';
import { testPlantedFaults } from '../planted-faults.ts';

/** Mistakes about the moments before a deadline. */
const PLANTED = {
  again: 'tells a moment again in every poll',
  late: 'reminds after the deadline',
  first: 'tells the first of several moments that passed',
  never: 'leaves the first moment out',
  numbers: 'counts what is approved as not approved',
  noise: 'tells of periods with nothing to do',
} as const;

/** What is said of each. */
const SAID: Readonly<Record<keyof typeof PLANTED, RegExp>> = {
  again: /was told before/,
  late: /after the deadline/,
  first: /had come by then/,
  never: /was not told by poll/,
  numbers: /in the world|are listed|not the whole/,
  noise: /nothing is open/,
};

const planted = vi.hoisted(() => ({ name: '' }));

vi.mock('#shared/period/readiness-moments.ts', async (original) => {
  const right = await original<typeof MomentsModule>();
  const findDueReadiness: typeof right.findDueReadiness = (period, moments, plan) => {
    if (period.closed) return right.findDueReadiness(period, moments, plan);
    const { since, now } = moments;
    const find = (from: number, to: number) => right.findDueReadiness(period, { since: from, now: to }, plan);
    switch (planted.name) {
      case PLANTED.again:
        return find(0, now);
      case PLANTED.late: {
        const passed = find(since, now - 30 * 60_000);
        return passed?.deadline != null && passed.deadline <= now ? passed : find(since, now);
      }
      case PLANTED.first: {
        const due = find(since, now);
        const first = due?.reminder == null ? null : find(since, due.reminder.at - 1);
        return first ?? due;
      }
      case PLANTED.never:
        return null;
      default:
        return find(since, now);
    }
  };
  return { ...right, findDueReadiness };
});

vi.mock('#shared/period/readiness.ts', async (original) => {
  const right = await original<typeof CountModule>();
  const countReadiness: typeof right.countReadiness = (...given) => {
    const counted = right.countReadiness(...given);
    return planted.name === PLANTED.numbers
      ? { ...counted, approved: 0, unapproved: counted.timesheets }
      : counted;
  };
  const isWorthTelling: typeof right.isWorthTelling = (readiness) =>
    planted.name === PLANTED.noise || right.isWorthTelling(readiness);
  return { ...right, countReadiness, isWorthTelling };
});

describe('an engine that', () => {
  testPlantedFaults(
    '%s is caught',
    Object.entries(PLANTED).map(([mistake, name]) => ({
      name,
      said: SAID[mistake as keyof typeof PLANTED],
      isCandidate: async (seed) => (await import('./candidates.ts')).hasReminders(seed),
    })),
    planted,
  );
});
