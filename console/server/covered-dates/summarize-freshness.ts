import type { FreshnessAnswer } from '#console/routes/coverage.ts';
import { listLedgerReceivers } from '#shared/operator/deliveries/find-deliveries.ts';
import { readFreshness } from '#shared/operator/freshness/read-freshness.ts';
import { buildQueries } from '#shared/operator/log-query.ts';
import type { ConsoleContext } from '../context.ts';
import { rememberFor } from '../remember.ts';

/** It reads the log of a day and what became of each event: not for every page that looks. */
const MAX_AGE_MS = 300_000;

/** The freshness of the last 24 hours at each place that got something, at most five minutes old. */
export function createFreshnessReader({
  target,
  measure = readFreshness,
}: ConsoleContext): () => Promise<FreshnessAnswer> {
  return rememberFor(MAX_AGE_MS, async () => {
    const queries = buildQueries({ since: '24h' }, target);
    const { publication, receivers } = await measure(queries, listLedgerReceivers(target), target);
    const places = [{ to: 'publication', ...publication }, ...receivers];
    return { places: places.flatMap(({ to, all }) => (all === null ? [] : [{ to, ...all }])) };
  });
}
