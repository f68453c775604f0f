import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LeaseLost } from '#shared/core/errors.ts';
import { createHead, type Head } from '#shared/core/snapshot/head.ts';
import { logKeyAt } from '#shared/core/snapshot/log-key.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import { EMPTY_STATE } from '#shared/core/snapshot/state.ts';
import type { Commit, Lease, LogItem, Store } from '#shared/flow/poll/ports.ts';
import { EMPTY_COMMIT, fullHead, fullRow, fullState, hostileRow, NOON, SLICE } from './store-samples.ts';

const LEASE_MS = 90_000;
const EXPIRES_AT = NOON + 86_400_000;

let connections = 0;

/** The contract of every store. */
export function describeStore(name: string, make: () => Promise<Store>): void {
  describe(`${name} as a store`, () => {
    describeLease(make);
    describeState(make);
    describeSlices(make);
    describeLog(make);
  });
}

function describeLease(make: () => Promise<Store>): void {
  test.each([
    ['is free again when it ended', 'take 0; take 89 no; take 90'],
    ['lasts from when it was renewed', 'take 0; renew 60; take 149 no; take 150'],
    ['lasts from the last commit', 'take 0; commit 60; take 149 no; take 150'],
    ['is free when it was given back', 'take 0; give 1; take 1'],
    [
      'stays with who took it',
      'take 0; take 90; old renew; old commit; old give; take 179 no; commit 179; give 179',
    ],
    ['is lost when the next poll has ended as well', 'take 0; take 90; give 91; old give; take 91'],
    ['can be used after its end while nobody took it', 'take 0; commit 500; take 510 no'],
    ['of a wrong clock counts as ended', 'take 9000; take 0; old commit'],
    ['of a clock that is a little ahead holds', 'take 59; take 0 no'],
  ])('a lease %s', async (_name, script) => {
    const store = await make();
    expect(await run(script.split('; '), store)).toEqual(script);
  });

  test('of two polls that take it at once one has it, and those of other connections have theirs', async () => {
    const store = await make();
    await begin(store);
    const connection = nextConnection();
    const take = () => store.takeLease(connection, NOON + LEASE_MS, NOON);
    const taken = await Promise.all([take(), take(), take()]);
    expect(taken.filter((state) => state !== null)).toMatchObject([{ token: 1 }]);
  });

  test('each lease has a higher token and a higher clock, also when the clocks of machines go back', async () => {
    const store = await make();
    const lease = await begin(store);
    const next = async (now: number) => {
      const state = await store.takeLease(lease.connection, now + LEASE_MS, now);
      const given = { ...lease, token: state?.token ?? 0 };
      await store.giveBack(given, { topics: {} });
      return [state?.token, (state?.clock ?? 0) - NOON];
    };
    await commit(store, lease, {}, NOON + 5_000);
    await store.giveBack(lease, { topics: {} });
    expect(await next(NOON)).toEqual([2, 5_001]);
    expect(await next(NOON + 60_000)).toEqual([3, 60_000]);
    expect(await next(NOON)).toEqual([4, 60_001]);
  });

  test('nothing is stored of a commit without the lease', async () => {
    const store = await make();
    const { connection, token } = await begin(store);
    const lost = { connection, token: token - 1 };
    const write = {
      heads: [createHead(SLICE)],
      buckets: [{ ...SLICE, from: 0, rows: [hostileRow('1_1')] }],
      log: [{ topic: 'timesheets', texts: ['{}'] }],
      state: { epoch: 5 },
    } as const;
    await expect(commit(store, lost, write)).rejects.toBeInstanceOf(LeaseLost);
    expect(await store.loadHeads(connection)).toEqual([]);
    expect(await store.readBuckets(connection, [{ ...SLICE, from: 0 }])).toEqual([[]]);
    expect(await readAll(store, connection)).toEqual([]);
    expect(await store.loadState(connection)).toMatchObject({ epoch: 0, topics: {} });
  });
}

