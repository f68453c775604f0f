import { hash } from 'node:crypto';
import * as z from 'zod';
import type { DescribableEvent } from '../core/definitions/sentences.ts';
import type { Audience } from '../core/messages/record-events.ts';
import type { ReadinessChange } from './readiness-data.ts';
import { isReadinessEvent, type ReadinessEvent } from './readiness-sentences.ts';

const DIGEST_DIGITS = 16;
/** Departments that are remembered: those that a message has a line for. */
const MAX_REMEMBERED = 12;

/** What a channel got last about how far a pay period is: no names, and of timesheets only a digest of their ids. */
export const reportedReadinessSchema = z.object({
  /** In milliseconds since 1970. */
  at: z.number(),
  unapproved: z.int(),
  /** By the ids of departments, `-` for none: which timesheets waited. */
  departments: z.record(z.string(), z.string()),
});
export type ReportedReadiness = z.output<typeof reportedReadinessSchema>;

/** What is remembered of a reminder or summary once it is sent; null for any other, and where nothing is known. */
export function toReported(event: DescribableEvent): ReportedReadiness | null {
  return isReadinessEvent(event) ? toReportedReadiness(event) : null;
}

/** What was sent last about the pay period of an event, in the form that the event is compared with. */
export type ReportedBefore = Pick<Audience, 'reportedBefore'>;

export function readReportedBefore(
  reported: ReportedReadiness | null | undefined,
  event: DescribableEvent,
): ReportedBefore {
  if (reported == null || !isReadinessEvent(event)) return {};
  return { reportedBefore: compareReported(reported, event) ?? undefined };
}

/** What is remembered of an event once it is sent. Departments of which not all timesheets are listed are left out. */
function toReportedReadiness({ time, data: { readiness } }: ReadinessEvent): ReportedReadiness {
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

/** Null for what was sent at the same moment, or later. */
function compareReported(before: ReportedReadiness, event: ReadinessEvent): ReadinessChange | null {
  const now = toReportedReadiness(event);
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
