import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { NotifierError, SOURCE_ERROR_CODES, SourceError, type SourceErrorCode } from '#shared/core/errors.ts';
import { PAY_FEEDS } from '#shared/core/feeds.ts';
import { type PollReason, REASONS, type Reason } from '#shared/core/outcome/reasons.ts';
import { walkRows } from '#shared/flow/stored-records.ts';
import { explainRecord, type KnownRecord } from '#shared/operator/explain-record.ts';
import {
  DATE,
  DAY_MS,
  MINUTE_MS,
  NEXT_DATE,
  payPeriod,
  storedRow,
  timesheet,
} from '#test/support/builders.ts';
import { createMemoryStore, type MemoryStore } from '#test/support/memory-store.ts';
import { PollHarness } from '#test/support/poll-harness.ts';
import { seedStore } from '#test/support/seeded-store.ts';

const APPROVED = { approvedHours: '2026-03-05T00:30:00.000Z' };
const ONE_DAY = { startDate: DATE, finishDate: DATE };

/** Twenty timesheets of a date that were read first, on two pages, and told nothing of. */
async function baselined(): Promise<PollHarness> {
  const connection = { window: { backDays: 3, forwardDays: 1 }, requests: { pageSize: 10 } };
  const harness = new PollHarness({ connection });
  for (let n = 0; n < 20; n += 1) harness.put(timesheet({ id: `${n}_7`, date: DATE }));
  await harness.poll();
  harness.news();
  return harness;
}

/** Each makes the next polls meet a reason. A date that a record does not say is in `test/shared/core/look/look.test.ts`. */
const PLAYS_OF_POLLS: Readonly<
  Record<Exclude<PollReason, SourceErrorCode | 'undated'>, (harness: PollHarness) => unknown>
> = {
  leased: async ({ store, now }) => {
    await store.takeLease('main', now + 2 * MINUTE_MS, now);
  },
  lease_lost: (harness) => {
    harness.change(APPROVED);
    harness.onPage = () => {
      const later = harness.now + 10 * MINUTE_MS;
      void harness.store.takeLease('main', later + MINUTE_MS, later);
      return null;
    };
  },
  table_unknown: (harness) => {
    harness.store = { ...harness.store, tableId: async () => null };
  },
  no_time: (harness) => {
    harness.onPage = () => {
      harness.now += 290_000;
      return null;
    };
  },
  drifted: (harness) => {
    harness.listed = (records, page) => (page === 2 ? records.slice(1) : records);
  },
  page_loop: (harness) => {
    const source = harness.source();
    const page: typeof source.page = async (request) => ({
      ...(await source.page(request)),
      totalPages: request.page + 10,
    });
    harness.source = () => ({ ...source, page });
  },
  nameless: (harness) => harness.put(timesheet({ id: '', date: DATE })),
  absences_unknown: (harness) => {
    harness.remove('1_7');
    harness.onLookUp = () => new SourceError('source_failed', 'no');
  },
  slice_failed: (harness) => {
    harness.change(APPROVED);
    const readBuckets = () => Promise.reject(new NotifierError('store_item_unreadable', 'no'));
    harness.store = { ...harness.store, readBuckets };
  },
  baseline_open: async (harness) => {
    harness.store = createMemoryStore();
    harness.onPage = ({ range }) => (range?.to === DATE ? null : new SourceError('source_failed', 'no'));
    await harness.pollFor(2);
    harness.put(timesheet({ id: 'new', date: DATE }));
  },
  doubtful: async (harness) => {
    harness.change(APPROVED);
    await harness.poll();
    harness.change({ approvedHours: null });
  },
  unlisted: (harness) => {
    harness.listed = (records) => records.filter(({ id }) => id !== '1_7');
  },
  records_unreadable: (harness) => harness.change({ hoursToPay: 'seven' }, ['1_7']),
  events_unpublishable: async (harness) => {
    // As no release stores it.
    const odd = storedRow(timesheet({ id: '1_7' }));
    const rows = [{ ...odd, text: odd.text?.replace('7.5', '"many"') ?? null }];
    await seedStore(harness.store, { at: harness.now, slices: [{ slice: DATE, rows }] });
    harness.change({ date: NEXT_DATE });
  },
  closing_pending: async (harness) => {
    harness.lists['pay-periods'] = [payPeriod(ONE_DAY)];
    await harness.poll();
    harness.onPage = ({ range }) => (range === null ? null : new SourceError('source_failed', 'no'));
    harness.lists['pay-periods'] = [payPeriod({ ...ONE_DAY, closed: DATE })];
  },
  topic_refuses: (harness) => {
    harness.accepts = () => false;
    harness.change(APPROVED);
  },
  event_refused: (harness) => {
    harness.refuses = () => true;
    harness.change(APPROVED);
  },
};

