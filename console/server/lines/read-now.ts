import * as z from 'zod';
import { type Line, type LineFilter, lineFilterSchema } from '#console/answers/lines.ts';
import type { NowView } from '#console/pages/now.ts';
import { addDays, isDate, parseInstant } from '#shared/core/dates.ts';
import { logKeyAt } from '#shared/core/snapshot/log-key.ts';
import type { ConsoleContext } from '../context.ts';
import type { ConnectionKnowledge } from '../knowledge.ts';
import { createLineTest, listLines } from './list-lines.ts';

const PAGE_LINES = 300;

export const nowQuerySchema = lineFilterSchema.extend({
  /** Only of this date, in the zone of the connection. */
  day: z.string().refine(isDate, 'is no date such as 2026-11-20').optional(),
  /** Only lines before this key. */
  before: z.string().max(300).optional(),
});
type NowQuery = z.output<typeof nowQuerySchema>;

/** What happened, newest first: until now, or on one day. Throws what the store throws. */
export async function readNow(
  { day, before, ...filter }: NowQuery,
  context: ConsoleContext,
): Promise<NowView> {
  const known = await context.knowledge.loadAll();
  const zone = known.find(({ connection }) => connection === filter.connection) ?? known[0];
  const stretch = day === undefined ? null : toStretch(day, zone?.timeZone ?? 'UTC');
  const { lines, next } = await listLines(context, {
    before: before ?? (stretch === null ? null : logKeyAt(stretch.to)),
    ...(stretch === null ? {} : { from: stretch.from }),
    limit: PAGE_LINES,
    isWanted: createNowTest(filter),
  });
  return {
    ...{ filter, lines, next, day: day ?? null },
    departments: listDepartments(known),
    connections: known.map(({ connection }) => connection),
  };
}

function toStretch(day: string, timeZone: string): { readonly from: number; readonly to: number } {
  const begin = (date: string) => parseInstant(`${date}T00:00:00`, timeZone) ?? Date.parse(date);
  return { from: begin(day), to: begin(addDays(day, 1)) };
}

/** What is published regularly is only news where it is asked for. */
export function createNowTest(filter: LineFilter): (line: Line) => boolean {
  const isWanted = createLineTest(filter);
  return (line) => (filter.type !== undefined || line.type !== 'feed.complete') && isWanted(line);
}

function listDepartments(known: readonly ConnectionKnowledge[]): NowView['departments'] {
  const names = new Map(known.flatMap((each) => [...each.names.departments]));
  return [...names]
    .map(([id, name]) => ({ id, name }))
    .sort((a, b) => a.name.localeCompare(b.name, 'en') || a.id.localeCompare(b.id, 'en'));
}
