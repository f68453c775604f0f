import type { ConsoleContext } from '#console/server/context.ts';
import { toIso } from '#shared/core/dates.ts';
import { loadPeriods } from '#shared/flow/stored-records.ts';
import { type Names, NO_NAMES } from '#shared/people/names/names.ts';
import type { SampleRecord } from '#test/support/builders.ts';
import { PollHarness } from '#test/support/poll-harness.ts';
import { createFakeContext, createFakeLog, NOW } from './fake-log.ts';

interface Watched {
  readonly payPeriods: readonly SampleRecord[];
  readonly timesheets: readonly SampleRecord[];
  readonly names?: Names;
}

/** What the console reads from, once these records were seen. */
export async function watchTimesheets({
  payPeriods,
  timesheets,
  names = NO_NAMES,
}: Watched): Promise<ConsoleContext> {
  const harness = new PollHarness({
    startAt: toIso(NOW - 120_000),
    connection: { window: { backDays: 14, forwardDays: 7 } },
  });
  harness.lists['pay-periods'] = payPeriods;
  harness.put(...timesheets);
  await harness.poll();
  const { store } = harness;
  const known = {
    connection: 'main',
    timeZone: 'UTC',
    names,
    payPeriods: (await loadPeriods('main', store)) ?? [],
    state: await harness.state(),
    progress: [],
  };
  return createFakeContext(createFakeLog(), {
    store,
    knowledge: { load: async () => known, loadAll: async () => [known] },
  });
}
