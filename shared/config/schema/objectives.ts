import * as z from 'zod';
import type { PAY_FEEDS } from '../../core/feeds.ts';
import { CADENCE_MS } from '../../core/plan/cadence.ts';
import { FRESHNESS_CLASSES, type FreshnessClass } from '../../freshness/classes.ts';

const UNIT_SECONDS = { s: 1, m: 60, h: 3_600 } as const;
const DURATION = /^(?<number>\d{1,6})(?<unit>[smh])$/;
/** No date is read more often. */
const MIN_SECONDS = CADENCE_MS.hot.min / 1_000;
const MAX_SECONDS = 86_400;
const MINUTE_MS = 60_000;

/** Seconds of a duration such as `90s`, `2m` or `1h`; NaN for any other text. */
function parseObjective(text: string): number {
  const { number, unit } = DURATION.exec(text)?.groups ?? {};
  return Number(number) * UNIT_SECONDS[unit as keyof typeof UNIT_SECONDS];
}

const objectiveSchema = z
  .string()
  .refine((text) => parseObjective(text) >= MIN_SECONDS && parseObjective(text) <= MAX_SECONDS, {
    error: `an objective is a number with s, m or h, from ${MIN_SECONDS}s, the shortest time between two looks at a date, to 24h; such as 60s or 2m`,
  });

/** How soon after they happened events should be published, by class, such as `{ clockings: '60s' }`. */
export const objectivesSchema = z
  .strictObject({
    /** Clocked in or out, corrected, removed or missing. */
    clockings: objectiveSchema.optional(),
    /** Approved by a manager or by payroll, or revoked. */
    approvals: objectiveSchema.optional(),
    /** Processed, or reverted. */
    processing: objectiveSchema.optional(),
    /** Timesheets created, changed or removed. */
    changes: objectiveSchema.optional(),
    /** Pay periods created, changed, closed, reopened or removed. */
    'pay-periods': objectiveSchema.optional(),
  } satisfies Record<FreshnessClass, z.ZodType>)
  .refine((objectives) => FRESHNESS_CLASSES.some((each) => objectives[each] !== undefined), {
    error: `objectives names no class; set one of ${FRESHNESS_CLASSES.join(', ')}, or leave objectives out`,
  });

type Objectives = z.output<typeof objectivesSchema>;

/** The objectives in seconds, by class. */
export function readObjectives(objectives: Objectives | undefined): Partial<Record<FreshnessClass, number>> {
  const given = FRESHNESS_CLASSES.map((each) => [each, objectives?.[each]] as const);
  return Object.fromEntries(
    given.flatMap(([each, text]) => (text === undefined ? [] : [[each, parseObjective(text)]])),
  );
}

/** An objective that much will miss although all works as planned. */
interface TightObjective {
  readonly path: string;
  readonly says: string;
  readonly mend: string;
}

/** A closing waits so long for its dates to be counted at most (ADR 28). */
const CLOSING_SECONDS = CADENCE_MS.active.max / 1_000;

/** Objectives that are shorter than the time between two looks at what they are about. */
export function findTightObjectives({
  objectives,
  schedules,
}: {
  readonly objectives?: Objectives | undefined;
  readonly schedules: Readonly<Record<(typeof PAY_FEEDS)[number], { readonly everyMinutes: number }>>;
}): TightObjective[] {
  return Object.entries(readObjectives(objectives)).flatMap(([name, seconds]) => {
    const feed = name === 'pay-periods' ? name : 'timesheets';
    const pollSeconds = schedules[feed].everyMinutes * 60;
    const { least, why } = findLeast(name as FreshnessClass, pollSeconds);
    if (seconds >= least) return [];
    const mend = `use at least ${least % 60 === 0 ? `${least / 60}m` : `${least}s`}`;
    return [
      { path: `objectives.${name}`, says: `${objectives?.[name as FreshnessClass]} is short: ${why}`, mend },
    ];
  });
}

function findLeast(name: FreshnessClass, pollSeconds: number): { least: number; why: string } {
  switch (name) {
    case 'clockings': {
      const least = Math.max(pollSeconds, CADENCE_MS.hot.max / 1_000);
      return { least, why: `they are read every ${formatMinutes(least)}` };
    }
    case 'approvals':
    case 'processing':
    case 'changes': {
      const { active, settled } = CADENCE_MS;
      return {
        least: settled.max / 1_000 + pollSeconds,
        why: `dates before yesterday are read every ${active.max / MINUTE_MS} to ${settled.max / MINUTE_MS} minutes`,
      };
    }
    case 'pay-periods':
      return {
        least: CLOSING_SECONDS + pollSeconds,
        why: `a closing waits up to ${formatMinutes(CLOSING_SECONDS)} until its dates are counted`,
      };
  }
}

function formatMinutes(seconds: number): string {
  return seconds === 60 ? 'minute' : `${seconds / 60} minutes`;
}
