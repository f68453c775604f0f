import { describe, expect, test } from 'vitest';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import { CommitClock } from '#shared/core/commit/commit-order.ts';
import type { GenerationPlan } from '#shared/core/commit/generation.ts';
import { KnownHeads } from '#shared/core/commit/known-heads.ts';
import { PublishState } from '#shared/core/commit/outbox.ts';
import type { Change } from '#shared/core/compare/change.ts';
import { GUARDS } from '#shared/core/guards.ts';
import { PollFindings } from '#shared/core/outcome/poll-findings.ts';
import type { CloseManifest } from '#shared/core/periods/close-manifest.ts';
import { NO_RATES } from '#shared/core/plan/change-rates.ts';
import { PaceMeter } from '#shared/core/plan/pace-meter.ts';
import { feedDefinition } from '#shared/core/records/feed-definition.ts';
import type { SeenPayPeriod } from '#shared/core/records/pay-period.ts';
import { EMPTY_FEED_STATE, type FeedState } from '#shared/core/snapshot/feed-state.ts';
import { LeafReader } from '#shared/flow/poll/compare/read-leaves.ts';
import type { PollRun } from '#shared/flow/poll/poll-run.ts';
import type { SnapshotStore, SourceApi } from '#shared/flow/poll/ports.ts';
import { RememberedPeriods } from '#shared/period/flow/known-periods.ts';
import { PollPeriods } from '#shared/period/flow/read-account.ts';
import { planStatements } from '#shared/period/flow/send-statements.ts';
import {
  createChange,
  createEventContext,
  EARLIER,
  hint,
  leafRow,
  MINUTE_MS,
  NOW,
  PAY_PERIODS,
  payPeriod,
  slice,
  TIMESHEETS,
  timesheet,
} from '#test/support/builders.ts';
import { createMemorySnapshotStore } from '#test/support/memory-snapshot-store.ts';

const FIRST = '2026-03-02';
const LAST = '2026-03-03';
const NEXT = '2026-03-04';
const OPEN = payPeriod({ startDate: FIRST, finishDate: LAST });
const CLOSED = { ...OPEN, closed: '2026-03-05' };
const ROW = leafRow(timesheet({ date: FIRST }));
const MOVED = { slice: FIRST, rows: [ROW] };
const STAMP = '2026-03-04T20:00:00.000Z';
const NOTHING: CloseManifest = {
  ...{ complete: true, missing: null, asOf: '2026-03-05T01:00:00.000Z' },
  ...{ timesheets: 0, employees: 0, approved: 0, unapproved: 0, processed: 0, unprocessed: 0, hoursToPay: 0 },
  ...{ members: 'all', membersUnknown: 0, sharesDatesWith: [] },
  ...{ source: null, addsUp: null, difference: null, change: null },
  ...{ departments: 0, byDepartment: [], leftovers: [] },
};

