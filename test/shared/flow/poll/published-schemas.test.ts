import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { layOutGeneration } from '#shared/core/commit/generation.ts';
import { FEED_NAMES, type FeedName } from '#shared/core/feeds.ts';
import { feedDefinition } from '#shared/core/records/feed-definition.ts';
import type { Json } from '#shared/core/records/fields.ts';
import { TIMESHEET_FIELDS } from '#shared/core/records/timesheet.ts';
import { toLeafRef } from '#shared/core/snapshot/snapshot.ts';
import { holds } from '#test/shared/core/properties.ts';
import {
  clocking,
  DATE,
  MINUTE_MS,
  NEXT_DATE,
  payPeriod,
  type SampleRecord,
  TIMESHEETS,
  timesheet,
} from '#test/support/builders.ts';
import { PollHarness } from '#test/support/poll-harness.ts';

const FOLDER = 'docs/schemas/events';
const SCHEMAS = new Map(
  readdirSync(FOLDER).map((file) => [`workforce.${file.replace('.json', '')}`, compileSchema(file)]),
);

describe('an event that does not fit its published schema', () => {
  test('is not committed: its record is a bad one, named once, and the others are told', async () => {
    const harness = await watch('1_7', '2_7');
    await storeHours('1_7', 'many', harness);

    harness.change({ hoursToPay: 8 });
    await harness.poll();
    expect(harness.news()).toEqual(['timesheet.changed 2_7']);
    await harness.poll();
    expect(harness.news()).toEqual(['began records_unreadable 1_7']);
    const told = JSON.parse(harness.texts.at(-1) ?? '');
    expect(told.data).toMatchObject({ about: ['1_7'], cause: 'data.previous.hoursToPay' });
    expect(misfitsOf(harness)).toEqual([]);

    harness.change({ hoursToPay: 9 }, ['2_7']);
    const { outcome, counts } = await harness.poll();
    expect(harness.news()).toEqual(['timesheet.changed 2_7']);
    expect({ outcome, ...counts }).toMatchObject({ outcome: 'complete', quarantined: 1, changes: 1 });
  });

  test('is told once its record fits again, since when it was last seen as it was stored', async () => {
    const harness = await watch('1_7');
    const seenAt = new Date(harness.now).toISOString();
    await storeHours('1_7', 'many', harness);
    harness.change({ hoursToPay: 8 });
    await harness.poll();
    await harness.poll();
    harness.news();

    await storeHours('1_7', 7.5, harness);
    await harness.poll();
    const [changed] = harness.published;
    expect(harness.headings).toEqual(['timesheet.changed 1_7', 'ended records_unreadable 1_7']);
    expect(changed).toMatchObject({ sequence: 1, data: { previous: { hoursToPay: 7.5 } } });
    const { after = '' } = (changed?.data.observed ?? {}) as { readonly after?: string };
    expect(after).not.toBe('');
    expect(after <= seenAt).toBe(true);
  });

  test('about the watching is logged, and leaves no gap in the sequence of the others', async () => {
    const harness = await watch('1_7');
    const sequence = (await harness.state()).sequence;
    // As no release has it: the state of the feed holds since when, and that is no instant of this calendar.
    const stored = await harness.store.loadFeedState(TIMESHEETS);
    if (stored === null) throw new Error('no state');
    const revision = stored.state.revision + 1;
    await harness.store.saveFeedState({
      ...{ feed: TIMESHEETS, token: 'another shape', expectedRevision: stored.state.revision },
      state: { ...stored.state, revision, lost: [{ since: -1e14, cause: 'refused', count: 1, events: [] }] },
      ...{ events: null, eventsExpireAt: 0 },
    });
    harness.put(timesheet({ id: '2_7', hoursToPay: 'many' }));
    await harness.poll();
    harness.put(timesheet({ id: '3_7' }));
    await harness.poll();
    await harness.poll();
    expect(harness.news()).toEqual(['timesheet.created 3_7', 'began records_unreadable 2_7']);
    expect((await harness.state()).sequence).toBe(sequence + 1);
    expect(harness.lines).toContainEqual({
      ...{ outcome: 'event.misfit', connection: 'main', feed: 'timesheets' },
      ...{ type: 'trouble.ended', issues: 'data.since' },
    });
  });
});

