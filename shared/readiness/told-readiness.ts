import { hash } from 'node:crypto';
import * as z from 'zod';
import type { ReadinessChange } from './readiness-data.ts';
import type { ReadinessEvent } from './readiness-sentences.ts';

const DIGEST_DIGITS = 16;
/** Departments that are remembered: those that a message has a line for. */
const MAX_REMEMBERED = 12;

/** What a channel was told last of how far a pay period is: no names, and of timesheets only a digest of their ids. */
export const toldReadinessSchema = z.object({
  /** In milliseconds since 1970. */
  at: z.number(),
  unapproved: z.int(),
  /** By the ids of departments, `-` for none: which timesheets waited. */
  departments: z.record(z.string(), z.string()),
});
export type ToldReadiness = z.output<typeof toldReadinessSchema>;

/** What is remembered of an event once it is told. Departments of which not all timesheets are listed are left out. */
export function toToldReadiness({ time, data: { readiness } }: ReadinessEvent): ToldReadiness {
  const { unapproved, byDepartment, waiting } = readiness;
  const isWhole = waiting.length === unapproved;
  const shown = isWhole ? byDepartment.slice(0, MAX_REMEMBERED) : [];
  const departments = shown.map(({ departmentId }) => [departmentId ?? '-', digestOf(departmentId, waiting)]);
  return { at: Date.parse(time), unapproved, departments: Object.fromEntries(departments) };
}

function digestOf(
  departmentId: string | null,
  waiting: ReadinessEvent['data']['readiness']['waiting'],
): string {
  const ids = waiting.filter((each) => each.departmentId === departmentId).map((each) => each.timesheetId);
  return hash('sha256', JSON.stringify(ids.sort()), 'hex').slice(0, DIGEST_DIGITS);
}

/** Null for what was told at the same moment, or later. */
export function compareTold(before: ToldReadiness, event: ReadinessEvent): ReadinessChange | null {
  const now = toToldReadiness(event);
  const { at, unapproved } = before;
  if (at >= now.at) return null;
  const ids = event.data.readiness.byDepartment.map(({ departmentId }) => departmentId);
  const unchanged = ids.filter((id) => {
    const digest = now.departments[id ?? '-'];
    return digest !== undefined && digest === before.departments[id ?? '-'];
  });
  const isWhole = unchanged.length === ids.length && ids.length === Object.keys(before.departments).length;
  const isSame = unapproved === now.unapproved && ids.length > 0 && isWhole;
  return { at, unapproved, isSame, unchanged: new Set(unchanged) };
}