test.each(Object.entries(PLAYS_OF_POLLS))('a poll can report %s', async (reason, prepare) => {
  const harness = await baselined();
  await prepare(harness);
  expect(await pollOn(harness)).toContain(REASONS[reason as Reason].says);
});

test.each(SOURCE_ERROR_CODES)('a poll can report %s', async (code) => {
  const harness = await baselined();
  harness.onPage = () => new SourceError(code, 'no');
  expect(await pollOn(harness)).toContain(REASONS[code].says);
});

/** All that some polls report. */
async function pollOn(harness: PollHarness): Promise<string> {
  const reports = [await harness.poll(), await harness.poll({ all: true })];
  return reports.flatMap(({ reasons }) => reasons).join('; ');
}

interface Asked extends Partial<KnownRecord> {
  readonly id?: string;
}

const PERIOD: Asked = { feed: 'pay-periods', id: payPeriod().id };

/**
 * Each makes a record without an event, and says of which it is asked: the first timesheet unless it names another. What
 * follows of stored rows alone is in `test/shared/operator/explain-record.test.ts`.
 */
const PLAYS_OF_RECORDS = {
  forgotten: () => ({ id: 'nowhere', lastType: 'workforce.employee.forgotten' }),
  feed_unwatched: async (harness) => {
    harness.lists.employees = [{ id: '9_7', firstNames: 'Ana', lastName: 'Example', contractedHours: [] }];
    await harness.poll({ feeds: [{ name: 'employees', silent: true }] });
    return { feed: 'employees', id: '9_7' };
  },
  outside_window: (harness) => {
    harness.now += 5 * DAY_MS;
    return {};
  },
  date_dropped: async (harness) => {
    harness.now += 80 * DAY_MS;
    await harness.pollFor(6);
    return { lastType: 'workforce.timesheet.changed' };
  },
  brought_by_time: async (harness) => {
    harness.put(timesheet({ id: 'later', date: harness.day(2) }));
    harness.now += DAY_MS;
    await harness.pollFor(2);
    return { id: 'later' };
  },
  removed: async (harness) => {
    harness.remove('1_7');
    await harness.poll();
    return { lastType: harness.published[0]?.type ?? null };
  },
  restored: async (harness) => {
    harness.change(APPROVED, ['1_7']);
    await harness.poll();
    harness.store = (harness.store as MemoryStore).restored();
    await harness.pollFor(2);
    return {};
  },
  no_deadline: async (harness) => {
    harness.lists['pay-periods'] = [payPeriod()];
    await harness.poll();
    return PERIOD;
  },
  not_settled: async (harness) => {
    harness.lists['pay-periods'] = [payPeriod()];
    await harness.poll();
    harness.lists['pay-periods'] = [payPeriod({ closed: DATE })];
    await harness.pollFor(8);
    return { ...PERIOD, lastType: 'workforce.pay_period.closed' };
  },
} satisfies Partial<Record<Reason, (harness: PollHarness) => Asked | Promise<Asked>>>;

test.each(Object.entries(PLAYS_OF_RECORDS))(
  '%s is said of a record without an event',
  async (reason, prepare) => {
    const harness = await baselined();
    expect(await explain(harness, await prepare(harness))).toContain(reason);
  },
);

async function explain(harness: PollHarness, { id = '1_7', ...asked }: Asked): Promise<Reason[]> {
  const { connection, store, now } = harness;
  const { feed = 'timesheets' } = asked;
  const found: KnownRecord['stored'][] = [];
  for await (const { slice, rows } of walkRows('main', { feed, ids: [id] }, store))
    found.push(...rows.map((row) => ({ slice, row })));
  const [state, heads] = [await harness.state(), await store.loadHeads('main')];
  const stored = { connection, polled: PAY_FEEDS, published: PAY_FEEDS, now, speed: 1, state, heads };
  const known = { feed, stored: found[0] ?? null, lastType: null, unpublished: 0, ...asked };
  return explainRecord(known, stored).map(({ reason }) => reason);
}

test.each(Object.entries(REASONS))('%s is decided where the table says', (_, { at }) => {
  const [file, name] = at.split(' ');
  const declared = new RegExp(`^(?:export )?(?:async )?(?:function\\*?|class) ${name}\\b`, 'm');
  expect(readFileSync(`shared/${file}`, 'utf8')).toMatch(declared);
});