test('whatever a source answers, every published event is valid by its published schema', async () => {
  const types = new Set<string>();
  let quarantined = 0;
  const history = fc.array(fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat())), { minLength: 3, maxLength: 8 });
  await holds(
    fc.asyncProperty(history, async (rounds) => {
      const harness = await watchCompany();
      for (const round of rounds) {
        for (const step of round) spoil(harness, step);
        await pollAll(harness);
      }
      expect(misfitsOf(harness)).toEqual([]);
      for (const { type } of harness.published) types.add(type);
      quarantined += harness.lines.reduce((sum, line) => sum + Number(line.quarantined ?? 0), 0);
    }),
    25,
  );
  expect([...types]).toEqual(expect.arrayContaining(CLOSING));
  expect(types.size).toBeGreaterThanOrEqual(20);
  expect(quarantined).toBeGreaterThan(100);
});

/** What sums are in. */
const CLOSING = ['closed', 'statement', 'readiness'].map((name) => `workforce.pay_period.${name}`);

const BASE: Readonly<Record<FeedName, SampleRecord>> = {
  timesheets: timesheet({
    date: '2026-03-04',
    startTime: '2026-03-05T02:30:00Z',
    finishTime: '2026-03-05T03:30:00Z',
  }),
  'pay-periods': payPeriod({ startDate: '2026-02-26', finishDate: '2026-03-04' }),
  employees: { id: '2001_7', contractedHours: [{ department: { id: '501_7' } }] },
  departments: { id: '501_7', name: 'Kitchen', manager: '2001_7' },
};
const COMPANY = 5;
/** What has to come often for much to happen at all. */
const USUAL: readonly (readonly [FeedName, object])[] = [
  ['timesheets', { approvedHours: '2026-03-05T02:00:00Z' }],
  ['timesheets', { approvedPayroll: 'R-1' }],
  ['timesheets', { processed: '2026-03-05T03:00:00Z' }],
  ['timesheets', { approvedHours: null, processed: null }],
  ['timesheets', { clockIn: clocking() }],
  ['timesheets', { clockIn: clocking(), clockOut: clocking() }],
  ['timesheets', { clockIn: null, clockOut: null }],
  ['timesheets', { hoursToPay: 1.7e308 }],
  ['timesheets', { date: NEXT_DATE }],
  ['pay-periods', { closed: '2026-03-05' }],
  ['pay-periods', { closed: null }],
  ['pay-periods', { calendar: 'Monthly' }],
  ['employees', { contractedHours: [{ department: { id: '502_7' } }] }],
  ['departments', { name: 'Bar' }],
  ['departments', { manager: '2002_7' }],
];
const HOSTILE: readonly unknown[] = [
  ...[
    null,
    undefined,
    true,
    [],
    {},
    [{}],
    [[]],
    { id: null },
    { id: 5 },
    JSON.parse('{"__proto__":{"id":"1_7"}}'),
  ],
  ...[1.7e308, -1.7e308, 1e300, 9.007e15 + 1, 0.1 + 0.2, -0, -1, Number.POSITIVE_INFINITY, Number.NaN],
  ...['', ' ', '0', 'null', 'N/A', '-', '\ud800', '\u0000', '\u202e', 'x'.repeat(201), 'x'.repeat(20_000)],
  ...[
    '0001-01-01T00:00:00',
    '9999-12-31',
    '2026-02-30',
    '2026-03-05T25:00:00',
    '2026-03-05',
    '2026-03-05T01:00',
  ],
  ...['+275760-09-13T00:00:00Z', '-000001-01-01T00:00:00Z', '2026-03-05T01:00:60.999999999+23:59'],
];

async function watchCompany(): Promise<PollHarness> {
  const harness = new PollHarness({
    connection: {
      window: { backDays: 9, forwardDays: 3 },
      absences: { clockInMinutes: 10, clockOutHours: 1 },
      calendars: [{ name: 'Weekly', closesAt: 'Thu 08:00', remindBefore: ['1h', '4h', '6h'] }],
      watermark: true,
    },
  });
  harness.payPeriods = () => read(harness, 'pay-periods');
  for (const [feed, record] of Object.entries(BASE)) {
    const ids = Array.from({ length: COMPANY }, (_, n) => `${n + 1}_7`);
    write(
      harness,
      feed as FeedName,
      ids.map((id) => ({ ...record, id })),
    );
  }
  await pollAll(harness);
  return harness;
}

