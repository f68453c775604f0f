import type { PollReport } from '#shared/config/requests/poll-report.ts';
import { NotifierError, SOURCE_ERROR_CODES, SourceError, type SourceErrorCode } from '#shared/core/errors.ts';
import { Looking } from '#shared/core/look/look.ts';
import { type PollReason, REASONS } from '#shared/core/outcome/reasons.ts';
import {
  clocking,
  DATE,
  MINUTE_MS,
  NEXT_DATE,
  payPeriod,
  storedRow,
  timesheet,
} from '#test/support/builders.ts';
import { PollHarness, type PollHarnessOptions } from '#test/support/poll-harness.ts';
import { seedStore } from '#test/support/seeded-store.ts';

const APPROVED = { approvedHours: '2026-03-05T00:30:00.000Z' };
const ONE_A_PAGE = { connection: { requests: { pageSize: 1 } } };

/** Each makes a poll that meets a reason, and returns the reasons that it reports. */
export const PLAYS_OF_POLLS: Readonly<Record<PollReason, () => Promise<readonly string[]>>> = {
  leased: async () => {
    const harness = new PollHarness();
    await harness.store.takeLease('main', harness.now + MINUTE_MS, harness.now);
    return namesOf(await harness.pollNow());
  },
  lease_lost: async () => {
    const harness = await baselined();
    harness.change(APPROVED);
    harness.onPage = () => {
      const later = harness.now + 10 * MINUTE_MS;
      void harness.store.takeLease('main', later + MINUTE_MS, later);
      return null;
    };
    return namesOf(await harness.poll());
  },
  table_unknown: async () => {
    const harness = new PollHarness();
    const rewired = { ...harness.store, tableId: async () => null };
    return namesOf(await harness.pollNow({}, (ports) => ({ ...ports, store: rewired })));
  },
  ...(Object.fromEntries(SOURCE_ERROR_CODES.map((code) => [code, () => playFailure(code)])) as Record<
    SourceErrorCode,
    () => Promise<readonly string[]>
  >),
  no_time: async () => {
    const harness = crowded({ ...ONE_A_PAGE, requestMs: 5_000, pollMs: 35_000 });
    return namesOf(await harness.poll());
  },
  drifted: async () => {
    const harness = crowded(ONE_A_PAGE);
    harness.listed = (records, page) => (page === 2 ? records.slice(1) : records);
    return namesOf(await harness.poll());
  },
  page_loop: async () => {
    const harness = crowded();
    const source = harness.source();
    const page: typeof source.page = async (request) => ({
      ...(await source.page(request)),
      totalPages: request.page + 10,
    });
    return namesOf(await harness.pollNow({}, (ports) => ({ ...ports, source: { ...source, page } })));
  },
  nameless: async () => {
    const harness = new PollHarness();
    harness.put(timesheet({ id: '', date: DATE }));
    return namesOf(await harness.poll());
  },
  // Several dates in one request are asked for one by one then: each alone says which it is.
  undated: async () => {
    const looking = new Looking(
      'timesheets',
      { from: DATE, to: NEXT_DATE },
      { timeZone: 'UTC', startedAt: 0 },
    );
    looking.take({ records: [timesheet({ date: null })], totalRecords: 1 });
    return looking.end(1).flatMap(({ problem }) => problem ?? []);
  },
  absences_unknown: async () => {
    const harness = await baselined();
    harness.remove('1_7');
    harness.onLookUp = () => new SourceError('source_failed', 'no');
    return namesOf(await harness.poll());
  },
  slice_failed: async () => {
    const harness = await baselined();
    harness.change(APPROVED);
    const readBuckets = () => Promise.reject(new NotifierError('store_item_unreadable', 'no'));
    harness.store = { ...harness.store, readBuckets };
    return namesOf(await harness.poll());
  },
  baseline_open: async () => {
    const harness = new PollHarness();
    harness.put(timesheet({ id: '1_7' }));
    harness.onPage = ({ range }) => (range?.to === DATE ? null : new SourceError('source_failed', 'no'));
    await harness.pollFor(2);
    harness.put(timesheet({ id: '2_7', date: DATE }));
    return namesOf(await harness.pollFor(2));
  },
  doubtful: async () => {
    const harness = crowded();
    harness.change(APPROVED);
    await harness.poll();
    harness.change({ approvedHours: null });
    return namesOf(await harness.poll());
  },
  unlisted: async () => {
    const harness = await baselined();
    harness.listed = () => [];
    return namesOf(await harness.poll());
  },
  records_unreadable: async () => {
    const harness = await baselined();
    harness.change({ hoursToPay: 'seven' });
    return namesOf(await harness.pollFor(2));
  },
  events_unpublishable: async () => {
    const harness = await baselined();
    // As no release stores it.
    const odd = storedRow(timesheet({ id: '1_7' }));
    const rows = [{ ...odd, text: odd.text?.replace('7.5', '"many"') ?? null }];
    await seedStore(harness.store, { at: harness.now, slices: [{ slice: DATE, rows }] });
    harness.change({ date: NEXT_DATE });
    return namesOf(await harness.pollFor(2));
  },
  closing_pending: async () => {
    const harness = await baselined({ connection: { window: { backDays: 3, forwardDays: 1 } } });
    harness.lists['pay-periods'] = [payPeriod({ startDate: DATE, finishDate: DATE })];
    await harness.poll();
    harness.lists['pay-periods'] = [payPeriod({ startDate: DATE, finishDate: DATE, closed: DATE })];
    return namesOf(await harness.poll());
  },
  topic_refuses: async () => {
    const harness = await baselined();
    harness.accepts = () => false;
    harness.change({ clockIn: clocking() });
    return namesOf(await harness.poll());
  },
  event_refused: async () => {
    const harness = await baselined();
    harness.refuses = () => true;
    harness.change({ clockIn: clocking() });
    return namesOf(await harness.poll());
  },
};

/** A timesheet that was read first, and told nothing of. */
export async function baselined(options: PollHarnessOptions = {}): Promise<PollHarness> {
  const harness = new PollHarness(options);
  harness.put(timesheet({ id: '1_7' }));
  await harness.poll();
  harness.news();
  return harness;
}

function crowded(options: PollHarnessOptions = {}): PollHarness {
  const harness = new PollHarness(options);
  for (let n = 0; n < 20; n += 1) harness.put(timesheet({ id: `${n}_7`, date: DATE }));
  return harness;
}

async function playFailure(code: SourceErrorCode): Promise<readonly string[]> {
  const harness = new PollHarness();
  harness.onPage = () => new SourceError(code, 'no');
  return namesOf(await harness.poll());
}

/** The reasons that a poll reports, by their sentences. */
function namesOf({ reasons }: PollReport): string[] {
  return Object.entries(REASONS).flatMap(([name, { says }]) =>
    reasons.some((reason) => reason.startsWith(says)) ? [name] : [],
  );
}
