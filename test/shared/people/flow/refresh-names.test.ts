import { beforeEach, describe, expect, test } from 'vitest';
import type { NamesRequest } from '#shared/config/requests/names-request.ts';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import { NotifierError, SourceError } from '#shared/core/errors.ts';
import type { OutcomeLine } from '#shared/flow/system.ts';
import { type NameStore, refreshNames } from '#shared/people/flow/refresh-names.ts';
import { NAMED_KINDS, type NamedKind } from '#shared/people/names/names.ts';
import { createMemoryNameStore } from '#test/support/memory-name-store.ts';

const MORNING = Date.parse('2026-11-16T03:00:00Z');
const CANARY = 'Canary Person';
const CONNECTION = connectionSchema.parse({
  name: 'main',
  baseUrl: 'https://acme.example',
  timeZone: 'Pacific/Auckland',
  secretName: 'notifier/main',
});
const LISTS: Record<NamedKind, unknown> = {
  employees: [
    { id: '2001_1', firstNames: CANARY, lastName: 'Lee' },
    { id: '2002_1', firstNames: 7 },
  ],
  departments: [{ id: '501_1', name: 'Canary Kitchen' }],
  managers: [
    { id: '501_1', manager: '2001_1' },
    { id: '502_1', manager: '' },
  ],
  activities: [],
  organisations: [{ id: '1_1', name: 'Canary Holdings' }],
};

let store: NameStore;
let lines: OutcomeLine[];
let asked: NamedKind[];

beforeEach(() => {
  store = createMemoryNameStore(() => MORNING);
  lines = [];
  asked = [];
});

test('the names of every kind that is wanted are stored, and no others are asked for', async () => {
  const report = await poll({ kinds: ['employees', 'organisations'] });

  expect(report).toEqual({
    connection: 'main',
    outcome: 'complete',
    reasons: [],
    kinds: { employees: { names: 1, skipped: 1 }, organisations: { names: 1, skipped: 0 } },
  });
  expect(asked).toEqual(['employees', 'organisations']);
  expect(await store.load('main', NAMED_KINDS)).toMatchObject({
    employees: new Map([['2001_1', `${CANARY} Lee`]]),
    departments: new Map(),
    organisations: new Map([['1_1', 'Canary Holdings']]),
  });
});

test('one line says what was done, in counts and without a name', async () => {
  await poll();

  expect(lines).toEqual([
    {
      outcome: 'directory.polled',
      connection: 'main',
      result: 'complete',
      reason: null,
      kinds: 5,
      kindsKept: 0,
      employees: 1,
      departments: 1,
      activities: 0,
      organisations: 1,
      managers: 1,
      skipped: 1,
      requests: 5,
      throttled: 0,
      duration_ms: 50,
    },
  ]);
  expect(JSON.stringify(lines)).not.toContain('Canary');
});

