import * as z from 'zod';
import { CADENCE_MS } from '../../core/plan/cadence.ts';
import { FRESHNESS_CLASSES, type FreshnessClass } from '../../freshness/classes.ts';

const UNIT_SECONDS = { s: 1, m: 60, h: 3_600 } as const;
const DURATION = /^(?<number>\d{1,6})(?<unit>[smh])$/;
/** No date is read more often. */
const MIN_SECONDS = CADENCE_MS.hot.min / 1_000;
const MAX_SECONDS = 86_400;

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
