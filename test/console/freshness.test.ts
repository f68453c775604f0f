import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFreshnessReader } from '#console/server/covered-dates/read-coverage.ts';
import { listLedgerReceivers } from '#shared/operator/deliveries/find-deliveries.ts';
import { readFreshness } from '#shared/operator/freshness/read-freshness.ts';
import { buildQueries } from '#shared/operator/log-query.ts';
import { type SeededCompany, startSeededCompany } from './seeded-company.ts';

let seeded: SeededCompany;

beforeAll(async () => {
  seeded = await startSeededCompany();
  await seeded.live(600, 30);
});
afterAll(() => seeded.stop());

test('Coverage says of a day how soon events were published and taken by each receiver, as freshness does', async () => {
  const { context, target } = seeded;
  const queries = buildQueries({ since: '24h' }, target);
  const { publication, receivers } = await readFreshness(queries, listLedgerReceivers(target), target);
  const busy = receivers.filter(({ all }) => all !== null);
  expect(busy.length).toBeGreaterThan(0);
  const { places } = await createFreshnessReader(context)();
  expect(places).toMatchObject([
    {
      to: 'publication',
      events: publication.all?.events,
      p50: publication.all?.p50,
      p99: publication.all?.p99,
    },
    ...busy.map(({ to, all }) => ({ to, events: all?.events, p50: all?.p50, p99: all?.p99 })),
  ]);
});