describe('when a pay period closes', () => {
  test('all timesheets on its dates are counted, and those left over are named', async () => {
    const store = await storeOf(
      date(FIRST, [
        { id: '1_7', employeeId: '2001_7', hoursToPay: 7.5, approvedHours: STAMP, processed: STAMP },
        { id: '2_7', employeeId: '2002_7', hoursToPay: 0.1, approvedHours: STAMP },
      ]),
      date(LAST, [{ id: '3_7', employeeId: '2001_7', hoursToPay: 0.2 }]),
      date('2026-03-04', [{ id: '4_7' }]),
    );
    expect(await manifestOf(createChange(OPEN, CLOSED), store)).toEqual({
      ...NOTHING,
      timesheets: 3,
      employees: 2,
      approved: 2,
      unapproved: 1,
      processed: 1,
      unprocessed: 2,
      hoursToPay: 7.8,
      departments: 1,
      byDepartment: [
        { departmentId: '501_7', timesheets: 3, employees: 2, hours: 7.8, unapproved: 1, unprocessed: 2 },
      ],
      leftovers: [
        expect.objectContaining({ timesheetId: '2_7', sequence: 3, approved: true, processed: false }),
        expect.objectContaining({ timesheetId: '3_7', sequence: 3, approved: false, processed: false }),
      ],
    });
  });

  test('the numbers are held against those that the source gave, unless another period counts too', async () => {
    const store = await storeOf(date(FIRST, [{ id: '1_7' }]), date(LAST, [{ id: '2_7' }]));
    const look = { requestedAt: NOW, receivedAt: NOW };
    const own = { ...hint({ startDate: FIRST, finishDate: LAST, closed: true, totals: '15/1/2' }), look };
    const other = { ...hint({ id: '8_7', startDate: FIRST, finishDate: LAST }), look };
    const compared = async (...seen: SeenPayPeriod[]) =>
      await manifestOf(createChange(OPEN, CLOSED), store, { seen });
    expect(await compared(own)).toMatchObject({ addsUp: true, sharesDatesWith: [] });
    expect(await compared(own, other)).toMatchObject({ addsUp: null, sharesDatesWith: ['8_7'] });
    const listMembers = async (_: string, id: string) => (id === '8_7' ? ['1_7'] : ['2_7']);
    const asked = await manifestOf(createChange(OPEN, CLOSED), store, {
      seen: [own, other],
      source: { listMembers },
    });
    expect(asked).toMatchObject({ members: 'asked', timesheets: 1, addsUp: false, sharesDatesWith: [] });
  });

  test.each([
    ['that was never scanned', []],
    ['to which timesheets only moved', [slice({ ...MOVED, head: { baselinedAt: null } })]],
    ['whose facts are still to be published', [slice({ ...MOVED, rows: [{ ...ROW, untold: true }] })]],
  ])('a date %s makes the numbers incomplete', async (_, first) => {
    const last = date(LAST, [{ id: '3_7', approvedHours: STAMP, processed: STAMP }]);
    expect(await manifestOf(createChange(OPEN, CLOSED), await storeOf(...first, last))).toMatchObject({
      complete: false,
      missing: { from: FIRST, to: FIRST },
      timesheets: 1,
      unapproved: 0,
    });
  });

  test('nothing seen at all is said as such', async () => {
    expect(await manifestOf(createChange(OPEN, CLOSED), createMemorySnapshotStore())).toEqual({
      ...NOTHING,
      complete: false,
      missing: { from: FIRST, to: LAST },
      asOf: null,
    });
  });

  test('the oldest scan says how old the numbers may be', async () => {
    const store = await storeOf(date(FIRST, []), date(LAST, []));
    await store.saveFeedState({
      feed: TIMESHEETS,
      token: 'state',
      state: {
        ...EMPTY_FEED_STATE,
        revision: 1,
        coverage: { [FIRST]: { at: NOW - 20_000, revision: 4 }, [LAST]: { at: NOW - 10_000, revision: 3 } },
      },
      expectedRevision: null,
      events: null,
      eventsExpireAt: 0,
    });
    // The look at the second date was at an older revision: what was committed since is newer than that look.
    expect(await manifestOf(createChange(OPEN, CLOSED), store)).toMatchObject({
      asOf: '2026-03-05T01:00:00.000Z',
    });
  });

  test('other periods on the same dates are named', async () => {
    const state = {
      ...EMPTY_FEED_STATE,
      payPeriods: [
        hint({ id: '3_7', startDate: FIRST, finishDate: LAST }),
        hint({ id: '8_7', startDate: '2026-03-01', finishDate: FIRST }),
        hint({ id: '9_7', startDate: '2026-03-04', finishDate: '2026-03-31' }),
      ],
    };
    const store = await storeOf(date(FIRST, []), date(LAST, []));
    expect(await manifestOf(createChange(OPEN, CLOSED), store, { state })).toMatchObject({
      sharesDatesWith: ['8_7'],
    });
  });

  test('at most 50 leftovers are named, in the order of their ids', async () => {
    const many = Array.from({ length: 120 }, (_, index) => ({ id: `${1_119 - index}_7` }));
    const store = await storeOf(date(FIRST, many), date(LAST, []));
    const manifest = await manifestOf(createChange(OPEN, CLOSED), store);
    expect(manifest?.unapproved).toBe(120);
    expect(manifest?.leftovers.map(({ timesheetId }) => timesheetId)).toEqual(
      Array.from({ length: 50 }, (_, index) => `${1_000 + index}_7`),
    );
  });

  test('a date that others commit to is read again, with its head', async () => {
    const store = await storeOf(date(FIRST, [{ id: '1_7' }]), date(LAST, []));
    let failing = 1;
    const busy: SnapshotStore = {
      ...store,
      readLeaves: async (feed, refs) => {
        failing -= 1;
        return failing < 0 ? await store.readLeaves(feed, refs) : refs.map(empty);
      },
    };
    const other: SnapshotStore = { ...busy, readLeaves: async (_, refs) => refs.map(empty) };
    expect(await manifestOf(createChange(OPEN, CLOSED), busy)).toMatchObject({ timesheets: 1 });
    expect(await manifestOf(createChange(OPEN, CLOSED), other)).toBeUndefined();
  });

  test('a timesheet that moves to a date that was counted already is counted there', async () => {
    const store = await storeOf(
      date(FIRST, [{ id: '1_7' }]),
      date(LAST, [{ id: '2_7' }]),
      date(NEXT, [{ id: '3_7' }, { id: '4_7' }]),
    );
    let moves = 0;
    const { watched, read } = watching(store, async (slice) => {
      if (slice !== NEXT || moves > 0) return;
      moves += 1;
      await rewrite(store, date(FIRST, [{ id: '1_7' }, { id: '4_7' }]));
      await rewrite(store, date(NEXT, [{ id: '3_7' }]));
    });

    expect(await manifestOf(closingOf(NEXT), watched)).toMatchObject({
      complete: true,
      missing: null,
      timesheets: 4,
      unapproved: 4,
      leftovers: ['1_7', '2_7', '3_7', '4_7'].map((timesheetId) => ({ timesheetId })),
    });
    // What nobody committed to is read once.
    expect(read).toEqual([FIRST, LAST, NEXT, NEXT, FIRST]);
  });

  test('dates that change as often as they are counted are counted as missing, and left out of the numbers', async () => {
    const store = await storeOf(
      date(FIRST, [{ id: '1_7' }]),
      date(LAST, [{ id: '2_7', hoursToPay: 6 }]),
      date(NEXT, [{ id: '3_7' }]),
    );
    const { watched, read } = watching(store, async (slice, after) => {
      if (slice === FIRST && after) await rewrite(store, date(FIRST, [{ id: '1_7' }]));
    });

    expect(await manifestOf(closingOf(NEXT), watched)).toMatchObject({
      complete: false,
      missing: { from: FIRST, to: FIRST },
      timesheets: 2,
      hoursToPay: 13.5,
      leftovers: [{ timesheetId: '2_7' }, { timesheetId: '3_7' }],
    });
    expect(read).toEqual([FIRST, LAST, NEXT, ...Array.from({ length: 9 }, () => FIRST)]);
  });

  test('dates that do not hold still and dates that were never scanned are missing together', async () => {
    const store = await storeOf(date(FIRST, []), date(LAST, [{ id: '2_7' }]));
    const { watched } = watching(store, async (slice, after) => {
      if (slice === FIRST && after) await rewrite(store, date(FIRST, []));
    });

    expect(await manifestOf(closingOf(NEXT), watched)).toMatchObject({
      complete: false,
      missing: { from: FIRST, to: NEXT },
      timesheets: 1,
    });
  });

  test('a lone date is counted as it stood at one moment, whoever commits to it afterwards', async () => {
    const store = await storeOf(date(FIRST, [{ id: '1_7' }]));
    const { watched, read } = watching(store, async (slice, after) => {
      if (slice === FIRST && after) await rewrite(store, date(FIRST, []));
    });

    expect(await manifestOf(closingOf(FIRST), watched)).toMatchObject({ complete: true, timesheets: 1 });
    expect(read).toEqual([FIRST]);
  });

  test('while nobody commits, heads are read twice and each date once', async () => {
    const store = await storeOf(date(FIRST, [{ id: '1_7' }]), date(LAST, [{ id: '2_7' }]));
    const { watched, read, heads } = watching(store, async () => {});

    expect(await manifestOf(closingOf(LAST), watched)).toMatchObject({ complete: true, timesheets: 2 });
    expect(heads).toEqual([FIRST, FIRST]);
    expect(read).toEqual([FIRST, LAST]);
  });

  test('without time to count, it is left out', async () => {
    const store = await storeOf(date(FIRST, [{ id: '1_7' }]), date(LAST, []));
    expect(await manifestOf(createChange(OPEN, CLOSED), store, { fetchUntil: NOW })).toBeUndefined();
  });

  test('a period of years is published without numbers', async () => {
    const years = { ...OPEN, finishDate: '2099-01-01' };
    const change = createChange(years, { ...years, closed: '2026-03-05' });
    expect(await manifestOf(change, createMemorySnapshotStore())).toBeUndefined();
  });
});