function describeState(make: () => Promise<Store>): void {
  test('a connection that was never polled has none, and begins with an empty one', async () => {
    const store = await make();
    const connection = nextConnection();
    expect(await store.loadState(connection)).toBeNull();
    expect(await store.takeLease(connection, NOON + LEASE_MS, NOON)).toEqual({
      ...EMPTY_STATE,
      token: 1,
      clock: NOON,
    });
  });

  test('members come back as they were given back, or written by a commit; what is empty again as well', async () => {
    const store = await make();
    const lease = await begin(store);
    const { token, clock, topics, ...members } = fullState(NOON);
    await store.giveBack(lease, { ...members, topics });
    expect(await store.loadState(lease.connection)).toMatchObject({ ...members, topics });
    await commit(store, lease, { state: { troubles: [], watermarks: {}, pace: null, lookedAt: {} } });
    expect(await store.loadState(lease.connection)).toEqual({
      ...{ ...members, troubles: [], watermarks: {}, pace: null, lookedAt: {} },
      ...{ token: 1, clock: NOON, topics },
    });
  });

  test('a commit moves the log of its topics, and giving back their cursors', async () => {
    const store = await make();
    const lease = await begin(store);
    const log = (['timesheets', 'operations'] as const).map((topic) => ({ topic, texts: ['{}'] }));
    const [first = '', second = ''] = await commit(store, lease, { log });
    const topics = {
      timesheets: { logged: first, published: '' },
      operations: { logged: second, published: '' },
    };
    expect(await store.loadState(lease.connection)).toMatchObject({ topics, clock: NOON });
    const moved = { ...topics, timesheets: { logged: first, published: first } };
    await store.giveBack(lease, { topics: moved });
    await commit(store, lease, { log: [] });
    expect((await store.loadState(lease.connection))?.topics).toEqual(moved);
    await commit(store, lease, { log: [], published: { operations: second } });
    const both = { ...moved, operations: { logged: second, published: second } };
    expect((await store.loadState(lease.connection))?.topics).toEqual(both);
  });
}