/** A poll of every feed, with what time alone brings: missing clockings, reminders, summaries, statements. */
async function pollAll(harness: PollHarness): Promise<void> {
  for (const feed of FEED_NAMES) {
    const summaries = feed === 'pay-periods' ? { summaries: ['10:00'] } : {};
    await harness.poll({ feed, scope: 'window', ...summaries });
  }
  harness.now += 61 * MINUTE_MS;
}

/** One step of a hostile source: a record is gone, comes back, or has a member that is usual or hostile. */
function spoil(harness: PollHarness, [which, what, how]: readonly [number, number, number]): void {
  const [feed, usual] = choose(USUAL, what);
  const id = `${1 + (which % COMPANY)}_7`;
  const name = choose(Object.keys(BASE[feed]), which);
  const records = new Map(read(harness, feed).map((record) => [record.id, record]));
  const known = records.get(id) ?? { ...BASE[feed], id };
  if (how % 8 === 7) records.delete(id);
  else records.set(id, { ...known, ...(how % 2 === 0 ? usual : { [name]: choose(HOSTILE, how) }) });
  write(harness, feed, [...records.values()]);
}

function choose<Value>(values: readonly Value[], place: number): Value {
  return values[place % values.length] as Value;
}

const periods = new WeakMap<PollHarness, readonly SampleRecord[]>();

function read(harness: PollHarness, feed: FeedName): readonly SampleRecord[] {
  if (feed === 'timesheets') return harness.timesheets;
  return feed === 'pay-periods' ? (periods.get(harness) ?? []) : harness.directory[feed];
}

function write(harness: PollHarness, feed: FeedName, records: readonly SampleRecord[]): void {
  if (feed === 'pay-periods') periods.set(harness, records);
  else if (feed !== 'timesheets') harness.directory[feed] = records;
  else {
    for (const { id } of harness.timesheets) harness.remove(id);
    harness.put(...records);
  }
}

async function watch(...ids: readonly string[]): Promise<PollHarness> {
  const harness = new PollHarness();
  await harness.see(...ids.map((id) => timesheet({ id })));
  harness.news();
  return harness;
}

/** Stores the hours of a timesheet as no release does. */
async function storeHours(id: string, hours: Json, { store }: PollHarness): Promise<void> {
  const [head] = (await store.loadHeads(TIMESHEETS, DATE)).filter(({ slice }) => slice === DATE);
  if (head === undefined) throw new Error('no head');
  const leaves = await store.readLeaves(TIMESHEETS, [toLeafRef(head, id)]);
  const place = TIMESHEET_FIELDS.findIndex(({ name }) => name === 'hoursToPay');
  const rows = leaves
    .flatMap((leaf) => leaf.rows)
    .map((row) => (row.id === id ? { ...row, state: row.state.with(place, hours) } : row));
  const base = { ...head, revision: head.revision + 1 };
  const other = layOutGeneration(feedDefinition('timesheets'), base, { rows, tombstones: [] });
  const outcome = await store.commit({
    feed: TIMESHEETS,
    token: `hours ${base.revision}`,
    heads: [{ head: other.head, expectedRevision: head.revision, changedLeaves: null }],
    leaves: other.leaves,
    events: null,
    eventsExpireAt: 0,
  });
  expect(outcome).toBe('committed');
}

/** What subscribers, who have the published schemas alone, cannot read. */
function misfitsOf({ texts }: PollHarness): readonly string[] {
  return texts.flatMap((text) => {
    const event = JSON.parse(text) as { readonly type: string };
    const check = SCHEMAS.get(event.type);
    return check?.(event) === true ? [] : [`${event.type} ${JSON.stringify(check?.errors)}`];
  });
}

function compileSchema(file: string): ValidateFunction {
  const ajv = new Ajv2020();
  formats.default(ajv);
  return ajv.compile(JSON.parse(readFileSync(`${FOLDER}/${file}`, 'utf8')));
}