test('nothing is counted for a period that was closed before, opened again, changed, or is gone', async () => {
  const untouched = new Proxy({} as SnapshotStore, {
    get: () => {
      throw new Error('the store was asked');
    },
  });
  const changes = [
    createChange(CLOSED, { ...CLOSED, payRollProvider: 'Other' }),
    createChange(CLOSED, OPEN),
    createChange(OPEN, { ...OPEN, payRollProvider: 'Other' }),
    createChange(CLOSED, null),
  ];
  for (const change of changes) expect(await manifestOf(change, untouched)).toBeUndefined();
});

function date(name: string, timesheets: readonly Record<string, unknown>[]): GenerationPlan {
  const rows = timesheets.map((values) => leafRow(timesheet({ ...values, date: name }), { sequence: 3 }));
  return slice({ slice: name, rows });
}

function empty(ref: { slice: string; generation: string; index: number }) {
  return { ...ref, rows: [], tombstones: [] };
}

/** A period from the first date to this one, that closes. */
function closingOf(finishDate: string): Change {
  return createChange({ ...OPEN, finishDate }, { ...CLOSED, finishDate });
}

/** A store that notes which dates are read, with something that happens before and after each reading of one. */
function watching(store: SnapshotStore, happens: (slice: string, after: boolean) => Promise<void>) {
  const read: string[] = [];
  const heads: string[] = [];
  const watched: SnapshotStore = {
    ...store,
    loadHeads: async (feed, from) => {
      heads.push(from);
      return await store.loadHeads(feed, from);
    },
    readLeaves: async (feed, refs) => {
      const slice = refs[0]?.slice ?? '';
      read.push(slice);
      await happens(slice, false);
      const leaves = await store.readLeaves(feed, refs);
      await happens(slice, true);
      return leaves;
    },
  };
  return { watched, read, heads };
}