describe('a list that does not come as it should', () => {
  beforeEach(async () => {
    await store.save('main', 'departments', new Map([['501_1', 'Old kitchen']]));
  });

  test('because it is forbidden keeps the names of before and does not stop the others', async () => {
    const report = await poll({
      lists: { departments: new SourceError('source_forbidden', 'it said: Canary', { status: 403 }) },
    });

    expect(report).toMatchObject({
      outcome: 'incomplete',
      reasons: ['departments: it said: Canary'],
      kinds: { employees: { names: 1 }, organisations: { names: 1 } },
    });
    expect(report.kinds).not.toHaveProperty('departments');
    expect((await store.load('main', ['departments'])).departments.get('501_1')).toBe('Old kitchen');
    expect(lines).toMatchObject([
      {
        result: 'incomplete',
        reason: 'departments: source_forbidden',
        kindsKept: 1,
        forbidden: 1,
        organisations: 1,
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain('Canary');
  });

  test('because the source is in trouble is an error that may be tried again, after the others were stored', async () => {
    const trouble = new SourceError('source_failed', 'the source failed (503)', {
      status: 503,
      retryable: true,
    });

    await expect(poll({ lists: { departments: trouble } })).rejects.toMatchObject({
      code: 'directory_incomplete',
      retryable: true,
      cause: trouble,
      message:
        'names of departments were not refreshed (the source failed (503)); those stored before stay in use until the source answers, for at most two weeks',
    });

    const names = await store.load('main', NAMED_KINDS);
    expect(names.departments.get('501_1')).toBe('Old kitchen');
    expect(names.organisations.size).toBe(1);
    expect(lines).toHaveLength(1);
  });

  test('because the credential is refused is asked for once only', async () => {
    const refused = new SourceError('source_unauthorised', 'the source refused the token', { status: 401 });

    expect(await poll({ lists: { employees: refused } })).toEqual({
      connection: 'main',
      outcome: 'incomplete',
      reasons: NAMED_KINDS.map((kind) => `${kind}: the source refused the token`),
      kinds: {},
    });
    expect(asked).toEqual(['employees']);
  });

  test('because no record in it can be read keeps the names of before', async () => {
    const report = await poll({ lists: { departments: [{ title: 'Canary' }, 7] } });

    expect(report.outcome).toBe('incomplete');
    expect(report.reasons).toEqual([
      'departments: no record in the list of departments has an id and a name that can be read; check that baseUrl leads to the API itself',
    ]);
    expect((await store.load('main', ['departments'])).departments.get('501_1')).toBe('Old kitchen');
  });

  test('because it is empty keeps the names of before', async () => {
    const report = await poll({ lists: { departments: [] } });

    expect(report).toMatchObject({ outcome: 'complete', kinds: { departments: { names: 0, skipped: 0 } } });
    expect((await store.load('main', ['departments'])).departments.get('501_1')).toBe('Old kitchen');
  });
});

describe('a request for what is missing', () => {
  test('asks for nothing and says nothing while there are names of all kinds', async () => {
    for (const kind of NAMED_KINDS) await store.save('main', kind, new Map([['1_1', 'Known']]));
    expect(await poll({ only: 'missing' })).toMatchObject({ outcome: 'complete', kinds: {} });
    expect([asked, lines]).toEqual([[], []]);
  });

  test('brings names after a bad first minute, and asks for those alone that did not come', async () => {
    const trouble = new SourceError('source_failed', 'the source failed (503)', { retryable: true });
    await expect(poll({ lists: { employees: trouble } })).rejects.toMatchObject({ retryable: true });
    asked = [];
    // It is soon made again, so that it is no error.
    expect(await poll({ lists: { employees: trouble }, only: 'missing' })).toMatchObject({
      outcome: 'incomplete',
    });
    expect(asked).toEqual(['employees', 'activities']);
    asked = [];
    expect(await poll({ only: 'missing' })).toMatchObject({ kinds: { employees: { names: 1 } } });
    expect(asked).toEqual(['employees']);
    expect((await store.load('main', ['employees'])).employees.size).toBe(1);
    expect(lines.map(({ outcome, result }) => [outcome, result])).toEqual([
      ['directory.polled', 'incomplete'],
      // Alarms of names that are read once a day do not count these.
      ['directory.filled', 'incomplete'],
      ['directory.filled', 'complete'],
    ]);
  });

  test('is made once for a list that is empty or forbidden, which the daily one may still bring', async () => {
    const forbidden = new SourceError('source_forbidden', 'no', { status: 403 });
    const lists = { departments: forbidden };
    await poll({ only: 'missing', lists });
    expect(asked).toEqual(NAMED_KINDS);
    await poll({ only: 'missing', lists });
    expect(asked).toEqual(NAMED_KINDS);
    await poll();
    expect((await store.load('main', ['departments'])).departments.size).toBe(1);
  });

  test('keeps the names that another refresh brought while it found none', async () => {
    const names = new Map([['501_1', 'Kitchen']]);
    const late: NameStore = {
      ...store,
      listMissing: async (...asks) => {
        const missing = await store.listMissing(...asks);
        await store.save('main', 'departments', names);
        return missing;
      },
    };
    await poll({ only: 'missing', lists: { departments: [] }, store: late });
    expect((await store.load('main', ['departments'])).departments).toEqual(names);
  });
});

test('a failure of this product is not taken for one of the source', async () => {
  const broken: NameStore = {
    ...store,
    save: async () => {
      throw new NotifierError('store_unreachable', 'no table', { retryable: true });
    },
  };

  await expect(poll({ store: broken })).rejects.toMatchObject({ code: 'store_unreachable' });
});

interface Circumstances {
  readonly kinds?: NamesRequest['kinds'];
  readonly only?: 'missing';
  /** What the source answers instead of its lists, or throws. */
  readonly lists?: Partial<Record<NamedKind, unknown>>;
  readonly store?: NameStore;
}

function poll({ kinds = [...NAMED_KINDS], only, lists = {}, store: given = store }: Circumstances = {}) {
  let now = MORNING;
  return refreshNames(
    { connection: CONNECTION, kinds, only },
    {
      source: {
        list: async (kind) => {
          now += 10;
          asked.push(kind);
          const answer = lists[kind] ?? LISTS[kind];
          if (answer instanceof Error) throw answer;
          return answer as readonly unknown[];
        },
        counts: () => ({ requests: asked.length, throttled: 0 }),
      },
      store: given,
      clock: { now: () => now },
      telemetry: { report: (line) => void lines.push(line) },
    },
  );
}