function describeSlices(make: () => Promise<Store>): void {
  test('heads come back whole, by feed and slice, and only those of the connection', async () => {
    const store = await make();
    const [lease, other] = [await begin(store), await begin(store)];
    const heads: Head[] = [
      fullHead({ feed: 'timesheets', slice: '2026-03-06' }, NOON, 800),
      createHead({ feed: 'timesheets', slice: '2026-03-05' }),
      fullHead({ feed: 'pay-periods', slice: 'all' }, NOON, 2),
    ];
    await commit(store, lease, { heads });
    await commit(store, other, { heads: [createHead({ feed: 'employees', slice: 'all' })] });
    expect(await store.loadHeads(lease.connection)).toEqual(heads.toReversed());
    await commit(store, lease, { removedHeads: heads.slice(0, 1), heads: [createHead(heads[2] as Head)] });
    expect(await store.loadHeads(lease.connection)).toEqual([createHead(heads[2] as Head), heads[1]]);
  });

  test('rows of any text come back byte for byte, in the order of the buckets asked for', async () => {
    const store = await make();
    const lease = await begin(store);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(storedRow(), { maxLength: 4 }), { maxLength: 6 }), async (all) => {
        const buckets = all.map((rows, index) => ({ ...SLICE, from: index * 0x10000001, rows }));
        await commit(store, lease, { buckets });
        const keys = buckets.map(({ rows, ...key }) => key).reverse();
        expect(await store.readBuckets(lease.connection, keys)).toEqual(all.toReversed());
      }),
      { numRuns: 25 },
    );
  });

  test('rows come back with all of their members, those that were never readable as well', async () => {
    const store = await make();
    const lease = await begin(store);
    const rows = [fullRow('1_1'), { ...fullRow('2_1'), text: null }, hostileRow('3_1')];
    await commit(store, lease, { buckets: [{ ...SLICE, from: 0xffffffff, rows }] });
    expect(await store.readBuckets(lease.connection, [{ ...SLICE, from: 0xffffffff }])).toEqual([rows]);
  });

  test('a bucket that is empty or gone has no rows, as one that was never written', async () => {
    const store = await make();
    const lease = await begin(store);
    const at = (from: number, rows: StoredRow[] | null) => ({ ...SLICE, from, rows });
    const row = hostileRow('1_1');
    await commit(store, lease, { buckets: [at(0, [row]), at(1, [row]), at(2, [row])] });
    await commit(store, lease, { buckets: [at(0, []), at(1, null)] });
    const keys = [0, 1, 2, 3].map((from) => ({ ...SLICE, from }));
    expect(await store.readBuckets(lease.connection, keys)).toEqual([[], [], [row], []]);
    const elsewhere = { feed: 'timesheets', slice: '2026-03-06', from: 2 } as const;
    expect(await store.readBuckets(lease.connection, [elsewhere])).toEqual([[]]);
  });

  test('many buckets are read at once', async () => {
    const store = await make();
    const lease = await begin(store);
    const buckets = Array.from({ length: 250 }, (_, from) => ({
      ...SLICE,
      from,
      rows: [hostileRow(`${from}_1`)],
    }));
    for (let at = 0; at < 250; at += 90) await commit(store, lease, { buckets: buckets.slice(at, at + 90) });
    expect(await store.readBuckets(lease.connection, buckets)).toEqual(buckets.map(({ rows }) => rows));
  });

  test('more than a transaction holds is refused in one sentence', async () => {
    const store = await make();
    const lease = await begin(store);
    const heads = Array.from({ length: 100 }, (_, day) => createHead({ ...SLICE, slice: `day-${day}` }));
    await expect(commit(store, lease, { heads })).rejects.toMatchObject({
      code: 'store_transaction_too_large',
    });
    await commit(store, lease, { heads: heads.slice(1) });
  });
}

function describeLog(make: () => Promise<Store>): void {
  test('events come back in the order of their commits, of a topic or of all, behind a key or an instant', async () => {
    const store = await make();
    const lease = await begin(store);
    const keys: string[] = [];
    // The second commit has the clock of the first, and the fourth one of before.
    for (const [at, topics] of [
      [0, ['timesheets', 'operations']],
      [0, ['timesheets']],
      [7, ['timesheets']],
      [3, ['operations']],
    ] as const) {
      const log = topics.map((topic) => ({ topic, texts: [`{"at":${at}}`, `"ä\\n${topic}"`] }));
      keys.push(...(await commit(store, lease, { log }, NOON + at)));
    }
    expect(keys).toEqual([...keys].sort());
    const all = await readAll(store, lease.connection);
    expect(all.map(({ key }) => key)).toEqual(keys);
    expect(all.map(({ topic, committedAt }) => [topic, committedAt - NOON])).toEqual([
      ['timesheets', 0],
      ['operations', 0],
      ['timesheets', 0],
      ['timesheets', 7],
      ['operations', 7],
    ]);
    expect(all[1]?.texts).toEqual(['{"at":0}', '"ä\\noperations"']);
    expect(await readAll(store, lease.connection, keys[1])).toEqual(all.slice(2));
    expect(await readAll(store, lease.connection, logKeyAt(NOON + 7))).toEqual(all.slice(3));
    expect(await readAll(store, lease.connection, logKeyAt(NOON + 8))).toEqual([]);
    const operations = all.filter(({ topic }) => topic === 'operations');
    expect(await readAll(store, lease.connection, '', 'operations')).toEqual(operations);
    expect(await readAll(store, nextConnection())).toEqual([]);
  });

  test('texts come back byte for byte', async () => {
    const store = await make();
    const lease = await begin(store);
    const texts = fc.array(fc.json(), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(texts, async (written) => {
        const [key = ''] = await commit(store, lease, { log: [{ topic: 'directory', texts: written }] });
        const items = await readAll(store, lease.connection, '', 'directory');
        expect(items.find((item) => item.key === key)?.texts).toEqual(written);
      }),
      { numRuns: 20 },
    );
  });
}