/** Somebody commits to a date, which then holds this. */
async function rewrite(store: SnapshotStore, { head, leaves }: GenerationPlan): Promise<void> {
  const [before] = await store.loadHeads(TIMESHEETS, head.slice);
  const revision = (before?.revision ?? 0) + 1;
  const outcome = await store.commit({
    feed: TIMESHEETS,
    token: `${head.slice}@${revision}`,
    heads: [{ head: { ...head, revision }, expectedRevision: before?.revision ?? null, changedLeaves: null }],
    leaves,
    events: null,
    eventsExpireAt: EARLIER,
  });
  expect(outcome).toBe('committed');
}

async function storeOf(...dates: readonly GenerationPlan[]): Promise<SnapshotStore> {
  const store = createMemorySnapshotStore();
  for (const { head, leaves } of dates) {
    await store.commit({
      feed: TIMESHEETS,
      token: head.slice,
      heads: [{ head, expectedRevision: null, changedLeaves: null }],
      leaves,
      events: null,
      eventsExpireAt: EARLIER,
    });
  }
  return store;
}

async function manifestOf(
  change: Change,
  store: SnapshotStore,
  {
    state = EMPTY_FEED_STATE,
    fetchUntil = NOW + MINUTE_MS,
    seen = [],
    source = {},
  }: {
    state?: FeedState;
    fetchUntil?: number;
    seen?: readonly SeenPayPeriod[];
    source?: Partial<SourceApi>;
  } = {},
): Promise<CloseManifest | undefined> {
  const heads = new KnownHeads([]);
  const run: PollRun = {
    ports: { store, source, clock: { now: () => NOW } } as PollRun['ports'],
    feed: PAY_PERIODS,
    connection: connectionSchema.parse({
      name: 'main',
      baseUrl: 'https://workforce.example.com',
      timeZone: 'Pacific/Auckland',
      secretName: 'main',
    }),
    ...{ definition: feedDefinition('pay-periods'), id: 'run' },
    startedAt: NOW,
    ...{ window: { from: '', to: '' }, firstSlice: '', repeatUntil: 0, fetchUntil },
    ...{ commitUntil: fetchUntil, publishUntil: fetchUntil, retentionMs: MINUTE_MS },
    hasTimeLeft: () => NOW < fetchUntil,
    ...{ state, expectedStateRevision: null, backlog: [] },
    ...{ rates: NO_RATES, scope: 'due', guards: GUARDS, absences: null, summaries: [] },
    ...{ eventContext: createEventContext(PAY_PERIODS), leaves: new LeafReader(PAY_PERIODS, store, heads) },
    memory: {
      claim: { dates: 'all', expiresAt: NOW, isLeased: false },
      heads,
      periods: new RememberedPeriods(PAY_PERIODS, { store, clock: { now: () => NOW } }, null),
      findings: new PollFindings(),
      pace: new PaceMeter(undefined),
      commitClock: new CommitClock([]),
      publishing: new PublishState(),
    },
  };
  return (await planStatements([change], new PollPeriods(seen, run), run)).manifests.get(change.id);
}
