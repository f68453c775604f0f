import type { Connection } from '#shared/config/schema/connection.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { buildQueries, openEventLog } from '#shared/operator/log-query.ts';
import { openStore } from '#shared/operator/open-store.ts';
import type { Target } from '#shared/operator/target.ts';
import { readPeriod } from '#shared/period/flow/read-period.ts';
import type { PeriodReading } from '#shared/period/reading.ts';
import { escapeUnprintable } from '#shared/terminal/output.ts';

/** How far the log is read for what was told. */
export const TOLD_SINCE = '90d';

/** A pay period, and the connection that has it. */
export interface FoundPeriod {
  readonly connection: Connection;
  readonly reading: PeriodReading;
}

/** Throws a `NotifierError` (`period_unknown`, `period_ambiguous`). */
export async function findPeriod(
  id: string,
  { connection: wanted }: { readonly connection?: string },
  target: Target,
): Promise<FoundPeriod> {
  const source = { store: openStore(target), log: openEventLog(target) };
  const found: FoundPeriod[] = [];
  const flags = { since: TOLD_SINCE, ...(wanted === undefined ? {} : { connection: wanted }) };
  for (const { connection, from, to } of buildQueries(flags, target)) {
    const reading = await readPeriod(id, connection, { ...source, range: { from, to } });
    if (reading !== null) found.push({ connection, reading });
  }
  const [only, ...others] = found;
  if (only === undefined) throw createUnknownPeriodError(id);
  if (others.length === 0) return only;
  const names = found.map(({ connection }) => connection.name).join(', ');
  throw new NotifierError(
    'period_ambiguous',
    `pay period ${id} is in ${names}; choose one with --connection`,
  );
}

export function createUnknownPeriodError(id: string): NotifierError {
  return new NotifierError(
    'period_unknown',
    `no pay period ${escapeUnprintable(id)} is stored; period without an id lists them`,
  );
}