/** Runs the steps of a lease, and returns them with what came of them. */
async function run(steps: readonly string[], store: Store): Promise<string> {
  const polls: Polls = { store, connection: nextConnection(), tokens: [] };
  const told: string[] = [];
  for (const step of steps) told.push(await runStep(step, polls));
  return told.join('; ');
}

interface Polls {
  readonly store: Store;
  readonly connection: string;
  readonly tokens: number[];
}

async function runStep(step: string, { store, connection, tokens }: Polls): Promise<string> {
  const isOld = step.startsWith('old ');
  const [action = '', second = 100] = step.replace('old ', '').split(' ');
  const now = NOON + Number(second) * 1_000;
  if (action === 'take') {
    const state = await store.takeLease(connection, now + LEASE_MS, now);
    if (state !== null) tokens.push(state.token);
    return `take ${second}${state === null ? ' no' : ''}`;
  }
  const isLost = await loses(store, action, { connection, token: tokens.at(isOld ? 0 : -1) ?? 0 }, now);
  return isLost === isOld ? step : `${step}: not so`;
}

/** Whether a write fails because the lease is lost. */
async function loses(store: Store, action: string, lease: Lease, now: number): Promise<boolean> {
  return await write(store, action, lease, now).then(
    () => false,
    (error: unknown) => error instanceof LeaseLost,
  );
}

async function write(store: Store, action: string, lease: Lease, now: number): Promise<unknown> {
  if (action === 'renew') return await store.renewLease(lease, now + LEASE_MS);
  if (action === 'give') return await store.giveBack(lease, { topics: {} });
  return await store.commit(lease, EMPTY_COMMIT, {
    clock: now,
    until: now + LEASE_MS,
    expiresAt: EXPIRES_AT,
  });
}

function nextConnection(): string {
  connections += 1;
  return `connection-${connections}`;
}

async function begin(store: Store): Promise<Lease> {
  const connection = nextConnection();
  const state = await store.takeLease(connection, NOON + LEASE_MS, NOON);
  return { connection, token: state?.token ?? 0 };
}

async function commit(
  store: Store,
  lease: Lease,
  parts: Partial<Commit>,
  clock = NOON,
): Promise<readonly string[]> {
  const time = { clock, until: NOON + LEASE_MS, expiresAt: EXPIRES_AT };
  return await store.commit(lease, { ...EMPTY_COMMIT, ...parts }, time);
}

async function readAll(
  store: Store,
  connection: string,
  after = '',
  topic?: LogItem['topic'],
): Promise<LogItem[]> {
  const items: LogItem[] = [];
  for await (const item of store.readLog(connection, after, topic)) items.push(item);
  return items;
}

/** A row with hostile texts; its values are canonical JSON, as `JSON.stringify` writes it. */
function storedRow(): fc.Arbitrary<StoredRow> {
  const instant = fc.nat({ max: NOON });
  const text = fc.array(fc.jsonValue(), { maxLength: 5 }).map((values) => JSON.stringify(values));
  const canonical = text.map((json) => JSON.stringify(JSON.parse(json)));
  return fc.record(
    {
      id: fc.string({ unit: 'grapheme', minLength: 1 }),
      epoch: instant,
      sequence: fc.nat(),
      sent: fc.dictionary(fc.constantFrom('clockIn', 'approvedHours', 'closed'), fc.nat()),
      text: fc.option(canonical),
      bad: fc.record({
        text: fc.string({ unit: 'binary' }).map((any) => JSON.stringify(any)),
        issues: fc.array(fc.string()),
      }),
      memory: fc.record(
        { remindedAt: instant, closedBetween: fc.record({ after: fc.option(instant), by: instant }) },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: ['id', 'epoch', 'sequence', 'sent', 'text'] },
  );
}
