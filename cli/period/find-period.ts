import { NotifierError } from '#shared/core/errors.ts';
import { buildQueries, type LogQuery } from '#shared/operator/log-query.ts';
import { createUnknownPeriodError } from '#shared/operator/statement/members.ts';
import type { Target } from '#shared/operator/target.ts';

/** How far the log is read for closings. */
export const CLOSINGS_SINCE = '90d';

/** A pay period as it was read, and the connection that has it. */
interface FoundPeriod<Found> extends Pick<LogQuery, 'connection'> {
  readonly found: Found;
}

/**
 * Reads a pay period from the connection that has it. `read` returns null where it is not. Throws a `NotifierError`
 * (`period_unknown`, `period_ambiguous`).
 */
export async function findPeriod<Found>(
  id: string,
  { connection: wanted }: { readonly connection?: string },
  target: Target,
  read: (query: LogQuery) => Promise<Found | null>,
): Promise<FoundPeriod<Found>> {
  const all: FoundPeriod<Found>[] = [];
  const flags = { since: CLOSINGS_SINCE, ...(wanted === undefined ? {} : { connection: wanted }) };
  for (const query of buildQueries(flags, target)) {
    const found = await read(query);
    if (found !== null) all.push({ connection: query.connection, found });
  }
  const [only, ...others] = all;
  if (only === undefined) throw createUnknownPeriodError(id);
  if (others.length === 0) return only;
  const names = all.map(({ connection }) => connection.name).join(', ');
  throw new NotifierError(
    'period_ambiguous',
    `pay period ${id} is in ${names}; choose one with --connection`,
  );
}
