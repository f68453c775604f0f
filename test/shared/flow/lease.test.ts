import { expect, test } from 'vitest';
import type { Store } from '#shared/flow/poll/ports.ts';
import type { PollPorts } from '#shared/flow/poll/run.ts';
import { clocking, DATE, MINUTE_MS, payPeriod, timesheet } from '#test/support/builders.ts';
import { crashAtEveryCall, crashable } from '#test/support/crashable.ts';
import { PollHarness } from '#test/support/poll-harness.ts';

const HOUR_MS = 60 * MINUTE_MS;

/** Two timesheets change, one moves, one is new, one is gone; a pay period is new. */
function changeAll(harness: PollHarness): void {
  harness.change({ approvedHours: '2026-03-05T01:00:30.000Z' }, ['1_7']);
  harness.change({ clockIn: clocking() }, ['2_7']);
  harness.change({ date: harness.day(1) }, ['3_7']);
  harness.put(timesheet({ id: '9_7', date: DATE }));
  harness.remove('4_7');
  harness.lists['pay-periods'] = [
    payPeriod(),
    payPeriod({ id: '4_7', startDate: '2026-03-09', finishDate: '2026-03-15' }),
  ];
}

const NEWS = [
  'pay_period.created 4_7',
  'timesheet.approved 1_7',
  'timesheet.changed 3_7',
  'timesheet.clocked_in 2_7',
  'timesheet.created 9_7',
  'timesheet.removed 4_7',
];

async function watchedHarness(): Promise<PollHarness> {
  const harness = new PollHarness();
  harness.put(...['1_7', '2_7', '3_7', '4_7'].map((id) => timesheet({ id, date: DATE })));
  harness.lists['pay-periods'] = [payPeriod()];
  await harness.poll();
  await harness.poll({ all: true });
  harness.news();
  return harness;
}

/** Ports of which every call asks first whether something else happens. */
function interrupted(ports: PollPorts, before: () => Promise<void>): PollPorts {
  const wrap = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get: (target, name, receiver) => {
        const method: unknown = Reflect.get(target, name, receiver);
        if (typeof method !== 'function' || name === 'counts' || name === 'learnedPace') return method;
        return async (...given: unknown[]) => {
          await before();
          return (await method.apply(target, given)) as unknown;
        };
      },
    });
  return { ...ports, store: wrap(ports.store), publisher: wrap(ports.publisher), source: wrap(ports.source) };
}

test('only one poll of a connection runs at a time', async () => {
  const harness = await watchedHarness();
  await harness.store.takeLease('main', harness.now + 90_000, harness.now);
  expect(await harness.pollNow()).toMatchObject({ outcome: 'skipped', counts: { requests: 0 } });
  harness.now += 90_000;
  expect(await harness.pollNow()).toMatchObject({ outcome: 'complete' });
});

test('a lease taken away at any await: all is told once, and nothing is stored after it', async () => {
  let taken = 0;
  for (let place = 1; ; place += 1) {
    const harness = await watchedHarness();
    changeAll(harness);
    harness.now += MINUTE_MS;
    let calls = 0;
    let stored: unknown = null;
    const steal = async () => {
      calls += 1;
      if (calls !== place) return;
      // The poll was frozen for an hour: another one does its work.
      harness.now += HOUR_MS;
      const { outcome } = await harness.pollNow({ all: true });
      if (outcome === 'complete') stored = await readAll(harness.store);
    };
    const { outcome } = await harness.pollNow({ all: true }, (ports) => interrupted(ports, steal));
    if (calls < place) break;
    if (stored !== null) {
      taken += Number(outcome === 'skipped');
      expect(await readAll(harness.store), `await ${place}`).toEqual(stored);
    }
    await harness.poll({ all: true });
    expect(new Set(harness.news().filter((each) => !each.includes('feed_late'))), `await ${place}`).toEqual(
      new Set(NEWS),
    );
    expectOneContentAnId(harness);
  }
  expect(taken).toBeGreaterThan(15);
});

test('a crash at any await, before or after its effect: nothing is lost, nothing told twice with another id', async () => {
  const crashes = await crashAtEveryCall(async (plan) => {
    const harness = await watchedHarness();
    changeAll(harness);
    harness.now += MINUTE_MS;
    await harness
      .pollNow({ all: true }, (ports) => ({
        ...ports,
        store: crashable(ports.store, plan),
        publisher: crashable(ports.publisher, plan),
      }))
      .catch(() => {});
    harness.now += 2 * MINUTE_MS;
    await harness.poll({ all: true });
    await harness.poll({ all: true });
    expect(new Set(harness.news()), JSON.stringify(plan)).toEqual(new Set(NEWS));
    expectOneContentAnId(harness);
    return plan.crashed;
  });
  expect(crashes).toBeGreaterThan(20);
});

function expectOneContentAnId({ texts }: PollHarness): void {
  const distinct = [...new Set(texts)].map((text) => JSON.parse(text) as Record<string, string>);
  expect(new Set(distinct.map(({ id }) => id)).size).toBe(distinct.length);
  expect(new Set(distinct.map(({ type, source, subject }) => `${type} ${source} ${subject}`)).size).toBe(
    distinct.length,
  );
}

/** Rows and log, without what each poll changes. */
async function readAll(store: Store) {
  const heads = await store.loadHeads('main');
  const rows = await Promise.all(
    heads.map((head) =>
      store.readBuckets(
        'main',
        head.buckets.map(({ from }) => ({ ...head, from })),
      ),
    ),
  );
  const log = await Array.fromAsync(store.readLog('main', '', 'timesheets'));
  return { rows: rows.flat(2).sort((a, b) => (a.id < b.id ? -1 : 1)), log: log.map(({ texts }) => texts) };
}
